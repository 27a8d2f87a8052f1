/** Encoded words of header fields (RFC 2047), as they occur in practice. */
import { decodeCharset, isUndeclared } from './charset.ts'

/** An encoded word: bytes in its charset, and characters that were not encoded in it. */
type Word = { readonly charset: string; readonly pieces: readonly (Buffer | string)[]; readonly base64: string | null }

/**
 * Decodes the encoded words of a value. White space between two of them is removed, and words of one charset that follow each
 * other are decoded together, because programs split within characters. Everything else stays unchanged. Linear; never throws.
 */
export function decodeEncodedWords(value: string): string {
  const reader = createReader(value)
  const out: string[] = []
  let words: Word[] = []
  let at = 0
  for (let start = value.indexOf('=?'); start >= 0; start = value.indexOf('=?', Math.max(at, start + 2))) {
    const found = reader.wordAt(start)
    if (found === null) continue
    const between = value.slice(at, start)
    if (words.length === 0 || /\S/.test(between)) {
      out.push(decoded(words), between)
      words = []
    }
    words.push(found.word)
    at = found.end
  }
  return [...out, decoded(words), value.slice(at)].join('')
}

/**
 * The bytes of the encoded words whose labels do not tell how to read them: 8-bit, not UTF-8, and in no known charset; null when
 * there are none. Linear.
 */
export function undeclaredBytes(value: string): Buffer | null {
  const pieces = [...value.matchAll(plainWord)].flatMap(([, charset = '', , encoding = '', payload = '']) => {
    const bytes = bytesOf(encoding, payload)
    return isUndeclared(bytes, charset) ? [bytes] : []
  })
  return pieces.length === 0 ? null : Buffer.concat(pieces)
}

/** The value with another label in those of its words that `undeclaredBytes` finds. Linear. */
export function relabelled(value: string, label: string): string {
  return value.replace(plainWord, (word, charset: string, _language, encoding: string, payload: string) =>
    isUndeclared(bytesOf(encoding, payload), charset) ? `=?${label}?${encoding}?${payload}?=` : word,
  )
}

/** An encoded word in the syntax of RFC 2047 2. */
const plainWord = /=\?([^?*\s]{1,75})(\*[^?\s]{0,40})?\?([bq])\?([^?]{0,1000})\?=/gi

function bytesOf(encoding: string, payload: string): Buffer {
  return encoding.toLowerCase() === 'b'
    ? Buffer.from(payload, 'base64')
    : Buffer.concat(piecesOfQ(payload).map((piece) => Buffer.from(piece)))
}

/** The charset may be followed by a language (RFC 2231 5). */
const head = /=\?([^?*\s]{1,75})(?:\*[^?\s]{0,40})?\?([bq])\?/iy
/** In a Q word, `?` followed by an encoded character looks like the end of the word. This many such places are looked at. */
const falseEndsMax = 20

type FoundWord = { readonly word: Word; readonly end: number }

function createReader(value: string): { wordAt(start: number): FoundWord | null } {
  let known = -1
  /** The offset of the next `?=`, searched for once, however many words begin before it. */
  const endAfter = (from: number): number => {
    if (known < from && known !== Infinity) {
      const next = value.indexOf('?=', from)
      known = next < 0 ? Infinity : next
    }
    return known
  }
  return {
    wordAt(start) {
      head.lastIndex = start
      const match = head.exec(value)
      if (match === null) return null
      const [, charset = '', encoding = ''] = match
      const from = head.lastIndex
      // In `=?=`, base64 padding before the end of its word, `=?` does not begin a word.
      let limit = value.indexOf('=?', from)
      while (limit >= 0 && value[limit + 2] === '=') limit = value.indexOf('=?', limit + 1)
      if (limit < 0) limit = value.length
      let end = endAfter(from)
      const isQ = encoding.toLowerCase() === 'q'
      for (let n = 0; isQ && n < falseEndsMax && /^[\dA-F]{2}/.test(value.slice(end + 2, end + 4)); n++) {
        const next = value.indexOf('?=', end + 2)
        if (next < 0 || next > limit) break
        end = next
      }
      if (end > limit) return null
      const payload = value.slice(from, end)
      const word = isQ
        ? { charset, pieces: piecesOfQ(payload), base64: null }
        : { charset, pieces: [Buffer.from(payload, 'base64')], base64: payload }
      return { word, end: end + 2 }
    },
  }
}

/** The bytes of a Q word. Characters beyond ASCII were decoded with the header and stay unchanged. */
function piecesOfQ(payload: string): (Buffer | string)[] {
  return payload.split(/([^\x20-\x7e]+)/).flatMap((piece, n): (Buffer | string)[] => {
    if (piece === '') return []
    if (n % 2 === 1) return [piece]
    const bytes = piece
      .replaceAll('_', ' ')
      .replace(/=([\da-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    return [Buffer.from(bytes, 'latin1')]
  })
}

/** Decodes words that follow each other. */
function decoded(words: readonly Word[]): string {
  const texts: string[] = []
  let charset = ''
  let bytes: Buffer[] = []
  const flush = () => {
    if (bytes.length > 0) texts.push(decodeCharset(Buffer.concat(bytes), charset))
    bytes = []
  }
  for (const word of joined(words)) {
    if (word.charset.toLowerCase() !== charset.toLowerCase()) flush()
    charset = word.charset
    for (const piece of word.pieces) {
      if (typeof piece === 'string') {
        flush()
        texts.push(piece)
      } else bytes.push(piece)
    }
  }
  flush()
  return texts.join('')
}

/** Joins base64 words that were split between any two of its characters. */
function joined(words: readonly Word[]): readonly Word[] {
  const out: Word[] = []
  for (const word of words) {
    const before = out.at(-1)
    const isRest =
      before?.base64 != null &&
      word.base64 !== null &&
      before.charset === word.charset &&
      before.base64.length % 4 !== 0 &&
      !before.base64.endsWith('=')
    if (!isRest) out.push(word)
    else {
      const base64 = `${before.base64}${word.base64}`
      out[out.length - 1] = { ...word, base64, pieces: [Buffer.from(base64, 'base64')] }
    }
  }
  return out
}
