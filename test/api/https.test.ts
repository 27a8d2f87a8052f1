/** What is specific to the HTTPS door: it applies the limits and timeouts of the HTTP server behind it. */
import { once } from 'node:events'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { connect as connectTls, type Server, type TLSSocket } from 'node:tls'
import { expect } from 'chai'
import { createHttpServer } from '../../api/http-server.ts'
import { createHttpsDoor } from '../../api/https.ts'
import { openTlsContexts, type TlsContexts } from '../../core/certificates/tls-contexts.ts'
import { changedSettings } from '../default-settings.ts'
import { makeCertificate, writeCertificate } from '../peers/certificates.ts'
import { type Door, openDoor } from '../start/door.ts'

describe('the HTTPS door', () => {
  let door: Door
  let contexts: TlsContexts
  let http: HttpServer
  let https: Server
  let port: number

  before(async () => {
    door = await openDoor()
    const limits = { http: { connectionsPerAddress: 2, headerSeconds: 1 } }
    const ctx = { ...door.ctx, settings: changedSettings(door.ctx.settings, { limits }) }
    await writeCertificate(ctx.settings.data, await makeCertificate(['https.example']))
    contexts = await openTlsContexts(ctx)
    http = createHttpServer(ctx, { readiness: async () => door.readiness }, { connectionsCheckingInterval: 50 })
    https = createHttpsDoor(ctx, http, contexts)
    for (const server of [http, https]) {
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
    }
    port = (https.address() as AddressInfo).port
  })
  after(async () => {
    http?.closeAllConnections()
    http?.close()
    https?.close()
    contexts?.close()
    await door?.close()
  })

  async function open(): Promise<TLSSocket> {
    const socket = connectTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    return socket
  }

  /** Everything received until the connection ends. */
  async function rest(socket: NodeJS.ReadableStream): Promise<string> {
    let text = ''
    for await (const chunk of socket) text += String(chunk)
    return text
  }

  it('answers the requests of one connection in order', async () => {
    const socket = await open()
    socket.write(
      'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
    )
    expect((await rest(socket)).match(/HTTP\/1\.1 200 OK/g)).to.have.length(2)
  })

  it('answers a client that does not finish its header with an error, and hangs up', async () => {
    const socket = await open()
    socket.write('GET /healthz HTTP/1.1\r\nHost:')
    expect(await rest(socket)).to.match(/^HTTP\/1\.1 408 /)
  })

  it('hangs up on a client that does not start TLS', async () => {
    expect(await rest(connect(port, '127.0.0.1'))).to.equal('')
  })

  it('limits the connections of one address, whether they send anything or not', async () => {
    const silent = connect(port, '127.0.0.1')
    await once(silent, 'connect')
    const speaking = await open()
    expect(await rest(connect(port, '127.0.0.1')).catch(({ code }: NodeJS.ErrnoException) => code)).to.be.oneOf([
      '',
      'ECONNRESET',
    ])
    speaking.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    expect(await rest(speaking)).to.match(/^HTTP\/1\.1 200 OK/)
    silent.destroy()
  })
})
