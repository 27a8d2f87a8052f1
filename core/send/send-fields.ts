/** The fields stored of a send, whether it is committed or waits for approval. */
import type { MailboxDoc, MessageDoc, Named } from '../../store/documents/mail.ts'
import type { ApprovalDoc, EmailDoc } from '../../store/documents/sending.ts'
import type { SendInput } from './content.ts'

/** In-Reply-To and References of a message. */
export type ThreadFields = { readonly inReplyTo: string | null; readonly references: readonly string[] }

/** A composed message. */
export type Composed = ThreadFields & { readonly raw: Buffer; readonly messageIdHeader: string }

export type DescribedSend = {
  /** Null for a transactional send from an address without a mailbox. */
  readonly mailbox: MailboxDoc | null
  /** The message that the send answers or forwards. */
  readonly parent: MessageDoc | null
  readonly from: Named
  readonly input: SendInput
  readonly origin?: EmailDoc['origin']
  readonly nullSender?: boolean
  readonly tags?: readonly string[]
}

/** The fields that the documents of sends and of approvals share. */
export type SendFields = Pick<EmailDoc & ApprovalDoc, Exclude<keyof EmailDoc & keyof ApprovalDoc, OwnField>>
/** Fields that have the same name in both documents but hold values of their own. */
type OwnField = '_id' | 'accountId' | 'keyId' | 'recipients' | 'blob' | 'sendAt' | 'createdAt'

export function sendFields(
  { mailbox, from, input, origin, nullSender, tags }: DescribedSend,
  { messageIdHeader, inReplyTo, references }: Omit<Composed, 'raw'>,
): SendFields {
  return {
    mailboxId: mailbox?._id ?? null,
    mailbox: mailbox?.address ?? null,
    from,
    to: input.to ?? [],
    cc: input.cc ?? [],
    bcc: input.bcc ?? [],
    subject: input.subject ?? null,
    inReplyTo,
    ...(origin !== undefined && { origin }),
    ...(nullSender === true && { nullSender }),
    ...(tags !== undefined && { tags }),
    messageIdHeader,
    references,
  }
}
