/** The memory of processes as Linux reports it (proc(5)): current and peak resident bytes. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { processTree } from '../bench/processes.ts'

/** How often processes are sampled. The kernel's peak includes what happens between two samples. */
const lookMs = 100

/** In MiB: the memory of a process at the first sample, and its peak since then. */
export type Memory = { readonly name: string; readonly idleMb: number; readonly peakMb: number }

/**
 * Watches `root` and the processes below it, named after the scripts that they run. Peaks are reset when a process is first seen.
 * `seen` returns what was recorded so far, also of processes that have ended.
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

/** Resets the peak of a process to its current memory (proc(5), clear_refs). */
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

/** Returns the name of the script, or of its folder if the script is called `main` or `bin`. */
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
