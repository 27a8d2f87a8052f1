import { expect } from 'chai'
import { type FileType, fileTypeOf } from '../../../mail/extraction/file-type.ts'

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')
const compound = Buffer.from('d0cf11e0a1b11ae1', 'hex')
const utf16 = (text: string) => Buffer.from(text, 'utf16le')

const cases: readonly (readonly [
  what: string,
  type: FileType | null,
  content: string | Buffer,
  contentType: string,
  name?: string,
])[] = [
  ['a note', 'plain', 'words', 'text/plain', 'a.txt'],
  ['a note whose type has a charset', 'plain', 'Gr\xfc\xdfe', 'text/plain; charset=latin1'],
  ['a note without a type', 'plain', 'words', '', 'a.txt'],
  ['a note of nothing that is known', 'plain', 'words', 'application/octet-stream', ''],
  ['a note with the end of file of DOS', 'plain', 'words\r\n\x1a', 'text/plain'],
  ['a note in UTF-16 with a mark', 'plain', utf16('\ufeffwords'), 'text/plain'],
  ['a note in UTF-16 without a mark', 'plain', utf16('words of one'), 'text/plain'],
  ['a note in ISO-2022-JP', 'plain', '\x1b$B$3$s\x1b(B', 'text/plain; charset=iso-2022-jp'],
  ['a list of values', 'plain', 'a;b\n1;2\n', 'text/csv'],
  ['a list of values as programs of tables are given it', 'plain', 'a;b\n1;2\n', 'application/vnd.ms-excel', 'a.csv'],
  ['Markdown', 'plain', '# words', 'application/octet-stream', 'README.md'],
  ['a picture', null, png, 'image/png', 'a.png'],
  ['a picture that is called text', null, png, 'text/plain', 'a.txt'],
  ['a picture that is called PDF', null, png, 'application/pdf', 'a.pdf'],
  ['text that is called a picture', null, 'words', 'image/png', 'a.png'],
  ['text that is called PDF', 'plain', 'words', 'application/pdf', 'a.pdf'],
  ['data', null, '{"a":1}', 'application/json', 'a.json'],
  ['data by its name', null, '{"a":1}', 'application/octet-stream', 'a.json'],
  ['a calendar', null, 'BEGIN:VCALENDAR', 'text/calendar', 'a.ics'],
  ['a program', null, 'alert(1)', 'text/javascript', 'a.js'],
  ['a PDF', 'pdf', '%PDF-1.7\n', 'application/pdf', 'a.pdf'],
  ['a PDF that is called text', 'pdf', '%PDF-1.7\n', 'text/plain', 'a.txt'],
  ['a PDF behind blank lines', 'pdf', '\r\n\r\n%PDF-1.7\n', 'application/pdf'],
  ['text about a PDF', 'plain', 'It begins with %PDF-1.7', 'text/plain'],
  ['RTF', 'rtf', '{\\rtf1 words}', 'application/rtf', 'a.rtf'],
  ['RTF that is called a Word document', 'rtf', '{\\rtf1 words}', 'application/msword', 'a.doc'],
  ['a page', 'html', '<!DOCTYPE html><p>words', 'text/html', 'a.html'],
  ['a page behind its own remarks', 'html', '<?xml version="1.0"?>\n<!-- x > y -->\n<html>', 'application/xhtml+xml'],
  ['a page that is called text', 'html', '\ufeff <html><p>words', 'text/plain', 'a.txt'],
  ['a page in UTF-16', 'html', utf16('\ufeff<html><p>words'), 'text/html'],
  ['a table that is called a workbook', 'html', '<table><tr><td>1', 'application/vnd.ms-excel', 'a.xls'],
  ['part of a page', 'html', 'words <b>and</b>', 'text/html'],
  ['markup that is no page', 'plain', '<table> is a tag', 'text/plain'],
  ['a file of packed files', 'package', 'PK\x03\x04', 'application/octet-stream', 'a.docx'],
  ['a compound file', 'compound', compound, 'text/plain', 'a.doc'],
  ['nothing', 'plain', '', 'text/plain', 'a.txt'],
]

describe('mail/extraction/file-type', () => {
  for (const [what, type, content, contentType, name = ''] of cases) {
    it(`${what}: ${type ?? 'no text'}`, () => {
      const bytes = typeof content === 'string' ? Buffer.from(content) : content
      expect(fileTypeOf({ name, contentType, content: bytes })).to.equal(type)
    })
  }
})
