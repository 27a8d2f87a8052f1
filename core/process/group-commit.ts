/**
 * Writes items in groups (group commit): all items that arrive while a group is being written form the next group.
 * Invariants: one group is written at a time, in the order of the calls; each caller is answered when its own group is
 * written, with its result or with the error the group failed with.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { isAway } from './database-away.ts'

export type GroupCommit<T, R = void> = (item: T) => Promise<R>

/**
 * Writes a group. Returns one result per item, in the order of the items (a promise that rejects means that this item
 * failed), or an empty list when no caller uses the result. Rejects when all items failed.
 */
export type WriteGroup<T, R> = (items: readonly T[]) => Promise<readonly (R | Promise<R>)[]>

type WaitingItem<T, R> = { readonly item: T; resolve(result: R | Promise<R>): void; reject(error: unknown): void }

/** While fewer items than this wait, a pause makes the next group larger. */
const fewItems = 16

/**
 * Makes a group commit that writes at most `max` items at once. With `pauseMs` it rests after each group while few items wait. That
 * is for items that are in no hurry, since a group costs about the same for one item as for many. An item that comes when nothing is
 * under way is written at once.
 */
export function createGroupCommit<T, R = void>(
  max: number,
  write: WriteGroup<T, R>,
  { pauseMs = 0 }: { readonly pauseMs?: number } = {},
): GroupCommit<T, R> {
  const waiting: WaitingItem<T, R>[] = []
  let running = false

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.splice(0, max)
      try {
        const results = await write(group.map(({ item }) => item))
        group.forEach(({ resolve }, n) => {
          resolve(results[n] as R)
        })
      } catch (error) {
        for (const { reject } of group) reject(error)
      }
      if (pauseMs > 0 && waiting.length < fewItems) await sleep(pauseMs)
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      // Delayed by one tick, so that items given in the same turn form one group.
      if (!running) process.nextTick(run)
      running = true
    })
}

/**
 * Wraps `write` so that one bad item does not fail its group: after a failure each item is written alone. While the
 * database is away the group fails as a whole.
 */
export function isolateFailures<T, R>(write: WriteGroup<T, R>): WriteGroup<T, R> {
  return async (items) => {
    try {
      return await write(items)
    } catch (error) {
      if (items.length === 1 || isAway(error)) throw error
      const results: Promise<R>[] = []
      for (const item of items) {
        const alone = write([item]).then(([result]) => result as R)
        results.push(alone)
        await alone.catch(() => undefined)
      }
      return results
    }
  }
}
