import { BSONRegExp, Decimal128, Double, Int32, Long, ObjectId } from 'bson'
import { expect } from 'chai'
import { evaluate } from '../../engine/aggregate/expression.ts'
import { compilePipeline, type Source } from '../../engine/aggregate/pipeline.ts'
import { constantsAt } from '../../engine/aggregate/scope.ts'
import type { Documents } from '../../engine/aggregate/stages.ts'
import { identicalValues } from '../../engine/bson/compare.ts'
import { decode } from '../../engine/bson/decode.ts'
import type { Document, Value } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { compileFilter } from '../../engine/match/compile.ts'
import { parseFilter } from '../../engine/match/parse.ts'
import { compileSort } from '../../engine/sort/sort.ts'
import { failure } from './values.ts'

const now = new Date('2024-05-06T07:08:09.123Z')
const stored = (doc: Document) => decode(encode(doc))
/** A field that an object literal had better not have. */
const then = (before: Document, value: Value, after: Document = {}): Document => ({
  ...before,
  ...Object.fromEntries([['then', value]]),
  ...after,
})
const long = (text: string) => Long.fromString(text)
const decimal = (text: string) => Decimal128.fromString(text)
const oid = new ObjectId('65f000000000000000000001')

function evaluated(expression: Value, doc: Document = {}): Value | undefined {
  return evaluate(stored({ e: expression }).e!, stored(doc), constantsAt(now))
}

