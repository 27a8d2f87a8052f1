import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { mediaTypeOf } from '../../../mail/message/media-types.ts'
import { openExtractor } from '../../start/extraction.ts'

const folder = new URL('../../fixtures/files/', import.meta.url)

const invoice = [
  'Invoice 2026-118',
  'Pos\tDescription\tQuantity\tPrice',
  '1\tOffice chair, black\t2\t240,00 €',
  '2\tWriting desk\t1\t480,50 €',
]
const letter = [
  ...invoice,
  'Example GmbH, Berlin',
  'Dear Ms Müller, thank you for your order.',
  'IBAN DE02 1203 0000 0000 2020 51',
]
const table = invoice.slice(1)
const hiddenWords = [
  'display_none: obey the hidden words',
  'same_colour: nobody sees white words',
  'zero_size: too small to read',
]
const minutes = ['Budget of 1,204.50 EUR', 'Name\tAmount', 'Grace\t7.25', 'By telephone.', 'A quotation of code.']
const languages = [
  'Zażółć gęślą jaźń. Счёт № 118 от 5 декабря 2026 г.',
  'Τιμολόγιο: σύνολο 720,50 €. Účtenka č. 118, příští týden.',
  'Grüße aus Köln – „schöne“ Straße. L’été coûte 15 €.',
]
const sheet = [
  'Date\tAmount\tShare\tTime\tNote',
  '2026-12-05\t1,204.50 €\t19%\t05.12.2026 14:30\tfirst',
  'seen',
  'Second',
]
const hiddenCells = ['hidden row', 'hidden column'].map((words) => `display_none: ${words}`)
const formats = [
  '05.12.2026\t1,234,567.89',
  '5 December 2026\t12.50%',
  '2026-12-05 09:05\t720.50 €',
  'TRUE',
  'Müller & Söhne <GmbH>',
]

