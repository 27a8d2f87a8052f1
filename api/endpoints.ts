/** Everything that the HTTP door serves: the operations, the MCP endpoint, health, the API description, exports and the pages. */
import { takeAnonymous } from '../core/access/request-rates.ts'
import { openExport } from '../core/personal/export-jobs.ts'
import type { Context } from '../core/process/context.ts'
import { createInFlight, type InFlight } from '../core/process/in-flight.ts'
import { admitAgain, admitCaller, apiOf, userAgentOf } from '../operations/admit.ts'
import { operations } from '../operations/all.ts'
import type { McpEndpoint } from '../operations/http.ts'
import { invoke } from '../operations/invoke.ts'
import { openApi } from '../operations/openapi.ts'
import { isBytes, isEventStream, isStoredFile, isStreamed, type Operation } from '../operations/registry.ts'
import { serviceVersion } from '../operations/version.ts'
import { Failure } from '../schemas/failures.ts'
import { sendAsRead, sendInPieces, sendJson } from './body.ts'
import { contentDisposition, sendBytes } from './bytes.ts'
import { inCoding } from './compression.ts'
import { type Dashboard, dashboardRoutes } from './dashboard.ts'
import { sendEvents } from './event-stream.ts'
import { handbookRoutes } from './handbook/all.ts'
import { inputOf, readJson, readJsonObject } from './input.ts'
import { mailProgramRoutes } from './mail-programs.ts'
import { oauthRoutes } from './oauth.ts'
import { pageRoutes } from './pages/all.ts'
import type { Exchange, Route } from './routes.ts'
import { wellKnownRoutes } from './well-known.ts'

export type Readiness = { readonly ready: boolean; readonly parts: { readonly [part: string]: unknown } }

export type ApiOptions = {
  readiness(): Promise<Readiness>
  /** The state of the dashboard; default: it is being built. */
  readonly dashboard?: Dashboard
  /** Serves /api/mcp. */
  readonly mcp?: McpEndpoint
  /** Whether an answer that the operation does not declare is an error: for tests. */
  readonly checkOutput?: boolean
}

const noDashboard: Dashboard = { state: () => ({ is: 'being made' }) }

/** The long request bodies and answers in flight in this process. */
type Traffic = { readonly bodies: InFlight; readonly answers: InFlight }

/** The routes of all endpoints. */
export function endpointsOf(
  ctx: Context,
  { readiness, dashboard = noDashboard, mcp, checkOutput }: ApiOptions,
): readonly Route[] {
  const traffic: Traffic = {
    bodies: createInFlight({ bytesMax: () => ctx.settings.limits.http.bodyBytesInFlight }),
    answers: createInFlight({ bytesMax: () => ctx.settings.limits.http.answerBytesInFlight }),
  }
  return [
    ...operations.map((operation): Route => {
      const { method, path } = operation
      return { method, path, serve: (exchange) => serveOperation(operation, exchange, { ...traffic, checkOutput }) }
    }),
    ...healthEndpoints(readiness),
    descriptionEndpoint(ctx),
    exportEndpoint(traffic.answers),
    ...oauthRoutes,
    ...mailProgramRoutes(traffic.bodies),
    ...wellKnownRoutes,
    ...dashboardRoutes(dashboard),
    ...handbookRoutes(ctx),
    ...pageRoutes({ inFlight: traffic.bodies, checkOutput: checkOutput ?? false }),
    ...(mcp === undefined ? [] : mcpEndpoints(mcp, traffic)),
  ]
}

