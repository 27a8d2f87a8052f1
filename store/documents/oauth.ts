/** Documents of OAuth. Times are Dates (UTC). */
import type { Sealed } from './sealed.ts'

/** A program that registered itself (RFC 7591). `_id` is its client id. */
export type OauthClientDoc = {
  readonly _id: string
  /** The client metadata that it registered, as JSON; contains no secret. */
  readonly metadata: string
  readonly createdAt: Date
  /** Extended whenever the program is issued tokens. */
  readonly expiresAt: Date
}

/**
 * An authorization code, an access or refresh token, a request that a person is asked about, or an assertion that must not be
 * used twice. `_id` is the SHA-256 of its kind and value (base64url); the value is stored nowhere.
 */
export type OauthArtifactDoc = {
  readonly _id: string
  /** For a code or a token: its grant, and the account that the grant is for. */
  readonly grantId?: string
  readonly accountId?: string
  /** The rest of its content, as JSON. */
  readonly sealed: Sealed
  /** When the code or refresh token was used. A used one is kept, so that a second use is detected. */
  readonly consumedAt?: Date
  readonly expiresAt: Date
}
