/** Documents of sending: accepted sends, outbox rows, lanes, templates, batches and more. Times are Dates (UTC). */
import type { ApprovalStatus } from '../../schemas/approvals.ts'
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
  /** The last status for which an event was recorded; null before the first. */
  readonly announced: DeliveryStatus | null
  /** Set when the mail or its sender was refused regardless of the recipient, which says nothing about this address. */
  readonly ofMail?: true
}

/** One accepted send with all its recipients. Inserting this document is the commit point of sending. */
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
  /** The ids of the Sent copy and of its thread; null when no copy is kept. */
  readonly messageId: string | null
  readonly threadId: string | null
  /** The ids of the Sent copy that callers were given before the send was moved to another time. They lead to the copy. */
  readonly formerMessageIds?: readonly string[]
  /** Set when the mail program appended the Sent copy before the send was committed, so that none is written. */
  readonly hasBroughtCopy?: true
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  /** Set for a send with the null sender, such as a receipt (RFC 8098 3): it is relayed with it, so it never bounces. */
  readonly nullSender?: true
  /** How the send was made; absent for an ordinary send by the API or an MCP tool. */
  readonly origin?: 'transactional' | 'batch' | 'submission' | 'auto reply' | 'tls report'
  readonly batchId?: string
  /** For a notice, which the service itself writes (core/send/notice.ts): the address it is for. */
  readonly noticeTo?: string
  /** For a notice about an account: that account, with which the notice is erased. Absent on notices about a person's sign-in. */
  readonly noticeOf?: string
  readonly tags?: readonly string[]
  /** The approval that the send waited for, if any. */
  readonly approvalId?: string
  /** What the send took from the account's allowance when it was accepted, so that it can be given back. */
  readonly taken?: readonly {
    /** The owner whose counters of the day were increased; absent for the counters of the account. */
    readonly owner?: string
    readonly period: UsagePeriod
    readonly counter: string
    readonly by: number
  }[]
  /** The token under which the allowance was taken. */
  readonly takenBy?: string
  readonly createdAt: Date
  /** The time for which the send was scheduled. */
  readonly sendAt?: Date
  /** The same time while the send still waits; absent once it was released or cancelled. */
  readonly scheduledFor?: Date
  /** Set for a scheduled send that was a draft: its text returns to Drafts if the send is cancelled. */
  readonly wasDraft?: true
  /** When the first delivery attempt had an outcome; absent until then. */
  readonly sentAt?: Date
  /** Whether the outbox rows and the Sent copy are written. */
  readonly planned: boolean
  /** Raised by every change, so that a process that settled an older revision does not clear `todoAt`. */
  readonly rev: number
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** When the next derived documents (outbox rows, Sent copy, events) are due to be written; absent when all are. */
  readonly todoAt?: Date
}

/**
 * A send that waits, or waited, for the approval of a person. Its message is composed but not signed. `_id` is derived from the id
 * that the send will have, so that each send waits only once. From the insert of this document on, the send counts as waiting.
 */
export type ApprovalDoc = {
  readonly _id: string
  readonly accountId: string
  /** The id that the send will have once it is approved. */
  readonly emailId: string
  /** The key that asked for the send. */
  readonly keyId: string
  readonly mailboxId: string | null
  readonly mailbox: string | null
  readonly from: Named
  readonly to: readonly Named[]
  readonly cc: readonly Named[]
  readonly bcc: readonly Named[]
  readonly subject: string | null
  /** The recipients of the envelope, in canonical form. */
  readonly recipients: readonly Named[]
  /** The message that it answers or forwards. */
  readonly parentId: string | null
  /** Whether that message is marked as answered when the send is approved. */
  readonly isReply: boolean
  readonly sendAt: Date | null
  readonly keepsCopy: boolean
  readonly origin?: EmailDoc['origin']
  readonly nullSender?: true
  readonly tags?: readonly string[]
  readonly messageIdHeader: string
  readonly references: readonly string[]
  readonly inReplyTo: string | null
  readonly blob: BlobRef
  /** SHA-256 (hex) of the message, its sender, its recipients and its time. It identifies what is approved. */
  readonly hash: string
  /** The message in Drafts and the blob that it had; null without a mailbox. Changing the draft voids the approval. */
  readonly draft: { readonly messageId: string; readonly blobId: string } | null
  readonly status: ApprovalStatus
  readonly createdAt: Date
  /** When a mail program last began to append a copy of the waiting send to Sent; absent when none did. */
  readonly copyBegunAt?: Date
  /** When the approval expires if nobody has decided. */
  readonly expiresAt: Date
  /** Absent while the send waits. */
  readonly decision?: ApprovalDecision
  /**
   * When there is work to do: the approval expires, or the process that was to make the approved send is presumed dead. Absent
   * when nothing is left to do.
   */
  readonly dueAt?: Date
  /** Since when a notification of people has been due; absent once they are notified. */
  readonly untoldSince?: Date
  /** When the document is deleted. */
  readonly removeAt: Date
}

