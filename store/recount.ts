/**
 * Recounts a folder exactly while it is in use. The recount determines the error of the counters, which stays the same while writers
 * add to them. It reads the messages in the order of their UIDs and keeps them as rows. Reservations taken meanwhile add the UIDs that
 * they change or remove to `touched`, and these messages are read again. If changes keep the recount from finishing, new changes have
 * to wait for a moment (`gate`); arriving mail never waits. First of all, reservations that are too old get the token of the recount, so
 * that their holders can no longer write.
 *
 * Invariant of the last step: no change was in progress when the folder document was read, and none has begun since. So the rows,
 * together with what open arrivals added, are what the counters of that document should have been.
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

/** The fields of a message that are counted. */
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
  /** All messages with lower UIDs were read. */
  readTo: number
  /** How many UIDs of `touched` were read again. */
  touchedRead: number
  /** UIDs assigned to reservations that were open at the last step: their messages may have been written since. */
  arriving: readonly number[]
}

/**
 * Corrects a folder's counters and drops the reservations that were taken before `before` and are still open. Returns false
 * when the folder is gone, another process took over the recount, or changes did not end in time; the next sweep then tries again. `now`
 * is the clock of reservations.
 */
export async function recount(
  store: Store,
  { _id, mailboxId }: FolderDoc,
  { before, now }: { before: Date; now: () => Date },
): Promise<boolean> {
  const token = newToken()
  // The holders of old reservations may resume. With another token in their reservations, their writes are refused from now on.
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

/** Reads what is new since the last step and, if no change is in progress, corrects the counters. Returns how far it came. */
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
  // While a change is in progress, its messages may not be written yet, so they are read again in the next step.
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

/** Reads messages again that may have been written, changed or removed since they were read. */
async function readAgain(store: Store, folder: FolderDoc, tally: Tally, uids: readonly number[]): Promise<void> {
  for (let n = 0; n < uids.length; n += pageSize) {
    const page = uids.slice(n, n + pageSize)
    const rows = await readMany(
      store,
      'messages',
      { mailboxId: folder.mailboxId, folderId: folder._id, uid: { $in: page } },
      { projection: rowFields },
    )
    const found = new Map(rows.map((row) => [row.uid, row]))
    for (const uid of page) put(tally, uid, found.get(uid))
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

/** Corrects the counters of a folder, unless a change has begun since `folder` was read. Returns whether it corrected them. */
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
 * The correct counters: those of the rows without open arrivals, plus what these arrivals added to the counters.
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
