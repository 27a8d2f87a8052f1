/** Finds messages for callers, and makes the records that callers see. */
import { noMessage } from '../../schemas/refusals.ts'
import type { AttachmentDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findEmailByMessage } from '../../store/emails.ts'
import * as store from '../../store/messages.ts'
import type { Principal } from '../access/principal.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import type { Context } from '../process/context.ts'
import { perProcess } from '../process/per-process.ts'
import { foldersHolding, foldersIn, type KnownFolder } from './known-folders.ts'
import { reachMailbox } from './mailboxes.ts'

export type Attachment = Omit<AttachmentDoc, 'partId'> & { readonly id: string }

/** The record of a message in lists. */
export type Message = Omit<store.ListedMessage, '_id' | 'folderId' | 'labels' | 'attachments'> & {
  readonly id: string
  readonly folder: string
  readonly labels: readonly string[]
  readonly attachments: readonly Attachment[]
}

/** A message, its mailbox, its folder, and all folders of the mailbox. */
export type ReachedMessage = {
  readonly mailbox: MailboxDoc
  readonly message: MessageDoc
  readonly folder: KnownFolder
  readonly folders: readonly KnownFolder[]
}

const messageLookup = perProcess(() => createBatchedLookup<MessageDoc>())

/** Reads a message of a mailbox that the key may reach. Fails with `mailbox_not_found`, `not_found`. */
export async function reachMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<ReachedMessage> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const [found] = await Promise.all([findOne(ctx, mailbox._id, messageId), foldersIn(ctx, mailbox._id)])
  const message = found ?? (await findMoved(ctx, mailbox, messageId))
  if (message === undefined) throw noMessage(messageId, mailbox.address)
  const folders = await foldersHolding(ctx, mailbox._id, [message])
  const folder = folders.find(({ _id }) => _id === message.folderId)
  if (folder === undefined) throw noMessage(messageId, mailbox.address)
  return { mailbox, message, folder, folders }
}

/** The copy in Sent of a send that was scheduled for another time when `messageId` was given out. */
async function findMoved(ctx: Context, mailbox: MailboxDoc, messageId: string): Promise<MessageDoc | undefined> {
  const send = await findEmailByMessage(ctx.store, { accountId: mailbox.accountId, messageId })
  const copyId = send?.messageId ?? messageId
  return copyId === messageId ? undefined : findOne(ctx, mailbox._id, copyId)
}

/** A message of a mailbox; concurrent callers share one query. */
async function findOne(ctx: Context, mailboxId: string, messageId: string): Promise<MessageDoc | undefined> {
  return messageLookup(ctx)(`${mailboxId} ${messageId}`, async (keys) => {
    const asked = keys.map((key) => key.split(' ') as [mailboxId: string, messageId: string])
    const found = await store.findMessagesIn(ctx.store, {
      mailboxIds: [...new Set(asked.map(([id]) => id))],
      ids: asked.map(([, id]) => id),
    })
    return new Map(found.map((message) => [`${message.mailboxId} ${message._id}`, message]))
  })
}

/** The record of a message in the folder with this path. */
export function messageOf(message: store.ListedMessage, folder: string): Message {
  const { _id, mailbox, threadId, from, authorName, to, cc, subject, snippet, receivedAt, sizeBytes } = message
  const { seen, flagged, answered, labels = [], attachments } = message
  return {
    id: _id,
    mailbox,
    threadId,
    folder,
    from: from ?? (authorName === undefined ? null : { name: authorName, address: '' }),
    to,
    cc,
    subject,
    snippet,
    receivedAt,
    sizeBytes,
    seen,
    flagged,
    answered,
    labels,
    attachments: attachments.map(({ partId, ...attachment }) => ({ id: attachmentIdOf(_id, partId), ...attachment })),
  }
}
