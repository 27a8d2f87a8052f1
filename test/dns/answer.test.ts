import { expect } from 'chai'
import { nameText, wireName } from '../../core/zones/names.ts'
import { answerFrom } from '../../dns/answer.ts'
import { types } from '../../dns/codes.ts'
import { indexZone, type RrSet } from '../../dns/zone-index.ts'
import { oddZone } from './zones.ts'

type TypeName = keyof typeof types

const zone = indexZone(oddZone, ['ns1.mail.example', 'ns2.zone.example'])

/** A record as `name TYPE value`: names as text, other values as their number of bytes. */
function told(sets: readonly RrSet[]): string[] {
  return sets.flatMap(({ owner, type, values }) =>
    values.map((value) => {
      const name = Object.entries(types).find(([, number]) => number === type)?.[0]
      const parts = value.map((part) => (typeof part === 'string' ? nameText(part) : plain(name, part)))
      return `${nameText(owner)} ${name} ${parts.join(' ')}`
    }),
  )
}

function plain(type: string | undefined, bytes: Buffer): string {
  if (type === 'A') return bytes.join('.')
  if (type === 'MX') return String(bytes.readUInt16BE(0))
  return `${bytes.length} bytes`
}

const soa = 'zone.example SOA ns1.mail.example postmaster.zone.example 20 bytes'
type Case = readonly [
  name: string,
  type: TypeName,
  rcode: 'NOERROR' | 'NXDOMAIN',
  answers: readonly string[],
  authorities?: readonly string[],
  additionals?: readonly string[],
]

