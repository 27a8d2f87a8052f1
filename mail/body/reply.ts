import { withAsciiDigits } from '../encoding/digits.ts'
import { limits } from '../limits.ts'
import type { NamedAddress } from '../message/address.ts'
import { type History, historyIn } from './history.ts'
import { visibleText } from './html-text.ts'
import { isMobileSignature, isSignatureMark, withQuoteMarks } from './quotation.ts'
import { type LineRange, signatureIn } from './signature.ts'
import { type Sender, senderOf } from './signature-sender.ts'

export type ReplyOptions = {
  /** Given when the message has no plain text of its own: used instead of the text, as it marks signatures. */
  readonly html?: string | null
  /** Who sent the message: his name and address tell his signature. */
  readonly from?: NamedAddress | null
}

/** Characters `start` to `end` (the first behind it) of a text, in code points. */
export type CharRange = readonly [start: number, end: number]

export type Reply = {
  /** What the sender wrote: the body without quoted history and without signature. */
  readonly reply: string
  /**
   * Where quoted history stands in the text, with what announces it: ranges in their order that do not touch. A forwarded message is
   * none, nor is a signature.
   */
  readonly quoted: readonly CharRange[]
}

/**
 * Tells what the sender wrote from what he quotes; `text` is the visible text of the message. Answers below or between quotations
 * are his; so is a forwarded message, as it is what he wants to say. General rules in many languages, linear, at most
 * `replyCharsMax` characters are looked at. Never throws.
 */
export function readReply(text: string, options: ReplyOptions = {}): Reply {
  return { reply: replyText(text, options), quoted: quotedRanges(text) }
}

/** The reply alone, as `readReply` gives it. */
export function replyText(text: string, options: ReplyOptions = {}): string {
  const body = bodyOf(text, options)
  return tidy(withoutSignatures(body, historyIn(body.plain), options)).join('\n')
}

/** A text without quoted history; signatures stay. As `readReply` otherwise. */
export function withoutQuotes(text: string, options: ReplyOptions = {}): string {
  const { lines, plain } = bodyOf(text, options)
  const { quoted } = historyIn(plain)
  const own: string[] = []
  let from = 0
  for (const { start, end, before } of quoted) {
    own.push(...lines.slice(from, start), ...(before === '' ? [] : [before]))
    from = end
  }
  return tidy([...own, ...lines.slice(from)]).join('\n')
}

/** A text without its signature; quoted history is taken for the sender's own. As `readReply` otherwise. */
export function withoutSignature(text: string, options: ReplyOptions = {}): string {
  const body = bodyOf(text, options)
  return tidy(withoutSignatures(body, { quoted: [], forwarded: body.lines.length }, options)).join('\n')
}

function quotedRanges(text: string): readonly CharRange[] {
  const lines = linesOf(text)
  const { quoted } = historyIn(comparable(lines.map(({ line }) => line)))
  const at = (index: number) => lines[index]?.at ?? text.length
  return inCodePoints(
    text,
    quoted.map(({ start, end, before }) => [at(start) + before.length, at(end)]),
  )
}

/** A body as it is read: its lines, and the form in which they are compared. */
type Body = { readonly lines: readonly string[]; readonly plain: readonly string[] }

function bodyOf(text: string, { html = null }: ReplyOptions): Body {
  const body = html ? visibleText(html, { signatures: false }).text || text : text
  const lines = linesOf(body).map(({ line }) => line)
  return { lines, plain: comparable(lines) }
}

/** The lines of a text, as far as they are looked at, and where they begin in it. */
function linesOf(text: string): readonly { readonly line: string; readonly at: number }[] {
  const lines = []
  let at = 0
  for (const [end] of `${text.slice(0, limits.replyCharsMax)}\n`.matchAll(/[^\r\n]*(?:\r\n?|\n)/g)) {
    lines.push({ line: end.replace(/[\r\n]+$/, ''), at })
    at += end.length
  }
  return lines
}

/** Ranges of UTF-16 units as ranges of code points; they come in order. */
function inCodePoints(text: string, ranges: readonly CharRange[]): readonly CharRange[] {
  let [units, points] = [0, 0]
  const pointOf = (unit: number) => {
    for (; units < unit; units += (text.codePointAt(units) as number) > 0xffff ? 2 : 1) points++
    return points
  }
  return ranges.map(([start, end]): CharRange => [pointOf(start), pointOf(end)])
}

/** The sender's own lines, and a forwarded message, without signatures. */
function withoutSignatures(
  { lines, plain }: Body,
  { quoted, forwarded }: History,
  { from = null }: ReplyOptions,
): readonly string[] {
  const own = createOwnText(from && senderOf(from))
  let next = 0
  let quote = quoted[0]
  for (let i = 0; i < forwarded; ) {
    if (i === quote?.start) {
      if (quote.before !== '') own.add(quote.before, quote.before)
      own.endPassage()
      i = quote.end
      quote = quoted[++next]
    } else if (own.hasText() && isSignatureStart(plain, i, quote?.start ?? forwarded)) {
      own.endPassage({ isMarked: !isMobileSignature(plain[i] as string) })
      i = quote?.start ?? forwarded
    } else {
      own.add(lines[i] as string, plain[i] as string)
      i++
    }
  }
  return [...own.lines(), ...lines.slice(forwarded)]
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

/** Lines in the form in which they are compared: their beginning, without direction marks, blanks and digits the ordinary ones. */
function comparable(lines: readonly string[]): readonly string[] {
  const plain = lines.map((line) => {
    const beginning = line
      .slice(0, 600)
      .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
      .replace(/[\u00a0\u2000-\u200a\u202f\u3000\t]/g, ' ')
    return withAsciiDigits(beginning)
  })
  return withQuoteMarks(plain)
}

/** Whether a mark of a signature stands at `index`, and below it, up to `end`, no more than a signature has. */
function isSignatureStart(plain: readonly string[], index: number, end: number): boolean {
  const line = plain[index] as string
  if (isMobileSignature(line)) return true
  const linesMax = isSignatureMark(line)
  if (linesMax === 0) return false
  let count = 0
  for (let i = index + 1; i < end; i++) {
    const line = plain[i] as string
    if (line.trim() !== '') count++
    if (count > linesMax || line.length > 200 || (linesMax < 30 && /[{};]\s*$/.test(line))) return false
  }
  return true
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
