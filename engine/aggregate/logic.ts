/** Comparison, boolean and conditional expressions, variables and literals. */

import { Int32 } from 'bson'
import { compareValues } from '../bson/compare.ts'
import { type Document, isDocument, typeName, type Value } from '../bson/document.ts'
import { isTruthy } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { isNullish, namedParts, positional, positionalParts } from './arguments.ts'
import { bind, type Evaluate, type Operator } from './scope.ts'

/** Compares results of expressions as `compareValues` does, except that a missing value sorts before null. */
export function compareResults(a: Value | undefined, b: Value | undefined): number {
  if (a !== undefined && b !== undefined) return compareValues(a, b)
  if (a === b) return 0
  if (a === undefined) return typeName(b) === 'minKey' ? 1 : -1
  return typeName(a) === 'minKey' ? -1 : 1
}

function comparison(holds: (order: number) => boolean): Operator {
  return positional(2, 2, ([a, b]) => holds(compareResults(a, b)))
}

export const logicOperators: Readonly<Record<string, Operator>> = {
  $eq: comparison((order) => order === 0),
  $ne: comparison((order) => order !== 0),
  $gt: comparison((order) => order > 0),
  $gte: comparison((order) => order >= 0),
  $lt: comparison((order) => order < 0),
  $lte: comparison((order) => order <= 0),
  $cmp: positional(2, 2, ([a, b]) => new Int32(Math.sign(compareResults(a, b)))),
  $and: (argument, compile) => {
    const parts = (Array.isArray(argument) ? argument : [argument]).map((part) => compile(part))
    return (context) => parts.every((part) => isTruthy(part(context)))
  },
  $or: (argument, compile) => {
    const parts = (Array.isArray(argument) ? argument : [argument]).map((part) => compile(part))
    return (context) => parts.some((part) => isTruthy(part(context)))
  },
  $not: positional(1, 1, ([value]) => !isTruthy(value)),
  $cond: condOperator,
  $ifNull: ifNullOperator,
  $switch: switchOperator,
  $let: letOperator,
  $literal: (argument) => () => argument,
}

/** The codes of `missing` are entries, because an object literal with a field `then` looks like a promise. */
const condCodes = {
  notObject: 17080,
  unknown: 17083,
  missing: Object.fromEntries([
    ['if', 17080],
    ['then', 17081],
    ['else', 17082],
  ]),
}

function condOperator(argument: Value, compile: (part: Value) => Evaluate, name: string): Evaluate {
  const parts = isDocument(argument)
    ? Object.values(inOrder(namedParts(argument, name, [], condCodes)))
    : positionalParts(argument, 3, 3, name)
  const [test, yes, no] = parts.map((part) => compile(part)) as [Evaluate, Evaluate, Evaluate]
  return (context) => (isTruthy(test(context)) ? yes(context) : no(context))
}

function inOrder(parts: Document): readonly [Value, Value, Value] {
  return [parts.if!, parts.then!, parts.else!]
}

function ifNullOperator(argument: Value, compile: (part: Value) => Evaluate): Evaluate {
  if (!Array.isArray(argument) || argument.length < 2) {
    throw new EngineError(1257300, '$ifNull needs at least two arguments')
  }
  const parts = argument.map((part) => compile(part))
  const last = parts.at(-1)!
  return (context) => {
    for (const part of parts.slice(0, -1)) {
      const value = part(context)
      if (!isNullish(value)) return value
    }
    return last(context)
  }
}

const switchCodes = { notObject: 40060, unknown: 40067, missing: { branches: 40068 } }
const branchCodes = {
  notObject: 40062,
  unknown: 40063,
  missing: Object.fromEntries([
    ['case', 40064],
    ['then', 40065],
  ]),
}

function switchOperator(argument: Value, compile: (part: Value) => Evaluate, name: string): Evaluate {
  const { branches, default: otherwise } = namedParts(argument, name, ['default'], switchCodes)
  if (!Array.isArray(branches))
    throw new EngineError(40061, `$switch expected an array for 'branches', found: ${typeName(branches)}`)
  if (branches.length === 0) throw new EngineError(40068, '$switch requires at least one branch.')
  const cases = branches.map((branch) => {
    const parts = namedParts(branch, 'a $switch branch', [], branchCodes)
    return [compile(parts.case!), compile(parts.then!)] as const
  })
  const last = otherwise === undefined ? undefined : compile(otherwise)
  return (context) => {
    for (const [test, then] of cases) if (isTruthy(test(context))) return then(context)
    if (last === undefined) {
      throw new EngineError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      )
    }
    return last(context)
  }
}

const letCodes = { notObject: 16874, unknown: 16875, missing: { vars: 16876, in: 16877 } }

function letOperator(
  argument: Value,
  compile: (part: Value, names?: readonly string[]) => Evaluate,
  name: string,
): Evaluate {
  const { vars, in: body } = namedParts(argument, name, [], letCodes)
  if (!isDocument(vars)) throw new EngineError(10065, 'invalid parameter: expected an object (vars)')
  const names = Object.keys(vars)
  const values = names.map((variable) => compile(vars[variable]!))
  const result = compile(body!, names)
  return (context) => {
    let extended = context
    for (const [index, variable] of names.entries()) extended = bind(extended, variable, values[index]!(context))
    return result(extended)
  }
}
