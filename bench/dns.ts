/**
 * Measures the DNS server with dnsperf. First, several kinds of questions, compared with BIND and Knot with the same zone, each on
 * one core. Then questions at a fixed rate while mail arrives, in turn with those servers and a bare echo in Node. Last, how many
 * answers response rate limiting allows. See README.md.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Context, closeContext } from '../core/process/context.ts'
import { zoneChanged } from '../core/zones/served-zones.ts'
import { newId } from '../schemas/ids.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { median, quantile, shown, spread, table } from './figures.ts'
import { startBind, startKnot } from './name-servers.ts'
import { inPath } from './postfix.ts'
import { cpuMs, pssMb, rested } from './processes.ts'
import { makeSenders } from './senders.ts'

/** A server under measurement; all of its work is done by one thread. */
type Target = { readonly name: string; readonly port: number; readonly pid: number }
type Case = {
  readonly name: string
  readonly questions: readonly string[]
  /** Whether signatures are requested; only Mailroom's zone has them. */
  readonly isSigned?: boolean
}
type Measured = {
  readonly perSecond: number
  readonly cpuUsEach: number
  readonly ms: readonly number[]
  readonly lost: number
}

const zone = 'bench0.example'
const hosts = 1_000
const names = Array.from({ length: hosts }, (_, n) => `host${n}.${zone}`)
/** The goal while mail arrives: this many questions per second, with 99 of 100 answered within this time. */
const goal = { perSecond: 15_000, p99Ms: 5 }
const limitedPerSecond = 2_000
/** How many messages are sent first, so that V8 compiles the code that receives them. */
const warmUpCount = 1_000
/** The size of dnsperf's socket buffers, large enough that answers it has not read yet do not count as lost. */
const generatorKb = 2_048

const cases: readonly Case[] = [
  { name: 'addresses', questions: names.map((name) => `${name} A`) },
  { name: 'mail servers, with addresses', questions: [`${zone} MX`] },
  { name: 'absent names', questions: names.map((name) => `no-${name} A`) },
  { name: 'a wildcard', questions: names.map((name) => `${name.split('.')[0]}.any.${zone} A`) },
  { name: 'of no zone', questions: names.map((name) => `${name}.elsewhere A`) },
  { name: 'addresses, signed', questions: names.map((name) => `${name} A`), isSigned: true },
  { name: 'absent names, signed', questions: names.map((name) => `no-${name} A`), isSigned: true },
]

/** Runs the bench. Options: --quick, --seconds N (a case), --runs N, --only mailroom, --part questions|mail|limit. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      seconds: { type: 'string' },
      runs: { type: 'string' },
      only: { type: 'string' },
      part: { type: 'string' },
    },
  })
  if (inPath('dnsperf') === null) throw new Error('dnsperf is not installed.')
  const seconds = Number(values.seconds ?? (values.quick ? 2 : 10))
  const runs = Number(values.runs ?? (values.quick ? 1 : 5))
  const isAsked = (part: 'questions' | 'mail' | 'limit') => values.part === undefined || values.part === part
  const dir = await mkdtemp(path.join(tmpdir(), 'mailroom-bench-dns-'))
  const service = await serviceWith('127.0.0.0/8')
  const ctx = await contextOf(service)
  const peers = values.only === 'mailroom' ? [] : await startPeers(dir)
  const echo = await startEcho()
  try {
    const senders = await makeSenders(ctx)
    await fill(ctx, senders[0]!.account.id)
    const ours = targetOf(service)
    const targets = [ours, ...peers.map(({ target }) => target)]
    if (isAsked('questions')) console.log(`\n${await beside(targets, { dir, seconds, runs })}\n`)
    const addresses = senders.map(({ mailbox }) => mailbox.address)
    const inTurn = [ours, echo.target, ...peers.map(({ target }) => target)]
    if (isAsked('mail'))
      console.log(`${await whileMailFlows({ service, targets: inTurn, addresses, dir, seconds, runs })}\n`)
    console.log(`Memory of the DNS process: ${shown(pssMb([ours.pid]))} MB.`)
    if (isAsked('limit')) console.log(await limited(dir))
  } finally {
    for (const { stop } of [...peers, echo]) await stop()
    await closeContext(ctx)
    await service.dispose()
    await rm(dir, { recursive: true, force: true })
  }
}

const serviceWith = (exempt: string) =>
  startService({
    only: 'api,jobs,smtp,dns',
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_DNS_DNSSEC: 'true',
      MAILROOM_DNS_RATE_LIMIT_EXEMPT: `["${exempt}"]`,
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
    },
  })

function targetOf({ dns, data }: Service): Target {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const pid = pids.find((each) => {
    try {
      const isDns = readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('cli/dns-main.ts')
      return isDns && readFileSync(`/proc/${each}/environ`, 'utf8').includes(data)
    } catch {
      return false // The process has ended.
    }
  })
  if (pid === undefined || dns === null) throw new Error('There is no DNS process.')
  return { name: 'Mailroom', port: Number(dns.split(':')[1]), pid: Number(pid) }
}

async function fill(ctx: Context, accountId: string): Promise<void> {
  const createdAt = ctx.clock.now()
  const fixed = { domain: zone, accountId, ttlSeconds: 300, priority: null, managed: null, purpose: null, createdAt }
  const made = (record: { name: string; type: 'A' | 'MX'; value: string; priority?: number }) => ({
    ...fixed,
    _id: newId('rec', createdAt),
    ...record,
  })
  await ctx.store.zoneRecords.insertMany([
    ...names.map((name, n) => made({ name: name.slice(0, -zone.length - 1), type: 'A', value: addressOf(n) })),
    made({ name: '*.any', type: 'A', value: '192.0.2.1' }),
    made({ name: '@', type: 'MX', value: names[0]!, priority: 10 }),
    made({ name: '@', type: 'MX', value: names[1]!, priority: 20 }),
  ])
  await zoneChanged(ctx, { domain: zone, accountId })
}

const addressOf = (n: number) => `10.0.${n >> 8}.${n & 255}`

async function startPeers(dir: string) {
  const text = [
    `$ORIGIN ${zone}.`,
    '$TTL 300',
    '@ SOA ns1.mail.example. postmaster 1 3600 600 1209600 300',
    '@ NS ns1.mail.example.',
    ...names.map((name, n) => `${name}. A ${addressOf(n)}`),
    '*.any A 192.0.2.1',
    `@ MX 10 ${names[0]}.`,
    `@ MX 20 ${names[1]}.`,
  ]
  const file = path.join(dir, 'zone')
  await writeFile(file, `${text.join('\n')}\n`)
  const started = [await startBind({ dir, zone, file }), await startKnot({ dir, zone, file })]
  for (const peer of started) if (typeof peer === 'string') console.log(peer)
  return started.filter((peer) => typeof peer !== 'string')
}

type Run = { readonly dir: string; readonly seconds: number; readonly runs: number }

async function startEcho() {
  const script = path.join(import.meta.dirname, 'dns-echo.ts')
  const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] })
  const [port] = (await once(child.stdout!, 'data')) as [Buffer]
  return {
    target: { name: 'echo', port: Number(port), pid: child.pid ?? 0 },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Measures every case with every server in turn, as fast as each answers. */
