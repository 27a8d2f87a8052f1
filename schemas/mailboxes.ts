/** Mailboxes as callers see them (decisions.md 2, Mailboxes). */

import { headerLineMax, line } from './fields.ts'
import {
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
} from './infer.ts'

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
