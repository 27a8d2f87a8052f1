/** Mailboxes and the addresses that lead to them. */

import type { MailboxLists } from '../schemas/mailboxes.ts'
import type { AddressDoc, Lesson, MailboxDoc } from './documents/mail.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Takes an address by inserting it, so that only one caller gets it. Returns false when it is taken. */
export async function insertAddress(store: Store, address: AddressDoc): Promise<boolean> {
  try {
    await store.addresses.insertOne(address)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Those of these addresses that can receive mail. */
export function findAddresses(store: Store, addresses: readonly string[]): Promise<AddressDoc[]> {
  return readMany(store, 'addresses', { _id: { $in: [...addresses] }, releasedAt: null })
}

/**
 * Releases the addresses of a deleted mailbox: its own address stops receiving but stays taken, its aliases stop leading to it, and
 * aliases that lead to no other mailbox are deleted. Safe to repeat. Returns the addresses that led to the mailbox, and how many
 * aliases were deleted.
 */
export async function releaseAddresses(
  store: Store,
  { accountId, mailboxId, at }: { accountId: string; mailboxId: string; at: Date },
): Promise<{ addresses: string[]; aliasesGone: number }> {
  const found = await readMany(
    store,
    'addresses',
    { mailboxIds: mailboxId, accountId },
    { projection: { kind: 1, releasedAt: 1 } },
  )
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

/** Deletes the address of a purged mailbox, so that it can be taken again. */
export async function removeAddress(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.addresses.deleteMany({ mailboxIds: mailboxId, accountId, kind: 'mailbox' })
}

/** The aliases of an account, newest first, starting after the alias with the time and address of `before`. */
export function listAliases(
  store: Store,
  { accountId, before, limit }: { accountId: string; before: { at: Date; key: string } | null; limit: number },
): Promise<AddressDoc[]> {
  const olderThan =
    before === null
      ? {}
      : { createdAt: { $lte: before.at }, $or: [{ createdAt: { $lt: before.at } }, { _id: { $lt: before.key } }] }
  return readMany(
    store,
    'addresses',
    { accountId, kind: 'alias', ...olderThan },
    { sort: { accountId: -1, kind: -1, createdAt: -1, _id: -1 }, limit },
  )
}

/** Deletes an alias of an account. Returns false when there is no such alias. */
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

/** A mailbox of an account; null when there is none or it was deleted. */
export function findMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<MailboxDoc | null> {
  return readOne(store, 'mailboxes', { _id: mailboxId, accountId, deletedAt: { $exists: false } })
}

/** Those of the wanted mailboxes that belong to the given account and were not deleted. */
export async function findMailboxes(
  store: Store,
  wanted: readonly { readonly accountId: string; readonly mailboxId: string }[],
): Promise<MailboxDoc[]> {
  const accountOf = new Map(wanted.map(({ accountId, mailboxId }) => [mailboxId, accountId]))
  const found = await readMany(store, 'mailboxes', {
    _id: { $in: [...accountOf.keys()] },
    deletedAt: { $exists: false },
  })
  return found.filter(({ _id, accountId }) => accountOf.get(_id) === accountId)
}

/**
 * The mailboxes of an account that were not deleted, newest first, older than the one with the id `before`, without their lists
 * and lessons. `only` restricts them to the mailboxes of a key.
 */
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
  return readMany(
    store,
    'mailboxes',
    { accountId, deletedAt: { $exists: false }, ...(Object.keys(ids).length > 0 && { _id: ids }) },
    { projection: { lists: 0, lessons: 0 }, sort: { accountId: -1, _id: -1 }, limit },
  )
}

/** Those of the mailboxes `ids` that belong to an account and were not deleted. */
export function findMailboxesOfAccount(
  store: Store,
  { accountId, ids }: { accountId: string; ids: readonly string[] },
): Promise<MailboxDoc[]> {
  return readMany(store, 'mailboxes', { accountId, _id: { $in: [...ids] }, deletedAt: { $exists: false } })
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

/** Replaces the given lists of a mailbox and keeps the others. */
export function changeLists(
  store: Store,
  { accountId, mailboxId, lists }: { accountId: string; mailboxId: string; lists: Partial<MailboxLists> },
): Promise<MailboxDoc | null> {
  const filter = { _id: mailboxId, accountId, deletedAt: { $exists: false } }
  const set = Object.entries(lists).map(([name, list]) => [`lists.${name}`, list])
  return set.length === 0
    ? readOne(store, 'mailboxes', filter)
    : store.mailboxes.findOneAndUpdate(filter, { $set: Object.fromEntries(set) }, { returnDocument: 'after' })
}

/**
 * Adds a lesson to a mailbox. It replaces an earlier lesson about the address; above `max` lessons the oldest are removed.
 */
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

/** Marks a mailbox as deleted. Returns false when it already was. */
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

/** Mailboxes that were not deleted, with ids from `from` (inclusive) to `to` (exclusive), in order, for the sweep. */
export function walkMailboxes(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<MailboxDoc[]> {
  return readMany(
    store,
    'mailboxes',
    { _id: { $gte: from, $lt: to }, deletedAt: { $exists: false } },
    { sort: { _id: 1 }, limit },
  )
}

/**
 * Mailboxes, of an account or of all, that were not deleted and whose last storage warning is from `before` or earlier, the
 * oldest warning first.
 */
export function findWarnedMailboxes(
  store: Store,
  before: Date,
  { accountId, limit }: { accountId?: string | undefined; limit: number },
): Promise<MailboxDoc[]> {
  return readMany(
    store,
    'mailboxes',
    {
      'warned.at': { $lte: before },
      deletedAt: { $exists: false },
      ...(accountId !== undefined && { accountId }),
    },
    { sort: { 'warned.at': 1 }, limit },
  )
}

/** Sets the last storage warning of a mailbox; null removes it. */
export async function setStorageWarning(
  store: Store,
  { accountId, mailboxId, warned }: { accountId: string; mailboxId: string; warned: MailboxDoc['warned'] | null },
): Promise<void> {
  await store.mailboxes.updateOne(
    { _id: mailboxId, accountId },
    warned === null ? { $unset: { warned: '' } } : { $set: { warned } },
  )
}

/** Mailboxes that were deleted between `from` (inclusive) and `to` (exclusive), the earliest first. */
export function findMailboxesDeletedBetween(
  store: Store,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<MailboxDoc[]> {
  return readMany(store, 'mailboxes', { deletedAt: { $gte: from, $lt: to } }, { sort: { deletedAt: 1 }, limit })
}

/** Mailboxes, of an account or of all, that were deleted before a time, the earliest first. */
export function findDeletedMailboxes(
  store: Store,
  before: Date,
  { accountId, limit }: { accountId?: string | undefined; limit: number },
): Promise<MailboxDoc[]> {
  return readMany(
    store,
    'mailboxes',
    { deletedAt: { $lt: before }, ...(accountId !== undefined && { accountId }) },
    { sort: { deletedAt: 1 }, limit },
  )
}

/** Deletes the documents of a mailbox whose messages were purged: folders, metadata, contacts, threads and the mailbox. */
export async function removeMailbox(
  store: Store,
  { accountId, mailboxId }: { accountId: string; mailboxId: string },
): Promise<void> {
  await store.folders.deleteMany({ mailboxId })
  await store.metadata.deleteMany({ mailboxId })
  await store.contacts.deleteMany({ mailboxId })
  await store.threads.deleteMany({ mailboxId })
  await store.mailboxes.deleteOne({ _id: mailboxId, accountId })
}

/** How many mailboxes and aliases an account has on a domain; a catch-all is an alias. */
export async function countAddressesAt(
  store: Store,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<{ readonly mailboxes: number; readonly aliases: number }> {
  const [mailboxes, aliases] = await Promise.all(
    (['mailbox', 'alias'] as const).map((kind) =>
      store.addresses.countDocuments({ accountId, kind, domain, releasedAt: null }),
    ),
  )
  return { mailboxes: mailboxes ?? 0, aliases: aliases ?? 0 }
}

/** Frees the addresses on a domain that are reserved because their mailboxes were deleted. Returns the addresses. */
export async function releaseReserved(
  store: Store,
  { accountId, domain }: { readonly accountId: string; readonly domain: string },
): Promise<readonly string[]> {
  const reserved = { accountId, kind: 'mailbox', domain, releasedAt: { $ne: null } } as const
  const found = await readMany(store, 'addresses', reserved, { projection: { _id: 1 } })
  await store.addresses.deleteMany(reserved)
  return found.map(({ _id }) => _id)
}

/** The oldest mailbox of an account that was not deleted. It receives the postmaster mail of the account's domains. */
export async function findOldestMailbox(store: Store, accountId: string): Promise<MailboxDoc | null> {
  return readOne(store, 'mailboxes', { accountId, deletedAt: { $exists: false } }, { sort: { accountId: 1, _id: 1 } })
}

/** The ids of all mailboxes of an account, including deleted ones. */
export async function mailboxIdsOf(store: Store, accountId: string): Promise<readonly string[]> {
  const found = await readMany(store, 'mailboxes', { accountId }, { projection: { _id: 1 } })
  return found.map(({ _id }) => _id)
}

/** All addresses of an account. */
export async function listAddresses(store: Store, accountId: string): Promise<readonly string[]> {
  const found = await readMany(store, 'addresses', { accountId }, { projection: { _id: 1 } })
  return found.map(({ _id }) => _id)
}

/** The ids and addresses of all mailboxes of an account, including deleted ones. */
export async function namedMailboxes(
  store: Store,
  accountId: string,
): Promise<readonly { readonly id: string; readonly address: string }[]> {
  const found = await readMany(store, 'mailboxes', { accountId }, { projection: { address: 1 } })
  return found.map(({ _id, address }) => ({ id: _id, address }))
}

/** The paths that mail programs subscribed to; null until the first change. */
export async function findSubscribed(store: Store, mailboxId: string): Promise<readonly string[] | null> {
  const mailbox = await readOne(store, 'mailboxes', { _id: mailboxId }, { projection: { subscribed: 1 } })
  return mailbox?.subscribed ?? null
}

/** Stores the default paths before the first change of subscriptions, unless there already was one. */
export async function startSubscribed(store: Store, mailboxId: string, paths: readonly string[]): Promise<void> {
  await store.mailboxes.updateOne({ _id: mailboxId, subscribed: { $exists: false } }, { $set: { subscribed: paths } })
}

export async function addSubscribed(store: Store, mailboxId: string, path: string): Promise<void> {
  await store.mailboxes.updateOne({ _id: mailboxId }, { $addToSet: { subscribed: path } })
}

export async function removeSubscribed(store: Store, mailboxId: string, paths: readonly string[]): Promise<void> {
  await store.mailboxes.updateOne({ _id: mailboxId }, { $pull: { subscribed: { $in: [...paths] } } })
}
