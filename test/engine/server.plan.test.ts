import { expect } from 'chai'
import fc from 'fast-check'
import type { Collection, Document, IndexDirection } from 'mongodb'
import { type Started, startEngine } from '../start/engine.ts'
import { doc, filter, path } from './queries.ts'

const direction = fc.constantFrom<IndexDirection>(1, -1)
const key = fc
  .uniqueArray(fc.tuple(path, direction), { minLength: 1, maxLength: 3, selector: ([p]) => p })
  .map((parts) => Object.fromEntries(parts))
const options = fc.constantFrom<Document>(
  {},
  {},
  {},
  { sparse: true },
  { partialFilterExpression: { b: { $exists: true } } },
  { partialFilterExpression: { b: { $gt: 1 } } },
  { partialFilterExpression: { c: 'a' } },
  { partialFilterExpression: { a: { $type: 'number' }, c: { $lte: 4 } } },
  { partialFilterExpression: { $or: [{ b: 1 }, { c: { $in: ['a', null] } }] } },
)
const index = fc.record({ key, options })
const sort = fc.option(
  fc.uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', '_id', 'a.x', 'a.0'), direction), {
    minLength: 1,
    maxLength: 2,
    selector: ([p]) => p,
  }),
  { nil: undefined },
)
const query = fc.tuple(filter, sort, fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 }))

