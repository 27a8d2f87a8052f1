/**
 * Messages of strangers, mutated at random: nothing may throw, hang, or be answered with more than its size limit. `FUZZ_RUNS` multiplies
 * the rounds (default 1), for use after a change. A finding prints its seed, and becomes a case of its own elsewhere; `FUZZ_SEED` sets
 * the first seed.
 */
import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import { decode } from 'dns-packet'
import fc from 'fast-check'
import { recordsOf } from '../../core/zones/messages.ts'
import { isWithin, nameText, type WireName, wireName } from '../../core/zones/names.ts'
import type { Zone } from '../../core/zones/served-zones.ts'
import { parseTsigKey, signMessage, verifyMessage } from '../../core/zones/tsig.ts'
import { keyOf, singleKey } from '../../core/zones/zone-keys.ts'
import { answerFrom } from '../../dns/answer.ts'
import { types } from '../../dns/codes.ts'
import { createCookies } from '../../dns/cookies.ts'
import { createSigner } from '../../dns/dnssec.ts'
import type { Client, Serving } from '../../dns/exchange.ts'
import { writeReply } from '../../dns/message.ts'
import { createPackets } from '../../dns/packets.ts'
import { readQuery } from '../../dns/query.ts'
import { createRateLimit } from '../../dns/rate-limit.ts'
import { respond } from '../../dns/respond.ts'
import { indexZone, type RrSet } from '../../dns/zone-index.ts'
import { expectLinear } from '../mail/cost.ts'
import { numbers, openTcp, openUdp, question } from '../peers/dns-client.ts'
import { type DnsDoor, openDnsDoor, tenantZone } from '../start/dns.ts'
import { manyRecords, oddZone } from './zones.ts'

const rounds = Number(process.env.FUZZ_RUNS ?? 1)
const now = () => new Date('2026-11-22T12:00:00Z')
const key = parseTsigKey('hmac-sha256:transfer.example:c2VjcmV0')!
const keys = singleKey(keyOf(oddZone.origin, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))
const signed = indexZone(oddZone, ['ns1.zone.example'], keys)
const signer = createSigner({ origin: signed.origin, keys, version: '1', signatures: new Map(), now })
const zones = [
  { ...signed, signer },
  { ...indexZone(manyRecords, ['ns1.mail.example']), signer: null },
]
const serving: Serving = {
  zoneOf: (name) => zones.find(({ origin }) => isWithin(name, origin)) ?? null,
  cookies: createCookies(now, () => Buffer.alloc(32, 1)),
  rateLimit: createRateLimit(now, { answersPerSecond: 0, networkPerSecond: 0, slip: 2, exempt: [] }),
  packets: createPackets({ now }),
  transferKeys: [key],
  isSecondary: () => true,
  idleSeconds: 10,
  now,
}
const clients: readonly Client[] = [
  { address: '192.0.2.1', over: 'udp' },
  { address: '2001:db8::1', over: 'udp' },
  { address: '192.0.2.1', over: 'tcp' },
]

const edns = {
  udpBytes: 900,
  flags: 0xc000,
  options: [[10, Buffer.alloc(8, 3)] as const, [11, Buffer.alloc(0)] as const],
}
/** Questions that reach every part of the zone. */
const seeds: readonly Buffer[] = [
  question('www.zone.example', types.A),
  question('any.wild.zone.example', types.A, { edns }),
  question('one.zone.example', types.MX, { edns }),
  question('x.sub.zone.example', types.A, { edns }),
  question('nothing.zone.example', types.ANY, { edns: { ...edns, udpBytes: 512 } }),
  question('all.many.example', types.A, { edns }),
  question('many.example', types.MX, { edns: { udpBytes: 65_535 } }),
  question('zone.example', types.DS, { edns }),
  question('zone.example', types.RRSIG, { edns }),
  question('elsewhere.example', types.A),
  question('version.bind', types.TXT, { class: 3 }),
  signMessage(question('zone.example', types.AXFR), key, { at: now() }).message,
  signMessage(question('zone.example', types.IXFR, { edns }), key, { at: now() }).message,
]
/** Bytes with a meaning: lengths, pointers, types, counts. */
const pieces = [0, 1, 0x3f, 0x40, 0x80, 0xc0, 0xff, 41, 250, 252].map((byte) => Buffer.from([byte]))
const bend = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 20 }),
  insert: fc.oneof(
    fc.constantFrom(...pieces, numbers(0xc00c), numbers(0xffff)),
    fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
  ),
})
const bent = fc.tuple(fc.constantFrom(...seeds), fc.array(bend, { minLength: 1, maxLength: 4 })).map(([seed, bends]) =>
  bends.reduce((bytes, { at, remove, insert }) => {
    const from = Math.floor(at * bytes.length)
    return Buffer.concat([bytes.subarray(0, from), insert, bytes.subarray(from + remove)])
  }, seed),
)

