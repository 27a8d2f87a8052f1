/** Certificates of a whole service, as clients see them that start TLS at each of its doors. */
import { writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { connect as connectTls } from 'node:tls'
import { expect } from 'chai'
import { parsePolicy } from 'mailauth/lib/mta-sts.js'
import { Agent, request } from 'undici'
import { runCommand } from '../../cli/command-line.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { closeContext } from '../../core/process/context.ts'
import { findPart, killNow } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { type AcmeServer, startAcmeServer } from '../peers/acme-server.ts'
import { makeAuthority, makeCertificate, type Pair, writeCertificate } from '../peers/certificates.ts'
import { freePort } from '../peers/free-port.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { type Door, type Secured, secure } from '../peers/tls-doors.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const hostname = 'mx.tests.example'
const stsPath = '/.well-known/mta-sts.txt'

describe('certificates', () => {
  let service: Service
  let authority: Pair
  let acme: AcmeServer
  let dns: NameServer
  let doors: { readonly [name: string]: Door }
  let httpsPort: number

  before(async () => {
    const httpPort = await freePort()
    httpsPort = await freePort()
    authority = await makeAuthority()
    acme = await startAcmeServer({ httpPort: () => httpPort })
    // The authority holds the order of the host name back until a test releases it.
    acme.held.add(hostname)
    dns = await startNameServer({})
    service = await startService({
      only: null,
      env: {
        MAILROOM_HOSTNAME: hostname,
        MAILROOM_BASE_URL: `https://${hostname}`,
        MAILROOM_HTTP_PORT: String(httpPort),
        MAILROOM_HTTPS_PORT: String(httpsPort),
        MAILROOM_ACME_DIRECTORY: acme.directory,
        MAILROOM_RESOLVER: JSON.stringify([dns.address]),
      },
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
  after(async () => {
    await service?.dispose()
    await acme?.close()
    await dns?.stop()
  })

  /** Opens a connection to each door. */
  async function everywhere(name?: string): Promise<{ readonly [door: string]: Secured }> {
    const opened = Object.entries(doors).map(async ([door, at]) => [door, await secure(at, name)] as const)
    return Object.fromEntries(await Promise.all(opened))
  }

  /** Returns the names in the certificate of each door, and closes the connections. */
  async function shown(name?: string): Promise<{ readonly [door: string]: string }> {
    const connections = Object.entries(await everywhere(name))
    for (const [, connection] of connections) connection.end()
    return Object.fromEntries(connections.map(([door, { names }]) => [door, names]))
  }

  const atAll = (names: string) => Object.fromEntries(Object.keys(doors).map((door) => [door, names]))

  /** Resolves when every door presents the certificate for `names` to a client that asks for `name`. */
  async function showing(names: string, name?: string): Promise<void> {
    await eventually(`every door shows ${names}`, async () => {
      const now = Object.values(await shown(name))
      return now.every((each) => each === names) || null
    })
  }

  async function mailroom(...args: readonly string[]): Promise<string> {
    let said = ''
    const write = (text: string) => {
      said += text
    }
    const env = { ...process.env, MAILROOM_DATA: service.data, MAILROOM_HOSTNAME: hostname }
    await runCommand(args, { env, out: write, err: write })
    return said
  }

  it('every door presents the certificate made at the first start, whatever name the client asks for', async () => {
    for (const name of [undefined, hostname, 'other.example', 'x'])
      expect(await shown(name)).to.deep.equal(atAll(`DNS:${hostname}`))
  })

  describe('a replaced file', () => {
    it('is used by every door without a restart, and connections stay open', async () => {
      const before = await everywhere()
      await writeCertificate(service.data, await makeCertificate([hostname, 'also.example'], { authority }))
      await showing(`DNS:${hostname}, DNS:also.example`)
      expect(await shown('also.example')).to.deep.equal(atAll(`DNS:${hostname}, DNS:also.example`))
      for (const connection of Object.values(before)) {
        await connection.ask()
        connection.end()
      }
    })

    it('with the key of another certificate is refused with a log line, and the previous certificate stays in use', async () => {
      const { key } = await makeCertificate(['x.example'])
      const [keyFile = '', certFile = ''] = ['key.pem', 'cert.pem'].map((file) => path.join(service.data, 'tls', file))
      await writeFile(keyFile, key)
      const sentence = `The private key in ${keyFile} is not that of the certificate in ${certFile}.`
      await eventually('every process says so', async () => service.logs().split(sentence).length > 3 || null)
      expect(await shown()).to.deep.equal(atAll(`DNS:${hostname}, DNS:also.example`))
      expect(await mailroom('doctor')).to.include(`BAD  certificate: ${sentence} Put the key there`)
    })

    it('is used again once it is correct', async () => {
      await writeCertificate(service.data, await makeCertificate(['right.example'], { authority }))
      await showing('DNS:right.example')
    })
  })

  describe('an order', () => {
    it('left by a killed process is finished by the next one, and every door presents the issued certificate', async () => {
      const ctx = await contextOf(service)
      await eventually('the order waits for the authority', async () => {
        const doc = await ctx.store.certificates.findOne({ _id: hostname })
        return doc?.order === undefined ? null : true
      })
      await createDomain(ctx, { domain: 'own.example', accountId: null, verified: true })
      dns.zone = { 'A mta-sts.own.example': ['127.0.0.1'] }
      const { https, ...others } = await everywhere()
      https?.end()
      killNow(findPart(service.data, 'service') ?? 0)
      // Ends the lease of the order, if it has one.
      await ctx.store.certificates.updateOne({ _id: hostname }, { $set: { nextAt: new Date() }, $unset: { token: '' } })
      await closeContext(ctx)
      acme.held.delete(hostname)
      await eventually('HTTPS is there again', async () => {
        const connection = await secure(doors.https!).catch(() => null)
        connection?.end()
        return connection
      })
      await showing(`DNS:${hostname}`)
      expect(acme.ordered.filter((name) => name === hostname)).to.have.length(1)
      for (const connection of Object.values(others)) {
        await connection.ask()
        connection.end()
      }
    })

    it('for a host of a domain is presented only to clients that ask for this host', async () => {
      await showing('DNS:mta-sts.own.example', 'MTA-STS.own.example')
      expect(await shown('autoconfig.own.example')).to.deep.equal(atAll(`DNS:${hostname}`))
      expect(await shown()).to.deep.equal(atAll(`DNS:${hostname}`))
    })

    it('is listed for the administrator with its name, expiry and whatever is missing', async () => {
      const lines = (await mailroom('certificates')).trim().split('\n')
      const records = lines.map((line) => JSON.parse(line) as { name: string; state: string; reason: string | null })
      expect(records.map(({ name, state, reason }) => [name, state, reason])).to.deep.equal([
        ['autoconfig.own.example', 'waiting', 'autoconfig.own.example has no address in the DNS yet.'],
        ['autodiscover.own.example', 'waiting', 'autodiscover.own.example has no address in the DNS yet.'],
        ['mta-sts.own.example', 'valid', null],
        [hostname, 'valid', null],
      ])
      expect(await mailroom('doctor')).to.match(/^ok {3}certificate mta-sts\.own\.example: valid until 20/m)
    })
  })

  describe('HTTPS', () => {
    /** Makes a request that verifies the certificate fully, as a client does. */
    function ask(name: string, url: string) {
      const dispatcher = new Agent({ connect: { ca: acme.root, servername: name } })
      return request(`https://127.0.0.1:${httpsPort}${url}`, { dispatcher, headers: { host: name } })
    }

    it('serves the same as HTTP, and tells browsers to use only TLS from then on', async () => {
      const answer = await ask(hostname, '/api/v1/account')
      expect([answer.statusCode, answer.headers['strict-transport-security']]).to.deep.equal([401, 'max-age=31536000'])
      expect(await answer.body.json()).to.have.property('code', 'missing_api_key')
    })

    it('serves the MTA-STS policy of a domain in the form that senders parse', async () => {
      const { statusCode, body } = await ask('mta-sts.own.example', stsPath)
      expect(statusCode).to.equal(200)
      expect(parsePolicy(await body.text())).to.deep.include({ mode: 'testing', mx: [hostname], maxAge: 86_400 })
    })

    it('serves the MTA-STS mode that the administrator sets for one domain', async () => {
      const policyOf = async () => parsePolicy(await (await ask('mta-sts.own.example', stsPath)).body.text()).mode
      const told = await mailroom('domain', 'sts', 'OWN.example', 'enforce')
      expect(told).to.match(
        /"mode":"enforce","dns":"built-in","zoneChanged":true,.*"name":"_mta-sts\.own\.example","value":"v=STSv1; id=\w{20};"/,
      )
      await eventually('the policy is another', async () => (await policyOf()) === 'enforce' || null)
      expect(await mailroom('domain', 'sts', 'own.example', 'always')).to.include('mode')
      expect(await mailroom('domain', 'sts', 'none.example', 'none')).to.include(
        'No account here has none.example as its own domain.',
      )
      expect(await mailroom('domain', 'sts', 'own.example', 'default')).to.include('"mode":"testing"')
    })

    it('hangs up on clients that do not use TLS or HTTP/1.1', async () => {
      const plain = connect(httpsPort, '127.0.0.1')
      plain.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
      expect(await text(plain)).not.to.include('HTTP')
      const modern = connectTls({ port: httpsPort, ALPNProtocols: ['h2'], rejectUnauthorized: false })
      const error = await new Promise<Error>((resolve) => modern.once('error', resolve))
      expect(error).to.have.property('code', 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL')
    })
  })
})
