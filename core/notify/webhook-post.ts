/**
 * Sends one HTTP POST to a customer's URL. The address is checked when connecting, after the name was resolved, so that
 * no name can lead into the private network; redirects are not followed (interface.md, Events, rule 9).
 */
import { isIP, type LookupFunction } from 'node:net'
import { Failure } from '../../schemas/failures.ts'
import { isPublicAddress } from '../access/public-address.ts'
import { hourMs, secondMs } from '../process/clock.ts'
import type { Context } from '../process/context.ts'
import { loadOnce } from '../process/load-once.ts'
import { perProcess } from '../process/per-process.ts'

/** The result of a POST: the answer's status and body, or the error. */
export type WebhookAnswer = {
  readonly status: number | null
  readonly response: string | null
  readonly error: string | null
  readonly durationMs: number
  readonly retryAfterMs: number | null
}

/** How much of an answer's body is kept (decisions.md 2, Webhooks and events). */
const responseBytesMax = 4 * 1024
const idleMs = 10 * secondMs

/** The HTTP client is large, and many a service has no webhook. */
const loadClient = loadOnce(() => import('undici'))

/** Posts JSON. Never rejects: the error is in the result. */
export async function postWebhook(
  ctx: Context,
  { url, body, headers }: { url: string; body: string; headers: Record<string, string> },
): Promise<WebhookAnswer> {
  const { allowPrivate, timeoutMs } = ctx.settings.webhooks
  const started = performance.now()
  const durationMs = () => Math.round(performance.now() - started)
  try {
    const target = allowedUrl(url, allowPrivate)
    const signal = AbortSignal.timeout(timeoutMs)
    const { request } = await loadClient()
    const answer = await request(target, {
      method: 'POST',
      body,
      signal,
      dispatcher: await dispatcherOf(ctx),
      headers: { 'content-type': 'application/json', 'user-agent': 'Mailroom-Webhooks/1', ...headers },
    })
    const response = await readStart(answer.body)
    const retryAfter = answer.headers['retry-after']
    return {
      status: answer.statusCode,
      response,
      error: null,
      durationMs: durationMs(),
      retryAfterMs: retryAfterMs(typeof retryAfter === 'string' ? retryAfter : null, ctx.clock.now()),
    }
  } catch (error) {
    const text =
      error instanceof Error
        ? error.name === 'TimeoutError'
          ? `No answer within ${timeoutMs} ms.`
          : error.message
        : String(error)
    return { status: null, response: null, error: text, durationMs: durationMs(), retryAfterMs: null }
  }
}

/**
 * Returns a URL in the one form in which it is stored, shown and called: as the URL standard writes it, without a fragment and
 * without dots after the host. Fails with `validation_error` for a URL that must never be posted to, whatever its name
 * resolves to.
 */
export function allowedUrl(text: string, allowPrivate: boolean): string {
  const refuse = (why: string, fix: string) => new Failure('validation_error', why, { param: 'url', fix })
  if (!URL.canParse(text)) throw refuse('"url" is not a valid URL.', 'Write it like "https://example.org/hook".')
  const url = new URL(text)
  const { protocol, username, password } = url
  if (protocol !== 'https:' && !(allowPrivate && protocol === 'http:'))
    throw refuse('"url" must be an https URL.', 'Begin it with "https://".')
  if (username !== '' || password !== '')
    throw refuse(
      '"url" must not contain a user name or password.',
      'Take them out: deliveries are signed, which shows who sends them.',
    )
  url.hash = ''
  url.hostname = url.hostname.replace(/\.+$/, '')
  if (!allowPrivate && isPrivateHost(url.hostname))
    throw refuse(
      '"url" must be on a public address, not on a private network.',
      'Give a host that the internet reaches.',
    )
  return url.href
}

/** Whether a host, as the URL standard writes it, is an address that is not public, or a name that never leads to one. */
function isPrivateHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) === 0 ? /(?:^|\.)(?:localhost|local)$/.test(host) : !isPublicAddress(host)
}

/** The HTTP connections to customers' servers. */
const dispatcherOf = perProcess(async ({ resolver, settings }) => {
  const { Agent } = await loadClient()
  const { allowPrivate, concurrency, timeoutMs } = settings.webhooks
  return new Agent({
    connections: concurrency,
    keepAliveTimeout: idleMs,
    connect: { lookup: publicLookup(resolver, allowPrivate), timeout: timeoutMs },
  })
})

/** Makes a lookup that resolves a name to its public addresses only. */
function publicLookup(resolver: Context['resolver'], allowPrivate: boolean): LookupFunction {
  return (hostname, options, done) => {
    resolver.addresses(hostname).then(
      (found) => {
        const allowed = found.filter(({ address }) => allowPrivate || isPublicAddress(address))
        const [first] = allowed
        if (first === undefined) done(new Error(`${hostname} does not resolve to a public address.`), '', 0)
        else if (options.all === true) done(null, [...allowed])
        else done(null, first.address, first.family)
      },
      (error: Error) => done(error, '', 0),
    )
  }
}

async function readStart(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  for await (const part of body) {
    parts.push(part)
    length += part.length
    if (length >= responseBytesMax) break
  }
  return Buffer.concat(parts).subarray(0, responseBytesMax).toString('utf8')
}

/**
 * Reads Retry-After, which is in seconds or a date (RFC 9110 10.2.3). Returns milliseconds, at most an hour; null
 * without one.
 */
function retryAfterMs(value: string | null, now: Date): number | null {
  if (value === null) return null
  const ms = /^\d+$/.test(value) ? Number(value) * secondMs : Date.parse(value) - now.getTime()
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, hourMs) : null
}
