import { BSONRegExp, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson'
import { expect } from 'chai'
import fc from 'fast-check'
import { compareText, compareValues, identicalValues } from '../../engine/bson/compare.ts'
import { decode } from '../../engine/bson/decode.ts'
import { type Document, isDocument, type Value } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { addNumbers, multiplyNumbers } from '../../engine/bson/number.ts'
import { compileFilter } from '../../engine/match/compile.ts'
import { parseFilter } from '../../engine/match/parse.ts'
import { picker } from '../../engine/store/elements.ts'
import { spliced } from '../../engine/store/splice.ts'
import { compileUpdate } from '../../engine/update/compile.ts'
import { upsertDocument } from '../../engine/update/upsert.ts'
import { failure } from './values.ts'

const now = new Date('2024-05-06T07:08:09.123Z')
const stored = (doc: Document) => decode(encode(doc))
const long = (text: string) => Long.fromString(text)
const decimal = (text: string) => Decimal128.fromString(text)

type Options = { readonly filter?: Document; readonly arrayFilters?: Document[]; readonly inserting?: boolean }

function update(doc: Document, change: Document | Document[], { filter, arrayFilters, inserting }: Options = {}) {
  const compiled = compileUpdate(Array.isArray(change) ? change.map(stored) : stored(change), {
    arrayFilters: arrayFilters?.map(stored),
  })
  const before = stored(doc)
  const bytes = encode(before)
  const positional = filter && compileFilter(parseFilter(stored(filter))).positional(before)
  const result = compiled.apply(before, { now, positional, inserting })
  expect(encode(before), 'the input document was changed').to.deep.equal(bytes)
  const same = identicalValues(result.doc, before)
  // `$push` counts as a change even when `$slice` takes away what came, as in mongod.
  if (Array.isArray(change) || change.$push === undefined) expect(result.changed).to.equal(!same)
  else expect(result.changed || same).to.equal(true)
  if (compiled.fields !== undefined) {
    const part = decode(picker(new Set(['_id', ...compiled.fields]))(bytes))
    const ofPart = compiled.apply(part, { now, positional, inserting })
    expect(ofPart.changed, 'of a part of the document').to.equal(result.changed)
    expectSame(decode(spliced(bytes, part, ofPart.doc)), result.doc)
  }
  return result
}

/** Compares encoded bytes: field order and number types count. */
function expectSame(actual: Document, expected: Document): void {
  expect(identicalValues(actual, stored(expected)), JSON.stringify(actual)).to.equal(true)
}

type Case = readonly [name: string, doc: Document, change: Document | Document[], expected: Document, options?: Options]

describe('engine update', () => {
  const cases: readonly Case[] = [
    ['$set', { a: 1 }, { $set: { a: 2 } }, { a: 2 }],
    ['$set keeps the position', { a: 1, b: 2 }, { $set: { a: 'x' } }, { a: 'x', b: 2 }],
    ['$set appends in text order', { z: 0 }, { $set: { c: 1, B: 2, a: 3 } }, { z: 0, B: 2, a: 3, c: 1 }],
    [
      'new fields of all operators in one order',
      {},
      { $set: { m: 1 }, $inc: { a: 1 }, $push: { f: 1 } },
      { a: 1, f: [1], m: 1 },
    ],
    ['$set nested creates documents', {}, { $set: { 'a.b.c': 1 } }, { a: { b: { c: 1 } } }],
    ['$set two below one new', {}, { $set: { 'a.c': 1, 'a.b': 2 } }, { a: { b: 2, c: 1 } }],
    ['$set numeric part creates a field', {}, { $set: { 'a.0': 1 } }, { a: { 0: 1 } }],
    ['$set array element', { a: [1, 2] }, { $set: { 'a.1': 9 } }, { a: [1, 9] }],
    ['$set beyond the array pads', { a: [1] }, { $set: { 'a.3': 9 } }, { a: [1, null, null, 9] }],
    ['$set in an element', { a: [{ b: 1 }] }, { $set: { 'a.0.b': 2 } }, { a: [{ b: 2 }] }],
    ['$set changes the number type', { a: new Int32(5) }, { $set: { a: long('5') } }, { a: long('5') }],
    ['$set the same changes nothing', { a: [1, { b: 2 }] }, { $set: { a: [1, { b: 2 }] } }, { a: [1, { b: 2 }] }],
    [
      '$set other field order is a change',
      { a: { x: 1, y: 2 } },
      { $set: { a: { y: 2, x: 1 } } },
      { a: { y: 2, x: 1 } },
    ],
    ['$set equal _id', { _id: 1, a: 1 }, { $set: { _id: 1, a: 2 } }, { _id: 1, a: 2 }],
    ['$set empty', { a: 1 }, { $set: {} }, { a: 1 }],
    ['$set into a dollar reference', {}, { $set: { 'r.$ref': 'c', 'r.$id': 1 } }, { r: { $id: 1, $ref: 'c' } }],

    ['$unset', { a: 1, b: 2 }, { $unset: { a: '' } }, { b: 2 }],
    ['$unset missing', { b: 2 }, { $unset: { a: '', 'c.d': 1 } }, { b: 2 }],
    ['$unset nested', { a: { b: 1, c: 2 } }, { $unset: { 'a.b': true } }, { a: { c: 2 } }],
    ['$unset through a scalar is nothing', { a: 1 }, { $unset: { 'a.b': 1 } }, { a: 1 }],
    ['$unset through an array is nothing', { a: [1] }, { $unset: { 'a.b': 1 } }, { a: [1] }],
    ['$unset an element leaves null', { a: [1, 2] }, { $unset: { 'a.0': 1 } }, { a: [null, 2] }],
    ['$unset an element beyond', { a: [1] }, { $unset: { 'a.4': 1 } }, { a: [1] }],

    ['$inc missing', {}, { $inc: { a: 5 } }, { a: 5 }],
    ['$inc int32', { a: 1 }, { $inc: { a: 2 } }, { a: 3 }],
    ['$inc int32 overflow', { a: 2147483647 }, { $inc: { a: 1 } }, { a: long('2147483648') }],
    ['$inc int64 exact', { a: long('9007199254740993') }, { $inc: { a: 1 } }, { a: long('9007199254740994') }],
    ['$inc int64 stays', { a: long('1') }, { $inc: { a: 1 } }, { a: long('2') }],
    ['$inc by int64', { a: 1 }, { $inc: { a: long('1') } }, { a: long('2') }],
    ['$inc by double', { a: 1 }, { $inc: { a: new Double(1) } }, { a: new Double(2) }],
    ['$inc decimal', { a: decimal('0.1') }, { $inc: { a: 1 } }, { a: decimal('1.1') }],
    ['$inc by zero', { a: 1 }, { $inc: { a: 0 } }, { a: 1 }],
    ['$inc in new document', {}, { $inc: { 'a.b': 1 } }, { a: { b: 1 } }],
    ['$mul', { a: 3 }, { $mul: { a: 4 } }, { a: 12 }],
    ['$mul missing', {}, { $mul: { a: new Double(4.5) } }, { a: new Double(0) }],
    ['$mul missing int64', {}, { $mul: { a: long('4') } }, { a: long('0') }],
    ['$mul overflow to int64', { a: 65536 }, { $mul: { a: 65536 } }, { a: long('4294967296') }],
    ['$min', { a: 5 }, { $min: { a: 3 } }, { a: 3 }],
    ['$min keeps', { a: 5 }, { $min: { a: 7 } }, { a: 5 }],
    ['$min across types', { a: 'x' }, { $min: { a: 1 } }, { a: 1 }],
    ['$max dates', { a: new Date(5) }, { $max: { a: new Date(6) } }, { a: new Date(6) }],
    ['$max missing', {}, { $max: { a: null } }, { a: null }],
    ['$max equal keeps the type', { a: 5 }, { $max: { a: long('5') } }, { a: 5 }],
    ['$currentDate', {}, { $currentDate: { a: true } }, { a: now }],
    ['$currentDate date', {}, { $currentDate: { a: { $type: 'date' } } }, { a: now }],
    [
      '$currentDate timestamp',
      {},
      { $currentDate: { a: { $type: 'timestamp' } } },
      { a: new Timestamp({ t: 1714979289, i: 1 }) },
    ],
    ['$bit and', { a: 13 }, { $bit: { a: { and: 10 } } }, { a: 8 }],
    ['$bit or long', { a: 1 }, { $bit: { a: { or: long('2') } } }, { a: long('3') }],
    ['$bit xor missing', {}, { $bit: { a: { xor: 5 } } }, { a: 5 }],
    ['$rename', { a: 1, b: 2 }, { $rename: { a: 'c' } }, { b: 2, c: 1 }],
    ['$rename onto a field', { a: 1, b: 2 }, { $rename: { a: 'b' } }, { b: 1 }],
    ['$rename into a document', { a: 1 }, { $rename: { a: 'b.c' } }, { b: { c: 1 } }],
    ['$rename missing', { a: 1 }, { $rename: { x: 'a' } }, { a: 1 }],
    ['$rename missing, target blocked', { a: 1 }, { $rename: { x: 'a.b' } }, { a: 1 }],
    ['$setOnInsert is idle', { a: 1 }, { $setOnInsert: { b: 1, 'a.c': 1 } }, { a: 1 }],
    [
      '$setOnInsert inserts',
      { a: 1 },
      { $setOnInsert: { b: 1 }, $set: { c: 2 } },
      { a: 1, b: 1, c: 2 },
      { inserting: true },
    ],

    ['$push', { a: [1] }, { $push: { a: 2 } }, { a: [1, 2] }],
    ['$push creates', {}, { $push: { a: 2 } }, { a: [2] }],
    ['$push array', { a: [] }, { $push: { a: [1, 2] } }, { a: [[1, 2]] }],
    ['$push $each', { a: [1] }, { $push: { a: { $each: [2, 3] } } }, { a: [1, 2, 3] }],
    ['$push $position', { a: [1, 2] }, { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 9, 2] }],
    ['$push $position negative', { a: [1, 2] }, { $push: { a: { $each: [9], $position: -1 } } }, { a: [1, 9, 2] }],
    ['$push $position far', { a: [1] }, { $push: { a: { $each: [9], $position: 7 } } }, { a: [1, 9] }],
    ['$push $slice', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: -2 } } }, { a: [2, 3] }],
    ['$push $slice zero', { a: [1, 2] }, { $push: { a: { $each: [3], $slice: 0 } } }, { a: [] }],
    ['$push $sort', { a: [3, 1] }, { $push: { a: { $each: [2], $sort: -1 } } }, { a: [3, 2, 1] }],
    [
      '$push $sort by field',
      { a: [{ s: 2 }] },
      { $push: { a: { $each: [{ s: 1 }], $sort: { s: 1 } } } },
      { a: [{ s: 1 }, { s: 2 }] },
    ],
    ['$push sort then slice', { a: [5, 1] }, { $push: { a: { $each: [3], $sort: 1, $slice: 2 } } }, { a: [1, 3] }],
    ['$push $each empty', { a: [1] }, { $push: { a: { $each: [] } } }, { a: [1] }],
    ['$addToSet', { a: [1] }, { $addToSet: { a: 2 } }, { a: [1, 2] }],
    ['$addToSet equal number', { a: [1] }, { $addToSet: { a: new Double(1) } }, { a: [1] }],
    [
      '$addToSet tells field order',
      { a: [{ x: 1, y: 2 }] },
      { $addToSet: { a: { y: 2, x: 1 } } },
      {
        a: [
          { x: 1, y: 2 },
          { y: 2, x: 1 },
        ],
      },
    ],
    ['$addToSet $each', {}, { $addToSet: { a: { $each: [1, 2, 1] } } }, { a: [1, 2] }],
    ['$pop last', { a: [1, 2] }, { $pop: { a: 1 } }, { a: [1] }],
    ['$pop first', { a: [1, 2] }, { $pop: { a: -1 } }, { a: [2] }],
    ['$pop missing', {}, { $pop: { a: 1 } }, {}],
    ['$pull value', { a: [1, 2, 1] }, { $pull: { a: 1 } }, { a: [2] }],
    ['$pull operators', { a: [1, 5, 9] }, { $pull: { a: { $gte: 5 } } }, { a: [1] }],
    ['$pull filter', { a: [{ x: 1, y: 1 }, { x: 2 }] }, { $pull: { a: { x: 1 } } }, { a: [{ x: 2 }] }],
    ['$pull filter spares scalars', { a: [1, { x: 1 }] }, { $pull: { a: { x: 1 } } }, { a: [1] }],
    ['$pull pattern', { a: ['ab', 'cd'] }, { $pull: { a: new BSONRegExp('^a') } }, { a: ['cd'] }],
    ['$pull array', { a: [[1, 2], 3] }, { $pull: { a: [1, 2] } }, { a: [3] }],
    [
      '$pull nested filter',
      { a: [{ b: [1, 2] }, { b: [3] }] },
      { $pull: { a: { b: { $elemMatch: { $gt: 2 } } } } },
      { a: [{ b: [1, 2] }] },
    ],
    ['$pull missing', {}, { $pull: { 'a.b': 1 } }, {}],
    ['$pullAll', { a: [1, 2, 3] }, { $pullAll: { a: [1, 3] } }, { a: [2] }],

    ['positional', { a: [1, 2] }, { $set: { 'a.$': 9 } }, { a: [1, 9] }, { filter: { a: 2 } }],
    [
      'positional field',
      { a: [{ k: 1 }, { k: 2 }] },
      { $inc: { 'a.$.n': 1 } },
      { a: [{ k: 1 }, { k: 2, n: 1 }] },
      { filter: { 'a.k': 2 } },
    ],
    [
      'positional $elemMatch',
      { a: [{ k: 1 }, { k: 2 }] },
      { $set: { 'a.$.k': 9 } },
      { a: [{ k: 1 }, { k: 9 }] },
      { filter: { a: { $elemMatch: { k: 2 } } } },
    ],
    ['all elements', { a: [1, 2] }, { $inc: { 'a.$[]': 10 } }, { a: [11, 12] }],
    ['all elements field', { a: [{ b: 1 }, {}] }, { $set: { 'a.$[].b': 2 } }, { a: [{ b: 2 }, { b: 2 }] }],
    [
      'array filter',
      { a: [1, 5, 9] },
      { $set: { 'a.$[x]': 0 } },
      { a: [1, 0, 0] },
      { arrayFilters: [{ x: { $gt: 3 } }] },
    ],
    [
      'array filter field',
      { a: [{ k: 1 }, { k: 2 }] },
      { $set: { 'a.$[x].v': 1 } },
      { a: [{ k: 1 }, { k: 2, v: 1 }] },
      { arrayFilters: [{ 'x.k': 2 }] },
    ],
    [
      'two array filters',
      { a: [1, 2] },
      { $inc: { 'a.$[x]': 1 }, $mul: { 'a.$[y]': 5 } },
      { a: [2, 10] },
      { arrayFilters: [{ x: 1 }, { y: 2 }] },
    ],
    [
      'nested array filters',
      { a: [{ b: [1, 2] }] },
      { $set: { 'a.$[].b.$[x]': 0 } },
      { a: [{ b: [1, 0] }] },
      { arrayFilters: [{ x: 2 }] },
    ],
    [
      'array filter with $or',
      { a: [1, 2, 3] },
      { $set: { 'a.$[x]': 0 } },
      { a: [0, 2, 0] },
      { arrayFilters: [{ $or: [{ x: 1 }, { x: 3 }] }] },
    ],

    ['replacement keeps _id', { _id: 7, a: 1 }, { b: 2 }, { _id: 7, b: 2 }],
    ['replacement puts _id first', { _id: 7 }, { b: 2, _id: 7 }, { _id: 7, b: 2 }],
    ['replacement empty', { _id: 7, a: 1 }, {}, { _id: 7 }],
    ['replacement the same', { _id: 7, a: 1 }, { a: 1 }, { _id: 7, a: 1 }],
    ['pipeline $set', { _id: 1, a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { _id: 1, a: 1, b: 2 }],
    ['pipeline $unset', { _id: 1, a: 1, b: 2 }, [{ $unset: 'a' }], { _id: 1, b: 2 }],
    ['pipeline $replaceWith keeps _id', { _id: 1, a: { x: 1 } }, [{ $replaceWith: '$a' }], { _id: 1, x: 1 }],
    ['pipeline $project', { _id: 1, a: 1, b: 2 }, [{ $project: { a: 1 } }], { _id: 1, a: 1 }],
    ['pipeline $$NOW', { _id: 1 }, [{ $set: { t: '$$NOW' } }], { _id: 1, t: now }],
    ['pipeline the same', { _id: 1, a: 1 }, [{ $set: { a: '$a' } }], { _id: 1, a: 1 }],
  ]
  for (const [name, doc, change, expected, options] of cases) {
    it(name, () => expectSame(update(doc, change, options).doc, expected))
  }

  type Refused = readonly [name: string, doc: Document, change: Document | Document[], code: number, options?: Options]
  const refused: readonly Refused[] = [
    ['unknown operator', {}, { $foo: { a: 1 } }, 9],
    ['operator after fields', {}, { a: 1, $set: { b: 1 } }, 52],
    ['field after operators', {}, { $set: { b: 1 }, a: 1 }, 9],
    ['operator without document', {}, { $set: 1 }, 9],
    ['same path twice', {}, { $set: { a: 1 }, $inc: { a: 1 } }, 40],
    ['path and its parent', {}, { $set: { 'a.b': 1, a: 2 } }, 40],
    ['parent first', {}, { $set: { a: 2 }, $unset: { 'a.b': 1 } }, 40],
    ['positional against its element', { a: [1] }, { $set: { 'a.$': 1, 'a.0': 2 } }, 40, { filter: { a: 1 } }],
    ['array filter against element', { a: [1] }, { $set: { 'a.$[x]': 1, 'a.0': 2 } }, 40, { arrayFilters: [{ x: 1 }] }],
    [
      'two array filters, one element',
      { a: [1] },
      { $set: { 'a.$[x]': 1, 'a.$[y]': 2 } },
      40,
      { arrayFilters: [{ x: 1 }, { y: 1 }] },
    ],
    ['_id changed', { _id: 1 }, { $set: { _id: 2 } }, 66],
    ['_id removed', { _id: 1 }, { $unset: { _id: 1 } }, 66],
    ['_id part changed', { _id: { a: 1 } }, { $set: { '_id.a': 2 } }, 66],
    ['_id replaced', { _id: 1 }, { _id: 2, a: 1 }, 66],
    ['_id changed by a pipeline', { _id: 1 }, [{ $set: { _id: 2 } }], 66],
    ['$inc with text', { a: 1 }, { $inc: { a: 'x' } }, 14],
    ['$inc on text', { a: 'x' }, { $inc: { a: 1 } }, 14],
    ['$inc on null', { a: null }, { $inc: { a: 1 } }, 14],
    ['$inc int64 overflow', { a: long('9223372036854775807') }, { $inc: { a: 1 } }, 2],
    ['$mul on text', { a: 'x' }, { $mul: { a: 1 } }, 14],
    ['$set through a scalar', { a: 1 }, { $set: { 'a.b': 1 } }, 28],
    ['$set through null', { a: null }, { $set: { 'a.b': 1 } }, 28],
    ['$set a name in an array', { a: [1] }, { $set: { 'a.b': 1 } }, 28],
    ['$inc through text', { a: 'x' }, { $inc: { 'a.b': 1 } }, 28],
    ['$set far beyond an array', { a: [] }, { $set: { 'a.2000000': 1 } }, 34],
    ['empty path', {}, { $set: { '': 1 } }, 56],
    ['empty part', {}, { $set: { 'a..b': 1 } }, 56],
    ['dollar field', {}, { $set: { $a: 1 } }, 52],
    ['dollar part', {}, { $set: { 'a.$b': 1 } }, 52],
    ['positional first', {}, { $set: { $: 1 } }, 2],
    ['positional twice', {}, { $set: { 'a.$.b.$': 1 } }, 2],
    ['positional without match', { a: [1] }, { $set: { 'a.$': 1 } }, 2],
    ['$[] on a scalar', { a: 1 }, { $set: { 'a.$[]': 1 } }, 2],
    ['$[] on missing', {}, { $set: { 'a.$[]': 1 } }, 2],
    ['unknown identifier', { a: [1] }, { $set: { 'a.$[x]': 1 } }, 2],
    ['unused array filter', { a: [1] }, { $set: { a: 1 } }, 9, { arrayFilters: [{ x: 1 }] }],
    ['array filter twice', { a: [1] }, { $set: { 'a.$[x]': 1 } }, 9, { arrayFilters: [{ x: 1 }, { x: 2 }] }],
    ['array filter name', { a: [1] }, { $set: { 'a.$[X]': 1 } }, 2, { arrayFilters: [{ X: 1 }] }],
    ['array filter of two names', { a: [1] }, { $set: { 'a.$[x]': 1 } }, 9, { arrayFilters: [{ x: 1, y: 1 }] }],
    ['array filter empty', { a: [1] }, { $set: { 'a.$[x]': 1 } }, 9, { arrayFilters: [{}] }],
    ['array filter with a pipeline', {}, [{ $set: { a: 1 } }], 9, { arrayFilters: [{ x: 1 }] }],
    ['$push on text', { a: 'x' }, { $push: { a: 1 } }, 2],
    ['$push unknown clause', {}, { $push: { a: { $each: [1], $foo: 1 } } }, 2],
    ['$push $each no array', {}, { $push: { a: { $each: 1 } } }, 2],
    ['$push $slice fraction', {}, { $push: { a: { $each: [], $slice: 1.5 } } }, 2],
    ['$push $sort by two', {}, { $push: { a: { $each: [], $sort: 2 } } }, 2],
    ['$addToSet on a number', { a: 1 }, { $addToSet: { a: 1 } }, 2],
    ['$addToSet clause', {}, { $addToSet: { a: { $each: [], $slice: 1 } } }, 2],
    ['$addToSet $each no array', {}, { $addToSet: { a: { $each: 1 } } }, 14],
    ['$pop two', { a: [] }, { $pop: { a: 2 } }, 9],
    ['$pop on a number', { a: 1 }, { $pop: { a: 1 } }, 14],
    ['$pull on a number', { a: 1 }, { $pull: { a: 1 } }, 2],
    ['$pull unknown operator', { a: [] }, { $pull: { a: { $foo: 1 } } }, 2],
    ['$pullAll no array', { a: [] }, { $pullAll: { a: 1 } }, 2],
    ['$bit on a double', { a: new Double(1) }, { $bit: { a: { and: 1 } } }, 2],
    ['$bit with a double', { a: 1 }, { $bit: { a: { and: new Double(1) } } }, 2],
    ['$bit unknown', { a: 1 }, { $bit: { a: { nand: 1 } } }, 2],
    ['$rename to itself', { a: 1 }, { $rename: { a: 'a' } }, 2],
    ['$rename to a number', { a: 1 }, { $rename: { a: 1 } }, 2],
    ['$rename from an array', { a: [{ b: 1 }] }, { $rename: { 'a.0': 'c' } }, 2],
    ['$rename into an array', { a: [1], b: 1 }, { $rename: { b: 'a.0' } }, 2],
    ['$rename into its own parent', { a: { b: 1 } }, { $rename: { 'a.b': 'a' } }, 2],
    ['$currentDate text', {}, { $currentDate: { a: 'x' } }, 2],
    ['$currentDate type', {}, { $currentDate: { a: { $type: 'time' } } }, 2],
    ['pipeline stage', {}, [{ $match: { a: 1 } }], 72],
    ['pipeline unknown stage', {}, [{ $foo: 1 }], 40324],
  ]
  for (const [name, doc, change, code, options] of refused) {
    it(`refuses: ${name}`, () => expect(failure(() => update(doc, change, options))).to.equal(code))
  }

  it('refuses without disturbing messages for any _id', () => {
    expect(failure(() => update({ _id: { nested: [1] }, a: 'x' }, { $inc: { a: 1 } }))).to.equal(14)
    expect(failure(() => update({ _id: { nested: [1] }, a: 'x' }, { $push: { a: 1 } }))).to.equal(2)
  })
})

