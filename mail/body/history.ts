/** Which lines of a body are quoted history, by the text alone. */

import { attributionAt, hasForwardMark, headerBlockAt, isOriginalMark, isQuoted, isWrappedQuote } from './quotation.ts'

/** Lines `start` to `end` (the first behind it); of the first, `before` is still the sender's own. */
export type QuotedLines = { readonly start: number; readonly end: number; readonly before: string }

export type History = {
  /** From the top, with what announces them and the blank lines below. */
  readonly quoted: readonly QuotedLines[]
  /** Where a forwarded message begins, which goes to the end and is what the sender wants to say; the number of lines when there is none. */
  readonly forwarded: number
}

/**
 * Finds quoted history: what stands behind quote marks, below an attribution or below a block of header fields. Where nothing
 * stands before such a block it is a message forwarded without a word. Lines come without direction marks, with plain blanks
 * and with `>` for all marks of quotation. Linear. Never throws.
 */
export function historyIn(plain: readonly string[]): History {
  const quoted: QuotedLines[] = []
  const all = plain.length
  const upTo = (start: number, end: number, before = '') => quoted.push({ start, end, before })
  let hasText = false
  let i = 0
  while (i < all) {
    if (hasForwardMark(plain, i)) return { quoted, forwarded: i }
    const attribution = isOriginalMark(plain, i) || headerBlockAt(plain, i) ? null : attributionAt(plain, i)
    if (attribution) hasText ||= attribution.before !== ''
    const next = attribution ? firstText(plain, attribution.end) : i
    if (attribution ? next < all && !isQuoted(plain[next] as string) : isHeaderOfHistory(plain, i)) {
      if (!hasText) return { quoted, forwarded: i }
      upTo(i, all, attribution?.before)
      return { quoted, forwarded: all }
    }
    if (attribution || isQuoted(plain[i] as string)) {
      const end = quoteEnd(plain, next)
      upTo(i, end, attribution?.before)
      i = end
    } else {
      hasText ||= (plain[i] as string).trim() !== ''
      i++
    }
  }
  return { quoted, forwarded: all }
}

const isHeaderOfHistory = (plain: readonly string[], index: number) =>
  isOriginalMark(plain, index) || headerBlockAt(plain, index)

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
