/** Usage counters: those that enforce limits, each raised by a conditional atomic update, and those that are only statistics. */
import type { Document, Filter } from 'mongodb'
import type { Grant, OpenTake, UsageDoc } from './documents/accounts.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { updateIn, type Write } from './writes.ts'

/** The counter of emails sent and received in a month: both use up the allowance of an Agents plan (interface.md, Agents plans). */
export const agentEmails = 'agentEmails'

/** A counter, by its path in the document's counts, to raise by `by`. `limit` null: the counter has no limit. */
export type CounterIncrement = {
  readonly counter: string
  readonly by: number
  readonly limit: number | null
}

/** Counters of one period that are raised together, or not at all. */
export type Take = {
  readonly id: string
  readonly counts: readonly CounterIncrement[]
  readonly expiresAt: Date
  /**
   * The purpose of the take, given if a crash could prevent that purpose from being committed. The take is then open until it is
   * closed.
   */
  readonly open?: Pick<OpenTake, 'token' | 'purpose' | 'at'>
}

/**
 * Raises the counters of each take, unless one of them would exceed its limit. Returns the indexes of the refused takes. Limits
 * hold for any number of concurrent callers, because the condition is part of the update.
 */
export async function takeCounts(store: Store, takes: readonly Take[]): Promise<ReadonlySet<number>> {
  const granted = await Promise.all(takes.map((take) => isPossible(take) && isGranted(store, take)))
  return new Set(granted.flatMap((isGranted, n) => (isGranted ? [] : [n])))
}

async function isGranted(store: Store, take: Take): Promise<boolean> {
  const writes = takesTo(store, [take])
  return (await store.writeTogether(writes)) === null || (await afterRefusal(store, writes, 0)) === null
}

/**
 * Resumes a list of writes that begins with takes, after the one at `refused` was refused. When two callers insert the document of a
 * new period at once, the second insert is refused as a duplicate although there may be room; the second try then updates the document
 * that the first caller inserted. With a `hold`, the remaining writes follow it; if the hold is refused, so is the take. Returns what
 * `Store.writeTogether` would return for the whole list.
 */
export async function afterRefusal(
  store: Store,
  writes: readonly Write[],
  refused: number,
  hold: readonly Write[] = [],
): Promise<number | null> {
  const again = await store.writeTogether([...hold, ...writes.slice(refused)])
  if (again === null) return null
  return again <= hold.length ? refused : afterRefusal(store, writes, refused + again - hold.length, hold)
}

/**
 * The writes that raise the counters of each take. If the document of the period exists and does not meet the condition, the
 * upsert tries an insert, which is refused as a duplicate; so the take is refused.
 */
export function takesTo(store: Store, takes: readonly Take[]): Write[] {
  return takes.map(({ id, counts, expiresAt, open }) =>
    updateIn(
      store.usage,
      { _id: id, ...roomFor(counts) },
      {
        $inc: Object.fromEntries(counts.map(({ counter, by }) => [`counts.${counter}`, by])),
        $setOnInsert: { expiresAt },
        ...(open !== undefined && {
          $push: { open: { $each: counts.map(({ counter, by }) => ({ ...open, counter, by })) } },
        }),
      },
      { upsert: true },
    ),
  )
}

/** Whether a take could be granted if nothing had been counted yet. */
export const isPossible = ({ counts }: Take): boolean => counts.every(({ by, limit }) => limit === null || by <= limit)

/** The condition that every counter stays within its limit. A missing counter counts as 0. */
function roomFor(counts: readonly CounterIncrement[]): Filter<UsageDoc> {
  // MongoDB does not allow $expr in the filter of an upsert, so things that share a limit are counted in one counter.
  const conditions = counts.flatMap(({ counter, by, limit }): Filter<UsageDoc>[] =>
    limit === null ? [] : [{ [`counts.${counter}`]: { $not: { $gt: limit - by } } }],
  )
  return conditions.length === 0 ? {} : { $and: conditions }
}

