/** Values that sentences state, with the words around them. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { type Asked, wordsOfKey } from './concepts.ts'
import { type Cue, numberCues } from './cues.ts'
import { ofLastTime } from './document-numbers.ts'
import {
  announcedBelow,
  isDenial,
  isElsewhere,
  isNotice,
  isOfOthers,
  loggedIn,
  numberedVersions,
  shownIn,
} from './faults.ts'
import { companiesIn, documents, errorsIn, jobsIn, namesIn, numberFinder, productsIn, versionsIn } from './inline.ts'
import { wordsIn } from './lexicon.ts'
import { listed } from './listed.ts'
import { type FoundNumber, numberWordsIn } from './numbers.ts'
import { lineAt } from './passages.ts'
import { soughtIn } from './positions.ts'
import { isNameOfError, isToolOfOthers, ownedIn } from './products.ts'
import type { Sentence } from './sentences.ts'
import type { Piece } from './shapes.ts'
import type { Zone } from './zones.ts'

type Span = { readonly start: number; readonly end: number }

/** The values that sentences state for a field. */
export function statedValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  const { type } = asked.field
  if (type === 'list') return listed(asked, mail)
  const find = finders[type]?.(asked, mail)
  const stated = find === undefined || find === null ? [] : mail.sentences.flatMap(find)
  return asked.concept === 'error' ? [...stated, ...announced(mail), ...logs(mail)] : stated
}

const ofOthers: ReadonlySet<Zone> = new Set(['staff', 'referee', 'offer'])

/** Messages on lines of their own below words that announce them. */
const announced = ({ passages }: OpenMail): readonly Candidate[] =>
  passages.flatMap((passage) => announcedBelow(passage).map((piece) => at(passage, 0, piece, 66)))

/** Errors in the lines of a log that is attached. */
const logs = ({ passages }: OpenMail): readonly Candidate[] =>
  passages.flatMap((passage) =>
    passage.place.startsWith('attachments')
      ? passage.lines.flatMap((line) => {
          const found = loggedIn(line.text)
          return found === null ? [] : [at(passage, line.start, found, 57)]
        })
      : [],
  )

type SentenceFinder = (sentence: Sentence) => readonly Candidate[]

/** Makes what finds the values of a field in sentences; null where nothing tells them. */
const finders: { readonly [type: string]: (asked: Asked, mail: OpenMail) => SentenceFinder | null } = {
  date: (asked, mail) => {
    const cues = cuesOf(asked).map(patternsOf)
    return cues.length === 0 ? null : (sentence) => cuedBy(cues, sentence, mail.dates(sentence.text, 'near'), 72)
  },
  number: (asked, mail) => {
    const cues = cuesOf(asked).map(patternsOf)
    if (cues.length === 0) return null
    return (sentence) =>
      cuedBy(cues, sentence, countsFor(asked.concept, mail.numbers(sentence.text), sentence, mail.locale), 72)
  },
  text: (asked, mail) => {
    // Things are named in every mail; where none is out of order they are not what it is about.
    if (asked.concept === 'product' && !mail.sentences.some(({ folded }) => problem.test(folded))) return null
    const find = textFinder(asked, mail)
    if (find === null) return null
    const isOfOthers = ({ passage }: Sentence, start: number) => {
      const line = lineAt(passage, start)
      const zone = line === undefined ? undefined : mail.zones(passage).get(line)
      return zone !== undefined && ofOthers.has(zone)
    }
    return (sentence) =>
      find(sentence).flatMap(({ score, ...piece }) =>
        isOfOthers(sentence, sentence.start + piece.start) ? [] : [at(sentence.passage, sentence.start, piece, score)],
      )
  },
}

