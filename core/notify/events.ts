/**
 * Events: each is one document with the account's next number; its webhook deliveries are inserted and attempted at
 * once. The id of an event is derived from what happened, so that recording it twice makes one event.
 */

import { accountEventTypes, type EventType, eventKinds } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import { notACursor } from '../../schemas/refusals.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import { createEventAppend, listEvents as findEvents, type NewEvent } from '../../store/events.ts'
import { firstMovedNumber } from '../../store/moves.ts'
import { accountById } from '../access/known-callers.ts'
import type { Page } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import type { OpenSpan } from '../process/tracing.ts'
import { planDeliveries, planMissedDeliveries } from './deliveries.ts'
import { cursorOf, cursorTag, type Event, eventOf, readCursor } from './event-body.ts'

const keptMs = 30 * dayMs
/** Calls whose events are written as one group. */
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
 * Records events, those of each account in order, and inserts their webhook deliveries. Events that exist already stay
 * as they are; only deliveries that a crash prevented are added. Returns the new events.
 */
export async function recordEvents(ctx: Context, events: readonly NewEvent[]): Promise<readonly EventDoc[]> {
  if (events.length === 0) return []
  const spans = events.map((event) => spanOf(ctx, event))
  try {
    return await recordUnder(ctx, spans, events)
  } finally {
    for (const span of spans) span?.end()
  }
}

async function recordUnder(
  ctx: Context,
  spans: readonly (OpenSpan | null)[],
  events: readonly NewEvent[],
): Promise<readonly EventDoc[]> {
  const appended = await eventGroups(ctx)(events.map((event, n) => ({ ...event, ...spans[n]?.cause })))
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

/** The span of an event that is being recorded, under what caused it: what it is made from, or the request. */
function spanOf({ tracing }: Context, event: NewEvent): OpenSpan | null {
  const cause = event.traceparent === undefined ? tracing.cause() : event
  if (cause.traceparent === undefined) return null
  return tracing.open('event', { cause, attributes: { 'event.type': event.type } })
}

export type EventListing = {
  readonly type?: string
  readonly mailbox?: string
  readonly since?: Date
  readonly until?: Date
  readonly limit: number
  readonly before?: string
  readonly after?: string
}

/**
 * Lists the events that the key may read: newest first, or oldest first after the cursor `after`. Fails with
 * `validation_error`, `conflict` (cursor older than 30 days).
 */
export async function listEvents(
  ctx: Context,
  principal: Principal,
  { type, mailbox, since, until, limit, before, after: from }: EventListing,
): Promise<Page<Event>> {
  const readable = readableTypes(principal)
  const types = type === undefined ? readable : readable.filter((name) => name === type)
  const query = {
    accountId: principal.accountId,
    types,
    mailboxIds: principal.mailboxIds,
    ...(mailbox !== undefined && { mailbox }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
  if (from !== undefined) {
    const position = await positionOf(ctx, principal, from, 'after')
    if (position.at < after(ctx.clock.now(), -keptMs))
      throw new Failure(
        'conflict',
        'The cursor in "after" is older than 30 days, and events after it may have expired.',
        { fix: 'Leave "after" out and begin with what is there.' },
      )
    const rows = await findEvents(ctx.store, query, { after: position.seq, limit: limit + 1 })
    return {
      items: rows.slice(0, limit).map((row) => eventOf(row, principal.account)),
      next: rows.length > limit ? cursorOf(rows[limit - 1]!) : null,
    }
  }
  const rows = await findEvents(ctx.store, query, {
    before: before === undefined ? null : (await positionOf(ctx, principal, before, 'before')).seq,
    limit: limit + 1,
  })
  return {
    items: rows.slice(0, limit).map((row) => eventOf(row, principal.account)),
    next: rows.length > limit ? cursorOf(rows[limit - 1]!) : null,
  }
}

/**
 * The place of a cursor among the events of the account. One of an account that was claimed into it stands before the first
 * event that came from there (decisions.md 3, Claim into an existing account).
 */
async function positionOf(
  ctx: Context,
  { accountId }: Principal,
  cursor: string,
  param: string,
): Promise<{ seq: number; at: Date }> {
  const { seq, at, tag } = readCursor(cursor, param)
  if (tag === null || tag === cursorTag(accountId)) return { seq, at }
  const { joined = [] } = (await accountById(ctx, accountId)) ?? {}
  const from = joined.find((each) => cursorTag(each) === tag)
  const first = from === undefined ? null : await firstMovedNumber(ctx.store, { from, to: accountId })
  if (first === null) throw notACursor(param)
  return { seq: first - 1, at }
}

/**
 * The event types that a key may read: those about resources that its scopes let it read (decisions.md 2, Webhooks and
 * events).
 */
export function readableTypes(principal: Principal): EventType[] {
  return accountEventTypes.filter((type) => {
    const { access } = eventKinds[type]
    return access === 'account key'
      ? principal.kind === 'account'
      : access !== 'partner' && principal.scopes.includes(access)
  })
}
