/** The memory for messages that are being received, shared by all connections. */
export class Room {
  readonly #bytesMax: number
  #usedBytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Reserves bytes. Returns false when there is not enough room. */
  enter(bytes: number): boolean {
    if (this.#usedBytes + bytes > this.#bytesMax) return false
    this.#usedBytes += bytes
    return true
  }

  leave(bytes: number): void {
    this.#usedBytes -= bytes
  }
}
