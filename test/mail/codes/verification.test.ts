import { readdirSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { bindVerification, findVerification } from '../../../mail/codes/verification.ts'
import { parseMessage } from '../../../mail/message/parse.ts'
import { codesOutcome, heldOut, type LabelledMail, labelledMails, mailOf } from '../../score/codes.ts'
import { type Found, foundIn } from '../../score/outcomes.ts'
import { expectLinear } from '../cost.ts'

const folder = fileURLToPath(new URL('../../fixtures/verification', import.meta.url))
const corpus = readdirSync(folder)
  .filter((file) => file.endsWith('.txt'))
  .flatMap((file) => labelledMails(path.join(folder, file)))

const find = (raw: Buffer) => findVerification(raw, parseMessage(raw)) ?? { codes: [], links: [] }
const codesOf = (raw: Buffer) => find(raw).codes.map(({ value }) => value)

type Score = Found & { readonly differences: readonly string[] }

function score(mails: readonly LabelledMail[]): { codes: Score; links: Score } {
  const outcomes = mails.map(codesOutcome)
  const differences = outcomes.filter(({ isRight }) => !isRight).map(({ id, difference }) => `${id}: ${difference}`)
  const sum = (kind: string): Score => ({ ...foundIn(outcomes, kind), differences })
  return { codes: sum('codes'), links: sum('links') }
}

const told = ({ right, missed, wrong }: Score) => `${right} of ${right + missed} found, ${wrong} wrong`
const recall = ({ right, missed }: Score) => right / (right + missed)

describe('verification', () => {
  const tuned = score(corpus.filter(({ set }) => set !== heldOut))
  const unseen = score(corpus.filter(({ set }) => set === heldOut))

  it(`codes of the corpus: ${told(tuned.codes)}`, () => {
    expect(tuned.codes.wrong, tuned.codes.differences.join('; ')).to.equal(0)
    expect(recall(tuned.codes), tuned.codes.differences.join('; ')).to.be.at.least(0.995)
  })
  it(`links of the corpus: ${told(tuned.links)}`, () => {
    expect(tuned.links.wrong, tuned.links.differences.join('; ')).to.equal(0)
    expect(recall(tuned.links), tuned.links.differences.join('; ')).to.be.at.least(0.98)
  })
  it(`codes held out: ${told(unseen.codes)}`, () => {
    expect(unseen.codes.wrong).to.equal(0)
    expect(recall(unseen.codes)).to.be.at.least(0.98)
  })
  it(`links held out: ${told(unseen.links)}`, () => {
    expect(unseen.links.wrong).to.equal(0)
    expect(recall(unseen.links)).to.be.at.least(0.95)
  })
  it('the corpus has 350 mails without anything to verify, and a dozen with it per language', () => {
    const withoutAny = corpus.filter(({ codes, links }) => codes.length + links.length === 0)
    expect(withoutAny.length).to.be.at.least(350)
  })

  const labels: readonly (readonly [string, string, string | null])[] = [
    ['the sentence before it', 'Your verification code is: 482913', 'Your verification code is'],
    ['the sentence after it', '482913 is your login code.', 'is your login code'],
    ['the line above', 'Enter this code to sign in:\n\n482913', 'Enter this code to sign in'],
    ['of many sentences its own', 'Hello Kim. Your code: 482913. It expires soon.', 'Your code'],
  ]
  for (const [name, body, label] of labels)
    it(`the label is ${name}`, () => expect(find(mailOf('Hello', body)).codes[0]?.label).to.equal(label))

  const values: readonly (readonly [string, string, readonly string[]])[] = [
    ['a group of digits is typed without its hyphen', 'Your code: 482-913', ['482913']],
    ['letters keep their hyphen', 'Your login code is X7K-9QZ', ['X7K-9QZ']],
    ['full-width digits become ordinary ones', '認証コード：４８２９１３', ['482913']],
    [
      'digits in cells of their own',
      '<p>Your code</p><table><tr><td>4</td><td>8</td><td>2</td><td>9</td></tr></table>',
      ['4829'],
    ],
    ['digits split by characters without width', 'Your code is 482\u200b913', ['482913']],
    ['a code said twice is one', 'Your code is 482913.\nAgain, your code: 482913', ['482913']],
    ['a masked number', 'The verification code was sent to the phone ****1234.', []],
    ['a code in an address', 'Your code is at https://acme.example/code/482913', []],
    ['a year, even so', 'Your promo code expires in 2026.', []],
    ['a version', 'The verification code of version 10.4.2118 is open source.', []],
    ['a time in brackets is not part of it', 'Your login code: 7204 (2 hours).', ['7204']],
    ['capitals and small letters', 'Your login code: x7Kp2Q', ['x7Kp2Q']],
    ['digits that one is asked to enter', 'To sign in, enter these six digits:\n\n482913', ['482913']],
    ['a verb that ends the clause', 'Bestätige deine Adresse, indem du 482913 eintippst.', ['482913']],
    ['what confirms', "If that's you, approve with 482913.", ['482913']],
    ['a code of something else', 'Trip ended. Driver code 4829. Fare 12.40 EUR.', []],
    ['a reference to enter', 'Please enter reference 482913 when you pay.', []],
    ['the last digits of a card', 'Confirm with the last four digits: 4829', []],
    ['letters lose their blanks', 'Your login code: K4 P9 Z1', ['K4P9Z1']],
    ['letters keep several hyphens', 'Your pairing code is 83-4021-K.', ['83-4021-K']],
    ['seats are none', 'Your seats are K4 P9 Z1.', []],
    ['Thai digits become ASCII', 'รหัสยืนยันของคุณคือ ๔๘๒๙๑๓', ['482913']],
    ['Arabic digits become ASCII', 'رمز التحقق: ٤٨٢٩١٣', ['482913']],
    ['Devanagari digits become ASCII', 'सत्यापन कोड: ४८२९१३', ['482913']],
    ['a used code', 'The verification code 482913 was used a minute ago.', []],
    ['a code that can be used once', 'Your verification code 482913 can be used once.', ['482913']],
    ['the code of a door', 'The access code of the front door: 482913', []],
    ['a code to sign in, whatever for', 'Your one-time code to sign in and open the door: 482913', ['482913']],
    ['the confirmation of a table', 'Confirmation code: 4829, a table for two', []],
    ['a number of minutes', 'The code is valid for 3600 seconds.', []],
  ]
  for (const [name, body, expected] of values)
    it(`values: ${name}`, () => expect(codesOf(mailOf('Hello', body))).to.deep.equal(expected))

  it('a long body, of which only the beginning is read, is cut between characters', () => {
    for (const more of ['', 'x', 'xx'])
      expect(codesOf(mailOf('Привет', `${more}Ваш код подтверждения: 482913\n${'語'.repeat(20_000)}`))).to.deep.equal([
        '482913',
      ])
  })

  it('hidden text of HTML announces nothing', () => {
    const html = '<div style="display:none">Your code is 111111</div><p>Your code is 482913</p>'
    expect(codesOf(mailOf('Hello', html))).to.deep.equal(['482913'])
  })

  it('encrypted mail is not looked into', () => {
    const raw = mailOf('Your code', '-----BEGIN PGP MESSAGE-----\n\nYour code is 482913')
    expect(findVerification(raw, parseMessage(raw))).to.equal(null)
  })

  describe('bound to a domain', () => {
    const found = find(
      mailOf(
        'Verify',
        'Your code is 482913.\n\nConfirm your address:\nhttps://id.acme.co.uk/verify?token=8f2a77c1d9e04b1f\nhttps://acme.example/verify?token=8f2a77c1d9e04b1f',
      ),
    )
    it('links of the same organisation say so', () => {
      const { links } = bindVerification(found, 'mail.acme.co.uk')
      expect(links.map(({ host, sameOrg }) => [host, sameOrg])).to.deep.equal([
        ['id.acme.co.uk', true],
        ['acme.example', false],
      ])
    })
    it('without one no link does, and codes are less sure', () => {
      const bound = bindVerification(found, null)
      expect(bound.links.every(({ sameOrg }) => !sameOrg)).to.equal(true)
      expect(bound.codes[0]?.confidence).to.be.lessThan(bindVerification(found, 'acme.co.uk').codes[0]?.confidence ?? 0)
    })
    it('two customers of one host are not of one organisation', () => {
      const page = find(mailOf('Verify', 'Verify your account: https://evil.github.io/verify?token=8f2a77c1d9e04b1f'))
      expect(bindVerification(page, 'good.github.io').links.map(({ sameOrg }) => sameOrg)).to.deep.equal([false])
    })
    it('a name in front of the host is not the host', () => {
      const lure = find(mailOf('Verify', 'Verify: https://acme.example@evil.example/verify?token=8f2a77c1d9e04b1f'))
      expect(bindVerification(lure, 'acme.example').links.map(({ host, sameOrg }) => [host, sameOrg])).to.deep.equal([
        ['evil.example', false],
      ])
    })
  })

  const tags: readonly (readonly [name: string, attributes: string])[] = [
    ['in double quotes', 'title="a > b" href="URL"'],
    ['in single quotes', "title='a > b' href='URL'"],
    ['in quotes after a blank', `title = 'a > b' href = "URL"`],
    ['behind another kind of quotes', `title='"' alt=">" href='URL'`],
    ['in the address', "href='URL&next=a>b'"],
  ]
  for (const [name, attributes] of tags)
    it(`a mark that ends tags ends none ${name}`, () => {
      const url = 'https://acme.example/verify?token=8f2a77c1d9e04b1f'
      const body = `<p>Verify your email:</p><a ${attributes.replace('URL', url)}>Verify your email</a>`
      expect(find(mailOf('Verify your email', body)).links.map((link) => link.url.slice(0, url.length))).to.deep.equal([
        url,
      ])
    })
  for (const [name, attributes] of [
    ['of another name', 'data-href="https://other.example/verify" href="URL"'],
    ['within the value of another', `title='href="https://other.example/verify"' href="URL"`],
    ['that comes second', 'href="URL" href="https://other.example/verify"'],
  ] as const)
    it(`an address is not taken from an attribute ${name}`, () => {
      const url = 'https://acme.example/verify?token=8f2a77c1d9e04b1f'
      const body = `<p>Verify your email:</p><a ${attributes.replace('URL', url)}>Verify your email</a>`
      expect(find(mailOf('Verify your email', body)).links.map((link) => link.url)).to.deep.equal([url])
    })
  it('quotes within a value without quotes end nothing', () => {
    const body = `<a href=https://acme.example/verify?token='8f2a77c1>Verify</a><p>Your verification code is 482913</p>`
    expect(codesOf(mailOf('Your code', body))).to.deep.equal(['482913'])
  })

  describe('long and hostile bodies take little time', () => {
    const hostile: readonly (readonly [string, string])[] = [
      ['comments that never end', `<p>${'<!--'.repeat(60_000)}`],
      ['tags that never end', `<p>${'<a href="'.repeat(40_000)}`],
      ['tags that never end, in single quotes', `<p>${"<a href='".repeat(40_000)}`],
      ['values of blanks', `<p ${`a=${' '.repeat(500)}`.repeat(600)}`],
      ['brackets', `<p>${'<'.repeat(300_000)}`],
      ['references that never end', `<p>${'&#'.repeat(100_000)}`],
      ['codes on one line', 'code 123456 '.repeat(10_000)],
      ['announcements without a code', 'one-time verification security '.repeat(10_000)],
      ['digits with blanks', '1 2 3 4 5 6 7 8 '.repeat(10_000)],
      ['one word', 'a'.repeat(1_000_000)],
      ['at signs', 'a@'.repeat(500_000)],
      ['sentences', 'code . '.repeat(50_000)],
      ['links', '<a href="https://a.example/x?t=abcdef1234567890">verify</a> password reset '.repeat(10_000)],
    ]
    for (const [name, body] of hostile)
      it(name, () => {
        const [whole, eighth] = [body, body.slice(0, body.length / 8)].map((text) => mailOf('Your code', text))
        const find = (raw: Buffer) => findVerification(raw, parseMessage(raw))
        expectLinear(name, whole!, find, eighth!)
      })
  })
})
