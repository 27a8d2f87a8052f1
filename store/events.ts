/** Events, numbered within each account. A reader never sees an event before all earlier ones are visible (store/chains.ts). */
import type { Filter } from 'mongodb'
import { type Append, createAppend } from './chains.ts'
import { settled } from './connection.ts'
import type { EventDoc } from './documents/events.ts'
import type { Store } from './open.ts'
import { type Portion, readMany, readOne, readPortion } from './reads.ts'

export type NewEvent = Omit<EventDoc, 'seq'>

/** Creates the function with which a process appends events. */
export function createEventAppend(store: Store): Append<NewEvent, EventDoc> {
  return createAppend<NewEvent, EventDoc, Pick<EventDoc, 'seq'>>({
    store,
    collection: store.events,
    last: async (accountId) => ({ seq: await lastEventNumber(store, accountId) }),
    link: (event, { seq }) => ({ ...event, seq: seq + 1 }),
    end: ({ seq }) => ({ seq }),
  })
}

/** The number of the newest event of an account; 0 before the first. */
export async function lastEventNumber(store: Store, accountId: string): Promise<number> {
  const last = await readOne(
    store,
    'events',
    { accountId },
    { projection: { seq: 1 }, ...settled, sort: { accountId: -1, seq: -1 } },
  )
  if (last !== null) return last.seq
  const account = await readOne(store, 'accounts', { _id: accountId }, { projection: { eventSeqFloor: 1 }, ...settled })
  return account?.eventSeqFloor ?? 0
}

/** Raises `eventSeqFloor` of accounts, from which numbering continues when all their events have expired. */
export async function raiseEventFloors(store: Store, floors: ReadonlyMap<string, number>): Promise<void> {
  if (floors.size === 0) return
  await store.accounts.bulkWrite(
    [...floors].map(([_id, seq]) => ({ updateOne: { filter: { _id }, update: { $max: { eventSeqFloor: seq } } } })),
    { ordered: false },
  )
}

/** The ids of the given events that exist. */
export async function findExistingEventIds(
  store: Store,
  events: readonly Pick<EventDoc, '_id' | 'accountId'>[],
): Promise<Set<string>> {
  const found = await readMany(store, 'events', among(events), { projection: { _id: 1 } })
  return new Set(found.map(({ _id }) => _id))
}

/** The numbers of the given events that exist, by id. */
export async function findEventNumbers(
  store: Store,
  events: readonly Pick<EventDoc, '_id' | 'accountId'>[],
): Promise<ReadonlyMap<string, number>> {
  const found = await readMany(store, 'events', among(events), { projection: { seq: 1 } })
  return new Map(found.map(({ _id, seq }) => [_id, seq]))
}

const among = (events: readonly Pick<EventDoc, '_id' | 'accountId'>[]) => ({
  accountId: { $in: [...new Set(events.map(({ accountId }) => accountId))] },
  _id: { $in: events.map(({ _id }) => _id) },
})

/** Events of an account by their ids. */
export function findEvents(
  store: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<EventDoc[]> {
  return readMany(store, 'events', { accountId, _id: { $in: [...ids] } })
}

/** Events of an account with numbers above `after` and up to `upTo`, in order. */
export function walkEvents(
  store: Store,
  { accountId, after, upTo, limit }: { accountId: string; after: number; upTo: number; limit: number },
): Promise<EventDoc[]> {
  return readMany(
    store,
    'events',
    { accountId, seq: { $gt: after, $lte: upTo } },
    { sort: { accountId: 1, seq: 1 }, limit },
  )
}

/** A portion of the events of an account with numbers above `after`, in order. */
export function eventsAfter(
  store: Store,
  { accountId, after, limit }: { accountId: string; after: number; limit: number },
): Promise<Portion<EventDoc>> {
  return readPortion(store, 'events', { accountId, seq: { $gt: after } }, { sort: { accountId: 1, seq: 1 }, limit })
}

/** Events of all accounts created from `from` (inclusive) to `to` (exclusive), in order, for the sweep. */
export function walkEventsByTime(
  store: Store,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<Pick<EventDoc, 'accountId' | 'seq' | 'createdAt'>[]> {
  return readMany(
    store,
    'events',
    { createdAt: { $gte: from, $lt: to } },
    { projection: { accountId: 1, seq: 1, createdAt: 1 }, sort: { createdAt: 1 }, limit },
  )
}

/** The events that a reader wants and may see. `eventsPassing` and the filter of `listEvents` must agree on its meaning. */
export type EventQuery = {
  readonly accountId: string
  readonly types: readonly string[]
  /** null: events of all mailboxes and of the account itself. */
  readonly mailboxIds: readonly string[] | null
  readonly mailbox?: string
  /** For a partner's events: only those of sandbox customers, or of one customer. */
  readonly sandbox?: true
  readonly customerId?: string
  readonly since?: Date
  readonly until?: Date
}

/** Those of these events of an account that match a query. */
export function eventsPassing(events: readonly EventDoc[], query: EventQuery): EventDoc[] {
  const { types, mailboxIds, mailbox, sandbox, customerId, since, until } = query
  return events.filter(
    (event) =>
      types.includes(event.type) &&
      (mailboxIds === null || (event.mailboxId !== null && mailboxIds.includes(event.mailboxId))) &&
      (mailbox === undefined || event.mailbox === mailbox) &&
      (sandbox === undefined || event.sandbox === sandbox) &&
      (customerId === undefined || event.customerId === customerId) &&
      (since === undefined || event.createdAt >= since) &&
      (until === undefined || event.createdAt < until),
  )
}

/** A range of event numbers: above `after`, up to and including `upTo`. */
export type EventRange = { readonly after: number; readonly upTo: number }

/**
 * A portion of the events with numbers in a range. `upTo` must be the number of an event that exists or existed: a query for several types
 * walks several ranges of an index one after the other, so it could otherwise find a new event and miss an earlier one that was
 * inserted meanwhile.
 */
export function listEvents(
  store: Store,
  query: EventQuery,
  { after, upTo, newestFirst, limit }: EventRange & { readonly newestFirst: boolean; readonly limit: number },
): Promise<Portion<EventDoc>> {
  const { accountId, types, mailboxIds, mailbox, sandbox, customerId, since, until } = query
  const created = { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lt: until }) }
  const filter: Filter<EventDoc> = {
    accountId,
    seq: { $gt: after, $lte: upTo },
    type: { $in: [...types] },
    ...(mailboxIds !== null && { mailboxId: { $in: [...mailboxIds] } }),
    ...(mailbox !== undefined && { mailbox }),
    ...(sandbox !== undefined && { sandbox }),
    ...(customerId !== undefined && { customerId }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  }
  const direction = newestFirst ? -1 : 1
  return readPortion(store, 'events', filter, { sort: { accountId: direction, seq: direction }, limit })
}

/** How many events of an account have numbers in a range; fewer than the range has numbers if some have expired. */
export function countEvents(store: Store, accountId: string, { after, upTo }: EventRange): Promise<number> {
  return store.events.countDocuments({ accountId, seq: { $gt: after, $lte: upTo } })
}

/** An event of an account by its id. */
export function findEvent(
  store: Store,
  { accountId, eventId }: { accountId: string; eventId: string },
): Promise<EventDoc | null> {
  return readOne(store, 'events', { accountId, _id: eventId })
}
