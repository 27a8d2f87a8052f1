import { expect } from 'chai'
import { changeRole, joinAccount } from '../../core/people/members.ts'
import { hourMs } from '../../core/process/clock.ts'
import type { Role } from '../../schemas/scopes.ts'
import { browser, expectRefusal, type Person } from '../peers/person.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { newPerson, signedIn as signIn } from '../start/people.ts'

describe('api: sessions', () => {
  let door: Door
  let tenant: Tenant
  let other: Tenant
  let call: Call

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'tenant' })
    other = await makeTenant(door, { name: 'other' })
    call = client(door.http, tenant.key)
  })
  after(() => door?.close())

  const signedIn = (role?: Role, accountId = tenant.accountId) =>
    newPerson(door, role === undefined ? {} : { accountId, role })

  describe('access', () => {
    const send = { to: 'x@remote.example', subject: 's', text: 't' }
    const cases: readonly (readonly [
      role: Role,
      method: string,
      path: (tenant: Tenant) => string,
      body: unknown,
      expected: number | string,
    ])[] = [
      ['owner', 'GET', () => '/api/v1/account', undefined, 200],
      ['member', 'GET', () => '/api/v1/account', undefined, 200],
      ['reader', 'GET', () => '/api/v1/account', undefined, 200],
      ['owner', 'GET', () => '/api/v1/mailboxes', undefined, 200],
      ['member', 'GET', () => '/api/v1/mailboxes', undefined, 200],
      ['reader', 'GET', () => '/api/v1/mailboxes', undefined, 200],
      ['owner', 'GET', ({ address }) => `${mailboxPath(address)}/messages`, undefined, 200],
      ['reader', 'GET', ({ address }) => `${mailboxPath(address)}/messages`, undefined, 200],
      ['owner', 'POST', ({ address }) => `${mailboxPath(address)}/send`, send, 202],
      ['member', 'POST', ({ address }) => `${mailboxPath(address)}/send`, send, 202],
      ['reader', 'POST', ({ address }) => `${mailboxPath(address)}/send`, send, 'mail:send'],
      ['member', 'PATCH', ({ address }) => mailboxPath(address), { displayName: 'A' }, 200],
      ['reader', 'PATCH', ({ address }) => mailboxPath(address), { displayName: 'A' }, 'mailboxes:write'],
      ['owner', 'GET', () => '/api/v1/aliases', undefined, 200],
      ['member', 'GET', () => '/api/v1/aliases', undefined, 'aliases:read'],
      ['reader', 'GET', () => '/api/v1/aliases', undefined, 200],
      ['member', 'GET', () => '/api/v1/webhooks', undefined, 200],
      [
        'reader',
        'POST',
        () => '/api/v1/webhooks',
        { url: 'https://hook.example', events: ['message.sent'] },
        'forbidden',
      ],
      ['reader', 'DELETE', () => '/api/v1/webhooks/whk_1', undefined, 'forbidden'],
      ['reader', 'POST', ({ address }) => `${mailboxPath(address)}/wait`, { claim: 1 }, 'mail:write'],
    ]
    for (const [role, method, path, body, expected] of cases)
      it(`${role}: ${method} ${path({ address: 'A' } as Tenant)} is ${expected}`, async () => {
        const { ask } = await signedIn(role)
        const answer = await ask<{ code?: string; requiredScope?: string; fix?: string }>(method, path(tenant), body)
        if (typeof expected === 'number') expect(answer.status).to.equal(expected)
        else if (expected === 'forbidden') expectRefusal(answer, [403, expected])
        else expect(answer.body).to.include({ code: 'insufficient_scope', requiredScope: expected })
        if (typeof expected !== 'number') expect(answer.body.fix).to.include('another role')
      })

    it('an unknown mailbox is missing from the account, not from a key', async () => {
      const { ask } = await signedIn('reader')
      const answer = await ask('GET', mailboxPath('x@tenant.example'))
      expectRefusal(answer, [404, 'mailbox_not_found'])
      expect(answer.body.error).to.equal('The account has no mailbox x@tenant.example.')
    })

    it('a person without an account has no mailboxes, and is told so', async () => {
      const { ask } = await signedIn()
      expectRefusal(await ask('GET', '/api/v1/mailboxes'), [403, 'forbidden'])
      expect((await ask('GET', '/api/v1/session')).body).to.deep.include({ account: null, accounts: [] })
    })

    it('nobody reaches the mailbox of another account', async () => {
      const { ask } = await signedIn('owner')
      expectRefusal(await ask('GET', mailboxPath(other.address)), [404, 'mailbox_not_found'])
    })

    it('a key has no session', async () => {
      expectRefusal(await call('GET', '/api/v1/session'), [403, 'forbidden'])
      expectRefusal(await call('DELETE', '/api/v1/session'), [403, 'forbidden'])
      const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: ['mail:read'] })
      expectRefusal(await client(door.http, apiKey)('GET', '/api/v1/session'), [403, 'forbidden'])
    })

    it('a key that is not valid is no session either', async () => {
      expectRefusal(await client(door.http, 'svc_live_x')('GET', '/api/v1/session'), [401, 'invalid_api_key'])
    })

    it('a key takes precedence over a cookie, and needs no token', async () => {
      const { cookie } = await signedIn('owner', other.accountId)
      const answer = await call('PATCH', mailboxPath(tenant.address), { displayName: 'B' }, { cookie: cookie ?? '' })
      expect(answer.status).to.equal(200)
    })
  })

  describe('the token against forged requests', () => {
    const refused: readonly (readonly [string, Record<string, string>])[] = [
      ['none', {}],
      ['an empty one', { 'x-csrf-token': '' }],
      ['one that was made up', { 'x-csrf-token': 'x'.repeat(43) }],
    ]
    for (const [name, headers] of refused)
      it(`with ${name} nothing is changed`, async () => {
        const { cookie } = await signedIn('owner')
        const ask = client(door.http)
        const own = { cookie: cookie ?? '', ...headers }
        expectRefusal(await ask('PATCH', mailboxPath(tenant.address), { displayName: 'C' }, own), [403, 'forbidden'])
        expectRefusal(await ask('DELETE', '/api/v1/session', undefined, own), [403, 'forbidden'])
        expect((await ask('GET', '/api/v1/session', undefined, own)).status).to.equal(200)
      })

    it('with the token of another session nothing is changed', async () => {
      const [one, two] = [await signedIn('owner'), await signedIn('owner')]
      const { body } = await one.ask('GET', '/api/v1/session')
      const headers = { 'x-csrf-token': String(body.csrfToken) }
      expectRefusal(await two.ask('PATCH', mailboxPath(tenant.address), { displayName: 'C' }, headers), [
        403,
        'forbidden',
      ])
    })
  })

  describe('its end', () => {
    it('signing out ends it at once, and removes the cookie', async () => {
      const person = await signedIn('owner')
      const { cookie } = person
      const answer = await person.ask('DELETE', '/api/v1/session')
      expect(answer.headers.get('set-cookie')).to.match(
        /^mailroom_session=; Max-Age=0; Path=\/; HttpOnly; SameSite=Lax$/,
      )
      expect(person.cookie).to.equal(null)
      for (const path of ['/api/v1/session', '/api/v1/mailboxes'])
        expectRefusal(await browser(door.http, cookie).ask('GET', path), [401, 'unauthorized'])
    })

    it('applies in another process at once, and so does a change of role', async () => {
      const second = await door.another()
      try {
        const [person, reader] = [await signedIn('owner'), await signedIn('owner')]
        const there = (who: Person) => browser(second.http, who.cookie)
        for (const who of [person, reader])
          expect((await there(who).ask('GET', '/api/v1/webhooks')).status).to.equal(200)
        await person.ask('DELETE', '/api/v1/session')
        await changeRole(door.ctx, { accountId: tenant.accountId, personId: reader.id, role: 'reader' })
        await door.noticed()
        expectRefusal(await there(person).ask('GET', '/api/v1/session'), [401, 'unauthorized'])
        expectRefusal(await there(reader).ask('DELETE', '/api/v1/webhooks/whk_1'), [403, 'forbidden'])
      } finally {
        await second.close()
      }
    })

    const unknown: readonly (readonly [string, string, readonly [number, string]])[] = [
      ['a made-up token', `mailroom_session=${'t'.repeat(43)}`, [401, 'unauthorized']],
      ['an empty token', 'mailroom_session=', [401, 'unauthorized']],
      ['a key as the token', 'mailroom_session=svc_live_x', [401, 'unauthorized']],
      ['another cookie alone', 'session=x', [401, 'missing_api_key']],
      ['a cookie whose name ends the same', 'x_mailroom_session=x', [401, 'missing_api_key']],
    ]
    for (const [name, cookie, expected] of unknown)
      it(`${name} is nobody`, async () => {
        expectRefusal(await client(door.http)('GET', '/api/v1/mailboxes', undefined, { cookie }), expected)
      })

    it('without a cookie nobody is signed in', async () => {
      expectRefusal(await client(door.http)('GET', '/api/v1/session'), [401, 'unauthorized'])
    })

    it('comes when the session is unused for too long, and after its maximum number of days', async () => {
      const [used, unused] = [await signedIn('owner'), await signedIn('owner')]
      const { idleHours, days } = door.ctx.settings.sessions
      const isIn = async ({ ask }: Person) => (await ask('GET', '/api/v1/session')).status === 200
      door.advance(idleHours * hourMs - 60_000)
      expect(await isIn(used)).to.equal(true)
      door.advance(60_000)
      expect([await isIn(used), await isIn(unused)]).to.deep.equal([true, false])
      for (let hours = idleHours; hours < days * 24; hours += idleHours - 1) {
        expect(await isIn(used), `after ${hours} hours`).to.equal(true)
        door.advance((idleHours - 1) * hourMs)
      }
      expect(await isIn(used)).to.equal(false)
    })
  })

  describe('the list of them', () => {
    type List = { sessions: { id: string; current: boolean }[]; next: string | null }
    const perPage = 50

    it('is paged, and any session can be ended, however many have started after it', async () => {
      const first = await signedIn('owner')
      for (let n = 0; n < perPage; n++) await signIn(door, first)
      const { body } = await first.ask<List>('GET', '/api/v1/sessions')
      expect(body.sessions).to.have.length(perPage)
      const older = (await first.ask<List>('GET', `/api/v1/sessions?before=${body.next}`)).body
      expect(older.sessions.map(({ current }) => current)).to.deep.equal([true])
      expect(older.next).to.equal(null)
      const another = await signIn(door, first)
      expect((await another.ask('DELETE', `/api/v1/sessions/${older.sessions[0]?.id}`)).status).to.equal(200)
      expectRefusal(await first.ask('GET', '/api/v1/session'), [401, 'unauthorized'])
    })

    it('shows a session in use before ended ones, however many there are', async () => {
      const first = await signedIn('owner')
      for (let n = 0; n < perPage; n++) await signIn(door, first)
      for (let half = 0; half < 2; half++) {
        door.advance((door.ctx.settings.sessions.idleHours * hourMs) / 2)
        await first.ask('GET', '/api/v1/session')
      }
      const { body } = await first.ask<List>('GET', '/api/v1/sessions')
      expect([body.sessions.map(({ current }) => current), body.next]).to.deep.equal([[true], null])
    })

    it("cannot end another person's session", async () => {
      const [one, two] = [await signedIn('owner'), await signedIn('owner')]
      const [own] = (await two.ask<List>('GET', '/api/v1/sessions')).body.sessions
      expectRefusal(await one.ask('DELETE', `/api/v1/sessions/${own?.id}`), [404, 'not_found'])
    })
  })

  describe('several accounts', () => {
    it('the session acts on one of them, and can switch to another', async () => {
      const person = await signedIn('reader')
      await joinAccount(door.ctx, { accountId: other.accountId, personId: person.id, role: 'member' })
      const moved = await person.ask('PATCH', '/api/v1/session', { account: other.accountId })
      expect(moved.body.account).to.deep.equal({ id: other.accountId, name: 'other', role: 'member' })
      expect((await person.ask('GET', mailboxPath(other.address))).status).to.equal(200)
      expect((await person.ask('GET', mailboxPath(tenant.address))).status).to.equal(404)
    })

    it('the session cannot switch to an account of others', async () => {
      const { ask } = await signedIn('owner')
      for (const account of [other.accountId, 'acc_nothing', ''])
        expectRefusal(await ask('PATCH', '/api/v1/session', { account }), [404, 'not_found'])
    })
  })
})