/**
 * Subtracts from a counter what was taken. With `token` only an open take is given back, and only once. Returns whether it was given
 * back.
 */
export async function giveBack(
  store: Store,
  { id, counter, by, token }: Pick<Take, 'id'> & Pick<CounterIncrement, 'counter' | 'by'> & { readonly token?: string },
): Promise<boolean> {
  const field = `counts.${counter}` as const
  const enough = { _id: id, [field]: { $gte: by } }
  const { modifiedCount } =
    token === undefined
      ? await store.usage.updateOne(enough, { $inc: { [field]: -by } })
      : await store.usage.updateOne(
          { ...enough, open: { $elemMatch: { token, counter } } },
          { $inc: { [field]: -by }, $pull: { open: { token, counter } } },
        )
  return modifiedCount === 1
}

/** The writes that close takes with a token in the periods `ids`. */
export function takesClosed(store: Store, ids: readonly string[], token: string): Write[] {
  return ids.map((_id) => updateIn(store.usage, { _id }, { $pull: { open: { token } } }))
}

/** Closes the takes with these tokens in the periods `ids`, because what they are for is committed. */
export async function closeTakes(store: Store, ids: readonly string[], tokens: readonly string[]): Promise<void> {
  await store.usage.updateMany({ _id: { $in: [...ids] } }, { $pull: { open: { token: { $in: [...tokens] } } } })
}

/** Periods with takes that were made before a time and are still open. */
export function findOpenTakes(store: Store, before: Date, limit: number): Promise<UsageDoc[]> {
  return readMany(store, 'usage', { 'open.at': { $lt: before } }, { sort: { 'open.at': 1 }, limit })
}

/**
 * The token of the take with which each send or batch was committed, by id. Those that do not exist are missing from the
 * map.
 */
export async function findTakeTokens(
  store: Store,
  purposes: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const wanted = { _id: { $in: [...purposes] } }
  const found = await Promise.all([
    readMany(store, 'emails', wanted, { projection: { takenBy: 1 } }),
    readMany(store, 'batches', wanted, { projection: { takenBy: 1 } }),
  ])
  return new Map(found.flat().map(({ _id, takenBy }) => [_id, takenBy]))
}

/**
 * Adds a grant to a rolling limit, unless there are already `limit` grants after `since`. Earlier grants are dropped first.
 * Returns whether it was added. The limit holds for any number of concurrent callers, because the condition is part of the
 * update; if it does not hold, the upsert is refused as a duplicate.
 */
export async function takeGrant(
  store: Store,
  { id, grant, since, limit, expiresAt }: { id: string; grant: Grant; since: Date; limit: number; expiresAt: Date },
): Promise<boolean> {
  if (limit === 0) return false
  await store.usage.updateOne({ _id: id }, { $pull: { granted: { at: { $lte: since } } } })
  const hasRoom: Filter<UsageDoc> = { _id: id, [`granted.${limit - 1}`]: { $exists: false } }
  const update = { $push: { granted: grant }, $max: { expiresAt }, $setOnInsert: { counts: {} } }
  // The second try is for callers that insert the document at the same time.
  for (let tries = 0; tries < 2; tries++) {
    try {
      await store.usage.updateOne(hasRoom, update, { upsert: true })
      return true
    } catch (error) {
      if (!isDuplicate(error)) throw error
    }
  }
  return false
}

/** The grants of a rolling limit. */
export async function findGrants(store: Store, id: string): Promise<readonly Grant[]> {
  return (await readOne(store, 'usage', { _id: id }))?.granted ?? []
}

/** Withdraws a grant. */
export async function dropGrant(store: Store, id: string, token: string): Promise<void> {
  await store.usage.updateOne({ _id: id }, { $pull: { granted: { token } } })
}

/** The messages received and the message events dropped in one period, as the numbers of their events. */
export type TalliedPeriod = {
  readonly id: string
  readonly expiresAt: Date
  readonly received: readonly number[]
  readonly eventsDropped: readonly number[]
}

