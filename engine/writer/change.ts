import { checkDeadline } from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { limits } from '../limits.ts'
import type { Matcher } from '../match/compile.ts'
import { prepareQuery, type Query, type QueryRequest } from '../plan/query.ts'
import type { Collection } from '../store/catalog.ts'
import type { Update } from '../update/compile.ts'
import { upsertDocument } from '../update/upsert.ts'
import { ensureCollection, type WriteContext } from './context.ts'
import { addDocument, removeDocument, replaceDocument } from './documents.ts'
import { withId } from './insert.ts'

/** A stored document found for a write. */
export type Target = { readonly record: number; readonly doc: Document }

export type Search = Omit<QueryRequest, 'noTableScan'> & { readonly deadline?: number }

/** Plans the search of a write; whole documents are decoded because the write needs them. */
export function searchFor(ctx: WriteContext, collection: Collection, search: Search): Query {
  return prepareQuery(ctx.store, collection, { ...search, noTableScan: ctx.noTableScan, whole: true })
}

/** The first document the query finds. */
export function firstTarget(query: Query, deadline: number | undefined): Target | undefined {
  for (const hit of query.run()) {
    if (hit === undefined) checkDeadline(deadline)
    else return { record: hit.record, doc: hit.doc ?? decode(hit.bytes) }
  }
  return undefined
}

/** The record ids of all documents the query finds: collected before the first change, so that no change is met again. */
export function allRecords(query: Query, deadline: number | undefined): number[] {
  const found: number[] = []
  for (const hit of query.run()) {
    if (hit === undefined) checkDeadline(deadline)
    else found.push(hit.record)
  }
  return found
}

/**
 * Applies `change` to each record that still matches, resting after each chunk.
 * The collection is looked up again after a rest: it may have been dropped or given another index meanwhile.
 */
export function* eachInChunks(
  ctx: WriteContext,
  collection: Collection,
  found: readonly number[],
  matcher: Matcher,
  change: (collection: Collection, target: Target) => void,
): Generator<void, void, void> {
  let bytes = 0
  for (const [i, record] of found.entries()) {
    const now = ctx.store.collection(collection.database, collection.name)
    if (now?.id !== collection.id) return
    const stored = ctx.store.records(now.id).get(record)
    if (stored === undefined) continue
    bytes += stored.length
    const doc = decode(stored)
    if (matcher.matches(doc)) change(now, { record, doc })
    if ((i + 1) % limits.writeChunk === 0 || bytes > limits.writeChunkBytes) {
      bytes = 0
      yield
    }
  }
}

/** Applies an update to one document and stores the result. */
export function applyUpdate(
  ctx: WriteContext,
  collection: Collection,
  target: Target,
  update: Update,
  matcher: Matcher,
  now: Date,
): { readonly doc: Document; readonly changed: boolean } {
  const positional = update.needsPositional ? matcher.positional(target.doc) : undefined
  const result = update.apply(target.doc, { now, positional })
  if (result.changed) {
    const change = { record: target.record, before: target.doc, after: result.doc, bytes: encode(result.doc) }
    replaceDocument(ctx, collection, change)
  }
  return result
}

/** Removes one document. */
export function applyDelete(ctx: WriteContext, collection: Collection, target: Target): void {
  removeDocument(ctx, collection, target.record, target.doc)
}

/** Inserts the document an upsert makes of its filter and update. */
export function applyUpsert(
  ctx: WriteContext,
  database: string,
  name: string,
  query: Pick<Query, 'node'>,
  update: Update,
  now: Date,
): Document {
  const doc = withId(upsertDocument(query.node, update, now))
  const collection = ensureCollection(ctx, database, name)
  addDocument(ctx, collection, encode(doc))
  return doc
}
