/** Input and output of sends (decisions.md 2, Sending). */

import { ApprovalState } from './approvals.ts'
import { AttachmentId, headerLineMax, identifier, identifierMax, line, MessageId } from './fields.ts'
import {
  anyOf,
  array,
  boolean,
  described,
  extended,
  form,
  type Infer,
  type InferFields,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
  timestamp,
  unlisted,
  untrusted,
} from './infer.ts'

export const suppressionReasons = ['bounce', 'complaint', 'unsubscribe', 'manual'] as const

/**
 * More than the 50 recipients that a send may have, so that core refuses 51 with a message about recipients, and the schema refuses
 * a million.
 */
const addressesMax = 1_000
/** Above the 10 files of a send, for the same reason. */
const attachmentsMax = 100

/** Shown to callers who give something else for a sender or a recipient. */
const addressExample = 'Ann <ann@example.org>'

const AddressText = string({
  maxLength: identifierMax,
  ...form('^[^\\u0000-\\u001f\\u007f]+@[^\\u0000-\\u001f\\u007f]+$', 'an email address', addressExample),
  description: '"user@domain" or "Name <user@domain>".',
})
export const AddressObject = unlisted(
  object({ name: optional(line(headerLineMax, 'Ann Smith')), address: AddressText }),
)
/** One address, as text or as `{name, address}`. */
export const AddressInput = anyOf([AddressText, AddressObject])
export const AddressesInput = anyOf(
  [AddressText, AddressObject, array(anyOf([AddressText, AddressObject]), { maxItems: addressesMax })],
  { description: 'One address or several, as text or as {name, address}.' },
)
export type AddressesInput = Infer<typeof AddressesInput>

const NewFile = object({
  name: line(255, 'invoice.pdf'),
  contentType: line(255, 'application/pdf'),
  content: string({ contentEncoding: 'base64', description: 'The file in base64.' }),
  contentId: optional(line(255, 'logo')),
})
const FileOfMessage = object({ messageId: MessageId, attachmentId: AttachmentId })
const AttachmentInput = unlisted(anyOf([NewFile, FileOfMessage]))
export type AttachmentInput = Infer<typeof AttachmentInput>

export const AttachmentsInput = array(AttachmentInput, {
  maxItems: attachmentsMax,
  description:
    'Files: {name, contentType, content (base64)}, or of a message here {messageId, attachmentId}. At most 10, 10 MB.',
})

/** Longest body in Markdown, in characters: more than a person reads, and still quick to render. */
const markdownMax = 200_000
const MarkdownInput = string({
  maxLength: markdownMax,
  description: 'Markdown, instead of text and html.',
})

export const HeadersInput = unlisted(
  record(line(headerLineMax, 'Order 4711'), {
    propertyNames: string(
      form(
        '^([Xx]|[Ll][Ii][Ss][Tt])-[A-Za-z0-9-]{1,70}$',
        'the name of an extra header field, which begins with X- or List-',
        'X-Order',
      ),
    ),
    maxProperties: 50,
    description: 'Extra X- and List- headers.',
  }),
)

const contentFields = {
  from: optional(
    line(identifierMax, addressExample, { description: 'The mailbox, or an alias or plus address of it.' }),
  ),
  fromName: optional(line(headerLineMax, 'Ann Smith', { description: 'Sender name of this message only.' })),
  replyTo: optional(described('Where replies go instead of the sender.', AddressesInput)),
  subject: optional(line(headerLineMax, 'Order 4711', { description: 'One line.' })),
  text: optional(string({ description: 'The body as plain text.' })),
  html: optional(string({ description: 'The body as HTML, with text or alone.' })),
  markdown: optional(MarkdownInput),
  attachments: optional(AttachmentsInput),
  headers: optional(HeadersInput),
} as const

const sendAt = {
  sendAt: optional(timestamp({ description: 'At most 30 days ahead. Default: now.' })),
} as const

