/** Messages as callers read and change them. */

import { normaliseAddress } from '../mail/address.ts'
import { partBytes, readBody } from '../mail/body.ts'
import { sanitiseHtml } from '../mail/html.ts'
import { findPart, type ParsedMessage, parseMessage } from '../mail/parse.ts'
import { replyText } from '../mail/reply.ts'
import { Failure } from '../schemas/failures.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import { countBlobUsers, readBlob, removeUnusedBlobs } from '../store/blobs.ts'
import type { AttachmentDoc, FolderDoc, MailboxDoc, MessageDoc } from '../store/documents.ts'
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
> & {
  readonly id: string
  readonly folder: string
  readonly labels: readonly string[]
  readonly attachments: readonly Attachment[]
}

export type View = 'headers' | 'reply' | 'text' | 'full'

/** A message with what the view asks for; the other bodies are absent. */
export type FullMessage = Message & {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text?: string
  readonly html?: string | null
  readonly reply?: string
  /** Whether a body was cut at `maxChars`, or the message is past the parser's limits. */
  readonly truncated: boolean
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

/** A message with its body. `view` chooses how much of it, `maxChars` (code points) bounds each body. Reading changes no flag. */
export async function readMessage(
  ctx: Context,
  principal: Principal,
  {
    address,
    messageId,
    view = 'full',
    maxChars,
  }: { address: string; messageId: string; view?: View; maxChars?: number },
): Promise<FullMessage> {
  const { message, folder } = await reachMessage(ctx, principal, { address, messageId })
  const raw = await bytesOf(ctx, message)
  const parsed = parseMessage(raw)
  const headers = parsed.headers.map(({ name, value }): [string, string] => [name, value])
  const common = { ...messageOf(message, folder.path), headers }
  if (view === 'headers') return { ...common, truncated: parsed.truncated }
  return { ...common, ...bodiesOf(raw, parsed, view, maxChars) }
}

/** The bytes as received, or with our trace in front. */
export async function rawMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, trace = false }: { address: string; messageId: string; trace?: boolean },
): Promise<Buffer> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const raw = await bytesOf(ctx, message)
  return trace ? Buffer.concat([Buffer.from(message.trace), raw]) : raw
}

/** The decoded content of an attachment. Fails with `not_found`. */
export async function readAttachment(
  ctx: Context,
  principal: Principal,
  { address, messageId, attachmentId }: { address: string; messageId: string; attachmentId: string },
): Promise<{ name: string; contentType: string; content: Buffer }> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const found = message.attachments.find(({ partId }) => attachmentIdOf(message._id, partId) === attachmentId)
  if (found === undefined) throw new Failure('not_found', `There is no attachment ${attachmentId} in this message.`)
  const raw = await bytesOf(ctx, message)
  const part = findPart(parseMessage(raw).root, found.partId)
  if (part === null) throw new Failure('not_found', `There is no attachment ${attachmentId} in this message.`)
  return { name: found.name, contentType: found.contentType, content: partBytes(raw, part) }
}

export type MessageChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly folder?: string
  readonly addLabels?: readonly string[]
  readonly removeLabels?: readonly string[]
}

const labelsMax = 50
/** Another session may change the message between our read and our write; then it is read again. */
const triesMax = 5

/** Changes flags and labels, and moves. Answers the message as it then is. */
export async function changeMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, ...change }: { address: string; messageId: string } & MessageChange,
): Promise<Message> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { mailbox, message, folder } = await reachMessage(ctx, principal, { address, messageId })
    const changed = await changeOnce(ctx, mailbox, { message, folder, change })
    if (changed === null) continue
    ctx.changes.publish({ kind: 'folders', mailboxId: mailbox._id })
    return messageOf(changed.message, changed.folder.path)
  }
  throw new Failure('conflict', 'The message is being changed by somebody else.')
}

