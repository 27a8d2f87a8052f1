import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { readBody } from '../../../mail/body/body.ts'
import { formatNamedAddress } from '../../../mail/message/address.ts'
import { contentAt } from '../../../mail/message/attached-message.ts'
import { safeName } from '../../../mail/message/attachments.ts'
import { findPart, type Part, parseMessage } from '../../../mail/message/parse.ts'
import { expectLinear } from '../cost.ts'
import { message, mimeFixtures, wire } from '../fixtures.ts'

type Expected = {
  readonly subject: string | null
  readonly from: string | null
  readonly to: readonly string[]
  readonly cc: readonly string[]
  readonly attachments: readonly string[]
  /** The lines of the text. */
  readonly text: readonly string[]
}

const expected = JSON.parse(readFileSync(new URL('mime-expected.json', import.meta.url), 'utf8')) as Record<
  string,
  Expected
>

describe('mail/message/parse: 64 messages', () => {
  for (const { name, raw } of mimeFixtures()) {
    it(name, () => {
      const parsed = parseMessage(raw)
      expect({
        subject: parsed.subject,
        from: parsed.from && formatNamedAddress(parsed.from),
        to: parsed.to.map(formatNamedAddress),
        cc: parsed.cc.map(formatNamedAddress),
        attachments: parsed.attachments.map(
          ({ partId, name: file, sizeBytes, inline }) => `${partId} ${file} ${sizeBytes}${inline ? ' inline' : ''}`,
        ),
        text: readBody(raw, parsed).text.split('\n'),
      }).to.deep.equal(expected[name])
      for (const { partId, sizeBytes } of parsed.attachments) {
        expect(contentAt(raw, parsed, partId), partId).to.have.length(sizeBytes)
      }
      checkRanges(parsed.root, raw)
    })
  }

  it('the table names every fixture', () => {
    expect(Object.keys(expected).sort()).to.deep.equal(mimeFixtures().map(({ name }) => name))
  })

  it('sorts the parts of the example in RFC 8621 4.1.4 as it says', () => {
    const { raw } = mimeFixtures().find(({ name }) => name === 'rfc-007') as { raw: Buffer }
    const { textParts, htmlParts, attachments } = parseMessage(raw)
    const content = (parts: readonly Part[]) =>
      parts.map((part) => raw.toString('latin1', part.bodyStart, part.bodyEnd).trim())
    expect(content(textParts)).to.deep.equal(['A', 'B', 'D', 'K'])
    expect(content(htmlParts)).to.deep.equal(['A', '<html>E</html>', 'K'])
    const bytes = attachments.map(({ partId }) => findPart(parseMessage(raw).root, partId) as Part)
    expect(content(bytes).map((text) => text.slice(-1))).to.deep.equal(['C', 'F', 'G', 'H', 'J'])
  })
})

