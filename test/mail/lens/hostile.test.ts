import { expect } from 'chai'
import fc from 'fast-check'
import { readFields } from '../../../mail/lens/read-fields.ts'
import type { LensSource } from '../../../mail/lens/source.ts'
import { lensTemplates } from '../../../mail/lens/templates.ts'
import { expectLinear } from '../cost.ts'

const fields = lensTemplates.flatMap(({ name, fields }) =>
  fields.map((each) => ({ ...each, key: `${name} ${each.key}` })),
)
const mail = (text: string, more: Partial<LensSource> = {}): LensSource => ({
  subject: '',
  text,
  quoted: [],
  attachments: [],
  date: new Date('2026-11-11T09:00:00Z'),
  ...more,
})

/** Pieces of mails, in any order. */
const piece = fc.constantFrom(
  'Invoice',
  'Rechnung',
  'No.',
  ': ',
  'Total',
  '1.204,50 €',
  '05/12/2026',
  'next Friday',
  'Regards,',
  'Ann Lee',
  '\n',
  '\n\n',
  '- ',
  '\t',
  '> ',
  'ann@x.example',
  '+49 30 123456',
  'DE89 3704 0044 0532 0130 00',
  '“',
  '(',
  '😀',
  '\ud800',
  '\0',
  ' ',
  'paid',
  'not',
  'From: ',
  'Item Qty Price',
)

describe('mail/lens on hostile mail', () => {
  it('never throws, and each value stands where it says, outside of quoted history', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.nat(200), fc.nat(60), (pieces, from, length) => {
        const text = pieces.join('')
        const end = Math.min(text.length, from + length)
        const quoted: LensSource['quoted'] = from < end ? [[from, end]] : []
        const points = [...text]
        const [start, stop] = [[...text.slice(0, from)].length, [...text.slice(0, end)].length]
        for (const found of readFields(fields, mail(text, { quoted })).values()) {
          if (found === null) continue
          const { evidence, value } = found
          expect(evidence.start).to.be.below(evidence.end)
          expect(evidence.end).to.be.at.most(points.length)
          const told = points.slice(evidence.start, evidence.end).join('')
          if (typeof value === 'string' && !/^\d{4}-\d\d-\d\d$/.test(value))
            expect(told.replace(/\s+/g, ' ')).to.include(value)
          if (from < end) expect(evidence.end <= start || evidence.start >= stop).to.equal(true)
        }
      }),
      { numRuns: Number(process.env.FUZZ_RUNS ?? 30) },
    )
  })

  const shapes: readonly (readonly [string, string])[] = [
    ['letters', 'a'],
    ['digits', '1'],
    ['blanks', ' '],
    ['numbers', '1 '],
    ['slashes', '1/'],
    ['labels', 'a:'],
    ['addresses', 'a.'],
    ['accounts', 'DE89 3704 '],
    ['quotation marks', '"'],
    ['names', 'My name is Ann '],
    ['brackets', 'x ('],
    ['months', 'may '],
    ['cues', 'invoice total due by '],
    ['sentences', 'A b. '],
    ['applications', 'apply for the position of '],
    ['statements', 'not paid have like a '],
    ['compounds', 'rechnungsnummernbetrag'],
    ['lines', 'a: b\n'],
    ['heads', 'Item Qty Price\n'],
    ['amounts', '1,00 € '],
    ['rows', 'lamp\t2\t1,00 €\n'],
    ['document numbers', 'order A-1234 '],
    ['counted goods', '3 x lamps and '],
    ['ticks', '[x] lamp '],
    ['contacts', 'Ann Lee\nann@x.example\n'],
    ['dates of one sentence', 'due 5 May '],
    ['answers', 'is not paid, '],
    ['headers', 'From: a\nDate: b\n'],
    ['enumerations', 'we need lamps, desks and '],
    ['labels in turn', 'Name\nAnn\nPhone\n12\n'],
    ['points that are labels', '- name\nAnn\n'],
    ['suppliers', 'Supplier: Ann <a@x.example>\n'],
    ['products', 'my Lampo Pro '],
    ['positions', 'you are looking for a cook '],
    ['telephone numbers', '+49 30 1234567\n'],
    ['currencies', 'EUR '],
    ['days of the week', 'Monday to '],
    ['days ago', 'two weeks ago '],
    ['ends of months', 'end of May '],
    ['names in two fields', 'First name: Ann\nLast name: Lee\n'],
    ['headings and paragraphs', 'Applicant\n\n'],
    ['lines below headings', 'Skills\nSQL\n'],
    ['goods counted in words', 'two lamps and '],
    ['columns', 'Item    Qty    Price\nlamp    2    1,00\n'],
    ['messages', 'the message: a '],
    ['things in brackets', 'pump (Thermo 1) '],
    ['legal names', 'Zn. B.V. '],
    ['years', 'after 6 years '],
  ]
  for (const [name, unit] of shapes)
    it(`reads ${name} without end in linear time`, () => {
      expectLinear(name, unit.repeat(Math.ceil(100_000 / unit.length)), (text) => readFields(fields, mail(text)))
    })
})
