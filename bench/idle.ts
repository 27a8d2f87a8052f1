/**
 * Measures the cost of an unused service: the time from its start to the ready line, the CPU time of each process while it is
 * idle, and its memory. See README.md.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { shown, spread, table } from './figures.ts'

const bin = fileURLToPath(new URL('../cli/bin.js', import.meta.url))
const readyMs = 60_000
/** How long the service rests first, so that work left by its start does not count as idling. */
const settleMs = 15_000
/** The ms of one clock tick: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const tickMs = 10
const kbPerMb = 1024

type Started = { readonly child: ChildProcess; readonly readyMs: number; readonly exited: Promise<void> }
type Process = {
  readonly pid: number
  readonly name: string
  readonly cpuMs: number
  readonly pssMb: number
  readonly rssMb: number
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean' },
      starts: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const starts = Number(values.starts ?? (values.quick ? 3 : 7))
  const idleMs = Number(values.seconds ?? (values.quick ? 20 : 60)) * 1_000
  const times = { first: [] as number[], again: [] as number[] }
  for (let n = 0; n < starts; n++) {
    await inFolder(async (data) => {
      for (const kind of ['first', 'again'] as const) {
        const started = await start(data, null)
        times[kind].push(started.readyMs)
        await stop(started)
      }
    })
  }
  await inFolder(async (data) => {
    const started = await start(data, values.profile ?? null)
    await sleep(settleMs)
    const before = treeOf(started.child.pid ?? 0).map(look)
    const since = performance.now()
    await sleep(idleMs)
    const after = treeOf(started.child.pid ?? 0).map(look)
    console.log(report({ times, before, after, elapsedMs: performance.now() - since }))
    await stop(started)
  })
}

async function inFolder(work: (data: string) => Promise<void>): Promise<void> {
  const data = mkdtempSync(path.join(tmpdir(), 'mailroom-bench-idle-'))
  try {
    await work(data)
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

/** Does what `npm start` does, without npm. Resolves when the service prints its ready line. */
async function start(data: string, profileDir: string | null): Promise<Started> {
  const since = performance.now()
  const child = spawn(process.execPath, [bin, 'serve'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...process.env,
      MAILROOM_DATA: data,
      MAILROOM_HTTP_PORT: '0',
      MAILROOM_SMTP_PORT: '0',
      MAILROOM_LOG_LEVEL: 'warn',
      ...(profileDir !== null && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }),
    },
  })
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGTERM')
      reject(new Error(`Not ready within ${readyMs} ms.`))
    }, readyMs)
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (!line.startsWith('{')) return
      clearTimeout(timer)
      resolve()
    })
    void exited.then(() => reject(new Error('It ended before it was ready.')))
  })
  return { child, readyMs: performance.now() - since, exited }
}

async function stop({ child, exited }: Started): Promise<void> {
  child.kill('SIGTERM')
  await exited
}

/** A process and its descendants, parents first. */
function treeOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)
  return [pid, ...children.flatMap(treeOf)]
}

function look(pid: number): Process {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  // proc(5): the name in brackets may hold anything; utime is the twelfth field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
  const mb = (field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(rollup)?.[1]) / kbPerMb
  return {
    pid,
    name: nameOf(pid),
    cpuMs: (Number(fields[11]) + Number(fields[12])) * tickMs,
    pssMb: mb('Pss'),
    rssMb: mb('Rss'),
  }
}

/** The script that a process runs, with its command if it has one: `main.ts serve`. */
function nameOf(pid: number): string {
  const [, ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
  const at = args.findIndex((argument) => !argument.startsWith('-'))
  if (at < 0) return 'node'
  const [script = '', command = ''] = args.slice(at)
  const name = script.split('/').slice(-2).join('/')
  return /^[a-z-]+$/.test(command) && !command.startsWith('-') ? `${name} ${command}` : name
}

function report({
  times,
  before,
  after,
  elapsedMs,
}: {
  times: { readonly first: readonly number[]; readonly again: readonly number[] }
  before: readonly Process[]
  after: readonly Process[]
  elapsedMs: number
}): string {
  const share = (cpuMs: number) => shown((cpuMs / elapsedMs) * 100)
  const usedMs = ({ pid, cpuMs }: Process) => cpuMs - (before.find((process) => process.pid === pid)?.cpuMs ?? 0)
  const sum = (of: (process: Process) => number) => after.reduce((total, process) => total + of(process), 0)
  const row = (name: string, cpuMs: number, pssMb: number, rssMb: number) => [
    name,
    shown(cpuMs),
    share(cpuMs),
    shown(pssMb),
    shown(rssMb),
  ]
  const processes = after.map((process) => row(process.name, usedMs(process), process.pssMb, process.rssMb))
  const total = row(
    'all',
    sum(usedMs),
    sum(({ pssMb }) => pssMb),
    sum(({ rssMb }) => rssMb),
  )
  return [
    table(
      ['start', 'ms to the ready line'],
      [
        ['in an empty folder', spread(times.first)],
        ['again', spread(times.again)],
      ],
    ),
    '',
    table(
      ['process', `CPU ms in ${Math.round(elapsedMs / 1_000)} s`, '% of a core', 'PSS MB', 'RSS MB'],
      [...processes, total],
    ),
  ].join('\n')
}
