/** Requests of people to the administrator. */
import type { AccountRequestDoc } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export async function insertRequest(store: Store, request: AccountRequestDoc): Promise<void> {
  await store.accountRequests.insertOne(request)
}

/** Requests of an account, newest first, older than the one with the id `before`. */
export function listRequests(
  store: Store,
  { accountId, before, limit }: { accountId: string; before: string | null; limit: number },
): Promise<AccountRequestDoc[]> {
  return readMany(
    store,
    'accountRequests',
    { accountId, ...(before !== null && { _id: { $lt: before } }) },
    { sort: { accountId: -1, _id: -1 }, limit },
  )
}

/** Requests of all accounts in a state, oldest or newest first. */
export function listRequestsIn(
  store: Store,
  status: AccountRequestDoc['status'],
  { limit, isNewestFirst = false }: { readonly limit: number; readonly isNewestFirst?: boolean },
): Promise<AccountRequestDoc[]> {
  const order = isNewestFirst ? -1 : 1
  return readMany(store, 'accountRequests', { status }, { sort: { status: order, _id: order }, limit })
}

export function countOpenRequests(store: Store, accountId: string): Promise<number> {
  return store.accountRequests.countDocuments({ accountId, status: 'open' })
}

/** Answers a request, and marks the answer as not carried out yet. Returns it; null when there is none, or it was already answered. */
export async function answerRequest(
  store: Store,
  requestId: string,
  change: Pick<AccountRequestDoc, 'status' | 'answer' | 'answeredBy'> & { readonly answeredAt: Date },
): Promise<AccountRequestDoc | null> {
  const asked = await readOne(
    store,
    'accountRequests',
    { _id: requestId, status: 'open' },
    { projection: { accountId: 1 } },
  )
  if (asked === null) return null
  return store.accountRequests.findOneAndUpdate(
    { accountId: asked.accountId, _id: requestId, status: 'open' },
    { $set: { ...change, following: change.answeredAt } },
    { returnDocument: 'after' },
  )
}

/** Requests that were answered up to `before` and whose answers are not carried out yet, the earliest answered first. */
export function findFollowing(store: Store, before: Date, limit: number): Promise<AccountRequestDoc[]> {
  const following = { $gt: new Date(0), $lte: before }
  return readMany(store, 'accountRequests', { following }, { sort: { following: 1 }, limit })
}

/** Records that the answer to a request has been carried out. */
export async function endFollowing(store: Store, { _id, accountId }: AccountRequestDoc): Promise<void> {
  await store.accountRequests.updateOne({ accountId, _id }, { $unset: { following: '' } })
}
