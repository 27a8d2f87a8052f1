import { limits } from '../limits.ts'
import { closeDirections } from './directions.ts'
import { decodeEncodedWords } from './encoded-words.ts'
import { type Hidden, stripInvisible } from './invisible-characters.ts'

/**
 * Decodes the encoded words of an unfolded header value (RFC 2047), and returns what a reader sees of the result as one clean
 * line. Values longer than `encodedWordsCharsMax` characters are only cleaned. Never throws.
 */
export function decodeWords(text: string): string {
  return isPrintable.test(text) && !text.includes('=?') ? text : readWords(text).text
}

/** Does the same as `decodeWords`, and reports what a reader does not see of the value. */
export function readWords(value: string): { readonly text: string; readonly hidden: readonly Hidden[] } {
  const isEncoded = value.includes('=?') && value.length <= limits.encodedWordsCharsMax
  const { text, hidden } = stripInvisible(cleanLine(isEncoded ? decodeEncodedWords(value) : value), {
    turns: false,
  })
  return { text: closeDirections(text), hidden }
}

const isPrintable = /^[\x20-\x7e]*$/

/** The first `count` code points (not UTF-16 units) of a text. */
export function firstChars(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** The first `count` code points of a clean line. Direction controls left open are closed, so that they do not affect what follows. */
export function firstOfLine(line: string, count: number): string {
  const first = firstChars(line, count)
  return first.length < line.length ? closeDirections(first) : line
}

/** Replaces control characters (an encoded word may hold CR, LF or NUL) by a space; NUL alone is removed. */
export function cleanLine(text: string): string {
  if (!control.test(text)) return text
  return text.replaceAll('\0', '').replace(controls, ' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const control = /[\u0000-\u001f\u007f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0001-\u001f\u007f]+/g
