import { expect } from 'chai'
import fc from 'fast-check'
import { parseMessage } from '../../../mail/message/parse.ts'
import { readAggregateReport } from '../../../mail/report/aggregate-report.ts'
import { reportFilesIn, UnreadableFile } from '../../../mail/report/report-files.ts'
import { readTlsReport } from '../../../mail/report/tls-report.ts'
import { expectLinear } from '../cost.ts'
import { type Attached, feedback, gz, mailOf, mailWith, record, tlsReport, zipOf } from './report-mails.ts'

/** What is read of the reports in a mail, as `receive` does it. */
async function read(raw: Buffer) {
  const files = await reportFilesIn(raw, parseMessage(raw))
  return files.flatMap(
    ({ format, bytes }) => (format === 'xml' ? readAggregateReport(bytes) : readTlsReport(bytes)) ?? [],
  )
}

const google = `<?xml version="1.0" encoding="UTF-8" ?>
<feedback>
  <version>1.0</version>
  <report_metadata>
    <org_name>google.com</org_name>
    <email>noreply-dmarc-support@google.com</email>
    <extra_contact_info>https://support.google.com/a/answer/2466580</extra_contact_info>
    <report_id>1234567890123456789</report_id>
    <date_range>
      <begin>1795219200</begin>
      <end>1795305599</end>
    </date_range>
  </report_metadata>
  <policy_published>
    <domain>own.example</domain>
    <adkim>r</adkim>
    <aspf>r</aspf>
    <p>reject</p>
    <sp>quarantine</sp>
    <pct>100</pct>
    <np>reject</np>
  </policy_published>
  <record>
    <row>
      <source_ip>2001:DB8:0:0::25</source_ip>
      <count>2</count>
      <policy_evaluated>
        <disposition>none</disposition>
        <dkim>pass</dkim>
        <spf>fail</spf>
      </policy_evaluated>
    </row>
    <identifiers>
      <header_from>own.example</header_from>
    </identifiers>
    <auth_results>
      <dkim>
        <domain>own.example</domain>
        <result>pass</result>
        <selector>mr20261101r</selector>
      </dkim>
      <dkim>
        <domain>own.example</domain>
        <result>pass</result>
        <selector>mr20261101e</selector>
      </dkim>
      <spf>
        <domain>lists.other.example</domain>
        <result>pass</result>
      </spf>
    </auth_results>
  </record>
</feedback>`

const microsoft = `<?xml version="1.0"?>
<feedback xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <version>1.0</version>
  <report_metadata>
    <org_name>Enterprise Outlook</org_name>
    <email>dmarcreport@microsoft.com</email>
    <report_id>0a1b2c3d4e5f4a6b8c7d9e0f1a2b3c4d</report_id>
    <date_range>
      <begin>1795219200</begin>
      <end>1795305600</end>
    </date_range>
  </report_metadata>
  <policy_published>
    <domain>own.example</domain>
    <adkim>s</adkim>
    <aspf>r</aspf>
    <p>quarantine</p>
    <sp>quarantine</sp>
    <pct>100</pct>
    <fo>0</fo>
  </policy_published>
  <record>
    <row>
      <source_ip>203.0.113.7</source_ip>
      <count>3</count>
      <policy_evaluated>
        <disposition>quarantine</disposition>
        <dkim>fail</dkim>
        <spf>fail</spf>
      </policy_evaluated>
    </row>
    <identifiers>
      <envelope_to>contoso.example</envelope_to>
      <envelope_from>bounces.provider.example</envelope_from>
      <header_from>own.example</header_from>
    </identifiers>
    <auth_results>
      <dkim><domain>provider.example</domain><selector>s1</selector><result>pass</result></dkim>
      <spf><domain>bounces.provider.example</domain><scope>mfrom</scope><result>pass</result></spf>
    </auth_results>
  </record>
</feedback>`

const fastmail = feedback({
  org: 'FastMail Pty Ltd',
  email: 'reports@fastmaildmarc.com',
  id: '987654321',
  records: record({
    ip: '198.51.100.4',
    count: 5,
    dkim: 'fail',
    spf: 'fail',
    reasons: '<reason><type>local_policy</type><comment>ARC pass</comment></reason>',
    auth: '<dkim><domain>own.example</domain><selector>mr1r</selector><result>fail</result><human_result>body hash did not verify</human_result></dkim><spf><domain>lists.other.example</domain><scope>mfrom</scope><result>softfail</result></spf>',
  }),
})

