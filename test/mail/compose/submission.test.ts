import { expect } from 'chai'
import { finishSubmission, originatorsOf, strayLine } from '../../../mail/compose/submission.ts'
import { parseMessage } from '../../../mail/message/parse.ts'

const bytes = (text: string) => Buffer.from(text.replaceAll('\n', '\r\n'))

describe('finishSubmission', () => {
  const own = { date: new Date('2026-11-21T10:00:00Z'), messageId: 'em_1@ours.example' }
  const dated = 'Date: Sat, 21 Nov 2026 09:00:00 +0000\n'
  const named = 'Message-ID: <a@b.example>\n'
  const ownDate = 'Date: Sat, 21 Nov 2026 10:00:00 +0000\n'
  const ownName = 'Message-ID: <em_1@ours.example>\n'
  const cases: readonly (readonly [string, string, string])[] = [
    [
      'a message that has what it needs stays',
      `${dated}${named}Subject: x\n\nHi\n`,
      `${dated}${named}Subject: x\n\nHi\n`,
    ],
    ['what is missing is put in front', 'Subject: x\n\nHi\n', `${ownDate}${ownName}Subject: x\n\nHi\n`],
    ['a date that is none is replaced', `${named}Date: tomorrow\n\nHi\n`, `${ownDate}${named}\nHi\n`],
    ['an id that is none is replaced', `Message-ID: one\n${dated}\nHi\n`, `${ownName}${dated}\nHi\n`],
    [
      'Bcc and Return-Path go, folded or not',
      `${dated}Bcc: a@b.c,\n d@e.f\nReturn-Path: <x@y.z>\n${named}\nHi\n`,
      `${dated}${named}\nHi\n`,
    ],
  ]
  for (const [name, raw, expected] of cases)
    it(name, () => {
      const given = bytes(raw)
      const finished = finishSubmission(given, { parsed: parseMessage(given), ...own })
      expect(finished.toString()).to.equal(bytes(expected).toString())
    })
})

describe('originatorsOf', () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ['one author', 'From: Ann <a@b.example>', 'a@b.example'],
    ['a secretary', 'From: a@b.example\nSender: s@b.example', 'a@b.example s@b.example'],
    ['nobody', 'To: a@b.example', null],
    ['an author who is no address', 'From: Ann', null],
    ['two authors', 'From: a@b.example, c@d.example', null],
    ['two authors, one of them in a group', 'From: g: a@b.example;, c@d.example', null],
    ['two authors without a comma', 'From: <a@b.example> Carl <c@d.example>', null],
    ['two fields', 'From: a@b.example\nSubject: x\nfrom : c@d.example', null],
    ['two secretaries', 'From: a@b.example\nSender: s@b.example\nSender: t@b.example', null],
  ]
  for (const [name, header, expected] of cases)
    it(name, () => {
      const found = originatorsOf(parseMessage(bytes(`${header}\n\nHi\n`)))
      const said = found === null ? null : [found.author, found.sender].flatMap((each) => each?.address ?? [])
      expect(said?.join(' ') ?? null).to.equal(expected)
    })
})

describe('strayLine', () => {
  const cases: readonly (readonly [string, string, number | null])[] = [
    ['fields, folded or with blanks before the colon', 'From: a@b.example,\n c@d.example\nX-A : 1\n\nHi\n', null],
    ['a header alone', 'From: a@b.example', null],
    ['no header', '\nHi\n', null],
    ['nothing', '', null],
    ['a body behind no empty line', 'From: a@b.example\nHi\n', 2],
    ['what seems to go on an address', 'From: a@b.example "x,\n" <c@d.example>\nBcc: e@f.example\n\nHi\n', 2],
    ['a mark of the byte order', 'X-A: 1\n\ufeffFrom: a@b.example\n\nHi\n', 2],
    ['the line that mbox files have in front', 'From a@b.example Sat Nov 21 10:00:00 2026\nTo: a@b.example\n\nHi\n', 1],
    ['a first line that goes on nothing', ' x\nFrom: a@b.example\n\nHi\n', 1],
    ['a field without a name', 'From: a@b.example\n: x\n\nHi\n', 2],
  ]
  for (const [name, raw, expected] of cases) it(name, () => expect(strayLine(bytes(raw))).to.equal(expected))
})
