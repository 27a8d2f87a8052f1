import { expect } from 'chai'
import { type Direction, datesIn } from '../../../mail/lens/dates.ts'
import type { Locale } from '../../../mail/lens/locale.ts'

const at = (language: Locale['language'], first: Locale['first'] = 'day'): Locale => ({ language, decimal: ',', first })

/** A Wednesday. */
const date = new Date('2026-11-11T09:00:00Z')

describe('mail/lens/dates', () => {
  const cases: readonly (readonly [string, Locale, string | null, Direction?])[] = [
    ['05.12.2026', at('en', 'month'), '2026-12-05'],
    ['12/05/2026', at('en', 'month'), '2026-12-05'],
    ['12/05/2026', at('en'), '2026-05-12'],
    ['12/05/2026', at('fr'), '2026-05-12'],
    ['31/12/2026', at('en', 'month'), '2026-12-31'],
    ['2026-12-05', at('de'), '2026-12-05'],
    ['5.12.26', at('de'), '2026-12-05'],
    ['5. 12. 2026', at('de'), '2026-12-05'],
    ['29-05-2026', at('nl'), '2026-05-29'],
    ['30.02.2026', at('de'), null],
    ['1.2.3', at('de'), null],
    ['10.0.0.1', at('de'), null],
    ['INV-2026-12-05', at('en'), null],
    ['May 29, 2026', at('en'), '2026-05-29'],
    ['10. August 2026', at('de'), '2026-08-10'],
    ['1er juin 2026', at('fr'), '2026-06-01'],
    ['5 de agosto de 2026', at('es'), '2026-08-05'],
    ['1° ottobre 2026', at('it'), '2026-10-01'],
    ['27 aug. 2026', at('nl'), '2026-08-27'],
    ['15 September 2026', at('fr'), '2026-09-15'],
    ['28 February', at('en'), '2027-02-28', 'future'],
    ['28 February', at('en'), '2026-02-28', 'past'],
    ['2 January', at('en'), '2027-01-02'],
    ['yesterday', at('en'), '2026-11-10'],
    ['gestern', at('de'), '2026-11-10'],
    ['next Friday', at('en'), '2026-11-20'],
    ['on Friday', at('en'), '2026-11-13'],
    ['Hostal Puerta del Mar', at('es'), null],
    ['lundi prochain', at('fr'), '2026-11-16'],
    ['in zwei Wochen', at('de'), '2026-11-25'],
    ['since last night', at('en'), '2026-11-10'],
    ['seit heute früh', at('de'), '2026-11-11'],
    ['depuis ce matin', at('fr'), '2026-11-11'],
    ['avant-hier', at('fr'), '2026-11-09'],
    ['hace dos días', at('es'), '2026-11-09'],
    ['da una settimana', at('it'), '2026-11-04', 'past'],
    ['twee weken geleden', at('nl'), '2026-10-28'],
    ['lundi dernier', at('fr'), '2026-11-09'],
    ['el miércoles pasado', at('es'), '2026-11-04'],
    ['zum 1.7.', at('de'), '2027-07-01', 'future'],
    ['le 15/3', at('fr'), '2027-03-15', 'future'],
    ['by 3/15', at('en', 'month'), '2027-03-15', 'future'],
    ['end of January', at('en'), '2027-01-31', 'future'],
    ['fin du mois', at('fr'), '2026-11-30'],
    ['24/7', at('en'), null],
    ['Monday to Friday', at('en'), null],
    ['du lundi au vendredi', at('fr'), null],
    ['il martedì, il giovedì e il sabato', at('it'), null],
    ['am Montag oder Dienstag', at('de'), null],
    ['Dienstag, der 17. November', at('de'), '2026-11-17'],
    ['sett. 9/2026', at('it'), null],
    ['el pasado 28 de febrero', at('es'), '2026-02-28', 'future'],
    ['le 3 mars dernier', at('fr'), '2026-03-03', 'future'],
    ['5 de octubre de 2026', at('es'), '2026-10-05'],
    ['entro 30 gg', at('it'), null],
    ['after 40 seconds', at('en'), null],
    ['July', at('en'), null],
    ['at 9am', at('en'), null],
    ['12 people', at('en'), null],
    ['may I ask', at('en'), null],
  ]
  for (const [text, locale, expected, direction = 'near'] of cases)
    it(`${text} (${locale.language}, ${locale.first} first, ${direction})`, () =>
      expect(datesIn(text, { locale, date, direction })[0]?.value ?? null).to.equal(expected))

  it('says where a date stands, without the words that lead to it', () => {
    const text = 'please pay on 5 December 2026, not on 6.12.2026'
    const found = datesIn(text, { locale: at('en'), date, direction: 'near' })
    expect(found.map(({ start, end }) => text.slice(start, end))).to.deep.equal(['5 December 2026', '6.12.2026'])
  })
})
