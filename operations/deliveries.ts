import { attemptCounts } from '../core/notify/attempt-counts.ts'
import { getDelivery as get, listDeliveries as list } from '../core/notify/delivery-log.ts'
import { redeliver, resendDelivery as resend, testEndpoint } from '../core/notify/resends.ts'
import { getWebhook } from '../core/notify/webhooks.ts'
import { accountEventTypes } from '../schemas/events.ts'
import { DeliveryId, identifier, page, pageSizeDefault, paging, WebhookId } from '../schemas/fields.ts'
import { array, described, type Infer, integer, object, oneOf, optional, timestamp } from '../schemas/infer.ts'
import { AttemptCounts, Delivery, deliveryStates, sampleType } from '../schemas/webhooks.ts'
import { operation } from './registry.ts'

/** The filters of a delivery log. */
export function deliveryFilters<const T extends string>(types: readonly T[]) {
  return {
    state: optional(oneOf(deliveryStates, { description: 'Only deliveries in this state.' })),
    type: optional(oneOf(types, { description: 'Only deliveries of this event type.' })),
    event: optional(identifier('Only deliveries of this event (evt_...).')),
  } as const
}

export const listDeliveries = operation({
  name: 'deliveries.list',
  summary: 'The delivery log of an endpoint, newest first: every attempt with its request and response.',
  scope: null,
  http: 'GET /api/v1/webhooks/{id}/deliveries',
  input: object({
    id: WebhookId,
    ...deliveryFilters(accountEventTypes),
    ...paging,
  }),
  output: page('deliveries', Delivery),
  errors: ['not_found'],
  async handle({ ctx, principal }, { id: webhookId, limit = pageSizeDefault, ...filters }) {
    const { items, next } = await list(ctx, principal, { webhookId, limit, ...filters })
    return { deliveries: items.map(deliveryRecord), next }
  },
})

export const getDelivery = operation({
  name: 'deliveries.get',
  summary: 'One delivery, with its attempts.',
  scope: null,
  http: 'GET /api/v1/deliveries/{id}',
  input: object({ id: DeliveryId }),
  output: Delivery,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    return deliveryRecord(await get(ctx, principal, id))
  },
})

export const getAttempts = operation({
  name: 'webhooks.attempts',
  summary:
    'How many attempts succeeded and failed at an endpoint, for each hour of the last two days or each of the last 30 days.',
  scope: null,
  http: 'GET /api/v1/webhooks/{id}/attempts',
  input: object({
    id: WebhookId,
    by: optional(
      oneOf(['hour', 'day'], {
        description: 'Period of one count: hour (the last 48) or day (the last 30).',
        default: 'day',
      }),
    ),
  }),
  output: AttemptCounts,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id: webhookId, by = 'day' }) {
    const counts = await attemptCounts(ctx, principal, { webhookId, by })
    return { by, attempts: counts.map(({ from, ...rest }) => ({ from: from.toISOString(), ...rest })) }
  },
})

export const resendDelivery = operation({
  name: 'deliveries.resend',
  summary:
    'Send a delivery again: the same body, in a single attempt, as a new delivery, which is the answer. An account may make 20 resends and tests in 10 minutes.',
  scope: null,
  http: 'POST /api/v1/deliveries/{id}/resend',
  status: 202,
  input: object({ id: DeliveryId }),
  output: Delivery,
  errors: ['not_found', 'conflict'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await get(ctx, principal, id)),
  async handle({ ctx, principal }, { id }) {
    return deliveryRecord(await resend(ctx, principal, id))
  },
})

export const testWebhook = operation({
  name: 'webhooks.test',
  summary:
    'Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery. An account may make 20 resends and tests in 10 minutes.',
  scope: null,
  http: 'POST /api/v1/webhooks/{id}/test',
  status: 202,
  input: object({ id: WebhookId, type: sampleType(accountEventTypes) }),
  output: Delivery,
  errors: ['not_found', 'conflict', 'plan_required', 'insufficient_scope'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await getWebhook(ctx, principal, id)),
  async handle({ ctx, principal }, { id: webhookId, type }) {
    return deliveryRecord(await testEndpoint(ctx, principal, { webhookId, type }))
  },
})

export const redeliverEvents = operation({
  name: 'webhooks.redeliver',
  summary:
    'Deliver the events of a time span to an endpoint again, oldest first, each as a resend of its own, at a rate of 20 in 10 minutes.',
  scope: null,
  http: 'POST /api/v1/webhooks/{id}/redeliver',
  status: 202,
  input: object({
    id: WebhookId,
    since: timestamp({ description: 'From this time on; events are kept for 30 days.' }),
    until: optional(timestamp({ description: 'Before this time; default: now.' })),
    types: optional(
      array(oneOf(accountEventTypes), {
        minItems: 1,
        uniqueItems: true,
        description: 'Only these of the types that the endpoint receives.',
      }),
    ),
  }),
  output: object({ count: described('How many events will be delivered.', integer()) }),
  errors: ['not_found', 'conflict', 'plan_required', 'insufficient_scope', 'unprocessable'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await getWebhook(ctx, principal, id)),
  async handle({ ctx, principal }, { id: webhookId, since, until, types }) {
    const count = await redeliver(ctx, principal, {
      webhookId,
      since: new Date(since),
      until: until === undefined ? ctx.clock.now() : new Date(until),
      ...(types !== undefined && { types }),
    })
    return { count }
  },
})

type Found = Awaited<ReturnType<typeof get>>

export function deliveryRecord({
  _id,
  webhookId,
  eventId,
  type,
  origin,
  state,
  ...rest
}: Found): Infer<typeof Delivery> {
  const { createdAt, nextAt, body, attempts } = rest
  return {
    id: _id,
    webhookId,
    eventId,
    type,
    origin,
    state,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAt?.toISOString() ?? null,
    body,
    attempts: attempts.map(({ at, url = '', headers = {}, responseHeaders = {}, ...attempt }) => ({
      at: at.toISOString(),
      url,
      headers,
      responseHeaders,
      ...attempt,
    })),
  }
}
