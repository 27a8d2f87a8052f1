import { expect } from 'chai'
import { codePointsOf } from '../../../mail/lens/code-points.ts'

describe('mail/lens/code-points', () => {
  const cases: readonly (readonly [string, string, number, number])[] = [
    ['ASCII', 'abc', 2, 2],
    ['after an emoji', '😀abc', 3, 2],
    ['at the end', '😀😀', 4, 2],
    ['a half alone', '\udc00a', 2, 2],
    ['far in a long text', `${'😀'.repeat(3000)}x`, 6000, 3000],
  ]
  for (const [name, text, offset, expected] of cases)
    it(name, () => expect(codePointsOf(text)(offset)).to.equal(expected))

  it('agrees with counting everywhere', () => {
    const text = 'a😀é\ud800b😀'.repeat(700)
    const points = codePointsOf(text)
    for (let at = 0; at < text.length; at += 37)
      if (!/[\udc00-\udfff]/.test(text[at] as string)) expect(points(at)).to.equal([...text.slice(0, at)].length)
  })
})
