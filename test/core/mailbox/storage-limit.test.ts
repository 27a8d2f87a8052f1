import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { repeatStorageWarnings } from '../../../core/mailbox/storage-limit.ts'
import { announceArrivals } from '../../../core/receive/announce.ts'
import { recipientsOf } from '../../../core/receive/recipient-cache.ts'
import { findRecipient } from '../../../core/receive/recipients.ts'
import { settleDue } from '../../../core/send/settle.ts'
import { sweepArrivals, sweepReservations } from '../../../core/upkeep/sweep.ts'
import { sweepBlobs } from '../../../core/upkeep/unused-blobs.ts'
import { countOf } from '../../../store/usage.ts'
import { toldOf } from '../../documents.ts'
import { eventually } from '../../eventually.ts'
import { type Call, client, mailboxPath } from '../../peers/rest.ts'
import { type Door, deliver, makeTenant, openTenant, type Tenant } from '../../start/door.ts'

const GB = 1024 ** 3
const limit = 5 * GB

describe('storage', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  /** Sets the size of the mailbox, in a folder where nothing arrives. */
  const fill = (bytes: number, mailboxId = tenant.mailboxId) =>
    door.ctx.store.folders.updateOne({ mailboxId, path: 'Archive' }, { $set: { bytes } })
  const arrive = async () => {
    const id = await deliver(door.ctx, {
      to: tenant.address,
      raw: `From: a@remote.example\nSubject: ${Math.random()}\n\nx\n`,
    })
    await announceArrivals(door.ctx, await toldOf(door.ctx, [id]))
  }
  type Warning = { type: string; data: { mailbox: string; used: number; limit: number; percent: number } }
  const warnings = async () => {
    const { body } = await call<{ events: Warning[] }>('GET', '/api/v1/events?type=account.storage_warning')
    return body.events.map(({ data }) => data.percent).reverse()
  }

  describe('warnings', () => {
    it('are sent once when 80 % and 95 % are exceeded', async () => {
      await fill(0.79 * limit)
      await arrive()
      expect(await warnings()).to.deep.equal([])
      await fill(0.81 * limit)
      await arrive()
      await arrive()
      expect(await warnings()).to.deep.equal([81])
      await fill(0.96 * limit)
      await arrive()
      await arrive()
      expect(await warnings()).to.deep.equal([81, 96])
    })

    it('are also caused by a draft', async () => {
      const other = await makeTenant(door, { name: 'drafts' })
      const asking = client(door.http, other.key)
      await fill(0.85 * limit, other.mailboxId)
      const { status } = await asking('POST', `${mailboxPath(other.address)}/drafts`, { subject: 's', text: 't' })
      expect(status).to.equal(201)
      const { body } = await asking<{ events: Warning[] }>('GET', '/api/v1/events?type=account.storage_warning')
      expect(body.events.map(({ data }) => [data.mailbox, data.percent])).to.deep.equal([[other.address, 85]])
      await fill(0, other.mailboxId)
    })

    it('state the usage and the limit', async () => {
      const { body } = await call<{ events: Warning[] }>('GET', '/api/v1/events?type=account.storage_warning')
      const [last] = body.events
      expect(last?.data).to.include({ mailbox: tenant.address, limit, percent: 96 })
      expect(last?.data.used).to.be.within(0.96 * limit - 1, 0.96 * limit + 10_000)
    })

    it('are repeated daily while the usage stays above, and end when it falls', async () => {
      await repeatStorageWarnings(door.ctx)
      expect(await warnings()).to.have.length(2)
      door.advance(24 * 3_600_000 + 1_000)
      await Promise.all([repeatStorageWarnings(door.ctx), repeatStorageWarnings(door.ctx)])
      await repeatStorageWarnings(door.ctx)
      expect(await warnings()).to.deep.equal([81, 96, 96])
      await fill(0)
      door.advance(24 * 3_600_000 + 1_000)
      await repeatStorageWarnings(door.ctx)
      expect(await warnings()).to.have.length(3)
      expect(
        await door.ctx.store.mailboxes.countDocuments({ accountId: tenant.accountId, warned: { $exists: true } }),
      ).to.equal(0)
    })
  })

  describe('a full mailbox', () => {
    const isFull = (sizeBytes?: number) =>
      findRecipient(door.ctx, tenant.address, sizeBytes).then(
        () => false,
        ({ code }: { code: string }) => code === 'unprocessable',
      )
    const forget = () => {
      recipientsOf(door.ctx).owners.forget(() => true)
      recipientsOf(door.ctx).mailboxes.forget(() => true)
    }
    afterEach(() => fill(0).then(forget))

    it('is refused at RCPT, by its usage and by the declared size', async () => {
      await fill(limit - 100_000)
      forget()
      expect([await isFull(), await isFull(50_000), await isFull(200_000)]).to.deep.equal([false, false, true])
      await fill(limit)
      forget()
      expect(await isFull()).to.equal(true)
    })

    it('may be exceeded by one message: the next is refused at once', async () => {
      await fill(limit - 50_000)
      forget()
      expect(await isFull()).to.equal(false)
      await deliver(door.ctx, { to: tenant.address, raw: `From: a@remote.example\n\n${'x'.repeat(100_000)}\n` })
      expect(await isFull()).to.equal(true)
    })

    it('defers mail to an alias of several mailboxes, so that all of them get it later', async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'roomy@tenant.example' })
      await call('POST', '/api/v1/aliases', {
        alias: 'team@tenant.example',
        targets: [tenant.address, 'roomy@tenant.example'],
      })
      await fill(limit)
      forget()
      const refused = await findRecipient(door.ctx, 'team@tenant.example').catch(({ code }: { code: string }) => code)
      expect(refused).to.equal('unprocessable')
    })

    it('still sends, without a copy', async () => {
      await fill(limit)
      const { status, body } = await call('POST', `${mailboxPath(tenant.address)}/send`, {
        to: 'x@remote.example',
        subject: 'x',
        text: 'x',
      })
      expect([status, body.message_id, body.thread_id]).to.deep.equal([202, null, null])
    })

    it('is shown in mailbox and usage', async () => {
      await fill(3 * GB)
      const mailbox = await call<{ storage: { used: number; limit: number } }>('GET', mailboxPath(tenant.address))
      expect(mailbox.body.storage.limit).to.equal(limit)
      expect(mailbox.body.storage.used).to.be.greaterThan(3 * GB)
      const usage = await call<{ storage: { used: number } }>('GET', '/api/v1/usage')
      expect(usage.body.storage.used).to.be.at.least(mailbox.body.storage.used)
    })
  })

  describe('whatever is done, and whenever the process dies', () => {
    const rounds = 4
    /** How many steps each process does before it dies. */
    const steps = { least: 25, spread: 25 }

    it('counters, contacts and blobs match the messages', async () => {
      await fill(0)
      for (let round = 0; round < rounds; round++) {
        const worker = startWorker(door, tenant.key, round)
        await stepsOf(worker, steps.least + Math.floor(Math.random() * steps.spread))
        worker.kill('SIGKILL')
        await once(worker, 'exit')
      }
      door.advance(60_000)
      await settleDue(door.ctx)
      await sweepArrivals(door.ctx)
      await sweepReservations(door.ctx)
      // Reservations made by the sweeps themselves are closed a moment later.
      await eventually('all is closed', async () =>
        (await door.ctx.store.folders.find({}).toArray()).every(({ open }) => open.length === 0),
      )
      await checkFolders(door)
      await checkContacts(door, tenant)
      door.advance(3 * 3_600_000)
      await sweepBlobs(door.ctx)
      await checkBlobs(door)
    })
  })
})

