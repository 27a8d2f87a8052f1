/** Reads days that are given by their distance from the mail's date: this morning, three weeks ago, last Monday. */
import { fold } from './lexicon.ts'
import type { LensLanguage } from './locale.ts'
import { numberOfWord } from './numbers.ts'

export type RelativeDate = {
  /** The distance in days from the mail's date, negative for the past. */
  readonly days: number
  readonly start: number
  readonly end: number
}

/** Words for days near the mail's date by their distance in days, in all languages. Folded. */
const days: readonly (readonly [days: number, words: string])[] = [
  [
    -2,
    'day before yesterday|vorgestern|avant-hier|anteayer|antes de ayer|l.altro ieri|ieri l.altro|eergisteren|anteontem',
  ],
  [
    -1,
    'yesterday(?: (?:morning|afternoon|evening|night))?|last night|gestern(?: (?:fruh|morgen|vormittag|mittag|nachmittag|abend|nacht))?|hier(?: (?:matin|midi|soir|apres-midi))?|ayer(?: por la (?:manana|tarde|noche))?|anoche|ieri(?: (?:mattina|pomeriggio|sera|notte))?|gisteren(?:ochtend|middag|avond)?|gister(?:ochtend|middag|avond)|ontem',
  ],
  [
    0,
    'this (?:morning|afternoon|evening)|tonight|today|heute(?: (?:fruh|morgen|vormittag|mittag|nachmittag|abend|nacht))?|ce (?:matin|midi|soir)|cet apres-midi|cette nuit|aujourd.hui|esta (?:manana|tarde|noche|madrugada)|hoy|stamattina|stamani|stanotte|stasera|questa (?:mattina|notte|sera)|oggi|van(?:morgen|ochtend|middag|avond|nacht)|vandaag|hoje',
  ],
]
const near = days.map(([away, words]) => ({ away, pattern: new RegExp(`(?<![\\p{L}])(?:${words})(?!\\p{L})`, 'gu') }))

const units: readonly (readonly [days: number, words: string])[] = [
  [1, 'days?|tage?n?|jours?|dias?|giorn[oi]|dag(?:en)?'],
  [7, 'weeks?|wochen?|semaines?|semanas?|settiman[ae]|we(?:ek|ken)'],
]
const unit = units.map(([, words]) => words).join('|')
const count = '(?<count>\\d{1,2}|\\p{L}{2,11})'
/** Phrases for how long ago something was, or how long it has lasted. */
const ago: { readonly [language in LensLanguage]?: RegExp } = {
  en: new RegExp(`(?<!\\p{L})(?:about |around )?${count} (?<unit>${unit}) ago(?!\\p{L})`, 'gu'),
  de: new RegExp(`(?<!\\p{L})(?:vor|seit) (?:etwa |ca\\.? |rund |ungefahr )?${count} (?<unit>${unit})(?!\\p{L})`, 'gu'),
  fr: new RegExp(`(?<!\\p{L})(?:il y a|depuis|voila) (?:environ )?${count} (?<unit>${unit})(?!\\p{L})`, 'gu'),
  es: new RegExp(`(?<!\\p{L})(?:desde )?hace (?:unos |unas )?${count} (?<unit>${unit})(?!\\p{L})`, 'gu'),
  it: new RegExp(
    `(?<!\\p{L})(?:circa )?${count} (?<unit>${unit}) fa(?!\\p{L})|(?<!\\p{L})da (?:circa )?(?<lasting>\\d{1,2}|\\p{L}{2,11}) (?<lastingUnit>${unit})(?!\\p{L})`,
    'gu',
  ),
  nl: new RegExp(
    `(?<!\\p{L})(?:ongeveer )?${count} (?<unit>${unit}) geleden(?!\\p{L})|(?<!\\p{L})(?:al|sinds) (?<lasting>\\d{1,2}|\\p{L}{2,11}) (?<lastingUnit>${unit})(?!\\p{L})`,
    'gu',
  ),
}

