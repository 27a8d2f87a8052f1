import { expect } from 'chai'
import type { Collection, Document } from 'mongodb'
import { eventually } from '../eventually.ts'
import { type Started, startEngine } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine: indexes', () => {
  let engine: Started
  let collection: Collection<Document>
  let round = 0
  before(async () => {
    engine = await startEngine({ args: ['--ttl-every-ms', '50'] })
  })
  after(() => engine.stop())
  beforeEach(() => {
    collection = engine.db.collection(`i${round++}`)
  })
  afterEach(async () => {
    if ((await engine.db.listCollections({ name: collection.collectionName }).toArray()).length === 0) return
    const { valid, errors } = await engine.db.command({ validate: collection.collectionName })
    expect(valid, String(errors)).to.equal(true)
  })

  it('a duplicate says which key and which value', async () => {
    await collection.createIndex({ a: 1, b: -1 }, { unique: true })
    await collection.insertOne({ a: 1, b: 'x' })
    const error = await failure(collection.insertOne({ a: 1, b: 'x' }))
    expect(error).to.deep.include({ code: 11000, keyPattern: { a: 1, b: -1 }, keyValue: { a: 1, b: 'x' } })
    expect(String(error)).to.match(
      /E11000 duplicate key error collection: test\.i\d+ index: a_1_b_-1 dup key: \{ a: 1, b: "x" \}/,
    )
    expect(await failure(collection.updateOne({ a: 2 }, { $set: { b: 'x', a: 1 } }, { upsert: true }))).to.include({
      code: 11000,
    })
    expect(await collection.countDocuments()).to.equal(1)
  })

  it('an update onto a taken key changes nothing', async () => {
    await collection.createIndex({ u: 1 }, { unique: true })
    await collection.insertMany([
      { _id: 1 as never, u: 1 },
      { _id: 2 as never, u: 2 },
    ])
    expect(await failure(collection.updateOne({ _id: 2 as never }, { $set: { u: 1 } }))).to.include({ code: 11000 })
    expect(await failure(collection.findOneAndUpdate({ _id: 2 as never }, { $set: { u: 1 } }))).to.include({
      code: 11000,
    })
    expect(await collection.findOne({ _id: 2 as never })).to.deep.equal({ _id: 2, u: 2 })
  })

  it('numbers of different types are one key', async () => {
    await collection.createIndex({ u: 1 }, { unique: true })
    await collection.insertOne({ u: 5 })
    expect(await failure(collection.insertOne({ u: 5.0 }))).to.include({ code: 11000 })
  })

  it('an array may repeat a value that no other document has', async () => {
    await collection.createIndex({ tags: 1 }, { unique: true })
    await collection.insertOne({ tags: ['a', 'a', 'b'] })
    const error = await failure(collection.insertOne({ tags: ['c', 'b'] }))
    expect(error).to.deep.include({ code: 11000, keyValue: { tags: 'b' } })
  })

  it('a missing field counts as null, in a sparse index not at all', async () => {
    await collection.createIndex({ n: 1 }, { unique: true })
    await collection.createIndex({ s: 1 }, { unique: true, sparse: true })
    await collection.insertOne({ n: 1 })
    await collection.insertOne({})
    expect(await failure(collection.insertOne({}))).to.include({ code: 11000 })
  })

  it('a partial unique index concerns only the documents of its filter', async () => {
    const options = { unique: true, partialFilterExpression: { live: true } }
    await collection.createIndex({ k: 1 }, options)
    await collection.insertMany([
      { k: 1, live: false },
      { k: 1, live: false },
      { k: 1, live: true },
    ])
    expect(await failure(collection.insertOne({ k: 1, live: true }))).to.include({ code: 11000 })
    expect(await failure(collection.updateOne({ live: false }, { $set: { live: true } }))).to.include({ code: 11000 })
    await collection.updateOne({ live: true }, { $set: { live: false } })
    await collection.updateOne({}, { $set: { live: true } })
  })

  it('a unique index is not built over duplicates', async () => {
    await collection.insertMany([{ a: 1 }, { a: 1 }])
    expect(await failure(collection.createIndex({ a: 1 }, { unique: true }))).to.include({ code: 11000 })
    expect(await collection.indexes()).to.have.length(1)
  })

  it('two arrays in one index are refused', async () => {
    await collection.createIndex({ a: 1, b: 1 })
    expect(await failure(collection.insertOne({ a: [1], b: [2] }))).to.include({ code: 171 })
  })

  it('creating again is no change; another index under the same name or key is refused', async () => {
    await collection.createIndex({ a: 1 }, { name: 'x' })
    await collection.createIndex({ a: 1 }, { name: 'x' })
    expect(await failure(collection.createIndex({ b: 1 }, { name: 'x' }))).to.include({ code: 86 })
    expect(await failure(collection.createIndex({ a: 1 }, { name: 'y' }))).to.include({ code: 85 })
    expect((await collection.indexes()).map(({ name }) => name)).to.deep.equal(['_id_', 'x'])
  })

  // The signature of an index is its key, `unique`, `sparse` and the partial filter (MongoDB 5.0 and later).
  const again: [name: string, options: Document, code: number | undefined][] = [
    ['unique, the same name', { name: 'x', unique: true }, 86],
    ['sparse, the same name', { name: 'x', sparse: true }, 86],
    ['partial, the same name', { name: 'x', partialFilterExpression: { b: 1 } }, 86],
    ['a lifetime, the same name', { name: 'x', expireAfterSeconds: 60 }, 85],
    ['a lifetime, another name', { name: 'y', expireAfterSeconds: 60 }, 85],
    ['unique, another name', { name: 'y', unique: true }, undefined],
    ['sparse, another name', { name: 'y', sparse: true }, undefined],
    ['partial, another name', { name: 'y', partialFilterExpression: { b: 1 } }, undefined],
    ['hidden, the same name', { name: 'x', hidden: true }, undefined],
  ]
  for (const [name, options, code] of again) {
    it(`the same key again, ${name}: ${code ?? 'made'}`, async () => {
      await collection.createIndex({ a: 1 }, { name: 'x' })
      const outcome = await failure(collection.createIndex({ a: 1 }, options)).catch(() => 'made')
      if (code === undefined) expect(outcome).to.equal('made')
      else expect(outcome).to.include({ code })
    })
  }

  it('an index on _id takes no options, and a key that two indexes have names none of them', async () => {
    const spec = { key: { _id: 1 }, name: '_id_', unique: true }
    expect(await failure(engine.db.command({ createIndexes: collection.collectionName, indexes: [spec] }))).to.include({
      code: 197,
    })
    await collection.createIndexes([
      { key: { a: 1 }, name: 'x' },
      { key: { a: 1 }, name: 'y', sparse: true },
    ])
    const drop = { dropIndexes: collection.collectionName, index: { a: 1 } }
    expect(await failure(engine.db.command(drop))).to.include({ code: 181 })
  })

  const refused: [name: string, key: Document, options: Document, code: number][] = [
    ['text', { a: 'text' }, {}, 67],
    ['2dsphere', { a: '2dsphere' }, {}, 67],
    ['hashed', { a: 'hashed' }, {}, 67],
    ['wildcard', { '$**': 1 }, {}, 67],
    ['a collation', { a: 1 }, { collation: { locale: 'en' } }, 72],
    ['a TTL over two fields', { a: 1, b: 1 }, { expireAfterSeconds: 1 }, 67],
    ['partial and sparse', { a: 1 }, { sparse: true, partialFilterExpression: { a: 1 } }, 67],
    ['a partial filter with a negation', { a: 1 }, { partialFilterExpression: { a: { $ne: 1 } } }, 67],
    ['an unknown option', { a: 1 }, { frob: 1 }, 197],
  ]
  for (const [name, key, options, code] of refused) {
    it(`refuses ${name}`, async () => {
      const spec = { key, name: 'refused', ...options }
      expect(
        await failure(engine.db.command({ createIndexes: collection.collectionName, indexes: [spec] })),
      ).to.include({ code })
    })
  }

  it('drops by name, by key and all at once', async () => {
    await collection.createIndexes([{ key: { a: 1 } }, { key: { b: 1 } }, { key: { c: 1 } }])
    await collection.dropIndex('a_1')
    expect(await failure(collection.dropIndex('a_1'))).to.include({ code: 27 })
    expect(await failure(collection.dropIndex('_id_'))).to.include({ code: 72 })
    await collection.dropIndexes()
    expect(await collection.indexes()).to.have.length(1)
  })

  it('a hidden index is kept up but not used', async () => {
    await collection.createIndex({ a: 1 })
    await collection.insertOne({ a: 1 })
    await engine.db.command({ collMod: collection.collectionName, index: { name: 'a_1', hidden: true } })
    const { queryPlanner } = await collection.find({ a: 1 }).explain('queryPlanner')
    expect(queryPlanner.winningPlan.stage).to.equal('COLLSCAN')
  })

  it('removes what has expired, by the earliest date of an array, and nothing else', async () => {
    const past = new Date(Date.now() - 60_000)
    const soon = new Date(Date.now() + 60_000)
    await collection.insertMany([
      { _id: 'past' as never, at: past },
      { _id: 'list' as never, at: [soon, past] },
      { _id: 'soon' as never, at: soon },
      { _id: 'text' as never, at: 'past' },
      { _id: 'none' as never },
    ])
    await collection.createIndex({ at: 1 }, { expireAfterSeconds: 30 })
    await eventually('they are gone', async () => (await collection.countDocuments()) <= 3)
    expect(await collection.distinct('_id')).to.deep.equal(['none', 'soon', 'text'])
  })

  it('removes by a hidden partial index only what has expired and stands in it', async () => {
    const at = new Date(Date.now() - 60_000)
    const options = { expireAfterSeconds: 30, hidden: true, partialFilterExpression: { done: true } }
    const strict = await startEngine({ args: ['--no-table-scan', '--ttl-every-ms', '50'] })
    for (const one of [engine, strict]) {
      const rows = one.db.collection<{ _id: string; at: Date; done: boolean }>(collection.collectionName)
      await rows.insertMany([
        { _id: 'open', at, done: false },
        { _id: 'done', at, done: true },
      ])
      await rows.createIndex({ at: 1 }, options)
      await eventually('it is gone', async () => (await rows.estimatedDocumentCount()) <= 1)
      expect(await rows.distinct('_id')).to.deep.equal(['open'])
    }
    await strict.stop()
  })

  it('renames a collection with its indexes', async () => {
    await collection.createIndex({ a: 1 })
    await collection.insertOne({ _id: 1 as never, a: 1 })
    const renamed = await collection.rename(`${collection.collectionName}x`)
    expect(await renamed.find({ a: 1 }).toArray()).to.deep.equal([{ _id: 1, a: 1 }])
    expect(await renamed.indexes()).to.have.length(2)
    expect(await collection.countDocuments()).to.equal(0)
  })

  describe('without table scans', () => {
    let strict: Started
    before(async () => {
      strict = await startEngine({ args: ['--no-table-scan'] })
      await strict.db.collection('c').insertMany([
        { _id: 1 as never, a: 1 },
        { _id: 2 as never, a: 2 },
      ])
      await strict.db.collection('c').createIndex({ a: 1 })
    })
    after(() => strict.stop())
    const cases: [name: string, run: (c: Collection<Document>) => Promise<unknown>, allowed: boolean][] = [
      ['a filter with an index', (c) => c.find({ a: 1 }).toArray(), true],
      ['a filter without', (c) => c.find({ b: 1 }).toArray(), false],
      ['no filter at all, as mongod', (c) => c.find({}).toArray(), true],
      ['a filter without, in the order of an index', (c) => c.find({ b: 1 }).sort({ a: 1 }).toArray(), true],
      ['an update', (c) => c.updateOne({ b: 1 }, { $set: { c: 1 } }), false],
      ['a delete', (c) => c.deleteMany({ b: 1 }), false],
      ['a findAndModify', (c) => c.findOneAndUpdate({ b: 1 }, { $set: { c: 1 } }), false],
      ['a count', (c) => c.countDocuments({ b: 1 }), false],
      ['a pipeline', (c) => c.aggregate([{ $match: { b: 1 } }]).toArray(), false],
      ['a tailable cursor over all', (c) => tail(c, {}), true],
      ['a tailable cursor with a filter, whatever index there is', (c) => tail(c, { _id: 1 as never }), false],
    ]
    const tail = async (c: Collection<Document>, filter: Document) => {
      await c.db.createCollection('capped', { capped: true, size: 4096 }).catch(() => undefined)
      return c.db.collection('capped').find(filter, { tailable: true }).next()
    }
    for (const [name, run, allowed] of cases) {
      it(`${allowed ? 'lets' : 'refuses'} ${name}`, async () => {
        const result = run(strict.db.collection('c'))
        if (allowed) await result
        else expect(await failure(result)).to.include({ code: 291 })
      })
    }
  })
})
