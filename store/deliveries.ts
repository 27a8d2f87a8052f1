/**
 * The deliveries of events to webhook endpoints. An endpoint's `dueAt` says that none of its deliveries is due before, so that
 * processes find the endpoints that are due longest, and claim deliveries of each: nobody waits behind another's backlog.
 * Invariant: `dueAt` is brought forward before a delivery is due earlier, and put back only if it was not brought forward
 * meanwhile, which `dueRev` tells; by more than `writtenMs` only if it was not for as long, since the deliveries for which it was
 * brought forward may be written a moment later, or not before the next look.
 */
import type { Filter } from 'mongodb'
import type { DeliveryDoc, WebhookDoc } from './documents/events.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { insertInto, updateIn, type Write, writeAll } from './writes.ts'

/** What a delivery takes up beside its body. */
const frameBytes = 1_024
/** Longer than a list of writes takes, or takes to fail. */
const writtenMs = 60_000
/** Deliveries that one command ends. */
const pageSize = 500
const everDue = { $gt: new Date(0) }

/** Inserts deliveries, and makes their endpoints due when they are. Safe to repeat. Returns those that were not there yet. */
export async function insertDeliveries(
  store: Store,
  deliveries: readonly DeliveryDoc[],
): Promise<readonly DeliveryDoc[]> {
  const dues = duesOf(store, deliveries)
  const inserts = deliveries.map((each) => insertInto(store.deliveries, each, frameBytes + each.body.length))
  const refused = new Set(await writeAll(store, [...dues, ...inserts]))
  return deliveries.filter((_, n) => !refused.has(dues.length + n))
}

type Waiting = Pick<DeliveryDoc, 'accountId' | 'webhookId' | 'nextAt'>

/** The writes that make endpoints due when these deliveries are; they go before those of the deliveries. */
export function duesOf(store: Store, deliveries: readonly Waiting[]): Write[] {
  return [...Map.groupBy(deliveries, ({ webhookId }) => webhookId).values()].flatMap((own) => {
    const dueMs = Math.min(...own.map(({ nextAt }) => nextAt?.getTime() ?? Number.POSITIVE_INFINITY))
    const { accountId, webhookId } = own[0]!
    if (!Number.isFinite(dueMs)) return []
    const change = { $min: { dueAt: new Date(dueMs) }, $inc: { dueRev: 1 } }
    return updateIn(store.webhooks, { accountId, _id: webhookId }, change)
  })
}

/** The ids of those deliveries that exist. */
export async function findExistingDeliveryIds(
  store: Store,
  deliveries: readonly Pick<DeliveryDoc, '_id' | 'accountId'>[],
): Promise<Set<string>> {
  const found = await readMany(store, 'deliveries', among(deliveries), { projection: { _id: 1 } })
  return new Set(found.map(({ _id }) => _id))
}

export type DueEndpoint = Pick<WebhookDoc, '_id' | 'accountId' | 'dueAt' | 'dueRev' | 'looked'>

/** The endpoints with deliveries that may be due, the longest due first. */
export function findDueEndpoints(store: Store, due: Due, limit: number): Promise<DueEndpoint[]> {
  return readMany(store, 'webhooks', dueBy<WebhookDoc>('dueAt', due), {
    projection: { accountId: 1, dueAt: 1, dueRev: 1, looked: 1 },
    sort: { dueAt: 1 },
    limit,
  })
}

/** Claims deliveries of an endpoint that are due, the longest due first, for the holder of `token` until `until`. */
export async function claimDeliveries(
  store: Store,
  {
    accountId,
    webhookId,
    now,
    until,
    token,
    max,
  }: Claim & Pick<DeliveryDoc, 'accountId' | 'webhookId'> & { readonly max: number },
): Promise<DeliveryDoc[]> {
  const isDue = { accountId, webhookId, nextAt: { $lte: now } }
  const due = await readMany(store, 'deliveries', isDue, { sort: { webhookId: 1, nextAt: 1 }, limit: max })
  return claimAmong(store, due, isDue, { until, token })
}

type Claim = { readonly now: Date; readonly until: Date; readonly token: string }

