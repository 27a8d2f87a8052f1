/** Commands and their answers, on a mailbox of known messages: each row is a transcript. */
import { expect } from 'chai'
import { logIn } from '../../core/account/login.ts'
import { dayMs, hourMs } from '../../core/process/clock.ts'
import { settleDue } from '../../core/send/settle.ts'
import { submit } from '../../core/send/submit.ts'
import { startAnnouncer } from '../../jobs/announcer.ts'
import { agentScopes } from '../../schemas/scopes.ts'
import { eventually } from '../eventually.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type Json, mailboxPath } from '../peers/rest.ts'
import { deliver, makeKey } from '../start/door.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const lines = (...all: readonly string[]) => all.join('\r\n')

type Send = {
  id: string
  message_id: string
  recipients: { email: string; status: string }[]
  approval?: { status: string }
}

/** A mail of several parts: a text, a message with a text, a file in Base64. */
const parts = lines(
  'From: "J. Doe" <John.Doe@Example.com>',
  'To: team: ann@x.example, "B C" <bc@x.example>;',
  'Cc: =?utf-8?Q?J=C3=BCrgen?= <j@x.example>',
  'Subject: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Date: Mon, 7 Feb 1994 21:52:25 -0800',
  'Message-ID: <parts@x.example>',
  'MIME-Version: 1.0',
  'Content-Type: multipart/mixed; boundary=b',
  '',
  'preamble',
  '--b',
  'Content-Type: text/plain; charset=utf-8',
  'Content-Transfer-Encoding: quoted-printable',
  '',
  'Gr=C3=BC=C3=9Fe aus K=C3=B6ln',
  '--b',
  'Content-Type: message/rfc822',
  '',
  'From: inner@x.example',
  'Subject: inside',
  '',
  'a zebra',
  '--b',
  'Content-Type: application/octet-stream; name="a.bin"',
  "Content-Disposition: attachment; filename*=utf-8''%e2%82%ac.bin",
  'Content-Transfer-Encoding: base64',
  '',
  'AAECAwQ=',
  '--b--',
  '',
)
const answer = lines(
  'From: ann@x.example',
  'To: john.doe@example.com',
  'Subject: Re: =?utf-8?Q?Gr=C3=BC=C3=9Fe?=',
  'Date: Tue, 8 Feb 1994 10:00:00 +0000',
  'Message-ID: <answer@x.example>',
  'In-Reply-To: <parts@x.example>',
  'References: <parts@x.example>',
  '',
  'Thank you',
  '',
)
const plain = lines(
  'From: zoe@x.example',
  'To: ann@x.example',
  'Subject: A plain one',
  'X-Odd: yes',
  '',
  'Only words',
  '',
)

type Row = readonly [
  name: string,
  command: string,
  end: RegExp,
  /** Each must be among the untagged lines, in this order. */
  ...told: readonly (string | RegExp)[],
]

