/** Update operators on arrays. Each returns the leaf for one path, or refuses its argument. */
import { BSONRegExp } from 'bson'
import { compareValues, equalValues } from '../bson/compare.ts'
import {
  type Document,
  documentOf,
  firstField,
  isDocument,
  newDocument,
  typeName,
  type Value,
} from '../bson/document.ts'
import { isNumber, toInteger } from '../bson/number.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import { compileFilter } from '../match/compile.ts'
import { fieldOperators } from '../match/names.ts'
import { parseFilter } from '../match/parse.ts'
import type { Leaf, Run } from './tree.ts'

type MakeLeaf = (path: string, argument: Value) => Leaf

export const arrayOperators: Readonly<Record<string, MakeLeaf>> = {
  $push: pushLeaf,
  $addToSet: addToSetLeaf,
  $pop: popLeaf,
  $pull: pullLeaf,
  $pullAll: pullAllLeaf,
}

type Push = {
  readonly values: readonly Value[]
  readonly position: number | undefined
  readonly slice: number | undefined
  readonly compare: ((a: Value, b: Value) => number) | undefined
}

function pushLeaf(path: string, argument: Value): Leaf {
  const push = parsePush(argument)
  return {
    operator: '$push',
    path,
    apply: (current, run) => {
      if (current !== undefined && !Array.isArray(current)) throw notAnArray(path, current, run)
      const result = pushed(push, current ?? [])
      return current !== undefined && sameItems(current, result) ? current : result
    },
  }
}

function notAnArray(path: string, current: Value, run: Run): EngineError {
  return new EngineError(
    'BadValue',
    `The field '${path}' must be an array but is of type ${typeName(current)} in document {_id: ${show(run.root._id)}}`,
  )
}

function sameItems(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index])
}

/** The array with the values inserted at the position, then sorted, then sliced. */
function pushed({ values, position, slice, compare }: Push, items: readonly Value[]): Value[] {
  const at = position === undefined || position >= items.length ? items.length : position
  const from = at < 0 ? Math.max(items.length + at, 0) : at
  const result = [...items.slice(0, from), ...values, ...items.slice(from)]
  if (compare !== undefined) result.sort(compare)
  if (slice === undefined) return result
  if (slice === 0) return []
  return slice > 0 ? result.slice(0, slice) : result.slice(slice)
}

function parsePush(argument: Value): Push {
  if (!isDocument(argument) || argument.$each === undefined) {
    return { values: [argument], position: undefined, slice: undefined, compare: undefined }
  }
  const { $each: values, $position: position, $slice: slice, $sort: sort } = argument
  if (!Array.isArray(values)) {
    throw new EngineError(
      'BadValue',
      `The argument to $each in $push must be an array but it was of type: ${typeName(values)}`,
    )
  }
  for (const clause in argument) {
    if (!['$each', '$position', '$slice', '$sort'].includes(clause)) {
      throw new EngineError('BadValue', `Unrecognized clause in $push: ${clause}`)
    }
  }
  return {
    values,
    position: position === undefined ? undefined : integerClause('$position', position),
    slice: slice === undefined ? undefined : integerClause('$slice', slice),
    compare: sort === undefined ? undefined : parsePushSort(sort),
  }
}

function integerClause(clause: string, value: Value): number {
  const integer = isNumber(value) ? toInteger(value) : undefined
  if (integer === undefined) {
    throw new EngineError(
      'BadValue',
      `The value for ${clause} must be an integer value but was given type: ${typeName(value)}`,
    )
  }
  return Number(integer)
}

function parsePushSort(sort: Value): (a: Value, b: Value) => number {
  if (isNumber(sort)) {
    const direction = sortDirection(sort)
    return (a, b) => compareValues(a, b) * direction
  }
  if (!isDocument(sort))
    throw new EngineError(
      'BadValue',
      'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields',
    )
  const keys = Object.entries(sort).map(([path, value]) => {
    if (path.split('.').some((part) => part === '')) {
      throw new EngineError('BadValue', `The $sort field is a dotted field but has an empty part: ${path}`)
    }
    return { parts: path.split('.'), direction: sortDirection(value) }
  })
  if (keys.length === 0)
    throw new EngineError('BadValue', 'The $sort pattern is empty when it should be a set of fields.')
  return (a, b) => {
    for (const { parts, direction } of keys) {
      const order = compareValues(fieldOf(a, parts), fieldOf(b, parts))
      if (order !== 0) return order * direction
    }
    return 0
  }
}

