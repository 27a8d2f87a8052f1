/** Attached text files, which begin with a byte order mark more often than bodies do. */
import { decodeCharset } from '../encoding/charset.ts'
import { guessCharset } from '../encoding/charset-guess.ts'

/**
 * Decodes a text file by its byte order mark (which is removed), else by the charset that its part declares, else as
 * `guessCharset` does. Never throws.
 */
export function decodeFile(bytes: Buffer, declared: string | null): string {
  const marked = marks.find(([, mark]) => mark.every((byte, n) => bytes[n] === byte))?.[0] ?? null
  return decodeCharset(bytes, marked ?? declared, guessCharset).replace(/^\ufeff/, '')
}

/** Byte order marks. UTF-32 comes first, because its little-endian mark begins like that of UTF-16. */
const marks = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const
