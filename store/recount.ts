/**
 * Counts a folder anew, exactly, while it is written to. The recount looks for the error of the counters, which stays the same
 * while writers add to them. It reads the messages in the order of their UIDs and keeps them as rows. Reservations taken
 * meanwhile list in `touched` the UIDs they change or remove, and these messages are read again. When changes keep it from
 * finishing, new changes have to wait for a moment (`gate`); mail that comes in never waits. Reservations that are too old get
 * the token of the recount first, so that those who hold them can write no more. Invariant of the last step: no change was in
 * progress when the folder document was read, and none has begun since. So the rows, together with what open arrivals added, are
 * what the counters of that document should have been.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '../schemas/ids.ts'
import type { FolderCounts, FolderDoc, MessageDoc, Reservation } from './documents/mail.ts'
import { labelKey } from './folders.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The longest time for which changes of messages have to wait. */
const gateMs = 500
const pauseMs = 2
const triesMax = 200
const pageSize = 1_000

/** What is counted of a message. */
type Row = Pick<MessageDoc, 'uid' | 'seen' | 'sizeBytes' | 'labels'>

/** The messages of a folder by UID, and their sums. */
type Tally = {
  readonly rows: Map<number, Row>
  readonly sums: { total: number; unread: number; bytes: number; labels: Map<string, number> }
}

/** A recount in progress. */
type Recount = {
  readonly store: Store
  readonly token: string
  /** The highest modseq of the folder when the recount began. */
  readonly startModseq: number
  readonly tally: Tally
  /** Messages with lower UIDs were read. */
  readTo: number
  /** How many UIDs of `touched` were read again. */
  touchedRead: number
  /** UIDs that open reservations were assigned: the messages may have been written since they were read. */
  arriving: readonly number[]
}

/**
 * Corrects a folder's counters and drops the reservations that were taken before `before` and are still open. Returns false
 * when another process recounts the folder, or changes did not come to an end: the next sweep tries again. `now` is the clock
 * of reservations.
 */
export async function recount(
  store: Store,
  { _id, mailboxId }: FolderDoc,
  { before, now }: { before: Date; now: () => Date },
): Promise<boolean> {
  const token = newToken()
  // Their holders may wake: without their tokens they are refused, so that nothing comes behind what is read now.
  const started = await store.folders.findOneAndUpdate(
    { _id, mailboxId },
    { $set: { recount: token, touched: [], 'open.$[void].token': token } },
    { arrayFilters: [{ 'void.at': { $lt: before } }], returnDocument: 'after', projection: { highestModseq: 1 } },
  )
  if (started === null) return false
  const tally: Tally = { rows: new Map(), sums: { total: 0, unread: 0, bytes: 0, labels: new Map() } }
  const startModseq = started.highestModseq
  const progress: Recount = { store, token, startModseq, tally, readTo: 0, touchedRead: 0, arriving: [] }
  let gate: Date | null = null
  for (let tries = 0; tries < triesMax && (gate === null || now() < gate); tries++) {
    const folder = await readOne(store, 'folders', { _id, mailboxId, recount: token })
    if (folder === null) return false
    const outcome = await advance(progress, folder)
    if (outcome === 'corrected') return true
    if (outcome === 'read' && gate === null) {
      gate = new Date(now().getTime() + gateMs)
      await store.folders.updateOne({ _id, mailboxId, recount: token }, { $set: { gate } })
    }
    await sleep(pauseMs)
  }
  await store.folders.updateOne({ _id, mailboxId, recount: token }, { $unset: recountFields })
  return false
}

/** The fields of a folder that exist only during a recount. */
const recountFields = { recount: '', touched: '', gate: '' } as const

/** Reads what is new since the last step and corrects the counters, if no change is in progress. Tells how far it came. */
async function advance(progress: Recount, folder: FolderDoc): Promise<'waiting' | 'read' | 'corrected'> {
  const { store, token, tally, startModseq } = progress
  const open = folder.open.filter((reservation) => reservation.token !== token)
  const changing = open.filter((reservation) => !isArrival(reservation))
  // `touched` does not list the UIDs of changes that were in progress when the recount began.
  if (changing.some(({ modseq }) => modseq <= startModseq)) return 'waiting'
  const touched = folder.touched ?? []
  await readAgain(store, folder, tally, [...touched.slice(progress.touchedRead), ...progress.arriving])
  await readOn(store, folder, tally, progress.readTo)
  progress.readTo = folder.uidNext
  // While a change is in progress, it may not be written to the messages yet: they are read again in the next step.
  if (changing.length === 0) progress.touchedRead = touched.length
  progress.arriving = open.flatMap(uidsOf)
  return changing.length === 0 && (await correct(progress, folder, open)) ? 'corrected' : 'read'
}

