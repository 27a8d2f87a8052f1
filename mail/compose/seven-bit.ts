/**
 * Changes the encoding of mail: to 7 bits for a server that accepts nothing else (RFC 6152 3), or so that it has nothing that SMTP
 * does not carry (RFC 5322 2.1.1, RFC 2045 2.7). Only the parts that need it are encoded; nothing else changes.
 */
import { isAscii } from 'node:buffer'
import { inBase64Lines, lineMax, quotedPrintable, wrapBase64 } from '../encoding/encode.ts'
import type { Part } from '../message/structure.ts'

/** Replaces bytes `start` to `end` (exclusive) of the message; nothing is removed when `start` equals `end`. */
type Replacement = { readonly start: number; readonly end: number; readonly text: string }

/** Parts whose bytes are signed or encrypted, which another encoding would break. */
const untouchable = /^multipart\/(?:signed|encrypted)$/
const [nul, lf, colon] = [0, 0x0a, 0x3a] as const
const encodingField = 'content-transfer-encoding'
/** Encodings that change no byte (RFC 2045 6.2). */
const identity = /^(?:7bit|8bit|binary)$/

/**
 * Returns the message with 7-bit bodies. Null when that is impossible: a header is in UTF-8, a part is signed or encrypted, or 8-bit
 * bytes occur in an encoding that has none. DKIM signatures break, so the caller signs again. Never throws.
 */
export function toSevenBit(raw: Buffer, root: Part): Buffer | null {
  const edits: Replacement[] = []
  return convert(raw, root, edits) ? edited(raw, edits) : null
}

/**
 * Returns the message without lines of more than 998 characters and, in bodies, without NUL, as far as possible: signed or
 * encrypted parts stay unchanged, and so do header words that are longer. Such lines, and NUL, are binary data (RFC 2045 2.9), which
 * servers refuse or corrupt. Never throws.
 */
export function withoutBinary(raw: Buffer, root: Part): Buffer {
  const edits: Replacement[] = []
  mend(raw, root, edits)
  return edits.length === 0 ? raw : edited(raw, edits)
}

/** Whether there is a line of more than 998 characters, or a NUL. */
export const isBinary = (bytes: Buffer): boolean => bytes.includes(nul) || hasLongLine(bytes)

/** Whether a line has more than 998 characters without its line end. */
export function hasLongLine(bytes: Buffer): boolean {
  for (let start = 0; bytes.length - start > lineMax; ) {
    const last = bytes.lastIndexOf(lf, start + lineMax + 1)
    if (last < start) return true
    start = last + 1
  }
  return false
}

function mend(raw: Buffer, part: Part, edits: Replacement[]): void {
  for (const field of part.fields) if (field.name.toLowerCase() !== encodingField) fold(raw, field, edits)
  const { bodyStart, bodyEnd, contentType, children, embedded, encoding } = part
  const body = raw.subarray(bodyStart, bodyEnd)
  if (untouchable.test(contentType) || !isBinary(body)) return
  const inner = embedded === null ? children : [embedded]
  if (inner.length > 0) for (const child of inner) mend(raw, child, edits)
  else if (encoding === 'base64') {
    const text = body.toString('latin1').replaceAll(/[\s\0]+/g, '')
    edits.push({ start: bodyStart, end: bodyEnd, text: inBase64Lines(text) })
  } else if (identity.test(encoding)) encode(raw, part, edits)
  else if (encoding === 'quoted-printable')
    for (let at = body.indexOf(nul); at >= 0; at = body.indexOf(nul, at + 1))
      edits.push({ start: bodyStart + at, end: bodyStart + at + 1, text: '=00' })
}

