/**
 * Counts a folder anew, exactly, while it is written to. What is looked for is by how much the counters are wrong: that stays
 * the same while others move them. Messages are read in the order of their UIDs and kept as rows; reservations taken meanwhile
 * note in `touched` which UIDs they change or remove, and those are read again. Changes, not mail that comes in, are then
 * kept waiting for a moment (`gate`). Invariant of the last step: no change was under way when the folder was read, and none
 * has begun since; so the rows, and what open arrivals have added, are what the counters read with them should have been.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '../schemas/ids.ts'
import type { FolderCounts, FolderDoc, MessageDoc, Reservation } from './documents/mail.ts'
import { labelKey } from './folders.ts'
import type { Store } from './open.ts'

/** How long changes of messages wait at most while the last step is made; mail that comes in never does. */
const gateMs = 500
const pauseMs = 2
const triesMax = 200
const pageSize = 1_000

type Row = Pick<MessageDoc, 'uid' | 'seen' | 'sizeBytes' | 'labels'>

/** The rows of a folder, and their sums. */
type Tally = {
  readonly rows: Map<number, Row>
  readonly sums: { total: number; unread: number; bytes: number; labels: Map<string, number> }
}

/**
 * Puts a folder's counters right and drops the reservations left open before `before`. False when somebody else recounts
 * it, or a writer is not done with its change: the next sweep tries again. `now` is the time of reservations.
 */
export async function recount(
  store: Store,
  { _id, mailboxId }: FolderDoc,
  { before, now }: { before: Date; now: () => Date },
): Promise<boolean> {
  const token = newToken()
  const started = await store.folders.findOneAndUpdate(
    { _id, mailboxId },
    { $set: { recount: token, touched: [] } },
    { returnDocument: 'after', projection: { highestModseq: 1 } },
  )
  const tally: Tally = { rows: new Map(), sums: { total: 0, unread: 0, bytes: 0, labels: new Map() } }
  let readTo = 0
  let touchedRead = 0
  let arriving: readonly number[] = []
  let gate: Date | null = null
  for (let tries = 0; tries < triesMax && (gate === null || now() < gate); tries++) {
    const folder = await store.folders.findOne({ _id, mailboxId, recount: token })
    if (folder === null || started === null) return false
    const living = folder.open.filter(({ at }) => at >= before)
    const changing = living.filter((reservation) => !isArrival(reservation))
    // What was under way before is not in `touched`.
    if (changing.some(({ modseq }) => modseq <= started.highestModseq)) {
      await sleep(pauseMs)
      continue
    }
    const touched = folder.touched ?? []
    await readAgain(store, folder, tally, [...touched.slice(touchedRead), ...arriving])
    await readOn(store, folder, tally, readTo)
    readTo = folder.uidNext
    // A change that is under way may not be among the messages yet.
    if (changing.length === 0) touchedRead = touched.length
    arriving = living.flatMap(uidsOf)
    if (changing.length === 0 && (await settle(store, folder, tally, { token, living, before }))) return true
    if (gate === null) {
      gate = new Date(now().getTime() + gateMs)
      await store.folders.updateOne({ _id, mailboxId, recount: token }, { $set: { gate } })
    }
    await sleep(pauseMs)
  }
  await store.folders.updateOne({ _id, mailboxId, recount: token }, { $unset: traces })
  return false
}

const traces = { recount: '', touched: '', gate: '' } as const

/** Whether a reservation only adds messages: those have its UIDs. */
const isArrival = ({ uids, total }: Reservation) => uids > 0 && uids === total

const uidsOf = ({ uid, uids }: Reservation) => Array.from({ length: uids }, (_, n) => uid + n)

async function readOn(store: Store, folder: FolderDoc, tally: Tally, from: number): Promise<void> {
  for (let uid = from; uid < folder.uidNext; ) {
    const rows = await store.messages
      .find(
        { mailboxId: folder.mailboxId, folderId: folder._id, uid: { $gte: uid, $lt: folder.uidNext } },
        { projection: rowFields },
      )
      .sort({ uid: 1 })
      .limit(pageSize)
      .toArray()
    for (const row of rows) put(tally, row.uid, row)
    if (rows.length < pageSize) return
    uid = rows.at(-1)!.uid + 1
  }
}

async function readAgain(store: Store, folder: FolderDoc, tally: Tally, uids: readonly number[]): Promise<void> {
  for (let n = 0; n < uids.length; n += pageSize) {
    const some = uids.slice(n, n + pageSize)
    const rows = await store.messages
      .find({ mailboxId: folder.mailboxId, folderId: folder._id, uid: { $in: some } }, { projection: rowFields })
      .toArray()
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

async function settle(
  store: Store,
  folder: FolderDoc,
  tally: Tally,
  { token, living, before }: { token: string; living: readonly Reservation[]; before: Date },
): Promise<boolean> {
  const { modifiedCount } = await store.folders.updateOne(
    {
      _id: folder._id,
      mailboxId: folder.mailboxId,
      recount: token,
      touched: { $size: folder.touched?.length ?? 0 },
    },
    { $inc: increments(folder, countsWith(tally, living)), $unset: traces, $pull: { open: { at: { $lt: before } } } },
  )
  return modifiedCount === 1
}

/** What makes of a folder's counters those that it should have. */
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

/** The rows without those that open arrivals are writing, and what the arrivals have added for them. */
function countsWith({ rows, sums }: Tally, living: readonly Reservation[]): Required<FolderCounts> {
  const counts = { ...sums, labels: new Map(sums.labels) }
  for (const uid of living.flatMap(uidsOf)) {
    const row = rows.get(uid)
    if (row !== undefined) add(counts, row, -1)
  }
  for (const { total, unread, bytes, labels = {} } of living) {
    counts.total += total
    counts.unread += unread
    counts.bytes += bytes
    for (const [key, by] of Object.entries(labels)) counts.labels.set(key, (counts.labels.get(key) ?? 0) + by)
  }
  return { ...counts, labels: Object.fromEntries(counts.labels) }
}
