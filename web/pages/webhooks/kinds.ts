/** The types of events that an endpoint may receive. */
import type { WebhooksTestParams } from '../../../sdk/generated/types.ts'

export type EventKind = WebhooksTestParams['type']

/** If this list lacks an event type of the API, the code does not compile. */
const known: Readonly<Record<EventKind, true>> = {
  'message.received': true,
  'message.sent': true,
  'email.delivered': true,
  'email.bounced': true,
  'email.complained': true,
  'mailbox.created': true,
  'mailbox.deleted': true,
  'account.sending_paused': true,
  'account.sending_resumed': true,
  'account.storage_warning': true,
  'domain.verified': true,
  'domain.dns_broken': true,
  'domain.expiring': true,
  'intake.message': true,
}
export const eventKinds = Object.keys(known) as readonly EventKind[]

/** Formats a body for people: JSON with line breaks, anything else unchanged. */
export function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return text
  }
}
