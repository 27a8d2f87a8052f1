import { isAscii } from 'node:buffer'
import { createHash } from 'node:crypto'
import { formatDate } from '../encoding/date.ts'
import { fileNameParameters, headerLine, lineMax, phrase, quoted, unstructured } from '../encoding/encode.ts'
import { parseParameters } from '../encoding/parameters.ts'
import { type Piece, writePieces } from '../encoding/pieces.ts'
import { limits } from '../limits.ts'
import { formatNamedAddress, type NamedAddress, normaliseAddress } from '../message/address.ts'
import { safeName } from '../message/attachments.ts'
import { rootAndLatest, withoutMarks } from '../message/threading.ts'
import { createSlice, nextTurn, sliceBytes } from '../slices.ts'
import { type EncodedBody, encodeText } from './text-body.ts'

export type DraftAttachment = {
  readonly name: string
  readonly contentType: string
  readonly content: Buffer
  /** Without angle brackets. The HTML can show an `inline` attachment that has one as `cid:`. */
  readonly contentId?: string | null
  readonly inline?: boolean
}

export type Draft = {
  readonly from: NamedAddress
  readonly sender?: NamedAddress | null
  readonly to: readonly NamedAddress[]
  readonly cc: readonly NamedAddress[]
  /** Recipients only: never written into a message that is sent. */
  readonly bcc: readonly NamedAddress[]
  readonly replyTo?: readonly NamedAddress[]
  readonly subject: string
  readonly text?: string | null
  readonly html?: string | null
  readonly attachments: readonly DraftAttachment[]
  /** Message-IDs with or without angle brackets. */
  readonly messageId: string
  readonly date: Date
  readonly inReplyTo?: string | null
  readonly references?: readonly string[]
  /** Extra fields, in order; those the composer writes itself are refused. */
  readonly headers?: readonly (readonly [name: string, value: string])[]
  /** A message that is only stored: Bcc is written, and missing recipients are not replaced by a placeholder. */
  readonly unsent?: boolean
  /** `auto-replied` or `auto-generated` (RFC 3834 5). */
  readonly autoSubmitted?: string | null
}

/** A draft that cannot become a message. `field` is the draft's member, written like `to[0]`; `fix` says what to change. */
export class ComposeError extends Error {
  readonly field: string
  readonly fix: string
  constructor(field: string, problem: string, fix: string) {
    super(`"${field}" ${problem}.`)
    this.name = 'ComposeError'
    this.field = field
    this.fix = fix
  }
}

/**
 * Writes a message (RFC 5322, MIME): CRLF line ends only, lines of at most 998 characters, 7-bit unless an address
 * needs UTF-8 (RFC 6532), without Bcc. The same draft always gives the same bytes, boundaries included.
 * @throws ComposeError when a value holds CR, LF or NUL, or an address, header name, id or media type is invalid
 */
export async function compose(draft: Draft): Promise<{ raw: Buffer; sizeBytes: number }> {
  const header = headerOf(draft)
  const raw = await writePieces([header, ...write(await bodyOf(draft), draft.messageId)])
  return { raw, sizeBytes: raw.length }
}

/** `Re: subject`; marks that the subject already has are not repeated. */
export function replySubject(subject: string | null): string {
  return `Re: ${withoutMarks(subject ?? '')}`.trim()
}

/** `Fwd: subject`; marks that the subject already has are not repeated. */
export function forwardSubject(subject: string | null): string {
  return `Fwd: ${withoutMarks(subject ?? '')}`.trim()
}

/** The text of the answered message as a quotation with its attribution, for the end of a reply. */
export function quoteText(
  text: string,
  { from, date }: { readonly from: NamedAddress | null; readonly date: Date | null },
): string {
  const when = date ? `On ${formatDate(date)}, ` : ''
  const lines = text.trimEnd().split(/\r\n|\r|\n/)
  const quote = lines.map((line) => (line.startsWith('>') ? `>${line}` : line === '' ? '>' : `> ${line}`))
  return `${when}${from ? formatNamedAddress(from) : 'someone'} wrote:\n${quote.join('\n')}\n`
}

