import { isAscii, isUtf8 } from 'node:buffer'
import { decodeHeaderBytes, isEightBit } from '../encoding/charset.ts'
import { relabelled, undeclaredBytes } from '../encoding/encoded-words.ts'
import { decodeWords } from '../encoding/header-words.ts'
import { parseParameters } from '../encoding/parameters.ts'
import { limits } from '../limits.ts'

/**
 * One header field. `rawValue` is only unfolded, as structured fields need it, but encoded words whose charset was guessed are
 * labelled with that charset. `value` has its encoded words decoded and control characters removed. `start` and `end` are byte
 * offsets in the message; `end` is after the last line end.
 */
export type HeaderField = {
  readonly name: string
  readonly value: string
  readonly rawValue: string
  readonly start: number
  readonly end: number
}

export type HeaderBlock = {
  readonly fields: readonly HeaderField[]
  /** Byte offset of the first byte of the body: after the blank line, or where the header ends without one. */
  readonly bodyStart: number
  /** True when a limit left fields out. */
  readonly truncated: boolean
  /** True when 8-bit fields are not UTF-8 and their charset is not declared. */
  readonly isGuessed: boolean
}

export type HeaderLimits = { readonly bytesMax: number; readonly countMax: number }

export type HeaderOptions = {
  readonly bounds?: HeaderLimits
  /** Byte offset at which the header begins. */
  readonly start?: number
  /** Tells whether the line from..to is a MIME boundary, which ends the header of a part. */
  readonly isDelimiter?: (from: number, to: number) => boolean
  /** The header of a part inside a multipart, where only `Content-` fields mean anything. */
  readonly isPart?: boolean
  /** Charset of 8-bit fields when the header itself names none. */
  readonly charset?: string | null
  /** Guesses the charset of 8-bit fields without a declared one (argument null), or of these bytes of encoded words. */
  readonly guess?: (words: Buffer | null) => string
}

const wholeHeader: HeaderLimits = { bytesMax: limits.headerBytesMax, countMax: limits.headerCountMax }

/**
 * Reads a header (RFC 5322 2.2, obsolete forms included). CRLF and bare LF both end a line. A leading mbox `From ` line and a
 * BOM before a field name are skipped; NUL bytes are removed. 8-bit bytes are read as UTF-8, else in the charset of the
 * Content-Type, else in `options.charset`, else in the charset that `guess` returns, else as windows-1252.
 *
 * A line that cannot be a field ends the header even without a blank line. The exception: if it is followed, before the blank line,
 * by fields that headers have and this one still lacks, then it continues the previous field if that is unfinished, and is left out
 * otherwise. Linear in the header's length. Never throws.
 */
export function readHeaders(raw: Buffer, options: HeaderOptions = {}): HeaderBlock {
  const { bounds = wholeHeader, start = 0, isDelimiter } = options
  const found: Span[] = []
  let truncated = false
  let open: Omit<Span, 'end'> | null = null
  let position = start
  let lastNewField: number | null = null
  const close = () => {
    if (!open) return
    if (found.length >= bounds.countMax || position - start > bounds.bytesMax) truncated = true
    else found.push({ ...open, end: position })
    open = null
  }
  const finish = (bodyStart: number): HeaderBlock => {
    close()
    return { ...decoded(raw, found, options), bodyStart, truncated }
  }
  while (position < raw.length) {
    const feed = raw.indexOf(0x0a, position)
    const next = feed < 0 ? raw.length : feed + 1
    const from = hasMark(raw, position) ? position + 3 : position
    const byte = raw[from]
    if (byte === 0x0a || (byte === 0x0d && feed === from + 1)) return finish(next)
    const isFolded = byte === 0x20 || byte === 0x09
    const colon = isFolded ? -1 : nameEnd(raw, from, next)
    if (byte === 0x2d && (isDelimiter?.(from, next) || (colon < 0 && raw[from + 1] === 0x2d))) break
    if (colon >= 0) {
      close()
      open = { name: trimName(raw, from, colon), start: from, value: colon + 1 }
    } else if (isFolded ? position === start : !(position === start && isEnvelopeLine(raw, from))) {
      const before: Omit<Span, 'end'> | null = open
      const end = before === null ? '' : lastSign(raw, before, position)
      if (!completes(raw, end, position, next)) {
        lastNewField ??= lastField(raw, position, { ...options, bounds, start }, [
          ...found,
          ...(before ? [before] : []),
        ])
        if (position > lastNewField) break
        if (!mayContinue(raw, end, position, next)) close()
      }
    }
    position = next
  }
  return finish(position)
}

