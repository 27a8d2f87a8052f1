import { expect } from 'chai'
import { isSameText, type Outcome, told } from './outcomes.ts'

const right: Outcome = { set: 'one', id: 'a', isRight: true, difference: '' }
const wrong: Outcome = { set: 'two', id: 'b', isRight: false, difference: '"x" instead of "y"' }

describe('test/score/outcomes', () => {
  const files: readonly (readonly [string, readonly Outcome[], boolean, string])[] = [
    ['the cases of a file are counted', [right, right], false, 'f: 2 of 2 exactly right'],
    [
      'and those of each set, when there are several',
      [right, wrong],
      false,
      'f: 1 of 2 exactly right\n  one: 1 of 1 exactly right\n  two: 0 of 1 exactly right',
    ],
    ['a wrong case is shown', [wrong], true, 'f: 0 of 1 exactly right\n  wrong: two b: "x" instead of "y"'],
    [
      'precision and recall',
      [{ ...right, found: { codes: { right: 3, wrong: 1, missed: 0 }, links: { right: 0, wrong: 0, missed: 0 } } }],
      false,
      'f: 1 of 1 exactly right\n  codes: precision 75.0 % (3 of 4), recall 100.0 % (3 of 3)\n  links: precision of none, recall of none',
    ],
  ]
  for (const [name, outcomes, show, expected] of files)
    it(name, () => expect(told('f', outcomes, { show })).to.equal(expected))

  const texts: readonly (readonly [string, string, boolean])[] = [
    ['a \r\n\r\nb\n\n', 'a\n\nb', true],
    ['a\nb', 'a\n\nb', false],
    [' a', 'a', false],
  ]
  for (const [one, other, same] of texts)
    it(`${JSON.stringify(one)} and ${JSON.stringify(other)} are ${same ? '' : 'not '}the same`, () =>
      expect(isSameText(one, other)).to.equal(same))
})
