/** Parses the operators under a field of a filter. */
import { Binary, BSONRegExp } from 'bson'
import {
  type Document,
  firstField,
  isDocument,
  type TypeName,
  typeName,
  typeNumbers,
  type Value,
} from '../bson/document.ts'
import { exactDouble, isNumber, isTruthy, toDouble, toInteger } from '../bson/number.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import type { BitTest, FilterNode } from './node.ts'
import { regexOf } from './regex.ts'

/**
 * The place of a filter, on which it depends which operators mongod allows. `query`: the filter of a find, count, distinct,
 * update or delete. `upsert`: that of an update that may insert. `match`: that of `$match`. `part`: a filter in an operator, an
 * index or a projection, such as `arrayFilters`. `element`: one inside `$elemMatch`.
 */
export type FilterPlace = 'query' | 'upsert' | 'match' | 'part' | 'element'

/** Parses a whole filter, for `$elemMatch` over documents. */
export type ParseNested = (filter: Document, place: FilterPlace, depth: number) => FilterNode

/** Whether a value consists of operators: a document whose first field begins with `$`, unless it is a reference (DBRef). */
export function isOperatorDocument(value: Value | undefined): value is Document {
  if (!isDocument(value)) return false
  const field = firstField(value) ?? ''
  return field.startsWith('$') && field !== '$ref' && field !== '$id' && field !== '$db'
}

/** The context of an operator: its path, the operators beside it, the place of its filter, and its depth. */
type Standing = {
  readonly path: string
  readonly siblings: Document
  readonly place: FilterPlace
  readonly depth: number
  readonly parseNested: ParseNested
}

/** Parses `{ $gt: 1, $lt: 5 }` for one path. Every key must be an operator. */
export function parseFieldOperators(operators: Document, standing: Standing): FilterNode {
  const nodes: FilterNode[] = []
  for (const operator in operators) {
    const node = parseOperator(standing, operator, operators[operator]!)
    if (node !== undefined) nodes.push(node)
  }
  return nodes.length === 1 ? nodes[0]! : { op: 'and', nodes }
}

function parseOperator(standing: Standing, operator: string, value: Value): FilterNode | undefined {
  const { path } = standing
  switch (operator) {
    case '$eq':
      return { op: 'eq', path, value }
    case '$ne':
      refuseRegex(value, "Can't have regex as arg to $ne.")
      return { op: 'not', node: { op: 'eq', path, value } }
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      refuseRegex(value, `Can't have RegEx as arg to predicate over field '${path}'.`)
      return { op: operator.slice(1) as 'gt' | 'gte' | 'lt' | 'lte', path, value }
    case '$in':
      return parseIn(path, operator, value)
    case '$nin':
      return { op: 'not', node: parseIn(path, operator, value) }
    case '$exists':
      return isTruthy(value) ? { op: 'exists', path } : { op: 'not', node: { op: 'exists', path } }
    case '$comment':
      return undefined
    default:
      return parseRarer(standing, operator, value)
  }
}

function parseRarer(standing: Standing, operator: string, value: Value): FilterNode | undefined {
  const { path, siblings } = standing
  switch (operator) {
    case '$not':
      return { op: 'not', node: parseNot(standing, value) }
    case '$regex':
      return parseRegex(path, value, siblings)
    case '$options':
      if (siblings.$regex === undefined) throw new EngineError('BadValue', '$options needs a $regex')
      return undefined
    case '$all':
      return parseAll(standing, value)
    case '$elemMatch':
      return parseElemMatch(standing, value)
    case '$size':
      return parseSize(path, value)
    case '$type':
      return { op: 'type', path, types: parseTypes(value) }
    case '$mod':
      return parseMod(path, value)
    case '$bitsAllSet':
    case '$bitsAnySet':
    case '$bitsAllClear':
    case '$bitsAnyClear':
      return { op: 'bits', path, test: bitTests[operator], positions: parseBits(operator, value) }
    case '$near':
    case '$nearSphere':
      if (standing.place !== 'query' && standing.place !== 'upsert')
        throw new EngineError(5626500, '$geoNear, $near, and $nearSphere are not allowed in this context')
      throw new EngineError('NoQueryExecutionPlans', 'unable to find index for $geoNear query')
    case '$geoWithin':
    case '$geoIntersects':
      throw new EngineError('CommandNotSupported', `${operator} is not supported by the embedded engine`)
    default:
      throw new EngineError('BadValue', `unknown operator: ${operator}`)
  }
}

