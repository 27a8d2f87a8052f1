/**
 * Works around what the driver's bookkeeping costs a busy process. A client notes its cursors and sessions under way in two sets,
 * of which each entry is soon taken out again. V8 gives a set whose table has no room left a fresh table, and lets the old one
 * point to it. Once an old one has come into the old generation it keeps the next alive, and that the one after it, each with
 * what stood in it, until that generation is collected: so most cursors lived until then, with all that they had read. In an array
 * what is over leaves nothing behind.
 */
import type { MongoClient } from 'mongodb'

/** Notes the cursors and sessions of a client in arrays. Must be called before the client is used. */
export function noteInArrays(client: MongoClient): MongoClient {
  const state: unknown = Reflect.get(client, 's')
  for (const name of notes) if (isObject(state) && state[name] instanceof Set) state[name] = new UnderWay()
  return client
}

const notes = ['activeCursors', 'activeSessions'] as const

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** What the driver asks of a set. There are some dozens of entries, so that one is looked for among all. */
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

  /** Of those that are there at the beginning: who closes them takes them out. */
  [Symbol.iterator](): Iterator<T> {
    return [...this.#entries][Symbol.iterator]()
  }
}
