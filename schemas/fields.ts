/** What schemas of several resources share: ids, lines of text, paging, the error object. */
import {
  array,
  boolean,
  described,
  form,
  type Infer,
  integer,
  nullable,
  object,
  optional,
  type Schema,
  string,
} from './infer.ts'

/** Longest path parameter or filter: longer than any address, id or cursor. */
export const identifierMax = 1_000
/** RFC 5322 2.1.1: the longest line of a message. */
export const headerLineMax = 998
/** Longest Idempotency-Key (interface.md, Limits 6). */
export const idempotencyKeyMax = 256

/**
 * Text that may become one header line: without control characters, so that nobody can inject headers with it. The error for any
 * other text shows the example.
 */
export const line = (
  maxLength: number,
  example: string,
  keywords: { readonly [keyword: string]: unknown } = {},
): Schema<string> =>
  string({
    maxLength,
    ...form('^[^\\u0000-\\u001f\\u007f]*$', 'one line of text without control characters', example),
    ...keywords,
  })

const spaces = ' \\u00a0\\u2000-\\u200a\\u202f\\u205f\\u3000'
/** Invisible characters, such as the zero-width space. */
const unseen = '\\u00ad\\u200b-\\u200f\\u2060-\\u2064\\ufeff'
/** Control characters including those of ISO 8859, the line separators of Unicode, and marks that change the direction of text. */
const noText = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029\\u202a-\\u202e\\u2066-\\u2069'
const filledForm = (example: string) =>
  form(
    `^[${spaces}${unseen}]*[^\\s${unseen}${noText}][^${noText}]*$`,
    'one line of text that is not blank, without control characters',
    example,
  )
/** The name of somebody or something, which is shown to others. */
export const nameLine = (
  maxLength: number,
  example: string,
  keywords: { readonly [keyword: string]: unknown } = {},
): Schema<string> => string({ minLength: 1, maxLength, ...filledForm(example), ...keywords })

const reasonForm = filledForm('bills are unpaid')
/** The reason for an act, which is shown to others. */
export const reasonLine = (maxLength: number, keywords: { readonly [keyword: string]: unknown } = {}) =>
  string({ minLength: 1, maxLength, ...reasonForm, ...keywords })

export const identifier = (description: string) => string({ maxLength: identifierMax, description })

export const AddressPart = identifier('Address of the mailbox.')
export const MessageId = identifier('Id of the message (msg_...).')
export const ThreadId = identifier('Id of the conversation (thr_...).')
export const AttachmentId = identifier('Id of the attachment (att_...).')
export const DeliveryId = identifier('Id of the delivery (dlv_...).')
export const WebhookId = identifier('Id of the endpoint (whk_...).')

// Paging (decisions.md 1)
export const pageSizeDefault = 50
export const pageSizeMax = 200
/** How many mailboxes of an account one can choose from: more than it has in any plan. */
export const mailboxesOffered = 1_000
export const paging = {
  limit: optional(integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault, description: 'At most 200.' })),
  before: optional(identifier('next of a page.')),
} as const
const Next = described(
  'Cursor of the next page; null at the end. A page of long records may have fewer of them than `limit`.',
  nullable(string()),
)

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
  param: optional(string({ description: 'The field at fault; only on validation_error.' })),
  requiredScope: optional(string({ description: 'The missing scope; only on insufficient_scope.' })),
  retryAfter: optional(integer({ description: 'Seconds to wait before the next attempt.' })),
  missing: optional(array(string(), { description: 'Template variables that were not passed.' })),
})
export type ErrorObject = Infer<typeof ErrorObject>

export const Deleted = object({ deleted: boolean({ const: true }) })
