import { expect } from 'chai'
import { revokeKey } from '../../core/access/keys.ts'
import { createResolver } from '../../core/dns/resolver.ts'
import { postWebhook } from '../../core/notify/webhook-post.ts'
import type { ErrorObject } from '../../schemas/fields.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { type NameServer, startNameServer } from '../peers/name-server.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

describe('api: mailboxes', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  describe('mailboxes', () => {
    it('are created, shown, changed and deleted', async () => {
      const created = await call('POST', '/api/v1/mailboxes', { address: 'Sales@Tenant.example' })
      expect(created.status).to.equal(201)
      expect(created.body).to.include({
        success: true,
        address: 'sales@tenant.example',
        displayName: null,
        kind: 'agent',
        domain: 'tenant.example',
      })
      expect(created.body.hint).to.be.a('string')
      const path = mailboxPath('sales@tenant.example')
      const changed = await call('PATCH', path, {
        displayName: 'Sales',
        autoReply: { enabled: true, subject: 'Away', text: 'Back soon.' },
      })
      expect(changed.body).to.deep.include({
        displayName: 'Sales',
        autoReply: { enabled: true, subject: 'Away', text: 'Back soon.', until: null },
      })
      expect(changed.body).not.to.have.property('hint')
      expect((await call('PATCH', path, { autoReply: null })).body).to.include({
        autoReply: null,
        displayName: 'Sales',
      })
      expect((await call('GET', path)).body).to.include({ displayName: 'Sales' })
      const unseen = await call('PATCH', path, { displayName: ' \u200b\u2060' })
      expect([unseen.body.displayName, typeof unseen.body.hint]).to.deep.equal([null, 'string'])
      const deleted = await call('DELETE', path)
      expect([deleted.status, deleted.body]).to.deep.equal([200, { success: true, deleted: true }])
      expect((await call<ErrorBody>('GET', path)).body.code).to.equal('mailbox_not_found')
      expect(
        (await call<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'sales@tenant.example' })).body.code,
      ).to.equal('conflict')
    })

    it('are listed newest first, page by page', async () => {
      for (const n of [1, 2, 3]) await call('POST', '/api/v1/mailboxes', { address: `page${n}@tenant.example` })
      const seen: string[] = []
      let query = '?limit=2'
      for (;;) {
        const { body } = await call<{ mailboxes: { address: string }[]; next: string | null }>(
          'GET',
          `/api/v1/mailboxes${query}`,
        )
        expect(body.mailboxes.length).to.be.at.most(2)
        seen.push(...body.mailboxes.map(({ address }) => address))
        if (body.next === null) break
        query = `?limit=2&before=${body.next}`
      }
      expect(seen.slice(0, 3)).to.deep.equal(['page3@tenant.example', 'page2@tenant.example', 'page1@tenant.example'])
      expect(new Set(seen).size).to.equal(seen.length)
      expect((await call<ErrorBody>('GET', '/api/v1/mailboxes?before=x')).body).to.include({
        code: 'validation_error',
        param: 'before',
      })
    })

    const refused: readonly (readonly [string, string, Json | undefined, number, string])[] = [
      ['an unknown domain', '/api/v1/mailboxes', { address: 'a@elsewhere.example' }, 403, 'domain_not_on_account'],
      ['a plus form', '/api/v1/mailboxes', { address: 'a+b@tenant.example' }, 400, 'validation_error'],
      [
        'a return path',
        '/api/v1/mailboxes',
        { address: 'Bounce-01m8fxdazrsms02b9fr2d0npy8-0-0123456789abcdef@tenant.example' },
        400,
        'validation_error',
      ],
      [
        'an unknown mailbox, before the body is checked',
        `${mailboxPath('x@elsewhere.example')}/send`,
        { color: 1 },
        404,
        'mailbox_not_found',
      ],
    ]
    for (const [name, path, body, status, code] of refused) {
      it(`refuses ${name}`, async () => {
        const answer = await call<ErrorBody>('POST', path, body)
        expect([answer.status, answer.body.code]).to.deep.equal([status, code])
      })
    }

    it('an agent key sees only its own', async () => {
      const { apiKey } = await makeKey(door.ctx, {
        accountId: tenant.accountId,
        kind: 'agent',
        scopes: ['mailboxes:read', 'mailboxes:write', 'mail:read'],
      })
      const agent = client(door.http, apiKey)
      expect((await agent('GET', '/api/v1/mailboxes')).body).to.deep.include({ mailboxes: [] })
      expect((await agent<ErrorBody>('GET', mailboxPath(tenant.address))).body.code).to.equal('mailbox_not_found')
      expect((await agent('POST', '/api/v1/mailboxes', { address: 'mine@tenant.example' })).status).to.equal(201)
      expect((await agent('GET', mailboxPath('mine@tenant.example'))).status).to.equal(200)
    })
  })

  it('access to a mailbox is checked each time, even if the mailbox is cached', async () => {
    const address = 'known@tenant.example'
    const path = `${mailboxPath(address)}/messages`
    await call('POST', '/api/v1/mailboxes', { address })
    const stranger = await makeTenant(door, { name: 'other' })
    const ofAccount = { accountId: tenant.accountId, scopes: ['mail:read'] } as const
    const agent = await makeKey(door.ctx, { ...ofAccount, kind: 'agent' })
    const ended = await makeKey(door.ctx, { ...ofAccount, kind: 'account' })
    const ask = async (key: string) => {
      const { status, body } = await client(door.http, key)<ErrorBody>('GET', path)
      return [status, body.code]
    }
    for (const key of [tenant.key, ended.apiKey, tenant.key]) expect(await ask(key)).to.deep.equal([200, undefined])
    await revokeKey(door.ctx, { accountId: tenant.accountId, keyId: ended.key.id })
    expect(await ask(ended.apiKey)).to.deep.equal([401, 'invalid_api_key'])
    for (const key of [stranger.key, agent.apiKey]) expect(await ask(key)).to.deep.equal([404, 'mailbox_not_found'])
    await call('DELETE', mailboxPath(address))
    expect(await ask(tenant.key)).to.deep.equal([404, 'mailbox_not_found'])
  })

  describe('webhooks and events', () => {
    before(async () => {
      for (const n of [1, 2, 3]) await call('POST', '/api/v1/mailboxes', { address: `page${n}@tenant.example` })
    })

    type Hook = { id: string; enabled: boolean }

    it('endpoints are created, listed, changed and removed; the secret is shown once', async () => {
      const created = await call<Hook & { secret: string }>('POST', '/api/v1/webhooks', {
        url: 'https://example.com/a',
        events: ['message.received'],
        scope: { mailboxes: [tenant.address] },
      })
      expect(created.status).to.equal(201)
      expect(created.body).to.deep.include({
        enabled: true,
        ordering: 'none',
        description: null,
        scope: { domains: [], mailboxes: [tenant.address] },
      })
      const path = `/api/v1/webhooks/${created.body.id}`
      expect((await call('GET', path)).body).not.to.have.property('secret')
      expect((await call('PATCH', path, { enabled: false, description: 'off' })).body).to.include({
        enabled: false,
        description: 'off',
      })
      const { body } = await call<{ webhooks: Hook[]; next: null }>('GET', '/api/v1/webhooks?limit=1')
      expect(body.webhooks.map(({ id }) => id)).to.deep.equal([created.body.id])
      expect((await call('DELETE', path)).body).to.deep.equal({ success: true, deleted: true })
      expect((await call<ErrorBody>('GET', path)).body.code).to.equal('not_found')
    })

    const refused: readonly (readonly [string, Json, string])[] = [
      ['plain http', { url: 'http://example.com', events: ['message.received'] }, 'url'],
      ['a private address', { url: 'https://127.0.0.1/x', events: ['message.received'] }, 'url'],
      ['this machine in IPv6', { url: 'https://[::7f00:1]/x', events: ['message.received'] }, 'url'],
      ['no kind of event', { url: 'https://example.com', events: [] }, 'events'],
    ]
    for (const [name, body, param] of refused) {
      it(`refuses ${name}`, async () => {
        const answer = await call<ErrorBody>('POST', '/api/v1/webhooks', body)
        expect(answer.body).to.include({ code: 'validation_error', param })
      })
    }

    it('a URL is shown in the form in which it is called', async () => {
      const url = 'HTTPS://Example.COM.:443/a/../hook#part'
      const { body } = await call<Hook & { url: string }>('POST', '/api/v1/webhooks', { url, events: ['message.sent'] })
      expect(body.url).to.equal('https://example.com/hook')
      const path = `/api/v1/webhooks/${body.id}`
      expect((await call('PATCH', path, { url: 'https://bücher.example' })).body.url).to.equal(
        'https://xn--bcher-kva.example/',
      )
      expect((await call<ErrorBody>('PATCH', path, { url: 'https://127.1/' })).body.param).to.equal('url')
      expect((await call('GET', path)).body.url).to.equal('https://xn--bcher-kva.example/')
      await call('DELETE', path)
    })

    describe('a host name', () => {
      const zone: { readonly [question: string]: readonly string[] } = {
        'A loopback.test': ['127.0.0.1'],
        'A cloud.test': ['169.254.169.254'],
        'A private.test': ['10.0.0.1', '192.168.0.1'],
        'AAAA compatible.test': ['::7f00:1'],
        'AAAA mapped.test': ['::ffff:127.0.0.1'],
        'AAAA translated.test': ['64:ff9b::7f00:1'],
        'AAAA six-to-four.test': ['2002:7f00:1::'],
        'AAAA teredo.test': ['2001:0:53aa:64c:0:0:80ff:fffe'],
        'AAAA unique.test': ['fd00::1'],
        'AAAA linked.test': ['fe80::1'],
        'A nowhere.test': ['0.0.0.0'],
        'A carrier.test': ['100.64.0.1'],
        'CNAME elsewhere.test': ['loopback.test'],
      }
      let dns: NameServer
      before(async () => {
        dns = await startNameServer(zone)
      })
      after(() => dns?.stop())

      for (const question of Object.keys(zone))
        it(`that resolves to a private address is not connected to: ${question}`, async () => {
          const { ctx } = door
          // A context with its own store has its own connections.
          const own = { ...ctx, store: { ...ctx.store }, resolver: createResolver([dns.address], new Map()) }
          const url = `https://${question.split(' ')[1]}/hook`
          const answer = await postWebhook(own, { webhookId: question, url, body: '{}', headers: {} })
          expect(answer.status).to.equal(null)
          expect(answer.error).to.match(/does not resolve to a public address/)
        })
    })

    describe('the scope of an endpoint', () => {
      type Asked = { domains?: string[]; mailboxes?: string[] }
      const keys = { account: '', agent: '', granted: '' }
      before(async () => {
        const scopes: Scope[] = ['mail:read', 'mailboxes:write']
        const agent = { accountId: tenant.accountId, kind: 'agent' as const, scopes, mailboxIds: [] as string[] }
        const granted = { ...agent, mailboxIds: [tenant.mailboxId] }
        const [own, other] = await Promise.all([agent, granted].map((key) => makeKey(door.ctx, key)))
        Object.assign(keys, { account: tenant.key, agent: own?.apiKey, granted: other?.apiKey })
        const made = await client(door.http, keys.agent)('POST', '/api/v1/mailboxes', { address: 'bot@tenant.example' })
        expect(made.status).to.equal(201)
        await makeTenant(door, { name: 'foreign' })
      })

      const taken: readonly (readonly [keyof typeof keys, Asked, Asked?])[] = [
        ['account', {}],
        ['account', { domains: [], mailboxes: [] }],
        ['account', { domains: ['tenant.example'] }],
        ['account', { domains: ['TENANT.example'] }, { domains: ['tenant.example'] }],
        ['account', { mailboxes: ['bot@tenant.example'] }],
        ['account', { mailboxes: ['Bot@TENANT.example'] }, { mailboxes: ['bot@tenant.example'] }],
        ['account', { mailboxes: ['not-yet-there@tenant.example'] }],
        ['account', { domains: ['tenant.example'], mailboxes: ['bot@tenant.example'] }],
        ['agent', {}],
        ['agent', { mailboxes: ['bot@tenant.example'] }],
        ['agent', { domains: ['tenant.example'] }],
        ['granted', { mailboxes: ['agent@tenant.example'] }],
      ]
      const beyond: readonly (readonly [keyof typeof keys, Asked, code: string, where: string])[] = [
        ['account', { domains: ['foreign.example'] }, 'domain_not_found', 'scope.domains[0]'],
        ['account', { domains: ['tenant.example', 'nobody.example'] }, 'domain_not_found', 'scope.domains[1]'],
        ['account', { domains: ['sub.tenant.example'] }, 'domain_not_found', 'scope.domains[0]'],
        ['account', { domains: ['agents.localhost'] }, 'domain_not_found', 'scope.domains[0]'],
        ['account', { mailboxes: ['agent@foreign.example'] }, 'mailbox_not_found', 'scope.mailboxes[0]'],
        [
          'account',
          { mailboxes: ['bot@tenant.example', 'x@nobody.example'] },
          'mailbox_not_found',
          'scope.mailboxes[1]',
        ],
        ['account', { mailboxes: ['x@sub.tenant.example'] }, 'mailbox_not_found', 'scope.mailboxes[0]'],
        ['account', { mailboxes: ['nobody'] }, 'validation_error', '"nobody"'],
        ['account', { domains: ['no domain'] }, 'validation_error', '"no domain"'],
        ['agent', { mailboxes: ['agent@tenant.example'] }, 'mailbox_not_found', 'scope.mailboxes[0]'],
        ['agent', { mailboxes: ['not-yet-there@tenant.example'] }, 'mailbox_not_found', 'scope.mailboxes[0]'],
        ['agent', { domains: ['foreign.example'] }, 'domain_not_found', 'scope.domains[0]'],
        ['granted', { mailboxes: ['bot@tenant.example'] }, 'mailbox_not_found', 'scope.mailboxes[0]'],
      ]
      const hook = { url: 'https://example.com/scoped', events: ['message.received'] }
      const asking = (key: keyof typeof keys) => client(door.http, keys[key])
      for (const [key, scope, stored = scope] of taken)
        it(`${key} key: may be ${JSON.stringify(scope)}`, async () => {
          const made = await asking(key)<Hook & { scope: Asked }>('POST', '/api/v1/webhooks', { ...hook, scope })
          expect(made.body.scope, JSON.stringify(made.body)).to.deep.equal({ domains: [], mailboxes: [], ...stored })
          const path = `/api/v1/webhooks/${made.body.id}`
          expect((await asking(key)('PATCH', path, { scope })).status).to.equal(200)
          await asking(key)('DELETE', path)
        })
      for (const [key, scope, code, where] of beyond)
        it(`${key} key: may not be ${JSON.stringify(scope)}`, async () => {
          const made = await asking(key)<Hook>('POST', '/api/v1/webhooks', hook)
          const path = `/api/v1/webhooks/${made.body.id}`
          for (const [method, at, body] of [
            ['POST', '/api/v1/webhooks', { ...hook, scope }],
            ['PATCH', path, { scope }],
          ] as const) {
            const answer = await asking(key)<ErrorObject>(method, at, body)
            expect([answer.body.code, answer.body.error]).to.satisfy(
              ([given, text]: [string, string]) => given === code && text.includes(where),
              JSON.stringify(answer.body),
            )
          }
          const { body } = await asking(key)<{ scope: Asked }>('GET', path)
          expect(body.scope).to.deep.equal({ domains: [], mailboxes: [] })
          await asking(key)('DELETE', path)
        })
    })

    it('events are listed newest first and forward from a cursor', async () => {
      type Events = { events: { id: string; type: string; cursor: string; data: Json }[]; next: string | null }
      const { body } = await call<Events>('GET', '/api/v1/events?type=mailbox.created&limit=200')
      const created = body.events.map(({ data }) => data.address)
      expect(created).to.include('page1@tenant.example')
      expect(created.indexOf('page3@tenant.example')).to.be.below(created.indexOf('page1@tenant.example'))
      const oldest = body.events.at(-1)
      const forward = await call<Events>('GET', `/api/v1/events?type=mailbox.created&limit=200&after=${oldest?.cursor}`)
      expect(forward.body.events.map(({ id }) => id)).to.deep.equal(
        body.events
          .slice(0, -1)
          .map(({ id }) => id)
          .reverse(),
      )
      expect((await call<ErrorBody>('GET', '/api/v1/events?type=none')).body).to.include({
        code: 'validation_error',
        param: 'type',
      })
    })
  })
})
