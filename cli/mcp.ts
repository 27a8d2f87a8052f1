/**
 * `mailroom mcp`: MCP over standard input and output, for clients that start their servers as programs. Each message is passed on to the
 * endpoint of a Mailroom unchanged, so that both sides use whatever revision they agree on. Standard output is only for messages to the
 * client.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { SdkHttpError, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { serviceVersion } from '../operations/version.ts'
import { errorText, type Io } from './io.ts'
import { type ServerOptions, serverWithKey, urlBelow } from './server-options.ts'

/** The JSON-RPC code for an error of the server itself (JSON-RPC 2.0, 5.1). */
const serverError = -32000
const stateless = '2026-07-28'
/** The stream of a session is opened again as long as the client runs: the service may be away for longer than a few tries. */
const reconnectionOptions = {
  initialReconnectionDelay: 1_000,
  reconnectionDelayGrowFactor: 1.5,
  maxReconnectionDelay: 30_000,
  maxRetries: Number.POSITIVE_INFINITY,
}
/** How long the last answers may take once standard input is closed: clients end a server by a signal after two seconds. */
const lastAnswersMs = 1_000

/**
 * Passes messages on until the client closes standard input, and still answers earlier requests, unless that takes longer than a client
 * waits. Fails without a key or a server.
 */
export async function serveStdio(io: Io, options: ServerOptions): Promise<void> {
  const { key, server } = serverWithKey(io, options)
  const headers = { authorization: `Bearer ${key}`, 'user-agent': `Mailroom/${serviceVersion()}` }
  const remote = new StreamableHTTPClientTransport(endpointOf(server), {
    requestInit: { headers },
    reconnectionOptions,
    async fetch(url, init) {
      const response = await fetch(url, init)
      if (init?.method === 'GET' && response.ok) watchAgain()
      return response
    },
  })
  // The transport is told of the end of standard input only after the last answers, because it writes nothing after that.
  const input = new PassThrough()
  const client = new StdioServerTransport(input)
  /** Stateless requests in progress: closing their connection cancels them. */
  const running = new Map<RequestId, AbortController>()
  let beginning: RequestId | null = null
  /** Requests that have not been answered yet. */
  const unanswered = new Set<RequestId>()
  /** The resources that the client watches in its session: a server that was started again does not know of them. */
  const watched = new Set<string>()
  /** Our own requests, whose answers are not for the client. */
  const ours = new Set<RequestId>()
  const watchAgain = () => {
    for (const uri of watched) {
      const id = randomUUID()
      ours.add(id)
      remote
        .send({ jsonrpc: '2.0', id, method: 'resources/subscribe', params: { uri } })
        .catch((error: unknown) => io.err(`${errorText(error)}\n`))
    }
  }
  /** Requests whose answer has not been written yet. */
  const open = new Map<RequestId, PromiseWithResolvers<void>>()
  const settle = (id: RequestId) => {
    open.get(id)?.resolve()
    open.delete(id)
  }

  const answer = (message: JSONRPCMessage) =>
    client.send(message).catch((error: unknown) => io.err(`${errorText(error)}\n`))

  remote.onmessage = (message) => {
    const { id } = message as { readonly id?: RequestId }
    if (id !== undefined && ours.delete(id)) return
    if (isJSONRPCResultResponse(message) && id === beginning) {
      const { protocolVersion } = message.result as { readonly protocolVersion?: string }
      if (protocolVersion !== undefined) remote.setProtocolVersion(protocolVersion)
    }
    const isAnswer = id !== undefined && !('method' in message)
    if (isAnswer) {
      running.delete(id)
      unanswered.delete(id)
    }
    void answer(message).then(() => isAnswer && settle(id))
  }

  async function passOn(message: JSONRPCMessage): Promise<void> {
    if (isInitializeRequest(message)) beginning = (message as { readonly id: RequestId }).id
    if (cancels(message, running)) return
    if (!isJSONRPCRequest(message)) return remote.send(message)
    noteWatched(message, watched)
    const own = new AbortController()
    if (isStateless(message)) running.set(message.id, own)
    open.set(message.id, Promise.withResolvers())
    unanswered.add(message.id)
    // The stream of an answer may end without the answer.
    const onRequestStreamEnd = () => {
      if (!unanswered.delete(message.id) || own.signal.aborted) return
      running.delete(message.id)
      void answer(refusalOfCut(message.id, server)).then(() => settle(message.id))
    }
    try {
      await remote.send(message, { requestSignal: own.signal, onRequestStreamEnd })
    } catch (error) {
      unanswered.delete(message.id)
      running.delete(message.id)
      if (!own.signal.aborted) await answer(refusalOf(error, message.id, server))
      settle(message.id)
    }
  }

  client.onmessage = (message) => {
    passOn(message).catch((error: unknown) => io.err(`${errorText(error)}\n`))
  }
  const ended = once(process.stdin, 'end')
  await remote.start()
  await client.start()
  process.stdin.pipe(input, { end: false })
  await ended
  await nextTurn()
  const last = [...open.values()].map(({ promise }) => promise)
  await Promise.race([Promise.all(last), sleep(lastAnswersMs)])
  await remote.close()
  await client.close()
}

