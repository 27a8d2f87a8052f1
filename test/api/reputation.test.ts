import { expect } from 'chai'
import { authenticate } from '../../core/access/principal.ts'
import { counterIn, usagePeriod } from '../../core/access/usage.ts'
import { claimByToken, signup } from '../../core/account/accounts.ts'
import { countOutcomes, resumeSending, sweepPauseChanges, verifyPhone } from '../../core/account/reputation.ts'
import { claimAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { sendMessage } from '../../core/send/send.ts'
import { settleDue } from '../../core/send/settle.ts'
import type { Failure } from '../../schemas/failures.ts'
import { changePause } from '../../store/accounts.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeTenant, openDoor } from '../start/door.ts'

const dayMs = 86_400_000

describe('api: the reputation of an account', () => {
  let door: Door

  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  const sender = (call: Call, address: string) => (n: number) =>
    call<Json & ErrorBody>('POST', `${mailboxPath(address)}/send`, { to: `p${n}@remote.example`, text: 'Hi' })

  /** Writes the usage of one day, as sends and their outcomes would leave it. */
  async function use(
    accountId: string,
    counts: { sent: number; bounced?: number; complained?: number },
  ): Promise<void> {
    const now = door.ctx.clock.now()
    const { id, expiresAt } = usagePeriod(accountId, 'day', now)
    const used = Object.entries(counts).map(([counter, count]) => [`counts.${counterIn('day', counter, now)}`, count])
    await door.ctx.store.usage.updateOne(
      { _id: id },
      { $set: { ...Object.fromEntries(used), expiresAt } },
      { upsert: true },
    )
  }

  it('a new account has 50 sends on its first day, and twice as many after a clean day', async () => {
    const { account, apiKey, address, claimUrl } = await signup(door.ctx, { address: '192.0.2.7' })
    await claimByToken(door.ctx, { token: claimUrl.slice(claimUrl.lastIndexOf('/') + 1), owner: 'ada@remote.example' })
    const send = sender(client(door.http, apiKey), address)
    await use(account.id, { sent: 49 })
    expect((await send(1)).status).to.equal(202)
    const over = await send(2)
    expect([over.status, over.body.code]).to.deep.equal([429, 'send_rate_limited'])
    expect(String((over.body as unknown as { error: string }).error)).to.contain('warms up')
    door.advance(dayMs)
    await use(account.id, { sent: 98 })
    const next = await send(3)
    // The free address has a separate limit of 50 a day, which this account has not used today.
    expect(next.status).to.equal(202)
    // A day without sends, or with too many bounces, does not raise the limit.
    await use(account.id, { sent: 99, bounced: 20 })
    door.advance(dayMs)
    await use(account.id, { sent: 100 })
    expect((await send(4)).body.code).to.equal('send_rate_limited')
  })

  it('the free address needs a phone number if the setting requires one', async () => {
    const { account, apiKey, address, claimUrl } = await signup(door.ctx, { address: '192.0.2.8' })
    await claimByToken(door.ctx, { token: claimUrl.slice(claimUrl.lastIndexOf('/') + 1), owner: 'bob@remote.example' })
    const { settings } = door.ctx
    const asking = { ...door.ctx, settings: { ...settings, signup: { ...settings.signup, phoneRequired: true } } }
    const send = async () => {
      const to = [{ name: '', address: 'ada@remote.example' }]
      const principal = await authenticate(door.ctx, apiKey)
      return sendMessage(asking, principal, { address, to, text: 'Hi' }).then(
        ({ status }) => status,
        (error: Failure) => error.code,
      )
    }
    expect(await send()).to.equal('shared_domain_phone_required')
    await verifyPhone(door.ctx, account.id)
    expect(await send()).to.equal('queued')
  })

  it('pauses an account with too many bounces, notifies it, and lets it send once it is resumed', async () => {
    const tenant = await makeTenant(door, { name: 'bouncer' })
    const call = client(door.http, tenant.key)
    const send = sender(call, tenant.address)
    await use(tenant.accountId, { sent: 60 })
    for (let n = 0; n < 8; n++) await send(n)
    await door.ctx.background.done()
    for (const attempt of await claimAttempts(door.ctx, { owner: 'test', max: 100 })) {
      const at = door.ctx.clock.now()
      await recordOutcome(door.ctx, attempt, { status: 'bounced', response: '550 5.1.1 no', mx: 'mx', tls: true, at })
    }
    await settleDue(door.ctx)
    const refused = await send(100)
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'sending_paused'])
    const events = await call<{ events: { data: Json }[] }>('GET', '/api/v1/events?type=account.sending_paused')
    expect(events.body.events.map(({ data }) => data.reason)).to.deep.equal(['too many bounces'])
    expect(await resumeSending(door.ctx, tenant.accountId, 'mended')).to.equal(true)
    expect((await send(101)).status).to.equal(202)
    const resumed = await call<{ events: Json[] }>('GET', '/api/v1/events?type=account.sending_resumed')
    expect(resumed.body.events).to.have.length(1)
  })

  it('counts no bounces from before against a resumed account, not even those of the same day', async () => {
    const { accountId, address, key } = await makeTenant(door, { name: 'mended' })
    const call = client(door.http, key)
    const send = sender(call, address)
    const code = async (n: number) => (await send(n)).body.code
    await use(accountId, { sent: 100, bounced: 10 })
    await countOutcomes(door.ctx, accountId, { bounced: 1, complained: 0 })
    expect(await code(1)).to.equal('sending_paused')
    expect(await resumeSending(door.ctx, accountId, 'mended')).to.equal(true)
    await countOutcomes(door.ctx, accountId, { bounced: 1, complained: 0 })
    expect((await send(2)).status).to.equal(202)
    await use(accountId, { sent: 200, bounced: 20 })
    await countOutcomes(door.ctx, accountId, { bounced: 1, complained: 0 })
    expect((await send(3)).status).to.equal(202)
    await use(accountId, { sent: 201, bounced: 21 })
    await countOutcomes(door.ctx, accountId, { bounced: 1, complained: 0 })
    expect(await code(4)).to.equal('sending_paused')
  })

  it('announces a pause and its end once, even if a process dies between the change and its event', async () => {
    const tenant = await makeTenant(door, { name: 'interrupted' })
    const call = client(door.http, tenant.key)
    const heard = async () => {
      const { body } = await call<{ events: { type: string; data: Json }[] }>(
        'GET',
        '/api/v1/events?type=account.sending_paused,account.sending_resumed',
      )
      return body.events.map(({ type, data }) => [type, data])
    }
    const at = (seconds: number) => new Date(door.ctx.clock.now().getTime() + seconds * 1_000)
    const changes = [
      { to: 'paused', reason: 'one', at: at(0) },
      { to: 'resumed', reason: 'two', at: at(1) },
      { to: 'paused', reason: 'three', at: at(2) },
    ] as const
    const wanted = changes.map(({ to, reason, at }) => [`account.sending_${to}`, { reason, at: at.toISOString() }])
    for (const change of changes) expect(await changePause(door.ctx.store, tenant.accountId, change)).to.equal(true)
    expect(await heard()).to.deep.equal([])
    expect(await sweepPauseChanges(door.ctx)).to.equal(1)
    expect(await heard()).to.deep.equal(wanted.toReversed())
    // As if the process had died before it recorded that the events were announced.
    await door.ctx.store.accounts.updateOne({ _id: tenant.accountId }, { $set: { pauseChanges: changes } })
    expect([await sweepPauseChanges(door.ctx), await sweepPauseChanges(door.ctx)]).to.deep.equal([1, 0])
    expect(await heard()).to.deep.equal(wanted.toReversed())
  })

  it('judges nothing below 50 sends, and complaints more strictly than bounces', async () => {
    const small = await makeTenant(door, { name: 'small' })
    await use(small.accountId, { sent: 40 })
    await countOutcomes(door.ctx, small.accountId, { bounced: 30, complained: 5 })
    expect((await sender(client(door.http, small.key), small.address)(1)).status).to.equal(202)
    const spammer = await makeTenant(door, { name: 'spammer' })
    await use(spammer.accountId, { sent: 200 })
    await countOutcomes(door.ctx, spammer.accountId, { bounced: 0, complained: 1 })
    expect((await sender(client(door.http, spammer.key), spammer.address)(1)).body.code).to.equal('sending_paused')
  })
})
