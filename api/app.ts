/**
 * The HTTP door. Invariants: every response has an X-Request-Id and the security headers; every failure, whatever threw it, is
 * rendered in one place; since a path may contain a secret, the log has the path of the route instead, such as `/claim/{token}`.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context as KoaContext, type Middleware } from 'koa'
import { type Context, withRequest } from '../core/process/context.ts'
import { admit, countRequest, hasCredential } from '../operations/admit.ts'
import { partnerPath } from '../operations/registry.ts'
import { Failure } from '../schemas/failures.ts'
import { type ApiOptions, endpointsOf } from './endpoints.ts'
import type { Proxies } from './proxies.ts'
import { refusalAnswer, requireSoundRequest, standardHeaders } from './refusals.ts'
import { allowedMethods, createRouting, type RequestState, routeOf } from './routes.ts'
import { cutWhenUnread } from './slow-readers.ts'

/**
 * Builds the listener of an HTTP server: the REST API of the operations, the MCP endpoint, health, and the documents.
 * It does not check the operations: that is done beforehand (operations/check.ts), because compiling all their schemas would take
 * half of the start.
 */
export function createApi(
  ctx: Context,
  proxies: Proxies,
  options: ApiOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const app = new Koa<RequestState>()
  app.on('error', (error: unknown) => ctx.log.debug({ err: error }, 'a response could not be written'))
  app.use(beginAndLog(ctx, proxies))
  app.use(setHeaders)
  app.use(answerFailures)
  app.use(refuseUnsound)
  app.use(createRouting(endpointsOf(ctx, options)))
  app.use(serveNothing)
  const listener = app.callback()
  return (request, response) => void listener(request, response)
}

/** Gives a request its id and its state, and logs its outcome. */
function beginAndLog(service: Context, proxies: Proxies): Middleware<RequestState> {
  return async (koa, next) => {
    const startedAt = performance.now()
    const requestId = randomUUID()
    const ctx = withRequest(service, requestId)
    const peerAddress = proxies.clientOf(koa.req.socket.remoteAddress, koa.req.headers)
    cutWhenUnread(koa, ctx)
    koa.state = { ctx, peerAddress, headers: { 'X-Request-Id': requestId }, hungUp: hangUpOf(koa) }
    await next()
    const tookMs = Math.round(performance.now() - startedAt)
    ctx.log.info({ method: koa.method, route: routeOf(koa), status: koa.status, ms: tookMs }, 'request')
  }
}

/** Aborts when the connection ends before the answer is sent. */
function hangUpOf({ res }: Pick<KoaContext, 'res'>): AbortSignal {
  const hangUp = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) hangUp.abort()
  })
  return hangUp.signal
}

/** Sets the headers of every answer, and those that were collected while it was made. */
const setHeaders: Middleware<RequestState> = async (koa, next) => {
  const { ctx, headers } = koa.state
  koa.set(standardHeaders(ctx))
  await next()
  koa.set(headers)
}

/** Turns anything thrown into the error object of the API. */
const answerFailures: Middleware<RequestState> = async (koa, next) => {
  try {
    await next()
  } catch (error) {
    const { ctx, headers } = koa.state
    const answer = refusalAnswer(ctx, error)
    Object.assign(headers, answer.headers)
    koa.remove('Content-Disposition')
    koa.status = answer.status
    koa.body = answer.body
    koa.type = 'application/json'
  }
}

/** Closes the connection after refusing an unsound request, because it is unclear where the next request begins. */
const refuseUnsound: Middleware<RequestState> = (koa, next) => {
  try {
    requireSoundRequest(koa.req)
  } catch (error) {
    koa.set('Connection', 'close')
    throw error
  }
  return next()
}

/**
 * Answers that nothing is served at this path: a caller with a key also gets the headers of its account, and others are not asked for
 * a key.
 */
const serveNothing: Middleware<RequestState> = async (koa) => {
  const { ctx, headers, peerAddress } = koa.state
  const allowed = allowedMethods(koa)
  if (allowed.length > 0) headers.Allow = allowed.join(', ')
  if (koa.method === 'OPTIONS' && allowed.length > 0) {
    koa.status = 200
    koa.body = ''
    return
  }
  if (hasCredential(koa.req.headers)) {
    const api = `${koa.path}/`.startsWith(partnerPath) ? 'partner' : 'api'
    const principal = await admit(ctx, { headers: koa.req.headers, peerAddress, answerHeaders: headers, api })
    await countRequest(ctx, principal, headers)
  }
  throw allowed.length > 0
    ? new Failure('not_found', `This path does not support ${koa.method}.`, {
        fix: `Use one of its methods: ${allowed.join(', ')}.`,
      })
    : new Failure('not_found', 'There is nothing at this path.', {
        fix: `Compare the path with ${ctx.baseUrl}/openapi.json, which lists all paths.`,
      })
}