/** Claims those of the deliveries for which the condition still holds. */
async function claimAmong(
  store: Store,
  deliveries: readonly DeliveryDoc[],
  condition: Filter<DeliveryDoc>,
  { until, token }: Omit<Claim, 'now'>,
): Promise<DeliveryDoc[]> {
  if (deliveries.length === 0) return []
  const these = among(deliveries)
  const { modifiedCount } = await store.deliveries.updateMany(
    { ...condition, ...these },
    { $set: { nextAt: until, lease: token } },
  )
  if (modifiedCount < deliveries.length) return readMany(store, 'deliveries', { ...these, lease: token })
  return deliveries.map((delivery) => ({ ...delivery, nextAt: until, lease: token }))
}

const among = (deliveries: readonly Pick<DeliveryDoc, '_id' | 'accountId'>[]): Filter<DeliveryDoc> => ({
  accountId: { $in: [...new Set(deliveries.map(({ accountId }) => accountId))] },
  _id: { $in: deliveries.map(({ _id }) => _id) },
})

/**
 * Makes an endpoint due when the next of its deliveries is, but not before `notBefore`, unless something brought it forward since
 * it was read; and in `writtenMs` at the latest, while it was brought forward more lately than that.
 */
export async function settleDue(
  store: Store,
  { accountId, _id, looked, ...endpoint }: DueEndpoint,
  { now, notBefore }: { readonly now: Date; readonly notBefore: Date },
): Promise<void> {
  const dueRev = endpoint.dueRev ?? null
  const next = await nextOf(store, { accountId, webhookId: _id })
  const since = looked?.dueRev === dueRev ? looked.since : now
  const isWritten = now.getTime() - since.getTime() >= writtenMs
  const latestMs = isWritten ? Number.POSITIVE_INFINITY : now.getTime() + writtenMs
  const nextMs = Math.max(next?.getTime() ?? Number.POSITIVE_INFINITY, notBefore.getTime())
  const dueMs = Math.min(nextMs, latestMs)
  await store.webhooks.updateOne(
    { accountId, _id, dueRev } as Filter<WebhookDoc>,
    Number.isFinite(dueMs)
      ? { $set: { dueAt: new Date(dueMs), looked: { dueRev, since } } }
      : { $unset: { dueAt: '', looked: '' } },
  )
}

async function nextOf(
  store: Store,
  { accountId, webhookId }: Pick<DeliveryDoc, 'accountId' | 'webhookId'>,
): Promise<Date | null> {
  const [next] = await readMany(
    store,
    'deliveries',
    { accountId, webhookId, nextAt: everDue },
    { projection: { nextAt: 1 }, sort: { webhookId: 1, nextAt: 1 }, limit: 1 },
  )
  return next?.nextAt ?? null
}

/** When the next delivery may be due, of an account or of all; null when none waits. */
export async function nextDelivery(store: Store, accountId?: string): Promise<Date | null> {
  if (accountId === undefined) return earliest(store.webhooks, 'dueAt')
  const times = await Promise.all(
    (await endpointIdsOf(store, accountId)).map((webhookId) => nextOf(store, { accountId, webhookId })),
  )
  return times.reduce((first, at) => (first === null || (at !== null && at < first) ? at : first), null)
}

async function endpointIdsOf(store: Store, accountId: string): Promise<string[]> {
  const found = await readMany(store, 'webhooks', { accountId }, { projection: { _id: 1 } })
  return found.map(({ _id }) => _id)
}

/** Whether an attempt to deliver an event of the account is under way, whose lease has not ended. */
export async function isDelivering(store: Store, accountId: string, now: Date): Promise<boolean> {
  const webhookId = { $in: await endpointIdsOf(store, accountId) }
  const leased = { accountId, webhookId, nextAt: { $gt: now }, lease: { $ne: null } }
  return (await readOne(store, 'deliveries', leased, { projection: { _id: 1 } })) !== null
}

/** What came of a claimed delivery. Without an attempt nothing was sent; without `nextAt` none follows. */
export type Outcome = Pick<DeliveryDoc, 'state'> & {
  readonly delivery: DeliveryDoc
  readonly attempt: DeliveryDoc['attempts'][number] | null
  readonly nextAt: Date | null
}

