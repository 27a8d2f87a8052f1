/**
 * Deliveries that a caller requests: one delivery again, the events of a time range again, or a test event. Each is a delivery of
 * its own with one attempt, and counts against the limit of the account (`resend-limit`).
 */
import { Failure } from '../../schemas/failures.ts'
import { deriveId, idAt, newId, newToken } from '../../schemas/ids.ts'
import { insertDeliveries } from '../../store/deliveries.ts'
import type { DeliveryDoc, EventDoc } from '../../store/documents/events.ts'
import { lastEventNumber, listEvents } from '../../store/events.ts'
import type { Principal } from '../access/principal.ts'
import { noteDue } from '../process/alarms.ts'
import { after, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { attemptAll, leaseEnd } from './attempts.ts'
import { getDelivery } from './delivery-log.ts'
import { type Endpoint, enabledEndpoint } from './endpoints.ts'
import { eventOf } from './event-body.ts'
import { readableTypes } from './event-list.ts'
import { shownToPartner } from './partner-events.ts'
import { resendsMax, resendWindowMs, takeResend } from './resend-limit.ts'
import { sampleOf } from './samples.ts'
import { reachWebhook, requireEvents } from './webhooks.ts'

/** Most events of one redelivery: they leave at 20 per 10 minutes, so this many take more than eight hours. */
const redeliveredMax = 1_000
const eventsPage = 200

/**
 * Makes a delivery once more: the same body, in one attempt with a new signature. Returns the new delivery, before its attempt.
 * Fails with `not_found`, `conflict` (the endpoint is turned off) and `rate_limited`.
 */
export async function resendDelivery(ctx: Context, principal: Principal, id: string): Promise<DeliveryDoc> {
  const { webhookId, eventId, type, mailboxId, body, origin: before } = await getDelivery(ctx, principal, id)
  const endpoint = await endpointOn(ctx, principal, webhookId)
  // A test stays a test: it says nothing about how events arrive.
  const origin = before === 'test' ? 'test' : 'resend'
  return sendNow(ctx, principal, requested(ctx, endpoint, { origin, eventId, type, mailboxId, body }))
}

/**
 * Sends a sample of an event to an endpoint, in one attempt, marked as a test; no list shows it as an event. Returns the delivery,
 * before its attempt. Fails with `not_found`, `conflict` (the endpoint is turned off), `rate_limited`, and as `createWebhook` does for
 * an event type that the key may not receive.
 */
export async function testEndpoint(
  ctx: Context,
  principal: Principal,
  { webhookId, type }: { readonly webhookId: string; readonly type: string },
): Promise<DeliveryDoc> {
  const endpoint = await endpointOn(ctx, principal, webhookId)
  requireEvents(principal, [type], 'type')
  const at = ctx.clock.now()
  const eventId = newId('evt', at)
  const body = JSON.stringify({
    id: eventId,
    type,
    created_at: at.toISOString(),
    test: true,
    ...((principal.account.sandbox || principal.partnerMode === 'test') && { sandbox: true }),
    ...(principal.partnerMode !== undefined && { customer_id: idAt('cus', at) }),
    data: principal.partnerMode === undefined ? sampleOf(type, at) : shownToPartner(type, sampleOf(type, at)),
  })
  return sendNow(ctx, principal, requested(ctx, endpoint, { origin: 'test', eventId, type, mailboxId: null, body }))
}

/**
 * Delivers the events of a time range to an endpoint again, oldest first: all that it receives, whether they were delivered before or
 * not. They leave at the pace of the resend limit. Returns their number. Fails with `not_found`, `conflict` (the endpoint is turned
 * off), `unprocessable` (too many), `validation_error` (`since` is after `until`), and as `createWebhook` does for an event type that
 * the key may not receive.
 */
export async function redeliver(
  ctx: Context,
  principal: Principal,
  {
    webhookId,
    since,
    until,
    types,
  }: { readonly webhookId: string; readonly since: Date; readonly until: Date; readonly types?: readonly string[] },
): Promise<number> {
  if (since > until)
    throw new Failure('validation_error', `"since" is after ${until.toISOString()}, the end of the time range.`, {
      param: 'since',
      fix: 'Give "since" a time in the past that is before "until".',
    })
  const endpoint = await endpointOn(ctx, principal, webhookId)
  if (types !== undefined) requireEvents(principal, types, 'types')
  const events = await eventsFor(ctx, principal, { endpoint, since, until, types: types ?? readableTypes(principal) })
  const now = ctx.clock.now()
  const deliveries = events.map((event, n): DeliveryDoc => {
    const { _id: eventId, type, mailboxId } = event
    const body = JSON.stringify(eventOf(event, endpoint.webhook))
    const delivery = requested(ctx, endpoint, { origin: 'resend', eventId, type, mailboxId, body })
    // Deliveries that leave together are due a millisecond apart, so that they are claimed in their order.
    const afterMs = Math.floor(n / resendsMax) * resendWindowMs + (n % resendsMax) - resendsMax
    return { ...delivery, isPaced: true, nextAt: after(now, afterMs) }
  })
  await insertDeliveries(ctx.store, deliveries)
  if (deliveries.length > 0) noteDue(ctx, 'deliveries', now)
  return deliveries.length
}

async function eventsFor(
  ctx: Context,
  { accountId, mailboxIds }: Principal,
  {
    endpoint: { matches },
    since,
    until,
    types,
  }: { readonly endpoint: Endpoint; readonly since: Date; readonly until: Date; readonly types: readonly string[] },
): Promise<readonly EventDoc[]> {
  const found: EventDoc[] = []
  const upTo = await lastEventNumber(ctx.store, accountId)
  for (let seq = 0; ; ) {
    const range = { after: seq, upTo, newestFirst: false, limit: eventsPage }
    const { docs, isMore } = await listEvents(ctx.store, { accountId, types, mailboxIds, since, until }, range)
    found.push(...docs.filter(matches))
    if (found.length > redeliveredMax)
      throw new Failure('unprocessable', `There are more than ${redeliveredMax} such events between these times.`, {
        fix: 'Give a shorter time range or fewer types, or read the events from the list.',
      })
    if (!isMore) return found
    seq = docs.at(-1)!.seq
  }
}

/** An endpoint that the key may see and that is on. */
async function endpointOn(ctx: Context, principal: Principal, webhookId: string): Promise<Endpoint> {
  const { accountId } = await reachWebhook(ctx, principal, webhookId)
  const endpoint = await enabledEndpoint(ctx, { accountId, webhookId })
  if (endpoint !== null) return endpoint
  throw new Failure('conflict', `The endpoint ${webhookId} is turned off.`, {
    fix: 'Turn it on by a PATCH with {"enabled": true}, and repeat the request.',
  })
}

type Asked = Pick<DeliveryDoc, 'origin' | 'eventId' | 'type' | 'mailboxId' | 'body'>

/** Makes the document of a requested delivery; its id is the same for every try of an idempotent request. */
function requested(ctx: Context, { webhook, logMs }: Endpoint, asked: Asked): DeliveryDoc {
  const at = ctx.clock.now()
  const { onceId } = ctx
  return {
    _id: onceId === null ? newId('dlv', at) : deriveId('dlv', onceId, `${asked.eventId} ${asked.origin}`),
    accountId: webhook.accountId,
    webhookId: webhook._id,
    ...asked,
    ...ctx.tracing.cause(),
    state: 'waiting',
    createdAt: at,
    expiresAt: after(at, logMs),
    firstAt: null,
    nextAt: leaseEnd(ctx),
    lease: newToken(),
    attempts: [],
  }
}

async function sendNow(ctx: Context, { accountId }: Principal, delivery: DeliveryDoc): Promise<DeliveryDoc> {
  const waitMs = await takeResend(ctx, accountId)
  if (waitMs !== null)
    throw new Failure('rate_limited', `An account may resend and test ${resendsMax} times in 10 minutes.`, {
      retryAfter: waitMs / secondMs,
      fix: 'Wait for the seconds in Retry-After. What a redelivery still has to send counts too.',
    })
  void attemptAll(ctx, await insertDeliveries(ctx.store, [delivery]))
  return delivery
}
