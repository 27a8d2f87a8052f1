/** Logs a session in: what LOGIN and AUTHENTICATE have in common. */
import { logIn } from '../core/account/login.ts'
import { Failure } from '../schemas/failures.ts'
import { capabilities } from './capabilities.ts'
import type { Session } from './session.ts'
import type { Done } from './wire/answers.ts'

/** Fails as `logIn` of core does. A wrong login is counted, and at the limit the connection ends after the answer. */
export async function logInto(
  session: Session,
  { user, password }: { readonly user: string; readonly password: string },
): Promise<Done> {
  const { ctx, peer } = session
  try {
    session.login = await logIn(ctx, { user, password, scope: 'mail:read', peerAddress: peer.address })
  } catch (error) {
    if (error instanceof Failure) peer.wrongLogin(error.code === 'rate_limited')
    throw error
  }
  return { responseCode: `CAPABILITY ${capabilities(session)}`, text: 'Welcome' }
}
