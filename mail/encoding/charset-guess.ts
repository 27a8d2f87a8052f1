/** Guesses the charset of text that names none: what `jschardet` suggests, as far as the bytes make words in it. */
import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import iconv from 'iconv-lite'
import type { detectAll } from 'jschardet'
import { limits } from '../limits.ts'

/**
 * Guesses the charset of 8-bit bytes that are not UTF-8, by the first lines that are not ASCII. Returns windows-1252, which
 * senders without a label mean most often, unless the bytes are words of one script in another charset. Costs about a
 * millisecond, and the first time also the loading of the library. Never throws.
 */
export function guessCharset(bytes: Uint8Array): string {
  const sample = sampleOf(bytes)
  if (sample.length === 0) return western
  const found = detect(sample).flatMap((guess): readonly Guess[] => readable(sample, guess))
  const [first] = found
  if (first === undefined) return western
  if (first.script === 'Latin') return isSure(first, found) ? first.charset : western
  if (first.script === 'Cyrillic') return mostUsual(found).charset
  return likelier(first, found).charset
}

const western = 'windows-1252'

type Script = 'Latin' | 'Cyrillic' | 'Greek' | 'Arabic' | 'Hebrew' | 'Thai' | 'Japanese' | 'Korean' | 'Chinese'
type Guess = {
  readonly charset: string
  readonly script: Script
  readonly text: string
  readonly confidence: number
}

/** The charsets to choose from, by the library's names: our name for each, and the script of its letters above ASCII. */
const charsets: ReadonlyMap<string, readonly [charset: string, script: Script]> = new Map([
  ['windows-1252', [western, 'Latin']],
  ['windows-1250', ['windows-1250', 'Latin']],
  ['iso-8859-2', ['iso-8859-2', 'Latin']],
  ['windows-1254', ['windows-1254', 'Latin']],
  ['windows-1257', ['windows-1257', 'Latin']],
  ['windows-1251', ['windows-1251', 'Cyrillic']],
  ['koi8-r', ['koi8-r', 'Cyrillic']],
  ['koi8-u', ['koi8-u', 'Cyrillic']],
  ['iso-8859-5', ['iso-8859-5', 'Cyrillic']],
  ['ibm866', ['ibm866', 'Cyrillic']],
  ['maccyrillic', ['maccyrillic', 'Cyrillic']],
  ['windows-1253', ['windows-1253', 'Greek']],
  ['iso-8859-7', ['iso-8859-7', 'Greek']],
  ['windows-1255', ['windows-1255', 'Hebrew']],
  ['windows-1256', ['windows-1256', 'Arabic']],
  ['iso-8859-6', ['iso-8859-6', 'Arabic']],
  ['cp874', ['windows-874', 'Thai']],
  ['cp932', ['shift_jis', 'Japanese']],
  ['euc-jp', ['euc-jp', 'Japanese']],
  ['cp949', ['cp949', 'Korean']],
  ['gb18030', ['gb18030', 'Chinese']],
  ['big5', ['big5hkscs', 'Chinese']],
])

const require = createRequire(import.meta.url)
let library: { readonly detectAll: typeof detectAll } | undefined

/** Loads the library with the first text that names no charset: most name theirs. */
function detect(sample: Buffer): ReturnType<typeof detectAll> {
  library ??= require('jschardet') as { readonly detectAll: typeof detectAll }
  return library.detectAll(sample, { detectEncodings: [...charsets.keys()], minimumThreshold: 0 })
}

/** How many bytes of a line are taken, before and after its first byte above ASCII: the markup in front of that says nothing. */
const bytesBefore = 32
const lineBytesMax = 512

/** The lines of bytes that are neither ASCII nor UTF-8, cut where they are long. */
function sampleOf(bytes: Uint8Array): Buffer {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, limits.guessedBytesMax))
  const pieces: Buffer[] = []
  let left: number = limits.guessSampleBytesMax
  for (let at = 0; at < raw.length && left > 0; ) {
    const feed = raw.indexOf(0x0a, at)
    const end = feed < 0 ? raw.length : feed + 1
    const line = raw.subarray(at, end)
    const letter = isUtf8(line) ? -1 : line.findIndex((byte) => byte > 0x7f)
    if (letter >= 0) {
      const piece = line.subarray(Math.max(0, letter - bytesBefore), letter + Math.min(left, lineBytesMax))
      pieces.push(piece)
      left -= piece.length
    }
    at = end
  }
  return Buffer.concat(pieces)
}

