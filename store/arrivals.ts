/**
 * Writes new messages in groups: all arrivals that wait while a group is being written form the next group. Where this process knows
 * the next UID of a folder, the reservation, the blobs, the messages and the end of the reservation are one list of writes, and all
 * lists of a group share a command. The other arrivals of a group share one blob insert and one reservation per folder; then the
 * messages of each folder are a list. So a group costs about the same for one message as for twenty. Under load a group waits a moment
 * until it is as large as the previous one.
 *
 * Invariants: An arrival is reported as stored only after its insert was acknowledged as on disk, which comes after its blob and its
 * reservation. The ids of messages are chosen before they are written, so a repeated arrival finds the first one. No message is
 * inserted under a void reservation: each list begins with a write that is then refused, so a process that was suspended in between
 * does no harm when it resumes. A reservation is closed in the list that holds its messages.
 */
import { newToken } from '../schemas/ids.ts'
import { insertBlob } from './blobs.ts'
import { settled } from './connection.ts'
import type { BlobDoc, MessageDoc } from './documents/mail.ts'
import {
  closing,
  holding,
  type Numbers,
  type ReservationEnd,
  reserve,
  reservingExactly,
  type UidClaim,
} from './folders.ts'
import type { KnownUids } from './known-uids.ts'
import type { Store } from './open.ts'
import { readOne } from './reads.ts'
import { insertInto, type Write } from './writes.ts'

/** A message without the numbers that its folder assigns, and without labels, which are added later. */
export type NewMessage = Omit<MessageDoc, 'uid' | 'modseq' | 'labels'>

/**
 * One delivery: the chunks of the blob, and the messages (one per mailbox) that share it. `chunks` is empty when the blob is
 * written already.
 */
export type WriteArrival = { readonly chunks: readonly BlobDoc[]; readonly messages: readonly NewMessage[] }

/** The outcome for one message: the id under which it is stored, and whether an earlier arrival stored it. */
export type ArrivalResult = {
  readonly id: string
  readonly repeated: boolean
  /** The UID that it received; for a repeat, the UID that was reserved but not used. */
  readonly uid: number
  /** The modseq with which it was written. */
  readonly modseq: number
}

export type ArrivalWriter = {
  /** Resolves once every message of the arrival is on disk. Rejects if they could not be written. */
  write(arrival: WriteArrival): Promise<readonly ArrivalResult[]>
  /** Resolves once no arrival is waiting or being written. */
  flush(): Promise<void>
}

const groupMessagesMax = 200
const groupsInFlightMax = 2
/** A second group starts while the first is in flight only when at least this many arrivals wait. */
const secondGroupMin = 40
/** How long a group waits to become as large as the one before it. */
const gatherMs = 2
/** More arrivals than this for one folder, or a larger blob than `smallBlobBytes`, are written faster by commands of their own. */
const listArrivalsMax = 8
const smallBlobBytes = 64 * 1024

type Waiting = {
  readonly arrival: WriteArrival
  readonly resolve: (results: readonly ArrivalResult[]) => void
  readonly reject: (error: unknown) => void
}

