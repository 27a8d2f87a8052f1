/** Answers as bytes: whole messages, and batches spliced from stored documents without decoding them. */

import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import type { EngineError } from '../errors.ts'
import { headerBytes, opcodes } from './message.ts'

const bsonArray = 4
const bsonDocument = 3
const bsonInt64 = 0x12
const bsonString = 2
const bsonDouble = 1

/** A document in two forms: fields to encode, or bytes that are already BSON. */
export type Body = Document | Uint8Array

/** One OP_MSG (or OP_REPLY for a legacy request) that answers `requestId`. */
export function replyMessage(body: Body, requestId: number, responseId: number, legacy: boolean): Buffer {
  const bytes = body instanceof Uint8Array ? body : encode(body, Number.MAX_SAFE_INTEGER)
  const lead = legacy ? 20 : 5
  const message = Buffer.allocUnsafe(headerBytes + lead + bytes.length)
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(responseId, 4)
  message.writeInt32LE(requestId, 8)
  message.writeInt32LE(legacy ? opcodes.reply : opcodes.msg, 12)
  message.fill(0, headerBytes, headerBytes + lead)
  if (legacy) message.writeInt32LE(1, headerBytes + 16)
  message.set(bytes, headerBytes + lead)
  return message
}

/** The answer to a failed command. */
export function errorBody(error: EngineError): Document {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...(error.extra as Document) }
}

/** `{ cursor: { firstBatch | nextBatch: [documents], id, ns }, ok: 1 }` as BSON. */
export function cursorBody(
  batch: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
  id: bigint,
  ns: string,
): Buffer {
  const nsBytes = Buffer.byteLength(ns)
  const arraySize = documents.reduce((size, doc, i) => size + 2 + digits(i) + doc.length, 5)
  const cursorSize = 4 + (1 + batch.length + 1 + arraySize) + (1 + 3 + 8) + (1 + 3 + 4 + nsBytes + 1) + 1
  const size = 4 + (1 + 7 + cursorSize) + (1 + 3 + 8) + 1
  const out = Buffer.allocUnsafe(size)
  let at = out.writeInt32LE(size, 0)
  at = name(out, at, bsonDocument, 'cursor')
  at = out.writeInt32LE(cursorSize, at)
  at = name(out, at, bsonArray, batch)
  at = out.writeInt32LE(arraySize, at)
  for (const [i, doc] of documents.entries()) {
    at = name(out, at, bsonDocument, String(i))
    out.set(doc, at)
    at += doc.length
  }
  at = out.writeUInt8(0, at)
  at = name(out, at, bsonInt64, 'id')
  at = out.writeBigInt64LE(id, at)
  at = name(out, at, bsonString, 'ns')
  at = out.writeInt32LE(nsBytes + 1, at)
  at += out.write(ns, at)
  at = out.writeUInt8(0, at)
  at = out.writeUInt8(0, at)
  at = name(out, at, bsonDouble, 'ok')
  at = out.writeDoubleLE(1, at)
  out.writeUInt8(0, at)
  return out
}

function name(out: Buffer, at: number, type: number, field: string): number {
  const written = out.writeUInt8(type, at)
  const end = written + out.write(field, written, 'latin1')
  return out.writeUInt8(0, end)
}

function digits(index: number): number {
  let count = 1
  for (let rest = index; rest >= 10; rest = Math.floor(rest / 10)) count++
  return count
}
