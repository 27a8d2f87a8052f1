/**
 * Decodes BSON to documents (bsonspec.org, version 1.1).
 *
 * The codec of the `bson` library is not used, because it turns `{$ref, $id}` documents into DBRef objects, fails on a stored field
 * called `_bsontype`, and returns objects that inherit from Object.prototype. Input is hostile: every length is checked against
 * the available bytes, nesting is bounded, and text must be UTF-8.
 */
import { isUtf8 } from 'node:buffer'
import { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import { EngineError } from '../errors.ts'
import { type Document, newDocument, type Value } from './document.ts'
import { envelopeLevels, nestingMax } from './limits.ts'
import { internName } from './names.ts'

/** The position of the decoder: one per call, shared by all levels. */
type Reader = { readonly bytes: Buffer; at: number }

/**
 * Decodes one whole BSON document: `bytes` must end where the document ends. Binary values are copied, so the result does not
 * refer to `bytes`. Fails with InvalidBSON for malformed input, invalid UTF-8, dates outside the range of JS, and the deprecated
 * types undefined, DBPointer and symbol; with Overflow for more than 100 levels.
 */
export function decode(bytes: Uint8Array): Document {
  return decodeAt(bytes, 1)
}

/** Decodes a request, or a part of one, in which documents may have all the levels that a stored document may have. */
export function decodeRequest(bytes: Uint8Array): Document {
  return decodeAt(bytes, 1 - envelopeLevels)
}

function decodeAt(bytes: Uint8Array, depth: number): Document {
  const buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (buffer.length < 5 || buffer.readInt32LE(0) !== buffer.length) throw invalid('wrong document length')
  const reader = { bytes: buffer, at: 0 }
  return readDocument(reader, depth)
}

function invalid(what: string): EngineError {
  return new EngineError('InvalidBSON', `invalid BSON: ${what}`)
}

/** The int32 at `at`. All of its bytes must be within `bytes`. */
export function readInt32(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
}

/** Enters a document or array and returns the offset of its closing zero byte. */
function enter(reader: Reader, depth: number): number {
  if (depth > nestingMax) throw new EngineError('Overflow', `documents may not nest more than ${nestingMax} levels`)
  const { bytes, at } = reader
  if (at + 5 > bytes.length) throw invalid('document cut short')
  const size = readInt32(bytes, at)
  const end = at + size - 1
  if (size < 5 || end >= bytes.length || bytes[end] !== 0) throw invalid('wrong embedded document length')
  reader.at = at + 4
  return end
}

function readDocument(reader: Reader, depth: number): Document {
  const end = enter(reader, depth)
  const { bytes } = reader
  const doc = newDocument()
  while (reader.at < end) {
    const type = bytes[reader.at]!
    reader.at++
    const name = readName(reader, end)
    doc[name] = readValue(reader, type, end, depth)
  }
  leave(reader, end)
  return doc
}

function readArray(reader: Reader, depth: number): Value[] {
  const end = enter(reader, depth)
  const { bytes } = reader
  const items: Value[] = []
  while (reader.at < end) {
    const type = bytes[reader.at]!
    // Element names are indices. As in mongod they are ignored: only the order of the elements counts.
    reader.at = bytes.indexOf(0, reader.at + 1) + 1
    if (reader.at === 0) throw invalid('name without end')
    items.push(readValue(reader, type, end, depth))
  }
  leave(reader, end)
  return items
}

function leave(reader: Reader, end: number): void {
  if (reader.at !== end) throw invalid('elements run past their document')
  reader.at = end + 1
}

function readName(reader: Reader, end: number): string {
  const { bytes, at } = reader
  let stop = at
  let high = 0
  while (stop < end && bytes[stop] !== 0) high |= bytes[stop++]!
  if (bytes[stop] !== 0) throw invalid('name without end')
  reader.at = stop + 1
  return high < 0x80 ? internName(bytes, at, stop) : readText(bytes, at, stop)
}

function readText(bytes: Buffer, start: number, stop: number): string {
  const length = stop - start
  if (length <= 8) {
    let text = ''
    let index = start
    for (; index < stop; index++) {
      const code = bytes[index]!
      if (code >= 0x80) break
      text += String.fromCharCode(code)
    }
    if (index === stop) return text
  }
  const text = bytes.toString('utf8', start, stop)
  if (text.includes('\ufffd') && !isUtf8(bytes.subarray(start, stop))) throw invalid('text is not UTF-8')
  return text
}

/** A length-prefixed string; the length counts the closing zero. */
function readString(reader: Reader, end: number): string {
  const { bytes, at } = reader
  if (at + 5 > end) throw invalid('string cut short')
  const size = readInt32(bytes, at)
  const stop = at + 4 + size - 1
  if (size < 1 || stop >= end || bytes[stop] !== 0) throw invalid('wrong string length')
  reader.at = stop + 1
  return readText(bytes, at + 4, stop)
}

function readCString(reader: Reader, end: number): string {
  const { bytes, at } = reader
  const stop = bytes.indexOf(0, at)
  if (stop < 0 || stop >= end) throw invalid('name without end')
  reader.at = stop + 1
  return readText(bytes, at, stop)
}

/** Moves past `size` bytes and returns their offset. */
function take(reader: Reader, size: number, end: number): number {
  const { at } = reader
  if (size < 0 || at + size > end) throw invalid('value cut short')
  reader.at = at + size
  return at
}

function readValue(reader: Reader, type: number, end: number, depth: number): Value {
  const { bytes } = reader
  switch (type) {
    case 1:
      return new Double(bytes.readDoubleLE(take(reader, 8, end)))
    case 2:
      return readString(reader, end)
    case 3:
      return readDocument(reader, depth + 1)
    case 4:
      return readArray(reader, depth + 1)
    case 5:
      return readBinary(reader, end)
    case 7:
      return readObjectId(bytes, take(reader, 12, end))
    case 8:
      return readBoolean(bytes[take(reader, 1, end)]!)
    case 9:
      return readDate(bytes, take(reader, 8, end))
    case 10:
      return null
    case 11:
      return readRegex(reader, end)
    case 16:
      return new Int32(readInt32(bytes, take(reader, 4, end)))
    case 18: {
      const at = take(reader, 8, end)
      return new Long(readInt32(bytes, at), readInt32(bytes, at + 4))
    }
    default:
      return readRare(reader, type, end, depth)
  }
}

function readRare(reader: Reader, type: number, end: number, depth: number): Value {
  const { bytes } = reader
  switch (type) {
    case 13:
      return new Code(readString(reader, end))
    case 15: {
      take(reader, 4, end)
      const code = readString(reader, end)
      return new Code(code, readDocument(reader, depth + 1))
    }
    case 17: {
      const at = take(reader, 8, end)
      return new Timestamp({ i: bytes.readUInt32LE(at), t: bytes.readUInt32LE(at + 4) })
    }
    case 19: {
      const at = take(reader, 16, end)
      return new Decimal128(Uint8Array.prototype.slice.call(bytes, at, at + 16))
    }
    case 127:
      return new MaxKey()
    case 255:
      return new MinKey()
    default:
      throw invalid(`type ${type} is unknown or deprecated`)
  }
}

function readObjectId(bytes: Buffer, at: number): ObjectId {
  return new ObjectId(bytes.subarray(at, at + 12))
}

function readBoolean(byte: number): boolean {
  if (byte > 1) throw invalid('a boolean must be 0 or 1')
  return byte === 1
}

function readDate(bytes: Buffer, at: number): Date {
  const milliseconds = readInt32(bytes, at + 4) * 0x1_0000_0000 + (readInt32(bytes, at) >>> 0)
  // ECMA-262 21.4.1.1: a time value is within 8.64e15 ms of the epoch. A date beyond that could not be encoded again.
  if (Math.abs(milliseconds) > 8.64e15) throw invalid('date out of range')
  return new Date(milliseconds)
}

function readBinary(reader: Reader, end: number): Binary {
  const { bytes } = reader
  const size = readInt32(bytes, take(reader, 5, end))
  const subtype = bytes[reader.at - 1]!
  const at = take(reader, size, end)
  // The content of subtype 2 begins with its length again (bsonspec.org).
  const start = subtype === Binary.SUBTYPE_BYTE_ARRAY && size >= 4 ? at + 4 : at
  return new Binary(Buffer.from(bytes.subarray(start, at + size)), subtype)
}

function readRegex(reader: Reader, end: number): BSONRegExp {
  const pattern = readCString(reader, end)
  const options = readCString(reader, end)
  if (!/^[ilmsux]*$/.test(options)) throw invalid('unknown regular expression option')
  return new BSONRegExp(pattern, options)
}
