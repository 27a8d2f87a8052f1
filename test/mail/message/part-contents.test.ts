import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { quickSnippet, readBody } from '../../../mail/body/body.ts'
import { decompressRtf, readRtf } from '../../../mail/containers/rtf.ts'
import { readTnef } from '../../../mail/containers/tnef.ts'
import { attachmentsInside, contentAt } from '../../../mail/message/attached-message.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { message } from '../fixtures.ts'
import { attribute, file, number, properties, property, short, stream } from './tnef-stream.ts'

const unicode = 0x1f
const binary = 0x102

/** What a reader is told of a message: text, snippet, and each attachment with its content. */
function seen(raw: Buffer) {
  const parsed = parseMessage(raw)
  return {
    text: readBody(raw, parsed).text,
    snippet: quickSnippet(raw, parsed),
    attachments: parsed.attachments.map(({ partId, name, contentType, inline }) => {
      const content = contentAt(raw, parsed, partId)?.toString('latin1')
      return `${partId} ${name} ${contentType}${inline ? ' inline' : ''}: ${content}`
    }),
  }
}

const withTnef = (content: Buffer, text = '') =>
  message(
    `Content-Type: multipart/mixed; boundary=a\n\n${text === '' ? '' : `--a\n\n${text}\n`}--a\n` +
      `Content-Type: application/ms-tnef; name=winmail.dat\nContent-Transfer-Encoding: base64\n\n${content.toString('base64')}\n--a--\n`,
  )

describe('mail/message/part-contents: winmail.dat', () => {
  const report = file(
    'REPORT~1.PDF',
    '%PDF',
    property(0x3707, unicode, 'Grüße.pdf'),
    property(0x370e, unicode, 'application/pdf'),
  )
  const logo = file('logo.png', 'PNG', property(0x3712, unicode, 'logo@x'), property(0x370e, unicode, 'image/png'))

  it('lists its files in its place, with paths of their own', () => {
    expect(seen(withTnef(stream(report, logo), 'See the files.'))).to.deep.equal({
      text: 'See the files.',
      snippet: 'See the files.',
      attachments: ['2/1 Grüße.pdf application/pdf: %PDF', '2/2 logo.png image/png inline: PNG'],
    })
  })

  it('gives its text and HTML to a message that has none', () => {
    const html = property(0x1013, binary, Buffer.from('<p>Hi <b style="display:none">no</b>there</p>'))
    const raw = withTnef(stream(properties(html)))
    expect(seen(raw)).to.include({ text: 'Hi there', snippet: 'Hi there' })
    expect(readBody(raw, parseMessage(raw))).to.deep.include({
      html: '<p>Hi <b style="display:none">no</b>there</p>',
      hidden: [{ kind: 'display_none', excerpt: 'no' }],
    })
    expect(seen(withTnef(stream(attribute(0x0002800c, 'plain\0')))).text).to.equal('plain')
    expect(seen(withTnef(stream(properties(property(0x1000, unicode, 'Grüße'))))).text).to.equal('Grüße')
  })

  it('reads text in the code page of the message', () => {
    const codepage = attribute(0x00069007, Buffer.concat([number(1251), number(0)]))
    expect(seen(withTnef(stream(codepage, attribute(0x0002800c, Buffer.from('cff0e8', 'hex'))))).text).to.equal('При')
  })

  it('opens an attached message: its words as a file, then its files', () => {
    const inner = stream(properties(property(0x1000, unicode, 'inner words')), report)
    const object = property(0x3701, 0x0d, Buffer.concat([Buffer.alloc(16), inner]))
    const attached = Buffer.concat([
      attribute(0x00069002, Buffer.alloc(14)),
      attribute(0x00069005, Buffer.concat([number(2), property(0x3001, unicode, 'Re: plan'), object])),
    ])
    expect(seen(withTnef(stream(attached))).attachments).to.deep.equal([
      '1/1 Re_ plan.txt text/plain: inner words',
      '1/2 Grüße.pdf application/pdf: %PDF',
    ])
  })

  it('skips named, fixed and repeated properties', () => {
    const guid = Buffer.alloc(16)
    const name = Buffer.from('Keywords\0\0', 'utf16le')
    const named = Buffer.concat([short(0x101f), short(0x8001), guid, number(1), number(name.length), name])
    const values = Buffer.concat([number(2), ...['ab', 'c'].map((text) => property(0, unicode, text).subarray(8))])
    const fixed = Buffer.concat([short(0x40), short(0x0039), Buffer.alloc(8)])
    const list = properties(Buffer.concat([named, values]), fixed, property(0x1000, unicode, 'found'))
    expect(readTnef(stream(list))?.body(1000).text).to.equal('found')
  })

  it('keeps what came before the break, and says that something is missing', () => {
    const whole = stream(report, logo)
    const cut = readTnef(whole.subarray(0, whole.length - 40))
    expect(cut?.truncated).to.equal(true)
    expect(cut?.files.map(({ name }) => name)).to.deep.equal(['Grüße.pdf', 'logo.png'])
    expect(readBody(withTnef(whole.subarray(0, -40)), parseMessage(withTnef(whole.subarray(0, -40))))).to.include({
      truncated: true,
    })
  })

  it('stays a file when it is no TNEF', () => {
    expect(seen(withTnef(Buffer.from('nothing of that kind'))).attachments).to.deep.equal([
      '1 winmail.dat application/ms-tnef: nothing of that kind',
    ])
  })
})

