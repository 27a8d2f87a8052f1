import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId } from 'bson'
import { expect } from 'chai'
import fc from 'fast-check'
import { compareValues } from '../../engine/bson/compare.ts'
import { decode } from '../../engine/bson/decode.ts'
import type { Document } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { compileFilter } from '../../engine/match/compile.ts'
import { parseFilter } from '../../engine/match/parse.ts'
import { compileRegex, literalPrefix } from '../../engine/match/regex.ts'
import { anyValue, failure } from './values.ts'

const matches = (filter: Document, doc: Document) => compileFilter(parseFilter(stored(filter))).matches(stored(doc))
/** As the engine sees it: through real BSON. */
const stored = (doc: Document) => decode(encode(doc))
const long = (text: string) => Long.fromString(text)
const regex = (pattern: string, options = '') => new BSONRegExp(pattern, options)
const bytes = (text: string, subtype = 0) => new Binary(Buffer.from(text), subtype)

type Case = readonly [name: string, filter: Document, doc: Document, expected: boolean]

describe('engine match', () => {
  const cases: readonly Case[] = [
    ['empty filter', {}, { a: 1 }, true],
    ['equality', { a: 1 }, { a: 1 }, true],
    ['equality of number types', { a: new Int32(5) }, { a: new Double(5) }, true],
    ['equality of decimal', { a: Decimal128.fromString('5.0') }, { a: long('5') }, true],
    [
      'int64 beyond 2^53 differs from its neighbour',
      { a: long('9007199254740993') },
      { a: long('9007199254740992') },
      false,
    ],
    ['int64 beyond 2^53 range', { a: { $gt: long('9007199254740992') } }, { a: long('9007199254740993') }, true],
    [
      'int64 against the double it rounds to',
      { a: { $gt: new Double(9007199254740992) } },
      { a: long('9007199254740993') },
      true,
    ],
    ['decimal range', { a: { $lt: Decimal128.fromString('0.1') } }, { a: new Double(0.1) }, false],
    ['embedded equality needs the field order', { a: { x: 1, y: 2 } }, { a: { y: 2, x: 1 } }, false],
    ['embedded equality', { a: { x: 1, y: 2 } }, { a: { x: 1, y: 2 } }, true],
    ['embedded equality is not partial', { a: { x: 1 } }, { a: { x: 1, y: 2 } }, false],
    ['binary subtype matters', { a: bytes('x', 4) }, { a: bytes('x', 0) }, false],
    ['binary', { a: bytes('x', 4) }, { a: bytes('x', 4) }, true],
    [
      'object id',
      { a: new ObjectId('65f000000000000000000001') },
      { a: new ObjectId('65f000000000000000000001') },
      true,
    ],
    ['date', { a: new Date(5) }, { a: new Date(5) }, true],
    ['string is not number', { a: '1' }, { a: 1 }, false],
    ['true is not one', { a: true }, { a: 1 }, false],
    ['minus zero', { a: new Double(-0) }, { a: 0 }, true],

    ['null matches missing', { a: null }, {}, true],
    ['null matches null', { a: null }, { a: null }, true],
    ['null does not match zero', { a: null }, { a: 0 }, false],
    ['null in array', { a: null }, { a: [1, null] }, true],
    ['null and empty array', { a: null }, { a: [] }, false],
    ['$gte null matches missing', { a: { $gte: null } }, {}, true],
    ['$lte null matches null', { a: { $lte: null } }, { a: null }, true],
    ['$gt null matches nothing', { a: { $gt: null } }, { a: 1 }, false],
    ['$ne null on missing', { a: { $ne: null } }, {}, false],
    ['a.b null, scalar on the way', { 'a.b': null }, { a: 4 }, true],
    ['a.b null, empty document', { 'a.b': null }, { a: {} }, true],
    ['a.b null, some element without b', { 'a.b': null }, { a: [{ b: 1 }, {}] }, true],
    ['a.b null, every element with b', { 'a.b': null }, { a: [{ b: 1 }, { b: 2 }] }, false],
    ['a.b null, array of scalars', { 'a.b': null }, { a: [1, 2] }, false],
    ['a.b null, empty array', { 'a.b': null }, { a: [] }, false],

    ['array element', { a: 2 }, { a: [1, 2] }, true],
    ['whole array', { a: [1, 2] }, { a: [1, 2] }, true],
    ['array inside array', { a: [1, 2] }, { a: [[1, 2], 3] }, true],
    ['array order', { a: [2, 1] }, { a: [1, 2] }, false],
    ['array range compares arrays', { a: { $gt: [1, 2] } }, { a: [1, 3] }, true],
    ['array range skips scalars', { a: { $gt: [1] } }, { a: 5 }, false],
    ['two bounds on different elements', { a: { $gt: 5, $lt: 3 } }, { a: [1, 9] }, true],
    ['path through array', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, true],
    ['path through nested arrays does not', { 'a.b': 2 }, { a: [[{ b: 2 }]] }, false],
    ['numeric part', { 'a.1': 2 }, { a: [1, 2] }, true],
    ['numeric part does not open an array', { 'a.0': 2 }, { a: [[1, 2]] }, false],
    ['numeric part as field', { 'a.1': 2 }, { a: { 1: 2 } }, true],
    ['numeric part then field', { 'a.1.b': 3 }, { a: [{ b: 1 }, { b: 3 }] }, true],
    ['numeric part as field of elements', { 'a.1': 4 }, { a: [5, { 1: 4 }] }, true],
    ['numeric part into nested array', { 'a.1.b': 4 }, { a: [5, [{ b: 4 }]] }, true],
    ['deep path', { 'a.b.c': 1 }, { a: { b: [{ c: [1] }] } }, true],

    ['type bracketing: number and string', { a: { $lt: 'b' } }, { a: 1 }, false],
    ['type bracketing: date and number', { a: { $gt: 1 } }, { a: new Date() }, false],
    ['$lte text by bytes', { a: { $gt: '\uffee' } }, { a: '\u{10000}' }, true],
    ['$lt MaxKey takes all', { a: { $lt: new MaxKey() } }, { a: 'x' }, true],
    ['$gt MinKey takes all', { a: { $gt: new MinKey() } }, {}, true],
    ['$gt MaxKey takes none', { a: { $gt: new MaxKey() } }, { a: 1 }, false],
    ['$gte MaxKey takes itself', { a: { $gte: new MaxKey() } }, { a: new MaxKey() }, true],
    ['NaN equals NaN', { a: new Double(Number.NaN) }, { a: Decimal128.fromString('NaN') }, true],
    ['NaN is not below a number', { a: { $lt: 5 } }, { a: new Double(Number.NaN) }, false],
    ['$gte NaN', { a: { $gte: new Double(Number.NaN) } }, { a: new Double(Number.NaN) }, true],
    ['boolean range', { a: { $gt: false } }, { a: true }, true],
    ['document range', { a: { $gt: { b: 1 } } }, { a: { b: 2 } }, true],

    ['$ne over arrays', { a: { $ne: 1 } }, { a: [1, 2] }, false],
    ['$ne missing', { a: { $ne: 1 } }, {}, true],
    ['$in', { a: { $in: [1, 'x'] } }, { a: 'x' }, true],
    ['$in with null', { a: { $in: [null] } }, {}, true],
    ['$in with pattern', { a: { $in: [regex('^b')] } }, { a: ['a', 'bc'] }, true],
    ['$in with array', { a: { $in: [[1, 2]] } }, { a: [1, 2] }, true],
    ['$in empty', { a: { $in: [] } }, { a: 1 }, false],
    ['$nin', { a: { $nin: [1, 2] } }, { a: [3, 2] }, false],
    ['$nin missing', { a: { $nin: [1] } }, {}, true],

    ['$exists', { a: { $exists: true } }, { a: null }, true],
    ['$exists false', { 'a.b': { $exists: false } }, { a: [{ c: 1 }] }, true],
    ['$exists in an array', { 'a.b': { $exists: true } }, { a: [{}, { b: 1 }] }, true],
    ['$exists empty array', { a: { $exists: true } }, { a: [] }, true],
    ['$exists 0', { a: { $exists: 0 } }, { a: 1 }, false],

    ['$type int', { a: { $type: 'int' } }, { a: new Int32(1) }, true],
    ['$type int is not double', { a: { $type: 'double' } }, { a: new Int32(1) }, false],
    ['$type int is not long', { a: { $type: 'long' } }, { a: new Int32(1) }, false],
    ['$type long', { a: { $type: 18 } }, { a: long('1') }, true],
    ['$type number', { a: { $type: 'number' } }, { a: Decimal128.fromString('1') }, true],
    ['$type objectId', { a: { $type: 7 } }, { a: new ObjectId() }, true],
    ['$type binData', { a: { $type: 'binData' } }, { a: bytes('x') }, true],
    ['$type of elements', { a: { $type: 'string' } }, { a: [1, 'x'] }, true],
    ['$type array', { a: { $type: 'array' } }, { a: [] }, true],
    ['$type list', { a: { $type: ['bool', 'string'] } }, { a: true }, true],
    ['$type missing', { a: { $type: 'null' } }, {}, false],

    ['$size', { a: { $size: 2 } }, { a: [1, [2]] }, true],
    ['$size of a scalar', { a: { $size: 1 } }, { a: 1 }, false],
    ['$size does not open nested arrays', { a: { $size: 2 } }, { a: [[1, 2]] }, false],
    ['$all', { a: { $all: [1, 2] } }, { a: [2, 3, 1] }, true],
    ['$all on a scalar', { a: { $all: [1] } }, { a: 1 }, true],
    ['$all empty', { a: { $all: [] } }, { a: [] }, false],
    ['$all with array', { a: { $all: [[1, 2]] } }, { a: [1, 2] }, true],
    [
      '$all $elemMatch',
      { a: { $all: [{ $elemMatch: { x: 1 } }, { $elemMatch: { x: 2 } }] } },
      { a: [{ x: 1 }, { x: 2 }] },
      true,
    ],
    ['$elemMatch one element', { a: { $elemMatch: { x: 1, y: 2 } } }, { a: [{ x: 1 }, { y: 2 }] }, false],
    ['$elemMatch values', { a: { $elemMatch: { $gt: 1, $lt: 5 } } }, { a: [0, 3] }, true],
    ['$elemMatch values, none', { a: { $elemMatch: { $gt: 5, $lt: 3 } } }, { a: [1, 9] }, false],
    ['$elemMatch does not open nested arrays', { a: { $elemMatch: { $in: [1] } } }, { a: [[1]] }, false],
    ['$elemMatch with $or', { a: { $elemMatch: { $or: [{ x: 1 }, { x: 2 }] } } }, { a: [{ x: 2 }] }, true],
    ['$elemMatch on a scalar', { a: { $elemMatch: { $gt: 1 } } }, { a: 3 }, false],
    ['$elemMatch element array as document', { a: { $elemMatch: { 0: 1 } } }, { a: [[1]] }, true],
    ['$elemMatch $not', { a: { $elemMatch: { $not: { $gt: 1 } } } }, { a: [5, 0] }, true],

    ['$mod', { a: { $mod: [4, 1] } }, { a: new Double(5.7) }, true],
    ['$mod negative', { a: { $mod: [4, -1] } }, { a: -5 }, true],
    ['$mod int64', { a: { $mod: [10, 7] } }, { a: long('9007199254740997') }, true],
    ['$mod infinite', { a: { $mod: [2, 0] } }, { a: new Double(Infinity) }, false],
    ['$bitsAllSet', { a: { $bitsAllSet: 6 } }, { a: 7 }, true],
    ['$bitsAnyClear', { a: { $bitsAnyClear: [0, 5] } }, { a: 1 }, true],
    ['$bitsAllClear', { a: { $bitsAllClear: [1, 3] } }, { a: 5 }, true],
    ['$bitsAnySet binary', { a: { $bitsAnySet: [9] } }, { a: new Binary(Buffer.from([0, 2])) }, true],
    ['$bitsAllSet mask binary', { a: { $bitsAllSet: new Binary(Buffer.from([1, 1])) } }, { a: 257 }, true],
    ['$bits sign extension', { a: { $bitsAllSet: [200] } }, { a: -1 }, true],
    ['$bits of a fraction', { a: { $bitsAllSet: 1 } }, { a: new Double(1.5) }, false],

    ['regex', { a: regex('^ab') }, { a: 'abc' }, true],
    ['regex in array', { a: regex('^ab') }, { a: ['x', 'abc'] }, true],
    ['regex stored', { a: regex('x') }, { a: regex('x') }, true],
    ['regex $options i', { a: { $regex: 'ABC', $options: 'i' } }, { a: 'xabc' }, true],
    ['regex $options x', { a: { $regex: 'a b # c\n c', $options: 'x' } }, { a: 'abc' }, true],
    ['regex $options m', { a: { $regex: '^b', $options: 'm' } }, { a: 'a\nb' }, true],
    ['regex $options s', { a: { $regex: 'a.b', $options: 's' } }, { a: 'a\nb' }, true],
    ['regex without s', { a: { $regex: 'a.b' } }, { a: 'a\nb' }, false],
    ['regex $ before a last newline', { a: { $regex: 'a$' } }, { a: 'a\n' }, true],
    ['regex a dot and a carriage return', { a: regex('a.b') }, { a: 'a\rb' }, true],
    ['regex a dot and a line separator', { a: regex('a.b') }, { a: 'a\u2028b' }, true],
    ['regex space is ASCII', { a: regex('a\\sb') }, { a: 'a\u00a0b' }, false],
    ['regex space in a class', { a: regex('a[\\s,]b') }, { a: 'a\u2003b' }, false],
    ['regex what is no space', { a: regex('a\\Sb') }, { a: 'a\u00a0b' }, true],
    ['regex what is no space in a class', { a: regex('a[\\S]b') }, { a: 'a\u00a0b' }, true],
    ['regex vertical space', { a: regex('a\\vb') }, { a: 'a\nb' }, true],
    ['regex horizontal space', { a: regex('a\\hb') }, { a: 'a\u00a0b' }, true],
    ['regex m ^ after a carriage return', { a: regex('^b', 'm') }, { a: 'a\rb' }, false],
    ['regex m $ before a carriage return', { a: regex('a$', 'm') }, { a: 'a\rb' }, false],
    ['regex m $ before a newline', { a: regex('a$', 'm') }, { a: 'a\nb' }, true],
    ['regex m ^ behind the last newline', { a: regex('^$', 'm') }, { a: 'a\n' }, false],
    ['regex options of a group', { a: regex('(?s:a.b)') }, { a: 'a\nb' }, true],
    ['regex on number', { a: regex('1') }, { a: 1 }, false],
    ['$not regex', { a: { $not: regex('^a') } }, { a: 'b' }, true],
    ['$not operators', { a: { $not: { $gt: 5 } } }, { a: 3 }, true],
    ['$not missing', { a: { $not: { $gt: 5 } } }, {}, true],
    ['$eq regex is a value', { a: { $eq: regex('a') } }, { a: 'a' }, false],

    ['$or', { $or: [{ a: 1 }, { b: 1 }] }, { b: 1 }, true],
    ['$nor', { $nor: [{ a: 1 }, { b: 1 }] }, { b: 2 }, true],
    ['$and', { $and: [{ a: 1 }, { a: { $exists: true } }] }, { a: 1 }, true],
    ['$comment', { $comment: 'why', a: { $eq: 1, $comment: 'x' } }, { a: 1 }, true],
    ['$expr', { $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, true],
    ['reference document', { a: { $ref: 'c', $id: 1 } }, { a: { $ref: 'c', $id: 1 } }, true],
    [
      'the job lock query',
      {
        name: 'n',
        disabled: { $ne: true },
        $or: [{ lockedAt: { $eq: null }, nextRunAt: { $lte: new Date(5) } }, { lockedAt: { $lte: new Date(2) } }],
      },
      { name: 'n', lockedAt: null, nextRunAt: new Date(4) },
      true,
    ],
  ]
  for (const [name, filter, doc, expected] of cases) it(name, () => expect(matches(filter, doc)).to.equal(expected))

  const refused: readonly (readonly [string, Document, number])[] = [
    ['unknown field operator', { a: { $foo: 1 } }, 2],
    ['unknown top level operator', { $foo: 1 }, 2],
    ['operator mixed with a field', { a: { $gt: 1, b: 2 } }, 2],
    ['$where', { $where: 'true' }, 2],
    ['$text', { $text: { $search: 'x' } }, 27],
    ['$near', { a: { $near: [1, 1] } }, 291],
    ['$jsonSchema', { $jsonSchema: {} }, 115],
    ['$geoWithin', { a: { $geoWithin: {} } }, 115],
    ['$and not an array', { $and: {} }, 2],
    ['$or empty', { $or: [] }, 2],
    ['$or of scalars', { $or: [1] }, 2],
    ['$in not an array', { a: { $in: 1 } }, 2],
    ['$in of operators', { a: { $in: [{ $gt: 1 }] } }, 2],
    ['$not a number', { a: { $not: 1 } }, 2],
    ['$not empty', { a: { $not: {} } }, 2],
    ['$ne regex', { a: { $ne: regex('a') } }, 2],
    ['$gt regex', { a: { $gt: regex('a') } }, 2],
    ['$mod zero', { a: { $mod: [0, 1] } }, 2],
    ['$mod short', { a: { $mod: [1] } }, 2],
    ['$size negative', { a: { $size: -1 } }, 2],
    ['$size fraction', { a: { $size: 1.5 } }, 2],
    ['$type alias', { a: { $type: 'nonsense' } }, 2],
    ['$type number', { a: { $type: 99 } }, 2],
    ['$type of a document', { a: { $type: {} } }, 14],
    ['$all mixed', { a: { $all: [{ $elemMatch: { x: 1 } }, 1] } }, 2],
    ['$all scalar', { a: { $all: 1 } }, 2],
    ['$elemMatch scalar', { a: { $elemMatch: 1 } }, 2],
    ['$options alone', { a: { $options: 'i' } }, 2],
    ['$regex twice options', { a: { $regex: regex('a', 'i'), $options: 'm' } }, 51075],
    ['$regex unknown option', { a: { $regex: 'a', $options: 'g' } }, 51108],
    ['$regex invalid', { a: { $regex: '(' } }, 51091],
    ['$bits of text', { a: { $bitsAllSet: 'x' } }, 2],
    ['$bits negative', { a: { $bitsAllSet: -1 } }, 9],
    ['$expr unknown operator', { $expr: { $foo: 1 } }, 168],
  ]
  for (const [name, filter, code] of refused) {
    it(`refuses: ${name}`, () => expect(failure(() => compileFilter(parseFilter(filter)))).to.equal(code))
  }

  it('takes no inherited name for a field', () => {
    for (const name of ['constructor', 'toString', '__proto__']) {
      const filter = stored({ x: 1 })
      delete filter.x
      filter[name] = { $exists: true }
      expect(matches(filter, {})).to.equal(false)
      expect(matches(filter, { a: 1 })).to.equal(false)
    }
  })

  it('refuses endless nesting', () => {
    let filter: Document = { a: 1 }
    for (let level = 0; level < 200; level++) filter = { $and: [filter] }
    expect(failure(() => parseFilter(filter))).to.equal(2)
  })

  const positions: readonly (readonly [string, Document, Document, number | undefined])[] = [
    ['value', { a: 2 }, { a: [1, 2] }, 1],
    ['range', { a: { $gt: 2 } }, { a: [1, 2, 3] }, 2],
    ['field of element', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    ['$elemMatch', { a: { $elemMatch: { x: 1, y: 2 } } }, { a: [{ x: 1 }, { x: 1, y: 2 }] }, 1],
    ['outermost array', { 'a.b': 2 }, { a: [{ b: [1, 3] }, { b: [1, 1, 2] }] }, 1],
    ['no array', { a: 2 }, { a: 2 }, undefined],
    ['negation tells nothing', { a: { $ne: 5 } }, { a: [1] }, undefined],
    ['no match', { a: 9 }, { a: [1] }, undefined],
  ]
  for (const [name, filter, doc, index] of positions) {
    it(`positional: ${name}`, () => expect(compileFilter(parseFilter(filter)).positional(doc)).to.equal(index))
  }

  it('ranges agree with the comparator on values of one type', () => {
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        fc.pre(!Array.isArray(a) && !(b instanceof BSONRegExp))
        const order = compareValues(a, b)
        expect(matches({ v: { $eq: b } }, { v: a })).to.equal(order === 0)
        if (matches({ v: { $gt: b } }, { v: a })) expect(order).to.be.greaterThan(0)
        if (matches({ v: { $lte: b } }, { v: a })) expect(order).to.be.at.most(0)
        expect(matches({ v: { $ne: b } }, { v: a })).to.equal(order !== 0)
      }),
      { numRuns: 500 },
    )
  })
})

