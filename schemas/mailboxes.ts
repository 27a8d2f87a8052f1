/** Mailboxes as callers see them (decisions.md 2, Mailboxes). */

import { headerLineMax, line } from './fields.ts'
import {
  array,
  boolean,
  described,
  type Infer,
  integer,
  nullable,
  object,
  oneOf,
  optional,
  string,
  timestamp,
  unlisted,
} from './infer.ts'

/** Longest signature and automatic reply, in characters: they go into every message. */
const signatureMax = 10_000
export const DisplayName = line(200, 'Ann Smith', { description: 'The name that recipients see.' })
export const Signature = string({ maxLength: signatureMax, description: 'Text below each mail.' })
export const AutoReply = unlisted(
  object(
    {
      enabled: boolean(),
      subject: line(headerLineMax, 'Out of office'),
      text: string({ maxLength: signatureMax }),
      until: optional(nullable(timestamp({ description: 'When it ends; without it, never.' }))),
    },
    { description: 'The automatic reply: {enabled, subject, text, until?}.' },
  ),
)
export type AutoReply = Infer<typeof AutoReply>

export const Mailbox = object({
  address: string(),
  displayName: nullable(string()),
  kind: oneOf(['agent', 'person']),
  domain: string(),
  createdAt: timestamp(),
  createdBy: described(
    'Id of the key that created it (key_...); null if an administrator or the service created it.',
    nullable(string()),
  ),
  signature: nullable(string()),
  autoReply: nullable(AutoReply),
  storage: object({ used: integer({ description: 'Bytes.' }), limit: integer({ description: 'Bytes.' }) }),
  hint: optional(string({ description: 'What is missing, such as a display name.' })),
})
export type Mailbox = Infer<typeof Mailbox>

export const listNames = ['sendAllow', 'sendBlock', 'receiveAllow', 'receiveBlock'] as const
export type ListName = (typeof listNames)[number]
/** Most entries of one list: the whole list is read for every mail. */
const listEntriesMax = 500
const listEntryCharsMax = 400
const List = (description: string) =>
  array(string({ minLength: 1, maxLength: listEntryCharsMax }), {
    maxItems: listEntriesMax,
    description: `${description} Addresses, domains, or *.example.com for all domains below example.com.`,
  })
export const listFields = {
  sendAllow: List('Whom the mailbox may send to; empty: everybody.'),
  sendBlock: List('Whom it may not send to; overrides sendAllow.'),
  receiveAllow: List("Whose mail it accepts, if their domain is authenticated; empty: everybody's."),
  receiveBlock: List('Whose mail it rejects, authenticated or not; overrides receiveAllow.'),
} as const
export const MailboxLists = object(listFields)
export type MailboxLists = Infer<typeof MailboxLists>
