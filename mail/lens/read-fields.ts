/**
 * Lens by rules: reads fields of a mail, each with the place where the mail states it. The words of key and description say what a
 * field is about (`concepts`). Its value is found by a label before it (`labelled`), in a sentence (`stated`, `polarity`), by the
 * words that govern a date or an amount, weighed against those of other roles (`weighed`), or by form and place alone (`shown`).
 * Lines about other matters (`zones`) and mails of a seller (`voice`) count against a value. The candidate with the highest score
 * wins; of equal ones the first, but for totals the last. A value that the mail does not state is null.
 */
import { type Amount, amountsOf } from './amounts.ts'
import type { Candidate, OpenMail } from './candidates.ts'
import { codePointsOf } from './code-points.ts'
import { type Asked, askedOf, thingConcepts } from './concepts.ts'
import { datesIn, type FoundDate } from './dates.ts'
import { labelledValues } from './labelled.ts'
import { fold } from './lexicon.ts'
import type { Line, Passage } from './lines.ts'
import { localeOf } from './locale.ts'
import { type FoundNumber, numbersIn } from './numbers.ts'
import { passagesOf } from './passages.ts'
import { polarValues } from './polarity.ts'
import { flowOf, sentencesOf } from './sentences.ts'
import { readPerson } from './shapes.ts'
import { shownValues } from './shown.ts'
import { beginsWithRole, isPersonName, type Signed, signedBy } from './signatures.ts'
import type { LensAnswer, LensField, LensFinding, LensSource } from './source.ts'
import { statedValues } from './stated.ts'
import { turnsOf } from './talk.ts'
import { introduces, sellerVoice } from './voice.ts'
import { weighedValues } from './weighed.ts'
import { zonesOf } from './zones.ts'

/** Candidates with a lower score are dropped. */
const scoreMin = 40

/**
 * Reads fields of a mail. Texts beyond `textCharsMax` characters are not read. Linear in the texts for each field; never throws.
 */
export function readFields(fields: readonly LensField[], source: LensSource): LensAnswer {
  const mail = openMail(source)
  const found = new Map<string, Candidate | null>()
  for (const field of fields) found.set(field.key, best(askedOf(field), mail))
  const asked = fields.map(askedOf)
  for (const each of asked)
    if (found.get(each.field.key) === null) found.set(each.field.key, onlyAmount(each, asked, found, mail))
  return new Map([...found].map(([key, candidate]) => [key, candidate === null ? null : findingOf(candidate)]))
}

function openMail(source: LensSource): OpenMail {
  const passages = passagesOf(source)
  const [text] = passages
  const locale = localeOf(source)
  const { date } = source
  const dates = new Map<string, readonly FoundDate[]>()
  const numbers = new Map<string, readonly FoundNumber[]>()
  const flows = new Map<Passage, string>()
  const zones = new Map<Passage, ReturnType<typeof zonesOf>>()
  const amounts = new Map<Passage, readonly Amount[]>()
  const turns = new Map<Passage, ReadonlySet<number>>()
  const numbersOf = (text: string) => kept(numbers, text, () => numbersIn(text, locale))
  let signed: ReturnType<OpenMail['signed']> | null = null
  let voice: number | null = null
  let introduction: boolean | null = null
  let people: readonly string[] | null = null
  const signedOf = () => {
    signed ??= text === undefined ? { person: null, company: null } : signedBy(text)
    return signed
  }
  return {
    passages,
    sentences: passages.flatMap(sentencesOf),
    locale,
    date,
    dates: (text, direction) => kept(dates, `${direction} ${text}`, () => datesIn(text, { locale, date, direction })),
    numbers: numbersOf,
    signed: signedOf,
    isSeller: () => {
      voice ??= sellerVoice(passages)
      return voice > 0
    },
    isIntroduction: () => {
      introduction ??= introduces(passages)
      return introduction
    },
    people: () => {
      people ??= peopleOf(passages, signedOf())
      return people
    },
    flow: (passage) => kept(flows, passage, () => flowOf(passage)),
    zones: (passage) => kept(zones, passage, () => zonesOf(passage)),
    turns: (passage) => kept(turns, passage, () => turnsOf(passage)),
    amounts: (passage) => kept(amounts, passage, () => amountsOf(passage, numbersOf)),
  }
}

