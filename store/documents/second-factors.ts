/** Documents of second factors: authenticator apps and passkeys. Times are Dates (UTC). */
import type { Binary } from 'mongodb'
import type { Sealed } from './sealed.ts'

/** The authenticator app of a person. */
export type AuthenticatorDoc = {
  /** The id of the person. */
  readonly _id: string
  readonly secret: Sealed
  readonly createdAt: Date
  /** When the person proved that the app has the secret; before that the app protects nothing. */
  readonly confirmedAt: Date | null
  /** The time step of the newest accepted code: no code of this or an earlier step is accepted (RFC 6238 5.2). */
  readonly lastStep: number
  /** Keyed digests of the recovery codes that are left. */
  readonly recovery: readonly Binary[]
  /** How many codes were tried since the last correct one, and until when those tries count. */
  readonly tries: number
  readonly triesUntil: Date
}

export type PasskeyDoc = {
  /** The credential id (base64url), chosen by the person's device. */
  readonly _id: string
  readonly personId: string
  readonly name: string
  /** COSE key. */
  readonly publicKey: Binary
  /** The device's count of signatures; 0 for ever on devices that do not count. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** A challenge that was answered; `_id` is the challenge. Kept for as long as the challenge would be accepted. */
export type UsedChallengeDoc = { readonly _id: string; readonly expiresAt: Date }
