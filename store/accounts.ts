/** Accounts and their API keys. */
import { Binary, type Collection, type Document, type Filter, type UpdateFilter } from 'mongodb'
import type { ApprovalMode } from '../schemas/approvals.ts'
import type { Figure } from '../schemas/plans.ts'
import type { AccountDoc, CustomerChange, Hold, KeyDoc, PauseChange } from './documents/accounts.ts'
import type { MemberDoc } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export async function insertAccount(store: Store, account: AccountDoc): Promise<void> {
  await store.accounts.insertOne(account)
}

export function findAccount(store: Store, accountId: string): Promise<AccountDoc | null> {
  return readOne(store, 'accounts', { _id: accountId })
}

/**
 * The account with this id, or accounts with this name: at most two, which tell that the name is not one's alone. Partners are
 * among themselves (`isPartner`).
 */
export function findAccountsNamed(
  store: Store,
  idOrName: string,
  { isPartner }: { readonly isPartner: boolean },
): Promise<AccountDoc[]> {
  const named = idOrName.startsWith('acc_') ? { _id: idOrName } : { name: idOrName }
  return readMany(
    store,
    'accounts',
    { ...named, status: { $nin: ['removed', 'moved'] }, isPartner: { $exists: isPartner } },
    { limit: 2 },
  )
}

/** Accounts by id. */
export function findAccounts(store: Store, ids: readonly string[]): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { _id: { $in: [...ids] } })
}

/** The sandboxes whose test clock was moved, the last moved first. */
export function findTestClocks(store: Store, limit: number): Promise<Pick<AccountDoc, '_id' | 'clockAheadMs'>[]> {
  return readMany(
    store,
    'accounts',
    { clockMovedAt: { $gt: new Date(0) }, status: { $ne: 'removed' } },
    { projection: { clockAheadMs: 1 }, sort: { clockMovedAt: -1 }, limit },
  )
}

/** Moves the test clock of a sandbox, never back. Returns how far it is ahead; null when there is no such sandbox. */
export async function moveTestClock(
  store: Store,
  accountId: string,
  { aheadMs, at }: { aheadMs: number; at: Date },
): Promise<number | null> {
  const moved = await store.accounts.findOneAndUpdate(
    { _id: accountId, sandbox: true },
    { $max: { clockAheadMs: aheadMs }, $set: { clockMovedAt: at } },
    { returnDocument: 'after', projection: { clockAheadMs: 1 } },
  )
  return moved?.clockAheadMs ?? null
}

/** What finds accounts; nothing: all of them. `name` is the beginning of one. */
export type AccountSearch = { readonly id?: string; readonly name?: string; readonly personId?: string }

/** Accounts that are there, newest first, older than the one with the id `before`. Sandboxes are not listed for themselves. */
export function searchAccounts(
  store: Store,
  { id, name, personId, before, limit }: AccountSearch & { readonly before: string | null; readonly limit: number },
): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    {
      $and: [
        { status: { $nin: ['removed', 'moved'] }, sandboxOf: { $exists: false } },
        id === undefined ? {} : { _id: id },
        name === undefined ? {} : { name: { $gte: name, $lt: `${name}\uffff` } },
        personId === undefined ? {} : { 'members.personId': personId },
        before === null ? {} : { _id: { $lt: before } },
      ],
    },
    { sort: { _id: -1 }, limit },
  )
}

export function listAccounts(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', {}, { sort: { _id: -1 }, limit })
}

/**
 * Changes fields of an account, if its fields still have the values of `from`. Returns the changed account; null when they
 * have not, or there is no such account.
 */
export function changeAccount(
  store: Store,
  accountId: string,
  change: Partial<AccountDoc>,
  from?: Partial<AccountDoc>,
): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate({ _id: accountId, ...from }, { $set: change }, { returnDocument: 'after' })
}

/** Changes the plans of an account that was not removed. Returns the account; null when there is none. */
export function changePlans(
  store: Store,
  accountId: string,
  plans: Partial<Pick<AccountDoc, 'plan' | 'agentsPlan'>>,
): Promise<AccountDoc | null> {
  const filter: Filter<AccountDoc> = { _id: accountId, status: { $ne: 'removed' } }
  return store.accounts.findOneAndUpdate(filter, { $set: plans }, { returnDocument: 'after' })
}