function headerOf(draft: Draft): string {
  const recipients = mailboxes('to', draft.to)
  const lines = [
    headerLine('From', mailbox('from', draft.from)),
    draft.sender ? headerLine('Sender', mailbox('sender', draft.sender)) : '',
    draft.replyTo?.length ? headerLine('Reply-To', mailboxes('replyTo', draft.replyTo)) : '',
    // RFC 5322 3.6.3 allows a message without To; some spam filters do not.
    recipients !== '' || draft.cc.length > 0 || draft.unsent
      ? recipients && headerLine('To', recipients)
      : 'To: undisclosed-recipients:;\r\n',
    draft.cc.length ? headerLine('Cc', mailboxes('cc', draft.cc)) : '',
    draft.unsent && draft.bcc.length ? headerLine('Bcc', mailboxes('bcc', draft.bcc)) : '',
    headerLine('Subject', unstructured(checked('subject', draft.subject), 'Subject: '.length)),
    `Date: ${formatDate(draft.date)}\r\n`,
    headerLine('Message-ID', bracketed('messageId', draft.messageId)),
    draft.inReplyTo ? headerLine('In-Reply-To', bracketed('inReplyTo', draft.inReplyTo)) : '',
    draft.references?.length ? referencesLine(draft.references) : '',
    draft.autoSubmitted ? headerLine('Auto-Submitted', keyword('autoSubmitted', draft.autoSubmitted)) : '',
    ...(draft.headers ?? []).map(([name, value]) => extraLine(`headers.${name}`, name, value)),
    'MIME-Version: 1.0\r\n',
  ]
  return lines.join('')
}

/** Refuses characters that would start a new header line, or end the message in C programs. */
function checked(field: string, value: string): string {
  if (/[\r\n\0]/.test(value))
    throw new ComposeError(
      field,
      'has a line break or a NUL character',
      'Remove line breaks and NUL characters from it.',
    )
  return value.toWellFormed().replace(/\p{Cc}+/gu, ' ')
}

function mailbox(field: string, { name, address }: NamedAddress): string {
  const canonical = normaliseAddress(checked(field, address))
  if (canonical === null) throw new ComposeError(field, 'is not an address', 'Write it as user@domain.')
  const display = checked(field, name).trim()
  return display === '' ? canonical : `${phrase(display)} <${canonical}>`
}

function mailboxes(field: string, list: readonly NamedAddress[]): string {
  return list.map((each, i) => mailbox(`${field}[${i}]`, each)).join(', ')
}

function bracketed(field: string, id: string): string {
  const bare = id.trim().replace(/^<|>$/g, '')
  if (!isMessageId(bare)) {
    throw new ComposeError(field, 'is not a Message-ID', 'Write it as unique-part@domain, without white space.')
  }
  return `<${bare}>`
}

/** Whether the composer accepts an id without brackets as a Message-ID. */
export function isMessageId(bare: string): boolean {
  return /^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(bare) && bare.length <= limits.messageIdCharsMax - 20
}

// References come from received mail, so invalid ids are left out rather than refused.
function referencesLine(references: readonly string[]): string {
  const ids = references.map((id) => id.trim().replace(/^<|>$/g, '')).filter(isMessageId)
  const kept = rootAndLatest(ids, limits.ancestorsMax)
  return kept.length === 0 ? '' : headerLine('References', kept.map((id) => `<${id}>`).join(' '))
}

function keyword(field: string, value: string): string {
  if (!/^[A-Za-z-]+$/.test(value)) throw new ComposeError(field, 'is not a keyword', 'Use letters and hyphens.')
  return value
}

/** Fields that the composer or a server on the way writes. */
const reserved =
  /^(?:from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|auto-submitted|mime-version|content-.*|return-path|received|dkim-signature|arc-.*|authentication-results|resent-.*)$/i

function extraLine(field: string, name: string, value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,75}$/.test(name)) {
    throw new ComposeError(field, 'is not a header name', 'Name it with letters, digits, "-" and "_", such as X-Order.')
  }
  if (reserved.test(name)) {
    throw new ComposeError(field, 'is written by the service itself', `Leave ${name} out of the headers.`)
  }
  const clean = checked(field, value)
  try {
    // The values of List- fields have a syntax (RFC 2369) that encoded words would break.
    const isStructured = /^list-/i.test(name) && /^[\x20-\x7e]*$/.test(clean)
    return headerLine(name, isStructured ? clean : unstructured(clean, name.length + 2))
  } catch (error) {
    if (error instanceof RangeError)
      throw new ComposeError(field, 'has a word that is longer than a line may be', error.message)
    throw error
  }
}

/** A MIME entity before it is written: either content or children. `type` and `extra` are finished header text. */
type Entity =
  | { readonly type: string; readonly extra: string; readonly body: EncodedBody }
  | { readonly multipart: string; readonly children: readonly Entity[] }

async function bodyOf(draft: Draft): Promise<Entity> {
  const inline: Entity[] = []
  const files: Entity[] = []
  for (const [i, each] of draft.attachments.entries()) {
    const isShown = Boolean(draft.html && each.inline && each.contentId)
    const list = isShown ? inline : files
    list.push(await attachment(`attachments[${i}]`, each))
  }
  const alternatives: Entity[] = []
  if (draft.text || !draft.html) alternatives.push(await textEntity('plain', draft.text ?? ''))
  if (draft.html) {
    const html = await textEntity('html', draft.html)
    alternatives.push(inline.length ? { multipart: 'related; type="text/html"', children: [html, ...inline] } : html)
  }
  const body =
    alternatives.length > 1 ? { multipart: 'alternative', children: alternatives } : (alternatives[0] as Entity)
  return files.length ? { multipart: 'mixed', children: [body, ...files] } : body
}

