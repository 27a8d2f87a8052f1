/** Documents of events, webhook endpoints and deliveries. Times are Dates (UTC). */
import type { DeliveryOrigin, DeliveryState } from '../../schemas/webhooks.ts'
import type { Letter } from './mail.ts'
import type { Sealed } from './sealed.ts'

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
  /** Of an event that a partner is told: which customer it is about, and whether that is one to try things with. */
  readonly customerId?: string
  readonly sandbox?: true
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
  readonly secret: Sealed
  /** The secret before the last rotation, and until when it signs too. */
  readonly previousSecret?: Sealed
  readonly previousUntil?: Date
  readonly createdAt: Date
  /** When it was last turned on, or other events were chosen for it; absent when never. */
  readonly since?: Date
  readonly keyId: string
  /** The agent key or the grant with which it ends, and whose mailboxes limit the events; null: those of the whole account. */
  readonly agentKeyId: string | null
  /** For an endpoint of a sandbox, whose events are marked; a partner's hears of customers to try things with alone. */
  readonly sandbox?: true
  /** When the first failure since the last success happened; null when the last delivery succeeded. */
  readonly failingSince: Date | null
  /** When and why the service turned it off; absent while it is on, and when its owner turned it off. */
  readonly turnedOff?: { readonly at: Date; readonly reason: OffReason }
  /** Since when the owner is to be told by mail that it was turned off; absent when nobody is. */
  readonly noticeDueAt?: Date
  /** No delivery that waits for it is due before; absent when none waits. `dueRev` counts what may have brought it forward. */
  readonly dueAt?: Date
  readonly dueRev?: number
  /** The `dueRev` at which it was last looked at, and since when it is that. */
  readonly looked?: { readonly dueRev: number | null; readonly since: Date }
}

/** Each delivery failed for days, or the agent key that made the endpoint was revoked or has expired. */
export type OffReason = 'failures' | 'key'

export type DeliveryAttempt = {
  readonly at: Date
  /** What was sent beside the body of the delivery, and what came back; absent in those of before. */
  readonly url?: string
  readonly headers?: Headers
  readonly status: number | null
  readonly responseHeaders?: Headers
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
}

type Headers = { readonly [name: string]: string }

/**
 * The delivery of one event to one endpoint, with its attempts. A process that claims it moves `nextAt` to the end of its
 * lease. A resend is a delivery of its own, which has one attempt; so is a test event.
 */
export type DeliveryDoc = {
  readonly _id: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  readonly origin: DeliveryOrigin
  /** It leaves when the account may resend something. */
  readonly isPaced?: true
  readonly mailboxId: string | null
  /** Of a delivery to a partner: which customer it is about. */
  readonly customerId?: string
  readonly body: string
  readonly state: DeliveryState
  /** The number of the event, while it waits for an endpoint that keeps the order within a mailbox. */
  readonly order?: number
  readonly createdAt: Date
  /** When the log forgets it. */
  readonly expiresAt: Date
  readonly firstAt: Date | null
  /** When the next attempt is due; absent when none will be made. */
  readonly nextAt?: Date
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  readonly lease: string | null
  readonly attempts: readonly DeliveryAttempt[]
}
