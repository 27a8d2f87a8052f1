import { getEvent as get } from '../core/notify/event-list.ts'
import { identifier, page } from '../schemas/fields.ts'
import { extended, object, optional } from '../schemas/infer.ts'
import { CustomerId } from '../schemas/partners.ts'
import { EventEnvelope } from '../schemas/webhooks.ts'
import { eventCursor, eventListInput, eventsOf } from './events.ts'
import { operation } from './registry.ts'

export const listPartnerEvents = operation({
  name: 'partner_events.list',
  summary:
    'Events of the customers of the last 30 days, in one sequence: newest first, or forward from a cursor, oldest first, as they come. With a test key those of customers to try things with.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/events',
  input: object({ customer_id: optional(CustomerId), ...eventListInput }),
  output: extended(page('events', EventEnvelope), eventCursor),
  errors: ['conflict'],
  handle: (call, { customer_id: customer, ...asked }) =>
    eventsOf(call, { ...asked, ...(customer !== undefined && { customer }) }),
})

export const getPartnerEvent = operation({
  name: 'partner_events.get',
  summary: 'Read one event.',
  by: 'partner',
  scope: null,
  http: 'GET /api/partner/events/{id}',
  input: object({ id: identifier('Id of the event (evt_...).') }),
  output: EventEnvelope,
  errors: ['not_found'],
  handle: ({ ctx, principal }, { id }) => get(ctx, principal, id),
})
