import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { simpleParser } from 'mailparser'
import { claimAttempts } from '../../core/deliver/outbox.ts'
import { domainReport } from '../../core/deliverability/domain-report.ts'
import { keepReports } from '../../core/deliverability/report-arrivals.ts'
import { noteTlsSession, writeTlsResults } from '../../core/deliverability/tls-results.ts'
import { createResolver } from '../../core/dns/resolver.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { dayMs, hourMs } from '../../core/process/clock.ts'
import { sendTlsReports } from '../../core/reporting/tls-reports.ts'
import { readTlsReport } from '../../mail/report/tls-report.ts'
import type { DomainReports, ReportSource } from '../../schemas/domain-reports.ts'
import { type Attached, feedback, gz, mailWith, record, tlsReport } from '../mail/report/report-mails.ts'
import { certificateOf, type HttpsReceiver, startHttpsReceiver, trust } from '../peers/https-receivers.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { type Call, client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'

describe('api: reports about a domain', () => {
  let door: Door
  let dns: NameServer
  let tenant: Tenant
  let call: Call

  before(async () => {
    door = await openDoor()
    dns = await startNameServer({
      'PTR 7.113.0.203.in-addr.arpa': ['o1.ptr.sendgrid.net'],
      'A o1.ptr.sendgrid.net': ['203.0.113.7'],
      'PTR 4.100.51.198.in-addr.arpa': ['mail.google.com'],
      'A mail.google.com': ['192.0.2.99'],
    })
    Object.assign(door.ctx.resolver, createResolver([dns.address], new Map()))
    Object.assign(door.ctx.settings.deliverability, { addresses: ['192.0.2.10'] })
    tenant = await makeTenant(door, { name: 'reported' })
    call = client(door.http, tenant.key)
    await arrive([xml({ id: '1', org: 'google.com', begin: at(-3), end: at(-2), records: rows }), json()])
    await arrive(
      [xml({ id: '2', org: 'Yahoo', begin: at(-2), end: at(-1), records: record({ count: 10 }) })],
      'yahoo.com',
    )
    await arrive([
      xml({ id: '3', begin: at(-50), end: at(-49), records: record({ count: 1_000, ip: '198.51.100.50' }) }),
    ])
  })
  after(async () => {
    await dns?.stop()
    await door?.close()
  })

  const at = (days: number) => Math.floor((Date.now() + days * dayMs) / 1_000)
  const provider =
    '<dkim><domain>sendgrid.net</domain><result>pass</result></dkim><spf><domain>em.sendgrid.net</domain><result>pass</result></spf>'
  const broken = '<dkim><domain>reported.example</domain><result>fail</result></dkim>'
  const rows = [
    record({ headerFrom: 'reported.example', count: 90 }),
    record({ headerFrom: 'reported.example', count: 6, dkim: 'fail', auth: broken }),
    record({
      headerFrom: 'reported.example',
      ip: '203.0.113.7',
      count: 40,
      dkim: 'fail',
      spf: 'fail',
      disposition: 'quarantine',
      auth: provider,
    }),
    record({
      headerFrom: 'reported.example',
      ip: '198.51.100.4',
      count: 3,
      dkim: 'fail',
      spf: 'fail',
      disposition: 'reject',
      auth: '',
    }),
  ].join('')
  const xml = (fields: Parameters<typeof feedback>[0]): Attached => ({
    type: 'application/gzip',
    name: 'r.xml.gz',
    bytes: gz(feedback({ domain: 'reported.example', ...fields })),
  })
  const json = (): Attached => ({
    type: 'application/tlsrpt+gzip',
    name: 'r.json.gz',
    bytes: gz(
      tlsReport({
        domain: 'reported.example',
        successful: 20,
        failed: 5,
        from: new Date(at(-2) * 1_000).toISOString(),
        until: new Date(at(-1) * 1_000).toISOString(),
        details: [
          {
            'result-type': 'certificate-expired',
            'receiving-mx-hostname': 'mx.reported.example',
            'failed-session-count': 3,
          },
          {
            'result-type': 'certificate-expired',
            'receiving-mx-hostname': 'mx.reported.example',
            'failed-session-count': 1,
            'failure-reason-code': 'X509',
          },
          { 'result-type': 'validation-failure', 'failed-session-count': 1 },
        ],
      }),
    ),
  })

  function arrive(files: readonly Attached[], reporter = 'google.com') {
    const about = { domain: 'reported.example', accountId: tenant.accountId }
    const sender = { alignedFrom: reporter, perhapsAligned: false, dkim: [{ domain: reporter, result: 'pass' }] }
    return keepReports(door.ctx, { raw: mailWith(files), about: [about], sender })
  }
  const reports = (query = '', as = call) =>
    as<DomainReports & ErrorBody>('GET', `/api/v1/domains/reported.example/reports${query}`)

  it('are added up by source address, with advice on what to change', async () => {
    const { status, body } = await reports()
    expect(status).to.equal(200)
    expect(body.complete).to.equal(true)
    expect(body.dmarc).to.deep.include({
      reports: 2,
      messages: 149,
      passed: 106,
      passRate: 0.7114,
      spfAligned: 106,
      dkimAligned: 100,
      dispositions: { none: 106, quarantine: 40, reject: 3 },
      omitted: 0,
    })
    expect(body.dmarc.reporters).to.have.deep.members([
      { domain: 'google.com', organisation: 'google.com', reports: 1 },
      { domain: 'yahoo.com', organisation: 'Yahoo', reports: 1 },
    ])
    for (const count of ['messages', 'passed'] as const)
      expect(body.dmarc.days.reduce((sum, each) => sum + each[count], 0)).to.equal(body.dmarc[count])
    expect(body.dmarc.days.map((each) => each.day)).to.deep.equal(
      [...new Set(body.sources.flatMap(({ firstDay, lastDay }) => [firstDay, lastDay]))].sort(),
    )
    const [own, sendgrid, stranger] = body.sources as readonly [ReportSource, ReportSource, ReportSource]
    expect(body.sources).to.have.length(3)
    expect(own).to.deep.include({
      source: '192.0.2.10',
      own: true,
      messages: 106,
      passed: 106,
      passRate: 1,
      name: null,
    })
    expect(own.findings.map(({ kind, messages }) => [kind, messages])).to.deep.equal([
      ['passes', 100],
      ['own_server', 6],
    ])
    expect(own.findings[1]?.fix).to.match(/DKIM records that GET \/api\/v1\/domains\/reported\.example lists/)
    expect(own.lastDay > own.firstDay).to.equal(true)
    expect(sendgrid).to.deep.include({
      source: '203.0.113.7',
      name: 'o1.ptr.sendgrid.net',
      organisation: 'SendGrid',
      own: false,
      passRate: 0,
    })
    expect(sendgrid.findings[0]).to.include({ kind: 'provider', messages: 40 })
    expect(sendgrid.findings[0]?.explanation).to.match(/^SendGrid sends mail in the name of reported\.example, but/)
    // It claims to be from Google, but does not authenticate as Google.
    expect(stranger).to.deep.include({ source: '198.51.100.4', name: null, organisation: null })
    expect(stranger.findings[0]).to.include({ kind: 'stranger', fix: null })
  })

  it('know an address of ours however the settings write it', async () => {
    const { deliverability } = door.ctx.settings
    const { addresses } = deliverability
    Object.assign(deliverability, { addresses: ['2001:DB8:0:0::25', '::FFFF:192.0.2.11'] })
    const records = ['2001:db8::25', '192.0.2.11', '2001:db8::26'].map((ip) => record({ ip, count: 1 })).join('')
    await arrive([xml({ id: '5', begin: at(-80), end: at(-79), records })])
    const day = (days: number) => new Date(at(days) * 1_000).toISOString()
    const { sources } = (await reports(`?since=${day(-82)}&until=${day(-78)}`)).body
    expect(Object.fromEntries(sources.map(({ source, own }) => [source, own]))).to.deep.equal({
      '2001:db8::25': true,
      '192.0.2.11': true,
      '2001:db8::26': false,
    })
    Object.assign(deliverability, { addresses })
  })

  it('about the shared domain advise commands for its administrator, not requests that no account can make', async () => {
    const domain = door.ctx.settings.sharedDomain
    const records = record({ headerFrom: domain, dkim: 'fail', spf: 'fail', auth: broken })
    const file = xml({ domain, id: 'shared', begin: at(-2), end: at(-1), records })
    const sender = {
      alignedFrom: 'google.com',
      perhapsAligned: false,
      dkim: [{ domain: 'google.com', result: 'pass' }],
    }
    await keepReports(door.ctx, { raw: mailWith([file]), about: [{ domain, accountId: null }], sender })
    const { sources } = await domainReport(door.ctx, { accountId: null }, { domain, limit: 10 })
    expect(sources.items.map(({ findings }) => findings.map(({ fix }) => fix))).to.deep.equal([
      [
        `Send mail of ${domain} through this service, which signs it, and by no other program on the same address. Publish the SPF record that "mailroom doctor ${domain}" tells.`,
      ],
    ])
  })

  it('include the TLS results', async () => {
    const { tls } = (await reports()).body
    expect(tls).to.deep.include({ reports: 1, successful: 20, failed: 5 })
    expect(
      tls.failures.map(({ type, mx, sessions, policy, details }) => ({ type, mx, sessions, policy, details })),
    ).to.deep.equal([
      { type: 'certificate-expired', mx: 'mx.reported.example', sessions: 4, policy: 'sts', details: ['X509'] },
      { type: 'validation-failure', mx: null, sessions: 1, policy: 'sts', details: [] },
    ])
    expect(tls.failures[0]?.fix).to.equal('Renew the certificate of mx.reported.example.')
  })

  it('cover the requested period', async () => {
    const day = (days: number) => new Date(at(days) * 1_000).toISOString()
    const cases: readonly (readonly [string, number])[] = [
      [`?since=${day(-60)}`, 1_149],
      [`?since=${day(-60)}&until=${day(-40)}`, 1_000],
      [`?since=${day(-2.5)}`, 10],
      [`?until=${day(-40)}`, 1_000],
      [`?since=${day(-1)}`, 0],
    ]
    for (const [query, messages] of cases) expect((await reports(query)).body.dmarc.messages, query).to.equal(messages)
    expect((await reports(`?since=${day(-1)}`)).body.dmarc.passRate).to.equal(null)
  })

  it('are paged by source, and a page stays complete when reports arrive in between', async () => {
    const first = (await reports('?limit=1')).body
    expect(first.sources.map(({ source }) => source)).to.deep.equal(['192.0.2.10'])
    await arrive([xml({ id: '4', begin: at(-2), end: at(-1), records: record({ count: 1 }) })])
    const second = (await reports(`?limit=1&before=${first.next}`)).body
    expect(second.sources.map(({ source }) => source)).to.deep.equal(['203.0.113.7'])
    const third = (await reports(`?limit=1&before=${second.next}`)).body
    expect([third.sources.map(({ source }) => source), third.next]).to.deep.equal([['198.51.100.4'], null])
    expect(
      (await reports(`?limit=1&before=${Buffer.from('1 0.0.0.0').toString('base64url')}`)).body.sources,
    ).to.deep.equal([])
  })

  it('beyond the number read at once are the latest ones, and the answer says so', async () => {
    const { accountId } = tenant
    const rows = Array.from({ length: 1_000 }, (_, n) => ({
      source: `10.0.${n >> 8}.${n & 255}`,
      count: 1,
      disposition: 'none' as const,
      dkim: true,
      spf: true,
      overrides: [],
      headerFrom: 'full.example',
      dkimResults: [],
      spfResults: [],
    }))
    await createDomain(door.ctx, { domain: 'full.example', accountId, verified: true })
    const from = new Date(at(-2) * 1_000)
    const common = {
      accountId,
      domain: 'full.example',
      reporter: 'r.example',
      organisation: 'r',
      kind: 'dmarc' as const,
    }
    await door.ctx.store.domainReports.insertMany(
      Array.from({ length: 51 }, (_, n) => ({
        ...common,
        _id: `full ${n}`,
        reportId: `${n}`,
        from,
        until: from,
        receivedAt: from,
        expiresAt: new Date(at(9) * 1_000),
        rows,
        omitted: 0,
      })),
    )
    const { body } = await call<DomainReports>('GET', '/api/v1/domains/full.example/reports?limit=1')
    expect(body.complete).to.equal(false)
    expect([body.dmarc.reports, body.dmarc.messages]).to.deep.equal([50, 50_000])
  })

  it('are shown with the delivery results of the mailboxes on the domain', async () => {
    const address = 'box@figured.example'
    await createDomain(door.ctx, { domain: 'figured.example', accountId: tenant.accountId, verified: true })
    expect((await call('POST', '/api/v1/mailboxes', { address })).status).to.equal(201)
    const send = (from: string, to: readonly string[]) => call('POST', `${mailboxPath(from)}/send`, { to, text: 'Hi' })
    expect((await send(address, ['a@remote.example', 'b@remote.example'])).status).to.equal(202)
    expect((await send(tenant.address, ['a@remote.example'])).status).to.equal(202)
    const figures = { delivered: 0, bounced: 0, complained: 0 }
    const of = async (domain: string, query = '') =>
      (await call<DomainReports>('GET', `/api/v1/domains/${domain}/reports${query}`)).body.delivery
    expect(await of('figured.example')).to.deep.equal({ ...figures, sent: 2 })
    expect(await of('reported.example')).to.deep.equal({ ...figures, sent: 1 })
    const today = new Date().toISOString().slice(0, 10)
    expect(await of('figured.example', `?until=${today}`)).to.deep.equal({ ...figures, sent: 0 })
  })

  it('are shown to no other account', async () => {
    const other = await makeTenant(door, { name: 'curious' })
    const { body } = await reports('', client(door.http, other.key))
    expect([body.statusCode, body.code]).to.deep.equal([404, 'domain_not_found'])
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
    const scope = (await reports('', client(door.http, apiKey))).body
    expect([scope.code, (scope as unknown as Record<string, string>).requiredScope]).to.deep.equal([
      'insufficient_scope',
      'domains:read',
    ])
  })

  it('are removed when the domain gets another owner', async () => {
    const heir = await makeTenant(door, { name: 'heir' })
    await createDomain(door.ctx, { domain: 'passed-on.example', accountId: heir.accountId, verified: true })
    const about = { domain: 'passed-on.example', accountId: tenant.accountId }
    const raw = mailWith([xml({ id: 'x', domain: 'passed-on.example', begin: at(-2), end: at(-1) })])
    await keepReports(door.ctx, {
      raw,
      about: [about],
      sender: { alignedFrom: 'google.com', perhapsAligned: false, dkim: [] },
    })
    const { body } = await client(door.http, heir.key)<DomainReports>(
      'GET',
      '/api/v1/domains/passed-on.example/reports',
    )
    expect(body.dmarc.messages).to.equal(0)
  })

  describe('that this service sends about TLS with other servers', () => {
    const policy = {
      type: 'sts',
      strings: ['version: STSv1', 'mode: enforce'],
      mxHosts: ['mx.asking.example'],
    } as const
    const session = (domain: string, failure: { type: string; detail: string | null } | null = null) => ({
      domain,
      kind: { policy, mx: 'mx.asking.example', address: '203.0.113.25', failure },
    })
    let receiver: HttpsReceiver
    let endTrust: () => void
    let answer = 200
    let attempts: Awaited<ReturnType<typeof claimAttempts>>

    before(async () => {
      const certificate = await certificateOf()
      endTrust = trust([certificate])
      receiver = await startHttpsReceiver(certificate, (response) => void response.writeHead(answer).end())
      Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
      dns.zone = {
        ...dns.zone,
        'TXT _smtp._tls.asking.example': ['v=TLSRPTv1; rua=mailto:tls@reports.example'],
        'TXT _smtp._tls.posting.example': [`v=TLSRPTv1;rua=${receiver.url},mailto:both@reports.example`],
        'TXT _smtp._tls.twice.example': [
          'v=TLSRPTv1; rua=mailto:a@reports.example',
          'v=TLSRPTv1; rua=mailto:b@reports.example',
        ],
        'TXT _smtp._tls.other.example': ['v=spf1 -all'],
        'TXT _smtp._tls.odd.example': ['v=TLSRPTv1; rua=ftp://odd.example/, mailto:no address'],
        'TXT _smtp._tls.percent.example': [
          `v=TLSRPTv1; rua=${'mailto:100%@reports.example,'.repeat(4)}mailto:percent%40reports.example?subject=tls`,
        ],
        'TXT _smtp._tls.many.example': ['v=TLSRPTv1; rua=mailto:many@reports.example'],
        'TXT _smtp._tls.dark.example': 'SERVFAIL',
      }
    })
    after(async () => {
      await receiver?.close()
      endTrust?.()
    })

    const mails = async () => {
      const sent = await door.ctx.store.emails.find({ origin: 'tls report' }).toArray()
      return sent.map(({ noticeTo = '' }) => noticeTo).sort()
    }
    const left = async () => (await door.ctx.store.tlsResults.find({}).toArray()).map(({ domain }) => domain).sort()

    it('are counted by domain and day, whichever process writes the counts', async () => {
      const other = await door.another()
      for (const ctx of [door.ctx, door.ctx, other.ctx]) noteTlsSession(ctx, session('asking.example'))
      noteTlsSession(door.ctx, session('asking.example', { type: 'certificate-expired', detail: 'CERT_HAS_EXPIRED' }))
      for (const name of ['posting', 'twice', 'other', 'odd', 'percent', 'dark', 'silent'])
        noteTlsSession(door.ctx, session(`${name}.example`))
      for (let n = 0; n < 510; n++)
        noteTlsSession(door.ctx, session('many.example', { type: 'validation-failure', detail: String(n) }))
      await Promise.all([writeTlsResults(door.ctx), writeTlsResults(other.ctx)])
      await writeTlsResults(door.ctx)
      await other.close()
      const found = await door.ctx.store.tlsResults.find({ domain: 'asking.example' }).toArray()
      expect(
        found.map(({ kinds }) =>
          Object.values(kinds)
            .map(({ sessions }) => sessions)
            .sort(),
        ),
      ).to.deep.equal([[1, 3]])
      expect(await sendTlsReports(door.ctx), 'before the day is over').to.equal(0)
    })

    it('are sent once to the address that a domain publishes for them', async () => {
      door.advance(2 * dayMs)
      answer = 500
      const settled = await Promise.all([sendTlsReports(door.ctx), sendTlsReports(door.ctx)])
      expect(settled[0] + settled[1]).to.equal(9)
      // A report address that does not accept the report does not keep it from the others.
      const mailed = ['both', 'many', 'percent', 'tls'].map((name) => `${name}@reports.example`)
      expect(await mails()).to.deep.equal(mailed)
      // One domain whose DNS does not answer, and one whose report address does not accept the report.
      expect(await left()).to.deep.equal(['dark.example', 'posting.example'])
      door.advance(2 * hourMs)
      answer = 200
      expect(await sendTlsReports(door.ctx)).to.equal(2)
      expect(await mails()).to.deep.equal(mailed)
      expect(await left()).to.deep.equal(['dark.example'])
      expect(receiver.headers.map((each) => each['content-type'])).to.deep.equal(
        Array(2).fill('application/tlsrpt+gzip'),
      )
      door.advance(2 * hourMs)
      await sendTlsReports(door.ctx)
      expect(await mails()).to.deep.equal(mailed)
    })

    it('contain the results in the standard format', async () => {
      attempts = await claimAttempts(door.ctx, { owner: 'test', max: 100 })
      const attempt = attempts.find(({ recipient }) => recipient === 'tls@reports.example')!
      expect(attempt.anyTls).to.equal(true)
      const raw = await attempt.readRaw()
      const parsed = await simpleParser(raw)
      expect(parsed.from?.value[0]?.address).to.equal('postmaster@agents.localhost')
      expect(parsed.headers.get('tls-report-domain')).to.equal('asking.example')
      expect(parsed.headers.get('tls-report-submitter')).to.equal('agents.localhost')
      expect(raw.toString())
        .to.match(/^DKIM-Signature:/m)
        .and.match(/^Content-Type: multipart\/report; report-type="tlsrpt"/m)
      const [file] = parsed.attachments
      expect(file?.contentType).to.equal('application/tlsrpt+gzip')
      expect(file?.filename).to.match(/^agents\.localhost!asking\.example!\d+!\d+\.json\.gz$/)
      const json = JSON.parse(gunzipSync(file!.content).toString())
      expect(json).to.include({
        'organization-name': 'agents.localhost',
        'contact-info': 'postmaster@agents.localhost',
      })
      expect(json.policies).to.deep.equal([
        {
          policy: {
            'policy-type': 'sts',
            'policy-string': policy.strings,
            'policy-domain': 'asking.example',
            'mx-host': policy.mxHosts,
          },
          summary: { 'total-successful-session-count': 3, 'total-failure-session-count': 1 },
          'failure-details': [
            {
              'result-type': 'certificate-expired',
              'sending-mta-ip': '192.0.2.10',
              'receiving-mx-hostname': 'mx.asking.example',
              'receiving-ip': '203.0.113.25',
              'failed-session-count': 1,
              'failure-reason-code': 'CERT_HAS_EXPIRED',
            },
          ],
        },
      ])
      expect(readTlsReport(gunzipSync(file!.content))?.policies[0]).to.deep.include({ successful: 3, failed: 1 })
    })

    it('count the failures that they leave out', async () => {
      const { attachments } = await simpleParser(
        await attempts.find(({ recipient }) => recipient === 'many@reports.example')!.readRaw(),
      )
      const [policyOfMany] = JSON.parse(gunzipSync(attachments[0]!.content).toString()).policies
      expect(policyOfMany['failure-details']).to.have.length(500)
      expect(policyOfMany.summary).to.deep.equal({
        'total-successful-session-count': 0,
        'total-failure-session-count': 510,
      })
    })

    it('are not made if the settings turn them off', async () => {
      Object.assign(door.ctx.settings.deliverability, { tlsReports: false })
      noteTlsSession(door.ctx, session('asking.example'))
      await writeTlsResults(door.ctx)
      expect(await left()).to.deep.equal(['dark.example'])
      expect(await sendTlsReports(door.ctx)).to.equal(0)
      Object.assign(door.ctx.settings.deliverability, { tlsReports: true })
    })
  })

  it('say what is wrong with a request', async () => {
    const cases = [
      ['?before=zzz', 'validation_error', 'before'],
      ['?since=yesterday', 'validation_error', 'since'],
      ['?since=2026-07-15&until=2026-07-15', 'validation_error', 'since'],
      ['?limit=0', 'validation_error', 'limit'],
    ] as const
    for (const [query, code, param] of cases) {
      const { body } = await reports(query)
      expect([body.code, (body as unknown as Record<string, string>).param], query).to.deep.equal([code, param])
    }
    for (const domain of ['nowhere.example', 'agents.localhost'])
      expect((await call<ErrorBody>('GET', `/api/v1/domains/${domain}/reports`)).body.code, domain).to.equal(
        'domain_not_found',
      )
    expect((await call<ErrorBody>('GET', '/api/v1/domains/-/reports')).body.code).to.equal('validation_error')
  })
})
