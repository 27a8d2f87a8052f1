import { expect } from 'chai'
import { claimAttempts, isHeld, renewAttempts } from '../../../core/deliver/outbox.ts'
import { recordOutcome } from '../../../core/deliver/outcomes.ts'
import { returnPathOf } from '../../../core/receive/return-path.ts'
import { startClaims } from '../../../plugins/outbound/claims.ts'
import { newId } from '../../../schemas/ids.ts'
import type { OutboxDoc } from '../../../store/documents/sending.ts'
import { insertOutbox } from '../../../store/outbox.ts'
import { eventually } from '../../eventually.ts'
import { type Door, openDoor } from '../../start/door.ts'

const backlog = 10_000
const perClaim = 50

describe('claims of the outbox', () => {
  let door: Door

  before(async () => {
    door = await openDoor()
  })
  after(() => door?.close())

  const row = (accountId: string, at: Date): OutboxDoc => {
    const emailId = newId('em', at)
    return {
      _id: `${emailId}#0`,
      accountId,
      emailId,
      n: 0,
      recipient: 'a@remote.example',
      sender: returnPathOf(door.ctx, { emailId, n: 0 }, 'agent@ours.example'),
      messageIdHeader: `${emailId}@ours.example`,
      blob: { id: newId('blb', at), chunks: 1, sizeBytes: 1 },
      notBefore: at,
      createdAt: at,
      lease: null,
      attempts: 0,
      attempting: false,
    }
  }

  it(`a send is claimed at once, with ${backlog} of another account before it`, async () => {
    const { ctx } = door
    const [big, small] = [newId('acc', new Date()), newId('acc', new Date())]
    const long = new Date(Date.now() - 60_000)
    const rows = Array.from({ length: backlog }, () => row(big, long))
    for (let n = 0; n < backlog; n += 1_000) await insertOutbox(ctx.store, rows.slice(n, n + 1_000))
    const claim = () => claimAttempts(ctx, { owner: 'test', max: perClaim })
    expect((await claim()).map(({ accountId }) => accountId)).to.deep.equal(Array.from({ length: perClaim }, () => big))
    await insertOutbox(ctx.store, [row(small, new Date())])
    const owners = (await claim()).map(({ accountId }) => accountId)
    expect(owners.filter((owner) => owner === small)).to.have.length(1)
  })

  it('mail waiting for its turn at a stop is due again, without a counted attempt', async () => {
    const { ctx } = door
    // Mail waiting in other accounts is not found without their lanes.
    await ctx.store.lanes.deleteMany({})
    const accountId = newId('acc', new Date())
    await insertOutbox(
      ctx.store,
      Array.from({ length: 6 }, () => row(accountId, new Date())),
    )
    const outbound = { ...ctx.settings.outbound, concurrency: 2 }
    const begun: string[] = []
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const claims = startClaims(
      { ...ctx, settings: { ...ctx.settings, outbound } },
      {
        owner: 'test',
        async deliver({ id }) {
          begun.push(id)
          await mayEnd
          return { status: 'delivered', response: '250 ok', mx: null, tls: false, at: new Date() }
        },
      },
    )
    const rows = () => ctx.store.outbox.find({ accountId }).toArray()
    await eventually('four are claimed', async () => (await rows()).filter(({ lease }) => lease !== null).length === 4)
    await eventually('two are on their way', async () => begun.length === 2)
    const stopped = claims.stop(5_000)
    end()
    await stopped
    const [done, waiting] = [true, false].map(async (isDone) =>
      (await rows()).filter(({ doneAt }) => (doneAt !== undefined) === isDone),
    )
    expect((await done)?.map(({ _id }) => _id))
      .to.have.members(begun)
      .and.have.length(2)
    for (const { attempts, lease, notBefore } of (await waiting) ?? []) {
      expect([attempts, lease]).to.deep.equal([0, null])
      expect(notBefore?.getTime()).to.be.below(Date.now() + 2_000)
    }
  })

  it('mail for slow servers does not delay other mail', async () => {
    const { ctx } = door
    await ctx.store.lanes.deleteMany({})
    const [slow, quick] = [newId('acc', new Date()), newId('acc', new Date())]
    await insertOutbox(
      ctx.store,
      Array.from({ length: 12 }, () => row(slow, new Date())),
    )
    const outbound = { ...ctx.settings.outbound, concurrency: 2 }
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    const begun: string[] = []
    const claims = startClaims(
      { ...ctx, settings: { ...ctx.settings, outbound } },
      {
        owner: 'test',
        async deliver({ accountId }) {
          begun.push(accountId)
          if (accountId === slow) await mayEnd
          return { status: 'delivered', response: '250 ok', mx: null, tls: false, at: new Date() }
        },
      },
    )
    await eventually('the slow ones are on their way', async () => begun.length >= 2)
    await insertOutbox(ctx.store, [row(quick, new Date())])
    await eventually('the quick one is too', async () => begun.includes(quick))
    // Not all at once: slow mail is limited too.
    expect(begun.length).to.be.at.most(2 + 4 * 2 + 1)
    end()
    await claims.stop(5_000)
  })

  it('a claim whose answer was lost is recovered by the next one', async () => {
    const { ctx } = door
    await ctx.store.lanes.deleteMany({})
    const accountId = newId('acc', new Date())
    const rows = [row(accountId, new Date()), row(accountId, new Date())]
    await insertOutbox(ctx.store, rows)
    let isLost = false
    const updateMany = async (...args: Parameters<typeof ctx.store.outbox.updateMany>) => {
      const answer = await ctx.store.outbox.updateMany(...args)
      if (isLost) return answer
      isLost = true
      throw new Error('the connection is gone')
    }
    const outbox = Object.assign(Object.create(ctx.store.outbox), { updateMany }) as typeof ctx.store.outbox
    const unlucky = { ...ctx, store: { ...ctx.store, outbox } }
    const claim = () => claimAttempts(unlucky, { owner: 'test', max: 10 })
    expect(await claim().catch((error: Error) => error.message)).to.equal('the connection is gone')
    expect((await claim()).map(({ id, attempt }) => [id, attempt])).to.have.deep.members(
      rows.map(({ _id }) => [_id, 1]),
    )
    expect(await claim()).to.deep.equal([])
  })

  it('renews the leases of several accounts, and reports the lost ones', async () => {
    const { ctx } = door
    await ctx.store.lanes.deleteMany({})
    const rows = [1, 2].map(() => row(newId('acc', new Date()), new Date()))
    await insertOutbox(ctx.store, rows)
    const attempts = await claimAttempts(ctx, { owner: 'test', max: 10 })
    const lapse = () => ctx.store.outbox.updateMany(idsOf(rows), { $set: { notBefore: new Date() } })
    const dueAts = async () => (await ctx.store.outbox.find(idsOf(rows)).toArray()).map(({ notBefore }) => notBefore)
    await lapse()
    await renewAttempts(ctx, attempts)
    for (const dueAt of await dueAts()) expect(dueAt?.getTime()).to.be.above(Date.now() + 10_000)
    await lapse()
    for (const attempt of attempts) attempt.heldUntil = new Date()
    await ctx.store.outbox.updateOne({ _id: attempts[0]!.id }, { $set: { lease: { owner: 'other', token: 'theirs' } } })
    expect(await Promise.all(attempts.map((attempt) => isHeld(ctx, attempt)))).to.deep.equal([false, true])
  })

  it('an outcome recorded after another one has settled the row does not count', async () => {
    const { ctx } = door
    await ctx.store.lanes.deleteMany({})
    await insertOutbox(ctx.store, [row(newId('acc', new Date()), new Date())])
    const [attempt] = await claimAttempts(ctx, { owner: 'test', max: 10 })
    const outcome = { status: 'delivered', response: '250 ok', mx: null, tls: false, at: new Date() } as const
    expect(await recordOutcome(ctx, attempt!, outcome)).to.equal(true)
    expect(await recordOutcome(ctx, attempt!, outcome)).to.equal(false)
  })

  it('mail whose lease expires during delivery is claimed again and delivered once', async () => {
    const { ctx } = door
    await ctx.store.lanes.deleteMany({})
    const own = row(newId('acc', new Date()), new Date())
    await insertOutbox(ctx.store, [own])
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>()
    let begun = 0
    const claims = startClaims(ctx, {
      owner: 'test',
      async deliver() {
        begun += 1
        await mayEnd
        return { status: 'delivered', response: '250 ok', mx: null, tls: false, at: new Date() }
      },
    })
    const attempts = async () => (await ctx.store.outbox.findOne({ _id: own._id }))?.attempts
    await eventually('it is on its way', async () => begun === 1)
    await ctx.store.outbox.updateOne({ _id: own._id }, { $set: { notBefore: new Date() } })
    await ctx.store.lanes.updateMany({}, { $set: { dueAt: new Date() } })
    await eventually('it is claimed anew', async () => (await attempts()) === 2)
    end()
    const isDone = async () => (await ctx.store.outbox.findOne({ _id: own._id }))?.doneAt !== undefined
    await eventually('it is done with', isDone)
    await claims.stop(5_000)
    expect(begun).to.equal(1)
  })
})

const idsOf = (rows: readonly OutboxDoc[]) => ({ _id: { $in: rows.map(({ _id }) => _id) } })
