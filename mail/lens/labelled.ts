/** Finds values by their labels: on lines, in columns and in forms. */

import { at, type Candidate, listAt, type OpenMail } from './candidates.ts'
import { type Asked, type Concept, concepts, experienceYearsMax, setOf, thingConcepts } from './concepts.ts'
import { dayMs } from './dates.ts'
import { happens, ofDocument } from './document-dates.ts'
import { enumerated } from './enumerations.ts'
import { isDenial } from './faults.ts'
import { uncounted } from './goods.ts'
import { fold, meaningsOf } from './lexicon.ts'
import type { Line, Pair, Passage } from './lines.ts'
import { listOf } from './lists.ts'
import { numberWordsIn } from './numbers.ts'
import { throughOthers } from './reach.ts'
import { emailsIn, type Piece, readText } from './shapes.ts'
import { hasLegalForm, isCompanyName, isOffice, isPersonName } from './signatures.ts'
import { answers, type Statement, states } from './statements.ts'

/** Returns the values whose labels name a field. */
export function labelledValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  const score = scorerOf(asked)
  return mail.passages.flatMap((passage) => {
    const isList = asked.field.type === 'list'
    const speakers = isList ? new Set<string>() : speakersIn(passage)
    const alike = isList ? repeated(passage) : null
    const several = asked.field.type === 'date' ? labelsOfSeveral(passage) : null
    const accounts = asked.concept === 'customer' ? linesOfAccounts(passage) : null
    const labels = asked.field.type === 'text' ? startsOfLabels(passage) : null
    return passage.pairs.flatMap((each) => {
      const same = alike?.get(stemOf(each.label)) ?? []
      const pair = same.length > 1 ? { ...each, meanings: meaningsOf(stemOf(each.label)) } : each
      // In a mail of a buyer, the addressee is not the buyer.
      if (accounts !== null && addressee.test(fold(pair.label)) && !mail.isSeller()) return []
      const points = speakers.has(pair.label) ? null : score(pair)
      // If the next line is another label, this one has no answer.
      if (pair.by === 'line' && labels?.has(pair.start)) return []
      if (accounts?.has(pair.line) || (points !== null && points < sureMin && several?.has(pair))) return []
      if (points !== null && same.length > 1) return each === same[0] ? joined(same, points) : []
      const candidate = points === null ? null : valueBehind(asked, pair, mail, points)
      return candidate === null ? [] : [candidate]
    })
  })
}

/** Returns the offsets of known labels that have their values on the same line. */
const startsOfLabels = ({ pairs }: Passage): ReadonlySet<number> =>
  new Set(pairs.flatMap((pair) => (isSaid(pair) && (pair.by === 'mark' || pair.by === 'gap') ? [pair.labelStart] : [])))

const isSaid = ({ meanings: { known, unknown } }: Pair) => known.size > 0 && unknown === 0

