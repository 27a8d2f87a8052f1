import { expect } from 'chai'
import { dotStuffed } from '../../../../plugins/outbound/carrier.ts'
import { outcomeOf } from '../../../../plugins/outbound/smtp/outcome.ts'

const at = new Date('2026-01-02T03:04:05Z')

describe('outcomeOf', () => {
  const cases = [
    [
      'the mail was taken',
      '.',
      '250-2.0.0 first\n250 2.0.0 second',
      '',
      'delivered',
      '250-2.0.0 first\n250 2.0.0 second',
    ],
    ['the recipient is refused for now', 'RCPT', '450 4.2.1 busy', '', 'deferred', '450 4.2.1 busy'],
    ['the recipient is refused', 'RCPT', '550 5.1.1 unknown', '', 'bounced', '550 5.1.1 unknown'],
    ['the sender is refused', 'MAIL', '553 5.7.1 no', '', 'bounced', '553 5.7.1 no'],
    ['the content is refused', '.', '554 5.6.0 spam', '', 'bounced', '554 5.6.0 spam'],
    ['the content is refused for now', '.', '451 4.7.1 greylisted', '', 'deferred', '451 4.7.1 greylisted'],
    ['the greeting is a refusal', '', '554 5.7.1 not you', '', 'deferred', '554 5.7.1 not you'],
    ['EHLO is refused', 'EHLO', '550 5.7.1 bad name', '', 'deferred', '550 5.7.1 bad name'],
    ['the server never takes mail', '', '521 5.3.2 never', '', 'bounced', '521 5.3.2 never'],
    [
      'what answers is no mail server',
      '',
      'HTTP/1.1 400 Bad Request',
      '',
      'deferred',
      '451 4.4.1 not a reply: HTTP/1.1 400 Bad Request',
    ],
    ['a code that no reply has', 'RCPT', '999 what', '', 'deferred', '451 4.4.2 not a reply: 999 what'],
    ['no connection', '', '', 'connect ECONNREFUSED', 'deferred', '451 4.4.1 connect ECONNREFUSED'],
    ['a drop after EHLO', 'EHLO', '250 hello', 'read ECONNRESET', 'deferred', '451 4.4.2 read ECONNRESET'],
    ['a reply that breaks off', 'RCPT', '550-5.1.1 unkn', 'closed', 'deferred', '451 4.4.2 closed'],
  ] as const
  for (const [name, command, reply, trouble, status, response] of cases) {
    it(name, () => {
      const outcome = outcomeOf({ command, reply, tls: true, trouble }, { mx: 'mx.test', at })
      const unreached = status === 'deferred' && /^(?:EHLO|$)/.test(command) ? { unreached: true } : {}
      const ofMail = status === 'bounced' && /^(?:MAIL|$)/.test(command) ? { ofMail: true } : {}
      expect(outcome).to.deep.equal({ status, response, mx: 'mx.test', tls: true, at, ...unreached, ...ofMail })
    })
  }

  const refusals = [
    ['MAIL', '550 5.1.0 not you', true],
    ['MAIL', '554 our blocklist has your address', true],
    ['RCPT', '554 no such user', false],
    ['.', '554 looks like spam', true],
    ['.', '554 5.1.1 no such user', false],
    ['.', '550 no such user', false],
  ] as const
  for (const [command, reply, expected] of refusals)
    it(`${reply}, said at ${command}, ${expected ? 'is' : 'is not'} told of the mail or its sender`, () => {
      const { ofMail = false } = outcomeOf({ command, reply, tls: true, trouble: '' }, { mx: 'mx.test', at })
      expect(ofMail).to.equal(expected)
    })

  it('is ambiguous when the connection ends after the final dot', () => {
    const outcome = outcomeOf({ command: '.', reply: '', tls: false, trouble: 'closed' }, { mx: 'mx.test', at })
    expect(outcome).to.include({ status: 'deferred', ambiguous: true })
  })
})

describe('dotStuffed', () => {
  const cases = [
    ['nothing to do', 'A: b\r\n\r\nc\r\n', 'A: b\r\n\r\nc\r\n'],
    ['dots at the beginning of lines', '.a\r\n\r\n.\r\n..b\r\nc.d\r\n', '..a\r\n\r\n..\r\n...b\r\nc.d\r\n'],
    ['a line end is added when there is none', 'A: b\r\n\r\nc', 'A: b\r\n\r\nc\r\n'],
    ['8-bit bytes and NUL stay', '\xff\0\r\n.\xfe\r\n', '\xff\0\r\n..\xfe\r\n'],
    ['no message', '', ''],
  ] as const
  for (const [name, raw, expected] of cases) {
    it(name, () => expect(dotStuffed(Buffer.from(raw, 'latin1')).toString('latin1')).to.equal(expected))
  }
})
