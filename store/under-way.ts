/**
 * Works around the memory cost of the driver's bookkeeping in a busy process. A client records its active cursors and sessions in two
 * sets, from which each entry is soon removed. When the table of a set is full, V8 allocates a new table and makes the old one point to
 * it. Once an old table reaches the old generation of the heap, it keeps its successor alive, that one the next, and so on, each with
 * its former entries. So most cursors, with everything they have read, would stay in memory until the old generation is collected. An
 * array retains nothing that was removed.
 */
import type { MongoClient } from 'mongodb'

/** Makes a client record its cursors and sessions in arrays. Must be called before the client is used. */
export function noteInArrays(client: MongoClient): MongoClient {
  const state: unknown = Reflect.get(client, 's')
  for (const name of notes) if (isObject(state) && state[name] instanceof Set) state[name] = new UnderWay()
  return client
}

const notes = ['activeCursors', 'activeSessions'] as const

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** The methods of a set that the driver uses. There are only some dozens of entries, so a linear search is fast enough. */
export class UnderWay<T> implements Iterable<T> {
  readonly #entries: T[] = []

  get size(): number {
    return this.#entries.length
  }

  add(entry: T): void {
    if (!this.#entries.includes(entry)) this.#entries.push(entry)
  }

  delete(entry: T): void {
    const at = this.#entries.lastIndexOf(entry)
    const last = this.#entries.at(-1)
    if (at === -1 || last === undefined) return
    this.#entries[at] = last
    this.#entries.pop()
  }

  clear(): void {
    this.#entries.length = 0
  }

  /** Iterates over a copy, because the driver removes entries while it iterates to close them. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#entries][Symbol.iterator]()
  }
}
