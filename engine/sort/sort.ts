/** Compiles sort orders over documents. */
import { fieldPath } from '../aggregate/fieldPath.ts'
import { checkNatural } from '../arguments.ts'
import { compareValues } from '../bson/compare.ts'
import { type Document, isDocument, typeName, type Value } from '../bson/document.ts'
import { keyCombinations } from '../bson/entries.ts'
import { emptyArray, type KeyPart } from '../bson/keys.ts'
import { isNumber, toDouble } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { arrayIndex } from '../match/path.ts'

/** The values by which a document is sorted, one for each field of the specification. */
export type SortKey = readonly KeyPart[]

export type Sort = {
  readonly key: (doc: Document) => SortKey
  readonly compareKeys: (a: SortKey, b: SortKey) => number
}

/** mongod's limit on compound keys. */
const sortFieldsMax = 32

/**
 * Checks the sort of a command. Fails as `compileSortKey` does, and with BadValue for `$natural` beside other fields or with a
 * direction other than 1 and -1.
 */
export function checkSort(spec: Document | undefined): void {
  if (spec?.$natural === undefined) {
    if (spec !== undefined) compileSortKey(spec)
    return
  }
  if (Object.keys(spec).length > 1) throw new EngineError('BadValue', "Cannot include '$natural' in compound sort")
  checkNatural(spec.$natural, 'sort')
}

/**
 * Compiles a sort whose keys are extracted once per document. An array sorts by its least element ascending and by its greatest
 * descending, an empty array below null, and a missing field as null. If several fields are within one array, each element gives
 * a key with all of them. Fails with 15974 and 15975 for a direction other than 1 or -1, and BadValue for `$meta` and more than
 * 32 fields. Extracting a key fails with BadValue for fields within different arrays.
 */
export function compileSortKey(spec: Document): Sort {
  const fields = Object.keys(spec).map((path) => ({
    parts: path.split('.'),
    direction: directionOf(path, spec[path]!),
  }))
  if (fields.length > sortFieldsMax) throw new EngineError('BadValue', `too many sort fields: at most ${sortFieldsMax}`)
  const compareKeys: Sort['compareKeys'] = (a, b) => {
    for (let index = 0; index < fields.length; index++) {
      const order = compareParts(a[index], b[index])
      if (order !== 0) return order * fields[index]!.direction
    }
    return 0
  }
  const paths = fields.map(({ parts }) => parts)
  return {
    key: (doc) => {
      if (fields.length > 1 && paths.filter((parts) => meetsArray(doc, parts)).length > 1)
        return combinedKey(doc, paths, compareKeys)
      return fields.map(({ parts, direction }) => keyPart(doc, parts, direction))
    },
    compareKeys,
  }
}

/** The first, in sort order, of the keys that the document would have in an index of these paths. */
function combinedKey(doc: Document, paths: readonly (readonly string[])[], compare: Sort['compareKeys']): SortKey {
  let keys: readonly SortKey[]
  try {
    keys = keyCombinations(doc, paths)
  } catch (error) {
    if (!(error instanceof EngineError) || error.codeName !== 'CannotIndexParallelArrays') throw error
    throw new EngineError('BadValue', 'cannot sort with keys that are parallel arrays')
  }
  return keys.reduce((best, key) => (compare(key, best) < 0 ? key : best))
}

function meetsArray(doc: Document, parts: readonly string[]): boolean {
  let value: Value | undefined = doc
  for (const part of parts) {
    if (!isDocument(value)) return Array.isArray(value)
    value = value[part]
  }
  return Array.isArray(value)
}

/** Compiles a comparator, which extracts the keys for each comparison. */
export function compileSort(spec: Document): (a: Document, b: Document) => number {
  const { key, compareKeys } = compileSortKey(spec)
  return (a, b) => compareKeys(key(a), key(b))
}

function directionOf(path: string, value: Value): 1 | -1 {
  fieldPath(path)
  if (isDocument(value)) throw new EngineError('BadValue', 'sort by $meta is not supported by the embedded engine')
  if (!isNumber(value)) throw new EngineError(15974, `Illegal key in $sort specification: ${path}: ${typeName(value)}`)
  const direction = toDouble(value)
  if (direction === 1 || direction === -1) return direction
  throw new EngineError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)')
}

/** As `compareValues`, with the empty array between MinKey and null. */
export function compareParts(a: KeyPart, b: KeyPart): number {
  if (a !== emptyArray && b !== emptyArray) return compareValues(a, b)
  if (a === b) return 0
  const other = a === emptyArray ? b : a
  const below = other !== emptyArray && typeName(other) === 'minKey' ? 1 : -1
  return a === emptyArray ? below : -below
}

function keyPart(doc: Document, parts: readonly string[], direction: 1 | -1): KeyPart {
  const [only] = parts
  if (parts.length === 1) {
    const value = doc[only!]
    if (!Array.isArray(value)) return value ?? null
  }
  let best: KeyPart = null
  let found = false
  visit(doc, parts, 0, (part) => {
    if (!found || compareParts(part, best) * direction < 0) best = part
    found = true
  })
  return best
}

function visit(value: Value | undefined, parts: readonly string[], from: number, take: (part: KeyPart) => void): void {
  let current = value
  for (let at = from; at < parts.length; at++) {
    if (isDocument(current)) {
      current = current[parts[at]!]
      continue
    }
    if (Array.isArray(current) && at > from) {
      visitElements(current, parts, at, take)
      return
    }
    take(null)
    return
  }
  if (!Array.isArray(current)) take(current ?? null)
  else if (current.length === 0) take(emptyArray)
  else for (const item of current) take(item)
}

function visitElements(
  items: readonly Value[],
  parts: readonly string[],
  at: number,
  take: (part: KeyPart) => void,
): void {
  const index = arrayIndex(parts[at]!)
  if (index !== undefined) {
    if (at + 1 < parts.length) visit(items[index], parts, at + 1, take)
    else take(items[index] ?? null)
    return
  }
  if (items.length === 0) take(null)
  for (const item of items) visit(isDocument(item) ? item : undefined, parts, at, take)
}
