import { expect } from 'chai'
import type { Document } from 'mongodb'
import { claimByToken, getAccount } from '../../../core/account/accounts.ts'
import { createDomain } from '../../../core/domains/claims.ts'
import { beginErasure, eraseUnclaimed, sweepErasures } from '../../../core/personal/erase.ts'
import { dayMs, after as later, minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { receive } from '../../../core/receive/receive.ts'
import { findRecipient } from '../../../core/receive/recipients.ts'
import { indexMissing } from '../../../core/search/indexing.ts'
import { toBinary } from '../../../store/bytes.ts'
import { type CollectionName, collections } from '../../../store/collections.ts'
import type { Store } from '../../../store/open.ts'
import { type Call, client, mailboxPath } from '../../peers/rest.ts'
import { type Door, deliver, makeKey, makeTenant, openDoor, type Tenant } from '../../start/door.ts'

/** Collections that keep the id of a removed account: the record that it existed, and its audit, without names. */
const kept: readonly CollectionName[] = ['accounts', 'audit']
/** Collections of people, which an unclaimed account does not have. */
const ofPeople: readonly CollectionName[] = [
  'people',
  'sessions',
  'accountRequests',
  'mailedLinks',
  'authenticators',
  'passkeys',
  'usedChallenges',
  'oauthClients',
  'oauthArtifacts',
]
/** Collections whose records disappear by themselves: change notes are overwritten, request rates expire. */
const passing: readonly CollectionName[] = ['changes', 'requestRates']

/** Does what the clock does every minute. Returns for how many accounts it started or continued the removal. */
async function sweepUnclaimed(ctx: Context): Promise<number> {
  return (await eraseUnclaimed(ctx)) + (await sweepErasures(ctx))
}

describe('the removal of an unclaimed account', () => {
  let door: Door
  let tenant: Tenant

  before(async () => {
    door = await openDoor()
    tenant = await makeTenant(door, { name: 'neighbour' })
  })
  after(() => door?.close())

  type Newcomer = {
    readonly name: string
    readonly accountId: string
    readonly address: string
    readonly claimUrl: string
    readonly call: Call
    /** All ids, addresses and names of the account. */
    readonly marks: readonly string[]
    readonly blobIds: readonly string[]
    /** A blob shared with a mailbox of the neighbour. */
    readonly sharedBlob: string
  }

  const raw = (subject: string) =>
    `From: "Frida" <frida@remote.example>\nTo: you\nSubject: ${subject}\nMessage-ID: <${subject}@remote.example>\n\nHello ${subject}\n`

  /** Signs up and leaves something in every collection. */
  async function newcomer(name: string): Promise<Newcomer> {
    const { ctx } = door
    const signup = await client(door.http)<{ address: string; api_key: string; claim_url: string }>(
      'POST',
      '/api/v1/signup',
      { name },
    )
    const { address, api_key: key, claim_url: claimUrl } = signup.body
    const call = client(door.http, key)
    const accountId = (await call<{ id: string }>('GET', '/api/v1/account')).body.id
    const path = mailboxPath(address)
    const second = `second@${name}.agents.localhost`
    const done = async (method: string, where: string, body?: unknown, headers?: Record<string, string>) => {
      const answer = await call<{ message_id: string; id: string; code?: string }>(method, where, body, headers)
      expect(answer.status, `${method} ${where} ${answer.body.code}`).to.be.within(200, 202)
      return answer.body
    }
    await done('POST', '/api/v1/mailboxes', { address: second })
    await done('POST', '/api/v1/webhooks', { url: 'https://hook.invalid/x', events: ['message.received'] })
    const first = await deliver(ctx, { to: address, raw: raw(`${name}-first`) })
    await deliver(ctx, { to: second, raw: raw(`${name}-second`) })
    const { messageIds } = await receive(ctx, {
      raw: Buffer.from(raw(`${name}-shared`).replaceAll('\n', '\r\n')),
      reversePath: 'frida@remote.example',
      recipients: [await findRecipient(ctx, address), await findRecipient(ctx, tenant.address)],
      peer: { address: '192.0.2.1', helo: 'remote.example', protocol: 'ESMTP', cipher: null },
      transactionId: 'test',
    })
    await done('PATCH', `${path}/messages/${first}`, { addLabels: ['kept'], folder: 'Archive' })
    await done('POST', `${path}/drafts`, { to: 'frida@remote.example', subject: `${name}-draft`, text: 'x' })
    await done('POST', `${path}/folders`, { name: 'Projects' })
    await done('POST', '/api/v1/suppressions', { email: `${name}@remote.example` })
    // The neighbour, a mailbox of this service, wrote first and may be answered.
    const neighbour = client(door.http, tenant.key)
    const wrote = await neighbour('POST', `${mailboxPath(tenant.address)}/send`, {
      to: address,
      text: 'Hi',
      subject: 'Hi',
    })
    expect(wrote.status).to.equal(202)
    const { apiKey } = await makeKey(ctx, { accountId })
    const owner = client(door.http, apiKey)
    expect((await owner('POST', '/api/v1/templates', { alias: 'greeting', subject: 's', text: 't' })).status).to.equal(
      201,
    )
    expect(
      (await owner('POST', '/api/v1/aliases', { alias: `all@${name}.agents.localhost`, targets: [address] })).status,
    ).to.equal(201)
    await createDomain(ctx, { domain: `${name}.example`, accountId, verified: true }).catch(() => undefined)
    await ctx.store.domains.updateOne({ _id: `${name}.example` }, { $set: { accountId } })
    await door.ctx.background.done()
    await ctx.arrivals.flush()
    const messages = await ctx.store.messages.find({ accountId }).toArray()
    await indexMissing(ctx, messages)
    await write(ctx, accountId, { name, address, mailboxId: messages[0]!.mailboxId })
    const of = async (collection: 'mailboxes' | 'keys' | 'folders' | 'emails' | 'webhooks') =>
      (await ctx.store.db.collection<{ _id: string }>(collection).find({ accountId }).toArray()).map(({ _id }) => _id)
    const shared = (await ctx.store.messages.findOne({ _id: messageIds[0]! }))!.blob.id
    const blobs = [...messages, ...(await ctx.store.emails.find({ accountId }).toArray())].map(({ blob }) => blob.id)
    const ids = await Promise.all([of('mailboxes'), of('keys'), of('folders'), of('emails'), of('webhooks')])
    return {
      name,
      accountId,
      address,
      claimUrl,
      call,
      marks: [accountId, `@${name}.agents.localhost`, `${name}-`, ...ids.flat(), ...messages.map(({ _id }) => _id)],
      blobIds: blobs.filter((id) => id !== shared),
      sharedBlob: shared,
    }
  }

  /** Inserts records that would need a partner or much time to arise by themselves. */
  async function write(
    { store, clock }: Context,
    accountId: string,
    { name, address, mailboxId }: { name: string; address: string; mailboxId: string },
  ) {
    const at = clock.now()
    const id = (prefix: string) => `${prefix}_${name.padEnd(26, '0')}`
    const blob = { id: id('blb'), chunks: 1, sizeBytes: 1 }
    const insert = (collection: string, doc: Document) =>
      store.db.collection(collection).insertOne({ accountId, ...doc } as never)
    await insert('blobs', {
      accountId: undefined,
      _id: `${blob.id}#0`,
      createdAt: at,
      users: [id('em')],
      zstd: false,
      data: Buffer.of(1),
    })
    await insert('emails', {
      _id: id('em'),
      mailbox: address,
      mailboxId,
      blob,
      messageId: null,
      recipients: [{ email: 'x@remote.example' }, { email: 'y@remote.example' }],
    })
    await insert('outbox', { _id: `${id('em')}#0`, emailId: id('em'), n: 0, recipient: 'x@remote.example', doneAt: at })
    await insert('outbox', {
      _id: `${id('em')}#1`,
      emailId: id('em'),
      n: 1,
      recipient: 'y@remote.example',
      notBefore: later(at, dayMs),
    })
    await insert('lanes', { accountId: undefined, _id: accountId, dueAt: later(at, 30 * dayMs) })
    await insert('batches', {
      _id: id('bat'),
      mailboxId,
      idempotencyKey: name,
      recipients: [],
      expiresAt: later(at, 90 * dayMs),
    })
    await insert('approvals', {
      _id: id('apr'),
      mailboxId,
      emailId: id('em'),
      blob,
      status: 'waiting',
      removeAt: later(at, 90 * dayMs),
    })
    await insert('intakes', { _id: mailboxId, mailbox: address, checkAt: later(at, 30 * dayMs) })
    await insert('intakeRecords', { _id: id('int'), mailboxId, blob })
    const part = { id: `${id('file')}.x.0`, sizeBytes: 1 }
    await insert('driveEntries', { _id: id('file'), parentId: null, name, parts: [part] })
    await insert('drive.files', { accountId: undefined, _id: part.id, filename: `${name}-part`, length: 1 })
    await insert('drive.chunks', { accountId: undefined, _id: `${name}-chunk`, files_id: part.id, n: 0 })
    await insert('idempotency', { _id: id('idem'), body: name, expiresAt: later(at, 30 * dayMs) })
    await insert('usage', {
      accountId: undefined,
      _id: `${accountId}:2020-01`,
      counts: {},
      expiresAt: later(at, 60 * dayMs),
    })
    await insert('domainClaims', { _id: id('clm'), domain: `${name}-wish.example`, dkim: [], createdAt: at })
    await insert('zones', { _id: `${name}-wish.example`, serial: 1, changedAt: at })
    await insert('zoneKeys', {
      _id: `${accountId}:${name}-wish.example`,
      domain: `${name}-wish.example`,
      privateKey: toBinary(Buffer.from('sealed')),
    })
    await insert('zoneRecords', {
      _id: id('rec'),
      domain: `${name}-wish.example`,
      name: '@',
      type: 'A',
      value: '192.0.2.1',
    })
    await insert('metadata', { _id: id('fld'), mailboxId, rev: 1, entries: [] })
    await insert('contacts', { _id: id('con'), mailboxId, address: 'frida@remote.example' })
    await insert('domainReports', {
      _id: id('rep'),
      domain: `${name}.example`,
      from: at,
      expiresAt: later(at, 90 * dayMs),
    })
    await insert('deliveries', { _id: id('dlv'), webhookId: 'whk_that_was_deleted', body: name })
  }

  /** The collections with a document that contains one of the marks, apart from the neighbour's own mail. */
  async function traces({ marks }: Newcomer): Promise<readonly string[]> {
    const found: string[] = []
    for (const [key, row] of Object.entries(collections)) {
      const docs = await door.ctx.store.db
        .collection('name' in row ? row.name : key)
        .find({})
        .toArray()
      const others = docs.filter((doc) => doc.accountId !== tenant.accountId && doc.mailboxId !== tenant.mailboxId)
      if (others.some((doc) => marks.some((mark) => JSON.stringify(doc).includes(mark)))) found.push(key)
    }
    return found.filter((key) => !passing.includes(key as CollectionName))
  }
  const blobsLeft = (ids: readonly string[]) =>
    door.ctx.store.blobs.countDocuments({ _id: { $in: ids.map((id) => `${id}#0`) } })

  async function pass(ms: number): Promise<void> {
    door.advance(ms)
    await sweepUnclaimed(door.ctx)
  }

  it('removes everything of it, and nothing of others', async () => {
    const gone = await newcomer('gone')
    const stays = await newcomer('stays')
    await claimByToken(door.ctx, {
      token: stays.claimUrl.slice(stays.claimUrl.lastIndexOf('/') + 1),
      owner: 'ada@remote.example',
    })
    const before = await traces(stays)
    const missing = Object.keys(collections).filter(
      (key) =>
        ![
          ...before,
          ...passing,
          'searchMerges',
          'searchBlocks',
          'searchTexts',
          'blobs',
          'state',
          'keyHolders',
          'stsPolicies',
          'tlsResults',
          'deliveryChecks',
          'processHours',
          'certificates',
          'failedLogins',
          'exports',
          'exportChunks',
          ...ofPeople,
        ].includes(key),
    )
    expect(missing, 'collections without a trace of it').to.deep.equal([])
    await pass(7 * dayMs - 10 * minuteMs)
    expect((await gone.call('GET', '/api/v1/account')).status).to.equal(200)
    await pass(20 * minuteMs)
    expect((await gone.call('GET', '/api/v1/account')).status).to.equal(401)
    expect(await blobsLeft(gone.blobIds)).to.equal(0)
    expect(await traces(gone)).to.have.members([...kept, 'mailboxes', 'keys'])
    await pass(6 * minuteMs)
    expect(await traces(gone)).to.have.members(kept)
    expect(await door.ctx.store.accounts.findOne({ _id: gone.accountId })).to.include({ status: 'removed' })
    expect(await blobsLeft([gone.sharedBlob])).to.equal(1)
    expect(await traces(stays)).to.deep.equal(before)
    expect(await blobsLeft(stays.blobIds)).to.equal(new Set(stays.blobIds).size)
    expect(await sweepUnclaimed(door.ctx)).to.equal(0)
  })

  it('never frees its name, but frees its own domain', async () => {
    const again = await client(door.http)<{ code: string }>('POST', '/api/v1/signup', { name: 'gone' })
    expect([again.status, again.body.code]).to.deep.equal([409, 'conflict'])
    const own = client(door.http, tenant.key)
    const address = 'agent@gone.agents.localhost'
    expect((await own<{ code: string }>('POST', '/api/v1/mailboxes', { address })).body.code).to.equal(
      'domain_not_on_account',
    )
    expect(
      await createDomain(door.ctx, { domain: 'gone.example', accountId: tenant.accountId, verified: true }),
    ).to.include({
      status: 'verified',
    })
    for (const to of [address, 'postmaster@gone.agents.localhost'])
      expect(await findRecipient(door.ctx, to).catch(({ code }) => code), to).to.equal('mailbox_not_found')
  })

  /** A store that fails like a dying process: before its command number `left`. */
  function dying(store: Store, left: number): Store {
    const broken = new Error('the process died')
    const wrapped = (collection: object) =>
      new Proxy(collection, {
        get(target, name) {
          const value = Reflect.get(target, name) as unknown
          if (typeof value !== 'function') return value
          return (...given: unknown[]) => {
            if (--left < 0) throw broken
            return value.apply(target, given)
          }
        },
      })
    return Object.fromEntries(
      Object.entries(store).map(([name, value]) => [
        name,
        Object.hasOwn(collections, name) ? wrapped(value as object) : value,
      ]),
    ) as Store
  }

  it('is finished after a crash, wherever that was', async () => {
    const gone = await newcomer('crashed')
    door.advance(7 * dayMs + minuteMs)
    let crashes = 0
    for (let commands = 1; ; commands = Math.ceil(1.4 * commands)) {
      const store = dying(door.ctx.store, commands)
      // Per-process state belongs to the original store.
      const ctx = { ...door.ctx, store }
      const isDone = await sweepUnclaimed(ctx).then(
        () => true,
        ({ message }: Error) => {
          expect(message).to.equal('the process died')
          return false
        },
      )
      if (isDone) break
      crashes += 1
      expect((await gone.call('GET', '/api/v1/account')).status).to.be.oneOf(commands < 3 ? [200, 401] : [401])
    }
    expect(crashes).to.be.above(5)
    await pass(6 * minuteMs)
    expect(await traces(gone)).to.have.members(kept)
    expect(await blobsLeft(gone.blobIds)).to.equal(0)
  })

  it('is continued for all others when it fails for one', async () => {
    const { ctx } = door
    const accounts = [await makeTenant(door, { name: 'stuck' }), await makeTenant(door, { name: 'behind' })]
    for (const { accountId } of accounts) {
      const account = await getAccount(ctx, accountId)
      await beginErasure(ctx, account, account.name)
      door.advance(1)
    }
    door.advance(6 * minuteMs)
    const [stuck, behind] = accounts.map(({ accountId }) => accountId)
    const templates = Object.assign(Object.create(ctx.store.templates), {
      find(...given: Parameters<typeof ctx.store.templates.find>) {
        if (given[0].accountId === stuck) throw new Error('away')
        return ctx.store.templates.find(...given)
      },
    })
    const failure = await sweepErasures({ ...ctx, store: { ...ctx.store, templates } }).catch(String)
    expect(failure).to.equal('Error: away')
    const hasMailbox = async (accountId = '') => (await ctx.store.mailboxes.countDocuments({ accountId })) > 0
    expect([await hasMailbox(stuck), await hasMailbox(behind)]).to.deep.equal([true, false])
    await sweepErasures(ctx)
    expect(await hasMailbox(stuck)).to.equal(false)
  })

  it('spares an account that is claimed at the last moment', async () => {
    const { body } = await client(door.http)<{ api_key: string; claim_url: string }>('POST', '/api/v1/signup', {})
    const token = body.claim_url.slice(body.claim_url.lastIndexOf('/') + 1)
    door.advance(7 * dayMs - minuteMs)
    await claimByToken(door.ctx, { token, owner: 'ada@remote.example' })
    await pass(minuteMs)
    await pass(7 * dayMs)
    const own = await client(door.http, body.api_key)('GET', '/api/v1/account')
    expect(own.body).to.include({ status: 'active', owner: 'ada@remote.example' })
  })
})
