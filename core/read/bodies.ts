/** Messages read whole: bodies by view, raw bytes, attachments. Reading changes no flag. */

import type { Hidden } from '../../mail/encoding/invisible-characters.ts'
import { stripInvisible } from '../../mail/encoding/invisible-characters.ts'
import { type HeaderField, readHeaders } from '../../mail/message/headers.ts'
import { Failure } from '../../schemas/failures.ts'
import { readBlob } from '../../store/blobs.ts'
import type { MessageDoc } from '../../store/documents/mail.ts'
import type { Principal } from '../access/principal.ts'
import { type Message, messageOf, reachMessage } from '../mailbox/messages.ts'
import { attachmentIdOf } from '../parsing/attachment-ids.ts'
import { jobs, type Reading, type View } from '../parsing/jobs.ts'
import { isUnreadable } from '../parsing/parsing.ts'
import type { Context } from '../process/context.ts'
import { createMemoryRoom } from '../process/memory-room.ts'
import { perProcess } from '../process/per-process.ts'
import { describe, hasMoreAddresses } from '../receive/message-document.ts'
import { withTrace } from '../receive/trace-headers.ts'
import { readingsOf } from './bodies-cache.ts'

export type { View } from '../parsing/jobs.ts'

/** What a message says beside what lists show. */
type Details = Pick<MessageDoc, 'bcc' | 'replyTo' | 'inReplyTo' | 'references' | 'encrypted' | 'trust' | 'verification'>

/** A message with what the view asks for; the other bodies are absent. */
export type FullMessage = Message &
  Details & {
    readonly headers: readonly (readonly [name: string, value: string])[]
    readonly text?: string
    readonly html?: string | null
    readonly reply?: string
    readonly hidden?: readonly Hidden[]
    /** Whether the message is past the limits of reading. */
    readonly truncated: boolean
  }

/**
 * A message with its bodies, as `view` chooses. With `attachmentId` the message that is attached there is read instead:
 * headers, bodies and attachments are its own, place and flags those of the message that holds it, and nobody vouches for
 * it. Of a message that cannot be read in time the header is given, empty bodies, and `truncated`. Fails with `not_found`,
 * `unavailable`.
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
  const reading = await read(ctx, message, { view, attachmentId: attachmentId ?? null })
  if (reading === null) throw new Failure('not_found', `There is no message attached as ${attachmentId}.`)
  const { headers, text, html, reply, hidden, truncated } = reading
  return {
    ...messageOf(message, folder.path),
    ...detailsOf(message),
    ...('parsed' in reading && attachmentId !== undefined && attachedOf(message, reading)),
    headers: headers.map(({ name, value }): [string, string] => [name, value]),
    ...(text !== undefined && { text }),
    ...(html !== undefined && { html }),
    ...(reply !== undefined && { reply }),
    ...(hidden !== undefined && { hidden }),
    truncated: truncated || ('parsed' in reading && hasMoreAddresses(reading.parsed)),
  }
}

/** The bytes as received, or with our trace in front; `version` as of `Attached`. */
export async function rawMessage(
  ctx: Context,
  principal: Principal,
  { address, messageId, trace = false }: { address: string; messageId: string; trace?: boolean },
): Promise<{ readonly content: Buffer; readonly version: string }> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const raw = await inRoom(ctx, message, () => bytesOf(ctx, message))
  return { content: trace ? withTrace(message, raw) : raw, version: `${message.blob.id}${trace ? ' trace' : ''}` }
}

/** An attachment with its decoded content; `charset` is what its part declares. */
export type Attached = {
  readonly name: string
  readonly contentType: string
  readonly charset: string | null
  readonly content: Buffer
  readonly inline: boolean
  readonly contentId: string | null
  /** Stands for these bytes: whatever else the attachment becomes has another one. */
  readonly version: string
}

/** The decoded content of an attachment, also of one in an attached message. Fails with `not_found`, `unavailable`. */
export async function readAttachment(
  ctx: Context,
  principal: Principal,
  { address, messageId, attachmentId }: { address: string; messageId: string; attachmentId: string },
): Promise<Attached> {
  const { message } = await reachMessage(ctx, principal, { address, messageId })
  const found = await attachmentIn(ctx, message, attachmentId)
  if (found === null) throw new Failure('not_found', `There is no attachment ${attachmentId} in this message.`)
  return found
}

