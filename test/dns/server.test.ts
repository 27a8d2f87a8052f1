import { createSocket } from 'node:dgram'
import { on, once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import path from 'node:path'
import { expect } from 'chai'
import { type Answer, decode } from 'dns-packet'
import { authenticate } from '../../core/access/principal.ts'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { createDomain, deleteDomain } from '../../core/domains/claims.ts'
import { getDomain } from '../../core/domains/domain-list.ts'
import { domainRecord } from '../../core/domains/domain-record.ts'
import { verifyDomain } from '../../core/domains/verification.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { createKept } from '../../core/process/kept.ts'
import { createRecord } from '../../core/zones/records.ts'
import { servedZone } from '../../core/zones/served-zones.ts'
import { parseTsigKey, signMessage, verifyMessage } from '../../core/zones/tsig.ts'
import { zoneKeys, zoneKeyText } from '../../core/zones/zone-keys.ts'
import { types } from '../../dns/codes.ts'
import { startDns } from '../../dns/server.ts'
import type { Domain } from '../../schemas/domains.ts'
import { Failure } from '../../schemas/failures.ts'
import { eventually } from '../eventually.ts'
import { numbers, openTcp, openUdp, question, rcodeOf } from '../peers/dns-client.ts'
import { client } from '../peers/rest.ts'
import { type DnsDoor, openDnsDoor, tenantZone } from '../start/dns.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { contextOf } from '../start/service.ts'

const { A, TXT, SOA, AXFR, IXFR } = types
const secret = 'c2VjcmV0IG9mIHRoZSB0ZXN0cw=='
const keyText = `hmac-sha256:transfer.example:${secret}`
const key = parseTsigKey(keyText)!

describe('the DNS server', () => {
  let dns: DnsDoor
  let udp: Awaited<ReturnType<typeof openUdp>>
  let secondary: ReturnType<typeof createSocket>

  before(async () => {
    secondary = createSocket('udp4').bind(0, '127.0.0.1')
    await once(secondary, 'listening')
    const exempt = ['127.0.0.0/8']
    dns = await openDnsDoor({
      secondaries: [`127.0.0.1:${secondary.address().port}`],
      transferKeys: [keyText],
      rateLimit: { answersPerSecond: 20, networkPerSecond: 1_000, slip: 2, exempt },
    })
    await dns.put(
      { name: 'www', type: 'A', value: '192.0.2.1' },
      { name: '@', type: 'MX', value: 'www.tenant.example', priority: 10 },
      ...[...Array(40).keys()].map((n) => ({ name: 'long', type: 'TXT' as const, value: `${n} `.repeat(50) })),
    )
    udp = await openUdp(dns.server.port)
  })
  after(async () => {
    udp?.close()
    secondary?.close()
    await dns?.close()
  })

  const ask = async (name: string, type: number) => decode(await udp.ask(question(name, type)))
  const serialOf = ([answer]: readonly Answer[] = []) => (answer?.type === 'SOA' ? answer.data.serial! : -1)

  describe('over UDP', () => {
    it('answers from the zone of a verified domain', async () => {
      const { answers, flag_aa } = await ask('www.tenant.example', A)
      expect(answers!.map((answer) => 'data' in answer && answer.data)).to.deep.equal(['192.0.2.1'])
      expect(flag_aa).to.equal(true)
    })
    it('refuses what is not its own', async () => {
      expect(rcodeOf(await ask('www.elsewhere.example', A))).to.equal(5)
    })
    it('names the servers of the settings, and a serial that rises', async () => {
      const { answers } = await ask(tenantZone, SOA)
      expect(answers).to.have.length(1)
      const [soa] = answers!
      if (soa?.type !== 'SOA') return expect.fail('no SOA')
      expect(soa.data).to.include({ mname: 'ns1.mail.example', rname: 'postmaster.tenant.example', minimum: 300 })
      await dns.put({ name: 'rise', type: 'A', value: '192.0.2.2' })
      expect(serialOf((await ask(tenantZone, SOA)).answers)).to.be.above(serialOf(answers))
    })
    it('ignores bytes that are not a question, and answers the question after them', async () => {
      const answered = udp.answers(2)
      udp.send(Buffer.alloc(3))
      udp.send(Buffer.concat([numbers(1, 0x8000), Buffer.alloc(8)]))
      udp.send(question('www.tenant.example', A, { id: 2 }))
      udp.send(Buffer.alloc(0))
      udp.send(question('www.tenant.example', A, { id: 3 }))
      expect((await answered).map((bytes) => bytes.readUInt16BE(0))).to.deep.equal([2, 3])
    })
  })

  it('serves a change on every node', async () => {
    const other = await dns.another()
    const there = await openUdp(other.server.port)
    const seen = async () => decode(await there.ask(question('new.tenant.example', A))).answers?.length
    expect(await seen()).to.equal(0)
    await dns.put({ name: 'new', type: 'A', value: '192.0.2.3' })
    expect((await ask('new.tenant.example', A)).answers).to.have.length(1)
    await eventually('the other node serves it', async () => (await seen()) === 1)
    there.close()
  })

  it('signs zones with a key that all nodes share, and tells it in the form of registrars', async () => {
    const told = []
    for (const { server } of [await dns.another({ dnssec: true }), await dns.another({ dnssec: true })]) {
      const socket = await openUdp(server.port)
      const wanted = { edns: { flags: 0x8000 } }
      const [record] = decode(await socket.ask(question(tenantZone, types.DNSKEY, wanted))).answers!
      const signed = decode(await socket.ask(question('www.tenant.example', A, wanted))).answers!
      expect(signed.map(({ type }) => type)).to.deep.equal(['A', 'RRSIG'])
      told.push(record?.type === 'DNSKEY' ? record.data : expect.fail('no key'))
      socket.close()
    }
    expect(told[0]).to.deep.equal(told[1])
    const { signing } = await zoneKeys(dns.ctx, (await servedZone(dns.ctx, tenantZone))!)
    expect(zoneKeyText(signing).dnskey).to.equal(`257 3 13 ${told[0]!.key.toString('base64')}`)
  })

  it('goes on with the zones that it knows while the database is away', async () => {
    const { ctx, server } = await dns.another()
    const socket = await openUdp(server.port)
    const answered = async (name: string) => decode(await socket.ask(question(name, A)))
    expect((await answered('www.tenant.example')).answers).to.have.length(1)
    await closeContext(ctx)
    // By this time the process would read its zones again.
    dns.door.advance(60_000)
    expect((await answered('www.tenant.example')).answers).to.have.length(1)
    expect((await answered('www.tenant.example')).answers).to.have.length(1)
    expect(rcodeOf(await answered('www.elsewhere.example'))).to.equal(5)
    socket.close()
  })

  it('does not start where one of its ports is taken, or with a setting that it cannot use', async () => {
    const { ctx, server } = dns
    const start = (port: number) =>
      startDns(ctx, { host: '127.0.0.1', port }).then(
        () => 'started',
        (error) => error.message,
      )
    expect(await start(server.port)).to.include('EADDRINUSE')
    const tcp = createServer().listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    expect(await start((tcp.address() as AddressInfo).port)).to.include('listen EADDRINUSE')
    tcp.close()
    const wrong: readonly (readonly [Partial<Context['settings']['dns']>, string])[] = [
      [{ secondaries: ['ns2.example:53'] }, 'dns.secondaries: ns2.example:53 is not an IP address with a port'],
      [{ transferKeys: ['hmac-sha256:a..b:c2VjcmV0'] }, 'dns.transferKeys: hmac-sha256:a..b is not a key'],
      [{ nameServers: ['ns1..example'] }, 'dns.nameServers: "ns1..example" is not a domain name.'],
    ]
    for (const [change, text] of wrong) {
      const settings = { ...ctx.settings, dns: { ...ctx.settings.dns, ...change } }
      const failed = startDns({ ...ctx, settings }, { host: '127.0.0.1', port: 0 }).then(
        () => 'started',
        (error) => error.message,
      )
      expect(await failed).to.include(text)
    }
  })

  describe('over TCP (RFC 7766)', () => {
    it('gives the whole answer that was truncated over UDP', async () => {
      expect(await ask('long.tenant.example', TXT)).to.include({ flag_tc: true })
      const tcp = await openTcp(dns.server.port)
      tcp.write(question('long.tenant.example', TXT))
      expect(decode((await tcp.next())!).answers).to.have.length(40)
      tcp.close()
    })
    it('answers several questions on a connection in their order, though they come in pieces', async () => {
      const tcp = await openTcp(dns.server.port)
      tcp.socket.setNoDelay(true)
      const packets = [7, 8, 9].map((id) => question('www.tenant.example', A, { id }))
      const bytes = Buffer.concat(packets.map((packet) => Buffer.concat([numbers(packet.length), packet])))
      for (let n = 0; n < bytes.length; n += 5) tcp.socket.write(bytes.subarray(n, n + 5))
      const ids = [await tcp.next(), await tcp.next(), await tcp.next()].map((answer) => answer!.readUInt16BE(0))
      expect(ids).to.deep.equal([7, 8, 9])
      tcp.close()
    })
    it('answers all that came before the client said it has no more', async () => {
      const tcp = await openTcp(dns.server.port)
      tcp.write(...[1, 2, 3].map((id) => question('long.tenant.example', TXT, { id })))
      tcp.socket.end()
      expect(
        [await tcp.next(), await tcp.next(), await tcp.next()].map((answer) => answer?.readUInt16BE(0)),
      ).to.deep.equal([1, 2, 3])
      expect(await tcp.next()).to.equal(null)
    })

    const hangUps: readonly (readonly [string, Buffer])[] = [
      ['a question too long', numbers(4_097)],
      ['what is no question', Buffer.concat([numbers(3), Buffer.alloc(3)])],
      ['an answer', Buffer.concat([numbers(12, 1, 0x8000), Buffer.alloc(8)])],
      ['no bytes at all', numbers(0)],
    ]
    for (const [name, bytes] of hangUps)
      it(`hangs up at ${name}`, async () => {
        const tcp = await openTcp(dns.server.port)
        tcp.socket.write(bytes)
        expect(await tcp.next()).to.equal(null)
      })

    it('disconnects a client that sends no whole question in time, or does not read', async () => {
      const { server } = await dns.another({}, { idleSeconds: 1 })
      const silent = await openTcp(server.port)
      const slow = await openTcp(server.port)
      slow.socket.write(numbers(40, 1))
      const deaf = connect({ port: server.port, host: '127.0.0.1' })
      const ended = once(deaf, 'close')
      deaf.on('error', () => undefined)
      const asked = question('long.tenant.example', TXT)
      // So many answers of 8 KB fill the buffers of the kernel on both sides.
      const questions = Buffer.concat(Array<Buffer>(2_000).fill(Buffer.concat([numbers(asked.length), asked])))
      deaf.write(questions)
      deaf.pause()
      expect([await silent.next(), await slow.next()]).to.deep.equal([null, null])
      deaf.resume()
      await ended
      expect(deaf.bytesRead).to.be.below(2_000 * 8_000)
    })
    it('limits the connections of an address', async () => {
      const { server } = await dns.another({}, { connectionsPerAddress: 2 })
      const two = [await openTcp(server.port), await openTcp(server.port)]
      for (const each of two) {
        each.write(question('www.tenant.example', A))
        expect(await each.next()).to.be.instanceOf(Buffer)
      }
      expect(await (await openTcp(server.port)).next()).to.equal(null)
      for (const each of two) each.close()
    })
  })

  describe('zone transfers (RFC 5936, 1995)', () => {
    /** Returns all answers to a signed question; checks the signature of each against the message before it. */
    async function transferred(type: number, name = tenantZone, packet = question(name, type)): Promise<Answer[]> {
      const tcp = await openTcp(dns.server.port)
      const now = () => dns.ctx.clock.now()
      const { message, mac } = signMessage(packet, key, { at: now() })
      tcp.write(message)
      const found: Answer[] = []
      let priorMac = mac
      for (let isLater = false; ; isLater = true) {
        const verdict = verifyMessage((await tcp.next())!, { at: now(), keys: [key], priorMac, isLater })
        if (verdict.kind !== 'verified') return expect.fail(verdict.kind)
        priorMac = verdict.mac
        const { answers = [], ...rest } = decode(verdict.message)
        found.push(...answers)
        const isOver = rcodeOf(rest) !== 0 || found.length === 1 || found.at(-1)?.type === 'SOA'
        if (!isOver) continue
        tcp.close()
        return found
      }
    }
    /** A question for an incremental transfer, with the secondary's serial in the authority section. */
    const askingForChanges = (serial: number) => {
      const numbersOf = Buffer.alloc(20)
      numbersOf.writeUInt32BE(serial, 0)
      const record = Buffer.concat([numbers(0xc00c, SOA, 1, 0, 0, 22), Buffer.alloc(2), numbersOf])
      const packet = Buffer.concat([question(tenantZone, IXFR), record])
      packet.writeUInt16BE(1, 8)
      return packet
    }

    it('bring every record between two SOA records, in messages signed one over the other', async () => {
      await dns.put(
        ...[...Array(300).keys()].map((n) => ({ name: `t${n}`, type: 'TXT' as const, value: 'x'.repeat(200) })),
      )
      // While the database takes long to answer, zones are served as they were.
      await eventually('the zone is served', async () => (await ask('t299.tenant.example', TXT)).answers!.length === 1)
      const records = await transferred(AXFR)
      expect(records.at(0)).to.deep.equal(records.at(-1))
      expect(records.filter(({ type }) => type === 'SOA')).to.have.length(2)
      const names = new Set(records.map(({ name }) => name))
      expect(names).to.include.keys('www.tenant.example', 't0.tenant.example', 't299.tenant.example', tenantZone)
      expect(records.filter(({ name }) => name === 'long.tenant.example')).to.have.length(40)
    })
    it('answer IXFR with the whole zone, or with the SOA alone if nothing changed', async () => {
      const serial = serialOf((await ask(tenantZone, SOA)).answers)
      expect((await transferred(IXFR, tenantZone, askingForChanges(serial - 1))).length).to.be.above(300)
      expect(await transferred(IXFR, tenantZone, askingForChanges(serial))).to.have.length(1)
      expect(await transferred(IXFR, tenantZone, askingForChanges(serial + 1))).to.have.length(1)
    })
    it('answer IXFR by UDP with the SOA alone', async () => {
      const { message } = signMessage(question(tenantZone, IXFR), key, { at: dns.ctx.clock.now() })
      expect(decode(await udp.ask(message)).answers!.map(({ type }) => type)).to.deep.equal(['SOA'])
    })

    const stranger = parseTsigKey('hmac-sha256:transfer.example:c3RyYW5nZXI=')!
    const refusals: readonly (readonly [string, () => Buffer, number])[] = [
      ['without a signature', () => question(tenantZone, AXFR), 5],
      ['with a wrong secret', () => signMessage(question(tenantZone, AXFR), stranger, { at: new Date() }).message, 9],
      [
        'signed an hour ago',
        () => signMessage(question(tenantZone, AXFR), key, { at: new Date(Date.now() - 3_600_000) }).message,
        9,
      ],
      [
        'of a name in the zone',
        () => signMessage(question(`www.${tenantZone}`, AXFR), key, { at: new Date() }).message,
        9,
      ],
      ['of no zone', () => signMessage(question('elsewhere.example', AXFR), key, { at: new Date() }).message, 5],
    ]
    for (const [name, packet, code] of refusals)
      it(`are refused ${name}: ${code}`, async () => {
        const tcp = await openTcp(dns.server.port)
        tcp.write(packet())
        const answer = decode((await tcp.next())!)
        expect({ code: rcodeOf(answer), answers: answer.answers }).to.deep.equal({ code, answers: [] })
        tcp.close()
      })
    it('are refused to a client that has a key but is not a secondary', async () => {
      const { server } = await dns.another({ transferKeys: [keyText], secondaries: ['192.0.2.53:53'] })
      const tcp = await openTcp(server.port)
      tcp.write(signMessage(question(tenantZone, AXFR), key, { at: new Date() }).message)
      expect(rcodeOf(decode((await tcp.next())!))).to.equal(5)
      tcp.close()
    })
  })

  describe('own domains', () => {
    const byOurselves = (ctx: Context) => {
      const resolver = createResolver([`127.0.0.1:${dns.server.port}`], createKept(ctx.machineClock, answersPolicy))
      return Object.assign(ctx, { resolver, hostname: 'mx.mail.example' })
    }

    it('are verified by the records that this server publishes of them', async () => {
      byOurselves(dns.ctx)
      const call = client(dns.door.http, dns.tenant.key)
      expect((await call('POST', '/api/v1/domains', { domain: 'ours.example' })).status).to.equal(201)
      const { status, body } = await call<Domain>('POST', '/api/v1/domains/ours.example/verify')
      expect(status).to.equal(200)
      expect(body.status).to.equal('verified')
      expect(body.records.filter(({ ok }) => !ok)).to.deep.equal([])
      expect(body.records.length).to.be.greaterThan(8)
    })

    it('have one owner and a whole zone, wherever a process dies that claims, verifies, edits or deletes one', async () => {
      const { ctx, door, tenant } = dns
      const domain = 'dying.example'
      const principal = await authenticate(ctx, tenant.key)
      const data = path.dirname(ctx.keyring.given().folder)
      const { db } = ctx.store
      const url = `mongodb://${encodeURIComponent(String(db.client.options.hosts[0]))}/${db.databaseName}?monitorCommands=true`
      const open = async () => byOurselves(await contextOf({ data, url }, ctx.machineClock))
      const own = { accountId: tenant.accountId, domain }
      const unless = (code: string) => (error: unknown) => {
        if (!(error instanceof Failure) || error.code !== code) throw error
      }
      const steps: readonly (readonly [string, (at: Context) => Promise<unknown>, () => Promise<void>])[] = [
        [
          'claim',
          // A domain that an earlier try claimed is in use.
          async (at) => {
            await createDomain(at, { ...own, verified: false }).catch(unless('conflict'))
            await verifyDomain(at, own).catch(unless('conflict'))
          },
          async () => {
            const [{ status, records }] = [
              await getDomain(ctx, principal, domain).then((doc) => domainRecord(ctx, doc)),
            ]
            expect([status, records.filter(({ ok }) => !ok)]).to.deep.equal(['verified', []])
          },
        ],
        [
          'record',
          (at) =>
            createRecord(at, principal, { domain, type: 'A', name: 'www', value: '192.0.2.7' }).catch(
              unless('conflict'),
            ),
          async () => void expect((await ask(`www.${domain}`, A)).answers).to.have.length(1),
        ],
        [
          'deletion',
          (at) => deleteDomain(at, principal, domain).catch(unless('domain_not_found')),
          async () => {
            for (const name of ['domains', 'zones'] as const)
              expect(await ctx.store[name].countDocuments({ _id: domain }), name).to.equal(0)
            for (const name of ['domainClaims', 'zoneRecords'] as const)
              expect(await ctx.store[name].countDocuments({ domain }), name).to.equal(0)
          },
        ],
      ]
      for (const [name, work, check] of steps) {
        const deaths = await dyingAtEachWrite(open, work, async () => {
          // The locks of processes that died end.
          door.advance(minuteMs)
          const owners = await ctx.store.domains.find({ _id: domain }).toArray()
          expect(owners.every(({ accountId }) => accountId === tenant.accountId)).to.equal(true)
          expect(await ctx.store.domainClaims.countDocuments({ domain })).to.be.at.most(1)
          const records = await ctx.store.zoneRecords.find({ domain }).toArray()
          const purposes = records.flatMap(({ purpose }) => (purpose === null ? [] : [purpose]))
          expect(new Set(purposes).size, name).to.equal(purposes.length)
        })
        expect(deaths, name).to.be.greaterThan(1)
        await check()
      }
    })
  })

  describe('secondaries are told of a change (NOTIFY, RFC 1996)', () => {
    it('with the new SOA, signed, again until they answer', async () => {
      const told = on(secondary, 'message')
      /** The next message about this zone: messages about other zones are repeated too while nobody answers. */
      const next = async (): Promise<[Buffer, { port: number }]> => {
        for (;;) {
          const each = (await told.next()).value as [Buffer, { port: number }]
          if (decode(each[0]).questions?.[0]?.name === tenantZone) return each
        }
      }
      await dns.put({ name: 'told', type: 'A', value: '192.0.2.9' })
      const serial = serialOf((await ask(tenantZone, SOA)).answers)
      // Messages about earlier changes come first.
      let [bytes, from] = await next()
      const serialIn = (packet: Buffer) => serialOf(decode(packet).answers)
      while (serialIn(bytes) !== serial) [bytes, from] = await next()
      const packet = decode(bytes)
      expect(packet).to.include({ type: 'query', opcode: 'NOTIFY', flag_aa: true })
      expect(packet.questions).to.deep.equal([{ name: tenantZone, type: 'SOA', class: 'IN' }])
      expect(verifyMessage(bytes, { at: dns.ctx.clock.now(), keys: [key] }).kind).to.equal('verified')
      const [again, second] = await next()
      expect({ id: again.readUInt16BE(0), port: second.port }).to.deep.equal({
        id: bytes.readUInt16BE(0),
        port: from.port,
      })
      const answer = Buffer.from(bytes.subarray(0, 12)).fill(0, 4)
      answer.writeUInt16BE(0xa400, 2)
      secondary.send(answer, from.port, '127.0.0.1')
    })
  })
})