/** Whether a reservation only adds messages, which get its UIDs. */
const isArrival = ({ uids, total }: Reservation) => uids > 0 && uids === total

const uidsOf = ({ uid, uids }: Reservation) => Array.from({ length: uids }, (_, n) => uid + n)

/** Reads the messages of a folder from a UID on. */
async function readOn(store: Store, folder: FolderDoc, tally: Tally, from: number): Promise<void> {
  for (let uid = from; uid < folder.uidNext; ) {
    const rows = await readMany(
      store,
      'messages',
      { mailboxId: folder.mailboxId, folderId: folder._id, uid: { $gte: uid, $lt: folder.uidNext } },
      { projection: rowFields, sort: { uid: 1 }, limit: pageSize },
    )
    for (const row of rows) put(tally, row.uid, row)
    if (rows.length < pageSize) return
    uid = rows.at(-1)!.uid + 1
  }
}

/** Reads messages that may have been changed or removed since they were read, or written. */
async function readAgain(store: Store, folder: FolderDoc, tally: Tally, uids: readonly number[]): Promise<void> {
  for (let n = 0; n < uids.length; n += pageSize) {
    const some = uids.slice(n, n + pageSize)
    const rows = await readMany(
      store,
      'messages',
      { mailboxId: folder.mailboxId, folderId: folder._id, uid: { $in: some } },
      { projection: rowFields },
    )
    const found = new Map(rows.map((row) => [row.uid, row]))
    for (const uid of some) put(tally, uid, found.get(uid))
  }
}

const rowFields = { uid: 1, seen: 1, sizeBytes: 1, labels: 1 } as const

function put(tally: Tally, uid: number, row: Row | undefined): void {
  const before = tally.rows.get(uid)
  if (before !== undefined) add(tally.sums, before, -1)
  if (row === undefined) tally.rows.delete(uid)
  else {
    tally.rows.set(uid, row)
    add(tally.sums, row, 1)
  }
}

function add(sums: Tally['sums'], { seen, sizeBytes, labels = [] }: Row, sign: 1 | -1): void {
  sums.total += sign
  sums.unread += seen ? 0 : sign
  sums.bytes += sign * sizeBytes
  for (const label of labels) sums.labels.set(labelKey(label), (sums.labels.get(labelKey(label)) ?? 0) + sign)
}

/** Corrects the counters of a folder, unless a change has begun since `folder` was read. Returns whether it did. */
async function correct(
  { store, token, tally }: Recount,
  folder: FolderDoc,
  open: readonly Reservation[],
): Promise<boolean> {
  const { _id, mailboxId, touched } = folder
  const { modifiedCount } = await store.folders.updateOne(
    { _id, mailboxId, recount: token, touched: { $size: touched?.length ?? 0 } },
    {
      $inc: increments(folder, countsWith(tally, open)),
      $unset: recountFields,
      $pull: { open: { token } },
    },
  )
  return modifiedCount === 1
}

/** The increments that turn the counters of a folder into `right`. */
function increments(folder: FolderCounts, right: Required<FolderCounts>): { [field: string]: number } {
  const { labels = {} } = folder
  const keys = new Set([...Object.keys(labels), ...Object.keys(right.labels)])
  return {
    total: right.total - folder.total,
    unread: right.unread - folder.unread,
    bytes: right.bytes - folder.bytes,
    ...Object.fromEntries([...keys].map((key) => [`labels.${key}`, (right.labels[key] ?? 0) - (labels[key] ?? 0)])),
  }
}

/**
 * The counters as they should be: the rows without those of open arrivals, plus what these arrivals added to the counters.
 */
function countsWith({ rows, sums }: Tally, open: readonly Reservation[]): Required<FolderCounts> {
  const counts = { ...sums, labels: new Map(sums.labels) }
  for (const uid of open.flatMap(uidsOf)) {
    const row = rows.get(uid)
    if (row !== undefined) add(counts, row, -1)
  }
  for (const { total, unread, bytes, labels = {} } of open) {
    counts.total += total
    counts.unread += unread
    counts.bytes += bytes
    for (const [key, by] of Object.entries(labels)) counts.labels.set(key, (counts.labels.get(key) ?? 0) + by)
  }
  return { ...counts, labels: Object.fromEntries(counts.labels) }
}
