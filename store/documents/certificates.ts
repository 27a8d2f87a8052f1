/** Certificates that an authority issues by ACME, one for each name. */
import type { Sealed } from './sealed.ts'

/**
 * The certificate of a name, as A-label in lower case, and the order for it or its next. Invariant: `nextAt` is when something
 * is to be done; who does it moves it to the end of a lease and writes under the lease's token.
 */
export type CertificateDoc = {
  readonly _id: string
  readonly nextAt: Date
  readonly token?: string
  /** Since when no setting and no domain asks for it; absent while one does. */
  readonly unwantedSince?: Date
  readonly issued?: IssuedCertificate
  readonly order?: CertificateOrder
  /** What the order is shown by; absent when it is not asked for any more. */
  readonly challenge?: CertificateChallenge
  /** Why there is no certificate yet, or none in place of the one there is; absent after a success. */
  readonly trouble?: CertificateTrouble
  /** Whether it is to be ordered although it is not due. */
  readonly renew?: true
}

export type IssuedCertificate = {
  /** The directory of the authority. */
  readonly directory: string
  /** PEM, its own certificate first. */
  readonly chain: string
  /** PEM. */
  readonly key: Sealed
  readonly validFrom: Date
  readonly validTo: Date
}

/** Enough to go on with an order in any process. */
export type CertificateOrder = {
  readonly directory: string
  readonly url: string
  /** PEM of the private key that the certificate will have. */
  readonly key: Sealed
  readonly at: Date
}

export type CertificateChallenge =
  /** Asked for at `/.well-known/acme-challenge/<token>` (RFC 8555 8.3). */
  | { readonly type: 'http-01'; readonly token: string; readonly answer: string }
  /** A TXT record of `_acme-challenge.<name>` (RFC 8555 8.4). */
  | { readonly type: 'dns-01'; readonly answer: string }

export type CertificateTrouble = {
  /** Whether an order failed, or none was begun because it could not succeed. */
  readonly kind: 'failed' | 'waits'
  readonly at: Date
  /** How often it was so, one time after the other. */
  readonly count: number
  readonly reason: string
}
