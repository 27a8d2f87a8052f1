import { expect } from 'chai'
import { pauseSending } from '../../core/account/reputation.ts'
import { planDeliveries } from '../../core/notify/deliveries.ts'
import { hourMs } from '../../core/process/clock.ts'
import { closeContext, openContext } from '../../core/process/context.ts'
import { type Alarms, startAlarms } from '../../jobs/alarms.ts'
import { type Announcer, startAnnouncer } from '../../jobs/announcer.ts'
import { type Clocks, startClocks } from '../../jobs/clocks.ts'
import { newId } from '../../schemas/ids.ts'
import { eventually } from '../eventually.ts'
import { type Call, type Json, mailboxPath } from '../peers/rest.ts'
import { threadMs } from '../processor-time.ts'
import { type Door, openTenant, type Tenant } from '../start/door.ts'

/** Less than the time between two ticks of the clocks, so that none of this is done by them. */
const beforeTheClockMs = 20_000

describe('jobs: clocks', function () {
  this.timeout(60_000)
  let door: Door
  let tenant: Tenant
  let call: Call
  let box: string
  let clocks: Clocks
  let alarms: Alarms
  let announcer: Announcer

  const jobs = () => door.ctx.store.db.collection('agendaJobs').find().toArray()
  const setClocks = async (which: Json, times: Json) =>
    (await door.ctx.store.db.collection('agendaJobs').updateMany(which, { $set: times })).modifiedCount
  const ranBefore = (time: Date) => async () =>
    (await jobs()).every(({ lastFinishedAt }) => lastFinishedAt !== null && lastFinishedAt < time)
  /** The names of the clocks that were brought back according to the log. */
  const broughtBack = (): string[] => {
    const lines = door.logs().split('\n')
    return lines.filter((line) => line.includes('whose own time was ahead')).flatMap((line) => JSON.parse(line).clocks)
  }

  before(async () => {
    ;({ door, tenant, call } = await openTenant({ monitorCommands: true }))
    box = mailboxPath(tenant.address)
    announcer = startAnnouncer(door.ctx)
    alarms = startAlarms(door.ctx)
    clocks = await startClocks(door.ctx, alarms)
    const ran = async () => {
      const all = await jobs()
      return all.length === 7 && all.every(({ lastFinishedAt }) => lastFinishedAt !== null)
    }
    await eventually('every clock ran', ran, beforeTheClockMs)
  })
  after(async () => {
    await alarms?.stop()
    await clocks?.stop()
    await announcer?.stop()
    await door?.close()
  })

  it('a scheduled send goes out at its time, without a clock that polls for it', async () => {
    const sendAt = new Date(Date.now() + 2_500).toISOString()
    const { status, body } = await call<{ id: string }>('POST', `${box}/send`, {
      to: 'ada@remote.example',
      subject: 'Later',
      text: 'Hello',
      sendAt,
    })
    expect(status).to.equal(202)
    const released = () =>
      door.ctx.store.emails.findOne({ _id: body.id, scheduledFor: { $exists: false }, planned: true })
    await eventually('it goes', released, beforeTheClockMs)
    expect(Date.now()).to.be.at.least(Date.parse(sendAt))
  })

  it('a batch goes on step by step', async () => {
    const recipients = Array.from({ length: 25 }, (_, n) => ({ email: `p${n}@list.example` }))
    const { status, body } = await call<Json & { id: string }>('POST', `${box}/send-batch`, {
      subject: 'Hi',
      text: 'Hello',
      recipients,
      idempotencyKey: 'steps',
    })
    expect(status).to.equal(202)
    const done = () => door.ctx.store.batches.findOne({ _id: body.id, done: 25, nextAt: { $exists: false } })
    await eventually('all steps', done, beforeTheClockMs)
  })

  it('a webhook that failed is tried again after its pause', async () => {
    const made = await call<{ id: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hooks.invalid/',
      events: ['message.sent'],
    })
    expect(made.status).to.equal(201)
    const event = await eventually('an event', () =>
      door.ctx.store.events.findOne({ accountId: tenant.accountId }, { sort: { accountId: 1, seq: -1 } }),
    )
    await planDeliveries(door.ctx, [{ ...event, type: 'message.sent' }])
    const tried = () =>
      door.ctx.store.deliveries.findOne({ accountId: tenant.accountId, 'attempts.1': { $exists: true } })
    const { attempts } = await eventually('a second attempt', tried, beforeTheClockMs)
    // Five seconds, randomly up to a fifth more or less.
    expect(attempts[1]!.at.getTime() - attempts[0]!.at.getTime()).to.be.at.least(4_000)
  })

  it('an event of a command, whose process ends at once, is delivered by another process', async () => {
    const { body } = await call<{ id: string }>('POST', '/api/v1/webhooks', {
      url: 'https://hooks.invalid/paused',
      events: ['account.sending_paused'],
    })
    const admin = await openContext({ settings: door.ctx.settings, role: 'admin' })
    await pauseSending(admin, tenant.accountId, 'by hand')
    await closeContext(admin)
    const tried = () => door.ctx.store.deliveries.findOne({ webhookId: body.id, 'attempts.0': { $exists: true } })
    await eventually('an attempt', tried, beforeTheClockMs)
  })

  it('correcting the clock of the machine while the service runs delays nothing', async () => {
    const later = new Date(Date.now() + 6 * hourMs)
    const earlier = broughtBack().length
    // Clocks that no process is running, since that process would overwrite these times.
    const atRest = { lockedAt: null, nextRunAt: { $gt: new Date(Date.now() + beforeTheClockMs) } }
    const changed = await setClocks(atRest, { nextRunAt: later, lastFinishedAt: later, lockedAt: later })
    expect(changed).to.be.at.least(2)
    await eventually('every clock runs again', ranBefore(later), 2 * beforeTheClockMs)
    expect(broughtBack().slice(earlier)).to.have.length(changed)
  })

  it('a stop leaves no clock taken', async () => {
    // All clocks are due, and the stop comes just as they are requested.
    await door.ctx.store.db.collection('agendaJobs').updateMany({}, { $set: { nextRunAt: new Date() } })
    const unanswered = new Set<number>()
    await new Promise<void>((resolve) => {
      const { client } = door.ctx.store.db
      client.on('commandSucceeded', ({ requestId }) => unanswered.delete(requestId))
      client.on('commandStarted', ({ command, requestId }) => {
        if (command.findAndModify !== 'agendaJobs' || command.query.$or === undefined) return
        unanswered.add(requestId)
        resolve(clocks.stop())
      })
    })
    await eventually('all that it asked is answered', () => unanswered.size === 0)
    // A clock that has not run yet has no such field.
    for (const { name, lockedAt } of await jobs()) expect(lockedAt ?? null, name).to.equal(null)
  })

  it('a machine whose clock is wrong takes no clock', async () => {
    const wrong = await door.another({ aheadMs: () => hourMs })
    await wrong.ctx.skew.measure()
    await door.ctx.store.db.collection('agendaJobs').updateMany({}, { $set: { nextRunAt: new Date() } })
    const before = await jobs()
    await (await startClocks(wrong.ctx, alarms)).stop()
    await wrong.close()
    const next = (all: typeof before) => all.map(({ name, nextRunAt }) => [name, nextRunAt])
    expect(next(await jobs())).to.deep.equal(next(before))
  })
})

describe('jobs: the announcer', () => {
  it('takes each of many thousand notes in the same time, however many wait', async () => {
    const { door } = await openTenant()
    const { changes, clock } = door.ctx
    const listening = Promise.withResolvers<Parameters<typeof changes.listen>[0]>()
    const listen: typeof changes.listen = (listener) => {
      listening.resolve(listener)
      return changes.listen(listener)
    }
    const announcer = startAnnouncer({ ...door.ctx, changes: { ...changes, listen } })
    const tell = await listening.promise
    const ids = Array.from({ length: 40_000 }, () => newId('msg', clock.now()))
    const began = threadMs()
    for (const id of ids) tell({ kind: 'messages', ids: [id], mailboxIds: [newId('mbx', clock.now())] })
    // Copying what waits for each note takes 12 seconds.
    expect(threadMs() - began).to.be.below(3_000)
    await announcer.stop()
    await door.close()
  })
})
