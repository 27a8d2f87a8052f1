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
  /** Set where the mail or its sender was refused, whoever was to get it: that says nothing of the address. */
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
  /** Set when the mail program had brought the Sent copy before the send was committed: none is written. */
  readonly hasBroughtCopy?: true
  readonly inReplyTo: string | null
  readonly references: readonly string[]
  /** Set for what was submitted with the null sender, as a receipt is (RFC 8098 3): it goes on with that, and nothing comes back. */
  readonly nullSender?: true
  /** How the send was made; absent for an ordinary send by the API or an MCP tool. */
  readonly origin?: 'transactional' | 'batch' | 'submission' | 'auto reply' | 'tls report'
  readonly batchId?: string
  /** Of a notice, which the service itself writes (core/send/notice.ts): to whom. */
  readonly noticeTo?: string
  /** The account that it tells of, with which it is erased; absent when it tells a person of the own sign-in. */
  readonly noticeOf?: string
  readonly tags?: readonly string[]
  /** The approval of a person that it waited for, if it did. */
  readonly approvalId?: string
  /** What the send took from the account's allowance when it was accepted, so that it can be given back. */
  readonly taken?: readonly {
    /** Whose figures of the day were counted; absent for the counters of the account. */
    readonly owner?: string
    readonly period: UsagePeriod
    readonly counter: string
    readonly by: number
  }[]
  /** The token under which it was taken. */
  readonly takenBy?: string
  readonly createdAt: Date
  /** The time for which the send was scheduled. */
  readonly sendAt?: Date
  /** The same time while the send still waits; absent once it was released or cancelled. */
  readonly scheduledFor?: Date
  /** Set where it is scheduled and lay in Drafts: its text comes back there when the send is cancelled. */
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
 * A send that waits for the approval of a person, or waited; its message is composed and not signed yet. `_id` is derived from
 * the id that the send will have, so that one send waits once. Inserting this document is the commit point of the waiting.
 */
export type ApprovalDoc = {
  readonly _id: string
  readonly accountId: string
  /** The id that the send has when it is approved. */
  readonly emailId: string
  /** Of the key that asks. */
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
  /** SHA-256 (hex) over the message, its sender, its recipients and its time: what is approved. */
  readonly hash: string
  /** The message in Drafts, with the blob that it had then; null without a mailbox. A changed one voids the approval. */
  readonly draft: { readonly messageId: string; readonly blobId: string } | null
  readonly status: ApprovalStatus
  readonly createdAt: Date
  /** When a mail program last began to bring its copy to Sent while it waited; absent when none did. */
  readonly copyBegunAt?: Date
  /** When it expires if nobody has decided. */
  readonly expiresAt: Date
  /** Absent while it waits. */
  readonly decision?: ApprovalDecision
  /**
   * When there is something to do: it expires, or the process that was to make the approved send is taken for dead. Absent
   * when all is done.
   */
  readonly dueAt?: Date
  /** Since when people are to be told of it; absent once they are. */
  readonly untoldSince?: Date
  /** When the document goes. */
  readonly removeAt: Date
}

export type ApprovalDecision = {
  /** The person or the key that decided; null for the service. */
  readonly by: string | null
  readonly at: Date
  /** What the person writes to the agent. */
  readonly reason: string | null
  /** When it is sent, where who decided gave it a time. */
  readonly sendAt?: Date
}

/**
 * The delivery of one send to one recipient; `_id` is `<em id>#<n>`. A process that claims a row moves `notBefore` to the end
 * of its lease. A finished row keeps its document for a day, so that a send that is settled from an old revision cannot queue
 * it again.
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
  /** Set for a TLS report, which goes whatever TLS the other side has (RFC 8460 3). */
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
  /** Added by agent keys: it holds for mail from these mailboxes, and by these keys. Absent: for all of the account's mail. */
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
  /** What was taken for all recipients who were to get a mail, one for each; absent in batches of versions that did not note it. */
  readonly taken?: EmailDoc['taken']
  readonly createdAt: Date
  /** How many of the recipients were handled: in their order, each has its send or its failure. */
  readonly done: number
  /** When the next sends are made; absent when no more are: all recipients were handled, or the mailbox is gone. */
  readonly nextAt?: Date
  readonly expiresAt: Date
}

export type BatchRecipient = {
  readonly email: string
  readonly fields: { readonly [name: string]: string }
  /** Why the recipient gets no send; null when it gets one. */
  readonly failed: string | null
}
