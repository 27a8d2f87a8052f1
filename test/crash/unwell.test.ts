import { expect } from 'chai'
import { verifyAudit } from '../../core/access/audit.ts'
import { claimAttemptsOf } from '../../core/deliver/outbox.ts'
import { recordOutcome } from '../../core/deliver/outcomes.ts'
import { announceMissed } from '../../core/receive/announce.ts'
import { sweepReservations } from '../../core/upkeep/sweep.ts'
import { Failure } from '../../schemas/failures.ts'
import { agentsPlans } from '../../schemas/plans.ts'
import { countOf } from '../../store/usage.ts'
import { eventually } from '../eventually.ts'
import { delayed, type Fault, hangAt } from '../peers/database-proxy.ts'
import { client, type ErrorBody, mailboxPath } from '../peers/rest.ts'
import { deliver, makeKey } from '../start/door.ts'
import { type Nodes, openNodes } from '../start/nodes.ts'

const faults: readonly (readonly [string, () => Fault])[] = [
  ['comes late', () => delayed(150)],
  ['is cut off before it is done', () => ({ kind: 'cut', done: false })],
  ['is done, and its answer cut off', () => ({ kind: 'cut', done: true })],
  ['meets no primary', () => ({ kind: 'refuse', code: 10107, codeName: 'NotWritablePrimary' })],
  ['meets a primary that steps down', () => ({ kind: 'refuse', code: 189, codeName: 'PrimarySteppedDown' })],
  ['exceeds its time', () => ({ kind: 'refuse', code: 262, codeName: 'ExceededTimeLimit' })],
  ['finds its snapshot gone', () => ({ kind: 'refuse', code: 246, codeName: 'SnapshotUnavailable' })],
  [
    'is done, and no majority has it in time',
    () => ({ kind: 'writeConcern', code: 64, codeName: 'WriteConcernTimeout' }),
  ],
  [
    'is done, and no majority is left',
    () => ({ kind: 'writeConcern', code: 100, codeName: 'UnsatisfiableWriteConcern' }),
  ],
]

const writes = new Set(['bulkWrite', 'insert', 'update', 'delete', 'findAndModify'])

