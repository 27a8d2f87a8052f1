/** Mailboxes, the addresses that reach them, and the domains those lie in. */

import type { MailboxLists } from '../schemas/mailboxes.ts'
import type { DomainDoc } from './documents/accounts.ts'
import type { AddressDoc, Lesson, MailboxDoc } from './documents/mail.ts'
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

/**
 * A mailbox that ended reaches nobody: its address stops receiving but stays taken, aliases lose it, and those that had no
 * other go. Safe to repeat. Returns the addresses that changed, and how many aliases went.
 */
export async function releaseAddresses(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<{ addresses: string[]; aliasesGone: number }> {
  const found = await store.addresses
    .find({ mailboxIds: mailboxId, accountId }, { projection: { kind: 1, releasedAt: 1 } })
    .toArray()
  await store.addresses.updateMany(
    { mailboxIds: mailboxId, accountId, kind: 'mailbox', releasedAt: null },
    { $set: { releasedAt: at } },
  )
  const addresses = found.map(({ _id }) => _id)
  const aliases = found.filter(({ kind }) => kind === 'alias').map(({ _id }) => _id)
  if (aliases.length === 0) return { addresses, aliasesGone: 0 }
  const own = { _id: { $in: aliases }, accountId }
  await store.addresses.updateMany(own, { $pull: { mailboxIds: mailboxId } })
  const { deletedCount } = await store.addresses.deleteMany({ ...own, mailboxIds: { $size: 0 } })
  return { addresses, aliasesGone: deletedCount }
}

/** The address of a mailbox that is purged is free again. */
export async function removeAddress(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.addresses.deleteMany({ mailboxIds: mailboxId, accountId, kind: 'mailbox' })
}

/** The aliases of an account, newest first, those behind `before` (its time and address). */
export function listAliases(
  store: Store,
  { accountId, before, limit }: { accountId: string; before: { at: Date; key: string } | null; limit: number },
): Promise<AddressDoc[]> {
  const behind =
    before === null
      ? {}
      : { createdAt: { $lte: before.at }, $or: [{ createdAt: { $lt: before.at } }, { _id: { $lt: before.key } }] }
  return store.addresses
    .find({ accountId, kind: 'alias', ...behind })
    .sort({ accountId: -1, kind: -1, createdAt: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Removes an alias of an account. False when it has none of that name. */
export async function removeAlias(
  store: Store,
  { accountId, alias }: { accountId: string; alias: string },
): Promise<boolean> {
  const { deletedCount } = await store.addresses.deleteOne({ _id: alias, accountId, kind: 'alias' })
  return deletedCount === 1
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

/** Living mailboxes of an account, without their lists and lessons, newest first; `only` narrows to what a key reaches. */
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
    .find(
      { accountId, deletedAt: { $exists: false }, ...(Object.keys(ids).length > 0 && { _id: ids }) },
      { projection: { lists: 0, lessons: 0 } },
    )
    .sort({ accountId: -1, _id: -1 })
    .limit(limit)
    .toArray()
}

/** Those of an account's mailboxes that have not ended. */
export function findMailboxesOfAccount(
  store: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<MailboxDoc[]> {
  return store.mailboxes.find({ accountId, _id: { $in: [...ids] }, deletedAt: { $exists: false } }).toArray()
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

/** Replaces those of a mailbox's lists that are given. */
export function changeLists(
  store: Store,
  { accountId, mailboxId, lists }: { accountId: string; mailboxId: string; lists: Partial<MailboxLists> },
): Promise<MailboxDoc | null> {
  const filter = { _id: mailboxId, accountId, deletedAt: { $exists: false } }
  const set = Object.entries(lists).map(([name, list]) => [`lists.${name}`, list])
  return set.length === 0
    ? store.mailboxes.findOne(filter)
    : store.mailboxes.findOneAndUpdate(filter, { $set: Object.fromEntries(set) }, { returnDocument: 'after' })
}

/** Teaches a mailbox about an address: the newest lesson counts, and of more than `max` the oldest are forgotten. */
export async function addLesson(
  store: Store,
  { accountId, mailboxId, lesson, max }: { accountId: string; mailboxId: string; lesson: Lesson; max: number },
): Promise<void> {
  const filter = { _id: mailboxId, accountId }
  await store.mailboxes.bulkWrite(
    [
      { updateOne: { filter, update: { $pull: { lessons: { address: lesson.address } } } } },
      { updateOne: { filter, update: { $push: { lessons: { $each: [lesson], $slice: -max } } } } },
    ],
    { ordered: true },
  )
}

/** Ends a mailbox's life. False when it had ended before. */
export async function markMailboxDeleted(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.mailboxes.updateOne(
    { _id: mailboxId, accountId, deletedAt: { $exists: false } },
    { $set: { deletedAt: at }, $unset: { warned: '' } },
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

/** Living mailboxes whose last storage warning is older than a time. */
export function findWarnedMailboxes(store: Store, before: Date, limit: number): Promise<MailboxDoc[]> {
  return store.mailboxes
    .find({ 'warned.at': { $lte: before }, deletedAt: { $exists: false } })
    .sort({ 'warned.at': 1 })
    .limit(limit)
    .toArray()
}

/** Notes the last storage warning of a mailbox; null: there is none any more. */
export async function setStorageWarning(
  store: Store,
  { accountId, mailboxId, warned }: { accountId: string; mailboxId: string; warned: MailboxDoc['warned'] | null },
): Promise<void> {
  await store.mailboxes.updateOne(
    { _id: mailboxId, accountId },
    warned === null ? { $unset: { warned: '' } } : { $set: { warned } },
  )
}

/** Mailboxes that ended from one time up to before another, in that order. */
export function findMailboxesDeletedBetween(
  store: Store,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<MailboxDoc[]> {
  return store.mailboxes
    .find({ deletedAt: { $gte: from, $lt: to } })
    .sort({ deletedAt: 1 })
    .limit(limit)
    .toArray()
}

/** Mailboxes that ended before a time. */
export function findDeletedMailboxes(store: Store, before: Date, limit: number): Promise<MailboxDoc[]> {
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
  await store.threads.deleteMany({ mailboxId })
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

/** Domains by name. */
export function findDomains(store: Store, names: readonly string[]): Promise<DomainDoc[]> {
  return store.domains.find({ _id: { $in: [...names] } }).toArray()
}

export function listDomains(store: Store, accountId: string): Promise<DomainDoc[]> {
  return store.domains.find({ accountId }).sort({ _id: 1 }).toArray()
}

/** The domains of an account are nobody's any more, and stay taken. */
export async function removeDomains(store: Store, accountId: string): Promise<void> {
  await store.domains.updateMany({ accountId }, { $set: { status: 'removed' } })
}

/** The oldest living mailbox of an account: its postmaster's. */
export async function findOldestMailbox(store: Store, accountId: string): Promise<MailboxDoc | null> {
  return store.mailboxes
    .find({ accountId, deletedAt: { $exists: false } })
    .sort({ accountId: 1, _id: 1 })
    .limit(1)
    .next()
}
