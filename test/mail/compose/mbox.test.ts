import { expect } from 'chai'
import { check, property, uint8Array } from 'fast-check'
import { mboxEntry } from '../../../mail/compose/mbox.ts'

const receivedAt = new Date('2026-11-05T09:04:03.210Z')
const entry = (raw: string, sender = 'carol@remote.example') =>
  mboxEntry({ sender, receivedAt, raw: Buffer.from(raw, 'latin1') }).toString('latin1')
const separator = 'From carol@remote.example Thu Nov  5 09:04:03 2026\n'

/** Takes the quotes off again, as a reader of mboxrd does. */
const unquoted = (text: string) => text.replaceAll(/(^|\n)>(?=>*From )/g, '$1')

describe('mail/compose/mbox', () => {
  const quoted: readonly (readonly [string, string, string])[] = [
    ['a line that begins so', 'A: b\r\n\r\nFrom me', 'A: b\n\n>From me\n'],
    ['the first line', 'From x\r\nA: b\r\n\r\n', '>From x\nA: b\n\n'],
    ['a quoted one', '\r\n>From me\r\n', '\n>>From me\n'],
    ['one quoted often', '\r\n>>>>From me\r\n', '\n>>>>>From me\n'],
    ['two in a row', '\r\nFrom a\r\nFrom b\r\n', '\n>From a\n>From b\n'],
    ['after an empty line', '\r\n\r\nFrom a\r\n', '\n\n>From a\n'],
    ['with nothing behind', '\r\nFrom \r\n', '\n>From \n'],
    ['after a bare LF', '\nFrom a\n', '\n>From a\n'],
    ['before bytes that are no text', '\r\nFrom \xff\xfe\r\n', '\n>From \xff\xfe\n'],
    ['in the header', 'A: b\r\nFrom c\r\n\r\n', 'A: b\n>From c\n\n'],
  ]
  for (const [name, raw, expected] of quoted)
    it(`quotes ${name}`, () => expect(entry(raw)).to.equal(`${separator}${expected}\n`))

  const left: readonly (readonly [string, string, string])[] = [
    ['the field From', 'From: carol@remote.example\r\n\r\n', 'From: carol@remote.example\n\n'],
    ['the word in a line', '\r\nHi From me\r\n', '\nHi From me\n'],
    ['another case', '\r\nfrom me\r\nFROM me\r\n', '\nfrom me\nFROM me\n'],
    ['without a space', '\r\nFrom\r\nFrom\tme\r\n', '\nFrom\nFrom\tme\n'],
    ['behind a space', '\r\n From me\r\n> From me\r\n', '\n From me\n> From me\n'],
    ['behind a bare CR', '\r\na\rFrom me\r\n', '\na\rFrom me\n'],
    ['behind what other languages end lines with', '\r\na\x85From me\r\n', '\na\x85From me\n'],
    ['a bare CR', '\r\na\rb\r\r\n', '\na\rb\r\n'],
    ['8-bit bytes', '\r\n\xe4\xf6\x00\x01\r\n', '\n\xe4\xf6\x00\x01\n'],
    ['an empty message', '', '\n'],
    ['a missing line end', '\r\nHi', '\nHi\n'],
  ]
  for (const [name, raw, expected] of left)
    it(`leaves ${name}`, () => expect(entry(raw)).to.equal(`${separator}${expected}\n`))

  const senders: readonly (readonly [string, string])[] = [
    ['', 'MAILER-DAEMON'],
    ['a b@remote.example', 'a?b@remote.example'],
    ['a\nFrom b@remote.example', 'a?From?b@remote.example'],
    ['ü@remote.example', '?@remote.example'],
  ]
  for (const [sender, expected] of senders)
    it(`names the sender ${JSON.stringify(sender)} as ${expected}`, () =>
      expect(entry('\r\n', sender).split(' Thu ')[0]).to.equal(`From ${expected}`))

  it('writes a day of two digits without a space', () => {
    const at = new Date('2026-12-31T23:59:59Z')
    expect(mboxEntry({ sender: 'a@b', receivedAt: at, raw: Buffer.from('\n') }).toString()).to.match(
      /^From a@b Thu Dec 31 23:59:59 2026\n/,
    )
  })

  it('gives every message back, but for CRLF and a last line end', () => {
    const found = check(
      property(uint8Array({ maxLength: 300 }), (bytes) => {
        const raw = Buffer.from(bytes.map((byte) => b[byte % b.length] ?? byte))
        const text = mboxEntry({ sender: 'a@b', receivedAt, raw }).toString('latin1')
        const body = text.slice(text.indexOf('\n') + 1, -1)
        const lines = raw.toString('latin1').replaceAll('\r\n', '\n')
        return unquoted(body) === (lines.endsWith('\n') ? lines : `${lines}\n`) && !/\nFrom /.test(`\n${body}`)
      }),
      { numRuns: 2_000 },
    )
    expect(found.counterexample).to.equal(null)
  })
})

/** Letters that make separator lines often. */
const b = Buffer.from('From >\r\n\n>From ax')