/** What is said of things that do not work. */
const problem =
  /(?<!\p{L})(?:problem\w*|issue|error|bug|crash\w*|broken|fail\w*|unable|can.?t|cannot|not work\w*|(?:does|did|will|do|is)(?: not|n.t)|won.t|no longer|keeps|any ?more|stuck|stops?|stopped|fehler\w*|defekt|kaputt|storung|nicht mehr|geht nicht|nicht|kein\w*|spinnt|funktioniert|erreur|panne|bloque\w*|ne (?:\p{L}+ )?(?:marche|fonctionne|s|plus|pas)|plus|probleme|averia|fallo|no (?:funciona|deja|puedo|me)|problema|sigue sin|errore|guasto|non (?:\p{L}+ )?(?:funziona|salva|va|si)|non|fermo|ferma|storing|foutmelding|foutcode|werkt niet|niet (?:meer|op)|defect|kapot|erro|incidencia|soporte|anomalia|malfunzion\w*|guasto|segnalazione|assistenza|assistance|support|help|hilfe|aide|ayuda|hulp|melding|seit|since|depuis|desde|sinds)(?!\p{L})/u

/** Counts have no currency and may be written out. */
function countsFor(
  concept: string | null,
  numbers: readonly FoundNumber[],
  { text }: Sentence,
  locale: OpenMail['locale'],
): readonly FoundNumber[] {
  if (concept === 'people' && conditional.test(text)) return []
  if (concept === 'people' || concept === 'experience')
    return [
      ...numbers.filter(
        ({ currency, isShare, start, end }) =>
          currency === null &&
          !isShare &&
          !isForOthers(concept, text.slice(0, start)) &&
          !(concept === 'people' && guests.test(text.slice(end))),
      ),
      // One is an article too.
      ...numberWordsIn(text, locale).filter(
        ({ value, end }) => value > 1 && !(concept === 'people' && guests.test(text.slice(end))),
      ),
    ]
      .filter(
        ({ value, start, end }) =>
          concept !== 'experience' ||
          (value <= yearsMax && years.test(text.slice(end)) && !isAge(text.slice(0, start), text.slice(end))),
      )
      .toSorted((a, b) => a.start - b.start)
  if (concept === 'salary') return wagesIn(numbers, text)
  return numbers.filter(({ isShare }) => !isShare)
}

/** Nobody worked longer. */
const yearsMax = 60
/** A number of years that somebody did something, and not his age, nor how long ago it was. */
const years =
  /^\s?\+?\s?(?:(?:full|long|good|volle|gute|lange|bonnes|buenos|lunghi|lange|volle) )?(?:years?|yrs?|jahren?|ans|ann[ée]es|años|anni|jaar|jaren)['’]?(?!\p{L})(?!\s(?:old|of age|ago|alt|jung|oud|d['’]âge|de edad|di età|fa|geleden)(?!\p{L}))/iu

