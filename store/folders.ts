/**
 * Folders and the numbers they hand out. Every message that enters, changes or leaves a folder first takes a reservation:
 * one atomic update that gives UID and modseq, moves the counters and notes itself in `open`. When the message is written
 * the reservation is closed. One that stays open (its writer died) is void after `reservationSeconds`; a recount then
 * mends the counters from the messages that are really there.
 */
import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb'
import { deriveId } from '../schemas/ids.ts'
import type { FolderRole } from '../schemas/threads.ts'
import type { FolderCounts, FolderDoc, Reservation } from './documents/mail.ts'
import { isDuplicate, type Store } from './open.ts'

export const reservationSeconds = 30

/** What a reservation takes from one folder and adds to its counters. */
export type UidClaim = FolderCounts & {
  readonly folderId: string
  readonly mailboxId: string
  /** How many UIDs; 0 for a change of messages that are there already. */
  readonly uids: number
  /** UIDs of the messages that change or leave. */
  readonly changedUids?: readonly number[]
  readonly threads?: readonly string[]
}

/** A taken reservation: its first UID, and the modseq that all its messages get. */
export type ReservedNumbers = {
  readonly folderId: string
  readonly token: string
  readonly uid: number
  readonly modseq: number
}

/**
 * Takes a reservation in each of several folders: in two round trips whatever their number, in one for a single folder.
 * There is none in a folder that is gone, and none for a change in one whose recount is at its last step.
 */
export async function reserve(
  store: Store,
  claims: readonly UidClaim[],
  { token, at, closing = [] }: { token: string; at: Date; closing?: readonly ReservationEnd[] },
): Promise<Map<string, ReservedNumbers>> {
  const [only] = claims
  if (only !== undefined && claims.length === 1 && closing.length === 0) return reserveOne(store, only, { token, at })
  await store.folders.bulkWrite(
    [...closing.map(close), ...claims.map((claim) => ({ updateOne: take(claim, token, at) }))],
    { ordered: true },
  )
  const folders = await store.folders
    .find({ _id: { $in: claims.map(({ folderId }) => folderId) } }, { projection: { open: 1 } })
    .toArray()
  return takenIn(folders, token)
}

async function reserveOne(
  store: Store,
  claim: UidClaim,
  { token, at }: { token: string; at: Date },
): Promise<Map<string, ReservedNumbers>> {
  const { filter, update } = take(claim, token, at)
  const folder = await store.folders.findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    projection: { open: 1 },
  })
  return takenIn(folder === null ? [] : [folder], token)
}

function takenIn(folders: readonly Pick<FolderDoc, '_id' | 'open'>[], token: string): Map<string, ReservedNumbers> {
  const taken = new Map<string, ReservedNumbers>()
  for (const { _id, open } of folders) {
    const mine = open.find((reservation) => reservation.token === token)
    if (mine !== undefined) taken.set(_id, { folderId: _id, token, uid: mine.uid, modseq: mine.modseq })
  }
  return taken
}

/** A reservation whose messages are written, and what it counted too much (a message that turned out to be there). */
export type ReservationEnd = {
  readonly folderId: string
  readonly token: string
  readonly overcounted?: FolderCounts
}

/** Closes reservations. Several may be closed in one round trip. */
export async function closeReservations(store: Store, closing: readonly ReservationEnd[]): Promise<void> {
  if (closing.length > 0) await store.folders.bulkWrite(closing.map(close), { ordered: false })
}

/** The folders of a mailbox, by path. */
export function findFolders(store: Store, mailboxId: string): Promise<FolderDoc[]> {
  return store.folders.find({ mailboxId }).sort({ mailboxId: 1, path: 1 }).toArray()
}

/** The folders of several mailboxes. */
export function findFoldersOf(store: Store, mailboxIds: readonly string[]): Promise<FolderDoc[]> {
  return store.folders.find({ mailboxId: { $in: [...mailboxIds] } }).toArray()
}

/** Folders by id, whatever their mailbox. */
export function findFoldersById(store: Store, ids: readonly string[]): Promise<FolderDoc[]> {
  return store.folders.find({ _id: { $in: [...ids] } }).toArray()
}

/** Bytes of all messages of mailboxes, Trash and Spam too, by mailbox id. */
export async function storageUsed(store: Store, mailboxIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const folders = await store.folders
    .find({ mailboxId: { $in: [...mailboxIds] } }, { projection: { mailboxId: 1, bytes: 1 } })
    .toArray()
  const used = new Map(mailboxIds.map((id) => [id, 0]))
  for (const { mailboxId, bytes } of folders) used.set(mailboxId, (used.get(mailboxId) ?? 0) + bytes)
  return used
}

export const standardFolders: readonly (readonly [path: string, role: FolderRole])[] = [
  ['INBOX', 'inbox'],
  ['Sent', 'sent'],
  ['Drafts', 'drafts'],
  ['Trash', 'trash'],
  ['Spam', 'spam'],
  ['Archive', 'archive'],
]

/** The id of a folder that every mailbox has, by its path. */
export const standardFolderId = (mailboxId: string, path: string): string => deriveId('fld', mailboxId, path)

