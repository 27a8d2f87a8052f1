import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { authenticate, type Principal } from '../../../core/access/principal.ts'
import { counterIn, figuresPeriod, usagePeriod } from '../../../core/access/usage.ts'
import { endWaiting } from '../../../core/deliver/approval-state.ts'
import { deleteMailboxUnchecked } from '../../../core/mailbox/mailboxes.ts'
import { minuteMs } from '../../../core/process/clock.ts'
import type { Context } from '../../../core/process/context.ts'
import { announceArrivals } from '../../../core/receive/announce.ts'
import { sweepOpenTakes } from '../../../core/send/open-allowances.ts'
import { endSchedule } from '../../../core/send/release.ts'
import { reschedule } from '../../../core/send/scheduled.ts'
import { settleByIds } from '../../../core/send/settle.ts'
import { noteRunning, recountQuotas } from '../../../core/upkeep/quota-recount.ts'
import { purgeDeletedMailboxes, sweepEventFloors, sweepMailboxDeletions } from '../../../core/upkeep/sweep.ts'
import { sweepBlobs } from '../../../core/upkeep/unused-blobs.ts'
import { newId } from '../../../schemas/ids.ts'
import { blobUser, dropBlobUsers, insertBlob, markBlobsInDoubt, packBlob } from '../../../store/blobs.ts'
import type { IntakeRecordDoc } from '../../../store/documents/intake.ts'
import { insertIntakeRecord } from '../../../store/intake.ts'
import { countOf, findUsage, takeCounts } from '../../../store/usage.ts'
import { toldOf } from '../../documents.ts'
import { type Call, client, mailboxPath } from '../../peers/rest.ts'
import { type Door, deliver, makeKey, openTenant, type Tenant } from '../../start/door.ts'
import { dyingAtEachWrite } from '../../start/dying.ts'
import { contextOf } from '../../start/service.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const raw = (text: string) => `From: a@remote.example\nSubject: ${text}\n\n${text}\n`

