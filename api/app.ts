/**
 * The HTTP door. Invariants: every response has an X-Request-Id and the security headers; every failure, whoever threw it,
 * is rendered in one place; a path that may hold a secret is never logged, only the route's own text.
 */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import Koa, { type Context as KoaContext } from 'koa'
import { type Context, withRequest } from '../core/process/context.ts'
import { subscriberOf, unsubscribe } from '../core/send/unsubscribe.ts'
import { type Admitted, admit, hasCredential } from '../operations/admit.ts'
import { operations } from '../operations/all.ts'
import { checkOperations } from '../operations/check.ts'
import { errorAnswer } from '../operations/errors.ts'
import type { McpEndpoint } from '../operations/http.ts'
import { invoke, rateHeaders } from '../operations/invoke.ts'
import { openApi } from '../operations/openapi.ts'
import { type AnswerHeaders, isBytes, isOfMailbox, type Operation } from '../operations/registry.ts'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import { sendInPieces, sendJson } from './body.ts'
import { RangeRefusal, sendBytes } from './bytes.ts'
import { inputOf, readJson, readJsonObject } from './input.ts'
import { claimPage, errorsPage, type Page, unsubscribedPage, unsubscribePage } from './pages.ts'
import { createRoutes, type Parameters, type Routes } from './routes.ts'
import { createUnderWay, type UnderWay } from './under-way.ts'

export type Readiness = { readonly ready: boolean; readonly parts: { readonly [part: string]: unknown } }

export type ApiOptions = {
  readiness(): Promise<Readiness>
  /** Serves /api/mcp. */
  readonly mcp?: McpEndpoint
  /** Whether an answer that its declaration does not allow is an error: for tests. */
  readonly checkOutput?: boolean
}

/** One request on its way through the door. */
type Exchange = {
  readonly ctx: Context
  readonly koa: KoaContext
  readonly peerAddress: string
  /** Headers that go out whatever happens. */
  readonly headers: AnswerHeaders
  readonly parameters: Parameters
  /** Aborted when the caller has hung up. */
  readonly hungUp: AbortSignal
}
/** What is long and on its way, in and out. */
type Traffic = { readonly bodies: UnderWay; readonly answers: UnderWay }
type Handler = { readonly route: string; serve(exchange: Exchange): Promise<void> | void }

/**
 * Builds the listener of an HTTP server: the REST API of the operations, the MCP endpoint, health, and the documents.
 * Throws when the operations are not sound.
 */
export function createApi(
  ctx: Context,
  options: ApiOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  checkOperations(operations)
  const routes = routesOf(ctx, options)
  const app = new Koa()
  app.on('error', (error: unknown) => ctx.log.debug({ err: error }, 'a response could not be written'))
  app.use((koa) => exchange(ctx, koa, routes))
  const listener = app.callback()
  return (request, response) => void listener(request, response)
}

const securityHeaders: AnswerHeaders = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}
const strictTransport: AnswerHeaders = { 'Strict-Transport-Security': 'max-age=31536000' }

async function exchange(service: Context, koa: KoaContext, routes: Routes<Handler>): Promise<void> {
  const startedAt = performance.now()
  const requestId = randomUUID()
  const ctx = withRequest(service, requestId)
  const headers: AnswerHeaders = {}
  koa.set({ ...securityHeaders, ...(ctx.baseUrl.startsWith('https:') && strictTransport), 'X-Request-Id': requestId })
  const found = routes.find(koa.method, koa.path)
  const peerAddress = (koa.req.socket.remoteAddress ?? '').replace(/^::ffff:/, '')
  const hungUp = hangUpOf(koa)
  try {
    const given = { ctx, koa, peerAddress, headers, hungUp }
    if (found.handler === null) await serveNothing({ ...given, parameters: {} }, found.allow)
    else await found.handler.serve({ ...given, parameters: found.parameters })
  } catch (error) {
    const answer = errorAnswer(ctx, error)
    const status = error instanceof RangeRefusal ? error.status : answer.status
    Object.assign(headers, answer.headers)
    koa.remove('Content-Disposition')
    koa.status = status
    koa.body = { ...answer.body, statusCode: status }
    koa.type = 'application/json'
  }
  koa.set(headers)
  const took = Math.round(performance.now() - startedAt)
  ctx.log.info({ method: koa.method, route: found.handler?.route ?? null, status: koa.status, ms: took }, 'request')
}

/** Aborts when the connection ends before the answer went out. */
function hangUpOf({ res }: KoaContext): AbortSignal {
  const hangUp = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) hangUp.abort()
  })
  return hangUp.signal
}

