/**
 * The HTTP server of the door, and its answers to input that Node's parser refuses before there is a request. Invariant: such an
 * answer is never mistaken for that of an earlier request on the connection; it waits until that request is answered.
 */
import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  maxHeaderSize,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Context } from '../core/process/context.ts'
import { Failure } from '../schemas/failures.ts'
import { createApi } from './app.ts'
import { limitConnections } from './connections.ts'
import type { ApiOptions } from './endpoints.ts'
import { createProxies } from './proxies.ts'
import { HttpRefusal, refusalAnswer, standardHeaders } from './refusals.ts'

/** How long a whole request may take to arrive, and how often requests that take too long are looked for. */
const requestMs = 300_000
const checkMs = 1_000
/** How long a refused peer may take to read the answer. */
const lingerMs = 5_000

type Exchange = { readonly request: IncomingMessage; readonly response: ServerResponse }

/**
 * Creates the HTTP server of the API; it does not listen yet. `timeouts` override those of the settings and of Node. Throws if the
 * settings name a proxy that is not an address or network.
 */
export function createHttpServer(ctx: Context, options: ApiOptions, timeouts: ServerOptions = {}): Server {
  const proxies = createProxies(ctx.settings.http.proxies)
  const listener = createApi(ctx, proxies, options)
  const headersTimeout = ctx.settings.limits.http.headerSeconds * 1_000
  const ownTimeouts = { headersTimeout, requestTimeout: requestMs, connectionsCheckingInterval: checkMs, ...timeouts }
  // Missing and duplicate Host headers are refused by `requireSoundRequest`, with an error object.
  const server = createServer({ ...ownTimeouts, requireHostHeader: false }, listener)
  limitConnections(server, ctx, proxies)
  const latest = new WeakMap<Duplex, Exchange>()
  const refused = new WeakSet<Duplex>()
  /** Refuses the input after the latest request of a connection, or the rest of that request. */
  const refuseNext = (socket: Duplex, failure: Failure) => {
    const { request, response } = latest.get(socket) ?? {}
    if (request === undefined || response === undefined || response.closed) refuse(ctx, socket, failure)
    else if (request.complete)
      response.once('close', () => {
        if (socket.writable) refuse(ctx, socket, failure)
      })
    else if (response.headersSent) socket.destroy()
    else refuse(ctx, socket, failure)
  }
  /** Refuses the input, and ignores further errors of the connection. */
  const refuseForGood = (socket: Duplex, failure: Failure) => {
    refused.add(socket)
    refuseNext(socket, failure)
  }
  /** Refuses a late request, unless it has fully arrived and was only not read yet: this process itself may have been blocked. */
  const refuseLate = (socket: Duplex, failure: Failure) => {
    const before = latest.get(socket)
    const wasWhole = before?.request.complete
    setImmediate(() => {
      const now = latest.get(socket)
      const isWhole = now?.request.complete === true && !(now === before && wasWhole)
      if (!isWhole && !refused.has(socket)) refuseForGood(socket, failure)
    })
  }
  const note: RequestListener = (request, response) => latest.set(request.socket, { request, response })
  server.prependListener('request', note)
  server.on('checkExpectation', note).on('checkExpectation', listener)
  server.on('connect', ({ method }, socket) => {
    // Node removes its own listener.
    socket.on('error', () => socket.destroy())
    refuseNext(
      socket,
      new Failure('not_found', `This path does not support ${method}.`, {
        fix: 'Use GET, POST, PUT, PATCH or DELETE.',
      }),
    )
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // The parser fails again with each chunk that follows.
    if (refused.has(socket)) return
    if (error.code === 'ECONNRESET') socket.destroy()
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') refuseLate(socket, refusalOf(error))
    else refuseForGood(socket, refusalOf(error))
  })
  return server
}

const wellFormed = 'Send a well-formed HTTP/1.1 request (RFC 9112).'
const oneLength = [
  'The length of the body is unclear.',
  'Send Content-Length, once, or Transfer-Encoding: chunked.',
] as const

const refusals: { readonly [code: string]: readonly [status: number, message: string, fix: string] } = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.', 'Send the whole request without pauses.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too long.', 'Leave the chunk extensions out.'],
  HPE_HEADER_OVERFLOW: [
    431,
    `The request line and the header fields are longer than ${maxHeaderSize} bytes.`,
    'Send fewer or shorter header fields, or a shorter URL.',
  ],
  HPE_INVALID_CONTENT_LENGTH: [400, ...oneLength],
  HPE_INVALID_EOF_STATE: [400, 'The request ended early.', 'Send the whole request before closing the connection.'],
  HPE_INVALID_METHOD: [400, 'The request does not begin with a known method.', wellFormed],
  HPE_INVALID_TRANSFER_ENCODING: [400, ...oneLength],
  HPE_PAUSED_H2_UPGRADE: [505, 'HTTP/2 is not supported.', 'Use HTTP/1.1.'],
  HPE_UNEXPECTED_CONTENT_LENGTH: [400, ...oneLength],
}

function refusalOf({ code = '' }: NodeJS.ErrnoException): HttpRefusal {
  return new HttpRefusal(...(refusals[code] ?? ([400, 'The request is not well-formed HTTP.', wellFormed] as const)))
}

/** Writes the whole answer, and closes the connection. */
function refuse(ctx: Context, socket: Duplex, failure: Failure): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const { status, body } = refusalAnswer(ctx, failure)
  const text = JSON.stringify(body)
  const requestId = randomUUID()
  const headers = {
    ...standardHeaders(ctx),
    'X-Request-Id': requestId,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': String(Buffer.byteLength(text)),
    Connection: 'close',
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`)
  // The end of a socket is noticed only while it is read.
  socket.resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs).unref()
  socket.once('close', () => clearTimeout(timer))
  ctx.log.info({ requestId, route: null, status, reason: failure.message }, 'request')
}
