import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import type { SMTPServerOptions } from 'smtp-server'
import { recordEvents } from '../../core/notify/events.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { sweepArrivals, sweepMailboxes } from '../../core/upkeep/sweep.ts'
import { type EventType, eventKinds } from '../../schemas/events.ts'
import { newId } from '../../schemas/ids.ts'
import type { Schema } from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { createRandom } from '../crash/random.ts'
import { eventually } from '../eventually.ts'
import { inheritedNames } from '../inherited-names.ts'
import { startCutProxy } from '../peers/cut-proxy.ts'
import { openStream } from '../peers/event-stream.ts'
import { type SmtpSink, startSmtpSink, startWebhookReceiver, type WebhookReceiver } from '../peers/receivers.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

type Call = ReturnType<typeof client>
type Envelope = { id: string; type: string; created_at: string; cursor: string; data: Json & { to?: unknown } }
type Events = { events: Envelope[]; next: string | null }
type Page = Events & { cursor: string }

/** A mail server that accepts mail, except for `gone@`, which it refuses permanently. */
const remote: SMTPServerOptions = {
  onRcptTo({ address }, _session, done) {
    if (!address.startsWith('gone')) return done()
    done(Object.assign(new Error('5.1.1 Nobody of that name'), { responseCode: 550 }))
  },
}

