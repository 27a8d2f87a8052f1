/**
 * The second factor of a person: codes of an authenticator app (RFC 6238), and ten recovery codes in case the app is lost. Invariants:
 * a code is accepted once, and after a code of the app no earlier one is accepted; somebody who knows the password has `triesMax`
 * guesses in `triesMs`, in all processes together; an unconfirmed app is not required at sign-in.
 */
import { randomBytes } from 'node:crypto'
import { Secret, TOTP } from 'otpauth'
import { Failure } from '../../schemas/failures.ts'
import { fromBinary } from '../../store/bytes.ts'
import type { AuthenticatorDoc } from '../../store/documents/second-factors.ts'
import { sealedFor, toSealed } from '../../store/sealed.ts'
import * as store from '../../store/second-factors.ts'
import { after, minuteMs, secondMs, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { tellChange } from './afterwards.ts'

/** RFC 4226 4, R6. */
const secretBytes = 20
const stepMs = 30 * secondMs
/** Codes of the previous and the next step are accepted too, since clocks differ (RFC 6238 5.2). */
const window = 1
const triesMax = 10
const triesMs = 15 * minuteMs

const recoveryCodes = 10
/** Letters of a recovery code: 50 bits, in Crockford's alphabet, which omits letters that are easily misread. */
const recoveryLetters = 10
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

/** The secret for an app, as text to type in, and as the URI of a QR code. */
export type AppSecret = { readonly secret: string; readonly uri: string }

export type SecondFactor = { readonly confirmedAt: Date; readonly recoveryCodesLeft: number }

/**
 * Makes the secret for an authenticator app; replaces one that was not confirmed. `label` is what the app shows: the person's e-mail
 * address. Fails with `conflict` when the person has an app.
 */
export async function beginTotp(
  ctx: Context,
  { personId, label }: { personId: string; label: string },
): Promise<AppSecret> {
  const secret = new Secret({ buffer: new Uint8Array(randomBytes(secretBytes)).buffer })
  const now = ctx.clock.now()
  const isKept = await store.putAuthenticator(ctx.store, {
    _id: personId,
    secret: toSealed(ctx.secrets.seal(secret.base32, sealedFor.authenticator(personId))),
    createdAt: now,
    confirmedAt: null,
    lastStep: 0,
    recovery: [],
    tries: 0,
    triesUntil: now,
  })
  if (!isKept)
    throw new Failure('conflict', 'You have an authenticator app already.', {
      fix: 'Remove the app that you have, with one of its codes or a recovery code, then add the other one.',
    })
  return appSecret(secret.base32, label)
}

/** The secret that waits to be confirmed; null when none does. */
export async function unconfirmedTotp(
  ctx: Context,
  { personId, label }: { personId: string; label: string },
): Promise<AppSecret | null> {
  const found = await store.findAuthenticator(ctx.store, personId)
  return found === null || found.confirmedAt !== null ? null : appSecret(secretOf(ctx, found), label)
}

/**
 * Confirms the app with one of its codes; for a confirmed app, replaces the recovery codes. Returns ten recovery codes, which are shown
 * once; older ones become void. Fails with `validation_error` for a wrong code, `conflict` when there is no app, `rate_limited` after
 * ten wrong codes.
 */
export async function confirmTotp(
  ctx: Context,
  { personId, code }: { personId: string; code: string },
): Promise<readonly string[]> {
  const found = await requireCode(ctx, { personId, code })
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode)
  const digests = codes.map((each) => digestOf(ctx, personId, each))
  if (!(await store.setRecovery(ctx.store, found, digests, ctx.clock.now()))) throw noApp()
  await tellChange(ctx, personId, found.confirmedAt === null ? 'appAdded' : 'codesReplaced')
  return codes
}

/** Removes the app and its recovery codes. `code` may be a recovery code. Fails as `confirmTotp` does. */
export async function removeTotp(ctx: Context, { personId, code }: { personId: string; code: string }): Promise<void> {
  const found = await requireCode(ctx, { personId, code }, nothingToRemove)
  await store.deleteAuthenticator(ctx.store, found)
  if (found.confirmedAt !== null) await tellChange(ctx, personId, 'appRemoved')
}

