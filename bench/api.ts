/**
 * Measures the API under load: lists of mailboxes and messages, one message, and sends, over 50 connections. For comparison it
 * measures the driver alone, which sends the same commands, and a Koa application with fixed answers. See README.md.
 */
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { administrator } from '../core/access/principal.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { minuteMs } from '../core/process/clock.ts'
import { type Context, closeContext } from '../core/process/context.ts'
import { sendMessage } from '../core/send/send.ts'
import { agentsPlans } from '../schemas/plans.ts'
import { nextUnsettled } from '../store/emails.ts'
import { eventually } from '../test/eventually.ts'
import { mailboxPath } from '../test/peers/rest.ts'
import { deliver } from '../test/start/door.ts'
import { startEngine, url as urlOf } from '../test/start/engine.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { type Child, startChild } from './child.ts'
import { type CommandLog, startCommandLog } from './command-log.ts'
import type { DriverLoad, DriverTarget, Kind } from './driver-load.ts'
import { median, quantile, shown, table } from './figures.ts'
import type { HttpLoad, HttpRequest, Timed } from './http-load.ts'
import type { KoaRoute } from './koa-route.ts'
import { cpuMs, rested, signalAll } from './processes.ts'
import type { Replay, Replayed } from './replay.ts'
import { forgetEventLimits, makeKeys, makeSenders, type Sender } from './senders.ts'
import { arrived, type Sink, startSink } from './sink.ts'

const kinds: readonly Kind[] = ['mailboxes', 'message', 'message again', 'list of 50', 'simulated send', 'routed send']
const connections = 50
/**
 * The first answers of a round, ten for each connection, are not counted. All connections ask at the same moment, of a service that
 * was stopped until then, and these answers alone would be the slowest hundredth.
 */
const uncounted = 500
/** The requests of a round, including the uncounted ones. */
const counts = { whole: { read: 15_000, send: 1_500 }, quick: { read: 1_000, send: 400 } } as const
const rounds = { whole: 5, quick: 1 } as const
/** The mailboxes of each account besides the one with its mail. */
const emptyMailboxes = 9
const accounts = 48
/** How much the accounts may send in a minute, with room for sends that were begun in the minute before. */
const sendsPerMinute = 0.75 * accounts * agentsPlans.scale.recipientsPerMinute
/** Messages of each account. All together they are more than a process caches (core/read/bodies-cache.ts). */
const filled = 75
/** How many messages of a mailbox are read again and again. */
const readAgain = 5
/** As most mail, the mail is older than the messages that the cursor of a list notes one by one. */
const mailAgeMs = 3_600_000
const keysEach = 8
/** How many different requests each connection makes in turn: one for each message. */
const requestsEach = 72
/** How long a service may take to settle the sends of a round. */
const settledMs = 120_000
/**
 * The share of commands that may have another outcome when they are repeated: concurrent commands may run in another order, and the
 * outcome of some depends on the time.
 */
const differentMax = 0.05
const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\n'.repeat(55)

const goal = { shareOfDriver: 0.5, p99Ms: 30 } as const
const goalText = `>= ${goal.shareOfDriver}, p99 < ${goal.p99Ms}`

const drivers = ['driver alone', 'driver, all of it'] as const
const sides = ['Mailroom', ...drivers, 'bare Koa'] as const
/** Reads send no commands besides those that they wait for, so for them the driver is measured once. */
const sidesOf = (kind: Kind): readonly Side[] =>
  sides.filter((side) => side !== 'driver, all of it' || kind.endsWith('send'))
type Side = (typeof sides)[number]
type Measured = {
  readonly perSecond: number
  /** The rate including the time until no work was left for any request. */
  readonly settledPerSecond: number
  readonly p50: number
  readonly p99: number
  readonly cpu: number
}

/** The requests of one kind in one round; the first round is a warm-up. */
type Load = { readonly round: number; readonly kind: Kind; readonly count: number }

