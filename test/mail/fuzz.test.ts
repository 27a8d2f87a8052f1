/**
 * What strangers send, bent at random: nothing may throw, hang, grow or slip through. `FUZZ_RUNS` times as many rounds
 * (default 1) when something was changed; a finding prints its seed and becomes a case of its own elsewhere.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { Parser } from 'htmlparser2'
import { quickSnippet, readBody } from '../../mail/body/body.ts'
import { visibleText } from '../../mail/body/html-text.ts'
import { replyText } from '../../mail/body/reply.ts'
import { sanitiseHtml } from '../../mail/body/sanitise.ts'
import { readCms } from '../../mail/containers/cms.ts'
import { decompressRtf, readRtf } from '../../mail/containers/rtf.ts'
import { readTnef } from '../../mail/containers/tnef.ts'
import { decodeCharset } from '../../mail/encoding/charset.ts'
import { parseDate } from '../../mail/encoding/date.ts'
import { decodeWords } from '../../mail/encoding/header-words.ts'
import { parseParameters } from '../../mail/encoding/parameters.ts'
import {
  formatNamedAddress,
  normaliseAddress,
  parseAddressList,
  parseNamedAddress,
} from '../../mail/message/address.ts'
import { attachmentsInside, contentAt } from '../../mail/message/attached-message.ts'
import { readHeaders } from '../../mail/message/headers.ts'
import { readInlineFiles } from '../../mail/message/inline-files.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { isAutomatic } from '../../mail/report/autoreply.ts'
import { expectLinear } from './cost.ts'
import { mailFixtures, mimeFixtures } from './fixtures.ts'
import { attribute, file, properties, property, stream } from './message/tnef-stream.ts'

const rounds = Number(process.env.FUZZ_RUNS ?? 1)
const fixtures = [...mimeFixtures(), ...mailFixtures()].map(({ raw }) => raw)

/** What mutations insert: the bytes that mean something to the parser. */
const pieces = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '--',
  '\r\n--',
  ': ',
  ';',
  '"',
  '=',
  '=?utf-8?Q?',
  '?=',
  '<',
  '>',
  '(',
  '\\',
  '\xff',
  '\xe2\x82',
  '%',
  "*0*=utf-8''",
  'Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n',
  'Content-Type: message/rfc822\r\n\r\n',
  'Content-Type: application/ms-tnef\r\n',
  'Content-Type: application/pkcs7-mime\r\n',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Transfer-Encoding: x-uuencode\r\n',
  '\r\nbegin 644 a\r\n',
  '\r\nend\r\n',
  '\r\n=ybegin name=a\r\n',
  '\r\n=yend size=1\r\n',
  '<div style="display:none">',
  '<!--',
  '> ',
  '-- \r\n',
  'On 1 May 2020, a@b wrote:\r\n',
]

const mutation = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  remove: fc.nat({ max: 60 }),
  insert: fc.constantFrom(...pieces),
  times: fc.nat({ max: 20 }),
})
const mutations = fc.array(mutation, { minLength: 1, maxLength: 8 })

function mutate(
  raw: Buffer,
  changes: readonly { at: number; remove: number; insert: string; times: number }[],
): Buffer {
  return changes.reduce((bytes, { at, remove, insert, times }) => {
    const start = Math.floor(at * bytes.length)
    return Buffer.concat([
      bytes.subarray(0, start),
      Buffer.from(insert.repeat(times), 'latin1'),
      bytes.subarray(start + remove),
    ])
  }, raw)
}

/** Bytes with some of them changed, in lengths and counts above all. */
function spoiled(bytes: Buffer): fc.Arbitrary<Buffer> {
  const change = fc.tuple(
    fc.nat({ max: bytes.length - 1 }),
    fc.oneof(fc.constantFrom(0, 1, 0x7f, 0x80, 0xff), fc.nat(255)),
  )
  return fc.tuple(fc.array(change, { maxLength: 12 }), fc.nat({ max: bytes.length })).map(([changes, cut]) => {
    const copy = Buffer.from(bytes)
    for (const [at, byte] of changes) copy[at] = byte
    return copy.subarray(0, cut < 8 ? bytes.length : bytes.length - (cut % 64))
  })
}

