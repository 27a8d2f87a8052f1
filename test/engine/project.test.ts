import { Int32 } from 'bson'
import { expect } from 'chai'
import { identicalValues } from '../../engine/bson/compare.ts'
import { decode } from '../../engine/bson/decode.ts'
import type { Document } from '../../engine/bson/document.ts'
import { encode } from '../../engine/bson/encode.ts'
import { compileFilter } from '../../engine/match/compile.ts'
import { parseFilter } from '../../engine/match/parse.ts'
import { compileProjection } from '../../engine/project/project.ts'
import { failure } from './values.ts'

const stored = (doc: Document) => decode(encode(doc))

function project(spec: Document, doc: Document, filter?: Document): Document {
  const found = filter && { filter: stored(filter), matcher: compileFilter(parseFilter(stored(filter))) }
  return compileProjection(stored(spec), found)(stored(doc))
}

type Case = readonly [name: string, spec: Document, doc: Document, expected: Document, filter?: Document]

describe('engine project', () => {
  const doc: Document = { _id: 1, a: 1, b: { c: 2, d: 3 }, e: [{ x: 1, y: 2 }, { y: 3 }, 5] }
  const cases: readonly Case[] = [
    ['empty', {}, doc, doc],
    ['inclusion', { a: 1 }, doc, { _id: 1, a: 1 }],
    ['inclusion keeps the document’s order', { e: 1, a: true }, { _id: 1, a: 1, e: 2 }, { _id: 1, a: 1, e: 2 }],
    ['inclusion without _id', { a: 1, _id: 0 }, doc, { a: 1 }],
    ['inclusion of _id alone', { _id: 1 }, doc, { _id: 1 }],
    ['inclusion nested', { 'b.c': 1 }, doc, { _id: 1, b: { c: 2 } }],
    ['inclusion nested as document', { b: { c: 1 } }, doc, { _id: 1, b: { c: 2 } }],
    ['inclusion through an array drops scalars', { 'e.x': 1 }, doc, { _id: 1, e: [{ x: 1 }, {}] }],
    ['inclusion below a scalar', { 'a.b': 1 }, doc, { _id: 1 }],
    ['inclusion missing', { z: 1 }, doc, { _id: 1 }],
    ['exclusion', { a: 0, e: 0 }, doc, { _id: 1, b: { c: 2, d: 3 } }],
    ['exclusion of _id', { _id: 0 }, { _id: 1, a: 1 }, { a: 1 }],
    ['exclusion nested', { 'b.c': 0 }, { _id: 1, b: { c: 2, d: 3 } }, { _id: 1, b: { d: 3 } }],
    [
      'exclusion through an array keeps scalars',
      { 'e.x': 0 },
      { _id: 1, e: [{ x: 1, y: 2 }, 5] },
      { _id: 1, e: [{ y: 2 }, 5] },
    ],
    ['exclusion with _id kept', { a: 0, _id: 1 }, { _id: 1, a: 1, b: 2 }, { _id: 1, b: 2 }],
    ['$slice alone keeps the rest', { e: { $slice: 1 } }, { _id: 1, a: 1, e: [1, 2] }, { _id: 1, a: 1, e: [1] }],
    ['$slice last', { e: { $slice: -2 } }, { e: [1, 2, 3] }, { e: [2, 3] }],
    ['$slice skip and limit', { e: { $slice: [1, 1] } }, { e: [1, 2, 3] }, { e: [2] }],
    ['$slice skip from the end', { e: { $slice: [-2, 1] } }, { e: [1, 2, 3] }, { e: [2] }],
    ['$slice in an inclusion', { a: 1, e: { $slice: 1 } }, { _id: 1, a: 1, b: 2, e: [1, 2] }, { _id: 1, a: 1, e: [1] }],
    ['$slice of a scalar', { a: { $slice: 1 } }, { _id: 1, a: 1 }, { _id: 1, a: 1 }],
    ['$slice nested', { 'b.e': { $slice: 1 } }, { b: { e: [1, 2], f: 1 } }, { b: { e: [1], f: 1 } }],
    ['$elemMatch', { e: { $elemMatch: { y: 3 } } }, doc, { _id: 1, e: [{ y: 3 }] }],
    ['$elemMatch of values', { e: { $elemMatch: { $gt: 1 } } }, { _id: 1, e: [1, 2, 3] }, { _id: 1, e: [2] }],
    ['$elemMatch none', { e: { $elemMatch: { y: 9 } } }, doc, { _id: 1 }],
    ['positional', { 'e.$': 1 }, { _id: 1, e: [1, 5, 7] }, { _id: 1, e: [5] }, { e: { $gt: 3 } }],
    [
      'positional with others',
      { a: 1, 'e.$': 1 },
      { _id: 1, a: 1, b: 2, e: [{ x: 1 }, { x: 2 }] },
      { _id: 1, a: 1, e: [{ x: 2 }] },
      { 'e.x': 2 },
    ],
    ['computed', { s: { $add: ['$a', 1] } }, doc, { _id: 1, s: new Int32(2) }],
    ['computed path', { s: '$b.c' }, doc, { _id: 1, s: 2 }],
    ['computed nested', { 'b.s': { $literal: 1 } }, { _id: 1, b: { c: 1 } }, { _id: 1, b: { s: 1 } }],
    ['computed creates documents', { 'n.s': 'x' }, { _id: 1 }, { _id: 1, n: { s: 'x' } }],
    ['computed missing', { s: '$zz' }, doc, { _id: 1 }],
    ['_id comes first', { a: 1 }, { _id: 9, a: 1 }, { _id: 9, a: 1 }],
  ]
  for (const [name, spec, source, expected, filter] of cases) {
    it(name, () => {
      const actual = project(spec, source, filter)
      expect(identicalValues(actual, stored(expected)), JSON.stringify(actual)).to.equal(true)
    })
  }

  const refused: readonly (readonly [string, Document, number])[] = [
    ['inclusion in exclusion', { a: 0, b: 1 }, 31253],
    ['exclusion in inclusion', { a: 1, b: 0 }, 31254],
    ['a value in exclusion', { a: 0, b: '$a' }, 31310],
    ['path and below', { a: 1, 'a.b': 1 }, 31249],
    ['below and path', { 'a.b': 1, a: 1 }, 31250],
    ['empty part', { 'a..b': 1 }, 15998],
    ['empty name', { '': 1 }, 40352],
    ['ends with a dot', { 'a.': 1 }, 40353],
    ['dollar name', { $a: 1 }, 16410],
    ['empty document', { a: {} }, 51270],
    ['unknown operator', { a: { $foo: 1 } }, 31325],
    ['$meta', { a: { $meta: 'textScore' } }, 2],
    ['$elemMatch nested', { 'a.b': { $elemMatch: { x: 1 } } }, 31275],
    ['$elemMatch scalar', { a: { $elemMatch: 1 } }, 31274],
    ['$slice limit', { a: { $slice: [1, 0] } }, 28724],
    ['two positional', { 'a.$': 1, 'b.$': 1 }, 31276],
    ['positional without filter', { 'a.$': 1 }, 51050],
  ]
  for (const [name, spec, code] of refused)
    it(`refuses: ${name}`, () => expect(failure(() => project(spec, {}))).to.equal(code))

  it('refuses a positional projection that found no element', () => {
    expect(failure(() => project({ 'a.$': 1 }, { a: [1], b: 1 }, { b: 1 }))).to.equal(51246)
  })
})
