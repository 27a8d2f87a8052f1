/**
 * Waits for new documents in capped collections.
 *
 * Invariants
 * - Nothing polls: a wait ends with the commit that changes its collection, when its time is over, or when it is ended or fails.
 * - News that arrives between two waits of a watch ends the second at once: no commit is missed.
 */
import type { EngineError } from '../errors.ts'

/** Watches one collection, from `Watches.open` to `Watches.close`. */
export class Watch {
  readonly collection: number
  #pending = false
  #ended = false
  #failure: EngineError | undefined
  #wake: (() => void) | undefined

  constructor(collection: number) {
    this.collection = collection
  }

  /**
   * Waits for news, at most `forMs`.
   * @returns whether there was news; false also if the wait was ended
   * @throws EngineError the failure passed to `fail`
   */
  async news(forMs: number): Promise<boolean> {
    if (!this.#over && forMs > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, forMs)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      this.#wake = undefined
    }
    if (this.#failure !== undefined) throw this.#failure
    const found = this.#pending && !this.#ended
    this.#pending = false
    return found
  }

  stir(): void {
    this.#pending = true
    this.#wake?.()
  }

  /** Ends the wait: nobody needs the result any more. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  fail(failure: EngineError): void {
    this.#failure = failure
    this.#wake?.()
  }

  get #over(): boolean {
    return this.#pending || this.#ended || this.#failure !== undefined
  }
}

export class Watches {
  readonly #open = new Map<number, Set<Watch>>()

  open(collection: number): Watch {
    const watch = new Watch(collection)
    const others = this.#open.get(collection)
    if (others === undefined) this.#open.set(collection, new Set([watch]))
    else others.add(watch)
    return watch
  }

  close(watch: Watch): void {
    const others = this.#open.get(watch.collection)
    others?.delete(watch)
    if (others?.size === 0) this.#open.delete(watch.collection)
  }

  stir(collections: readonly number[]): void {
    for (const collection of collections) for (const watch of this.#open.get(collection) ?? []) watch.stir()
  }
}
