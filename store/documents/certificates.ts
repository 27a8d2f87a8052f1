/** Documents of certificates that an authority issues by ACME, one per name. */
import type { Sealed } from './sealed.ts'

/**
 * The certificate of a name, and the order for it or for its successor. `_id` is the name as an A-label in lower case. Invariant:
 * `nextAt` is when work on it is due; the process that does the work sets it to the end of a lease and writes under the lease's token.
 */
export type CertificateDoc = {
  readonly _id: string
  readonly nextAt: Date
  readonly token?: string
  /** Since when no setting and no domain has needed it; absent while one does. */
  readonly unwantedSince?: Date
  readonly issued?: IssuedCertificate
  readonly order?: CertificateOrder
  /** What proves control of the name to the authority; absent once it is no longer needed. */
  readonly challenge?: CertificateChallenge
  /** Why there is no certificate yet, or no renewed one; absent after a success. */
  readonly trouble?: CertificateTrouble
  /** Set if it is to be ordered although it is not due. */
  readonly renew?: true
}

export type IssuedCertificate = {
  /** The directory URL of the authority. */
  readonly directory: string
  /** PEM, the certificate of the name first. */
  readonly chain: string
  /** PEM. */
  readonly key: Sealed
  readonly validFrom: Date
  readonly validTo: Date
}

/** What any process needs to resume an order. */
export type CertificateOrder = {
  readonly directory: string
  readonly url: string
  /** PEM of the private key that the certificate will have. */
  readonly key: Sealed
  readonly at: Date
}

export type CertificateChallenge =
  /** Served at `/.well-known/acme-challenge/<token>` (RFC 8555 8.3). */
  | { readonly type: 'http-01'; readonly token: string; readonly answer: string }
  /** A TXT record of `_acme-challenge.<name>` (RFC 8555 8.4). */
  | { readonly type: 'dns-01'; readonly answer: string }

export type CertificateTrouble = {
  /** `failed`: an order failed. `waits`: none was begun, because it could not succeed. */
  readonly kind: 'failed' | 'waits'
  readonly at: Date
  /** How many times in a row. */
  readonly count: number
  readonly reason: string
}
