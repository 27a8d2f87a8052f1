/** Sends answers. Long ones are written in pieces, so that other requests are served in between. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context as KoaContext } from 'koa'
import type { InFlight, Transfer } from '../core/process/in-flight.ts'
import type { StoredFile } from '../operations/registry.ts'
import { isShared, sharedJson } from '../operations/shared-json.ts'
import { holdInFlight } from './slow-readers.ts'

/** Size of a piece: in bytes for binary content, in UTF-16 units for text. */
const pieceSize = 256 * 1024
/** One piece is buffered; the next is made once the peer has read it. */
const ahead = { highWaterMark: 1 }

/** Sends an object as JSON. Fails with `unavailable` when too many long answers are in flight. */
export function sendJson(koa: KoaContext, body: object, inFlight: InFlight): void {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined)
  if (!fields.some(([, value]) => isLong(value))) {
    if (fields.some(([, value]) => isShared(value))) sendShared(koa, fields, inFlight)
    else sendText(koa, JSON.stringify(body), inFlight)
    return
  }
  const texts = fields.flatMap(([name, value], n) => [
    `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    ...(isLong(value) ? ['"', ...piecesOf(value), '"'] : [JSON.stringify(value)]),
  ])
  const size = fields.reduce((sum, [, value]) => sum + (isLong(value) ? value.length : 0), 0)
  const transfer = holdInFlight(koa, inFlight, size)
  koa.type = 'application/json'
  koa.body = Readable.from(encoded([...texts, '}'], transfer), ahead)
}

/** Sends an object some of whose parts were serialised before. */
function sendShared(
  koa: KoaContext,
  fields: readonly (readonly [name: string, value: unknown])[],
  inFlight: InFlight,
): void {
  const parts = fields.flatMap(([name, value], n) => [
    Buffer.from(`${n === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    isShared(value) ? sharedJson(value) : Buffer.from(JSON.stringify(value)),
  ])
  koa.type = 'application/json'
  sendInPieces(koa, Buffer.concat([...parts, Buffer.from('}')]), inFlight)
}

/** Sends JSON text. */
function sendText(koa: KoaContext, text: string, inFlight: InFlight): void {
  koa.type = 'application/json'
  if (text.length > pieceSize) sendInPieces(koa, Buffer.from(text), inFlight)
  else koa.body = text
}

/** Sends bytes with their Content-Length. Fails with `unavailable` when too many long answers are in flight. */
export function sendInPieces(koa: KoaContext, bytes: Buffer, inFlight: InFlight): void {
  if (bytes.length <= pieceSize) {
    koa.body = bytes
    return
  }
  const transfer = holdInFlight(koa, inFlight, bytes.length)
  koa.body = Readable.from(cut(bytes, transfer), ahead)
  koa.length = bytes.length
}

/** What a file that is read as fast as its peer reads takes in memory: the pieces that are read from the database together. */
const fileBytesHeld = 2 * 1024 * 1024

/**
 * Sends a file with its Content-Length; it is read as fast as the peer reads. Fails with `unavailable` when too many long answers are
 * in flight.
 */
export function sendAsRead(
  koa: KoaContext,
  { read }: StoredFile['content'],
  { first, last }: { readonly first: number; readonly last: number },
  inFlight: InFlight,
): void {
  const length = last - first + 1
  if (koa.method === 'HEAD' || length <= 0) koa.body = Buffer.alloc(0)
  else {
    const transfer = holdInFlight(koa, inFlight, Math.min(length, fileBytesHeld))
    koa.body = Readable.from(noting(read({ first, last }), transfer), ahead)
  }
  koa.length = length
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > pieceSize

type Escaped = { readonly text: string }

/** Cuts a text into pieces that are escaped one at a time, as they are sent; no piece ends within a surrogate pair. */
function piecesOf(text: string): readonly Escaped[] {
  const pieces: Escaped[] = []
  for (let from = 0; from < text.length; ) {
    const end = from + pieceSize
    const splits = end < text.length && /[\ud800-\udbff]/.test(text[end - 1] ?? '')
    pieces.push({ text: text.slice(from, splits ? end - 1 : end) })
    from = splits ? end - 1 : end
  }
  return pieces
}

async function* encoded(pieces: readonly (string | Escaped)[], transfer: Transfer): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    transfer.moved()
    if (typeof piece === 'string') yield Buffer.from(piece)
    else {
      yield Buffer.from(JSON.stringify(piece.text).slice(1, -1))
      await nextTurn()
    }
  }
}

async function* noting(pieces: AsyncIterable<Buffer>, transfer: Transfer): AsyncGenerator<Buffer> {
  for await (const piece of pieces) {
    transfer.moved()
    yield piece
  }
}

async function* cut(bytes: Buffer, transfer: Transfer): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceSize) {
    transfer.moved()
    yield bytes.subarray(from, from + pieceSize)
    await nextTurn()
  }
}
