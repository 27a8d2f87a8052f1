/**
 * Usage counters of calendar periods (month, day, hour, minute) and of rolling windows. The days of a month are stored in the document
 * of the month, so that one update counts a send in both.
 */
import { newToken } from '../../schemas/ids.ts'
import type { UsagePeriod } from '../../store/documents/sending.ts'
import { countOf, dropGrant, findGrants, findUsage, giveBack, takeCounts, takeGrant } from '../../store/usage.ts'
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

/** The monthly counter of mails that Lens read (interface.md, Limits 7). */
export const lensRuns = 'lensRuns'

/**
 * Adds `by` to a counter in the period that contains `at` (default: now). Returns false, and adds nothing, when the sum would exceed
 * the limit.
 */
export async function takeUsage(
  ctx: Context,
  {
    owner,
    period,
    at = ctx.clock.now(),
    counter,
    by,
    limit,
  }: { owner: string; period: Period; counter: string; by: number; limit: number | null; at?: Date },
): Promise<boolean> {
  const count = { counter: counterIn(period, counter, at), by, limit }
  const refused = await takeCounts(ctx.store, [{ ...usagePeriod(owner, period, at), counts: [count] }])
  return refused.size === 0
}

/**
 * Takes `by` off a counter again, in the period that contains `at`, since the next period may have begun after it was added.
 */
export function giveBackUsage(
  ctx: Context,
  { owner, period, counter, by, at }: { owner: string; period: Period; counter: string; by: number; at: Date },
): Promise<boolean> {
  return giveBack(ctx.store, { id: usageIdOf(owner, period, at), counter: counterIn(period, counter, at), by })
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

/** How long the daily figures of mailboxes are kept. */
const figuresKeptMs = 100 * dayMs

/**
 * The owner of a mailbox's daily figures. What was sent is counted together with the send, and the other figures are derived from
 * events (core/receive/received-counts.ts). A `mailboxId` of null is for sends without a mailbox.
 */
export function figuresOwner(accountId: string, mailboxId: string | null): string {
  return `${figuresOf(accountId)}${mailboxId ?? 'none'}`
}

/** The prefix of the ids of all daily figures of an account. */
export const figuresOf = (accountId: string): string => `${accountId}:daily:`

/** Id and expiry of the document that holds the figures of the day that contains `at`. */
export function figuresPeriod(accountId: string, mailboxId: string | null, at: Date): { id: string; expiresAt: Date } {
  return { id: figuresId(figuresOwner(accountId, mailboxId), at), expiresAt: after(at, figuresKeptMs) }
}

/** Takes `by` off a figure again, on the day that contains `at`. `owner` is a `figuresOwner`. */
export function giveBackFigure(
  ctx: Context,
  { owner, counter, by, at }: { owner: string; counter: string; by: number; at: Date },
): Promise<boolean> {
  return giveBack(ctx.store, { id: figuresId(owner, at), counter, by })
}

const figuresId = (owner: string, at: Date) => `${owner}:${periodsOf(at).day}`

/** The owner of the counters for the attempts of a webhook endpoint. */
export const attemptsOwner = (accountId: string, webhookId: string): string => `${accountId}:attempts:${webhookId}`

/** Id and expiry of the document with an endpoint's attempts of one day, and its field for the hour that contains `at` (`h00`). */
export function attemptsPeriod(
  accountId: string,
  webhookId: string,
  at: Date,
): { id: string; expiresAt: Date; hour: string } {
  const id = `${attemptsOwner(accountId, webhookId)}:${periodsOf(at).day}`
  return { id, expiresAt: after(at, attemptsKeptMs), hour: `h${at.toISOString().slice(11, 13)}` }
}

const attemptsKeptMs = 32 * dayMs

/**
 * Reads an owner's counters of the periods that contain `times` (default: now). Returns a function that returns the sum of a counter
 * over these periods.
 */
export async function usageCounters(
  ctx: Context,
  owner: string,
  period: Period,
  times: readonly Date[] = [ctx.clock.now()],
): Promise<(counter: string) => number> {
  const idOf = (at: Date) => usageIdOf(owner, period, at)
  const usage = new Map((await findUsage(ctx.store, [...new Set(times.map(idOf))])).map((doc) => [doc._id, doc]))
  return (counter) => times.reduce((sum, at) => sum + countOf(usage.get(idOf(at)), counterIn(period, counter, at)), 0)
}

/** A limit over a rolling window: at most `limit` in any `windowMs`. */
export type Rolling = {
  readonly owner: string
  readonly counter: string
  readonly limit: number
  readonly windowMs: number
}

/** The result of `takeRolling`. */
export type Granted = { readonly token: string } | { readonly waitSeconds: number }

/**
 * Counts one more against a limit over a rolling window. Returns the token of the grant, or, at the limit, the seconds until an
 * earlier grant leaves the window and makes room. Granting is one conditional update.
 */
export async function takeRolling(ctx: Context, { owner, counter, limit, windowMs }: Rolling): Promise<Granted> {
  const at = ctx.clock.now()
  const id = rollingId({ owner, counter })
  const grant = { token: newToken(), at }
  const since = after(at, -windowMs)
  if (await takeGrant(ctx.store, { id, grant, since, limit, expiresAt: after(at, windowMs) })) return grant
  const inTheWay = (await findGrants(ctx.store, id)).toSorted((a, b) => a.at.getTime() - b.at.getTime()).at(-limit)
  return { waitSeconds: secondsUntil(at, after(inTheWay?.at ?? since, windowMs)) }
}

/** Takes back what `takeRolling` granted. */
export function giveBackRolling(ctx: Context, { owner, counter }: Rolling, token: string): Promise<void> {
  return dropGrant(ctx.store, rollingId({ owner, counter }), token)
}

const rollingId = ({ owner, counter }: Pick<Rolling, 'owner' | 'counter'>) => `${owner}:rolling:${counter}`

/** Id of the document that holds an owner's counters in the period that contains `at`. */
export function usageIdOf(owner: string, period: Period, at: Date): string {
  const { month, minute } = periodsOf(at)
  const name = { month, day: month, hour: minute.slice(0, 13), minute }[period]
  return `${owner}:${name}`
}

/** The path of a counter in the document of its period: the counters of a day are stored in a field of the month. */
export function counterIn(period: Period, counter: string, at: Date): string {
  return period === 'day' ? `d${periodsOf(at).day.slice(8)}.${counter}` : counter
}
