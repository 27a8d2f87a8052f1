/** The loads of the engine bench: its documents, and closed loops of commands through the driver. */
import { randomBytes } from 'node:crypto'
import type { Started } from '../test/start/engine.ts'
import { quantile } from './figures.ts'
import { cpuMs } from './processes.ts'

/** The result of one loop. CPU is the user and system time for each command. */
export type Loop = {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly engineCpuUs: number
  readonly clientCpuUs: number
}

export type Row = { readonly _id: string } & { readonly [field: string]: unknown }

const mailboxes = 100
/**
 * The rows of each collection before the first run. They fit into the engine's page cache, so that reads do not measure the disk.
 */
export const preparedRows = { large: 3_000, small: 5_000 } as const
const largeBytes = 9_000
const smallBytes = 500
const batch = 500

/** The four indexes besides `_id_`, similar to those of messages. */
const indexes = [
  { key: { mailbox: 1, uid: 1 }, name: 'uid', unique: true },
  { key: { mailbox: 1, date: -1 }, name: 'date' },
  { key: { messageId: 1 }, name: 'messageId' },
  { key: { thread: 1 }, name: 'thread' },
] as const

let lastRow = 0

/** A document whose text cannot be compressed: 30 fields and about 10 KB, or about 1 KB. */
export function row(size: 'large' | 'small' = 'large'): Row {
  const n = ++lastRow
  const flags = Object.fromEntries(
    Array.from({ length: 19 }, (_, i) => [`field${i}`, i % 2 === 0 ? n + i : `v${n + i}`]),
  )
  return {
    _id: idOf(n),
    mailbox: mailboxOf(n),
    uid: n,
    date: new Date(1_700_000_000_000 + n * 1000),
    messageId: `<${n}.${n * 7}@bench.test>`,
    thread: `thr_${n % 1000}`,
    from: { name: 'A Sender', address: `sender${n}@bench.test` },
    to: [{ name: null, address: `u${n}@bench.test` }],
    seen: false,
    labels: ['inbox', `l${n % 10}`],
    ...(size === 'large' && flags),
    body: randomBytes((size === 'large' ? largeBytes : smallBytes) * 0.75).toString('base64'),
  }
}

const idOf = (n: number) => `msg_${String(n).padStart(22, '0')}`
const mailboxOf = (n: number) => `mbx_${String(n % mailboxes).padStart(22, '0')}`

/** Creates a collection with its indexes and rows. Returns the ids of the rows. */
export async function prepare({ db }: Started, name: string, size: 'large' | 'small'): Promise<readonly string[]> {
  const collection = db.collection<Row>(name)
  await collection.createIndexes(indexes.map((index) => ({ ...index })))
  const rows = Array.from({ length: preparedRows[size] }, () => row(size))
  for (let at = 0; at < rows.length; at += batch) await collection.insertMany(rows.slice(at, at + batch))
  return rows.map(({ _id }) => _id)
}

/** Runs `command` in `connections` closed loops at once for `ms` milliseconds. */
export async function loop(
  engine: Started,
  { connections, ms }: { readonly connections: number; readonly ms: number },
  command: (n: number) => Promise<unknown>,
): Promise<Loop> {
  const times: number[] = []
  const pids = [engine.process.pid ?? 0]
  const cpu = { engine: cpuMs(pids), client: process.cpuUsage() }
  const began = performance.now()
  const until = began + ms
  let n = 0
  const one = async () => {
    while (performance.now() < until) {
      const started = performance.now()
      await command(n++)
      times.push(performance.now() - started)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  const seconds = (performance.now() - began) / 1000
  const own = process.cpuUsage(cpu.client)
  return {
    perSecond: times.length / seconds,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    engineCpuUs: ((cpuMs(pids) - cpu.engine) * 1000) / times.length,
    clientCpuUs: (own.user + own.system) / times.length,
  }
}

/** The measured commands. They use the collections that `prepare` created. */
export function commandsOn(engine: Started, ids: readonly string[]) {
  const large = engine.db.collection<Row>('large')
  const small = engine.db.collection<Row>('small')
  return {
    ping: () => engine.db.command({ ping: 1 }),
    insert: () => large.insertOne(row()),
    find: (n: number) => large.findOne({ _id: ids[(n * 7919) % ids.length] }),
    findSmall: (n: number) => small.findOne({ messageId: `<${n}.${n * 7}@bench.test>` }),
    page: (n: number) =>
      small
        .find({ mailbox: mailboxOf(n) })
        .sort({ date: -1 })
        .limit(50)
        .toArray(),
    /** Like a claim in the service: the document that has been due the longest gets a new time. */
    claim: (n: number) =>
      large.findOneAndUpdate(
        { mailbox: mailboxOf(n * 37), date: { $lte: new Date(1_800_000_000_000) } },
        { $set: { date: new Date(1_700_000_000_000 + (lastRow + n) * 1000), seen: true } },
        { sort: { date: 1 } },
      ),
  }
}