export const NewSendTime = timestamp({ description: 'When to send, at most 30 days ahead.' })

const copies = {
  cc: optional(described('Who gets a copy.', AddressesInput)),
  bcc: optional(described('Blind copies.', AddressesInput)),
} as const

export const draftFields = {
  to: optional(described('Recipients: one address or several.', AddressesInput)),
  ...copies,
  inReplyTo: optional(described('message_id that this answers; "to" and "subject" may then be left out.', MessageId)),
  replyAll: optional(boolean({ description: 'With inReplyTo: reply to all.' })),
  ...contentFields,
} as const
export const DraftId = identifier('Its message_id (msg_...).')
export const sendDraftFields = sendAt

const dryRun = {
  dryRun: optional(boolean({ description: 'Only report what would be sent.' })),
} as const

export const sendFields = {
  ...draftFields,
  ...sendAt,
  ...dryRun,
} as const

export const replyFields = {
  all: optional(boolean({ description: 'Reply to the sender and all recipients.' })),
  ...copies,
  ...contentFields,
  ...sendAt,
  ...dryRun,
} as const
export type ReplyBody = InferFields<typeof replyFields>

export const forwardFields = {
  to: described('Recipients.', AddressesInput),
  ...copies,
  includeAttachments: optional(boolean({ description: 'Include its files. Default: true.' })),
  ...contentFields,
  ...sendAt,
  ...dryRun,
} as const

/** States of one recipient in order; a recipient never goes back to an earlier one (decisions.md 2, Delivery states). */
export const deliveryStatuses = ['queued', 'sent', 'delivered', 'bounced', 'complained', 'failed'] as const

export const SendResult = object({
  id: string({ description: 'Id of the send (em_...).' }),
  message_id: nullable(string({ description: 'The Sent copy; null if none is kept.' })),
  thread_id: nullable(string()),
  status: oneOf(['queued', 'scheduled', 'waiting_for_approval'], {
    description: 'waiting_for_approval: sent once a person approves it; get the send by its id to check.',
  }),
  sendAt: optional(timestamp({ description: 'When it will be sent; only while it is scheduled.' })),
  approval: optional(
    object(
      { id: string(), hash: string(), draft_id: nullable(string()), expiresAt: timestamp() },
      { description: 'The approval that is requested; changing the draft voids it.' },
    ),
  ),
  recipients: array(
    object({
      email: string(),
      status: oneOf(deliveryStatuses),
    }),
  ),
  suppressed: array(string(), {
    description: 'Recipients left out because they are on the suppression list.',
  }),
})
export type SendResult = Infer<typeof SendResult>

export const sendDecisions = [
  'send',
  'suppressed',
  'blocked_by_list',
  'claim_required',
  'over_limit',
  'waits_for_approval',
] as const

/** The answer of a dry run (decisions.md 2, dryRun). */
export const DryRun = object({
  dryRun: boolean({ const: true }),
  size: integer({ description: 'Bytes of the message as it would be sent.' }),
  headers: array(array(string()), { description: 'Its header fields in order, [name, value].' }),
  recipients: array(
    object({
      email: string(),
      decision: oneOf(sendDecisions),
      reason: nullable(string({ description: 'Why not, or not yet; null for decision send.' })),
    }),
  ),
})
export type DryRun = Infer<typeof DryRun>

export const SendOrDryRun = anyOf([SendResult, DryRun])

export const ScheduledId = identifier('Id of the scheduled send (em_...).')
/** A scheduled send. */
export const Scheduled = object({
  id: string(),
  message_id: nullable(string({ description: 'The Sent copy it will have.' })),
  thread_id: nullable(string()),
  sendAt: nullable(timestamp({ description: 'null once it is cancelled.' })),
  status: oneOf(['scheduled', 'cancelled']),
  from: string(),
  to: array(string()),
  cc: array(string()),
  bcc: array(string()),
  subject: nullable(string()),
  createdAt: timestamp(),
})
export type Scheduled = Infer<typeof Scheduled>

