/**
 * The revisions before 2026-07-28: the first request, `initialize`, states what the client can do. A call is answered with a stream if
 * its client wants progress notifications or can be asked questions, and with JSON otherwise.
 */
import { randomUUID } from 'node:crypto'
import {
  type ClientCapabilities,
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  ProtocolError,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { McpAnswer, McpRequest } from '../operations/http.ts'
import type { Caller } from './caller.ts'
import { type Serving, serverOf } from './handlers.ts'
import { asFetchRequest, isRequestOf, streamsTo, toAnswer } from './messages.ts'
import { canSubscribe } from './notices.ts'
import { protocolError, refuse } from './refusals.ts'
import { capabilitiesOf, newSession, type Sessions, sessionHeader } from './sessions.ts'

/** Most messages in a batch of revision 2025-03-26; later revisions have no batches. */
const batchMax = 10
const firstWithoutBatches = '2025-06-18'

/** The refusal of a batch that may not be sent, before its messages are read; null if there is none. */
export function refusedBatch({ headers }: McpRequest, body: unknown): McpAnswer | null {
  if (!Array.isArray(body)) return null
  const version = headers['mcp-protocol-version']
  const message =
    typeof version === 'string' && version >= firstWithoutBatches
      ? `Revision ${version} has no batches: send each message by itself.`
      : body.length > batchMax
        ? `A batch has at most ${batchMax} messages.`
        : null
  return message === null ? null : refuse(body, { status: 400, code: INVALID_REQUEST, message })
}

export async function answerEarlier(
  request: McpRequest,
  { body, caller, serving, sessions }: { body: unknown; caller: Caller; serving: Serving; sessions: Sessions },
): Promise<McpAnswer> {
  const named = request.headers[sessionHeader.toLowerCase()]
  const session = typeof named === 'string' ? `${caller.principal?.keyId ?? ''} ${named}` : null
  if (isResponse(body)) {
    if (session !== null) sessions.answer(session, body)
    return { status: 202, headers: {}, body: null }
  }
  const declared = typeof named === 'string' ? capabilitiesOf(named) : {}
  const streams =
    streamsTo(request) && isRequestOf(body, 'tools/call') && (wantsProgress(body) || 'elicitation' in declared)
  const server = serverOf(serving, {
    caller,
    streams,
    ...(session !== null && { run: (id, call) => sessions.run(session, id, call) }),
  })
  if (session !== null)
    server.setNotificationHandler('notifications/cancelled', ({ params: { requestId } }) => {
      if (requestId !== undefined) sessions.cancel(session, requestId)
    })
  addSubscriptions(server, { caller, serving, session, sessions })
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: !streams })
  const forget =
    streams && session !== null ? askThrough(transport, (...question) => sessions.ask(session, ...question)) : null
  const close = async () => {
    forget?.()
    end?.()
    await server.close()
  }
  // Nobody's answer to a question of a cancelled call counts.
  const end = streams && session !== null && isJSONRPCRequest(body) ? sessions.begin(session, body.id, close) : null
  await server.connect(transport)
  request.hungUp.addEventListener('abort', close, { once: true })
  if (forget !== null) introduce(transport, declared, request)
  const response = await transport.handleRequest(asFetchRequest(request, { until: request.hungUp }), {
    parsedBody: body ?? null,
  })
  const answer = await toAnswer(response, close)
  const begins = isRequestOf(body, 'initialize') && response.ok
  return { ...answer, headers: { ...answer.headers, ...(begins && { [sessionHeader]: newSession(declaredIn(body)) }) } }
}

type Watching = {
  readonly caller: Caller
  readonly serving: Serving
  readonly session: string | null
  readonly sessions: Sessions
}

/** Handlers of subscriptions to resources within a session, which revision 2026-07-28 does not have. */
function addSubscriptions(server: Server, { caller, serving, session, sessions }: Watching): void {
  const handle =
    (act: Sessions['subscribe']) =>
    async ({ params: { uri } }: { readonly params: { readonly uri: string } }) => {
      if (session === null)
        throw new ProtocolError(INVALID_REQUEST, 'Only a session can subscribe: begin one with initialize.')
      if (!(await canSubscribe(caller, serving.offers, uri)))
        throw new ProtocolError(INVALID_PARAMS, 'There is no such resource that can be watched.', { uri })
      try {
        act(session, uri)
      } catch (error) {
        throw protocolError(caller.ctx, error)
      }
      return {}
    }
  server.setRequestHandler('resources/subscribe', handle(sessions.subscribe))
  server.setRequestHandler('resources/unsubscribe', handle(sessions.unsubscribe))
}

type Transport = WebStandardStreamableHTTPServerTransport

type Ask = (name: string, answered: (message: JSONRPCMessage) => void) => () => void

/**
 * Gives the questions that go to the client ids by which their answers, which come as separate requests, are matched. Returns a
 * function that forgets the open questions.
 */
function askThrough(transport: Transport, ask: Ask): () => void {
  const open = new Set<() => void>()
  const send = transport.send.bind(transport)
  transport.send = async (message, options) => {
    if (isJSONRPCResultResponse(message) && message.id === introductionId) return
    if (!isJSONRPCRequest(message)) return send(message, options)
    const { id } = message
    const name = randomUUID()
    const forget = ask(name, (answer) => {
      open.delete(forget)
      forget()
      transport.onmessage?.({ ...answer, id } as JSONRPCMessage)
    })
    open.add(forget)
    return send({ ...message, id: name }, options)
  }
  return () => {
    for (const forget of open) forget()
  }
}

/** The id of a request that no client makes. */
const introductionId = randomUUID()

/** Repeats to the server of a later request what its client declared in the first request of the session. */
function introduce(transport: Transport, capabilities: ClientCapabilities, { headers }: McpRequest): void {
  const version = headers['mcp-protocol-version']
  transport.onmessage?.({
    jsonrpc: '2.0',
    id: introductionId,
    method: 'initialize',
    params: {
      protocolVersion: typeof version === 'string' ? version : DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
      capabilities,
      clientInfo: { name: 'client', version: '0' },
    },
  })
}

type Params = { readonly capabilities?: ClientCapabilities; readonly _meta?: { readonly progressToken?: unknown } }

const paramsOf = (body: unknown): Params => (body as { readonly params?: Params }).params ?? {}
const declaredIn = (body: unknown) => paramsOf(body).capabilities
const wantsProgress = (body: unknown) => paramsOf(body)._meta?.progressToken !== undefined
const isResponse = (body: unknown): body is JSONRPCMessage =>
  isJSONRPCResultResponse(body) || isJSONRPCErrorResponse(body)
