/**
 * Text as search sees it: a sequence of tokens at numbered positions. In scripts that write spaces, each word is one token,
 * without case and diacritics. In scripts without spaces, each pair of neighbouring characters is a token, so that any
 * part of a run is found. Codes, addresses and host names are sequences of their parts: `INV-2024-001` is `inv 2024 001`.
 */
import { limits } from '../limits.ts'

export type Token = {
  readonly text: string
  /** Its position, from 0; the parts of a phrase have consecutive positions. */
  readonly at: number
  /** Its range in the source text (UTF-16 offsets). */
  readonly start: number
  readonly end: number
}

/** A token that a query asks for, with its distance from the first one; `prefix` says that the word may be longer. */
export type WantedToken = { readonly text: string; readonly at: number; readonly prefix: boolean }

/** The tokens of a text, at most `max`. Linear. Never throws. */
export function tokensOf(text: string, max: number = limits.searchTokensMax): Token[] {
  return scan(text, max).map(({ text: token, at, start, end }) => ({ text: token, at, start, end }))
}

/** The tokens of a text without their ranges, for the index: that takes a third less time. */
export function wordsIn(text: string, max: number): readonly Pick<Token, 'text' | 'at'>[] {
  if (isAscii(text)) {
    const words = text.toLowerCase().match(asciiWord) ?? []
    return words.slice(0, max).map((word, at) => ({ text: cut(word), at }))
  }
  const found: Scanned[] = []
  for (const word of text.match(anyWord) ?? []) {
    if (found.length >= max) break
    add(found, word, { start: 0, ascii: false })
  }
  return found
}

/**
 * Cuts a long text into chunks that end with a blank, so that no word is split. The tokens of all chunks in a row are the
 * tokens of the text, and other work can be done between two chunks.
 */
export function* chunksOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    blank.lastIndex = from + pieceTextChars
    const end = blank.lastIndex >= text.length ? null : blank.exec(text)
    const to = end === null ? text.length : end.index + 1
    yield text.slice(from, to)
    from = to
  }
}

/** The tokens that a query's word or phrase asks for; `prefix` says that its last word may be longer. Empty when it has no word. */
export function wantedTokens(text: string, { prefix }: { prefix: boolean }): WantedToken[] {
  const found = scan(text, limits.searchTokensMax)
  return found.flatMap(({ text: token, at, kind }, n): WantedToken[] => {
    // The last character of a run is part of the pair before it; a character that is alone may begin a pair.
    if (kind === 'last' && found[n - 1]?.kind === 'pair' && found[n - 1]?.at === at - 1) return []
    return [{ text: token, at, prefix: kind === 'last' || (prefix && kind === 'word' && n === found.length - 1) }]
  })
}

/**
 * The trigrams of a text, each once: three consecutive characters. A text that contains another, in any case, has
 * all its trigrams. Case is folded character by character, as in regular expressions.
 */
export function trigramsOf(text: string): readonly string[] {
  const characters = [...text.toWellFormed()].map(withoutCase)
  const pieces = new Set<string>()
  for (let n = 0; n + pieceChars <= characters.length; n++) pieces.add(characters.slice(n, n + pieceChars).join(''))
  return [...pieces]
}

/** A word without case, diacritics and compatibility forms: `Müller` and `ＭÜLLER` are `muller`, `Straße` is `strasse`. */
export function foldWord(word: string): string {
  if (isAscii(word)) return word.toLowerCase()
  const known = folded.get(word)
  if (known !== undefined) return known
  const fresh = word
    .normalize('NFKD')
    .toLowerCase()
    .replace(ignored, '')
    .replace(undecomposed, (letter) => plainLetters[letter] ?? letter)
    .normalize('NFC')
  if (folded.size >= foldedMax) folded.clear()
  folded.set(word, fresh)
  return fresh
}

const pieceChars = 3
/** UTF-16 units after which a chunk ends at the next blank. */
const pieceTextChars = 8 * 1024
const blank = /\s/g

type Scanned = Token & { readonly kind: 'word' | 'pair' | 'last' }

/** Recently folded words: mail of one language repeats them. */
const folded = new Map<string, string>()
const foldedMax = 20_000