const bitTests = {
  $bitsAllSet: 'allSet',
  $bitsAnySet: 'anySet',
  $bitsAllClear: 'allClear',
  $bitsAnyClear: 'anyClear',
} as const satisfies Record<string, BitTest>

function refuseRegex(value: Value, message: string): void {
  if (value instanceof BSONRegExp) throw new EngineError('BadValue', message)
}

/** The most levels of nested `$and`, `$or`, `$nor`, `$not` and `$elemMatch`: the compiled test recurses as deep. */
const filterDepthMax = 100

/** Returns `depth`, or fails with BadValue past the limit. */
export function checkedDepth(depth: number): number {
  if (depth > filterDepthMax) throw new EngineError('BadValue', 'exceeded depth limit of filter')
  return depth
}

function parseIn(path: string, operator: string, value: Value): FilterNode {
  if (!Array.isArray(value)) throw new EngineError('BadValue', `${operator} needs an array`)
  const patterns = value.filter((item) => item instanceof BSONRegExp)
  const values = value.filter((item) => !(item instanceof BSONRegExp))
  if (values.some(isOperatorDocument)) throw new EngineError('BadValue', `cannot nest $ under ${operator}`)
  return { op: 'in', path, values, patterns }
}

function parseNot(standing: Standing, value: Value): FilterNode {
  if (value instanceof BSONRegExp) return { op: 'regex', path: standing.path, pattern: value }
  if (!isDocument(value)) throw new EngineError('BadValue', '$not needs a regex or a document')
  if (Object.keys(value).length === 0) throw new EngineError('BadValue', '$not cannot be empty')
  return parseFieldOperators(value, { ...standing, siblings: value, depth: checkedDepth(standing.depth + 1) })
}

function parseRegex(path: string, value: Value, siblings: Document): FilterNode {
  const options = siblings.$options
  if (options !== undefined && typeof options !== 'string') {
    throw new EngineError('BadValue', '$options has to be a string')
  }
  if (typeof value === 'string') return { op: 'regex', path, pattern: regexOf(value, options ?? '') }
  if (!(value instanceof BSONRegExp)) throw new EngineError('BadValue', '$regex has to be a string')
  if (options === undefined) return { op: 'regex', path, pattern: value }
  if (value.options !== '') {
    const optionsFirst = Object.keys(siblings).indexOf('$options') < Object.keys(siblings).indexOf('$regex')
    throw new EngineError(optionsFirst ? 51074 : 51075, 'options set in both $regex and $options')
  }
  return { op: 'regex', path, pattern: regexOf(value.pattern, options) }
}

function parseAll(standing: Standing, value: Value): FilterNode {
  const { path, depth } = standing
  if (!Array.isArray(value)) throw new EngineError('BadValue', '$all needs an array')
  if (value.length === 0) return { op: 'always', value: false }
  const ofElements = isElemMatch(value[0])
  const nodes = value.map((item): FilterNode => {
    if (isElemMatch(item) !== ofElements) throw new EngineError('BadValue', 'no $ expressions in $all')
    if (isElemMatch(item)) return parseFieldOperators(item, { ...standing, siblings: item, depth: depth + 1 })
    if (isOperatorDocument(item)) throw new EngineError('BadValue', 'no $ expressions in $all')
    return item instanceof BSONRegExp ? { op: 'regex', path, pattern: item } : { op: 'eq', path, value: item }
  })
  return nodes.length === 1 ? nodes[0]! : { op: 'and', nodes }
}

function isElemMatch(value: Value | undefined): value is Document {
  return isDocument(value) && Object.keys(value)[0] === '$elemMatch'
}

function parseElemMatch({ path, depth, parseNested }: Standing, value: Value): FilterNode {
  if (!isDocument(value)) throw new EngineError('BadValue', '$elemMatch needs an Object')
  const ofValues = isOperatorDocument(value) && !['$and', '$or', '$nor'].includes(Object.keys(value)[0]!)
  if (!ofValues) return { op: 'elemMatch', path, node: parseNested(value, 'element', depth + 1) }
  const inside = { path: '', siblings: value, place: 'element', depth: checkedDepth(depth + 1), parseNested } as const
  return { op: 'elemMatchValue', path, node: parseFieldOperators(value, inside) }
}

function parseSize(path: string, value: Value): FilterNode {
  const size = isNumber(value) ? toInteger(value) : undefined
  if (size === undefined) throw new EngineError('BadValue', 'Failed to parse $size. Expected an integer')
  if (size < 0n) throw new EngineError('BadValue', 'Failed to parse $size. Expected a non-negative number')
  return { op: 'size', path, size: Number(size) }
}

