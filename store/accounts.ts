/** Accounts and their API keys. */
import { Binary, type Collection, type Document } from 'mongodb'
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

/** Changes fields of an account whose state is still `from`. Returns the account as it then is, null when it was not. */
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

/** What an account has a number of. */
export type QuotaSlot = 'inboxes' | 'webhooks' | 'templates' | 'aliases'

/** Takes one of the account's places for a thing it may have only so many of. False when all are taken. */
export async function takeSlot(store: Store, accountId: string, slot: QuotaSlot, limit: number): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, $or: [{ [slot]: { $lt: limit } }, { [slot]: { $exists: false } }] },
    { $inc: { [slot]: 1 } },
  )
  return modifiedCount === 1
}

export async function freeSlot(store: Store, accountId: string, slot: QuotaSlot, count = 1): Promise<void> {
  if (count === 0) return
  await store.accounts.updateOne({ _id: accountId, [slot]: { $gte: count } }, { $inc: { [slot]: -count } })
}

/** What accounts count and what they really have, account by account in the order of their ids. */
export type SlotCounts = { readonly accountId: string; readonly counted: CountBySlot; readonly actual: CountBySlot }
type CountBySlot = { readonly [slot in QuotaSlot]: number }

/** Accounts behind an id, with their counts. */
export async function walkSlotCounts(
  store: Store,
  { after, limit }: { after: string; limit: number },
): Promise<readonly SlotCounts[]> {
  const accounts = await store.accounts
    .find({ _id: { $gt: after } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
  const accountId = { $in: accounts.map(({ _id }) => _id) }
  const [inboxes, webhooks, templates, aliases] = await Promise.all([
    countByAccount(store.mailboxes, { accountId, deletedAt: { $exists: false } }),
    countByAccount(store.webhooks, { accountId }),
    countByAccount(store.templates, { accountId }),
    countByAccount(store.addresses, { accountId, kind: 'alias' }),
  ])
  return accounts.map((account) => ({
    accountId: account._id,
    counted: {
      inboxes: account.inboxes,
      webhooks: account.webhooks,
      templates: account.templates ?? 0,
      aliases: account.aliases ?? 0,
    },
    actual: {
      inboxes: inboxes.get(account._id) ?? 0,
      webhooks: webhooks.get(account._id) ?? 0,
      templates: templates.get(account._id) ?? 0,
      aliases: aliases.get(account._id) ?? 0,
    },
  }))
}

/** Puts a count right if it is still what it was. */
export async function correctSlotCount(
  store: Store,
  { accountId, slot, counted, actual }: { accountId: string; slot: QuotaSlot; counted: number; actual: number },
): Promise<boolean> {
  const same = counted === 0 ? { $or: [{ [slot]: 0 }, { [slot]: { $exists: false } }] } : { [slot]: counted }
  const { modifiedCount } = await store.accounts.updateOne({ _id: accountId, ...same }, { $set: { [slot]: actual } })
  return modifiedCount === 1
}

async function countByAccount<T extends Document>(
  collection: Collection<T>,
  filter: Document,
): Promise<ReadonlyMap<string, number>> {
  const rows = await collection
    .aggregate<{ _id: string; count: number }>([
      { $match: filter },
      { $group: { _id: '$accountId', count: { $sum: 1 } } },
    ])
    .toArray()
  return new Map(rows.map(({ _id, count }) => [_id, count]))
}

export async function insertKey(store: Store, key: KeyDoc): Promise<void> {
  await store.keys.insertOne(key)
}

/** The keys with these hashes. */
export function findKeysByHash(store: Store, hashes: readonly Buffer[]): Promise<KeyDoc[]> {
  return store.keys.find({ hash: { $in: hashes.map((hash) => new Binary(hash)) } }).toArray()
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

/** False when sending was paused already. */
export async function pauseAccount(
  store: Store,
  accountId: string,
  paused: NonNullable<AccountDoc['sendingPaused']>,
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, sendingPaused: null },
    { $set: { sendingPaused: paused } },
  )
  return modifiedCount === 1
}

/** False when sending was not paused. */
export async function resumeAccount(store: Store, accountId: string, at: Date): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, sendingPaused: { $ne: null } },
    { $set: { sendingPaused: null, resumedAt: at } },
  )
  return modifiedCount === 1
}

/** Begins another day of a warm-up, unless another process did. */
export async function raiseWarmUp(
  store: Store,
  accountId: string,
  { from, to }: { from: string; to: NonNullable<AccountDoc['warmUp']> },
): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, 'warmUp.day': from }, { $set: { warmUp: to } })
}

/** False when there is no such account. */
export async function markPhoneVerified(store: Store, accountId: string, at: Date): Promise<boolean> {
  const { matchedCount } = await store.accounts.updateOne({ _id: accountId }, { $set: { phoneVerifiedAt: at } })
  return matchedCount === 1
}
