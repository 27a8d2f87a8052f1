/** Documents of Intake: the configuration of each watched mailbox, and the record of each mail. Times are Dates (UTC), sizes are bytes. */
import type { IntakeRetention, LensAnswer, LensField } from '../../schemas/intake.ts'
import type { AttachmentDoc, MessageDoc } from './mail.ts'

export type IntakeDelivery =
  | { readonly type: 'api' }
  /** `isOwn`: the endpoint was created for this mailbox, and is deleted once Intake stops delivering to it. */
  | { readonly type: 'webhook'; readonly webhookId: string; readonly isOwn: boolean }

export type IntakeLens = {
  readonly enabled: boolean
  /** Whether values are also looked for in quoted history. */
  readonly quoted: boolean
  readonly fields: readonly LensField[]
}

/** The configuration of a watched mailbox. `_id` is the mailbox's id. */
export type IntakeDoc = {
  readonly _id: string
  readonly accountId: string
  /** The mailbox's address, which never changes. */
  readonly mailbox: string
  readonly delivery: IntakeDelivery
  readonly lens: IntakeLens
  readonly retention: IntakeRetention
  /** Mail that arrives from this time on gets a record. */
  readonly createdAt: Date
  /** When its records are next checked for those whose retention period has ended. */
  readonly checkAt: Date
  /** When the configuration was deleted: no more records are made, and the existing ones are deleted. */
  readonly endedAt?: Date
  /** The records that Lens has yet to read again; absent when none are left. */
  readonly backfill?: IntakeBackfill
}

/** The progress of a backfill: records with ids below `before` are left. `dueAt`: when a process may continue it. */
export type IntakeBackfill = { readonly before: string; readonly dueAt: Date }

/** An attachment. Once the record is made, `text` is the text extracted from it; null if there is none. */
export type IntakeAttachment = AttachmentDoc & {
  readonly text: string | null
  readonly hidden: readonly { readonly kind: string; readonly excerpt: string }[]
}

/** The answer of Lens, by the keys of the fields. `of` identifies the question: the fields that were asked for. */
export type IntakeAnswer = {
  readonly of: string
  readonly engine: LensAnswer['lens_engine']
  readonly values: LensAnswer['lens']
  readonly evidence: LensAnswer['lens_evidence']
}

/**
 * The Intake record of one mail. The document is inserted as due before its content is made, and copies what it needs from the message
 * document. It is a user of the message's blob, so that its files outlive the message.
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
  /** Whether the message was delivered to Spam. */
  readonly spam: boolean
  /** Whether it is the mail of the set-up test. */
  readonly test: boolean
  readonly attachments: readonly IntakeAttachment[]
  /** Part of the links to its files: replacing it invalidates them. */
  readonly linkKey: string
  /**
   * Until the record is made and its event recorded: when another process may take over, the token of the process that works on it, and how
   * often that was begun.
   */
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
