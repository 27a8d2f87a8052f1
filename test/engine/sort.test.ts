import { Binary, Int32, Long, MinKey, ObjectId } from 'bson'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Document, Value } from '../../engine/bson/document.ts'
import { compileIndex } from '../../engine/bson/entries.ts'
import { compileSort, compileSortKey } from '../../engine/sort/sort.ts'
import { anyIndexable, failure } from './values.ts'

const sorted = (spec: Document, docs: readonly Document[]) => [...docs].sort(compileSort(spec))

describe('engine sort', () => {
  const cases: readonly (readonly [string, Document, readonly Document[]])[] = [
    ['ascending', { a: 1 }, [{ a: 1 }, { a: 2 }]],
    ['descending', { a: -1 }, [{ a: 2 }, { a: 1 }]],
    ['missing counts as null', { a: 1 }, [{ a: new MinKey() }, {}, { a: 0 }]],
    ['an empty array before null', { a: 1 }, [{ a: new MinKey() }, { a: [] }, { a: null }, { a: 0 }]],
    [
      'types in order',
      { a: 1 },
      [
        { a: 1 },
        { a: 'x' },
        { a: {} },
        { a: new Binary(Buffer.from('x')) },
        { a: new ObjectId() },
        { a: true },
        { a: new Date() },
      ],
    ],
    [
      'int64 beyond 2^53',
      { a: 1 },
      [{ a: Long.fromString('9007199254740992') }, { a: Long.fromString('9007199254740993') }],
    ],
    ['arrays ascending by their least', { a: 1 }, [{ a: [1, 9] }, { a: 2 }, { a: [3, 4] }]],
    ['arrays descending by their greatest', { a: -1 }, [{ a: [1, 9] }, { a: [3, 4] }, { a: 2 }]],
    ['paths through arrays', { 'a.b': 1 }, [{ a: [{ b: 5 }, { b: 1 }] }, { a: { b: 2 } }]],
    ['numeric part', { 'a.1': 1 }, [{ a: [9, 1] }, { a: [1, 2] }]],
    [
      'compound',
      { a: 1, b: -1 },
      [
        { a: 1, b: 2 },
        { a: 1, b: 1 },
        { a: 2, b: 9 },
      ],
    ],
    [
      'fields of one array: by the first of what its elements give together',
      { 'a.b': 1, 'a.c': 1 },
      [
        { a: [{ b: 1, c: 2 }] },
        {
          a: [
            { b: 1, c: 5 },
            { b: 2, c: 1 },
          ],
        },
        { a: [{ b: 1, c: 6 }] },
      ],
    ],
    [
      'fields of one array, one of them descending',
      { 'a.b': 1, 'a.c': -1 },
      [
        { a: [{ b: 1, c: 9 }] },
        {
          a: [
            { b: 1, c: 5 },
            { b: 2, c: 99 },
          ],
        },
        { a: [{ b: 1, c: 4 }] },
      ],
    ],
    [
      'an array and a field beside it',
      { a: -1, b: 1 },
      [
        { a: [1, 9], b: 1 },
        { a: 9, b: 2 },
        { a: [3, 4], b: 0 },
      ],
    ],
    [
      'fields of an array without elements',
      { 'a.b': 1, 'a.c': 1 },
      [{ a: [] }, { a: [{ b: 1 }] }, { a: [{ b: 1, c: 0 }] }],
    ],
    ['text by code points', { a: 1 }, [{ a: '\uffee' }, { a: '\u{10000}' }]],
    ['nested missing', { 'a.b': -1 }, [{ a: { b: 1 } }, { a: 1 }]],
  ]
  for (const [name, spec, expected] of cases) {
    it(name, () => {
      expect(sorted(spec, expected.toReversed())).to.deep.equal(expected)
      expect(sorted(spec, expected)).to.deep.equal(expected)
    })
  }

  it('is stable', () => {
    const docs = [
      { a: 1, n: 1 },
      { a: new Int32(1), n: 2 },
      { a: 1, n: 3 },
    ]
    expect(sorted({ a: 1 }, docs)).to.deep.equal(docs)
  })

  it('agrees with index keys where there are no arrays at the end', () => {
    const scalar = anyIndexable.filter((value: Value) => !Array.isArray(value))
    const spec = compileSortKey({ a: 1, b: -1 })
    const index = compileIndex([
      ['a', 1],
      ['b', -1],
    ])
    fc.assert(
      fc.property(scalar, scalar, scalar, scalar, (a, b, c, d) => {
        const x = { a, b }
        const y = { a: c, b: d }
        const bySort = Math.sign(spec.compareKeys(spec.key(x), spec.key(y)))
        expect(Buffer.compare(index(x).keys[0]!, index(y).keys[0]!)).to.equal(bySort === 0 ? 0 : bySort)
      }),
      { numRuns: 500 },
    )
  })

  const refused: readonly (readonly [string, Document, number])[] = [
    ['direction 2', { a: 2 }, 15975],
    ['direction text', { a: 'x' }, 15974],
    ['$meta', { a: { $meta: 'textScore' } }, 2],
    ['empty part', { 'a..b': 1 }, 15998],
    ['empty last part', { 'a.': 1 }, 40353],
    ['empty path', { '': 1 }, 40352],
    ['dollar', { $a: 1 }, 16410],
    ['33 fields', Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`f${index}`, 1])), 2],
  ]
  for (const [name, spec, code] of refused)
    it(`refuses: ${name}`, () => expect(failure(() => compileSort(spec))).to.equal(code))
})
