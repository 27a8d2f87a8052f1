import type { BSONRegExp } from 'bson'
import { documentOf, isDocument, type TypeName, typeName, type Value } from '../bson/document.ts'
import { emptyArray, encodeKey, type KeyPart, typeBounds } from '../bson/keys.ts'
import { EngineError } from '../errors.ts'
import { compileFilter } from '../match/compile.ts'
import type { FilterNode } from '../match/parse.ts'
import { literalPrefix } from '../match/regex.ts'
import { allKeys, type Bound, beginningWith, normalise, successor, type ValueRange } from './ranges.ts'

/** A condition on one path that an index component can serve. */
export type Predicate = {
  readonly path: string
  /** Ascending ranges that contain every value that satisfies the condition. */
  readonly ranges: readonly ValueRange[]
  /** Whether, on a component without arrays, the ranges contain no other values, so that the document need not be read. */
  readonly exact: boolean
  /** Whether only documents with the field satisfy the condition (sparse indexes need this). */
  readonly present: boolean
  /** The `$elemMatch` around the condition. Conditions of one group apply to the same array element. */
  readonly group: FilterNode | undefined
  /** The condition at the top level of the filter that contains this one. */
  readonly source: FilterNode
}

/** The conditions of the conjunction at the top level of a filter, flattened. */
export function conjuncts(node: FilterNode): FilterNode[] {
  return node.op === 'and' ? node.nodes.flatMap(conjuncts) : [node]
}

/** The conditions of a conjunction that an index can serve, as predicates. */
export function predicatesOf(conditions: readonly FilterNode[]): Predicate[] {
  return conditions.flatMap((condition) => predicates(condition, '', condition, undefined))
}

/** Whether every document that satisfies the conditions also satisfies `required`, the filter of a partial index. */
export function implies(conditions: readonly FilterNode[], required: FilterNode): boolean {
  if (required.op === 'and') return required.nodes.every((node) => implies(conditions, node))
  if (required.op === 'or') return required.nodes.some((node) => implies(conditions, node))
  return conditions.some((condition) => impliesOne(condition, required))
}

function predicates(node: FilterNode, prefix: string, source: FilterNode, group: FilterNode | undefined): Predicate[] {
  switch (node.op) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
    case 'in':
    case 'regex':
    case 'exists': {
      const served = serve(node)
      if (served === undefined) return []
      return [{ path: prefix + node.path, ...served, exact: served.exact && group === undefined, group, source }]
    }
    case 'elemMatch':
      return conjuncts(node.node).flatMap((inner) => predicates(inner, `${prefix}${node.path}.`, source, group ?? node))
    case 'elemMatchValue':
      return elementPredicates(node, prefix, source, group)
    default:
      return []
  }
}

/** `{ a: { $elemMatch: { $gte: 1, $lt: 5 } } }`: the conditions apply to the same element, so their ranges can be intersected. */
function elementPredicates(
  node: Extract<FilterNode, { readonly op: 'elemMatchValue' | 'elemMatch' }>,
  prefix: string,
  source: FilterNode,
  group: FilterNode | undefined,
): Predicate[] {
  if (prefix !== '') return []
  return conjuncts(node.node).flatMap((inner) =>
    'path' in inner && inner.path === ''
      ? predicates({ ...inner, path: node.path }, prefix, source, group ?? node)
      : [],
  )
}

type Served = Pick<Predicate, 'ranges' | 'exact' | 'present'>

function serve(node: FilterNode): Served | undefined {
  try {
    return served(node)
  } catch (error) {
    // A decimal beyond the range of doubles has no key, so its condition is checked on the documents.
    if (error instanceof EngineError) return undefined
    throw error
  }
}

function served(node: FilterNode): Served | undefined {
  switch (node.op) {
    case 'eq':
      return equality([node.value])
    case 'in':
      return within(node.values, node.patterns)
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return comparison(node.op, node.value)
    case 'regex':
      return { ranges: normalise(patternRanges(node.pattern)), exact: false, present: true }
    case 'exists':
      return { ranges: [allKeys], exact: false, present: true }
    default:
      return undefined
  }
}

function within(values: readonly Value[], patterns: readonly BSONRegExp[]): Served {
  const equal = equality(values)
  if (patterns.length === 0) return equal
  const ranges = normalise([...equal.ranges, ...patterns.flatMap(patternRanges)])
  return { ranges, exact: false, present: equal.present }
}

function equality(values: readonly Value[]): Served {
  const ranges = normalise(values.flatMap(points))
  const present = values.every((value) => value !== null)
  return { ranges, exact: values.every(isScalar), present }
}

/** An array matches a stored array that equals it or has it as an element, so it is looked up by its first element and as a whole. */
function points(value: Value): ValueRange[] {
  if (!Array.isArray(value)) return [point(value)]
  return [point(value), point(value.length === 0 ? emptyArray : value[0])]
}

function point(value: KeyPart): ValueRange {
  const bound: Bound = { value, open: false }
  return beginningWith(encodeKey([value], [1]), true, bound, bound)
}

