/**
 * Signing in: with address and password, and then a code if the person has an authenticator app; or with a passkey alone, which by
 * itself is two factors.
 */
import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { PersonDoc } from '../../store/documents/people.ts'
import { findPerson, findPersonByEmail } from '../../store/people.ts'
import { recordAudit } from '../access/audit.ts'
import { limitLogins } from '../access/login-limits.ts'
import { type Asker, createSession, endSession, type NewSession } from '../access/sessions.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { personOfPasskey } from './passkeys.ts'
import { isPassword, passwordDigest } from './passwords.ts'
import { accountsOf, requirePerson } from './people.ts'
import { secondFactorOf, takeCode } from './totp.ts'

/** The password was right, and a code is needed too. `step` is sent back with the code, to say whose it is; it is valid for `stepMs`. */
export type SecondStep = { readonly step: string }

const stepMs = 10 * minuteMs
const stepPurpose = 'second step'
type Step = {
  readonly personId: string
  readonly email: string
  /** A digest of the person's stored password hash: a change of the password ends the step. */
  readonly under: string
  readonly endsAt: number
}

/**
 * Begins a session of the person with an address and a password, or returns a second step when a code is needed. Fails with
 * `unauthorized` (address or password wrong, without saying which) and `rate_limited` (too many failed logins;
 * core/access/login-limits.ts).
 */
export async function beginSignIn(
  ctx: Context,
  { email, password, ...asker }: Asker & { email: string; password: string },
): Promise<NewSession | SecondStep> {
  const person = await requirePassword(ctx, { email, password, peerAddress: asker.peerAddress })
  const { _id: personId, passwordHash } = person
  if ((await secondFactorOf(ctx, personId)) === null) return beginSession(ctx, { personId, passwordHash, ...asker })
  const step: Step = {
    personId,
    email: person.email,
    under: passwordDigest(person),
    endsAt: after(ctx.clock.now(), stepMs).getTime(),
  }
  return { step: ctx.secrets.seal(JSON.stringify(step), stepPurpose).toString('base64url') }
}

/**
 * Begins a session with the code that `beginSignIn` asked for. Fails with `unauthorized` (the code is wrong), `validation_error` (the
 * step has expired, or the password was changed) and `rate_limited` (too many wrong codes or failed logins).
 */
export async function finishSignIn(
  ctx: Context,
  { step, code, ...asker }: Asker & SecondStep & { code: string },
): Promise<NewSession> {
  const { personId, email, under } = readStep(ctx, step)
  const person = await findPerson(ctx.store, personId)
  if (person === null || passwordDigest(person) !== under) throw stepOver()
  const { passwordHash } = person
  return limitLogins(ctx, { peerAddress: asker.peerAddress, user: email }, async () => {
    if (await takeCode(ctx, { personId, code })) return beginSession(ctx, { personId, passwordHash, ...asker })
    throw new Failure('unauthorized', 'This code is wrong, or it was used before.', {
      fix: 'Give the six digits that the app shows now, or a recovery code.',
    })
  })
}

/** Signs in in one step, with the password and the code, if one is needed. Fails as both steps do. */
export async function signIn(
  ctx: Context,
  { code, ...given }: Asker & { email: string; password: string; code?: string },
): Promise<NewSession> {
  const begun = await beginSignIn(ctx, given)
  if (!('step' in begun)) return begun
  if (code === undefined)
    throw new Failure('validation_error', 'This person signs in with a code of an authenticator app too.', {
      param: 'code',
      fix: 'Add "code": the six digits that the app shows now, or a recovery code.',
    })
  const { peerAddress, userAgent } = given
  return finishSignIn(ctx, { ...begun, code, peerAddress, userAgent })
}

/**
 * Begins a session of the person whose passkey answers the options of `beginPasskeySignIn`. Fails with `unauthorized` and
 * `rate_limited`.
 */
