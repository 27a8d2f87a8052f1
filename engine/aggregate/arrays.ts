/** Array expressions. */
import { Int32 } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { isDocument, typeName, type Value } from '../bson/document.ts'
import { isNumber, isTruthy } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { compileSort } from '../sort/sort.ts'
import { isNullish, namedParts, needArray, needInt, positional } from './arguments.ts'
import { compareResults } from './logic.ts'
import { bind, type Compile, type Evaluate, type Operator } from './scope.ts'

type Values = readonly (Value | undefined)[]

export const arrayOperators: Readonly<Record<string, Operator>> = {
  $map: mapOperator,
  $filter: filterOperator,
  $reduce: reduceOperator,
  $concatArrays: positional(0, Infinity, concatArrays),
  $slice: positional(2, 3, slice),
  $in: positional(2, 2, ([value, list]) =>
    needArray(list, '$in', 40081).some((item) => compareResults(item, value) === 0),
  ),
  $size: positional(1, 1, ([list]) => new Int32(needArray(list, 'The argument to $size', 17124).length)),
  $arrayElemAt: positional(2, 2, ([list, index]) => elementAt(list, index)),
  $first: positional(1, 1, ([list]) => elementAt(list, 0)),
  $last: positional(1, 1, ([list]) => elementAt(list, -1)),
  $isArray: positional(1, 1, ([value]) => Array.isArray(value)),
  $reverseArray: positional(1, 1, ([list]) =>
    isNullish(list) ? null : needArray(list, '$reverseArray', 34435).toReversed(),
  ),
  $indexOfArray: positional(2, 4, indexOfArray),
  $range: positional(2, 3, range),
  $sortArray: sortArray,
}

const mapCodes = { notObject: 16878, unknown: 16879, missing: { input: 16880, in: 16882 } }

function mapOperator(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['as'], mapCodes)
  const variable = variableName(parts.as, 'this')
  const input = compile(parts.input!)
  const body = compile(parts.in!, [variable])
  return (context) => {
    const list = input(context)
    if (isNullish(list)) return null
    return needArray(list, 'input to $map', 16883).map((item) => body(bind(context, variable, item)) ?? null)
  }
}

function variableName(value: Value | undefined, otherwise: string): string {
  if (value === undefined) return otherwise
  if (typeof value !== 'string')
    throw new EngineError('TypeMismatch', `'as' must be a string, found: ${typeName(value)}`)
  return value
}

const filterCodes = { notObject: 28646, unknown: 28647, missing: { input: 28648, cond: 28650 } }

function filterOperator(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['as', 'limit'], filterCodes)
  const variable = variableName(parts.as, 'this')
  const input = compile(parts.input!)
  const test = compile(parts.cond!, [variable])
  const limit = parts.limit === undefined ? undefined : compile(parts.limit)
  return (context) => {
    const list = input(context)
    if (isNullish(list)) return null
    const kept = needArray(list, 'input to $filter', 28651).filter((item) =>
      isTruthy(test(bind(context, variable, item))),
    )
    const most = limit?.(context)
    if (isNullish(most)) return kept
    const count = needInt(most, '$filter limit', 327391)
    if (count < 1) throw new EngineError(327392, `$filter: limit must be greater than 0, found: ${count}`)
    return kept.slice(0, count)
  }
}

const reduceCodes = { notObject: 40075, unknown: 40076, missing: { input: 40077, initialValue: 40078, in: 40079 } }

function reduceOperator(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, [], reduceCodes)
  const input = compile(parts.input!)
  const initial = compile(parts.initialValue!)
  const body = compile(parts.in!, ['this', 'value'])
  return (context) => {
    const list = input(context)
    if (isNullish(list)) return null
    let value = initial(context)
    for (const item of needArray(list, '$reduce', 40080))
      value = body(bind(bind(context, 'this', item), 'value', value))
    return value
  }
}

function concatArrays(lists: Values): Value {
  const result: Value[] = []
  for (const list of lists) {
    if (isNullish(list)) return null
    if (!Array.isArray(list)) throw new EngineError(28664, `$concatArrays only supports arrays, not ${typeName(list)}`)
    for (const item of list) result.push(item)
  }
  return result
}

function slice(values: Values): Value {
  const [list, second, third] = values
  if (isNullish(list) || isNullish(second) || (values.length === 3 && isNullish(third))) return null
  const items = needArray(list, 'First argument to $slice', 28724)
  const first = needInt(second, 'Second argument to $slice', 28725)
  if (values.length === 2) return first >= 0 ? items.slice(0, first) : items.slice(first)
  const count = needInt(third, 'Third argument to $slice', 28727)
  if (count <= 0) throw new EngineError(28729, 'Third argument to $slice must be positive')
  const from = first < 0 ? Math.max(items.length + first, 0) : first
  return items.slice(from, from + count)
}

function elementAt(list: Value | undefined, index: Value | undefined): Value | undefined {
  if (isNullish(list) || isNullish(index)) return null
  const items = needArray(list, "$arrayElemAt's first argument", 28689)
  if (!isNumber(index))
    throw new EngineError(28690, `$arrayElemAt's second argument must be a numeric value, but is ${typeName(index)}`)
  return items.at(needInt(index, "$arrayElemAt's second argument", 28691))
}

function indexOfArray([list, search, from, to]: Values): Value {
  if (isNullish(list)) return null
  const items = needArray(list, '$indexOfArray', 40090)
  const start = from === undefined ? 0 : needInt(from, '$indexOfArray', 40096)
  const end = to === undefined ? items.length : needInt(to, '$indexOfArray', 40096)
  if (start < 0 || end < 0) throw new EngineError(40097, '$indexOfArray requires a nonnegative start and end index')
  for (let at = start; at < Math.min(end, items.length); at++)
    if (compareResults(items[at], search) === 0) return new Int32(at)
  return new Int32(-1)
}

/** The most elements that `$range` may return: about as many as one document can hold. */
const rangeMax = 1_000_000

function range([from, to, by]: Values): Value {
  const start = needInt(from, '$range', 34443)
  const end = needInt(to, '$range', 34445)
  const step = by === undefined ? 1 : needInt(by, '$range', 34447)
  if (step === 0) throw new EngineError(34449, '$range requires a non-zero step value')
  if ((end - start) / step > rangeMax) throw new EngineError('ExceededMemoryLimit', '$range would use too much memory')
  const result: Value[] = []
  for (let value = start; step > 0 ? value < end : value > end; value += step) result.push(new Int32(value))
  return result
}

const sortArrayCodes = { notObject: 2942500, unknown: 2942501, missing: { input: 2942502, sortBy: 2942503 } }

function sortArray(argument: Value, compile: Compile, name: string): Evaluate {
  const { input, sortBy } = namedParts(argument, name, [], sortArrayCodes)
  const list = compile(input!)
  const compare = elementOrder(sortBy!)
  return (context) => {
    const value = list(context)
    return isNullish(value) ? null : [...needArray(value, 'The input argument to $sortArray', 2942504)].sort(compare)
  }
}

function elementOrder(sortBy: Value): (a: Value, b: Value) => number {
  if (isDocument(sortBy)) {
    const compare = compileSort(sortBy)
    return (a, b) => (isDocument(a) && isDocument(b) ? compare(a, b) : compareValues(a, b))
  }
  const direction = needInt(sortBy, '$sortArray', 2942506)
  if (direction !== 1 && direction !== -1)
    throw new EngineError(2942507, 'The $sort element value must be either 1 or -1')
  return (a, b) => compareValues(a, b) * direction
}
