/**
 * Documents of accounts and keys, of usage counters, idempotency and audit. Times are Dates (UTC), sizes are bytes.
 */
import type { Binary } from 'mongodb'
import type { Id } from '../../schemas/ids.ts'
import type { Plans } from '../../schemas/plans.ts'
import type { KeyKind, Scope } from '../../schemas/scopes.ts'
import type { MemberDoc } from './people.ts'
import type { SealedText } from './sealed.ts'

export type AccountDoc = Plans & {
  readonly _id: string
  readonly name: string
  readonly status: 'unclaimed' | 'active' | 'removed' | 'moved'
  readonly sandbox: boolean
  /** For a sandbox: the account that it belongs to. */
  readonly sandboxOf?: string
  /** For a sandbox: set until its domain and its first inbox are made. */
  readonly awaitsInbox?: true
  /** For a sandbox whose test clock was moved: how far the clock is ahead, and when it was last moved. */
  readonly clockAheadMs?: number
  readonly clockMovedAt?: Date
  readonly createdAt: Date
  /** While the account is unclaimed: when it will be removed, and the SHA-256 of its only valid claim token. */
  readonly claimExpiresAt?: Date
  readonly claimHash?: Binary
  readonly owner: string | null
  /** The claim by a person while it is not known to be complete: that person may have been erased at the same moment. */
  readonly claiming?: Claiming
  /** Members who joined and may have been erased at the same moment. */
  readonly joining?: readonly { readonly personId: string; readonly at: Date }[]
  /** Absent until the first member joins. */
  readonly members?: readonly MemberDoc[]
  /**
   * For an account that was claimed into another: that account, when the move began (absent once it is complete), and the mailboxes that
   * it had.
   */
  readonly movedTo?: string
  readonly movingSince?: Date
  /** The person who claimed it and the network address they used; absent once the move is complete. */
  readonly movedBy?: { readonly personId: string; readonly address: string }
  readonly movedMailboxes?: readonly string[]
  /** The accounts that were claimed into this one. */
  readonly joined?: readonly string[]
  /** Set for a partner, which has customers. It has no mailboxes of its own, and no keys except those of the partner API. */
  readonly isPartner?: true
  /** How many customers a partner has. */
  readonly customers?: number
  /** For a customer: the account of its partner. */
  readonly partnerId?: string
  /** For a customer: changes whose events are not known to be recorded yet. */
  readonly customerChanges?: readonly CustomerChange[]
  /** How many mailboxes the account has. Incremented only while it is below the plan's limit. */
  readonly inboxes: number
  readonly webhooks: number
  readonly templates?: number
  readonly aliases?: number
  /** Keys and app passwords that are not revoked. */
  readonly keys?: number
  readonly ownDomains?: number
  /** The number above which event numbers continue once all events of the account have expired (after 30 days). */
  readonly eventSeqFloor: number
  /** For accounts created by sign-up: how many sends per day are allowed, as of the last day with sends. */
  readonly warmUp?: { readonly day: string; readonly volume: number }
  /** Set if what the account's agents send waits for a person's approval. */
  readonly approval?: 'required'
  /** When its people were last notified of sends that wait for their approval. */
  readonly approvalsToldAt?: Date
  /** When an administrator verified the owner's phone number. */
  readonly phoneVerifiedAt?: Date
  /** When sending was last resumed after a pause. Delivery outcomes of earlier days no longer count against the account. */
  readonly resumedAt?: Date
  /** The counts of the day of that resumption up to `resumedAt`, by counter. They no longer count against the account either. */
  readonly forgiven?: { readonly [counter: string]: number }
  /**
   * Holds on the account. `sendingPaused` is set by the service or an administrator, `paused` by the account's partner and `suspended`
   * by an administrator.
   */
  readonly sendingPaused: Hold | null
  /** Pauses and resumptions of sending whose events are not known to be recorded yet. */
  readonly pauseChanges?: readonly PauseChange[]
  readonly paused?: Hold | null
  readonly suspended?: Hold | null
  /** Changes by administrators that are not known to be in the audit yet. */
  readonly administered?: readonly AdministeredChange[]
  /** When the erasure of the account began; absent before that, and again once nothing is left to erase. */
  readonly erasing?: Date
}

/** What is needed to complete a claim, or to undo it. `address`: of the person's network; absent if an administrator claimed it for them. */
export type Claiming = {
  readonly personId: string
  readonly at: Date
  readonly address?: string
  readonly claimHash: Binary
  readonly claimExpiresAt?: Date
}

export type Hold = { readonly reason: string; readonly at: Date }
/** A change of an account by an administrator (`personId`), as the audit is to record it under `auditId`. */
export type AdministeredChange = {
  readonly auditId: Id<'aud'>
  readonly at: Date
  readonly personId: string
  readonly requestId: string
  readonly action: string
  readonly target: string | null
}
export type PauseChange = Hold & { readonly to: 'paused' | 'resumed' }

/** A change of a customer that its partner is notified of: the id of the event, and the customer after the change, in wire form. */
export type CustomerChange = {
  readonly eventId: string
  readonly type: 'customer.created' | 'customer.plan_changed' | 'customer.paused' | 'customer.resumed'
  readonly at: Date
  readonly data: { readonly [field: string]: unknown }
}

