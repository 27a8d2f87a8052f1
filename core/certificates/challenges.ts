/** The answers by which an authority sees that a name is ours; any node gives them, whichever of them ordered. */
import { Failure } from '../../schemas/failures.ts'
import { findChallengeAnswer } from '../../store/certificates.ts'
import type { Context } from '../process/context.ts'

/** base64url (RFC 8555 8.3); longer ones are no tokens. */
const tokenForm = /^[\w-]{1,200}$/

/** The key authorization of a token of HTTP-01 (RFC 8555 8.1). Fails with `not_found` when nothing is ordered with it. */
export async function challengeAnswer({ store }: Context, token: string): Promise<string> {
  const answer = tokenForm.test(token) ? await findChallengeAnswer(store, token) : null
  if (answer === null)
    throw new Failure('not_found', 'No certificate is ordered with this token.', {
      fix: 'Look which orders there are with "mailroom certificates".',
    })
  return answer
}
