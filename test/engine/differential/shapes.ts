/** Random expressions and projections, and stages that turn one document into one. */
import fc from 'fast-check'
import type { Document } from 'mongodb'
import { path, scalar } from '../queries.ts'

/** Paths that are set, removed or named. */
export const target = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'a.z', 'b.x', 'd', 'd.x', '_id')

const expression = fc.letrec<{ whole: unknown }>((tie) => ({
  whole: fc.oneof(
    { maxDepth: 2 },
    path.map((name): unknown => `$${name}`),
    scalar.map(($literal): unknown => ({ $literal })),
    fc
      .tuple(
        fc.constantFrom('$add', '$multiply', '$concatArrays', '$mergeObjects', '$and', '$or', '$max', '$min', '$sum'),
        tie('whole'),
        tie('whole'),
      )
      .map(([name, x, y]): unknown => ({ [name]: [x, y] })),
    fc
      .tuple(
        fc.constantFrom(
          '$subtract',
          '$divide',
          '$mod',
          '$eq',
          '$gt',
          '$lte',
          '$cmp',
          '$ifNull',
          '$in',
          '$arrayElemAt',
          '$setUnion',
          '$indexOfArray',
        ),
        tie('whole'),
        tie('whole'),
      )
      .map(([name, x, y]): unknown => ({ [name]: [x, y] })),
    fc
      .tuple(
        fc.constantFrom(
          '$size',
          '$type',
          '$isArray',
          '$isNumber',
          '$toString',
          '$toInt',
          '$toBool',
          '$abs',
          '$ceil',
          '$trunc',
          '$not',
          '$first',
          '$last',
          '$reverseArray',
          '$objectToArray',
          '$toUpper',
          '$strLenCP',
        ),
        tie('whole'),
      )
      .map(([name, x]): unknown => ({ [name]: x })),
    fc.tuple(tie('whole'), tie('whole'), tie('whole')).map((parts): unknown => ({ $cond: parts })),
    fc
      .tuple(path, tie('whole'))
      .map(([name, body]): unknown => ({ $map: { input: `$${name}`, as: 'it', in: { v: '$$it', w: body } } })),
    fc.tuple(path, scalar).map(([name, least]): unknown => ({
      $filter: { input: `$${name}`, cond: { $gte: ['$$this', { $literal: least }] } },
    })),
  ),
})).whole

const fields = fc
  .uniqueArray(fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'a.z', 'd'), { minLength: 1, maxLength: 3 })
  .chain((names) =>
    fc.constantFrom(0, 1, true).map((flag) => Object.fromEntries(names.map((name) => [name, flag])) as Document),
  )
const withId = fc
  .tuple(fields, fc.constantFrom<Document>({}, { _id: 0 }, { _id: 1 }))
  .map(([kept, own]) => ({ ...kept, ...own }))
const computed = fc
  .uniqueArray(fc.tuple(fc.constantFrom('a', 'e', 'e.x', 'a.x'), expression), {
    minLength: 1,
    maxLength: 2,
    selector: ([name]) => name,
  })
  .map((pairs) => Object.fromEntries(pairs) as Document)
export const projection = fc.oneof(
  withId,
  computed,
  fc.constantFrom<Document>(
    { c: { $slice: 1 } },
    { a: 1, c: { $slice: [-2, 1] } },
    { a: { $elemMatch: { x: 1 } } },
    { 'c.$': 1 },
  ),
)

export const reshaping = fc.oneof(
  computed.map(($set): Document => ({ $set })),
  withId.map(($project): Document => ({ $project })),
  target.map(($unset): Document => ({ $unset })),
  fc.constant<Document>({ $replaceWith: { $mergeObjects: ['$$ROOT', { d: '$a' }] } }),
)
