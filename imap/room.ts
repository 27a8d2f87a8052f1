/** The memory that messages on their way in share, over all connections. */
export class Room {
  readonly #bytesMax: number
  #usedBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Takes room; false when there is not enough. */
  enter(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#bytesMax) return false
    this.#usedBytes += bytes
    return true
  }

  leave(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
