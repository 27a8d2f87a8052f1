/** Type expressions and conversions. */
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import { decimalFromDouble, packDecimal, roundDecimal } from '../bson/decimal.ts'
import { type TypeName, typeName, typeNumbers, type Value } from '../bson/document.ts'
import {
  exactDouble,
  isDouble,
  isNumber,
  isTruthy,
  type NumberValue,
  toDecimal,
  toDouble,
  toInteger,
} from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { isNullish, namedParts, positional } from './arguments.ts'
import type { Compile, Evaluate, Operator } from './scope.ts'

export const conversionOperators: Readonly<Record<string, Operator>> = {
  $type: positional(1, 1, ([value]) => typeName(value)),
  $isNumber: positional(1, 1, ([value]) => isNumber(value)),
  $toBool: to('bool'),
  $toInt: to('int'),
  $toLong: to('long'),
  $toDouble: to('double'),
  $toDecimal: to('decimal'),
  $toString: to('string'),
  $toDate: to('date'),
  $toObjectId: to('objectId'),
  $convert: convertOperator,
}

function to(target: TypeName): Operator {
  return positional(1, 1, ([value]) => (isNullish(value) ? null : convert(value, target)))
}

function failed(value: Value, target: TypeName): EngineError {
  return new EngineError(
    'ConversionFailure',
    `Unsupported conversion from ${typeName(value)} to ${target} in $convert with no onError value`,
  )
}

function notParsed(text: string, target: TypeName): EngineError {
  return new EngineError(
    'ConversionFailure',
    `Failed to parse '${text.slice(0, 80)}' as ${target} in $convert with no onError value`,
  )
}

function outOfRange(target: TypeName): EngineError {
  return new EngineError(
    'ConversionFailure',
    `Conversion would overflow target type ${target} in $convert with no onError value`,
  )
}

/** Converts a value to another type. Fails with ConversionFailure. */
function convert(value: Value, target: TypeName): Value {
  if (typeName(value) === target) return value
  switch (target) {
    case 'bool':
      return isNumber(value) ? isTruthy(value) : true
    case 'int':
    case 'long':
      return toIntegerType(value, target)
    case 'double':
      return toDoubleType(value)
    case 'decimal':
      return toDecimalType(value)
    case 'string':
      return toText(value)
    case 'date':
      return toDate(value)
    case 'objectId':
      if (typeof value !== 'string') throw failed(value, target)
      if (!/^[0-9a-f]{24}$/i.test(value)) throw notParsed(value, target)
      return new ObjectId(value)
    default:
      throw failed(value, target)
  }
}

function toIntegerType(value: Value, target: 'int' | 'long'): Value {
  const integer = integerOf(value, target)
  const width = target === 'int' ? 32 : 64
  if (integer === undefined || BigInt.asIntN(width, integer) !== integer) throw outOfRange(target)
  return target === 'int' ? new Int32(Number(integer)) : Long.fromBigInt(integer)
}

function integerOf(value: Value, target: 'int' | 'long'): bigint | undefined {
  if (typeof value === 'boolean') return value ? 1n : 0n
  if (value instanceof Date && target === 'long') return BigInt(value.getTime())
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw notParsed(value, target)
    return BigInt(value.replace('+', ''))
  }
  if (!isNumber(value)) throw failed(value, target)
  const double = exactDouble(value)
  if (double !== undefined && !Number.isFinite(double)) throw outOfRange(target)
  if (value instanceof Decimal128) return toInteger(packDecimal(roundDecimal(toDecimal(value), 0, 'zero')))
  return double === undefined ? toInteger(value) : BigInt(Math.trunc(double))
}

function toDoubleType(value: Value): Value {
  if (typeof value === 'boolean') return new Double(value ? 1 : 0)
  if (value instanceof Date) return new Double(value.getTime())
  if (isNumber(value)) return new Double(toDouble(value))
  if (typeof value !== 'string') throw failed(value, 'double')
  return new Double(toDouble(parsedNumber(value, 'double')))
}

function parsedNumber(text: string, target: TypeName): NumberValue {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(nan|inf|infinity)$/i.test(text)) throw notParsed(text, target)
  return Decimal128.fromString(text.replace(/^\+/, ''))
}

function toDecimalType(value: Value): Value {
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0')
  if (value instanceof Date) return Decimal128.fromString(String(value.getTime()))
  if (typeof value === 'string') return parsedNumber(value, 'decimal') as Decimal128
  if (!isNumber(value)) throw failed(value, 'decimal')
  return packDecimal(isDouble(value) ? decimalFromDouble(toDouble(value)) : toDecimal(value))
}

function toText(value: Value): Value {
  if (typeof value === 'boolean') return String(value)
  if (value instanceof Date) return value.toISOString()
  if (value instanceof ObjectId) return value.toHexString()
  if (isNumber(value)) return isDouble(value) ? doubleText(toDouble(value)) : String(value)
  if (value instanceof Binary && value.sub_type === Binary.SUBTYPE_UUID) return value.toUUID().toHexString(true)
  throw failed(value, 'string')
}

/** The text of a double; infinities are written as in mongod. */
function doubleText(value: number): string {
  return Number.isFinite(value) || Number.isNaN(value) ? String(value) : value > 0 ? 'Infinity' : '-Infinity'
}

function toDate(value: Value): Value {
  if (value instanceof ObjectId) return value.getTimestamp()
  if (value instanceof Timestamp) return new Date(value.t * 1000)
  if (typeof value === 'string') return parsedDate(value)
  if (!isNumber(value) || typeName(value) === 'int') throw failed(value, 'date')
  const date = new Date(Math.trunc(toDouble(value)))
  if (Number.isNaN(date.getTime())) throw outOfRange('date')
  return date
}

/** Parses an ISO 8601 date; without a zone it is in UTC. */
function parsedDate(text: string): Date {
  const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?$/i.exec(text)
  const date = new Date(
    iso === null
      ? Number.NaN
      : `${iso[1]}T${iso[2] ?? '00:00'}${(iso[3] ?? 'Z').replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')}`,
  )
  if (Number.isNaN(date.getTime())) throw notParsed(text, 'date')
  return date
}

const convertCodes = { notObject: 9, unknown: 9, missing: { input: 9, to: 9 } }

function convertOperator(argument: Value, compile: Compile, name: string): Evaluate {
  const parts = namedParts(argument, name, ['onError', 'onNull'], convertCodes)
  const input = compile(parts.input!)
  const target = compile(parts.to!)
  const onError = parts.onError === undefined ? undefined : compile(parts.onError)
  const onNull = parts.onNull === undefined ? undefined : compile(parts.onNull)
  return (context) => {
    const value = input(context)
    const type = target(context)
    if (isNullish(value)) return onNull === undefined ? null : onNull(context)
    if (isNullish(type)) return null
    try {
      return convert(value, targetType(type))
    } catch (error) {
      if (onError === undefined || !(error instanceof EngineError) || error.codeName !== 'ConversionFailure')
        throw error
      return onError(context)
    }
  }
}

const convertible: readonly TypeName[] = ['double', 'string', 'objectId', 'bool', 'date', 'int', 'long', 'decimal']

function targetType(value: Value): TypeName {
  const number = isNumber(value) ? exactDouble(value) : undefined
  const name = convertible.find(
    (type) => type === value || typeNumbers[type as Exclude<TypeName, 'missing'>] === number,
  )
  if (name !== undefined) return name
  throw new EngineError(
    'BadValue',
    `Unknown or unsupported type name in $convert: ${typeof value === 'string' ? value : typeName(value)}`,
  )
}
