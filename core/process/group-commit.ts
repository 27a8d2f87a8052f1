/**
 * Writes things in groups: all that wait while a group is being written form the next one. Invariants: one group is written
 * at a time, in the order of asking; who waits for a thing hears when its group is written, or what it failed of.
 */
import { isAway } from './database-away.ts'

export type GroupCommit<T, R = void> = (item: T) => Promise<R>

/**
 * Writes a group. Returns what became of each thing, in their order (a promise that rejects: that one failed), or nothing
 * when nobody asks. Rejects when all failed.
 */
export type WriteGroup<T, R> = (items: readonly T[]) => Promise<readonly (R | Promise<R>)[]>

type Waiting<T, R> = { readonly item: T; resolve(result: R | Promise<R>): void; reject(error: unknown): void }

/** Makes a gatherer that writes at most `max` things at once. */
export function createGroupCommit<T, R = void>(max: number, write: WriteGroup<T, R>): GroupCommit<T, R> {
  const waiting: Waiting<T, R>[] = []
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
    }
    running = false
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject })
      // What is asked for at once goes together.
      if (!running) process.nextTick(run)
      running = true
    })
}

/** The same, but what is in the way of one thing is not in the way of the others: after a failure each is written alone. */
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
