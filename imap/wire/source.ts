/**
 * The input from the client, as lines and runs of bytes. Invariants: bytes are returned once and in their order; while more than
 * `limits.readBytes` bytes or `limits.readChunks` chunks wait, the stream is paused, so that a client that sends ahead cannot
 * fill memory; once the input has run out, `line` and `bytes` return null, `some` and `skip` false.
 */
import type { Readable } from 'node:stream'
import { limits } from '../limits.ts'

export class Source {
  #stream: Readable | null = null
  /** Bytes not yet returned: the first ones in one buffer, the others in chunks as they arrived. */
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

  /** Stops reading from the stream. Returns the bytes that arrived and were not yet returned. */
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

  /** Resolves to true when there is at least one byte, to false at the end of the stream. */
  async some(): Promise<boolean> {
    return this.#head.length > 0 || this.#more()
  }

  /** Returns a line without its end (CRLF or LF); null at the end of the stream; 'tooLong' beyond `bytesMax`. */
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

  /** Returns exactly `count` bytes, or null when the stream ends earlier. */
  async bytes(count: number): Promise<Buffer | null> {
    if (count <= this.#head.length) return this.#piece(count)
    // Not gathered in a list: if a client sends one byte at a time, the list would be many times as large as the bytes.
    const whole = Buffer.allocUnsafeSlow(count)
    for (let at = 0; at < count; ) {
      const piece = await this.#piece(count - at)
      if (piece === null) return null
      at += piece.copy(whole, at)
    }
    return whole
  }

  /** Skips `count` bytes. Returns false when the stream ends earlier. */
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

  /** Resolves to true when more bytes have arrived, to false at the end of the stream. */
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
