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

/** Each made when it is asked for, as some are as large as a message may be; `scale` below 1 makes less of the same. */
export type Hostile = readonly [name: string, make: (scale: number) => Buffer]

export const hostileMime: readonly Hostile[] = [
  // Structure
  ['10,000 boundaries', (scale) => mixed(`${fill('--a\n\nx\n', 80_000 * scale)}--a--\n`)],
  ['a million boundaries', (scale) => mixed(fill('--a\n', 4 * mb * scale))],
  ['a boundary that never closes', (scale) => mixed(`--a\n\n${fill('words\n', 20 * mb * scale)}`)],
  [
    'the same boundary at every depth',
    (scale) => mixed(fill('--a\nContent-Type: multipart/mixed; boundary=a\n\n', 4 * mb * scale)),
  ],
  [
    '5,000 nested multiparts',
    (scale) => crlf(numbered(5000 * scale, (n) => `Content-Type: multipart/mixed; boundary=b${n}\n\n--b${n}\n`)),
  ],
  [
    '200 boundaries, each line like all of them',
    (scale) =>
      crlf(
        `${numbered(49, (n) => `Content-Type: multipart/mixed; boundary="${'-'.repeat(n + 1)}"\n\n--${'-'.repeat(n + 1)}\n`)}\n${fill(`--${'-'.repeat(80)}\n`, 8 * mb * scale)}`,
      ),
  ],
  ['100,000 nested messages', (scale) => crlf(fill('Content-Type: message/rfc822\n\n', 3 * mb * scale))],
  ['1,000 parts of 1,000 fields', (scale) => mixed(fill(`--a\n${fill('X: y\n', 5000)}\nx\n`, 5 * mb * scale))],
  [
    '1,000 parts of HTML',
    (scale) =>
      mixed(
        fill(`--a\nContent-Type: text/html\n\n${fill('<p style="display:none">x</p>', 20_000)}\n`, 20 * mb * scale),
      ),
  ],
  [
    'base64 in base64 in base64',
    (scale) => typed('message/rfc822', base64(base64(base64(fill('x', 2 * mb * scale)))), 'base64'),
  ],
  [
    'attached messages in base64, ten deep',
    (scale) =>
      Array.from({ length: 10 }).reduce<Buffer>(
        (inner) => typed('message/rfc822', base64(inner), 'base64'),
        crlf(`Subject: x\n\n${fill('y', 200_000 * scale)}`),
      ),
  ],
  // Headers
  ['a header of 10 MB', (scale) => header(`X: ${'y'.repeat(10 * mb * scale)}`)],
  ['a subject of 10 MB', (scale) => header(`Subject: ${'y'.repeat(10 * mb * scale)}`)],
  ['a million header fields', (scale) => header(fill('X: y\n', 5 * mb * scale).trimEnd())],
  ['header lines without end', (scale) => Buffer.from(fill('X: y\r\n', 20 * mb * scale))],
  ['a field folded a million times', (scale) => header(`Subject: a\n${fill(' b\n', 3 * mb * scale).trimEnd()}`)],
  [
    '100,000 recipients',
    (scale) => header(`To: ${numbered(100_000 * scale, (n) => `u${n}@example.org, `)}x@example.org`),
  ],
  ['recipients in 200 KB of groups', (scale) => header(`To: ${fill('g:a@b;', 200_000 * scale)}`)],
  [
    'addresses of comments in comments',
    (scale) => header(`To: ${'('.repeat(100_000 * scale)}${')'.repeat(100_000 * scale)}a@b`),
  ],
  ['addresses of comments that never close', (scale) => header(`To: ${'(a'.repeat(100_000 * scale)}) a@b`)],
  ['addresses of quotes', (scale) => header(`To: ${'"\\'.repeat(100_000 * scale)}" a@b`)],
  ['addresses of angles', (scale) => header(`To: ${'<'.repeat(200_000 * scale)}`)],
  ['addresses of words', (scale) => header(`To: ${'a '.repeat(100_000 * scale)}`)],
  ['addresses of encoded words', (scale) => header(`To: ${fill('=?utf-8?Q?a?= <a@b>,', 200_000 * scale)}`)],
  ['a date of comments', (scale) => header(`Date: ${'('.repeat(200_000 * scale)}`)],
  ['a date of digits', (scale) => header(`Date: ${'1'.repeat(200_000 * scale)}`)],
  ['encoded words', (scale) => header(`Subject: ${fill('=?utf-8?Q?=41?= ', 200_000 * scale)}`)],
  ['encoded words of one character', (scale) => header(`Subject: ${fill('=?utf-8?B?YQ==?=', 60_000 * scale)}`)],
  ['encoded words that never end', (scale) => header(`Subject: ${fill('=?utf-8?Q?', 60_000 * scale)}`)],
  [
    'encoded words of every charset',
    (scale) => header(`Subject: ${numbered(3000 * scale, (n) => `=?x-${n}?Q?=ff?= `)}`),
  ],
  [
    'RFC 2231 sections by the thousand',
    (scale) => header(`Content-Type: text/plain${numbered(20_000 * scale, (n) => `; name*${n}*=%41`)}`),
  ],
  [
    '1,000 parts with names of sections',
    (scale) =>
      mixed(
        fill(
          `--a\nContent-Disposition: attachment${numbered(90, (n) => `; filename*${n}*=%41%42`)}\n\nx\n`,
          2 * mb * scale,
        ),
      ),
  ],
  ['an id of at signs', (scale) => header(`Message-ID: ${'@'.repeat(200_000 * scale)}<`)],
  ['references without end', (scale) => header(`References: ${fill('<a@b> ', 200_000 * scale)}`)],
  // Lines and bytes
  ['a line of 20 MB', (scale) => text('x'.repeat(20 * mb * scale))],
  ['nothing but NUL', (scale) => Buffer.alloc(20 * mb * scale)],
  ['bare CR', (scale) => Buffer.from(`Subject: x\r\r${'\r'.repeat(10 * mb * scale)}`)],
  ['blank lines', (scale) => text('\n'.repeat(10 * mb * scale))],
  ['blanks', (scale) => text(' '.repeat(20 * mb * scale))],
  ['zero-width characters', (scale) => text('\u200b'.repeat(3 * mb * scale))],
  ['words cut by zero-width characters', (scale) => text('a\u200b'.repeat(2 * mb * scale))],
  ['flags and tags', (scale) => text('\u{1f3f4}\u{e0061}'.repeat(500_000 * scale))],
  ['quotations', (scale) => text(fill('> \n', 4 * mb * scale))],
  ['quotations a million deep', (scale) => text(`${'>'.repeat(2 * mb * scale)} x`)],
  ['flowed lines', (scale) => typed('text/plain; format=flowed', fill('x \n', 4 * mb * scale))],
  ['endless base64', (scale) => typed('image/png', 'A'.repeat(20 * mb * scale), 'base64')],
  ['base64 of padding', (scale) => typed('image/png', '='.repeat(10 * mb * scale), 'base64')],
  ['base64 of short runs', (scale) => typed('image/png', fill('AA==', 10 * mb * scale), 'base64')],
  ['quoted-printable of soft breaks', (scale) => typed('text/plain', fill('=\n', 8 * mb * scale), 'quoted-printable')],
  ['quoted-printable of blanks', (scale) => typed('text/plain', fill('= ', 8 * mb * scale), 'quoted-printable')],
  ['UTF-7', (scale) => typed('text/plain; charset=utf-7', fill('+AGE-', 4 * mb * scale))],
  [
    'ISO-2022-JP that shifts',
    (scale) => typed('text/plain; charset=iso-2022-jp', fill('\x1b$B0\x1b(B', 4 * mb * scale)),
  ],
  ['HZ', (scale) => typed('text/plain; charset=hz-gb-2312', fill('~{<:~}', 4 * mb * scale))],
  // Files in other forms
  ['uuencoded files that never end', (scale) => text(fill('begin 644 a\n', 4 * mb * scale))],
  ['uuencoded files of nothing', (scale) => text(fill('begin 644 a\nend\n', 4 * mb * scale))],
  ['uuencoded lines that promise more', (scale) => text(`begin 644 a\n${fill('M\n', 4 * mb * scale)}end\n`)],
  ['yEnc that never ends', (scale) => text(fill('=ybegin name=a\n', 4 * mb * scale))],
  [
    'TNEF of empty files',
    (scale) => tnefMessage(Buffer.from(fill('\x02\x02\x90\x06\x00\0\0\0\0\0\0', mb * scale), 'latin1')),
  ],
  [
    'TNEF of properties',
    (scale) =>
      tnefMessage(
        attribute(0x00069003, Buffer.from(`\xff\xff\xff\xff${fill('\x03\0\x01\0\0\0\0\0', mb * scale)}`, 'latin1')),
      ),
  ],
  ['TNEF that promises 4 GB', () => tnefMessage(Buffer.from('01039006 00ffffffff'.replaceAll(' ', ''), 'hex'))],
  ['RTF that grows', (scale) => tnefMessage(properties(rtfProperty(compressedRtf(2 * mb * scale))))],
  ['RTF of groups', (scale) => tnefMessage(properties(rtfProperty(storedRtf(`{\\rtf1${'{'.repeat(4 * mb * scale)}`))))],
  [
    'RTF of control words',
    (scale) => tnefMessage(properties(rtfProperty(storedRtf(`{\\rtf1${fill("\\'41\\u1 ", 4 * mb * scale)}`)))),
  ],
  [
    'CMS nested without end',
    (scale) => typed('application/pkcs7-mime', base64(Buffer.from('3080'.repeat(mb * scale), 'hex')), 'base64'),
  ],
  [
    'CMS of a million pieces',
    (scale) => typed('application/pkcs7-mime; smime-type=signed-data', base64(signedPieces(mb * scale)), 'base64'),
  ],
]

