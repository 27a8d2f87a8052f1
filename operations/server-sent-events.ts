/**
 * The events of a follower as server-sent events (HTML 9.2.5). Invariants: each event has its cursor as its id; what a reader lost
 * comes again when he sends the last id, which also moves on without events, so that it does not grow too old.
 */
import type { Event } from '../core/notify/event-body.ts'
import type { Follower } from '../core/notify/event-followers.ts'
import { secondMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { Failure } from '../schemas/failures.ts'
import type { EventStream } from './registry.ts'

/** How long a reader waits before he connects again. */
const retryMs = 2 * secondMs
/** So often something is sent: proxies take a connection on which nothing comes for a minute for dead. */
const quietMs = 20 * secondMs

export function serverSentEvents(ctx: Context, follower: Follower): EventStream {
  return { pieces: piecesOf(ctx, follower), close: follower.close }
}

async function* piecesOf({ log }: Context, follower: Follower): AsyncGenerator<string> {
  yield `retry: ${retryMs}\n${placeOf(follower.cursor())}`
  try {
    for (;;) {
      const { events, cursor } = await follower.next(quietMs)
      if (follower.isClosed()) return
      yield events.length > 0 ? events.map(textOf).join('') : `: still here\n${placeOf(cursor)}`
    }
  } catch (error) {
    // The status was sent long ago: a client that connects again is told what is wrong.
    if (!(error instanceof Failure)) log.warn({ err: error }, 'an event stream was cut')
    else yield `: ${error.code}\n\n`
  } finally {
    follower.close()
  }
}

const textOf = (event: Event) => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`

/** An id alone makes no event; it is what a reader sends as Last-Event-ID. */
const placeOf = (cursor: string) => `id: ${cursor}\n\n`
