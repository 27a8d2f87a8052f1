/**
 * The values of documents, and how to tell their types apart.
 *
 * Numbers keep their BSON classes, so that int32 5, int64 5 and double 5 survive an update unchanged. A document is an object
 * without inherited properties (see `Fields`), so a field called `constructor` or `__proto__` is a field like any other. For
 * brevity, the engine's own code may also use object literals and JS numbers; `decode` never returns them.
 *
 * Known difference from mongod: as in every JS object, field names that are canonical array indices ("0", "17") come first, in
 * numeric order.
 */
import type {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  Timestamp,
} from 'bson'

export type Value =
  | string
  | boolean
  | null
  | number
  | Int32
  | Double
  | Long
  | Decimal128
  | ObjectId
  | Binary
  | Date
  | Timestamp
  | BSONRegExp
  | Code
  | MinKey
  | MaxKey
  | Document
  | Value[]

export type Document = { [field: string]: Value }

/** The constructor of decoded documents. Its instances have fast properties and inherit none. */
const Fields = (() => {
  const create = function Fields() {
    // the instance starts empty
  } as unknown as { new (): Document; prototype: object }
  create.prototype = Object.freeze(Object.create(null))
  return create
})()

/** An empty document. */
export function newDocument(): Document {
  return new Fields()
}

/** A shallow copy with the same field order. */
export function copyDocument(source: Document): Document {
  const copy = new Fields()
  for (const field in source) copy[field] = source[field]!
  return copy
}

/** A document with these fields, in their order. */
export function documentOf(fields: Readonly<Record<string, Value>>): Document {
  return copyDocument(fields)
}

/** BSON types, in no particular order; `missing` stands for the absence of a value. */
export type TypeName =
  | 'missing'
  | 'minKey'
  | 'null'
  | 'int'
  | 'double'
  | 'long'
  | 'decimal'
  | 'string'
  | 'object'
  | 'array'
  | 'binData'
  | 'objectId'
  | 'bool'
  | 'date'
  | 'timestamp'
  | 'regex'
  | 'javascript'
  | 'javascriptWithScope'
  | 'maxKey'

const namesByTag: Readonly<Record<string, TypeName>> = {
  Int32: 'int',
  Double: 'double',
  Long: 'long',
  Decimal128: 'decimal',
  ObjectId: 'objectId',
  Binary: 'binData',
  Timestamp: 'timestamp',
  BSONRegExp: 'regex',
  MinKey: 'minKey',
  MaxKey: 'maxKey',
}

/** The alias of the type of `value` in mongod's `$type`. A JS number counts as the int or double that it is encoded as. */
export function typeName(value: Value | undefined): TypeName {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return isInt32(value) ? 'int' : 'double'
  if (value instanceof Fields) return 'object'
  if (Array.isArray(value)) return 'array'
  if (value instanceof Date) return 'date'
  const tag = bsonTag(value)
  if (tag === undefined) return 'object'
  if (tag === 'Code') return (value as Code).scope === null ? 'javascript' : 'javascriptWithScope'
  const name = namesByTag[tag]
  if (name === undefined) throw new TypeError(`not a BSON value: ${tag}`)
  return name
}

/** The type numbers of the BSON specification, by alias. */
export const typeNumbers: Readonly<Record<Exclude<TypeName, 'missing'>, number>> = {
  double: 1,
  string: 2,
  object: 3,
  array: 4,
  binData: 5,
  objectId: 7,
  bool: 8,
  date: 9,
  null: 10,
  regex: 11,
  javascript: 13,
  javascriptWithScope: 15,
  int: 16,
  timestamp: 17,
  long: 18,
  decimal: 19,
  minKey: -1,
  maxKey: 127,
}

/** Whether `value` is an embedded document (not an array, not another BSON type). */
export function isDocument(value: Value | undefined): value is Document {
  if (value instanceof Fields) return true
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    bsonTag(value) === undefined
  )
}

/** The class tag of a `bson` value, undefined for a plain object. */
export function bsonTag(value: object): string | undefined {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Fields.prototype || prototype === null) return undefined
  return (value as { readonly _bsontype?: string })._bsontype
}

/** Whether a JS number is encoded as int32. Minus zero is a double. */
export function isInt32(value: number): boolean {
  return (value | 0) === value && !Object.is(value, -0)
}

/** The first field name of a document, undefined if it has none. */
export function firstField(doc: Document): string | undefined {
  for (const field in doc) return field
  return undefined
}
