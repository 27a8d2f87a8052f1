/**
 * Loaded into every process under measurement (`NODE_OPTIONS=--import`). It records each late turn of the event loop as a line
 * of JSON in the folder `BENCH_TURNS`. A timer of 2 ms measures it: how late the timer fires is how long every connection of
 * the process waited. The CPU time of the thread meanwhile tells whether our own work or a busy machine caused the delay.
 */
import { appendFileSync } from 'node:fs'
import path from 'node:path'
import { isMainThread } from 'node:worker_threads'

export type LateTurn = {
  /** When the turn came, in milliseconds since the epoch. */
  readonly at: number
  /** How late the turn came. */
  readonly lateMs: number
  /** The CPU time of the thread meanwhile, garbage collection included; at most `lateMs`. */
  readonly busyMs: number
  /** The time of the turn on the clock of CPU profiles, in microseconds. */
  readonly endUs: number
}

const everyMs = 2
/** Turns that are less late than this are not recorded. */
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

/** The part of the service that a process runs, from its arguments. */
function nameOf([, script = '', ...args]: readonly string[]): string {
  if (script.includes('haraka')) return 'smtp'
  if (script.includes('engine')) return 'engine'
  return args.includes('run-service') ? 'service' : 'supervisor'
}