/** One side of the comparison. */
type Peer = {
  /** The roots of the process trees whose CPU time counts. */
  readonly pids: readonly number[]
  /** Prepares a round; this is not measured. */
  prepare?(kind: Kind, count: number): Promise<void>
  load(kind: Kind, count: number): Promise<Timed>
  /** Resolves when no work is left for any request. */
  settled(kind: Kind, count: number): Promise<void>
}

/** Runs the bench. Options: --quick, --rounds N, --only 'message,list of 50', --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      only: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const size = values.quick ? 'quick' : 'whole'
  const chosen = kinds.filter((kind) => values.only?.split(',').includes(kind) ?? true)
  const measured = new Map<string, Measured[]>()
  const stops: (() => unknown)[] = []
  const stopAll = async () => {
    for (const stop of stops.splice(0).reverse()) await stop()
  }
  // A stopped process would not notice that its parent has ended.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.once(signal, () => void stopAll().then(() => process.exit(1)))
  try {
    const loads: readonly Load[] = Array.from({ length: Number(values.rounds ?? rounds[size]) + 1 }, (_, round) =>
      chosen.map((kind) => ({ round, kind, count: counts[size][kind.endsWith('send') ? 'send' : 'read'] })),
    ).flat()
    const peers = await startPeers(stops, { loads, profileDir: values.profile })
    for (const { round, kind, count } of loads)
      for (const side of sidesOf(kind)) {
        const found = await measure(peers[side], kind, count)
        // The first round is a warm-up.
        if (round === 0) continue
        const key = `${kind} ${side}`
        measured.set(key, [...(measured.get(key) ?? []), found])
        console.log(JSON.stringify({ bench: 'api', kind, side, ...found }))
      }
  } finally {
    await stopAll()
  }
  console.log(`\n${report(chosen, measured)}`)
}

/** Starts all sides, each with a copy of the same data. Adds functions to `stops` that stop them at the end. */
async function startPeers(
  stops: (() => unknown)[],
  { loads, profileDir }: { readonly loads: readonly Load[]; readonly profileDir: string | undefined },
): Promise<{ readonly [side in Side]: Peer }> {
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-api-'))
  stops.push(() => rm(dir, { recursive: true, force: true }))
  const sink = await startSink()
  stops.push(() => sink.stop())
  const load = startChild<HttpLoad, Timed>('http-load')
  stops.push(() => load.stop())
  const { tenants, copyAs } = await filledFolder(dir)
  const sends = loads.filter(({ kind }) => kind.endsWith('send'))
  const repeated = await startRepeater(stops, { loads: sends, sink, load, tenants, copyAs })
  const driver = await startDriver(stops, { data: await copyAs('driver'), tenants })
  const profiled = profileDir !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }
  const service = await startService({ data: await copyAs('measured'), env: { ...routedTo(sink), ...profiled } })
  stops.push(() => service.dispose())
  const ctx = await contextOf(service)
  stops.push(() => closeContext(ctx))
  const mailroom = mailroomPeer({ ctx, service, sink, load, tenants })
  const koa = startChild<readonly KoaRoute[], string>('koa-route')
  stops.push(() => koa.stop())
  const bareKoa = await koaPeer({ koa, service, load, tenants })
  const pid = service.process.pid ?? 0
  // A profiled service never rests, because sampling is work too.
  if (profileDir === undefined) await rested([pid])
  // It is stopped while the others are measured.
  signalAll([pid], 'SIGSTOP')
  stops.push(() => signalAll([pid], 'SIGCONT'))
  return { Mailroom: mailroom, 'driver alone': driver, 'driver, all of it': repeated, 'bare Koa': bareKoa }
}

/** Fills the data folder of a service with accounts and mail, and ends the service. Each side gets a copy of it in `dir`. */
async function filledFolder(dir: string) {
  const data = path.join(dir, 'filled')
  await mkdir(data)
  const service = await startService({ data, env: { MAILROOM_LOG_LEVEL: 'warn' } })
  try {
    const ctx = await contextOf(service)
    const tenants = await fill(ctx)
    await closeContext(ctx)
    // The mail is indexed once the service rests.
    await rested([service.process.pid ?? 0])
    return {
      tenants,
      async copyAs(name: string) {
        await cp(data, path.join(dir, name), { recursive: true })
        return path.join(dir, name)
      },
    }
  } finally {
    await service.stop()
  }
}

