/**
 * Keeps child processes alive. Invariants: a part that dies is started again after a growing pause, until it is stopped; one that does
 * not respond for a minute is killed, and so started again; a part counts as ready from its ready message to its end; each child has its
 * own process group and an IPC channel, and exits when that closes, so a killed supervisor leaves no process behind.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { pathToFileURL } from 'node:url'
import type { Logger } from 'pino'

export type PartOptions = {
  readonly name: string
  readonly script: string
  /** A script that runs before it. */
  readonly preload?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Maximum size of a semi-space, in megabytes. */
  readonly semiSpaceMb?: number
  /** How much the heap may grow until the next collection, in percent of what the last one left; without it, V8 decides. */
  readonly heapGrowthPercent?: number
}

export type Part = {
  readonly name: string
  /** Resolves with the first ready message. Rejects if the part ends before it was ever ready, with the reason that it sent as `failed`. */
  readonly started: Promise<void>
  isReady(): boolean
  send(message: object): void
  /** Its metrics in the text format of Prometheus; '' if it does not answer within `withinMs`. */
  metrics(withinMs: number): Promise<string>
  /** Asks the part to stop and waits; one that is still starting ends at once. It is killed after `withinMs`. */
  stop(withinMs: number): Promise<void>
}

/** A message of a part: that it is ready, or why it could not start; that it is alive; or its metrics. */
type Said = {
  readonly ready?: unknown
  readonly failed?: unknown
  readonly alive?: unknown
  readonly metrics?: unknown
}

/** `onChange` is called whenever the part becomes ready or ends. */
type Watching = { readonly log: Logger; readonly onChange: () => void }

/**
 * V8 lets a semi-space (one half of the space for new objects) grow to 64 MB: loading code fills it, and a process that is idle
 * afterwards never releases it. Receiving mail takes no more CPU time with 8 MB (bench/inbound.ts).
 */
const semiSpaceMbDefault = 8
/**
 * The C library gives each of the dozen threads of a process its own memory arena, up to eight arenas per core, and free memory in one
 * is not used by another. With two arenas, 200 connections take 640 MB instead of 730, and no more CPU time (bench/inbound.ts).
 */
const mallocArenas = { MALLOC_ARENA_MAX: '2' }
const pauseFirstMs = 200
const pauseMaxMs = 10_000
/**
 * How often a part is asked whether it is alive, and how many times in a row it may leave that unanswered:
 * no part blocks for that long while it works.
 */
const askEveryMs = 5_000
const unansweredMax = 12
/** A part that lived this long has recovered: its pause starts from the first one again. */
const recoveredMs = 30_000

/** Starts a part with the same Node as this process. */
export function startPart(options: PartOptions, watching: Watching): Part {
  return new ChildPart(options, watching)
}

class ChildPart implements Part {
  readonly name: string
  readonly started: Promise<void>
  readonly #options: PartOptions
  readonly #watching: Watching
  readonly #starting = Promise.withResolvers<void>()
  #child: ChildProcess | null = null
  #launchedAt = 0
  #isReady = false
  #wasReady = false
  #isStopping = false
  #failure: string | null = null
  #pauseMs = pauseFirstMs
  #pause: NodeJS.Timeout | undefined
  #scraping: PromiseWithResolvers<string> | null = null
  #asking: NodeJS.Timeout | undefined
  /** Questions since its last answer. They are counted, not timed, so that no part is killed after the machine was asleep. */
  #unanswered = 0

  constructor(options: PartOptions, watching: Watching) {
    this.name = options.name
    this.#options = options
    this.#watching = watching
    this.started = this.#starting.promise
    // Callers that wait for it get the failure; without any, it must not count as unhandled.
    this.started.catch(() => undefined)
    this.#launch()
  }

  isReady(): boolean {
    return this.#isReady
  }

  send(message: object): void {
    if (this.#child?.connected === true) this.#child.send(message, () => undefined)
  }

  async metrics(withinMs: number): Promise<string> {
    if (!this.#isReady) return ''
    const scraping = this.#scraping ?? Promise.withResolvers<string>()
    const late = setTimeout(() => this.#answerScrape(''), withinMs)
    if (this.#scraping === null) this.send({ scrape: true })
    this.#scraping = scraping
    return scraping.promise.finally(() => clearTimeout(late))
  }

  async stop(withinMs: number): Promise<void> {
    this.#isStopping = true
    clearTimeout(this.#pause)
    const child = this.#child
    if (child === null) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    // A starting part does not listen for messages yet, and Haraka loses them. Every part notices the end of the channel.
    if (this.#isReady) this.send({ stop: true })
    else if (child.connected) child.disconnect()
    const kill = setTimeout(() => {
      this.#watching.log.error({ part: this.name }, 'part did not stop in time; killing it')
      child.kill('SIGKILL')
    }, withinMs)
    await ended
    clearTimeout(kill)
  }

  #launch(): void {
    const { preload, script, args = [], env = {}, semiSpaceMb = semiSpaceMbDefault, heapGrowthPercent } = this.#options
    const flags = [
      `--max-semi-space-size=${semiSpaceMb}`,
      ...(heapGrowthPercent === undefined ? [] : [`--heap-growing-percent=${heapGrowthPercent}`]),
      ...(preload === undefined ? [] : [`--import=${pathToFileURL(preload).href}`]),
    ]
    this.#launchedAt = Date.now()
    this.#child = spawn(process.execPath, [...flags, script, ...args], {
      detached: true,
      stdio: ['ignore', 2, 2, 'ipc'],
      env: { ...mallocArenas, ...process.env, ...env },
    })
    this.#child.on('message', (said: Said) => this.#hear(said))
    this.#child.on('error', (error) => this.#watching.log.error({ err: error, part: this.name }, 'part'))
    this.#child.on('exit', (code, signal) => this.#ended(code, signal))
  }

  #hear({ ready, failed, alive, metrics }: Said): void {
    if (typeof failed === 'string') this.#failure = failed
    if (typeof metrics === 'string') this.#answerScrape(metrics)
    if (alive === true) this.#unanswered = 0
    if (ready !== true) return
    this.#unanswered = 0
    this.#asking ??= setInterval(() => this.#ask(), askEveryMs)
    this.#isReady = true
    this.#wasReady = true
    this.#starting.resolve()
    this.#watching.onChange()
  }

  #answerScrape(text: string): void {
    this.#scraping?.resolve(text)
    this.#scraping = null
  }

  #ask(): void {
    if (this.#unanswered === unansweredMax) {
      this.#watching.log.error({ part: this.name }, 'part does not respond any more; killing it')
      this.#child?.kill('SIGKILL')
    }
    this.#unanswered += 1
    this.send({ ask: true })
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    clearInterval(this.#asking)
    this.#asking = undefined
    this.#child = null
    this.#isReady = false
    this.#watching.onChange()
    if (this.#isStopping) return
    if (this.#wasReady) this.#launchLater({ code, signal })
    else {
      const why = (this.#failure ?? endOf(code, signal)).replace(/\.$/, '')
      this.#starting.reject(new Error(`${this.name} could not start: ${why}.`))
    }
  }

  #launchLater(ending: object): void {
    if (Date.now() - this.#launchedAt > recoveredMs) this.#pauseMs = pauseFirstMs
    const pauseMs = this.#pauseMs
    this.#watching.log.error({ part: this.name, ...ending, pauseMs }, 'part ended; starting it again')
    this.#pause = setTimeout(() => this.#launch(), pauseMs)
    this.#pauseMs = Math.min(pauseMs * 2, pauseMaxMs)
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): string {
  return `it ended with ${signal ?? `status ${code}`}`
}
