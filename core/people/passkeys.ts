/**
 * Passkeys (WebAuthn Level 3): a person signs in with a device that recognises its owner, without password and code. Invariants: a
 * challenge is accepted once, within `challengeMs`, in the session or attempt that it was made for; a challenge is stored only when it
 * is answered; the device must have verified the person.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { Failure } from '../../schemas/failures.ts'
import { fromBinary, toBinary } from '../../store/bytes.ts'
import type { PasskeyDoc } from '../../store/documents/second-factors.ts'
import * as store from '../../store/second-factors.ts'
import { after, minuteMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { tellChange } from './afterwards.ts'

/** Loaded on first use: the library is large, and only people need it. */
const loadWebAuthn = loadOnce(() => import('@simplewebauthn/server'))

const challengeMs = 10 * minuteMs
const timeBytes = 6
const nonceBytes = 16
const digestBytes = 32
/** Passkeys that a person may have. */
export const passkeysMax = 20

export type Passkey = Pick<PasskeyDoc, 'name' | 'createdAt' | 'lastUsedAt'> & { readonly id: string }

/**
 * Whether passkeys can be used. Browsers bind them to the host in `baseUrl`, which must be a domain (not an IP address) with https, or
 * localhost (WebAuthn 5.1.3, 13.4.9).
 */
export function hasPasskeys({ baseUrl }: Pick<Context, 'baseUrl'>): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  const isAddress = isIP(hostname) !== 0 || hostname.startsWith('[')
  return !isAddress && (protocol === 'https:' || hostname === 'localhost' || hostname.endsWith('.localhost'))
}

/**
 * Returns the options with which a browser makes a passkey (`navigator.credentials.create`). `binding` names the session that will send
 * the answer. Fails with `unprocessable` where passkeys cannot be used, `conflict` when the person has twenty.
 */
export async function beginPasskey(
  ctx: Context,
  { personId, email, name, binding }: { personId: string; email: string; name: string; binding: string },
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const existing = await store.listPasskeys(ctx.store, personId, passkeysMax)
  if (existing.length >= passkeysMax) throw tooMany()
  const { generateRegistrationOptions } = await loadWebAuthn()
  return generateRegistrationOptions({
    rpName: 'Mailroom',
    rpID: relyingParty(ctx),
    userID: new TextEncoder().encode(personId),
    userName: email,
    userDisplayName: name,
    challenge: newChallenge(ctx, `add ${binding}`),
    timeout: challengeMs,
    attestationType: 'none',
    excludeCredentials: existing.map(({ _id: id, transports }) => ({ id, transports: [...transports] })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
  })
}

/**
 * Stores the passkey that a browser made for the options of `beginPasskey`. Fails with `validation_error` when it does not answer them,
 * `conflict` when it is stored already, or when the person has twenty.
 */
export async function addPasskey(
  ctx: Context,
  { personId, name, binding, credential }: { personId: string; name: string; binding: string; credential: unknown },
): Promise<Passkey> {
  const challenge = createExpectation(ctx, `add ${binding}`)
  const { verifyRegistrationResponse } = await loadWebAuthn()
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: credential as RegistrationResponseJSON,
    expectedChallenge: challenge.isExpected,
    expectedOrigin: new URL(ctx.baseUrl).origin,
    expectedRPID: relyingParty(ctx),
    requireUserVerification: true,
  }).catch((error: unknown) => unsound(ctx, error))
  if (!verified || registrationInfo === undefined || !(await challenge.use())) throw wrongCredential()
  const { id, publicKey, counter, transports = [] } = registrationInfo.credential
  const doc: PasskeyDoc = {
    _id: id,
    personId,
    name,
    publicKey: toBinary(publicKey),
    counter,
    transports,
    createdAt: ctx.clock.now(),
    lastUsedAt: null,
  }
  if (!(await store.insertPasskey(ctx.store, doc)))
    throw new Failure('conflict', 'This passkey is known already.', { fix: 'Make another one, or use this one.' })
  // Several options may have been answered at the same time; a passkey beyond the limit would not even be listed.
  const kept = await store.listPasskeys(ctx.store, personId, passkeysMax)
  if (!kept.some(({ _id }) => _id === id)) {
    await store.deletePasskey(ctx.store, { personId, id })
    throw tooMany()
  }
  await tellChange(ctx, personId, 'passkeyAdded')
  return passkeyOf(doc)
}

/**
 * Returns the options with which a browser signs in by any passkey that the person has (`navigator.credentials.get`). `binding` names
 * the attempt that will send the answer. Fails with `unprocessable` where passkeys cannot be used.
 */
export async function beginPasskeySignIn(
  ctx: Context,
  { binding }: { binding: string },
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const { generateAuthenticationOptions } = await loadWebAuthn()
  return generateAuthenticationOptions({
    rpID: relyingParty(ctx),
    challenge: newChallenge(ctx, `sign in ${binding}`),
    timeout: challengeMs,
    userVerification: 'required',
  })
}

