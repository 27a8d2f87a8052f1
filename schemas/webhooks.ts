/** Webhook endpoints and the event envelope (decisions.md 2, Webhooks and events). */

import { AddressPart, line } from './fields.ts'
import {
  array,
  boolean,
  extended,
  type Infer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  timestamp,
  untrusted,
} from './infer.ts'

export const webhookOrderings = ['none', 'mailbox'] as const
/** Domains and mailboxes that an endpoint may be narrowed to: against an endless list. */
const scopeMax = 1_000
export const WebhookScope = object({
  domains: optional(array(string({ maxLength: 255 }), { maxItems: scopeMax })),
  mailboxes: optional(array(AddressPart, { maxItems: scopeMax })),
})
export const Webhook = object({
  id: string(),
  url: string(),
  events: array(string()),
  scope: object({ domains: array(string()), mailboxes: array(string()) }),
  enabled: boolean(),
  ordering: oneOf(webhookOrderings, { description: '"mailbox" keeps the order of events within a mailbox.' }),
  description: nullable(string()),
  createdAt: timestamp(),
})
export type Webhook = Infer<typeof Webhook>
export const NewWebhook = extended(Webhook, { secret: string({ description: 'Signs every delivery. Shown once.' }) })
export const WebhookUrl = string({ minLength: 1, maxLength: 2_000, format: 'uri' })
export const WebhookDescription = line(500)

/** interface.md, Webhook event envelope; decisions.md 2, Cursor. */
export const EventEnvelope = object({
  id: string(),
  type: string(),
  created_at: timestamp(),
  cursor: optional(string()),
  test: optional(boolean()),
  sandbox: optional(boolean()),
  customer_id: optional(string()),
  data: untrusted(record<unknown>({})),
})
export type EventEnvelope = Infer<typeof EventEnvelope>
