/**
 * Changes of existing messages: flags, labels, moves and deletion. Up to `editMessagesMax` messages of one folder change
 * together under one reservation.
 *
 * Invariants: A message is changed only if its modseq is still the one that was read, so the counters change by what was really
 * there. Every change assigns a new modseq, every move a new UID. No message is changed or deleted under a void reservation: each
 * command begins with a write that is then refused, so a process that was suspended in between does no harm when it resumes. Threads
 * are derived again before the reservation is closed, so the open reservation of a writer that died shows which ones to derive.
 */
import type { UpdateFilter } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { type DroppedBlobUsers, markBlobsInDoubt, releaseBlobs } from './blobs.ts'
import type { FolderCounts, MessageDoc } from './documents/mail.ts'
import { closeReservations, holding, labelKey, type ReservationEnd, reserve, type UidClaim } from './folders.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { deleteIn, updateIn } from './writes.ts'

/** The most messages in one change. The limit lets other commands run in between. */
export const editMessagesMax = 100

/** A message as it was read, with the fields that a change needs. */
export type EditableMessage = Pick<
  MessageDoc,
  | '_id'
  | 'mailboxId'
  | 'folderId'
  | 'threadId'
  | 'uid'
  | 'modseq'
  | 'seen'
  | 'flagged'
  | 'answered'
  | 'deleted'
  | 'draft'
  | 'labels'
  | 'sizeBytes'
  | 'blob'
>

const readFields = {
  mailboxId: 1,
  folderId: 1,
  threadId: 1,
  uid: 1,
  modseq: 1,
  seen: 1,
  flagged: 1,
  answered: 1,
  deleted: 1,
  draft: 1,
  labels: 1,
  sizeBytes: 1,
  blob: 1,
} as const

/**
 * The changes to make. A move sets `savedAt` to its time; a move to Trash or Spam also sets `deletedFrom` to the previous folder and
 * `discardedAt` to the same time.
 */
export type MessageEdit = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly deleted?: boolean
  readonly draft?: boolean
  /** All labels of the message after the change. */
  readonly labels?: readonly string[]
  readonly to?: {
    readonly folderId: string
    readonly savedAt?: Date
    readonly deletedFrom?: string
    readonly discardedAt?: Date
  }
}

type Changing = {
  readonly mailboxId: string
  readonly folderId: string
  readonly messages: readonly EditableMessage[]
}

/** The messages of one folder to change, the time of the change, and the function that derives their threads again. */
export type EditTarget = Changing & {
  readonly at: Date
  /** Derives threads again. Returns false if that failed: the reservation then stays open, and the sweep derives them. */
  derive(threadIds: readonly string[]): Promise<boolean>
}

type InFolder = { readonly mailboxId: string; readonly folderId: string }

/** Messages of a folder with UIDs above `after`, in order. */
export function listEditable(
  store: Store,
  { mailboxId, folderId, after }: InFolder & { after: number },
): Promise<EditableMessage[]> {
  return readMany(
    store,
    'messages',
    { mailboxId, folderId, uid: { $gt: after } },
    { projection: readFields, sort: { uid: 1 }, limit: editMessagesMax },
  )
}

/** The messages of a folder that have one of these UIDs, in order. */
export function findEditable(
  store: Store,
  { mailboxId, folderId, uids }: InFolder & { uids: readonly number[] },
): Promise<EditableMessage[]> {
  return readMany(
    store,
    'messages',
    { mailboxId, folderId, uid: { $in: [...uids] } },
    { projection: readFields, sort: { uid: 1 } },
  )
}

/** Unread messages of a folder with ids above `after`, in order. */
export function listUnreadEditable(
  store: Store,
  { mailboxId, folderId, after }: InFolder & { after: string },
): Promise<EditableMessage[]> {
  return readMany(
    store,
    'messages',
    { mailboxId, folderId, seen: false, _id: { $gt: after } },
    { projection: readFields, sort: { _id: 1 }, limit: editMessagesMax },
  )
}

