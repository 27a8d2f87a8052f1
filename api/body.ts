/** Answers that are long go out in pieces, so that other requests are served while they are written. */
import { Readable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Context as KoaContext } from 'koa'
import type { Moving, UnderWay } from './under-way.ts'

/** Bytes, or UTF-16 units, that are written at once. */
const pieceSize = 256 * 1024
/** The next piece is made when the last one was taken. */
const ahead = { highWaterMark: 1 }

/** Answers with an object as JSON. Fails with `unavailable`. */
export function sendJson(koa: KoaContext, body: object, underWay: UnderWay): void {
  const fields = Object.entries(body).filter(([, value]) => value !== undefined)
  if (!fields.some(([, value]) => isLong(value))) {
    koa.body = body
    return
  }
  const texts = fields.flatMap(([name, value], n) => [
    `${n === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    ...(isLong(value) ? ['"', ...piecesOf(value), '"'] : [JSON.stringify(value)]),
  ])
  const size = fields.reduce((sum, [, value]) => sum + (isLong(value) ? value.length : 0), 0)
  const moving = underWay.add(koa.res, size)
  koa.type = 'application/json'
  koa.body = Readable.from(encoded([...texts, '}'], moving), ahead)
}

/** Answers with bytes, and says how many. Fails with `unavailable`. */
export function sendInPieces(koa: KoaContext, bytes: Buffer, underWay: UnderWay): void {
  if (bytes.length <= pieceSize) {
    koa.body = bytes
    return
  }
  const moving = underWay.add(koa.res, bytes.length)
  koa.body = Readable.from(cut(bytes, moving), ahead)
  koa.length = bytes.length
}

const isLong = (value: unknown): value is string => typeof value === 'string' && value.length > pieceSize

type Escaped = { readonly text: string }

/** Pieces of a text that become JSON when it is their turn; none ends within a character. */
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

async function* encoded(pieces: readonly (string | Escaped)[], moving: Moving): AsyncGenerator<Buffer> {
  for (const piece of pieces) {
    moving.moved()
    if (typeof piece === 'string') yield Buffer.from(piece)
    else {
      yield Buffer.from(JSON.stringify(piece.text).slice(1, -1))
      await nextTurn()
    }
  }
}

async function* cut(bytes: Buffer, moving: Moving): AsyncGenerator<Buffer> {
  for (let from = 0; from < bytes.length; from += pieceSize) {
    moving.moved()
    yield bytes.subarray(from, from + pieceSize)
    await nextTurn()
  }
}
