import { isAscii, isUtf8 } from 'node:buffer'
import { TextDecoder } from 'node:util'
import iconv from 'iconv-lite'
import { hz, shiftOut, unshifted } from './shifted-charsets.ts'

/** Guesses the charset of bytes that are not UTF-8 and name no known charset; returns a label for `decodeCharset`. */
export type CharsetGuess = (bytes: Uint8Array) => string

/** What senders without a label mean most often. */
const western = () => 'windows-1252'

/**
 * Decodes text bytes by the charset they claim, or by the byte order mark they begin with, which is removed. Bytes that claim
 * UTF-8, nothing, or an unknown label are read as UTF-8, with U+FFFD for broken bytes, or, when many characters are broken, as
 * `guess` says. Bytes that claim another charset but can only be UTF-8 are read as UTF-8. Linear. Never throws.
 * @param charset the label as written in the message, or null when there is none
 */
export function decodeCharset(bytes: Uint8Array, charset: string | null, guess: CharsetGuess = western): string {
  const label = labelOf(charset)
  if (!shiftsInAscii(label) && isAscii(bytes)) return decodeAscii(bytes)
  const mark = markOf(bytes, label)
  if (mark !== null)
    return mark.charset === 'utf-8' ? decodeUnsure(bytes.subarray(3), guess) : decodeKnown(bytes, mark.charset)
  if (!isKnown(label) || (label.startsWith('utf-16') && isPlain(bytes))) return decodeUnsure(bytes, guess)
  if (!shiftsInAscii(label) && isUtf8(bytes) && canOnlyBeUtf8(asBuffer(bytes).toString('utf8'), label))
    return asBuffer(bytes).toString('utf8')
  return decodeKnown(bytes, label === 'utf-16' ? byteOrder(bytes) : label)
}

/**
 * Decodes header bytes that should be ASCII but need not be: UTF-8 (RFC 6532), else the charset of the message, else
 * windows-1252. ISO-2022-JP is recognised by its escape sequences, whatever the charset. Never throws.
 * @param charset of the text that the header belongs to; null, or a charset that header bytes cannot be in, says nothing
 */
export function decodeHeaderBytes(bytes: Uint8Array, charset: string | null): string {
  if (isAscii(bytes)) return decodeAscii(bytes)
  if (!isEightBit(charset)) return decodeUnsure(bytes, western)
  const text = asBuffer(bytes).toString('utf8')
  return isUtf8(bytes) || isMostlyWhole(text, { wholePerBroken: 4 }) ? text : decodeCharset(bytes, charset)
}

/** Whether the label names a charset that includes ASCII and uses the bytes above it for something other than UTF-8. */
export function isEightBit(charset: string | null): charset is string {
  const label = labelOf(charset)
  return isKnown(label) && !shiftsInAscii(label)
}

/** Whether the label does not tell how to read the bytes: they are 8-bit and not UTF-8, and it names no known charset. */
export function isUndeclared(bytes: Uint8Array, charset: string): boolean {
  const label = labelOf(charset)
  return !isAscii(bytes) && !isUtf8(bytes) && !isKnown(label)
}

/** Whether the label names ASCII, which says nothing about 8-bit bytes. */
export function isAsciiLabel(charset: string | null): boolean {
  return labelOf(charset).endsWith('ascii') || labelOf(charset).startsWith('ansi_x3.4')
}

/** The label in lower case, or the name that `aliases` has for it. */
function labelOf(charset: string | null): string {
  const label = (charset ?? '').trim().toLowerCase()
  return Object.hasOwn(aliases, label) ? (aliases[label] as string) : label
}

