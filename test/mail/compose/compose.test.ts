import { expect } from 'chai'
import fc from 'fast-check'
import { readBody } from '../../../mail/body/body.ts'
import { ComposeError, compose, type Draft } from '../../../mail/compose/compose.ts'
import { formatNamedAddress, type NamedAddress } from '../../../mail/message/address.ts'
import { partBytes } from '../../../mail/message/attached-message.ts'
import { headerValues } from '../../../mail/message/headers.ts'
import { findPart, type Part, parseMessage } from '../../../mail/message/parse.ts'

function draft(changes: Partial<Draft> = {}): Draft {
  return {
    from: { name: 'Ann', address: 'ann@x.example' },
    to: [{ name: '', address: 'bob@y.example' }],
    cc: [],
    bcc: [],
    subject: 'Hello',
    text: 'Hi Bob',
    attachments: [],
    messageId: '<id@x.example>',
    date: new Date('2024-02-29T12:00:00Z'),
    ...changes,
  }
}

/** Composes, checks what every message must keep to, and reads it back. */
async function roundTrip(changes: Partial<Draft>) {
  const { raw, sizeBytes } = await compose(draft(changes))
  expect(sizeBytes).to.equal(raw.length)
  expectWireSafe(raw)
  const parsed = parseMessage(raw)
  return { raw, parsed, body: readBody(raw, parsed) }
}

function expectWireSafe(raw: Buffer, ascii = true): void {
  const text = raw.toString('latin1')
  expect(text).to.not.match(/\r(?!\n)|(?<!\r)\n|\0/)
  expect(Math.max(...text.split('\r\n').map((line) => line.length))).to.be.at.most(998)
  expect(text.endsWith('\r\n')).to.equal(true)
  if (ascii) expect(text).to.not.match(/[\x80-\xff]/)
}

const texts: readonly (readonly [name: string, text: string])[] = [
  ['plain', 'Hi Bob,\nhow are you?\n'],
  ['Unicode', 'Grüße 👋\n'.repeat(50)],
  ['mostly not ASCII', '日本語のメール\n'.repeat(50)],
  ['long lines', 'word '.repeat(1000)],
  ['one long word', 'x'.repeat(5000)],
  ['blanks at line ends', 'a \nb\t\n c'],
  ['dots, From and equal signs', '.\n..\nFrom here\n=20\n--=_x\n'],
  ['all line ends', 'a\r\nb\nc\rd'],
  ['nothing', ''],
]

const names: readonly string[] = [
  'Ann',
  'Doe, Bob',
  'a "b" \\c',
  'Jörg Müller',
  '日本 太郎',
  "O'Brien (home)",
  '=?utf-8?Q?x?=',
  'x'.repeat(250),
  'ö'.repeat(200),
  'a.b@c',
]

const refused: readonly (readonly [name: string, changes: Partial<Draft>, field: string])[] = [
  ['a line end in the subject', { subject: 'a\r\nBcc: x@y.example' }, 'subject'],
  ['a bare line feed in the subject', { subject: 'a\nBcc: x@y.example' }, 'subject'],
  ['a NUL in the subject', { subject: 'a\0b' }, 'subject'],
  ['a line end in a name', { from: { name: 'a\r\nX: y', address: 'a@x.example' } }, 'from'],
  ['a line end in an address', { to: [{ name: '', address: 'a@x.example\r\nX: y' }] }, 'to[0]'],
  ['two addresses in one', { cc: [{ name: '', address: 'a@x.example, b@x.example' }] }, 'cc[0]'],
  ['no address', { replyTo: [{ name: 'x', address: '' }] }, 'replyTo[0]'],
  ['a line end in a header value', { headers: [['X-A', 'a\nb']] }, 'headers.X-A'],
  ['a colon in a header name', { headers: [['X-A: b\r\nBcc', 'a']] }, 'headers.X-A: b\r\nBcc'],
  [
    'a header of ours',
    {
      headers: [
        ['X-A', 'a'],
        ['bcc', 'x@y.example'],
      ],
    },
    'headers.bcc',
  ],
  ['a content header', { headers: [['Content-Type', 'text/html']] }, 'headers.Content-Type'],
  ['a signature', { headers: [['DKIM-Signature', 'v=1']] }, 'headers.DKIM-Signature'],
  [
    'a list header that fits on no line',
    { headers: [['List-Unsubscribe', `<https://x.example/${'a'.repeat(1000)}>`]] },
    'headers.List-Unsubscribe',
  ],
  ['a Message-ID with a line end', { messageId: '<a@b>\r\nX: y' }, 'messageId'],
  ['a parent with a blank', { inReplyTo: 'a b@c' }, 'inReplyTo'],
  ['a keyword with a line end', { autoSubmitted: 'no\r\nX: y' }, 'autoSubmitted'],
  [
    'a media type with a line end',
    { attachments: [{ name: 'a', contentType: 'text/plain\r\nX: y', content: Buffer.alloc(1) }] },
    'attachments[0].contentType',
  ],
  [
    'no media type',
    { attachments: [{ name: 'a', contentType: 'zip', content: Buffer.alloc(1) }] },
    'attachments[0].contentType',
  ],
  [
    'a multipart as attachment',
    { attachments: [{ name: 'a', contentType: 'multipart/mixed', content: Buffer.alloc(1) }] },
    'attachments[0].contentType',
  ],
  [
    'a file name with a line end',
    { attachments: [{ name: 'a\r\nX: y', contentType: 'text/plain', content: Buffer.alloc(1) }] },
    'attachments[0].name',
  ],
  [
    'a Content-ID with a bracket',
    {
      attachments: [{ name: 'a', contentType: 'image/png', content: Buffer.alloc(1), contentId: 'a>b', inline: true }],
    },
    'attachments[0].contentId',
  ],
]

