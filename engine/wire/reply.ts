/** Writes replies as bytes. Batches are spliced from stored documents without decoding them. */

import type { Document } from '../bson/document.ts'
import { encodeAnswer } from '../bson/encode.ts'
import type { EngineError } from '../errors.ts'
import { headerBytes, opcodes } from './message.ts'

const bsonArray = 4
const bsonDocument = 3
const bsonInt64 = 0x12
const bsonString = 2
const bsonDouble = 1

/** A batch of stored documents that is spliced into its message without being decoded. */
export class CursorReply {
  readonly batch: 'firstBatch' | 'nextBatch'
  readonly documents: readonly Uint8Array[]
  readonly id: bigint
  readonly ns: string
  /** BSON elements that follow the cursor. */
  readonly after: Uint8Array

  constructor(
    batch: 'firstBatch' | 'nextBatch',
    documents: readonly Uint8Array[],
    id: bigint,
    ns: string,
    after: Uint8Array,
  ) {
    this.batch = batch
    this.documents = documents
    this.id = id
    this.ns = ns
    this.after = after
  }
}

/** The body of a reply: a document to encode, BSON bytes, or a batch of documents. */
export type Body = Document | Uint8Array | CursorReply

/** The part of a socket that a reply needs. */
export type Sink = { readonly write: (bytes: Uint8Array) => unknown; readonly writableLength: number }

const outboxBytes = 64 * 1024

/**
 * Sends replies. The smaller ones of all connections are built in the same buffer, one after another: the kernel usually takes
 * the bytes at once, and allocating a buffer would be the most expensive part of a small reply.
 */
export class Outbox {
  #space = Buffer.allocUnsafeSlow(outboxBytes)

  /** Sends one message that answers `requestId`. */
  send(sink: Sink, body: Body, requestId: number, responseId: number, legacy: boolean): void {
    const ready = encoded(body)
    const size = messageBytes(ready, legacy)
    const shared = size <= outboxBytes
    const message = shared ? this.#space.subarray(0, size) : Buffer.allocUnsafe(size)
    fill(message, ready, requestId, responseId, legacy)
    sink.write(message)
    // The socket still needs the buffer if the kernel has not taken all bytes.
    if (shared && sink.writableLength > 0) this.#space = Buffer.allocUnsafeSlow(outboxBytes)
  }
}

/** One OP_MSG (OP_REPLY for a legacy request) that answers `requestId`, in a buffer of its own. */
export function replyMessage(body: Body, requestId: number, responseId: number, legacy: boolean): Buffer {
  const ready = encoded(body)
  const message = Buffer.allocUnsafe(messageBytes(ready, legacy))
  fill(message, ready, requestId, responseId, legacy)
  return message
}

/** The answer to a failed command. */
export function errorBody(error: EngineError): Document {
  return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...(error.extra as Document) }
}

const nothing = new Uint8Array()

/** `{ cursor: { firstBatch | nextBatch: [documents], id, ns }, ok: 1 }`; `after` are BSON elements between `cursor` and `ok`. */
export function cursorBody(
  batch: 'firstBatch' | 'nextBatch',
  documents: readonly Uint8Array[],
  id: bigint,
  ns: string,
  after: Uint8Array = nothing,
): CursorReply {
  return new CursorReply(batch, documents, id, ns, after)
}

type Encoded = Uint8Array | CursorReply

function encoded(body: Body): Encoded {
  return body instanceof CursorReply || body instanceof Uint8Array ? body : encodeAnswer(body)
}

function leadBytes(legacy: boolean): number {
  return headerBytes + (legacy ? 20 : 5)
}

function messageBytes(body: Encoded, legacy: boolean): number {
  return leadBytes(legacy) + (body instanceof CursorReply ? sizesOf(body).whole : body.length)
}

function fill(message: Buffer, body: Encoded, requestId: number, responseId: number, legacy: boolean): void {
  const lead = leadBytes(legacy)
  message.writeInt32LE(message.length, 0)
  message.writeInt32LE(responseId, 4)
  message.writeInt32LE(requestId, 8)
  message.writeInt32LE(legacy ? opcodes.reply : opcodes.msg, 12)
  message.fill(0, headerBytes, lead)
  if (legacy) message.writeInt32LE(1, headerBytes + 16)
  if (body instanceof CursorReply) writeCursor(body, message, lead)
  else message.set(body, lead)
}

function sizesOf({ batch, documents, ns, after }: CursorReply) {
  let array = 5
  for (let i = 0; i < documents.length; i++) array += 2 + digits(i) + documents[i]!.length
  const text = Buffer.byteLength(ns)
  const cursor = 4 + (1 + batch.length + 1 + array) + (1 + 3 + 8) + (1 + 3 + 4 + text + 1) + 1
  return { array, text, cursor, whole: 4 + (1 + 7 + cursor) + after.length + (1 + 3 + 8) + 1 }
}

function writeCursor(reply: CursorReply, out: Buffer, from: number): void {
  const { batch, documents, id, ns, after } = reply
  const sizes = sizesOf(reply)
  let at = out.writeInt32LE(sizes.whole, from)
  at = name(out, at, bsonDocument, 'cursor')
  at = out.writeInt32LE(sizes.cursor, at)
  at = name(out, at, bsonArray, batch)
  at = out.writeInt32LE(sizes.array, at)
  for (let i = 0; i < documents.length; i++) {
    at = name(out, at, bsonDocument, String(i))
    out.set(documents[i]!, at)
    at += documents[i]!.length
  }
  at = out.writeUInt8(0, at)
  at = name(out, at, bsonInt64, 'id')
  at = out.writeBigInt64LE(id, at)
  at = name(out, at, bsonString, 'ns')
  at = out.writeInt32LE(sizes.text + 1, at)
  at += out.write(ns, at)
  at = out.writeUInt8(0, at)
  at = out.writeUInt8(0, at)
  out.set(after, at)
  at += after.length
  at = name(out, at, bsonDouble, 'ok')
  at = out.writeDoubleLE(1, at)
  out.writeUInt8(0, at)
}

function name(out: Buffer, at: number, type: number, field: string): number {
  out[at] = type
  let end = at + 1
  for (let i = 0; i < field.length; i++) out[end++] = field.charCodeAt(i)
  out[end] = 0
  return end + 1
}

function digits(index: number): number {
  let count = 1
  for (let rest = index; rest >= 10; rest = Math.floor(rest / 10)) count++
  return count
}
