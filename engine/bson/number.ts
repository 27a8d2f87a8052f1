/**
 * The four number types as one ordered set. Comparison is exact: an int64 beyond 2^53 does not equal the double that it rounds
 * to, and decimal 0.1 does not equal double 0.1.
 */
import { Decimal128, Double, Int32, Long } from 'bson'
import {
  addDecimals,
  asDouble,
  type Decimal,
  decimalFromDouble,
  multiplyDecimals,
  packDecimal,
  unpackDecimal,
} from './decimal.ts'
import { isInt32, typeName, type Value } from './document.ts'

export type NumberValue = number | Int32 | Double | Long | Decimal128

export function isNumber(value: Value | undefined): value is NumberValue {
  if (typeof value === 'number') return true
  if (typeof value !== 'object' || value === null) return false
  return value instanceof Int32 || value instanceof Double || value instanceof Decimal128 || typeName(value) === 'long'
}

/** The value as a double, undefined if that may not be exact (int64 beyond 2^53, finite decimals). */
export function exactDouble(value: NumberValue): number | undefined {
  if (typeof value === 'number') return value
  if (value instanceof Int32 || value instanceof Double) return value.value
  if (value instanceof Decimal128) return unpackDecimal(value).special
  const { high, low } = value
  return high >= -0x20_0000 && high < 0x20_0000 ? high * 0x1_0000_0000 + (low >>> 0) : undefined
}

/** The value as the nearest double. */
export function toDouble(value: NumberValue): number {
  return (
    exactDouble(value) ?? (value instanceof Decimal128 ? asDouble(unpackDecimal(value)) : (value as Long).toNumber())
  )
}

/** The value as an integer, undefined if it is not an integer within int64. */
export function toInteger(value: NumberValue): bigint | undefined {
  if (value instanceof Decimal128) {
    const decimal = unpackDecimal(value)
    if (decimal.special !== undefined || decimal.exponent > 20) return undefined
    const { coefficient, exponent } = decimal
    const unit = 10n ** BigInt(Math.abs(exponent))
    if (exponent < 0 && coefficient % unit !== 0n) return undefined
    return withinInt64(exponent < 0 ? coefficient / unit : coefficient * unit)
  }
  const double = exactDouble(value)
  if (double === undefined) return (value as Long).toBigInt()
  return Number.isInteger(double) ? withinInt64(BigInt(double)) : undefined
}

function withinInt64(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined
}

/** Compares two numbers. NaN is the lowest and equals itself; minus zero equals zero. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  const x = exactDouble(a)
  const y = exactDouble(b)
  if (x !== undefined && y !== undefined) return compareDoubles(x, y)
  if (x !== undefined && !Number.isFinite(x)) return x === Infinity ? 1 : -1
  if (y !== undefined && !Number.isFinite(y)) return y === Infinity ? -1 : 1
  return compareExactly(a, b)
}

function compareDoubles(x: number, y: number): number {
  if (x < y) return -1
  if (x > y) return 1
  if (x === y) return 0
  return Number(Number.isNaN(y)) - Number(Number.isNaN(x))
}

function compareExactly(a: NumberValue, b: NumberValue): number {
  const x = toDouble(a)
  const y = toDouble(b)
  if (Math.abs(x - y) > 1e-12 * Math.max(Math.abs(x), Math.abs(y))) return x < y ? -1 : 1
  const left = rational(a)
  const right = rational(b)
  const twos = Math.min(left.twos, right.twos)
  const tens = Math.min(left.tens, right.tens)
  const p = left.integer * 2n ** BigInt(left.twos - twos) * 10n ** BigInt(left.tens - tens)
  const q = right.integer * 2n ** BigInt(right.twos - twos) * 10n ** BigInt(right.tens - tens)
  return p < q ? -1 : p > q ? 1 : 0
}

/** A finite number as `integer * 2 ** twos * 10 ** tens`. */
export function rational(value: NumberValue): {
  readonly integer: bigint
  readonly twos: number
  readonly tens: number
} {
  if (value instanceof Decimal128) {
    const decimal = unpackDecimal(value)
    if (decimal.special !== undefined) throw new RangeError('not a finite number')
    return { integer: decimal.coefficient, twos: 0, tens: decimal.exponent }
  }
  const double = exactDouble(value)
  if (double === undefined) return { integer: (value as Long).toBigInt(), twos: 0, tens: 0 }
  const { mantissa, exponent } = splitDouble(double)
  return { integer: mantissa, twos: exponent, tens: 0 }
}

