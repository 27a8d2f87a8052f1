import { withAsciiDigits } from '../encoding/digits.ts'
import { limits } from '../limits.ts'
import type { NamedAddress } from '../message/address.ts'
import { isForwardSubject } from '../message/threading.ts'
import { partsBeside } from './alternative-parts.ts'
import { type Body, type History, historyIn } from './history.ts'
import { visibleLines } from './html-text.ts'
import { mayMarkParts } from './mail-markup.ts'
import { isMobileSignature, isRuler, isSignatureMark, withQuoteMarks } from './quotation.ts'
import { type LineRange, signatureIn } from './signature.ts'
import { isStatement, signatureLine } from './signature-lines.ts'
import { type Sender, senderOf } from './signature-sender.ts'

export type ReplyOptions = {
  /** The HTML that the text was made from, or that says the same beside it: its markup shows quotations and signatures. */
  readonly html?: string | null
  /** Tells a forward from a reply where the body does not. */
  readonly subject?: string | null
  /** The sender of the message, whose name and address show which signature is the sender's. */
  readonly from?: NamedAddress | null
}

/** Characters `start` to `end` (exclusive) of a text, in code points. */
export type CharRange = readonly [start: number, end: number]

export type Reply = {
  /** What the sender wrote: the body without quoted history and without signature. */
  readonly reply: string
  /**
   * Where the text has quoted history, with the lines that announce it: ranges in order that do not touch. Forwarded messages and
   * signatures are not among them.
   */
  readonly quoted: readonly CharRange[]
}

/**
 * Separates what the sender wrote from what the sender quotes; `text` is the visible text of the message. Answers below or between
 * quotations are the sender's. So is a forwarded message, because it is what the sender wants to say. The rules are general, in many
 * languages. Linear; at most `replyCharsMax` characters are looked at. Never throws.
 */
export function readReply(text: string, options: ReplyOptions = {}): Reply {
  const body = bodyOf(text, options)
  const history = historyFor(body, options)
  return { reply: replyOf(body, history, options), quoted: text.trim() === '' ? [] : quotedRanges(text, history) }
}

/** The reply alone, as `readReply` returns it. */
export function replyText(text: string, options: ReplyOptions = {}): string {
  const body = bodyOf(text, options)
  return replyOf(body, historyFor(body, options), options)
}

/** A text without quoted history but with signatures. Otherwise like `readReply`. */
export function withoutQuotes(text: string, options: ReplyOptions = {}): string {
  const body = bodyOf(text, options)
  return tidy(ownLines(body, historyFor(body, options))).join('\n')
}

/** A text without its signature; quoted history counts as the sender's own. Otherwise like `readReply`. */
export function withoutSignature(text: string, options: ReplyOptions = {}): string {
  const body = bodyOf(text, options)
  return replyOf(body, { quoted: [], forwarded: body.lines.length }, options)
}

function historyFor(body: Body, { subject = null }: ReplyOptions): History {
  return historyIn(body, { isForward: subject !== null && isForwardSubject(subject) })
}

/** What is left without quoted history and signature. A signature stays if nothing else was written. */
function replyOf(body: Body, history: History, { from = null }: ReplyOptions): string {
  const reply = tidy(withoutSignatures(body, history, from && senderOf(from)))
  return (reply.length > 0 ? reply : tidy(ownLines(body, history).filter((line) => !isMobileSignature(line)))).join(
    '\n',
  )
}

function ownLines({ lines }: Body, { quoted }: History): readonly string[] {
  const ends = [0, ...quoted.map(({ end }) => end)]
  return ends.flatMap((from, n) => {
    const { start = lines.length, before = '' } = quoted[n] ?? {}
    return [...lines.slice(from, start), ...(before === '' ? [] : [before])]
  })
}

function quotedRanges(text: string, { quoted }: History): readonly CharRange[] {
  if (quoted.length === 0) return []
  const starts = lineStarts(text)
  const at = (index: number) => starts[index] ?? text.length
  return inCodePoints(
    text,
    quoted.map(({ start, end, before }) => [at(start) + before.length, at(end)]),
  )
}

