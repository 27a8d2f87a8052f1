/**
 * One connection with the catalog it sees.
 *
 * Invariants
 * - A reading store looks at the database only within a snapshot, and its catalog belongs to that snapshot.
 * - A shared snapshot serves all reads of one turn of the event loop. It ends with the turn, or before anybody is told of
 *   a newer commit: who has heard of a write sees it.
 * - `epoch` changes whenever what was read before may be stale: scans then read their position again.
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

  /** `collection`: the only one that changed, and not in name. */
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

  /** As `snapshot`, on a state that other reads of this turn see too. Only for a store that nothing else uses. */
  shared<Result>(read: () => Result): Result {
    if (!this.#isShared) {
      this.#open()
      this.#isShared = true
      setImmediate(this.#endShared)
    }
    return read()
  }

  /** Later reads see what has been committed until now. A failure concerns nobody: the next read meets it again. */
  renew(): void {
    if (!this.#isShared) return
    this.#isShared = false
    try {
      this.#commit.run()
    } catch (error) {
      log('warn', 'a snapshot could not be ended', { reason: reason(error) })
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
