import { expect } from 'chai'
import {
  authenticationResults,
  forgedResults,
  withoutRanges,
} from '../../../mail/authentication/authentication-results.ts'

const us = 'mx.mailroom.test'
const field = (value: string) => `Authentication-Results: ${value}\r\n`
const rest = 'From: a@b.test\r\nSubject: x\r\n'

describe('authenticationResults', () => {
  it('folds results into lines', () => {
    const text = authenticationResults(us, [
      'dkim=pass header.d=b.test header.s=s',
      'spf=pass (a comment) smtp.mailfrom=b.test',
    ])
    expect(text).to.equal(
      `Authentication-Results: ${us};\r\n\tdkim=pass header.d=b.test header.s=s;\r\n\tspf=pass (a comment) smtp.mailfrom=b.test\r\n`,
    )
  })
  it('says none when there are none', () => {
    expect(authenticationResults(us, [])).to.equal(`Authentication-Results: ${us};\r\n\tnone\r\n`)
  })
  it('stays under its size, and keeps whole results', () => {
    const text = authenticationResults(
      us,
      Array.from({ length: 100 }, (_, n) => `dkim=fail header.d=${'x'.repeat(150)}${n}.test`),
    )
    expect(text.length).to.be.within(5_000, 6 * 1024)
    expect(text).to.match(/\.test\r\n$/)
  })
})

describe('forgedResults', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['none there', rest, rest],
    ['ours', `${field(`${us}; dkim=pass`)}${rest}`, rest],
    ['ours in the middle', `From: a@b.test\r\n${field(`${us}; x=y`)}Subject: x\r\n`, rest],
    ['several', `${field(`${us}; a=b`)}${field(`${us}; c=d`)}${rest}${field(`${us}; e=f`)}`, rest],
    ['in other letters', `AUTHENTICATION-results: MX.Mailroom.TEST; dkim=pass\r\n${rest}`, rest],
    ['with a version', `${field(`${us} 1; dkim=pass`)}${rest}`, rest],
    ['quoted', `${field(`"${us}"; dkim=pass`)}${rest}`, rest],
    ['behind a comment', `${field(`(by (us)) ${us}; dkim=pass`)}${rest}`, rest],
    ['folded', `Authentication-Results:\r\n ${us};\r\n\tdkim=pass\r\n${rest}`, rest],
    ['with blanks before the colon', `Authentication-Results \t: ${us}; dkim=pass\r\n${rest}`, rest],
    ['behind a line that is no field', `${rest}garbage\r\n${field(`${us}; dkim=pass`)}`, `${rest}garbage\r\n`],
    ['behind a bare CR', `X: y\r${field(`${us}; dkim=pass`)}${rest}`, `X: y\r\n${rest}`],
    ['between bare CRs', `X: y\r${field(`${us}; dkim=pass`).trimEnd()}\rZ: z\r\n${rest}`, `X: y\rZ: z\r\n${rest}`],
    [
      'behind a bare CR and folded',
      `X: y\rAuthentication-Results:\r\n ${us};\r\tdkim=pass\r\n${rest}`,
      `X: y\r\n${rest}`,
    ],
    [
      "behind a bare CR in somebody else's",
      `${field('mx.other.test; x').trimEnd()}\r${field(`${us}; y`)}${rest}`,
      `${field('mx.other.test; x')}${rest}`,
    ],
    ['with a bare CR, behind which no field begins', `${field(`${us}; x\rFrom: c@d.test`)}${rest}`, rest],
    [
      'behind bare CRs that other readers take for the end',
      `X: y\r\r\n${field(`${us}; x`)}${rest}`,
      `X: y\r\r\n${rest}`,
    ],
    ["somebody else's", `${field('mx.other.test; dkim=pass')}${rest}`, `${field('mx.other.test; dkim=pass')}${rest}`],
    ['a name that begins like ours', `${field(`${us}.evil.test; x`)}${rest}`, `${field(`${us}.evil.test; x`)}${rest}`],
    [
      'another field',
      `Authentication-Results-Old: ${us}; x\r\n${rest}`,
      `Authentication-Results-Old: ${us}; x\r\n${rest}`,
    ],
  ]
  for (const [name, header, left] of cases) {
    it(name, () => {
      const body = `\r\n${field(`${us}; in the body`)}`
      const raw = Buffer.from(header + body)
      const ranges = forgedResults(raw, us, 10)
      expect(withoutRanges(raw, ranges ?? []).toString()).to.equal(left + body)
    })
  }
  it('gives up on too many', () => {
    const raw = Buffer.from(`${field(`${us}; x`)}X: y\r\n`.repeat(11))
    expect(forgedResults(raw, us, 10)).to.equal(null)
  })
  it('counts neighbours as one', () => {
    const raw = Buffer.from(field(`${us}; x`).repeat(1_000))
    expect(forgedResults(raw, us, 10)).to.deep.equal([{ start: 0, end: raw.length }])
  })
})
