/** Time comes from here alone, so that expiry, retries and month ends can be tested in milliseconds. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

export function after(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms)
}

/** Names of the calendar periods (UTC) a moment lies in, and when they end. */
export function periodsOf(at: Date): {
  month: string
  day: string
  minute: string
  monthStart: Date
  monthEnd: Date
  dayEnd: Date
  hourEnd: Date
  minuteEnd: Date
} {
  const iso = at.toISOString()
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  return {
    month: iso.slice(0, 7),
    day: iso.slice(0, 10),
    minute: iso.slice(0, 16),
    monthStart: new Date(Date.UTC(year, month, 1)),
    monthEnd: new Date(Date.UTC(year, month + 1, 1)),
    dayEnd: new Date(Date.UTC(year, month, day + 1)),
    hourEnd: new Date((Math.floor(at.getTime() / hourMs) + 1) * hourMs),
    minuteEnd: new Date((Math.floor(at.getTime() / minuteMs) + 1) * minuteMs),
  }
}

/** Whole seconds from `at` until `until`, at least 1. */
export function secondsUntil(at: Date, until: Date): number {
  return Math.max(1, Math.ceil((until.getTime() - at.getTime()) / secondMs))
}