/** Sets whether what its agents send waits for an approval. Returns the account; null when there is none. */
export function changeApproval(store: Store, accountId: string, mode: ApprovalMode): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: { $ne: 'removed' } },
    mode === 'none' ? { $unset: { approval: '' } } : { $set: { approval: mode } },
    { returnDocument: 'after' },
  )
}

/** Notes that people are told of approvals now. Returns false when they were told since `before`. */
export async function noteApprovalsTold(
  store: Store,
  accountId: string,
  { at, before }: { at: Date; before: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, $or: [{ approvalsToldAt: { $exists: false } }, { approvalsToldAt: { $lte: before } }] },
    { $set: { approvalsToldAt: at } },
  )
  return modifiedCount === 1
}

/** Raises a figure of an account that was not removed, or ends that (null). Returns the account; null when there is none. */
export function raiseFigure(
  store: Store,
  accountId: string,
  { figure, to }: { figure: Figure; to: number | null },
): Promise<AccountDoc | null> {
  const filter: Filter<AccountDoc> = { _id: accountId, status: { $ne: 'removed' } }
  const field = `raised.${figure}` as const
  const update = to === null ? { $unset: { [field]: '' } } : { $set: { [field]: to } }
  return store.accounts.findOneAndUpdate(filter, update as UpdateFilter<AccountDoc>, { returnDocument: 'after' })
}

/** Gives an unclaimed account its owner and ends its expiry. Returns the account; null when the link is not valid. */
export function claimAccount(
  store: Store,
  accountId: string,
  { claimHash, owner, members }: { claimHash: Buffer; owner: string; members: readonly MemberDoc[] },
): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: 'unclaimed', claimHash: new Binary(claimHash) },
    { $set: { status: 'active', owner, members }, $unset: { claimExpiresAt: '', claimHash: '' } },
    { returnDocument: 'after' },
  )
}

export function findAccountByClaim(store: Store, claimHash: Buffer): Promise<AccountDoc | null> {
  return readOne(store, 'accounts', { claimHash: new Binary(claimHash), status: 'unclaimed' })
}

/** Unclaimed accounts whose time to be claimed is over, the oldest first; with `accountId` only that one. */
export function findExpiredAccounts(
  store: Store,
  now: Date,
  { accountId, limit }: { accountId?: string | undefined; limit: number },
): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    { claimExpiresAt: { $lte: now }, ...(accountId !== undefined && { _id: accountId }) },
    { sort: { claimExpiresAt: 1 }, limit },
  )
}

/** The fields of an account that count things of which it may have a limited number. */
export type QuotaSlot = 'inboxes' | 'webhooks' | 'templates' | 'aliases' | 'keys' | 'ownDomains' | 'customers'

/** Counts one more thing of a kind, before it is made. Returns false when the account has `limit` of them already. */
export async function takeSlot(store: Store, accountId: string, slot: QuotaSlot, limit: number): Promise<boolean> {
  // A count that is missing is 0.
  if (limit === 0) return false
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, $or: [{ [slot]: { $lt: limit } }, { [slot]: { $exists: false } }] },
    { $inc: { [slot]: 1 } },
  )
  return modifiedCount === 1
}

/** Counts `count` things less, after they were deleted. */
export async function freeSlot(store: Store, accountId: string, slot: QuotaSlot, count = 1): Promise<void> {
  if (count === 0) return
  await store.accounts.updateOne({ _id: accountId, [slot]: { $gte: count } }, { $inc: { [slot]: -count } })
}

/** How many things an account counts, and how many it really has. */
export type SlotCounts = { readonly accountId: string; readonly counted: CountBySlot; readonly actual: CountBySlot }
type CountBySlot = { readonly [slot in QuotaSlot]: number }