const namesByNumber = new Map(Object.entries(typeNumbers).map(([name, number]) => [number, name as TypeName]))
const numberTypes: readonly TypeName[] = ['int', 'long', 'double', 'decimal']

function parseTypes(value: Value): ReadonlySet<TypeName> {
  const types = new Set<TypeName>()
  for (const item of Array.isArray(value) ? value : [value]) {
    if (item === 'number') for (const name of numberTypes) types.add(name)
    else types.add(parseType(item))
  }
  if (types.size === 0) throw new EngineError('FailedToParse', '$type must match at least one type')
  return types
}

/** Aliases of types that no stored value can have; they are accepted and match nothing. */
const emptyTypes: ReadonlySet<string> = new Set(['undefined', 'dbPointer', 'symbol'])

function parseType(value: Value): TypeName {
  if (typeof value === 'string') {
    if (Object.hasOwn(typeNumbers, value)) return value as TypeName
    if (emptyTypes.has(value)) return 'missing'
    throw new EngineError('BadValue', `Unknown type name alias: ${value}`)
  }
  if (!isNumber(value)) throw new EngineError('TypeMismatch', 'type must be represented as a number or a string')
  const number = exactDouble(value)
  const name = number === undefined ? undefined : namesByNumber.get(number)
  if (name !== undefined) return name
  if (number === 6 || number === 12 || number === 14) return 'missing'
  throw new EngineError('BadValue', `Invalid numerical type code: ${show(value)}`)
}

function parseMod(path: string, value: Value): FilterNode {
  if (!Array.isArray(value)) throw new EngineError('BadValue', 'malformed mod, needs to be an array')
  if (value.length < 2) throw new EngineError('BadValue', 'malformed mod, not enough elements')
  if (value.length > 2) throw new EngineError('BadValue', 'malformed mod, too many elements')
  const [divisor, remainder] = value.map((item) => truncated(item))
  if (divisor === undefined) throw new EngineError('BadValue', 'malformed mod, divisor not a number')
  if (remainder === undefined) throw new EngineError('BadValue', 'malformed mod, remainder not a number')
  if (divisor === 0n) throw new EngineError('BadValue', 'divisor cannot be 0')
  return { op: 'mod', path, divisor, remainder }
}

/** A number truncated to an integer, undefined if the value is not a number or the result does not fit int64. */
export function truncated(value: Value | undefined): bigint | undefined {
  if (!isNumber(value)) return undefined
  const exact = toInteger(value)
  if (exact !== undefined) return exact
  const double = toDouble(value)
  const cut = Number.isFinite(double) ? BigInt(Math.trunc(double)) : undefined
  return cut !== undefined && BigInt.asIntN(64, cut) === cut ? cut : undefined
}

/** The bit positions in a mask: a non-negative number, binary data (least significant byte first) or a list of positions. */
function parseBits(operator: string, value: Value): readonly number[] {
  if (Array.isArray(value)) return value.map((item) => parseBitPosition(operator, item))
  if (value instanceof Binary) {
    const bytes = value.buffer.subarray(0, value.position)
    return [...bytes].flatMap((byte, index) => bitsOf(BigInt(byte)).map((bit) => index * 8 + bit))
  }
  const mask = isNumber(value) ? toInteger(value) : undefined
  if (mask === undefined) {
    throw new EngineError(
      'BadValue',
      `${operator} takes an Array, a number, or a BinData but received: ${typeName(value)}`,
    )
  }
  if (mask < 0n) throw new EngineError('FailedToParse', `Expected a non-negative number in: ${operator}: ${mask}`)
  return bitsOf(mask)
}

function parseBitPosition(operator: string, value: Value): number {
  const position = isNumber(value) ? toInteger(value) : undefined
  if (position === undefined) throw new EngineError('FailedToParse', `bit positions of ${operator} must be integers`)
  if (position < 0n) throw new EngineError('FailedToParse', `bit positions of ${operator} must be >= 0`)
  if (position > 0x7fff_ffffn) throw new EngineError('FailedToParse', `bit positions of ${operator} must fit int32`)
  return Number(position)
}

function bitsOf(mask: bigint): number[] {
  const positions: number[] = []
  for (let bit = 0; mask >> BigInt(bit) > 0n; bit++) if ((mask >> BigInt(bit)) & 1n) positions.push(bit)
  return positions
}