/** The size limit of an answer according to the question: the size in OPT, between 512 and 1,232. */
function roomFor(packet: Buffer): number {
  const opt = (recordsOf(packet) ?? []).find(({ at, start }) => packet.readUInt16BE(start) === 41 && start === at + 1)
  return Math.min(Math.max(opt === undefined ? 0 : packet.readUInt16BE(opt.start + 2), 512), 1_232)
}

describe('DNS messages mutated at random', () => {
  const runs = { numRuns: 4_000 * rounds }

  it('are answered within their size limit, or ignored', () => {
    fc.assert(
      fc.property(bent, fc.constantFrom(...clients), (packet, client) => {
        const messages = respond(serving, packet, client)
        if (messages instanceof Promise) return
        let count = 0
        for (const message of messages) {
          count += 1
          // An answer that refuses a signature repeats its names, and is no longer than the question.
          const room = client.over === 'udp' ? Math.max(roomFor(packet), packet.length) : 65_535
          expect(message.length).to.be.at.most(room)
          expect(message.readUInt16BE(0)).to.equal(packet.readUInt16BE(0))
          expect(message.readUInt16BE(2) & 0x8000, 'it is an answer').to.equal(0x8000)
          const places = recordsOf(message)
          expect(places, 'it can be read').to.not.equal(null)
          expect(places!.at(-1)?.end ?? message.length).to.equal(message.length)
        }
        if (client.over === 'udp') expect(count).to.be.at.most(1)
        if (packet.length >= 12 && (packet[2]! & 0x80) !== 0) expect(count, 'an answer is not answered').to.equal(0)
      }),
      runs,
    )
  })

  it('are answered as if nobody had asked before', () => {
    // Signatures are random.
    const unsigned = { ...serving, zoneOf: (name: WireName) => (isWithin(name, zones[1]!.origin) ? zones[1]! : null) }
    const forgetful = { ...unsigned, packets: { get: () => undefined, set: () => undefined } }
    const client = clients[0]!
    fc.assert(
      fc.property(bent, (packet) => {
        const [answers, anew] = [unsigned, forgetful].map((by) => respond(by, packet, client))
        if (answers instanceof Promise || anew instanceof Promise) return
        expect([...answers!]).to.deep.equal([...anew!])
      }),
      runs,
    )
  })

  it('do not disturb those that come after them, over UDP and TCP', async () => {
    const dns: DnsDoor = await openDnsDoor({
      rateLimit: { answersPerSecond: 0, networkPerSecond: 0, slip: 2, exempt: [] },
    })
    await dns.put({ name: 'www', type: 'A', value: '192.0.2.1' })
    const packets = fc.sample(bent, { numRuns: 1_500 * rounds, seed: Number(process.env.FUZZ_SEED ?? 1035) })
    const good = question(`www.${tenantZone}`, types.A, { id: 4_711 })
    const udp = await openUdp(dns.server.port)
    for (const [n, packet] of packets.entries()) {
      udp.send(packet)
      // Packets that are sent without a pause are lost in the kernel.
      if (n % 50 === 0) await udp.ask(question('elsewhere.example', types.A))
    }
    for (let id = -1; id !== 4_711; ) id = (await udp.ask(good)).readUInt16BE(0)
    udp.close()
    for (let n = 0; n < packets.length; n += 100) {
      const tcp = await openTcp(dns.server.port)
      tcp.write(...packets.slice(n, n + 100))
      tcp.socket.end()
      while ((await tcp.next()) !== null);
    }
    const tcp = await openTcp(dns.server.port)
    tcp.write(good)
    expect(decode((await tcp.next())!).answers).to.have.length(1)
    tcp.close()
    expect(dns.door.logs()).to.not.include('could not be answered')
    await dns.close()
  })

  it('cost no more than their length: a message full of pointers, labels or records', () => {
    const head = (counts: readonly number[]) => numbers(1, 0, ...counts)
    const many = (record: Buffer, count: number) => Buffer.concat(Array<Buffer>(count).fill(record))
    const hostile = [
      Buffer.concat([
        head([1, 0, 0, 0xffff]),
        question('a', 1).subarray(12),
        many(numbers(0xc00c, 1, 1, 0, 0, 0), 5_000),
      ]),
      Buffer.concat([head([1, 0, 0, 1]), many(Buffer.from([1, 0x61]), 32_000)]),
      Buffer.concat([head([1, 0, 0, 0]), many(numbers(0xc00c), 32_000)]),
      Buffer.concat([
        head([1, 0, 0, 1]),
        question('a', 1).subarray(12),
        Buffer.alloc(1),
        numbers(41, 512, 0, 0, 60_000),
        many(numbers(3, 0), 15_000),
      ]),
    ]
    for (const [n, packet] of hostile.entries())
      expectLinear(`message ${n}`, packet, (bytes) => {
        for (let times = 0; times < 300; times += 1) {
          readQuery(bytes)
          verifyMessage(bytes, { at: now(), keys: [key] })
        }
      })
  })
})

