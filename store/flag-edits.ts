/**
 * Flags and labels of many messages of a folder, changed by one command: the reservation, all messages and the change notes go
 * together. The invariants are those of store/message-edits.ts, but for one: a message is changed if what the edit changes of it
 * still is as it was read, whatever else has changed. So the counters move by what was really there here too.
 */
import type { Filter } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import type { FolderCounts, MessageDoc } from './documents/mail.ts'
import {
  closeReservations,
  closing,
  holding,
  type ReservationEnd,
  reservationIn,
  reserve,
  type UidClaim,
} from './folders.ts'
import {
  changeHere,
  type EditableMessage,
  isOfThreads,
  type MessageEdit,
  sumOf,
  threadsOf,
  updateOf,
} from './message-edits.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { updateAllIn, type Write } from './writes.ts'

/** The most messages of one command: all other writes wait while it is carried out. */
export const flagEditsMax = 500

type FlagEdit = Omit<MessageEdit, 'to'>

/** Messages that change in the same way, of which that is alike that changes. */
export type FlagGroup = { readonly messages: readonly EditableMessage[]; readonly edit: FlagEdit }

export type FlagChanges = {
  readonly mailboxId: string
  readonly folderId: string
  readonly groups: readonly FlagGroup[]
  readonly at: Date
  /** Told with the change. */
  readonly notes: readonly Write[]
  /** Messages with a higher modseq are left as they are. */
  readonly unchangedSince?: number | undefined
}

export type ChangedFlags = {
  /** UIDs of messages that were not changed, because they are gone or not as they were read. */
  readonly missed: readonly number[]
  /** Conversations to derive, after which the reservation is to be closed. */
  readonly threadIds: readonly string[]
  readonly ends: readonly ReservationEnd[]
}

/** Changes messages; each is in one group at most. All are missed when the folder gives no reservation. */
export async function editFlags(store: Store, change: FlagChanges): Promise<ChangedFlags> {
  const { mailboxId, folderId, groups, at, notes } = change
  const messages = groups.flatMap((group) => group.messages)
  const threadIds = threadsOf(groups.flatMap((group) => (isOfThreads(group.edit) ? group.messages : [])))
  const counts = sumOf(groups.map(({ messages: own, edit }) => changeHere(folderId, own, edit)))
  const claim = {
    folderId,
    mailboxId,
    uids: 0,
    ...counts,
    changedUids: messages.map(({ uid }) => uid),
    threads: threadIds,
  }
  const end: ReservationEnd = { folderId, mailboxId, token: newToken() }
  const isDone = threadIds.length === 0 && isNothing(counts)
  const writesWith = (modseq: number) => [
    ...groups.map((group) => editing(store, change, group, modseq)),
    ...notes,
    ...(isDone ? [closing(store, end)] : []),
  ]
  const made = await writeReserved(store, claim, { token: end.token, at, writesWith })
  if (made === null) return { missed: messages.map(({ uid }) => uid), threadIds: [], ends: [] }
  const matched = groups.map((_, n) => made.counts[n + 1] ?? 0)
  const short = groups.filter((group, n) => matched[n] !== group.messages.length)
  if (short.length === 0) return { missed: [], threadIds, ends: isDone ? [] : [end] }
  const overcounted = sumOf(
    groups.map((group, n) => changeOfEach(folderId, group, group.messages.length - matched[n]!)),
  )
  const missed = await missedIn(store, change, { groups: short, modseq: made.modseq })
  return { missed, threadIds, ends: isDone ? [] : [{ ...end, overcounted }] }
}

const isNothing = ({ total, unread, bytes, labels = {} }: FolderCounts) =>
  total === 0 && unread === 0 && bytes === 0 && Object.keys(labels).length === 0

/** What the counters of the folder change by for so many messages of a group, which are all alike in that. */
const changeOfEach = (folderId: string, { messages, edit }: FlagGroup, count: number): FolderCounts =>
  changeHere(folderId, messages.slice(0, count), edit)

type Reserved = { readonly modseq: number; readonly counts: readonly number[] }

/** Takes the reservation and makes the writes, in one command where the folder takes a number from us; null: it gives none. */
async function writeReserved(
  store: Store,
  claim: UidClaim,
  { token, at, writesWith }: { token: string; at: Date; writesWith: (modseq: number) => readonly Write[] },
): Promise<Reserved | null> {
  const modseq = store.nextModseq(at)
  const counts = await store.writeCounted([reservationIn(store, claim, { token, at, modseq }), ...writesWith(modseq)])
  if (counts !== null) return { modseq, counts }
  // Another machine's clock is ahead, or changes of the folder have to wait: the folder says which.
  const asked = (await reserve(store, [claim], { token, at })).get(claim.folderId)
  if (asked === undefined) return null
  const held = await store.writeCounted([holding(store, claim, token), ...writesWith(asked.modseq)])
  if (held !== null) return { modseq: asked.modseq, counts: held }
  await closeReservations(store, [{ ...claim, token, overcounted: claim }])
  return null
}

