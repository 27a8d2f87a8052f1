/** What mail programs see of a folder: its messages by UID, with the fields that can change. Every query reads a range of an index. */
import { settled } from './connection.ts'
import type { FolderDoc, MessageDoc } from './documents/mail.ts'
import type { Store } from './open.ts'
import { readOne } from './reads.ts'

const entryFields = {
  _id: 0,
  uid: 1,
  modseq: 1,
  seen: 1,
  flagged: 1,
  answered: 1,
  deleted: 1,
  draft: 1,
  labels: 1,
  receivedAt: 1,
  shownBytes: 1,
} as const

/** A message in its folder. */
export type Entry = Pick<
  MessageDoc,
  'uid' | 'modseq' | 'seen' | 'flagged' | 'answered' | 'deleted' | 'draft' | 'labels' | 'receivedAt'
> & { readonly shownBytes: number }

/** Messages per batch of the database's answer, so that decoding a large folder does not block other work. */
const readTogether = 1_000

type InFolder = { readonly mailboxId: string; readonly folderId: string }

/** The messages of a folder that changed or arrived after a modseq; with 0 all messages. In no particular order. */
export async function findEntriesSince(
  store: Store,
  { mailboxId, folderId, modseq }: InFolder & { readonly modseq: number },
): Promise<readonly Entry[]> {
  const found = await store.messages
    .find<Omit<Entry, 'shownBytes'> & { shownBytes?: number }>(
      { mailboxId, folderId, ...(modseq > 0 && { modseq: { $gt: modseq } }) },
      { projection: entryFields, batchSize: readTogether, ...settled },
    )
    .toArray()
  const sizes = await sizesOfOld(store, { mailboxId, folderId }, found)
  return sizes.size === 0
    ? (found as readonly Entry[])
    : found.map((entry) => ({ ...entry, shownBytes: entry.shownBytes ?? sizes.get(entry.uid) ?? 0 }))
}

/** The shown sizes of messages from versions that did not store `shownBytes`, by UID, computed from their trace and cuts. */
async function sizesOfOld(
  store: Store,
  inFolder: InFolder,
  entries: readonly { readonly uid: number; readonly shownBytes?: number }[],
): Promise<ReadonlyMap<number, number>> {
  const uids = entries.flatMap(({ uid, shownBytes }) => (shownBytes === undefined ? [uid] : []))
  if (uids.length === 0) return new Map()
  const found = await store.messages
    .find({ ...inFolder, uid: { $in: uids } }, { projection: { uid: 1, sizeBytes: 1, trace: 1, cuts: 1 } })
    .toArray()
  return new Map(
    found.map(({ uid, sizeBytes, trace, cuts = [] }) => [
      uid,
      cuts.reduce((sum, { start, end }) => sum - (end - start), Buffer.byteLength(trace) + sizeBytes),
    ]),
  )
}

/** The UIDs that exist in a folder: all of them, or those among `uids`. In order. */
export async function findUids(
  store: Store,
  { mailboxId, folderId, uids }: InFolder & { readonly uids?: readonly number[] },
): Promise<readonly number[]> {
  const found = await store.messages
    .find(
      { mailboxId, folderId, ...(uids !== undefined && { uid: { $in: [...uids] } }) },
      { projection: { _id: 0, uid: 1 }, batchSize: readTogether, ...settled },
    )
    .sort({ mailboxId: 1, folderId: 1, uid: 1 })
    .toArray()
  return found.map(({ uid }) => uid)
}

/** Messages of a folder by their UIDs, in order. */
export function findMessagesByUid(
  store: Store,
  { mailboxId, folderId, uids }: InFolder & { readonly uids: readonly number[] },
): Promise<MessageDoc[]> {
  return store.messages
    .find({ mailboxId, folderId, uid: { $in: [...uids] } })
    .sort({ mailboxId: 1, folderId: 1, uid: 1 })
    .toArray()
}

/** The folders and UIDs of messages, by their ids. */
export async function findPlaces(
  store: Store,
  { mailboxId, ids }: { readonly mailboxId: string; readonly ids: readonly string[] },
): Promise<ReadonlyMap<string, Pick<MessageDoc, 'folderId' | 'uid'>>> {
  const found = await store.messages
    .find({ mailboxId, _id: { $in: [...ids] } }, { projection: { folderId: 1, uid: 1 } })
    .toArray()
  return new Map(found.map(({ _id, folderId, uid }) => [_id, { folderId, uid }]))
}

