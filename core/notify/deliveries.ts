/**
 * Webhook deliveries: one document per event and endpoint, inserted when the event is recorded and attempted at once.
 * Retries follow from `nextAt`. A claim moves `nextAt` to the end of its lease, so that the attempt of a process that
 * died is made again.
 */
import { createHmac } from 'node:crypto'
import { deriveId, newToken } from '../../schemas/ids.ts'
import { fromBinary } from '../../store/bytes.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryAttempt, DeliveryDoc, EventDoc, WebhookDoc } from '../../store/documents/events.ts'
import { findEvents } from '../../store/events.ts'
import { changeWebhook, findWebhook, markWebhookFailing } from '../../store/webhooks.ts'
import { dueNow, inTimeOf } from '../process/account-time.ts'
import { noteDue, noteFailed } from '../process/alarms.ts'
import { after, dayMs, hourMs, minuteMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { eventOf } from './event-body.ts'
import { postWebhook } from './webhook-post.ts'
import { enabledEndpoints, isLive } from './webhooks.ts'

/** Pauses after the first failed attempts; later ones are 8 hours (decisions.md 2, Webhooks and events). */
const pausesMs = [
  5 * secondMs,
  30 * secondMs,
  2 * minuteMs,
  10 * minuteMs,
  30 * minuteMs,
  hourMs,
  2 * hourMs,
  4 * hourMs,
]
const finalPauseMs = 8 * hourMs
const jitter = 0.2
const retryForMs = dayMs
const retryAfterMaxMs = hourMs
const disableAfterMs = 5 * dayMs
const leaseMs = 30 * secondMs
const orderedPauseMs = secondMs
const dueMax = 200

/** Inserts the deliveries of new events and starts their first attempts, without waiting for the answers. */
export async function planDeliveries(ctx: Context, events: readonly EventDoc[]): Promise<void> {
  const byAccount = [...Map.groupBy(events, ({ accountId }) => accountId)]
  const planned = await Promise.all(
    byAccount.map(async ([accountId, own]) => {
      const inTime = inTimeOf(ctx, accountId)
      const at = inTime.clock.now()
      const endpoints = await enabledEndpoints(inTime, accountId)
      return own.flatMap((event) =>
        endpoints.filter(({ matches }) => matches(event)).map(({ webhook }) => deliveryOf(webhook, event, at)),
      )
    }),
  )
  await store.insertDeliveries(ctx.store, planned.flat())
  attemptSoon(ctx, planned.flat())
}

/**
 * Inserts the deliveries that are missing because of a crash between recording the events and inserting their
 * deliveries. Endpoints created after an event do not get it.
 */
export async function planMissedDeliveries(
  ctx: Context,
  accountId: string,
  eventIds: readonly string[],
): Promise<void> {
  const inTime = inTimeOf(ctx, accountId)
  const endpoints = await enabledEndpoints(inTime, accountId)
  if (endpoints.length === 0 || eventIds.length === 0) return
  const at = inTime.clock.now()
  const expected = (await findEvents(ctx.store, eventIds)).flatMap((event) =>
    endpoints
      .filter(({ webhook, matches }) => webhook.createdAt <= event.createdAt && matches(event))
      .map(({ webhook }) => deliveryOf(webhook, event, at)),
  )
  const known = await store.findExistingDeliveryIds(
    ctx.store,
    expected.map(({ _id }) => _id),
  )
  const missed = expected.filter(({ _id }) => !known.has(_id))
  await store.insertDeliveries(ctx.store, missed)
  attemptSoon(ctx, missed)
}

/** Makes the attempts that are due, of an account or of all, at most `dueMax`. Returns how many there were. */
export async function attemptDueDeliveries(ctx: Context, accountId?: string): Promise<number> {
  const due = await store.findDueDeliveries(ctx.store, dueNow(ctx, accountId), dueMax)
  await Promise.all(due.map((delivery) => attempt(inTimeOf(ctx, delivery.accountId), delivery._id)))
  return due.length
}

/** When the next attempt is due, of an account or of all; null when none waits. */
export function nextAttempt(ctx: Context, accountId?: string): Promise<Date | null> {
  return store.nextDelivery(ctx.store, accountId)
}

function deliveryOf(webhook: WebhookDoc, event: EventDoc, at: Date): DeliveryDoc {
  return {
    _id: deriveId('dlv', event._id, webhook._id),
    accountId: event.accountId,
    webhookId: webhook._id,
    eventId: event._id,
    type: event.type,
    mailboxId: event.mailboxId,
    body: JSON.stringify(eventOf(event, webhook)),
    ...causeOf(event),
    state: 'waiting',
    createdAt: at,
    firstAt: null,
    nextAt: at,
    lease: null,
    attempts: [],
  }
}

/** Attempts new deliveries without waiting for the answers, or has a process do it that lives on. */
function attemptSoon(ctx: Context, deliveries: readonly DeliveryDoc[]): void {
  if (deliveries.length === 0) return
  if (ctx.role === 'admin') {
    ctx.changes.publish({ kind: 'deliveries' })
    return
  }
  for (const { _id: deliveryId, accountId } of deliveries)
    attempt(inTimeOf(ctx, accountId), deliveryId).catch((error: unknown) => {
      // The delivery stays due: the next run of `attemptDueDeliveries` attempts it again.
      noteFailed(ctx, 'deliveries')
      ctx.log.warn({ err: error, deliveryId }, 'webhook attempt failed; it is made again')
    })
}

/** Claims one delivery, posts it and records the result. */
async function attempt(ctx: Context, deliveryId: string): Promise<void> {
  const now = ctx.clock.now()
  const token = newToken()
  const delivery = await store.claimDelivery(ctx.store, { deliveryId, now, until: after(now, leaseMs), token })
  if (delivery === null) return
  const webhook = await findWebhook(ctx.store, delivery)
  if (webhook === null || !(await isLive(ctx, webhook))) {
    await store.skipDeliveries(ctx.store, delivery.webhookId)
    return
  }
  if (webhook.ordering === 'mailbox' && (await store.hasEarlierWaiting(ctx.store, delivery))) {
    const nextAt = after(now, orderedPauseMs)
    await store.postponeDelivery(ctx.store, delivery, nextAt)
    noteDue(ctx, 'deliveries', nextAt)
    return
  }
  const secret = ctx.secrets.open(fromBinary(webhook.secret), 'webhook')
  const sent = ctx.clock.now()
  const post = () =>
    postWebhook(ctx, {
      url: webhook.url,
      body: delivery.body,
      headers: {
        // Receivers hold it against their own clock, also that of a sandbox's event.
        ...signatureHeaders({
          id: delivery.eventId,
          body: delivery.body,
          secrets: [secret],
          at: ctx.machineClock.now(),
        }),
        // The span of the attempt, so that the receiver's spans lie below it.
        ...ctx.tracing.cause(),
      },
    })
  const answer = await ctx.tracing.span('webhook', { cause: delivery, kind: 'client' }, post)
  const made: DeliveryAttempt = {
    at: sent,
    status: answer.status,
    response: answer.response,
    error: answer.error,
    durationMs: answer.durationMs,
  }
  const isTaken = answer.status !== null && answer.status >= 200 && answer.status < 300
  ctx.metrics.count('mailroom_webhook_attempts_total', { result: isTaken ? 'delivered' : 'failed' })
  if (isTaken) {
    const lagMs = ctx.clock.now().getTime() - delivery.createdAt.getTime()
    ctx.metrics.observe('mailroom_webhook_lag_seconds', {}, lagMs / secondMs)
    await store.recordAttempt(ctx.store, delivery, { attempt: made, state: 'delivered', nextAt: null })
    if (webhook.failingSince !== null)
      await changeWebhook(ctx.store, {
        accountId: webhook.accountId,
        webhookId: webhook._id,
        change: { failingSince: null },
      })
    return
  }
  await recordFailure(ctx, delivery, webhook, made, answer.retryAfterMs)
}

async function recordFailure(
  ctx: Context,
  delivery: DeliveryDoc,
  webhook: WebhookDoc,
  made: DeliveryAttempt,
  retryAfterMs: number | null,
): Promise<void> {
  const { accountId, _id: webhookId } = webhook
  const first = delivery.firstAt ?? made.at
  const nextAt = after(made.at, pauseMs(delivery.attempts.length, retryAfterMs))
  const over = nextAt.getTime() - first.getTime() > retryForMs
  await store.recordAttempt(ctx.store, delivery, {
    attempt: made,
    state: over ? 'failed' : 'waiting',
    nextAt: over ? null : nextAt,
  })
  if (!over) noteDue(ctx, 'deliveries', nextAt)
  const failingSince = await markWebhookFailing(ctx.store, { accountId, webhookId, at: made.at })
  if (made.at.getTime() - failingSince.getTime() < disableAfterMs) return
  await changeWebhook(ctx.store, { accountId, webhookId, change: { enabled: false } })
  await store.skipDeliveries(ctx.store, webhookId)
  ctx.changes.publish({ kind: 'webhooks', accountIds: [accountId] })
  ctx.log.warn({ webhookId, accountId, failingSince }, 'webhook endpoint turned off after 5 days of failures')
}

function pauseMs(attemptsBefore: number, retryAfterMs: number | null): number {
  const pause = (pausesMs[attemptsBefore] ?? finalPauseMs) * (1 - jitter + 2 * jitter * Math.random())
  return retryAfterMs === null ? pause : Math.max(pause, Math.min(retryAfterMs, retryAfterMaxMs))
}

/**
 * The headers with which a receiver verifies a request: ours (interface.md, Webhook signature) and those of Standard
 * Webhooks. With two secrets both sign, the newer one last.
 */
export function signatureHeaders({
  id,
  body,
  secrets,
  at,
}: {
  id: string
  body: string
  secrets: readonly string[]
  at: Date
}): Record<string, string> {
  const timestamp = Math.floor(at.getTime() / secondMs)
  const ours = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`,
  )
  const standard = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'x-service-signature': [`t=${timestamp}`, ...ours].join(','),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': standard.join(' '),
  }
}