/** Messages of an account, or of all accounts, that were moved to Trash or Spam before a time, the earliest first, for the sweep. */
export function findDiscarded(
  store: Store,
  before: Date,
  { accountId, limit }: { accountId?: string | undefined; limit: number },
): Promise<EditableMessage[]> {
  return readMany(
    store,
    'messages',
    { discardedAt: { $lt: before }, ...(accountId !== undefined && { accountId }) },
    { projection: readFields, sort: { discardedAt: 1 }, limit },
  )
}

/**
 * Changes messages. Returns the ids of those that were changed. The others were changed or deleted by another writer meanwhile.
 * None is changed if a folder gives no reservation.
 */
export async function editMessages(store: Store, change: EditTarget, edit: MessageEdit): Promise<ReadonlySet<string>> {
  const { mailboxId, folderId, messages, at } = change
  if (messages.length === 0) return new Set()
  const token = newToken()
  const claims = claimsOf(change, edit)
  const reserved = await reserve(store, claims, { token, at })
  const into = reserved.get(edit.to?.folderId ?? folderId)
  const giveUp = async () => {
    await closeReservations(store, endsOf([...reserved.keys()], token, change, edit, messages))
    return new Set<string>()
  }
  if (into === undefined || reserved.size < claims.length) return giveUp()
  const { refused, unmatched, isExact } = await store.writeEach([
    ...claims.map((claim) => holding(store, claim, token)),
    ...messages.map(({ _id, modseq }, n) => {
      const update = updateOf(edit, into.modseq, into.uid + n)
      return updateIn(store.messages, { mailboxId, _id, folderId, modseq }, update, { mustMatch: true })
    }),
  ])
  if (refused !== null && refused < claims.length) return giveUp()
  const isKnown = isExact && refused === null
  const missed = messages.filter((_, n) => unmatched.has(claims.length + n))
  const changed = isKnown
    ? idsOf(messages, missed)
    : await withModseq(store, messages, { folderId: into.folderId, modseq: into.modseq })
  const isDerived = await change.derive(threadsOf(messages))
  // If it is uncertain which messages were changed, some may have been changed again before `withModseq` read them. Then the
  // reservation stays open, and a recount corrects the counters.
  if (isDerived && isKnown) await closeReservations(store, endsOf([...reserved.keys()], token, change, edit, missed))
  return changed
}

/** Deletes messages permanently, and the blobs that have no other user. Returns the ids of the deleted messages. */
export async function removeMessages(store: Store, change: EditTarget): Promise<ReadonlySet<string>> {
  const { mailboxId, folderId, messages, at } = change
  if (messages.length === 0) return new Set()
  const token = newToken()
  const [claim] = claimsOf(change, 'remove')
  // The reservation comes first, so that it is void by the time the sweep may have resolved the doubt that is marked next.
  if ((await reserve(store, [claim!], { token, at })).size === 0) return new Set()
  const blobIds = [...new Set(messages.map(({ blob }) => blob.id))]
  await markBlobsInDoubt(store, blobIds, at)
  const { refused, unmatched, isExact } = await store.writeEach([
    holding(store, claim!, token),
    ...messages.map(({ _id, modseq }) => deleteIn(store.messages, { mailboxId, _id, folderId, modseq })),
  ])
  if (refused !== null) return new Set()
  const missed = messages.filter((_, n) => unmatched.has(1 + n))
  const removed = isExact ? idsOf(messages, missed) : await findDeleted(store, mailboxId, messages)
  await releaseBlobs(store, usersOf(messages.filter(({ _id }) => removed.has(_id))))
  const isDerived = await change.derive(threadsOf(messages))
  // If it is uncertain who deleted a message, the reservation stays open and a recount corrects the counters.
  if (isDerived && isExact) await closeReservations(store, endsOf([folderId], token, change, 'remove', missed))
  return removed
}

/** The ids of messages, except those in `without`. */
function idsOf(messages: readonly EditableMessage[], without: readonly EditableMessage[]): ReadonlySet<string> {
  return new Set(messages.filter((message) => !without.includes(message)).map(({ _id }) => _id))
}

