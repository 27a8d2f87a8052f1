/**
 * The sealed fields of the database and their purposes (core/process/secrets.ts), so that all of them can be sealed again when the
 * master key changes. A collection whose documents have a field of the type `Sealed` or `SealedText` does not compile without a row
 * here.
 */
import type { Document } from 'mongodb'
import { toBinary } from './bytes.ts'
import type { CollectionName, DocOf } from './collections.ts'
import type { Sealed, SealedText } from './documents/sealed.ts'
import type { StateDoc } from './documents/service.ts'

export type { Sealed, SealedText } from './documents/sealed.ts'

/** The purposes that secrets are sealed for. A secret can only be opened for the same purpose. */
export const sealedFor = {
  acmeAccount: 'acme account',
  authenticator: (personId: string) => `authenticator ${personId}`,
  certificate: (name: string) => `certificate ${name}`,
  digestKey: 'digests',
  dkim: 'dkim',
  idempotency: 'idempotency',
  oauth: 'oauth',
  tsig: 'tsig',
  webhook: 'webhook',
  zoneKey: (id: string) => `zone key ${id}`,
} as const

export type SealedField<D extends Document = Document> = {
  /** The path to the field, its steps separated by dots; `*` is every element of a list. */
  readonly path: string
  readonly purpose: (document: D) => string
}

type HasSealed<T> = T extends Sealed | SealedText
  ? true
  : T extends string | number | boolean | null | undefined | Date | Uint8Array | { readonly _bsontype: string }
    ? false
    : T extends readonly (infer E)[]
      ? HasSealed<E>
      : T extends object
        ? { [K in keyof T]-?: HasSealed<T[K]> }[keyof T]
        : false
type SealedCollection = { [N in CollectionName]: true extends HasSealed<DocOf<N>> ? N : never }[CollectionName]

/** The name in `state` of the sealed key of our account at a certificate authority. */
export const acmeAccountName = (directory: string): string => `acme account ${directory}`

const constant = (purpose: string) => () => purpose
const backend = { path: 'backend.secret', purpose: constant(sealedFor.tsig) } as const
const dkim = { path: 'dkim.*.privateKey', purpose: constant(sealedFor.dkim) } as const

export const sealedFields: {
  readonly [N in SealedCollection]: readonly SealedField<DocOf<N>>[]
} & { readonly state: readonly SealedField<StateDoc>[] } = {
  authenticators: [{ path: 'secret', purpose: ({ _id }) => sealedFor.authenticator(_id) }],
  certificates: [
    { path: 'issued.key', purpose: ({ _id }) => sealedFor.certificate(_id) },
    { path: 'order.key', purpose: ({ _id }) => sealedFor.certificate(_id) },
  ],
  domainClaims: [dkim, backend],
  domains: [dkim, backend],
  idempotency: [{ path: 'body', purpose: constant(sealedFor.idempotency) }],
  oauthArtifacts: [{ path: 'sealed', purpose: constant(sealedFor.oauth) }],
  // Among the values in `state`, only the sealed ones are binary themselves.
  state: [{ path: 'value', purpose: constant(sealedFor.acmeAccount) }],
  webhooks: [
    { path: 'secret', purpose: constant(sealedFor.webhook) },
    { path: 'previousSecret', purpose: constant(sealedFor.webhook) },
  ],
  zoneKeys: [
    { path: 'privateKey', purpose: ({ _id }) => sealedFor.zoneKey(_id) },
    { path: 'next.privateKey', purpose: ({ _id }) => sealedFor.zoneKey(_id) },
  ],
}

/** Sealed bytes in the form that documents store. */
export const toSealed = (bytes: Uint8Array): Sealed => toBinary(bytes) as Sealed
