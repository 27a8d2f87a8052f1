/**
 * Encodes documents to BSON. All calls of one thread reuse the scratch buffer: `encode` calls no foreign code, so no two uses
 * overlap, and the buffer holds nothing between calls.
 */
import type { Binary, BSONRegExp, Code, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import { EngineError } from '../errors.ts'
import { type Document, isDocument, typeName, type Value } from './document.ts'
import { documentBytesMax, envelopeLevels, nestingMax } from './limits.ts'

const scratchStartBytes = 64 * 1024
let scratch = Buffer.alloc(0)

/**
 * Encodes a document with its fields in order. A JS number becomes an int32 if it fits, else a double.
 * Fails with BSONObjectTooLarge for more than `bytesMax` bytes, and Overflow for more than 100 levels.
 */
export function encode(doc: Document, bytesMax: number = documentBytesMax): Buffer {
  return encodeAt(doc, 1, bytesMax)
}

/** Encodes an answer, which may be larger and have more levels than a stored document, since it contains such documents. */
export function encodeAnswer(doc: Document): Buffer {
  return encodeAt(doc, 1 - envelopeLevels, Number.MAX_SAFE_INTEGER)
}

function encodeAt(doc: Document, depth: number, bytesMax: number): Buffer {
  if (scratch.length === 0) scratch = Buffer.allocUnsafe(scratchStartBytes)
  const end = writeDocument(doc, 0, depth)
  requireSize(end, bytesMax)
  const bytes = Buffer.allocUnsafe(end)
  scratch.copy(bytes, 0, 0, end)
  if (scratch.length > 1024 * 1024) scratch = Buffer.alloc(0)
  return bytes
}

/** Fails with BSONObjectTooLarge if a document is larger than `bytesMax`. */
export function requireSize(sizeBytes: number, bytesMax: number = documentBytesMax): void {
  if (sizeBytes <= bytesMax) return
  throw new EngineError(
    'BSONObjectTooLarge',
    `BSONObj size: ${sizeBytes} is invalid. Size must be between 0 and ${bytesMax}`,
  )
}

function reserve(at: number, size: number): void {
  if (at + size <= scratch.length) return
  const larger = Buffer.allocUnsafe(Math.max(scratch.length * 2, at + size))
  scratch.copy(larger, 0, 0, at)
  scratch = larger
}

function writeInt32(value: number, at: number): number {
  scratch[at] = value
  scratch[at + 1] = value >>> 8
  scratch[at + 2] = value >>> 16
  scratch[at + 3] = value >>> 24
  return at + 4
}

/** Up to this length a loop over ASCII is faster than a call into native code. */
const loopedTextMax = 24

/** Writes UTF-8 text and a closing zero; returns the offset after it. */
function writeText(text: string, at: number): number {
  const { length } = text
  reserve(at, length * 3 + 1)
  const out = scratch
  let written = 0
  if (length <= loopedTextMax) {
    for (; written < length; written++) {
      const code = text.charCodeAt(written)
      if (code >= 0x80) break
      out[at + written] = code
    }
  }
  const end = at + (written < length ? out.write(text, at, 'utf8') : length)
  out[end] = 0
  return end + 1
}

/** Writes a field name as `writeText` does, but refuses a null byte, which would end the name early. */
function writeName(name: string, at: number): number {
  const { length } = name
  reserve(at, length * 3 + 1)
  const out = scratch
  for (let index = 0; index < length; index++) {
    const code = name.charCodeAt(index)
    if (code === 0) throw new EngineError('BadValue', 'a field name may not hold a null byte')
    if (code >= 0x80) return writeOtherName(name, at)
    out[at + index] = code
  }
  out[at + length] = 0
  return at + length + 1
}

function writeOtherName(name: string, at: number): number {
  if (name.includes('\0')) throw new EngineError('BadValue', 'a field name may not hold a null byte')
  return writeText(name, at)
}

function writeDocument(doc: Document, at: number, depth: number): number {
  checkDepth(depth)
  let next = at + 4
  for (const field in doc) {
    const value = doc[field]
    if (value === undefined) continue
    reserve(next, 1)
    const typeAt = next
    next = writeName(field, next + 1)
    next = writeValue(value, typeAt, next, depth)
  }
  return close(at, next)
}

function writeArray(items: readonly Value[], at: number, depth: number): number {
  checkDepth(depth)
  let next = at + 4
  for (let index = 0; index < items.length; index++) {
    reserve(next, 1)
    const typeAt = next
    next = writeText(String(index), next + 1)
    next = writeValue(items[index]!, typeAt, next, depth)
  }
  return close(at, next)
}

function close(at: number, next: number): number {
  reserve(next, 5)
  scratch[next] = 0
  writeInt32(next + 1 - at, at)
  return next + 1
}

function checkDepth(depth: number): void {
  if (depth > nestingMax) throw new EngineError('Overflow', `documents may not nest more than ${nestingMax} levels`)
}

/** Writes the type byte at `typeAt` and the value at `at`; returns the offset after the value. */
function writeValue(value: Value, typeAt: number, at: number, depth: number): number {
  if (typeof value === 'string') {
    scratch[typeAt] = 2
    reserve(at, 4)
    const end = writeText(value, at + 4)
    writeInt32(end - at - 4, at)
    return end
  }
  if (value === null) {
    scratch[typeAt] = 10
    return at
  }
  reserve(at, 24)
  if (typeof value === 'boolean') {
    scratch[typeAt] = 8
    scratch[at] = value ? 1 : 0
    return at + 1
  }
  if (isDocument(value)) {
    scratch[typeAt] = 3
    return writeDocument(value, at, depth + 1)
  }
  if (Array.isArray(value)) {
    scratch[typeAt] = 4
    return writeArray(value, at, depth + 1)
  }
  return writeScalar(value, typeAt, at, depth)
}

function writeScalar(value: Value, typeAt: number, at: number, depth: number): number {
  switch (typeName(value)) {
    case 'int':
      scratch[typeAt] = 16
      return writeInt32(typeof value === 'number' ? value : (value as Int32).value, at)
    case 'double':
      scratch[typeAt] = 1
      return scratch.writeDoubleLE(typeof value === 'number' ? value : (value as Double).value, at)
    case 'long':
      scratch[typeAt] = 18
      writeInt32((value as Long).low, at)
      return writeInt32((value as Long).high, at + 4)
    case 'date':
      scratch[typeAt] = 9
      return writeDate(value as Date, at)
    case 'objectId':
      scratch[typeAt] = 7
      scratch.set((value as ObjectId).id, at)
      return at + 12
    case 'binData':
      scratch[typeAt] = 5
      return writeBinary(value as Binary, at)
    default:
      return writeRare(value, typeAt, at, depth)
  }
}

function writeDate(value: Date, at: number): number {
  const milliseconds = value.getTime()
  if (Number.isNaN(milliseconds)) throw new EngineError('BadValue', 'not a date')
  const high = Math.floor(milliseconds / 0x1_0000_0000)
  writeInt32(milliseconds - high * 0x1_0000_0000, at)
  return writeInt32(high, at + 4)
}

function writeBinary(value: Binary, at: number): number {
  const content = value.buffer.subarray(0, value.position)
  const old = value.sub_type === 2 ? 4 : 0
  reserve(at, content.length + 9)
  writeInt32(content.length + old, at)
  scratch[at + 4] = value.sub_type
  if (old > 0) writeInt32(content.length, at + 5)
  scratch.set(content, at + 5 + old)
  return at + 5 + old + content.length
}

function writeRare(value: Value, typeAt: number, at: number, depth: number): number {
  switch (typeName(value)) {
    case 'regex':
      scratch[typeAt] = 11
      return writeText((value as BSONRegExp).options, writeText((value as BSONRegExp).pattern, at))
    case 'timestamp':
      scratch[typeAt] = 17
      writeInt32((value as Timestamp).low, at)
      return writeInt32((value as Timestamp).high, at + 4)
    case 'decimal':
      scratch[typeAt] = 19
      scratch.set((value as Decimal128).bytes, at)
      return at + 16
    case 'minKey':
      scratch[typeAt] = 255
      return at
    case 'maxKey':
      scratch[typeAt] = 127
      return at
    default:
      return writeCode(value as Code, typeAt, at, depth)
  }
}

function writeCode(value: Code, typeAt: number, at: number, depth: number): number {
  const textAt = value.scope === null ? at : at + 4
  const textEnd = writeText(value.code, textAt + 4)
  writeInt32(textEnd - textAt - 4, textAt)
  scratch[typeAt] = value.scope === null ? 13 : 15
  if (value.scope === null) return textEnd
  const end = writeDocument(value.scope as Document, textEnd, depth + 1)
  writeInt32(end - at, at)
  return end
}
