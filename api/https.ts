/**
 * The HTTPS door: TLS in front of the HTTP server of the same process. That server receives the decrypted connections, so both doors
 * have the same endpoints, limits and timeouts. Invariant: connections are counted from their first byte to their end here, and by the
 * HTTP server once their handshake is done.
 */
import type { Server as HttpServer } from 'node:http'
import type { Socket } from 'node:net'
import type { Server } from 'node:tls'
import { ConnectionCounter } from '../core/access/connections.ts'
import { createTlsServer, type TlsContexts } from '../core/certificates/tls-contexts.ts'
import type { Context } from '../core/process/context.ts'
import { createProxies } from './proxies.ts'

/** Creates the HTTPS door of an HTTP server; it does not listen yet. A handshake may take as long as a header. */
export function createHttpsDoor({ settings }: Context, server: HttpServer, contexts: TlsContexts): Server {
  const { http } = settings.limits
  const { isTrusted } = createProxies(settings.http.proxies)
  const counter = new ConnectionCounter(http)
  const handshakeTimeout = http.headerSeconds * 1_000
  const door = createTlsServer(contexts, { handshakeTimeout, ALPNProtocols: ['http/1.1'] }, (socket) =>
    server.emit('connection', socket),
  )
  door.maxConnections = http.connections
  door.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    socket.once('close', () => counter.leave(socket))
    if (!isTrusted(address) && !counter.enter(socket, address)) socket.destroy()
  })
  return door
}