describe('engine update: upsert', () => {
  const upsert = (filter: Document, change: Document | Document[]) =>
    upsertDocument(
      parseFilter(stored(filter)),
      compileUpdate(Array.isArray(change) ? change.map(stored) : stored(change)),
      now,
    )

  const cases: readonly (readonly [string, Document, Document | Document[], Document])[] = [
    ['equalities, then the update', { _id: 1, b: 2, a: 1 }, { $set: { c: 3 } }, { _id: 1, a: 1, b: 2, c: 3 }],
    ['$setOnInsert', { _id: 1 }, { $setOnInsert: { n: 1 }, $set: { a: 2 } }, { _id: 1, a: 2, n: 1 }],
    ['$and and $eq', { $and: [{ _id: { $eq: 1 } }, { a: 2 }] }, { $inc: { n: 1 } }, { _id: 1, a: 2, n: 1 }],
    ['ranges give nothing', { _id: 1, a: { $gt: 5 }, b: { $in: [1, 2] } }, { $set: { c: 1 } }, { _id: 1, c: 1 }],
    ['$in of one', { _id: { $in: [1] } }, { $set: { c: 1 } }, { _id: 1, c: 1 }],
    ['$or of one', { $or: [{ _id: 1 }] }, { $set: { c: 1 } }, { _id: 1, c: 1 }],
    ['dotted', { _id: 1, 'a.b': 2, 'a.c': 3 }, { $set: { d: 1 } }, { _id: 1, a: { b: 2, c: 3 }, d: 1 }],
    ['update over equality', { _id: 1, a: 1 }, { $set: { a: 2 } }, { _id: 1, a: 2 }],
    ['_id from the update', { a: 1 }, { $setOnInsert: { _id: 9 } }, { _id: 9, a: 1 }],
    ['replacement takes only _id', { _id: 1, a: 1 }, { b: 2 }, { _id: 1, b: 2 }],
    ['pipeline', { _id: 1, a: 1 }, [{ $set: { b: '$a' } }], { _id: 1, a: 1, b: 1 }],
    [
      'job upsert',
      { name: 'n', type: 'single' },
      { $set: { _id: 5, x: null }, $setOnInsert: { nextRunAt: now } },
      { _id: 5, name: 'n', type: 'single', nextRunAt: now, x: null },
    ],
  ]
  for (const [name, filter, change, expected] of cases) it(name, () => expectSame(upsert(filter, change), expected))

  it('makes an _id first when there is none', () => {
    const doc = upsert({ a: 1 }, { $set: { b: 1 } })
    expect(Object.keys(doc)).to.deep.equal(['_id', 'a', 'b'])
    expect(doc._id).to.be.instanceOf(ObjectId)
  })

  const refused: readonly (readonly [string, Document, Document, number])[] = [
    ['path twice', { $and: [{ a: 1 }, { a: 2 }] }, { $set: { b: 1 } }, 54],
    ['path and below', { a: { b: 1 }, 'a.c': 1 }, { $set: { b: 1 } }, 54],
    ['_id differs', { _id: 1 }, { $set: { _id: 2 } }, 66],
    ['_id differs in the replacement', { _id: 1 }, { _id: 2 }, 66],
    ['_id an array', {}, { $set: { _id: [1] } }, 53],
    ['positional', { a: 1 }, { $set: { 'b.$': 1 } }, 2],
  ]
  for (const [name, filter, change, code] of refused) {
    it(`refuses: ${name}`, () => expect(failure(() => upsert(filter, change))).to.equal(code))
  }
})

