import { expect } from 'chai'
import { encode } from 'dns-packet'
import { absolute, criticalIn, type RecordInZone } from '../../../core/zones/mail-critical.ts'
import { type RecordType, readContent, servedRecord } from '../../../core/zones/record-types.ts'
import { requireFits } from '../../../core/zones/zone-rules.ts'
import { Failure } from '../../../schemas/failures.ts'

const refusalOf = (act: () => unknown): string | null => {
  try {
    act()
    return null
  } catch (error) {
    if (error instanceof Failure) return `${error.code}: ${error.message} ${error.fix}`
    throw error
  }
}

describe('DNS records', () => {
  const read: readonly [string, RecordType, string, string | null, number | null][] = [
    ['an IPv4 address', 'A', '192.0.2.1', '192.0.2.1', null],
    ['an address with leading zeros', 'A', '192.0.02.1', null, null],
    ['a host for an address', 'A', 'www.example.net', null, null],
    ['an IPv6 address for A', 'A', '2001:db8::1', null, null],
    ['an IPv6 address, shortened', 'AAAA', '2001:DB8:0:0:0:0:0:1', '2001:db8::1', null],
    ['an IPv6 address of a link', 'AAAA', 'fe80::1%eth0', null, null],
    ['an IPv4 address for AAAA', 'AAAA', '192.0.2.1', null, null],
    ['a host with a final dot, in capitals', 'CNAME', 'WWW.Example.Net.', 'www.example.net', null],
    ['a host of another script', 'CNAME', 'bücher.example', 'xn--bcher-kva.example', null],
    ['a host below an underscore', 'CNAME', 's1._domainkey.example.net', 's1._domainkey.example.net', null],
    ['a host with a line break', 'CNAME', 'www.exam\nple.net', null, null],
    ['a host with a tab', 'CNAME', 'www.exam\tple.net', null, null],
    ['a host of another script with a path', 'CNAME', 'www.bücher/x', null, null],
    ['a host of another script with a percent sign', 'CNAME', 'www.b%c3%bccher-ü.example', null, null],
    ['one label', 'CNAME', 'www', null, null],
    ['an address for a CNAME', 'CNAME', '192.0.2.1', null, null],
    ['a URL for a CNAME', 'CNAME', 'https://example.net', null, null],
    ['a name server', 'NS', 'ns1.example.net', 'ns1.example.net', null],
    ['a name server with an underscore', 'NS', '_ns.example.net', null, null],
    ['a mail server', 'MX', 'mx.example.net', 'mx.example.net', 10],
    ['a mail server with its priority in front', 'MX', '5 mx.example.net.', 'mx.example.net', 5],
    ['a priority that is too high', 'MX', '65536 mx.example.net', null, null],
    ['a mail server by its address', 'MX', '10 192.0.2.1', null, null],
    ['no mail at all', 'MX', '0 .', '.', 0],
    ['a text', 'TXT', 'v=spf1 -all', 'v=spf1 -all', null],
    ['a text in quotes', 'TXT', '"v=spf1 -all"', 'v=spf1 -all', null],
    ['a text in pieces', 'TXT', '"v=DKIM1; p=AAAA" "BBBB"', 'v=DKIM1; p=AAAABBBB', null],
    ['a text with quotes in it', 'TXT', 'say "hello" twice', 'say "hello" twice', null],
    ['a text in quotes with escapes', 'TXT', '"a \\"b\\" c\\;"', 'a "b" c;', null],
    ['a text with escaped semicolons', 'TXT', 'v=DKIM1\\; k=rsa\\; p=AAAA', null, null],
    ['a text of many bytes', 'TXT', 'x'.repeat(4_000), 'x'.repeat(4_000), null],
    ['a text of too many bytes', 'TXT', 'é'.repeat(2_001), null, null],
    ['a text with a line break', 'TXT', 'a\nb', null, null],
    ['a service', 'SRV', '5 443 www.example.net', '5 443 www.example.net', 0],
    ['a service with its priority in front', 'SRV', '10 5 443 www.example.net.', '5 443 www.example.net', 10],
    ['no such service', 'SRV', '0 0 0 .', '0 0 .', 0],
    ['a service without a port', 'SRV', '5 www.example.net', null, null],
    ['a service at port 65536', 'SRV', '0 65536 www.example.net', null, null],
    ['who may issue certificates', 'CAA', '0 issue "letsencrypt.org"', '0 issue "letsencrypt.org"', null],
    ['who may, without quotes', 'CAA', '0 ISSUE letsencrypt.org', '0 issue "letsencrypt.org"', null],
    ['that nobody may', 'CAA', '0 issue ";"', '0 issue ";"', null],
    [
      'who may, for one account',
      'CAA',
      '128 issue "ca.example; accounturi=https://ca.example/1"',
      '128 issue "ca.example; accounturi=https://ca.example/1"',
      null,
    ],
    ['where to report to', 'CAA', '0 iodef "mailto:a@example.net"', '0 iodef "mailto:a@example.net"', null],
    ['a report to nowhere', 'CAA', '0 iodef "example.net"', null, null],
    ['an unknown tag', 'CAA', '0 issues "ca.example"', null, null],
    ['unknown flags', 'CAA', '1 issue "ca.example"', null, null],
  ]
  for (const [name, type, value, canonical, priority] of read)
    it(`of the type ${type} ${canonical === null ? 'refuse' : 'accept'} ${name}`, () => {
      const given = { type, value }
      if (canonical === null) expect(refusalOf(() => readContent(type, given))).to.match(/^validation_error/)
      else expect(readContent(type, given)).to.deep.equal({ value: canonical, priority })
    })

  it('have a priority if their type has one', () => {
    expect(readContent('MX', { value: 'mx.example.net', priority: 7 }).priority).to.equal(7)
    expect(refusalOf(() => readContent('A', { value: '192.0.2.1', priority: 7 }))).to.include('has no priority')
  })

  it('are encoded for the wire, with long texts in strings of 255 bytes', () => {
    const base = {
      _id: 'rec_1',
      domain: 'example.org',
      accountId: null,
      ttlSeconds: 60,
      purpose: null,
      createdAt: new Date(0),
    }
    for (const [, type, given, canonical] of read) {
      if (canonical === null) continue
      const { ttlSeconds: ttl, ...record } = servedRecord('example.org', {
        ...base,
        name: 'www',
        type,
        ...readContent(type, { value: given }),
      })
      expect(record.name).to.equal('www.example.org')
      if (record.type === 'TXT') expect(record.data.every((each) => each.length <= 255)).to.equal(true)
      // The types of dns-packet know only three tags of CAA.
      expect(encode({ type: 'response', answers: [{ ttl, ...record } as never] }).length).to.be.above(20)
    }
    const { data } = servedRecord('example.org', {
      ...base,
      name: '@',
      type: 'TXT',
      value: 'x'.repeat(600),
      priority: null,
    })
    expect((data as readonly Buffer[]).map(({ length }) => length)).to.deep.equal([255, 255, 90])
  })

  /** Records as `name type value`; MX with priority 10. */
  const parsed = (text: string) => {
    const [name = '', type, ...value] = text.split(' ')
    return {
      name,
      type: type as RecordType,
      value: value.join(' '),
      priority: type === 'MX' ? 10 : type === 'SRV' ? 0 : null,
    }
  }
  const together: readonly [string, readonly string[], string, string | null][] = [
    ['two addresses', ['www A 192.0.2.1'], 'www A 192.0.2.2', null],
    ['the same twice', ['www A 192.0.2.1'], 'www A 192.0.2.1', 'already has this A record'],
    ['a CNAME beside an address', ['www A 192.0.2.1'], 'www CNAME example.net', 'has other records (A)'],
    [
      'an address beside a CNAME',
      ['www CNAME example.net'],
      'www A 192.0.2.1',
      'has a CNAME record, which must be the only record',
    ],
    ['two CNAMEs', ['www CNAME example.net'], 'www CNAME example.com', 'must be the only record'],
    ['a CNAME at the domain', [], '@ CNAME example.net', 'a CNAME cannot be there'],
    ['a CNAME at the domain', [], '@ CNAME example.net', ' Write A and AAAA records in place of the CNAME.'],
    ['NS at the domain', [], '@ NS ns1.example.net', 'name servers of example.org'],
    [
      'NS at the domain',
      [],
      '@ NS ns1.example.net',
      ' Change them at the registrar; NS records are only for names below',
    ],
    ['NS below it', [], 'sub NS ns1.example.net', null],
    ['NS of a wildcard', [], '* NS ns1.example.net', '*.example.org is a wildcard, and wildcards cannot be delegated'],
    ['NS of a wildcard below', [], '*.sub NS ns1.example.net', ' Write NS records for each name'],
    [
      'a record below a delegation',
      ['sub NS ns1.example.net'],
      'www.sub TXT hello',
      'is delegated to other name servers',
    ],
    ['the address of a name server below', ['sub NS ns1.sub.example.org'], 'ns1.sub A 192.0.2.1', null],
    [
      'a second SPF record',
      ['@ TXT v=spf1 -all'],
      '@ TXT v=spf1 ~all',
      'two SPF records, so receivers would use neither',
    ],
    ['SPF beside another text', ['@ TXT hello'], '@ TXT v=spf1 ~all', null],
    ['SPF of a host', ['@ TXT v=spf1 -all'], 'www TXT v=spf1 -all', null],
    ['a second DMARC record', ['_dmarc TXT v=DMARC1; p=none'], '_dmarc TXT v=DMARC1; p=reject', 'two DMARC records'],
    [
      'a second key of a selector',
      ['s1._domainkey TXT v=DKIM1; p=A'],
      's1._domainkey TXT v=DKIM1; p=B',
      'two keys of one DKIM selector',
    ],
    ['MX that names a CNAME', ['mail CNAME example.net'], '@ MX mail.example.org', 'must not name one'],
    [
      'a CNAME that MX names',
      ['@ MX mail.example.org'],
      'mail CNAME example.net',
      'MX, NS or SRV records name mail.example.org',
    ],
    [
      'a CNAME that SRV names',
      ['_sip._tcp SRV 0 5060 sip.example.org'],
      'sip CNAME example.net',
      'SRV records name sip.example.org',
    ],
    ['a CNAME to itself', [], 'www CNAME www.example.org', 'would lead back'],
    [
      'a CNAME in a circle',
      ['a CNAME b.example.org', 'b CNAME c.example.org'],
      'c CNAME a.example.org',
      'would lead back',
    ],
    ['a null MX beside others', ['@ MX mx.example.net'], '@ MX .', 'the only MX record'],
    ['another beside a null MX', ['@ MX .'], '@ MX mx.example.net', 'the only MX record'],
    ['SRV without service', [], 'www SRV 0 5060 sip.example.net', 'begins with service and protocol'],
    ['SRV of a host', [], '_sip._tcp.www SRV 0 5060 sip.example.net', null],
    ['SRV of all', [], '* SRV 0 5060 sip.example.net', null],
  ]
  for (const [name, others, record, words] of together)
    it(`${words === null ? 'can' : 'cannot'} exist together: ${name}`, () => {
      const zone = { origin: 'example.org', record: parsed(record), others: others.map(parsed) }
      const refusal = refusalOf(() => requireFits(zone))
      if (words === null) expect(refusal).to.equal(null)
      else expect(refusal).to.include(words)
    })

  const zone: readonly RecordInZone[] = [
    '@ MX mail.example.org',
    '@ TXT v=spf1 a:out.example.org include:spf.example.org redirect=last.example.org ~all',
    'sub TXT v=spf1 a -all',
    '_mailroom TXT mailroom-verification=x',
    's1._domainkey TXT v=DKIM1; p=A',
    's2._domainkey CNAME s2.keys.example.net',
    '_dmarc TXT v=DMARC1; p=none',
    '_mta-sts TXT v=STSv1; id=1',
    'mta-sts CNAME mx.example.net',
    '_smtp._tls TXT v=TLSRPTv1; rua=mailto:a@b.example',
    'mail A 192.0.2.1',
    'mail AAAA 2001:db8::1',
    'out CNAME relay.example.org',
    'relay A 192.0.2.2',
    'sub A 192.0.2.3',
    'spf TXT v=spf1 ip4:192.0.2.0/24 -all',
    'deep.sub MX mail.example.org',
    '@ A 192.0.2.9',
    '@ TXT google-site-verification=x',
    'www CNAME example.net',
    'mailer A 192.0.2.8',
    '_sip._tcp SRV 0 5060 sip.example.net',
    '@ CAA 0 issue "ca.example"',
    'shop NS ns1.example.net',
    'deep NS ns1.example.net',
  ].map(parsed)
  const harmless = ['@ A', '@ TXT google', 'www CNAME', 'mailer A', '_sip._tcp SRV', '@ CAA', 'shop NS', 'deep NS']
  for (const record of zone) {
    const text = `${record.name} ${record.type} ${record.value}`
    const isHarmless = harmless.some((each) => text.startsWith(each))
    it(`${isHarmless ? 'are not needed by mail' : 'are needed by mail'}: ${text}`, () => {
      const why = criticalIn({ origin: 'example.org', records: zone })(record)
      expect(why === null, why ?? '').to.equal(isHarmless)
    })
  }

  it('are needed by mail: a delegation above a record that mail needs', () => {
    const why = criticalIn({ origin: 'example.org', records: [...zone, parsed('sub NS ns1.example.net')] })
    expect(why(parsed('sub NS ns1.example.net'))).to.include('(NS)')
    expect(absolute('sub', 'example.org')).to.equal('sub.example.org')
  })
})
