import { expect } from 'chai'
import { claimAttempts } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { settleDue } from '../../core/send/settle.ts'
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

  /** Lets every due delivery bounce with an answer. */
  async function bounceAll(response: string): Promise<void> {
    await door.ctx.background.done()
    for (const attempt of await claimAttempts(door.ctx, { owner: 'test', max: 100 })) {
      const at = door.ctx.clock.now()
      await recordOutcome(door.ctx, attempt, { status: 'bounced', response, mx: 'mx.remote.example', tls: true, at })
    }
    await settleDue(door.ctx)
  }

  it('an address that bounced for good is not written to again', async () => {
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

  it('a refusal of the message says nothing of the address', async () => {
    expect((await call('GET', '/api/v1/suppressions/ada@remote.example')).status).to.equal(404)
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

  it('refuses what is no address and no cursor', async () => {
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
})