const bits = new DataView(new ArrayBuffer(8))

/** A finite double as `mantissa * 2 ** exponent`; the mantissa of a normal double has 53 bits. */
export function splitDouble(value: number): { readonly mantissa: bigint; readonly exponent: number } {
  bits.setFloat64(0, value)
  const high = bits.getUint32(0)
  const biased = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xf_ffff) << 32n) | BigInt(bits.getUint32(4))
  const magnitude = biased === 0 ? fraction : fraction | (1n << 52n)
  return { mantissa: value < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 }
}

/** An int32 if the value fits, else an int64: the type of an integer result in mongod. Undefined outside int64. */
export function integerValue(value: bigint): Int32 | Long | undefined {
  if (BigInt.asIntN(32, value) === value) return new Int32(Number(value))
  return BigInt.asIntN(64, value) === value ? Long.fromBigInt(value) : undefined
}

/** The result of an operation, and whether it overflowed int64; `value` is then the nearest double. */
export type Arithmetic = { readonly value: NumberValue; readonly overflow: boolean }

export function addNumbers(a: NumberValue, b: NumberValue): Arithmetic {
  return combine(
    a,
    b,
    addDecimals,
    (x, y) => x + y,
    (x, y) => x + y,
  )
}

export function multiplyNumbers(a: NumberValue, b: NumberValue): Arithmetic {
  return combine(
    a,
    b,
    multiplyDecimals,
    (x, y) => x * y,
    (x, y) => x * y,
  )
}

export function subtractNumbers(a: NumberValue, b: NumberValue): Arithmetic {
  return combine(
    a,
    b,
    subtractDecimals,
    (x, y) => x - y,
    (x, y) => x - y,
  )
}

function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  return addDecimals(a, multiplyDecimals(b, { special: undefined, coefficient: -1n, exponent: 0 }))
}

/** The result has the wider type of the operands: decimal over double over int64 over int32. An int32 overflow becomes int64. */
function combine(
  a: NumberValue,
  b: NumberValue,
  decimals: (x: Decimal, y: Decimal) => Decimal,
  doubles: (x: number, y: number) => number,
  integers: (x: bigint, y: bigint) => bigint,
): Arithmetic {
  if (a instanceof Decimal128 || b instanceof Decimal128) {
    return { value: packDecimal(decimals(toDecimal(a), toDecimal(b))), overflow: false }
  }
  if (isDouble(a) || isDouble(b)) return { value: new Double(doubles(toDouble(a), toDouble(b))), overflow: false }
  if (isInt(a) && isInt(b)) {
    const result = doubles(toDouble(a), toDouble(b))
    if (isInt32(result + 0)) return { value: new Int32(result), overflow: false }
    if (Number.isSafeInteger(result)) return { value: Long.fromNumber(result), overflow: false }
  }
  const exact = integers(toInteger(a)!, toInteger(b)!)
  if (BigInt.asIntN(64, exact) !== exact) return { value: new Double(Number(exact)), overflow: true }
  return { value: Long.fromBigInt(exact), overflow: false }
}

export function toDecimal(value: NumberValue): Decimal {
  if (value instanceof Decimal128) return unpackDecimal(value)
  if (isDouble(value)) return decimalFromDouble(toDouble(value))
  return { special: undefined, coefficient: toInteger(value)!, exponent: 0 }
}

export function isDouble(value: NumberValue): boolean {
  return value instanceof Double || (typeof value === 'number' && !isInt32(value))
}

function isInt(value: NumberValue): boolean {
  return value instanceof Int32 || (typeof value === 'number' && isInt32(value))
}

/** Whether mongod treats the value as true: all but false, zero, null and missing. */
export function isTruthy(value: Value | undefined): boolean {
  if (value === undefined || value === null || value === false) return false
  return !isNumber(value) || toDouble(value) !== 0
}
