/** Reads messages. Every query reads a range of an index. */
import type { Filter } from 'mongodb'
import { idAt } from '../schemas/ids.ts'
import { dropBlobUsers } from './blobs.ts'
import { fromBinary, toBinary } from './bytes.ts'
import type { MessageDoc } from './documents/mail.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Conditions on messages, all of which must hold. Addresses and the label are in canonical form. */
export type MessageFilter = {
  readonly label?: string
  readonly threadId?: string
  readonly unread?: boolean
  readonly flagged?: boolean
  readonly from?: string
  readonly to?: string
  /** A part of the subject; case is ignored. */
  readonly subject?: string
  readonly hasAttachment?: boolean
  readonly since?: Date
  readonly until?: Date
}

/**
 * The messages that a listing shows; all conditions must hold. The indexes of flags and attachments begin with the folder, so
 * a query by flag or attachment should name `folderIds`: if the folder does not matter, all folders of the mailbox.
 */
export type MessageQuery = MessageFilter & {
  readonly mailboxId: string
  readonly folderIds?: readonly string[]
  /** Only messages with these ids. */
  readonly ids?: readonly string[]
}

/** The fields that a list shows, and those that a search needs as well. The database returns only these. */
const listedFields = [
  '_id',
  'mailbox',
  'folderId',
  'threadId',
  'receivedAt',
  'from',
  'authorName',
  'to',
  'cc',
  'subject',
  'snippet',
  'seen',
  'flagged',
  'answered',
  'labels',
  'attachments',
  'sizeBytes',
] as const satisfies readonly (keyof MessageDoc)[]
const searchedFields = [...listedFields, 'mailboxId', 'bcc', 'blob'] as const satisfies readonly (keyof MessageDoc)[]

export type ListedMessage = Pick<MessageDoc, (typeof listedFields)[number]>
export type SearchedMessage = Pick<MessageDoc, (typeof searchedFields)[number]>

const only = (fields: readonly string[]) => Object.fromEntries(fields.map((field) => [field, 1] as const))
const listed = only(listedFields)
const searched = only(searchedFields)

/** Messages, newest first, older than the one with the id `before`. */
export function listMessages(
  store: Store,
  query: MessageQuery,
  { before, limit }: { before: string | null; limit: number },
): Promise<ListedMessage[]> {
  const { filter, hint } = rangeOf(query, before)
  return readMany<'messages', ListedMessage>(store, 'messages', filter, {
    projection: listed,
    ...(hint !== null && { hint }),
    sort: { _id: -1 },
    limit,
  })
}

export function findMessage(
  store: Store,
  { mailboxId, messageId }: { mailboxId: string; messageId: string },
): Promise<MessageDoc | null> {
  return readOne(store, 'messages', { mailboxId, _id: messageId })
}

/** Those of the messages `ids` that are in one of the mailboxes. */
export function findMessagesIn(
  store: Store,
  { mailboxIds, ids }: { mailboxIds: readonly string[]; ids: readonly string[] },
): Promise<MessageDoc[]> {
  return readMany(store, 'messages', { mailboxId: { $in: [...mailboxIds] }, _id: { $in: [...ids] } })
}

/** Conditions on the fields of a message that can change while its content stays the same; all must hold. */
export type MessageState = Partial<Pick<MessageDoc, 'seen' | 'flagged' | 'answered'>> & { readonly label?: string }

/** The mailbox of a message of an account, by id and address; null when there is no such message. */
export function findMailboxOfMessage(
  store: Store,
  { accountId, messageId }: { accountId: string; messageId: string },
): Promise<Pick<MessageDoc, 'mailboxId' | 'mailbox'> | null> {
  return readOne(store, 'messages', { _id: messageId, accountId }, { projection: { mailboxId: 1, mailbox: 1 } })
}

/** Those of the messages `ids` that are in one of the mailboxes, belong to the account and match the state. */
export function findMessagesInState(
  store: Store,
  { accountId, mailboxIds, ids }: { accountId: string; mailboxIds: readonly string[]; ids: readonly string[] },
  { label, ...flags }: MessageState,
): Promise<SearchedMessage[]> {
  return readMany<'messages', SearchedMessage>(
    store,
    'messages',
    {
      mailboxId: { $in: [...mailboxIds] },
      _id: { $in: [...ids] },
      accountId,
      ...flags,
      ...(label !== undefined && { labels: label }),
    },
    { projection: searched },
  )
}

/** Those of the messages `ids` that exist in a mailbox, with the current blob of each. */
export async function findBlobIds(
  store: Store,
  { mailboxId, ids }: { mailboxId: string; ids: readonly string[] },
): Promise<readonly { readonly id: string; readonly blobId: string }[]> {
  const found = await readMany(
    store,
    'messages',
    { mailboxId, _id: { $in: [...ids] } },
    { projection: { 'blob.id': 1 } },
  )
  return found.map(({ _id, blob }) => ({ id: _id, blobId: blob.id }))
}

