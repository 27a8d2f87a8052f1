/** Batches of sends. A batch is accepted as one document, and its sends are made step by step afterwards. */
import type { BatchDoc } from './documents/sending.ts'
import { type Due, dueBy } from './due.ts'
import { earliest } from './earliest.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Commits a batch. Returns the batch stored under its idempotency key: this one, or an earlier one. */
export async function insertBatch(store: Store, batch: BatchDoc): Promise<BatchDoc> {
  try {
    await store.batches.insertOne(batch)
    return batch
  } catch (error) {
    if (!isDuplicate(error)) throw error
    return (await findBatchByKey(store, batch)) ?? batch
  }
}

export function findBatchByKey(
  store: Store,
  { accountId, mailboxId, idempotencyKey }: Pick<BatchDoc, 'accountId' | 'mailboxId' | 'idempotencyKey'>,
): Promise<BatchDoc | null> {
  return readOne(store, 'batches', { accountId, mailboxId, idempotencyKey })
}

export function findBatch(
  store: Store,
  { accountId, batchId }: { accountId: string; batchId: string },
): Promise<BatchDoc | null> {
  return readOne(store, 'batches', { accountId, _id: batchId })
}

/** A batch without its texts and recipients. */
export type BatchSummary = Pick<
  BatchDoc,
  '_id' | 'mailboxId' | 'from' | 'subject' | 'createdAt' | 'done' | 'nextAt'
> & {
  readonly total: number
}

/** Batches of an account, of these mailboxes if any are named, newest first, older than the one with the id `before`. */
export function listBatches(
  store: Store,
  {
    accountId,
    mailboxIds,
    before,
    limit,
  }: { accountId: string; mailboxIds: readonly string[] | null; before: string | null; limit: number },
): Promise<BatchSummary[]> {
  const match = {
    accountId,
    ...(mailboxIds !== null && { mailboxId: { $in: [...mailboxIds] } }),
    ...(before !== null && { _id: { $lt: before } }),
  }
  return store.batches
    .aggregate<BatchSummary>([
      { $match: match },
      { $sort: { _id: -1 } },
      { $limit: limit },
      {
        $project: {
          ...{ mailboxId: 1, from: 1, subject: 1, createdAt: 1, done: 1, nextAt: 1 },
          total: { $size: '$recipients' },
        },
      },
    ])
    .toArray()
}

/** Batches whose next sends are due, the longest due first. */
export function findDueBatches(store: Store, { due, limit }: { due: Due; limit: number }): Promise<BatchDoc[]> {
  return readMany(store, 'batches', dueBy<BatchDoc>('nextAt', due), { sort: { nextAt: 1 }, limit })
}

/** When the next batch of an account, or of any account, continues; null when none is left. */
export function nextBatch(store: Store, accountId?: string): Promise<Date | null> {
  return earliest(store.batches, 'nextAt', accountId)
}

/**
 * Records how many recipients of a batch were handled, and when the next are due; with `nextAt` null no more sends are made. Returns
 * false when another process advanced the batch meanwhile.
 */
export async function advanceBatch(
  store: Store,
  { accountId, _id, done: before }: BatchDoc,
  { done, nextAt }: { done: number; nextAt: Date | null },
): Promise<boolean> {
  const { matchedCount } = await store.batches.updateOne(
    { accountId, _id, done: before },
    nextAt === null ? { $set: { done }, $unset: { nextAt: '' } } : { $set: { done, nextAt } },
  )
  return matchedCount === 1
}

/** Stops a batch before its remaining recipients. Returns false when it had already ended, or another process advanced it meanwhile. */
export async function stopBatch(store: Store, { accountId, _id, done }: BatchDoc): Promise<boolean> {
  const { modifiedCount } = await store.batches.updateOne(
    { accountId, _id, done, nextAt: { $exists: true } },
    { $unset: { nextAt: '' } },
  )
  return modifiedCount === 1
}

/** Records why the recipient with index `n` gets no send. Returns false when that was already recorded. */
export async function failRecipient(
  store: Store,
  { accountId, _id }: BatchDoc,
  { n, reason }: { n: number; reason: string },
): Promise<boolean> {
  const field = `recipients.${n}.failed`
  const { modifiedCount } = await store.batches.updateOne(
    { accountId, _id, [field]: null },
    { $set: { [field]: reason } },
  )
  return modifiedCount === 1
}
