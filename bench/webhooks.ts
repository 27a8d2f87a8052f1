/**
 * Measures webhook deliveries: how many per second are recorded when a backlog is due, compared with a bare loop of signed POSTs to
 * the same receiver; and how soon after its 250 a message is announced, without and with a large backlog of other endpoints that
 * drains. See README.md.
 */
import { createHmac } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import type { Context } from '../core/process/context.ts'
import { deriveId, newId } from '../schemas/ids.ts'
import type { DeliveryDoc } from '../store/documents/events.ts'
import { eventually } from '../test/eventually.ts'
import { client } from '../test/peers/rest.ts'
import type { Service } from '../test/start/service.ts'
import { announcedArrivals } from './announced-arrivals.ts'
import { shown, table } from './figures.ts'
import { cpuMs } from './processes.ts'
import { forgetEventLimits, type Sender } from './senders.ts'
import { type WebhookService, withWebhookService } from './webhook-service.ts'

const bodyBytes = 2 * 1024
const connections = 50
const arrivalsPerSecond = 100
const insertedAtOnce = 500
const drainedWithinMs = 900_000
/** The pause between two checks of how many deliveries are left, each of which costs the database some work. */
const askEveryMs = 200
const dayMs = 86_400_000

/** Runs the bench. Options: --quick, --count N (deliveries), --backlog N, --seconds N (of arrivals), --profile DIR. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      count: { type: 'string' },
      backlog: { type: 'string' },
      seconds: { type: 'string' },
      profile: { type: 'string' },
    },
  })
  const { quick } = values
  const count = Number(values.count ?? (quick ? 5_000 : 20_000))
  const backlog = Number(values.backlog ?? (quick ? 5_000 : 100_000))
  const seconds = Number(values.seconds ?? (quick ? 5 : 30))
  await withWebhookService(values.profile, async (running) => {
    const { service, ctx, senders, url } = running
    const hooks = await Promise.all(senders.map((sender) => makeHook(service, sender, url)))
    const bare = await bareLoop(url, count)
    // The other half of the endpoints gets the events of arriving mail.
    const filled = hooks.slice(0, hooks.length / 2)
    await fill(ctx, filled, count)
    const drained = await drain(running, { hooks: filled, count })
    console.log(
      `\n${count} deliveries of ${bodyBytes} bytes.\n\n${table(
        ['', '/s', 'CPU ms each'],
        [
          ['bare loop of signed POSTs', shown(bare.perSecond), shown(bare.cpuMsEach)],
          ['deliveries, due and recorded', shown(drained.perSecond), shown(drained.cpuMsEach)],
        ],
      )}`,
    )
    await arrive(running, { name: 'warm', seconds: 2 })
    const alone = await arrive(running, { name: 'alone', seconds })
    await fill(ctx, filled, backlog)
    const draining = drain(running, { hooks: filled, count: backlog })
    const beside = await arrive(running, { name: 'beside', seconds })
    const counts = filled.map((hook) => ctx.store.deliveries.countDocuments(waitingOf(hook)))
    const left = (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
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
  })
}

/** Measures how much one process can post at most: with our signature and our HTTP client, but without recording anything. */
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

/** Inserts due deliveries for these endpoints. They are not made yet, since that needs the `dueAt` of their endpoint too. */
async function fill({ store }: Context, hooks: readonly Hook[], count: number): Promise<void> {
  const now = new Date()
  for (let n = 0; n < count; n += insertedAtOnce) {
    const size = Math.min(insertedAtOnce, count - n)
    await store.deliveries.insertMany(
      Array.from({ length: size }, (_, k) => dueOf(hooks[(n + k) % hooks.length]!, now)),
    )
  }
}

/** Makes endpoints due, and waits until all of their deliveries are made and recorded. */
async function drain(
  { service, ctx }: WebhookService,
  { hooks, count }: { readonly hooks: readonly Hook[]; readonly count: number },
): Promise<{ perSecond: number; cpuMsEach: number }> {
  const pids = [service.process.pid ?? 0]
  const [began, cpu] = [performance.now(), cpuMs(pids)]
  for (const { id, accountId } of hooks)
    await ctx.store.webhooks.updateOne({ accountId, _id: id }, { $min: { dueAt: new Date() }, $inc: { dueRev: 1 } })
  ctx.changes.publish({ kind: 'deliveries' })
  await eventually('all are recorded', () => isDrained(ctx, hooks), drainedWithinMs)
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
    expiresAt: new Date(at.getTime() + dayMs),
    firstAt: at,
    nextAt,
    lease: null,
    attempts: [{ at, status: 500, response: '', error: null, durationMs: 1 }],
  }
}

async function isDrained({ store }: Context, hooks: readonly Hook[]): Promise<boolean> {
  await sleep(askEveryMs)
  const left = await Promise.all(
    hooks.map((hook) => store.deliveries.findOne(waitingOf(hook), { projection: { _id: 1 } })),
  )
  return left.every((found) => found === null)
}

/** A filter for the deliveries of an endpoint that are not recorded yet. */
const waitingOf = ({ id, accountId }: Hook) => ({ accountId, webhookId: id, nextAt: { $gt: new Date(0) } })

/** Sends mail at a steady rate. Returns messages per second, and quantiles of the time from the 250 to the receiver. */
async function arrive(
  { service, ctx, sink, senders }: WebhookService,
  { name, seconds }: { readonly name: string; readonly seconds: number },
): Promise<readonly number[]> {
  await forgetEventLimits(ctx)
  // Senders whose endpoints have the backlog get no mail.
  const others = senders.slice(senders.length / 2)
  const { acceptedPerSecond, p50Ms, p99Ms, maxMs } = await announcedArrivals(
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