/** The second factor that a sign-in of the person needs; null when it needs none. */
export async function secondFactorOf(ctx: Context, personId: string): Promise<SecondFactor | null> {
  const found = await store.findAuthenticator(ctx.store, personId)
  if (found === null || found.confirmedAt === null) return null
  return { confirmedAt: found.confirmedAt, recoveryCodesLeft: found.recovery.length }
}

/**
 * Uses up a code of the app or a recovery code, however it is spaced. Returns false when it is wrong or was used before. Fails with
 * `rate_limited` after ten wrong codes.
 */
export async function takeCode(ctx: Context, { personId, code }: { personId: string; code: string }): Promise<boolean> {
  return (await takenBy(ctx, { personId, code })) !== null
}

async function requireCode(
  ctx: Context,
  what: { personId: string; code: string },
  missing = noApp,
): Promise<AuthenticatorDoc> {
  if ((await store.findAuthenticator(ctx.store, what.personId)) === null) throw missing()
  const found = await takenBy(ctx, what)
  if (found === null)
    throw new Failure('validation_error', 'This code is wrong, or it was used before.', {
      param: 'code',
      fix: 'Give the six digits that the app shows now. If they stay wrong, set the clock of its device right.',
    })
  return found
}

/** Uses up a code. Returns the person's authenticator; null when the code is wrong. */
async function takenBy(
  ctx: Context,
  { personId, code }: { personId: string; code: string },
): Promise<AuthenticatorDoc | null> {
  const now = ctx.clock.now()
  const found = await store.takeTry(ctx.store, personId, { now, until: after(now, triesMs), max: triesMax })
  if (found === null) {
    const refused = await store.findAuthenticator(ctx.store, personId)
    if (refused === null) return null
    const seconds = secondsUntil(now, refused.triesUntil)
    throw new Failure('rate_limited', `Too many wrong codes; no code is taken for ${seconds} seconds.`, {
      retryAfter: seconds,
    })
  }
  const typed = normalised(code)
  if (!/^\d{6}$/.test(typed)) {
    const isTaken =
      typed.length === recoveryLetters && (await store.takeRecovery(ctx.store, found, digestOf(ctx, personId, typed)))
    return isTaken ? found : null
  }
  const secret = Secret.fromBase32(secretOf(ctx, found))
  const delta = TOTP.validate({ token: typed, secret, timestamp: now.getTime(), window })
  if (delta === null) return null
  const step = Math.floor(now.getTime() / stepMs) + delta
  return (await store.takeStep(ctx.store, found, step)) ? found : null
}

/** A code as it is compared: without spaces and hyphens, in lower case, with digits in place of the letters that look like them. */
function normalised(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase().replaceAll('o', '0').replaceAll(/[il]/g, '1')
}

function newRecoveryCode(): string {
  const letters = [...randomBytes(recoveryLetters)].map((byte) => alphabet[byte % alphabet.length]).join('')
  return `${letters.slice(0, recoveryLetters / 2)}-${letters.slice(recoveryLetters / 2)}`
}

/** Keyed, because with a plain digest the 50 bits could be found by trying. */
const digestOf = ({ secrets }: Context, personId: string, code: string) =>
  secrets.tag(`${personId} ${normalised(code)}`, 'recovery code')

const secretOf = ({ secrets }: Context, { _id, secret }: AuthenticatorDoc) =>
  secrets.open(fromBinary(secret), sealedFor.authenticator(_id))

function appSecret(secret: string, label: string): AppSecret {
  return { secret, uri: new TOTP({ issuer: 'Mailroom', label, secret }).toString() }
}

const noApp = () =>
  new Failure('conflict', 'There is no authenticator app to confirm.', {
    fix: 'Ask for a secret first, add it to the app, then give a code of the app.',
  })

const nothingToRemove = () =>
  new Failure('conflict', 'There is no authenticator app to remove.', {
    fix: 'There is nothing to do: signing in needs no code.',
  })
