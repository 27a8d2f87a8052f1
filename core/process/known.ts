/**
 * Values that this process read recently and that other processes may change: a repeated read costs no query. Invariants: whoever
 * changes a value makes its own process forget it at once, and notifies the others by a change note; the result of a query that was
 * under way when a change arrived is not kept; if a note is lost, a stale value is used for at most `staleMsMax`. The absence of a
 * value is never kept. Values in steady use are read again before they expire, all of them in one query, so that no caller waits
 * and many cost about the same as one.
 */
import { createBatchedLookup, type LoadMany } from './batched-lookup.ts'
import { type Clock, secondMs } from './clock.ts'
import { createKept } from './kept.ts'

export type Known<V> = {
  /** The known value of a key, or else what `load` finds; concurrent callers share one query. */
  find(key: string, load: LoadMany<V>): Promise<V | undefined>
  /** The known value of a key, without a query. */
  get(key: string): V | undefined
  /** What `load` finds under a key, even if a value is known; the new value replaces it. */
  refresh(key: string, load: LoadMany<V>): Promise<V | undefined>
  /** Forgets the values for which `hasChanged` returns true. */
  forget(hasChanged: (key: string, value: V) => boolean): void
}

export type KnownOptions<V> = {
  /** The weight of a value; default: 1. */
  readonly weigh?: (value: V) => number
  /** How long a value is used without being read again; default: `staleMsMax`. */
  readonly staleMs?: number
  /** The largest sum of weights; default: `knownMax`. */
  readonly max?: number
}

const knownMax = 10_000
const staleMsMax = 5 * secondMs
/**
 * The part of `staleMs` after which a value that is asked for is read again, together with all others that were used and are at
 * least half that old.
 */
const renewAfter = 0.6

type Held<V> = { readonly value: V; readonly readMs: number; isUsed: boolean }

/** Makes the known values of one kind. */
export function createKnown<V>(
  clock: Clock,
  { weigh = () => 1, staleMs = staleMsMax, max = knownMax }: KnownOptions<V> = {},
): Known<V> {
  const kept = createKept<Held<V>>(clock, { max, weigh: ({ value }) => weigh(value), ttlMs: staleMs })
  const lookup = createBatchedLookup<V>()
  const ageOf = ({ readMs }: Held<V>) => clock.now().getTime() - readMs
  let changes = 0
  let isRenewing = false

  async function refresh(key: string, load: LoadMany<V>): Promise<V | undefined> {
    const before = changes
    const value = await lookup(key, load)
    if (changes !== before) return value
    if (value === undefined) kept.delete(key)
    else kept.set(key, { value, readMs: clock.now().getTime(), isUsed: false })
    return value
  }

  /** Reads the values in use again. A value that cannot be read stays known until it expires. */
  async function renew(load: LoadMany<V>): Promise<void> {
    isRenewing = true
    const inUse = (key: string) => {
      const held = kept.get(key)
      return held?.isUsed === true && ageOf(held) >= (staleMs * renewAfter) / 2
    }
    await Promise.allSettled([...kept.keys()].filter(inUse).map((key) => refresh(key, load)))
    isRenewing = false
  }

  return {
    async find(key, load) {
      const held = kept.get(key)
      if (held === undefined) return refresh(key, load)
      held.isUsed = true
      if (!isRenewing && ageOf(held) >= staleMs * renewAfter) void renew(load)
      return held.value
    },
    get: (key) => kept.get(key)?.value,
    refresh,
    forget(hasChanged) {
      changes += 1
      for (const key of [...kept.keys()]) {
        const held = kept.get(key)
        if (held !== undefined && hasChanged(key, held.value)) kept.delete(key)
      }
    },
  }
}
