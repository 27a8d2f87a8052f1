/** Messages read whole: bodies by view, raw bytes, attachments. Reading changes no flag. */
import { partBytes, readBody } from '../mail/body.ts'
import { type Hidden, sanitiseHtml } from '../mail/html.ts'
import { findPart, type ParsedMessage, parseMessage } from '../mail/parse.ts'
import { replyText } from '../mail/reply.ts'
import { Failure } from '../schemas/failures.ts'
import { readBlob } from '../store/blobs.ts'
import type { MessageDoc } from '../store/documents/mail.ts'
import type { Context } from './context.ts'
import { attachmentIdOf, type Message, messageOf, reachMessage } from './messages.ts'
import type { Principal } from './principal.ts'

export type View = 'headers' | 'reply' | 'text' | 'full'

/** A message with what the view asks for; the other bodies are absent. */
export type FullMessage = Message & {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly text?: string
  readonly html?: string | null
  readonly reply?: string
  readonly hidden?: readonly Hidden[]
  /** Whether a body was cut at `maxChars`, or the message is past the parser's limits. */
  readonly truncated: boolean
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
): Pick<FullMessage, 'text' | 'html' | 'reply' | 'hidden' | 'truncated'> {
  const body = readBody(raw, parsed)
  const { hidden } = body
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
  if (view === 'reply') return { reply: reply(), hidden, truncated }
  const text = cut(body.text)
  if (view === 'text') return { text, hidden, truncated }
  const html = body.html === null ? null : cut(sanitiseHtml(body.html))
  return { text, html, reply: reply(), hidden, truncated }
}
