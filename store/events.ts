/**
 * Events, webhook endpoints, and the deliveries of events to endpoints. The events of an account are numbered; a reader never
 * sees an event before all earlier ones are visible (store/chains.ts).
 */
import type { Filter } from 'mongodb'
import { type Append, createAppend } from './chains.ts'
import type { DeliveryAttempt, DeliveryDoc, EventDoc, WebhookDoc } from './documents/events.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import { onlyDuplicates, type Store } from './open.ts'

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

export async function insertWebhook(store: Store, webhook: WebhookDoc): Promise<void> {
  await store.webhooks.insertOne(webhook)
}

export function listWebhooks(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string | null },
): Promise<WebhookDoc[]> {
  return store.webhooks
    .find({ accountId, ...(keyId !== null && { keyId }) })
    .sort({ accountId: -1, _id: -1 })
    .toArray()
}

export function findWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOne({ accountId, _id: webhookId })
}

export function changeWebhook(
  store: Store,
  { accountId, webhookId, change }: { accountId: string; webhookId: string; change: Partial<WebhookDoc> },
): Promise<WebhookDoc | null> {
  return store.webhooks.findOneAndUpdate({ accountId, _id: webhookId }, { $set: change }, { returnDocument: 'after' })
}

/** Disables the endpoints that an agent key created. */
export async function disableWebhooks(
  store: Store,
  { accountId, agentKeyId }: { accountId: string; agentKeyId: string },
): Promise<void> {
  await store.webhooks.updateMany({ accountId, agentKeyId }, { $set: { enabled: false } })
}

/** Notes the time of the first failure since the last success; later failures do not change it. Returns that time. */
export async function markWebhookFailing(
  store: Store,
  { accountId, webhookId, at }: { accountId: string; webhookId: string; at: Date },
): Promise<Date> {
  await store.webhooks.updateOne({ accountId, _id: webhookId, failingSince: null }, { $set: { failingSince: at } })
  const webhook = await findWebhook(store, { accountId, webhookId })
  return webhook?.failingSince ?? at
}

export async function removeWebhook(
  store: Store,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<boolean> {
  const { deletedCount } = await store.webhooks.deleteOne({ accountId, _id: webhookId })
  return deletedCount === 1
}

/** Inserts planned deliveries. Safe to repeat. */
export async function insertDeliveries(store: Store, deliveries: readonly DeliveryDoc[]): Promise<void> {
  if (deliveries.length === 0) return
  try {
    await store.deliveries.insertMany([...deliveries], { ordered: false })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** Those of the ids under which a delivery exists. */
export async function findExistingDeliveryIds(store: Store, ids: readonly string[]): Promise<Set<string>> {
  const found = await store.deliveries.find({ _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
  return new Set(found.map(({ _id }) => _id))
}

/** Claims a due delivery for the holder of `token` until `until`; then it is due again. Returns null when it is not due. */
export function claimDelivery(
  store: Store,
  { deliveryId, now, until, token }: { deliveryId: string; now: Date; until: Date; token: string },
): Promise<DeliveryDoc | null> {
  return store.deliveries.findOneAndUpdate(
    { _id: deliveryId, nextAt: { $lte: now } },
    { $set: { nextAt: until, lease: token } },
    { returnDocument: 'after' },
  )
}

/** The deliveries that are due, the longest due first. */
export function findDueDeliveries(
  store: Store,
  due: Due,
  limit: number,
): Promise<Pick<DeliveryDoc, '_id' | 'accountId'>[]> {
  return store.deliveries
    .find(dueBy<DeliveryDoc>('nextAt', due), { projection: { accountId: 1 } })
    .sort({ nextAt: 1 })
    .limit(limit)
    .toArray()
}

/** When the next delivery is due, of an account or of all; null when none waits. */
export function nextDelivery(store: Store, accountId?: string): Promise<Date | null> {
  return earliest(store.deliveries, 'nextAt', accountId)
}

/** Whether an attempt to deliver an event of the account is under way, whose lease has not ended. */
export async function isDelivering(store: Store, accountId: string, now: Date): Promise<boolean> {
  const leased = { accountId, nextAt: { $gt: now }, lease: { $ne: null } }
  return (await store.deliveries.findOne(leased, { projection: { _id: 1 } })) !== null
}

/**
 * Records an attempt and its consequences. Returns false, and changes nothing, when the delivery has another lease by now.
 */
export async function recordAttempt(
  store: Store,
  delivery: DeliveryDoc,
  { attempt, state, nextAt }: { attempt: DeliveryAttempt; state: DeliveryDoc['state']; nextAt: Date | null },
): Promise<boolean> {
  const { modifiedCount } = await store.deliveries.updateOne(
    { accountId: delivery.accountId, _id: delivery._id, lease: delivery.lease },
    {
      $push: { attempts: attempt },
      $set: { state, lease: null, firstAt: delivery.firstAt ?? attempt.at, ...(nextAt !== null && { nextAt }) },
      ...(nextAt === null && { $unset: { nextAt: '' } }),
    },
  )
  return modifiedCount === 1
}

/** Releases a claimed delivery until `nextAt` without counting an attempt. */
export async function postponeDelivery(store: Store, delivery: DeliveryDoc, nextAt: Date): Promise<void> {
  await store.deliveries.updateOne(
    { accountId: delivery.accountId, _id: delivery._id, lease: delivery.lease },
    { $set: { nextAt, lease: null } },
  )
}

/** Ends all deliveries that wait for an endpoint. */
export async function skipDeliveries(store: Store, webhookId: string): Promise<void> {
  await store.deliveries.updateMany(
    { webhookId, state: 'waiting' },
    { $set: { state: 'skipped', lease: null }, $unset: { nextAt: '' } },
  )
}

/** Whether an earlier event of the same mailbox still waits to be delivered to the endpoint. */
export async function hasEarlierWaiting(store: Store, delivery: DeliveryDoc): Promise<boolean> {
  const earlier = await store.deliveries.findOne(
    { webhookId: delivery.webhookId, _id: { $lt: delivery._id }, state: 'waiting', mailboxId: delivery.mailboxId },
    { sort: { webhookId: 1, _id: 1 }, projection: { _id: 1 } },
  )
  return earlier !== null
}
