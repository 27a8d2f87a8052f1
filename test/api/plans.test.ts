import { expect } from 'chai'
import type { UpdateFilter } from 'mongodb'
import { counterIn, usagePeriod } from '../../core/access/usage.ts'
import { claimByToken, signup } from '../../core/account/accounts.ts'
import { changeAccountPlans, raiseLimit } from '../../core/account/plans.ts'
import { createDomain } from '../../core/domains/claims.ts'
import { dayMs, minuteMs, periodsOf } from '../../core/process/clock.ts'
import type { Failure } from '../../schemas/failures.ts'
import type { AgentsPlanName, Figure, MailPlanName } from '../../schemas/plans.ts'
import type { AccountDoc } from '../../store/documents/accounts.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'

type Count = 'sent' | 'agentEmails' | 'received' | 'sharedSends'

describe('api: plans', () => {
  let door: Door
  let made = 0
  /** An account for cases that set the usage of its plan. */
  let common: Own

  before(async () => {
    door = await openDoor()
    common = await account({})
  })
  after(() => door?.close())

  type Plans = { readonly plan?: MailPlanName | null; readonly agentsPlan?: AgentsPlanName | null }
  type Own = { readonly tenant: Tenant; readonly call: Call; readonly plans: (plans: Plans) => Promise<unknown> }

  async function account(plans: Plans): Promise<Own> {
    const tenant = await makeTenant(door, { name: `plans${++made}`, ...plans })
    return {
      tenant,
      call: client(door.http, tenant.key),
      plans: (changed) => changeAccountPlans(door.ctx, tenant.accountId, changed),
    }
  }

  const raise = ({ tenant }: Own, figure: Figure, to: number | null) =>
    raiseLimit(door.ctx, tenant.accountId, { figure, to })

  /** Records the usage of an account in a period, as its mail would. */
  async function use({ tenant }: Own, period: 'month' | 'day', counts: { [counter in Count]?: number }): Promise<void> {
    const at = door.ctx.clock.now()
    const { id, expiresAt } = usagePeriod(tenant.accountId, period, at)
    const used =
      period === 'month'
        ? { counts }
        : Object.fromEntries(
            Object.entries(counts).map(([counter, count]) => [`counts.${counterIn('day', counter, at)}`, count]),
          )
    await door.ctx.store.usage.updateOne({ _id: id }, { $set: { ...used, expiresAt } }, { upsert: true })
  }

  let sends = 0
  /** Sends to simulated recipients, which do not count towards rates. Returns the code of a refusal. */
  async function send({ tenant, call }: Own, recipients = 1, where = 'simulator.invalid'): Promise<string> {
    const to = Array.from({ length: recipients }, () => `delivered+${++sends}@${where}`)
    const { status, body } = await call<ErrorBody>('POST', `${mailboxPath(tenant.address)}/send`, { to, text: 'x' })
    return status === 202 ? 'sent' : body.code
  }

  describe('the e-mails of a month', () => {
    const months: readonly (readonly [
      what: string,
      plans: Plans,
      used: { [counter in Count]?: number },
      asks: readonly (readonly [recipients: number, outcome: string])[],
    ])[] = [
      ['free, within', { plan: null, agentsPlan: 'free' }, { agentEmails: 2_999, sent: 2_999 }, [[1, 'sent']]],
      [
        'free, in the grace, all of them sent',
        { plan: null, agentsPlan: 'free' },
        { agentEmails: 3_000, sent: 3_000 },
        [[1, 'sent']],
      ],
      [
        'free, exactly to the end of the grace',
        { plan: null, agentsPlan: 'free' },
        { agentEmails: 3_299, sent: 3_299 },
        [
          [2, 'AGENT_EMAIL_LIMIT'],
          [1, 'sent'],
          [1, 'AGENT_EMAIL_LIMIT'],
        ],
      ],
      [
        'free, most of it received',
        { plan: null, agentsPlan: 'free' },
        { agentEmails: 3_298, sent: 8, received: 3_290 },
        [
          [2, 'sent'],
          [1, 'AGENT_EMAIL_LIMIT'],
        ],
      ],
      [
        'developer',
        { plan: null, agentsPlan: 'developer' },
        { agentEmails: 21_999, sent: 21_999 },
        [
          [1, 'sent'],
          [1, 'AGENT_EMAIL_LIMIT'],
        ],
      ],
      [
        'scale',
        { plan: null, agentsPlan: 'scale' },
        { agentEmails: 329_999, sent: 329_999 },
        [
          [1, 'sent'],
          [1, 'AGENT_EMAIL_LIMIT'],
        ],
      ],
      [
        'trial',
        { plan: 'trial', agentsPlan: null },
        { sent: 99 },
        [
          [2, 'send_limit_reached'],
          [1, 'sent'],
          [1, 'send_limit_reached'],
        ],
      ],
      [
        'starter',
        { plan: 'starter', agentsPlan: null },
        { sent: 2_999 },
        [
          [1, 'sent'],
          [1, 'send_limit_reached'],
        ],
      ],
      [
        'growth',
        { plan: 'growth', agentsPlan: null },
        { sent: 19_999 },
        [
          [1, 'sent'],
          [1, 'send_limit_reached'],
        ],
      ],
      [
        'pro',
        { plan: 'pro', agentsPlan: null },
        { sent: 49_999 },
        [
          [1, 'sent'],
          [1, 'send_limit_reached'],
        ],
      ],
      [
        'business, which has no grace',
        { plan: 'business', agentsPlan: null },
        { sent: 99_999 },
        [
          [1, 'sent'],
          [1, 'send_limit_reached'],
        ],
      ],
      [
        'business with scale: the larger, with grace',
        { plan: 'business', agentsPlan: 'scale' },
        { agentEmails: 329_999, sent: 300_000 },
        [
          [1, 'sent'],
          [1, 'AGENT_EMAIL_LIMIT'],
        ],
      ],
    ]
    for (const [what, plans, used, asks] of months)
      it(what, async () => {
        await common.plans(plans)
        await use(common, 'month', used)
        for (const [recipients, outcome] of asks) expect(await send(common, recipients)).to.equal(outcome)
      })

    it('beyond a plan are sent after a change to a larger plan, and not to a smaller one', async () => {
      const own = await account({ plan: null, agentsPlan: 'developer' })
      await use(own, 'month', { agentEmails: 22_000, sent: 22_000 })
      expect(await send(own)).to.equal('AGENT_EMAIL_LIMIT')
      await own.plans({ agentsPlan: 'free' })
      expect(await send(own)).to.equal('AGENT_EMAIL_LIMIT')
      await own.plans({ agentsPlan: 'scale' })
      expect(await send(own)).to.equal('sent')
      await own.plans({ agentsPlan: 'developer' })
      expect(await send(own)).to.equal('AGENT_EMAIL_LIMIT')
      await raise(own, 'emailsPerMonth', 20_002)
      expect([await send(own), await send(own)]).to.deep.equal(['sent', 'AGENT_EMAIL_LIMIT'])
    })

    it('do not stop receiving, which still counts', async () => {
      const own = await account({ plan: null, agentsPlan: 'free' })
      await use(own, 'month', { agentEmails: 3_300 })
      const raw = 'From: a@remote.example\nSubject: Hi\n\nHello\n'
      expect(await deliver(door.ctx, { to: own.tenant.address, raw })).to.match(/^msg_/)
      expect(await send(own)).to.equal('AGENT_EMAIL_LIMIT')
    })

    it('start again with the month (UTC), not before', async () => {
      const own = await account({ plan: 'starter', agentsPlan: 'free' })
      const { monthEnd } = periodsOf(door.ctx.clock.now())
      door.advance(monthEnd.getTime() - door.ctx.clock.now().getTime() - minuteMs)
      await use(own, 'month', { agentEmails: 3_300, sent: 3_000 })
      expect(await send(own)).to.equal('AGENT_EMAIL_LIMIT')
      type Usage = { period: { from: string; to: string }; sends: Json; emails: Json }
      const before = await own.call<Usage>('GET', '/api/v1/usage')
      expect(before.body.period.to).to.equal(monthEnd.toISOString())
      expect(before.body.sends).to.include({ used: 3_000, limit: 3_000, remaining: 0 })
      door.advance(minuteMs)
      expect(await send(own)).to.equal('sent')
      const { body } = await own.call<Usage>('GET', '/api/v1/usage')
      expect(body.period.from).to.equal(monthEnd.toISOString())
      expect(body.sends).to.include({ used: 1, limit: 3_000, remaining: 2_999 })
      expect(body.emails).to.include({ sent: 1, received: 0, limit: 3_000, grace: 3_300 })
    })
  })

  const days: readonly (readonly [plan: MailPlanName, perDay: number])[] = [
    ['starter', 300],
    ['growth', 2_000],
    ['pro', 5_000],
    ['business', 10_000],
  ]
  for (const [plan, perDay] of days)
    it(`${plan} allows ${perDay} sends a day, and as many on the next`, async () => {
      await common.plans({ plan, agentsPlan: null })
      await use(common, 'month', {})
      await use(common, 'day', { sent: perDay - 1 })
      const once = () => send(common, 1, 'remote.example')
      expect([await once(), await once()]).to.deep.equal(['sent', 'send_rate_limited'])
      door.advance(dayMs)
      expect(await once()).to.equal('sent')
    })

  it('a change of plan applies from the next request: rate, inboxes, endpoints and batches', async () => {
    const own = await account({ plan: null, agentsPlan: 'free' })
    const rate = async () => (await own.call('GET', '/api/v1/account')).headers.get('ratelimit-limit')
    const inbox = async () => {
      const address = `n${++sends}@plans${made}.example`
      const { status, body } = await own.call<ErrorBody>('POST', '/api/v1/mailboxes', { address })
      return status === 201 ? 'made' : body.code
    }
    const endpoint = async () => {
      const { status, body } = await own.call<ErrorBody>('POST', '/api/v1/webhooks', {
        url: 'https://hook.example/x',
        events: ['email.bounced'],
      })
      return status === 201 ? 'made' : body.code
    }
    const batch = async (size: number) => {
      const recipients = Array.from({ length: size }, () => ({ email: `delivered+${++sends}@simulator.invalid` }))
      const { status, body } = await own.call<ErrorBody>('POST', `${mailboxPath(own.tenant.address)}/send-batch`, {
        subject: 's',
        text: 't',
        recipients,
        idempotencyKey: `batch-${sends}`,
      })
      return status === 202 ? 'accepted' : body.code
    }
    expect([await rate(), await batch(20), await batch(21)]).to.deep.equal(['120', 'accepted', 'batch_too_large'])
    expect([await inbox(), await inbox(), await inbox()]).to.deep.equal(['made', 'made', 'AGENT_INBOX_LIMIT'])
    expect([await endpoint(), await endpoint(), await endpoint()]).to.deep.equal(['made', 'made', 'plan_required'])

    await own.plans({ agentsPlan: 'developer' })
    expect([await rate(), await batch(200), await batch(201)]).to.deep.equal(['300', 'accepted', 'batch_too_large'])
    expect([await inbox(), await endpoint()]).to.deep.equal(['made', 'made'])

    await own.plans({ agentsPlan: 'free' })
    expect([await rate(), await batch(21)]).to.deep.equal(['120', 'batch_too_large'])
    expect([await inbox(), await endpoint()]).to.deep.equal(['AGENT_INBOX_LIMIT', 'plan_required'])
    const usage = await own.call<{ inboxes: Json; webhooks: Json; storage: Json }>('GET', '/api/v1/usage')
    expect(usage.body.inboxes).to.deep.equal({ used: 4, limit: 3 })
    expect(usage.body.webhooks).to.deep.equal({ used: 3, limit: 2 })

    await own.plans({ plan: 'growth', agentsPlan: null })
    expect([await batch(100), await batch(101), await endpoint()]).to.deep.equal([
      'accepted',
      'batch_too_large',
      'made',
    ])
    await own.plans({ plan: 'starter' })
    expect([await batch(1), await endpoint()]).to.deep.equal(['plan_required', 'plan_required'])
    await own.plans({ plan: null, agentsPlan: 'free' })
    await raise(own, 'inboxes', 5)
    expect([await inbox(), await inbox()]).to.deep.equal(['made', 'AGENT_INBOX_LIMIT'])
    await raise(own, 'inboxes', null)
    await raise(own, 'requestsPerMinute', 130)
    expect([await inbox(), await rate()]).to.deep.equal(['AGENT_INBOX_LIMIT', '130'])
  })

  it('a change of plan changes the storage limit at once', async () => {
    const own = await account({ plan: null, agentsPlan: 'free' })
    const limit = async () =>
      (await own.call<{ storage: { limit: number } }>('GET', mailboxPath(own.tenant.address))).body.storage.limit
    expect(await limit()).to.equal(2 ** 30)
    await door.ctx.store.folders.updateOne(
      { mailboxId: own.tenant.mailboxId, path: 'Archive' },
      { $inc: { bytes: 2 ** 30 } },
    )
    const raw = 'From: a@remote.example\nSubject: Hi\n\nHello\n'
    const arrives = () =>
      deliver(door.ctx, { to: own.tenant.address, raw }).then(
        () => 'arrived',
        (error: Failure) => error.code,
      )
    door.advance(minuteMs)
    expect(await arrives()).to.equal('unprocessable')
    for (const [plans, bytes, outcome] of [
      [{ agentsPlan: 'developer' }, 2 ** 31, 'arrived'],
      [{ agentsPlan: 'scale' }, 5 * 2 ** 30, 'arrived'],
      [{ agentsPlan: 'free' }, 2 ** 30, 'unprocessable'],
    ] as const) {
      await own.plans(plans)
      await door.noticed()
      expect([await limit(), await arrives()]).to.deep.equal([bytes, outcome])
    }
  })

  const growth: Plans = { plan: 'growth', agentsPlan: null }
  const pro: Plans = { plan: 'pro', agentsPlan: null }
  const agentsFree: Plans = { plan: null, agentsPlan: 'free' }
  const events: readonly (readonly [plans: Plans, type: string, outcome: 201 | 402])[] = [
    [growth, 'message.received', 402],
    [growth, 'message.sent', 402],
    [growth, 'intake.message', 402],
    [growth, 'email.bounced', 201],
    [growth, 'mailbox.created', 201],
    [growth, 'account.storage_warning', 201],
    [pro, 'message.received', 201],
    [pro, 'message.sent', 201],
    [pro, 'intake.message', 201],
    [agentsFree, 'message.received', 201],
    [agentsFree, 'message.sent', 201],
    [agentsFree, 'intake.message', 402],
    [{ plan: 'trial', agentsPlan: null }, 'email.bounced', 402],
    [{ plan: 'starter', agentsPlan: 'free' }, 'message.sent', 201],
  ]
  it('an endpoint receives the kinds of events that the plan includes', async () => {
    for (const [n, [plans, type, outcome]] of events.entries()) {
      if (plans !== events[n - 1]?.[0]) await common.plans(plans)
      const { status, body } = await common.call<ErrorBody & { id: string }>('POST', '/api/v1/webhooks', {
        url: 'https://hook.example/x',
        events: [type],
      })
      const what = `${plans.plan} ${plans.agentsPlan} ${type}`
      expect(status, what).to.equal(outcome)
      if (status === 402) expect(body.code, what).to.equal('plan_required')
      else expect((await common.call('DELETE', `/api/v1/webhooks/${body.id}`)).status, what).to.equal(200)
    }
  })

  it('after a change to a smaller plan, an endpoint receives only the events that this plan includes', async () => {
    const own = await account({ plan: 'pro', agentsPlan: null })
    const { store } = door.ctx
    const { body } = await own.call<{ id: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hook.invalid/x',
      events: ['message.received', 'mailbox.created'],
    })
    const told = async () => {
      await door.ctx.background.done()
      return store.deliveries.find({ webhookId: body.id }).toArray()
    }
    const create = () => own.call('POST', '/api/v1/mailboxes', { address: `n${++sends}@plans${made}.example` })
    await own.plans({ plan: 'starter' })
    await create()
    expect(await told()).to.deep.equal([])
    await own.plans({ plan: 'growth' })
    await create()
    expect((await told()).map(({ type }) => type)).to.deep.equal(['mailbox.created'])
  })

  const domains: readonly (readonly [plans: Plans, raised: number | null, most: number])[] = [
    [{ plan: null, agentsPlan: 'free' }, null, 0],
    [{ plan: null, agentsPlan: 'free' }, 2, 2],
    [{ plan: null, agentsPlan: null }, null, 0],
    [{ plan: null, agentsPlan: 'developer' }, null, 10],
    [{ plan: 'starter', agentsPlan: 'free' }, null, 50],
  ]
  for (const [plans, raised, most] of domains)
    it(`own domains of ${plans.plan} and ${plans.agentsPlan}, raised to ${raised}: ${most}`, async () => {
      await common.plans(plans)
      await raise(common, 'ownDomains', raised)
      const { accountId } = common.tenant
      const used = most > 1 ? { $set: { ownDomains: most - 1 } } : { $unset: { ownDomains: '' } }
      await door.ctx.store.accounts.updateOne({ _id: accountId }, used as UpdateFilter<AccountDoc>)
      const add = () =>
        createDomain(door.ctx, { domain: `own${++sends}.test`, accountId, verified: true }).then(
          () => 'made',
          (error: Failure) => error.code,
        )
      const outcomes = await Promise.all([add(), add(), add()])
      expect(outcomes.filter((outcome) => outcome === 'made')).to.have.length(Math.min(1, most))
      expect(outcomes.filter((outcome) => outcome === 'plan_required')).to.have.length(3 - Math.min(1, most))
    })

  it('a domain that another account has does not count towards the limit', async () => {
    const own = await account({ plan: null, agentsPlan: 'developer' })
    const { accountId, address } = own.tenant
    const taken = address.slice(address.indexOf('@') + 1)
    for (let n = 0; n < 12; n++) {
      const error = await createDomain(door.ctx, { domain: taken, accountId, verified: true }).catch((e: Failure) => e)
      expect(error).to.include({ code: 'conflict' })
    }
    expect((await door.ctx.store.accounts.findOne({ _id: accountId }))?.ownDomains).to.equal(1)
  })

  const budgets: readonly (readonly [Plans, number])[] = [
    [agentsFree, 0],
    [pro, 25_000],
  ]
  it('usage shows the marketing budget', async () => {
    for (const [plans, limit] of budgets) {
      await common.plans(plans)
      const { body } = await common.call<{ marketing: Json }>('GET', '/api/v1/usage')
      expect(body.marketing, `${plans.plan} ${plans.agentsPlan}`).to.deep.equal({ limit })
    }
  })

  it('a granted volume ends the warm-up and the limit of the free address', async () => {
    const { account: fresh, apiKey, address, claimUrl } = await signup(door.ctx, { address: '192.0.2.77' })
    await claimByToken(door.ctx, { token: claimUrl.slice(claimUrl.lastIndexOf('/') + 1), owner: 'ada@remote.example' })
    const tenant = { accountId: fresh.id, address, mailboxId: '', key: apiKey }
    const own: Own = {
      tenant,
      call: client(door.http, apiKey),
      plans: (plans) => changeAccountPlans(door.ctx, fresh.id, plans),
    }
    const once = () => send(own, 1, 'remote.example')
    await use(own, 'day', { sent: 50, sharedSends: 50 })
    expect(await once()).to.equal('shared_domain_send_limit')
    await raise(own, 'sharedDomainSendsPerDay', 52)
    expect(await once()).to.equal('send_rate_limited')
    await raise(own, 'sendsPerDay', 51)
    expect([await once(), await once()]).to.deep.equal(['sent', 'send_rate_limited'])
    await raise(own, 'sendsPerDay', 60)
    expect([await once(), await once()]).to.deep.equal(['sent', 'shared_domain_send_limit'])
    await raise(own, 'sharedDomainSendsPerDay', null)
    expect(await once()).to.equal('shared_domain_send_limit')
  })

  it('the plan of an unknown account cannot be changed', async () => {
    for (const change of [
      () => changeAccountPlans(door.ctx, 'acc_nobody', { plan: null }),
      () => raiseLimit(door.ctx, 'acc_nobody', { figure: 'inboxes', to: 5 }),
    ])
      expect(await change().catch((error: Failure) => error)).to.include({ code: 'not_found' })
  })
})