/** The decoded values of all fields with that name, in order; names compare case-insensitively. */
export function headerValues(fields: readonly HeaderField[], name: string): string[] {
  const wanted = name.toLowerCase()
  return fields.filter((each) => each.name.toLowerCase() === wanted).map((each) => each.value)
}

/** The first field with that name, or null. */
export function firstHeader(fields: readonly HeaderField[], name: string): HeaderField | null {
  const wanted = name.toLowerCase()
  for (const each of fields) {
    if (each.name.length === wanted.length && each.name.toLowerCase() === wanted) return each
  }
  return null
}

/** The byte offsets of a field; `value` is the offset after its colon. */
type Span = { readonly name: string; readonly start: number; readonly value: number; readonly end: number }

function decoded(
  raw: Buffer,
  found: readonly Span[],
  { charset: outside = null, guess }: HeaderOptions,
): Pick<HeaderBlock, 'fields' | 'isGuessed'> {
  let charset: string | null | undefined
  let isGuessed = false
  const rawValues = found.map(({ value, end }) => {
    const bytes = raw.subarray(value, end)
    const isPlain = isAscii(bytes) && !bytes.includes(escapeByte)
    if (!isPlain && !isUtf8(bytes)) {
      if (charset === undefined) {
        charset = charsetOf(raw, found) ?? outside
        isGuessed = charset === null
        charset ??= guess?.(null) ?? null
      }
    }
    return unfold(isPlain ? bytes.toString('latin1') : decodeHeaderBytes(bytes, charset ?? null))
  })
  const fields = (guess === undefined ? rawValues : withLabels(rawValues, guess)).map((rawValue, n) => {
    const { name, start, end } = found[n] as Span
    return { name, value: decodeWords(rawValue), rawValue, start, end }
  })
  return { fields, isGuessed }
}

/** Labels the encoded words whose charset says nothing with a guessed one: all those of a header share a charset. */
function withLabels(values: readonly string[], guess: (words: Buffer) => string): readonly string[] {
  const undeclared = values.map((value) => (value.includes('=?') ? undeclaredBytes(value) : null))
  const words = undeclared.filter((bytes) => bytes !== null)
  if (words.length === 0) return values
  const label = guess(Buffer.concat(words.flatMap((bytes) => [bytes, lineEnd])))
  return values.map((value, n) => (undeclared[n] === null ? value : relabelled(value, label)))
}

const lineEnd = Buffer.from('\n')

/** ESC, which begins the escape sequences of ISO-2022-JP. */
const escapeByte = 0x1b

/** The charset that the Content-Type names, if 8-bit header bytes can be in it; else null. */
function charsetOf(raw: Buffer, found: readonly Span[]): string | null {
  const type = found.find(({ name }) => name.toLowerCase() === 'content-type')
  if (type === undefined) return null
  const charset = parseParameters(unfold(raw.toString('latin1', type.value, type.end))).params.get('charset') ?? null
  return isEightBit(charset) ? charset : null
}

// RFC 5322 2.2.3: unfolding removes the line end alone and keeps the white space after it.
function unfold(text: string): string {
  const value = text.trim()
  if (!value.includes('\n') && !value.includes('\r') && !value.includes('\0')) return value
  return value
    .replace(/\r?\n([ \t])/g, '$1')
    .replace(/\r?\n|\r/g, ' ')
    .replaceAll('\0', '')
}

/** The last characters of a field that ends at `to` if they show that it is unfinished: `;`, `,` or `?=` of an encoded word; else ''. */
function lastSign(raw: Buffer, { value }: Pick<Span, 'value'>, to: number): string {
  let end = to
  while (end > value && (raw[end - 1] as number) <= 0x20) end--
  const sign = raw.toString('latin1', Math.max(value, end - 2), end)
  return sign === '?=' ? sign : sign.endsWith(';') || sign.endsWith(',') ? sign.slice(-1) : ''
}

