/** Orders at a test authority, whose challenges our own HTTP door and zones answer. */
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:tls'
import { expect } from 'chai'
import { noteWantedCertificates } from '../../../core/certificates/names.ts'
import { advanceCertificates } from '../../../core/certificates/orders.ts'
import { type CertificateState, certificateStates, renewNow } from '../../../core/certificates/overview.ts'
import { createTlsServer, openTlsContexts } from '../../../core/certificates/tls-contexts.ts'
import { createResolver } from '../../../core/dns/resolver.ts'
import { dayMs, hourMs, minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { servedZone } from '../../../core/zones/served-zones.ts'
import { type AcmeServer, startAcmeServer } from '../../peers/acme-server.ts'
import { makeCertificate, writeCertificate } from '../../peers/certificates.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'
import { type Door, makeTenant, openDoor } from '../../start/door.ts'

describe('certificates by ACME', () => {
  let door: Door
  let acme: AcmeServer
  let dns: NameServer
  let httpPort: number
  const address = ['127.0.0.1']
  const now = () => door.ctx.clock.now().getTime()

  before(async () => {
    door = await openDoor()
    const { ctx } = door
    httpPort = Number(new URL(door.http).port)
    acme = await startAcmeServer({ httpPort: () => httpPort, texts: textsOf, now })
    dns = await startNameServer({})
    dns.ttlSeconds = 0
    Object.assign(ctx, { hostname: 'mx.service.example', resolver: createResolver([dns.address], new Map()) })
    Object.assign(ctx.settings.acme, { directory: acme.directory, email: 'admin@service.example' })
  })
  after(async () => {
    await acme?.close()
    await dns?.stop()
    await door?.close()
  })

  async function textsOf(name: string): Promise<readonly string[]> {
    const { records } = (await servedZone(door.ctx, name)) ?? { records: [] }
    return records.flatMap((each) => (each.type === 'TXT' && each.name === name ? [each.data.join('')] : []))
  }

  /** Does the work of the clocks until nothing is due. */
  async function turn(ctx: Context = door.ctx): Promise<void> {
    await noteWantedCertificates(ctx)
    await advanceCertificates(ctx)
  }

  async function stateOf(name: string): Promise<CertificateState | undefined> {
    return (await certificateStates(door.ctx)).find((each) => each.name === name)
  }

  /** Sets the only name in the settings. */
  async function want(...names: readonly string[]): Promise<string> {
    Object.assign(door.ctx.settings.acme, { names })
    await door.ctx.store.certificates.deleteMany({ _id: { $nin: [door.ctx.hostname, ...names] } })
    return names[0] ?? ''
  }

  const times = (name: string) => acme.ordered.filter((each) => each === name).length
  const issuedTo = async (name: string) => {
    const doc = await door.ctx.store.certificates.findOne({ _id: name })
    return new X509Certificate(doc?.issued?.chain ?? '')
  }

  it('orders none without an authority, and none for names that no authority can certify', async () => {
    const { ctx } = door
    await turn({ ...ctx, settings: { ...ctx.settings, acme: { ...ctx.settings.acme, directory: null } } })
    expect(await certificateStates(ctx)).to.deep.equal([])
    await want('localhost', '127.0.0.1', 'host.localhost', 'printer.local', 'intranet', 'a b')
    await noteWantedCertificates(ctx)
    expect((await certificateStates(ctx)).map(({ name }) => name)).to.deep.equal(['mx.service.example'])
  })

  it('obtains the certificate of the host name: account, order, challenge at the HTTP door, certificate', async () => {
    await turn()
    const state = await stateOf('mx.service.example')
    expect(state).to.deep.include({ state: 'valid', reason: null })
    const leaf = await issuedTo('mx.service.example')
    expect(leaf.checkHost('mx.service.example')).to.equal('mx.service.example')
    expect(leaf.verify(new X509Certificate(acme.root).publicKey)).to.equal(true)
    expect([acme.accounts, acme.looked]).to.deep.equal([1, ['http-01 mx.service.example']])
    const [doc] = await door.ctx.store.certificates.find().toArray()
    expect(Object.keys(doc ?? {}).sort()).to.deep.equal(['_id', 'issued', 'nextAt'])
    expect(Buffer.from(doc?.issued?.key.buffer ?? []).includes('PRIVATE KEY')).to.equal(false)
  })

  it('answers the challenge to every client, and nothing else', async () => {
    for (const token of ['unknown', '..', encodeURIComponent('{"$ne":1}'), 'a'.repeat(500)])
      expect((await fetch(`${door.http}/.well-known/acme-challenge/${token}`)).status, token).to.equal(404)
  })

  it('requests nothing again before it is due, however often the clocks run', async () => {
    await turn()
    door.advance(hourMs)
    await turn()
    expect(times('mx.service.example')).to.equal(1)
  })

  describe('of own domains', () => {
    const names = ['autoconfig', 'autodiscover', 'mta-sts'].map((label) => `${label}.own.example`)

    before(() => makeTenant(door, { name: 'own' }))

    it('wait until their names resolve', async () => {
      await turn()
      for (const name of names) {
        const { state, reason } = (await stateOf(name)) ?? {}
        expect([state, reason]).to.deep.equal(['waiting', `${name} has no address in the DNS yet.`])
        expect(times(name)).to.equal(0)
      }
      dns.zone = { 'A mta-sts.own.example': address }
      door.advance(5 * minuteMs)
      await turn()
      expect(await Promise.all(names.map(async (name) => (await stateOf(name))?.state))).to.deep.equal([
        'waiting',
        'waiting',
        'valid',
      ])
    })

    it('are proven in our zone if the settings say so, and no proof stays there', async () => {
      const { settings } = door.ctx
      Object.assign(settings.acme, { challenge: 'dns-01' })
      dns.zone = { ...dns.zone, 'AAAA autoconfig.own.example': ['2001:db8::1'] }
      const other = 'www.elsewhere.example'
      Object.assign(settings.acme, { names: [other] })
      door.advance(hourMs)
      await turn()
      expect((await stateOf('autoconfig.own.example'))?.state).to.equal('valid')
      expect((await stateOf(other))?.state).to.equal('valid')
      expect(acme.looked).to.include.members(['dns-01 autoconfig.own.example', `http-01 ${other}`])
      expect(await textsOf('_acme-challenge.autoconfig.own.example')).to.deep.equal([])
      Object.assign(settings.acme, { challenge: 'http-01' })
    })

    it('are always proven there for a wildcard, which covers all names without a certificate of their own', async () => {
      await want('*.own.example', 'own.example')
      await turn()
      expect((await stateOf('*.own.example'))?.state).to.equal('valid')
      expect((await issuedTo('*.own.example')).subjectAltName).to.equal('DNS:*.own.example')
      expect(acme.looked).to.include('dns-01 *.own.example')
      expect(await textsOf('_acme-challenge.own.example')).to.deep.equal([])
      await writeCertificate(door.ctx.settings.data, await makeCertificate(['mx.service.example']))
      const contexts = await openTlsContexts(door.ctx)
      const server = createTlsServer(contexts, {}, (socket) => socket.end()).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const namesAt = async (name: string) => {
        const socket = connect({ port, host: '127.0.0.1', servername: name, rejectUnauthorized: false })
        await once(socket, 'secureConnect')
        const { subjectaltname } = socket.getPeerCertificate()
        socket.destroy()
        return subjectaltname
      }
      expect(await namesAt('any.own.example')).to.equal('DNS:*.own.example')
      expect(await namesAt('own.example')).to.equal('DNS:own.example')
      expect(await namesAt('any.elsewhere.example')).to.equal('DNS:mx.service.example')
      server.close()
      contexts.close()
    })

    it('are removed a week after the domain', async () => {
      await door.ctx.store.domains.deleteOne({ _id: 'own.example' })
      await turn()
      door.advance(6 * dayMs)
      await turn()
      expect(await stateOf('mta-sts.own.example')).to.include({ state: 'valid' })
      door.advance(2 * dayMs)
      await turn()
      expect(await stateOf('mta-sts.own.example')).to.equal(undefined)
    })
  })

  describe('when the authority refuses', () => {
    before(async () => {
      await door.ctx.store.certificates.deleteMany({})
      Object.assign(door.ctx, { hostname: 'localhost' })
    })

    it('the reason is stored, and the authority is not contacted for as long as it asks', async () => {
      const name = await want('limited.example')
      const detail = 'too many certificates already issued'
      acme.refuse.set(name, { status: 429, type: 'rateLimited', detail, retryAfter: String(36 * 3_600) })
      await turn()
      const { state, reason, nextAt } = (await stateOf(name)) ?? {}
      expect([state, reason]).to.deep.equal(['failing', `The authority refuses: ${detail} (rateLimited)`])
      expect((nextAt?.getTime() ?? 0) - now()).to.be.within(35 * hourMs, 36 * hourMs)
      door.advance(35 * hourMs)
      await turn()
      expect(times(name)).to.equal(1)
      acme.refuse.delete(name)
      door.advance(hourMs)
      await turn()
      expect([times(name), (await stateOf(name))?.state]).to.deep.equal([2, 'valid'])
    })

    it('it is asked at increasing intervals', async () => {
      const name = await want('refused.example')
      acme.refuse.set(name, { status: 403, type: 'rejectedIdentifier', detail: 'not this one' })
      const pauses: number[] = []
      for (let n = 0; n < 6; n++) {
        await turn()
        const pauseMs = ((await stateOf(name))?.nextAt.getTime() ?? 0) - now()
        pauses.push(Math.round(pauseMs / minuteMs))
        door.advance(pauseMs)
      }
      expect(times(name)).to.equal(6)
      const expected = [5, 20, 80, 320, 1_280, 1_440]
      for (const [n, pause] of pauses.entries())
        expect(pause / (expected[n] ?? 0), `pause ${n}`).to.be.within(0.89, 1.11)
    })

    it('a failed order is reported with the error of its challenge, and another one is made', async () => {
      const name = await want('elsewhere-else.example')
      const wrong = await startAcmeServer({ httpPort: () => httpPort })
      httpPort = Number(new URL(wrong.directory).port)
      await turn()
      const { state, reason } = (await stateOf(name)) ?? {}
      expect([state, reason]).to.deep.equal(['failing', `The order failed: ${name} answers otherwise (unauthorized)`])
      await wrong.close()
      httpPort = Number(new URL(door.http).port)
      await renewNow(door.ctx, name)
      await turn()
      expect([times(name), (await stateOf(name))?.state]).to.deep.equal([2, 'valid'])
    })

    it('an existing certificate stays in use even beyond its expiry, and the administrator sees that', async () => {
      const name = await want('ending.example')
      await turn()
      const before = (await issuedTo(name)).serialNumber
      acme.refuse.set(name, { status: 500, type: 'serverInternal', detail: 'down' })
      door.advance(70 * dayMs)
      await turn()
      expect(await stateOf(name)).to.include({
        state: 'failing',
        reason: 'The authority refuses: down (serverInternal)',
      })
      door.advance(25 * dayMs)
      await turn()
      expect((await stateOf(name))?.state).to.equal('expired')
      expect((await issuedTo(name)).serialNumber).to.equal(before)
      acme.refuse.delete(name)
      door.advance(2 * dayMs)
      await turn()
      expect((await stateOf(name))?.state).to.equal('valid')
    })

    it('because it no longer knows the account, a new account is made', async () => {
      const name = await want('forgotten.example')
      acme.forget()
      await turn()
      expect((await stateOf(name))?.reason).to.equal(
        'The authority refuses: There is no such account. (accountDoesNotExist)',
      )
      door.advance(hourMs)
      await turn()
      expect([acme.accounts, (await stateOf(name))?.state]).to.deep.equal([1, 'valid'])
    })

    it('nothing is ordered while it does not answer, and afterwards the account is found again', async () => {
      const name = await want('unreachable.example')
      const { ctx } = door
      const nobody = { ...ctx.settings.acme, directory: 'http://127.0.0.1:1/directory' }
      await turn({ ...ctx, settings: { ...ctx.settings, acme: nobody } })
      const { state, reason } = (await stateOf(name)) ?? {}
      expect(state).to.equal('failing')
      expect(reason).to.match(/^The authority did not answer: .*ECONNREFUSED/)
      door.advance(hourMs)
      await turn()
      expect((await stateOf(name))?.state).to.equal('valid')
    })
  })

  describe('renewal', () => {
    it('happens before only a third of the lifetime is left, and names the certificate that it replaces', async () => {
      const name = await want('renewed.example')
      await turn()
      acme.suggests = { start: '2000-01-01', end: 'never' }
      const before = await issuedTo(name)
      door.advance(53 * dayMs)
      await turn()
      expect(times(name)).to.equal(1)
      door.advance(8 * dayMs)
      await turn()
      expect(times(name)).to.equal(2)
      expect((await issuedTo(name)).serialNumber).not.to.equal(before.serialNumber)
      const serials = acme.replaced.map((id) => Buffer.from(id.split('.')[1] ?? '', 'base64url').toString('hex'))
      expect(serials.map((hex) => hex.toUpperCase().replace(/^00/, ''))).to.include(before.serialNumber)
    })

    it('happens when the authority suggests it', async () => {
      const name = await want('suggested.example')
      acme.suggests = null
      await turn()
      const begin = now()
      const at = (ms: number) => new Date(begin + ms).toISOString()
      acme.suggests = { start: at(9 * dayMs), end: at(10 * dayMs) }
      door.advance(8 * dayMs)
      await turn()
      expect(times(name)).to.equal(1)
      door.advance(2 * dayMs)
      await turn()
      expect(times(name)).to.equal(2)
      acme.suggests = null
    })

    it('happens when the settings name another authority', async () => {
      const { settings } = door.ctx
      const name = await want('moved.example')
      await turn()
      const other = await startAcmeServer({ httpPort: () => httpPort, now })
      Object.assign(settings.acme, { directory: other.directory })
      door.advance(dayMs)
      await turn()
      expect(other.ordered).to.deep.equal([name])
      expect((await issuedTo(name)).verify(new X509Certificate(other.root).publicKey)).to.equal(true)
      Object.assign(settings.acme, { directory: acme.directory })
      await other.close()
    })
  })

  describe('several processes', () => {
    it('make one order', async () => {
      const other = await door.another()
      const name = await want('once.example')
      Object.assign(other.ctx.settings.acme, door.ctx.settings.acme)
      Object.assign(other.ctx, { hostname: door.ctx.hostname, resolver: door.ctx.resolver })
      await Promise.all([turn(), turn(other.ctx)])
      expect([times(name), (await stateOf(name))?.state]).to.deep.equal([1, 'valid'])
      await other.close()
    })

    it('continue an order that another one left, with its key', async () => {
      const name = await want('left.example')
      acme.held.add(name)
      await turn()
      const left = await door.ctx.store.certificates.findOne({ _id: name })
      expect(left?.order?.url).to.be.a('string')
      // As if the process had died with its lease.
      const nextAt = new Date(now() + 5 * minuteMs)
      await door.ctx.store.certificates.updateOne({ _id: name }, { $set: { token: 'dead', nextAt } })
      acme.held.delete(name)
      const other = await door.another()
      Object.assign(other.ctx.settings.acme, door.ctx.settings.acme)
      await advanceCertificates(other.ctx)
      expect((await stateOf(name))?.state).to.equal('waiting')
      door.advance(6 * minuteMs)
      await advanceCertificates(other.ctx)
      expect([times(name), (await stateOf(name))?.state]).to.deep.equal([1, 'valid'])
      await other.close()
    })

    it('give up an order that never ends', async () => {
      const name = await want('endless.example')
      acme.held.add(name)
      await turn()
      door.advance(25 * hourMs)
      await turn()
      const { state, reason } = (await stateOf(name)) ?? {}
      expect([state, reason]).to.deep.equal(['failing', 'The authority has not finished the order within a day.'])
    })
  })

  it('renews only names that are ordered', async () => {
    const error = await renewNow(door.ctx, 'nobody.example').catch((failure: unknown) => failure)
    expect(error).to.have.property('message', 'No certificate is ordered for nobody.example.')
  })
})
