/** The statements behind `$out` and `$merge`, which write the documents of a pipeline. Only the engine itself sends them. */
import { ObjectId } from 'bson'
import { documentField, documentsField, textField } from '../arguments.ts'
import { type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type Collection, namespace } from '../store/catalog.ts'
import { compileUpdate } from '../update/compile.ts'
import type { Message } from '../wire/message.ts'
import { applyUpdate, firstTarget, searchFor } from './change.ts'
import { addIndex, changed, ensureCollection, removeCollection, type Statement, type WriteContext } from './context.ts'
import { addDocument } from './documents.ts'
import { existingCollection } from './indexes.ts'

/**
 * `{ mergeDocuments: collection, on: [path], whenMatched: 'fail' | 'keepExisting' | [stage], whenNotMatched: 'insert' |
 * 'discard' | 'fail', variables: [{ new: document, ... }] }`: each document is merged into the one with the same values at `on`,
 * or inserted. Fails with 11000, 13113 (nothing matched), 51132 (no value at `on`) and 51183 (`on` has no unique index).
 */
export function* mergeDocuments(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'mergeDocuments')
  const on = body.on as readonly string[]
  let n = 0
  for (const variables of documentsField(body, 'variables')) {
    const collection = ensureCollection(ctx, database, name)
    if (!isUniqueKey(collection, on))
      throw new EngineError(51183, 'Cannot find index to verify that join fields will be unique')
    mergeOne(ctx, collection, body, variables)
    if (++n % limits.stepOperations === 0) yield
  }
  return { n, ok: 1 }
}

function mergeOne(ctx: WriteContext, collection: Collection, body: Document, variables: Document): void {
  const { whenMatched, whenNotMatched } = body
  const on = body.on as readonly string[]
  const incoming = documentField(variables, 'new')
  const doc = on.includes('_id') ? identified(incoming) : incoming
  const filter = equalOn(doc, on)
  const target =
    whenMatched === 'fail' ? undefined : firstTarget(searchFor(ctx, collection, { filter, limit: 1 }), undefined)
  if (target === undefined) {
    if (whenNotMatched === 'insert') addDocument(ctx, collection, encode(identified(doc)))
    if (whenNotMatched === 'fail')
      throw new EngineError(
        13113,
        '$merge could not find a matching document in the target collection for at least one document in the source collection',
      )
  } else if (Array.isArray(whenMatched)) {
    const names = new Map<string, Value>(Object.entries({ ...variables, new: doc }))
    const update = compileUpdate(whenMatched as readonly Document[], { names })
    applyUpdate(ctx, collection, target, update, noMatcher, new Date())
  }
}

/** Pipelines have no positional operator. */
const noMatcher = { matches: () => true, positional: () => undefined }

function identified(doc: Document): Document {
  return doc._id === undefined ? documentOf({ _id: new ObjectId(), ...doc }) : doc
}

/** A filter for documents that have the values of `doc` at the paths `on`. Fails with 51132 for a value that cannot be matched. */
function equalOn(doc: Document, on: readonly string[]): Document {
  const filter = documentOf({})
  for (const path of on) {
    let value: Value | undefined = doc
    for (const part of path.split('.')) value = isDocument(value) ? value[part] : undefined
    if (value === undefined || value === null || Array.isArray(value))
      throw new EngineError(
        51132,
        `$merge write error: 'on' field '${path}' cannot be missing, null, undefined or an array`,
      )
    filter[path] = documentOf({ $eq: value })
  }
  return filter
}

function isUniqueKey(collection: Collection, on: readonly string[]): boolean {
  return collection.indexes.some(
    ({ unique, partial, key }) =>
      unique && partial === undefined && key.length === on.length && key.every(([path]) => on.includes(path)),
  )
}

/** `{ openOutput: temporary, like: collection }`: creates an empty collection with the indexes of another. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* openOutput(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'like')
  const like = ctx.store.collection(database, name)
  if (like?.capped !== undefined)
    throw new EngineError(17152, `namespace '${namespace(database, name)}' is capped so it can't be used for $out`)
  const made = ensureCollection(ctx, database, textField(body, 'openOutput'), documentOf({ temp: true }))
  for (const { spec } of like?.indexes.slice(1) ?? []) addIndex(ctx, made.id, spec)
  changed(ctx)
  return { ok: 1 }
}

/** `{ closeOutput: temporary, as: collection }`: the temporary collection replaces the other. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* closeOutput(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const made = existingCollection(ctx, database, textField(body, 'closeOutput'))
  const name = textField(body, 'as')
  const replaced = ctx.store.collection(database, name)
  if (replaced !== undefined) removeCollection(ctx, replaced)
  const options = encode(replaced?.options ?? documentOf({}))
  ctx.store.db.prepare('UPDATE catalog SET name = ?, options = ? WHERE id = ?').run(name, options, made.id)
  changed(ctx)
  return { ns: namespace(database, name), ok: 1 }
}

/** Removes the temporary collections of every `$out` that was interrupted. */
export function dropTemporary(ctx: WriteContext): void {
  const left = [...ctx.store.catalog.byName.values()].filter(({ options }) => options.temp === true)
  if (left.length === 0) return
  ctx.store.db.exec('BEGIN IMMEDIATE')
  for (const collection of left) removeCollection(ctx, collection)
  changed(ctx)
  ctx.store.db.exec('COMMIT')
}