/** The endpoint of a server; a URL of the endpoint itself is used unchanged. The query selects tools, and where bodies are. */
function endpointOf(server: URL): URL {
  const path = '/api/mcp'
  return server.pathname.endsWith(path) ? server : urlBelow(server, `${path}${server.search}`)
}

function isStateless(message: JSONRPCMessage): boolean {
  const { params } = message as { readonly params?: { readonly _meta?: Readonly<Record<string, unknown>> } }
  return params?._meta?.['io.modelcontextprotocol/protocolVersion'] === stateless
}

function noteWatched({ method, params }: JSONRPCRequest, watched: Set<string>): void {
  const { uri } = (params ?? {}) as { readonly uri?: unknown }
  if (typeof uri !== 'string') return
  if (method === 'resources/subscribe') watched.add(uri)
  if (method === 'resources/unsubscribe') watched.delete(uri)
}

/** Ends the request that a message cancels; returns whether there was one. */
function cancels(message: JSONRPCMessage, running: Map<RequestId, AbortController>): boolean {
  if (!('method' in message) || message.method !== 'notifications/cancelled') return false
  const { requestId } = (message.params ?? {}) as { readonly requestId?: RequestId }
  const request = requestId === undefined ? undefined : running.get(requestId)
  request?.abort()
  if (requestId !== undefined) running.delete(requestId)
  return request !== undefined
}

/** The answer for a request that the server refused, or that did not reach it. */
function refusalOf(error: unknown, id: RequestId, server: URL): JSONRPCMessage {
  const body = error instanceof SdkHttpError ? bodyOf(error) : null
  if (isJSONRPCErrorResponse(body) && body.id === id) return body
  const { error: said, fix } = (body ?? {}) as { readonly error?: unknown; readonly fix?: unknown }
  const message =
    typeof said === 'string' ? `${said} ${fix ?? ''}`.trim() : `${server.href} does not answer: ${causeOf(error)}`
  return { jsonrpc: '2.0', id, error: { code: serverError, message, ...(body !== null && { data: body }) } }
}

/** The answer for a request that reached the server, but whose own answer was cut off. */
function refusalOfCut(id: RequestId, server: URL): JSONRPCMessage {
  const message = `The connection to ${server.href} was cut before the answer: check whether the request was carried out before you repeat it.`
  return { jsonrpc: '2.0', id, error: { code: serverError, message } }
}

function bodyOf({ data }: SdkHttpError): unknown {
  try {
    return JSON.parse(String(data?.text ?? ''))
  } catch {
    return null
  }
}

/** Node's fetch gives the reason in the cause. */
function causeOf(error: unknown): string {
  return errorText(error instanceof Error && error.cause instanceof Error ? error.cause : error)
}
