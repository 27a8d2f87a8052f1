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
    'Events of the last 30 days of all customers, in one sequence: newest first, or with "after" or "wait" forwards from a cursor, oldest first. A test key lists those of test customers.',
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
