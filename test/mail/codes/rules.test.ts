import { expect } from 'chai'
import type { CodeCandidate } from '../../../mail/codes/candidates.ts'
import { ownLineRules } from '../../../mail/codes/own-line-rules.ts'
import { type CandidatePlace, inSentence, isOnOwnLine, onOwnLine } from '../../../mail/codes/places.ts'
import { prepareMail } from '../../../mail/codes/prepared-mail.ts'
import { type CodeRule, firstToAnnounce } from '../../../mail/codes/rules.ts'
import { sentenceRules } from '../../../mail/codes/sentence-rules.ts'

/** A mail, its lines between ` / `; the subject is 'Hello' unless one is given. */
type Mail = { readonly text: string; readonly subject?: string }
type Taken = Mail & { readonly code: string; readonly label: string | null }
type Table = { readonly takes: readonly Taken[]; readonly leaves: readonly Mail[] }

/** What each rule takes by itself, and what it leaves: mostly what another rule takes, or what is no code. */
const tables: { readonly [rule: string]: Table } = {
  'a name joined in front': {
    takes: [
      { text: 'Your login code: 482913', code: '482913', label: 'Your login code' },
      { text: 'Hi Kim. Your security code is 2024.', code: '2024', label: 'Your security code is' },
      { text: 'Your login code is x7kp2q', code: 'x7kp2q', label: 'Your login code is' },
    ],
    leaves: [
      { text: 'Your login code for this device 482913' },
      { text: 'Your code: 482913' },
      { text: 'Send it to 12 Main Road, Mumbai, PIN: 400001' },
      { text: 'Your login code was sent. 482913 people use it.' },
    ],
  },
  'a name in front': {
    takes: [
      { text: 'Your login code for Acme 482913', code: '482913', label: 'Your login code for Acme' },
      { text: 'Your login code for Acme X7K9Q2', code: 'X7K9Q2', label: 'Your login code for Acme' },
    ],
    leaves: [
      { text: 'Verification code of Acme, founded 1998' },
      { text: 'The security code of your device has the name x7kp2q' },
      { text: `Your login code ${'came by another way '.repeat(6)}482913` },
    ],
  },
  'a mere "code" joined in front': {
    takes: [
      { text: 'Your code: 482913', code: '482913', label: 'Your code' },
      { text: 'The code is 4829', code: '4829', label: 'The code is' },
    ],
    leaves: [
      { text: 'Driver code 4829' },
      { text: 'Your code for Acme: 482913' },
      { text: 'Use code SAVE20 at checkout' },
      { text: 'Your code is 2024' },
      { text: 'Your code: 482913', subject: 'A discount for you' },
    ],
  },
  'a mere "code" in front, in the same clause': {
    takes: [{ text: 'Your code for Acme: 482913', code: '482913', label: 'Your code for Acme' }],
    leaves: [{ text: 'Your code 482913 (Acme)' }, { text: 'Your code for Acme 482913' }],
  },
  'a name in front, and what it is for': {
    takes: [
      {
        text: 'The code to confirm the new number of your phone is 4021',
        code: '4021',
        label: 'The code to confirm the new number of your phone is',
      },
      {
        text: 'The PIN for your card ending 7719 is 4021',
        code: '4021',
        label: 'The PIN for your card ending 7719 is',
      },
    ],
    leaves: [{ text: 'The code is on your invoice number 4021' }, { text: 'Your order number is 4021' }],
  },
  'a mere "code" in front, in a mail about codes': {
    takes: [
      { text: 'Please use the code we made you 482913', code: '482913', label: 'Please use the code we made you' },
      { text: 'The code we made 482913', subject: 'Verify your account', code: '482913', label: 'The code we made' },
    ],
    leaves: [
      { text: 'The code we made 482913' },
      { text: 'Use the code tributo 3918' },
      { text: 'Use the code we made X7K9Q2' },
    ],
  },
  'digits in front, which the mail asks for': {
    takes: [
      {
        text: 'To sign in, enter these six digits: 482913',
        code: '482913',
        label: 'To sign in, enter these six digits',
      },
    ],
    leaves: [{ text: 'These six digits: 482913' }, { text: 'Enter the last four digits: 4829' }],
  },
  'entering in front, and what for': {
    takes: [
      { text: 'Enter 482913 to sign in.', code: '482913', label: 'to sign in' },
      { text: 'Gib zur Bestätigung 482913 ein.', code: '482913', label: 'Gib zur Bestätigung' },
    ],
    leaves: [
      { text: 'Enter 482913.' },
      { text: 'Enter 482913 as reference to confirm.' },
      { text: 'Enter SAVE20 at checkout to activate your discount.' },
    ],
  },
  'entering in front, in a mail about codes': {
    takes: [{ text: 'Enter 482913.', subject: 'Your login code', code: '482913', label: null }],
    leaves: [{ text: 'Enter 482913.' }, { text: 'Nothing here.', subject: 'Enter 482913, your login code' }],
  },
  'a name behind': {
    takes: [
      { text: '482913 is your login code.', code: '482913', label: 'is your login code' },
      { text: '482913 - enter this security code', code: '482913', label: 'enter this security code' },
    ],
    leaves: [
      { text: 'In 2024 security codes came up.' },
      { text: 'You have 4829 points. A login code is on its way.' },
      { text: 'Order 482913, login code 7204' },
      { text: 'Call 482913 and enter your PIN' },
    ],
  },
  'a mere "code" behind': {
    takes: [{ text: '482913 is the code.', code: '482913', label: 'is the code' }],
    leaves: [{ text: 'Only 482913 of the codes were used.' }, { text: '482913 is the code for your discount.' }],
  },
  'a name in the sentence before': {
    takes: [
      { text: 'You asked for a login code. It is 120734.', code: '120734', label: 'You asked for a login code' },
      { text: 'Here is your login code. 120734', code: '120734', label: 'Here is your login code' },
    ],
    leaves: [
      { text: 'You asked for a login code. Order 120734 is on its way.' },
      { text: 'You asked for a login code. Was that you? 120734' },
      { text: 'Here is your discount code. 120734' },
    ],
  },
  'entering behind, and what for': {
    takes: [
      {
        text: 'Bestätige deine Adresse, indem du 482913 eintippst.',
        code: '482913',
        label: 'Bestätige deine Adresse, indem du',
      },
    ],
    leaves: [{ text: 'Bitte 482913 eintippen.' }, { text: 'Bestätige, dass du deine Kundennummer 482913 eintippst.' }],
  },
  'entering behind, in a mail about codes': {
    takes: [{ text: 'Bitte 482913 eintippen.', subject: 'Dein Anmeldecode', code: '482913', label: null }],
    leaves: [{ text: 'Bitte 482913 eintippen.' }],
  },
  'confirming with it': {
    takes: [
      { text: "If that's you, approve with 482913.", code: '482913', label: "If that's you, approve with" },
      { text: 'To confirm: 482913', subject: 'Verify your account', code: '482913', label: 'To confirm' },
    ],
    leaves: [
      { text: 'To confirm: 482913' },
      { text: 'Approve with 482913 people.' },
      { text: 'Approve the discount with 482913.' },
    ],
  },
  'a subject that begins with it, and what for': {
    takes: [{ text: '', subject: '482913 - confirm your profile', code: '482913', label: 'confirm your profile' }],
    leaves: [
      { text: '', subject: 'Confirm your profile - 482913' },
      { text: '', subject: '482913 - your order' },
      { text: '482913 - confirm your profile' },
    ],
  },
  'a name above': {
    takes: [
      { text: 'Your login code / 482913', code: '482913', label: 'Your login code' },
      { text: 'Your login code / for Acme / 2024', code: '2024', label: 'Your login code' },
    ],
    leaves: [
      { text: 'Your login code / one / two / three / 482913' },
      { text: 'Your login code / Order number / 482913' },
      { text: 'Your code / 482913' },
    ],
  },
  'a mere "code" above': {
    takes: [{ text: 'Your code / 482913', code: '482913', label: 'Your code' }],
    leaves: [
      { text: 'Your discount with this code / 482913' },
      { text: 'Your code / 2024' },
      { text: 'Your code / aBc123' },
    ],
  },
  'a name below': {
    takes: [{ text: '482913 / is your login code', code: '482913', label: 'is your login code' }],
    leaves: [{ text: '482913 / is your code' }, { text: 'Order number / 482913 / is your code' }],
  },
  'a mere "code" below': {
    takes: [{ text: '482913 / is your code', code: '482913', label: 'is your code' }],
    leaves: [{ text: '2024 / is your code' }, { text: '482913 / is your login code' }],
  },
  'the line above asks to enter it': {
    takes: [
      { text: 'Type this into the window where you sign in: / 482913', code: '482913', label: null },
      { text: 'Sign in with the six digits below. / X7K9Q2', code: 'X7K9Q2', label: null },
    ],
    leaves: [
      { text: 'Type this: / 482913' },
      { text: 'To sign in enter your customer number / 482913' },
      { text: 'Sign in with the six digits below. / 2024' },
    ],
  },
  'a name in the subject': {
    takes: [{ text: 'Hi Kim, / 482913', subject: 'Your login code', code: '482913', label: null }],
    leaves: [
      { text: 'Hi Kim, / 482913' },
      { text: 'Hi Kim, / 2024', subject: 'Your login code' },
      { text: 'Hi Kim, / 482913', subject: 'Your login code for order 7' },
      { text: 'Hi Kim, / 482913', subject: 'Your login code for a discount' },
    ],
  },
  'a mere "code" in the subject': {
    takes: [{ text: 'Hi Kim, / 482913', subject: 'Your code', code: '482913', label: null }],
    leaves: [
      { text: 'Hi Kim, / 482913', subject: 'Your discount code' },
      { text: 'Hi Kim, / 482913 / order number', subject: 'Your code' },
    ],
  },
}

