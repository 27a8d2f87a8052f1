/** Accounts and their API keys. */
import { Binary } from 'mongodb'
import type { AccountDoc, KeyDoc } from './documents/accounts.ts'
import type { Store } from './open.ts'

export async function insertAccount(store: Store, account: AccountDoc): Promise<void> {
  await store.accounts.insertOne(account)
}

export function findAccount(store: Store, accountId: string): Promise<AccountDoc | null> {
  return store.accounts.findOne({ _id: accountId })
}

/** Accounts by id. */
export function findAccounts(store: Store, ids: readonly string[]): Promise<AccountDoc[]> {
  return store.accounts.find({ _id: { $in: [...ids] } }).toArray()
}

export function listAccounts(store: Store, limit: number): Promise<AccountDoc[]> {
  return store.accounts.find({}).sort({ _id: -1 }).limit(limit).toArray()
}

/** Changes fields of an account whose state is still `from`. Answers the account as it then is, null when it was not. */
export function changeAccount(
  store: Store,
  accountId: string,
  change: Partial<AccountDoc>,
  from?: Partial<AccountDoc>,
): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate({ _id: accountId, ...from }, { $set: change }, { returnDocument: 'after' })
}

/** Makes an unclaimed account an owned one and ends its expiry; null when it is not unclaimed. */
export function claimAccount(store: Store, accountId: string, owner: string): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: 'unclaimed' },
    { $set: { status: 'active', owner }, $unset: { claimExpiresAt: '', claimHash: '' } },
    { returnDocument: 'after' },
  )
}

export function findAccountByClaim(store: Store, claimHash: Buffer): Promise<AccountDoc | null> {
  return store.accounts.findOne({ claimHash: new Binary(claimHash), status: 'unclaimed' })
}

/** Unclaimed accounts whose time is over. */
export function findExpiredAccounts(store: Store, now: Date, limit: number): Promise<AccountDoc[]> {
  return store.accounts
    .find({ claimExpiresAt: { $lte: now } })
    .sort({ claimExpiresAt: 1 })
    .limit(limit)
    .toArray()
}

/** Marks an expired unclaimed account removed; its name stays taken. */
export async function removeAccount(store: Store, accountId: string): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, status: 'unclaimed' },
    { $set: { status: 'removed' }, $unset: { claimHash: '' } },
  )
  return modifiedCount === 1
}

/** Ends the expiry of a removed account once all of it is gone. */
export async function finishRemoval(store: Store, accountId: string): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, status: 'removed' }, { $unset: { claimExpiresAt: '' } })
}

/** Takes one of the account's places for a thing it may have only so many of. False when all are taken. */
export async function takePlace(
  store: Store,
  accountId: string,
  counter: 'inboxes' | 'webhooks',
  limit: number,
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, [counter]: { $lt: limit } },
    { $inc: { [counter]: 1 } },
  )
  return modifiedCount === 1
}

export async function freePlace(store: Store, accountId: string, counter: 'inboxes' | 'webhooks'): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, [counter]: { $gt: 0 } }, { $inc: { [counter]: -1 } })
}

export async function insertKey(store: Store, key: KeyDoc): Promise<void> {
  await store.keys.insertOne(key)
}

export function findKeyByHash(store: Store, hash: Buffer): Promise<KeyDoc | null> {
  return store.keys.findOne({ hash: new Binary(hash) })
}

export function findKey(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyDoc | null> {
  return store.keys.findOne({ accountId, _id: keyId })
}

export function listKeys(store: Store, accountId: string): Promise<KeyDoc[]> {
  return store.keys.find({ accountId }).sort({ accountId: 1, _id: 1 }).toArray()
}

/** Lets an agent key reach one more mailbox. */
export async function grantMailbox(
  store: Store,
  { accountId, keyId, mailboxId }: { accountId: string; keyId: string; mailboxId: string },
): Promise<void> {
  await store.keys.updateOne({ accountId, _id: keyId, kind: 'agent' }, { $addToSet: { mailboxIds: mailboxId } })
}

export async function revokeKey(
  store: Store,
  { accountId, keyId, at }: { accountId: string; keyId: string; at: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.keys.updateOne(
    { accountId, _id: keyId, revokedAt: null },
    { $set: { revokedAt: at } },
  )
  return modifiedCount === 1
}

export async function revokeKeys(store: Store, { accountId, at }: { accountId: string; at: Date }): Promise<void> {
  await store.keys.updateMany({ accountId, revokedAt: null }, { $set: { revokedAt: at } })
}
