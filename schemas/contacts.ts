/** Contacts as callers see them (decisions.md 2, Messages): snake_case on the wire. */
import { integer, object, string, timestamp, untrusted } from './infer.ts'

export const Contact = object({
  name: untrusted(string({ description: 'The name last used; empty without one.' })),
  address: untrusted(string()),
  last_seen_at: timestamp(),
  sent: integer({ minimum: 0, description: 'Sends to this address.' }),
  received: integer({ minimum: 0, description: 'Messages from this address.' }),
})
