/** MongoDB's total order and equality of BSON values, and the stricter identity of their encodings. */
import type { Binary, BSONRegExp, Code, Decimal128, Double, Long, ObjectId, Timestamp } from 'bson'
import { type Document, type TypeName, typeName, type Value } from './document.ts'
import { compareNumbers, type NumberValue } from './number.ts'

/** The order of types, which is also the type byte of index keys (see keys.ts). All types of numbers are one. */
export const typeOrder: Readonly<Record<TypeName, number>> = {
  minKey: 0x05,
  missing: 0x0f,
  null: 0x0f,
  int: 0x14,
  double: 0x14,
  long: 0x14,
  decimal: 0x14,
  string: 0x1e,
  object: 0x28,
  array: 0x32,
  binData: 0x3c,
  objectId: 0x46,
  bool: 0x50,
  date: 0x5a,
  timestamp: 0x60,
  regex: 0x64,
  javascript: 0x6e,
  javascriptWithScope: 0x70,
  maxKey: 0x7f,
}

/** Returns a negative number, zero or a positive number if `a` sorts before, with or after `b`. A missing value counts as null. */
export function compareValues(a: Value | undefined, b: Value | undefined): number {
  if (a === b) return 0
  if (typeof a === 'string' && typeof b === 'string') return compareText(a, b)
  const name = typeName(a)
  const order = typeOrder[name]
  const other = typeOrder[typeName(b)]
  if (order !== other) return order - other
  return compareSameType(name, a as Value, b as Value)
}

export function equalValues(a: Value | undefined, b: Value | undefined): boolean {
  return compareValues(a, b) === 0
}

function compareSameType(name: TypeName, a: Value, b: Value): number {
  switch (name) {
    case 'int':
    case 'double':
    case 'long':
    case 'decimal':
      return compareNumbers(a as NumberValue, b as NumberValue)
    case 'string':
      return compareText(a as string, b as string)
    case 'object':
      return compareDocuments(a as Document, b as Document)
    case 'array':
      return compareArrays(a as Value[], b as Value[])
    case 'binData':
      return compareBinary(a as Binary, b as Binary)
    case 'objectId':
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id)
    case 'bool':
      return Number(a) - Number(b)
    case 'date':
      return (a as Date).getTime() - (b as Date).getTime()
    case 'timestamp':
      return (a as Timestamp).t - (b as Timestamp).t || (a as Timestamp).i - (b as Timestamp).i
    case 'regex':
      return comparePatterns(a as BSONRegExp, b as BSONRegExp)
    case 'javascript':
    case 'javascriptWithScope':
      return compareCode(a as Code, b as Code)
    default:
      return 0
  }
}

/** Compares strings by their UTF-8 bytes, that is by code points: a surrogate pair sorts after U+E000 to U+FFFF. */
export function compareText(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return codePointRank(x) - codePointRank(y)
  }
  return a.length - b.length
}

function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit
}

/** Compares documents field by field, by type, name and value. If one is the beginning of the other, it comes first. */
function compareDocuments(a: Document, b: Document): number {
  const fields = Object.keys(a)
  const others = Object.keys(b)
  const shared = Math.min(fields.length, others.length)
  for (let index = 0; index < shared; index++) {
    const field = fields[index]!
    const other = others[index]!
    const x = a[field]!
    const y = b[other]!
    const name = typeName(x)
    const byType = typeOrder[name] - typeOrder[typeName(y)]
    if (byType !== 0) return byType
    if (field !== other) return compareText(field, other)
    const byValue = compareSameType(name, x, y)
    if (byValue !== 0) return byValue
  }
  return fields.length - others.length
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const shared = Math.min(a.length, b.length)
  for (let index = 0; index < shared; index++) {
    const result = compareValues(a[index], b[index])
    if (result !== 0) return result
  }
  return a.length - b.length
}

/** Compares binary data by length, then subtype, then bytes. */
function compareBinary(a: Binary, b: Binary): number {
  if (a.position !== b.position) return a.position - b.position
  if (a.sub_type !== b.sub_type) return a.sub_type - b.sub_type
  return Buffer.compare(a.buffer.subarray(0, a.position), b.buffer.subarray(0, b.position))
}

function comparePatterns(a: BSONRegExp, b: BSONRegExp): number {
  return compareText(a.pattern, b.pattern) || compareText(a.options, b.options)
}

function compareCode(a: Code, b: Code): number {
  const byText = compareText(a.code, b.code)
  if (byText !== 0 || a.scope === null || b.scope === null) return byText
  return compareDocuments(a.scope as Document, b.scope as Document)
}

/** Whether both values encode to the same bytes: int32 5 and double 5 are equal but not identical. */
export function identicalValues(a: Value | undefined, b: Value | undefined): boolean {
  if (a === b) return !(typeof a === 'number' && a === 0) || Object.is(a, b)
  if (a === undefined || b === undefined) return false
  const name = typeName(a)
  if (name !== typeName(b)) return false
  switch (name) {
    case 'double':
      return Object.is(plainDouble(a), plainDouble(b))
    case 'decimal':
      return Buffer.compare((a as Decimal128).bytes, (b as Decimal128).bytes) === 0
    case 'long':
      return (a as Long).low === (b as Long).low && (a as Long).high === (b as Long).high
    case 'array':
      return identicalArrays(a as Value[], b as Value[])
    case 'object':
      return identicalDocuments(a as Document, b as Document)
    default:
      return compareSameType(name, a, b) === 0
  }
}

function plainDouble(value: Value): number {
  return typeof value === 'number' ? value : (value as Double).value
}

function identicalArrays(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => identicalValues(item, b[index]))
}

function identicalDocuments(a: Document, b: Document): boolean {
  const fields = Object.keys(a)
  const others = Object.keys(b)
  return (
    fields.length === others.length &&
    fields.every((field, index) => field === others[index] && identicalValues(a[field], b[field]))
  )
}
