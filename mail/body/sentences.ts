/** Prepares texts for comparison: the words of sentences, and the links and addresses in them. */
import { limits } from '../limits.ts'
import { isOriginalMark } from './quotation.ts'

export type Word = {
  /** In lower case; numbers without thousands separators. */
  readonly word: string
  /** Whether it is capitalised within a sentence, as names are. */
  readonly isName: boolean
  /** Whether a currency or per cent sign is next to it. */
  readonly isAmount: boolean
}

export type Sentence = {
  readonly text: string
  readonly words: readonly Word[]
  /** Hosts of the links in it, in lower case. */
  readonly hosts: readonly string[]
  readonly addresses: readonly string[]
}

/** The words of a text, each with a number, and the pairs of words that follow each other. */
export type Vocabulary = { readonly words: ReadonlyMap<string, number>; readonly pairs: ReadonlySet<number> }

/**
 * The paragraphs of a plain text: wrapped lines are joined, blank lines and list items begin new paragraphs, quote marks are left
 * out. Linear.
 */
export function* paragraphsOf(plain: string): Generator<string> {
  const all = plain.slice(0, limits.comparedCharsMax).split('\n')
  const hasNotes = mayBeNote.test(plain)
  let lines: string[] = []
  for (const [n, line] of all.entries()) {
    const [mark = ''] = lineMarks.exec(line.slice(0, 200)) ?? []
    const own = hasNotes ? line.slice(mark.length).replace(notes, ' ') : line.slice(mark.length)
    const isOriginal = line.length <= originalCharsMax && isOriginalMark(all, n)
    const words = isOriginal ? '' : own
    const isNew = words.trim() === '' || /[-*•+–—·)\].]\s*$/.test(mark)
    if (isNew && lines.length > 0) {
      yield lines.join(' ')
      lines = []
    }
    if (words.trim() !== '') lines.push(words)
  }
  if (lines.length > 0) yield lines.join(' ')
}

/** The sentences of a paragraph; the words of one longer than `sentenceWordsMax` come in several pieces. Linear. */
export function* sentencesOf(paragraph: string): Generator<Sentence> {
  for (const text of paragraph.split(/(?<=[.!?…]["”»)]?)\s+|(?<=[。！？])/)) {
    const hosts = [...hostsIn(text)]
    const addresses = [...addressesIn(text)]
    const said = { text: text.trim(), hosts, addresses }
    let words: Word[] = []
    for (const word of wordsOf(text)) {
      if (words.length === sentenceWordsMax) {
        yield { ...said, words }
        words = []
      }
      words.push(word)
    }
    yield { ...said, words }
  }
}

const sentenceWordsMax = 60
/** Longer lines are not the mark of a quoted message. */
const originalCharsMax = 100

/** The words of a text and their order. Linear. */
export function vocabularyOf(text: string): Vocabulary {
  const words = new Map<string, number>()
  const pairs = new Set<number>()
  let before = 0
  for (const { word } of wordsOf(text)) {
    const number = words.get(word) ?? words.size + 1
    words.set(word, number)
    pairs.add(pairOf(before, number))
    before = number
  }
  return { words, pairs }
}

/** The share of a sentence's words that follow the same word in the vocabulary; 1 for a single word. */
export function orderedShare(sentence: readonly Word[], { words, pairs }: Vocabulary): number {
  const numbers = sentence.map(({ word }) => words.get(word) ?? 0)
  const shown = numbers.filter((number, n) => n > 0 && pairs.has(pairOf(numbers[n - 1] as number, number)))
  return sentence.length < 2 ? 1 : shown.length / (sentence.length - 1)
}

/** Numbers stay below 2^22: no text has that many words. */
const pairOf = (one: number, other: number) => one * 2 ** 22 + other

/** The letters and digits of a text in lower case. Linear. */
export function lettersOf(text: string): string {
  const letters = ascii.test(text) ? text.replace(/[^a-z0-9]+/gi, '') : text.replace(/[^\p{L}\p{N}]+/gu, '')
  return letters.toLowerCase()
}

/** The hosts of the links in a text, in lower case, found one at a time on demand. Linear. */
export function* hostsIn(text: string): Generator<string> {
  if (!text.includes('://')) return
  for (const [, host = ''] of text.matchAll(link)) yield host.toLowerCase()
}

/** The mail addresses in a text, in lower case, found one at a time on demand. Linear. */
export function* addressesIn(text: string): Generator<string> {
  if (!text.includes('@')) return
  for (const [found] of text.matchAll(address)) yield found.toLowerCase()
}

const link = /\bhttps?:\/\/([^\s<>"'()[\]/?#]{1,255})[^\s<>"'()[\]]*/gi
const address = /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+/giu

/** What precedes the words of a line: marks of quotations and lists, rulers. Below: footnotes and picture names inside a line. */
const lineMarks = /^[\s>|]*(?:(?:[-*•+–—·o#=_~]+|\(?\d{1,2}[.)]|\[\d{1,3}\])(?=\s|$))?\s*/
const mayBeNote = /\[|\.(?:png|jpe?g|gif|bmp)/i
const notes =
  /\[\d{1,3}\]|\[cid:[^\]\s]{1,200}\]|\[(?:image|bild|photo)[:\s]|(?<![\w@-])(?:[\w@-]{1,100}\.(?:png|jpe?g|gif|bmp))+/gi

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
const ascii = /^[\x00-\x7f]*$/

/** Words of letters; numbers with their separators and units; each character of a script without blanks is a word. */
const wordInAscii =
  /(\$ ?)?(\d+(?:[.,:/-]\d+)*)( ?(?:[$%]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf)\b))?|[a-z]+(?:'[a-z]+)*/gi
const wordInAny =
  /([$€£¥₹₽] ?)?(\p{N}+(?:[.,:/-]\p{N}+)*)( ?(?:[$€£¥₹₽%]|(?:eur|euros?|usd|dollars?|gbp|pounds?|chf)\b))?|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]|[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/giu

/** A text without its links and addresses. Linear. */
export function withoutPlaces(text: string): string {
  const unlinked = text.includes('://') ? text.replace(link, ' ') : text
  return unlinked.includes('@') ? unlinked.replace(address, ' ') : unlinked
}

/** The words of a text, without those of links and addresses, found one at a time on demand. */
function* wordsOf(text: string): Generator<Word> {
  const own = withoutPlaces(text)
  const isAscii = ascii.test(own)
  let isFirst = true
  for (const [whole, before, number, behind] of (isAscii ? own : own.normalize('NFKC')).matchAll(
    isAscii ? wordInAscii : wordInAny,
  )) {
    const isName = !isFirst && /^\p{Lu}\p{Ll}/u.test(whole)
    isFirst = false
    const word = number === undefined ? whole.toLowerCase().replaceAll('’', "'") : figureOf(number)
    yield { word, isName, isAmount: before !== undefined || behind !== undefined }
  }
}

/** Writes `1,000.00` and `1.000,00` as `1000`, and leaves dates and times unchanged. */
function figureOf(number: string): string {
  return number
    .replace(/[.,](?=\d{3}(?:\D|$))/g, '')
    .replace(/,(\d{1,2})$/, '.$1')
    .replace(/\.00?$/, '')
}
