import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { hasLongLine, isBinary, toSevenBit, withoutBinary } from '../../../mail/compose/seven-bit.ts'
import { parseMessage } from '../../../mail/message/parse.ts'

const lines = (...text: readonly string[]) => Buffer.from(text.join('\r\n'))
const convert = (raw: Buffer) => toSevenBit(raw, parseMessage(raw).root)
const mixed = (inner: readonly string[]) =>
  lines(
    'Subject: x',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
    'Content-Transfer-Encoding: 8bit',
    '',
    ...inner,
  )

describe('toSevenBit', () => {
  it('leaves a message alone that is so already', () => {
    const raw = lines('Subject: x', '', 'Hello.', '')
    expect(convert(raw)?.equals(raw)).to.equal(true)
  })

  it('encodes text, and says so', () => {
    const raw = lines(
      'Subject: x',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Grüße',
      '',
    )
    const text = convert(raw)?.toString('latin1') ?? ''
    expect(text)
      .to.contain('Content-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n')
      .and.not.contain('8bit')
  })

  it('encodes the parts that need it, and keeps the others byte for byte', () => {
    const raw = mixed([
      '--b',
      'Content-Type: text/plain; charset=utf-8',
      '',
      'Grüße',
      '--b',
      'Content-Type: application/octet-stream',
      'Content-Disposition: attachment; filename=x.bin',
      'Content-Transfer-Encoding: binary',
      '',
      'ÄÖÜ',
      '--b',
      'Content-Type: text/plain',
      '',
      'plain',
      '--b--',
      '',
    ])
    const converted = convert(raw)
    expect(converted?.every((byte) => byte < 128)).to.equal(true)
    const parsed = parseMessage(converted ?? Buffer.alloc(0))
    expect(readBody(converted ?? Buffer.alloc(0), parsed).text)
      .to.contain('Grüße')
      .and.contain('plain')
    expect(parsed.attachments).to.have.length(1)
    expect(converted?.toString()).to.contain(Buffer.from('ÄÖÜ').toString('base64'))
    expect(converted?.toString()).to.contain('Content-Transfer-Encoding: 7bit')
  })

  it('reaches into attached messages', () => {
    const inner = [
      'Subject: inner',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Grüße',
    ]
    const raw = mixed([
      '--b',
      'Content-Type: message/rfc822',
      'Content-Transfer-Encoding: 8bit',
      '',
      ...inner,
      '--b--',
      '',
    ])
    const text = convert(raw)?.toString('latin1') ?? ''
    expect(text).to.contain('Gr=C3=BC=C3=9Fe')
    expect([...text].every((char) => char < '\u0080')).to.equal(true)
  })

  const impossible: readonly (readonly [string, Buffer])[] = [
    ['a header field in UTF-8', lines('Subject: Grüße', '', 'x')],
    ['what somebody signed', lines('Content-Type: multipart/signed; boundary=b', '', '--b', '', 'Grüße', '--b--')],
    ['an encoding that lies', lines('Content-Transfer-Encoding: base64', '', 'Grüße')],
  ]
  for (const [name, raw] of impossible) it(`is impossible for ${name}`, () => expect(convert(raw)).to.equal(null))
})

describe('withoutBinary', () => {
  const shortened = (raw: Buffer) => withoutBinary(raw, parseMessage(raw).root)
  const long = 'x'.repeat(999)

  const borders: readonly (readonly [string, string, boolean])[] = [
    ['998 characters and a line end', `${'x'.repeat(998)}\r\n`, false],
    ['998 characters at the end', 'x'.repeat(998), false],
    ['999 characters and a line end', `${long}\r\n`, true],
    ['999 characters at the end', `a\r\n${long}`, true],
    ['999 characters between short lines', `a\r\n${long}\r\nb\r\n`, true],
    ['many short lines', 'word word\r\n'.repeat(500), false],
  ]
  for (const [name, text, expected] of borders)
    it(`a long line: ${name}`, () => expect(hasLongLine(Buffer.from(text))).to.equal(expected))

  it('encodes text without a MIME header, and gives it one', () => {
    const raw = shortened(lines('Subject: x', '', long, ''))
    expect(raw.toString()).to.contain('MIME-Version: 1.0\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nxxx')
    expect(hasLongLine(raw)).to.equal(false)
    expect(readBody(raw, parseMessage(raw)).text).to.contain(long)
  })

  it('leaves the parts without long lines as they are, and 8 bits where they are allowed', () => {
    const raw = shortened(mixed(['--b', '', 'Grüße', '--b', '', long, '--b--', '']))
    expect(raw.toString()).to.contain('\r\nGrüße\r\n').and.contain('Content-Transfer-Encoding: 8bit\r\n')
    expect(hasLongLine(raw)).to.equal(false)
  })

  const words = (of: string) => Array.from({ length: 400 }, (_, n) => `<${n}.${of}@example.com>`)
  const folded: readonly (readonly [string, string, readonly string[]])[] = [
    ['at blanks', 'References: ', words('id')],
    ['at tabs', 'References:\t', words('id')],
    ['where it is folded already', 'To:\r\n ', words('a')],
    ['around a word that is too long itself', 'X-Key: a ', [long, ...words('b')]],
  ]
  for (const [name, start, values] of folded)
    it(`folds a header field ${name}`, () => {
      const raw = lines(`${start}${values.join(start.includes('\t') ? '\t' : ' ')}`, 'Subject: x', '', 'body', '')
      const out = shortened(raw)
      expect(out.toString().replaceAll(/\r\n(?=[ \t])/g, '')).to.equal(raw.toString().replaceAll(/\r\n(?=[ \t])/g, ''))
      const tooLong = out
        .toString()
        .split('\r\n')
        .filter(({ length }) => length > 998)
      expect(tooLong).to.deep.equal(values.includes(long) ? [` ${long}`] : [])
      expect(out.toString()).not.to.match(/^[ \t]*$\r\n[ \t]/m)
    })
  it('folds the header of a part, and of a mail that is attached', () => {
    const name = `Content-Description: ${words('c').join(' ')}`
    const raw = shortened(
      mixed(['--b', name, '', 'x', '--b', 'Content-Type: message/rfc822', '', name, '', 'x', '--b--']),
    )
    expect(hasLongLine(raw)).to.equal(false)
    expect(parseMessage(raw).root.children).to.have.length(2)
  })

  const encodings: readonly (readonly [string, string])[] = [
    ['7bit', 'a\0b'],
    ['8bit', 'ä\0b'],
    ['quoted-printable', '=C3=A4\0b'],
    ['base64', 'YW\0I='],
  ]
  for (const [encoding, body] of encodings)
    it(`leaves no NUL in a part in ${encoding}, and its text as it is`, () => {
      const head = ['Content-Type: text/plain; charset=utf-8', `Content-Transfer-Encoding: ${encoding}`, '']
      const given = mixed(['--b', ...head, body, '--b--', ''])
      const raw = shortened(given)
      expect(isBinary(raw)).to.equal(false)
      expect(readBody(raw, parseMessage(raw)).text).to.equal(readBody(given, parseMessage(given)).text)
    })

  const kept: readonly (readonly [string, Buffer])[] = [
    ['what somebody signed', lines('Content-Type: multipart/signed; boundary=b', '', '--b', '', long, '--b--')],
    ['an encoding that is quoted', lines('Content-Transfer-Encoding: quoted-printable', '', long)],
    ['a header field of one word', lines(`Subject: ${long}`, '', 'x')],
  ]
  for (const [name, raw] of kept) it(`leaves ${name}`, () => expect(shortened(raw).equals(raw)).to.equal(true))
})