/** Everything that is done with received mail; none of it may throw, whatever the bytes. */
function exercise(raw: Buffer): void {
  const parsed = parseMessage(raw)
  const { text, html } = readBody(raw, parsed)
  expect(quickSnippet(raw, parsed)).to.not.match(/[\r\n\0]/)
  replyText(text, { html, from: parsed.from })
  if (html !== null) expectSafe(sanitiseHtml(html))
  isAutomatic(parsed.headers)
  for (const { partId, sizeBytes, name } of parsed.attachments) {
    expect(contentAt(raw, parsed, partId)).to.have.length(sizeBytes)
    expect(name).to.match(/^[^/\\\p{Cc}]+$/u)
  }
  for (const { partId, sizeBytes } of attachmentsInside(raw, parsed))
    expect(contentAt(raw, parsed, partId)).to.have.length(sizeBytes)
  for (const field of parsed.headers) expect(field.value).to.not.match(/[\r\n\0]/)
}

const harmless =
  /^(?:h[1-6]|p|div|span|a|b|i|u|s|em|strong|small|sub|sup|big|tt|font|center|br|hr|wbr|img|map|area|ul|ol|li|dl|dt|dd|table|thead|tbody|tfoot|tr|td|th|caption|colgroup|col|blockquote|pre|code|abbr|address|article|aside|bdi|bdo|cite|data|del|dfn|figcaption|figure|footer|header|hgroup|ins|kbd|main|mark|menu|nav|q|rb|rp|rt|rtc|ruby|samp|search|section|strike|time|var)$/