describe('a failing deployment', () => {
  let nodes: Nodes
  let { door, tenant, proxy, node, later } = {} as Nodes

  before(async () => {
    nodes = await openNodes()
    ;({ door, tenant, proxy, node, later } = nodes)
  })
  afterEach(() => proxy?.follow(null))
  after(() => nodes?.close())

  const arrive = (name: string) =>
    deliver(node.ctx, {
      to: tenant.address,
      raw: `From: a@remote.example\nSubject: ${name}\nMessage-ID: <${name}@remote.example>\n\nHi`,
    })
  const send = (name: string) =>
    client(node.http, tenant.key)<{ id: string; code?: string }>(
      'POST',
      `${mailboxPath(tenant.address)}/send`,
      { to: 'someone@elsewhere.example', subject: name, text: 'Hi' },
      { 'idempotency-key': name },
    )
  const stored = (name: string) =>
    door.ctx.store.messages.find({ mailboxId: tenant.mailboxId, messageIdHeader: `${name}@remote.example` }).toArray()
  /** Returns the counters of the folders and what they contain. */
  async function folders() {
    const { store } = door.ctx
    const all = await store.folders.find({ mailboxId: tenant.mailboxId }).toArray()
    return Promise.all(
      all.map(async ({ _id, path, total, open }) => ({
        said: [path, total, open.length],
        is: [path, await store.messages.countDocuments({ mailboxId: tenant.mailboxId, folderId: _id }), 0],
      })),
    )
  }
  async function expectSoundFolders() {
    await sweepReservations(later.ctx)
    for (const { said, is } of await folders()) expect(said).to.deep.equal(is)
  }
  const sendsOf = (name: string) => door.ctx.store.emails.find({ accountId: tenant.accountId, subject: name }).toArray()
  const sentCount = async () => {
    const { store } = door.ctx
    const counters = await store.usage
      .find({ _id: { $gte: `${tenant.accountId}:2`, $lt: `${tenant.accountId}:3` } })
      .toArray()
    const months = counters.filter(({ _id }) => /:\d{4}-\d{2}$/.test(_id))
    // The allowance of a try that was not committed is recorded as open until a sweep returns it.
    const emails = await store.emails.find({ accountId: tenant.accountId }).toArray()
    const takenBy = new Map(emails.map(({ _id, takenBy: token }) => [_id, token]))
    const lost = months
      .flatMap(({ open = [] }) => open)
      .filter(({ counter, purpose, token }) => counter === 'sent' && takenBy.get(purpose) !== token)
    return months.reduce((sum, month) => sum + countOf(month, 'sent'), 0) - lost.reduce((sum, { by }) => sum + by, 0)
  }

  let sends = 0
  let requests = 0
  for (const [n, [name, fault]] of faults.entries())
    it(`a write that ${name}: repeated mail and sends are stored once, and no internal error is logged`, async () => {
      const of = `fault${n}`
      let hit = 0
      // The first write, and the one right after it.
      proxy.follow((command) => (writes.has(command) && hit++ < 2 ? fault() : null))
      const [mail, sent] = await Promise.all([arrive(of).catch((error: unknown) => error), send(of)])
      proxy.follow(null)
      expect(hit).to.be.above(0)
      if (typeof mail !== 'string') expect(mail).to.be.instanceOf(Failure).with.property('code', 'unavailable')
      expect([202, 503], JSON.stringify(sent.body)).to.include(sent.status)
      await door.ctx.store.idempotency.updateMany({ state: 'running' }, { $set: { startedAt: new Date(0) } })
      const again = await arrive(of)
      if (typeof mail === 'string') expect(again).to.equal(mail)
      const { status, body } = await send(of)
      expect([status, sent.status === 202 ? body.id : sent.body.id]).to.deep.equal([202, sent.body.id])
      sends += 1
      expect((await stored(of)).map(({ _id }) => _id)).to.deep.equal([again])
      expect((await sendsOf(of)).map(({ _id }) => _id)).to.deep.equal([body.id])
      await node.ctx.background.done(tenant.accountId)
      expect(await sentCount()).to.equal(sends)
      await expectSoundFolders()
    })

  for (const [name, fault] of faults)
    it(`an audit entry whose write ${name} is stored once, and delays nobody`, async () => {
      let hit = 0
      proxy.follow((_, body, message) => {
        const isAudit = body.insert === 'audit' || message.includes('.audit\0')
        return isAudit && hit++ < 2 ? fault() : null
      })
      const path = `${mailboxPath(tenant.address)}/folders`
      const { status, headers } = await client(node.http, tenant.key)('POST', path, { name: `Noted ${requests++}` })
      expect(status).to.equal(201)
      expect((await client(node.http, tenant.key)('GET', path)).status).to.equal(200)
      const requestId = headers.get('x-request-id') ?? ''
      const { audit } = door.ctx.store
      await eventually('the entry is there', () => audit.findOne({ accountId: tenant.accountId, requestId }))
      proxy.follow(null)
      await node.ctx.background.done()
      expect(hit).to.be.above(0)
      expect(await audit.countDocuments({ accountId: tenant.accountId, requestId })).to.equal(1)
      expect((await verifyAudit(door.ctx, tenant.accountId)).broken).to.equal(null)
    })

  describe('a request whose node loses the database in the middle', () => {
    const box = () => mailboxPath(tenant.address)
    const store = () => door.ctx.store
    type Made = { readonly message_id: string }
    const drafts = (subject: string) => store().messages.countDocuments({ mailboxId: tenant.mailboxId, subject })
    const newDraft = (subject: string) => ({ to: 'someone@elsewhere.example', subject, text: 'Hi' })
    const endpoints = (url: string) => store().webhooks.countDocuments({ accountId: tenant.accountId, url })
    type Case = {
      /** Where to post, and what. */
      readonly ask: (name: string) => Promise<readonly [path: string, body: object]>
      /** How many there are of what the request makes. */
      readonly count: (name: string) => Promise<number>
    }
    const cases: Readonly<Record<string, Case>> = {
      'a draft is created': { ask: async (name) => [`${box()}/drafts`, newDraft(name)], count: drafts },
      'a draft is sent': {
        async ask(name) {
          const made = await client(door.http, tenant.key)<Made>('POST', `${box()}/drafts`, newDraft(name))
          return [`${box()}/drafts/${made.body.message_id}/send`, {}]
        },
        count: async (name) => (await sendsOf(name)).length,
      },
      'a mailbox is created': {
        ask: async (name) => ['/api/v1/mailboxes', { address: `${name}@tenant.example` }],
        count: (name) => store().addresses.countDocuments({ _id: `${name}@tenant.example` }),
      },
      'an alias is created': {
        ask: async (name) => ['/api/v1/aliases', { alias: `${name}@tenant.example`, targets: [tenant.address] }],
        count: (name) => store().addresses.countDocuments({ _id: `${name}@tenant.example` }),
      },
      'a template is created': {
        ask: async (alias) => ['/api/v1/templates', { alias, subject: 'Hi', text: 'Hello' }],
        count: (alias) => store().templates.countDocuments({ accountId: tenant.accountId, alias }),
      },
      'a webhook endpoint is created': {
        ask: async (name) => ['/api/v1/webhooks', { url: `https://${name}.example/`, events: ['message.received'] }],
        count: (name) => endpoints(`https://${name}.example/`),
      },
      'a mailbox gets an Intake with an endpoint': {
        async ask(name) {
          const mailbox = `${name}@tenant.example`
          await client(door.http, tenant.key)('POST', '/api/v1/mailboxes', { address: mailbox })
          return ['/api/v1/intake', { mailbox, delivery: { type: 'webhook', url: `https://${name}.example/` } }]
        },
        count: (name) => endpoints(`https://${name}.example/`),
      },
      'a domain is added': {
        ask: async (name) => ['/api/v1/domains', { domain: `${name}.example` }],
        count: (name) =>
          store().domainClaims.countDocuments({ accountId: tenant.accountId, domain: `${name}.example` }),
      },
      'a DNS record is created': {
        ask: async (name) => ['/api/v1/domains/tenant.example/dns', { type: 'TXT', name, value: 'x' }],
        count: (name) => store().zoneRecords.countDocuments({ domain: 'tenant.example', name }),
      },
    }
    for (const [what, { ask, count }] of Object.entries(cases))
      it(`is answered when it is repeated with its Idempotency-Key, and done once: ${what}`, async () => {
        let isWhole = false
        for (let n = 0; !isWhole; n++) {
          const name = `once${Object.keys(cases).indexOf(what)}x${n}`
          const [path, body] = await ask(name)
          const post = (http: string) =>
            client(http, tenant.key)<ErrorBody>('POST', path, body, { 'idempotency-key': name })
          await node.ctx.background.done()
          let hit = 0
          // The answer to the write with this number is lost, and then the database cannot be reached.
          proxy.follow((command) => {
            if (hit <= n && !writes.has(command)) return null
            hit += 1
            return hit <= n ? null : { kind: 'cut', done: hit === n + 1 }
          })
          const first = await post(node.http)
          proxy.follow(null)
          isWhole = hit <= n
          expect(isWhole || first.status < 300 ? first.status < 300 : first.body.code === 'unavailable').to.equal(true)
          await store().idempotency.updateMany({ state: 'running' }, { $set: { startedAt: new Date(0) } })
          // The lock of a zone ends.
          door.advance(31_000)
          const again = await post(door.http)
          expect(again.status, `${n} ${JSON.stringify(again.body)}`).to.be.below(300)
          await Promise.all([node.ctx.background.done(), door.ctx.background.done()])
          expect(await count(name), `${n}`).to.equal(1)
        }
      })
  })

  it('after all of that each message has one event, and their numbers have no gap', async () => {
    const { store } = door.ctx
    const messages = await store.messages.find({ mailboxId: tenant.mailboxId }).toArray()
    await announceMissed(later.ctx, messages)
    const events = await store.events.find({ accountId: tenant.accountId }).sort({ accountId: 1, seq: 1 }).toArray()
    expect(events.map(({ seq }) => seq)).to.deep.equal(events.map((_, n) => n + 1))
    const told = events.flatMap(({ type, data }) => (type === 'message.received' ? [String(data.message_id)] : []))
    expect(told.toSorted()).to.deep.equal(
      messages.flatMap(({ _id, fingerprint }) => (fingerprint === undefined ? [] : [_id])).toSorted(),
    )
  })

  it('a full disk keeps nobody from reading, not even a new reader, and requests are still counted', async () => {
    const { apiKey } = await makeKey(door.ctx, { accountId: tenant.accountId })
    door.beginMinute()
    const read = async () => {
      const { status, headers } = await client(node.http, apiKey)('GET', `${mailboxPath(tenant.address)}/messages`)
      return [status, Number(headers.get('ratelimit-remaining'))]
    }
    proxy.follow((command) =>
      writes.has(command) ? { kind: 'refuse', code: 14031, codeName: 'OutOfDiskSpace' } : null,
    )
    const { requestsPerMinute: limit } = agentsPlans.scale
    expect([await read(), await read(), await read()]).to.deep.equal([
      [200, limit - 1],
      [200, limit - 2],
      [200, limit - 3],
    ])
    proxy.follow(null)
    expect(await read()).to.deep.equal([200, limit - 4])
  })

  it('waits for an answer that never comes only up to the configured timeouts', async () => {
    // Without these options the driver would wait without a bound.
    const { socketTimeoutMS, waitQueueTimeoutMS, serverSelectionTimeoutMS } = node.ctx.store.db.client.options
    expect([socketTimeoutMS, waitQueueTimeoutMS, serverSelectionTimeoutMS]).to.deep.equal([20_000, 10_000, 10_000])
  })

  describe('a node that hangs in the middle', () => {
    it('between its reservation and its mail writes nothing when it wakes, and the sender repeats the mail', async () => {
      node.ctx.store.uids.forget(
        (await door.ctx.store.folders.findOne({ mailboxId: tenant.mailboxId, path: 'INBOX' }))!._id,
        node.ctx.clock.now(),
      )
      const { wake, hanging } = hangAt(proxy, (name) => name === 'bulkWrite')
      const waiting = arrive('hung').catch((error: unknown) => error)
      await hanging
      await expectSoundFolders()
      wake()
      expect(await waiting)
        .to.be.instanceOf(Failure)
        .with.property('code', 'unavailable')
      expect(await stored('hung')).to.deep.equal([])
      await expectSoundFolders()
      await arrive('hung')
      expect(await stored('hung')).to.have.length(1)
      await expectSoundFolders()
    })

    it('before it records an outcome changes nothing when it wakes after its lease', async () => {
      const { accountId } = tenant
      await door.ctx.store.outbox.deleteMany({ accountId })
      const { body } = await send('leased')
      await node.ctx.background.done(accountId)
      const [hung] = await claimAttemptsOf(node.ctx, accountId, { owner: 'hung', max: 1 })
      const { wake, hanging } = hangAt(proxy, (name) => name === 'bulkWrite')
      const seen = { mx: 'mx.elsewhere.example', tls: false, at: new Date() }
      const recorded = recordOutcome(node.ctx, hung!, { status: 'bounced', response: '550 5.1.1 no', ...seen })
      await hanging
      door.advance(door.ctx.settings.outbound.leaseSeconds * 1_000)
      const [taken] = await claimAttemptsOf(door.ctx, accountId, { owner: 'other', max: 1 })
      expect(taken?.id).to.equal(hung!.id)
      expect(await recordOutcome(door.ctx, taken!, { status: 'delivered', response: '250 ok', ...seen })).to.equal(true)
      wake()
      expect(await recorded).to.equal(false)
      const email = await door.ctx.store.emails.findOne({ accountId, _id: body.id })
      expect(email?.recipients[0]).to.include({ status: 'delivered', response: '250 ok' })
      expect(await door.ctx.store.outbox.findOne({ accountId, _id: hung!.id })).to.have.property('doneAt')
    })

    it('in the middle of a change of a zone writes nothing when it wakes after its lock', async () => {
      const zone = '/api/v1/domains/tenant.example/dns'
      const put = (http: string, value: string) =>
        client(http, tenant.key)('POST', zone, { name: 'www', type: 'A', value })
      let isLocked = false
      const { wake, hanging } = hangAt(proxy, (name, body) => {
        isLocked ||= body.update === 'zones'
        return isLocked && name === 'bulkWrite'
      })
      const waiting = put(node.http, '192.0.2.1')
      await hanging
      door.advance(31_000)
      expect((await put(door.http, '192.0.2.2')).status).to.equal(201)
      wake()
      expect((await waiting).status).to.equal(503)
      const records = await door.ctx.store.zoneRecords.find({ domain: 'tenant.example', name: 'www' }).toArray()
      expect(records.map(({ value }) => value)).to.deep.equal(['192.0.2.2'])
    })
  })
})
