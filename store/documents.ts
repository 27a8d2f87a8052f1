/** What one document of each collection holds. Field names are ours; times are Dates (UTC), sizes bytes. */
import type { Binary } from 'mongodb'
import type { Plans } from '../schemas/plans.ts'
import type { KeyKind, Scope } from '../schemas/scopes.ts'

export type Named = { readonly name: string; readonly address: string }

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
  /** Events below this number are gone (30 days): a new one is always above it. */
  readonly eventSeqFloor: number
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

/** Every address that can receive; `_id` is the canonical address. */
export type AddressDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly kind: 'mailbox' | 'alias' | 'catchAll'
  readonly domain: string
  /** Set while the address is only reserved: its mailbox was deleted. */
  readonly releasedAt: Date | null
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

export type AutoReply = {
  readonly enabled: boolean
  readonly subject: string
  readonly text: string
  readonly until: Date | null
}

export type MailboxDoc = {
  readonly _id: string
  readonly accountId: string
  readonly address: string
  readonly domain: string
  readonly kind: 'agent' | 'person'
  readonly displayName: string | null
  readonly signature: string | null
  readonly autoReply: AutoReply | null
  readonly createdAt: Date
  /** Key id; null when an administrator made it. */
  readonly createdBy: string | null
  /** Absent while it lives; its mail is purged 30 days later. */
  readonly deletedAt?: Date
}

export const folderRoles = ['inbox', 'sent', 'drafts', 'trash', 'spam', 'archive'] as const
export type FolderRole = (typeof folderRoles)[number]

export type Reservation = { readonly token: string; readonly uid: number; readonly modseq: number; readonly at: Date }

/**
 * A folder and the numbers it hands out. `open` names the reservations whose messages are not yet written: readers by UID
 * show only what lies below the lowest one, so nobody sees n+1 and then misses n.
 */
export type FolderDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly path: string
  readonly role: FolderRole | null
  readonly uidValidity: number
  readonly uidNext: number
  readonly highestModseq: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
  readonly open: readonly Reservation[]
}

export type AttachmentDoc = {
  /** Path of the part in the MIME tree, such as `2.1`. */
  readonly partId: string
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly inline: boolean
  readonly contentId: string | null
}

export type BlobRef = { readonly id: string; readonly chunks: number; readonly sizeBytes: number }

export type MessageDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  /** The mailbox's address, which never changes. */
  readonly mailbox: string
  readonly folderId: string
  readonly uid: number
  readonly modseq: number
  readonly threadId: string
  readonly receivedAt: Date
  readonly from: Named | null
  readonly to: readonly Named[]
  readonly cc: readonly Named[]
  readonly bcc: readonly Named[]
  readonly replyTo: readonly Named[]
  readonly subject: string | null
  readonly snippet: string | null
  readonly date: Date | null
  /** Message-ID without brackets; absent when the message has none. */
  readonly messageIdHeader?: string
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  /** Absent without any, so that only labelled messages are in the index of labels. */
  readonly labels?: readonly string[]
  readonly attachments: readonly AttachmentDoc[]
  readonly encrypted: 'pgp' | 'smime' | null
  readonly sizeBytes: number
  readonly blob: BlobRef
  /** Our Return-Path and Received, kept beside the raw bytes. */
  readonly trace: string
  /** Address it came to, plus tag and all. */
  readonly deliveredTo: string | null
  /** SHA-256 of reverse-path and raw bytes; SMTP arrivals only. */
  readonly fingerprint?: Binary
  /** The send it is the Sent copy of. */
  readonly emailId?: string
  /** Where it was before it went to Trash. */
  readonly deletedFrom?: string
}

export type BlobDoc = {
  /** `<blob id>#<n>`. */
  readonly _id: string
  readonly createdAt: Date
  /** How many messages use the blob; on chunk 0 only. */
  readonly refs?: number
  readonly zstd: boolean
  readonly data: Binary
}

export type DeliveryStatus = 'queued' | 'sent' | 'delivered' | 'bounced' | 'complained' | 'failed'

export type EmailRecipient = {
  readonly email: string
  readonly status: DeliveryStatus
  readonly reason: string | null
  readonly at: Date
  readonly mx: string | null
  readonly response: string | null
  readonly tls: boolean | null
  readonly attempts: number
  /** The status whose event is out already; null before the first. */
  readonly announced: DeliveryStatus | null
}

