/**
 * Folders and the numbers they assign. Before a message enters, changes in or leaves a folder, its writer takes a reservation:
 * one atomic update that assigns UIDs and a modseq, adds to the counters and lists the reservation in `open`. After the
 * message is written, the writer closes the reservation. A reservation that stays open because its writer died becomes void after
 * `reservationSeconds`; a recount (store/recount.ts) then corrects the counters from the messages that exist.
 */
import type { Document, Filter, UpdateFilter } from 'mongodb'
import { deriveId } from '../schemas/ids.ts'
import type { FolderRole } from '../schemas/threads.ts'
import type { FolderCounts, FolderDoc, Reservation } from './documents/mail.ts'
import { removeMetadata } from './metadata.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany } from './reads.ts'
import { fenceIn, updateIn, type Write } from './writes.ts'

export const reservationSeconds = 30

/** What a reservation takes from one folder, and what it adds to the folder's counters. */
export type UidClaim = FolderCounts & {
  readonly folderId: string
  readonly mailboxId: string
  /** How many UIDs to assign; 0 for a change of existing messages. */
  readonly uids: number
  /** The UIDs of the messages that change or leave the folder. */
  readonly changedUids?: readonly number[]
  /** The threads of those messages. */
  readonly threads?: readonly string[]
}

/** The numbers of a reservation: its first UID, and the modseq of all its messages. */
export type ReservedNumbers = {
  readonly folderId: string
  readonly token: string
  readonly uid: number
  readonly modseq: number
}

/**
 * Takes a reservation in each of several folders, in one round trip for a single folder and in two for several. Returns the reserved
 * numbers by folder id. A folder is missing from the map if it was deleted, or if its messages cannot be changed because its recount
 * is in its last step.
 */
export async function reserve(
  store: Store,
  claims: readonly UidClaim[],
  { token, at }: { token: string; at: Date },
): Promise<Map<string, ReservedNumbers>> {
  const [only] = claims
  if (only !== undefined && claims.length === 1) return reserveOne(store, only, { token, at })
  await store.folders.bulkWrite(
    claims.map((claim) => ({ updateOne: reservingUpdate(claim, token, at) })),
    { ordered: true },
  )
  const folders = await readMany(store, 'folders', among(claims), { projection: { open: 1 } })
  return reservedIn(folders, token)
}

async function reserveOne(
  store: Store,
  claim: UidClaim,
  { token, at }: { token: string; at: Date },
): Promise<Map<string, ReservedNumbers>> {
  const { filter, update } = reservingUpdate(claim, token, at)
  const folder = await store.folders.findOneAndUpdate(filter, update, {
    returnDocument: 'after',
    projection: { open: 1 },
  })
  return reservedIn(folder === null ? [] : [folder], token)
}

/** The first UID and the modseq of a reservation. */
export type Numbers = { readonly uid: number; readonly modseq: number }

/**
 * The write that takes a reservation with exactly these numbers. It is refused (as a duplicate) if the next UID of the folder is
 * another, if the folder has already assigned this modseq or a higher one, or if the folder was deleted. In these cases the upsert
 * tries an insert, which has the id of this folder and the path of the mailbox's INBOX, so that it is a duplicate.
 */
export function reservingExactly(
  store: Store,
  { folderId, mailboxId, uids, total, unread, bytes }: UidClaim,
  { uid, modseq }: Numbers,
  { token, at }: { token: string; at: Date },
): Write {
  const reservation: Reservation = { token, uid, uids, modseq, at, total, unread, bytes }
  const taking = updateIn(
    store.folders,
    { _id: folderId, mailboxId, uidNext: uid, highestModseq: { $lt: modseq } },
    {
      $inc: { uidNext: uids, total, unread, bytes },
      $set: { highestModseq: modseq },
      $push: { open: reservation },
      $setOnInsert: { path: inboxPath },
    },
    { upsert: true },
  )
  return { ...taking, isFence: true }
}

/**
 * The write that checks that a reservation holds. It is refused (as a duplicate) if the reservation was closed or is void, or if the
 * folder was deleted, in the same way as `reservingExactly`.
 */
export function holding(store: Store, { folderId, mailboxId }: UidClaim, token: string): Write {
  return fenceIn(store.folders, { _id: folderId, mailboxId, 'open.token': token }, { path: inboxPath })
}

/** The write that closes a reservation. Safe to repeat. */
export function closing(store: Store, end: ReservationEnd): Write {
  const { filter, update } = closingUpdate(end)
  return updateIn(store.folders, filter, update)
}

/**
 * The write that takes a reservation. It is refused where `reserve` would give none. With `modseq` the reservation gets that modseq; the
 * write is then also refused if the folder has already assigned it or a higher one, and with `known` if `known` is no longer
 * the highest modseq of the folder.
 */
