import { expect } from 'chai'
import {
  answersPolicy,
  createResolver,
  DnsError,
  isAbsent,
  type RecordType,
  type Resolver,
} from '../../../core/dns/resolver.ts'
import { createKept } from '../../../core/process/kept.ts'
import { type NameServer, startNameServer } from '../../peers/name-server.ts'

describe('resolver', () => {
  let server: NameServer
  let nowMs = 0
  let resolver: Resolver
  const answersKept = () => createKept({ now: () => new Date(nowMs) }, answersPolicy)
  before(async () => {
    server = await startNameServer({})
  })
  after(() => server.stop())
  beforeEach(() => {
    server.zone = {
      'TXT long.test': [`v=spf1 ${'ip4:192.0.2.1 '.repeat(40)}-all`],
      'TXT two.test': ['one', 'other'],
      'TXT big.test': 'truncate',
      'A host.test': ['192.0.2.1', '192.0.2.2'],
      'AAAA host.test': ['2001:db8::1'],
      'MX host.test': ['10 mx.test', '20 backup.test'],
      'MX null.test': ['0 .'],
      'CNAME alias.test': ['host.test'],
      'A broken.test': 'SERVFAIL',
      'A refused.test': 'REFUSED',
    }
    server.asked.length = 0
    server.ttlSeconds = 300
    nowMs = 0
    resolver = createResolver([server.address], answersKept())
  })

  const failure = (name: string, type: RecordType) =>
    resolver.resolve(name, type).then(
      () => null,
      (error: unknown) => (error instanceof DnsError ? error.code : error),
    )

  describe('finds', () => {
    const cases: readonly (readonly [string, string, RecordType, unknown])[] = [
      ['addresses', 'host.test', 'A', ['192.0.2.1', '192.0.2.2']],
      ['IPv6 addresses', 'host.test', 'AAAA', ['2001:db8::1']],
      [
        'mail servers',
        'host.test',
        'MX',
        [
          { exchange: 'mx.test', priority: 10 },
          { exchange: 'backup.test', priority: 20 },
        ],
      ],
      ['a null MX', 'null.test', 'MX', [{ exchange: '', priority: 0 }]],
      ['texts, each a list of strings', 'two.test', 'TXT', [['one'], ['other']]],
      ['what an alias leads to', 'alias.test', 'A', ['192.0.2.1', '192.0.2.2']],
      ['names in any case, and with a dot at the end', 'HOST.Test.', 'AAAA', ['2001:db8::1']],
    ]
    for (const [name, host, type, expected] of cases)
      it(name, async () => expect(await resolver.resolve(host, type)).to.deep.equal(expected))

    it('a text of several strings', async () => {
      const [strings = []] = await resolver.resolve('long.test', 'TXT')
      expect(strings).to.have.length.greaterThan(1)
      expect(strings.join('')).to.match(/^v=spf1 .* -all$/)
    })

    it('an answer that does not fit into a packet, over TCP', async () => {
      const [strings = []] = await resolver.resolve('big.test', 'TXT')
      expect(strings.join('')).to.have.length(2_005)
    })

    it('all addresses of a host', async () => {
      expect(await resolver.addresses('host.test')).to.deep.equal([
        { address: '192.0.2.1', family: 4 },
        { address: '192.0.2.2', family: 4 },
        { address: '2001:db8::1', family: 6 },
      ])
    })
  })

  describe('fails with', () => {
    const cases: readonly (readonly [string, string, RecordType, string, boolean])[] = [
      ['a name that does not exist', 'nobody.test', 'A', 'ENOTFOUND', true],
      ['a record that does not exist', 'host.test', 'TXT', 'ENODATA', true],
      ['a server that fails', 'broken.test', 'A', 'ESERVFAIL', false],
      ['a server that refuses', 'refused.test', 'A', 'EREFUSED', false],
      ['an empty label', 'a..test', 'A', 'EBADNAME', true],
      ['a label that is too long', `${'x'.repeat(64)}.test`, 'A', 'EBADNAME', true],
      ['letters beyond ASCII', 'bücher.test', 'A', 'EBADNAME', true],
    ]
    for (const [name, host, type, code, absent] of cases) {
      it(name, async () => {
        expect(await failure(host, type)).to.equal(code)
        expect(isAbsent(await resolver.resolve(host, type).catch((error: unknown) => error))).to.equal(absent)
      })
    }

    it('a server that does not listen', async () => {
      resolver = createResolver(['127.0.0.1:1'], answersKept())
      expect(await failure('host.test', 'A')).to.equal('ECONNREFUSED')
    })
  })

  it('asks the next server when one does not answer', async () => {
    resolver = createResolver(['127.0.0.1:1', server.address], answersKept())
    expect(await resolver.resolve('host.test', 'AAAA')).to.deep.equal(['2001:db8::1'])
  })

  it('asks the next server when one gives no information', async () => {
    const silent = await startNameServer({ 'A host.test': 'silence' })
    resolver = createResolver([silent.address, server.address], answersKept())
    expect(await resolver.resolve('host.test', 'A')).to.deep.equal(['192.0.2.1', '192.0.2.2'])
    expect(silent.asked).to.deep.equal(['A host.test'])
    await silent.stop()
  })

  it('sends one query for several simultaneous requests', async () => {
    await Promise.all([1, 2, 3].map(() => resolver.resolve('host.test', 'A')))
    expect(server.asked).to.deep.equal(['A host.test'])
  })

  describe('remembers', () => {
    const cases = [
      ['an answer for its time to live', 'host.test', 'A', 60, 59],
      ['an absence for the time of its SOA', 'nobody.test', 'A', 60, 59],
      ['an absence for 5 minutes at most', 'nobody.test', 'TXT', 86_400, 299],
      ['a failure for a moment', 'broken.test', 'A', 60, 4],
    ] as const
    for (const [name, host, type, ttlSeconds, keptSeconds] of cases) {
      it(name, async () => {
        server.ttlSeconds = ttlSeconds
        await failure(host, type)
        const asked = server.asked.length
        nowMs = keptSeconds * 1000
        await failure(host, type)
        expect(server.asked).to.have.length(asked)
        nowMs = (keptSeconds + 2) * 1000
        await failure(host, type)
        expect(server.asked).to.have.length.greaterThan(asked)
      })
    }

    it('nothing with a time to live of 0', async () => {
      server.ttlSeconds = 0
      await resolver.resolve('host.test', 'A')
      await resolver.resolve('host.test', 'A')
      expect(server.asked).to.have.length(2)
    })
  })

  it('does not ask a server of the system for names that exist only in this service', async () => {
    const system = createResolver([], answersKept())
    expect(await system.resolve('mail.localhost', 'A')).to.deep.equal(['127.0.0.1'])
    expect(await system.resolve('x.invalid', 'A').catch((error: DnsError) => error.code)).to.equal('ENOTFOUND')
  })

  it('refuses a setting that is not an address', () => {
    expect(() => createResolver(['ns.example.com:53'], answersKept())).to.throw(/not an address and port/)
  })
})
