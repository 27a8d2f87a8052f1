import { expect } from 'chai'
import type { Document } from 'mongodb'
import { mainThreadMs } from '../processor-time.ts'
import { type Started, startEngine } from '../start/engine.ts'
import { failure } from './failure.ts'

const rows = 40_000
/**
 * A slice is 5 ms; a full collection of garbage and cores that share a unit add to it. Without rests each of these takes
 * several times as long.
 */
const patienceMs = 250

describe('engine: long work lets others through', () => {
  let engine: Started
  before(async () => {
    engine = await startEngine()
    const documents = Array.from({ length: rows }, (_, n) => ({
      _id: n as never,
      n: (n * 7919) % rows,
      group: n % 5000,
      tags: [n % 10, n % 3],
      text: 'x'.repeat(300),
    }))
    await engine.db.collection('c').insertMany(documents)
    await engine.db.collection('c').createIndex({ group: 1 })
  })
  after(() => engine.stop())

  const pipelines: [name: string, pipeline: Document[]][] = [
    ['$group', [{ $group: { _id: '$group', n: { $sum: '$n' }, all: { $push: '$tags' } } }]],
    ['$sort', [{ $addFields: { m: { $mod: ['$n', 1000] } } }, { $sort: { m: 1, n: -1 } }]],
    ['$unwind and $sortByCount', [{ $unwind: '$tags' }, { $unwind: '$text' }, { $sortByCount: '$n' }]],
    ['$facet', [{ $facet: { a: [{ $group: { _id: '$group' } }], b: [{ $sort: { text: 1, n: 1 } }, { $limit: 3 }] } }]],
    ['a filter nothing matches', [{ $match: { text: /y/ } }, { $project: { n: 1 } }]],
    [
      '$lookup',
      [
        { $limit: 2000 },
        { $lookup: { from: 'c', localField: 'group', foreignField: 'group', as: 'same' } },
        { $group: { _id: null, n: { $sum: { $size: '$same' } } } },
      ],
    ],
  ]
  for (const [name, pipeline] of pipelines) {
    it(name, async () => {
      const slowest = await slowestPing(engine, async () => {
        await engine.db.collection('c').aggregate(pipeline, { batchSize: 1 }).next()
      })
      expect(slowest).to.be.lessThan(patienceMs)
    })
  }

  it('validate', async () => {
    const slowest = await slowestPing(engine, async () => {
      expect(await engine.db.command({ validate: 'c' })).to.include({ valid: true, nrecords: rows })
    })
    expect(slowest).to.be.lessThan(patienceMs)
  })

  it('validate ends with its time, and others that ask meanwhile and after it have their answers', async () => {
    const whole = () => engine.db.command({ validate: 'c' })
    const [late, ...found] = await Promise.all([
      failure(engine.db.command({ validate: 'c', maxTimeMS: 1 })),
      whole(),
      whole(),
    ])
    expect(late).to.include({ codeName: 'MaxTimeMSExpired' })
    for (const one of [...found, await whole()]) expect(one).to.include({ valid: true, nrecords: rows })
    expect(await failure(engine.db.command({ validate: 'none' }))).to.include({ codeName: 'NamespaceNotFound' })
  })

  it('the results are whole', async () => {
    const collection = engine.db.collection('c')
    expect(await collection.countDocuments()).to.equal(rows)
    expect(await collection.countDocuments({ group: { $gte: 1000, $lt: 4000 } })).to.equal((rows * 3) / 5)
    const sorted = await collection
      .aggregate([{ $addFields: { m: 1 } }, { $sort: { n: 1 } }, { $project: { n: 1 } }])
      .toArray()
    expect(sorted.map(({ n }) => n)).to.deep.equal(Array.from({ length: rows }, (_, n) => n))
  })
})

/** The most that the engine did, in milliseconds of its processor time, between a ping and its answer while `work` went on. */
async function slowestPing({ db, process: { pid } }: Started, work: () => Promise<void>): Promise<number> {
  let slowest = 0
  let done = false
  const working = work().finally(() => {
    done = true
  })
  while (!done) {
    const before = mainThreadMs(pid!)
    await db.command({ ping: 1 })
    slowest = Math.max(slowest, mainThreadMs(pid!) - before)
  }
  await working
  return slowest
}
