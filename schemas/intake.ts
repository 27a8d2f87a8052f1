/** The configuration of Intake for a mailbox, and the record that it makes of each mail (interface.md, Intake). */
import { line } from './fields.ts'
import {
  among,
  anyOf,
  array,
  boolean,
  described,
  extended,
  form,
  type Infer,
  integer,
  nullable,
  number,
  object,
  oneOf,
  optional,
  record,
  string,
  timestamp,
  untrusted,
} from './infer.ts'
import { Address, Hidden, Trust } from './messages.ts'
import { WebhookUrl } from './webhooks.ts'

/** Most fields of one mailbox, so that no configuration makes each mail expensive. */
export const lensFieldsMax = 50
/** Longest key; it is the name of a property in every record. */
export const lensKeyMax = 64
/** Longest description: it is one line. */
export const lensDescriptionMax = 200

export const lensFieldTypes = ['text', 'number', 'date', 'yes/no', 'email address', 'list'] as const

const LensKey = string({
  maxLength: lensKeyMax,
  ...form(
    '^\\p{L}(?:[\\p{L}\\p{M}\\p{N} _-]*[\\p{L}\\p{M}\\p{N}_-])?$',
    'a name that begins with a letter and has letters, digits, blanks, "_" and "-"',
    'invoice_number',
  ),
  description: 'Name of the value in the record; its words are also searched for in the mail.',
})

export const LensField = object({
  key: LensKey,
  type: oneOf(lensFieldTypes, {
    description:
      'Values are strings for text and email address, numbers without currency, dates as YYYY-MM-DD, booleans, and lists of strings.',
  }),
  description: line(lensDescriptionMax, 'Total amount to pay, with tax', {
    minLength: 1,
    description: 'What the value is, in one line.',
  }),
})
export type LensField = Infer<typeof LensField>

export const LensFields = array(LensField, { minItems: 1, maxItems: lensFieldsMax, description: 'Keys are unique.' })

/** Days after which records are deleted. */
export const intakeRetentions = [7, 30, 90, 'forever'] as const
export const IntakeRetention = among(intakeRetentions, {
  description: 'Days after which a record and the copy of its mail are deleted. The mail stays in the mailbox.',
})
export type IntakeRetention = (typeof intakeRetentions)[number]

export const IntakeDeliveryInput = object(
  {
    type: oneOf(['api', 'webhook'], {
      description: '"api": records are read through the API. "webhook": they are also posted.',
    }),
    url: optional(described('Where to post records: an endpoint is created for this mailbox alone.', WebhookUrl)),
    webhookId: optional(string({ maxLength: 100, description: 'An existing endpoint (whk_...), instead of "url".' })),
  },
  { description: 'Where the records go.' },
)
export type IntakeDeliveryInput = Infer<typeof IntakeDeliveryInput>

const IntakeDelivery = object({
  type: oneOf(['api', 'webhook']),
  url: optional(described('null if the endpoint was deleted.', nullable(string()))),
  webhookId: optional(string()),
})

export const LensQuoted = boolean({ description: 'Whether values are also read from quoted history; default false.' })
export const IntakeLensInput = object(
  {
    enabled: boolean(),
    fields: optional(LensFields),
    quoted: optional(LensQuoted),
  },
  { description: 'What Lens reads in each mail. Omitted fields stay unchanged.' },
)
export type IntakeLensInput = Infer<typeof IntakeLensInput>

export const Intake = object({
  mailbox: string(),
  active: boolean({ description: 'false while the plan does not include Intake: only set-up tests are parsed.' }),
  delivery: IntakeDelivery,
  lens: object({ enabled: boolean(), fields: array(LensField), quoted: boolean() }),
  retention: IntakeRetention,
  createdAt: timestamp(),
})
export type Intake = Infer<typeof Intake>
export const NewIntake = extended(Intake, {
  secret: optional(
    string({ description: 'Signs every delivery to the endpoint that was created for it. Shown once.' }),
  ),
})

const LensValue = nullable(anyOf([string(), number(), boolean(), array(string())]))
const LensValues = described(
  'Values under the keys of the fields; null for values that the mail does not state.',
  untrusted(record(LensValue)),
)
const range = {
  start: integer({ description: 'In code points.' }),
  end: integer({ description: 'Not included.' }),
} as const
export const LensEvidence = object({
  source: string({ description: '"subject", "text" or "attachments[n]".' }),
  ...range,
  items: optional(array(object(range), { description: 'For a list: where each item is.' })),
})
const LensEvidences = described('Where each value was found, under the same keys.', record(nullable(LensEvidence)))
const LensEngine = oneOf(['rules', 'model'])
/** The values that Lens read from a mail; null if Lens is off or did not run. */
const lensAnswer = {
  lens: nullable(LensValues),
  lens_evidence: nullable(LensEvidences),
  lens_engine: nullable(LensEngine),
} as const
export const LensAnswer = object({ lens: LensValues, lens_evidence: LensEvidences, lens_engine: LensEngine })
export type LensAnswer = Infer<typeof LensAnswer>

const file = { name: string(), content_type: string(), size: integer({ description: 'Bytes.' }) } as const
const File = object({
  ...file,
  url: string({ format: 'uri', description: 'Opens the file without a key, for 24 hours.' }),
  expires_at: timestamp(),
  text: described(
    'The text of the file (PDF, document, spreadsheet or text), up to 20,000 characters, for the first three files; null for others.',
    untrusted(nullable(string())),
  ),
  hidden: array(Hidden, { description: 'Text that a reader of the file does not see.' }),
})

/** The fields that a record has both in lists and on its own. */
const recordFields = {
  intake_id: string(),
  mailbox: string(),
  message_id: string(),
  thread_id: string(),
  from: Address,
  to: array(Address),
  cc: array(Address),
  reply_to: nullable(Address),
  subject: untrusted(string()),
  received_at: timestamp(),
  reply: untrusted(string({ description: 'The body without quoted history and signature.' })),
  headers: described('message_id, date, in_reply_to, references, list_id, auto_submitted.', record(nullable(string()))),
  ...lensAnswer,
  trust: described('null for mail whose origin was not checked.', nullable(Trust)),
  spam: boolean({ description: 'Whether the mail was delivered to Spam.' }),
  test: boolean({ description: 'true for the mail of the set-up test.' }),
} as const

/** A record in a list: without its whole bodies, and without links to its files. */
export const IntakeSummary = object({ ...recordFields, attachments: array(object(file)) })
export type IntakeSummary = Infer<typeof IntakeSummary>

/** interface.md, Intake message; decisions.md 4, trust and Lens. */
export const IntakeMessage = object({
  ...recordFields,
  text: untrusted(string({ description: 'At most 100 KB.' })),
  html: untrusted(string({ description: 'Sanitised; at most 200 KB.' })),
  attachments: array(File),
})
export type IntakeMessage = Infer<typeof IntakeMessage>

const sampleTextMax = 100_000
/** A mail to try Lens on. */
export const LensSample = object({
  subject: optional(line(998, 'Order 4711', { description: 'Subject of the sample.' })),
  text: optional(string({ maxLength: sampleTextMax, description: 'Its body as text.' })),
  html: optional(string({ maxLength: sampleTextMax, description: 'Its body as HTML, instead of text.' })),
  date: optional(timestamp({ description: 'Date of the sample; default: now.' })),
})
export type LensSample = Infer<typeof LensSample>