describe('engine match: patterns', () => {
  const cases: readonly (readonly [string, string, string, string, boolean])[] = [
    ['escaped punctuation', 'a\\-b\\@c\\_\\/', '', 'a-b@c_/', true],
    ['literal braces', 'a{b}', '', 'a{b}', true],
    ['quantifier', '^a{2,3}$', '', 'aaa', true],
    ['inline i', '(?i)ABC', '', 'abc', true],
    ['\\A and \\z', '\\Aab\\z', '', 'ab\n', false],
    ['\\Z', '\\Aab\\Z', '', 'ab\n', true],
    ['\\Q \\E', '^\\Qa.b\\E$', '', 'a.b', true],
    ['\\Q is literal', '^\\Qa.b\\E$', '', 'axb', false],
    ['POSIX class', '^[[:alpha:]_]+$', '', 'ab_', true],
    ['bracket first in class', '[]a]', '', ']', true],
    ['dash in class', '[a\\-z]', '', '-', true],
    ['named group', '(?P<x>a)b', '', 'ab', true],
    ['comment', 'a(?#note)b', '', 'ab', true],
    ['extended keeps classes', '[ ]', 'x', ' ', true],
    ['astral is one character', '^.$', '', '\u{1f600}', true],
    ['hexadecimal', '^\\x{41}$', '', 'A', true],
    ['hexadecimal with letters', '^\\x{e9}\\x{1F600}$', '', 'é\u{1f600}', true],
    ['hexadecimal in class', '^[\\x{e0}-\\x{ef}]$', '', 'é', true],
    ['escaped brace before what looks like a quantifier', '^a\\{2}$', '', 'a{2}', true],
    ['a brace after \\Q \\E', '^\\Qa{2\\E}$', '', 'a{2}', true],
    ['lazy quantifier', '^a{1,}?b$', '', 'aab', true],
    ['property', '^\\p{Lu}\\p{L}+$', '', 'Été', true],
    ['property of one letter', '^\\pL\\PL$', '', 'é1', true],
    ['property in class', '^[\\p{L}_]+$', '', 'é_', true],
  ]
  for (const [name, pattern, options, subject, expected] of cases) {
    it(name, () => expect(compileRegex(regex(pattern, options)).test(subject)).to.equal(expected))
  }

  const prefixes: readonly (readonly [string, string, string | undefined])[] = [
    ['^abc', '', 'abc'],
    ['^abc.*', '', 'abc'],
    ['^ab?c', '', 'a'],
    ['^ab+c', '', 'ab'],
    ['^a\\.b', '', 'a.b'],
    ['\\Aab', '', 'ab'],
    ['abc', '', undefined],
    ['^a|b', '', undefined],
    ['^abc', 'i', undefined],
    ['^abc', 'm', undefined],
    ['^\\d', '', undefined],
    ['^(ab)', '', undefined],
    ['^a{0}', '', undefined],
  ]
  for (const [pattern, options, expected] of prefixes) {
    it(`prefix of /${pattern}/${options}`, () => expect(literalPrefix(regex(pattern, options))).to.equal(expected))
  }
})
