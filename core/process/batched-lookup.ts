/**
 * Asks for many things at once. Invariants: one round runs at a time, and all that is asked for meanwhile forms the next; a
 * key is in a round once, however many ask for it.
 */

/** Finds the values of several keys; a key without one is not in the map. */
export type Load<V> = (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>

/** Resolves with the value of a key, undefined when there is none. Rejects with what the round failed of. */
export type BatchedLookup<V> = (key: string, load: Load<V>) => Promise<V | undefined>

/** Keys in one round: a bound for the size of a query. */
const keysMax = 100

type Waiting<V> = {
  readonly load: Load<V>
  readonly found: Promise<V | undefined>
  readonly resolve: (value: V | undefined) => void
  readonly reject: (error: unknown) => void
}

/** Makes the rounds of one kind of question. */
export function createBatchedLookup<V>(): BatchedLookup<V> {
  const waiting = new Map<string, Waiting<V>>()
  let running = false

  async function run(): Promise<void> {
    while (waiting.size > 0) {
      const round = [...waiting].slice(0, keysMax)
      for (const [key] of round) waiting.delete(key)
      await ask(round)
    }
    running = false
  }

  return (key, load) => {
    const same = waiting.get(key)
    if (same !== undefined) return same.found
    const { promise, resolve, reject } = Promise.withResolvers<V | undefined>()
    waiting.set(key, { load, found: promise, resolve, reject })
    // What is asked for at once goes together.
    if (!running) process.nextTick(run)
    running = true
    return promise
  }
}

async function ask<V>(round: readonly (readonly [string, Waiting<V>])[]): Promise<void> {
  const [first] = round
  if (first === undefined) return
  try {
    const found = await first[1].load(round.map(([key]) => key))
    for (const [key, { resolve }] of round) resolve(found.get(key))
  } catch (error) {
    for (const [, { reject }] of round) reject(error)
  }
}
