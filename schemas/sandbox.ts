/** Input and output of the test endpoints of a sandbox (decisions.md 4, Sandbox). */
import { AddressPart, headerLineMax, line } from './fields.ts'
import { boolean, described, form, integer, object, oneOf, optional, record, string, timestamp } from './infer.ts'
import { authResults } from './messages.ts'
import { AddressesInput, AddressInput, AttachmentsInput } from './sending.ts'

/** 400 days. */
const advanceMaxSeconds = 34_560_000

const result = (description: string) => optional(oneOf(authResults, { description }))
const Verdicts = object(
  {
    spf: result('Default: pass.'),
    dkim: result('Default: pass.'),
    dmarc: result('Default: pass if SPF or DKIM passes, else fail.'),
    arc: result('Default: none.'),
    policy: optional(
      oneOf(['none', 'quarantine', 'reject'], { description: "What the author's domain requests if DMARC fails." }),
    ),
    spam: optional(boolean({ description: 'Whether a filter classifies it as spam.' })),
  },
  { description: 'Verdicts about the sender.' },
)

export const TestInbound = object({
  mailbox: AddressPart,
  raw: optional(string({ contentEncoding: 'base64', description: 'The whole message, instead of its parts.' })),
  from: optional(described('The author: an address, or {name, address}.', AddressInput)),
  to: optional(AddressesInput),
  subject: optional(line(headerLineMax, 'Order 4711', { description: 'One line.' })),
  text: optional(string({ description: 'The body as plain text.' })),
  html: optional(string({ description: 'The body as HTML, with text or alone.' })),
  headers: optional(
    record(line(headerLineMax, 'auto-replied'), {
      propertyNames: string(form('^[A-Za-z0-9][A-Za-z0-9_-]{0,75}$', 'the name of a header field', 'Auto-Submitted')),
      maxProperties: 50,
      description: 'Additional header fields.',
    }),
  ),
  attachments: optional(AttachmentsInput),
  verdicts: optional(Verdicts),
})

export const TestClock = object({
  advance: optional(
    integer({ minimum: 1, maximum: advanceMaxSeconds, description: 'Seconds to advance, at most 400 days.' }),
  ),
  now: optional(timestamp({ description: 'The time to advance to.' })),
})
export const TestTime = object({ now: timestamp({ description: 'The time of the sandbox.' }) })
