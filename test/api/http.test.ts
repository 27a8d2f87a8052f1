import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Pool } from 'undici'
import { createHttpServer } from '../../api/http-server.ts'
import { revokeKey } from '../../core/access/keys.ts'
import { suspendAccount } from '../../core/account/holds.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { loadOnce } from '../../core/process/load-once.ts'
import { operations } from '../../operations/all.ts'
import { fieldsOf, isForPeople, type Operation, pathOf } from '../../operations/registry.ts'
import { failures } from '../../schemas/failures.ts'
import type { ErrorObject } from '../../schemas/fields.ts'
import { changedSettings } from '../default-settings.ts'
import { eventually } from '../eventually.ts'
import { type Violation, violationsOf } from '../operations/violations.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

describe('api: the door', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  /** Sends bytes over a socket. Returns the server's answer. */
  function raw(bytes: string, port = Number(new URL(door.http).port)): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('close', () => resolve(text))
      socket.on('error', reject)
    })
  }

  type Asked = { method?: string; path?: string; body?: string; headers?: Record<string, string> }
  /** A client at an address, with or without a key. */
  function callFrom(localAddress: string, key?: string, http = door.http) {
    const peer = new Pool(http, { localAddress })
    return {
      async ask({ method = 'GET', path = '/api/v1/account', body, headers = {} }: Asked = {}) {
        const credential = key === undefined || path.includes('/mcp/') ? {} : { 'x-api-key': key }
        const answer = await peer.request({ method, path, headers: { ...credential, ...headers }, body })
        await answer.body.dump()
        return { status: answer.statusCode, retryAfter: Number(answer.headers['retry-after']) }
      },
      close: () => peer.close(),
    }
  }

  describe('every response', () => {
    it('has an X-Request-Id of its own and security headers', async () => {
      const answers = await Promise.all([
        call('GET', '/healthz'),
        call('GET', '/api/v1/account'),
        call('GET', '/nowhere'),
      ])
      const ids = answers.map(({ headers }) => headers.get('x-request-id'))
      expect(new Set(ids).size).to.equal(3)
      for (const { headers } of answers) {
        expect(headers.get('x-content-type-options')).to.equal('nosniff')
        expect(headers.get('cache-control')).to.equal('no-store')
        expect(headers.get('content-security-policy')).to.include("default-src 'none'")
      }
    })

    it('to a request with a key has the rate limit headers', async () => {
      const { headers } = await call('GET', '/api/v1/account')
      expect(headers.get('ratelimit-limit')).to.equal('600')
      expect(Number(headers.get('ratelimit-remaining'))).to.be.within(0, 599)
      expect(Number(headers.get('ratelimit-reset'))).to.be.within(1, 60)
    })

    const box = () => mailboxPath(tenant.address)
    const mail = { to: 'ann@remote.example', text: 'x' }
    const refused: readonly (readonly [what: string, ask: () => Promise<Answer>, status: number])[] = [
      ['a wrong field', () => call('POST', `${box()}/send`, { ...mail, shout: 1 }), 400],
      ['bad JSON', () => call('POST', `${box()}/send`, mail, { 'content-type': 'text/plain' }), 400],
      ['a plan without it', async () => (await starter())('POST', '/api/v1/webhooks', hook), 402],
      ['a sender of others', () => call('POST', `${box()}/send`, { ...mail, from: 'a@stranger.example' }), 403],
      ['a missing scope', async () => (await reader())('POST', `${box()}/send`, mail), 403],
      ['a suspended account', async () => (await suspended())('GET', '/api/v1/account'), 403],
      ['a suspended account, at MCP', async () => (await suspended())('POST', '/api/mcp', {}), 403],
      ['an unknown message', () => call('GET', `${box()}/messages/msg_none`), 404],
      ['an unknown mailbox', () => call('GET', mailboxPath('none@tenant.example')), 404],
      ['an unknown path', () => call('GET', '/api/v1/nowhere'), 404],
      ['an unsupported method', () => call('PUT', '/api/v1/account'), 404],
      ['another method at MCP', () => call('GET', '/api/mcp'), 405],
      ['a taken address', () => call('POST', '/api/v1/mailboxes', { address: tenant.address }), 409],
      ['a body that is too large', () => call('POST', '/api/v1/mailboxes', { address: 'x'.repeat(1_100_000) }), 413],
      [
        'a range behind the end',
        async () => call('GET', `${box()}/messages/${await letter()}/raw`, undefined, { range: 'bytes=99999-' }),
        416,
      ],
      ['a batch that is too large', () => call('POST', `${box()}/send-batch`, batch(1_001)), 422],
      ['more than a minute takes', async () => (await starter())('POST', '/api/v1/emails', many), 429],
      ['too many requests', async () => drained(), 429],
    ]
    const hook = { url: 'https://hooks.example/', events: ['message.received'] }
    const many = {
      from: 'agent@starter.example',
      to: Array.from({ length: 11 }, (_, n) => `r${n}@remote.example`),
      text: 'x',
    }
    const batch = (count: number) => ({
      subject: 'x',
      text: 'x',
      idempotencyKey: 'x',
      recipients: Array.from({ length: count }, (_, n) => ({ email: `r${n}@remote.example` })),
    })
    const letter = () => deliver(door.ctx, { to: tenant.address, raw: 'From: a@remote.example\n\nHello\n' })
    const reader = async () =>
      client(door.http, (await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })).apiKey)
    const starter = loadOnce(async () => {
      const { key } = await makeTenant(door, { name: 'starter', plan: 'starter', agentsPlan: null })
      return client(door.http, key)
    })
    const suspended = loadOnce(async () => {
      const { accountId, key } = await makeTenant(door, { name: 'suspended' })
      await suspendAccount(door.ctx, accountId, 'spam')
      return client(door.http, key)
    })
    async function drained(): Promise<Answer> {
      const own = await reader()
      let last = await own('GET', '/api/v1/account')
      // Twice as many as allowed: a minute may end meanwhile.
      for (let n = 0; n < 1_200 && last.status === 200; n += 50)
        last = (await Promise.all(Array.from({ length: 50 }, () => own('GET', '/api/v1/account')))).at(-1) ?? last
      expect(last.headers.get('ratelimit-remaining')).to.equal('0')
      return last
    }
    for (const [what, ask, status] of refused)
      it(`has the rate limit headers on a refusal too: ${what}`, async () => {
        const { headers, ...answer } = await ask()
        expect(answer.status, JSON.stringify(answer.body)).to.equal(status)
        expect(Number(headers.get('ratelimit-limit'))).to.be.within(120, 600)
        expect(Number(headers.get('ratelimit-remaining'))).to.be.within(0, 599)
        expect(Number(headers.get('ratelimit-reset'))).to.be.within(1, 60)
      })

    it('has no rate limit headers without a valid key', async () => {
      const answers = await Promise.all([
        client(door.http)('GET', '/api/v1/account'),
        client(door.http, 'svc_live_guess')('GET', '/api/v1/account'),
        client(door.http, 'svc_partner_x')('GET', '/api/v1/account'),
        client(door.http, 'svc_live_guess')('POST', '/api/mcp', {}),
        client(door.http)('GET', '/api/v1/nowhere'),
        client(door.http)('GET', '/healthz'),
      ])
      expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 403, 401, 404, 200])
      for (const { headers } of answers) expect(headers.has('ratelimit-limit')).to.equal(false)
    })

    it('is logged without secrets', async () => {
      await fetch(`${door.http}/claim/${'t'.repeat(40)}`)
      await fetch(`${door.http}/claim/${'t'.repeat(40)}/nowhere`)
      await fetch(`${door.http}/claim/${'t'.repeat(40)}%ff`)
      expect(door.logs())
        .to.include('"route":"/claim/{token}"')
        .and.include('"route":null')
        .and.not.include('t'.repeat(40))
        .and.not.include(tenant.key)
    })
  })

  describe('authentication', () => {
    const cases: readonly (readonly [string, () => Record<string, string>, number, string | null])[] = [
      ['no key', () => ({}), 401, 'missing_api_key'],
      ['an empty bearer', () => ({ authorization: 'Bearer ' }), 401, 'missing_api_key'],
      ['an unknown key', () => ({ authorization: 'Bearer svc_live_unknown' }), 401, 'invalid_api_key'],
      ['an access token', () => ({ authorization: 'Bearer svc_oat_x' }), 401, 'invalid_access_token'],
      ['a partner key', () => ({ 'x-api-key': 'svc_partner_live_x' }), 403, 'partner_key_not_allowed'],
      ['another scheme', () => ({ authorization: 'Basic YTpi' }), 401, 'unauthorized'],
      ['X-API-Key', () => ({ 'x-api-key': tenant.key }), 200, null],
      ['a bearer in another case', () => ({ authorization: `bearer ${tenant.key}` }), 200, null],
      ['another scheme beside X-API-Key', () => ({ authorization: 'Basic YTpi', 'x-api-key': tenant.key }), 200, null],
    ]
    for (const [name, headers, status, code] of cases) {
      it(name, async () => {
        const answer = await client(door.http)<ErrorBody>('GET', '/api/v1/account', undefined, headers())
        expect(answer.status).to.equal(status)
        if (code !== null) expect(answer.body.code).to.equal(code)
        expect(answer.headers.get('www-authenticate')).to.equal(status === 401 ? 'Bearer' : null)
      })
    }

    it('an expired and a revoked key', async () => {
      const expired = await makeKey(door.ctx, { accountId: tenant.accountId, expiresAt: new Date(Date.now() - 1) })
      const revoked = await makeKey(door.ctx, { accountId: tenant.accountId })
      await revokeKey(door.ctx, { accountId: tenant.accountId, keyId: revoked.key.id })
      expect((await client(door.http, expired.apiKey)<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal(
        'api_key_expired',
      )
      expect((await client(door.http, revoked.apiKey)<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal(
        'invalid_api_key',
      )
    })

    it('a missing scope is named', async () => {
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
      const answer = await client(door.http, apiKey)<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'x@y' })
      expect(answer.status).to.equal(403)
      expect(answer.body).to.include({ code: 'insufficient_scope', requiredScope: 'mailboxes:write', statusCode: 403 })
    })

    it('an agent key is not advised to use another agent key for a scope that no agent key can have', async () => {
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: ['mail:read'] })
      const agent = client(door.http, apiKey)
      const hook = (type: string) => ({ url: 'https://hooks.example/', events: [type] })
      const fixes = async (...asked: readonly (readonly [method: string, path: string, body?: Json])[]) => {
        const answers = await Promise.all(asked.map((each) => agent<ErrorBody & { fix: string }>(...each)))
        for (const { body } of answers) expect(body.code).to.equal('insufficient_scope')
        return [...new Set(answers.map(({ body }) => body.fix))]
      }
      expect(
        await fixes(
          ['GET', '/api/v1/domains'],
          ['POST', '/api/v1/aliases', { alias: 'a@tenant.example', targets: [tenant.address] }],
          ['GET', '/api/v1/drive'],
          ['POST', '/api/v1/webhooks', hook('domain.verified')],
        ),
      ).to.deep.equal(['Use an account key that has the scope; agent keys cannot have it.'])
      expect(
        await fixes(['GET', '/api/v1/mailboxes'], ['POST', '/api/v1/webhooks', hook('email.bounced')]),
      ).to.deep.equal(['Make a new key that has the scope; scopes cannot be added to a key.'])
    })

    it('after thirty wrong keys, further wrong keys of the address are refused for a quarter of an hour, a valid key is not', async () => {
      const { failuresPerAddress } = door.ctx.settings.limits.logins
      const guesser = callFrom('127.0.7.1', 'svc_live_guess')
      const answers = await Promise.all(Array.from({ length: 3 * failuresPerAddress }, () => guesser.ask()))
      expect(answers.filter(({ status }) => status === 401)).to.have.length(failuresPerAddress)
      const over = answers.filter(({ status }) => status === 429)
      expect(over).to.have.length(2 * failuresPerAddress)
      for (const { retryAfter } of over) expect(retryAfter).to.be.within(14 * 60, 15 * 60)
      const mcp = { method: 'POST', path: '/api/mcp/svc_live_other', body: '{}' }
      expect((await guesser.ask(mcp)).status, 'at MCP').to.equal(429)
      expect((await guesser.ask({ path: '/nowhere' })).status, 'where nothing is').to.equal(429)
      expect((await guesser.ask({ path: '/healthz' })).status, 'without a key').to.equal(200)
      const others = [callFrom('127.0.7.1', tenant.key), callFrom('127.0.7.1'), callFrom('127.0.8.1', 'svc_live_guess')]
      const statuses = await Promise.all(others.map(async ({ ask }) => (await ask()).status))
      expect(statuses, 'a valid key, none, a wrong one from elsewhere').to.deep.equal([200, 401, 401])
      door.advance(14 * minuteMs)
      expect((await guesser.ask()).status).to.equal(429)
      door.advance(minuteMs)
      expect((await guesser.ask()).status).to.equal(401)
      expect(door.logs()).to.contain('"peerAddress":"127.0.7.1"').and.not.contain('svc_live_guess')
      await Promise.all([guesser, ...others].map(({ close }) => close()))
    })

    it('after ten wrong keys the next ones are answered slowly', async () => {
      const { logins } = door.ctx.settings.limits
      const guesser = callFrom('127.0.9.1', 'svc_live_guess')
      await Promise.all(Array.from({ length: logins.slowAfter }, () => guesser.ask()))
      const askedAt = performance.now()
      expect((await guesser.ask()).status).to.equal(401)
      expect(performance.now() - askedAt).to.be.at.least(logins.slowMs - 1)
      await guesser.close()
    })

    it('asking without a key ends in 429 for the address, while a valid key still works', async () => {
      const limit = door.ctx.settings.limits.http.requestsPerAddressPerMinute
      const visitor = client(door.http)
      let last: Answer = await visitor('GET', '/api/v1/account')
      // Twice as many as allowed: a minute may end meanwhile.
      for (let n = 0; n < 2 * limit && last.status === 401; n += 50)
        last = (await Promise.all(Array.from({ length: 50 }, () => visitor('GET', '/api/v1/account')))).at(-1) ?? last
      expect(last.status).to.equal(429)
      expect(last.headers.get('retry-after')).to.match(/^\d+$/)
      expect((await call('GET', '/api/v1/account')).status).to.equal(200)
      door.advance(60_000)
    })

    it('asking without a key from many addresses of a network ends in 429 for all of this network, and no other', async () => {
      const { requestsPerAddressPerMinute, requestsPerNetworkPerMinute } = door.ctx.settings.limits.http
      const addresses = ['127.0.0.2', '127.0.0.3', '127.0.0.4', '127.0.0.5']
      const visitors = addresses.map((localAddress) => callFrom(localAddress))
      let last = 401
      // Twice as many as allowed, since a minute may end meanwhile; for each single address the number is still allowed.
      const rounds = (2 * requestsPerNetworkPerMinute) / addresses.length
      expect(rounds).to.be.at.most(requestsPerAddressPerMinute)
      for (let n = 0; n < rounds && last === 401; n++)
        last = (await Promise.all(visitors.map(({ ask }) => ask()))).at(-1)?.status ?? last
      expect(last).to.equal(429)
      const elsewhere = callFrom('127.0.1.1')
      expect((await elsewhere.ask()).status).to.equal(401)
      expect((await call('GET', '/api/v1/account')).status).to.equal(200)
      door.advance(60_000)
      expect((await visitors[0]!.ask()).status).to.equal(401)
      await Promise.all([...visitors, elsewhere].map(({ close }) => close()))
    })

    it('a key that asks too often is told to wait', async () => {
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId })
      const own = client(door.http, apiKey)
      const limit = Number((await own('GET', '/api/v1/account')).headers.get('ratelimit-limit'))
      let last = await own('GET', '/api/v1/account')
      // Twice as many as allowed: a minute may end meanwhile.
      for (let n = 0; n < 2 * limit && last.status === 200; n += 50)
        last = (await Promise.all(Array.from({ length: 50 }, () => own('GET', '/api/v1/account')))).at(-1) ?? last
      expect(last.status).to.equal(429)
      expect(last.body).to.include({ code: 'rate_limited' })
      expect(last.headers.get('retry-after')).to.equal(String(last.body.retryAfter))
      door.advance(60_000)
      expect((await own('GET', '/api/v1/account')).status).to.equal(200)
    })
  })

  describe('connections', () => {
    const proxy = '127.10.0.1'
    const limits = {
      connectionsPerAddress: 5,
      connectionsPerNetwork: 8,
      connectionsWithoutRequest: 20,
      headerSeconds: 1,
    }
    const open: Socket[] = []
    let server: Server
    let http: string

    before(async () => {
      const change = { http: { proxies: ['127.10.0.0/16'] }, limits: { http: limits } }
      const settings = changedSettings(door.ctx.settings, change)
      const timeouts = { headersTimeout: 500, connectionsCheckingInterval: 10 }
      server = createHttpServer({ ...door.ctx, settings }, { readiness: async () => door.readiness }, timeouts)
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      http = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    })
    afterEach(async () => {
      for (const socket of open.splice(0)) socket.destroy()
      await eventually('they are closed', async () => {
        const count = await new Promise((resolve) => server.getConnections((_, number) => resolve(number)))
        return count === 0
      })
    })
    after(() => {
      server.closeAllConnections()
      server.close()
    })

    /** Connects, sends bytes, and returns what comes back until an answer is complete or the connection ends. */
    async function say(localAddress: string, text: string): Promise<{ readonly heard: Promise<string> }> {
      const socket = connect({ port: Number(new URL(http).port), host: '127.0.0.1', localAddress })
      open.push(socket)
      const heard = new Promise<string>((resolve) => {
        socket.once('data', (bytes) => resolve(bytes.toString().split('\r\n')[0] ?? ''))
        socket.once('close', () => resolve('closed'))
        socket.once('error', () => resolve('closed'))
      })
      await once(socket, 'connect')
      socket.write(text)
      return { heard }
    }
    const ask = async (from: string) => (await say(from, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')).heard
    const askFrom = async (addresses: readonly string[]) => {
      const heard: string[] = []
      for (const address of addresses) heard.push(await ask(address))
      return heard
    }
    const answered = 'HTTP/1.1 200 OK'

    it('of one address are limited in number', async () => {
      const own = Array.from({ length: limits.connectionsPerAddress }, () => '127.11.0.1')
      expect(await askFrom([...own, '127.11.0.1', '127.11.0.2'])).to.deep.equal([
        ...own.map(() => answered),
        'closed',
        answered,
      ])
      open[0]?.destroy()
      await eventually('another one is let in', async () => (await ask('127.11.0.1')) === answered)
    })

    it('of one network are limited in number', async () => {
      const network = Array.from({ length: limits.connectionsPerNetwork }, (_, n) => `127.12.0.${n + 1}`)
      expect(await askFrom([...network, '127.12.0.99', '127.12.1.1'])).to.deep.equal([
        ...network.map(() => answered),
        'closed',
        answered,
      ])
    })

    it('of a trusted proxy are not limited', async () => {
      const many = Array.from({ length: 2 * limits.connectionsPerNetwork }, () => proxy)
      expect(await askFrom(many)).to.deep.equal(many.map(() => answered))
    })

    it('without a request are closed to make room for others, the oldest first', async () => {
      const silent: { readonly heard: Promise<string> }[] = []
      for (let n = 0; n < limits.connectionsWithoutRequest; n++)
        silent.push(await say(proxy, 'GET /healthz HTTP/1.1\r\n'))
      expect(await ask('127.13.0.1')).to.equal(answered)
      expect(await silent[0]?.heard).to.equal('closed')
      open[1]?.write('Host: x\r\n\r\n')
      expect(await silent[1]?.heard).to.equal(answered)
    })

    it('have as much time for a header as the settings say', () => {
      const settings = changedSettings(door.ctx.settings, { limits: { http: { headerSeconds: 7 } } })
      const { headersTimeout } = createHttpServer({ ...door.ctx, settings }, { readiness: async () => door.readiness })
      expect(headersTimeout).to.equal(7_000)
    })

    it('whose header does not come in time are ended', async () => {
      const [nothing, half] = await Promise.all([
        say('127.14.0.1', ''),
        say('127.14.0.1', 'GET /healthz HTTP/1.1\r\nX: '),
      ])
      expect(await half.heard).to.equal('HTTP/1.1 408 Request Timeout')
      expect(await nothing.heard).to.equal('HTTP/1.1 408 Request Timeout')
    })

    it('of a proxy count as the callers that it names; callers named by other peers are ignored', async () => {
      const { failuresPerAddress } = door.ctx.settings.limits.logins
      const [behind, beside] = [callFrom(proxy, 'svc_live_guess', http), callFrom('127.15.0.1', 'svc_live_guess', http)]
      const guess = (headers: Record<string, string>) => behind.ask({ headers }).then(({ status }) => status)
      const first = { forwarded: 'for="[2001:db8::7]:4711"' }
      await Promise.all(Array.from({ length: 2 * failuresPerAddress }, () => guess(first)))
      expect(await guess({ forwarded: 'for="[2001:db8::8]"' }), 'the same /64').to.equal(429)
      expect(await guess({ forwarded: 'for="[2001:db8:0:1::7]"' }), 'another /64').to.equal(401)
      expect(await guess({ 'x-forwarded-for': '192.0.2.7' }), 'another client').to.equal(401)
      expect(await guess({}), 'the proxy itself').to.equal(401)
      await beside.ask({ headers: { 'x-forwarded-for': '198.51.100.7' } })
      const callers = ['2001:db8::/64', '192.0.2.7', proxy, '127.15.0.1', '198.51.100.7']
      const counted = await door.ctx.store.failedLogins.find({ _id: { $in: callers } }).toArray()
      expect(new Map(counted.map(({ _id, count }) => [_id, count]))).to.deep.equal(
        new Map([
          ['2001:db8::/64', failuresPerAddress],
          ['192.0.2.7', 1],
          [proxy, 1],
          ['127.15.0.1', 1],
        ]),
      )
      await Promise.all([behind.close(), beside.close()])
    })
  })

  describe('paths and methods', () => {
    const nowhere: readonly (readonly [string, string])[] = [
      ['an unknown path', '/api/v1/nothing'],
      ['a path in another case', '/API/v1/account'],
      ['a path with a slash at its end', '/api/v1/account/'],
      ['a path with a slash twice', '/api//v1/account'],
      ['an empty parameter', '/api/v1/mailboxes//messages'],
      ['a parameter that is not UTF-8', '/api/v1/mailboxes/%ff'],
      ['a parameter with half an escape', '/api/v1/mailboxes/%4'],
    ]
    for (const [what, path] of nowhere) {
      it(`${what} is not found, for strangers too`, async () => {
        for (const ask of [call, client(door.http)]) {
          const { body, headers, status } = await ask<ErrorBody>('GET', path)
          expect([status, body.code, headers.get('allow')]).to.deep.equal([404, 'not_found', null])
        }
      })
    }

    for (const target of ['http://', 'http://[', '*']) {
      it(`the request target ${target} is not found`, async () => {
        const answer = await raw(`GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
        expect(answer)
          .to.match(/^HTTP\/1\.1 404 /)
          .and.include('"code":"not_found"')
      })
    }

    it('a parameter is decoded once', async () => {
      const own = (escaped: string) => call<ErrorBody>('GET', `/api/v1/mailboxes/${escaped}`)
      const [once, twice] = [encodeURIComponent(tenant.address), tenant.address.replace('@', '%2540')]
      expect((await own(once)).status).to.equal(200)
      expect((await own(twice)).status).to.equal(404)
    })

    it('an encoded slash belongs to its parameter', async () => {
      const folders = `${mailboxPath(tenant.address)}/folders`
      expect((await call('POST', folders, { name: 'Work/Bills' })).status).to.equal(201)
      expect((await call('DELETE', `${folders}/Work%2FBills`)).status).to.equal(200)
    })

    it('a known path with an unsupported method names the supported ones', async () => {
      const answer = await call<ErrorBody>('PUT', '/api/v1/mailboxes')
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
      expect(answer.headers.get('allow')).to.equal('GET, HEAD, OPTIONS, POST')
      expect(answer.headers.get('ratelimit-limit')).to.equal('600')
    })

    it('a method that no path supports is not found either', async () => {
      const answer = await raw('PROPFIND /api/v1/mailboxes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
      expect(answer)
        .to.match(/^HTTP\/1\.1 404 /)
        .and.include('\r\nAllow: GET, HEAD, OPTIONS, POST\r\n')
    })

    it('a path that fits two routes names the methods of both', async () => {
      const answer = await call<ErrorBody>('PUT', `${mailboxPath(tenant.address)}/messages/read-all`)
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found'])
      expect(answer.headers.get('allow')).to.equal('DELETE, GET, HEAD, OPTIONS, PATCH, POST')
    })

    it('OPTIONS says the same without a key', async () => {
      const answer = await client(door.http)('OPTIONS', mailboxPath(tenant.address))
      expect(answer.status).to.equal(200)
      expect(answer.headers.get('allow')).to.equal('DELETE, GET, HEAD, OPTIONS, PATCH')
    })

    it('OPTIONS of an unknown path is not found', async () => {
      const answer = await client(door.http)<ErrorBody>('OPTIONS', '/api/v1/nothing')
      expect([answer.status, answer.body.code, answer.headers.get('allow')]).to.deep.equal([404, 'not_found', null])
    })

    it('HEAD has the headers of GET and no body', async () => {
      const [head, get] = await Promise.all([
        fetch(`${door.http}/api/v1/account`, { method: 'HEAD', headers: { 'x-api-key': tenant.key } }),
        fetch(`${door.http}/api/v1/account`, { headers: { 'x-api-key': tenant.key } }),
      ])
      expect(head.status).to.equal(200)
      expect(await head.text()).to.equal('')
      expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'))
    })
  })

  describe('an input that the schema refuses', () => {
    type Wrong = { readonly operation: Operation; readonly violation: Violation }

    /** The first violation of each schema keyword in a query and in a body. Path fields are always present and strings. */
    const wrong = (['query', 'body'] as const).flatMap((place) => {
      const all = operations.flatMap((operation): Wrong[] =>
        operation.access === 'public' || isForPeople(operation.access)
          ? []
          : violationsOf(operation.input)
              .filter(({ at, keyword }) => placeOf(operation, at) === place && !isTextInQuery(operation, at, keyword))
              .map((violation) => ({ operation, violation })),
      )
      return [...Map.groupBy(all, ({ violation }) => violation.keyword).values()].flatMap((each) =>
        each.slice(0, 2).map((one) => [place, one] as const),
      )
    })

    /** Every value of a query is a string. */
    function isTextInQuery(operation: Operation, at: string, keyword: string): boolean {
      const field = fieldsOf(operation).find(({ name }) => name === at)
      return keyword === 'type' && field?.from === 'query' && field.schema.type === 'string'
    }

    function placeOf(operation: Operation, at: string): string | undefined {
      const [name] = at.split(/[.[]/)
      if (name === 'shout') return operation.method === 'GET' || operation.method === 'DELETE' ? 'query' : 'body'
      return fieldsOf(operation).find((field) => field.name === name)?.from
    }

    for (const [place, { operation, violation }] of wrong) {
      const { keyword, at, value } = violation
      it(`${operation.name}: ${keyword} of ${at} in the ${place}`, async () => {
        const given = Object.entries(value as object).filter(([name]) => !operation.pathFields.includes(name))
        const path = pathOf(operation, { message_id: 'msg_1', ...(value as object), address: tenant.address })
        const query = new URLSearchParams(Object.fromEntries(given.map(([name, each]) => [name, String(each)])))
        const { status, body, headers } = await call<ErrorBody & { error: string; fix: string }>(
          operation.method,
          place === 'query' ? `${path}?${query}` : path,
          place === 'body' ? Object.fromEntries(given) : undefined,
        )
        expect([status, body.code], body.error).to.deep.equal([400, 'validation_error'])
        expect(body.param).to.be.a('string').and.match(/^\w/)
        expect(body.error).to.include(body.param?.split(/[.[]/)[0])
        expect(body.fix)
          .to.match(/^[A-Z].*\.$/)
          .and.not.equal(body.error)
        expect(headers.has('ratelimit-limit')).to.equal(true)
      })
    }

    it('was tested with many violations', () => expect(wrong.length).to.be.within(20, 60))

    const elsewhere: readonly (readonly [
      what: string,
      method: string,
      path: string,
      body: object | undefined,
      string,
      RegExp,
    ])[] = [
      [
        'a query parameter that is near a known one',
        'GET',
        '/messages?unred=true',
        undefined,
        'unred',
        /^Write "unread"/,
      ],
      ['a query parameter given twice', 'GET', '/messages?limit=1&limit=2', undefined, 'limit', /one value/],
      ['a field of the path in the body', 'PATCH', '', { address: 'x' }, 'address', /in the path only/],
      [
        'a query parameter in the body of DELETE',
        'DELETE',
        '/messages/msg_1',
        { permanent: true },
        'permanent',
        /in the query only/,
      ],
      ['an unknown field of the body', 'PATCH', '', { display_name: 'x' }, 'display_name', /^Write "displayName"/],
    ]
    for (const [what, method, path, body, param, fix] of elsewhere)
      it(what, async () => {
        const answer = await call<ErrorBody & { fix: string }>(method, mailboxPath(tenant.address) + path, body)
        expect([answer.status, answer.body.param]).to.deep.equal([400, param])
        expect(answer.body.fix).to.match(fix)
      })
  })

  describe('bodies', () => {
    const post = (
      body: string | Uint8Array | ReadableStream,
      headers: Record<string, string> = { 'content-type': 'application/json' },
    ) =>
      fetch(`${door.http}/api/v1/mailboxes`, {
        method: 'POST',
        headers: { 'x-api-key': tenant.key, ...headers },
        body,
        ...(body instanceof ReadableStream && { duplex: 'half' as const }),
      } as RequestInit)

    const refused: readonly (readonly [
      string,
      string | Uint8Array,
      Record<string, string> | undefined,
      number,
      string,
      string | undefined,
    ])[] = [
      ['bad JSON', '{"address":', undefined, 400, 'invalid_request', undefined],
      ['no object', '[1]', undefined, 400, 'invalid_request', undefined],
      ['bad UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), undefined, 400, 'invalid_request', undefined],
      [
        'another media type',
        'address=a',
        { 'content-type': 'application/x-www-form-urlencoded' },
        400,
        'invalid_request',
        undefined,
      ],
      [
        'an encoded body',
        '{}',
        { 'content-type': 'application/json', 'content-encoding': 'gzip' },
        400,
        'invalid_request',
        undefined,
      ],
      ['deep arrays', `{"address":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, undefined, 400, 'invalid_request', undefined],
      ['deep objects', `${'{"address":'.repeat(6e4)}1${'}'.repeat(6e4)}`, undefined, 400, 'invalid_request', undefined],
      [
        'a field twice',
        '{"address":"a@tenant.example","address":"b@tenant.example"}',
        undefined,
        400,
        'invalid_request',
        undefined,
      ],
      ['an unknown field', '{"address":"a@tenant.example","color":1}', undefined, 400, 'validation_error', 'color'],
      ['no field at all', '', {}, 400, 'validation_error', 'address'],
      [
        'a body that is too large',
        `{"address":"${'a'.repeat(1024 * 1024)}"}`,
        undefined,
        413,
        'payload_too_large',
        undefined,
      ],
    ]
    for (const [name, body, headers, status, code, param] of refused) {
      it(`refuses ${name}`, async () => {
        const response = await post(body, headers)
        const error = (await response.json()) as ErrorBody
        expect([response.status, error.code, error.param]).to.deep.equal([status, code, param])
      })
    }

    it('names the field that a body has twice', async () => {
      const answer = await post('{"address":"a@tenant.example","displayName":"A","displayName":"B"}')
      const { error, fix } = (await answer.json()) as { error: string; fix: string }
      expect([error, fix]).to.deep.equal([
        'The body has "displayName" twice in one object.',
        'Give "displayName" once.',
      ])
    })

    it('stops reading a body without a length at the limit', async () => {
      let sent = 0
      const endless = new ReadableStream({
        pull(controller) {
          sent += 65_536
          controller.enqueue(new Uint8Array(65_536).fill(0x20))
        },
      })
      const outcome = await post(endless).then(
        (response) => response.status,
        () => 'closed',
      )
      expect(outcome).to.be.oneOf([413, 'closed'])
      expect(sent).to.be.below(32 * 1024 * 1024)
    })

    it('a client that hangs up leaves the service unharmed', async () => {
      const came = door.nextRequests()
      const socket = connect(Number(new URL(door.http).port), '127.0.0.1')
      socket.write(
        `POST /api/v1/mailboxes HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"addr`,
      )
      await came
      socket.destroy()
      expect((await call('GET', '/healthz')).status).to.equal(200)
    })
  })

  describe('what HTTP forbids', () => {
    const long = 'a'.repeat(20_000)
    const post = 'POST /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n'
    const get = 'GET /healthz HTTP/1.1\r\nConnection: close\r\n'
    const both = 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n'
    const cases: readonly (readonly [what: string, request: string, status: number, code?: string])[] = [
      ['no HTTP at all', 'nonsense\r\n\r\n', 400],
      ['TLS', '\x16\x03\x01\x02\x00\x01', 400],
      ['a request line without a version', 'GET / \r\n\r\n', 400],
      ['HTTP/0.9', 'GET /healthz\r\n\r\n', 505],
      ['HTTP/2 in the clear', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 505],
      ['HTTP/2.0 in the line', 'GET /healthz HTTP/2.0\r\nHost: x\r\nConnection: close\r\n\r\n', 505],
      ['HTTP/1.9', 'GET /healthz HTTP/1.9\r\nHost: x\r\n\r\n', 400],
      ['an unknown method', 'FOO /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['a method in small letters', 'get /healthz HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['CONNECT', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'not_found'],
      ['a target beyond ASCII', 'GET /\xe4 HTTP/1.1\r\nHost: x\r\n\r\n', 400],
      ['no Host', `${get}\r\n`, 400],
      ['two Hosts', `${get}Host: x\r\nhost: x\r\n\r\n`, 400],
      ['a Host that is a path', `${get}Host: x/y\r\n\r\n`, 400],
      ['a Host with a login', `${get}Host: a@x\r\n\r\n`, 400],
      ['a Host that is two', `${get}Host: x y\r\n\r\n`, 400],
      ['a header field with a space before its colon', `${get}Host : x\r\n\r\n`, 400],
      ['a folded header field', `${get}Host: x\r\nA: b\r\n c\r\n\r\n`, 400],
      ['a NUL in a header field', `${get}Host: x\r\nA: \0\r\n\r\n`, 400],
      ['a bare CR', `${get}Host: x\rA: b\r\n\r\n`, 400],
      ['bare LFs', 'GET /healthz HTTP/1.1\nHost: x\n\n', 400],
      ['long header fields', `${get}Host: x\r\nA: ${long}\r\n\r\n`, 431],
      ['a long target', `GET /${long} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
      ['a length beside chunks', `${post}${both}\r\n0\r\n\r\n`, 400],
      ['two lengths', `${post}Content-Length: 1\r\nContent-Length: 2\r\n\r\na`, 400],
      ['the same length twice', `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`, 400],
      ['a signed length', `${post}Content-Length: +1\r\n\r\na`, 400],
      ['another transfer encoding', `${post}Transfer-Encoding: gzip\r\n\r\na`, 400],
      ['chunks that are not last', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`, 400],
      ['chunks in HTTP/1.0', 'POST /healthz HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400],
      [
        'long chunk extensions',
        `${post}Transfer-Encoding: chunked\r\n\r\n1;${long}\r\na\r\n0\r\n\r\n`,
        413,
        'payload_too_large',
      ],
      ['an unknown Expect', `${post}Expect: tea\r\nContent-Length: 1\r\n\r\na`, 417],
      ['an Upgrade alone', `${get}Host: x\r\nUpgrade: websocket\r\n\r\n`, 200],
      ['an Expect that is known', `${get}Host: x\r\nExpect: 100-continue\r\n\r\n`, 100],
      ['a Host with a port', `${get}Host: [::1]:8080\r\n\r\n`, 200],
      ['an empty Host', `${get}Host:\r\n\r\n`, 200],
      ['HTTP/1.0 without a Host', 'GET /healthz HTTP/1.0\r\n\r\n', 200],
      ['empty lines before it', `\r\n\r\n${get}Host: x\r\n\r\n`, 200],
    ]
    for (const [what, request, status, code = 'invalid_request'] of cases)
      it(`${status}: ${what}`, async () => {
        const answer = await raw(request)
        if (status < 300) expect(answer).to.match(new RegExp(`^HTTP/1\\.1 ${status} `))
        else requireRefusal(answer, status, code)
      })

    /** Checks that an answer is a single refusal in the usual form, and the last answer of its connection. */
    function requireRefusal(answer: string, status: number, code: string): void {
      const [head = '', text = ''] = answer.split('\r\n\r\n')
      expect(head).to.match(new RegExp(`^HTTP/1\\.1 ${status} [A-Z]`))
      for (const field of [
        /^X-Request-Id: [\da-f-]{36}$/m,
        /^X-Content-Type-Options: nosniff$/m,
        /^Connection: close$/m,
      ])
        expect(head).to.match(field)
      expect(head).to.match(/^Content-Type: application\/json; charset=utf-8$/m)
      const error = JSON.parse(text) as ErrorObject
      expect(error).to.include({
        success: false,
        code,
        statusCode: status,
        docs: `${door.ctx.baseUrl}/docs/errors#${code}`,
      })
      expect(error).to.have.all.keys('success', 'error', 'code', 'fix', 'docs', 'statusCode')
      expect(error.fix).not.to.include('JSON')
    }

    const alive = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'
    const nonsense = 'nonsense\r\n\r\n'
    const behind: readonly (readonly [what: string, requests: string, statuses: readonly string[]])[] = [
      ['nonsense behind a request', alive + nonsense, ['200', '400']],
      ['nonsense behind two requests', alive + alive + nonsense, ['200', '200', '400']],
      ['CONNECT behind a request', `${alive}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`, ['200', '404']],
      ['nonsense behind the last request', `${get}Host: x\r\n\r\n${nonsense}`, ['200']],
      ['nonsense behind a refusal', `${post}Expect: tea\r\nContent-Length: 1\r\n\r\na${nonsense}`, ['417']],
    ]
    for (const [what, requests, statuses] of behind)
      it(`${what} is answered in order, if at all`, async () => {
        const answers = [...(await raw(requests)).matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g)]
        expect(answers.map((match) => match[1])).to.deep.equal(statuses)
      })

    it('a body that breaks off ends only its own request', async () => {
      const head = `POST /api/v1/mailboxes HTTP/1.1\r\nHost: x\r\nX-API-Key: ${tenant.key}\r\nContent-Type: application/json\r\n`
      requireRefusal(await raw(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\n`), 400, 'invalid_request')
    })

    it('a peer that resets the connection leaves the service unharmed', async () => {
      for (const bytes of ['nonsense\r\n\r\n', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n']) {
        const socket = connect(Number(new URL(door.http).port), '127.0.0.1', () => {
          socket.write(bytes)
          socket.resetAndDestroy()
        })
        await once(socket, 'close')
      }
      expect((await call('GET', '/healthz')).status).to.equal(200)
    })

    it('408: a request that does not end', async () => {
      const timeouts = { connectionsCheckingInterval: 10, headersTimeout: 50, requestTimeout: 50 }
      const server = createHttpServer(door.ctx, { readiness: async () => door.readiness }, timeouts)
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      try {
        const signup = 'POST /api/v1/signup HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n'
        for (const begun of ['GET /healthz HTTP/1.1\r\n', `${signup}Content-Length: 9\r\n\r\n{`])
          requireRefusal(await raw(begun, port), 408, 'invalid_request')
      } finally {
        server.close()
      }
    })

    it('a request that arrived while the process was blocked is answered', async () => {
      const headersTimeout = 300
      const timeouts = { connectionsCheckingInterval: 10, headersTimeout, requestTimeout: headersTimeout }
      const server = createHttpServer(door.ctx, { readiness: async () => door.readiness }, timeouts)
      await once(server.listen(0, '127.0.0.1'), 'listening')
      try {
        const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
        await once(server, 'connection')
        socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * headersTimeout)
        const [answer] = (await once(socket, 'data')) as [Buffer]
        expect(answer.toString()).to.match(/^HTTP\/1\.1 200 /)
      } finally {
        server.close()
      }
    })
  })

  describe('documents and health', () => {
    it('healthz and readyz need no key; readyz names what is not ready', async () => {
      const visitor = client(door.http)
      expect((await visitor('GET', '/healthz')).status).to.equal(200)
      expect((await visitor('GET', '/readyz')).status).to.equal(200)
      door.readiness = { ready: false, parts: { smtp: false } }
      const waiting = await visitor('GET', '/readyz')
      expect([waiting.status, waiting.body]).to.deep.equal([503, { ready: false, parts: { smtp: false } }])
      door.readiness = { ready: true, parts: {} }
    })

    it('the error reference has an anchor for every code', async () => {
      const response = await fetch(`${door.http}/docs/errors`)
      const html = await response.text()
      expect(response.headers.get('content-type')).to.include('text/html')
      for (const code of Object.keys(failures)) expect(html).to.include(`id="${code}"`)
    })

    it('openapi.json is served', async () => {
      expect((await call('GET', '/openapi.json')).body).to.include({ openapi: '3.1.0' })
    })
  })
})
