/**
 * Builds indexes.
 *
 * Invariants
 * - Queries use an index only once it covers every document; until then each write maintains it like the others.
 * - A build leaves nothing behind if it fails, if its index is dropped, if writes are blocked, or if the process ends before it does.
 * - `ctx.builds` holds the indexes whose statements are running. Any other unfinished index was left behind by a statement that ended with
 *   its group or its process: nobody waits for it, and it is removed as soon as the disk has room.
 */
import { documentsField, textField } from '../arguments.ts'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Collection, type Index, namespace } from '../store/catalog.ts'
import { entriesOf, indexedPart } from '../store/entries.ts'
import type { Message } from '../wire/message.ts'
import { errorBody } from '../wire/reply.ts'
import { requireUnblocked } from './block.ts'
import {
  addIndex,
  changed,
  ensureCollection,
  markMultikey,
  removeIndex,
  type Statement,
  type WriteContext,
} from './context.ts'
import { existingCollection, indexExists, writeSpec } from './indexes.ts'
import { checkedSpec } from './indexSpec.ts'
import { checkUnique } from './records.ts'

/**
 * Builds the indexes that are missing, all or none of them. Source: `createIndexes`. A large collection is indexed in chunks,
 * between which other statements write; these already maintain the new indexes.
 */
export function* createIndexes(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'createIndexes')
  const specs = documentsField(body, 'indexes').map(checkedSpec)
  if (specs.length === 0) throw new EngineError('BadValue', 'Must specify at least one index to create')
  const existed = ctx.store.collection(database, name) !== undefined
  const before = ensureCollection(ctx, database, name)
  for (const spec of specs) while (isBeingBuilt(ctx, ctx.store.collection(database, name), spec)) yield
  requireUnblocked(ctx)
  removeUnfinished(ctx)
  const created: number[] = []
  const state = { rested: false }
  try {
    const collection = ensureCollection(ctx, database, name)
    const isEmpty = ctx.store.records(collection.id).last() === 0
    created.push(...addMissing(ctx, collection, specs, { building: !isEmpty }))
    if (!isEmpty) {
      for (const id of created) ctx.builds.add(id)
      for (const id of created) yield* fill(ctx, database, name, id, state)
      finishBuilds(ctx, database, name, created)
    }
  } catch (error) {
    // If no step has been committed yet, the caller undoes the build together with this step.
    if (!state.rested || !(error instanceof EngineError)) throw error
    abandonBuilds(ctx, created)
    return errorBody(error)
  } finally {
    for (const id of created) ctx.builds.delete(id)
  }
  const after = ensureCollection(ctx, database, name)
  return {
    numIndexesBefore: before.indexes.length,
    numIndexesAfter: after.indexes.length,
    createdCollectionAutomatically: !existed,
    ...(created.length === 0 && { note: 'all indexes already exist' }),
    ok: 1,
  }
}

/** Removes the indexes that were left half built; their creation was never acknowledged. */
export function removeUnfinished(ctx: WriteContext): void {
  const unfinished = [...ctx.store.catalog.byName.values()].flatMap(({ maintained }) =>
    maintained.filter(({ building, id }) => building && !ctx.builds.has(id)),
  )
  if (unfinished.length > 0)
    abandonBuilds(
      ctx,
      unfinished.map(({ id }) => id),
    )
}

function isBeingBuilt(ctx: WriteContext, collection: Collection | undefined, spec: Document): boolean {
  return collection?.maintained.some(({ id, name }) => ctx.builds.has(id) && name === spec.name) ?? false
}

/** Creates the missing indexes, empty; writes maintain them from then on. Returns their ids. */
function addMissing(
  ctx: WriteContext,
  collection: Collection,
  specs: readonly Document[],
  { building }: { readonly building: boolean },
): number[] {
  const created: Index[] = []
  for (const spec of specs) {
    const maintained = [...collection.maintained, ...created]
    if (indexExists({ ...collection, maintained }, spec)) continue
    if (maintained.length >= limits.indexesPerCollection) {
      throw new EngineError(
        'CannotCreateIndex',
        `add index fails, too many indexes for ${namespace(collection.database, collection.name)}`,
      )
    }
    created.push(addIndex(ctx, collection.id, building ? { ...spec, building } : spec))
  }
  if (created.length > 0) changed(ctx, collection.id)
  return created.map(({ id }) => id)
}

/** Adds the entries of the documents that existed when the build began; those of later ones are added as they are written. */
function* fill(
  ctx: WriteContext,
  database: string,
  name: string,
  id: number,
  state: { rested: boolean },
): Generator<void, void, void> {
  const last = ctx.store.records(existingCollection(ctx, database, name).id).last()
  for (let at = 0; at < last; ) {
    const { collection, index } = underway(ctx, database, name, id)
    const rows = ctx.store.records(collection.id).after(at, limits.buildChunk, limits.writeChunkBytes)
    for (const [record, bytes] of rows) enter(ctx, collection, index, record, bytes)
    at = rows.at(-1)?.[0] ?? last
    if (at >= last) return
    state.rested = true
    yield
  }
}

function enter(ctx: WriteContext, collection: Collection, index: Index, record: number, bytes: Uint8Array): void {
  const doc = indexedPart(collection, bytes)
  const entries = entriesOf(index, doc)
  checkUnique(ctx.store, collection, entries, entries.keys, record, doc)
  const table = ctx.store.index(index.id)
  for (const key of entries.keys) table.ensure(key, record)
  if (entries.multikey.some((flag, i) => flag && index.multikey[i] !== true)) markMultikey(ctx, index, entries.multikey)
}

/**
 * The index that is being built, and its collection.
 * @throws EngineError IndexBuildAborted if one of them was dropped meanwhile, UserWritesBlocked if writes were blocked: as in mongod,
 * the block ends all builds
 */
function underway(ctx: WriteContext, database: string, name: string, id: number) {
  requireUnblocked(ctx)
  const collection = ctx.store.collection(database, name)
  const index = collection?.maintained.find((candidate) => candidate.id === id)
  if (collection === undefined || index === undefined)
    throw new EngineError('IndexBuildAborted', 'Index build failed: the index was dropped')
  return { collection, index }
}

function finishBuilds(ctx: WriteContext, database: string, name: string, created: readonly number[]): void {
  for (const id of created) {
    const { index } = underway(ctx, database, name, id)
    const { building: _, ...spec } = index.spec
    writeSpec(ctx, index, spec)
  }
  if (created.length > 0) changed(ctx, existingCollection(ctx, database, name).id)
}

function abandonBuilds(ctx: WriteContext, created: readonly number[]): void {
  for (const { maintained } of ctx.store.catalog.byName.values()) {
    for (const index of maintained) if (created.includes(index.id)) removeIndex(ctx, index)
  }
  changed(ctx)
}
