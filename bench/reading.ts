/**
 * Measures reading over HTTP: lists, searches, threads and waits in a service with much mail. See README.md.
 */
import { parseArgs } from 'node:util'
import { Client } from 'undici'
import { createAccount } from '../core/account/accounts.ts'
import { createDomain } from '../core/domains/claims.ts'
import { provisionMailbox } from '../core/mailbox/mailboxes.ts'
import { type Context, closeContext } from '../core/process/context.ts'
import type { MailboxDoc } from '../store/documents/mail.ts'
import { sendMail } from '../test/peers/send-mail.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { createArchive } from './archive.ts'
import { median, quantile, shown, table } from './figures.ts'
import { cpuMs, pssMb } from './processes.ts'
import { makeKeys } from './senders.ts'
import { word } from './synthetic-mail.ts'

const domain = 'bench.test'
const perMailbox = 1_000
/** The size of the first stage, with which the larger ones are compared. */
const fewMessages = 10_000
/** Keys are used in turn, because the requests of one key in a minute are limited. */
const keyCount = 150
/** How often each mailbox is read before the measurement, so that caches are as warm with much mail as with little. */
const roundsBefore = 3
const warmUps = 30

type Goal = { readonly medianMs?: number; readonly p99Ms?: number }
const goals = {
  'list of 50': { medianMs: 5 },
  'search, two words and a filter': { medianMs: 20 },
  thread: { medianMs: 5 },
  'search of all mailboxes': {},
  '250 to the answer of a wait': { p99Ms: 50 },
} as const satisfies { [what: string]: Goal }
type What = keyof typeof goals
/** The goal for the p99 as a multiple of the goal for the median. */
const p99Factor = 5
const growthMax = 1.5

