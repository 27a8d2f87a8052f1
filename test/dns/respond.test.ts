import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { type DecodedPacket, decode } from 'dns-packet'
import { isWithin, wireName } from '../../core/zones/names.ts'
import type { Zone } from '../../core/zones/served-zones.ts'
import { parseTsigKey, signMessage } from '../../core/zones/tsig.ts'
import { keyOf, singleKey, type ZoneKeys } from '../../core/zones/zone-keys.ts'
import { types } from '../../dns/codes.ts'
import { createCookies } from '../../dns/cookies.ts'
import { createSigner, type SignableZone } from '../../dns/dnssec.ts'
import type { Client, Serving } from '../../dns/exchange.ts'
import { createPackets } from '../../dns/packets.ts'
import { createRateLimit } from '../../dns/rate-limit.ts'
import { respond } from '../../dns/respond.ts'
import { indexZone } from '../../dns/zone-index.ts'
import { nameBytes, numbers, opt, type QuestionOptions, question, rcodeOf } from '../peers/dns-client.ts'
import { manyRecords, oddZone } from './zones.ts'

const zones = [oddZone, manyRecords].map((zone) => ({ ...indexZone(zone, ['ns1.mail.example']), signer: null }))
const key = parseTsigKey('hmac-sha256:transfer.example:c2VjcmV0')!
let now = new Date('2026-11-22T12:00:00Z')

function servingWith(change: Partial<Serving> = {}): Serving {
  return {
    zoneOf: (name) => zones.find(({ origin }) => isWithin(name, origin)) ?? null,
    cookies: createCookies(
      () => now,
      (period) => Buffer.alloc(32, period),
    ),
    rateLimit: createRateLimit(() => now, { answersPerSecond: 0, networkPerSecond: 0, slip: 2, exempt: [] }),
    packets: createPackets({ now: () => now }),
    transferKeys: [key],
    isSecondary: (address) => address === '192.0.2.53',
    idleSeconds: 10,
    now: () => now,
    ...change,
  }
}
const serving = servingWith()
const udp: Client = { address: '192.0.2.99', over: 'udp' }
const tcp: Client = { address: '192.0.2.99', over: 'tcp' }

function answersTo(packet: Buffer, client: Client = udp, by: Serving = serving): Buffer[] {
  const messages = respond(by, packet, client)
  if (messages instanceof Promise) throw new Error('The zone is in memory.')
  return [...messages]
}

function ask(name: string, type: number, options?: QuestionOptions, client?: Client): Buffer {
  const [answer, ...more] = answersTo(question(name, type, options), client)
  expect(more).to.deep.equal([])
  return answer ?? expect.fail('silence')
}

const told = (bytes: Buffer): DecodedPacket => decode(bytes)
const optOf = (packet: DecodedPacket) => {
  const found = packet.additionals?.find(({ type }) => type === 'OPT')
  return found?.type === 'OPT' ? found : null
}
const { A, MX, TXT, SOA, AXFR, IXFR, DS } = types
const silent = 'silence'

