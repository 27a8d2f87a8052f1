import { MongoBackend } from '@agendajs/mongo-backend'
import { Agenda } from 'agenda'
import { expect } from 'chai'
import type { Document } from 'mongodb'
import { eventually } from '../eventually.ts'
import { type Started, startEngine } from '../start/engine.ts'

describe('engine: under Agenda', () => {
  let engine: Started
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())

  it('runs jobs now, later and every so often, and keeps unique ones single', async () => {
    const agenda = new Agenda({ backend: new MongoBackend({ mongo: engine.db as never }), processEvery: 50 })
    const ran: string[] = []
    for (const name of ['now', 'later', 'every', 'unique']) agenda.define(name, async () => void ran.push(name))
    agenda.define('broken', async () => {
      throw new Error('as intended')
    })
    await agenda.start()
    await agenda.now('now', { x: 1 })
    await agenda.schedule(new Date(Date.now() + 100), 'later', {})
    await agenda.every('100 milliseconds', 'every')
    await agenda.now('broken', {})
    for (let i = 0; i < 5; i++)
      await agenda.create('unique', { k: 1 }).unique({ 'data.k': 1 }).schedule(new Date()).save()
    const jobs = engine.db.collection('agendaJobs')
    await eventually('all ran', () => new Set(ran).size === 4)
    await eventually('the failure is written down', async () => {
      const broken = await jobs.findOne({ name: 'broken' })
      return broken?.failReason === 'as intended'
    })
    await agenda.stop()
    expect([...new Set(ran)].sort()).to.deep.equal(['every', 'later', 'now', 'unique'])
    expect(await jobs.countDocuments({ name: 'unique' })).to.equal(1)
    expect((await jobs.indexes()).map(({ name }) => name)).to.include('findAndLockNextJobIndex')
  })

  describe('its query shapes', () => {
    const now = new Date()
    const lock: Document = {
      name: 'mail',
      disabled: { $ne: true },
      $or: [
        { lockedAt: { $eq: null }, nextRunAt: { $lte: now } },
        { lockedAt: { $lte: new Date(now.getTime() - 600_000) } },
      ],
    }
    before(async () => {
      const jobs = engine.db.collection('shapes')
      await jobs.createIndex(
        { name: 1, nextRunAt: 1, priority: -1, lockedAt: 1, disabled: 1 },
        { name: 'findAndLockNextJobIndex' },
      )
      const base = { name: 'mail', lockedAt: null, lastModifiedBy: null, failReason: null }
      await jobs.insertMany([
        { ...base, _id: 'low' as never, nextRunAt: new Date(0), priority: 0 },
        { ...base, _id: 'high' as never, nextRunAt: new Date(0), priority: 10 },
        { ...base, _id: 'disabled' as never, nextRunAt: new Date(0), priority: 20, disabled: true },
        { ...base, _id: 'future' as never, nextRunAt: new Date(now.getTime() + 60_000), priority: 20 },
        { ...base, _id: 'stale' as never, nextRunAt: new Date(1), priority: 0, lockedAt: new Date(0) },
      ])
    })

    it('locks the most urgent job by the index', async () => {
      const jobs = engine.db.collection('shapes')
      const { queryPlanner } = await jobs.find(lock).sort({ nextRunAt: 1, priority: -1 }).explain('queryPlanner')
      expect(queryPlanner.winningPlan).to.deep.include({ stage: 'FETCH' })
      expect(queryPlanner.winningPlan.inputStage).to.include({ stage: 'IXSCAN', indexName: 'findAndLockNextJobIndex' })
      const order: unknown[] = []
      for (;;) {
        const change = { $set: { lockedAt: now, lastModifiedBy: 'me' } }
        const options = { sort: { nextRunAt: 1, priority: -1 }, returnDocument: 'after', upsert: false } as const
        const job = await jobs.findOneAndUpdate(lock, change, options)
        if (job === null) break
        order.push(job._id)
      }
      expect(order).to.deep.equal(['high', 'low', 'stale'])
    })

    it('upserts with $setOnInsert alone', async () => {
      const jobs = engine.db.collection('shapes')
      const only = { $setOnInsert: { nextRunAt: now, type: 'single' } }
      const filter = { name: 'once', 'data.k': 1 }
      const first = await jobs.findOneAndUpdate(filter, only, { upsert: true, returnDocument: 'after' })
      const second = await jobs.findOneAndUpdate(
        filter,
        { $setOnInsert: { type: 'other' } },
        { upsert: true, returnDocument: 'after' },
      )
      expect(second).to.deep.equal(first)
      expect(first).to.deep.include({ name: 'once', data: { k: 1 }, type: 'single' })
    })

    it('unlocks, purges and lists', async () => {
      const jobs = engine.db.collection('shapes')
      await jobs.updateMany({ _id: { $in: ['low', 'high'] as never[] } }, { $unset: { lockedAt: true } })
      expect(await jobs.countDocuments({ lockedAt: { $exists: true } })).to.equal(3)
      expect(await jobs.find({ name: { $regex: 'MAI', $options: 'i' } }).toArray()).to.have.length(5)
      expect(await jobs.aggregate([{ $group: { _id: '$name' } }]).toArray()).to.have.deep.members([
        { _id: 'mail' },
        { _id: 'once' },
      ])
      expect(await jobs.deleteMany({ name: { $nin: ['mail'] } })).to.include({ deletedCount: 1 })
    })
  })
})
