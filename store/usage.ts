/** Counters that gate, each one a conditional atomic update, and what was counted for the record. */
import type { UsageDoc } from './documents/accounts.ts'
import { isDuplicate, type Store } from './open.ts'

/** One counter to raise: `limit` null counts without gating. */
export type Take = {
  readonly id: string
  readonly counter: string
  readonly by: number
  readonly limit: number | null
  readonly expiresAt: Date
}

/**
 * Raises a counter unless that would pass its limit. True when it was raised. Twenty callers at once never pass a limit:
 * the condition is in the update, and the first document of a period is made by an insert that only one can win.
 */
export async function takeCount(store: Store, { id, counter, by, limit, expiresAt }: Take): Promise<boolean> {
  if (limit !== null && by > limit) return false
  const field = `counts.${counter}` as const
  for (;;) {
    const room = limit === null ? {} : { $or: [{ [field]: { $lte: limit - by } }, { [field]: { $exists: false } }] }
    const { matchedCount } = await store.usage.updateOne({ _id: id, ...room }, { $inc: { [field]: by } })
    if (matchedCount === 1) return true
    try {
      await store.usage.insertOne({ _id: id, expiresAt, counts: { [counter]: by } })
      return true
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const there = await store.usage.findOne({ _id: id })
      if (limit !== null && there !== null && countOf(there, counter) + by > limit) return false
    }
  }
}

/** Gives back what was taken. False when the counter is lower than that. */
export async function giveBack(
  store: Store,
  { id, counter, by }: Pick<Take, 'id' | 'counter' | 'by'>,
): Promise<boolean> {
  const field = `counts.${counter}` as const
  const { modifiedCount } = await store.usage.updateOne({ _id: id, [field]: { $gte: by } }, { $inc: { [field]: -by } })
  return modifiedCount === 1
}

/** Raises counters of several periods at once, without gating. */
export async function addCounts(store: Store, counts: readonly Omit<Take, 'limit'>[]): Promise<void> {
  if (counts.length === 0) return
  await store.usage.bulkWrite(
    counts.map(({ id, counter, by, expiresAt }) => ({
      updateOne: {
        filter: { _id: id },
        update: { $inc: { [`counts.${counter}` as const]: by }, $setOnInsert: { expiresAt } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

export function findUsage(store: Store, ids: readonly string[]): Promise<UsageDoc[]> {
  return store.usage.find({ _id: { $in: [...ids] } }).toArray()
}

/** A counter of a period; 0 when nothing was counted. */
export function countOf(usage: UsageDoc | undefined, counter: string): number {
  return usage?.counts[counter] ?? 0
}
