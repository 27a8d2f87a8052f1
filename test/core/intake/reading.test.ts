import { expect } from 'chai'
import { cut, ownDate } from '../../../core/intake/reading.ts'

describe('core/intake/reading', () => {
  const cuts: readonly (readonly [what: string, text: string, bytesMax: number, expected: string])[] = [
    ['a text that fits', 'abc', 3, 'abc'],
    ['one too many', 'abcd', 3, 'abc'],
    ['two bytes do not fit in one', 'aé', 2, 'a'],
    ['two bytes fit', 'aé', 3, 'aé'],
    ['no half of a character beyond the BMP', '😀😀', 7, '😀'],
    ['nor of the first', '😀', 3, ''],
    ['three bytes', '€€', 5, '€'],
    ['nothing', '', 0, ''],
    ['a half that was one before', `a${'\ud83d'}`, 100, `a${'\ud83d'}`],
  ]
  for (const [what, text, bytesMax, expected] of cuts)
    it(`cut: ${what}`, () => expect(cut(text, bytesMax)).to.equal(expected))

  const dates: readonly (readonly [date: string, expected: string | null])[] = [
    ['Fri, 04 Dec 2026 23:30:00 +0200', '2026-12-04T23:30:00.000Z'],
    ['Fri, 04 Dec 2026 23:30:00 -0730 (PDT)', '2026-12-04T23:30:00.000Z'],
    ['4 Dec 2026 01:05:00 +0000', '2026-12-04T01:05:00.000Z'],
    ['Fri, 4 Dec 2026 01:05:00 GMT', '2026-12-04T01:05:00.000Z'],
    ['Fri, 4 Dec 2026 01:05:00 EST', '2026-12-04T06:05:00.000Z'],
    ['', null],
    ['yesterday', null],
    ['Fri, 99 Dec 2026 01:05:00 +0000', null],
  ]
  for (const [date, expected] of dates)
    it(`ownDate: ${date || 'none'}`, () => expect(ownDate(date)?.toISOString() ?? null).to.equal(expected))
})