/** Returns parts of the names that labels of people and the signature give. */
function peopleOf(passages: readonly Passage[], { person }: Signed): readonly string[] {
  const namedBy = (labels: ReadonlySet<string>) =>
    passages.flatMap(({ pairs }) =>
      pairs.flatMap(({ meanings: { known }, value }) =>
        known.size <= 2 && [...known].some((meaning) => labels.has(meaning)) ? [readPerson(value)?.value ?? ''] : [],
      ),
    )
  const labelled = namedBy(ofPeople)
  const partsOf = (name: string) => fold(name).split(/[^\p{L}]+/u)
  const signer = partsOf(person?.value ?? '')
  // If a label names another person, the signer is not the person whom the mail is about.
  const meant = namedBy(ofMatter).filter((name) => name.includes(' ') && isPersonName(name))
  const isOther =
    signer.length > 1 && meant.length > 0 && !labelled.flatMap(partsOf).some((part) => signer.includes(part))
  return [isOther ? '' : (person?.value ?? ''), ...labelled]
    .flatMap(partsOf)
    .filter((part) => part.length >= namePartCharsMin)
    .slice(0, namePartsMax)
}

const ofPeople: ReadonlySet<string> = new Set([
  'name',
  'requester',
  'sender',
  'customer',
  'applicant',
  'contact',
  'first',
  'last',
])
/** Labels of the person whom a mail is about, whoever sends it. */
const ofMatter: ReadonlySet<string> = new Set(['applicant', 'customer', 'requester'])
const namePartCharsMin = 3
/** Bounds the work for forms that consist of names. */
const namePartsMax = 40

function kept<K, T>(found: Map<K, T>, key: K, make: () => T): T {
  const known = found.get(key)
  if (known !== undefined) return known
  const value = make()
  found.set(key, value)
  return value
}

function best(asked: Asked, mail: OpenMail): Candidate | null {
  const all = [
    ...labelledValues(asked, mail),
    ...statedValues(asked, mail),
    ...weighedValues(asked, mail),
    ...polarValues(asked, mail),
    ...shownValues(asked, mail),
  ]
  const isFalse = ({ value }: Candidate) =>
    ofOrganisations.has(asked.concept ?? '') && (/[:!?]/.test(String(value)) || beginsWithRole(String(value)))
  const isOfStaff = ofPersons.has(asked.concept ?? '') ? staffNames(mail) : () => false
  // A whole turn of a chat, with its speaker, is neither a value nor an item of a list.
  const isTurn = ({ passage, start, items = [] }: Candidate) =>
    isNamed(asked) && [start, ...items.map((item) => item.start)].some((each) => mail.turns(passage).has(each))
  const believed = all.filter(
    (each) => each.score >= scoreMin && !isFalse(each) && !isAcrossCells(each) && !isOfStaff(each) && !isTurn(each),
  )
  if (asked.field.type === 'yes/no' && contradicts(believed)) return null
  // The last total is the grand total.
  const isLater = (one: Candidate, other: Candidate) =>
    asked.concept === 'total' &&
    (one.score === other.score || (Math.min(one.score, other.score) >= sureTotal && isBelow(one, other)))
  const most = believed.reduce<Candidate | null>(
    (first, each) => (first === null || each.score > first.score || isLater(each, first) ? each : first),
    null,
  )
  if (ofOrganisations.has(asked.concept ?? '')) return wholeOrganisation(most, believed) ?? most
  if (asked.concept === 'job') return wholePosition(most, believed) ?? most
  if (!ofPersons.has(asked.concept ?? '')) return most
  const whole = wholeName(most, believed) ?? most
  return whole === null ? null : toldFurther(whole, mail)
}

/**
 * Returns a name. For a first name alone it returns the full name that the mail has elsewhere: "Ann Lee" for "Ann"; null if the mail
 * has several such names, or the last name in brackets.
 */
function toldFurther(found: Candidate, { passages }: OpenMail): Candidate | null {
  const name = String(found.value)
  if (name.includes(' ')) return found
  const wholes = passages.flatMap((passage) =>
    passage.lines.flatMap(({ text, start }) => {
      const from = text.indexOf(`${name} `)
      const value = from < 0 ? undefined : firstAndLast.exec(text.slice(from))?.[0]
      if (value === undefined || /\p{L}/u.test(text[from - 1] ?? '') || !isPersonName(value.replace('(', ''))) return []
      return [{ ...found, value, passage, start: start + from, end: start + from + value.length }]
    }),
  )
  const [whole = found] = wholes
  const isClear = wholes.every(({ value }) => value === whole.value) && !String(whole.value).includes('(')
  return isClear ? whole : null
}

