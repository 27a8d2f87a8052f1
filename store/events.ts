/** Events. Those of an account are numbered; a reader never sees an event before all earlier ones are visible (store/chains.ts). */
import type { Filter } from 'mongodb'
import { type Append, createAppend } from './chains.ts'
import type { EventDoc } from './documents/events.ts'
import type { Store } from './open.ts'

export type NewEvent = Omit<EventDoc, 'seq'>

/** Creates the function by which a process appends events. */
export function createEventAppend(store: Store): Append<NewEvent, EventDoc> {
  return createAppend<NewEvent, EventDoc, Pick<EventDoc, 'seq'>>({
    store,
    collection: store.events,
    last: async (accountId) => ({ seq: await lastEventNumber(store, accountId) }),
    link: (event, { seq }) => ({ ...event, seq: seq + 1 }),
  })
}

/** The number of the newest event of an account; 0 before the first. */
export async function lastEventNumber(store: Store, accountId: string): Promise<number> {
  const last = await store.events
    .find({ accountId }, { projection: { seq: 1 } })
    .sort({ accountId: -1, seq: -1 })
    .limit(1)
    .next()
  if (last !== null) return last.seq
  const account = await store.accounts.findOne({ _id: accountId }, { projection: { eventSeqFloor: 1 } })
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

/** Those of the ids under which an event exists. */
export async function findExistingEventIds(store: Store, ids: readonly string[]): Promise<Set<string>> {
  const found = await store.events.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
  return new Set(found.map(({ _id }) => _id))
}

/** The numbers of the events that exist under these ids, by id. */
export async function findEventNumbers(store: Store, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const found = await store.events.find({ _id: { $in: [...ids] } }, { projection: { seq: 1 } }).toArray()
  return new Map(found.map(({ _id, seq }) => [_id, seq]))
}

export function findEvents(store: Store, ids: readonly string[]): Promise<EventDoc[]> {
  return store.events.find({ _id: { $in: [...ids] } }).toArray()
}

/** Events of an account with numbers above `after` and up to `upTo`, in order. */
export function walkEvents(
  store: Store,
  { accountId, after, upTo, limit }: { accountId: string; after: number; upTo: number; limit: number },
): Promise<EventDoc[]> {
  return store.events
    .find({ accountId, seq: { $gt: after, $lte: upTo } })
    .sort({ accountId: 1, seq: 1 })
    .limit(limit)
    .toArray()
}

/** Events of all accounts from the time `from` (included) to `to` (excluded), in order, for the sweep. */
export function walkEventsByTime(
  store: Store,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<Pick<EventDoc, 'accountId' | 'seq' | 'createdAt'>[]> {
  return store.events
    .find({ createdAt: { $gte: from, $lt: to } }, { projection: { accountId: 1, seq: 1, createdAt: 1 } })
    .sort({ createdAt: 1 })
    .limit(limit)
    .toArray()
}

export type EventQuery = {
  readonly accountId: string
  /** null: all types. */
  readonly types: readonly string[] | null
  /** null: events of all mailboxes and of the account itself. */
  readonly mailboxIds: readonly string[] | null
  readonly mailbox?: string
  readonly since?: Date
  readonly until?: Date
}

/** Events with numbers below `before`, newest first; or with numbers above `after`, oldest first. */
export function listEvents(
  store: Store,
  query: EventQuery,
  range: { before: number | null; limit: number } | { after: number; limit: number },
): Promise<EventDoc[]> {
  const forward = 'after' in range
  const seq = forward ? { $gt: range.after } : range.before === null ? null : { $lt: range.before }
  const created = {
    ...(query.since !== undefined && { $gte: query.since }),
    ...(query.until !== undefined && { $lt: query.until }),
  }
  const filter: Filter<EventDoc> = {
    accountId: query.accountId,
    ...(seq !== null && { seq }),
    ...(query.types !== null && { type: { $in: [...query.types] } }),
    ...(query.mailboxIds !== null && { mailboxId: { $in: [...query.mailboxIds] } }),
    ...(query.mailbox !== undefined && { mailbox: query.mailbox }),
    ...(Object.keys(created).length > 0 && { createdAt: created }),
  }
  const direction = forward ? 1 : -1
  return store.events.find(filter).sort({ accountId: direction, seq: direction }).limit(range.limit).toArray()
}
