/**
 * Measures incoming mail: messages per second until they can be read, CPU per message over all processes, and the time from
 * the end of DATA to the 250, for Mailroom and for Postfix with Dovecot in turn. See README.md.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { median, shown, spread, table } from './figures.ts'
import { startHarakaAlone } from './haraka-alone.ts'
import { loadTool, sendAll, sendTimed } from './load.ts'
import { startMailroom } from './mailroom.ts'
import { peerName, startPostfix } from './postfix.ts'
import { cpuMs, endedChildrenMs, machineCpuMs, pssMb, signalAll } from './processes.ts'
import { pluginReport } from './profile.ts'
import type { System } from './system.ts'

const domain = 'bench.test'
const KiB = 1024
const availableMsPerSecond = 1000

type Cell = { readonly connections: number; readonly sizeBytes: number; readonly count: number; readonly runs: number }
/** Five runs for the cells that matter most, fewer for the slow ones. A run takes a few seconds. */
const cells: readonly Cell[] = [
  { connections: 1, sizeBytes: 4 * KiB, count: 300, runs: 3 },
  { connections: 10, sizeBytes: 4 * KiB, count: 1000, runs: 5 },
  { connections: 50, sizeBytes: 4 * KiB, count: 1000, runs: 5 },
  { connections: 200, sizeBytes: 4 * KiB, count: 1000, runs: 3 },
  { connections: 1, sizeBytes: 64 * KiB, count: 150, runs: 3 },
  { connections: 10, sizeBytes: 64 * KiB, count: 300, runs: 3 },
  { connections: 50, sizeBytes: 64 * KiB, count: 300, runs: 3 },
  { connections: 200, sizeBytes: 64 * KiB, count: 300, runs: 3 },
]
const quickRuns = 1
const warmUpCount = 1000
/** V8 goes on compiling the code that receives mail until about 12,000 messages have come: a warm server is measured. */
const warmUpRounds = { whole: 12, quick: 3 } as const
/** The mail for each mailbox before each run, which is not counted. */
const freshBatch = { connections: 10, sizeBytes: 4 * KiB, count: 200 } as const
const timedCount = 400
const timedRuns = 3
/** No run starts later than this; the table then shows what was measured. */
const budgetMs = { whole: 13 * 60_000, quick: 140_000 }
const runMs = 60_000
/** A run starts when the machine used at most this share of its CPU for `everyMs`, at the latest after this many tries. */
const quiet = { share: 0.1, tries: 20, everyMs: 100 } as const
/** A run is marked as disturbed when other processes used more than this share of the machine. */
const othersMax = 0.15

type Run = {
  readonly acceptedPerSecond: number
  readonly readablePerSecond: number
  readonly settledPerSecond: number
  readonly cpuMsPerMessage: number
  readonly clientMsPerMessage: number
  readonly othersShare: number
  readonly pssMb: number
}
type Timed = { readonly p50: number; readonly p99: number }
type Measured = { readonly runs: Run[]; readonly timed: Timed[]; readonly errors: string[] }

