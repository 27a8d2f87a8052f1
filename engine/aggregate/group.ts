/** `$group`, `$sortByCount` and `$count`. */
import { Int32 } from 'bson'
import { documentOf, firstField, isDocument, newDocument, type Value } from '../bson/document.ts'
import { isNumber } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { sortInSteps } from '../sort/steps.ts'
import { type Accumulator, accumulators, groupKey } from './accumulators.ts'
import { compileExpression } from './expression.ts'
import type { Constants, Evaluate } from './scope.ts'
import { collect, type Documents, needDocument } from './stages.ts'

type Column = { readonly field: string; readonly make: () => Accumulator; readonly evaluate: Evaluate }

export type Transform = (input: Documents) => Documents

/** How many groups one stage may hold: mongod's limit of 100 MB at about 100 bytes for each. */
const groupsMax = 1_000_000

/** Compiles `$group`. Groups are returned in the order in which they were first seen. */
export function compileGroup(argument: Value, names: Constants): Transform {
  const spec = needDocument(argument, 15947, "a group's fields must be specified in an object")
  if (spec._id === undefined) throw new EngineError(15955, 'a group specification must include an _id')
  const id = compileId(spec._id, names)
  const columns = Object.keys(spec)
    .filter((field) => field !== '_id')
    .map((field) => compileColumn(field, spec[field]!, names))
  return function* (input) {
    const groups = new Map<string, { readonly id: Value; readonly totals: readonly Accumulator[] }>()
    for (const doc of input) {
      if (doc === undefined) {
        yield undefined
        continue
      }
      const context = { root: doc, bound: undefined }
      const value = id(context) ?? null
      const key = groupKey(value)
      let group = groups.get(key)
      if (group === undefined) {
        if (groups.size >= groupsMax)
          throw new EngineError('QueryExceededMemoryLimitNoDiskUseAllowed', 'Exceeded memory limit for $group')
        group = { id: value, totals: columns.map(({ make }) => make()) }
        groups.set(key, group)
      }
      for (const [index, column] of columns.entries()) group.totals[index]!.add(column.evaluate(context))
    }
    for (const { id: value, totals } of groups.values()) {
      const doc = newDocument()
      doc._id = value
      for (const [index, column] of columns.entries()) doc[column.field] = totals[index]!.result()
      yield doc
    }
  }
}

/** The `_id` of a document's group. In an `_id` of one field, `{ k: ... }`, a missing value becomes null; in one of more it is left out. */
function compileId(spec: Value, names: Constants): Evaluate {
  const first = isDocument(spec) ? firstField(spec) : undefined
  if (!isDocument(spec) || first === undefined || first.startsWith('$')) return compileExpression(spec, names)
  if (Object.values(spec).some((value) => isNumber(value) || typeof value === 'boolean'))
    throw new EngineError(17390, '$group does not support inclusion-style expressions')
  const whole = compileExpression(spec, names)
  if (Object.keys(spec).length > 1) return whole
  const only = compileExpression(spec[first]!, names)
  return (context) => documentOf({ [first]: only(context) ?? null })
}

function compileColumn(field: string, spec: Value, names: Constants): Column {
  if (field.includes('.')) throw new EngineError(40235, `The field name '${field}' cannot contain '.'`)
  if (field.startsWith('$')) throw new EngineError(40236, `The field name '${field}' cannot be an operator name`)
  const operator = isDocument(spec) ? firstField(spec) : undefined
  if (!isDocument(spec) || operator === undefined)
    throw new EngineError(40234, `The field '${field}' must be an accumulator object`)
  if (Object.keys(spec).length > 1) throw new EngineError(40238, `The field '${field}' must specify one accumulator`)
  if (operator === '$count') {
    if (!isDocument(spec.$count) || firstField(spec.$count) !== undefined)
      throw new EngineError('TypeMismatch', '$count takes no arguments, i.e. $count:{}')
    return { field, make: accumulators.$sum, evaluate: () => one }
  }
  if (!Object.hasOwn(accumulators, operator)) throw new EngineError(15952, `unknown group operator '${operator}'`)
  const argument = spec[operator]!
  if (Array.isArray(argument)) throw new EngineError(40237, `The ${operator} accumulator is a unary operator`)
  return {
    field,
    make: accumulators[operator as keyof typeof accumulators],
    evaluate: compileExpression(argument, names),
  }
}

const one = new Int32(1)

/** `$count: field`: returns one document, or none for an empty input. */
export function compileCount(argument: Value): Transform {
  const field = countField(argument)
  return function* (input) {
    let count = 0
    for (const doc of input) {
      if (doc === undefined) yield undefined
      else count++
    }
    if (count > 0) yield documentOf({ [field]: new Int32(count) })
  }
}

export function countField(argument: Value): string {
  if (typeof argument !== 'string') throw new EngineError(40156, 'the count field must be a non-empty string')
  if (argument === '') throw new EngineError(40157, 'the count field must be a non-empty string')
  if (argument.startsWith('$')) throw new EngineError(40158, 'the count field cannot be a $-prefixed path')
  if (argument.includes('\0')) throw new EngineError(40159, 'the count field cannot contain a null byte')
  if (argument.includes('.')) throw new EngineError(40160, "the count field cannot contain '.'")
  return argument
}

/** `$sortByCount: expression`: returns groups with their `count`, the largest first. */
export function compileSortByCount(argument: Value, names: Constants): Transform {
  const [code, text] = isDocument(argument)
    ? [40147, firstField(argument) ?? '']
    : typeof argument === 'string'
      ? [40148, argument]
      : [40149, '']
  if (!text.startsWith('$'))
    throw new EngineError(
      code,
      'the sortByCount field must be defined as a $-prefixed path or an expression inside an object',
    )
  const group = compileGroup(documentOf({ _id: argument, count: documentOf({ $sum: one }) }), names)
  return function* (input) {
    const groups = yield* collect(group(input))
    yield* yield* sortInSteps(groups, (a, b) => Number(b.count) - Number(a.count))
  }
}
