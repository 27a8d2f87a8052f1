/** Requests in a calendar minute (UTC), counted in each process: a key may ask as often as its plan says. */
import { Failure } from '../../schemas/failures.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import type { Principal } from './principal.ts'

export type RateState = { readonly limit: number; readonly remaining: number; readonly resetSeconds: number }

/** Who asks in one minute. */
const countsMax = 100_000

/** Requests by who asks and the calendar minute. */
const counts = perProcess(({ clock }) => createKept<number>(clock, { max: countsMax, ttlMs: minuteMs }))

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
  const kept = counts(ctx)
  const name = `${who} ${minute}`
  const used = (kept.get(name) ?? 0) + 1
  if (used > limit)
    throw new Failure('rate_limited', `More than ${limit} requests in a minute; wait ${resetSeconds} seconds.`, {
      retryAfter: resetSeconds,
    })
  kept.set(name, used)
  return { limit, remaining: limit - used, resetSeconds }
}
