/** Webhook endpoints and the event envelope (decisions.md 2, Webhooks and events). */

import { AddressPart, line } from './fields.ts'
import {
  array,
  boolean,
  described,
  extended,
  type Infer,
  integer,
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
/** Most domains or mailboxes in the scope of an endpoint, so that the list cannot be endless. */
const scopeMax = 1_000
export const WebhookScope = object(
  {
    domains: optional(array(string({ maxLength: 255 }), { maxItems: scopeMax })),
    mailboxes: optional(array(AddressPart, { maxItems: scopeMax })),
  },
  { description: 'Only events about these: {domains, mailboxes}. Empty lists: all events.' },
)
export const WebhookEnabled = boolean({ description: 'Whether events are posted. Default for a new endpoint: true.' })
export const WebhookOrdering = oneOf(webhookOrderings, {
  description: '"mailbox" keeps the order of events within a mailbox. Default for a new endpoint: "none".',
})
/** The event type of a sample. */
export const sampleType = <const T extends string>(types: readonly T[]) =>
  oneOf(types, { description: 'The event type of the sample.' })
export const Webhook = object({
  id: string(),
  url: string(),
  events: array(string()),
  scope: object({ domains: array(string()), mailboxes: array(string()) }),
  enabled: boolean(),
  ordering: oneOf(webhookOrderings, { description: '"mailbox" keeps the order of events within a mailbox.' }),
  description: nullable(string()),
  createdAt: timestamp(),
  failingSince: described(
    'When the first failure since the last success occurred; null if the last delivery succeeded.',
    nullable(timestamp()),
  ),
  turnedOff: described(
    'When and why the service turned it off: all deliveries failed for 5 days, or the agent key that created it ended. null otherwise.',
    nullable(object({ at: timestamp(), reason: oneOf(['failures', 'key']) })),
  ),
  previousSecretUntil: described('Until when the secret before the last rotation also signs.', nullable(timestamp())),
})
export type Webhook = Infer<typeof Webhook>
export const NewWebhook = extended(Webhook, { secret: string({ description: 'Signs every delivery. Shown once.' }) })

/** The cause of a delivery: an event, a request to send one again, or a test of the endpoint. */
export const deliveryOrigins = ['event', 'resend', 'test'] as const
export type DeliveryOrigin = (typeof deliveryOrigins)[number]
/** `skipped`: the endpoint was turned off or removed before the delivery. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'skipped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

const Headers = record(string())
const DeliveryAttempt = object({
  at: timestamp(),
  url: string({ description: 'Where the request went.' }),
  headers: described('Headers of the request.', Headers),
  status: nullable(integer({ description: 'HTTP status of the answer; null without one.' })),
  responseHeaders: described('Headers of the answer that help to trace it.', Headers),
  response: described('The first 4 KB of the answer; null without one.', untrusted(nullable(string()))),
  error: nullable(string({ description: 'Why there is no answer, or what is wrong with it.' })),
  durationMs: integer(),
})
export const Delivery = object({
  id: string(),
  webhookId: string(),
  eventId: string(),
  type: string(),
  origin: oneOf(deliveryOrigins, { description: 'Resends and test events have a single attempt.' }),
  state: oneOf(deliveryStates, { description: '"skipped": the endpoint was turned off or removed.' }),
  createdAt: timestamp(),
  nextAttemptAt: described('null if there is none.', nullable(timestamp())),
  body: untrusted(string({ description: 'The exact body of every attempt.' })),
  attempts: array(DeliveryAttempt),
})

/** The outcomes of the attempts of an hour or a day. */
export const AttemptCounts = object({
  by: oneOf(['hour', 'day']),
  attempts: array(
    object({
      from: timestamp({ description: 'The beginning of the hour or day (UTC).' }),
      delivered: integer(),
      failed: integer(),
      averageMs: nullable(integer({ description: 'Average duration; null if there were none.' })),
    }),
    { description: 'The last 48 hours or 30 days, the oldest first.' },
  ),
})

export const WebhookUrl = string({
  minLength: 1,
  maxLength: 2_000,
  format: 'uri',
  description: 'Where to post, by https at a public address.',
})
export const WebhookDescription = line(500, 'Orders, to the shop', { description: 'What the endpoint is for.' })

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
