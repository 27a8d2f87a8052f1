import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import iconv from 'iconv-lite'

/**
 * Decodes text bytes by the charset they claim. Never throws: unknown or wrong labels are read as UTF-8 when the
 * bytes are valid UTF-8, else as windows-1252 (what senders without a label mean in practice).
 * @param charset the label as written in the message, or null when there is none
 */
export function decodeCharset(bytes: Uint8Array, charset: string | null): string {
  const label = (charset ?? '').trim().toLowerCase()
  if (!shiftsInAscii(label) && isAscii(bytes)) return latin1(bytes)
  if (label === 'utf-7' || label === 'utf7' || label === 'unicode-1-1-utf-7') return decodeUtf7(latin1(bytes))
  if (label === '' || label.endsWith('ascii') || label === 'utf-8' || label === 'utf8') return guess(bytes)
  const decoder = decoderFor(label)
  if (decoder) return decoder.decode(bytes)
  if (iconv.encodingExists(label)) return iconv.decode(asBuffer(bytes), label)
  return guess(bytes)
}

/** RFC 2152: UTF-16 in base64 between `+` and whatever is no base64, of which `-` vanishes. Linear. */
function decodeUtf7(text: string): string {
  return text.replace(/\+([A-Za-z0-9+/]*)-?/g, (_, run: string) => {
    if (run === '') return '+'
    const bytes = Buffer.from(run, 'base64')
    return bytes
      .subarray(0, bytes.length - (bytes.length % 2))
      .swap16()
      .toString('utf16le')
  })
}

/** Decodes header bytes that should be ASCII but need not be (RFC 6532 allows UTF-8; old programs wrote latin1). */
export function decodeHeaderBytes(bytes: Uint8Array): string {
  return guess(bytes)
}

function guess(bytes: Uint8Array): string {
  if (isAscii(bytes)) return latin1(bytes)
  return isUtf8(bytes) ? asBuffer(bytes).toString('utf8') : new TextDecoder('windows-1252').decode(bytes)
}

// WHATWG maps these to its replacement decoder, which drops the text; iconv-lite or the guess is better.
const undecodable = /^(hz-gb-2312|iso-2022-cn|iso-2022-cn-ext|iso-2022-kr|csiso2022kr)$/

function decoderFor(label: string): TextDecoder | null {
  if (undecodable.test(label)) return null
  try {
    return new TextDecoder(label)
  } catch (error) {
    if (error instanceof RangeError) return null // not a label of the WHATWG Encoding Standard
    throw error
  }
}

// In these charsets ASCII bytes may stand for other characters.
function shiftsInAscii(label: string): boolean {
  return (
    label.startsWith('iso-2022') ||
    label.startsWith('csiso2022') ||
    label.startsWith('hz') ||
    label.includes('utf-7') ||
    label === 'utf7' ||
    label.startsWith('utf-16') ||
    label.startsWith('utf-32') ||
    label === 'jis' ||
    label.startsWith('unicode')
  )
}

function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
