/**
 * Request rate limits: each process counts requests per key and calendar minute (UTC), against the limit of the key's
 * plan.
 */
import { Failure } from '../../schemas/failures.ts'
import { allowanceOf } from '../../schemas/plans.ts'
import { minuteMs, periodsOf, secondsUntil } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { createKept } from '../process/kept.ts'
import { perProcess } from '../process/per-process.ts'
import { networkOf } from './network.ts'
import type { Principal } from './principal.ts'

export type RateState = {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
  /** The failure of a request too many, which is not counted; null otherwise. */
  readonly refusal: Failure | null
}

/** What one caller may have in a minute: a key, an address or a network. */
type Quota = { readonly caller: string; readonly limit: number }

/** Callers whose requests are counted at once. */
const callersMax = 100_000

/** Number of requests, by caller and calendar minute. */
const counts = perProcess(({ clock }) => createKept<number>(clock, { max: callersMax, ttlMs: minuteMs }))

/** Counts a request of a key. Returns what is left of the minute; past the plan's limit with the refusal, `rate_limited`. */
export function takeRequest(ctx: Context, principal: Principal): RateState {
  return take(ctx, [{ caller: principal.keyId, limit: allowanceOf(principal.account).requestsPerMinute }])
}

/**
 * Counts a request without a valid key, against guessing of keys. Fails with `rate_limited` past the limit of its address
 * or of its network, because one machine may have all addresses of a network.
 */
export function takeAnonymous(ctx: Context, peerAddress: string): void {
  const { requestsPerAddressPerMinute, requestsPerNetworkPerMinute } = ctx.settings.limits.http
  const { refusal } = take(ctx, [
    { caller: peerAddress, limit: requestsPerAddressPerMinute },
    { caller: networkOf(peerAddress), limit: requestsPerNetworkPerMinute },
  ])
  if (refusal !== null) throw refusal
}

/** Counts a request against all quotas, or against none when one is used up. Returns the one that leaves the least. */
function take(ctx: Context, quotas: readonly [Quota, ...Quota[]]): RateState {
  const at = ctx.clock.now()
  const { minute, minuteEnd } = periodsOf(at)
  const resetSeconds = secondsUntil(at, minuteEnd)
  const kept = counts(ctx)
  const used = quotas.map(({ caller, limit }) => {
    const name = `${caller} ${minute}`
    return { name, limit, count: (kept.get(name) ?? 0) + 1 }
  })
  const tightest = used.reduce((a, b) => (b.limit - b.count < a.limit - a.count ? b : a))
  const { limit } = tightest
  const remaining = limit - tightest.count
  if (remaining < 0) {
    const text = `More than ${limit} requests in this minute; try again in ${resetSeconds} seconds.`
    const refusal = new Failure('rate_limited', text, { retryAfter: resetSeconds })
    return { limit, remaining: 0, resetSeconds, refusal }
  }
  for (const { name, count } of used) kept.set(name, count)
  return { limit, remaining, resetSeconds, refusal: null }
}
