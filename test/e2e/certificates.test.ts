/** Certificates of a whole service, seen by clients that begin TLS at each of its doors. */
import { writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { eventually } from '../eventually.ts'
import { makeAuthority, makeCertificate, type Pair, writeCertificate } from '../peers/certificates.ts'
import { type Door, type Secured, secure } from '../peers/tls-doors.ts'
import { type Service, startService } from '../start/service.ts'

const hostname = 'mx.tests.example'

describe('certificates', () => {
  let service: Service
  let authority: Pair
  let doors: { readonly [name: string]: Door }

  before(async () => {
    authority = await makeAuthority()
    const httpsPort = await freePort()
    service = await startService({
      only: null,
      env: { MAILROOM_HOSTNAME: hostname, MAILROOM_HTTPS_PORT: String(httpsPort) },
    })
    const at = (address: string | null) => Number(address?.split(':')[1])
    doors = {
      https: { port: httpsPort, speaks: 'http', startsWithTls: true },
      'inbound mail': { port: at(service.smtp), speaks: 'smtp', startsWithTls: false },
      submission: { port: at(service.submission), speaks: 'smtp', startsWithTls: false },
      submissions: { port: at(service.submissions), speaks: 'smtp', startsWithTls: true },
      imap: { port: at(service.imap), speaks: 'imap', startsWithTls: false },
      imaps: { port: at(service.imaps), speaks: 'imap', startsWithTls: true },
    }
  })
  after(() => service?.dispose())

  /** A connection to each door. */
  async function everywhere(name?: string): Promise<{ readonly [door: string]: Secured }> {
    const opened = Object.entries(doors).map(async ([door, at]) => [door, await secure(at, name)] as const)
    return Object.fromEntries(await Promise.all(opened))
  }

  /** What each door shows; the connections are ended. */
  async function shown(name?: string): Promise<{ readonly [door: string]: string }> {
    const connections = Object.entries(await everywhere(name))
    for (const [, connection] of connections) connection.end()
    return Object.fromEntries(connections.map(([door, { names }]) => [door, names]))
  }

  const atAll = (names: string) => Object.fromEntries(Object.keys(doors).map((door) => [door, names]))

  it('the one that the first start made is shown at every door, whatever the client asks for', async () => {
    for (const name of [undefined, hostname, 'other.example'])
      expect(await shown(name)).to.deep.equal(atAll(`DNS:${hostname}`))
  })

  describe('a replaced file', () => {
    it('is taken by every door without a restart, and connections go on', async () => {
      const before = await everywhere()
      await writeCertificate(service.data, await makeCertificate([hostname, 'also.example'], { authority }))
      await eventually('every door shows it', async () => {
        const now = Object.values(await shown())
        return now.every((names) => names === `DNS:${hostname}, DNS:also.example`) || null
      })
      expect(await shown('also.example')).to.deep.equal(atAll(`DNS:${hostname}, DNS:also.example`))
      for (const connection of Object.values(before)) {
        await connection.ask()
        connection.end()
      }
    })

    it('with the key of another is refused with a sentence, and the one before stays', async () => {
      const { key } = await makeCertificate(['x.example'])
      const [keyFile, certFile] = ['key.pem', 'cert.pem'].map((file) => path.join(service.data, 'tls', file))
      await writeFile(keyFile ?? '', key)
      const sentence = `The private key in ${keyFile} is not that of the certificate in ${certFile}.`
      await eventually('every process says so', () =>
        Promise.resolve(service.logs().split(sentence).length > 3 || null),
      )
      expect(await shown()).to.deep.equal(atAll(`DNS:${hostname}, DNS:also.example`))
    })

    it('that is right again is taken', async () => {
      await writeCertificate(service.data, await makeCertificate(['right.example'], { authority }))
      await eventually('every door shows it', async () => {
        const now = Object.values(await shown())
        return now.every((names) => names === 'DNS:right.example') || null
      })
    })
  })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