/** To Trash, or gone for good. A message in Trash that is deleted again is gone. */
export async function deleteMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, permanent = false }: { address: string; messageId: string; permanent?: boolean },
): Promise<{ deleted: true; folder: string | null }> {
  for (let tries = 0; tries < triesMax; tries++) {
    const { mailbox, message, folder } = await reachMessage(ctx, principal, { address, messageId })
    const at = ctx.clock.now()
    if (permanent || folder.role === 'trash') {
      if (!(await store.removeMessage(ctx.store, message, at))) continue
      await releaseBlob(ctx, message)
      return { deleted: true, folder: null }
    }
    const trash = await getFolder(ctx, mailbox._id, 'trash')
    if ((await store.moveMessage(ctx.store, message, { to: trash, deletedFrom: folder._id, at })) !== null)
      return { deleted: true, folder: trash.path }
  }
  throw new Failure('conflict', 'The message is being changed by somebody else.')
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

/** A message uses its blob no more; the last one takes it along. */
export async function releaseBlob(ctx: Context, message: MessageDoc): Promise<void> {
  await countBlobUsers(ctx.store, message.blob.id, -1)
  await removeUnusedBlobs(ctx.store, [message.blob])
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
    },
    attachments: message.attachments.map(({ partId, ...attachment }) => ({
      id: attachmentIdOf(_id, partId),
      ...attachment,
    })),
  }
}

const attachmentIdOf = (messageId: string, partId: string) => deriveId('att', messageId, partId)

async function bytesOf(ctx: Context, message: MessageDoc): Promise<Buffer> {
  const raw = await readBlob(ctx.store, message.blob)
  if (raw === null) throw new Failure('internal_error', 'The bytes of the message are gone.')
  return raw
}

function bodiesOf(
  raw: Buffer,
  parsed: ParsedMessage,
  view: Exclude<View, 'headers'>,
  maxChars: number | undefined,
): Pick<FullMessage, 'text' | 'html' | 'reply' | 'truncated'> {
  const body = readBody(raw, parsed)
  let truncated = parsed.truncated || body.truncated
  const cut = (text: string) => {
    if (maxChars === undefined || text.length <= maxChars) return text
    const points = [...text]
    if (points.length <= maxChars) return text
    truncated = true
    return points.slice(0, maxChars).join('')
  }
  // HTML alone is split better from its markup than from the text made of it.
  const reply = () => cut(replyText(body.text, parsed.hasText ? undefined : (body.html ?? undefined)))
  if (view === 'reply') return { reply: reply(), truncated }
  const text = cut(body.text)
  if (view === 'text') return { text, truncated }
  const html = body.html === null ? null : cut(sanitiseHtml(body.html))
  return { text, html, reply: reply(), truncated }
}

async function changeOnce(
  ctx: Context,
  mailbox: MailboxDoc,
  { message, folder, change }: { message: MessageDoc; folder: FolderDoc; change: MessageChange },
): Promise<{ message: MessageDoc; folder: FolderDoc } | null> {
  const at = ctx.clock.now()
  const labels = labelsAfter(mailbox, message.labels ?? [], change)
  const target = change.folder === undefined ? folder : await getFolder(ctx, mailbox._id, change.folder)
  const { seen, flagged, answered } = change
  const flags = {
    ...(seen !== undefined && { seen }),
    ...(flagged !== undefined && { flagged }),
    ...(answered !== undefined && { answered }),
    ...(labels !== null && { labels }),
  }
  const marked = Object.keys(flags).length === 0 ? message : await store.changeFlags(ctx.store, message, flags, at)
  if (marked === null || target._id === folder._id) return marked === null ? null : { message: marked, folder }
  const moved = await store.moveMessage(ctx.store, marked, {
    to: target,
    at,
    ...(target.role === 'trash' && { deletedFrom: folder._id }),
  })
  return moved === null ? null : { message: moved, folder: target }
}

function labelsAfter(
  mailbox: MailboxDoc,
  before: readonly string[],
  { addLabels, removeLabels }: MessageChange,
): readonly string[] | null {
  if (addLabels === undefined && removeLabels === undefined) return null
  if (mailbox.kind === 'person') throw new Failure('agent_inbox_only')
  const removed = new Set(removeLabels)
  const labels = [...new Set([...before, ...(addLabels ?? [])])].filter((label) => !removed.has(label))
  if (labels.length > labelsMax)
    throw new Failure('validation_error', `More than ${labelsMax} labels on one message.`, { param: 'addLabels' })
  return labels
}
