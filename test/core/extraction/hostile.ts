/** Files made to cost their reader more than their sender. */
import { constants, deflateRawSync, deflateSync } from 'node:zlib'
import { CFB } from '@e965/xlsx'

const mb = 1024 * 1024
const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length))

/** A file that is made on request; a `scale` below 1 makes a smaller one. `name` is its file name. */
export type Hostile = readonly [what: string, make: (scale: number) => Buffer, name: string]

export const hostileFiles: readonly Hostile[] = [
  ['a document that unpacks to 10 GB', (scale) => word(bomb(10_000 * mb * scale)), 'a.docx'],
  ['a document that says it is small', (scale) => word({ ...bomb(10_000 * mb * scale), size: 1000 }), 'a.docx'],
  ['a document of 60 MB of paragraphs', (scale) => word(part(paragraphs(60 * mb * scale))), 'a.docx'],
  [
    'a document of 60 MB that shows nothing',
    (scale) => word(part(body(fill('<w:p><w:r/></w:p>', 60 * mb * scale)))),
    'a.docx',
  ],
  ['a document of hidden words', (scale) => word(part(body(fill(hiddenRun, 60 * mb * scale)))), 'a.docx'],
  [
    'a document nested a million deep',
    (scale) => word(part(`<w:document><w:body>${fill('<w:p>', 8 * mb * scale)}`)),
    'a.docx',
  ],
  ['tables in tables', (scale) => word(part(body(fill('<w:tbl><w:tr><w:tc>', 8 * mb * scale)))), 'a.docx'],
  ['a billion laughs', () => word(part(laughs)), 'a.docx'],
  ['an attribute of 50 MB', (scale) => word(part(`<w:document w:val="${fill('x', 50 * mb * scale)}">`)), 'a.docx'],
  ['styles based on themselves', () => word(part(paragraphs(1000)), { 'word/styles.xml': part(circle) }), 'a.docx'],
  [
    '60,000 parts',
    (scale) => zip(Object.fromEntries(Array.from({ length: 60_000 * scale }, (_, n) => [`${n}`, part('')]))),
    'a.docx',
  ],
  ['archives in archives', () => nested(20), 'a.zip'],
  [
    'a document in a document',
    () => word(part(paragraphs(100)), { 'word/embeddings/a.docx': { ...bomb(mb), size: mb } }),
    'a.docx',
  ],
  [
    'a workbook of 60 MB of strings',
    (scale) => workbook({ strings: fill('<si><t>x</t></si>', 60 * mb * scale) }),
    'a.xlsx',
  ],
  ['a workbook of 60 MB of cells', (scale) => workbook({ rows: cells(60 * mb * scale) }), 'a.xlsx'],
  [
    'a workbook with a cell at its far end',
    () => workbook({ rows: '<row r="1048576"><c r="XFD1048576"><v>1</v></c></row>' }),
    'a.xlsx',
  ],
  [
    'a workbook of merged cells',
    (scale) =>
      workbook({ more: `<mergeCells>${fill('<mergeCell ref="A1:XFD1048576"/>', 20 * mb * scale)}</mergeCells>` }),
    'a.xlsx',
  ],
  [
    'a format of a thousand parts',
    (scale) => workbook({ format: fill('#,##0.00;', 200_000 * scale), rows: cells(10_000) }),
    'a.xlsx',
  ],
  ['a sheet of repeated rows', () => openSheet(fill(repeated, 2 * mb)), 'a.ods'],
  ['text of a million blanks', (scale) => openText(fill('<text:s text:c="1000000"/>', mb * scale)), 'a.odt'],
  ['spans in spans', (scale) => openText(fill('<text:span>', 20 * mb * scale)), 'a.odt'],
  ['a page that unpacks to 10 GB', (scale) => pdf({ content: bombStream(10_000 * mb * scale) }), 'a.pdf'],
  [
    'a page of a million letters',
    (scale) => pdf({ content: stream(`BT /F 12 Tf ${fill('(x) Tj ', 10 * mb * scale)} ET`) }),
    'a.pdf',
  ],
  [
    'a charset of four billion letters',
    () =>
      pdf({
        toUnicode: '1 beginbfrange <00000000> <ffffffff> <0041> endbfrange',
        content: stream('BT /F 12 Tf (xxxx) Tj ET'),
      }),
    'a.pdf',
  ],
  ['arrays in arrays', (scale) => Buffer.from(`%PDF-1.4\n1 0 obj\n${fill('[', 10 * mb * scale)}`), 'a.pdf'],
  [
    'a table of places that leads to itself',
    () => Buffer.from('%PDF-1.4\nxref\n0 1\n0000000000 65535 f\ntrailer << /Size 1 /Prev 9 >>\nstartxref\n9\n%%EOF'),
    'a.pdf',
  ],
  [
    '25 MB behind the mark of a PDF',
    (scale) => Buffer.from(`%PDF-1.4\n${fill('1 0 obj\n', 25 * mb * scale)}`),
    'a.pdf',
  ],
  [
    'an image of a terapixel',
    () => pdf({ content: stream('/I Do'), image: '/Width 1000000 /Height 1000000' }),
    'a.pdf',
  ],
  ['25 MB of RTF groups', (scale) => Buffer.from(`{\\rtf1 ${fill('{', 25 * mb * scale)}`), 'a.rtf'],
  [
    '25 MB of RTF controls',
    (scale) => Buffer.from(`{\\rtf1 ${fill("\\v x\\v0\\'41\\cell\\row", 25 * mb * scale)}`),
    'a.rtf',
  ],
  ['25 MB of HTML', (scale) => Buffer.from(`<html>${fill('<div style="color:red">', 25 * mb * scale)}`), 'a.html'],
  ['25 MB of one line', (scale) => Buffer.from(fill('x', 25 * mb * scale)), 'a.txt'],
  ['25 MB of blank lines', (scale) => Buffer.from(fill('\n', 25 * mb * scale)), 'a.txt'],
  ['25 MB of letters without width', (scale) => Buffer.from(fill('\u200b', 8 * mb * scale)), 'a.txt'],
  ['25 MB of no charset', (scale) => Buffer.alloc(25 * mb * scale, 0xe9), 'a.txt'],
  ['25 MB of values', (scale) => Buffer.from(fill('a;"b";1,204.50\n', 25 * mb * scale)), 'a.csv'],
  ['a compound file whose sectors follow themselves', () => looped(compound('WordDocument', 5000)), 'a.doc'],
  ['a Word document of nothing', () => compound('WordDocument', 5000), 'a.doc'],
  ['a Word document of pieces without end', (scale) => oldWord(200_000 * scale), 'a.doc'],
  ['a workbook of records without end', (scale) => compound('Workbook', 8 * mb * scale), 'a.xls'],
  ['an encrypted document', () => compound('EncryptedPackage', 5000), 'a.docx'],
  ['objects that unpack to 10 GB', (scale) => pdf({ more: objectStream(10_000 * mb * scale) }), 'a.pdf'],
  [
    'a page of a million operators',
    (scale) => pdf({ content: stream(fill('0 0 1 1 re f\n', 20 * mb * scale)) }),
    'a.pdf',
  ],
  ['a form in itself', () => pdf({ content: stream('/X Do'), form: '/X Do /X Do' }), 'a.pdf'],
  ['pages that are their own parents', () => pdf({ kids: '2 0 R 2 0 R' }), 'a.pdf'],
  ['two billion pages', () => pdf({ count: 2_000_000_000 }), 'a.pdf'],
  [
    'a script',
    () =>
      pdf({
        catalog: '/OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >>',
        content: stream('BT /F 12 Tf 72 700 Td (Words) Tj ET'),
      }),
    'a.pdf',
  ],
]

