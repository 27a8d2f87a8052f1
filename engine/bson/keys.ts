/**
 * Index keys: byte strings whose memcmp order is the order of `compareValues`.
 *
 * A component is a type byte (`typeOrder`), followed by the bytes of the value, which are never a prefix of those of another:
 * - number: the largest double not above the value, as 8 ordered bytes; then 00 if that is the value, else 01 and the
 *   remainder as a 64-bit fraction of the double's last place. 64 bits tell any two decimals of 34 digits apart.
 * - text: UTF-8 with 00 written as 00 FF, closed by 00 01. Binary: length, subtype, bytes.
 * - document: per field type byte, name, 00, value; closed by 00. Array: per element type byte, value; closed by 00.
 * A descending component has all its bytes inverted. Keys of several components are concatenated.
 *
 * The scratch buffer is reused by all calls of one thread; it holds nothing between calls.
 */
import { type Binary, type BSONRegExp, type Code, Decimal128, type ObjectId, type Timestamp } from 'bson'
import { EngineError } from '../errors.ts'
import { typeOrder } from './compare.ts'
import { type Document, typeName, type Value } from './document.ts'
import { compareNumbers, exactDouble, type NumberValue, rational, splitDouble, toDouble } from './number.ts'

/** The key part of an empty array, which is `undefined` in mongod: it sorts below null. */
export const emptyArray: unique symbol = Symbol('empty array')

export type KeyPart = Value | undefined | typeof emptyArray

const emptyArrayByte = 0x0a
const scratchStartBytes = 4096
let scratch = Buffer.alloc(0)

/**
 * The key of `values`, each one component in its direction. A missing value counts as null.
 * Fails with BadValue for a finite Decimal128 outside the range of normal doubles, other than zero.
 */
export function encodeKey(values: readonly KeyPart[], directions: readonly (1 | -1)[]): Buffer {
  if (scratch.length === 0) scratch = Buffer.allocUnsafe(scratchStartBytes)
  let end = 0
  for (let index = 0; index < values.length; index++) {
    const start = end
    end = writeComponent(values[index], end)
    if (directions[index] === -1) for (let at = start; at < end; at++) scratch[at] = ~scratch[at]!
  }
  const key = Buffer.allocUnsafe(end)
  scratch.copy(key, 0, 0, end)
  if (scratch.length > 1024 * 1024) scratch = Buffer.alloc(0)
  return key
}

/** The half-open range of ascending components that contains all values of the type of `value`. */
export function typeBounds(value: Value | undefined): { readonly low: Uint8Array; readonly high: Uint8Array } {
  const order = typeOrder[typeName(value)]
  return { low: Uint8Array.of(order), high: Uint8Array.of(order + 1) }
}

function reserve(at: number, size: number): void {
  if (at + size <= scratch.length) return
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + size))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}

function writeComponent(part: KeyPart, at: number): number {
  reserve(at, 32)
  if (part === emptyArray) {
    scratch[at] = emptyArrayByte
    return at + 1
  }
  scratch[at] = typeOrder[typeName(part)]
  return writeValue(part, at + 1)
}

/** Writes the bytes after the type byte. At least 24 bytes must be reserved at `at`. */
function writeValue(value: Value | undefined, at: number): number {
  switch (typeName(value)) {
    case 'int':
    case 'double':
    case 'long':
    case 'decimal':
      return writeNumber(value as NumberValue, at)
    case 'string':
      return writeText(value as string, at)
    case 'object':
      return writeDocument(value as Document, at)
    case 'array':
      return writeArray(value as Value[], at)
    case 'binData':
      return writeBinary(value as Binary, at)
    case 'objectId':
      scratch.set((value as ObjectId).id, at)
      return at + 12
    case 'bool':
      return scratch.writeUInt8(value ? 1 : 0, at)
    case 'date':
      return writeDate((value as Date).getTime(), at)
    case 'timestamp':
      return scratch.writeUInt32BE((value as Timestamp).i, scratch.writeUInt32BE((value as Timestamp).t, at))
    case 'regex':
      return writeText((value as BSONRegExp).options, writeText((value as BSONRegExp).pattern, at))
    case 'javascript':
      return writeText((value as Code).code, at)
    case 'javascriptWithScope':
      return writeDocument((value as Code).scope as Document, writeText((value as Code).code, at))
    default:
      return at
  }
}

