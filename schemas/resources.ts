/**
 * The resources as callers see them: what a request may carry and what an answer holds, by the names of the wire.
 * Message-like resources are snake_case, configuration-like ones camelCase (decisions.md 1, Case).
 */
import {
  anyOf,
  array,
  boolean,
  described,
  extended,
  type Infer,
  type InferFields,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  record,
  type Schema,
  string,
  timestamp,
  untrusted,
} from './infer.ts'
import { agentsPlanNames, mailPlanNames } from './plans.ts'

/** Against absurd values in paths and filters: longer than any address, id or cursor. */
const identifierMax = 1_000
/** RFC 5322 2.1.1: the longest line of a message. */
const headerLineMax = 998
/** Above the 50 recipients of a send, so that one too many is counted and told, and a million is refused unread. */
const addressesMax = 1_000
/** Above the 10 files of a send, for the same reason. */
const attachmentsMax = 100
/** Longest Idempotency-Key (interface.md, Limits 6). */
export const idempotencyKeyMax = 256

/** Text that may stand in one header line: without control characters, so that nobody adds headers through it. */
const line = (maxLength: number, keywords: { readonly [keyword: string]: unknown } = {}) =>
  string({ maxLength, pattern: '^[^\\u0000-\\u001f\\u007f]*$', ...keywords })

const identifier = (description: string) => string({ maxLength: identifierMax, description })

export const AddressPart = identifier('Address of the mailbox.')
export const MessageId = identifier('Permanent id of the message (msg_...).')
export const AttachmentId = identifier('Id of the attachment (att_...).')
export const WebhookId = identifier('Id of the endpoint (whk_...).')

// Paging (decisions.md 1)
export const pageSizeDefault = 50
const pageSizeMax = 200
export const paging = {
  limit: optional(
    integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault, description: 'Rows per page.' }),
  ),
  before: optional(identifier('Cursor of the page before: older rows follow.')),
} as const
const Next = described('Cursor of the next page; null at the end.', nullable(string()))

/** `{<key>: [...], next}`, the body of a list. */
export const page = <const K extends string, T>(
  key: K,
  item: Schema<T>,
): Schema<{ readonly [P in K]: readonly T[] } & { readonly next: string | null }> =>
  object({ [key]: array(item), next: Next }) as Schema<
    { readonly [P in K]: readonly T[] } & { readonly next: string | null }
  >

/** interface.md, Error object. */
export const ErrorObject = object({
  success: boolean({ const: false, description: 'Always false.' }),
  error: string({ description: 'What went wrong, in plain English.' }),
  code: string({ description: 'Stable code; branch on this.' }),
  fix: string({ description: 'What to change before retrying.' }),
  docs: string({ format: 'uri', description: "The code's entry in the error reference." }),
  statusCode: integer({ description: 'The HTTP status again.' }),
  param: optional(string({ description: 'The field to blame; only on validation_error.' })),
  requiredScope: optional(string({ description: 'The missing scope; only on insufficient_scope.' })),
  retryAfter: optional(integer({ description: 'Seconds to wait before the next attempt.' })),
  missing: optional(array(string(), { description: 'Template variables that were not passed.' })),
})
export type ErrorObject = Infer<typeof ErrorObject>

// Messages (interface.md, Message event data; decisions.md 2, Messages)
export const Address = object({ name: string({ description: 'Empty without a name.' }), address: string() })
export type Address = Infer<typeof Address>
const Addresses = untrusted(array(Address))

export const AttachmentSummary = object({
  id: string(),
  name: untrusted(string()),
  content_type: untrusted(string()),
  size: integer({ description: 'Bytes, decoded.' }),
  inline: boolean(),
  content_id: untrusted(nullable(string())),
})
export type AttachmentSummary = Infer<typeof AttachmentSummary>

export const MessageSummary = object({
  message_id: string(),
  mailbox: string(),
  thread_id: string(),
  folder: string(),
  from: untrusted(nullable(Address)),
  to: Addresses,
  cc: Addresses,
  subject: untrusted(nullable(string())),
  snippet: untrusted(nullable(string())),
  received_at: timestamp(),
  size: integer({ description: 'Bytes of the raw message.' }),
  seen: boolean(),
  flagged: boolean(),
  answered: boolean(),
  labels: array(string()),
  attachments: array(AttachmentSummary),
})
export type MessageSummary = Infer<typeof MessageSummary>

export const messageViews = ['headers', 'reply', 'text', 'full'] as const

