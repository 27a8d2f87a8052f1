/**
 * A document and its index entries, written together.
 *
 * Invariants
 * - An index holds exactly the entries that `entriesOf` returns for the stored documents.
 * - All checks (unique keys, key sizes, parallel arrays) come before the first write, so a refused document changes nothing.
 */
import { equalValues } from '../bson/compare.ts'
import { type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { indexKeys } from '../bson/entries.ts'
import { EngineError } from '../errors.ts'
import { compareBytes } from '../plan/ranges.ts'
import { type Collection, type Index, keyDocument, namespace } from '../store/catalog.ts'
import { type Entries, entriesOf, indexedPart } from '../store/entries.ts'
import { topLevel } from '../store/paths.ts'
import type { Store } from '../store/store.ts'

/** Called when a document is the first to make an index component multikey. */
export type MarkMultikey = (index: Index, multikey: readonly boolean[]) => void

/**
 * Stores a new document under `record`.
 * @throws EngineError DuplicateKey, and what `entriesOf` throws; nothing is written then
 */
export function insertRecord(
  store: Store,
  collection: Collection,
  record: number,
  bytes: Uint8Array,
  mark: MarkMultikey,
): void {
  const doc = indexedPart(collection, bytes)
  const all = collection.maintained.map((index) => entriesOf(index, doc))
  for (const entries of all) checkUnique(store, collection, entries, entries.keys, record, doc)
  store.records(collection.id).insert(record, bytes)
  for (const { index, keys, multikey } of all) {
    const table = store.index(index.id)
    for (const key of keys) table.insert(key, record)
    if (newlyMultikey(index, multikey)) mark(index, multikey)
  }
}

/** Replaces a document; `before` and `after` hold at least the fields that the indexes read. */
export function replaceRecord(
  store: Store,
  collection: Collection,
  change: { readonly record: number; readonly before: Document; readonly after: Document; readonly bytes: Uint8Array },
  mark: MarkMultikey,
): void {
  const { record, before, after, bytes } = change
  const deltas = collection.maintained.flatMap((index) => {
    if (untouched(index, before, after)) return []
    const old = entriesOf(index, before).keys
    const now = entriesOf(index, after)
    const added = now.keys.filter((key) => !includes(old, key))
    const gone = old.filter((key) => !includes(now.keys, key))
    return [{ ...now, added, gone }]
  })
  for (const delta of deltas) checkUnique(store, collection, delta, delta.added, record, after)
  store.records(collection.id).replace(record, bytes)
  for (const { index, added, gone, multikey } of deltas) {
    const table = store.index(index.id)
    for (const key of gone) table.remove(key, record)
    for (const key of added) table.insert(key, record)
    if (newlyMultikey(index, multikey)) mark(index, multikey)
  }
}

/** Removes a document; `doc` holds at least the fields that the indexes read. */
export function removeRecord(store: Store, collection: Collection, record: number, doc: Document): void {
  for (const index of collection.maintained) {
    const table = store.index(index.id)
    for (const key of entriesOf(index, doc).keys) table.remove(key, record)
  }
  store.records(collection.id).remove(record)
}

/** @throws EngineError DuplicateKey when another record holds one of the keys of a unique index */
export function checkUnique(
  store: Store,
  collection: Collection,
  entries: Entries,
  keys: readonly Uint8Array[],
  record: number,
  doc: Document,
): void {
  if (!entries.index.unique) return
  for (const key of keys) {
    if (store.index(entries.index.id).holder(key, record) !== undefined)
      throw duplicate(collection, entries.index, doc, key)
  }
}

function duplicate(collection: Collection, index: Index, doc: Document, key: Uint8Array): EngineError {
  const keyValue = valuesOf(index, doc, key)
  const shown = Object.entries(keyValue).map(([path, value]) => `${path}: ${JSON.stringify(value)}`)
  const text = `E11000 duplicate key error collection: ${namespace(collection.database, collection.name)} index: ${index.name} dup key: { ${shown.join(', ')} }`
  return new EngineError('DuplicateKey', text, { keyPattern: keyDocument(index.key), keyValue })
}

/** The values that produced a key: for a component that is an array, the element that did. */
function valuesOf(index: Index, doc: Document, key: Uint8Array): Document {
  const choices = index.key.map(([path]) => valuesAt(doc, path.split('.')))
  for (const values of product(choices)) {
    const flat = documentOf(Object.fromEntries(values.map((value, i) => [`f${i}`, value])))
    const found = indexKeys(
      flat,
      index.key.map(([, direction], i) => [`f${i}`, direction] as const),
    ).keys
    if (found.some((candidate) => compareBytes(candidate, key) === 0)) return named(index, values)
  }
  return named(
    index,
    choices.map((values) => values[0] ?? null),
  )
}

function named(index: Index, values: readonly Value[]): Document {
  return documentOf(Object.fromEntries(index.key.map(([path], i) => [path, values[i] ?? null])))
}

function valuesAt(value: Value | undefined, parts: readonly string[]): Value[] {
  if (parts.length === 0) return value === undefined ? [null] : Array.isArray(value) ? [...value] : [value]
  if (Array.isArray(value)) return value.flatMap((element) => valuesAt(element, parts))
  return isDocument(value) ? valuesAt(value[parts[0]!], parts.slice(1)) : [null]
}

function* product(choices: readonly (readonly Value[])[]): Generator<Value[]> {
  const [first, ...rest] = choices
  if (first === undefined) {
    yield []
    return
  }
  for (const value of first) for (const tail of product(rest)) yield [value, ...tail]
}

/** Whether an update changed none of the fields that the index reads. */
function untouched(index: Index, before: Document, after: Document): boolean {
  if (index.partialFields === undefined) return false
  for (const field of index.partialFields) if (before[field] !== after[field]) return false
  return index.key.every(([path]) => {
    const field = topLevel(path)
    return before[field] === after[field] || (!isNested(path) && equalScalars(before[field], after[field]))
  })
}

function isNested(path: string): boolean {
  return path.includes('.')
}

function equalScalars(a: Value | undefined, b: Value | undefined): boolean {
  if (a === undefined || b === undefined || typeof a !== typeof b) return false
  return !Array.isArray(a) && !Array.isArray(b) && equalValues(a, b)
}

function newlyMultikey(index: Index, multikey: readonly boolean[]): boolean {
  return multikey.some((flag, i) => flag && index.multikey[i] !== true)
}

function includes(keys: readonly Uint8Array[], key: Uint8Array): boolean {
  return keys.some((other) => compareBytes(other, key) === 0)
}
