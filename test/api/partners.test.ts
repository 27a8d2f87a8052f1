import { expect } from 'chai'
import { verifyAudit } from '../../core/access/audit.ts'
import { noteOf, sweepCustomerChanges } from '../../core/account/customer-changes.ts'
import { changeAccountPlans } from '../../core/account/plans.ts'
import { walkPartners } from '../../core/partner/partners.ts'
import { sweepErasures } from '../../core/personal/erase.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { announceArrivals, announceMissed } from '../../core/receive/announce.ts'
import { operations } from '../../operations/all.ts'
import { fieldsOf } from '../../operations/registry.ts'
import { partnerEventTypes } from '../../schemas/events.ts'
import { deriveId } from '../../schemas/ids.ts'
import { Mailroom } from '../../sdk/index.ts'
import { createEventAppend } from '../../store/events.ts'
import { changeCustomer } from '../../store/partners.ts'
import { toldOf } from '../documents.ts'
import { eventually } from '../eventually.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, openDoor } from '../start/door.ts'
import { type Customer, makeCustomer, makePartner, type Partner } from '../start/partners.ts'
import { newPerson } from '../start/people.ts'

type Envelope = Json & { readonly id: string; readonly type: string; readonly cursor: string; readonly data: Json }
type Page = { readonly events: readonly Envelope[]; readonly next: string | null; readonly cursor: string }

const api = '/api/partner'
let letters = 0
const letter = () => `From: Ada <ada@remote.example>\nSubject: Secret plans\n\nLetter ${++letters}\n`
const told = ({ status, body }: Answer) => `${status} ${body.code ?? ''}`.trim()

