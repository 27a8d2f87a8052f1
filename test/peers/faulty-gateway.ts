/** A gateway in front of a door that answers some requests itself, or cuts them, and passes the others on. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * What happens to a request: the gateway answers it itself; the connection is cut before the door is asked, or in the middle of the
 * door's answer; the answer stalls in the middle; there is no answer at all; or it is passed on.
 */
export type Fault =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | 'cut'
  | 'cut answer'
  | 'stuck answer'
  | 'silence'
  | 'pass'

export type SeenRequest = {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
}

export type FaultyGateway = {
  readonly http: string
  readonly seen: readonly SeenRequest[]
  /** Sets what happens to the next requests; later ones are passed on. */
  next(...faults: readonly Fault[]): void
  /** Passes on to another door from now on. */
  lead(door: string): void
  /** Cuts all connections, even in the middle of an answer. */
  cut(): void
  close(): Promise<void>
}

export async function openFaultyGateway(first: string): Promise<FaultyGateway> {
  let door = first
  const seen: SeenRequest[] = []
  let faults: Fault[] = []
  const server = createServer((incoming, answer) => {
    seen.push({ method: incoming.method ?? '', url: incoming.url ?? '', headers: incoming.headers })
    const fault = faults.shift()
    if (fault === 'silence') return
    if (fault === 'cut') incoming.socket.destroy()
    else if (typeof fault === 'object') {
      incoming.resume()
      answer.writeHead(fault.status, fault.headers).end(fault.body ?? '{}')
    } else passOn(incoming, answer, { door, fault })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    http: `http://127.0.0.1:${port}`,
    seen,
    next(...more) {
      faults = [...more]
    },
    lead(other) {
      door = other
    },
    cut: () => server.closeAllConnections(),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function passOn(
  incoming: IncomingMessage,
  answer: ServerResponse,
  { door, fault }: { readonly door: string; readonly fault: 'cut answer' | 'stuck answer' | 'pass' | undefined },
): void {
  const { method, url, headers } = incoming
  const outgoing = request(new URL(url ?? '/', door), { method, headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers)
    if (fault !== 'cut answer' && fault !== 'stuck answer') {
      response.pipe(answer)
      return
    }
    response.once('data', (chunk: Buffer) => {
      answer.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => {
        if (fault === 'cut answer') incoming.socket.destroy()
      })
      response.destroy()
    })
  })
  outgoing.on('error', () => answer.destroy())
  answer.on('close', () => outgoing.destroy())
  incoming.pipe(outgoing)
}
