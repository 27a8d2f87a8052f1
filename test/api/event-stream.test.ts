import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import Koa from 'koa'
import { pino } from 'pino'
import { sendEvents } from '../../api/event-stream.ts'
import { createInFlight } from '../../core/process/in-flight.ts'

describe('api: sending an event stream', () => {
  it('buffers only a few pieces for a reader that reads nothing, and ends', async () => {
    const pieceBytes = 64 * 1024
    const enoughBytes = 64 * 1024 * 1024
    let made = 0
    const closed = Promise.withResolvers<void>()
    async function* endless() {
      for (;;) {
        made += pieceBytes
        await nextTurn()
        yield 'x'.repeat(pieceBytes)
      }
    }
    const logged: string[] = []
    const log = pino({}, { write: (line: string) => void logged.push(line) })
    const inFlight = createInFlight({ bytesMax: () => enoughBytes })
    const app = new Koa().use((koa) => {
      koa.state = { ctx: { log } }
      sendEvents(koa, { pieces: endless(), close: closed.resolve }, inFlight, 200)
    })
    app.silent = true
    const server = createServer(app.callback()).listen(0, '127.0.0.1')
    await once(server, 'listening')
    try {
      const { port } = server.address() as AddressInfo
      const asked = request({ port, host: '127.0.0.1' }).end()
      const [response] = await once(asked, 'response')
      await closed.promise
      // Only as much as the sockets of both sides buffer.
      expect(made).to.be.lessThan(enoughBytes)
      expect(logged.join('')).to.include('an answer was cut off: its client did not read it')
      response.resume()
      const [error] = await once(response, 'error')
      expect(error.code).to.equal('ECONNRESET')
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