/**
 * The write of an outcome. It changes nothing when the delivery has another lease by now; and one after which the delivery waits on, nothing
 * when it was skipped meanwhile.
 */
export function outcomeIn(store: Store, { delivery, attempt, state, nextAt }: Outcome): Write {
  const { accountId, _id, lease, firstAt } = delivery
  return updateIn(
    store.deliveries,
    { accountId, _id, lease, ...(nextAt !== null && { state: 'waiting' }) },
    {
      $set: {
        state,
        lease: null,
        ...(attempt !== null && { firstAt: firstAt ?? attempt.at }),
        ...(nextAt !== null && { nextAt }),
      },
      ...(attempt !== null && { $push: { attempts: attempt } }),
      ...(nextAt === null && { $unset: { nextAt: '', order: '' } }),
    },
  )
}

/** Ends all deliveries that wait for an endpoint. An attempt that is under way keeps its lease, so that what comes of it is recorded. */
export async function skipDeliveries(
  store: Store,
  { accountId, webhookId }: Pick<DeliveryDoc, 'accountId' | 'webhookId'>,
): Promise<void> {
  for (;;) {
    const waiting = { accountId, webhookId, nextAt: everDue }
    const found = await readMany(store, 'deliveries', waiting, { projection: { _id: 1 }, limit: pageSize })
    if (found.length === 0) return
    await store.deliveries.updateMany(
      { ...waiting, _id: { $in: found.map(({ _id }) => _id) } },
      { $set: { state: 'skipped' }, $unset: { nextAt: '', order: '' } },
    )
  }
}

type InOrder = Pick<DeliveryDoc, 'accountId' | 'webhookId' | 'mailboxId' | 'order'>

/** When the earliest delivery of the same mailbox that waits ahead of this one is due; null when none is ahead. */
export async function dueAhead(
  store: Store,
  { accountId, webhookId, mailboxId, order = 0 }: InOrder,
): Promise<Date | null> {
  const [ahead] = await readMany(
    store,
    'deliveries',
    { accountId, webhookId, mailboxId, order: { $lt: order } },
    { projection: { nextAt: 1 }, sort: { webhookId: 1, mailboxId: 1, order: 1 }, limit: 1 },
  )
  return ahead === undefined ? null : (ahead.nextAt ?? new Date(0))
}

/** Claims the next deliveries of the same mailbox that are held behind this one. */
export async function claimBehind(
  store: Store,
  { accountId, webhookId, mailboxId, order = 0 }: InOrder,
  { until, token, max }: Omit<Claim, 'now'> & { readonly max: number },
): Promise<DeliveryDoc[]> {
  const isHeld = {
    accountId,
    webhookId,
    mailboxId,
    order: { $gt: order },
    lease: null,
    'attempts.0': { $exists: false },
  }
  const held = await readMany(store, 'deliveries', isHeld, {
    sort: { webhookId: 1, mailboxId: 1, order: 1 },
    limit: max,
  })
  return claimAmong(store, held, isHeld, { until, token })
}

export type LogQuery = {
  readonly accountId: string
  readonly webhookId: string
  readonly types: readonly string[]
  /** null: all. Test events are of none. */
  readonly mailboxIds: readonly string[] | null
  readonly state?: DeliveryDoc['state']
  readonly eventId?: string
  /** An id; null: from the newest on. */
  readonly before: string | null
  readonly limit: number
}

/** Deliveries of an endpoint, newest first. */
export function listDeliveries(
  store: Store,
  { accountId, webhookId, types, mailboxIds, before, limit, ...fields }: LogQuery,
): Promise<DeliveryDoc[]> {
  const filter: Filter<DeliveryDoc> = {
    webhookId,
    accountId,
    ...fields,
    type: { $in: [...types] },
    ...(mailboxIds !== null && { mailboxId: { $in: [...mailboxIds, null] } }),
    ...(before !== null && { _id: { $lt: before } }),
  }
  return readMany(store, 'deliveries', filter, { sort: { webhookId: -1, _id: -1 }, limit })
}

/** A delivery of an account; null when there is none. */
export function findDelivery(
  store: Store,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<DeliveryDoc | null> {
  return readOne(store, 'deliveries', { accountId, _id: id })
}
