import { flagField, missingField, optionalDocument, optionalText, textField } from '../arguments.ts'
import { equalValues } from '../bson/compare.ts'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import { type Collection, type Index, keyDocument, namespace } from '../store/catalog.ts'
import type { Message } from '../wire/message.ts'
import { changed, removeIndex, type Statement, type WriteContext } from './context.ts'
import { checkedSeconds, idKey } from './indexSpec.ts'
import { collectionOptions } from './specs.ts'

/** Drops indexes by name, key pattern, list of names, or `*` for all but `_id_`. Source: `dropIndexes`. */
export function* dropIndexes(ctx: WriteContext, { body, fields }: Message): Statement {
  const { index: which } = body
  if (which === undefined) throw missingField('dropIndexes.index')
  const names = Array.isArray(which) ? which : [which]
  if (!isDocument(which) && !names.every((name) => typeof name === 'string'))
    throw new EngineError(
      'TypeMismatch',
      "BSON field 'dropIndexes.index' must be a string, an object or an array of strings",
    )
  const collection = existingCollection(ctx, textField(body, '$db'), textField(body, fields[0]!))
  for (const index of droppable(collection, which)) removeIndex(ctx, index)
  changed(ctx)
  return { nIndexesWas: collection.indexes.length, ok: 1 }
}

/** Changes the lifetime or the visibility of one index, or the options of the collection. Source: `collMod`. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* collMod(ctx: WriteContext, { body }: Message): Statement {
  const collection = existingCollection(ctx, textField(body, '$db'), textField(body, 'collMod'))
  const options = collectionOptions(body, collection.options)
  if (options !== collection.options) {
    ctx.store.db.prepare('UPDATE catalog SET options = ? WHERE id = ?').run(encode(options), collection.id)
    changed(ctx, collection.id)
  }
  const wanted = optionalDocument(body, 'index')
  if (wanted === undefined) return { ok: 1 }
  const index = selected(collection, changedIndex(wanted))
  const spec: Document = { ...index.spec }
  const reply: Document = {}
  if (wanted.expireAfterSeconds !== undefined) {
    const seconds = checkedSeconds(wanted, 'InvalidOptions')
    if (index.key.length !== 1) throw new EngineError('InvalidOptions', 'TTL indexes are single-field indexes')
    if (spec.expireAfterSeconds !== undefined) reply.expireAfterSeconds_old = spec.expireAfterSeconds
    reply.expireAfterSeconds_new = seconds
    spec.expireAfterSeconds = seconds
  }
  if (wanted.hidden !== undefined) {
    if (index.name === '_id_') throw new EngineError('BadValue', "can't hide _id index")
    reply.hidden_old = index.hidden
    reply.hidden_new = flagField(wanted, 'hidden')
    spec.hidden = flagField(wanted, 'hidden')
  }
  writeSpec(ctx, index, spec)
  changed(ctx, collection.id)
  return { ...reply, ok: 1 }
}

/** The name or the key pattern of the index that `collMod` is to change. */
function changedIndex(wanted: Document): Value {
  const name = optionalText(wanted, 'name')
  const key = optionalDocument(wanted, 'keyPattern')
  if (name !== undefined && key !== undefined)
    throw new EngineError('InvalidOptions', 'Cannot specify both key pattern and name.')
  const which = name ?? key
  if (which === undefined) throw new EngineError('InvalidOptions', 'Must specify either index name or key pattern.')
  if (wanted.expireAfterSeconds === undefined && wanted.hidden === undefined)
    throw new EngineError('InvalidOptions', 'no expireAfterSeconds or hidden field')
  return which
}

/** The collection of that name. @throws EngineError NamespaceNotFound */
export function existingCollection(ctx: WriteContext, database: string, name: string): Collection {
  const collection = ctx.store.collection(database, name)
  if (collection === undefined) throw new EngineError('NamespaceNotFound', `ns not found ${namespace(database, name)}`)
  return collection
}

/**
 * Whether the same index exists already. Indexes are told apart by key, filter, `unique` and `sparse`, not by other options.
 * @throws EngineError if an index exists that conflicts with it, by name or by options
 */
export function indexExists(collection: Collection, spec: Document): boolean {
  if (equalValues(spec.key, idKey)) return knownId(spec)
  const byName = collection.maintained.find((index) => index.name === spec.name)
  const alike = collection.maintained.find((index) => sameSignature(index.spec, spec))
  if (byName !== undefined && byName !== alike) {
    throw new EngineError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index but a different definition: ${String(spec.name)}`,
    )
  }
  if (alike === undefined) return false
  const same = equalValues(alike.spec.expireAfterSeconds ?? null, spec.expireAfterSeconds ?? null)
  if (byName === undefined) {
    const text = same
      ? 'Index already exists with a different name'
      : 'An equivalent index already exists with a different name and options'
    throw new EngineError('IndexOptionsConflict', `${text}: ${alike.name}`)
  }
  if (!same) {
    throw new EngineError(
      'IndexOptionsConflict',
      `An equivalent index already exists with the same name but different options: ${alike.name}`,
    )
  }
  return true
}

/** Every collection has the index on `_id`, which takes no options. */
function knownId(spec: Document): boolean {
  const option = ['unique', 'sparse', 'partialFilterExpression', 'expireAfterSeconds', 'hidden'].find(
    (name) => spec[name] !== undefined,
  )
  if (option === undefined) return true
  throw new EngineError(
    'InvalidIndexSpecificationOption',
    `The field '${option}' is not valid for an _id index specification.`,
  )
}

function sameSignature(a: Document, b: Document): boolean {
  return (
    equalValues(a.key, b.key) &&
    sameFilter(a, b) &&
    (a.unique === true) === (b.unique === true) &&
    (a.sparse === true) === (b.sparse === true)
  )
}

function sameFilter(a: Document, b: Document): boolean {
  return equalValues(a.partialFilterExpression ?? null, b.partialFilterExpression ?? null)
}

function droppable(collection: Collection, which: Value): readonly Index[] {
  if (which === '*') return collection.maintained.filter((index) => index.name !== '_id_')
  if (Array.isArray(which)) return which.flatMap((name) => droppable(collection, name))
  const index = selected(collection, which)
  if (index.name === '_id_') throw new EngineError('InvalidOptions', 'cannot drop _id index')
  return [index]
}

/** The one index of that name or key. @throws EngineError IndexNotFound, or AmbiguousIndexKeyPattern if several have the key */
function selected(collection: Collection, which: Value): Index {
  const found = collection.maintained.filter((candidate) =>
    isDocument(which) ? equalValues(keyDocument(candidate.key), which) : candidate.name === which,
  )
  if (found.length > 1) {
    throw new EngineError(
      'AmbiguousIndexKeyPattern',
      `${found.length} indexes have this key; give the name of one instead: ${found.map(({ name }) => name).join(', ')}`,
    )
  }
  const [index] = found
  if (index === undefined) throw new EngineError('IndexNotFound', `index not found: ${show(which)}`)
  return index
}

/** Stores a changed specification; the caller calls `changed`. */
export function writeSpec(ctx: WriteContext, index: Index, spec: Document): void {
  ctx.store.db.prepare('UPDATE indexes SET spec = ? WHERE id = ?').run(encode(spec), index.id)
}