/** The names of the weekdays from Sunday on. Folded. */
const weekdayNames = [
  'sunday|sonntag|dimanche|domingo|domenica|zondag',
  'monday|montag|lundi|lunes|lunedi|maandag',
  'tuesday|dienstag|mardi|martes|martedi|dinsdag',
  'wednesday|mittwoch|mercredi|miercoles|mercoledi|woensdag',
  'thursday|donnerstag|jeudi|jueves|giovedi|donderdag',
  'friday|freitag|vendredi|viernes|venerdi|vrijdag',
  'saturday|samstag|sonnabend|samedi|sabado|sabato|zaterdag',
]
const weekday = `(?<weekday>${weekdayNames.join('|')})`
const passed = new RegExp(
  `(?<!\\p{L})(?:last|letzte[nrms]?|vergangene[nrms]?|vorige[nrms]?|el pasado|lo scorso|la scorsa|scorso|scorsa|afgelopen|vorige|jongstleden) ${weekday}(?!\\p{L})|(?<!\\p{L})(?<past>${weekdayNames.join('|')}) (?:dernier|derniere|passe|pasado|scorso|scorsa|jl\\.?|jongstleden)(?!\\p{L})`,
  'gu',
)
const weekdays = weekdayNames.map((names) => new RegExp(`^(?:${names})$`, 'u'))

/** `Monday to Friday`, `du lundi au vendredi`, `il lunedì, il martedì e il sabato`, `Monday or Tuesday`: recurring or uncertain days. */
const everyWeek = new RegExp(
  `(?<!\\p{L})(?:(?:${weekdayNames.join('|')})s?(?:(?:\\s?[-–/]\\s?|, | (?:to|through|till|until|bis|und|and|au|et|al?|y|e|tot(?: en met)?|t/m|en|or|oder|ou|o|of) )(?:le |el |il |am |on |op )?(?:${weekdayNames.join('|')})s?)+|(?:every|each|jeden?|chaque|tous les|todos los|cada|ogni|elke|iedere) (?:${weekdayNames.join('|')})s?|(?:mo|mon|di|lun?)\\.?\\s?[-–]\\s?(?:fri?|ven?|vr|do|sat?|sab|so|zo|sun|dom)\\.?)(?!\\p{L})`,
  'gu',
)

/** Returns the recurring days of a text, which are not dates. */
export const weeklyDays = (text: string): readonly { readonly start: number; readonly end: number }[] =>
  Array.from(fold(text).matchAll(everyWeek), ({ 0: written, index }) => ({
    start: index,
    end: index + written.length,
  }))

/** Returns the days of a text that are given by their distance from the mail's date, in no order. Linear. */
export function relativeDates(text: string, language: LensLanguage, sent: Date): readonly RelativeDate[] {
  const folded = fold(text)
  const named = near.flatMap(({ away, pattern }) =>
    Array.from(folded.matchAll(pattern), ({ 0: written, index }) => ({
      days: away,
      start: index,
      end: index + written.length,
    })),
  )
  const counted =
    ago[language] === undefined ? [] : Array.from(folded.matchAll(ago[language])).flatMap(countedOf(language))
  const weekly = Array.from(folded.matchAll(passed)).flatMap((match) => {
    const name = match.groups?.weekday ?? match.groups?.past ?? ''
    const day = weekdays.findIndex((names) => names.test(name))
    const back = (sent.getUTCDay() - day + 7) % 7 || 7
    return [{ days: -back, start: match.index, end: match.index + match[0].length }]
  })
  const all = [...named, ...counted, ...weekly]
  // "hier" is part of "avant-hier".
  return all.filter(
    (one) =>
      !all.some(
        (other) => other !== one && other.start <= one.start && other.end >= one.end && size(other) > size(one),
      ),
  )
}

const size = ({ start, end }: RelativeDate) => end - start

const countedOf =
  (language: LensLanguage) =>
  ({ 0: written, index, groups = {} }: RegExpExecArray): readonly RelativeDate[] => {
    const many = groups.count ?? groups.lasting ?? ''
    const number = /^\d/.test(many) ? Number(many) : numberOfWord(many, language)
    const each = units.find(([, words]) =>
      new RegExp(`^(?:${words})$`, 'u').test(groups.unit ?? groups.lastingUnit ?? ''),
    )
    return number === null || each === undefined
      ? []
      : [{ days: -number * each[0], start: index, end: index + written.length }]
  }
