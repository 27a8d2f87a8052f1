/** Decodes the text of a part whose transfer encoding has been undone. */
import { isAscii, isUtf8 } from 'node:buffer'
import { decodeCharset, isAsciiLabel } from '../encoding/charset.ts'
import { guessCharset } from '../encoding/charset-guess.ts'
import { decodeTransfer } from '../encoding/transfer.ts'
import type { Part } from '../message/structure.ts'

/**
 * Decodes bytes of a part by the charset of its Content-Type. If that names no charset, or names ASCII for bytes beyond ASCII, HTML
 * is decoded by the charset of its meta element, unless its bytes are UTF-8. Without any charset `guessCharset` decides. `cut` tells
 * that the part continues after these bytes: half a character at the end is left out. Never throws.
 */
export function decodeText(raw: Buffer, part: Part, bytes: Buffer, { cut }: { cut: boolean }): string {
  const whole = cut ? wholeCharacters(bytes) : bytes
  const isOpen = part.charset === null || (isAsciiLabel(part.charset) && !isAscii(whole))
  const isTold = !isOpen || part.contentType !== 'text/html' || (isUtf8(whole) && !isAscii(whole))
  return decodeCharset(whole, isTold ? part.charset : charsetInside(raw, part), guessCharset)
}

/** Where HTML declares its charset: in its first 1024 bytes (HTML Standard 13.2.3.2). */
const declarationBytesMax = 1024
const declaration = /<meta\s[^>]*?\bcharset\s*=\s*["']?\s*([\w.:-]{1,40})/i

function charsetInside(raw: Buffer, { bodyStart, bodyEnd, encoding }: Part): string | null {
  const head = decodeTransfer(raw, bodyStart, Math.min(bodyEnd, bodyStart + declarationBytesMax), encoding)
  const charset = declaration.exec(head.toString('latin1'))?.[1] ?? null
  // A declaration that is readable as ASCII cannot be in one of these.
  return charset !== null && /^utf-?(?:16|32)/i.test(charset) ? null : charset
}

/** Leaves out bytes at the end that may be half a character. */
function wholeCharacters(bytes: Buffer): Buffer {
  for (let end = bytes.length; end > Math.max(0, bytes.length - 64); end--) {
    if ((bytes[end - 1] as number) <= 0x20) return bytes.subarray(0, end)
  }
  let end = bytes.length
  while (end > 0 && bytes.length - end < 4 && ((bytes[end - 1] as number) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end > 0 && (bytes[end - 1] as number) >= 0xc0 ? end - 1 : bytes.length)
}
