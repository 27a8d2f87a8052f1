/** Messages: read by index ranges, changed through a reservation in their folder. */
import type { Filter } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import type { FolderDoc, MessageDoc } from './documents/mail.ts'
import { type Claim, closeReservations, reserve } from './folders.ts'
import type { Store } from './open.ts'

/** Where a listing looks; every part narrows. */
export type MessageQuery = {
  readonly mailboxId: string
  readonly folderId?: string
  readonly label?: string
  readonly threadId?: string
  readonly unread?: boolean
  readonly flagged?: boolean
  readonly from?: string
  readonly to?: string
  /** Part of the subject, in any case. */
  readonly subject?: string
  readonly hasAttachment?: boolean
  readonly since?: Date
  readonly until?: Date
}

/** Messages newest first, those before `before` (a message id). */
export function listMessages(
  store: Store,
  query: MessageQuery,
  { before, limit }: { before: string | null; limit: number },
): Promise<MessageDoc[]> {
  return store.messages.find(filterOf(query, before)).sort(sortOf(query)).limit(limit).toArray()
}

export function findMessage(
  store: Store,
  { mailboxId, messageId }: { mailboxId: string; messageId: string },
): Promise<MessageDoc | null> {
  return store.messages.findOne({ mailboxId, _id: messageId })
}

export function findMessages(store: Store, ids: readonly string[]): Promise<MessageDoc[]> {
  return store.messages.find({ _id: { $in: [...ids] } }).toArray()
}

