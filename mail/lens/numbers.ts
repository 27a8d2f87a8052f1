/** Reads numbers as mails write them: 1.204,50, 1,204.50 and 1 204,50, with signs, scales and currencies; and number words. */
import { fold, wordsIn } from './lexicon.ts'
import type { Locale } from './locale.ts'

export type FoundNumber = {
  readonly value: number
  /** UTF-16 offsets, including a sign, currency and scale. */
  readonly start: number
  readonly end: number
  readonly currency: { readonly text: string; readonly start: number } | null
  /** Whether it is a share (`19 %`). */
  readonly isShare: boolean
}

const currencyNames =
  '(?:EUR|USD|GBP|CHF|CAD|AUD|NZD|MXN|BRL|SEK|NOK|DKK|PLN|CZK|HUF|JPY|CNY|INR|ZAR)|US\\$|CA\\$|A\\$|R\\$|[€$£¥₹]|[Ee]uros?|[Dd]ollars?|[Pp]ounds?|Franken|Fr\\.'
/** Digits, with groups of three after a space or apostrophe if the first group has at most three digits. */
const digits = "\\d{1,3}(?:[\\u00a0\\u202f' ’]\\d{3})+(?:[.,]\\d{1,2})?(?!\\d)|\\d+(?:[.,]\\d+)*"
/** In "2 € 129,00" the currency belongs to the second number. */
const pattern = new RegExp(
  `(?<![\\p{L}\\p{N}_.,/-]|\\d[:/-])(?:(?<before>${currencyNames})\\s?)?(?<sign>[-−–](?=[\\d€$£]))?(?:(?<inner>[€$£])\\s?)?(?<digits>${digits})(?<dash>,[-–]{1,2})?(?:\\s?(?<scale>k|K|m|M|Mio\\.?|TEUR|T€|tsd\\.?|million|millions|Millionen|mille|mila|mil|thousand|duizend|tausend)(?!\\p{L}))?(?:\\s?(?<after>${currencyNames})(?!\\p{L})(?!(?<=\\s(?:${currencyNames}))[ \\u00a0]?\\d))?(?<share>\\s?%)?`,
  'gu',
)
const scales: { readonly [scale: string]: number } = {
  k: 1e3,
  teur: 1e3,
  't€': 1e3,
  tsd: 1e3,
  thousand: 1e3,
  tausend: 1e3,
  duizend: 1e3,
  mille: 1e3,
  mila: 1e3,
  mil: 1e3,
  m: 1e6,
  mio: 1e6,
  million: 1e6,
  millions: 1e6,
  millionen: 1e6,
}

/** Returns the numbers of a line or sentence in order, without those in words, dates with slashes and addresses. Linear. */
export function numbersIn(text: string, locale: Locale): readonly FoundNumber[] {
  if (!/\d/.test(text)) return []
  const found: FoundNumber[] = []
  for (const match of text.matchAll(pattern)) {
    const { before, sign, inner, digits = '', scale, after, share } = match.groups ?? {}
    const next = text.slice(match.index + match[0].length, match.index + match[0].length + 2)
    if (/^(?:[/:-]?\d|[-_]?\p{L}|[@/])/u.test(next) && scale === undefined && after === undefined) continue
    const written = before ?? inner ?? after
    const value = parseDigits(digits, { decimal: written === undefined ? locale.decimal : null })
    if (value === null) continue
    const factor = scale === undefined ? 1 : (scales[scale.toLowerCase().replace('.', '')] ?? 1)
    found.push({
      value: Math.round((sign === undefined ? value : -value) * factor * 1e6) / 1e6,
      start: match.index,
      end: match.index + match[0].trimEnd().length,
      currency: written === undefined ? null : { text: written, start: currencyStart(match, text, written) },
      isShare: share !== undefined,
    })
  }
  return found
}

function currencyStart(match: RegExpExecArray, text: string, written: string): number {
  const isAfter = match.groups?.before === undefined && match.groups?.inner === undefined
  return isAfter
    ? text.lastIndexOf(written, match.index + match[0].length - written.length)
    : text.indexOf(written, match.index)
}