/** Read as a browser would, no part of it runs, loads, covers or sends. */
function expectSafe(html: string): void {
  const parser = new Parser({
    onopentag(name, attributes) {
      expect(name).to.match(harmless)
      for (const [key, value] of Object.entries(attributes)) {
        expect(key).to.match(/^(?!on|srcset|action|formaction|background|poster|data$)[a-z-]+$/)
        if (key === 'style') expect(value).to.not.match(/url|position|expression|@|\\|behavior|:\s*-\d{3}/i)
        if (key === 'href') expect(value).to.match(/^\s*(?:https?:|mailto:|tel:|#)/i)
        if (key === 'src') expect(value).to.match(/^(?:cid:|data:image\/(?:png|gif|jpe?g|webp)[;,])/i)
        if (key === 'data-remote-src') expect(value).to.match(/^https?:\/\//i)
      }
    },
    oncomment: () => expect.fail('a comment'),
    onprocessinginstruction: () => expect.fail('an instruction'),
  })
  parser.end(html)
}

const check = <T>(property: fc.IProperty<T>, numRuns: number) => fc.assert(property, { numRuns: numRuns * rounds })

describe('mail: at random', () => {
  it('messages: never throws and never lies about sizes', () => {
    check(
      fc.property(fc.nat({ max: fixtures.length - 1 }), mutations, (n, changes) =>
        exercise(mutate(fixtures[n] as Buffer, changes)),
      ),
      400,
    )
  })

  it('bytes of any kind', () => {
    check(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => exercise(Buffer.from(bytes))),
      200,
    )
    check(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 200 }), (list) =>
        exercise(Buffer.from(list.join(''), 'latin1')),
      ),
      200,
    )
  })

  it('HTML: what is safe stays safe, twice is as once', () => {
    const name = fc.constantFrom(
      ...'a b p div img table td style script svg math mtext form input iframe object base meta link body html template title noscript textarea select option xmp plaintext math mglyph annotation-xml foreignObject details font center'.split(
        ' ',
      ),
    )
    const key = fc.constantFrom(
      ...'href src style class id onclick onerror onload srcset background bgcolor color action formaction xlink:href data-remote-src http-equiv content hidden title align'.split(
        ' ',
      ),
    )
    const value = fc.constantFrom(
      'javascript:alert(1)',
      ' java\nscript:x',
      'data:text/html,x',
      'data:image/svg+xml,x',
      'data:image/png;base64,AA',
      'https://x.example/',
      '//x.example',
      'cid:a@b',
      '&#106;avascript:x',
      'x',
      'a b',
      'color:red;background:url(https://x)',
      'position:fixed;top:0',
      'width:expression(1)',
      'margin:-999px',
      '\\0075rl(x)',
      "'><script>",
      '"><img src=x onerror=x>',
      '`',
    )
    const quote = fc.constantFrom('"', "'", '', '`', '"\0')
    const attributes = fc
      .array(fc.tuple(key, value, quote), { maxLength: 4 })
      .map((list) => list.map(([name, content, mark]) => ` ${name}=${mark}${content}${mark}`).join(''))
    const raw = fc.constantFrom(
      '<',
      '>',
      '</',
      '<!--',
      '-->',
      '--!>',
      '<![CDATA[',
      ']]>',
      '<?x',
      '&lt;',
      '&',
      '\0',
      '\ud800',
      'text',
      '/>',
      '<!doctype x>',
      '.x{display:none}',
      '}',
    )
    const piece = fc.oneof(
      fc.tuple(name, attributes).map(([tag, list]) => `<${tag}${list}>`),
      name.map((tag) => `</${tag}>`),
      raw,
    )
    check(
      fc.property(fc.array(piece, { maxLength: 60 }), (list) => {
        const html = list.join('')
        const once = sanitiseHtml(html)
        expectSafe(once)
        expectSafe(sanitiseHtml(once))
        const { text, hidden } = visibleText(html)
        expect(hidden.length).to.be.at.most(20)
        expect(text).to.not.match(/\u200b/)
      }),
      500,
    )
  })

  it('TNEF, RTF and CMS', () => {
    const whole = stream(
      attribute(0x00069007, Buffer.from([0xe4, 4, 0, 0, 0, 0, 0, 0])),
      properties(
        property(0x1000, 0x1f, 'words'),
        property(0x1013, 0x102, Buffer.from('<p>x</p>')),
        property(0x1009, 0x102, Buffer.from('1a0000001c0000004c5a4675e2d44b51410004205758595a0d6e7d010eb0', 'hex')),
      ),
      file('a.txt', 'content', property(0x3707, 0x1f, 'long name.txt'), property(0x3701, 0x0d, Buffer.alloc(40))),
    )
    check(
      fc.property(spoiled(whole), (bytes) => {
        const opened = readTnef(bytes)
        opened?.body(1000)
        for (const { bytes: content } of opened?.files ?? []) expect(content.length).to.be.at.most(bytes.length)
      }),
      1500,
    )
    const words = fc.constantFrom(
      '{',
      '}',
      '\\',
      "\\'e9",
      '\\u8364 ?',
      '\\uc0 ',
      '\\par ',
      '\\htmlrtf ',
      '\\htmlrtf0 ',
      '{\\*\\htmltag64 <p>}',
      '{\\fonttbl{\\f1\\fcharset128 x;}}',
      '\\f1 ',
      '\\ansicpg932',
      '\\u-10179',
      '\\bin5 ',
      'x',
      '\r\n',
      '{\\pict ',
      '\\*',
    )
    check(
      fc.property(fc.array(words, { maxLength: 100 }), fc.boolean(), (list, isHtml) => {
        readRtf(Buffer.from(`{\\rtf1${isHtml ? '\\fromhtml1 ' : ' '}${list.join('')}`, 'latin1'))
      }),
      500,
    )
    check(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(5000), (bytes, size) => {
        const head = Buffer.alloc(16)
        head.writeUInt32LE(size, 4)
        head.write('LZFu', 8, 'latin1')
        expect(decompressRtf(Buffer.concat([head, bytes]), 4000).length).to.be.at.most(4000)
      }),
      500,
    )
    const signed = fixtures
      .map((raw) => parseMessage(raw))
      .flatMap(({ signedContent, root }, n) =>
        signedContent
          ? [
              contentAt(
                fixtures[n] as Buffer,
                { ...parseMessage(fixtures[n] as Buffer), signedContent: null },
                root.id,
              ) as Buffer,
            ]
          : [],
      )
    expect(signed).to.have.length(2)
    for (const der of signed)
      check(
        fc.property(spoiled(der), (bytes) => {
          expect(readCms(bytes)?.content?.length ?? 0).to.be.at.most(bytes.length)
        }),
        500,
      )
  })

  it('files in text', () => {
    const line = fc.constantFrom(
      'begin 644 a',
      'end',
      '`',
      '%:&5L;&\\',
      'M',
      '=ybegin line=1 name=b',
      '=ypart begin=1',
      '=yend size=1',
      'words',
      '',
      '=',
      '=}',
    )
    check(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        const content = Buffer.from(lines.join('\r\n'))
        const opened = readInlineFiles(content)
        const total = (opened?.files ?? []).reduce((sum, { bytes }) => sum + bytes.length, opened?.text.length ?? 0)
        expect(total).to.be.at.most(content.length)
      }),
      500,
    )
  })

  it('addresses: a local part that needs no quotes is the same with them', () => {
    const letters = fc.string({ unit: fc.constantFrom(...'aBz09.-_+!#{', 'ü', 'K', 'ß'), minLength: 1, maxLength: 40 })
    const label = fc.string({ unit: fc.constantFrom(...'aBz09-_', 'xn--', 'ü', 'K'), minLength: 1, maxLength: 30 })
    const domain = fc
      .tuple(fc.array(label, { maxLength: 3 }), fc.constantFrom('example', 'COM', 'c', '1', '1a', 'xn--p1ai', ''))
      .map(([labels, last]) => [...labels, last].join('.'))
    check(
      fc.property(letters, domain, (local, at) => {
        const quoted = normaliseAddress(`"${local}"@${at}`)
        const bare = normaliseAddress(`${local}@${at}`)
        if (bare !== null || quoted === null) expect(bare).to.equal(quoted)
        else expect(quoted).to.match(/^"/)
      }),
      2_000,
    )
  })

  it('addresses: what is read can be written and read again', () => {
    const piece = fc.constantFrom(
      'a@b.example',
      '"',
      '\\',
      '(',
      ')',
      '<',
      '>',
      ',',
      ';',
      ':',
      '@',
      ' ',
      'Ann',
      '=?utf-8?Q?=C3=BC?=',
      '=?',
      '?=',
      'ü',
      '\0',
      '[127.0.0.1]',
      '.',
      '\ud800',
      "'",
    )
    check(
      fc.property(fc.array(piece, { maxLength: 40 }), (list) => {
        for (const mailbox of parseAddressList(list.join(''))) {
          expect(mailbox.address).to.include('@')
          expect(`${mailbox.name}${mailbox.address}`).to.not.match(/[\r\n\0]/)
          const valid = normaliseAddress(mailbox.address)
          if (valid === null) continue
          expect(normaliseAddress(valid)).to.equal(valid)
          expect(parseNamedAddress(formatNamedAddress({ name: '', address: valid }))?.address).to.equal(valid)
        }
      }),
      1000,
    )
  })

  it('dates, parameters, encoded words, header fields, charsets, replies', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        'Mon, ',
        '31',
        ' Feb ',
        '2020',
        ' 99',
        ' 12:00',
        ':60',
        ' +0000',
        ' -9999',
        ' EST',
        '(',
        ')',
        'T',
        'Z',
        '-',
        '=?',
        '?=',
        '?Q?',
        '?B?',
        '=?utf-8?B?',
        '=?iso-2022-jp?B?',
        '=ff',
        ';',
        '*0*=',
        "''",
        '%e2',
        '%',
        '"',
        ' name',
        '=',
        '\r\n ',
        '\r\n',
        ': ',
        '\0',
        'ü',
        '> ',
        '\n',
        'On 1 May 2020, a@b wrote:',
        'From: x',
        '-- ',
      ),
      fc.string({ maxLength: 5 }),
    )
    check(
      fc.property(
        fc.array(piece, { maxLength: 40 }),
        fc.constantFrom(
          'utf-8',
          'utf-7',
          'hz',
          'iso-2022-jp',
          'gb18030',
          'iso-2022-kr',
          'utf-16',
          'x',
          'big5',
          'euc-kr',
          'utf-32',
        ),
        (list, charset) => {
          const text = list.join('')
          const bytes = Buffer.from(text)
          const date = parseDate(text)
          if (date !== null) expect(date.getUTCFullYear()).to.be.within(1970, 9999)
          // The fields it is given have no NUL; what is encoded in them may.
          for (const value of parseParameters(text.replaceAll('\0', '')).params.values())
            expect(value).to.not.include('\0')
          expect(decodeWords(text)).to.not.match(/[\r\n\0]/)
          expect(readHeaders(bytes).bodyStart).to.be.at.most(bytes.length)
          expect(decodeCharset(bytes, charset).length).to.be.at.most(bytes.length)
          expect(replyText(text).length).to.be.at.most(text.length + 1)
        },
      ),
      1000,
    )
  })

  it('takes linear time: twice the bytes cost less than three times the time', () => {
    for (const piece of pieces) {
      const body = piece.repeat(2_000_000 / piece.length)
      const raw = Buffer.from(`Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n${body}`, 'latin1')
      expectLinear(JSON.stringify(piece), raw, (bytes) => parseMessage(bytes))
    }
  })
})
