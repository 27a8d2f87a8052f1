import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { limits } from '../../imap/limits.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const commandMs = limits.commandMs
const messages = 600

describe('IMAP: time', () => {
  let imap: ImapDoor
  before(async () => {
    imap = await openImapDoor()
  })
  after(() => imap?.close())

  describe('of a client that sends a byte now and then', () => {
    before(() => Object.assign(limits, { commandMs: 500 }))
    after(() => Object.assign(limits, { commandMs }))

    const beginnings: readonly (readonly [name: string, user: null | undefined, begin: string])[] = [
      ['the first line, before login', null, ''],
      ['an answer of AUTHENTICATE', null, 'a AUTHENTICATE PLAIN\r\n'],
      ['a line, logged in', undefined, ''],
      ['a literal', undefined, 'a SEARCH SUBJECT {60000+}\r\n'],
    ]
    for (const [name, user, begin] of beginnings)
      it(`ends in the middle of ${name}`, async () => {
        const client = await imap.open(user === null ? { user } : {})
        client.write(begin)
        while (!client.isClosed) {
          client.write('x')
          await sleep(20)
        }
      })

    it('does not count while nothing of a command has come', async () => {
      const client = await imap.open()
      await sleep(2 * limits.commandMs)
      expect((await client.ask('NOOP')).end).to.match(/^OK/)
    })
  })

  describe('of other sessions while one works for long', () => {
    let client: ImapClient
    let other: ImapClient
    before(async () => {
      client = await imap.open()
      other = await imap.open({ user: await imap.mailbox() })
      const text = (n: number) => `From: a${n % 7}@b.example\r\nSubject: number ${n}\r\n\r\nhello\r\n`
      for (let n = 0; n < messages; n += 100) {
        const some = Array.from({ length: 100 }, (_, i) => text(n + i))
        await client.ask(`APPEND INBOX${some.map((each) => ` {${each.length}+}\r\n${each}`).join('')}`)
      }
      await client.ask('SELECT INBOX')
      await other.ask('SELECT INBOX')
    })

    const works: readonly (readonly [name: string, command: string])[] = [
      ['SEARCH with thousands of keys', `SEARCH ${'UNANSWERED '.repeat(5_000)}ALL`],
      ['SORT', 'SORT (SUBJECT FROM REVERSE DATE) UTF-8 ALL'],
      ['THREAD', 'THREAD REFERENCES UTF-8 ALL'],
      ['FETCH', 'FETCH 1:* (FLAGS ENVELOPE BODYSTRUCTURE)'],
    ]
    for (const [name, command] of works)
      it(`${name} lets others be answered meanwhile`, async () => {
        const answered: string[] = []
        const long = client.ask(command).then(() => answered.push(name))
        await other.ask('NOOP')
        answered.push('NOOP')
        await long
        expect(answered).to.deep.equal(['NOOP', name])
      })
  })
})
