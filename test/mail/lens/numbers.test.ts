import { expect } from 'chai'
import type { Locale } from '../../../mail/lens/locale.ts'
import { numbersIn, numberWordsIn } from '../../../mail/lens/numbers.ts'

const english: Locale = { language: 'en', decimal: '.', first: 'month' }
const german: Locale = { language: 'de', decimal: ',', first: 'day' }

describe('mail/lens/numbers', () => {
  const cases: readonly (readonly [string, Locale, readonly number[]])[] = [
    ['1.204,50 €', english, [1204.5]],
    ['1,204.50', german, [1204.5]],
    ['1 204,50 €', german, [1204.5]],
    ['1\u202f204,50 €', german, [1204.5]],
    ["CHF 1'380.00", german, [1380]],
    ['12.000', german, [12_000]],
    ['12.000', english, [12]],
    ['$12.000', english, [12_000]],
    ['0,150', english, [0.15]],
    ['1.500,- EUR', german, [1500]],
    ['$25k and 50 TEUR', english, [25_000, 50_000]],
    ['2,5 Mio. Euro', german, [2_500_000]],
    ['-121,00 €', german, [-121]],
    ['€ -5', german, [-5]],
    ['from 2.000.000 to 3.000.000', german, [2_000_000, 3_000_000]],
    ['1.2.3', german, []],
    ['12/03/2026', english, []],
    ['2026-03', english, []],
    ['INV-20391, v2, 20h', english, []],
    ['1,20,50', english, []],
    ['₹1,23,456.78 of 12,34,567', english, [123_456.78, 1_234_567]],
    ['123456789012345 and 1234567890123456', english, [123_456_789_012_345]],
    ['12.345.678.901.234,56 €', german, []],
  ]
  for (const [text, locale, expected] of cases)
    it(`${text} (${locale.language})`, () =>
      expect(numbersIn(text, locale).map(({ value }) => value)).to.deep.equal(expected))

  it('tells a share from an amount', () =>
    expect(numbersIn('19 % of 20', german).map(({ isShare }) => isShare)).to.deep.equal([true, false]))

  const currencies: readonly (readonly [string, string | null])[] = [
    ['£1,003.75', '£'],
    ['312.00 GBP', 'GBP'],
    ['219,00 Euro', 'Euro'],
    ['12 people', null],
  ]
  for (const [text, expected] of currencies)
    it(`currency of ${text}`, () => {
      const [found] = numbersIn(text, english)
      expect(found?.currency?.text ?? null).to.equal(expected)
      if (found?.currency) expect(text.slice(found.currency.start).startsWith(found.currency.text)).to.equal(true)
    })

  it('numbers in words are those of the language', () => {
    expect(numberWordsIn('more than fifteen years', english).map(({ value }) => value)).to.deep.equal([15])
    expect(numberWordsIn('über zwanzig Jahre', german).map(({ value }) => value)).to.deep.equal([20])
    expect(numberWordsIn('over zwanzig', english)).to.deep.equal([])
  })
})