export function reservationIn(
  store: Store,
  claim: UidClaim,
  { token, at, modseq, known }: { token: string; at: Date; modseq?: number; known?: number },
): Write {
  const { filter, update } = reservingUpdate(claim, token, at, { modseq, known })
  // If the filter does not match, the upsert tries an insert. It is refused because the folder's id exists, or if the folder is gone,
  // because the path of the mailbox's INBOX does.
  const guard = { $set: { path: { $ifNull: ['$path', inboxPath] } } }
  return { ...updateIn(store.folders, filter, [guard, ...update], { upsert: true }), isFence: true }
}

function reservedIn(folders: readonly Pick<FolderDoc, '_id' | 'open'>[], token: string): Map<string, ReservedNumbers> {
  const reserved = new Map<string, ReservedNumbers>()
  for (const { _id, open } of folders) {
    const mine = open.find((reservation) => reservation.token === token)
    if (mine !== undefined) reserved.set(_id, { folderId: _id, token, uid: mine.uid, modseq: mine.modseq })
  }
  return reserved
}

/**
 * The end of a reservation whose messages are written. `overcounted` is what the reservation added to the counters for messages
 * that were not written, for example because they already existed.
 */
export type ReservationEnd = {
  readonly folderId: string
  readonly mailboxId: string
  readonly token: string
  readonly overcounted?: FolderCounts
}

/** Closes reservations in one round trip. Safe to repeat. */
export async function closeReservations(store: Store, ends: readonly ReservationEnd[]): Promise<void> {
  if (ends.length === 0) return
  await store.folders.bulkWrite(
    ends.map((end) => ({ updateOne: closingUpdate(end) })),
    { ordered: false },
  )
}

/** As `closeReservations`, in one command with other waiting writes. */
export async function closeSoon(store: Store, ends: readonly ReservationEnd[]): Promise<void> {
  await store.writeSoon(ends.map((end) => closing(store, end)))
}

/** The folders of a mailbox, sorted by path. */
export function findFolders(store: Store, mailboxId: string): Promise<FolderDoc[]> {
  return readMany(store, 'folders', { mailboxId }, { sort: { mailboxId: 1, path: 1 } })
}

/**
 * The counts of a folder as they may be shown, never below 0. A writer that died may have subtracted messages that it did not
 * change, and other writers may subtract the same messages again, so until the recount a count can be too low.
 */
export function tellable<F extends Pick<FolderDoc, 'total' | 'unread'>>(folder: F): F {
  return { ...folder, total: Math.max(0, folder.total), unread: Math.max(0, folder.unread) }
}

/** The folders of several mailboxes. */
export function findFoldersOf(store: Store, mailboxIds: readonly string[]): Promise<FolderDoc[]> {
  return readMany(store, 'folders', { mailboxId: { $in: [...mailboxIds] } })
}

/** A string that changes whenever anything in a mailbox changes, and the paths of its folders by their ids. */
export type MailboxMarks = { readonly marks: string; readonly paths: ReadonlyMap<string, string> }

const marked = { mailboxId: 1, path: 1, highestModseq: 1, 'open.token': 1 } as const

/**
 * The marks of mailboxes, by mailbox id. The marks of a mailbox stay equal exactly as long as its folders are the same and no message
 * enters, changes in or leaves one of them. A mailbox with an open reservation is missing: its messages may or may not be written.
 */
export async function mailboxMarks(
  store: Store,
  mailboxIds: readonly string[],
): Promise<ReadonlyMap<string, MailboxMarks>> {
  const folders = await readMany(
    store,
    'folders',
    { mailboxId: { $in: [...mailboxIds] } },
    { projection: marked, sort: { mailboxId: 1, path: 1 } },
  )
  const quiet = [...Map.groupBy(folders, ({ mailboxId }) => mailboxId)].filter(([, own]) =>
    own.every(({ open }) => open.length === 0),
  )
  return new Map(
    quiet.map(([mailboxId, own]) => [
      mailboxId,
      {
        marks: own.map(({ _id, path, highestModseq }) => `${_id} ${highestModseq} ${path}`).join('\n'),
        paths: new Map(own.map(({ _id, path }) => [_id, path])),
      },
    ]),
  )
}

/** Folders of any mailbox by their ids. */
export function findFoldersById(store: Store, refs: readonly FolderRef[]): Promise<FolderDoc[]> {
  return readMany(store, 'folders', among(refs))
}

/** A folder, and the mailbox it is in. */
export type FolderRef = { readonly mailboxId: string; readonly folderId: string }

const among = (refs: readonly FolderRef[]) => ({
  mailboxId: { $in: [...new Set(refs.map(({ mailboxId }) => mailboxId))] },
  _id: { $in: [...new Set(refs.map(({ folderId }) => folderId))] },
})

