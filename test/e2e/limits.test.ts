import { expect } from 'chai'
import { administrator } from '../../core/access/principal.ts'
import { usagePeriod } from '../../core/access/usage.ts'
import { getAccount } from '../../core/account/accounts.ts'
import { changeAccountPlans, raiseLimit } from '../../core/account/plans.ts'
import { createMailbox } from '../../core/mailbox/mailboxes.ts'
import { hourMs, after as later, minuteMs } from '../../core/process/clock.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { sweepOpenTakes } from '../../core/send/open-allowances.ts'
import type { Failure } from '../../schemas/failures.ts'
import { findPart, killNow, nextPart } from '../crash/parts.ts'
import { eventually } from '../eventually.ts'
import { type SmtpSink, startSmtpSink } from '../peers/receivers.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { sendMail } from '../peers/send-mail.ts'
import { makeKey, makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service, startNode, startService } from '../start/service.ts'

const atOnce = 20
const clients = 50
/** How often a scenario that must finish within one calendar minute is tried. */
const attemptsMax = 5

const budgets = { address: 3, network: 7, day: 16 }
const env = ({ port }: SmtpSink) => ({
  MAILROOM_OUTBOUND_ROUTES: `{"*": "127.0.0.1:${port}"}`,
  // The tests act as a proxy that names its client in `X-Forwarded-For`.
  MAILROOM_HTTP_PROXIES: '["127.0.0.1"]',
  MAILROOM_SIGNUP_PER_ADDRESS_PER_DAY: String(budgets.address),
  MAILROOM_SIGNUP_PER_NETWORK_PER_DAY: String(budgets.network),
  MAILROOM_SIGNUP_PER_DAY: String(budgets.day),
})