function editing(store: Store, change: FlagChanges, { messages, edit }: FlagGroup, modseq: number): Write {
  const { mailboxId, folderId, unchangedSince } = change
  const [first] = messages as [EditableMessage]
  const filter: Filter<MessageDoc> = {
    mailboxId,
    folderId,
    uid: among(messages.map(({ uid }) => uid)),
    ...(unchangedSince !== undefined && { modseq: { $lte: unchangedSince } }),
    ...asRead(first, edit),
  }
  return updateAllIn(store.messages, filter, updateOf(edit, modseq, first.uid))
}

/** One range where no UID lies between those that are meant: it is read faster than each by itself. */
function among(uids: readonly number[]): Filter<MessageDoc>['uid'] {
  const [first, last] = [Math.min(...uids), Math.max(...uids)]
  return last - first + 1 === uids.length ? { $gte: first, $lte: last } : { $in: [...uids] }
}

/** The messages with these UIDs and those between. */
export type UidRange = { readonly first: number; readonly last: number }

/** Flags of which neither the counters of a folder nor conversations know, and for which nobody waits. */
export type QuietFlags = Pick<FlagEdit, 'answered' | 'deleted' | 'draft'>

/**
 * Gives flags to the messages of a folder in some ranges of UIDs, of which the caller knows that there are `count`, because it
 * knows all that was written to the folder up to the modseq `known`; so nothing has to be read. Returns the modseq that they have
 * got. Null when something was written since, or the folder gives no reservation: then nothing was changed; or when there were not
 * so many.
 */
export async function setKnownFlags(
  store: Store,
  change: Pick<FlagChanges, 'mailboxId' | 'folderId' | 'at'> & {
    readonly ranges: readonly UidRange[]
    readonly count: number
    readonly flags: QuietFlags
    readonly known: number
    /** Told with the change. */
    readonly note: Write
  },
): Promise<number | null> {
  const { mailboxId, folderId, ranges, count, flags, known, at, note } = change
  const [modseq, token] = [store.nextModseq(at), newToken()]
  const changedUids = ranges.flatMap(({ first, last }) => Array.from({ length: last - first + 1 }, (_, n) => first + n))
  const claim: UidClaim = { folderId, mailboxId, uids: 0, total: 0, unread: 0, bytes: 0, changedUids }
  const counts = await store.writeCounted([
    reservationIn(store, claim, { token, at, modseq, known }),
    ...ranges.map(({ first, last }) =>
      updateAllIn(
        store.messages,
        // Whoever took a higher number meanwhile may have written before us: what is told to have ours must not hide that.
        { mailboxId, folderId, uid: { $gte: first, $lte: last }, modseq: { $lt: modseq } },
        { $set: { ...flags, modseq } },
      ),
    ),
    note,
    closing(store, { folderId, mailboxId, token }),
  ])
  if (counts === null) return null
  return counts.slice(1, 1 + ranges.length).reduce((sum, n) => sum + n, 0) === count ? modseq : null
}

/** What the edit changes of a message, as it was read. A flag that is not set may be absent, and so are labels. */
function asRead(message: EditableMessage, { labels, ...flags }: FlagEdit): Filter<MessageDoc> {
  const names = Object.keys(flags) as (keyof typeof flags)[]
  const before = message.labels ?? []
  return {
    ...Object.fromEntries(names.map((name) => [name, message[name] === true ? true : { $ne: true }])),
    ...(labels !== undefined && (before.length === 0 ? { 'labels.0': { $exists: false } } : { labels: [...before] })),
  }
}

/** Those of groups that have not got the modseq of the change. */
async function missedIn(
  store: Store,
  { mailboxId, folderId }: FlagChanges,
  { groups, modseq }: { readonly groups: readonly FlagGroup[]; readonly modseq: number },
): Promise<readonly number[]> {
  const uids = groups.flatMap(({ messages }) => messages.map(({ uid }) => uid))
  const found = await readMany(
    store,
    'messages',
    { mailboxId, folderId, modseq, uid: { $in: uids } },
    { projection: { uid: 1 } },
  )
  const changed = new Set(found.map(({ uid }) => uid))
  return uids.filter((uid) => !changed.has(uid))
}
