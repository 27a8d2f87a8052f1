/**
 * Clients that do not read their answers. Invariant: an answer of which nothing is read for a while is cut off, and the log says so;
 * otherwise such clients would hold connections, and what waits to be sent to them, for ever.
 */
import type { Context as KoaContext } from 'koa'
import type { Context } from '../core/process/context.ts'
import type { InFlight, Transfer } from '../core/process/in-flight.ts'
import { routeOf } from './routes.ts'

/** Cuts off the answer when nothing of it is read for `limits.http.stalledSeconds` although some waits to be sent. */
export function cutWhenUnread(koa: KoaContext, { settings }: Pick<Context, 'settings'>): void {
  const { res, req } = koa
  // Node calls this after a time in which the socket has neither received anything nor passed on any of what waits to be sent.
  res.setTimeout(settings.limits.http.stalledSeconds * 1_000, () => {
    if (res.writableLength === 0 && req.socket.writableLength === 0) return
    noteCut(koa)
    res.destroy()
  })
}

/** Counts what the answer holds in memory until it is read. Fails with `unavailable` when too much is in flight. */
export function holdInFlight(koa: KoaContext, inFlight: InFlight, bytes: number): Transfer {
  return inFlight.add(koa.res, bytes, () => noteCut(koa))
}

/** Logs that an answer is cut off because its client does not read it. */
export function noteCut(koa: KoaContext): void {
  const { ctx } = koa.state as { readonly ctx: Context }
  ctx.log.info({ route: routeOf(koa) }, 'an answer was cut off: its client did not read it')
}