function comparison(op: 'gt' | 'gte' | 'lt' | 'lte', value: Value): Served | undefined {
  const type = typeName(value)
  if (type === 'array' || type === 'minKey' || type === 'maxKey') return undefined
  if (type === 'null') {
    return op === 'gte' || op === 'lte' ? { ranges: [point(null)], exact: false, present: false } : undefined
  }
  const key = encodeKey([value], [1])
  const bounds = typeBounds(value)
  const exact = isScalar(value)
  const [least, most] = typeEnds[type] ?? ['MinKey', 'MaxKey']
  const lowEnd: Bound = { words: least, open: false }
  const highEnd: Bound = { words: most, open: !closedEnds.has(type) }
  const range = {
    gt: { low: successor(key), high: bounds.high, point: false, from: { value, open: true }, to: highEnd },
    gte: { low: key, high: bounds.high, point: false, from: { value, open: false }, to: highEnd },
    lt: { low: lowest(value, bounds.low), high: key, point: false, from: lowEnd, to: { value, open: true } },
    lte: {
      low: lowest(value, bounds.low),
      high: successor(key),
      point: false,
      from: lowEnd,
      to: { value, open: false },
    },
  }[op]
  return { ranges: normalise([range].filter(({ low, high }) => Buffer.compare(low, high) < 0)), exact, present: true }
}

/** The lower end of a `$lt` or `$lte`. NaN sorts below all numbers but is not less than any, so it is left out. */
function lowest(value: Value, low: Uint8Array): Uint8Array {
  return isNumber(value) && !Number.isNaN(Number(value)) ? successor(encodeKey([Number.NaN], [1])) : low
}

/** The ranges of strings with the literal prefix of the pattern, and of the pattern itself as a stored value. */
function patternRanges(pattern: BSONRegExp): ValueRange[] {
  const prefix = literalPrefix(pattern)
  const strings = typeBounds('')
  const from: Bound = { value: prefix ?? '', open: false }
  if (prefix === undefined || prefix === '')
    return [{ ...strings, point: false, from, to: { words: '{}', open: true } }, point(pattern)]
  const whole = encodeKey([prefix], [1])
  // A string key ends in two bytes (see bson/keys.ts). Without them it is a prefix of the keys of all strings that begin with it.
  const to: Bound = { words: `everything that begins with ${JSON.stringify(prefix)}`, open: false }
  return [beginningWith(whole.subarray(0, whole.length - 2), false, from, to), point(pattern)]
}

const numbers = ['-inf.0', 'inf.0'] as const
/** The first and the last value of a type, as mongod's explain shows them; for most types the end is the start of the next type. */
const typeEnds: { readonly [type in TypeName]?: readonly [least: string, most: string] } = {
  int: numbers,
  long: numbers,
  double: numbers,
  decimal: numbers,
  string: ['""', '{}'],
  object: ['{}', '[]'],
  binData: ['BinData(0, )', 'ObjectId(000000000000000000000000)'],
  objectId: ['ObjectId(000000000000000000000000)', 'ObjectId(ffffffffffffffffffffffff)'],
  bool: ['false', 'true'],
  date: ['new Date(-9223372036854775808)', 'new Date(9223372036854775807)'],
}
const closedEnds: ReadonlySet<TypeName> = new Set(['int', 'long', 'double', 'decimal', 'objectId', 'bool', 'date'])

const scalarTypes = new Set(['int', 'long', 'double', 'string', 'objectId', 'bool', 'date', 'binData'])
const numberTypes = new Set(['int', 'long', 'double', 'decimal'])

/** Whether a document matches the value exactly if it has the key of the value. */
export function isScalar(value: Value): boolean {
  return scalarTypes.has(typeName(value))
}

function isNumber(value: Value): boolean {
  return numberTypes.has(typeName(value))
}

function impliesOne(condition: FilterNode, required: FilterNode): boolean {
  if (!('path' in condition) || !('path' in required) || condition.path !== required.path) return false
  if (required.op === 'exists') return serve(condition)?.present === true || condition.op === 'type'
  if (condition.op === 'eq' || condition.op === 'in') {
    if ('patterns' in condition && condition.patterns.length > 0) return false
    const values: readonly Value[] = 'value' in condition ? [condition.value] : condition.values
    const leaf = { ...required, path: 'v' } as FilterNode
    const matcher = compileFilter(leaf)
    return values.every((value) => isPlain(value) && matcher.matches(documentOf({ v: value })))
  }
  return impliesRange(condition, required)
}

/** `{ $gt: 5 }` implies `{ $gt: 3 }` and `{ $gte: 5 }`. */
function impliesRange(condition: FilterNode, required: FilterNode): boolean {
  if (!isComparison(condition) || !isComparison(required)) return false
  const upward = condition.op === 'gt' || condition.op === 'gte'
  if (upward !== (required.op === 'gt' || required.op === 'gte')) return false
  const inner = serve(condition)?.ranges[0]
  const outer = serve(required)?.ranges[0]
  if (inner === undefined || outer === undefined) return false
  return Buffer.compare(inner.low, outer.low) >= 0 && Buffer.compare(inner.high, outer.high) <= 0
}

function isComparison(node: FilterNode): node is FilterNode & { readonly op: 'gt' | 'gte' | 'lt' | 'lte' } {
  return node.op === 'gt' || node.op === 'gte' || node.op === 'lt' || node.op === 'lte'
}

/** Whether the value is neither null, which a missing field equals too, nor an array or a document. */
function isPlain(value: Value): boolean {
  return value !== null && !Array.isArray(value) && !isDocument(value)
}
