import { expect } from 'chai'
import { createAccount, getAccount, signup } from '../../core/account/accounts.ts'
import { logIn } from '../../core/account/login.ts'
import { issueTestKey } from '../../core/account/sandboxes.ts'
import { inTimeOf } from '../../core/process/account-time.ts'
import type { Failure } from '../../schemas/failures.ts'
import { timeOfId } from '../../schemas/ids.ts'
import { allScopes, signupScopes } from '../../schemas/scopes.ts'
import { startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'

const secondMs = 1_000
const hourMs = 3_600 * secondMs
const dayMs = 24 * hourMs
const daySeconds = 86_400

type Events = { events: { id: string; type: string; created_at: string; sandbox?: boolean; data: Json }[] }
type Sent = { id: string; message_id: string | null; recipients: { email: string; status: string }[] }
type Email = { recipients: { status: string; reason: string | null; attempts: number }[] }

describe('api: the sandbox', () => {
  let door: Door
  let tenant: Tenant
  let live: Call
  let receivers: WebhookReceiver[] = []

  before(async () => {
    door = await openDoor()
    // The receivers of these tests run on this machine.
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true })
    tenant = await makeTenant(door, { name: 'acme' })
    live = client(door.http, tenant.key)
  })
  after(async () => {
    await Promise.all(receivers.map((receiver) => receiver.close()))
    await door?.close()
  })

  const receiverOf = async (answer?: (count: number) => number) => {
    const receiver = await startWebhookReceiver(answer)
    receivers = [...receivers, receiver]
    return receiver
  }

  /** A sandbox of a fresh account, with an account key. */
  async function sandbox(name: string, plans: Pick<Parameters<typeof createAccount>[1], 'plan' | 'agentsPlan'> = {}) {
    const { id } = await createAccount(door.ctx, { name, owner: null, ...plans })
    return keyOf(id)
  }

  async function keyOf(accountId: string) {
    const { apiKey, domain, key } = await issueTestKey(door.ctx, await getAccount(door.ctx, accountId), {
      kind: 'account',
      name: 'test',
      scopes: allScopes,
      mailboxes: [],
      expiresAt: null,
    })
    const call = client(door.http, apiKey)
    const inbox = `agent@${domain}`
    return {
      apiKey,
      call,
      inbox,
      domain,
      accountId: key.accountId,
      /** Moves the clock, and returns its new time. */
      async advance(ms: number): Promise<Date> {
        const { status, body } = await call<{ now: string }>('POST', '/api/v1/test/clock', { advance: ms / secondMs })
        expect(status, JSON.stringify(body)).to.equal(200)
        return new Date(body.now)
      },
      send: (to: string, more: Json = {}) =>
        call<Sent & ErrorBody>('POST', `${mailboxPath(inbox)}/send`, { to, subject: 'Hi', text: 'Hi', ...more }),
      async status(id: string) {
        const { body } = await call<Email>('GET', `/api/v1/emails/${id}`)
        return body.recipients[0]!
      },
      inbound: (mail: Json) =>
        call<{ message_id: string } & ErrorBody>('POST', '/api/v1/test/inbound', {
          mailbox: inbox,
          from: 'Ann <ann@remote.example>',
          subject: 'Hello',
          text: 'Hello',
          ...mail,
        }),
      async events(type: string) {
        const { body } = await call<Events>('GET', `/api/v1/events?type=${type}&limit=200`)
        return body.events
      },
    }
  }

  it('is made once with the first test key, with a domain and an inbox of its own', async () => {
    const [one, two] = [await keyOf(tenant.accountId), await keyOf(tenant.accountId)]
    expect(one.apiKey).to.match(/^svc_test_/)
    expect(one.domain).to.equal('acme.test.agents.localhost')
    expect([two.accountId, two.domain]).to.deep.equal([one.accountId, one.domain])
    const account = await one.call<Json>('GET', '/api/v1/account')
    expect([account.body.sandbox, account.body.plan, account.body.agentsPlan]).to.deep.equal([
      true,
      'business',
      'scale',
    ])
    const { body } = await one.call<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
    expect(body.mailboxes.map(({ address }) => address)).to.deep.equal([one.inbox])
    expect((await live('GET', mailboxPath(one.inbox))).status).to.equal(404)
    expect((await one.call('GET', mailboxPath(tenant.address))).status).to.equal(404)
  })

  it('is made once for first keys that are made at the same time', async () => {
    const { id } = await createAccount(door.ctx, { name: 'twins', owner: null })
    const made = await Promise.all([keyOf(id), keyOf(id), keyOf(id)])
    expect(new Set(made.map(({ domain }) => domain))).to.deep.equal(new Set(['twins.test.agents.localhost']))
    const { body } = await made[0]!.call<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
    expect(body.mailboxes.map(({ address }) => address)).to.deep.equal([made[0]!.inbox])
    expect(await made[0]!.events('mailbox.created')).to.have.length(1)
  })

  it('has its inbox after a crash that came before it, but not again once it was deleted', async () => {
    const { ctx } = door
    const { id } = await createAccount(ctx, { name: 'crashed', owner: null })
    const insertOne = () => Promise.reject(new Error('killed'))
    const mailboxes = Object.assign(Object.create(ctx.store.mailboxes), { insertOne })
    const dying = { ...ctx, store: { ...ctx.store, mailboxes } }
    const wanted = { kind: 'agent', name: 'test', scopes: signupScopes, mailboxes: [], expiresAt: null } as const
    const account = await getAccount(ctx, id)
    const died = await issueTestKey(dying, account, wanted).catch((error: Error) => error.message)
    expect(died).to.equal('killed')
    const { apiKey, domain } = await issueTestKey(ctx, account, wanted)
    const inbox = `agent@${domain}`
    expect((await client(door.http, apiKey)('GET', mailboxPath(inbox))).status).to.equal(200)
    const { call } = await keyOf(id)
    expect((await call<{ inboxes: Json }>('GET', '/api/v1/usage')).body.inboxes.used).to.equal(1)
    expect((await call('DELETE', mailboxPath(inbox))).status).to.equal(200)
    await keyOf(id)
    expect((await call<{ mailboxes: Json[] }>('GET', '/api/v1/mailboxes')).body.mailboxes).to.deep.equal([])
  })

  it('has no other domains, and no logins', async () => {
    const { call, domain, apiKey, inbox } = await sandbox('logins')
    const create = (address: string) => call<ErrorBody>('POST', '/api/v1/mailboxes', { address })
    expect((await create(`second@${domain}`)).status).to.equal(201)
    for (const address of ['a@acme.example', 'a@agents.localhost', 'a@test.agents.localhost', `a@x.${domain}`])
      expect((await create(address)).body.code, address).to.equal('domain_not_on_account')
    const login = await logIn(door.ctx, {
      user: inbox,
      password: apiKey,
      scope: 'mail:send',
      peerAddress: '192.0.2.99',
    }).catch((error: Failure) => error.code)
    expect(login).to.equal('forbidden')
  })

  it('live keys have no test endpoints', async () => {
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId, kind: 'agent', scopes: ['mail:write'] })
    const mail = { mailbox: tenant.address, from: 'a@b.example', text: 'Hi' }
    for (const call of [live, client(door.http, apiKey)]) {
      const inbound = await call<ErrorBody>('POST', '/api/v1/test/inbound', mail)
      const clock = await call<ErrorBody>('POST', '/api/v1/test/clock', { advance: 60 })
      expect([inbound, clock].map(({ status, body }) => [status, body.code])).to.deep.equal([
        [403, 'forbidden'],
        [403, 'forbidden'],
      ])
    }
  })

  describe('recipients', () => {
    let own: Awaited<ReturnType<typeof sandbox>>
    let other: Awaited<ReturnType<typeof sandbox>>
    before(async () => {
      own = await sandbox('writer')
      other = await sandbox('other')
    })
    const cases: readonly (readonly [name: string, to: () => string, allowed: boolean])[] = [
      ['delivered@', () => 'delivered@simulator.invalid', true],
      ['with a tag', () => 'bounced+7@simulator.invalid', true],
      ['an unknown name of the simulator', () => 'nobody@simulator.invalid', true],
      ['its own mailbox', () => own.inbox, true],
      ['its own mailbox with a tag', () => own.inbox.replace('@', '+x@'), true],
      ['its own mailbox in capitals', () => own.inbox.toUpperCase(), true],
      ['its own postmaster', () => `postmaster@${own.domain}`, true],
      ['somebody outside', () => 'ann@remote.example', false],
      ['a host below the simulator', () => 'a@x.simulator.invalid', false],
      ['another sandbox', () => other.inbox, false],
      ['a live account', () => tenant.address, false],
      ['an unknown name of its own domain', () => `nobody@${own.domain}`, false],
      ['the postmaster of the service', () => 'postmaster@agents.localhost', false],
      ['an address literal', () => 'a@[192.0.2.1]', false],
    ]
    for (const [name, to, allowed] of cases) {
      it(`${allowed ? 'writes to' : 'does not write to'} ${name}`, async () => {
        const [single, dry, batch, transactional] = [
          await own.send(to()),
          await own.send(to(), { dryRun: true }),
          await own.call<ErrorBody>('POST', `${mailboxPath(own.inbox)}/send-batch`, {
            subject: 'Hi',
            text: 'Hi',
            recipients: [{ email: to() }],
            idempotencyKey: name,
          }),
          await own.call<ErrorBody>('POST', '/api/v1/emails', { from: own.inbox, to: to(), subject: 'Hi', text: 'Hi' }),
        ]
        const statuses = [single, dry, batch, transactional].map(({ status }) => status)
        expect(statuses).to.deep.equal(allowed ? [202, 200, 202, 202] : [403, 403, 403, 403])
        if (!allowed) expect([single.body.code, batch.body.code]).to.deep.equal(['forbidden', 'forbidden'])
      })
    }

    it('refuses all when one is refused', async () => {
      const { status, body } = await own.send('delivered@simulator.invalid', { cc: 'ann@remote.example' })
      expect([status, body.code]).to.deep.equal([403, 'forbidden'])
    })
  })

  it('its clock applies to nothing outside it', async () => {
    const own = await sandbox('ahead')
    const before = door.ctx.clock.now()
    const now = await own.advance(10 * dayMs)
    expect(now.getTime() - before.getTime()).to.be.at.least(10 * dayMs)
    const { body: mine } = await own.call<{ createdAt: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hooks.example/',
      events: ['message.received'],
    })
    const { body: theirs } = await live<{ createdAt: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hooks.example/',
      events: ['message.received'],
    })
    expect(new Date(mine.createdAt).getTime()).to.be.at.least(now.getTime())
    expect(new Date(theirs.createdAt).getTime()).to.be.below(before.getTime() + dayMs)
    expect(inTimeOf(door.ctx, tenant.accountId).clock).to.equal(door.ctx.clock)
  })

  it('the lists of a mailbox apply from the next message on', async () => {
    const { call, inbox } = await sandbox('lists')
    const comeIn = async (n: number) => {
      const mail = { mailbox: inbox, from: 'eve@b.example', subject: `Mail ${n}`, text: 'x' }
      return (await call('POST', '/api/v1/test/inbound', mail)).status
    }
    expect(await comeIn(0)).to.equal(201)
    for (let n = 1; n <= 6; n++) {
      const receiveBlock = n % 2 === 1 ? ['b.example'] : []
      await call('PUT', `${mailboxPath(inbox)}/lists`, { receiveBlock })
      expect(await comeIn(n), `mail ${n}`).to.equal(n % 2 === 1 ? 403 : 201)
    }
  })

  it('its clock does not tell the time of mail of other accounts', async () => {
    const { inbound, advance } = await sandbox('ahead')
    await advance(9 * secondMs)
    expect((await inbound({ from: 'a@b.example', text: 'Hi' })).status).to.equal(201)
    const id = await deliver(door.ctx, { to: tenant.address, raw: 'From: a@b.example\n\nHi\n' })
    const { body } = await live<{ received_at: string }>('GET', `${mailboxPath(tenant.address)}/messages/${id}`)
    for (const at of [Date.parse(body.received_at), timeOfId(id).getTime()])
      expect(at).to.be.at.most(door.ctx.clock.now().getTime())
  })

  it('its clock moves only forwards, by seconds or to a time', async () => {
    const { call, advance } = await sandbox('forwards')
    const now = await advance(dayMs)
    const move = async (body: Json) => {
      const answer = await call<ErrorBody & { now: string }>('POST', '/api/v1/test/clock', body)
      return answer.status === 200 ? answer.body.now : [answer.body.code, answer.body.param ?? null]
    }
    const to = new Date(now.getTime() + 2 * dayMs)
    expect(new Date(String(await move({ now: to.toISOString() }))).getTime()).to.be.within(
      to.getTime(),
      to.getTime() + hourMs,
    )
    for (const [body, param] of [
      [{ now: now.toISOString() }, 'now'],
      [{ now: '2001-01-01T00:00:00.000Z' }, 'now'],
      [{ now: new Date(to.getTime() + 401 * dayMs).toISOString() }, 'now'],
      [{ now: 'tomorrow' }, 'now'],
      [{ advance: 0 }, 'advance'],
      [{ advance: -1 }, 'advance'],
      [{ advance: 1.5 }, 'advance'],
      [{ advance: 401 * daySeconds }, 'advance'],
      [{ advance: 1, now: to.toISOString() }, null],
      [{}, null],
    ] as const)
      expect(await move(body), JSON.stringify(body)).to.deep.equal(['validation_error', param])
  })

  describe('mail that comes in', () => {
    let own: Awaited<ReturnType<typeof sandbox>>
    before(async () => {
      own = await sandbox('inbound')
    })
    type Message = { folder: string; text: string; trust: Json; received_at: string }
    const read = async (id: string) => (await own.call<Message>('GET', `${mailboxPath(own.inbox)}/messages/${id}`)).body

    const honest = { spf: 'pass', dmarc: 'pass', aligned_from: 'remote.example' }
    const cases: readonly (readonly [name: string, mail: Json, folder: string, trust: Json])[] = [
      ['honest mail', {}, 'INBOX', honest],
      ['SPF alone', { verdicts: { dkim: 'none' } }, 'INBOX', { ...honest, dkim: [] }],
      ['DKIM alone', { verdicts: { spf: 'fail' } }, 'INBOX', { ...honest, spf: 'fail' }],
      ['neither', { verdicts: { spf: 'fail', dkim: 'fail' } }, 'INBOX', { dmarc: 'fail', aligned_from: null }],
      ['no policy', { verdicts: { dmarc: 'none' } }, 'INBOX', { dmarc: 'none', aligned_from: 'remote.example' }],
      [
        'quarantine',
        { verdicts: { dmarc: 'fail', policy: 'quarantine' } },
        'Spam',
        { dmarc: 'fail', aligned_from: null },
      ],
      ['a policy that does not apply', { verdicts: { policy: 'reject' } }, 'INBOX', honest],
      ['what a filter takes for spam', { verdicts: { spam: true } }, 'Spam', honest],
      ['automatic mail', { headers: { 'Auto-Submitted': 'auto-replied' } }, 'INBOX', { auto_submitted: true }],
    ]
    for (const [name, mail, folder, trust] of cases) {
      it(`takes ${name}`, async () => {
        const { status, body } = await own.inbound({ ...mail, text: name })
        expect(status, JSON.stringify(body)).to.equal(201)
        const message = await read(body.message_id)
        expect(message.folder).to.equal(folder)
        expect(message.text.trim()).to.equal(name)
        expect(message.trust).to.include(Object.fromEntries(Object.entries(trust).filter(([key]) => key !== 'dkim')))
      })
    }

    it('takes raw bytes as they are', async () => {
      const raw = 'From: a@remote.example\r\nSubject: raw\r\n\r\nline\r\n'
      const { body } = await own.call<{ message_id: string }>('POST', '/api/v1/test/inbound', {
        mailbox: own.inbox,
        raw: Buffer.from(raw).toString('base64'),
      })
      const answer = await fetch(`${door.http}${mailboxPath(own.inbox)}/messages/${body.message_id}/raw`, {
        headers: { authorization: `Bearer ${own.apiKey}` },
      })
      expect(await answer.text()).to.equal(raw)
    })

    it('has no authenticated author for a message without an author', async () => {
      for (const [verdicts, dmarc] of [
        [{}, 'none'],
        [{ dmarc: 'fail' }, 'fail'],
      ] as const) {
        const raw = Buffer.from(`Subject: nobody\r\n\r\n${dmarc}\r\n`).toString('base64')
        const mail = { mailbox: own.inbox, raw, verdicts }
        const { body } = await own.call<{ message_id: string }>('POST', '/api/v1/test/inbound', mail)
        const { trust } = await read(body.message_id)
        expect(trust).to.include({ spf: 'pass', dmarc, aligned_from: null })
        expect(trust.dkim).to.deep.equal([])
      }
    })

    const refused: readonly (readonly [name: string, mail: Json, status: number, code: string])[] = [
      ['a policy that refuses', { verdicts: { dmarc: 'fail', policy: 'reject' } }, 422, 'unprocessable'],
      ['another account', { mailbox: 'agent@acme.example' }, 404, 'mailbox_not_found'],
      ['an unknown mailbox', { mailbox: 'nobody@inbound.test.agents.localhost' }, 404, 'mailbox_not_found'],
      ['raw beside a part', { raw: 'AAAA' }, 400, 'validation_error'],
      ['an unknown verdict', { verdicts: { spf: 'perhaps' } }, 400, 'validation_error'],
      ['an invalid sender', { from: 'nobody' }, 400, 'validation_error'],
      ['a header that breaks the line', { headers: { 'X-A': 'a\r\nB: c' } }, 400, 'validation_error'],
      ['a header that it writes itself', { headers: { Received: 'by me' } }, 400, 'validation_error'],
    ]
    for (const [name, mail, status, code] of refused)
      it(`refuses ${name}`, async () => {
        const answer = await own.inbound(mail)
        expect([answer.status, answer.body.code]).to.deep.equal([status, code])
      })

    it('refuses raw content that is not base64, and a message without an author', async () => {
      for (const mail of [{ raw: '***' }, { raw: '' }, {}, { text: 'Hi' }]) {
        const { body } = await own.call<ErrorBody>('POST', '/api/v1/test/inbound', { mailbox: own.inbox, ...mail })
        expect(body.code, JSON.stringify(mail)).to.equal('validation_error')
      }
    })
  })

  describe('time', () => {
    it('releases a scheduled send at its time', async () => {
      const own = await sandbox('scheduled')
      const sendAt = new Date(door.ctx.clock.now().getTime() + 3 * dayMs).toISOString()
      const { body } = await own.send('delivered@simulator.invalid', { sendAt })
      await own.advance(2 * dayMs)
      expect((await own.status(body.id)).status).to.equal('queued')
      await own.advance(dayMs)
      expect((await own.status(body.id)).status).to.equal('delivered')
      const [event] = await own.events('email.delivered')
      expect(new Date(event!.created_at).getTime()).to.be.within(Date.parse(sendAt), Date.parse(sendAt) + hourMs)
      expect(event!.sandbox).to.equal(true)
    })

    it('bounces deferred mail after 48 hours, with the same attempts as in production', async () => {
      const own = await sandbox('deferred')
      const { body } = await own.send('softbounced@simulator.invalid')
      await own.advance(47 * hourMs)
      const waiting = await own.status(body.id)
      expect(waiting.reason).to.equal('deferred')
      expect(waiting.attempts).to.be.above(5)
      const now = await own.advance(24 * hourMs)
      expect(await own.status(body.id)).to.include({ status: 'bounced', reason: 'transient' })
      const [bounced] = await own.events('email.bounced')
      const bouncedAfter = new Date(bounced!.created_at).getTime() - (now.getTime() - 71 * hourMs)
      expect(bouncedAfter / hourMs).to.be.within(47.9, 56)
    })

    it('counts these 48 hours from the scheduled time of a scheduled send', async () => {
      const own = await sandbox('laterdeferred')
      const sendAt = new Date(door.ctx.clock.now().getTime() + 3 * dayMs).toISOString()
      const { body } = await own.send('softbounced@simulator.invalid', { sendAt })
      await own.advance(3 * dayMs + 46 * hourMs)
      expect((await own.status(body.id)).reason).to.equal('deferred')
      await own.advance(12 * hourMs)
      expect(await own.status(body.id)).to.include({ status: 'bounced', reason: 'transient' })
    })

    it('retries a webhook for 24 hours with growing pauses', async () => {
      const own = await sandbox('retries')
      const receiver = await receiverOf(() => 500)
      const { body: hook } = await own.call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['message.received'],
      })
      const began = Date.now()
      await own.inbound({})
      await own.advance(dayMs)
      await own.advance(dayMs)
      // The sandbox's clock also goes on by itself, so an attempt may be as late as all of this takes.
      const tookSeconds = (Date.now() - began) / secondMs
      const deliveries = await door.ctx.store.deliveries.find({ webhookId: hook.id }).toArray()
      expect(deliveries.map(({ state }) => state)).to.deep.equal(['failed'])
      const at = deliveries[0]!.attempts.map((attempt) => attempt.at.getTime())
      const pauses = at.slice(1).map((time, n) => (time - at[n]!) / secondMs)
      const expected = [5, 30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800]
      expect(pauses.length).to.be.within(expected.length, expected.length + 1)
      for (const [n, pause] of expected.entries())
        expect(pauses[n], `pause ${n}`).to.be.within(pause * 0.79, pause * 1.25 + tookSeconds)
      expect(at.at(-1)! - at[0]!).to.be.at.most(dayMs)
      expect(receiver.requests).to.have.length(at.length)
      const envelope = JSON.parse(receiver.requests[0]!.body) as Json
      expect(envelope.sandbox).to.equal(true)
      // A receiver checks the signature's time against its own clock.
      const signedAt = Number(/t=(\d+)/.exec(String(receiver.requests.at(-1)!.headers['x-service-signature']))?.[1])
      expect(Math.abs(signedAt - Date.now() / secondMs)).to.be.below(300)
    })

    it('turns an endpoint off after 5 days of failures, and not before', async () => {
      const own = await sandbox('disabled')
      const receiver = await receiverOf(() => 500)
      const { body: hook } = await own.call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['message.received'],
      })
      const isEnabled = async () =>
        (await own.call<{ enabled: boolean }>('GET', `/api/v1/webhooks/${hook.id}`)).body.enabled
      for (let day = 0; day < 5; day++) {
        expect(await isEnabled(), `day ${day}`).to.equal(true)
        await own.inbound({ text: `day ${day}` })
        await own.advance(dayMs)
      }
      await own.inbound({ text: 'day 5' })
      await own.advance(60 * secondMs)
      expect(await isEnabled()).to.equal(false)
    })

    it('an endpoint that answers again stays on', async () => {
      const own = await sandbox('recovers')
      const receiver = await receiverOf((count) => (count === 1 ? 500 : 200))
      const { body: hook } = await own.call<{ id: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        events: ['message.received'],
      })
      await own.inbound({})
      await own.advance(10 * dayMs)
      expect(receiver.requests).to.have.length(2)
      expect((await own.call<{ enabled: boolean }>('GET', `/api/v1/webhooks/${hook.id}`)).body.enabled).to.equal(true)
    })

    it('starts a new month of usage', async () => {
      const own = await sandbox('month', { plan: null, agentsPlan: 'free' })
      type Usage = { sends: { used: number }; emails: { received: number }; period: { from: string } }
      const usage = async () => (await own.call<Usage>('GET', '/api/v1/usage')).body
      await own.send('delivered@simulator.invalid')
      await own.inbound({})
      const { period } = await usage()
      const next = new Date(
        Date.UTC(new Date(period.from).getUTCFullYear(), new Date(period.from).getUTCMonth() + 1, 1),
      )
      expect((await usage()).sends.used).to.equal(1)
      await own.call('POST', '/api/v1/test/clock', { now: new Date(next.getTime() - 1).toISOString() })
      const after = await own.advance(secondMs)
      expect(after.getTime()).to.be.at.least(next.getTime())
      expect(await usage()).to.deep.include({
        period: {
          from: next.toISOString(),
          to: new Date(Date.UTC(next.getUTCFullYear(), next.getUTCMonth() + 1, 1)).toISOString(),
        },
      })
      expect((await usage()).sends.used).to.equal(0)
    })

    it('empties Trash and Spam after 30 days', async () => {
      const own = await sandbox('trash')
      const messages = `${mailboxPath(own.inbox)}/messages`
      const [kept, spam, trashed] = [
        await own.inbound({ text: 'kept' }),
        await own.inbound({ text: 'spam', verdicts: { spam: true } }),
        await own.inbound({ text: 'trashed' }),
      ].map(({ body }) => body.message_id)
      await own.call('DELETE', `${messages}/${trashed}`)
      const there = async () =>
        Promise.all([kept, spam, trashed].map(async (id) => (await own.call('GET', `${messages}/${id}`)).status))
      await own.advance(29 * dayMs)
      expect(await there()).to.deep.equal([200, 200, 200])
      await own.advance(2 * dayMs)
      expect(await there()).to.deep.equal([200, 404, 404])
    })

    it('a sandbox of an unclaimed account expires after seven days, and the account itself does not', async () => {
      const account = await signup(door.ctx, { name: 'newcomer', address: '192.0.2.50' })
      const own = await keyOf(account.account.id)
      expect((await own.call('GET', '/api/v1/account')).headers.get('x-service-claim')).to.equal('required')
      expect((await own.send('delivered@simulator.invalid')).body.code).to.equal('CLAIM_REQUIRED')
      await own.inbound({})
      await own.advance(6 * dayMs)
      expect((await own.call('GET', '/api/v1/account')).status).to.equal(200)
      await own.advance(dayMs + hourMs)
      expect((await own.call<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal('invalid_api_key')
      expect((await client(door.http, account.apiKey)('GET', '/api/v1/account')).status).to.equal(200)
      const again = await keyOf(account.account.id)
      expect(again.accountId).not.to.equal(own.accountId)
      expect(again.domain).to.equal('newcomer-2.test.agents.localhost')
    })

    it('expires keys, and events after 30 days', async () => {
      const own = await sandbox('expiry')
      await own.inbound({})
      await own.advance(secondMs)
      expect(await own.events('message.received')).to.have.length(1)
      const expiresAt = new Date(door.ctx.clock.now().getTime() + 20 * dayMs)
      const { apiKey } = await makeKey(door.ctx, { accountId: own.accountId, expiresAt })
      const second = client(door.http, apiKey)
      await own.advance(19 * dayMs)
      expect((await second('GET', '/api/v1/account')).status).to.equal(200)
      await own.advance(12 * dayMs)
      expect((await second<ErrorBody>('GET', '/api/v1/account')).body.code).to.equal('api_key_expired')
      expect(await own.events('message.received')).to.have.length(0)
      await own.inbound({ text: 'again' })
      await own.advance(secondMs)
      expect(await own.events('message.received')).to.have.length(1)
    })

    it('a wait returns mail that arrives after it started, whatever the clock says', async () => {
      const own = await sandbox('waits')
      await own.inbound({ text: 'before' })
      await own.advance(100 * dayMs)
      const wait = own.call<{ message: { snippet: string } | null }>('GET', `${mailboxPath(own.inbox)}/wait?timeout=20`)
      await door.nextRequests()
      await own.inbound({ text: 'after' })
      expect((await wait).body.message?.snippet).to.equal('after')
    })

    it('runs a batch at the pace of the plan', async () => {
      const own = await sandbox('batch', { plan: null, agentsPlan: 'free' })
      const recipients = Array.from({ length: 20 }, (_, n) => ({
        email: n < 10 ? `delivered+${n}@simulator.invalid` : `bounced+${n}@simulator.invalid`,
      }))
      const path = `${mailboxPath(own.inbox)}/send-batch`
      const { body } = await own.call<{ id: string }>('POST', path, {
        subject: 'Hi',
        text: 'Hi',
        recipients,
        idempotencyKey: 'one',
      })
      await own.advance(5 * 60 * secondMs)
      const { body: status } = await own.call<{ recipients: { status: string }[] }>('GET', `${path}/${body.id}`)
      expect(status.recipients.map((each) => each.status)).to.deep.equal([
        ...Array<string>(10).fill('delivered'),
        ...Array<string>(10).fill('bounced'),
      ])
    })
  })
})
