import { checkCollation, countField, flagField, isNumber, optionalDocument, textField } from '../arguments.ts'
import { equalValues } from '../bson/compare.ts'
import { type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { FilterNode } from '../match/parse.ts'
import { type Collection, type Index, indexFrom, keyDocument, namespace } from '../store/catalog.ts'
import type { Message } from '../wire/message.ts'
import { changed, removeIndex, type Statement, type WriteContext } from './context.ts'
import { collectionOptions } from './specs.ts'

const secondsMax = 2_147_483_647

/** Options of an index: kept, accepted without effect, or refused by name. Everything else is unknown. */
export const indexOptions: Readonly<Record<string, 'implemented' | 'harmless' | 'refused'>> = {
  key: 'implemented',
  name: 'implemented',
  unique: 'implemented',
  sparse: 'implemented',
  partialFilterExpression: 'implemented',
  expireAfterSeconds: 'implemented',
  hidden: 'implemented',
  v: 'harmless',
  background: 'harmless',
  ns: 'harmless',
  collation: 'harmless',
  storageEngine: 'refused',
  weights: 'refused',
  default_language: 'refused',
  language_override: 'refused',
  textIndexVersion: 'refused',
  '2dsphereIndexVersion': 'refused',
  bits: 'refused',
  min: 'refused',
  max: 'refused',
  wildcardProjection: 'refused',
  clustered: 'refused',
  prepareUnique: 'refused',
}

/** Source: `dropIndexes`: by name, key pattern, list of names, or `*` for all but `_id_`. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* dropIndexes(ctx: WriteContext, { body, fields }: Message): Statement {
  const collection = existing(ctx, textField(body, '$db'), textField(body, fields[0]!))
  for (const index of selected(collection, body.index)) removeIndex(ctx, index)
  changed(ctx)
  return { nIndexesWas: collection.indexes.length, ok: 1 }
}

/** Changes the lifetime or the visibility of one index, or the options of the collection. Source: `collMod`. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* collMod(ctx: WriteContext, { body }: Message): Statement {
  const collection = existing(ctx, textField(body, '$db'), textField(body, 'collMod'))
  const options = collectionOptions(body, collection.options)
  if (options !== collection.options) {
    ctx.store.db.prepare('UPDATE catalog SET options = ? WHERE id = ?').run(encode(options), collection.id)
    changed(ctx)
  }
  const wanted = optionalDocument(body, 'index')
  if (wanted === undefined) return { ok: 1 }
  const index = selected(collection, wanted.name ?? wanted.keyPattern)[0]!
  const spec: Document = { ...index.spec }
  const reply: Document = {}
  if (wanted.expireAfterSeconds !== undefined) {
    const seconds = checkedSeconds(wanted)
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
  saveSpec(ctx, index, spec)
  return { ...reply, ok: 1 }
}

/** The collection, or NamespaceNotFound. */
export function existing(ctx: WriteContext, database: string, name: string): Collection {
  const collection = ctx.store.collection(database, name)
  if (collection === undefined) throw new EngineError('NamespaceNotFound', `ns not found ${namespace(database, name)}`)
  return collection
}

/**
 * Whether the same index exists already. Key, filter, `unique` and `sparse` tell indexes apart; other options do not.
 * @throws EngineError when one exists that differs
 */
export function known(collection: Collection, spec: Document): boolean {
  if (equalValues(spec.key, idKey)) return knownId(spec)
  const byName = collection.maintained.find((index) => index.name === spec.name)
  const alike = collection.maintained.find((index) => sameSignature(index.spec, spec))
  if (byName !== undefined && byName !== alike) {
    throw new EngineError(
      'IndexKeySpecsConflict',
      `An existing index has the same name as the requested index but is another one: ${String(spec.name)}`,
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

const idKey = documentOf({ _id: 1 })

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

/** The specification as it is stored. @throws EngineError for what the engine cannot index */
export function checkedSpec(spec: Document): Document {
  for (const option of Object.keys(spec)) checkOption(option)
  checkCollation(spec)
  const key = optionalDocument(spec, 'key')
  if (key === undefined)
    throw new EngineError('FailedToParse', "The 'key' field is a required property of an index specification")
  const kept: Document = { v: 2, key: checkedKey(key), name: textField(spec, 'name') }
  if (flagField(spec, 'unique')) kept.unique = true
  if (flagField(spec, 'sparse')) kept.sparse = true
  if (flagField(spec, 'hidden')) kept.hidden = true
  const partial = optionalDocument(spec, 'partialFilterExpression')
  if (partial !== undefined) {
    if (kept.sparse === true)
      throw new EngineError('CannotCreateIndex', "cannot mix 'partialFilterExpression' and 'sparse' options")
    kept.partialFilterExpression = partial
    checkPartial(indexFrom(0, kept, []).partial!.node)
  }
  if (spec.expireAfterSeconds !== undefined) {
    if (Object.keys(key).length !== 1 || key._id !== undefined) {
      throw new EngineError(
        'CannotCreateIndex',
        'TTL indexes are single-field indexes, compound indexes do not support TTL',
      )
    }
    kept.expireAfterSeconds = checkedSeconds(spec)
  }
  return kept
}

function checkOption(option: string): void {
  const rule = indexOptions[option]
  if (rule === undefined) {
    throw new EngineError(
      'InvalidIndexSpecificationOption',
      `The field '${option}' is not valid for an index specification.`,
    )
  }
  if (rule === 'refused')
    throw new EngineError('CannotCreateIndex', `the index option '${option}' is not supported by the embedded engine`)
}

function checkedKey(key: Document): Document {
  const paths = Object.keys(key)
  if (paths.length === 0) throw new EngineError('CannotCreateIndex', 'Index keys cannot be empty.')
  if (paths.length > limits.fieldsPerIndex)
    throw new EngineError('CannotCreateIndex', `an index has at most ${limits.fieldsPerIndex} fields`)
  return documentOf(Object.fromEntries(paths.map((path) => [path, checkedDirection(path, key[path]!)])))
}

function checkedDirection(path: string, direction: Value): Value {
  const badPath = path === '' || path.startsWith('.') || path.endsWith('.') || path.includes('..')
  if (badPath) throw new EngineError('CannotCreateIndex', 'Index keys cannot contain an empty field.')
  if (path.includes('$'))
    throw new EngineError('CannotCreateIndex', `the index path '${path}' is not supported by the embedded engine`)
  if (typeof direction === 'string') {
    throw new EngineError('CannotCreateIndex', `the index type '${direction}' is not supported by the embedded engine`)
  }
  if (!isNumber(direction) || Number(direction) === 0 || Number.isNaN(Number(direction))) {
    throw new EngineError(
      'CannotCreateIndex',
      'Values in v:2 index key pattern must be numbers other than 0 or index types',
    )
  }
  return direction
}

function checkedSeconds(spec: Document): number {
  const seconds = countField(spec, 'expireAfterSeconds') ?? 0
  if (seconds > secondsMax)
    throw new EngineError('CannotCreateIndex', `expireAfterSeconds must be at most ${secondsMax}`)
  return seconds
}

const partialOperators = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'exists', 'type', 'and', 'or', 'always'])

/** mongod allows these operators in a partial index's filter. */
function checkPartial(node: FilterNode): void {
  if (!partialOperators.has(node.op)) {
    throw new EngineError('CannotCreateIndex', `unsupported expression in partial index: ${node.op}`)
  }
  if (node.op === 'and' || node.op === 'or') for (const inner of node.nodes) checkPartial(inner)
}

function selected(collection: Collection, which: Value | undefined): readonly Index[] {
  const others = collection.maintained.filter((index) => index.name !== '_id_')
  if (which === '*') return others
  if (Array.isArray(which)) return which.flatMap((name) => selected(collection, name))
  const found = collection.maintained.filter((candidate) =>
    isDocument(which) ? equalValues(keyDocument(candidate.key), which) : candidate.name === which,
  )
  if (found.length > 1) {
    throw new EngineError(
      'AmbiguousIndexKeyPattern',
      `${found.length} indexes have this key; name the one that is meant: ${found.map(({ name }) => name).join(', ')}`,
    )
  }
  const [index] = found
  if (index === undefined) throw new EngineError('IndexNotFound', `index not found with name [${String(which)}]`)
  if (index.name === '_id_') throw new EngineError('InvalidOptions', 'cannot drop _id index')
  return [index]
}

/** Keeps a changed specification. */
export function saveSpec(ctx: WriteContext, index: Index, spec: Document): void {
  ctx.store.db.prepare('UPDATE indexes SET spec = ? WHERE id = ?').run(encode(spec), index.id)
  changed(ctx)
}
