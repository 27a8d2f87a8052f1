import { command, loggedIn, nothing } from '../command.ts'

/** RFC 2342: one's own folders; there are none of others and none that are shared. */
export const namespace = command({
  states: loggedIn,
  read: nothing,
  async run({ writer }) {
    writer.line('* NAMESPACE (("" "/")) NIL NIL')
    return undefined
  },
})