/** `Item_1`, `Item 2` */
const stemOf = (label: string) => fold(label).replace(/[\s_#]*\d{1,2}$/, '')

/** Returns the filled-in pairs of each label, so that a label which is repeated or numbered has several. */
function repeated({ pairs, labelled }: Passage): ReadonlyMap<string, readonly Pair[]> {
  const found = new Map<string, Pair[]>()
  for (const pair of pairs) {
    const isOpen = pair.by === 'line' && (labelled.has(pair.start) || /:$/.test(pair.value))
    if (pair.by === 'words' || isOpen || isNothing(pair.value)) continue
    const stem = stemOf(pair.label)
    const same = found.get(stem)
    if (same === undefined) found.set(stem, [pair])
    else same.push(pair)
  }
  return found
}

/** Makes a list with one item for each of several pairs with the same label. */
function joined(pairs: readonly Pair[], score: number): readonly Candidate[] {
  const [first] = pairs as readonly [Pair]
  const items = pairs.flatMap(({ value, start }) => {
    const name = uncounted({ value, start, end: start + value.length })
    return /[.!?]\s|\t/.test(name.value) || name.value.length > itemCharsMax ? [] : [name]
  })
  const candidate = items.length === pairs.length ? listAt(first.passage, items, score) : null
  return candidate === null ? [] : [candidate]
}

const itemCharsMax = 100

/** Returns the labels that precede a colon so often that they are speakers. */
function speakersIn({ pairs }: Passage): ReadonlySet<string> {
  const counts = new Map<string, number>()
  for (const { label, by } of pairs) if (by === 'mark') counts.set(label, (counts.get(label) ?? 0) + 1)
  return new Set([...counts].flatMap(([label, count]) => (count >= speechesMin ? [label] : [])))
}

const speechesMin = 3

const bonus: { readonly [by in Pair['by']]: number } = { mark: 3, gap: 2, line: 2, words: 0 }

/** Returns a function that scores how well a label names what is asked for; null if it does not. */
function scorerOf(asked: Asked): (pair: Pair) => number | null {
  const concept = asked.concept === null ? null : (concepts[asked.concept] as Concept)
  const ranks = new Map<string, number>()
  const rank = (sets: readonly string[], from: number) => {
    for (const [n, set] of sets.entries()) {
      const name = setOf(set.split(' '))
      if (!ranks.has(name)) ranks.set(name, from - 2 * n)
    }
  }
  rank([setOf(asked.key)], 104)
  rank(concept?.labels ?? [], 100)
  rank(concept?.or ?? [], asked.field.type === 'date' ? 74 : concept?.shape === 'identifier' ? 58 : 62)
  if (concept === null) for (const set of setsOf(asked)) rank([set], 70)
  return (pair) => {
    const { known, unknown } = pair.meanings
    const exact = ranks.get(setOf(known))
    // The addressee of a letter: "Spett.le Studio Rossi,".
    if (asked.concept === 'person' && pair.by === 'words' && known.has('customer')) return null
    // The recipient of goods may be somebody else, or a place.
    if (exact !== undefined && known.has('customer') && recipient.test(fold(pair.label)))
      return Math.min(exact, recipientMax) + bonus[pair.by]
    // A priority is often set by support, not by the writer.
    if (exact !== undefined) return (known.has('priority') ? Math.min(exact, priorityMax) : exact) + bonus[pair.by]
    const isQuestion = pair.label.endsWith('?')
    if (!isQuestion && (unknown === 0 || unknown > 2 || pair.by === 'words')) return null
    // Unknown words may only add detail, and the qualifiers of a question only its form.
    const rest = [...known].filter((meaning) => !meaning.startsWith('?') && !(isQuestion && qualifiers.has(meaning)))
    const close = rest.length === 0 || concept === null ? undefined : ranks.get(setOf(rest))
    // For texts, lists and priorities such labels are more often wrong than right.
    if (!isQuestion && known.has('priority')) return null
    if (!isQuestion && (asked.field.type === 'text' || asked.field.type === 'list' || asked.concept === 'tax'))
      return null
    return close === undefined || close < 90 ? null : close - 30 + bonus[pair.by]
  }
}

const priorityMax = 62
const recipientMax = 62

/** Words above or before the name of the addressee of a document. */
const addressee = /^(?:spett\S*(?: (?:le|ditta))?|an|a|to|aan|para|all.attenzione di)[\s.:]*$/u

/** Words for the recipient of goods. */
const recipient =
  /^(?:ship|deliver|shipped|delivered|going|parcel|recipient|consignee|empfanger|lieferung|geht an|versand|warenempfanger|destinataire|livrer|livre|expedie|envoye|destinatari[oa]|enviar|entregar|envio|spedire|spedito|consegnare|ontvanger|ontvangster|bezorgen|verzonden|verzenden|leveren|geleverd|bestemd)(?!\p{L})/u

/** Meanings that a question may add to what it asks for. */
const qualifiers: ReadonlySet<string> = new Set([
  'gross',
  'net',
  'date',
  'number',
  'amount',
  'form',
  'status',
  'job',
  'year',
  // "What is your budget?"
  'item',
])

/** Returns the sets of meanings that label a field without a known concept. */
function setsOf({ key, description, field }: Asked): readonly string[] {
  const own = [...key].filter((meaning) => !plain.has(meaning))
  const told = [...description].filter((meaning) => !plain.has(meaning))
  const sets = [setOf(description)]
  if (own.length > 0) sets.push(setOf(own), ...[...plain].map((meaning) => setOf([...own, meaning])))
  // "Name of the hotel" and "Hotel name" are labelled "Hotel".
  if (told.length > 0 && told.length <= 2)
    sets.push(setOf(told), ...[...plain].map((meaning) => setOf([...told, meaning])))
  return field.type === 'yes/no' ? sets.slice(0, 1 + (own.length > 0 ? 1 : 0)) : sets
}

/** Meanings that name the kind of a value, not the value. */
const plain: ReadonlySet<string> = new Set(['number', 'name', 'date', 'amount', 'total', 'reference'])

function valueBehind(asked: Asked, pair: Pair, mail: OpenMail, score: number): Candidate | null {
  const { field, concept: name } = asked
  const concept = name === null ? null : (concepts[name] as Concept)
  const { passage, value, start } = pair
  switch (field.type) {
    case 'text': {
      // After an empty cell comes the label of another row.
      if (thingConcepts.has(name ?? '') && value.includes('\t')) return null
      if (name === 'product' && (isHeadOfCells(pair) || said.test(fold(value)))) return null
      // "Platform: PC", "Device: Nokia, Android 14"
      if (name === 'product' && (platform.test(fold(value)) || system.test(value))) return null
      // The present position is not the one applied for.
      if (name === 'job' && present.test(fold(pair.label))) return null
      // "Application Ann Lee"
      if (name === 'job' && value === mail.signed().person?.value) return null
      if (name === 'error' && isDenial(value)) return null
      // "App crashes" is not a label with a value.
      if (pair.by === 'words' && (!isShortValue(pair) || /^\p{Ll}+$/u.test(value))) return null
      // "Customer: 043881  Vega Systems SL"
      const number = name === 'customer' ? (customerNumber.exec(value)?.[0].length ?? 0) : 0
      if (number > 0)
        return valueBehind(asked, { ...pair, value: value.slice(number), start: start + number }, mail, score)
      const found =
        readText(value, concept?.shape ?? (asked.key.has('number') ? 'identifier' : undefined)) ??
        (asked.key.has('number') && concept === null ? readText(value, undefined) : null)
      if (found !== null && concept?.shape === 'person' && (isOffice(found.value) || isMeans(found.value))) return null
      // A requester or applicant is a person; a customer may be an organisation.
      if (found !== null && name === 'person' && hasLegalForm(found.value)) return null
      // "erfasst von: Jana W."
      if (concept?.shape === 'person' && mail.zones(passage).get(pair.line) === 'staff') return null
      const whole = concept?.shape === 'person' && isTurned(pair) ? readText(value, undefined) : null
      if (whole !== null) return at(passage, start, whole, score)
      if (found !== null && concept?.shape === 'person' && score < sureMin && !isNamed(found.value)) return null
      if (found !== null && name === 'phone' && throughOthers.test(fold(value.slice(0, found.start)))) return null
      if (found === null || (concept?.shape === 'identifier' && isOther(value, found.start, asked, mail))) return null
      // "Order:" above "20 rolls".
      const isCount = found !== null && /^\d{1,3}$/.test(found.value) && /^\s+\p{L}/u.test(value.slice(found.end))
      if (concept?.shape === 'identifier' && isCount) return null
      // A thread reference that a program adds: "Ref:MSG4471_q".
      if (concept?.shape === 'identifier' && score < sureMin && found.value.includes('_')) return null
      const form = concept?.shape === 'person' ? (legalBehind.exec(value.slice(found.end))?.[0] ?? '') : ''
      const isForm = form !== '' && hasLegalForm(found.value + form)
      const all = isForm ? { ...found, value: found.value + form, end: found.end + form.length } : found
      return at(passage, start, { ...all, value: all.value.replace(/\s+/g, ' ') }, score)
    }
    case 'number': {
      const found = firstNumber(value, mail, name)
      // "2021 - 2024" below "Experience" is not a number of years.
      if (name === 'experience' && found !== null && found.value > experienceYearsMax) return null
      // The pay that an advertisement offers.
      if (name === 'salary' && ofOffer.test(fold(pair.label))) return null
      // A column of rates.
      if (name === 'tax' && pair.label.startsWith('%')) return null
      // A credit is not a total to pay.
      if (name === 'total' && found !== null && found.value < 0) return null
      // The balance of a paid invoice is only used if there is no other total.
      if (name === 'total' && found?.value === 0) return at(passage, start, found, Math.min(score, nothingLeft))
      return found === null ? null : at(passage, start, found, score)
    }
    case 'date': {
      // A reminder states the new due date, and beside it the one that has passed.
      if (name === 'dueDate' && wasDue.test(fold(pair.label))) return null
      const dates = mail.dates(value, concept?.direction ?? 'near')
      const found = name === 'dueDate' ? dates.find(({ end }) => !discounted.test(fold(value.slice(end)))) : dates[0]
      // A weak label such as "Date" does not make a future day the date of an order or invoice.
      const isLater = found !== undefined && Date.parse(found.value) > mail.date.getTime() + dayMs
      if (isLater && concept?.direction === 'past' && score < sureMin) return null
      // "Order 77 is today with the carrier" does not date the order.
      const isEvent = found !== undefined && ofDocument.has(name ?? '') && happens(fold(value), found)
      if (isEvent) return null
      const leadMax = found === dates[0] ? leadCharsMax : 2 * leadCharsMax
      return found === undefined || found.start > leadMax ? null : at(passage, start, found, score)
    }
    case 'email address': {
      if (name === 'email' && mail.zones(passage).get(pair.line) === 'staff') return null
      const [found] = emailsIn(value)
      return found === undefined ? null : at(passage, start, found, score)
    }
    case 'yes/no': {
      const isYes = isOpen(value) ? null : answerOf(value, name)
      if (isYes === null) return null
      const end = start + value.length
      return at(passage, 0, { value: isYes, start: pair.labelStart, end: Math.max(end, pair.labelStart + 1) }, score)
    }
    case 'list':
      return /\t|\d[.,]\d\d\s?\S{0,3}$|\?\s/.test(value) ||
        (pair.by === 'words' && !/[,;·•|/]/.test(value)) ||
        // The value is a sentence.
        (pair.by === 'words' && /[.!?]$/.test(value)) ||
        (isNothing(value) && pair.by !== 'line') ||
        isAnswer(value) ||
        another.test(fold(value)) ||
        /[☑☒☐]|\[[xX ]\]/.test(value)
        ? null
        : listAt(passage, listBehind(pair, name, mail), score)
  }
}

/** Whether a value is "yes" or "no", which answers a question and is not an item. */
const isAnswer = (value: string) =>
  value.length <= answerCharsMax && (answers.yes.test(fold(value)) || /^(?:no|nein|non|nee)[.!]?$/u.test(fold(value)))

const answerCharsMax = 5

/** The choice "other" of a form. */
const another =
  /^(?:an)?(?:other|others|something else|autres?|autre chose|divers|sonstige[srn]?|ander\p{L}*|etwas anderes|otr[oa]s?|otra cosa|altr[oaie]|overige?n?|iets anders|outr[oa]s?)[.!]?$/u

/** Returns the list after a label. The value may be a sentence that enumerates: `Tools: I work with X and Y daily`. */
function listBehind(pair: Pair, concept: string | null, { locale }: OpenMail): readonly Piece[] {
  // If a quantity follows on a line of its own, the value is one thing with commas in its name.
  if (concept === 'items' && pair.value.includes(', ') && isCounted(pair))
    return [{ value: pair.value, start: pair.start, end: pair.start + pair.value.length }]
  const told = concept === null ? [] : enumerated(pair.value, concept, locale)
  return told.length > 1
    ? told.map((each) => ({ ...each, start: pair.start + each.start, end: pair.start + each.end }))
    : withoutOpen(withoutSentences(listOf(pair, locale)), concept).filter(({ value }) =>
        /\p{L}{2}|^\p{Lu}/u.test(value),
      )
}

/** Drops a single item that is the head of a table, or several skills side by side without separators. */
function withoutOpen(items: readonly Piece[], concept: string | null): readonly Piece[] {
  const [first] = items
  if (first === undefined || items.length > 1) return items
  const { known, unknown } = meaningsOf(first.value)
  const isHead = concept === 'items' && unknown === 0 && known.size > 0
  const named = first.value.match(/\s\p{Lu}/gu)?.length ?? 0
  return isHead || (concept === 'skills' && named > 1) ? [] : items
}

/** Returns the lines with the label of a bank account, and those right above and below: a name there is that of the holder. */
function linesOfAccounts({ lines, pairs }: Passage): ReadonlySet<Line> {
  const accounts = new Set(pairs.flatMap(({ line, meanings: { known } }) => (known.has('iban') ? [line] : [])))
  return new Set(lines.filter((_, n) => lines.slice(Math.max(0, n - 1), n + 2).some((line) => accounts.has(line))))
}

/** A number that programs write before the name of a customer. */
const customerNumber = /^(?:\d{4,10} {2,8}(?=\p{Lu})|\d{5,10} [-–] (?=\p{Lu}))/u

/** A possible legal form after the name of a customer: `Talleres Vera, S.L.` */
const legalBehind = /^, [\p{L}.]{2,8}(?: [\p{L}.]{1,6}){0,2}(?=$|[,;(]|\s[-–—])/u

/** "Preferred contact: e-mail" */
const isMeans = (value: string) => {
  const { known, unknown } = meaningsOf(value)
  return unknown === 0 && (known.has('email') || known.has('phone') || known.has('form'))
}

/** `Name, first name: Lee, Ann` */
const isTurned = ({ meanings: { known }, value }: Pair) =>
  (known.has('first') || known.has('last')) &&
  known.size > 1 &&
  /^\p{Lu}[\p{L}'’ -]*, \p{Lu}[\p{L}'’ .-]*$/u.test(value)

/** Returns no items if one of them contains the end of a sentence. */
const withoutSentences = (items: readonly Piece[]) =>
  items.some(({ value }) => /\p{L}{3}[.!?]\s+\p{Lu}/u.test(value)) ? [] : items

/** Whether one of the lines below has a label for the quantity. */
function isCounted({ passage, line }: Pair): boolean {
  const at = passage.lines.indexOf(line)
  const below = new Set(passage.lines.slice(at + 1, at + 1 + detailLinesMax))
  return passage.pairs.some((each) => below.has(each.line) && setOf(each.meanings.known) === 'quantity')
}

const detailLinesMax = 4

/** Whether a word beside a label is the head of a column: the row below has digits and cells where a form would have labels. */
function isHeadOfCells({ passage, line, value, by }: Pair): boolean {
  if (by !== 'gap' || !/^\p{L}+$/u.test(value)) return false
  const below = passage.lines[passage.lines.indexOf(line) + 1]
  return below?.isFirst === false && /^[^\t]*\d[^\t]*\t/.test(below.text)
}

/** The beginning of an answer that is a sentence: "it's the blue one". */
const said =
  /^(?:it.?s|it is|that.?s|das ist|es ist|c.est|es (?=el|la|una?)|e (?=il|la|lo|l.|una?)|het is|dat is)(?!\p{L})/u

/** Platforms on which products run. */
const platform = /^(?:pc|desktop|laptop|web|browser|windows|mac|macos|linux|android|ios)(?![\p{L}-])/u

const system = /(?<!\p{L})(?:Android|iOS|iPadOS|Windows|macOS|Linux|Chrome|Firefox|Safari) ?\d/iu

const present =
  /(?<!\p{L})(?:current|present|actuel|aktuell|derzeitig|actual|attuale|huidig|last|previous|letzte|dernier|ultim)/u

/** Below this score the label is only a near match, and its value has to be recognisable as a name by itself. */
const sureMin = 90
const isNamed = (value: string) => isPersonName(value) || isCompanyName(value)

/** Returns the pairs whose label occurs again with another value, or whose row is followed by another row with a day. */
function labelsOfSeveral({ lines, pairs }: Passage): ReadonlySet<Pair> {
  const again = [...Map.groupBy(pairs, ({ label }) => label).values()].filter(
    (same) => new Set(same.map(({ value }) => value)).size > 1,
  )
  const rows = new Set(
    lines.flatMap(({ text, start }, n) => {
      const next = lines[n + 1]
      const goesOn = next?.isFirst === false && /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}\t/.test(next.text)
      return goesOn && text.includes('\t') ? [start] : []
    }),
  )
  return new Set([...again.flat(), ...pairs.filter(({ by, start }) => by === 'line' && rows.has(start))])
}

/** Words after the last day of an early-payment discount. */
const discounted =
  /^[^,.;]{0,30}(?<!\p{L})(?:skonto|abzug|discount|escompte|sconto|korting|descuento|pronto pago)(?!\p{L})/u

/** Words for pay that the employer offers. */
const ofOffer =
  /(?<!\p{L})(?:(?:on|in) (?:the|your)|ads?|adverts?\p{L}*|posting|posted|listing|listed|vacancy|offered|range|band|anzeige|ausschreibung|ausgeschrieben\p{L}*|angeboten\p{L}*|spanne|annonce|propose|offert|fourchette|anuncio|anunciado|oferta|ofrecido|banda|annuncio|offerto|proposto|vacature|aangeboden|geboden)(?!\p{L})/u

/** Words in the label of a due date that has passed or was replaced. */
const wasDue =
  /(?<!\p{L})(?:war|was|were|etait|era|vencio|scaduta?|verviel|originally|ursprunglich\p{L}*|initiale?|original|originari[ao]|oorspronkelijk\p{L}*)(?!\p{L})/u

/** The maximum distance from the beginning of a value to a date in it. */
const leadCharsMax = 30

/** Whether a value that follows its label without a mark is short, and the line is not a sentence. */
const isShortValue = ({ value, line }: Pair) =>
  value.length <= 60 && (!/[.!?]$/.test(line.text) || hasLegalForm(line.text))

/** Whether the found identifier is in fact part of an amount or a date. */
function isOther(value: string, start: number, { field }: Asked, { numbers, dates }: OpenMail): boolean {
  if (field.type !== 'text') return false
  const isAmount = numbers(value).some((each) => each.currency !== null && each.start <= start && each.end > start)
  return isAmount || dates(value, 'near').some((each) => each.start <= start && each.end > start)
}

function firstNumber(
  value: string,
  { locale, numbers: numbersIn }: OpenMail,
  concept: string | null,
): { value: number; start: number; end: number } | null {
  const result = value.lastIndexOf(' = ')
  const from = result >= 0 ? result + 3 : 0
  const numbers = numbersIn(value.slice(from)).filter(({ isShare }) => !isShare)
  const [found] =
    numbers.length > 0 ? numbers : wordsMayCount.has(concept ?? '') ? numberWordsIn(value.slice(from), locale) : []
  return found === undefined || found.start > leadCharsMax
    ? null
    : { value: found.value, start: from + found.start, end: from + found.end }
}

/** The score of a total of zero, below that of any other total. */
const nothingLeft = 50
const wordsMayCount: ReadonlySet<string> = new Set(['experience', 'people'])

/** Whether a question of a form was not answered: unticked boxes, `not specified`. */
const isOpen = (value: string) =>
  readText(value, undefined) === null || (/\[ ?\]|☐/.test(value) && !/\[x\]|☑|☒/i.test(value))

function answerOf(value: string, concept: string | null): boolean | null {
  const text = fold(value).replace(/^[\s(["'„“]+/, '')
  const own: Statement | undefined = concept === null ? undefined : states[concept]
  for (const { yes, no } of own === undefined ? [answers] : [answers, own]) {
    if (no.test(text)) return false
    if (yes.test(text)) return true
  }
  if (own === undefined) return null
  // "Card - accepted", "Bank transfer (awaiting payment)"
  const parts = text.split(/\s*[-–—,;/|()]\s+|[()]/)
  return parts.some((part) => own.no.test(part)) ? false : parts.some((part) => own.yes.test(part)) ? true : null
}

const isNothing = (value: string) => readText(value, undefined) === null
