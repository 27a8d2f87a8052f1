import { command, loggedIn, noArguments } from '../command.ts'

/** RFC 2342: personal folders only; there are no folders of other users and no shared ones. */
export const namespace = command({
  states: loggedIn,
  read: noArguments,
  async run({ writer }) {
    writer.line('* NAMESPACE (("" "/")) NIL NIL')
    return undefined
  },
})