async function serveOperation(
  operation: Operation,
  exchange: Exchange,
  { bodies, answers, checkOutput = false }: Traffic & { checkOutput?: boolean },
): Promise<void> {
  const { params, req, state } = exchange
  const { ctx, headers, hungUp, peerAddress } = state
  const { principal, session } = await admitCaller(ctx, operation.access, {
    headers: req.headers,
    method: operation.method,
    peerAddress,
    answerHeaders: headers,
  })
  const { bodyBytes, sendBodyBytes } = ctx.settings.limits.http
  const key = req.headers['idempotency-key']
  const lastEventId = isStreamed(operation) ? req.headers['last-event-id'] : undefined
  const isGoingOn = typeof lastEventId === 'string' && lastEventId !== ''
  const answer = await invoke(ctx, operation, principal, {
    path: params,
    session,
    headers,
    peerAddress,
    userAgent: userAgentOf(req.headers),
    hungUp,
    checkOutput,
    ...(principal !== null && { again: () => admitAgain(ctx, { headers: req.headers, api: apiOf(operation) }) }),
    ...(typeof key === 'string' && { idempotency: () => ({ key }) }),
    input: async () => {
      const query = new URLSearchParams(exchange.querystring)
      // Newer than the cursor in the URL: a client sends it when it reconnects (HTML 9.2.3).
      if (isGoingOn) query.set('after', lastEventId)
      const hasBody = operation.method !== 'GET'
      const limitBytes = operation.body === 'send' ? sendBodyBytes : bodyBytes
      const body = hasBody ? await readJsonObject(req, { limitBytes, parsing: ctx.parsing, inFlight: bodies }) : {}
      return inputOf(operation, { path: params, query, body })
    },
  }).catch((error: unknown) => {
    throw isGoingOn ? ofLastEventId(error) : error
  })
  exchange.status = answer.status
  if (isBytes(answer.body) || isStoredFile(answer.body)) sendBytes(exchange, answer.body, answers)
  else if (isEventStream(answer.body)) sendEvents(exchange, answer.body, answers)
  else sendJson(exchange, answer.body, answers)
}

/** Rewords a failure of a stream that resumes from `Last-Event-ID`, so that it names that header instead of the parameter `after`. */
function ofLastEventId(error: unknown): unknown {
  if (!(error instanceof Failure) || error.code !== 'validation_error' || error.detail.param !== 'after') return error
  return new Failure('validation_error', 'The header Last-Event-ID is not the id of an event of this stream.', {
    fix: 'Send the id of the last event exactly as received, or leave the header out to get events from now on.',
  })
}

function healthEndpoints(readiness: ApiOptions['readiness']): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/healthz',
      serve(exchange) {
        exchange.body = { status: 'ok' }
      },
    },
    {
      method: 'GET',
      path: '/readyz',
      async serve(exchange) {
        const state = await readiness()
        exchange.status = state.ready ? 200 : 503
        exchange.body = state
      },
    },
  ]
}

function descriptionEndpoint({ baseUrl }: Context): Route {
  let description: Buffer | undefined
  return {
    method: 'GET',
    path: '/openapi.json',
    serve(exchange) {
      // Made for the first request: it takes 40 ms, which would delay every start.
      description ??= Buffer.from(JSON.stringify(openApi(operations, { baseUrl, version: serviceVersion() })))
      exchange.type = 'application/json'
      exchange.body = description
    },
  }
}

/** The file of an export, sent while it is read from the database. */
const exportEndpoint = (answers: InFlight): Route => ({
  method: 'GET',
  path: '/exports/{token}',
  async serve(exchange) {
    const { ctx, peerAddress } = exchange.state
    await takeAnonymous(ctx, peerAddress)
    const { name, content } = await openExport(ctx, exchange.params.token ?? '')
    exchange.set('Content-Disposition', contentDisposition(name))
    exchange.type = 'application/zip'
    sendAsRead(exchange, content, { first: 0, last: content.sizeBytes - 1 }, answers)
  },
})

function mcpEndpoints(mcp: McpEndpoint, traffic: Traffic): readonly Route[] {
  const serve: Route['serve'] = (exchange) => serveMcp(mcp, exchange, traffic)
  return ['/api/mcp', '/api/mcp/{key}'].flatMap((path) =>
    (['GET', 'POST', 'DELETE'] as const).map((method) => ({ method, path, serve })),
  )
}

async function serveMcp(mcp: McpEndpoint, exchange: Exchange, { bodies, answers }: Traffic): Promise<void> {
  const { method, params, req, state } = exchange
  const { ctx, headers, hungUp, peerAddress } = state
  const answer = await mcp({
    ctx,
    method,
    headers: req.headers,
    peerAddress,
    ...(params.key === 'signup' ? { isSignup: true } : { isSignup: false, pathKey: params.key }),
    query: exchange.URL.searchParams,
    answerHeaders: headers,
    hungUp,
    readBody: () => {
      const { parsing, settings } = ctx
      return readJson(req, { limitBytes: settings.limits.http.sendBodyBytes, parsing, inFlight: bodies })
    },
  })
  exchange.status = answer.status
  if (answer.body === null) exchange.body = ''
  else if (typeof answer.body === 'string') {
    const content = Buffer.from(answer.body)
    sendInPieces(exchange, answer.isOurs === true ? await inCoding(exchange, content) : content, answers)
  } else sendEvents(exchange, answer.body, answers)
  exchange.set(answer.headers)
}
