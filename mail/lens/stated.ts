/** Values that sentences state, with the words around them. */
import { at, type Candidate, listAt, type OpenMail } from './candidates.ts'
import { type Asked, concepts, wordsOfKey } from './concepts.ts'
import { type Cue, dateCues, numberCues } from './cues.ts'
import { companiesIn, documents, errorsIn, jobsIn, namesIn, numberFinder, productsIn, versionsIn } from './inline.ts'
import { meaningsOf, wordsIn } from './lexicon.ts'
import { pointLists, sentenceItems, tableItems } from './lists.ts'
import { type FoundNumber, numberWordsIn } from './numbers.ts'
import type { Passage } from './passages.ts'
import type { Sentence } from './sentences.ts'
import type { Piece } from './shapes.ts'
import { statements } from './statements.ts'

type Span = { readonly start: number; readonly end: number }

/** The values that sentences state for a field. */
export function statedValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  const { type } = asked.field
  if (type === 'list') return listed(asked, mail)
  const find = finders[type]?.(asked, mail)
  return find === undefined || find === null ? [] : mail.sentences.flatMap(find)
}

type SentenceFinder = (sentence: Sentence) => readonly Candidate[]

/** Makes what finds the values of a field in sentences; null where nothing tells them. */
const finders: { readonly [type: string]: (asked: Asked, mail: OpenMail) => SentenceFinder | null } = {
  date: (asked, mail) => {
    const direction = (asked.concept === null ? undefined : concepts[asked.concept]?.direction) ?? 'near'
    const cues = cuesOf(asked, dateCues).map(patternsOf)
    if (cues.length === 0) return null
    return (sentence) => {
      const dates = mail.dates(sentence.text, direction)
      // "was paid yesterday" tells no due date.
      const isMeant = ({ value, start, end }: (typeof dates)[number]) =>
        direction !== 'future' || /\d/.test(sentence.text.slice(start, end)) || Date.parse(value) > mail.date.getTime()
      return cuedBy(cues, sentence, dates.filter(isMeant), 72)
    }
  },
  number: (asked, mail) => {
    const cues = cuesOf(asked, numberCues).map(patternsOf)
    if (cues.length === 0) return null
    return (sentence) =>
      cuedBy(cues, sentence, countsFor(asked.concept, mail.numbers(sentence.text), sentence, mail.locale), 72)
  },
  text: (asked, mail) => {
    // Things are named in every mail; where none is out of order they are not what it is about.
    if (asked.concept === 'product' && !mail.sentences.some(({ folded }) => problem.test(folded))) return null
    const find = textFinder(asked)
    if (find === null) return null
    return (sentence) => find(sentence).map(({ score, ...piece }) => at(sentence.passage, sentence.start, piece, score))
  },
  'yes/no': ({ concept }) => {
    const found = concept === null ? undefined : statements[concept]
    if (found === undefined) return null
    return (sentence) => {
      if (concept === 'paid' && /\?\s*$/.test(sentence.text)) return []
      const no = found.no.exec(sentence.folded)
      const match = no ?? found.yes.exec(sentence.folded)
      if (match === null) return []
      const span = { value: no === null, start: match.index, end: match.index + match[0].length }
      return [at(sentence.passage, sentence.start, span, 70)]
    }
  },
}

/** What is said of things that do not work. */
const problem =
  /(?<!\p{L})(?:problem\w*|issue|error|bug|crash\w*|broken|fail\w*|unable|can.?t|cannot|not work\w*|doesn.t|stuck|stops?|stopped|fehler\w*|defekt|kaputt|storung|nicht mehr|geht nicht|funktioniert|erreur|panne|bloque\w*|ne (?:marche|fonctionne|s)|probleme|averia|fallo|no (?:funciona|deja|puedo|me)|problema|sigue sin|errore|guasto|non (?:funziona|salva|va)|fermo|ferma|storing|foutmelding|foutcode|werkt niet|niet (?:meer|op)|defect|kapot|erro|seit|since|depuis|desde|sinds)(?!\p{L})/u

