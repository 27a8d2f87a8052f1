import { expect } from 'chai'
import { judge, type Seen } from '../../../core/domains/mistakes.ts'
import type { RecordToPublish } from '../../../core/domains/records-to-publish.ts'

const domain = 'example.com'
const key = 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAvury4seLGcfzlSijx0ZQ21Hee3dsdWyNRNulE2SGPJhhbsceV6H'
const text = (purpose: string, name: string, value: string): RecordToPublish => ({
  purpose,
  type: 'TXT',
  name,
  value,
  priority: null,
  required: true,
})
const records = {
  ownership: text('ownership', '_mailroom.example.com', 'mailroom-verification=abc123'),
  mx: { purpose: 'mx', type: 'MX', name: domain, value: 'mx.mail.test', priority: 10, required: true },
  spf: text('spf', domain, 'v=spf1 a:mx.mail.test ~all'),
  dkim: text('dkim s1', 's1._domainkey.example.com', `v=DKIM1; k=rsa; p=${key}`),
  dmarc: text('dmarc', '_dmarc.example.com', 'v=DMARC1; p=none'),
  sts: text('mta-sts', '_mta-sts.example.com', 'v=STSv1; id=2026'),
  tls: text('tls-rpt', '_smtp._tls.example.com', 'v=TLSRPTv1; rua=mailto:r@example.com'),
  host: {
    purpose: 'autoconfig',
    type: 'CNAME',
    name: 'autoconfig.example.com',
    value: 'mx.mail.test',
    priority: null,
    required: false,
  },
  service: {
    purpose: '_imaps',
    type: 'SRV',
    name: '_imaps._tcp.example.com',
    value: '1 993 mx.mail.test',
    priority: 0,
    required: false,
  },
} as const satisfies { readonly [name: string]: RecordToPublish }

const look = (record: RecordToPublish, seen: Partial<Seen>) =>
  judge({
    domain,
    record,
    seen: { answers: [], alias: null, doubled: [], elsewhere: [], hasSameAddresses: false, ...seen },
  })