describe('sweeps', () => {
  let door: Door
  let tenant: Tenant
  let call: Call

  before(async () => {
    ;({ door, tenant, call } = await openTenant())
  })
  after(() => door?.close())

  describe('blobs', () => {
    const there = async (id: string) => door.ctx.store.blobs.countDocuments({ _id: { $gte: `${id}#`, $lt: `${id}#~` } })
    const blobOf = async (messageId: string) => (await door.ctx.store.messages.findOne({ _id: messageId }))!.blob.id

    /** A blob left by an arrival that never stored its message. */
    async function orphan(users: readonly string[], bytes = Buffer.alloc(2_500_000, 'x')): Promise<string> {
      const at = door.ctx.clock.now()
      const { ref, chunks } = await packBlob(door.ctx.store, { id: newId('blb', at), bytes, users, at })
      await insertBlob(door.ctx.store, chunks)
      return ref.id
    }

    it('without users are deleted after an hour, with all their chunks', async () => {
      const id = await orphan([newId('msg', door.ctx.clock.now())])
      expect(await there(id)).to.equal(3)
      door.advance(hourMs - 60_000)
      await sweepBlobs(door.ctx)
      expect(await there(id)).to.equal(3)
      door.advance(120_000)
      await sweepBlobs(door.ctx)
      expect(await there(id)).to.equal(0)
    })

    it('in use are kept, also those of a send and of a send that waits for its copy', async () => {
      const received = await blobOf(await deliver(door.ctx, { to: tenant.address, raw: raw('kept') }))
      const { body } = await call<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
        to: 'x@remote.example',
        subject: 'x',
        text: 'x',
      })
      await door.ctx.background.done()
      const { emails, messages } = door.ctx.store
      const email = (await emails.findOne({ _id: body.id }))!
      await messages.deleteOne({ _id: email.messageId! })
      await emails.updateOne({ _id: body.id }, { $set: { planned: false } })
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      expect([await there(received), await there(email.blob.id)]).to.deep.equal([1, 1])
      const sent = await door.ctx.store.blobs.findOne({ _id: `${email.blob.id}#0` })
      expect(sent?.users).to.deep.equal([email._id, email.messageId])
      await emails.updateOne({ _id: body.id }, { $set: { planned: true } })
    })

    it('whose message was deleted without them are deleted too once they are in doubt', async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: raw('cut off') })
      const blob = await blobOf(id)
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      await door.ctx.store.blobs.updateOne({ _id: `${blob}#0` }, { $set: { inDoubt: door.ctx.clock.now() } })
      await door.ctx.store.messages.deleteOne({ _id: id })
      await sweepBlobs(door.ctx)
      expect(await there(blob)).to.equal(1)
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      expect(await there(blob)).to.equal(0)
    })

    it('shared by two messages are deleted too, if the first deletion was cut off by a crash', async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'other-half@tenant.example' })
      await call('POST', '/api/v1/aliases', {
        alias: 'halves@tenant.example',
        targets: [tenant.address, 'other-half@tenant.example'],
      })
      await deliver(door.ctx, { to: 'halves@tenant.example', raw: raw('halves') })
      const ids = await door.ctx.store.mailboxes.distinct('_id', { accountId: tenant.accountId })
      const [cutOff, whole] = await door.ctx.store.messages
        .find({ mailboxId: { $in: ids }, subject: 'halves' })
        .toArray()
      const blob = whole!.blob.id
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      // A process that dies between deleting a message and its blob.
      await markBlobsInDoubt(door.ctx.store, [blob], door.ctx.clock.now())
      await door.ctx.store.messages.deleteOne({ mailboxId: cutOff!.mailboxId, _id: cutOff!._id })
      door.advance(1_000)
      await call('DELETE', `${mailboxPath(whole!.mailbox)}/messages/${whole!._id}?permanent=true`)
      await door.ctx.background.done()
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      expect(await there(blob)).to.equal(0)
    })

    it('in doubt but in use are checked once, and are then no longer in doubt', async () => {
      const id = await deliver(door.ctx, { to: tenant.address, raw: raw('sound') })
      const blob = await blobOf(id)
      door.advance(2 * hourMs)
      await markBlobsInDoubt(door.ctx.store, [blob], door.ctx.clock.now())
      door.advance(2 * hourMs)
      await sweepBlobs(door.ctx)
      const { users, inDoubt } = (await door.ctx.store.blobs.findOne({ _id: `${blob}#0` }))!
      expect({ users, inDoubt }).to.deep.equal({ users: [id], inDoubt: undefined })
    })

    const left: readonly (readonly [
      after: string,
      request: { readonly sendAt?: boolean },
      work: (ctx: Context, send: { readonly emailId: string; readonly principal: Principal }) => Promise<unknown>,
    ])[] = [
      [
        'a refusal',
        {},
        async (ctx, { emailId }) => {
          const approval = await ctx.store.approvals.findOne({ emailId, status: 'waiting' })
          if (approval !== null) await endWaiting(ctx, approval, { status: 'refused' })
        },
      ],
      [
        'a cancellation',
        { sendAt: true },
        async (ctx, { emailId }) =>
          endSchedule(ctx, (await ctx.store.emails.findOne({ _id: emailId }))!, () => 'cancelled'),
      ],
      [
        'a change of the time',
        { sendAt: true },
        async (ctx, { emailId, principal }) =>
          reschedule(ctx, principal, {
            email: (await ctx.store.emails.findOne({ _id: emailId }))!,
            sendAt: new Date(ctx.clock.now().getTime() + dayMs),
          }),
      ],
    ]
    for (const [after, { sendAt }, work] of left)
      it(`of a message are deleted too, if the process died between ${after} and their release`, async () => {
        const { ctx } = door
        const key = sendAt
          ? tenant.key
          : (await makeKey(ctx, { accountId: tenant.accountId, approval: 'required' })).apiKey
        const { body } = await client(door.http, key)<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, {
          to: 'later@remote.example',
          subject: after,
          text: after,
          ...(sendAt && { sendAt: new Date(ctx.clock.now().getTime() + 2 * dayMs).toISOString() }),
        })
        const approval = await ctx.store.approvals.findOne({ emailId: body.id })
        const users = [body.id, approval?._id].filter((id) => id !== undefined)
        door.advance(2 * hourMs)
        await sweepBlobs(ctx)
        const url = `mongodb://${encodeURIComponent(door.socket)}/${ctx.store.db.databaseName}?monitorCommands=true`
        const principal = await authenticate(ctx, tenant.key)
        await dyingAtEachWrite(
          () => contextOf({ data: ctx.settings.data, url }, ctx.machineClock),
          (dying) => work(dying, { emailId: body.id, principal }),
          async () => undefined,
        )
        await settleByIds(ctx, { ids: [body.id], accountIds: [tenant.accountId] })
        // The id of a copy in Sent has the time of its send.
        door.advance(3 * dayMs)
        await sweepBlobs(ctx)
        const kept = await ctx.store.blobs.find({ users: { $in: users } }, { projection: { users: 1 } }).toArray()
        const email = await ctx.store.emails.findOne({ _id: body.id })
        // A scheduled send has a copy in Sent that is still to be written.
        const wanted =
          email === null
            ? []
            : [
                {
                  _id: `${email.blob.id}#0`,
                  users: [email._id, ...(email.messageId === null ? [] : [email.messageId])],
                },
              ]
        expect(kept).to.deep.equal(wanted)
      })

    it('about to be used are kept', async () => {
      const old = await orphan([newId('msg', door.ctx.clock.now())])
      door.advance(2 * hourMs)
      const { store, clock } = door.ctx
      await store.writeTogether([blobUser(store, old, newId('msg', clock.now()))])
      await sweepBlobs(door.ctx)
      expect(await there(old)).to.equal(3)
    })

    it('that have lost their last user get no other before they are deleted', async () => {
      const { store, clock } = door.ctx
      const user = newId('msg', clock.now())
      const id = await orphan([user])
      const { promise: gate, resolve: open } = Promise.withResolvers<void>()
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
      const searchTexts = Object.assign(Object.create(store.searchTexts), {
        async deleteMany(...given: Parameters<typeof store.searchTexts.deleteMany>) {
          reach()
          await gate
          return store.searchTexts.deleteMany(...given)
        },
      })
      const deletion = dropBlobUsers({ ...store, searchTexts }, [{ blobId: id, users: [user] }])
      await reached
      const _id = newId('int', clock.now())
      const blob = { id, chunks: 3, sizeBytes: 2_500_000 }
      const record = { _id, mailboxId: tenant.mailboxId, accountId: tenant.accountId, blob, lease: 'lease' }
      expect(await insertIntakeRecord(store, record as IntakeRecordDoc)).to.equal(false)
      open()
      await deletion
      expect(await there(id)).to.equal(0)
      expect(await store.intakeRecords.countDocuments({ mailboxId: tenant.mailboxId, _id })).to.equal(0)
    })

    it('shared by two mailboxes are deleted with the second message', async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'shared@tenant.example' })
      await call('POST', '/api/v1/aliases', {
        alias: 'both@tenant.example',
        targets: [tenant.address, 'shared@tenant.example'],
      })
      await deliver(door.ctx, { to: 'both@tenant.example', raw: raw('shared') })
      const ids = await door.ctx.store.mailboxes.distinct('_id', { accountId: tenant.accountId })
      const copies = await door.ctx.store.messages.find({ mailboxId: { $in: ids }, subject: 'shared' }).toArray()
      expect(copies).to.have.length(2)
      const blob = copies[0]!.blob.id
      for (const [n, copy] of copies.entries()) {
        expect(await there(blob)).to.equal(1)
        await call('DELETE', `${mailboxPath(copy.mailbox)}/messages/${copy._id}?permanent=true`)
        await door.ctx.background.done()
        expect(await there(blob)).to.equal(1 - n)
      }
    })

    it('of a deleted mailbox are deleted with it, and its address is free again', async () => {
      await call('POST', '/api/v1/mailboxes', { address: 'ended@tenant.example' })
      const blob = await blobOf(await deliver(door.ctx, { to: 'ended@tenant.example', raw: raw('ended') }))
      await call('DELETE', mailboxPath('ended@tenant.example'))
      expect((await call('POST', '/api/v1/mailboxes', { address: 'ended@tenant.example' })).status).to.equal(409)
      door.advance(31 * dayMs)
      await purgeDeletedMailboxes(door.ctx)
      expect(await there(blob)).to.equal(0)
      expect((await call('POST', '/api/v1/mailboxes', { address: 'ended@tenant.example' })).status).to.equal(201)
    })
  })

  describe('quota places', () => {
    const counts = async () => {
      const account = await door.ctx.store.accounts.findOne({ _id: tenant.accountId })
      return { inboxes: account?.inboxes, webhooks: account?.webhooks, aliases: account?.aliases ?? 0 }
    }
    const real = async () => {
      const { mailboxes, webhooks, addresses } = door.ctx.store
      const { accountId } = tenant
      return {
        inboxes: await mailboxes.countDocuments({ accountId, deletedAt: { $exists: false } }),
        webhooks: await webhooks.countDocuments({ accountId }),
        aliases: await addresses.countDocuments({ accountId, kind: 'alias' }),
      }
    }
    const leave = (left: { inboxes: number; webhooks: number; aliases: number }) =>
      door.ctx.store.accounts.updateOne({ _id: tenant.accountId }, { $set: left })

    it('left taken by a crash are released after two checks, and only after an unclean end', async () => {
      const right = await real()
      const left = { inboxes: right.inboxes + 2, webhooks: right.webhooks + 1, aliases: right.aliases + 1 }
      const [ended] = [await noteRunning(door.ctx), await noteRunning(door.ctx)]
      await ended.stop()
      await leave(left)
      for (let look = 0; look < 3; look++) await recountQuotas(door.ctx)
      expect(await counts()).to.deep.equal(left)
      // The other process has not been seen since.
      door.advance(4 * minuteMs)
      await recountQuotas(door.ctx)
      expect(await counts()).to.deep.equal(left)
      await recountQuotas(door.ctx)
      expect(await counts()).to.deep.equal(right)
      await recountQuotas(door.ctx)
      expect((await door.ctx.store.state.findOne({ _id: 'countedPlaces' }))?.value).to.equal('done')
    })

    it('being taken between two checks are not touched', async () => {
      const right = await real()
      await noteRunning(door.ctx)
      door.advance(4 * minuteMs)
      await leave({ ...right, inboxes: right.inboxes + 1 })
      await recountQuotas(door.ctx)
      await leave({ ...right, inboxes: right.inboxes + 2 })
      await recountQuotas(door.ctx)
      expect((await counts()).inboxes).to.equal(right.inboxes + 2)
      await recountQuotas(door.ctx)
      expect(await counts()).to.deep.equal(right)
    })

    it('of a deleted mailbox are returned once', async () => {
      const right = await counts()
      await call('POST', '/api/v1/mailboxes', { address: 'brief@tenant.example' })
      const doc = (await door.ctx.store.mailboxes.findOne({
        accountId: tenant.accountId,
        address: 'brief@tenant.example',
      }))!
      await Promise.all(
        [1, 2].map(() => deleteMailboxUnchecked(door.ctx, doc, { plan: 'business', agentsPlan: 'scale' })),
      )
      expect(await counts()).to.deep.equal(right)
    })
  })

  it('a send that another process has just committed is left to that process for a moment', async () => {
    const { emails, outbox } = door.ctx.store
    const body = { to: 'x@remote.example', subject: 'x', text: 'x' }
    const sent = await call<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, body)
    await door.ctx.background.done()
    // The state that another process finds if it is notified of an outcome while the rest is being derived.
    await emails.updateOne({ _id: sent.body.id }, { $set: { planned: false, todoAt: door.ctx.clock.now() } })
    await outbox.deleteOne({ accountId: tenant.accountId, _id: `${sent.body.id}#0` })
    const rows = () => outbox.countDocuments({ accountId: tenant.accountId, _id: `${sent.body.id}#0` })
    await settleByIds(door.ctx, { ids: [sent.body.id], accountIds: [tenant.accountId] })
    expect(await rows()).to.equal(0)
    door.advance(6_000)
    await settleByIds(door.ctx, { ids: [sent.body.id], accountIds: [tenant.accountId] })
    expect(await rows()).to.equal(1)
  })

  describe('quota taken for sends', () => {
    const used = async () => (await call<{ sends: { used: number } }>('GET', '/api/v1/usage')).body.sends.used
    const open = () => door.ctx.store.usage.countDocuments({ 'open.at': { $gt: new Date(0) } })
    const takeFor = (purpose: string, token: string) =>
      takeCounts(door.ctx.store, [
        {
          ...usagePeriod(tenant.accountId, 'month', door.ctx.clock.now()),
          counts: [{ counter: 'sent', by: 5, limit: null }],
          open: { token, purpose, at: door.ctx.clock.now() },
        },
      ])
    const send = async () => {
      const body = { to: 'x@remote.example', subject: 'x', text: 'x' }
      const sent = await call<{ id: string }>('POST', `${mailboxPath(tenant.address)}/send`, body)
      return (await door.ctx.store.emails.findOne({ accountId: tenant.accountId, _id: sent.body.id }))!
    }

    it('is closed at once for committed sends, and returned for refused ones', async () => {
      const before = await used()
      await send()
      const refused = { to: 'x@remote.example', subject: 'x', text: 'x', headers: { 'X-A': '\u{1f600}'.repeat(300) } }
      const { status } = await call('POST', `${mailboxPath(tenant.address)}/send`, refused)
      expect(await used()).to.equal(before + (status === 202 ? 2 : 1))
      expect(await open()).to.equal(0)
    })

    it('is counted once and closed for sends with an Idempotency-Key, large sends and scheduled sends too', async () => {
      const counted = async () => {
        const at = door.ctx.clock.now()
        const [month] = await findUsage(door.ctx.store, [usagePeriod(tenant.accountId, 'month', at).id])
        const [figures] = await findUsage(door.ctx.store, [figuresPeriod(tenant.accountId, tenant.mailboxId, at).id])
        return [countOf(month, 'sent'), countOf(month, counterIn('day', 'sent', at)), countOf(figures, 'sent')]
      }
      const body = { to: 'x@remote.example', subject: 'x', text: 'x' }
      const kinds: readonly (readonly [what: object, headers?: Record<string, string>])[] = [
        [{}],
        [{}, { 'Idempotency-Key': 'one' }],
        [{}, { 'Idempotency-Key': 'one' }],
        [{ text: randomBytes(100_000).toString('base64') }],
        [{ sendAt: new Date(door.ctx.clock.now().getTime() + dayMs).toISOString() }],
      ]
      const before = await counted()
      for (const [what, headers] of kinds) {
        const path = `${mailboxPath(tenant.address)}/send`
        const { status } = await call('POST', path, { ...body, ...what }, headers)
        expect(status).to.equal(202)
      }
      // One of the sends is a repeat.
      expect(await counted()).to.deep.equal(before.map((count) => count + kinds.length - 1))
      expect(await open()).to.equal(0)
    })

    it('is returned once for a send that was never stored', async () => {
      const before = await used()
      await takeFor(newId('em', door.ctx.clock.now()), 'lost')
      await sweepOpenTakes(door.ctx)
      expect(await used()).to.equal(before + 5)
      door.advance(6 * 60_000)
      expect(await sweepOpenTakes(door.ctx)).to.equal(1)
      expect(await sweepOpenTakes(door.ctx)).to.equal(0)
      expect([await used(), await open()]).to.deep.equal([before, 0])
    })

    it('is kept for a stored send, but not for its other attempts', async () => {
      const email = await send()
      const before = await used()
      await takeFor(email._id, email.takenBy ?? '')
      await takeFor(email._id, 'another try')
      door.advance(6 * 60_000)
      await sweepOpenTakes(door.ctx)
      expect([await used(), await open()]).to.deep.equal([before + 5, 0])
    })
  })

  it('the deletion of a mailbox that a crash interrupted is finished and announced once', async () => {
    await call('POST', '/api/v1/mailboxes', { address: 'half@tenant.example' })
    await call('POST', '/api/v1/aliases', { alias: 'half-alias@tenant.example', targets: ['half@tenant.example'] })
    const found = { accountId: tenant.accountId, address: 'half@tenant.example' }
    await door.ctx.store.mailboxes.updateOne(found, { $set: { deletedAt: door.ctx.clock.now() } })
    door.advance(60_000)
    for (let time = 0; time < 2; time++) await sweepMailboxDeletions(door.ctx)
    const { body } = await call<{ events: { data: { address: string } }[] }>(
      'GET',
      '/api/v1/events?type=mailbox.deleted',
    )
    expect(body.events.filter(({ data }) => data.address === 'half@tenant.example')).to.have.length(1)
    expect((await call('DELETE', '/api/v1/aliases/half-alias@tenant.example')).status).to.equal(404)
  })

  it('an account without events for a month continues their sequence numbers', async () => {
    const { events } = door.ctx.store
    const last = async () =>
      (await events.find({ accountId: tenant.accountId }).sort({ seq: -1 }).limit(1).next())?.seq ?? 0
    const before = await last()
    door.advance(31 * dayMs)
    await sweepEventFloors(door.ctx)
    // As the database expires events after 30 days.
    await events.deleteMany({ accountId: tenant.accountId })
    await announceArrivals(
      door.ctx,
      await toldOf(door.ctx, [await deliver(door.ctx, { to: tenant.address, raw: raw('after a month') })]),
    )
    expect(await last()).to.equal(before + 1)
    const contacts = await call<{ contacts: { received: number }[] }>('GET', `${mailboxPath(tenant.address)}/contacts`)
    expect(contacts.body.contacts[0]?.received).to.equal(1)
  })
})
