/** Reads the content of messages: bodies, raw bytes, attachments. Reading changes no flag. */

import type { Hidden } from '../../mail/encoding/invisible-characters.ts'
import { stripInvisible } from '../../mail/encoding/invisible-characters.ts'
import { type HeaderField, readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { readBlob, readBlobs } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { Principal } from '../access/principal.ts'
import { type Message, messageOf, reachMessage } from '../mailbox/messages.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import { type AttachedMessage, jobs, type Reading, type View } from '../parsing/jobs.ts'
import { isUnreadable } from '../parsing/parsing.ts'
import { createBatchedLookup } from '../process/batched-lookup.ts'
import type { Context } from '../process/context.ts'
import { createMemoryRoom } from '../process/memory-room.ts'
import { perProcess } from '../process/per-process.ts'
import { describe, hasMoreAddresses } from '../receive/message-document.ts'
import { withTrace } from '../receive/trace-headers.ts'
import { readingsOf } from './bodies-cache.ts'

export type { View } from '../parsing/jobs.ts'

/** What the record of a single message has beyond the record in lists. */
type Details = Pick<MessageDoc, 'bcc' | 'replyTo' | 'inReplyTo' | 'references' | 'encrypted' | 'trust' | 'verification'>

/** A message with the bodies that the view asks for; the other bodies are absent. */
export type FullMessage = Message &
  Details & {
    readonly headers: readonly (readonly [name: string, value: string])[]
    readonly text?: string
    readonly markdown?: string
    readonly html?: string | null
    readonly reply?: string
    readonly hidden?: readonly Hidden[]
    /** Whether the message exceeds a reading limit, so that part of it is missing. */
    readonly truncated: boolean
  }

/**
 * Reads a message with the bodies that `view` asks for. With `attachmentId` the message attached there is read instead:
 * it has its own headers, bodies and attachments, the folder and flags of the message that holds it, and no trust
 * record. For a message that cannot be parsed in time, the result has its headers, empty bodies, and `truncated`. Fails
 * with `mailbox_not_found`, `not_found`, `unavailable`.
 */
export async function readMessage(
  ctx: Context,
  principal: Principal,
  {
    address,
    messageId,
    view = 'full',
    attachmentId,
  }: { address: string; messageId: string; view?: View; attachmentId?: string },
): Promise<FullMessage> {
  const { message, folder } = await reachMessage(ctx, principal, { address, messageId })
  const reading = await readCached(ctx, message, { view, attachmentId: attachmentId ?? null })
  if (reading === null)
    throw new Failure('not_found', `There is no attached message ${attachmentId} in message ${messageId}.`, {
      fix: 'Use the id of an attachment of the message that has the type message/rfc822.',
    })
  const { headers, text, markdown, html, reply, hidden, truncated } = reading
  return {
    ...messageOf(message, folder.path),
    ...detailsOf(message),
    ...('parsed' in reading && reading.attached && attachedMessageFields(message, reading.parsed, reading.attached)),
    headers: headers.map(({ name, value }): [string, string] => [name, value]),
    ...(text !== undefined && { text }),
    ...(markdown !== undefined && { markdown }),
    ...(html !== undefined && { html }),
    ...(reply !== undefined && { reply }),
    ...(hidden !== undefined && { hidden }),
    truncated: truncated || ('parsed' in reading && hasMoreAddresses(reading.parsed)),
  }
}

/**
 * Reads the raw bytes as they were received, with `trace` preceded by our trace fields; `version` as in
 * `AttachmentContent`. Fails with `mailbox_not_found`, `not_found`, `unavailable`.
 */
export async function rawMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, trace = false }: { address: string; messageId: string; trace?: boolean },
): Promise<{ readonly content: Buffer; readonly version: string }> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const raw = await inMemoryRoom(ctx, message, () => bytesOf(ctx, message))
  return { content: trace ? withTrace(message, raw) : raw, version: `${message.blob.id}${trace ? ' trace' : ''}` }
}

