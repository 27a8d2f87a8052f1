import { expect } from 'chai'
import fc from 'fast-check'
import type { Collection, Document, IndexDirection } from 'mongodb'
import { type Started, startEngine } from './started.ts'

/** Small domains, so that conditions hit, and all the shapes that planners get wrong: arrays, nulls, gaps, types. */
const scalar = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.constantFrom<unknown>(null, 'a', 'ab', 'b', 2.5, true, false),
  fc.constantFrom(new Date(0), new Date(1000)),
)
const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) },
  { weight: 1, arbitrary: fc.array(fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }), { maxLength: 2 }) },
)
const doc = fc.record({ a: value, b: scalar, c: scalar }, { requiredKeys: [] })
const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y')

const operator = fc.oneof(
  scalar.map((v) => ({ $eq: v })),
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalar).map(([op, v]) => ({ [op]: v })),
  fc
    .tuple(fc.constantFrom('$gt', '$gte'), scalar, fc.constantFrom('$lt', '$lte'), scalar)
    .map(([lo, v, hi, w]) => ({ [lo]: v, [hi]: w })),
  fc.array(scalar, { maxLength: 3 }).map((list) => ({ $in: list })),
  fc.array(scalar, { maxLength: 2 }).map((list) => ({ $nin: list })),
  fc.boolean().map((yes) => ({ $exists: yes })),
  scalar.map((v) => ({ $ne: v })),
  fc.constantFrom({ $regex: '^a' }, { $regex: 'b' }),
  fc.tuple(fc.constantFrom('$gt', '$gte'), scalar, scalar).map(([op, v, w]) => ({ $elemMatch: { [op]: v, $lt: w } })),
  fc.tuple(scalar, scalar).map(([v, w]) => ({ $elemMatch: { x: v, y: { $gte: w } } })),
)
const condition = fc.oneof(
  fc.tuple(path, operator).map(([p, op]) => ({ [p]: op })),
  fc.tuple(path, value).map(([p, v]) => ({ [p]: v })),
)
const filter = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.array(condition, { maxLength: 3 }).map((list) => (list.length === 0 ? {} : { $and: list })),
  },
  { weight: 1, arbitrary: fc.tuple(condition, condition, condition).map(([x, y, z]) => ({ $and: [z], $or: [x, y] })) },
)
const direction = fc.constantFrom<IndexDirection>(1, -1)
const key = fc
  .uniqueArray(fc.tuple(path, direction), { minLength: 1, maxLength: 3, selector: ([p]) => p })
  .map((parts) => Object.fromEntries(parts))
const options = fc.constantFrom<Document>(
  {},
  {},
  { sparse: true },
  { partialFilterExpression: { b: { $exists: true } } },
  { partialFilterExpression: { b: { $gt: 1 } } },
  { partialFilterExpression: { c: 'a' } },
  { partialFilterExpression: { a: { $type: 'number' }, c: { $lte: 4 } } },
)
const index = fc.record({ key, options })
const sort = fc.option(
  fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', '_id', 'a.x'), direction), {
    minLength: 1,
    maxLength: 2,
    selector: ([p]) => p,
  }),
  { nil: undefined },
)

