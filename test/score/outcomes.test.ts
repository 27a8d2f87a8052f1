import { expect } from 'chai'
import { isSameText, type Outcome, summarise } from './outcomes.ts'

const right: Outcome = { set: 'one', id: 'a', isRight: true, difference: '' }
const wrong: Outcome = { set: 'two', id: 'b', isRight: false, difference: '"x" instead of "y"' }

describe('test/score/outcomes', () => {
  const files: readonly (readonly [string, readonly Outcome[], boolean, string])[] = [
    ['counts the cases of a file', [right, right], false, 'f: 2 of 2 exactly right'],
    [
      'counts the cases of each set too, if there are several',
      [right, wrong],
      false,
      'f: 1 of 2 exactly right\n  one: 1 of 1 exactly right\n  two: 0 of 1 exactly right',
    ],
    ['lists a wrong case with `show`', [wrong], true, 'f: 0 of 1 exactly right\n  wrong: two b: "x" instead of "y"'],
    [
      'prints precision and recall',
      [{ ...right, found: { codes: { right: 3, wrong: 1, missed: 0 }, links: { right: 0, wrong: 0, missed: 0 } } }],
      false,
      'f: 1 of 1 exactly right\n  codes: precision 75.0 % (3 of 4), recall 100.0 % (3 of 3)\n  links: precision of none, recall of none',
    ],
  ]
  for (const [name, outcomes, show, expected] of files)
    it(name, () => expect(summarise('f', outcomes, { show })).to.equal(expected))

  const texts: readonly (readonly [string, string, boolean])[] = [
    ['a \r\n\r\nb\n\n', 'a\n\nb', true],
    ['a\nb', 'a\n\nb', false],
    [' a', 'a', false],
  ]
  for (const [one, other, same] of texts)
    it(`treats ${JSON.stringify(one)} and ${JSON.stringify(other)} as ${same ? 'the same text' : 'different texts'}`, () =>
      expect(isSameText(one, other)).to.equal(same))
})
