/**
 * What this process has read lately of things that others may change: who asks again gets it without a question to the
 * database. Invariants: whoever changes a thing makes its process forget it at once, and tells the others by a change note;
 * what was asked for before a change was heard is not kept; `staleMsMax` bounds how long one whose note was lost is taken for
 * true. That something does not exist is never kept.
 */
import { createBatchedLookup, type LoadMany } from './batched-lookup.ts'
import { type Clock, secondMs } from './clock.ts'
import { createKept } from './kept.ts'

export type Known<V> = {
  /** What is known under a key, or is found by `load`; concurrent callers share one query. */
  find(key: string, load: LoadMany<V>): Promise<V | undefined>
  /** What is known under a key. */
  get(key: string): V | undefined
  /** What `load` finds under a key, whatever is known; it is known from then on. */
  ask(key: string, load: LoadMany<V>): Promise<V | undefined>
  /** Forgets what has changed. */
  forget(hasChanged: (key: string, value: V) => boolean): void
}

const knownMax = 10_000
const staleMsMax = 5 * secondMs

/** Makes what a process knows of one kind of thing. `weigh` tells how many ordinary ones a large one stands for. */
export function createKnown<V>(clock: Clock, weigh: (value: V) => number = () => 1): Known<V> {
  const kept = createKept<V>(clock, { max: knownMax, weigh, ttlMs: staleMsMax })
  const lookup = createBatchedLookup<V>()
  let changes = 0
  async function ask(key: string, load: LoadMany<V>): Promise<V | undefined> {
    const before = changes
    const found = await lookup(key, load)
    if (found !== undefined && changes === before) kept.set(key, found)
    return found
  }

  return {
    find: async (key, load) => kept.get(key) ?? (await ask(key, load)),
    get: (key) => kept.get(key),
    ask,
    forget(hasChanged) {
      changes += 1
      for (const key of [...kept.keys()]) {
        const value = kept.get(key)
        if (value !== undefined && hasChanged(key, value)) kept.delete(key)
      }
    },
  }
}
