/**
 * The health of the processes, for administrators of the service. Once a minute each process records its memory, the delay of its
 * event loop and the response time of the database; the SMTP process also records its refusals. Refusals are counted in memory, so
 * accepting mail writes nothing here, and a process that dies loses its last counts.
 */
import { hostname } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { ProcessSample } from '../../store/documents/service.ts'
import type { Store } from '../../store/open.ts'
import { addRefusals, addSample } from '../../store/vitals.ts'
import { after, type Clock, dayMs, minuteMs, secondMs, startOfHour } from './clock.ts'

const sampleMs = minuteMs
/** From the start to the first sample, so that the delay of loading is not counted. */
const firstMs = 5 * secondMs
/** The resolution of the event loop monitor: its delay is how late a probe of this interval fires. */
const lookMs = 50
const keptMs = 7 * dayMs
const refusalsKeptMs = 31 * dayMs
/** Distinct codes counted between two writes: replies come from us and from Haraka, so there are few. */
const codesMax = 200

export type Vitals = {
  /** Counts a reply, such as `550 5.1.1`, that refused a command or a mail. */
  noteRefusal(code: string): void
  /** Writes a sample of this process, and the refusals counted since the last write. */
  write(): Promise<void>
  /** Begins to write once a minute. */
  start(): void
  close(): void
}

/** Makes the vitals of the process called `name`. */
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
      // The next write includes these counts.
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

/** The 99th percentile of the delay: a probe that is on time fires after `lookMs`. */
const delayOf = (loop: LoopDelay | null) =>
  loop === null || loop.count === 0 ? 0 : rounded(Math.max(0, loop.percentile(99) / 1e6 - lookMs))

const rounded = (ms: number) => Math.round(ms * 10) / 10
