/** Sends an event stream. Invariant: a peer that does not read holds up a single piece, and is cut off after a while. */
import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { EventStream } from '../operations/registry.ts'

/** How long a piece may wait for its peer to read the ones before it. */
const stuckMsDefault = 30_000
/** The next piece is requested once the peer has read the one before. */
const ahead = { highWaterMark: 1 }

/** Sends events until either side ends; a peer that reads nothing for `stuckMs` is cut off. */
export function sendEvents(koa: KoaContext, { pieces, close }: EventStream, stuckMs = stuckMsDefault): void {
  const { res } = koa
  // The peer may have hung up already, and then nobody requests the pieces.
  if (res.closed) close()
  else res.once('close', close)
  koa.set('Content-Type', 'text/event-stream; charset=utf-8')
  // Neither kept nor changed on the way (RFC 9111 5.2.2.6), nor buffered on the way (nginx).
  koa.set('Cache-Control', 'no-store, no-transform')
  koa.set('X-Accel-Buffering', 'no')
  koa.body = Readable.from(cutWhenStuck(pieces, { stuckMs, cut: () => res.destroy() }), ahead)
}

type Patience = { readonly stuckMs: number; cut(): void }

async function* cutWhenStuck(pieces: AsyncIterable<string>, { stuckMs, cut }: Patience): AsyncGenerator<string> {
  for await (const piece of pieces) {
    const timer = setTimeout(cut, stuckMs)
    try {
      yield piece
    } finally {
      clearTimeout(timer)
    }
  }
}