function routesOf(ctx: Context, { readiness, mcp, checkOutput }: ApiOptions): Routes<Handler> {
  const routes = createRoutes<Handler>()
  const add = (method: string, path: string, serve: Handler['serve']) =>
    routes.add(method, path, { route: path, serve })
  const traffic: Traffic = {
    bodies: createUnderWay({ bytesMax: () => ctx.settings.limits.http.bodyBytesInFlight }),
    answers: createUnderWay({ bytesMax: () => ctx.settings.limits.http.answerBytesInFlight }),
  }
  for (const operation of operations)
    add(operation.method, operation.path, (given) => serveOperation(operation, given, { ...traffic, checkOutput }))
  add('GET', '/healthz', ({ koa }) => {
    koa.body = { status: 'ok' }
  })
  add('GET', '/readyz', async ({ koa }) => {
    const state = await readiness()
    koa.status = state.ready ? 200 : 503
    koa.body = state
  })
  const description = openApi(operations, { baseUrl: ctx.baseUrl, version: serviceVersion() })
  add('GET', '/openapi.json', ({ koa }) => {
    koa.body = description
  })
  const [errors, claim] = [errorsPage(), claimPage()]
  add('GET', '/docs/errors', ({ koa }) => showPage(koa, errors))
  add('GET', '/claim/{token}', ({ koa }) => showPage(koa, claim))
  add('GET', '/unsubscribe/{token}', ({ ctx: own, koa, parameters }) =>
    showPage(koa, unsubscribePage(subscriberOf(own, parameters.token ?? '').email)),
  )
  // RFC 8058 3.2: mail programs post a form; the link alone says what is wanted.
  add('POST', '/unsubscribe/{token}', async ({ ctx: own, koa, parameters }) => {
    const { email } = await unsubscribe(own, parameters.token ?? '')
    koa.req.resume()
    showPage(koa, unsubscribedPage(email))
  })
  if (mcp !== undefined) {
    for (const path of ['/api/mcp', '/api/mcp/{key}'])
      for (const method of ['GET', 'POST', 'DELETE']) add(method, path, (given) => serveMcp(mcp, given, traffic))
  }
  return routes
}

async function serveOperation(
  operation: Operation,
  given: Exchange,
  { bodies, answers, checkOutput = false }: Traffic & { checkOutput?: boolean },
): Promise<void> {
  const { headers, hungUp, koa, parameters, peerAddress } = given
  const { ctx, principal } =
    operation.access === 'public'
      ? { ctx: given.ctx, principal: null }
      : await admitted(given, isOfMailbox(operation) ? parameters.address : undefined)
  const { bodyBytes, sendBodyBytes } = ctx.settings.limits.http
  const key = koa.req.headers['idempotency-key']
  const answer = await invoke(ctx, operation, principal, {
    path: parameters,
    headers,
    peerAddress,
    hungUp,
    checkOutput,
    ...(typeof key === 'string' && { idempotency: () => ({ key }) }),
    input: async () => {
      const query = new URLSearchParams(koa.querystring)
      const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE'
      const limitBytes = operation.body === 'send' ? sendBodyBytes : bodyBytes
      const body = hasBody ? await readJsonObject(koa.req, { limitBytes, parsing: ctx.parsing, underWay: bodies }) : {}
      return inputOf(operation, { path: parameters, query, body })
    },
  })
  koa.status = answer.status
  if (isBytes(answer.body)) sendBytes(koa, answer.body, answers)
  else sendJson(koa, answer.body, answers)
}

/** What is not there is said to a known key with its headers, and to a stranger without asking for one. */
async function serveNothing(given: Exchange, allow: readonly string[]): Promise<void> {
  const { ctx, headers, koa } = given
  if (allow.length > 0) headers.Allow = allow.join(', ')
  if (koa.method === 'OPTIONS' && allow.length > 0) {
    koa.status = 200
    koa.body = ''
    return
  }
  if (hasCredential(koa.req.headers)) Object.assign(headers, await rateHeaders(ctx, (await admitted(given)).principal))
  throw new Failure(
    'not_found',
    allow.length > 0 ? `This path does not take ${koa.method}.` : 'There is nothing at this path.',
  )
}

/** `address`: of the mailbox that the path names. */
function admitted({ ctx, headers, koa, peerAddress }: Exchange, address?: string): Promise<Admitted> {
  return admit(ctx, { headers: koa.req.headers, peerAddress, answerHeaders: headers, address })
}

async function serveMcp(
  mcp: McpEndpoint,
  { ctx, headers, hungUp, koa, parameters, peerAddress }: Exchange,
  { bodies, answers }: Traffic,
): Promise<void> {
  const answer = await mcp({
    ctx,
    method: koa.method,
    headers: koa.req.headers,
    peerAddress,
    pathKey: parameters.key,
    answerHeaders: headers,
    hungUp,
    readBody: () => {
      const { parsing, settings } = ctx
      return readJson(koa.req, { limitBytes: settings.limits.http.sendBodyBytes, parsing, underWay: bodies })
    },
  })
  koa.status = answer.status
  if (answer.body === null) koa.body = ''
  else sendInPieces(koa, Buffer.from(answer.body), answers)
  koa.set(answer.headers)
}

function showPage(koa: KoaContext, { html, contentSecurityPolicy }: Page): void {
  koa.type = 'text/html; charset=utf-8'
  koa.set('Content-Security-Policy', contentSecurityPolicy)
  koa.body = html
}