/** Messages of all mailboxes with ids from `from` (inclusive) to `to` (exclusive), in order, for the sweep. */
export function walkMessages(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<MessageDoc[]> {
  return readMany(store, 'messages', { _id: { $gte: from, $lt: to } }, { sort: { _id: 1 }, limit })
}

/** As `walkMessages`, but returns only the mailbox and blob of each message. */
export function walkMessageBlobs(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<Pick<MessageDoc, '_id' | 'mailboxId' | 'blob'>[]> {
  const projection = { mailboxId: 1, blob: 1 }
  return readMany(store, 'messages', { _id: { $gte: from, $lt: to } }, { projection, sort: { _id: 1 }, limit })
}

/** The Message-IDs and threads of the messages of a mailbox that have one of these Message-IDs. */
export async function findThreadIdsByHeader(
  store: Store,
  { mailboxId, messageIds }: { mailboxId: string; messageIds: readonly string[] },
): Promise<Pick<MessageDoc, 'messageIdHeader' | 'threadId'>[]> {
  if (messageIds.length === 0) return []
  return readMany(
    store,
    'messages',
    { mailboxId, messageIdHeader: { $in: [...messageIds] } },
    { projection: { messageIdHeader: 1, threadId: 1 } },
  )
}

/** Deletes up to `limit` messages of a deleted mailbox, with their blobs. Returns how many. */
export async function purgeMessages(store: Store, mailboxId: string, limit: number): Promise<number> {
  const messages = await readMany(
    store,
    'messages',
    { mailboxId },
    { projection: { blob: 1 }, sort: { mailboxId: 1, _id: 1 }, limit },
  )
  // The blobs are dropped first: after a crash in between, the messages are found again.
  await dropBlobUsers(
    store,
    messages.map(({ _id, blob }) => ({ blobId: blob.id, users: [_id] })),
  )
  if (messages.length > 0) await store.messages.deleteMany({ mailboxId, _id: { $in: messages.map(({ _id }) => _id) } })
  return messages.length
}

/**
 * The filter and the index for a page, chosen so that few messages are read that do not match. Ids are in the order of
 * arrival, so times become bounds on the ids. With a folder index, the database merges the ranges of several folders, and of read
 * and unread mail, in the order of the ids.
 */
function rangeOf(query: MessageQuery, before: string | null): { filter: Filter<MessageDoc>; hint: FolderIndex | null } {
  const { mailboxId, folderIds, label, threadId, unread, flagged, from, to, subject, hasAttachment, since, until } =
    query
  const below = [...(before === null ? [] : [before]), ...(until === undefined ? [] : [idAt('msg', until)])].sort()[0]
  const ids = {
    ...(since !== undefined && { $gte: idAt('msg', since) }),
    ...(below !== undefined && { $lt: below }),
    ...(query.ids !== undefined && { $in: [...query.ids] }),
  }
  const hint = query.ids === undefined ? folderIndexOf(query) : null
  return {
    hint,
    filter: {
      mailboxId,
      ...(folderIds !== undefined && { folderId: { $in: [...folderIds] } }),
      ...(label !== undefined && { labels: label }),
      ...(threadId !== undefined && { threadId }),
      ...(unread !== undefined && { seen: !unread }),
      ...(unread === undefined && hint !== null && { seen: { $in: [false, true] } }),
      ...(flagged !== undefined && { flagged }),
      ...(from !== undefined && { 'from.address': from }),
      ...(to !== undefined && { 'to.address': to }),
      ...(subject !== undefined && { subject: containing(subject) }),
      ...(hasAttachment !== undefined && { 'attachments.0': { $exists: hasAttachment } }),
      ...(Object.keys(ids).length > 0 && { _id: ids }),
    },
  }
}

/** The condition that a field contains a text; case is ignored. */
export function containing(text: string): { $regex: string; $options: string } {
  // A pattern in BSON cannot contain the character NUL.
  const pattern = text.replaceAll(/[.*+?^${}()|[\]\\/-]/g, '\\$&').replaceAll('\0', '\\x00')
  return { $regex: pattern, $options: 'i' }
}

/** Names of the folder indexes (store/collections.ts). For other queries only one index fits, so they need no hint. */
type FolderIndex = 'inFolder' | 'flagged' | 'withAttachment'

function folderIndexOf({ folderIds, label, threadId, flagged, hasAttachment }: MessageQuery): FolderIndex | null {
  if (folderIds === undefined || label !== undefined || threadId !== undefined) return null
  if (flagged === true) return 'flagged'
  return hasAttachment === true ? 'withAttachment' : 'inFolder'
}

/** The messages of a mailbox that have one of these Message-IDs. */
export async function findMessagesByHeader(
  store: Store,
  { mailboxId, messageIds }: { mailboxId: string; messageIds: readonly string[] },
): Promise<MessageDoc[]> {
  if (messageIds.length === 0) return []
  return readMany(store, 'messages', { mailboxId, messageIdHeader: { $in: [...messageIds] } })
}

/** Those of the import marks (`importedFrom`) that messages of a mailbox already have, in base64url. */
export async function findImported(
  { messages }: Store,
  { mailboxId, marks }: { readonly mailboxId: string; readonly marks: readonly Buffer[] },
): Promise<ReadonlySet<string>> {
  const found = await messages
    .find({ mailboxId, importedFrom: { $in: marks.map(toBinary) } }, { projection: { importedFrom: 1 } })
    .toArray()
  return new Set(
    found.flatMap(({ importedFrom }) => (importedFrom ? [fromBinary(importedFrom).toString('base64url')] : [])),
  )
}
