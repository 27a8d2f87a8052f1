/** The only source of the current time, so that tests of expiry, retries and month ends can set it. */
export type Clock = {
  now(): Date
  /** How far the clock is ahead of the machine's, as a sandbox's may be (core/process/test-clocks.ts). */
  readonly aheadMs?: number
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that is ahead of the machine's. */
export function aheadBy(machineClock: Clock, aheadMs: number): Clock {
  return { now: () => after(machineClock.now(), aheadMs), aheadMs }
}

export const secondMs = 1_000
export const minuteMs = 60 * secondMs
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The time `ms` milliseconds after `from` (before it, when negative). */
export function after(from: Date, ms: number): Date {
  return new Date(from.getTime() + ms)
}

/**
 * The calendar periods (UTC) that contain `at`: names that sort by time (`2026-07`, `2026-07-15`, `2026-07-15T10:30`),
 * and when each period starts or ends.
 */
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

/** The start of the hour that contains `at`. */
export const startOfHour = (at: Date): Date => new Date(Math.floor(at.getTime() / hourMs) * hourMs)

/** Whole seconds from `at` to `until`, rounded up; at least 1. */
export function secondsUntil(at: Date, until: Date): number {
  return Math.max(1, Math.ceil((until.getTime() - at.getTime()) / secondMs))
}
