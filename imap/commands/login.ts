import { beforeLogin, command } from '../command.ts'
import { logInto } from '../login.ts'
import { No } from '../wire/answers.ts'
import { readUtf8 } from '../wire/text.ts'

/** RFC 9051 6.2.3. */
export const login = command({
  states: beforeLogin,
  read(parser) {
    parser.space()
    const user = parser.astring()
    parser.space()
    return { user, password: parser.astring() }
  },
  async run(session, { user, password }) {
    if (!session.peer.isPrivate()) throw new No('PRIVACYREQUIRED', 'Use STARTTLS before you log in')
    return logInto(session, { user: readUtf8(user), password: readUtf8(password) })
  },
})
