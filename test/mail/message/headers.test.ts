import { expect } from 'chai'
import { decodeWords } from '../../../mail/encoding/header-words.ts'
import { headerValues, readHeaders } from '../../../mail/message/headers.ts'
import { expectLinear } from '../cost.ts'

const bodies: readonly (readonly [name: string, text: string, names: readonly string[], body: string])[] = [
  ['a blank line', 'A: 1\r\nB: 2\r\n\r\nbody', ['A', 'B'], 'body'],
  ['bare line feeds', 'A: 1\nB: 2\n\nbody', ['A', 'B'], 'body'],
  ['no blank line', 'A: 1\r\nthis is no field\r\n', ['A'], 'this is no field\r\n'],
  ['no body', 'A: 1\r\nB: 2\r\n', ['A', 'B'], ''],
  ['no line end', 'A: 1', ['A'], ''],
  ['a body only', '\r\nA: 1\r\n', [], 'A: 1\r\n'],
  ['an mbox line in front', 'From a@b Mon Jan  1 00:00:00 2001\nA: 1\n\nx', ['A'], 'x'],
  ['blanks before the colon', 'A : 1\r\n\r\nx', ['A'], 'x'],
  ['a name with a blank ends the header', 'A: 1\r\nnot a field: x\r\n', ['A'], 'not a field: x\r\n'],
  ['a continuation of blanks alone', 'A: 1\r\n \r\nB: 2\r\n\r\nx', ['A', 'B'], 'x'],
  ['dashes, fields behind them', 'A: 1\r\n--b\r\nContent-Type: x\r\n\r\nx', ['A'], '--b\r\nContent-Type: x\r\n\r\nx'],
  ['nothing', '', [], ''],
  ['a line that is no field, more fields behind it', 'A: 1\r\n: odd\r\n x\r\nTo: b\r\n\r\nx', ['A', 'To'], 'x'],
  ['a name with blanks, more fields behind it', 'A: 1\nX Y: foo\nDate: b\n\nx', ['A', 'Date'], 'x'],
  ['a name of other letters, more fields behind it', 'A: 1\nSübject: b\nTo: b\n\nx', ['A', 'To'], 'x'],
  ['a NUL in a name', 'A: 1\nB\0: b\nTo: b\n\nx', ['A', 'To'], 'x'],
  ['a status line in front', 'HTTP/1.1 200 OK\r\nFrom: 1\r\n\r\nx', ['From'], 'x'],
  ['a blank in front', ' odd: 1\r\nFrom: 1\r\n\r\nx', ['From'], 'x'],
  ['a byte order mark in front', '\ufeffFrom: 1\r\n\r\nx', ['From'], 'x'],
  ['a byte order mark behind what servers add', 'Received: 1\r\n\ufeffTo: 1\r\n\r\nx', ['Received', 'To'], 'x'],
  ['a parameter at the start of a line', 'A: 1;\nb="c"\n\nx', ['A'], 'x'],
  ['an encoded word at the start of a line', 'A: =?utf-8?Q?a?=\n=?utf-8?Q?b?=\n\nx', ['A'], 'x'],
  [
    'no blank line before a quotation',
    'From: 1\nTo: 2\n-- Original --\nFrom: 3\n\nx',
    ['From', 'To'],
    '-- Original --\nFrom: 3\n\nx',
  ],
  [
    'no blank line before words with a colon',
    'From: 1\nHello you\nNote: this\n\nx',
    ['From'],
    'Hello you\nNote: this\n\nx',
  ],
]

