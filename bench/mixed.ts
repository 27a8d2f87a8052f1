/**
 * Measures mixed work: mail arrives, is sent, read, searched and waited for, each at its own steady rate. The kinds run one after
 * another in an otherwise idle service, then all together, then at twice and four times the rates, until one of them fails or is
 * too slow. See README.md.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Context, closeContext } from '../core/process/context.ts'
import { type Call, client, mailboxPath } from '../test/peers/rest.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import { contextOf, startService } from '../test/start/service.ts'
import { quantile, shown, table } from './figures.ts'
import { cpuMs, pssMb } from './processes.ts'
import { forgetEventLimits, makeKeys, makeSenders, type Sender } from './senders.ts'
import { startSink } from './sink.ts'

/** How often each kind of request is made per second at the first load. */
const rates = { arrival: 20, send: 10, read: 50, search: 5, wait: 20 } as const
type Kind = keyof typeof rates
const kinds = Object.keys(rates) as readonly Kind[]

/** A request that takes longer than this counts as failed. */
const givenUpMs = 10_000
/** The limit of the service is reached when more than one in a hundred of a kind fails, or takes longer than this. */
const tooLongMs = 1_000
const failedShareMax = 0.01
const factorMax = 32
/** Messages in each mailbox before the measurement. */
const filled = 50
const sessions = 10
/** Keys are used in turn, because the requests of one key in a minute are limited. */
const keysEach = 8
/** How long after the beginning of a wait its message is sent. */
const waitsMs = 500
const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\n'.repeat(50)

type Target = {
  readonly smtp: string
  readonly senders: readonly Sender[]
  /** The API clients of each sender, one for each key. */
  readonly calls: readonly (readonly Call[])[]
  /** The ids of the messages of each sender, for reading. */
  readonly messageIds: readonly (readonly string[])[]
}
type Tally = { readonly times: number[]; failed: number; firstFailure: string | null }
type Stage = {
  readonly factor: number
  readonly tallies: ReadonlyMap<Kind, Tally>
  readonly seconds: number
  readonly cores: number
  readonly pssMb: number
}

/** Runs the bench. Options: --quick, --seconds N (of the first load; each other takes a fifth of it). */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, seconds: { type: 'string' } },
  })
  const seconds = Number(values.seconds ?? (values.quick ? 20 : 300))
  const sink = await startSink()
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
      MAILROOM_OUTBOUND_ROUTES: JSON.stringify({ '*': `127.0.0.1:${sink.port}` }),
    },
  })
  const ctx = await contextOf(service)
  const pids = [service.process.pid ?? 0]
  try {
    const target = await fill(ctx, service)
    const idle = await alone(target, seconds / 15)
    const stages: Stage[] = []
    for (let factor = 1; factor <= factorMax; factor *= 2) {
      await forgetEventLimits(ctx)
      const forSeconds = factor === 1 ? seconds : seconds / 5
      const cpuBefore = cpuMs(pids)
      const tallies = await together(target, { factor, seconds: forSeconds })
      const cores = (cpuMs(pids) - cpuBefore) / (forSeconds * 1_000)
      const stage: Stage = { factor, tallies, seconds: forSeconds, cores, pssMb: pssMb(pids) }
      stages.push(stage)
      console.log(JSON.stringify({ bench: 'mixed', factor, cores, pssMb: stage.pssMb }))
      if (gives(stage).length > 0) break
    }
    console.log(report(idle, stages))
  } finally {
    await closeContext(ctx)
    await service.dispose()
    sink.stop()
  }
}

/** Creates accounts with some mail and enough keys. */
async function fill(ctx: Context, { smtp, http }: { smtp: string; http: string }): Promise<Target> {
  const senders = await makeSenders(ctx)
  const calls: Call[][] = []
  for (const { account } of senders)
    calls.push((await makeKeys(ctx, account.id, keysEach)).map((key) => client(http, key)))
  const session = await SmtpClient.hello(smtp)
  for (let n = 0; n < filled * senders.length; n++) await arrive(session, senders[n % senders.length]!, `filled ${n}`)
  session.destroy()
  const messageIds = await Promise.all(
    senders.map(async ({ mailbox }, n) => {
      const { body } = await calls[n]![0]!<Listing>('GET', `${mailboxPath(mailbox.address)}/messages`)
      return body.messages.map(({ message_id }) => message_id)
    }),
  )
  return { smtp, senders, calls, messageIds }
}

