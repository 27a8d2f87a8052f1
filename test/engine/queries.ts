/** Random documents and filters for the engine's property tests: what planners get wrong, in small domains. */
import fc from 'fast-check'
import { Binary, BSONRegExp, Decimal128, Double, Long, MaxKey, MinKey, ObjectId } from 'mongodb'

/** Small domains, so that conditions hit, and all the shapes that planners get wrong: arrays, nulls, gaps, types. */
export const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 5 }) },
  { weight: 4, arbitrary: fc.constantFrom<unknown>(null, 'a', 'ab', 'b', 2.5, true, false) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<unknown>(
      new Date(0),
      new Date(1000),
      Decimal128.fromString('2.5'),
      Decimal128.fromString('1E1'),
      Decimal128.fromString('1E400'),
      Long.fromString('9007199254740993'),
      new Double(2 ** 53),
      Number.NaN,
      new Binary(Buffer.from('a')),
      new ObjectId('000000000000000000000001'),
    ),
  },
)
export const inner = fc.record({ x: scalar, y: scalar, z: fc.array(scalar, { maxLength: 2 }) }, { requiredKeys: [] })
export const value = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 2, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.array(fc.array(scalar, { maxLength: 2 }), { maxLength: 2 }) },
  { weight: 1, arbitrary: inner },
  { weight: 1, arbitrary: fc.array(inner, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom<unknown>(new MinKey(), new MaxKey(), new BSONRegExp('^a')) },
)
export const doc = fc.record({ a: value, b: scalar, c: value }, { requiredKeys: [] })
export const path = fc.constantFrom('a', 'b', 'c', 'a.x', 'a.y', 'a.z', 'a.0', 'a.0.x')

const relation = fc.oneof(
  scalar.map((v) => ({ $eq: v })),
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte'), scalar).map(([op, v]) => ({ [op]: v })),
  fc
    .tuple(fc.constantFrom('$gt', '$gte'), scalar, fc.constantFrom('$lt', '$lte'), scalar)
    .map(([lo, v, hi, w]) => ({ [lo]: v, [hi]: w })),
  fc.array(scalar, { maxLength: 3 }).map((list) => ({ $in: list })),
  fc.array(scalar, { maxLength: 2 }).map((list) => ({ $in: [/^a/, ...list] })),
  fc.constantFrom({ $regex: '^a' }, { $regex: 'b' }, { $regex: '^a', $options: 'i' }, { $type: 'number' }),
)
const operator = fc.oneof(
  { weight: 4, arbitrary: relation },
  { weight: 1, arbitrary: relation.map((inside) => ({ $not: inside })) },
  { weight: 1, arbitrary: relation.map((inside) => ({ $elemMatch: inside })) },
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.array(scalar, { maxLength: 2 }).map((list) => ({ $nin: list })),
      fc.boolean().map((yes) => ({ $exists: yes })),
      scalar.map((v) => ({ $ne: v })),
      fc.tuple(scalar, scalar).map(([v, w]) => ({ $all: [v, w] })),
      fc.integer({ min: 0, max: 2 }).map((size) => ({ $size: size })),
      fc.constantFrom({ $type: 'array' }, { $type: ['null', 'string'] }, { $gte: new MinKey() }, { $lt: new MaxKey() }),
      fc.tuple(relation, scalar).map(([x, y]) => ({ $elemMatch: { x, y: { $gte: y } } })),
      fc.tuple(relation, relation).map(([x, z]) => ({ $elemMatch: { $or: [{ x }, { z }] } })),
    ),
  },
)
export const condition = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(path, operator).map(([p, op]) => ({ [p]: op })) },
  { weight: 2, arbitrary: fc.tuple(path, value).map(([p, v]) => ({ [p]: v })) },
)
const conditions = fc.array(condition, { minLength: 1, maxLength: 3 })
export const filter = fc.oneof(
  { weight: 4, arbitrary: conditions.map((list) => ({ $and: list })) },
  { weight: 1, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: conditions.map((list) => ({ $or: list })) },
  { weight: 1, arbitrary: conditions.map((list) => ({ $nor: list })) },
  { weight: 1, arbitrary: fc.tuple(condition, condition, condition).map(([x, y, z]) => ({ $and: [z], $or: [x, y] })) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(condition, conditions, conditions)
      .map(([z, x, y]) => ({ $or: [{ $and: x }, { $or: y }], ...z })),
  },
)
