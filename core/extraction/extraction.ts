/**
 * Reads the text of files in worker processes, so that a file which exhausts memory, never ends or crashes its reader affects nothing
 * else. Invariants: a worker reads one file at a time; a worker that passes a limit or dies is never used again, and only its file is
 * left without text; accounts take turns. Workers start when they are needed and hold no data, secret or right that reading does not
 * need. They end when they have been idle for a while, and with this process, however it ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import type { Socket } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { ExtractedText } from '../../mail/extraction/read-file.ts'
import { Failure } from '../../schemas/failures.ts'
import { type Answer, answerIn, type Cost, frameOf } from './frames.ts'
import { memoryReport } from './peak-memory.ts'

/** A file of an account, with its name and type as they were declared. */
export type FileOfAccount = {
  readonly accountId: string
  readonly name: string
  readonly contentType: string
  readonly content: Buffer
}

export type Extraction = {
  /**
   * Reads the text of a file, which must not change meanwhile. Returns null when the file has no text, is broken or encrypted, or
   * exceeds a limit. Fails with `unavailable` when too many files wait, or the process stops: such a file may have text.
   */
  run(file: FileOfAccount): Promise<ExtractedText | null>
  /** Ends the workers; the files that are being read or wait fail. */
  close(): Promise<void>
}

export type ExtractionLimits = {
  /** Most worker processes of this process. */
  readonly workersMax: number
  /** Most files that wait for a worker, each in memory: of one account, and of all. */
  readonly waitingPerAccountMax: number
  readonly waitingMax: number
  /**
   * Total memory at which a worker is ended while it reads; a file that needs more has no text. Between two checks memory grows by
   * some tens of megabytes, so that no worker reaches 384 MiB.
   */
  readonly memoryBytesMax: number
  /** Heap of a worker's JavaScript. */
  readonly heapMb: number
  /** Processor time of a file, and the elapsed time, which leaves room for a busy machine. */
  readonly cpuMsMax: number
  readonly fileMs: number
  /** A worker is replaced when it holds more memory than this after a file, or has read this many files. */
  readonly heldBytesMax: number
  readonly filesPerWorkerMax: number
  readonly idleMs: number
}

const MiB = 1024 * 1024

export const extractionLimits: ExtractionLimits = {
  workersMax: 2,
  waitingPerAccountMax: 16,
  waitingMax: 64,
  memoryBytesMax: 352 * MiB,
  heapMb: 224,
  cpuMsMax: 10_000,
  fileMs: 120_000,
  heldBytesMax: 224 * MiB,
  filesPerWorkerMax: 500,
  idleMs: 60_000,
}

type Job = {
  readonly file: FileOfAccount
  readonly resolve: (text: ExtractedText | null) => void
  readonly reject: (error: Error) => void
  /** Attempts so far. A worker that dies without an answer may have been ended from outside, so its file is read once more. */
  tries: number
}

type WorkerProcess = {
  readonly child: ChildProcess
  readonly files: Socket
  readonly answers: Socket
  /** False until the worker has answered that it is ready. */
  isReady: boolean
  job: Job | null
  filesRead: number
  timer: NodeJS.Timeout | undefined
}

