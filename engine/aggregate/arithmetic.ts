/** Arithmetic expressions, and accumulators that are used as expressions. */
import { Decimal128, Double, Int32, Long } from 'bson'
import { divideDecimals, packDecimal, roundDecimal } from '../bson/decimal.ts'
import { isDocument, typeName, type Value } from '../bson/document.ts'
import {
  addNumbers,
  integerValue,
  isDouble,
  isNumber,
  multiplyNumbers,
  type NumberValue,
  subtractNumbers,
  toDecimal,
  toDouble,
  toInteger,
} from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { accumulators } from './accumulators.ts'
import { isNullish, needInt, needNumber, nullable, positional } from './arguments.ts'
import type { Evaluate, Operator } from './scope.ts'

export const arithmeticOperators: Readonly<Record<string, Operator>> = {
  $add: positional(0, Infinity, (values) => addAll(values)),
  $subtract: positional(2, 2, ([a, b]) => subtract(a, b)),
  $multiply: positional(0, Infinity, (values) => multiplyAll(values)),
  $divide: positional(2, 2, ([a, b]) => divide(a, b)),
  $mod: positional(2, 2, ([a, b]) => modulo(a, b)),
  $abs: nullable((value) => absolute(needNumber(value, '$abs', 28765))),
  $ceil: nullable((value) => integral(needNumber(value, '$ceil', 28765), Math.ceil, 'up')),
  $floor: nullable((value) => integral(needNumber(value, '$floor', 28765), Math.floor, 'down')),
  $round: positional(1, 2, ([value, place]) => roundTo(value, place, '$round', 'even')),
  $trunc: positional(1, 2, ([value, place]) => roundTo(value, place, '$trunc', 'zero')),
  $sqrt: nullable((value) => squareRoot(needNumber(value, '$sqrt', 28765))),
  $pow: positional(2, 2, ([base, exponent]) => power(base, exponent)),
  $rand: random,
  $sum: accumulated('$sum'),
  $avg: accumulated('$avg'),
  $min: accumulated('$min'),
  $max: accumulated('$max'),
}

function random(argument: Value): Evaluate {
  const given = isDocument(argument) ? Object.keys(argument).length : Array.isArray(argument) ? argument.length : 1
  if (given > 0) throw new EngineError(3040501, '$rand does not currently accept arguments')
  return () => new Double(Math.random())
}

/** An accumulator over its arguments, or over the array a single argument evaluates to. */
function accumulated(name: '$sum' | '$avg' | '$min' | '$max'): Operator {
  return positional(0, Infinity, (values) => {
    const accumulator = accumulators[name]()
    const [only] = values
    for (const value of values.length === 1 && Array.isArray(only) ? only : values) accumulator.add(value)
    return accumulator.result()
  })
}

/** Adds in the widest type of the operands; an int64 overflow becomes a double. One operand may be a date. */
function addAll(values: readonly (Value | undefined)[]): Value {
  let total: NumberValue = new Int32(0)
  let date: Date | undefined
  for (const value of values) {
    if (isNullish(value)) return null
    if (value instanceof Date) {
      if (date !== undefined) throw new EngineError(16612, 'only one date allowed in an $add expression')
      date = value
    } else total = addNumbers(total, needOperand(value, '$add')).value
  }
  return date === undefined ? total : shiftDate(date, toDouble(total))
}

function needOperand(value: Value, name: string): NumberValue {
  if (isNumber(value)) return value
  throw new EngineError('TypeMismatch', `${name} only supports numeric or date types, not ${typeName(value)}`)
}

/** The date plus `milliseconds`, which are rounded. Fails with Overflow outside the range of JS dates. */
export function shiftDate(date: Date, milliseconds: number): Date {
  const moved = new Date(date.getTime() + Math.round(milliseconds))
  if (Number.isNaN(moved.getTime())) throw new EngineError('Overflow', 'date overflow')
  return moved
}

function subtract(a: Value | undefined, b: Value | undefined): Value {
  if (isNullish(a) || isNullish(b)) return null
  if (a instanceof Date && b instanceof Date) return Long.fromNumber(a.getTime() - b.getTime())
  if (a instanceof Date && isNumber(b)) return shiftDate(a, -toDouble(b))
  if (isNumber(a) && isNumber(b)) return subtractNumbers(a, b).value
  throw new EngineError('TypeMismatch', `can't $subtract ${typeName(b)} from ${typeName(a)}`)
}