/**
 * The id of the person whose passkey answered the options of `beginPasskeySignIn`; null when the passkey is unknown or the answer is
 * not valid.
 */
export async function personOfPasskey(
  ctx: Context,
  { binding, credential }: { binding: string; credential: unknown },
): Promise<string | null> {
  const response = credential as AuthenticationResponseJSON
  const id: unknown = response?.id
  const found = typeof id === 'string' ? await store.findPasskey(ctx.store, id) : null
  if (found === null) return null
  const challenge = createExpectation(ctx, `sign in ${binding}`)
  const { verifyAuthenticationResponse } = await loadWebAuthn()
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge: challenge.isExpected,
    expectedOrigin: new URL(ctx.baseUrl).origin,
    expectedRPID: relyingParty(ctx),
    requireUserVerification: true,
    credential: {
      id: found._id,
      publicKey: new Uint8Array(fromBinary(found.publicKey)),
      counter: found.counter,
      transports: [...found.transports],
    },
  }).catch((error: unknown) => unsound(ctx, error))
  if (!verified || authenticationInfo === undefined || !(await challenge.use())) return null
  const use = { newCounter: authenticationInfo.newCounter, at: ctx.clock.now() }
  return (await store.usePasskey(ctx.store, found, use)) ? found.personId : null
}

/** The passkeys of a person, oldest first. */
export async function listPasskeys(ctx: Context, personId: string): Promise<readonly Passkey[]> {
  return (await store.listPasskeys(ctx.store, personId, passkeysMax)).map(passkeyOf)
}

/** Removes a passkey of a person. Fails with `not_found`. */
export async function removePasskey(ctx: Context, what: { personId: string; id: string }): Promise<void> {
  if (!(await store.deletePasskey(ctx.store, what)))
    throw new Failure('not_found', 'You have no such passkey.', { fix: 'Use the id of a passkey that you have.' })
  await tellChange(ctx, what.personId, 'passkeyRemoved')
}

const passkeyOf = ({ _id, name, createdAt, lastUsedAt }: PasskeyDoc): Passkey => ({
  id: _id,
  name,
  createdAt,
  lastUsedAt,
})

function relyingParty(ctx: Context): string {
  if (!hasPasskeys(ctx))
    throw new Failure('unprocessable', `Passkeys need a domain with https, and this service is at ${ctx.baseUrl}.`, {
      fix: 'Ask the operator to set baseUrl to an address such as https://mail.example.com.',
    })
  return new URL(ctx.baseUrl).hostname
}

/** Makes a challenge: its end time, a nonce, and a keyed digest of both and of its use, so that it is recognised without being stored. */
function newChallenge(ctx: Context, use: string): Uint8Array<ArrayBuffer> {
  const endsAt = Buffer.alloc(timeBytes)
  endsAt.writeUIntBE(after(ctx.clock.now(), challengeMs).getTime(), 0, timeBytes)
  const claim = Buffer.concat([endsAt, randomBytes(nonceBytes)])
  return Uint8Array.from(Buffer.concat([claim, digestOf(ctx, use, claim)]))
}

/**
 * `isExpected` checks the challenge in an answer for the library. `use` uses up the challenge that it accepted; false when there is none
 * or when it was used before.
 */
function createExpectation(
  ctx: Context,
  use: string,
): { isExpected(challenge: string): boolean; use(): Promise<boolean> } {
  let expected: { readonly challenge: string; readonly endsAt: Date } | null = null
  return {
    isExpected(challenge) {
      const bytes = Buffer.from(challenge, 'base64url')
      if (bytes.length !== timeBytes + nonceBytes + digestBytes) return false
      const claim = bytes.subarray(0, timeBytes + nonceBytes)
      if (!timingSafeEqual(bytes.subarray(claim.length), digestOf(ctx, use, claim))) return false
      const endsAt = new Date(bytes.readUIntBE(0, timeBytes))
      if (endsAt <= ctx.clock.now()) return false
      expected = { challenge: bytes.toString('base64url'), endsAt }
      return true
    },
    use: async () => expected !== null && store.useChallenge(ctx.store, expected.challenge, expected.endsAt),
  }
}

const digestOf = ({ secrets }: Context, use: string, claim: Buffer) =>
  secrets.tag(`${use} ${claim.toString('base64url')}`, 'passkey challenge')

/** Turns an error of the library, which throws for every invalid answer, into a refusal: bad input is no fault of the service. */
function unsound(ctx: Context, error: unknown): { readonly verified: false } & Record<string, undefined | false> {
  ctx.log.info({ err: error }, 'a passkey was refused')
  return { verified: false }
}

const tooMany = () =>
  new Failure('conflict', `You have ${passkeysMax} passkeys already.`, {
    fix: 'Remove a passkey that you do not use, then add the new one.',
  })

const wrongCredential = () =>
  new Failure('validation_error', 'This passkey does not answer what was asked, or it came too late.', {
    param: 'credential',
    fix: 'Ask for new options, and answer them within ten minutes from the same session.',
  })
