import { expect } from 'chai'
import { headerValues, readHeaders } from '../../mail/headers.ts'

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
  ['nothing', '', [], ''],
]

describe('mail/headers', () => {
  for (const [name, text, names, body] of bodies) {
    it(`ends at ${name}`, () => {
      const block = readHeaders(Buffer.from(text))
      expect(block.fields.map((field) => field.name)).to.deep.equal(names)
      expect(text.slice(block.bodyStart)).to.equal(body)
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
