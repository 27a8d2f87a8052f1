/** Compiles filters to closures, so that nothing is parsed per document and regular expressions are compiled once. */
import { Binary, type BSONRegExp } from 'bson'
import { compileExpression } from '../aggregate/expression.ts'
import { type Constants, constantsAt } from '../aggregate/scope.ts'
import { compareValues, equalValues, typeOrder } from '../bson/compare.ts'
import { type Document, documentOf, isDocument, typeName, type Value } from '../bson/document.ts'
import { compareNumbers, exactDouble, isNumber, isTruthy, toInteger } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import type { BitTest, Comparison, FilterNode } from './node.ts'
import { truncated } from './operators.ts'
import { anyAtPath, type DocumentTest, type Test, type Track } from './path.ts'
import { compileRegex } from './regex.ts'

export type Matcher = {
  readonly matches: (doc: Document) => boolean
  /** The index of the array element that made the filter match, for the positional `$`; undefined if none did. */
  readonly positional: (doc: Document) => number | undefined
}

/**
 * Compiles a parsed filter. `names` are the `$$` variables that its `$expr` may use; by default `$$NOW` alone, with the time of
 * this call. Fails with mongod's codes for invalid patterns and expressions.
 */
export function compileFilter(node: FilterNode, names: Constants = constantsAt(new Date())): Matcher {
  const test = compileNode(node, names)
  return {
    matches: (doc) => test(doc, undefined),
    positional: (doc) => {
      const track: Track = { index: undefined }
      return test(doc, track) ? track.index : undefined
    },
  }
}

/** A test of a single value, for `$elemMatch` over values, whose nodes have the path ''. */
function compileValueTest(node: FilterNode, names: Constants): Test {
  const compile = (child: FilterNode) => compileValueTest(child, names)
  switch (node.op) {
    case 'and':
    case 'or':
    case 'nor':
      return joinTests(node.op, node.nodes.map(compile))
    case 'not': {
      const inner = compile(node.node)
      return (value) => !inner(value)
    }
    case 'expr':
      throw new EngineError('BadValue', '$expr can only be applied to the top-level document')
    case 'always':
      return () => node.value
    default:
      return compileLeaf(node, names)
  }
}

function joinTests(op: 'and' | 'or' | 'nor', tests: readonly Test[]): Test {
  if (op === 'and') return (value) => tests.every((test) => test(value))
  if (op === 'or') return (value) => tests.some((test) => test(value))
  return (value) => !tests.some((test) => test(value))
}

function compileNode(node: FilterNode, names: Constants): DocumentTest {
  const compile = (child: FilterNode) => compileNode(child, names)
  switch (node.op) {
    case 'and':
      return allOf(node.nodes.map(compile))
    case 'or': {
      const tests = node.nodes.map(compile)
      return (doc, track) => tests.some((test) => test(doc, track))
    }
    case 'nor': {
      const tests = node.nodes.map(compile)
      return (doc) => !tests.some((test) => test(doc, undefined))
    }
    case 'not': {
      const test = compile(node.node)
      return (doc) => !test(doc, undefined)
    }
    case 'always':
      return () => node.value
    case 'expr': {
      const evaluate = compileExpression(node.expression, names)
      return (doc) => isTruthy(evaluate({ root: doc, bound: undefined }))
    }
    default:
      return anyAtPath(node.path, endingOf(node), compileLeaf(node, names))
  }
}

function allOf(tests: readonly DocumentTest[]): DocumentTest {
  const [first, second] = tests
  if (first === undefined) return () => true
  if (second === undefined) return first
  return (doc, track) => {
    for (const test of tests) if (!test(doc, track)) return false
    return true
  }
}

type Leaf = Exclude<FilterNode, { readonly op: 'and' | 'or' | 'nor' | 'not' | 'expr' | 'always' }>

function endingOf(node: Leaf): 'elements' | 'whole' {
  return node.op === 'size' || node.op === 'elemMatch' || node.op === 'elemMatchValue' ? 'whole' : 'elements'
}

function compileLeaf(node: Leaf, names: Constants): Test {
  switch (node.op) {
    case 'eq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return compileComparison(node.op, node.value)
    case 'in':
      return compileIn(node.values, node.patterns)
    case 'regex':
      return compilePattern(node.pattern)
    case 'exists':
      return (value) => value !== undefined
    case 'type':
      return (value) => value !== undefined && node.types.has(typeName(value))
    case 'size':
      return (value) => Array.isArray(value) && value.length === node.size
    case 'mod':
      return (value) => {
        const dividend = truncated(value)
        return dividend !== undefined && dividend % node.divisor === node.remainder
      }
    case 'bits':
      return compileBits(node.test, node.positions)
    case 'elemMatch':
      return compileElemMatch(compileNode(node.node, names))
    case 'elemMatchValue': {
      const test = compileValueTest(node.node, names)
      return someElement(test)
    }
  }
}

