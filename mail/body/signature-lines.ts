/** Reads the lines of signatures: which details each has, and whether it names somebody or something or makes a statement. */

import * as words from './signature-words.ts'

/** A line as the signature rules see it. */
export type SignatureLine = {
  readonly index: number
  /** Without decoration at both ends. */
  readonly text: string
  readonly isBlank: boolean
  readonly isRuler: boolean
  /** The kinds of details of a person or a firm that it has. */
  readonly details: ReadonlySet<Detail>
}

export type Detail = 'phone' | 'mail' | 'page' | 'role' | 'firm' | 'place' | 'legal'

/** Reads a line; `index` is its number. */
export function signatureLine(line: string, index: number): SignatureLine {
  const trimmed = line.trim()
  const text = withoutMarkup(trimmed)
    .replace(/^[*|#+:/\\\s]{1,4}(?=\S)|[*|#+:/\\\s]+$/g, '')
    .trim()
  const isRuler = trimmed !== '' && (text === '' || /^[^\p{L}\p{N}]*([-_=*~#+.·─━—–])\1[^\p{L}\p{N}]*$/u.test(trimmed))
  let details: ReadonlySet<Detail> | null = null
  return {
    index,
    text,
    isBlank: trimmed === '',
    isRuler,
    // Computed on demand: they cost most, and nobody asks for those of most lines, which are statements.
    get details() {
      details ??= isRuler ? nothing : detailsOf(text)
      return details
    },
  }
}

/** Removes what mail programs write for pictures, links and bold text in plain text. */
function withoutMarkup(line: string): string {
  return line
    .replace(/<(?:mailto|https?|tel):[^>]*>/gi, '')
    .replace(/\[(?:cid:|image|logo|photo|bild|icon|facebook|twitter|linkedin|instagram|youtube)[^\]]*\]/gi, '')
    .replace(/(?<![\p{L}\p{N}])([*_]{1,2})([^\s*_](?:[^*_]*[^\s*_])?)\1(?![\p{L}\p{N}])/gu, '$2')
}

const nothing: ReadonlySet<Detail> = new Set()

function detailsOf(text: string): ReadonlySet<Detail> {
  if (text.length > detailCharsMax) return words.registration.test(text) ? legal : nothing
  const found = new Set<Detail>()
  if (mail.test(text)) found.add('mail')
  const rest = withoutMails(text)
  if (page.test(rest)) found.add('page')
  const hasDigit = /\d/.test(rest)
  if (hasDigit && hasPhone(withoutPages(rest))) found.add('phone')
  if (words.role.test(rest)) found.add('role')
  if (words.organisation.test(rest)) found.add('firm')
  if (hasDigit && (words.place.test(rest) || words.postCode.test(rest))) found.add('place')
  if (words.registration.test(rest)) found.add('legal')
  return found
}

/** Longest line with details, apart from what a firm must state about itself. */
const detailCharsMax = 200
const legal: ReadonlySet<Detail> = new Set<Detail>(['legal'])

function withoutMails(text: string): string {
  return text.includes('@') ? text.replace(mails, ' ') : text
}

function withoutPages(text: string): string {
  return /\w\.\w|:\/\//.test(text) ? text.replace(pages, ' ') : text
}

const mail = /[^\s@<>()[\]"|]@[^\s@<>()[\]"|]+\.\p{L}{2,}/u
/** All mail addresses of a text. */
export const mails = /(?<![^\s@<>()[\]"|])[^\s@<>()[\]"|]+@[^\s@<>()[\]"|]+\.\p{L}{2,}/gu
const page = /https?:\/\/\S|(?<![\p{L}\p{N}.-])(?:[a-z0-9-]{2,63}\.)+[a-z]{2,12}(?![\p{L}\p{N}])|(?:^|\s)@\w{3,}/iu
const pages = /https?:\/\/\S+|(?<![a-z0-9-])(?:[a-z0-9-]{2,63}\.)+[a-z]{2,12}(?:\/\S*)?/giu
const times = /\d{4}-\d\d?-\d\d?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{1,2}:\d\d(?::\d\d)?/g

/** Whether a line has a telephone number: written in groups or after a plus sign, or labelled as one. */
function hasPhone(text: string): boolean {
  const numbers = text.replace(times, ' ').match(/\+?\(?\d[\d\s()./–-]{4,24}\d/g) ?? []
  return numbers.some((number) => {
    const digits = number.replace(/\D/g, '').length
    if (digits < 6 || digits > 16) return false
    return number.startsWith('+') || words.contactLabel.test(text) || (digits >= 7 && /\d[\s()./–-]+\d/.test(number))
  })
}

/** Whether a line makes a statement, instead of naming somebody or something as the lines of a signature do. */
export function isStatement(line: SignatureLine): boolean {
  const { text } = line
  if (isFormula(text) || isFarewell(text)) return false
  const withoutLinks = withoutPages(text)
  if (/[?？؟]/.test(withoutLinks)) return true
  if ((isListed(text) && !looksLikeName(text.slice(2))) || /[{};=]$|=>|\(\)|^["“„«]/.test(text)) return !isSaying(text)
  const rest = withoutMails(withoutLinks)
  const spoken = rest.match(/(?<![\p{L}\p{M}])\p{Ll}[\p{L}\p{M}'’]+/gu)?.length ?? 0
  const isLong = spoken > 7 || text.length > 140 || /[。！]$|[다요죠]\.$/u.test(text)
  if (isLong) return !words.registration.test(text)
  if (/[|·•]|\s{3,}/.test(text) || line.details.has('legal')) return false
  const all = rest.match(/[\p{L}\p{M}'’]+/gu)?.length ?? 0
  if (sentenceEnd.test(text.slice(-12)) && all > 3 && !line.details.has('firm')) return true
  return spoken > (line.details.size > 0 ? 4 : 3) || all > (line.details.size > 0 ? 14 : 8)
}

/** An item of a list. */
export const isListed = (text: string) => /^(?:[-•–]\s|\d{1,2}[.)]\s)/.test(text)

/** The end of a sentence, and not of an abbreviation. */
const sentenceEnd = /(?:\p{L}{4,}|\d|[)"”’])[.!]+$/u

/** A motto in quotes, as some put under their names. */
const isSaying = (text: string) => /^["“„«].{8,120}["”“»]$/.test(text)

/** Whether a line looks like a name: up to five words, each with a capital or in a script without capitals. */
export function looksLikeName(text: string): boolean {
  const bare = text
    .replace(/\((?:\p{L}+\/?){1,4}\)/gu, '')
    .replace(/,.*$|\s+x[xo]*$/, '')
    .trim()
  if (bare === '' || bare.length > 50 || /[\d@?!:;[\]{}<>=|]/.test(bare) || /\p{L}{3,}\.$/u.test(bare)) return false
  if (unspaced.test(bare)) return words.familyNames.test(bare)
  const parts = bare.split(/\s+/)
  return parts.length <= 5 && parts.every((part) => /^["'(“-]?(?:\p{Lu}|\p{Lo})/u.test(part) || particles.test(part))
}

/** Scripts written without blanks between words. */
export const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u

const particles =
  /^(?:van|von|der|den|de|del|della|di|da|dos|du|la|le|el|al|bin|ben|ibn|af|av|zu|zur|und|and|y|e|et|och|og|i|[&+/])$/iu

/** The kinds of details in all of the lines. */
export function detailsIn(lines: readonly SignatureLine[]): ReadonlySet<Detail> {
  return new Set(lines.flatMap(({ details }) => [...details]))
}

/** Longest closing; longer lines are not matched with its patterns. */
const closingCharsMax = 160

/** A line with nothing but a formula: "Kind regards,". */
export function isFormula(text: string): boolean {
  return text.length <= closingCharsMax && words.formula.test(text)
}

/** A line with nothing but thanks or a farewell: "Thanks!", "See you". */
export function isFarewell(text: string): boolean {
  return text.length <= closingCharsMax && words.farewell.test(text)
}