/** With a namespace and elements of its own. */
const dmarcbis = `<?xml version="1.0" encoding="UTF-8"?>
<d:feedback xmlns:d="urn:ietf:params:xml:ns:dmarc-2.0">
  <d:version>2.0</d:version>
  <d:report_metadata><d:org_name>new.example</d:org_name><d:email>r@new.example</d:email><d:report_id>3v98abbp8ya9n3va8yr8oa3ya</d:report_id>
    <d:date_range><d:begin>1795219200</d:begin><d:end>1795305599</d:end></d:date_range><d:generator>Example DMARC Aggregate Reporter v1.2</d:generator></d:report_metadata>
  <d:policy_published><d:domain>own.example</d:domain><d:discovery_method>treewalk</d:discovery_method><d:p>none</d:p><d:sp>none</d:sp><d:np>none</d:np><d:testing>n</d:testing></d:policy_published>
  <d:extension><x:arc-override xmlns:x="URI">never</x:arc-override></d:extension>
  <d:record><d:row><d:source_ip>192.0.2.123</d:source_ip><d:count>123</d:count>
    <d:policy_evaluated><d:disposition>pass</d:disposition><d:dkim>pass</d:dkim><d:spf>fail</d:spf><d:reason><d:type>policy_test_mode</d:type></d:reason></d:policy_evaluated></d:row>
    <d:identifiers><d:envelope_from>own.example</d:envelope_from><d:header_from>own.example</d:header_from></d:identifiers>
    <d:auth_results><d:dkim><d:domain>own.example</d:domain><d:result>pass</d:result><d:selector>abc123</d:selector></d:dkim><d:spf><d:domain>own.example</d:domain><d:result>fail</d:result></d:spf></d:auth_results>
  </d:record>
</d:feedback>`

const name = (org: string, ending: string) => `${org}!own.example!1795219200!1795305599.${ending}`