function writeDate(milliseconds: number, at: number): number {
  const high = Math.floor(milliseconds / 0x1_0000_0000)
  scratch.writeInt32BE(high, at)
  scratch[at] = scratch[at]! ^ 0x80
  return scratch.writeUInt32BE(milliseconds - high * 0x1_0000_0000, at + 4)
}

function writeText(text: string, at: number): number {
  reserve(at, text.length * 6 + 2)
  let end = at
  let from = 0
  for (let zero = text.indexOf('\0'); zero >= 0; zero = text.indexOf('\0', from)) {
    end += scratch.write(text.slice(from, zero), end, 'utf8')
    end = scratch.writeUInt16BE(0x00ff, end)
    from = zero + 1
  }
  end += scratch.write(from === 0 ? text : text.slice(from), end, 'utf8')
  return scratch.writeUInt16BE(0x0001, end)
}

function writeDocument(doc: Document, at: number): number {
  let end = at
  for (const field in doc) {
    reserve(end, field.length * 3 + 2)
    scratch[end++] = typeOrder[typeName(doc[field])]
    end += scratch.write(field, end, 'utf8')
    scratch[end++] = 0
    reserve(end, 24)
    end = writeValue(doc[field], end)
  }
  return close(end)
}

function writeArray(items: readonly Value[], at: number): number {
  let end = at
  for (const item of items) {
    reserve(end, 25)
    scratch[end] = typeOrder[typeName(item)]
    end = writeValue(item, end + 1)
  }
  return close(end)
}

function close(at: number): number {
  reserve(at, 1)
  scratch[at] = 0
  return at + 1
}

function writeBinary(value: Binary, at: number): number {
  reserve(at, value.position + 5)
  scratch.writeUInt32BE(value.position, at)
  scratch[at + 4] = value.sub_type
  scratch.set(value.buffer.subarray(0, value.position), at + 5)
  return at + 5 + value.position
}

function writeNumber(value: NumberValue, at: number): number {
  const exact = exactDouble(value)
  if (exact !== undefined) {
    writeDouble(exact, at)
    scratch[at + 8] = 0
    return at + 9
  }
  const floor = doubleNotAbove(value)
  writeDouble(floor, at)
  if (compareNumbers(floor, value) === 0) {
    scratch[at + 8] = 0
    return at + 9
  }
  scratch[at + 8] = 1
  return scratch.writeBigUInt64BE(fractionAbove(value, floor), at + 9)
}

/** Writes eight bytes that compare as doubles do, with NaN first and a single zero. */
function writeDouble(value: number, at: number): void {
  if (Number.isNaN(value)) {
    scratch.fill(0, at, at + 8)
    return
  }
  scratch.writeDoubleBE(value === 0 ? 0 : value, at)
  if (value < 0) for (let index = at; index < at + 8; index++) scratch[index] = ~scratch[index]!
  else scratch[at] = scratch[at]! | 0x80
}

const smallestNormal = 2 ** -1022

function doubleNotAbove(value: NumberValue): number {
  const nearest = toDouble(value)
  const isZero = nearest === 0 && rational(value).integer === 0n
  if (
    value instanceof Decimal128 &&
    !isZero &&
    !(Math.abs(nearest) >= smallestNormal && Math.abs(nearest) < Infinity)
  ) {
    throw new EngineError('BadValue', `the decimal ${value} is too large or too small for an index`)
  }
  return compareNumbers(nearest, value) > 0 ? nextBelow(nearest) : nearest
}

function nextBelow(value: number): number {
  const bits = new DataView(new ArrayBuffer(8))
  bits.setFloat64(0, value)
  bits.setBigUint64(0, bits.getBigUint64(0) + (value > 0 ? -1n : 1n))
  return bits.getFloat64(0)
}

/** (value - floor) in units of 2^-64 of the last place of `floor`. */
function fractionAbove(value: NumberValue, floor: number): bigint {
  const { integer, tens } = rational(value)
  const { mantissa, exponent } = splitDouble(floor)
  const power = BigInt(Math.abs(tens))
  const place = BigInt(Math.abs(exponent))
  const numerator = (integer << 64n) * (tens > 0 ? 10n ** power : 1n) * (exponent < 0 ? 2n ** place : 1n)
  const denominator = (tens < 0 ? 10n ** power : 1n) * (exponent > 0 ? 2n ** place : 1n)
  const rest = numerator - (mantissa << 64n) * denominator
  return rest / denominator
}
