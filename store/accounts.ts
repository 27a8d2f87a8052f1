/** Accounts and their API keys. */
import { Binary, type Collection, type Document, type Filter, type UpdateFilter } from 'mongodb'
import type { ApprovalMode } from '../schemas/approvals.ts'
import type { Figure } from '../schemas/plans.ts'
import type {
  AccountDoc,
  AdministeredChange,
  Claiming,
  CustomerChange,
  Hold,
  KeyDoc,
  PauseChange,
} from './documents/accounts.ts'
import type { MemberDoc } from './documents/people.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export async function insertAccount(store: Store, account: AccountDoc): Promise<void> {
  await store.accounts.insertOne(account)
}

/** Records that a sandbox has its domain and its first inbox. */
export async function noteFirstInbox(store: Store, accountId: string): Promise<void> {
  await store.accounts.updateOne({ _id: accountId }, { $unset: { awaitsInbox: '' } })
}

export function findAccount(store: Store, accountId: string): Promise<AccountDoc | null> {
  return readOne(store, 'accounts', { _id: accountId })
}

/**
 * The account with this id, or accounts with this name: at most two, since two already show that the name is ambiguous.
 * `isPartner` selects whether partners or all other accounts are searched.
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

/** The sandboxes whose test clock was moved, the most recently moved first. */
export function findTestClocks(store: Store, limit: number): Promise<Pick<AccountDoc, '_id' | 'clockAheadMs'>[]> {
  return readMany(
    store,
    'accounts',
    { clockMovedAt: { $gt: new Date(0) }, status: { $ne: 'removed' } },
    { projection: { clockAheadMs: 1 }, sort: { clockMovedAt: -1 }, limit },
  )
}

/** Moves the test clock of a sandbox forward, never back. Returns how far it is ahead; null when there is no such sandbox. */
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

/** The criteria of a search; with none, all accounts match. `name` is a prefix. */
export type AccountSearch = { readonly id?: string; readonly name?: string; readonly personId?: string }

/** Accounts that are neither removed nor moved, newest first, older than the one with the id `before`. Sandboxes are left out. */
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

/** Accounts that are no partners and neither removed nor moved, newest first, older than the one with the id `before`. */
export function listAccounts(
  store: Store,
  { before, limit }: { before: string | null; limit: number },
): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    {
      status: { $nin: ['removed', 'moved'] },
      isPartner: { $exists: false },
      ...(before !== null && { _id: { $lt: before } }),
    },
    { sort: { _id: -1 }, limit },
  )
}

/**
 * Changes fields of an account, if its fields still have the values of `from`. Returns the changed account; null when they
 * do not, or there is no such account.
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

/** Sets whether what an account's agents send waits for approval. Returns the account; null when there is none. */
export function changeApproval(store: Store, accountId: string, mode: ApprovalMode): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: { $ne: 'removed' } },
    mode === 'none' ? { $unset: { approval: '' } } : { $set: { approval: mode } },
    { returnDocument: 'after' },
  )
}

/** Records that the account's people are notified of approvals at `at`. Returns false when they were notified after `before` already. */
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

/** Raises a plan figure of an account that was not removed, or withdraws the raise (null). Returns the account; null when there is none. */
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
  { claimHash, owner, claiming }: { claimHash: Buffer; owner: string; claiming: Claiming | undefined },
): Promise<AccountDoc | null> {
  const members: readonly MemberDoc[] =
    claiming === undefined ? [] : [{ personId: claiming.personId, role: 'owner', since: claiming.at }]
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: 'unclaimed', claimHash: new Binary(claimHash) },
    {
      $set: { status: 'active', owner, members, ...(claiming !== undefined && { claiming }) },
      $unset: { claimExpiresAt: '', claimHash: '' },
    },
    { returnDocument: 'after' },
  )
}

/** Undoes a claim by a person who is the only member. The claim link is valid as before. */
export async function undoClaim(
  store: Store,
  accountId: string,
  { personId, at, claimHash, claimExpiresAt }: Claiming,
): Promise<void> {
  await store.accounts.updateOne(
    {
      _id: accountId,
      status: 'active',
      'claiming.at': at,
      'members.0.personId': personId,
      'members.1': { $exists: false },
    },
    {
      $set: { status: 'unclaimed', owner: null, claimHash, ...(claimExpiresAt !== undefined && { claimExpiresAt }) },
      $unset: { members: '', claiming: '' },
    },
  )
}

