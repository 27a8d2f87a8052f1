import { anyState, command, nothing } from '../command.ts'

/** RFC 9051 6.1.3. */
export const logout = command({
  states: anyState,
  tells: 'nothing',
  read: nothing,
  async run({ writer, peer }) {
    writer.line('* BYE Goodbye')
    peer.leave()
    return undefined
  },
})
