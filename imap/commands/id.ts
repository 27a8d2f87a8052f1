import { anyState, command } from '../command.ts'

/** RFC 2971. What the client says about itself is not stored. */
export const id = command({
  states: anyState,
  read(parser) {
    parser.space()
    if (parser.take('NIL')) return
    parser.list(() => {
      parser.string()
      parser.space()
      parser.nstring()
    })
  },
  async run({ writer }) {
    writer.line('* ID ("name" "Mailroom" "vendor" "Mailroom")')
    return undefined
  },
})
