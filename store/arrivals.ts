/**
 * Writes arriving messages in groups: all that wait while a group is being written form the next one, and share one blob
 * insert, one reservation per folder and one message insert. A group costs about the same for one message as for twenty, so
 * under load one waits a moment to become as large as the one before it. Invariants: a message is reported only after its
 * insert was acknowledged as on disk; a group is written by ids chosen before, so a repeat of an arrival finds the first
 * one; the reservation is closed after the insert: with the next group that reserves in several folders, at the latest
 * after `closeAfterMs`.
 */
import { newToken } from '../schemas/ids.ts'
import { insertBlob } from './blobs.ts'
import type { BlobDoc, MessageDoc } from './documents/mail.ts'
import { closeReservations, type ReservationEnd, reserve, type UidClaim } from './folders.ts'
import { duplicatesIn, type Store } from './open.ts'

/** A message that is complete but for the numbers its folder gives, and without labels: those are given later. */
export type NewMessage = Omit<MessageDoc, 'uid' | 'modseq' | 'labels'>

/** One delivery: the blob and the messages (one per mailbox) that share it. An empty `chunks`: the blob is there already. */
export type WriteArrival = { readonly chunks: readonly BlobDoc[]; readonly messages: readonly NewMessage[] }

/** What became of one message: the id it has, and whether it was there before. */
export type ArrivalResult = { readonly id: string; readonly repeated: boolean }

export type ArrivalWriter = {
  /** Resolves when every message of the arrival is on disk. Rejects when that could not be had. */
  write(arrival: WriteArrival): Promise<readonly ArrivalResult[]>
  /** Resolves when nothing waits any more and every reservation is closed. */
  flush(): Promise<void>
}

const groupMessagesMax = 200
const groupsInFlightMax = 2
/** With fewer waiting than this, they wait for the group in flight. */
const secondGroupMin = 40
/** How long a group waits to become as large as the one before it. */
const gatherMs = 2
const closeAfterMs = 50