describe('limits', () => {
  let service: Service
  let sink: SmtpSink
  let ctx: Context

  before(async () => {
    sink = await startSmtpSink()
    service = await startService({ env: env(sink) })
    ctx = await contextOf(service)
  })
  after(async () => {
    if (ctx !== undefined) await closeContext(ctx)
    await service?.dispose()
    await sink?.close()
  })

  const free = (name: string) => makeTenant({ ctx, http: service.http }, { name, plan: null, agentsPlan: 'free' })

  /** Makes requests in parallel, and counts their statuses and error codes. */
  async function together(times: number, ask: (n: number) => Promise<{ status: number; body: ErrorBody }>) {
    const answers = await Promise.all(Array.from({ length: times }, (_, n) => ask(n)))
    const counts: { [what: string]: number } = {}
    for (const { status, body } of answers) {
      const what = status < 300 ? String(status) : `${status} ${body.code}`
      counts[what] = (counts[what] ?? 0) + 1
    }
    return counts
  }

  /** Records a tenant's usage for the month, as its mail would. */
  async function use({ accountId }: Tenant, counts: { [counter: string]: number }): Promise<void> {
    const { id, expiresAt } = usagePeriod(accountId, 'month', new Date())
    await ctx.store.usage.insertOne({ _id: id, counts, expiresAt })
  }

  /** Sends to simulated recipients, which do not count towards rates. */
  const simulated = (tenant: Tenant) => (call: Call, n: number) =>
    call<ErrorBody>('POST', `${mailboxPath(tenant.address)}/send`, { to: `d+${n}@simulator.invalid`, text: 'x' })

  /** Rates count by calendar minute: runs `play` again, under another name, if it did not finish within one minute. */
  async function withinAMinute(play: (attempt: number) => Promise<void>): Promise<void> {
    const minute = () => Math.floor(Date.now() / minuteMs)
    for (let attempt = 0; ; attempt++) {
      const began = minute()
      try {
        return await play(attempt)
      } catch (error) {
        if (minute() === began || attempt === attemptsMax) throw error
      }
    }
  }

  it('exactly ten recipients are allowed per minute, however the parallel requests spread them', async () => {
    await withinAMinute(async (attempt) => sendTen(await free(`minute${attempt}`)))
  })

  async function sendTen(tenant: Tenant): Promise<void> {
    const call = client(service.http, tenant.key)
    const send = (to: unknown) => call<ErrorBody>('POST', `${mailboxPath(tenant.address)}/send`, { to, text: 'x' })
    const eleven = Array.from({ length: 11 }, (_, n) => `r${n}@remote.test`)
    const outright = await send(eleven)
    expect([outright.status, outright.body.code]).to.deep.equal([429, 'send_rate_limited'])
    expect(outright.body).to.include({
      error: 'The plan has 10 recipients a minute, and this send alone has 11: it can never pass.',
      fix: 'Write to at most 10 recipients in one request, or upgrade the plan.',
    })
    expect(outright.body).to.not.have.property('retryAfter')
    // interface.md: each 429 has the header; the error object names no wait.
    expect(outright.headers.get('retry-after')).to.equal('86400')
    const counts = await together(atOnce, (n) => send([`a${n}@remote.test`, `b${n}@remote.test`]))
    expect(counts).to.deep.equal({ '202': 5, '429 send_rate_limited': 15 })
    const over = await send('c@remote.test')
    expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
    expect(over.body)
      .to.have.property('error')
      .that.matches(/^The plan has 10 recipients a minute, and .* at \d{4}-\S+:00\.000Z\.$/)
    const simulated = await send(['delivered@simulator.invalid', 'delivered+1@simulator.invalid'])
    expect(simulated.status).to.equal(202)
    const usage = await call<{ sends: { used: number } }>('GET', '/api/v1/usage')
    expect(usage.body.sends.used).to.equal(12)
  }

  it('the plan limits the requests per minute, and the headers count them down', async () => {
    await withinAMinute(async (attempt) => askAll(await free(`requests${attempt}`)))
  })

  async function askAll(tenant: Tenant): Promise<void> {
    const { apiKey } = await makeKey(ctx, { accountId: tenant.accountId })
    const call = client(service.http, apiKey)
    const first = await call('GET', '/api/v1/account')
    expect([first.headers.get('ratelimit-limit'), first.headers.get('ratelimit-remaining')]).to.deep.equal([
      '120',
      '119',
    ])
    const counts = await together(130, () => call<ErrorBody>('GET', '/api/v1/account'))
    expect(counts).to.deep.equal({ '200': 119, '429 rate_limited': 11 })
    expect((await client(service.http, tenant.key)('GET', '/api/v1/account')).status).to.equal(200)
  }

  it('exactly three inboxes are allowed, and deleting one makes room', async () => {
    const tenant = await free('inboxes')
    const call = client(service.http, tenant.key)
    const create = (name: string) =>
      call<ErrorBody>('POST', '/api/v1/mailboxes', { address: `${name}@inboxes.example` })
    // The limit on creations within 24 hours may refuse a request while the quota slots are being freed.
    const counts = await together(atOnce, (n) => create(`n${n}`))
    expect(counts['201']).to.equal(2)
    const listed = await call<{ mailboxes: { address: string }[] }>('GET', '/api/v1/mailboxes')
    expect(listed.body.mailboxes).to.have.length(3)
    const over = await create('one-more')
    expect([over.status, over.body.code]).to.deep.equal([402, 'AGENT_INBOX_LIMIT'])
    expect((await call('DELETE', mailboxPath(listed.body.mailboxes[0]!.address))).status).to.equal(200)
    expect((await create('one-more')).status).to.equal(201)
    const usage = await call<{ inboxes: Json }>('GET', '/api/v1/usage')
    expect(usage.body.inboxes).to.deep.equal({ used: 3, limit: 3 })
  })

  it('of twenty parallel requests for one address one gets it, and the others use no quota', async () => {
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'race' })
    const call = client(service.http, tenant.key)
    const counts = await together(atOnce, () =>
      call<ErrorBody>('POST', '/api/v1/mailboxes', { address: 'same@race.example' }),
    )
    expect(counts).to.deep.equal({ '201': 1, '409 conflict': atOnce - 1 })
    const usage = await call<{ inboxes: { used: number } }>('GET', '/api/v1/usage')
    expect(usage.body.inboxes.used).to.equal(2)
  })

  it('exactly ten mailboxes per key and day are allowed, and another key of the account has its own ten', async () => {
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'creations', agentsPlan: null })
    const create = (key: string) => (n: number) =>
      client(service.http, key)<ErrorBody>('POST', '/api/v1/mailboxes', {
        address: `${key.slice(-6).toLowerCase().replaceAll(/\W/g, 'x')}-${n}@creations.example`,
      })
    // The tenant's first mailbox counts as one of them.
    expect(await together(atOnce, create(tenant.key))).to.deep.equal({ '201': 9, '429 mailbox_creation_limit': 11 })
    const refused = await create(tenant.key)(99)
    expect(Number(refused.headers.get('retry-after'))).to.be.within(23 * 3600, 24 * 3600)
    const { apiKey } = await makeKey(ctx, { accountId: tenant.accountId })
    expect(await together(atOnce, create(apiKey))).to.deep.equal({ '201': 10, '429 mailbox_creation_limit': 10 })
  })

  /** The minutes at which mailboxes were made, the minute of the request, and how many seconds it has to wait; null: none. */
  const rolling: readonly (readonly [
    what: string,
    made: readonly number[],
    asked: number,
    waitSeconds: number | null,
  ])[] = [
    ['ten at once', Array(10).fill(0), 0, 24 * 3600],
    ['ten at once, an hour ago', Array(10).fill(0), 60, 23 * 3600],
    ['ten at once, a day but a minute ago', Array(10).fill(0), 24 * 60 - 1, 60],
    ['ten at once, a day ago', Array(10).fill(0), 24 * 60, null],
    ['nine', Array(9).fill(0), 1, null],
    ['one early and nine late', [0, ...Array(9).fill(23 * 60)], 23 * 60 + 30, 30 * 60],
    ['five and five', [...Array(5).fill(0), ...Array(5).fill(12 * 60)], 13 * 60, 11 * 3600],
    ['across midnight', [...Array(3).fill(20 * 60), ...Array(7).fill(30 * 60)], 31 * 60, 13 * 3600],
    ['one each hour', [0, 60, 120, 180, 240, 300, 360, 420, 480, 540], 600, 14 * 3600],
    ['one of them longer ago than a day', [0, ...Array(9).fill(25 * 60)], 25 * 60 + 1, null],
  ]
  it('mailbox creations are limited over a rolling day, and Retry-After is exact', async () => {
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'rolling', agentsPlan: null })
    const start = new Date(Math.ceil(Date.now() / hourMs) * hourMs + 50 * minuteMs)
    let at = start
    const moved = await contextOf(service, { now: () => at })
    try {
      const account = await getAccount(moved, tenant.accountId)
      for (const [n, [what, made, asked, waitSeconds]] of rolling.entries()) {
        const principal = { ...administrator(account), keyId: `key_${String(n).padStart(26, '0')}` }
        const create = (minutes: number, name: string) => {
          at = later(start, minutes * minuteMs)
          return createMailbox(moved, principal, { address: `${name}@rolling.example` }).then(
            () => null,
            (error: Failure) => error,
          )
        }
        for (const [m, minutes] of made.entries()) expect(await create(minutes, `m${n}-${m}`), what).to.equal(null)
        const refusal = await create(asked, `asked${n}`)
        expect(refusal?.detail.retryAfter ?? null, what).to.equal(waitSeconds)
        if (waitSeconds === null) continue
        expect(refusal, what).to.include({ code: 'mailbox_creation_limit' })
        expect((await create(asked + (waitSeconds - 1) / 60, `early${n}`))?.detail.retryAfter, what).to.equal(1)
        expect(await create(asked + waitSeconds / 60, `then${n}`), what).to.equal(null)
      }
    } finally {
      await closeContext(moved)
    }
  })

  it('a failed creation does not count', async () => {
    const tenant = await makeTenant({ ctx, http: service.http }, { name: 'back', agentsPlan: null })
    const create = (address: string) =>
      client(service.http, tenant.key)<ErrorBody>('POST', '/api/v1/mailboxes', { address })
    for (let n = 0; n < 11; n++) expect((await create(tenant.address)).body.code).to.equal('conflict')
    expect(await together(9, (n) => create(`m${n}@back.example`))).to.deep.equal({ '201': 9 })
    expect((await create('one-more@back.example')).body.code).to.equal('mailbox_creation_limit')
  })

  it('the monthly e-mail allowance may be exceeded by a tenth, and receiving continues beyond it', async () => {
    const tenant = await free('month')
    const call = client(service.http, tenant.key)
    await use(tenant, { received: 3_200, agentEmails: 3_295, sent: 95 })
    expect(await together(atOnce, (n) => simulated(tenant)(call, n))).to.deep.equal({
      '202': 5,
      '402 AGENT_EMAIL_LIMIT': 15,
    })
    const raw = Buffer.from('From: carol@remote.test\r\nSubject: Still welcome\r\n\r\nHi\r\n')
    const { response } = await sendMail(service.smtp, { from: 'carol@remote.test', to: tenant.address, raw })
    expect(response).to.match(/^250 /)
  })

  describe('over two nodes', () => {
    let node: Service

    before(async () => {
      node = await startNode(service, env(sink))
    })
    after(() => node?.dispose())

    /** Makes fifty requests in parallel, half of them to each node. */
    const fifty = (
      tenant: Pick<Tenant, 'key'>,
      ask: (call: Call, n: number) => Promise<{ status: number; body: ErrorBody }>,
    ) => {
      const calls = [service, node].map(({ http }) => client(http, tenant.key))
      return together(clients, (n) => ask(calls[n % 2]!, n))
    }

    it('the requests per minute are limited as on one node', async () => {
      await withinAMinute(async (attempt) => {
        const { accountId } = await free(`both${attempt}`)
        const { apiKey: key } = await makeKey(ctx, { accountId })
        let allowed = 0
        const ask = async (call: Call) => {
          for (let n = 0; n < 4; n++) if ((await call('GET', '/api/v1/account')).status === 200) allowed += 1
          return call<ErrorBody>('GET', '/api/v1/account')
        }
        // A busy node returns the unused part of its share a moment later.
        const counts = await fifty({ key }, ask)
        allowed += counts['200'] ?? 0
        await eventually('all of them', async () => {
          for (const { http } of [service, node])
            if ((await client(http, key)('GET', '/api/v1/account')).status === 200) allowed += 1
          return allowed >= 120
        })
        expect(allowed).to.equal(120)
        for (const { http } of [service, node]) {
          const over = await client(http, key)<ErrorBody>('GET', '/api/v1/account')
          expect([over.status, over.body.code]).to.deep.equal([429, 'rate_limited'])
          expect(over.headers.get('ratelimit-remaining')).to.equal('0')
          expect(Number(over.headers.get('retry-after'))).to.be.within(1, 60)
        }
      })
    })

    it('so are the recipients per minute', async () => {
      await withinAMinute(async (attempt) => {
        const tenant = await free(`pace${attempt}`)
        const send = (call: Call, n: number) =>
          call<ErrorBody>('POST', `${mailboxPath(tenant.address)}/send`, { to: `r${n}@remote.test`, text: 'x' })
        expect(await fifty(tenant, send)).to.deep.equal({ '202': 10, '429 send_rate_limited': 40 })
      })
    })

    it('so are the e-mails per month', async () => {
      const tenant = await free('months')
      await use(tenant, { agentEmails: 3_293, sent: 3_293 })
      expect(await fifty(tenant, simulated(tenant))).to.deep.equal({ '202': 7, '402 AGENT_EMAIL_LIMIT': 43 })
    })

    it('so are the mailbox creations in 24 hours, and the inboxes', async () => {
      const tenant = await makeTenant({ ctx, http: service.http }, { name: 'many', agentsPlan: null })
      const create = (call: Call, n: number) =>
        call<ErrorBody>('POST', '/api/v1/mailboxes', { address: `n${n}@many.example` })
      // The tenant's first mailbox counts as one of them.
      expect(await fifty(tenant, create)).to.deep.equal({ '201': 9, '429 mailbox_creation_limit': 41 })
      const { apiKey: key } = await makeKey(ctx, { accountId: tenant.accountId })
      await changeAccountPlans(ctx, tenant.accountId, { agentsPlan: 'developer' })
      await raiseLimit(ctx, tenant.accountId, { figure: 'inboxCreationsPerDay', to: 1_000 })
      const more = (call: Call, n: number) =>
        call<ErrorBody>('POST', '/api/v1/mailboxes', { address: `more${n}@many.example` })
      expect(await fifty({ key }, more)).to.deep.equal({ '201': 40, '402 AGENT_INBOX_LIMIT': 10 })
    })

    it('so are the webhook endpoints', async () => {
      const tenant = await free('endpoints')
      const create = (call: Call, n: number) =>
        call<ErrorBody>('POST', '/api/v1/webhooks', { url: `https://hook.example/${n}`, events: ['email.bounced'] })
      expect(await fifty(tenant, create)).to.deep.equal({ '201': 2, '402 plan_required': 48 })
    })

    it('a change of plan takes effect on both', async () => {
      const tenant = await free('changing')
      for (const [agentsPlan, limit] of [
        ['free', '120'],
        ['scale', '600'],
        ['developer', '300'],
      ] as const) {
        await changeAccountPlans(ctx, tenant.accountId, { agentsPlan })
        for (const { http } of [service, node]) {
          const { headers } = await client(http, tenant.key)('GET', '/api/v1/account')
          expect(headers.get('ratelimit-limit'), `${agentsPlan} at ${http}`).to.equal(limit)
        }
      }
    })

    /** The clients of fifty parallel signups and their outcomes; in all, sixteen signups a day are allowed. */
    const signups: readonly (readonly [
      who: string,
      address: (n: number) => string,
      outcome: { [what: string]: number },
    ])[] = [
      ['one IPv4 address', () => '192.0.2.1', { '201': 3, '429 rate_limited': 47 }],
      ['all others of its /24', (n) => `192.0.2.${n + 2}`, { '201': 4, '429 rate_limited': 46 }],
      ['one IPv6 address', () => '2001:db8:0:1::1', { '201': 3, '429 rate_limited': 47 }],
      ['all others of its /64', (n) => `2001:db8:0:1::${(n + 2).toString(16)}`, { '201': 4, '429 rate_limited': 46 }],
      ['everybody', (n) => `2001:db8:1:${n}::1`, { '201': 2, '503 unavailable': 48 }],
      ['an address in the form of an IPv6 one', () => '::ffff:192.0.2.1', { '429 rate_limited': 50 }],
    ]
    for (const [who, address, outcome] of signups)
      it(`signups are limited as on one node: ${who}`, async () => {
        const counts = await fifty({ key: '' }, (call, n) =>
          call<ErrorBody>('POST', '/api/v1/signup', {}, { 'x-forwarded-for': `198.51.100.9, ${address(n)}` }),
        )
        expect(counts).to.deep.equal(outcome)
      })

    /** Waits until the node serves again after its process was killed. */
    async function isBack(killed: number): Promise<void> {
      await nextPart(node.data, 'service', killed, 60_000)
      const isReady = () =>
        fetch(`${node.http}/readyz`).then(
          ({ status }) => status === 200,
          () => false,
        )
      await eventually('the node is back', isReady)
    }

    it('a killed node neither loses quota nor lets any be used twice', async () => {
      const tenant = await free('killed')
      const before = { agentEmails: 3_260, sent: 3_260 }
      await use(tenant, before)
      const pid = findPart(node.data, 'service')!
      const send = simulated(tenant)
      let asked = 0
      let accepted = 0
      /** Sends once; to the node that is killed (`isThere`), sends until it no longer answers. */
      const ask = async (call: Call, isThere: boolean) => {
        do {
          const answer = await send(call, asked++).catch(() => null)
          if (answer === null) return
          if (answer.status === 202 && ++accepted === 5) killNow(pid)
        } while (isThere)
      }
      const calls = [service, node].map(({ http }) => client(http, tenant.key))
      await Promise.all(Array.from({ length: clients }, (_, n) => ask(calls[n % 2]!, n % 2 === 1)))
      await isBack(pid)
      // Quota taken for a send that was never committed is returned after some minutes.
      const minutesLater = await contextOf(service, { now: () => later(new Date(), 10 * minuteMs) })
      try {
        await sweepOpenTakes(minutesLater)
      } finally {
        await closeContext(minutesLater)
      }
      const committed = () => ctx.store.emails.countDocuments({ accountId: tenant.accountId })
      const month = await ctx.store.usage.findOne({ _id: usagePeriod(tenant.accountId, 'month', new Date()).id })
      expect(month?.counts).to.include({ sent: before.sent + (await committed()) })
      expect(await committed()).to.be.at.least(accepted)
      // The rate of the first key is used up.
      const { apiKey: key } = await makeKey(ctx, { accountId: tenant.accountId })
      await fifty({ key }, (call) => send(call, asked++))
      expect(await committed()).to.equal(40)
      expect((await send(client(node.http, key), asked++)).body.code).to.equal('AGENT_EMAIL_LIMIT')
    })

    it('a killed node loses only a part of the requests of the minute', async () => {
      await withinAMinute(async (attempt) => {
        const { accountId } = await free(`dead${attempt}`)
        const { apiKey: key } = await makeKey(ctx, { accountId })
        const pid = findPart(node.data, 'service')!
        expect((await client(node.http, key)('GET', '/api/v1/account')).status).to.equal(200)
        killNow(pid)
        const counts = await together(150, () => client(service.http, key)<ErrorBody>('GET', '/api/v1/account'))
        await isBack(pid)
        // At most a quarter of the 120 is lost.
        expect(counts['200']).to.be.within(90, 119)
      })
    })
  })

  describe('storage', () => {
    let tenant: Tenant
    let call: ReturnType<typeof client>
    const path = () => mailboxPath(tenant.address)
    const used = async () => (await call<{ storage: { used: number } }>('GET', path())).body.storage.used
    const raw = (subject: string, size = 2_000) => {
      const head = `From: carol@remote.test\r\nTo: ${tenant.address}\r\nSubject: ${subject}\r\n\r\n`
      return Buffer.from(
        `${head}${'x'.repeat(70)}\r\n`
          .padEnd(size - 2, 'y')
          .replaceAll(/y{70}/g, `${'y'.repeat(68)}\r\n`)
          .concat('\r\n'),
      )
    }
    /** Sends a message. Returns the server's reply, whether it accepts or refuses. */
    const deliver = (mail: Buffer, to = tenant.address) =>
      sendMail(service.smtp, { from: 'carol@remote.test', to, raw: mail }).then(
        ({ response }) => response,
        (error: { response: string }) => error.response,
      )

    /** Waits until the service has dropped a recipient from its cache, after two seconds. */
    const forgetting = () => new Promise((resolve) => setTimeout(resolve, 2_100))

    before(async () => {
      tenant = await free('full')
      call = client(service.http, tenant.key)
    })

    it('is the size of all messages, through receive, move, trash and delete', async () => {
      const mails = [raw('one'), raw('two', 5_000), raw('three', 90_000)]
      for (const mail of mails) expect(await deliver(mail)).to.match(/^250 /)
      const whole = mails.reduce((sum, { length }) => sum + length, 0)
      await eventually('all counted', async () => (await used()) === whole)
      const { body } = await call<{ messages: { message_id: string; size: number; subject: string }[] }>(
        'GET',
        `${path()}/messages`,
      )
      expect(body.messages.map(({ size }) => size).sort()).to.deep.equal(mails.map(({ length }) => length).sort())
      const [three, two, one] = body.messages
      const at = (message: { message_id: string } | undefined) => `${path()}/messages/${message?.message_id}`
      expect((await call('PATCH', at(one), { folder: 'Archive' })).status).to.equal(200)
      expect(await used()).to.equal(whole)
      expect((await call('DELETE', at(two))).body).to.include({ folder: 'Trash' })
      expect(await used()).to.equal(whole)
      expect((await call('DELETE', `${at(three)}?permanent=true`)).body).to.include({ folder: null })
      expect(await used()).to.equal(whole - (three?.size ?? 0))
      expect((await call('DELETE', at(two))).body).to.include({ folder: null })
      expect(await used()).to.equal(one?.size)
      expect((await call('DELETE', at(three))).status).to.equal(404)
      expect(await used()).to.equal(one?.size)
    })

    it('of a message deleted by several requests at once is released only once', async () => {
      const before = await used()
      const response = await deliver(raw('delete me'))
      const [id] = /msg_[0-9a-z]{26}/.exec(response) ?? []
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => call('DELETE', `${path()}/messages/${id}?permanent=true`)),
      )
      expect(answers.filter(({ status }) => status === 200)).to.have.length(1)
      expect(await used()).to.equal(before)
    })

    it('nearly full: a message whose declared size is above the room is refused, and a small one is accepted', async () => {
      const inbox = { mailboxId: tenant.mailboxId, role: 'inbox' as const }
      const room = 20_000
      const limit = 1024 ** 3
      await ctx.store.folders.updateOne(inbox, { $inc: { bytes: limit - room - (await used()) } })
      await forgetting()
      expect(await deliver(raw('declared', 30_000))).to.match(/^452 4\.2\.2 .*full/)
      expect(await deliver(raw('small'))).to.match(/^250 /)
    })

    it('nearly full: only one of many simultaneous messages may exceed the limit', async () => {
      const inbox = { mailboxId: tenant.mailboxId, role: 'inbox' as const }
      const [limit, room, size] = [1024 ** 3, 1_000_000, 800_000]
      await ctx.store.folders.updateOne(inbox, { $inc: { bytes: limit - room - (await used()) } })
      await forgetting()
      const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => deliver(raw(`at once ${n}`, size))))
      expect(replies.filter((reply) => reply.startsWith('250 '))).to.have.length(2)
      for (const reply of replies) expect(reply).to.match(/^(?:250 |452 4\.2\.2 .*full)/)
      expect(await used()).to.be.below(limit + size)
    })

    it('full: RCPT is answered with 452 4.2.2, and the other recipients get their mail', async () => {
      const inbox = { mailboxId: tenant.mailboxId, role: 'inbox' as const }
      await ctx.store.folders.updateOne(inbox, { $inc: { bytes: 20_000 } })
      await eventually('it is full', async () => (await deliver(raw('tiny', 300))).startsWith('452 4.2.2'))
      const other = await free('roomy')
      const { accepted } = await sendMail(service.smtp, {
        from: 'carol@remote.test',
        to: [tenant.address, other.address],
        raw: raw('two'),
      })
      expect(accepted).to.deep.equal([other.address])
    })

    it('full: mail is still sent, without a copy in Sent', async () => {
      const sent = await call<Json>('POST', `${path()}/send`, { to: 'delivered@simulator.invalid', text: 'Help' })
      expect(sent.status).to.equal(202)
      expect(sent.body).to.include({ message_id: null, thread_id: null })
    })
  })
})