function multiplyAll(values: readonly (Value | undefined)[]): Value {
  let product: NumberValue = new Int32(1)
  for (const value of values) {
    if (isNullish(value)) return null
    if (!isNumber(value))
      throw new EngineError('TypeMismatch', `$multiply only supports numeric types, not ${typeName(value)}`)
    product = multiplyNumbers(product, value).value
  }
  return product
}

function divide(a: Value | undefined, b: Value | undefined): Value {
  if (isNullish(a) || isNullish(b)) return null
  if (!isNumber(a) || !isNumber(b)) {
    throw new EngineError('TypeMismatch', `$divide only supports numeric types, not ${typeName(a)} and ${typeName(b)}`)
  }
  if (toDouble(b) === 0) throw new EngineError('BadValue', "can't $divide by zero")
  if (a instanceof Decimal128 || b instanceof Decimal128) return packDecimal(divideDecimals(toDecimal(a), toDecimal(b)))
  return new Double(toDouble(a) / toDouble(b))
}

function modulo(a: Value | undefined, b: Value | undefined): Value {
  if (isNullish(a) || isNullish(b)) return null
  if (!isNumber(a) || !isNumber(b)) {
    throw new EngineError(16611, `$mod only supports numeric types, not ${typeName(a)} and ${typeName(b)}`)
  }
  if (toDouble(b) === 0) throw new EngineError(16610, "can't $mod by zero")
  if (a instanceof Decimal128 || b instanceof Decimal128) throw noDecimal('$mod')
  if (isDouble(a) || isDouble(b)) return new Double(toDouble(a) % toDouble(b))
  return sameWidth(toInteger(a)! % toInteger(b)!, a instanceof Long || b instanceof Long)
}

function noDecimal(name: string): EngineError {
  return new EngineError('NotImplemented', `${name} of a decimal is not supported by the embedded engine`)
}

function sameWidth(value: bigint, wide: boolean): Value {
  return wide ? Long.fromBigInt(BigInt.asIntN(64, value)) : integerValue(value)!
}

function absolute(value: NumberValue): Value {
  return toDouble(value) < 0 ? multiplyNumbers(value, new Int32(-1)).value : value
}

function integral(value: NumberValue, round: (value: number) => number, direction: 'up' | 'down'): Value {
  if (value instanceof Decimal128) return packDecimal(roundDecimal(toDecimal(value), 0, direction))
  return isDouble(value) ? new Double(round(toDouble(value))) : value
}

function roundTo(value: Value | undefined, place: Value | undefined, name: string, rule: 'even' | 'zero'): Value {
  if (isNullish(value) || place === null) return null
  const number = needNumber(value, name, 51081)
  const digits = place === undefined ? 0 : needInt(place, name, 51082)
  if (digits < -20 || digits > 100)
    throw new EngineError(51083, `cannot apply ${name} with precision value ${digits} value must be in [-20, 100]`)
  if (isDouble(number)) return new Double(roundDouble(toDouble(number), digits, rule))
  if (digits >= 0 && !(number instanceof Decimal128)) return number
  const rounded = packDecimal(roundDecimal(toDecimal(number), digits, rule))
  return number instanceof Decimal128 ? rounded : sameWidth(toInteger(rounded) ?? 0n, number instanceof Long)
}

/** Rounds a double by the decimal digits with which it is written. */
function roundDouble(value: number, digits: number, rule: 'even' | 'zero'): number {
  if (!Number.isFinite(value)) return value
  const rounded = packDecimal(roundDecimal(toDecimal(Decimal128.fromString(String(value))), digits, rule))
  return Number(rounded.toString())
}

function squareRoot(value: NumberValue): Value {
  if (value instanceof Decimal128) throw noDecimal('$sqrt')
  if (toDouble(value) < 0) throw new EngineError(28714, "$sqrt's argument must be greater than or equal to 0")
  return new Double(Math.sqrt(toDouble(value)))
}

function power(base: Value | undefined, exponent: Value | undefined): Value {
  if (isNullish(base) || isNullish(exponent)) return null
  const a = needNumber(base, '$pow', 28762)
  const b = needNumber(exponent, '$pow', 28763)
  if (a instanceof Decimal128 || b instanceof Decimal128) throw noDecimal('$pow')
  if (toDouble(a) === 0 && toDouble(b) < 0)
    throw new EngineError(28764, '$pow cannot take a base of 0 and a negative exponent')
  const result = toDouble(a) ** toDouble(b)
  const whole = !isDouble(a) && !isDouble(b) && toDouble(b) >= 0 && Number.isSafeInteger(result)
  return whole
    ? sameWidth(BigInt(result), a instanceof Long || b instanceof Long || Math.abs(result) > 0x7fff_ffff)
    : new Double(result)
}