/** The UID of the message in a folder that has this Message-ID; the lowest of several. */
export async function findUidByHeader(
  store: Store,
  { mailboxId, folderId, messageIdHeader }: InFolder & { readonly messageIdHeader: string },
): Promise<number | null> {
  const found = await store.messages
    .find({ mailboxId, messageIdHeader }, { projection: { folderId: 1, uid: 1 } })
    .toArray()
  const uids = found.flatMap((message) => (message.folderId === folderId ? [message.uid] : []))
  return uids.length === 0 ? null : Math.min(...uids)
}

/** A folder; null when it is gone. */
export function findFolder(
  store: Store,
  { mailboxId, folderId }: { mailboxId: string; folderId: string },
): Promise<FolderDoc | null> {
  return readOne(store, 'folders', { _id: folderId, mailboxId }, settled)
}

/** Records that all messages of a folder below a UID were announced as recent. */
export async function claimRecent(store: Store, { mailboxId, folderId }: InFolder, uid: number): Promise<void> {
  await store.folders.updateOne({ _id: folderId, mailboxId }, { $max: { recentFrom: uid } })
}

const heldFields = {
  uid: 1,
  threadId: 1,
  blob: 1,
  trace: 1,
  cuts: 1,
  sizeBytes: 1,
  snippet: 1,
  receivedAt: 1,
  savedAt: 1,
} as const

/** The fields needed to show a message of a folder. */
export type Held = Pick<MessageDoc, '_id' | keyof typeof heldFields>

/** Messages of a folder by their UIDs, with the fields needed to show them. In order. */
export function findHeld(
  store: Store,
  { mailboxId, folderId, uids }: InFolder & { readonly uids: readonly number[] },
): Promise<Held[]> {
  return store.messages
    .find<Held>({ mailboxId, folderId, uid: { $in: [...uids] } }, { projection: heldFields })
    .sort({ mailboxId: 1, folderId: 1, uid: 1 })
    .toArray()
}

const searchedFields = {
  _id: 0,
  uid: 1,
  from: 1,
  authorName: 1,
  to: 1,
  cc: 1,
  bcc: 1,
  namesMore: 1,
  subject: 1,
  date: 1,
  messageIdHeader: 1,
  inReplyTo: 1,
  references: 1,
  threadId: 1,
  receivedAt: 1,
  savedAt: 1,
  'blob.id': 1,
} as const

/** The fields that a search examines before it reads the bytes of a message. */
export type SearchFields = Pick<MessageDoc, Exclude<keyof typeof searchedFields, '_id' | 'blob.id'>> & {
  readonly blob: { readonly id: string }
}

/** Messages of a folder by their UIDs, with the fields that a search examines. In order. */
export function findSearchFields(
  store: Store,
  { mailboxId, folderId, uids }: InFolder & { readonly uids: readonly number[] },
): Promise<SearchFields[]> {
  return store.messages
    .find<SearchFields>({ mailboxId, folderId, uid: { $in: [...uids] } }, { projection: searchedFields })
    .sort({ mailboxId: 1, folderId: 1, uid: 1 })
    .toArray()
}

/** The UIDs of those of the messages `ids` that are in a folder. */
export async function findUidsOf(
  store: Store,
  { mailboxId, folderId, ids }: InFolder & { readonly ids: readonly string[] },
): Promise<readonly number[]> {
  const found = await store.messages
    .find({ mailboxId, _id: { $in: [...ids] } }, { projection: { _id: 0, folderId: 1, uid: 1 } })
    .toArray()
  return found.flatMap((message) => (message.folderId === folderId ? [message.uid] : []))
}

/** The messages of a mailbox from an id on: their folders, UIDs and blobs. */
export function findLatest(
  store: Store,
  { mailboxId, from }: { readonly mailboxId: string; readonly from: string },
): Promise<Pick<MessageDoc, '_id' | 'mailboxId' | 'folderId' | 'uid' | 'blob'>[]> {
  return store.messages
    .find(
      { mailboxId, _id: { $gte: from } },
      { projection: { mailboxId: 1, folderId: 1, uid: 1, blob: 1 }, batchSize: readTogether },
    )
    .toArray()
}
