/** Documents of what is sent: the accepted send, its rows in the outbox, the lanes. Times are Dates (UTC). */
import type { BlobRef, Named } from './mail.ts'

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
