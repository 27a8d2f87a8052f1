import { expect } from 'chai'
import type { Document } from 'mongodb'
import { type Started, startEngine, temporaryFolder } from '../start/engine.ts'
import { failure } from './failure.ts'

describe('engine server: let, $merge and $out', () => {
  let engine: Started
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())

  const fresh = async (name: string, documents: Document[]) => {
    const collection = engine.db.collection<Document>(name)
    await collection.deleteMany({})
    if (documents.length > 0) await collection.insertMany(documents)
    return collection
  }
  const all = (name: string) => engine.db.collection<Document>(name).find({}).sort({ _id: 1 }).toArray()

  describe('let', () => {
    const rows = [
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]
    const isTwo = { $expr: { $eq: ['$n', '$$wanted'] } }
    const options = { let: { wanted: { $add: [1, 1] } } }

    const uses: readonly (readonly [string, () => Promise<unknown>, unknown])[] = [
      ['find', () => engine.db.collection('let').find(isTwo, options).toArray(), [{ _id: 2, n: 2 }]],
      [
        'a projection',
        () => engine.db.collection('let').findOne({ n: 1 }, { ...options, projection: { _id: 0, w: '$$wanted' } }),
        { w: 2 },
      ],
      [
        'aggregate',
        () =>
          engine.db
            .collection('let')
            .aggregate([{ $match: isTwo }], options)
            .toArray(),
        [{ _id: 2, n: 2 }],
      ],
      [
        'a $lookup',
        () =>
          engine.db
            .collection('let')
            .aggregate(
              [{ $match: { _id: 1 } }, { $lookup: { from: 'let', as: 'two', pipeline: [{ $match: isTwo }] } }],
              options,
            )
            .toArray(),
        [{ _id: 1, n: 1, two: [{ _id: 2, n: 2 }] }],
      ],
      [
        'findOneAndUpdate',
        () => engine.db.collection('let').findOneAndUpdate(isTwo, [{ $set: { n: '$$wanted' } }], options),
        { _id: 2, n: 2 },
      ],
      ['deleteMany', async () => (await engine.db.collection('let').deleteMany(isTwo, options)).deletedCount, 1],
      [
        'updateOne',
        async () => {
          await engine.db.collection('let').updateOne({ _id: 1 as never }, [{ $set: { n: '$$wanted' } }], options)
          return all('let')
        },
        [{ _id: 1, n: 2 }, rows[1]],
      ],
    ]
    for (const [name, use, expected] of uses) {
      it(`of ${name}`, async () => {
        await fresh('let', rows)
        expect(await use()).to.deep.equal(expected)
      })
    }

    it('a later variable sees the one before it', async () => {
      await fresh('let', rows)
      const found = engine.db.collection('let').find(isTwo, { let: { one: 1, wanted: { $add: ['$$one', 1] } } })
      expect(await found.toArray()).to.have.length(1)
    })
    const refusals: readonly (readonly [string, Document, number])[] = [
      ['a field', { a: '$n' }, 4890500],
      ['the document', { a: '$$ROOT' }, 4890500],
      ['an unknown variable', { a: '$$b' }, 17276],
      ['a name that begins in upper case', { A: 1 }, 9],
    ]
    for (const [name, variables, code] of refusals) {
      it(`refuses ${name}`, async () => {
        expect(await failure(engine.db.collection('let').find({}, { let: variables }).toArray())).to.include({ code })
      })
    }
  })

  describe('$merge', () => {
    const merge = (documents: Document[], spec: Document) =>
      engine.db.aggregate([{ $documents: documents }, { $merge: { into: 'target', ...spec } }]).toArray()
    const old = [
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2, b: 2 },
    ]

    const modes: readonly (readonly [string, Document, Document[]])[] = [
      ['merges and inserts', {}, [{ _id: 1, a: 1, b: 9 }, old[1]!, { _id: 3, b: 3 }]],
      ['replaces', { whenMatched: 'replace' }, [{ _id: 1, b: 9 }, old[1]!, { _id: 3, b: 3 }]],
      ['keeps', { whenMatched: 'keepExisting' }, [...old, { _id: 3, b: 3 }]],
      ['discards', { whenNotMatched: 'discard' }, [{ _id: 1, a: 1, b: 9 }, old[1]!]],
      [
        'runs a pipeline',
        { whenMatched: [{ $set: { b: { $add: ['$b', '$$new.b', '$$more'] } } }], let: { more: '$b' } },
        [{ _id: 1, a: 1, b: 19 }, old[1]!, { _id: 3, b: 3 }],
      ],
    ]
    for (const [name, spec, expected] of modes) {
      it(name, async () => {
        await fresh('target', old)
        const reply = await merge(
          [
            { _id: 1, b: 9 },
            { _id: 3, b: 3 },
          ],
          spec,
        )
        expect(reply).to.deep.equal([])
        expect(await all('target')).to.deep.equal(expected)
      })
    }

    it('finds by a unique key', async () => {
      const target = await fresh('target', old)
      await target.createIndex({ a: 1 }, { unique: true })
      await merge([{ a: 2, b: 8 }], { on: 'a' })
      expect(await all('target')).to.deep.equal([old[0], { _id: 2, a: 2, b: 8 }])
      expect(await failure(merge([{ b: 8 }], { on: 'a' }))).to.include({ code: 51132 })
      await target.dropIndex('a_1')
      expect(await failure(merge([{ a: 2 }], { on: 'a' }))).to.include({ code: 51183 })
    })

    it('tells what it could not do', async () => {
      await fresh('target', old)
      const taken = await failure(merge([{ _id: 1 }], { whenMatched: 'fail' }))
      expect(taken).to.deep.include({
        code: 11000,
        codeName: 'DuplicateKey',
        keyPattern: { _id: 1 },
        keyValue: { _id: 1 },
      })
      expect(await failure(merge([{ _id: 7 }], { whenNotMatched: 'fail' }))).to.include({ code: 13113 })
    })

    it('writes more than a batch, from an ordinary collection', async () => {
      await fresh('target', [])
      await fresh(
        'source',
        Array.from({ length: 2_500 }, (_, i) => ({ _id: i, n: i % 7 })),
      )
      await engine.db
        .collection('source')
        .aggregate([{ $match: { n: { $lt: 6 } } }, { $merge: 'target' }])
        .toArray()
      expect(await engine.db.collection('target').countDocuments()).to.equal(2_500 - 357)
    })
  })

  describe('$out', () => {
    it('replaces the collection, whose indexes stay', async () => {
      const target = await fresh('out', [{ _id: 1, a: 1 }])
      await target.createIndex({ a: 1 }, { unique: true })
      await fresh('source', [
        { _id: 5, a: 5 },
        { _id: 6, a: 6 },
      ])
      await engine.db
        .collection('source')
        .aggregate([{ $sort: { _id: -1 } }, { $out: 'out' }])
        .toArray()
      expect(await all('out')).to.deep.equal(await all('source'))
      expect((await target.indexes()).map(({ name }) => name)).to.deep.equal(['_id_', 'a_1'])
      expect(await engine.db.command({ validate: 'out' })).to.include({ valid: true })
    })

    it('leaves the collection as it was when it fails', async () => {
      await fresh('source', [{ _id: 5, a: 5 }])
      await engine.db.collection('source').updateOne({}, { $set: { b: [1, 2] } })
      const refused = await failure(
        engine.db
          .collection('source')
          .aggregate([{ $project: { a: 1, b: 1 } }, { $unwind: '$b' }, { $out: 'out' }])
          .toArray(),
      )
      expect(refused).to.include({ code: 11000 })
      expect((await engine.db.listCollections({ name: /^tmp/ }).toArray()).length).to.equal(0)
      expect(await all('out')).to.have.length(2)
    })

    it('into another database', async () => {
      await fresh('source', [{ _id: 5 }])
      await engine.db
        .collection('source')
        .aggregate([{ $out: { db: 'other', coll: 'out' } }])
        .toArray()
      expect(await engine.client.db('other').collection('out').countDocuments()).to.equal(1)
    })
  })

  it('an $out that the process did not survive leaves the collection as it was, and nothing beside it', async () => {
    const dir = temporaryFolder()
    const slow = await startEngine({ dir, args: ['--sync-delay-ms', '60'] })
    await slow.db.collection('source').insertMany(Array.from({ length: 5_000 }, (_, n) => ({ n })))
    await slow.db.collection('target').insertOne({ old: true })
    const running = slow.db
      .collection('source')
      .aggregate([{ $out: 'target' }])
      .toArray()
    const outcome = failure(running)
    const names = async () => (await slow.db.listCollections().toArray()).map(({ name }) => name)
    while (!(await names()).some((name) => name.startsWith('tmp.agg_out')))
      await new Promise((done) => setTimeout(done, 5))
    await slow.kill()
    await outcome
    const next = await startEngine({ dir })
    expect((await next.db.listCollections().toArray()).map(({ name }) => name).sort()).to.deep.equal([
      'source',
      'target',
    ])
    expect(await next.db.collection('target').countDocuments({ old: true })).to.equal(1)
    await next.stop()
  })

  it('a pipeline without a collection begins with a stage that makes documents', async () => {
    expect(await engine.db.aggregate([{ $documents: [{ a: 1 }] }, { $set: { b: 2 } }]).toArray()).to.deep.equal([
      { a: 1, b: 2 },
    ])
    expect(await failure(engine.db.aggregate([{ $match: {} }]).toArray())).to.include({ code: 73 })
    const [session] = await engine.db.aggregate([{ $listLocalSessions: {} }]).toArray()
    expect(session).to.have.keys('_id', 'lastUse')
  })
})
