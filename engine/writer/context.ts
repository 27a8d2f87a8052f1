import { randomBytes } from 'node:crypto'
import { checkNamespace } from '../arguments.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { limits } from '../limits.ts'
import { type Collection, type Index, indexFrom, keyPattern } from '../store/catalog.ts'
import type { Store } from '../store/store.ts'

/** How much a collection holds. */
export type Totals = { documents: number; bytes: number }

/** The state that write statements share. It lives as long as the writer. */
export type WriteContext = {
  readonly store: Store
  readonly noTableScan: boolean
  /** The last record id given out per collection: ids are not reused while the process lives. */
  readonly lastRecord: Map<number, number>
  /** By id of the capped collection; only those that have been counted. */
  readonly totals: Map<number, Totals>
  /** Capped collections whose waiting cursors are to be woken. */
  readonly stirred: Set<number>
  /** The ids of the indexes that running statements build. */
  readonly builds: Set<number>
  /** The `performance.now()` until which writes are blocked (writer/block.ts). */
  readonly block: { untilMs: number }
}

export function newWriteContext(store: Store, noTableScan: boolean, isBlocked = false): WriteContext {
  const block = { untilMs: isBlocked ? Number.POSITIVE_INFINITY : 0 }
  return { store, noTableScan, lastRecord: new Map(), totals: new Map(), stirred: new Set(), builds: new Set(), block }
}

/** One statement: it yields after each chunk, where the writer commits, and returns its answer. */
export type Statement = Generator<void, Document, void>

/** A fresh record id. */
export function nextRecord(ctx: WriteContext, collection: Collection): number {
  const record = (ctx.lastRecord.get(collection.id) ?? ctx.store.records(collection.id).last()) + 1
  ctx.lastRecord.set(collection.id, record)
  return record
}

/** Creates the collection if it is missing. @throws EngineError InvalidNamespace */
export function ensureCollection(
  ctx: WriteContext,
  database: string,
  name: string,
  options: Document = {},
): Collection {
  const known = ctx.store.collection(database, name)
  if (known !== undefined) return known
  checkNamespace(database, name, limits.namespaceBytes)
  return createCollection(ctx, database, name, options)
}

/** Creates a collection, without checking its name: it may be one of the engine's own. */
export function createCollection(
  ctx: WriteContext,
  database: string,
  name: string,
  options: Document = {},
): Collection {
  const { db, tables } = ctx.store
  const id = nextId(ctx)
  db.prepare('INSERT INTO catalog(id, db, name, uuid, options) VALUES (?, ?, ?, ?, ?)').run(
    id,
    database,
    name,
    randomUuid(),
    encode(options),
  )
  tables.createRecords(id)
  addIndex(ctx, id, { v: 2, key: { _id: 1 }, name: '_id_' })
  changed(ctx, id)
  return ctx.store.collection(database, name)!
}

/** Creates an empty index and its row; the caller fills it and calls `changed`. */
export function addIndex(ctx: WriteContext, collection: number, spec: Document): Index {
  const id = nextId(ctx)
  const multikey = keyPattern(spec.key as Document).map(() => false)
  ctx.store.db
    .prepare('INSERT INTO indexes(id, collection, spec, multikey) VALUES (?, ?, ?, ?)')
    .run(id, collection, encode(spec), JSON.stringify(multikey))
  ctx.store.tables.createIndex(id)
  return indexFrom(id, spec, multikey)
}

/** Removes an index and its row; the caller calls `changed`. */
export function removeIndex(ctx: WriteContext, index: Index): void {
  ctx.store.db.prepare('DELETE FROM indexes WHERE id = ?').run(index.id)
  ctx.store.tables.dropIndex(index.id)
}

/** Removes a collection with its indexes; the caller calls `changed`. */
export function removeCollection(ctx: WriteContext, collection: Collection): void {
  for (const index of collection.maintained) removeIndex(ctx, index)
  ctx.store.db.prepare('DELETE FROM catalog WHERE id = ?').run(collection.id)
  ctx.store.tables.dropRecords(collection.id)
  ctx.totals.delete(collection.id)
  if (collection.capped !== undefined) ctx.stirred.add(collection.id)
}

/** Records on which components of an index documents have arrays, so that plans do not rely on there being none. */
export function markMultikey(ctx: WriteContext, index: Index, multikey: readonly boolean[]): void {
  const now = index.key.map((_, i) => index.multikey[i] === true || multikey[i] === true)
  for (const [i, flag] of now.entries()) index.multikey[i] = flag
  ctx.store.db.prepare('UPDATE indexes SET multikey = ? WHERE id = ?').run(JSON.stringify(now), index.id)
  changed(ctx)
}

/**
 * Publishes a catalog change: readers see the new version together with the change itself. Pass `collection` if it is the
 * only collection that changed, and kept its name.
 */
export function changed(ctx: WriteContext, collection?: number): void {
  ctx.store.db.exec("UPDATE meta SET value = value + 1 WHERE name = 'catalogVersion'")
  ctx.store.reloadCatalog(collection)
}

function nextId(ctx: WriteContext): number {
  const row = ctx.store.db.prepare("UPDATE meta SET value = value + 1 WHERE name = 'nextId' RETURNING value").get()
  return Number(row?.value)
}

function randomUuid(): Uint8Array {
  const bytes = randomBytes(16)
  bytes[6] = (bytes[6]! & 0x0f) | 0x40
  bytes[8] = (bytes[8]! & 0x3f) | 0x80
  return bytes
}
