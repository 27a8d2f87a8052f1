/**
 * Parses OP_MSG and the legacy OP_QUERY hello from one whole message.
 * Source: the MongoDB wire protocol (driver side: message formats, section kinds 0 and 1, flag bits).
 */
import { decodeRequest } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { asBuffer, bsonType, documentEnd, type Element, elements } from '../store/elements.ts'
import { crc32c } from './checksum.ts'

export const opcodes = { reply: 1, query: 2004, msg: 2013 } as const
export const headerBytes = 16
const flagBits = { checksumPresent: 1, moreToCome: 2, exhaustAllowed: 1 << 16 } as const
const requiredBits = 0xffff

/** Extents of documents in a message: start and end of each, alternating. */
export type Extents = readonly number[]

export type Message = {
  readonly requestId: number
  /** The whole message, possibly in memory that it shares with others. */
  readonly bytes: Buffer
  /** The command document without its bulk field, and in a skimmed message without the fields that only the writer reads. */
  readonly body: Document
  /** The names of the command's fields in order, including the bulk field; the first is the command. */
  readonly fields: readonly string[]
  /** The documents of `documents`, `updates`, `deletes` or `ops`, from either section kind. */
  readonly bulk: Extents
  /** The client expects no answer. */
  readonly silent: boolean
  /** The message is an OP_QUERY, which is answered with OP_REPLY. */
  readonly legacy: boolean
}

/** The field of each command that may be large and is passed on as bytes. */
export const bulkFields: Readonly<Record<string, string>> = {
  insert: 'documents',
  update: 'updates',
  delete: 'deletes',
  bulkWrite: 'ops',
}

/** Fields of other commands that only the writer reads. */
const writerFields: ReadonlyMap<string | undefined, readonly string[]> = new Map([
  ['findAndModify', ['query', 'update', 'sort', 'fields', 'arrayFilters']],
])

/**
 * Parses a whole message. `skim` leaves out the fields that only the writer reads, for a thread that passes the message on.
 * @throws EngineError if it is malformed; after a ProtocolError the connection cannot be used any more
 */
export function parseMessage(input: Uint8Array, skim = false): Message {
  const bytes = asBuffer(input)
  const opcode = bytes.readInt32LE(12)
  if (opcode === opcodes.msg) return parseOpMsg(bytes, skim)
  if (opcode === opcodes.query) return parseOpQuery(bytes)
  throw new EngineError('ProtocolError', `opcode ${opcode} is not supported`)
}

function parseOpMsg(bytes: Buffer, skim: boolean): Message {
  const flags = bytes.readUInt32LE(headerBytes)
  if ((flags & requiredBits & ~(flagBits.checksumPresent | flagBits.moreToCome)) !== 0) {
    throw new EngineError('ProtocolError', 'OP_MSG has an unknown required flag')
  }
  const end = (flags & flagBits.checksumPresent) === 0 ? bytes.length : checked(bytes)
  let at = headerBytes + 4
  let bodyAt: number | undefined
  const sequences: [string, number[]][] = []
  while (at < end) {
    const kind = bytes[at]!
    if (kind === 0) {
      if (bodyAt !== undefined) throw new EngineError('ProtocolError', 'OP_MSG has two bodies')
      bodyAt = at + 1
      at = documentEnd(bytes, bodyAt, end)
    } else if (kind === 1) {
      const size = at + 5 <= end ? bytes.readInt32LE(at + 1) : 0
      if (size < 5 || at + 1 + size > end) throw new EngineError('ProtocolError', 'an OP_MSG section passes the end')
      sequences.push(sequence(bytes, at + 5, at + 1 + size))
      at += 1 + size
    } else throw new EngineError('ProtocolError', `OP_MSG section kind ${kind} is not supported`)
  }
  if (bodyAt === undefined) throw new EngineError('ProtocolError', 'OP_MSG has no body')
  return message(bytes, bodyAt, sequences, { silent: (flags & flagBits.moreToCome) !== 0, legacy: false, skim })
}

