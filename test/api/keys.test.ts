import { expect } from 'chai'
import type { Account } from '../../core/access/account-record.ts'
import { revokeKey, rotateKey } from '../../core/access/keys.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { describeKeys, issueKey, type KeyRequest } from '../../core/account/keys.ts'
import { createAppPassword, listAppPasswords, logIn, revokeAppPassword } from '../../core/account/login.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import { purgeDeletedMailboxes } from '../../core/upkeep/sweep.ts'
import { Failure } from '../../schemas/failures.ts'
import { agentScopes, allScopes, type Scope } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import { type Answer, type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import { connectMcp, type Door, makeTenant, openDoor, type Tenant } from '../start/door.ts'

const refusalOf = (promise: Promise<unknown>): Promise<Failure | null> =>
  promise.then(
    () => null,
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    },
  )

describe('api: keys', () => {
  let door: Door
  let tenant: Tenant
  let foreign: Tenant
  let account: Account

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    foreign = await makeTenant(door, { name: 'foreign' })
    account = await getAccount(door.ctx, tenant.accountId)
  })
  after(() => door?.close())

  const at = (ms: number) => new Date(door.ctx.clock.now().getTime() + ms)
  const issue = (request: Partial<KeyRequest> = {}) =>
    issueKey(door.ctx, account, {
      kind: 'account',
      name: 'test',
      scopes: ['mail:read'],
      mailboxes: [],
      expiresAt: null,
      ...request,
    })
  const agent = (request: Partial<KeyRequest> = {}) => issue({ kind: 'agent', scopes: agentScopes, ...request })
  const listed = async (id: string) => (await describeKeys(door.ctx, tenant.accountId)).find((key) => key.id === id)
  const asks = async (apiKey: string) => {
    const { status, body } = await client(door.http, apiKey)<Json>('GET', '/api/v1/account')
    return status === 200 ? 'taken' : body.code
  }

  describe('are created', () => {
    const cases: readonly (readonly [what: string, request: () => Partial<KeyRequest>, refused: string | null])[] = [
      ...allScopes.map((scope): [string, () => Partial<KeyRequest>, string | null] => [
        `an agent key with ${scope}`,
        () => ({ kind: 'agent', scopes: [scope] }),
        /^(mail|mailboxes|dns):/.test(scope) ? null : 'validation_error scopes',
      ]),
      ['an agent key with every agent scope', () => ({ kind: 'agent', scopes: agentScopes }), null],
      ['an account key with every scope', () => ({ scopes: allScopes }), null],
      ['a key without a scope', () => ({ scopes: [] }), 'validation_error scopes'],
      ['a name of spaces', () => ({ name: '  ' }), 'validation_error name'],
      ['a name of two lines', () => ({ name: 'a\nb' }), 'validation_error name'],
      ['a name of 200 characters', () => ({ name: 'é'.repeat(200) }), null],
      ['a name of 201 characters', () => ({ name: 'é'.repeat(201) }), 'validation_error name'],
      ['one that ends in a moment', () => ({ expiresAt: at(1_000) }), null],
      ['one that has ended', () => ({ expiresAt: at(-1) }), 'validation_error expiresAt'],
      ['one that ends in 36,500 days', () => ({ expiresAt: at(36_500 * dayMs - 1_000) }), null],
      ['one that ends in 36,501 days', () => ({ expiresAt: at(36_501 * dayMs) }), 'validation_error expiresAt'],
      ['an account key with a mailbox', () => ({ mailboxes: [tenant.address] }), 'validation_error mailboxes'],
      ['an agent key with a mailbox', () => ({ kind: 'agent', mailboxes: [tenant.address] }), null],
      [
        'an agent key with one mailbox twice',
        () => ({ kind: 'agent', mailboxes: [tenant.address, tenant.address.toUpperCase()] }),
        null,
      ],
      ['an agent key without a mailbox', () => ({ kind: 'agent' }), null],
      [
        "an agent key with another account's mailbox",
        () => ({ kind: 'agent', mailboxes: [foreign.address] }),
        'mailbox_not_found',
      ],
      [
        "an agent key with nobody's mailbox",
        () => ({ kind: 'agent', mailboxes: ['x@tenant.example'] }),
        'mailbox_not_found',
      ],
      [
        'an agent key with an invalid mailbox address',
        () => ({ kind: 'agent', mailboxes: ['x'] }),
        'mailbox_not_found',
      ],
      [
        'an agent key with too many',
        () => ({ kind: 'agent', mailboxes: Array(1_001).fill(tenant.address) }),
        'validation_error mailboxes',
      ],
    ]
    for (const [what, request, refused] of cases)
      it(`${what}: ${refused ?? 'made'}`, async () => {
        const before = (await describeKeys(door.ctx, tenant.accountId)).length
        const failure = await refusalOf(issue(request()))
        expect(failure && `${failure.code} ${failure.detail.param ?? ''}`.trim()).to.equal(refused)
        expect((await describeKeys(door.ctx, tenant.accountId)).length - before).to.equal(refused === null ? 1 : 0)
      })

    it('says which scopes an agent key may have', async () => {
      const failure = await refusalOf(agent({ scopes: ['mail:read', 'domains:read', 'drive:read'] }))
      expect(failure?.message).to.equal('An agent key may not have these scopes: domains:read, drive:read.')
      expect(failure?.fix).to.include(agentScopes.join(', '))
    })

    it('with each scope and mailbox listed once, and the secret shown only this time', async () => {
      const { apiKey, key } = await agent({
        name: ' robot ',
        scopes: ['mail:read', 'mail:read'] as Scope[],
        mailboxes: [tenant.address, tenant.address],
      })
      expect(apiKey).to.match(/^svc_live_[\dA-Za-z]{43}$/)
      expect(key).to.deep.include({
        name: 'robot',
        kind: 'agent',
        use: 'API',
        scopes: ['mail:read'],
        mailboxes: [tenant.address],
        lastUsed: null,
      })
      expect(await listed(key.id)).to.deep.equal(key)
      const stored = await door.ctx.store.keys.findOne({ _id: key.id })
      for (const kept of [key, stored]) expect(JSON.stringify(kept)).to.not.include(apiKey.slice('svc_live_'.length))
    })
  })

  it('are limited to a thousand, not counting revoked ones', async () => {
    const { accountId } = foreign
    const many = await getAccount(door.ctx, accountId)
    const another = () =>
      refusalOf(
        issueKey(door.ctx, many, {
          kind: 'account',
          name: 'one',
          scopes: ['mail:read'],
          mailboxes: [],
          expiresAt: null,
        }),
      )
    await door.ctx.store.accounts.updateOne({ _id: accountId }, { $set: { keys: 998 } })
    const failures = await Promise.all(Array.from({ length: 10 }, another))
    expect(failures.map((failure) => failure?.code ?? 'made').sort()).to.deep.equal([
      ...Array(8).fill('conflict'),
      ...Array(2).fill('made'),
    ])
    const made = (await describeKeys(door.ctx, accountId)).find(({ name }) => name === 'one')
    await revokeKey(door.ctx, { accountId, keyId: made?.id ?? '' })
    expect([(await another())?.code, (await another())?.code]).to.deep.equal([undefined, 'conflict'])
  })

  it('that have expired are revoked when others need the room, and are still refused as expired', async () => {
    const { accountId } = await makeTenant(door, { name: 'brief' })
    const brief = await getAccount(door.ctx, accountId)
    const another = (expiresAt: Date | null) =>
      issueKey(door.ctx, brief, { kind: 'account', name: 'one', scopes: ['mail:read'], mailboxes: [], expiresAt })
    const [first, second] = [await another(at(minuteMs)), await another(at(minuteMs))]
    await door.ctx.store.accounts.updateOne({ _id: accountId }, { $set: { keys: 1_000 } })
    expect((await refusalOf(another(null)))?.code).to.equal('conflict')
    door.advance(minuteMs)
    const failures = await Promise.all(Array.from({ length: 4 }, () => refusalOf(another(null))))
    expect(failures.map((failure) => failure?.code ?? 'made').sort()).to.deep.equal([
      ...Array(2).fill('conflict'),
      ...Array(2).fill('made'),
    ])
    for (const { apiKey, key } of [first, second]) {
      expect(await asks(apiKey)).to.equal('api_key_expired')
      const shown = (await describeKeys(door.ctx, accountId)).find(({ id }) => id === key.id)
      expect(shown?.revokedAt).to.be.instanceOf(Date)
    }
  })

  it('expire at the exact millisecond', async () => {
    const { apiKey, key } = await issue({ expiresAt: at(minuteMs) })
    expect(await asks(apiKey)).to.equal('taken')
    door.advance(key.expiresAt!.getTime() - door.ctx.clock.now().getTime())
    expect(await asks(apiKey)).to.equal('api_key_expired')
  })

  describe('are rotated', () => {
    it('the old secret ends at once, and everything else stays', async () => {
      const made = await agent({ mailboxes: [tenant.address] })
      const old = client(door.http, made.apiKey)
      await old('POST', '/api/v1/mailboxes', { address: 'made@tenant.example' })
      const hook = await old('POST', '/api/v1/webhooks', { url: 'https://hooks.example/', events: ['mailbox.created'] })
      const { id } = made.key
      const before = await listed(id)
      const { apiKey, key } = await rotateKey(door.ctx, { accountId: tenant.accountId, keyId: id })
      expect([await asks(made.apiKey), await asks(apiKey)]).to.deep.equal(['invalid_api_key', 'taken'])
      expect(key.id).to.equal(id)
      expect({ ...(await listed(id)), lastUsed: null }).to.deep.equal({ ...before, lastUsed: null })
      const call = client(door.http, apiKey)
      expect((await call('GET', `/api/v1/webhooks/${hook.body.id}`)).body).to.include({ enabled: true })
      expect((await call('DELETE', mailboxPath('made@tenant.example'))).status).to.equal(200)
    })

    const never: readonly (readonly [what: string, id: () => Promise<string>])[] = [
      ['an unknown key', async () => `key_${'0'.repeat(26)}`],
      [
        'a revoked key',
        async () => {
          const { key } = await issue()
          await revokeKey(door.ctx, { accountId: tenant.accountId, keyId: key.id })
          return key.id
        },
      ],
      [
        'an expired key',
        async () => {
          const { key } = await issue({ expiresAt: at(minuteMs) })
          door.advance(minuteMs + 1)
          return key.id
        },
      ],
      ["another account's key", async () => (await describeKeys(door.ctx, foreign.accountId))[0]!.id],
    ]
    for (const [what, id] of never)
      it(`but not ${what}`, async () => {
        const failure = await refusalOf(rotateKey(door.ctx, { accountId: tenant.accountId, keyId: await id() }))
        expect(failure?.code).to.equal('not_found')
        expect(await asks(foreign.key)).to.equal('taken')
      })

    it('but not a key that may or may not be an app password', async () => {
      const { apiKey, key } = await issue()
      await door.ctx.store.keys.updateOne({ _id: key.id }, { $unset: { prefix: '' } })
      const failure = await refusalOf(rotateKey(door.ctx, { accountId: tenant.accountId, keyId: key.id }))
      expect(failure?.code).to.equal('conflict')
      expect(await asks(apiKey)).to.equal('taken')
    })

    it('an app password stays one', async () => {
      const { keyId } = await createAppPassword(door.ctx, { account, address: tenant.address, name: 'phone' })
      const { apiKey } = await rotateKey(door.ctx, { accountId: tenant.accountId, keyId })
      expect(apiKey).to.match(/^svc_app_/)
      expect(await asks(apiKey)).to.equal('invalid_api_key')
    })
  })

  it('show when and from where they were last used, at most a minute late', async () => {
    const { apiKey, key } = await issue({ scopes: allScopes })
    const lastUse = async () => (await listed(key.id))?.lastUsed ?? null
    expect(await lastUse()).to.equal(null)
    await asks(apiKey)
    const first = await eventually('the first use', lastUse)
    expect(first.address).to.equal('127.0.0.1')
    expect(door.ctx.clock.now().getTime() - first.at.getTime()).to.be.within(0, minuteMs)
    await asks(apiKey)
    await door.ctx.background.done()
    expect(await lastUse()).to.deep.equal(first)
    door.advance(minuteMs)
    const mcp = await connectMcp(door.http, apiKey)
    const second = await eventually('a later use', async () => {
      const use = await lastUse()
      return use !== null && use.at > first.at ? use : null
    })
    expect(second.at.getTime() - first.at.getTime()).to.be.at.least(minuteMs)
    await mcp.close()
  })

  describe('of agents whose mailbox is deleted', () => {
    let call: Call
    let keyId: string
    const address = 'going@tenant.example'

    before(async () => {
      const maker = client(door.http, tenant.key)
      await maker('POST', '/api/v1/mailboxes', { address })
      const made = await agent({ mailboxes: [address] })
      call = client(door.http, made.apiKey)
      keyId = made.key.id
      expect((await call('GET', mailboxPath(address))).status).to.equal(200)
      expect((await maker('DELETE', mailboxPath(address))).status).to.equal(200)
    })

    const left: readonly (readonly [what: string, ask: () => Promise<Answer>, told: unknown])[] = [
      ['its mailbox is not found', () => call('GET', mailboxPath(address)), 'mailbox_not_found'],
      ['nor its messages', () => call('GET', `${mailboxPath(address)}/messages`), 'mailbox_not_found'],
      ['nor can it send from there', () => call('POST', `${mailboxPath(address)}/send`, {}), 'mailbox_not_found'],
      ['it sees no mailbox', async () => call('GET', '/api/v1/mailboxes'), 200],
      ['it finds nothing', () => call('GET', '/api/v1/search?q=x'), 200],
      ['it knows its account', () => call('GET', '/api/v1/account'), 200],
      ['it makes another one', () => call('POST', '/api/v1/mailboxes', { address: 'next@tenant.example' }), 201],
    ]
    for (const [what, ask, told] of left)
      it(what, async () => {
        const { status, body } = await ask()
        expect(body.code ?? status).to.equal(told)
        if (status === 200) expect(JSON.stringify(body)).to.not.include(address)
      })

    it('the mailbox is no longer granted once it is gone permanently', async () => {
      const ids = async () => (await door.ctx.store.keys.findOne({ _id: keyId }))?.mailboxIds
      expect(await ids()).to.have.length(2)
      expect((await listed(keyId))?.mailboxes).to.deep.equal(['next@tenant.example'])
      door.advance(31 * dayMs)
      await purgeDeletedMailboxes(door.ctx)
      expect(await ids()).to.have.length(1)
      expect((await call('GET', mailboxPath('next@tenant.example'))).status).to.equal(200)
    })
  })

  describe('app passwords', () => {
    const second = 'second@tenant.example'
    let made: { password: string; keyId: string }
    const passwordsOf = async (address: string) =>
      (await listAppPasswords(door.ctx, { account, address })).map(({ id }) => id)
    const login = (user: string, password: string) =>
      refusalOf(logIn(door.ctx, { user, password, scope: 'mail:send', peerAddress: '127.0.0.9' }))

    before(async () => {
      await client(door.http, tenant.key)('POST', '/api/v1/mailboxes', { address: second })
      made = await createAppPassword(door.ctx, { account, address: second, name: 'phone' })
    })

    it('belong to one mailbox, and are not API keys', async () => {
      expect(made.password).to.match(/^svc_app_/)
      expect(await login(second, made.password)).to.equal(null)
      expect((await login(tenant.address, made.password))?.code).to.equal('invalid_api_key')
      expect(await asks(made.password)).to.equal('invalid_api_key')
      expect(await passwordsOf(second)).to.deep.equal([made.keyId])
      expect(await passwordsOf(tenant.address)).to.not.include(made.keyId)
      expect(await listed(made.keyId)).to.deep.include({ use: 'mail program', mailboxes: [second], name: 'phone' })
    })

    const kept: readonly (readonly [what: string, end: () => Promise<unknown>, code: string])[] = [
      ['through another mailbox', () => revoke(tenant.address, made.keyId), 'not_found'],
      ['through no mailbox', () => revoke('x@tenant.example', made.keyId), 'mailbox_not_found'],
      ["through another account's mailbox", () => revoke(foreign.address, made.keyId), 'mailbox_not_found'],
      ['under an unknown id', () => revoke(second, `key_${'0'.repeat(26)}`), 'not_found'],
      [
        'by the id of an API key',
        async () => revoke(second, (await agent({ mailboxes: [second] })).key.id),
        'not_found',
      ],
    ]
    const revoke = (address: string, keyId: string) => revokeAppPassword(door.ctx, { account, address, keyId })
    for (const [what, end, code] of kept)
      it(`are not revoked ${what}`, async () => {
        expect((await refusalOf(end()))?.code).to.equal(code)
        expect(await login(second, made.password)).to.equal(null)
      })

    it('are revoked, once', async () => {
      await revoke(second, made.keyId)
      expect((await login(second, made.password))?.code).to.equal('invalid_api_key')
      expect(await passwordsOf(second)).to.deep.equal([])
      expect((await refusalOf(revoke(second, made.keyId)))?.code).to.equal('not_found')
    })

    it('need a name', async () => {
      const failure = await refusalOf(createAppPassword(door.ctx, { account, address: second, name: ' ' }))
      expect(failure?.detail.param).to.equal('name')
    })
  })
})
