/**
 * Checks a whole database: the structure of its file, the catalog against the existing tables, and every index against the
 * documents. Nothing is changed.
 */
import { existsSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { reason } from '../log.ts'
import { namespace } from '../store/catalog.ts'
import { databasePath, formatVersion, lockFolder, openReader, readMeta } from '../store/database.ts'
import { Store } from '../store/store.ts'
import { verifyCollection } from '../store/verify.ts'

export type CollectionFindings = {
  /** `database.collection` */
  readonly ns: string
  readonly documents: number
  /** The number of entries in all indexes. */
  readonly entries: number
  /** The violations found, at most 100 lines. */
  readonly errors: readonly string[]
}

export type Findings = {
  readonly collections: readonly CollectionFindings[]
  /** Defects of the file or the catalog. */
  readonly errors: readonly string[]
}

/** Callbacks: `onCollection` after each collection, `onProgress` once per chunk of documents. */
export type Listener = {
  readonly onCollection?: (findings: CollectionFindings) => void
  readonly onProgress?: (ns: string, documents: number) => void
}

const integrityErrorsMax = 100

/**
 * Checks the engine's data folder while no engine uses it, including the write-ahead log that a crash may have left.
 * @throws Error if the folder holds no database, is in use, or has a newer format
 */
export function verifyFolder(dir: string, listener: Listener = {}): Findings {
  if (!existsSync(databasePath(dir))) throw new Error(`there is no database in ${dir}`)
  const lock = lockFolder(dir)
  try {
    return verifyAndClose(openReader(dir), listener)
  } finally {
    lock.close()
  }
}

/**
 * Checks a backup. The file is opened as immutable: no lock is taken and no file appears beside it.
 * @throws Error if it is not a database of the engine, has a newer format, or has a write-ahead log
 */
export function verifyFile(path: string, listener: Listener = {}): Findings {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`there is no file ${path}`)
  if (!found.isFile()) throw new Error(`${path} is not a file: give the path of a backup file`)
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0) throw new Error(`${path} is in use or was not closed: verify its data folder`)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return verifyAndClose(new DatabaseSync(url, { readOnly: true }), listener)
}

/** Whether nothing wrong was found. */
export function isSound({ collections, errors }: Findings): boolean {
  return errors.length === 0 && collections.every((collection) => collection.errors.length === 0)
}

function verifyAndClose(db: DatabaseSync, { onCollection, onProgress }: Listener): Findings {
  try {
    checkFormat(db)
    const errors = structureErrors(db)
    const store = attempt(() => new Store(db))
    if (store instanceof Error) return { collections: [], errors: [...errors, `the catalog: ${store.message}`] }
    errors.push(...catalogErrors(store))
    const collections: CollectionFindings[] = []
    const read = attempt(() =>
      store.snapshot(() => {
        for (const collection of store.catalog.byName.values()) {
          const ns = namespace(collection.database, collection.name)
          const found = attempt(() => verifyCollection(store, collection, (documents) => onProgress?.(ns, documents)))
          const findings: CollectionFindings =
            found instanceof Error
              ? { ns, documents: 0, entries: 0, errors: [found.message] }
              : {
                  ns,
                  documents: found.documents,
                  entries: [...found.keysPerIndex.values()].reduce((sum, keys) => sum + keys, 0),
                  errors: found.errors,
                }
          collections.push(findings)
          onCollection?.(findings)
        }
      }),
    )
    // A damaged page may cause an error only when the snapshot begins or ends.
    if (read instanceof Error) errors.push(`reading: ${read.message}`)
    return { collections, errors }
  } finally {
    db.close()
  }
}

function checkFormat(db: DatabaseSync): void {
  const format = attempt(() => Number(readMeta(db, 'format')))
  if (format instanceof Error || Number.isNaN(format)) {
    const why = format instanceof Error ? format.message : 'it has no format'
    throw new Error(`this is not a database of the embedded engine: ${why}`)
  }
  if (format > formatVersion)
    throw new Error(`it has format ${format}; this program reads formats up to ${formatVersion}`)
}

/** The defects that SQLite finds: pages used twice or not at all, rows out of order, missing entries of its own indexes. */
function structureErrors(db: DatabaseSync): string[] {
  const rows = attempt(() => db.prepare(`PRAGMA integrity_check(${integrityErrorsMax})`).all())
  if (rows instanceof Error) return [`integrity_check: ${rows.message}`]
  return rows.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
}

/** Disagreements between the catalog and the tables. */
function catalogErrors({ db, catalog }: Store): string[] {
  const stored = new Set(
    db
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table'")
      .all()
      .map((row) => String(row.name))
      .filter((name) => /^[ci]_\d+$/.test(name)),
  )
  const wanted = new Set([
    ...[...catalog.collectionIds].map((id) => `c_${id}`),
    ...[...catalog.indexIds].map((id) => `i_${id}`),
  ])
  const owners = db.prepare('SELECT id, collection FROM indexes').all()
  const strays = owners.filter((row) => !catalog.collectionIds.has(Number(row.collection)))
  const bare = [...catalog.byName.values()].filter(({ indexes }) => indexes[0]?.name !== '_id_')
  return [
    ...[...wanted].filter((name) => !stored.has(name)).map((name) => `the table ${name} of the catalog is missing`),
    ...[...stored].filter((name) => !wanted.has(name)).map((name) => `the table ${name} is not in the catalog`),
    ...strays.map((row) => `the index ${row.id} belongs to no collection`),
    ...bare.map(({ database, name }) => `${namespace(database, name)} has no index on _id`),
  ]
}

/** Returns the error of a read instead of throwing it: with a damaged file any read may throw, and the check goes on. */
function attempt<Result>(read: () => Result): Result | Error {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error : new Error(reason(error))
  }
}
