/** What the markup of HTML says of the lines of the plain text beside it. */

import { limits } from '../limits.ts'
import type { VisibleLines } from './html-text.ts'
import type { MailPart } from './mail-markup.ts'
import { lettersOf, withoutPlaces } from './sentences.ts'

/**
 * The parts of the mail that the lines of a plain text stand in, by the lines of HTML that says the same: letters are compared, so
 * that wrapping, marks and links make no difference. Null when it says something else. Linear. Never throws.
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

/** Lines that stand elsewhere are looked for so often, in so many letters that follow, by so many of theirs. */
const searchesMax = 200
const searchedMax = 4000
const headChars = 40

/** The letters of all lines, and where those of each line begin. */
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
