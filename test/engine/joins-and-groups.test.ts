/** Which documents `$lookup` joins, and what `$group` holds for one group, held against MongoDB's own tests and sources. */
import { expect } from 'chai'
import { compilePipeline, type Source } from '../../engine/aggregate/pipeline.ts'
import { constantsAt } from '../../engine/aggregate/scope.ts'
import { decode } from '../../engine/bson/decode.ts'
import type { Document, Value } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { compileFilter } from '../../engine/match/compile.ts'
import { parseFilter } from '../../engine/match/parse.ts'

const stored = (doc: Document) => decode(encode(doc))

function run(docs: readonly Document[], stage: Document, foreign: readonly Document[] = []): Document[] {
  const source: Source = {
    find: (_, filter) => foreign.map(stored).filter(compileFilter(parseFilter(filter)).matches),
    sessions: () => [],
  }
  const pipeline = compilePipeline([stored(stage)], constantsAt(new Date(0)))
  return [...pipeline.run(docs.map(stored), source)].filter((doc) => doc !== undefined)
}

describe('engine: joins (jstests/aggregation/sources/lookup/lookup_equijoin_semantics_lib.js)', () => {
  const foreign: readonly Document[] = [
    { _id: 'one', b: 1 },
    { _id: 'two', b: 2 },
    { _id: 'null', b: null },
    { _id: 'missing' },
    { _id: 'empty', b: [] },
    { _id: 'with null', b: [null, 7] },
    { _id: 'list', b: [1, 2] },
    { _id: 'list within', b: [[], 8] },
  ]
  const nothing = ['null', 'missing', 'with null']
  const one = ['one', 'list']
  const cases: readonly (readonly [name: string, local: Document, path: string, joined: readonly string[]])[] = [
    ['a value', { a: 1 }, 'a', one],
    ['a value that no document has', { a: 9 }, 'a', []],
    ['false is not nothing', { a: false }, 'a', []],
    ['an empty document is not nothing', { a: {} }, 'a', []],
    ['null', { a: null }, 'a', nothing],
    ['no field', {}, 'a', nothing],
    ['an empty array', { a: [] }, 'a', nothing],
    ['an array with null', { a: [null] }, 'a', nothing],
    ['an array with null and a value', { a: [null, 2] }, 'a', ['two', ...nothing, 'list']],
    ['an array of values', { a: [1, 9] }, 'a', one],
    ['an array of arrays is not its elements', { a: [[1, 9]] }, 'a', []],
    ['an array with an array', { a: [[1, 2]] }, 'a', ['list']],
    ['an array with an empty array', { a: [[]] }, 'a', ['empty', 'list within']],
    ['a path', { a: { x: 1 } }, 'a.x', one],
    ['a path to no field', { a: { y: 1 } }, 'a.x', nothing],
    ['a path through a scalar', { a: 1 }, 'a.x', nothing],
    ['a path through an empty array', { a: [] }, 'a.x', nothing],
    ['a path through an array of scalars', { a: [1] }, 'a.x', nothing],
    ['a path to an empty array', { a: { x: [] } }, 'a.x', nothing],
    ['a path through documents', { a: [{ x: 1 }, { x: 2 }] }, 'a.x', ['one', 'two', 'list']],
    ['a document without the field, beside one with it', { a: [{ y: 2 }, { x: 1 }] }, 'a.x', one],
    ['documents without the field', { a: [{ y: 1 }, { y: 2 }] }, 'a.x', nothing],
    ['a field that is null, beside a value', { a: [{ x: null }, { x: 1 }] }, 'a.x', ['one', ...nothing, 'list']],
    ['a position', { a: [{ x: 1 }, { x: 2 }] }, 'a.0.x', one],
    ['a position in what is no array', { a: { x: 1 } }, 'a.0.x', nothing],
  ]
  for (const [name, local, localField, joined] of cases) {
    it(name, () => {
      const [doc] = run([local], { $lookup: { from: 'f', localField, foreignField: 'b', as: 'joined' } }, foreign)
      const ids = (doc!.joined as Document[]).map(({ _id }) => _id)
      expect(ids).to.have.members([...joined])
    })
  }
})

describe('engine: groups (src/mongo/db/pipeline/document_source_group.cpp, computeId and expandId)', () => {
  const docs: readonly Document[] = [{ a: 1 }, { a: null }, {}, { a: { b: 2 } }, { a: {} }]
  const cases: readonly (readonly [name: string, id: Value, groups: readonly Value[]])[] = [
    ['a path: what is missing is null', '$a', [1, null, { b: 2 }, {}]],
    [
      'a document of one field: what is missing is null',
      { k: '$a' },
      [{ k: 1 }, { k: null }, { k: { b: 2 } }, { k: {} }],
    ],
    ['a document of one field that is never there', { k: '$z' }, [{ k: null }]],
    [
      'a document of two fields: what is missing is left out',
      { k: '$a', l: '$z' },
      [{ k: 1 }, { k: null }, {}, { k: { b: 2 } }, { k: {} }],
    ],
    ['a document within a document is no missing value', { k: { l: '$z' } }, [{ k: {} }]],
    [
      'a document within, of one field',
      { k: { l: '$a' } },
      [{ k: { l: 1 } }, { k: { l: null } }, { k: {} }, { k: { l: { b: 2 } } }, { k: { l: {} } }],
    ],
    [
      'an operator in a document of one field',
      { k: { $ifNull: ['$a', 'none'] } },
      [{ k: 1 }, { k: 'none' }, { k: { b: 2 } }, { k: {} }],
    ],
    ['an operator that yields nothing', { k: { $arrayElemAt: [[], 0] } }, [{ k: null }]],
    ['text', { k: 'x' }, [{ k: 'x' }]],
    ['a literal document', { $literal: { k: 1 } }, [{ k: 1 }]],
    ['an empty document', {}, [{}]],
    ['null', null, [null]],
  ]
  for (const [name, id, groups] of cases) {
    it(name, () => {
      const found = run(docs, { $group: { _id: id, n: { $sum: 1 } } })
      expect(found.map(({ _id }) => _id)).to.deep.equal(stored({ groups: [...groups] }).groups)
      expect(found.reduce((sum, { n }) => sum + Number(n), 0)).to.equal(docs.length)
    })
  }
})