function sortDirection(value: Value): 1 | -1 {
  const direction = isNumber(value) ? toInteger(value) : undefined
  if (direction !== 1n && direction !== -1n)
    throw new EngineError('BadValue', 'The $sort element value must be either 1 or -1')
  return direction === 1n ? 1 : -1
}

/** The value at the path, followed through documents only, as mongod does for the `$sort` of `$push`. */
function fieldOf(value: Value, parts: readonly string[]): Value | undefined {
  let result: Value | undefined = value
  for (const part of parts) result = isDocument(result) ? result[part] : undefined
  return result
}

function addToSetLeaf(path: string, argument: Value): Leaf {
  const values = addToSetValues(argument)
  return {
    operator: '$addToSet',
    path,
    apply: (current) => {
      if (current !== undefined && !Array.isArray(current)) {
        throw new EngineError(
          'BadValue',
          `Cannot apply $addToSet to non-array field. Field named '${path}' has non-array type ${typeName(current)}`,
        )
      }
      const result = [...(current ?? [])]
      for (const value of values) if (!result.some((item) => equalValues(item, value))) result.push(value)
      return result.length === current?.length ? current : result
    },
  }
}

function addToSetValues(argument: Value): readonly Value[] {
  if (!isDocument(argument) || firstField(argument) !== '$each') return [argument]
  const { $each: values } = argument
  if (!Array.isArray(values)) {
    throw new EngineError(
      'TypeMismatch',
      `The argument to $each in $addToSet must be an array but it was of type ${typeName(values)}`,
    )
  }
  const other = Object.keys(argument)[1]
  if (other !== undefined)
    throw new EngineError('BadValue', `Found unexpected fields after $each in $addToSet: ${other}`)
  return values
}

function popLeaf(path: string, argument: Value): Leaf {
  const end = isNumber(argument) ? toInteger(argument) : undefined
  if (end !== 1n && end !== -1n)
    throw new EngineError('FailedToParse', `$pop expects 1 or -1, found: ${show(argument)}`)
  return {
    operator: '$pop',
    path,
    apply: (current) => {
      if (current === undefined) return undefined
      if (!Array.isArray(current)) {
        throw new EngineError(
          'TypeMismatch',
          `Path '${path}' contains an element of non-array type '${typeName(current)}'`,
        )
      }
      if (current.length === 0) return current
      return end === 1n ? current.slice(0, -1) : current.slice(1)
    },
  }
}

function pullLeaf(path: string, argument: Value): Leaf {
  return cullingLeaf('$pull', path, pullTest(argument))
}

/** The test of elements to remove. A document is a filter on elements that are documents; operators and patterns test any element. */
function pullTest(argument: Value): (item: Value) => boolean {
  if (isDocument(argument) && !isCondition(argument)) {
    const { matches } = compileFilter(parseFilter(argument, 'part'))
    return (item) => isDocument(item) && matches(item)
  }
  if (isDocument(argument) || argument instanceof BSONRegExp) {
    const { matches } = compileFilter(parseFilter(documentOf({ '': argument }), 'part'))
    return (item) => matches(wrapped(item))
  }
  return (item) => equalValues(item, argument)
}

/** Whether a document holds operators that test the element itself. As in mongod, one that begins with `$not` is a filter on documents. */
function isCondition(argument: Document): boolean {
  const operator = firstField(argument)
  return operator !== undefined && operator !== '$not' && Object.hasOwn(fieldOperators, operator)
}

function wrapped(item: Value): Document {
  const doc = newDocument()
  doc[''] = item
  return doc
}

function pullAllLeaf(path: string, argument: Value): Leaf {
  if (!Array.isArray(argument)) {
    throw new EngineError('BadValue', `$pullAll requires an array argument but was given a ${typeName(argument)}`)
  }
  return cullingLeaf('$pullAll', path, (item) => argument.some((value) => equalValues(item, value)))
}

function cullingLeaf(operator: string, path: string, culled: (item: Value) => boolean): Leaf {
  return {
    operator,
    path,
    apply: (current) => {
      if (current === undefined) return undefined
      if (!Array.isArray(current)) throw new EngineError('BadValue', 'Cannot apply $pull to a non-array value')
      const rest = current.filter((item) => !culled(item))
      return rest.length === current.length ? current : rest
    },
  }
}
