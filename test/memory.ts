/** The memory of processes as Linux tells it (proc(5)): resident bytes now, and the most there ever were. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { processTree } from '../bench/processes.ts'

/** A process is looked at this often: what it needs between two looks is in its own peak all the same. */
const lookMs = 100

/** In MiB: what a process kept when it was looked at first, and at most since. */
export type Memory = { readonly name: string; readonly idleMb: number; readonly peakMb: number }

/**
 * Watches the processes below `root` and itself, which are named after the scripts that they run. Peaks count from here on. `seen`
 * gives what was seen until then, also of processes that have ended.
 */
export function watchMemory(root: number): { seen(): readonly Memory[]; stop(): void } {
  const seen = new Map<number, Memory>()
  const look = () => {
    for (const pid of processTree([root])) {
      const name = seen.get(pid)?.name ?? nameOf(pid)
      if (name === null) continue
      if (!seen.has(pid)) forgetPeak(pid)
      const [now, peak] = [megabytes(pid, 'VmRSS'), megabytes(pid, 'VmHWM')]
      if (now !== null && peak !== null) seen.set(pid, { name, idleMb: seen.get(pid)?.idleMb ?? now, peakMb: peak })
    }
  }
  look()
  const timer = setInterval(look, lookMs)
  return { seen: () => [...seen.values()], stop: () => clearInterval(timer) }
}

/** The most memory of a process begins anew at what it has now (proc(5), clear_refs). */
function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5')
  } catch (error) {
    if (!isGone(error)) throw error
  }
}

function megabytes(pid: number, line: 'VmRSS' | 'VmHWM'): number | null {
  const [, kilobytes] = new RegExp(`^${line}:\\s*(\\d+) kB$`, 'm').exec(read(pid, 'status') ?? '') ?? []
  return kilobytes === undefined ? null : Number(kilobytes) / 1024
}

/** The name of the script; of one called `main` or `bin`, that of its folder. */
function nameOf(pid: number): string | null {
  const script = read(pid, 'cmdline')
    ?.split('\0')
    .slice(1)
    .find((word) => !word.startsWith('-'))
  if (script === undefined) return null
  const { name, dir } = path.parse(script)
  return ['main', 'bin'].includes(name) ? path.basename(dir) : name
}

function read(pid: number, what: string): string | null {
  try {
    return readFileSync(`/proc/${pid}/${what}`, 'latin1')
  } catch (error) {
    if (!isGone(error)) throw error
    return null
  }
}

const isGone = (error: unknown) => ['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')
