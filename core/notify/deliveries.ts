/**
 * Plans the deliveries of events: one document per event and endpoint, inserted when the event is recorded and attempted at once,
 * by the process that planned it, under a lease that is written with the document. Retries follow from `nextAt`.
 */
import { deriveId, idAt, newToken } from '../../schemas/ids.ts'
import * as store from '../../store/deliveries.ts'
import type { DeliveryDoc, EventDoc } from '../../store/documents/events.ts'
import { findEvents, walkEvents } from '../../store/events.ts'
import { inTimeOf } from '../process/account-time.ts'
import { noteDue } from '../process/alarms.ts'
import { after, hourMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit, isolateFailures } from '../process/group-commit.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { causeOf } from '../process/tracing.ts'
import { attemptQueue } from './attempt-queue.ts'
import { attemptAll, leaseEnd } from './attempts.ts'
import { type Endpoint, enabledEndpoints } from './endpoints.ts'
import { eventOf } from './event-body.ts'

/** Most plans for endpoints that keep an order that are made together. */
const plansMax = 50
/** How many numbers below new events are searched for events without deliveries: more than a process plans at once. */
const aheadMax = 500
/** Most accounts for which a process remembers how far their events are planned. */
const accountsMax = 10_000

/** Inserts the deliveries of new events and starts their first attempts, without waiting for the answers. */
export async function planDeliveries(ctx: Context, events: readonly EventDoc[]): Promise<void> {
  const byAccount = [...Map.groupBy(events, ({ accountId }) => accountId)]
  const planned = await Promise.all(
    byAccount.map(async ([accountId, own]) => {
      const endpoints = await enabledEndpoints(ctx, accountId)
      if (endpoints.some(keepsOrder)) await plansInOrder(ctx)({ ctx, accountId, events: own })
      return deliveriesOf(
        ctx,
        endpoints.filter((endpoint) => !keepsOrder(endpoint)),
        own,
      )
    }),
  )
  await deliver(ctx, planned.flat())
}

type Plan = { readonly ctx: Context; readonly accountId: string; readonly events: readonly EventDoc[] }

/**
 * The plans for endpoints that keep an order. Another process may have recorded events with lower numbers without inserting their
 * deliveries yet, so that nothing would hold back later ones: those events are planned here too. Plans of this process are made one
 * after another, and events that one plan has covered are not checked again.
 */
const plansInOrder = perProcess(({ machineClock }) => {
  /** The number up to which the events of an account have their deliveries. */
  const planned = createKept<number>(machineClock, { max: accountsMax, ttlMs: hourMs })
  return createGroupCommit<Plan>(
    plansMax,
    isolateFailures(async (plans) => {
      for (const [accountId, own] of Map.groupBy(plans, (plan) => plan.accountId)) {
        const { ctx } = own[0]!
        const events = own.flatMap((plan) => plan.events).sort((a, b) => a.seq - b.seq)
        const [first, last] = [events[0]!.seq, events.at(-1)!.seq]
        const after = Math.max(planned.get(accountId) ?? 0, first - 1 - aheadMax)
        await planInOrder(ctx, { accountId, events }, { after, upTo: last })
        planned.set(accountId, Math.max(after, last))
      }
      return []
    }),
  )
})

async function planInOrder(
  ctx: Context,
  { accountId, events }: Omit<Plan, 'ctx'>,
  { after, upTo }: { readonly after: number; readonly upTo: number },
): Promise<void> {
  const endpoints = (await enabledEndpoints(ctx, accountId)).filter(keepsOrder)
  const own = new Set(events.map(({ _id }) => _id))
  const isAlone = upTo - after <= events.filter(({ seq }) => seq > after).length
  const range = isAlone ? [] : await walkEvents(ctx.store, { accountId, after, upTo, limit: upTo - after })
  // Events that were recorded under another account were planned there.
  const others = range.filter(({ _id, movedFrom }) => movedFrom === undefined && !own.has(_id))
  const missed = await withoutDelivery(ctx, missedBy(ctx, endpoints, others))
  await deliver(
    ctx,
    [...missed, ...deliveriesOf(ctx, endpoints, events)].sort((a, b) => (a.order ?? 0) - (b.order ?? 0)),
  )
}

const keepsOrder = ({ webhook }: Endpoint) => webhook.ordering === 'mailbox'

function deliveriesOf(ctx: Context, endpoints: readonly Endpoint[], events: readonly EventDoc[]): DeliveryDoc[] {
  return events.flatMap((event) =>
    endpoints.filter(({ matches }) => matches(event)).map((endpoint) => deliveryOf(ctx, endpoint, event)),
  )
}

/**
 * The deliveries that recorded events should have: for each endpoint only those of events since it was made, was turned on, or had
 * its event types or scope changed.
 */
function missedBy(ctx: Context, endpoints: readonly Endpoint[], events: readonly EventDoc[]): DeliveryDoc[] {
  return endpoints.flatMap((endpoint) => {
    const { since, createdAt } = endpoint.webhook
    return deliveriesOf(
      ctx,
      [endpoint],
      events.filter((event) => event.createdAt >= (since ?? createdAt)),
    )
  })
}

/** The expected deliveries that are not inserted yet. */
async function withoutDelivery(ctx: Context, expected: readonly DeliveryDoc[]): Promise<DeliveryDoc[]> {
  if (expected.length === 0) return []
  const known = await store.findExistingDeliveryIds(ctx.store, expected)
  return expected.filter(({ _id }) => !known.has(_id))
}

/**
 * The id of the delivery of an event to an endpoint, always the same. It contains the time of the event, by which the log lists
 * deliveries: the id of the event itself contains the time of what the event is about.
 */
function deliveryIdOf({ _id, createdAt }: EventDoc, webhookId: string): string {
  return deriveId('dlv', idAt('evt', createdAt), `${_id} ${webhookId}`)
}

/**
 * Inserts the deliveries that are missing because of a crash between recording the events and inserting their
 * deliveries. An endpoint that was made, turned on or given other event types after an event does not get it.
 */
export async function planMissedDeliveries(
  ctx: Context,
  accountId: string,
  eventIds: readonly string[],
): Promise<void> {
  const endpoints = await enabledEndpoints(ctx, accountId)
  if (endpoints.length === 0 || eventIds.length === 0) return
  const events = await findEvents(ctx.store, { accountId, ids: eventIds })
  await deliver(ctx, await withoutDelivery(ctx, missedBy(ctx, endpoints, events)))
}

function deliveryOf(ctx: Context, { webhook, logMs }: Endpoint, event: EventDoc): DeliveryDoc {
  const at = inTimeOf(ctx, event.accountId).clock.now()
  return {
    _id: deliveryIdOf(event, webhook._id),
    accountId: event.accountId,
    webhookId: webhook._id,
    eventId: event._id,
    type: event.type,
    origin: 'event',
    mailboxId: event.mailboxId,
    ...(event.customerId !== undefined && { customerId: event.customerId }),
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
 * Inserts deliveries. Those that this process has room for are inserted as claimed and attempted at once. The others are due for any
 * process that has room; so are the claimed ones when this process ends before it has attempted them.
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
  // The claimed deliveries are due again when their leases end; usually none is left by then.
  for (const accountId of new Set(own.map((delivery) => delivery.accountId))) {
    const inTime = inTimeOf(ctx, accountId)
    noteDue(inTime, 'deliveries', leaseEnd(inTime))
  }
}
