/**
 * Plans the deliveries of events: one document per event and endpoint, inserted when the event is recorded and attempted at once,
 * by the process that planned it, under a lease that is written with the document. Retries follow from `nextAt`.
 */
import { deriveId, newToken } from '../../schemas/ids.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryDoc, EventDoc } from '../../store/documents/events.ts'
import { findEvents } from '../../store/events.ts'
import { inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { causeOf } from '../process/tracing.ts'
import { attemptQueue } from './attempt-queue.ts'
import { attemptAll, leaseEnd } from './attempts.ts'
import { type Endpoint, enabledEndpoints } from './endpoints.ts'
import { eventOf } from './event-body.ts'

/** Inserts the deliveries of new events and starts their first attempts, without waiting for the answers. */
export async function planDeliveries(ctx: Context, events: readonly EventDoc[]): Promise<void> {
  const byAccount = [...Map.groupBy(events, ({ accountId }) => accountId)]
  const planned = await Promise.all(
    byAccount.map(async ([accountId, own]) => {
      const endpoints = await enabledEndpoints(ctx, accountId)
      return own.flatMap((event) =>
        endpoints.filter(({ matches }) => matches(event)).map((endpoint) => deliveryOf(ctx, endpoint, event)),
      )
    }),
  )
  await deliver(ctx, planned.flat())
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
  const endpoints = await enabledEndpoints(ctx, accountId)
  if (endpoints.length === 0 || eventIds.length === 0) return
  const expected = (await findEvents(ctx.store, eventIds)).flatMap((event) =>
    endpoints
      .filter(({ webhook, matches }) => webhook.createdAt <= event.createdAt && matches(event))
      .map((endpoint) => deliveryOf(ctx, endpoint, event)),
  )
  const known = await store.findExistingDeliveryIds(
    ctx.store,
    expected.map(({ _id }) => _id),
  )
  await deliver(
    ctx,
    expected.filter(({ _id }) => !known.has(_id)),
  )
}

function deliveryOf(ctx: Context, { webhook, logMs }: Endpoint, event: EventDoc): DeliveryDoc {
  const at = inTimeOf(ctx, event.accountId).clock.now()
  return {
    _id: deriveId('dlv', event._id, webhook._id),
    accountId: event.accountId,
    webhookId: webhook._id,
    eventId: event._id,
    type: event.type,
    origin: 'event',
    mailboxId: event.mailboxId,
    body: JSON.stringify(eventOf(event, webhook)),
    ...causeOf(event),
    state: 'waiting',
    ...(webhook.ordering === 'mailbox' && { order: event.seq }),
    createdAt: at,
    expiresAt: after(at, logMs),
    firstAt: null,
    nextAt: at,
    lease: null,
    attempts: [],
  }
}

/**
 * Inserts deliveries: those that this process has room for claimed, to attempt them at once. The others are due, for whoever has
 * room next; all of them, when this process ends before they could be made.
 */
async function deliver(ctx: Context, deliveries: readonly DeliveryDoc[]): Promise<void> {
  if (deliveries.length === 0) return
  const token = newToken()
  const own: DeliveryDoc[] = []
  for (const [webhookId, some] of Map.groupBy(deliveries, (delivery) => delivery.webhookId)) {
    const room = ctx.role === 'admin' ? 0 : attemptQueue(ctx).roomFor(webhookId)
    const until = leaseEnd(inTimeOf(ctx, some[0]!.accountId))
    own.push(...some.slice(0, room).map((delivery) => ({ ...delivery, nextAt: until, lease: token })))
  }
  const claimed = new Set(own.map(({ _id }) => _id))
  const others = deliveries.filter(({ _id }) => !claimed.has(_id))
  const inserted = await store.insertDeliveries(ctx.store, [...own, ...others])
  void attemptAll(
    ctx,
    inserted.filter(({ _id }) => claimed.has(_id)),
  )
  if (others.length > 0) ctx.changes.publish({ kind: 'deliveries' })
  // Their endpoints are due when the leases end; most often nothing waits then.
  for (const accountId of new Set(own.map((delivery) => delivery.accountId))) {
    const inTime = inTimeOf(ctx, accountId)
    noteDue(inTime, 'deliveries', leaseEnd(inTime))
  }
}
