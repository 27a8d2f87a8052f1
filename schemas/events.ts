/**
 * Every kind of event, declared once (interface.md, Events; decisions.md 2, Webhooks and events): when it fires, what its
 * `data` holds, what a reader must hold to see it, and which plans it needs.
 */
import { Domain, DomainDnsRecord } from './domains.ts'
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
  type Schema,
  string,
  timestamp,
} from './infer.ts'
import { IntakeMessage } from './intake.ts'
import { Mailbox } from './mailboxes.ts'
import { Address, Trust, Verification } from './messages.ts'
import { Customer } from './partners.ts'
import type { Scope } from './scopes.ts'

/** Who may see events of a kind: keys with a scope, any account key, or partners at their own endpoints. */
export type EventAccess = Scope | 'account key' | 'partner'
/** What a plan must include besides webhooks (schemas/plans.ts); null: nothing. */
export type EventPlan = 'messageEvents' | 'intake' | null
/**
 * What a partner receives of an event of its customer: all of it, or for a message only where it is, and that only while the partner
 * holds a key that may read it (interface.md, Events, rule 4); null: nothing, because the event contains the mail.
 */
export type PartnerView = 'all' | 'whereabouts' | null

type EventKind = {
  readonly when: string
  readonly access: EventAccess
  readonly plan: EventPlan
  readonly toPartners: PartnerView
  readonly data: Schema
}

export const MessageEvent = object({
  mailbox: string(),
  message_id: nullable(string()),
  thread_id: nullable(string()),
  folder: nullable(string()),
  from: nullable(Address),
  to: array(Address),
  subject: nullable(string()),
  snippet: nullable(string()),
  received_at: timestamp(),
  attachments: array(object({ name: string(), content_type: string(), size: integer() })),
})
export type MessageEvent = Infer<typeof MessageEvent>

/** Includes the `trust` and `verification` of the message, which partners do not receive (decisions.md 4, trust). */
export const MessageReceived = extended(MessageEvent, {
  trust: described('null for mail whose origin was not checked.', nullable(Trust)),
  verification: described('null if there is no code or link.', nullable(Verification)),
})
export type MessageReceived = Infer<typeof MessageReceived>

const emailFields = {
  email_id: string(),
  from: string(),
  to: array(string(), { description: 'The one recipient the event is about.' }),
  subject: nullable(string()),
  mailbox: nullable(string()),
  batch_id: optional(string()),
} as const
const EmailDelivered = object({
  ...emailFields,
  delivery: object({ at: timestamp(), mx: nullable(string()), response: nullable(string()), tls: nullable(boolean()) }),
})
const EmailBounced = object({
  ...emailFields,
  bounce: object({ type: oneOf(['permanent', 'transient']), reason: string() }),
})
const EmailComplained = object({ ...emailFields, complaint: object({ type: string(), at: timestamp() }) })

const SendingChange = object({ reason: string(), at: timestamp() })
const StorageWarning = object({ mailbox: nullable(string()), used: integer(), limit: integer(), percent: integer() })

const message = { access: 'mail:read', plan: 'messageEvents', toPartners: 'whereabouts', data: MessageEvent } as const
const mailbox = { access: 'mailboxes:read', plan: null, toPartners: 'all', data: Mailbox } as const
const email = { access: 'mail:send', plan: null, toPartners: 'all' } as const
const account = { access: 'account key', plan: null, toPartners: 'all' } as const
const domain = { access: 'domains:read', plan: null, toPartners: 'all' } as const
const customer = { access: 'partner', plan: null, toPartners: 'all', data: Customer } as const

export const eventKinds = {
  'message.received': { ...message, data: MessageReceived, when: 'A new message landed in a mailbox, Spam included.' },
  'message.sent': { ...message, when: 'A message left a mailbox for the outside world, about 20 seconds ago.' },
  'email.delivered': { ...email, data: EmailDelivered, when: "The recipient's server accepted an email." },
  'email.bounced': { ...email, data: EmailBounced, when: 'An email could not be delivered.' },
  'email.complained': { ...email, data: EmailComplained, when: 'The recipient marked an email as spam.' },
  'mailbox.created': { ...mailbox, when: 'A mailbox was created.' },
  'mailbox.deleted': { ...mailbox, when: 'A mailbox was deleted.' },
  'account.sending_paused': {
    ...account,
    data: SendingChange,
    when: 'Sending was paused for the whole account.',
  },
  'account.sending_resumed': {
    ...account,
    data: SendingChange,
    when: 'Sending was restored after a pause.',
  },
  'account.storage_warning': {
    ...account,
    data: StorageWarning,
    when: 'Storage passed 80 % or 95 %; repeats daily while it stays there.',
  },
  'domain.verified': { ...domain, data: Domain, when: 'A domain passed verification.' },
  'domain.dns_broken': {
    ...domain,
    data: extended(Domain, { record: DomainDnsRecord }),
    when: 'A required DNS record of a verified domain went missing or changed.',
  },
  'domain.expiring': { ...domain, data: Domain, when: 'A domain expires in 30 days, and again at 7 days.' },
  'intake.message': {
    access: 'mail:read',
    plan: 'intake',
    toPartners: null,
    data: IntakeMessage,
    when: 'Intake parsed an arriving email.',
  },
  'customer.created': { ...customer, when: 'A partner customer was created.' },
  'customer.plan_changed': { ...customer, when: "A partner customer's plan changed." },
  'customer.paused': { ...customer, when: 'The partner paused a customer.' },
  'customer.resumed': { ...customer, when: 'The partner resumed a customer.' },
} as const satisfies { readonly [type: string]: EventKind }

export type EventType = keyof typeof eventKinds
export const eventTypes = Object.keys(eventKinds) as readonly EventType[]

/** The kinds that an account's own endpoints may receive: all but those of partners. */
export const accountEventTypes = eventTypes.filter((type) => eventKinds[type].access !== 'partner')

/** The kinds that partners receive. */
export const partnerEventTypes = eventTypes.filter((type) => eventKinds[type].toPartners !== null)

/** The fields of a message event that a partner receives (interface.md, Events, rule 4). */
export const partnerMessageFields = ['mailbox', 'message_id', 'thread_id', 'folder', 'received_at'] as const