describe('answers to messages', () => {
  describe('messages that are not questions', () => {
    const good = question('www.zone.example', A)
    const edited = (edit: (message: Buffer) => unknown, base = good) => {
      const copy = Buffer.from(base)
      const other = edit(copy)
      return Buffer.isBuffer(other) ? other : copy
    }
    const raw = (name: Buffer, ...rest: readonly Buffer[]) =>
      Buffer.concat([good.subarray(0, 12), name, numbers(A, 1), ...rest])
    const record = (type: number, data = Buffer.alloc(0)) =>
      Buffer.concat([Buffer.alloc(1), numbers(type, 1, 0, 0, data.length), data])
    const withCounts = (packet: Buffer, [answers, authorities, additionals]: readonly [number, number, number]) =>
      edited((m) => numbers(answers, authorities, additionals).copy(m, 6), packet)
    const label = (length: number) => Buffer.concat([Buffer.from([length]), Buffer.alloc(length, 'a')])
    const end = Buffer.alloc(1)
    const [FORMERR, NOTIMP, REFUSED] = [1, 4, 5]
    const cases: readonly (readonly [string, Buffer, number | typeof silent])[] = [
      ['nothing', Buffer.alloc(0), silent],
      ['eleven bytes', good.subarray(0, 11), silent],
      ['an answer', edited((m) => m.writeUInt16BE(0x8000, 2)), silent],
      ['an answer that is no message else', Buffer.concat([numbers(1, 0x8000), Buffer.alloc(40, 0xff)]), silent],
      ['a header alone', edited((m) => m.subarray(0, 12).fill(0, 4)), FORMERR],
      ['a header that promises a question', good.subarray(0, 12), FORMERR],
      [
        'two questions (RFC 9619)',
        edited((m) => m.writeUInt16BE(2, 4), Buffer.concat([good, good.subarray(12)])),
        FORMERR,
      ],
      ['65,535 questions', edited((m) => m.writeUInt16BE(0xffff, 4)), FORMERR],
      ['65,535 records of each kind', withCounts(good, [0xffff, 0xffff, 0xffff]), FORMERR],
      ['a name without an end', good.subarray(0, 20), FORMERR],
      ['a question without a class', good.subarray(0, -1), FORMERR],
      ['bytes behind it', Buffer.concat([good, end]), FORMERR],
      ['a name that points at itself', raw(numbers(0xc00c)), FORMERR],
      ['a name that points forward', raw(numbers(0xc00e)), FORMERR],
      ['a name that points into the header', raw(numbers(0xc000)), FORMERR],
      ['a label and a loop', raw(Buffer.concat([label(3), numbers(0xc00c)])), FORMERR],
      ['a label of a reserved kind', raw(Buffer.from([0x80, 0])), FORMERR],
      ['a name of 256 bytes', raw(Buffer.concat([label(63), label(63), label(63), label(62), end])), FORMERR],
      ['a name of 255 bytes', raw(Buffer.concat([label(63), label(63), label(63), label(61), end])), REFUSED],
      ['an answer record', withCounts(Buffer.concat([good, record(A)]), [1, 0, 0]), FORMERR],
      ['an authority record', withCounts(Buffer.concat([good, record(SOA)]), [0, 1, 0]), FORMERR],
      ['an additional record that nobody knows', withCounts(Buffer.concat([good, record(65_280)]), [0, 0, 1]), 0],
      ['two OPT records', withCounts(Buffer.concat([good, opt({}), opt({})]), [0, 0, 2]), FORMERR],
      [
        'an OPT record with a name',
        withCounts(Buffer.concat([good, nameBytes('a'), opt({}).subarray(1)]), [0, 0, 1]),
        FORMERR,
      ],
      ['an OPT record in the authority', withCounts(Buffer.concat([good, opt({})]), [0, 1, 0]), FORMERR],
      [
        'an option that runs over',
        withCounts(Buffer.concat([good, Buffer.alloc(1), numbers(41, 512, 0, 0, 5, 10, 8), end]), [0, 0, 1]),
        FORMERR,
      ],
      ['a cookie of 7 bytes', question('www.zone.example', A, { edns: { options: [[10, Buffer.alloc(7)]] } }), FORMERR],
      [
        'a cookie of 12 bytes',
        question('www.zone.example', A, { edns: { options: [[10, Buffer.alloc(12)]] } }),
        FORMERR,
      ],
      [
        'a cookie of 41 bytes',
        question('www.zone.example', A, { edns: { options: [[10, Buffer.alloc(41)]] } }),
        FORMERR,
      ],
      ['a TSIG record that is none', withCounts(Buffer.concat([good, record(types.TSIG)]), [0, 0, 1]), FORMERR],
      ['a NOTIFY', edited((m) => m.writeUInt16BE(4 << 11, 2)), NOTIMP],
      ['an UPDATE', edited((m) => m.writeUInt16BE(5 << 11, 2)), NOTIMP],
      ['an opcode that nobody knows', edited((m) => m.writeUInt16BE(15 << 11, 2)), NOTIMP],
    ]
    for (const [name, packet, expected] of cases)
      it(`${name}: ${expected}`, () => {
        const [answer] = answersTo(packet)
        expect(answer === undefined ? silent : rcodeOf(told(answer))).to.equal(expected)
        // An error is no longer than its question.
        if (typeof expected === 'number' && expected !== 0) expect(answer!.length).to.be.at.most(packet.length)
      })
  })

  describe('questions for no zone', () => {
    const cases: readonly (readonly [string, Buffer, number])[] = [
      ['another domain', question('www.elsewhere.example', A), 5],
      ['the root', question('', types.NS), 5],
      ['a top-level domain', question('example', SOA), 5],
      ['a zone that ends alike', question('otherzone.example', A), 5],
      // One label `a.zone` is not the two labels `a` and `zone`.
      [
        'a label with a dot',
        Buffer.concat([question('', A).subarray(0, 12), Buffer.from('\x06a.zone\x07example\0'), numbers(A, 1)]),
        5,
      ],
      ['version.bind', question('version.bind', TXT, { class: 3 }), 5],
      ['a name of ours in class CHAOS', question('zone.example', SOA, { class: 3 }), 5],
      ['any class', question('zone.example', SOA, { class: 255 }), 5],
      ['type OPT', question('zone.example', types.OPT), 1],
      ['type NXNAME (RFC 9824 3.5)', question('zone.example', types.NXNAME), 1],
      ['type TSIG', question('zone.example', types.TSIG), 1],
      ['type MAILB', question('zone.example', 253), 4],
      ['type MAILA', question('zone.example', 254), 4],
      ['AXFR by UDP', question('zone.example', AXFR), 1],
      ['IXFR by UDP, of no secondary', question('zone.example', IXFR), 5],
    ]
    for (const [name, packet, expected] of cases)
      it(`${name}: ${expected}`, () => {
        const [answer] = answersTo(packet)
        const { flag_aa, answers, questions } = told(answer!)
        expect(rcodeOf(told(answer!))).to.equal(expected)
        expect({ flag_aa, answers, questions: questions?.length }).to.deep.equal({
          flag_aa: false,
          answers: [],
          questions: 1,
        })
        expect(answer!.length).to.equal(packet.length)
      })
  })

  describe('what is repeated of the question', () => {
    it('its id, its letters, RD and CD', () => {
      const answer = ask('wWw.ZONE.exAmple', A, { id: 0xbeef, flags: 0x0110 | 0x0020 | 0x0040 })
      const packet = told(answer)
      expect(answer.subarray(12, 12 + 18).toString('latin1')).to.equal('\x03wWw\x04ZONE\x07exAmple\0')
      expect(packet).to.include({
        id: 0xbeef,
        flag_rd: true,
        flag_cd: true,
        flag_ra: false,
        flag_ad: false,
        flag_aa: true,
      })
      expect(packet.flag_z).to.equal(false)
      // Pointers point to the name of the question, in its letter case.
      expect(packet.answers!.map(({ name }) => name)).to.deep.equal(['wWw.ZONE.exAmple', 'wWw.ZONE.exAmple'])
    })
    it('a type that nobody knows (RFC 3597) is absent, not wrong', () => {
      const packet = told(ask('www.zone.example', 65_280))
      expect({ rcode: rcodeOf(packet), authorities: packet.authorities?.length }).to.deep.equal({
        rcode: 0,
        authorities: 1,
      })
    })
    it('any bytes of a label', () => {
      const name = Buffer.from('\x04\x00\xff\x2e\xc0\x04zone\x07example\0', 'latin1')
      const packet = Buffer.concat([question('', A).subarray(0, 12), name, numbers(A, 1)])
      const [answer] = answersTo(packet)
      expect(answer!.subarray(12, 12 + name.length)).to.deep.equal(name)
      expect(rcodeOf(told(answer!))).to.equal(3)
    })
  })

  describe('EDNS and sizes', () => {
    it('an OPT record only to those who sent one', () => {
      expect(optOf(told(ask('www.zone.example', A)))).to.equal(null)
      expect(optOf(told(ask('www.zone.example', A, { edns: {} })))).to.include({
        udpPayloadSize: 1_232,
        flags: 0,
        ednsVersion: 0,
      })
    })
    it('the DO flag comes back (RFC 3225), others do not', () => {
      expect(optOf(told(ask('www.zone.example', A, { edns: { flags: 0xffff } })))?.flags).to.equal(0x8000)
    })
    it('an unknown version is BADVERS, with ours', () => {
      const packet = told(ask('www.zone.example', A, { edns: { version: 1 } }))
      expect({
        rcode: rcodeOf(packet),
        opt: optOf(packet)?.extendedRcode,
        version: optOf(packet)?.ednsVersion,
        answers: packet.answers,
      }).to.deep.equal({
        rcode: 0,
        opt: 1,
        version: 0,
        answers: [],
      })
    })
    it('an unknown option is ignored', () => {
      const packet = told(ask('www.zone.example', A, { edns: { options: [[65_001, Buffer.alloc(9)]] } }))
      expect(packet.answers).to.have.length(2)
      expect(optOf(packet)?.options).to.deep.equal([])
    })

    const sizes: readonly (readonly [string, number | null, Client, number, boolean])[] = [
      ['no EDNS', null, udp, 512, true],
      ['0 bytes are 512 (RFC 6891 6.2.3)', 0, udp, 512, true],
      ['511 bytes are 512', 511, udp, 512, true],
      ['800 bytes', 800, udp, 800, true],
      ['1,232 bytes', 1_232, udp, 1_232, false],
      ['65,535 bytes are 1,232', 65_535, udp, 1_232, false],
      ['TCP', null, tcp, 65_535, false],
    ]
    for (const [name, udpBytes, client, limit, isCut] of sizes)
      it(`${name}: ${isCut ? 'cut' : 'whole'}`, () => {
        const options = udpBytes === null ? {} : { edns: { udpBytes } }
        const bytes = ask('long.zone.example', TXT, options, client)
        const packet = told(bytes)
        // 603 bytes of text do not fit 512, but 800: the long one is asked of the other zone.
        const big = told(ask('fifty.many.example', A, options, client))
        expect(bytes.length).to.be.at.most(limit)
        expect(packet.flag_tc).to.equal(limit === 512)
        expect(big.flag_tc).to.equal(isCut)
        expect(big.answers).to.have.length(isCut ? 0 : 50)
      })
    it('an answer beyond 1,232 bytes is truncated over UDP and whole over TCP', () => {
      const edns = { udpBytes: 4_096 }
      expect(told(ask('all.many.example', A, { edns }))).to.deep.include({ flag_tc: true, answers: [] })
      expect(told(ask('all.many.example', A, { edns }, tcp)).answers).to.have.length(1_000)
    })
    it('additional records are left out where they do not fit, without a word', () => {
      const edns = { udpBytes: 512 }
      const packet = told(ask('many.example', MX, { edns }))
      expect(packet.flag_tc).to.equal(false)
      expect(packet.answers).to.have.length(10)
      expect(packet.additionals!.length).to.be.within(2, 20)
      expect(told(ask('many.example', MX, { edns }, tcp)).additionals).to.have.length(11 + 10)
    })
    it('those of a delegation are not left out (RFC 9471): the answer is cut', () => {
      expect(told(ask('x.cut.many.example', A))).to.deep.include({ flag_tc: true, authorities: [], additionals: [] })
      expect(told(ask('x.cut.many.example', A, {}, tcp)).additionals).to.have.length(13)
    })
    it('names are compressed', () => {
      const bytes = ask('zone.example', MX)
      // Question 18 bytes, two MX of 12 + 2 + (5 or 15), A and AAAA of 12 + 4 and 12 + 16.
      expect(bytes.length).to.equal(12 + 18 + (12 + 2 + 5) + (12 + 2 + 15) + 16 + 28)
    })
  })

  describe('cookies (RFC 7873, 9018)', () => {
    const half = Buffer.from('2464c4abcf10c957', 'hex')
    const cookieOf = (bytes: Buffer) => (optOf(told(bytes))?.options[0] as { data?: Buffer } | undefined)?.data
    const asked = (cookie: Buffer): QuestionOptions => ({ edns: { options: [[10, cookie]] } })

    it('the client gets its own half and ours', () => {
      const cookie = cookieOf(ask('www.zone.example', A, asked(half)))
      expect(cookie).to.have.length(24)
      expect(cookie!.subarray(0, 8)).to.deep.equal(half)
    })
    it('alone, without a question (5.4)', () => {
      const packet = Buffer.concat([numbers(7, 0, 0, 0, 0, 1), opt({ options: [[10, half]] })])
      const [answer] = answersTo(packet)
      expect(cookieOf(answer!)).to.have.length(24)
      expect(told(answer!)).to.deep.include({ id: 7, questions: [], answers: [] })
    })
    it('a wrong one is answered with a right one', () => {
      const wrong = Buffer.concat([half, Buffer.alloc(16, 1)])
      const packet = ask('www.zone.example', A, asked(wrong))
      expect(told(packet).answers).to.have.length(2)
      expect(serving.cookies.isValid(cookieOf(packet)!, udp.address)).to.equal(true)
    })

    // RFC 9018 appendix A, with its secrets and times.
    const vectors: readonly (readonly [string, string, string, string, number])[] = [
      [
        'A.1 and A.2',
        '198.51.100.100',
        'e5e973e5a6b2a43f48e7dc849e37bfcf',
        '2464c4abcf10c957010000005cf79f111f8130c3eee29480',
        1_559_731_985,
      ],
      [
        'A.3',
        '203.0.113.203',
        'e5e973e5a6b2a43f48e7dc849e37bfcf',
        'fc93fc62807ddb8601abcdef5cf78f71a314227b6679ebf5',
        1_559_727_985,
      ],
      [
        'A.4',
        '2001:db8:220:1:59de:d0f4:8769:82b8',
        'dd3bdf9344b678b185a6f5cb60fca715',
        '22681ab97d52c298010000005cf7c57926556bd0934c72f8',
        1_559_741_817,
      ],
    ]
    for (const [name, address, secret, hex, seconds] of vectors)
      it(`RFC 9018 ${name}`, () => {
        const cookies = createCookies(
          () => new Date(seconds * 1_000),
          () => Buffer.from(secret, 'hex'),
        )
        const cookie = Buffer.from(hex, 'hex')
        expect(cookies.isValid(cookie, address)).to.equal(true)
        if (cookie.readUIntBE(9, 3) === 0) expect(cookies.answer(cookie.subarray(0, 8), address)).to.deep.equal(cookie)
        expect(cookies.isValid(cookie, '198.51.100.101')).to.equal(false)
      })

    const ages: readonly (readonly [string, number, boolean])[] = [
      ['an hour old', 3_600, true],
      ['older than an hour', 3_601, false],
      ['five minutes ahead', -300, true],
      ['further ahead', -301, false],
    ]
    for (const [name, ageSeconds, isValid] of ages)
      it(`${name}: ${isValid ? 'taken' : 'not taken'}`, () => {
        const at = new Date('2026-11-26T00:20:00Z') // a secret of ours ends between
        const secretOf = (period: number) => Buffer.alloc(32, period)
        const given = createCookies(() => new Date(at.getTime() - ageSeconds * 1_000), secretOf).answer(
          half,
          udp.address,
        )
        expect(createCookies(() => at, secretOf).isValid(given, udp.address)).to.equal(isValid)
      })
  })

  describe('response rate limiting', () => {
    const settings = { answersPerSecond: 3, networkPerSecond: 10, slip: 2, exempt: ['198.51.100.0/24', '2001:db8::1'] }
    const limited = () => servingWith({ rateLimit: createRateLimit(() => now, settings) })
    /** The outcome of each question: answered, truncated or dropped. */
    const outcomes = (by: Serving, packets: readonly Buffer[], client: Client = udp) =>
      packets
        .map((packet) => {
          const [bytes] = answersTo(packet, client, by)
          if (bytes === undefined) return '.'
          const packetTold = told(bytes)
          if ((optOf(packetTold)?.extendedRcode ?? 0) === 1 && rcodeOf(packetTold) === 7) return 'C'
          return packetTold.flag_tc ? 'T' : 'A'
        })
        .join('')
    const times = (count: number, packet: Buffer) => Array<Buffer>(count).fill(packet)
    const www = question('www.zone.example', A)

    const cases: readonly (readonly [string, readonly Buffer[], Client, string])[] = [
      ['the same question: silence, and each second answer cut', times(8, www), udp, 'AAA.T.T.'],
      [
        'in other letters',
        ['www', 'wWw', 'WWW', 'Www'].map((name) => question(`${name}.zone.example`, A)),
        udp,
        'AAA.',
      ],
      [
        'other questions',
        ['A', 'MX', 'TXT', 'AAAA'].map((type) => question('www.zone.example', types[type as 'A'])),
        udp,
        'AAAA',
      ],
      ['names that are not there', [...'wxyz'].map((name) => question(`${name}.zone.example`, A)), udp, 'AAA.'],
      ['names of a wildcard', [...'abcd'].map((name) => question(`${name}.wild.zone.example`, A)), udp, 'AAA.'],
      ['names of others', [...'abcd'].map((name) => question(`${name}.elsewhere.example`, A)), udp, 'AAA.'],
      ['no messages', times(5, question('x', A).subarray(0, 13)), udp, 'AAA..'],
      [
        'with half a cookie the answer is one (BADCOOKIE)',
        times(6, question('www.zone.example', A, { edns: { options: [[10, Buffer.alloc(8)]] } })),
        udp,
        'AAA.C.',
      ],
      ['by TCP', times(8, www), tcp, 'AAAAAAAA'],
      ['of an exempt network', times(8, www), { address: '198.51.100.7', over: 'udp' }, 'AAAAAAAA'],
      ['of an exempt address', times(8, www), { address: '2001:db8::1', over: 'udp' }, 'AAAAAAAA'],
      ['of an address beside it', times(4, www), { address: '2001:db8::2', over: 'udp' }, 'AAA.'],
    ]
    for (const [name, packets, client, expected] of cases)
      it(`${name}: ${expected}`, () => expect(outcomes(limited(), packets, client)).to.equal(expected))

    it('counts a network, not an address; another network has its own', () => {
      const by = limited()
      expect(outcomes(by, times(3, www))).to.equal('AAA')
      expect(outcomes(by, [www], { address: '192.0.2.1', over: 'udp' })).to.equal('.')
      expect(outcomes(by, [www], { address: '192.0.3.1', over: 'udp' })).to.equal('A')
    })
    it('counts all answers to a network too', () => {
      const packets = [...Array(14).keys()].map((n) => question('www.zone.example', 1_000 + n))
      expect(
        outcomes(servingWith({ rateLimit: createRateLimit(() => now, { ...settings, answersPerSecond: 0 }) }), packets),
      ).to.equal('AAAAAAAAAA.T.T')
    })
    it('begins anew with each second', () => {
      const by = limited()
      expect(outcomes(by, times(4, www))).to.equal('AAA.')
      now = new Date(now.getTime() + 1_000)
      expect(outcomes(by, times(4, www))).to.equal('AAA.')
    })
    it('a client that has proven its address has no limit', () => {
      const by = limited()
      const half = Buffer.alloc(8, 5)
      const cookie = by.cookies.answer(half, udp.address)
      expect(outcomes(by, times(8, question('www.zone.example', A, { edns: { options: [[10, cookie]] } })))).to.equal(
        'AAAAAAAA',
      )
      expect(outcomes(by, times(8, signMessage(www, key, { at: now }).message))).to.equal('AAAAAAAA')
    })
    it('an invalid exempt network is an error', () => {
      const wrong = { ...settings, exempt: ['192.0.2.0/33'] }
      expect(() => createRateLimit(() => now, wrong)).to.throw('dns.rateLimit.exempt: 192.0.2.0/33')
    })
  })

  describe('the DS of a zone whose parent zone is ours too', () => {
    const above = (records: Zone['records'], keys: ZoneKeys | null = null) =>
      indexZone({ ...oddZone, origin: 'example', records }, ['ns1.mail.example'], keys)
    const delegation = { name: 'zone.example', type: 'NS', ttlSeconds: 300, data: 'ns1.mail.example' } as const
    const keys = singleKey(keyOf('example', generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))
    const signer = createSigner({
      origin: wireName('example'),
      keys,
      version: '1',
      signatures: new Map(),
      now: () => now,
    })
    const signed = { ...zones[0]!, signer }
    const cases: readonly (readonly [string, readonly SignableZone[], number, string])[] = [
      ['is asked of that one when it delegates', [zones[0]!, { ...above([delegation]), signer: null }], 0, 'example'],
      [
        'is not there, as its own zone says, when that one does not know of it',
        [zones[0]!, { ...above([]), signer: null }],
        0,
        'zone.example',
      ],
      ['is there when both are signed', [signed, { ...above([], keys), signer }], 1, ''],
    ]
    for (const [name, both, count, soaOf] of cases)
      it(name, async () => {
        const by = servingWith({ zoneOf: (asked) => both.find(({ origin }) => isWithin(asked, origin)) ?? null })
        const packet = told([...(await respond(by, question('zone.example', DS), udp))][0]!)
        expect(rcodeOf(packet)).to.equal(0)
        expect(packet.answers).to.have.length(count)
        expect(packet.authorities?.[0]?.name ?? '').to.equal(soaOf)
      })
  })
})
