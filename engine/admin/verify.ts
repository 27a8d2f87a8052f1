/**
 * Checks a whole database: the structure of its file, the catalog against the tables that are there, and every index
 * against the documents. Nothing is changed.
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
  /** Entries over all indexes. */
  readonly entries: number
  /** What is wrong, at most 100 lines. */
  readonly errors: readonly string[]
}

export type Findings = {
  readonly collections: readonly CollectionFindings[]
  /** What is wrong with the file or the catalog. */
  readonly errors: readonly string[]
}

/** Who is told what: after each collection, and while one takes long. */
export type Listener = {
  readonly onCollection?: (findings: CollectionFindings) => void
  readonly onProgress?: (ns: string, documents: number) => void
}

const integrityErrorsMax = 100

/**
 * Checks the engine's data folder while no engine runs on it; what a log left by a crash holds is taken into account.
 * @throws Error when the folder holds no database, is in use, or has a newer format
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
 * Checks a backup. The file is opened as one that nobody changes: no lock is taken and no file appears beside it.
 * @throws Error when it is no database of the engine, has a newer format, or has a log of its own
 */
export function verifyFile(path: string, listener: Listener = {}): Findings {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new Error(`there is no file ${path}`)
  if (!found.isFile()) throw new Error(`${path} is no file: name that of a backup`)
  const log = statSync(`${path}-wal`, { throwIfNoEntry: false })
  if (log !== undefined && log.size > 0) throw new Error(`${path} is in use or was not closed: verify its data folder`)
  const url = pathToFileURL(path)
  url.searchParams.set('immutable', '1')
  return verifyAndClose(new DatabaseSync(url, { readOnly: true }), listener)
}

/** Whether everything is as it should be. */
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
    // A damaged page may show only when the snapshot is begun or ended.
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

/** What SQLite finds: pages used twice or not at all, rows out of order, entries that miss (its own unique constraints). */
function structureErrors(db: DatabaseSync): string[] {
  const rows = attempt(() => db.prepare(`PRAGMA integrity_check(${integrityErrorsMax})`).all())
  if (rows instanceof Error) return [`integrity_check: ${rows.message}`]
  return rows.map((row) => String(row.integrity_check)).filter((text) => text !== 'ok')
}

/** Tables without a row in the catalog, and the reverse. */
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

/** A broken file makes any read throw; that is a finding here, not an end. */
function attempt<Result>(read: () => Result): Result | Error {
  try {
    return read()
  } catch (error) {
    return error instanceof Error ? error : new Error(reason(error))
  }
}
