/**
 * Decimal128 as an integer and a power of ten (IEEE 754-2008, binary integer encoding). Sums and products are exact until they are
 * rounded once, half to even, to 34 digits.
 */
import { Decimal128 } from 'bson'

/** `special` is NaN or an infinity, as a double. A finite value is `coefficient * 10 ** exponent`. */
export type Decimal =
  | { readonly special: number }
  | { readonly special: undefined; readonly coefficient: bigint; readonly exponent: number }

const digitsMax = 34
const exponentMin = -6176
const exponentMax = 6111

/** Unpacks a Decimal128. The sign of a zero is dropped: it does not count for the order and does not survive arithmetic. */
export function unpackDecimal(value: Decimal128): Decimal {
  const view = new DataView(value.bytes.buffer, value.bytes.byteOffset, 16)
  const high = view.getBigUint64(8, true)
  const negative = high >> 63n === 1n
  const combination = Number((high >> 58n) & 0x1fn)
  if (combination === 0x1f) return { special: Number.NaN }
  if (combination === 0x1e) return { special: negative ? -Infinity : Infinity }
  const large = combination >> 3 === 3
  const biased = Number((high >> (large ? 47n : 49n)) & 0x3fffn)
  // The large form encodes only coefficients of more than 34 digits, which count as zero.
  const coefficient = large ? 0n : ((high & 0x1_ffff_ffff_ffffn) << 64n) | view.getBigUint64(0, true)
  return { special: undefined, coefficient: negative ? -coefficient : coefficient, exponent: biased + exponentMin }
}

/** Packs a value, rounded to 34 digits. One that is too large becomes infinite, one that is too small becomes zero. */
export function packDecimal(value: Decimal): Decimal128 {
  if (value.special !== undefined) return Decimal128.fromString(String(value.special))
  const negative = value.coefficient < 0n
  let coefficient = negative ? -value.coefficient : value.coefficient
  let { exponent } = value
  const excess = Math.max(String(coefficient).length - digitsMax, exponentMin - exponent, 0)
  if (excess > 0) {
    coefficient = roundHalfEven(coefficient, excess)
    exponent += excess
    if (String(coefficient).length > digitsMax) {
      coefficient /= 10n
      exponent++
    }
  }
  while (exponent > exponentMax && coefficient !== 0n && String(coefficient).length < digitsMax) {
    coefficient *= 10n
    exponent--
  }
  if (coefficient === 0n) exponent = Math.min(exponent, exponentMax)
  if (exponent > exponentMax) return Decimal128.fromString(negative ? '-Infinity' : 'Infinity')
  const bytes = new Uint8Array(16)
  const view = new DataView(bytes.buffer)
  view.setBigUint64(0, coefficient & 0xffff_ffff_ffff_ffffn, true)
  const sign = negative ? 1n << 63n : 0n
  view.setBigUint64(8, sign | (BigInt(exponent - exponentMin) << 49n) | (coefficient >> 64n), true)
  return new Decimal128(bytes)
}

function roundHalfEven(coefficient: bigint, digits: number): bigint {
  const unit = 10n ** BigInt(digits)
  const quotient = coefficient / unit
  const twice = (coefficient % unit) * 2n
  const up = twice > unit || (twice === unit && quotient % 2n === 1n)
  return up ? quotient + 1n : quotient
}

/** A double as a decimal of 15 significant digits, which is how mongod converts it before mixed arithmetic. */
export function decimalFromDouble(value: number): Decimal {
  if (!Number.isFinite(value)) return { special: value }
  const [digits, exponent] = value.toExponential(14).split('e') as [string, string]
  return { special: undefined, coefficient: BigInt(digits.replace('.', '')), exponent: Number(exponent) - 14 }
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.special !== undefined || b.special !== undefined) return { special: asDouble(a) + asDouble(b) }
  const exponent = Math.min(a.exponent, b.exponent)
  return { special: undefined, coefficient: scaled(a, exponent) + scaled(b, exponent), exponent }
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.special !== undefined || b.special !== undefined) return { special: asDouble(a) * asDouble(b) }
  return { special: undefined, coefficient: a.coefficient * b.coefficient, exponent: a.exponent + b.exponent }
}

function scaled(value: { readonly coefficient: bigint; readonly exponent: number }, exponent: number): bigint {
  return value.coefficient * 10n ** BigInt(value.exponent - exponent)
}

/** The nearest double. */
export function asDouble(value: Decimal): number {
  return value.special ?? Number(`${value.coefficient}e${value.exponent}`)
}

/** The quotient, exact enough for `packDecimal` to round it to 34 digits. A zero divisor gives the result of doubles. */
export function divideDecimals(a: Decimal, b: Decimal): Decimal {
  if (a.special !== undefined || b.special !== undefined || b.coefficient === 0n)
    return { special: asDouble(a) / asDouble(b) }
  // The quotient gets enough digits, and a last one that is not zero if there is a remainder, for one later rounding to be exact.
  const shift = 75
  const dividend = a.coefficient * 10n ** BigInt(shift)
  const quotient = (dividend / b.coefficient) * 10n
  const sticky = dividend % b.coefficient === 0n ? 0n : quotient < 0n ? -1n : 1n
  const exact = sticky === 0n ? trimZeros(quotient, a.exponent - b.exponent - shift - 1) : undefined
  return exact ?? { special: undefined, coefficient: quotient + sticky, exponent: a.exponent - b.exponent - shift - 1 }
}

function trimZeros(coefficient: bigint, exponent: number): Decimal {
  let digits = coefficient
  let power = exponent
  while (power < 0 && digits !== 0n && digits % 10n === 0n) {
    digits /= 10n
    power++
  }
  return { special: undefined, coefficient: digits, exponent: power }
}

/** Rounds to `digits` decimal places; a negative number rounds to tens, hundreds and so on. */
export function roundDecimal(value: Decimal, digits: number, rule: 'even' | 'zero' | 'up' | 'down'): Decimal {
  if (value.special !== undefined || value.exponent >= -digits) return value
  const excess = -digits - value.exponent
  const unit = 10n ** BigInt(excess)
  const negative = value.coefficient < 0n
  const magnitude = negative ? -value.coefficient : value.coefficient
  let quotient = rule === 'even' ? roundHalfEven(magnitude, excess) : magnitude / unit
  const inexact = magnitude % unit !== 0n
  if (inexact && ((rule === 'up' && !negative) || (rule === 'down' && negative))) quotient += 1n
  return { special: undefined, coefficient: negative ? -quotient : quotient, exponent: -digits }
}
