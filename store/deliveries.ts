/** The deliveries of events to webhook endpoints. */
import type { DeliveryAttempt, DeliveryDoc } from './documents/events.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import { onlyDuplicates, type Store } from './open.ts'

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
