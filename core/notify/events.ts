/**
 * Records events. Each is one document with the account's next number; a change note informs its followers, and its webhook
 * deliveries are inserted and attempted at once. The id of an event is derived from what happened, so that recording it twice makes
 * one event.
 */

import type { EventDoc } from '../../store/documents/events.ts'
import { createEventAppend, type NewEvent } from '../../store/events.ts'
import { accountById } from '../access/known-callers.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import type { OpenSpan } from '../process/tracing.ts'
import { planDeliveries, planMissedDeliveries } from './deliveries.ts'
import { enabledEndpoints } from './endpoints.ts'
import { expectNews } from './event-followers.ts'
import { showTails } from './event-tails.ts'
import { copiesOfRecorded, partnerCopies } from './partner-events.ts'

/** Most calls whose events are written as one group. */
const groupMax = 50

const eventGroups = perProcess(({ store }) => {
  const append = createEventAppend(store)
  return createGroupCommit<readonly NewEvent[], readonly EventDoc[]>(groupMax, async (group) => {
    const fresh = new Map((await append(group.flat())).map((event) => [event._id, event]))
    // When two calls record the same event, only one of them gets it back as new.
    return group.map((events) =>
      events.flatMap(({ _id }) => {
        const event = fresh.get(_id)
        fresh.delete(_id)
        return event ?? []
      }),
    )
  })
})

/**
 * Records events, those of each account in order, with the copies for the partners of customers, and inserts their webhook
 * deliveries. Events that exist already stay unchanged; only deliveries that a crash prevented are added. Returns the new events.
 */
export async function recordEvents(ctx: Context, events: readonly NewEvent[]): Promise<readonly EventDoc[]> {
  if (events.length === 0) return []
  const spans = events.map((event) => spanOf(ctx, event))
  try {
    const copies = await partnerCopies(ctx, events)
    const recorded = await recordUnder(ctx, spans, [...events, ...copies])
    if (copies.length === 0) return recorded
    const wanted = new Set(events.map(({ _id }) => _id))
    return recorded.filter(({ _id }) => wanted.has(_id))
  } finally {
    for (const span of spans) span?.end()
  }
}

/** Adds what a crash prevented after events of an account were recorded: the copies for its partner, and webhook deliveries. */
export async function finishEvents(ctx: Context, accountId: string, eventIds: readonly string[]): Promise<void> {
  const copies = await copiesOfRecorded(ctx, accountId, eventIds)
  if (copies.length > 0) await recordUnder(ctx, [], copies)
  await planMissedDeliveries(ctx, accountId, eventIds)
}

/**
 * Begins to read what recording and publishing events of these accounts needs, while the caller still prepares the events: the
 * accounts, their endpoints, and whether followers may still read. Failures are ignored here: they show again where it is needed.
 */
export function expectEvents(ctx: Context, accountIds: ReadonlySet<string>): void {
  expectNews(ctx, accountIds)
  const ready = [...accountIds].flatMap((accountId) => [accountById(ctx, accountId), enabledEndpoints(ctx, accountId)])
  void Promise.allSettled(ready)
}

async function recordUnder(
  ctx: Context,
  spans: readonly (OpenSpan | null)[],
  events: readonly NewEvent[],
): Promise<readonly EventDoc[]> {
  const appended = await eventGroups(ctx)(events.map((event, n) => ({ ...event, ...spans[n]?.cause })))
  showTails(ctx, appended)
  if (appended.length > 0)
    ctx.changes.publish({ kind: 'events', accountIds: [...new Set(appended.map(({ accountId }) => accountId))] })
  await planDeliveries(ctx, appended)
  const fresh = new Set(appended.map(({ _id }) => _id))
  const before = events.filter(({ _id }) => !fresh.has(_id))
  for (const [accountId, own] of Map.groupBy(before, (event) => event.accountId))
    await planMissedDeliveries(
      ctx,
      accountId,
      own.map(({ _id }) => _id),
    )
  return appended
}

/** The span of an event that is being recorded, under its cause: the document that the event is derived from, or the request. */
function spanOf({ tracing }: Context, event: NewEvent): OpenSpan | null {
  const cause = event.traceparent === undefined ? tracing.cause() : event
  if (cause.traceparent === undefined) return null
  return tracing.open('event', { cause, attributes: { 'event.type': event.type } })
}
