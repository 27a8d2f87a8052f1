/**
 * Slots for deliveries in flight. Invariants: at most `concurrency` of them are taken, besides those of slow deliveries, which
 * hold up nobody until there are `slowFactor` times as many; they are given in the order of asking; the mail in flight stays
 * below `bytesInFlightMax` together, except that one mail alone always goes.
 */
export type Slot = {
  /** Ends a delivery: the next one begins. */
  release(): void
}

/** A delivery that takes longer gives its slot to another: a server may be slow, or made to be. */
const slowAfterMs = 2_000
const slowFactor = 4
/** Mail in flight is held in memory: beyond this, large mail waits for other mail to go. */
const bytesInFlightMax = 256 * 1024 * 1024

export class Slots {
  readonly #concurrency: number
  readonly #onSlow: () => void
  readonly #waiting: { readonly sizeBytes: number; begin(): void }[] = []
  #inFlight = 0
  #slow = 0
  #bytesInFlight = 0
  #isOpen = false

  /** `onSlow` is called when a slow delivery has given its slot back. */
  constructor({ concurrency, onSlow }: { concurrency: number; onSlow: () => void }) {
    this.#concurrency = concurrency
    this.#onSlow = onSlow
  }

  /** How many slow deliveries are in flight. */
  get slow(): number {
    return this.#slow
  }

  /** Resolves when a mail of that size may be delivered. */
  take(sizeBytes: number): Promise<Slot> {
    return new Promise((resolve) => {
      this.#waiting.push({ sizeBytes, begin: () => resolve(this.#slotOf(sizeBytes)) })
      this.#admit()
    })
  }

  /** Lets all that wait begin, and all that ask from now on. */
  open(): void {
    this.#isOpen = true
    this.#admit()
  }

  #slotOf(sizeBytes: number): Slot {
    let isSlow = false
    const timer = setInterval(() => {
      if (isSlow || this.#slow >= slowFactor * this.#concurrency) return
      isSlow = true
      this.#slow += 1
      this.#inFlight -= 1
      this.#admit()
      this.#onSlow()
    }, slowAfterMs)
    return {
      release: () => {
        clearInterval(timer)
        if (isSlow) this.#slow -= 1
        else this.#inFlight -= 1
        this.#bytesInFlight -= sizeBytes
        this.#admit()
      },
    }
  }

  #admit(): void {
    for (let [next] = this.#waiting; next !== undefined && this.#mayBegin(next.sizeBytes); [next] = this.#waiting) {
      this.#waiting.shift()
      this.#inFlight += 1
      this.#bytesInFlight += next.sizeBytes
      next.begin()
    }
  }

  #mayBegin(sizeBytes: number): boolean {
    if (this.#isOpen || this.#inFlight + this.#slow === 0) return true
    return this.#inFlight < this.#concurrency && this.#bytesInFlight + sizeBytes <= bytesInFlightMax
  }
}
