import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { Webhook as StandardWebhook } from 'standardwebhooks'
import { revokeKey } from '../../core/access/keys.ts'
import { publicLookup } from '../../core/access/public-address.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { raiseLimit } from '../../core/account/plans.ts'
import { answersPolicy, createResolver } from '../../core/dns/resolver.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { endAttempts } from '../../core/notify/attempts.ts'
import { planDeliveries } from '../../core/notify/deliveries.ts'
import { attemptDueDeliveries } from '../../core/notify/due-deliveries.ts'
import { sampleOf } from '../../core/notify/samples.ts'
import { postWebhook } from '../../core/notify/webhook-post.ts'
import { eraseOldSecrets } from '../../core/notify/webhooks.ts'
import { tellOfEndpoints } from '../../core/people/endpoint-notices.ts'
import type { Context } from '../../core/process/context.ts'
import { createKept } from '../../core/process/kept.ts'
import { announceArrivals } from '../../core/receive/announce.ts'
import { settleDue } from '../../core/send/settle.ts'
import { sweepArrivals } from '../../core/upkeep/sweep.ts'
import { accountEventTypes, eventKinds } from '../../schemas/events.ts'
import { newId } from '../../schemas/ids.ts'
import type { Schema } from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { duesOf } from '../../store/deliveries.ts'
import { createEventAppend } from '../../store/events.ts'
import { writeAll } from '../../store/writes.ts'
import { toldOf } from '../documents.ts'
import { eventually } from '../eventually.ts'
import {
  type Answer,
  type Certificate,
  certificateOf,
  type HttpsReceiver,
  startHttpsReceiver,
  startTlsReceiver,
  trust,
} from '../peers/https-receivers.ts'
import { type NameServer, startNameServer, type Zone } from '../peers/name-server.ts'
import { startWebhookReceiver } from '../peers/receivers.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../start/door.ts'

const secondMs = 1_000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

type Attempt = {
  at: string
  url: string
  headers: Record<string, string>
  status: number | null
  responseHeaders: Record<string, string>
  response: string | null
  error: string | null
  durationMs: number
}
type Delivery = {
  id: string
  webhookId: string
  eventId: string
  type: string
  origin: string
  state: string
  nextAttemptAt: string | null
  body: string
  attempts: Attempt[]
}
type Log = { deliveries: Delivery[]; next: string | null }
type Hook = { id: string; secret: string; enabled: boolean; failingSince: string | null; turnedOff: Json | null }
type Envelope = { id: string; type: string; test?: boolean; data: Json }

const subjectsOf = (bodies: readonly string[]) => bodies.map((body) => (JSON.parse(body) as Envelope).data.subject)

