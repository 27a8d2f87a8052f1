/**
 * Sends one HTTP POST to a customer's URL. The address is checked when connecting, after the name was resolved, so that
 * no name can lead into the private network; redirects are not followed (interface.md, Events, rule 9). Each endpoint has
 * connections of its own, which are kept a moment for the next delivery.
 */
import type { Pool } from 'undici'
import { publicLookup } from '../access/public-address.ts'
import { hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { perProcess } from '../process/per-process.ts'
import { inWords } from './post-errors.ts'
import { allowedUrl } from './webhook-url.ts'

type Headers = { readonly [name: string]: string }

/** The result of a POST: what was sent and what was answered, or why nothing was. */
export type WebhookAnswer = {
  readonly headers: Headers
  readonly status: number | null
  readonly responseHeaders: Headers
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
  readonly retryAfterMs: number | null
}

/** Attempts in flight at once for one endpoint, each with a connection. */
export const attemptsPerEndpoint = 10
/** How much of an answer's body is kept (decisions.md 2, Webhooks and events). */
const responseBytesMax = 4 * 1024
/** How long an answer's header may be: against endless ones. */
const headerBytesMax = 16 * 1024
/** Headers of an answer that are kept: what it is, and what its sender finds it again by. */
const keptHeaders = [
  'content-type',
  'content-length',
  'date',
  'location',
  'retry-after',
  'server',
  'via',
  'x-request-id',
  'x-correlation-id',
  'x-amzn-requestid',
  'cf-ray',
] as const
const headerCharsMax = 200
/** Shorter than receivers keep idle connections, so that none ends while a request is on its way. */
const idleMs = 4 * secondMs
/** Endpoints with connections of their own; beyond, that of the endpoint not used for longest ends. */
const poolsMax = 1_000

/** The HTTP client is large, and many a service has no webhook. */
const loadClient = loadOnce(() => import('undici'))

/** Posts JSON to an endpoint, or what `headers` say it is. Never rejects: the error is in the result. */
export async function postWebhook(
  ctx: Context,
  { webhookId, url, body, headers: own }: { webhookId: string; url: string; body: string | Buffer; headers: Headers },
): Promise<WebhookAnswer> {
  const { allowPrivate, timeoutMs } = ctx.settings.webhooks
  const started = performance.now()
  const headers = { 'content-type': 'application/json', 'user-agent': 'Mailroom-Webhooks/1', ...own }
  const took = () => ({ headers, durationMs: Math.round(performance.now() - started) })
  const ending = new AbortController()
  const timer = setTimeout(() => ending.abort(), timeoutMs)
  const wordsOf = (error: unknown) =>
    ending.signal.aborted ? `The endpoint did not answer within ${timeoutMs / secondMs} seconds.` : inWords(error)
  try {
    const target = new URL(allowedUrl(url, allowPrivate))
    const pool = await poolsOf(ctx)(webhookId, target.origin)
    const path = `${target.pathname}${target.search}`
    const answer = await pool.request({ method: 'POST', path, headers, body, signal: ending.signal })
    const { text, error } = await readStart(answer.body)
    const { statusCode: status } = answer
    const responseHeaders = keptOf(answer.headers)
    return {
      ...took(),
      status,
      responseHeaders,
      response: text,
      error: error === null ? redirectError(status, responseHeaders) : `The answer was cut off: ${wordsOf(error)}`,
      retryAfterMs: retryAfterMs(responseHeaders['retry-after'], ctx.machineClock.now()),
    }
  } catch (error) {
    return {
      ...took(),
      status: null,
      responseHeaders: {},
      response: null,
      error: wordsOf(error),
      retryAfterMs: null,
    }
  } finally {
    clearTimeout(timer)
  }
}

function redirectError(status: number, { location }: Headers): string | null {
  if (status < 300 || status > 399) return null
  return `The endpoint redirects${location === undefined ? '' : ` to ${location}`}; redirects are not followed.`
}

function keptOf(headers: { readonly [name: string]: string | readonly string[] | undefined }): Headers {
  return Object.fromEntries(
    keptHeaders.flatMap((name) => {
      const value = headers[name]
      return value === undefined ? [] : [[name, String(value).slice(0, headerCharsMax)]]
    }),
  )
}

/** The connections to customers' servers, by endpoint and origin. */
const poolsOf = perProcess(({ resolver, settings }) => {
  const { allowPrivate, timeoutMs } = settings.webhooks
  const pools = new Map<string, Pool>()
  return async (webhookId: string, origin: string): Promise<Pool> => {
    const { Pool } = await loadClient()
    const key = `${webhookId} ${origin}`
    const pool =
      pools.get(key) ??
      new Pool(origin, {
        connections: attemptsPerEndpoint,
        keepAliveTimeout: idleMs,
        keepAliveMaxTimeout: idleMs,
        maxHeaderSize: headerBytesMax,
        connect: { lookup: publicLookup(resolver, allowPrivate), timeout: timeoutMs },
      })
    // The last used is the last of the map.
    pools.delete(key)
    pools.set(key, pool)
    const [oldest] = pools
    if (pools.size > poolsMax && oldest !== undefined) {
      pools.delete(oldest[0])
      // What is in flight ends first.
      oldest[1].close().catch(() => undefined)
    }
    return pool
  }
})

type Body = AsyncIterable<Buffer> & { destroy(): unknown }

/** The beginning of an answer's body, and why it ends before it is whole. The rest of a long one is not read. */
async function readStart(body: Body): Promise<{ readonly text: string; readonly error: unknown }> {
  const parts: Buffer[] = []
  let length = 0
  let error: unknown = null
  try {
    for await (const part of body) {
      parts.push(part)
      length += part.length
      if (length >= responseBytesMax) break
    }
  } catch (cause) {
    error = cause
  }
  return { text: Buffer.concat(parts).subarray(0, responseBytesMax).toString('utf8'), error }
}

/**
 * Reads Retry-After, which is in seconds or a date (RFC 9110 10.2.3). Returns milliseconds, at most an hour; null
 * without one.
 */
function retryAfterMs(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  const ms = /^\d+$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now.getTime()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, hourMs) : null
}
