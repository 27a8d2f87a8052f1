/**
 * Slots for deliveries in flight. Invariants: at most `concurrency` slots are taken. Slow deliveries do not count towards that, up to
 * `slowFactor` times as many. Slots are given in the order of asking. The mail in flight has less than `bytesInFlightMax` bytes in
 * total, except that a single mail may always go.
 */
export type Slot = {
  /** Ends a delivery, so that the next one can begin. */
  release(): void
}

/** A delivery that takes longer than this gives its slot to another: a server may be slow, even on purpose. */
const slowAfterMs = 2_000
const slowFactor = 4
/** Mail in flight is held in memory; beyond this, further mail waits until some of it is done. */
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

  /** The number of slow deliveries in flight. */
  get slow(): number {
    return this.#slow
  }

  /** Resolves when a mail of this size may be delivered. */
  take(sizeBytes: number): Promise<Slot> {
    return new Promise((resolve) => {
      this.#waiting.push({ sizeBytes, begin: () => resolve(this.#slotOf(sizeBytes)) })
      this.#admit()
    })
  }

  /** Lets everything that waits begin at once, and everything that asks from now on. */
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
