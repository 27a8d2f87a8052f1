/** Counting: what an account used in a calendar period, and limits over rolling ones. */
import type { UsagePeriod } from '../../store/documents/sending.ts'
import { countOf, findUsage, giveBack, takeCounts } from '../../store/usage.ts'
import { after, dayMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** How long the counters of a period are kept. */
const keptMs: { readonly [period in Period]: number } = {
  month: 60 * dayMs,
  day: 60 * dayMs,
  hour: 2 * dayMs,
  minute: dayMs,
}

export type Period = UsagePeriod

/** Takes `by` of a counter in the period of `at` (now without it); false when that would pass the limit. */
export async function take(
  ctx: Context,
  {
    owner,
    period,
    at = ctx.clock.now(),
    ...count
  }: { owner: string; period: Period; counter: string; by: number; limit: number | null; at?: Date },
): Promise<boolean> {
  const refused = await takeCounts(ctx.store, [{ ...periodOf(owner, period, at), counts: [count] }])
  return refused.size === 0
}

/** Gives back what was taken at `at`: to that period, for the next one may have begun meanwhile. */
export function give(
  ctx: Context,
  { owner, period, counter, by, at }: { owner: string; period: Period; counter: string; by: number; at: Date },
): Promise<boolean> {
  return giveBack(ctx.store, { id: usageIdOf(owner, period, at), counter, by })
}

/** The document of an owner's counters in the period of `at`. */
export function periodOf(owner: string, period: Period, at: Date): { id: string; expiresAt: Date } {
  return { id: usageIdOf(owner, period, at), expiresAt: after(at, keptMs[period]) }
}

/** The document that says how far an account's events are counted. */
export const markOf = (accountId: string): string => `${accountId}:tally`

/** Counters of the current period. */
export async function counted(ctx: Context, owner: string, period: Period): Promise<(counter: string) => number> {
  const [usage] = await findUsage(ctx.store, [usageIdOf(owner, period, ctx.clock.now())])
  return (counter) => countOf(usage, counter)
}

export type Rolling = {
  readonly owner: string
  readonly counter: string
  readonly limit: number
  readonly windowMs: number
  readonly stepMs: number
}

/**
 * Takes one of a limit over a rolling window, kept in steps. Null when it was granted, else the seconds until one is free.
 * The steps of a window share one document, so the take is one conditional update of its sum; steps that left the window
 * whole are given back first.
 */
export async function takeRolling(ctx: Context, rolling: Rolling): Promise<number | null> {
  const at = ctx.clock.now()
  const step = Math.floor(at.getTime() / rolling.stepMs)
  const oldest = Math.floor((at.getTime() - rolling.windowMs) / rolling.stepMs)
  const id = rollingId(rolling)
  const expiresAt = new Date(at.getTime() + 3650 * dayMs)
  const [usage] = await findUsage(ctx.store, [id])
  const steps = Object.keys(usage?.counts ?? {})
    .filter((name) => name.startsWith('at'))
    .map((name) => Number(name.slice(2)))
    .sort((a, b) => a - b)
  for (const old of steps.filter((number) => number < oldest)) {
    const by = countOf(usage, `at${old}`)
    // Only the one who empties the step takes it off the sum.
    if (by > 0 && (await giveBack(ctx.store, { id, counter: `at${old}`, by })))
      await giveBack(ctx.store, { id, counter: 'sum', by })
  }
  const counts = [
    { counter: 'sum', by: 1, limit: rolling.limit },
    { counter: `at${step}`, by: 1, limit: null },
  ]
  const refused = await takeCounts(ctx.store, [{ id, expiresAt, counts }])
  if (refused.size === 0) return null
  const first = steps.find((number) => number >= oldest && countOf(usage, `at${number}`) > 0) ?? step
  return secondsUntil(at, new Date((first + 1) * rolling.stepMs + rolling.windowMs))
}

/** Gives back one that was taken just now. */
export async function giveRolling(ctx: Context, rolling: Rolling): Promise<void> {
  const id = rollingId(rolling)
  const step = Math.floor(ctx.clock.now().getTime() / rolling.stepMs)
  await giveBack(ctx.store, { id, counter: `at${step}`, by: 1 })
  await giveBack(ctx.store, { id, counter: 'sum', by: 1 })
}

const rollingId = ({ owner, counter }: Rolling) => `${owner}:rolling:${counter}`

/** The id of the document that counts a period. */
export function usageIdOf(owner: string, period: Period, at: Date): string {
  const { month, day, minute } = periodsOf(at)
  const name = { month, day, hour: minute.slice(0, 13), minute }[period]
  return `${owner}:${name}`
}
