/** Messages made to cost their reader more than their sender. */
import { crlf } from './fixtures.ts'
import { attribute, properties, property, stream } from './message/tnef-stream.ts'

const mb = 1024 * 1024

const typed = (type: string, content: string, encoding = '7bit') =>
  crlf(`Content-Type: ${type}\nContent-Transfer-Encoding: ${encoding}\n\n${content}`)
const html = (content: string) => typed('text/html; charset=utf-8', content)
const text = (content: string) => typed('text/plain; charset=utf-8', content)
const header = (field: string) => crlf(`${field}\n\nbody\n`)
const mixed = (content: string) => crlf(`Content-Type: multipart/mixed; boundary=a\n\n${content}`)
const fill = (piece: string, bytes: number) => piece.repeat(Math.ceil(bytes / piece.length))
const numbered = (count: number, of: (n: number) => string) => Array.from({ length: count }, (_, n) => of(n)).join('')
const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64').replace(/.{76}/g, '$&\n')

/** Each made when it is asked for, as some are as large as a message may be. */
export const hostile: readonly (readonly [name: string, make: () => Buffer])[] = [
  // Structure
  ['10,000 boundaries', () => mixed(`${fill('--a\n\nx\n', 80_000)}--a--\n`)],
  ['a million boundaries', () => mixed(fill('--a\n', 4 * mb))],
  ['a boundary that never closes', () => mixed(`--a\n\n${fill('words\n', 20 * mb)}`)],
  ['the same boundary at every depth', () => mixed(fill('--a\nContent-Type: multipart/mixed; boundary=a\n\n', 4 * mb))],
  [
    '5,000 nested multiparts',
    () => crlf(numbered(5000, (n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)),
  ],
  [
    '200 boundaries, each line like all of them',
    () =>
      crlf(
        `${numbered(49, (n) => `Content-Type: multipart/mixed; boundary="${'-'.repeat(n + 1)}"\n\n--${'-'.repeat(n + 1)}\n`)}\n${fill(`--${'-'.repeat(80)}\n`, 8 * mb)}`,
      ),
  ],
  ['100,000 nested messages', () => crlf(fill('Content-Type: message/rfc822\n\n', 3 * mb))],
  ['1,000 parts of 1,000 fields', () => mixed(fill(`--a\n${fill('X: y\n', 5000)}\nx\n`, 5 * mb))],
  [
    '1,000 parts of HTML',
    () => mixed(fill(`--a\nContent-Type: text/html\n\n${fill('<p style="display:none">x</p>', 20_000)}\n`, 20 * mb)),
  ],
  ['base64 in base64 in base64', () => typed('message/rfc822', base64(base64(base64(fill('x', 2 * mb)))), 'base64')],
  [
    'attached messages in base64, ten deep',
    () =>
      Array.from({ length: 10 }).reduce<Buffer>(
        (inner) => typed('message/rfc822', base64(inner), 'base64'),
        crlf(`Subject: x\n\n${fill('y', 200_000)}`),
      ),
  ],
  // Headers
  ['a header of 10 MB', () => header(`X: ${'y'.repeat(10 * mb)}`)],
  ['a subject of 10 MB', () => header(`Subject: ${'y'.repeat(10 * mb)}`)],
  ['a million header fields', () => header(fill('X: y\n', 5 * mb).trimEnd())],
  ['header lines without end', () => Buffer.from(fill('X: y\r\n', 20 * mb))],
  ['a field folded a million times', () => header(`Subject: a\n${fill(' b\n', 3 * mb).trimEnd()}`)],
  ['100,000 recipients', () => header(`To: ${numbered(100_000, (n) => `u${n}@example.org, `)}x@example.org`)],
  ['recipients in 200 KB of groups', () => header(`To: ${fill('g:a@b;', 200_000)}`)],
  ['addresses of comments in comments', () => header(`To: ${'('.repeat(100_000)}${')'.repeat(100_000)}a@b`)],
  ['addresses of comments that never close', () => header(`To: ${'(a'.repeat(100_000)}) a@b`)],
  ['addresses of quotes', () => header(`To: ${'"\\'.repeat(100_000)}" a@b`)],
  ['addresses of angles', () => header(`To: ${'<'.repeat(200_000)}`)],
  ['addresses of words', () => header(`To: ${'a '.repeat(100_000)}`)],
  ['addresses of encoded words', () => header(`To: ${fill('=?utf-8?Q?a?= <a@b>,', 200_000)}`)],
  ['a date of comments', () => header(`Date: ${'('.repeat(200_000)}`)],
  ['a date of digits', () => header(`Date: ${'1'.repeat(200_000)}`)],
  ['encoded words', () => header(`Subject: ${fill('=?utf-8?Q?=41?= ', 200_000)}`)],
  ['encoded words of one character', () => header(`Subject: ${fill('=?utf-8?B?YQ==?=', 60_000)}`)],
  ['encoded words that never end', () => header(`Subject: ${fill('=?utf-8?Q?', 60_000)}`)],
  ['encoded words of every charset', () => header(`Subject: ${numbered(3000, (n) => `=?x-${n}?Q?=ff?= `)}`)],
  [
    'RFC 2231 sections by the thousand',
    () => header(`Content-Type: text/plain${numbered(20_000, (n) => `; name*${n}*=%41`)}`),
  ],
  [
    '1,000 parts with names of sections',
    () =>
      mixed(
        fill(`--a\nContent-Disposition: attachment${numbered(90, (n) => `; filename*${n}*=%41%42`)}\n\nx\n`, 2 * mb),
      ),
  ],
  ['an id of at signs', () => header(`Message-ID: ${'@'.repeat(200_000)}<`)],
  ['references without end', () => header(`References: ${fill('<a@b> ', 200_000)}`)],
  // Lines and bytes
  ['a line of 20 MB', () => text('x'.repeat(20 * mb))],
  ['nothing but NUL', () => Buffer.alloc(20 * mb)],
  ['bare CR', () => Buffer.from(`Subject: x\r\r${'\r'.repeat(10 * mb)}`)],
  ['blank lines', () => text('\n'.repeat(10 * mb))],
  ['blanks', () => text(' '.repeat(20 * mb))],
  ['zero-width characters', () => text('\u200b'.repeat(3 * mb))],
  ['words cut by zero-width characters', () => text('a\u200b'.repeat(2 * mb))],
  ['flags and tags', () => text('\u{1f3f4}\u{e0061}'.repeat(500_000))],
  ['quotations', () => text(fill('> \n', 4 * mb))],
  ['quotations a million deep', () => text(`${'>'.repeat(2 * mb)} x`)],
  ['flowed lines', () => typed('text/plain; format=flowed', fill('x \n', 4 * mb))],
  ['endless base64', () => typed('image/png', 'A'.repeat(20 * mb), 'base64')],
  ['base64 of padding', () => typed('image/png', '='.repeat(10 * mb), 'base64')],
  ['base64 of short runs', () => typed('image/png', fill('AA==', 10 * mb), 'base64')],
  ['quoted-printable of soft breaks', () => typed('text/plain', fill('=\n', 8 * mb), 'quoted-printable')],
  ['quoted-printable of blanks', () => typed('text/plain', fill('= ', 8 * mb), 'quoted-printable')],
  ['UTF-7', () => typed('text/plain; charset=utf-7', fill('+AGE-', 4 * mb))],
  ['ISO-2022-JP that shifts', () => typed('text/plain; charset=iso-2022-jp', fill('\x1b$B0\x1b(B', 4 * mb))],
  ['HZ', () => typed('text/plain; charset=hz-gb-2312', fill('~{<:~}', 4 * mb))],
  // Files in other forms
  ['uuencoded files that never end', () => text(fill('begin 644 a\n', 4 * mb))],
  ['uuencoded files of nothing', () => text(fill('begin 644 a\nend\n', 4 * mb))],
  ['uuencoded lines that promise more', () => text(`begin 644 a\n${fill('M\n', 4 * mb)}end\n`)],
  ['yEnc that never ends', () => text(fill('=ybegin name=a\n', 4 * mb))],
  ['TNEF of empty files', () => tnefMessage(Buffer.from(fill('\x02\x02\x90\x06\x00\0\0\0\0\0\0', mb), 'latin1'))],
  [
    'TNEF of properties',
    () =>
      tnefMessage(attribute(0x00069003, Buffer.from(`\xff\xff\xff\xff${fill('\x03\0\x01\0\0\0\0\0', mb)}`, 'latin1'))),
  ],
  ['TNEF that promises 4 GB', () => tnefMessage(Buffer.from('01039006 00ffffffff'.replaceAll(' ', ''), 'hex'))],
  ['RTF that grows', () => tnefMessage(properties(rtfProperty(compressedRtf(2 * mb))))],
  ['RTF of groups', () => tnefMessage(properties(rtfProperty(storedRtf(`{\\rtf1${'{'.repeat(4 * mb)}`))))],
  [
    'RTF of control words',
    () => tnefMessage(properties(rtfProperty(storedRtf(`{\\rtf1${fill("\\'41\\u1 ", 4 * mb)}`)))),
  ],
  [
    'CMS nested without end',
    () => typed('application/pkcs7-mime', base64(Buffer.from('3080'.repeat(mb), 'hex')), 'base64'),
  ],
  [
    'CMS of a million pieces',
    () => typed('application/pkcs7-mime; smime-type=signed-data', base64(signedPieces(mb)), 'base64'),
  ],
  // HTML
  ['100,000 nested blocks', () => html('<div>'.repeat(100_000))],
  ['100,000 nested blocks and their ends', () => html('<div>'.repeat(100_000) + '</div>'.repeat(100_000))],
  ['300 levels, closed by strangers', () => html('<b>'.repeat(299) + fill('</i>', mb))],
  ['an attribute of 5 MB', () => html(`<p title="${'x'.repeat(5 * mb)}">y</p>`)],
  ['a style of 1 MB', () => html(`<p style="${fill('color:red;', mb)}">y</p>`)],
  ['100,000 attributes', () => html(`<p ${numbered(100_000, (n) => `a${n}=1 `)}>y</p>`)],
  ['a million entities', () => html(fill('&NotEqualTilde;', 8 * mb))],
  ['entities without end', () => html('&'.repeat(mb))],
  ['numeric entities', () => html(fill('&#x1d5a0;', mb))],
  ['a million tags', () => html(fill('<b>x</b>', 8 * mb))],
  ['open angles', () => html('<'.repeat(mb))],
  ['comments that never end', () => html(fill('<!--', mb))],
  ['lists in lists', () => html(fill('<ul><li>x</li></ul>', mb))],
  ['quotations in HTML', () => html(fill('<blockquote>x', mb))],
  ['a table of a million cells', () => html(`<table><tr>${fill('<td>x', mb)}`)],
  ['links', () => html(fill('<a href="https://x.example/">x</a>', mb))],
  ['links in links', () => html(fill('<a href=http://x>', mb))],
  [
    'rules by the thousand',
    () =>
      html(`<style>${numbered(40_000, (n) => `.a${n}{color:red}`)}</style>${fill('<p class="a1 a2 a3">x', 400_000)}`),
  ],
  [
    'rules of ancestors',
    () =>
      html(
        `<style>${numbered(1000, (n) => `.b${n} .b${n} .b${n} .b${n} p{color:red}`)}</style>${'<div>'.repeat(290)}${fill('<p>x</p>', 500_000)}`,
      ),
  ],
  [
    'classes in every order',
    () =>
      html(
        `<style>${numbered(20, (n) => `.c${n}{color:red;background:blue;font-size:1px;left:1px;top:2px}`)}</style>${numbered(20_000, (n) => `<p class="c${n % 20} c${(n * 7) % 20} c${(n * 3) % 20} x${n}">x`)}`,
      ),
  ],
  ['CSS comments', () => html(`<style>${fill('/*', mb)}`)],
  ['CSS blocks', () => html(`<style>${fill('a{', mb)}`)],
  [
    'CSS blocks in blocks',
    () => html(`<style>a,b,c,d,e{${'a,b,c,d,e{'.repeat(5)}${fill('f,g{display:none}', mb / 2)}`),
  ],
  ['CSS functions', () => html(`<style>${fill(':is(', mb)}</style><p style="left:calc(${fill('(', 100_000)}">x`)],
  [
    'variables of variables',
    () =>
      html(
        `<style>:root{${numbered(99, (n) => `--a${n + 1}:var(--a${n})var(--a${n});`)}}p{color:var(--a99)}</style>${fill('<p>x</p>', 500_000)}`,
      ),
  ],
  [
    'rules of attributes',
    () =>
      html(
        `<style>${numbered(2000, (n) => `[class*=a${n}]{display:none}`)}</style>${fill(`<p class="${'b'.repeat(2000)}">x`, 900_000)}`,
      ),
  ],
  ['rules of siblings', () => html(`<style>p~p~p~p~.x{display:none}</style>${fill('<p>x</p>', 900_000)}<p class=x>y`)],
  ['hidden text everywhere', () => html(fill('<p hidden>x</p>y', mb))],
  ['a page of white space', () => html(`<pre>a${' '.repeat(mb)}b`)],
  ['data images', () => html(fill('<img src="data:image/png;base64,AAAA">', mb))],
]

function tnefMessage(...attributes: readonly Buffer[]): Buffer {
  return typed('application/ms-tnef; name=winmail.dat', base64(stream(...attributes)), 'base64')
}

const rtfProperty = (rtf: Buffer) => property(0x1009, 0x0102, rtf)

function rtfHead(kind: string, size: number): Buffer {
  const head = Buffer.alloc(16)
  head.writeUInt32LE(size + 12, 0)
  head.writeUInt32LE(0xffffffff, 4)
  head.write(kind, 8, 'latin1')
  return head
}

function storedRtf(rtf: string): Buffer {
  return Buffer.concat([rtfHead('MELA', rtf.length), Buffer.from(rtf)])
}

/** References of the longest length, eight of them behind each control byte. */
function compressedRtf(bytes: number): Buffer {
  return Buffer.concat([rtfHead('LZFu', bytes), Buffer.from(fill(`\xff${'\x01\x0f'.repeat(8)}`, bytes), 'latin1')])
}

function signedPieces(count: number): Buffer {
  const pieces = Buffer.from('040141'.repeat(count), 'hex')
  const open = (tag: string) => Buffer.from(`${tag}80`, 'hex')
  const oid = Buffer.from('06092a864886f70d010702', 'hex')
  const data = Buffer.from('06092a864886f70d010701', 'hex')
  const version = Buffer.from('0201013100', 'hex')
  return Buffer.concat([
    open('30'),
    oid,
    open('a0'),
    open('30'),
    version,
    open('30'),
    data,
    open('a0'),
    open('24'),
    pieces,
    Buffer.alloc(14),
  ])
}
