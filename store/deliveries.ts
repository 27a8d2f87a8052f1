/**
 * The deliveries of events to webhook endpoints. No delivery of an endpoint is due before the endpoint's `dueAt`. Processes find the
 * endpoints that have been due longest and claim deliveries of each, so that no endpoint waits behind another's backlog.
 *
 * Invariants: `dueAt` is brought forward before a delivery becomes due earlier. It is put back only if it was not brought forward
 * meanwhile, which `dueRev` shows. It is put back by more than `writtenMs` only if it has not been brought forward for that long, because
 * the deliveries for which it was brought forward may be written a moment later than that.
 */
import type { Filter } from 'mongodb'
import type { DeliveryDoc, WebhookDoc } from './documents/events.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import type { Store } from './open.ts'
import { type Portion, readMany, readOne, readPortion } from './reads.ts'
import { insertInto, updateIn, type Write, writeAll } from './writes.ts'

/** The size of a delivery document besides its body. */
const frameBytes = 1_024
/** Longer than a list of writes can take to be made or to fail. */
const writtenMs = 60_000
/** How many deliveries one command skips. */
const pageSize = 500
const everDue = { $gt: new Date(0) }

/** Inserts deliveries, and makes their endpoints due in time. Safe to repeat. Returns the deliveries that did not exist yet. */
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

/** The writes that make endpoints due when these deliveries are. They must precede the writes of the deliveries. */
export function duesOf(store: Store, deliveries: readonly Waiting[]): Write[] {
  return [...Map.groupBy(deliveries, ({ webhookId }) => webhookId).values()].flatMap((own) => {
    const dueMs = Math.min(...own.map(({ nextAt }) => nextAt?.getTime() ?? Number.POSITIVE_INFINITY))
    const { accountId, webhookId } = own[0]!
    if (!Number.isFinite(dueMs)) return []
    const change = { $min: { dueAt: new Date(dueMs) }, $inc: { dueRev: 1 } }
    return updateIn(store.webhooks, { accountId, _id: webhookId }, change)
  })
}

/** The ids of the given deliveries that exist. */
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

/** Claims due deliveries of an endpoint, the longest due first, for the holder of `token` until `until`. */
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

/** Claims those of these deliveries for which the condition still holds. */
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
 * Makes an endpoint due when its next delivery is, but not before `notBefore`. Does nothing if the endpoint was brought forward since it
 * was read. If it was brought forward within the last `writtenMs`, it is due in `writtenMs` at the latest.
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

/** When the next delivery of an account, or of any account, may be due; null when none waits. */
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

/** Whether an attempt to deliver an event of the account is in progress under a lease that has not ended. */
export async function isDelivering(store: Store, accountId: string, now: Date): Promise<boolean> {
  const webhookId = { $in: await endpointIdsOf(store, accountId) }
  const leased = { accountId, webhookId, nextAt: { $gt: now }, lease: { $ne: null } }
  return (await readOne(store, 'deliveries', leased, { projection: { _id: 1 } })) !== null
}

/** The outcome of a claimed delivery. Without `attempt` nothing was sent; without `nextAt` no attempt follows. */
export type Outcome = Pick<DeliveryDoc, 'state'> & {
  readonly delivery: DeliveryDoc
  readonly attempt: DeliveryDoc['attempts'][number] | null
  readonly nextAt: Date | null
}

/**
 * The write of an outcome. It changes nothing if the delivery has another lease by now. An outcome after which the delivery continues to
 * wait also changes nothing if the delivery was skipped meanwhile.
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

/** Skips all deliveries that wait for an endpoint. An attempt in progress keeps its lease, so that its outcome is recorded. */
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

/** When the first delivery of the same mailbox ahead of this one is due; null when none is ahead. */
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
  /** null: all mailboxes. Test events belong to no mailbox and are always listed. */
  readonly mailboxIds: readonly string[] | null
  readonly state?: DeliveryDoc['state']
  readonly eventId?: string
  /** Only deliveries with ids below this one; null: from the newest on. */
  readonly before: string | null
  readonly limit: number
}

/** A portion of the deliveries of an endpoint, newest first. */
export function listDeliveries(
  store: Store,
  { accountId, webhookId, types, mailboxIds, before, limit, ...fields }: LogQuery,
): Promise<Portion<DeliveryDoc>> {
  const filter: Filter<DeliveryDoc> = {
    webhookId,
    accountId,
    ...fields,
    type: { $in: [...types] },
    ...(mailboxIds !== null && { mailboxId: { $in: [...mailboxIds, null] } }),
    ...(before !== null && { _id: { $lt: before } }),
  }
  return readPortion(store, 'deliveries', filter, { sort: { webhookId: -1, _id: -1 }, limit })
}

/** A delivery of an account; null when there is none. */
export function findDelivery(
  store: Store,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<DeliveryDoc | null> {
  return readOne(store, 'deliveries', { accountId, _id: id })
}
