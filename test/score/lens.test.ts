import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { labelledFields, lens, lensOutcome } from './lens.ts'
import { foundIn } from './outcomes.ts'

const pathOf = (name: string) => fileURLToPath(new URL(`lens/${name}.json`, import.meta.url))

describe('test/score/lens', () => {
  // The sets that the rules were developed with: their figures must not fall.
  for (const [name, recallMin] of [
    ['develop', 0.95],
    ['other-styles', 0.94],
  ] as const)
    it(`${name}: hardly any value is wrong or missed, and each has evidence`, () => {
      const outcomes = lens(pathOf(name))
      const { right, wrong, missed } = foundIn(outcomes, 'all')
      expect(right / (right + wrong)).to.be.at.least(0.97)
      expect(right / (right + missed)).to.be.at.least(recallMin)
      expect(foundIn(outcomes, 'evidence').wrong).to.equal(0)
    })

  // Sets by other authors, who did not know the rules; much of their text is prose.
  for (const name of [
    'independent-one',
    'independent-two',
    'authors-develop',
    'writers-develop',
    'writers-practice',
    'correspondents-develop',
  ])
    it(`${name}: the values that are read are right, and most stated values are read`, () => {
      const outcomes = lens(pathOf(name))
      const { right, wrong, missed } = foundIn(outcomes, 'all')
      expect(right / (right + wrong)).to.be.at.least(0.97)
      expect(right / (right + missed)).to.be.at.least(0.82)
      expect(foundIn(outcomes, 'evidence').wrong).to.equal(0)
    })

  it('`develop` and `final` have 240 messages, with at least a third of the fields absent', () => {
    const mails = ['develop', 'final'].flatMap((name) => labelledFields(pathOf(name)))
    const values = mails.flatMap(({ expected }) => Object.values(expected))
    expect(mails.length).to.equal(240)
    expect(values.filter((value) => value === null).length / values.length).to.be.within(0.33, 0.45)
  })

  for (const name of ['authors-final', 'writers-final', 'correspondents-final'])
    it(`${name}: the file matches its digest, and each value read from it has evidence`, () => {
      const [digest] = readFileSync(`${pathOf(name)}.sha256`, 'utf8').split(' ')
      expect(
        createHash('sha256')
          .update(readFileSync(pathOf(name)))
          .digest('hex'),
      ).to.equal(digest)
      expect(foundIn(lens(pathOf(name)), 'evidence').wrong).to.equal(0)
    })

  const text = 'Invoice number: A-17\nTotal: 12.00 EUR\nItems: lamp, desk'
  const outcomes: readonly (readonly [string, { readonly [key: string]: never | unknown }, object])[] = [
    ['what is right', { total: 12 }, { right: 1, wrong: 0, missed: 0 }],
    ['what is wrong is missed too', { total: 13 }, { right: 0, wrong: 1, missed: 1 }],
    ['what is not stated', { total: null }, { right: 0, wrong: 1, missed: 0 }],
    ['one of several answers', { total: { anyOf: [13, 12] } }, { right: 1, wrong: 0, missed: 0 }],
    ['a list in another order', { items: ['desk', 'lamp'] }, { right: 1, wrong: 0, missed: 0 }],
    ['a list that lacks an item', { items: ['desk'] }, { right: 0, wrong: 1, missed: 1 }],
    ['what was not found', { due_date: '2026-01-01' }, { right: 0, wrong: 0, missed: 1 }],
  ]
  for (const [name, expected, found] of outcomes)
    it(`counts ${name}`, () => {
      const [key = ''] = Object.keys(expected)
      const type = key === 'items' ? 'list' : key === 'total' ? 'number' : 'date'
      const fields = [{ key, type, description: key.replace('_', ' ') }] as const
      const labelled = { set: '', id: '', fields, date: '2026-11-11', subject: '', text, expected: expected as never }
      expect(lensOutcome(labelled).found?.all).to.deep.equal(found)
    })
})
