import { expect } from 'chai'
import { administrator } from '../../core/access/principal.ts'
import { findSession } from '../../core/access/sessions.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { logIn } from '../../core/account/login.ts'
import { acceptInvitation, invite as inviteAs } from '../../core/people/invitations.ts'
import { makeLink } from '../../core/people/mailed-links.ts'
import { joinAccount, sweepJoins } from '../../core/people/members.ts'
import { answerRequest, openRequests, sweepAnswers } from '../../core/people/requests.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { findAccount } from '../../store/accounts.ts'
import { walkAudit } from '../../store/audit.ts'
import { browser, expectRefusal } from '../peers/person.ts'
import { type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { beginErasure, newPerson, type SignedIn } from '../start/people.ts'

const membersPath = '/api/v1/account/members'

describe('api: what people manage', () => {
  let door: Door
  let tenant: Tenant
  let other: Tenant
  let call: Call
  let owner: SignedIn

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    other = await makeTenant(door, { name: 'other' })
    call = client(door.http, tenant.key)
    await call('POST', '/api/v1/aliases', { alias: '*@tenant.example', targets: [tenant.address] })
    owner = await newPerson(door, { accountId: tenant.accountId })
  })
  after(() => door?.close())

  type Mail = { readonly message_id: string; readonly subject: string; readonly text: string }

  async function newestTo(to: string): Promise<Mail | undefined> {
    await carryOutgoing(door.ctx)
    const path = `${mailboxPath(tenant.address)}/messages`
    const { body } = await call<{ messages: Mail[] }>('GET', `${path}?to=${encodeURIComponent(to)}`)
    const [newest] = body.messages
    return newest && (await call<Mail>('GET', `${path}/${newest.message_id}`)).body
  }
  const tokenTo = async (to: string) => /\/invitation\/(\w{43})$/m.exec((await newestTo(to))?.text ?? '')?.[1] ?? ''

  const leaving = (accountId: string) => `/api/v1/people/me/accounts/${encodeURIComponent(accountId)}`
  let addresses = 0
  const address = () => `invited${++addresses}@tenant.example`
  const invite = (email: string, role = 'member', by = owner) => by.ask('POST', membersPath, { email, role })
  const idsOf = async (by = owner) =>
    (await by.ask<{ members: { id: string }[] }>('GET', membersPath)).body.members.map(({ id }) => id)

  describe('access', () => {
    const routes: readonly (readonly [method: string, path: string, body?: object])[] = [
      ['GET', membersPath],
      ['POST', membersPath, { email: 'a@b.example', role: 'member' }],
      ['PATCH', `${membersPath}/usr_1`, { role: 'owner' }],
      ['DELETE', `${membersPath}/usr_1`],
      ['GET', '/api/v1/keys'],
      ['POST', '/api/v1/keys', { name: 'k', scopes: ['mail:read'] }],
      ['DELETE', '/api/v1/keys/key_1'],
    ]
    for (const [method, path, body] of routes)
      it(`${method} ${path}: only a signed-in owner, no other role and no key`, async () => {
        for (const role of ['member', 'reader'] as const) {
          const { ask } = await newPerson(door, { accountId: tenant.accountId, role })
          expectRefusal(await ask(method, path, body), [403, 'forbidden'])
        }
        expectRefusal(await (await newPerson(door)).ask(method, path, body), [403, 'forbidden'])
        expectRefusal(await call(method, path, body), [403, 'forbidden'])
        expectRefusal(await client(door.http)(method, path, body), [401, 'unauthorized'])
        expect((await owner.ask(method, path, body)).status).to.be.oneOf([200, 201, 404])
      })
  })

  describe('members', () => {
    it('an invited person signs up with the invitation and is a member at once', async () => {
      const email = address()
      const invited = await invite(email, 'reader')
      expect([invited.status, invited.body.status, invited.body.role]).to.deep.equal([201, 'invited', 'reader'])
      const mail = await newestTo(email)
      expect(mail?.text).to.include('invites you to join the Mailroom account "tenant" with the role "reader"')
      const visitor = browser(door.http)
      const password = 'a good password'
      const signUp = { email, password, name: 'Cy', invitation: await tokenTo(email) }
      expect((await visitor.ask('POST', '/api/v1/people', signUp)).body.next).to.equal('sign_in')
      const begun = await visitor.ask('POST', '/api/v1/session', { email, password })
      expect(begun.body.account).to.deep.include({ id: tenant.accountId, role: 'reader' })
      const listed = (await owner.ask<{ members: Json[] }>('GET', membersPath)).body.members
      expect(listed.filter((member) => member.email === email)).to.have.length(1)
      expect(listed.find((member) => member.email === email)).to.include({ status: 'active', name: 'Cy' })
      expectRefusal(await visitor.ask('POST', '/api/v1/people', signUp), [404, 'not_found'])
    })

    it('a signed-in person accepts an invitation, and the session then acts on the account', async () => {
      const person = await newPerson(door)
      expect(await idsOf()).not.to.include(person.id)
      // The message goes to another server, so the test uses a link like the one in it.
      const link = {
        kind: 'invitation',
        email: person.email,
        accountId: tenant.accountId,
        role: 'member',
        invitationId: 'inv_1',
      } as const
      const token = (await makeLink(door.ctx, link)).split('/').at(-1)
      const stranger = await newPerson(door)
      expectRefusal(await stranger.ask('POST', '/api/v1/people/invitation', { token }), [403, 'forbidden'])
      const joined = await person.ask('POST', '/api/v1/people/invitation', { token })
      expect(joined.body.account).to.deep.include({ id: tenant.accountId, role: 'member' })
      expect((await person.ask('GET', mailboxPath(tenant.address))).status).to.equal(200)
      expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token }), [404, 'not_found'])
    })

    it('an invitation to another address than that of the person is refused, and stays valid', async () => {
      const email = address()
      await invite(email)
      const invitation = await tokenTo(email)
      const visitor = client(door.http)
      const wrong = await visitor('POST', '/api/v1/people', {
        email: address(),
        password: 'a good password',
        name: 'Di',
        invitation,
      })
      expectRefusal(wrong, [400, 'validation_error'])
      const right = await visitor('POST', '/api/v1/people', {
        email,
        password: 'a good password',
        name: 'Di',
        invitation,
      })
      expect(right.status).to.equal(202)
    })

    it('an invitation that is withdrawn, replaced or older than a week is refused', async () => {
      const email = address()
      const accept = async (invitation: string) =>
        client(door.http)('POST', '/api/v1/people', { email, password: 'a good password', name: 'Ed', invitation })
      const first = await invite(email)
      const one = await tokenTo(email)
      await owner.ask('DELETE', `${membersPath}/${first.body.id}`)
      expectRefusal(await accept(one), [404, 'not_found'])
      await invite(email)
      const two = await tokenTo(email)
      await invite(email)
      const three = await tokenTo(email)
      expectRefusal(await accept(two), [404, 'not_found'])
      door.advance(7 * dayMs)
      expectRefusal(await accept(three), [404, 'not_found'])
      owner = await newPerson(door, { accountId: tenant.accountId })
    })

    it('of simultaneous invitations of one address the newest stays, and none is left once it is accepted', async () => {
      const person = await newPerson(door)
      const invited = await Promise.all(Array.from({ length: 5 }, () => invite(person.email)))
      expect(invited.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201])
      const newest = invited
        .map(({ body }) => String(body.id))
        .toSorted()
        .at(-1)
      const listed = async () =>
        (await owner.ask<{ members: Json[] }>('GET', membersPath)).body.members
          .filter(({ email }) => email === person.email)
          .map(({ id, status }) => [id, status])
      expect(await listed()).to.deep.equal([[newest, 'invited']])
      const links = Array.from({ length: 2 }, (_, n) =>
        makeLink(door.ctx, {
          kind: 'invitation',
          email: person.email,
          accountId: tenant.accountId,
          role: 'member',
          invitationId: `inv_${n}`,
        }),
      )
      const [one, two] = (await Promise.all(links)).map((link) => link.split('/').at(-1))
      expect((await person.ask('POST', '/api/v1/people/invitation', { token: one })).status).to.equal(200)
      expect(await listed()).to.deep.equal([[person.id, 'active']])
      expect((await owner.ask('DELETE', `${membersPath}/${person.id}`)).status).to.equal(200)
      expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token: two }), [404, 'not_found'])
    })

    it('an invitation stays valid until its person has joined, wherever the process dies', async () => {
      const { ctx } = door
      const person = await newPerson(door)
      const link = { kind: 'invitation', email: person.email, accountId: tenant.accountId, role: 'member' } as const
      const urls = [await makeLink(ctx, { ...link, invitationId: 'inv_3' })]
      urls.push(await makeLink(ctx, { ...link, invitationId: 'inv_4' }))
      const [token = '', late = ''] = urls.map((url) => url.split('/').at(-1))
      const session = (await findSession(ctx, person.cookie?.split('=').at(-1) ?? '', null))!
      const deaths = await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        (at) =>
          acceptInvitation(at, session, token).catch(async (error: unknown) => {
            // The process died once the person had joined.
            if (!(error instanceof Failure) || !(await idsOf()).includes(person.id)) throw error
          }),
        async () => undefined,
      )
      expect(deaths).to.be.above(1)
      expect(await idsOf()).to.include(person.id)
      expect((await owner.ask('DELETE', `${membersPath}/${person.id}`)).status).to.equal(200)
      for (const each of [token, late])
        expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token: each }), [404, 'not_found'])
    })

    describe('an invitation that is being accepted', () => {
      let invitations = 5
      /** Begins to accept an invitation, up to the moment at which the person would join: `join` does that, or fails. */
      async function beginJoin(join: () => Promise<void>) {
        const { ctx } = door
        const person = await newPerson(door)
        const session = (await findSession(ctx, person.cookie?.split('=').at(-1) ?? '', null))!
        const invitationId = `inv_${++invitations}`
        const [of, who] = [
          { accountId: tenant.accountId, invitationId },
          { email: person.email, role: 'member' },
        ] as const
        const token = (await makeLink(ctx, { kind: 'invitation', ...of, ...who })).split('/').at(-1) ?? ''
        const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
        const accounts = Object.assign(Object.create(ctx.store.accounts), {
          async updateOne(...given: Parameters<typeof ctx.store.accounts.updateOne>) {
            reach()
            await join()
            return ctx.store.accounts.updateOne(...given)
          },
        })
        const joining = acceptInvitation({ ...ctx, store: { ...ctx.store, accounts } }, session, token)
        await Promise.race([reached, joining])
        return {
          person,
          token,
          invitationId,
          joining,
          withdraw: () => owner.ask('DELETE', `${membersPath}/${invitationId}`),
        }
      }

      it('cannot be withdrawn', async () => {
        const { promise: gate, resolve: open } = Promise.withResolvers<void>()
        const { person, invitationId, joining, withdraw } = await beginJoin(() => gate)
        expectRefusal(await withdraw(), [409, 'conflict'])
        expect(await idsOf()).to.include(invitationId)
        open()
        await joining
        expect(await idsOf())
          .to.include(person.id)
          .and.not.to.include(invitationId)
        expectRefusal(await withdraw(), [404, 'not_found'])
      })

      it('can be a minute later if the process died, and then lets nobody in', async () => {
        const { person, token, joining, withdraw } = await beginJoin(() => Promise.reject(new Error('died')))
        await joining.catch(() => undefined)
        expectRefusal(await withdraw(), [409, 'conflict'])
        door.advance(minuteMs)
        expect((await withdraw()).status).to.equal(200)
        expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token }), [404, 'not_found'])
        expect(await idsOf()).not.to.include(person.id)
      })
    })

    it('a removed member does not come back by an invitation that a crash left', async () => {
      const { ctx } = door
      const person = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      const link = { kind: 'invitation', email: person.email, accountId: tenant.accountId, role: 'member' } as const
      const token = (await makeLink(ctx, { ...link, invitationId: 'inv_5' })).split('/').at(-1)
      expect((await owner.ask('DELETE', `${membersPath}/${person.id}`)).status).to.equal(200)
      expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token }), [404, 'not_found'])
    })

    it('a person who is erased when the process dies that lets them join is no member', async () => {
      const { ctx } = door
      const person = await newPerson(door)
      const erasure = await beginErasure(ctx, person.id)
      const membersIn = async () =>
        (await findAccount(ctx.store, tenant.accountId))?.members?.map(({ personId }) => personId)
      let hasDied = false
      await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        async (at) => {
          if (!hasDied) await joinAccount(at, { accountId: tenant.accountId, personId: person.id, role: 'owner' })
        },
        async () => {
          hasDied = (await membersIn())?.includes(person.id) ?? false
        },
      )
      await erasure.finish()
      expect(await membersIn()).to.include(person.id)
      door.advance(2 * minuteMs)
      await sweepJoins(ctx)
      expect(await membersIn()).not.to.include(person.id)
      expect(await ctx.store.accounts.countDocuments({ 'joining.at': { $exists: true } })).to.equal(0)
    })

    it('nobody joins an account that is unclaimed, and would be removed with its members', async () => {
      const { ctx } = door
      const { body } = await client(door.http)<{ api_key: string; claim_url: string }>('POST', '/api/v1/signup')
      const { id: accountId } = (await client(door.http, body.api_key)<{ id: string }>('GET', '/api/v1/account')).body
      const person = await newPerson(door)
      const wanted = { email: person.email, role: 'owner' } as const
      const by = administrator(await getAccount(ctx, accountId))
      const refusal: Failure = await inviteAs(ctx, by, wanted).then(
        () => expect.fail('The invitation was made.'),
        (error) => error,
      )
      expect([refusal.code, refusal.fix]).to.deep.equal([
        'conflict',
        'Claim it first: "mailroom account claim LINK EMAIL", with its claim link.',
      ])
      const link = { kind: 'invitation', accountId, invitationId: 'inv_6', ...wanted } as const
      const token = (await makeLink(ctx, link)).split('/').at(-1)
      expectRefusal(await person.ask('POST', '/api/v1/people/invitation', { token }), [409, 'conflict'])
      expect((await findAccount(ctx.store, accountId))?.members ?? []).to.deep.equal([])
    })

    it('a role changes at once, and a removed member has no access', async () => {
      const member = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      const send = { to: 'x@remote.example', subject: 's', text: 't' }
      const path = `${mailboxPath(tenant.address)}/send`
      expect((await member.ask('POST', path, send)).status).to.equal(202)
      const changed = await owner.ask('PATCH', `${membersPath}/${member.id}`, { role: 'reader' })
      expect(changed.body).to.include({ id: member.id, role: 'reader' })
      expectRefusal(await member.ask('POST', path, send), [403, 'insufficient_scope'])
      expect((await owner.ask('DELETE', `${membersPath}/${member.id}`)).status).to.equal(200)
      expectRefusal(await member.ask('GET', '/api/v1/mailboxes'), [403, 'forbidden'])
      expect((await member.ask('GET', '/api/v1/session')).body.account).to.equal(null)
    })

    it('the session of a removed member continues in another of their accounts', async () => {
      const { accountId } = await makeTenant(door, { name: 'left' })
      const by = await newPerson(door, { accountId })
      const member = await newPerson(door, { accountId, role: 'member' })
      const elsewhere = await makeTenant(door, { name: 'elsewhere' })
      await joinAccount(door.ctx, { accountId: elsewhere.accountId, personId: member.id, role: 'reader' })
      await by.ask('DELETE', `${membersPath}/${member.id}`)
      // A request meant for the previous account is not applied to another one.
      const headers = { cookie: member.cookie ?? '' }
      const refused = await client(door.http)('GET', '/api/v1/mailboxes', undefined, headers)
      expectRefusal(refused, [403, 'forbidden'])
      const there = { id: elsewhere.accountId, role: 'reader' }
      expect((await member.ask('GET', '/api/v1/session')).body.account).to.deep.include(there)
      expect((await member.ask('GET', mailboxPath(elsewhere.address))).status).to.equal(200)
    })

    for (const role of ['member', 'reader'] as const)
      it(`a ${role} leaves, and the session continues in another of their accounts`, async () => {
        const { accountId } = await makeTenant(door, { name: `by-a-${role}` })
        const by = await newPerson(door, { accountId })
        const person = await newPerson(door, { accountId, role })
        const elsewhere = await makeTenant(door, { name: `after-a-${role}` })
        await joinAccount(door.ctx, { accountId: elsewhere.accountId, personId: person.id, role: 'reader' })
        const polled = person.ask('GET', '/api/v1/events?wait=55')
        await door.nextRequests()
        expect((await person.ask('DELETE', leaving(accountId))).body).to.deep.equal({ success: true, deleted: true })
        expectRefusal(await polled, [401, 'unauthorized'])
        expectRefusal(await person.ask('DELETE', leaving(accountId)), [404, 'not_found'])
        const { body } = await person.ask<{ account: Json; accounts: Json[] }>('GET', '/api/v1/session')
        expect(body.accounts.map(({ id }) => id)).to.deep.equal([elsewhere.accountId])
        expect(body.account).to.deep.include({ id: elsewhere.accountId, role: 'reader' })
        expect(await idsOf(by)).to.deep.equal([by.id])
        const audit = await by.ask<{ entries: Json[] }>('GET', '/api/v1/audit?action=people.leave')
        expect(audit.body.entries.map(({ who }) => who)).to.deep.equal([{ kind: 'person', id: person.id, name: null }])
      })

    it('leaving another account does not change the account that the session acts on', async () => {
      const { accountId, key } = await makeTenant(door, { name: 'aside' })
      const person = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      await joinAccount(door.ctx, { accountId, personId: person.id, role: 'reader' })
      const account = client(door.http, key)
      expect((await account('GET', '/api/v1/account')).body.owner).to.equal(undefined)
      // The account never had an owner that it would have to keep.
      expect((await person.ask('DELETE', leaving(accountId))).status).to.equal(200)
      expect((await person.ask('GET', '/api/v1/mailboxes')).status).to.equal(200)
      const left = await account<{ entries: Json[] }>('GET', '/api/v1/audit?action=people.leave')
      expect(left.body.entries.map(({ who }) => who)).to.deep.equal([{ kind: 'person', id: person.id, name: null }])
      const there = { id: tenant.accountId, role: 'member' }
      expect((await person.ask('GET', '/api/v1/session')).body.account).to.deep.include(there)
    })

    it('nothing is revealed about an account that is not theirs', async () => {
      const person = await newPerson(door, { accountId: tenant.accountId, role: 'reader' })
      for (const id of [other.accountId, 'acc_none', person.id, 'ü'])
        expectRefusal(await person.ask('DELETE', leaving(id)), [404, 'not_found'])
      expectRefusal(await call('DELETE', leaving(tenant.accountId)), [403, 'forbidden'])
    })

    it('a page too continues in another account', async () => {
      const { accountId } = await makeTenant(door, { name: 'later' })
      const person = await newPerson(door)
      const approvals = async () => {
        const headers = { cookie: person.cookie ?? '' }
        return (await fetch(`${door.http}/settings/approvals`, { headers })).text()
      }
      expect(await approvals()).to.include('not a member of any account')
      await joinAccount(door.ctx, { accountId, personId: person.id, role: 'member' })
      expect(await approvals()).not.to.include('not a member of any account')
    })

    it('the last owner stays, also when two remove each other', async () => {
      const { accountId } = await makeTenant(door, { name: 'owned' })
      const [one, two] = [await newPerson(door, { accountId }), await newPerson(door, { accountId })]
      await newPerson(door, { accountId, role: 'member' })
      const answers = await Promise.all([
        one.ask('DELETE', `${membersPath}/${two.id}`),
        two.ask('PATCH', `${membersPath}/${one.id}`, { role: 'reader' }),
      ])
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      const members = (await findAccount(door.ctx.store, accountId))?.members ?? []
      const owners = members.filter(({ role }) => role === 'owner')
      expect(owners).to.have.length(1)
      const last = owners[0]?.personId === one.id ? one : two
      expectRefusal(await last.ask('DELETE', `${membersPath}/${last.id}`), [409, 'conflict'])
      expectRefusal(await last.ask('DELETE', leaving(accountId)), [409, 'conflict'])
      expectRefusal(await last.ask('PATCH', `${membersPath}/${last.id}`, { role: 'member' }), [409, 'conflict'])
      expect((await last.ask('PATCH', `${membersPath}/${last.id}`, { role: 'owner' })).status).to.equal(200)
    })

    it('one of two owners who leave at once stays', async () => {
      const { accountId } = await makeTenant(door, { name: 'both-leave' })
      const owners = [await newPerson(door, { accountId }), await newPerson(door, { accountId })]
      const answers = await Promise.all(owners.map(({ ask }) => ask('DELETE', leaving(accountId))))
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409])
      expect((await findAccount(door.ctx.store, accountId))?.members).to.have.length(1)
    })

    it('the account names an owner, and another one once that person is no longer an owner', async () => {
      const { accountId, key } = await makeTenant(door, { name: 'named' })
      const named = async () => (await client(door.http, key)('GET', '/api/v1/account')).body.owner
      expect(await named()).to.equal(undefined)
      const [one, two] = [await newPerson(door), await newPerson(door)]
      for (const { id: personId } of [one, two]) await joinAccount(door.ctx, { accountId, personId, role: 'owner' })
      expect(await named()).to.equal(one.email)
      await one.ask('PATCH', '/api/v1/session', { account: accountId })
      await two.ask('PATCH', '/api/v1/session', { account: accountId })
      await two.ask('PATCH', `${membersPath}/${one.id}`, { role: 'reader' })
      expect(await named()).to.equal(two.email)
      await two.ask('PATCH', `${membersPath}/${one.id}`, { role: 'owner' })
      expect(await named()).to.equal(two.email)
      await one.ask('DELETE', `${membersPath}/${two.id}`)
      expect(await named()).to.equal(one.email)
    })

    it('members of another account are not found', async () => {
      const theirs = await newPerson(door, { accountId: other.accountId })
      expect(await idsOf()).not.to.include(theirs.id)
      expectRefusal(await owner.ask('PATCH', `${membersPath}/${theirs.id}`, { role: 'reader' }), [404, 'not_found'])
      expectRefusal(await owner.ask('DELETE', `${membersPath}/${theirs.id}`), [404, 'not_found'])
      const invitation = await theirs.ask<{ id: string }>('POST', membersPath, { email: address(), role: 'member' })
      expectRefusal(await owner.ask('DELETE', `${membersPath}/${invitation.body.id}`), [404, 'not_found'])
    })

    it('a member cannot be invited again', async () => {
      expectRefusal(await invite(owner.email), [409, 'conflict'])
    })

    it('the invitations of an account per day are limited', async () => {
      const { people } = door.ctx.settings.limits
      const before = people.invitationsPerDay
      Object.assign(people, { invitationsPerDay: 2 })
      door.advance(dayMs)
      try {
        const { accountId } = await makeTenant(door, { name: 'inviting' })
        const by = await newPerson(door, { accountId })
        const answers = await Promise.all([1, 2, 3].map(() => invite(address(), 'reader', by)))
        expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 429])
      } finally {
        Object.assign(people, { invitationsPerDay: before })
      }
      owner = await newPerson(door, { accountId: tenant.accountId })
    })
  })

  describe('keys', () => {
    it('the secret is shown once, and works until it is revoked', async () => {
      const made = await owner.ask<{ id: string; apiKey: string }>('POST', '/api/v1/keys', {
        name: 'reader',
        kind: 'agent',
        scopes: ['mail:read'],
        mailboxes: [tenant.address],
      })
      expect(made.status).to.equal(201)
      const { id, apiKey } = made.body
      expect(apiKey).to.match(/^svc_live_/)
      const agent = client(door.http, apiKey)
      expect((await agent('GET', `${mailboxPath(tenant.address)}/messages`)).status).to.equal(200)
      const { body } = await owner.ask<{ keys: Json[] }>('GET', '/api/v1/keys')
      expect(body.keys.find((key) => key.id === id)).to.deep.include({ name: 'reader', mailboxes: [tenant.address] })
      expect(JSON.stringify(body)).not.to.include(apiKey)
      expect((await owner.ask('DELETE', `/api/v1/keys/${id}`)).status).to.equal(200)
      expectRefusal(await agent('GET', `${mailboxPath(tenant.address)}/messages`), [401, 'invalid_api_key'])
      expectRefusal(await owner.ask('DELETE', `/api/v1/keys/${id}`), [404, 'not_found'])
    })

    const refused: readonly (readonly [string, object, readonly [number, string]])[] = [
      [
        'an agent key with a scope that is not for agents',
        { kind: 'agent', scopes: ['domains:read'] },
        [400, 'validation_error'],
      ],
      ['no scope', { scopes: [] }, [400, 'validation_error']],
      ['an unknown scope', { scopes: ['everything'] }, [400, 'validation_error']],
      [
        'an expiry in the past',
        { scopes: ['mail:read'], expiresAt: '2020-01-01T00:00:00.000Z' },
        [400, 'validation_error'],
      ],
      [
        'mailboxes for an account key',
        { scopes: ['mail:read'], mailboxes: ['agent@tenant.example'] },
        [400, 'validation_error'],
      ],
      [
        'a mailbox of others',
        { kind: 'agent', scopes: ['mail:read'], mailboxes: ['agent@other.example'] },
        [404, 'mailbox_not_found'],
      ],
    ]
    for (const [what, body, expected] of refused)
      it(`${what} is refused`, async () => {
        expectRefusal(await owner.ask('POST', '/api/v1/keys', { name: 'k', ...body }), expected)
      })

    it('pages go through all of them, newest first', async () => {
      const { accountId } = await makeTenant(door, { name: 'paged' })
      const { ask } = await newPerson(door, { accountId })
      for (const name of ['one', 'two', 'three']) await ask('POST', '/api/v1/keys', { name, scopes: ['mail:read'] })
      const names: unknown[] = []
      for (let next: string | null = ''; next !== null; ) {
        const before: string = next === '' ? '' : `&before=${next}`
        const page = await ask<{ keys: Json[]; next: string | null }>('GET', `/api/v1/keys?limit=1${before}`)
        names.push(...page.body.keys.map(({ name }) => name))
        next = page.body.next
      }
      expect(names).to.deep.equal(['three', 'two', 'one', 'test'])
    })

    it('the key of another account is not found', async () => {
      const { ask } = await newPerson(door, { accountId: other.accountId })
      const { body } = await ask<{ id: string }>('POST', '/api/v1/keys', { name: 'k', scopes: ['mail:read'] })
      expectRefusal(await owner.ask('DELETE', `/api/v1/keys/${body.id}`), [404, 'not_found'])
    })

    it('their creation and revocation are audited, with the person who did it', async () => {
      await door.ctx.background.done()
      const entries = await walkAudit(door.ctx.store, tenant.accountId, 1, 1_000)
      const made = entries.filter(({ action, outcome }) => action === 'keys.create' && outcome === 'done')
      expect(made.length).to.be.above(0)
      for (const { userId } of made) expect(userId).to.match(/^usr_/)
      expect(entries.some(({ action }) => action === 'members.remove')).to.equal(true)
    })
  })

  describe('app passwords', () => {
    const path = (of = tenant.address) => `${mailboxPath(of)}/app-passwords`
    const login = (password: string) =>
      logIn(door.ctx, { user: tenant.address, password, scope: 'mail:send', peerAddress: '192.0.2.9' })

    it('a member creates one, logs in with it, and revokes it', async () => {
      const member = await newPerson(door, { accountId: tenant.accountId, role: 'member' })
      const made = await member.ask<{ id: string; password: string }>('POST', path(), { name: 'phone' })
      expect(made.status).to.equal(201)
      expect((await login(made.body.password)).mailbox.address).to.equal(tenant.address)
      const { body } = await member.ask<{ appPasswords: Json[] }>('GET', path())
      expect(body.appPasswords.map(({ id, name }) => [id, name])).to.deep.equal([[made.body.id, 'phone']])
      expect(JSON.stringify(body)).not.to.include(made.body.password)
      const { body: keys } = await owner.ask<{ keys: Json[] }>('GET', '/api/v1/keys')
      expect(keys.keys.map(({ id }) => id)).not.to.include(made.body.id)
      expectRefusal(await client(door.http, made.body.password)('GET', '/api/v1/mailboxes'), [401, 'invalid_api_key'])
      expect((await member.ask('DELETE', `${path()}/${made.body.id}`)).status).to.equal(200)
      expect(await login(made.body.password).catch((error: unknown) => error)).to.be.instanceOf(Failure)
      expectRefusal(await member.ask('DELETE', `${path()}/${made.body.id}`), [404, 'not_found'])
    })

    it("the Idempotency-Key of another person does not reveal that person's password", async () => {
      const [one, two] = [
        await newPerson(door, { accountId: tenant.accountId, role: 'member' }),
        await newPerson(door, { accountId: tenant.accountId, role: 'member' }),
      ]
      const headers = { 'idempotency-key': 'app password 1' }
      const make = ({ ask }: SignedIn) => ask<{ password: string }>('POST', path(), { name: 'phone' }, headers)
      const made = await make(one)
      expect(made.status).to.equal(201)
      expectRefusal(await make(two), [422, 'idempotency_key_reused'])
      expect((await make(one)).body).to.deep.equal(made.body)
    })

    it('it allows what the role of its creator allows, and ends with the membership', async () => {
      const { accountId } = tenant
      const member = await newPerson(door, { accountId, role: 'member' })
      const made = await member.ask<{ id: string; password: string }>('POST', path(), { name: 'phone' })
      const { password } = made.body
      const may = async (scope: Scope) =>
        logIn(door.ctx, { user: tenant.address, password, scope, peerAddress: '192.0.2.9' }).then(
          ({ principal }) => principal.scopes,
          ({ code }: Failure) => code,
        )
      expect(await may('mail:send')).to.have.members(['mail:read', 'mail:send', 'mail:write'])
      await owner.ask('PATCH', `${membersPath}/${member.id}`, { role: 'reader' })
      expect(await may('mail:send')).to.equal('insufficient_scope')
      expect(await may('mail:read')).to.deep.equal(['mail:read'])
      await owner.ask('DELETE', `${membersPath}/${member.id}`)
      expect(await may('mail:read')).to.equal('invalid_api_key')
      const { body } = await owner.ask<{ appPasswords: Json[] }>('GET', path())
      expect(body.appPasswords.map(({ id }) => id)).not.to.include(made.body.id)
      await joinAccount(door.ctx, { accountId, personId: member.id, role: 'member' })
      expect(await may('mail:read')).to.equal('invalid_api_key')
    })

    it('a reader cannot create one, nor can a key', async () => {
      const reader = await newPerson(door, { accountId: tenant.accountId, role: 'reader' })
      expectRefusal(await reader.ask('POST', path(), { name: 'phone' }), [403, 'insufficient_scope'])
      expect((await reader.ask('GET', path())).status).to.equal(200)
      for (const method of ['GET', 'POST'])
        expectRefusal(await call(method, path(), method === 'POST' ? { name: 'x' } : undefined), [403, 'forbidden'])
    })

    it('none can be created or listed for a mailbox of another account', async () => {
      expectRefusal(await owner.ask('GET', path(other.address)), [404, 'mailbox_not_found'])
      expectRefusal(await owner.ask('POST', path(other.address), { name: 'x' }), [404, 'mailbox_not_found'])
    })
  })

  describe('requests to the administrator', () => {
    const requests = '/api/v1/account/requests'
    const phone = '+33123456789'

    it('granting a phone number confirms it, and the person is notified', async () => {
      const email = address()
      await invite(email, 'owner')
      const visitor = browser(door.http)
      const password = 'a good password'
      await visitor.ask('POST', '/api/v1/people', { email, password, name: 'Fay', invitation: await tokenTo(email) })
      await visitor.ask('POST', '/api/v1/session', { email, password })
      const made = await visitor.ask<{ id: string }>('POST', requests, { kind: 'phone', phone })
      expect(made.status).to.equal(201)
      expect(made.body).to.include({ status: 'open', phone, answer: null })
      expect((await openRequests(door.ctx)).map(({ id }) => id)).to.include(made.body.id)
      await answerRequest(door.ctx, { requestId: made.body.id, isGranted: true, answer: 'We called.' })
      const { body } = await visitor.ask<{ requests: Json[] }>('GET', requests)
      expect(body.requests[0]).to.include({ status: 'granted', answer: 'We called.' })
      expect((await findAccount(door.ctx.store, tenant.accountId))?.phoneVerifiedAt).to.be.instanceOf(Date)
      expect((await newestTo(email))?.text).to.include('We called.')
    })

    it('what a crash cut off after the answer is done later, once', async () => {
      const { ctx } = door
      const { accountId } = await makeTenant(door, { name: 'phoned' })
      const by = await newPerson(door, { accountId })
      const { body } = await by.ask<{ id: string }>('POST', requests, { kind: 'phone', phone })
      const updateOne = () => Promise.reject(new Error('killed'))
      const accounts = Object.assign(Object.create(ctx.store.accounts), { updateOne })
      const given = { requestId: body.id, isGranted: true, answer: 'We have called.' }
      const died = await answerRequest({ ...ctx, store: { ...ctx.store, accounts } }, given).catch(String)
      expect(died).to.equal('Error: killed')
      const verified = async () => (await findAccount(ctx.store, accountId))?.phoneVerifiedAt
      expect([await verified(), await sweepAnswers(ctx), await newestTo(by.email)]).to.deep.equal([
        undefined,
        0,
        undefined,
      ])
      door.advance(2 * minuteMs)
      await Promise.all([sweepAnswers(ctx), sweepAnswers(ctx)])
      expect(await verified()).to.be.instanceOf(Date)
      const sent = await ctx.store.emails.find({ noticeTo: by.email, noticeOf: accountId }).toArray()
      expect(sent).to.have.length(1)
      expect(await sweepAnswers(ctx)).to.equal(0)
    })

    it('a refused one changes nothing, and is decided once', async () => {
      const by = await newPerson(door, { accountId: other.accountId })
      const { body } = await by.ask<{ id: string }>('POST', requests, { kind: 'phone', phone })
      const answer = { requestId: body.id, isGranted: false, answer: 'No.' }
      const answers = await Promise.allSettled([answerRequest(door.ctx, answer), answerRequest(door.ctx, answer)])
      expect(answers.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected'])
      expect((await findAccount(door.ctx.store, other.accountId))?.phoneVerifiedAt).to.equal(undefined)
    })

    const refused: readonly (readonly [string, object, string | undefined])[] = [
      ['a limit without words', { kind: 'limit' }, 'text'],
      ['a limit with blank words', { kind: 'limit', text: '  ' }, 'text'],
      ['a phone without a number', { kind: 'phone' }, 'phone'],
      ['an invalid number', { kind: 'phone', phone: '0123' }, 'phone'],
      ['something else', { kind: 'money' }, 'kind'],
    ]
    for (const [what, body, param] of refused)
      it(`${what} is refused`, async () => {
        const answer = await owner.ask('POST', requests, body)
        expectRefusal(answer, [400, 'validation_error'])
        expect(answer.body.param).to.equal(param)
      })

    it('at most ten wait; a reader cannot make any, and other accounts do not see them', async () => {
      const { accountId } = await makeTenant(door, { name: 'asking' })
      const by = await newPerson(door, { accountId, role: 'member' })
      const reader = await newPerson(door, { accountId, role: 'reader' })
      const ask = () => by.ask('POST', requests, { kind: 'limit', text: 'more' })
      for (let n = 0; n < 10; n++) expect((await ask()).status).to.equal(201)
      expectRefusal(await ask(), [409, 'conflict'])
      expectRefusal(await reader.ask('POST', requests, { kind: 'limit', text: 'more' }), [403, 'forbidden'])
      expect((await reader.ask<{ requests: Json[] }>('GET', requests)).body.requests).to.have.length(10)
      expect(
        (await owner.ask<{ requests: Json[] }>('GET', requests)).body.requests.map(({ kind }) => kind),
      ).to.deep.equal(['phone'])
      expectRefusal(await call('GET', requests), [403, 'forbidden'])
    })
  })
})