/** Amounts have a currency, except where a count is asked for, which has none and may be written out. */
function countsFor(
  concept: string | null,
  numbers: readonly FoundNumber[],
  { text }: Sentence,
  locale: OpenMail['locale'],
): readonly FoundNumber[] {
  if (concept === 'people' || concept === 'experience')
    return [
      ...numbers.filter(({ currency, isShare }) => currency === null && !isShare),
      ...numberWordsIn(text, locale),
    ].toSorted((a, b) => a.start - b.start)
  const mayBePlain = concept === 'budget' || concept === 'salary'
  return numbers.filter(
    ({ currency, value, isShare, start, end }) =>
      !isShare &&
      (concept === null ||
        currency !== null ||
        /[.,]\d\d$/.test(text.slice(start, end)) ||
        (mayBePlain && isLarge(value))),
  )
}

/** An amount that needs no currency to be one, and is no year. */
const isLarge = (value: number) => value >= 1000 && (value < 1990 || value > 2100)

/** The cues of a concept, or for a field that is about something else the words of its key. */
function cuesOf({ concept, field }: Asked, table: { readonly [concept: string]: readonly Cue[] }): readonly Cue[] {
  if (concept === 'available') return [...(dateCues.available ?? []), ...(dateCues.start ?? [])]
  if (concept !== null) return table[concept] ?? []
  const words = wordsIn(wordsOfKey(field.key)).map(({ word }) => word.replace(/[^\p{L}\p{N}]/gu, '.'))
  return words.length === 0 ? [] : [{ head: words.join('[ -]?'), gap: 30 }]
}

type Made = {
  readonly head: RegExp | null
  readonly link: RegExp | null
  readonly after: RegExp | null
  readonly gap: number
}
const made = new Map<Cue, Made>()

function patternsOf(cue: Cue): Made {
  const known = made.get(cue)
  if (known !== undefined) return known
  const { head, link, after, gap = 45 } = cue
  const pattern = {
    head: head === undefined ? null : new RegExp(`(?<![\\p{L}\\p{N}])(?:${head})(?![\\p{L}\\p{N}])`, 'gu'),
    link:
      link === undefined
        ? null
        : new RegExp(
            `(?<![\\p{L}\\p{N}])(?:${link})\\s*(?:(?:the|dem|den|der|el|il|le|l['’]|de|het|about|around|dia|giorno)\\s*)?['’]?$`,
            'u',
          ),
    after: after === undefined ? null : new RegExp(`^[\\s,)+]{0,3}(?:${after})(?![\\p{L}\\p{N}])`, 'u'),
    gap,
  }
  // Those of keys are made anew for each mail.
  if (tableCues.has(cue)) made.set(cue, pattern)
  return pattern
}

const tableCues: ReadonlySet<Cue> = new Set([...Object.values(dateCues), ...Object.values(numberCues)].flat())

/** The values that a cue stands before or behind; of several the first. */
function cuedBy<T extends Span & { readonly value: string | number }>(
  cues: readonly Made[],
  sentence: Sentence,
  values: readonly T[],
  score: number,
): readonly Candidate[] {
  if (values.length === 0) return []
  const { folded, passage, start } = sentence
  const found: Candidate[] = []
  for (const { head, link, after, gap } of cues) {
    const value =
      after === null
        ? behindHead(folded, values, head as RegExp, { link, gap })
        : values.find((each) => after.test(folded.slice(each.end, each.end + 60)))
    if (value !== undefined)
      found.push(at(passage, start, { value: value.value, start: value.start, end: value.end }, score))
  }
  return found
}

/** A day right behind one of these is the one on which it was done. */
const done = /^(?:paid|payee?s?|reglee?s?|pagad|pagat|sald|betaald|bezahlt)/