type Announced = { readonly code: string; readonly label: string | null }

/** What a rule announces in a mail when it is asked alone. */
function announced(name: string, { text, subject = 'Hello' }: Mail): readonly Announced[] {
  const mail = prepareMail(subject, text.split(' / '))
  const askFor = <Where extends CandidatePlace>(
    rules: readonly CodeRule<Where>[],
    place: Where,
    { value }: CodeCandidate,
  ) => {
    const found = firstToAnnounce(
      rules.filter((rule) => rule.name === name),
      place,
    )
    return found === null ? [] : [{ code: value, label: found.announcement.label }]
  }
  return mail.lines.flatMap((line, index) =>
    line.candidates.flatMap((candidate) => {
      const place = { mail, index, line, candidate }
      return isOnOwnLine(place)
        ? askFor(ownLineRules, onOwnLine(place), candidate)
        : askFor(sentenceRules, inSentence(place, new Set()), candidate)
    }),
  )
}

describe('rules for codes', () => {
  const names = [...sentenceRules, ...ownLineRules].map(({ name }) => name)

  it('have names of their own, and a table each', () => {
    expect(new Set(names).size).to.equal(names.length)
    expect(Object.keys(tables)).to.have.members(names)
  })

  it('tell a confidence between those of a guess and of a proof', () => {
    for (const { confidence } of [...sentenceRules, ...ownLineRules]) expect(confidence).to.be.within(0.6, 0.97)
  })

  for (const [name, { takes, leaves }] of Object.entries(tables))
    describe(name, () => {
      for (const { code, label, ...mail } of takes)
        it(`takes ${code} of "${mail.text || mail.subject}"`, () =>
          expect(announced(name, mail)).to.deep.equal([{ code, label }]))
      for (const mail of leaves)
        it(`leaves "${mail.text || mail.subject}"${mail.subject === undefined ? '' : ` below "${mail.subject}"`}`, () =>
          expect(announced(name, mail)).to.deep.equal([]))
    })
})