describe('engine: plans', () => {
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
        fc.array(query, { minLength: 4, maxLength: 8 }),
        async (docs, indexes, queries) => {
          const collection = engine.db.collection(`plan${round++}`)
          await collection.insertMany(docs.map((fields, i) => ({ _id: i as never, ...fields })))
          const plain = []
          for (const query of queries) plain.push(await answers(collection, query))
          const hints: (string | undefined)[] = [undefined]
          for (const one of indexes) {
            const name = await createIfPossible(collection, one.key, one.options)
            if (Object.keys(one.options).length === 0) hints.push(name)
          }
          for (const hint of hints) {
            const again = []
            for (const query of queries) again.push(await answers(collection, query, hint))
            expect(again).to.deep.equal(plain)
          }
          await collection.drop()
        },
      ),
      { numRuns: 60 },
    )
  })

  it('a projection of find says what $project says', async () => {
    const collection = engine.db.collection('projected')
    const paths = fc.constantFrom<string[]>(
      ['a', 'b', 'c'],
      ['a.x', 'a.y', 'b'],
      ['a.x', 'c.x', 'd'],
      ['a.z', 'b', 'c.y.z'],
    )
    const projection = fc
      .tuple(
        paths.chain((list) => fc.subarray(list, { minLength: 1 })),
        fc.constantFrom(0, 1),
        fc.constantFrom(0, 1, 2),
      )
      .map(([list, keep, id]) => ({
        ...(id < 2 && { _id: id }),
        ...Object.fromEntries(list.map((one) => [one, keep])),
      }))
      .filter(
        (spec) => !(spec._id === 1 && Object.entries(spec).some(([field, keep]) => field !== '_id' && keep === 0)),
      )
    await fc.assert(
      fc.asyncProperty(fc.array(doc, { minLength: 1, maxLength: 5 }), projection, filter, async (docs, spec, query) => {
        await collection.deleteMany({})
        await collection.insertMany(docs.map((fields, i) => ({ _id: i as never, ...fields })))
        const raw = { sort: { _id: 1 }, raw: true } as const
        const found = await collection.find(query, { ...raw, projection: spec }).toArray()
        const stages = [{ $match: query }, { $sort: { _id: 1 } }, { $project: spec }]
        expect(found).to.deep.equal(await collection.aggregate(stages, { raw: true }).toArray())
      }),
      { numRuns: 100 },
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

  const bounds: [name: string, filter: Document, a: string[], b: string[]][] = [
    ['two values', { a: { $in: ['x', 'y'] }, b: 5 }, ['["x", "x"]', '["y", "y"]'], ['[5, 5]']],
    ['a range, read downwards', { a: 1, b: { $gt: 1, $lte: 3 } }, ['[1, 1]'], ['[3, 1)']],
    ['an open range', { a: 1, b: { $lt: 3 } }, ['[1, 1]'], ['(3, -inf.0]']],
    ['dates', { a: { $gte: new Date(5) } }, ['[new Date(5), new Date(9223372036854775807)]'], ['[MaxKey, MinKey]']],
    ['a prefix', { a: /^ab/ }, ['["ab", everything that begins with "ab"]', '[/^ab/, /^ab/]'], ['[MaxKey, MinKey]']],
    ['null', { a: null }, ['[null, null]'], ['[MaxKey, MinKey]']],
  ]
  for (const [name, filter, a, b] of bounds) {
    it(`explain shows bounds as values: ${name}`, async () => {
      const collection = engine.db.collection('bounds')
      await collection.createIndex({ a: 1, b: -1 })
      const plan = await collection.find(filter).explain('queryPlanner')
      expect(plan.queryPlanner.winningPlan.inputStage.indexBounds).to.deep.equal({ a, b })
    })
  }

  it('conditions of one $elemMatch may hold for different elements of an array inside', async () => {
    const collection = engine.db.collection('nested')
    const elements = [
      { c: 1, d: 8, e: 3 },
      { c: 9, d: 2, e: 4 },
    ]
    await collection.insertOne({ a: [{ b: elements, f: 7 }] })
    const filters = [
      { a: { $elemMatch: { 'b.c': 1, 'b.d': 2, f: 7 } } },
      { a: { $elemMatch: { b: { $elemMatch: { c: 1 } }, 'b.d': 2 } } },
    ]
    const keys: Record<string, IndexDirection>[] = [
      { 'a.b.c': 1, 'a.b.d': 1 },
      { 'a.f': 1, 'a.b.d': -1, 'a.b.c': 1 },
    ]
    for (const key of keys) {
      const hint = await collection.createIndex(key)
      for (const filter of filters) expect(await collection.countDocuments(filter, { hint })).to.equal(1)
    }
    const plan = await collection.find(filters[0]!).hint('a.f_1_a.b.d_-1_a.b.c_1').explain('queryPlanner')
    const { indexBounds } = plan.queryPlanner.winningPlan.inputStage
    expect(indexBounds).to.deep.include({ 'a.f': ['[7, 7]'], 'a.b.d': ['[2, 2]'], 'a.b.c': ['[MinKey, MaxKey]'] })
  })

  it('reads no more entries than an exact range holds', async () => {
    const collection = engine.db.collection<{ _id: number; m: number; u: number }>('cost')
    await collection.insertMany(Array.from({ length: 500 }, (_, i) => ({ _id: i, m: i % 5, u: i })))
    await collection.createIndex({ m: 1, u: 1 })
    const { executionStats } = await collection.find({ m: 2, u: { $gte: 100, $lt: 150 } }).explain('executionStats')
    expect(executionStats).to.include({ nReturned: 10, totalKeysExamined: 10, totalDocsExamined: 10 })
  })
})

type Query = readonly [
  filter: Document,
  sort: readonly (readonly [string, IndexDirection])[] | undefined,
  limit: number,
  skip: number,
]

/** What a query finds, whichever way it is asked. */
async function answers(collection: Collection<Document>, [filter, order, limit, skip]: Query, hint?: string) {
  // Ties are broken by _id: which of two equal documents comes first is nobody's promise.
  const spec = order === undefined ? { _id: 1 } : { ...Object.fromEntries(order), _id: 1 }
  const hinted = hint === undefined ? {} : { hint }
  const sorted = collection.find(filter, { sort: spec as never, limit, skip, ...hinted })
  const count = await collection.countDocuments(filter, hinted)
  const { n } = await collection.db.command({ count: collection.collectionName, query: filter, ...hinted })
  const distinct = await collection.distinct('b', filter)
  const unsorted = await collection.find(filter, { projection: { _id: 1 }, ...hinted }).toArray()
  return {
    ids: await sorted.toArray().then((found) => found.map(({ _id }) => _id), parallelArrays),
    count,
    n,
    distinct,
    unsorted: unsorted.map(({ _id }) => Number(_id)).sort(ascending),
  }
}

/** Two fields of a sort within two arrays are refused, whichever way the documents are found. */
function parallelArrays(error: unknown): number {
  expect(error).to.include({ code: 2, errmsg: 'cannot sort with keys that are parallel arrays' })
  return 2
}

const ascending = (a: number, b: number) => a - b

/** Some documents cannot stand in some indexes: such indexes are left out. @returns its name */
async function createIfPossible(
  collection: Collection<Document>,
  key: Record<string, IndexDirection>,
  options: Document,
): Promise<string | undefined> {
  try {
    return await collection.createIndex(key, options)
  } catch (error) {
    // Two arrays; a position that is also a field (`a.0` of an array of documents); a decimal beyond the doubles.
    expect([171, 16746, 2], String(error)).to.include((error as { readonly code: number }).code)
    return undefined
  }
}

function stagesOf(stage: Document): string {
  const own = stage.indexName === undefined ? stage.stage : `${stage.stage}:${stage.indexName}`
  const inner: Document[] = stage.inputStages ?? (stage.inputStage === undefined ? [] : [stage.inputStage])
  return [own, ...inner.map(stagesOf)].join(' ')
}
