/**
 * Changes of messages that are there: flags, labels, moves, and their end. Up to `editMessagesMax` messages of one folder
 * change together under one reservation. Invariants: a message changes only as it was read (its modseq tells), so counters
 * are moved by what was really there; every change gives a new modseq, every move a new UID; what is derived from messages is
 * derived before the reservation is closed, so a writer that dies leaves a trace of what is to be derived again.
 */
import type { UpdateFilter } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { type DroppedBlobUsers, dropBlobUsers, markBlobsInDoubt } from './blobs.ts'
import type { FolderCounts, MessageDoc } from './documents/mail.ts'
import { closeReservations, labelKey, type ReservationEnd, reserve, type UidClaim } from './folders.ts'
import type { Store } from './open.ts'

/** So many at once: others get their turn in between. */
export const editMessagesMax = 100

/** A message as it was read, with what a change must know of it. */
export type EditableMessage = Pick<
  MessageDoc,
  '_id' | 'mailboxId' | 'folderId' | 'threadId' | 'uid' | 'modseq' | 'seen' | 'labels' | 'sizeBytes' | 'blob'
>

const readFields = {
  mailboxId: 1,
  folderId: 1,
  threadId: 1,
  uid: 1,
  modseq: 1,
  seen: 1,
  labels: 1,
  sizeBytes: 1,
  blob: 1,
} as const

/** What is to be different. A move names where it came from and since when it is discarded, if it goes where mail is discarded. */
export type MessageEdit = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  /** All labels it then has. */
  readonly labels?: readonly string[]
  readonly to?: { readonly folderId: string; readonly deletedFrom?: string; readonly discardedAt?: Date }
}

/** The messages of one folder, when they change, and what is derived from their threads. */
export type EditTarget = {
  readonly mailboxId: string
  readonly folderId: string
  readonly messages: readonly EditableMessage[]
  readonly at: Date
  /** False when it could not be done: the reservation then stays open, and the sweep does it. */
  derive(threadIds: readonly string[]): Promise<boolean>
}

type InFolder = { readonly mailboxId: string; readonly folderId: string }

/** Messages of a folder in the order of their UIDs, those after `after`. */
export function listEditable(
  store: Store,
  { mailboxId, folderId, after }: InFolder & { after: number },
): Promise<EditableMessage[]> {
  return store.messages
    .find({ mailboxId, folderId, uid: { $gt: after } }, { projection: readFields })
    .sort({ uid: 1 })
    .limit(editMessagesMax)
    .toArray()
}

/** Unread messages of a folder in the order of their ids, those after `after`. */
export function listUnreadEditable(
  store: Store,
  { mailboxId, folderId, after }: InFolder & { after: string },
): Promise<EditableMessage[]> {
  return store.messages
    .find({ mailboxId, folderId, seen: false, _id: { $gt: after } }, { projection: readFields })
    .sort({ _id: 1 })
    .limit(editMessagesMax)
    .toArray()
}

/** Messages of all mailboxes that were discarded before a time, oldest first: for the sweep. */
export function findDiscarded(store: Store, before: Date, limit: number): Promise<EditableMessage[]> {
  return store.messages
    .find({ discardedAt: { $lt: before } }, { projection: readFields })
    .sort({ discardedAt: 1 })
    .limit(limit)
    .toArray()
}

/** Returns the ids of those that were changed; the others changed meanwhile, or a folder gives no reservation. */
export async function editMessages(store: Store, change: EditTarget, edit: MessageEdit): Promise<ReadonlySet<string>> {
  const { mailboxId, folderId, messages, at } = change
  if (messages.length === 0) return new Set()
  const token = newToken()
  const claims = claimsOf(change, edit)
  const taken = await reserve(store, claims, { token, at })
  const into = taken.get(edit.to?.folderId ?? folderId)
  if (into === undefined || taken.size < claims.length) {
    await closeReservations(store, closingsOf([...taken.keys()], token, change, edit, messages))
    return new Set()
  }
  const { matchedCount } = await store.messages.bulkWrite(
    messages.map(({ _id, modseq }, n) => ({
      updateOne: {
        filter: { mailboxId, _id, folderId, modseq },
        update: updateOf(edit, into.modseq, into.uid + n),
      },
    })),
    { ordered: false },
  )
  const changed = await withModseq(store, messages, matchedCount, { folderId: into.folderId, modseq: into.modseq })
  const isDerived = await change.derive(threadsOf(messages))
  // Some were changed again before we looked: which is not known any more, and a recount will tell.
  if (!isDerived || changed.size !== matchedCount) return changed
  const missed = messages.filter(({ _id }) => !changed.has(_id))
  await closeReservations(store, closingsOf([...taken.keys()], token, change, edit, missed))
  return changed
}

