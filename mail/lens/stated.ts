/** Finds values in sentences by the words around them. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { type Asked, experienceYearsMax, wordsOfKey } from './concepts.ts'
import { type Cue, numberCues } from './cues.ts'
import { ofLastTime } from './document-numbers.ts'
import {
  announcedBelow,
  isDenial,
  isForeignError,
  isForeignVersion,
  isNotice,
  numberedVersions,
  readLogLine,
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

/** Returns the values that sentences state for a field. */
export function statedValues(asked: Asked, mail: OpenMail): readonly Candidate[] {
  const { type } = asked.field
  if (type === 'list') return listed(asked, mail)
  const find = finders[type]?.(asked, mail)
  const stated = find === undefined || find === null ? [] : mail.sentences.flatMap(find)
  return asked.concept === 'error' ? [...stated, ...announced(mail), ...logs(mail)] : stated
}

const ofOthers: ReadonlySet<Zone> = new Set(['staff', 'referee', 'offer'])

/** Finds error messages on a line below their announcement. */
const announced = ({ passages }: OpenMail): readonly Candidate[] =>
  passages.flatMap((passage) => announcedBelow(passage).map((piece) => at(passage, 0, piece, 66)))

/** Finds errors in the lines of an attached log. */
const logs = ({ passages }: OpenMail): readonly Candidate[] =>
  passages.flatMap((passage) =>
    passage.place.startsWith('attachments')
      ? passage.lines.flatMap((line) => {
          const found = readLogLine(line.text)
          return found === null ? [] : [at(passage, line.start, found, 57)]
        })
      : [],
  )

type SentenceFinder = (sentence: Sentence) => readonly Candidate[]

/** By field type: returns a function that finds the values of a field in a sentence, or null if there are no cues for it. */
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
    // Every mail names things. Unless the mail reports a problem, it is not about them.
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

/** Words about things that do not work. */
const problem =
  /(?<!\p{L})(?:problem\w*|issue|error|bug|crash\w*|broken|fail\w*|unable|can.?t|cannot|not work\w*|(?:does|did|will|do|is)(?: not|n.t)|won.t|no longer|keeps|any ?more|stuck|stops?|stopped|fehler\w*|defekt|kaputt|storung|nicht mehr|geht nicht|nicht|kein\w*|spinnt|funktioniert|erreur|panne|bloque\w*|ne (?:\p{L}+ )?(?:marche|fonctionne|s|plus|pas)|plus|probleme|averia|fallo|no (?:funciona|deja|puedo|me)|problema|sigue sin|errore|guasto|non (?:\p{L}+ )?(?:funziona|salva|va|si)|non|fermo|ferma|storing|foutmelding|foutcode|werkt niet|niet (?:meer|op)|defect|kapot|erro|incidencia|soporte|anomalia|malfunzion\w*|guasto|segnalazione|assistenza|assistance|support|help|hilfe|aide|ayuda|hulp|melding|seit|since|depuis|desde|sinds)(?!\p{L})/u

/** Returns the numbers that may be a count: without a currency, also written as words. */
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
      // The word for one is also an article.
      ...numberWordsIn(text, locale).filter(
        ({ value, end }) => value > 1 && !(concept === 'people' && guests.test(text.slice(end))),
      ),
    ]
      .filter(
        ({ value, start, end }) =>
          concept !== 'experience' ||
          (value <= experienceYearsMax && years.test(text.slice(end)) && !isAge(text.slice(0, start), text.slice(end))),
      )
      .toSorted((a, b) => a.start - b.start)
  if (concept === 'salary') return wagesIn(numbers, text)
  return numbers.filter(({ isShare }) => !isShare)
}

/** Years of doing something, not an age or how long ago something was. */
const years =
  /^\s?\+?\s?(?:(?:full|long|good|volle|gute|lange|bonnes|buenos|lunghi|lange|volle) )?(?:years?|yrs?|jahren?|ans|ann[ée]es|años|anni|jaar|jaren)['’]?(?!\p{L})(?!\s(?:old|of age|ago|alt|jung|oud|d['’]âge|de edad|di età|fa|geleden)(?!\p{L}))/iu

