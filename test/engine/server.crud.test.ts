import { expect } from 'chai'
import {
  Binary,
  type Collection,
  Decimal128,
  type Document,
  Double,
  Int32,
  Long,
  MongoBulkWriteError,
  type MongoClientBulkWriteError,
  ObjectId,
  Timestamp,
} from 'mongodb'
import { eventually } from '../eventually.ts'
import { type Started, startEngine } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine: documents', () => {
  let engine: Started
  let collection: Collection<Document>
  let round = 0
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())
  beforeEach(() => {
    collection = engine.db.collection(`c${round++}`)
  })

  it('keeps every type as it was inserted', async () => {
    const doc = {
      _id: new ObjectId(),
      int: new Int32(5),
      long: Long.fromString('9007199254740993'),
      small: Long.fromNumber(5),
      double: new Double(5),
      decimal: Decimal128.fromString('1.10'),
      text: 'grüße\0',
      bytes: new Binary(Buffer.from('abc'), 5),
      at: new Date(0),
      stamp: new Timestamp({ t: 3, i: 4 }),
      list: [1, [2], { three: 3 }],
      nothing: null,
      pattern: /a.b/i,
    }
    await collection.insertOne(doc)
    const back = await collection.findOne({ _id: doc._id }, { promoteValues: false, bsonRegExp: true })
    expect(back).to.deep.include({
      int: doc.int,
      small: doc.small,
      double: doc.double,
      bytes: doc.bytes,
      stamp: doc.stamp,
    })
    expect(String(back?.long)).to.equal('9007199254740993')
    expect(String(back?.decimal)).to.equal('1.10')
    expect(back?.text).to.equal('grüße\0')
  })

  it('puts _id first, and makes one where it is missing', async () => {
    const raw = engine.client.db('test', { forceServerObjectId: true }).collection(collection.collectionName)
    await raw.insertMany([{ a: 1 }, { b: 2, _id: 'x' as never }])
    const found = await raw.find().toArray()
    expect(found.map((doc) => Object.keys(doc))).to.deep.equal([
      ['_id', 'a'],
      ['_id', 'b'],
    ])
    expect(found[0]?._id).to.be.instanceOf(ObjectId)
  })

  it('fills an empty timestamp at the top level', async () => {
    await collection.insertOne({ _id: 1 as never, at: new Timestamp({ t: 0, i: 0 }) })
    const found = await collection.findOne({ _id: 1 as never })
    expect(found?.at.t).to.be.greaterThan(1_700_000_000)
  })

  it('keeps an empty timestamp in _id', async () => {
    const _id = new Timestamp({ t: 0, i: 0 })
    await collection.insertMany([{ at: 1, _id: _id as never }])
    expect(await collection.findOne({ _id: _id as never })).to.include({ at: 1 })
  })

  it('an ordered insert stops at the first refusal, an unordered one goes on', async () => {
    const rows = [{ _id: 1 }, { _id: 1 }, { _id: 2 }] as never[]
    const ordered = await failure(collection.insertMany(rows))
    expect(ordered).to.be.instanceOf(MongoBulkWriteError)
    expect(ordered).to.include({ insertedCount: 1, code: 11000 })
    const unordered = await failure(collection.insertMany(rows, { ordered: false }))
    expect((unordered as MongoBulkWriteError).writeErrors).to.have.length(2)
    expect(await collection.countDocuments()).to.equal(2)
  })

  it('a bulk of mixed writes counts each kind', async () => {
    const result = await collection.bulkWrite([
      { insertOne: { document: { _id: 1 as never, n: 1 } } },
      { updateOne: { filter: { _id: 1 as never }, update: { $inc: { n: 2 } } } },
      { updateOne: { filter: { _id: 2 as never }, update: { $set: { n: 9 } }, upsert: true } },
      { replaceOne: { filter: { _id: 2 as never }, replacement: { m: 1 } } },
      { deleteOne: { filter: { _id: 1 as never } } },
    ])
    expect(result).to.include({ insertedCount: 1, modifiedCount: 2, upsertedCount: 1, deletedCount: 1 })
    expect(await collection.find().toArray()).to.deep.equal([{ _id: 2, m: 1 }])
  })

  it('a multi update changes each document once, beyond one chunk too', async () => {
    await collection.insertMany(Array.from({ length: 2500 }, (_, i) => ({ _id: i as never, n: i })))
    await collection.createIndex({ n: 1 })
    const result = await collection.updateMany({ n: { $gte: 0 } }, { $inc: { n: 10_000 } })
    expect(result).to.include({ matchedCount: 2500, modifiedCount: 2500 })
    expect(await collection.countDocuments({ n: { $gte: 20_000 } })).to.equal(0)
    expect(await collection.deleteMany({ n: { $gte: 10_000 } })).to.include({ deletedCount: 2500 })
  })

  describe('a statement that fails half way (src/mongo/db/ops/write_ops_exec.cpp)', () => {
    const failing = { q: {}, u: { $inc: { n: 1 } }, multi: true }
    const cases: readonly (readonly [name: string, command: Document, counts: Document, changed: number])[] = [
      ['counts nothing', { updates: [failing] }, { n: 0, nModified: 0 }, 2],
      [
        'leaves what came before it counted',
        { updates: [{ q: { _id: 0 }, u: { $set: { m: 1 } } }, failing] },
        { n: 1, nModified: 1 },
        2,
      ],
      [
        'lets the others go on when they are not ordered',
        { updates: [failing, { q: { _id: 0 }, u: { $set: { m: 1 } } }], ordered: false },
        { n: 1, nModified: 1 },
        2,
      ],
    ]
    for (const [name, command, counts, changed] of cases) {
      it(name, async () => {
        await collection.insertMany([0, 1, 'x', 3].map((n, i) => ({ _id: i as never, n })))
        const reply = await engine.db.command({ update: collection.collectionName, ...command })
        expect(reply).to.include(counts)
        expect(reply.writeErrors.map(({ code }: Document) => code)).to.deep.equal([14])
        const now = await collection.find().sort({ _id: 1 }).toArray()
        expect(now.filter(({ _id, n }) => n === Number(_id) + 1)).to.have.length(changed)
      })
    }
  })

  it('an update that changes nothing is matched but not modified', async () => {
    await collection.insertOne({ _id: 1 as never, n: 1 })
    expect(await collection.updateOne({ _id: 1 as never }, { $set: { n: 1 } })).to.include({
      matchedCount: 1,
      modifiedCount: 0,
    })
  })

  it('an update or a replacement of one takes the first by its sort, and one of many has none', async () => {
    await collection.insertMany([1, 2, 3].map((n) => ({ _id: n as never, n })))
    await collection.updateOne({}, { $set: { last: true } }, { sort: { n: -1 } })
    await collection.replaceOne({ n: { $lt: 3 } }, { n: 7 }, { sort: { n: -1 } })
    expect(await collection.find().toArray()).to.deep.equal([
      { _id: 1, n: 1 },
      { _id: 2, n: 7 },
      { _id: 3, n: 3, last: true },
    ])
    const updates = [{ q: {}, u: { $set: { n: 0 } }, sort: { n: 1 } }]
    const { queryPlanner } = await engine.db.command({ explain: { update: collection.collectionName, updates } })
    expect(queryPlanner.winningPlan).to.include({ stage: 'SORT' })
    const update = { ...updates[0], multi: true }
    const { writeErrors, n } = await engine.db.command({ update: collection.collectionName, updates: [update] })
    expect({ n, code: writeErrors[0].code }).to.deep.equal({ n: 0, code: 9 })
  })

  it('the positional operator changes the element that matched', async () => {
    await collection.insertOne({ _id: 1 as never, list: [{ k: 1 }, { k: 2 }] })
    await collection.updateOne({ 'list.k': 2 }, { $set: { 'list.$.hit': true } })
    expect((await collection.findOne())?.list).to.deep.equal([{ k: 1 }, { k: 2, hit: true }])
  })

  describe('findAndModify', () => {
    it('gives the document before or after, and removes', async () => {
      await collection.insertMany([
        { _id: 1 as never, n: 1, order: 2 },
        { _id: 2 as never, n: 1, order: 1 },
      ])
      const sorted = { sort: { order: 1 } } as const
      expect(await collection.findOneAndUpdate({ n: 1 }, { $inc: { n: 1 } }, sorted)).to.include({ _id: 2, n: 1 })
      expect(await collection.findOneAndUpdate({ n: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' })).to.include({
        _id: 1,
        n: 2,
      })
      expect(await collection.findOneAndDelete({ n: 2 }, sorted)).to.include({ _id: 2 })
      expect(await collection.findOneAndUpdate({ n: 7 }, { $inc: { n: 1 } })).to.equal(null)
    })

    it('20 callers never take the same job', async () => {
      await collection.insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: i as never, taken: false, at: i })))
      await collection.createIndex({ taken: 1, at: 1 })
      const taken: number[] = []
      const caller = async () => {
        for (;;) {
          const job = await collection.findOneAndUpdate(
            { taken: false },
            { $set: { taken: true } },
            { sort: { at: 1 } },
          )
          if (job === null) return
          taken.push(job.at)
        }
      }
      await Promise.all(Array.from({ length: 20 }, caller))
      expect([...taken].sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 100 }, (_, i) => i))
    })

    it('20 upserts of one key make one document', async () => {
      const upsert = () =>
        collection.findOneAndUpdate({ key: 'k' }, { $inc: { n: 1 } }, { upsert: true, returnDocument: 'after' })
      const results = await Promise.all(Array.from({ length: 20 }, upsert))
      expect(new Set(results.map((doc) => String(doc?._id))).size).to.equal(1)
      expect(await collection.find().toArray()).to.have.length(1)
      expect((await collection.findOne())?.n).to.equal(20)
    })

    it('a gate that counts lets in exactly as many as it allows', async () => {
      await collection.insertOne({ _id: 1 as never, used: 0, limit: 7 })
      const enter = () => collection.findOneAndUpdate({ _id: 1 as never, used: { $lt: 7 } }, { $inc: { used: 1 } })
      const results = await Promise.all(Array.from({ length: 20 }, enter))
      expect(results.filter((doc) => doc !== null)).to.have.length(7)
    })
  })

  describe('refusals', () => {
    const refused: [name: string, run: (c: Collection<Document>) => Promise<unknown>, code: number][] = [
      ['an array as _id', (c) => c.insertOne({ _id: [1] as never }), 53],
      ['a changed _id', (c) => c.updateOne({ _id: 1 as never }, { $set: { _id: 2 as never } }), 66],
      ['an unknown operator in a filter', (c) => c.findOne({ a: { $frob: 1 } } as Document), 2],
      ['an unknown update operator', (c) => c.updateOne({}, { $frob: { a: 1 } } as never), 9],
      ['code in a filter', (c) => c.findOne({ $where: 'true' } as Document), 2],
      ['w above 1', (c) => c.insertOne({}, { writeConcern: { w: 2 } }), 2],
      ['another collation', (c) => c.find({}, { collation: { locale: 'de' } }).toArray(), 72],
      ['a snapshot', (c) => c.find({}, { readConcern: { level: 'snapshot' } }).toArray(), 72],
      ['a hint that names no index', (c) => c.find({}).hint('nothing_1').toArray(), 2],
    ]
    for (const [name, run, code] of refused) {
      it(name, async () => {
        await collection.insertOne({ _id: 1 as never })
        expect(await failure(run(collection))).to.include({ code })
      })
    }

    const commands: [name: string, command: Document, code: number][] = [
      ['an unknown command', { frobnicate: 1 }, 59],
      ['an unknown field', { find: 'c', frob: 1 }, 40415],
      ['a command named as what every object of JavaScript has', { constructor: 1 }, 59],
      ['a field named so', { ping: 1, toString: 1 }, 40415],
      ['an index option named so', { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', valueOf: 1 }] }, 197],
      ['a clustered collection', { create: 'clustered', clusteredIndex: { key: { _id: 1 }, unique: true } }, 72],
      ['convertToCapped', { convertToCapped: 'c', size: 4096 }, 59],
      ['another size of a capped collection', { collMod: 'c', cappedSize: 4096 }, 72],
      ['a view', { create: 'view', viewOn: 'c' }, 72],
      ['a name with a dollar', { create: 'a$b' }, 73],
      ['listIndexes of nothing', { listIndexes: 'missing' }, 26],
      ['mapReduce', { mapReduce: 'c', map: '', reduce: '', out: '' }, 59],
      [
        'a transaction number',
        { insert: 'c', documents: [{}], txnNumber: Long.ONE, lsid: { id: new Binary(Buffer.alloc(16), 4) } },
        20,
      ],
    ]
    for (const [name, command, code] of commands) {
      it(name, async () => {
        expect(await failure(engine.db.command(command))).to.include({ code })
      })
    }

    it('a transaction, before anything of it has happened', async () => {
      const lsid = { id: new Binary(Buffer.alloc(16), 4) }
      const start = { startTransaction: true, autocommit: false, txnNumber: Long.ONE, lsid }
      const insert = { insert: collection.collectionName, documents: [{ _id: 1 }], ...start }
      expect(await failure(engine.db.command(insert))).to.include({ code: 20 })
      expect(await collection.countDocuments()).to.equal(0)
    })

    it('a change stream', async () => {
      const stream = collection.watch()
      expect(await failure(stream.next())).to.include({ code: 40573 })
      await stream.close()
    })

    it('a document over 16 MiB', async () => {
      const big = collection.insertOne({ big: 'x'.repeat(16 * 1024 * 1024) })
      expect(await failure(big)).to.include({ code: 10334 })
    })
  })

  it('unacknowledged writes are made', async () => {
    await collection.insertOne({ _id: 1 as never }, { writeConcern: { w: 0 } })
    await eventually('it is made', async () => (await collection.countDocuments()) > 0)
    expect(await collection.countDocuments()).to.equal(1)
  })

  it('a command over its time is given up', async () => {
    await collection.insertMany(Array.from({ length: 20_000 }, (_, i) => ({ n: i })))
    expect(await failure(collection.find({ m: 1 }).maxTimeMS(1).toArray())).to.include({ code: 50 })
  })

  it('counts and distinct values agree with the documents', async () => {
    await collection.insertMany([{ a: 1 }, { a: [1, 2] }, { a: new Double(2) }, { b: 1 }])
    expect(await collection.estimatedDocumentCount()).to.equal(4)
    expect(await collection.countDocuments({ a: { $exists: true } })).to.equal(3)
    expect(await collection.countDocuments({}, { skip: 1, limit: 2 })).to.equal(2)
    expect(await collection.distinct('a')).to.deep.equal([1, 2])
  })

  it('a projection and a pipeline see the same documents', async () => {
    await collection.insertMany([
      { _id: 1 as never, g: 'a', n: 1, list: [1, 2, 3] },
      { _id: 2 as never, g: 'a', n: 2 },
      { _id: 3 as never, g: 'b', n: 3 },
    ])
    const projected = await collection.find({}, { projection: { n: 1, _id: 0 }, sort: { n: -1 } }).toArray()
    expect(projected).to.deep.equal([{ n: 3 }, { n: 2 }, { n: 1 }])
    const sliced = await collection.findOne({ _id: 1 as never }, { projection: { list: { $slice: 1 } } })
    expect(sliced?.list).to.deep.equal([1])
    const grouped = await collection.aggregate([
      { $match: { n: { $gte: 1 } } },
      { $group: { _id: '$g', n: { $sum: '$n' } } },
      { $sort: { _id: 1 } },
    ])
    expect(await grouped.toArray()).to.deep.equal([
      { _id: 'a', n: 3 },
      { _id: 'b', n: 3 },
    ])
  })

  const projections: readonly (readonly [string, Document, string])[] = [
    [
      'fields, in the order of the document',
      { list: 1, a: true },
      '{"_id":1,"a":{"b":1,"c":2},"list":[{"b":1},{"c":2}]}',
    ],
    ['fields without the _id', { _id: 0, n: 1 }, '{"n":7}'],
    ['fields with the _id', { _id: true, n: 1 }, '{"_id":1,"n":7}'],
    ['the _id alone', { _id: 1 }, '{"_id":1}'],
    ['a field that is missing', { m: 1 }, '{"_id":1}'],
    ['a field within', { 'a.b': 1, n: 1 }, '{"_id":1,"n":7,"a":{"b":1}}'],
    ['another _id', { _id: '$n', n: 1 }, '{"n":7,"_id":7}'],
    ['all but some', { a: 0, list: 0 }, '{"_id":1,"n":7}'],
  ]
  for (const [what, projection, expected] of projections) {
    it(`a projection gives ${what}`, async () => {
      await collection.insertOne({ _id: 1 as never, n: 7, a: { b: 1, c: 2 }, list: [{ b: 1 }, { c: 2 }] })
      expect(JSON.stringify(await collection.findOne({}, { projection }))).to.equal(expected)
    })
  }

  it('an _id may be null or a reference, but hold no operators', async () => {
    await collection.replaceOne({ _id: null as never }, { a: 1 }, { upsert: true })
    expect(await collection.findOne({ _id: null as never })).to.deep.equal({ _id: null, a: 1 })
    expect(await failure(collection.replaceOne({ a: 1 }, { _id: 5 as never, a: 2 }))).to.include({ code: 66 })
    await collection.insertOne({ _id: { $ref: 'c', $id: 1 } as never })
    for (const inner of [{ $a: 1 }, { b: [{ $a: 1 }] }])
      expect(await failure(collection.insertOne({ _id: inner as never }))).to.include({ code: 52 })
  })

  it('documents of 100 levels are answered by every command, and may be what is asked for', async () => {
    const nested = (levels: number): Document => (levels === 1 ? {} : { a: nested(levels - 1) })
    const deepest = { a: nested(99) }
    const id = { _id: 1 as never }
    await collection.insertOne({ ...id, ...deepest })
    expect(await collection.findOneAndUpdate(id, { $set: { x: 1 } })).to.deep.equal({ ...id, ...deepest })
    expect(await collection.findOneAndReplace(id, deepest)).to.deep.equal({ ...id, ...deepest, x: 1 })
    await collection.bulkWrite([{ replaceOne: { filter: id, replacement: { b: deepest.a } } }])
    await collection.updateOne(id, { $set: deepest })
    expect(await collection.findOneAndDelete(id)).to.deep.equal({ ...id, b: deepest.a, ...deepest })
    await collection.createIndex({ a: 1 }, { unique: true })
    await collection.insertOne({ _id: 4 as never, ...deepest })
    const twice = collection.insertOne({ _id: 2 as never, a: deepest.a })
    expect(await failure(twice)).to.deep.include({ code: 11000, keyValue: { a: deepest.a } })
    const namespace = `${engine.db.databaseName}.${collection.collectionName}`
    const bulk = engine.client.bulkWrite([{ name: 'insertOne', namespace, document: { ...deepest } }])
    const refused = (await failure(bulk)) as MongoClientBulkWriteError
    expect(refused.writeErrors.get(0)).to.include({ code: 11000 })
    expect(await failure(collection.insertOne({ a: nested(100) }))).to.include({ code: 15 })
    expect(await failure(collection.updateOne({}, { $set: { b: nested(100) } }))).to.include({ code: 15 })
  })

  it('an unknown field of a statement refuses the command before any of it runs', async () => {
    const updates = [
      { q: {}, u: { $set: { a: 1 } }, upsert: true },
      { q: {}, u: { $set: { a: 1 } }, frob: { a: 1 } },
    ]
    const command = { update: collection.collectionName, updates }
    expect(await failure(engine.db.command(command))).to.include({ code: 40415 })
    expect(await collection.countDocuments()).to.equal(0)
  })

  const concerns: readonly (readonly [string, Document, number | undefined])[] = [
    ['readConcern majority', { readConcern: { level: 'majority' } }, undefined],
    ['readConcern of no name', { readConcern: { level: 'some' } }, 9],
    ['readConcern snapshot', { readConcern: { level: 'snapshot' } }, 72],
    ['readConcern at a time', { readConcern: { afterClusterTime: new Timestamp({ t: 1, i: 1 }) } }, 20],
    ['writeConcern majority and journal', { writeConcern: { w: 'majority', j: true, wtimeout: 5 } }, undefined],
    ['writeConcern of two', { writeConcern: { w: 2 } }, 2],
    ['writeConcern below nothing', { writeConcern: { w: -1 } }, 9],
    ['writeConcern with another field', { writeConcern: { w: 1, x: 1 } }, 40415],
    ['apiStrict and a command outside', { apiVersion: '1', apiStrict: true }, 323],
  ]
  for (const [name, field, code] of concerns) {
    it(`${name}: ${code ?? 'fine'}`, async () => {
      const command = { distinct: 'c', key: 'a', ...field }
      const reply = await engine.db.command(command).catch((error: unknown) => error as Document)
      expect(reply.code, String(reply.message)).to.equal(code)
    })
  }
})
