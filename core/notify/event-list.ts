/**
 * The events of an account as a key may read them. Invariant: whoever reads forward from a cursor gets every event after it
 * that they may see, or a failure that says that some are gone. That holds for every page, because a page goes only as far as
 * the newest event that existed when it was begun.
 */
import { normaliseAddress } from '../../mail/message/address.ts'
import { accountEventTypes, type EventType, eventKinds, eventTypes, partnerEventTypes } from '../../schemas/events.ts'
import { Failure } from '../../schemas/failures.ts'
import { notACursor, notAnAddress, unknown } from '../../schemas/refusals.ts'
import type { EventDoc } from '../../store/documents/events.ts'
import {
  countEvents,
  type EventQuery,
  type EventRange,
  findEvent,
  lastEventNumber,
  listEvents as list,
} from '../../store/events.ts'
import { firstMovedNumber } from '../../store/moves.ts'
import type { Portion } from '../../store/reads.ts'
import { accountById } from '../access/known-callers.ts'
import type { Page } from '../access/paging.ts'
import { type Principal, reaches } from '../access/principal.ts'
import { after, dayMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { cursorOf, cursorTag, type Event, eventOf, readCursor } from './event-body.ts'

const keptMs = 30 * dayMs

export type EventFilter = {
  /** Event types, separated by commas. */
  readonly type?: string
  readonly mailbox?: string
  /** For a partner: the customer that the events are about. */
  readonly customer?: string
  readonly since?: Date
  readonly until?: Date
}

/** Events, oldest first, and the cursor after them. */
export type EventPage = {
  readonly events: readonly Event[]
  readonly cursor: string
  /** Whether there are more events already. */
  readonly isMore: boolean
}

/**
 * Lists events that the key may read, newest first, with the cursor after the newest event, from which to continue. Fails with
 * `validation_error`.
 */
export async function listEvents(
  ctx: Context,
  principal: Principal,
  { limit, before, ...filter }: EventFilter & { readonly limit: number; readonly before?: string },
): Promise<Page<Event> & { readonly cursor: string }> {
  const query = eventQuery(principal, filter)
  const end = await lastEventNumber(ctx.store, principal.accountId)
  const upTo = before === undefined ? end : (await placeOf(ctx, principal, readCursor(before, 'before'), 'before')) - 1
  const { docs, isMore } = await list(ctx.store, query, { after: 0, upTo, newestFirst: true, limit })
  return {
    items: docs.map((doc) => eventOf(doc, principal.account)),
    next: isMore ? cursorOf(docs.at(-1)!) : null,
    cursor: cursorBehind(ctx, principal, end),
  }
}

/** Lists the events after a cursor that exist now, oldest first. Fails as `startAfter` does, and with `conflict` as `readForward` does. */
export async function listEventsAfter(
  ctx: Context,
  principal: Principal,
  { limit, after: cursor, ...filter }: EventFilter & { readonly limit: number; readonly after: string },
): Promise<EventPage> {
  const query = eventQuery(principal, filter)
  const from = await startAfter(ctx, principal, cursor)
  const upTo = await lastEventNumber(ctx.store, principal.accountId)
  if (from > upTo) throw aheadFailure()
  const portion = await readForward(ctx, query, { after: from, upTo, limit })
  return eventPage(ctx, principal, { ...portion, upTo })
}

/** Reads an event. Fails with `not_found`. */
export async function getEvent(ctx: Context, principal: Principal, eventId: string): Promise<Event> {
  const { accountId, account } = principal
  const event = await findEvent(ctx.store, { accountId, eventId })
  const mayRead =
    event !== null &&
    readableTypes(principal).some((type) => type === event.type) &&
    (principal.partnerMode !== 'test' || event.sandbox === true) &&
    (event.mailboxId === null ? principal.mailboxIds === null : reaches(principal, event.mailboxId))
  if (!mayRead)
    throw new Failure('not_found', `There is no event ${eventId} that this key may read.`, {
      fix: 'Use the id of an event from a webhook or a list of events; events are kept for 30 days.',
    })
  return eventOf(event, account)
}

/** The address under which events name a mailbox, from any way to write it; null for what is no address. */
export const addressInEvents = (address: string): string | null => normaliseAddress(address)

/** The query for a filter, limited to what the principal may see. Fails with `validation_error`. */
export function eventQuery(principal: Principal, { type, mailbox, customer, since, until }: EventFilter): EventQuery {
  const readable = readableTypes(principal)
  const wanted = type?.split(',').map((name) => name.trim())
  for (const name of wanted ?? [])
    if (!eventTypes.some((known) => known === name)) throw unknown('kind of event', name, eventTypes, 'type')
  const address = mailbox === undefined ? undefined : normaliseAddress(mailbox)
  if (address === null) throw notAnAddress(String(mailbox), 'mailbox')
  return {
    accountId: principal.accountId,
    types: wanted === undefined ? readable : readable.filter((name) => wanted.includes(name)),
    mailboxIds: principal.mailboxIds,
    ...(principal.partnerMode === 'test' && { sandbox: true }),
    ...(customer !== undefined && { customerId: customer }),
    ...(address !== undefined && { mailbox: address }),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  }
}

/**
 * The event types that a key may read: those about resources that its scopes let it read (decisions.md 2, Webhooks and
 * events).
 */
export function readableTypes(principal: Principal): readonly EventType[] {
  if (principal.partnerMode !== undefined) return partnerEventTypes
  return accountEventTypes.filter((type) => {
    const { access } = eventKinds[type]
    return access === 'account key'
      ? principal.kind === 'account'
      : access !== 'partner' && principal.scopes.includes(access)
  })
}

/**
 * The number of the event after which a cursor stands. Fails with `validation_error`, and with `conflict` for a cursor that is
 * older than 30 days.
 */
export async function startAfter(ctx: Context, principal: Principal, cursor: string): Promise<number> {
  const read = readCursor(cursor, 'after')
  const seq = await placeOf(ctx, principal, read, 'after')
  if (read.at < after(ctx.clock.now(), -keptMs)) throw goneFailure('after')
  return seq
}

/**
 * Reads a portion of the events with numbers above `after`, oldest first, up to and including number `upTo`, which must exist. Fails
 * with `conflict` when some of them have expired.
 */
export async function readForward(
  ctx: Context,
  query: EventQuery,
  { limit, ...range }: EventRange & { readonly limit: number },
): Promise<Portion<EventDoc>> {
  if (range.after >= range.upTo) return { docs: [], isMore: false }
  const portion = await list(ctx.store, query, { ...range, newestFirst: false, limit })
  const { docs, isMore } = portion
  await requireWhole(ctx, query.accountId, isMore ? { ...range, upTo: docs.at(-1)!.seq } : range)
  return portion
}

/** Fails with `conflict` when an event of a range has expired: every number was given to an event. */
export async function requireWhole(ctx: Context, accountId: string, { after, upTo }: EventRange): Promise<void> {
  if (after < upTo && (await countEvents(ctx.store, accountId, { after, upTo })) < upTo - after)
    throw goneFailure('after')
}

/** The page of a portion of the events up to number `upTo`. */
export function eventPage(
  ctx: Context,
  principal: Principal,
  { docs, isMore, upTo }: Portion<EventDoc> & { readonly upTo: number },
): EventPage {
  return {
    events: docs.map((doc) => eventOf(doc, principal.account)),
    cursor: isMore ? cursorOf(docs.at(-1)!) : cursorBehind(ctx, principal, upTo),
    isMore,
  }
}

/** The cursor after the event with this number, with the current time. */
export function cursorBehind(ctx: Context, { accountId }: Principal, seq: number): string {
  return cursorOf({ seq, createdAt: ctx.clock.now(), accountId })
}

/** The failure for a cursor ahead of all events, as after the database was restored to an earlier state. */
export function aheadFailure(): Failure {
  return new Failure('conflict', 'The cursor in "after" is ahead of all events.', { fix: beginAnew })
}

const beginAnew = 'Leave "after" out, list the events, and continue from the cursor of that answer.'

function goneFailure(param: string): Failure {
  return new Failure('conflict', `Events after the cursor in "${param}" may be gone: events are kept for 30 days.`, {
    fix: beginAnew,
  })
}

/**
 * The event number that a cursor stands for in the account. A cursor of an account that was claimed into this one stands before
 * the first event that came from there (decisions.md 3, Claim into an existing account).
 */
async function placeOf(
  ctx: Context,
  { accountId }: Principal,
  { seq, tag }: ReturnType<typeof readCursor>,
  param: string,
): Promise<number> {
  if (tag === null || tag === cursorTag(accountId)) return seq
  const { joined = [] } = (await accountById(ctx, accountId)) ?? {}
  const from = joined.find((each) => cursorTag(each) === tag)
  if (from === undefined) throw notACursor(param)
  const first = await firstMovedNumber(ctx.store, { from, to: accountId })
  if (first === null) throw goneFailure(param)
  return first - 1
}