/** Labels that neither TextDecoder nor iconv-lite knows, or that one of them gets wrong, by the charset to use instead. */
const aliases = table({
  cp949:
    'euc-kr euckr cseuckr ks_c_5601-1987 ks_c_5601-1989 ks_c_5601 ksc5601 ksc_5601 csksc56011987 korean iso-ir-149 windows-949 ms949 x-windows-949 uhc x-uhc 5601',
  big5hkscs: 'big5 big5-hkscs cn-big5 csbig5 x-x-big5 x-big5 big5-eten big5eten x-big5-eten x-big5-hkscs hkscs-big5',
  'iso-2022-jp':
    'csiso2022jp iso2022jp iso-2022-jp-1 iso-2022-jp-2 iso-2022-jp-3 iso-2022-jp-2004 iso-2022-jp-ext iso-2022-jp-ms cp50220 cp50221 cp50222 windows-50220 windows-50221 jis',
  'iso-2022-kr': 'csiso2022kr iso2022kr',
  'euc-jp': 'x-euc',
  hz: 'hz-gb-2312 hzgb2312 x-hz',
  gbk: 'x-euc-cn euc-cn cn-gb gb2312-80',
  cp950: 'x-windows-950',
  gb18030: 'gb18030-2000 gb18030-2005 gb18030-2022',
  shift_jis: 'cswindows31j x-ms-cp932 windows-932',
  maccenteuro: 'x-mac-ce macce x-mac-centraleurroman x-mac-centraleurope',
  macgreek: 'x-mac-greek',
  macturkish: 'x-mac-turkish',
  ibm866: 'dos-866',
  cp858: 'ibm00858',
  cp862: 'dos-862',
  'windows-874': 'x-windows-874 ibm874 tis620.2533',
  rk1048: 'kz-1048 strk1048-2002',
  pt154: 'ptcp154',
  'us-ascii': 'x-user-defined binary base64 hex',
  'utf-8': 'utf8 unicode-1-1-utf-8 utf-8-sig cp65001',
  'utf-16': 'utf16 ucs-2 ucs2 unicode csunicode iso-10646-ucs-2 unicodefeff',
  'utf-7': 'utf7 unicode-1-1-utf-7 csunicode11utf7 x-unicode-2-0-utf-7 cp65000',
})

function table(names: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(names).flatMap(([name, list]) => list.split(' ').map((each) => [each, name])),
  )
}

const byHand: ReadonlySet<string> = new Set(['utf-7', 'hz', 'iso-2022-kr'])

// Node's TextDecoder uses ICU, whose Korean and Chinese tables lack what Windows added to them.
const byIconv: ReadonlySet<string> = new Set(['cp949', 'big5hkscs'])

/** Whether a label names a charset that can be decoded and is neither UTF-8 nor ASCII. */
function isKnown(label: string): boolean {
  if (label === '' || label === 'utf-8' || isAsciiLabel(label)) return false
  return byHand.has(label) || byIconv.has(label) || decoderFor(label) !== null || iconv.encodingExists(label)
}

/**
 * Whether a text that is valid UTF-8 cannot be in the charset of its label, judging by its characters above ASCII. Two letters in a
 * row may be UTF-8 by chance: in Western charsets a capital and a sign (`CAFÉ®`), elsewhere letters that nobody writes there.
 */
function canOnlyBeUtf8(text: string, label: string): boolean {
  const letters = firstLetters(text)
  if (eastern.test(label)) return letters.length >= 2 && letters.every((letter) => letter > '\u07ff')
  if (letters.length >= 3) return true
  const least = latin.test(label) ? 1 : 2
  return letters.filter((letter) => !/[\u0180-\u036f\u0530-\u058f\u0700-\u07ff]/.test(letter)).length >= least
}

/** How many characters above ASCII are enough to decide. */
const lettersMax = 100

function firstLetters(text: string): readonly string[] {
  const letters: string[] = []
  for (const [letter] of text.matchAll(/[^\p{ASCII}]/gu)) if (letters.push(letter) === lettersMax) break
  return letters
}

const latin =
  /^(?:iso-?8859-?(?:1|2|3|4|9|1[03456])$|iso_8859-1|latin|l\d$|windows-125[02478]$|cp125[02478]$|x?-?mac(?:intosh|roman)?$|cp8[56]0$)/