/** Accounts that were claimed up to `before` and whose claim is not known to be complete, the earliest claimed first. */
export function findClaiming(store: Store, before: Date, limit: number): Promise<AccountDoc[]> {
  const claimed = { 'claiming.at': { $gt: new Date(0), $lte: before } }
  return readMany(store, 'accounts', claimed, { sort: { 'claiming.at': 1 }, limit })
}

/** Records that a claim is complete. */
export async function endClaiming(store: Store, accountId: string, { at }: Claiming): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, 'claiming.at': at }, { $unset: { claiming: '' } })
}

export function findAccountByClaim(store: Store, claimHash: Buffer): Promise<AccountDoc | null> {
  return readOne(store, 'accounts', { claimHash: new Binary(claimHash), status: 'unclaimed' })
}

/** Unclaimed accounts whose claim period has ended, the oldest first; with `accountId` only that one. */
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

/** The account fields that count things whose number is limited. */
export type QuotaSlot = 'inboxes' | 'webhooks' | 'templates' | 'aliases' | 'keys' | 'ownDomains' | 'customers'

/** Counts one more thing of a kind, before it is created. Returns false when the account already has `limit` of them. */
export async function takeSlot(store: Store, accountId: string, slot: QuotaSlot, limit: number): Promise<boolean> {
  // A missing count means 0 and would match the filter below.
  if (limit === 0) return false
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, $or: [{ [slot]: { $lt: limit } }, { [slot]: { $exists: false } }] },
    { $inc: { [slot]: 1 } },
  )
  return modifiedCount === 1
}

/** Subtracts `count` things from the counter, after they were deleted. */
export async function freeSlot(store: Store, accountId: string, slot: QuotaSlot, count = 1): Promise<void> {
  if (count === 0) return
  await store.accounts.updateOne({ _id: accountId, [slot]: { $gte: count } }, { $inc: { [slot]: -count } })
}

/** How many things of each kind an account's counters show, and how many it really has. */
export type SlotCounts = { readonly accountId: string; readonly counted: CountBySlot; readonly actual: CountBySlot }
type CountBySlot = { readonly [slot in QuotaSlot]: number }

/** The counts of the accounts whose ids follow `after`, in the order of their ids. */
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

/** Sets a counter to the actual number, if it is still `counted`. Returns whether it was. */
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

/** The keys and grants of an account that have one of these ids. */
export function findKeys(
  store: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<KeyDoc[]> {
  return readMany(store, 'keys', { accountId, _id: { $in: [...ids] } })
}

/** The keys of an account, except grants (store/oauth.ts), oldest first. */
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

/** Revokes a key that is not a grant (store/oauth.ts). Returns false when it was already revoked, or there is none. */
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
 * Replaces the hash of a valid key, which makes the old secret invalid. Returns the key; null when it is revoked, expired or
 * missing, or its hash was replaced meanwhile.
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

/** Records uses of keys. A later use that another process recorded is kept. */
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

/** Removes a permanently deleted mailbox from an account's agent keys. */
export async function withdrawMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.keys.updateMany({ accountId, mailboxIds: mailboxId }, { $pull: { mailboxIds: mailboxId } })
}

/** Revokes all keys of an account. Returns the ids of all its keys, including those that were already revoked. */
export async function revokeKeys(
  store: Store,
  { accountId, at }: { accountId: string; at: Date },
): Promise<readonly string[]> {
  await store.keys.updateMany({ accountId, revokedAt: null }, { $set: { revokedAt: at } })
  const found = await readMany(store, 'keys', { accountId }, { projection: { _id: 1 } })
  return found.map(({ _id }) => _id)
}

/** Revokes the expired keys of an account, except grants. Returns how many. */
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

/** The account fields by which a partner or an administrator holds it. */
export type HoldName = 'paused' | 'suspended'

/** Sets a hold on an account. Returns false when this hold is already set. */
export async function holdAccount(store: Store, accountId: string, name: HoldName, hold: Hold): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne({ _id: accountId, [name]: null }, { $set: { [name]: hold } })
  return modifiedCount === 1
}