/** The lines of a text, or of the HTML when the text is empty, with the mail parts that are marked in the HTML. */
function bodyOf(text: string, { html = null }: ReplyOptions): Body {
  const isAlone = text.trim() === ''
  const seen = html !== null && (isAlone || mayMarkParts(html)) ? visibleLines(html) : null
  const all = isAlone && seen !== null ? seen.lines.join('\n') : text
  const lines = all.slice(0, limits.replyCharsMax).split(lineEnd)
  const isSame = seen !== null && all === seen.lines.join('\n')
  const parts = seen === null ? null : isSame ? seen.parts : partsBeside(lines, seen)
  return { lines, plain: comparable(lines), parts, isLaidOut: isSame }
}

const lineEnd = /\r\n?|\n/

/** The offset at which each line of a text begins. */
function lineStarts(text: string): readonly number[] {
  const ends = text.slice(0, limits.replyCharsMax).matchAll(new RegExp(lineEnd, 'g'))
  return [0, ...Array.from(ends, ({ index, 0: end }) => index + end.length)]
}

/** Converts ranges of UTF-16 units, which come in order, to ranges of code points. */
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
  { lines, plain, parts }: Body,
  { quoted, forwarded }: History,
  sender: Sender | null,
): readonly string[] {
  const own = createOwnText(sender)
  const isMarked = (i: number) => parts?.[i]?.some(({ kind }) => kind === 'signature') === true
  let next = 0
  let quote = quoted[0]
  for (let i = 0; i < forwarded; ) {
    if (i === quote?.start) {
      if (quote.before !== '') own.add(quote.before, quote.before)
      own.endPassage()
      i = quote.end
      quote = quoted[++next]
    } else if (isMarked(i)) {
      own.endPassage({ isMarked: true })
      i++
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

/** Collects the sender's lines in passages. A signature may end the first passage, above all quotations, or the last one. */
function createOwnText(sender: Sender | null) {
  const kept: string[] = []
  let passage: { readonly lines: string[]; readonly plain: string[] } = { lines: [], plain: [] }
  let hasText = false
  let hasEarlierText = false
  const endPassage = ({ isMarked = false, isLast = false } = {}) => {
    const { lines, plain } = passage
    if (isLast || !hasEarlierText) {
      const signature = signatureIn(plain, { sender, isFirst: !hasEarlierText, isMarked })
      if (signature) cutOut(lines, signature)
    }
    for (const line of lines) kept.push(line)
    passage = { lines: [], plain: [] }
    hasEarlierText = hasText
  }
  return {
    add(line: string, plain: string) {
      passage.lines.push(line)
      passage.plain.push(plain)
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

/** Removes lines, and the blank lines above them if there is one below. */
function cutOut(lines: string[], { start, end }: LineRange): void {
  let from = start
  if (lines[end]?.trim() === '') while (from > 0 && (lines[from - 1] as string).trim() === '') from--
  lines.splice(from, end - from)
}

/** Text without direction marks and without unusual blanks and digits. */
const printableAscii = /^[ -~]*$/

/** Lines in the form that is compared: the beginning of each, without direction marks, with ordinary blanks and digits. */
function comparable(lines: readonly string[]): readonly string[] {
  const plain = lines.map((line) => {
    const beginning = line.slice(0, 600)
    if (printableAscii.test(beginning)) return beginning
    const unmarked = beginning
      .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
      .replace(/[\u00a0\u2000-\u200a\u202f\u3000\t]/g, ' ')
    return withAsciiDigits(unmarked)
  })
  return withQuoteMarks(plain)
}

/** Whether a signature mark is at `index`, and below it, up to `end`, no more lines than a signature has. */
function isSignatureStart(plain: readonly string[], index: number, end: number): boolean {
  const line = plain[index] as string
  if (isMobileSignature(line)) return true
  const linesMax = isSignatureMark(line)
  if (linesMax === 0) return false
  const below: string[] = []
  for (let i = index + 1; i < end; i++) {
    const line = plain[i] as string
    if (line.trim() !== '') below.push(line)
    if (below.length > linesMax || line.length > 200 || (linesMax < 30 && /[{};]\s*$/.test(line))) return false
  }
  // A ruler may also separate parts of the text.
  return !isRuler(line) || below.length === 0 || !below.every((each, i) => isStatement(signatureLine(each, i)))
}

/** Drops blank lines at both ends, and rulers at the lower end. */
function tidy(lines: readonly string[]): string[] {
  const isEmpty = (line: string) => /^[\s_=*\u2014-]*$/.test(line)
  let end = lines.length
  while (end > 0 && isEmpty(lines[end - 1] as string)) end--
  let start = 0
  while (start < end && (lines[start] as string).trim() === '') start++
  return lines.slice(start, end).map((line) => line.trimEnd())
}