describe('engine aggregate: expressions', () => {
  const doc: Document = {
    a: 5,
    b: [1, 2, 3],
    c: { d: 'x' },
    docs: [{ k: 1 }, { k: 2 }, { z: 3 }],
    s: 'Héllo',
    when: now,
    n: null,
  }
  type Case = readonly [name: string, expression: Value, expected: Value | undefined]
  const cases: readonly Case[] = [
    ['path', '$c.d', 'x'],
    ['path through an array', '$docs.k', [1, 2]],
    ['path missing', '$nope', undefined],
    ['path in a list is null', ['$nope', 1], [null, 1]],
    ['document', { x: '$a', y: '$nope' }, { x: 5 }],
    ['$$ROOT', '$$ROOT.a', 5],
    ['$$NOW', '$$NOW', now],
    ['$literal', { $literal: '$a' }, '$a'],
    ['$add', { $add: ['$a', 1, 2] }, 8],
    ['$add overflow to int64', { $add: [2147483647, 1] }, long('2147483648')],
    ['$add int64 overflow to double', { $add: [long('9223372036854775807'), 1] }, new Double(2 ** 63)],
    ['$add null', { $add: ['$nope', 1] }, null],
    ['$add date', { $add: ['$when', 1000] }, new Date(now.getTime() + 1000)],
    ['$add decimal', { $add: [decimal('0.1'), decimal('0.2')] }, decimal('0.3')],
    ['$subtract dates', { $subtract: ['$when', new Date(now.getTime() - 5)] }, long('5')],
    ['$subtract', { $subtract: [1, 3] }, -2],
    ['$multiply', { $multiply: [3, new Double(1.5)] }, new Double(4.5)],
    ['$divide', { $divide: [6, 4] }, new Double(1.5)],
    ['$divide decimal', { $divide: [decimal('1'), decimal('3')] }, decimal('0.3333333333333333333333333333333333')],
    ['$mod', { $mod: [-7, 3] }, -1],
    ['$abs', { $abs: -4 }, 4],
    ['$ceil', { $ceil: new Double(1.2) }, new Double(2)],
    ['$floor decimal', { $floor: decimal('-1.2') }, decimal('-2')],
    ['$round half even', { $round: new Double(2.5) }, new Double(2)],
    ['$round place', { $round: [new Double(1.235), 2] }, new Double(1.24)],
    ['$round int', { $round: [155, -1] }, 160],
    ['$trunc', { $trunc: [new Double(1.29), 1] }, new Double(1.2)],
    ['$sqrt', { $sqrt: 16 }, new Double(4)],
    ['$pow', { $pow: [2, 10] }, 1024],
    ['$eq types', { $eq: [5, new Double(5)] }, true],
    ['$gt across types', { $gt: ['x', 5] }, true],
    ['missing is below null', { $lt: ['$nope', null] }, true],
    ['$cmp', { $cmp: [1, 2] }, -1],
    ['$and', { $and: [1, '$a', []] }, true],
    ['$and empty', { $and: [] }, true],
    ['$or', { $or: [0, null, '$nope'] }, false],
    ['$not', { $not: [0] }, true],
    ['$cond list', { $cond: [{ $gt: ['$a', 3] }, 'big', 'small'] }, 'big'],
    ['$cond named', { $cond: then({ if: false }, 1, { else: 2 }) }, 2],
    ['$ifNull', { $ifNull: ['$nope', '$n', 7] }, 7],
    [
      '$switch',
      {
        $switch: {
          branches: [then({ case: { $eq: ['$a', 1] } }, 1), then({ case: true }, 2)],
        },
      },
      2,
    ],
    ['$switch default', { $switch: { branches: [then({ case: false }, 1)], default: 9 } }, 9],
    ['$let', { $let: { vars: { x: 2, y: '$a' }, in: { $add: ['$$x', '$$y'] } } }, 7],
    ['$concat', { $concat: ['a', '$c.d'] }, 'ax'],
    ['$concat null', { $concat: ['a', '$nope'] }, null],
    ['$toUpper is ASCII', { $toUpper: '$s' }, 'HéLLO'],
    ['$toLower', { $toLower: 'ABC' }, 'abc'],
    ['$strLenCP', { $strLenCP: '\u{1f600}é' }, 2],
    ['$strLenBytes', { $strLenBytes: 'é' }, 2],
    ['$substrCP', { $substrCP: ['$s', 1, 2] }, 'él'],
    ['$substrBytes', { $substrBytes: ['$s', 0, 3] }, 'Hé'],
    ['$indexOfCP', { $indexOfCP: ['$s', 'l'] }, 2],
    ['$split', { $split: ['a-b', '-'] }, ['a', 'b']],
    ['$trim', { $trim: { input: '  x ' } }, 'x'],
    ['$ltrim chars', { $ltrim: { input: 'xxa', chars: 'x' } }, 'a'],
    ['$regexMatch', { $regexMatch: { input: '$s', regex: new BSONRegExp('^h', 'i') } }, true],
    ['$strcasecmp', { $strcasecmp: ['a', 'B'] }, -1],
    ['$map', { $map: { input: '$b', as: 'x', in: { $multiply: ['$$x', 2] } } }, [2, 4, 6]],
    ['$filter', { $filter: { input: '$b', cond: { $gt: ['$$this', 1] } } }, [2, 3]],
    ['$filter limit', { $filter: { input: '$b', cond: true, limit: 1 } }, [1]],
    ['$reduce', { $reduce: { input: '$b', initialValue: 0, in: { $add: ['$$value', '$$this'] } } }, 6],
    ['$concatArrays', { $concatArrays: ['$b', [9]] }, [1, 2, 3, 9]],
    ['$slice', { $slice: ['$b', -2] }, [2, 3]],
    ['$slice three', { $slice: ['$b', 1, 1] }, [2]],
    ['$in', { $in: [2, '$b'] }, true],
    ['$size', { $size: '$b' }, 3],
    ['$arrayElemAt', { $arrayElemAt: ['$b', -1] }, 3],
    ['$arrayElemAt beyond', { $arrayElemAt: ['$b', 9] }, undefined],
    ['$first', { $first: '$b' }, 1],
    ['$isArray', { $isArray: ['$b'] }, true],
    ['$reverseArray', { $reverseArray: '$b' }, [3, 2, 1]],
    ['$indexOfArray', { $indexOfArray: ['$b', 3] }, 2],
    ['$range', { $range: [0, 5, 2] }, [0, 2, 4]],
    ['$sortArray', { $sortArray: { input: '$b', sortBy: -1 } }, [3, 2, 1]],
    ['$setUnion', { $setUnion: ['$b', [3, 4]] }, [1, 2, 3, 4]],
    ['$setIntersection', { $setIntersection: ['$b', [new Double(3), 4]] }, [3]],
    ['$setDifference', { $setDifference: ['$b', [3]] }, [1, 2]],
    [
      '$setEquals',
      {
        $setEquals: [
          [1, 2],
          [2, 1, 1],
        ],
      },
      true,
    ],
    ['$setIsSubset', { $setIsSubset: [[1], '$b'] }, true],
    ['$allElementsTrue', { $allElementsTrue: [[1, true]] }, true],
    ['$mergeObjects', { $mergeObjects: ['$c', { e: 1 }, null] }, { d: 'x', e: 1 }],
    ['$objectToArray', { $objectToArray: '$c' }, [{ k: 'd', v: 'x' }]],
    ['$arrayToObject literal', { $arrayToObject: { $literal: [{ k: 'a', v: 1 }] } }, { a: 1 }],
    ['$getField', { $getField: { field: 'd', input: '$c' } }, 'x'],
    ['$getField with a dollar', { $getField: { field: { $literal: '$p' }, input: { $literal: { $p: 1 } } } }, 1],
    ['$setField', { $setField: { field: 'e', input: '$c', value: 1 } }, { d: 'x', e: 1 }],
    ['$setField removes', { $setField: { field: 'd', input: '$c', value: '$$REMOVE' } }, {}],
    ['$sum of a list', { $sum: '$b' }, 6],
    ['$avg', { $avg: '$b' }, new Double(2)],
    ['$max', { $max: ['$a', 9, 'x'] }, 'x'],
    ['$year', { $year: '$when' }, 2024],
    ['$month', { $month: { date: '$when' } }, 5],
    ['$dayOfWeek', { $dayOfWeek: '$when' }, 2],
    ['$dayOfYear', { $dayOfYear: '$when' }, 127],
    [
      '$dateToString',
      { $dateToString: { date: '$when', format: '%Y-%m-%d %H:%M:%S.%L%%' } },
      '2024-05-06 07:08:09.123%',
    ],
    ['$dateToString default', { $dateToString: { date: '$when' } }, '2024-05-06T07:08:09.123Z'],
    [
      '$dateAdd month',
      { $dateAdd: { startDate: new Date('2024-01-31T00:00:00Z'), unit: 'month', amount: 1 } },
      new Date('2024-02-29T00:00:00Z'),
    ],
    [
      '$dateSubtract hour',
      { $dateSubtract: { startDate: '$when', unit: 'hour', amount: 1 } },
      new Date(now.getTime() - 3600000),
    ],
    [
      '$dateDiff day',
      { $dateDiff: { startDate: new Date('2024-05-05T23:00:00Z'), endDate: '$when', unit: 'day' } },
      long('1'),
    ],
    ['$type', { $type: '$a' }, 'int'],
    ['$type objectId', { $type: { $literal: oid } }, 'objectId'],
    ['$type missing', { $type: '$nope' }, 'missing'],
    ['$toString of an object id', { $toString: oid }, oid.toHexString()],
    ['$toString date', { $toString: '$when' }, '2024-05-06T07:08:09.123Z'],
    ['$toInt', { $toInt: '42' }, 42],
    ['$toLong', { $toLong: new Double(3.9) }, long('3')],
    ['$toDouble', { $toDouble: '1.5' }, new Double(1.5)],
    ['$toDecimal', { $toDecimal: '1.50' }, decimal('1.50')],
    ['$toBool', { $toBool: 0 }, false],
    ['$toDate', { $toDate: '2024-05-06' }, new Date('2024-05-06')],
    ['$toObjectId', { $toObjectId: oid.toHexString() }, oid],
    ['$convert onError', { $convert: { input: 'x', to: 'int', onError: -1 } }, -1],
    ['$convert onNull', { $convert: { input: null, to: 'int', onNull: 0 } }, 0],
    ['$isNumber', { $isNumber: '$a' }, true],
    ['$bsonSize', { $bsonSize: { $literal: { a: new Int32(1) } } }, 12],
  ]
  for (const [name, expression, expected] of cases) {
    it(name, () => {
      const actual = evaluated(expression, doc)
      const same =
        actual === undefined || expected === undefined
          ? actual === expected
          : identicalValues(actual, stored({ v: expected }).v)
      expect(same, `${JSON.stringify(actual)}`).to.equal(true)
    })
  }

  it('takes replacement text as it is', () => {
    expect(evaluated({ $replaceAll: { input: 'a.a', find: 'a', replacement: { $literal: '$&' } } })).to.equal('$&.$&')
  })
  it('sums int64 exactly', () => {
    expect(String(evaluated({ $sum: '$v' }, { v: [long('9007199254740993'), new Int32(1)] }))).to.equal(
      '9007199254740994',
    )
  })

  const refused: readonly (readonly [string, Value, number])[] = [
    ['unknown operator', { $foo: 1 }, 168],
    ['$function', { $function: {} }, 168],
    ['two operators', { $add: [1], $subtract: [1, 2] }, 15983],
    ['unknown variable', '$$x', 17276],
    ['variable outside its operator', [{ $let: { vars: { x: 1 }, in: '$$x' } }, '$$x'], 17276],
    ['wrong number of arguments', { $subtract: [1] }, 16020],
    ['$add text', { $add: ['x', 1] }, 14],
    ['$divide by zero', { $divide: [1, 0] }, 2],
    ['$mod by zero', { $mod: [1, 0] }, 16610],
    ['$concat number', { $concat: [1] }, 16702],
    ['$size of a number', { $size: 1 }, 17124],
    ['$in a number', { $in: [1, 1] }, 40081],
    ['$slice zero limit', { $slice: [[1], 0, 0] }, 28729],
    ['$cond unknown part', { $cond: then({ if: 1 }, 1, { otherwise: 1 }) }, 17083],
    ['$switch nothing fits', { $switch: { branches: [then({ case: false }, 1)] } }, 40066],
    ['$toInt text', { $toInt: 'x' }, 241],
    ['$toInt range', { $toInt: new Double(1e12) }, 241],
    ['$toObjectId short', { $toObjectId: '12' }, 241],
    ['time zone', { $year: { date: new Date(0), timezone: 'Europe/Paris' } }, 40485],
    ['$range too long', { $range: [0, 2147483647] }, 146],
    ['field name with a dot', { 'a.b': 1 }, 16412],
    ['path with empty part', '$a..b', 15998],
  ]
  for (const [name, expression, code] of refused)
    it(`refuses: ${name}`, () => expect(failure(() => evaluated(expression))).to.equal(code))

  it('refuses endless nesting', () => {
    let expression: Value = 1
    for (let level = 0; level < 150; level++) expression = { $not: [expression] }
    expect(failure(() => evaluate(expression, {}))).to.equal(2)
  })
})

