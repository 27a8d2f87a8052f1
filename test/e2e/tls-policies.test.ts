/**
 * The TLS that the policies of a domain require (RFC 8461, RFC 7672), tested from the send to the recipient's mail server.
 */
import { createHash, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { closeContext } from '../../core/process/context.ts'
import { eventually } from '../eventually.ts'
import { makeAuthority, makeCertificate, type Pair } from '../peers/certificates.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { client } from '../peers/rest.ts'
import { type Sink, startSink } from '../peers/smtp-server.ts'
import { makeTenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

/** The addresses of the mail servers and policy hosts of the domains below; nothing is sent there (peers/elsewhere.ts). */
const addresses = {
  trusted: '203.0.114.1',
  selfSigned: '203.0.114.2',
  clear: '203.0.114.3',
  anchored: '203.0.114.4',
  lapsed: '203.0.114.5',
  misissued: '203.0.114.6',
  ofDomain: '203.0.114.7',
  policies: '203.0.114.80',
  forgedPolicies: '203.0.114.81',
  nothing: '203.0.114.82',
  inside: '10.0.0.1',
} as const
type Host = keyof typeof addresses

type Domain = {
  /** The mail servers in order of preference. */
  readonly servers: readonly (readonly [name: string, host: Host])[]
  readonly policy?: { readonly mode: 'enforce' | 'testing'; readonly mx: string; readonly host?: Host }
  /** The server whose key the DNS of the domain pins (DANE), or the authority of its certificate. */
  readonly pins?: Host | 'authority'
}

const enforce = (domain: string, host?: Host) => ({ mode: 'enforce', mx: `mx.${domain}`, host }) as const
const own = (domain: string, host: Host): Domain['servers'] => [[`mx.${domain}`, host]]

const domains: { readonly [domain: string]: Domain } = {
  'met.test': { servers: own('met.test', 'trusted'), policy: enforce('met.test') },
  'wildcard.test': { servers: own('wildcard.test', 'trusted'), policy: { mode: 'enforce', mx: '*.wildcard.test' } },
  'untrusted.test': { servers: own('untrusted.test', 'selfSigned'), policy: enforce('untrusted.test') },
  'clear.test': { servers: own('clear.test', 'clear'), policy: enforce('clear.test') },
  'foreign.test': { servers: [['mx.stranger.test', 'trusted']], policy: enforce('foreign.test') },
  'backup.test': {
    servers: [['mx.outsider.test', 'clear'], ...own('backup.test', 'trusted')],
    policy: enforce('backup.test'),
  },
  'testing.test': { servers: own('testing.test', 'selfSigned'), policy: { mode: 'testing', mx: 'mx.other.test' } },
  'absent.test': { servers: own('absent.test', 'selfSigned'), policy: enforce('absent.test', 'nothing') },
  'forged.test': { servers: own('forged.test', 'clear'), policy: enforce('forged.test', 'forgedPolicies') },
  'inside.test': { servers: own('inside.test', 'clear'), policy: enforce('inside.test', 'inside') },
  'none.test': { servers: own('none.test', 'clear') },
  'kept.test': { servers: own('kept.test', 'trusted'), policy: enforce('kept.test') },
  'pinned.test': { servers: own('pinned.test', 'selfSigned'), pins: 'selfSigned' },
  'mispinned.test': { servers: own('mispinned.test', 'trusted'), pins: 'selfSigned' },
  'renewed.test': { servers: own('renewed.test', 'selfSigned'), pins: 'authority' },
  'anchored.test': { servers: own('anchored.test', 'anchored'), pins: 'authority' },
  'lapsed.test': { servers: own('lapsed.test', 'lapsed'), pins: 'authority' },
  'misissued.test': { servers: own('misissued.test', 'misissued'), pins: 'authority' },
  'hosted.test': { servers: [['mx.host.test', 'ofDomain']], pins: 'authority' },
  'neighbour.test': { servers: [['mx.host.test', 'ofDomain']], pins: 'authority' },
}

type Case = readonly [what: string, domain: string, to: { readonly at: Host; readonly secure: boolean } | null]
const cases: readonly Case[] = [
  ['a policy that is met: with TLS', 'met.test', { at: 'trusted', secure: true }],
  ['a policy that names its servers by a wildcard', 'wildcard.test', { at: 'trusted', secure: true }],
  ['a policy, and an untrusted certificate: not at all', 'untrusted.test', null],
  ['a policy, and a server without TLS: not at all', 'clear.test', null],
  ['a policy that does not name the only server: not at all', 'foreign.test', null],
  ['a policy that names the second server: only to that', 'backup.test', { at: 'trusted', secure: true }],
  ['a policy in testing mode: even if it is violated', 'testing.test', { at: 'selfSigned', secure: true }],
  ['a policy whose host is down: as without one', 'absent.test', { at: 'selfSigned', secure: true }],
  ['a policy whose host has an untrusted certificate: as without one', 'forged.test', { at: 'clear', secure: false }],
  ['a policy on a private network: as without one', 'inside.test', { at: 'clear', secure: false }],
  ['no policy: without TLS if the server has none', 'none.test', { at: 'clear', secure: false }],
  ['a pinned key with an otherwise untrusted certificate: with TLS', 'pinned.test', { at: 'selfSigned', secure: true }],
  ['a pinned key that the server does not have: not at all', 'mispinned.test', null],
  ['a pinned authority: with TLS', 'anchored.test', { at: 'anchored', secure: true }],
  ['a pinned authority, and a certificate that has expired: not at all', 'lapsed.test', null],
  ['a pinned authority, and a certificate that none of its authorities made: not at all', 'misissued.test', null],
  ['a pinned authority, and a certificate for the domain: with TLS', 'hosted.test', { at: 'ofDomain', secure: true }],
  ['a pinned authority, and a certificate for another domain of the server: not at all', 'neighbour.test', null],
]

/** How often the outcome of a send is polled. Keys are used in turn, because the requests per minute are limited for each key. */
const pollMs = 150

describe('TLS policies of other domains', () => {
  let folder: string
  let dns: NameServer
  let policyHosts: Server[] = []
  let env: { readonly [name: string]: string }
  let service: Service
  let tenant: Tenant
  const sinks: { [host: string]: Sink } = {}

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mailroom-elsewhere-'))
    const authority = await makeAuthority()
    const names = Object.keys(domains)
    const servers = names.map((name) => `mx.${name}`)
    const customer = await makeCertificate(['customer.test'], { authority })
    const [trusted, selfSigned, lapsed, misissued, ofDomain, policies, forgedPolicies] = await Promise.all([
      makeCertificate([...servers, 'mx.stranger.test'], { authority }),
      makeCertificate(servers),
      makeCertificate(servers, { authority, days: -1 }),
      makeCertificate(servers, { authority: customer }),
      makeCertificate(['hosted.test'], { authority }),
      makeCertificate(
        names.map((name) => `mta-sts.${name}`),
        { authority },
      ),
      makeCertificate(names.map((name) => `mta-sts.${name}`)),
    ])
    sinks.trusted = await startSink(() => null, trusted)
    sinks.selfSigned = await startSink(() => null, selfSigned)
    sinks.clear = await startSink(() => null, { hideSTARTTLS: true, disabledCommands: ['STARTTLS'] })
    const sent = ({ key }: Pair, ...chain: Pair[]) => ({ key, cert: chain.map(({ cert }) => cert).join('\n') })
    sinks.anchored = await startSink(() => null, sent(trusted, trusted, authority))
    sinks.ofDomain = await startSink(() => null, sent(ofDomain, ofDomain, authority))
    sinks.lapsed = await startSink(() => null, sent(lapsed, lapsed, authority))
    sinks.misissued = await startSink(() => null, sent(misissued, misissued, customer, authority))
    policyHosts = await Promise.all([policies, forgedPolicies].map(startPolicyHost))
    dns = await startNameServer(zoneOf({ selfSigned: selfSigned.cert, authority: authority.cert }))
    dns.secure = true
    dns.ttlSeconds = 0
    const authorityFile = path.join(folder, 'authority.pem')
    await writeFile(authorityFile, authority.cert)
    env = {
      NODE_OPTIONS: `--import ${fileURLToPath(new URL('../peers/elsewhere.ts', import.meta.url))}`,
      NODE_EXTRA_CA_CERTS: authorityFile,
      TEST_ELSEWHERE: JSON.stringify(portsOf(sinks, policyHosts)),
      MAILROOM_RESOLVER: JSON.stringify([dns.address]),
      MAILROOM_OUTBOUND_DANE: 'true',
      MAILROOM_OUTBOUND_RETRY_SECONDS: '[1]',
    }
    service = await startService({ env })
    tenant = await tenantOf(service)
  })
  after(async () => {
    await service?.dispose()
    for (const host of policyHosts) host.close()
    await Promise.all(Object.values(sinks).map((sink) => sink.close()))
    await dns?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const arrivals = (to: string) =>
    Object.entries(sinks).flatMap(([at, { received }]) =>
      received.filter((mail) => mail.to === to).map(({ secure }) => ({ at, secure })),
    )

  /** Resolves with the state of the send once it is delivered (`goes`) or deferred. */
  async function settled(to: string, { goes }: { goes: boolean }): Promise<State> {
    const state = await send(service, tenant, to)
    return eventually(`${to} is ${goes ? 'delivered' : 'deferred'}`, async () => {
      await sleep(pollMs)
      const now = await state()
      return now.status === 'delivered' || (!goes && now.response !== null) ? now : null
    })
  }

  for (const [what, domain, expected] of cases) {
    it(`delivery under ${what}`, async () => {
      const { response, attempts } = await settled(`somebody@${domain}`, { goes: expected !== null })
      expect(arrivals(`somebody@${domain}`), response ?? '').to.deep.equal(expected === null ? [] : [expected])
      if (expected === null) expect(response).to.match(/^451 4\.(?:4\.2|7\.5) .*(?:policy|trusted|pins)/)
      else expect(attempts).to.equal(1)
    })
  }

  it('changed DANE pins apply as soon as the DNS has them', async () => {
    const hold = await settled('first@renewed.test', { goes: false })
    expect(hold.response).to.match(/DANE/)
    const { 'TLSA _25._tcp.mx.pinned.test': pins } = dns.zone
    dns.zone = { ...dns.zone, 'TLSA _25._tcp.mx.renewed.test': pins ?? [] }
    expect(await settled('second@renewed.test', { goes: true })).to.deep.include({ attempts: 1 })
    expect(arrivals('second@renewed.test')).to.deep.equal([{ at: 'selfSigned', secure: true }])
  })

  it('a cached policy still applies while its host is down and its DNS points elsewhere', async () => {
    await settled('first@kept.test', { goes: true })
    for (const host of policyHosts) host.closeAllConnections()
    await Promise.all(policyHosts.map((host) => new Promise((resolve) => host.close(resolve))))
    const { 'TXT _mta-sts.kept.test': _, ...others } = dns.zone
    dns.zone = { ...others, 'A mx.kept.test': [addresses.selfSigned] }
    expect(await settled('second@kept.test', { goes: false }))
      .to.have.property('response')
      .that.matches(/not trusted/)
    expect(arrivals('second@kept.test')).to.deep.equal([])
  })

  it('a cached policy still applies after a restart', async () => {
    await service.stop()
    service = await startService({ env, data: service.data })
    expect(await settled('third@kept.test', { goes: false }))
      .to.have.property('response')
      .that.matches(/not trusted/)
    expect(arrivals('third@kept.test')).to.deep.equal([])
  })

  it('TLS results are counted for each domain, and stored when the service stops', async () => {
    const ctx = await contextOf(service)
    const counted = await ctx.store.tlsResults.find({}).toArray()
    await closeContext(ctx)
    const kinds = counted.flatMap(({ domain, kinds: found }) =>
      Object.values(found).map(({ kind: { policy, failure } }) => `${domain} ${policy.type} ${failure?.type ?? 'ok'}`),
    )
    expect([...new Set(kinds)].filter((kind) => !/^(?:kept|renewed)\./.test(kind)).sort()).to.deep.equal([
      'absent.test sts sts-policy-fetch-error',
      'anchored.test tlsa ok',
      'backup.test sts ok',
      'clear.test sts starttls-not-supported',
      'foreign.test sts validation-failure',
      'forged.test sts sts-policy-fetch-error',
      'hosted.test tlsa ok',
      'inside.test sts sts-policy-fetch-error',
      'lapsed.test tlsa tlsa-invalid',
      'met.test sts ok',
      'misissued.test tlsa tlsa-invalid',
      'mispinned.test tlsa tlsa-invalid',
      'neighbour.test tlsa tlsa-invalid',
      'none.test no-policy-found starttls-not-supported',
      'pinned.test tlsa ok',
      'testing.test sts validation-failure',
      'untrusted.test sts certificate-not-trusted',
      'wildcard.test sts ok',
    ])
    const [met] = counted.filter(({ domain }) => domain === 'met.test')
    expect(Object.values(met?.kinds ?? {})[0]).to.deep.include({ sessions: 1 })
    expect(Object.values(met?.kinds ?? {})[0]?.kind).to.deep.include({ mx: 'mx.met.test', address: addresses.trusted })
  })

  it('deferred messages have still not been sent', () => {
    for (const [, domain, expected] of cases)
      if (expected === null) expect(arrivals(`somebody@${domain}`), domain).to.deep.equal([])
  })

  it('DANE pins are ignored if the DNS answers are not authenticated', async () => {
    dns.secure = false
    await settled('later@mispinned.test', { goes: true })
    expect(arrivals('later@mispinned.test')).to.deep.equal([{ at: 'trusted', secure: true }])
  })
})

/** Serves the policy of the domain it is asked for (RFC 8461 3.2, 3.3). */
async function startPolicyHost(certificate: Pair): Promise<Server> {
  const server = createServer(certificate, ({ headers, url }, response) => {
    const policy = domains[headers.host?.replace(/^mta-sts\./, '') ?? '']?.policy
    if (policy === undefined || url !== '/.well-known/mta-sts.txt') response.writeHead(404).end()
    else {
      const lines = ['version: STSv1', `mode: ${policy.mode}`, `mx: ${policy.mx}`, 'max_age: 86400', '']
      response.writeHead(200, { 'content-type': 'text/plain' }).end(lines.join('\r\n'))
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function zoneOf(certificates: { readonly [host: string]: string }): NameServer['zone'] {
  const zone: { [question: string]: string[] } = {}
  for (const [domain, { servers, policy, pins }] of Object.entries(domains)) {
    zone[`MX ${domain}`] = servers.map(([name], n) => `${n * 10} ${name}`)
    for (const [name, host] of servers) zone[`A ${name}`] = [addresses[host]]
    if (policy !== undefined) {
      zone[`TXT _mta-sts.${domain}`] = ['v=STSv1; id=1;']
      zone[`A mta-sts.${domain}`] = [addresses[policy.host ?? 'policies']]
    }
    if (pins !== undefined)
      for (const [name] of servers)
        zone[`TLSA _25._tcp.${name}`] = [`${pins === 'authority' ? 2 : 3} 1 1 ${keyHash(certificates[pins] ?? '')}`]
  }
  return zone
}

function keyHash(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: 'spki', format: 'der' })
  return createHash('sha256').update(key).digest('hex')
}

function portsOf(sinks: { readonly [host: string]: Sink }, [policies, forged]: readonly Server[]) {
  const portOf = (server: Server | undefined) => (server?.address() as AddressInfo | undefined)?.port
  const servers = Object.entries(sinks).map(([host, { route }]) => [
    `${addresses[host as Host]}:25`,
    Number(route.split(':')[1]),
  ])
  return {
    ...Object.fromEntries(servers),
    [`${addresses.policies}:443`]: portOf(policies),
    [`${addresses.inside}:443`]: portOf(policies),
    [`${addresses.forgedPolicies}:443`]: portOf(forged),
  }
}

type State = { readonly status: string; readonly response: string | null; readonly attempts: number }
type Tenant = { readonly address: string; readonly key: string }

async function tenantOf(service: Service): Promise<Tenant> {
  const ctx = await contextOf(service)
  const tenant = await makeTenant({ ctx, http: service.http }, { name: 'policies' })
  await closeContext(ctx)
  return tenant
}

/** Sends from the tenant's mailbox. Returns a function that asks the API for the state of the send. */
async function send({ http }: Service, { address, key }: Tenant, to: string): Promise<() => Promise<State>> {
  const call = client(http, key)
  const mail = { to, subject: 'Hello', text: 'Hello' }
  const { status, body } = await call<{ id: string }>('POST', `/api/v1/mailboxes/${address}/send`, mail)
  expect(status, JSON.stringify(body)).to.equal(202)
  return async () => {
    const answer = await call<{ recipients: [State] }>('GET', `/api/v1/delivery-status?id=${body.id}`)
    return answer.body.recipients[0]
  }
}
