import { listEvents as list } from '../core/notify/events.ts'
import { eventTypes } from '../schemas/events.ts'
import { AddressPart, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { described, object, oneOf, optional, string, timestamp } from '../schemas/infer.ts'
import { EventEnvelope } from '../schemas/webhooks.ts'
import { operation } from './registry.ts'

export const listEvents = operation({
  name: 'events.list',
  summary: 'Events of the last 30 days that the key may read: newest first, or forward from a cursor, oldest first.',
  scope: null,
  http: 'GET /api/v1/events',
  input: object({
    type: optional(oneOf(eventTypes)),
    mailbox: optional(AddressPart),
    since: optional(timestamp({ description: 'From this time on.' })),
    until: optional(timestamp({ description: 'Before this time.' })),
    ...paging,
    after: optional(described('Cursor of an event: newer ones follow, oldest first.', string({ maxLength: 1_000 }))),
  }),
  output: page('events', EventEnvelope),
  errors: ['conflict'],
  async handle({ ctx, principal }, { since, until, limit = pageSizeDefault, ...filters }) {
    const { items, next } = await list(ctx, principal, {
      ...filters,
      limit,
      ...(since !== undefined && { since: new Date(since) }),
      ...(until !== undefined && { until: new Date(until) }),
    })
    return { events: items, next }
  },
})
