/**
 * Documents of accounts and keys, of usage counters, idempotency and audit. Times are Dates (UTC), sizes are bytes.
 */
import type { Binary } from 'mongodb'
import type { Plans } from '../../schemas/plans.ts'
import type { KeyKind, Scope } from '../../schemas/scopes.ts'
import type { MemberDoc } from './people.ts'
import type { SealedText } from './sealed.ts'

export type AccountDoc = Plans & {
  readonly _id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'removed' | 'moved'
  readonly sandbox: boolean
  /** Of a sandbox: the account that it belongs to. */
  readonly sandboxOf?: string
  /** Of a sandbox whose test clock was moved: how far it is ahead, and when it was moved last. */
  readonly clockAheadMs?: number
  readonly clockMovedAt?: Date
  readonly createdAt: Date
  /** While the account is unclaimed: when it will be removed, and the SHA-256 of its only valid claim token. */
  readonly claimExpiresAt?: Date
  readonly claimHash?: Binary
  readonly owner: string | null
  /** Absent before the first. */
  readonly members?: readonly MemberDoc[]
  /** For an account that was claimed into another: which, since when it moves until it is complete, and its mailboxes. */
  readonly movedTo?: string
  readonly movingSince?: Date
  /** The person who claimed it, and from which network address, until the move is complete. */
  readonly movedBy?: { readonly personId: string; readonly address: string }
  readonly movedMailboxes?: readonly string[]
  /** The accounts that were claimed into this one. */
  readonly joined?: readonly string[]
  /** Of a partner: it has customers, and neither mailboxes nor keys of its own but those of the partner API. */
  readonly isPartner?: true
  /** How many customers a partner has. */
  readonly customers?: number
  /** Of a customer: the account of its partner. */
  readonly partnerId?: string
  /** Of a customer: what was changed of it without its event being known to be recorded. */
  readonly customerChanges?: readonly CustomerChange[]
  /** How many mailboxes the account has. Raised only while it is below the plan's limit. */
  readonly inboxes: number
  readonly webhooks: number
  readonly templates?: number
  readonly aliases?: number
  /** Keys and app passwords that are not revoked. */
  readonly keys?: number
  readonly ownDomains?: number
  /** Event numbers continue above this one when all events of the account have expired (after 30 days). */
  readonly eventSeqFloor: number
  /** For accounts made by signup: how many sends a day are allowed, as of the last day with sends. */
  readonly warmUp?: { readonly day: string; readonly volume: number }
  /** Whether what its agents send waits for the approval of a person; absent when it does not. */
  readonly approval?: 'required'
  /** When its people were last told of sends that wait for their approval. */
  readonly approvalsToldAt?: Date
  /** When an administrator verified the owner's phone number. */
  readonly phoneVerifiedAt?: Date
  /** When sending was last resumed after a pause. Delivery outcomes of earlier days no longer count against the account. */
  readonly resumedAt?: Date
  /** What had been counted of that day until then, by counter: it no longer counts either. */
  readonly forgiven?: { readonly [counter: string]: number }
  /** What holds the account, by whom it was set: the service or an administrator, its partner, an administrator. */
  readonly sendingPaused: Hold | null
  /** Pauses of sending, and their ends, whose event is not known to be recorded. */
  readonly pauseChanges?: readonly PauseChange[]
  readonly paused?: Hold | null
  readonly suspended?: Hold | null
  /** Since when the account is being erased; absent before, and when nothing is left of it. */
  readonly erasing?: Date
}

export type Hold = { readonly reason: string; readonly at: Date }
export type PauseChange = Hold & { readonly to: 'paused' | 'resumed' }

/** A change of a customer that its partner is told of: the id of its event, and the customer as it was made by it, in wire form. */
export type CustomerChange = {
  readonly eventId: string
  readonly type: 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed'
  readonly at: Date
  readonly data: { readonly [field: string]: unknown }
}

/** An export of an account's data: one zip file, made by whichever process takes it on, and kept for a day. */
export type ExportDoc = {
  readonly _id: string
  readonly accountId: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly createdAt: Date
  /** When a process takes it on; a process that makes it moves it to the end of its lease. Absent when it has ended. */
  readonly dueAt?: Date
  readonly token?: string
  readonly tries: number
  /** How many documents were written, of how many there were at the beginning. */
  readonly written: number
  readonly total: number
  readonly chunks: number
  readonly sizeBytes: number
  readonly expiresAt: Date
}

/** A piece of an export's file. `_id` is `<export id>#<try>#<n>`. */
export type ExportChunkDoc = { readonly _id: string; readonly data: Binary; readonly expiresAt: Date }