/** Files that exceed a limit at any size, because of what their reader does with them. */
export const exhaustingFiles: readonly Hostile[] = [
  [
    'a workbook of wide columns',
    () => workbook({ before: '<cols><col min="1" max="2000000000" hidden="1"/></cols>' }),
    'a.xlsx',
  ],
  ['a page packed twice', (scale) => pdf({ content: twice(2_000 * mb * scale) }), 'a.pdf'],
  ['states saved without end', (scale) => pdf({ content: stream(fill('q ', 20 * mb * scale)) }), 'a.pdf'],
]

type Part = { readonly packed: Buffer; readonly size: number }

/** A file as it is stored in an archive. */
function part(content: string): Part {
  const bytes = Buffer.from(content)
  return { packed: deflateRawSync(bytes, { level: 1 }), size: bytes.length }
}

/** Zeros, compressed a thousandfold almost instantly by repeating the same block. */
function bomb(bytes: number): Part {
  const block = deflateRawSync(Buffer.alloc(mb), { finishFlush: constants.Z_FULL_FLUSH })
  const blocks = Math.max(1, Math.round(bytes / mb))
  return {
    packed: Buffer.concat([...Array.from({ length: blocks }, () => block), Buffer.of(3, 0)]),
    size: Math.min(blocks * mb, 0xffffffff),
  }
}

