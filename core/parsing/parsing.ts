/**
 * Runs the parser jobs: on small messages in this thread, on large ones in worker threads, so that other connections do not wait.
 * Invariants: a worker runs at most one job. A worker that takes too long, fails or runs out of memory is terminated and never used
 * again, and its job fails. Workers start when they are needed and end after a time without jobs.
 */
import { Worker } from 'node:worker_threads'
import { joined } from '../../mail/slices.ts'
import { Failure } from '../../schemas/failures.ts'
import type { JobName, Jobs } from './jobs.ts'

export type Parsing = {
  /**
   * Runs a job of `core/parsing/jobs.ts` on the bytes of a message, which stay unchanged. Returns the job's result. Fails with
   * `unavailable` when the worker takes too long or fails, or when too many jobs wait.
   */
  run<N extends JobName>(name: N, input: Parameters<Jobs[N]>[0]): Promise<Awaited<ReturnType<Jobs[N]>>>
  /** Ends the workers; jobs in progress and waiting jobs fail. */
  close(): Promise<void>
}

export type ParsingLimits = {
  /** Worker threads of a process: few enough that a machine with two cores still responds while all of them work. */
  readonly workersMax: number
  /** Jobs that wait for a worker; each holds its message in memory. */
  readonly waitingMax: number
  /** Longest time of a job. Jobs take linear time and stay far below it; a job that does not is a defect or an attack. */
  readonly jobMs: number
  /** Heap of a worker, without the bytes of the messages. */
  readonly heapMb: number
  readonly idleMs: number
  /**
   * Largest message that is parsed in this thread, which takes a few milliseconds. Reading bodies costs more than
   * reading the structure.
   */
  readonly inlineBytes: { readonly [N in JobName]: number }
}

export const parsingLimits: ParsingLimits = {
  workersMax: 2,
  waitingMax: 64,
  jobMs: 15_000,
  heapMb: 192,
  idleMs: 60_000,
  inlineBytes: {
    arrival: 512 * 1024,
    content: 512 * 1024,
    description: 512 * 1024,
    file: 32 * 1024,
    files: 512 * 1024,
    forwarding: 32 * 1024,
    intake: 32 * 1024,
    json: 512 * 1024,
    lens: 24 * 1024,
    markdown: 16 * 1024,
    reading: 32 * 1024,
    // Never in this thread: the content of its archives may be a thousand times as large as the message.
    reports: 0,
    text: 96 * 1024,
  },
}

/** The jobs, loaded on first use: they are much code, and some processes never run one in this thread. */
let loaded: Jobs | undefined
async function loadJobs(): Promise<Jobs> {
  loaded ??= (await import('./jobs.ts')).jobs
  return loaded
}

/** Whether a job failed because of its message: it took too long, or ended its worker. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unavailable' && error.cause !== undefined
}

type Job = {
  readonly name: JobName
  readonly input: { readonly raw: Buffer }
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type WorkerThread = { readonly worker: Worker; job: Job | null; timer: NodeJS.Timeout | undefined }

/** Makes the parser of a process. `onError` gets the cause of every job that fails. */
export function createParsing({
  limits = parsingLimits,
  onError = () => undefined,
}: {
  limits?: ParsingLimits
  onError?: (error: unknown) => void
} = {}): Parsing {
  const threads = new Set<WorkerThread>()
  const waiting: Job[] = []
  let closed = false

  const endThread = (thread: WorkerThread, cause: unknown) => {
    if (!threads.delete(thread)) return
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = null
    if (job !== null) {
      onError(cause)
      job.reject(new Failure('unavailable', 'The message could not be parsed; please try again later.', { cause }))
    }
    void thread.worker.terminate()
    startNext()
  }

  const startThread = (): WorkerThread => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 },
    })
    const thread: WorkerThread = { worker, job: null, timer: undefined }
    threads.add(thread)
    worker.on('message', (result) => {
      const { job } = thread
      clearTimeout(thread.timer)
      thread.job = null
      job?.resolve(result)
      startNext()
      if (thread.job === null) setIdle(thread)
    })
    worker.on('error', (error) => endThread(thread, error))
    worker.on('exit', (code) => endThread(thread, new Error(`A parsing thread ended with exit code ${code}.`)))
    return thread
  }

  const setIdle = (thread: WorkerThread) => {
    thread.worker.unref()
    thread.timer = setTimeout(() => endThread(thread, null), limits.idleMs).unref()
  }

  const startNext = () => {
    while (waiting.length > 0 && !closed) {
      const idle = [...threads].find(({ job }) => job === null)
      const thread = idle ?? (threads.size < limits.workersMax ? startThread() : undefined)
      if (thread === undefined) return
      runOn(thread, waiting.shift() as Job)
    }
  }

  const runOn = (thread: WorkerThread, job: Job) => {
    clearTimeout(thread.timer)
    thread.job = job
    thread.worker.ref()
    thread.timer = setTimeout(
      () => endThread(thread, new Error(`A ${job.name} job took over ${limits.jobMs} ms.`)),
      limits.jobMs,
    )
    void transferableBytes(job.input.raw).then((raw) => {
      const owned = raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.length ? [raw.buffer] : []
      if (thread.job === job) thread.worker.postMessage({ name: job.name, input: { ...job.input, raw } }, owned)
    })
  }

  return {
    async run(name, input) {
      if (input.raw.length <= limits.inlineBytes[name]) return (await (await loadJobs())[name](input as never)) as never
      if (closed || waiting.length >= limits.waitingMax)
        throw new Failure('unavailable', 'Too many large messages are being parsed; please try again later.')
      return new Promise<never>((resolve, reject) => {
        waiting.push({ name, input, resolve: resolve as Job['resolve'], reject })
        startNext()
      })
    },
    async close() {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(new Failure('unavailable', 'The service is stopping.'))
      await Promise.all(
        [...threads].map(async (thread) => {
          const { worker } = thread
          endThread(thread, new Error('The service is stopping.'))
          await worker.terminate()
        }),
      )
    },
  }
}

/**
 * The bytes to send to a worker. Bytes in shared memory are not copied. Others are, since the caller keeps its own; the copy is made in
 * slices, so that it does not block the event loop.
 */
async function transferableBytes(bytes: Buffer): Promise<Buffer> {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : joined([bytes])
}
