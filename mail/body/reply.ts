import { withAsciiDigits } from '../encoding/digits.ts'
import { limits } from '../limits.ts'
import type { NamedAddress } from '../message/address.ts'
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
  withQuoteMarks,
} from './quotation.ts'
import { type LineRange, signatureIn } from './signature.ts'
import { type Sender, senderOf } from './signature-sender.ts'

export type ReplyOptions = {
  /** Given when the message has no plain text of its own: used instead of the text, as it marks signatures. */
  readonly html?: string | null
  /** Who sent the message: his name and address tell his signature. */
  readonly from?: NamedAddress | null
}

/**
 * What the sender wrote: the body without quoted history and without signature. Answers below or between quotations
 * are kept; a forwarded message is kept, as it is what the sender wants to say. General rules in many languages,
 * linear, at most `replyCharsMax` characters are looked at. Never throws.
 */
export function replyText(text: string, { html = null, from = null }: ReplyOptions = {}): string {
  const body = html ? visibleText(html, { signatures: false }).text || text : text
  const lines = body.slice(0, limits.replyCharsMax).replace(/\r\n?/g, '\n').split('\n')
  const plain = withQuoteMarks(lines.map(comparable))
  return tidy(ownLines(lines, plain, from)).join('\n')
}

/** Walks from the top and keeps the sender's own lines. */
function ownLines(lines: readonly string[], plain: readonly string[], from: NamedAddress | null): readonly string[] {
  const own = createOwnText(from && senderOf(from))
  let i = 0
  while (i < plain.length) {
    if (hasForwardMark(plain, i)) return [...own.lines(), ...lines.slice(i)]
    if (isOriginalMark(plain, i) || headerBlockAt(plain, i)) {
      // History that nothing stands before is a message forwarded without a word.
      return own.hasText() ? own.lines() : lines.slice(i)
    }
    const attribution = attributionAt(plain, i)
    if (attribution) {
      if (attribution.before !== '') own.add(attribution.before, attribution.before)
      const next = firstText(plain, attribution.end)
      if (next < plain.length && !isQuoted(plain[next] as string)) return own.hasText() ? own.lines() : lines.slice(i)
      own.endPassage()
      i = quoteEnd(plain, next)
    } else if (isQuoted(plain[i] as string)) {
      own.endPassage()
      i = quoteEnd(plain, i)
    } else if (own.hasText() && isSignatureStart(plain, i)) {
      own.endPassage({ isMarked: !isMobileSignature(plain[i] as string) })
      i = historyStart(plain, i + 1)
    } else {
      own.add(lines[i] as string, plain[i] as string)
      i++
    }
  }
  return own.lines()
}

/** Collects the sender's lines in passages. A signature ends the first one, above all quotations, or the last one. */
function createOwnText(sender: Sender | null) {
  const kept: string[] = []
  let passage: { readonly line: string; readonly plain: string }[] = []
  let hasText = false
  let hasEarlierText = false
  const endPassage = ({ isMarked = false, isLast = false } = {}) => {
    const lines = passage.map(({ line }) => line)
    if (isLast || !hasEarlierText) {
      const plain = passage.map((each) => each.plain)
      const signature = signatureIn(plain, { sender, isFirst: !hasEarlierText, isMarked })
      if (signature) cutOut(lines, signature)
    }
    for (const line of lines) kept.push(line)
    passage = []
    hasEarlierText = hasText
  }
  return {
    add(line: string, plain: string) {
      passage.push({ line, plain })
      hasText ||= plain.trim() !== ''
    },
    endPassage,
    hasText: () => hasText,
    lines(): readonly string[] {
      endPassage({ isLast: true })
      return kept
    },
  }
}

/** Takes lines out, and the blank lines above them when there are some below. */
function cutOut(lines: string[], { start, end }: LineRange): void {
  let from = start
  if (lines[end]?.trim() === '') while (from > 0 && (lines[from - 1] as string).trim() === '') from--
  lines.splice(from, end - from)
}

/** A line in the form in which it is compared: its beginning, without direction marks, blanks and digits the ordinary ones. */
function comparable(line: string): string {
  const beginning = line
    .slice(0, 600)
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\u00a0\u2000-\u200a\u202f\u3000\t]/g, ' ')
  return withAsciiDigits(beginning)
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
    if (count > linesMax || line.length > 200 || (linesMax < 30 && /[{};]\s*$/.test(line))) return false
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
  if (isQuoted(line) || isOriginalMark(plain, index)) return true
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