describe('api: partners', () => {
  let door: Door
  let own: Partner
  let other: Partner
  let customer: Customer
  let receiver: WebhookReceiver

  before(async () => {
    door = await openDoor()
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    own = await makePartner(door, 'own')
    other = await makePartner(door, 'other')
    customer = await makeCustomer(door, own.live, { name: 'First Customer', email: 'Ann@People.example' })
    receiver = await startWebhookReceiver()
  })
  after(async () => {
    await receiver?.close()
    await door?.close()
  })

  const at = (id: string, rest = '') => `${api}/customers/${id}${rest}`
  const eventsOf = async (call: Call, query = '') => (await call<Page>('GET', `${api}/events${query}`)).body.events
  const hook = (call: Call, events: readonly string[] = partnerEventTypes) =>
    call<{ id: string; secret: string }>('POST', `${api}/webhooks`, { url: receiver.url, events })
  const bodies = () => receiver.requests.map(({ body }) => JSON.parse(body) as Envelope)
  const hear = async (by: Customer) => {
    const id = await deliver(door.ctx, { to: by.address, raw: letter() })
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
    return id
  }

  describe('customers', () => {
    it('are created, read, listed, given plans, and deleted', async () => {
      const made = await own.live('POST', `${api}/customers`, {
        name: 'Example Ltd',
        email: 'owner@Example.com',
        plan: 'pro',
      })
      const { success, id, createdAt, ...rest } = made.body
      expect([made.status, success]).to.deep.equal([201, true])
      expect(id).to.match(/^cus_[0-9a-hjkmnp-tv-z]{26}$/)
      expect(Number.isNaN(Date.parse(String(createdAt)))).to.equal(false)
      const before = {
        name: 'Example Ltd',
        email: 'owner@example.com',
        plan: 'pro',
        agentsPlan: null,
        status: 'active',
      }
      expect(rest).to.deep.equal({ ...before, sandbox: false })
      expect((await own.live('GET', at(String(id)))).body).to.deep.equal(made.body)
      const { body } = await own.live<{ customers: Json[]; next: string }>('GET', `${api}/customers?limit=1`)
      expect(body.customers.map((each) => each.id)).to.deep.equal([id])
      const older = await own.live<{ customers: Json[] }>('GET', `${api}/customers?limit=1&before=${body.next}`)
      expect(older.body.customers.map((each) => each.id)).to.deep.equal([customer.id])
      const changed = await own.live('PATCH', at(String(id)), { plan: null, agentsPlan: 'scale' })
      expect(changed.body).to.include({ id, plan: null, agentsPlan: 'scale' })
      expect((await own.live('DELETE', at(String(id)))).body).to.deep.equal({ success: true, deleted: true })
      for (const [method, rest] of [
        ['GET', ''],
        ['DELETE', ''],
        ['POST', '/pause'],
        ['GET', '/usage'],
      ] as const)
        expect(told(await own.live(method, at(String(id), rest))), `${method} ${rest}`).to.equal('404 not_found')
      const listed = await own.live<{ customers: Json[] }>('GET', `${api}/customers`)
      expect(listed.body.customers.map((each) => each.id)).to.not.include(id)
    })

    it('are managed with the TypeScript package', async () => {
      const { partner } = new Mailroom({ apiKey: own.liveKey, baseUrl: door.http })
      const { id } = await partner.customers.create({ name: 'By package', agentsPlan: 'developer' })
      const { apiKey } = await partner.customers.keys.create(id, { name: 'held', scopes: ['mail:read'] })
      const account = await new Mailroom({ apiKey, baseUrl: door.http }).account.get()
      expect(account).to.include({ name: 'By package', agentsPlan: 'developer' })
      expect((await partner.customers.pause(id)).status).to.equal('paused')
      const types: string[] = []
      for await (const { type, customer_id } of partner.events.list({ customer_id: id, limit: 1 }))
        types.push(type, `${customer_id}`)
      expect(types).to.deep.equal(['customer.paused', id, 'customer.created', id])
    })

    const wrong: readonly (readonly [what: string, body: Json, param: string])[] = [
      ['no name', {}, 'name'],
      ['an empty name', { name: '' }, 'name'],
      ['a blank name', { name: '  ' }, 'name'],
      ['a name of two lines', { name: 'a\nb' }, 'name'],
      ['no address', { name: 'a', email: 'nobody' }, 'email'],
      ['an unknown plan', { name: 'a', plan: 'platinum' }, 'plan'],
      ['no plan at all', { name: 'a', plan: null, agentsPlan: null }, 'agentsPlan'],
      ['an unknown field', { name: 'a', sandbox: true }, 'sandbox'],
    ]
    for (const [what, body, param] of wrong)
      it(`${what} is refused`, async () => {
        const answer = await own.live<ErrorBody>('POST', `${api}/customers`, body)
        expect([told(answer as never), answer.body.param]).to.deep.equal(['400 validation_error', param])
      })

    it('a customer keeps a plan', async () => {
      const answer = await own.live<ErrorBody>('PATCH', at(customer.id), { agentsPlan: null })
      expect([answer.status, answer.body.param]).to.deep.equal([400, 'agentsPlan'])
      expect((await own.live('GET', at(customer.id))).body).to.include({ plan: null, agentsPlan: 'free' })
    })

    it('a customer keeps a plan, also when both are taken away at once', async () => {
      for (let n = 0; n < 5; n++) {
        const wanted = { name: `Both ${n}`, plan: 'pro', agentsPlan: 'scale' }
        const { id } = (await own.live('POST', `${api}/customers`, wanted)).body
        const ends = [{ plan: null }, { agentsPlan: null }]
        const answers = await Promise.all(ends.map((end) => own.live('PATCH', at(String(id)), end)))
        expect(answers.map(({ status }) => status).toSorted()).to.deep.equal([200, 400])
        const { plan, agentsPlan } = (await own.live('GET', at(String(id)))).body
        expect([plan, agentsPlan].filter((each) => each === null)).to.have.length(1)
        await own.live('DELETE', at(String(id)))
      }
    })

    it('a repeat with the same Idempotency-Key creates no second one; with a test key it is another request', async () => {
      const headers = { 'idempotency-key': 'one customer' }
      const make = (call: Call) => call<{ id: string }>('POST', `${api}/customers`, { name: 'Once' }, headers)
      const [first, again, tried] = [await make(own.live), await make(own.live), await make(own.test)]
      expect([again.body, again.headers.get('idempotent-replayed')]).to.deep.equal([first.body, 'true'])
      expect([tried.status, tried.headers.get('idempotent-replayed')]).to.deep.equal([201, null])
      expect(tried.body.id).to.not.equal(first.body.id)
    })

    it('have free addresses below the shared domain, under names that cannot be mistaken for the service', async () => {
      const domains = await Promise.all(
        ['Support', 'Support', 'Ü', '日本'].map(async (name) => (await makeCustomer(door, own.live, { name })).address),
      )
      for (const address of domains) expect(address).to.match(/^agent@[a-z0-9-]{3,40}\.agents\.localhost$/)
      expect(domains).to.not.include('agent@support.agents.localhost')
      expect(new Set(domains).size).to.equal(4)
      expect(await deliver(door.ctx, { to: domains[0]!, raw: letter() })).to.match(/^msg_/)
    })

    it('have keys that the partner holds, and the partner sees only those', async () => {
      const one = await makeCustomer(door, own.live, { name: 'Keys' })
      const made = await own.live<{ id: string; apiKey: string }>('POST', at(one.id, '/keys'), {
        name: 'agent',
        kind: 'agent',
        scopes: ['mail:read'],
        mailboxes: [one.address],
      })
      expect(made.body).to.include({ kind: 'agent', heldBy: 'partner' })
      expect(made.body.apiKey).to.match(/^svc_live_/)
      const agent = client(door.http, made.body.apiKey)
      expect((await agent('GET', `${mailboxPath(one.address)}/messages`)).status).to.equal(200)
      const listed = await own.live<{ keys: Json[] }>('GET', at(one.id, '/keys'))
      expect(listed.body.keys.map(({ id }) => id)).to.deep.equal([made.body.id, one.keyId])
      expect(JSON.stringify(listed.body)).to.not.include('svc_live_')
      expect((await own.live('DELETE', at(one.id, `/keys/${made.body.id}`))).status).to.equal(200)
      expect(told(await agent('GET', '/api/v1/account'))).to.equal('401 invalid_api_key')
      expect(told(await own.live('DELETE', at(one.id, `/keys/${made.body.id}`)))).to.equal('404 not_found')
      // A key of another customer of the same partner.
      expect(told(await own.live('DELETE', at(one.id, `/keys/${customer.keyId}`)))).to.equal('404 not_found')
    })

    it('have the usage of their account', async () => {
      const { body } = await own.live('GET', at(customer.id, '/usage'))
      expect(body).to.deep.equal((await customer.call('GET', '/api/v1/usage')).body)
    })
  })

  describe('access', () => {
    const partnerOperations = operations.filter(({ access }) => access === 'partner')

    type Headers = Readonly<Record<string, string>>
    const closed = [
      ['GET', '/api/v1/account'],
      ['GET', '/api/v1/events/stream'],
      ['POST', '/api/mcp'],
    ] as const

    it('a partner key works only at /api/partner, however it is sent', async () => {
      for (const key of [own.liveKey, own.testKey]) {
        for (const headers of [{ authorization: `Bearer ${key}` }, { 'x-api-key': key }] as readonly Headers[])
          for (const [method, path] of closed) {
            const body = method === 'POST' ? {} : undefined
            const answer = await client(door.http)(method, path, body, headers)
            expect(told(answer), path).to.equal('403 partner_key_not_allowed')
          }
        expect(told(await client(door.http)('POST', `/api/mcp/${key}`, {}))).to.equal('403 partner_key_not_allowed')
      }
      expect(told(await own.live('GET', `${api}/nothing`))).to.equal('404 not_found')
    })

    it('no other credential can call a partner operation', async () => {
      const { body } = await client(door.http)('POST', '/api/v1/signup', {})
      const credentials = {
        none: '401 missing_api_key',
        svc_partner_live_wrong: '401 invalid_api_key',
        svc_partner_other: '403 partner_key_not_allowed',
        svc_oat_wrong: '401 invalid_access_token',
        [customer.key]: '403 forbidden',
        [String(body.api_key)]: '403 forbidden',
      }
      for (const { method, path, name } of partnerOperations)
        for (const [key, expected] of Object.entries(credentials)) {
          Object.assign(door.ctx.settings.limits.logins, { failuresPerAddress: 10_000, slowAfter: 10_000 })
          const call = client(door.http, key === 'none' ? undefined : key)
          const where = path.replace(/\{\w+\}/g, customer.id)
          const answer = await call(method, where, method === 'GET' || method === 'DELETE' ? undefined : {})
          expect(told(answer), `${name} with ${key}`).to.equal(expected)
        }
    })

    it("another partner's ids, and those of the other kind of key, are treated as unknown", async () => {
      const made = await hook(own.live, ['customer.created'])
      const [event] = await eventsOf(own.live)
      const names: { readonly [field: string]: string } = { key_id: customer.keyId }
      const ids = { customers: customer.id, webhooks: made.body.id, events: event!.id }
      const named = partnerOperations.filter(({ pathFields }) => pathFields.length > 0)
      expect(named.length).to.be.greaterThan(12)
      const words: Json = { name: 'x', scopes: ['mail:read'], type: 'customer.paused' }
      const walk = named.flatMap((operation) => {
        const { method, path } = operation
        const id = ids[path.split('/')[3] as keyof typeof ids]
        const fill = (some: string) => path.replace(/\{(\w+)\}/g, (_, field: string) => names[field] ?? some)
        const needed = fieldsOf(operation).filter(({ from, required }) => from === 'body' && required)
        const isBodied = method === 'POST' || method === 'PATCH'
        const body = isBodied ? Object.fromEntries(needed.map(({ name }) => [name, words[name]])) : undefined
        const nobodys = `${id.slice(0, -4)}0000`
        return [other.live, other.test, own.test].map(async (call) => {
          const [theirs, none] = await Promise.all([id, nobodys].map((some) => call(method, fill(some), body)))
          expect(told(theirs!), operation.name).to.equal('404 not_found')
          const text = (answer: Answer, some: string) => String(answer.body.error).replaceAll(some, '?')
          expect(text(theirs!, id)).to.equal(text(none!, nobodys))
        })
      })
      await Promise.all(walk)
      expect(await eventsOf(other.live, `?customer_id=${customer.id}`)).to.deep.equal([])
      for (const call of [other.live, other.test, own.test])
        for (const list of ['customers', 'webhooks', 'events'])
          expect(JSON.stringify((await call('GET', `${api}/${list}`)).body), list).to.not.include(ids[list as never])
      const cursor = (await other.live<Page>('GET', `${api}/events?before=${event!.cursor}`)) as never as Answer
      expect(told(cursor)).to.equal('400 validation_error')
      await own.live('DELETE', `${api}/webhooks/${made.body.id}`)
    })

    it("another customer's key gives no access to a customer", async () => {
      const foreign = await makeCustomer(door, other.live, { name: 'Foreign' })
      expect(told(await foreign.call('GET', `${mailboxPath(customer.address)}/messages`))).to.equal(
        '404 mailbox_not_found',
      )
    })

    it('a suspended partner and a revoked key are refused', async () => {
      const gone = await makePartner(door, 'gone')
      await door.ctx.store.accounts.updateOne(
        { _id: gone.id },
        { $set: { suspended: { reason: 'x', at: new Date() } } },
      )
      expect(told(await gone.live('GET', `${api}/customers`))).to.equal('403 account_suspended')
    })
  })

  describe('pauses', () => {
    it('refuse sends until they end, and are each announced once', async () => {
      const one = await makeCustomer(door, own.live, { name: 'Paused' })
      const send = () =>
        one.call('POST', `${mailboxPath(one.address)}/send`, { to: 'delivered@simulator.invalid', text: 'x' })
      const states: unknown[] = []
      for (const verb of ['pause', 'pause', 'resume', 'resume']) {
        const { body } = await own.live('POST', at(one.id, `/${verb}`), {})
        states.push([body.status, told(await send()), (await one.call('GET', '/api/v1/account')).body.status])
      }
      expect(states).to.deep.equal([
        ['paused', '403 account_paused', 'paused'],
        ['paused', '403 account_paused', 'paused'],
        ['active', '202', 'active'],
        ['active', '202', 'active'],
      ])
      for (const reason of ['', ' ']) {
        const answer = await own.live<ErrorBody>('POST', at(one.id, '/pause'), { reason })
        expect([answer.status, answer.body.param]).to.deep.equal([400, 'reason'])
      }
      const changes = (await eventsOf(own.live, `?customer_id=${one.id}&type=customer.paused,customer.resumed`)).map(
        ({ type, data, customer_id }) => [type, data.status, data.id, customer_id],
      )
      expect(changes).to.deep.equal([
        ['customer.resumed', 'active', one.id, one.id],
        ['customer.paused', 'paused', one.id, one.id],
      ])
    })
  })

  describe('events', () => {
    it('of all customers reach an endpoint in one sequence, each with its customer_id', async () => {
      const partner = await makePartner(door, 'hears')
      const { body: endpoint } = await hook(partner.live)
      const begun = receiver.requests.length
      const live = await makeCustomer(door, partner.live, { name: 'Live' })
      const tried = await makeCustomer(door, partner.test, { name: 'Tried' })
      const messageId = await hear(live)
      await partner.live('PATCH', at(live.id), { agentsPlan: 'developer' })
      await changeAccountPlans(door.ctx, live.accountId, { agentsPlan: 'scale' })
      await changeAccountPlans(door.ctx, live.accountId, { agentsPlan: 'scale' })
      const listed = (await eventsOf(partner.live)).toReversed()
      expect(listed.map(({ type, customer_id, sandbox }) => [type, customer_id, sandbox])).to.deep.equal([
        ['customer.created', live.id, undefined],
        ['mailbox.created', live.id, undefined],
        ['customer.created', tried.id, true],
        ['mailbox.created', tried.id, true],
        ['message.received', live.id, undefined],
        ['customer.plan_changed', live.id, undefined],
        ['customer.plan_changed', live.id, undefined],
      ])
      const message = listed[4]!.data
      expect(Object.keys(message)).to.have.members(['mailbox', 'message_id', 'thread_id', 'folder', 'received_at'])
      expect(message).to.include({ mailbox: live.address, message_id: messageId, folder: 'INBOX' })
      const heard = await eventually('the deliveries', async () => {
        const all = bodies().slice(begun)
        return all.length === listed.length ? all : null
      })
      const byCursor = (all: readonly Envelope[]) => all.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      expect(byCursor(heard)).to.deep.equal(byCursor(listed))
      expect(JSON.stringify(heard)).to.not.include('Secret plans')
      const log = await partner.live<{ deliveries: Json[] }>('GET', `${api}/webhooks/${endpoint.id}/deliveries`)
      expect(log.body.deliveries).to.have.length(listed.length)
      // A test key sees only test customers.
      const types = (await eventsOf(partner.test)).map(({ customer_id }) => customer_id)
      expect(new Set(types)).to.deep.equal(new Set([tried.id]))
      const first = listed[0]!
      expect((await partner.live('GET', `${api}/events/${first.id}`)).body).to.deep.include({ id: first.id })
      expect(told(await partner.test('GET', `${api}/events/${first.id}`))).to.equal('404 not_found')
      // The customer's own list has its own sequence, and the events with their full data.
      const whole = await live.call<Page>('GET', '/api/v1/events?type=message.received')
      expect(whole.body.events[0]?.data.subject).to.equal('Secret plans')
      expect(whole.body.events[0]).to.not.have.property('customer_id')
    })

    it('continue from a cursor, and a long-poll is answered by the next one', async () => {
      const { body: end } = await own.live<Page>('GET', `${api}/events?limit=1`)
      const polled = own.live<Page>('GET', `${api}/events?after=${end.cursor}&wait=20`)
      await own.live('POST', at(customer.id, '/pause'), {})
      expect((await polled).body.events.map(({ type }) => type)).to.deep.equal(['customer.paused'])
      await own.live('POST', at(customer.id, '/resume'), {})
      const { body } = await own.live<Page>('GET', `${api}/events?after=${(await polled).body.cursor}`)
      expect(body.events.map(({ type }) => type)).to.deep.equal(['customer.resumed'])
    })

    it('of messages are delivered only while the partner holds a key that may read the mailbox', async () => {
      const partner = await makePartner(door, 'reads')
      const one = await makeCustomer(door, partner.live, { name: 'Reads' })
      await one.call('POST', '/api/v1/mailboxes', { address: one.address.replace('agent', 'second') })
      const heard = async () =>
        (await eventsOf(partner.live, '?type=message.received')).map(({ data }) => data.message_id)
      const key = (scopes: readonly string[], mailboxes?: readonly string[]) =>
        partner.live<{ id: string }>('POST', at(one.id, '/keys'), {
          name: 'k',
          scopes,
          ...(mailboxes && { kind: 'agent', mailboxes }),
        })
      const first = await hear(one)
      await partner.live('DELETE', at(one.id, `/keys/${one.keyId}`))
      await hear(one)
      await key(['mailboxes:read', 'mail:send'])
      await hear(one)
      await key(['mail:read'], [one.address.replace('agent', 'second')])
      await hear(one)
      const { body } = await key(['mail:read'], [one.address])
      const last = await hear(one)
      expect(await heard()).to.deep.equal([last, first])
      await partner.live('DELETE', at(one.id, `/keys/${body.id}`))
      await hear(one)
      expect(await heard()).to.deep.equal([last, first])
    })

    it('left unannounced by a crash are announced by the sweeps, once', async () => {
      const partner = await makePartner(door, 'crashed')
      const one = await makeCustomer(door, partner.live, { name: 'Crashed' })
      await hook(partner.live, ['customer.paused', 'message.received'])
      const begun = receiver.requests.length
      const { store } = door.ctx
      // As if the process had died right after the update that pauses, and between an event of the customer and its copy.
      const doc = (await store.accounts.findOne({ _id: one.accountId }))!
      const paused = { reason: 'a test', at: new Date() }
      const note = noteOf(door.ctx, 'customer.paused', { ...doc, paused })
      await changeCustomer(store, one.accountId, { from: { paused: null }, change: { paused }, note })
      const messageId = await deliver(door.ctx, { to: one.address, raw: letter() })
      const message = (await store.messages.findOne({ _id: messageId }))!
      const _id = deriveId('evt', messageId, 'message.received')
      const data = { mailbox: one.address, message_id: messageId, from: null, subject: 'Secret plans' }
      const { mailboxId, receivedAt: createdAt } = message
      const event = {
        _id,
        accountId: one.accountId,
        type: 'message.received',
        createdAt,
        mailboxId,
        domain: null,
        data,
      }
      await createEventAppend(store)([{ ...event, mailbox: one.address }])
      expect((await eventsOf(partner.live)).map(({ type }) => type)).to.deep.equal([
        'mailbox.created',
        'customer.created',
      ])
      for (let times = 0; times < 2; times++) {
        await sweepCustomerChanges(door.ctx)
        await announceMissed(door.ctx, [message])
      }
      const told = (await eventsOf(partner.live)).slice(0, -2)
      expect(told.map(({ type }) => type)).to.deep.equal(['message.received', 'customer.paused'])
      expect(told[0]?.data).to.deep.include({ message_id: messageId }).and.not.have.property('subject')
      expect(told[1]?.data).to.deep.include({ id: one.id, status: 'paused' })
      const heard = await eventually(
        'the deliveries',
        async () => bodies().slice(begun).length === 2 && bodies().slice(begun),
      )
      expect(heard.map(({ id }) => id)).to.have.members(told.map(({ id }) => id))
    })

    it('can be tested with a sample in the form of a real one', async () => {
      const { body } = await hook(own.test, ['message.received'])
      const tried = await own.test<{ body: string }>('POST', `${api}/webhooks/${body.id}/test`, {
        type: 'message.received',
      })
      const sample = JSON.parse(tried.body.body) as Envelope
      expect(sample).to.include({ test: true, sandbox: true })
      expect(sample.customer_id).to.match(/^cus_/)
      expect(Object.keys(sample.data)).to.have.length(5)
      const rotated = await own.test<{ secret: string }>('POST', `${api}/webhooks/${body.id}/rotate-secret`, {})
      expect(rotated.body.secret).to.not.equal(body.secret)
      const off = await own.test('PATCH', `${api}/webhooks/${body.id}`, { enabled: false, events: ['customer.paused'] })
      expect(off.body).to.deep.include({ enabled: false, events: ['customer.paused'] })
      expect((await own.test('DELETE', `${api}/webhooks/${body.id}`)).status).to.equal(200)
    })

    it('that contain the content of mail go to no partner', async () => {
      const answer = (await hook(own.live, ['intake.message'])) as never as Answer<ErrorBody>
      expect([answer.status, answer.body.param]).to.deep.equal([400, 'events[0]'])
    })
  })

  describe('the audit of a customer', () => {
    it('contains every call with a key that its partner holds, and the acts of the partner', async () => {
      const one = await makeCustomer(door, own.live, { name: 'Audited' })
      const id = await hear(one)
      await own.live('POST', at(one.id, '/pause'), {})
      await one.call('GET', `${mailboxPath(one.address)}/messages/${id}`)
      await one.call('GET', `${mailboxPath(one.address)}/messages/msg_${'0'.repeat(26)}`)
      await door.ctx.background.done()
      const { body } = await one.call<{ entries: Json[] }>('GET', '/api/v1/audit')
      const trail = body.entries.map(({ who, action, outcome }) => `${(who as Json).kind} ${action} ${outcome}`)
      expect(trail.slice(0, 3)).to.deep.equal([
        'key messages.get not_found',
        'key messages.get done',
        'partner partner_customers.pause done',
      ])
      expect(body.entries[1]).to.deep.include({
        who: { kind: 'key', id: one.keyId, name: 'held' },
        target: `${mailboxPath(one.address)}/messages/${id}`,
      })
      expect(trail.at(-1)).to.equal('partner partner_customers.create done')
      expect((await verifyAudit(door.ctx, one.accountId)).broken).to.equal(null)
    })
  })

  describe('the end of a customer', () => {
    it('ends its keys at once, and erases it, including from what its partner received', async () => {
      const partner = await makePartner(door, 'ends')
      await hook(partner.live)
      const stays = await makeCustomer(door, partner.live, { name: 'Stays' })
      const goes = await makeCustomer(door, partner.live, { name: 'Goes', email: 'goes@people.example' })
      await hear(goes)
      const before = await eventsOf(partner.live)
      await partner.live('DELETE', at(goes.id))
      expect(told(await goes.call('GET', '/api/v1/account'))).to.equal('401 invalid_api_key')
      door.advance(10 * minuteMs)
      await sweepErasures(door.ctx)
      await sweepErasures(door.ctx)
      const left = await eventsOf(partner.live)
      expect(left.map(({ id }) => id)).to.deep.equal(
        before.filter(({ customer_id }) => customer_id !== goes.id).map(({ id }) => id),
      )
      const { store } = door.ctx
      for (const collection of ['events', 'deliveries'] as const) {
        const kept = JSON.stringify(await store[collection].find({ accountId: partner.id } as never).toArray())
        expect(kept, collection).to.not.include('goes@people.example').and.not.include(goes.address)
        expect(kept, collection).to.include(stays.id)
      }
      // A reader with an earlier cursor continues without a gap.
      const { body } = await partner.live<Page>('GET', `${api}/events?after=${before.at(-1)!.cursor}`)
      expect(body.events.map(({ customer_id }) => customer_id)).to.not.include(goes.id)
      expect((await store.accounts.findOne({ _id: partner.id }))?.customers).to.equal(1)
    })

    it('makes room for another customer, whoever ends it', async () => {
      const partner = await makePartner(door, 'counted')
      const counted = async () => {
        for await (const partners of walkPartners(door.ctx))
          for (const { name, customers } of partners) if (name === 'counted') return customers
        return null
      }
      const [one, two, stays] = [
        await makeCustomer(door, partner.live, { name: 'Ends Itself' }),
        await makeCustomer(door, partner.live, { name: 'Is Ended' }),
        await makeCustomer(door, partner.live, { name: 'Stays' }),
      ]
      expect(await counted()).to.equal(3)
      const person = await newPerson(door, { accountId: one.accountId })
      const asked = { confirm: 'Ends Itself', password: person.password }
      expect((await person.ask('POST', '/api/v1/account/erase', asked)).status).to.equal(202)
      expect(await counted()).to.equal(2)
      const ends = await Promise.all([1, 2, 3].map(() => partner.live('DELETE', at(two.id))))
      expect(ends.filter(({ status }) => status === 200)).to.have.length(1)
      expect(await counted()).to.equal(1)
      expect((await partner.live('GET', at(stays.id))).status).to.equal(200)
    })

    it('removes the stored answers to its partner: a repeat shows nothing of it, and creates no other', async () => {
      const partner = await makePartner(door, 'repeats')
      const headers = { 'idempotency-key': 'order-1' }
      const wanted = { name: 'Repeated', email: 'repeated@people.example' }
      const make = (body: Json = wanted, more = headers) =>
        partner.live<{ id: string }>('POST', `${api}/customers`, body, more)
      const { id } = (await make()).body
      const key = () => partner.live('POST', at(id, '/keys'), { name: 'k', scopes: ['mail:read'] }, headers)
      expect([(await key()).status, (await key()).headers.get('idempotent-replayed')]).to.deep.equal([201, 'true'])
      const stays = (await make({ name: 'Stays' }, { 'idempotency-key': 'order-2' })).body
      await partner.live('DELETE', at(id))
      // At once, and when the erasure is complete.
      for (const passed of [0, 10 * minuteMs]) {
        door.advance(passed)
        await sweepErasures(door.ctx)
        for (const answer of [await make(), await make({ name: 'Another' })]) {
          expect(told(answer)).to.equal('409 conflict')
          expect(JSON.stringify(answer.body)).to.include('new Idempotency-Key').and.not.include('epeated@')
        }
        expect(told(await key())).to.equal('404 not_found')
      }
      const { body } = await partner.live<{ customers: Json[] }>('GET', `${api}/customers`)
      expect(body.customers.map((each) => each.id)).to.deep.equal([stays.id])
      const marks = await door.ctx.store.idempotency.find({ accountId: partner.id }).toArray()
      expect(
        marks.map(({ state, body: answer, fingerprint }) => [state, answer === undefined, fingerprint === '']),
      ).to.have.deep.members([
        ['erased', true, true],
        ['erased', true, true],
        ['done', false, false],
      ])
      expect(JSON.stringify(marks)).to.not.include(id)
      expect((await make({ name: 'Stays' }, { 'idempotency-key': 'order-2' })).body).to.deep.equal(stays)
      expect((await make(wanted, { 'idempotency-key': 'order-3' })).status).to.equal(201)
    })

    it('ends a request with an unknown outcome: no repeat continues it', async () => {
      const partner = await makePartner(door, 'unknown')
      const headers = { 'idempotency-key': 'order-1' }
      const make = () => partner.live<{ id: string }>('POST', `${api}/customers`, { name: 'Begun' }, headers)
      const { id } = (await make()).body
      // As if the process had died before it recorded the answer.
      const { store } = door.ctx
      const lapsed = { $set: { state: 'running' as const, startedAt: new Date(0) }, $unset: { status: '', body: '' } }
      await store.idempotency.updateOne({ accountId: partner.id }, lapsed as never)
      await partner.live('DELETE', at(id))
      expect(told(await make())).to.equal('409 conflict')
      const { body } = await partner.live<{ customers: Json[] }>('GET', `${api}/customers`)
      expect(body.customers).to.deep.equal([])
    })
  })
})