describe('engine aggregate: pipelines', () => {
  const collections: Readonly<Record<string, readonly Document[]>> = {
    orders: [
      { _id: 1, who: 'a', n: 5, tags: ['x', 'y'] },
      { _id: 2, who: 'b', n: 3, tags: [] },
      { _id: 3, who: 'a', n: 1 },
      { _id: 4, who: 'c', n: 9, tags: 'z' },
    ],
    people: [
      { _id: 'a', name: 'Ann', level: 2 },
      { _id: 'b', name: 'Bob', level: 1 },
    ],
  }

  const source: Source = {
    find: (collection, filter) => {
      const { matches } = compileFilter(parseFilter(filter))
      return (collections[collection] ?? []).map(stored).filter(matches)
    },
    sessions: () => [],
  }

  /** Runs a pipeline as the server does: the leading part first. */
  function run(stages: Document[], collection = 'orders'): Document[] {
    const pipeline = compilePipeline(stages.map(stored), constantsAt(now))
    const { filter, sort, skip = 0, limit = Infinity } = pipeline.leading
    let input = documents(source.find(collection, filter ?? {}))
    if (sort) input = input.sort(compileSort(sort))
    return documents(pipeline.run(input.slice(skip, skip + limit), source))
  }

  const documents = (found: Documents) => [...found].filter((doc) => doc !== undefined)

  const cases: readonly (readonly [string, Document[], Document[]])[] = [
    ['nothing', [], collections.orders as Document[]],
    [
      '$match $sort $skip $limit',
      [{ $match: { n: { $gt: 1 } } }, { $sort: { n: 1 } }, { $skip: 1 }, { $limit: 1 }, { $project: { n: 1 } }],
      [{ _id: 1, n: 5 }],
    ],
    [
      '$limit before $skip',
      [{ $sort: { _id: 1 } }, { $limit: 2 }, { $skip: 1 }, { $project: { _id: 1 } }],
      [{ _id: 2 }],
    ],
    ['$match after $project', [{ $project: { who: 1 } }, { $match: { who: 'b' } }], [{ _id: 2, who: 'b' }]],
    ['two leading $match', [{ $match: { who: 'a' } }, { $match: { n: 1 } }, { $project: { _id: 1 } }], [{ _id: 3 }]],
    [
      '$project keeps _id first',
      [{ $match: { _id: 1 } }, { $project: { m: '$n', who: 1 } }],
      [{ _id: 1, who: 'a', m: 5 }],
    ],
    [
      '$addFields',
      [{ $match: { _id: 3 } }, { $addFields: { 'd.e': 1, n: { $add: ['$n', 1] } } }],
      [{ _id: 3, who: 'a', n: 2, d: { e: 1 } }],
    ],
    ['$set removes with $$REMOVE', [{ $match: { _id: 3 } }, { $set: { n: '$$REMOVE' } }], [{ _id: 3, who: 'a' }]],
    ['$unset', [{ $match: { _id: 3 } }, { $unset: ['n', 'who'] }], [{ _id: 3 }]],
    [
      '$group',
      [
        {
          $group: {
            _id: '$who',
            total: { $sum: '$n' },
            many: { $count: {} },
            ids: { $push: '$_id' },
            first: { $first: '$n' },
            most: { $max: '$n' },
          },
        },
        { $sort: { _id: 1 } },
      ],
      [
        { _id: 'a', total: 6, many: 2, ids: [1, 3], first: 5, most: 5 },
        { _id: 'b', total: 3, many: 1, ids: [2], first: 3, most: 3 },
        { _id: 'c', total: 9, many: 1, ids: [4], first: 9, most: 9 },
      ],
    ],
    [
      '$group of all',
      [{ $group: { _id: null, mean: { $avg: '$n' }, set: { $addToSet: '$who' } } }],
      [{ _id: null, mean: new Double(4.5), set: ['a', 'b', 'c'] }],
    ],
    [
      '$group as countDocuments',
      [{ $match: { who: 'a' } }, { $group: { _id: 1, n: { $sum: 1 } } }],
      [{ _id: 1, n: 2 }],
    ],
    ['$group of distinct names', [{ $group: { _id: '$who' } }], [{ _id: 'a' }, { _id: 'b' }, { _id: 'c' }]],
    ['$count', [{ $match: { n: { $gt: 1 } } }, { $count: 'n' }], [{ n: 3 }]],
    ['$count of nothing', [{ $match: { n: 99 } }, { $count: 'n' }], []],
    [
      '$unwind',
      [{ $unwind: '$tags' }, { $project: { tags: 1 } }],
      [
        { _id: 1, tags: 'x' },
        { _id: 1, tags: 'y' },
        { _id: 4, tags: 'z' },
      ],
    ],
    [
      '$unwind with index, keeping',
      [
        { $match: { _id: { $lt: 3 } } },
        { $unwind: { path: '$tags', includeArrayIndex: 'i', preserveNullAndEmptyArrays: true } },
        { $project: { tags: 1, i: 1 } },
      ],
      [
        { _id: 1, tags: 'x', i: long('0') },
        { _id: 1, tags: 'y', i: long('1') },
        { _id: 2, i: null },
      ],
    ],
    ['$replaceRoot', [{ $match: { _id: 1 } }, { $replaceRoot: { newRoot: { x: '$n' } } }], [{ x: 5 }]],
    ['$sortByCount', [{ $sortByCount: '$who' }, { $limit: 1 }], [{ _id: 'a', count: 2 }]],
    [
      '$facet',
      [{ $facet: { one: [{ $count: 'n' }], two: [{ $match: { n: 1 } }, { $project: { _id: 1 } }] } }],
      [{ one: [{ n: 4 }], two: [{ _id: 3 }] }],
    ],
    [
      '$lookup',
      [
        { $match: { n: { $gte: 5 } } },
        { $lookup: { from: 'people', localField: 'who', foreignField: '_id', as: 'p' } },
        { $project: { 'p.name': 1 } },
      ],
      [
        { _id: 1, p: [{ name: 'Ann' }] },
        { _id: 4, p: [] },
      ],
    ],
    [
      '$lookup with a pipeline and variables',
      [
        { $match: { _id: 1 } },
        {
          $lookup: {
            from: 'people',
            let: { most: '$n' },
            pipeline: [
              { $match: { $expr: { $lt: ['$level', '$$most'] } } },
              { $match: { level: 1 } },
              { $project: { _id: 1 } },
            ],
            as: 'p',
          },
        },
        { $project: { p: 1 } },
      ],
      [{ _id: 1, p: [{ _id: 'b' }] }],
    ],
    [
      '$lookup with both',
      [
        { $match: { _id: 1 } },
        {
          $lookup: {
            from: 'people',
            localField: 'who',
            foreignField: '_id',
            pipeline: [{ $match: { level: 2 } }, { $project: { name: 1, _id: 0 } }],
            as: 'p',
          },
        },
        { $project: { p: 1 } },
      ],
      [{ _id: 1, p: [{ name: 'Ann' }] }],
    ],
  ]
  for (const [name, stages, expected] of cases) {
    it(name, () => {
      const actual = run(stages)
      expect(identicalValues(actual, stored({ v: expected }).v), JSON.stringify(actual)).to.equal(true)
    })
  }

  it('hands the planner what it can serve, once', () => {
    const stages: Document[] = [
      { $match: { a: 1 } },
      { $match: { b: 2 } },
      { $sort: { c: 1 } },
      { $skip: 3 },
      { $limit: 4 },
      { $limit: 2 },
    ]
    const { leading, run: rest } = compilePipeline(stages, constantsAt(now))
    expect(leading.filter).to.deep.equal({ $and: [{ a: 1 }, { b: 2 }] })
    expect(leading.sort).to.deep.equal({ c: 1 })
    expect([leading.skip, leading.limit]).to.deep.equal([3, 4])
    expect([...rest([{ a: 9 }, { a: 8 }, { a: 7 }], source)]).to.deep.equal([{ a: 9 }, { a: 8 }])
  })

  it('recognizes a plain count', () => {
    const count = (stages: Document[]) => compilePipeline(stages, constantsAt(now)).countOnly
    expect(count([{ $match: {} }, { $group: { _id: 1, n: { $sum: 1 } } }])).to.deep.equal({ field: 'n', id: 1 })
    expect(count([{ $match: {} }, { $count: 'x' }])).to.deep.equal({ field: 'x', id: undefined })
    expect(count([{ $group: { _id: '$a', n: { $sum: 1 } } }])).to.equal(undefined)
    expect(count([{ $group: { _id: 1, n: { $sum: '$a' } } }])).to.equal(undefined)
    expect(count([{ $project: { a: 1 } }, { $count: 'x' }])).to.equal(undefined)
  })

  it('stops reading at $limit', () => {
    let read = 0
    function* endless() {
      for (;;) yield { _id: read++ } as Document
    }
    const { run: rest } = compilePipeline([{ $project: { _id: 1 } }, { $limit: 3 }], constantsAt(now))
    expect([...rest(endless(), source)]).to.have.length(3)
    expect(read).to.be.at.most(4)
  })

  const refused: readonly (readonly [string, Document[], number])[] = [
    ['unknown stage', [{ $foo: 1 }], 40324],
    ['$out before the end', [{ $out: 'x' }, { $match: {} }], 40601],
    ['$merge in a $facet', [{ $facet: { a: [{ $merge: 'x' }] } }], 40600],
    ['$merge in a $lookup', [{ $lookup: { from: 'x', as: 'y', pipeline: [{ $merge: 'x' }] } }], 51047],
    ['$merge without into', [{ $merge: {} }], 40414],
    ['$merge, an unknown option', [{ $merge: { into: 'x', how: 1 } }], 40415],
    ['$merge on nothing', [{ $merge: { into: 'x', on: [] } }], 51187],
    ['$merge, let without a pipeline', [{ $merge: { into: 'x', let: { a: 1 } } }], 51199],
    ['$merge, a pipeline that groups', [{ $merge: { into: 'x', whenMatched: [{ $group: { _id: 1 } }] } }], 72],
    ['$merge, fail and discard', [{ $merge: { into: 'x', whenMatched: 'fail', whenNotMatched: 'discard' } }], 51181],
    ['$out, a time series', [{ $out: { db: 'd', coll: 'x', timeseries: {} } }], 40415],
    ['$documents later', [{ $match: {} }, { $documents: [] }], 40602],
    ['change stream', [{ $changeStream: {} }], 40573],
    ['two names', [{ $match: {}, $limit: 1 }], 40323],
    ['no name', [{}], 40323],
    ['$match a number', [{ $match: 1 }], 15959],
    ['$sort empty', [{ $sort: {} }], 15976],
    ['$limit zero', [{ $limit: 0 }], 15958],
    ['$limit text', [{ $limit: 'x' }], 5107201],
    ['$skip negative', [{ $skip: -1 }], 5107200],
    ['$project empty', [{ $project: {} }], 51272],
    ['$addFields empty', [{ $addFields: {} }], 40177],
    ['$group without _id', [{ $group: { n: { $sum: 1 } } }], 15955],
    ['$group unknown accumulator', [{ $group: { _id: 1, n: { $foo: 1 } } }], 15952],
    ['$group plain field', [{ $group: { _id: 1, n: 1 } }], 40234],
    ['$group $accumulator', [{ $group: { _id: 1, n: { $accumulator: {} } } }], 15952],
    ['$count empty', [{ $count: '' }], 40157],
    ['$unwind without dollar', [{ $unwind: 'a' }], 28818],
    ['$replaceRoot of a number', [{ $replaceRoot: { newRoot: '$n' } }], 40228],
    ['$facet in $facet', [{ $facet: { a: [{ $facet: { b: [] } }] } }], 40600],
    ['$lookup unknown argument', [{ $lookup: { from: 'x', as: 'y', foo: 1 } }], 9],
    ['$lookup without fields', [{ $lookup: { from: 'x', as: 'y' } }], 9],
    [
      '$lookup with a bad pipeline',
      [{ $match: { _id: 99 } }, { $lookup: { from: 'x', as: 'y', pipeline: [{ $foo: 1 }] } }],
      40324,
    ],
  ]
  for (const [name, stages, code] of refused)
    it(`refuses: ${name}`, () => expect(failure(() => run(stages))).to.equal(code))
})
