/** Sends an event stream. Invariant: a peer that does not read holds one piece, and is cut off after a while. */
import { Readable } from 'node:stream'
import type { Context as KoaContext } from 'koa'
import type { EventStream } from '../operations/registry.ts'

/** How long a piece may wait for its peer to take the ones before it. */
const stuckMsDefault = 30_000
/** The next piece is asked for when the peer has taken the one before. */
const ahead = { highWaterMark: 1 }

/** Sends events until either side ends; a peer that takes nothing for `stuckMs` is cut off. */
export function sendEvents(koa: KoaContext, { pieces, close }: EventStream, stuckMs = stuckMsDefault): void {
  const { res } = koa
  // The peer may have hung up already, and then nobody asks for the pieces.
  if (res.closed) close()
  else res.once('close', close)
  koa.set('Content-Type', 'text/event-stream; charset=utf-8')
  // Neither kept nor changed on the way (RFC 9111 5.2.2.6), nor gathered before it is passed on (nginx).
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
