/**
 * What was found out lately and is likely to be asked for again, in bounded memory. Invariants: what is kept never weighs more
 * than `max`; an entry ends with its lifetime, by the clock of the process; the oldest goes first, and what has ended goes
 * whenever something comes.
 */
import type { Clock } from './clock.ts'

export type Kept<V> = {
  get(key: string): V | undefined
  /** Keeps a value for the common lifetime, or for `ttlMs` if that is shorter. */
  set(key: string, value: V, ttlMs?: number): void
  delete(key: string): void
  clear(): void
  /** The keys, also of entries that have ended since something was last set. */
  keys(): Iterable<string>
}

export type KeptOptions<V> = {
  /** Of the sum of the weights. */
  readonly max: number
  /** Of an entry: 1 unless told, so that `max` is a number of entries. */
  readonly weigh?: (value: V, key: string) => number
  /** From `set` on. */
  readonly ttlMs: number
  /** For what never changes: whoever uses an entry renews it, so that the least recently used goes first. */
  readonly isRenewed?: boolean
}

type Entry<V> = { readonly value: V; readonly weight: number; readonly ttlMs: number; endsAt: number }

export function createKept<V>(
  clock: Clock,
  { max, weigh = () => 1, ttlMs: commonTtlMs, isRenewed = false }: KeptOptions<V>,
): Kept<V> {
  /** Oldest first. */
  const entries = new Map<string, Entry<V>>()
  let total = 0
  const drop = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    total -= entry.weight
  }
  const shrink = (now: number) => {
    for (const [key, { endsAt }] of entries) {
      if (total <= max && endsAt > now) return
      drop(key)
    }
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const now = clock.now().getTime()
      if (entry.endsAt <= now) {
        drop(key)
        return undefined
      }
      if (isRenewed) {
        entries.delete(key)
        entry.endsAt = now + entry.ttlMs
        entries.set(key, entry)
      }
      return entry.value
    },
    set(key, value, ownTtlMs = commonTtlMs) {
      const now = clock.now().getTime()
      const ttlMs = Math.min(ownTtlMs, commonTtlMs)
      drop(key)
      const weight = weigh(value, key)
      entries.set(key, { value, weight, ttlMs, endsAt: now + ttlMs })
      total += weight
      shrink(now)
    },
    delete: drop,
    clear() {
      entries.clear()
      total = 0
    },
    keys: () => entries.keys(),
  }
}
