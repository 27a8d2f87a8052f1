/**
 * Measures webhook deliveries: how many a second are recorded when a backlog is due, beside a bare loop of signed POSTs to the same
 * receiver; how soon after its 250 a mail is told, alone and while a large backlog of other endpoints drains. See README.md.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { type Context, closeContext } from '../core/process/context.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import { insertDeliveries } from '../store/deliveries.ts'
import type { DeliveryDoc } from '../store/documents/events.ts'
import { eventually } from '../test/eventually.ts'
import { client } from '../test/peers/rest.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { startChild } from './child.ts'
import { shown, table } from './figures.ts'
import { cpuMs } from './processes.ts'
import { forgetEventLimits, makeSenders, type Sender } from './senders.ts'
import { type Sink, toldArrivals } from './told-arrivals.ts'

const bodyBytes = 2 * 1024
const connections = 50
const arrivalsPerSecond = 100
const insertedAtOnce = 500
const drainedWithinMs = 900_000
/** Between two looks at what is left: each costs the database something. */
const askEveryMs = 200
const dayMs = 86_400_000

/** Runs the bench. Options: --quick, --count N (deliveries), --backlog N, --seconds N (of arrivals). */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      count: { type: 'string' },
      backlog: { type: 'string' },
      seconds: { type: 'string' },
    },
  })
  const { quick } = values
  const count = Number(values.count ?? (quick ? 5_000 : 20_000))
  const backlog = Number(values.backlog ?? (quick ? 5_000 : 100_000))
  const seconds = Number(values.seconds ?? (quick ? 5 : 30))
  const sink: Sink = startChild('webhook-sink')
  const { port } = await sink.ask('port')
  const service = await startService({
    env: {
      MAILROOM_LOG_LEVEL: 'warn',
      MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
      MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000',
    },
  })
  const ctx = await contextOf(service)
  try {
    const url = `http://127.0.0.1:${port}/hook`
    const senders = await makeSenders(ctx)
    const hooks = await Promise.all(senders.map((sender) => makeHook(service, sender, url)))
    const bare = await bareLoop(url, count)
    const drained = await drain({ service, ctx, sink }, { senders, hooks, count })
    console.log(
      `\n${count} deliveries of ${bodyBytes} bytes.\n\n${table(
        ['', '/s', 'CPU ms each'],
        [
          ['bare loop of signed POSTs', shown(bare.perSecond), shown(bare.cpuMsEach)],
          ['deliveries, due and recorded', shown(drained.perSecond), shown(drained.cpuMsEach)],
        ],
      )}`,
    )
    await arrive({ service, ctx, sink }, { senders, name: 'warm', seconds: 2 })
    const alone = await arrive({ service, ctx, sink }, { senders, name: 'alone', seconds })
    const draining = drain({ service, ctx, sink }, { senders, hooks, count: backlog })
    const beside = await arrive({ service, ctx, sink }, { senders, name: 'beside', seconds })
    const left = await waiting(ctx, backlogOf(hooks))
    const { perSecond } = await draining
    console.log(
      `\nFrom 250 to receipt, ${arrivalsPerSecond} mails a second for ${seconds} s; the backlog of ${backlog} had ${left} left after that, and drained at ${shown(perSecond)} a second.\n\n${table(
        ['', 'mails/s', 'p50 ms', 'p99 ms', 'max ms'],
        [
          ['alone', ...alone.map(shown)],
          ['beside the backlog', ...beside.map(shown)],
        ],
      )}`,
    )
  } finally {
    await closeContext(ctx)
    await service.dispose()
    await sink.stop()
  }
}

/** What one process can post at most: signed as ours, with the client that ours uses, and nothing written down. */
async function bareLoop(url: string, count: number): Promise<{ perSecond: number; cpuMsEach: number }> {
  const { origin, pathname: path } = new URL(url)
  const pool = new Pool(origin, { connections })
  const body = bodyOf('x')
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  let next = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next++ < count) {
        const t = Math.floor(Date.now() / 1_000)
        const v1 = createHmac('sha256', 'whsec').update(`${t}.${body}`).digest('hex')
        const headers = { 'content-type': 'application/json', 'x-service-signature': `t=${t},v1=${v1}` }
        const answer = await pool.request({ method: 'POST', path, headers, body })
        await answer.body.dump()
      }
    }),
  )
  const { user, system } = process.cpuUsage(cpu)
  await pool.close()
  return {
    perSecond: count / ((performance.now() - began) / 1_000),
    cpuMsEach: (user + system) / 1_000 / count,
  }
}

