/** Documents of events and their way to webhooks. Times are Dates (UTC). */
import type { Binary } from 'mongodb'

export type EventDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  readonly type: string
  readonly createdAt: Date
  /** Address and domain the event is about, for narrowing; null for account events. */
  readonly mailbox: string | null
  readonly mailboxId: string | null
  readonly domain: string | null
  /** In wire form: what a webhook sends is what the events list shows. */
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
  /** The agent key whose reach it follows; null: the whole account. */
  readonly agentKeyId: string | null
  /** First failure since the last success. */
  readonly failingSince: Date | null
}

export type DeliveryAttempt = {
  readonly at: Date
  readonly status: number | null
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
}

/** One event for one endpoint, with its attempts. A claim moves `nextAt` to the lease's end. */
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
  /** Absent when no attempt is to come. */
  readonly nextAt?: Date
  readonly lease: string | null
  readonly attempts: readonly DeliveryAttempt[]
}
