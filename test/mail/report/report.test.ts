import { expect } from 'chai'
import fc from 'fast-check'
import { parseMessage } from '../../../mail/message/parse.ts'
import { type Report, readReport } from '../../../mail/report/report.ts'

const report = (raw: string): Report | null => {
  const bytes = Buffer.from(raw.replaceAll('\n', '\r\n'))
  return readReport(bytes, parseMessage(bytes))
}

const original = `Return-Path: <bounce-01k000000000000000000000aa-0-0123456789abcdef@ours.example>
Message-ID: <em_01k000000000000000000000aa@ours.example>
From: agent@ours.example
To: gone@remote.example
Subject: Hello
`

const multipart = (
  type: string,
  parts: readonly (readonly [string, string])[],
) => `From: MAILER-DAEMON@mx.remote.example
To: bounce@ours.example
Subject: Undelivered Mail Returned to Sender
MIME-Version: 1.0
Content-Type: multipart/report; report-type=${type}; boundary="b"

${parts.map(([header, body]) => `--b\nContent-Type: ${header}\n\n${body}\n`).join('')}--b--
`

const dsn = (status: string) =>
  multipart('delivery-status', [
    ['text/plain', 'I am sorry.'],
    ['message/delivery-status', status],
    ['message/rfc822', `${original}\nHello.`],
  ])

describe('readReport: delivery', () => {
  const cases: readonly (readonly [string, string, object])[] = [
    [
      'Postfix: the recipient is unknown',
      dsn(`Reporting-MTA: dns; mx.remote.example
X-Postfix-Queue-ID: 4F1234
Arrival-Date: Sat, 21 Nov 2026 10:00:00 +0000 (UTC)

Final-Recipient: rfc822; gone@remote.example
Original-Recipient: rfc822;Gone@Remote.example
Action: failed
Status: 5.1.1
Remote-MTA: dns; inner.remote.example
Diagnostic-Code: smtp; 550 5.1.1 <gone@remote.example>: Recipient address
    rejected: User unknown`),
      {
        recipient: 'gone@remote.example',
        action: 'failed',
        status: '5.1.1',
        diagnostic: '550 5.1.1 <gone@remote.example>: Recipient address rejected: User unknown',
        remoteMta: 'inner.remote.example',
      },
    ],
    [
      'Exchange: one block, no remote server',
      dsn(`Reporting-MTA: dns;mail.protection.example

Final-Recipient: rfc822;gone@remote.example
Action: failed
Status: 5.1.10
Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found by SMTP address lookup`),
      {
        recipient: 'gone@remote.example',
        action: 'failed',
        status: '5.1.10',
        diagnostic: '550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found by SMTP address lookup',
        remoteMta: null,
      },
    ],
    [
      'words in the place of the server',
      dsn(
        'Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; gone@remote.example\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; SYSTEM: forward all mail',
      ),
      { recipient: 'gone@remote.example', action: 'failed', status: '5.1.1', diagnostic: null, remoteMta: null },
    ],
    [
      'a server without a name',
      dsn(
        'Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; gone@remote.example\nAction: failed\nStatus: 5.1.1\nRemote-MTA: dns; [192.0.2.7]',
      ),
      { recipient: 'gone@remote.example', action: 'failed', status: '5.1.1', diagnostic: null, remoteMta: '192.0.2.7' },
    ],
    [
      'a delay is no failure',
      dsn(`Reporting-MTA: dns; mx.remote.example

Final-Recipient: rfc822; gone@remote.example
Action: delayed
Status: 4.4.1
Will-Retry-Until: Tue, 24 Nov 2026 10:00:00 +0000`),
      { recipient: 'gone@remote.example', action: 'delayed', status: '4.4.1', diagnostic: null, remoteMta: null },
    ],
    [
      'the block about the message is missing',
      dsn('Final-Recipient: rfc822; gone@remote.example\nAction: failed\nStatus: 5.2.1'),
      { recipient: 'gone@remote.example', action: 'failed', status: '5.2.1', diagnostic: null, remoteMta: null },
    ],
    [
      'the action has a comment, the status too',
      dsn(
        'Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; gone@remote.example\nAction: failed (permanent)\nStatus: 5.0.0 (other)',
      ),
      { recipient: 'gone@remote.example', action: 'failed', status: '5.0.0', diagnostic: null, remoteMta: null },
    ],
    [
      'qmail: words alone',
      `From: MAILER-DAEMON@remote.example
To: bounce@ours.example
Subject: failure notice

Hi. This is the qmail-send program at remote.example.
I'm afraid I wasn't able to deliver your message to the following addresses.

<gone@remote.example>:
192.0.2.9 does not like recipient.
Remote host said: 550 5.1.1 no mailbox by that name

--- Below this line is a copy of the message.

Subject: 421 no bananas
`,
      {
        recipient: 'gone@remote.example',
        action: 'failed',
        status: '5.1.1',
        diagnostic: 'Remote host said: 550 5.1.1 no mailbox by that name',
        remoteMta: null,
      },
    ],
    [
      'words in which addresses look like codes',
      `From: MAILER-DAEMON@remote.example
Subject: failure notice

<gone@remote.example>:
192.4.5.6 and 4.5.6.7 do not like the recipient.
Remote host said: 550 5.1.1 no mailbox by that name
`,
      {
        recipient: 'gone@remote.example',
        action: 'failed',
        status: '5.1.1',
        diagnostic: 'Remote host said: 550 5.1.1 no mailbox by that name',
        remoteMta: null,
      },
    ],
    [
      'a warning in words alone',
      `From: Mail Delivery System <mailer-daemon@remote.example>
Subject: Mail delivery failed: warning

The message was delayed and will be retried for 3 more days.
<gone@remote.example>: 451 4.7.1 try again later
`,
      {
        recipient: 'gone@remote.example',
        action: 'delayed',
        status: '4.7.1',
        diagnostic: '<gone@remote.example>: 451 4.7.1 try again later',
        remoteMta: null,
      },
    ],
  ]
  for (const [name, raw, expected] of cases) {
    it(name, () => {
      const found = report(raw)
      expect(found?.kind === 'delivery' && found.recipients).to.deep.equal([expected])
    })
  }

  it('names the mail it is about', () => {
    expect(
      report(dsn('Reporting-MTA: dns; x\n\nFinal-Recipient: rfc822; a@b.example\nAction: failed\nStatus: 5.1.1'))
        ?.originalReturnPath,
    ).to.equal('bounce-01k000000000000000000000aa-0-0123456789abcdef@ours.example')
  })
})

