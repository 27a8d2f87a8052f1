import { ObjectId } from 'bson'
import { flagField, textField } from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { checkId } from '../bson/ids.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { bsonType, checkDocument, type Element, elements } from '../store/elements.ts'
import { giveBack } from '../wire/memory.ts'
import type { Message } from '../wire/message.ts'
import { ensureCollection, type Statement, type WriteContext } from './context.ts'
import { addDocument } from './documents.ts'
import { type WriteError, writeError } from './results.ts'

/** Stores the documents as they came, except that `_id` is moved to the front, or added. Source: the `insert` command. */
export function* insert(ctx: WriteContext, message: Message): Statement {
  const database = textField(message.body, '$db')
  const name = textField(message.body, 'insert')
  const ordered = flagField(message.body, 'ordered', true)
  const errors: WriteError[] = []
  let n = 0
  let bytes = 0
  ensureCollection(ctx, database, name)
  for (let i = 0; i < message.bulk.length; i += 2) {
    try {
      bytes += insertOne(ctx, database, name, message.bytes, message.bulk[i]!, message.bulk[i + 1]!)
      n++
    } catch (error) {
      errors.push(writeError(i / 2, error))
      if (ordered) break
    }
    if ((n % limits.writeChunk === 0 || bytes > limits.writeChunkBytes) && i + 2 < message.bulk.length) {
      bytes = 0
      yield
    }
  }
  return { n, ...(errors.length > 0 && { writeErrors: errors }), ok: 1 }
}

/** Stores the document at `from` to `to` of `bytes`. @returns its size in bytes */
export function insertOne(
  ctx: WriteContext,
  database: string,
  name: string,
  bytes: Buffer,
  from: number,
  to: number,
): number {
  const doc = prepare(bytes, from, to)
  const size = doc.length
  // The collection is looked up each time: it may be dropped between two chunks, and a document may turn an index multikey.
  addDocument(ctx, ensureCollection(ctx, database, name), doc)
  // `prepare` made a large copy, to bring `_id` to the front.
  if (size >= limits.largeBytes && doc.buffer !== bytes.buffer) giveBack(doc)
  return size
}

/** The document to store. @throws EngineError for a malformed or oversized document, or an `_id` of a type that is not allowed */
export function prepare(bytes: Buffer, from: number, to: number): Uint8Array {
  if (to - from > limits.documentBytes) {
    throw new EngineError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${to - from}, max size: ${limits.documentBytes}`,
    )
  }
  checkDocument(bytes, from, to)
  const found = elements(bytes, from)
  for (const element of found)
    if (element.type === bsonType.timestamp && element.name !== '_id') fillTimestamp(bytes, element)
  const id = found.find((element) => element.name === '_id')
  if (id !== undefined) checkElement(bytes, id)
  if (id === found[0] && id !== undefined) return bytes.subarray(from, to)
  const first = id === undefined ? newId() : bytes.subarray(id.start, id.end)
  const rest =
    id === undefined ? [bytes.subarray(from + 4, to)] : [bytes.subarray(from + 4, id.start), bytes.subarray(id.end, to)]
  const whole = Buffer.concat([Buffer.alloc(4), first, ...rest])
  whole.writeInt32LE(whole.length, 0)
  return whole
}

/** The document with a fresh `_id` in front, unless it has one. */
export function withId(doc: Document): Document {
  return doc._id === undefined ? { _id: new ObjectId(), ...doc } : doc
}

function newId(): Uint8Array {
  const doc = encode({ _id: new ObjectId() })
  return doc.subarray(4, doc.length - 1)
}

/** Decodes an `_id` only if its type could be invalid; most ids are plain values. */
function checkElement(bytes: Buffer, id: Element): void {
  if (id.type === bsonType.undefined)
    throw new EngineError('InvalidIdField', "The '_id' value cannot be of type undefined")
  if (id.type === bsonType.array || id.type === bsonType.regex || id.type === bsonType.document)
    checkId(decode(withOnly(bytes.subarray(id.start, id.end)))._id!)
}

/** A document that consists of this one element. */
export function withOnly(element: Uint8Array): Buffer {
  const doc = Buffer.alloc(element.length + 5)
  doc.writeInt32LE(doc.length, 0)
  doc.set(element, 4)
  return doc
}

/** Replaces an empty timestamp at the top level by the time of the insert, as mongod does for every field but `_id`. */
function fillTimestamp(bytes: Buffer, element: Element): void {
  if (bytes.readBigUInt64LE(element.value) !== 0n) return
  bytes.writeUInt32LE(element.start, element.value)
  bytes.writeUInt32LE(Math.floor(Date.now() / 1000), element.value + 4)
}
