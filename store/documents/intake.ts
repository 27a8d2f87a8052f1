/** Documents of Intake: what it is told to do with a mailbox, and what it made of each mail. Times are Dates (UTC), sizes are bytes. */
import type { IntakeRetention, LensAnswer, LensField } from '../../schemas/intake.ts'
import type { AttachmentDoc, MessageDoc } from './mail.ts'

export type IntakeDelivery =
  | { readonly type: 'api' }
  /** `isOwn`: the endpoint was made for this mailbox, and goes when it is not delivered to any more. */
  | { readonly type: 'webhook'; readonly webhookId: string; readonly isOwn: boolean }

export type IntakeLens = {
  readonly enabled: boolean
  /** Whether values may stand in quoted history. */
  readonly quoted: boolean
  readonly fields: readonly LensField[]
}

/** The configuration of a mailbox that is watched. Its id is that of the mailbox. */
export type IntakeDoc = {
  readonly _id: string
  readonly accountId: string
  /** The mailbox's address, which never changes. */
  readonly mailbox: string
  readonly delivery: IntakeDelivery
  readonly lens: IntakeLens
  readonly retention: IntakeRetention
  /** Mail that arrived from then on gets a record. */
  readonly createdAt: Date
  /** When its records are looked at next: some may have been kept for long enough. */
  readonly checkAt: Date
  /** Set when it was deleted: nothing is made any more, and its records go. */
  readonly endedAt?: Date
  /** Records that are read once more by Lens; absent when none are left. */
  readonly backfill?: IntakeBackfill
}

/** How far a backfill is: records with lower ids than `before` are left. `dueAt`: when a process may go on with it. */
export type IntakeBackfill = { readonly before: string; readonly dueAt: Date }

/** An attachment, and once the record is made what was read in it; null: nothing. */
export type IntakeAttachment = AttachmentDoc & {
  readonly text: string | null
  readonly hidden: readonly { readonly kind: string; readonly excerpt: string }[]
}

/** What Lens answered, by the keys of the fields. `of` identifies what it was asked for. */
export type IntakeAnswer = {
  readonly of: string
  readonly engine: LensAnswer['lens_engine']
  readonly values: LensAnswer['lens']
  readonly evidence: LensAnswer['lens_evidence']
}

/**
 * One mail as Intake made it. The document is inserted, due, before it is made, and keeps what the message document says;
 * it is a user of the message's blob, so that its files are there when the message is gone.
 */
export type IntakeRecordDoc = Pick<
  MessageDoc,
  | 'accountId'
  | 'mailboxId'
  | 'mailbox'
  | 'threadId'
  | 'receivedAt'
  | 'from'
  | 'authorName'
  | 'to'
  | 'cc'
  | 'replyTo'
  | 'subject'
  | 'blob'
  | 'trust'
  | 'traceparent'
> & {
  readonly _id: string
  readonly messageId: string
  /** Whether the message came into Spam. */
  readonly spam: boolean
  /** For the mail of the set-up test. */
  readonly test: boolean
  readonly attachments: readonly IntakeAttachment[]
  /** Part of the links to its files: with another one they are dead. */
  readonly linkKey: string
  /** While it is not made and told: when another process may do it, the token of the one that does, and how often it was begun. */
  readonly dueAt?: Date
  readonly lease?: string
  readonly tries?: number
  /** When it was made; absent before. */
  readonly madeAt?: Date
  readonly content?: {
    readonly text: string
    readonly html: string
    readonly reply: string
    readonly headers: { readonly [name: string]: string | null }
  }
  /** Absent when Lens is off or did not run. */
  readonly lens?: IntakeAnswer
}