/** `$elemMatch` over documents. An element that is an array counts as a document with its indices as fields. */
function compileElemMatch(test: DocumentTest): Test {
  const element = (item: Value) => {
    if (isDocument(item)) return test(item, undefined)
    return Array.isArray(item) && test(documentOf(Object.fromEntries(item.entries())), undefined)
  }
  return someElement(element)
}

function someElement(test: (item: Value) => boolean): Test {
  return (value, track) => {
    const index = Array.isArray(value) ? value.findIndex((item) => test(item)) : -1
    if (index >= 0 && track !== undefined) track.index = index
    return index >= 0
  }
}

/** Comparisons hold only between values of one type, except for null (which a missing value equals), MinKey and MaxKey. */
function compileComparison(op: Comparison, value: Value): Test {
  const name = typeName(value)
  if (name === 'null')
    return op === 'gt' || op === 'lt' ? () => false : (other) => other === null || other === undefined
  if (op === 'eq') return compileEquality(value)
  if (name === 'minKey' || name === 'maxKey') return compileExtreme(op, value)
  const holds = outcomes[op]
  if (isNumber(value)) return compileNumberRange(op, value)
  if (value instanceof Date) {
    const time = value.getTime()
    return (other) => other instanceof Date && holds(other.getTime() - time)
  }
  const order = typeOrder[name]
  return (other) => other !== undefined && typeOrder[typeName(other)] === order && holds(compareValues(other, value))
}

const outcomes: Readonly<Record<Comparison, (order: number) => boolean>> = {
  eq: (order) => order === 0,
  gt: (order) => order > 0,
  gte: (order) => order >= 0,
  lt: (order) => order < 0,
  lte: (order) => order <= 0,
}

function compileEquality(value: Value): Test {
  if (typeof value === 'string' || typeof value === 'boolean') return (other) => other === value
  if (isNumber(value)) return (other) => isNumber(other) && compareNumbers(other, value) === 0
  if (value instanceof Date) {
    const time = value.getTime()
    return (other) => other instanceof Date && other.getTime() === time
  }
  return (other) => other !== undefined && equalValues(other, value)
}

/** Compares numbers. NaN equals NaN, and is neither less nor greater than any number. */
function compileNumberRange(op: Comparison, value: Value): Test {
  const holds = outcomes[op]
  if (isNaNValue(value)) return op === 'gte' || op === 'lte' ? (other) => isNaNValue(other) : () => false
  return (other) => isNumber(other) && !isNaNValue(other) && isNumber(value) && holds(compareNumbers(other, value))
}

function isNaNValue(value: Value | undefined): boolean {
  return isNumber(value) && Number.isNaN(exactDouble(value))
}

function compileExtreme(op: Comparison, value: Value): Test {
  const name = typeName(value)
  const others = name === 'minKey' ? op === 'gt' || op === 'gte' : op === 'lt' || op === 'lte'
  const itself = op === 'gte' || op === 'lte'
  return (other) => (typeName(other) === name ? itself : others)
}

function compileIn(values: readonly Value[], patterns: readonly BSONRegExp[]): Test {
  const texts = new Set(values.filter((value) => typeof value === 'string'))
  const tests = values.filter((value) => typeof value !== 'string').map((value) => compileComparison('eq', value))
  const others = [...tests, ...patterns.map(compilePattern)]
  return (value) => (typeof value === 'string' && texts.has(value)) || others.some((test) => test(value))
}

/** A pattern matches strings, and a stored regular expression that equals it. */
function compilePattern(pattern: BSONRegExp): Test {
  const regex = compileRegex(pattern)
  return (value) => {
    if (typeof value === 'string') return regex.test(value)
    return typeName(value) === 'regex' && equalValues(value, pattern)
  }
}

function compileBits(test: BitTest, positions: readonly number[]): Test {
  const wanted = test === 'allSet' || test === 'anySet'
  const all = test === 'allSet' || test === 'allClear'
  return (value) => {
    const bit = bitReader(value)
    if (bit === undefined) return false
    return all ? positions.every((at) => bit(at) === wanted) : positions.some((at) => bit(at) === wanted)
  }
}

/** Reads bits of a value: past its end, an integer continues with its sign and binary data with zeros. Other values have no bits. */
function bitReader(value: Value | undefined): ((position: number) => boolean) | undefined {
  if (value instanceof Binary) {
    return (position) => position >> 3 < value.position && ((value.buffer[position >> 3]! >> (position & 7)) & 1) === 1
  }
  const integer = isNumber(value) ? toInteger(value) : undefined
  if (integer === undefined) return undefined
  return (position) => ((integer >> BigInt(Math.min(position, 63))) & 1n) === 1n
}
