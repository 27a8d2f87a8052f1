/**
 * Stored threads. A thread is derived from its messages, and is written only if the stored revision is still the one with
 * which the derivation started.
 */
import type { Filter, UpdateFilter } from 'mongodb'
import { idAt, newToken } from '../schemas/ids.ts'
import type { MessageDoc, ThreadDoc } from './documents/mail.ts'
import { containing, type MessageFilter } from './messages.ts'
import { onlyDuplicates, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { insertInto, updateIn, type Write, writeAll } from './writes.ts'

export type ThreadRef = { readonly mailboxId: string; readonly threadId: string }

/** The fields of a message from which threads are derived. */
export type ThreadMessage = Pick<
  MessageDoc,
  | '_id'
  | 'mailboxId'
  | 'mailbox'
  | 'folderId'
  | 'threadId'
  | 'from'
  | 'to'
  | 'cc'
  | 'subject'
  | 'receivedAt'
  | 'seen'
  | 'flagged'
  | 'labels'
  | 'trust'
> & { readonly attachments: readonly object[]; readonly fingerprint?: unknown }

const messageFields = {
  mailboxId: 1,
  mailbox: 1,
  folderId: 1,
  threadId: 1,
  from: 1,
  to: 1,
  cc: 1,
  subject: 1,
  receivedAt: 1,
  seen: 1,
  flagged: 1,
  labels: 1,
  'trust.autoSubmitted': 1,
  'attachments.inline': 1,
  fingerprint: 1,
} as const

/** A thread is derived from at most this many of its newest messages, which bounds the cost of endless threads. */
export const threadMessagesMax = 1_000
/**
 * The most messages that one query reads for several threads. If there are more, each thread is read by a query of its own.
 */
const togetherMax = 2_000

/** The revisions of the given threads, by thread id; threads that are not stored are missing. */
export async function findRevisions(store: Store, refs: readonly ThreadRef[]): Promise<ReadonlyMap<string, string>> {
  const found = await readMany(store, 'threads', among(refs), { projection: { rev: 1 } })
  return new Map(found.map(({ _id, rev }) => [_id, rev]))
}

/** The id of the newest message of each stored thread, by thread id. */
export async function findLastMessageIds(
  store: Store,
  refs: readonly ThreadRef[],
): Promise<ReadonlyMap<string, string>> {
  const found = await readMany(store, 'threads', among(refs), { projection: { lastMessageId: 1 } })
  return new Map(found.map(({ _id, lastMessageId }) => [_id, lastMessageId]))
}

const among = (refs: readonly ThreadRef[]) => ({
  mailboxId: { $in: [...new Set(refs.map(({ mailboxId }) => mailboxId))] },
  _id: { $in: [...new Set(refs.map(({ threadId }) => threadId))] },
})

/** The fields of a thread that are derived from the flags and labels of its messages. */
export type ThreadFlags = Pick<ThreadDoc, 'unread' | 'flagged' | 'labels'>

/** Derives these fields from the messages that the thread shows. */
export function threadFlagsOf(shown: readonly Pick<MessageDoc, 'seen' | 'flagged' | 'labels'>[]): ThreadFlags {
  const labels = [...new Set(shown.flatMap(({ labels: own = [] }) => own))].sort()
  return {
    ...(labels.length > 0 && { labels }),
    unread: shown.some(({ seen }) => !seen),
    flagged: shown.some(({ flagged }) => flagged),
  }
}

const flagFields = { _id: 0, threadId: 1, folderId: 1, seen: 1, flagged: 1, labels: 1 } as const

/** The fields of a message from which the flags of a thread are derived. */
export type FlagsOfMessage = Pick<MessageDoc, Exclude<keyof typeof flagFields, '_id'>>

/** The flags of all messages of these threads of a mailbox, in no particular order; null when there are too many to read at once. */
export async function findFlagsInThreads(
  store: Store,
  { mailboxId, threadIds }: { readonly mailboxId: string; readonly threadIds: readonly string[] },
): Promise<readonly FlagsOfMessage[] | null> {
  const found = await readMany<'messages', FlagsOfMessage>(
    store,
    'messages',
    { mailboxId, threadId: { $in: [...threadIds] } },
    { projection: flagFields, limit: togetherMax },
  )
  return found.length < togetherMax ? found : null
}

/**
 * Writes the flags of threads, each only if its revision is still `from`, and gives each a new revision. Returns whether all were
 * written.
 */
export async function writeThreadFlags(
  store: Store,
  mailboxId: string,
  threads: readonly { readonly threadId: string; readonly from: string; readonly flags: ThreadFlags }[],
): Promise<boolean> {
  if (threads.length === 0) return true
  const { matchedCount } = await store.threads.bulkWrite(
    threads.map(({ threadId, from, flags }) => ({
      updateOne: { filter: { _id: threadId, mailboxId, rev: from }, update: flagsUpdate(flags) },
    })),
    { ordered: false },
  )
  return matchedCount === threads.length
}

function flagsUpdate({ labels = [], ...flags }: ThreadFlags): UpdateFilter<ThreadDoc> {
  return {
    $set: { ...flags, rev: newToken(), ...(labels.length > 0 && { labels }) },
    ...(labels.length === 0 && { $unset: { labels: '' as const } }),
  }
}

/** The write that updates a thread with the flags of a message. It matches only if the thread shows no other message. */
export function flagsInThread(
  store: Store,
  {
    _id,
    mailboxId,
    threadId,
    ...flags
  }: Pick<MessageDoc, '_id' | 'mailboxId' | 'threadId' | 'seen' | 'flagged' | 'labels'>,
): Write {
  const filter = { _id: threadId, mailboxId, messageCount: 1, lastMessageId: _id }
  return updateIn(store.threads, filter, flagsUpdate(threadFlagsOf([flags])), { mustMatch: true })
}

/** The newest messages of threads, in no particular order: all if one query can read them, else at most `threadMessagesMax` of each. */
export async function findThreadMessages(store: Store, refs: readonly ThreadRef[]): Promise<ThreadMessage[]> {
  const byMailbox = [...Map.groupBy(refs, ({ mailboxId }) => mailboxId)].map(([mailboxId, own]) => ({
    mailboxId,
    threadId: { $in: own.map(({ threadId }) => threadId) },
  }))
  if (refs.length > 1) {
    const filter = byMailbox.length === 1 ? byMailbox[0]! : { $or: byMailbox }
    const together = await readMany<'messages', ThreadMessage>(store, 'messages', filter, {
      projection: messageFields,
      limit: togetherMax,
    })
    if (together.length < togetherMax) return together
  }
  const each: ThreadMessage[] = []
  for (const { mailboxId, threadId } of refs)
    each.push(
      ...(await readMany<'messages', ThreadMessage>(
        store,
        'messages',
        { mailboxId, threadId },
        { projection: messageFields, sort: { _id: -1 }, limit: threadMessagesMax },
      )),
    )
  return each
}

/** Inserts those threads that are not stored yet. Returns their ids. */
export async function insertThreads(store: Store, threads: readonly ThreadDoc[]): Promise<ReadonlySet<string>> {
  const refused = await writeAll(
    { writeTogether: store.writeSoon },
    threads.map((thread) => insertInto(store.threads, thread)),
  )
  return new Set(threads.flatMap(({ _id }, n) => (refused.includes(n) ? [] : [_id])))
}

/**
 * Writes threads, each in place of the revision `from` (undefined: the thread was not stored). Returns the ids of those that
 * were not written because another process wrote them meanwhile; they have to be derived again.
 */
export async function writeThreads(
  store: Store,
  threads: readonly { readonly doc: ThreadDoc; readonly from: string | undefined }[],
): Promise<readonly string[]> {
  if (threads.length === 0) return []
  try {
    const { matchedCount, upsertedCount } = await store.threads.bulkWrite(
      threads.map(({ doc: { _id, ...doc }, from }) => ({
        replaceOne: {
          filter: { _id, mailboxId: doc.mailboxId, rev: from ?? { $exists: false } },
          replacement: doc,
          upsert: from === undefined,
        },
      })),
      { ordered: false },
    )
    if (matchedCount + upsertedCount === threads.length) return []
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
  const now = await findRevisions(
    store,
    threads.map(({ doc: { _id: threadId, mailboxId } }) => ({ threadId, mailboxId })),
  )
  return threads.flatMap(({ doc }) => (now.get(doc._id) === doc.rev ? [] : [doc._id]))
}

/** Conditions on threads, all of which must hold. `since` and `until` bound the time of the newest message. */
export type ThreadQuery = Omit<MessageFilter, 'threadId'> & { readonly mailboxId: string; readonly folderId?: string }

/** Threads sorted by their newest message, newest first, starting after the one whose newest message has the id `before`. */
export function listThreads(
  store: Store,
  query: ThreadQuery,
  { before, limit }: { before: string | null; limit: number },
): Promise<ThreadDoc[]> {
  return readMany(store, 'threads', filterOf(query, before), {
    hint: indexOf(query),
    sort: { lastMessageId: -1 },
    limit,
  })
}

export function findThread(store: Store, { mailboxId, threadId }: ThreadRef): Promise<ThreadDoc | null> {
  return readOne(store, 'threads', { _id: threadId, mailboxId, emptyAt: { $exists: false } })
}

/** The mailbox of a thread of any account; null when there is no such thread. */
export async function findThreadMailbox(store: Store, threadId: string): Promise<string | null> {
  const found = await readOne(store, 'threads', { _id: threadId }, { projection: { mailboxId: 1 } })
  return found?.mailboxId ?? null
}

/** The threads of a subject whose newest message is from `since` or later, newest first. */
export function findThreadsBySubject(
  store: Store,
  { mailboxId, subjectKey, since, limit }: { mailboxId: string; subjectKey: string; since: Date; limit: number },
): Promise<ThreadDoc[]> {
  return readMany(
    store,
    'threads',
    { mailboxId, subjectKey, lastMessageId: { $gte: idAt('msg', since) } },
    { sort: { lastMessageId: -1 }, limit },
  )
}

function filterOf(query: ThreadQuery, before: string | null): Filter<ThreadDoc> {
  const { mailboxId, folderId, label, unread, flagged, from, to, subject, hasAttachment, since, until } = query
  const below = [...(before === null ? [] : [before]), ...(until === undefined ? [] : [idAt('msg', until)])].sort()[0]
  const ids = { ...(since !== undefined && { $gte: idAt('msg', since) }), ...(below !== undefined && { $lt: below }) }
  return {
    mailboxId,
    // Threads that are only in Trash, Spam or Drafts are not live. They are shown when one of these folders is listed.
    ...(folderId === undefined ? { live: true } : { folderIds: folderId }),
    unread: unread ?? { $in: [false, true] },
    ...(label !== undefined && { labels: label }),
    ...(flagged !== undefined && { flagged }),
    ...(from !== undefined && { senders: from }),
    ...(to !== undefined && { recipients: to }),
    ...(subject !== undefined && { subject: containing(subject) }),
    ...(hasAttachment !== undefined && { hasAttachment }),
    ...(Object.keys(ids).length > 0 && { lastMessageId: ids }),
  }
}

/** The index with which the fewest non-matching threads are read. */
function indexOf({ folderId, label, from, flagged, hasAttachment }: ThreadQuery): string | { [field: string]: 1 } {
  if (label !== undefined) return { mailboxId: 1, labels: 1, lastMessageId: 1 }
  if (from !== undefined) return { mailboxId: 1, senders: 1, lastMessageId: 1 }
  if (folderId !== undefined) return { mailboxId: 1, folderIds: 1, lastMessageId: 1 }
  if (flagged === true) return 'flagged'
  return hasAttachment === true ? 'withAttachment' : 'live'
}
