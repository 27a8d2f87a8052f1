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
/** Domains and mailboxes that an endpoint may be narrowed to: against an endless list. */
const scopeMax = 1_000
export const WebhookScope = object(
  {
    domains: optional(array(string({ maxLength: 255 }), { maxItems: scopeMax })),
    mailboxes: optional(array(AddressPart, { maxItems: scopeMax })),
  },
  { description: 'Only events about these: {domains, mailboxes}. Empty lists: about all.' },
)
export const WebhookEnabled = boolean({ description: 'Whether events are posted. A new endpoint: true.' })
export const WebhookOrdering = oneOf(webhookOrderings, {
  description: '"mailbox" keeps the order of events within a mailbox. A new endpoint: "none".',
})
/** The kind of event that a sample is of. */
export const sampleType = <const T extends string>(types: readonly T[]) =>
  oneOf(types, { description: 'Of which kind the sample is.' })
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
    'The first failure since the last success; null when the last delivery succeeded.',
    nullable(timestamp()),
  ),
  turnedOff: described(
    'When and why the service turned it off: all deliveries failed for 5 days, or the agent key that made it ended. null otherwise.',
    nullable(object({ at: timestamp(), reason: oneOf(['failures', 'key']) })),
  ),
  previousSecretUntil: described('Until when the secret before the last rotation signs too.', nullable(timestamp())),
})
export type Webhook = Infer<typeof Webhook>
export const NewWebhook = extended(Webhook, { secret: string({ description: 'Signs every delivery. Shown once.' }) })

/** What a delivery is made for: an event, a request to send one again, or a request to try the endpoint. */
export const deliveryOrigins = ['event', 'resend', 'test'] as const
export type DeliveryOrigin = (typeof deliveryOrigins)[number]
/** `skipped`: the endpoint was turned off or removed before. */
export const deliveryStates = ['waiting', 'delivered', 'failed', 'skipped'] as const
export type DeliveryState = (typeof deliveryStates)[number]

const Headers = record(string())
const DeliveryAttempt = object({
  at: timestamp(),
  url: string({ description: 'Where the request went.' }),
  headers: described('Headers of the request.', Headers),
  status: nullable(integer({ description: 'HTTP status of the answer; null without one.' })),
  responseHeaders: described('Headers of the answer that help to find it again.', Headers),
  response: described('The first 4 KB of the answer; null without one.', untrusted(nullable(string()))),
  error: nullable(string({ description: 'Why there is no answer, or what is wrong with it.' })),
  durationMs: integer(),
})
export const Delivery = object({
  id: string(),
  webhookId: string(),
  eventId: string(),
  type: string(),
  origin: oneOf(deliveryOrigins, { description: 'A resend and a test event have one attempt.' }),
  state: oneOf(deliveryStates, { description: '"skipped": the endpoint was turned off or removed.' }),
  createdAt: timestamp(),
  nextAttemptAt: described('null when none follows.', nullable(timestamp())),
  body: untrusted(string({ description: 'The body of every attempt, to the byte.' })),
  attempts: array(DeliveryAttempt),
})

/** What became of the attempts of an hour or a day. */
export const AttemptCounts = object({
  by: oneOf(['hour', 'day']),
  attempts: array(
    object({
      from: timestamp({ description: 'The beginning of the hour or day (UTC).' }),
      delivered: integer(),
      failed: integer(),
      averageMs: nullable(integer({ description: 'How long they took; null without any.' })),
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
export const WebhookDescription = line(500, 'Orders, to the shop', { description: 'What it is for.' })

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