/** Creates the arrival writer of this process. `now` gives the time of reservations. */
export function createArrivalWriter(store: Store, now: () => Date): ArrivalWriter {
  const known = store.uids

  /** Writes arrivals after reserving numbers in their folders. */
  async function writeAsked(group: readonly Waiting[]): Promise<void> {
    if (group.length === 0) return
    const arrivals = group.map(({ arrival }) => arrival)
    try {
      const results = await writeGroup(store, arrivals, { at: now(), known })
      for (const [n, { resolve }] of group.entries()) resolve(results[n]!)
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
  }

  /** Writes arrivals for one folder with the UIDs that this process knows. Returns those that have to reserve their numbers first. */
  async function writeKnown(group: readonly Waiting[]): Promise<readonly Waiting[]> {
    const arrivals = group.map(({ arrival }) => arrival)
    try {
      const results = await writeFolder(store, arrivals, { at: now(), known })
      if (results === null) return group
      for (const [n, { resolve }] of group.entries()) resolve([results[n]!])
    } catch (error) {
      for (const { reject } of group) reject(error)
    }
    return []
  }

  const queue = createGroupQueue(async (group) => {
    const byFolder = [...Map.groupBy(group, ({ arrival }) => onlyFolderOf(arrival))]
    const isKnown = ([folderId, { length }]: (typeof byFolder)[number]) =>
      folderId !== null && length <= listArrivalsMax && known.has(folderId)
    const parts = Map.groupBy(byFolder, isKnown)
    const [single = [], others = []] = [parts.get(true), parts.get(false)]
    const refused = Promise.all(single.map(([, own]) => writeKnown(own)))
    await Promise.all([
      writeAsked(others.flatMap(([, own]) => own)),
      refused.then((groups) => writeAsked(groups.flat())),
    ])
  })
  return {
    write: (arrival) => new Promise((resolve, reject) => queue.add({ arrival, resolve, reject })),
    flush: queue.idle,
  }
}

/** The folder of an arrival that has a single message and a small blob or none; null for any other. */
function onlyFolderOf({ chunks, messages: [first, ...others] }: WriteArrival): string | null {
  const bytes = chunks.reduce((sum, { data }) => sum + data.length(), 0)
  return first === undefined || others.length > 0 || bytes > smallBlobBytes ? null : first.folderId
}

type GroupQueue = {
  add(waiting: Waiting): void
  /** Resolves when nothing waits and no group is in flight. */
  idle(): Promise<void>
}

/** Creates a queue that passes the waiting arrivals to `write` in groups. `write` must not reject. */
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
      // Deferred to the end of this turn of the event loop, so that all arrivals of one turn form a group.
      setImmediate(startOrGather)
    },
    async idle() {
      if (inFlight > 0 || waiting.length > 0) await new Promise<void>((resolve) => idleListeners.push(resolve))
    },
  }
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
 * Writes arrivals of one message each, all for one folder, with the UIDs that the folder is known to assign next. Returns null,
 * having written nothing, when these UIDs are not known or another writer has taken them.
 */
async function writeFolder(
  store: Store,
  group: readonly WriteArrival[],
  { at, known }: { at: Date; known: KnownUids },
): Promise<readonly ArrivalResult[] | null> {
  const messages = group.flatMap((arrival) => arrival.messages)
  const [claim] = claimsOf(messages)
  const uid = known.take(claim!.folderId, messages.length)
  if (uid === undefined) return null
  const numbers = { uid, modseq: store.nextModseq(at) }
  const token = newToken()
  const numbered = messages.map((message, n) => numberedBy(message, numbers, n))
  const blobs = group.flatMap(({ chunks }) =>
    chunks.map((chunk) => insertInto(store.blobs, chunk, chunk.data.length())),
  )
  try {
    const first = reservingExactly(store, claim!, numbers, { token, at })
    const refused = await writeInFolder(store, first, { claim: claim!, token, blobs, messages: numbered })
    if (refused === null) {
      known.forget(claim!.folderId, at)
      return null
    }
    const repeated = await originalsOf(store, refused)
    return numbered.map((message) => resultOf(message, repeated))
  } catch (error) {
    known.forget(claim!.folderId, at)
    throw error
  }
}

/**
 * Writes messages of one folder and closes their reservation. The write `first` takes the reservation or checks that it still holds;
 * if it is refused, nothing else is written. Returns the messages that were already stored; null when the reservation does not hold.
 */
async function writeInFolder(
  store: Store,
  first: Write,
  {
    claim,
    token,
    blobs = [],
    messages,
  }: {
    readonly claim: UidClaim
    readonly token: string
    readonly blobs?: readonly Write[]
    readonly messages: readonly MessageDoc[]
  },
): Promise<readonly MessageDoc[] | null> {
  const refused: MessageDoc[] = []
  const inserts = [...blobs, ...messages.map((message) => insertInto(store.messages, message))]
  let head = first
  for (let from = 0; ; ) {
    const end = closing(store, endOf(token, claim, refused))
    const index = await store.writeTogether([head, ...inserts.slice(from), end])
    if (index === null) return refused
    if (index === 0) return null
    from += index
    // A refused blob was already written by an earlier try.
    const message = messages[from - 1 - blobs.length]
    if (message !== undefined) refused.push(message)
    head = holding(store, claim, token)
  }
}

