/** Dates as mails write them: in digits by the order of the mail's country, in words and relative ones by chrono-node. */
import * as chrono from 'chrono-node'
import type { Locale } from './locale.ts'

export type FoundDate = {
  /** `YYYY-MM-DD` */
  readonly value: string
  readonly start: number
  readonly end: number
}

/** Where a year is missing: which of those that fit is meant. */
export type Direction = 'past' | 'future' | 'near'

export type DateContext = { readonly locale: Locale; readonly date: Date; readonly direction: Direction }

/** chrono-node takes more than linear time of long texts. */
const windowCharsMax = 240
const datesMax = 40
/** Longer texts are sentences. */
const valueCharsMax = 40
const dayMs = 86_400_000

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
  for (const each of inWords(rest, context)) if (found.length < datesMax) found.push(each)
  return found.sort((a, b) => a.start - b.start)
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
  // 03/31/2026 can be read in one order alone.
  return usual ?? (between === '.' ? null : isMonthFirst ? dayOf(full, b, a) : dayOf(full, a, b))
}

/** A day as text; null for one that no calendar has. */
function dayOf(year: number, month: number, day: number): string | null {
  const date = new Date(Date.UTC(year, month - 1, day))
  const isThere = date.getUTCMonth() === month - 1 && date.getUTCDate() === day && month > 0
  return isThere ? date.toISOString().slice(0, 10) : null
}

/** Words that a date in words or a relative one has: chrono-node is not asked about others. */
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
    const isDay = start.isCertain('day') || (start.isCertain('weekday') && /\p{L}{2}/u.test(written))
    // What has digits alone was read above, or is no date: a version, a number.
    if (!isDay || !/\p{L}{3}/u.test(written)) return []
    const value = yearsOf(start, { date, direction, isWritten: /\d{4}/.test(written) })
    const lead = leads.exec(written)?.[0].length ?? 0
    return value === null ? [] : [{ value, start: index + lead, end: index + written.length }]
  })
}

/** Words before a date that chrono-node takes for part of it. */
const leads = /^(?:(?:on|at|by|am|le|el|il|op|den|dem|der|vom|zum|bis|ab|the|l['’]|al?|del?|dal?|da)\s+)+/iu

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
    // "for three days" is not in three days.
    const isLater = value !== null && direction === 'past' && Date.parse(value) > sent && !isWritten
    if (!isLater) return value
    // "since Monday" is the Monday before; "for three days" is not in three days.
    return start.isCertain('weekday') && !start.isCertain('day') ? dayBefore(value, 7) : null
  }
  const years = [-1, 0, 1].flatMap((step) => {
    const value = dayOf(date.getUTCFullYear() + step, month, day)
    return value === null ? [] : [{ value, away: Date.parse(value) - sent }]
  })
  const fits = years.filter(({ away }) =>
    direction === 'near' ? true : direction === 'past' ? away <= dayMs : away >= -dayMs,
  )
  return fits.toSorted((a, b) => Math.abs(a.away) - Math.abs(b.away))[0]?.value ?? null
}
