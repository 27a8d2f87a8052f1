/**
 * Random cases for two servers: documents, indexes, and commands that the embedded engine has, right and wrong ones. Only
 * what MongoDB promises is asked for: a limit goes with a total order, a change of one document names it.
 */
import { EJSON } from 'bson'
import fc from 'fast-check'
import type { Document } from 'mongodb'
import { condition, doc, filter, path } from '../queries.ts'
import { projection, reshaping } from './shapes.ts'
import { change, some } from './updates.ts'

export type Case = {
  readonly docs: readonly Document[]
  readonly indexes: readonly Document[]
  /** Commands on the collection `c`, one after the other. */
  readonly steps: readonly Document[]
}

/** Decimals beyond the doubles are refused in the engine's indexes (docs/engine.md, known differences). */
const storable = (some: unknown) => !EJSON.stringify(some).includes('E+400')

const id = fc.integer({ min: 0, max: 6 })
const direction = fc.constantFrom(1, -1)

/** Total: `_id` breaks ties. */
const order = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'a.z'), direction), {
    maxLength: 2,
    selector: ([name]) => name,
  })
  .map((pairs) => ({ ...Object.fromEntries(pairs), _id: 1 }) as Document)
const cut = fc.record({ skip: fc.nat(2), limit: fc.integer({ min: 1, max: 3 }) }, { requiredKeys: [] })

const key = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', 'c', 'a.x', 'a.z'), direction), {
    minLength: 1,
    maxLength: 2,
    selector: ([name]) => name,
  })
  .map((pairs) => Object.fromEntries(pairs) as Document)
const indexOptions = fc.constantFrom<Document>(
  {},
  {},
  { unique: true },
  { sparse: true },
  { partialFilterExpression: { b: { $gt: 1 } } },
)
const index = fc.tuple(key, indexOptions).map(([pattern, options]) => ({
  key: pattern,
  name: `${Object.entries(pattern).flat().join('_')}${Object.keys(options).join('')}`,
  ...options,
}))

const group = fc
  .tuple(
    fc.oneof(
      path.map((name): unknown => `$${name}`),
      path.map((name): unknown => ({ k: `$${name}` })),
      fc.tuple(path, path).map(([one, other]): unknown => ({ k: `$${one}`, l: `$${other}` })),
      fc.constant<unknown>(null),
    ),
    some({
      n: fc.constant({ $sum: 1 }),
      sum: path.map((name) => ({ $sum: `$${name}` })),
      least: path.map((name) => ({ $min: `$${name}` })),
      most: path.map((name) => ({ $max: `$${name}` })),
      mean: fc.constant({ $avg: '$_id' }),
    }),
  )
  .map(([_id, totals]): Document => ({ $group: { _id, ...totals } }))

const ending = fc.oneof(
  group,
  reshaping,
  path.map((name): Document => ({ $unwind: `$${name}` })),
  path.map(
    (name): Document => ({
      $unwind: { path: `$${name}`, includeArrayIndex: 'at', preserveNullAndEmptyArrays: true },
    }),
  ),
  fc.constantFrom<Document>(
    { $count: 'n' },
    { $replaceWith: '$a' },
    { $sortByCount: '$b' },
    { $facet: { n: [{ $count: 'n' }] } },
  ),
  fc.tuple(path, path).map(
    ([localField, foreignField]): Document => ({
      $lookup: {
        from: 'c',
        localField,
        foreignField,
        as: 'joined',
        pipeline: [{ $sort: { _id: 1 } }, { $project: { _id: 1 } }],
      },
    }),
  ),
)
const pipeline = fc
  .tuple(
    fc.option(filter.map(($match): Document => ({ $match }))),
    fc.option(fc.tuple(order, cut)),
    fc.array(reshaping, { maxLength: 1 }),
    fc.array(ending, { maxLength: 2 }),
  )
  .map(([match, sorted, shaped, ends]) => [
    ...(match === null ? [] : [match]),
    ...(sorted === null ? [] : stagesOf(sorted[0], sorted[1])),
    ...shaped,
    ...ends,
  ])

const oneOf = id.map((_id): Document => ({ _id }))
const oneOrNone = fc.oneof(
  oneOf,
  fc.tuple(id, condition).map(([_id, rest]): Document => ({ _id, ...rest })),
)

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(filter, fc.option(projection, { nil: undefined }), fc.option(fc.tuple(order, cut), { nil: undefined }))
      .map(
        ([found, shape, sorted]): Document => ({
          find: 'c',
          filter: found,
          ...(shape && { projection: shape }),
          ...(sorted && { sort: sorted[0], ...sorted[1] }),
        }),
      ),
  },
  { weight: 4, arbitrary: pipeline.map((stages): Document => ({ aggregate: 'c', pipeline: stages, cursor: {} })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(oneOrNone, change, fc.boolean())
      .map(([q, how, upsert]): Document => ({ update: 'c', updates: [{ q, ...how, upsert }] })),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(filter, change)
      .map(([q, how]): Document => ({ update: 'c', updates: [{ q, ...how, multi: true }] })),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(filter, change, fc.boolean(), fc.boolean()).map(
      ([query, { u, ...rest }, upsert, isNew]): Document => ({
        findAndModify: 'c',
        query,
        sort: { _id: 1 },
        update: u,
        ...rest,
        upsert,
        new: isNew,
      }),
    ),
  },
  {
    weight: 1,
    arbitrary: filter.map((query): Document => ({ findAndModify: 'c', query, sort: { _id: -1 }, remove: true })),
  },
  { weight: 1, arbitrary: filter.map((q): Document => ({ delete: 'c', deletes: [{ q, limit: 0 }] })) },
  { weight: 1, arbitrary: filter.map((query): Document => ({ count: 'c', query })) },
  {
    weight: 1,
    arbitrary: fc.tuple(path, filter).map(([name, query]): Document => ({ distinct: 'c', key: name, query })),
  },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.tuple(id, doc), { minLength: 1, maxLength: 3 })
      .chain((made) =>
        fc
          .boolean()
          .map(
            (ordered): Document => ({ insert: 'c', documents: made.map(([_id, rest]) => ({ _id, ...rest })), ordered }),
          ),
      ),
  },
  { weight: 1, arbitrary: index.map((spec): Document => ({ createIndexes: 'c', indexes: [spec] })) },
  { weight: 1, arbitrary: key.map((pattern): Document => ({ dropIndexes: 'c', index: pattern })) },
)

export const anyCase: fc.Arbitrary<Case> = fc
  .record({
    docs: fc.array(doc, { maxLength: 6 }).map((docs) => docs.map((rest, _id) => ({ _id, ...rest }))),
    indexes: fc.array(index, { maxLength: 2 }),
    steps: fc.array(step, { minLength: 1, maxLength: 3 }),
  })
  .filter(storable)

function stagesOf($sort: Document, { skip, limit }: { readonly skip?: number; readonly limit?: number }): Document[] {
  return [
    { $sort },
    ...(skip === undefined ? [] : [{ $skip: skip }]),
    ...(limit === undefined ? [] : [{ $limit: limit }]),
  ]
}
