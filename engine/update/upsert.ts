/** The document that an upsert inserts when nothing matched. */
import { ObjectId } from 'bson'
import { compareText } from '../bson/compare.ts'
import { type Document, isDocument, newDocument, type Value } from '../bson/document.ts'
import { checkId } from '../bson/ids.ts'
import { EngineError } from '../errors.ts'
import type { FilterNode } from '../match/parse.ts'
import type { Update } from './compile.ts'

/**
 * Builds the document from the equalities of the filter, and applies the update with `$setOnInsert`. `_id` comes first, and is
 * generated if neither gives it. A replacement takes only `_id` from the filter. Fails with NotSingleValueField if the filter
 * names a path twice or both a path and one below it, NotExactValueField if the filter of a replacement names a part of `_id`,
 * InvalidIdField for an `_id` that no document may have, and as the update does.
 */
export function upsertDocument(filter: FilterNode, update: Update, now: Date): Document {
  const equalities = new Map<string, Value>()
  collect(filter, update.kind === 'replacement' ? isId : () => true, equalities)
  const seed = newDocument()
  const paths = [...equalities.keys()].sort(compareText)
  for (const path of ['_id', ...paths.filter((path) => path !== '_id')]) {
    const value = equalities.get(path)
    if (value !== undefined) plant(seed, path.split('.'), value, path)
  }
  const { doc } = update.apply(seed, { now, inserting: true })
  return finished(doc)
}

/** Whether a path is `_id`. Fails with NotExactValueField for a part of `_id`, which a replacement cannot take from the filter. */
function isId(path: string): boolean {
  if (!path.startsWith('_id.')) return path === '_id'
  throw new EngineError(
    'NotExactValueField',
    `field at '_id' must be exactly specified, field at sub-path '${path}' found`,
  )
}

/** Collects equalities, also those in conjunctions, and in disjunctions and `$in` with a single member. */
function collect(node: FilterNode, wanted: (path: string) => boolean, into: Map<string, Value>): void {
  if (node.op === 'and' || (node.op === 'or' && node.nodes.length === 1)) {
    for (const child of node.nodes) collect(child, wanted, into)
  } else if (node.op === 'eq') {
    if (wanted(node.path)) add(node.path, node.value, into)
  } else if (node.op === 'in' && node.values.length === 1 && node.patterns.length === 0) {
    if (wanted(node.path)) add(node.path, node.values[0]!, into)
  }
}

function add(path: string, value: Value, into: Map<string, Value>): void {
  for (const known of into.keys()) {
    if (known !== path && !known.startsWith(`${path}.`) && !path.startsWith(`${known}.`)) continue
    throw new EngineError(
      'NotSingleValueField',
      `cannot infer query fields to set, ${known === path ? `path '${path}' is matched twice` : `both paths '${path}' and '${known}' are matched`}`,
    )
  }
  into.set(path, value)
}

function plant(doc: Document, parts: readonly string[], value: Value, path: string): void {
  let parent = doc
  for (const part of parts.slice(0, -1)) {
    const known = parent[part]
    const next = known === undefined ? newDocument() : known
    if (!isDocument(next)) throw new EngineError('PathNotViable', `Cannot create field '${path}'`)
    parent[part] = next
    parent = next
  }
  parent[parts.at(-1)!] = value
}

function finished(doc: Document): Document {
  const result = newDocument()
  result._id = doc._id === undefined ? new ObjectId() : doc._id
  checkId(result._id)
  for (const field in doc) if (field !== '_id') result[field] = doc[field]!
  return result
}