export type KeyDoc = {
  readonly _id: string
  readonly accountId: string
  /** The account for which it was made, when that was claimed into this one: there lie its idempotency marks. */
  readonly movedFrom?: string
  /** SHA-256 of the whole key. */
  readonly hash: Binary
  /** What the key begins with, which says what it is for; absent in keys of versions that did not note it. */
  readonly prefix?: string
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Ids of the mailboxes that the key created or was granted; null: all mailboxes of the account. */
  readonly mailboxIds: readonly string[] | null
  /** Whether what it sends waits for the approval of a person; absent when it does not. */
  readonly approval?: 'required'
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** When and from which network address it was used last; absent until then. */
  readonly lastUsed?: { readonly at: Date; readonly address: string }
  /** Of a grant: no credential has its hash, and access tokens act with it. */
  readonly program?: ProgramDoc
  /** Of an app password that a person made: it does what the person's role still allows, and ends with the membership. */
  readonly personId?: string
  /** Of a customer's key that its partner made and holds: what it reads is in the customer's audit. */
  readonly heldBy?: 'partner'
}

/** What a person let a program do by OAuth, and which one. `name` of the key is what the program calls itself. */
export type ProgramDoc = {
  readonly personId: string
  readonly clientId: string
  /** Where it gets its answers, as the person was shown it: a host, or the scheme of a program. */
  readonly redirectsTo: string
  /** The only audience of its tokens (RFC 8707). */
  readonly resource: string
}

/**
 * The counters of an owner in one calendar period (UTC): a month with its days, an hour or a minute; or a day for the figures of
 * a mailbox. `_id` is `<owner>:<period>`. The owner is an account, a part of one (`<account id>:<key id>`), so that an erasure
 * finds them all, or a network, for signups.
 */
export type UsageDoc = {
  readonly _id: string
  readonly expiresAt: Date
  /** Those of the days of a month stand in a field for each, `d01` to `d31`. */
  readonly counts: { readonly [counter: string]: number | { readonly [counter: string]: number } }
  /** Takes for sends and batches that are not yet known to be committed. */
  readonly open?: readonly OpenTake[]
  /** What a limit over a rolling window granted within the last window, in no order. */
  readonly granted?: readonly Grant[]
}

/** One grant of a rolling limit. */
export type Grant = { readonly token: string; readonly at: Date }

/**
 * An amount that was taken from a counter for a send or batch that may not be committed yet. The committed document keeps
 * `token` as `takenBy`.
 */
export type OpenTake = {
  readonly token: string
  /** The id of the send or batch. */
  readonly purpose: string
  readonly counter: string
  readonly by: number
  readonly at: Date
}

/** What of the requests of a caller in a minute was given out (core/access/request-rates.ts). `_id` is `<caller> <minute>`. */
export type RequestRateDoc = {
  readonly _id: string
  readonly given: number
  /** The part of it that each share of a process was given, by the token of the share. */
  readonly shares: { readonly [token: string]: number }
  readonly expiresAt: Date
}

export type IdempotencyDoc = {
  /** SHA-256 of the account, the path and the Idempotency-Key. */
  readonly _id: string
  readonly accountId: string
  /** The key that made the latest try; absent in marks of versions that did not note it. */
  readonly keyId?: string
  /** Of a partner's request: the customer that it is about (cus_...), whose erasure empties the mark. */
  readonly customerId?: string
  /** Empty when it is erased: it would tell whoever guesses what was asked. */
  readonly fingerprint: string
  /** `erased`: of a customer that is gone. What a repeat made would be another. */
  readonly state: 'running' | 'done' | 'erased'
  readonly owner: string
  /**
   * Chosen by the first try and kept by every try that takes over. The ids of what the request creates are derived from it.
   */
  readonly onceId: string
  readonly startedAt: Date
  readonly status?: number
  /** Sealed by who answered it, or an id, which tells nothing. */
  readonly body?: SealedText
  readonly expiresAt: Date
}

export type AuditDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  readonly at: Date
  /** Of the key, or of the person (usr_...), that asked; null when nobody is known to have. */
  readonly keyId: string | null
  /** The person whose session it was; absent for others. */
  readonly userId?: string
  readonly action: string
  readonly outcome: string
  readonly requestId: string
  /** Null when the person was erased, as the salt of its digest. */
  readonly personal: AuditPersonal | null
  readonly salt: string | null
  /** SHA-256 of the salt, key, person, request and `personal`: all names that the hash covers. */
  readonly personalDigest: string
  readonly previousHash: string
  readonly hash: string
}

/** The part of an audit entry that may tell of a person. */
export type AuditPersonal = {
  readonly target: string | null
  readonly address: string | null
  /** Of what one may want to take back. */
  readonly change?: AuditChange
}

/** What was changed, as callers see it: null before it was made, and after it is gone. */
export type AuditChange = { readonly before: AuditedThing | null; readonly after: AuditedThing | null }
type AuditedThing = { readonly [field: string]: unknown }

/** Failed logins of a host, a network or a login name. They are counted, or the caller is refused, until `expiresAt`. */
export type FailedLoginsDoc = { readonly _id: string; readonly count: number; readonly expiresAt: Date }