/** Starts the engine of a data folder without the service. */
const engineOf = (data: string) => startEngine({ dir: path.join(data, 'engine') })

const routedTo = (sink: Sink) => ({
  MAILROOM_LOG_LEVEL: 'warn',
  // The event of a send is a part of its cost, so it must not be delayed.
  MAILROOM_OUTBOUND_MESSAGE_SENT_DELAY_SECONDS: '0',
  MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ '*': `127.0.0.1:${sink.port}` }),
})

/** An account with a mailbox that has mail, and its keys. */
type Tenant = Sender & { readonly keys: readonly string[] } & Pick<DriverTarget, 'messageIds' | 'emailId'>

/** Creates the accounts, mailboxes, mail and keys. */
async function fill(ctx: Context): Promise<readonly Tenant[]> {
  const clock = { now: () => new Date(Date.now() - mailAgeMs) }
  // Arrivals are dated by the clock of their account.
  const earlier = { ...ctx, clock, testClocks: { ...ctx.testClocks, of: () => clock } }
  return Promise.all(
    (await makeSenders(ctx, accounts)).map(async (sender, at): Promise<Tenant> => {
      const { account, mailbox } = sender
      const principal = administrator(account)
      for (let n = 0; n < emptyMailboxes; n++)
        await createMailbox(ctx, principal, { address: emptyMailbox(n, mailbox.domain) })
      const messageIds: string[] = []
      for (let n = 0; n < filled; n++) {
        const raw = `From: Carol <carol@remote.example>\nTo: ${mailbox.address}\nSubject: Bench ${at} ${n}\n\n${text}`
        messageIds.push(await deliver(earlier, { to: mailbox.address, raw }))
      }
      const { id: emailId } = await sendMessage(ctx, principal, {
        address: mailbox.address,
        ...draftOf('simulated send', at),
      })
      return { ...sender, keys: await makeKeys(ctx, account.id, keysEach), messageIds, emailId }
    }),
  )
}

const emptyMailbox = (n: number, domain: string) => `${n}u@${domain}`

function draftOf(kind: Kind, n: number) {
  const address = kind === 'simulated send' ? 'delivered@simulator.invalid' : `r${n}@remote${n % 50}.example`
  return { to: [{ name: '', address }], subject: `Bench ${n}`, text }
}

type Mailroom = {
  readonly ctx: Context
  readonly service: Service
  readonly sink: Sink
  readonly load: Child<HttpLoad, Timed>
  readonly tenants: readonly Tenant[]
}

function mailroomPeer({ ctx, service, sink, load, tenants }: Mailroom): Peer {
  const pids = [service.process.pid ?? 0]
  let made = 0
  let [minute, sentInMinute] = [0, 0]
  return {
    pids,
    async prepare(kind, count) {
      if (!kind.endsWith('send')) return
      const now = Math.floor(Date.now() / minuteMs)
      if (now !== minute) [minute, sentInMinute] = [now, 0]
      else if (sentInMinute + count > sendsPerMinute) {
        await sleep((minute + 1) * minuteMs - Date.now())
        ;[minute, sentInMinute] = [minute + 1, 0]
      }
      sentInMinute += count
    },
    async load(kind, count) {
      signalAll(pids, 'SIGCONT')
      await forgetEventLimits(ctx)
      await sink.reset()
      const requests = requestsFor(kind, tenants)
      // Each round continues with the request after the last one of the round before.
      const first = made % requests.length
      made += count
      const inTurn = [...requests.slice(first), ...requests.slice(0, first)]
      return load.ask({ url: service.http, connections, count, uncounted, requests: inTurn })
    },
    async settled(kind, count) {
      if (kind === 'routed send') await arrived(sink, count)
      if (kind.endsWith('send'))
        await eventually('all sends settled', async () => (await nextUnsettled(ctx.store)) === null, settledMs)
      signalAll(pids, 'SIGSTOP')
    },
  }
}

