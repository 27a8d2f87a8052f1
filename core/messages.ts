/** Messages as callers list and reach them. */

import { normaliseAddress } from '../mail/address.ts'
import { Failure } from '../schemas/failures.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import type { AttachmentDoc, FolderDoc, MailboxDoc, MessageDoc } from '../store/documents/mail.ts'
import { findFolders } from '../store/folders.ts'
import * as store from '../store/messages.ts'
import type { Context } from './context.ts'
import { foldersOf, getFolder } from './folders.ts'
import { reachMailbox } from './mailboxes.ts'
import { encodeCursor, type Page, pageOf, positionOf } from './paging.ts'
import type { Principal } from './principal.ts'

export type Attachment = Omit<AttachmentDoc, 'partId'> & { readonly id: string }

export type Message = Pick<
  MessageDoc,
  | 'mailbox'
  | 'threadId'
  | 'from'
  | 'to'
  | 'cc'
  | 'bcc'
  | 'replyTo'
  | 'subject'
  | 'snippet'
  | 'receivedAt'
  | 'sizeBytes'
  | 'seen'
  | 'flagged'
  | 'answered'
  | 'inReplyTo'
  | 'references'
  | 'encrypted'
  | 'trust'
  | 'verification'
> & {
  readonly id: string
  readonly folder: string
  readonly labels: readonly string[]
  readonly attachments: readonly Attachment[]
}

export type Listing = {
  readonly address: string
  readonly folder?: string
  readonly label?: string
  readonly threadId?: string
  readonly unread?: boolean
  readonly flagged?: boolean
  readonly from?: string
  readonly to?: string
  readonly subject?: string
  readonly hasAttachment?: boolean
  readonly since?: Date
  readonly until?: Date
  readonly limit: number
  readonly before?: string
}

/** Messages newest first. `cursor` names the moment of the answer, to wait from there. */
export async function listMessages(
  ctx: Context,
  principal: Principal,
  { address, folder, limit, before, ...filters }: Listing,
): Promise<Page<Message> & { cursor: string }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const { label, threadId } = filters
  if (mailbox.kind === 'person' && (label !== undefined || threadId !== undefined))
    throw new Failure('agent_inbox_only')
  const cursor = encodeCursor(newId('msg', ctx.clock.now()))
  const folderId = folder === undefined ? undefined : (await getFolder(ctx, mailbox._id, folder))._id
  const canonical = (text: string | undefined) =>
    text === undefined ? undefined : (normaliseAddress(text) ?? text.toLowerCase())
  const query = {
    ...filters,
    from: canonical(filters.from),
    to: canonical(filters.to),
    mailboxId: mailbox._id,
    folderId,
  }
  const rows = await store.listMessages(ctx.store, query, { before: positionOf(before, 'msg'), limit: limit + 1 })
  const page = pageOf(rows, limit)
  const folders = await foldersOf(
    ctx,
    page.items.map((message) => message.folderId),
  )
  return {
    items: page.items.map((message) => messageOf(message, folders.get(message.folderId)?.path ?? 'INBOX')),
    next: page.next,
    cursor,
  }
}

/** A message of a mailbox that the key reaches. Fails with `mailbox_not_found`, `not_found`. */
export async function reachMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<{ mailbox: MailboxDoc; message: MessageDoc; folder: FolderDoc }> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const message = await store.findMessage(ctx.store, { mailboxId: mailbox._id, messageId })
  if (message === null) throw new Failure('not_found', `There is no message ${messageId} in ${mailbox.address}.`)
  const folder = (await findFolders(ctx.store, mailbox._id)).find(({ _id }) => _id === message.folderId)
  if (folder === undefined) throw new Failure('not_found', `There is no message ${messageId} in ${mailbox.address}.`)
  return { mailbox, message, folder }
}

export function messageOf(message: MessageDoc, folder: string): Message {
  const {
    _id,
    mailbox,
    threadId,
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    snippet,
    receivedAt,
    sizeBytes,
    seen,
    flagged,
    answered,
    labels = [],
    inReplyTo,
    references,
    encrypted,
    trust,
    verification,
  } = message
  return {
    ...{
      id: _id,
      mailbox,
      threadId,
      folder,
      from,
      to,
      cc,
      bcc,
      replyTo,
      subject,
      snippet,
      receivedAt,
      sizeBytes,
      seen,
      flagged,
      answered,
      labels,
      inReplyTo,
      references,
      encrypted,
      trust,
      verification,
    },
    attachments: message.attachments.map(({ partId, ...attachment }) => ({
      id: attachmentIdOf(_id, partId),
      ...attachment,
    })),
  }
}

export const attachmentIdOf = (messageId: string, partId: string) => deriveId('att', messageId, partId)