/** Messages of all mailboxes in the order of their ids, from one id up to before another: for the sweep. */
export function walkMessages(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<MessageDoc[]> {
  return store.messages
    .find({ _id: { $gte: from, $lt: to } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
}

/** The threads of the messages of a mailbox that carry one of these Message-IDs. */
export async function findByHeader(
  store: Store,
  { mailboxId, messageIds }: { mailboxId: string; messageIds: readonly string[] },
): Promise<Pick<MessageDoc, 'messageIdHeader' | 'threadId'>[]> {
  if (messageIds.length === 0) return []
  return store.messages
    .find({ mailboxId, messageIdHeader: { $in: [...messageIds] } }, { projection: { messageIdHeader: 1, threadId: 1 } })
    .toArray()
}

/** Whether mail from `address` came to the mailbox since `since`. */
export async function hasMailFrom(
  store: Store,
  { mailboxId, address, since }: { mailboxId: string; address: string; since: string },
): Promise<boolean> {
  const found = await store.messages.findOne(
    { mailboxId, _id: { $gte: since }, 'from.address': address, fingerprint: { $exists: true } },
    { sort: { mailboxId: 1, _id: -1 }, projection: { _id: 1 } },
  )
  return found !== null
}

export type FlagChange = {
  readonly seen?: boolean
  readonly flagged?: boolean
  readonly answered?: boolean
  readonly labels?: readonly string[]
}

/** Changes flags and labels in place. Answers the message as it then is; null when it left the folder meanwhile. */
export async function changeFlags(
  store: Store,
  message: MessageDoc,
  change: FlagChange,
  at: Date,
): Promise<MessageDoc | null> {
  const unread = change.seen === undefined || change.seen === message.seen ? 0 : change.seen ? -1 : 1
  const claim: Claim = { folderId: message.folderId, mailboxId: message.mailboxId, uids: 0, total: 0, unread, bytes: 0 }
  const token = newToken()
  const taken = (await reserve(store, [claim], { token, at })).get(message.folderId)
  if (taken === undefined) return null
  const { labels, ...flags } = change
  const set = { ...flags, modseq: taken.modseq, ...(labels !== undefined && labels.length > 0 && { labels }) }
  const changed = await store.messages.findOneAndUpdate(
    { mailboxId: message.mailboxId, _id: message._id, folderId: message.folderId, modseq: message.modseq },
    { $set: set, ...(labels !== undefined && labels.length === 0 && { $unset: { labels: '' } }) },
    { returnDocument: 'after' },
  )
  const over = changed === null ? { over: { total: 0, unread, bytes: 0 } } : {}
  await closeReservations(store, [{ folderId: message.folderId, token, ...over }])
  return changed
}

/** Moves a message to another folder of its mailbox, where it gets a new UID; its id stays. Null when it moved meanwhile. */
export async function moveMessage(
  store: Store,
  message: MessageDoc,
  { to, deletedFrom, at }: { to: FolderDoc; deletedFrom?: string; at: Date },
): Promise<MessageDoc | null> {
  const { mailboxId, sizeBytes: bytes } = message
  const unread = message.seen ? 0 : 1
  const token = newToken()
  const claims: Claim[] = [
    { folderId: to._id, mailboxId, uids: 1, total: 1, unread, bytes },
    { folderId: message.folderId, mailboxId, uids: 0, total: -1, unread: -unread, bytes: -bytes },
  ]
  const taken = (await reserve(store, claims, { token, at })).get(to._id)
  if (taken === undefined) return null
  const moved = await store.messages.findOneAndUpdate(
    { mailboxId, _id: message._id, folderId: message.folderId, modseq: message.modseq },
    {
      $set: {
        folderId: to._id,
        uid: taken.uid,
        modseq: taken.modseq,
        ...(deletedFrom !== undefined && { deletedFrom }),
      },
      ...(deletedFrom === undefined && { $unset: { deletedFrom: '' } }),
    },
    { returnDocument: 'after' },
  )
  const back = moved === null
  await closeReservations(store, [
    { folderId: to._id, token, ...(back && { over: { total: 1, unread, bytes } }) },
    { folderId: message.folderId, token, ...(back && { over: { total: -1, unread: -unread, bytes: -bytes } }) },
  ])
  return moved
}

/** Removes a message for good. False when it was gone or moved meanwhile. Its blob is counted one user less. */
export async function removeMessage(store: Store, message: MessageDoc, at: Date): Promise<boolean> {
  const { mailboxId, folderId, sizeBytes: bytes } = message
  const unread = message.seen ? 0 : 1
  const token = newToken()
  await reserve(store, [{ folderId, mailboxId, uids: 0, total: -1, unread: -unread, bytes: -bytes }], { token, at })
  const { deletedCount } = await store.messages.deleteOne({ mailboxId, _id: message._id, folderId })
  await closeReservations(store, [
    { folderId, token, ...(deletedCount === 0 && { over: { total: -1, unread: -unread, bytes: -bytes } }) },
  ])
  return deletedCount === 1
}

/** Removes up to `limit` messages of an ended mailbox. Answers those removed. */
export async function purgeMessages(store: Store, mailboxId: string, limit: number): Promise<MessageDoc[]> {
  const messages = await store.messages.find({ mailboxId }).sort({ mailboxId: 1, _id: 1 }).limit(limit).toArray()
  if (messages.length > 0) await store.messages.deleteMany({ mailboxId, _id: { $in: messages.map(({ _id }) => _id) } })
  return messages
}

function filterOf(query: MessageQuery, before: string | null): Filter<MessageDoc> {
  const { mailboxId, folderId, label, threadId, unread, flagged, from, to, subject, hasAttachment, since, until } =
    query
  const received = { ...(since !== undefined && { $gte: since }), ...(until !== undefined && { $lt: until }) }
  return {
    mailboxId,
    ...(folderId !== undefined && { folderId }),
    ...(label !== undefined && { labels: label }),
    ...(threadId !== undefined && { threadId }),
    ...(unread !== undefined && { seen: !unread }),
    ...(flagged !== undefined && { flagged }),
    ...(from !== undefined && { 'from.address': from }),
    ...(to !== undefined && { 'to.address': to }),
    ...(subject !== undefined && {
      subject: { $regex: subject.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), $options: 'i' },
    }),
    ...(hasAttachment !== undefined && { 'attachments.0': { $exists: hasAttachment } }),
    ...(Object.keys(received).length > 0 && { receivedAt: received }),
    ...(before !== null && { _id: { $lt: before } }),
  }
}

/** The order that an index of the narrowest filter gives. */
function sortOf({ folderId, threadId, label }: MessageQuery): { [field: string]: -1 } {
  if (threadId !== undefined) return { mailboxId: -1, threadId: -1, _id: -1 }
  if (label !== undefined) return { mailboxId: -1, labels: -1, _id: -1 }
  if (folderId !== undefined) return { mailboxId: -1, folderId: -1, _id: -1 }
  return { mailboxId: -1, _id: -1 }
}