/** An attachment with its decoded content; `charset` and `declaredType`, with parameters, are what its part declares. */
export type AttachmentContent = {
  readonly name: string
  readonly contentType: string
  readonly declaredType: string
  readonly charset: string | null
  readonly content: Buffer
  readonly inline: boolean
  readonly contentId: string | null
  /** Identifies these bytes: other content has another version. */
  readonly version: string
}

/**
 * Reads the decoded content of an attachment, also of one in an attached message. Fails with `mailbox_not_found`,
 * `not_found`, `unavailable`.
 */
export async function readAttachment(
  ctx: Context,
  principal: Principal,
  { address, messageId, attachmentId }: { address: string; messageId: string; attachmentId: string },
): Promise<AttachmentContent> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const found = await attachmentIn(ctx, message, attachmentId)
  if (found === null) {
    throw new Failure('not_found', `There is no attachment ${attachmentId} in message ${messageId}.`, {
      fix: 'Use the id of one of the attachments of the message (att_...).',
    })
  }
  return found
}

/**
 * Reads the decoded content of an attachment of a message. Returns null when it has none with that id. Fails with
 * `unavailable`.
 */
export async function attachmentIn(
  ctx: Context,
  message: Pick<MessageDoc, '_id' | 'blob'>,
  attachmentId: string,
): Promise<AttachmentContent | null> {
  const found = await inMemoryRoom(ctx, message.blob, async () => {
    const raw = await bytesOf(ctx, message)
    return ctx.parsing.run('content', { raw, messageId: message._id, attachmentId })
  })
  if (found === null) return null
  const { name, contentType, declaredType, charset, inline, contentId, bytes } = found
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const version = `${message.blob.id} ${attachmentId}`
  return { name, contentType, declaredType, charset, inline, contentId, content, version }
}

/** Selects part of a text: at most `charsMax` characters (UTF-16 units) from character `from` on. */
export type TextRange = { readonly from: number; readonly charsMax: number }
/** Part of a text; `next` is the character after it, null at the end of the text. */
export type TextPiece = { readonly text: string; readonly next: number | null }

/**
 * Reads part of the text of an attachment, without invisible characters. Returns null when the text ends before `from`.
 * Fails with `unavailable`.
 */
export async function readText(
  ctx: Context,
  { content, charset }: Pick<AttachmentContent, 'content' | 'charset'>,
  { from, charsMax }: TextRange,
): Promise<TextPiece | null> {
  return pieceOf(await ctx.parsing.run('file', { raw: content, charset, from, maxChars: charsMax }), from)
}

/** Like `readText`, for bytes whose charset is not declared. */
export function readPlainText(content: Buffer, { from, charsMax }: TextRange): TextPiece | null {
  return pieceOf(jobs.file({ raw: content, charset: null, from, maxChars: charsMax }), from)
}

function pieceOf({ text, chars }: { text: string; chars: number }, from: number): TextPiece | null {
  if (from > chars) return null
  const next = from + text.length
  return { text: stripInvisible(text).text, next: next < chars ? next : null }
}

/** Reads the raw bytes of a message. Fails with `internal_error` when they are missing. */
export async function bytesOf(ctx: Context, { blob }: Pick<MessageDoc, 'blob'>): Promise<Buffer> {
  const raw = await (blob.chunks === 1 && blob.sizeBytes <= sharedBytesMax
    ? smallBlobs(ctx)(`${blob.id} ${blob.sizeBytes}`, (keys) => loadSmallBlobs(ctx, keys))
    : readBlob(ctx.store, blob))
  if (raw === undefined || raw === null)
    throw new Failure('internal_error', 'The stored bytes of the message are missing.')
  return raw
}

/** Concurrent reads of blobs up to this size share a query; a larger blob would keep the others waiting. */
const sharedBytesMax = 32 * 1024
/** By blob id and size. */
const smallBlobs = perProcess(() => createBatchedLookup<Buffer>())

async function loadSmallBlobs(ctx: Context, keys: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const keyOf = new Map(keys.map((key) => [key.slice(0, key.indexOf(' ')), key]))
  const refs = [...keyOf].map(([id, key]) => ({ id, chunks: 1, sizeBytes: Number(key.slice(id.length + 1)) }))
  const found = await readBlobs(ctx.store, refs)
  return new Map([...found].map(([id, raw]) => [keyOf.get(id)!, raw]))
}

