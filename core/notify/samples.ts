/** The data of test events: a plausible sample for every event type. */
import { type EventType, eventKinds } from '../../schemas/events.ts'
import { idAt } from '../../schemas/ids.ts'
import { after, dayMs } from '../process/clock.ts'

const GiB = 1024 ** 3
const mailbox = 'agent@example.com'
const customer = {
  name: 'Example Ltd',
  email: 'owner@example.com',
  plan: 'pro',
  agentsPlan: null,
  status: 'active',
  sandbox: false,
} as const

/** The data of a sample event of a type at a time, as its schema says. */
export function sampleOf(type: string, at: Date): { readonly [field: string]: unknown } {
  const kind = type as EventType
  if (!Object.hasOwn(eventKinds, kind)) throw new Error(`No kind of event is called ${type}.`)
  return samples[kind](at)
}

type Sample = (at: Date) => { readonly [field: string]: unknown }

const messageOf = (at: Date) => ({
  mailbox,
  message_id: idAt('msg', at),
  thread_id: idAt('thr', at),
  folder: 'INBOX',
  from: { name: 'Ada Lovelace', address: 'ada@example.org' },
  to: [{ name: 'Agent', address: mailbox }],
  subject: 'Your order 4711',
  snippet: 'Thank you for your order. It leaves our house tomorrow.',
  received_at: at.toISOString(),
  attachments: [{ name: 'invoice.pdf', content_type: 'application/pdf', size: 48_213 }],
})

const trust = {
  spf: 'pass',
  dkim: [{ domain: 'example.org', result: 'pass' }],
  dmarc: 'pass',
  arc: 'none',
  aligned_from: 'example.org',
  first_contact: false,
  reply_to_mismatch: false,
  display_name_spoof: false,
  auto_submitted: false,
} as const

const emailOf = (at: Date) => ({
  email_id: idAt('em', at),
  from: mailbox,
  to: ['ada@example.org'],
  subject: 'Your order 4711',
  mailbox,
})

const mailboxOf = (at: Date) => ({
  address: mailbox,
  displayName: 'Agent',
  kind: 'agent',
  domain: 'example.com',
  createdAt: at.toISOString(),
  createdBy: idAt('key', at),
  signature: null,
  autoReply: null,
  storage: { used: 0, limit: 5 * GiB },
})

const dmarc = {
  type: 'TXT',
  name: '_dmarc.example.com',
  value: 'v=DMARC1; p=none',
  found: ['v=DMARC1; p=none'],
  ok: true,
  mailCritical: true,
  required: true,
  fix: null,
} as const
const domainOf = (at: Date, changes: { readonly [field: string]: unknown } = {}) => ({
  domain: 'example.com',
  status: 'verified',
  verifiedAt: at.toISOString(),
  records: [dmarc],
  defaultDisplayName: null,
  shared: false,
  ...changes,
})
const missing = {
  ...dmarc,
  found: [],
  ok: false,
  fix: 'Publish the TXT record _dmarc.example.com with the value: v=DMARC1; p=none',
}

const customerOf: Sample = (at) => ({ id: idAt('cus', at), ...customer, createdAt: at.toISOString() })

const samples: { readonly [type in EventType]: Sample } = {
  'message.received': (at) => ({
    ...messageOf(at),
    trust,
    verification: null,
  }),
  'message.sent': (at) => ({
    ...messageOf(at),
    folder: 'Sent',
    from: { name: 'Agent', address: mailbox },
    to: [{ name: 'Ada Lovelace', address: 'ada@example.org' }],
    attachments: [],
  }),
  'email.delivered': (at) => ({
    ...emailOf(at),
    delivery: { at: at.toISOString(), mx: 'mx.example.org', response: '250 2.0.0 OK', tls: true },
  }),
  'email.bounced': (at) => ({
    ...emailOf(at),
    bounce: { type: 'permanent', reason: '550 5.1.1 No such user here' },
  }),
  'email.complained': (at) => ({ ...emailOf(at), complaint: { type: 'abuse', at: at.toISOString() } }),
  'mailbox.created': mailboxOf,
  'mailbox.deleted': mailboxOf,
  'account.sending_paused': (at) => ({ reason: 'The bounce rate is above 10 %.', at: at.toISOString() }),
  'account.sending_resumed': (at) => ({ reason: 'The bounce rate has fallen.', at: at.toISOString() }),
  'account.storage_warning': () => ({ mailbox, used: 4 * GiB, limit: 5 * GiB, percent: 80 }),
  'domain.verified': (at) => domainOf(at),
  'domain.dns_broken': (at) => domainOf(at, { status: 'broken', records: [missing], record: missing }),
  'domain.expiring': (at) => domainOf(at, { expiresAt: after(at, 30 * dayMs).toISOString() }),
  'intake.message': (at) => {
    const { attachments: _, snippet, ...message } = messageOf(at)
    const { folder: __, ...data } = message
    return {
      ...data,
      intake_id: idAt('int', at),
      cc: [],
      reply_to: null,
      reply: snippet,
      text: snippet,
      html: `<p>${snippet}</p>`,
      headers: {
        message_id: '<4711@example.org>',
        date: at.toUTCString().replace('GMT', '+0000'),
        in_reply_to: null,
        references: null,
        list_id: null,
        auto_submitted: null,
      },
      attachments: [],
      lens: null,
      lens_evidence: null,
      lens_engine: null,
      trust,
      spam: false,
      test: true,
    }
  },
  'customer.created': customerOf,
  'customer.plan_changed': customerOf,
  'customer.paused': customerOf,
  'customer.resumed': customerOf,
}