/** The counts of the accounts that follow the id `after`, in the order of their ids. */
export async function walkSlotCounts(
  store: Store,
  { after, limit }: { after: string; limit: number },
): Promise<readonly SlotCounts[]> {
  const accounts = await readMany(store, 'accounts', { _id: { $gt: after } }, { sort: { _id: 1 }, limit })
  const accountId = { $in: accounts.map(({ _id }) => _id) }
  const partnerId = { $in: accounts.filter(({ isPartner }) => isPartner).map(({ _id }) => _id) }
  const [inboxes, webhooks, templates, aliases, keys, domains, claims, customers] = await Promise.all([
    countByAccount(store.mailboxes, { accountId, deletedAt: { $exists: false } }),
    countByAccount(store.webhooks, { accountId }),
    countByAccount(store.templates, { accountId }),
    countByAccount(store.addresses, { accountId, kind: 'alias' }),
    countByAccount(store.keys, { accountId, program: { $exists: false }, revokedAt: null }),
    countByAccount(store.domains, { accountId, parent: null }),
    countByAccount(store.domainClaims, { accountId }),
    countBy('partnerId', store.accounts, { partnerId, status: { $ne: 'removed' } }),
  ])
  return accounts.map((account) => ({
    accountId: account._id,
    counted: {
      inboxes: account.inboxes,
      webhooks: account.webhooks,
      templates: account.templates ?? 0,
      aliases: account.aliases ?? 0,
      keys: account.keys ?? 0,
      ownDomains: account.ownDomains ?? 0,
      customers: account.customers ?? 0,
    },
    actual: {
      inboxes: inboxes.get(account._id) ?? 0,
      webhooks: webhooks.get(account._id) ?? 0,
      templates: templates.get(account._id) ?? 0,
      aliases: aliases.get(account._id) ?? 0,
      keys: keys.get(account._id) ?? 0,
      ownDomains: (domains.get(account._id) ?? 0) + (claims.get(account._id) ?? 0),
      customers: customers.get(account._id) ?? 0,
    },
  }))
}

/** Sets a count to the actual number, if it still is `counted`. Returns whether it was. */
export async function correctSlotCount(
  store: Store,
  { accountId, slot, counted, actual }: { accountId: string; slot: QuotaSlot; counted: number; actual: number },
): Promise<boolean> {
  const same = counted === 0 ? { $or: [{ [slot]: 0 }, { [slot]: { $exists: false } }] } : { [slot]: counted }
  const { modifiedCount } = await store.accounts.updateOne({ _id: accountId, ...same }, { $set: { [slot]: actual } })
  return modifiedCount === 1
}

const countByAccount = <T extends Document>(collection: Collection<T>, filter: Document) =>
  countBy('accountId', collection, filter)

async function countBy<T extends Document>(
  field: string,
  collection: Collection<T>,
  filter: Document,
): Promise<ReadonlyMap<string, number>> {
  const rows = await collection
    .aggregate<{ _id: string; count: number }>([
      { $match: filter },
      { $group: { _id: `$${field}`, count: { $sum: 1 } } },
    ])
    .toArray()
  return new Map(rows.map(({ _id, count }) => [_id, count]))
}

export async function insertKey(store: Store, key: KeyDoc): Promise<void> {
  await store.keys.insertOne(key)
}

/** The keys with these hashes. */
export function findKeysByHash(store: Store, hashes: readonly Buffer[]): Promise<KeyDoc[]> {
  return readMany(store, 'keys', { hash: { $in: hashes.map((hash) => new Binary(hash)) } })
}

export function findKey(
  store: Store,
  { accountId, keyId }: { accountId: string; keyId: string },
): Promise<KeyDoc | null> {
  return readOne(store, 'keys', { accountId, _id: keyId })
}

/** The keys of an account but grants (store/oauth.ts), oldest first. */
export function listKeys(store: Store, accountId: string): Promise<KeyDoc[]> {
  return readMany(store, 'keys', { accountId, program: { $exists: false } }, { sort: { accountId: 1, _id: 1 } })
}

/** Grants an agent key access to one more mailbox. */
export async function grantMailbox(
  store: Store,
  { hash, keyId, mailboxId }: { hash: Binary; keyId: string; mailboxId: string },
): Promise<void> {
  await store.keys.updateOne({ hash, _id: keyId, kind: 'agent' }, { $addToSet: { mailboxIds: mailboxId } })
}

