/** The bytes of requests held at once over all connections. Connections stop reading while it is exhausted. */
export class Budget {
  readonly #max: number
  #used = 0
  #waiting: (() => void)[] = []

  constructor(bytesMax: number) {
    this.#max = bytesMax
  }

  get used(): number {
    return this.#used
  }

  get exhausted(): boolean {
    return this.#used >= this.#max
  }

  take(bytes: number): void {
    this.#used += bytes
  }

  release(bytes: number): void {
    this.#used -= bytes
    if (this.exhausted) return
    const waiting = this.#waiting
    this.#waiting = []
    for (const resume of waiting) resume()
  }

  /** Calls `resume` once the budget is not exhausted any more. */
  wait(resume: () => void): void {
    this.#waiting.push(resume)
  }
}
