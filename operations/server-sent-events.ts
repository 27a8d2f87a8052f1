/**
 * The events of a follower as server-sent events (HTML 9.2.5). Invariants: the id of each event is its cursor; a reader that sends
 * its last id receives everything that it missed. The id also advances without events, so that it does not grow too old.
 */
import type { Event } from '../core/notify/event-body.ts'
import type { Follower } from '../core/notify/event-followers.ts'
import { secondMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { Failure } from '../schemas/failures.ts'
import type { EventStream } from './registry.ts'

/** How long a reader waits before it reconnects. */
const retryMs = 2 * secondMs
/** The longest silence before something is sent: proxies drop a connection that is idle for a minute. */
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
    // The status has already been sent. A client that reconnects receives the failure as its answer.
    if (!(error instanceof Failure)) log.warn({ err: error }, 'an event stream was cut')
    else yield `: ${error.code}\n\n`
  } finally {
    follower.close()
  }
}

const textOf = (event: Event) => `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`

/** An id without data makes no event, but a reader sends it as Last-Event-ID. */
const placeOf = (cursor: string) => `id: ${cursor}\n\n`