describe('engine update: against a plain model', () => {
  type Op = readonly [operator: string, path: string, argument: Value]

  /** The same changes made one path at a time on a copy, without any of the engine's sharing. */
  function model(doc: Document, ops: readonly Op[]): Document {
    const copy = stored(doc)
    for (const [operator, path, argument] of [...ops].sort((a, b) => compareText(a[1], b[1]))) {
      const parts = path.split('.')
      const removes = ['$unset', '$pull', '$pop'].includes(operator)
      const parent = removes ? find(copy, parts) : make(copy, parts)
      if (parent === undefined) continue
      const last = parts.at(-1)!
      const current = parent[last]
      if (removes && current === undefined) continue
      if (operator === '$unset') delete parent[last]
      else if (operator === '$set') parent[last] = argument
      else if (operator === '$inc')
        parent[last] = current === undefined ? argument : addNumbers(current as Int32, argument as Int32).value
      else if (operator === '$mul')
        parent[last] = multiplyNumbers((current as Int32) ?? new Int32(0), argument as Int32).value
      else if (operator === '$min' || operator === '$max') {
        const sign = operator === '$min' ? -1 : 1
        if (current === undefined || compareValues(argument, current) * sign > 0) parent[last] = argument
      } else parent[last] = changedList(operator, (current as Value[]) ?? [], argument)
    }
    return copy
  }
  /** Lists hold numbers alone here. */
  function changedList(operator: string, list: readonly Value[], argument: Value): Value[] {
    if (operator === '$pop') return Number(argument) < 0 ? list.slice(1) : list.slice(0, -1)
    if (operator === '$pull') return list.filter((item) => compareValues(item, argument) !== 0)
    const { $each, $position, $slice, $sort } = isDocument(argument) ? argument : stored({ $each: [argument] })
    const items = $each as readonly Value[]
    if (operator === '$addToSet') {
      const fresh = items.filter((item, i) =>
        [...list, ...items.slice(0, i)].every((known) => compareValues(known, item) !== 0),
      )
      return [...list, ...fresh]
    }
    const result = list.toSpliced($position === undefined ? list.length : Number($position), 0, ...items)
    if ($sort !== undefined) result.sort((a, b) => compareValues(a, b) * Number($sort))
    if ($slice === undefined) return result
    const count = Number($slice)
    return count < 0 ? result.slice(count) : result.slice(0, count)
  }
  function find(doc: Document, parts: readonly string[]): Document | undefined {
    let at: Value | undefined = doc
    for (const part of parts.slice(0, -1)) at = isDocument(at) ? at[part] : undefined
    return isDocument(at) ? at : undefined
  }
  function make(doc: Document, parts: readonly string[]): Document {
    let at = doc
    for (const part of parts.slice(0, -1)) {
      at[part] ??= stored({})
      at = at[part] as Document
    }
    return at
  }

  /** All four types, where sums and products stay exact. */
  const number: fc.Arbitrary<Value> = fc.oneof(
    fc.integer({ min: -9, max: 9 }).map((n): Value => new Int32(n)),
    fc.integer({ min: -9, max: 9 }).map((n): Value => Long.fromNumber(n)),
    fc.integer({ min: -9, max: 9 }).map((n): Value => new Double(n / 2)),
    fc.integer({ min: -99, max: 99 }).map((n): Value => Decimal128.fromString(`${n}E-1`)),
  )
  // Each field has one type throughout, so that every update is viable.
  const op: fc.Arbitrary<Op> = fc.oneof(
    fc.tuple(
      fc.constant('$set'),
      fc.constantFrom('s', 'd.s', 'd.e.s', 'e.s'),
      fc.string({ maxLength: 3 }) as fc.Arbitrary<Value>,
    ),
    fc.tuple(fc.constant('$inc'), fc.constantFrom('n', 'd.n', 'd.e.n'), number),
    fc.tuple(fc.constantFrom('$mul', '$min', '$max'), fc.constantFrom('n', 'd.n', 'm'), number),
    fc.tuple(fc.constantFrom('$push', '$addToSet'), fc.constantFrom('p', 'd.p'), number),
    fc.tuple(
      fc.constant('$push'),
      fc.constantFrom('p', 'd.p'),
      fc
        .record(
          {
            $each: fc.array(number, { maxLength: 3 }),
            $position: fc.integer({ min: -2, max: 3 }),
            $slice: fc.integer({ min: -3, max: 3 }),
            $sort: fc.constantFrom(1, -1),
          },
          { requiredKeys: ['$each'] },
        )
        .map((spec): Value => stored(spec)),
    ),
    fc.tuple(
      fc.constant('$addToSet'),
      fc.constantFrom('p', 'd.p'),
      fc.array(number, { maxLength: 3 }).map(($each): Value => stored({ $each })),
    ),
    fc.tuple(fc.constant('$pull'), fc.constant('q'), number),
    fc.tuple(fc.constant('$push'), fc.constant('q'), number),
    fc.tuple(fc.constant('$pop'), fc.constant('q'), fc.constantFrom<Value>(1, -1)),
    fc.tuple(
      fc.constant('$unset'),
      fc.constantFrom('s', 'n', 'p', 'd.s', 'd.e.s', 'd.q', 'x.y'),
      fc.constant<Value>(''),
    ),
  )

  it('random sequences of updates agree', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uniqueArray(op, { selector: ([, path]) => path, minLength: 1, maxLength: 6 }), { maxLength: 8 }),
        (steps) => {
          let actual = stored({ _id: 1 })
          let expected = stored({ _id: 1 })
          for (const ops of steps) {
            const change: Document = {}
            for (const [operator, path, argument] of ops) {
              change[operator] ??= {}
              ;(change[operator] as Document)[path] = argument
            }
            actual = stored(update(actual, change).doc)
            expected = model(expected, ops)
            expectSame(actual, expected)
          }
        },
      ),
      { numRuns: 500 },
    )
  })

  const list = fc.array(number, { maxLength: 5 })

  it('a path with an array filter, $[] or $ changes the elements a plain loop would', () => {
    fc.assert(
      fc.property(list, number, number, (p, least, by) => {
        const doc = stored({ _id: 1, p })
        const wanted = (item: Value) => compareValues(item, least) >= 0
        const added = (item: Value) => addNumbers(item as Int32, by as Int32).value
        const having = (change: (item: Value, i: number) => Value) => stored({ _id: 1, p: p.map(change) })
        const filters = { arrayFilters: [stored({ i: { $gte: least } })] }
        expectSame(
          stored(update(doc, { $inc: { 'p.$[i]': by } }, filters).doc),
          having((item) => (wanted(item) ? added(item) : item)),
        )
        expectSame(stored(update(doc, { $inc: { 'p.$[]': by } }).doc), having(added))
        const first = p.findIndex(wanted)
        if (first < 0) return
        const { positional } = compileFilter(parseFilter(stored({ p: { $gte: least } })))
        const change = compileUpdate(stored({ $inc: { 'p.$': by } }))
        const { doc: result } = change.apply(doc, { now, positional: positional(doc) })
        expectSame(
          stored(result),
          having((item, i) => (i === first ? added(item) : item)),
        )
      }),
      { numRuns: 300 },
    )
  })

  it('a pipeline says the same as the operators', () => {
    fc.assert(
      fc.property(number, number, list, (n, by, p) => {
        const doc = stored({ _id: 1, n, p, d: { n } })
        const pairs: readonly (readonly [Document, Document])[] = [
          [{ $inc: { n: by, 'd.n': by } }, { $set: { n: { $add: ['$n', by] }, 'd.n': { $add: ['$d.n', by] } } }],
          [{ $mul: { n: by } }, { $set: { n: { $multiply: ['$n', by] } } }],
          [{ $set: { 'd.m': p } }, { $set: { 'd.m': '$p' } }],
          [{ $unset: { 'd.n': '' } }, { $unset: 'd.n' }],
          [{ $push: { p: by } }, { $set: { p: { $concatArrays: ['$p', [by]] } } }],
          [{ $pull: { p: by } }, { $set: { p: { $filter: { input: '$p', cond: { $ne: ['$$this', by] } } } } }],
        ]
        for (const [operators, stage] of pairs) {
          expectSame(stored(update(doc, operators).doc), stored(update(doc, [stage]).doc))
        }
      }),
      { numRuns: 200 },
    )
  })
})
