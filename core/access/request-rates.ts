/** Requests in a calendar minute (UTC), counted in each process: a key may ask as often as its plan says. */
import { Failure } from '../../schemas/failures.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import type { Principal } from './principal.ts'

export type RateState = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

/** Counts of one minute; the map of an older minute is dropped whole. */
type Minute = { minute: string; counts: Map<string, number> }

const minutes = new WeakMap<object, Minute>()

/** Counts a request of a key. Fails with `rate_limited` past the plan's number. */
export function takeRequest(ctx: Context, principal: Principal): RateState {
  return take(ctx, principal.keyId, allowanceOf(principal.account).requestsPerMinute)
}

/** Counts a request without a valid key. Fails with `rate_limited`: against guessing of keys. */
export function takeAnonymous(ctx: Context, peerAddress: string): RateState {
  return take(ctx, peerAddress, ctx.settings.limits.http.requestsPerAddressPerMinute)
}

function take(ctx: Context, who: string, limit: number): RateState {
  const at = ctx.clock.now()
  const { minute, minuteEnd } = periodsOf(at)
  const resetSeconds = secondsUntil(at, minuteEnd)
  // Kept beside the store, which is one per process and shared by the contexts of its requests.
  let current = minutes.get(ctx.store)
  if (current === undefined || current.minute !== minute) {
    current = { minute, counts: new Map() }
    minutes.set(ctx.store, current)
  }
  const used = (current.counts.get(who) ?? 0) + 1
  if (used > limit)
    throw new Failure('rate_limited', `More than ${limit} requests in a minute; wait ${resetSeconds} seconds.`, {
      retryAfter: resetSeconds,
    })
  current.counts.set(who, used)
  return { limit, remaining: limit - used, resetSeconds }
}