/** An archive, without checksums, because no reader verifies them. */
function zip(parts: Readonly<Record<string, Part>>): Buffer {
  const pieces: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const [name, { packed, size }] of Object.entries(parts)) {
    const fields = Buffer.alloc(26)
    fields.writeUInt16LE(20, 0)
    fields.writeUInt16LE(8, 4)
    fields.writeUInt32LE(packed.length, 14)
    fields.writeUInt32LE(size, 18)
    fields.writeUInt16LE(name.length, 22)
    const place = Buffer.alloc(14)
    place.writeUInt32LE(at, 10)
    pieces.push(Buffer.from('PK\x03\x04'), fields, Buffer.from(name), packed)
    directory.push(Buffer.from('PK\x01\x02\x14\x00'), fields, place, Buffer.from(name))
    at += 30 + name.length + packed.length
  }
  const count = Math.min(Object.keys(parts).length, 0xffff)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(count, 4)
  end.writeUInt16LE(count, 6)
  end.writeUInt32LE(
    directory.reduce((sum, { length }) => sum + length, 0),
    8,
  )
  end.writeUInt32LE(at, 12)
  return Buffer.concat([...pieces, ...directory, Buffer.from('PK\x05\x06'), end])
}

const relations = (target: string) =>
  part(`<Relationships><Relationship Id="a" Type="x/officeDocument" Target="${target}"/></Relationships>`)

const word = (document: Part, more: Readonly<Record<string, Part>> = {}) =>
  zip({ '_rels/.rels': relations('word/document.xml'), 'word/document.xml': document, ...withStyles(more) })

const withStyles = (more: Readonly<Record<string, Part>>) =>
  'word/styles.xml' in more
    ? {
        ...more,
        'word/_rels/document.xml.rels': part(
          '<Relationships><Relationship Id="s" Type="x/styles" Target="styles.xml"/></Relationships>',
        ),
      }
    : more

const body = (content: string) => `<w:document><w:body>${content}</w:body></w:document>`
const paragraphs = (bytes: number) => body(fill('<w:p><w:r><w:t>words</w:t></w:r></w:p>', bytes))
const hiddenRun = '<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>words</w:t></w:r></w:p>'
const circle =
  '<w:styles><w:style w:styleId="a"><w:basedOn w:val="b"/></w:style><w:style w:styleId="b"><w:basedOn w:val="a"/></w:style></w:styles>'
const laughs = `<!DOCTYPE x [<!ENTITY a0 "lol">${Array.from({ length: 30 }, (_, n) => `<!ENTITY a${n + 1} "&a${n};&a${n};">`).join('')}]>${body('<w:p><w:r><w:t>&a30;</w:t></w:r></w:p>')}`

function nested(levels: number): Buffer {
  const inner = levels === 0 ? Buffer.from('x') : nested(levels - 1)
  return zip({ 'word/document.xml': { packed: deflateRawSync(inner), size: inner.length } })
}

type Book = {
  readonly strings?: string
  readonly rows?: string
  readonly before?: string
  readonly more?: string
  readonly format?: string
}

function workbook({ strings = '', rows = '', before = '', more = '', format = 'General' }: Book): Buffer {
  const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
  const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
  const type = (name: string, form: string) =>
    `<Override PartName="/xl/${name}.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.${form}+xml"/>`
  return zip({
    '[Content_Types].xml': part(
      `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${type('workbook', 'sheet.main')}${type('sheet1', 'worksheet')}${type('strings', 'sharedStrings')}${type('styles', 'styles')}</Types>`,
    ),
    '_rels/.rels': relations('xl/workbook.xml'),
    'xl/workbook.xml': part(
      `<workbook xmlns="${main}" xmlns:r="${office}"><sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>`,
    ),
    'xl/_rels/workbook.xml.rels': part(
      `<Relationships><Relationship Id="r1" Type="${office}/worksheet" Target="sheet1.xml"/><Relationship Id="r2" Type="${office}/sharedStrings" Target="strings.xml"/></Relationships>`,
    ),
    'xl/sheet1.xml': part(`<worksheet xmlns="${main}">${before}<sheetData>${rows}</sheetData>${more}</worksheet>`),
    'xl/strings.xml': part(`<sst xmlns="${main}">${strings}</sst>`),
    'xl/styles.xml': part(
      `<styleSheet xmlns="${main}"><numFmts><numFmt numFmtId="200" formatCode="${format}"/></numFmts><cellXfs><xf numFmtId="200"/></cellXfs></styleSheet>`,
    ),
  })
}

function cells(bytes: number): string {
  const row = (n: number) =>
    `<row r="${n}">${Array.from({ length: 50 }, () => '<c s="0"><v>1.5</v></c>').join('')}</row>`
  return Array.from({ length: Math.ceil(bytes / row(100_000).length) }, (_, n) => row(n + 1)).join('')
}

const repeated =
  '<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="1000000"><text:p>x</text:p></table:table-cell></table:table-row>'
const openSheet = (rows: string) =>
  zip({
    'content.xml': part(
      `<office:document-content><office:body><office:spreadsheet><table:table>${rows}</table:table></office:spreadsheet></office:body></office:document-content>`,
    ),
  })
