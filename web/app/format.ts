/** Times, sizes and counts as the viewer reads them: in their language and time zone. */
import { locale } from './language.ts'

const minuteMs = 60_000
const dayMs = 86_400_000

const clock = new Intl.DateTimeFormat(locale, { hour: 'numeric', minute: '2-digit' })
const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
const dayOfYear = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' })
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
const whole = new Intl.DateTimeFormat(locale, { dateStyle: 'full', timeStyle: 'long' })
const short = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
const counted = new Intl.NumberFormat(locale)
const shares = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 })

/** As in a list of mail: the time if it is today, the weekday within the last six days, otherwise the date. */
export function listTime(iso: string, now: Date = new Date()): string {
  const at = new Date(iso)
  if (at.toDateString() === now.toDateString()) return clock.format(at)
  const ago = now.getTime() - at.getTime()
  if (ago > 0 && ago < 6 * dayMs) return weekday.format(at)
  return at.getFullYear() === now.getFullYear() ? dayOfYear.format(at) : day.format(at)
}

/** `12 Nov 2026`. */
export const date = (iso: string): string => day.format(new Date(iso))
/** Date and time, short. */
export const dateTime = (iso: string): string => short.format(new Date(iso))
/** Date and time with seconds and time zone, for tooltips. */
export const exactTime = (iso: string): string => whole.format(new Date(iso))

/** `3 minutes ago`, `in 2 days`. */
export function relativeTime(iso: string, now: Date = new Date()): string {
  const ms = new Date(iso).getTime() - now.getTime()
  const size = Math.abs(ms)
  if (size < minuteMs) return relative.format(0, 'second')
  if (size < 60 * minuteMs) return relative.format(Math.round(ms / minuteMs), 'minute')
  if (size < dayMs) return relative.format(Math.round(ms / (60 * minuteMs)), 'hour')
  if (size < 30 * dayMs) return relative.format(Math.round(ms / dayMs), 'day')
  if (size < 365 * dayMs) return relative.format(Math.round(ms / (30 * dayMs)), 'month')
  return relative.format(Math.round(ms / (365 * dayMs)), 'year')
}

/** Returns a time as the value of a datetime-local field, in the viewer's time zone. */
export function localTime(iso: string): string {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * minuteMs).toISOString().slice(0, 16)
}

export const count = (n: number): string => counted.format(n)
/** Formats a share (0 to 1) as a percentage. */
export const percent = (share: number): string => shares.format(share)

/** Sizes are powers of 1024 throughout the API. */
export function bytes(size: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB']
  const power = size < 1 ? 0 : Math.min(Math.floor(Math.log2(size) / 10), units.length - 1)
  const value = size / 1024 ** power
  const rounded = new Intl.NumberFormat(locale, { maximumFractionDigits: power === 0 || value >= 10 ? 0 : 1 })
  return `${rounded.format(value)} ${units[power]}`
}
