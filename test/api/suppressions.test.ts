import { expect } from 'chai'
import { claimAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { settleDue } from '../../core/send/settle.ts'
import { insertSuppressions, suppressionId } from '../../store/suppressions.ts'
import { type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, makeTenant, openTenant, type Tenant } from '../start/door.ts'

describe('api: suppressions', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  const send = (to: string | readonly string[]) =>
    call<Json & ErrorBody & { id: string }>('POST', `${mailboxPath(tenant.address)}/send`, { to, text: 'Hello' })

  /** Makes every due delivery bounce with the given reply. */
  async function bounceAll(response: string): Promise<void> {
    await door.ctx.background.done()
    for (const attempt of await claimAttempts(door.ctx, { owner: 'test', max: 100 })) {
      const at = door.ctx.clock.now()
      await recordOutcome(door.ctx, attempt, { status: 'bounced', response, mx: 'mx.remote.example', tls: true, at })
    }
    await settleDue(door.ctx)
  }

  it('an address that bounced permanently is not written to again', async () => {
    await send('gone@remote.example')
    await bounceAll('550 5.1.1 no such user')
    const { body } = await call('GET', '/api/v1/suppressions/Gone@Remote.example')
    expect(body).to.deep.include({
      email: 'gone@remote.example',
      reason: 'bounce',
      detail: '550 5.1.1 no such user',
    })
    const alone = await send('gone@remote.example')
    expect([alone.status, alone.body.code]).to.deep.equal([422, 'all_recipients_suppressed'])
    expect(alone.body.error).to.equal(
      'Nothing was sent: all recipients are on the suppression list (gone@remote.example bounced).',
    )
    const among = await send(['gone@remote.example', 'ada@remote.example'])
    expect(among.body).to.deep.include({
      suppressed: ['gone@remote.example'],
      recipients: [
        { email: 'gone@remote.example', status: 'failed' },
        { email: 'ada@remote.example', status: 'queued' },
      ],
    })
    await bounceAll('550 5.7.1 this message is spam')
  })

  it('a suppression that another process adds at the same moment does not keep the others off the list', async () => {
    const { accountId } = tenant
    const row = { accountId, reason: 'bounce', detail: null, at: door.ctx.clock.now() } as const
    const emails = ['race@remote.example', 'after@remote.example']
    // A MongoDB server that runs two upserts at once refuses one with E11000. The engine runs one after the other, so this entry stands
    // for the one of which the filter knew nothing yet.
    const _id = suppressionId(accountId, emails[0]!)
    await door.ctx.store.suppressions.insertOne({ ...row, _id, accountId: 'acc_meanwhile', email: emails[0]! })
    await insertSuppressions(
      door.ctx.store,
      emails.map((email) => ({ ...row, email })),
    )
    expect((await call('GET', `/api/v1/suppressions/${emails[1]}`)).status).to.equal(200)
    await door.ctx.store.suppressions.deleteOne({ accountId: 'acc_meanwhile', _id })
  })

  it('a refusal of the message does not suppress the address', async () => {
    expect((await call('GET', '/api/v1/suppressions/ada@remote.example')).status).to.equal(404)
  })

  const ofOthers = [
    ['the sender', 'sender', '550-5.1.8 Sender address rejected:\n550 5.1.8 domain not found'],
    ['the form of the sender', 'form', '553 5.1.7 sender syntax'],
    ['what the last line says', 'last', '550-We do not take it.\n550 5.7.1 see our policy'],
    ['a code behind a sign', 'sign', '554 #5.7.1 not from you'],
    ['the room in the mailbox', 'full', '552 over quota'],
    ['the way that mail is led', 'led', '550 5.4.6 mail for remote.example loops back to this server'],
  ] as const
  for (const [what, name, response] of ofOthers)
    it(`a refusal because of ${what} does not suppress the address`, async () => {
      const address = `${name}@remote.example`
      const sent = await send(address)
      await bounceAll(response)
      const { body } = await call<{ recipients: Json[] }>('GET', `/api/v1/emails/${sent.body.id}`)
      expect(body.recipients[0]).to.deep.include({ status: 'bounced', response })
      expect((await call('GET', `/api/v1/suppressions/${address}`)).status).to.equal(404)
    })

  it('a manually added address is not reported as a bounce', async () => {
    const by = (n: number) => `hand${n}@remote.example`
    for (let n = 0; n < 6; n++) await call('POST', '/api/v1/suppressions', { email: by(n) })
    const alone = await send(by(0))
    expect([alone.status, alone.body.code]).to.deep.equal([422, 'all_recipients_suppressed'])
    expect(alone.body.error).to.equal(
      `Nothing was sent: all recipients are on the suppression list (${by(0)} was added by hand).`,
    )
    expect((await send(['gone@remote.example', by(1)])).body.error).to.include(
      `(gone@remote.example bounced, ${by(1)} was added by hand)`,
    )
    expect((await send([0, 1, 2, 3, 4, 5].map(by))).body.error).to.match(/by hand, and 1 more\)\.$/)
    for (const text of [alone.body.error, alone.body.fix]) expect(text).to.not.match(/bounc/)
  })

  it('simulated recipients are never suppressed', async () => {
    await call('POST', '/api/v1/suppressions', { email: 'bounced@simulator.invalid' })
    expect((await send('bounced@simulator.invalid')).status).to.equal(202)
    await bounceAll('550 5.1.1 no such user (simulated)')
  })

  it('are added, listed by pages and removed', async () => {
    for (const name of ['a', 'b', 'c']) {
      door.advance(1_000)
      expect((await call('POST', '/api/v1/suppressions', { email: `${name}@list.example` })).status).to.equal(201)
    }
    const first = await call<{ suppressions: Json[]; next: string }>('GET', '/api/v1/suppressions?limit=2')
    expect(first.body.suppressions.map(({ email }) => email)).to.deep.equal(['c@list.example', 'b@list.example'])
    const second = await call<{ suppressions: Json[] }>('GET', `/api/v1/suppressions?limit=1&before=${first.body.next}`)
    expect(second.body.suppressions.map(({ email }) => email)).to.deep.equal(['a@list.example'])
    expect((await call('DELETE', '/api/v1/suppressions/a@list.example')).body).to.deep.equal({
      success: true,
      deleted: true,
    })
    expect((await call('DELETE', '/api/v1/suppressions/a@list.example')).status).to.equal(404)
  })

  it('refuses an invalid address or cursor', async () => {
    const address = await call<ErrorBody>('POST', '/api/v1/suppressions', { email: 'nobody' })
    expect([address.status, address.body.param]).to.deep.equal([400, 'email'])
    const cursor = await call<ErrorBody>('GET', '/api/v1/suppressions?before=zzz')
    expect([cursor.status, cursor.body.param]).to.deep.equal([400, 'before'])
  })

  it('an agent key may not remove one, and another account has its own', async () => {
    const { apiKey } = await makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: ['mail:send'],
      mailboxIds: [tenant.mailboxId],
    })
    const agent = await client(door.http, apiKey)<ErrorBody>('DELETE', '/api/v1/suppressions/gone@remote.example')
    expect([agent.status, agent.body.code]).to.deep.equal([403, 'forbidden'])
    const other = await makeTenant(door, { name: 'other' })
    const elsewhere = await client(door.http, other.key)('GET', '/api/v1/suppressions/gone@remote.example')
    expect(elsewhere.status).to.equal(404)
  })

  describe('of an agent key', () => {
    type Sender = 'agent' | 'agent, new mailbox' | 'account, for the agent' | 'account' | 'other agent' | 'no mailbox'
    const senders: { [sender in Sender]?: (to: string | readonly string[]) => Promise<boolean> } = {}
    const own = { account: '', agent: '', other: '' }

    const posting = (key: string, mailbox: string) => async (to: string | readonly string[]) => {
      const sent = await client(door.http, key)<Json & { suppressed: string[] }>(
        'POST',
        `${mailboxPath(mailbox)}/send`,
        { to, text: 'Hello' },
      )
      return sent.status === 422 || sent.body.suppressed.length > 0
    }
    const agentKey = async () => {
      const kind = 'agent' as const
      const scopes = ['mail:send', 'mailboxes:write'] as const
      return (await makeKey(door.ctx, { accountId: tenant.accountId, kind, scopes: [...scopes], mailboxIds: [] }))
        .apiKey
    }
    const makeMailbox = async (key: string, name: string) => {
      const address = `${name}@tenant.example`
      expect((await client(door.http, key)('POST', '/api/v1/mailboxes', { address })).status).to.equal(201)
      return address
    }

    before(async () => {
      Object.assign(own, { account: tenant.key, agent: await agentKey(), other: await agentKey() })
      const [first, others] = [await makeMailbox(own.agent, 'robot'), await makeMailbox(own.other, 'cousin')]
      for (const [key, who] of [
        [own.agent, 'agent'],
        [own.account, 'account'],
        [own.other, 'other'],
      ] as const)
        await client(door.http, key)('POST', '/api/v1/suppressions', { email: `${who}@said.example` })
      await client(door.http, own.agent)('POST', '/api/v1/suppressions', { email: 'both@said.example' })
      await client(door.http, own.other)('POST', '/api/v1/suppressions', { email: 'both@said.example' })
      for (const key of [own.agent, own.account, own.agent])
        await client(door.http, key)('POST', '/api/v1/suppressions', { email: 'widened@said.example' })
      const later = await makeMailbox(own.agent, 'robot-later')
      senders.agent = posting(own.agent, first)
      senders['agent, new mailbox'] = posting(own.agent, later)
      senders['account, for the agent'] = posting(own.account, first)
      senders.account = posting(own.account, tenant.address)
      senders['other agent'] = posting(own.other, others)
      senders['no mailbox'] = async (to) => {
        const mail = { from: 'shop@tenant.example', to, subject: 's', text: 'Hello' }
        const sent = await call<Json & { suppressed: string[] }>('POST', '/api/v1/emails', mail)
        return sent.status === 422 || sent.body.suppressed.length > 0
      }
    })

    it('becomes one of the account when the address bounces', async () => {
      await client(door.http, own.agent)('POST', '/api/v1/suppressions', { email: 'gone@said.example' })
      expect(await senders.account?.('gone@said.example')).to.equal(false)
      await bounceAll('550 5.1.1 no such user')
      expect(await senders['other agent']?.('gone@said.example')).to.equal(true)
      const { body } = await call('GET', '/api/v1/suppressions/gone@said.example')
      expect(body).to.include({ reason: 'bounce', mailboxes: null })
    })

    const everyone = Object.keys({
      agent: 1,
      'agent, new mailbox': 1,
      'account, for the agent': 1,
      account: 1,
      'other agent': 1,
      'no mailbox': 1,
    } satisfies Record<Sender, 1>) as readonly Sender[]
    const cases: readonly (readonly [who: string, stopped: readonly Sender[]])[] = [
      ['nobody', []],
      ['agent', ['agent', 'agent, new mailbox', 'account, for the agent']],
      ['other', ['other agent']],
      ['both', ['agent', 'agent, new mailbox', 'account, for the agent', 'other agent']],
      ['account', everyone],
      ['widened', everyone],
    ]
    for (const [who, stopped] of cases)
      for (const sender of everyone)
        it(`${sender} is ${stopped.includes(sender) ? '' : 'not '}stopped by what ${who} said`, async () => {
          const to = `${who}@said.example`
          expect(await senders[sender]?.(to)).to.equal(stopped.includes(sender))
          // Several recipients are looked up by another query than one.
          expect(await senders[sender]?.([to, 'free@said.example'])).to.equal(stopped.includes(sender))
        })

    it('is checked again when a scheduled message is sent', async () => {
      const at = new Date(door.ctx.clock.now().getTime() + 60_000).toISOString()
      const plan = (key: string, mailbox: string) =>
        client(door.http, key)<{ id: string }>('POST', `${mailboxPath(mailbox)}/send`, {
          to: 'later@said.example',
          text: 'Hello',
          sendAt: at,
        })
      const [stopped, free] = [await plan(own.agent, 'robot@tenant.example'), await plan(own.account, tenant.address)]
      await client(door.http, own.agent)('POST', '/api/v1/suppressions', { email: 'later@said.example' })
      door.advance(61_000)
      await settleDue(door.ctx)
      const outcomeOf = async ({ body }: { body: { id: string } }) => {
        const email = await call<{ recipients: Json[] }>('GET', `/api/v1/emails/${body.id}`)
        return email.body.recipients[0]?.reason
      }
      expect([await outcomeOf(stopped), await outcomeOf(free)]).to.deep.equal(['suppressed', null])
    })

    it('is shown to the keys that it concerns, with the mailboxes that they reach', async () => {
      const seen = async (key: string) => {
        const { body } = await client(door.http, key)<{ suppressions: Json[] }>('GET', '/api/v1/suppressions?limit=200')
        const said = body.suppressions.filter(({ email }) => String(email).endsWith('@said.example'))
        const one = await client(door.http, key)<Json>('GET', '/api/v1/suppressions/both@said.example')
        expect(said).to.deep.include(
          Object.fromEntries(Object.entries(one.body).filter(([name]) => name !== 'success')),
        )
        const mine = said.filter(({ email }) => /^(agent|other|both|account)@/.test(String(email)))
        return Object.fromEntries(mine.map(({ email, mailboxes }) => [String(email).split('@')[0], mailboxes]))
      }
      const [robot, cousin] = ['robot@tenant.example', 'cousin@tenant.example']
      expect(await seen(own.account)).to.deep.equal({
        account: null,
        agent: [robot],
        both: [cousin, robot],
        other: [cousin],
      })
      expect(await seen(own.agent)).to.deep.equal({ account: null, agent: [robot], both: [robot] })
      expect(await seen(own.other)).to.deep.equal({ account: null, other: [cousin], both: [cousin] })
      const hidden = await client(door.http, own.other)('GET', '/api/v1/suppressions/agent@said.example')
      expect(hidden.status).to.equal(404)
    })

    it('can be removed only by an account key', async () => {
      const path = '/api/v1/suppressions/agent@said.example'
      expect((await client(door.http, own.agent)('DELETE', path)).status).to.equal(403)
      expect((await call('DELETE', path)).status).to.equal(200)
      expect(await senders.agent?.('agent@said.example')).to.equal(false)
    })
  })
})
