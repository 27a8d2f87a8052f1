/**
 * What goes to the client. Text is written as Latin-1, so that a string stands for bytes: what is no ASCII is put into it by
 * `utf8`. Invariant: who awaits `room` before each piece of a long answer holds at most `limits.writtenBytes` and that piece
 * for a client that does not read. After the last word nothing is written.
 */
import type { Writable } from 'node:stream'
import { limits } from '../limits.ts'

export class Writer {
  #stream: Writable
  #text = ''
  /** Whether what was written last ended a response. */
  #isWhole = true
  #isShut = false

  constructor(stream: Writable) {
    this.#stream = stream
  }

  /** Writes to another stream from now on. */
  attach(stream: Writable): void {
    this.flush()
    this.#stream = stream
  }

  /** A whole response line; CRLF follows. */
  line(text: string): void {
    this.text(`${text}\r\n`)
  }

  text(text: string): void {
    if (this.#isShut) return
    this.#text += text
    // Behind a length in braces its bytes follow.
    this.#isWhole = text.endsWith('\r\n') && !text.endsWith('}\r\n')
    if (this.#text.length > gatherChars) this.flush()
  }

  /** Bytes, such as those of a literal that was announced. */
  bytes(bytes: Buffer): void {
    if (this.#isShut) return
    if (bytes.length < smallBytes) this.text(bytes.toString('latin1'))
    else {
      this.flush()
      if (this.#stream.writable) this.#stream.write(bytes)
    }
    this.#isWhole = false
  }

  /** Writes the last word. Returns false in the middle of a response: a client would take it for a part of that. */
  lastLine(text: string): boolean {
    const isWhole = this.#isWhole
    if (isWhole) this.line(text)
    this.flush()
    this.#isShut = true
    return isWhole
  }

  /** Whether nobody will read what is written from now on. */
  get isOver(): boolean {
    return this.#isShut || !this.#stream.writable
  }

  /** Hands what was written to the stream. */
  flush(): void {
    if (this.#text === '') return
    if (this.#stream.writable) this.#stream.write(this.#text, 'latin1')
    this.#text = ''
  }

  /** Hands what was written to the stream, and ends it. */
  end(): void {
    this.flush()
    this.#stream.end()
  }

  /** Whether so much waits for the client that no more may be made before `room`. */
  get isFull(): boolean {
    return this.#stream.writableLength + this.#text.length >= limits.writtenBytes
  }

  /** Resolves when the client has read enough for more to be made, or is gone. */
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