type Waiting = {
  readonly arrival: WriteArrival
  readonly resolve: (stored: readonly ArrivalResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Makes the writer of this process. `now` gives the time of reservations. */
export function createArrivalWriter(store: Store, now: () => Date): ArrivalWriter {
  const waiting: Waiting[] = []
  let inFlight = 0
  let closing: ReservationEnd[] = []
  let timer: NodeJS.Timeout | null = null
  let gathering: NodeJS.Timeout | null = null
  let lastLength = 0
  const idle: (() => void)[] = []

  function pump(): void {
    if (inFlight === 0 && waiting.length > 0 && waiting.length < lastLength) {
      gathering ??= setTimeout(launch, gatherMs)
      return
    }
    launch()
  }

  function launch(): void {
    if (gathering !== null) clearTimeout(gathering)
    gathering = null
    while (inFlight < groupsInFlightMax && waiting.length >= (inFlight === 0 ? 1 : secondGroupMin)) {
      const group = waiting.splice(0, groupLength(waiting))
      lastLength = group.length
      inFlight += 1
      void run(group)
    }
    if (inFlight === 0 && waiting.length === 0) for (const resolve of idle.splice(0)) resolve()
  }

  async function run(group: readonly Waiting[]): Promise<void> {
    const carried = inOneFolder(group) ? [] : closing
    if (carried.length > 0) closing = []
    try {
      const results = await writeGroup(
        store,
        group.map(({ arrival }) => arrival),
        { at: now(), closing: carried },
      )
      closing.push(...results.closing)
      group.forEach(({ resolve }, n) => {
        resolve(results.stored[n]!)
      })
    } catch (error) {
      closing.push(...carried)
      for (const { reject } of group) reject(error)
    } finally {
      inFlight -= 1
      timer ??= setTimeout(closeLater, closeAfterMs)
      pump()
    }
  }

  function closeLater(): void {
    timer = null
    const due = closing
    closing = []
    closeReservations(store, due).catch(() => closing.push(...due))
  }

  return {
    write: (arrival) =>
      new Promise((resolve, reject) => {
        waiting.push({ arrival, resolve, reject })
        // What arrives in the same turn of the loop goes together.
        setImmediate(pump)
      }),
    async flush() {
      if (inFlight > 0 || waiting.length > 0) await new Promise<void>((resolve) => idle.push(resolve))
      if (timer !== null) clearTimeout(timer)
      timer = null
      const due = closing.splice(0)
      await closeReservations(store, due)
    },
  }
}

/** Whether a group reserves in a single folder: that is one command, which closings would make two. */
function inOneFolder(group: readonly Waiting[]): boolean {
  const first = group[0]?.arrival.messages[0]?.folderId
  return group.every(({ arrival }) => arrival.messages.every(({ folderId }) => folderId === first))
}

/** How many of those that wait go together: as many as stay within the bound, and at least one. */
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

async function writeGroup(
  store: Store,
  group: readonly WriteArrival[],
  { at, closing }: { at: Date; closing: readonly ReservationEnd[] },
): Promise<{ stored: ArrivalResult[][]; closing: ReservationEnd[] }> {
  const messages = group.flatMap((arrival) => arrival.messages)
  const chunks = group.flatMap((arrival) => arrival.chunks)
  const token = newToken()
  const [taken] = await Promise.all([
    reserve(store, claimsOf(messages), { token, at, closing }),
    insertBlob(store, chunks),
  ])
  const given = new Map<string, number>()
  const numbered = messages.map((message): MessageDoc => {
    const reservation = taken.get(message.folderId)
    if (reservation === undefined) throw new Error(`Folder ${message.folderId} is gone.`)
    const nth = given.get(message.folderId) ?? 0
    given.set(message.folderId, nth + 1)
    return { ...message, uid: reservation.uid + nth, modseq: reservation.modseq }
  })
  const repeated = await insertMessages(store, numbered)
  const stored = numbered.map(
    (message): ArrivalResult => ({ id: repeated.get(message) ?? message._id, repeated: repeated.has(message) }),
  )
  return {
    stored: group.map((arrival) => stored.splice(0, arrival.messages.length)),
    closing: closingsOf(token, numbered, repeated),
  }
}

/** One claim per folder, however many of the messages go there. */
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

function closingsOf(
  token: string,
  messages: readonly MessageDoc[],
  repeated: ReadonlyMap<MessageDoc, string>,
): ReservationEnd[] {
  const folders = new Map<string, MessageDoc[]>()
  for (const message of messages) {
    const over = folders.get(message.folderId) ?? []
    if (repeated.has(message)) over.push(message)
    folders.set(message.folderId, over)
  }
  return [...folders].map(([folderId, over]) => {
    if (over.length === 0) return { folderId, token }
    const [claim] = claimsOf(over)
    return { folderId, token, overcounted: { total: claim!.total, unread: claim!.unread, bytes: claim!.bytes } }
  })
}

/**
 * Inserts what is not there. Returns, for those that were, the id of what is there. By document and not by id: two settlings
 * of one send may bring the same Sent copy twice in one group, and only one of them is a repeat.
 */
async function insertMessages(store: Store, messages: readonly MessageDoc[]): Promise<Map<MessageDoc, string>> {
  const repeated = new Map<MessageDoc, string>()
  try {
    await store.messages.insertMany([...messages], { ordered: false })
  } catch (error) {
    for (const index of duplicatesIn(error)) {
      const message = messages[index]!
      repeated.set(message, await firstOf(store, message))
    }
  }
  return repeated
}

/** The message that stands in the way of `message`: the same id, or the same bytes from the same sender. */
async function firstOf(store: Store, message: MessageDoc): Promise<string> {
  const { _id, mailboxId, fingerprint } = message
  const first = await store.messages.findOne({ mailboxId, _id }, { projection: { _id: 1 } })
  if (first !== null) return first._id
  const same =
    fingerprint === undefined
      ? null
      : await store.messages.findOne({ mailboxId, fingerprint }, { projection: { _id: 1 } })
  if (same === null) throw new Error(`Message ${_id} was refused as a duplicate of none.`)
  return same._id
}
