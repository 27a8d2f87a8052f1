import { limits } from '../limits.ts'
import { visibleText } from './html-text.ts'
import {
  attributionAt,
  hasForwardMark,
  headerBlockAt,
  isMobileSignature,
  isOriginalMark,
  isQuoted,
  isSignatureMark,
  isWrappedQuote,
} from './quotation.ts'

/**
 * What the sender wrote: the body without quoted history and without signature. Answers below or between quotations
 * are kept; a forwarded message is kept, as it is what the sender wants to say. General rules in many languages,
 * linear, at most `replyCharsMax` characters are looked at. Never throws.
 * @param html given when the message has no plain text of its own: used instead of `text`, as it marks signatures
 */
export function replyText(text: string, html?: string | null): string {
  const body = html ? visibleText(html, { signatures: false }).text || text : text
  const lines = body.slice(0, limits.replyCharsMax).replace(/\r\n?/g, '\n').split('\n')
  const plain = lines.map(comparable)
  return tidy(ownLines(lines, plain)).join('\n')
}

/** Walks from the top and keeps the sender's own lines. */
function ownLines(lines: readonly string[], plain: readonly string[]): string[] {
  const own: string[] = []
  let hasText = false
  let i = 0
  while (i < plain.length) {
    if (hasForwardMark(plain, i)) return own.concat(lines.slice(i))
    if (isOriginalMark(plain[i] as string) || headerBlockAt(plain, i)) {
      // History that nothing stands before is a message forwarded without a word.
      return hasText ? own : own.concat(lines.slice(i))
    }
    const attribution = attributionAt(plain, i)
    if (attribution) {
      if (attribution.before !== '') own.push(attribution.before)
      hasText ||= attribution.before !== ''
      const next = firstText(plain, attribution.end)
      if (next < plain.length && !isQuoted(plain[next] as string)) return hasText ? own : own.concat(lines.slice(i))
      i = quoteEnd(plain, next)
    } else if (isQuoted(plain[i] as string)) {
      i = quoteEnd(plain, i)
    } else if (hasText && isSignatureStart(plain, i)) {
      i = historyStart(plain, i + 1)
    } else {
      own.push(lines[i] as string)
      hasText ||= (plain[i] as string).trim() !== ''
      i++
    }
  }
  return own
}

/** A line in the form in which it is compared: its beginning, without direction marks, every blank a space. */
function comparable(line: string): string {
  return line
    .slice(0, 600)
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000\t]/g, ' ')
}

function firstText(plain: readonly string[], from: number): number {
  let i = from
  while (i < plain.length && (plain[i] as string).trim() === '') i++
  return i
}

/** Index after the quotation at `start`: quoted lines, what a wrap tore off them, and blank lines between and below. */
function quoteEnd(plain: readonly string[], start: number): number {
  let end = start
  let i = start
  while (i < plain.length) {
    if (isQuoted(plain[i] as string)) {
      i++
      end = i
    } else if ((plain[i] as string).trim() === '') i++
    else if (i === end && isWrappedQuote(plain[i - 1] ?? '', plain[i] as string, plain[i + 1] ?? '')) {
      i++
      end = i
    } else break
  }
  return firstText(plain, end)
}

function isSignatureStart(plain: readonly string[], index: number): boolean {
  const line = plain[index] as string
  if (isMobileSignature(line)) return true
  const linesMax = isSignatureMark(line)
  if (linesMax === 0) return false
  let count = 0
  for (let i = index + 1; i < plain.length && !isHistory(plain, i); i++) {
    const line = plain[i] as string
    if (line.trim() !== '') count++
    if (count > linesMax || line.length > 200) return false
  }
  return true
}

/** Where quoted history goes on after a signature, or the end. */
function historyStart(plain: readonly string[], from: number): number {
  let i = from
  while (i < plain.length && !isHistory(plain, i)) i++
  return i
}

function isHistory(plain: readonly string[], index: number): boolean {
  const line = plain[index] as string
  if (isQuoted(line) || isOriginalMark(line)) return true
  return attributionAt(plain, index) !== null || headerBlockAt(plain, index) || hasForwardMark(plain, index)
}

/** Drops blank lines and rulers at both ends. */
function tidy(lines: readonly string[]): string[] {
  const isEmpty = (line: string) => /^[\s_=*\u2014-]*$/.test(line)
  let end = lines.length
  while (end > 0 && isEmpty(lines[end - 1] as string)) end--
  let start = 0
  while (start < end && (lines[start] as string).trim() === '') start++
  return lines.slice(start, end).map((line) => line.trimEnd())
}
