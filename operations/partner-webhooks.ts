import { listDeliveries as deliveries } from '../core/notify/delivery-log.ts'
import { testEndpoint } from '../core/notify/resends.ts'
import {
  createWebhook as create,
  getWebhook as get,
  listWebhooks as list,
  deleteWebhook as remove,
  rotateSecret,
  updateWebhook as update,
} from '../core/notify/webhooks.ts'
import { partnerEventTypes } from '../schemas/events.ts'
import { Deleted, page, pageSizeDefault, paging, WebhookId } from '../schemas/fields.ts'
import { array, nullable, object, oneOf, optional } from '../schemas/infer.ts'
import {
  Delivery,
  NewWebhook,
  sampleType,
  Webhook,
  WebhookDescription,
  WebhookEnabled,
  WebhookOrdering,
  WebhookUrl,
} from '../schemas/webhooks.ts'
import { deliveryFilters, deliveryRecord } from './deliveries.ts'
import { operation } from './registry.ts'
import { webhookPage, webhookRecord } from './webhooks.ts'

const Events = array(oneOf(partnerEventTypes), {
  minItems: 1,
  uniqueItems: true,
  description: 'Event types to deliver, for every customer.',
})
const optionalFields = {
  enabled: optional(WebhookEnabled),
  ordering: optional(WebhookOrdering),
  description: optional(nullable(WebhookDescription)),
} as const

export const listPartnerWebhooks = operation({
  name: 'partner_webhooks.list',
  summary: "The partner's endpoints. A test key lists those that test keys created, and only those.",
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/webhooks',
  input: object(paging),
  output: page('webhooks', Webhook),
  errors: [],
  handle: async ({ ctx, principal }, wanted) => webhookPage(await list(ctx, principal), wanted),
})

export const createPartnerWebhook = operation({
  name: 'partner_webhooks.create',
  summary:
    'Deliver events of every customer to a URL, signed, each with its customer_id. An endpoint that a test key created receives only events of test customers. The signing secret is shown only in this answer.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/webhooks',
  status: 201,
  input: object({ url: WebhookUrl, events: Events, ...optionalFields }),
  output: NewWebhook,
  errors: ['plan_required'],
  idempotent: true,
  async handle({ ctx, principal }, input) {
    const { secret, ...webhook } = await create(ctx, principal, input)
    return { ...webhookRecord(webhook), secret }
  },
})

export const getPartnerWebhook = operation({
  name: 'partner_webhooks.get',
  summary: 'One endpoint.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/webhooks/{id}',
  input: object({ id: WebhookId }),
  output: Webhook,
  errors: ['not_found'],
  handle: async ({ ctx, principal }, { id }) => webhookRecord(await get(ctx, principal, id)),
})

export const updatePartnerWebhook = operation({
  name: 'partner_webhooks.update',
  summary: 'Change an endpoint. Turning it on again clears its failures; it receives events from then on.',
  by: 'partner',
  scope: null,
  http: 'PATCH /api/partner/webhooks/{id}',
  input: object({ id: WebhookId, url: optional(WebhookUrl), events: optional(Events), ...optionalFields }),
  output: Webhook,
  errors: ['not_found'],
  handle: async ({ ctx, principal }, { id, ...change }) =>
    webhookRecord(await update(ctx, principal, { id, ...change })),
})

export const rotatePartnerSecret = operation({
  name: 'partner_webhooks.rotate_secret',
  summary:
    'Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/webhooks/{id}/rotate-secret',
  input: object({ id: WebhookId }),
  output: NewWebhook,
  errors: ['not_found', 'conflict'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await get(ctx, principal, id)),
  async handle({ ctx, principal }, { id }) {
    const { secret, ...webhook } = await rotateSecret(ctx, principal, id)
    return { ...webhookRecord(webhook), secret }
  },
})

export const testPartnerWebhook = operation({
  name: 'partner_webhooks.test',
  summary: 'Send a sample event, marked "test": true, to an endpoint in a single attempt. The answer is the delivery.',
  by: 'partner',
  scope: null,
  http: 'POST /api/partner/webhooks/{id}/test',
  status: 202,
  input: object({ id: WebhookId, type: sampleType(partnerEventTypes) }),
  output: Delivery,
  errors: ['not_found', 'conflict'],
  idempotent: true,
  reach: async ({ ctx, principal }, { id }) => void (await get(ctx, principal, id)),
  handle: async ({ ctx, principal }, { id: webhookId, type }) =>
    deliveryRecord(await testEndpoint(ctx, principal, { webhookId, type })),
})

export const listPartnerDeliveries = operation({
  name: 'partner_webhooks.deliveries',
  summary: 'The delivery log of an endpoint, newest first: every attempt with its request and response.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/webhooks/{id}/deliveries',
  input: object({ id: WebhookId, ...deliveryFilters(partnerEventTypes), ...paging }),
  output: page('deliveries', Delivery),
  errors: ['not_found'],
  async handle({ ctx, principal }, { id: webhookId, limit = pageSizeDefault, ...filters }) {
    const { items, next } = await deliveries(ctx, principal, { webhookId, limit, ...filters })
    return { deliveries: items.map(deliveryRecord), next }
  },
})

export const deletePartnerWebhook = operation({
  name: 'partner_webhooks.delete',
  summary: 'Delete an endpoint; its pending deliveries are dropped.',
  by: 'partner',
  scope: null,
  http: 'DELETE /api/partner/webhooks/{id}',
  input: object({ id: WebhookId }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    await remove(ctx, principal, id)
    return { deleted: true }
  },
})
