import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { nameText, readName, type WireName, wireName } from '../../core/zones/names.ts'
import { keyOf, singleKey, type ZoneKey, zoneKeyText } from '../../core/zones/zone-keys.ts'
import { answerFrom } from '../../dns/answer.ts'
import { types } from '../../dns/codes.ts'
import { createSigner, dsAnswer, madeAnswer, serialAhead, signedAnswer, signedSets } from '../../dns/dnssec.ts'
import { writeReply } from '../../dns/message.ts'
import { indexZone, type RrSet } from '../../dns/zone-index.ts'
import { isSignedBy, wireRecords } from '../peers/signed-records.ts'
import { oddZone } from './zones.ts'

const now = new Date('2026-11-22T12:00:00Z')
const key = keyOf(oddZone.origin, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
const zone = indexZone(oddZone, ['ns1.mail.example'], singleKey(key))
const signatures = new Map<string, RrSet>()
const signer = createSigner({ origin: zone.origin, keys: singleKey(key), version: '1', signatures, now: () => now })

/** The answer over TCP to a resolver that asks for signatures. */
function asked(name: string | WireName, type: number, compactOk = false) {
  const question = { name: name.endsWith('\0') ? name : wireName(name), type }
  const plain = answerFrom(zone, question)
  const answer = signedAnswer(zone, signer, madeAnswer(zone, signer, plain, question) ?? plain, { compactOk })
  const { answers, authorities, additionals, rcode } = answer
  const sections = { answers, authorities, additionals }
  const bytes = writeReply({ id: 1, flags: 0, rcode, question: null, edns: null, ...sections }, 65_535)
  return { bytes, rcode, kind: answer.kind }
}

/** The sets of an answer that have a valid signature (RFC 4035 5.3), as `name TYPE`; throws if a signature is wrong. */
function validated(bytes: Buffer, by: ZoneKey = key): string[] {
  const records = wireRecords(bytes)
  return records
    .filter(({ type }) => type === types.RRSIG)
    .map(({ owner, data, section }) => {
      const type = data.readUInt16BE(0)
      const covered = records.filter((each) => each.type === type && each.owner === owner && each.section === section)
      if (covered.length === 0 || !isSignedBy(covered, data, { zone: zone.origin, dnskey: by.dnskey, at: now }))
        throw new Error(`The signature of ${nameText(owner)} ${type} is wrong.`)
      return `${nameText(owner)} ${nameOf(type)}`
    })
}

const nameOf = (type: number) => Object.entries(types).find(([, number]) => number === type)?.[0] ?? type

/** The content of an NSEC record: the next name, and the types. */
function denials(bytes: Buffer): string[] {
  return wireRecords(bytes)
    .filter(({ type }) => type === types.NSEC)
    .map(({ owner, data }) => {
      const next = readName(data, 0)!
      const there: (string | number)[] = []
      for (let at = next.end; at < data.length; at += 2 + data[at + 1]!)
        for (let bit = 0; bit < data[at + 1]! * 8; bit += 1)
          if ((data[at + 2 + (bit >> 3)]! & (0x80 >> (bit & 7))) !== 0) there.push(nameOf(data[at]! * 256 + bit))
      return `${nameText(owner)} to ${nameText(next.name)}: ${there.join(' ')}`
    })
}

describe('DNSSEC', () => {
  describe('the key', () => {
    it('makes the records of RFC 6605 6.1', () => {
      const d = Buffer.from('GU6SnQ/Ou+xC5RumuIUIuJZteXT2z0O/ok1s38Et6mQ=', 'base64')
      const point = Buffer.from(
        'GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
        'base64',
      )
      const [x, y] = [point.subarray(0, 32), point.subarray(32)].map((half) => half.toString('base64url'))
      const jwk = { kty: 'EC', crv: 'P-256', d: d.toString('base64url'), x: x!, y: y! }
      const text = zoneKeyText(keyOf('example.net', createPrivateKey({ key: jwk, format: 'jwk' })))
      expect(text).to.deep.equal({
        ds: '55648 13 2 B4C8C1FE2E7477127B27115656AD6256F424625BF5C1E2770CE6D6E37DF61D17',
        dnskey: '257 3 13 GojIhhXUN/u4v54ZQqGSnyhWJwaubCvTmeexv7bR6edbkrSqQpF64cYbcB7wNcP+e+MAnLr+Wi9xMWyQLc8NAA==',
      })
    })
  })

  const soa = 'zone.example SOA'
  const cases: readonly (readonly [
    name: string,
    type: keyof typeof types,
    signed: readonly string[],
    denied?: readonly string[],
  ])[] = [
    ['www.zone.example', 'A', ['www.zone.example A']],
    ['zone.example', 'SOA', [soa]],
    ['zone.example', 'DNSKEY', ['zone.example DNSKEY']],
    ['zone.example', 'CDS', ['zone.example CDS']],
    ['zone.example', 'CDNSKEY', ['zone.example CDNSKEY']],
    ['zone.example', 'NS', ['zone.example NS']],
    ['zone.example', 'MX', ['zone.example MX']],
    ['_imaps._tcp.zone.example', 'SRV', ['_imaps._tcp.zone.example SRV']],
    ['long.zone.example', 'TXT', ['long.zone.example TXT']],
    ['www.zone.example', 'ANY', ['www.zone.example A']],
    ['one.zone.example', 'A', ['one.zone.example CNAME', 'two.zone.example CNAME', 'www.zone.example A']],
    // A wildcard answers as if the name existed (RFC 9824 3.3).
    ['any.wild.zone.example', 'A', ['any.wild.zone.example A']],
    ['a.b.wild.zone.example', 'A', ['a.b.wild.zone.example A']],
    ['*.wild.zone.example', 'A', ['*.wild.zone.example A']],
    [
      'any.wild.zone.example',
      'MX',
      [soa, 'any.wild.zone.example NSEC'],
      ['any.wild.zone.example to \\000.any.wild.zone.example: A RRSIG NSEC'],
    ],
    [
      'www.zone.example',
      'MX',
      [soa, 'www.zone.example NSEC'],
      ['www.zone.example to \\000.www.zone.example: A RRSIG NSEC'],
    ],
    [
      'zone.example',
      'A',
      [soa, 'zone.example NSEC'],
      ['zone.example to \\000.zone.example: NS SOA MX TXT RRSIG NSEC DNSKEY CDS CDNSKEY CAA'],
    ],
    ['c.zone.example', 'A', [soa, 'c.zone.example NSEC'], ['c.zone.example to \\000.c.zone.example: RRSIG NSEC']],
    [
      'nothing.zone.example',
      'A',
      [soa, 'nothing.zone.example NSEC'],
      ['nothing.zone.example to \\000.nothing.zone.example: RRSIG NSEC NXNAME'],
    ],
    [
      'dangling.zone.example',
      'A',
      ['dangling.zone.example CNAME', soa, 'nothing.zone.example NSEC'],
      ['nothing.zone.example to \\000.nothing.zone.example: RRSIG NSEC NXNAME'],
    ],
    // Names below a delegation are not ours to sign; the proof that the delegation itself is unsigned is signed (RFC 9824 3.4).
    [
      'www.sub.zone.example',
      'A',
      ['sub.zone.example NSEC'],
      ['sub.zone.example to sub\\000.zone.example: NS RRSIG NSEC'],
    ],
    [
      'sub.zone.example',
      'DS',
      [soa, 'sub.zone.example NSEC'],
      ['sub.zone.example to sub\\000.zone.example: NS RRSIG NSEC'],
    ],
    [
      'www.zone.example',
      'NSEC',
      ['www.zone.example NSEC'],
      ['www.zone.example to \\000.www.zone.example: A RRSIG NSEC'],
    ],
    ['c.zone.example', 'NSEC', ['c.zone.example NSEC'], ['c.zone.example to \\000.c.zone.example: RRSIG NSEC']],
  ]
  for (const [name, type, signed, denied = []] of cases)
    it(`${name} ${type}: signed`, () => {
      const { bytes } = asked(name, types[type])
      expect(validated(bytes)).to.deep.equal(signed)
      expect(denials(bytes)).to.deep.equal(denied)
    })

  it('a question for signatures gets those of one set', () => {
    const types_ = (name: string) => wireRecords(asked(name, types.RRSIG).bytes).map(({ type }) => nameOf(type))
    expect(types_('zone.example')).to.deep.equal(['RRSIG'])
    expect(types_('c.zone.example')).to.deep.equal(['RRSIG'])
  })
  it('signatures are right whatever their numbers are: with a zero in front, or short', () => {
    for (let n = 0; n < 600; n += 1) expect(validated(asked(`n${n}.zone.example`, types.A).bytes)).to.have.length(2)
  })
  it('an absent name is NOERROR, or NXDOMAIN for a client with compact OK (RFC 9824 5.1)', () => {
    expect(asked('nothing.zone.example', types.A).rcode).to.equal(0)
    expect(asked('nothing.zone.example', types.A, true).rcode).to.equal(3)
    expect(asked('www.zone.example', types.MX, true).rcode).to.equal(0)
  })
  it('a set is signed once, a denial each time', () => {
    const signatureIn = (name: string) =>
      wireRecords(asked(name, types.A).bytes).find(({ type }) => type === types.RRSIG)!.data
    expect(signatureIn('www.zone.example')).to.deep.equal(signatureIn('www.zone.example'))
    const before = signatures.size
    asked('some.other.zone.example', types.A)
    expect(signatures.size - before).to.be.at.most(1)
  })
  it('the parent zone answers with the DS of the zone below it', () => {
    const { answers } = dsAnswer(
      zone,
      indexZone({ ...oddZone, origin: 'below.zone.example', records: [] }, ['ns1.mail.example'], singleKey(key)),
      signer,
    )
    expect(answers.map(({ type, values }) => [nameOf(type), values])).to.deep.equal([['DS', [[key.ds]]]])
  })
  it('the serial of a signed zone rises with the time', () => {
    expect(serialAhead(new Date(now.getTime() + 3 * 86_400_000)) - serialAhead(now)).to.equal(1)
  })

  /** Canonical order (RFC 4034 6.1) by the bytes of the labels from the last one on. */
  const order = (name: string) => {
    const labels: string[] = []
    for (let at = 0; name.charCodeAt(at) !== 0; at += 1 + name.charCodeAt(at))
      labels.unshift(
        name.slice(at + 1, at + 1 + name.charCodeAt(at)).replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
      )
    return labels
      .map((label) => `${[...label].map((byte) => (byte < '\x02' ? `\x01${byte}` : byte)).join('')}\0`)
      .join('')
  }
  const label = fc.uint8Array({ minLength: 1, maxLength: 63 }).map((bytes) => {
    const text = Buffer.from(bytes)
      .toString('latin1')
      .replace(/[A-Z]/g, (letter) => letter.toLowerCase())
    return String.fromCharCode(text.length) + text
  })
  const below = fc
    .array(label, { minLength: 1, maxLength: 6 })
    .map((labels) => labels.join('') + zone.origin)
    .filter((name) => name.length <= 255)

  it('a denial covers its own name and no name of the zone, whatever is asked', () => {
    const names = [...zone.nodes.keys()]
    fc.assert(
      fc.property(below, (name) => {
        const { bytes, kind } = asked(name, types.A)
        if (kind !== 'no such name') return
        const [record] = wireRecords(bytes).filter(({ type }) => type === types.NSEC)
        const next = readName(record!.data, 0)!
        expect(next.name.length).to.be.at.most(255)
        expect(record!.owner).to.equal(name)
        expect(order(next.name) > order(name), `${nameText(next.name)} after ${nameText(name)}`).to.equal(true)
        const covered = names.filter((each) => order(each) > order(name) && order(each) < order(next.name))
        expect(covered.map(nameText)).to.deep.equal([])
      }),
    )
  })
  for (const last of ['a', '\xff', '@', 'z'])
    it(`a name of 255 bytes of ${nameText(`\x01${last}\0`)} too`, () => {
      const longest = `\x3f${last.repeat(63)}\x3f${'b'.repeat(63)}\x3f${'c'.repeat(63)}`
      const rest = 255 - longest.length - zone.origin.length
      const name = `${longest}${String.fromCharCode(rest - 1)}${'d'.repeat(rest - 1)}${zone.origin}`
      const { bytes } = asked(name, types.A)
      const next = readName(wireRecords(bytes).find(({ type }) => type === types.NSEC)!.data, 0)!.name
      expect(next.length).to.be.at.most(255)
      expect(next === zone.origin || order(next) > order(name), nameText(next)).to.equal(true)
    })

  it('a transfer brings signatures, and a chain from each name to the next', () => {
    const sets = [...signedSets(zone, signer)]
    const bytes = writeReply({ id: 1, flags: 0, rcode: 0, question: null, edns: null, answers: sets }, 65_535)
    const signed = validated(bytes)
    expect(signed).to.include.members([soa, 'www.zone.example A', '*.wild.zone.example A', 'sub.zone.example NSEC'])
    expect(signed).to.not.include.members(['sub.zone.example NS'])
    expect(signed.filter((each) => /(ns|deeper)\.sub/.test(each))).to.deep.equal([])
    const chain = wireRecords(bytes).filter(({ type }) => type === types.NSEC)
    const nexts = chain.map(({ data }) => readName(data, 0)!.name)
    expect(nexts).to.deep.equal([...chain.slice(1).map(({ owner }) => owner), zone.origin])
    for (const [n, { owner }] of chain.entries())
      if (n > 0) expect(order(owner) > order(chain[n - 1]!.owner)).to.equal(true)
  })
})
