import { expect } from 'chai'
import { jobs } from '../../../core/parsing/jobs.ts'
import { jsonDepthMax } from '../../../core/parsing/json.ts'

const nested = (levels: number, open = '[', close = ']') => open.repeat(levels) + close.repeat(levels)
const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const brackets = '['.repeat(1_000)

describe('the JSON of a request', () => {
  const cases: readonly (readonly [
    what: string,
    text: string | Uint8Array,
    outcome: 'value' | 'malformed' | 'too deep' | { readonly repeated: string },
  ])[] = [
    ['a number', '1', 'value'],
    ['an object', '{"a":[1,{"b":null}]}', 'value'],
    ['as many arrays as there may be', nested(jsonDepthMax), 'value'],
    ['as many objects as there may be', objects(jsonDepthMax), 'value'],
    ['many arrays beside each other', `[${Array.from({ length: 1_000 }, () => '[]').join()}]`, 'value'],
    ['deep ones beside each other', `[${nested(jsonDepthMax - 1)},${nested(jsonDepthMax - 1)}]`, 'value'],
    ['brackets in a string', JSON.stringify({ a: brackets }), 'value'],
    ['brackets in a name', JSON.stringify({ [brackets]: 1 }), 'value'],
    ['brackets behind an escaped quote', JSON.stringify([`"${brackets}`, 1]), 'value'],
    ['brackets behind an escaped backslash and quote', JSON.stringify([`\\"${brackets}`, '\\', brackets]), 'value'],
    ['brackets behind letters of several bytes', JSON.stringify([`ä€😀${brackets}`]), 'value'],
    ['one name in several objects', '{"a":{"a":[{"a":1},{"a":"a"}]},"b":"a","A":"a"}', 'value'],
    ['a name that is a value too', '[{"a":"b","b":"a"},"a","a"]', 'value'],
    ['a name that every object has', '{"constructor":1,"__proto__":2,"":3}', 'value'],
    ['a name twice', '{"a":1,"b":[2,{"c":3}],"a":1}', { repeated: 'a' }],
    ['a name twice, below', '[1,{"b":{"ä":1 , "c":{},\n"ä" :2}}]', { repeated: 'ä' }],
    ['a name twice, once with an escape', '{"to":1,"\\u0074o":2}', { repeated: 'to' }],
    ['a name twice in what is malformed', '{"a":1,"a":}', 'malformed'],
    ['one array too many', nested(jsonDepthMax + 1), 'too deep'],
    ['one object too many', objects(jsonDepthMax + 1), 'too deep'],
    ['arrays in objects', nested(jsonDepthMax, '{"a":[', ']}'), 'too deep'],
    ['100,000 arrays', nested(100_000), 'too deep'],
    ['100,000 objects', objects(100_000), 'too deep'],
    ['millions of arrays that do not end', '['.repeat(4_000_000), 'too deep'],
    ['too many behind strings with escapes', `["\\\\","\\"",${nested(jsonDepthMax)}]`, 'too deep'],
    ['too many behind spaces', `${' '.repeat(1_000)}${nested(jsonDepthMax + 1)}`, 'too deep'],
    ['nothing', '', 'malformed'],
    ['a string that does not end', `"${brackets}`, 'malformed'],
    ['a string that ends in an escape', `"${brackets}\\"`, 'malformed'],
    ['brackets that close nothing', ']'.repeat(1_000), 'malformed'],
    ['no UTF-8', new Uint8Array([0x22, 0xff, 0x22]), 'malformed'],
  ]
  for (const [what, text, outcome] of cases)
    it(`${typeof outcome === 'string' ? outcome : 'repeated'}: ${what}`, () => {
      const found = jobs.json({ raw: Buffer.from(text as string) })
      if (outcome === 'value') expect(found).to.deep.equal({ value: JSON.parse(text as string) })
      else expect(found).to.deep.equal(outcome)
    })
})