/**
 * Memory for reading large messages: enough for a few of the largest. In a burst of requests the others wait, and hold no
 * bytes meanwhile.
 */
const memoryRoomLimits = { bytesMax: 128 * 1024 * 1024, waitingMax: 200 }
const memoryRoom = perProcess(() => createMemoryRoom(memoryRoomLimits))
/** Messages up to this size take no room: the limit on concurrent requests bounds their memory. */
const noRoomBytesMax = 256 * 1024

/** Runs work that holds the bytes of a message in memory, as soon as there is room for them. Fails with `unavailable`. */
export function inMemoryRoom<T>(
  ctx: Context,
  { sizeBytes }: Pick<MessageDoc, 'sizeBytes'>,
  work: () => Promise<T>,
): Promise<T> {
  return sizeBytes <= noRoomBytesMax ? work() : memoryRoom(ctx)(sizeBytes, work)
}

async function readCached(
  ctx: Context,
  message: MessageDoc,
  { view, attachmentId }: { view: View; attachmentId: string | null },
): Promise<Reading | UnparsedMessage | null> {
  const key = [message._id, message.blob.id, view, attachmentId].join(' ')
  const known = readingsOf(ctx).get(key)
  if (known !== undefined) return known
  const messageId = message._id
  const attachmentsUrl = attachmentsAddress(ctx, message)
  const reading = await inMemoryRoom(ctx, message, async () => {
    const raw = await bytesOf(ctx, message)
    const job = ctx.parsing.run('reading', { raw, messageId, view, attachmentId, attachmentsUrl })
    return job.catch((error: unknown) => {
      if (attachmentId !== null || !isUnreadable(error)) throw error
      return unparsedMessage(raw, view)
    })
  })
  if (reading !== null && 'parsed' in reading) readingsOf(ctx).set(key, reading)
  return reading
}

/** The beginning of the URLs of a message's attachments; the id of the attachment follows. */
export function attachmentsAddress(
  { baseUrl }: Context,
  { mailbox, _id }: Pick<MessageDoc, 'mailbox' | '_id'>,
): string {
  return `${baseUrl}/api/v1/mailboxes/${encodeURIComponent(mailbox)}/messages/${_id}/attachments/`
}

/** The result for a message that could not be parsed: its header only. */
type UnparsedMessage = Pick<FullMessage, 'text' | 'markdown' | 'html' | 'reply' | 'hidden' | 'truncated'> & {
  readonly headers: readonly HeaderField[]
}

function unparsedMessage(raw: Buffer, view: View): UnparsedMessage {
  const bodies = {
    headers: {},
    reply: { reply: '', hidden: [] },
    text: { text: '', hidden: [] },
    markdown: { markdown: '', hidden: [] },
    full: { text: '', html: null, reply: '', hidden: [] },
  }
  return { headers: readHeaders(raw).fields, ...bodies[view], truncated: true }
}

function detailsOf(message: MessageDoc): Details {
  const { bcc, replyTo, inReplyTo, references, encrypted, trust, verification } = message
  return { bcc, replyTo, inReplyTo, references, encrypted, trust, verification }
}

/** The fields that an attached message has of its own. */
function attachedMessageFields(
  message: MessageDoc,
  parsed: Reading['parsed'],
  { snippet, sizeBytes, path }: AttachedMessage,
): Partial<Message & Details> {
  const { from, to, cc, bcc, replyTo, subject, inReplyTo, references, attachments, encrypted, ...rest } = describe(
    { parsed, snippet },
    { ...message.blob, sizeBytes },
  )
  return {
    from,
    to,
    cc,
    bcc,
    replyTo,
    subject,
    inReplyTo,
    references,
    encrypted,
    snippet: rest.snippet,
    sizeBytes,
    attachments: attachments.map(({ partId, ...attachment }) => ({
      id: attachmentIdOf(message._id, path + partId),
      ...attachment,
    })),
    trust: undefined,
    verification: undefined,
  }
}
