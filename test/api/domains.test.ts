import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { authenticate } from 'mailauth'
import { getAccount } from '../../core/account/accounts.ts'
import { raiseLimit } from '../../core/account/plans.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { rotateKeys } from '../../core/domains/dkim-rotation.ts'
import { setBackend, type UpdateAccess, updateBackend } from '../../core/domains/dns-backend.ts'
import { domainInUse } from '../../core/domains/domain-list.ts'
import { setExpiry } from '../../core/domains/expiry.ts'
import { watchDomains } from '../../core/domains/watching.ts'
import { signingKeys } from '../../core/mailbox/domains.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import { createKept } from '../../core/process/kept.ts'
import { findRecipient } from '../../core/receive/recipients.ts'
import { servedZone } from '../../core/zones/served-zones.ts'
import { publishTxt, withdrawTxt } from '../../core/zones/system-records.ts'
import type { DnsRecord, Domain } from '../../schemas/domains.ts'
import { allScopes, type Scope } from '../../schemas/scopes.ts'
import type { DnsBackend } from '../../store/documents/domains.ts'
import { markLeaving } from '../../store/domains.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { type Call, client, type ErrorBody, type Json } from '../peers/rest.ts'
import { startUpdateServer, type UpdateServer } from '../peers/update-server.ts'
import { giveDomain } from '../start/domains.ts'
import { connectMcp, type Door, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

type Answered = Domain & ErrorBody & { readonly error: string; readonly fix: string }
type Event = { readonly type: string; readonly data: Domain & { readonly record?: Domain['records'][number] } }

describe('api: domains', () => {
  let door: Door
  let tenant: Tenant
  let rival: Tenant
  let call: Call
  let rivalCall: Call
  let servers: NameServer[]

  before(async () => {
    servers = await Promise.all([startNameServer({}), startNameServer({})])
    ;({ door, tenant, call } = await openTenant())
    Object.assign(door.ctx, { hostname: 'mx.mailroom.test' })
    askTwo()
    rival = await makeTenant(door, { name: 'rival' })
    rivalCall = client(door.http, rival.key)
    // The domains of the tenants are verified by an administrator and not part of these tests.
    await door.ctx.store.domains.updateMany({}, { $unset: { watch: '' } })
  })
  after(async () => {
    await door?.close()
    await Promise.all(servers.map((server) => server.stop()))
  })

  const resolveBy = (addresses: readonly string[]) =>
    Object.assign(door.ctx, { resolver: createResolver(addresses, createKept(door.ctx.clock, answersPolicy)) })
  const askTwo = () => resolveBy(servers.map(({ address }) => address))
  const askOne = () => resolveBy([servers[0]!.address])

  const post = (domain: string, by = call) => by<Answered>('POST', '/api/v1/domains', { domain })
  const verify = (domain: string, by = call) => by<Answered>('POST', `/api/v1/domains/${domain}/verify`)
  const get = async (domain: string, by = call) => (await by<Answered>('GET', `/api/v1/domains/${domain}`)).body
  const events = async (domain: string) =>
    (await call<{ events: Event[] }>('GET', '/api/v1/events?limit=200')).body.events
      .filter(({ type, data }) => type.startsWith('domain.') && data.domain === domain)
      .map(({ type, data }) => [type, data.record?.name ?? null])
      .reverse()

  /** Publishes the records in the answer to a POST, as the owner would by hand. */
  function publish(records: Domain['records'], without: readonly string[] = []): void {
    for (const server of servers) {
      const zone: { [question: string]: string[] } = {}
      for (const { type, name, value } of records)
        if (!without.includes(name)) zone[`${type} ${name}`] = [...(zone[`${type} ${name}`] ?? []), value]
      server.zone = { ...server.zone, ...zone }
    }
  }
  const withdraw = (question: string) => {
    for (const server of servers)
      server.zone = Object.fromEntries(Object.entries(server.zone).filter(([q]) => q !== question))
  }
  const set = (question: string, values: readonly string[]) => {
    for (const server of servers) server.zone = { ...server.zone, [question]: values }
  }
  /** The data of a zone record in zone file format. */
  function inZoneFile(type: string, data: unknown): string {
    if (type === 'TXT') return (data as readonly Buffer[]).join('')
    return typeof data === 'string' ? data : Object.values(data as object).join(' ')
  }
  /** Adds a domain and verifies it. */
  async function verified(domain: string): Promise<Answered> {
    const made = await post(domain)
    publish(made.body.records)
    const { body } = await verify(domain)
    expect(body.status, JSON.stringify(body.records.filter(({ ok }) => !ok))).to.equal('verified')
    return body
  }
  /** One turn of the clock, at a time when the domain is due. */
  async function turn(domain: string): Promise<void> {
    await door.ctx.store.domains.updateOne({ _id: domain }, { $set: { 'watch.dueAt': door.ctx.clock.now() } })
    expect(await watchDomains(door.ctx)).to.be.above(0)
  }

  it('are added with every record to publish', async () => {
    const { status, body } = await post('Shop.Example')
    expect(status).to.equal(201)
    expect(body).to.include({ domain: 'shop.example', status: 'pending', verifiedAt: null, shared: false })
    const written = body.records.map(
      ({ type, name, value }) => `${type} ${name} ${value.replace(/(p=|verification=|id=|rua=).*/, '$1...')}`,
    )
    const selectors = body.records.flatMap(({ name }) => /^(mr\d+\w+)\._domainkey/.exec(name)?.[1] ?? [])
    expect(selectors).to.have.length(2)
    expect(written).to.deep.equal([
      'TXT _mailroom.shop.example mailroom-verification=...',
      'MX shop.example 10 mx.mailroom.test',
      'TXT shop.example v=spf1 a:mx.mailroom.test ~all',
      `TXT ${selectors[0]}._domainkey.shop.example v=DKIM1; k=rsa; p=...`,
      `TXT ${selectors[1]}._domainkey.shop.example v=DKIM1; k=ed25519; p=...`,
      'TXT _dmarc.shop.example v=DMARC1; p=...',
      'TXT _mta-sts.shop.example v=STSv1; id=...',
      'CNAME mta-sts.shop.example mx.mailroom.test',
      'TXT _smtp._tls.shop.example v=TLSRPTv1; rua=...',
      'CNAME autoconfig.shop.example mx.mailroom.test',
      'CNAME autodiscover.shop.example mx.mailroom.test',
      'SRV _imaps._tcp.shop.example 0 1 2993 mx.mailroom.test',
      'SRV _imap._tcp.shop.example 0 1 2143 mx.mailroom.test',
      'SRV _submissions._tcp.shop.example 0 1 2465 mx.mailroom.test',
      'SRV _submission._tcp.shop.example 0 1 2587 mx.mailroom.test',
    ])
    expect(body.records.filter(({ required }) => required).map(({ mailCritical }) => mailCritical)).to.not.include(
      false,
    )
    expect(await get('shop.example')).to.deep.equal(body)
  })

  it('in other scripts are stored in ASCII, and found in either form', async () => {
    const { body } = await post('Bücher.example')
    expect(body.domain).to.equal('xn--bcher-kva.example')
    expect((await get(encodeURIComponent('bücher.example'))).domain).to.equal('xn--bcher-kva.example')
    expect((await call('DELETE', `/api/v1/domains/${encodeURIComponent('BÜCHER.example')}`)).status).to.equal(200)
  })

  const refused: readonly [string, string, string][] = [
    ['no name', 'not a domain', 'validation_error'],
    ['an address', '192.0.2.1', 'validation_error'],
    ['one label', 'localhost', 'validation_error'],
    ['a public suffix', 'co.uk', 'validation_error'],
    ['a URL', 'https://shop.example', 'validation_error'],
    ['a URL without its scheme', 'store.example/contact?from=mail#top', 'validation_error'],
    ['a name that is written for a URL', 'st%6fre.example', 'validation_error'],
    ['the shared domain', 'agents.localhost', 'conflict'],
    ['below the shared domain', 'x.agents.localhost', 'conflict'],
    ['one that the account has', 'tenant.example', 'conflict'],
    ['one that the account claims', 'shop.example', 'conflict'],
    ['one that another account has', 'rival.example', 'conflict'],
  ]
  for (const [name, domain, code] of refused)
    it(`are not added: ${name}`, async () => expect((await post(domain)).body.code).to.equal(code))

  it('are limited by the plan, and a failed or deleted one does not count', async () => {
    const { accountId, key } = await makeTenant(door, { name: 'small', agentsPlan: 'free', plan: null })
    await raiseLimit(door.ctx, accountId, { figure: 'ownDomains', to: 2 })
    await door.ctx.store.domains.updateMany({ accountId }, { $unset: { watch: '' } })
    const small = client(door.http, key)
    expect((await post('small2.example', small)).status).to.equal(201)
    expect((await post('small3.example', small)).body.code).to.equal('plan_required')
    expect((await small('DELETE', '/api/v1/domains/small2.example')).status).to.equal(200)
    expect((await post('rival.example', small)).body.code).to.equal('conflict')
    expect((await post('small3.example', small)).status).to.equal(201)
  })

  it('are listed newest first, in pages, including the free one, which cannot be changed', async () => {
    const signup = await client(door.http)<{ api_key: string }>('POST', '/api/v1/signup', { name: 'visitor' })
    const agent = client(door.http, signup.body.api_key)
    const accountId = (await agent<{ id: string }>('GET', '/api/v1/account')).body.id
    const { apiKey } = await makeKey(door.ctx, { accountId })
    const owner = client(door.http, apiKey)
    const list = await owner<{ domains: Domain[]; next: null }>('GET', '/api/v1/domains')
    expect(list.body.domains).to.have.length(1)
    expect(list.body.domains[0]).to.deep.include({
      domain: 'visitor.agents.localhost',
      shared: true,
      status: 'verified',
      records: [],
    })
    for (const [method, path, body] of [
      ['PATCH', '', { defaultDisplayName: 'x' }],
      ['DELETE', ''],
      ['POST', '/verify'],
      ['GET', '/dns'],
    ] as const) {
      const answer = await owner<ErrorBody>(method, `/api/v1/domains/visitor.agents.localhost${path}`, body)
      expect(answer.body.code, `${method} ${path}`).to.equal('conflict')
    }
    const pages: string[] = []
    for (let before = ''; ; ) {
      const { body } = await call<{ domains: Domain[]; next: string | null }>('GET', `/api/v1/domains?limit=1${before}`)
      pages.push(...body.domains.map(({ domain }) => domain))
      if (body.next === null) break
      before = `&before=${body.next}`
    }
    expect(pages).to.deep.equal(['shop.example', 'tenant.example'])
  })

  it('are for account keys with the scope, and for nobody else', async () => {
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['domains:read'] })
    const reader = client(door.http, apiKey)
    expect((await reader('GET', '/api/v1/domains')).status).to.equal(200)
    expect((await post('more.example', reader)).body).to.include({
      code: 'insufficient_scope',
      requiredScope: 'domains:write',
    })
    const agent = await makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: ['mail:read', 'dns:read'],
      mailboxIds: [tenant.mailboxId],
    })
    const asked = client(door.http, agent.apiKey)
    expect((await asked<ErrorBody>('GET', '/api/v1/domains')).body.code).to.equal('insufficient_scope')
    for (const path of ['', '/verify', '/dns'])
      expect(
        (await rivalCall<ErrorBody>(path === '/verify' ? 'POST' : 'GET', `/api/v1/domains/shop.example${path}`)).body
          .code,
      ).to.equal('domain_not_found')
  })

  it('receive nothing and have no mailboxes while pending', async () => {
    const mailbox = await call<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'a@shop.example' })
    expect(mailbox.body.code).to.equal('domain_not_verified')
    const email = { from: 'a@shop.example', to: 'delivered@simulator.invalid', subject: 'x', text: 'x' }
    expect((await call<ErrorBody>('POST', '/api/v1/emails', email)).body.code).to.equal('domain_not_verified')
    for (const local of ['postmaster', 'abuse', 'a'])
      expect(await findRecipient(door.ctx, `${local}@shop.example`).catch(({ code }) => code)).to.equal(
        'mailbox_not_found',
      )
  })

  it('go to the first account whose records are all published; the others get a conflict', async () => {
    const theirs = (await post('shop.example', rivalCall)).body
    const ours = await get('shop.example')
    const empty = (await verify('shop.example')).body
    expect(empty.status).to.equal('pending')
    expect(
      empty.records.map(({ fix }) => fix?.startsWith('Publish')),
      'each says what to do',
    ).to.not.include(false)
    publish(ours.records, ['shop.example'])
    const half = (await verify('shop.example')).body
    expect(half.status).to.equal('pending')
    expect(half.records.filter(({ ok }) => !ok).map(({ type, name }) => `${type} ${name}`)).to.deep.equal([
      'MX shop.example',
      'TXT shop.example',
    ])
    publish(ours.records)
    const whole = (await verify('shop.example')).body
    expect(whole).to.include({ status: 'verified' })
    expect(whole.records.map(({ ok }) => ok)).to.not.include(false)
    expect(whole.records.map(({ name, found }) => [name, found])).to.deep.equal(
      whole.records.map(({ name, value }) => [name, [value]]),
    )
    expect(await events('shop.example')).to.deep.equal([['domain.verified', null]])
    expect(theirs.records[0]!.value).to.not.equal(ours.records[0]!.value)
    for (const answer of [await verify('shop.example', rivalCall), await post('shop.example', rivalCall)])
      expect(answer.body.code).to.equal('conflict')
    expect((await get('shop.example', rivalCall)).status).to.equal('pending')
    expect((await call('POST', '/api/v1/mailboxes', { address: 'a@shop.example' })).status).to.equal(201)
    expect((await findRecipient(door.ctx, 'abuse@shop.example')).mailboxes).to.have.length(1)
  })

  it('go to only one account when two verify at the same moment', async () => {
    const claims = await Promise.all([post('race.example'), post('race.example', rivalCall)])
    const [one, other] = claims.map(({ body }) => body.records)
    publish(one!)
    // Both tokens and each account's keys are published, as when a domain is handed over.
    publish(other!.filter(({ name }) => name.includes('_domainkey')))
    set('TXT _mailroom.race.example', [one![0]!.value, other![0]!.value])
    const answers = await Promise.all([verify('race.example'), verify('race.example', rivalCall)])
    expect(answers.map(({ body }) => body.status ?? body.code).sort()).to.deep.equal(['conflict', 'verified'])
    const { accountId } = await domainInUse(door.ctx, 'race.example')
    expect(answers[accountId === tenant.accountId ? 0 : 1]?.body.status).to.equal('verified')
  })

  it('cannot be those of sandboxes', async () => {
    const { ctx } = door
    const { apiKey } = await issueTestKey(ctx, await getAccount(ctx, tenant.accountId), {
      kind: 'account',
      name: 'test',
      scopes: allScopes,
      mailboxes: [],
      expiresAt: null,
    })
    expect((await post('sand.example', client(door.http, apiKey))).body.code).to.equal('forbidden')
  })

  it('cannot be those of simulated recipients', async () => {
    for (const domain of ['simulator.invalid', 'a.Simulator.invalid'])
      expect((await post(domain)).body).to.include({
        code: 'conflict',
        error: `${domain.toLowerCase()} is the domain of simulated recipients or below it.`,
      })
  })

  it('are verified by the clock too', async () => {
    publish((await post('clock.example')).body.records)
    door.advance(2 * minuteMs)
    await watchDomains(door.ctx)
    expect((await get('clock.example')).status).to.equal('verified')
    expect(await events('clock.example')).to.deep.equal([['domain.verified', null]])
  })

  it('are verified by the records of our own zone alone, and send mail that a receiver authenticates', async () => {
    const { ctx } = door
    await post('ours.example')
    expect((await verify('ours.example')).body).to.include({ status: 'pending' })
    const zone = await servedZone(ctx, 'ours.example')
    publish(
      (zone?.records ?? []).map(({ type, name, data }) => ({
        type,
        name,
        value: inZoneFile(type, data),
        found: [],
        ok: true,
        mailCritical: true,
      })),
    )
    set('A mx.mailroom.test', ['198.51.100.7'])
    const { body } = await verify('ours.example')
    expect(body.records.filter(({ ok }) => !ok)).to.deep.equal([])
    expect(body.status).to.equal('verified')
    await call('POST', '/api/v1/mailboxes', { address: 'a@ours.example' })
    const box = '/api/v1/mailboxes/a@ours.example'
    const mail = { to: 'someone@remote.example', subject: 'Hello', text: 'Hello' }
    const sent = await call<{ message_id: string }>('POST', `${box}/send`, mail)
    const raw = await fetch(`${door.http}${box}/messages/${sent.body.message_id}/raw`, {
      headers: { authorization: `Bearer ${tenant.key}` },
    })
    const { spf, dkim, dmarc } = await authenticate(Buffer.from(await raw.arrayBuffer()), {
      ip: '198.51.100.7',
      helo: 'mx.mailroom.test',
      sender: 'a@ours.example',
      mta: 'mx.remote.example',
      resolver: (name: string, type: string) => ctx.resolver.resolve(name, type as 'TXT') as never,
    })
    expect(spf ? spf.status.result : null).to.equal('pass')
    expect(dkim.results.map(({ status, signingDomain }) => [status.result, signingDomain])).to.deep.equal([
      ['pass', 'ours.example'],
      ['pass', 'ours.example'],
    ])
    expect(dmarc ? dmarc.status.result : null).to.equal('pass')
  })

  it('are broken within one check when two resolvers agree that a record is missing, and verified again once it is back', async () => {
    const { records } = await verified('watched.example')
    const [, mx] = records
    withdraw('MX watched.example')
    await turn('watched.example')
    expect(await get('watched.example')).to.include({ status: 'broken' })
    const told = (await call<{ events: Event[] }>('GET', '/api/v1/events?type=domain.dns_broken')).body.events[0]!
    expect(told.data.record).to.deep.include({
      type: 'MX',
      name: 'watched.example',
      value: mx!.value,
      found: [],
      ok: false,
    })
    expect(told.data.record?.fix).to.equal('Publish the MX record watched.example with the value: 10 mx.mailroom.test')
    // The domain can send and receive.
    expect((await call('POST', '/api/v1/mailboxes', { address: 'a@watched.example' })).status).to.equal(201)
    await turn('watched.example')
    set('MX watched.example', [mx!.value])
    await turn('watched.example')
    expect(await get('watched.example')).to.include({ status: 'verified' })
    expect(await events('watched.example')).to.deep.equal([
      ['domain.verified', null],
      ['domain.dns_broken', 'watched.example'],
      ['domain.verified', null],
    ])
  })

  it('are not broken by the answer of one of two resolvers', async () => {
    await verified('doubted.example')
    servers[1]!.zone = Object.fromEntries(Object.entries(servers[1]!.zone).filter(([q]) => q !== 'MX doubted.example'))
    await turn('doubted.example')
    expect((await get('doubted.example')).status).to.equal('verified')
    servers[0]!.zone = { ...servers[0]!.zone, 'MX doubted.example': 'SERVFAIL' }
    await turn('doubted.example')
    expect((await get('doubted.example')).status, 'one fails, one has nothing').to.equal('verified')
    door.advance(2 * minuteMs)
    await turn('doubted.example')
    expect((await get('doubted.example')).status, 'it says so for some time').to.equal('broken')
  })

  it('are broken by a single resolver if it gives the same answer twice', async () => {
    await verified('lonely.example')
    askOne()
    withdraw('TXT _dmarc.lonely.example')
    await turn('lonely.example')
    expect(await events('lonely.example')).to.deep.equal([['domain.verified', null]])
    door.advance(3 * minuteMs)
    await watchDomains(door.ctx)
    expect(await events('lonely.example')).to.deep.equal([
      ['domain.verified', null],
      ['domain.dns_broken', '_dmarc.lonely.example'],
    ])
    for (const trouble of ['SERVFAIL', 'REFUSED'] as const) {
      for (const server of servers) server.zone = { ...server.zone, 'MX lonely.example': trouble }
      await turn('lonely.example')
    }
    expect(await events('lonely.example')).to.have.length(2)
    askTwo()
  })

  it('verified by an administrator are not broken because of records that never existed', async () => {
    await door.ctx.store.domains.updateOne(
      { _id: 'tenant.example' },
      { $set: { watch: { looks: [], lookedAt: null, dueAt: new Date(0), pauseMs: 0, rev: 0 } } },
    )
    await turn('tenant.example')
    const { status, records } = await get('tenant.example')
    expect(status).to.equal('verified')
    expect(records.map(({ ok }) => ok)).to.not.include(true)
    expect(await events('tenant.example')).to.deep.equal([])
  })

  it('announce their expiry 30 and 7 days before', async () => {
    await verified('ending.example')
    const at = (days: number) => new Date(door.ctx.clock.now().getTime() + days * dayMs)
    const told = async () => (await events('ending.example')).filter(([type]) => type === 'domain.expiring').length
    await setExpiry(door.ctx, 'ending.example', at(40))
    expect((await get('ending.example')).expiresAt).to.be.a('string')
    for (const [days, count] of [
      [0, 0],
      [11, 1],
      [5, 1],
      [18, 2],
      [3, 2],
      [10, 2],
    ] as const) {
      door.advance(days * dayMs)
      await turn('ending.example')
      expect(await told(), `${days} days later`).to.equal(count)
    }
  })

  it('take their expiry from the registry if the settings name one, unless an administrator sets it', async () => {
    const { ctx } = door
    await verified('registered.example')
    let answer: [number, unknown] = [
      200,
      { events: [{ eventAction: 'expiration', eventDate: '2031-05-06T07:08:09Z' }] },
    ]
    const asked: string[] = []
    const registry = createServer((request, response) => {
      if (request.url === '/domain/registered.example') asked.push(request.url)
      response.writeHead(answer[0], { 'content-type': 'application/rdap+json' }).end(JSON.stringify(answer[1]))
    }).listen(0, '127.0.0.1')
    await once(registry, 'listening')
    const rdapUrl = `http://127.0.0.1:${(registry.address() as AddressInfo).port}`
    const end = async () => (await get('registered.example')).expiresAt
    try {
      await turn('registered.example')
      expect(asked).to.deep.equal([])
      Object.assign(ctx.settings.domains, { rdapUrl })
      answer = [500, answer[1]]
      await turn('registered.example')
      expect(await end()).to.equal(undefined)
      answer = [200, answer[1]]
      await turn('registered.example')
      await turn('registered.example')
      expect(asked).to.deep.equal(['/domain/registered.example', '/domain/registered.example'])
      expect(await end()).to.equal('2031-05-06T07:08:09.000Z')
      for (const nothing of [
        {},
        { events: 'none' },
        { events: [null, { eventAction: 'expiration', eventDate: 'soon' }] },
      ]) {
        door.advance(8 * dayMs)
        answer = [200, nothing]
        await turn('registered.example')
        expect(await end()).to.equal('2031-05-06T07:08:09.000Z')
      }
      await setExpiry(ctx, 'registered.example', new Date('2032-01-01'))
      door.advance(8 * dayMs)
      const before = asked.length
      await turn('registered.example')
      expect([asked.length, await end()]).to.deep.equal([before, '2032-01-01T00:00:00.000Z'])
    } finally {
      Object.assign(ctx.settings.domains, { rdapUrl: null })
      registry.close()
    }
  })

  it('rotate their DKIM keys so that every message can be verified', async () => {
    await verified('keys.example')
    const { ctx } = door
    const selectors = async () => (await signingKeys(ctx, 'keys.example')).map(({ selector }) => selector)
    const before = await selectors()
    await rotateKeys(ctx, await domainInUse(ctx, 'keys.example'))
    const four = (await get('keys.example')).records.filter(({ name }) => name.includes('_domainkey'))
    expect(four.map(({ required }) => required)).to.deep.equal([true, true, false, false])
    expect(await rotateKeys(ctx, await domainInUse(ctx, 'keys.example')).catch(({ code }) => code)).to.equal('conflict')
    const since = async (ms: number) => {
      door.advance(ms)
      await turn('keys.example')
    }
    await since(minuteMs)
    expect(await selectors(), 'not seen yet').to.deep.equal(before)
    publish(four)
    await since(minuteMs)
    const after = await selectors()
    expect(after).to.have.length(2).and.not.include.members(before)
    await since(3 * dayMs)
    expect((await domainInUse(ctx, 'keys.example')).dkim.map(({ use }) => use ?? 'signs')).to.deep.equal([
      'last',
      'last',
      'signs',
      'signs',
    ])
    for (const selector of before) withdraw(`TXT ${selector}._domainkey.keys.example`)
    await since(5 * dayMs)
    expect((await domainInUse(ctx, 'keys.example')).dkim.map(({ selector }) => selector)).to.deep.equal(after)
    expect((await get('keys.example')).status).to.equal('verified')
  })

  it('rotate their DKIM keys automatically after the days of the setting', async () => {
    await verified('aging.example')
    const { domains } = door.ctx.settings
    Object.assign(domains, { dkimDays: 90 })
    door.advance(89 * dayMs)
    await turn('aging.example')
    expect((await domainInUse(door.ctx, 'aging.example')).dkim).to.have.length(2)
    door.advance(2 * dayMs)
    await turn('aging.example')
    Object.assign(domains, { dkimDays: 0 })
    expect((await domainInUse(door.ctx, 'aging.example')).dkim.map(({ use }) => use ?? 'signs')).to.deep.equal([
      'signs',
      'signs',
      'next',
      'next',
    ])
  })

  it('have a default display name, which can be changed and removed', async () => {
    const path = '/api/v1/domains/shop.example'
    expect((await call<Domain>('PATCH', path, { defaultDisplayName: ' The Shop ' })).body.defaultDisplayName).to.equal(
      'The Shop',
    )
    expect((await call<ErrorBody>('PATCH', path, { defaultDisplayName: 'x\ny' })).body).to.include({
      code: 'validation_error',
      param: 'defaultDisplayName',
    })
    expect((await call<Domain>('PATCH', path, { defaultDisplayName: null })).body.defaultDisplayName).to.equal(null)
  })

  it('can be deleted once nothing uses them, and are free for others at once', async () => {
    const inUse = await call<ErrorBody & { error: string }>('DELETE', '/api/v1/domains/shop.example')
    expect(inUse.body).to.include({
      code: 'conflict',
      error: 'shop.example is in use: 1 mailbox and 0 aliases are on it.',
    })
    await call('DELETE', '/api/v1/mailboxes/a@shop.example')
    expect((await call('DELETE', '/api/v1/domains/shop.example')).status).to.equal(200)
    expect((await call<ErrorBody>('DELETE', '/api/v1/domains/shop.example')).body.code).to.equal('domain_not_found')
    expect(await findRecipient(door.ctx, 'postmaster@shop.example').catch(({ code }) => code)).to.equal(
      'mailbox_not_found',
    )
    publish((await get('shop.example', rivalCall)).records)
    for (const server of servers)
      server.zone = {
        ...server.zone,
        'TXT shop.example': ['v=spf1 a:mx.mailroom.test ~all'],
        'MX shop.example': ['10 mx.mailroom.test'],
        'TXT _dmarc.shop.example': ['v=DMARC1; p=none'],
        'TXT _mailroom.shop.example': [(await get('shop.example', rivalCall)).records[0]!.value],
      }
    expect((await verify('shop.example', rivalCall)).body.status).to.equal('verified')
    expect((await rivalCall('POST', '/api/v1/mailboxes', { address: 'a@shop.example' })).status).to.equal(201)
  })

  it('leave no address behind that is created during their deletion, and are deleted whole or not at all', async () => {
    const target = tenant.address
    const { accountId } = tenant
    for (let round = 0; round < 8; round++) {
      const domain = `leaving${round}.example`
      await giveDomain(door.ctx, { accountId, domain })
      const make = (n: number) =>
        n % 2 === 0
          ? call('POST', '/api/v1/aliases', { alias: n === 0 ? `*@${domain}` : `a${n}@${domain}`, targets: [target] })
          : call('POST', '/api/v1/mailboxes', { address: `m${n}@${domain}` })
      const leave = () => call<ErrorBody>('DELETE', `/api/v1/domains/${domain}`)
      // Later in each round. There are two deletions, and one may finish what the other has begun.
      const before = Array.from({ length: round }, (_, n) => make(n))
      const leaving = Array.from({ length: 1 + (round % 2) }, leave)
      const after = Array.from({ length: 8 }, (_, n) => make(round + n))
      const made = (await Promise.all([...before, ...after])).map(({ status }) => status)
      await Promise.all(leaving)
      const isThere = (await get(domain)).code !== 'domain_not_found'
      const addresses = await door.ctx.store.addresses.countDocuments({ domain })
      expect(addresses, `round ${round}`).to.equal(isThere ? made.filter((status) => status === 201).length : 0)
    }
  })

  it('accept no address while they are being deleted, and an interrupted deletion can be repeated', async () => {
    const [domain, { accountId, address }] = ['cut-short.example', tenant]
    await giveDomain(door.ctx, { accountId, domain })
    await markLeaving(door.ctx.store, { accountId, domain, token: 'of a process that died' })
    const made = [
      await call<Answered>('POST', '/api/v1/mailboxes', { address: `a@${domain}` }),
      await call<Answered>('POST', '/api/v1/aliases', { alias: `*@${domain}`, targets: [address] }),
    ]
    for (const { body } of made)
      expect(body).to.include({ code: 'conflict', error: `The domain ${domain} is being deleted.` })
    expect(await door.ctx.store.addresses.countDocuments({ domain })).to.equal(0)
    expect((await call('DELETE', `/api/v1/domains/${domain}`)).status).to.equal(200)
    expect((await get(domain)).code).to.equal('domain_not_found')
  })

  it('are available as tools to account keys', async () => {
    const mcp = await connectMcp(door.http, tenant.key)
    const names = (await mcp.listTools()).tools.map(({ name }) => name)
    expect(names).to.include.members(['list_domains', 'create_domain', 'verify_domain'])
    const made = await mcp.callTool({ name: 'create_domain', arguments: { domain: 'tool.example' } })
    expect(made.isError).to.not.equal(true)
    const looked = await mcp.callTool({ name: 'verify_domain', arguments: { domain: 'tool.example' } })
    expect(JSON.stringify(looked.structuredContent)).to.include('Publish the MX record tool.example')
    await mcp.close()
  })

  it('have their remaining steps listed in the setup', async () => {
    const steps = (await call<{ steps: Json[] }>('GET', '/api/v1/account/setup')).body.steps
    const dns = steps.find(({ id }) => id === 'dns')
    expect(dns).to.include({ done: false })
    expect(dns?.fix).to.include('/api/v1/domains/tool.example/verify').and.include('Publish the MX record tool.example')
  })

  describe('DNS records', () => {
    type Answer = DnsRecord & ErrorBody & { readonly error: string; readonly fix: string }
    type List = { readonly records: readonly DnsRecord[]; readonly next: string | null }
    const path = '/api/v1/domains/zone.example/dns'
    const add = (record: Json, by = call) => by<Answer>('POST', path, record)
    const list = async (by = call) => (await by<List>('GET', `${path}?limit=200`)).body.records
    const served = async () =>
      (await servedZone(door.ctx, 'zone.example'))?.records.map(({ type, name }) => `${type} ${name}`)
    before(async () => void (await verified('zone.example')))

    it('are at first those to publish, managed by the service', async () => {
      const records = await list()
      expect(records).to.have.length(15)
      expect(records.every(({ managed }) => managed)).to.equal(true)
      const critical = records.filter(({ mailCritical }) => mailCritical).map(({ type, name }) => `${type} ${name}`)
      expect(critical).to.include.members([
        'MX zone.example',
        'TXT zone.example',
        'TXT _dmarc.zone.example',
        'TXT _mta-sts.zone.example',
      ])
      expect(await served()).to.have.members(records.map(({ type, name }) => `${type} ${name}`))
    })

    it('are added under a name in any form, listed in pages, and served', async () => {
      for (const [name, absolute] of [
        ['www', 'www.zone.example'],
        ['shop.zone.example', 'shop.zone.example'],
        ['a.zone.example.', 'a.zone.example'],
        ['@', 'zone.example'],
        ['Bücher', 'xn--bcher-kva.zone.example'],
        ['*.any', '*.any.zone.example'],
      ]) {
        const { status, body } = await add({ type: 'A', name, value: '192.0.2.7' })
        expect(status, body.error).to.equal(201)
        expect(body).to.include({ name: absolute, ttl: 3_600, priority: null, mailCritical: false, managed: false })
      }
      expect(await served()).to.include.members(['A www.zone.example', 'A *.any.zone.example'])
      const names: string[] = []
      for (let before = ''; ; ) {
        const { body } = await call<List>('GET', `${path}?limit=4${before}`)
        names.push(...body.records.map(({ id }) => id))
        if (body.next === null) break
        before = `&before=${body.next}`
      }
      expect(names).to.deep.equal((await list()).map(({ id }) => id))
    })

    const refused: readonly [string, Json, string, string | undefined][] = [
      ['another zone', { type: 'A', name: 'www.other.example.', value: '192.0.2.1' }, 'validation_error', 'name'],
      ['a wildcard inside', { type: 'A', name: 'a.*.b', value: '192.0.2.1' }, 'validation_error', 'name'],
      ['a label of 64', { type: 'A', name: 'x'.repeat(64), value: '192.0.2.1' }, 'validation_error', 'name'],
      ['a name with a line break', { type: 'A', name: 'a\nb', value: '192.0.2.1' }, 'validation_error', 'name'],
      ['a name with spaces', { type: 'A', name: 'a b', value: '192.0.2.1' }, 'validation_error', 'name'],
      ['a short time to live', { type: 'A', name: 'b', value: '192.0.2.1', ttl: 59 }, 'validation_error', 'ttl'],
      ['a long time to live', { type: 'A', name: 'b', value: '192.0.2.1', ttl: 604_801 }, 'validation_error', 'ttl'],
      ['another type', { type: 'PTR', name: 'b', value: 'x.example' }, 'validation_error', 'type'],
      ['a wrong value', { type: 'MX', name: 'b', value: '192.0.2.1' }, 'validation_error', 'value'],
      ['what does not fit', { type: 'CNAME', name: 'www', value: 'x.example' }, 'conflict', undefined],
      ['another way for mail', { type: 'MX', name: '@', value: '5 evil.example' }, 'conflict', undefined],
    ]
    for (const [name, record, code, param] of refused)
      it(`are not added: ${name}`, async () =>
        expect((await add(record)).body).to.include({ code, ...(param && { param }) }))

    it('that mail depends on are changed and deleted only with `force`, and then stay as their owner left them', async () => {
      const find = async (type: string, name: string) =>
        (await list()).find((each) => each.type === type && each.name === name)!
      const dmarc = await find('TXT', '_dmarc.zone.example')
      const change = (body: Json) => call<Answer>('PATCH', `${path}/${dmarc.id}`, body)
      const no = await change({ value: 'v=DMARC1; p=reject' })
      expect(no.body.code).to.equal('conflict')
      expect(no.body.error).to.match(
        /^Mail depends on TXT _dmarc.zone.example .* says what becomes of forged mail \(DMARC\)\.$/,
      )
      expect((await change({ value: 'v=DMARC1; p=reject', force: true })).body).to.include({
        value: 'v=DMARC1; p=reject',
        managed: false,
      })
      const autoconfig = await find('CNAME', 'autoconfig.zone.example')
      expect((await call('DELETE', `${path}/${autoconfig.id}`)).status).to.equal(200)
      const mx = await find('MX', 'zone.example')
      const kept = (await call<Answer>('DELETE', `${path}/${mx.id}`)).body
      expect(kept.code).to.equal('conflict')
      expect(kept.fix, 'a DELETE has no body').to.include('?force=true')
      expect((await call<Answer>('DELETE', `${path}/${mx.id}?force=true`)).status).to.equal(200)
      await verify('zone.example')
      expect(await served()).to.not.include.members(['MX zone.example'])
      expect(await served()).to.not.include.members(['CNAME autoconfig.zone.example'])
      expect((await find('TXT', '_dmarc.zone.example')).value).to.equal('v=DMARC1; p=reject')
      expect((await call<Answer>('DELETE', `${path}/${mx.id}?force=true`)).body.code).to.equal('not_found')
      const entries = (await call<{ entries: Json[] }>('GET', '/api/v1/audit?action=dns.update')).body.entries
      expect(entries.find(({ outcome }) => outcome === 'done')?.change).to.deep.include({
        before: { ...dmarc },
        after: { ...dmarc, value: 'v=DMARC1; p=reject', managed: false },
      })
      expect(entries.find(({ outcome }) => outcome === 'conflict')).to.not.have.property('change')
    })

    it('of one name and type have the same TTL', async () => {
      await add({ type: 'TXT', name: 'texts', value: 'one', ttl: 600 })
      await add({ type: 'TXT', name: 'texts', value: 'two' })
      const both = async () => (await list()).filter(({ name }) => name === 'texts.zone.example')
      expect((await both()).map(({ ttl }) => ttl)).to.deep.equal([600, 600])
      await call('PATCH', `${path}/${(await both())[0]!.id}`, { ttl: 900 })
      expect((await both()).map(({ ttl }) => ttl)).to.deep.equal([900, 900])
    })

    it('accept their priority in front of the value, also in a change', async () => {
      const { body } = await add({ type: 'MX', name: 'inner', value: '10 a.example.net' })
      const change = async (edit: Json) => {
        const { value, priority, error } = (await call<Answer>('PATCH', `${path}/${body.id}`, { ...edit, force: true }))
          .body
        return error ?? `${priority} ${value}`
      }
      expect(await change({ value: '20 b.example.net' })).to.equal('20 b.example.net')
      expect(await change({ value: 'c.example.net' })).to.equal('20 c.example.net')
      expect(await change({ priority: 5 })).to.equal('5 c.example.net')
      expect(await change({ value: '7 c.example.net', priority: 7 })).to.equal('7 c.example.net')
      expect(await change({ value: '8 c.example.net', priority: 9 })).to.equal(
        'The value begins with the priority 8, but "priority" is 9.',
      )
      expect(await change({ priority: null })).to.equal('10 c.example.net')
    })

    it('that exclude each other cannot be created at the same moment either', async () => {
      const answers = await Promise.all([
        add({ type: 'CNAME', name: 'race', value: 'x.example' }),
        ...['1', '2', '3'].map((n) => add({ type: 'A', name: 'race', value: `192.0.2.${n}` })),
      ])
      const types = (await list()).filter(({ name }) => name === 'race.zone.example').map(({ type }) => type)
      expect(types.includes('CNAME')).to.equal(types.length === 1)
      expect(answers.filter(({ status }) => status === 201)).to.have.length(types.length)
    })

    it('can be managed by agent keys that reach a mailbox on the domain', async () => {
      const { body } = await call<{ address: string }>('POST', '/api/v1/mailboxes', { address: 'a@zone.example' })
      expect(body.address).to.equal('a@zone.example')
      const { mailboxes } = await findRecipient(door.ctx, 'a@zone.example')
      const keyOf = async (mailboxId: string, scopes: readonly Scope[]) =>
        client(
          door.http,
          (await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes, mailboxIds: [mailboxId] }))
            .apiKey,
        )
      const inside = await keyOf(mailboxes[0]!.mailboxId, ['dns:read', 'dns:write'])
      expect((await list(inside)).length).to.be.above(10)
      expect((await add({ type: 'A', name: 'agent', value: '192.0.2.1' }, inside)).status).to.equal(201)
      const outside = await keyOf(tenant.mailboxId, ['dns:read', 'dns:write'])
      expect((await add({ type: 'A', name: 'agent', value: '192.0.2.2' }, outside)).body.code).to.equal(
        'domain_not_found',
      )
      const reader = await keyOf(mailboxes[0]!.mailboxId, ['dns:read'])
      expect((await add({ type: 'A', name: 'agent', value: '192.0.2.2' }, reader)).body.code).to.equal(
        'insufficient_scope',
      )
    })
  })

  describe('DNS records that another server keeps', () => {
    const key = 'hmac-sha256:mailroom:c2VjcmV0c2VjcmV0c2VjcmV0'
    const path = '/api/v1/domains/elsewhere.example/dns'
    let primary: UpdateServer
    const use = async (backend: DnsBackend | null) =>
      setBackend(door.ctx, await domainInUse(door.ctx, 'elsewhere.example'), backend)
    const updates = (change: Partial<UpdateAccess> = {}) =>
      updateBackend(door.ctx, { server: primary.address, key, ...change })
    const add = (record: Json) => call<DnsRecord & ErrorBody & { readonly error: string }>('POST', path, record)
    const there = (start: string) => [...primary.records].filter((record) => record.startsWith(start))
    before(async () => {
      primary = await startUpdateServer('elsewhere.example', key, door.ctx.clock)
      await verified('elsewhere.example')
    })
    after(() => primary?.stop())

    it('are all published there at the start, and our own server serves none', async () => {
      await use(updates())
      expect(primary.records.size).to.equal(15)
      expect(there('MX')).to.deep.equal(['MX elsewhere.example 3600 {"preference":10,"exchange":"mx.mailroom.test"}'])
      expect(await servedZone(door.ctx, 'elsewhere.example')).to.equal(null)
      expect(await get('elsewhere.example')).to.include({ dns: 'dynamic-update' })
      const stored = await domainInUse(door.ctx, 'elsewhere.example')
      expect(JSON.stringify(stored.backend)).to.not.include('c2VjcmV0')
    })

    it('are added, changed and deleted there', async () => {
      const { body } = await add({ type: 'TXT', name: 'long', value: 'x'.repeat(300), ttl: 300 })
      expect(there('TXT long')).to.deep.equal([
        `TXT long.elsewhere.example 300 ["${'x'.repeat(255)}","${'x'.repeat(45)}"]`,
      ])
      await call('PATCH', `${path}/${body.id}`, { value: 'short' })
      expect(there('TXT long')).to.deep.equal(['TXT long.elsewhere.example 300 ["short"]'])
      await call('PATCH', `${path}/${body.id}`, { ttl: 900 })
      expect(there('TXT long')).to.deep.equal(['TXT long.elsewhere.example 900 ["short"]'])
      await call('DELETE', `${path}/${body.id}`)
      expect(there('TXT long')).to.deep.equal([])
      const mx = (await call<{ records: DnsRecord[] }>('GET', path)).body.records.find(({ type }) => type === 'MX')!
      await call('DELETE', `${path}/${mx.id}?force=true`)
      expect(there('MX')).to.deep.equal([])
    })

    it('are unchanged after a change too large for one update, which is refused', async () => {
      const texts = Array.from({ length: 10 }, (_, n) => `${n}`.repeat(4_000))
      const ids: string[] = []
      for (const value of texts) ids.push((await add({ type: 'TXT', name: 'large', value, ttl: 300 })).body.id)
      const { body } = await call<ErrorBody & { error: string }>('PATCH', `${path}/${ids[0]}`, { ttl: 600 })
      expect(body.code).to.equal('conflict')
      expect(body.error).to.match(
        /^The change of elsewhere\.example takes \d+ bytes, and one update .* can have 65535 at most\.$/,
      )
      const ttls = (await call<{ records: DnsRecord[] }>('GET', path)).body.records
        .filter(({ name }) => name === 'large.elsewhere.example')
        .map(({ ttl }) => ttl)
      expect(ttls).to.deep.equal(texts.map(() => 300))
      for (const id of ids) expect((await call('DELETE', `${path}/${id}`)).status).to.equal(200)
      expect(there('TXT large')).to.deep.equal([])
    })

    it('include proofs of names there too', async () => {
      expect(await publishTxt(door.ctx, '_acme-challenge.elsewhere.example', ['proof'])).to.equal(true)
      expect(there('TXT _acme')).to.deep.equal(['TXT _acme-challenge.elsewhere.example 60 ["proof"]'])
      await withdrawTxt(door.ctx, '_acme-challenge.elsewhere.example', 'proof')
      expect(there('TXT _acme')).to.deep.equal([])
    })

    const troubles: readonly [string, UpdateServer['trouble'], string, string][] = [
      ['refuses', 5, 'conflict', 'does not let this key update the zone (REFUSED)'],
      ['does not have the zone', 9, 'conflict', '(NOTAUTH)'],
      ['fails', 2, 'conflict', '(SERVFAIL)'],
      ['does not sign its answer', 'unsigned', 'conflict', 'its answer is not signed'],
      ['hangs up', 'silence', 'unavailable', 'it hung up'],
    ]
    for (const [name, trouble, code, words] of troubles)
      it(`stay unchanged if it ${name}`, async () => {
        primary.trouble = trouble
        const { body } = await add({ type: 'A', name: 'never', value: '192.0.2.1' })
        primary.trouble = null
        expect(body.code).to.equal(code)
        expect(body.error).to.include(words)
        const { records } = (await call<{ records: DnsRecord[] }>('GET', path)).body
        expect(records.some((record) => record.name === 'never.elsewhere.example')).to.equal(false)
      })

    it('are not sent to a server with another key, or that does not answer', async () => {
      const other = 'hmac-sha256:mailroom:b3RoZXJvdGhlcm90aGVy'
      expect(await use(updates({ key: other })).catch(({ message }) => message)).to.include(
        'refused the change of elsewhere.example',
      )
      expect(await use(updates({ server: '127.0.0.1:1' })).catch(({ code }) => code)).to.equal('unavailable')
      for (const bad of ['', 'md5:mailroom:c2VjcmV0', 'hmac-sha256:mailroom', 'hmac-sha256:mailroom:!'])
        expect(() => updates({ key: bad })).to.throw('The key does not have the form')
      expect((await get('elsewhere.example')).dns).to.equal('dynamic-update')
    })

    it('are read-only while published by hand, and served again once the service manages them', async () => {
      await use({ kind: 'by-hand' })
      expect((await add({ type: 'A', name: 'hand', value: '192.0.2.1' })).body).to.include({ code: 'conflict' })
      expect((await call<{ records: DnsRecord[] }>('GET', path)).body.records.length).to.be.above(10)
      expect(await servedZone(door.ctx, 'elsewhere.example')).to.equal(null)
      await use(null)
      expect((await servedZone(door.ctx, 'elsewhere.example'))?.records.length).to.be.above(10)
    })
  })
})
