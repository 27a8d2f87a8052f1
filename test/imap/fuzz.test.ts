/** Hostile input: the parser alone, and the server in each state of a connection. */
import { expect } from 'chai'
import fc from 'fast-check'
import { commandNamed } from '../../imap/commands.ts'
import type { Session } from '../../imap/session.ts'
import { Bad, No } from '../../imap/wire/answers.ts'
import { Parser } from '../../imap/wire/parser.ts'
import { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const numRuns = Number(process.env.FUZZ_RUNS ?? 200)

const words = [
  'FETCH',
  'UID',
  'SEARCH',
  'STORE',
  'APPEND',
  'LIST',
  'STATUS',
  'SELECT',
  'SORT',
  'THREAD',
  'COPY',
  'MOVE',
  'ENABLE',
  'RETURN',
  'BODY',
  'BODY.PEEK',
  'HEADER.FIELDS',
  'BINARY',
  'FLAGS',
  'ALL',
  'NOT',
  'OR',
  'FROM',
  'TEXT',
  'KEYWORD',
  'MODSEQ',
  'PARTIAL',
  'INBOX',
  'CHARSET',
  'UTF-8',
  'SINCE',
  '1-Jan-2020',
  '1:*',
  '*',
  '$',
  '1,3:5',
  '0',
  '4294967296',
  '\\Seen',
  '+FLAGS',
  '-1:-2',
  '"',
  '""',
  '"a',
  '\\',
  '(',
  ')',
  '((',
  '[',
  ']',
  '<0.1>',
  '<',
  '%',
  'NIL',
  '&AOQ-',
  '&',
  '{0}',
  '{1+}',
  '{3}',
  '~{2+}',
  '\xe4',
  '\0',
] as const

const line = fc
  .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), { maxLength: 12 })
  .map((parts) => parts.join(' ').replaceAll(/[\r\n]/g, ''))

describe('IMAP and hostile input', () => {
  it('every line is read, or refused as one that cannot be', async () => {
    const session = { enabled: new Set(), currentTag: 't' } as unknown as Session
    await fc.assert(
      fc.asyncProperty(line, fc.boolean(), async (text, isUtf8) => {
        const parser = new Parser({ texts: [text], literals: [] }, isUtf8 ? 'utf8' : 'utf7')
        try {
          const named = await commandNamed(parser)
          named?.command.read(parser, session)
        } catch (error) {
          expect(error instanceof Bad || error instanceof No, String(error)).to.equal(true)
        }
      }),
      { numRuns: numRuns * 10 },
    )
  })

  describe('on a connection', () => {
    let imap: ImapDoor

    before(async () => {
      imap = await openImapDoor()
      const client = await imap.open()
      const text = 'From: a@b.example\r\nSubject: x\r\n\r\nbody\r\n'
      for (let n = 0; n < 3; n++) await client.ask(`APPEND INBOX {${text.length}+}\r\n${text}`)
    })
    after(() => imap?.close())

    const states: readonly (readonly [string, readonly string[]])[] = [
      ['before login', []],
      ['after login', ['login']],
      ['in a folder', ['login', 'SELECT INBOX']],
      ['in a folder, with everything on', ['login', 'ENABLE IMAP4rev2 QRESYNC UTF8=ACCEPT', 'SELECT INBOX']],
    ]
    for (const [name, steps] of states) {
      it(`${name} no line brings it down, and others are served`, async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(line, { minLength: 1, maxLength: 8 }), async (texts) => {
            const { client } = await ImapClient.connect(imap.ports.imap)
            for (const step of steps)
              await client.ask(step === 'login' ? `LOGIN ${imap.tenant.address} ${imap.tenant.key}` : step)
            client.write(texts.map((text, n) => `f${n} ${text}\r\n`).join(''))
            await client.finish()
          }),
          { numRuns },
        )
        const other = await imap.open()
        expect((await other.ask('SELECT INBOX')).end).to.match(/^OK/)
        const faults = imap.door
          .logs()
          .split('\n')
          .filter((each) => /command failed|connection failed/.test(each))
        expect(faults).to.deep.equal([])
      })
    }
  })
})
