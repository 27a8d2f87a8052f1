/**
 * Writes new messages in groups: all arrivals that wait while a group is being written form the next group. A group shares
 * one blob insert, one reservation per folder and one message insert, so it costs about the same for one message as for
 * twenty; under load a group waits a moment until it is as large as the one before it. Invariants: an arrival is reported as
 * stored only after its insert was acknowledged as on disk. The ids of messages are chosen before they are written, so a
 * repeated arrival finds the first one. A reservation is closed after the insert: together with the next group that reserves
 * in several folders, or after `closeAfterMs` at the latest.
 */
import { newToken } from '../schemas/ids.ts'
import { insertBlob } from './blobs.ts'
import type { BlobDoc, MessageDoc } from './documents/mail.ts'
import { closeReservations, type ReservationEnd, reserve, type UidClaim } from './folders.ts'
import { duplicatesIn, type Store } from './open.ts'

/** A message without the numbers that its folder assigns, and without labels, which are added later. */
export type NewMessage = Omit<MessageDoc, 'uid' | 'modseq' | 'labels'>

/**
 * One delivery: the chunks of the blob, and the messages (one per mailbox) that share it. `chunks` is empty when the blob is
 * written already.
 */
export type WriteArrival = { readonly chunks: readonly BlobDoc[]; readonly messages: readonly NewMessage[] }

/** The id under which a message is stored, and whether an earlier arrival stored it. */
export type ArrivalResult = { readonly id: string; readonly repeated: boolean }

export type ArrivalWriter = {
  /** Resolves when every message of the arrival is on disk. Rejects when they could not be written. */
  write(arrival: WriteArrival): Promise<readonly ArrivalResult[]>
  /** Resolves when no arrival waits any more and every reservation is closed. */
  flush(): Promise<void>
}

const groupMessagesMax = 200
const groupsInFlightMax = 2
/** A second group starts while the first is in flight only when at least this many arrivals wait. */
const secondGroupMin = 40
/** How long a group waits to become as large as the one before it. */
const gatherMs = 2
const closeAfterMs = 50

