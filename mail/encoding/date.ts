/**
 * Reads a Date field (RFC 5322 3.3 and 4.3). Accepts comments, two-digit years, named zones, a missing weekday, missing seconds and
 * a missing zone, and dates that begin with the month (as asctime writes them) or the year. Without a zone it is UTC. Null
 * when it is not a date. Never throws.
 */
export function parseDate(text: string): Date | null {
  const plain = text
    .slice(0, 200)
    .replace(/\([^()]*\)/g, ' ')
    .replace(/\s+/g, ' ')
  for (const pattern of patterns) {
    const found = pattern.exec(plain)?.groups
    if (found) return dateOf(found)
  }
  return null
}

function dateOf({ day, month = '', year = '', hour, minute, second, half, zone, offset }: DateParts): Date | null {
  const [hours, minutes, seconds] = [hour, minute, second].map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
  ]
  if (Number(day) > 31 || hours > 24 || minutes > 59 || seconds > 60) return null
  const named = /^\d/.test(month) ? Number(month) - 1 : months.indexOf(month.toLowerCase())
  if (named < 0 || named > 11) return null
  const hourOfDay = half === undefined || hours > 12 ? hours : (hours % 12) + (/p/i.test(half) ? 12 : 0)
  const time = Date.UTC(fullYear(year), named, Number(day), hourOfDay, minutes, seconds)
  return valid(new Date(time - zoneMinutes(zone, offset) * 60_000))
}

/** `Fri, 21 Nov 1997 09:55:06 +0000` */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
type DateParts = Readonly<Record<string, string | undefined>>

const name = `(?<month>${months.join('|')})[a-z]*`
const time =
  '(?<hour>\\d{1,2})\\s*[:.]\\s*(?<minute>\\d{1,2})(?:\\s*[:.]\\s*(?<second>\\d{1,2})(?:[.,]\\d+)?)?(?:\\s?(?<half>[ap])\\.?m\\b\\.?)?'
const zone = '\\s*(?:(?<zone>[a-z]{1,5})\\b)?\\s*(?<offset>[+-]\\s?\\d{1,2}:?(?:\\d{2})?(?!\\d))?'
const later = `(?:(?:[\\s,T]|\\bat\\b)+${time})?${zone}`

const patterns: readonly RegExp[] = [
  `(?<day>\\d{1,2})[\\s.-]+${name}[\\s,.-]+(?<year>\\d{4}|\\d{2,3})${later}`,
  `\\b${name}\\.?\\s+(?<day>\\d{1,2})(?:st|nd|rd|th)?[\\s,]+(?<year>\\d{4})\\b${later}`,
  // asctime, and what date(1) writes
  `\\b${name}\\s+(?<day>\\d{1,2})\\s+${time}\\s+(?<year>\\d{4})\\b${zone}`,
  `\\b${name}\\s+(?<day>\\d{1,2})\\s+${time}${zone}\\s+(?<year>\\d{4})\\b`,
  `^\\s*(?<year>\\d{4})-(?<month>\\d{2})-(?<day>\\d{2})(?!\\d)${later}\\s*$`,
].map((source) => new RegExp(source, 'i'))

// RFC 5322 4.3: 00 to 49 are 20xx, other short years count from 1900.
function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 4) return year
  return text.length === 2 && year < 50 ? 2000 + year : 1900 + year
}

const zones: Readonly<Record<string, number>> = {
  edt: -240,
  est: -300,
  cdt: -300,
  cst: -360,
  mdt: -360,
  mst: -420,
  pdt: -420,
  pst: -480,
}

/** An offset outweighs a name: `GMT+0200`. An offset of fewer than three digits has no minutes. */
function zoneMinutes(zone: string | undefined, offset: string | undefined): number {
  const digits = offset?.replace(/\D/g, '') ?? ''
  if (digits === '')
    return zone !== undefined && Object.hasOwn(zones, zone.toLowerCase()) ? (zones[zone.toLowerCase()] as number) : 0
  const hours = digits.length < 3 ? Number(digits) : Number(digits.slice(0, -2))
  const minutes = hours * 60 + (digits.length < 3 ? 0 : Number(digits.slice(-2)))
  return offset?.startsWith('-') ? -minutes : minutes
}

function valid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 1970 ? null : date
}
