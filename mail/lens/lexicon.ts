/**
 * The words of labels, by their meanings. A meaning is named by one English word. Labels, keys and descriptions are compared as
 * sets of meanings, so that "Rechnungsnummer", "N° de facture" and `invoice_number` are equal in any word order and language.
 * Phrases are folded (`fold`) and separated by ` | `. A new language needs one more table of phrases, listed here.
 */
import { en } from './lexicon-english.ts'
import { de, nl } from './lexicon-germanic.ts'
import { es, fr, it, pt } from './lexicon-romance.ts'
import type { Lexicon } from './meanings.ts'

/** Returns a text in lower case without diacritics. Each UTF-16 unit keeps its place, so offsets stay valid. */
export function fold(text: string): string {
  if (ascii.test(text)) return text.toLowerCase()
  return text.replace(/[^ -@[-~]/g, (char) => foldedChar(char))
}

const ascii = /^[\0-\x7f]*$/

function foldedChar(char: string): string {
  const known = folded.get(char)
  if (known !== undefined) return known
  const [base = char] = char.normalize('NFD').toLowerCase()
  const result = base.length === char.length ? base : char
  folded.set(char, result)
  return result
}

/** A cache by character. */
const folded = new Map<string, string>()

/** Returns the folded words of a text with their offsets. `#`, `n°` and words with a dot or hyphen inside count as one word. */
export function wordsIn(
  text: string,
): readonly { readonly word: string; readonly start: number; readonly end: number }[] {
  const whole = fold(text)
  return Array.from(whole.matchAll(ascii.test(whole) ? wordInAscii : wordInAny), ({ 0: word, index }) => ({
    word,
    start: index,
    end: index + word.length,
  }))
}

const wordInAny = /#|n[°º]|[\p{L}\p{N}]+(?:[-.][\p{L}\p{N}]+)*/gu
/** The same for folded ASCII, where it takes a fraction of the time. */
const wordInAscii = /#|[a-z0-9]+(?:[-.][a-z0-9]+)*/g

export type Meanings = {
  /** The meanings of the words, each once. An unknown word is its own meaning, with `?` before it. */
  readonly known: ReadonlySet<string>
  /** The number of words that are in no table. */
  readonly unknown: number
}

/** Returns the meanings of the words of a label, the longest phrases first. Percentages and text in brackets are ignored. */
export function meaningsOf(text: string): Meanings {
  const label = text.replace(/\d+(?:[.,]\d+)?\s*%/g, ' ').replace(/\([^()]*\)/g, ' ')
  const words = wordsIn(label).map((each) => each.word)
  const known = new Set<string>()
  let unknown = 0
  for (let at = 0; at < words.length; ) {
    const found = phraseAt(words, at)
    if (found === null) {
      const parts = partsOf(words[at] as string)
      for (const part of parts ?? unknownParts(words[at] as string)) known.add(part)
      if (parts === null) unknown++
      at++
      continue
    }
    if (found.meaning !== 'neutral') known.add(found.meaning)
    at += found.length
  }
  return { known, unknown }
}

/** Returns the longest phrase of the tables that begins at a word, or null. */
export function phraseAt(
  words: readonly string[],
  at: number,
): { readonly meaning: string; readonly length: number } | null {
  for (let length = Math.min(phraseWordsMax, words.length - at); length > 0; length--) {
    const meaning = phrases.get(words.slice(at, at + length).join(' '))
    if (meaning !== undefined) return { meaning, length }
  }
  return null
}

/** Returns the meanings of a German or Dutch compound such as "Rechnungsnummer", or null. */
function partsOf(compound: string): readonly string[] | null {
  const plain = compound.replaceAll('-', '')
  if (plain.length > compoundCharsMax) return null
  for (let at = plain.length - 2; at > 2; at--) {
    const tail = phrases.get(plain.slice(at))
    if (tail === undefined || (plain.length - at < 3 && tail !== 'number')) continue
    const start = plain.slice(0, at)
    const head = phrases.get(start) ?? phrases.get(start.replace(/(?:s|n|en|e)$/, ''))
    if (head !== undefined && head !== 'neutral' && tail !== 'neutral') return [head, tail]
  }
  return null
}

/** Counts the words of a text that are in the tables of each language. A word of several languages counts as a share for each. */
export function languageWords(text: string): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { word } of wordsIn(text)) {
    const languages = languagesOf.get(word) ?? []
    for (const each of languages) counts.set(each, (counts.get(each) ?? 0) + 1 / languages.length)
  }
  return counts
}

/** Returns the meanings of a compound of an unknown word and one for a kind of value: "Vertragsnummer". */
function unknownParts(word: string): readonly string[] {
  const [, head, kind] = /^(.{3,}?)s?(nummer|nr|datum|name|naam|betrag|bedrag)$/.exec(word) ?? []
  return head === undefined || kind === undefined ? [`?${word}`] : [`?${head}`, phrases.get(kind) as string]
}

const phraseWordsMax = 6
const compoundCharsMax = 40

const lexicons: { readonly [language: string]: Lexicon } = { en, de, fr, es, it, nl, pt }

const languagesOf: ReadonlyMap<string, readonly string[]> = (() => {
  const languages = new Map<string, string[]>()
  for (const [language, lexicon] of Object.entries(lexicons))
    for (const word of new Set(Object.values(lexicon).flatMap((list) => wordsIn(list).map((each) => each.word))))
      languages.set(word, [...(languages.get(word) ?? []), language])
  return languages
})()

const phrases: ReadonlyMap<string, string> = new Map(
  // The last entry of a Map wins, so the order is reversed to let the earlier language win.
  Object.values(lexicons)
    .toReversed()
    .flatMap((lexicon) =>
      Object.entries(lexicon).flatMap(([meaning, list]) =>
        list.split(' | ').map((phrase): [string, string] => [
          wordsIn(phrase)
            .map((each) => each.word)
            .join(' '),
          meaning,
        ]),
      ),
    ),
)