/** Runs the bench. Options: --quick, --only mailroom, --haraka, --cells 50x4,10x64, --sync-delay MS, --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      haraka: { type: 'boolean', default: false },
      cells: { type: 'string' },
      'sync-delay': { type: 'string', default: '0' },
      profile: { type: 'string' },
    },
  })
  const chosen = cells.filter(
    ({ connections, sizeBytes }) => values.cells?.split(',').includes(`${connections}x${sizeBytes / KiB}`) ?? true,
  )
  if (values.profile !== undefined) mkdirSync(values.profile, { recursive: true })
  const addresses = Math.max(warmUpCount, timedCount, ...cells.map(({ count }) => count))
  const systems: System[] = []
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopAll(systems).then(() => process.exit(1)))
  try {
    const syncDelayMs = Number(values['sync-delay'])
    systems.push(await startMailroom({ domain, addresses, syncDelayMs, profileDir: values.profile ?? null }))
    const peer =
      values.only === 'mailroom' ? 'it is switched off by --only' : await startPostfix(domain, { syncDelayMs })
    if (typeof peer === 'string') console.error(`No peer: ${peer}.`)
    else systems.push(peer)
    if (values.haraka) systems.push(await startHarakaAlone())
    for (const system of systems) signalAll(system.pids, 'SIGSTOP')
    const until = performance.now() + (values.quick ? budgetMs.quick : budgetMs.whole)
    await warmUp(systems, values.quick ? warmUpRounds.quick : warmUpRounds.whole)
    const measured = new Map<Cell, ReadonlyMap<System, Measured>>()
    for (const cell of chosen) {
      const figures = await measure(systems, values.quick ? { ...cell, runs: quickRuns } : cell, until)
      measured.set(cell, figures)
      for (const system of systems) console.log(JSON.stringify(record(system, cell, figures.get(system))))
    }
    console.log(`\nLoad: ${loadTool}. One connection for each message; each message of a run to another address.\n`)
    console.log(report(systems, measured))
  } finally {
    await stopAll(systems)
  }
  if (values.profile !== undefined) console.log(`\n${pluginReport(values.profile)}`)
}

async function stopAll(systems: readonly System[]): Promise<void> {
  for (const system of systems) {
    signalAll(system.pids, 'SIGCONT')
    await system.stop()
  }
}

/** Runs only the measured system; the other is stopped meanwhile, because an idle system uses CPU too. */
async function alone<T>(system: System, work: () => Promise<T>): Promise<T> {
  signalAll(system.pids, 'SIGCONT')
  try {
    return await work()
  } finally {
    signalAll(system.pids, 'SIGSTOP')
  }
}

async function warmUp(systems: readonly System[], rounds: number): Promise<void> {
  for (const system of systems) {
    for (let round = 0; round < rounds; round++) {
      await alone(system, () => once(system, { connections: 20, sizeBytes: 4 * KiB, count: warmUpCount, runs: 1 }))
    }
  }
}

/** Measures the throughput of all systems in turn, then the timings of all in turn. */
async function measure(systems: readonly System[], cell: Cell, until: number): Promise<ReadonlyMap<System, Measured>> {
  const figures = new Map<System, Measured>(systems.map((system) => [system, { runs: [], timed: [], errors: [] }]))
  const attempt = async (system: System, work: (into: Measured) => Promise<void>) => {
    const into = figures.get(system)
    if (into === undefined || performance.now() > until) return
    await work(into).catch((error: unknown) => into.errors.push(error instanceof Error ? error.message : String(error)))
  }
  for (let n = 0; n < cell.runs; n++) {
    for (const system of systems)
      await attempt(system, async ({ runs }) => void runs.push(await alone(system, () => once(system, cell))))
  }
  for (let n = 0; n < Math.min(timedRuns, cell.runs); n++) {
    for (const system of systems)
      await attempt(system, async ({ timed }) => void timed.push(await alone(system, () => timings(system, cell))))
  }
  return figures
}

/** Sends some mail first: the system was stopped while another was measured, so its cached knowledge of the mailboxes has expired. */
async function freshen(system: System): Promise<void> {
  const before = await system.mark()
  await sendAll({ port: system.port, domain, ...freshBatch }, runMs)
  await system.delivered(before, freshBatch)
}

/** One run for throughput. */
async function once(system: System, cell: Cell): Promise<Run> {
  const { connections, sizeBytes, count } = cell
  await freshen(system)
  const before = await system.mark()
  await waitUntilQuiet()
  const cpu = { own: cpuMs(system.pids), clients: endedChildrenMs(), machine: machineCpuMs() }
  const began = performance.now()
  const seconds = await sendAll({ port: system.port, connections, count, sizeBytes, domain }, runMs)
  const memory = pssMb(system.pids)
  const { readable, settled } = await system.delivered(before, cell)
  const ended = performance.now()
  const own = cpuMs(system.pids) - cpu.own
  const clients = endedChildrenMs() - cpu.clients
  const others = machineCpuMs() - cpu.machine - own - clients - process.cpuUsage().user / 1e6
  await system.verify(before, cell)
  return {
    acceptedPerSecond: count / seconds,
    readablePerSecond: (count / (readable - began)) * 1000,
    settledPerSecond: (count / (settled - began)) * 1000,
    cpuMsPerMessage: own / count,
    clientMsPerMessage: clients / count,
    othersShare: Math.max(0, others) / (((ended - began) / 1000) * availableMsPerSecond * 2),
    pssMb: memory,
  }
}