/** The storage that mailboxes use, by mailbox id: the bytes of all their messages, Trash and Spam included. */
export async function storageUsed(store: Store, mailboxIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const folders = await readMany(
    store,
    'folders',
    { mailboxId: { $in: [...mailboxIds] }, bytes: { $gt: 0 } },
    { projection: { _id: 0, mailboxId: 1, bytes: 1 }, hint: 'filled' },
  )
  const used = new Map(mailboxIds.map((id) => [id, 0]))
  for (const { mailboxId, bytes } of folders) used.set(mailboxId, (used.get(mailboxId) ?? 0) + bytes)
  return used
}

const inboxPath = 'INBOX'

export const standardFolders: readonly (readonly [path: string, role: FolderRole])[] = [
  [inboxPath, 'inbox'],
  ['Sent', 'sent'],
  ['Drafts', 'drafts'],
  ['Trash', 'trash'],
  ['Spam', 'spam'],
  ['Archive', 'archive'],
]

/** The id of a standard folder of a mailbox, derived from its path. */
export const standardFolderId = (mailboxId: string, path: string): string => deriveId('fld', mailboxId, path)

/** Creates the standard folders of a mailbox. Safe to repeat. */
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

/** Folders with a reservation that was taken before `before` and is still open. */
export function findFoldersWithStaleReservations(store: Store, before: Date, limit: number): Promise<FolderDoc[]> {
  return readMany(store, 'folders', { 'open.at': { $lt: before } }, { sort: { 'open.at': 1 }, limit })
}

/** Inserts a folder. Returns false when the mailbox has a folder of that path. */
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
 * Renames folders in the given order and stops at the first whose new path is taken. Standard folders, and folders that no longer
 * have their old path, stay unchanged. Returns false when not all were renamed.
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

/**
 * Deletes a folder and its metadata, if it is not a standard folder, is empty and has no open reservation. Returns whether it was
 * deleted.
 */
export async function removeFolder(
  store: Store,
  { mailboxId, folderId }: { mailboxId: string; folderId: string },
): Promise<boolean> {
  const { deletedCount } = await store.folders.deleteOne({ _id: folderId, mailboxId, role: null, total: 0, open: [] })
  if (deletedCount === 1) await removeMetadata(store, folderId)
  return deletedCount === 1
}

/**
 * A UIDVALIDITY that no folder of the mailbox ever had (RFC 9051 2.3.1.1): the time in seconds, or one more than the last
 * one.
 */
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

/** The key of a label in the counts of a folder: encoded, because a field name cannot contain every character. */
export const labelKey = (label: string): string => `l${Buffer.from(label).toString('base64url')}`

/** The label that belongs to a key of the counts. */
export const labelOf = (key: string): string => Buffer.from(key.slice(1), 'base64url').toString()

/** The update that takes a reservation. Its filter does not match while a recount makes changes of messages wait. */
function reservingUpdate(
  { folderId, mailboxId, uids, total, unread, bytes, labels = {}, changedUids = [], threads }: UidClaim,
  token: string,
  at: Date,
  { modseq, known }: { readonly modseq?: number | undefined; readonly known?: number | undefined } = {},
): { filter: Filter<FolderDoc>; update: Document[] } {
  const next = modseq ?? { $add: ['$highestModseq', 1] }
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
  const notGated = changedUids.length === 0 ? {} : { $or: [{ gate: { $exists: false } }, { gate: { $lte: at } }] }
  return {
    filter: {
      _id: folderId,
      mailboxId,
      ...notGated,
      ...(modseq !== undefined && { highestModseq: { $lt: modseq, ...(known !== undefined && { $eq: known }) } }),
    },
    update: counted.length === 0 ? [stage] : [stage, withoutUnused],
  }
}

function closingUpdate({ folderId, mailboxId, token, overcounted }: ReservationEnd): {
  filter: Filter<FolderDoc>
  update: UpdateFilter<FolderDoc>
} {
  const giveBack = overcounted === undefined ? {} : { $inc: negated(overcounted) }
  // The filter makes a repeat harmless: if the first answer was lost and the closing is repeated, the counters are corrected only once.
  return {
    filter: { _id: folderId, mailboxId, 'open.token': token },
    update: { $pull: { open: { token } }, ...giveBack },
  }
}

function negated({ total, unread, bytes, labels = {} }: FolderCounts): { [field: string]: number } {
  const counted = Object.entries(labels).map(([key, by]) => [`labels.${key}`, -by])
  return { total: -total, unread: -unread, bytes: -bytes, ...Object.fromEntries(counted) }
}

/** Removes the labels whose count is 0. */
const withoutUnused: Document = {
  $set: {
    labels: {
      $arrayToObject: {
        $filter: { input: { $objectToArray: '$labels' }, as: 'label', cond: { $ne: ['$$label.v', 0] } },
      },
    },
  },
}
