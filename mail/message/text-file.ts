/** Attached text files: they begin with a byte order mark more often than bodies do. */
import { decodeCharset } from '../encoding/charset.ts'
import { guessCharset } from '../encoding/charset-guess.ts'

/**
 * Decodes a text file by the charset that its byte order mark tells (the mark is left out), else by the one that its part
 * declares, else as `guessCharset` does. Never throws.
 */
export function decodeFile(bytes: Buffer, declared: string | null): string {
  const marked = marks.find(([, mark]) => mark.every((byte, n) => bytes[n] === byte))?.[0] ?? null
  return decodeCharset(bytes, marked ?? declared, guessCharset).replace(/^\ufeff/, '')
}

/** Byte order marks. UTF-32 first: its little-endian mark begins as that of UTF-16 does. */
const marks = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
] as const
