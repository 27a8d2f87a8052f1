import { beforeLogin, command } from '../command.ts'
import { logInto } from '../login.ts'
import type { Session } from '../session.ts'
import { Bad, No } from '../wire/answers.ts'

/** RFC 9051 6.2.2, with the first answer in the command (RFC 4959). Only PLAIN (RFC 4616). */
export const authenticate = command({
  states: beforeLogin,
  read(parser) {
    parser.space()
    const mechanism = parser.word('The name of a mechanism')
    return { mechanism, first: parser.takeSpace() ? (parser.take('=') ? '' : parser.atom('Base64')) : null }
  },
  async run(session, { mechanism, first }) {
    if (mechanism !== 'PLAIN') throw new No('CANNOT', 'Only PLAIN is known')
    if (!session.peer.isPrivate()) throw new No('PRIVACYREQUIRED', 'Say STARTTLS first')
    return logInto(session, plainCredentials(first ?? (await answerOf(session))))
  },
})

async function answerOf({ writer, peer }: Session): Promise<string> {
  writer.line('+ ')
  writer.flush()
  const answer = await peer.line()
  if (answer === null) throw new Bad('There was no answer')
  if (answer === '*') throw new Bad('Cancelled')
  return answer
}

/** `[authzid] NUL authcid NUL password`. Acting for another user is not offered. */
function plainCredentials(base64: string): { readonly user: string; readonly password: string } {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) throw new Bad('That is no Base64')
  const [asWhom, user, password, ...more] = Buffer.from(base64, 'base64').toString('utf8').split('\0')
  if (user === undefined || password === undefined || more.length > 0) throw new Bad('That is not what PLAIN asks for')
  if (asWhom !== '' && asWhom !== user) throw new No('AUTHORIZATIONFAILED', 'Nobody may act for another user')
  return { user, password }
}