export function signInByPasskey(
  ctx: Context,
  { binding, credential, ...asker }: Asker & { binding: string; credential: unknown },
): Promise<NewSession> {
  return limitLogins(ctx, { peerAddress: asker.peerAddress, user: null }, async () => {
    const personId = await personOfPasskey(ctx, { binding, credential })
    if (personId !== null) return beginSession(ctx, { personId, passwordHash: null, ...asker })
    throw new Failure('unauthorized', 'This passkey is not known here, or it answered too late.', {
      fix: 'Try again, or sign in with your address and password.',
    })
  })
}

function readStep(ctx: Context, step: string): Step {
  const read = openStep(ctx, step)
  if (read !== null && read.endsAt > ctx.clock.now().getTime()) return read
  throw stepOver()
}

const stepOver = () =>
  new Failure('validation_error', 'The time for the code is over.', {
    param: 'step',
    fix: 'Sign in with your address and password again.',
  })

/** Opens a sealed step; null when it is something else. */
function openStep({ secrets }: Context, step: string): Step | null {
  try {
    return JSON.parse(secrets.open(Buffer.from(step, 'base64url'), stepPurpose))
  } catch {
    return null
  }
}

/**
 * Returns the person with an address and a password. A wrong one counts as a failed login, and takes as long. Fails as `beginSignIn`
 * does.
 */
export function requirePassword(
  ctx: Context,
  { email, password, peerAddress }: { email: string; password: string; peerAddress: string },
): Promise<PersonDoc> {
  return limitLogins(ctx, { peerAddress, user: email }, async () => {
    const address = normaliseAddress(email)
    const person = address === null ? null : await findPersonByEmail(ctx.store, address)
    const isRight = await isPassword(ctx, password, person?.passwordHash ?? null)
    if (person === null || !isRight) throw wrongPassword()
    return person
  })
}

const wrongPassword = () =>
  new Failure('unauthorized', 'The address or the password is wrong.', {
    fix: 'Check both. If you have just signed up, open the link in the mail to you first; if you forgot the password, ask for a new one.',
  })

/**
 * Checks the password of a signed-in person again, before an action that cannot be undone, and returns the person. Fails with
 * `unauthorized` (it is wrong, or the person does not exist any more) and `rate_limited`; a wrong one counts as a failed login.
 */
export async function requirePasswordOf(
  ctx: Context,
  personId: string,
  { password, peerAddress }: { password: string; peerAddress: string },
): Promise<PersonDoc> {
  const person = await requirePerson(ctx, personId)
  return limitLogins(ctx, { peerAddress, user: person.email }, async () => {
    if (await isPassword(ctx, password, person.passwordHash)) return person
    throw wrongCurrentPassword()
  })
}

export const wrongCurrentPassword = () =>
  new Failure('unauthorized', 'The current password is wrong.', {
    fix: 'Type it again; if you forgot it, ask for a new one at /reset or with POST /api/v1/people/reset.',
  })

/**
 * Begins a session of a person who showed the password of `passwordHash`; null for another way to sign in. A change of the password or
 * an erasure, which both end all sessions, may have come while the password was compared, so they are checked after the session was
 * made. Fails with `unauthorized`.
 */
export async function createSessionUnder(
  ctx: Context,
  { passwordHash, ...wanted }: Parameters<typeof createSession>[1] & { passwordHash: string | null },
): Promise<NewSession> {
  const begun = await createSession(ctx, wanted)
  const person = await findPerson(ctx.store, wanted.personId)
  if (person !== null && (passwordHash === null || passwordHash === person.passwordHash)) return begun
  await endSession(ctx, begun.session)
  throw wrongPassword()
}

/** Begins a session of an authenticated person, in the oldest account of the person; the audit trails of all accounts record it. */
async function beginSession(
  ctx: Context,
  { personId, ...shown }: Asker & { personId: string; passwordHash: string | null },
): Promise<NewSession> {
  const accounts = await accountsOf(ctx, personId)
  const begun = await createSessionUnder(ctx, { personId, accountId: accounts[0]?.id ?? null, ...shown })
  const { peerAddress: address } = shown
  const entry = { keyId: personId, action: 'session.begin', target: null, outcome: 'done', address }
  await Promise.all(accounts.map(({ id: accountId }) => recordAudit(ctx, { ...entry, accountId })))
  return begun
}
