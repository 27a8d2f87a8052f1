/**
 * The processes of one running service, found through /proc (Linux only): every process of a service inherits MAILROOM_DATA,
 * also one whose parent was killed.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

export const victims = ['engine', 'smtp', 'service', 'supervisor', 'starter'] as const
export type Victim = (typeof victims)[number]

/** A piece of the command line of each part; NUL separates arguments. Without a starter the supervisor has the starter's. */
const marks: { readonly [victim in Victim]: readonly string[] } = {
  engine: ['/engine/main.ts\0'],
  smtp: ['/haraka/bin/haraka\0'],
  service: ['/cli/service-main.ts\0'],
  supervisor: ['/cli/main.ts\0serve', '/cli/bin.js\0serve'],
  starter: ['/cli/bin.js\0serve'],
}
const pollMs = 10

/** Whether this system has the /proc files that the test needs. */
export const canFindProcesses = process.platform === 'linux'

/** The processes of the service on a data folder, without zombies. */
export function processesOf(folder: string): number[] {
  const mark = `MAILROOM_DATA=${folder}\0`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) => readProc(name, 'environ').includes(mark))
    .map(Number)
}

/** The process id of a part; null while it does not run. */
export function findPart(folder: string, victim: Victim): number | null {
  const all = processesOf(folder).map((pid) => ({ pid, called: `${readProc(String(pid), 'cmdline')}\0` }))
  // A starter runs under the Node of the folder (stage.ts). Until it has started the supervisor, there is no supervisor.
  const isStarter = ({ called }: { called: string }) => called.startsWith(`${path.join(folder, 'node')}\0`)
  const running = victim === 'supervisor' ? all.filter((process) => !isStarter(process)) : all
  const found = marks[victim].map((mark) => running.find(({ called }) => called.includes(mark)))
  return found.find((process) => process !== undefined)?.pid ?? null
}

/** Waits, at most `withinMs`, for a process of a part that is not `before`. */
export async function nextPart(folder: string, victim: Victim, before: number, withinMs: number): Promise<number> {
  for (const end = Date.now() + withinMs; Date.now() < end; await sleep(pollMs)) {
    const found = findPart(folder, victim)
    if (found !== null && found !== before) return found
  }
  throw new Error(`No new ${victim} within ${withinMs} ms.`)
}

/** Waits until no process of the folder is left. Returns those that are left after `withinMs`. */
export async function goneWithin(folder: string, withinMs: number): Promise<number[]> {
  for (const end = Date.now() + withinMs; ; await sleep(pollMs)) {
    const left = processesOf(folder)
    if (left.length === 0 || Date.now() > end) return left
  }
}

/** Kills a process. Returns false when it does not exist any more. */
export function killNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false
    throw error
  }
}

/** Whether a server accepts connections at host:port. */
export function listens(address: string): Promise<boolean> {
  const { hostname: host, port } = new URL(address.includes('://') ? address : `tcp://${address}`)
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) })
    const answer = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => answer(true))
    socket.once('error', () => answer(false))
  })
}

/** The text of a process's file in /proc; '' when the process has ended or belongs to another user. */
function readProc(pid: string, file: 'environ' | 'cmdline'): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(code)) return ''
    throw error
  }
}
