/**
 * One connection with the catalog it sees.
 *
 * Invariants
 * - A reading store looks at the database only between `open` and `close` of a snapshot, and its catalog belongs to
 *   that snapshot.
 * - `epoch` changes whenever what was read before may be stale: scans then read their position again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { type Catalog, type Collection, loadCatalog, namespace } from './catalog.ts'
import { type IndexTable, type RecordTable, Tables } from './tables.ts'

export class Store {
  readonly db: DatabaseSync
  readonly tables: Tables
  catalog: Catalog
  epoch = 0
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #version: StatementSync

  constructor(db: DatabaseSync) {
    this.db = db
    this.tables = new Tables(db)
    this.catalog = loadCatalog(db)
    this.#begin = db.prepare('BEGIN')
    this.#commit = db.prepare('COMMIT')
    this.#version = db.prepare("SELECT value FROM meta WHERE name = 'catalogVersion'")
    this.#version.setReturnArrays(true)
  }

  collection(database: string, name: string): Collection | undefined {
    return this.catalog.byName.get(namespace(database, name))
  }

  /** The records of a collection. @throws EngineError QueryPlanKilled when it has been dropped meanwhile */
  records(collection: number): RecordTable {
    if (!this.catalog.collectionIds.has(collection)) throw killed('collection dropped')
    return this.tables.records(collection)
  }

  /** The entries of an index. @throws EngineError QueryPlanKilled when it has been dropped meanwhile */
  index(index: number): IndexTable {
    if (!this.catalog.indexIds.has(index)) throw killed('index dropped')
    return this.tables.index(index)
  }

  reloadCatalog(): void {
    this.catalog = loadCatalog(this.db)
    this.epoch++
  }

  /** Runs `read` on one consistent state of the committed data. `read` must not wait for anything. */
  snapshot<Result>(read: () => Result): Result {
    this.#begin.run()
    try {
      const version = (this.#version.get() as unknown as readonly [number])[0]
      if (version !== this.catalog.version) this.catalog = loadCatalog(this.db)
      this.epoch++
      return read()
    } finally {
      this.#commit.run()
    }
  }
}

function killed(why: string): EngineError {
  return new EngineError('QueryPlanKilled', `query plan killed: ${why}`)
}
