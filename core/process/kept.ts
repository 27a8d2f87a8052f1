/**
 * A cache in bounded memory. Invariants: the weights of all entries together never exceed `max`; an entry expires after
 * its lifetime by the clock of the process; the oldest entry is evicted first, and every `set` also removes the oldest
 * entries that have expired.
 */
import type { Clock } from './clock.ts'

export type Kept<V> = {
  get(key: string): V | undefined
  /** Keeps a value for the cache's lifetime, or for `ttlMs` if that is shorter. */
  set(key: string, value: V, ttlMs?: number): void
  delete(key: string): void
  clear(): void
  /** The weight that can be added before an unexpired entry is evicted. */
  room(): number
  /** All keys, including entries that expired since the last `set`. */
  keys(): Iterable<string>
}

export type KeptOptions<V> = {
  /** Largest sum of the weights of all entries. */
  readonly max: number
  /** Weight of an entry; without it 1, so that `max` is a number of entries. */
  readonly weigh?: (value: V, key: string) => number
  /** Lifetime of an entry, from `set` on. */
  readonly ttlMs: number
  /**
   * Whether `get` restarts the lifetime of an entry, so that the least recently used is evicted first. Only for values that never
   * change.
   */
  readonly renewOnUse?: boolean
}

type Entry<V> = { readonly value: V; readonly weight: number; readonly ttlMs: number; readonly endsAt: number }

/** Makes an empty cache. */
export function createKept<V>(
  clock: Clock,
  { max, weigh = () => 1, ttlMs: commonTtlMs, renewOnUse = false }: KeptOptions<V>,
): Kept<V> {
  /** In the order of eviction: oldest first. */
  const entries = new Map<string, Entry<V>>()
  let total = 0
  // Iterating a map from its beginning is slow after deletions there, so the iterator resumes where it stopped.
  let walk = entries.entries()
  let head: [string, Entry<V>] | undefined
  const oldest = () => {
    while (head === undefined || entries.get(head[0]) !== head[1]) {
      const { done, value } = walk.next()
      head = value
      if (!done) continue
      walk = entries.entries()
      if (entries.size === 0) return undefined
    }
    return head
  }
  const remove = (key: string) => {
    const entry = entries.get(key)
    if (entry === undefined) return
    entries.delete(key)
    total -= entry.weight
  }
  const evict = (now: number) => {
    for (let entry = oldest(); entry !== undefined; entry = oldest()) {
      const [key, { endsAt }] = entry
      if (total <= max && endsAt > now) return
      remove(key)
    }
  }
  return {
    get(key) {
      const entry = entries.get(key)
      if (entry === undefined) return undefined
      const now = clock.now().getTime()
      if (entry.endsAt <= now) {
        remove(key)
        return undefined
      }
      if (renewOnUse) {
        entries.delete(key)
        entries.set(key, { ...entry, endsAt: now + entry.ttlMs })
      }
      return entry.value
    },
    set(key, value, ownTtlMs = commonTtlMs) {
      const now = clock.now().getTime()
      const ttlMs = Math.min(ownTtlMs, commonTtlMs)
      remove(key)
      const weight = weigh(value, key)
      entries.set(key, { value, weight, ttlMs, endsAt: now + ttlMs })
      total += weight
      evict(now)
    },
    delete: remove,
    clear() {
      entries.clear()
      total = 0
    },
    room() {
      evict(clock.now().getTime())
      return max - total
    },
    keys: () => entries.keys(),
  }
}