type Waiting = {
  readonly arrival: WriteArrival
  readonly resolve: (results: readonly ArrivalResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Creates the arrival writer of this process. `now` gives the time of reservations. */
export function createArrivalWriter(store: Store, now: () => Date): ArrivalWriter {
  const unclosed = createUnclosedReservations(store)
  const queue = createGroupQueue(async (group) => {
    const carried = inOneFolder(group) ? [] : unclosed.take()
    const arrivals = group.map(({ arrival }) => arrival)
    try {
      const { results, ends } = await writeGroup(store, arrivals, { at: now(), ends: carried })
      unclosed.add(ends)
      for (const [n, { resolve }] of group.entries()) resolve(results[n]!)
    } catch (error) {
      unclosed.add(carried)
      for (const { reject } of group) reject(error)
    } finally {
      unclosed.closeSoon()
    }
  })
  return {
    write: (arrival) => new Promise((resolve, reject) => queue.add({ arrival, resolve, reject })),
    async flush() {
      await queue.idle()
      await unclosed.closeNow()
    },
  }
}

type GroupQueue = {
  add(waiting: Waiting): void
  /** Resolves when nothing waits and no group is in flight. */
  idle(): Promise<void>
}

/** Creates a queue that passes what waits to `write` in groups. `write` must not reject. */
function createGroupQueue(write: (group: readonly Waiting[]) => Promise<void>): GroupQueue {
  const waiting: Waiting[] = []
  const idleListeners: (() => void)[] = []
  let inFlight = 0
  let lastLength = 0
  let gathering: NodeJS.Timeout | null = null

  function startOrGather(): void {
    if (inFlight === 0 && waiting.length > 0 && waiting.length < lastLength) gathering ??= setTimeout(start, gatherMs)
    else start()
  }

  function start(): void {
    if (gathering !== null) clearTimeout(gathering)
    gathering = null
    while (inFlight < groupsInFlightMax && waiting.length >= (inFlight === 0 ? 1 : secondGroupMin)) {
      const group = waiting.splice(0, groupLength(waiting))
      lastLength = group.length
      inFlight += 1
      void write(group).finally(() => {
        inFlight -= 1
        startOrGather()
      })
    }
    if (inFlight === 0 && waiting.length === 0) for (const resolve of idleListeners.splice(0)) resolve()
  }

  return {
    add(item) {
      waiting.push(item)
      // After this turn of the event loop, so that all arrivals of one turn go together.
      setImmediate(startOrGather)
    },
    async idle() {
      if (inFlight > 0 || waiting.length > 0) await new Promise<void>((resolve) => idleListeners.push(resolve))
    },
  }
}

/** Reservations whose messages are written and that are not closed yet. */
type UnclosedReservations = {
  add(ends: readonly ReservationEnd[]): void
  /** Removes and returns all; the caller closes them, or adds them again. */
  take(): ReservationEnd[]
  /** Closes all after `closeAfterMs`. Those that cannot be closed then are kept. */
  closeSoon(): void
  closeNow(): Promise<void>
}

function createUnclosedReservations(store: Store): UnclosedReservations {
  const unclosed: ReservationEnd[] = []
  let timer: NodeJS.Timeout | null = null
  return {
    add: (ends) => void unclosed.push(...ends),
    take: () => unclosed.splice(0),
    closeSoon() {
      timer ??= setTimeout(() => {
        timer = null
        const ends = unclosed.splice(0)
        closeReservations(store, ends).catch(() => unclosed.push(...ends))
      }, closeAfterMs)
    },
    async closeNow() {
      if (timer !== null) clearTimeout(timer)
      timer = null
      await closeReservations(store, unclosed.splice(0))
    },
  }
}

/** Whether a group reserves in a single folder. That takes one command; closing others with it would make it two. */
function inOneFolder(group: readonly Waiting[]): boolean {
  const first = group[0]?.arrival.messages[0]?.folderId
  return group.every(({ arrival }) => arrival.messages.every(({ folderId }) => folderId === first))
}

/** How many of the waiting arrivals form the next group: as many as stay within `groupMessagesMax`, and at least one. */
function groupLength(waiting: readonly Waiting[]): number {
  let length = 0
  let messages = 0
  for (const { arrival } of waiting) {
    messages += arrival.messages.length
    if (length > 0 && messages > groupMessagesMax) break
    length += 1
  }
  return length
}

/**
 * Writes a group and closes the reservations of `ends`. Returns the results by arrival, and the new reservations to close.
 */
async function writeGroup(
  store: Store,
  group: readonly WriteArrival[],
  { at, ends }: { at: Date; ends: readonly ReservationEnd[] },
): Promise<{ results: ArrivalResult[][]; ends: ReservationEnd[] }> {
  const messages = group.flatMap((arrival) => arrival.messages)
  const chunks = group.flatMap((arrival) => arrival.chunks)
  const token = newToken()
  const [reserved] = await Promise.all([
    reserve(store, claimsOf(messages), { token, at, ends }),
    insertBlob(store, chunks),
  ])
  const assigned = new Map<string, number>()
  const numbered = messages.map((message): MessageDoc => {
    const reservation = reserved.get(message.folderId)
    if (reservation === undefined) throw new Error(`Folder ${message.folderId} is gone.`)
    const nth = assigned.get(message.folderId) ?? 0
    assigned.set(message.folderId, nth + 1)
    return { ...message, uid: reservation.uid + nth, modseq: reservation.modseq }
  })
  const repeated = await insertMessages(store, numbered)
  const results = numbered.map(
    (message): ArrivalResult => ({ id: repeated.get(message) ?? message._id, repeated: repeated.has(message) }),
  )
  return {
    results: group.map((arrival) => results.splice(0, arrival.messages.length)),
    ends: endsOf(token, numbered, repeated),
  }
}

/** One claim for each folder, for all messages that go there. */
function claimsOf(messages: readonly NewMessage[]): UidClaim[] {
  const claims = new Map<string, UidClaim>()
  for (const { folderId, mailboxId, seen, sizeBytes } of messages) {
    const before = claims.get(folderId) ?? { folderId, mailboxId, uids: 0, total: 0, unread: 0, bytes: 0 }
    claims.set(folderId, {
      ...before,
      uids: before.uids + 1,
      total: before.total + 1,
      unread: before.unread + (seen ? 0 : 1),
      bytes: before.bytes + sizeBytes,
    })
  }
  return [...claims.values()]
}

/** The ends of a group's reservations; repeated messages were counted but not written. */
function endsOf(
  token: string,
  messages: readonly MessageDoc[],
  repeated: ReadonlyMap<MessageDoc, string>,
): ReservationEnd[] {
  const folders = new Map<string, MessageDoc[]>()
  for (const message of messages) {
    const unwritten = folders.get(message.folderId) ?? []
    if (repeated.has(message)) unwritten.push(message)
    folders.set(message.folderId, unwritten)
  }
  return [...folders].map(([folderId, unwritten]) => {
    if (unwritten.length === 0) return { folderId, token }
    const [claim] = claimsOf(unwritten)
    return { folderId, token, overcounted: { total: claim!.total, unread: claim!.unread, bytes: claim!.bytes } }
  })
}

/**
 * Inserts those messages that are not stored yet. Returns, for each of the others, the id of the stored message. The map is by
 * document and not by id: when a send is settled twice at once, one group may hold the same Sent copy twice, and only one of
 * the two is a repeat.
 */
async function insertMessages(store: Store, messages: readonly MessageDoc[]): Promise<Map<MessageDoc, string>> {
  const repeated = new Map<MessageDoc, string>()
  try {
    await store.messages.insertMany([...messages], { ordered: false })
  } catch (error) {
    for (const index of duplicatesIn(error)) {
      const message = messages[index]!
      repeated.set(message, await findOriginal(store, message))
    }
  }
  return repeated
}

/** The id of the stored message that made `message` a duplicate: it has the same id, or the same bytes and sender. */
async function findOriginal(store: Store, message: MessageDoc): Promise<string> {
  const { _id, mailboxId, fingerprint } = message
  const sameId = await store.messages.findOne({ mailboxId, _id }, { projection: { _id: 1 } })
  if (sameId !== null) return sameId._id
  const sameBytes =
    fingerprint === undefined
      ? null
      : await store.messages.findOne({ mailboxId, fingerprint }, { projection: { _id: 1 } })
  if (sameBytes === null) throw new Error(`Message ${_id} was refused as a duplicate, but no original exists.`)
  return sameBytes._id
}