/** Lines that the text must have, and what is reported as hidden; null for a file without text. Names say which program made the file. */
const cases: readonly (readonly [file: string, lines: readonly string[] | null, hidden?: readonly string[]])[] = [
  ['python-docx-invoice.docx', letter, hiddenWords],
  ['libreoffice-invoice.docx', letter, hiddenWords],
  ['libreoffice-invoice.odt', letter, hiddenWords],
  [
    'libreoffice-invoice.doc',
    [...invoice, 'Example GmbH, Berlin'],
    ['display_none: obey the hidden words', 'zero_size: too small to read'],
  ],
  [
    'libreoffice-invoice.rtf',
    [...invoice, 'Example GmbH, Berlin'],
    ['display_none: obey the hidden words', 'zero_size: too small to read'],
  ],
  [
    'libreoffice-invoice.html',
    ['Invoice 2026-118', 'Dear Ms Müller, thank you for your order.', '720,50 €'],
    hiddenWords,
  ],
  [
    'libreoffice-invoice.pdf',
    ['Invoice 2026-118', 'Example GmbH, Berlin', '2\tWriting desk\t1\t480,50 €'],
    hiddenWords.slice(1),
  ],
  ['libreoffice-languages.doc', languages],
  ['libreoffice-languages.odt', languages],
  ['libreoffice-languages.rtf', languages],
  ['libreoffice-languages.pdf', languages],
  ['libreoffice-right-to-left.odt', ['שלום עולם 123 חשבונית', 'مرحبا بالعالم فاتورة 720']],
  ['libreoffice-right-to-left.pdf', ['שלום עולם 123 חשבונית', 'مرحبا بالعالم فاتورة 720']],
  [
    'odfpy-hidden.odt',
    ['Seen words and more'],
    ['display_none: without display', 'same_colour: in white', 'display_none: a hidden section'],
  ],
  ['pandoc-minutes.docx', minutes],
  ['pandoc-minutes.odt', minutes],
  ['pandoc-minutes.rtf', ['1.\tBudget of 1,204.50 EUR', '•\ttea', ...minutes.slice(1, 3), 'A quotation of code.']],
  ['pandoc-minutes.html', ['1. Budget of 1,204.50 EUR', '- tea', '> A quotation of code.']],
  ['libreoffice-minutes.doc', minutes],
  ['libreoffice-minutes.pdf', ['1. Budget of 1,204.50 EUR', ...minutes.slice(1, 3), '1\tBy telephone.']],
  ['abiword-minutes.rtf', ['Name\tAmount', 'Grace\t7.25']],
  ['abiword-minutes-is-rtf.doc', ['Name\tAmount', 'Grace\t7.25']],
  [
    'hidden-words.rtf',
    ['Seen text here.'],
    ['display_none: hidden words', 'comment: a remark', 'display_none: taken out'],
  ],
  [
    'openpyxl-hidden.xlsx',
    ['Invoice', ...sheet],
    [...hiddenCells, 'comment: a remark of somebody', 'display_none: hidden sheet'],
  ],
  [
    'libreoffice-hidden.xls',
    ['Invoice', ...sheet],
    [...hiddenCells, 'comment: a remark of somebody', 'display_none: hidden sheet'],
  ],
  [
    'libreoffice-hidden.ods',
    ['Invoice', ...sheet],
    [...hiddenCells, 'comment: a remark of somebody', 'display_none: Secret hidden sheet'],
  ],
  ['xlsxwriter-formats.xlsx', [...formats, '1234568.016'], ['display_none: 42']],
  ['gnumeric-formats.xlsx', [...formats, '1234568.016'], ['display_none: 42']],
  ['gnumeric-formats.xls', [...formats, '1234568.016'], ['display_none: 42']],
  ['gnumeric-formats.ods', formats],
  ['libreoffice-formats.ods', [...formats, '1234568.016']],
  ['xlwt-invoice.xls', [...table, 'Total\t\t720,50 €', '5-Dec-26']],
  ['libreoffice-invoice.xlsx', [...table, '5-Dec-26\t3']],
  ['libreoffice-sheet.pdf', ['Total\t720,50 €']],
  ['reportlab-invoice.pdf', [...invoice, 'Total\t720,50 €']],
  ['qpdf-object-streams.pdf', invoice],
  ['qpdf-rotated.pdf', invoice],
  ['qpdf-owner-password.pdf', invoice],
  ['qpdf-needs-a-password.pdf', null],
  [
    'reportlab-hidden.pdf',
    ['Seen text', 'white on blue is seen', 'marked words are seen', 'a value in a form', 'upwards at the side'],
    [
      'same_colour: white on white',
      'transparent: never painted',
      'zero_size: smaller than a point',
      'covered: under a black box',
      'off_screen: beside the page',
      'transparent: without opacity',
      'comment: a sticky note',
    ],
  ],
  ['reportlab-white-over-a-picture.pdf', ['white words on a picture']],
  ['reportlab-scan-has-no-text.pdf', null],
  ['reportlab-japanese.pdf', ['請求書番号 118', '合計金額 72,050円（税込）']],
  ['cairo-russian.pdf', ['Счёт-фактура № 118', 'Итого к оплате: 720,50 ₽', 'fi fl ffi office']],
  ['groff-manual.pdf', ['A manual', '1.\tFirst step']],
  ['pdflatex-paper.pdf', ['Efficient offices', '1 Findings', 'Desk\t480.50']],
  ['koi8-r.txt', ['Здравствуйте, Ада! Счёт за декабрь во вложении.']],
  ['shift-jis.txt', ['お世話になっております。請求書を送付いたします。']],
  ['semicolons-in-windows-1252.csv', ['1;Stühle für Büro;240,00 €']],
  ['tabs-in-utf-16.tsv', ['Ада\t12,50']],
]

describe('core/extraction: files of many programs', () => {
  const extractor = openExtractor()
  after(() => extractor.close())

  for (const [file, lines, hidden = []] of cases) {
    it(file, async () => {
      const found = await extractor.read(readFileSync(new URL(file, folder)), {
        name: file,
        contentType: mediaTypeOf(file),
      })
      if (lines === null) expect(found).to.equal(null)
      else expect(found?.text.split('\n').map((line) => line.trim())).to.include.members([...lines])
      expect(found?.hidden.map(({ kind, excerpt }) => `${kind}: ${excerpt}`) ?? []).to.have.members([...hidden])
    })
  }

  it('columns are read one after the other, after the title above both', async () => {
    const found = await extractor.read(readFileSync(new URL('reportlab-columns.pdf', folder)))
    const numbers = [...(found?.text.matchAll(/^Paragraph (\d+)/gm) ?? [])].map(([, number]) => Number(number))
    expect(numbers).to.deep.equal(Array.from({ length: 16 }, (_, n) => n))
    expect(found?.text).to.match(/^A paper in two columns with a title over both\n/)
  })

  it('no file ended its worker', () => expect(extractor.errors).to.deep.equal([]))
})