type Measured = { readonly what: What; readonly mail: string; readonly times: readonly number[]; readonly cpu: number }

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      messages: { type: 'string' },
      requests: { type: 'string' },
      'profile-dir': { type: 'string' },
    },
  })
  const messages = Number(values.messages ?? (values.quick ? 20_000 : 1_000_000))
  const requests = Number(values.requests ?? (values.quick ? 200 : 1_000))
  const one = Math.min(100_000, messages / 2)
  const profileDir = values['profile-dir']
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      ...(profileDir !== undefined && { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${profileDir}` }),
    },
  })
  try {
    const ctx = await contextOf(service)
    const bench = await prepare(ctx, service, Math.ceil(messages / perMailbox))
    const began = performance.now()
    const archive = createArchive(service, { total: messages + one, tell: (made) => tellMade(made, began) })
    const results: Measured[] = []
    const first = bench.mailboxes.slice(0, fewMessages / perMailbox)
    const few = `${fewMessages} in ${first.length}`
    await timed(`${fewMessages} messages`, () => archive.fill(first, perMailbox))
    // These results are dropped: V8 is still compiling the code of the service, which gradually makes it twice as fast.
    await measure(bench, { requests, mailboxes: first, mail: 'to warm up' })
    results.push(...(await measure(bench, { requests, mailboxes: first, mail: few })))
    await timed(`${messages} messages`, () => archive.fill(bench.mailboxes, perMailbox))
    const all = `${messages} in ${bench.mailboxes.length}`
    const unknown = `${all}, never asked before`
    results.push(...(await measure(bench, { requests, mailboxes: bench.mailboxes, mail: unknown, rounds: 0 })))
    results.push(...(await measure(bench, { requests, mailboxes: bench.mailboxes, mail: all })))
    const same = `${all}, the first ${first.length}`
    results.push(...(await measure(bench, { requests, mailboxes: first, mail: same })))
    results.push(await measureEverywhere(bench, { requests: Math.ceil(requests / 10), mail: all }))
    await timed(`${one} messages in one mailbox`, () => archive.fill([bench.large], one))
    results.push(...(await measure(bench, { requests, mailboxes: [bench.large], mail: `${one} in one` })))
    results.push(await measureWait(bench, Math.ceil(requests / 5), `${messages + one}`))
    await closeContext(ctx)
    console.log(report(results))
    console.log(growth(results, { few, many: [same, all], cold: unknown }))
    console.log(`Memory of all processes: ${shown(pssMb([service.process.pid ?? 0]))} MB`)
  } finally {
    await service.dispose()
  }
}

type Bench = {
  readonly service: Service
  readonly keys: readonly string[]
  readonly mailboxes: readonly MailboxDoc[]
  readonly large: MailboxDoc
  readonly http: Client
}

async function prepare(ctx: Context, service: Service, count: number): Promise<Bench> {
  const account = await createAccount(ctx, { name: 'bench', owner: null })
  await createDomain(ctx, { domain, accountId: account.id, verified: true })
  // `provisionMailbox` does not check the limit of the plan: no plan allows this many mailboxes.
  const owned = { accountId: account.id, displayName: null, kind: 'agent', createdBy: null } as const
  for (let n = 0; n <= count; n++) await provisionMailbox(ctx, { ...owned, address: `${n}u@${domain}` })
  const [large, ...mailboxes] = await ctx.store.mailboxes
    .find({ accountId: account.id })
    .sort({ accountId: 1, _id: 1 })
    .toArray()
  const keys = await makeKeys(ctx, account.id, keyCount)
  return { service, keys, mailboxes, large: large!, http: new Client(service.http) }
}

/** Measures requests one after another. `rounds` is how often each mailbox is read before. */
async function measure(
  bench: Bench,
  {
    requests,
    mailboxes,
    mail,
    rounds = roundsBefore,
  }: { requests: number; mailboxes: readonly MailboxDoc[]; mail: string; rounds?: number },
): Promise<readonly Measured[]> {
  const before = Math.max(warmUps, rounds * mailboxes.length)
  const pathOf = (n: number) => `/api/v1/mailboxes/${mailboxes[(n * 7919) % mailboxes.length]!.address}`
  const queries = (n: number) => encodeURIComponent(`${word(20 + (n % 80))} ${word(100 + ((n * 31) % 300))} is:unread`)
  const threads: string[] = []
  for (let n = 0; n < Math.min(mailboxes.length, requests + before); n++) {
    const { messages } = await get<{ messages: readonly { thread_id: string }[] }>(
      bench,
      `${pathOf(n)}/messages?limit=1`,
    )
    threads.push(`${pathOf(n)}/threads/${messages[0]?.thread_id}`)
  }
  const given = { mail, requests, before }
  return [
    await repeat(bench, { ...given, what: 'list of 50', path: (n) => `${pathOf(n)}/messages?limit=50` }),
    await repeat(bench, {
      ...given,
      what: 'search, two words and a filter',
      path: (n) => `${pathOf(n)}/search?q=${queries(n)}`,
    }),
    await repeat(bench, { ...given, what: 'thread', path: (n) => threads[n % threads.length]! }),
  ]
}

function measureEverywhere(bench: Bench, { requests, mail }: { requests: number; mail: string }): Promise<Measured> {
  const path = (n: number) => `/api/v1/search?q=${word(20 + (n % 80))}%20${word(100 + ((n * 31) % 300))}`
  return repeat(bench, { what: 'search of all mailboxes', mail, requests, before: warmUps, path })
}

type Repeated = {
  readonly what: What
  readonly mail: string
  readonly requests: number
  /** How many requests are made first, without being measured. */
  readonly before: number
  path(n: number): string
}

async function repeat(bench: Bench, { what, mail, requests, before, path }: Repeated): Promise<Measured> {
  for (let n = 0; n < before; n++) await get(bench, path(n + requests))
  const pids = [bench.service.process.pid ?? 0]
  const cpuBefore = cpuMs(pids)
  const times: number[] = []
  for (let n = 0; n < requests; n++) {
    const began = performance.now()
    await get(bench, path(n))
    times.push(performance.now() - began)
  }
  const cpu = (cpuMs(pids) - cpuBefore) / requests
  console.log(JSON.stringify({ what, mail, median: median(times), p99: quantile(times, 0.99), cpuMs: cpu }))
  return { what, mail, times, cpu }
}

/** Measures the time from the 250 of a message to the answer of a wait for it. */
async function measureWait(
  { service, keys, mailboxes, http }: Bench,
  requests: number,
  mail: string,
): Promise<Measured> {
  const what = '250 to the answer of a wait'
  const times: number[] = []
  for (let n = 0; n < requests; n++) {
    const { address } = mailboxes[n % mailboxes.length]!
    const answered = get({ keys, http }, `/api/v1/mailboxes/${address}/wait?timeout=20`).then(() => performance.now())
    await new Promise((resolve) => setTimeout(resolve, 30))
    const raw = Buffer.from(`From: a@b.example\r\nTo: ${address}\r\nSubject: news ${n}\r\n\r\nnews ${n}\r\n`)
    await sendMail(service.smtp, { from: 'a@b.example', to: address, raw })
    const acceptedAt = performance.now()
    times.push(Math.max(0, (await answered) - acceptedAt))
  }
  console.log(JSON.stringify({ what, median: median(times), p99: quantile(times, 0.99) }))
  return { what, mail, times, cpu: Number.NaN }
}

let turn = 0

async function get<T = unknown>({ keys, http }: Pick<Bench, 'keys' | 'http'>, path: string): Promise<T> {
  const authorization = `Bearer ${keys[turn++ % keys.length]}`
  const { statusCode, body } = await http.request({ method: 'GET', path, headers: { authorization } })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 300)}`)
  return JSON.parse(text) as T
}