describe('api: webhooks', () => {
  let door: Door
  let certificate: Certificate
  let endTrust: () => void
  const open: { close(): Promise<void> }[] = []
  let accounts = 0

  before(async () => {
    door = await openDoor()
    // The receivers of these tests run on this machine; the timeout is short for those that never answer.
    Object.assign(door.ctx.settings.webhooks, { allowPrivate: true, timeoutMs: 5_000 })
    certificate = await certificateOf()
    endTrust = trust([certificate])
  })
  after(async () => {
    await Promise.all(open.map((each) => each.close()))
    endTrust?.()
    await door?.close()
  })

  const opened = async <T extends { close(): Promise<void> }>(starting: Promise<T>): Promise<T> => {
    const started = await starting
    open.push(started)
    return started
  }
  const receiver = (answer?: Answer) => opened(startHttpsReceiver(certificate, answer))

  /** The context of another process, which can reach the receivers too. */
  async function anotherDoor() {
    const another = await door.another()
    Object.assign(another.ctx.settings.webhooks, door.ctx.settings.webhooks)
    return another
  }

  /** A fresh account with endpoints, and calls about them. */
  async function owner() {
    const tenant = await makeTenant(door, { name: `hooks${++accounts}` })
    await raiseLimit(door.ctx, tenant.accountId, { figure: 'webhookEndpoints', to: 50 })
    const call = client(door.http, tenant.key)
    return { tenant, call, ...asking(call), mail: (text = 'Hi') => mail(tenant, text) }
  }

  function asking(call: Call) {
    return {
      async hook(url: string, more: Json = {}): Promise<Hook> {
        const { body, status } = await call<Hook>('POST', '/api/v1/webhooks', {
          url,
          events: ['message.received'],
          ...more,
        })
        expect(status, JSON.stringify(body)).to.equal(201)
        return body
      },
      read: async (id: string) => (await call<Hook>('GET', `/api/v1/webhooks/${id}`)).body,
      log: async (id: string, query = '') =>
        (await call<Log>('GET', `/api/v1/webhooks/${id}/deliveries${query}`)).body.deliveries,
      /** The newest delivery, once it has `count` attempts. */
      async attempted(id: string, attempts = 1): Promise<Delivery> {
        await eventually(`${attempts} attempts`, async () => {
          const newest = door.ctx.store.deliveries.find({ webhookId: id }).sort({ webhookId: -1, _id: -1 }).limit(1)
          return ((await newest.next())?.attempts.length ?? 0) >= attempts
        })
        return (await call<Log>('GET', `/api/v1/webhooks/${id}/deliveries?limit=1`)).body.deliveries[0]!
      },
    }
  }

  async function mail(tenant: Tenant, text: string): Promise<void> {
    const id = await deliver(door.ctx, {
      to: tenant.address,
      raw: `From: ada@remote.example\r\nSubject: ${text}\r\n\r\n${text}\r\n`,
    })
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
  }

  describe('what receivers answer', () => {
    type Case = {
      readonly name: string
      readonly answer?: Answer
      readonly start?: () => Promise<{ readonly url: string; close(): Promise<void> }>
      readonly state: string
      readonly status: number | null
      readonly error: RegExp | null
      readonly response?: string | number
      /** The pause until the next attempt, in seconds. */
      readonly pause?: readonly [number, number]
    }
    const usual = [4, 6] as const
    const redirected: string[] = []
    const status =
      (code: number, headers: Record<string, string> = {}): Answer =>
      (response) =>
        void response.writeHead(code, headers).end(`answered ${code}`)
    const cases: readonly Case[] = [
      { name: '200', answer: status(200), state: 'delivered', status: 200, error: null, response: 'answered 200' },
      {
        name: '204',
        answer: (response) => void response.writeHead(204).end(),
        state: 'delivered',
        status: 204,
        error: null,
        response: '',
      },
      { name: '299', answer: status(299), state: 'delivered', status: 299, error: null },
      {
        name: '200 after a while',
        answer: (response) => void setTimeout(() => response.end('late'), 300),
        state: 'delivered',
        status: 200,
        error: null,
        response: 'late',
      },
      {
        name: '301',
        answer: (response) => void response.writeHead(301, { location: redirected[0] }).end(),
        state: 'waiting',
        status: 301,
        error: /redirects to https:.*not followed/,
        pause: usual,
      },
      {
        name: '307',
        answer: (response) => void response.writeHead(307, { location: redirected[0] }).end(),
        state: 'waiting',
        status: 307,
        error: /not followed/,
        pause: usual,
      },
      {
        name: '304',
        answer: (response) => void response.writeHead(304).end(),
        state: 'waiting',
        status: 304,
        error: /not followed/,
        pause: usual,
      },
      {
        name: '400',
        answer: status(400),
        state: 'waiting',
        status: 400,
        error: null,
        response: 'answered 400',
        pause: usual,
      },
      { name: '401', answer: status(401), state: 'waiting', status: 401, error: null, pause: usual },
      { name: '404', answer: status(404), state: 'waiting', status: 404, error: null, pause: usual },
      { name: '410', answer: status(410), state: 'waiting', status: 410, error: null, pause: usual },
      { name: '429', answer: status(429), state: 'waiting', status: 429, error: null, pause: usual },
      {
        name: '429 and Retry-After in seconds',
        answer: status(429, { 'retry-after': '120' }),
        state: 'waiting',
        status: 429,
        error: null,
        pause: [119, 121],
      },
      {
        name: '429 and Retry-After of less than the pause',
        answer: status(429, { 'retry-after': '1' }),
        state: 'waiting',
        status: 429,
        error: null,
        pause: usual,
      },
      {
        name: '429 and Retry-After of a day',
        answer: status(429, { 'retry-after': '86400' }),
        state: 'waiting',
        status: 429,
        error: null,
        pause: [3_599, 3_601],
      },
      {
        name: '503 and Retry-After as a date',
        answer: (response) =>
          status(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() })(response, response.req, 1),
        state: 'waiting',
        status: 503,
        error: null,
        pause: [595, 601],
      },
      {
        name: '503 and Retry-After that is none',
        answer: status(503, { 'retry-after': 'soon' }),
        state: 'waiting',
        status: 503,
        error: null,
        pause: usual,
      },
      {
        name: '500',
        answer: status(500),
        state: 'waiting',
        status: 500,
        error: null,
        response: 'answered 500',
        pause: usual,
      },
      {
        name: 'nothing',
        answer: () => undefined,
        state: 'waiting',
        status: null,
        error: /did not answer within 5 seconds/,
        pause: usual,
      },
      {
        name: '200, and then a body that never ends',
        answer: (response) => void response.writeHead(200).write('begun'),
        state: 'delivered',
        status: 200,
        error: /cut off: .*within 5 seconds/,
        response: 'begun',
      },
      {
        name: '500, and then a body that is cut',
        answer: (response) => {
          response.writeHead(500, { 'content-length': '100' }).write('half')
          setTimeout(() => response.socket?.destroy(), 50)
        },
        state: 'waiting',
        status: 500,
        error: /cut off/,
        response: 'half',
        pause: usual,
      },
      {
        name: 'the end of the connection',
        answer: (response) => void response.socket?.destroy(),
        state: 'waiting',
        status: null,
        error: /closed the connection before it answered/,
        pause: usual,
      },
      {
        name: 'half a header',
        start: () => startTlsReceiver(certificate, (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Le')),
        state: 'waiting',
        status: null,
        error: /closed the connection|not HTTP/,
        pause: usual,
      },
      {
        name: 'what is not HTTP',
        start: () => startTlsReceiver(certificate, (socket) => void socket.end('220 mail.example ESMTP\r\n')),
        state: 'waiting',
        status: null,
        error: /not HTTP/,
        pause: usual,
      },
      {
        name: 'a header without end',
        start: () =>
          startTlsReceiver(certificate, (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX: ${'x'.repeat(100_000)}`)),
        state: 'waiting',
        status: null,
        error: /header of the answer is too long/,
        pause: usual,
      },
      {
        name: 'a body without end',
        answer: (response) => {
          const more = () => {
            if (!response.destroyed) {
              response.write('x'.repeat(65_536))
              setImmediate(more)
            }
          }
          more()
        },
        state: 'delivered',
        status: 200,
        error: null,
        response: 4_096,
      },
      {
        name: 'a certificate that nobody trusts',
        start: async () => startHttpsReceiver(await certificateOf()),
        state: 'waiting',
        status: null,
        error: /certificate is self-signed/,
        pause: usual,
      },
      {
        name: 'a certificate of another host',
        start: async () => startHttpsReceiver(others.named!),
        state: 'waiting',
        status: null,
        error: /certificate is for another host name/,
        pause: usual,
      },
      {
        name: 'a certificate of the past',
        start: async () => startHttpsReceiver(others.expired!),
        state: 'waiting',
        status: null,
        error: /certificate has expired/,
        pause: usual,
      },
      {
        name: 'no TLS',
        start: async () => {
          const plain = await startWebhookReceiver()
          return { ...plain, url: plain.url.replace('http:', 'https:') }
        },
        state: 'waiting',
        status: null,
        error: /No TLS connection/,
        pause: usual,
      },
      {
        name: 'nobody',
        start: async () => {
          const gone = await startHttpsReceiver(certificate)
          await gone.close()
          return { ...gone, close: async () => undefined }
        },
        state: 'waiting',
        status: null,
        error: /connection was refused/,
        pause: usual,
      },
    ]
    const others: { named?: Certificate; expired?: Certificate } = {}
    const hooks = new Map<Case, Hook>()
    let asked: Awaited<ReturnType<typeof owner>>
    let elsewhere: HttpsReceiver

    before(async () => {
      others.named = await certificateOf({ names: [{ type: 2, value: 'other.example' }] })
      others.expired = await certificateOf({ expired: true })
      const end = trust(Object.values(others))
      open.push({ close: async () => end() })
      elsewhere = await receiver()
      redirected.push(elsewhere.url)
      asked = await owner()
      for (const each of cases) {
        const { url } = each.start === undefined ? await receiver(each.answer) : await opened(each.start())
        hooks.set(each, await asked.hook(url))
      }
      await asked.mail()
    })

    for (const each of cases)
      it(`${each.name}: ${each.state}`, async () => {
        const delivery = await asked.attempted(hooks.get(each)!.id)
        const [attempt] = delivery.attempts
        expect(attempt).to.include({ status: each.status })
        expect(delivery.state).to.equal(each.state)
        if (each.error === null) expect(attempt!.error).to.equal(null)
        else expect(attempt!.error).to.match(each.error)
        if (typeof each.response === 'number') expect(attempt!.response).to.have.length(each.response)
        else if (each.response !== undefined) expect(attempt!.response).to.equal(each.response)
        if (each.pause === undefined) expect(delivery.nextAttemptAt).to.equal(null)
        else {
          // Compared with the end of the attempt, which is its logged start plus its duration.
          const endedAt = Date.parse(attempt!.at) + attempt!.durationMs
          expect((Date.parse(delivery.nextAttemptAt!) - endedAt) / secondMs).to.be.within(...each.pause)
        }
        expect((await asked.read(delivery.webhookId)).failingSince === null).to.equal(each.state === 'delivered')
      })

    it('a redirect is not followed', () => expect(elsewhere.connections).to.equal(0))

    it('a kept connection that closes before the answer begins: the same again on another one, within one attempt', async () => {
      const closing = await receiver((response, _, nth) => {
        if ([2, 4, 5].includes(nth)) response.socket?.destroy()
        else response.end('ok')
      })
      const { id } = await asked.hook(closing.url)
      await asked.mail('first')
      await asked.attempted(id)
      await asked.mail('second')
      await eventually('both', async () => (await asked.log(id, '?state=delivered')).length === 2)
      const attempts = (await asked.log(id)).flatMap((delivery) => delivery.attempts)
      expect(attempts.map(({ status: code, error }) => [code, error])).to.deep.equal(Array(2).fill([200, null]))
      expect(subjectsOf(closing.bodies)).to.deep.equal(['first', 'second', 'second'])
      expect(closing.headers[2]?.['webhook-id']).to.equal(closing.headers[1]?.['webhook-id'])
      await asked.mail('third')
      const { state } = await asked.attempted(id)
      expect(state).to.equal('waiting')
      expect(closing.bodies).to.have.length(5)
    })
  })

  describe('names that resolve to private addresses', () => {
    const names: readonly (readonly [string, Zone])[] = [
      ['by an IPv4 address', { 'A rebind.example': ['127.0.0.1'] }],
      ['by several', { 'A rebind.example': ['10.0.0.1', '169.254.169.254', '127.0.0.1'] }],
      ['by an IPv6 address', { 'AAAA rebind.example': ['::1'] }],
      ['by an IPv4-mapped address', { 'AAAA rebind.example': ['::ffff:127.0.0.1'] }],
      ['by NAT64', { 'AAAA rebind.example': ['64:ff9b::7f00:1'] }],
      ['by 6to4', { 'AAAA rebind.example': ['2002:7f00:1::1'] }],
      ['by an alias', { 'CNAME rebind.example': ['inside.example'], 'A inside.example': ['127.0.0.1'] }],
    ]
    let dns: NameServer
    let strict: Awaited<ReturnType<Door['another']>>
    let ctx: Context
    let inside: HttpsReceiver

    before(async () => {
      dns = await startNameServer({})
      dns.ttlSeconds = 0
      strict = await opened(door.another())
      ctx = { ...strict.ctx, resolver: createResolver([dns.address], createKept(door.ctx.clock, answersPolicy)) }
      inside = await receiver()
    })
    after(() => dns?.stop())

    const lookUp = () =>
      new Promise((resolve, reject) => {
        publicLookup(ctx.resolver, false)('rebind.example', { all: true }, (error, found) =>
          error === null ? resolve(found) : reject(error),
        )
      })

    for (const [name, zone] of names)
      it(`${name}, after a public one: refused when connecting`, async () => {
        dns.zone = { 'A rebind.example': ['9.9.9.9', '192.168.0.1'] }
        expect(await lookUp()).to.deep.equal([{ address: '9.9.9.9', family: 4 }])
        dns.zone = zone
        const url = `https://rebind.example:${new URL(inside.url).port}/hook`
        const answer = await postWebhook(ctx, { webhookId: 'whk_rebind', url, body: '{}', headers: {} })
        expect(answer.status).to.equal(null)
        expect(answer.error).to.match(/rebind\.example does not resolve to a public address/)
        expect(inside.connections).to.equal(0)
      })
  })

  describe('the log', () => {
    let asked: Awaited<ReturnType<typeof owner>>
    let good: HttpsReceiver
    let hook: Hook
    before(async () => {
      asked = await owner()
      good = await receiver(
        (response) => void response.writeHead(200, { 'x-request-id': 'r-1', 'set-cookie': 'a=b' }).end('thanks'),
      )
      hook = await asked.hook(good.url, { events: ['message.received', 'mailbox.created'] })
      await asked.mail('first')
      await asked.attempted(hook.id)
    })

    it('shows what was sent, to the byte, and what came back', async () => {
      const { body, attempts, ...delivery } = await asked.attempted(hook.id)
      expect(delivery).to.include({ webhookId: hook.id, type: 'message.received', origin: 'event', state: 'delivered' })
      expect(body).to.equal(good.bodies[0])
      const [attempt] = attempts
      const { connection: _, host: __, 'content-length': ___, ...sent } = good.headers[0]!
      expect(attempt!.headers).to.deep.equal(sent)
      expect(attempt!.url).to.equal(good.url)
      expect(attempt!.response).to.equal('thanks')
      expect(attempt!.responseHeaders).to.include({ 'x-request-id': 'r-1' }).and.not.have.property('set-cookie')
      const envelope = JSON.parse(body) as Envelope
      expect(delivery.eventId).to.equal(envelope.id)
      expect(sent['webhook-id']).to.equal(envelope.id)
      expect(() => new StandardWebhook(hook.secret).verify(body, sent as Record<string, string>)).to.not.throw()
    })

    it('has filters and pages', async () => {
      await asked.call('POST', '/api/v1/mailboxes', { address: `second@${asked.tenant.address.split('@')[1]}` })
      await eventually('both', async () => (await asked.log(hook.id, '?state=delivered')).length === 2)
      const all = await asked.log(hook.id)
      expect(all.map(({ type }) => type)).to.deep.equal(['mailbox.created', 'message.received'])
      for (const [query, count] of [
        ['?type=mailbox.created', 1],
        ['?type=email.bounced', 0],
        ['?state=failed', 0],
        ['?state=waiting', 0],
        ['?state=delivered', 2],
        [`?event=${all[1]!.eventId}`, 1],
        [`?event=${all[1]!.eventId}&type=mailbox.created`, 0],
        ['?limit=1', 1],
      ] as const)
        expect(await asked.log(hook.id, query), query).to.have.length(count)
      const { body } = await asked.call<Log>('GET', `/api/v1/webhooks/${hook.id}/deliveries?limit=1`)
      expect((await asked.log(hook.id, `?limit=1&before=${body.next}`)).map(({ id }) => id)).to.deep.equal([all[1]!.id])
      for (const query of ['?state=lost', '?type=message.lost', '?before=x', '?limit=0'])
        expect(
          (await asked.call<ErrorBody>('GET', `/api/v1/webhooks/${hook.id}/deliveries${query}`)).body.code,
        ).to.equal('validation_error')
    })

    it('is sorted by the latest attempt, also of an old delivery', async () => {
      const own = await owner()
      const { id } = await own.hook(good.url, { events: ['mailbox.created', 'mailbox.deleted'] })
      const [first, second] = ['first', 'second'].map((name) => `${name}@${own.tenant.address.split('@')[1]}`)
      for (const [method, path, body] of [
        ['POST', '/api/v1/mailboxes', { address: first }],
        ['POST', '/api/v1/mailboxes', { address: second }],
        ['DELETE', `/api/v1/mailboxes/${first}`, undefined],
      ] as const) {
        door.advance(secondMs)
        expect((await own.call(method, path, body)).status).to.be.oneOf([200, 201])
      }
      const all = await eventually('three deliveries', async () => {
        const log = await own.log(id)
        return log.length === 3 ? log : null
      })
      expect(
        all.map(({ body }) => JSON.parse(body) as Envelope).map(({ type, data }) => `${type} ${data.address}`),
      ).to.deep.equal([`mailbox.deleted ${first}`, `mailbox.created ${second}`, `mailbox.created ${first}`])
    })

    it('counts attempts by hour and day, without those of tests', async () => {
      type Counts = { attempts: { from: string; delivered: number; failed: number; averageMs: number | null }[] }
      const own = await owner()
      const bad = await receiver((response) => void response.writeHead(500).end())
      const [taking, failing] = [
        await own.hook(good.url, { events: ['mailbox.created'] }),
        await own.hook(bad.url, { events: ['mailbox.created'] }),
      ]
      const tested = await own.call<Delivery>('POST', `/api/v1/webhooks/${failing.id}/test`, {
        type: 'mailbox.created',
      })
      const again = await own.call<Delivery>('POST', `/api/v1/deliveries/${tested.body.id}/resend`)
      expect(again.body).to.include({ origin: 'test', body: tested.body.body })
      await eventually('the test and its resend', async () =>
        (await own.log(failing.id)).every(({ attempts }) => attempts.length > 0),
      )
      const { body: untold } = await own.call<Hook>('GET', `/api/v1/webhooks/${failing.id}`)
      expect(untold.failingSince).to.equal(null)
      await own.call('POST', '/api/v1/mailboxes', { address: `counted@${own.tenant.address.split('@')[1]}` })
      for (const { id } of [taking, failing])
        await eventually('an attempt', async () =>
          (await own.log(id)).some(({ origin, attempts }) => origin === 'event' && attempts.length > 0),
        )
      const countsOf = async ({ id }: Hook, by: string) =>
        (await own.call<Counts>('GET', `/api/v1/webhooks/${id}/attempts?by=${by}`)).body.attempts
      for (const [by, count] of [
        ['hour', 48],
        ['day', 30],
      ] as const) {
        const attempts = await countsOf(failing, by)
        expect(attempts).to.have.length(count)
        expect(attempts.at(-1)).to.include({ delivered: 0, failed: 1 })
        expect(attempts[0]).to.include({ delivered: 0, failed: 0, averageMs: null })
      }
      expect((await countsOf(taking, 'day')).at(-1)).to.include({ delivered: 1, failed: 0 })
      const strange = await asked.call('GET', `/api/v1/webhooks/${taking.id}/attempts`)
      expect(strange.body.code).to.equal('not_found')
    })

    it('is shown to nobody else', async () => {
      const [newest] = await asked.log(hook.id)
      const stranger = await owner()
      const agent = await makeKey(door.ctx, {
        accountId: asked.tenant.accountId,
        kind: 'agent',
        scopes: ['mail:read'],
        mailboxIds: [asked.tenant.mailboxId],
      })
      const poor = await makeKey(door.ctx, { accountId: asked.tenant.accountId, scopes: ['mailboxes:read'] })
      for (const call of [stranger.call, client(door.http, agent.apiKey)])
        for (const [method, path] of [
          ['GET', `/api/v1/webhooks/${hook.id}/deliveries`],
          ['GET', `/api/v1/deliveries/${newest!.id}`],
          ['POST', `/api/v1/deliveries/${newest!.id}/resend`],
        ] as const)
          expect((await call<ErrorBody>(method, path, method === 'POST' ? {} : undefined)).body.code, path).to.equal(
            'not_found',
          )
      // A key that may not read messages sees no deliveries of message events.
      const seen = await asking(client(door.http, poor.apiKey)).log(hook.id)
      expect(seen.map(({ type }) => type)).to.deep.equal(['mailbox.created'])
    })

    it('is kept as long as the plan says', async () => {
      const docs = await door.ctx.store.deliveries.find({ webhookId: hook.id }).toArray()
      for (const { createdAt, expiresAt } of docs)
        expect(expiresAt.getTime() - createdAt.getTime()).to.equal(30 * dayMs)
    })
  })

  describe('samples and resends', () => {
    let asked: Awaited<ReturnType<typeof owner>>
    let good: HttpsReceiver
    let hook: Hook
    let answers = 200
    before(async () => {
      asked = await owner()
      good = await receiver((response) => void response.writeHead(answers).end())
      hook = await asked.hook(good.url)
    })
    const test = (type: string, id = hook.id) =>
      asked.call<Delivery & ErrorBody & { retryAfter?: number }>('POST', `/api/v1/webhooks/${id}/test`, { type })

    it('send a sample of every kind of event, marked as a test and not in the list of events', async () => {
      const before = good.bodies.length
      for (const type of accountEventTypes) {
        const { body, status } = await test(type)
        expect(status, JSON.stringify(body)).to.equal(202)
        const envelope = JSON.parse(body.body) as Envelope
        expect(envelope).to.include({ type, test: true })
        expect(isValid(eventKinds[type].data as Schema<unknown>, envelope.data), type).to.equal(true)
        expect(body).to.include({ origin: 'test', type, state: 'waiting' })
      }
      await eventually('all samples', () => good.bodies.length - before >= accountEventTypes.length)
      const { body } = await asked.call<{ events: { type: string }[] }>('GET', '/api/v1/events')
      expect(body.events.map(({ type }) => type)).to.deep.equal(['mailbox.created'])
    })

    it('send a sample of a domain event with the fields of a domain record', async () => {
      type Domain = { readonly records: readonly object[] }
      const { body } = await asked.call<{ domains: Domain[] }>('GET', '/api/v1/domains')
      const [own] = body.domains
      for (const type of ['domain.verified', 'domain.dns_broken', 'domain.expiring'])
        expect((sampleOf(type, new Date()).records as object[])[0], type).to.have.all.keys(own?.records[0] ?? {})
    })

    it('are limited to 20 in 10 minutes, counted together', async () => {
      for (let n = accountEventTypes.length; n < 20; n++) expect((await test('mailbox.created')).status).to.equal(202)
      const refused = await test('mailbox.created')
      expect(refused.body.code).to.equal('rate_limited')
      expect(refused.body.retryAfter).to.be.within(1, 600)
      expect(refused.headers.get('retry-after')).to.equal(String(refused.body.retryAfter))
      door.advance(10 * minuteMs)
      expect((await test('mailbox.created')).status).to.equal(202)
    })

    it('repeat a delivery: the same body with a new signature, in one attempt', async () => {
      await asked.mail('again')
      // The samples are among the delivered ones too.
      const first = await eventually('the delivery', async () =>
        (await asked.log(hook.id, '?type=message.received&state=delivered')).find(({ origin }) => origin === 'event'),
      )
      answers = 500
      const again = await asked.call<Delivery>('POST', `/api/v1/deliveries/${first.id}/resend`)
      expect(again.status).to.equal(202)
      expect(again.body).to.include({ origin: 'resend', eventId: first.eventId, body: first.body })
      const ended = await eventually('its attempt', async () => {
        const { body } = await asked.call<Delivery>('GET', `/api/v1/deliveries/${again.body.id}`)
        return body.attempts.length > 0 && body
      })
      expect(ended).to.include({ state: 'failed', nextAttemptAt: null })
      answers = 200
    })

    it('send once for a repeated request with one Idempotency-Key', async () => {
      const before = good.bodies.length
      const headers = { 'idempotency-key': 'once' }
      const path = `/api/v1/webhooks/${hook.id}/test`
      const ids = []
      for (let n = 0; n < 3; n++)
        ids.push((await asked.call<Delivery>('POST', path, { type: 'email.bounced' }, headers)).body.id)
      expect(new Set(ids).size).to.equal(1)
      await test('email.delivered')
      await eventually('both', () => good.bodies.length >= before + 2)
      expect(
        good.bodies
          .slice(before)
          .map((body) => (JSON.parse(body) as Envelope).type)
          .sort(),
      ).to.deep.equal(['email.bounced', 'email.delivered'])
    })

    it('resend the events of a period: 20 in 10 minutes, oldest first', async () => {
      door.advance(10 * minuteMs)
      const since = door.ctx.clock.now()
      for (let n = 0; n < 25; n++) await asked.mail(`backlog ${n}`)
      await eventually('all', async () => (await asked.log(hook.id, '?state=waiting')).length === 0)
      const before = good.bodies.length
      const redelivery = (more: Json = {}) =>
        asked.call<{ count: number } & ErrorBody>('POST', `/api/v1/webhooks/${hook.id}/redeliver`, {
          since: since.toISOString(),
          ...more,
        })
      expect((await redelivery({ types: ['email.bounced'] })).body.count).to.equal(0)
      expect((await redelivery({ until: since.toISOString() })).body.count).to.equal(0)
      const swapped = (await redelivery({ until: new Date(since.getTime() - secondMs).toISOString() })).body
      expect([swapped.code, swapped.param]).to.deep.equal(['validation_error', 'since'])
      const { status, body } = await redelivery()
      expect([status, body.count]).to.deep.equal([202, 25])
      await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      expect(good.bodies.length - before).to.equal(20)
      expect((await test('mailbox.created')).body.code).to.equal('rate_limited')
      door.advance(10 * minuteMs)
      await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      const subjects = good.bodies.slice(before).map((text) => String((JSON.parse(text) as Envelope).data.subject))
      expect(subjects.slice(0, 20).sort()).to.deep.equal(Array.from({ length: 20 }, (_, n) => `backlog ${n}`).sort())
      expect(subjects).to.have.length(25)
    })

    it('resend the events of a period one by one: none overtakes one that its receiver is slow to accept', async () => {
      const own = await owner()
      let isSlow = false
      const held: (() => void)[] = []
      const slow = await receiver((response) => {
        if (isSlow) held.push(() => response.end())
        else response.end()
        isSlow = false
      })
      const { id } = await own.hook(slow.url)
      const since = door.ctx.clock.now()
      for (let n = 0; n < 5; n++) await own.mail(`again ${n}`)
      await eventually('all', async () => (await own.log(id, '?state=delivered')).length === 5)
      const before = slow.bodies.length
      isSlow = true
      await own.call('POST', `/api/v1/webhooks/${id}/redeliver`, { since: since.toISOString() })
      const leaving = attemptDueDeliveries(door.ctx, own.tenant.accountId)
      await eventually('the first', () => held.length === 1)
      const [first] = subjectsOf(slow.bodies.slice(before))
      await own.mail('news')
      await eventually('the news', () => slow.bodies.length >= before + 2)
      expect(subjectsOf(slow.bodies.slice(before))).to.deep.equal([first, 'news'])
      for (const answer of held) answer()
      await leaving
      const again = subjectsOf(slow.bodies.slice(before)).filter((subject) => subject !== 'news')
      expect(again).to.have.members(Array.from({ length: 5 }, (_, n) => `again ${n}`))
      const recorded = await own.call<{ events: Envelope[] }>('GET', '/api/v1/events?type=message.received')
      const inOrder = recorded.body.events.toReversed().map(({ data }) => data.subject)
      expect(again).to.deep.equal(inOrder.filter((subject) => subject !== 'news'))
    })

    it('are refused for a disabled endpoint', async () => {
      await asked.call('PATCH', `/api/v1/webhooks/${hook.id}`, { enabled: false })
      const [some] = await asked.log(hook.id)
      for (const [path, body] of [
        [`/api/v1/webhooks/${hook.id}/test`, { type: 'mailbox.created' }],
        [`/api/v1/webhooks/${hook.id}/redeliver`, { since: new Date(0).toISOString() }],
        [`/api/v1/deliveries/${some!.id}/resend`, {}],
      ] as const)
        expect((await asked.call<ErrorBody>('POST', path, body)).body.code, path).to.equal('conflict')
    })
  })

  describe('a secret', () => {
    it('that is rotated still signs beside the new one for 24 hours, and is then erased', async () => {
      const asked = await owner()
      const good = await receiver()
      const hook = await asked.hook(good.url)
      const rotated = await asked.call<Hook & { previousSecretUntil: string }>(
        'POST',
        `/api/v1/webhooks/${hook.id}/rotate-secret`,
        {},
      )
      expect(rotated.status).to.equal(200)
      const { secret } = rotated.body
      expect(secret)
        .to.match(/^whsec_/)
        .and.not.equal(hook.secret)
      expect(JSON.stringify(await asked.read(hook.id))).to.not.contain('whsec_')
      const signatures = async () => {
        const before = good.bodies.length
        await asked.mail(`signed ${before}`)
        await eventually('it', () => good.bodies.length > before)
        const [headers, body] = [good.headers.at(-1)!, good.bodies.at(-1)!]
        const [t, ...made] = String(headers['x-service-signature']).split(',')
        const of = (key: string) =>
          `v1=${createHmac('sha256', key)
            .update(`${t!.slice(2)}.${body}`)
            .digest('hex')}`
        expect(String(headers['webhook-signature']).split(' ')).to.have.length(made.length)
        return made.map((each) => (each === of(secret) ? 'new' : each === of(hook.secret) ? 'old' : each))
      }
      expect(await signatures()).to.deep.equal(['old', 'new'])
      const stored = () => door.ctx.store.webhooks.findOne({ accountId: asked.tenant.accountId, _id: hook.id })
      await eraseOldSecrets(door.ctx)
      expect(await stored()).to.have.property('previousSecret')
      await door.ctx.store.webhooks.updateOne(
        { accountId: asked.tenant.accountId, _id: hook.id },
        { $set: { previousUntil: door.ctx.clock.now() } },
      )
      await asked.call('PATCH', `/api/v1/webhooks/${hook.id}`, { description: 'changed' })
      expect(await signatures()).to.deep.equal(['new'])
      await eraseOldSecrets(door.ctx)
      expect(await stored()).to.not.have.any.keys('previousSecret', 'previousUntil')
    })
  })

  describe('endpoints', () => {
    it('that recover after hours receive the events that they missed', async () => {
      const asked = await owner()
      let isUp = false
      const sick = await receiver((response) => void response.writeHead(isUp ? 200 : 503).end())
      const hook = await asked.hook(sick.url)
      await asked.mail('missed')
      await asked.attempted(hook.id)
      for (let n = 0; n < 6; n++) {
        door.advance(hourMs)
        await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      }
      isUp = true
      door.advance(3 * hourMs)
      await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      const delivery = await asked.attempted(hook.id, 5)
      expect(delivery.state).to.equal('delivered')
      expect(new Set(sick.bodies).size).to.equal(1)
      expect((await asked.read(hook.id)).failingSince).to.equal(null)
    })

    it('that fail are tried for 24 hours', async () => {
      const asked = await owner()
      const sick = await receiver((response) => void response.writeHead(503).end())
      const hook = await asked.hook(sick.url)
      const since = door.ctx.clock.now().getTime()
      for (let n = 0; n < 8; n++) await asked.mail(`all day ${n}`)
      await eventually('the first attempts', async () =>
        (await asked.log(hook.id)).every(({ attempts }) => attempts.length > 0),
      )
      for (let round = 0; round < 15; round++) {
        const due = (await asked.log(hook.id, '?state=waiting')).map((each) => Date.parse(each.nextAttemptAt!))
        if (due.length === 0) break
        // Always the longest pause, so that less than a whole pause remains for the last attempt.
        door.advance(Math.max(...due) - door.ctx.clock.now().getTime())
        await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      }
      const ended = await asked.log(hook.id)
      expect(ended.map(({ state, attempts }) => `${state} ${attempts.length}`)).to.deep.equal(
        ended.map(() => 'failed 11'),
      )
      for (const { attempts } of ended) expect((Date.parse(attempts.at(-1)!.at) - since) / hourMs).to.be.within(20, 24)
    })

    for (const [name, status, state] of [
      ['takes', 200, 'delivered'],
      ['refuses', 500, 'skipped'],
    ] as const)
      for (const [ended, end] of [
        ['turned off', (call: Call, id: string) => call('PATCH', `/api/v1/webhooks/${id}`, { enabled: false })],
        ['deleted', (call: Call, id: string) => call('DELETE', `/api/v1/webhooks/${id}`)],
      ] as const)
        it(`that are ${ended} during an attempt: the log has the attempt, which the endpoint ${name}`, async () => {
          const asked = await owner()
          const answer = Promise.withResolvers<void>()
          const slow = await receiver((response) => void answer.promise.then(() => response.writeHead(status).end()))
          const hook = await asked.hook(slow.url)
          await asked.mail('under way')
          await eventually('the attempt', () => slow.bodies.length === 1)
          const [{ id }] = (await asked.log(hook.id)) as [Delivery]
          expect((await end(asked.call, hook.id)).status).to.equal(200)
          answer.resolve()
          const delivery = await eventually('its end', async () => {
            const { body } = await asked.call<Delivery>('GET', `/api/v1/deliveries/${id}`)
            return body.attempts.length > 0 && body
          })
          expect(delivery).to.include({ state, nextAttemptAt: null })
          expect(delivery.attempts.map((each) => each.status)).to.deep.equal([status])
        })

    it('that do not answer do not delay others', async () => {
      const asked = await owner()
      const { webhooks } = door.ctx.settings
      const { timeoutMs } = webhooks
      Object.assign(webhooks, { timeoutMs: hourMs })
      const dead = await receiver(() => undefined)
      const good = await receiver()
      const silent = await asked.hook(dead.url)
      await asked.hook(good.url)
      for (let n = 0; n < 30; n++) await asked.mail(`flood ${n}`)
      await eventually('all of the other', () => good.bodies.length === 30)
      expect(dead.bodies).to.have.length(10)
      // Few connections for many deliveries.
      expect(good.connections).to.be.at.most(10)
      Object.assign(webhooks, { timeoutMs })
      await asked.call('DELETE', `/api/v1/webhooks/${silent.id}`)
      await dead.close()
    })

    it('are checked again if a delivery is stored after the check that its note caused', async () => {
      const { store } = door.ctx
      const asked = await owner()
      const good = await receiver()
      const hook = await asked.hook(good.url)
      await asked.mail('early')
      const { id } = await asked.attempted(hook.id)
      const early = await store.deliveries.findOne({ accountId: asked.tenant.accountId, _id: id })
      const nextAt = door.ctx.clock.now()
      const late = { ...early!, _id: `${id}late`, state: 'waiting', nextAt, attempts: [] } as const
      await writeAll(store, duesOf(store, [late]))
      await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      await store.deliveries.insertOne(late)
      door.advance(2 * minuteMs)
      expect(await attemptDueDeliveries(door.ctx, asked.tenant.accountId)).to.equal(1)
      expect(good.bodies).to.have.length(2)
      const due = async () => (await store.webhooks.findOne({ accountId: asked.tenant.accountId, _id: hook.id }))?.dueAt
      for (let looks = 0; looks < 3 && (await due()) !== undefined; looks++) {
        door.advance(2 * minuteMs)
        await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      }
      expect(await due(), 'nothing waits').to.equal(undefined)
    })

    it('receive an event even if a crash came between the event and its delivery', async () => {
      const { store } = door.ctx
      const asked = await owner()
      const { accountId, address } = asked.tenant
      const good = await receiver()
      const hook = await asked.hook(good.url, { events: ['message.sent'] })
      const send = { to: 'bo@remote.example', subject: 'Hi', text: 'Hi' }
      expect((await asked.call('POST', `${mailboxPath(address)}/send`, send)).status).to.equal(202)
      const settleSent = async () => {
        const handedOver = { sentAt: new Date(0), todoAt: new Date(0) }
        await store.emails.updateMany({ accountId }, { $set: handedOver })
        await settleDue(door.ctx, accountId)
      }
      await settleSent()
      const { id } = await asked.attempted(hook.id)
      // The state after the crash: the event exists, and the send is not settled.
      await store.deliveries.deleteOne({ accountId, _id: id })
      await settleSent()
      expect((await asked.attempted(hook.id)).id).to.equal(id)
      expect(new Set(good.bodies).size).to.equal(1)
    })

    it('with ordering receive the events of a mailbox one by one, each as soon as the previous one is done', async () => {
      const asked = await owner()
      let failures = 1
      const picky = await receiver((response) => void response.writeHead(failures-- > 0 ? 500 : 200).end())
      const hook = await asked.hook(picky.url, { ordering: 'mailbox' })
      await asked.mail('one')
      await asked.attempted(hook.id)
      await asked.mail('two')
      await asked.mail('three')
      await eventually('both are held', async () => {
        const held = await door.ctx.store.deliveries.countDocuments({
          webhookId: hook.id,
          lease: null,
          'attempts.0': { $exists: false },
        })
        return held === 2
      })
      expect(picky.bodies).to.have.length(1)
      door.advance(10 * secondMs)
      await attemptDueDeliveries(door.ctx, asked.tenant.accountId)
      await eventually('all three', () => picky.bodies.length === 4)
      const subjects = picky.bodies.map((body) => (JSON.parse(body) as Envelope).data.subject)
      expect(subjects).to.deep.equal(['one', 'one', 'two', 'three'])
    })

    it('with ordering receive an event whose delivery is not planned yet before the next event, and once', async () => {
      const asked = await owner()
      const good = await receiver()
      const hook = await asked.hook(good.url, { ordering: 'mailbox' })
      await asked.mail('zero')
      const { eventId } = await asked.attempted(hook.id)
      const zero = await door.ctx.store.events.findOne({ accountId: asked.tenant.accountId, _id: eventId })
      const another = await opened(door.another())
      const one = { ...zero!, _id: newId('evt', zero!.createdAt), data: { ...zero!.data, subject: 'one' } }
      const recorded = await createEventAppend(another.ctx.store)([one])
      await asked.mail('two')
      await planDeliveries(another.ctx, recorded)
      await asked.mail('three')
      await eventually('all', () => good.bodies.length >= 4)
      const subjects = good.bodies.map((body) => (JSON.parse(body) as Envelope).data.subject)
      expect(subjects).to.deep.equal(['zero', 'one', 'two', 'three'])
    })

    it('with ordering receive no events from while they were disabled', async () => {
      const asked = await owner()
      const good = await receiver()
      const hook = await asked.hook(good.url, { ordering: 'mailbox', enabled: false })
      await asked.mail('unheard')
      await asked.call('PATCH', `/api/v1/webhooks/${hook.id}`, { enabled: true })
      await asked.mail('heard')
      await asked.attempted(hook.id)
      expect((await asked.log(hook.id)).map(({ body }) => (JSON.parse(body) as Envelope).data.subject)).to.deep.equal([
        'heard',
      ])
    })

    for (const [name, before, change] of [
      ['were off', { enabled: false }, { enabled: true }],
      ['did not ask for it', { events: ['mailbox.created'] }, { events: ['message.received'] }],
    ] as const)
      it(`get nothing of the time in which they ${name}, when what was recorded then is looked through`, async () => {
        const asked = await owner()
        const good = await receiver()
        const other = await asked.hook(good.url)
        const hook = await asked.hook(good.url, before)
        await asked.mail('unheard')
        await asked.attempted(other.id)
        door.advance(secondMs)
        await asked.call('PATCH', `/api/v1/webhooks/${hook.id}`, change)
        door.advance(minuteMs)
        await sweepArrivals(door.ctx)
        expect(await asked.log(hook.id)).to.deep.equal([])
        await asked.mail('heard')
        expect(JSON.parse((await asked.attempted(hook.id)).body).data.subject).to.equal('heard')
      })

    it('receive deliveries that a stopping process had started or claimed, and again those it did not record', async () => {
      const asked = await owner()
      const { accountId } = asked.tenant
      const answers: (() => void)[] = []
      const slow = await receiver((response) => void answers.push(() => response.end('ok')))
      const hook = await asked.hook(slow.url)
      const stopping = await anotherDoor()
      const mailed = async (texts: readonly string[]) => {
        for (const text of texts) {
          const raw = `From: ada@remote.example\r\nSubject: ${text}\r\n\r\n${text}\r\n`
          await announceArrivals(
            stopping.ctx,
            await toldOf(stopping.ctx, [await deliver(door.ctx, { to: asked.tenant.address, raw })]),
          )
        }
      }
      await mailed(Array.from({ length: 12 }, (_, n) => `stop ${n}`))
      await eventually('10 are in flight', () => slow.bodies.length === 10)
      const ended = endAttempts(stopping.ctx)
      await eventually('2 are given back', async () => {
        const free = { webhookId: hook.id, nextAt: { $gt: new Date(0) }, lease: null }
        return (await door.ctx.store.deliveries.countDocuments(free)) === 2
      })
      for (const answer of answers.splice(0)) answer()
      await ended
      const states = async () => (await asked.log(hook.id)).map(({ state }) => state)
      expect((await states()).filter((state) => state === 'delivered')).to.have.length(10)
      const others = attemptDueDeliveries(door.ctx, accountId)
      await eventually('the 2', () => answers.length === 2)
      for (const answer of answers.splice(0)) answer()
      await others
      expect(new Set(await states())).to.deep.equal(new Set(['delivered']))
      expect(new Set(slow.bodies).size).to.equal(slow.bodies.length)
      await stopping.close()

      const killed = await anotherDoor()
      await announceArrivals(
        killed.ctx,
        await toldOf(killed.ctx, [await deliver(door.ctx, { to: asked.tenant.address, raw: 'Subject: k\n\nk\n' })]),
      )
      await eventually('the attempt', () => answers.length === 1)
      await killed.close()
      for (const answer of answers.splice(0)) answer()
      door.advance(minuteMs)
      const again = attemptDueDeliveries(door.ctx, accountId)
      await eventually('the attempt again', () => answers.length === 1)
      for (const answer of answers.splice(0)) answer()
      await again
      expect((await states())[0]).to.equal('delivered')
      expect(slow.bodies.at(-1)).to.equal(slow.bodies.at(-2))
    })

    it('of an agent key receive only events of its mailboxes, and are disabled with it', async () => {
      const asked = await owner()
      const good = await receiver()
      const { key, apiKey } = await makeKey(door.ctx, {
        accountId: asked.tenant.accountId,
        kind: 'agent',
        scopes: ['mail:read', 'mailboxes:write', 'mailboxes:read'],
        mailboxIds: [],
      })
      const agent = asking(client(door.http, apiKey))
      const hook = await agent.hook(good.url)
      await asked.mail('not its own')
      const address = `bot@${asked.tenant.address.split('@')[1]}`
      expect((await client(door.http, apiKey)('POST', '/api/v1/mailboxes', { address })).status).to.equal(201)
      await mail({ ...asked.tenant, address }, 'its own')
      await agent.attempted(hook.id)
      expect((await agent.log(hook.id)).map(({ body }) => (JSON.parse(body) as Envelope).data.subject)).to.deep.equal([
        'its own',
      ])
      await revokeKey(door.ctx, { accountId: asked.tenant.accountId, keyId: key.id })
      const off = await asked.read(hook.id)
      expect(off).to.include({ enabled: false })
      expect(off.turnedOff).to.include({ reason: 'key' })
      const on = await asked.call<ErrorBody>('PATCH', `/api/v1/webhooks/${hook.id}`, { enabled: true })
      expect(on.body.code).to.equal('conflict')
      await mail({ ...asked.tenant, address }, 'too late')
      expect(await asked.log(hook.id)).to.have.length(1)
    })

    it('of an agent key that expires are disabled', async () => {
      const asked = await owner()
      const { accountId, mailboxId } = asked.tenant
      const { apiKey } = await makeKey(door.ctx, {
        accountId,
        kind: 'agent',
        scopes: ['mail:read'],
        mailboxIds: [mailboxId],
        expiresAt: new Date(door.ctx.clock.now().getTime() + hourMs),
      })
      const hook = await asking(client(door.http, apiKey)).hook((await receiver()).url)
      expect(await asked.read(hook.id)).to.include({ enabled: true })
      door.advance(hourMs)
      const off = await asked.read(hook.id)
      expect(off).to.include({ enabled: false })
      expect(off.turnedOff).to.include({ reason: 'key' })
    })

    it('that fail for 5 days are disabled, waiting deliveries are skipped, and the owner gets one message', async () => {
      const name = `failing${++accounts}`
      const { id: accountId } = await createAccount(door.ctx, { name, owner: `${name}@people.example` })
      await createDomain(door.ctx, { domain: `${name}.example`, accountId, verified: true })
      const { apiKey } = await makeKey(door.ctx, { accountId })
      const call = client(door.http, apiKey)
      const asked = asking(call)
      const sick = await receiver((response) => void response.writeHead(500).end())
      const hook = await asked.hook(sick.url, { events: ['mailbox.created'] })
      const make = (address: string) => call('POST', '/api/v1/mailboxes', { address: `${address}@${name}.example` })
      await make('first')
      await asked.attempted(hook.id)
      door.advance(5 * dayMs)
      // The first delivery is given up after five days without an attempt; failures of less than 5 days do not disable the endpoint.
      await make('second')
      await asked.attempted(hook.id)
      await eventually('it is off', async () => !(await asked.read(hook.id)).enabled)
      const off = await asked.read(hook.id)
      expect(off.turnedOff).to.include({ reason: 'failures' })
      await eventually('nothing waits', async () => (await asked.log(hook.id, '?state=waiting')).length === 0)
      expect((await asked.log(hook.id)).map(({ state }) => state)).to.deep.equal(['skipped', 'skipped'])
      const mails = () => door.ctx.store.emails.find({ noticeTo: `${name}@people.example` }).toArray()
      expect(await tellOfEndpoints(door.ctx)).to.equal(1)
      await door.ctx.store.webhooks.updateOne(
        { accountId, _id: hook.id },
        { $set: { noticeDueAt: new Date(off.turnedOff!.at as string) } },
      )
      expect(await tellOfEndpoints(door.ctx)).to.equal(1)
      expect(await tellOfEndpoints(door.ctx)).to.equal(0)
      expect((await mails()).map(({ subject }) => subject)).to.deep.equal(['A webhook endpoint was turned off'])
      const again = await call<Hook>('PATCH', `/api/v1/webhooks/${hook.id}`, { enabled: true })
      expect(again.body).to.include({ enabled: true, failingSince: null, turnedOff: null })
    })
  })
})