describe('mail/containers/rtf', () => {
  // The examples of [MS-OXRTFCP] 3.1 and 3.2.
  const compressed: readonly (readonly [string, string])[] = [
    [
      '2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0',
      '{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n',
    ],
    ['1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', '{\\rtf1 WXYZWXYZWXYZWXYZWXYZ}'],
  ]
  for (const [hex, text] of compressed) {
    it(`decompresses ${text.trim()}`, () => {
      expect(decompressRtf(Buffer.from(hex, 'hex'), 1000).toString()).to.equal(text)
      expect(decompressRtf(Buffer.from(hex, 'hex'), 10).toString()).to.equal(text.slice(0, 10))
    })
  }

  const written: readonly (readonly [name: string, rtf: string, html: string | null, text: string | null])[] = [
    ['text', '{\\rtf1\\ansi Hello\\par\\b World\\b0\\emdash x\\tab y}', null, 'Hello\nWorld—x\ty'],
    ['braces and backslashes', '{\\rtf1 \\{a\\}\\\\\\~b}', null, '{a}\\\u00a0b'],
    [
      'code pages, fonts, Unicode',
      "{\\rtf1\\ansicpg1251{\\fonttbl{\\f0 A;}{\\f1\\fcharset128 B;}}\\'cf{\\f1\\'93\\'fa}\\u1080?}",
      null,
      'П日и',
    ],
    ['surrogates, two fallback characters', "{\\rtf1\\uc2\\u-10179??\\u-8704\\'3f\\'3fx}", null, '😀x'],
    ['what is no text', '{\\rtf1{\\fonttbl A;}{\\*\\generator B;}{\\pict 00}{\\info{\\author C}}d}', null, 'd'],
    [
      'the HTML inside',
      '{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag19 <p>}\\htmlrtf {\\b\\htmlrtf0 a{\\*\\htmltag84 &amp;}\\htmlrtf &\\htmlrtf0 b\\htmlrtf\\par}\\htmlrtf0\n{\\*\\htmltag28 </p>}}',
      '<p>a&amp;b</p>',
      null,
    ],
    ['something else', 'PK\x03\x04', null, null],
  ]
  for (const [name, rtf, html, text] of written) {
    it(`reads ${name}`, () => expect(readRtf(Buffer.from(rtf, 'latin1'))).to.deep.equal({ html, text }))
  }
})