const firstAndLast = /^\p{Lu}[\p{L}'’-]+ \(?\p{Lu}\p{Ll}{2,}(?!\p{L})/u

/** Returns a test of whether a first name is that of a staff member whom a line names. */
function staffNames({ passages, zones }: OpenMail): (candidate: Candidate) => boolean {
  const words = new Set(
    passages.flatMap((passage) =>
      passage.lines.flatMap((line) => (zones(passage).get(line) === 'staff' ? line.folded.split(/[^\p{L}]+/u) : [])),
    ),
  )
  return ({ value }) => words.has(fold(String(value)))
}

/** Whether a field asks for a list or for the name of a thing. */
const isNamed = ({ concept, field }: Asked) => field.type === 'list' || thingConcepts.has(concept ?? '')

/** Returns the full name of which a first or last name is part, if the mail has it too. */
function wholeName(short: Candidate | null, all: readonly Candidate[]): Candidate | undefined {
  if (short === null || /\s/.test(String(short.value))) return undefined
  const part = fold(String(short.value))
  return all.find(({ value, score }) => {
    const whole = fold(String(value))
    return (whole.startsWith(`${part} `) || whole.endsWith(` ${part}`)) && short.score - score < wholeNameLossMax
  })
}

/** Returns the position that the subject names in full: "Teacher of Spanish and French" for "Teacher". */
function wholePosition(short: Candidate | null, all: readonly Candidate[]): Candidate | undefined {
  if (short === null || short.passage.place === 'subject') return undefined
  const start = fold(String(short.value))
  return all.find(
    ({ value, passage }) =>
      passage.place === 'subject' && fold(String(value)).startsWith(start) && String(value).length > start.length,
  )
}

/** Returns the longer name that ends in that of an organisation: "Kanzlei Dr. Vos & Partner". */
function wholeOrganisation(short: Candidate | null, all: readonly Candidate[]): Candidate | undefined {
  const end = short === null ? null : ` ${fold(String(short.value))}`
  return end === null
    ? undefined
    : all.find(
        ({ value, score }) =>
          fold(String(value)).endsWith(end) &&
          !String(value).includes(', ') &&
          (short?.score ?? 0) - score < wholeOrganisationLossMax,
      )
}

/** Whether one candidate is further down than another in the same text. */
const isBelow = (one: Candidate, other: Candidate) => one.passage === other.passage && one.start > other.start

/** The score from which a candidate has a clear label of a total. */
const sureTotal = 95

const wholeOrganisationLossMax = 10

const ofPersons: ReadonlySet<string> = new Set(['person', 'customer'])
const wholeNameLossMax = 30

/** Whether a value spans several cells of a table, which is wrong. */
const isAcrossCells = ({ value }: Candidate) => typeof value === 'string' && value.includes('\t')

/** The concepts of organisations, whose names contain no punctuation of sentences. */
const ofOrganisations: ReadonlySet<string> = new Set(['company', 'supplier'])

function contradicts(candidates: readonly Candidate[]): boolean {
  const most = Math.max(...candidates.map(({ score }) => score))
  return new Set(candidates.filter(({ score }) => score === most).map(({ value }) => value)).size > 1
}

/** Returns the total of a mail that names its document and has only one amount. */
function onlyAmount(
  { concept }: Asked,
  asked: readonly Asked[],
  found: ReadonlyMap<string, Candidate | null>,
  { passages, numbers }: OpenMail,
): Candidate | null {
  const isNumbered = asked.some((each) => documents.has(each.concept ?? '') && found.get(each.field.key) !== null)
  if (concept !== 'total' || !isNumbered) return null
  const amounts = passages.flatMap((passage) => {
    const isPart = partLines(passage)
    return passage.lines.flatMap((line) =>
      numbers(line.text)
        .filter(({ currency }) => currency !== null && !isPart.has(line))
        .map(({ value, start, end }) => ({
          value,
          passage,
          start: line.start + start,
          end: line.start + end,
          score: scoreMin,
        })),
    )
  })
  return new Set(amounts.map(({ value }) => value)).size === 1 ? (amounts[0] ?? null) : null
}

/** Returns the lines whose label says that their amount is only a part of a total. */
const partLines = ({ pairs }: Passage): ReadonlySet<Line> =>
  new Set(pairs.flatMap(({ line, meanings: { known } }) => (parts.some((part) => known.has(part)) ? [line] : [])))

const parts = ['net', 'tax', 'shipping', 'discount', 'previous'] as const

const documents: ReadonlySet<string> = new Set(['invoiceNumber', 'orderNumber'])

function findingOf({ value, passage, start, end, items }: Candidate): LensFinding {
  const points = codePointsOf(passage.text)
  const evidence = { source: passage.place, start: points(start), end: points(end) }
  if (items === undefined) return { value, evidence }
  return {
    value,
    evidence: { ...evidence, items: items.map((each) => ({ start: points(each.start), end: points(each.end) })) },
  }
}
