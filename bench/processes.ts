/** CPU time and memory of whole process trees, read from /proc (Linux only). */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../test/eventually.ts'

/** The ms of one clock tick: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const tickMs = 10
const pageBytesPerKb = 1024

type Process = { readonly parent: number; readonly ownMs: number; readonly childrenMs: number }

/** CPU ms (user and system) of processes and their descendants. Ended descendants count if their parents waited for them. */
export function cpuMs(roots: readonly number[]): number {
  const processes = scan()
  return treeOf(processes, roots).reduce((sum, pid) => {
    const found = processes.get(pid)
    return found === undefined ? sum : sum + found.ownMs + found.childrenMs
  }, 0)
}

/** CPU ms of the children of this process that have ended and were waited for. */
export function endedChildrenMs(): number {
  return scan().get(process.pid)?.childrenMs ?? 0
}

/** CPU ms of the whole machine, without idle time and waits for disks. */
export function machineCpuMs(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
  const [user = 0, nice = 0, system = 0, , , irq = 0, softIrq = 0, steal = 0] = line
    .trim()
    .split(/\s+/)
    .slice(1)
    .map(Number)
  return (user + nice + system + irq + softIrq + steal) * tickMs
}

/** Proportional set size of process trees in MiB, which counts memory shared by processes once. */
export function pssMb(roots: readonly number[]): number {
  const kb = treeOf(scan(), roots).reduce((sum, pid) => {
    const found = /^Pss:\s+(\d+)/m.exec(read(`/proc/${pid}/smaps_rollup`) ?? '')
    return sum + Number(found?.[1] ?? 0)
  }, 0)
  return kb / pageBytesPerKb
}

/** The process ids of process trees. */
export function processTree(roots: readonly number[]): readonly number[] {
  return treeOf(scan(), roots)
}

/** The first process of process trees whose command line contains a text; undefined if there is none. */
export function pidOf(roots: readonly number[], text: string): number | undefined {
  return treeOf(scan(), roots).find((pid) => read(`/proc/${pid}/cmdline`)?.includes(text))
}

/** Sends a signal to all processes of process trees. */
export function signalAll(roots: readonly number[], signal: 'SIGSTOP' | 'SIGCONT'): void {
  for (const pid of treeOf(scan(), roots)) {
    try {
      process.kill(pid, signal)
    } catch (error) {
      // A process that has ended meanwhile needs no signal.
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
    }
  }
}

/** How long processes are watched to see whether they rest, and the largest share of CPU that idle ones use. */
const restMs = 2_000
const busyShare = 0.1
const restWithinMs = 120_000

/** Resolves when process trees use hardly any CPU: all requests, and all work that follows from them, are done. */
export function rested(roots: readonly number[]): Promise<unknown> {
  const isAtRest = async () => {
    const before = cpuMs(roots)
    await sleep(restMs)
    return cpuMs(roots) - before < restMs * busyShare
  }
  return eventually('nothing left to do', isAtRest, restWithinMs)
}

function treeOf(processes: ReadonlyMap<number, Process>, roots: readonly number[]): number[] {
  const children = Map.groupBy(processes.keys(), (pid) => processes.get(pid)?.parent ?? 0)
  const found: number[] = []
  const todo = [...roots]
  for (let pid = todo.pop(); pid !== undefined; pid = todo.pop()) {
    if (!processes.has(pid)) continue
    found.push(pid)
    todo.push(...(children.get(pid) ?? []))
  }
  return found
}

function scan(): Map<number, Process> {
  const processes = new Map<number, Process>()
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? read(`/proc/${name}/stat`) : null
    if (stat === null) continue
    // proc(5): the name in brackets may hold any character. After it, ppid is the second field and utime the twelfth.
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [utime = 0, stime = 0, cutime = 0, cstime = 0] = fields.slice(11, 15)
    const own = { ownMs: (utime + stime) * tickMs, childrenMs: (cutime + cstime) * tickMs }
    processes.set(Number(name), { parent: fields[1] ?? 0, ...own })
  }
  return processes
}

/** The text of a file of /proc; null when the process ended meanwhile. */
function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