/** An export of an account's data: one zip file, written by whichever process claims it, and kept for a day. */
export type ExportDoc = {
  readonly _id: string
  readonly accountId: string
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  readonly createdAt: Date
  /** When a process may claim the export. The process that writes it sets this to the end of its lease. Absent once it has ended. */
  readonly dueAt?: Date
  readonly token?: string
  readonly tries: number
  /** How many of the tries ended because the object store was away. Absent: none. */
  readonly awayTries?: number
  /** How many documents have been written, and how many there were at the beginning. */
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
  /** The account that it was created for, if that was claimed into this one: its idempotency marks are stored under that account. */
  readonly movedFrom?: string
  /** SHA-256 of the whole key. */
  readonly hash: Binary
  /** The beginning of the key, which shows its purpose; absent in keys from versions that did not record it. */
  readonly prefix?: string
  readonly kind: KeyKind
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Ids of the mailboxes that the key created or was granted; null: all mailboxes of the account. */
  readonly mailboxIds: readonly string[] | null
  /** Set if what the key sends waits for a person's approval. */
  readonly approval?: 'required'
  readonly createdAt: Date
  readonly expiresAt: Date | null
  readonly revokedAt: Date | null
  /** When and from which network address the key was last used; absent until its first use. */
  readonly lastUsed?: { readonly at: Date; readonly address: string }
  /** For a grant: no credential has its hash; access tokens act with its rights. */
  readonly program?: ProgramDoc
  /** For an app password created by a person: it is limited to what the person's role allows, and ends with the membership. */
  readonly personId?: string
  /** Set for a customer's key that its partner created and holds: reads with it are recorded in the customer's audit trail. */
  readonly heldBy?: 'partner'
}

/** The program that a person authorized by OAuth. The key's `name` is what the program calls itself. */
export type ProgramDoc = {
  readonly personId: string
  readonly clientId: string
  /** Where the program receives its answers, as shown to the person: a host, or the URI scheme of an app. */
  readonly redirectsTo: string
  /** The only audience of its tokens (RFC 8707). */
  readonly resource: string
}

/**
 * The counters of an owner in one calendar period (UTC): a month with its days, an hour or a minute; for the figures of a mailbox,
 * a day. `_id` is `<owner>:<period>`. The owner is an account, a part of an account (`<account id>:<key id>`, so that an erasure
 * finds them all), or for sign-ups a network.
 */
export type UsageDoc = {
  readonly _id: string
  readonly expiresAt: Date
  /** In a month, each day has its own counters in a field, `d01` to `d31`. */
  readonly counts: { readonly [counter: string]: number | { readonly [counter: string]: number } }
  /** Amounts taken for sends and batches that are not known to be committed yet. */
  readonly open?: readonly OpenTake[]
  /** For a rolling limit: what it granted within the last window, in no particular order. */
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

/** How many of a caller's requests in a minute were leased to processes (core/access/request-rates.ts). `_id` is `<caller> <minute>`. */
export type RequestRateDoc = {
  readonly _id: string
  readonly given: number
  /** How many requests each process's share contains, by the token of the share. */
  readonly shares: { readonly [token: string]: number }
  readonly expiresAt: Date
}

export type IdempotencyDoc = {
  /** SHA-256 of the account, the path and the Idempotency-Key. */
  readonly _id: string
  readonly accountId: string
  /** The key that made the latest try; absent in marks from versions that did not record it. */
  readonly keyId?: string
  /** For a partner's request: the customer that it is about (cus_...). Erasing that customer empties the mark. */
  readonly customerId?: string
  /** Empty once erased, because anyone who guesses the request could confirm the guess with it. */
  readonly fingerprint: string
  /** `erased`: the request was about a customer that was erased. A repeat would create a different one. */
  readonly state: 'running' | 'done' | 'erased'
  readonly owner: string
  /**
   * Chosen by the first try and kept by every try that takes over. The ids of what the request creates are derived from it.
   */
  readonly onceId: string
  readonly startedAt: Date
  readonly status?: number
  /** Sealed by the process that answered, or an id, which reveals nothing. */
  readonly body?: SealedText
  readonly expiresAt: Date
}

export type AuditDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  readonly at: Date
  /** The id of the key or the person (usr_...) that made the request; null when neither is known. */
  readonly keyId: string | null
  /** The person whose session made the request; absent if none did. */
  readonly userId?: string
  readonly action: string
  readonly outcome: string
  readonly requestId: string
  /** Null once the person was erased, as is `salt`. */
  readonly personal: AuditPersonal | null
  readonly salt: string | null
  /** SHA-256 of the salt, key, person, request and `personal`: all names that the hash covers. */
  readonly personalDigest: string
  readonly previousHash: string
  readonly hash: string
}

/** The part of an audit entry that may hold personal data. */
export type AuditPersonal = {
  readonly target: string | null
  readonly address: string | null
  /** Details of an action that the reader may want to undo. */
  readonly change?: AuditChange
}

/** The changed object, as callers see it: `before` is null if it was created, `after` is null if it was deleted. */
export type AuditChange = { readonly before: AuditedThing | null; readonly after: AuditedThing | null }
type AuditedThing = { readonly [field: string]: unknown }

/** Failed logins from a host or a network, or of a login name. Until `expiresAt` they are counted, or the caller is refused. */
export type FailedLoginsDoc = { readonly _id: string; readonly count: number; readonly expiresAt: Date }