const cases: Readonly<Record<string, readonly Case[]>> = {
  'what is there': [
    ['www.zone.example', 'A', 'NOERROR', ['www.zone.example A 192.0.2.1', 'www.zone.example A 192.0.2.2']],
    ['zone.example', 'SOA', 'NOERROR', [soa]],
    [
      'zone.example',
      'NS',
      'NOERROR',
      ['zone.example NS ns1.mail.example', 'zone.example NS ns2.zone.example'],
      [],
      ['ns2.zone.example A 192.0.2.53'],
    ],
    [
      'zone.example',
      'MX',
      'NOERROR',
      ['zone.example MX 10 mx.zone.example', 'zone.example MX 20 mx.elsewhere.example'],
      [],
      ['mx.zone.example A 192.0.2.25', 'mx.zone.example AAAA 16 bytes'],
    ],
    [
      '_imaps._tcp.zone.example',
      'SRV',
      'NOERROR',
      ['_imaps._tcp.zone.example SRV 23 bytes'],
      [],
      ['mx.zone.example A 192.0.2.25', 'mx.zone.example AAAA 16 bytes'],
    ],
    ['zone.example', 'CAA', 'NOERROR', ['zone.example CAA 22 bytes']],
    ['long.zone.example', 'TXT', 'NOERROR', ['long.zone.example TXT 603 bytes']],
    ['twice.zone.example', 'A', 'NOERROR', ['twice.zone.example A 192.0.2.9']],
  ],
  'what is absent (RFC 2308)': [
    ['www.zone.example', 'MX', 'NOERROR', [], [soa]],
    ['nothing.zone.example', 'A', 'NXDOMAIN', [], [soa]],
    ['below.www.zone.example', 'A', 'NXDOMAIN', [], [soa]],
    ['zone.example', 'A', 'NOERROR', [], [soa]],
    ['zone.example', 'DS', 'NOERROR', [], [soa]],
    ['zone.example', 'CNAME', 'NOERROR', [], [soa]],
  ],
  'empty non-terminals (RFC 4592 2.2.2)': [
    ['_tcp.zone.example', 'A', 'NOERROR', [], [soa]],
    ['b.c.zone.example', 'TXT', 'NOERROR', [], [soa]],
    ['c.zone.example', 'ANY', 'NOERROR', [], [soa]],
    ['x.c.zone.example', 'A', 'NXDOMAIN', [], [soa]],
  ],
  'wildcards (RFC 4592)': [
    ['any.wild.zone.example', 'A', 'NOERROR', ['any.wild.zone.example A 192.0.2.7']],
    ['any.deep.wild.zone.example', 'A', 'NOERROR', ['any.deep.wild.zone.example A 192.0.2.7']],
    ['any.wild.zone.example', 'MX', 'NOERROR', [], [soa]],
    ['*.wild.zone.example', 'A', 'NOERROR', ['*.wild.zone.example A 192.0.2.7']],
    ['wild.zone.example', 'A', 'NOERROR', [], [soa]],
    // The wildcard covers neither a name that exists nor names below it.
    ['host.wild.zone.example', 'A', 'NOERROR', [], [soa]],
    ['below.host.wild.zone.example', 'A', 'NXDOMAIN', [], [soa]],
    // Nor is an empty non-terminal.
    ['empty.wild.zone.example', 'A', 'NOERROR', [], [soa]],
    ['other.empty.wild.zone.example', 'A', 'NXDOMAIN', [], [soa]],
    [
      'any.alias.zone.example',
      'A',
      'NOERROR',
      ['any.alias.zone.example CNAME www.zone.example', 'www.zone.example A 192.0.2.1', 'www.zone.example A 192.0.2.2'],
    ],
  ],
  aliases: [
    [
      'one.zone.example',
      'A',
      'NOERROR',
      [
        'one.zone.example CNAME two.zone.example',
        'two.zone.example CNAME www.zone.example',
        'www.zone.example A 192.0.2.1',
        'www.zone.example A 192.0.2.2',
      ],
    ],
    ['one.zone.example', 'CNAME', 'NOERROR', ['one.zone.example CNAME two.zone.example']],
    ['one.zone.example', 'ANY', 'NOERROR', ['one.zone.example CNAME two.zone.example']],
    [
      'one.zone.example',
      'MX',
      'NOERROR',
      ['one.zone.example CNAME two.zone.example', 'two.zone.example CNAME www.zone.example'],
      [soa],
    ],
    ['outside.zone.example', 'A', 'NOERROR', ['outside.zone.example CNAME www.elsewhere.example']],
    ['dangling.zone.example', 'A', 'NXDOMAIN', ['dangling.zone.example CNAME nothing.zone.example'], [soa]],
    ['self.zone.example', 'A', 'NOERROR', ['self.zone.example CNAME self.zone.example']],
    [
      'loop1.zone.example',
      'A',
      'NOERROR',
      ['loop1.zone.example CNAME loop2.zone.example', 'loop2.zone.example CNAME loop1.zone.example'],
    ],
    [
      'chain0.zone.example',
      'A',
      'NOERROR',
      [...Array(8).keys()].map((n) => `chain${n}.zone.example CNAME chain${n + 1}.zone.example`),
    ],
    ['below.one.zone.example', 'A', 'NXDOMAIN', [], [soa]],
    [
      'to-cut.zone.example',
      'A',
      'NOERROR',
      ['to-cut.zone.example CNAME www.sub.zone.example'],
      ['sub.zone.example NS ns.sub.zone.example', 'sub.zone.example NS ns.elsewhere.example'],
      ['ns.sub.zone.example A 192.0.2.54'],
    ],
  ],
  delegations: [
    ...(['www.sub.zone.example', 'sub.zone.example', 'ns.sub.zone.example', 'a.b.sub.zone.example'] as const).map(
      (name): Case => [
        name,
        'A',
        'NOERROR',
        [],
        ['sub.zone.example NS ns.sub.zone.example', 'sub.zone.example NS ns.elsewhere.example'],
        ['ns.sub.zone.example A 192.0.2.54'],
      ],
    ),
    ['sub.zone.example', 'DS', 'NOERROR', [], [soa]],
    [
      'deeper.sub.zone.example',
      'DS',
      'NOERROR',
      [],
      ['sub.zone.example NS ns.sub.zone.example', 'sub.zone.example NS ns.elsewhere.example'],
      ['ns.sub.zone.example A 192.0.2.54'],
    ],
  ],
  'everything (RFC 8482)': [
    ['www.zone.example', 'ANY', 'NOERROR', ['www.zone.example A 192.0.2.1', 'www.zone.example A 192.0.2.2']],
    ['mx.zone.example', 'ANY', 'NOERROR', ['mx.zone.example A 192.0.2.25']],
    ['nothing.zone.example', 'ANY', 'NXDOMAIN', [], [soa]],
  ],
}

describe('answers of a zone', () => {
  for (const [group, rows] of Object.entries(cases))
    describe(group, () => {
      for (const [name, type, rcode, answers, authorities = [], additionals = []] of rows)
        it(`${name} ${type}: ${rcode}, ${answers.length} records`, () => {
          const answer = answerFrom(zone, { name: wireName(name), type: types[type] })
          expect(told(answer.answers)).to.deep.equal(answers)
          expect(told(answer.authorities)).to.deep.equal(authorities)
          expect(told(answer.additionals)).to.deep.equal(additionals)
          expect(answer.rcode).to.equal(rcode === 'NOERROR' ? 0 : 3)
          expect(answer.isAuthoritative).to.equal(answer.kind !== 'referral' || answers.length > 0)
        })
    })

  it('an absence is remembered for a short time, the SOA itself longer', () => {
    expect(answerFrom(zone, { name: zone.origin, type: types.A }).authorities[0]?.ttlSeconds).to.equal(300)
    expect(answerFrom(zone, { name: zone.origin, type: types.SOA }).answers[0]?.ttlSeconds).to.equal(3_600)
  })

  it('a set has the shortest of its TTLs (RFC 2181 5.2)', () => {
    const [set] = answerFrom(zone, { name: wireName('twice.zone.example'), type: types.A }).answers
    expect(set?.ttlSeconds).to.equal(60)
  })
})