/** What events show about a mailbox on one day: the numbers of the events that count for each figure, and the bytes received. */
export type TalliedDay = {
  readonly id: string
  readonly expiresAt: Date
  readonly figures: { readonly [counter: string]: readonly number[] }
  readonly bytes: readonly { readonly seq: number; readonly bytes: number }[]
}

/**
 * Counts received messages by the numbers of their events. Each period stores the last number that it counted, so no message is
 * counted twice. Then raises the account's watermark, up to which all events are counted. Safe to repeat.
 */
export async function countEvents(
  store: Store,
  {
    watermark,
    periods,
    days,
  }: {
    watermark: { readonly id: string; readonly upTo: number }
    periods: readonly TalliedPeriod[]
    days: readonly TalliedDay[]
  },
): Promise<void> {
  await store.usage.bulkWrite(
    [
      ...days.map(dayUpdate),
      ...periods.map(({ id, expiresAt, received, eventsDropped }) => {
        const set = {
          'counts.received': more('received', received),
          [`counts.${agentEmails}`]: more(agentEmails, received),
          'counts.eventsDropped': more('eventsDropped', eventsDropped),
          'counts.tallied': { $max: ['$counts.tallied', Math.max(...received, ...eventsDropped)] },
          expiresAt: { $ifNull: ['$expiresAt', expiresAt] },
        }
        return { updateOne: { filter: { _id: id }, update: [{ $set: set }], upsert: true } }
      }),
      {
        updateOne: {
          filter: { _id: watermark.id },
          update: { $max: { 'counts.tallied': watermark.upTo }, $setOnInsert: { expiresAt: never } },
          upsert: true,
        },
      },
    ],
    { ordered: true },
  )
}

/** The value of a counter plus how many of the events `seqs` the document has not counted yet. */
function more(counter: string, seqs: readonly number[]): Document {
  return { $add: [{ $ifNull: [`$counts.${counter}`, 0] }, { $size: unseen(seqs, '$$each') }] }
}

/** Those of the items whose event the document has not counted yet. */
const unseen = (input: readonly unknown[], seq: string): Document => ({
  $filter: { input, as: 'each', cond: { $gt: [seq, { $ifNull: ['$counts.tallied', 0] }] } },
})

function dayUpdate({ id, expiresAt, figures, bytes }: TalliedDay) {
  const sizes = { $map: { input: unseen(bytes, '$$each.seq'), as: 'each', in: '$$each.bytes' } }
  const set = {
    ...Object.fromEntries(Object.entries(figures).map(([counter, seqs]) => [`counts.${counter}`, more(counter, seqs)])),
    'counts.bytes': { $add: [{ $ifNull: ['$counts.bytes', 0] }, { $sum: sizes }] },
    'counts.tallied': { $max: ['$counts.tallied', Math.max(...Object.values(figures).flat())] },
    expiresAt: { $ifNull: ['$expiresAt', expiresAt] },
  }
  return { updateOne: { filter: { _id: id }, update: [{ $set: set }], upsert: true } }
}

/** The number of the last counted event of an account; 0 before the first. */
export async function readWatermark(store: Store, id: string): Promise<number> {
  const watermark = await readOne(store, 'usage', { _id: id })
  return countOf(watermark ?? undefined, 'tallied')
}

/** The expiry of documents that do not expire. */
const never = new Date('9999-01-01')

/** The documents whose ids begin with `prefix`. */
export function findUsageOf(store: Store, prefix: string): Promise<UsageDoc[]> {
  return readMany(store, 'usage', { _id: { $gte: prefix, $lt: `${prefix}\uffff` } })
}

export function findUsage(store: Store, ids: readonly string[]): Promise<UsageDoc[]> {
  return readMany(store, 'usage', { _id: { $in: [...ids] } })
}

/** The value of a counter, by its path in the counts; 0 when nothing was counted. */
export function countOf(usage: UsageDoc | undefined, counter: string): number {
  const [name = '', inDay] = counter.split('.')
  const found = usage?.counts[name]
  const value = typeof found === 'object' ? found[inDay ?? ''] : found
  return value ?? 0
}
