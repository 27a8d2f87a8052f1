/**
 * Loaded into every process under measurement (`NODE_OPTIONS=--import`): notes each turn of its event loop that came late, as
 * lines of JSON in the folder `BENCH_TURNS`. A timer of 2 ms asks; how late it fires is what every connection waits, and the
 * CPU time of the thread in between tells our own work from a machine that was busy with others.
 */
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

export type LateTurn = {
  /** When it came, in milliseconds since the epoch. */
  readonly at: number
  /** How late it came. */
  readonly lateMs: number
  /** What the thread itself worked meanwhile, garbage collection included: at most `lateMs`. */
  readonly busyMs: number
  /** The same moment as CPU profiles tell it, in microseconds. */
  readonly endUs: number
}

const everyMs = 2
/** Turns that are less late are not noted. */
const lateMsMin = 8

const folder = process.env.BENCH_TURNS
if (isMainThread && folder !== undefined) watch(path.join(folder, `${nameOf(process.argv)}-${process.pid}.jsonl`))

function watch(file: string): void {
  let before = performance.now()
  let cpuBefore = cpuMs()
  const timer = setInterval(() => {
    const now = performance.now()
    const cpu = cpuMs()
    const lateMs = now - before - everyMs
    if (lateMs >= lateMsMin) {
      const endUs = Number(process.hrtime.bigint() / 1_000n)
      const late: LateTurn = { at: Date.now(), lateMs, busyMs: Math.min(lateMs, cpu - cpuBefore), endUs }
      appendFileSync(file, `${JSON.stringify(late)}\n`)
    }
    before = performance.now()
    cpuBefore = cpuMs()
  }, everyMs)
  timer.unref()
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

/** Which part of the service a process is. */
function nameOf([, script = '', ...args]: readonly string[]): string {
  if (script.includes('haraka')) return 'smtp'
  if (script.includes('engine')) return 'engine'
  return args.includes('run-service') ? 'service' : 'supervisor'
}