const draftAgain = {
  draft_id: nullable(
    string({
      description: 'The draft with its text; null if the send was not a draft, or none can be made of it.',
    }),
  ),
} as const

export const Cancelled = extended(Scheduled, draftAgain)

/** A suppressed address, to which no mail is sent (decisions.md 2, Sending). */
export const Suppression = object({
  email: string(),
  reason: oneOf(suppressionReasons),
  detail: untrusted(
    described('The reply of the remote server, or the report; null if it was added by hand.', nullable(string())),
  ),
  mailboxes: described(
    'For an address that an agent key added: the mailboxes whose mail it applies to, besides mail by that key. null: all mail of the account.',
    nullable(array(string())),
  ),
  createdAt: timestamp(),
})
export type Suppression = Infer<typeof Suppression>

/** Tags, for finding sends again. */
const tagsMax = 20
export const Tags = array(line(100, 'welcome', { minLength: 1 }), {
  maxItems: tagsMax,
  description: 'Your own words, which the send shows.',
})

export const EmailId = identifier('Id of the send (em_...).')

/** The delivery state of one recipient. */
export const RecipientStatus = object({
  email: string(),
  status: oneOf(deliveryStatuses),
  reason: nullable(string()),
  at: timestamp({ description: 'Time of the last change.' }),
  mx: untrusted(described('The server that answered, by the name it gives itself.', nullable(string()))),
  response: untrusted(described('The reply of the remote server, word for word.', nullable(string()))),
  attempts: integer(),
})
export type RecipientStatus = Infer<typeof RecipientStatus>

/** The delivery state of a send (GET /api/v1/delivery-status). */
export const DeliveryReport = object({
  id: string(),
  message_id: described('The copy in Sent; null if none is kept.', nullable(string())),
  mailbox: nullable(string()),
  subject: nullable(string()),
  status: oneOf(['scheduled', ...deliveryStatuses], {
    description: 'The status of the recipient who is furthest behind; once all are final, the worst outcome.',
  }),
  recipients: array(RecipientStatus),
})

/** A send and its current state. */
export const Email = object({
  id: string(),
  from: string(),
  to: array(string()),
  cc: array(string()),
  bcc: array(string()),
  subject: nullable(string()),
  mailbox: nullable(string({ description: 'null if it was sent without a mailbox.' })),
  message_id: nullable(string({ description: 'The Sent copy; null if none is kept.' })),
  tags: array(string()),
  sendAt: optional(timestamp({ description: 'The time for which it was requested.' })),
  approval: optional(ApprovalState),
  createdAt: timestamp(),
  recipients: array(RecipientStatus),
})
export type Email = Infer<typeof Email>

export const CancelledEmail = extended(Email, draftAgain)

const VariableName = string(
  form('^[\\p{L}\\p{N}_.-]{1,100}$', 'the name of a token: 1 to 100 letters, digits, "_", "." and "-"', 'first_name'),
)
/** Longest body of a template and longest value of a variable, in characters. */
const templateBodyMax = 500_000
export const Variables = record(string({ maxLength: templateBodyMax }), {
  propertyNames: VariableName,
  maxProperties: 200,
  description: 'Values of the {{tokens}} of the template.',
})

export const emailFields = {
  from: line(identifierMax, addressExample, {
    description: 'Any address on a verified domain: "user@domain" or "Name <user@domain>".',
  }),
  to: optional(AddressesInput),
  cc: optional(AddressesInput),
  bcc: optional(AddressesInput),
  replyTo: optional(AddressesInput),
  subject: contentFields.subject,
  text: contentFields.text,
  html: contentFields.html,
  markdown: contentFields.markdown,
  template: optional(string({ minLength: 1, maxLength: 100, description: 'Alias of a template (case-sensitive).' })),
  variables: optional(Variables),
  headers: contentFields.headers,
  attachments: contentFields.attachments,
  tags: optional(Tags),
  ...sendAt,
} as const

