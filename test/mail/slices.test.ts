/** Large mail lets others go on while it is written. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import fc from 'fast-check'
import { dkimSign, makeDkimKey } from '../../mail/authentication/dkim-sign.ts'
import { compose, type Draft } from '../../mail/compose/compose.ts'
import { contentAt } from '../../mail/message/attached-message.ts'
import { parseMessage } from '../../mail/message/parse.ts'
import { joined, sliceBytes } from '../../mail/slices.ts'

const MiB = 1024 * 1024

/** Does the work, and counts the turns of the event loop that others got meanwhile. */
async function turnsOf<T>(work: () => Promise<T>): Promise<{ done: T; turns: number }> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const done = await work()
  isOver = true
  return { done, turns }
}

/** Lines of base64 do not fill their slices. */
const turnsMin = ({ length }: Buffer) => Math.floor((length / sliceBytes) * 0.8)

const draft = (changes: Partial<Draft>): Draft => ({
  from: { name: '', address: 'ann@x.example' },
  to: [{ name: '', address: 'bob@y.example' }],
  cc: [],
  bcc: [],
  subject: 'Large',
  attachments: [],
  messageId: 'id@x.example',
  date: new Date(0),
  ...changes,
})

describe('mail/slices', () => {
  it('parts are joined as Buffer.concat does', () =>
    fc.assert(
      fc.asyncProperty(fc.array(fc.nat(sliceBytes * 2), { maxLength: 5 }), async (sizes) => {
        const parts = sizes.map((size, n) => Buffer.alloc(size, n + 1))
        expect((await joined(parts)).equals(Buffer.concat(parts))).to.equal(true)
      }),
      { numRuns: 30 },
    ))

  it('what is large lies in memory that threads share', async () => {
    expect((await joined([Buffer.alloc(sliceBytes), Buffer.alloc(1)])).buffer).to.be.instanceOf(SharedArrayBuffer)
    expect((await joined([Buffer.alloc(sliceBytes)])).buffer).to.be.instanceOf(ArrayBuffer)
  })

  const texts: readonly (readonly [name: string, text: string, encoding: string])[] = [
    ['lines of ASCII', 'a plain line of text\n'.repeat(100_000), '7bit'],
    ['lines with umlauts', 'Grüße an alle, die das hier lesen\n'.repeat(60_000), 'quoted-printable'],
    ['one line of ASCII', 'x'.repeat(2 * MiB), 'quoted-printable'],
    ['one line with equal signs', 'ab=c'.repeat(500_000), 'quoted-printable'],
    ['one line of characters in pairs', `a${'👋'.repeat(300_000)}`, 'base64'],
    ['line ends of all kinds', 'one\r\ntwo\rthree\n\r\n'.repeat(120_000), '7bit'],
    ['carriage returns alone', `${'x'.repeat(70)}\r`.repeat(30_000), '7bit'],
    ['a blank before the end', `${'line\n'.repeat(40_000)}last `, 'quoted-printable'],
  ]
  for (const [name, text, encoding] of texts) {
    it(`a text comes back, and others get their turn: ${name}`, async () => {
      const { done, turns } = await turnsOf(() => compose(draft({ text })))
      const parsed = parseMessage(done.raw)
      expect(parsed.root.encoding).to.equal(encoding)
      const back = contentAt(done.raw, parsed, '1')?.toString().replaceAll('\r\n', '\n') ?? ''
      const sent = text.replaceAll(/\r\n?/g, '\n')
      expect(back === sent || back === `${sent}\n`).to.equal(true)
      const lines = done.raw.toString('latin1').split('\r\n')
      expect(lines.reduce((longest, line) => Math.max(longest, line.length), 0)).to.be.at.most(78)
      expect(turns).to.be.at.least(turnsMin(done.raw))
    })
  }

  it('files come back, signed, and others get their turn', async () => {
    const content = randomBytes(3 * MiB)
    const message = Buffer.from('Subject: inner\r\n\r\nA line.\r\n'.repeat(40_000))
    const files = [
      { name: 'file.bin', contentType: 'application/octet-stream', content },
      { name: 'inner.eml', contentType: 'message/rfc822', content: message },
      { name: 'odd.eml', contentType: 'message/rfc822', content: Buffer.concat([message, Buffer.from('\n')]) },
    ]
    const { privateKeyPem: privateKey } = await makeDkimKey('ed25519')
    const key = { domain: 'x.example', selector: 's', privateKey, algorithm: 'ed25519' } as const
    const composed = await turnsOf(() => compose(draft({ text: 'See the files.', attachments: files })))
    const signed = await turnsOf(() => dkimSign(composed.done.raw, [key]))
    const parsed = parseMessage(signed.done)
    expect(contentAt(signed.done, parsed, '2')?.equals(content)).to.equal(true)
    expect(contentAt(signed.done, parsed, '3')?.equals(message)).to.equal(true)
    expect(parsed.attachments.map(({ contentType }) => contentType)).to.deep.equal([
      'application/octet-stream',
      'message/rfc822',
      'application/octet-stream',
    ])
    expect(composed.turns).to.be.at.least(turnsMin(signed.done))
    // Looked through for line ends, hashed, and copied behind its signature.
    expect(signed.turns).to.be.at.least(turnsMin(signed.done) * 3)
  })
})