describe('mail/message/headers', () => {
  for (const [name, text, names, body] of bodies) {
    it(`ends at ${name}`, () => {
      const block = readHeaders(Buffer.from(text))
      expect(block.fields.map((field) => field.name)).to.deep.equal(names)
      expect(Buffer.from(text).toString('utf8', block.bodyStart)).to.equal(body)
    })
  }

  it('unfolds, decodes and keeps the offsets of each field', () => {
    const raw = Buffer.from('Subject: =?utf-8?Q?gr=C3=BC?=\r\n =?utf-8?Q?n?= and\r\n\tmore\r\nX: y\r\n\r\n')
    const [subject, x] = readHeaders(raw).fields
    expect(subject?.value).to.equal('grün and more')
    expect(raw.toString('latin1', subject?.start, subject?.end)).to.match(/^Subject: .*more\r\n$/s)
    expect(x?.start).to.equal(subject?.end)
  })

  it('reads 8-bit fields as UTF-8 or windows-1252, also inside encoded words', () => {
    const value = (line: Buffer) =>
      readHeaders(Buffer.concat([Buffer.from('S: '), line, Buffer.from('\r\n\r\n')])).fields[0]?.value
    expect(value(Buffer.from('Grüße'))).to.equal('Grüße')
    expect(value(Buffer.from('Gr\xfc\xdfe', 'latin1'))).to.equal('Grüße')
    expect(value(Buffer.from('=?iso-8859-1?Q?Gr\xfc=DFe_x?=', 'latin1'))).to.equal('Grüße x')
    expect(value(Buffer.from('a\0b'))).to.equal('ab')
  })

  it('reads 8-bit fields in the charset of the text when they are no UTF-8', () => {
    const value = (line: string, charset: string) =>
      readHeaders(Buffer.from(`S: ${line}\r\nContent-Type: text/plain; charset=${charset}\r\n\r\n`, 'latin1')).fields[0]
        ?.value
    expect(value('\xcf\xf0\xe8\xe2\xe5\xf2', 'windows-1251')).to.equal('Привет')
    expect(value('\x83\x5c\x95\x5c', 'Shift_JIS')).to.equal('ソ表')
    expect(value('\xc4\xe3\xba\xc3', 'gb2312')).to.equal('你好')
    expect(value(Buffer.from('Привет').toString('latin1'), 'windows-1251')).to.equal('Привет')
    expect(value(`${Buffer.from('Привет').toString('latin1')} \xff`, 'windows-1251')).to.equal('Привет \ufffd')
    expect(value('Gr\xfc\xdfe', 'utf-8')).to.equal('Grüße')
    expect(value('\x1b$B$3$s\x1b(B', 'iso-2022-jp')).to.equal('こん')
  })

  it('a line without its blank goes on the field before when that is not finished', () => {
    const raw = Buffer.from(
      'Subject: =?utf-8?Q?gr=C3=BC?=\r\n=?utf-8?Q?n?=\r\nTo: a@x,\r\nb@x\r\nDate: now\r\nX Y\r\nCc: c@x\r\n\r\n',
    )
    const { fields } = readHeaders(raw)
    expect(fields.map(({ name, value }) => [name, value])).to.deep.equal([
      ['Subject', 'grün'],
      ['To', 'a@x, b@x'],
      ['Date', 'now'],
      ['Cc', 'c@x'],
    ])
    expect(fields[1]?.start).to.equal(fields[0]?.end)
    expect(raw.toString('latin1', fields[2]?.end, fields[3]?.start)).to.equal('X Y\r\n')
  })

  it('takes linear time for lines that are no fields', () => {
    for (const line of ['x y\n', '\x01;\n', 'a=b;\n', '=?a?q?b?=\n', ': \n', '\xff: a\n']) {
      for (const end of ['To: x\n\n', '\n']) {
        const lines = (count: number) => Buffer.from(`A: 1;\n${line.repeat(count)}${end}`, 'latin1')
        const read = (raw: Buffer) => readHeaders(raw, { bounds: { bytesMax: raw.length, countMax: 1000 } })
        expectLinear(line, lines(100_000), read, lines(12_500))
      }
    }
  })

  const words: readonly (readonly [string, string])[] = [
    ['=?ANSI_X3.4-1968?Q?Cron_<root@host>_backup?=', 'Cron <root@host> backup'],
    ['=?ISO_8859-1:1987?Q?caf=E9?=', 'café'],
    ['=?utf-8?Q?caf=E9?=', 'café'],
    ['=?unknown-8bit?Q?caf=E9?=', 'café'],
    ['=?us-ascii?Q?caf=C3=A9?=', 'café'],
    ['=?utf-8?Q?Wie_geht=27s?_K=C3=A4se?=', "Wie geht's? Käse"],
    ['=?utf-8?Q?Who??=', 'Who?'],
    ['=?utf-8?Q?a?= b =?utf-8?Q?c?=', 'a b c'],
    ['=?utf-8?Q?a?==?utf-8?Q?b?=', 'ab'],
    ['=?utf-8?B?4g==?= =?utf-8?B?gqw=?=', '€'],
    ['=?utf-8?B?4oK?= =?utf-8?B?s?=', '€'],
    ['=?utf-8*en?q?hi?=', 'hi'],
    ['=?utf-8?Q?open', '=?utf-8?Q?open'],
    ['a =?b', 'a =?b'],
  ]
  for (const [value, expected] of words)
    it(`encoded words: ${value}`, () => expect(decodeWords(value)).to.equal(expected))

  for (const evil of [
    '=?x?Q?x'.repeat(9_000),
    '=?x?Q?'.repeat(10_000),
    '=?utf-8?Q??=AA'.repeat(4_600),
    '=?'.repeat(32_000),
  ])
    it(`encoded words by the thousand take little time: ${evil.slice(0, 14)}`, () => {
      expectLinear('decoding', evil, (words) => decodeWords(`${words}?=`))
    })

  it('decodes a character split over two encoded words', () => {
    const raw = Buffer.from('S: =?utf-8?B?w7w=?= =?utf-8?B?4oI=?= =?utf-8?B?rA==?=\r\n\r\n')
    expect(readHeaders(raw).fields[0]?.value).to.equal('ü€')
  })

  it('keeps what comes before a limit and still finds the body', () => {
    const many = readHeaders(Buffer.from(`${'A: 1\r\n'.repeat(3000)}\r\nbody`))
    expect(many.fields).to.have.length(1000)
    expect(many.truncated).to.equal(true)
    expect(many.bodyStart).to.equal(3000 * 6 + 2)
    const long = readHeaders(Buffer.from(`A: 1\r\nB: ${'x'.repeat(1024 * 1024)}\r\nC: 3\r\n\r\nbody`))
    expect(long.fields.map((field) => field.name)).to.deep.equal(['A'])
    expect(long.truncated).to.equal(true)
  })

  it('headerValues finds every field of a name, whatever its case', () => {
    const { fields } = readHeaders(Buffer.from('RECEIVED: 1\r\nreceived: 2\r\n\r\n'))
    expect(headerValues(fields, 'Received')).to.deep.equal(['1', '2'])
  })
})