/** The ids of those messages that no longer exist. */
async function findDeleted(
  store: Store,
  mailboxId: string,
  messages: readonly EditableMessage[],
): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ _id }) => _id)
  const found = await readMany(store, 'messages', { mailboxId, _id: { $in: ids } }, { projection: { _id: 1 } })
  const left = new Set(found.map(({ _id }) => _id))
  return new Set(ids.filter((id) => !left.has(id)))
}

function usersOf(messages: readonly EditableMessage[]): DroppedBlobUsers[] {
  return [...Map.groupBy(messages, ({ blob }) => blob.id)].map(([blobId, own]) => ({
    blobId,
    users: own.map(({ _id }) => _id),
  }))
}

/** The ids of those messages that are in the folder and have the modseq. */
async function withModseq(
  store: Store,
  messages: readonly EditableMessage[],
  { folderId, modseq }: { folderId: string; modseq: number },
): Promise<ReadonlySet<string>> {
  const ids = messages.map(({ _id }) => _id)
  const [{ mailboxId }] = messages as [EditableMessage]
  const found = await readMany(
    store,
    'messages',
    { mailboxId, _id: { $in: ids }, folderId, modseq },
    { projection: { _id: 1 } },
  )
  return new Set(found.map(({ _id }) => _id))
}

/** Whether a thread shows what an edit of flags and labels changes. Threads hold no other flags than these. */
export const isOfThreads = ({ seen, flagged, labels }: MessageEdit): boolean =>
  seen !== undefined || flagged !== undefined || labels !== undefined

/** The update by which an edit changes a message and gives it these numbers. */
export function updateOf({ labels, to, ...flags }: MessageEdit, modseq: number, uid: number): UpdateFilter<MessageDoc> {
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

/** The claims of a change: in the folder of the messages, and in the folder to which they move, if any. */
export function claimsOf({ mailboxId, folderId, messages }: Changing, edit: MessageEdit | 'remove'): UidClaim[] {
  const here = { folderId, mailboxId, uids: 0, ...changeHere(folderId, messages, edit) }
  const changing = { ...here, changedUids: messages.map(({ uid }) => uid), threads: threadsOf(messages) }
  if (edit === 'remove' || edit.to === undefined) return [changing]
  // A move within the folder assigns new UIDs there.
  if (edit.to.folderId === folderId) return [{ ...changing, uids: messages.length }]
  return [{ folderId: edit.to.folderId, mailboxId, uids: messages.length, ...countsOf(messages, edit) }, changing]
}

/** The ends of a change's reservations; `missed` are the messages that it counted but did not change. */
export function endsOf(
  folderIds: readonly string[],
  token: string,
  { mailboxId, folderId: here }: Pick<Changing, 'mailboxId' | 'folderId'>,
  edit: MessageEdit | 'remove',
  missed: readonly EditableMessage[],
): ReservationEnd[] {
  return folderIds.map((folderId) => {
    if (missed.length === 0) return { folderId, mailboxId, token }
    const overcounted = folderId === here ? changeHere(here, missed, edit) : countsOf(missed, edit)
    return { folderId, mailboxId, token, overcounted }
  })
}

/** What an edit adds to the counts of the folder that contains the messages. */
export function changeHere(
  folderId: string,
  messages: readonly EditableMessage[],
  edit: MessageEdit | 'remove',
): FolderCounts {
  const stay = edit !== 'remove' && (edit.to === undefined || edit.to.folderId === folderId)
  return difference(stay ? countsOf(messages, edit) : none, countsOf(messages, 'remove'))
}

const none: FolderCounts = { total: 0, unread: 0, bytes: 0 }

/** The counts of messages as they are (for 'remove'), or as they are after an edit. */
export function countsOf(
  messages: readonly Pick<EditableMessage, 'seen' | 'labels' | 'sizeBytes'>[],
  edit: MessageEdit | 'remove',
): FolderCounts {
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

/** The sum of counts; labels whose sum is 0 are left out. */
export function sumOf(all: readonly FolderCounts[]): FolderCounts {
  return all.reduce((sum, each) => difference(sum, difference(none, each)), none)
}

export function threadsOf(messages: readonly EditableMessage[]): string[] {
  return [...new Set(messages.map(({ threadId }) => threadId))]
}
