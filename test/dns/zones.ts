/** Zones for tests. */
import type { Zone } from '../../core/zones/served-zones.ts'

/** The zone for unusual questions. */
export const oddZone: Zone = {
  origin: 'zone.example',
  accountId: 'acc_1',
  serial: 2_026_112_201,
  records: [
    ...(['192.0.2.1', '192.0.2.2'] as const).map((data) => ({ name: 'www', type: 'A' as const, data })),
    { name: '@', type: 'MX' as const, data: { preference: 10, exchange: 'mx.zone.example' } },
    { name: '@', type: 'MX' as const, data: { preference: 20, exchange: 'mx.elsewhere.example' } },
    { name: '@', type: 'TXT' as const, data: [Buffer.from('v=spf1 mx -all')] },
    { name: '@', type: 'CAA' as const, data: { flags: 0, tag: 'issue' as const, value: 'letsencrypt.org' } },
    { name: 'mx', type: 'A' as const, data: '192.0.2.25' },
    { name: 'mx', type: 'AAAA' as const, data: '2001:db8::25' },
    { name: 'ns2', type: 'A' as const, data: '192.0.2.53' },
    {
      name: '_imaps._tcp',
      type: 'SRV' as const,
      data: { priority: 0, weight: 1, port: 993, target: 'mx.zone.example' },
    },
    { name: 'long', type: 'TXT' as const, data: [255, 255, 90].map((length) => Buffer.alloc(length, 'x')) },
    { name: 'a.b.c', type: 'A' as const, data: '192.0.2.3' },
    { name: '*.wild', type: 'A' as const, data: '192.0.2.7' },
    { name: 'host.wild', type: 'TXT' as const, data: [Buffer.from('host')] },
    { name: 'a.empty.wild', type: 'TXT' as const, data: [Buffer.from('a')] },
    { name: '*.alias', type: 'CNAME' as const, data: 'www.zone.example' },
    { name: 'one', type: 'CNAME' as const, data: 'two.zone.example' },
    { name: 'two', type: 'CNAME' as const, data: 'www.zone.example' },
    { name: 'outside', type: 'CNAME' as const, data: 'www.elsewhere.example' },
    { name: 'dangling', type: 'CNAME' as const, data: 'nothing.zone.example' },
    { name: 'self', type: 'CNAME' as const, data: 'self.zone.example' },
    { name: 'loop1', type: 'CNAME' as const, data: 'loop2.zone.example' },
    { name: 'loop2', type: 'CNAME' as const, data: 'loop1.zone.example' },
    ...[...Array(12).keys()].map((n) => ({
      name: `chain${n}`,
      type: 'CNAME' as const,
      data: `chain${n + 1}.zone.example`,
    })),
    { name: 'to-cut', type: 'CNAME' as const, data: 'www.sub.zone.example' },
    { name: 'sub', type: 'NS' as const, data: 'ns.sub.zone.example' },
    { name: 'sub', type: 'NS' as const, data: 'ns.elsewhere.example' },
    { name: 'ns.sub', type: 'A' as const, data: '192.0.2.54' },
    { name: 'deeper.sub', type: 'NS' as const, data: 'ns.sub.zone.example' },
    { name: 'twice', type: 'A' as const, data: '192.0.2.9' },
    { name: 'twice', type: 'A' as const, data: '192.0.2.9', ttlSeconds: 60 },
  ].map(({ name, ...record }) => ({
    ttlSeconds: 300,
    ...record,
    name: name === '@' ? 'zone.example' : `${name}.zone.example`,
  })),
}

const address = (name: string, n: number) => ({
  name,
  type: 'A' as const,
  ttlSeconds: 300,
  data: `10.0.${n >> 8}.${n & 255}`,
})
const range = (count: number) => [...Array(count).keys()]

/** A zone whose answers are large. */
export const manyRecords: Zone = {
  origin: 'many.example',
  accountId: 'acc_1',
  serial: 1,
  records: [
    ...range(50).map((n) => address('fifty.many.example', n)),
    ...range(1_000).map((n) => address('all.many.example', n)),
    ...range(10).flatMap((n) => [
      {
        name: 'many.example',
        type: 'MX' as const,
        ttlSeconds: 300,
        data: { preference: n, exchange: `mx${n}.many.example` },
      },
      address(`mx${n}.many.example`, n),
      address(`mx${n}.many.example`, 100 + n),
    ]),
    ...range(13).flatMap((n) => [
      {
        name: 'cut.many.example',
        type: 'NS' as const,
        ttlSeconds: 300,
        data: `a-server-with-a-long-name-${n}.cut.many.example`,
      },
      address(`a-server-with-a-long-name-${n}.cut.many.example`, n),
    ]),
  ],
}