describe('DMARC reports as receivers send them', () => {
  type Expected = { readonly organisation: string; readonly reportId: string; readonly row: object }
  const passing = {
    source: '192.0.2.10',
    count: 1,
    disposition: 'none',
    dkim: true,
    spf: true,
    overrides: [],
    headerFrom: 'own.example',
  }
  const cases: readonly (readonly [string, () => Promise<Buffer> | Buffer, Expected])[] = [
    [
      'Google: the mail is a zip archive and nothing else',
      async () =>
        mailOf({
          type: 'application/zip',
          name: name('google.com', 'zip'),
          bytes: await zipOf({ [name('google.com', 'xml')]: google }),
        }),
      {
        organisation: 'google.com',
        reportId: '1234567890123456789',
        row: {
          source: '2001:db8::25',
          count: 2,
          dkim: true,
          spf: false,
          spfResults: [{ domain: 'lists.other.example', result: 'pass' }],
        },
      },
    ],
    [
      'Microsoft: gzip beside HTML, with scopes and envelope names',
      () =>
        mailWith([
          {
            type: 'text/html',
            name: '',
            bytes: Buffer.from('<html><body>This is a DMARC aggregate report</body></html>'),
            disposition: 'inline',
          },
          { type: 'application/gzip', name: name('enterprise.protection.outlook.com', 'xml.gz'), bytes: gz(microsoft) },
        ]),
      {
        organisation: 'Enterprise Outlook',
        reportId: '0a1b2c3d4e5f4a6b8c7d9e0f1a2b3c4d',
        row: {
          source: '203.0.113.7',
          count: 3,
          disposition: 'quarantine',
          dkim: false,
          spf: false,
          dkimResults: [{ domain: 'provider.example', result: 'pass', selector: 's1' }],
          spfResults: [{ domain: 'bounces.provider.example', result: 'pass' }],
        },
      },
    ],
    [
      'Yahoo: gzip, inline',
      () =>
        mailWith([
          {
            type: 'application/gzip',
            name: name('yahoo.com', 'xml.gz'),
            bytes: gz(feedback({ org: 'Yahoo', id: '1795300000.12345' })),
            disposition: 'inline',
          },
        ]),
      { organisation: 'Yahoo', reportId: '1795300000.12345', row: passing },
    ],
    [
      'Fastmail: local policy, a broken signature, softfail',
      () => mailWith([{ type: 'application/gzip', name: name('fastmail.com', 'xml.gz'), bytes: gz(fastmail) }]),
      {
        organisation: 'FastMail Pty Ltd',
        reportId: '987654321',
        row: {
          source: '198.51.100.4',
          count: 5,
          dkim: false,
          spf: false,
          overrides: ['local_policy'],
          dkimResults: [{ domain: 'own.example', result: 'fail', selector: 'mr1r' }],
        },
      },
    ],
    [
      'Mail.ru: application/x-gzip, without selector or scope',
      () =>
        mailWith([
          {
            type: 'application/x-gzip',
            name: name('mail.ru', 'xml.gz'),
            bytes: gz(
              feedback({
                org: 'Mail.Ru',
                email: 'dmarc_support@corp.mail.ru',
                id: '55551795219200',
                records: record({
                  auth: '<dkim><domain>own.example</domain><result>pass</result></dkim><spf><domain>own.example</domain><result>pass</result></spf>',
                }),
              }),
            ),
          },
        ]),
      {
        organisation: 'Mail.Ru',
        reportId: '55551795219200',
        row: { ...passing, dkimResults: [{ domain: 'own.example', result: 'pass' }] },
      },
    ],
    [
      'Amazon: application/octet-stream',
      () =>
        mailWith([
          {
            type: 'application/octet-stream',
            name: name('amazonses.com', 'xml.gz'),
            bytes: gz(feedback({ org: 'AMAZON-SES', id: 'b2c3d4' })),
          },
        ]),
      { organisation: 'AMAZON-SES', reportId: 'b2c3d4', row: passing },
    ],
    [
      'a small server: plain XML as text/xml',
      () =>
        mailWith([
          {
            type: 'text/xml',
            name: name('small.example', 'xml'),
            bytes: Buffer.from(feedback({ org: 'small.example' })),
          },
        ]),
      { organisation: 'small.example', reportId: '1', row: passing },
    ],
    [
      'the report is the body of the mail',
      () => mailOf({ type: 'application/xml', name: 'report.xml', bytes: Buffer.from(feedback()) }),
      { organisation: 'receiver.example', reportId: '1', row: passing },
    ],
    [
      'UTF-8 with a byte order mark, and white space before the declaration',
      () => mailOf({ type: 'application/gzip', name: 'a.gz', bytes: gz(`\ufeff\n${feedback({ org: 'Größe AG' })}`) }),
      { organisation: 'Größe AG', reportId: '1', row: passing },
    ],
    [
      'UTF-16 with a byte order mark',
      () =>
        mailOf({
          type: 'application/gzip',
          name: 'a.gz',
          bytes: gz(Buffer.from(`\ufeff${feedback({ org: 'Wide' })}`, 'utf16le')),
        }),
      { organisation: 'Wide', reportId: '1', row: passing },
    ],
    [
      'ISO-8859-1 as declared',
      () =>
        mailOf({
          type: 'application/gzip',
          name: 'a.gz',
          bytes: gz(Buffer.from(feedback({ org: 'Zürich' }).replace('UTF-8', 'ISO-8859-1'), 'latin1')),
        }),
      { organisation: 'Zürich', reportId: '1', row: passing },
    ],
    [
      'RFC 9990: with a namespace, the disposition "pass" and an extension',
      () => mailWith([{ type: 'application/gzip', name: name('new.example', 'xml.gz'), bytes: gz(dmarcbis) }]),
      {
        organisation: 'new.example',
        reportId: '3v98abbp8ya9n3va8yr8oa3ya',
        row: {
          source: '192.0.2.123',
          count: 123,
          disposition: 'none',
          dkim: true,
          spf: false,
          overrides: ['policy_test_mode'],
        },
      },
    ],
    [
      'an IPv4 address written as IPv6, upper-case names, results in old words',
      () =>
        mailOf({
          type: 'application/gzip',
          name: 'a.gz',
          bytes: gz(
            feedback({
              domain: 'Own.Example',
              records: record({
                ip: '::FFFF:192.0.2.9',
                headerFrom: 'OWN.example',
                spf: 'FAIL',
                auth: '<spf><domain>own.example</domain><result>hardfail</result></spf>',
              }),
            }),
          ),
        }),
      {
        organisation: 'receiver.example',
        reportId: '1',
        row: {
          source: '192.0.2.9',
          headerFrom: 'own.example',
          spf: false,
          spfResults: [{ domain: 'own.example', result: 'fail' }],
        },
      },
    ],
    [
      'entities of XML, and those of nobody',
      () =>
        mailOf({ type: 'text/xml', name: 'a.xml', bytes: Buffer.from(feedback({ org: 'A &amp; B &#x26; C &who;' })) }),
      { organisation: 'A & B & C &who;', reportId: '1', row: passing },
    ],
  ]
  for (const [what, made, { row, ...expected }] of cases)
    it(what, async () => {
      const [report, ...others] = await read(await made())
      expect(others).to.deep.equal([])
      if (report?.kind !== 'dmarc') throw new Error('no DMARC report')
      expect(report).to.deep.include({ ...expected, omitted: 0 })
      expect(report.policy.domain).to.equal('own.example')
      expect(report.from.toISOString()).to.equal('2026-11-21T00:00:00.000Z')
      expect(report.rows).to.have.length(1)
      expect(report.rows[0]).to.deep.include(row)
    })

  it('reads the policy that the receiver found', async () => {
    const of = async (xml: string) => {
      const [report] = await read(mailOf({ type: 'text/xml', name: 'a.xml', bytes: Buffer.from(xml) }))
      return report?.kind === 'dmarc' ? report.policy : null
    }
    expect(await of(google)).to.deep.equal({
      domain: 'own.example',
      policy: 'reject',
      subdomainPolicy: 'quarantine',
      dkimStrict: false,
      spfStrict: false,
    })
    expect(await of(microsoft)).to.include({ policy: 'quarantine', dkimStrict: true, spfStrict: false })
  })

  it('reads several reports of one mail, also of one archive', async () => {
    const zip = await zipOf({
      'a.xml': feedback({ id: 'a' }),
      'folder/': '',
      'b.xml': feedback({ id: 'b' }),
      'read.me': 'hello',
    })
    const raw = mailWith([
      { type: 'application/zip', name: 'two.zip', bytes: zip },
      { type: 'application/gzip', name: 'c.xml.gz', bytes: gz(feedback({ id: 'c' })) },
      { type: 'application/tlsrpt+gzip', name: 'd.json.gz', bytes: gz(tlsReport({ id: 'd' })) },
    ])
    expect((await read(raw)).map(({ kind, reportId }) => `${kind} ${reportId}`)).to.deep.equal([
      'dmarc a',
      'dmarc b',
      'dmarc c',
      'tls d',
    ])
  })

  it('adds up rows that are alike', async () => {
    const records = [record({ count: 2 }), record({ count: 3 }), record({ count: 4, ip: '192.0.2.11' })].join('')
    const [report] = await read(mailOf({ type: 'text/xml', name: 'a.xml', bytes: Buffer.from(feedback({ records })) }))
    expect(report?.kind === 'dmarc' && report.rows.map(({ source, count }) => [source, count])).to.deep.equal([
      ['192.0.2.10', 5],
      ['192.0.2.11', 4],
    ])
  })

  const broken: readonly (readonly [string, string])[] = [
    ['no report_metadata', feedback().replaceAll('report_metadata', 'metadata')],
    ['no report id', feedback({ id: '' })],
    ['no domain', feedback({ domain: '' })],
    ['a domain that is none', feedback({ domain: 'own example' })],
    ['no times', feedback({ begin: '', end: '' })],
    ['a time that is none', feedback({ begin: 'yesterday' })],
    ['another root', feedback().replaceAll('feedback', 'feed')],
    ['HTML', '<html><body>hello</body></html>'],
    ['nothing', ''],
    ['cut in the middle of the metadata', feedback().slice(0, 200)],
    ['nested too deep', feedback({ records: `${'<record>'.repeat(40)}` })],
    ['a record of thousands of elements', feedback({ records: `<record>${'<a/>'.repeat(3_000)}</record>` })],
  ]
  for (const [what, xml] of broken)
    it(`is no report: ${what}`, () => expect(readAggregateReport(Buffer.from(xml))).to.equal(null))

  const rowless: readonly (readonly [string, string])[] = [
    ['no address', record({ ip: '' })],
    ['an address that is none', record({ ip: '192.0.2.300' })],
    ['a name for an address', record({ ip: 'mx.own.example' })],
    ['a count of nothing', record({ count: 0 })],
    ['a negative count', record({ count: -1 })],
    ['a count that is none', record({ count: 'many' })],
    ['an absurd count', record({ count: '99999999999999999999' })],
    ['nobody in whose name it is', record({ headerFrom: '' })],
  ]
  for (const [what, records] of rowless)
    it(`leaves a row out: ${what}`, () => {
      const report = readAggregateReport(Buffer.from(feedback({ records: records + record() })))
      expect(report?.rows.map(({ source }) => source)).to.deep.equal(['192.0.2.10'])
    })
})

