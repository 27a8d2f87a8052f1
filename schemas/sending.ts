/** What a send takes and answers (decisions.md 2, Sending). */

import { AttachmentId, headerLineMax, identifierMax, line, MessageId } from './fields.ts'
import {
  anyOf,
  array,
  boolean,
  described,
  type Infer,
  type InferFields,
  nullable,
  object,
  oneOf,
  optional,
  record,
  string,
} from './infer.ts'

/** Above the 50 recipients of a send, so that one too many is counted and told, and a million is refused unread. */
const addressesMax = 1_000
/** Above the 10 files of a send, for the same reason. */
const attachmentsMax = 100

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
