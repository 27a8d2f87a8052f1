import { awaitEvents, followEvents } from '../core/notify/event-followers.ts'
import { getEvent as get, listEventsAfter, listEvents as listNewest } from '../core/notify/event-list.ts'
import { secondMs } from '../core/process/clock.ts'
import { Failure } from '../schemas/failures.ts'
import { AddressPart, identifier, page, pageSizeDefault, paging } from '../schemas/fields.ts'
import { extended, type InferFields, integer, object, optional, string, timestamp } from '../schemas/infer.ts'
import { EventEnvelope } from '../schemas/webhooks.ts'
import { type Call, eventStream, operation } from './registry.ts'
import { serverSentEvents } from './server-sent-events.ts'

const filters = {
  type: optional(string({ minLength: 1, maxLength: 1_000, description: 'Event types, separated by commas.' })),
  mailbox: optional(AddressPart),
  since: optional(timestamp({ description: 'From this time on.' })),
  until: optional(timestamp({ description: 'Before this time.' })),
} as const

/** Shorter than a minute, after which many clients and proxies give up. */
const waitSecondsMax = 55

/** The input of a list of events. */
export const eventListInput = {
  ...filters,
  ...paging,
  after: optional(identifier('Cursor of an event or of an earlier answer: lists newer events, oldest first.')),
  wait: optional(
    integer({
      minimum: 0,
      maximum: waitSecondsMax,
      description:
        'Seconds to wait while there is nothing after the cursor. Without a cursor, waits for events from now on.',
    }),
  ),
} as const
export const eventCursor = {
  cursor: string({ description: 'Pass as "after" to continue after this answer, even if it has no events.' }),
} as const

export const listEvents = operation({
  name: 'events.list',
  summary:
    'Events of the last 30 days that the key may read: newest first, or with "after" or "wait" forwards from a cursor, oldest first.',
  scope: null,
  http: 'GET /api/v1/events',
  input: object(eventListInput),
  output: extended(page('events', EventEnvelope), eventCursor),
  errors: ['conflict'],
  handle: eventsOf,
})

/** Lists events, backwards from the newest or forwards from a cursor. */
export async function eventsOf(
  { ctx, principal, again, hungUp }: Call,
  {
    limit = pageSizeDefault,
    before,
    after,
    wait = 0,
    ...given
  }: InferFields<typeof eventListInput> & { readonly customer?: string },
) {
  const filter = filterOf(given)
  if (before !== undefined && (after !== undefined || wait > 0))
    throw new Failure('validation_error', '"before" cannot be combined with "after" or "wait".', {
      param: 'before',
      fix: 'Leave out "before" to read forwards, or "after" and "wait" to read backwards.',
    })
  if (after === undefined && wait === 0) {
    const { items, next, cursor } = await listNewest(ctx, principal, { ...filter, limit, before })
    return { events: items, next, cursor }
  }
  const { events, isMore, cursor } =
    after !== undefined && wait === 0
      ? await listEventsAfter(ctx, principal, { ...filter, limit, after })
      : await awaitEvents(ctx, { principal, again }, { ...filter, limit, after, timeoutMs: wait * secondMs, hungUp })
  return { events, next: isMore ? cursor : null, cursor }
}

export const getEvent = operation({
  name: 'events.get',
  summary: 'Read one event.',
  scope: null,
  http: 'GET /api/v1/events/{id}',
  input: object({ id: identifier('Id of the event (evt_...).') }),
  output: EventEnvelope,
  errors: ['not_found'],
  handle: ({ ctx, principal }, { id }) => get(ctx, principal, id),
})

/** Events that a stream reads at once, which bounds the memory that a slow reader takes. */
const streamPage = 50

export const streamEvents = operation({
  name: 'events.stream',
  summary:
    'Events as they are recorded, as an endless stream of server-sent events. A reader that lost the connection resumes with Last-Event-ID.',
  scope: null,
  http: 'GET /api/v1/events/stream',
  input: object({
    ...filters,
    after: optional(identifier('As in the list. Last-Event-ID, which clients send on their own, takes precedence.')),
  }),
  output: eventStream('The same envelopes, each with its cursor as its id.'),
  errors: ['conflict', 'rate_limited', 'unavailable'],
  async handle({ ctx, principal, again }, { after, ...given }) {
    const caller = { principal, again }
    return serverSentEvents(ctx, await followEvents(ctx, caller, { ...filterOf(given), after, limit: streamPage }))
  },
})

function filterOf({ since, until, ...filter }: InferFields<typeof filters> & { readonly customer?: string }) {
  return {
    ...filter,
    ...(since !== undefined && { since: new Date(since) }),
    ...(until !== undefined && { until: new Date(until) }),
  }
}
