/**
 * Opens, locks and versions the database file.
 *
 * Invariants
 * - One process per data folder: it holds an exclusive lock on `engine.lock` for its whole life. The operating system
 *   drops the lock with the process, however it ends.
 * - One connection writes (the writer thread); all others only read or checkpoint.
 * - `synchronous=FULL` in WAL mode: COMMIT returns after the log is on disk.
 * - A file written by a newer format is never opened.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { limits } from '../limits.ts'

/** The version of the file layout; raised with a change that makes the file unreadable for older programs. */
export const formatVersion = 1
export const pageBytes = 8192
/** How long a connection waits for a lock that another holds. */
export const busyMs = 10_000
/** Primary result codes of SQLite, the low byte of the extended ones. */
const sqlite = { perm: 3, busy: 5, readOnly: 8, corrupt: 11, cannotOpen: 14, notDatabase: 26 } as const

export type WriterOptions = {
  /** The largest size of the file; 0 means that only the disk limits it. */
  readonly fileBytesMax: number
}

export function databasePath(dir: string): string {
  return join(dir, 'engine.db')
}

/** Another process holds the data folder. */
export class FolderInUse extends Error {}

/**
 * Locks the data folder for this process. The caller keeps the result; closing it releases the lock.
 * @throws FolderInUse if another process holds the lock
 * @throws Error if the folder cannot be written, as on a full disk
 */
export function lockFolder(dir: string): DatabaseSync {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'engine.lock')
  const lock = opening(file, () => new DatabaseSync(file))
  try {
    lock.exec('PRAGMA journal_mode=DELETE; BEGIN EXCLUSIVE')
    return lock
  } catch (cause) {
    lock.close()
    if (codeOf(cause) === sqlite.busy)
      throw new FolderInUse(
        `the data folder ${dir} is in use by another process: stop that one, or give this one another folder (the setting data)`,
        { cause },
      )
    throw new Error(`the data folder ${dir} cannot be locked: ${(cause as Error).message}`, { cause })
  }
}

/**
 * Opens the file for writing, creates missing tables and rows, and checks its format.
 * @throws Error if it cannot be opened; the text names the file and says what to change
 */
export function openWriter(dir: string, options: WriterOptions): DatabaseSync {
  const file = databasePath(dir)
  return opening(file, () => openFile(file, options))
}

function openFile(file: string, options: WriterOptions): DatabaseSync {
  const db = new DatabaseSync(file, { timeout: busyMs, defensive: false })
  db.exec(`PRAGMA page_size=${pageBytes}`)
  db.exec('PRAGMA journal_mode=WAL')
  db.exec('PRAGMA synchronous=FULL')
  db.exec('PRAGMA wal_autocheckpoint=0')
  tune(db, limits.writerCacheBytes)
  if (options.fileBytesMax > 0) db.exec(`PRAGMA max_page_count=${Math.ceil(options.fileBytesMax / pageBytes)}`)
  db.exec(`
    BEGIN IMMEDIATE;
    CREATE TABLE IF NOT EXISTS meta(name TEXT PRIMARY KEY, value) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS catalog(
      id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, uuid BLOB NOT NULL, options BLOB NOT NULL, UNIQUE(db, name));
    CREATE TABLE IF NOT EXISTS indexes(
      id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, spec BLOB NOT NULL, multikey TEXT NOT NULL);
    INSERT OR IGNORE INTO meta VALUES ('format', ${formatVersion}), ('catalogVersion', 0), ('nextId', 1), ('clean', 1), ('writesBlocked', 0);
    COMMIT`)
  const found = Number(readMeta(db, 'format'))
  if (found > formatVersion) {
    db.close()
    throw new Error(`the data folder has format ${found}; this program reads formats up to ${formatVersion}`)
  }
  return db
}

/** Opens a file and adds to an error of SQLite what it leaves out: which file it is, and how to fix it. */
function opening<Opened>(file: string, open: () => Opened): Opened {
  try {
    return open()
  } catch (cause) {
    const code = codeOf(cause)
    const fix = fixes.get(code)
    if (fix === undefined) throw cause
    throw new Error(`${file} cannot be opened: ${(cause as Error).message}. ${fix}, and start again`, { cause })
  }
}

const whose = 'Give the file and its folder to the user of the service, who must be able to write both'
const other = 'Put a backup in its place'
const fixes: ReadonlyMap<number, string> = new Map([
  [sqlite.perm, whose],
  [sqlite.readOnly, whose],
  [sqlite.cannotOpen, whose],
  [sqlite.corrupt, other],
  [sqlite.notDatabase, other],
])

const codeOf = (error: unknown) => Number((error as { readonly errcode?: number }).errcode) & 0xff

/** Opens a read-only connection. */
export function openReader(dir: string): DatabaseSync {
  const db = new DatabaseSync(databasePath(dir), { readOnly: true, timeout: busyMs })
  tune(db, limits.readerCacheBytes)
  return db
}

/** Opens the connection that checkpoints: it moves the write-ahead log into the file. */
export function openCheckpointer(dir: string): DatabaseSync {
  const db = new DatabaseSync(databasePath(dir), { timeout: 0 })
  db.exec('PRAGMA synchronous=FULL')
  return db
}

/** One value of the `meta` table. */
export function readMeta(db: DatabaseSync, name: string): unknown {
  return db.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.value
}

export function writeMeta(db: DatabaseSync, name: string, value: number | string): void {
  db.prepare('UPDATE meta SET value = ? WHERE name = ?').run(value, name)
}

function tune(db: DatabaseSync, cacheBytes: number): void {
  db.exec(`PRAGMA cache_size=-${cacheBytes / 1024}; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0`)
}
