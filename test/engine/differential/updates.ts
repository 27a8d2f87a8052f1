/** Random updates: every operator, replacements, pipelines, and ways to name elements of arrays. */
import fc from 'fast-check'
import { type Document, Int32, Long } from 'mongodb'
import { doc, scalar, value } from '../queries.ts'
import { reshaping, target } from './shapes.ts'

const direction = fc.constantFrom(1, -1)
const small = fc.constantFrom<unknown>(0, 1, -2, 3, 2.5, Long.fromNumber(7), 2 ** 31 - 1, new Int32(5))

/** Every field of `fields` there or not, but one at least. */
export function some(fields: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<Document> {
  return fc.record(fields, { requiredKeys: [] }).filter((found) => Object.keys(found).length > 0)
}

const byPath = (arbitrary: fc.Arbitrary<unknown>) =>
  fc
    .uniqueArray(fc.tuple(target, arbitrary), { minLength: 1, maxLength: 2, selector: ([name]) => name })
    .map((pairs) => Object.fromEntries(pairs) as Document)

const pushed = fc.oneof(
  value,
  fc
    .record(
      {
        $each: fc.array(value, { maxLength: 3 }),
        $slice: fc.integer({ min: -3, max: 3 }),
        $position: fc.integer({ min: -3, max: 3 }),
        $sort: fc.oneof(direction, fc.constantFrom({ x: 1 }, { x: -1, y: 1 })),
      },
      { requiredKeys: ['$each'] },
    )
    .map((each): unknown => each),
)
const pulled = fc.oneof(
  value,
  fc.constantFrom<unknown>({ $gt: 1 }, { $in: [1, 'a'] }, { x: 1 }, { x: { $gte: 2 } }, { $or: [{ x: 1 }, { y: 1 }] }),
)

const operators = some({
  $set: byPath(value),
  $unset: byPath(fc.constant('')),
  $inc: byPath(small),
  $mul: byPath(small),
  $min: byPath(scalar),
  $max: byPath(scalar),
  $rename: byPath(target),
  $push: byPath(pushed),
  $addToSet: byPath(
    fc.oneof(
      value,
      fc.array(value, { maxLength: 3 }).map(($each): unknown => ({ $each })),
    ),
  ),
  $pop: byPath(direction),
  $pull: byPath(pulled),
  $pullAll: byPath(fc.array(scalar, { maxLength: 2 })),
  $bit: byPath(fc.constantFrom<unknown>({ and: 5 }, { or: Long.fromNumber(3) }, { xor: 6 })),
  $currentDate: byPath(fc.constantFrom<unknown>(true, { $type: 'date' }, { $type: 'timestamp' })),
  $setOnInsert: byPath(value),
})
  // Every operator beside all others conflicts more often than not.
  .chain((all) =>
    fc
      .shuffledSubarray(Object.keys(all), { minLength: 1, maxLength: Math.min(2, Object.keys(all).length) })
      .map((names) => only(all, names)),
  )

const elements = fc.constantFrom<Document>(
  { u: { $set: { 'c.$': 9 } } },
  { u: { $inc: { 'a.$.x': 1 } } },
  { u: { $set: { 'c.$[]': 'all' } } },
  { u: { $unset: { 'a.$[].x': '' } } },
  { u: { $inc: { 'c.$[e]': 1 } }, arrayFilters: [{ e: { $gte: 2 } }] },
  { u: { $set: { 'a.$[e].y': 'some' } }, arrayFilters: [{ 'e.x': { $lt: 3 } }] },
)

/** `u` of an update, and what goes with it. */
export const change = fc.oneof(
  { weight: 5, arbitrary: operators.map((u) => ({ u })) },
  { weight: 1, arbitrary: elements },
  { weight: 1, arbitrary: doc.map((u) => ({ u })) },
  { weight: 1, arbitrary: fc.array(reshaping, { minLength: 1, maxLength: 2 }).map((u) => ({ u })) },
)

function only(all: Document, names: readonly string[]): Document {
  return Object.fromEntries(names.map((name) => [name, all[name]]))
}
