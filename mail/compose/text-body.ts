/** Encodes the text of a message for 7-bit transport, long texts slice by slice. */
import { asciiCount, quotedPrintable, withCrlf } from '../encoding/encode.ts'
import type { Piece } from '../encoding/pieces.ts'
import { createSlice, joined, nextTurn } from '../slices.ts'

export type EncodedBody = {
  readonly encoding: '7bit' | 'quoted-printable' | 'base64'
  readonly content: readonly Piece[]
}

/** UTF-16 units of text encoded at once. */
const sliceChars = 64 * 1024
/** RFC 5322 2.1.1. */
const plainLineMax = 78

/**
 * Encodes body text in the first form that fits: 7bit, quoted-printable, or base64 where more than a quarter of the bytes
 * are not ASCII. Line ends become CRLF, NUL is left out, the last line gets an end. Works slice by slice. Never throws.
 */
export async function encodeText(text: string): Promise<EncodedBody> {
  const slices: string[] = []
  const turn = createSlice()
  let ascii = 0
  let bytes = 0
  let isPlain = true
  for (const slice of slicesOf(text)) {
    const clean = withCrlf(slice.toWellFormed().replaceAll('\0', ''))
    const size = Buffer.byteLength(clean)
    bytes += size
    ascii += size === clean.length ? size : asciiCount(clean)
    isPlain &&= size === clean.length && !hasAwkwardLine(clean)
    if (clean !== '') slices.push(clean)
    // Looking at a text, matching it and encoding it costs about as much as copying four times its size.
    if (turn.isOver(slice.length * 4)) await nextTurn()
  }
  const last = slices.at(-1) ?? ''
  if (last !== '' && !last.endsWith('\r\n')) slices[slices.length - 1] = `${last}\r\n`
  if (isPlain) return { encoding: '7bit', content: slices }
  if (bytes - ascii > bytes / 4)
    return { encoding: 'base64', content: [{ base64: await joined(slices.map((slice) => Buffer.from(slice))) }] }
  const content: string[] = []
  for (const slice of slices) {
    content.push(withSoftBreaks(slice, quotedPrintable(Buffer.from(slice))))
    if (turn.isOver(slice.length * 4)) await nextTurn()
  }
  return { encoding: 'quoted-printable', content }
}

/** Whether there is a line that programs on the way would break or change. */
function hasAwkwardLine(text: string): boolean {
  for (let from = 0; from < text.length; ) {
    const found = text.indexOf('\r\n', from)
    const end = found < 0 ? text.length : found
    const last = text[end - 1]
    if (end - from > plainLineMax || text.startsWith('From ', from)) return true
    if (end > from && (last === ' ' || last === '\t')) return true
    from = end + 2
  }
  return false
}

/** Slices of a text that end with a line where possible, and never within a character or a CRLF. */
function* slicesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    let slice = text.slice(from, from + sliceChars)
    if (from + slice.length < text.length) {
      const lines = slice.lastIndexOf('\n') + 1
      slice = slice.slice(0, lines > 0 ? lines : /[\r\ud800-\udbff]$/.test(slice) ? -1 : undefined)
    }
    yield slice
    from += slice.length
  }
}

/** Ends a slice that stops within a line with a soft break (RFC 2045 6.7), and puts another one before its last character. */
function withSoftBreaks(slice: string, encoded: string): string {
  if (slice === '' || slice.endsWith('\r\n')) return encoded
  const tail = encoded.at(-3) === '=' ? -3 : -1
  return `${encoded.slice(0, tail)}=\r\n${encoded.slice(tail)}=\r\n`
}
