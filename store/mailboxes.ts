/** Mailboxes, the addresses that reach them, and the domains those lie in. */
import type { DomainDoc } from './documents/accounts.ts'
import type { AddressDoc, MailboxDoc } from './documents/mail.ts'
import { isDuplicate, type Store } from './open.ts'

/** Takes an address: one insert, so that no two can have it. False when it is taken. */
export async function insertAddress(store: Store, address: AddressDoc): Promise<boolean> {
  try {
    await store.addresses.insertOne(address)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Those of the addresses that can receive. */
export function findAddresses(store: Store, addresses: readonly string[]): Promise<AddressDoc[]> {
  return store.addresses.find({ _id: { $in: [...addresses] }, releasedAt: null }).toArray()
}

/** The address stops receiving but stays taken. */
export async function releaseAddresses(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<string[]> {
  const found = await store.addresses.find({ mailboxId, accountId }, { projection: { _id: 1 } }).toArray()
  await store.addresses.updateMany({ mailboxId, accountId }, { $set: { releasedAt: at } })
  return found.map(({ _id }) => _id)
}

export async function removeAddresses(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.addresses.deleteMany({ mailboxId, accountId })
}

export async function insertMailbox(store: Store, mailbox: MailboxDoc): Promise<void> {
  await store.mailboxes.insertOne(mailbox)
}

/** A living mailbox of an account. */
export function findMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<MailboxDoc | null> {
  return store.mailboxes.findOne({ _id: mailboxId, accountId, deletedAt: { $exists: false } })
}

/** The living ones of several mailboxes, each of the account it is asked for with. */
export async function findMailboxes(
  store: Store,
  wanted: readonly { readonly accountId: string; readonly mailboxId: string }[],
): Promise<MailboxDoc[]> {
  const accountOf = new Map(wanted.map(({ accountId, mailboxId }) => [mailboxId, accountId]))
  const found = await store.mailboxes
    .find({ _id: { $in: [...accountOf.keys()] }, deletedAt: { $exists: false } })
    .toArray()
  return found.filter(({ _id, accountId }) => accountOf.get(_id) === accountId)
}

/** Living mailboxes of an account, newest first; `only` narrows to what a key reaches. */
export function listMailboxes(
  store: Store,
  {
    accountId,
    only,
    before,
    limit,
  }: { accountId: string; only: readonly string[] | null; before: string | null; limit: number },
): Promise<MailboxDoc[]> {
  const ids = { ...(only !== null && { $in: [...only] }), ...(before !== null && { $lt: before }) }
  return store.mailboxes
    .find({ accountId, deletedAt: { $exists: false }, ...(Object.keys(ids).length > 0 && { _id: ids }) })
    .sort({ accountId: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

export function changeMailbox(
  store: Store,
  { accountId, mailboxId, change }: { accountId: string; mailboxId: string; change: Partial<MailboxDoc> },
): Promise<MailboxDoc | null> {
  return store.mailboxes.findOneAndUpdate(
    { _id: mailboxId, accountId, deletedAt: { $exists: false } },
    { $set: change },
    { returnDocument: 'after' },
  )
}

/** Ends a mailbox's life. False when it had ended before. */
export async function endMailbox(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.mailboxes.updateOne(
    { _id: mailboxId, accountId, deletedAt: { $exists: false } },
    { $set: { deletedAt: at } },
  )
  return modifiedCount === 1
}

/** Living mailboxes of all accounts in the order of their ids: for the sweep. */
export function walkMailboxes(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<MailboxDoc[]> {
  return store.mailboxes
    .find({ _id: { $gte: from, $lt: to }, deletedAt: { $exists: false } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
}

/** Mailboxes that ended before a time. */
export function findEnded(store: Store, before: Date, limit: number): Promise<MailboxDoc[]> {
  return store.mailboxes
    .find({ deletedAt: { $lt: before } })
    .sort({ deletedAt: 1 })
    .limit(limit)
    .toArray()
}

export async function removeMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.folders.deleteMany({ mailboxId })
  await store.contacts.deleteMany({ mailboxId })
  await store.mailboxes.deleteOne({ _id: mailboxId, accountId })
}

/** Takes a domain. False when it is taken, or was by somebody who is gone. */
export async function insertDomain(store: Store, domain: DomainDoc): Promise<boolean> {
  try {
    await store.domains.insertOne(domain)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findDomain(store: Store, domain: string): Promise<DomainDoc | null> {
  return store.domains.findOne({ _id: domain })
}

export function listDomains(store: Store, accountId: string): Promise<DomainDoc[]> {
  return store.domains.find({ accountId }).sort({ _id: 1 }).toArray()
}

/** The domains of an account are nobody's any more, and stay taken. */
export async function removeDomains(store: Store, accountId: string): Promise<void> {
  await store.domains.updateMany({ accountId }, { $set: { status: 'removed' } })
}

/** The oldest living mailbox of an account: its postmaster's. */
export async function firstMailbox(store: Store, accountId: string): Promise<MailboxDoc | null> {
  return store.mailboxes
    .find({ accountId, deletedAt: { $exists: false } })
    .sort({ accountId: 1, _id: 1 })
    .limit(1)
    .next()
}