/** `ho 52 anni`, `tengo 52 años`, `j'ai 52 ans` state an age, unless the sentence says years of what. */
const isAge = (before: string, after: string) =>
  /(?:^|[\s,.;(])(?:ho|ha|tengo|j['’]ai)\s$/iu.test(before) &&
  !/^\s\S+\s(?:di|de|d['’]|nel|en|dans|come|como|comme)/iu.test(after)

/** Words of a condition: the number is hypothetical. */
const conditional =
  /(?:^|[\s,(])(?:if|wenn|falls|sollten|si on|si nous|si un jour|se mai|mochten we|indien|ever|jemals)(?=\s)/iu

/** Returns amounts of pay: with a currency or a word for pay, or too large to be anything else. */
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

/** Guests, visitors and places, which are not people of an organisation: "we are 90 guests", "we are two clinics". */
const guests =
  /^\s(?:\p{L}+\s)?(?:guests?|visitors?|clinics|shops|stores|sites|branches|offices|companies|businesses|filialen|standorte?\p{L}*|betriebe|praxen|läden|magasins|sites|agences|tiendas|sedes|centros|oficinas|negozi|sedi|filiali|winkels|vestigingen|locaties|kantoren|praktijken|children|kids|pupils|students|adults|families|couples|travell?ers|gäste\p{L}*|besucher\p{L}*|kinder\p{L}*|schüler\p{L}*|erwachsene\p{L}*|familien|paare|reisende|invités?|invitées?|convives|visiteurs|enfants|élèves|adultes|familles|couples|voyageurs|invitad[oa]s|comensales|visitantes|niñ[oa]s|alumn[oa]s|adultos|familias|parejas|viajeros|invitat[ie]|ospiti|visitatori|bambini|alunni|adulti|famiglie|coppie|viaggiatori|gasten|bezoekers|kinderen|leerlingen|volwassenen|gezinnen|koppels|reizigers)(?!\p{L})/iu

/**
 * Whether a number is not about the writer: guests are not staff, a number added to another is not the total ("60 drivers and 12
 * clerks"), and years that are required are not years of experience.
 */
const isForOthers = (concept: string, before: string) =>
  concept === 'people'
    ? /(?:^|\s)(?:for|für|pour|para|per|voor)(?: (?:about|around|unas?|circa|rund|etwa|environ|ongeveer|some))?\s$|\d \p{L}{2,20} (?:and|und|et|y|e|en)\s$/iu.test(
        before,
      )
    : /(?:requires?|required|verlang\p{L}*|mindestens|at least|almeno|au moins|al menos|minstens|chiede|demande|minimum|m[ií]nimo)\s(?:\p{L}+\s)?$/iu.test(
        before,
      )

/** Returns the cues of a concept, or the words of the key for a field without a known concept. */
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
  // Cues that are made from keys are not cached.
  if (tableCues.has(cue)) made.set(cue, pattern)
  return pattern
}

const tableCues: ReadonlySet<Cue> = new Set(Object.values(numberCues).flat())

/** Returns the values with a cue before or after them; if a cue has several, the first. */
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

/** Participles: a day right after one is the day on which it was done. */
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

/** Returns a function that finds the texts that a field asks for in a sentence, or null. */
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

/** Skips sentences about a document of an earlier occasion. */
function unlessEarlier(find: (sentence: Sentence) => readonly ScoredPiece[]) {
  return (sentence: Sentence) => (ofLastTime.test(sentence.folded) ? [] : find(sentence))
}

/** The score of names known only by their place, not by their form: they count only in a sentence that reports a problem. */
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
    isForeignVersion(sentence) || isNotice(sentence.folded)
      ? []
      : [...scored((each) => versionsIn(each).versions, 66)(sentence), ...numberedVersions(sentence)],
  error: (sentence) =>
    [...shownIn(sentence), ...(isForeignError(sentence) ? [] : scored(errorsIn, 60)(sentence))].filter(
      ({ value }) => !isDenial(value),
    ),
  // A subject is skipped here, because it abbreviates the position.
  job: (sentence) => [
    ...scored(jobsIn, 68)(sentence),
    ...(sentence.passage.place === 'subject' ? [] : soughtIn(sentence)),
  ],
}

const numberWords: ReadonlySet<string> = new Set(['number', 'no', 'nr', 'id', 'code', 'nummer', 'numero'])
