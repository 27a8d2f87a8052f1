import { beforeLogin, command } from '../command.ts'
import { logInto } from '../login.ts'
import type { Session } from '../session.ts'
import { Bad, No } from '../wire/answers.ts'

/** RFC 9051 6.2.2, with an optional initial response (RFC 4959). Only PLAIN is supported (RFC 4616). */
export const authenticate = command({
  states: beforeLogin,
  read(parser) {
    parser.space()
    const mechanism = parser.word('The name of a mechanism')
    return { mechanism, first: parser.takeSpace() ? (parser.take('=') ? '' : parser.atom('Base64')) : null }
  },
  async run(session, { mechanism, first }) {
    if (mechanism !== 'PLAIN') throw new No('CANNOT', 'Only the mechanism PLAIN is supported')
    if (!session.peer.isPrivate()) throw new No('PRIVACYREQUIRED', 'Use STARTTLS before you log in')
    return logInto(session, plainCredentials(first ?? (await answerOf(session))))
  },
})

async function answerOf({ writer, peer }: Session): Promise<string> {
  writer.line('+ ')
  writer.flush()
  const answer = await peer.line()
  if (answer === null) throw new Bad('There was no response that could be read')
  if (answer === '*') throw new Bad('Cancelled')
  return answer
}

/** Decodes `[authzid] NUL authcid NUL password`. An authzid other than the authcid is refused. */
function plainCredentials(base64: string): { readonly user: string; readonly password: string } {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new Bad('The response is not Base64')
  const [asWhom, user, password, ...more] = Buffer.from(base64, 'base64').toString('utf8').split('\0')
  if (user === undefined || password === undefined || more.length > 0)
    throw new Bad('A PLAIN response is [authzid] NUL authcid NUL password')
  if (asWhom !== '' && asWhom !== user) throw new No('AUTHORIZATIONFAILED', 'Acting for another user is not supported')
  return { user, password }
}