export type ApprovalDecision = {
  /** The person or the key that decided; null for the service. */
  readonly by: string | null
  readonly at: Date
  /** The person's explanation to the agent. */
  readonly reason: string | null
  /** When the send is to leave, if the decision sets a time. */
  readonly sendAt?: Date
}

/**
 * The delivery of one send to one recipient; `_id` is `<em id>#<n>`. A process that claims a row moves `notBefore` to the end
 * of its lease. The document of a finished row is kept for a day, so that settling a send from an old revision cannot queue it
 * again.
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
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** When the row is due; absent once it is finished. */
  readonly notBefore?: Date
  readonly doneAt?: Date
  readonly createdAt: Date
  readonly lease: { readonly owner: string; readonly token: string } | null
  readonly attempts: number
  /** Set before MAIL FROM and cleared by an outcome. After a crash it shows which mail may have been delivered. */
  readonly attempting: boolean
  /** Set for a TLS report, which is delivered whatever the state of TLS at the recipient (RFC 8460 3). */
  readonly anyTls?: true
}

/** An account that has outbox rows: its first row is due at `dueAt`, or the lane is claimed until then under `token`. */
export type LaneDoc = { readonly _id: string; readonly dueAt: Date; readonly token?: string }

/** The MTA-STS policy of a recipient domain (RFC 8461). `_id` is the domain. */
export type StsPolicyDoc = {
  readonly _id: string
  /** The id of this version of the policy, from the domain's DNS record. */
  readonly policyId: string
  readonly mode: 'enforce' | 'testing' | 'none'
  /** Names of the domain's mail servers, or patterns that begin with `*.`. */
  readonly servers: readonly string[]
  readonly fetchedAt: Date
  readonly expiresAt: Date
}

/** An address to which an account, or a part of it, no longer sends. `_id` is `<account id>:<address>`. */
export type SuppressionDoc = {
  readonly _id: string
  readonly accountId: string
  readonly email: string
  readonly reason: SuppressionReason
  /** The remote server's answer or the report, verbatim; null when a person added the address. */
  readonly detail: string | null
  readonly at: Date
  /** For entries added by agent keys: the mailboxes and keys whose mail they apply to. Absent: they apply to all of the account's mail. */
  readonly only?: { readonly mailboxIds: readonly string[]; readonly keyIds: readonly string[] }
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

/**
 * One accepted batch. Inserting this document is the commit point of all its sends, which are then made one by one at the
 * rate of the plan.
 */
export type BatchDoc = {
  readonly _id: string
  readonly accountId: string
  readonly mailboxId: string
  readonly keyId: string
  readonly idempotencyKey: string
  /** SHA-256 of the request, which tells a repeated request from a different one under the same key. */
  readonly fingerprint: string
  readonly from: Named
  readonly subject: string
  readonly text: string | null
  readonly html: string | null
  readonly recipients: readonly BatchRecipient[]
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** The token under which the batch's allowance was taken. */
  readonly takenBy: string
  /** What was taken for the recipients that were to get a mail, one unit each; absent in batches from versions that did not record it. */
  readonly taken?: EmailDoc['taken']
  readonly createdAt: Date
  /** How many recipients were handled, in order: each of these has its send or its failure. */
  readonly done: number
  /** When the next sends are made; absent when there are no more: all recipients were handled, or the mailbox was deleted. */
  readonly nextAt?: Date
  readonly expiresAt: Date
}

export type BatchRecipient = {
  readonly email: string
  readonly fields: { readonly [name: string]: string }
  /** Why the recipient gets no send; null when it gets one. */
  readonly failed: string | null
}
