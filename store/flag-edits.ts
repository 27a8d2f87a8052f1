/**
 * Changes flags and labels of many messages of a folder in one command, together with the reservation and the change notes. The
 * invariants are those of store/message-edits.ts with one exception: a message is changed if the fields that the edit changes are still
 * as they were read, whatever else has changed. So here too the counters change by what was really there.
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

/** The most messages in one command, because all other writes wait while it is executed. */
export const flagEditsMax = 500

type FlagEdit = Omit<MessageEdit, 'to'>

/** Messages that get the same edit and have equal values in the fields that it changes. */
export type FlagGroup = { readonly messages: readonly EditableMessage[]; readonly edit: FlagEdit }

export type FlagChanges = {
  readonly mailboxId: string
  readonly folderId: string
  readonly groups: readonly FlagGroup[]
  readonly at: Date
  /** The change notes, written with the change. */
  readonly notes: readonly Write[]
  /** Messages with a higher modseq stay unchanged. */
  readonly unchangedSince?: number | undefined
}

export type ChangedFlags = {
  /** UIDs of messages that were not changed, because they are gone or differ from what was read. */
  readonly missed: readonly number[]
  /** Threads to derive before the reservations `ends` are closed. */
  readonly threadIds: readonly string[]
  readonly ends: readonly ReservationEnd[]
}

/** Changes messages; each may be in one group only. All are missed when the folder gives no reservation. */
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

/** The change of the folder's counters for `count` messages of a group, which all change them alike. */
const changeOfEach = (folderId: string, { messages, edit }: FlagGroup, count: number): FolderCounts =>
  changeHere(folderId, messages.slice(0, count), edit)

type Reserved = { readonly modseq: number; readonly counts: readonly number[] }

/** Takes the reservation and makes the writes, in one command if the folder accepts our modseq. Returns null if it gives no reservation. */
async function writeReserved(
  store: Store,
  claim: UidClaim,
  { token, at, writesWith }: { token: string; at: Date; writesWith: (modseq: number) => readonly Write[] },
): Promise<Reserved | null> {
  const modseq = store.nextModseq(at)
  const counts = await store.writeCounted([reservationIn(store, claim, { token, at, modseq }), ...writesWith(modseq)])
  if (counts !== null) return { modseq, counts }
  // Either the folder has a higher modseq, from a machine whose clock is ahead, or a recount makes changes wait: `reserve` shows which.
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

/** A condition on UIDs: a range if they are consecutive, because a range is read faster than single UIDs. */
function among(uids: readonly number[]): Filter<MessageDoc>['uid'] {
  const [first, last] = [Math.min(...uids), Math.max(...uids)]
  return last - first + 1 === uids.length ? { $gte: first, $lte: last } : { $in: [...uids] }
}

/** The UIDs from `first` to `last` (inclusive). */
export type UidRange = { readonly first: number; readonly last: number }

/** Flags that appear neither in the counters of a folder nor in threads, and that no waiting reader depends on. */
export type QuietFlags = Pick<FlagEdit, 'answered' | 'deleted' | 'draft'>

/**
 * Sets flags on the messages of a folder in ranges of UIDs, without reading anything: the caller knows that the ranges contain `count`
 * messages, because it knows every change of the folder up to the modseq `known`. Returns the new modseq of the messages. Returns null,
 * having changed nothing, when something was written since or the folder gives no reservation; also null when fewer than `count`
 * were changed.
 */
export async function setKnownFlags(
  store: Store,
  change: Pick<FlagChanges, 'mailboxId' | 'folderId' | 'at'> & {
    readonly ranges: readonly UidRange[]
    readonly count: number
    readonly flags: QuietFlags
    readonly known: number
    /** The change note, written with the change. */
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
        // Another writer may have taken a higher modseq meanwhile and written first: our lower one must not replace it.
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

/** The condition that the fields that the edit changes are as they were read. A flag that is not set, and labels, may be absent. */
function asRead(message: EditableMessage, { labels, ...flags }: FlagEdit): Filter<MessageDoc> {
  const names = Object.keys(flags) as (keyof typeof flags)[]
  const before = message.labels ?? []
  return {
    ...Object.fromEntries(names.map((name) => [name, message[name] === true ? true : { $ne: true }])),
    ...(labels !== undefined && (before.length === 0 ? { 'labels.0': { $exists: false } } : { labels: [...before] })),
  }
}

/** The UIDs of messages in the groups that do not have the modseq of the change. */
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