/** The decoded content of an attachment of a message; null when it has none of that id. Fails with `unavailable`. */
export async function attachmentIn(ctx: Context, message: MessageDoc, attachmentId: string): Promise<Attached | null> {
  const found = await inRoom(ctx, message, async () => {
    const raw = await bytesOf(ctx, message)
    return ctx.parsing.run('content', { raw, messageId: message._id, attachmentId })
  })
  if (found === null) return null
  const { name, contentType, charset, inline, contentId, bytes } = found
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  const version = `${message.blob.id} ${attachmentId}`
  return { name, contentType, charset, inline, contentId, content, version }
}

/** At most `charsMax` characters (UTF-16 units) of a text, from the one at `from` on. */
export type PieceWanted = { readonly from: number; readonly charsMax: number }
/** `next` is where the text goes on; null: nowhere. */
export type TextPiece = { readonly text: string; readonly next: number | null }

/** A piece of an attached text as a reader sees it; null when the text ends before. Fails with `unavailable`. */
export async function readText(
  ctx: Context,
  { content, charset }: Pick<Attached, 'content' | 'charset'>,
  { from, charsMax }: PieceWanted,
): Promise<TextPiece | null> {
  return pieceOf(await ctx.parsing.run('file', { raw: content, charset, from, maxChars: charsMax }), from)
}

/** The same of bytes whose charset nobody declares. */
export function readPlainText(content: Buffer, { from, charsMax }: PieceWanted): TextPiece | null {
  return pieceOf(jobs.file({ raw: content, charset: null, from, maxChars: charsMax }), from)
}

function pieceOf({ text, chars }: { text: string; chars: number }, from: number): TextPiece | null {
  if (from > chars) return null
  const next = from + text.length
  return { text: stripInvisible(text).text, next: next < chars ? next : null }
}

/** The raw bytes of a message. Fails with `internal_error` when they are gone. */
export async function bytesOf(ctx: Context, message: MessageDoc): Promise<Buffer> {
  const raw = await readBlob(ctx.store, message.blob)
  if (raw === null) throw new Failure('internal_error', 'The bytes of the message are gone.')
  return raw
}

/** A few of the largest messages; a burst of requests waits, and holds nothing meanwhile. */
const roomLimits = { bytesMax: 128 * 1024 * 1024, waitingMax: 200 }
const roomOf = perProcess(() => createMemoryRoom(roomLimits))
/** Smaller messages are bounded by how many requests there are. */
const roomyBytesMax = 256 * 1024

/** Does work that holds the bytes of a message, when there is room for them. Fails with `unavailable`. */
export function inRoom<T>(ctx: Context, { sizeBytes }: MessageDoc, work: () => Promise<T>): Promise<T> {
  return sizeBytes <= roomyBytesMax ? work() : roomOf(ctx)(sizeBytes, work)
}

async function read(
  ctx: Context,
  message: MessageDoc,
  { view, attachmentId }: { view: View; attachmentId: string | null },
): Promise<Reading | Unread | null> {
  const key = [message._id, view, attachmentId].join(' ')
  const known = readingsOf(ctx).get(key)
  if (known !== undefined) return known
  const { mailbox, _id: messageId } = message
  const attachmentsUrl = `${ctx.baseUrl}/api/v1/mailboxes/${encodeURIComponent(mailbox)}/messages/${messageId}/attachments/`
  const reading = await inRoom(ctx, message, async () => {
    const raw = await bytesOf(ctx, message)
    const job = ctx.parsing.run('reading', { raw, messageId, view, attachmentId, attachmentsUrl })
    return job.catch((error: unknown) => {
      if (attachmentId !== null || !isUnreadable(error)) throw error
      return unread(raw, view)
    })
  })
  if (reading !== null && 'parsed' in reading && message.sizeBytes > cachedBytesMin) readingsOf(ctx).set(key, reading)
  return reading
}

/** What is told of a message that could not be read. */
type Unread = Pick<FullMessage, 'text' | 'html' | 'reply' | 'hidden' | 'truncated'> & {
  readonly headers: readonly HeaderField[]
}

function unread(raw: Buffer, view: View): Unread {
  const bodies = {
    headers: {},
    reply: { reply: '', hidden: [] },
    text: { text: '', hidden: [] },
    full: { text: '', html: null, reply: '', hidden: [] },
  }
  return { headers: readHeaders(raw).fields, ...bodies[view], truncated: true }
}

/** Smaller messages are read again in no time. */
const cachedBytesMin = 32 * 1024

function detailsOf(message: MessageDoc): Details {
  const { bcc, replyTo, inReplyTo, references, encrypted, trust, verification } = message
  return { bcc, replyTo, inReplyTo, references, encrypted, trust, verification }
}

/** What an attached message says of itself. */
function attachedOf(message: MessageDoc, { parsed, snippet, sizeBytes, path }: Reading): Partial<Message & Details> {
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
