/**
 * Reads BSON in place, without decoding: names, types and extents of elements (bsonspec.org, version 1.1).
 * All functions check extents before they read, so bytes from a peer need no earlier check.
 */
import { readInt32 } from '../bson/decode.ts'
import { internName } from '../bson/names.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'

export type Element = {
  readonly name: string
  readonly type: number
  /** The position of the type byte. */
  readonly start: number
  /** The position of the first byte of the value. */
  readonly value: number
  /** One past the last byte of the value. */
  readonly end: number
}

export const bsonType = {
  double: 1,
  string: 2,
  document: 3,
  array: 4,
  objectId: 7,
  bool: 8,
  regex: 11,
  undefined: 6,
  timestamp: 17,
} as const

/** Undefined, DBPointer and Symbol: bsonspec.org calls them deprecated, and the decoder refuses them too. */
const deprecatedTypes: ReadonlySet<number> = new Set([0x06, 0x0c, 0x0e])

/**
 * Lists the elements of the document that starts at `at`.
 * @throws EngineError InvalidBSON if an element passes the end of the document
 */
export function elements(bytes: Buffer, at: number): Element[] {
  const end = documentEnd(bytes, at, bytes.length) - 1
  const found: Element[] = []
  let offset = at + 4
  while (offset < end) {
    const nul = nameEnd(bytes, offset + 1, end)
    const value = nul + 1
    const type = bytes[offset]!
    const next = value + valueSize(bytes, type, value, end)
    found.push({ name: nameAt(bytes, offset + 1, nul), type, start: offset, value, end: next })
    offset = next
  }
  return found
}

/** The end of the document at `at`: one past its closing zero. @throws EngineError InvalidBSON if it is malformed or passes `limit` */
export function documentEnd(bytes: Buffer, at: number, limit: number): number {
  if (at + 5 > limit) throw malformed()
  const end = at + bytes.readInt32LE(at)
  if (end < at + 5 || end > limit || bytes[end - 1] !== 0) throw malformed()
  return end
}

/**
 * Checks the structure of a whole document, nested ones included, and its depth.
 * @throws EngineError InvalidBSON, or Overflow beyond `limits.depth`
 */
export function checkDocument(bytes: Buffer, at: number, limit: number, depth = 1): number {
  if (depth > limits.depth) throw new EngineError('Overflow', `BSON depth exceeds ${limits.depth}`)
  const end = documentEnd(bytes, at, limit)
  let offset = at + 4
  while (offset < end - 1) {
    const type = bytes[offset]!
    if (deprecatedTypes.has(type))
      throw new EngineError('InvalidBSON', `the deprecated BSON type ${type} is not supported`)
    const value = nameEnd(bytes, offset + 1, end) + 1
    const next = value + valueSize(bytes, type, value, end - 1)
    if (type === bsonType.document || type === bsonType.array) checkDocument(bytes, value, next, depth + 1)
    else if (type === bsonType.string && bytes[next - 1] !== 0) throw malformed()
    offset = next
  }
  if (offset !== end - 1) throw malformed()
  return end
}

/**
 * The bytes of a document that holds only the wanted top-level fields, in their order. This makes it cheap to read a few
 * fields of a large document.
 */
export function pick(bytes: Uint8Array, wanted: ReadonlySet<string>): Uint8Array {
  const buffer = asBuffer(bytes)
  return picked(buffer, (_, from, to) => wanted.has(nameAt(buffer, from, to)))
}

/** `pick` for many documents: with the names prepared once, each pick costs a third. */
export function picker(wanted: ReadonlySet<string>): (bytes: Uint8Array) => Uint8Array {
  const names = Map.groupBy(
    [...wanted].map((name) => Buffer.from(name)),
    (name) => name.length,
  )
  const isWanted: IsWanted = (document, from, to) => {
    const alike = names.get(to - from)
    if (alike !== undefined) for (const name of alike) if (sameBytes(name, document, from)) return true
    return false
  }
  return (bytes) => picked(bytes, isWanted)
}

/** Whether to keep the element whose name is at `from` up to `to` of `document`. */
type IsWanted = (document: Uint8Array, from: number, to: number) => boolean

function sameBytes(name: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let i = 0; i < name.length; i++) if (name[i] !== bytes[from + i]) return false
  return true
}

/** For fewer bytes than this a loop is faster than a call of `set`. */
const copyBytesMin = 48

function picked(bytes: Uint8Array, isWanted: IsWanted): Uint8Array {
  const end = bytes.length - 1
  /** Start and end of each part to copy, alternating; adjacent elements are one part. */
  const parts: number[] = []
  let size = 5
  for (let offset = 4; offset < end; ) {
    const nul = nameEnd(bytes, offset + 1, end)
    const next = nul + 1 + valueSize(bytes, bytes[offset]!, nul + 1, end)
    if (isWanted(bytes, offset + 1, nul)) {
      if (parts[parts.length - 1] === offset) parts[parts.length - 1] = next
      else parts.push(offset, next)
      size += next - offset
    }
    offset = next
  }
  const out = Buffer.allocUnsafe(size)
  out.writeInt32LE(size, 0)
  let write = 4
  for (let i = 0; i < parts.length; i += 2) {
    const to = parts[i + 1]!
    let from = parts[i]!
    if (to - from >= copyBytesMin) {
      out.set(bytes.subarray(from, to), write)
      write += to - from
    } else while (from < to) out[write++] = bytes[from++]!
  }
  out[write] = 0
  return out
}

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function nameAt(bytes: Buffer, from: number, to: number): string {
  for (let at = from; at < to; at++) if (bytes[at]! > 0x7f) return bytes.toString('utf8', from, to)
  return internName(bytes, from, to)
}

export function nameEnd(bytes: Uint8Array, from: number, limit: number): number {
  let at = from
  while (at < limit && bytes[at] !== 0) at++
  if (at >= limit) throw malformed()
  return at
}

/** The size in bytes of the value of `type` at `at`. @throws EngineError InvalidBSON if it passes `limit` */
export function valueSize(bytes: Uint8Array, type: number, at: number, limit: number): number {
  const size = fixedSize(type) ?? variableSize(bytes, type, at, limit)
  if (size < 0 || at + size > limit) throw malformed()
  return size
}

function fixedSize(type: number): number | undefined {
  switch (type) {
    case 0x06:
    case 0x0a:
    case 0x7f:
    case 0xff:
      return 0
    case 0x08:
      return 1
    case 0x10:
      return 4
    case 0x01:
    case 0x09:
    case 0x11:
    case 0x12:
      return 8
    case 0x07:
      return 12
    case 0x13:
      return 16
    default:
      return undefined
  }
}

function variableSize(bytes: Uint8Array, type: number, at: number, limit: number): number {
  if (type === 0x0b) return nameEnd(bytes, nameEnd(bytes, at, limit) + 1, limit) + 1 - at
  if (at + 4 > limit) throw malformed()
  const length = readInt32(bytes, at)
  switch (type) {
    case 0x02:
    case 0x0d:
    case 0x0e:
      if (length < 1) throw malformed()
      return 4 + length
    case 0x03:
    case 0x04:
    case 0x0f:
      if (length < 5) throw malformed()
      return length
    case 0x05:
      if (length < 0) throw malformed()
      return 5 + length
    case 0x0c:
      if (length < 1) throw malformed()
      return 4 + length + 12
    default:
      throw new EngineError('InvalidBSON', `unrecognized BSON type ${type}`)
  }
}

function malformed(): EngineError {
  return new EngineError('InvalidBSON', 'invalid BSON: an element passes the end of its document')
}
