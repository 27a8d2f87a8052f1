/**
 * The limits of connections. Invariants: a connection past a limit is closed before anything is read from it; a trusted proxy stands
 * for many clients, so only the limit on all connections applies to it.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { ConnectionCounter } from '../core/access/connections.ts'
import type { Context } from '../core/process/context.ts'
import type { Proxies } from './proxies.ts'

/** Makes a server obey `limits.http`. */
export function limitConnections(server: Server, { settings, log }: Context, { isTrusted }: Proxies): void {
  const { http } = settings.limits
  const counter = new ConnectionCounter(http)
  /** Connections that have not sent a request yet, oldest first. */
  const silent = new Set<Socket>()
  const refuse = (socket: Socket, reason: string) => {
    log.debug({ peerAddress: socket.remoteAddress, reason }, 'a connection was closed')
    socket.destroy()
  }
  server.maxConnections = http.connections
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? ''
    socket.once('close', () => {
      counter.leave(socket)
      silent.delete(socket)
    })
    if (!isTrusted(address) && !counter.enter(socket, address)) return refuse(socket, 'too many connections')
    silent.add(socket)
    const [oldest] = silent
    if (oldest !== undefined && silent.size > http.connectionsWithoutRequest) {
      silent.delete(oldest)
      refuse(oldest, 'too many connections without a request')
    }
  })
  server.on('request', ({ socket }) => silent.delete(socket))
}
