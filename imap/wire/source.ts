/**
 * What comes from the client, as lines and runs of bytes. Invariants: bytes are handed out once and in their order; when
 * `limits.readBytes` wait, or `limits.readChunks` pieces, no more are taken from the stream, so that a client that sends ahead
 * holds no memory; after the end of the stream every question is answered with null.
 */
import type { Readable } from 'node:stream'
import { limits } from '../limits.ts'

export class Source {
  #stream: Readable | null = null
  /** Not handed out yet: the first bytes in one buffer, the others as they came. */
  #head: Buffer = empty
  #rest: Buffer[] = []
  #restBytes = 0
  #ended = false
  #wake: (() => void) | null = null
  readonly #onData = (chunk: Buffer) => this.#take(chunk)
  readonly #onEnd = () => this.end()

  /** Reads from a stream from now on. */
  attach(stream: Readable): void {
    this.#stream = stream
    stream.on('data', this.#onData)
    stream.on('end', this.#onEnd)
    stream.on('close', this.#onEnd)
  }

  /** Reads no further from the stream. Returns what came from it and was not handed out. */
  detach(): Buffer {
    this.#stream?.off('data', this.#onData).off('end', this.#onEnd).off('close', this.#onEnd)
    this.#stream?.pause()
    this.#stream = null
    this.#join()
    const left = this.#head
    this.#head = empty
    return left
  }

  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  /** Resolves when there is at least a byte; false at the end of the stream. */
  async some(): Promise<boolean> {
    return this.#head.length > 0 || this.#more()
  }

  /** A line without its end (CRLF or LF). Null at the end of the stream; 'tooLong' past `bytesMax`. */
  async line(bytesMax: number): Promise<Buffer | 'tooLong' | null> {
    for (let scanned = 0; ; ) {
      this.#join()
      const feed = this.#head.indexOf(0x0a, scanned)
      if (feed > bytesMax || (feed < 0 && this.#head.length > bytesMax)) return 'tooLong'
      if (feed >= 0) {
        const end = feed > 0 && this.#head[feed - 1] === 0x0d ? feed - 1 : feed
        const line = this.#head.subarray(0, end)
        this.#head = this.#head.subarray(feed + 1)
        return line
      }
      scanned = this.#head.length
      if (!(await this.#more())) return null
    }
  }

  /** Exactly so many bytes; null when the stream ends before. */
  async bytes(count: number): Promise<Buffer | null> {
    if (count <= this.#head.length) return this.#piece(count)
    // Not gathered in a list: a client that sends one byte at a time would make it many times as large.
    const whole = Buffer.allocUnsafeSlow(count)
    for (let at = 0; at < count; ) {
      const piece = await this.#piece(count - at)
      if (piece === null) return null
      at += piece.copy(whole, at)
    }
    return whole
  }

  /** Throws so many bytes away. False when the stream ends before. */
  async skip(count: number): Promise<boolean> {
    for (let missing = count; missing > 0; ) {
      const piece = await this.#piece(missing)
      if (piece === null) return false
      missing -= piece.length
    }
    return true
  }

  async #piece(bytesMax: number): Promise<Buffer | null> {
    while (this.#head.length === 0) {
      const next = this.#rest.shift()
      if (next !== undefined) {
        this.#head = next
        this.#restBytes -= next.length
      } else if (!(await this.#more())) return null
    }
    const piece = this.#head.subarray(0, bytesMax)
    this.#head = this.#head.subarray(piece.length)
    return piece
  }

  #take(chunk: Buffer): void {
    this.#rest.push(chunk)
    this.#restBytes += chunk.length
    if (this.#restBytes + this.#head.length > limits.readBytes || this.#rest.length > limits.readChunks)
      this.#stream?.pause()
    this.#wake?.()
  }

  #join(): void {
    if (this.#restBytes === 0) return
    this.#head = Buffer.concat([this.#head, ...this.#rest])
    this.#rest = []
    this.#restBytes = 0
  }

  /** Resolves when there is more; false at the end. */
  async #more(): Promise<boolean> {
    while (this.#restBytes === 0) {
      if (this.#ended) return false
      this.#stream?.resume()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      this.#wake = null
    }
    return true
  }
}

const empty = Buffer.alloc(0)
