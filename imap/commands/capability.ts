import { capabilities } from '../capabilities.ts'
import { anyState, command, noArguments } from '../command.ts'

/** RFC 9051 6.1.1. */
export const capability = command({
  states: anyState,
  read: noArguments,
  async run(session) {
    session.writer.line(`* CAPABILITY ${capabilities(session)}`)
    return { text: 'CAPABILITY done' }
  },
})