const bodyOf = (id: string) =>
  JSON.stringify({ id, type: 'message.received', data: { text: 'a'.repeat(bodyBytes - 80) } })

type Hook = { readonly id: string; readonly accountId: string }

async function makeHook(service: Service, { key, account }: Sender, url: string): Promise<Hook> {
  const wanted = { url, events: ['message.received'] }
  const { body, status } = await client(service.http, key)<{ id: string }>('POST', '/api/v1/webhooks', wanted)
  if (status !== 201) throw new Error(`No endpoint: ${JSON.stringify(body)}`)
  return { id: body.id, accountId: account.id }
}

/** The endpoints that have the backlog; the others hear of the mail that arrives. */
const backlogOf = (hooks: readonly Hook[]) => hooks.slice(0, hooks.length / 2)

type Place = { readonly service: Service; readonly ctx: Context; readonly sink: Sink }

/** Writes deliveries of half of the endpoints that are due, and waits until all are made and recorded. */
async function drain(
  { service, ctx }: Place,
  { hooks, count }: { readonly senders: readonly Sender[]; readonly hooks: readonly Hook[]; readonly count: number },
): Promise<{ perSecond: number; cpuMsEach: number }> {
  const some = backlogOf(hooks)
  const later = new Date(Date.now() + dayMs)
  for (let n = 0; n < count; n += insertedAtOnce)
    await insertDeliveries(
      ctx.store,
      Array.from({ length: Math.min(insertedAtOnce, count - n) }, (_, k) => dueOf(some[(n + k) % some.length]!, later)),
    )
  const pids = [service.process.pid ?? 0]
  const [began, cpu] = [performance.now(), cpuMs(pids)]
  const now = new Date()
  for (const { id, accountId } of some) {
    await ctx.store.deliveries.updateMany({ webhookId: id, nextAt: later }, { $set: { nextAt: now } })
    await ctx.store.webhooks.updateOne({ accountId, _id: id }, { $min: { dueAt: now }, $inc: { dueRev: 1 } })
  }
  ctx.changes.publish({ kind: 'deliveries' })
  await eventually('all are recorded', () => isDrained(ctx, some), drainedWithinMs)
  return {
    perSecond: count / ((performance.now() - began) / 1_000),
    cpuMsEach: (cpuMs(pids) - cpu) / count,
  }
}

function dueOf({ id: webhookId, accountId }: Hook, nextAt: Date): DeliveryDoc {
  const at = new Date()
  const eventId = newId('evt', at)
  return {
    _id: deriveId('dlv', eventId, webhookId),
    accountId,
    webhookId,
    eventId,
    type: 'message.received',
    origin: 'event',
    mailboxId: null,
    body: bodyOf(eventId),
    state: 'waiting',
    createdAt: at,
    expiresAt: nextAt,
    firstAt: at,
    nextAt,
    lease: null,
    attempts: [{ at, status: 500, response: '', error: null, durationMs: 1 }],
  }
}

async function isDrained(ctx: Context, hooks: readonly Hook[]): Promise<boolean> {
  await sleep(askEveryMs)
  return (await waiting(ctx, hooks)) === 0
}

/** How many deliveries of endpoints are not recorded yet. */
function waiting({ store }: Context, hooks: readonly Hook[]): Promise<number> {
  return store.deliveries.countDocuments({
    webhookId: { $in: hooks.map(({ id }) => id) },
    nextAt: { $gt: new Date(0) },
  })
}

/** Lets mail arrive at a steady rate. Returns mails a second, and quantiles of the time from 250 to the receiver. */
async function arrive(
  { service, ctx, sink }: Place,
  { senders, name, seconds }: { readonly senders: readonly Sender[]; readonly name: string; readonly seconds: number },
): Promise<readonly number[]> {
  await forgetEventLimits(ctx)
  // Those whose endpoints have the backlog get none.
  const others = senders.slice(senders.length / 2)
  const { acceptedPerSecond, p50Ms, p99Ms, maxMs } = await toldArrivals(
    { smtp: service.smtp, sink },
    {
      name,
      count: arrivalsPerSecond * seconds,
      perSecond: arrivalsPerSecond,
      mailOf: (n, subject) => {
        const { address } = others[n % others.length]!.mailbox
        return { address, raw: `From: carol@remote.example\r\nTo: ${address}\r\nSubject: ${subject}\r\n\r\nHello\r\n` }
      },
    },
  )
  return [acceptedPerSecond, p50Ms, p99Ms, maxMs]
}
