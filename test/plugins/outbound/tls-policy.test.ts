import { createHash, X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { generate } from 'selfsigned'
import { createResolver } from '../../../core/dns/resolver.ts'
import { systemClock } from '../../../core/process/clock.ts'
import { createLog } from '../../../core/process/log.ts'
import { accepts } from '../../../plugins/outbound/dane.ts'
import { createPolicies } from '../../../plugins/outbound/tls-policy.ts'
import { defaultSettings, type SettingsChange } from '../../default-settings.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'
import { stsNaming } from './sts-policies.ts'

const route = { name: 'mx.remote.test', address: '192.0.2.1', port: 25 }

describe('TLS policies', () => {
  let server: NameServer
  let enforced: readonly string[] | null = null
  let certificate: X509Certificate
  let other: X509Certificate

  before(async () => {
    server = await startNameServer({})
    const make = async (name: string) =>
      new X509Certificate((await generate([{ name: 'commonName', value: name }], { keySize: 2048 })).cert)
    ;[certificate, other] = await Promise.all([make('mx.remote.test'), make('other.test')])
  })
  after(() => server?.stop())

  function find(outbound: SettingsChange['outbound'] = {}) {
    const settings = defaultSettings({ outbound: { dane: true, ...outbound }, log: { level: 'silent' } })
    const resolver = createResolver([server.address], new Map())
    const ctx = { settings, resolver, log: createLog(settings, 'test'), machineClock: systemClock }
    return createPolicies(ctx, stsNaming(enforced)).find('remote.test', route)
  }

  it('accepts the domain as a name of its server if DNSSEC validates the MX and an authority is pinned', async () => {
    server.secure = true
    const pin = (usage: number) => ({ 'TLSA _25._tcp.mx.remote.test': [`${usage} 1 1 ${sha256(spki(certificate))}`] })
    server.zone = pin(2)
    expect((await find()).serverNames).to.deep.equal(['mx.remote.test', 'remote.test'])
    server.zone = { ...pin(2), 'MX remote.test': 'SERVFAIL' }
    expect(await find().catch(({ message }: Error) => message)).to.match(/ESERVFAIL for MX/)
    server.zone = { ...pin(3), 'MX remote.test': 'SERVFAIL' }
    expect((await find()).serverNames).to.equal(undefined)
  })

  const elsewhere = { names: ['somewhere.else.test'], now: new Date() }
  const spki = (of: X509Certificate) => of.publicKey.export({ type: 'spki', format: 'der' })
  const sha256 = (data: Buffer) => createHash('sha256').update(data).digest('hex')

  it('requires pinned certificates that DNSSEC validates', async () => {
    server.secure = true
    server.zone = { 'TLSA _25._tcp.mx.remote.test': [`3 1 1 ${sha256(spki(certificate))}`] }
    const { tls, name } = await find()
    expect(name).to.match(/^dane 3 1 1 /)
    expect(tls.kind === 'pinned' && [tls.accepts([certificate.raw], []), tls.accepts([other.raw], [])]).to.deep.equal([
      true,
      false,
    ])
  })

  it('ignores pins that DNSSEC does not validate, and all pins if DANE is off', async () => {
    server.secure = false
    expect((await find()).tls).to.deep.equal({ kind: 'opportunistic' })
    server.secure = true
    expect((await find({ dane: false })).tls).to.deep.equal({ kind: 'opportunistic' })
  })

  it('requires TLS with any certificate if no pin can be used', async () => {
    server.secure = true
    server.zone = { 'TLSA _25._tcp.mx.remote.test': ['1 1 1 00'] }
    const { tls } = await find()
    expect(tls.kind === 'pinned' && tls.accepts([other.raw], [])).to.equal(true)
  })

  it('sends nothing while the DNS does not answer', async () => {
    server.zone = { 'TLSA _25._tcp.mx.remote.test': 'SERVFAIL' }
    const failed = await find().then(
      () => null,
      (error: Error) => error,
    )
    expect(failed?.message).to.match(/ESERVFAIL for TLSA/)
    server.zone = { 'A mx.remote.test': 'SERVFAIL' }
    expect(await find().catch(({ message }: Error) => message)).to.match(/ESERVFAIL for A/)
  })

  it('looks up no pins of a server whose address DNSSEC does not validate', async () => {
    server.secure = false
    server.zone = { 'A mx.remote.test': [route.address], 'TLSA _25._tcp.mx.remote.test': 'SERVFAIL' }
    server.asked.length = 0
    expect((await find()).tls).to.deep.equal({ kind: 'opportunistic' })
    expect(server.asked).to.deep.equal(['A mx.remote.test'])
  })

  it('follows an MTA-STS policy, unless MTA-STS is off or mail goes to a relay of ours', async () => {
    server.zone = {}
    enforced = ['mx.remote.test']
    expect((await find()).tls).to.deep.equal({ kind: 'verified' })
    expect((await find({ mtaSts: false })).tls).to.deep.equal({ kind: 'opportunistic' })
    server.asked.length = 0
    expect((await find({ routes: { '*': '127.0.0.1:25' } })).tls).to.deep.equal({ kind: 'opportunistic' })
    expect(server.asked).to.deep.equal([])
  })

  const cases: readonly (readonly [string, (own: X509Certificate) => Parameters<typeof accepts>[0][0], boolean])[] = [
    ['the certificate itself', (own) => ({ usage: 3, selector: 0, matchingType: 0, certificate: own.raw }), true],
    [
      'its SHA-512',
      (own) => ({ usage: 3, selector: 0, matchingType: 2, certificate: createHash('sha512').update(own.raw).digest() }),
      true,
    ],
    ['its key', (own) => ({ usage: 3, selector: 1, matchingType: 0, certificate: spki(own) }), true],
    [
      'the hash of something else',
      () => ({ usage: 3, selector: 1, matchingType: 1, certificate: Buffer.alloc(32) }),
      false,
    ],
    [
      'an authority, of a certificate for another name',
      (own) => ({ usage: 2, selector: 0, matchingType: 0, certificate: own.raw }),
      false,
    ],
  ]
  for (const [name, record, expected] of cases)
    it(`a pin of ${name} is ${expected ? 'met' : 'not met'}`, () =>
      expect(accepts([record(certificate)], [certificate.raw], elsewhere)).to.equal(expected))

  it('bytes that are not a certificate are not accepted', () =>
    expect(
      accepts(
        [{ usage: 3, selector: 0, matchingType: 0, certificate: Buffer.from('x') }],
        [Buffer.from('x')],
        elsewhere,
      ),
    ).to.equal(false))
})