const asciiWord = /[A-Za-z0-9]+/g
// Letters, marks and numbers of all scripts, and the squared words of East Asia; soft hyphens and joiners may occur inside. Words
// of ASCII letters alone come first, because they are found in half the time.
const anyWord =
  /[A-Za-z0-9]+(?![A-Za-z0-9\u0080-\u{10ffff}])|[\p{L}\p{M}\p{N}\u3300-\u33ff][\p{L}\p{M}\p{N}\u3300-\u33ff\u00ad\u200b-\u200d\u2060]*/gu
const innerWord = /[\p{L}\p{M}\p{N}]+/gu
/** Scripts that write no spaces between words, or glue particles to them. */
const unspaced =
  /[[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]&&[\p{L}\p{M}]]+/gv
const hasUnspaced = new RegExp(unspaced.source, 'v')
/** What folding removes: diacritics, the points of Hebrew and Arabic, joiners. Vowel signs of other scripts stay. */
const ignored =
  /[[[\p{M}--[\u3099\u309a]]&&[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}\p{sc=Syrc}\p{sc=Grek}\p{sc=Cyrl}]]\u0640\p{Cf}]/gv
const undecomposed = /[ßæœøđðłħıþŋςŧ]/g
const plainLetters: { readonly [letter: string]: string } = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  þ: 'th',
  ŋ: 'n',
  ς: 'σ',
  ŧ: 't',
}

function scan(text: string, max: number): Scanned[] {
  const found: Scanned[] = []
  const ascii = isAscii(text)
  for (const { 0: word, index } of text.matchAll(ascii ? asciiWord : anyWord)) {
    if (found.length >= max) break
    add(found, word, { start: index, ascii })
  }
  return found
}

/** Adds the tokens of a word; `ascii` says that the whole text is ASCII. */
function add(found: Scanned[], word: string, { start, ascii }: { start: number; ascii: boolean }): void {
  const at = (found.at(-1)?.at ?? -1) + 1
  if (ascii || isAscii(word))
    found.push({ text: cut(word.toLowerCase()), at, start, end: start + word.length, kind: 'word' })
  else scanWord(foldWord(word), word, { start, at, found })
}

/** The tokens of one folded word; some forms fold to several words (`½`). Returns the next position. */
function scanWord(
  text: string,
  source: string,
  { start, at, found }: { start: number; at: number; found: Scanned[] },
): number {
  let next = at
  // The place of each character is known only if folding kept the length.
  const same = text.length === source.length
  const place = (from: number, to: number) =>
    same ? { start: start + from, end: start + to } : { start, end: start + source.length }
  const addWord = (from: number, to: number) => {
    for (const [word] of text.slice(from, to).matchAll(innerWord)) {
      found.push({ text: cut(word), at: next, ...place(from, to), kind: 'word' })
      next += 1
    }
  }
  if (!hasUnspaced.test(text)) {
    addWord(0, text.length)
    return next
  }
  let end = 0
  for (const run of text.matchAll(unspaced)) {
    if (run.index > end) addWord(end, run.index)
    let from = run.index
    const characters = [...run[0]]
    for (const [n, character] of characters.entries()) {
      const second = characters[n + 1] ?? ''
      const to = from + character.length + second.length
      found.push({ text: character + second, at: next, ...place(from, to), kind: second === '' ? 'last' : 'pair' })
      from += character.length
      next += 1
    }
    end = from
  }
  if (end < text.length) addWord(end, text.length)
  return next
}

/** Folds the case of a character, unless that would make several characters of it. */
function withoutCase(character: string): string {
  const upper = character.toUpperCase()
  const one = [...upper].length === 1 ? upper : character
  const lower = one.toLowerCase()
  return [...lower].length === 1 ? lower : one
}

/** Shortens very long words, such as encoded data, of which only the beginning counts. */
function cut(word: string): string {
  return word.length <= limits.searchWordCharsMax ? word : word.slice(0, limits.searchWordCharsMax).toWellFormed()
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range
const isAscii = (text: string) => /^[\x00-\x7f]*$/.test(text)