/** Ends a hold of an account. Returns false when this hold is not set. */
export async function releaseAccount(store: Store, accountId: string, name: HoldName): Promise<boolean> {
  const { modifiedCount } = await store.accounts.updateOne(
    { _id: accountId, [name]: { $ne: null } },
    { $set: { [name]: null } },
  )
  return modifiedCount === 1
}

/**
 * Pauses sending, or resumes it and records what is forgiven. The change is recorded in the same update, so that its event is not
 * lost. Returns false when sending is already in that state.
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
export type AdministeredFields = Partial<
  Pick<AccountDoc, 'plan' | 'agentsPlan' | 'raised' | 'suspended' | 'sendingPaused'>
>

/**
 * Changes several fields of an account, including its pause, in one update that also notes what audit entries and events are to be made
 * of it. Applies only if these fields are still as in `read`. Returns the account; null when they are not, or it was removed.
 */
export function administerAccount(
  store: Store,
  read: AccountDoc,
  {
    fields,
    changes,
    pause,
    note,
  }: {
    readonly fields: AdministeredFields
    readonly changes: readonly AdministeredChange[]
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
        administered: { $each: [...changes] },
        ...(pause !== undefined && { pauseChanges: pause.change }),
        ...(note !== undefined && { customerChanges: note }),
      },
    },
    { returnDocument: 'after' },
  )
}

/** Removes changes that the audit has recorded. */
export async function forgetAdministered(
  store: Store,
  accountId: string,
  changes: readonly AdministeredChange[],
): Promise<void> {
  await store.accounts.updateOne(
    { _id: accountId },
    { $pull: { administered: { auditId: { $in: changes.map(({ auditId }) => auditId) } } } },
  )
}

/** Accounts with changes by administrators that are not known to be in the audit yet, the earliest changed first. */
export function findAdministered(store: Store, limit: number): Promise<Pick<AccountDoc, '_id' | 'administered'>[]> {
  return readMany(
    store,
    'accounts',
    { 'administered.at': { $gt: new Date(0) } },
    { projection: { administered: 1 }, sort: { 'administered.at': 1 }, limit },
  )
}

/** Removes changes whose events are recorded. */
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

/** Accounts with pauses or resumptions of sending whose events are not known to be recorded yet. */
export function findPauseChanges(store: Store, limit: number): Promise<Pick<AccountDoc, '_id' | 'pauseChanges'>[]> {
  return readMany(
    store,
    'accounts',
    { 'pauseChanges.at': { $gt: new Date(0) } },
    { projection: { pauseChanges: 1 }, sort: { 'pauseChanges.at': 1 }, limit },
  )
}

/** Begins the next day of an account's warm-up, unless another process already did. */
export async function raiseWarmUp(
  store: Store,
  accountId: string,
  { from, to }: { from: string; to: NonNullable<AccountDoc['warmUp']> },
): Promise<void> {
  await store.accounts.updateOne({ _id: accountId, 'warmUp.day': from }, { $set: { warmUp: to } })
}

/** Records that the owner's phone number was verified. Returns false when there is no such account. */
export async function markPhoneVerified(store: Store, accountId: string, at: Date): Promise<boolean> {
  const { matchedCount } = await store.accounts.updateOne({ _id: accountId }, { $set: { phoneVerifiedAt: at } })
  return matchedCount === 1
}

/**
 * Begins the erasure of an account: from then on it is removed as far as anybody can see. `from` is the status that it must have;
 * without it, any but `removed`. Returns false when the status is another, or the account is already being erased.
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

/** The accounts that end together with an account: its sandboxes, and the remains of the accounts that were claimed into it. */
export async function findPartsOf(store: Store, accountId: string): Promise<readonly string[]> {
  const account = await readOne(store, 'accounts', { _id: accountId }, { projection: { joined: 1 } })
  return [...(account?.joined ?? []), ...(await findSandboxesOf(store, accountId))]
}

/** Accounts that are being erased, the earliest begun first. */
export function findErasing(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(store, 'accounts', { erasing: { $exists: true } }, { sort: { erasing: 1 }, limit })
}