async function textEntity(kind: 'plain' | 'html', text: string): Promise<Entity> {
  return { type: `text/${kind}; charset=utf-8`, extra: '', body: await encodeText(text) }
}

async function attachment(
  field: string,
  { name, contentType, content, contentId, inline }: DraftAttachment,
): Promise<Entity> {
  const { value: type, params } = parseParameters(checked(`${field}.contentType`, contentType))
  if (!/^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(type) || type.startsWith('multipart/')) {
    throw new ComposeError(`${field}.contentType`, 'is not a media type', 'Write it like "application/pdf".')
  }
  const fileName = safeName(checked(`${field}.name`, name))
  const disposition = `${inline ? 'inline' : 'attachment'}${fileName === '' ? '' : fileNameParameters(fileName)}`
  const id = contentId ? headerLine('Content-ID', bracketed(`${field}.contentId`, contentId)) : ''
  const extra = headerLine('Content-Disposition', disposition) + id
  const encoded: EncodedBody = { encoding: 'base64', content: [{ base64: content }] }
  if (type !== 'message/rfc822') return { type: typeWithParameters(type, params), extra, body: encoded }
  // RFC 2046 5.2.1: a message part must not be in base64, so a message that is not 7-bit is attached as a file.
  if (await isSevenBit(content)) return { type, extra, body: { encoding: '7bit', content: [content] } }
  return { type: 'application/octet-stream', extra, body: encoded }
}

/** A media type with those of its parameters that say how to read the content. */
export function typeWithParameters(type: string, params: ReadonlyMap<string, string>): string {
  const kept = [...params].filter(
    ([key, value]) => /^(?:charset|method|format|delsp|profile)$/.test(key) && /^[\w.-]{1,60}$/.test(value),
  )
  return type + kept.map(([key, value]) => `; ${key}=${value}`).join('')
}

/** Whether bytes are ASCII without NUL, in lines of at most 998 characters that end with CRLF (RFC 2045 2.7). */
async function isSevenBit(bytes: Buffer): Promise<boolean> {
  const slice = createSlice()
  let lineStart = 0
  for (let from = 0; from < bytes.length; from += sliceBytes) {
    const to = Math.min(from + sliceBytes, bytes.length)
    const part = bytes.subarray(from, to)
    if (!isAscii(part) || part.includes(0)) return false
    for (let i = from; i < to; i++) {
      const byte = bytes[i]
      if (byte !== 0x0d && byte !== 0x0a) continue
      if (byte === 0x0d ? bytes[i + 1] !== 0x0a : bytes[i - 1] !== 0x0d) return false
      if (byte === 0x0d && i - lineStart > lineMax) return false
      if (byte === 0x0a) lineStart = i + 1
    }
    if (slice.isOver(to - from)) await nextTurn()
  }
  return bytes.length - lineStart <= lineMax
}

/** Writes an entity, beginning with its Content-Type. */
function write(entity: Entity, seed: string, path = '0'): Piece[] {
  if ('body' in entity) {
    const encoding = `Content-Transfer-Encoding: ${entity.body.encoding}\r\n`
    return [`${headerLine('Content-Type', entity.type)}${encoding}${entity.extra}\r\n`, ...entity.body.content]
  }
  const parts = entity.children.map((child, i) => write(child, seed, `${path}.${i}`))
  const boundary = boundaryFor(parts.flat(), seed, path)
  const type = headerLine('Content-Type', `multipart/${entity.multipart}; boundary=${quoted(boundary)}`)
  return [`${type}\r\n`, ...parts.flatMap((part) => [`--${boundary}\r\n`, ...part, '\r\n']), `--${boundary}--\r\n`]
}

/** A boundary that no part contains, the same every time. It begins with `=_`, which does not occur in base64 or quoted-printable. */
function boundaryFor(pieces: readonly Piece[], seed: string, path: string): string {
  for (let attempt = 0; ; attempt++) {
    const hash = createHash('sha256').update(`${seed}\n${path}\n${attempt}`).digest('base64url').slice(0, 24)
    const boundary = `=_${hash}`
    const isIn = (piece: Piece) => (typeof piece === 'string' || Buffer.isBuffer(piece)) && piece.includes(boundary)
    if (!pieces.some(isIn)) return boundary
  }
}