describe('TLS reports as senders send them', () => {
  const failure = (type: string, more: object = {}) => ({
    'result-type': type,
    'sending-mta-ip': '2001:0db8::0001',
    'receiving-mx-hostname': 'MX.own.example',
    'receiving-ip': '192.0.2.25',
    'failed-session-count': 3,
    ...more,
  })
  const cases: readonly (readonly [string, Attached, object])[] = [
    [
      'Google: application/tlsrpt+gzip, nothing failed',
      {
        type: 'application/tlsrpt+gzip',
        name: 'google.com!own.example!1795219200!1795305599!001.json.gz',
        bytes: gz(tlsReport()),
      },
      { type: 'sts', successful: 12, failed: 0, failures: [] },
    ],
    [
      'Microsoft: no policy found, mx-host is a text, counts are texts',
      {
        type: 'application/tlsrpt+gzip',
        name: 'microsoft.com!own.example!1795219200!1795305599!133.json.gz',
        bytes: gz(
          tlsReport({
            org: 'Microsoft Corporation',
            policy: { 'policy-type': 'no-policy-found', 'mx-host': 'mx.own.example' } as never,
            successful: '7' as never,
          }),
        ),
      },
      { type: 'no-policy-found', successful: 7, failed: 0 },
    ],
    [
      'plain JSON as application/tlsrpt+json',
      {
        type: 'application/tlsrpt+json',
        name: 'a.json',
        bytes: Buffer.from(tlsReport({ failed: 3, details: [failure('certificate-expired')] })),
      },
      {
        successful: 12,
        failed: 3,
        failures: [
          {
            type: 'certificate-expired',
            sessions: 3,
            sendingAddress: '2001:db8::1',
            receivingHost: 'mx.own.example',
            receivingAddress: '192.0.2.25',
            detail: null,
          },
        ],
      },
    ],
    [
      'octet-stream; a kind of failure that nobody knows, and no sum of failures',
      {
        type: 'application/octet-stream',
        name: 'a',
        bytes: gz(
          tlsReport({
            failed: undefined as never,
            details: [failure('moon-phase', { 'failure-reason-code': 'X509_V_ERR\u0007' })],
          }).replace('"total-failure-session-count":0', '"x":0'),
        ),
      },
      {
        failed: 3,
        failures: [
          {
            type: 'other',
            sessions: 3,
            sendingAddress: '2001:db8::1',
            receivingHost: 'mx.own.example',
            receivingAddress: '192.0.2.25',
            detail: 'moon-phase: X509_V_ERR',
          },
        ],
      },
    ],
  ]
  for (const [what, file, expected] of cases)
    it(what, async () => {
      const [report] = await read(mailWith([file], { type: 'multipart/report; report-type=tlsrpt' }))
      if (report?.kind !== 'tls') throw new Error('no TLS report')
      expect(report.from.toISOString()).to.equal('2026-11-21T00:00:00.000Z')
      expect(report.policies[0]).to.deep.include({ domain: 'own.example', ...expected })
    })

  const broken: readonly (readonly [string, string])[] = [
    ['no id', tlsReport({ id: '' })],
    ['no policies', tlsReport().replace('policies', 'policy')],
    ['no domain', tlsReport({ domain: '' })],
    ['a time that is none', tlsReport({ from: 'x' })],
    ['an array', '[]'],
    ['cut', tlsReport().slice(0, 80)],
    ['another object', '{"a":{}}'],
    ['nested without end', '{"a":'.repeat(100_000)],
    ['too large', `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`],
  ]
  for (const [what, json] of broken)
    it(`is no report: ${what}`, () => expect(readTlsReport(Buffer.from(json))).to.equal(null))
})