function parseOpQuery(bytes: Buffer): Message {
  const nul = bytes.indexOf(0, headerBytes + 4)
  const at = nul + 1 + 8
  if (nul < 0 || at + 5 > bytes.length) throw new EngineError('ProtocolError', 'OP_QUERY is too short')
  const collection = bytes.toString('latin1', headerBytes + 4, nul)
  const found = message(bytes, at, [], { silent: false, legacy: true, skim: false })
  if (!collection.endsWith('.$cmd') || !/^(ismaster|hello)$/i.test(found.fields[0] ?? '')) {
    throw new EngineError('ProtocolError', 'OP_QUERY is supported for hello only')
  }
  return { ...found, body: { ...found.body, $db: collection.slice(0, -'.$cmd'.length) } }
}

function message(
  bytes: Buffer,
  bodyAt: number,
  sequences: readonly (readonly [string, number[]])[],
  { silent, legacy, skim }: { readonly silent: boolean; readonly legacy: boolean; readonly skim: boolean },
): Message {
  const found = elements(bytes, bodyAt)
  const fields = found.map((element) => element.name)
  const bulkField = bulkFields[fields[0] ?? '']
  const inline = found.find((element) => element.name === bulkField)
  if (inline !== undefined && inline.type !== bsonType.array) {
    throw new EngineError(
      'TypeMismatch',
      `BSON field '${fields[0]}.${bulkField}' is the wrong type, expected type 'array'`,
    )
  }
  let bulk: Extents = inline === undefined ? [] : inlineExtents(bytes, inline)
  for (const [name, extents] of sequences) {
    if (fields.includes(name)) throw new EngineError('ProtocolError', `OP_MSG has '${name}' twice`)
    fields.push(name)
    if (name === bulkField) bulk = extents
  }
  const bodyEnd = documentEnd(bytes, bodyAt, bytes.length)
  const apart = skim ? (writerFields.get(fields[0]) ?? []) : []
  const gone = found.filter((element) => element === inline || apart.includes(element.name))
  const body = decodeRequest(
    gone.length === 0 ? bytes.subarray(bodyAt, bodyEnd) : without(bytes, bodyAt, bodyEnd, gone),
  )
  // A sequence with any other name is equivalent to an array in the body.
  for (const [name, extents] of sequences) if (name !== bulkField) body[name] = documentsOf(bytes, extents)
  return { requestId: bytes.readInt32LE(4), bytes, body, fields, bulk, silent, legacy }
}

function documentsOf(bytes: Buffer, extents: Extents): Document[] {
  return Array.from({ length: extents.length / 2 }, (_, i) =>
    decodeRequest(bytes.subarray(extents[2 * i], extents[2 * i + 1])),
  )
}

function sequence(bytes: Buffer, from: number, end: number): [string, number[]] {
  const nul = bytes.indexOf(0, from)
  if (nul < 0 || nul >= end) throw new EngineError('ProtocolError', 'an OP_MSG document sequence has no name')
  const extents: number[] = []
  for (let at = nul + 1; at < end; ) {
    const next = documentEnd(bytes, at, end)
    extents.push(at, next)
    at = next
  }
  return [bytes.toString('utf8', from, nul), extents]
}

function inlineExtents(bytes: Buffer, array: Element): number[] {
  return elements(bytes, array.value).flatMap((element) => {
    if (element.type !== bsonType.document)
      throw new EngineError('TypeMismatch', `BSON field '${array.name}' must hold objects`)
    return [element.value, element.end]
  })
}

/** The document at `at` without some of its elements. */
function without(bytes: Buffer, at: number, end: number, gone: readonly Element[]): Buffer {
  const parts: Buffer[] = []
  let from = at
  for (const element of gone) {
    parts.push(bytes.subarray(from, element.start))
    from = element.end
  }
  const kept = Buffer.concat([...parts, bytes.subarray(from, end)])
  kept.writeInt32LE(kept.length, 0)
  return kept
}

function checked(bytes: Buffer): number {
  const end = bytes.length - 4
  if (end < headerBytes + 9 || crc32c(bytes.subarray(0, end)) !== bytes.readUInt32LE(end)) {
    throw new EngineError('ProtocolError', 'OP_MSG checksum does not match')
  }
  return end
}
