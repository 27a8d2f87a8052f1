/** Forecasts the rest of a month from its usage so far. */
import type { UsageGetResult } from '../../../sdk/generated/types.ts'
import { count, date } from '../../app/format.ts'
import { words } from '../../app/language.ts'

/** A shorter part of the month is too little for a forecast. */
const leastMs = 86_400_000
const nearlyFull = 0.8

/** Returns sentences for people: what runs out and when, or that nothing does. */
export function forecast(usage: UsageGetResult, now: Date = new Date()): readonly string[] {
  const { sends, emails, storage, period, eventsDropped } = usage
  const { next } = words.usage
  const used = emails.sent + emails.received
  const isOver = emails.limit !== null && used >= emails.limit
  const sendsEnd = endOf(sends.used, sends.limit, period, now)
  const emailsEnd = emails.limit === null ? null : endOf(used, emails.limit, period, now)
  const sentences = [
    ...(sends.remaining === 0 && sends.used > 0
      ? [next.sendsOver]
      : sendsEnd === null
        ? []
        : [next.sends(date(sendsEnd.toISOString()))]),
    ...(isOver ? [next.emailsOver] : emailsEnd === null ? [] : [next.emails(date(emailsEnd.toISOString()))]),
    ...(storage.limit > 0 && storage.used >= nearlyFull * storage.limit ? [next.storage] : []),
  ]
  return [
    ...(sentences.length === 0 ? [next.fine] : sentences),
    ...(eventsDropped === 0 ? [] : [next.dropped(count(eventsDropped))]),
  ]
}

/** Returns when a limit is reached at the pace so far, or null if not within the month. */
function endOf(used: number, limit: number, { from, to }: UsageGetResult['period'], now: Date): Date | null {
  const passedMs = now.getTime() - new Date(from).getTime()
  if (used === 0 || used >= limit || passedMs < leastMs) return null
  const end = new Date(new Date(from).getTime() + (passedMs / used) * limit)
  return end < new Date(to) ? end : null
}
