/** Update operators on single values. Each returns the leaf for one path, or refuses its argument. */
import { Int32, Long, Timestamp } from 'bson'
import { compareValues, identicalValues } from '../bson/compare.ts'
import { isDocument, typeName, type Value } from '../bson/document.ts'
import {
  type Arithmetic,
  addNumbers,
  integerValue,
  isNumber,
  multiplyNumbers,
  type NumberValue,
  toInteger,
} from '../bson/number.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import type { Leaf, Run } from './tree.ts'

type MakeLeaf = (path: string, argument: Value) => Leaf

export const scalarOperators: Readonly<Record<string, MakeLeaf>> = {
  $set: setLeaf,
  $setOnInsert: (path, argument) => ({ ...setLeaf(path, argument), operator: '$setOnInsert' }),
  $unset: (path) => ({ operator: '$unset', path, tolerant: true, apply: () => undefined }),
  $inc: (path, argument) => arithmeticLeaf('$inc', path, argument),
  $mul: (path, argument) => arithmeticLeaf('$mul', path, argument),
  $min: (path, argument) => extremeLeaf('$min', path, argument, -1),
  $max: (path, argument) => extremeLeaf('$max', path, argument, 1),
  $currentDate: currentDateLeaf,
  $bit: bitLeaf,
}

function setLeaf(path: string, argument: Value): Leaf {
  return { operator: '$set', path, apply: (current) => (identicalValues(current, argument) ? current : argument) }
}

function arithmeticLeaf(operator: '$inc' | '$mul', path: string, argument: Value): Leaf {
  if (!isNumber(argument)) {
    const verb = operator === '$inc' ? 'increment' : 'multiply'
    throw new EngineError('TypeMismatch', `Cannot ${verb} with non-numeric argument: {${path}: ${typeName(argument)}}`)
  }
  const combine = operator === '$inc' ? addNumbers : multiplyNumbers
  const initial = operator === '$inc' ? argument : combine(argument, new Int32(0)).value
  return {
    operator,
    path,
    apply: (current, run) => applyArithmetic(operator, path, combine, argument, initial, current, run),
  }
}

function applyArithmetic(
  operator: string,
  path: string,
  combine: (a: NumberValue, b: NumberValue) => Arithmetic,
  argument: NumberValue,
  initial: NumberValue,
  current: Value | undefined,
  run: Run,
): Value {
  if (current === undefined) return initial
  if (!isNumber(current)) {
    throw new EngineError(
      'TypeMismatch',
      `Cannot apply ${operator} to a value of non-numeric type. {_id: ${show(run.root._id)}} has the field '${path}' of non-numeric type ${typeName(current)}`,
    )
  }
  const { value, overflow } = combine(current, argument)
  if (overflow) {
    throw new EngineError(
      'BadValue',
      `Failed to apply ${operator} operations to current value (${show(current)}) for document {_id: ${show(run.root._id)}}`,
    )
  }
  return identicalValues(value, current) ? current : value
}

function extremeLeaf(operator: string, path: string, argument: Value, sign: 1 | -1): Leaf {
  const apply = (current: Value | undefined) =>
    current === undefined || compareValues(argument, current) * sign > 0 ? argument : current
  return { operator, path, apply }
}

function currentDateLeaf(path: string, argument: Value): Leaf {
  const kind = currentDateType(argument)
  if (kind === 'date') return { operator: '$currentDate', path, apply: (_, run) => new Date(run.now) }
  return { operator: '$currentDate', path, apply: (_, run) => timestampOf(run.now) }
}

/** The time as a Timestamp. Its increment is always 1, since there is no replication log to number operations in. */
export function timestampOf(now: Date): Timestamp {
  return new Timestamp({ t: Math.floor(now.getTime() / 1000), i: 1 })
}

function currentDateType(argument: Value): 'date' | 'timestamp' {
  if (typeof argument === 'boolean') return 'date'
  if (!isDocument(argument)) {
    throw new EngineError(
      'BadValue',
      `${typeName(argument)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
    )
  }
  for (const name in argument) {
    if (name !== '$type') throw new EngineError('BadValue', `Unrecognized $currentDate option: ${name}`)
  }
  const { $type: type } = argument
  if (type !== 'date' && type !== 'timestamp') {
    throw new EngineError('BadValue', "The '$type' string field is required to be 'date' or 'timestamp'")
  }
  return type
}

type BitStep = (value: bigint) => bigint

function bitLeaf(path: string, argument: Value): Leaf {
  if (!isDocument(argument)) {
    throw new EngineError(
      'BadValue',
      'The $bit modifier is not compatible with a non-object. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}',
    )
  }
  const entries = Object.entries(argument)
  if (entries.length === 0)
    throw new EngineError(
      'BadValue',
      `You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}`,
    )
  const steps = entries.map(([name, operand]) => bitStep(name, operand))
  const wide = entries.some(([, operand]) => operand instanceof Long)
  return { operator: '$bit', path, apply: (current) => applyBits(path, steps, wide, current) }
}

function bitStep(name: string, operand: Value): BitStep {
  const bits = integerBits(operand)
  if (bits === undefined) {
    throw new EngineError(
      'BadValue',
      `The $bit modifier field must be an Integer(32/64 bit); a '${typeName(operand)}' is not supported here`,
    )
  }
  switch (name) {
    case 'and':
      return (value) => value & bits
    case 'or':
      return (value) => value | bits
    case 'xor':
      return (value) => value ^ bits
    default:
      throw new EngineError(
        'BadValue',
        `The $bit modifier only supports 'and', 'or', and 'xor', not '${name}' which is an unknown operator`,
      )
  }
}

function integerBits(value: Value): bigint | undefined {
  const name = typeName(value)
  return name === 'int' || name === 'long' ? toInteger(value as NumberValue) : undefined
}

function applyBits(path: string, steps: readonly BitStep[], wide: boolean, current: Value | undefined): Value {
  const before = current === undefined ? 0n : integerBits(current)
  if (before === undefined) {
    throw new EngineError(
      'BadValue',
      `Cannot apply $bit to a value of non-integral type. The field '${path}' has type ${typeName(current)}`,
    )
  }
  const after = steps.reduce((value, step) => step(value), before)
  if (current !== undefined && after === before && !(wide && typeName(current) === 'int')) return current
  return wide || current instanceof Long ? Long.fromBigInt(after) : integerValue(after)!
}
