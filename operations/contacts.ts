import { getContacts as find } from '../core/mailbox/contacts.ts'
import { Contact } from '../schemas/contacts.ts'
import { AddressPart, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { object, optional, string } from '../schemas/infer.ts'
import { operation } from './registry.ts'

/** Longest search text: longer than the beginning of any name or address that somebody types. */
const qMax = 200

export const getContacts = operation({
  name: 'contacts.list',
  summary: 'The people that a mailbox corresponded with, last seen first.',
  scope: 'mail:read',
  http: 'GET /api/v1/mailboxes/{address}/contacts',
  tools: [
    {
      name: 'get_contacts',
      description:
        'People the mailbox corresponded with, last seen first. Use it to find an address by name; for mail of a person, search_messages.',
      toolset: 'mail',
      effect: 'read',
      expose: ['address', 'q', 'limit', 'before'],
      preset: { limit: 20 },
      sizedBy: 'limit',
    },
  ],
  input: object({
    address: AddressPart,
    q: optional(string({ maxLength: qMax, description: 'Beginning of a word of the name, or of the address.' })),
    ...paging,
  }),
  output: page('contacts', Contact),
  errors: [],
  async handle({ ctx, principal }, { address, q, limit = pageSizeDefault, before }) {
    const { items, next } = await find(ctx, principal, { address, q, limit, before })
    return {
      contacts: items.map(({ name, address: of, lastSeenAt, sent, received }) => ({
        name,
        address: of,
        sent,
        received,
        last_seen_at: lastSeenAt.toISOString(),
      })),
      next,
    }
  },
})