export const FullMessage = extended(MessageSummary, {
  bcc: Addresses,
  reply_to: Addresses,
  in_reply_to: untrusted(nullable(string())),
  references: untrusted(array(string())),
  text: optional(untrusted(string({ description: 'The whole body as plain text.' }))),
  html: optional(untrusted(described('The whole body as sanitised HTML; null without one.', nullable(string())))),
  reply: optional(untrusted(string({ description: 'The body without quoted history and signature.' }))),
  headers: optional(
    untrusted(array(array(string()), { description: 'In the views headers and full: all, in order, [name, value].' })),
  ),
  encrypted: nullable(oneOf(['pgp', 'smime'])),
  truncated: boolean({ description: 'Whether a body is not whole: cut by max_chars, or past the limits of reading.' }),
  next: described('Pass as cursor to read on where a body was cut.', nullable(string())),
})
export type FullMessage = Infer<typeof FullMessage>

const Label = string({ minLength: 1, maxLength: 100, pattern: '^[^\\u0000-\\u001f\\u007f]+$' })
/** Against a message with an endless list of labels. */
const labelsMax = 100
export const Labels = array(Label, { maxItems: labelsMax })
export const FolderPath = string({
  minLength: 1,
  maxLength: identifierMax,
  description: 'A path, or a role: inbox, sent, drafts, trash, spam, archive.',
})

// Sending (decisions.md 2, Sending)
const AddressText = line(identifierMax, {
  pattern: '^[^\\u0000-\\u001f\\u007f]+@[^\\u0000-\\u001f\\u007f]+$',
  description: '"user@domain" or "Name <user@domain>".',
})
const AddressObject = object({ name: optional(line(headerLineMax)), address: AddressText })
export const AddressesInput = anyOf(
  [AddressText, AddressObject, array(anyOf([AddressText, AddressObject]), { maxItems: addressesMax })],
  { description: 'One address or several, as text or as {name, address}.' },
)
export type AddressesInput = Infer<typeof AddressesInput>

const AttachmentInput = anyOf([
  object({
    name: line(255),
    contentType: line(255),
    content: string({ contentEncoding: 'base64', description: 'The file in base64.' }),
    contentId: optional(line(255)),
  }),
  object({ messageId: MessageId, attachmentId: AttachmentId }),
])
export type AttachmentInput = Infer<typeof AttachmentInput>

const contentFields = {
  from: optional(
    line(identifierMax, { description: 'The mailbox, or its plus form: an address or "Name <address>".' }),
  ),
  fromName: optional(line(headerLineMax, { description: 'Sender name of this message only.' })),
  replyTo: optional(AddressesInput),
  subject: optional(line(headerLineMax)),
  text: optional(string()),
  html: optional(string()),
  attachments: optional(
    array(AttachmentInput, { maxItems: attachmentsMax, description: 'At most 10 files, 10 MB before base64.' }),
  ),
  headers: optional(
    record(line(headerLineMax), {
      propertyNames: { type: 'string', pattern: '^([Xx]|[Ll][Ii][Ss][Tt])-[A-Za-z0-9-]{1,70}$' },
      maxProperties: 50,
      description: 'Extra X- and List- headers.',
    }),
  ),
} as const

export const sendFields = {
  to: optional(AddressesInput),
  cc: optional(AddressesInput),
  bcc: optional(AddressesInput),
  inReplyTo: optional(described('message_id of the message this answers: sets the threading headers.', MessageId)),
  ...contentFields,
} as const

export const replyFields = {
  all: optional(boolean({ description: 'Reply to the sender and all recipients.' })),
  cc: optional(AddressesInput),
  bcc: optional(AddressesInput),
  ...contentFields,
} as const
export type ReplyBody = InferFields<typeof replyFields>

export const SendResult = object({
  id: string({ description: 'Id of the send (em_...).' }),
  message_id: nullable(string({ description: 'The Sent copy; null when none is kept.' })),
  thread_id: nullable(string()),
  status: oneOf(['queued']),
  recipients: array(
    object({
      email: string(),
      status: string({ description: 'queued, sent, delivered, bounced, complained or failed.' }),
    }),
  ),
  suppressed: array(string(), {
    description: 'Recipients that are not written to, because they bounced or complained.',
  }),
})
export type SendResult = Infer<typeof SendResult>