/** Folds the long lines of a field at blanks (RFC 5322 2.2.3), so that no line consists of blanks alone. */
function fold(raw: Buffer, { start, end }: Part['fields'][number], edits: Replacement[]): void {
  let valueStart = raw.indexOf(colon, start) + 1
  for (let lineStart = start; end - lineStart > lineMax; ) {
    const found = raw.indexOf('\r\n', lineStart)
    const lineEnd = found < 0 ? end : Math.min(found, end)
    const line = raw.toString('latin1', lineStart, lineEnd).trimEnd()
    const at = line.length > lineMax ? blankIn(line, Math.max(valueStart - lineStart, 0)) : -1
    if (at < 0) lineStart = lineEnd + 2
    else {
      edits.push({ start: lineStart + at, end: lineStart + at, text: '\r\n' })
      lineStart += at
    }
    valueStart = lineStart
  }
}

/** Where to fold a line, after a word from `from` on: at the last blank that leaves it short enough, else at the next one; else -1. */
function blankIn(line: string, from: number): number {
  for (let at = lineMax; at > from; at--) if (isBlank(line[at]) && !isBlank(line[at - 1]) && at - 1 >= from) return at
  const next = line.slice(lineMax).search(/(?<=[^ \t])[ \t]/)
  return next < 0 ? -1 : lineMax + next
}

const isBlank = (char: string | undefined) => char === ' ' || char === '\t'

function edited(raw: Buffer, edits: Replacement[]): Buffer {
  const parts: Buffer[] = []
  let from = 0
  for (const { start, end, text } of edits.sort((a, b) => a.start - b.start)) {
    parts.push(raw.subarray(from, start), Buffer.from(text, 'latin1'))
    from = end
  }
  return Buffer.concat([...parts, raw.subarray(from)])
}

function convert(raw: Buffer, part: Part, edits: Replacement[]): boolean {
  const { bodyStart, bodyEnd, headerStart, contentType, children, embedded, encoding } = part
  if (!isAscii(raw.subarray(headerStart, bodyStart))) return false
  const body = raw.subarray(bodyStart, bodyEnd)
  if (isAscii(body)) return true
  if (untouchable.test(contentType) || !identity.test(encoding)) return false
  if (children.length > 0 || embedded !== null) {
    name(part, '7bit', edits)
    // Nobody reads what is between the parts, but it is sent.
    const inner = embedded === null ? children : [embedded]
    return inner.every((child) => convert(raw, child, edits)) && isAscii(between(raw, part, inner))
  }
  encode(raw, part, edits)
  return true
}

/** Encodes a part that has no encoding, and declares the encoding in its header. */
function encode(raw: Buffer, part: Part, edits: Replacement[]): void {
  const { bodyStart: start, bodyEnd: end, contentType } = part
  const body = raw.subarray(start, end)
  const isText = contentType.startsWith('text/')
  name(part, isText ? 'quoted-printable' : 'base64', edits)
  edits.push({ start, end, text: isText ? quotedPrintable(body) : wrapBase64(body) })
}

/** Sets the encoding in the header of a part; the header of a message also declares that it is MIME (RFC 2045 4). */
function name({ fields, bodyStart, headerStart }: Part, encoding: string, edits: Replacement[]): void {
  const named = (name: string) => fields.find((each) => each.name.toLowerCase() === name)
  const field = named(encodingField)
  const version = headerStart === 0 && named('mime-version') === undefined ? 'MIME-Version: 1.0\r\n' : ''
  const at = field?.start ?? fields.at(-1)?.end ?? Math.min(headerStart, bodyStart)
  const text = `${version}Content-Transfer-Encoding: ${encoding}\r\n`
  edits.push({ start: at, end: field?.end ?? at, text })
}

function between(raw: Buffer, { bodyStart, bodyEnd }: Part, inner: readonly Part[]): Buffer {
  const gaps: Buffer[] = []
  let from = bodyStart
  for (const { headerStart, bodyEnd: end } of inner) {
    gaps.push(raw.subarray(from, headerStart))
    from = end
  }
  return Buffer.concat([...gaps, raw.subarray(from, bodyEnd)])
}