describe('properties', () => {
  const label = fc.constantFrom('a', 'b', 'c', '*')
  const relative = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
  const someZone = fc.uniqueArray(relative, { maxLength: 6 }).map(
    (names): Zone => ({
      origin: 'z.example',
      accountId: null,
      serial: 1,
      records: names.map((name) => ({ name: `${name}.z.example`, type: 'A', ttlSeconds: 1, data: '192.0.2.1' })),
    }),
  )

  it('which name answers for another: as RFC 4592 says', () => {
    fc.assert(
      fc.property(someZone, relative, (zone, asked) => {
        const owners = zone.records.map(({ name }) => name)
        const name = `${asked}.z.example`
        const exists = (each: string) =>
          each === 'z.example' || owners.some((owner) => owner === each || owner.endsWith(`.${each}`))
        const above = [...name.matchAll(/\./g)].map(({ index }) => name.slice(index + 1))
        const encloser = above.find(exists)!
        const source = exists(name) ? name : exists(`*.${encloser}`) ? `*.${encloser}` : null
        const answer = answerFrom(indexZone(zone, ['ns.example']), { name: wireName(name), type: types.A })
        expect(answer.rcode).to.equal(source === null ? 3 : 0)
        expect(answer.answers.map(({ owner }) => nameText(owner))).to.deep.equal(
          owners.includes(source ?? '') ? [name] : [],
        )
        expect(answer.authorities.length).to.equal(owners.includes(source ?? '') ? 0 : 1)
      }),
      { numRuns: 500 * rounds },
    )
  })

  const owner = fc
    .array(fc.constantFrom('a', 'bb', 'ccc', 'zone', 'example', 'x'.repeat(63)), { minLength: 1, maxLength: 3 })
    .map((labels) => wireName(labels.join('.')))
  const set = fc.record({
    owner,
    texts: fc.array(fc.uint8Array({ minLength: 1, maxLength: 200 }), { minLength: 1, maxLength: 3 }),
    mx: owner,
  })
  it('dns-packet reads what is written, whole or truncated', () => {
    fc.assert(
      fc.property(fc.array(set, { maxLength: 12 }), fc.integer({ min: 512, max: 4_000 }), (sets, limit) => {
        const answers: RrSet[] = sets.flatMap(({ owner: at, texts, mx }) => [
          {
            owner: at,
            type: types.TXT,
            ttlSeconds: 7,
            values: texts.map((text) => [Buffer.from([text.length, ...text])]),
            targets: [],
          },
          { owner: at, type: types.MX, ttlSeconds: 7, values: [[numbers(5), mx]], targets: [] },
        ])
        const bytes = writeReply(
          {
            id: 1,
            flags: 0,
            rcode: 0,
            question: { name: wireName('zone.example'), bytes: question('zone.example', 1).subarray(12) },
            answers,
            edns: null,
          },
          limit,
        )
        expect(bytes.length).to.be.at.most(limit)
        const { answers: read = [], flag_tc } = decode(bytes)
        const expected = sets.flatMap(({ owner: at, texts, mx }) => [
          ...texts.map((text) => [nameText(at), [Buffer.from(text)]]),
          [nameText(at), { preference: 5, exchange: nameText(mx) }],
        ])
        const found = read.map((record) => [record.name, 'data' in record && record.data])
        expect(found).to.deep.equal(flag_tc ? [] : expected)
      }),
      { numRuns: 300 * rounds },
    )
  })
})