describe('engine: plans', function () {
  this.timeout(60_000)
  let engine: Started
  before(async () => {
    engine = await startEngine()
  })
  after(() => engine.stop())

  it('an index changes the cost of a query, never its result', async () => {
    let round = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(doc, { minLength: 1, maxLength: 12 }),
        fc.uniqueArray(index, { minLength: 1, maxLength: 3, selector: ({ key }) => JSON.stringify(key) }),
        fc.array(fc.tuple(filter, sort, fc.integer({ min: 0, max: 3 })), { minLength: 4, maxLength: 8 }),
        async (docs, indexes, queries) => {
          const collection = engine.db.collection(`plan${round++}`)
          await collection.insertMany(docs.map((fields, i) => ({ _id: i as never, ...fields })))
          const plain = []
          for (const query of queries) plain.push(await answers(collection, query))
          for (const one of indexes) await createIfPossible(collection, one.key, one.options)
          const hinted = []
          for (const query of queries) hinted.push(await answers(collection, query))
          expect(hinted).to.deep.equal(plain)
          await collection.drop()
        },
      ),
      { numRuns: 60 },
    )
  })

  type Case = readonly [name: string, filter: Document, sort: Document | undefined, stages: string]
  const cases: Case[] = [
    ['an equality on _id', { _id: 1 }, undefined, 'FETCH IXSCAN:_id_'],
    ['no condition', {}, undefined, 'COLLSCAN'],
    ['an equality prefix and a sort', { m: 1 }, { u: 1 }, 'FETCH IXSCAN:m_1_u_1'],
    ['the sort backwards', { m: 1 }, { u: -1 }, 'FETCH IXSCAN:m_1_u_1'],
    ['several equalities merged for the sort', { m: { $in: [1, 2] } }, { u: 1 }, 'FETCH SORT_MERGE IXSCAN:m_1_u_1'],
    ['a sort no index gives', { m: 1 }, { z: 1 }, 'SORT FETCH IXSCAN:m_1_u_1'],
    ['a sort alone', {}, { m: 1, u: 1 }, 'FETCH IXSCAN:m_1_u_1'],
    [
      'an $or with an index for each branch',
      { $or: [{ m: 1 }, { _id: 2 }] },
      undefined,
      'FETCH OR IXSCAN:m_1_u_1 IXSCAN:_id_',
    ],
    ['an $or with a branch no index serves', { $or: [{ m: 1 }, { z: 2 }] }, undefined, 'COLLSCAN'],
    ['a negation', { m: { $ne: 1 } }, undefined, 'COLLSCAN'],
    ['an implied partial index', { p: 5, k: 'x' }, undefined, 'FETCH IXSCAN:p_1'],
    ['a partial index that is not implied', { p: 5 }, undefined, 'COLLSCAN'],
    ['a sparse index with the field present', { s: { $gt: 3 } }, undefined, 'FETCH IXSCAN:s_1'],
    ['a sparse index and null', { s: null }, undefined, 'COLLSCAN'],
    ['an anchored pattern', { t: { $regex: '^ab' } }, undefined, 'FETCH IXSCAN:t_1'],
    ['an array element and the sort behind it', { l: 'x' }, { o: 1 }, 'FETCH IXSCAN:l_1_o_1'],
  ]
  describe('stages', () => {
    let collection: Collection<Document>
    before(async () => {
      collection = engine.db.collection('stages')
      await collection.insertMany([
        { _id: 1 as never, m: 1, u: 1, p: 5, k: 'x', s: 4, t: 'abc', l: ['x', 'y'], o: 1 },
        { _id: 2 as never, m: 2, u: 2 },
      ])
      await collection.createIndex({ m: 1, u: 1 })
      await collection.createIndex({ p: 1 }, { partialFilterExpression: { k: { $exists: true } } })
      await collection.createIndex({ s: 1 }, { sparse: true })
      await collection.createIndex({ t: 1 })
      await collection.createIndex({ l: 1, o: 1 })
    })
    for (const [name, query, order, stages] of cases) {
      it(name, async () => {
        const found = collection.find(query)
        const plan = await (order === undefined ? found : found.sort(order)).explain('executionStats')
        expect(stagesOf(plan.queryPlanner.winningPlan)).to.equal(stages)
      })
    }
  })

  it('reads no more entries than an exact range holds', async () => {
    const collection = engine.db.collection<{ _id: number; m: number; u: number }>('cost')
    await collection.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, m: i % 5, u: i })))
    await collection.createIndex({ m: 1, u: 1 })
    const { executionStats } = await collection.find({ m: 2, u: { $gte: 100, $lt: 150 } }).explain('executionStats')
    expect(executionStats).to.include({ nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 })
  })
})

async function answers(
  collection: Collection<Document>,
  [query, order, limit]: readonly [Document, readonly (readonly [string, IndexDirection])[] | undefined, number],
) {
  // Ties are broken by _id: which of two equal documents comes first is nobody's promise.
  const spec = order === undefined ? { _id: 1 } : { ...Object.fromEntries(order), _id: 1 }
  const found = collection
    .find(query)
    .sort(spec as never)
    .limit(limit)
  return (await found.toArray()).map((found) => found._id)
}

/** Two arrays in one document cannot stand in one index: such indexes are left out. */
async function createIfPossible(
  collection: Collection<Document>,
  key: Record<string, IndexDirection>,
  options: Document,
): Promise<void> {
  try {
    await collection.createIndex(key, options)
  } catch (error) {
    expect(error).to.include({ code: 171 })
  }
}

function stagesOf(stage: Document): string {
  const own = stage.indexName === undefined ? stage.stage : `${stage.stage}:${stage.indexName}`
  const inner: Document[] = stage.inputStages ?? (stage.inputStage === undefined ? [] : [stage.inputStage])
  return [own, ...inner.map(stagesOf)].join(' ')
}
