import { expect } from 'chai'
import { type Collection, MongoNetworkError } from 'mongodb'
import { type AuditBreak, noteAudit, recordAudit, verifyAudit } from '../../core/access/audit.ts'
import { authenticate } from '../../core/access/principal.ts'
import { createAccount } from '../../core/account/accounts.ts'
import { erasePerson } from '../../core/people/erase-person.ts'
import { type Context, closeContext } from '../../core/process/context.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import type { AuditDoc } from '../../store/documents/accounts.ts'
import { migrate } from '../../store/migrations.ts'
import type { WriteTogether } from '../../store/writes.ts'
import { type Answer, type Call, client, type ErrorBody, type Json, mailboxPath } from '../peers/rest.ts'
import { type Door, makeKey, openTenant, type Tenant } from '../start/door.ts'
import { makePerson } from '../start/people.ts'
import { contextOf } from '../start/service.ts'

describe('api: the audit trail', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  it('records each change once, and refusals, but no reads and no replays', async () => {
    const entries = async () => {
      await door.ctx.background.done()
      return (await verifyAudit(door.ctx, tenant.accountId)).entries
    }
    const path = mailboxPath(tenant.address)
    const counts = [await entries()]
    const steps: readonly (() => Promise<Answer>)[] = [
      () => call('PATCH', path, { displayName: 'Audited' }),
      () => call('GET', path),
      () => call('PATCH', path, { color: 1 }),
      () => call('POST', '/api/v1/mailboxes', { address: 'audited@tenant.example' }, { 'idempotency-key': 'audit-1' }),
      () => call('POST', '/api/v1/mailboxes', { address: 'audited@tenant.example' }, { 'idempotency-key': 'audit-1' }),
      () => call('POST', '/api/v1/mailboxes', { address: 'a@elsewhere.example' }),
    ]
    for (const step of steps) {
      await step()
      counts.push(await entries())
    }
    expect(counts.map((count) => count - (counts[0] ?? 0))).to.deep.equal([0, 1, 1, 1, 2, 2, 3])
  })

  it('loses only the entry that cannot be written, of several that waited for the database', async () => {
    const another = await door.another()
    const { ctx } = another
    const { writeTogether } = ctx.store
    const refuse = (errorOf: (targets: string) => Error | null) => {
      const refusing: WriteTogether = async (writes) => {
        const error = errorOf(JSON.stringify(writes))
        if (error !== null) throw error
        return writeTogether(writes)
      }
      Object.assign(ctx.store, { writeTogether: refusing })
    }
    const note = (target: string) =>
      noteAudit(ctx, {
        accountId: tenant.accountId,
        keyId: null,
        action: 'test.kept',
        target,
        outcome: 'done',
        address: null,
      })
    refuse(() => new MongoNetworkError('The database is away.'))
    await Promise.all(['before', 'unwritable', 'behind'].map(note))
    refuse((targets) => (targets.includes('unwritable') ? new Error('It cannot be written.') : null))
    await ctx.background.done()
    const { entries } = (await call<{ entries: { target: string }[] }>('GET', '/api/v1/audit?action=test.kept')).body
    expect(entries.map(({ target }) => target).sort()).to.deep.equal(['before', 'behind'])
    expect(door.logs().split('an audit entry was lost')).to.have.length(2)
    expect((await verifyAudit(door.ctx, tenant.accountId)).broken).to.equal(null)
    await another.close()
  })

  type Entry = {
    id: string
    at: string
    who: { kind: string; id: string | null; name: string | null }
    action: string
    target: string | null
    outcome: string
    address: string | null
    requestId: string
  }
  type Trail = { entries: Entry[]; next: string | null }
  const trail = async (query = '', by: Call = call) => {
    await door.ctx.background.done()
    const answer = await by<Trail & ErrorBody>('GET', `/api/v1/audit${query}`)
    return answer.body
  }

  it('records who did what, when and from where, with the id of the request', async () => {
    const path = mailboxPath(tenant.address)
    const { headers } = await call('PATCH', path, { displayName: 'Told' })
    const [entry] = (await trail()).entries
    expect(entry).to.deep.include({
      who: { kind: 'key', id: (await authenticate(door.ctx, tenant.key)).keyId, name: 'test' },
      action: 'mailboxes.update',
      target: path,
      outcome: 'done',
      address: '127.0.0.1',
      requestId: headers.get('x-request-id'),
    })
    expect(Math.abs(Date.parse(entry!.at) - door.ctx.clock.now().getTime())).to.be.below(60_000)
  })

  it('names keys and members as they are called now, and nobody else', async () => {
    const { ctx } = door
    const { id: accountId } = await createAccount(ctx, { name: 'named', owner: null })
    const { key, apiKey } = await makeKey(ctx, { accountId, name: 'reports' })
    const member = await makePerson(door, { accountId, role: 'reader' })
    const stranger = await makePerson(door)
    for (const keyId of [key.id, member.id, stranger.id, null])
      await recordAudit(ctx, { accountId, keyId, action: 'x', target: null, outcome: 'done', address: null })
    await ctx.store.people.updateOne({ _id: member.id }, { $set: { name: 'Ann Other' } })
    const names = async () => (await trail('?action=x', client(door.http, apiKey))).entries.map(({ who }) => who.name)
    expect(await names()).to.deep.equal([null, null, 'Ann Other', 'reports'])
  })

  it('records refusals', async () => {
    const { apiKey: weak, key } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: ['mail:read'] })
    const by = client(door.http, weak)
    const send = { to: 'a@remote.example', text: 'Hi' }
    const steps: readonly (readonly [Call, string, string, Json | undefined, string | null])[] = [
      [by, 'POST', `${mailboxPath(tenant.address)}/send`, send, 'insufficient_scope'],
      [by, 'GET', '/api/v1/mailboxes', undefined, 'insufficient_scope'],
      [by, 'GET', `${mailboxPath(tenant.address)}/messages`, undefined, null],
      [by, 'GET', `${mailboxPath('nobody@tenant.example')}/messages`, undefined, null],
      [call, 'PATCH', mailboxPath('nobody@tenant.example'), { displayName: 'x' }, 'mailbox_not_found'],
      [call, 'POST', '/api/v1/mailboxes', { address: 'a@elsewhere.example' }, 'domain_not_on_account'],
      [call, 'PATCH', mailboxPath(tenant.address), { colour: 1 }, null],
      [call, 'POST', `${mailboxPath(tenant.address)}/send`, { ...send, from: 'not an address' }, 'invalid_sender'],
    ]
    for (const [caller, method, where, body, expected] of steps) {
      const before = (await trail()).entries[0]?.id
      await caller(method, where, body)
      const newest = (await trail()).entries[0]
      expect(newest?.id === before ? null : newest?.outcome, `${method} ${where}`).to.equal(expected)
    }
    const own = (await trail(`?key_id=${key.id}`)).entries
    expect(own.map(({ outcome }) => outcome)).to.deep.equal(['insufficient_scope', 'insufficient_scope'])
  })

  it('can be filtered by action, outcome, key and time, and read page by page', async () => {
    const since = new Date(door.ctx.clock.now().getTime() + 1).toISOString()
    door.advance(10)
    for (let n = 0; n < 5; n++) await call('PATCH', mailboxPath(tenant.address), { displayName: `Name ${n}` })
    await call('DELETE', mailboxPath('nobody@tenant.example'))
    door.advance(10)
    const until = door.ctx.clock.now().toISOString()
    door.advance(10)
    await call('PATCH', mailboxPath(tenant.address), { displayName: 'Late' })
    const within = `since=${since}&until=${until}`
    const actions = async (query: string) => (await trail(query)).entries.map(({ action }) => action)
    expect(await actions(`?${within}`)).to.deep.equal(['mailboxes.delete', ...Array(5).fill('mailboxes.update')])
    expect(await actions(`?${within}&action=mailboxes.delete`)).to.deep.equal(['mailboxes.delete'])
    expect(await actions(`?${within}&outcome=done`)).to.have.length(5)
    expect(await actions(`?${within}&outcome=mailbox_not_found`)).to.deep.equal(['mailboxes.delete'])
    expect(await actions(`?${within}&key_id=key_nobody`)).to.deep.equal([])
    expect(await actions(`?${within}&user_id=usr_nobody`)).to.deep.equal([])
    expect(await actions(`?since=${until}`)).to.deep.equal(['mailboxes.update'])
    const pages: string[] = []
    for (let next: string | null = ''; next !== null; ) {
      const page: Trail = await trail(`?${within}&limit=2${next === '' ? '' : `&before=${next}`}`)
      expect(page.entries.length).to.be.at.most(2)
      pages.push(...page.entries.map(({ id }) => id))
      next = page.next
    }
    expect(pages).to.deep.equal((await trail(`?${within}`)).entries.map(({ id }) => id))
    for (const before of ['x', Buffer.from('aud x').toString('base64url')])
      expect(await trail(`?before=${before}`)).to.include({ code: 'validation_error', param: 'before' })
  })

  it('can be read by account keys, each for its own account', async () => {
    const { apiKey: agent } = await makeKey(door.ctx, {
      accountId: tenant.accountId,
      kind: 'agent',
      scopes: agentScopes,
    })
    expect((await trail('', client(door.http, agent))).code).to.equal('forbidden')
    const { apiKey: bare } = await makeKey(door.ctx, { accountId: tenant.accountId, scopes: [] })
    expect((await trail('', client(door.http, bare))).entries).not.to.be.empty
    const { id: accountId } = await createAccount(door.ctx, { name: 'beside', owner: null })
    const { apiKey: other } = await makeKey(door.ctx, { accountId })
    expect((await trail('', client(door.http, other))).entries).to.deep.equal([])
  })

  describe('the chain', () => {
    type Change = (db: Collection<AuditDoc>, accountId: string) => Promise<unknown>
    const cases: readonly (readonly [name: string, change: Change, broken: AuditBreak | null, first?: number])[] = [
      ['is whole as it is', async () => undefined, null],
      [
        'another outcome',
        (db, accountId) => db.updateOne({ accountId, seq: 3 }, { $set: { outcome: 'done' } }),
        { seq: 3, why: 'content' },
      ],
      [
        'another time',
        (db, accountId) => db.updateOne({ accountId, seq: 4 }, { $set: { at: new Date(0) } }),
        { seq: 4, why: 'content' },
      ],
      [
        'another key',
        (db, accountId) => db.updateOne({ accountId, seq: 2 }, { $set: { keyId: 'key_x' } }),
        { seq: 2, why: 'content' },
      ],
      [
        'another address',
        (db, accountId) => db.updateOne({ accountId, seq: 2 }, { $set: { 'personal.address': '192.0.2.1' } }),
        { seq: 2, why: 'content' },
      ],
      [
        'another target',
        (db, accountId) => db.updateOne({ accountId, seq: 5 }, { $set: { 'personal.target': null } }),
        { seq: 5, why: 'content' },
      ],
      [
        'another salt',
        (db, accountId) => db.updateOne({ accountId, seq: 5 }, { $set: { salt: 'x' } }),
        { seq: 5, why: 'content' },
      ],
      [
        'personal fields gone, with the salt left',
        (db, accountId) => db.updateOne({ accountId, seq: 1 }, { $set: { personal: null } }),
        { seq: 1, why: 'content' },
      ],
      ['an entry missing', (db, accountId) => db.deleteOne({ accountId, seq: 3 }), { seq: 4, why: 'order' }],
      [
        'an entry of another hash',
        (db, accountId) => db.updateOne({ accountId, seq: 3 }, { $set: { hash: 'x' } }),
        { seq: 3, why: 'content' },
      ],
      [
        'another predecessor',
        (db, accountId) => db.updateOne({ accountId, seq: 4 }, { $set: { previousHash: 'x' } }),
        { seq: 4, why: 'order' },
      ],
      [
        'another request',
        (db, accountId) => db.updateOne({ accountId, seq: 5 }, { $set: { requestId: 'req_x' } }),
        { seq: 5, why: 'content' },
      ],
      ['the oldest entries expired', (db, accountId) => db.deleteMany({ accountId, seq: { $lte: 2 } }), null, 3],
      [
        'a person erased',
        (db, accountId) => db.updateOne({ accountId, seq: 2 }, { $set: { personal: null, salt: null } }),
        null,
      ],
      ['all expired', (db, accountId) => db.deleteMany({ accountId }), null],
    ]
    for (const [n, [name, change, broken, first = 1]] of cases.entries())
      it(`shows where it breaks: ${name}`, async () => {
        const { ctx } = door
        const { id: accountId } = await createAccount(ctx, { name: `chain${n}`, owner: null })
        for (let seq = 1; seq <= 5; seq++) await recordAudit(ctx, { accountId, ...someone, action: `act.${seq}` })
        await change(ctx.store.audit, accountId)
        const verdict = await verifyAudit(ctx, accountId)
        expect(verdict.broken).to.deep.equal(broken)
        if (broken === null && verdict.entries > 0) {
          const { hash } = (await ctx.store.audit.findOne({ accountId, seq: 5 }))!
          expect(verdict).to.deep.include({ entries: 6 - first, first, last: { seq: 5, hash } })
        }
      })
    const someone = { keyId: 'key_y', target: '/api/v1/x', outcome: 'refused', address: '192.0.2.7' }

    it('of an older version is migrated once', async () => {
      const { store } = door.ctx
      const { id: accountId } = await createAccount(door.ctx, { name: 'older', owner: null })
      const old = (seq: number) => ({
        _id: `aud_${accountId}${seq}`,
        ...{ accountId, seq, at: new Date(seq), action: 'act', requestId: '', previousHash: 'old', hash: 'old' },
        ...someone,
      })
      await store.db.collection<{ _id: string }>('audit').insertMany([1, 2, 3].map(old))
      const versions = { _id: 'schemaVersions' as string }
      const migrateFrom1 = async () => {
        await store.state.updateOne(versions, { $set: { 'value.audit': 1 } })
        await migrate(store.db)
      }
      await migrateFrom1()
      expect(await verifyAudit(door.ctx, accountId)).to.deep.include({ entries: 3, broken: null })
      const stored = await store.audit.findOne({ accountId, seq: 2 })
      expect(stored).to.deep.include({ personal: { target: someone.target, address: someone.address } })
      expect(stored).not.to.have.any.keys('target', 'address')
      await recordAudit(door.ctx, { accountId, ...someone, action: 'next' })
      await migrateFrom1()
      expect(await verifyAudit(door.ctx, accountId)).to.deep.include({ entries: 4, broken: null })
    })

    it('keeps the entries of an erased person, without addresses and targets', async () => {
      const { ctx } = door
      const { id: accountId } = await createAccount(ctx, { name: 'people', owner: null })
      const [ann, bob] = [await makePerson(door), await makePerson(door)]
      for (const { id: keyId } of [ann, bob, ann])
        await recordAudit(ctx, { accountId, ...someone, keyId, action: 'session.create' })
      await erasePerson(ctx, ann.id)
      const stored = await ctx.store.audit.find({ accountId }).sort({ accountId: 1, seq: 1 }).toArray()
      expect(stored.map(({ personal }) => personal?.address ?? null)).to.deep.equal([null, '192.0.2.7', null])
      expect(JSON.stringify(stored.filter(({ userId }) => userId === ann.id))).not.to.contain('192.0.2.7')
      expect(await verifyAudit(ctx, accountId)).to.deep.include({ entries: 3, broken: null })
      const { apiKey } = await makeKey(ctx, { accountId })
      const { entries } = await trail(`?user_id=${ann.id}`, client(door.http, apiKey))
      expect(entries.map(({ who, target, address }) => ({ who, target, address }))).to.deep.equal(
        Array(2).fill({ who: { kind: 'person', id: ann.id, name: null }, target: null, address: null }),
      )
    })

    it('has ascending times, so that its beginning expires first', async () => {
      const { ctx } = door
      const { id: accountId } = await createAccount(ctx, { name: 'backwards', owner: null })
      const at = (ms: number): Context => {
        const clock = { now: () => new Date(ms) }
        const testClocks = { ...ctx.testClocks, of: () => clock }
        return { ...ctx, clock, testClocks }
      }
      for (const ms of [5_000, 1_000, 9_000, 8_999]) await recordAudit(at(ms), { accountId, ...someone, action: 'act' })
      const stored = await ctx.store.audit.find({ accountId }).sort({ accountId: 1, seq: 1 }).toArray()
      expect(stored.map((entry) => entry.at.getTime())).to.deep.equal([5_000, 5_000, 9_000, 9_000])
      expect((await verifyAudit(ctx, accountId)).broken).to.equal(null)
    })

    it('stays a single chain under simultaneous writes, also of two processes', async () => {
      const { ctx } = door
      const { id: accountId } = await createAccount(ctx, { name: 'together', owner: null })
      const other = await contextOf({ data: ctx.settings.data, url: ctx.settings.mongodbUrl ?? '' })
      try {
        const write = (by: Context, n: number) => recordAudit(by, { accountId, ...someone, action: `act.${n}` })
        await Promise.all(Array.from({ length: 100 }, (_, n) => write(n % 2 === 0 ? ctx : other, n)))
        expect(await verifyAudit(ctx, accountId)).to.deep.include({ entries: 100, first: 1, broken: null })
      } finally {
        await closeContext(other)
      }
    })
  })
})