async function beside(targets: readonly Target[], { dir, seconds, runs }: Run): Promise<string> {
  const rows: string[][] = []
  for (const one of cases) {
    const measured = new Map(targets.map((target) => [target, [] as Measured[]]))
    for (let n = 0; n <= runs; n += 1)
      for (const target of one.isSigned === true ? targets.slice(0, 1) : targets) {
        const found = await ask(target, one, { dir, seconds: n === 0 ? 1 : seconds })
        // The first run warms up.
        if (n > 0) measured.get(target)!.push(found)
      }
    const of = (target: Target | undefined, what: 'perSecond' | 'cpuUsEach') =>
      median((target === undefined ? [] : (measured.get(target) ?? [])).map((each) => each[what]))
    const [ours, ...others] = targets
    const [mine, cpu] = [of(ours, 'perSecond'), of(ours, 'cpuUsEach')]
    const theirs = others.flatMap((peer) => [
      shown(of(peer, 'perSecond')),
      shown(mine / of(peer, 'perSecond')),
      shown(of(peer, 'cpuUsEach')),
    ])
    rows.push([one.name, shown(mine), shown(cpu), ...theirs])
  }
  const peers = targets.slice(1).flatMap(({ name }) => [`${name} /s`, 'ratio', 'CPU us each'])
  return table(['questions', 'Mailroom /s', 'CPU us each', ...peers], rows)
}

/** Runs dnsperf against a server, as fast as it answers or at a fixed rate. */
async function ask(
  { port, pid }: Target,
  { questions, isSigned = false }: Case,
  {
    dir,
    seconds,
    perSecond = null,
    timeoutSeconds = 2,
  }: { dir: string; seconds: number; perSecond?: number | null; timeoutSeconds?: number },
): Promise<Measured> {
  const file = path.join(dir, 'questions')
  await writeFile(file, `${questions.join('\n')}\n`)
  const args = ['-s', '127.0.0.1', '-p', String(port), '-d', file, '-l', String(seconds), '-t', String(timeoutSeconds)]
  args.push('-b', String(generatorKb))
  if (isSigned) args.push('-D')
  if (perSecond !== null) args.push('-Q', String(perSecond), '-q', '1000', '-v')
  const before = cpuMs([pid])
  const said = await output('dnsperf', args)
  const cpu = cpuMs([pid]) - before
  const number = (what: RegExp) => Number(what.exec(said)?.[1] ?? Number.NaN)
  const completed = number(/Queries completed:\s+(\d+)/)
  return {
    perSecond: number(/Queries per second:\s+([\d.]+)/),
    cpuUsEach: (cpu * 1_000) / completed,
    ms: [...said.matchAll(/^> \S+ .* ([\d.]+)$/gm)].map(([, each]) => Number(each) * 1_000),
    lost: number(/Queries lost:\s+(\d+)/),
  }
}