async function koaPeer({
  koa,
  service,
  load,
  tenants,
}: Pick<Mailroom, 'service' | 'load' | 'tenants'> & {
  readonly koa: Child<readonly KoaRoute[], string>
}): Promise<Peer> {
  const routes: KoaRoute[] = []
  for (const kind of kinds) {
    const { method, path, headers, body } = requestsFor(kind, tenants)[0]!
    const answer = await fetch(`${service.http}${path}`, { method, headers, ...(body !== undefined && { body }) })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    routes.push({ method, path: koaPath(kind), status: answer.status, body: await answer.text() })
  }
  const url = await koa.ask(routes)
  return {
    pids: [koa.pid],
    load(kind, count) {
      const requests = requestsFor(kind, tenants).map((request) => ({ ...request, path: koaPath(kind) }))
      return load.ask({ url, connections, count, uncounted, requests })
    },
    settled: async () => undefined,
  }
}

const koaPath = (kind: Kind) => `/${kinds.indexOf(kind)}`

/** Starts the driver in a process of its own, with an engine of its own. */
async function startDriver(
  stops: (() => unknown)[],
  { data, tenants }: { readonly data: string; readonly tenants: readonly Tenant[] },
): Promise<Peer> {
  const engine = await engineOf(data)
  stops.push(() => engine.stop())
  const url = `${urlOf(engine.socket)}/mailroom`
  const targets = tenants.map(({ account, mailbox, messageIds, emailId }): DriverTarget => {
    return { accountId: account.id, mailboxId: mailbox._id, domain: mailbox.domain, messageIds, emailId }
  })
  const driver = startChild<DriverLoad, Timed>('driver-load')
  stops.push(() => driver.stop())
  return {
    pids: [engine.process.pid ?? 0, driver.pid],
    load: (kind, count) => driver.ask({ url, kind, connections, count, uncounted, targets }),
    settled: async () => undefined,
  }
}

type Repeated = Pick<Mailroom, 'sink' | 'load' | 'tenants'> & {
  readonly loads: readonly Load[]
  copyAs(name: string): Promise<string>
}

/**
 * Starts the driver in a process of its own, with an engine of its own. It repeats the commands that another service sent to its
 * database under the same loads, from the first request of each until all was settled.
 */
async function startRepeater(
  stops: (() => unknown)[],
  { loads, sink, load, tenants, copyAs }: Repeated,
): Promise<Peer> {
  const logs = await logged(await copyAs('logged'), sink, async ({ ctx, service, log }) => {
    const mailroom = mailroomPeer({ ctx, service, sink, load, tenants })
    const files = [log.turn()]
    for (const { kind, count } of loads) {
      await mailroom.prepare?.(kind, count)
      await mailroom.load(kind, count)
      await mailroom.settled(kind, count)
      files.push(log.turn())
    }
    return files
  })
  const engine = await engineOf(await copyAs('repeated'))
  stops.push(() => engine.stop())
  const driver = startChild<Replay, Replayed | number>('replay')
  stops.push(() => driver.stop())
  const files = logs[Symbol.iterator]()
  const read = async () => void (await driver.ask({ read: files.next().value ?? '' }))
  const make = async () => (await driver.ask({ make: 'all', url: `${urlOf(engine.socket)}/mailroom` })) as Replayed
  // The first log holds the commands of the start of the service.
  await read()
  await make()
  return {
    pids: [engine.process.pid ?? 0, driver.pid],
    prepare: read,
    async load(_, count) {
      const { seconds, commands, different } = await make()
      if (different > commands * differentMax)
        throw new Error(`${different} of ${commands} repeated commands have another outcome.`)
      return { perSecond: count / seconds, times: [] }
    },
    settled: async () => undefined,
  }
}