const eastern = /^(?:gb|big5|euc|shift|sjis|cp9(?:32|36|49|50)|johab|x-sjis|ms_kanji|windows-(?:31j|9))/

function decodeKnown(bytes: Uint8Array, label: string): string {
  if (label === 'utf-7') return decodeUtf7(latin1(bytes))
  if (label === 'hz') return iconv.decode(unshifted(bytes, hz), 'gbk')
  if (label === 'iso-2022-kr') return iconv.decode(unshifted(bytes, shiftOut), 'cp949')
  const decoder = byIconv.has(label) ? null : decoderFor(label)
  if (decoder) return decoder.decode(bytes)
  return iconv.decode(asBuffer(bytes), label)
}

/** RFC 2152: UTF-16 in base64, from `+` to the first character that is not base64, which is dropped if it is `-`. Linear. */
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

/** Reads bytes as ASCII, unless they have the escape sequences of ISO-2022-JP, which nothing else uses. */
function decodeAscii(bytes: Uint8Array): string {
  const text = latin1(bytes)
  if (!text.includes('\x1b$B') && !text.includes('\x1b$@')) return text
  return new TextDecoder('iso-2022-jp').decode(bytes)
}

function decodeUnsure(bytes: Uint8Array, guess: CharsetGuess): string {
  if (isAscii(bytes)) return decodeAscii(bytes)
  const text = asBuffer(bytes).toString('utf8')
  if (isUtf8(bytes) || isMostlyWhole(text, { wholePerBroken: 4 })) return text
  const label = guess(bytes)
  return label === western() && isMostlyWhole(text, { wholePerBroken: 1 }) ? text : decodeKnown(bytes, label)
}

/** Whether there are at least `wholePerBroken` whole characters above ASCII for each broken one. */
function isMostlyWhole(text: string, { wholePerBroken }: { readonly wholePerBroken: number }): boolean {
  let whole = 0
  let broken = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === 0xfffd) broken++
    else if (code > 0x7f && (code & 0xfc00) !== 0xdc00) whole++
  }
  return whole >= broken * wholePerBroken
}

/** The charset that a leading BOM shows. A BOM of two bytes, which may be letters of other charsets, counts only with NULs after it. */
function markOf(bytes: Uint8Array, label: string): { readonly charset: string } | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return { charset: 'utf-8' }
  if (label.startsWith('utf-32') || label.startsWith('utf-7')) return null
  const isSure = label.startsWith('utf-16') || bytes.subarray(0, 1000).includes(0)
  if (first === 0xff && second === 0xfe && isSure)
    return { charset: third === 0 && fourth === 0 ? 'utf-32' : 'utf-16le' }
  return first === 0xfe && second === 0xff && isSure ? { charset: 'utf-16be' } : null
}

/** Whether text does not have two bytes per character, whatever it claims: a blank or a line end would have a zero byte beside it. */
function isPlain(bytes: Uint8Array): boolean {
  return !bytes.includes(0) && (bytes.includes(0x20) || bytes.includes(0x0a)) && isUtf8(bytes)
}

/** Big-endian (RFC 2781 4.3), unless the zero bytes are where little-endian Latin letters have their high bytes. */
function byteOrder(bytes: Uint8Array): 'utf-16be' | 'utf-16le' {
  const zeros = [0, 0]
  for (let i = 0; i < Math.min(bytes.length, 10_000); i++) if (bytes[i] === 0) (zeros[i % 2] as number)++
  return (zeros[1] as number) > (zeros[0] as number) ? 'utf-16le' : 'utf-16be'
}

// WHATWG maps these to its replacement decoder, which drops the text; guessing is better.
const undecodable = /^iso-2022-cn/

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
const shifting = /^(?:iso-2022|hz$|utf-7|utf-16|utf-32)/

function shiftsInAscii(label: string): boolean {
  return shifting.test(label)
}

function latin1(bytes: Uint8Array): string {
  return asBuffer(bytes).toString('latin1')
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
