import { pageOf, readIdCursor } from '../core/access/paging.ts'
import {
  createWebhook as create,
  type Webhook as Found,
  getWebhook as get,
  listWebhooks as list,
  deleteWebhook as remove,
  requireRotation,
  requireWebhookReach,
  rotateSecret,
  updateWebhook as update,
} from '../core/notify/webhooks.ts'
import { accountEventTypes } from '../schemas/events.ts'
import { Deleted, page, pageSizeDefault, paging, WebhookId } from '../schemas/fields.ts'
import { array, type Infer, nullable, object, oneOf, optional } from '../schemas/infer.ts'
import {
  NewWebhook,
  Webhook,
  WebhookDescription,
  WebhookEnabled,
  WebhookOrdering,
  WebhookScope,
  WebhookUrl,
} from '../schemas/webhooks.ts'
import { operation } from './registry.ts'

const Events = array(oneOf(accountEventTypes), {
  minItems: 1,
  uniqueItems: true,
  description: 'Event types to deliver.',
})
const optionalFields = {
  scope: optional(WebhookScope),
  enabled: optional(WebhookEnabled),
  ordering: optional(WebhookOrdering),
  description: optional(nullable(WebhookDescription)),
} as const

export const listWebhooks = operation({
  name: 'webhooks.list',
  summary: 'Webhook endpoints: all of the account, or those that the agent key created.',
  scope: null,
  http: 'GET /api/v1/webhooks',
  input: object(paging),
  output: page('webhooks', Webhook),
  errors: [],
  handle: async ({ ctx, principal }, wanted) => webhookPage(await list(ctx, principal), wanted),
})

export const createWebhook = operation({
  name: 'webhooks.create',
  summary: 'Deliver events to a URL, signed. The signing secret is shown only in this answer.',
  scope: null,
  http: 'POST /api/v1/webhooks',
  status: 201,
  input: object({ url: WebhookUrl, events: Events, ...optionalFields }),
  output: NewWebhook,
  errors: ['plan_required', 'insufficient_scope', 'mailbox_not_found', 'domain_not_found', 'conflict'],
  idempotent: true,
  reach: ({ ctx, principal }, { events, scope }) => requireWebhookReach(ctx, principal, { events, scope }),
  async handle({ ctx, principal }, input) {
    const { secret, ...webhook } = await create(ctx, principal, input)
    return { ...webhookRecord(webhook), secret }
  },
})

export const getWebhook = operation({
  name: 'webhooks.get',
  summary: 'One endpoint.',
  scope: null,
  http: 'GET /api/v1/webhooks/{id}',
  input: object({ id: WebhookId }),
  output: Webhook,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    return webhookRecord(await get(ctx, principal, id))
  },
})

export const updateWebhook = operation({
  name: 'webhooks.update',
  summary: 'Change an endpoint. Turning it on again clears its failures; it receives events from then on.',
  scope: null,
  http: 'PATCH /api/v1/webhooks/{id}',
  input: object({ id: WebhookId, url: optional(WebhookUrl), events: optional(Events), ...optionalFields }),
  output: Webhook,
  errors: ['not_found', 'plan_required', 'insufficient_scope', 'mailbox_not_found', 'domain_not_found', 'conflict'],
  async handle({ ctx, principal }, { id, ...change }) {
    return webhookRecord(await update(ctx, principal, { id, ...change }))
  },
})

export const rotateWebhookSecret = operation({
  name: 'webhooks.rotate_secret',
  summary:
    'Give an endpoint a new signing secret, shown only in this answer. For 24 hours the previous one also signs: every delivery has a signature by each, the new one last.',
  scope: null,
  http: 'POST /api/v1/webhooks/{id}/rotate-secret',
  input: object({ id: WebhookId }),
  output: NewWebhook,
  errors: ['not_found', 'plan_required', 'insufficient_scope', 'conflict'],
  idempotent: true,
  reach: ({ ctx, principal }, { id }) => requireRotation(ctx, principal, id),
  async handle({ ctx, principal }, { id }) {
    const { secret, ...webhook } = await rotateSecret(ctx, principal, id)
    return { ...webhookRecord(webhook), secret }
  },
})

export const deleteWebhook = operation({
  name: 'webhooks.delete',
  summary: 'Delete an endpoint; its pending deliveries are dropped.',
  scope: null,
  http: 'DELETE /api/v1/webhooks/{id}',
  input: object({ id: WebhookId }),
  output: Deleted,
  errors: ['not_found'],
  async handle({ ctx, principal }, { id }) {
    await remove(ctx, principal, id)
    return { deleted: true }
  },
})

/** Cuts one page from the complete list of endpoints, newest first. */
export function webhookPage(
  all: readonly Found[],
  { limit = pageSizeDefault, before }: { readonly limit?: number | undefined; readonly before?: string | undefined },
) {
  const position = readIdCursor(before, 'whk')
  const rows = all.map((webhook) => ({ _id: webhook.id, webhook }))
  const { items, next } = pageOf(position === null ? rows : rows.filter(({ _id }) => _id < position), limit)
  return { webhooks: items.map(({ webhook }) => webhookRecord(webhook)), next }
}

export function webhookRecord({
  createdAt,
  failingSince,
  turnedOff,
  previousUntil,
  ...rest
}: Found): Infer<typeof Webhook> {
  return {
    ...rest,
    createdAt: createdAt.toISOString(),
    failingSince: failingSince?.toISOString() ?? null,
    turnedOff: turnedOff === null ? null : { at: turnedOff.at.toISOString(), reason: turnedOff.reason },
    previousSecretUntil: previousUntil?.toISOString() ?? null,
  }
}