/** One run for the time from DATA to 250. */
async function timings(system: System, cell: Cell): Promise<Timed> {
  const batch = { ...cell, count: Math.min(cell.count, timedCount) }
  await freshen(system)
  const before = await system.mark()
  await waitUntilQuiet()
  const { refused, reasons, dataTo250Ms } = await sendTimed({ ...batch, port: system.port, domain }, runMs)
  if (refused > 0) throw new Error(`${refused} messages were refused: ${JSON.stringify(reasons)}`)
  await system.delivered(before, batch)
  return dataTo250Ms
}

/** Waits until the machine is quiet, but only for a moment. */
async function waitUntilQuiet(): Promise<void> {
  for (let n = 0; n < quiet.tries; n++) {
    const before = machineCpuMs()
    await new Promise((resolve) => setTimeout(resolve, quiet.everyMs))
    if (machineCpuMs() - before <= quiet.share * quiet.everyMs * 2) return
  }
}

function record(system: System, { connections, sizeBytes, count }: Cell, measured: Measured | undefined) {
  const { runs = [], timed = [], errors = [] } = measured ?? {}
  const middle = (of: (run: Run) => number) => Number(shown(median(runs.map(of)))) || null
  return {
    bench: 'inbound',
    system: system.name,
    connections,
    sizeBytes,
    count,
    runs: runs.length,
    disturbed: runs.filter(({ othersShare }) => othersShare > othersMax).length,
    acceptedPerSecond: middle((r) => r.acceptedPerSecond),
    readablePerSecond: middle((r) => r.readablePerSecond),
    settledPerSecond: middle((r) => r.settledPerSecond),
    cpuMsPerMessage: middle((r) => r.cpuMsPerMessage),
    clientMsPerMessage: middle((r) => r.clientMsPerMessage),
    pssMb: middle((r) => r.pssMb),
    dataTo250Ms:
      timed.length === 0
        ? null
        : { p50: median(timed.map(({ p50 }) => p50)), p99: median(timed.map(({ p99 }) => p99)) },
    errors,
  }
}

function report(systems: readonly System[], measured: ReadonlyMap<Cell, ReadonlyMap<System, Measured>>): string {
  const head = [
    'connections x KiB',
    'system',
    'n',
    'readable/s',
    'ratio',
    'accepted/s',
    'CPU ms/msg',
    'DATA to 250 p50 ms',
    'p99 ms',
    'PSS MB',
  ]
  const rows = [...measured].flatMap(([cell, figures]) => {
    const peer = systems.find(({ name }) => name === peerName)
    const peerRuns = peer === undefined ? [] : (figures.get(peer)?.runs ?? [])
    return systems.map((system) => {
      const { runs = [], timed = [], errors = [] } = figures.get(system) ?? {}
      const ratio = system === peer || peerRuns.length === 0 ? '' : shown(rate(runs) / rate(peerRuns))
      const disturbed = runs.filter(({ othersShare }) => othersShare > othersMax).length
      return [
        `${cell.connections} x ${cell.sizeBytes / KiB}`,
        system.name,
        `${runs.length}${'*'.repeat(disturbed)}${errors.length > 0 ? ` (${errors.length} failed)` : ''}`,
        spread(runs.map((r) => r.readablePerSecond)),
        ratio,
        spread(runs.map((r) => r.acceptedPerSecond)),
        spread(runs.map((r) => r.cpuMsPerMessage)),
        shown(median(timed.map(({ p50 }) => p50))),
        shown(median(timed.map(({ p99 }) => p99))),
        shown(median(runs.map((r) => r.pssMb))),
      ]
    })
  })
  return table(head, rows)
}

const rate = (runs: readonly Run[]) => median(runs.map((run) => run.readablePerSecond))
