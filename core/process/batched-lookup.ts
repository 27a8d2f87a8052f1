/**
 * Looks up values by key in batches, so that many callers cost one query. Invariants: one batch is loaded at a time; keys that are
 * asked for meanwhile form the next batches; a key is in a batch once, however many callers ask for it.
 */

/** Loads the values of several keys. Keys without a value are missing from the map. */
export type LoadMany<V> = (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>

/** Returns the value of a key; undefined when it has none. Rejects with the error that its whole batch failed with. */
export type BatchedLookup<V> = (key: string, load: LoadMany<V>) => Promise<V | undefined>

/** Bounds the size of one query. */
const keysPerBatchMax = 100

type WaitingKey<V> = {
  readonly load: LoadMany<V>
  readonly found: Promise<V | undefined>
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
}

/**
 * Makes a batched lookup for one kind of key. A batch is loaded by the `load` of the caller that asked for its first
 * key.
 */
export function createBatchedLookup<V>(): BatchedLookup<V> {
  // A fresh map for each batch: V8 keeps old entries alive in a map that is filled and emptied forever (store/under-way.ts).
  let waiting = new Map<string, WaitingKey<V>>()
  let running = false

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const keys = [...waiting]
      waiting = new Map()
      for (let from = 0; from < keys.length; from += keysPerBatchMax)
        await loadBatch(keys.slice(from, from + keysPerBatchMax))
    }
    running = false
  }

  return (key, load) => {
    const same = waiting.get(key)
    if (same !== undefined) return same.found
    const { promise, resolve, reject } = Promise.withResolvers<V | undefined>()
    waiting.set(key, { load, found: promise, resolve, reject })
    // Delayed by one tick, so that keys asked for in the same turn form one batch.
    if (!running) process.nextTick(run)
    running = true
    return promise
  }
}

async function loadBatch<V>(batch: readonly (readonly [string, WaitingKey<V>])[]): Promise<void> {
  const [first] = batch
  if (first === undefined) return
  try {
    const found = await first[1].load(batch.map(([key]) => key))
    for (const [key, { resolve }] of batch) resolve(found.get(key))
  } catch (error) {
    for (const [, { reject }] of batch) reject(error)
  }
}
