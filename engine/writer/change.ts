import { checkDeadline } from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { limits } from '../limits.ts'
import type { Matcher } from '../match/compile.ts'
import type { FilterNode } from '../match/parse.ts'
import { prepareQuery, type Query, type QueryRequest } from '../plan/query.ts'
import type { Collection } from '../store/catalog.ts'
import { picker } from '../store/elements.ts'
import { pathsOf } from '../store/paths.ts'
import { spliced } from '../store/splice.ts'
import type { Update } from '../update/compile.ts'
import { upsertDocument } from '../update/upsert.ts'
import { ensureCollection, type WriteContext } from './context.ts'
import { addDocument, removeDocument, replaceDocument } from './documents.ts'
import { withId } from './insert.ts'

/** A stored document that a write has found. */
export type Target = {
  readonly record: number
  readonly doc: Document
  /** The whole stored document, given where `doc` is only a part of it. */
  readonly stored?: Uint8Array
}

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

/**
 * The record ids of all documents that may match. They are collected before the first change, so that no changed document is
 * found again. Whether they match is checked when they are read for the change.
 */
export function allRecords(query: Query, deadline: number | undefined): number[] {
  const found: number[] = []
  for (const record of query.candidates()) {
    if (record === undefined) checkDeadline(deadline)
    else found.push(record)
  }
  return found
}

/**
 * Applies `change`, which reads and writes `fields` (undefined: possibly any), to each record that matches, and rests after
 * each chunk. The collection is looked up anew, since it may be dropped or get another index during a rest.
 */
export function* eachInChunks(
  ctx: WriteContext,
  collection: Collection,
  found: readonly number[],
  { node, matcher }: Pick<Query, 'node' | 'matcher'>,
  fields: ReadonlySet<string> | undefined,
  change: (collection: Collection, target: Target) => void,
): Generator<void, void, void> {
  let [read, known, bytes, changed] = [reader(collection, node, fields), collection, 0, 0]
  for (const record of found) {
    const now = ctx.store.collection(collection.database, collection.name)
    if (now?.id !== collection.id) return
    if (now !== known) [read, known] = [reader(now, node, fields), now]
    const stored = ctx.store.records(now.id).get(record)
    if (stored === undefined) continue
    const { doc, isPart } = read(stored)
    if (!matcher.matches(doc)) continue
    change(now, isPart ? { record, doc, stored } : { record, doc })
    bytes += stored.length
    if (++changed % limits.writeChunk === 0 || bytes > limits.writeChunkBytes) {
      bytes = 0
      yield
    }
  }
}

/** Returns a decoder of the fields that the filter, the change and the indexes read; of all fields if one of these may read any. */
function reader(
  { indexedFields }: Collection,
  node: FilterNode,
  fields: ReadonlySet<string> | undefined,
): (stored: Uint8Array) => { readonly doc: Document; readonly isPart: boolean } {
  const filtered = pathsOf(node)
  if (filtered === undefined || fields === undefined || indexedFields === undefined)
    return (stored) => ({ doc: decode(stored), isPart: false })
  const part = picker(new Set(['_id', ...filtered, ...fields, ...indexedFields]))
  return (stored) => ({ doc: decode(part(stored)), isPart: true })
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
    const { record, doc: before, stored } = target
    const bytes = stored === undefined ? encode(result.doc) : spliced(stored, before, result.doc)
    replaceDocument(ctx, collection, { record, before, after: result.doc, bytes })
  }
  return result
}

/** Removes one document. */
export function applyDelete(ctx: WriteContext, collection: Collection, target: Target): void {
  removeDocument(ctx, collection, target.record, target.doc)
}

/** Inserts the document that an upsert derives from its filter and update. */
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