// Mailboxes (decisions.md 2, Mailboxes)
/** Longest signature and automatic answer, in characters: they go into every message. */
const signatureMax = 10_000
export const DisplayName = line(200, { description: 'The name recipients see.' })
export const Signature = string({ maxLength: signatureMax })
export const AutoReply = object({
  enabled: boolean(),
  subject: line(headerLineMax),
  text: string({ maxLength: signatureMax }),
  until: optional(nullable(timestamp())),
})
export type AutoReply = Infer<typeof AutoReply>

export const Mailbox = object({
  address: string(),
  displayName: nullable(string()),
  kind: oneOf(['agent', 'person']),
  domain: string(),
  createdAt: timestamp(),
  createdBy: described('Id of the key that made it.', nullable(string())),
  signature: nullable(string()),
  autoReply: nullable(AutoReply),
  storage: object({ used: integer({ description: 'Bytes.' }), limit: integer({ description: 'Bytes.' }) }),
  hint: optional(string({ description: 'What is missing, such as a display name.' })),
})
export type Mailbox = Infer<typeof Mailbox>

// Account (interface.md, Signup result; decisions.md 2, Account)
export const SignupResult = object({
  address: string(),
  api_key: string({ description: 'Shown once.' }),
  claim_url: string({ format: 'uri' }),
  expires_at: timestamp(),
  base_url: string({ format: 'uri', description: 'Where the REST API of the mailbox is.' }),
  mcp_url: string({ format: 'uri' }),
})
export const ClaimLink = object({ claim_url: string({ format: 'uri' }), expires_at: timestamp() })

const planFields = {
  plan: nullable(oneOf(mailPlanNames)),
  agentsPlan: nullable(oneOf(agentsPlanNames)),
} as const
export const Account = object({
  id: string(),
  name: string(),
  status: oneOf(['unclaimed', 'active', 'paused', 'suspended']),
  ...planFields,
  claimExpiresAt: optional(timestamp()),
  owner: optional(string()),
  sandbox: boolean(),
  createdAt: timestamp(),
})

const used = (description: string) => integer({ minimum: 0, description })
export const Usage = object({
  ...planFields,
  period: object({ from: timestamp(), to: timestamp() }, { description: 'The calendar month (UTC).' }),
  sends: object({ used: used('Recipients written to.'), limit: integer(), remaining: integer() }),
  emails: object({
    sent: used('Recipients written to.'),
    received: used('Messages received, per mailbox.'),
    limit: nullable(integer()),
    grace: nullable(integer({ description: 'Where sending pauses.' })),
  }),
  inboxes: object({ used: used('Mailboxes.'), limit: integer() }),
  storage: object({ used: used('Bytes.'), limit: integer() }),
  requestsPerMinute: integer(),
  batch: object({ recipientsPerCall: integer(), recipientsPerMinute: integer() }),
  webhooks: object({ used: used('Endpoints.'), limit: integer() }),
  eventsDropped: used('Message events dropped at 2,000 an hour.'),
})

// Webhooks (decisions.md 2, Webhooks and events)
export const webhookOrderings = ['none', 'mailbox'] as const
/** Against an endpoint narrowed to an endless list. */
const scopeMax = 1_000
export const WebhookScope = object({
  domains: optional(array(string({ maxLength: 255 }), { maxItems: scopeMax })),
  mailboxes: optional(array(AddressPart, { maxItems: scopeMax })),
})
export const Webhook = object({
  id: string(),
  url: string(),
  events: array(string()),
  scope: object({ domains: array(string()), mailboxes: array(string()) }),
  enabled: boolean(),
  ordering: oneOf(webhookOrderings, { description: '"mailbox" keeps the order of events within a mailbox.' }),
  description: nullable(string()),
  createdAt: timestamp(),
})
export type Webhook = Infer<typeof Webhook>
export const NewWebhook = extended(Webhook, { secret: string({ description: 'Signs every delivery. Shown once.' }) })
export const WebhookUrl = string({ minLength: 1, maxLength: 2_000, format: 'uri' })
export const WebhookDescription = line(500)

/** interface.md, Webhook event envelope; decisions.md 2, Cursor. */
export const EventEnvelope = object({
  id: string(),
  type: string(),
  created_at: timestamp(),
  cursor: optional(string()),
  test: optional(boolean()),
  sandbox: optional(boolean()),
  customer_id: optional(string()),
  data: untrusted(record<unknown>({})),
})
export type EventEnvelope = Infer<typeof EventEnvelope>

export const Deleted = object({ deleted: boolean({ const: true }) })
