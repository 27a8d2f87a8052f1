import { expect } from 'chai'
import fc from 'fast-check'
import { isAutomatic } from '../../mail/autoreply.ts'
import { partBytes, quickSnippet, readBody } from '../../mail/body.ts'
import { sanitiseHtml } from '../../mail/html.ts'
import { findPart, type Part, parseMessage } from '../../mail/parse.ts'
import { replyText } from '../../mail/reply.ts'
import { mimeFixtures } from './fixtures.ts'

const fixtures = mimeFixtures().map(({ raw }) => raw)

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
  'Content-Transfer-Encoding: base64\r\n',
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

/** Everything that is done with received mail; none of it may throw, whatever the bytes. */
function exercise(raw: Buffer): void {
  const parsed = parseMessage(raw)
  const { text, html } = readBody(raw, parsed)
  expect(quickSnippet(raw, parsed)).to.not.match(/[\r\n\0]/)
  replyText(text, html)
  if (html !== null) expect(sanitiseHtml(html)).to.not.match(/<script/i)
  isAutomatic(parsed.headers)
  for (const { partId, sizeBytes, name } of parsed.attachments) {
    expect(partBytes(raw, findPart(parsed.root, partId) as Part)).to.have.length(sizeBytes)
    expect(name).to.match(/^[^/\\\p{Cc}]+$/u)
  }
  for (const field of parsed.headers) expect(field.value).to.not.match(/[\r\n\0]/)
}

describe('mail: mutated messages', () => {
  it('never throws and never lies about sizes', function () {
    this.timeout(30_000)
    fc.assert(
      fc.property(fc.constantFrom(...fixtures), fc.array(mutation, { minLength: 1, maxLength: 8 }), (raw, changes) =>
        exercise(mutate(raw, changes)),
      ),
      { numRuns: 400 },
    )
  })

  it('never throws on bytes of any kind', function () {
    this.timeout(30_000)
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2000 }), (bytes) => exercise(Buffer.from(bytes))),
      { numRuns: 200 },
    )
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 200 }), (list) =>
        exercise(Buffer.from(list.join(''), 'latin1')),
      ),
      { numRuns: 200 },
    )
  })

  it('takes linear time: eight times the bytes cost less than forty times the time', function () {
    this.timeout(30_000)
    for (const piece of pieces) {
      const measure = (size: number) => {
        const raw = Buffer.from(
          `Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\n\r\n${piece.repeat(size / piece.length)}`,
          'latin1',
        )
        const started = performance.now()
        parseMessage(raw)
        return performance.now() - started
      }
      measure(50_000)
      const small = Math.max(...[0, 1, 2].map(() => measure(50_000)), 0.5)
      expect(Math.min(...[0, 1].map(() => measure(400_000))), JSON.stringify(piece)).to.be.below(small * 40)
    }
  })
})
