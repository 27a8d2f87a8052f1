/** Counters that gate, each one a conditional atomic update, and what was counted for the record. */
import type { Filter } from 'mongodb'
import type { OpenTake, UsageDoc } from './documents/accounts.ts'
import { duplicatesIn, type Store } from './open.ts'

/** E-mails sent and received in a month: both use up the allowance of an Agents plan (interface.md, Agents plans). */
export const agentEmails = 'agentEmails'

/** A counter to raise: `limit` null counts without gating. */
export type CounterIncrement = {
  readonly counter: string
  readonly by: number
  readonly limit: number | null
}

/** Counters of one period to raise together. */
export type Take = {
  readonly id: string
  readonly counts: readonly CounterIncrement[]
  readonly expiresAt: Date
  /** What it is for, when a crash could keep that from being committed. */
  readonly open?: Pick<OpenTake, 'token' | 'purpose' | 'at'>
}

/**
 * Raises the counters of each take, unless one of its own would pass its limit. Returns the places of those that were refused.
 * Twenty callers at once never pass a limit: the condition is in the update. A document that is there and does not meet it is
 * in the way of the insert that the update then tries, which is how a bulk write tells whom it refused.
 */
export async function takeCounts(store: Store, takes: readonly Take[]): Promise<ReadonlySet<number>> {
  const isPossible = ({ counts }: Take) => counts.every(({ by, limit }) => limit === null || by <= limit)
  const all = [...takes.keys()]
  const impossible = all.filter((n) => !isPossible(takes[n]!))
  let rest = all.filter((n) => isPossible(takes[n]!))
  // Of two who begin a period at once, the second is refused for the first one's document: it finds that when it looks again.
  for (let tries = 0; tries < 2 && rest.length > 0; tries++) {
    const refused = await raise(
      store,
      rest.map((n) => takes[n]!),
    )
    rest = refused.map((n) => rest[n]!)
  }
  return new Set([...impossible, ...rest])
}

async function raise(store: Store, takes: readonly Take[]): Promise<number[]> {
  try {
    await store.usage.bulkWrite(
      takes.map(({ id, counts, expiresAt, open }) => ({
        updateOne: {
          filter: { _id: id, ...roomFor(counts) },
          update: {
            $inc: Object.fromEntries(counts.map(({ counter, by }) => [`counts.${counter}`, by])),
            $setOnInsert: { expiresAt },
            ...(open !== undefined && {
              $push: { open: { $each: counts.map(({ counter, by }) => ({ ...open, counter, by })) } },
            }),
          },
          upsert: true,
        },
      })),
      { ordered: false },
    )
    return []
  } catch (error) {
    return duplicatesIn(error)
  }
}

/** Met while every counter has room; a counter that is not there yet is 0. */
function roomFor(counts: readonly CounterIncrement[]): Filter<UsageDoc> {
  // No $expr: MongoDB refuses it in the filter of an upsert. What shares a limit is therefore counted in one counter.
  const conditions = counts.flatMap(({ counter, by, limit }): Filter<UsageDoc>[] =>
    limit === null ? [] : [{ [`counts.${counter}`]: { $not: { $gt: limit - by } } }],
  )
  return conditions.length === 0 ? {} : { $and: conditions }
}

/** Gives back what was taken; an open take (`token`) once. False when there is nothing to give back. */
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

/** Closes takes in the periods they were made in: what they are for is there. */
export async function closeTakes(store: Store, ids: readonly string[], tokens: readonly string[]): Promise<void> {
  await store.usage.updateMany({ _id: { $in: [...ids] } }, { $pull: { open: { token: { $in: [...tokens] } } } })
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
export async function findTakeTokens(
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
          [`counts.${agentEmails}`]: more(agentEmails, received),
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
export async function readTallyWatermark(store: Store, id: string): Promise<number> {
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