function behindHead<T extends Span>(
  folded: string,
  values: readonly T[],
  head: RegExp,
  { link, gap }: { readonly link: RegExp | null; readonly gap: number },
): T | undefined {
  for (const match of folded.matchAll(head)) {
    const end = match.index + match[0].length
    const value = values.find((each) => each.start >= end || (each.start < end && each.start > match.index))
    if (value === undefined || value.start - end > gap) continue
    const between = folded.slice(match.index, Math.max(end, value.start))
    if (/\n\s*\n/.test(between)) continue
    const isBeside = value.start - end <= 1 && !done.test(match[0])
    if (link === null || isBeside || link.test(between)) return value
  }
  return undefined
}

type ScoredPiece = Piece & { readonly score: number }

/** Makes what finds the texts in sentences that a field asks for. */
function textFinder({ concept, key, field }: Asked): ((sentence: Sentence) => readonly ScoredPiece[]) | null {
  if (concept !== null) return textFinders[concept] ?? null
  const words = wordsIn(wordsOfKey(field.key)).flatMap(({ word }) =>
    numberWords.has(word) ? [] : [word.replace(/[^\p{L}\p{N}]/gu, '.')],
  )
  return key.has('number') && words.length > 0 ? scored(numberFinder(words.join('[ -]?')), 60) : null
}

const scored =
  (find: (sentence: Sentence) => readonly Piece[], score: number) =>
  (sentence: Sentence): readonly ScoredPiece[] =>
    find(sentence).map((piece) => ({ ...piece, score }))

const productsBesideVersions = scored((sentence) => versionsIn(sentence).products, 66)
const namedProducts = scored(productsIn, 60)
const textFinders: { readonly [concept: string]: (sentence: Sentence) => readonly ScoredPiece[] } = {
  invoiceNumber: scored(numberFinder(documents.invoice), 68),
  orderNumber: scored(numberFinder(documents.order), 68),
  ticketNumber: scored(numberFinder(documents.ticket), 68),
  customer: scored(namesIn, 74),
  person: scored(namesIn, 74),
  company: scored(companiesIn, 66),
  version: scored((sentence) => versionsIn(sentence).versions, 66),
  product: (sentence) => [...productsBesideVersions(sentence), ...namedProducts(sentence)],
  error: scored(errorsIn, 66),
  job: scored(jobsIn, 68),
}

const numberWords: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'id', 'code', 'nummer', 'numero'])

/** How well a heading says what its points are. Points with prices are goods whatever stands above. */
function pointScore(concept: string, heading: string, items: readonly Piece[], passage: Passage): number {
  const { known } = meaningsOf(heading)
  if (headings[concept]?.some((meaning) => known.has(meaning))) return 66
  const isPriced = ({ end }: Piece) => /^[^\n]*\d[.,]\d\d/.test(passage.text.slice(end, end + 40))
  return concept === 'items' && items.every(isPriced) ? 60 : 0
}

const headings: { readonly [concept: string]: readonly string[] } = {
  items: ['item', 'product', 'order'],
  interests: ['interest', 'product', 'item'],
  skills: ['skill', 'experience'],
}

function listed({ concept }: Asked, { passages, sentences, locale }: OpenMail): readonly Candidate[] {
  if (concept === null) return []
  const points = passages.flatMap((passage) =>
    pointLists(passage).map(({ heading, items }) =>
      listAt(passage, items, pointScore(concept, heading, items, passage)),
    ),
  )
  const rows = concept === 'items' ? passages.map((passage) => listAt(passage, tableItems(passage), 80)) : []
  const told = sentences.map(({ text, passage, start }) => {
    const items = sentenceItems(text, concept, locale).map((item) => ({
      ...item,
      start: item.start + start,
      end: item.end + start,
    }))
    return listAt(passage, items, 64)
  })
  return [...points, ...rows, ...told].filter((each) => each !== null)
}
