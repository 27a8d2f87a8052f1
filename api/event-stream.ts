/**
 * Sends an event stream. Invariant: a peer that does not read holds up two pieces, which count as in flight, and is cut off after a
 * while.
 */
import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { InFlight, Transfer } from '../core/process/in-flight.ts'
import type { EventStream } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { holdInFlight, noteCut } from './slow-readers.ts'

/** How long a piece may wait for its peer to read the ones before it. */
const stuckMsDefault = 30_000
/** The next piece is requested once the peer has read the one before. */
const ahead = { highWaterMark: 1 }
/** Shorter pieces do not count as in flight: the number of streams bounds what they take. */
const longChars = 16 * 1024

/** Sends events until either side ends; a peer that reads nothing for `stuckMs` is cut off. */
export function sendEvents(
  koa: KoaContext,
  { pieces, close }: EventStream,
  inFlight: InFlight,
  stuckMs = stuckMsDefault,
): void {
  const { res } = koa
  // The peer may have hung up already, and then nobody requests the pieces.
  if (res.closed) close()
  else res.once('close', close)
  koa.set('Content-Type', 'text/event-stream; charset=utf-8')
  // Neither kept nor changed on the way (RFC 9111 5.2.2.6), nor buffered on the way (nginx).
  koa.set('Cache-Control', 'no-store, no-transform')
  koa.set('X-Accel-Buffering', 'no')
  const cut = () => {
    noteCut(koa)
    res.destroy()
  }
  const hold = ({ length }: string) => (length > longChars ? holdInFlight(koa, inFlight, length) : null)
  koa.body = Readable.from(cutWhenStuck(pieces, { stuckMs, cut, hold }), ahead)
}

type Patience = { readonly stuckMs: number; cut(): void; hold(piece: string): Transfer | null }

async function* cutWhenStuck(pieces: AsyncIterable<string>, { stuckMs, cut, hold }: Patience): AsyncGenerator<string> {
  // When a piece is taken, the one before it has been read.
  let before: Transfer | null = null
  for await (const piece of pieces) {
    let held: Transfer | null
    try {
      held = hold(piece)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      // A client that reconnects continues after the last piece.
      return yield `: ${error.code}\n\n`
    }
    const timer = setTimeout(cut, stuckMs)
    try {
      yield piece
    } finally {
      clearTimeout(timer)
      before?.done()
      before = held
    }
  }
}
