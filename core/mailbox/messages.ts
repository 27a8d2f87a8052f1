/** Messages as callers list and reach them. */

import { normaliseAddress } from '../../mail/message/address.ts'
import { Failure } from '../../schemas/failures.ts'
import type { AttachmentDoc, FolderDoc, MailboxDoc, MessageDoc } from '../../store/documents/mail.ts'
import { findFolders } from '../../store/folders.ts'
import * as store from '../../store/messages.ts'
import { type Page, pageOf, positionOf } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import type { Context } from '../process/context.ts'
import { listByIndex } from '../search/listing.ts'
import { encodeMoment, type Moment, momentNow, momentOfPage, momentsEdge, showing } from './arrival-cursor.ts'
import { folderIn } from './folders.ts'
import { canonicalLabel } from './labels.ts'
import { reachMailbox } from './mailboxes.ts'
import { requireAgentInbox } from './threading.ts'

export type Attachment = Omit<AttachmentDoc, 'partId'> & { readonly id: string }

/** What lists show of a message. */
export type Message = Omit<store.ListedMessage, '_id' | 'folderId' | 'labels' | 'attachments'> & {
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
  if (filters.label !== undefined || filters.threadId !== undefined) requireAgentInbox(mailbox)
  const asked = { ...filters, folder, limit, before: positionOf(before, 'msg') }
  const isPlain = [before, folder, ...Object.values(filters)].every((each) => each === undefined)
  const read = (isPlain ? await readNewest(ctx, mailbox._id, limit) : null) ?? (await readPage(ctx, mailbox._id, asked))
  const page = pageOf(read.rows, limit)
  const pathOf = new Map(read.folders.map(({ _id, path }) => [_id, path]))
  const shown = page.items.map(({ _id }) => _id)
  return {
    items: page.items.map((message) => messageOf(message, pathOf.get(message.folderId) ?? 'INBOX')),
    next: page.next,
    cursor: encodeMoment(showing(read.moment, shown)),
  }
}

/** A page with one row more than it shows, the folders of its mailbox, and how that was when it was read. */
type Read = {
  readonly rows: readonly store.ListedMessage[]
  readonly folders: readonly FolderDoc[]
  readonly moment: Moment
}

/** The newest of all messages, which mostly say themselves how the mailbox is; null when they do not reach back so far. */
async function readNewest(ctx: Context, mailboxId: string, limit: number): Promise<Read | null> {
  const edge = momentsEdge(ctx)
  const [rows, folders] = await Promise.all([
    store.listMessages(ctx.store, { mailboxId }, { before: null, limit: limit + 1 }),
    findFolders(ctx.store, mailboxId),
  ])
  const moment = momentOfPage(edge, { newest: rows.map(({ _id }) => _id), isWhole: rows.length <= limit })
  return moment && { rows, folders, moment }
}

async function readPage(
  ctx: Context,
  mailboxId: string,
  { folder, limit, before, ...filters }: Omit<Listing, 'address' | 'before'> & { readonly before: string | null },
): Promise<Read> {
  // Before the rows are read: what comes in between is shown or waited for, and never lost.
  const [moment, folders] = await Promise.all([momentNow(ctx, mailboxId), findFolders(ctx.store, mailboxId)])
  const folderIds = foldersToLookIn(folders, folder, filters)
  const query = { ...filters, ...canonicalIn(filters), mailboxId, folderIds }
  return { rows: await listByIndex(ctx, query, { before, limit: limit + 1, folders }), folders, moment }
}

/** A message, where it lies, and the other folders of its mailbox. */
export type Reached = {
  readonly mailbox: MailboxDoc
  readonly message: MessageDoc
  readonly folder: FolderDoc
  readonly folders: readonly FolderDoc[]
}

/** A message of a mailbox that the key reaches. Fails with `mailbox_not_found`, `not_found`. */
export async function reachMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId }: { address: string; messageId: string },
): Promise<Reached> {
  const mailbox = await reachMailbox(ctx, principal, address)
  const [message, folders] = await Promise.all([
    store.findMessage(ctx.store, { mailboxId: mailbox._id, messageId }),
    findFolders(ctx.store, mailbox._id),
  ])
  const folder = folders.find(({ _id }) => _id === message?.folderId)
  if (message === null || folder === undefined)
    throw new Failure('not_found', `There is no message ${messageId} in ${mailbox.address}.`)
  return { mailbox, message, folder, folders }
}

type Named = { readonly from?: string; readonly to?: string; readonly label?: string }

/** The addresses and the label of a filter in the form messages have them. */
export function canonicalIn({ from, to, label }: Named): Named {
  const canonical = (text: string) => normaliseAddress(text) ?? text.toLowerCase()
  return {
    ...(from !== undefined && { from: canonical(from) }),
    ...(to !== undefined && { to: canonical(to) }),
    ...(label !== undefined && { label: canonicalLabel(label) }),
  }
}

/** Flags and attachments are found by folder: without one, in all of them (store/messages.ts, MessageQuery). */
function foldersToLookIn(
  folders: readonly FolderDoc[],
  folder: string | undefined,
  { unread, flagged, hasAttachment }: Pick<Listing, 'unread' | 'flagged' | 'hasAttachment'>,
): readonly string[] | undefined {
  if (folder !== undefined) return [folderIn(folders, folder)._id]
  const byFolder = unread !== undefined || flagged === true || hasAttachment === true
  return byFolder ? folders.map(({ _id }) => _id) : undefined
}

export function messageOf(message: store.ListedMessage, folder: string): Message {
  const { _id, mailbox, threadId, from, to, cc, subject, snippet, receivedAt, sizeBytes } = message
  const { seen, flagged, answered, labels = [], attachments } = message
  return {
    id: _id,
    mailbox,
    threadId,
    folder,
    from,
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
