/** Random BSON for the engine's property tests, and the error code of a refused call. */
import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson'
import fc from 'fast-check'
import { type Document, documentOf, type Value } from '../../engine/bson/document.ts'
import { EngineError } from '../../engine/errors.ts'

/** The code of the EngineError that `call` throws, undefined when it returns; other errors pass through. */
export function failure(call: () => unknown): number | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    if (error instanceof EngineError) return error.code
    throw error
  }
}

const text = fc.oneof(
  fc.string({ maxLength: 6, unit: fc.constantFrom('a', 'b', '\0', '\u0001', 'é', '\uffee', '\u{10000}', 'z') }),
  fc.string({ maxLength: 60, unit: 'binary' }),
)
const fieldName = fc
  .oneof(fc.constantFrom('a', 'b', 'ab', 'c', 'é', '__proto__', ''), fc.string({ maxLength: 50 }))
  .filter((name) => !/^\d+$/.test(name) && !name.includes('\0') && name.isWellFormed())

const smallIntegers = fc.integer({ min: -3, max: 3 })

/** Numbers of the four types, with many near collisions; decimals stay within the doubles. */
export const anyNumber: fc.Arbitrary<Value> = fc.oneof(
  smallIntegers.map((value) => new Int32(value)),
  smallIntegers.map((value) => new Double(value)),
  smallIntegers.map((value) => Long.fromNumber(value)),
  fc.integer().map((value) => new Int32(value)),
  fc.double().map((value) => new Double(value)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((value) => Long.fromBigInt(value)),
  fc.bigInt({ min: 2n ** 53n - 4n, max: 2n ** 53n + 4n }).map((value) => Long.fromBigInt(value)),
  fc.integer({ min: -4, max: 4 }).map((value) => new Double(2 ** 53 + value)),
  fc
    .tuple(fc.integer({ min: -30, max: 30 }), fc.integer({ min: -3, max: 2 }))
    .map(([c, e]) => Decimal128.fromString(`${c}E${e}`)),
  fc
    .constantFrom('NaN', 'Infinity', '-Infinity', '0.1', '9007199254740993', '9007199254740992.5')
    .map((d) => Decimal128.fromString(d)),
)

const scalar: fc.Arbitrary<Value> = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  anyNumber,
  text.filter((value) => value.isWellFormed()),
  fc.date({ noInvalidDate: true }),
  fc.uint8Array({ minLength: 12, maxLength: 12 }).map((bytes) => new ObjectId(bytes)),
  fc
    .tuple(fc.uint8Array({ maxLength: 4 }), fc.constantFrom(0, 4, 5, 128))
    .map(([bytes, subtype]) => new Binary(bytes, subtype)),
  fc.tuple(fc.nat(5), fc.nat(5)).map(([t, i]) => new Timestamp({ t, i })),
  fc.tuple(fc.constantFrom('a', 'b.c', ''), fc.constantFrom('', 'i', 'im')).map(([p, o]) => new BSONRegExp(p, o)),
  fc.constant(new MinKey()),
  fc.constant(new MaxKey()),
)

const tree = fc.letrec<{ value: Value; document: Document }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(tie('value'), { maxLength: 3 }), tie('document')),
  document: fc
    .uniqueArray(fc.tuple(fieldName, tie('value')), { maxLength: 4, selector: ([name]) => name })
    .map((fields) => {
      const doc = documentOf({})
      for (const [name, value] of fields) doc[name] = value
      return doc
    }),
}))

/** Any value; nested at most a few levels. */
export const anyValue: fc.Arbitrary<Value> = tree.value

/** Any value that an index accepts. */
export const anyIndexable: fc.Arbitrary<Value> = tree.value

export const anyDocument: fc.Arbitrary<Document> = tree.document
