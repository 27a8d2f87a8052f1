/** Reads dates as mails write them: digits in the order of the mail's country; dates in words and relative dates also by chrono-node. */
import * as chrono from 'chrono-node'
import type { Locale } from './locale.ts'
import { relativeDates, weeklyDays } from './relative-dates.ts'

export type FoundDate = {
  /** `YYYY-MM-DD` */
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Which year is meant if a date has none: the last or next one that fits, or the nearest. */
export type Direction = 'past' | 'future' | 'near'

export type DateContext = { readonly locale: Locale; readonly date: Date; readonly direction: Direction }

/** chrono-node takes more than linear time, so it gets at most this much text. */
const windowCharsMax = 240
const datesMax = 40
/** A longer text counts as a sentence. */
const valueCharsMax = 40
export const dayMs = 86_400_000

const numeric =
  /(?<![\p{L}\p{N}_.,/#-])(?:(?<year>(?:19|20)\d\d)(?<mark>[-/.])(?<month>\d{1,2})\k<mark>(?<day>\d{1,2})|(?<one>\d{1,2})(?<between>[/.-])\s?(?<two>\d{1,2})\k<between>\s?(?<late>(?:19|20)\d\d|\d\d))(?![\p{L}\p{N}_-]|[./]\d)/gu

/** The dates of a sentence or value, in order; they do not overlap. Never throws. */
export function datesIn(text: string, context: DateContext): readonly FoundDate[] {
  const found: FoundDate[] = []
  const rest = text.replace(numeric, (...match) => {
    const groups = match.at(-1) as { readonly [group: string]: string | undefined }
    const written = match[0] as string
    const start = match.at(-3) as number
    const value = fromDigits(groups, context)
    if (value === null) return written
    found.push({ value, start, end: start + written.length })
    return '|'.repeat(written.length)
  })
  const today = context.date.toISOString().slice(0, 10)
  const relative = relativeDates(rest, context.locale.language, context.date)
  for (const { days, start, end } of relative) found.push({ value: dayBefore(today, -days), start, end })
  const days = without(rest, [...relative, ...weeklyDays(rest)])
  const months = [monthEnd, dayFirst, monthFirst, dayAndMonth].reduce(
    (left, pattern) =>
      left.replace(pattern, (...match) => {
        const groups = match.at(-1) as { readonly [group: string]: string | undefined }
        const written = match[0] as string
        const start = match.at(-3) as number
        const value = fromMonth(
          groups,
          isPast(text, start, start + written.length) ? { ...context, direction: 'past' } : context,
        )
        if (value === null) return written
        // "from the 4th to the 18th of August" is a period: neither day is the date.
        if (groups.from === undefined) found.push({ value, start, end: start + written.length })
        return '|'.repeat(written.length)
      }),
    days,
  )
  for (const each of inWords(months, context)) if (found.length < datesMax) found.push(each)
  found.sort((a, b) => a.start - b.start)
  // "Monday, 22 June" is one date.
  return found.filter((each, n) => {
    const next = found[n + 1]
    const between = next === undefined ? null : text.slice(each.end, next.start)
    return (
      between === null ||
      !/^(?:[\s,]+|\s\()(?:(?:den|dem|der|the|le|il|el|de|op|dia|día|giorno)\s+)?$/u.test(between) ||
      /\d/.test(text.slice(each.start, each.end))
    )
  })
}

/** Whether words beside a date say that it has passed: `el pasado 28 de febrero`, `le 3 mars dernier`. */
const isPast = (text: string, start: number, end: number) =>
  /(?<!\p{L})(?:last|past|vergangene[nrms]?|letzte[nrms]?|pasad[oa]|scors[oa]|afgelopen|vorige)\s(?:d[ií]a\s)?$/iu.test(
    text.slice(Math.max(0, start - passedChars), start),
  ) ||
  /^\s(?:dernier|pass[ée]e?|pasado|scorso|u\.s\.|j\.?l\.?|jongstleden)(?!\p{L})/iu.test(
    text.slice(end, end + passedChars),
  )
const passedChars = 16

/** Returns a text with placeholders in place of the pieces already read. */
function without(text: string, pieces: readonly { readonly start: number; readonly end: number }[]): string {
  return pieces.reduce(
    (left, { start, end }) => `${left.slice(0, start)}${'|'.repeat(end - start)}${left.slice(end)}`,
    text,
  )
}

/** Patterns of the names and abbreviations of the months from January on, in all languages. */
const monthNames =
  'jan(?:uary|uar|uari|v|vier|eiro)?|j[aä]n(?:ner)?|ene(?:ro)?|gen(?:naio)? feb(?:ruary|ruar|ruari|r|rero|braio)?|f[eé]v(?:r|rier|ereiro)? m[aä]r(?:ch|z|s|zo|ço)?|maart|mrt|mar(?:s|zo)? apr(?:il|ile)?|avr(?:il)?|abr(?:il)? may|mai|mayo|mag(?:gio)?|mei|maio june?|juni|juin|junio|giu(?:gno)?|junho july?|juli|juil(?:let)?|julio|lug(?:lio)?|julho aug(?:ust|ustus)?|ao[uû]t|ago(?:sto)? sep(?:t|tember|tembre|tiembre)?|set(?:tembre|embro|iembre)? o[ck]t(?:ober|obre|ubre)?|ott(?:obre)?|out(?:ubro)? nov(?:ember|embre|iembre|embro)? dec(?:ember|)|d[eé]c(?:embre)?|dez(?:ember|embro)?|dic(?:embre|iembre)?'
    .split(' ')
    .map((names) => new RegExp(`^(?:${names})$`, 'iu'))
const monthEnd =
  /(?<!\p{L})(?:(?:the )?end of (?:the )?|ende (?:des )?|(?:la )?fin (?:de |du |d['’])?|(?:a )?fin(?:ales)? de |(?:a )?fine (?:di )?|eind(?:e)? (?:van (?:de )?)?)(?<monthEnd>\p{L}{3,10})(?:\s(?:de |del )?(?<year>(?:19|20)\d\d))?(?!\p{L})/giu
const endOfDate = '(?![\\p{L}\\p{N}_:/-]|[.,]\\d)'
const dayFirst = new RegExp(
  `(?<![\\p{L}\\p{N}.,/-])(?:(?<from>\\d{1,2})\\.?\\s(?:al?|au|bis|to|until|tot|t/m|y|e|et|und|and|en|[-–])\\s(?:the |el |il |le |zum )?)?(?<day>\\d{1,2})(?:\\.|º|°|er|st|nd|rd|th)?\\s?(?:of |de |d['’])?(?<month>\\p{L}{3,10})\\.?(?:,?\\s(?:de |del |of )?(?<year>(?:19|20)\\d\\d))?${endOfDate}`,
  'giu',
)
const monthFirst = new RegExp(
  `(?<![\\p{L}\\p{N}.,/-])(?<month>\\p{L}{3,10})\\.?\\s(?<day>\\d{1,2})(?:st|nd|rd|th)?(?:,?\\s(?<year>(?:19|20)\\d\\d))?${endOfDate}`,
  'giu',
)

/** Digits without a year: `1.7.`, or `le 15/3` after a word that precedes dates. */
const dayAndMonth =
  /(?<![\p{L}\p{N}.,/-])(?:(?<dotted>\d{1,2})\.\s?(?<dottedMonth>\d{1,2})\.(?=[\s,;)]|$)|(?<=(?:^|[\s(])(?:on|by|until|till|from|since|before|le|du|au|el|del|al|il|dal|entro il|op|vanaf|per|voor|tot|am|zum|bis|ab|vom|den|dem|seit|\p{L}{3,9}d[iì]|\p{L}{3,8}(?:day|tag|dag)|lunes|martes|mi[eé]rcoles|jueves|viernes|s[aá]bado|domingo),?\s)(?<slashed>\d{1,2})\/(?<slashedMonth>\d{1,2})(?![\p{L}\d/%]|[.,]\d))/giu

function fromMonth(
  {
    day,
    month = '',
    year,
    dotted,
    dottedMonth,
    slashed,
    slashedMonth,
    monthEnd: ending,
  }: { readonly [group: string]: string | undefined },
  { date, direction, locale }: DateContext,
): string | null {
  if (ending !== undefined) return endOf(ending, year, { date, direction })
  if (dotted !== undefined) return nearestYear(Number(dottedMonth), Number(dotted), { date, direction })
  if (slashed !== undefined) {
    const [one, two] = [Number(slashed), Number(slashedMonth)]
    const [monthOfYear, dayOfMonth] = locale.first === 'month' ? [one, two] : [two, one]
    return nearestYear(monthOfYear, dayOfMonth, { date, direction })
  }
  const index = monthNames.findIndex((names) => names.test(month))
  if (index < 0) return null
  if (year !== undefined) return dayOf(Number(year), index + 1, Number(day))
  return nearestYear(index + 1, Number(day), { date, direction })
}

const thisMonth = /^(?:month|monats|mois|mes|mese|maand)$/iu

/** Returns the last day of the named month, or of the month in which the mail was written. */
function endOf(
  name: string,
  year: string | undefined,
  { date, direction }: Pick<DateContext, 'date' | 'direction'>,
): string | null {
  const month = thisMonth.test(name) ? date.getUTCMonth() : monthNames.findIndex((names) => names.test(name))
  if (month < 0) return null
  const lastOf = (each: number) => new Date(Date.UTC(each, month + 1, 0)).getUTCDate()
  if (year !== undefined) return dayOf(Number(year), month + 1, lastOf(Number(year)))
  return nearestYear(month + 1, lastOf(date.getUTCFullYear()), { date, direction })
}

/** Returns the day in the year that brings it nearest to the mail's date, or nearest before or after it. */
function nearestYear(
  month: number,
  day: number,
  { date, direction }: Pick<DateContext, 'date' | 'direction'>,
): string | null {
  const sent = date.getTime()
  const years = [-1, 0, 1].flatMap((step) => {
    const value = dayOf(date.getUTCFullYear() + step, month, day)
    return value === null ? [] : [{ value, away: Date.parse(value) - sent }]
  })
  const fits = years.filter(({ away }) =>
    direction === 'near' ? true : direction === 'past' ? away <= dayMs : away >= -dayMs,
  )
  return fits.toSorted((a, b) => Math.abs(a.away) - Math.abs(b.away))[0]?.value ?? null
}

function fromDigits(
  { year, month, day, one, two, late, between }: { readonly [group: string]: string | undefined },
  { locale }: DateContext,
): string | null {
  if (year !== undefined) return dayOf(Number(year), Number(month), Number(day))
  const isMonthFirst = between !== '.' && locale.first === 'month'
  const [a, b] = [Number(one), Number(two)]
  const full = Number(late) < 100 ? 2000 + Number(late) : Number(late)
  const usual = isMonthFirst ? dayOf(full, a, b) : dayOf(full, b, a)
  // 03/31/2026 can be read in only one order.
  return usual ?? (between === '.' ? null : isMonthFirst ? dayOf(full, b, a) : dayOf(full, a, b))
}

/** Returns a day as text, or null if the calendar has no such day. */
function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0
  return isThere ? date.toISOString().slice(0, 10) : null
}

/** The words of dates in words and relative dates. A text without any is not given to chrono-node. */
const dateWords =
  /\b(?:jan|feb|f[eé]v|m[aä]r|apr|avr|abr|ma[iyjrg]|me[ij]|jun|jui|giu|jul|lug|aug|ago|ao[uû]|sep|set|o[ck]t|ott|out|nov|de[czs]|d[eé]c|dic|dez|gen|ene|j[aä]n|mon|tue|wed|thu|fri|sat|sun|mo|di|mi|do|fr|sa|so|lun|mar|mer|jeu|ven|sam|dim|mi[eé]|jue|vie|s[aá]b|dom|gio|maandag|dinsdag|woe|don|vrij|zat|zon|seg|ter|qua|qui|sex|today|tomorrow|yesterday|heute|morgen|gestern|vorgestern|[uü]bermorgen|aujourd|demain|hier|avant|apr[eè]s|hoy|ma[nñ]ana|ayer|anteayer|oggi|domani|ieri|dopodomani|vandaag|gisteren|overmorgen|eergisteren|hoje|amanh[aã]|ontem|in|dans|en|tra|fra|over|vor|ago|il y a|hace|fa|geleden|next|last|this|n[aä]chst|letzt|prochain|dernier|pr[oó]xim|pasad|prossim|scors|volgende|vorige|komend|aanstaande)/iu

const parsers: { readonly [language in Locale['language']]: chrono.Chrono } = {
  en: chrono.en.casual,
  de: chrono.de.casual,
  fr: chrono.fr.casual,
  es: chrono.es.casual,
  it: chrono.it.casual,
  nl: chrono.nl.casual,
  pt: chrono.pt.casual,
}

function inWords(text: string, { locale, date, direction }: DateContext): readonly FoundDate[] {
  if (!dateWords.test(text)) return []
  const window = text.slice(0, windowCharsMax)
  const reference = { instant: date, timezone: 0 }
  const results = parsers[locale.language].parse(window, reference, { forwardDate: true })
  // A short value may be in another language than the mail.
  const others = Object.values(parsers).filter((parser) => parser !== parsers[locale.language])
  const more =
    results.length > 0 || text.length > valueCharsMax
      ? []
      : (others
          .map((parser) => parser.parse(window, reference, { forwardDate: true }))
          .find(({ length }) => length > 0) ?? [])
  return [...results, ...more].flatMap(({ index, text: written, start }) => {
    if (times.test(written) || term.test(written)) return []
    // "sett. 6/2026" is a week.
    if (/^\p{L}+\.? \d{1,2}\/\d/u.test(text.slice(index))) return []
    if (/^(?:jetzt|now|maintenant|ahora|adesso|ora|nu|agora)$/i.test(written)) return []
    const isDay = start.isCertain('day') || (start.isCertain('weekday') && /\p{L}{2}/u.test(written))
    // Text of digits only was read above or is not a date but a version or a number.
    if (
      !isDay ||
      !/\p{L}{3}/u.test(written) ||
      // Three letters alone may be another word: "Mar" is also the sea.
      /^\p{L}{3}\.?$/u.test(written) ||
      within.test(text.slice(Math.max(0, index - 14), index + written.length))
    )
      return []
    const value = yearsOf(start, { date, direction, isWritten: /\d{4}/.test(written) })
    const lead = leads.exec(written)?.[0].length ?? 0
    return value === null ? [] : [{ value, start: index + lead, end: index + written.length }]
  })
}

/** Units of a duration, which is not a date. */
const times =
  /\b(?:seconds?|minutes?|hours?|sekunden?|minuten?|stunden?|secondes?|heures?|segundos?|minutos?|horas?|second[oi]|minut[oi]|or[ae]|seconden|uur|uren)\b/iu

/** "Payment terms: 14 days" */
const term = /^\d+ \p{L}+$/u

/** Words before a date that chrono-node includes in it. */
const leads = /^(?:(?:on|at|by|am|le|el|il|op|den|dem|der|vom|zum|bis|ab|the|l['’]|al?|del?|dal?|da)\s+)+/iu

/** Words that introduce a term ("within 14 days"), which is not a date. */
const within =
  /\b(?:binnen|within|innerhalb|innert|entro \d+|sous \d+|dentro de|en los pr[oó]ximos|in den n[aä]chsten|over the next|in the next|dans les)\b/iu

const dayBefore = (value: string, days: number) => new Date(Date.parse(value) - days * dayMs).toISOString().slice(0, 10)

function yearsOf(
  start: chrono.ParsedComponents,
  { date, direction, isWritten }: Pick<DateContext, 'date' | 'direction'> & { readonly isWritten: boolean },
): string | null {
  const [year, month, day] = [start.get('year'), start.get('month'), start.get('day')]
  if (year === null || month === null || day === null) return null
  const sent = date.getTime()
  if (start.isCertain('year') || !start.isCertain('month')) {
    const value = dayOf(year, month, day)
    // A weekday that is also that of the mail's date means the one a week away.
    const isNamed = start.isCertain('weekday') && !start.isCertain('day')
    if (isNamed && value === date.toISOString().slice(0, 10) && direction !== 'near')
      return dayBefore(value, direction === 'past' ? 7 : -7)
    const isLater = value !== null && direction === 'past' && Date.parse(value) > sent && !isWritten
    if (!isLater) return value
    // "since Monday" means the previous Monday; "for three days" does not mean in three days.
    return start.isCertain('weekday') && !start.isCertain('day') ? dayBefore(value, 7) : null
  }
  return nearestYear(month, day, { date, direction })
}
