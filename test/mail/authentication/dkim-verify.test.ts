import { createPublicKey, randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { dkimSign, makeDkimKey } from '../../../mail/authentication/dkim-sign.ts'
import { verifySignatures } from '../../../mail/authentication/dkim-verify.ts'
import { readHeaders } from '../../../mail/message/headers.ts'

const domain = 'example.com'

/** The record of an RSA key that nobody can sign with: its numbers are random. */
function record(modulusBytes: number, exponent: Buffer): string {
  const modulus = randomBytes(modulusBytes)
  modulus[0] = 0xff
  modulus[modulusBytes - 1] = 0xff
  const [n, e] = [modulus, exponent].map((bytes) => bytes.toString('base64url'))
  const key = createPublicKey({ key: { kty: 'RSA', n, e }, format: 'jwk' })
  return `v=DKIM1; k=rsa; p=${key.export({ type: 'spki', format: 'der' }).toString('base64')}`
}

describe('verifySignatures', () => {
  let key: Awaited<ReturnType<typeof makeDkimKey>>
  let zone: { [selector: string]: string }
  let asked: string[]
  before(async () => {
    key = await makeDkimKey('rsa')
    const ordinary = Buffer.from([1, 0, 1])
    zone = {
      good: key.publicRecord,
      tiny: record(96, ordinary),
      huge: record(1_024, ordinary),
      slow: record(256, Buffer.concat([randomBytes(200), Buffer.from([1])])),
    }
  })
  beforeEach(() => {
    asked = []
  })

  async function verify(raw: Buffer | string, from: string | null = domain) {
    const bytes = Buffer.from(raw)
    return verifySignatures(bytes, readHeaders(bytes), {
      from,
      resolve: async (name) => {
        asked.push(name)
        const found = zone[name.split('.')[0] ?? '']
        if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return [[found]]
      },
    })
  }
  const letter = (body = 'Hello.\r\n', headers = '') =>
    Buffer.from(`${headers}From: a@${domain}\r\nSubject: Hi\r\n\r\n${body}`)
  const signed = (raw: Buffer, selector = 'good') =>
    dkimSign(raw, [{ domain, selector, algorithm: 'rsa', privateKey: key.privateKeyPem }])
  const results = async (raw: Buffer | string) => (await verify(raw)).dkim.map(({ result }) => result)

  it('costs nothing without a signature', async () => {
    expect(await verify(letter())).to.deep.equal({ dkim: [], arc: 'none', arcInfo: null })
    expect(asked).to.deep.equal([])
  })

  describe('reads bodies of any length and line ends as they were signed', () => {
    const bodies: readonly (readonly [string, string])[] = [
      ['empty', ''],
      ['one line', 'x\r\n'],
      ['without a line end', 'x'],
      ['larger than a piece', `${'A line of text.\r\n'.repeat(12_000)}`],
      ['with a line end across pieces', `${'x'.repeat(999)}\r\n`.repeat(300)],
      ['of line ends', '\r\n'.repeat(100_000)],
      ['blanks', ' \t \r\n'.repeat(40_000)],
    ]
    for (const [name, body] of bodies) {
      it(name, async () => {
        const raw = await signed(letter(body))
        expect(await results(raw)).to.deep.equal(['pass'])
        const bodyStart = raw.indexOf('\r\n\r\n') + 4
        const bare = Buffer.from(raw.toString('latin1', bodyStart).replaceAll('\r\n', '\n'), 'latin1')
        expect(await results(Buffer.concat([raw.subarray(0, bodyStart), bare]))).to.deep.equal(['pass'])
      })
    }
  })

  describe('answers for keys of', () => {
    const cases = [
      ['768 bits', 'tiny', 'policy'],
      ['8192 bits', 'huge', 'permerror'],
      ['a huge exponent', 'slow', 'permerror'],
    ] as const
    for (const [name, selector, result] of cases)
      it(`${name}: ${result}`, async () =>
        expect(await results(await signed(letter(), selector))).to.deep.equal([result]))
  })

  describe('does not verify', () => {
    const field = (more: string) => `DKIM-Signature: v=1; a=rsa-sha256; d=other.test; s=good; bh=x; b=y; ${more}\r\n`
    const cases: readonly (readonly [string, string])[] = [
      ['a field that is too long', field(`h=from; x=${'y'.repeat(5_000)}`)],
      ['too many names', field(`h=from${':x'.repeat(300)}`)],
      ['a header with too many fields', `${field('h=from')}${'X: y\r\n'.repeat(1_100)}`],
      ['a header that is too large', `${field('h=from')}X: ${'y'.repeat(300_000)}\r\n`],
    ]
    for (const [name, headers] of cases) {
      it(name, async () => {
        expect(await results(letter('x\r\n', headers))).to.deep.equal(['policy'])
        expect(asked).to.deep.equal([])
      })
    }
    it('long chains', async () => {
      const sets = Array.from(
        { length: 11 },
        (_, n) =>
          `ARC-Seal: i=${n + 1}; a=rsa-sha256; cv=${n === 0 ? 'none' : 'pass'}; d=x.test; s=good; b=AAAA\r\n` +
          `ARC-Message-Signature: i=${n + 1}; a=rsa-sha256; d=x.test; s=good; h=from; bh=x; b=AAAA\r\n` +
          `ARC-Authentication-Results: i=${n + 1}; x.test; none\r\n`,
      )
      expect((await verify(letter('x\r\n', sets.join('')))).arc).to.equal('policy')
    })
  })

  it('names no domain that is none', async () => {
    const headers = 'DKIM-Signature: v=1; a=rsa-sha256; d=ignore all; s=good; h=from; bh=x; b=y\r\n'
    expect((await verify(letter('x\r\n', headers))).dkim.map((each) => each.domain)).to.deep.equal([''])
  })
})
