import libmime from 'libmime'
import { limits } from './limits.ts'

/**
 * Decodes the encoded words of an unfolded header value (RFC 2047), and makes the result one clean line.
 * Values longer than `encodedWordsCharsMax` characters are only cleaned. Never throws.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?') || text.length > limits.encodedWordsCharsMax) return cleanLine(text)
  return cleanLine(libmime.decodeWords(rawCharactersOutside(text)))
}

// Old programs put raw 8-bit characters into Q words. The header's bytes are decoded by then, so these characters must
// not be decoded again: each run of them is taken out of its word.
function rawCharactersOutside(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
  return text.replace(/=\?([\w*-]+)\?[Qq]\?([^?]*[^\x00-\x7f][^?]*)\?=/g, (_, charset: string, payload: string) => {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
    return `=?${charset}?Q?${payload.replace(/[^\x00-\x7f]+/g, (run) => `?=${run}=?${charset}?Q?`)}?=`
  })
}

/** The first `count` code points. */
export function firstChars(text: string, count: number): string {
  if (text.length <= count) return text
  let end = 0
  for (let i = 0; i < count && end < text.length; i++) end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1
  return text.slice(0, end)
}

/** Replaces control characters (an encoded word may hold CR, LF or NUL) by a space; NUL alone vanishes. */
export function cleanLine(text: string): string {
  if (!control.test(text)) return text
  return text.replaceAll('\0', '').replace(controls, ' ')
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const control = /[\u0000-\u001f\u007f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const controls = /[\u0001-\u001f\u007f]+/g