/** Revokes a key, but no grant (store/oauth.ts). Returns false when it was revoked, or there is none. */
export async function revokeKey(
  store: Store,
  { accountId, keyId, at }: { accountId: string; keyId: string; at: Date },
): Promise<boolean> {
  const key = await findKey(store, { accountId, keyId })
  if (key === null) return false
  const { modifiedCount } = await store.keys.updateOne(
    { hash: key.hash, _id: keyId, program: { $exists: false }, revokedAt: null },
    { $set: { revokedAt: at } },
  )
  return modifiedCount === 1
}

/**
 * Gives a valid key another hash: the old secret is worth nothing from then on. Returns the key; null when it is revoked or
 * expired, was given another hash meanwhile, or there is none.
 */
export function replaceKeyHash(
  store: Store,
  { _id, hash: before }: Pick<KeyDoc, '_id' | 'hash'>,
  { hash, now }: { hash: Binary; now: Date },
): Promise<KeyDoc | null> {
  return store.keys.findOneAndUpdate(
    { hash: before, _id, revokedAt: null, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] },
    { $set: { hash } },
    { returnDocument: 'after' },
  )
}

/** A use of a key, from a network address. */
export type KeyUse = {
  readonly hash: Binary
  readonly keyId: string
  readonly at: Date
  readonly address: string
}

/** Notes uses of keys. A later use that another process noted stays. */
export async function noteKeyUses(store: Store, uses: readonly KeyUse[]): Promise<void> {
  await store.keys.bulkWrite(
    uses.map(({ hash, keyId, at, address }) => ({
      updateOne: {
        filter: { hash, _id: keyId, 'lastUsed.at': { $not: { $gte: at } } },
        update: { $set: { lastUsed: { at, address } } },
      },
    })),
    { ordered: false },
  )
}

/** Takes a mailbox that is gone for good out of the reach of an account's agent keys. */
export async function withdrawMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.keys.updateMany({ accountId, mailboxIds: mailboxId }, { $pull: { mailboxIds: mailboxId } })
}

/** Revokes all keys of an account. Returns the ids of all that it has. */
export async function revokeKeys(
  store: Store,
  { accountId, at }: { accountId: string; at: Date },
): Promise<readonly string[]> {
  await store.keys.updateMany({ accountId, revokedAt: null }, { $set: { revokedAt: at } })
  const found = await readMany(store, 'keys', { accountId }, { projection: { _id: 1 } })
  return found.map(({ _id }) => _id)
}

/** Revokes the keys of an account that have expired, but no grant. Returns how many. */
export async function revokeExpiredKeys(
  store: Store,
  { accountId, now }: { accountId: string; now: Date },
): Promise<number> {
  const { modifiedCount } = await store.keys.updateMany(
    { accountId, program: { $exists: false }, revokedAt: null, expiresAt: { $lte: now } },
    { $set: { revokedAt: now } },
  )
  return modifiedCount
}

/** The fields of an account that hold it for a person's reason. */
export type HoldName = 'paused' | 'suspended'

/** Holds an account. Returns false when it is held in this way already. */
export async function holdAccount(store: Store, accountId: string, name: HoldName, hold: Hold): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne({ _id: accountId, [name]: null }, { $set: { [name]: hold } })
  return modifiedCount === 1
}

/** Ends a hold of an account. Returns false when it is not held in this way. */
export async function releaseAccount(store: Store, accountId: string, name: HoldName): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, [name]: { $ne: null } },
    { $set: { [name]: null } },
  )
  return modifiedCount === 1
}

/**
 * Pauses sending, or lets it go on and notes what is forgiven, and notes the change, so that its event is not lost. Returns false
 * when it is so already.
 */
export async function changePause(
  store: Store,
  accountId: string,
  change: PauseChange,
  forgiven: AccountDoc['forgiven'] = {},
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, sendingPaused: change.to === 'paused' ? null : { $ne: null } },
    { $set: pauseFields(change, forgiven), $push: { pauseChanges: change } },
  )
  return modifiedCount === 1
}

function pauseFields({ to, reason, at }: PauseChange, forgiven: AccountDoc['forgiven'] = {}): Partial<AccountDoc> {
  return to === 'paused' ? { sendingPaused: { reason, at } } : { sendingPaused: null, resumedAt: at, forgiven }
}

