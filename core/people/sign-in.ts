/** Signing in with address, password, and a code where an authenticator app protects the person. */
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findPersonByEmail } from '../../store/people.ts'
import { recordAudit } from '../access/audit.ts'
import { limitLogins } from '../access/login-limits.ts'
import { createSession, type NewSession } from '../access/sessions.ts'
import type { Context } from '../process/context.ts'
import { isPassword } from './passwords.ts'
import { accountsOf } from './people.ts'
import { secondFactorOf, takeCode } from './totp.ts'

/**
 * Begins a session of the person with an address and a password. Fails with `unauthorized` (one of them is wrong, without a
 * word about which, or the code is missing or wrong) and `rate_limited` (too many failed logins or codes).
 */
export async function signIn(
  ctx: Context,
  { email, password, code, peerAddress }: { email: string; password: string; code?: string; peerAddress: string },
): Promise<NewSession> {
  const { _id: personId } = await requirePassword(ctx, { email, password, peerAddress })
  if ((await secondFactorOf(ctx, personId)) !== null) await requireCode(ctx, { personId, code })
  return beginSession(ctx, { personId, peerAddress })
}

/** Fails with `unauthorized` without a code of the person's authenticator app or a recovery code. */
async function requireCode(
  ctx: Context,
  { personId, code }: { personId: string; code: string | undefined },
): Promise<void> {
  if (code !== undefined && (await takeCode(ctx, { personId, code }))) return
  const text = code === undefined ? 'A code of the authenticator app is needed.' : 'The code is wrong or was used.'
  throw new Failure('unauthorized', text, {
    fix: 'Give in "code" what the authenticator app shows now, or a recovery code.',
  })
}

/**
 * Returns the person with an address and a password; a wrong one is counted as a failed login, and takes as long. Fails as
 * `signIn` does.
 */
export function requirePassword(
  ctx: Context,
  { email, password, peerAddress }: { email: string; password: string; peerAddress: string },
): Promise<PersonDoc> {
  return limitLogins(ctx, { peerAddress, user: email }, async () => {
    const address = normaliseAddress(email)
    const person = address === null ? null : await findPersonByEmail(ctx.store, address)
    const isRight = await isPassword(ctx, password, person?.passwordHash ?? null)
    if (person === null || !isRight)
      throw new Failure('unauthorized', 'The address or the password is wrong.', {
        fix: 'Check both. If you have just signed up, open the link in the mail to you first; if you forgot the password, ask for a new one.',
      })
    return person
  })
}

/** Begins a session of a person who has shown who it is, in the oldest of the accounts; all of them note it in their audit. */
export async function beginSession(
  ctx: Context,
  { personId, peerAddress }: { personId: string; peerAddress: string },
): Promise<NewSession> {
  const accounts = await accountsOf(ctx, personId)
  const begun = await createSession(ctx, { personId, accountId: accounts[0]?.id ?? null })
  const entry = { keyId: personId, action: 'session.begin', target: null, outcome: 'done', address: peerAddress }
  await Promise.all(accounts.map(({ id: accountId }) => recordAudit(ctx, { ...entry, accountId })))
  return begun
}
