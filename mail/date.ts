/**
 * Reads a Date field (RFC 5322 3.3 and 4.3): comments, two-digit years, named zones, a missing weekday, seconds or
 * zone are all taken. Null when it is no date. Never throws.
 */
export function parseDate(text: string): Date | null {
  const plain = text.slice(0, 200).replace(/\([^()]*\)/g, ' ')
  const found = pattern.exec(plain)
  if (!found) return iso(plain.trim())
  const [, day, monthName, yearText, hour, minute, second, zone] = found
  const month = months.indexOf((monthName as string).toLowerCase())
  const [hours, minutes, seconds] = [hour, minute, second].map((digits) => Number(digits ?? 0)) as [
    number,
    number,
    number,
  ]
  if (Number(day) > 31 || hours > 24 || minutes > 59 || seconds > 60) return null
  const time = Date.UTC(fullYear(yearText as string), month, Number(day), hours, minutes, seconds)
  return valid(new Date(time - zoneMinutes(zone) * 60_000))
}

/** `Fri, 21 Nov 1997 09:55:06 +0000` */
export function formatDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000')
}

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const pattern =
  /(\d{1,2})[\s-]+(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[\s,-]+(\d{4}|\d{2,3})(?:[\s,T]+(\d{1,2})\s*[:.]\s*(\d{2})(?:\s*[:.]\s*(\d{2})(?:\.\d+)?)?)?(?:\s*([+-]\s?\d{4}|[a-z]{1,5})\b)?/i

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

function zoneMinutes(zone: string | undefined): number {
  const text = zone?.replace(/\s/g, '').toLowerCase() ?? ''
  const digits = /^([+-])(\d{2})(\d{2})$/.exec(text)
  if (!digits) return Object.hasOwn(zones, text) ? (zones[text] as number) : 0
  const minutes = Number(digits[2]) * 60 + Number(digits[3])
  return digits[1] === '-' ? -minutes : minutes
}

function iso(text: string): Date | null {
  return /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?)?$/.test(text)
    ? valid(new Date(text))
    : null
}

function valid(date: Date): Date | null {
  return Number.isNaN(date.getTime()) || date.getUTCFullYear() > 9999 || date.getUTCFullYear() < 1970 ? null : date
}
