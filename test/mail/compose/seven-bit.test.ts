import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { toSevenBit } from '../../../mail/compose/seven-bit.ts'
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
