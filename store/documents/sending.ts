/** Documents of what is sent: the accepted send, its rows in the outbox, the lanes. Times are Dates (UTC). */
import type { deliveryStatuses, suppressionReasons } from '../../schemas/sending.ts'
import type { BlobRef, Named } from './mail.ts'

/** The calendar periods (UTC) in which sends are counted. */
export type UsagePeriod = 'month' | 'day' | 'hour' | 'minute'

export type DeliveryStatus = (typeof deliveryStatuses)[number]

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
  /** How it came, when not by a send of the API or a tool. */
  readonly origin?: 'transactional' | 'batch' | 'submission'
  readonly batchId?: string
  readonly tags?: readonly string[]
  /** The allowance it took when it was accepted, for giving it back. */
  readonly taken?: readonly { readonly period: UsagePeriod; readonly counter: string; readonly by: number }[]
  /** The token of that take. */
  readonly takenBy?: string
  readonly createdAt: Date
  /** The time it was asked for. */
  readonly sendAt?: Date
  /** The same while it waits: absent once it is released or cancelled. */
  readonly scheduledFor?: Date
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

/** One account with mail that is due at `dueAt`, or claimed until then under `token`. */
export type LaneDoc = { readonly _id: string; readonly dueAt: Date; readonly token?: string }

/** What a domain asks of who sends to it (RFC 8461); `_id` is the domain. */
export type StsPolicyDoc = {
  readonly _id: string
  /** As its DNS names this version. */
  readonly policyId: string
  readonly mode: 'enforce' | 'testing' | 'none'
  /** Names of its mail servers, or `*.` patterns. */
  readonly servers: readonly string[]
  readonly fetchedAt: Date
  readonly expiresAt: Date
}

/** An address of an account that is not written to any more: `_id` is `<account id>:<address>`. */
export type SuppressionDoc = {
  readonly _id: string
  readonly accountId: string
  readonly email: string
  readonly reason: SuppressionReason
  /** The remote's answer or the report, word for word; null when a person added it. */
  readonly detail: string | null
  readonly at: Date
}
export type SuppressionReason = (typeof suppressionReasons)[number]

export type TemplateDoc = {
  /** `<account id>:<alias>`. */
  readonly _id: string
  readonly accountId: string
  readonly alias: string
  readonly subject: string
  readonly html: string | null
  readonly text: string | null
  readonly status: 'active' | 'paused'
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** One accepted batch: the commit point of all its sends, which are made from it one by one, at the pace of the plan. */
export type BatchDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly keyId: string
  readonly idempotencyKey: string
  /** SHA-256 of the request, to tell a repeat from another one. */
  readonly fingerprint: string
  readonly from: Named
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly recipients: readonly BatchRecipient[]
  /** The token by which its allowance was taken. */
  readonly takenBy: string
  readonly createdAt: Date
  /** How many of the recipients have their send. */
  readonly done: number
  /** When the next are made; absent when all have theirs. */
  readonly nextAt?: Date
  readonly expiresAt: Date
}

export type BatchRecipient = {
  readonly email: string
  readonly fields: { readonly [name: string]: string }
  /** Why it gets no send; null when it does. */
  readonly failed: string | null
}
