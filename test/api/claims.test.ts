import { expect } from 'chai'
import { callersChanged } from '../../core/access/known-callers.ts'
import { findSession } from '../../core/access/sessions.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { pauseAccount, suspendAccount } from '../../core/account/holds.ts'
import { raiseLimit } from '../../core/account/plans.ts'
import { pauseSending } from '../../core/account/reputation.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { keepReports } from '../../core/deliverability/report-arrivals.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { rotateZoneKey } from '../../core/domains/zone-key-rotation.ts'
import { addressesChanged } from '../../core/mailbox/known-mailboxes.ts'
import { attemptAll, leaseEnd } from '../../core/notify/attempts.ts'
import { attemptDueDeliveries } from '../../core/notify/due-deliveries.ts'
import { claim as claimOf, sweepClaims } from '../../core/people/claim.ts'
import { erasePerson } from '../../core/people/erase-person.ts'
import { sweepMoves } from '../../core/people/move.ts'
import { dayMs, minuteMs } from '../../core/process/clock.ts'
import type { Context } from '../../core/process/context.ts'
import { hashCredential } from '../../core/process/secrets.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import { indexArrivals } from '../../core/search/indexing.ts'
import { keysOf, zoneKeyDoc } from '../../core/zones/zone-keys.ts'
import { zoneOwner } from '../../core/zones/zone-owner.ts'
import { types } from '../../dns/codes.ts'
import { type DnsServer, startDns } from '../../dns/server.ts'
import { newId } from '../../schemas/ids.ts'
import { signupScopes } from '../../schemas/scopes.ts'
import { walkAudit } from '../../store/audit.ts'
import { toBinary } from '../../store/bytes.ts'
import { insertDeliveries } from '../../store/deliveries.ts'
import type { Sealed } from '../../store/documents/sealed.ts'
import { beginMove, moveMailboxes } from '../../store/moves.ts'
import { toldOf } from '../documents.ts'
import { feedback, gz, mailWith, record } from '../mail/report/report-mails.ts'
import { openUdp, question } from '../peers/dns-client.ts'
import { expectRefusal } from '../peers/person.ts'
import { startWebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, type Json, mailboxPath } from '../peers/rest.ts'
import { wireRecords } from '../peers/signed-records.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { putText } from '../start/drive.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { carryOutgoing } from '../start/outgoing.ts'
import { beginErasure, newPerson, type SignedIn } from '../start/people.ts'

type Event = { readonly id: string; readonly type: string; readonly cursor: string }
type Signup = { readonly address: string; readonly api_key: string; readonly claim_url: string }

