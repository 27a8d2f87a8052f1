/** Webhook receivers over HTTPS, well-behaved and not, with certificates of their own. */
import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates, type TLSSocket } from 'node:tls'
import { generate } from 'selfsigned'

export type Certificate = { readonly key: string; readonly cert: string }

export type HttpsReceiver = {
  /** `https://127.0.0.1:<port>/hook`. */
  readonly url: string
  /** The whole bodies of the requests so far. */
  readonly bodies: readonly string[]
  readonly headers: readonly IncomingMessage['headers'][]
  /** The number of connections so far. */
  readonly connections: number
  close(): Promise<void>
}

/** Answers a request; `nth` counts requests from 1. */
export type Answer = (response: ServerResponse, request: IncomingMessage, nth: number) => void

/** Makes a self-signed certificate, for 127.0.0.1 by default. */
export async function certificateOf({
  names = [{ type: 7 as const, ip: '127.0.0.1' }],
  expired = false,
}: {
  names?: readonly ({ readonly type: 7; readonly ip: string } | { readonly type: 2; readonly value: string })[]
  expired?: boolean
} = {}): Promise<Certificate> {
  const day = 86_400_000
  const { private: key, cert } = await generate([{ name: 'commonName', value: `receiver ${randomUUID()}` }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(Date.now() - 2 * day),
    notAfterDate: new Date(Date.now() + (expired ? -day : day)),
    extensions: [{ name: 'subjectAltName', altNames: [...names] }],
  })
  return { key, cert }
}

/** Makes this process trust certificates. Returns a function that ends it. */
export function trust(certificates: readonly Certificate[]): () => void {
  const before = getCACertificates('default')
  setDefaultCACertificates([...before, ...certificates.map(({ cert }) => cert)])
  return () => setDefaultCACertificates(before)
}

/** Starts a receiver. It answers 200 by default. */
export async function startHttpsReceiver(
  certificate: Certificate,
  answer: Answer = (response) => void response.end('ok'),
): Promise<HttpsReceiver> {
  const bodies: string[] = []
  const headers: IncomingMessage['headers'][] = []
  const server = createServer(certificate, (request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      bodies.push(Buffer.concat(parts).toString())
      headers.push(request.headers)
      answer(response, request, bodies.length)
    })
  })
  const close = () => {
    server.closeAllConnections()
    return closed(server)
  }
  return Object.assign(await listening(server, close), { bodies, headers })
}

/** Starts a TLS server that calls `speak` when data arrives. */
export async function startTlsReceiver(
  certificate: Certificate,
  speak: (socket: TLSSocket) => void,
): Promise<HttpsReceiver> {
  const sockets = new Set<TLSSocket>()
  const server = createTlsServer(certificate, (socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('data', () => speak(socket))
  })
  const close = () => {
    for (const socket of sockets) socket.destroy()
    return closed(server)
  }
  return Object.assign(await listening(server, close), { bodies: [], headers: [] })
}

async function listening(server: Server, close: () => Promise<void>) {
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  return {
    url,
    get connections() {
      return connections
    },
    close,
  }
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}