/** Whether the line alone shows that it continues an unfinished field, by its next parameter or its next encoded word. */
function completes(raw: Buffer, sign: string, from: number, to: number): boolean {
  const line = sign === '' || sign === ',' ? '' : raw.toString('latin1', from, Math.min(to, from + lineStartBytes))
  return sign === ';' ? /^[a-z][\w*-]*=/i.test(line) : sign === '?=' && /^=\?[^?\s]+\?[bq]\?/i.test(line)
}

/** Whether the line may continue an unfinished field while more fields follow. In a list of addresses it must have no colon. */
function mayContinue(raw: Buffer, sign: string, from: number, to: number): boolean {
  return sign === ';' || (sign === ',' && !raw.subarray(from, Math.min(to, from + lineStartBytes)).includes(0x3a))
}

/** How many bytes of a line are enough to tell what it is. */
const lineStartBytes = 80

/**
 * Offset of the last line before the blank line that is a new field: one that any header may have and this one has not had yet.
 * -1 when there is none, which means that the body begins at `from`.
 */
function lastField(
  raw: Buffer,
  from: number,
  { bounds, start, isPart }: HeaderOptions & { readonly bounds: HeaderLimits; readonly start: number },
  before: readonly { readonly name: string }[],
): number {
  const had = new Set(before.map(({ name }) => name.toLowerCase()))
  const known = isPart ? partField : messageField
  const end = Math.min(raw.length, start + bounds.bytesMax)
  let last = -1
  for (let position = from; position < end; ) {
    const feed = raw.indexOf(0x0a, position)
    const next = feed < 0 ? raw.length : feed + 1
    const byte = raw[position]
    if (byte === 0x0a || (byte === 0x0d && feed === position + 1)) return last
    // Dashes begin a MIME boundary, a signature or a quoted message.
    if (byte === 0x2d && raw[position + 1] === 0x2d) return last
    const colon = nameEnd(raw, position, Math.min(next, position + lineStartBytes))
    const name = colon < 0 ? '' : trimName(raw, position, colon).toLowerCase()
    if (known.test(name) && !had.has(name)) last = position
    position = next
  }
  return last
}

const partField = /^content-[a-z-]+$/
const messageField =
  /^(?:from|sender|reply-to|to|cc|bcc|subject|date|message-id|in-reply-to|references|mime-version|received|return-path|delivered-to|user-agent|auto-submitted|precedence|authentication-results|(?:content|list|resent|arc|dkim|x)-[a-z-]+)$/

/** Programs that join files leave a BOM before the first field, and servers then put their own fields before that. */
function hasMark(raw: Buffer, at: number): boolean {
  return raw[at] === 0xef && raw[at + 1] === 0xbb && raw[at + 2] === 0xbf
}

/** Index of the colon when the line can be a field (RFC 5322 2.2; blanks before the colon as in 4.5.1), else -1. */
function nameEnd(raw: Buffer, from: number, to: number): number {
  let blank = false
  for (let i = from; i < to; i++) {
    const byte = raw[i] as number
    if (byte === 0x3a) return i > from ? i : -1
    if (byte === 0x20 || byte === 0x09) blank = true
    else if (blank || byte < 0x21 || byte > 0x7e) return -1
  }
  return -1
}

function trimName(raw: Buffer, from: number, colon: number): string {
  return raw.toString('latin1', from, colon).trimEnd()
}

// mbox files and some programs put `From sender date` (perhaps `>From`) in front.
function isEnvelopeLine(raw: Buffer, at: number): boolean {
  const text = raw.toString('latin1', at, at + 6)
  return text.startsWith('From ') || text === '>From '
}

/** Whether a header has a field that differs between two messages with the same text. Without one, their bytes are the same. */
export function isDistinct(fields: readonly HeaderField[]): boolean {
  return fields.some(({ name }) => distinguishing.test(name))
}

const distinguishing = /^(?:message-id|date|received)$/i
