/** Finds the lines of a body that are quoted history: by the markup of mail programs, and where that says nothing, by the text. */

import type { MailPart, PartKind } from './mail-markup.ts'
import {
  attributionAt,
  hasForwardMark,
  headerBlockAt,
  isOriginalMark,
  isProse,
  isQuoted,
  isRuler,
  isWrappedQuote,
  unknownHeaderBlockAt,
} from './quotation.ts'

/** A body, prepared for the search. */
export type Body = {
  readonly lines: readonly string[]
  /** The lines as they are compared: without direction marks, with ordinary blanks and digits, and with `>` for all quote marks. */
  readonly plain: readonly string[]
  /** The mail parts that each line is in, according to the markup; null when there is no such markup. */
  readonly parts: readonly (readonly MailPart[])[] | null
  /** Whether the lines were laid out from a document, so that no mail program wrapped them. */
  readonly isLaidOut: boolean
}

/** Lines `start` to `end` (exclusive). `before` is text of the sender in front of the quotation on the first line. */
export type QuotedLines = { readonly start: number; readonly end: number; readonly before: string }

export type History = {
  /** From top to bottom, each with the lines that announce it and the blank lines below. */
  readonly quoted: readonly QuotedLines[]
  /** Where a forwarded message begins, which extends to the end and is part of what the sender says. Without one, the number of lines. */
  readonly forwarded: number
}

/**
 * Finds quoted history: lines with quote marks, what is below an attribution or a block of header fields, and what mail programs mark
 * as quoted. If nothing precedes such a message, or `isForward` says that the mail is a forward, it is a forwarded message.
 * Linear. Never throws.
 */
export function historyIn(body: Body, { isForward }: { readonly isForward: boolean }): History {
  const { plain } = body
  const all = plain.length
  const quoted: QuotedLines[] = []
  const begun = new Set<MailPart>()
  let hasText = false
  let i = 0
  while (i < all) {
    if (isBlank(plain, i)) {
      i++
      continue
    }
    if (body.parts === null && isProse(plain[i] as string)) {
      hasText = true
      i++
      continue
    }
    const found = passageAt(body, i, begun)
    hasText ||= found.before !== '' || found.is === 'own'
    if (found.is === 'forwarded') return { quoted, forwarded: i }
    // A message with nothing before it is forwarded without a comment.
    if (found.is === 'message' && (isForward || !hasText)) return { quoted, forwarded: i }
    if (found.is !== 'own') add(quoted, { start: withRuler(plain, i, quoted), end: found.end, before: found.before })
    i = found.end
  }
  return { quoted, forwarded: all }
}

/** Adds history, and joins it to the range before if it continues that. */
function add(quoted: QuotedLines[], lines: QuotedLines): void {
  const last = quoted.at(-1)
  if (last?.end !== lines.start || lines.before !== '') quoted.push(lines)
  else quoted[quoted.length - 1] = { ...last, end: lines.end }
}

/** What the lines up to `end` are. A `message` is history, but may also be a forwarded message. */
type Passage = {
  readonly is: 'own' | 'history' | 'message' | 'forwarded'
  readonly end: number
  readonly before: string
}

const own = (end: number): Passage => ({ is: 'own', end, before: '' })
const history = (end: number, before = ''): Passage => ({ is: 'history', end, before })
const message = (end: number, before = ''): Passage => ({ is: 'message', end, before })

/** The passage that begins at a line that is neither blank nor prose. `begun` collects the parts that have been looked at. */
function passageAt(body: Body, i: number, begun: Set<MailPart>): Passage {
  const { plain } = body
  if (isForwarded(body, i)) return { is: 'forwarded', end: plain.length, before: '' }
  return markedAt(body, i, begun) ?? writtenAt(body, i)
}

function isForwarded(body: Body, i: number): boolean {
  const { plain } = body
  if (partAt(body, i, 'forwarded') !== null) return true
  return isQuoted(plain[i] as string) ? hasForwardMark([unquoted(plain[i] as string)], 0) : hasForwardMark(plain, i)
}