describe('records in the DNS', () => {
  const right: readonly [string, RecordToPublish, readonly string[]][] = [
    ['ownership among other texts', records.ownership, ['something else', 'mailroom-verification=abc123']],
    ['MX alone', records.mx, ['10 mx.mail.test']],
    ['MX with another preference', records.mx, ['0 mx.mail.test']],
    ['MX before a backup of others', records.mx, ['10 mx.mail.test', '20 backup.test']],
    ['SPF as it was asked for', records.spf, ['v=spf1 a:mx.mail.test ~all']],
    ['SPF with others', records.spf, ['google-site-verification=x', 'v=spf1 include:other.test a:mx.mail.test -all']],
    ['SPF in capitals, with a plus', records.spf, ['V=SPF1 +A:MX.mail.test -ALL']],
    [
      'SPF with every kind of term',
      records.spf,
      [
        'v=spf1 a:mx.mail.test a mx/24 a/24//64 ip4:192.0.2.0/24 ip6:2001:db8::/32 exists:%{i}._spf.%{d} ?ptr include:a.test exp=why.test x-own= redirect=b.test',
      ],
    ],
    ['SPF that goes on elsewhere', records.spf, ['v=spf1 a:mx.mail.test redirect=_spf.test']],
    ['DKIM as it was asked for', records.dkim, [`v=DKIM1; k=rsa; p=${key}`]],
    ['DKIM without version and kind', records.dkim, [`p=${key}`]],
    ['DKIM with spaces in the key', records.dkim, [`v=DKIM1;k=rsa;p=${key.slice(0, 40)} ${key.slice(40)}`]],
    ['DMARC with a stricter policy', records.dmarc, ['v=DMARC1; p=reject; rua=mailto:a@example.com; pct=50']],
    ['DMARC with other spaces', records.dmarc, ['v=DMARC1;p=quarantine']],
    ['MTA-STS with an id of its own', records.sts, ['v=STSv1; id=20260101T000000;']],
    ['TLS-RPT to another address', records.tls, ['v=TLSRPTv1;rua=https://reports.test/x']],
    ['a host by its name', records.host, ['mx.mail.test']],
    ['a service with another weight', records.service, ['5 0 993 mx.mail.test']],
  ]
  for (const [name, record, answers] of right)
    it(`are right: ${name}`, () => expect(look(record, { answers })).to.include({ ok: true, fix: null }))

  it('are right: a host by its addresses', () =>
    expect(look(records.host, { hasSameAddresses: true }).ok).to.equal(true))

  const wrong: readonly [string, RecordToPublish, Partial<Seen>, string][] = [
    [
      'nothing at all',
      records.ownership,
      {},
      'Publish the TXT record _mailroom.example.com with the value: mailroom-verification=abc123',
    ],
    [
      'another token',
      records.ownership,
      { answers: ['mailroom-verification=other'] },
      'Replace what _mailroom.example.com has (mailroom-verification=other) with: mailroom-verification=abc123',
    ],
    [
      'a token in quotes',
      records.ownership,
      { answers: ['"mailroom-verification=abc123"'] },
      'The quotes were published',
    ],
    [
      'the domain twice',
      records.ownership,
      { doubled: ['mailroom-verification=abc123'] },
      'The record was published at _mailroom.example.com.example.com: your DNS provider appends the domain by itself. Enter only "_mailroom" as its name.',
    ],
    [
      'a CNAME in its place',
      records.ownership,
      { alias: 'parking.test' },
      'There is a CNAME at _mailroom.example.com (to parking.test)',
    ],
    [
      'ownership at the domain itself',
      records.ownership,
      { elsewhere: [{ name: domain, answers: ['x'] }] },
      'is at example.com, where nobody looks for it. Move it to _mailroom.example.com.',
    ],
    ['no MX', records.mx, {}, 'Publish the MX record example.com with the value: 10 mx.mail.test'],
    [
      'MX at an address',
      records.mx,
      { answers: ['10 192.0.2.1'] },
      'names the address 192.0.2.1, but it has to name a host',
    ],
    [
      'MX at an address with the domain behind it',
      records.mx,
      { answers: ['10 192.0.2.1.example.com'] },
      'it has to name a host',
    ],
    [
      'MX with the domain behind it',
      records.mx,
      { answers: ['10 mx.mail.test.example.com'] },
      'Enter the name with a dot at its end: mx.mail.test.',
    ],
    [
      'MX elsewhere',
      records.mx,
      { answers: ['1 aspmx.test', '5 alt.test'] },
      'Mail goes to aspmx.test, alt.test. To receive it here, replace the MX records with: 10 mx.mail.test',
    ],
    [
      'MX here and elsewhere alike',
      records.mx,
      { answers: ['10 mx.mail.test', '10 other.test'] },
      'Mail also goes to other.test',
    ],
    [
      'MX here behind another',
      records.mx,
      { answers: ['10 mx.mail.test', '5 other.test'] },
      'Mail also goes to other.test',
    ],
    ['a null MX', records.mx, { answers: ['0 .'] }, 'takes no mail (RFC 7505)'],
    [
      'a CNAME at the domain itself',
      records.mx,
      { alias: 'shop.test', answers: ['10 mx.shop.test'] },
      'There is a CNAME at example.com itself (to shop.test)',
    ],
    [
      'a CNAME at the domain itself, for SPF',
      records.spf,
      { alias: 'shop.test' },
      'There is a CNAME at example.com itself',
    ],
    [
      'no SPF among texts',
      records.spf,
      { answers: ['google-site-verification=x'] },
      'Publish the TXT record example.com with the value: v=spf1 a:mx.mail.test ~all',
    ],
    [
      'two SPF records',
      records.spf,
      { answers: ['v=spf1 include:a.test -all', 'v=spf1 a:mx.mail.test ~all'] },
      'has 2 SPF records, so receivers use none of them (RFC 7208 4.5). Merge them into one: v=spf1 include:a.test a:mx.mail.test -all',
    ],
    [
      'SPF without us',
      records.spf,
      { answers: ['v=spf1 include:a.test -all'] },
      'lacks "a:mx.mail.test", so mail from here may fail SPF. Change it to: v=spf1 include:a.test a:mx.mail.test -all',
    ],
    [
      'SPF that goes on elsewhere without us',
      records.spf,
      { answers: ['v=spf1 redirect=_spf.test'] },
      'Change it to: v=spf1 a:mx.mail.test redirect=_spf.test',
    ],
    [
      'SPF twice, and one goes on elsewhere',
      records.spf,
      { answers: ['v=spf1 redirect=_spf.test', 'v=spf1 a:mx.mail.test -all'] },
      'Merge them into one: v=spf1 a:mx.mail.test include:_spf.test -all',
    ],
    [
      'SPF with a name for an address',
      records.spf,
      { answers: ['v=spf1 ip4:mail.test a:mx.mail.test -all'] },
      'has "ip4:mail.test", which is not a valid SPF term, so receivers ignore the whole record (RFC 7208 4.6). Change it to: v=spf1 a:mx.mail.test -all',
    ],
    [
      'SPF with a comma',
      records.spf,
      { answers: ['v=spf1 include:a.test, a:mx.mail.test, ~all'] },
      'has "include:a.test,", which is not a valid SPF term, so receivers ignore the whole record (RFC 7208 4.6). Change it to: v=spf1 include:a.test a:mx.mail.test ~all',
    ],
    ['SPF with us behind all', records.spf, { answers: ['v=spf1 -all a:mx.mail.test'] }, 'comes after "all"'],
    ['SPF with us refused', records.spf, { answers: ['v=spf1 -a:mx.mail.test ~all'] }, 'lacks "a:mx.mail.test"'],
    [
      'SPF in quotes',
      records.spf,
      { answers: ['"v=spf1 a:mx.mail.test ~all"'] },
      'Enter the value without quotes: v=spf1 a:mx.mail.test ~all',
    ],
    ['SPF without its version', records.spf, { answers: ['spf1 a:mx.mail.test ~all'] }, 'does not begin with "v=spf1"'],
    [
      'SPF of an old draft',
      records.spf,
      { answers: ['spf2.0/pra a:mx.mail.test ~all'] },
      'does not begin with "v=spf1"',
    ],
    [
      'SPF with too many look-ups',
      records.spf,
      { answers: [`v=spf1 ${'include:x.test '.repeat(10)}a:mx.mail.test ~all`] },
      'needs 11 DNS look-ups',
    ],
    [
      'SPF at a name of its own',
      records.spf,
      { elsewhere: [{ name: '_spf.example.com', answers: ['v=spf1 ~all'] }] },
      'is at _spf.example.com',
    ],
    [
      'a DKIM key that was cut',
      records.dkim,
      { answers: [`v=DKIM1; k=rsa; p=${key.slice(0, 60)}`] },
      'was cut: 60 of its',
    ],
    ['a DKIM key in quotes', records.dkim, { answers: [`"v=DKIM1; k=rsa; p=${key}"`] }, 'The quotes were published'],
    [
      'a DKIM key with quotes in it',
      records.dkim,
      { answers: [`v=DKIM1; k=rsa; p=${key.slice(0, 40)}" "${key.slice(40)}`] },
      'The quotes were published',
    ],
    [
      'a DKIM key with escaped semicolons',
      records.dkim,
      { answers: [`v=DKIM1\\; k=rsa\\; p=${key}`] },
      'Enter the semicolons without backslashes',
    ],
    ['another DKIM key', records.dkim, { answers: ['v=DKIM1; k=rsa; p=AAAA'] }, 'holds a different key'],
    [
      'a DKIM key of another kind',
      records.dkim,
      { answers: [`v=DKIM1; k=ed25519; p=${key}`] },
      'Replace what s1._domainkey.example.com has',
    ],
    ['a revoked DKIM key', records.dkim, { answers: ['v=DKIM1; p='] }, 'published as revoked'],
    ['two DKIM keys', records.dkim, { answers: [`v=DKIM1; k=rsa; p=${key}`, 'v=DKIM1; p=AAAA'] }, 'has 2 such records'],
    [
      'DKIM without _domainkey',
      records.dkim,
      { elsewhere: [{ name: 's1.example.com', answers: ['v=DKIM1; p=x'] }] },
      'is at s1.example.com',
    ],
    [
      'DMARC at the domain itself',
      records.dmarc,
      { elsewhere: [{ name: domain, answers: ['v=DMARC1; p=none'] }] },
      'is at example.com, where nobody looks for it. Move it to _dmarc.example.com.',
    ],
    [
      'DMARC without a policy',
      records.dmarc,
      { answers: ['v=DMARC1; rua=mailto:a@example.com'] },
      'has no valid policy',
    ],
    ['DMARC with a policy of its own', records.dmarc, { answers: ['v=DMARC1; p=block'] }, 'has no valid policy'],
    ['two DMARC records', records.dmarc, { answers: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] }, 'has 2 such records'],
    [
      'DMARC with escaped semicolons',
      records.dmarc,
      { answers: ['v=DMARC1\\; p=none'] },
      'without backslashes: v=DMARC1; p=none',
    ],
    ['DMARC in quotes', records.dmarc, { answers: ['"v=DMARC1; p=none"'] }, 'The quotes were published'],
    ['MTA-STS without an id', records.sts, { answers: ['v=STSv1'] }, 'Replace what _mta-sts.example.com has'],
    ['TLS-RPT without an address', records.tls, { answers: ['v=TLSRPTv1'] }, 'Replace what _smtp._tls.example.com has'],
    [
      'a host with the domain behind it',
      records.host,
      { answers: ['mx.mail.test.example.com'] },
      'Enter the name with a dot at its end: mx.mail.test.',
    ],
    [
      'another host',
      records.host,
      { answers: ['other.test'] },
      'Replace what autoconfig.example.com has (other.test) with: mx.mail.test',
    ],
    ['a service at another port', records.service, { answers: ['0 1 143 mx.mail.test'] }, 'with: 0 1 993 mx.mail.test'],
  ]
  for (const [name, record, seen, words] of wrong)
    it(`are wrong: ${name}`, () => {
      const { ok, fix } = look(record, seen)
      expect(ok).to.equal(false)
      expect(fix).to.include(words)
    })
})