describe('IMAP commands', () => {
  let imap: ImapDoor
  let address: string
  let client: ImapClient

  before(async () => {
    imap = await openImapDoor()
    address = await imap.mailbox()
    client = await imap.open({ user: address })
    const received = ['07-Feb-1994 21:52:25 -0800', '08-Feb-1994 10:00:00 +0000', '09-Feb-1994 10:00:00 +0000']
    for (const [n, text] of [parts, answer, plain].entries()) {
      const flags = ['', '(\\Seen $Forwarded) ', '(\\Flagged) '][n]
      await client.ask(`APPEND INBOX ${flags}"${received[n]}" {${text.length}}`, `${text}\r\n`)
    }
    await client.ask('SELECT INBOX')
  })
  after(() => imap?.close())

  function transcripts(title: string, rows: readonly Row[]): void {
    describe(title, () => {
      for (const [name, command, end, ...told] of rows) {
        it(name, async () => {
          const { lines, end: ended } = await client.ask(command)
          expect(ended, lines.join('\n')).to.match(end)
          let from = 0
          for (const wanted of told) {
            const at = lines.findIndex(
              (line, n) => n >= from && (typeof wanted === 'string' ? line === wanted : wanted.test(line)),
            )
            expect(at, `${wanted} in\n${lines.join('\n')}`).to.be.at.least(0)
            from = at + 1
          }
        })
      }
    })
  }

  transcripts('FETCH', [
    [
      'flags',
      'FETCH 1:* FLAGS',
      /^OK/,
      /^\* 1 FETCH \(FLAGS \(/,
      /^\* 2 FETCH \(FLAGS \(\\Seen \\Recent \$Forwarded\)/,
      /^\* 3 FETCH/,
    ],
    ['flags by UID', 'UID FETCH 2 FLAGS', /^OK/, /^\* 2 FETCH \(UID 2 FLAGS/],
    ['nothing for UIDs that nobody has', 'UID FETCH 90:99 FLAGS', /^OK/],
    ['a number that is not there', 'FETCH 4 FLAGS', /^BAD/],
    ['zero', 'FETCH 0 FLAGS', /^BAD/],
    ['the last', 'FETCH * UID', /^OK/, '* 3 FETCH (UID 3)'],
    ['from behind', 'FETCH *:3 UID', /^OK/, '* 3 FETCH (UID 3)'],
    [
      'a macro',
      'FETCH 3 FAST',
      /^OK/,
      /^\* 3 FETCH \(FLAGS \(.*\) INTERNALDATE " 9-Feb-1994 10:00:00 \+0000" RFC822.SIZE \d+\)$/,
    ],
    [
      'the envelope, with a group',
      'FETCH 1 ENVELOPE',
      /^OK/,
      '* 1 FETCH (ENVELOPE ("Mon, 7 Feb 1994 21:52:25 -0800" "=?utf-8?Q?Gr=C3=BC=C3=9Fe?=" (("J. Doe" NIL "John.Doe" "Example.com")) (("J. Doe" NIL "John.Doe" "Example.com")) (("J. Doe" NIL "John.Doe" "Example.com")) ((NIL NIL "team" NIL)(NIL NIL "ann" "x.example")("B C" NIL "bc" "x.example")(NIL NIL NIL NIL)) (("=?utf-8?Q?J=C3=BCrgen?=" NIL "j" "x.example")) NIL NIL "<parts@x.example>"))',
    ],
    [
      'the structure',
      'FETCH 1 BODYSTRUCTURE',
      /^OK/,
      `* 1 FETCH (BODYSTRUCTURE (("TEXT" "PLAIN" ("CHARSET" "utf-8") NIL NIL "QUOTED-PRINTABLE" 29 0 NIL NIL NIL NIL)("MESSAGE" "RFC822" NIL NIL NIL "7BIT" 49 (NIL "inside" ((NIL NIL "inner" "x.example")) ((NIL NIL "inner" "x.example")) ((NIL NIL "inner" "x.example")) NIL NIL NIL NIL NIL) ("TEXT" "PLAIN" NIL NIL NIL "7BIT" 7 0 NIL NIL NIL NIL) 3 NIL NIL NIL NIL)("APPLICATION" "OCTET-STREAM" ("NAME" "a.bin") NIL NIL "BASE64" 8 NIL ("attachment" ("FILENAME*" "utf-8''%E2%82%AC.bin")) NIL NIL) "MIXED" ("BOUNDARY" "b") NIL NIL NIL))`,
    ],
    ['the whole message', 'FETCH 3 BODY.PEEK[]', /^OK/, `* 3 FETCH (BODY[] {${plain.length}}\r\n${plain})`],
    ['its text', 'FETCH 3 BODY.PEEK[TEXT]', /^OK/, '* 3 FETCH (BODY[TEXT] {12}\r\nOnly words\r\n)'],
    ['its header', 'FETCH 3 RFC822.HEADER', /^OK/, /^\* 3 FETCH \(RFC822\.HEADER \{\d+\}\r\nFrom: zoe/],
    [
      'some fields',
      'FETCH 3 BODY.PEEK[HEADER.FIELDS (subject "X-Odd")]',
      /^OK/,
      '* 3 FETCH (BODY[HEADER.FIELDS (subject X-Odd)] {36}\r\nSubject: A plain one\r\nX-Odd: yes\r\n\r\n)',
    ],
    [
      'the other fields',
      'FETCH 3 BODY.PEEK[HEADER.FIELDS.NOT (From To Subject)]',
      /^OK/,
      '* 3 FETCH (BODY[HEADER.FIELDS.NOT (From To Subject)] {14}\r\nX-Odd: yes\r\n\r\n)',
    ],
    ['a part', 'FETCH 1 BODY.PEEK[1]', /^OK/, '* 1 FETCH (BODY[1] {29}\r\nGr=C3=BC=C3=9Fe aus K=C3=B6ln)'],
    [
      'its MIME header',
      'FETCH 1 BODY.PEEK[3.MIME]',
      /^OK/,
      /^\* 1 FETCH \(BODY\[3\.MIME\] \{\d+\}\r\nContent-Type: application/,
    ],
    ['some bytes of it', 'FETCH 1 BODY.PEEK[1]<2.5>', /^OK/, '* 1 FETCH (BODY[1]<2> {5}\r\n=C3=B)'],
    ['bytes behind its end', 'FETCH 1 BODY.PEEK[1]<500.5>', /^OK/, '* 1 FETCH (BODY[1]<500> {0}\r\n)'],
    [
      'a part of a message inside',
      'FETCH 1 (BODY.PEEK[2.1] BODY.PEEK[2.HEADER])',
      /^OK/,
      '* 1 FETCH (BODY[2.1] {7}\r\na zebra BODY[2.HEADER] {42}\r\nFrom: inner@x.example\r\nSubject: inside\r\n\r\n)',
    ],
    ['a part that is not there', 'FETCH 1 BODY.PEEK[7]', /^OK/, '* 1 FETCH (BODY[7] NIL)'],
    ['part 1 of a message without parts', 'FETCH 3 BODY.PEEK[1]', /^OK/, '* 3 FETCH (BODY[1] {12}\r\nOnly words\r\n)'],
    [
      'a part without its encoding',
      'FETCH 1 (BINARY.PEEK[3] BINARY.SIZE[3])',
      /^OK/,
      '* 1 FETCH (BINARY[3] ~{5}\r\n\x00\x01\x02\x03\x04 BINARY.SIZE[3] 5)',
    ],
    [
      'ids, the day it was saved and a preview',
      'FETCH 3 (EMAILID THREADID SAVEDATE PREVIEW)',
      /^OK/,
      /^\* 3 FETCH \(EMAILID \(blb_\w+\) THREADID \(thr_\w+\) SAVEDATE "[^"]+" PREVIEW "Only words"\)$/,
    ],
    ['a page of it', 'UID FETCH 1:* UID (PARTIAL -1:-2)', /^OK/, '* 2 FETCH (UID 2)', '* 3 FETCH (UID 3)'],
    ['no item', 'FETCH 1 NONSENSE', /^BAD/],
    ['no section', 'FETCH 1 BODY[NONSENSE]', /^BAD/],
    ['MIME of nothing', 'FETCH 1 BODY[MIME]', /^BAD/],
    ['an open list', 'FETCH 1 (FLAGS', /^BAD/],
    ['something behind the end', 'FETCH 1 FLAGS FLAGS', /^BAD/],
  ])

  it('a search for no text finds what has the field, whatever is in it', async () => {
    const other = await imap.open({ user: await imap.mailbox() })
    for (const text of ['Subject: x\r\n\r\nx\r\n', 'From: a@b.example\r\nTo:\r\n\r\nx\r\n'])
      await other.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)
    await other.ask('SELECT INBOX')
    const found = async (key: string) => (await other.ask(`SEARCH ${key} ""`)).lines
    expect(await found('FROM')).to.deep.equal(['* SEARCH 2'])
    expect(await found('TO')).to.deep.equal(['* SEARCH 2'])
    expect(await found('CC')).to.deep.equal(['* SEARCH'])
    expect(await found('SUBJECT')).to.deep.equal(['* SEARCH 1'])
  })

  it('a part whose encoding nobody knows is refused, and no answer is begun for it', async () => {
    const other = await imap.open({ user: await imap.mailbox() })
    const text = 'Subject: odd\r\nContent-Transfer-Encoding: x-uuencode\r\n\r\nbegin 644 x\r\n'
    await other.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)
    await other.ask('SELECT INBOX')
    for (const item of ['BINARY.PEEK[1]', 'BINARY.SIZE[1]']) {
      const { lines, end } = await other.ask(`FETCH 1 (UID ${item})`)
      expect({ lines, end: end.replace(/\].*/, ']') }, item).to.deep.equal({ lines: [], end: 'NO [UNKNOWN-CTE]' })
    }
  })

  transcripts('SEARCH', [
    ['all', 'SEARCH ALL', /^OK/, '* SEARCH 1 2 3'],
    ['flags', 'SEARCH SEEN', /^OK/, '* SEARCH 2'],
    ['and, or, not', 'SEARCH OR SEEN FLAGGED NOT (FLAGGED)', /^OK/, '* SEARCH 2'],
    ['a keyword in other letters', 'SEARCH KEYWORD $forwarded', /^OK/, '* SEARCH 2'],
    ['a part of the sender', 'SEARCH FROM oe@', /^OK/, '* SEARCH 1 3'],
    ['a decoded subject', 'SEARCH CHARSET UTF-8 SUBJECT "Gr\xc3\xbc\xc3\x9fe"', /^OK/, '* SEARCH 1 2'],
    ['a decoded text', 'SEARCH BODY "k\xc3\xb6ln"', /^OK/, '* SEARCH 1'],
    ['a text inside a message inside', 'SEARCH BODY zebra', /^OK/, '* SEARCH 1'],
    ['a header field', 'SEARCH HEADER X-Odd ""', /^OK/, '* SEARCH 3'],
    ['a text in a header field', 'SEARCH TEXT "x-odd: yes"', /^OK/, '* SEARCH 3'],
    ['a text nobody wrote', 'SEARCH TEXT nowhere', /^OK/, '* SEARCH'],
    ['the day it came', 'SEARCH ON 8-Feb-1994', /^OK/, '* SEARCH 1 2'],
    ['the day it was sent, where it was sent', 'SEARCH SENTON 7-Feb-1994', /^OK/, '* SEARCH 1'],
    ['before and since', 'SEARCH SENTBEFORE 8-Feb-1994 SENTSINCE 7-Feb-1994', /^OK/, '* SEARCH 1'],
    ['sizes', `SEARCH LARGER ${parts.length - 1} SMALLER ${parts.length + 1}`, /^OK/, '* SEARCH 1'],
    ['sizes of 64 bits', 'SEARCH LARGER 4294967296', /^OK/, '* SEARCH'],
    ['numbers and UIDs', 'SEARCH 2:3 UID 1:2', /^OK/, '* SEARCH 2'],
    ['within', 'SEARCH OLDER 1000', /^OK/, '* SEARCH 1 2 3'],
    ['not within', 'SEARCH YOUNGER 1000', /^OK/, '* SEARCH'],
    [
      'what was asked for',
      'SEARCH RETURN (MIN MAX COUNT ALL) ALL',
      /^OK/,
      /^\* ESEARCH \(TAG "t\d+"\) MIN 1 MAX 3 ALL 1:3 COUNT 3$/,
    ],
    ['nothing found, counted', 'SEARCH RETURN (MIN COUNT) TEXT nowhere', /^OK/, /^\* ESEARCH \(TAG "t\d+"\) COUNT 0$/],
    ['a page before the first', 'UID SEARCH RETURN (PARTIAL -5:-9) ALL', /^OK/, /PARTIAL \(-5:-9 NIL\)$/],
    ['a page', 'UID SEARCH RETURN (PARTIAL 2:3) ALL', /^OK/, /^\* ESEARCH \(TAG "t\d+"\) UID PARTIAL \(2:3 2:3\)$/],
    ['saved', 'SEARCH RETURN (SAVE) FLAGGED', /^OK/],
    ['what was saved', 'FETCH $ UID', /^OK/, '* 3 FETCH (UID 3)'],
    ['a page, saved', 'SEARCH RETURN (SAVE PARTIAL 2:9) ALL', /^OK/, /PARTIAL \(2:9 2:3\)$/],
    ['the page that was saved', 'SEARCH $', /^OK/, '* SEARCH 2 3'],
    ['a page and the first, saved', 'SEARCH RETURN (SAVE MIN PARTIAL -1:-1) ALL', /^OK/, /MIN 1 PARTIAL \(-1:-1 3\)$/],
    ['both that were saved', 'SEARCH $', /^OK/, '* SEARCH 1 3'],
    ['a page, counted and saved', 'SEARCH RETURN (SAVE COUNT PARTIAL 1:1) ALL', /^OK/, /COUNT 3 PARTIAL \(1:1 1\)$/],
    ['all that were counted', 'SEARCH $', /^OK/, '* SEARCH 1 2 3'],
    ['a modseq', 'SEARCH MODSEQ 1', /^OK/, /^\* SEARCH 1 2 3 \(MODSEQ \d+\)$/],
    ['another charset', 'SEARCH CHARSET KOI8-R TEXT x', /^NO \[BADCHARSET/],
    ['no key', 'SEARCH NONSENSE', /^BAD/],
    ['a day that is none', 'SEARCH ON 31-Feb-1994', /^BAD/],
    ['nothing', 'SEARCH', /^BAD/],
    ['numbers that are not there', 'SEARCH 3:9,1000', /^OK/, '* SEARCH 3'],
    ['the name of a group', 'SEARCH TO team HEADER To ""', /^OK/, '* SEARCH 1'],
    ['in order', 'SORT (REVERSE DATE) UTF-8 ALL', /^OK/, '* SORT 3 2 1'],
    ['by base subject', 'UID SORT (SUBJECT REVERSE ARRIVAL) UTF-8 ALL', /^OK/, '* SORT 3 2 1'],
    ['by the name of a group', 'SORT (TO) UTF-8 ALL', /^OK/, '* SORT 3 2 1'],
    ['by no key', 'SORT (NONSENSE) UTF-8 ALL', /^BAD/],
    ['threads by references', 'THREAD REFERENCES UTF-8 ALL', /^OK/, '* THREAD (1 2)(3)'],
    ['threads by subject', 'THREAD ORDEREDSUBJECT UTF-8 ALL', /^OK/, '* THREAD (1 2)(3)'],
    ['threads by nothing', 'THREAD NONSENSE UTF-8 ALL', /^BAD/],
  ])

  transcripts('folders', [
    ['the separator', 'LIST "" ""', /^OK/, '* LIST (\\Noselect) "/" ""'],
    [
      'special uses',
      'LIST "" *',
      /^OK/,
      '* LIST (\\HasNoChildren \\Archive) "/" Archive',
      '* LIST (\\HasNoChildren) "/" INBOX',
      '* LIST (\\HasNoChildren \\Junk) "/" Spam',
    ],
    ['made with the levels above', 'CREATE "Work/F&APw-r mich"', /^OK \[MAILBOXID \(fld_\w+\)\]/],
    ['made twice', 'CREATE "Work/F&APw-r mich"', /^NO \[ALREADYEXISTS\]/],
    ['made with no special use', 'CREATE Old (USE ())', /^OK \[MAILBOXID/],
    ['and deleted', 'DELETE Old', /^OK/],
    ['a special use that another folder has', 'CREATE Old (USE (\\archive))', /^NO \[USEATTR\] A standard folder has/],
    ['one that no folder has', 'CREATE Old (USE (\\Important))', /^NO \[USEATTR\] The special use/],
    ['nothing was made', 'STATUS Old (MESSAGES)', /^NO \[NONEXISTENT\]/],
    ['a special use without a backslash', 'CREATE Old (USE (Archive))', /^BAD/],
    ['special uses without a list', 'CREATE Old (USE \\Archive)', /^BAD/],
    ['another parameter of CREATE', 'CREATE Old (NONSENSE (\\Archive))', /^BAD/],
    ['a pattern that no name can have', 'LIST "" !#$&\'+,-.0:;<=>?@^_`|[}%*', /^OK/],
    ['one level', 'LIST "" %', /^OK/, '* LIST (\\HasChildren) "/" Work'],
    ['below', 'LIST Work/ %', /^OK/, '* LIST (\\HasNoChildren) "/" "Work/F&APw-r mich"'],
    ['a name that is no modified UTF-7', 'CREATE "a&b"', /^NO \[CANNOT\]/],
    ['one with others below it', 'DELETE Work', /^NO \[HASCHILDREN\]/],
    ['a standard folder', 'DELETE Sent', /^NO \[CANNOT\]/],
    [
      'INBOX in other letters',
      'STATUS inbox (MESSAGES UNSEEN UIDNEXT RECENT DELETED)',
      /^OK/,
      /^\* STATUS INBOX \(MESSAGES 3 UNSEEN \d UIDNEXT 4 RECENT 0 DELETED 0\)$/,
    ],
    [
      'size and limits',
      'STATUS INBOX (SIZE APPENDLIMIT MAILBOXID)',
      /^OK/,
      new RegExp(`SIZE ${parts.length + answer.length + plain.length} APPENDLIMIT \\d+ MAILBOXID`),
    ],
    ['no item', 'STATUS INBOX (NONSENSE)', /^BAD/],
    ['not there', 'STATUS Nowhere (MESSAGES)', /^NO \[NONEXISTENT\]/],
    ['subscribed', 'SUBSCRIBE Work', /^OK/],
    ['told as such', 'LIST (SUBSCRIBED) "" W*', /^OK/, '* LIST (\\Subscribed \\HasChildren) "/" Work'],
    ['in the old way', 'LSUB "" W*', /^OK/, '* LSUB () "/" Work'],
    ['no more', 'UNSUBSCRIBE Work', /^OK/],
    ['not to what is not there', 'SUBSCRIBE Nowhere', /^NO \[NONEXISTENT\]/],
    [
      'several patterns, with their status',
      'LIST "" (INBOX Sent) RETURN (SUBSCRIBED STATUS (MESSAGES))',
      /^OK/,
      '* LIST (\\Subscribed \\HasNoChildren) "/" INBOX',
      '* STATUS INBOX (MESSAGES 3)',
      '* LIST (\\Subscribed \\HasNoChildren \\Sent) "/" Sent',
    ],
    ['only special uses', 'LIST (SPECIAL-USE) "" *', /^OK/, /\\Archive/, /\\Drafts/, /\\Sent/, /\\Junk/, /\\Trash/],
    ['RECURSIVEMATCH alone', 'LIST (RECURSIVEMATCH) "" *', /^BAD/],
    ['renamed with those below', 'RENAME Work Play', /^OK/],
    ['moved along', 'LIST "" Play/*', /^OK/, '* LIST (\\HasNoChildren) "/" "Play/F&APw-r mich"'],
    ['renamed to what is there', 'RENAME Play Sent', /^NO \[ALREADYEXISTS\]/],
    ['deleted from below', 'DELETE "Play/F&APw-r mich"', /^OK/],
    ['deleted', 'DELETE Play', /^OK/],
    ['deleted twice', 'DELETE Play', /^NO \[NONEXISTENT\]/],
    ['one namespace', 'NAMESPACE', /^OK/, '* NAMESPACE (("" "/")) NIL NIL'],
    ['quota', 'GETQUOTAROOT INBOX', /^OK/, '* QUOTAROOT INBOX ""', /^\* QUOTA "" \(STORAGE \d+ \d+\)$/],
    ['another quota', 'GETQUOTA other', /^NO \[NONEXISTENT\]/],
    ['more quota', 'SETQUOTA "" (STORAGE 99)', /^NO \[NOPERM\]/],
    ['who it is', 'ID ("name" "test" "version" NIL)', /^OK/, /^\* ID \("name" "Mailroom"/],
  ])

  transcripts('metadata', [
    ['nothing noted', 'GETMETADATA INBOX /shared/comment', /^OK/, '* METADATA INBOX (/shared/comment NIL)'],
    ['noted', 'SETMETADATA INBOX (/shared/Comment "My own" /private/vendor/x/a "1")', /^OK/],
    ['in other letters', 'GETMETADATA inbox /SHARED/comment', /^OK/, '* METADATA INBOX (/shared/comment "My own")'],
    [
      'several, one of them twice',
      'GETMETADATA INBOX (/private/vendor/x/a /shared/comment /shared/comment)',
      /^OK/,
      '* METADATA INBOX (/private/vendor/x/a "1" /shared/comment "My own")',
    ],
    ['one below', 'GETMETADATA (DEPTH 1) INBOX /shared', /^OK/, '* METADATA INBOX (/shared/comment "My own")'],
    ['further below than asked for', 'GETMETADATA (DEPTH 1) INBOX /private/vendor', /^OK (?!\[)/],
    [
      'all below, the options behind the name',
      'GETMETADATA INBOX (DEPTH infinity) (/private/vendor)',
      /^OK/,
      '* METADATA INBOX (/private/vendor/x/a "1")',
    ],
    [
      'what is not too long',
      'GETMETADATA (MAXSIZE 5 DEPTH 0) INBOX (/shared/comment /private/vendor/x/a)',
      /^OK \[METADATA LONGENTRIES 6\]/,
      '* METADATA INBOX (/private/vendor/x/a "1")',
    ],
    ['bytes of any kind', 'SETMETADATA INBOX (/private/vendor/x/b ~{3+}\r\n\x00\xff")', /^OK/],
    [
      'as they were',
      'GETMETADATA INBOX /private/vendor/x/b',
      /^OK/,
      '* METADATA INBOX (/private/vendor/x/b ~{3}\r\n\x00\xff")',
    ],
    ['an empty value', 'SETMETADATA INBOX (/private/vendor/x/b "")', /^OK/],
    ['which is a value', 'GETMETADATA INBOX /private/vendor/x/b', /^OK/, '* METADATA INBOX (/private/vendor/x/b "")'],
    ['taken away', 'SETMETADATA INBOX (/private/vendor/x/b NIL)', /^OK/],
    [
      'which is gone',
      'GETMETADATA (DEPTH 1) INBOX /private/vendor/x',
      /^OK/,
      '* METADATA INBOX (/private/vendor/x/a "1")',
    ],
    ['of the mailbox', 'SETMETADATA "" (/private/comment "Mine")', /^OK/],
    ['told for the empty name', 'GETMETADATA "" /private/comment', /^OK/, '* METADATA "" (/private/comment "Mine")'],
    ['not of a folder', 'GETMETADATA INBOX /private/comment', /^OK/, '* METADATA INBOX (/private/comment NIL)'],
    [
      'the special use',
      'GETMETADATA Sent /private/specialuse',
      /^OK/,
      '* METADATA Sent (/private/specialuse "\\\\Sent")',
    ],
    ['a name in which spaces stand', 'SETMETADATA INBOX ("/shared/vendor/my \\"own\\"" "1")', /^OK/],
    [
      'is told in quotes',
      'GETMETADATA (DEPTH 1) INBOX /shared/vendor',
      /^OK/,
      '* METADATA INBOX ("/shared/vendor/my \\"own\\"" "1")',
    ],
    ['another special use', 'SETMETADATA Sent (/private/specialuse "\\\\Archive")', /^NO \[USEATTR\]/],
    ['another way to the administrator', 'SETMETADATA "" (/shared/admin "mailto:x@x.example")', /^NO \[NOPERM\]/],
    [
      'a value that is too long',
      'SETMETADATA INBOX (/shared/comment NIL /shared/x {16385+}\r\n'.concat('x'.repeat(16_385), ')'),
      /^NO \[METADATA MAXSIZE 16384\]/,
    ],
    [
      'nothing of that was done',
      'GETMETADATA INBOX (/shared/comment)',
      /^OK/,
      '* METADATA INBOX (/shared/comment "My own")',
    ],
    [
      'too many entries',
      `SETMETADATA Archive (${Array.from({ length: 101 }, (_, n) => `/shared/vendor/x/${n} ""`).join(' ')})`,
      /^NO \[METADATA TOOMANY\]/,
    ],
    [
      'too many bytes',
      `SETMETADATA Archive (${Array.from({ length: 5 }, (_, n) => `/shared/vendor/x/${n} {14000+}\r\n${'x'.repeat(14_000)}`).join(' ')})`,
      /^NO \[METADATA TOOMANY\]/,
    ],
    ['of no folder', 'GETMETADATA Nowhere /shared/comment', /^NO \[NONEXISTENT\]/],
    ['set of no folder', 'SETMETADATA Nowhere (/shared/comment "x")', /^NO \[NONEXISTENT\]/],
    ['the name of no entry', 'GETMETADATA INBOX /public/comment', /^BAD/],
    ['a name that begins like one', 'GETMETADATA INBOX /privately/comment', /^BAD/],
    ['a name with an empty level', 'GETMETADATA INBOX /shared//comment', /^BAD/],
    ['a name with an open end', 'GETMETADATA INBOX /shared/', /^BAD/],
    ['a name with a wildcard', 'GETMETADATA INBOX "/shared/*"', /^BAD/],
    ['a name that is too long', `GETMETADATA INBOX /shared/${'x'.repeat(500)}`, /^BAD/],
    ['a value of no entry', 'SETMETADATA INBOX (/shared "x")', /^BAD/],
    ['a value that is an atom', 'SETMETADATA INBOX (/shared/comment x)', /^BAD/],
    ['no entries', 'SETMETADATA INBOX ()', /^BAD/],
    ['no depth', 'GETMETADATA (DEPTH 2) INBOX /shared/comment', /^BAD/],
    ['no option', 'GETMETADATA (NONSENSE 2) INBOX /shared/comment', /^BAD/],
    ['a folder with metadata', 'CREATE Noted', /^OK/],
    ['noted of it', 'SETMETADATA Noted (/shared/comment "x")', /^OK/],
    ['renamed', 'RENAME Noted Renamed', /^OK/],
    ['moved along', 'GETMETADATA Renamed /shared/comment', /^OK/, '* METADATA Renamed (/shared/comment "x")'],
    ['deleted', 'DELETE Renamed', /^OK/],
    ['made again', 'CREATE Renamed', /^OK/],
    ['nothing is left', 'GETMETADATA Renamed /shared/comment', /^OK/, '* METADATA Renamed (/shared/comment NIL)'],
    ['and deleted again', 'DELETE Renamed', /^OK/],
  ])

  it('keeps all metadata that programs set at once', async () => {
    const programs = await Promise.all(Array.from({ length: 6 }, () => imap.open({ user: address })))
    const entry = (n: number) => `/shared/vendor/many/${n}`
    const set = programs.map((program, n) => program.ask(`SETMETADATA Trash (${entry(n)} "${n}")`))
    expect((await Promise.all(set)).map(({ end }) => end)).to.deep.equal(programs.map(() => 'OK Done'))
    const { lines } = await client.ask('GETMETADATA (DEPTH 1) Trash /shared/vendor/many')
    for (const n of programs.keys()) expect(lines[0]).to.include(`${entry(n)} "${n}"`)
  })

  describe('changes', () => {
    const appended = async (folder: string, text: string, flags = '') => {
      const { end } = await client.ask(`APPEND ${folder} ${flags}{${text.length}}`, `${text}\r\n`)
      return Number(/\[APPENDUID \d+ (\d+)\]/.exec(end)?.[1])
    }

    it('APPEND refuses what cannot be stored', async () => {
      expect((await client.ask('APPEND Nowhere {1}', 'x\r\n')).end).to.match(/^NO \[TRYCREATE\]/)
      expect((await client.ask('APPEND INBOX (\\Nonsense) {1}', 'x\r\n')).end).to.match(/^BAD/)
      expect((await client.ask('APPEND INBOX "31-Feb-1994 10:00:00 +0000" {1}', 'x\r\n')).end).to.match(/^BAD/)
      expect((await client.ask('APPEND INBOX {0}', '\r\n')).end).to.match(/^NO \[CANNOT\]/)
      expect((await client.ask('APPEND INBOX {99999999999}')).end).to.match(/^BAD/)
      expect((await client.ask('APPEND INBOX {999999999}')).end).to.match(/^NO \[TOOBIG\]/)
    })

    it('APPEND takes several, and a literal that does not wait', async () => {
      const { end } = await client.ask(
        `APPEND Archive {${plain.length}+}\r\n${plain} (\\Seen) {${answer.length}}`,
        `${answer}\r\n`,
      )
      expect(end).to.match(/^OK \[APPENDUID \d+ 1:2\]/)
    })

    it('APPEND to Sent of what is there gives the UID of that', async () => {
      const first = await appended('Sent', answer)
      expect(await appended('Sent', answer)).to.equal(first)
      expect((await client.ask('STATUS Sent (MESSAGES)')).lines[0]).to.include('MESSAGES 1')
    })

    it('APPEND to Sent of what was sent a moment ago gives the UID of the copy that is being written', async () => {
      const sender = await imap.mailbox()
      const program = await imap.open({ user: sender })
      for (let n = 0; n < 5; n++) {
        const draft = { to: 'delivered@simulator.invalid', subject: `Sent ${n}`, text: 'x' }
        const { status, body } = await imap.call('POST', `${mailboxPath(sender)}/send`, draft)
        expect(status).to.equal(202)
        const copy = `From: ${sender}\r\nSubject: Sent ${n}\r\nMessage-ID: <${body.id}@tenant.example>\r\n\r\nx\r\n`
        expect((await program.ask(`APPEND Sent {${copy.length}}`, `${copy}\r\n`)).end).to.include(` ${n + 1}]`)
      }
      expect((await program.ask('STATUS Sent (MESSAGES)')).lines[0]).to.include('MESSAGES 5')
    })

    it('APPEND to Sent has the copy written of a send whose process died before that', async () => {
      const sender = await imap.mailbox()
      const program = await imap.open({ user: sender })
      const { ctx } = imap.door
      const draft = { to: 'delivered@simulator.invalid', subject: 'Died', text: 'x' }
      const { body } = await imap.call('POST', `${mailboxPath(sender)}/send`, draft)
      await ctx.background.done()
      await program.ask('SELECT Sent')
      await program.ask('STORE 1 +FLAGS.SILENT (\\Deleted)')
      await program.ask('EXPUNGE')
      const sixSecondsAgo = new Date(ctx.clock.now().getTime() - 6_000)
      const died = { planned: false, createdAt: sixSecondsAgo, todoAt: sixSecondsAgo }
      await ctx.store.emails.updateOne({ _id: `${body.id}` }, { $set: died })
      const announcer = startAnnouncer(ctx)
      try {
        const copy = `From: ${sender}\r\nMessage-ID: <${body.id}@tenant.example>\r\n\r\nx\r\n`
        expect((await program.ask(`APPEND Sent {${copy.length}}`, `${copy}\r\n`)).end).to.include(' 2]')
        await settleDue(ctx)
        expect((await program.ask('STATUS Sent (MESSAGES)')).lines[0]).to.include('MESSAGES 1')
      } finally {
        await announcer.stop()
      }
    })

    it('Sent keeps what a program appends of a mail that waits for an approval, and has it once when that is given', async () => {
      const sender = await imap.mailbox()
      const { ctx } = imap.door
      const mailbox = await ctx.store.mailboxes.findOne({ address: sender })
      const waits = { accountId: imap.tenant.accountId, kind: 'agent', approval: 'required' } as const
      const { apiKey: key } = await makeKey(ctx, { ...waits, scopes: agentScopes, mailboxIds: [mailbox?._id ?? ''] })
      const visit = { user: sender, password: key, scope: 'mail:send', peerAddress: '127.0.0.1' } as const
      const login = await logIn(ctx, visit)
      const program = await imap.open({ user: sender, key })
      const submitted = async (subject: string) => {
        const to = 'delivered@simulator.invalid'
        const head = `From: ${sender}\r\nTo: ${to}\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@x.example>`
        const raw = `${head}\r\nReferences: <root@x.example>\r\n\r\nx\r\n`
        const { id } = await submit(ctx, login, {
          raw: Buffer.from(raw),
          reversePath: sender,
          recipients: [to],
          peerAddress: '127.0.0.1',
        })
        const bring = async () => {
          const { end } = await program.ask(`APPEND Sent (\\Seen) {${raw.length}}`, `${raw}\r\n`)
          return Number(/\[APPENDUID \d+ (\d+)\]/.exec(end)?.[1])
        }
        return { id, bring }
      }
      const decide = async (emailId: string, decision: 'approve' | 'refuse') => {
        const { _id, hash } = (await ctx.store.approvals.findOne({ emailId })) ?? {}
        const { status, body } = await imap.call('POST', `/api/v1/approvals/${_id}`, { decision, hash })
        expect(status, JSON.stringify(body)).to.equal(200)
        await ctx.background.done()
      }
      const sendDraft = async (emailId: string, body: Json = {}) => {
        const { draft } = (await ctx.store.approvals.findOne({ emailId })) ?? {}
        const path = `${mailboxPath(sender)}/drafts/${draft?.messageId}/send`
        const sent = await imap.call<Send>('POST', path, body)
        expect([sent.status, sent.body.id], JSON.stringify(sent.body)).to.deep.equal([202, emailId])
        await ctx.background.done()
        return sent.body
      }
      const inSent = async () => {
        await program.ask('SELECT Sent')
        return (await program.ask('UID SEARCH ALL')).lines[0]
      }
      const status = (path: string) => imap.call<Send>('GET', path).then(({ body }) => body)

      const kept = await submitted('kept')
      const uid = await kept.bring()
      expect(await kept.bring()).to.equal(uid)
      await decide(kept.id, 'approve')
      expect(await inSent()).to.equal(`* SEARCH ${uid}`)
      expect(await kept.bring()).to.equal(uid)
      const send = await status(`/api/v1/emails/${kept.id}`)
      expect((await status(`/api/v1/delivery-status?message_id=${send.message_id}`)).id).to.equal(kept.id)
      const copy = await imap.call('GET', `${mailboxPath(sender)}/messages/${send.message_id}`)
      expect([copy.status, copy.body.folder, copy.body.subject]).to.deep.equal([200, 'Sent', 'kept'])

      const refused = await submitted('refused')
      const stays = await refused.bring()
      await decide(refused.id, 'refuse')
      expect(await inSent()).to.equal(`* SEARCH ${uid} ${stays}`)

      const removed = await submitted('removed')
      const gone = await removed.bring()
      await inSent()
      await program.ask(`UID STORE ${gone} +FLAGS.SILENT (\\Deleted)`)
      await program.ask('EXPUNGE')
      await decide(removed.id, 'approve')
      const own = gone + 1
      expect(await inSent()).to.equal(`* SEARCH ${uid} ${stays} ${own}`)
      expect(await removed.bring()).to.equal(own)

      for (let n = 1; n <= 10; n++) {
        const both = await submitted(`both-${n}`)
        await Promise.all([decide(both.id, 'approve'), both.bring()])
        const { lines } = await program.ask('STATUS Sent (MESSAGES)')
        expect(lines[0], `copies after ${n}`).to.include(`MESSAGES ${3 + n}`)
      }

      const drafted = await submitted('drafted')
      const brought = await drafted.bring()
      const sent = await sendDraft(drafted.id)
      expect(await inSent()).to.match(new RegExp(` ${brought}$`))
      const shown = await imap.call('GET', `${mailboxPath(sender)}/messages/${sent.message_id}`)
      expect(shown.body).to.include({ folder: 'Sent', subject: 'drafted' })
      expect((await status(`/api/v1/emails/${drafted.id}`)).approval?.status).to.equal('approved')
      const later = await submitted('later')
      const sendAt = new Date(ctx.clock.now().getTime() + hourMs).toISOString()
      await later.bring()
      expect(await sendDraft(later.id, { sendAt })).to.include({ status: 'scheduled', sendAt })
      const tomorrow = new Date(ctx.clock.now().getTime() + dayMs).toISOString()
      await imap.call('PATCH', `${mailboxPath(sender)}/scheduled/${later.id}`, { sendAt: tomorrow })
      expect((await ctx.store.blobs.findOne({ users: later.id }))?.users).to.deep.equal([later.id])
      for (let n = 1; n <= 10; n++) {
        const both = await submitted(`draft-and-copy-${n}`)
        await Promise.all([sendDraft(both.id), both.bring()])
        const { lines } = await program.ask('STATUS Sent (MESSAGES)')
        expect(lines[0], `copies after draft ${n}`).to.include(`MESSAGES ${15 + n}`)
      }
    })

    it('a draft of what a program handed in goes out as the program wrote it, to those it named', async () => {
      const sender = await imap.mailbox()
      const { ctx } = imap.door
      const mailbox = await ctx.store.mailboxes.findOne({ address: sender })
      const waits = { accountId: imap.tenant.accountId, kind: 'agent', approval: 'required' } as const
      const { apiKey } = await makeKey(ctx, { ...waits, scopes: agentScopes, mailboxIds: [mailbox?._id ?? ''] })
      const visit = { user: sender, password: apiKey, scope: 'mail:send', peerAddress: '127.0.0.1' } as const
      const head = `From: ${sender}\r\nTo: someone@remote.example\r\nSubject: Meeting\r\nMessage-ID: <meeting@x.example>`
      const body = 'BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n'
      const { id } = await submit(ctx, await logIn(ctx, visit), {
        raw: Buffer.from(`${head}\r\nContent-Type: text/calendar; method=REQUEST\r\nX-Own: 1\r\n\r\n${body}`),
        reversePath: sender,
        recipients: ['delivered@simulator.invalid'],
        peerAddress: '127.0.0.1',
      })
      const { draft } = (await ctx.store.approvals.findOne({ emailId: id })) ?? {}
      const path = `${mailboxPath(sender)}/drafts/${draft?.messageId}`
      const sends = await Promise.all([1, 2, 3].map(() => imap.call<Send>('POST', `${path}/send`)))
      expect(sends.map(({ status }) => status)).to.include(202)
      for (const { status } of sends) expect(status).to.be.oneOf([202, 404, 409])
      const sent = sends.find(({ status }) => status === 202)
      expect(sent?.body.recipients.map(({ email }) => email)).to.deep.equal(['delivered@simulator.invalid'])
      await ctx.background.done()
      const program = await imap.open({ user: sender, key: apiKey })
      await program.ask('SELECT Sent')
      const copy = (await program.ask('FETCH 1 BODY.PEEK[]')).lines.join('\r\n')
      for (const kept of ['Message-ID: <meeting@x.example>', 'Content-Type: text/calendar; method=REQUEST', body])
        expect(copy).to.include(kept)
      expect((await imap.call('GET', path)).status).to.equal(404)
    })

    it('a draft that is appended goes out by the API in the conversation that it names', async () => {
      const writer = await imap.mailbox()
      const program = await imap.open({ user: writer })
      const box = mailboxPath(writer)
      type Mail = { in_reply_to: string; references: string[]; thread_id: string; answered: boolean }
      const get = async (path: string) => (await imap.call<Mail>('GET', `${box}${path}`)).body
      const raw = `From: ann@x.example\r\nMessage-ID: <here@x.example>\r\nReferences: <root@x.example>\r\n\r\nx\r\n`
      const answered = await deliver(imap.door.ctx, { to: writer, raw })
      for (const [parent, change] of [
        ['here@x.example', null],
        ['elsewhere@x.example', null],
        ['elsewhere@x.example', { text: 'Changed' }],
        ['own@x.example', null],
      ] as const) {
        const head = `From: ${writer}\r\nTo: delivered@simulator.invalid\r\nSubject: Re: x\r\nMessage-ID: <own@x.example>`
        const draft = `${head}\r\nIn-Reply-To: <${parent}>\r\nReferences: <root@x.example>\r\n <${parent}>\r\n\r\nx\r\n`
        await program.ask(`APPEND Drafts (\\Draft) {${draft.length}}`, `${draft}\r\n`)
        const { body } = await imap.call<{ drafts: { message_id: string }[] }>('GET', `${box}/drafts`)
        const path = `${box}/drafts/${body.drafts[0]?.message_id}`
        if (change !== null) expect((await imap.call('PATCH', path, change)).status).to.equal(200)
        const sent = await imap.call<{ message_id: string }>('POST', `${path}/send`)
        expect(sent.status, JSON.stringify(sent.body)).to.equal(202)
        const copy = await get(`/messages/${sent.body.message_id}`)
        expect([copy.in_reply_to, copy.references]).to.deep.equal([parent, ['root@x.example', parent]])
        const { thread_id: thread, answered: isAnswered } = await get(`/messages/${answered}`)
        expect([copy.thread_id, isAnswered]).to.deep.equal([thread, true])
      }
    })

    it('Sent shows whom others do not see', async () => {
      const sender = await imap.mailbox()
      const bcc = [{ name: 'Jürgen', address: 'softbounced@simulator.invalid' }, 'delivered+b@simulator.invalid']
      const sent = { to: 'delivered@simulator.invalid', bcc, subject: 'Hidden', text: 'x' }
      const { status, body } = await imap.call('POST', `${mailboxPath(sender)}/send`, sent)
      expect(status, JSON.stringify(body)).to.equal(202)
      const program = await imap.open({ user: sender })
      await eventually('the copy', async () => (await program.ask('SELECT Sent')).lines.includes('* 1 EXISTS'))
      const field =
        'Bcc: =?utf-8?Q?J=C3=BCrgen?= <softbounced@simulator.invalid>,\r\n delivered+b@simulator.invalid\r\n'
      expect((await program.ask('FETCH 1 BODY.PEEK[HEADER.FIELDS (Bcc)]')).lines).to.deep.equal([
        `* 1 FETCH (BODY[HEADER.FIELDS (Bcc)] {${field.length + 2}}\r\n${field}\r\n)`,
      ])
      const path = `${mailboxPath(sender)}/messages/${body.message_id}/raw`
      const shown = await fetch(`${imap.door.http}${path}?trace=true`, {
        headers: { authorization: `Bearer ${imap.tenant.key}` },
      })
      const { byteLength } = await shown.arrayBuffer()
      expect((await program.ask('FETCH 1 RFC822.SIZE')).lines).to.deep.equal([`* 1 FETCH (RFC822.SIZE ${byteLength})`])
    })

    it('STORE sets, adds and removes, silently too', async () => {
      const uid = await appended('INBOX', plain)
      const flags = async () =>
        /FLAGS \(([^)]*)\)/.exec((await client.ask(`UID FETCH ${uid} FLAGS`)).lines.at(-1) ?? '')?.[1]
      expect((await client.ask(`UID STORE ${uid} FLAGS (\\Seen A)`)).lines.at(-1)).to.match(
        /FETCH \(UID \d+ FLAGS \(\\Seen \\Recent A\)/,
      )
      await client.ask(`UID STORE ${uid} +FLAGS \\Flagged a`)
      expect(await flags()).to.equal('\\Seen \\Flagged \\Recent A')
      const silent = await client.ask(`UID STORE ${uid} -FLAGS.SILENT (\\Seen a)`)
      expect(silent.lines.filter((line) => line.includes('FLAGS'))).to.deep.equal([])
      expect(await flags()).to.equal('\\Flagged \\Recent')
      expect((await client.ask(`UID STORE ${uid} +FLAGS (\\Recent)`)).end).to.match(/^BAD/)
      const told = async (change: string) =>
        (await client.ask(`UID STORE ${uid} ${change}`)).lines.filter((line) => line.includes('FLAGS'))
      const [fresh, ...more] = await told('+FLAGS.SILENT (\\Deleted Unheard)')
      expect(fresh, 'a new keyword').to.match(/^\* FLAGS \(.* Unheard\)$/)
      expect(more.concat(await told('+FLAGS.SILENT (unheard)'))).to.deep.equal([])
      await client.ask(`UID EXPUNGE ${uid}`)
    })

    it('a keyword that is no label is refused, and APPEND stores nothing with it', async () => {
      const count = async () => (await client.ask('STATUS INBOX (MESSAGES)')).lines
      const before = await count()
      for (const keyword of ['k'.repeat(101), 'two&AAo-lines', '&ICg-', '&AAA-']) {
        expect((await client.ask(`STORE 1 +FLAGS (${keyword})`)).end, keyword).to.match(
          /^NO \[CLIENTBUG\] A label must have/,
        )
        expect((await client.ask(`APPEND INBOX (${keyword}) {6}`, 'a: b\r\n\r\n')).end, keyword).to.match(/^NO/)
      }
      const many = Array.from({ length: 51 }, (_, n) => `k${n}`).join(' ')
      expect((await client.ask(`APPEND INBOX (${many}) {6}`, 'a: b\r\n\r\n')).end).to.match(
        /^NO \[CLIENTBUG\] A message/,
      )
      expect(await count()).to.deep.equal(before)
    })

    it('COPY and MOVE tell the UIDs, and a copy has the flags', async () => {
      const uid = await appended('INBOX', plain, '(\\Flagged B) ')
      const copied = await client.ask(`UID COPY ${uid} Trash`)
      const [, , to] = /\[COPYUID (\d+) \d+ (\d+)\]/.exec(copied.end) ?? []
      const moved = await client.ask(`UID MOVE ${uid} Archive`)
      expect(moved.lines[0]).to.match(/^\* OK \[COPYUID \d+ \d+ 3\]/)
      expect(moved.lines.some((line) => line.endsWith(' EXPUNGE') || line.startsWith('* VANISHED'))).to.equal(true)
      expect((await client.ask(`UID COPY ${uid} Trash`)).end).to.match(/^OK There was nothing/)
      expect((await client.ask('COPY 1 Nowhere')).end).to.match(/^NO \[TRYCREATE\]/)
      const other = await imap.open({ user: address })
      await other.ask('EXAMINE Trash')
      expect((await other.ask(`UID FETCH ${to} FLAGS`)).lines.at(-1))
        .to.include('\\Flagged')
        .and.include(' B')
    })

    it('COPY of many messages is done as a whole or not at all', async () => {
      const box = await imap.mailbox()
      const reader = await imap.open({ user: box })
      const counts = async () => (await reader.ask('STATUS Archive (MESSAGES UNSEEN SIZE)')).lines
      await deliver(imap.door.ctx, { to: box, raw: 'Subject: One\n\nHi\n' })
      await reader.ask('SELECT INBOX')
      for (let n = 1; n < 128; n *= 2) await reader.ask('COPY 1:* INBOX')
      const last = await deliver(imap.door.ctx, { to: box, raw: 'Subject: Last\n\nHi\n' })
      await reader.ask('SELECT INBOX')
      const before = await counts()
      // As when it is deleted while the others are copied.
      const { blobs } = imap.door.ctx.store
      const body = await blobs.findOneAndDelete({ users: last })
      expect((await reader.ask('COPY 1:129 Archive')).end).to.match(/^NO \[NONEXISTENT\]/)
      expect(await counts()).to.deep.equal(before)
      await blobs.insertOne(body!)
      const { end } = await reader.ask('COPY 1:129 Archive')
      expect(end).to.match(/^OK \[COPYUID \d+ 1:129 \d+:\d+\]/)
      expect((await counts())[0]).to.include('MESSAGES 129')
    })

    it('FETCH of a large message parts its items, and tells a keyword before it is used, once', async () => {
      const large = `Subject: Large\r\n\r\n${'y'.repeat(2_000_000)}`
      const uid = await appended('Archive', large)
      const [other, third] = [await imap.open({ user: address }), await imap.open({ user: address })]
      for (const each of [other, third]) await each.ask('SELECT Archive')
      await third.ask(`UID STORE ${uid} +FLAGS.SILENT (Streamed)`)
      const { lines } = await other.ask(`UID FETCH ${uid} (FLAGS BODY.PEEK[])`)
      expect(lines).to.have.length(2)
      expect(lines[0]).to.match(/^\* FLAGS \(.* Streamed\)$/)
      expect(lines[1]).to.match(/^\* \d+ FETCH \(UID \d+ FLAGS \((?:\\Recent )?Streamed\) BODY\[\] \{/)
      const twice = await other.ask(`FETCH ${lines[1]?.split(' ')[1]} (BODY.PEEK[] BODY.PEEK[])`)
      const item = `{${large.length}}\r\n${large}`
      expect(twice.lines[0]?.endsWith(`(BODY[] ${item} BODY[] ${item})`)).to.equal(true)
    })

    it('REPLACE puts one in the place of another', async () => {
      const uid = await appended('Drafts', plain)
      const other = await imap.open({ user: address })
      await other.ask('SELECT Drafts')
      const { lines, end } = await other.ask(`UID REPLACE ${uid} Drafts (\\Draft) {${answer.length}}`, `${answer}\r\n`)
      expect(end).to.match(/^OK/)
      expect(lines[0]).to.match(new RegExp(`^\\* OK \\[APPENDUID \\d+ ${uid + 1}\\]`))
      expect(lines).to.include('* 1 EXPUNGE')
      expect((await other.ask('UID SEARCH DRAFT')).lines[0]).to.equal(`* SEARCH ${uid + 1}`)
    })

    it('REPLACE keeps what it brings to Sent in the place of one with its Message-ID', async () => {
      const whole = 'Subject: Report\r\nMessage-ID: <replaced@x.example>\r\n\r\nWith the file'
      const slim = whole.replace('With', 'Without')
      const uid = await appended('Sent', whole)
      const other = await imap.open({ user: address })
      await other.ask('SELECT Sent')
      expect((await other.ask(`UID REPLACE ${uid} Sent {${slim.length}}`, `${slim}\r\n`)).end).to.match(/^OK/)
      const { lines } = await other.ask('UID SEARCH HEADER Message-ID <replaced@x.example>')
      expect(lines).to.deep.equal([`* SEARCH ${uid + 1}`])
      expect((await other.ask(`UID FETCH ${uid + 1} BODY.PEEK[TEXT]`)).lines[0]).to.include('Without the file')
    })

    it('EXPUNGE, CLOSE and UNSELECT take out what is marked, or do not', async () => {
      const other = await imap.open({ user: address })
      await other.ask('CREATE Bin')
      for (let n = 0; n < 4; n++) await other.ask(`APPEND Bin {${plain.length}}`, `${plain}\r\n`)
      await other.ask('SELECT Bin')
      await other.ask('STORE 2:3 +FLAGS.SILENT (\\Deleted)')
      expect((await other.ask('EXPUNGE')).lines).to.deep.equal(['* 3 EXPUNGE', '* 2 EXPUNGE'])
      await other.ask('STORE 1 +FLAGS.SILENT (\\Deleted)')
      await other.ask('UNSELECT')
      expect((await other.ask('FETCH 1 FLAGS')).end).to.match(/^BAD Select/)
      expect((await other.ask('SELECT Bin')).lines).to.include('* 2 EXISTS')
      expect((await other.ask('CLOSE')).lines).to.deep.equal([])
      expect((await other.ask('STATUS Bin (MESSAGES)')).lines[0]).to.include('MESSAGES 1')
      await other.ask('EXAMINE Bin')
      expect((await other.ask('STORE 1 +FLAGS (\\Deleted)')).end).to.match(/^NO \[READ-ONLY\]/)
      expect((await other.ask('EXPUNGE')).end).to.match(/^NO \[READ-ONLY\]/)
    })
  })

  describe('modseqs', () => {
    it('tell what changed and what left since', async () => {
      const other = await imap.open({ user: address })
      await other.ask('CREATE Log')
      for (let n = 0; n < 3; n++) await other.ask(`APPEND Log {${plain.length}}`, `${plain}\r\n`)
      expect((await other.ask('ENABLE QRESYNC')).lines).to.deep.equal(['* ENABLED QRESYNC CONDSTORE'])
      const { lines } = await other.ask('SELECT Log')
      const highest = Number(/\[HIGHESTMODSEQ (\d+)\]/.exec(lines.join('\n'))?.[1])
      const validity = Number(/\[UIDVALIDITY (\d+)\]/.exec(lines.join('\n'))?.[1])
      const stored = await other.ask(`STORE 1:2 (UNCHANGEDSINCE ${highest}) +FLAGS.SILENT (\\Seen)`)
      expect(stored.lines.length).to.equal(2)
      expect(stored.lines[0]).to.match(/^\* 1 FETCH \(UID 1 MODSEQ \(\d+\)\)$/)
      const late = await other.ask(`STORE 1:3 (UNCHANGEDSINCE ${highest}) +FLAGS (\\Flagged)`)
      expect(late.end).to.match(/^OK \[MODIFIED 1:2\]/)
      await other.ask('STORE 2 +FLAGS.SILENT (\\Deleted)')
      expect((await other.ask('EXPUNGE')).lines).to.deep.equal(['* VANISHED 2'])
      const since = await other.ask(`UID FETCH 1:* (FLAGS) (CHANGEDSINCE ${highest} VANISHED)`)
      expect(since.lines[0]).to.equal('* VANISHED (EARLIER) 2')
      expect(since.lines.slice(1).every((line) => /MODSEQ \(\d+\)/.test(line))).to.equal(true)
      const third = await imap.open({ user: address })
      await third.ask('ENABLE QRESYNC')
      const again = await third.ask(`SELECT Log (QRESYNC (${validity} ${highest} 1:3))`)
      expect(again.lines).to.include('* VANISHED (EARLIER) 2')
      expect(again.lines.filter((line) => line.includes(' FETCH ')).length).to.equal(2)
      const foreign = await third.ask(`SELECT Log (QRESYNC (${validity + 1} ${highest}))`)
      expect(foreign.lines.some((line) => line.includes('VANISHED'))).to.equal(false)
    })

    it('are told of messages that FETCH marks as read', async () => {
      const box = await imap.mailbox()
      const other = await imap.open({ user: box })
      for (let n = 0; n < 2; n++) await other.ask(`APPEND INBOX {${plain.length}}`, `${plain}\r\n`)
      await other.ask('SELECT INBOX')
      const bare = await other.ask('FETCH 1 BODY[TEXT]')
      expect(bare.lines).to.deep.equal(['* 1 FETCH (BODY[TEXT] {12}\r\nOnly words\r\n FLAGS (\\Seen \\Recent))'])
      await other.ask('ENABLE CONDSTORE')
      const { lines } = await other.ask('FETCH 2 BODY[TEXT]')
      expect(lines).to.have.length(1)
      const modseq = /FLAGS \(\\Seen \\Recent\) MODSEQ \((\d+)\)\)$/.exec(lines[0]!)?.[1]
      expect((await other.ask('FETCH 2 MODSEQ')).lines).to.deep.equal([`* 2 FETCH (MODSEQ (${modseq}))`])
    })

    it('are told from their first use on, and with MIN and MAX alone those of what is named', async () => {
      const box = await imap.mailbox()
      const other = await imap.open({ user: box })
      for (const text of [parts, answer, plain]) await other.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)
      await other.ask('SELECT INBOX')
      const { lines } = await other.ask('FETCH 1:3 MODSEQ')
      expect(lines[0]).to.match(/^\* OK \[HIGHESTMODSEQ \d+\]/)
      expect((await other.ask('FETCH 1 MODSEQ')).lines[0]).to.match(/^\* 1 FETCH/)
      const [one, , three] = lines.slice(1).map((line) => /MODSEQ \((\d+)\)/.exec(line)?.[1])
      const search = async (results: string) =>
        (await other.ask(`SEARCH RETURN (${results}) MODSEQ 1`)).lines[0]?.replace(/^.*"\) /, '')
      expect(await search('MIN')).to.equal(`MIN 1 MODSEQ ${one}`)
      expect(await search('MAX')).to.equal(`MAX 3 MODSEQ ${three}`)
      expect(await search('MIN COUNT')).to.equal(`MIN 1 COUNT 3 MODSEQ ${three}`)
    })

    it('are told of those that are there, while another session takes some out', async () => {
      const user = await imap.mailbox()
      const [one, other] = [await imap.open({ user }), await imap.open({ user })]
      const messages = ` {${plain.length}+}\r\n${plain}`.repeat(400)
      await one.ask(`APPEND INBOX${messages}`)
      for (const session of [one, other]) await session.ask('SELECT INBOX (CONDSTORE)')
      await other.ask('STORE 1 +FLAGS.SILENT (\\Deleted)')
      const [{ lines }] = await Promise.all([one.ask('SEARCH MODSEQ 1 OR UID 1 NOT BODY zebra'), other.ask('EXPUNGE')])
      expect(lines.find((line) => line.startsWith('* SEARCH'))).to.match(/ 400 \(MODSEQ \d+\)$/)
    })

    it('ask for QRESYNC first', async () => {
      const other = await imap.open({ user: address })
      expect((await other.ask('SELECT INBOX (QRESYNC (1 1))')).end).to.match(/^BAD/)
      expect((await other.ask('SELECT INBOX')).end).to.match(/^OK/)
      expect((await other.ask('UID FETCH 1:* FLAGS (CHANGEDSINCE 1 VANISHED)')).end).to.match(/^BAD/)
    })
  })

  describe('rare ways', () => {
    let box: string
    let other: ImapClient

    async function append(folder: string, text: string): Promise<void> {
      expect((await other.ask(`APPEND ${folder} {${text.length}}`, `${text}\r\n`)).end).to.match(/^OK/)
    }

    before(async () => {
      box = await imap.mailbox()
      other = await imap.open({ user: box })
    })

    it('is moved into the folder where it is, with new UIDs, and the folder can be deleted', async () => {
      await other.ask('CREATE Same')
      await append('Same', plain)
      await append('Same', answer)
      await other.ask('SELECT Same')
      const { lines, end } = await other.ask('MOVE 1 Same')
      expect(end, lines.join('\n')).to.match(/^OK/)
      expect(lines[0]).to.match(/^\* OK \[COPYUID \d+ 1 3\]/)
      expect(lines).to.include.members(['* 1 EXPUNGE', '* 2 EXISTS'])
      expect((await other.ask('UID SEARCH ALL')).lines).to.deep.equal(['* SEARCH 2 3'])
      expect((await other.ask('STATUS Same (MESSAGES UNSEEN)')).lines).to.deep.equal([
        '* STATUS Same (MESSAGES 2 UNSEEN 2)',
      ])
      expect((await other.ask('UNSELECT')).end).to.match(/^OK/)
      expect((await other.ask('DELETE Same')).end).to.match(/^OK/)
    })

    it('is found by a second author, and its route is told', async () => {
      await append('Archive', 'From: <@route,@way:ann@x.example>, second@x.example\r\nSubject: _\r\n\r\nx\r\n')
      await append('Archive', 'From: ann@x.example\r\nSubject: a\r\n\r\nx\r\n')
      await other.ask('SELECT Archive')
      expect((await other.ask('SEARCH FROM second')).lines).to.deep.equal(['* SEARCH 1'])
      expect((await other.ask('FETCH 1 ENVELOPE')).lines[0]).to.include(
        '((NIL "@route,@way" "ann" "x.example")(NIL NIL "second" "x.example"))',
      )
      expect((await other.ask('SORT (SUBJECT) UTF-8 ALL')).lines).to.deep.equal(['* SORT 2 1'])
    })
  })

  describe('ways to talk', () => {
    it('IMAP4rev2 knows no \\Recent, and SEARCH answers with ESEARCH', async () => {
      const other = await imap.open({ user: address })
      expect((await other.ask('ENABLE IMAP4rev2 NONSENSE')).lines).to.deep.equal(['* ENABLED IMAP4rev2'])
      const { lines } = await other.ask('SELECT INBOX')
      expect(lines.join('\n')).to.not.match(/RECENT|Recent/)
      expect(lines).to.include('* LIST () "/" INBOX')
      expect((await other.ask('SEARCH SEEN')).lines[0]).to.match(/^\* ESEARCH \(TAG "t\d+"\) ALL 2$/)
      await other.ask('CREATE "F\xc3\xbcr"')
      expect((await other.ask('LIST "" F*')).lines).to.deep.equal(['* LIST (\\HasNoChildren) "/" "F\xc3\xbcr"'])
      expect((await client.ask('LIST "" F*')).lines).to.deep.equal(['* LIST (\\HasNoChildren) "/" F&APw-r'])
    })

    it('UTF8=ACCEPT takes names and messages in UTF-8, and no charset', async () => {
      const other = await imap.open({ user: address })
      expect((await other.ask('ENABLE UTF8=ACCEPT')).lines).to.deep.equal(['* ENABLED UTF8=ACCEPT'])
      await other.ask('CREATE "\xc3\x9cber"')
      expect((await other.ask('LIST "" *ber')).lines).to.deep.equal(['* LIST (\\HasNoChildren) "/" "\xc3\x9cber"'])
      const text = 'From: ann@x.example\r\nSubject: Gr\xc3\xbc\xc3\x9fe\r\n\r\nHallo\r\n'
      const { end } = await other.ask(`APPEND "\xc3\x9cber" UTF8 (~{${text.length}}`, `${text})\r\n`)
      expect(end).to.match(/^OK \[APPENDUID \d+ 1\]/)
      await other.ask('SELECT "\xc3\x9cber"')
      expect((await other.ask('SEARCH SUBJECT "gr\xc3\xbc"')).lines).to.deep.equal(['* SEARCH 1'])
      expect((await other.ask('SEARCH CHARSET UTF-8 ALL')).end).to.match(/^BAD/)
      expect((await other.ask('FETCH 1 BODY.PEEK[]')).lines).to.deep.equal([
        `* 1 FETCH (BODY[] {${text.length}}\r\n${text})`,
      ])
    })

    it('an address in UTF-8 can be answered by who takes UTF-8, and its domain by everybody', async () => {
      const other = await imap.open({ user: address })
      await other.ask('CREATE Utf8')
      const text = 'From: J\xc3\xb6rg <zo\xc3\xab@b\xc3\xbccher.example>\r\nSubject: a\r\n\r\nx\r\n'
      expect((await other.ask(`APPEND Utf8 {${text.length}}`, `${text}\r\n`)).end).to.match(/^OK/)
      await other.ask('SELECT Utf8')
      const toldAs = async (local: string) =>
        expect((await other.ask('FETCH 1 ENVELOPE')).lines[0]).to.include(
          `(NIL "a" (("=?utf-8?B?SsO2cmc=?=" NIL ${local} "xn--bcher-kva.example"))`,
        )
      await toldAs('"=?utf-8?B?em/Dqw==?="')
      await other.ask('ENABLE UTF8=ACCEPT')
      await toldAs('{4}\r\nzo\xc3\xab')
    })

    it('ends with LOGOUT', async () => {
      const other = await imap.open({ user: address })
      expect(await other.ask('LOGOUT')).to.deep.equal({ lines: ['* BYE Goodbye'], end: 'OK Done' })
      expect(await other.response()).to.equal(null)
    })

    it('takes commands that come together, one after the other', async () => {
      const other = await imap.open({ user: address })
      other.write('a SELECT INBOX\r\nb FETCH 1 UID\r\nc NOOP\r\n')
      expect((await other.answer('a')).end).to.match(/^OK/)
      expect((await other.answer('b')).lines).to.deep.equal(['* 1 FETCH (UID 1)'])
      expect((await other.answer('c')).end).to.match(/^OK/)
    })

    it('takes a bracket in a tag (RFC 9051 9, tag)', async () => {
      const other = await imap.open({ user: address })
      other.write('a]1 NOOP\r\n')
      expect(await other.response()).to.match(/^a\]1 OK/)
    })

    const hostile: readonly (readonly [string, string, RegExp])[] = [
      ['a line without end', `a NOOP ${'x'.repeat(70_000)}`, /BAD .*too long/],
      ['parentheses without end', `a SEARCH ${'('.repeat(5_000)}\r\n`, /^a BAD/],
      ['NOT without end', `a SEARCH ${'NOT '.repeat(5_000)}ALL\r\n`, /^a BAD/],
      ['a tag that is none', '(((\r\n', /^\* BAD/],
      ['nothing', '\r\n', /^\* BAD/],
      ['a literal that is too large', 'a LOGIN {9999999}\r\n', /^a NO \[TOOBIG\]/],
      ['a NUL', 'a FETCH \0\r\n', /^a BAD/],
      ['bytes above ASCII', 'a \xff\xfe\r\n', /^a BAD/],
    ]
    for (const [name, text, expected] of hostile) {
      it(`survives ${name}`, async () => {
        const other = await imap.open({ user: address })
        await other.ask('SELECT INBOX')
        other.write(text)
        expect(await other.response()).to.match(expected)
      })
    }
  })
})