/** Makes the extraction of a process. `onError` gets the cause whenever a file ended its worker, `onAnswer` the cost of each file. */
export function createExtraction({
  limits = extractionLimits,
  onError = () => undefined,
  onAnswer = () => undefined,
}: {
  limits?: ExtractionLimits
  onError?: (error: Error) => void
  onAnswer?: (cost: Cost) => void
} = {}): Extraction {
  const workers = new Set<WorkerProcess>()
  /** The waiting files by account; the accounts are in the order of their turns. */
  const waiting = new Map<string, Job[]>()
  let waitingCount = 0
  let isClosed = false

  const startWorker = (): WorkerProcess => {
    const child = spawn(process.execPath, argumentsOf(limits), { env: {}, stdio: ['pipe', 'ignore', 'ignore', 'pipe'] })
    const [files, , , answers] = child.stdio as unknown as Socket[] // pipes to children are sockets
    if (files === undefined || answers === undefined) throw new Error('An extraction worker has no pipes.')
    const worker: WorkerProcess = { child, files, answers, isReady: false, job: null, filesRead: 0, timer: undefined }
    workers.add(worker)
    // A pipe fails when its worker dies while it receives a file or answers; the exit of the worker reports that.
    for (const pipe of [files, answers]) pipe.on('error', () => undefined)
    createInterface({ input: answers }).on('line', (line) => {
      const answer = answerIn(line)
      if (answer !== null) hear(worker, answer)
    })
    child.on('error', (error) => endWorker(worker, error))
    child.on('close', (code, signal) =>
      endWorker(worker, new Error(`An extraction worker ended with ${signal ?? code}.`)),
    )
    return worker
  }

  const hear = (worker: WorkerProcess, answer: Answer) => {
    const { job } = worker
    worker.isReady = true
    if (job === null || 'ready' in answer) return
    onAnswer(answer)
    if ('over' in answer) {
      job.tries = triesMax
      return endWorker(worker, new Error(`A file exceeded the limit of ${answer.over} of its extraction worker.`))
    }
    clearTimeout(worker.timer)
    worker.job = null
    worker.filesRead += 1
    job.resolve(answer.extracted)
    if (answer.heldBytes > limits.heldBytesMax || worker.filesRead >= limits.filesPerWorkerMax) endWorker(worker)
    else setIdle(worker)
    startNext()
  }

  const setIdle = (worker: WorkerProcess) => {
    keepAlive(worker, false)
    worker.timer = setTimeout(() => endWorker(worker), limits.idleMs).unref()
  }

  const endWorker = (worker: WorkerProcess, cause?: Error) => {
    if (!workers.delete(worker)) return
    clearTimeout(worker.timer)
    worker.child.kill('SIGKILL')
    const { job } = worker
    worker.job = null
    if (job === null || cause === undefined) return
    onError(cause)
    if (!worker.isReady) job.reject(new Failure('unavailable', 'Attachments cannot be read at present.', { cause }))
    else if (job.tries < triesMax) putBack(job)
    else job.resolve(null)
    startNext()
  }

  const putBack = (job: Job) => {
    const { accountId } = job.file
    waiting.set(accountId, [job, ...(waiting.get(accountId) ?? [])])
    waitingCount += 1
  }

  /** Takes the first file of the account whose turn it is; that account then is the last in turn. */
  const takeNext = (): Job | undefined => {
    for (const [accountId, jobs] of waiting) {
      const job = jobs.shift()
      waiting.delete(accountId)
      if (jobs.length > 0) waiting.set(accountId, jobs)
      waitingCount -= 1
      return job
    }
    return undefined
  }

  const startNext = () => {
    while (waitingCount > 0 && !isClosed) {
      const idle = [...workers].find(({ job }) => job === null)
      const worker = idle ?? (workers.size < limits.workersMax ? startWorker() : undefined)
      const job = worker && takeNext()
      if (worker === undefined || job === undefined) return
      runOn(worker, job)
    }
  }

  const runOn = (worker: WorkerProcess, job: Job) => {
    clearTimeout(worker.timer)
    worker.job = job
    job.tries += 1
    keepAlive(worker, true)
    worker.timer = setTimeout(() => {
      job.tries = triesMax
      endWorker(worker, new Error(`A file kept its extraction worker busy for more than ${limits.fileMs} ms.`))
    }, limits.fileMs)
    const { name, contentType, content } = job.file
    for (const piece of frameOf({ name, contentType }, content)) worker.files.write(piece)
  }

  return {
    run(file) {
      const ofAccount = waiting.get(file.accountId) ?? []
      if (isClosed || waitingCount >= limits.waitingMax || ofAccount.length >= limits.waitingPerAccountMax)
        return Promise.reject(
          new Failure('unavailable', 'Too many attachments are being read; please try again later.'),
        )
      return new Promise((resolve, reject) => {
        waiting.set(file.accountId, [...ofAccount, { file, resolve, reject, tries: 0 }])
        waitingCount += 1
        startNext()
      })
    },
    async close() {
      isClosed = true
      const jobs = [...[...waiting.values()].flat(), ...[...workers].flatMap(({ job }) => job ?? [])]
      waiting.clear()
      for (const { reject } of jobs) reject(new Failure('unavailable', 'The service is stopping.'))
      await Promise.all(
        [...workers].map(async (worker) => {
          const ended = new Promise((resolve) => worker.child.once('close', resolve))
          keepAlive(worker, true)
          endWorker(worker)
          await ended
        }),
      )
    },
  }
}

const triesMax = 2

/** Sets whether the worker keeps this process running. */
function keepAlive({ child, files, answers }: WorkerProcess, isKept: boolean): void {
  for (const handle of [child, files, answers]) isKept ? handle.ref() : handle.unref()
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The arguments that let a worker read its own code and no other file, write none, start no process, and make no code from strings. */
function argumentsOf({ heapMb, memoryBytesMax, cpuMsMax }: ExtractionLimits): string[] {
  const readable = ['core/extraction', 'mail', 'node_modules', 'package.json'].map((name) =>
    realpathSync(path.join(root, name)),
  )
  return [
    '--permission',
    ...readable.map((folder) => `--allow-fs-read=${folder}`),
    `--allow-fs-read=${memoryReport}`,
    '--allow-worker',
    '--disable-warning=SecurityWarning',
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${heapMb}`,
    fileURLToPath(new URL('./worker.ts', import.meta.url)),
    String(memoryBytesMax),
    String(cpuMsMax),
  ]
}
