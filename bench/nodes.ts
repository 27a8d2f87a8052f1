/**
 * Measures how throughput grows with more processes: arrivals and sends per second with 1, 2 and 4 SMTP and API processes on one
 * engine over TCP, and the CPU time of each kind of process. The CPU time of a thread for each message gives the rate that it could
 * reach, so even a machine with too few processors shows at which rate the engine becomes the limit.
 */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createDomain } from '../core/domains/claims.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { type Context, closeContext } from '../core/process/context.ts'
import { eventually } from '../test/eventually.ts'
import { freePort } from '../test/peers/free-port.ts'
import { client } from '../test/peers/rest.ts'
import { type Started, startEngine } from '../test/start/engine.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { median, shown, table } from './figures.ts'
import { addressOf, loadTool, sendAll } from './load.ts'
import { cpuMs } from './processes.ts'
import { threadReport } from './profile.ts'
import { forgetEventLimits, makeSenders, type Sender } from './senders.ts'
import { arrived, type Sink, startSink } from './sink.ts'

const widths = [1, 2, 4] as const
const mailboxesEach = 100
const connections = 48
const bodyBytes = 4 * 1024
const whole = { runs: 3, arrivals: 2_000, sends: 1_200 } as const
const quick = { runs: 1, arrivals: 600, sends: 400 } as const
const runMs = 600_000
const user = 'mailroom'
const password = 'bench'
/** The ms of one clock tick: `getconf CLK_TCK` is 100 on every Linux that Node runs on. */
const tickMs = 10

type Measured = {
  readonly what: 'arrivals' | 'sends'
  readonly processes: number
  readonly perSecond: number
  /** CPU ms for each message. */
  readonly nodes: number
  readonly jobs: number
  readonly engine: number
  /** CPU ms for each message in the busiest thread of the engine. */
  readonly engineThread: number
}

/** Runs the bench. Options: --quick, --profile DIR (of the engine). */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, profile: { type: 'string' } },
  })
  const { runs, arrivals, sends } = values.quick ? quick : whole
  const folder = mkdtempSync(path.join(tmpdir(), 'mailroom-bench-nodes-'))
  const sink = await startSink()
  const { engine, url } = await engineOf(folder, values.profile ?? null)
  const started: Service[] = []
  const measured: Measured[] = []
  try {
    const jobs = await nodeOf(folder, { n: 0, only: 'jobs', url, sink })
    started.push(jobs)
    const ctx = await contextOf({ data: jobs.data, url })
    const senders = await makeSenders(ctx)
    for (let n = 0; n < Math.max(...widths); n++) await fill(ctx, n)
    for (const width of widths) {
      while (started.length <= width)
        started.push(await nodeOf(folder, { n: started.length, only: 'api,smtp', url, sink }))
      const field = { ctx, jobs, nodes: started.slice(1), engine, senders, sink }
      await receiveAll(field, quick.arrivals)
      for (let turn = 0; turn < runs; turn++) {
        measured.push(await measure(field, 'arrivals', arrivals, receiveAll))
        measured.push(await measure(field, 'sends', sends, sendByRest))
      }
    }
    await closeContext(ctx)
  } finally {
    await Promise.all(started.map((node) => node.stop()))
    await engine.stop()
    sink.stop()
    await rm(folder, { recursive: true, force: true })
  }
  console.log(`\nLoad: ${loadTool}. ${arrivals} arrivals and ${sends} sends a run, ${runs} runs, medians.\n`)
  console.log(report(measured))
  if (values.profile !== undefined) console.log(`\n${threadReport(values.profile)}`)
}

type Field = {
  readonly ctx: Context
  readonly jobs: Service
  readonly nodes: readonly Service[]
  readonly engine: Started
  readonly senders: readonly Sender[]
  readonly sink: Sink
}

async function engineOf(folder: string, profile: string | null): Promise<{ engine: Started; url: string }> {
  const port = await freePort()
  const file = path.join(folder, 'password')
  await writeFile(file, `${password}\n`, { mode: 0o600 })
  // The engine inherits this environment; it is reset below, so that the other processes are not profiled.
  if (profile !== null) process.env.NODE_OPTIONS = `--cpu-prof --cpu-prof-dir=${path.resolve(profile)}`
  const engine = await startEngine({
    args: ['--tcp', `127.0.0.1:${port}`, '--user', user, '--password-file', file],
  })
  delete process.env.NODE_OPTIONS
  return { engine, url: `mongodb://${user}:${password}@127.0.0.1:${port}/mailroom?authSource=admin` }
}

async function nodeOf(
  folder: string,
  { n, only, url, sink }: { n: number; only: string; url: string; sink: Sink },
): Promise<Service> {
  const data = path.join(folder, `node${n}`)
  await mkdir(path.join(data, 'secrets'), { recursive: true, mode: 0o700 })
  const key = path.join('secrets', 'master.key')
  if (n > 0) await copyFile(path.join(folder, 'node0', key), path.join(data, key))
  return startService({
    data,
    only,
    env: {
      MONGODB_URL: url,
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ '*': `127.0.0.1:${sink.port}` }),
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_NETWORK: '1000',
    },
  })
}