describe('hostile reports', () => {
  const bomb = gz(Buffer.alloc(64 * 1024 * 1024, ' '))
  const unreadable: readonly (readonly [string, () => Promise<Buffer> | Buffer])[] = [
    ['a gzip bomb', () => mailOf({ type: 'application/gzip', name: 'a.gz', bytes: bomb })],
    [
      'a zip bomb',
      async () =>
        mailOf({ type: 'application/zip', name: 'a.zip', bytes: await zipOf({ a: Buffer.alloc(30 * 1024 * 1024) }) }),
    ],
    [
      'several that are too large together',
      () =>
        mailWith(
          [1, 2, 3].map((n) => ({
            type: 'application/gzip',
            name: `${n}.gz`,
            bytes: gz(Buffer.alloc(8 * 1024 * 1024, ' ')),
          })),
        ),
    ],
    [
      'a zip that says it is small',
      async () => {
        const zip = await zipOf({ a: Buffer.alloc(1024 * 1024, ' ') })
        // The size in the directory, which is what a reader believes.
        const at = zip.indexOf(Buffer.from('PK\x01\x02', 'latin1')) + 24
        zip.writeUInt32LE(10, at)
        return mailOf({ type: 'application/zip', name: 'a.zip', bytes: zip })
      },
    ],
    [
      'gzip that is cut',
      () => mailOf({ type: 'application/gzip', name: 'a.gz', bytes: gz(feedback()).subarray(0, 100) }),
    ],
    [
      'a zip without its directory',
      async () =>
        mailOf({ type: 'application/zip', name: 'a.zip', bytes: (await zipOf({ a: feedback() })).subarray(0, 200) }),
    ],
  ]
  for (const [what, made] of unreadable)
    it(`is refused: ${what}`, async () => {
      const error = await read(await made()).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(UnreadableFile)
    })

  it('expands no entity', async () => {
    const laughs = `<!DOCTYPE feedback [<!ENTITY a "${'lol'.repeat(100)}"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "file:///etc/passwd">]>`
    const xml = feedback({ org: '&b;&f;' }).replace('?>\n', `?>\n${laughs}\n`)
    const [report] = await read(mailOf({ type: 'text/xml', name: 'a.xml', bytes: Buffer.from(xml) }))
    expect(report).to.include({ organisation: '&b;&f;' })
  })

  it('keeps the rows with the most mail, and counts the others', () => {
    const records = Array.from({ length: 1_200 }, (_, n) =>
      record({ ip: `10.0.${n >> 8}.${n & 255}`, count: n + 1 }),
    ).join('')
    const report = readAggregateReport(Buffer.from(feedback({ records })))
    expect(report?.rows).to.have.length(1_000)
    expect(report?.rows.at(-1)?.count).to.equal(201)
    expect(report?.omitted).to.equal((200 * 201) / 2)
  })

  it('looks at a bounded number of files', async () => {
    const raw = mailWith(
      Array.from({ length: 40 }, (_, n) => ({
        type: 'text/xml',
        name: `${n}.xml`,
        bytes: Buffer.from(feedback({ id: `${n}` })),
      })),
    )
    expect(await read(raw)).to.have.length(20)
  })

  const long: readonly (readonly [string, string])[] = [
    ['records', feedback({ records: record().repeat(20_000) })],
    ['elements that are not closed', `<feedback>${'<a>'.repeat(2_000_000)}`],
    ['elements that close nothing', `<feedback>${'</a>'.repeat(2_000_000)}`],
    ['entities', `<feedback><a>${'&amp;'.repeat(2_000_000)}</a>`],
    ['brackets', '<'.repeat(5_000_000)],
    ['attributes', `<feedback ${'a="b" '.repeat(1_000_000)}>`],
    ['a comment without end', `<feedback><!--${'-'.repeat(5_000_000)}`],
  ]
  for (const [what, xml] of long)
    it(`takes linear time: ${what}`, () =>
      void expectLinear(what, xml, (text) => readAggregateReport(Buffer.from(text))))

  it('never throws, whatever the bytes', () => {
    const words = fc.constantFrom(
      '<feedback>',
      '</feedback>',
      '<record>',
      '<row>',
      '<count>1',
      '</',
      '&#0;',
      ']]>',
      '<![CDATA[',
      '{"policies":',
      '[',
      '"',
      '\u0000',
      '<?xml',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(words, fc.string()), { maxLength: 40 }), (pieces) => {
        const bytes = Buffer.from(pieces.join(''))
        readAggregateReport(bytes)
        readTlsReport(bytes)
      }),
    )
  })
})
