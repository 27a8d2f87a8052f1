import { expect } from 'chai'
import { isWithin } from '../../core/zones/names.ts'
import { types } from '../../dns/codes.ts'
import { createCookies } from '../../dns/cookies.ts'
import type { Client, Serving } from '../../dns/exchange.ts'
import { createPackets, type KnownAnswer, plainQuestion } from '../../dns/packets.ts'
import { createRateLimit } from '../../dns/rate-limit.ts'
import { respond } from '../../dns/respond.ts'
import { indexZone } from '../../dns/zone-index.ts'
import { type QuestionOptions, question } from '../peers/dns-client.ts'
import { manyRecords, oddZone } from './zones.ts'

const { A, AAAA, MX, TXT, SOA, ANY, NS, DS } = types
const udp: Client = { address: '192.0.2.99', over: 'udp' }

describe('cached answers', () => {
  let now = new Date('2026-11-22T12:00:00Z')
  const indexed = () =>
    [oddZone, manyRecords].map((zone) => ({ ...indexZone(zone, ['ns1.mail.example']), signer: null }))

  function servingWith(answersPerSecond = 0) {
    const state = { zones: indexed(), kept: 0, found: 0 }
    const packets = createPackets({ now: () => now })
    const serving: Serving = {
      zoneOf: (name) => state.zones.find(({ origin }) => isWithin(name, origin)) ?? null,
      cookies: createCookies(
        () => now,
        () => Buffer.alloc(32, 1),
      ),
      rateLimit: createRateLimit(() => now, { answersPerSecond, networkPerSecond: 0, slip: 2, exempt: [] }),
      packets: {
        get(key) {
          const found = packets.get(key)
          if (found !== undefined) state.found += 1
          return found
        },
        set(key, answer) {
          state.kept += 1
          packets.set(key, answer)
        },
      },
      transferKeys: [],
      isSecondary: () => false,
      idleSeconds: 10,
      now: () => now,
    }
    const ask = (name: string, type: number, options?: QuestionOptions, client = udp) =>
      [...(respond(serving, question(name, type, options), client) as Iterable<Buffer>)][0]
    return { state, serving, ask }
  }

  const cases: readonly (readonly [string, string, number, QuestionOptions?])[] = [
    ['an address', 'www.zone.example', A],
    ['by EDNS', 'www.zone.example', A, { edns: {} }],
    ['with RD and CD', 'www.zone.example', A, { flags: 0x0110 }],
    ['for signatures that there are none of', 'www.zone.example', A, { edns: { flags: 0x8000 } }],
    ['an absent name', 'nothing.zone.example', A],
    ['an absent type', 'www.zone.example', AAAA],
    ['an alias', 'one.zone.example', A],
    ['a wildcard', 'any.wild.zone.example', A],
    ['a delegation', 'www.sub.zone.example', A],
    ['mail servers', 'many.example', MX, { edns: {} }],
    ['the apex', 'zone.example', SOA],
    ['everything', 'zone.example', ANY],
    ['what is cut', 'all.many.example', A],
    ['what is cut by EDNS', 'all.many.example', A, { edns: { udpBytes: 4_096 } }],
    ['a long text', 'long.zone.example', TXT, { edns: {} }],
  ]
  for (const [name, asked, type, options = {}] of cases)
    it(`${name}: with the id and the letters of each question, as if it were asked first`, () => {
      const { state, ask } = servingWith()
      ask(asked, type, { ...options, id: 1 })
      const letters = asked.replace(/[a-m]/g, (letter) => letter.toUpperCase())
      const again = ask(letters, type, { ...options, id: 0xbeef })
      expect([state.kept, state.found]).to.deep.equal([1, 1])
      expect(again).to.deep.equal(servingWith().ask(letters, type, { ...options, id: 0xbeef }))
    })

  it('differ by size limit, flags, type and EDNS', () => {
    const { state, ask } = servingWith()
    const edns = [{}, { udpBytes: 512 }, { udpBytes: 1_000 }, { flags: 0x8000 }, { version: 1 }]
    for (const options of [{}, { flags: 0x0100 }, ...edns.map((each) => ({ edns: each }))])
      for (const type of [A, NS]) {
        const expected = servingWith().ask('fifty.many.example', type, options)
        expect(ask('fifty.many.example', type, options)).to.deep.equal(expected)
      }
    expect(state.found).to.equal(0)
  })

  const others: readonly (readonly [string, number, QuestionOptions?, Client?])[] = [
    ['with a cookie', A, { edns: { options: [[10, Buffer.alloc(8, 1)]] } }],
    ['over TCP', A, {}, { ...udp, over: 'tcp' }],
    ['of a DS set, which two zones may know', DS],
    ['of another class', A, { class: 3 }],
  ]
  for (const [name, type, options, client] of others)
    it(`are none ${name}`, async () => {
      const { state, serving } = servingWith()
      for (const _ of [1, 2]) await respond(serving, question('www.zone.example', type, options), client ?? udp)
      expect([state.kept, state.found]).to.deep.equal([0, 0])
    })

  it('are not repeated once their zone has changed', () => {
    const { state, ask } = servingWith()
    const before = ask('www.zone.example', A)
    const record = { name: 'www.zone.example', type: 'A' as const, ttlSeconds: 300, data: '203.0.113.77' }
    state.zones = [{ ...indexZone({ ...oddZone, records: [record] }, ['ns1.mail.example']), signer: null }]
    const after = ask('www.zone.example', A)
    expect(after).to.not.deep.equal(before)
    expect(after!.includes(Buffer.from([203, 0, 113, 77]))).to.equal(true)
    state.zones = []
    expect(ask('www.zone.example', A)!.readUInt16BE(2) & 0xf, 'refused').to.equal(5)
  })

  it('are made anew after an hour, however often they were asked for, since signatures expire', () => {
    const { state, ask } = servingWith()
    for (let minutes = 0; minutes < 60; minutes += 1) {
      ask('www.zone.example', A)
      now = new Date(now.getTime() + 60_000)
    }
    expect(state.kept).to.equal(1)
    ask('www.zone.example', A)
    expect(state.kept).to.equal(2)
  })

  it('count for the rate limit as the first answer does', () => {
    const { ask } = servingWith(3)
    const outcome = () => {
      const bytes = ask('www.zone.example', A, { edns: {} })
      return bytes === undefined ? '.' : (bytes.readUInt16BE(2) & 0x0200) === 0 ? 'A' : 'T'
    }
    expect(Array.from({ length: 8 }, outcome).join('')).to.equal('AAA.T.T.')
    now = new Date(now.getTime() + 1_000)
    expect(outcome()).to.equal('A')
  })

  it('are kept in bounded memory', () => {
    const packets = createPackets({ now: () => now })
    const zone = indexed()[0]!
    const answer: KnownAnswer = { zone, name: zone.origin, subject: '', bytes: Buffer.alloc(1_232) }
    const count = 50_000
    for (let n = 0; n < count; n += 1) packets.set(`question ${n}`, answer)
    let kept = 0
    for (let n = 0; n < count; n += 1) if (packets.get(`question ${n}`) !== undefined) kept += 1
    expect(kept * answer.bytes.length).to.be.within(1024 * 1024, 16 * 1024 * 1024)
  })

  it('are of questions whose name has an end within it', () => {
    const good = question('www.zone.example', A)
    for (let end = 0; end < good.length; end += 1) expect(plainQuestion(good.subarray(0, end)), `${end}`).to.equal(null)
    expect(plainQuestion(question(Array(40).fill('a'.repeat(63)).join('.'), A))).to.equal(null)
  })
})
