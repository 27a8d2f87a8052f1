/** The answers that prove to an authority that a name is ours. Any node serves them, whichever of them ordered the certificate. */
import { Failure } from '../../schemas/failures.ts'
import { findChallengeAnswer } from '../../store/certificates.ts'
import type { Context } from '../process/context.ts'

/** base64url (RFC 8555 8.3); anything longer is not a token. */
const tokenForm = /^[\w-]{1,200}$/

/** The key authorization for a token of HTTP-01 (RFC 8555 8.1). Fails with `not_found` if no order uses the token. */
export async function challengeAnswer({ store }: Context, token: string): Promise<string> {
  const answer = tokenForm.test(token) ? await findChallengeAnswer(store, token) : null
  if (answer === null)
    throw new Failure('not_found', 'No order for a certificate uses this token.', {
      fix: 'Run "mailroom certificates" to see the orders.',
    })
  return answer
}
