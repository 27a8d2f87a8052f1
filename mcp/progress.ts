import type { Arguments, Exchange } from './offer.ts'

/**
 * Tells the client of a call every `everyMs` that the call goes on, when it asked for that: the seconds since the beginning,
 * of as many as the call may wait. Resolves with the result of the call.
 */
export async function withProgress<T>(
  { caller, request }: Exchange,
  { everyMs, given }: { everyMs: number; given: Arguments },
  call: Promise<T>,
): Promise<T> {
  const progressToken = request._meta?.progressToken
  if (progressToken === undefined) return call
  const startedAt = performance.now()
  const total = typeof given.timeout === 'number' ? { total: given.timeout } : {}
  const timer = setInterval(() => {
    const seconds = (performance.now() - startedAt) / 1_000
    const params = { progressToken, progress: seconds, ...total, message: `${Math.round(seconds)} s` }
    request
      .notify({ method: 'notifications/progress', params })
      .catch((error: unknown) => caller.ctx.log.debug({ err: error }, 'progress could not be told'))
  }, everyMs)
  try {
    return await call
  } finally {
    clearInterval(timer)
  }
}
