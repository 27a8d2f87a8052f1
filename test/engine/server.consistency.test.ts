import { expect } from 'chai'
import fc from 'fast-check'
import { type Collection, Decimal128, type Document, Long } from 'mongodb'
import { type Started, startEngine } from '../start/engine.ts'

const scalar = fc.oneof(
  fc.integer({ min: 0, max: 4 }),
  fc.constantFrom<unknown>(null, 'x', 'y', 2.5, Long.fromString('9007199254740993'), Decimal128.fromString('2.50')),
)
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 3 }),
  fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }),
  fc.array(fc.record({ k: scalar }), { maxLength: 2 }),
  fc.record({ k: scalar }),
)
const id = fc.integer({ min: 0, max: 7 })
const field = fc.constantFrom('a', 'b', 'c')
const direction = fc.constantFrom<1 | -1>(1, -1)

type Step = { readonly kind: string; readonly run: (collection: Collection<Document>) => Promise<unknown> }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(id, value, scalar, scalar).map(([_id, a, b, c]) => ({
    kind: 'insert',
    run: (collection: Collection<Document>) => collection.insertOne({ _id: _id as never, a, b, c }),
  })),
  fc.tuple(id, field, value).map(([_id, path, v]) => ({
    kind: 'set',
    run: (collection: Collection<Document>) =>
      collection.updateOne({ _id: _id as never }, { $set: { [path]: v } }, { upsert: true }),
  })),
  fc.tuple(scalar, field).map(([b, path]) => ({
    kind: 'unset many',
    run: (collection: Collection<Document>) => collection.updateMany({ b }, { $unset: { [path]: '' } }),
  })),
  fc.tuple(id, scalar).map(([_id, v]) => ({
    kind: 'push',
    run: (collection: Collection<Document>) =>
      collection.updateOne({ _id: _id as never }, { $push: { a: v as never } }),
  })),
  fc.tuple(scalar, scalar).map(([b, c]) => ({
    kind: 'replace',
    run: (collection: Collection<Document>) => collection.findOneAndReplace({ b }, { c, live: true }),
  })),
  fc.tuple(scalar, fc.boolean()).map(([c, live]) => ({
    kind: 'flag many',
    run: (collection: Collection<Document>) => collection.updateMany({ c }, { $set: { live } }),
  })),
  fc.tuple(field, field).map(([from, to]) => ({
    kind: 'pipeline many',
    run: (collection: Collection<Document>) =>
      collection.updateMany({ [from]: { $exists: true } }, [{ $set: { [to]: { k: `$${from}` } } }, { $unset: from }]),
  })),
  fc.tuple(id, field, field).map(([_id, from, to]) => ({
    kind: 'rename',
    run: (collection: Collection<Document>) => collection.updateOne({ _id: _id as never }, { $rename: { [from]: to } }),
  })),
  fc.tuple(scalar, scalar).map(([least, v]) => ({
    kind: 'array filter',
    run: (collection: Collection<Document>) =>
      collection.updateMany(
        { a: { $type: 'array' } },
        { $set: { 'a.$[i]': v } },
        { arrayFilters: [{ i: { $gte: least } }] },
      ),
  })),
  fc.tuple(id, fc.array(scalar, { maxLength: 3 })).map(([_id, list]) => ({
    kind: 'push, sort and cut',
    run: (collection: Collection<Document>) =>
      collection.updateOne({ _id: _id as never }, { $push: { a: { $each: list, $sort: -1, $slice: 2 } } as never }),
  })),
  fc.tuple(scalar, scalar, scalar).map(([b, c, v]) => ({
    kind: 'upsert by the unique key',
    run: (collection: Collection<Document>) =>
      collection.updateOne({ b, c, live: true }, { $set: { a: v } }, { upsert: true }),
  })),
  fc.tuple(id, id, scalar).map(([one, two, b]) => ({
    kind: 'unordered bulk',
    run: (collection: Collection<Document>) =>
      collection.bulkWrite(
        [
          { insertOne: { document: { _id: one as never, b, live: true } } },
          { replaceOne: { filter: { _id: two as never }, replacement: { b }, upsert: true } },
          { deleteOne: { filter: { _id: one as never, b } } },
        ],
        { ordered: false },
      ),
  })),
  scalar.map((b) => ({
    kind: 'merge into itself',
    run: (collection: Collection<Document>) =>
      collection
        .aggregate([{ $match: { b } }, { $set: { c: '$a' } }, { $merge: { into: collection.collectionName } }])
        .toArray(),
  })),
  direction.map((by) => ({
    kind: 'take one',
    run: (collection: Collection<Document>) => collection.findOneAndDelete({}, { sort: { c: by, a: 1 } }),
  })),
  scalar.map((b) => ({ kind: 'delete many', run: (collection: Collection<Document>) => collection.deleteMany({ b }) })),
)

/** A duplicate key, two arrays in one index, and a path through a scalar: what random steps may run into. */
const refusals = new Set([11000, 171, 2, 28])

describe('engine: index consistency', () => {
  let engine: Started
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())

  it('whatever is written or refused, every index holds exactly the entries of the documents', async () => {
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const collection = engine.db.collection(`s${round++}`)
        await collection.createIndexes([
          { key: { a: 1 } },
          { key: { 'a.k': 1, b: -1 } },
          { key: { b: 1, c: 1 }, unique: true, partialFilterExpression: { live: true } },
          { key: { c: -1 }, sparse: true },
          { key: { 'a.0': 1, c: -1 } },
          { key: { 'c.k': -1 }, partialFilterExpression: { b: { $gte: 1 } } },
          { key: { a: 1, b: 1, c: 1 }, unique: true },
        ])
        for (const { run } of steps) {
          try {
            await run(collection)
          } catch (error) {
            expect(refusals, String(error)).to.include((error as { readonly code: number }).code)
          }
        }
        const { valid, errors } = await engine.db.command({ validate: collection.collectionName })
        expect(errors).to.deep.equal([])
        expect(valid).to.equal(true)
        await collection.drop()
      }),
      { numRuns: 30 },
    )
  })
})
