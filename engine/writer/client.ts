/**
 * The main thread's side of the writer.
 *
 * Invariants
 * - Writes of one turn of the event loop travel in one message, in the order in which they were asked for.
 * - A write is answered once: after its commit, or with the failure of the writer.
 */
import { Worker } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import { log } from '../log.ts'
import type { CheckpointerData } from './checkpointer.ts'
import type { Answers, FromWriter, ToWriter, WriteRequest, WriterData } from './protocol.ts'

type Unnumbered<Request> = Request extends unknown ? Omit<Request, 'id'> : never

type Waiting = { readonly resolve: (body: Uint8Array) => void; readonly reject: (error: Error) => void }

export class Writer {
  readonly #worker: Worker
  readonly #checkpointer: Worker
  readonly #waiting = new Map<number, Waiting>()
  readonly #failed: (reason: string) => void
  #outgoing: WriteRequest[] = []
  #lastId = 0
  #closed: string | undefined
  #stopping = false

  private constructor(worker: Worker, checkpointer: Worker, failed: (reason: string) => void) {
    this.#worker = worker
    this.#checkpointer = checkpointer
    this.#failed = failed
    worker.on('message', (message: FromWriter) => this.#receive(message))
    worker.on('error', (error) => this.#close(error.message))
    worker.on('exit', () => this.#close('the writer thread has ended'))
    checkpointer.on('error', (error) => log('error', 'checkpoint thread ended', { reason: error.message }))
  }

  /** Starts the threads. `failed` is told when nothing can be written any more. */
  static async start(data: WriterData, failed: (reason: string) => void): Promise<Writer> {
    const worker = thread('./worker.ts', data)
    const ready = await new Promise<FromWriter>((resolve, reject) => {
      worker.once('message', resolve)
      worker.once('error', reject)
    })
    const check = ready.kind === 'ready' && !ready.cleanStart
    if (check) log('warn', 'the last stop was not a clean one')
    const checkpointer: CheckpointerData = { dir: data.dir, check }
    return new Writer(worker, thread('./checkpointer.ts', checkpointer), failed)
  }

  get queued(): number {
    return this.#waiting.size
  }

  /**
   * Hands a write over. The memory of a message goes to the writer thread and is gone here.
   * @returns the reply document's bytes, once committed
   */
  write(request: Unnumbered<WriteRequest>): Promise<Uint8Array> {
    if (this.#closed !== undefined) return Promise.reject(unavailable(this.#closed))
    const id = ++this.#lastId
    // An idle writer gets its work at once; a busy one at the end of the turn, all of it in one message.
    if (this.#outgoing.length === 0) (this.#waiting.size === 0 ? queueMicrotask : setImmediate)(() => this.#flush())
    this.#outgoing.push({ ...request, id })
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  /** Finishes what is queued, then ends the threads. */
  async stop(): Promise<void> {
    this.#stopping = true
    this.#flush()
    const end = ended(this.#worker)
    this.#post({ kind: 'stop' }, [])
    await end
    const checkpointer = ended(this.#checkpointer)
    this.#checkpointer.postMessage('stop')
    await checkpointer
  }

  #flush(): void {
    const requests = this.#outgoing
    this.#outgoing = []
    if (requests.length === 0) return
    const transfer = requests.flatMap((request) =>
      request.kind === 'command' ? [request.message.buffer as ArrayBuffer] : [],
    )
    this.#post({ kind: 'writes', requests }, transfer)
  }

  #post(message: ToWriter, transfer: ArrayBuffer[]): void {
    this.#worker.postMessage(message, transfer)
  }

  #receive(message: FromWriter): void {
    if (message.kind === 'answers') this.#answer(message)
    else if (message.kind === 'failed') this.#failed(message.reason)
  }

  #answer({ ids, ends, bytes }: Answers): void {
    for (const [i, id] of ids.entries()) {
      const waiting = this.#waiting.get(id)
      this.#waiting.delete(id)
      waiting?.resolve(bytes.subarray(i === 0 ? 0 : ends[i - 1]!, ends[i]))
    }
  }

  #close(reason: string): void {
    if (this.#closed !== undefined) return
    this.#closed = reason
    for (const { reject } of this.#waiting.values()) reject(unavailable(reason))
    this.#waiting.clear()
    if (!this.#stopping) this.#failed(reason)
  }
}

function thread(file: string, data: WriterData | CheckpointerData): Worker {
  return new Worker(new URL(file, import.meta.url), {
    workerData: data,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
}

function ended(worker: Worker): Promise<void> {
  return worker.threadId === -1 ? Promise.resolve() : new Promise((resolve) => worker.once('exit', () => resolve()))
}

function unavailable(reason: string): EngineError {
  return new EngineError('InterruptedAtShutdown', `the writer is not available: ${reason}`)
}