async function timed(what: string, work: () => Promise<void>): Promise<void> {
  const began = performance.now()
  await work()
  tellMade(what, began)
}

function tellMade(made: string | number, began: number): void {
  console.log(JSON.stringify({ made, seconds: Math.round((performance.now() - began) / 1000) }))
}

function report(results: readonly Measured[]): string {
  const rows = results.map(({ what, mail, times, cpu }) => {
    const { medianMs, p99Ms }: Goal = goals[what]
    const [middle, p99] = [median(times), quantile(times, 0.99)]
    const p99Goal = p99Ms ?? (medianMs === undefined ? undefined : medianMs * p99Factor)
    const isMet = (medianMs === undefined || middle < medianMs) && (p99Goal === undefined || p99 <= p99Goal)
    const goal = [medianMs && `< ${medianMs}`, p99Goal && `p99 < ${p99Goal}`].filter(Boolean).join(', ')
    return [what, mail, goal, shown(middle), shown(p99), shown(cpu), goal === '' ? '' : isMet ? 'yes' : 'no']
  })
  return table(['what', 'messages', 'goal', 'median ms', 'p99 ms', 'CPU ms', 'met'], rows)
}

/**
 * How much longer each request takes with many messages. There is no goal for `cold`, where mail is read from the disk.
 */
function growth(
  results: readonly Measured[],
  { few, many, cold }: { few: string; many: readonly string[]; cold: string },
): string {
  const rows = (Object.keys(goals) as What[]).flatMap((what) => {
    const at = (mail: string) => median(results.find((each) => each.what === what && each.mail === mail)?.times ?? [])
    return [...many, cold].flatMap((mail) => {
      const ratio = at(mail) / at(few)
      const judged =
        mail === cold ? ['', shown(ratio), ''] : [`< ${growthMax} x`, shown(ratio), ratio < growthMax ? 'yes' : 'no']
      return Number.isFinite(ratio) ? [[what, few, mail, ...judged]] : []
    })
  })
  return table(['growth of', 'from', 'to', 'goal', 'times', 'met'], rows)
}
