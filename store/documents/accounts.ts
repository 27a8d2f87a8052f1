/** Documents of accounts, keys and domains, and what is counted and noted of them. Times are Dates (UTC), sizes bytes. */
import type { Binary } from 'mongodb'
import type { Plans } from '../../schemas/plans.ts'
import type { KeyKind, Scope } from '../../schemas/scopes.ts'

export type AccountDoc = Plans & {
  readonly _id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'paused' | 'suspended' | 'removed'
  readonly sandbox: boolean
  readonly createdAt: Date
  /** While unclaimed: when the account is removed, and the SHA-256 of the one valid claim token. */
  readonly claimExpiresAt?: Date
  readonly claimHash?: Binary
  readonly owner: string | null
  /** Mailboxes it has: raised only while below the plan's count. */
  readonly inboxes: number
  readonly webhooks: number
  readonly templates?: number
  readonly aliases?: number
  /** Events below this number are gone (30 days): a new one is always above it. */
  readonly eventSeqFloor: number
  /** Of an account that signed up: how many sends it has on a day, as of the last day with sends. */
  readonly warmUp?: { readonly day: string; readonly volume: number }
  /** When an administrator found the phone number of its owner to be right. */
  readonly phoneVerifiedAt?: Date
  /** When sending was last resumed: outcomes of earlier days no longer count. */
  readonly resumedAt?: Date
  readonly sendingPaused: { readonly reason: string; readonly at: Date } | null
}

export type KeyDoc = {
  readonly _id: string
  readonly accountId: string
  /** SHA-256 of the whole key. */
  readonly hash: Binary
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Mailbox ids the key made or was granted; null: the whole account. */
  readonly mailboxIds: readonly string[] | null
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
}

export type DkimKey = {
  readonly selector: string
  readonly algorithm: 'rsa' | 'ed25519'
  readonly privateKey: Binary
  readonly publicRecord: string
}

export type DomainDoc = {
  /** The domain as A-label, lower-case. */
  readonly _id: string
  /** null: the service's own shared domain. */
  readonly accountId: string | null
  /** A sub-domain of the shared domain signs with its parent's keys. */
  readonly parent: string | null
  readonly status: 'pending' | 'verified' | 'broken' | 'removed'
  readonly verifiedAt: Date | null
  readonly dkim: readonly DkimKey[]
  readonly defaultDisplayName: string | null
  readonly createdAt: Date
}

/** Counters of an account (or of a network, for signups) in a calendar period (UTC), `_id` = `<owner>:<period>`. */
export type UsageDoc = {
  readonly _id: string
  readonly expiresAt: Date
  readonly counts: { readonly [counter: string]: number }
  /** What was taken for something that is not yet known to be there. */
  readonly open?: readonly OpenTake[]
}

/** A take that is open: what it is for notes `token` as `takenBy` when it is committed. */
export type OpenTake = {
  readonly token: string
  /** Id of the send or batch. */
  readonly purpose: string
  readonly counter: string
  readonly by: number
  readonly at: Date
}

export type IdempotencyDoc = {
  /** SHA-256 of account, path and key. */
  readonly _id: string
  readonly accountId: string
  readonly fingerprint: string
  readonly state: 'running' | 'done'
  readonly owner: string
  /** Made by the first try and kept by those that take over: ids of what the request makes are derived from it. */
  readonly onceId: string
  readonly startedAt: Date
  readonly status?: number
  readonly body?: string
  readonly expiresAt: Date
}

export type AuditDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  readonly at: Date
  readonly keyId: string | null
  readonly action: string
  readonly target: string | null
  readonly outcome: string
  readonly address: string | null
  readonly requestId: string
  readonly previousHash: string
  readonly hash: string
}
