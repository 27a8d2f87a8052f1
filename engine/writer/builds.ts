/**
 * The building of indexes.
 *
 * Invariants
 * - An index is used only once it holds every document; until then each write maintains it beside the others.
 * - A build that fails, is dropped, or does not survive the process leaves nothing behind.
 */
import { documentsField, textField } from '../arguments.ts'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Collection, type Index, namespace } from '../store/catalog.ts'
import { entriesOf, indexedPart } from '../store/entries.ts'
import type { Message } from '../wire/message.ts'
import { errorBody } from '../wire/reply.ts'
import {
  addIndex,
  changed,
  ensureCollection,
  markMultikey,
  removeIndex,
  type Statement,
  type WriteContext,
} from './context.ts'
import { existing, known, writeSpec } from './indexes.ts'
import { checkedSpec } from './indexSpec.ts'
import { checkUnique } from './records.ts'

/**
 * Builds the indexes that are missing, all or none of them. Source: `createIndexes`. What does not fit into one step is
 * built in chunks between which others write; the new indexes are maintained meanwhile, and used once they are whole.
 */
export function* createIndexes(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'createIndexes')
  const specs = documentsField(body, 'indexes').map(checkedSpec)
  if (specs.length === 0) throw new EngineError('BadValue', 'Must specify at least one index to create')
  const existed = ctx.store.collection(database, name) !== undefined
  const before = ensureCollection(ctx, database, name)
  for (const spec of specs) while (isBeingBuilt(ctx.store.collection(database, name), spec)) yield
  const created: number[] = []
  const state = { rested: false }
  try {
    const collection = ensureCollection(ctx, database, name)
    const isEmpty = ctx.store.records(collection.id).last() === 0
    created.push(...addMissing(ctx, collection, specs, { building: !isEmpty }))
    if (!isEmpty) {
      for (const id of created) yield* fill(ctx, database, name, id, state)
      finishBuilds(ctx, database, name, created)
    }
  } catch (error) {
    // Nothing was committed yet: the step is undone by whoever runs it.
    if (!state.rested || !(error instanceof EngineError)) throw error
    abandonBuilds(ctx, created)
    return errorBody(error)
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

/** Removes what an end of the process left half built: nobody was told that it exists. */
export function removeUnfinished(ctx: WriteContext): void {
  const unfinished = [...ctx.store.catalog.byName.values()].flatMap(({ maintained }) =>
    maintained.filter((index) => index.building),
  )
  if (unfinished.length > 0)
    abandonBuilds(
      ctx,
      unfinished.map(({ id }) => id),
    )
}

function isBeingBuilt(collection: Collection | undefined, spec: Document): boolean {
  return collection?.maintained.some((index) => index.building && index.name === spec.name) ?? false
}

/** Creates the indexes that are missing, empty; they are maintained from now on. Returns their ids. */
function addMissing(
  ctx: WriteContext,
  collection: Collection,
  specs: readonly Document[],
  { building }: { readonly building: boolean },
): number[] {
  const created: Index[] = []
  for (const spec of specs) {
    const maintained = [...collection.maintained, ...created]
    if (known({ ...collection, maintained }, spec)) continue
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

/** Enters the documents that were there when the build began; later ones enter themselves. */
function* fill(
  ctx: WriteContext,
  database: string,
  name: string,
  id: number,
  state: { rested: boolean },
): Generator<void, void, void> {
  const last = ctx.store.records(existing(ctx, database, name).id).last()
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

/** @throws EngineError IndexBuildAborted when the index, or its collection, was dropped meanwhile */
function underway(ctx: WriteContext, database: string, name: string, id: number) {
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
  if (created.length > 0) changed(ctx, existing(ctx, database, name).id)
}

function abandonBuilds(ctx: WriteContext, created: readonly number[]): void {
  for (const { maintained } of ctx.store.catalog.byName.values()) {
    for (const index of maintained) if (created.includes(index.id)) removeIndex(ctx, index)
  }
  changed(ctx)
}
