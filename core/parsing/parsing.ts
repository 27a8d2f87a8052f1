/**
 * Messages are read here: small ones at once, large ones in worker threads, so that no other connection waits for them.
 * A worker has at most one job. One that is late, fails or runs out of memory is ended and never used again; its job fails
 * cleanly. Workers start when they are needed and end when they have been idle for a while.
 */
import { Worker } from 'node:worker_threads'
import { joined } from '../../mail/slices.ts'
import { Failure } from '../../schemas/failures.ts'
import { type JobName, type Jobs, jobs } from './jobs.ts'

export type Parsing = {
  /**
   * Does a job of `core/parsing/jobs.ts` on the bytes of a message, which stay as they are. Fails with `unavailable` when
   * the worker is late or fails, or when too many jobs wait.
   */
  run<N extends JobName>(name: N, input: Parameters<Jobs[N]>[0]): Promise<ReturnType<Jobs[N]>>
  /** Ends the workers; jobs under way fail. */
  close(): Promise<void>
}

export type ParsingLimits = {
  /** Threads of one process; a machine of two cores must still answer while both read. */
  readonly workersMax: number
  /** Jobs that wait for a thread, each holding its message. */
  readonly waitingMax: number
  /** A job takes linear time and never this long; the rest is a defect or an attack. */
  readonly jobMs: number
  /** Heap of a worker; the bytes of messages are not in it. */
  readonly heapMb: number
  readonly idleMs: number
  /** Up to this size a message is read at once, which takes a few milliseconds. Bodies cost more than structure. */
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
    file: 32 * 1024,
    forwarding: 32 * 1024,
    json: 512 * 1024,
    reading: 32 * 1024,
    text: 32 * 1024,
  },
}

/** Whether a job failed on its message itself: it was late, or ended its thread. */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Failure && error.code === 'unavailable' && error.cause !== undefined
}

type Job = {
  readonly name: JobName
  readonly input: { readonly raw: Buffer }
  readonly resolve: (result: unknown) => void
  readonly reject: (error: unknown) => void
}

type Thread = { readonly worker: Worker; job: Job | null; timer: NodeJS.Timeout | undefined }

export function createParsing({
  limits = parsingLimits,
  onError = () => undefined,
}: {
  limits?: ParsingLimits
  onError?: (error: unknown) => void
} = {}): Parsing {
  const threads = new Set<Thread>()
  const waiting: Job[] = []
  let closed = false

  const end = (thread: Thread, cause: unknown) => {
    if (!threads.delete(thread)) return
    clearTimeout(thread.timer)
    const { job } = thread
    thread.job = null
    if (job !== null) {
      onError(cause)
      job.reject(new Failure('unavailable', 'The message could not be read; please try again later.', { cause }))
    }
    void thread.worker.terminate()
    next()
  }

  const start = (): Thread => {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 32 },
    })
    const thread: Thread = { worker, job: null, timer: undefined }
    threads.add(thread)
    worker.on('message', (result) => {
      const { job } = thread
      clearTimeout(thread.timer)
      thread.job = null
      job?.resolve(result)
      next()
      if (thread.job === null) rest(thread)
    })
    worker.on('error', (error) => end(thread, error))
    worker.on('exit', (code) => end(thread, new Error(`A parsing thread ended with ${code}.`)))
    return thread
  }

  const rest = (thread: Thread) => {
    thread.worker.unref()
    thread.timer = setTimeout(() => end(thread, null), limits.idleMs).unref()
  }

  const next = () => {
    while (waiting.length > 0 && !closed) {
      const idle = [...threads].find(({ job }) => job === null)
      const thread = idle ?? (threads.size < limits.workersMax ? start() : undefined)
      if (thread === undefined) return
      give(thread, waiting.shift() as Job)
    }
  }

  const give = (thread: Thread, job: Job) => {
    clearTimeout(thread.timer)
    thread.job = job
    thread.worker.ref()
    thread.timer = setTimeout(
      () => end(thread, new Error(`A ${job.name} job took over ${limits.jobMs} ms.`)),
      limits.jobMs,
    )
    void shared(job.input.raw).then((raw) => {
      const owned = raw.buffer instanceof ArrayBuffer && raw.buffer.byteLength === raw.length ? [raw.buffer] : []
      if (thread.job === job) thread.worker.postMessage({ name: job.name, input: { ...job.input, raw } }, owned)
    })
  }

  return {
    async run(name, input) {
      if (input.raw.length <= limits.inlineBytes[name]) return jobs[name](input as never) as never
      if (closed || waiting.length >= limits.waitingMax)
        throw new Failure('unavailable', 'Too many large messages are being read; please try again later.')
      return new Promise((resolve, reject) => {
        waiting.push({ name, input, resolve: resolve as Job['resolve'], reject })
        next()
      })
    },
    async close() {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(new Failure('unavailable', 'The service is stopping.'))
      await Promise.all(
        [...threads].map(async (thread) => {
          const { worker } = thread
          end(thread, new Error('The service is stopping.'))
          await worker.terminate()
        }),
      )
    },
  }
}

/** The caller keeps its bytes: what is not in memory that threads share is copied there, in slices so that nobody waits. */
async function shared(bytes: Buffer): Promise<Buffer> {
  return bytes.buffer instanceof SharedArrayBuffer ? bytes : joined([bytes])
}