describe('mail/compose/compose', () => {
  for (const [name, text] of texts) {
    it(`text comes back: ${name}`, async () => {
      const { body } = await roundTrip({ text })
      const lines = text.replace(/\r\n|\r/g, '\n')
      expect(body.text).to.equal(lines.replace(/^\s*\n/, '').trimEnd())
    })
  }

  for (const name of names) {
    it(`name comes back: ${name.slice(0, 20)}`, async () => {
      const mailbox: NamedAddress = { name, address: 'a@x.example' }
      const { parsed } = await roundTrip({ from: mailbox, to: [mailbox, mailbox], replyTo: [mailbox] })
      expect([parsed.from, ...parsed.to, ...parsed.replyTo]).to.deep.equal([mailbox, mailbox, mailbox, mailbox])
    })
  }

  for (const [name, changes, field] of refused) {
    it(`refuses ${name}`, async () => {
      const error = await compose(draft(changes)).then(
        () => null,
        (reason: unknown) => reason,
      )
      expect(error).to.be.instanceOf(ComposeError)
      expect((error as ComposeError).field).to.equal(field)
    })
  }

  it('subjects come back, whatever they hold', async () => {
    for (const subject of [
      'Grüße',
      'x'.repeat(1000),
      '👋'.repeat(100),
      'a  b',
      '=?utf-8?Q?x?=',
      'ü'.repeat(40),
      `${'word '.repeat(190)}end`,
    ]) {
      expect((await roundTrip({ subject })).parsed.subject).to.equal(subject)
    }
    expect((await roundTrip({ subject: '' })).parsed.subject).to.equal('')
    expect((await roundTrip({ subject: 'a\tb\x07c' })).parsed.subject).to.equal('a b c')
  })

  it('leaves Bcc out, wherever it is named', async () => {
    const { raw } = await roundTrip({ bcc: [{ name: 'Secret', address: 'secret@z.example' }] })
    expect(raw.toString('latin1')).to.not.match(/secret|bcc/i)
    const only = await roundTrip({ to: [], bcc: [{ name: '', address: 'secret@z.example' }] })
    expect(headerValues(only.parsed.headers, 'to')).to.deep.equal(['undisclosed-recipients:;'])
  })

  it('nests text, HTML, inline images and files', async () => {
    const image = {
      name: 'l.png',
      contentType: 'image/png',
      content: Buffer.from([1, 2, 3]),
      contentId: 'l@x',
      inline: true,
    }
    const file = {
      name: 'größe ✓ with a long long long long long long long name.txt',
      contentType: 'text/plain; charset=utf-8',
      content: Buffer.from('content'),
    }
    const { raw, parsed, body } = await roundTrip({
      text: 'plain',
      html: '<p>rich <img src="cid:l@x"></p>',
      attachments: [file, image],
    })
    expect(body).to.include({ text: 'plain' })
    expect(body.html?.trim()).to.equal('<p>rich <img src="cid:l@x"></p>')
    expect(outline(parsed.root)).to.equal(
      'multipart/mixed(multipart/alternative(text/plain multipart/related(text/html image/png)) text/plain)',
    )
    expect(parsed.attachments.map(({ name, inline, contentId }) => ({ name, inline, contentId }))).to.deep.equal([
      { name: 'l.png', inline: true, contentId: 'l@x' },
      { name: file.name, inline: false, contentId: null },
    ])
    expect(partBytes(raw, findPart(parsed.root, '2') as Part).toString()).to.equal('content')
  })

  it('chooses the smallest structure', async () => {
    const file = { name: 'a.bin', contentType: 'application/octet-stream', content: Buffer.from('x') }
    const shape = async (changes: Partial<Draft>) => outline((await roundTrip(changes)).parsed.root)
    expect(await shape({})).to.equal('text/plain')
    expect(await shape({ text: null, html: '<p>x' })).to.equal('text/html')
    expect(await shape({ html: '<p>x' })).to.equal('multipart/alternative(text/plain text/html)')
    expect(await shape({ attachments: [file] })).to.equal('multipart/mixed(text/plain application/octet-stream)')
    expect(await shape({ text: null, attachments: [file] })).to.equal(
      'multipart/mixed(text/plain application/octet-stream)',
    )
  })

  it('carries a message as message/rfc822 only when it is 7-bit', async () => {
    const inner = (await compose(draft({ subject: 'inner', html: '<p>x' }))).raw
    const attach = (content: Buffer) =>
      roundTrip({ attachments: [{ name: 'm.eml', contentType: 'message/rfc822', content }] })
    const carried = await attach(inner)
    expect(partBytes(carried.raw, findPart(carried.parsed.root, '2') as Part).toString()).to.equal(inner.toString())
    expect(findPart(carried.parsed.root, '2')?.embedded?.fields[2]?.value).to.equal('inner')
    const eightBit = Buffer.from('Subject: ö\r\n\r\nx\r\n')
    const other = await attach(eightBit)
    expect(findPart(other.parsed.root, '2')?.contentType).to.equal('application/octet-stream')
    expect(partBytes(other.raw, findPart(other.parsed.root, '2') as Part)).to.deep.equal(eightBit)
  })

  it('writes thread fields, automatic mail and extra headers', async () => {
    const { parsed } = await roundTrip({
      sender: { name: '', address: 's@x.example' },
      inReplyTo: 'p@x.example',
      references: ['<r@x.example>', 'not an id', 'p@x.example'],
      autoSubmitted: 'auto-replied',
      headers: [
        ['X-Uberflussig', 'Wert ü'],
        ['List-Unsubscribe', '<https://x.example/u>, <mailto:u@x.example>'],
      ],
    })
    expect(parsed).to.deep.include({
      messageId: 'id@x.example',
      inReplyTo: 'p@x.example',
      references: ['r@x.example', 'p@x.example'],
      autoSubmitted: 'auto-replied',
    })
    expect(parsed.sender?.address).to.equal('s@x.example')
    expect(parsed.date?.toISOString()).to.equal('2024-02-29T12:00:00.000Z')
    expect(headerValues(parsed.headers, 'x-uberflussig')).to.deep.equal(['Wert ü'])
    expect(headerValues(parsed.headers, 'list-unsubscribe')).to.deep.equal([
      '<https://x.example/u>, <mailto:u@x.example>',
    ])
  })

  it('needs UTF-8 only for an address that has it', async () => {
    const { raw } = await compose(draft({ to: [{ name: 'Jörg', address: 'jörg@bücher.example' }] }))
    expectWireSafe(raw, false)
    expect(raw.toString()).to.contain('<jörg@xn--bcher-kva.example>')
    expect(raw.toString().replace('jörg', '')).to.not.match(/\P{ASCII}/u)
  })

  it('gives the same bytes for the same draft', async () => {
    const changes = { html: '<p>x', attachments: [{ name: 'a', contentType: 'text/plain', content: Buffer.from('x') }] }
    expect((await compose(draft(changes))).raw).to.deep.equal((await compose(draft(changes))).raw)
  })

  it('writes 1,000 recipients on lines that fit', async () => {
    const to = Array.from({ length: 1000 }, (_, i) => ({ name: `Person ${i}`, address: `p${i}@y.example` }))
    expect((await roundTrip({ to })).parsed.to.map(formatNamedAddress)).to.deep.equal(to.map(formatNamedAddress))
  })

  it('keeps to the wire rules for any text', async () => {
    const text = fc.string({ unit: 'binary', maxLength: 300 })
    await fc.assert(
      fc.asyncProperty(text, text, text, text, async (subject, name, content, html) => {
        const clean = (value: string) => value.replace(/[\r\n\0]/g, '')
        const { raw } = await compose(
          draft({
            subject: clean(subject),
            from: { name: clean(name), address: 'a@x.example' },
            text: content,
            html,
            headers: [['X-Any', clean(subject)]],
            attachments: [{ name: clean(name), contentType: 'text/plain', content: Buffer.from(content) }],
          }),
        )
        expectWireSafe(raw)
        const parsed = parseMessage(raw)
        expect(parsed.from?.address).to.equal('a@x.example')
        expect(parsed.to).to.have.length(1)
        expect(parsed.attachments).to.have.length(1)
      }),
      { numRuns: 150 },
    )
  })
})

function outline(part: Part): string {
  return part.children.length ? `${part.contentType}(${part.children.map(outline).join(' ')})` : part.contentType
}
