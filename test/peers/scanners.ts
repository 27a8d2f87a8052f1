/** Stand-ins for Rspamd and clamd that speak their protocols; the body of a mail decides what they find. */
import { once } from 'node:events'
import { createServer as createHttp, type IncomingHttpHeaders } from 'node:http'
import { type AddressInfo, createServer } from 'node:net'

/** Returns the score that the body names (`score 7`), or 0. */
export async function startRspamd() {
  const server = createHttp((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts)
      rspamd.asked.push({ path: request.url ?? '', headers: request.headers, body })
      const score = Number(/score ([\d.]+)/.exec(body.toString('latin1'))?.[1] ?? 0)
      response.writeHead(rspamd.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ is_skipped: false, score, required_score: 15, action: 'no action', symbols: {} }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const rspamd = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [] as { path: string; headers: IncomingHttpHeaders; body: Buffer }[],
    status: 200,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return rspamd
}

/** Answers zINSTREAM: finds VIRUS, fails at ERROR, does not answer SILENCE. */
export async function startClamd() {
  const server = createServer((socket) => {
    let received = Buffer.alloc(0)
    socket.on('error', () => socket.destroy())
    socket.on('data', (bytes) => {
      received = Buffer.concat([received, bytes])
      const content = streamed(received)
      if (content === null || content.includes('SILENCE')) return
      const found = content.includes('ERROR')
        ? 'COMMAND READ TIMED OUT. ERROR'
        : content.includes('VIRUS')
          ? 'stream: Test.Virus FOUND'
          : 'stream: OK'
      socket.end(`${found}\0`)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(resolve)),
  }
}

const command = 'zINSTREAM\0'

/** Returns what was streamed, or null until it is complete. */
function streamed(received: Buffer): string | null {
  if (!received.toString('latin1').startsWith(command)) return null
  let content = ''
  for (let at = command.length; at + 4 <= received.length; ) {
    const length = received.readUInt32BE(at)
    if (length === 0) return content
    content += received.toString('latin1', at + 4, at + 4 + length)
    at += 4 + length
  }
  return null
}
