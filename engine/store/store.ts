/**
 * One connection, with the catalog as it sees it.
 *
 * Invariants
 * - A store of a read-only connection reads the database only within a snapshot, and its catalog belongs to that snapshot.
 * - A shared snapshot serves all reads of one turn of the event loop. It ends with the turn, or before anybody is notified of
 *   a newer commit: a client that knows of a write sees it.
 * - `epoch` changes whenever earlier reads may be stale: scans then read again from their position.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { EngineError } from '../errors.ts'
import { log, reason } from '../log.ts'
import { type Catalog, type Collection, loadCatalog, namespace, reloadCollection } from './catalog.ts'
import { type IndexTable, type RecordTable, Tables } from './tables.ts'

export class Store {
  readonly db: DatabaseSync
  readonly tables: Tables
  catalog: Catalog
  epoch = 0
  readonly #begin: StatementSync
  readonly #commit: StatementSync
  readonly #version: StatementSync
  readonly #endShared = () => {
    if (this.db.isOpen) this.renew()
  }
  #isShared = false

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

  /** The records of a collection. @throws EngineError QueryPlanKilled if it has been dropped */
  records(collection: number): RecordTable {
    if (!this.catalog.collectionIds.has(collection)) throw killed('collection dropped')
    return this.tables.records(collection)
  }

  /** The entries of an index. @throws EngineError QueryPlanKilled if it has been dropped */
  index(index: number): IndexTable {
    if (!this.catalog.indexIds.has(index)) throw killed('index dropped')
    return this.tables.index(index)
  }

  /** Reads the catalog again. Pass `collection` if it is the only collection that changed, and kept its name. */
  reloadCatalog(collection?: number): void {
    const { db, catalog } = this
    this.catalog = collection === undefined ? loadCatalog(db, catalog) : reloadCollection(db, catalog, collection)
    this.epoch++
  }

  /** Runs `read` on one consistent state of the committed data. `read` must not wait for anything. */
  snapshot<Result>(read: () => Result): Result {
    this.#open()
    try {
      return read()
    } finally {
      this.#commit.run()
    }
  }

  /** As `snapshot`, on the state that all other reads of this turn see too. Nobody else may begin transactions on the connection. */
  shared<Result>(read: () => Result): Result {
    if (!this.#isShared) {
      this.#open()
      this.#isShared = true
      setImmediate(this.#endShared)
    }
    return read()
  }

  /** Ends the shared snapshot: later reads see all that is committed. A failure is only logged, since the next read meets it again. */
  renew(): void {
    if (!this.#isShared) return
    this.#isShared = false
    try {
      this.#commit.run()
    } catch (error) {
      log('warn', 'could not end a snapshot', { reason: reason(error) })
      this.#abandon()
    }
  }

  #abandon(): void {
    if (this.db.isTransaction) this.db.exec('ROLLBACK')
  }

  #open(): void {
    this.renew()
    this.#begin.run()
    try {
      const version = (this.#version.get() as unknown as readonly [number])[0]
      if (version !== this.catalog.version) this.catalog = loadCatalog(this.db, this.catalog)
      this.epoch++
    } catch (error) {
      this.#abandon()
      throw error
    }
  }
}

function killed(why: string): EngineError {
  return new EngineError('QueryPlanKilled', `query plan killed: ${why}`)
}
