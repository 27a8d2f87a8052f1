import { expect } from 'chai'
import { peopleOf } from '../../operations/addresses.ts'
import { cutBodies, positionIn } from '../../operations/bodies.ts'
import { Failure } from '../../schemas/failures.ts'

describe('operations/bodies', () => {
  const bodies: readonly (readonly [string, string, number])[] = [
    ['ASCII', 'abcdefghij', 3],
    ['characters outside the basic plane', '😀a😀b😀', 2],
    ['one piece that is exactly full', 'abc', 3],
    ['nothing', '', 5],
  ]
  for (const [name, text, maxChars] of bodies) {
    it(`pieces join to the whole, none longer than asked: ${name}`, () => {
      const pieces: string[] = []
      let cursor: string | undefined
      do {
        const { text: piece = '', next } = cutBodies({ text }, { from: positionIn(cursor), maxChars })
        pieces.push(piece)
        cursor = next ?? undefined
      } while (cursor !== undefined)
      expect(pieces.join('')).to.equal(text)
      for (const piece of pieces) expect([...piece].length).to.be.at.most(maxChars)
      expect(pieces.length).to.equal(Math.max(1, Math.ceil([...text].length / maxChars)))
    })
  }

  it('bodies are cut at the same character; one that is whole ends there', () => {
    const first = cutBodies({ text: 'abcdef', html: null, reply: 'ab' }, { from: 0, maxChars: 4 })
    expect(first).to.deep.include({ text: 'abcd', html: null, reply: 'ab' })
    expect(
      cutBodies({ text: 'abcdef', html: null, reply: 'ab' }, { from: positionIn(first.next ?? ''), maxChars: 4 }),
    ).to.deep.equal({ text: 'ef', html: null, reply: '', next: null })
  })

  for (const cursor of ['', 'x', 'YzE=x', Buffer.from('c-1').toString('base64url')]) {
    it(`refuses the cursor ${JSON.stringify(cursor)}`, () =>
      expect(() => positionIn(cursor)).to.throw(Failure, 'cursor'))
  }
})

describe('operations/addresses', () => {
  const cases: readonly (readonly [string, Parameters<typeof peopleOf>[0], unknown])[] = [
    ['nothing', undefined, undefined],
    ['a bare address', ' a@x ', [{ name: '', address: 'a@x' }]],
    ['a name and an address', 'Ada L. <a@x>', [{ name: 'Ada L.', address: 'a@x' }]],
    ['a quoted name', '"L., \\"Ada\\"" <a@x>', [{ name: 'L., "Ada"', address: 'a@x' }]],
    ['an address in brackets alone', '<a@x>', [{ name: '', address: 'a@x' }]],
    ['an object', { address: 'a@x' }, [{ name: '', address: 'a@x' }]],
    [
      'several',
      ['a@x', { name: 'B', address: 'b@x' }],
      [
        { name: '', address: 'a@x' },
        { name: 'B', address: 'b@x' },
      ],
    ],
  ]
  for (const [name, input, expected] of cases)
    it(`reads ${name}`, () => expect(peopleOf(input)).to.deep.equal(expected))
})
