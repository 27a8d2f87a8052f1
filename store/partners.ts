/** Partners and their customers, which are accounts (store/documents/accounts.ts). */
import type { AccountDoc, CustomerChange, KeyDoc } from './documents/accounts.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The partners that are not removed, oldest first, newer than the one with the id `after`. */
export function listPartners(
  store: Store,
  { after, limit }: { after: string | null; limit: number },
): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    { isPartner: true, status: { $ne: 'removed' }, ...(after !== null && { _id: { $gt: after } }) },
    { sort: { isPartner: 1, _id: 1 }, limit },
  )
}

/** Selects the customers of a partner: the real ones, or the sandbox ones. */
export type CustomersOf = { readonly partnerId: string; readonly sandbox: boolean }

/** A partner's customer; null when there is none, or it was removed. */
export function findCustomer(
  store: Store,
  { accountId, partnerId, sandbox }: CustomersOf & { readonly accountId: string },
): Promise<AccountDoc | null> {
  return readOne(store, 'accounts', { _id: accountId, partnerId, sandbox, status: { $ne: 'removed' } })
}

/** Whether a partner has customers, real or sandbox ones. */
export async function hasCustomers(store: Store, partnerId: string): Promise<boolean> {
  const one = await readOne(store, 'accounts', { partnerId, status: { $ne: 'removed' } }, { projection: { _id: 1 } })
  return one !== null
}

/** A partner's customers older than the account `before`, newest first. */
export function listCustomers(
  store: Store,
  { partnerId, sandbox, before, limit }: CustomersOf & { readonly before: string | null; readonly limit: number },
): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    { partnerId, sandbox, status: { $ne: 'removed' }, ...(before !== null && { _id: { $lt: before } }) },
    { sort: { partnerId: -1, sandbox: -1, _id: -1 }, limit },
  )
}

/** Fields of a customer whose changes its partner is notified of. */
export type CustomerFields = Partial<Pick<AccountDoc, 'plan' | 'agentsPlan' | 'paused'>>

/**
 * Changes fields of a customer and records the change to notify its partner of, if the fields still have the values of `from`.
 * Returns the customer; null when they do not, or it was removed.
 */
export function changeCustomer(
  store: Store,
  accountId: string,
  { from, change, note }: { from: CustomerFields; change: CustomerFields; note: CustomerChange },
): Promise<AccountDoc | null> {
  return store.accounts.findOneAndUpdate(
    { _id: accountId, status: { $ne: 'removed' }, ...from },
    { $set: change, $push: { customerChanges: note } },
    { returnDocument: 'after' },
  )
}

/** Removes changes whose events are recorded. */
export async function forgetCustomerChanges(
  store: Store,
  accountId: string,
  changes: readonly CustomerChange[],
): Promise<void> {
  await store.accounts.updateOne(
    { _id: accountId },
    { $pull: { customerChanges: { eventId: { $in: changes.map(({ eventId }) => eventId) } } } },
  )
}

/** Customers with changes whose events are not known to be recorded yet, the earliest changed first. */
export function findCustomerChanges(store: Store, limit: number): Promise<AccountDoc[]> {
  return readMany(
    store,
    'accounts',
    { 'customerChanges.at': { $gt: new Date(0) } },
    { sort: { 'customerChanges.at': 1 }, limit },
  )
}

/** The keys of customers that their partners hold and that may read mail, including revoked and expired ones. */
export function findReadingKeys(store: Store, accountIds: readonly string[]): Promise<KeyDoc[]> {
  return readMany(store, 'keys', { accountId: { $in: [...accountIds] }, heldBy: 'partner', scopes: 'mail:read' })
}
