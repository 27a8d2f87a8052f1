/** Verifies values that something else, such as a model, read from a mail: a value counts if its quotation is in the mail and states it. */

import { codePointsOf } from './code-points.ts'
import { askedOf, wordsOfKey } from './concepts.ts'
import { type Direction, datesIn } from './dates.ts'
import { fold, wordsIn } from './lexicon.ts'
import { type Locale, localeOf } from './locale.ts'
import { numbersIn, numberWordsIn } from './numbers.ts'
import { textCharsMax } from './passages.ts'
import { readFields } from './read-fields.ts'
import { emailsIn, type Piece } from './shapes.ts'
import type { LensEvidence, LensField, LensFinding, LensPlace, LensSource, LensValue } from './source.ts'

/** A value that a mail is claimed to state, and the quotation that states it; for a list one quotation for each item. */
export type Claim = {
  readonly value: LensValue
  readonly source: string
  readonly quotes: readonly string[]
}

/**
 * Returns a function that checks claims about one mail. It returns the finding, or null if the mail does not support the claim:
 * the quotation is not in the named source, is only in quoted history, or does not state the value.
 */
export function checkerOf(source: LensSource): (field: LensField, claim: Claim) => LensFinding | null {
  const locale = localeOf(source)
  const texts = new Map<string, SearchedText>()
  const textAt = (place: string) => {
    const text = texts.get(place) ?? searchedText(place, source)
    if (text !== null) texts.set(place, text)
    return text
  }
  return (field, { value, source: place, quotes }) => {
    const text = textAt(place)
    if (text === null) return null
    const found = quotes.map((quote) => findQuote(text, quote))
    if (found.length === 0 || !found.every((each) => each !== null)) return null
    if (field.type === 'list') return listFinding(text, value, found)
    const [quote] = found
    const piece =
      quote === undefined ? null : pieceOf(field, value, text.raw.slice(quote.start, quote.end), { locale, source })
    if (piece === null || quote === undefined) return null
    return finding(text, piece.value, quote.start + piece.start, quote.start + piece.end)
  }
}

/** A text in which quotations are searched regardless of white space. */
type SearchedText = {
  readonly place: LensPlace
  readonly raw: string
  readonly plain: string
  /** The offset in `raw` of each character of `plain`. */
  readonly offsets: readonly number[]
  readonly points: (offset: number) => number
}
type Span = { readonly start: number; readonly end: number }

function searchedText(place: string, { subject, text, quoted, attachments }: LensSource): SearchedText | null {
  if (place === 'subject') return searched(place, subject, [])
  if (place === 'text') return searched(place, text, quoted)
  const n = /^attachments\[(\d{1,3})\]$/.exec(place)?.[1]
  const attachment = n === undefined ? null : attachments[Number(n)]
  return attachment == null ? null : searched(`attachments[${Number(n)}]`, attachment.text, [])
}

/** Replaces quoted history by a character that no quotation contains. */
function searched(place: LensPlace, whole: string, quoted: LensSource['quoted']): SearchedText {
  const raw = whole.slice(0, textCharsMax)
  const parts: string[] = []
  const offsets: number[] = []
  let next = 0
  for (let at = 0; at < raw.length; at++) {
    while ((quoted[next]?.[1] ?? Number.POSITIVE_INFINITY) <= at) next++
    const isQuoted = (quoted[next]?.[0] ?? Number.POSITIVE_INFINITY) <= at
    const char = isQuoted ? '\0' : /\s/.test(raw[at] as string) ? ' ' : (raw[at] as string)
    if (char !== '\0' && char === ' ' && parts.at(-1) === ' ') continue
    parts.push(char)
    offsets.push(at)
  }
  return { place, raw, plain: parts.join(''), offsets, points: codePointsOf(raw) }
}

function findQuote({ plain, offsets }: SearchedText, quote: string): Span | null {
  const wanted = quote.replace(/\s+/g, ' ').trim()
  const at = wanted === '' || wanted.includes('\0') ? -1 : plain.indexOf(wanted)
  if (at < 0) return null
  return { start: offsets[at] as number, end: (offsets[at + wanted.length - 1] as number) + 1 }
}

function finding({ place, points }: SearchedText, value: LensValue, start: number, end: number): LensFinding {
  return { value, evidence: { source: place, start: points(start), end: points(end) } }
}

function listFinding(text: SearchedText, value: LensValue, found: readonly Span[]): LensFinding | null {
  if (!Array.isArray(value) || value.length !== found.length) return null
  const isSaid = value.every((item, n) => {
    const { start, end } = found[n] as Span
    return typeof item === 'string' && plainOf(text.raw.slice(start, end)) === plainOf(item)
  })
  if (!isSaid) return null
  const items = found.map(({ start, end }) => ({ start: text.points(start), end: text.points(end) }))
  const evidence: LensEvidence = {
    source: text.place,
    start: Math.min(...items.map(({ start }) => start)),
    end: Math.max(...items.map(({ end }) => end)),
    items,
  }
  return { value: value.map((item) => plainOf(item as string)), evidence }
}

const plainOf = (text: string) => text.replace(/\s+/g, ' ').trim()

type Reading = Omit<Piece, 'value'> & { readonly value: LensValue }

/** Returns the part of a quotation that states the value, by the reader of the field's type, or null if no part does. */
function pieceOf(
  field: LensField,
  value: LensValue,
  quote: string,
  { locale, source }: { readonly locale: Locale; readonly source: LensSource },
): Reading | null {
  switch (field.type) {
    case 'text':
      return typeof value === 'string' ? textPiece(value, quote) : null
    case 'email address':
      return (
        emailsIn(quote).find((each) => typeof value === 'string' && each.value.toLowerCase() === value.toLowerCase()) ??
        null
      )
    case 'number':
      return [...numbersIn(quote, locale), ...numberWordsIn(quote, locale)].find((each) => each.value === value) ?? null
    case 'date':
      return (
        directions
          .flatMap((direction) => datesIn(quote, { locale, date: source.date, direction }))
          .find((each) => each.value === value) ?? null
      )
    case 'yes/no':
      return typeof value === 'boolean' && says(field, value, quote, source)
        ? { value, start: 0, end: quote.length }
        : null
    case 'list':
      return null
  }
}

const directions: readonly Direction[] = ['near', 'past', 'future']

function textPiece(value: string, quote: string): Piece | null {
  const wanted = plainOf(value)
  const words = wanted.split(' ').map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  const found = wanted === '' ? null : new RegExp(words.join('\\s+'), 'u').exec(quote)
  return found === null ? null : { value: wanted, start: found.index, end: found.index + found[0].length }
}

/** Whether a quotation answers a yes/no field: by the rules, or if they find nothing, by the words that it shares with the question. */
function says(field: LensField, value: boolean, quote: string, source: LensSource): boolean {
  const own = readFields([field], { ...source, subject: '', text: quote, quoted: [], attachments: [] }).get(field.key)
  if (own != null) return own.value === value
  const { description } = askedOf(field)
  const asked = wordsIn(`${wordsOfKey(field.key)} ${field.description}`).filter(
    ({ word }) => word.length > 3 && !plainWords.has(word),
  )
  const said = fold(quote)
  return description.size > 0 && asked.some(({ word }) => said.includes(word.slice(0, Math.max(4, word.length - 2))))
}

/** Words that occur in many questions and so prove nothing. */
const plainWords: ReadonlySet<string> = new Set([
  'whether',
  'that',
  'this',
  'customer',
  'person',
  'applicant',
  'with',
  'does',
  'have',
  'says',
  'wants',
  'would',
  'order',
])
