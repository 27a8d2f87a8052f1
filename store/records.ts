/** Two small collections: idempotency marks (one for each Idempotency-Key in use), and the service's own state. */
import type { UpdateFilter } from 'mongodb'
import type { IdempotencyDoc } from './documents/accounts.ts'
import type { SealedText } from './documents/sealed.ts'
import type { StateDoc } from './documents/service.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { fenceIn, insertInto, updateIn, type Write } from './writes.ts'

/**
 * Takes a mark, or returns the existing one. Running marks that were started before `lapsedBefore`, and expired marks, are taken
 * over. Another try of the same request keeps the `onceId` of the first try, which may have done a part of the work.
 */
export async function takeIdempotencyKey(
  store: Store,
  mark: IdempotencyDoc,
  lapsedBefore: Date,
): Promise<{ taken: true; onceId: string } | { taken: false; existing: IdempotencyDoc }> {
  const { keyId, owner, startedAt, expiresAt, fingerprint, onceId } = mark
  for (;;) {
    // Marks of concurrent requests share a command.
    if ((await store.writeTogether([insertInto(store.idempotency, mark)])) === null) return { taken: true, onceId }
    const same = await store.idempotency.findOneAndUpdate(
      { _id: mark._id, state: 'running', startedAt: { $lt: lapsedBefore }, expiresAt: { $gt: startedAt }, fingerprint },
      { $set: { keyId, owner, startedAt, expiresAt } },
      { returnDocument: 'after' },
    )
    if (same !== null) return { taken: true, onceId: same.onceId }
    // A running mark of the same request is replaced only when it expired: it may have been released after the update above,
    // and must keep its `onceId`.
    const replaceable = [
      { state: 'running' as const, startedAt: { $lt: lapsedBefore }, fingerprint: { $ne: fingerprint } },
      { expiresAt: { $lte: mark.startedAt } },
    ]
    const { modifiedCount } = await store.idempotency.replaceOne({ _id: mark._id, $or: replaceable }, withoutId(mark))
    if (modifiedCount === 1) return { taken: true, onceId }
    const existing = await readOne(store, 'idempotency', { _id: mark._id })
    if (existing !== null) return { taken: false, existing }
  }
}

/** The write that records the answer in a mark, if the mark still belongs to this try. */
export function finishingMark(
  store: Store,
  { _id, owner }: IdempotencyDoc,
  { status, body }: { status: number; body: string },
): Write {
  const done = { state: 'done' as const, status, body: body as SealedText }
  return updateIn(store.idempotency, { _id, owner }, { $set: done })
}

/** The write that is refused when another try has taken over the mark, so that none of the later writes of its list is made. */
export function holdingMark(store: Store, { _id, owner, state, ...others }: IdempotencyDoc): Write {
  return fenceIn(store.idempotency, { _id, owner, state }, others)
}

/** Lets the next try take over the mark at once. The mark keeps its `onceId`, because it is unknown what this try did. */
export async function releaseIdempotencyKey(store: Store, mark: IdempotencyDoc): Promise<void> {
  await store.idempotency.updateOne(
    { _id: mark._id, owner: mark.owner, state: 'running' },
    { $set: { startedAt: new Date(0) } },
  )
}

/** Deletes a running mark, so that the next try starts from scratch. */
export async function freeIdempotencyKey(store: Store, mark: IdempotencyDoc): Promise<void> {
  await store.idempotency.deleteOne({ _id: mark._id, owner: mark.owner, state: 'running' })
}

/** Deletes the mark of a request that was answered, so that the next one under its key is a new request. */
export async function forgetIdempotencyKey(store: Store, { _id, onceId }: IdempotencyDoc): Promise<void> {
  await store.idempotency.deleteOne({ _id, onceId, state: 'done' })
}

/**
 * Empties a page of the marks of a partner's requests about a customer, even those of running tries. The marks remain until they expire, so
 * that a repeat does not create the customer again. Returns how many it emptied.
 */
export async function eraseCustomerMarks(
  store: Store,
  { accountId, customerId, limit }: { accountId: string; customerId: string; limit: number },
): Promise<number> {
  const filter = { accountId, customerId }
  const found = await readMany(store, 'idempotency', filter, { projection: { _id: 1 }, limit })
  if (found.length > 0)
    await store.idempotency.updateMany(
      { _id: { $in: found.map(({ _id }) => _id) }, ...filter },
      {
        $set: { state: 'erased', owner: '', fingerprint: '' },
        $unset: { customerId: '', keyId: '', status: '', body: '' },
      },
    )
  return found.length
}

export async function readState<T>(store: Store, name: string): Promise<T | null> {
  const state = await readOne(store, 'state', { _id: name })
  return state === null ? null : (state.value as T)
}

export async function writeState(store: Store, name: string, value: unknown): Promise<void> {
  await store.state.updateOne({ _id: name }, { $set: { value } }, { upsert: true })
}

/** Writes one field of a state whose value is a document; null removes the field. */
export async function writeStateField(store: Store, name: string, field: string, value: unknown): Promise<void> {
  const path = `value.${field}`
  const update = value === null ? { $unset: { [path]: '' } } : { $set: { [path]: value } }
  await store.state.updateOne({ _id: name }, update as UpdateFilter<StateDoc>, { upsert: true })
}

/** Writes a state unless it exists. Returns the stored value: this one, or an earlier one. */
export async function claimState<T>(store: Store, name: string, value: T): Promise<T> {
  try {
    await store.state.insertOne({ _id: name, value })
    return value
  } catch (error) {
    if (!isDuplicate(error)) throw error
  }
  return (await readState<T>(store, name)) ?? value
}

function withoutId({ _id, ...rest }: IdempotencyDoc): Omit<IdempotencyDoc, '_id'> {
  return rest
}
