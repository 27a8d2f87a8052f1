/**
 * mailparser reads every message of the fixtures too. Where it says something else than our parser, the table below says who is
 * right: a disagreement that it does not name fails, and so does an entry without its disagreement.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { message, wire } from '../fixtures.ts'
import { answerMs, startMailparser } from './mailparser.ts'
import { ownReading, type Reading } from './reading.ts'

type Field = keyof Reading | 'message'
type Disagreement = {
  readonly fixtures: readonly string[]
  /** `message`: mailparser could not read it at all. */
  readonly fields: readonly Field[]
  /** `both`: nothing says how it is to be done. Where mailparser alone was right, our parser was mended. */
  readonly right: 'ours' | 'both'
  readonly why: string
}

const legacy = (...numbers: readonly string[]) => numbers.map((number) => `mime/legacy-${number}`)
const rfc = (...numbers: readonly string[]) => numbers.map((number) => `mime/rfc-${number}`)

const lettersOfHeaders =
  'a header with bytes that are no UTF-8 is read in the charset of the text, or in a guessed one; mailparser loses the letters'

const disagreements: readonly Disagreement[] = [
  {
    fixtures: legacy(
      '009',
      '010',
      '015',
      '016',
      '018',
      '020',
      '022',
      '023',
      '024',
      '025',
      '026',
      '027',
      '050',
      '051',
      '052',
    ),
    fields: ['subject', 'to'],
    right: 'ours',
    why: lettersOfHeaders,
  },
  {
    fixtures: legacy('017'),
    fields: ['to'],
    right: 'ours',
    why: lettersOfHeaders,
  },
  {
    fixtures: legacy('033', '052'),
    fields: ['text'],
    right: 'ours',
    why: 'a text with bytes that its charset does not have, or that names none, is read in a guessed one; mailparser loses the letters',
  },
  {
    fixtures: legacy('017', '026', '048'),
    fields: ['attachments'],
    right: 'ours',
    why: 'mailparser does not decode x-uuencode, the encoding of some old programs',
  },
  {
    fixtures: legacy('049'),
    fields: ['attachments', 'text'],
    right: 'ours',
    why: 'files uuencoded within a text are files; mailparser leaves them in the text',
  },
  {
    fixtures: legacy('030', '042', '047'),
    fields: ['attachments', 'text'],
    right: 'ours',
    why: 'RFC 8621 4.1.4: a text after the first that has a file name is an attachment; mailparser adds it to the text',
  },
  {
    fixtures: legacy('031', '041'),
    fields: ['attachments'],
    right: 'ours',
    why: 'RFC 2045 5: the type is the one declared; mailparser goes by the file name of application/octet-stream',
  },
  {
    fixtures: legacy('035', '039'),
    fields: ['attachments'],
    right: 'ours',
    why: 'RFC 2183 2.3: the path before a file name does not count; mailparser takes the backslashes out and joins the rest',
  },
  {
    fixtures: ['mail/smime-signed-in-pieces-is-read', 'mail/smime-signed-opaque-is-read'],
    fields: ['attachments', 'text'],
    right: 'ours',
    why: 'RFC 8551 3.5.2: what an opaque signature holds can be read by anyone; mailparser gives the signature as a file',
  },
  {
    fixtures: rfc('001', '004'),
    fields: ['from', 'to'],
    right: 'ours',
    why: 'RFC 5322 3.4: a name without an address is nobody; mailparser gives an empty address',
  },
  {
    fixtures: rfc('001'),
    fields: ['date'],
    right: 'ours',
    why: 'a date that cannot be read is none; mailparser gives the present time',
  },
  {
    fixtures: rfc('001'),
    fields: ['attachments'],
    right: 'ours',
    why: 'RFC 2183 2.3: the path before a file name does not count, and every attachment gets a name; mailparser keeps both as sent',
  },
  {
    fixtures: rfc('000', '003', '009'),
    fields: ['attachments'],
    right: 'both',
    why: 'what has no name gets one of ours, and none of mailparser',
  },
  {
    fixtures: rfc('002', '004'),
    fields: ['attachments', 'text'],
    right: 'ours',
    why: 'RFC 8621 4.1.4: an attached message is an attachment; mailparser adds its text and its files to the outer message',
  },
  {
    fixtures: rfc('005'),
    fields: ['text'],
    right: 'both',
    why: 'a blank line stands between two texts of ours, a line end between those of mailparser',
  },
  {
    fixtures: rfc('007'),
    fields: ['attachments', 'text'],
    right: 'ours',
    why: 'RFC 2046 5.1.1: blanks may follow a boundary; mailparser takes the line for text',
  },
  {
    fixtures: ['replies/html-replies/android', 'replies/html-replies/yahoo'],
    fields: ['to'],
    right: 'ours',
    why: 'RFC 5322 3.4: the display name is what the sender wrote; mailparser drops one that is the address again',
  },
  {
    fixtures: ['replies/html-replies/thunderbird'],
    fields: ['text'],
    right: 'ours',
    why: 'RFC 3676 4.5: a line of another quote depth begins a paragraph of its own; mailparser joins them',
  },
]

describe('mail/message/parse: mailparser as a second opinion', () => {
  const mailparser = startMailparser()
  after(() => mailparser.close())

  for (const { name, raw } of allMessages()) {
    it(name, async function () {
      this.timeout(2 * answerMs)
      const theirs = await mailparser.read(raw)
      const labelled = disagreements.filter(({ fixtures }) => fixtures.includes(name)).flatMap(({ fields }) => fields)
      expect(disagreeing(ownReading(raw), theirs)).to.have.members(labelled)
    })
  }

  it('a message that mailparser gives up on is told, and the next one is read', async function () {
    this.timeout(3 * answerMs)
    const parts = message(`Content-Type: multipart/mixed; boundary=a\n\n${'--a\n\nx\n'.repeat(2_000)}--a--\n`)
    expect(disagreeing(ownReading(parts), await mailparser.read(parts))).to.deep.equal(['message'])
    const plain = message('Subject: a\n\nx')
    expect(disagreeing(ownReading(plain), await mailparser.read(plain))).to.deep.equal([])
  })

  it('the table names fixtures that exist, each disagreement once', () => {
    const rows = disagreements.flatMap(({ fields, fixtures }) =>
      fixtures.flatMap((name) => fields.map((field) => `${name} ${field}`)),
    )
    expect(rows).to.have.length(new Set(rows).size)
    const names = allMessages().map(({ name }) => name)
    expect(names).to.include.members(disagreements.flatMap(({ fixtures }) => fixtures))
  })
})

function disagreeing(ours: Reading, theirs: Reading | Error): readonly Field[] {
  if (theirs instanceof Error) return ['message']
  const fields = Object.keys(ours) as (keyof Reading)[]
  return fields.filter((field) => !isDeepStrictEqual(ours[field], theirs[field]))
}

function allMessages(): { readonly name: string; readonly raw: Buffer }[] {
  const root = new URL('../../fixtures/', import.meta.url)
  return readdirSync(root, { encoding: 'utf8', recursive: true })
    .filter((file) => file.endsWith('.eml'))
    .sort()
    .map((file) => ({ name: file.slice(0, -4), raw: wire(readFileSync(new URL(file, root), 'latin1')) }))
}
