/** Usage counters: of calendar periods (month, day, hour, minute) and of rolling windows. */
import type { UsagePeriod } from '../../store/documents/sending.ts'
import { countOf, findUsage, giveBack, takeCounts } from '../../store/usage.ts'
import { after, dayMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'

/** How long the counters of a period are kept after it began. */
const keptMs: { readonly [period in Period]: number } = {
  month: 60 * dayMs,
  day: 60 * dayMs,
  hour: 2 * dayMs,
  minute: dayMs,
}

export type Period = UsagePeriod

/**
 * Adds `by` to a counter in the period that contains `at` (default: now). Returns false, and adds nothing, when that
 * would pass the limit.
 */
export async function takeUsage(
  ctx: Context,
  {
    owner,
    period,
    at = ctx.clock.now(),
    ...count
  }: { owner: string; period: Period; counter: string; by: number; limit: number | null; at?: Date },
): Promise<boolean> {
  const refused = await takeCounts(ctx.store, [{ ...usagePeriod(owner, period, at), counts: [count] }])
  return refused.size === 0
}

/**
 * Takes `by` off a counter again, in the period that contained `at`: the next period may have begun since it was added.
 */
export function giveBackUsage(
  ctx: Context,
  { owner, period, counter, by, at }: { owner: string; period: Period; counter: string; by: number; at: Date },
): Promise<boolean> {
  return giveBack(ctx.store, { id: usageIdOf(owner, period, at), counter, by })
}

/** Id and expiry of the document that holds an owner's counters in the period that contains `at`. */
export function usagePeriod(owner: string, period: Period, at: Date): { id: string; expiresAt: Date } {
  return { id: usageIdOf(owner, period, at), expiresAt: after(at, keptMs[period]) }
}

/**
 * Id of the document that keeps the watermark up to which an account's events are counted
 * (core/receive/received-counts.ts).
 */
export const receivedWatermarkId = (accountId: string): string => `${accountId}:tally`

/** Reads an owner's counters of the current period. Returns a function that gives the value of a counter. */
export async function usageCounters(ctx: Context, owner: string, period: Period): Promise<(counter: string) => number> {
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
 * Counts one more against a limit over a rolling window, which is kept in steps. Returns null when it was granted, else
 * the seconds until there is room again. All steps of a window are in one document, so granting is one conditional
 * update of their sum; steps that have left the window are subtracted first.
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
    // Only the process that empties the step subtracts it from the sum.
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

/** Takes back one that `takeRolling` granted just now. */
export async function giveBackRolling(ctx: Context, rolling: Rolling): Promise<void> {
  const id = rollingId(rolling)
  const step = Math.floor(ctx.clock.now().getTime() / rolling.stepMs)
  await giveBack(ctx.store, { id, counter: `at${step}`, by: 1 })
  await giveBack(ctx.store, { id, counter: 'sum', by: 1 })
}

const rollingId = ({ owner, counter }: Rolling) => `${owner}:rolling:${counter}`

/** Id of the document that holds an owner's counters in the period that contains `at`. */
export function usageIdOf(owner: string, period: Period, at: Date): string {
  const { month, day, minute } = periodsOf(at)
  const name = { month, day, hour: minute.slice(0, 13), minute }[period]
  return `${owner}:${name}`
}