/** Resolves once a worker has done `count` steps: it writes a byte after each. */
async function stepsOf({ stdout }: ChildProcess, count: number): Promise<void> {
  let done = 0
  for await (const chunk of stdout!) {
    done += (chunk as Buffer).length
    if (done >= count) return
  }
  throw new Error(`The worker ended after ${done} steps.`)
}

function startWorker({ ctx: { settings } }: Door, key: string, seed: number): ChildProcess {
  const script = fileURLToPath(new URL('./storage-worker.ts', import.meta.url))
  const args = [
    '--disable-warning=ExperimentalWarning',
    script,
    settings.data,
    String(settings.mongodbUrl),
    key,
    String(seed),
  ]
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
}

/** Checks that the counters of each folder match its messages. */
async function checkFolders({ ctx: { store } }: Door): Promise<void> {
  const [folders, messages] = await Promise.all([store.folders.find({}).toArray(), store.messages.find({}).toArray()])
  expect(messages.length).to.be.greaterThan(20)
  for (const { _id, path, total, unread, bytes, open } of folders) {
    const inside = messages.filter(({ folderId }) => folderId === _id)
    const real = {
      total: inside.length,
      unread: inside.filter(({ seen }) => !seen).length,
      bytes: inside.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      open: 0,
    }
    expect({ total, unread, bytes, open: open.length }, path).to.deep.equal(real)
  }
}

/** Checks that contacts and the monthly usage count every message event once. */
async function checkContacts({ ctx: { store } }: Door, { accountId }: Tenant): Promise<void> {
  const [contacts, events, emails, months] = await Promise.all([
    store.contacts.find({}).toArray(),
    store.events.find({ accountId, type: /^message\.(received|dropped)$/ }).toArray(),
    store.emails.find({ accountId }).toArray(),
    store.usage.find({ _id: { $gte: `${accountId}:2`, $lt: `${accountId}:3` } }).toArray(),
  ])
  for (const { mailboxId, address, received, sent } of contacts) {
    const came = events.filter(({ data, ...event }) => {
      const from = data.from as { address: string } | null
      return event.mailboxId === mailboxId && from?.address === address
    })
    const went = emails.filter(
      (email) => email.mailboxId === mailboxId && email.recipients.some((recipient) => recipient.email === address),
    )
    expect({ received, sent }, address).to.deep.equal({ received: came.length, sent: went.length })
  }
  const counted = months.reduce((sum, month) => sum + countOf(month, 'received'), 0)
  expect(counted).to.equal(events.length)
}

/** Checks that every blob has a user, and every user its blob. */
async function checkBlobs({ ctx: { store } }: Door): Promise<void> {
  const [messages, emails, blobs] = await Promise.all([
    store.messages.find({}, { projection: { blob: 1 } }).toArray(),
    store.emails.find({}, { projection: { blob: 1 } }).toArray(),
    store.blobs.find({}, { projection: { users: 1 } }).toArray(),
  ])
  const used = Map.groupBy([...messages, ...emails], ({ blob }) => `${blob.id}#0`)
  const first = blobs.filter(({ users }) => users !== undefined)
  expect(first.map(({ _id }) => _id).sort()).to.deep.equal([...used.keys()].sort())
  for (const { _id, users } of first)
    expect([...(users ?? [])].sort()).to.deep.equal(
      used
        .get(_id)
        ?.map((user) => user._id)
        .sort(),
    )
}
