import { expect } from 'chai'
import { changeAccount, sweepAdministered } from '../../core/administration/accounts.ts'
import { answerRequest } from '../../core/administration/requests.ts'
import { sweepAnswers } from '../../core/people/requests.ts'
import { minuteMs } from '../../core/process/clock.ts'
import { walkAudit } from '../../store/audit.ts'
import { addSample } from '../../store/vitals.ts'
import { expectRefusal } from '../peers/person.ts'
import { client, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { dyingAtEachWrite } from '../start/dying.ts'
import { newPerson, type SignedIn } from '../start/people.ts'

const base = '/api/v1/administration'
const accountPath = (id: string) => `${base}/accounts/${id}`

describe('api: administration', () => {
  let door: Door
  let tenant: Tenant
  let other: Tenant
  let owner: SignedIn
  let administrator: SignedIn

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    other = await makeTenant(door, { name: 'other' })
    owner = await newPerson(door, { accountId: tenant.accountId })
    administrator = await newPerson(door)
    Object.assign(door.ctx, { settings: { ...door.ctx.settings, administrators: [administrator.email.toUpperCase()] } })
  })
  after(() => door?.close())

  const auditOf = async (accountId: string) =>
    (await walkAudit(door.ctx.store, accountId, 0, 100)).map(({ action, personal, ...entry }) =>
      [action, personal?.target ?? null, 'userId' in entry ? entry.userId : null].join(' '),
    )

  describe('access', () => {
    const reads = ['accounts', 'requests', 'outbox', 'refusals', 'processes']
    for (const what of reads)
      it(`${what}: only an administrator, no owner and no key`, async () => {
        expect((await administrator.ask('GET', `${base}/${what}`)).status).to.equal(200)
        expectRefusal(await owner.ask('GET', `${base}/${what}`), [403, 'forbidden'])
        expectRefusal(await client(door.http, tenant.key)('GET', `${base}/${what}`), [403, 'forbidden'])
        expectRefusal(await client(door.http)('GET', `${base}/${what}`), [401, 'unauthorized'])
      })

    it('nobody else changes anything', async () => {
      const change = { suspended: { reason: 'mine' } }
      expectRefusal(await owner.ask('PATCH', accountPath(other.accountId), change), [403, 'forbidden'])
      expectRefusal(await owner.ask('POST', `${base}/requests/ask_1`, { granted: true, answer: '' }), [
        403,
        'forbidden',
      ])
      expect((await client(door.http, other.key)('GET', '/api/v1/account')).body.status).to.equal('active')
    })

    it('the session says whether its person is an administrator', async () => {
      const says = async (person: SignedIn) => (await person.ask('GET', '/api/v1/session')).body.administrator
      expect([await says(administrator), await says(owner)]).to.deep.equal([true, false])
    })
  })

  describe('accounts', () => {
    const found = async (q: string) =>
      (
        await administrator.ask<{ accounts: { id: string }[] }>('GET', `${base}/accounts?q=${encodeURIComponent(q)}`)
      ).body.accounts.map(({ id }) => id)

    const words: readonly (readonly [name: string, q: () => string, finds: () => string[]])[] = [
      ['an id', () => tenant.accountId, () => [tenant.accountId]],
      ['the address of a mailbox', () => other.address, () => [other.accountId]],
      ['the same in capitals', () => other.address.toUpperCase(), () => [other.accountId]],
      ['the address of a member', () => owner.email, () => [tenant.accountId]],
      ['an unknown id', () => `${tenant.accountId.slice(0, -4)}0000`, () => []],
      ['an unknown address', () => 'nobody@nowhere.example', () => []],
      ['no address', () => '@', () => []],
      ['an unknown name', () => 'zzz', () => []],
    ]
    for (const [name, q, finds] of words) it(`by ${name}`, async () => expect(await found(q())).to.deep.equal(finds()))

    it('by the beginning of a name, and all of them in pages', async () => {
      const { body } = await administrator.ask<{ accounts: { id: string; name: string }[] }>('GET', `${base}/accounts`)
      const ids = body.accounts.map(({ id }) => id)
      expect(ids).to.include.members([tenant.accountId, other.accountId])
      const [{ name = '' } = {}] = body.accounts
      expect(await found(name.slice(0, 3))).to.include(ids[0])
      const first = (await administrator.ask<{ accounts: Json[]; next: string }>('GET', `${base}/accounts?limit=1`))
        .body
      const second = await administrator.ask<{ accounts: { id: string }[] }>(
        'GET',
        `${base}/accounts?limit=1&before=${first.next}`,
      )
      expect(second.body.accounts.map(({ id }) => id)).to.deep.equal(ids.slice(1, 2))
    })

    it('one with its people and its usage', async () => {
      const { body } = await administrator.ask('GET', accountPath(tenant.accountId))
      expect(body.people).to.deep.equal([{ email: owner.email, role: 'owner', status: 'active' }])
      expect(body.usage).to.include({ inboxes: 1, webhooks: 0 })
      const own = await client(door.http, tenant.key)<{ days: unknown[] }>('GET', '/api/v1/usage/daily')
      expect(own.body.days).to.have.length(30)
      expect(body.days, 'as the account itself sees them').to.deep.equal(own.body.days)
    })

    it('are suspended and resumed at once, and their audit records it', async () => {
      const call = client(door.http, other.key)
      const { body } = await administrator.ask('PATCH', accountPath(other.accountId), {
        suspended: { reason: 'abuse' },
      })
      expect(body).to.deep.include({ status: 'suspended' })
      expectRefusal(await call('GET', '/api/v1/mailboxes'), [403, 'account_suspended'])
      await administrator.ask('PATCH', accountPath(other.accountId), { suspended: null })
      expect((await call('GET', '/api/v1/mailboxes')).status).to.equal(200)
      const audit = await auditOf(other.accountId)
      expect(audit).to.include.members([
        `account.suspend abuse ${administrator.id}`,
        `account.unsuspend  ${administrator.id}`,
      ])
    })

    it('have their sending paused and their plans changed', async () => {
      const call = client(door.http, other.key)
      const change = { sendingPaused: { reason: 'bounces' }, agentsPlan: 'free', raise: { figure: 'inboxes', to: 77 } }
      const { body } = await administrator.ask('PATCH', accountPath(other.accountId), change)
      expect(body).to.deep.include({ agentsPlan: 'free', raised: { inboxes: 77 } })
      const send = { to: 'delivered@simulator.invalid', text: 'x' }
      expectRefusal(await call('POST', `${mailboxPath(other.address)}/send`, send), [403, 'sending_paused'])
      await administrator.ask('PATCH', accountPath(other.accountId), { sendingPaused: null })
      expect((await call('POST', `${mailboxPath(other.address)}/send`, send)).status).to.equal(202)
    })

    it('have the reason of a hold replaced, which keeps its time and is audited', async () => {
      const { accountId } = await makeTenant(door, { name: 'reworded' })
      type Holds = { [name in 'suspended' | 'sendingPaused']: { reason: string; at: string } }
      const change = async (reason: string) =>
        (
          await administrator.ask<Holds>('PATCH', accountPath(accountId), {
            suspended: { reason },
            sendingPaused: { reason },
          })
        ).body
      const first = await change('unpaid')
      door.advance(60_000)
      const { suspended, sendingPaused } = await change('abuse')
      expect(suspended).to.deep.equal({ ...first.suspended, reason: 'abuse' })
      expect(sendingPaused).to.deep.equal({ ...first.sendingPaused, reason: 'abuse' })
      await change('abuse')
      expect((await auditOf(accountId)).filter((entry) => entry.startsWith('account.'))).to.deep.equal(
        ['unpaid', 'abuse'].flatMap((reason) =>
          ['suspend', 'pause'].map((act) => `account.${act} ${reason} ${administrator.id}`),
        ),
      )
      const { body } = await administrator.ask('PATCH', accountPath(accountId), { suspended: null })
      expect(body.sendingPaused).to.deep.equal(sendingPaused)
    })

    it('have a change applied whole or not at all, wherever it is interrupted, and audited', async () => {
      const { accountId } = await makeTenant(door, { name: 'changed' })
      const seen = async () => {
        const { agentsPlan, raised, suspended, sendingPaused } = (
          await administrator.ask<{ [name in 'suspended' | 'sendingPaused']: Json } & Json>(
            'GET',
            accountPath(accountId),
          )
        ).body
        return { agentsPlan, raised, suspended: suspended?.reason, sendingPaused: sendingPaused?.reason }
      }
      const before = await seen()
      const change = {
        agentsPlan: 'free',
        raise: { figure: 'inboxes', to: 77 },
        suspended: { reason: 'abuse' },
        sendingPaused: { reason: 'bounces' },
      }
      const after = { agentsPlan: 'free', raised: { inboxes: 77 }, suspended: 'abuse', sendingPaused: 'bounces' }
      let interrupted = 0
      for (;;) {
        const restore = failing(door, ++interrupted)
        const { status } = await administrator.ask('PATCH', accountPath(accountId), change)
        restore()
        const now = await seen()
        expect([before, after]).to.deep.include(now)
        if (status === 200) break
      }
      expect(interrupted).to.be.greaterThan(1)
      expect(await seen()).to.deep.equal(after)
      const audit = await auditOf(accountId)
      expect(audit.filter((entry) => entry.startsWith('account.suspend'))).to.deep.equal([
        `account.suspend abuse ${administrator.id}`,
      ])
      await administrator.ask('PATCH', accountPath(accountId), {
        raise: { figure: 'inboxes', to: null },
        suspended: null,
      })
      const undone = { ...after, raised: {}, suspended: undefined }
      expect(await seen()).to.deep.equal(undone)
    })

    it('have each change in their audit, wherever the process dies that makes it', async () => {
      const { accountId } = await makeTenant(door, { name: 'interrupted' })
      let reason = ''
      const expected: string[] = []
      const deaths = await dyingAtEachWrite(
        async () => (await door.another()).ctx,
        (ctx) => {
          reason += 'x'
          return changeAccount(ctx, { accountId, personId: administrator.id }, { suspended: { reason } })
        },
        async () => {
          const { body } = await administrator.ask<{ suspended: Json | null }>('GET', accountPath(accountId))
          if (body.suspended?.reason === reason) expected.push(`account.suspend ${reason} ${administrator.id}`)
          await sweepAdministered(door.ctx)
          expect((await auditOf(accountId)).filter((each) => each.startsWith('account.'))).to.deep.equal(expected)
        },
      )
      expect(deaths).to.be.above(1)
      expect(expected).to.have.length.above(1)
      expect(await sweepAdministered(door.ctx)).to.equal(0)
    })

    const wrong: readonly (readonly [name: string, change: object])[] = [
      ['an unknown plan', { plan: 'gold' }],
      ['no reason', { suspended: {} }],
      ['an empty reason', { suspended: { reason: '' } }],
      ['a blank reason', { sendingPaused: { reason: ' \u00a0' } }],
      ['an unknown figure', { raise: { figure: 'fame', to: 1 } }],
      ['an unknown field', { erased: true }],
    ]
    for (const [name, change] of wrong)
      it(`refuses ${name}`, async () =>
        expectRefusal(await administrator.ask('PATCH', accountPath(other.accountId), change), [
          400,
          'validation_error',
        ]))

    it('that do not exist are not found', async () =>
      expectRefusal(await administrator.ask('GET', accountPath('acc_nobody')), [404, 'not_found']))
  })

  it('a request is decided once, and recorded in the audit of its account', async () => {
    const asked = { kind: 'limit', text: 'We need 100 mailboxes.' }
    const { id } = (await owner.ask('POST', '/api/v1/account/requests', asked)).body
    type Requests = { requests: { id: string; email: string; account: Json }[] }
    const open = (await administrator.ask<Requests>('GET', `${base}/requests`)).body.requests
    expect(open.find((each) => each.id === id)).to.deep.include({ email: owner.email, text: asked.text })
    for (const silent of ['', ' \n']) {
      const refusal = { granted: false, answer: silent }
      const { status, body } = await administrator.ask('POST', `${base}/requests/${id}`, refusal)
      expect([status, body.code, body.param]).to.deep.equal([400, 'validation_error', 'answer'])
    }
    const answer = { granted: true, answer: 'You may.' }
    const { body } = await administrator.ask('POST', `${base}/requests/${id}`, answer)
    expect(body).to.deep.include({ status: 'granted', answer: 'You may.' })
    expectRefusal(await administrator.ask('POST', `${base}/requests/${id}`, answer), [404, 'not_found'])
    const granted = (await administrator.ask<Requests>('GET', `${base}/requests?status=granted`)).body.requests
    expect(granted.map((each) => each.id)).to.include(id)
    expect(await auditOf(tenant.accountId)).to.include(`requests.grant ${id} ${administrator.id}`)
    const [mine] = (await owner.ask<Requests>('GET', '/api/v1/account/requests')).body.requests
    expect(mine).to.deep.include({ id, status: 'granted' })
  })

  it('an answer that a crash cut off is in the audit of its account when it is carried out, once', async () => {
    const { ctx } = door
    const asked = { kind: 'phone', phone: '+33123456789' }
    const { id } = (await owner.ask('POST', '/api/v1/account/requests', asked)).body
    const given = { requestId: String(id), isGranted: true, answer: 'Yes.', answeredBy: administrator.id }
    const updateOne = () => Promise.reject(new Error('killed'))
    const accounts = Object.assign(Object.create(ctx.store.accounts), { updateOne })
    const died = await answerRequest({ ...ctx, store: { ...ctx.store, accounts } }, given).catch(String)
    expect(died).to.equal('Error: killed')
    door.advance(2 * minuteMs)
    for (let n = 0; n < 2; n++) await sweepAnswers(ctx)
    const entry = `requests.grant ${id} ${administrator.id}`
    expect((await auditOf(tenant.accountId)).filter((each) => each === entry)).to.deep.equal([entry])
    const [mine] = (await owner.ask<{ requests: Json[] }>('GET', '/api/v1/account/requests')).body.requests
    expect(mine).to.include({ id, status: 'granted' }).and.not.have.property('answeredBy')
  })

  it('shows the outbox by destination domain', async () => {
    const call = client(door.http, tenant.key)
    const to = ['a@slow.example', 'b@slow.example', 'c@else.example']
    await call('POST', `${mailboxPath(tenant.address)}/send`, { to, text: 'x' })
    await door.ctx.background.done()
    type Outbox = { destinations: { domain: string; waiting: number; attempted: number }[]; complete: boolean }
    const { body } = await administrator.ask<Outbox>('GET', `${base}/outbox`)
    const seen = body.destinations.map(({ domain, waiting, attempted }) => [domain, waiting, attempted])
    expect(seen).to.deep.include.members([
      ['slow.example', 2, 0],
      ['else.example', 1, 0],
    ])
    expect(body.complete).to.equal(true)
    const { outbox } = door.ctx.store
    const row = await outbox.findOne({ recipient: 'c@else.example' })
    if (row === null) throw new Error('No row waits.')
    const waiting = await outbox.countDocuments({ notBefore: { $exists: true } })
    const copies = Array.from({ length: 10_001 - waiting }, (_, n) => ({ ...row, _id: `copy ${n}` }))
    await outbox.insertMany(copies.slice(1))
    const isComplete = async () => (await administrator.ask<Outbox>('GET', `${base}/outbox`)).body.complete
    expect(await isComplete(), 'with as many as are read').to.equal(true)
    await outbox.insertMany(copies.slice(0, 1))
    expect(await isComplete(), 'with one more').to.equal(false)
    await outbox.deleteMany({ accountId: row.accountId, _id: { $in: copies.map(({ _id }) => _id) } })
  })

  it('shows refusals per hour, and the state of the process', async () => {
    for (const code of ['550 5.1.1', '550 5.1.1', '421 4.3.2']) door.ctx.vitals.noteRefusal(code)
    // Figures that cannot be written are written with the next ones.
    const { usage } = door.ctx.store
    const refused = () => Promise.reject(new Error('The database is away.'))
    Object.defineProperty(usage, 'updateOne', { value: refused, configurable: true })
    expect(await door.ctx.vitals.write().catch(({ message }: Error) => message)).to.equal('The database is away.')
    Reflect.deleteProperty(usage, 'updateOne')
    await door.ctx.vitals.write()
    door.ctx.vitals.noteRefusal('550 5.1.1')
    await door.ctx.vitals.write()
    type Refused = { refusals: { codes: Record<string, number> }[] }
    const { refusals } = (await administrator.ask<Refused>('GET', `${base}/refusals?days=1`)).body
    const sum = (code: string) => refusals.reduce((total, { codes }) => total + (codes[code] ?? 0), 0)
    expect([sum('550 5.1.1'), sum('421 4.3.2')]).to.deep.equal([3, 1])
    type Seen = { processes: { pid: number; alive: boolean; samples: { memory: number; databaseMs: number }[] }[] }
    const { processes } = (await administrator.ask<Seen>('GET', `${base}/processes?hours=1`)).body
    const own = processes.find(({ pid }) => pid === process.pid)
    expect(own?.alive).to.equal(true)
    expect(own?.samples[0]?.memory).to.be.greaterThan(1_000_000)
    door.advance(10 * 60_000)
    const later = (await administrator.ask<Seen>('GET', `${base}/processes?hours=1`)).body.processes
    expect(later.find(({ pid }) => pid === process.pid)?.alive).to.equal(false)
  })

  it('a process with the host, name and pid of an earlier one is shown as another process', async () => {
    const { ctx } = door
    const at = ctx.clock.now()
    const hour = new Date(Math.floor(at.getTime() / 3_600_000) * 3_600_000)
    const started = [new Date(at.getTime() - 60_000), at]
    for (const startedAt of started)
      await addSample(ctx.store, {
        process: { host: 'container', process: 'serve', pid: 1, startedAt, hour },
        sample: { at, memoryBytes: 1, eventLoopMs: 1, databaseMs: 1 },
        expiresAt: new Date(at.getTime() + 3_600_000),
      })
    type Seen = { processes: { host: string; startedAt: string; samples: unknown[] }[] }
    const { processes } = (await administrator.ask<Seen>('GET', `${base}/processes?hours=2`)).body
    const seen = processes.filter(({ host }) => host === 'container')
    expect(seen.map(({ startedAt, samples }) => [startedAt, samples.length]).sort()).to.deep.equal(
      started.map((each) => [each.toISOString(), 1]),
    )
  })
})

/** Makes the n-th account update from now on fail, as if the process had died there. Returns a function that undoes this. */
function failing({ ctx: { store } }: Door, nth: number): () => void {
  const { accounts } = store
  let calls = 0
  for (const name of ['updateOne', 'findOneAndUpdate'] as const) {
    const update = accounts[name].bind(accounts) as (...args: unknown[]) => Promise<unknown>
    const value = (...args: unknown[]) => (++calls === nth ? Promise.reject(new Error('interrupted')) : update(...args))
    Object.defineProperty(accounts, name, { value, configurable: true })
  }
  return () => {
    for (const name of ['updateOne', 'findOneAndUpdate']) Reflect.deleteProperty(accounts, name)
  }
}
