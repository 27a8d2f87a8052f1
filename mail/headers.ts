import { isAscii } from 'node:buffer'
import { decodeHeaderBytes } from './charset.ts'
import { limits } from './limits.ts'
import { decodeWords } from './words.ts'

/**
 * One header field. `rawValue` is unfolded only, as structured fields need it; `value` has its encoded words decoded
 * and no control characters. `start` and `end` are byte offsets in the message; `end` is after the last line end.
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
  /** Byte offset of the first byte of the body: after the blank line, or where the header simply stops. */
  readonly bodyStart: number
  /** True when fields past a limit were left out. */
  readonly truncated: boolean
}

export type HeaderLimits = { readonly bytesMax: number; readonly countMax: number }

/**
 * Reads the header that starts at byte `start` (RFC 5322 2.2, obsolete forms included). CRLF and bare LF both end a
 * line; a line that can be no field ends the header even without a blank line; an mbox `From ` line in front is
 * skipped; NUL bytes vanish; 8-bit bytes are UTF-8 or windows-1252. Linear in the header's length. Never throws.
 * @param isDelimiter tells that the line from..to is a MIME boundary, which ends the header of a part
 */
export function readHeaders(
  raw: Buffer,
  bounds: HeaderLimits = { bytesMax: limits.headerBytesMax, countMax: limits.headerCountMax },
  start = 0,
  isDelimiter?: (from: number, to: number) => boolean,
): HeaderBlock {
  const fields: HeaderField[] = []
  let truncated = false
  let open: { readonly name: string; readonly from: number; readonly value: number } | null = null
  let position = start
  const close = () => {
    if (!open) return
    if (fields.length >= bounds.countMax || position - start > bounds.bytesMax) truncated = true
    else fields.push(field(raw, open.name, open.from, open.value, position))
    open = null
  }
  while (position < raw.length) {
    const feed = raw.indexOf(0x0a, position)
    const next = feed < 0 ? raw.length : feed + 1
    const first = raw[position]
    if (first === 0x0a || (first === 0x0d && feed === position + 1)) {
      close()
      return { fields, bodyStart: next, truncated }
    }
    if (first !== 0x20 && first !== 0x09) {
      const colon = nameEnd(raw, position, next)
      if (first === 0x2d && isDelimiter?.(position, next)) break
      if (colon < 0 && !(position === start && isEnvelopeLine(raw, position))) break
      close()
      if (colon >= 0) open = { name: trimName(raw, position, colon), from: position, value: colon + 1 }
    } else if (!open && position === start) break
    position = next
  }
  close()
  return { fields, bodyStart: position, truncated }
}

/** The decoded values of every field of that name, in order; names compare case-insensitively. */
export function headerValues(fields: readonly HeaderField[], name: string): string[] {
  const wanted = name.toLowerCase()
  return fields.filter((each) => each.name.toLowerCase() === wanted).map((each) => each.value)
}

/** The first field of that name, or null. */
export function firstHeader(fields: readonly HeaderField[], name: string): HeaderField | null {
  const wanted = name.toLowerCase()
  for (const each of fields) {
    if (each.name.length === wanted.length && each.name.toLowerCase() === wanted) return each
  }
  return null
}

function field(raw: Buffer, name: string, start: number, valueStart: number, end: number): HeaderField {
  const bytes = raw.subarray(valueStart, end)
  const text = isAscii(bytes) ? bytes.toString('latin1') : decodeHeaderBytes(bytes)
  const rawValue = unfold(text)
  return { name, value: decodeWords(rawValue), rawValue, start, end }
}

// RFC 5322 2.2.3: unfolding removes the line end alone and keeps the white space after it.
function unfold(text: string): string {
  const value = text.trim()
  if (!value.includes('\n') && !value.includes('\r') && !value.includes('\0')) return value
  return value.replace(/\r?\n/g, '').replace(/\r/g, ' ').replaceAll('\0', '')
}

/** Index of the colon when the line can be a field (RFC 5322 2.2, blanks before the colon as in 4.5.1), else -1. */
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