/** Removes messages for good, and the blobs nobody else uses. Returns the ids of those that went. */
export async function removeMessages(store: Store, change: EditTarget): Promise<ReadonlySet<string>> {
  const { mailboxId, folderId, messages, at } = change
  if (messages.length === 0) return new Set()
  const token = newToken()
  const blobIds = [...new Set(messages.map(({ blob }) => blob.id))]
  await markBlobsInDoubt(store, blobIds, at)
  const taken = (await reserve(store, claimsOf(change, 'remove'), { token, at })).get(folderId)
  if (taken === undefined) return new Set()
  // The new modseq says whose they are: of two who remove a message one counts it.
  const { matchedCount } = await store.messages.bulkWrite(
    messages.map(({ _id, modseq }) => ({
      updateOne: { filter: { mailboxId, _id, folderId, modseq }, update: { $set: { modseq: taken.modseq } } },
    })),
    { ordered: false },
  )
  const marked = await withModseq(store, messages, matchedCount, { folderId, modseq: taken.modseq })
  const ids = [...marked]
  const { deletedCount } = await store.messages.deleteMany({
    mailboxId,
    folderId,
    modseq: taken.modseq,
    _id: { $in: ids },
  })
  const removed = deletedCount === marked.size ? marked : await goneOf(store, mailboxId, ids)
  await dropBlobUsers(store, usersOf(messages.filter(({ _id }) => removed.has(_id))))
  const isDerived = await change.derive(threadsOf(messages))
  // A mark was lost to somebody else who removed it too: it is not known whose it was, and a recount will tell.
  if (!isDerived || removed.size !== deletedCount) return removed
  const missed = messages.filter(({ _id }) => !removed.has(_id))
  await closeReservations(store, closingsOf([folderId], token, change, 'remove', missed))
  return removed
}

async function goneOf(store: Store, mailboxId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const there = await store.messages.find({ mailboxId, _id: { $in: [...ids] } }, { projection: { _id: 1 } }).toArray()
  const left = new Set(there.map(({ _id }) => _id))
  return new Set(ids.filter((id) => !left.has(id)))
}

function usersOf(messages: readonly EditableMessage[]): DroppedBlobUsers[] {
  return [...Map.groupBy(messages, ({ blob }) => blob.id)].map(([blobId, own]) => ({
    blobId,
    users: own.map(({ _id }) => _id),
  }))
}

/** The ids of those messages that are in a folder with a modseq; all of them when `matched` says so. */
async function withModseq(
  store: Store,
  messages: readonly EditableMessage[],
  matched: number,
  { folderId, modseq }: { folderId: string; modseq: number },
): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ _id }) => _id)
  if (matched === ids.length) return new Set(ids)
  const [first] = messages
  if (matched === 0 || first === undefined) return new Set()
  const { mailboxId } = first
  const found = await store.messages
    .find({ mailboxId, _id: { $in: ids }, folderId, modseq }, { projection: { _id: 1 } })
    .toArray()
  return new Set(found.map(({ _id }) => _id))
}

function updateOf({ labels, to, ...flags }: MessageEdit, modseq: number, uid: number): UpdateFilter<MessageDoc> {
  const unset = {
    ...(labels?.length === 0 && { labels: '' as const }),
    ...(to !== undefined && to.deletedFrom === undefined && { deletedFrom: '' as const }),
    ...(to !== undefined && to.discardedAt === undefined && { discardedAt: '' as const }),
  }
  return {
    $set: {
      ...flags,
      modseq,
      ...(labels !== undefined && labels.length > 0 && { labels }),
      ...(to !== undefined && { ...to, uid }),
    },
    ...(Object.keys(unset).length > 0 && { $unset: unset }),
  }
}

/** What a change adds to the folder the messages are in, and to the one they go to, if any. */
function claimsOf({ mailboxId, folderId, messages }: EditTarget, edit: MessageEdit | 'remove'): UidClaim[] {
  const here = { folderId, mailboxId, uids: 0, ...changeHere(messages, edit) }
  const changing = { ...here, changedUids: messages.map(({ uid }) => uid), threads: threadsOf(messages) }
  if (edit === 'remove' || edit.to === undefined) return [changing]
  return [{ folderId: edit.to.folderId, mailboxId, uids: messages.length, ...countsOf(messages, edit) }, changing]
}

/** Ends the reservations of a change; `missed` are those it counted but could not make. */
function closingsOf(
  folderIds: readonly string[],
  token: string,
  { folderId: here }: EditTarget,
  edit: MessageEdit | 'remove',
  missed: readonly EditableMessage[],
): ReservationEnd[] {
  return folderIds.map((folderId) => {
    if (missed.length === 0) return { folderId, token }
    return { folderId, token, overcounted: folderId === here ? changeHere(missed, edit) : countsOf(missed, edit) }
  })
}

/** What an edit of messages adds to the counts of the folder they are in. */
function changeHere(messages: readonly EditableMessage[], edit: MessageEdit | 'remove'): FolderCounts {
  const stay = edit !== 'remove' && edit.to === undefined
  return difference(stay ? countsOf(messages, edit) : none, countsOf(messages, 'remove'))
}

const none: FolderCounts = { total: 0, unread: 0, bytes: 0 }

/** The counts of messages as they are ('remove') or as an edit makes them. */
function countsOf(messages: readonly EditableMessage[], edit: MessageEdit | 'remove'): FolderCounts {
  const labels = new Map<string, number>()
  let unread = 0
  let bytes = 0
  for (const message of messages) {
    const changed = edit === 'remove' ? message : { ...message, ...edit }
    unread += changed.seen ? 0 : 1
    bytes += message.sizeBytes
    for (const label of changed.labels ?? []) labels.set(labelKey(label), (labels.get(labelKey(label)) ?? 0) + 1)
  }
  return { total: messages.length, unread, bytes, labels: Object.fromEntries(labels) }
}

function difference(a: FolderCounts, b: FolderCounts): FolderCounts {
  const labels = new Map(Object.entries(a.labels ?? {}))
  for (const [key, count] of Object.entries(b.labels ?? {})) labels.set(key, (labels.get(key) ?? 0) - count)
  return {
    total: a.total - b.total,
    unread: a.unread - b.unread,
    bytes: a.bytes - b.bytes,
    labels: Object.fromEntries([...labels].filter(([, by]) => by !== 0)),
  }
}

function threadsOf(messages: readonly EditableMessage[]): string[] {
  return [...new Set(messages.map(({ threadId }) => threadId))]
}