/** `ho 52 anni`, `tengo 52 años`, `j'ai 52 ans`: what is had is an age, unless more is said of the years. */
const isAge = (before: string, after: string) =>
  /(?:^|[\s,.;(])(?:ho|ha|tengo|j['’]ai)\s$/iu.test(before) &&
  !/^\s\S+\s(?:di|de|d['’]|nel|en|dans|come|como|comme)/iu.test(after)

/** What would be is not. */
const conditional =
  /(?:^|[\s,(])(?:if|wenn|falls|sollten|si on|si nous|si un jour|se mai|mochten we|indien|ever|jemals)(?=\s)/iu

/** Amounts of pay: with a currency or a word for pay, or as much as nothing else. */
const wagesIn = (numbers: readonly FoundNumber[], text: string) =>
  numbers.filter(
    ({ value, currency, isShare, end }) =>
      !isShare &&
      !/^[^.!\n]{0,120}\?/.test(text.slice(end)) &&
      (currency !== null ||
        value >= wageMin ||
        /^\s(?:brutt?o|brut|gross|nett?o|net|k)(?!\p{L})/iu.test(text.slice(end))),
  )
const wageMin = 3_000

/** Those who come to a feast, a course or a place, and places: "we are 90 guests", "we are two clinics". */
const guests =
  /^\s(?:\p{L}+\s)?(?:guests?|visitors?|clinics|shops|stores|sites|branches|offices|companies|businesses|filialen|standorte?\p{L}*|betriebe|praxen|läden|magasins|sites|agences|tiendas|sedes|centros|oficinas|negozi|sedi|filiali|winkels|vestigingen|locaties|kantoren|praktijken|children|kids|pupils|students|adults|families|couples|travell?ers|gäste\p{L}*|besucher\p{L}*|kinder\p{L}*|schüler\p{L}*|erwachsene\p{L}*|familien|paare|reisende|invités?|invitées?|convives|visiteurs|enfants|élèves|adultes|familles|couples|voyageurs|invitad[oa]s|comensales|visitantes|niñ[oa]s|alumn[oa]s|adultos|familias|parejas|viajeros|invitat[ie]|ospiti|visitatori|bambini|alunni|adulti|famiglie|coppie|viaggiatori|gasten|bezoekers|kinderen|leerlingen|volwassenen|gezinnen|koppels|reizigers)(?!\p{L})/iu

/**
 * Guests of a feast are no staff, and those who are added to others are not all ("60 drivers and 12 clerks"); nor are years that
 * somebody asks for those of the writer.
 */
const isForOthers = (concept: string, before: string) =>
  concept === 'people'
    ? /(?:^|\s)(?:for|für|pour|para|per|voor)(?: (?:about|around|unas?|circa|rund|etwa|environ|ongeveer|some))?\s$|\d \p{L}{2,20} (?:and|und|et|y|e|en)\s$/iu.test(
        before,
      )
    : /(?:requires?|required|verlang\p{L}*|mindestens|at least|almeno|au moins|al menos|minstens|chiede|demande|minimum|m[ií]nimo)\s(?:\p{L}+\s)?$/iu.test(
        before,
      )

/** The cues of a concept, or for a field that is about something else the words of its key. */
function cuesOf({ concept, field }: Asked): readonly Cue[] {
  if (concept !== null) return field.type === 'number' ? (numberCues[concept] ?? []) : []
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

const tableCues: ReadonlySet<Cue> = new Set(Object.values(numberCues).flat())

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
function textFinder(
  { concept, key, field }: Asked,
  mail: OpenMail,
): ((sentence: Sentence) => readonly ScoredPiece[]) | null {
  if (concept === 'product')
    return (sentence) =>
      [
        ...productsBesideVersions(sentence),
        ...namedProducts(sentence),
        ...ownedIn(sentence, mail).filter(({ score }) => score > unformedScore || problem.test(sentence.folded)),
      ].filter(
        ({ start }) => !isToolOfOthers(sentence.text.slice(0, start)) && !isNameOfError(sentence.text.slice(0, start)),
      )
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

/** A document of last time is not the one that a mail is about. */
function unlessEarlier(find: (sentence: Sentence) => readonly ScoredPiece[]) {
  return (sentence: Sentence) => (ofLastTime.test(sentence.folded) ? [] : find(sentence))
}

/** Of names that only stand where one may, and have no form of their own: they are of things where the sentence tells of a fault. */
const unformedScore = 50
const productsBesideVersions = scored((sentence) => versionsIn(sentence).products, 66)
const namedProducts = scored(productsIn, 60)
const textFinders: { readonly [concept: string]: (sentence: Sentence) => readonly ScoredPiece[] } = {
  invoiceNumber: unlessEarlier(scored(numberFinder(documents.invoice), 68)),
  orderNumber: unlessEarlier(scored(numberFinder(documents.order), 68)),
  ticketNumber: scored(numberFinder(documents.ticket), 68),
  customer: scored(namesIn, 74),
  person: scored(namesIn, 74),
  company: scored(companiesIn, 66),
  version: (sentence) =>
    isOfOthers(sentence) || isNotice(sentence.folded)
      ? []
      : [...scored((each) => versionsIn(each).versions, 66)(sentence), ...numberedVersions(sentence)],
  error: (sentence) =>
    [...shownIn(sentence), ...(isElsewhere(sentence) ? [] : scored(errorsIn, 60)(sentence))].filter(
      ({ value }) => !isDenial(value),
    ),
  // A subject shortens what the text names.
  job: (sentence) => [
    ...scored(jobsIn, 68)(sentence),
    ...(sentence.passage.place === 'subject' ? [] : soughtIn(sentence)),
  ],
}

const numberWords: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'id', 'code', 'nummer', 'numero'])
