import { anyState, command, noArguments } from '../command.ts'

/** RFC 9051 6.1.3. */
export const logout = command({
  states: anyState,
  updates: 'nothing',
  read: noArguments,
  async run({ writer, peer }) {
    writer.line('* BYE Goodbye')
    peer.leave()
    return undefined
  },
})