// Templates (decisions.md 2, Sending)
export const TemplateAlias = string({
  minLength: 1,
  maxLength: 100,
  ...form(
    '^[A-Za-z0-9][A-Za-z0-9_.-]*$',
    'a name of a-z, A-Z, 0-9, "_", "." and "-" that begins with a letter or digit',
    'welcome',
  ),
  description: 'Name of the template (case-sensitive).',
})
export const templateStatuses = ['active', 'paused'] as const
export const templateFields = {
  subject: line(headerLineMax, 'Order {{number}}', { description: 'May contain {{tokens}}.' }),
  html: optional(
    nullable(string({ maxLength: templateBodyMax, description: 'The body as HTML; may contain {{tokens}}.' })),
  ),
  text: optional(
    nullable(string({ maxLength: templateBodyMax, description: 'The body as text; may contain {{tokens}}.' })),
  ),
  status: optional(oneOf(templateStatuses, { description: 'Sending with a paused template is refused.' })),
} as const
export const Template = object({
  alias: string(),
  subject: string(),
  html: nullable(string()),
  text: nullable(string()),
  status: oneOf(templateStatuses),
  variables: array(string(), { description: 'Names of the {{tokens}} in it.' }),
  createdAt: timestamp(),
  updatedAt: timestamp(),
})
export type Template = Infer<typeof Template>
export const TemplatePreview = object({
  subject: string(),
  html: optional(string()),
  text: optional(string()),
  missing: array(string(), { description: 'Variables that were not passed; they are empty here.' }),
})

// Batches (interface.md, Batch send)
export const BatchId = identifier('Id of the batch (bat_...).')
/** More than any plan allows, so that core refuses one too many with the figure of the plan, and the schema refuses a million. */
const batchRecipientsMax = 100_000
export const batchFields = {
  subject: line(headerLineMax, 'Order {{number}}', { description: 'May contain {{tokens}}.' }),
  text: optional(string({ description: 'The body as plain text; may contain {{tokens}}.' })),
  html: optional(string({ description: 'The body as HTML; may contain {{tokens}}.' })),
  markdown: optional(MarkdownInput),
  recipients: array(
    unlisted(
      object({
        email: identifier('Address of the recipient.'),
        fields: optional(
          record(string({ maxLength: templateBodyMax }), {
            propertyNames: VariableName,
            maxProperties: 200,
            description: 'Values of the {{tokens}}.',
          }),
        ),
      }),
    ),
    {
      minItems: 1,
      maxItems: batchRecipientsMax,
      description: "Each {email, fields {token: value}}, up to the plan's limit.",
    },
  ),
  idempotencyKey: string({
    maxLength: identifierMax,
    description:
      'Derive it from the event that causes the batch, not from the time. The same key returns the first batch.',
  }),
} as const
export const BatchResult = object({
  id: string(),
  recipients: array(object({ email: string(), status: oneOf(deliveryStatuses) })),
  missingFields: array(object({ email: string(), fields: array(string()) }), {
    description: 'Tokens for which a recipient has no field; they render empty.',
  }),
  replayed: boolean({ description: 'Whether an earlier call with the same key made this batch.' }),
})
/** A batch in a list. */
export const BatchSummary = object({
  id: string(),
  mailbox: string({ description: 'The address that sends it.' }),
  subject: string(),
  createdAt: timestamp(),
  handled: integer({ description: 'Recipients whose mail was created or refused.' }),
  total: integer({ description: 'All recipients.' }),
  ended: boolean({ description: 'Whether it is finished: all recipients were handled, or its mailbox is gone.' }),
})

export const BatchStatus = object({
  id: string(),
  recipients: array(
    object({
      email: string(),
      status: oneOf(deliveryStatuses),
      reason: untrusted(described('For a bounce, the reply of the remote server, word for word.', nullable(string()))),
      email_id: nullable(string({ description: 'Id of its send (em_...), once there is one.' })),
    }),
  ),
})
