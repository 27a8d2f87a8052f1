import { ObjectId } from 'bson'
import { flagField, textField } from '../arguments.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { bsonType, checkDocument, type Element, elements } from '../store/elements.ts'
import type { Message } from '../wire/message.ts'
import { ensureCollection, markMultikey, nextRecord, type Statement, type WriteContext } from './context.ts'
import { insertRecord } from './records.ts'
import { type WriteError, writeError } from './results.ts'

/** Stores the documents as they came; only `_id` is moved to the front, or added. Source: the `insert` command. */
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
      const doc = prepare(message.bytes, message.bulk[i]!, message.bulk[i + 1]!)
      // Looked up each time: a drop may come between two chunks, and a document may turn an index multikey.
      const collection = ensureCollection(ctx, database, name)
      insertRecord(ctx.store, collection, nextRecord(ctx, collection), doc, (index, multikey) =>
        markMultikey(ctx, index, multikey),
      )
      n++
      bytes += doc.length
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

/** The document to store. @throws EngineError for malformed, oversized documents and ids of a type that cannot be one */
export function prepare(bytes: Buffer, from: number, to: number): Uint8Array {
  if (to - from > limits.documentBytes) {
    throw new EngineError(
      'BSONObjectTooLarge',
      `object to insert too large. size in bytes: ${to - from}, max size: ${limits.documentBytes}`,
    )
  }
  checkDocument(bytes, from, to)
  const found = elements(bytes, from)
  for (const element of found) if (element.type === bsonType.timestamp) fillTimestamp(bytes, element)
  const id = found.find((element) => element.name === '_id')
  if (id !== undefined) checkId(id)
  if (id === found[0] && id !== undefined) return bytes.subarray(from, to)
  const first = id === undefined ? newId() : bytes.subarray(id.start, id.end)
  const rest =
    id === undefined ? [bytes.subarray(from + 4, to)] : [bytes.subarray(from + 4, id.start), bytes.subarray(id.end, to)]
  const whole = Buffer.concat([Buffer.alloc(4), first, ...rest])
  whole.writeInt32LE(whole.length, 0)
  return whole
}

/** A document with a fresh `_id` in front, unless it has one. */
export function withId(doc: Document): Document {
  return doc._id === undefined ? { _id: new ObjectId(), ...doc } : doc
}

function newId(): Uint8Array {
  const doc = encode({ _id: new ObjectId() })
  return doc.subarray(4, doc.length - 1)
}

function checkId(id: Element): void {
  const wrong =
    id.type === bsonType.array
      ? 'array'
      : id.type === bsonType.regex
        ? 'regex'
        : id.type === bsonType.undefined
          ? 'undefined'
          : undefined
  if (wrong !== undefined) throw new EngineError('InvalidIdField', `The '_id' value cannot be of type ${wrong}`)
}

/** An empty timestamp at the top level means the time of the insert, as in mongod. */
function fillTimestamp(bytes: Buffer, element: Element): void {
  if (bytes.readBigUInt64LE(element.value) !== 0n) return
  bytes.writeUInt32LE(element.start, element.value)
  bytes.writeUInt32LE(Math.floor(Date.now() / 1000), element.value + 4)
}