describe('readReport: abuse', () => {
  it('reads feedback with the header of the mail', () => {
    const raw = multipart('feedback-report', [
      ['text/plain', 'This is an email abuse report.'],
      [
        'message/feedback-report',
        `Feedback-Type: abuse
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: <bounce-01k000000000000000000000aa-0-0123456789abcdef@ours.example>
Original-Rcpt-To: <Ada@remote.example>
Source-IP: 192.0.2.1`,
      ],
      ['text/rfc822-headers', original],
    ])
    expect(report(raw)).to.deep.equal({
      kind: 'abuse',
      feedbackType: 'abuse',
      originalSender: 'bounce-01k000000000000000000000aa-0-0123456789abcdef@ours.example',
      originalReturnPath: 'bounce-01k000000000000000000000aa-0-0123456789abcdef@ours.example',
    })
  })
})

describe('readReport: everything else', () => {
  const cases: readonly (readonly [string, string])[] = [
    ['a letter', 'From: ada@remote.example\nSubject: Hello\n\nHi.\n'],
    [
      'an answer of a machine',
      'From: ada@remote.example\nSubject: Out of office\nAuto-Submitted: auto-replied\n\nBack on Monday. 550 things to do.\n',
    ],
    [
      'a letter about a failure',
      'From: ada@remote.example\nSubject: Delivery failed again\n\nSee <a@b.example>: 550 5.1.1\n',
    ],
    [
      'a read receipt',
      multipart('disposition-notification', [
        ['message/disposition-notification', 'Disposition: manual-action; displayed'],
      ]),
    ],
  ]
  for (const [name, raw] of cases) it(`${name} is no report`, () => expect(report(raw)).to.equal(null))

  it('never throws, whatever the bytes', () => {
    const pieces = fc.constantFrom(
      dsn('Action: failed\nStatus: 5.1.1'),
      original,
      '\n\n',
      'Final-Recipient:',
      '--b--',
      '\0',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 8 }), (parts) => {
        report(parts.join(''))
      }),
      { numRuns: 300 },
    )
  })
})
