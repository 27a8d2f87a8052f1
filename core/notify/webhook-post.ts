/**
 * Sends one HTTP POST to a customer's URL. The address is checked when connecting, after the name was resolved, so that
 * no name can lead into the private network; redirects are not followed (interface.md, Events, rule 9). Each endpoint has
 * connections of its own, which are kept a moment for the next delivery.
 */
import type { Dispatcher, Pool } from 'undici'
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
/** How much of a response body is kept (decisions.md 2, Webhooks and events). */
const responseBytesMax = 4 * 1024
/** Largest response header: stops endless ones. */
const headerBytesMax = 16 * 1024
/** Response headers that are kept: they describe the response, or let the operator of the endpoint find it in logs. */
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
/** How long idle connections are kept: shorter than receivers keep them, so that none is closed while a request is on its way. */
const idleMs = 4 * secondMs
/** Most endpoints with open connections; beyond that, those of the least recently used endpoint are closed. */
const targetsMax = 1_000

/** The HTTP client is large, and many installations have no webhooks: it is loaded on first use. */
const loadClient = loadOnce(() => import('undici'))

/** Posts a body to an endpoint: JSON, unless `headers` name another type. Never rejects: the error is in the result. */
export async function postWebhook(
  ctx: Context,
  { webhookId, url, body, headers: own }: { webhookId: string; url: string; body: string | Buffer; headers: Headers },
): Promise<WebhookAnswer> {
  const { timeoutMs } = ctx.settings.webhooks
  const started = performance.now()
  const headers = { 'content-type': 'application/json', 'user-agent': 'Mailroom-Webhooks/1', ...own }
  const found = await targetsOf(ctx)(webhookId, url)
    .then(({ pool, path }) => exchangeFresh(pool, { method: 'POST', path, headers, body }, timeoutMs))
    .catch((error: unknown) => ({ ...unanswered, error }))
  const error = found.error === null ? null : inWords(found.error)
  const { status } = found
  const responseHeaders = keptOf(found.headers)
  return {
    headers,
    durationMs: Math.round(performance.now() - started),
    status,
    responseHeaders,
    response: status === null ? null : found.text,
    error:
      status === null
        ? error
        : error === null
          ? redirectError(status, responseHeaders)
          : `The answer was cut off: ${error}`,
    retryAfterMs: retryAfterMs(responseHeaders['retry-after'], ctx.machineClock.now()),
  }
}

/** The result of a request. `status` with an error means that the answer ended before it was complete. */
type Exchanged = {
  readonly status: number | null
  readonly headers: AnswerHeaders
  /** The beginning of the answer's body. */
  readonly text: string
  readonly error: unknown
}

type AnswerHeaders = { readonly [name: string]: string | readonly string[] | undefined }

const unanswered = { status: null, headers: {}, text: '' } as const

/** The codes of errors that say that a connection was closed. */
const closedCodes: readonly unknown[] = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/**
 * Makes a request, and once more if a kept connection was closed before the answer began: the receiver may have given it up just when
 * the request went out. Receivers know a repeated delivery by its id, so the request may be repeated (RFC 9112 9.3.1).
 */
async function exchangeFresh(pool: Pool, request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<Exchanged> {
  const isKept = pool.stats.free > 0
  const started = performance.now()
  const found = await exchange(pool, request, timeoutMs)
  const { status, error } = found
  const isClosed = error instanceof Error && 'code' in error && closedCodes.includes(error.code)
  if (!isKept || status !== null || !isClosed) return found
  return exchange(pool, request, Math.max(0, timeoutMs - (performance.now() - started)))
}

/**
 * Makes a request, and reads the beginning of its answer; the rest of a long one is not read. Resolves after `timeoutMs` at the
 * latest. Answers are short and many, and the client's own streams and signals would cost a fifth of each delivery.
 */
function exchange(pool: Pool, request: Dispatcher.DispatchOptions, timeoutMs: number): Promise<Exchanged> {
  return new Promise((resolve) => {
    let controller: Dispatcher.DispatchController | null = null
    let hasEnded = false
    let answer: { readonly status: number; readonly headers: AnswerHeaders } | null = null
    const parts: Buffer[] = []
    let length = 0
    const end = (error: unknown) => {
      if (hasEnded) return
      hasEnded = true
      clearTimeout(timer)
      const text = Buffer.concat(parts).subarray(0, responseBytesMax).toString('utf8')
      resolve({ ...(answer ?? unanswered), text, error })
    }
    const late = new Error(`The endpoint did not answer within ${timeoutMs / secondMs} seconds.`)
    const timer = setTimeout(() => {
      end(late)
      controller?.abort(late)
    }, timeoutMs)
    pool.dispatch(request, {
      onRequestStart(own) {
        controller = own
        if (hasEnded) own.abort(late)
      },
      onResponseStart(_, status, headers) {
        // Interim responses (RFC 9110 15.2) are ignored.
        if (status >= 200) answer = { status, headers }
      },
      onResponseData(own, part) {
        parts.push(part)
        length += part.length
        if (length < responseBytesMax) return
        end(null)
        own.abort(new Error('Enough of the answer is read.'))
      },
      onResponseEnd: () => end(null),
      onResponseError: (_, error) => end(error),
    })
  })
}

function redirectError(status: number, { location }: Headers): string | null {
  if (status < 300 || status > 399) return null
  return `The endpoint redirects${location === undefined ? '' : ` to ${location}`}; redirects are not followed.`
}

function keptOf(headers: AnswerHeaders): Headers {
  const kept: { [name: string]: string } = {}
  for (const name of keptHeaders) {
    const value = headers[name]
    if (value !== undefined) kept[name] = String(value).slice(0, headerCharsMax)
  }
  return kept
}

/** The connections to an endpoint, and the path and query of its URL. */
type Target = { readonly pool: Pool; readonly path: string }

/** The connections to customers' servers, by endpoint and URL. */
const targetsOf = perProcess(({ resolver, settings }) => {
  const targets = new Map<string, Target>()
  return async (webhookId: string, url: string): Promise<Target> => {
    const { Pool } = await loadClient()
    const key = `${webhookId} ${url}`
    const target = targets.get(key) ?? targetOf(Pool, url)
    // The map is in the order of last use.
    targets.delete(key)
    targets.set(key, target)
    const [oldest] = targets
    if (targets.size > targetsMax && oldest !== undefined) {
      targets.delete(oldest[0])
      // Requests in flight end first.
      oldest[1].pool.close().catch(() => undefined)
    }
    return target
  }

  function targetOf(PoolOf: typeof Pool, url: string): Target {
    const { allowPrivate, timeoutMs } = settings.webhooks
    const { origin, pathname, search } = new URL(allowedUrl(url, allowPrivate))
    const pool = new PoolOf(origin, {
      connections: attemptsPerEndpoint,
      keepAliveTimeout: idleMs,
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: headerBytesMax,
      connect: { lookup: publicLookup(resolver, allowPrivate), timeout: timeoutMs },
    })
    return { pool, path: `${pathname}${search}` }
  }
})

/**
 * Reads Retry-After, which is in seconds or a date (RFC 9110 10.2.3). Returns milliseconds, at most an hour; null
 * without one.
 */
function retryAfterMs(value: string | undefined, now: Date): number | null {
  if (value === undefined) return null
  const ms = /^\d+$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now.getTime()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, hourMs) : null
}
