/** Finds positions that an application names without the usual words before them: by who is sought, and by the subject. */
import { at, type Candidate, type OpenMail } from './candidates.ts'
import { clauseWord } from './clauses.ts'
import { fold, meaningsOf } from './lexicon.ts'
import type { Sentence } from './sentences.ts'
import { isPersonName } from './signatures.ts'

/** Words before the position in a reference to an advertisement. Folded. */
const sought =
  /(?<!\p{L})(?:(?:you are|you.re|you(?: have)?|were|still) (?:looking for|seeking|hiring|advertising for)|(?:looking for|need) (?=an? )|(?:wanted|hiring|needed):|suchen sie|sie suchen|ihr sucht|sucht (?:ihr|er|die firma)|(?:stelle|job|position|ausbildung|praktikum|minijob) (?:als|zum|zur|im)|vous (?:re)?cherchez|(?:re)?cherchiez|(?:re)?cherche (?=une? )|(?:poste|emploi|place|stage|offre|annonce) (?:de|d.|pour|comme)|en tant que|buscan|buscais|estan buscando|(?:puesto|plaza|empleo|trabajo|vacante|oferta|anuncio) (?:de|como|para)|(?:cercate|cerca|state cercando)|(?:posto|posizione|ruolo|impiego|lavoro|annuncio) (?:di|da|come|per)|(?:jullie|u|we) zoeken|(?:baan|functie|vacature|plek|stage|job) (?:van|als|voor))\s+(?:(?:gerade|momentan|noch|derzeit|currently|actuellement|actualmente|attualmente) )?(?:eine[nr]?|einem|den|die|der|das|an|a|the|some|une|un|le|la|les|una|uno|el|los|il|lo|een|de|het)?(?!\p{L})\s*(?:l['’])?/gu
/** Words after the position, in the languages that put them there. */
const behind =
  /(?<!\p{L})(?:the|your|this|an?|als|dat jullie een|jullie een|een|de)\s((?:[\p{L}&/'-]+\s){0,4}[\p{L}&/'-]+)\s(?:position|role|job|post|vacancy|opening|gesucht|sucht|suchen|zoeken|zoekt|gezocht|werden|worden|zu werden)(?![\p{L}])/gu
const end =
  /\s(?:anfangen|arbeiten|bewerben|suchen|die|der|das|que|qui|which|that|who|for|in|at|with|from|bei|fur|mit|ab|zum|zur|am|im|chez|pour|dans|sur|au|avec|en|para|con|por|per|presso|con|nel|nella|bij|voor|met|op|in|and i|und ich|et je|y me|e mi|en ik|worden|werken|zoeken)(?=\s)|[.,;:!?()\n–—]|\s-\s|$/

/** English puts the word for a position after its name. */
const roleWord = / (?:position|role|post|job|vacancy|opening)$/i
const wordsMax = 5
/** Words that do not begin a position, or only stand for one. */
const noPosition =
  /^(?:im|in|auf|am|bei|for|at|on|to|sur|dans|en|nel|nella|su|op|bij|the|with|mit|it|you|me|us|someone|somebody|jemand\p{L}*|quelqu|alguien|qualcuno|iemand|help|hilfe|verstarkung|work|arbeit|job|position|stelle|this|that|new|neue\p{L}*|same|right|my|mein\p{L}*|\p{L}+ (?:years?|jahre?n?|ans|anos|anni|jaar)|(?:stage|praktikum|ausbildung)$|mijn|mon|mes|mis?|cv|curriculum|resume|lebenslauf|initiativ\p{L}*|e?spontan\p{L}*|freundlich\p{L}*|\d)(?![\p{L}])/u

/** Words that occur in clauses but not in the name of a position: "notice in the", "school iemand". Folded. */
const within =
  /\s(?:(?:in|on|at|from|to|that|this|which) (?:the|a|an|your|our)|the|your|our|their|someone|somebody|jemand\p{L}*|quelqu\p{L}*|alguien|qualcuno|iemand|mensen|leute|people|nog|noch|still|encore|ancora|todavia|urgent\p{L}*|dringend)(?!\p{L})/u

/** Returns the positions for which a sentence says that somebody is sought. */
export function soughtIn({
  text,
  folded,
}: Sentence): readonly { value: string; start: number; end: number; score: number }[] {
  const after = Array.from(folded.matchAll(sought), (match) => match.index + match[0].length).map((start) => ({
    start,
    length: folded.slice(start).search(end),
  }))
  const before = Array.from(folded.matchAll(behind), (match) => ({
    start: match.index + match[0].indexOf(match[1] as string),
    length: (match[1] as string).length,
  }))
  return [...after, ...before].flatMap(({ start, length }) => {
    const value = text
      .slice(start, start + length)
      .trim()
      .replace(/ (?:position|role|job|post|vacancy|opening)$/i, '')
    return isPosition(value) ? [{ value, start, end: start + value.length, score: 60 }] : []
  })
}

function isPosition(value: string): boolean {
  const words = value.split(/\s+/)
  return (
    !clauseWord.test(` ${fold(value)} `) &&
    value.length > 3 &&
    words.length <= wordsMax &&
    /^[\p{L}][\p{L}\s/&'’.+-]*(?:\d{1,2}(?:\/\d{1,2})?(?:\s[\p{L}\s/&'’.+-]+)?)?(?:\([mwfdhxv/]+\))?$/u.test(value) &&
    !noPosition.test(fold(value)) &&
    !within.test(fold(value)) &&
    !/ (?:an?|eine?n?|une?|una|uno|een) /.test(value) &&
    meaningsOf(value).unknown > 0
  )
}

/** The words for an application in a subject, which are not part of the position. Folded. */
const application =
  /^(?:(?:re|aw|wg|fw|fwd|tr|rv|i|intern|internal)\s?:\s*|\[[^\]]{2,30}\]\s*)*(?:(?:notification|notificacion|benachrichtigung|notifica|melding) (?:of |de |d.|uber |di |van )?)?(?:(?:(?:my|your|new|meine|ihre|deine|neue|mijn|uw|je|nieuwe|ma|votre|nouvelle|mi|su|tu|nueva|la mia|la sua|nuova) )*(?:online.)?(?:application|bewerbung|candidature|candidatura|solicitud(?: de empleo)?|sollicitatie|postulacion|proceso de seleccion|applying|apply|me ofrezco|mi propongo|mi offro|je me propose|biete mich)(?: (?:received|submitted|recue|eingegangen|recibida|ricevuta|ontvangen|binnengekomen|via (?:the |die |le |la |il |de |het |our |unsere )?[\p{L}.-]+))*(?: (?:for|als|as|um|auf|fur|naar|voor|op|a|au|aux|de|d.|per|come|como|para|pour)(?!\p{L}| \p{L}+stelle))?|(?:new |neue[rs]? |nouve(?:au|lle) |nuev[oa] |nuov[oa] |nieuwe )?(?:applicant|candidate|kandidat(?:in)?|candidate?|candidat[oa]|kandidaat)(?: (?:for|fur|pour|para|per|voor) (?:(?:your|the|ihre|die|votre|la|su|vuestra|vostra|uw|jullie|de) )?(?:vacancy|vakanz|stelle|position|poste|vacante|posizione|vacature))?|(?:new |neue[rs]? )?(?:vakanz|vacancy|vacante|job|stelle|stellenanzeige|poste|emploi|puesto|trabajo|empleo|lavoro|posizione|vacature|baan|functie|annonce|anzeige|annuncio|anuncio)(?: (?:als|as|de|di|da|van|voor|per|como|come)(?!\p{L}))?)\s*[:–-]?\s*(?:the |le |la |el |il |die |den |der |de |poste? (?:de |d.)?|position (?:of |as )?)*/u