type Logged = { readonly ctx: Context; readonly service: Service; readonly log: CommandLog }

/** Runs `work` with a service in `data` whose commands are logged there, and then ends the service. */
async function logged<T>(data: string, sink: Sink, work: (at: Logged) => Promise<T>): Promise<T> {
  const engine = await engineOf(data)
  const log = await startCommandLog(engine.socket, path.join(data, 'commands'))
  const service = await startService({
    data,
    env: { ...routedTo(sink), MONGODB_URL: `${urlOf(log.socket)}/mailroom` },
  })
  const ctx = await contextOf({ data, url: `${urlOf(engine.socket)}/mailroom` })
  try {
    return await work({ ctx, service, log })
  } finally {
    signalAll([service.process.pid ?? 0], 'SIGCONT')
    await closeContext(ctx)
    await service.stop()
    await log.stop()
    await engine.stop()
  }
}

/** Requests of one kind, for all accounts, keys and messages in turn. */
function requestsFor(kind: Kind, tenants: readonly Tenant[]): readonly HttpRequest[] {
  return Array.from({ length: connections * requestsEach }, (_, n) => {
    const { mailbox, keys, messageIds } = tenants[n % tenants.length]!
    const turn = Math.floor(n / tenants.length)
    const headers = { authorization: `Bearer ${keys[turn % keys.length]}` }
    const path = mailboxPath(mailbox.address)
    if (kind === 'mailboxes') return { method: 'GET', path: '/api/v1/mailboxes', headers }
    if (kind === 'message' || kind === 'message again') {
      const ids = kind === 'message' ? messageIds : messageIds.slice(0, readAgain)
      return { method: 'GET', path: `${path}/messages/${ids[turn % ids.length]}`, headers }
    }
    if (kind === 'list of 50') return { method: 'GET', path: `${path}/messages?limit=50`, headers }
    const body = JSON.stringify(draftOf(kind, n))
    // Sends come from another mailbox than the one that is listed.
    const from = mailboxPath(emptyMailbox(0, mailbox.domain))
    return { method: 'POST', path: `${from}/send`, headers: { ...headers, 'content-type': 'application/json' }, body }
  })
}

async function measure(peer: Peer, kind: Kind, count: number): Promise<Measured> {
  await peer.prepare?.(kind, count)
  const before = cpuMs(peer.pids)
  const began = performance.now()
  const { perSecond, times } = await peer.load(kind, count)
  await peer.settled(kind, count)
  const settledSeconds = (performance.now() - began) / 1_000
  return {
    perSecond,
    settledPerSecond: count / settledSeconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpu: (cpuMs(peer.pids) - before) / count,
  }
}

function report(chosen: readonly Kind[], measured: ReadonlyMap<string, readonly Measured[]>): string {
  const rows = chosen.flatMap((kind) => {
    const of = (side: Side, what: keyof Measured) =>
      median((measured.get(`${kind} ${side}`) ?? []).map((found) => found[what]))
    return sidesOf(kind).map((side) => {
      const figures = (['perSecond', 'p50', 'p99', 'cpu'] as const).map((what) => shown(of(side, what)))
      if (side !== 'Mailroom') return [kind, side, ...figures, '', '', '', '']
      const ofDriver = of(side, 'perSecond') / of('driver alone', 'perSecond')
      // The work of a send continues after its answer, that of a read does not.
      const ofAll = of(side, 'settledPerSecond') / of('driver, all of it', 'perSecond')
      const share = kind.endsWith('send') ? ofAll : ofDriver
      const isMet = share >= goal.shareOfDriver && of(side, 'p99') < goal.p99Ms
      return [kind, side, ...figures, shown(ofDriver), shown(ofAll), goalText, isMet ? 'yes' : 'no']
    })
  })
  const shares = ['of the driver', 'of all of it']
  return table(['request', 'side', '/s', 'p50 ms', 'p99 ms', 'CPU ms each', ...shares, 'goal', 'met'], rows)
}