describe('webhooks and events', () => {
  let service: Service
  let sink: SmtpSink
  let all: WebhookReceiver
  let narrow: WebhookReceiver
  let failing: WebhookReceiver
  let ctx: Context
  let one: Tenant
  let two: Tenant
  let call: Call

  before(async () => {
    sink = await startSmtpSink(remote)
    all = await startWebhookReceiver()
    narrow = await startWebhookReceiver()
    failing = await startWebhookReceiver((count) => (count === 1 ? 500 : 200))
    service = await startService({
      env: {
        MAILROOM_OUTBOUND_ROUTES: `{"*": "127.0.0.1:${sink.port}"}`,
        MAILROOM_WEBHOOKS_ALLOW_PRIVATE: 'true',
        MAILROOM_OUTBOUND_MESSAGE_SENT_DELAY_SECONDS: '1',
      },
    })
    ctx = await contextOf(service)
    one = await makeTenant({ ctx, http: service.http }, { name: 'one' })
    two = await makeTenant({ ctx, http: service.http }, { name: 'two' })
    call = client(service.http, one.key)
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
    await service?.dispose()
    await Promise.all([all, narrow, failing, sink].map((each) => each?.close()))
  })

  const envelopes = ({ requests }: WebhookReceiver) => requests.map(({ body }) => JSON.parse(body) as Envelope)
  const hooked = (receiver: WebhookReceiver, wanted: (envelope: Envelope) => boolean) =>
    eventually('the webhook', async () => envelopes(receiver).find(wanted))
  const send = (to: string) =>
    call<{ id: string }>('POST', `${mailboxPath(one.address)}/send`, { to, subject: 's', text: 'x' })

  const secrets = new Map<WebhookReceiver, string>()
  let failingId = ''
  it('endpoints may be narrowed to a mailbox', async () => {
    const everything = [
      'message.received',
      'mailbox.created',
      'mailbox.deleted',
      'email.bounced',
      'email.delivered',
      'email.complained',
    ]
    const wanted = [
      { receiver: all, body: { events: everything } },
      { receiver: narrow, body: { events: everything, scope: { mailboxes: ['Second@one.example'] } } },
      { receiver: failing, body: { events: ['message.received'], scope: { domains: ['one.example'] } } },
    ]
    for (const { receiver, body } of wanted) {
      const answer = await call<{ id: string; secret: string }>('POST', '/api/v1/webhooks', {
        url: receiver.url,
        ...body,
      })
      expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
      if (receiver === failing) failingId = answer.body.id
      secrets.set(receiver, answer.body.secret)
    }
    const { body } = await call('GET', '/api/v1/webhooks')
    expect(JSON.stringify(body)).to.not.contain('whsec_')
  })

  it('mailboxes are announced with their record when they are created and deleted', async () => {
    const made = await call<Json>('POST', '/api/v1/mailboxes', { address: 'second@one.example', displayName: 'Second' })
    const { success: _, ...record } = made.body
    const created = await hooked(all, ({ type }) => type === 'mailbox.created')
    expect(created.data).to.deep.equal(record)
    const third = await call('POST', '/api/v1/mailboxes', { address: 'third@one.example' })
    expect(third.status).to.equal(201)
    await call('DELETE', mailboxPath('third@one.example'))
    const deleted = await hooked(all, ({ type }) => type === 'mailbox.deleted')
    expect(deleted.data).to.include({ address: 'third@one.example', domain: 'one.example' })
  })

  it('a failed attempt is repeated after 5 seconds, with the same event and a new signature', async () => {
    const raw = Buffer.from('From: carol@remote.test\r\nSubject: Caf=C3=A9 "quoted" \\ é\r\n\r\nHi\r\n')
    await sendMail(service.smtp, { from: 'carol@remote.test', to: 'second@one.example', raw })
    const plannedMs = await eventually('the next attempt is planned', async () => {
      const { attempts, lease, nextAt } = (await ctx.store.deliveries.findOne({ webhookId: failingId })) ?? {}
      return attempts?.length === 1 && lease === null && nextAt && nextAt.getTime() - attempts[0]!.at.getTime()
    })
    expect(plannedMs).to.be.within(3_900, 8_500)
    await eventually('two attempts', async () => failing.requests.length >= 2)
    const [first, second] = failing.requests
    expect(second!.at - first!.at).to.be.at.least(3_900)
    expect(second!.body).to.equal(first!.body)
    const secret = secrets.get(failing) ?? ''
    for (const { headers, body } of [first!, second!]) {
      const [, t = '', v1 = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['x-service-signature'])) ?? []
      expect(v1).to.equal(createHmac('sha256', secret).update(`${t}.${body}`).digest('hex'))
      expect(createHmac('sha256', secret).update(`${t}.${body} `).digest('hex')).to.not.equal(v1)
      expect(headers['webhook-id']).to.equal((JSON.parse(body) as Envelope).id)
      expect(headers['content-type']).to.equal('application/json')
    }
    expect(second!.headers['x-service-signature']).to.not.equal(first!.headers['x-service-signature'])
    const event = await call<Events>('GET', '/api/v1/events?type=message.received')
    expect(event.body.events.map(({ id }) => id)).to.deep.equal([(JSON.parse(first!.body) as Envelope).id])
  })

  it('a remote 550 is reported as email.bounced, with the remote reply', async () => {
    const { body, status } = await send('gone@remote.test')
    expect(status).to.equal(202)
    const event = await hooked(all, ({ type }) => type === 'email.bounced')
    expect(event.data).to.include({ email_id: body.id, from: one.address, subject: 's', mailbox: one.address })
    expect(event.data.to).to.deep.equal(['gone@remote.test'])
    const bounce = event.data.bounce as { type: string; reason: string }
    expect(bounce.type).to.equal('permanent')
    expect(bounce.reason).to.contain('550').and.to.contain('Nobody of that name')
  })

  it('simulated recipients play their part, each with its event', async () => {
    const inherited = inheritedNames.map((name) => name.toLowerCase())
    const names = ['delivered', 'delivered+tag', 'bounced', 'complained', 'softbounced', 'nobody', ...inherited]
    const addresses = names.map((name) => `${name}@simulator.invalid`)
    const answer = await call('POST', `${mailboxPath(one.address)}/send`, { to: addresses, subject: 'play', text: 'x' })
    expect(answer.status).to.equal(202)
    const played = async () =>
      (await call<Events>('GET', '/api/v1/events')).body.events
        .filter(({ type, data }) => type.startsWith('email.') && data.subject === 'play')
        .map(({ type, data }) => `${(data.to as string[])[0]?.split('@')[0]} ${type.slice(6)}`)
        .sort()
    const wanted = [
      'bounced bounced',
      'complained complained',
      'complained delivered',
      'delivered delivered',
      'delivered+tag delivered',
      ...['nobody', ...inherited].map((name) => `${name} bounced`),
    ].sort()
    await eventually('all outcomes', async () => (await played()).length >= wanted.length)
    expect(await played()).to.deep.equal(wanted)
    const complaint = await hooked(all, ({ type }) => type === 'email.complained')
    expect(complaint.data.complaint).to.have.all.keys('type', 'at')
    expect(sink.mails.flatMap(({ to }) => to)).to.not.include.members(addresses)
  })

  it('mail between accounts of this service stays here and arrives whole', async () => {
    const before = sink.mails.length
    const { body } = await send(`Two <${two.address}>`)
    const theirs = client(service.http, two.key)
    const got = await eventually('the mail', async () => {
      const listed = await theirs<{ messages: Json[] }>('GET', `${mailboxPath(two.address)}/messages`)
      return listed.body.messages[0]
    })
    expect(got).to.deep.include({ subject: 's', from: { name: 'Agent', address: one.address }, seen: false })
    const event = await hooked(all, ({ type, data }) => type === 'email.delivered' && data.email_id === body.id)
    expect(event.data.to).to.deep.equal([two.address])
    expect(event.data.delivery).to.have.all.keys('at', 'mx', 'response', 'tls')
    const reply = await theirs('POST', `${mailboxPath(two.address)}/messages/${got.message_id}/reply`, { text: 'Yes' })
    expect(reply.status).to.equal(202)
    const answered = await hooked(all, ({ type, data }) => type === 'message.received' && data.subject === 'Re: s')
    const copies = await call<{ messages: Json[] }>('GET', `${mailboxPath(one.address)}/messages?folder=sent&subject=s`)
    expect(copies.body.messages.map(({ thread_id }) => thread_id)).to.include(answered.data.thread_id)
    const unknown = await send(`nobody@two.example`)
    const bounced = await hooked(all, ({ data }) => data.email_id === unknown.body.id)
    expect(bounced.type).to.equal('email.bounced')
    expect(sink.mails).to.have.length(before)
  })

  it('a narrowed endpoint receives only events of its mailbox', async () => {
    await eventually('both events have arrived', async () => envelopes(narrow).length >= 2)
    expect(envelopes(narrow).map(({ type, data }) => [type, data.mailbox ?? data.address])).to.deep.equal([
      ['mailbox.created', 'second@one.example'],
      ['message.received', 'second@one.example'],
    ])
  })

  it('the list of events can be paged both ways, whatever the page size', async () => {
    const whole = (await call<Events>('GET', '/api/v1/events?limit=200')).body.events
    expect(whole.length).to.be.greaterThan(8)
    for (const { type, data } of whole)
      expect(
        isValid<unknown>(eventKinds[type as EventType].data as Schema, data),
        `${type}: ${JSON.stringify(data)}`,
      ).to.equal(true)
    const ids = whole.map(({ id }) => id)
    expect(new Set(ids).size).to.equal(ids.length)
    for (const limit of [1, 3, whole.length]) {
      const back: string[] = []
      for (let before = ''; ; ) {
        const { body } = await call<Events>('GET', `/api/v1/events?limit=${limit}${before}`)
        back.push(...body.events.map(({ id }) => id))
        if (body.next === null) break
        before = `&before=${body.next}`
      }
      expect(back.slice(-ids.length), `back by ${limit}`).to.deep.equal(ids)
    }
    const oldest = whole.at(-1)!
    const forward = [oldest.id]
    for (let after = oldest.cursor; ; ) {
      const { body } = await call<Events>('GET', `/api/v1/events?limit=3&after=${after}`)
      forward.push(...body.events.map(({ id }) => id))
      if (body.next === null) break
      after = body.next
    }
    expect(forward.slice(0, ids.length)).to.deep.equal([...ids].reverse())
    const heard = envelopes(all).find(({ type }) => type === 'email.bounced')!
    const after = await call<Events>('GET', `/api/v1/events?after=${heard.cursor}&limit=200`)
    // Other events may have arrived meanwhile.
    const known = after.body.events.map(({ id }) => id).filter((id) => ids.includes(id))
    expect(known).to.deep.equal(ids.slice(0, ids.indexOf(heard.id)).reverse())
  })

  it('a sweep announces no event a second time', async () => {
    const list = async () => (await call<Events>('GET', '/api/v1/events?limit=200')).body.events
    // A change that this sweep has to consider, however far the service's own sweep has got.
    await call('POST', '/api/v1/mailboxes', { address: 'newest@one.example' })
    await hooked(all, ({ type, data }) => type === 'mailbox.created' && data.address === 'newest@one.example')
    const before = await list()
    const soon = await contextOf(service, { now: () => new Date(Date.now() + 60_000) })
    try {
      expect(await sweepMailboxes(soon)).to.be.greaterThan(0)
      await sweepArrivals(soon)
    } finally {
      await closeContext(soon)
    }
    // Events that the service had not announced yet may be new; no event may appear a second time.
    const now = await list()
    expect(now.map(({ id }) => id)).to.include.members(before.map(({ id }) => id))
    const subjects = now.map(({ type, data }) =>
      JSON.stringify([type, data.email_id ?? data.message_id ?? data.address, data.to]),
    )
    expect(new Set(subjects).size).to.equal(subjects.length)
    for (const receiver of [all, narrow]) {
      const ids = envelopes(receiver).map(({ id }) => id)
      expect(new Set(ids).size).to.equal(ids.length)
    }
  })

  it('a deleted endpoint receives nothing more', async () => {
    const { body } = await call<{ webhooks: { id: string }[] }>('GET', '/api/v1/webhooks')
    for (const { id } of body.webhooks) expect((await call('DELETE', `/api/v1/webhooks/${id}`)).status).to.equal(200)
    const before = all.requests.length
    // The endpoints of an event are notified at the same time, so this one shows when the deleted ones would have been.
    const last = await startWebhookReceiver()
    const made = await call('POST', '/api/v1/webhooks', { url: last.url, events: ['email.delivered'] })
    expect(made.status).to.equal(201)
    await send('delivered+late@simulator.invalid')
    await hooked(last, ({ data }) => String(data.to).startsWith('delivered+late'))
    expect(all.requests).to.have.length(before)
    await last.close()
  })

  it('a client on an unreliable connection, streaming or long-polling, gets every event of the list once and in order', async function () {
    const seed = Number(process.env.EVENTS_SEED ?? 15)
    this.test!.title += ` (EVENTS_SEED=${seed})`
    const random = createRandom(seed)
    const start = (await call<{ cursor: string }>('GET', '/api/v1/events')).body.cursor
    const proxy = await startCutProxy(service.http)
    let last: string | undefined
    /** Whether a reader has seen everything. */
    const isAll = (ids: readonly string[]) => last !== undefined && ids.includes(last)

    async function byStream(): Promise<string[]> {
      const ids: string[] = []
      for (let cursor = start; !isAll(ids); ) {
        const reader = await openStream(proxy.http, { key: one.key, headers: { 'last-event-id': cursor } }).catch(
          () => null,
        )
        for (let left = random.below(40); left > 0 && !isAll(ids); left--) {
          const event = (await reader?.next()) ?? null
          if (event === null) break
          ids.push((JSON.parse(event.data) as Envelope).id)
          cursor = event.id ?? cursor
        }
        reader?.hangUp()
      }
      return ids
    }

    async function byLongPoll(): Promise<string[]> {
      const ids: string[] = []
      for (let cursor = start; !isAll(ids); ) {
        const url = `${proxy.http}/api/v1/events?after=${cursor}&wait=${random.below(2)}&limit=${1 + random.below(30)}`
        const signal = AbortSignal.timeout(20 + random.below(400))
        const page = await fetch(url, { headers: { authorization: `Bearer ${one.key}` }, signal })
          .then(async (response) => (response.status === 200 ? ((await response.json()) as Page) : null))
          .catch(() => null)
        if (page === null) continue
        ids.push(...page.events.map(({ id }) => id))
        cursor = page.cursor
      }
      return ids
    }

    const following = Promise.all([byStream(), byStream(), byLongPoll()])
    proxy.cutBehind(() => 300 + random.below(30_000))
    // Two processes write events, so that their sequence numbers interleave; mail arrives by SMTP meanwhile.
    const happen = (n: number) => ({
      _id: newId('evt', new Date()),
      accountId: one.accountId,
      type: n % 3 === 0 ? 'message.sent' : 'message.received',
      createdAt: new Date(),
      mailbox: one.address,
      mailboxId: one.mailboxId,
      domain: 'one.example',
      data: { n, from: null },
    })
    const mails = Array.from({ length: 5 }, (_, n) =>
      sendMail(service.smtp, {
        from: 'carol@remote.test',
        to: one.address,
        raw: Buffer.from(`Subject: ${n}\r\n\r\nHi\r\n`),
      }),
    )
    for (let n = 0; n < 30; n++) {
      await recordEvents(
        ctx,
        Array.from({ length: 1 + random.below(8) }, () => happen(n)),
      )
      if (random.below(8) === 0) proxy.cut()
    }
    await Promise.all(mails)
    await eventually('the mails', async () => {
      const { body } = await call<Events>('GET', `/api/v1/events?after=${start}&limit=200&type=message.received`)
      return body.events.filter(({ data }) => data.snippet === 'Hi').length === mails.length
    })
    const marker = happen(-1)
    await recordEvents(ctx, [marker])
    last = marker._id
    // From here on the connection is no longer cut, so that the readers can read the marker.
    proxy.cutBehind(null)
    const consumed = await following
    const log: string[] = []
    for (let after: string | null = start; after !== null; ) {
      const { body }: { body: Page } = await call<Page>('GET', `/api/v1/events?after=${after}&limit=50`)
      log.push(...body.events.map(({ id }) => id))
      after = body.next
    }
    const upToMarker = log.slice(0, log.indexOf(last) + 1)
    expect(upToMarker.length).to.be.greaterThan(100)
    for (const ids of consumed) expect(ids.slice(0, ids.indexOf(last) + 1)).to.deep.equal(upToMarker)
    await proxy.close()
  })
})