/** Makes the folders every mailbox has. Safe to repeat. */
export async function insertStandardFolders(
  store: Store,
  { accountId, mailboxId, uidValidity }: { accountId: string; mailboxId: string; uidValidity: number },
): Promise<void> {
  const empty = { uidValidity, uidNext: 1, highestModseq: 1, total: 0, unread: 0, bytes: 0, open: [] }
  await store.folders.bulkWrite(
    standardFolders.map(([path, role]) => ({
      updateOne: {
        filter: { _id: standardFolderId(mailboxId, path), mailboxId },
        update: { $setOnInsert: { accountId, path, role, ...empty } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

/** Folders with a reservation that was left open before `before`. */
export function findFoldersWithStaleReservations(store: Store, before: Date, limit: number): Promise<FolderDoc[]> {
  return store.folders
    .find({ 'open.at': { $lt: before } })
    .sort({ 'open.at': 1 })
    .limit(limit)
    .toArray()
}

/** Takes a path for a new folder. False when there is one. */
export async function insertFolder(store: Store, folder: FolderDoc): Promise<boolean> {
  try {
    await store.folders.insertOne(folder)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/**
 * Gives folders new paths, in the order given, until one is taken or has moved. False when it did not come to the end:
 * the last ones then have their old paths still.
 */
export async function renameFolders(
  store: Store,
  mailboxId: string,
  renames: readonly { readonly folderId: string; readonly from: string; readonly to: string }[],
): Promise<boolean> {
  try {
    const { matchedCount } = await store.folders.bulkWrite(
      renames.map(({ folderId, from, to }) => ({
        updateOne: { filter: { _id: folderId, mailboxId, path: from, role: null }, update: { $set: { path: to } } },
      })),
      { ordered: true },
    )
    return matchedCount === renames.length
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** Removes a folder nothing lies in and nobody writes to. False when it is not so. */
export async function removeFolder(
  store: Store,
  { mailboxId, folderId }: { mailboxId: string; folderId: string },
): Promise<boolean> {
  const { deletedCount } = await store.folders.deleteOne({ _id: folderId, mailboxId, role: null, total: 0, open: [] })
  return deletedCount === 1
}

/** A UIDVALIDITY that no folder of the mailbox ever had (RFC 9051 2.3.1.1): the time, or one more than the last. */
export async function nextUidValidity(store: Store, mailboxId: string, at: Date): Promise<number> {
  const seconds = Math.floor(at.getTime() / 1000)
  const mailbox = await store.mailboxes.findOneAndUpdate(
    { _id: mailboxId },
    [
      {
        $set: { lastUidValidity: { $max: [seconds, { $add: [{ $ifNull: ['$lastUidValidity', 0] }, 1] }] } },
      },
    ],
    { returnDocument: 'after', projection: { lastUidValidity: 1 } },
  )
  return mailbox?.lastUidValidity ?? seconds
}

/** How the counts of a folder call a label: any text, without what a field name must not have. */
export const labelKey = (label: string): string => `l${Buffer.from(label).toString('base64url')}`

/** The label that a key of the counts names. */
export const labelOf = (key: string): string => Buffer.from(key.slice(1), 'base64url').toString()

function take(
  { folderId, mailboxId, uids, total, unread, bytes, labels = {}, changedUids = [], threads }: UidClaim,
  token: string,
  at: Date,
): { filter: Filter<FolderDoc>; update: Document[] } {
  const next = { $add: ['$highestModseq', 1] }
  const counted = Object.entries(labels)
  const reservation: { [K in keyof Reservation]: unknown } = {
    token,
    uid: '$uidNext',
    uids,
    modseq: next,
    at,
    total,
    unread,
    bytes,
    ...(counted.length > 0 && { labels }),
    ...(threads !== undefined && { threads }),
  }
  const stage: Document = {
    $set: {
      uidNext: { $add: ['$uidNext', uids] },
      highestModseq: next,
      total: { $add: ['$total', total] },
      unread: { $add: ['$unread', unread] },
      bytes: { $add: ['$bytes', bytes] },
      open: { $concatArrays: ['$open', [reservation]] },
      ...Object.fromEntries(
        counted.map(([key, by]) => [`labels.${key}`, { $add: [{ $ifNull: [`$labels.${key}`, 0] }, by] }]),
      ),
      ...(changedUids.length > 0 && {
        touched: { $cond: [{ $isArray: '$touched' }, { $concatArrays: ['$touched', changedUids] }, '$$REMOVE'] },
      }),
    },
  }
  const open = changedUids.length === 0 ? {} : { $or: [{ gate: { $exists: false } }, { gate: { $lte: at } }] }
  return {
    filter: { _id: folderId, mailboxId, ...open },
    update: counted.length === 0 ? [stage] : [stage, withoutUnused],
  }
}

function close({ folderId, token, overcounted }: ReservationEnd): AnyBulkWriteOperation<FolderDoc> {
  const back = overcounted === undefined ? {} : { $inc: negated(overcounted) }
  // Closing twice (the first answer was lost) gives back once.
  return {
    updateOne: { filter: { _id: folderId, 'open.token': token }, update: { $pull: { open: { token } }, ...back } },
  }
}

function negated({ total, unread, bytes, labels = {} }: FolderCounts): { [field: string]: number } {
  const counted = Object.entries(labels).map(([key, by]) => [`labels.${key}`, -by])
  return { total: -total, unread: -unread, bytes: -bytes, ...Object.fromEntries(counted) }
}

/** Labels that no message has any more are forgotten. */
const withoutUnused: Document = {
  $set: {
    labels: {
      $arrayToObject: {
        $filter: { input: { $objectToArray: '$labels' }, as: 'label', cond: { $ne: ['$$label.v', 0] } },
      },
    },
  },
}
