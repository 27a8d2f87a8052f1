/**
 * One client connection: bytes in, whole messages out of them, answers back.
 *
 * Invariants
 * - Messages of a connection are answered one after another, in order.
 * - A message that breaks the protocol closes the connection; a command that fails does not.
 * - Bytes of messages that are not yet answered are counted in the shared budget; the socket is read only while the
 *   connection has no message waiting and the budget lasts.
 */
import type { Socket } from 'node:net'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import type { Budget } from './budget.ts'
import { headerBytes, type Message, parseMessage } from './message.ts'
import { type Body, errorBody, replyMessage } from './reply.ts'

export type Answerer = (message: Message) => Promise<Body>

export class Connection {
  readonly #socket: Socket
  readonly #answer: Answerer
  readonly #budget: Budget
  #header = Buffer.allocUnsafe(headerBytes)
  #headerFilled = 0
  #message: Buffer | undefined
  #messageFilled = 0
  #queue: Buffer[] = []
  #working = false
  #lastReply = 0

  constructor(socket: Socket, budget: Budget, answer: Answerer) {
    this.#socket = socket
    this.#budget = budget
    this.#answer = answer
    socket.on('data', (chunk: Buffer) => this.#receive(chunk))
    socket.on('error', (error) => log('info', 'connection lost', { reason: error.message }))
    socket.on('close', () => this.#closed())
  }

  /** Whether a message is being answered. */
  get busy(): boolean {
    return this.#working || this.#queue.length > 0
  }

  close(): void {
    this.#socket.destroy()
  }

  #receive(chunk: Buffer): void {
    let at = 0
    while (at < chunk.length && !this.#socket.destroyed) {
      at += this.#message === undefined ? this.#fillHeader(chunk, at) : this.#fillMessage(chunk, at, this.#message)
    }
  }

  #fillHeader(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#header, this.#headerFilled, at)
    this.#headerFilled += copied
    if (this.#headerFilled < headerBytes) return copied
    const size = this.#header.readInt32LE(0)
    if (size < headerBytes + 5 || size > limits.messageBytes) {
      this.#refuse(`a message of ${size} bytes`)
      return copied
    }
    if (this.#budget.exhausted) {
      this.#socket.pause()
      if (at + copied < chunk.length) this.#socket.unshift(chunk.subarray(at + copied))
      this.#budget.wait(() => this.#socket.resume())
      return chunk.length - at
    }
    this.#budget.take(size)
    // Its own memory, not a slice of the pool: a write hands it to the writer thread.
    this.#message = Buffer.allocUnsafeSlow(size)
    this.#header.copy(this.#message)
    this.#messageFilled = headerBytes
    this.#headerFilled = 0
    return copied
  }

  #fillMessage(chunk: Buffer, at: number, message: Buffer): number {
    const copied = chunk.copy(message, this.#messageFilled, at)
    this.#messageFilled += copied
    if (this.#messageFilled === message.length) {
      this.#message = undefined
      this.#queue.push(message)
      if (!this.#working) void this.#work()
      else this.#socket.pause()
    }
    return copied
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let bytes = this.#queue.shift(); bytes !== undefined; bytes = this.#queue.shift()) {
      const size = bytes.length
      await this.#answerOne(bytes)
      this.#budget.release(size)
    }
    this.#working = false
    this.#socket.resume()
  }

  async #answerOne(bytes: Buffer): Promise<void> {
    const requestId = bytes.readInt32LE(4)
    try {
      const message = parseMessage(bytes)
      const body = await this.#answer(message)
      if (!message.silent) this.#send(body, requestId, message.legacy)
    } catch (error) {
      if (error instanceof EngineError) this.#send(errorBody(error), requestId, false)
      if (!(error instanceof EngineError) || error.codeName === 'ProtocolError') this.#refuse(reason(error))
    }
  }

  #send(body: Body, requestId: number, legacy: boolean): void {
    if (this.#socket.destroyed) return
    this.#lastReply = (this.#lastReply + 1) | 0
    this.#socket.write(replyMessage(body, requestId, this.#lastReply, legacy))
  }

  #refuse(why: string): void {
    log('warn', 'connection refused', { reason: why })
    this.#socket.end()
    this.#socket.destroySoon()
  }

  #closed(): void {
    if (this.#message !== undefined) this.#budget.release(this.#message.length)
    for (const bytes of this.#queue) this.#budget.release(bytes.length)
    this.#message = undefined
    this.#queue = []
  }
}
