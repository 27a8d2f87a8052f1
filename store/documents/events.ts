/** Documents of events, webhook endpoints and deliveries. Times are Dates (UTC). */
import type { DeliveryOrigin, DeliveryState } from '../../schemas/webhooks.ts'
import type { Letter } from './mail.ts'
import type { Sealed } from './sealed.ts'

export type EventDoc = {
  readonly _id: string
  readonly accountId: string
  readonly seq: number
  /** The account under which it was recorded and counted, if that was claimed into this one. */
  readonly movedFrom?: string
  readonly type: string
  readonly createdAt: Date
  /** The address, mailbox and domain that the event is about, used by filters; null for events of the account itself. */
  readonly mailbox: string | null
  readonly mailboxId: string | null
  readonly domain: string | null
  /** For an event of a partner: the customer that it is about, and whether that customer is a sandbox. */
  readonly customerId?: string
  readonly sandbox?: true
  /** For a message that was really written by its author. */
  readonly authentic?: Letter
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  /** For a received message: the size of its raw bytes. */
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
  /** The secret from before the last rotation, and until when deliveries are signed with it too. */
  readonly previousSecret?: Sealed
  readonly previousUntil?: Date
  readonly createdAt: Date
  /** When the endpoint was last turned on or its choice of events changed; absent if neither ever happened. */
  readonly since?: Date
  readonly keyId: string
  /**
   * The agent key or grant that the endpoint depends on: it ends with it, and gets events of its mailboxes only. null: it gets the events
   * of the whole account.
   */
  readonly agentKeyId: string | null
  /** Set for an endpoint of a sandbox, whose events are marked as such. A partner's gets events of sandbox customers only. */
  readonly sandbox?: true
  /** When the first failure since the last success happened; null when the last delivery succeeded. */
  readonly failingSince: Date | null
  /** When and why the service turned it off; absent while it is on, and if its owner turned it off. */
  readonly turnedOff?: { readonly at: Date; readonly reason: OffReason }
  /** Since when a mail to the owner, saying that the endpoint was turned off, has been due; absent when none is. */
  readonly noticeDueAt?: Date
  /**
   * No waiting delivery to the endpoint is due before this time; absent when none waits. `dueRev` counts the changes that may have brought
   * it forward.
   */
  readonly dueAt?: Date
  readonly dueRev?: number
  /** The `dueRev` that was last seen, and when it was first seen. */
  readonly looked?: { readonly dueRev: number | null; readonly since: Date }
}

/** `failures`: every delivery failed for days. `key`: the agent key that created the endpoint was revoked or has expired. */
export type OffReason = 'failures' | 'key'

export type DeliveryAttempt = {
  readonly at: Date
  /** What was sent besides the body of the delivery, and what came back; absent in attempts of earlier versions. */
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
 * lease. A resend or a test event is a delivery of its own with a single attempt.
 */
export type DeliveryDoc = {
  readonly _id: string
  readonly accountId: string
  readonly webhookId: string
  readonly eventId: string
  readonly type: string
  readonly origin: DeliveryOrigin
  /** Set for a delivery that leaves only when the account's limit on resends allows it. */
  readonly isPaced?: true
  readonly mailboxId: string | null
  /** For a delivery to a partner: the customer that it is about. */
  readonly customerId?: string
  readonly body: string
  readonly state: DeliveryState
  /** The number of the event, while it waits for an endpoint that keeps the order within a mailbox. */
  readonly order?: number
  readonly createdAt: Date
  /** When it is deleted from the delivery log. */
  readonly expiresAt: Date
  readonly firstAt: Date | null
  /** When the next attempt is due; absent when none will be made. */
  readonly nextAt?: Date
  /** The span that caused it, as W3C Trace Context writes it; absent unless spans are made (core/process/tracing.ts). */
  readonly traceparent?: string
  readonly lease: string | null
  readonly attempts: readonly DeliveryAttempt[]
}
