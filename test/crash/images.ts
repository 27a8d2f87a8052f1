/**
 * What a disk may hold after a power failure: the database file and its write-ahead log at one moment. Of the log, the
 * committed frames are whole; the frames after them were not synced, and are replaced by what a disk may make of such writes.
 * In every image some written bytes are lost: at least the first sector that was not synced. The format of the log is described
 * at https://sqlite.org/walformat.html.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from './random.ts'

/**
 * What becomes of unsynced frames: cut off somewhere, or with sectors of zeros, of noise, or of the file's former content.
 */
export const tails = ['cut', 'zeroed', 'random', 'old'] as const
export type Tail = (typeof tails)[number]

/** Both files as they are at one moment. */
export type Moment = { readonly db: Buffer; readonly log: Buffer }

export type Image = Moment & {
  readonly tail: Tail
  /** How many bytes of the log are certainly on disk. */
  readonly syncedBytes: number
  /** How many bytes of whole frames were unsynced; the image has only some of them. */
  readonly underWayBytes: number
  /** How many pages of the database a checkpoint was writing at the power failure. */
  readonly tornPages: number
}

const headerBytes = 32
const frameHeaderBytes = 24
const sectorBytes = 512
const stoppedWithinMs = 1_000
const tornPagesMax = 8

/** Stops all threads of a process while `work` runs. */
export function whileStopped<Result>(pid: number, work: () => Result): Result {
  process.kill(pid, 'SIGSTOP')
  try {
    const until = Date.now() + stoppedWithinMs
    while (!isStopped(pid)) if (Date.now() > until) throw new Error(`process ${pid} does not stop`)
    return work()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}

/** Reads both files of a data folder. */
export function readMoment(dir: string): Moment {
  return { db: readFileSync(join(dir, 'engine.db')), log: readFileSync(join(dir, 'engine.db-wal')) }
}

export function writeMoment(dir: string, { db, log }: Moment): void {
  writeFileSync(join(dir, 'engine.db'), db)
  writeFileSync(join(dir, 'engine.db-wal'), log)
}

/**
 * An image of the moment `at`. `later` is the log a little later: its additional frames are those that were unsynced. Returns
 * undefined when there are none, because nothing was written meanwhile or the log started anew.
 */
export function makeImage(at: Moment, later: Buffer, tail: Tail, random: Random): Image | undefined {
  const { syncedBytes, pages, pageBytes } = readLog(at.log)
  const { framesBytes } = readLog(later)
  const goesOn = framesBytes > syncedBytes && later.subarray(0, syncedBytes).equals(at.log.subarray(0, syncedBytes))
  if (!goesOn) return undefined
  const underWay = later.subarray(syncedBytes, framesBytes)
  const log = Buffer.concat([
    at.log.subarray(0, syncedBytes),
    damaged(underWay, at.log.subarray(syncedBytes), tail, random),
  ])
  const torn = random.below(2) === 0 ? [] : pickPages(pages, random)
  const db = Buffer.from(at.db)
  for (const page of torn) tear(db, page, pageBytes, random)
  return { db, log, tail, syncedBytes, underWayBytes: underWay.length, tornPages: torn.length }
}

/** Reads the frames that belong to the current run of the log. The log is synced up to the last frame that ends a commit. */
function readLog(log: Buffer): {
  syncedBytes: number
  framesBytes: number
  pages: ReadonlySet<number>
  pageBytes: number
} {
  if (log.length < headerBytes)
    return { syncedBytes: log.length, framesBytes: log.length, pages: new Set(), pageBytes: 8192 }
  const pageBytes = log.readUInt32BE(8)
  const salts = log.subarray(16, 24)
  const committed = new Set<number>()
  let open: number[] = []
  let syncedBytes = headerBytes
  let framesBytes = headerBytes
  for (let at = headerBytes; at + frameHeaderBytes + pageBytes <= log.length; at += frameHeaderBytes + pageBytes) {
    if (!log.subarray(at + 8, at + 16).equals(salts)) break
    open.push(log.readUInt32BE(at))
    framesBytes = at + frameHeaderBytes + pageBytes
    if (log.readUInt32BE(at + 4) === 0) continue
    for (const page of open) committed.add(page)
    open = []
    syncedBytes = framesBytes
  }
  return { syncedBytes, framesBytes, pages: committed, pageBytes }
}

/** Damages unsynced frames. `before` is what the file held in their place. */
function damaged(underWay: Buffer, before: Buffer, tail: Tail, random: Random): Buffer {
  if (tail === 'cut') return underWay.subarray(0, random.below(underWay.length))
  const result = Buffer.from(underWay)
  // At least the first sector is damaged; the bytes after it may be whole.
  for (let at = 0, hit = true; at < result.length; at += sectorBytes, hit = random.below(8) === 0) {
    if (!hit) continue
    const end = Math.min(at + sectorBytes, result.length)
    if (tail === 'random') for (let i = at; i < end; i++) result[i] = random.below(256)
    else result.fill(0, at, end)
    if (tail === 'old' && at < before.length) before.copy(result, at, at, end)
  }
  return Buffer.concat([result, before.subarray(result.length)])
}

/**
 * Any page but the first. The header of the first page, which tells SQLite how to read the file, lies in one sector, and disks
 * write a sector as a whole.
 */
function pickPages(pages: ReadonlySet<number>, random: Random): number[] {
  const candidates = [...pages].filter((page) => page > 1)
  return Array.from(
    { length: Math.min(tornPagesMax, candidates.length) },
    () => candidates[random.below(candidates.length)]!,
  )
}

/** Lets the checkpoint have written a part of a page. The log still has the whole page. */
function tear(db: Buffer, page: number, pageBytes: number, random: Random): void {
  const from = (page - 1) * pageBytes
  if (from + pageBytes > db.length) return
  const at = from + random.below(pageBytes / sectorBytes) * sectorBytes
  db.fill(random.below(2) === 0 ? 0 : 0xa5, at, from + pageBytes)
}

function isStopped(pid: number): boolean {
  return readdirSync(`/proc/${pid}/task`).every((task) => {
    const stat = readFileSync(`/proc/${pid}/task/${task}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
  })
}