/** The passage at a line according to the markup; null when that does not tell. */
function markedAt(body: Body, i: number, begun: Set<MailPart>): Passage | null {
  const { plain } = body
  if (partAt(body, i, 'rest') !== null) return message(plain.length)
  const marked = partAt(body, i, 'history')
  if (marked !== null) {
    const end = endOf(body, i, marked)
    return hasHeader(body, i) ? message(end) : history(end)
  }
  const holder = partAt(body, i, 'quotation')
  const isBegun = holder !== null && begun.has(holder)
  if (holder !== null) begun.add(holder)
  const attribution = partAt(body, i, 'attribution')
  if (attribution !== null) {
    const end = endOf(body, i, attribution)
    const next = firstText(plain, end)
    return history(next < plain.length && isQuoted(plain[next] as string) ? quoteEnd(body, next) : end)
  }
  if (holder === null || isBegun || isQuoted(plain[i] as string)) return null
  const end = endOf(body, i, holder)
  let quote = i + 1
  while (quote < end && !isQuoted(plain[quote] as string)) quote++
  if (quote >= end) return attributionAt(plain, i) === null ? message(end) : history(end)
  const announced = plain.slice(i, quote).filter((line) => line.trim() !== '')
  return announced.length <= announcedMax ? history(quoteEnd(body, quote)) : null
}

/** Most lines with text between the start of a `quotation` part and its quoted lines. */
const announcedMax = 8

/** The passage at a line according to the text. */
function writtenAt(body: Body, i: number): Passage {
  const { plain } = body
  const all = plain.length
  if (hasHeader(body, i)) return message(all)
  const attribution = attributionAt(plain, i)
  if (attribution) {
    const { end, before } = attribution
    const next = firstText(plain, end)
    const barred = next < all ? partAt(body, next, 'barred') : null
    if (barred !== null) return history(endOf(body, next, barred), before)
    return next < all && !isQuoted(plain[next] as string) ? message(all, before) : history(quoteEnd(body, next), before)
  }
  if (!isQuoted(plain[i] as string)) return own(i + 1)
  const citation = partAt(body, i, 'citation')
  return citation !== null && isIntroduced(plain, i) ? own(endOf(body, i, citation)) : history(quoteEnd(body, i))
}

function hasHeader(body: Body, i: number): boolean {
  const { plain } = body
  if (isOriginalMark(plain, i) || headerBlockAt(plain, i)) return true
  const above = textAbove(plain, i)
  const isBelowLine = partAt(body, i, 'ruled') !== null || partAt(body, i, 'rest') !== null || isRuler(above)
  return isBelowLine && unknownHeaderBlockAt(plain, i)
}

/** Whether the sender introduces a quotation: "As Wilde put it:". */
function isIntroduced(plain: readonly string[], i: number): boolean {
  return /[:：]$/.test(textAbove(plain, i))
}

/** The nearest line above that has text, if it is one of the last three; else ''. */
function textAbove(plain: readonly string[], i: number): string {
  return (
    plain
      .slice(Math.max(0, i - 3), i)
      .findLast((line) => line.trim() !== '')
      ?.trim() ?? ''
  )
}

/** Index of the first line of the history that begins at `start`: a ruler right above belongs to it. */
function withRuler(plain: readonly string[], start: number, quoted: readonly QuotedLines[]): number {
  const least = Math.max(quoted.at(-1)?.end ?? 0, start - 3)
  let from = start
  while (from > least && isBlank(plain, from - 1)) from--
  return from > least && isRuler(plain[from - 1] as string) ? from - 1 : start
}

/** The outermost part of a kind around a line. */
function partAt({ parts }: Body, i: number, kind: PartKind): MailPart | null {
  return parts?.[i]?.find((part) => part.kind === kind) ?? null
}

/** Index after the last line of a part that contains line `start`, and after the blank lines below. */
function endOf({ plain, parts }: Body, start: number, part: MailPart): number {
  let end = start
  for (let i = start; i < plain.length; i++) {
    if (isBlank(plain, i)) continue
    if (!parts?.[i]?.includes(part)) break
    end = i + 1
  }
  return firstText(plain, end)
}

const isBlank = (plain: readonly string[], i: number) => (plain[i] as string).trim() === ''
const unquoted = (line: string) => line.replace(/^[> ]+/, '')

function firstText(plain: readonly string[], from: number): number {
  let i = from
  while (i < plain.length && isBlank(plain, i)) i++
  return i
}

/** Index after the quotation at `start`: quoted lines, what wrapping tore off them, and blank lines between and below. */
function quoteEnd({ plain, isLaidOut }: Body, start: number): number {
  let end = start
  let i = start
  while (i < plain.length) {
    if (isQuoted(plain[i] as string)) {
      i++
      end = i
    } else if (isBlank(plain, i)) i++
    else if (!isLaidOut && i === end && isWrappedQuote(plain[i - 1] ?? '', plain[i] as string, plain[i + 1] ?? '')) {
      i++
      end = i
    } else break
  }
  return firstText(plain, end)
}
