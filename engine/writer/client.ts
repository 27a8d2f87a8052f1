/**
 * The main thread's side of the writer.
 *
 * Invariants
 * - Writes reach the writer in the order of the calls of `write`; those that find no room in the ring wait here.
 * - A write is answered once: after its commit, or with the failure of the writer.
 */
import { Worker } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log } from '../log.ts'
import type { CheckpointerData } from './checkpointer.ts'
import {
  type FromWriter,
  idBytes,
  newShared,
  newsRecordId,
  portRecordId,
  type Shared,
  signals,
  type ToWriter,
  type WriteRequest,
  type WriterData,
} from './protocol.ts'
import { offer, take } from './ring.ts'

type Unnumbered<Request> = Request extends unknown ? Omit<Request, 'id'> : never

type Waiting = { readonly resolve: (body: Uint8Array) => void; readonly reject: (error: Error) => void }

export type WriterEvents = {
  /** Called after a commit, before any of its answers is passed on. */
  readonly committed: () => void
  /** The capped collections with these ids got documents, or were dropped. */
  readonly news: (collections: readonly number[]) => void
  /** Nothing can be written any more. */
  readonly failed: (reason: string) => void
}

export class Writer {
  readonly #worker: Worker
  readonly #checkpointer: Worker
  readonly #shared: Shared
  readonly #waiting = new Map<number, Waiting>()
  readonly #events: WriterEvents
  /** Requests for which the ring has no room yet. */
  #held: ToWriter[] = []
  #lastId = 0
  #closed: string | undefined
  #stopping = false

  private constructor(
    threads: { readonly worker: Worker; readonly checkpointer: Worker; readonly shared: Shared },
    events: WriterEvents,
  ) {
    const { worker, checkpointer } = threads
    this.#worker = worker
    this.#checkpointer = checkpointer
    this.#shared = threads.shared
    this.#events = events
    worker.on('message', (message: FromWriter) => this.#receive(message))
    worker.on('error', (error) => this.#close(error.message))
    worker.on('exit', () => this.#close('the writer thread has ended'))
    checkpointer.on('error', (error) => log('error', 'checkpoint thread ended', { reason: error.message }))
  }

  /** Starts the threads. */
  static async start(options: Omit<WriterData, 'shared'>, events: WriterEvents): Promise<Writer> {
    const shared = newShared()
    const data: WriterData = { ...options, shared }
    const worker = thread('./worker.ts', data)
    const ready = await new Promise<FromWriter>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    const check = typeof ready === 'object' && ready.kind === 'ready' && !ready.cleanStart
    if (check) log('warn', 'the last stop was not clean')
    const checkpointer: CheckpointerData = { dir: data.dir, signals: shared.signals, check }
    return new Writer({ worker, checkpointer: thread('./checkpointer.ts', checkpointer), shared }, events)
  }

  get queued(): number {
    return this.#waiting.size
  }

  /**
   * Hands a write to the writer thread. A large message with memory of its own is transferred: it cannot be read here afterwards.
   * @returns the bytes of the reply document, once committed
   */
  write(request: Unnumbered<WriteRequest>): Promise<Uint8Array> {
    if (this.#closed !== undefined) return Promise.reject(unavailable(this.#closed))
    this.#lastId = (this.#lastId % lastIdMax) + 1
    const id = this.#lastId
    this.#send({ ...request, id })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  /** Finishes what is queued, then ends the threads. */
  async stop(): Promise<void> {
    this.#stopping = true
    const end = ended(this.#worker)
    this.#send({ kind: 'stop' })
    await end
    const checkpointer = ended(this.#checkpointer)
    const counters = this.#shared.signals
    Atomics.store(counters, signals.stop, 1)
    for (const awaited of [signals.committed, signals.checkpoint]) {
      Atomics.add(counters, awaited, 1)
      Atomics.notify(counters, awaited)
    }
    await checkpointer
  }

  #send(message: ToWriter): void {
    if (this.#held.length > 0 || !this.#offer(message)) this.#held.push(message)
  }

  #offer(message: ToWriter): boolean {
    const { requests, signals: counters } = this.#shared
    if (message.kind === 'command' && message.message.length <= limits.largeBytes) {
      idOf.writeUInt32LE(message.id, 0)
      if (!offer(requests, idOf, message.message)) return false
    } else {
      idOf.writeUInt32LE(portRecordId, 0)
      if (!offer(requests, idOf)) return false
      this.#post(message)
    }
    Atomics.add(counters, signals.requests, 1)
    Atomics.notify(counters, signals.requests)
    return true
  }

  /** Posts a message that the ring has announced; the writer waits for it. */
  #post(message: ToWriter): void {
    if (message.kind === 'command') {
      const bytes = owned(message.message)
      this.#worker.postMessage({ ...message, message: bytes }, [bytes.buffer as ArrayBuffer])
    } else {
      this.#worker.postMessage(message)
    }
  }

  #receive(message: FromWriter): void {
    if (message === 'answers') this.#takeAnswers()
    else if (message.kind === 'answer') this.#answer(message.id, message.bytes)
    else if (message.kind === 'news') this.#tellNews(message.collections)
    else if (message.kind === 'failed') this.#events.failed(message.reason)
    while (this.#held.length > 0 && this.#offer(this.#held[0]!)) this.#held.shift()
  }

  #takeAnswers(): void {
    const { answers } = this.#shared
    for (let record = take(answers); record !== undefined; record = take(answers)) {
      const id = record.readUInt32LE(0)
      if (id === newsRecordId) this.#tellNews(idsIn(record))
      else this.#answer(id, record.subarray(idBytes))
    }
  }

  #tellNews(collections: readonly number[]): void {
    this.#events.committed()
    this.#events.news(collections)
  }

  #answer(id: number, bytes: Uint8Array): void {
    this.#events.committed()
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    waiting?.resolve(bytes)
  }

  #close(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    for (const { reject } of this.#waiting.values()) reject(unavailable(reason))
    this.#waiting.clear()
    this.#held = []
    if (!this.#stopping) this.#events.failed(reason)
  }
}

/** The largest id that fits into its four bytes. Ids then start again, when no caller waits for the first ones any more. */
const lastIdMax = 2 ** 32 - 1
const idOf = Buffer.alloc(idBytes)

/** The ids in a record after the first, which is its kind. */
function idsIn(record: Buffer): number[] {
  return Array.from({ length: record.length / idBytes - 1 }, (_, i) => record.readUInt32LE(idBytes * (i + 1)))
}

function thread(file: string, data: WriterData | CheckpointerData): Worker {
  return new Worker(new URL(file, import.meta.url), {
    workerData: data,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
}

/** The bytes in memory of their own, so that they can be transferred to another thread. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes)
}

function ended(worker: Worker): Promise<void> {
  return worker.threadId === -1 ? Promise.resolve() : new Promise((resolve) => worker.once('exit', () => resolve()))
}

function unavailable(reason: string): EngineError {
  return new EngineError('InterruptedAtShutdown', `the writer is not available: ${reason}`)
}