const openText = (content: string) =>
  zip({
    'content.xml': part(
      `<office:document-content><office:body><office:text><text:p>${content}</text:p></office:text></office:body></office:document-content>`,
    ),
  })

/** The dictionary of a stream and its bytes. */
type Stream = readonly [dictionary: string, bytes: Buffer]

const stream = (content: string): Stream => ['/Filter /FlateDecode', deflateSync(content, { level: 1 })]

function bombStream(bytes: number): Stream {
  return ['/Filter /FlateDecode', Buffer.concat([Buffer.of(0x78, 0x9c), bomb(bytes).packed])]
}

function twice(bytes: number): Stream {
  return ['/Filter [/FlateDecode /FlateDecode]', deflateSync(bombStream(bytes)[1])]
}

function objectStream(bytes: number): Stream {
  const [filter, packed] = bombStream(bytes)
  return [`/Type /ObjStm /N 1000000 /First 100 ${filter}`, packed]
}

type Pdf = {
  readonly catalog?: string
  readonly kids?: string
  readonly count?: number
  readonly content?: Stream
  readonly form?: string
  readonly image?: string
  readonly toUnicode?: string
  readonly more?: Stream
}

/** A PDF without a cross-reference table, which readers then have to build. */
function pdf({
  catalog = '',
  kids = '3 0 R',
  count = 1,
  content = stream(''),
  form = '',
  image = '/Width 1 /Height 1',
  toUnicode = '',
  more = stream(''),
}: Pdf): Buffer {
  const streams: readonly (readonly [number, string, Stream])[] = [
    [4, '', content],
    [6, '/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>', stream(form)],
    [7, `/Type /XObject /Subtype /Image ${image} /BitsPerComponent 8 /ColorSpace /DeviceRGB`, stream('')],
    [8, '', stream(`/CIDInit /ProcSet findresource begin begincmap ${toUnicode} endcmap`)],
    [9, '', more],
  ]
  const objects = [
    `1 0 obj << /Type /Catalog /Pages 2 0 R ${catalog} >> endobj`,
    `2 0 obj << /Type /Pages /Kids [${kids}] /Count ${count} /Parent 2 0 R >> endobj`,
    '3 0 obj << /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F 5 0 R >> /XObject << /X 6 0 R /I 7 0 R >> >> >> endobj',
    '5 0 obj << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 8 0 R >> endobj',
  ]
  return Buffer.concat([
    Buffer.from(`%PDF-1.5\n${objects.join('\n')}\n`),
    ...streams.flatMap(([number, dictionary, [filter, bytes]]) => [
      Buffer.from(`${number} 0 obj << ${dictionary} ${filter} /Length ${bytes.length} >> stream\n`),
      bytes,
      Buffer.from('\nendstream endobj\n'),
    ]),
    Buffer.from('trailer << /Root 1 0 R /Size 10 >>\n%%EOF\n'),
  ])
}

function compound(name: string, bytes: number, content = Buffer.alloc(bytes, 9)): Buffer {
  const container = CFB.utils.cfb_new()
  CFB.utils.cfb_add(container, `/${name}`, content)
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array)
}

/** The same with a sector table in which every entry points to the first sector. */
function looped(file: Buffer): Buffer {
  const sector = 1 << file.readUInt16LE(30)
  const table = (file.readUInt32LE(76) + 1) * sector
  for (let at = table; at + 4 <= table + sector; at += 4) file.writeUInt32LE(0, at)
  return file
}

/** A Word document whose pieces all refer to the same megabytes. */
function oldWord(pieces: number): Buffer {
  const document = Buffer.alloc(8192, 0x41)
  document.fill(0, 0, 1024)
  document.writeUInt16LE(0xa5ec, 0)
  document.writeUInt16LE(0xc1, 2)
  document.writeUInt32LE(0x7fffffff, 0x4c)
  const tables = Buffer.alloc(5 + (pieces + 1) * 4 + pieces * 8)
  tables[0] = 2
  tables.writeUInt32LE(pieces * 12 + 4, 1)
  for (let n = 0; n <= pieces; n++) tables.writeUInt32LE(n * 4000, 5 + n * 4)
  for (let n = 0; n < pieces; n++) tables.writeUInt32LE(0x40000000 + 2048, 5 + (pieces + 1) * 4 + n * 8 + 2)
  document.writeUInt32LE(tables.length, 0x1a6)
  const container = CFB.utils.cfb_new()
  CFB.utils.cfb_add(container, '/WordDocument', document)
  CFB.utils.cfb_add(container, '/0Table', tables)
  return Buffer.from(CFB.write(container, { type: 'buffer' }) as Uint8Array)
}
