/**
 * Events: one document each, with the account's next number, planned for every endpoint that listens, and told to it at
 * once. Ids are derived from what happened, so that announcing twice gives one event.
 */

import { accountEventTypes, type EventType, eventKinds } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import { createEventAppend, listEvents as findEvents, type NewEvent } from '../../store/events.ts'
import type { Page } from '../access/paging.ts'
import type { Principal } from '../access/principal.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createGroupCommit } from '../process/group-commit.ts'
import { perProcess } from '../process/per-process.ts'
import { planDeliveries, planMissed } from './deliveries.ts'
import { cursorOf, type Event, eventOf, readCursor } from './event-body.ts'

const keptMs = 30 * dayMs
/** Callers whose events are written together. */
const groupMax = 50

const recorders = perProcess(({ store }) => {
  const append = createEventAppend(store)
  return createGroupCommit<readonly NewEvent[], readonly EventDoc[]>(groupMax, async (group) => {
    const fresh = new Map((await append(group.flat())).map((event) => [event._id, event]))
    // Of two who record the same, one made it.
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
 * Records events, those of each account in order, and plans their webhooks. Those that exist already are left as they are,
 * and only planned for when a crash kept them from it. Returns those that are new.
 */
export async function recordEvents(ctx: Context, events: readonly NewEvent[]): Promise<readonly EventDoc[]> {
  if (events.length === 0) return []
  const appended = await recorders(ctx)(events)
  await planDeliveries(ctx, appended)
  const fresh = new Set(appended.map(({ _id }) => _id))
  const before = events.filter(({ _id }) => !fresh.has(_id))
  for (const [accountId, own] of Map.groupBy(before, (event) => event.accountId))
    await planMissed(
      ctx,
      accountId,
      own.map(({ _id }) => _id),
    )
  return appended
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

/** Events the key may read: newest first, or oldest first after a cursor. Fails with `validation_error`, `conflict` (cursor older than 30 days). */
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
    const position = readCursor(from, 'after')
    if (position.at < after(ctx.clock.now(), -keptMs))
      throw new Failure('conflict', 'The cursor is older than 30 days: events after it may be gone.')
    const rows = await findEvents(ctx.store, query, { after: position.seq, limit: limit + 1 })
    return { items: rows.slice(0, limit).map(eventOf), next: rows.length > limit ? cursorOf(rows[limit - 1]!) : null }
  }
  const rows = await findEvents(ctx.store, query, {
    before: before === undefined ? null : readCursor(before, 'before').seq,
    limit: limit + 1,
  })
  return { items: rows.slice(0, limit).map(eventOf), next: rows.length > limit ? cursorOf(rows[limit - 1]!) : null }
}

/** The kinds a key may read: what its scopes let it read otherwise (decisions.md 2, Webhooks and events). */
export function readableTypes(principal: Principal): EventType[] {
  return accountEventTypes.filter((type) => {
    const { access } = eventKinds[type]
    return access === 'account key'
      ? principal.kind === 'account'
      : access !== 'partner' && principal.scopes.includes(access)
  })
}