/** Writes a group. Returns the results by arrival. Rejects if a reservation became void meanwhile. */
async function writeGroup(
  store: Store,
  group: readonly WriteArrival[],
  { at, known }: { at: Date; known: KnownUids },
): Promise<ArrivalResult[][]> {
  const messages = group.flatMap((arrival) => arrival.messages)
  const chunks = group.flatMap((arrival) => arrival.chunks)
  const claims = claimsOf(messages)
  const token = newToken()
  const [reserved] = await Promise.all([reserve(store, claims, { token, at }), insertBlob(store, chunks)])
  const assigned = new Map<string, number>()
  const numbered = messages.map((message): MessageDoc => {
    const reservation = reserved.get(message.folderId)
    if (reservation === undefined) throw new Error(`Folder ${message.folderId} is gone.`)
    const nth = assigned.get(message.folderId) ?? 0
    assigned.set(message.folderId, nth + 1)
    return numberedBy(message, reservation, nth)
  })
  for (const { folderId, uid } of reserved.values()) known.learn(folderId, uid + assigned.get(folderId)!, at)
  const refused = await Promise.all(
    claims.map(async (claim) => {
      const own = numbered.filter(({ folderId }) => folderId === claim.folderId)
      const found = await writeInFolder(store, holding(store, claim, token), { claim, token, messages: own })
      if (found === null) throw new Error(`The reservation in folder ${claim.folderId} ended before it was used.`)
      return found
    }),
  )
  const repeated = await originalsOf(store, refused.flat())
  const results = numbered.map((message) => resultOf(message, repeated))
  return group.map((arrival) => results.splice(0, arrival.messages.length))
}

/** One claim per folder, for all messages that go there. */
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

/** The end of a reservation in a folder. `unwritten` are messages that the reservation counted but that were not written. */
function endOf(
  token: string,
  { folderId, mailboxId }: Pick<ReservationEnd, 'folderId' | 'mailboxId'>,
  unwritten: readonly MessageDoc[],
): ReservationEnd {
  if (unwritten.length === 0) return { folderId, mailboxId, token }
  const [claim] = claimsOf(unwritten)
  return {
    folderId,
    mailboxId,
    token,
    overcounted: { total: claim!.total, unread: claim!.unread, bytes: claim!.bytes },
  }
}

function numberedBy(message: NewMessage, { uid, modseq }: Numbers, nth: number): MessageDoc {
  return { ...message, uid: uid + nth, modseq }
}

function resultOf(message: MessageDoc, repeated: ReadonlyMap<MessageDoc, string>): ArrivalResult {
  return {
    id: repeated.get(message) ?? message._id,
    repeated: repeated.has(message),
    uid: message.uid,
    modseq: message.modseq,
  }
}

/**
 * The ids of the stored messages of which these are duplicates. The map is keyed by document rather than by id: when a send is settled
 * twice at once, one group may hold the same Sent copy twice, and only one of the two is a repeat.
 */
async function originalsOf(store: Store, refused: readonly MessageDoc[]): Promise<Map<MessageDoc, string>> {
  const originals = new Map<MessageDoc, string>()
  for (const message of refused) originals.set(message, await findOriginal(store, message))
  return originals
}

/**
 * The id of the stored message of which `message` is a duplicate: it has the same id, the same bytes and sender, or was imported from
 * the same place.
 */
async function findOriginal(store: Store, message: MessageDoc): Promise<string> {
  const { _id, mailboxId, fingerprint, importedFrom } = message
  const alike = [
    { _id },
    ...(fingerprint === undefined ? [] : [{ fingerprint }]),
    ...(importedFrom === undefined ? [] : [{ importedFrom }]),
  ]
  for (const same of alike) {
    const found = await readOne(store, 'messages', { mailboxId, ...same }, { projection: { _id: 1 }, ...settled })
    if (found !== null) return found._id
  }
  throw new Error(`Message ${_id} was refused as a duplicate, but no original exists.`)
}
