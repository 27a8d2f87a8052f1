/** Messages as callers see them (interface.md, Message event data; decisions.md 2, Messages): snake_case on the wire. */

import { identifierMax } from './fields.ts'
import {
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
  string,
  timestamp,
  unlisted,
  untrusted,
} from './infer.ts'

export const Address = object({ name: string({ description: 'Empty if there is none.' }), address: string() })
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
  from: described(
    'The first author, with an empty address if From has only a name; null if From has neither.',
    untrusted(nullable(Address)),
  ),
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

/** The results of RFC 8601 2.7 that can occur here. */
export const authResults = ['pass', 'fail', 'softfail', 'neutral', 'policy', 'none', 'temperror', 'permerror'] as const
const AuthResult = oneOf(authResults)

/** How far a received message can be trusted (decisions.md 4, trust). */
export const Trust = unlisted(
  object({
    spf: AuthResult,
    dkim: array(object({ domain: string(), result: AuthResult })),
    dmarc: AuthResult,
    arc: AuthResult,
    aligned_from: described('The domain of From, if it is authenticated; else null.', nullable(string())),
    first_contact: boolean({ description: 'Whether this address never wrote to the mailbox before.' }),
    reply_to_mismatch: boolean({ description: 'Whether a reply would go to a domain other than that of From.' }),
    display_name_spoof: boolean({ description: 'Whether the sender uses the name of somebody else.' }),
    auto_submitted: boolean({ description: 'Whether a program sent it automatically (RFC 3834).' }),
    alternatives_differ: optional(
      boolean({
        description:
          'true if the plain text says something that the HTML shows nowhere (`hidden`, kind alternative); else absent.',
      }),
    ),
  }),
)
export type Trust = Infer<typeof Trust>

/** Codes and links that a person would be asked to copy or open (decisions.md 4, verification). */
export const Verification = object({
  codes: array(
    object({
      value: untrusted(string()),
      label: untrusted(nullable(string())),
      confidence: number({ minimum: 0, maximum: 1 }),
    }),
  ),
  links: array(
    object({
      url: untrusted(string()),
      host: untrusted(string()),
      same_org: boolean({ description: 'Whether the host belongs to the authenticated domain.' }),
    }),
  ),
})
export type Verification = Infer<typeof Verification>

export const Hidden = object({ kind: string(), excerpt: untrusted(string()) })

/** Views that show only the body, each in a field of its own. */
export const bodyViews = ['reply', 'text', 'markdown'] as const
export const messageViews = ['headers', ...bodyViews, 'full'] as const

const bodyFields = {
  text: optional(untrusted(string({ description: 'The whole body as plain text, as a person sees it.' }))),
  markdown: optional(
    untrusted(
      string({
        description:
          'In the view markdown: the whole body as a person sees it, with headings, emphasis, links, lists, data tables and the text of images. Plain text is unchanged.',
      }),
    ),
  ),
  reply: optional(untrusted(string({ description: 'The body without quoted history and signature.' }))),
} as const
const cutFields = {
  truncated: boolean({
    description: 'Whether a body is incomplete: cut by max_chars, or beyond the limits for reading.',
  }),
  next: described('Pass as cursor to continue where a body was cut.', nullable(string())),
} as const

export const FullMessage = extended(MessageSummary, {
  bcc: Addresses,
  reply_to: Addresses,
  in_reply_to: untrusted(nullable(string())),
  references: untrusted(array(string())),
  ...bodyFields,
  html: optional(
    untrusted(
      described(
        'The whole body as sanitised HTML; null without one. It runs and loads nothing: images of the message (cid:) have the address of their attachment; remote images are kept in data-remote-src, because loading one tells the sender that the mail was read. Text that a person does not see is left out.',
        nullable(string()),
      ),
    ),
  ),
  headers: optional(
    untrusted(array(array(string()), { description: 'In the views headers and full: all, in order, [name, value].' })),
  ),
  trust: described('null for mail that did not arrive by SMTP.', nullable(Trust)),
  verification: described('null if there is no code or link.', nullable(Verification)),
  hidden: optional(
    array(Hidden, {
      description:
        'In the views reply, text, markdown and full: text that a person does not see and that is left out of the bodies. kind: display_none, transparent, zero_size, off_screen, same_colour, covered, comment, zero_width, tag_characters; bidi_override: letters displayed in another order, given as they were written (the bodies have them as displayed); terminal_escape: sequences that a terminal obeys; lookalike_domain: a domain whose letters look like those of another; alternative: sentences of a plain text part that the HTML shows nowhere (text, reply and snippet are then those of the HTML).',
    }),
  ),
  encrypted: described(
    'How the body is encrypted; null if it can be read. A body that is only signed is read, and its signature is not verified.',
    nullable(oneOf(['pgp', 'smime'])),
  ),
  ...cutFields,
})
export type FullMessage = Infer<typeof FullMessage>

/** A message of a conversation, with its body if a view was requested. */
export const ThreadMessage = extended(MessageSummary, {
  ...bodyFields,
  truncated: optional(cutFields.truncated),
  next: optional(described('Pass as cursor to read_message, with the same view, to continue.', nullable(string()))),
})
export type ThreadMessage = Infer<typeof ThreadMessage>

/** A message as a wait returns it. */
export const WaitedMessage = extended(MessageSummary, {
  trust: described('null for mail that did not arrive by SMTP.', nullable(Trust)),
  verification: described('null if there is no code or link.', nullable(Verification)),
})
export type WaitedMessage = Infer<typeof WaitedMessage>

/**
 * At least one visible character; no control characters, unpaired surrogates or marks that change the direction of other
 * text.
 */
export const Label = string({
  minLength: 1,
  maxLength: 100,
  ...form(
    '^(?=.*[^\\s\\p{C}])[^\\p{Cc}\\p{Cs}\\u202a-\\u202e\\u2066-\\u2069]+$',
    'visible text on one line, without control characters or direction marks',
    'to answer',
  ),
})
/** Most labels in one request, so that no message gets an endless list. */
const labelsMax = 100
export const Labels = array(Label, { maxItems: labelsMax })
export const FolderPath = string({
  minLength: 1,
  maxLength: identifierMax,
  description: 'A path or a role: inbox, sent, drafts, trash, spam, archive.',
})

/** Longest filter text: a longer one would be expensive to match. */
const filterMax = 1_000
const Filter = (description: string) => string({ minLength: 1, maxLength: filterMax, description })

/** The filters of a list of messages, and of a wait. */
export const messageFilters = {
  folder: optional(FolderPath),
  label: optional(Filter('A label the message has.')),
  thread_id: optional(Filter('Id of the thread (thr_...).')),
  unread: optional(boolean({ description: 'Whether it is unread.' })),
  flagged: optional(boolean({ description: 'Whether it is marked as important.' })),
  from: optional(Filter('Address of the sender.')),
  to: optional(Filter('Address of a recipient.')),
  subject: optional(Filter('Part of the subject.')),
  has_attachment: optional(boolean({ description: 'Whether it has attachments.' })),
  until: optional(timestamp({ description: 'Stored before this time.' })),
}
export const messageFilterNames = Object.keys(messageFilters)