/** `Plasterer looking for work` */
const seekers =
  /^(\p{L}[\p{L}\s/'’-]{3,40}?) (?:(?:is )?(?:looking for|seeking|seeks) (?:work|a job|a position|employment)|sucht (?:Arbeit|eine (?:neue )?(?:Stelle|Arbeit|Anstellung)|Anstellung)|(?:re)?cherche (?:un )?(?:emploi|travail|poste)|busca (?:trabajo|empleo)|cerca (?:lavoro|impiego)|zoekt (?:werk|(?:een )?baan))(?!\p{L})/iu

/** Whether a lower-case noun comes right after the word for an application: `Sollicitatie bezorger weekend`. */
const isPlainNoun = (value: string) =>
  /^\p{Ll}{5,}/u.test(value) && !/^(?:suite|apres|pour|nach|naar|tras|dopo)(?!\p{L})/u.test(fold(value))

/** Returns the position that the subject says the writer applies for, or that the text names too. */
export function subjectPositions({ passages, signed }: OpenMail): readonly Candidate[] {
  const subject = passages.find(({ place }) => place === 'subject')
  const [line] = subject?.lines ?? []
  if (subject === undefined || line === undefined) return []
  const seeking = seekers.exec(line.text)?.[1]
  if (seeking !== undefined && isPosition(seeking) && !(seeking.includes(' ') && isPersonName(seeking)))
    return [at(subject, line.start, { value: seeking, start: 0, end: seeking.length }, 58)]
  const lead = application.exec(line.folded)?.[0].length ?? 0
  const rest = line.folded.slice(lead).search(/[,;:()[\]–—|]|\s-\s|$/)
  const value = line.text
    .slice(lead, lead + rest)
    .trim()
    .replace(roleWord, '')
  const isInText = (words: string) =>
    passages.some(({ place, lines }) => place === 'text' && lines.some(({ folded }) => folded.includes(fold(words))))
  const isRepeated = isInText(value)
  const isCalled =
    (lead > 0 && isPlainNoun(value) && isInText(value.split(' ')[0] as string)) ||
    /(?:for|als|as|um|auf|voor|naar|au|aux|per|come|como|pour|a|de|d.|[:–-])\s*$/u.test(line.folded.slice(0, lead))
  const isName = value === signed().person?.value
  if (isName || !isPosition(value) || (!isCalled && !isRepeated)) return []
  return [at(subject, line.start + lead, { value, start: 0, end: value.length }, isRepeated ? 64 : 58)]
}
