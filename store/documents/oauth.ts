/** Documents of OAuth. Times are Dates (UTC). */
import type { Sealed } from './sealed.ts'

/** A program that registered itself (RFC 7591). `_id` is its client id. */
export type OauthClientDoc = {
  readonly _id: string
  /** What it said of itself, as JSON; no secret is among it. */
  readonly metadata: string
  readonly createdAt: Date
  /** Moved on while it is given tokens. */
  readonly expiresAt: Date
}

/**
 * An authorization code, an access or refresh token, a request that a person is asked about, or an assertion that must not be
 * used twice. `_id` is the SHA-256 of its kind and value (base64url); the value is stored nowhere.
 */
export type OauthArtifactDoc = {
  readonly _id: string
  /** Of a code and a token: the grant, and the account that it is about. */
  readonly grantId?: string
  readonly accountId?: string
  /** What else it consists of, as JSON. */
  readonly sealed: Sealed
  /** When a code or refresh token was used: it is kept, so that a second use is noticed. */
  readonly consumedAt?: Date
  readonly expiresAt: Date
}
