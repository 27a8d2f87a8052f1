/**
 * One client connection: assembles messages from the received bytes, and sends the answers.
 *
 * Invariants
 * - Messages of a connection are answered one after another, in order.
 * - A message that breaks the protocol closes the connection; a command that fails does not, unless it was the last
 *   attempt to log in.
 * - A client that does not read its answers gets no more of them: at most one answer is sent beyond `limits.unsentBytes`.
 * - Bytes of messages that are not answered yet count against the shared budget. The socket is read only while no message of the
 *   connection is waiting and the budget is not exhausted.
 */
import type { Socket } from 'node:net'
import type { Peer } from '../auth/peer.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import type { Budget } from './budget.ts'
import { giveBack } from './memory.ts'
import { headerBytes, type Message, parseMessage } from './message.ts'
import { type Body, errorBody, type Outbox } from './reply.ts'

export type Answerer = (message: Message) => Promise<Body>

export class Connection {
  readonly #socket: Socket
  readonly #peer: Peer
  readonly #answer: Answerer
  readonly #budget: Budget
  readonly #outbox: Outbox
  #header = Buffer.allocUnsafe(headerBytes)
  #headerFilled = 0
  #message: Buffer | undefined
  #messageFilled = 0
  #queue: Buffer[] = []
  #working = false
  #refused = false
  #lastReply = 0

  constructor(
    socket: Socket,
    peer: Peer,
    shared: { readonly budget: Budget; readonly outbox: Outbox },
    answer: Answerer,
  ) {
    this.#socket = socket
    this.#peer = peer
    this.#budget = shared.budget
    this.#outbox = shared.outbox
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
    while (at < chunk.length && !this.#refused && !this.#socket.destroyed) {
      const whole = this.#wholeMessage(chunk, at)
      if (whole !== undefined) {
        at += whole.length
        this.#enqueue(whole)
        continue
      }
      at += this.#message === undefined ? this.#fillHeader(chunk, at) : this.#fillMessage(chunk, at, this.#message)
    }
  }

  /** The message at `at` if the chunk contains all of it: it is then not copied. */
  #wholeMessage(chunk: Buffer, at: number): Buffer | undefined {
    if (this.#message !== undefined || this.#headerFilled > 0 || chunk.length - at < headerBytes) return undefined
    const size = chunk.readInt32LE(at)
    if (size < headerBytes + 5 || size > Math.min(chunk.length - at, this.#peer.messageBytesMax)) return undefined
    if (this.#budget.exhausted) return undefined
    this.#budget.take(size)
    return chunk.subarray(at, at + size)
  }

  #enqueue(message: Buffer): void {
    this.#queue.push(message)
    if (!this.#working) {
      void this.#work()
      return
    }
    this.#socket.pause()
    // A paused socket does not report that its client is gone, so a command must not wait while other messages are queued.
    this.#peer.mayWait = false
    this.#peer.endWait?.()
  }

  #fillHeader(chunk: Buffer, at: number): number {
    const copied = chunk.copy(this.#header, this.#headerFilled, at)
    this.#headerFilled += copied
    if (this.#headerFilled < headerBytes) return copied
    const size = this.#header.readInt32LE(0)
    if (size < headerBytes + 5 || size > this.#peer.messageBytesMax) {
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
    // Allocated outside of the pool, because a large write transfers this memory to the writer thread.
    this.#message = Buffer.allocUnsafeSlow(size)
    this.#header.copy(this.#message)
    this.#messageFilled = headerBytes
    this.#headerFilled = 0
    return copied
  }

  #fillMessage(chunk: Buffer, at: number, message: Buffer): number {
    const copied = chunk.copy(message, this.#messageFilled, at)
    // A large message arrives in hundreds of chunks, so each is released at once.
    if (copied === chunk.buffer.byteLength) giveBack(chunk)
    this.#messageFilled += copied
    if (this.#messageFilled === message.length) {
      this.#message = undefined
      this.#enqueue(message)
    }
    return copied
  }

  async #work(): Promise<void> {
    this.#working = true
    for (let bytes = this.#queue.shift(); bytes !== undefined; bytes = this.#queue.shift()) {
      const size = bytes.length
      this.#peer.mayWait = this.#queue.length === 0 && !this.#socket.destroyed
      await this.#answerOne(bytes)
      this.#budget.release(size)
      if (this.#socket.writableLength > limits.unsentBytes) await this.#drained()
    }
    this.#working = false
    this.#socket.resume()
  }

  async #answerOne(bytes: Buffer): Promise<void> {
    const requestId = bytes.readInt32LE(4)
    try {
      const message = parseMessage(bytes, true)
      const body = await this.#answer(message)
      if (!message.silent) this.#send(body, requestId, message.legacy)
      if (this.#peer.exhausted) this.#refuse('too many failed logins')
    } catch (error) {
      if (error instanceof EngineError) this.#send(errorBody(error), requestId, false)
      if (!(error instanceof EngineError) || error.codeName === 'ProtocolError') this.#refuse(reason(error))
    }
  }

  /** Resolves once everything sent has left the socket's buffer, or the connection is closed. */
  #drained(): Promise<void> {
    if (this.#socket.destroyed) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        this.#socket.off('drain', done)
        this.#socket.off('close', done)
        resolve()
      }
      this.#socket.on('drain', done)
      this.#socket.on('close', done)
    })
  }

  #send(body: Body, requestId: number, legacy: boolean): void {
    if (this.#socket.destroyed) return
    this.#lastReply = (this.#lastReply + 1) | 0
    this.#outbox.send(this.#socket, body, requestId, this.#lastReply, legacy)
  }

  #refuse(why: string): void {
    if (this.#refused) return
    this.#refused = true
    log('warn', 'connection refused', { reason: why })
    this.#socket.end()
    this.#socket.destroySoon()
  }

  #closed(): void {
    this.#peer.gone = true
    this.#peer.mayWait = false
    this.#peer.endWait?.()
    if (this.#message !== undefined) this.#budget.release(this.#message.length)
    for (const bytes of this.#queue) this.#budget.release(bytes.length)
    this.#message = undefined
    this.#queue = []
  }
}
