import type { Arguments, Exchange } from './offer.ts'

/**
 * Notifies the client every `everyMs` that its call is still running, if it asked for that: the seconds since the beginning, and as the
 * total the seconds that the call may wait. Resolves with the result of the call.
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
      .catch((error: unknown) => caller.ctx.log.debug({ err: error }, 'a progress notification could not be sent'))
  }, everyMs)
  try {
    return await call
  } finally {
    clearInterval(timer)
  }
}
