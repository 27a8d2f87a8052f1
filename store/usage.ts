/** Counters that gate, each one a conditional atomic update, and what was counted for the record. */
import type { OpenTake, UsageDoc } from './documents/accounts.ts'
import { isDuplicate, type Store } from './open.ts'

/** One counter to raise: `limit` null counts without gating. */
export type Take = {
  readonly id: string
  readonly counter: string
  readonly by: number
  readonly limit: number | null
  readonly expiresAt: Date
  /** What it is for, when a crash could keep that from being committed. */
  readonly open?: Pick<OpenTake, 'token' | 'purpose' | 'at'>
}

/**
 * Raises a counter unless that would pass its limit. True when it was raised. Twenty callers at once never pass a limit:
 * the condition is in the update, and the first document of a period is made by an insert that only one can win.
 */
export async function takeCount(store: Store, { id, counter, by, limit, expiresAt, open }: Take): Promise<boolean> {
  if (limit !== null && by > limit) return false
  const field = `counts.${counter}` as const
  const noted = open === undefined ? null : { ...open, counter, by }
  for (;;) {
    const room = limit === null ? {} : { $or: [{ [field]: { $lte: limit - by } }, { [field]: { $exists: false } }] }
    const { matchedCount } = await store.usage.updateOne(
      { _id: id, ...room },
      { $inc: { [field]: by }, ...(noted !== null && { $push: { open: noted } }) },
    )
    if (matchedCount === 1) return true
    try {
      const counts = { [counter]: by }
      await store.usage.insertOne({ _id: id, expiresAt, counts, ...(noted !== null && { open: [noted] }) })
      return true
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const there = await store.usage.findOne({ _id: id })
      if (limit !== null && there !== null && countOf(there, counter) + by > limit) return false
    }
  }
}

/** Gives back what was taken; an open take (`token`) once. False when there is nothing to give back. */
export async function giveBack(
  store: Store,
  { id, counter, by, token }: Pick<Take, 'id' | 'counter' | 'by'> & { readonly token?: string },
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

/** Closes a take in the periods it was made in: what it is for is there. */
export async function closeTakes(store: Store, ids: readonly string[], token: string): Promise<void> {
  await store.usage.updateMany({ _id: { $in: [...ids] } }, { $pull: { open: { token } } })
}

/** Periods with takes that were left open before a time. */
export function findOpenTakes(store: Store, before: Date, limit: number): Promise<UsageDoc[]> {
  return store.usage
    .find({ 'open.at': { $lt: before } })
    .sort({ 'open.at': 1 })
    .limit(limit)
    .toArray()
}

/** By which take each of the sends and batches was committed; those that are not there are left out. */
export async function findTakers(
  store: Store,
  purposes: readonly string[],
): Promise<ReadonlyMap<string, string | undefined>> {
  const wanted = { _id: { $in: [...purposes] } }
  const found = await Promise.all([
    store.emails.find(wanted, { projection: { takenBy: 1 } }).toArray(),
    store.batches.find(wanted, { projection: { takenBy: 1 } }).toArray(),
  ])
  return new Map(found.flat().map(({ _id, takenBy }) => [_id, takenBy]))
}

/** Messages that came in within a period, by the numbers of their events. */
export type TalliedPeriod = {
  readonly id: string
  readonly expiresAt: Date
  readonly received: readonly number[]
  readonly eventsDropped: readonly number[]
}

/**
 * Counts messages once by the numbers of their events, in order: a period notes the last number it contains. Then moves the
 * account's mark, below which everything is counted. Safe to repeat.
 */
export async function tallyEvents(
  store: Store,
  { mark, periods }: { mark: { readonly id: string; readonly upTo: number }; periods: readonly TalliedPeriod[] },
): Promise<void> {
  await store.usage.bulkWrite(
    [
      ...periods.map(({ id, expiresAt, received, eventsDropped }) => {
        const more = (counter: string, seqs: readonly number[]) => {
          const unseen = {
            $filter: { input: seqs, as: 'seq', cond: { $gt: ['$$seq', { $ifNull: ['$counts.tallied', 0] }] } },
          }
          return { $add: [{ $ifNull: [`$counts.${counter}`, 0] }, { $size: unseen }] }
        }
        const set = {
          'counts.received': more('received', received),
          'counts.eventsDropped': more('eventsDropped', eventsDropped),
          'counts.tallied': { $max: ['$counts.tallied', Math.max(...received)] },
          expiresAt: { $ifNull: ['$expiresAt', expiresAt] },
        }
        return { updateOne: { filter: { _id: id }, update: [{ $set: set }], upsert: true } }
      }),
      {
        updateOne: {
          filter: { _id: mark.id },
          update: { $max: { 'counts.tallied': mark.upTo }, $setOnInsert: { expiresAt: never } },
          upsert: true,
        },
      },
    ],
    { ordered: true },
  )
}

/** The number of the last event of an account that is counted; 0 before the first. */
export async function readMark(store: Store, id: string): Promise<number> {
  const mark = await store.usage.findOne({ _id: id })
  return countOf(mark ?? undefined, 'tallied')
}

/** For what does not expire. */
const never = new Date('9999-01-01')

export function findUsage(store: Store, ids: readonly string[]): Promise<UsageDoc[]> {
  return store.usage.find({ _id: { $in: [...ids] } }).toArray()
}

/** A counter of a period; 0 when nothing was counted. */
export function countOf(usage: UsageDoc | undefined, counter: string): number {
  return usage?.counts[counter] ?? 0
}
