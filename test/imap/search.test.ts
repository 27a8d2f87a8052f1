/** SEARCH in a folder that is large enough for the search index: it finds what it finds without it. */
import { expect } from 'chai'
import { idsWithText } from '../../core/search/substring.ts'
import { sweepSearch } from '../../core/search/sweep.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const count = 210
const odd = [17, 110, 201]

const text = (n: number) =>
  [
    `From: ${odd.includes(n) ? 'Carol Rare <carol@rare.example>' : `p${n}@remote.example`}`,
    `Subject: number ${n}`,
    '',
    odd.includes(n) ? 'There are two zebrafinches here.' : 'There is nothing here.',
    '',
  ].join('\r\n')

const questions: readonly (readonly [question: string, found: readonly number[]])[] = [
  ['BODY zebrafinch', odd],
  ['BODY BRAFIN', odd],
  ['BODY "two zebrafinches"', odd],
  ['BODY "three zebrafinches"', []],
  ['TEXT rare.example', odd],
  ['FROM "carol@rare"', odd],
  ['FROM arol', odd],
  ['SUBJECT "number 110"', [110]],
  ['BODY zebrafinch NOT SUBJECT 17', [110, 201]],
  ['OR BODY zebrafinch SUBJECT "number 5"', [5, 17, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 110, 201]],
  ['BODY nothing BODY zebra', []],
]

describe('IMAP SEARCH and the search index', () => {
  let imap: ImapDoor
  let client: ImapClient

  before(async () => {
    imap = await openImapDoor()
    client = await imap.open()
    const messages = Array.from({ length: count }, (_, n) => text(n + 1))
    const { end } = await client.ask(`APPEND INBOX${messages.map((each) => ` {${each.length}+}\r\n${each}`).join('')}`)
    expect(end).to.match(/^OK \[APPENDUID \d+ 1:210\]/)
    await client.ask('SELECT INBOX')
  })
  after(() => imap?.close())

  const ask = () => {
    for (const [question, found] of questions)
      it(`finds ${question}`, async () => {
        expect((await client.ask(`SEARCH ${question}`)).lines).to.deep.equal([['* SEARCH', ...found].join(' ')])
      })
  }

  describe('before it is there', ask)
  describe('when it is there', () => {
    before(async () => {
      imap.door.advance(60_000)
      await sweepSearch(imap.door.ctx)
      const ids = await idsWithText(imap.door.ctx, imap.tenant.mailboxId, 'zebrafinch')
      expect(ids?.length).to.equal(odd.length)
    })
    ask()
    it('finds what came after it', async () => {
      const late = text(17)
      await client.ask(`APPEND INBOX {${late.length}+}\r\n${late}`)
      expect((await client.ask('SEARCH BODY zebrafinch')).lines).to.deep.equal(['* SEARCH 17 110 201 211'])
    })
  })
})
