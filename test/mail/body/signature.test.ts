import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { replyText } from '../../../mail/body/reply.ts'
import { signatures } from '../../score/signatures.ts'
import { expectLinear } from '../cost.ts'

const folder = new URL('../../fixtures/signatures/', import.meta.url)

/** Known to be wrong: a firm below "Best" in a list of offers; the sender's name and work, which somebody is to print. */
const known = ['varied vn-best-offer', 'varied n-3']

const jane = { name: 'Jane Doe', address: 'jane.doe@acme.example' }

const whole: readonly (readonly [name: string, text: string, expected: string])[] = [
  [
    'above quoted history',
    'Yes.\n\nBest,\nJane\n\nOn 1 May 2020 at 10:00, Ann <ann@x.example> wrote:\n> really?',
    'Yes.',
  ],
  [
    'below answers between quotations',
    '> One?\nYes.\n> Two?\nNo, never.\n\nKind regards\nJane Doe',
    'Yes.\nNo, never.',
  ],
  [
    'an answer between quotations stays, also when it is a name',
    '> Who signs?\nJane\n> When?\nFriday.',
    'Jane\nFriday.',
  ],
  [
    'above a forwarded message, which stays',
    'For you.\n\nBest,\nJane\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext\n\nBest,\nAnn',
    'For you.\n\n---------- Forwarded message ---------\nFrom: a@b.example\nDate: x\n\ntext\n\nBest,\nAnn',
  ],
  ['a formula above a marked signature', 'See you there.\n\nBest regards,\n\n-- \nJane Doe\nAcme', 'See you there.'],
  ['thanks above a marked signature stay', 'Can you come?\n\nThanks!\n\n-- \nJane Doe', 'Can you come?\n\nThanks!'],
  ['a signature above what a telephone adds', 'Done.\n\nJane\n\nSent from my iPhone', 'Done.'],
  ['a formula of a language that is not known', 'Nalimba ya mbala.\n\nNa bolingo,\nJane', 'Nalimba ya mbala.'],
  [
    'what a firm adds below a signature',
    'We start on Monday.\n\nJane Doe\nAcme Ltd\n+44 20 7946 0112\n\nBeware of fraud: we never ask for passwords. Call us first.',
    'We start on Monday.',
  ],
  [
    'words below a mere name stay, and so does the name',
    'We start on Monday.\n\nJane\n\nBeware of the dog. He bites.',
    'We start on Monday.\n\nJane\n\nBeware of the dog. He bites.',
  ],
  ['a signature that nothing stands above', 'Best regards,\nJane Doe\nAcme', 'Best regards,\nJane Doe\nAcme'],
  [
    'two lines with dashes, but code',
    'It is\n\n.a { color: red }\n--\n.b { color: blue }',
    'It is\n\n.a { color: red }\n--\n.b { color: blue }',
  ],
]

describe('mail/body/signature', () => {
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    const wrong = signatures(fileURLToPath(new URL(file, folder))).filter(({ isRight }) => !isRight)
    it(`labelled set ${file}`, () => {
      const unknown = wrong.filter(({ id }) => !known.includes(id))
      expect(unknown.map(({ id, difference }) => `${id}: ${difference}`)).to.deep.equal([])
    })
  }

  for (const [name, text, expected] of whole) it(name, () => expect(replyText(text, { from: jane })).to.equal(expected))

  it('takes linear time', () => {
    for (const piece of [
      'Best regards,\n',
      'Thanks\n\n',
      'Jane Doe\n',
      'a\n> b\n',
      'best kind best ',
      'Grüße ',
      '+1 555 0100 ',
      'a.b.',
      'a@',
      '*_',
      '[image',
      'P.S. a\n\n',
      'Dear Ann,\n',
      'This message is confidential, for the recipient.\n',
      'saludos cordiales y ',
      '   ',
      '-----\n',
    ]) {
      for (const end of ['', '\n\nBest,\nJane Doe\nAcme']) {
        const whole = piece.repeat(256_000 / piece.length)
        expectLinear(piece, `Hello\n${whole}${end}`, (text) => replyText(text, { from: jane }))
      }
    }
  })
})
