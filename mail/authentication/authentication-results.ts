/** The Authentication-Results field (RFC 8601): writes ours, and finds those that others wrote in our name. */
import { domainToASCII } from 'node:url'

/** Results of RFC 8601 2.7, as far as they occur. */
const authResults = ['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'] as const
export type AuthResult = (typeof authResults)[number]

/** The result with this name (RFC 8601 2.7); `none` for an unknown name. */
export function resultOf(word: string): AuthResult {
  return authResults.find((result) => result === word) ?? 'none'
}

/** Bytes `start` to `end` (exclusive) of a message. */
export type ByteRange = { readonly start: number; readonly end: number }

/** Longest field. */
const fieldBytesMax = 6 * 1024
const lineCharsMax = 76

/**
 * Returns the field with CRLF at its end; `infos` are results as mailauth writes them (`spf=pass smtp.mailfrom=...`). Those that
 * would make it longer than `fieldBytesMax` are left out.
 */
export function authenticationResults(authservId: string, infos: readonly string[]): string {
  let field = `Authentication-Results: ${authservId}`
  for (const info of infos.length > 0 ? infos : ['none']) {
    const more = `;${folded(info)}`
    if (Buffer.byteLength(field) + Buffer.byteLength(more) <= fieldBytesMax) field += more
  }
  return `${field}\r\n`
}

/** Folds a result to lines of about `lineCharsMax` characters, each beginning with a tab. */
function folded(info: string): string {
  let text = ''
  let width = lineCharsMax
  for (const word of info.split(/\s+/)) {
    if (width + word.length >= lineCharsMax) {
      text += `\r\n\t${word}`
      width = word.length + 8
    } else {
      text += ` ${word}`
      width += word.length + 1
    }
  }
  return text
}

/**
 * The Authentication-Results fields that claim to be ours (RFC 8601 5), adjacent ones as one range; null when there are more than
 * `max` ranges. Looks at every line up to the first empty one, even after a line that ends the header for us, and after a bare CR,
 * which ends no line for us: other readers may continue there.
 */
export function forgedResults(raw: Buffer, authservId: string, max: number): readonly ByteRange[] | null {
  const found: ByteRange[] = []
  const lineEnd = createLineEnds(raw)
  for (let start = 0; start < raw.length && !isEmptyLine(raw, start); ) {
    const end = isResultsField(raw, start) ? fieldEnd(raw, start) : start
    if (
      end === start ||
      authservIdOf(raw.toString('latin1', raw.indexOf(0x3a, start) + 1, end)) !== authservId.toLowerCase()
    ) {
      start = lineEnd(start)
      continue
    }
    const cut = rangeOf(raw, start, end)
    const last = found.at(-1)
    if (last?.end === cut.start) found[found.length - 1] = { start: last.start, end: cut.end }
    else found.push(cut)
    if (found.length > max) return null
    start = end
  }
  return found
}

/** The range to cut out for a field. After a bare CR that CR is cut instead of the field's line end, which then ends the line before. */
function rangeOf(raw: Buffer, start: number, end: number): ByteRange {
  if (!isBareReturn(raw, start - 1)) return { start, end }
  const before = raw[end - 1] === 0x0a ? end - 1 : end
  return { start: start - 1, end: raw[before - 1] === 0x0d ? before - 1 : before }
}

/** The message without these ranges. */
export function withoutRanges(raw: Buffer, ranges: readonly ByteRange[]): Buffer {
  if (ranges.length === 0) return raw
  const kept: Buffer[] = []
  let from = 0
  for (const { start, end } of ranges) {
    kept.push(raw.subarray(from, start))
    from = end
  }
  return Buffer.concat([...kept, raw.subarray(from)])
}

const fieldName = 'authentication-results'

function isResultsField(raw: Buffer, start: number): boolean {
  const first = raw[start]
  if (first !== 0x41 && first !== 0x61) return false
  const name = raw.toString('latin1', start, start + fieldName.length).toLowerCase()
  if (name !== fieldName) return false
  // RFC 5322 4.5.1: blanks before the colon are obsolete and still read.
  return /^[ \t]*:/.test(raw.toString('latin1', start + fieldName.length, createLineEnds(raw)(start)))
}

/** Whether the header ends here for us: a bare CR does not begin a line. */
function isEmptyLine(raw: Buffer, start: number): boolean {
  if (isBareReturn(raw, start - 1)) return false
  return raw[start] === 0x0a || (raw[start] === 0x0d && raw[start + 1] === 0x0a)
}

/** Finds line ends as other readers see them: after the next LF or bare CR. Linear when called for the lines of a header in order. */
function createLineEnds(raw: Buffer): (start: number) => number {
  const [nextReturn, nextFeed] = [createSearch(raw, 0x0d), createSearch(raw, 0x0a)]
  return (start) => {
    const [back, feed] = [nextReturn(start), nextFeed(start)]
    return Math.min(back < feed - 1 ? back + 1 : feed + 1, raw.length)
  }
}

/** Finds the next occurrence of a byte, or the length when there is none. Does not search again for what it has found. */
function createSearch(raw: Buffer, byte: number): (start: number) => number {
  let from = 0
  let found = -1
  return (start) => {
    if (start < from || start > found) {
      const at = raw.indexOf(byte, start)
      from = start
      found = at < 0 ? raw.length : at
    }
    return found
  }
}

function feedEnd(raw: Buffer, start: number): number {
  const feed = raw.indexOf(0x0a, start)
  return feed < 0 ? raw.length : feed + 1
}

const isBareReturn = (raw: Buffer, at: number) => raw[at] === 0x0d && raw[at + 1] !== 0x0a

/** Index after the last line of the field. A bare CR ends a line only in a field that begins after a bare CR. */
function fieldEnd(raw: Buffer, start: number): number {
  const next = isBareReturn(raw, start - 1) ? createLineEnds(raw) : (from: number) => feedEnd(raw, from)
  let end = next(start)
  while (end < raw.length && (raw[end] === 0x20 || raw[end] === 0x09)) end = next(end)
  return end
}

/** The authserv-id of a field: its first word, plain or quoted, after comments and blanks (RFC 8601 2.2). */
function authservIdOf(value: string): string {
  let text = value.replaceAll(/\r?\n/g, '').slice(0, authservCharsMax)
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(/^\s+|\([^()]*\)/g, '')
  }
  const quoted = /^"((?:[^"\\]|\\.)*)"/.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1')
  const id = (quoted ?? /^[^\s;()]*/.exec(text)?.[0] ?? '').toLowerCase()
  return domainToASCII(id) || id
}

/** How much of a field is searched for its authserv-id. */
const authservCharsMax = 2_000