/**
 * Parses digits with separators. Returns null if they are not a number (1.2.3) or are too many to be represented exactly. Three
 * digits after a single mark are a group unless the mark is `decimal`. Pass null for amounts, which have no thousandths.
 */
export function parseDigits(text: string, { decimal }: { readonly decimal: Locale['decimal'] | null }): number | null {
  const plain = text.replace(/[\s'’]/g, '')
  if (plain.replace(/^[0.,]+|[.,]/g, '').length > exactDigitsMax) return null
  const marks = plain.match(/[.,]/g) ?? []
  const last = Math.max(plain.lastIndexOf('.'), plain.lastIndexOf(','))
  if (marks.length === 0) return Number(plain)
  const mark = plain[last] as string
  const tail = plain.length - last - 1
  const isMixed = new Set(marks).size > 1
  if (isMixed) {
    if (marks.slice(0, -1).includes(mark)) return null
    const [whole = '', rest = ''] = [plain.slice(0, last), plain.slice(last + 1)]
    return isGrouped(whole) ? Number(`${whole.replace(/[.,]/g, '')}.${rest}`) : null
  }
  if (marks.length > 1) return isGrouped(plain) ? Number(plain.replace(/[.,]/g, '')) : null
  const isGroup = tail === 3 && last <= 3 && plain[0] !== '0' && mark !== decimal
  return Number(isGroup ? plain.replace(mark, '') : plain.replace(mark, '.'))
}

/** A number with more digits would lose precision. */
const exactDigitsMax = 15

/** Whether digits are grouped in threes, or as in India: the last three, then pairs. */
const isGrouped = (text: string) => /^(?:\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*|\d{1,2}(?:,\d{2})+,\d{3})$/.test(text)

const words: { readonly [language in Locale['language']]: string } = {
  en: 'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
  de: 'eins|einem|einen zwei drei vier funf sechs sieben acht neun zehn elf zwolf dreizehn vierzehn funfzehn sechzehn siebzehn achtzehn neunzehn zwanzig',
  fr: 'un deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize dix-sept dix-huit dix-neuf vingt',
  es: 'uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciseis diecisiete dieciocho diecinueve veinte',
  it: 'uno due tre quattro cinque sei sette otto nove dieci undici dodici tredici quattordici quindici sedici diciassette diciotto diciannove venti|vent',
  nl: 'een twee drie vier vijf zes zeven acht negen tien elf twaalf dertien veertien vijftien zestien zeventien achttien negentien twintig',
  pt: 'um dois|duas tres quatro cinco seis sete oito nove dez onze doze treze catorze|quatorze quinze dezesseis dezessete dezoito dezenove vinte',
}
const wordValues = Object.fromEntries(
  Object.entries(words).map(([language, list]) => [
    language,
    new Map(list.split(' ').flatMap((forms, n) => forms.split('|').map((form) => [form, n + 1] as const))),
  ]),
)

/** Returns the words for numbers from two on; the word for one is also an article. */
export const wordsOfNumbers = (language: Locale['language']): readonly string[] =>
  [...(wordValues[language] ?? [])].filter(([, value]) => value > 1).map(([word]) => word)

const articles: { readonly [language in Locale['language']]: RegExp } = {
  en: /^an?$/,
  de: /^eine[rnm]?$/,
  fr: /^une?$/,
  es: /^una?$/,
  it: /^un[ao]?$/,
  nl: /^een$/,
  pt: /^uma?$/,
}

/** Returns the number from one to twenty of a folded word, or null. An article counts as one. */
export function numberOfWord(word: string, language: Locale['language']): number | null {
  return wordValues[language]?.get(word) ?? (articles[language].test(word) ? 1 : null)
}

/** Returns the numbers from one to twenty that are written as words. */
export function numberWordsIn(text: string, { language }: Locale): readonly FoundNumber[] {
  return wordsIn(fold(text)).flatMap(({ word, start, end }) => {
    const value = wordValues[language]?.get(word)
    return value === undefined ? [] : [{ value, start, end, currency: null, isShare: false }]
  })
}