export const hostileHtml: readonly Hostile[] = [
  ['100,000 nested blocks', (scale) => html('<div>'.repeat(100_000 * scale))],
  [
    '100,000 nested blocks and their ends',
    (scale) => html('<div>'.repeat(100_000 * scale) + '</div>'.repeat(100_000 * scale)),
  ],
  ['300 levels, closed by strangers', (scale) => html('<b>'.repeat(299) + fill('</i>', mb * scale))],
  ['an attribute of 5 MB', (scale) => html(`<p title="${'x'.repeat(5 * mb * scale)}">y</p>`)],
  ['a style of 1 MB', (scale) => html(`<p style="${fill('color:red;', mb * scale)}">y</p>`)],
  ['100,000 attributes', (scale) => html(`<p ${numbered(100_000 * scale, (n) => `a${n}=1 `)}>y</p>`)],
  ['a million entities', (scale) => html(fill('&NotEqualTilde;', 8 * mb * scale))],
  ['entities without end', (scale) => html('&'.repeat(mb * scale))],
  ['numeric entities', (scale) => html(fill('&#x1d5a0;', mb * scale))],
  ['a million tags', (scale) => html(fill('<b>x</b>', 8 * mb * scale))],
  ['open angles', (scale) => html('<'.repeat(mb * scale))],
  ['comments that never end', (scale) => html(fill('<!--', mb * scale))],
  ['lists in lists', (scale) => html(fill('<ul><li>x</li></ul>', mb * scale))],
  ['quotations in HTML', (scale) => html(fill('<blockquote>x', mb * scale))],
  ['a table of a million cells', (scale) => html(`<table><tr>${fill('<td>x', mb * scale)}`)],
  ['links', (scale) => html(fill('<a href="https://x.example/">x</a>', mb * scale))],
  ['links in links', (scale) => html(fill('<a href=http://x>', mb * scale))],
  [
    'rules by the thousand',
    (scale) =>
      html(
        `<style>${numbered(40_000 * scale, (n) => `.a${n}{color:red}`)}</style>${fill('<p class="a1 a2 a3">x', 400_000 * scale)}`,
      ),
  ],
  [
    'rules of ancestors',
    (scale) =>
      html(
        `<style>${numbered(1000 * scale, (n) => `.b${n} .b${n} .b${n} .b${n} p{color:red}`)}</style>${'<div>'.repeat(290)}${fill('<p>x</p>', 500_000 * scale)}`,
      ),
  ],
  [
    'classes in every order',
    (scale) =>
      html(
        `<style>${numbered(20, (n) => `.c${n}{color:red;background:blue;font-size:1px;left:1px;top:2px}`)}</style>${numbered(20_000 * scale, (n) => `<p class="c${n % 20} c${(n * 7) % 20} c${(n * 3) % 20} x${n}">x`)}`,
      ),
  ],
  ['CSS comments', (scale) => html(`<style>${fill('/*', mb * scale)}`)],
  ['CSS blocks', (scale) => html(`<style>${fill('a{', mb * scale)}`)],
  [
    'CSS blocks in blocks',
    (scale) => html(`<style>a,b,c,d,e{${'a,b,c,d,e{'.repeat(5)}${fill('f,g{display:none}', (mb / 2) * scale)}`),
  ],
  [
    'CSS functions',
    (scale) => html(`<style>${fill(':is(', mb * scale)}</style><p style="left:calc(${fill('(', 100_000 * scale)}">x`),
  ],
  [
    'variables of variables',
    (scale) =>
      html(
        `<style>:root{${numbered(99, (n) => `--a${n + 1}:var(--a${n})var(--a${n});`)}}p{color:var(--a99)}</style>${fill('<p>x</p>', 500_000 * scale)}`,
      ),
  ],
  [
    'rules of attributes',
    (scale) =>
      html(
        `<style>${numbered(2000 * scale, (n) => `[class*=a${n}]{display:none}`)}</style>${fill(`<p class="${'b'.repeat(2000)}">x`, 900_000 * scale)}`,
      ),
  ],
  [
    'rules of siblings',
    (scale) => html(`<style>p~p~p~p~.x{display:none}</style>${fill('<p>x</p>', 900_000 * scale)}<p class=x>y`),
  ],
  ['hidden text everywhere', (scale) => html(fill('<p hidden>x</p>y', mb * scale))],
  ['a page of white space', (scale) => html(`<pre>a${' '.repeat(mb * scale)}b`)],
  ['data images', (scale) => html(fill('<img src="data:image/png;base64,AAAA">', mb * scale))],
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