type Listing = { readonly messages: readonly { readonly message_id: string }[] }

/** Measures each kind in a service that does nothing else. */
async function alone(target: Target, seconds: number): Promise<ReadonlyMap<Kind, Tally>> {
  const idle = new Map<Kind, Tally>()
  for (const kind of kinds) {
    await atRate(target, { kind, rate: Math.min(5, rates[kind]), seconds: Math.min(5, seconds) })
    idle.set(kind, await atRate(target, { kind, rate: Math.min(5, rates[kind]), seconds }))
  }
  return idle
}

async function together(
  target: Target,
  { factor, seconds }: { factor: number; seconds: number },
): Promise<ReadonlyMap<Kind, Tally>> {
  const tallies = await Promise.all(
    kinds.map(async (kind) => [kind, await atRate(target, { kind, rate: rates[kind] * factor, seconds })] as const),
  )
  return new Map(tallies)
}

/**
 * Makes requests of one kind at a steady rate, whether or not earlier ones have ended. The time of each counts from the moment at
 * which it was due, so that waiting for a free session or for this process counts too.
 */
async function atRate(
  target: Target,
  { kind, rate, seconds }: { kind: Kind; rate: number; seconds: number },
): Promise<Tally> {
  const tally: Tally = { times: [], failed: 0, firstFailure: null }
  const arrivals = kind === 'arrival' || kind === 'wait' ? await openSessions(target.smtp) : null
  const began = performance.now()
  const doing: Promise<void>[] = []
  for (let n = 0; n < rate * seconds; n++) {
    const due = began + (n * 1_000) / rate
    const early = due - performance.now()
    if (early > 0) await sleep(early)
    const one = things[kind](target, { n, word: `${kind}${Math.round(began)}x${n}`, arrivals, due })
    doing.push(
      one.then(
        (ms) => {
          if (ms <= givenUpMs) return void tally.times.push(ms)
          tally.failed += 1
          tally.firstFailure ??= `took ${shown(ms)} ms`
        },
        (error: unknown) => {
          tally.failed += 1
          tally.firstFailure ??= error instanceof Error ? error.message : String(error)
        },
      ),
    )
  }
  await Promise.all(doing)
  arrivals?.close()
  return tally
}

type Thing = { readonly n: number; readonly word: string; readonly arrivals: Sessions | null; readonly due: number }

/** Makes one request of each kind. Resolves with the ms that it took. */
const things: { readonly [K in Kind]: (target: Target, thing: Thing) => Promise<number> } = {
  async arrival({ senders }, { n, word, arrivals, due }) {
    await arrivals!.use((session) => arrive(session, senders[n % senders.length]!, word))
    return performance.now() - due
  },
  async send(target, { n, word, due }) {
    const { call, path } = callerOf(target, n)
    const body = { to: `${word}@remote${n % 50}.example`, subject: word, text }
    await expectStatus(202, call('POST', `${path}/send`, body))
    return performance.now() - due
  },
  async read(target, { n, due }) {
    const { call, path, messageIds } = callerOf(target, n)
    const message = messageIds[n % messageIds.length]!
    const where = ['/messages', `/messages/${message}`, '/threads', '/folders'][n % 4]
    await expectStatus(200, call('GET', `${path}${where}`))
    return performance.now() - due
  },
  async search(target, { n, due }) {
    const { call, path } = callerOf(target, n)
    await expectStatus(200, call('GET', `${path}/search?q=lorem+filled`))
    return performance.now() - due
  },
  async wait(target, { n, word, arrivals }) {
    const { call, path } = callerOf(target, n)
    const waiting = call<{ message: unknown }>('GET', `${path}/wait?subject=${word}&timeout=20`)
    // The request may fail before it is awaited.
    waiting.catch(() => undefined)
    await sleep(waitsMs)
    await arrivals!.use((session) => arrive(session, target.senders[n % target.senders.length]!, word))
    const arrived = performance.now()
    const { status, body } = await waiting
    if (status !== 200 || body.message === null) throw new Error(`A wait ended with ${status} and no message.`)
    return performance.now() - arrived
  },
}

