/**
 * Folders and the numbers they hand out. Every message that enters, changes or leaves a folder first takes a reservation:
 * one atomic update that gives UID and modseq, moves the counters and notes itself in `open`. When the message is written
 * the reservation is closed. One that stays open (its writer died) is void after `reservationSeconds`; a recount then
 * mends the counters from the messages that are really there.
 */
import type { AnyBulkWriteOperation, Document, Filter } from 'mongodb'
import type { FolderDoc, FolderRole } from './documents/mail.ts'
import type { Store } from './open.ts'

export const reservationSeconds = 30

/** What a reservation takes from one folder and adds to its counters. */
export type Claim = {
  readonly folderId: string
  readonly mailboxId: string
  /** How many UIDs; 0 for a change of messages that are there already. */
  readonly uids: number
  readonly total: number
  readonly unread: number
  readonly bytes: number
}

/** A taken reservation: its first UID, and the modseq that all its messages get. */
export type Taken = { readonly folderId: string; readonly token: string; readonly uid: number; readonly modseq: number }

/** Takes a reservation in each of several folders: in two round trips whatever their number, in one for a single folder. */
export async function reserve(
  store: Store,
  claims: readonly Claim[],
  { token, at, closing = [] }: { token: string; at: Date; closing?: readonly Closing[] },
): Promise<Map<string, Taken>> {
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
  claim: Claim,
  { token, at }: { token: string; at: Date },
): Promise<Map<string, Taken>> {
  const { filter, update } = take(claim, token, at)
  const folder = await store.folders.findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    projection: { open: 1 },
  })
  return takenIn(folder === null ? [] : [folder], token)
}

function takenIn(folders: readonly Pick<FolderDoc, '_id' | 'open'>[], token: string): Map<string, Taken> {
  const taken = new Map<string, Taken>()
  for (const { _id, open } of folders) {
    const mine = open.find((reservation) => reservation.token === token)
    if (mine !== undefined) taken.set(_id, { folderId: _id, token, uid: mine.uid, modseq: mine.modseq })
  }
  return taken
}

/** A reservation whose messages are written, and what it counted too much (a message that turned out to be there). */
export type Closing = {
  readonly folderId: string
  readonly token: string
  readonly over?: { readonly total: number; readonly unread: number; readonly bytes: number }
}

/** Closes reservations. Several may be closed in one round trip. */
export async function closeReservations(store: Store, closing: readonly Closing[]): Promise<void> {
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

/** Bytes of all messages of a mailbox, Trash and Spam too. */
export async function storageUsed(store: Store, mailboxId: string): Promise<number> {
  const folders = await store.folders.find({ mailboxId }, { projection: { bytes: 1 } }).toArray()
  return folders.reduce((sum, { bytes }) => sum + bytes, 0)
}

export const standardFolders: readonly (readonly [path: string, role: FolderRole])[] = [
  ['INBOX', 'inbox'],
  ['Sent', 'sent'],
  ['Drafts', 'drafts'],
  ['Trash', 'trash'],
  ['Spam', 'spam'],
  ['Archive', 'archive'],
]

/** Makes the folders every mailbox has. Safe to repeat. */
export async function insertStandardFolders(
  store: Store,
  {
    accountId,
    mailboxId,
    idOf,
    uidValidity,
  }: { accountId: string; mailboxId: string; idOf: (path: string) => string; uidValidity: number },
): Promise<void> {
  const empty = { uidValidity, uidNext: 1, highestModseq: 1, total: 0, unread: 0, bytes: 0, open: [] }
  await store.folders.bulkWrite(
    standardFolders.map(([path, role]) => ({
      updateOne: {
        filter: { _id: idOf(path), mailboxId },
        update: { $setOnInsert: { accountId, path, role, ...empty } },
        upsert: true,
      },
    })),
    { ordered: false },
  )
}

/** Folders with a reservation that was left open before `before`. */
export function findAbandoned(store: Store, before: Date, limit: number): Promise<FolderDoc[]> {
  return store.folders
    .find({ 'open.at': { $lt: before } })
    .sort({ 'open.at': 1 })
    .limit(limit)
    .toArray()
}

/** Counts a folder's messages anew and drops the reservations left open before `before`, unless the folder changed meanwhile. */
export async function recount(store: Store, folder: FolderDoc, before: Date): Promise<boolean> {
  let total = 0
  let unread = 0
  let bytes = 0
  const messages = store.messages
    .find({ mailboxId: folder.mailboxId, folderId: folder._id }, { projection: { seen: 1, sizeBytes: 1 } })
    .sort({ mailboxId: 1, folderId: 1, uid: 1 })
  for await (const message of messages) {
    total += 1
    bytes += message.sizeBytes
    if (!message.seen) unread += 1
  }
  const { modifiedCount } = await store.folders.updateOne(
    {
      _id: folder._id,
      mailboxId: folder.mailboxId,
      highestModseq: folder.highestModseq,
      // What a living writer has reserved is in the counters, but perhaps not yet among the messages.
      'open.at': { $not: { $gte: before } },
    },
    { $set: { total, unread, bytes }, $pull: { open: { at: { $lt: before } } } },
  )
  return modifiedCount === 1
}

function take(
  { folderId, mailboxId, uids, total, unread, bytes }: Claim,
  token: string,
  at: Date,
): { filter: Filter<FolderDoc>; update: Document[] } {
  const next = { $add: ['$highestModseq', 1] }
  const stage: Document = {
    $set: {
      uidNext: { $add: ['$uidNext', uids] },
      highestModseq: next,
      total: { $add: ['$total', total] },
      unread: { $add: ['$unread', unread] },
      bytes: { $add: ['$bytes', bytes] },
      open: { $concatArrays: ['$open', [{ token, uid: '$uidNext', modseq: next, at }]] },
    },
  }
  return { filter: { _id: folderId, mailboxId }, update: [stage] }
}

function close({ folderId, token, over }: Closing): AnyBulkWriteOperation<FolderDoc> {
  const back = over === undefined ? {} : { $inc: { total: -over.total, unread: -over.unread, bytes: -over.bytes } }
  // Closing twice (the first answer was lost) gives back once.
  return {
    updateOne: { filter: { _id: folderId, 'open.token': token }, update: { $pull: { open: { token } }, ...back } },
  }
}
