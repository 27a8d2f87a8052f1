/**
 * How the processes of the service are, for its administrators: once a minute each notes its memory, how late its event loop
 * was and how long the database took to answer, and the SMTP process what it refused. Nothing is written while mail is
 * taken; what a process that dies had not written yet is missing.
 */
import { hostname } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ProcessSample } from '../../store/documents/service.ts'
import type { Store } from '../../store/open.ts'
import { addRefusals, addSample } from '../../store/vitals.ts'
import { after, type Clock, dayMs, minuteMs, secondMs, startOfHour } from './clock.ts'

const sampleMs = minuteMs
/** After a start, so that it does not count as it loads. */
const firstMs = 5 * secondMs
/** How often the event loop is looked at: a delay is what a look comes late. */
const lookMs = 50
const keptMs = 7 * dayMs
const refusalsKeptMs = 31 * dayMs
/** Codes that are told apart between two writes: replies are ours and Haraka's, so there are few. */
const codesMax = 200

export type Vitals = {
  /** Counts a reply that refused a command or a mail, such as `550 5.1.1`. */
  noteRefusal(code: string): void
  /** Writes how the process is. */
  write(): Promise<void>
  /** Writes it once a minute from now on. */
  start(): void
  close(): void
}

/** Makes the vitals of a process that is called `name`. */
export function createVitals(
  store: Store,
  {
    name,
    clock,
    onError,
  }: { readonly name: string; readonly clock: Clock; readonly onError: (error: unknown) => void },
): Vitals {
  let loop: LoopDelay | null = null
  let timer: NodeJS.Timeout | undefined
  let refusals = new Map<string, number>()

  async function write(): Promise<void> {
    const at = clock.now()
    const asked = performance.now()
    await store.ping()
    const sample: ProcessSample = {
      at,
      memoryBytes: process.memoryUsage.rss(),
      eventLoopMs: delayOf(loop),
      databaseMs: rounded(performance.now() - asked),
    }
    loop?.reset()
    const hour = startOfHour(at)
    const startedAt = new Date(Math.round(performance.timeOrigin))
    const own = { host: hostname(), process: name, pid: process.pid, startedAt, hour }
    await addSample(store, { process: own, sample, expiresAt: after(hour, keptMs) })
    if (refusals.size === 0) return
    const counted = refusals
    refusals = new Map()
    try {
      await addRefusals(store, { hour, refusals: counted, expiresAt: after(hour, refusalsKeptMs) })
    } catch (error) {
      // They go with the next ones.
      for (const [code, count] of counted) refusals.set(code, (refusals.get(code) ?? 0) + count)
      throw error
    }
  }

  function writeIn(ms: number): void {
    timer = setTimeout(() => {
      write()
        .catch(onError)
        .finally(() => loop !== null && writeIn(sampleMs))
    }, ms).unref()
  }

  return {
    noteRefusal(code) {
      if (refusals.has(code) || refusals.size < codesMax) refusals.set(code, (refusals.get(code) ?? 0) + 1)
    },
    write,
    start() {
      loop = monitorEventLoopDelay({ resolution: lookMs })
      loop.enable()
      writeIn(firstMs)
    },
    close() {
      clearTimeout(timer)
      loop?.disable()
      loop = null
    },
  }
}

type LoopDelay = ReturnType<typeof monitorEventLoopDelay>

/** The delay that one look in a hundred passes; a look that is on time comes after `lookMs`. */
const delayOf = (loop: LoopDelay | null) =>
  loop === null || loop.count === 0 ? 0 : rounded(Math.max(0, loop.percentile(99) / 1e6 - lookMs))

const rounded = (ms: number) => Math.round(ms * 10) / 10