function callerOf(
  { senders, calls, messageIds }: Target,
  n: number,
): {
  readonly call: Call
  readonly path: string
  readonly messageIds: readonly string[]
} {
  const nth = n % senders.length
  const own = calls[nth]!
  return {
    call: own[Math.floor(n / senders.length) % own.length]!,
    path: mailboxPath(senders[nth]!.mailbox.address),
    messageIds: messageIds[nth]!,
  }
}

async function expectStatus(expected: number, asked: ReturnType<Call>): Promise<void> {
  const { status, body } = await asked
  if (status !== expected) throw new Error(`${status} ${JSON.stringify(body)}`)
}

async function arrive(session: SmtpClient, { mailbox }: Sender, subject: string): Promise<void> {
  const raw = `From: carol@remote.example\r\nTo: ${mailbox.address}\r\nSubject: ${subject}\r\n\r\n${text.replaceAll('\n', '\r\n')}`
  const { code, text: reply } = await session.send([mailbox.address], raw)
  if (code !== 250) throw new Error(`A message was refused: ${reply}`)
}

type Sessions = { use(work: (session: SmtpClient) => Promise<void>): Promise<void>; close(): void }

/** A pool of SMTP sessions, each used by one caller at a time. A caller that finds none free waits for one. */
async function openSessions(smtp: string): Promise<Sessions> {
  const all = await Promise.all(Array.from({ length: sessions }, () => SmtpClient.hello(smtp)))
  const free = [...all]
  const waiting: ((session: SmtpClient) => void)[] = []
  return {
    async use(work) {
      const session = free.pop() ?? (await new Promise<SmtpClient>((resolve) => waiting.push(resolve)))
      try {
        await work(session)
      } finally {
        const next = waiting.shift()
        if (next === undefined) free.push(session)
        else next(session)
      }
    },
    close() {
      for (const session of all) session.destroy()
    },
  }
}

/** The kinds that fail or are too slow at a load, as text. */
function gives({ tallies }: Stage): readonly string[] {
  return [...tallies].flatMap(([kind, { times, failed, firstFailure }]) => {
    const p99 = quantile(times, 0.99)
    if (failed > failedShareMax * (times.length + failed)) return [`${kind}: ${failed} failed (${firstFailure})`]
    return p99 > tooLongMs ? [`${kind}: p99 ${shown(p99)} ms`] : []
  })
}

function report(idle: ReadonlyMap<Kind, Tally>, stages: readonly Stage[]): string {
  const rows = stages.flatMap(({ factor, tallies, seconds }) =>
    [...tallies].map(([kind, { times, failed }]) => {
      const before = idle.get(kind)?.times ?? []
      const quantiles = [quantile(times, 0.5), quantile(times, 0.99), quantile(before, 0.5), quantile(before, 0.99)]
      const done = times.length / seconds
      return [`${factor} x`, kind, String(rates[kind] * factor), shown(done), String(failed), ...quantiles.map(shown)]
    }),
  )
  const head = ['load', 'kind', 'asked/s', 'done/s', 'failed', 'p50 ms', 'p99 ms', 'idle p50 ms', 'idle p99 ms']
  const used = stages.map((stage) => [
    `${stage.factor} x`,
    shown(stage.seconds),
    shown(stage.cores),
    shown(stage.pssMb),
    gives(stage).join('; ') || 'nothing',
  ])
  return `\n${table(head, rows)}\n\n${table(['load', 'seconds', 'cores used', 'PSS MB', 'what gives'], used)}`
}