/** Fields of an account that administrators change. */
export type AdministeredFields = Partial<Pick<AccountDoc, 'plan' | 'agentsPlan' | 'raised' | 'suspended'>>

/**
 * Changes several fields of an account in one update, its pause among them, and notes what is to be told of it, if it still stands
 * as it was read. Returns the account; null when it does not, or was removed.
 */
export function administerAccount(
  store: Store,
  read: AccountDoc,
  {
    fields,
    pause,
    note,
  }: {
    readonly fields: AdministeredFields
    readonly pause?: { readonly change: PauseChange; readonly forgiven?: AccountDoc['forgiven'] }
    readonly note?: CustomerChange
  },
): Promise<AccountDoc | null> {
  const { plan, agentsPlan, raised = null, suspended = null, sendingPaused } = read
  const from = { plan, agentsPlan, raised, suspended, sendingPaused } as Filter<AccountDoc>
  return store.accounts.findOneAndUpdate(
    { _id: read._id, status: { $ne: 'removed' }, ...from },
    {
      $set: { ...fields, ...(pause !== undefined && pauseFields(pause.change, pause.forgiven)) },
      $push: {
        ...(pause !== undefined && { pauseChanges: pause.change }),
        ...(note !== undefined && { customerChanges: note }),
      },
    },
    { returnDocument: 'after' },
  )
}

/** Forgets changes whose events are recorded. */
export async function forgetPauseChanges(
  store: Store,
  accountId: string,
  changes: readonly PauseChange[],
): Promise<void> {
  await store.accounts.updateOne(
    { _id: accountId },
    { $pull: { pauseChanges: { at: { $in: changes.map(({ at }) => at) } } } },
  )
}

/** Accounts whose sending was paused or resumed without its event being known to be recorded. */
export function findPauseChanges(store: Store, limit: number): Promise<Pick<AccountDoc, '_id' | 'pauseChanges'>[]> {
  return readMany(
    store,
    'accounts',
    { 'pauseChanges.at': { $gt: new Date(0) } },
    { projection: { pauseChanges: 1 }, sort: { 'pauseChanges.at': 1 }, limit },
  )
}

/** Begins the next day of an account's warm-up, unless another process did so already. */
export async function raiseWarmUp(
  store: Store,
  accountId: string,
  { from, to }: { from: string; to: NonNullable<AccountDoc['warmUp']> },
): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, 'warmUp.day': from }, { $set: { warmUp: to } })
}

/** Notes that the owner's phone number was verified. Returns false when there is no such account. */
export async function markPhoneVerified(store: Store, accountId: string, at: Date): Promise<boolean> {
  const { matchedCount } = await store.accounts.updateOne({ _id: accountId }, { $set: { phoneVerifiedAt: at } })
  return matchedCount === 1
}

/**
 * Begins the erasure of an account: it is removed for everybody from then on. `from` is the status that it must have; without
 * one, any. Returns false when it has another, or is being erased already.
 */
export async function beginErasure(
  store: Store,
  { accountId, at, from }: { accountId: string; at: Date; from?: AccountDoc['status'] },
): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, status: from ?? { $ne: 'removed' } },
    { $set: { status: 'removed', erasing: at }, $unset: { claimExpiresAt: '', claimHash: '' } },
  )
  return modifiedCount === 1
}

/** The sandboxes of an account that are not removed. */
export async function findSandboxesOf(store: Store, accountId: string): Promise<readonly string[]> {
  const found = await readMany(
    store,
    'accounts',
    { sandboxOf: accountId, status: { $ne: 'removed' } },
    { projection: { _id: 1 } },
  )
  return found.map(({ _id }) => _id)
}

/** The accounts that end with an account: its sandboxes, and what is left of those that were claimed into it. */
export async function findPartsOf(store: Store, accountId: string): Promise<readonly string[]> {
  const account = await readOne(store, 'accounts', { _id: accountId }, { projection: { joined: 1 } })
  return [...(account?.joined ?? []), ...(await findSandboxesOf(store, accountId))]
}

/** Accounts that are being erased, the longest first. */
export function findErasing(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { erasing: { $exists: true } }, { sort: { erasing: 1 }, limit })
}
