/**
 * How statements write documents: with their index entries, and within the bounds of a capped collection.
 *
 * Invariants
 * - After an insert a capped collection is within its bounds: the oldest documents are removed, never the one just inserted.
 * - The totals of a capped collection are counted once and then updated with each write; undoing a step discards them.
 * - No document is written while writes are blocked (block.ts). Each written document gets a journal entry, if there is a journal.
 * - `ctx.stirred` holds each capped collection that has got a document, or was dropped, since the last group was answered.
 */
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import type { Cap, Collection } from '../store/catalog.ts'
import { indexedPart } from '../store/entries.ts'
import { requireUnblocked } from './block.ts'
import { markMultikey, nextRecord, type Totals, type WriteContext } from './context.ts'
import { noteWrite } from './journal.ts'
import { insertRecord, removeRecord, replaceRecord } from './records.ts'

/** How many of the oldest documents are read at a time, and about how many bytes of them. */
const oldestChunk = 16
const oldestBytes = 256 * 1024

/** Stores a new document. @throws EngineError what `insertRecord` throws, and BadValue for a document larger than the cap */
export function addDocument(ctx: WriteContext, collection: Collection, bytes: Uint8Array): void {
  requireUnblocked(ctx)
  const { capped } = collection
  if (capped !== undefined && bytes.length > capped.sizeBytes)
    throw new EngineError('BadValue', 'object to insert exceeds cappedMaxSize')
  const totals = capped === undefined ? undefined : totalsOf(ctx, collection)
  insertRecord(ctx.store, collection, nextRecord(ctx, collection), bytes, (index, multikey) =>
    markMultikey(ctx, index, multikey),
  )
  noteWrite(ctx, collection, () => indexedPart(collection, bytes)._id ?? null)
  if (capped === undefined || totals === undefined) return
  totals.documents++
  totals.bytes += bytes.length
  removeOldest(ctx, collection, capped, totals)
  ctx.stirred.add(collection.id)
}

/** Replaces a document; `before` and `after` hold at least the fields that the indexes read. */
export function replaceDocument(
  ctx: WriteContext,
  collection: Collection,
  change: { readonly record: number; readonly before: Document; readonly after: Document; readonly bytes: Uint8Array },
): void {
  requireUnblocked(ctx)
  const was = sizeInCap(ctx, collection, change.record)
  // Counted before the write, as in `removeDocument`: the first count would otherwise include the change already.
  const totals = was === undefined ? undefined : totalsOf(ctx, collection)
  replaceRecord(ctx.store, collection, change, (index, multikey) => markMultikey(ctx, index, multikey))
  noteWrite(ctx, collection, () => change.before._id ?? null)
  // A document that grew past the cap stays until the next insert makes room, as in mongod.
  if (was !== undefined && totals !== undefined) totals.bytes += change.bytes.length - was
}

/** Removes a document; `doc` holds at least the fields that the indexes read. */
export function removeDocument(ctx: WriteContext, collection: Collection, record: number, doc: Document): void {
  requireUnblocked(ctx)
  const was = sizeInCap(ctx, collection, record)
  const totals = was === undefined ? undefined : totalsOf(ctx, collection)
  removeRecord(ctx.store, collection, record, doc)
  noteWrite(ctx, collection, () => doc._id ?? null)
  if (was === undefined || totals === undefined) return
  totals.documents--
  totals.bytes -= was
}

function removeOldest(ctx: WriteContext, collection: Collection, cap: Cap, totals: Totals): void {
  const isOver = () => totals.bytes > cap.sizeBytes || (cap.documents > 0 && totals.documents > cap.documents)
  while (isOver()) {
    for (const [record, bytes] of ctx.store.records(collection.id).after(0, oldestChunk, oldestBytes)) {
      if (!isOver()) return
      removeRecord(ctx.store, collection, record, indexedPart(collection, bytes))
      totals.documents--
      totals.bytes -= bytes.length
    }
  }
}

/** The stored size of a document, undefined if the collection is not capped. */
function sizeInCap(ctx: WriteContext, collection: Collection, record: number): number | undefined {
  return collection.capped && ctx.store.records(collection.id).get(record)?.length
}

function totalsOf(ctx: WriteContext, { id }: Collection): Totals {
  const known = ctx.totals.get(id)
  if (known !== undefined) return known
  const totals = ctx.store.records(id).totals()
  ctx.totals.set(id, totals)
  return totals
}
