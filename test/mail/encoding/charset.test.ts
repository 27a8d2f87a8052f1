import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { findVerification } from '../../../mail/codes/verification.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { message, wire } from '../fixtures.ts'

/** The text of a message with these bytes as its body. */
function textOf(type: string, bytes: Uint8Array): string {
  const header = `Content-Type: ${type}\nContent-Transfer-Encoding: base64\n\n`
  const raw = message(header + Buffer.from(bytes).toString('base64'))
  return readBody(raw, parseMessage(raw)).text
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')
const mixed = Buffer.concat([Buffer.from('Ваш код подтверждения: 482913. '), latin1('Best regards \xff')])

const cases: readonly (readonly [name: string, charset: string, bytes: Uint8Array, text: string])[] = [
  ['one bad byte in UTF-8', 'utf-8', mixed, 'Ваш код подтверждения: 482913. Best regards \ufffd'],
  ['the same without a label', '', mixed, 'Ваш код подтверждения: 482913. Best regards \ufffd'],
  ['UTF-8 cut inside its last character', 'utf8', Buffer.from('Grüße für Käse').subarray(0, 15), 'Grüße für K\ufffd'],
  ['windows-1252 that claims UTF-8', 'utf-8', latin1('caf\xe9 \x80 5'), 'café € 5'],
  ['Korean that only Windows has', 'ks_c_5601-1987', latin1('\x8c\x63\xb9\xe6\xb0\xa2\xc7\xcf'), '똠방각하'],
  ['the same by another name', 'x-windows-949', latin1('\x8c\x63'), '똠'],
  ['Big5 with Hong Kong characters', 'big5', latin1('\xa7\x41\x88\x56\xf9\xd6'), '你Ā碁'],
  ['UTF-16 with a mark', 'utf-16', latin1('\xfe\xff\0G\0r\0\xfc'), 'Grü'],
  ['UTF-16 without one, big end first', 'utf-16', latin1('\0G\0r\0\xfc'), 'Grü'],
  ['UTF-16 without one, little end first', 'utf-16', latin1('G\0r\0\xfc\0'), 'Grü'],
  ['UTF-16 that claims something else', 'iso-8859-1', Buffer.from('\ufeffGrü', 'utf16le'), 'Grü'],
  ['UTF-16 that is none', 'utf-16', Buffer.from('Grüße an alle'), 'Grüße an alle'],
  ['a mark of UTF-8 under latin1', 'iso-8859-1', Buffer.from('\ufeffGrüße'), 'Grüße'],
  ['letters that look like a mark', 'iso-8859-1', latin1('\xff\xfe and more'), 'ÿþ and more'],
  ['HZ (RFC 1843)', 'hz-gb-2312', latin1('Say ~{<:Ky2;R*~} ~~ twi~\nce'), 'Say 己所不要 ~ twice'],
  ['ISO-2022-KR (RFC 1557)', 'iso-2022-kr', latin1('\x1b$)C\x0e0!\x0f and\n0!'), '가 and\n0!'],
  ['ISO-2022-JP without a label', '', latin1('\x1b$B$3$s\x1b(B'), 'こん'],
  ['ISO-2022-JP of Microsoft', 'cp50221', latin1('\x1b$B$3$s-!\x1b(B'), 'こん①'],
  ['a Mac', 'x-mac-ce', latin1('\x8a\x8e'), 'äé'],
  ['DOS', 'dos-866', latin1('\x8f\xe0\xa8'), 'При'],
  ['nothing anybody knows', 'x-user-defined', Buffer.from('Grüße'), 'Grüße'],
  ['the name of a property', 'constructor', latin1('caf\xe9'), 'café'],
]

describe('mail/encoding/charset', () => {
  for (const [name, charset, bytes, text] of cases)
    it(name, () => expect(textOf(`text/plain${charset && `; charset=${charset}`}`, bytes)).to.equal(text))

  it('a bad byte does not hide a code', () => {
    const raw = Buffer.concat([wire('Subject: x\nContent-Type: text/plain; charset=utf-8\n\n'), mixed])
    expect(findVerification(raw, parseMessage(raw))?.codes.map(({ value }) => value)).to.deep.equal(['482913'])
  })

  it('HTML that says ASCII and is not is asked for its charset', () => {
    const html = latin1('<meta charset="windows-1251"><p>\xcf\xf0\xe8')
    expect(textOf('text/html; charset=us-ascii', html)).to.equal('При')
  })
})