describe('mail/message/part-contents: S/MIME', () => {
  const fixture = (name: string) => readFileSync(new URL(`../../fixtures/mail/${name}.eml`, import.meta.url))
  for (const name of ['smime-signed-opaque-is-read', 'smime-signed-in-pieces-is-read']) {
    it(name, () => {
      expect(seen(fixture(name))).to.deep.equal({
        text: 'The contract is attached. Grüße',
        snippet: 'The contract is attached. Grüße',
        attachments: ['1/2 contract.pdf application/pdf: %PDF-1.4\n'],
      })
      expect(parseMessage(fixture(name))).to.include({ encrypted: null, hasText: true, subject: 'Signed contract' })
    })
  }
  it('smime-encrypted-is-told', () => {
    const parsed = parseMessage(fixture('smime-encrypted-is-told'))
    expect(parsed.encrypted).to.equal('smime')
    expect(parsed.attachments.map(({ name }) => name)).to.deep.equal(['smime.p7m'])
    const untold = fixture('smime-encrypted-is-told').toString('latin1').replace('smime-type=enveloped-data; ', '')
    expect(parseMessage(Buffer.from(untold, 'latin1')).encrypted).to.equal('smime')
  })
  it('smime-signed-detached-keeps-its-text', () => {
    const { text, attachments } = seen(fixture('smime-signed-detached-keeps-its-text'))
    expect(text).to.equal('The contract is attached. Grüße')
    expect(attachments.map((each) => each.split(':')[0])).to.deep.equal([
      '1.2 contract.pdf application/pdf',
      '2 smime.p7s application/x-pkcs7-signature',
    ])
  })
})

describe('mail/message/part-contents: files in text', () => {
  it('takes uuencoded and yEnc files out of the text', () => {
    const uu = 'begin 644 a.txt\n%:&5L;&\\\n`\nend\n'
    const yenc = '=ybegin line=128 size=5 name=b c.bin\n\x92\x8f\x96\x96\x99\n=yend size=5\n'
    const raw = Buffer.from(
      `Content-Type: text/plain; charset=iso-8859-1\n\nbefore\n${uu}between\n${yenc}after\n`.replaceAll('\n', '\r\n'),
      'latin1',
    )
    expect(seen(raw)).to.deep.equal({
      text: 'before\nbetween\nafter',
      snippet: 'before between after',
      attachments: ['1/1 a.txt text/plain: hello', '1/2 b c.bin application/octet-stream: hello'],
    })
  })

  const words: readonly (readonly [name: string, text: string])[] = [
    ['a file that never ends', 'begin 644 a.txt\n%:&5L;&\\'],
    ['a sentence', 'begin 100 things\nand never end them'],
    ['an indented example', '  begin 644 a\n  end'],
  ]
  for (const [name, text] of words) {
    it(`leaves ${name}`, () => expect(seen(message(`\n${text}\n`))).to.deep.include({ text, attachments: [] }))
  }
})

describe('mail/message/attached-message: messages in messages', () => {
  const invoice = 'Content-Type: application/pdf; name=invoice.pdf\n\n%PDF'
  const inner = `Subject: inner\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\ninner words\n--b\n${invoice}\n--b--\n`
  const outer = (part: string) =>
    message(`Content-Type: multipart/mixed; boundary=a\n\n--a\n\nouter words\n--a\n${part}\n--a--\n`)
  const encoded = (text: string) => message(text).toString('base64')
  const forms: readonly (readonly [string, Buffer])[] = [
    ['as it is', outer(`Content-Type: message/rfc822\n\n${inner}`)],
    ['in base64', outer(`Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${encoded(inner)}`)],
  ]
  for (const [name, raw] of forms) {
    it(`reaches the files of a message attached ${name}, without listing them`, () => {
      const parsed = parseMessage(raw)
      expect(seen(raw)).to.include({ text: 'outer words' })
      expect(parsed.attachments.map(({ partId, name: file }) => `${partId} ${file}`)[0]).to.match(/^2 .*\.eml$/)
      const [found] = attachmentsInside(raw, parsed)
      expect(found).to.include({ partId: '2/2', name: 'invoice.pdf' })
      expect(contentAt(raw, parsed, '2/2')?.toString()).to.equal('%PDF')
    })
  }

  it('goes no deeper than its limit', () => {
    let raw = message(inner)
    for (let depth = 0; depth < 6; depth++)
      raw = message(`Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n${raw.toString('base64')}\n`)
    expect(attachmentsInside(raw, parseMessage(raw)).map(({ partId }) => partId)).to.deep.equal([
      '1/1',
      '1/1/1',
      '1/1/1/1',
    ])
    expect(contentAt(raw, parseMessage(raw), '1/1/1/1/1/1/2')?.toString()).to.equal('%PDF')
    for (const path of ['', '9', '1/9', '1/x', '1//1', '/1'])
      expect(contentAt(raw, parseMessage(raw), path)).to.equal(null)
  })
})
