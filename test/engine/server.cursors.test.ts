import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { type Started, startEngine } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine: cursors', () => {
  let engine: Started
  let collection: Collection<Document>
  const total = 1200
  before(async () => {
    engine = await startEngine()
    collection = engine.db.collection('rows')
    await collection.insertMany(Array.from({ length: total }, (_, i) => ({ _id: i as never, g: i % 3, n: total - i })))
    await collection.createIndex({ g: 1, n: 1 })
  })
  after(() => engine.stop())

  const queries: [name: string, open: () => ReturnType<Collection['find']>, count: number][] = [
    ['over the collection', () => collection.find(), total],
    ['over an index', () => collection.find({ g: 1 }), total / 3],
    ['over an index backwards', () => collection.find({ g: 1 }).sort({ n: -1 }), total / 3],
    ['over merged intervals', () => collection.find({ g: { $in: [0, 2] } }).sort({ n: 1 }), (total * 2) / 3],
    ['sorted in memory', () => collection.find().sort({ g: 1, _id: -1 }), total],
    ['with skip and limit', () => collection.find().sort({ _id: 1 }).skip(10).limit(500), 500],
  ]
  for (const [name, open, count] of queries) {
    it(`batches ${name} give each document once, in the order of one big batch`, async () => {
      const whole = await open().batchSize(10_000).toArray()
      const parts = await open().batchSize(7).toArray()
      expect(parts).to.deep.equal(whole)
      expect(parts).to.have.length(count)
      expect(new Set(parts.map(({ _id }) => String(_id))).size).to.equal(count)
    })
  }

  it('a cursor reads on over what changes meanwhile', async () => {
    const moving = engine.db.collection<{ _id: number }>('moving')
    await moving.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i })))
    const cursor = moving.find().sort({ _id: 1 }).batchSize(10)
    const seen: number[] = []
    for (let i = 0; i < 10; i++) seen.push((await cursor.next())!._id)
    await moving.deleteMany({ _id: { $gte: 10, $lt: 50 } })
    await moving.insertOne({ _id: 1000 })
    for await (const { _id } of cursor) seen.push(_id)
    expect(seen).to.deep.equal([...range(0, 10), ...range(50, 100), 1000])
  })

  const orders: [name: string, sort: Document][] = [
    ['over merged intervals', { n: 1 }],
    ['sorted in memory', { m: 1 }],
  ]
  for (const [name, sort] of orders) {
    it(`a cursor ${name} gives nothing that the filter does not accept any more`, async () => {
      const rows = engine.db.collection<{ _id: number; state: string }>(`states${Object.keys(sort)}`)
      await rows.insertMany(Array.from({ length: 40 }, (_, n) => ({ _id: n, state: n % 2 ? 'a' : 'b', n, m: n })))
      await rows.createIndex({ state: 1, n: 1 })
      const cursor = rows.find({ state: { $in: ['a', 'b'] } }, { batchSize: 1 }).sort(sort as never)
      const seen: number[] = []
      for (let i = 0; i < 2; i++) seen.push((await cursor.next())!._id)
      await rows.updateMany({ _id: { $lt: 10 } }, { $set: { state: 'c' } })
      await rows.deleteMany({ _id: { $gte: 10, $lt: 20 } })
      for (let i = 0; i < 5; i++) seen.push((await cursor.next())!._id)
      await rows.updateMany({ _id: { $gte: 30 } }, { $set: { state: 'c' } })
      for await (const { _id } of cursor) seen.push(_id)
      expect(seen).to.deep.equal([...range(0, 2), ...range(20, 30)])
    })
  }

  it('a batch never exceeds 16 MiB', async () => {
    const big = engine.db.collection<{ _id: number; d: Buffer }>('big')
    for (let _id = 0; _id < 5; _id++) await big.insertOne({ _id, d: Buffer.alloc(6 * 1024 * 1024) })
    expect(await big.find({}, { projection: { _id: 1 } }).toArray()).to.have.length(5)
    const { cursor } = await engine.db.command({ find: 'big' })
    expect(cursor.firstBatch).to.have.length(2)
    await engine.db.command({ killCursors: 'big', cursors: [cursor.id] })
    // Neither a limit nor the last document ends one that was cut.
    for (const limit of [3, 4, 5, 6])
      expect(await big.find().sort({ _id: 1 }).limit(limit).toArray(), `limit ${limit}`).to.have.length(
        Math.min(limit, 5),
      )
  })

  it('killing a cursor ends it, and so does dropping its collection', async () => {
    const { cursor } = await engine.db.command({ find: 'rows', batchSize: 2 }, { promoteLongs: false })
    expect((await engine.db.command({ killCursors: 'rows', cursors: [cursor.id] })).cursorsKilled).to.have.length(1)
    expect(await failure(engine.db.command({ getMore: cursor.id, collection: 'rows' }))).to.include({ code: 43 })
    await engine.db.collection('gone').insertMany([{ a: 1 }, { a: 2 }, { a: 3 }])
    const rows = engine.db.collection('gone').find().batchSize(1)
    await rows.next()
    await engine.db.collection('gone').drop()
    expect(await failure(rows.toArray())).to.include({ code: 175 })
  })

  it('a cursor of one session is not read by another', async () => {
    const session = engine.client.startSession()
    const rows = collection.find({}, { session, batchSize: 2 })
    await rows.next()
    const other = engine.db.command({ getMore: rows.id, collection: 'rows' })
    expect(await failure(other)).to.include({ code: 50738 })
    await rows.close()
    await session.endSession()
  })

  it('an aggregation is read in batches too', async () => {
    const rows = await collection.aggregate([{ $match: { g: 1 } }, { $project: { n: 1 } }], { batchSize: 9 }).toArray()
    expect(rows).to.have.length(total / 3)
  })
})

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}
