import {
  Binary,
  BSONRegExp,
  Code,
  Decimal128,
  Double,
  deserialize,
  Int32,
  Long,
  MaxKey,
  MinKey,
  ObjectId,
  serialize,
  Timestamp,
} from 'bson'
import { expect } from 'chai'
import fc from 'fast-check'
import { compareValues, equalValues, identicalValues } from '../../engine/bson/compare.ts'
import { packDecimal, unpackDecimal } from '../../engine/bson/decimal.ts'
import { decode } from '../../engine/bson/decode.ts'
import { type Document, documentOf, type Value } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { compileIndex, indexKeys } from '../../engine/bson/entries.ts'
import { emptyArray, encodeKey, typeBounds } from '../../engine/bson/keys.ts'
import { addNumbers, multiplyNumbers } from '../../engine/bson/number.ts'
import { anyDocument, anyIndexable, anyNumber, anyValue, failure } from './values.ts'

const long = (text: string) => Long.fromString(text)
const decimal = (text: string) => Decimal128.fromString(text)
const oid = (last: string) => new ObjectId(`65f00000000000000000000${last}`)

describe('engine bson: codec', () => {
  it('gives back the bytes it read', () => {
    fc.assert(
      fc.property(anyDocument, (doc) => {
        const bytes = encode(doc)
        expect(Buffer.compare(encode(decode(bytes)), bytes)).to.equal(0)
        expect(identicalValues(decode(bytes), doc)).to.equal(true)
      }),
      { numRuns: 300 },
    )
  })

  it('agrees with the reference codec', () => {
    fc.assert(
      fc.property(anyDocument, (doc) => {
        const reference = serialize(deserialize(encode(doc), { promoteValues: false, bsonRegExp: true }))
        expect(Buffer.compare(encode(doc), Buffer.from(reference))).to.equal(0)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps fields that are dangerous in JS as plain fields', () => {
    const hostile = decode(
      encode(
        JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"_bsontype":"ObjectId","toString":"x"}') as Document,
      ),
    )
    expect(Object.keys(hostile)).to.deep.equal(['__proto__', 'constructor', '_bsontype', 'toString'])
    expect(({} as Record<string, unknown>).polluted).to.equal(undefined)
    expect(decode(encode(hostile))).to.deep.equal(hostile)
    expect((decode(encode({ a: 1 })) as Record<string, unknown>).hasOwnProperty).to.equal(undefined)
  })

  it('keeps a reference-like document a document', () => {
    const doc = decode(encode({ r: { $ref: 'c', $id: 1, $db: 'd', more: 2 } }))
    expect(Object.keys(doc.r as Document)).to.deep.equal(['$ref', '$id', '$db', 'more'])
  })

  const malformed: readonly (readonly [string, string])[] = [
    ['empty', ''],
    ['length too long', '0600000000'],
    ['length too short', '0400000000'],
    ['no closing zero', '0500000001'],
    ['string length runs over', '1000000002610000ff0000610000000000'.slice(0, 32)],
    ['string without zero', '0e00000002610002000000616200'],
    ['text not UTF-8', '0e0000000261000200000080000000'.slice(0, 28)],
    ['boolean two', '090000000861000200'],
    ['type undefined', '0800000006610000'],
    ['type symbol', '0e0000000e610002000000610000'],
    ['type 0x20', '0800000020610000'],
    ['embedded document too long', '0d000000036100ff0000000000'.slice(0, 26)],
    ['name without end', '0700000010616100'.slice(0, 14)],
    ['binary too long', '0e00000005610001000000000000'.replace('01000000', 'ffffff7f')],
    ['negative binary', '0e00000005610001000000000000'.replace('01000000', 'ffffffff')],
  ]
  for (const [name, hex] of malformed) {
    it(`refuses: ${name}`, () => expect(failure(() => decode(Buffer.from(hex, 'hex')))).to.equal(22))
  }

  it('never fails otherwise on damaged bytes', () => {
    fc.assert(
      fc.property(anyDocument, fc.nat(), fc.integer({ min: 0, max: 255 }), (doc, position, byte) => {
        const bytes = Buffer.from(encode(doc))
        bytes[position % bytes.length] = byte
        const code = failure(() => decode(bytes))
        expect(code === undefined || code === 22 || code === 15).to.equal(true)
      }),
      { numRuns: 500 },
    )
  })

  it('bounds nesting and size', () => {
    const nested = (levels: number): Document => (levels === 1 ? {} : { a: nested(levels - 1) })
    expect(failure(() => encode(nested(100)))).to.equal(undefined)
    expect(failure(() => encode(nested(101)))).to.equal(15)
    expect(failure(() => encode({ a: 'x'.repeat(16 * 1024 * 1024) }))).to.equal(10334)
    const deep = serialize(nested(150))
    expect(failure(() => decode(deep))).to.equal(15)
  })

  it('refuses a null byte in a field name, and keeps one in text', () => {
    expect(failure(() => encode({ 'a\0b': 1 }))).to.equal(2)
    expect(failure(() => encode({ 'é\0b': 1 }))).to.equal(2)
    expect(decode(encode({ a: 'x\0y' })).a).to.equal('x\0y')
  })

  it('writes dates before 1970 and subtype 2', () => {
    const doc = { d: new Date(-1), e: new Date(-8.64e15), b: new Binary(Buffer.from('abc'), 2) }
    expect(decode(encode(doc))).to.deep.equal(decode(serialize(doc)))
    expect((decode(encode(doc)).d as Date).getTime()).to.equal(-1)
    expect((decode(encode(doc)).e as Date).getTime()).to.equal(-8.64e15)
  })
})

describe('engine bson: order', () => {
  const ascending: readonly Value[] = [
    new MinKey(),
    null,
    new Double(Number.NaN),
    new Double(-Infinity),
    decimal('-1E+400'),
    new Double(-1e300),
    long('-9223372036854775808'),
    long('-9223372036854775807'),
    new Double(-1.5),
    decimal('-1.49'),
    new Int32(0),
    new Double(5e-324),
    new Double(0.1),
    decimal('0.1000000000000000055511151231257828'),
    new Double(0.2),
    new Int32(1),
    new Double(9007199254740992),
    long('9007199254740993'),
    new Double(9007199254740994),
    long('9223372036854775806'),
    long('9223372036854775807'),
    new Double(2 ** 63),
    decimal('1E+400'),
    new Double(Infinity),
    '',
    'a',
    'a\0',
    'ab',
    'b',
    '\uffee',
    '\u{10000}',
    {},
    { a: 1 },
    { a: 1, b: 1 },
    { b: 1 },
    { a: 'x' },
    [],
    [1],
    [1, 2],
    [2],
    new Binary(Buffer.from('z'), 0),
    new Binary(Buffer.from('a'), 5),
    new Binary(Buffer.from('aa'), 0),
    oid('1'),
    oid('2'),
    false,
    true,
    new Date(-1),
    new Date(0),
    new Timestamp({ t: 0, i: 1 }),
    new Timestamp({ t: 1, i: 0 }),
    new BSONRegExp('a', ''),
    new BSONRegExp('a', 'i'),
    new BSONRegExp('b', ''),
    new Code('f'),
    new Code('f', {}),
    new MaxKey(),
  ]
  it('is mongod’s across and within types', () => {
    for (const [i, a] of ascending.entries()) {
      for (const [j, b] of ascending.entries()) {
        expect(Math.sign(compareValues(a, b)), `${i} against ${j}`).to.equal(Math.sign(i - j))
      }
    }
  })

  const equal: readonly (readonly [string, Value | undefined, Value | undefined, boolean])[] = [
    ['int32, int64, double and decimal 5', new Int32(5), long('5'), true],
    ['int64 and double', long('5'), new Double(5), true],
    ['double and decimal', new Double(5), decimal('5.00'), true],
    ['minus zero', new Double(-0), new Int32(0), true],
    ['NaN of two types', new Double(Number.NaN), decimal('NaN'), true],
    ['double 0.1 is not decimal 0.1', new Double(0.1), decimal('0.1'), false],
    ['int64 beyond 2^53', long('9007199254740993'), new Double(9007199254740992), false],
    ['decimals of different exponent', decimal('1E+3'), decimal('1000'), true],
    ['missing and null', undefined, null, true],
    ['field order', { a: 1, b: 2 }, { b: 2, a: 1 }, false],
    ['binary subtype', new Binary(Buffer.from('a'), 0), new Binary(Buffer.from('a'), 4), false],
    ['nested numbers', { a: [new Int32(1)] }, { a: [new Double(1)] }, true],
    ['zero is not false', new Int32(0), false, false],
  ]
  for (const [name, a, b, result] of equal) it(`equality: ${name}`, () => expect(equalValues(a, b)).to.equal(result))

  it('identity tells number types, zeros and decimal forms apart', () => {
    expect(identicalValues(new Int32(5), new Double(5))).to.equal(false)
    expect(identicalValues(new Double(0), new Double(-0))).to.equal(false)
    expect(identicalValues(decimal('1.0'), decimal('1.00'))).to.equal(false)
    expect(identicalValues({ a: [long('5')] }, { a: [long('5')] })).to.equal(true)
  })

  it('is total: antisymmetric and transitive on random values', () => {
    fc.assert(
      fc.property(anyValue, anyValue, anyValue, (a, b, c) => {
        expect(Math.sign(compareValues(a, b))).to.equal(-Math.sign(compareValues(b, a)))
        const sorted = [a, b, c].sort(compareValues)
        expect(compareValues(sorted[0], sorted[2])).to.be.at.most(0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('engine bson: keys', () => {
  const agree = (a: Value, b: Value, direction: 1 | -1) => {
    const order = Math.sign(compareValues(a, b)) * direction
    expect(Buffer.compare(encodeKey([a], [direction]), encodeKey([b], [direction]))).to.equal(order === 0 ? 0 : order)
  }

  it('sort as the comparator does', () => {
    fc.assert(
      fc.property(anyIndexable, anyIndexable, fc.constantFrom(1 as const, -1 as const), (a, b, direction) =>
        agree(a, b, direction),
      ),
      { numRuns: 2000 },
    )
  })

  it('of numbers near each other sort as the comparator does', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, (a, b) => agree(a, b, 1)),
      { numRuns: 3000 },
    )
  })

  it('of neighbouring decimals, doubles and int64 sort exactly', () => {
    const near: Value[] = []
    for (const base of [
      '0.1',
      '1',
      '4503599627370496',
      '9007199254740993',
      '-9007199254740993',
      '1E+20',
      '-0.3',
      '9223372036854775807',
    ]) {
      const digits = unpackDecimal(packDecimal(unpackDecimal(decimal(base))))
      if (digits.special !== undefined) throw new Error('finite expected')
      const scale = 10n ** BigInt(34 - String(digits.coefficient).replace('-', '').length)
      for (const step of [-2n, -1n, 0n, 1n, 2n]) {
        const exponent = digits.exponent - (String(scale).length - 1)
        near.push(packDecimal({ special: undefined, coefficient: digits.coefficient * scale + step, exponent }))
      }
      near.push(new Double(Number(base)), long(String(BigInt(Math.trunc(Number(base)) % 2 ** 62))))
    }
    for (const a of near) for (const b of near) agree(a, b, 1)
  })

  it('of several components order by the first difference', () => {
    fc.assert(
      fc.property(fc.tuple(anyIndexable, anyIndexable), fc.tuple(anyIndexable, anyIndexable), (a, b) => {
        const expected = Math.sign(compareValues(a[0], b[0])) || -Math.sign(compareValues(a[1], b[1]))
        expect(Buffer.compare(encodeKey(a, [1, -1]), encodeKey(b, [1, -1]))).to.equal(expected === 0 ? 0 : expected)
      }),
      { numRuns: 1000 },
    )
  })

  it('put an empty array below null and a missing value with null', () => {
    const key = (part: Value | undefined | typeof emptyArray) => encodeKey([part], [1])
    expect(Buffer.compare(key(emptyArray), key(null))).to.equal(-1)
    expect(Buffer.compare(key(emptyArray), key(new MinKey()))).to.equal(1)
    expect(key(undefined)).to.deep.equal(key(null))
  })

  it('of one type lie within its bounds', () => {
    fc.assert(
      fc.property(anyIndexable, anyIndexable, (a, b) => {
        const { low, high } = typeBounds(a)
        const key = encodeKey([b], [1])
        const within = Buffer.compare(key, low) >= 0 && Buffer.compare(key, high) < 0
        expect(within).to.equal(Buffer.compare(typeBounds(b).low, low) === 0)
      }),
    )
  })

  it('refuse decimals outside the doubles', () => {
    expect(failure(() => encodeKey([decimal('1E+400')], [1]))).to.equal(2)
    expect(failure(() => encodeKey([decimal('1E-400')], [1]))).to.equal(2)
    expect(failure(() => encodeKey([decimal('0E-400')], [1]))).to.equal(undefined)
  })
})

describe('engine bson: index entries', () => {
  const cases: readonly (readonly [
    string,
    Document,
    readonly string[],
    readonly (readonly (Value | undefined | typeof emptyArray)[])[],
  ])[] = [
    ['scalar', { a: 1 }, ['a'], [[1]]],
    ['missing is null', {}, ['a'], [[null]]],
    ['array', { a: [1, 2, 1] }, ['a'], [[1], [2]]],
    ['empty array', { a: [] }, ['a'], [[emptyArray]]],
    ['nested array stays', { a: [[1, 2], 3] }, ['a'], [[[1, 2]], [3]]],
    ['documents in an array', { a: [{ b: 1 }, { b: 2 }, {}] }, ['a.b'], [[1], [2], [null]]],
    ['scalars in an array', { a: [1, 2] }, ['a.b'], [[null]]],
    ['path through an empty array', { a: [] }, ['a.b'], [[null]]],
    ['array below an array', { a: [{ b: [1, 2] }, { b: 3 }] }, ['a.b'], [[1], [2], [3]]],
    [
      'array with another field',
      { a: [1, 2], b: 'x' },
      ['b', 'a'],
      [
        ['x', 1],
        ['x', 2],
      ],
    ],
    [
      'two fields of one array stay together',
      {
        a: [
          { x: 1, y: 2 },
          { x: 3, y: 4 },
        ],
      },
      ['a.x', 'a.y'],
      [
        [1, 2],
        [3, 4],
      ],
    ],
    ['numeric part picks', { a: [5, 6] }, ['a.1'], [[6]]],
    ['scalar on the way', { a: 1 }, ['a.b'], [[null]]],
  ]
  for (const [name, doc, paths, expected] of cases) {
    it(name, () => {
      const { keys } = indexKeys(
        doc,
        paths.map((path) => [path, 1] as const),
      )
      expect(keys).to.deep.equal(
        expected.map((parts) =>
          encodeKey(
            parts,
            parts.map(() => 1 as const),
          ),
        ),
      )
    })
  }

  it('tells multikey components and absence', () => {
    const entries = compileIndex([
      ['a', 1],
      ['b', -1],
    ])
    expect(entries({ a: [1], b: 2 }).multikey).to.deep.equal([true, false])
    expect(entries({ c: 1 }).allMissing).to.equal(true)
    expect(entries({ b: null }).allMissing).to.equal(false)
  })

  it('refuses two arrays', () => {
    expect(
      failure(() =>
        indexKeys({ a: [1], b: [2] }, [
          ['a', 1],
          ['b', 1],
        ]),
      ),
    ).to.equal(171)
  })
})

describe('engine bson: arithmetic', () => {
  const sums: readonly (readonly [string, Value, Value, Value])[] = [
    ['int32', new Int32(1), new Int32(2), new Int32(3)],
    ['int32 overflows to int64', new Int32(2147483647), new Int32(1), long('2147483648')],
    ['int64 is exact', long('9007199254740993'), new Int32(2), long('9007199254740995')],
    ['double wins', new Int32(1), new Double(0.5), new Double(1.5)],
    ['decimal wins', decimal('0.1'), new Int32(1), decimal('1.1')],
    ['decimal and double of 15 digits', decimal('1'), new Double(0.1), decimal('1.100000000000000')],
    ['minus zero', new Int32(0), new Double(-0), new Double(0)],
  ]
  for (const [name, a, b, expected] of sums) {
    it(`sum: ${name}`, () => {
      const result = addNumbers(a as Int32, b as Int32)
      expect(identicalValues(result.value, expected), String(result.value)).to.equal(true)
    })
  }
  it('reports int64 overflow', () => {
    expect(addNumbers(long('9223372036854775807'), new Int32(1)).overflow).to.equal(true)
    expect(multiplyNumbers(long('4611686018427387904'), new Int32(2)).overflow).to.equal(true)
  })
  it('products of decimals round to 34 digits', () => {
    const third = decimal('0.3333333333333333333333333333333333')
    expect(String(multiplyNumbers(third, decimal('3')).value)).to.equal('0.9999999999999999999999999999999999')
    expect(String(multiplyNumbers(third, third).value)).to.equal('0.1111111111111111111111111111111111')
  })
  it('packing undoes unpacking', () => {
    for (const text of [
      '0',
      '1',
      '-1',
      '1.50',
      '1E+6111',
      '9.999999999999999999999999999999999E+6144',
      '1E-6176',
      '123456789012345678901234567890.1234',
      'NaN',
      '-Infinity',
    ]) {
      expect(packDecimal(unpackDecimal(decimal(text))).toString(), text).to.equal(text)
    }
  })
  it('plain literals work as values', () =>
    expect(compareValues(documentOf({ a: 1 }), { a: new Int32(1) })).to.equal(0))
})