function output(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  const pieces: Buffer[] = []
  child.stdout.on('data', (piece: Buffer) => pieces.push(piece))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => resolve(Buffer.concat(pieces).toString()))
  })
}

/** Arriving mail: over how many connections, and how many messages per second, or null for as fast as they are accepted. */
type Mail = { readonly connections: number; readonly perSecond: number | null }
const mails: readonly Mail[] = [
  { connections: 0, perSecond: null },
  { connections: 4, perSecond: 20 },
  { connections: 1, perSecond: null },
  { connections: 4, perSecond: null },
]

type Flow = {
  readonly service: Service
  readonly targets: readonly Target[]
  readonly addresses: readonly string[]
} & Run

/** Measures every server in turn at the rate of the goal, without and with arriving mail. */
async function whileMailFlows({ service, targets, addresses, dir, seconds, runs }: Flow): Promise<string> {
  const rows: string[][] = []
  const warm = startMail(service, { connections: 4, perSecond: null, addresses })
  await warm.until(warmUpCount)
  // The mail is indexed once the service rests.
  await rested([service.process.pid ?? 0])
  for (const mail of mails) {
    const measured = targets.map((target) => ({ target, found: [] as Measured[], taken: [] as number[] }))
    for (let n = 0; n < runs; n += 1)
      for (const { target, found, taken } of measured) {
        const sending = startMail(service, { ...mail, addresses })
        found.push(await ask(target, cases[0]!, { dir, seconds, perSecond: goal.perSecond }))
        taken.push((await sending.stop()) / seconds)
      }
    for (const { target, found, taken } of measured) {
      const each = (share: number) => found.map(({ ms }) => quantile(ms, share))
      const [rate, p99] = [median(found.map(({ perSecond }) => perSecond)), median(each(0.99))]
      rows.push([
        mail.connections === 0 ? 'none' : `${shown(median(taken))}/s over ${mail.connections}`,
        target.name,
        shown(rate),
        shown(median(found.map(({ cpuUsEach }) => cpuUsEach))),
        spread(each(0.5)),
        spread(each(0.99)),
        rate > goal.perSecond * 0.99 && p99 < goal.p99Ms ? 'yes' : 'no',
      ])
    }
  }
  const met = `${goal.perSecond}/s, p99 < ${goal.p99Ms} ms`
  return table(['mail, connections', 'server', 'answers/s', 'CPU us each', 'p50 ms', 'p99 ms', met], rows)
}

/** Sends mail. `stop` ends this and returns how many messages were accepted; `until` stops once that many were. */
function startMail(
  { smtp }: Service,
  { connections, perSecond, addresses }: Mail & { readonly addresses: readonly string[] },
) {
  let isOver = false
  let count = 0
  const began = performance.now()
  const send = async (turn: number) => {
    const session = await SmtpClient.hello(smtp)
    for (let n = turn; !isOver; n += 1) {
      if (perSecond !== null) {
        const due = began + ((n - turn) * connections + turn) * (1_000 / perSecond)
        await sleep(Math.max(0, due - performance.now()))
      }
      const address = addresses[n % addresses.length]!
      const raw = `From: carol@remote.example\r\nTo: ${address}\r\nSubject: mail ${turn}.${n}\r\n\r\n${'A line of text.\r\n'.repeat(200)}`
      const { code } = await session.send([address], raw)
      if (code === 250) count += 1
    }
    session.destroy()
  }
  const sending = Promise.all(Array.from({ length: connections }, (_, n) => send(n)))
  const stop = async () => {
    isOver = true
    await sending
    return count
  }
  return {
    stop,
    async until(taken: number) {
      while (count < taken) await Promise.race([sending, sleep(100)])
      await stop()
    },
  }
}

/** Measures one question that is repeated from a network with a limit: how many are answered, and the CPU time of each. */
async function limited(dir: string): Promise<string> {
  const service = await serviceWith('192.0.2.0/24')
  try {
    const target = targetOf(service)
    const one = { name: 'limited', questions: [`www.${zone} A`] }
    const before = cpuMs([target.pid])
    const { lost } = await ask(target, one, { dir, seconds: 5, perSecond: limitedPerSecond, timeoutSeconds: 1 })
    const asked = 5 * limitedPerSecond
    const cpuUs = ((cpuMs([target.pid]) - before) * 1_000) / asked
    return `One question ${limitedPerSecond} times a second from a network with a limit: ${shown((100 * (asked - lost)) / asked)} % answered, of these half and more cut; ${shown(cpuUs)} us of CPU each.`
  } finally {
    await service.dispose()
  }
}