function readable(sample: Buffer, { encoding, confidence }: ReturnType<typeof detectAll>[number]): readonly Guess[] {
  const [charset, script] = charsets.get((encoding ?? '').toLowerCase()) ?? []
  if (charset === undefined || script === undefined) return []
  const text = iconv.decode(sample, charset)
  return isText(text) && checks[script](text) ? [{ charset, script, text, confidence }] : []
}

/** Whether hardly any character is broken: one may be the end of a piece. Boxes and blocks appear in place of misread letters. */
function isText(text: string): boolean {
  const broken = text.match(/[\ufffd\p{Co}\p{Cn}\u0080-\u009f]|\p{L}[\u2500-\u259f]/gu)?.length ?? 0
  return broken <= Math.ceil(text.length / brokenShare) - (text.length < shortChars ? 1 : 0)
}

const brokenShare = 200
/** So short a text was not cut. */
const shortChars = 100

const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/u
const east = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu
const isEastern = (text: string) => (text.match(east)?.length ?? 0) >= 2

/** Whether a text consists of words of a script. */
const checks: Readonly<Record<Script, (text: string) => boolean>> = {
  Latin: () => true,
  Cyrillic: (text) => isWords(text, /\p{Script=Cyrillic}/u),
  // The forms of letters that end words occur nowhere else.
  Greek: (text) => isWords(text, /\p{Script=Greek}/u) && !/ς\p{L}/u.test(text),
  Arabic: (text) => isWords(text, /\p{Script=Arabic}/u),
  Hebrew: (text) => isWords(text, /\p{Script=Hebrew}/u) && !/[םןץףך]\p{L}/u.test(text),
  // Vowel and tone marks surround the letters.
  Thai: (text) => isWords(text, /\p{Script=Thai}/u) && shareOf(text, /[\u0e30-\u0e3a\u0e40-\u0e4e]/g) > 0.1,
  Japanese: isEastern,
  Korean: isEastern,
  Chinese: isEastern,
}

/** Whether the words with letters above ASCII are of the script alone, with capitals only where words have them. */
function isWords(text: string, script: RegExp): boolean {
  let good = 0
  let bad = 0
  let isLong = false
  for (const [word] of text.matchAll(/[\p{L}\p{M}]+/gu)) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
    if (/^[\x00-\x7f]+$/.test(word)) continue
    const isOfScript = [...word].every((letter) => script.test(letter) || /\p{M}/u.test(letter))
    const isWritten = /^(?:\p{Lu}?[\p{Ll}\p{Lo}\p{Lm}\p{M}]*|[\p{Lu}\p{M}]+)$/u.test(word)
    if (!isOfScript || !isWritten) bad++
    else {
      good++
      isLong ||= word.length >= 3
    }
  }
  return isLong && bad * 4 <= good
}

function shareOf(text: string, letters: RegExp): number {
  return (text.match(letters)?.length ?? 0) / Math.max(1, text.match(/[^\p{ASCII}]/gu)?.length ?? 0)
}

/** Kana show that a text is Japanese, though other eastern charsets have them at the same place; without any, Chinese is likelier. */
function likelier(first: Guess, found: readonly Guess[]): Guess {
  const japanese = found.find(({ script, text }) => script === 'Japanese' && kana.test(text))
  if (first.script === 'Japanese') return japanese ?? found.find(({ script }) => script !== 'Japanese') ?? first
  return japanese !== undefined && kana.test(first.text) ? japanese : first
}

/** Whether a Latin charset is much likelier than the western one: they differ in few letters. */
function isSure({ confidence, text }: Guess, found: readonly Guess[]): boolean {
  if ((text.match(/[^\P{L}\p{ASCII}]/gu)?.length ?? 0) < latinLettersMin) return false
  const asWestern = found.find(({ charset }) => charset === western)
  if (/(?:^|\s)[¡¿]\p{Lu}/u.test(asWestern?.text ?? '')) return false
  const usual = asWestern?.confidence ?? 0
  return confidence >= 0.2 ? confidence > usual : confidence >= usual * 2.5
}

const latinLettersMin = 2

/** The library confuses two Cyrillic charsets when a text is in capitals: the commonest letters tell them apart. */
function mostUsual(found: readonly Guess[]): Guess {
  const [first, ...others] = found.filter(({ script }) => script === 'Cyrillic') as [Guess, ...Guess[]]
  if (first.text.toUpperCase() !== first.text && /\p{Lu}/u.test(first.text)) return first
  const usual = ({ text }: Guess) => shareOf(text.toLowerCase(), /[аеинот]/g)
  return others.reduce((best, each) => (usual(each) > usual(best) * 1.3 ? each : best), first)
}
