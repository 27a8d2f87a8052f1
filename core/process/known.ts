/**
 * What this process has read lately of things that others may change: who asks again gets it without a question to the
 * database. Invariants: whoever changes a thing makes its process forget it at once, and tells the others by a change note;
 * what was asked for before a change was heard is not kept; `staleMsMax` bounds how long one whose note was lost is taken for
 * true. That something does not exist is never kept. What is asked for again and again is read anew before that time is over,
 * all such things in one question, so that nobody waits for it and many cost about the same as one.
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

export type KnownOptions<V> = {
  /** How many ordinary ones a large one stands for. */
  readonly weigh?: (value: V) => number
  /** How long one is taken for true without a note, where that is less than for others. */
  readonly staleMs?: number
  /** How many are known at most, where that is more than of others. */
  readonly max?: number
}

const knownMax = 10_000
const staleMsMax = 5 * secondMs
/** The share of its time after which one that is asked for is read anew, with all others that were used and are half as old. */
const renewAfter = 0.6

type Held<V> = { readonly value: V; readonly readMs: number; isUsed: boolean }

/** Makes what a process knows of one kind of thing. */
export function createKnown<V>(
  clock: Clock,
  { weigh = () => 1, staleMs = staleMsMax, max = knownMax }: KnownOptions<V> = {},
): Known<V> {
  const kept = createKept<Held<V>>(clock, { max, weigh: ({ value }) => weigh(value), ttlMs: staleMs })
  const lookup = createBatchedLookup<V>()
  const ageOf = ({ readMs }: Held<V>) => clock.now().getTime() - readMs
  let changes = 0
  let isRenewing = false

  async function ask(key: string, load: LoadMany<V>): Promise<V | undefined> {
    const before = changes
    const value = await lookup(key, load)
    if (changes !== before) return value
    if (value === undefined) kept.delete(key)
    else kept.set(key, { value, readMs: clock.now().getTime(), isUsed: false })
    return value
  }

  /** Reads what is in use anew. What cannot be read now is known until its time is over. */
  async function renew(load: LoadMany<V>): Promise<void> {
    isRenewing = true
    const inUse = (key: string) => {
      const held = kept.get(key)
      return held?.isUsed === true && ageOf(held) >= (staleMs * renewAfter) / 2
    }
    await Promise.allSettled([...kept.keys()].filter(inUse).map((key) => ask(key, load)))
    isRenewing = false
  }

  return {
    async find(key, load) {
      const held = kept.get(key)
      if (held === undefined) return ask(key, load)
      held.isUsed = true
      if (!isRenewing && ageOf(held) >= staleMs * renewAfter) void renew(load)
      return held.value
    },
    get: (key) => kept.get(key)?.value,
    ask,
    forget(hasChanged) {
      changes += 1
      for (const key of [...kept.keys()]) {
        const held = kept.get(key)
        if (held !== undefined && hasChanged(key, held.value)) kept.delete(key)
      }
    },
  }
}