const domainOf = (n: number) => `arrivals${n}.example`

/** Creates the mailboxes for the mail of one node. */
async function fill(ctx: Context, n: number): Promise<void> {
  const account = await createAccount(ctx, { name: `arrivals ${n}`, owner: null })
  await createDomain(ctx, { domain: domainOf(n), accountId: account.id, verified: true })
  for (let each = 1; each <= mailboxesEach; each++)
    await createMailbox(ctx, administrator(account), { address: addressOf(each, domainOf(n)) })
}

/** Sends mail to all nodes at once, to the mailboxes of each in turn. */
async function receiveAll({ nodes, ctx }: Field, count: number): Promise<void> {
  await forgetEventLimits(ctx)
  const before = await ctx.store.messages.estimatedDocumentCount()
  const loads = nodes.map(async ({ smtp }, n) => {
    const place = { port: Number(smtp.split(':')[1]), domain: domainOf(n), among: mailboxesEach }
    const share = { connections: Math.ceil(connections / nodes.length), count: Math.round(count / nodes.length) }
    await sendAll({ ...place, ...share, sizeBytes: bodyBytes }, runMs)
  })
  await Promise.all(loads)
  const all = async () => (await ctx.store.messages.estimatedDocumentCount()) >= before + count - nodes.length
  await eventually('all mail is there', all, runMs)
}

const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\n'.repeat(bodyBytes / 74)

/** Makes sends over all nodes at once, until the sink has received all of them. */
async function sendByRest({ nodes, ctx, senders, sink }: Field, count: number): Promise<void> {
  await ctx.store.usage.deleteMany({ _id: { $regex: ':\\d{4}-\\d{2}-\\d{2}T' } })
  await ctx.store.requestRates.deleteMany({})
  await sink.reset()
  const calls = senders.flatMap(({ mailbox, key }) =>
    nodes.map(({ http }) => ({ address: mailbox.address, call: client(http, key) })),
  )
  let next = 0
  const one = async () => {
    while (next < count) {
      const n = next++
      const { address, call } = calls[n % calls.length]!
      const body = { to: `r${n}@remote${n % 50}.example`, subject: `Bench ${n}`, text }
      const send = () => call('POST', `/api/v1/mailboxes/${address}/send`, body)
      // Tried again, because a kept connection that the server is just closing accepts no request.
      const { status, body: answer } = await send().catch(send)
      if (status !== 202) throw new Error(`A send was refused: ${JSON.stringify(answer)}`)
    }
  }
  await Promise.all(Array.from({ length: connections }, one))
  await arrived(sink, count)
}

async function measure(
  field: Field,
  what: Measured['what'],
  count: number,
  work: (field: Field, count: number) => Promise<void>,
): Promise<Measured> {
  const { nodes, jobs, engine } = field
  const pid = engine.process.pid!
  const read = () => ({
    nodes: cpuMs(nodes.map((node) => node.process.pid!)),
    jobs: cpuMs([jobs.process.pid!]),
    engine: cpuMs([pid]),
    threads: threadsOf(pid),
  })
  const [before, began] = [read(), performance.now()]
  await work(field, count)
  const [now, seconds] = [read(), (performance.now() - began) / 1_000]
  const thread = Math.max(...[...now.threads].map(([id, ms]) => ms - (before.threads.get(id) ?? 0)))
  const figures = {
    what,
    processes: nodes.length,
    perSecond: count / seconds,
    nodes: (now.nodes - before.nodes) / count,
    jobs: (now.jobs - before.jobs) / count,
    engine: (now.engine - before.engine) / count,
    engineThread: thread / count,
  }
  console.log(JSON.stringify(figures))
  return figures
}

/** CPU ms of each thread of a process. */
function threadsOf(pid: number): Map<string, number> {
  return new Map(
    readdirSync(`/proc/${pid}/task`).map((id) => {
      const stat = readFileSync(`/proc/${pid}/task/${id}/stat`, 'utf8')
      const fields = stat
        .slice(stat.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number)
      return [id, ((fields[11] ?? 0) + (fields[12] ?? 0)) * tickMs]
    }),
  )
}

function report(measured: readonly Measured[]): string {
  const head = [
    '',
    'processes',
    '/s',
    'nodes CPU ms',
    'jobs',
    'engine',
    'its busiest thread',
    'engine could /s',
    'a node could /s',
  ]
  const groups = Map.groupBy(measured, ({ what, processes }) => `${what} ${processes}`)
  return table(
    head,
    [...groups.values()].map((own) => {
      const of = (figure: (each: Measured) => number) => median(own.map(figure))
      return [
        own[0]!.what,
        String(own[0]!.processes),
        ...[
          of(({ perSecond }) => perSecond),
          of(({ nodes }) => nodes),
          of(({ jobs }) => jobs),
          of(({ engine }) => engine),
        ].map(shown),
        shown(of(({ engineThread }) => engineThread)),
        shown(1_000 / of(({ engineThread }) => engineThread)),
        shown(1_000 / of(({ nodes }) => nodes)),
      ]
    }),
  )
}