describe('api: claims', () => {
  let door: Door

  before(async () => {
    door = await openDoor({
      monitorCommands: true,
      env: { MAILROOM_DNS_DNSSEC: 'true', MAILROOM_SIGNUP_PER_ADDRESS_PER_DAY: '100' },
    })
  })
  after(() => door?.close())

  /** An account created by an agent. */
  async function signup(): Promise<Signup & { token: string; call: Call; accountId: string }> {
    const { body } = await client(door.http)<Signup>('POST', '/api/v1/signup')
    const call = client(door.http, body.api_key)
    const { id: accountId } = (await call<{ id: string }>('GET', '/api/v1/account')).body
    return { ...body, token: body.claim_url.slice(body.claim_url.lastIndexOf('/') + 1), call, accountId }
  }
  const claim = ({ ask }: SignedIn, token: string, account?: string) =>
    ask<{ account: { id: string; role: string } | null }>('POST', '/api/v1/claims', { token, account })
  const statusOf = async (call: Call) => (await call<{ status: string }>('GET', '/api/v1/account')).body.status

  describe('as an account of its own', () => {
    it('the person becomes its owner, and the key keeps working', async () => {
      const made = await signup()
      const person = await newPerson(door)
      const answer = await claim(person, made.token)
      expect(answer.status).to.equal(200)
      expect(answer.body.account).to.deep.include({ id: made.accountId, role: 'owner' })
      const account = await made.call('GET', '/api/v1/account')
      expect(account.body).to.include({ id: made.accountId, status: 'active', owner: person.email, agentsPlan: 'free' })
      expect(account.body).not.to.have.property('claimExpiresAt')
      expect(account.headers.get('x-service-claim')).to.equal(null)
      const send = { to: 'anybody@remote.example', subject: 's', text: 't' }
      expect((await made.call('POST', `${mailboxPath(made.address)}/send`, send)).status).to.equal(202)
      expect((await person.ask('GET', mailboxPath(made.address))).status).to.equal(200)
    })

    it('it is not removed after seven days', async () => {
      const made = await signup()
      await claim(await newPerson(door), made.token)
      door.advance(8 * dayMs)
      expect(await statusOf(made.call)).to.equal('active')
    })
  })

  describe('nothing is claimed', () => {
    const unclaimed = async (call: Call) => expect(await statusOf(call)).to.equal('unclaimed')

    it('by opening the link, with or without a session', async () => {
      const made = await signup()
      const { cookie } = await newPerson(door)
      const headers: readonly Record<string, string>[] = [{}, { cookie: cookie ?? '' }]
      for (const each of headers) {
        const path = new URL(made.claim_url).pathname
        for (const method of ['GET', 'HEAD'])
          expect((await fetch(door.http + path, { method, headers: each })).status).to.equal(200)
      }
      await unclaimed(made.call)
    })

    it('by a person who is not signed in', async () => {
      const made = await signup()
      const body = { token: made.token }
      expectRefusal(await client(door.http)('POST', '/api/v1/claims', body), [401, 'unauthorized'])
      await unclaimed(made.call)
    })

    it('by a page of another site', async () => {
      const made = await signup()
      const { cookie } = await newPerson(door)
      const answer = await client(door.http)('POST', '/api/v1/claims', { token: made.token }, { cookie: cookie ?? '' })
      expectRefusal(answer, [403, 'forbidden'])
      await unclaimed(made.call)
    })

    it('by a key, not even its own', async () => {
      const made = await signup()
      expectRefusal(await made.call('POST', '/api/v1/claims', { token: made.token }), [403, 'forbidden'])
      await unclaimed(made.call)
    })

    it('by a link that has been replaced or shortened, is forged, or is too old', async () => {
      const made = await signup()
      const person = await newPerson(door)
      await made.call('POST', '/api/v1/account/claim')
      for (const token of [made.token, made.token.slice(1), 't'.repeat(43), ''])
        expectRefusal(await claim(person, token), [404, 'not_found'])
      await unclaimed(made.call)
      const late = await signup()
      door.advance(7 * dayMs)
      expectRefusal(await claim(await newPerson(door), late.token), [404, 'not_found'])
    })

    it("into another person's account, into one that the person does not own, or into none", async () => {
      const made = await signup()
      const tenant = await makeTenant(door, { name: `t${Date.now()}` })
      const [stranger, member] = [
        await newPerson(door),
        await newPerson(door, { accountId: tenant.accountId, role: 'member' }),
      ]
      expectRefusal(await claim(stranger, made.token, tenant.accountId), [404, 'not_found'])
      expectRefusal(await claim(stranger, made.token, 'acc_nothing'), [404, 'not_found'])
      expectRefusal(await claim(member, made.token, tenant.accountId), [403, 'forbidden'])
      await unclaimed(made.call)
      expect((await claim(stranger, made.token)).status).to.equal(200)
    })
  })

  describe('of a sandbox', () => {
    /** The sandbox of a new account, with its test key and a claim link of its own. */
    async function sandbox() {
      const { accountId } = await signup()
      const request = { kind: 'agent', name: 't', scopes: signupScopes, mailboxes: [], expiresAt: null } as const
      const { apiKey, key } = await issueTestKey(door.ctx, await getAccount(door.ctx, accountId), request)
      const call = client(door.http, apiKey)
      const link = (await call<Signup>('POST', '/api/v1/account/claim')).body.claim_url
      return {
        call,
        token: link.slice(link.lastIndexOf('/') + 1),
        accountId: key.accountId,
        path: new URL(link).pathname,
      }
    }

    it('nothing moves into another account: mail that its test key sends stays in the sandbox', async () => {
      const made = await sandbox()
      const person = await newPerson(door)
      const own = await signup()
      await claim(person, own.token)
      expectRefusal(await claim(person, made.token, own.accountId), [409, 'conflict'])
      const page = await fetch(door.http + made.path, { headers: { cookie: person.cookie ?? '' } })
      expect(await page.text()).not.to.include('Into your account')
      expect((await claim(person, made.token)).status).to.equal(200)
      const { body } = await made.call<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
      const send = { to: own.address, subject: 's', text: 't' }
      const path = `${mailboxPath(body.mailboxes[0]?.address ?? '')}/send`
      expectRefusal(await made.call('POST', path, send), [403, 'forbidden'])
    })

    it('no other account is claimed into it', async () => {
      const { token, accountId } = await sandbox()
      const made = await signup()
      const person = await newPerson(door)
      expect((await claim(person, token)).status).to.equal(200)
      expectRefusal(await claim(person, made.token, accountId), [409, 'conflict'])
      expect(await statusOf(made.call)).to.equal('unclaimed')
      expect((await claim(person, made.token)).body.account).to.include({ id: made.accountId })
    })
  })

  describe('while something holds it', () => {
    const holds: readonly (readonly [what: string, hold: (accountId: string) => Promise<unknown>, refusal: string])[] =
      [
        ['suspended', (accountId) => suspendAccount(door.ctx, accountId, 'spam'), 'account_suspended'],
        ['paused by its partner', (accountId) => pauseAccount(door.ctx, accountId, 'unpaid'), 'account_paused'],
        ['paused for its sending', (accountId) => pauseSending(door.ctx, accountId, 'spam'), 'sending_paused'],
      ]
    for (const [what, hold, refusal] of holds)
      it(`${what}: not into another account; claimed as an account of its own, it stays so`, async () => {
        const made = await signup()
        const person = await newPerson(door)
        await claim(person, (await signup()).token)
        await hold(made.accountId)
        const into = (await person.ask<{ account: { id: string } }>('GET', '/api/v1/session')).body.account.id
        expectRefusal(await claim(person, made.token, into), [409, 'conflict'])
        expect((await claim(person, made.token)).status).to.equal(200)
        const send = { to: 'anybody@remote.example', subject: 's', text: 't' }
        expectRefusal(await made.call('POST', `${mailboxPath(made.address)}/send`, send), [403, refusal])
      })
  })

  describe('twice', () => {
    it('a link is used once', async () => {
      const made = await signup()
      const person = await newPerson(door)
      await claim(person, made.token)
      expectRefusal(await claim(person, made.token), [404, 'not_found'])
      expectRefusal(await claim(await newPerson(door), made.token), [404, 'not_found'])
    })

    it('exactly one of several people who use it at once gets the account', async () => {
      const made = await signup()
      const tenant = await makeTenant(door, { name: 'several' })
      const people = [
        await newPerson(door),
        await newPerson(door),
        await newPerson(door, { accountId: tenant.accountId }),
        await newPerson(door, { accountId: tenant.accountId }),
      ]
      const answers = await Promise.all(
        people.map((person, n) => claim(person, made.token, n < 2 ? undefined : tenant.accountId)),
      )
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 404, 404, 404])
      const winner = answers.find(({ status }) => status === 200)
      const { body } = await made.call('GET', '/api/v1/account')
      expect(body.id).to.equal(winner?.body.account?.id)
      const reached = await Promise.all(people.map(({ ask }) => ask('GET', mailboxPath(made.address))))
      const have = people.filter((_, n) => reached[n]?.status === 200)
      expect(have).to.have.length(body.id === tenant.accountId ? 2 : 1)
    })
  })

  describe('into an account that the person has', () => {
    let tenant: Tenant
    let person: SignedIn
    let own: Call
    let made: Awaited<ReturnType<typeof signup>>
    let messageId: string
    let webhookId: string
    let emailId: string
    let was: { events: readonly Event[]; own: readonly Event[]; contacts: Json; usage: Json; sent: number[][] }

    const events = async (call: Call, query = '') =>
      (await call<{ events: Event[] }>('GET', `/api/v1/events?limit=200${query}`)).body.events
    /** How many mails were sent and delivered on each day. */
    const sentBy = async (call: Call, query = '') => {
      const { body } = await call<{ days: { sent: number; delivered: number }[] }>('GET', `/api/v1/usage/daily${query}`)
      return body.days.map(({ sent, delivered }) => [sent, delivered])
    }
    const letter = (to: string) => ({ to, subject: 's', text: 't' })
    const reply = () =>
      made.call<{ id: string }>('POST', `${mailboxPath(made.address)}/send`, letter(tenant.address), {
        'idempotency-key': 'reply-1',
      })
    const receive = async (subject: string) => {
      const raw = `From: Bo <bo@remote.example>\nSubject: ${subject}\n\nThe word is ${subject}\n`
      const id = await deliver(door.ctx, { to: made.address, raw })
      await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
      return id
    }

    before(async () => {
      tenant = await makeTenant(door, { name: 'target', plan: null, agentsPlan: 'free' })
      own = client(door.http, tenant.key)
      person = await newPerson(door, { accountId: tenant.accountId })
      made = await signup()
      messageId = await receive('quince')
      await receive('medlar')
      await indexArrivals(door.ctx, await toldOf(door.ctx, [messageId]))
      const hook = { url: 'https://hook.example/in', events: ['message.received'] }
      webhookId = (await made.call<{ id: string }>('POST', '/api/v1/webhooks', hook)).body.id
      // An unclaimed account may write to senders who have written first.
      await own('POST', `${mailboxPath(tenant.address)}/send`, letter(made.address))
      await carryOutgoing(door.ctx)
      emailId = (await reply()).body.id
      await carryOutgoing(door.ctx)
      await made.call('POST', '/api/v1/suppressions', { email: 'bo@remote.example' })
      for (const address of ['two@target.example', 'three@target.example'])
        await own('POST', '/api/v1/mailboxes', { address })
      was = {
        events: await events(made.call),
        own: await events(own),
        contacts: (await made.call('GET', `${mailboxPath(made.address)}/contacts`)).body,
        usage: (await own('GET', '/api/v1/usage')).body,
        sent: await sentBy(made.call),
      }
      expect((await claim(person, made.token, tenant.accountId)).body.account?.id).to.equal(tenant.accountId)
    })

    it('the key reaches the same mailbox, in the other account', async () => {
      expect((await made.call('GET', '/api/v1/account')).body).to.include({ id: tenant.accountId, status: 'active' })
      expect((await made.call('GET', mailboxPath(made.address))).body.address).to.equal(made.address)
      expectRefusal(await made.call('GET', mailboxPath(tenant.address)), [404, 'mailbox_not_found'])
    })

    it('and so do the keys and people of that account', async () => {
      for (const call of [own, person.ask]) {
        expect((await call('GET', mailboxPath(made.address))).status).to.equal(200)
        const { body } = await call<{ messages: Json[] }>('GET', `${mailboxPath(made.address)}/messages`)
        expect(body.messages).to.have.length(4)
      }
    })

    it('messages, threads, folders, contacts and the search index move too', async () => {
      const path = mailboxPath(made.address)
      const { body } = await made.call('GET', `${path}/messages/${messageId}`)
      expect(body).to.include({ message_id: messageId, subject: 'quince' })
      expect((await made.call('GET', `${path}/threads/${body.thread_id}`)).status).to.equal(200)
      expect((await made.call('GET', `${path}/folders`)).status).to.equal(200)
      expect((await made.call('GET', `${path}/contacts`)).body).to.deep.equal(was.contacts)
      for (const call of [made.call, own]) {
        const found = await call<{ messages: Json[] }>('GET', '/api/v1/search?q=quince')
        expect(found.body.messages.map(({ message_id }) => message_id)).to.deep.equal([messageId])
      }
    })

    it('so do webhooks and sends', async () => {
      expect((await made.call('GET', `/api/v1/webhooks/${webhookId}`)).status).to.equal(200)
      expect((await own('GET', `/api/v1/webhooks/${webhookId}`)).status).to.equal(200)
      expect((await made.call('GET', `/api/v1/emails/${emailId}`)).status).to.equal(200)
      expect((await own('GET', `/api/v1/emails/${emailId}`)).status).to.equal(200)
    })

    it('what it sent each day stays in the figures of the mailbox', async () => {
      expect(was.sent.at(-1)).to.deep.equal([1, 1])
      expect(await sentBy(made.call)).to.deep.equal(was.sent)
      expect(await sentBy(own, `?mailbox=${made.address}`)).to.deep.equal(was.sent)
    })

    it('suppressed addresses stay suppressed', async () => {
      const refused = await made.call('POST', `${mailboxPath(made.address)}/send`, letter('bo@remote.example'))
      expectRefusal(refused, [422, 'all_recipients_suppressed'])
    })

    it('a send that is repeated with its Idempotency-Key is the same send', async () => {
      const repeated = await reply()
      expect(repeated.headers.get('idempotent-replayed')).to.equal('true')
      expect(repeated.body.id).to.equal(emailId)
    })

    it('events come after the newest of the account, with the same ids and new cursors', async () => {
      const ids = (list: readonly Event[]) => list.map(({ id }) => id)
      const all = await events(own)
      const moved = all.slice(0, was.events.length)
      expect(ids(await events(made.call))).to.deep.equal(ids(was.events))
      expect(ids(moved)).to.deep.equal(ids(was.events))
      expect(ids(all.slice(was.events.length))).to.deep.equal(ids(was.own))
      const cursors = new Set(was.events.map(({ cursor }) => cursor))
      expect(moved.filter(({ cursor }) => cursors.has(cursor))).to.deep.equal([])
      expect(all.slice(was.events.length).map(({ cursor }) => cursor)).to.deep.equal(
        was.own.map(({ cursor }) => cursor),
      )
    })

    it('an old cursor continues at the first moved event, one of the account where it was', async () => {
      const ids = (list: readonly Event[]) => list.map(({ id }) => id)
      const oldest = ids(was.events.toReversed())
      for (const { cursor } of was.events) {
        expect(ids(await events(made.call, `&after=${cursor}`))).to.deep.equal(oldest)
        expect(ids(await events(own, `&after=${cursor}`))).to.deep.equal(oldest)
      }
      expect(ids(await events(own, `&after=${was.own[0]?.cursor}`))).to.deep.equal(oldest)
    })

    it('the cursor of an account that did not move there is refused', async () => {
      const foreign = (await events((await signup()).call))[0]
      const answer = await own('GET', `/api/v1/events?after=${foreign?.cursor}`)
      expectRefusal(answer, [400, 'validation_error'])
    })

    it('limits of the plan do not prevent the move, but prevent additions', async () => {
      const { body } = await own<{ inboxes: Json; emails: Json }>('GET', '/api/v1/usage')
      expect(body.inboxes).to.deep.equal({ used: 4, limit: 3 })
      expect(body.emails).to.deep.equal((was.usage as { emails: Json }).emails)
      expectRefusal(await own('POST', '/api/v1/mailboxes', { address: 'five@target.example' }), [
        402,
        'AGENT_INBOX_LIMIT',
      ])
    })

    it('mail keeps arriving, and is counted once', async () => {
      const id = await receive('sorb')
      expect((await made.call('GET', `${mailboxPath(made.address)}/messages/${id}`)).status).to.equal(200)
      const [newest] = await events(own)
      expect(newest?.type).to.equal('message.received')
      const { body } = await made.call<{ contacts: Json[] }>('GET', `${mailboxPath(made.address)}/contacts`)
      expect(body.contacts.find(({ address }) => address === 'bo@remote.example')).to.include({ received: 3 })
    })

    it('mail that arrived under the old account moves later', async () => {
      const id = await deliver(door.ctx, { to: made.address, raw: 'From: a@remote.example\nSubject: late\n\nlate\n' })
      await door.ctx.arrivals.flush()
      await door.ctx.store.messages.updateOne(
        { _id: id, mailboxId: { $exists: true } },
        { $set: { accountId: made.accountId } },
      )
      await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
      expect(await sweepMoves(door.ctx)).to.be.above(0)
      const found = await door.ctx.store.messages.findOne({ _id: id })
      expect(found?.accountId).to.equal(tenant.accountId)
      expect((await events(own))[0]?.type).to.equal('message.received')
    })

    it('a webhook delivery planned under the old account waits, moves later, and is made', async () => {
      const { ctx } = door
      const hooks = await startWebhookReceiver()
      Object.assign(ctx.settings.webhooks, { allowPrivate: true })
      await own('PATCH', `/api/v1/webhooks/${webhookId}`, { url: hooks.url })
      await receive('quince')
      const planned = await ctx.store.deliveries.findOne({ webhookId })
      const under = { accountId: made.accountId, state: 'waiting', attempts: [] } as const
      const [tried, untried] = ['tried', 'untried'].map((name) => ({
        ...planned!,
        ...under,
        _id: `${planned!._id}${name}`,
        lease: name,
        nextAt: leaseEnd(ctx),
      }))
      const late = await insertDeliveries(ctx.store, [tried!, untried!])
      expect(late).to.have.length(2)
      // One delivery is attempted after the endpoint has left the old account; the process of the other is killed before that.
      await attemptAll(ctx, [tried!])
      expect(hooks.requests).to.have.length(0)
      await sweepMoves(ctx)
      door.advance(minuteMs)
      await attemptDueDeliveries(ctx, tenant.accountId)
      const ids = { _id: { $in: late.map(({ _id }) => _id) } }
      const found = await ctx.store.deliveries.find(ids).toArray()
      expect(found.map(({ accountId, state }) => [accountId, state])).to.deep.equal(
        late.map(() => [tenant.accountId, 'delivered']),
      )
      expect(hooks.requests.filter(({ headers }) => headers['webhook-id'] === planned!.eventId)).to.have.length.least(2)
      Object.assign(ctx.settings.webhooks, { allowPrivate: false })
      await hooks.close()
    })

    it('after a while the search for late records ends', async () => {
      door.advance(3 * minuteMs)
      await sweepMoves(door.ctx)
      expect(await sweepMoves(door.ctx)).to.equal(0)
      expect((await made.call('GET', mailboxPath(made.address))).status).to.equal(200)
    })
  })

  it('templates move too; one whose alias is in use in the other account gets the next free alias', async () => {
    const target = await makeTenant(door, { name: 'templates' })
    const person = await newPerson(door, { accountId: target.accountId })
    const made = await signup()
    const key = client(door.http, (await makeKey(door.ctx, { accountId: made.accountId })).apiKey)
    const template = (alias: string, subject: string) => ({ alias, subject, text: 't' })
    for (const alias of ['receipt', 'welcome']) await key('POST', '/api/v1/templates', template(alias, 'theirs'))
    await client(door.http, target.key)('POST', '/api/v1/templates', template('welcome', 'ours'))
    expect((await claim(person, made.token, target.accountId)).status).to.equal(200)
    const list = async () => (await key<{ templates: Json[] }>('GET', '/api/v1/templates')).body.templates
    const moved = await list()
    expect(moved.map(({ alias, subject }) => [alias, subject])).to.deep.equal([
      ['receipt', 'theirs'],
      ['welcome', 'ours'],
      ['welcome-2', 'theirs'],
    ])
    await sweepMoves(door.ctx)
    expect(await list()).to.deep.equal(moved)
  })

  it('an address that both accounts suppress stays suppressed for all whom it was suppressed for', async () => {
    const { ctx } = door
    const target = await makeTenant(door, { name: 'suppressing' })
    const person = await newPerson(door, { accountId: target.accountId })
    const made = await signup()
    const own = client(door.http, target.key)
    const agent = { kind: 'agent', mailboxIds: [target.mailboxId], scopes: signupScopes } as const
    const theirs = client(door.http, (await makeKey(ctx, { accountId: target.accountId, ...agent })).apiKey)
    const all = client(door.http, (await makeKey(ctx, { accountId: made.accountId })).apiKey)
    const suppress = async (call: Call, email: string) =>
      expect((await call('POST', '/api/v1/suppressions', { email })).status).to.equal(201)
    for (const call of [made.call, theirs]) await suppress(call, 'both@remote.example')
    for (const call of [all, theirs]) await suppress(call, 'wide@remote.example')
    for (const call of [made.call, own]) await suppress(call, 'here@remote.example')
    expect((await claim(person, made.token, target.accountId)).status).to.equal(200)
    await own('POST', '/api/v1/mailboxes', { address: 'third@suppressing.example' })
    const decided = async (from: string, to: string) => {
      const { status, body } = await own('POST', `${mailboxPath(from)}/send`, { to, subject: 's', text: 't' })
      return status === 202 ? 'sent' : body.code
    }
    const suppressed = 'all_recipients_suppressed'
    for (const [to, expected] of [
      ['both@remote.example', [suppressed, suppressed, 'sent']],
      ['wide@remote.example', [suppressed, suppressed, suppressed]],
      ['here@remote.example', [suppressed, suppressed, suppressed]],
    ] as const) {
      const from = [made.address, target.address, 'third@suppressing.example']
      expect(await Promise.all(from.map((each) => decided(each, to))), to).to.deep.equal(expected)
    }
  })

  it('files of Drive move too; one whose name is in use in the other account gets the next free name', async () => {
    const { ctx } = door
    const target = await makeTenant(door, { name: 'files' })
    const person = await newPerson(door, { accountId: target.accountId })
    const made = await signup()
    for (const accountId of [made.accountId, target.accountId]) {
      const text = accountId === target.accountId ? 'ours' : 'theirs'
      for (const at of ['report.pdf', '.notes', 'papers/one.txt']) await putText(ctx, accountId, at, text)
    }
    expect((await claim(person, made.token, target.accountId)).status).to.equal(200)
    type Entry = { readonly id: string; readonly name: string; readonly parentId: string | null }
    const own = client(door.http, target.key)
    const list = async (query = '') => (await own<{ entries: Entry[] }>('GET', `/api/v1/drive${query}`)).body.entries
    const top = await list()
    expect(top.map(({ name }) => name).sort()).to.deep.equal(
      ['.notes', '.notes-2', 'papers', 'papers-2', 'report-2.pdf', 'report.pdf'].sort(),
    )
    const moved = top.find(({ name }) => name === 'papers-2')
    expect((await list(`?parentId=${moved?.id}`)).map(({ name }) => name)).to.deep.equal(['one.txt'])
    expect(await statusOf(made.call)).to.equal('active')
  })

  describe('with domains of its own', () => {
    let server: DnsServer
    let udp: Awaited<ReturnType<typeof openUdp>>

    before(async () => {
      Object.assign(door.ctx.settings.dns, { nameServers: ['ns1.mail.example'] })
      server = await startDns(door.ctx, { host: '127.0.0.1', port: 0 })
      udp = await openUdp(server.port)
    })
    after(async () => {
      udp?.close()
      await server?.close(1_000)
    })

    /** An unclaimed account to which an administrator has given domains, and an account of a person. */
    async function moving(name: string) {
      const target = await makeTenant(door, { name })
      const person = await newPerson(door, { accountId: target.accountId })
      const made = await signup()
      await raiseLimit(door.ctx, made.accountId, { figure: 'ownDomains', to: 5 })
      return { made, own: client(door.http, target.key), to: target.accountId, person, domain: `own-${name}.example` }
    }
    const asked = async (name: string, type: number) =>
      wireRecords(await udp.ask(question(name, type, { edns: { flags: 0x8000, udpBytes: 4_096 } })))
        .filter((record) => record.section === 'answer' && record.type === type)
        .map(({ data }) => data.toString('hex'))
        .sort()
    const statesOf = async (call: Call, name: string) =>
      (await call<{ domains: Json[] }>('GET', '/api/v1/domains')).body.domains.flatMap(({ domain, status }) =>
        domain === name ? [status] : [],
      )
    const countOf = async (accountId: string) => (await door.ctx.store.accounts.findOne({ _id: accountId }))?.ownDomains

    it('a signed zone keeps its records and its keys, also while a new key replaces the old one', async () => {
      const { ctx } = door
      const { made, own, to, person, domain } = await moving('signed')
      const zone = { origin: domain, accountId: made.accountId }
      // The account had the domain before, and has a key from then.
      await createDomain(ctx, { domain, accountId: to, verified: true })
      await asked(domain, types.DNSKEY)
      expect((await own('DELETE', `/api/v1/domains/${domain}`)).status).to.equal(200)
      await createDomain(ctx, { domain, accountId: made.accountId, verified: true })
      await rotateZoneKey(ctx, zone)
      const content = async () => [await asked(domain, types.DNSKEY), await asked(domain, types.MX)]
      const before = await content()
      expect(before.map(({ length }) => length)).to.deep.equal([2, 1])
      expect((await claim(person, made.token, to)).status).to.equal(200)
      expect(await content()).to.deep.equal(before)
      expect((await zoneKeyDoc(ctx, { ...zone, accountId: to })).next?.state).to.equal('published')
      expect(await statesOf(own, domain)).to.deep.equal(['verified'])
      door.advance(3 * minuteMs)
      await sweepMoves(ctx)
      expect(await ctx.store.zoneKeys.countDocuments({ accountId: made.accountId })).to.equal(0)
    })

    it('a zone has its records and its key wherever a process dies that moves it', async () => {
      const { ctx } = door
      const { made, to, domain } = await moving('dying')
      await createDomain(ctx, { domain, accountId: made.accountId, verified: true })
      const content = async () => {
        const owner = await zoneOwner(ctx.store, domain)
        const zone = { origin: domain, accountId: owner!.accountId }
        const records = await ctx.store.zoneRecords.find({ domain, accountId: zone.accountId }).toArray()
        return [keysOf(ctx, await zoneKeyDoc(ctx, zone)).signing.ds, records.map(({ _id }) => _id).sort()]
      }
      const before = await content()
      const { token, ...move } = { from: made.accountId, to, token: made.token }
      const by = { personId: newId('usr', ctx.clock.now()), address: '192.0.2.1' }
      const claimHash = hashCredential(token)
      expect(await beginMove(ctx.store, { ...move, claimHash, at: ctx.clock.now(), by })).to.equal(true)
      const deaths = await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        (at) => sweepMoves(at),
        async () => void expect(await content()).to.deep.equal(before),
      )
      expect(deaths).to.be.above(3)
      expect(await ctx.store.domains.findOne({ _id: domain })).to.include({ accountId: to })
    })

    it('reports about a domain move too, and one that comes again is counted once', async () => {
      const { ctx } = door
      const { made, own, to, person, domain } = await moving('reported')
      await createDomain(ctx, { domain, accountId: made.accountId, verified: true })
      const at = Math.floor(ctx.clock.now().getTime() / 1_000)
      const bytes = gz(feedback({ domain, begin: at - 7_200, end: at - 3_600, records: record({ count: 7 }) }))
      const raw = mailWith([{ type: 'application/gzip', name: 'r.xml.gz', bytes }])
      const sender = { alignedFrom: 'google.com', perhapsAligned: false, dkim: [] }
      const arrive = (accountId: string) => keepReports(ctx, { raw, about: [{ domain, accountId }], sender })
      await arrive(made.accountId)
      expect((await claim(person, made.token, to)).status).to.equal(200)
      const reported = async () => (await own<{ dmarc: Json }>('GET', `/api/v1/domains/${domain}/reports`)).body.dmarc
      expect(await reported()).to.include({ reports: 1, messages: 7 })
      await arrive(to)
      expect(await reported()).to.include({ reports: 1, messages: 7 })
      expect(await ctx.store.domainReports.countDocuments({ accountId: made.accountId })).to.equal(0)
    })

    for (const [what, inUse] of [
      ['the moved account uses', 'made'],
      ['the other account uses', 'to'],
      ['neither uses', null],
    ] as const)
      it(`a domain that ${what} and both have is there once, with one set of records`, async () => {
        const { ctx } = door
        const { made, own, to, person, domain } = await moving(`both-${inUse}`)
        for (const [name, accountId] of Object.entries({ made: made.accountId, to }))
          if (name !== inUse) await createDomain(ctx, { domain, accountId, verified: false })
        if (inUse !== null)
          await createDomain(ctx, { domain, accountId: { made: made.accountId, to }[inUse], verified: true })
        const counted = (await countOf(to)) ?? 0
        const accountId = inUse === 'made' ? made.accountId : to
        const kept = await ctx.store.zoneRecords.find({ domain, accountId }).toArray()
        expect((await claim(person, made.token, to)).status).to.equal(200)
        const records = await ctx.store.zoneRecords.find({ domain }).toArray()
        expect(records).to.have.deep.members(kept.map((record) => ({ ...record, accountId: to })))
        expect(await statesOf(own, domain)).to.deep.equal([inUse === null ? 'pending' : 'verified'])
        expect(await ctx.store.domainClaims.countDocuments({ domain })).to.equal(inUse === null ? 1 : 0)
        expect(await countOf(to)).to.equal(counted)
      })
  })

  it('a move that a crash interrupts is finished, and until then the key is told to retry later', async () => {
    const made = await signup()
    const tenant = await makeTenant(door, { name: 'interrupted' })
    const { ctx } = door
    const claimHash = hashCredential(made.token)
    const move = { from: made.accountId, to: tenant.accountId }
    const by = { personId: newId('usr', ctx.clock.now()), address: '192.0.2.1' }
    expect(await beginMove(ctx.store, { ...move, claimHash, at: ctx.clock.now(), by })).to.equal(true)
    await callersChanged(ctx, { accountIds: [made.accountId] })
    const waits = await made.call('GET', mailboxPath(made.address))
    expectRefusal(waits, [503, 'unavailable'])
    expect(waits.headers.get('retry-after')).to.equal('1')
    expect(await deliver(ctx, { to: made.address, raw: 'From: a@remote.example\n\nhi\n' })).to.match(/^msg_/)
    await Promise.all([sweepMoves(ctx), sweepMoves(ctx)])
    expect((await made.call<{ id: string }>('GET', '/api/v1/account')).body.id).to.equal(tenant.accountId)
    const { body } = await made.call<{ messages: Json[] }>('GET', `${mailboxPath(made.address)}/messages`)
    expect(body.messages).to.have.length(1)
    const usage = await client(door.http, tenant.key)<{ inboxes: Json }>('GET', '/api/v1/usage')
    expect(usage.body.inboxes.used).to.equal(2)
    const { body: audit } = await client(door.http, tenant.key)<{ entries: Json[] }>(
      'GET',
      '/api/v1/audit?action=account.claim',
    )
    expect(audit.entries.map(({ who, target, address }) => [who, target, address])).to.deep.equal([
      [{ kind: 'person', id: by.personId, name: null }, made.accountId, by.address],
    ])
  })

  it('a move that cannot be made holds up no other', async () => {
    const { ctx } = door
    const target = await makeTenant(door, { name: 'held-up' })
    const by = { personId: newId('usr', ctx.clock.now()), address: '192.0.2.1' }
    const [first, second] = [await signup(), await signup()]
    const privateKey = toBinary(Buffer.from('sealed with a lost key')) as Sealed
    const key = {
      _id: `${first.accountId}:lost.example`,
      domain: 'lost.example',
      accountId: first.accountId,
      privateKey,
    }
    await ctx.store.zoneKeys.insertOne({ ...key, createdAt: ctx.clock.now() })
    for (const { accountId: from, token } of [first, second]) {
      const claimHash = hashCredential(token)
      const move = { from, to: target.accountId, claimHash, at: ctx.clock.now(), by }
      expect(await beginMove(ctx.store, move)).to.equal(true)
      await callersChanged(ctx, { accountIds: [from] })
      door.advance(1)
    }
    await sweepMoves(ctx)
    expectRefusal(await first.call('GET', '/api/v1/account'), [503, 'unavailable'])
    expect((await second.call('GET', '/api/v1/account')).body.id).to.equal(target.accountId)
    expect(door.logs()).to.include('an account could not be moved')
    await ctx.store.zoneKeys.deleteOne({ _id: key._id })
    await sweepMoves(ctx)
    expect((await first.call('GET', '/api/v1/account')).body.id).to.equal(target.accountId)
  })

  for (const [moment, collection, method] of [
    ['begins when the erasure is at its last step', 'people', 'deleteMany'],
    ['is at its last step when the erasure begins', 'accounts', 'findOneAndUpdate'],
  ] as const)
    it(`a person who is erased meanwhile claims nothing: the claim ${moment}`, async () => {
      const { ctx } = door
      const made = await signup()
      const person = await newPerson(door)
      const token = person.cookie?.split('=').at(-1) ?? ''
      const session = await findSession(ctx, token, null)
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      const kept = ctx.store[collection] as unknown as Record<string, (...given: unknown[]) => Promise<unknown>>
      const waiting = Object.assign(Object.create(kept), {
        async [method](...given: unknown[]) {
          reach()
          await gate
          return kept[method]!.call(kept, ...given)
        },
      })
      const slow = { ...ctx, store: { ...ctx.store, [collection]: waiting } }
      const outcome = (work: Promise<unknown>) =>
        work.then(
          () => 'done',
          ({ code }: { code: string }) => code,
        )
      const claims = (by: Context) => outcome(claimOf(by, session!, { token: made.token, peerAddress: '192.0.2.1' }))
      const erases = (by: Context) => outcome(erasePerson(by, person.id))
      const [first, second] = collection === 'people' ? [erases, claims] : [claims, erases]
      const begun = first(slow)
      await reached
      const ended = await second(ctx)
      open()
      const results = [await begun, ended]
      expect(results.sort()).to.deep.equal(['done', 'unauthorized'])
      expect(await ctx.store.people.countDocuments({ _id: person.id })).to.equal(0)
      expect(await statusOf(made.call)).to.equal('unclaimed')
      expect((await claim(await newPerson(door), made.token)).status, 'by another person').to.equal(200)
    })

  describe('whose process dies', () => {
    const dying = async () => (await door.another()).ctx
    const sessionOf = async ({ cookie }: SignedIn) =>
      (await findSession(door.ctx, cookie?.split('=').at(-1) ?? '', null))!
    const peerAddress = '192.0.2.1'
    const auditOf = async (accountId: string) =>
      (await walkAudit(door.ctx.store, accountId, 0, 100)).flatMap(({ action }) =>
        action === 'account.claim' ? [action] : [],
      )

    it('are in the audit of the account, once', async () => {
      const { ctx } = door
      let last: Awaited<ReturnType<typeof signup>>
      let claimed = 0
      const deaths = await dyingAtEachWrite(
        dying,
        async (at) => {
          last = await signup()
          await claimOf(at, await sessionOf(await newPerson(door)), { token: last.token, peerAddress })
        },
        async () => {
          door.advance(2 * minuteMs)
          for (let n = 0; n < 2; n++) await sweepClaims(ctx)
          const account = await ctx.store.accounts.findOne({ _id: last.accountId })
          expect(account).not.to.have.property('claiming')
          claimed += account?.status === 'active' ? 1 : 0
          expect(await auditOf(last.accountId)).to.deep.equal(account?.status === 'active' ? ['account.claim'] : [])
        },
      )
      expect([deaths > 2, claimed]).to.deep.equal([true, deaths])
    })

    it('are undone if their person is erased at the same moment: the link is valid as before', async () => {
      const { ctx } = door
      const made = await signup()
      const person = await newPerson(door)
      const session = await sessionOf(person)
      const erasure = await beginErasure(ctx, person.id)
      let hasDied = false
      await dyingAtEachWrite(
        dying,
        async (at) => {
          if (!hasDied) await claimOf(at, session, { token: made.token, peerAddress })
        },
        async () => {
          hasDied = true
        },
        () => 1,
      )
      await erasure.finish()
      expect((await ctx.store.accounts.findOne({ _id: made.accountId }))?.status).to.equal('active')
      expect(await sweepClaims(ctx), 'while its process may live').to.equal(0)
      door.advance(2 * minuteMs)
      expect(await sweepClaims(ctx)).to.equal(1)
      expect(await statusOf(made.call)).to.equal('unclaimed')
      expect((await claim(await newPerson(door), made.token)).status, 'by another person').to.equal(200)
    })
  })

  it('contacts count mail of both accounts while one moves into the other, each once', async () => {
    const { ctx } = door
    const made = await signup()
    const tenant = await makeTenant(door, { name: 'counting' })
    let written = 0
    const write = async (to: string) => {
      const raw = `From: Ida <ida@remote.example>\nSubject: ${written++}\n\nhi\n`
      const id = await deliver(ctx, { to, raw })
      return toldOf(ctx, [id])
    }
    const announce = async (to: string) => announceArrivals(ctx, await write(to))
    const received = async () => {
      const { contacts } = ctx.store
      return (await contacts.findOne({ address: 'ida@remote.example', accountId: { $in: both } }))?.received
    }
    const both = [made.accountId, tenant.accountId]
    for (let n = 0; n < 5; n++) await announce(made.address)
    const under = await write(made.address)
    const move = { from: made.accountId, to: tenant.accountId }
    const by = { personId: newId('usr', ctx.clock.now()), address: '192.0.2.1' }
    const claimHash = hashCredential(made.token)
    expect(await beginMove(ctx.store, { ...move, claimHash, at: ctx.clock.now(), by })).to.equal(true)
    await moveMailboxes(ctx.store, move)
    addressesChanged(ctx, [made.address])
    // In the other account, whose events have lower numbers.
    await announce(made.address)
    expect(await received()).to.equal(6)
    for (let n = 0; n < 3; n++) await announce(made.address)
    expect(await received()).to.equal(9)
    // In the old account, by a process that has not heard of the move.
    await announceArrivals(ctx, under)
    await sweepMoves(ctx)
    expect(await received()).to.equal(10)
    await announce(made.address)
    expect(await received()).to.equal(11)
  })
})
