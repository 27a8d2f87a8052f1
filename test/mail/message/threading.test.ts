import { expect } from 'chai'
import { forwardSubject, quoteText, replySubject } from '../../../mail/compose/compose.ts'
import { ancestors, baseSubject, isReplySubject, type ThreadHint } from '../../../mail/message/threading.ts'

const hints: readonly (readonly [name: string, hint: ThreadHint, expected: readonly string[]])[] = [
  ['nearest parent first', { references: ['<a@x>', '<b@x>'] }, ['b@x', 'a@x']],
  ['a message is not its own ancestor', { messageId: 'm@x', references: ['<m@x>'] }, []],
  ['In-Reply-To without References', { inReplyTo: '<a@x>' }, ['a@x']],
  ['References before In-Reply-To', { inReplyTo: '<z@x>', references: ['a@x'] }, ['a@x', 'z@x']],
  ['the parent once', { inReplyTo: '<b@x>', references: ['a@x', 'b@x'] }, ['b@x', 'a@x']],
  ['once each', { references: ['a@x', 'b@x', 'a@x'] }, ['a@x', 'b@x']],
  ['case counts', { references: ['A@x', 'a@x'] }, ['a@x', 'A@x']],
  ['malformed ids are skipped', { references: ['<>', 'a b', `${'x'.repeat(2000)}@y`, 'ok@x'] }, ['ok@x']],
  ['nothing', {}, []],
]

const subjects: readonly (readonly [subject: string, base: string])[] = [
  ['Re: hello', 'hello'],
  ['RE: Fwd: re[2]: hello', 'hello'],
  ['[list] Re: [list] hello', 'hello'],
  ['hello (fwd) (fwd)', 'hello'],
  ['[fwd: hello]', 'hello'],
  ['AW: WG: Hallo', 'Hallo'],
  ['SV: VS: Tr: RV: Odp: x', 'x'],
  ['回复：你好', '你好'],
  ['re : a \t b', 'a b'],
  ['[only]', '[only]'],
  ['Odp.: Σχετ: x', 'x'],
  ['Re:', ''],
  ['Reply: no mark', 'Reply: no mark'],
  ['Ref: 1234', 'Ref: 1234'],
]

describe('mail/message/threading', () => {
  for (const [name, hint, expected] of hints)
    it(`ancestors: ${name}`, () => expect(ancestors(hint)).to.deep.equal(expected))
  for (const [subject, base] of subjects)
    it(`baseSubject: ${subject}`, () => expect(baseSubject(subject)).to.equal(base))

  it('ancestors are bounded', () => {
    expect(ancestors({ references: Array.from({ length: 5000 }, (_, i) => `${i}@x`) })).to.have.length(100)
  })

  it('tells replies from first messages', () => {
    expect(['Re: x', 'AW: x', 'x (fwd)', '[Fwd: x]'].map(isReplySubject)).to.deep.equal([true, true, true, true])
    expect(['x', '[list] x', 'rest: x'].map(isReplySubject)).to.deep.equal([false, false, false])
  })

  it('subjects of replies and forwards carry one mark', () => {
    expect(replySubject('Re: AW: hello')).to.equal('Re: hello')
    expect(replySubject('[list] Re: hello')).to.equal('Re: [list] hello')
    expect(forwardSubject('Re: hello')).to.equal('Fwd: hello')
    expect(replySubject(null)).to.equal('Re:')
  })

  it('quoteText quotes every line once more', () => {
    const from = { name: 'Ann', address: 'a@x.example' }
    expect(quoteText('one\n\n> two\n', { from, date: new Date(0) })).to.equal(
      'On Thu, 01 Jan 1970 00:00:00 +0000, Ann <a@x.example> wrote:\n> one\n>\n>> two\n',
    )
  })
})