/** One accepted send with all its recipients: the commit point of sending. */
export type EmailDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string | null
  readonly mailbox: string | null
  readonly keyId: string | null
  readonly from: Named
  readonly to: readonly Named[]
  readonly cc: readonly Named[]
  readonly bcc: readonly Named[]
  readonly subject: string | null
  readonly messageIdHeader: string
  readonly recipients: readonly EmailRecipient[]
  readonly blob: BlobRef
  /** Id of the Sent copy and its thread; null for senders that keep none. */
  readonly messageId: string | null
  readonly threadId: string | null
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  readonly createdAt: Date
  /** When the outbound engine took it first; absent until then. */
  readonly sentAt?: Date
  /** Whether outbox rows and Sent copy are written. */
  readonly planned: boolean
  /** Raised by every change, so that a settling of an older state does not clear `todoAt`. */
  readonly rev: number
  /** When something derived from this document is due to be written; absent when all is. */
  readonly todoAt?: Date
}

/**
 * One recipient of one send, `_id` = `<em id>#<n>`. A claim moves `notBefore` to the lease's end. One that is done with keeps
 * its document for a day, so that a send settled from an old state cannot queue it again.
 */
export type OutboxDoc = {
  readonly _id: string
  readonly accountId: string
  readonly emailId: string
  readonly n: number
  readonly sender: string
  readonly recipient: string
  readonly messageIdHeader: string
  readonly blob: BlobRef
  /** Absent once it is done with. */
  readonly notBefore?: Date
  readonly doneAt?: Date
  readonly createdAt: Date
  readonly lease: { readonly owner: string; readonly token: string } | null
  readonly attempts: number
  /** Set before MAIL FROM, cleared by an outcome: after a crash it says which mail was perhaps delivered. */
  readonly attempting: boolean
}

/** One account with due mail. */
export type LaneDoc = { readonly _id: string; readonly dueAt: Date; readonly rev: number }

/** Counters of an account (or of a network, for signups) in a calendar period (UTC), `_id` = `<owner>:<period>`. */
export type UsageDoc = {
  readonly _id: string
  readonly expiresAt: Date
  readonly counts: { readonly [counter: string]: number }
}

export type EventDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  readonly type: string
  readonly createdAt: Date
  /** Address and domain the event is about, for narrowing; null for account events. */
  readonly mailbox: string | null
  readonly mailboxId: string | null
  readonly domain: string | null
  /** In wire form: what a webhook sends is what the events list shows. */
  readonly data: { readonly [field: string]: unknown }
}

export type WebhookDoc = {
  readonly _id: string
  readonly accountId: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: { readonly domains: readonly string[]; readonly mailboxes: readonly string[] }
  readonly enabled: boolean
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly secret: Binary
  readonly createdAt: Date
  readonly keyId: string
  /** The agent key whose reach it follows; null: the whole account. */
  readonly agentKeyId: string | null
  /** First failure since the last success. */
  readonly failingSince: Date | null
}

export type DeliveryAttempt = {
  readonly at: Date
  readonly status: number | null
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
}

/** One event for one endpoint, with its attempts. A claim moves `nextAt` to the lease's end. */
export type DeliveryDoc = {
  readonly _id: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  readonly mailboxId: string | null
  readonly body: string
  readonly state: 'waiting' | 'delivered' | 'failed' | 'skipped'
  readonly createdAt: Date
  readonly firstAt: Date | null
  /** Absent when no attempt is to come. */
  readonly nextAt?: Date
  readonly lease: string | null
  readonly attempts: readonly DeliveryAttempt[]
}

export type ContactDoc = {
  /** `<mailbox id>:<address>`. */
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly address: string
  readonly name: string
  readonly lastSeenAt: Date
  readonly sent: number
  readonly received: number
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

/** A note that something changed: `_id.n` counts without a gap within one writer. */
export type ChangeDoc = {
  readonly _id: { readonly w: string; readonly n: number }
  readonly at: Date
  readonly note: ChangeNote
}

export type ChangeNote =
  | { readonly kind: 'messages'; readonly ids: readonly string[] }
  | { readonly kind: 'email'; readonly accountId: string; readonly emailId: string }
  | { readonly kind: 'due'; readonly accountIds: readonly string[] }
  | { readonly kind: 'address'; readonly addresses: readonly string[] }
  | { readonly kind: 'folders'; readonly mailboxId: string }
  | { readonly kind: 'webhooks'; readonly accountIds: readonly string[] }

/** Small durable facts of the service itself: schema versions, watermarks. */
export type StateDoc = { readonly _id: string; readonly value: unknown }
