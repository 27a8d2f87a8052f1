/**
 * The output to the client. Text is written as Latin-1, one character for each byte; `utf8` converts other text to that form.
 * Invariants: a caller that awaits `room` before each piece of a long answer buffers at most `limits.writtenBytes` and that piece
 * for a client that does not read; after `lastLine` nothing is written.
 */
import type { Writable } from 'node:stream'
import { limits } from '../limits.ts'

export class Writer {
  #stream: Writable
  #text = ''
  /** Whether the last write ended a response. */
  #isWhole = true
  #isShut = false

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** Flushes, then writes to another stream. */
  attach(stream: Writable): void {
    this.flush()
    this.#stream = stream
  }

  /** Writes a whole response line and CRLF. */
  line(text: string): void {
    this.text(`${text}\r\n`)
  }

  text(text: string): void {
    if (this.#isShut) return
    this.#text += text
    // After a length in braces, the bytes of the literal follow.
    this.#isWhole = text.endsWith('\r\n') && !text.endsWith('}\r\n')
    if (this.#text.length > gatherChars) this.flush()
  }

  /** Writes bytes, such as those of an announced literal. */
  bytes(bytes: Buffer): void {
    if (this.#isShut) return
    if (bytes.length < smallBytes) this.text(bytes.toString('latin1'))
    else {
      this.flush()
      if (this.#stream.writable) this.#stream.write(bytes)
    }
    this.#isWhole = false
  }

  /** Writes a last line and shuts the writer. In the middle of a response it writes no line and returns false. */
  lastLine(text: string): boolean {
    const isWhole = this.#isWhole
    if (isWhole) this.line(text)
    this.flush()
    this.#isShut = true
    return isWhole
  }

  /** Whether further output would be lost. */
  get isOver(): boolean {
    return this.#isShut || !this.#stream.writable
  }

  /** Passes the gathered text to the stream. */
  flush(): void {
    if (this.#text === '') return
    if (this.#stream.writable) this.#stream.write(this.#text, 'latin1')
    this.#text = ''
  }

  /** Flushes, and ends the stream. */
  end(): void {
    this.flush()
    this.#stream.end()
  }

  /** Whether so much output waits for the client that a caller must await `room` before it writes more. */
  get isFull(): boolean {
    return this.#stream.writableLength + this.#text.length >= limits.writtenBytes
  }

  /** Resolves when the client has read enough for more to be written, or is gone. */
  async room(): Promise<void> {
    const stream = this.#stream
    if (!this.isFull) return
    this.flush()
    if (!stream.writableNeedDrain || stream.closed || stream.destroyed) return
    await new Promise<void>((resolve) => {
      const go = () => {
        stream.off('drain', go).off('close', go)
        resolve()
      }
      stream.on('drain', go).on('close', go)
    })
  }
}

const gatherChars = 32 * 1024
const smallBytes = 4 * 1024
