/** Documents of events, webhook endpoints and deliveries. Times are Dates (UTC). */
import type { Binary } from 'mongodb'
import type { Letter } from './mail.ts'

export type EventDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  /** The account under which it was recorded and counted, when that was claimed into this one. */
  readonly movedFrom?: string
  readonly type: string
  readonly createdAt: Date
  /** The address, mailbox and domain that the event is about, used by filters; null for events of the account itself. */
  readonly mailbox: string | null
  readonly mailboxId: string | null
  readonly domain: string | null
  /** For a message that its author did write. */
  readonly authentic?: Letter
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** For a message that was received: its raw bytes. */
  readonly sizeBytes?: number
  /** In wire format, so that webhooks and the events list show the same data. */
  readonly data: { readonly [field: string]: unknown }
}

export type WebhookDoc = {
  readonly _id: string
  readonly accountId: string
  readonly url: string
  readonly events: readonly string[]
  readonly scope: { readonly domains: readonly string[]; readonly mailboxes: readonly string[] }
  readonly enabled: boolean
  readonly ordering: 'none' | 'mailbox'
  readonly description: string | null
  readonly secret: Binary
  readonly createdAt: Date
  readonly keyId: string
  /** The agent key whose mailboxes limit the events; null: events of the whole account. */
  readonly agentKeyId: string | null
  /** For an endpoint of a sandbox: its events are marked. */
  readonly sandbox?: true
  /** When the first failure since the last success happened; null when the last delivery succeeded. */
  readonly failingSince: Date | null
}

export type DeliveryAttempt = {
  readonly at: Date
  readonly status: number | null
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
}

/**
 * The delivery of one event to one endpoint, with its attempts. A process that claims it moves `nextAt` to the end of its
 * lease.
 */
export type DeliveryDoc = {
  readonly _id: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  readonly mailboxId: string | null
  readonly body: string
  readonly state: 'waiting' | 'delivered' | 'failed' | 'skipped'
  readonly createdAt: Date
  readonly firstAt: Date | null
  /** When the next attempt is due; absent when none will be made. */
  readonly nextAt?: Date
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  readonly lease: string | null
  readonly attempts: readonly DeliveryAttempt[]
}
