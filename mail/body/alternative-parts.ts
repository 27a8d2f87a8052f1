/** Finds the mail parts that the lines of a plain text are in, by the markup of the HTML beside it. */

import { limits } from '../limits.ts'
import type { VisibleLines } from './html-text.ts'
import type { MailPart } from './mail-markup.ts'
import { lettersOf, withoutPlaces } from './sentences.ts'

/**
 * The mail parts of each line of a plain text, taken from the HTML lines with the same text. Only letters and digits are compared,
 * so that wrapping, marks and links make no difference. Null when less than half of them are found in the HTML. Linear. Never throws.
 */
export function partsBeside(plain: readonly string[], html: VisibleLines): readonly (readonly MailPart[])[] | null {
  const { letters, starts } = lettersIn(html.lines)
  const parts: (readonly MailPart[])[] = []
  let at = 0
  let number = 0
  let searches = searchesMax
  let [found, all] = [0, 0]
  for (const line of plain) {
    const own = lineLetters(line)
    all += own.length
    const isNext = letters.startsWith(own, at)
    const next = isNext || searches === 0 ? -1 : letters.slice(at, at + searchedMax).indexOf(own.slice(0, headChars))
    if (!isNext) searches = Math.max(0, searches - 1)
    const start = isNext ? at : at + next
    if (own === '' || (!isNext && (next < 0 || !letters.startsWith(own, start)))) {
      parts.push([])
      continue
    }
    while (number + 1 < starts.length && (starts[number + 1] as number) <= start) number++
    parts.push(html.parts[number] ?? [])
    found += own.length
    at = start + own.length
  }
  return found * 2 < all ? null : parts
}

/** Limits of the search for a line further on: how many searches, over how many letters of the HTML, for how many of the line. */
const searchesMax = 200
const searchedMax = 4000
const headChars = 40

/** The letters of all lines, and the offset at which those of each line begin. */
function lettersIn(lines: readonly string[]): { readonly letters: string; readonly starts: readonly number[] } {
  const pieces: string[] = []
  const starts: number[] = []
  let length = 0
  for (const line of lines) {
    const letters = length > limits.replyCharsMax ? '' : lineLetters(line)
    starts.push(length)
    pieces.push(letters)
    length += letters.length
  }
  return { letters: pieces.join(''), starts }
}

const lineLetters = (line: string) => lettersOf(withoutPlaces(line))