describe('mail/message/parse: structure', () => {
  it('numbers parts as IMAP does, embedded messages included', () => {
    const raw = message(
      'Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\nContent-Type: message/rfc822\n\nSubject: inner\n' +
        'Content-Type: multipart/mixed; boundary=b\n\n--b\n\ninner one\n--b\nContent-Type: message/rfc822\n\nSubject: x\n\ndeep\n--b--\n--a--\n',
    )
    const { root } = parseMessage(raw)
    expect(ids(root)).to.deep.equal(['TEXT', '1', '2', '2.TEXT', '2.1', '2.2', '2.2.1'])
    const deep = findPart(root, '2.2.1') as Part
    expect(raw.toString('latin1', deep.bodyStart, deep.bodyEnd)).to.equal('deep')
    expect(findPart(root, '2')?.embedded?.fields[0]?.value).to.equal('inner')
    expect(findPart(root, '9')).to.equal(null)
  })

  it('takes everybody from several To and Cc fields', () => {
    const { to, cc } = parseMessage(message('To: a@x.example\nTo: b@x.example\nCc: c@x.example\nCc: d@x.example\n\nx'))
    expect([to, cc].map((list) => list.map(({ address }) => address))).to.deep.equal([
      ['a@x.example', 'b@x.example'],
      ['c@x.example', 'd@x.example'],
    ])
  })

  const shown: readonly (readonly [string, string, string, number])[] = [
    [
      'forms of one text that have names',
      'Content-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain; name=a.txt\n\nx\n--b\nContent-Type: text/html; name=a.html\n\n<p>y\n--b--\n',
      'text/plain text/html',
      0,
    ],
    [
      'a picture before the text it belongs to',
      'Content-Type: multipart/related; type="text/html"; boundary=b\n\n--b\nContent-Type: image/png\n\nx\n--b\nContent-Type: text/html\n\n<p>y\n--b--\n',
      'text/html text/html',
      1,
    ],
    ['text of another kind alone', 'Content-Type: text/markdown\n\n# Hello', 'text/markdown text/markdown', 0],
    ['a file of text alone', 'Content-Type: text/markdown; name=a.md\n\n# Hello', ' ', 1],
    ['a calendar alone', 'Content-Type: text/calendar\n\nBEGIN:VCALENDAR', ' ', 1],
  ]
  for (const [name, raw, bodies, files] of shown)
    it(`shows ${name}`, () => {
      const { textParts, htmlParts, attachments } = parseMessage(message(raw))
      const types = [textParts, htmlParts].map((parts) => parts.map(({ contentType }) => contentType).join())
      expect([types.join(' '), attachments.length]).to.deep.equal([bodies, files])
    })

  it('reads parameters in all their forms', () => {
    const type = (line: string) => parseMessage(message(`Content-Type: ${line}\n\nx`)).root
    expect(type('text/plain; charset=us-ascii (Plain text)').charset).to.equal('us-ascii')
    expect(type('TEXT/HTML;CHARSET="UTF-8"').contentType).to.equal('text/html')
    expect(type('application/x; name*0*=utf-8\'\'%e2%82%ac; name*1=%20; name*2=".txt"').params.get('name')).to.equal(
      '€%20.txt',
    )
    expect(type('application/x; name="C:\\dir\\a.txt"').params.get('name')).to.equal('C:\\dir\\a.txt')
    expect(type('application/x; name="a\\"b"').params.get('name')).to.equal('a"b')
    expect(type('text').contentType).to.equal('text/plain')
    expect(type('').contentType).to.equal('text/plain')
  })

  const types: readonly (readonly [line: string, type: string, name: string])[] = [
    ['application/pdf, name=a.pdf', 'application/pdf', 'a.pdf'],
    ['(one) (two) application/pdf; name=a.pdf', 'application/pdf', 'a.pdf'],
    ['application/pdf name="a.pdf"', 'application/pdf', 'a.pdf'],
    ['application/pdf;\nname="a.pdf"', 'application/pdf', 'a.pdf'],
    ['x=y; name="a;b.txt"', 'text/plain', 'a;b.txt'],
  ]
  for (const [line, contentType, name] of types) {
    it(`type: ${JSON.stringify(line)}`, () => {
      const { root } = parseMessage(message(`Content-Type: ${line}\n\nx`))
      expect([root.contentType, root.params.get('name')]).to.deep.equal([contentType, name])
    })
  }

  it('reads the names of files without the type of the disposition, and boundaries that are quoted', () => {
    const raw = message(
      'Content-Type: multipart/mixed; boundary="a\\a"\n\n--aa\nContent-Type: application/pdf\n' +
        'Content-Disposition: filename="a.pdf"\n\nx\n--aa--\n',
    )
    expect(parseMessage(raw).attachments.map(({ name }) => name)).to.deep.equal(['a.pdf'])
  })

  it('reads 8-bit fields of a multipart in the charset of its text', () => {
    const raw = wire(
      'Subject: \x83\x5c\nContent-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain; charset=Shift_JIS\n\n' +
        'x\n--a\nContent-Type: application/pdf\nContent-Disposition: attachment; filename="\x83\x5c\x95\x5c.pdf"\n\nx\n--a--\n',
    )
    const { subject, attachments } = parseMessage(raw)
    expect([subject, attachments[0]?.name]).to.deep.equal(['ソ', 'ソ表.pdf'])
  })

  it('a line that is no field does not end the header of a message or part', () => {
    const raw = message(
      'From: a@x.example\nSubject: =?utf-8?Q?a?=\n=?utf-8?Q?b?=\n: odd\nTo: b@x.example\nContent-Type: multipart/mixed;\n' +
        'boundary="c"\n\n--c\n\none\n--c\nContent-Type: application/pdf;\nname="a.pdf"\n: odd\n' +
        'Content-Disposition: attachment\n\nPDF\n--c\nodd\nSubject: x\n--c--\n',
    )
    const parsed = parseMessage(raw)
    expect([parsed.subject, parsed.to[0]?.address]).to.deep.equal(['ab', 'b@x.example'])
    expect(parsed.attachments.map(({ name }) => name)).to.deep.equal(['a.pdf'])
    expect(readBody(raw, parsed).text).to.equal('one\n\nodd\nSubject: x')
    checkRanges(parsed.root, raw)
  })

  const ended: readonly (readonly [name: string, text: string, bodies: readonly string[]])[] = [
    ['no closing boundary', '--a\n\none\n--a\n\ntwo\n', ['one', 'two\r\n']],
    ['blanks after a boundary', '--a \t\n\none\n--a-- \n', ['one']],
    ['no boundary at all', 'only words\n', ['only words\r\n']],
    ['a boundary in front of nothing', '--a\n', ['']],
    ['an end without parts', '--a--\nafter\n', ['']],
    ['words before an end without parts', 'words\n--a--\nafter\n', ['words']],
    ['a part without blank line', '--a\nContent-Type: text/plain\n--a--\n', ['']],
    ['a longer line that starts like it', '--a\n\none\n--ab\ntwo\n--a--\n', ['one\r\n--ab\r\ntwo']],
  ]
  for (const [name, text, bodies] of ended) {
    it(`reads a multipart with ${name}`, () => {
      const raw = message(`Content-Type: multipart/mixed; boundary=a\n\n${text}`)
      const { textParts } = parseMessage(raw)
      expect(textParts.map((part) => raw.toString('latin1', part.bodyStart, part.bodyEnd))).to.deep.equal(bodies)
    })
  }

  const part = '--b\nContent-Type: text/plain\n\none\n--b\nContent-Type: application/pdf; name=x.pdf\n\nx\n--b--\n'
  const nested = (type: string, inside: string) =>
    `Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: ${type}\n\n${inside}--a\n\ntwo\n--a--\n`
  const boundaries: readonly (readonly [name: string, mail: string, text: string, files: number])[] = [
    ['none', `Content-Type: multipart/mixed\n\n${part}`, 'one', 1],
    ['an empty one', `Content-Type: multipart/mixed; boundary=""\n\n${part}`, 'one', 1],
    ['another one', `Content-Type: multipart/mixed; boundary=z\n\n${part}`, 'one', 1],
    [
      'another one, behind a line for old programs',
      `Content-Type: multipart/mixed; boundary=z\n\nMIME\n\n${part}`,
      'one',
      1,
    ],
    ['another one inside', nested('multipart/mixed; boundary=z', part), 'one\n\ntwo', 1],
    ['none inside', nested('multipart/mixed', part), 'one\n\ntwo', 1],
    ['that of the whole inside', nested('multipart/mixed; boundary=z', ''), 'two', 0],
    ['a line of dashes', 'Content-Type: multipart/mixed\n\n--\nAnn\n----\nx\n', '--\nAnn\n----\nx', 0],
    ['a quoted header', 'Content-Type: multipart/mixed; boundary=z\n\n--b\nhello: you\n', '--b\nhello: you', 0],
    ['its own, behind dashes', `Content-Type: multipart/mixed; boundary=b\n\n--x\n${part}`, 'one', 1],
  ]
  for (const [name, mail, text, files] of boundaries)
    it(`reads the parts of a multipart that names ${name}`, () => {
      const raw = message(mail)
      const parsed = parseMessage(raw)
      expect([readBody(raw, parsed).text, parsed.attachments.length]).to.deep.equal([text, files])
      checkRanges(parsed.root, raw)
    })

  const malformed: readonly (readonly [type: string, file: string])[] = [
    ['application/x-gzip-like strings; name="a.tgz"', 'a.tgz application/x-gzip-like'],
    ['"application/x-gzip"; name="a.tgz"', 'a.tgz application/x-gzip'],
    ['application\\x-gzip; name=a.gz', 'a.gz application/x-gzip'],
    ['application/; name=a.bin', 'a.bin application/octet-stream'],
    ['/pdf; name=a.pdf', 'a.pdf application/octet-stream'],
    ['gzip file; name=a.gz', 'a.gz application/octet-stream'],
    ['image/png/x; name=a.png', 'a.png application/octet-stream'],
    ['x; filename=a.gz', 'a.gz application/octet-stream'],
    ['; name=a.gz', 'a.gz text/plain'],
    ['text/; name=a.txt', 'a.txt application/octet-stream'],
    ['application/pdf; name=a.pdf', 'a.pdf application/pdf'],
    ['text', ''],
    ['text/', ''],
    ['', ''],
  ]
  for (const [type, file] of malformed)
    it(`Content-Type: ${type} is ${file === '' ? 'text' : 'a file'}`, () => {
      const raw = message(
        `Content-Type: multipart/mixed; boundary=a\n\n--a\n\none\n--a\nContent-Type: ${type}\n\ntwo\n--a--\n`,
      )
      const { attachments, textParts } = parseMessage(raw)
      expect(attachments.map(({ name, contentType }) => `${name} ${contentType}`)).to.deep.equal(
        file === '' ? [] : [file],
      )
      expect(textParts.length).to.equal(file === '' ? 2 : 1)
    })

  const authors: readonly (readonly [from: string, name: string | null])[] = [
    ['Ann Smith <ann>', 'Ann Smith'],
    ['"Smith, Ann" <>', 'Smith, Ann'],
    ['Mail Delivery System', 'Mail Delivery System'],
    ['=?utf-8?Q?J=C3=B6rg?= <joerg>', 'Jörg'],
    ['<ann>', 'ann'],
    ['root', 'root'],
    ['', null],
    ['<>', null],
    ['Ann <ann@x.example>', null],
    ['ann@x.example', null],
  ]
  for (const [from, name] of authors)
    it(`From: ${from} ${name === null ? 'needs no name alone' : `is ${name}`}`, () =>
      expect(parseMessage(message(`From: ${from}\n\nhi\n`)).authorName).to.equal(name))

  it('lists invitations, and bounds what parts are called', () => {
    const part = (field: string) => `--a\nContent-Type: ${field}\n\nx\n`
    const list = [
      'text/plain',
      'text/calendar; method=REQUEST',
      `application/${'x'.repeat(300)}`,
      `image/png\nContent-ID: <${'i'.repeat(300)}>`,
    ]
    const raw = message(
      `Subject: ${'s'.repeat(2000)}\nContent-Type: multipart/mixed; boundary=a\n\n${list.map(part).join('')}--a--\n`,
    )
    const { attachments, subject } = parseMessage(raw)
    expect(subject).to.equal('s'.repeat(1000))
    expect(attachments.map(({ name, contentType, contentId }) => [name, contentType, contentId])).to.deep.equal([
      ['attachment-2.ics', 'text/calendar', null],
      ['attachment-3.bin', 'application/octet-stream', null],
      ['attachment-4.png', 'image/png', null],
    ])
  })

  it('the body of a multipart/related is the part its start names', () => {
    const parsed = parseMessage(
      message(
        'Content-Type: multipart/related; type="text/html"; start="<page@x>"; boundary=a\n\n' +
          '--a\nContent-Type: image/gif\nContent-ID: <image@x>\n\nGIF\n' +
          '--a\nContent-Type: text/html\nContent-ID: <page@x>\n\n<img src="cid:image@x">\n--a--\n',
      ),
    )
    expect(parsed.htmlParts.map(({ id }) => id)).to.deep.equal(['2'])
    expect(parsed.attachments.map(({ partId, inline }) => [partId, inline])).to.deep.equal([['1', true]])
  })

  it('tells inline PGP in any encoding', () => {
    const pgp = Buffer.from('-----BEGIN PGP MESSAGE-----\n\nx').toString('base64')
    expect(parseMessage(message(`Content-Transfer-Encoding: base64\n\n${pgp}\n`)).encrypted).to.equal('pgp')
  })

  it('reads ids, dates, lists and what is encrypted', () => {
    const parsed = parseMessage(
      message(
        'Message-ID: <a@b>\nIn-Reply-To: <c@d> (x)\nReferences: <1@x>\n <2@x>junk<3@x>\nDate: 13 Jan 99 10:00 EST\n' +
          'Auto-Submitted: auto-replied; x\nSender: s@x.example\nReply-To: r@x.example\nBcc: b@x.example\n\n-----BEGIN PGP MESSAGE-----\n',
      ),
    )
    expect(parsed.messageId).to.equal('a@b')
    expect(parsed.inReplyTo).to.equal('c@d')
    expect(parsed.references).to.deep.equal(['1@x', '2@x', '3@x'])
    expect(parsed.date?.toISOString()).to.equal('1999-01-13T15:00:00.000Z')
    expect(parsed.autoSubmitted).to.equal('auto-replied')
    expect([parsed.sender, ...parsed.replyTo, ...parsed.bcc].map((each) => each?.address)).to.deep.equal([
      's@x.example',
      'r@x.example',
      'b@x.example',
    ])
    expect(parsed.encrypted).to.equal('pgp')
    const smime = (type: string) => parseMessage(message(`Content-Type: ${type}\n\nx`)).encrypted
    expect(smime('application/pkcs7-mime; smime-type=enveloped-data')).to.equal('smime')
    expect(smime('application/pkcs7-mime; smime-type=signed-data')).to.equal(null)
    expect(smime('multipart/encrypted; protocol="application/pgp-encrypted"; boundary=a')).to.equal(null)
  })

  const references: readonly (readonly [name: string, text: string, expected: readonly string[]])[] = [
    ['with junk between', '<1@x>junk<2@x>', ['1@x', '2@x']],
    ['one without brackets', '1@x', ['1@x']],
    ['several without brackets', '1@x 2@x\n\t3@x', ['1@x', '2@x', '3@x']],
    ['an address in a sentence', 'Your message of Monday to ann@x', []],
    ['a bracket that never closes', '1@x <2@x', []],
  ]
  for (const [name, text, expected] of references)
    it(`references: ${name}`, () => {
      expect(parseMessage(message(`References: ${text}\n\nx`)).references).to.deep.equal(expected)
    })

  const dates: readonly (readonly [text: string, expected: string | null])[] = [
    ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
    ['21 Nov 97 09:55 GMT', '1997-11-21T09:55:00.000Z'],
    ['Thu,\r\n 13\r\n Feb\r\n 1969\r\n 23:32\r\n -0330 (Newfoundland Time)', null],
    ['Tue, 1 Jul 2003 10:52:37 +0200 (CEST)', '2003-07-01T08:52:37.000Z'],
    ['Mon, 31 Dec 2001 23:59:60 +0000', '2002-01-01T00:00:00.000Z'],
    ['2020-05-06T15:00:00Z', '2020-05-06T15:00:00.000Z'],
    ['Mon, 3 Mar 2025 10:00:00 +05:30', '2025-03-03T04:30:00.000Z'],
    ['Mon, 3 Mar 2025 10:00:00 GMT+0200', '2025-03-03T08:00:00.000Z'],
    ['Mon, 3 Mar 2025 10:00:00 +100', '2025-03-03T09:00:00.000Z'],
    ['3 Mar 2025 9:5:3', '2025-03-03T09:05:03.000Z'],
    ['Mon Mar  3 10:00:00 2025', '2025-03-03T10:00:00.000Z'],
    ['Mon Mar  3 10:00:00 EST 2025', '2025-03-03T15:00:00.000Z'],
    ['Mon Mar 03 2025 10:00:00 GMT+0100 (CET)', '2025-03-03T09:00:00.000Z'],
    ['Mar 03 2025', '2025-03-03T00:00:00.000Z'],
    ['March 3, 2025 at 1:00 PM', '2025-03-03T13:00:00.000Z'],
    ['2025-03-03 10:00:00 +0100', '2025-03-03T09:00:00.000Z'],
    ['2025-13-01', null],
    ['Whenever', null],
    ['40 Jan 2000 10:00:00 +0000', null],
  ]
  for (const [text, iso] of dates) {
    it(`date: ${JSON.stringify(text)}`, () => {
      expect(parseMessage(Buffer.from(`Date: ${text}\r\n\r\n`)).date?.toISOString() ?? null).to.equal(iso)
    })
  }

  const names: readonly (readonly [given: string, safe: string])[] = [
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\x\\report.pdf', 'report.pdf'],
    ['.htaccess', 'htaccess'],
    ['a\r\nb\0.txt', 'a b.txt'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['CON?.txt', 'CON_.txt'],
    [`${'x'.repeat(300)}.tar`, `${'x'.repeat(196)}.tar`],
    ['..', ''],
  ]
  for (const [given, safe] of names)
    it(`safeName: ${JSON.stringify(given.slice(0, 40))}`, () => expect(safeName(given)).to.equal(safe))
})

describe('mail/message/parse: hostile messages', () => {
  const deep = (depth: number) => {
    const open = Array.from(
      { length: depth },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\n\n--b${i}\n`,
    ).join('')
    return message(`${open}\nend\n`)
  }
  const many = message(`Content-Type: multipart/mixed; boundary=a\n\n${'--a\n\nx\n'.repeat(10_000)}--a--\n`)
  const hostile: readonly (readonly [name: string, raw: Buffer, truncated: boolean])[] = [
    ['1,000 nested multiparts', deep(1000), true],
    ['1,000 nested messages', message(`${'Content-Type: message/rfc822\n\n'.repeat(1000)}x`), true],
    ['10,000 parts', many, true],
    ['a header of 1 MB', message(`X: ${'y'.repeat(1024 * 1024)}\n\nbody`), true],
    ['a header of 1 MB in short lines', message(`X: y\n${' y\n'.repeat(350_000)}\nbody`), true],
    ['3,000 header fields', message(`${'X: y\n'.repeat(3000)}\nbody`), true],
    ['header lines that never end', message('X: y\n'.repeat(400_000)), true],
    ['no boundary parameter', message('Content-Type: multipart/mixed\n\nwords\n'), false],
    ['an empty boundary', message('Content-Type: multipart/mixed; boundary=""\n\n--\nwords\n'), false],
    ['NUL bytes', Buffer.from('Sub\0ject: a\0b\r\n\0\r\n\0\r\n'), false],
    ['nothing but NUL', Buffer.alloc(100_000), false],
    ['latin-1 everywhere', wire('Subject: \xe9\xe8\nContent-Type: text/plain; charset=\xe9\n\n\xe9'), false],
    [
      'endless base64',
      message(`Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${'A'.repeat(5_000_000)}`),
      false,
    ],
    [
      'base64 of padding',
      message(`Content-Type: image/png\nContent-Transfer-Encoding: base64\n\n${'='.repeat(2_000_000)}`),
      false,
    ],
    [
      'lines of dashes',
      message(`Content-Type: multipart/mixed; boundary=a\n\n--a\n\n${'--\n'.repeat(700_000)}`),
      false,
    ],
    ['thousands of parameters', message(`Content-Type: text/plain${'; a=b'.repeat(20_000)}\n\nx`), false],
    [
      'thousands of RFC 2231 sections',
      message(`Content-Type: text/plain${Array.from({ length: 9000 }, (_, i) => `; a*${i}*=%41`).join('')}\n\nx`),
      false,
    ],
    ['thousands of references', message(`References: ${'<a@b> '.repeat(40_000)}\n\nx`), false],
    [
      'thousands of open brackets',
      message(`To: ${'<'.repeat(200_000)}\nReferences: ${'<'.repeat(40_000)}\n\nx`),
      false,
    ],
    ['thousands of encoded words', message(`Subject: ${'=?utf-8?Q?a?= '.repeat(4_000)}\n\nx`), false],
    ['an empty message', Buffer.alloc(0), false],
  ]
  for (const [name, raw, truncated] of hostile) {
    it(name, () => {
      const { result: parsed } = expectLinear(name, raw, (bytes) => parseMessage(bytes))
      expect(parsed.truncated).to.equal(truncated)
      expect(parsed.references.length).to.be.at.most(100)
      checkRanges(parsed.root, raw)
    })
  }

  it('keeps the words of a multipart without boundary', () => {
    expect(parseMessage(message('Content-Type: multipart/mixed\n\nwords\n')).hasText).to.equal(true)
  })
})

/** Every part lies inside its parent, after its sibling, and all of them inside the message. */
function checkRanges(part: Part, raw: Buffer): void {
  expect(part.headerStart).to.be.at.most(part.bodyStart)
  expect(part.bodyStart).to.be.at.most(part.bodyEnd)
  expect(part.bodyEnd).to.be.at.most(raw.length)
  let position = part.bodyStart
  for (const child of part.embedded ? [part.embedded] : part.children) {
    expect(child.headerStart).to.be.at.least(position)
    expect(child.bodyEnd).to.be.at.most(part.bodyEnd)
    checkRanges(child, raw)
    position = child.bodyEnd
  }
}

function ids(part: Part): string[] {
  return [
    part.id,
    ...part.children.flatMap(ids),
    ...(part.embedded && part.embedded.id !== part.id ? ids(part.embedded) : []),
  ]
}
