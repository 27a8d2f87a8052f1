import { beforeLogin, command, noArguments } from '../command.ts'
import { Bad } from '../wire/answers.ts'

/** RFC 9051 6.2.1. The handshake begins after the tagged response. */
export const starttls = command({
  states: beforeLogin,
  updates: 'nothing',
  read: noArguments,
  async run({ peer }) {
    if (!peer.canEncrypt()) throw new Bad('The connection is encrypted already')
    peer.afterAnswer(() => peer.encrypt())
    return { text: 'Begin the handshake' }
  },
})
