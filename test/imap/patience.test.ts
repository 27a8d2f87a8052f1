import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { limits } from '../../imap/limits.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { watchStretches } from '../processor-time.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const commandMs = limits.commandMs
const messages = 1_500
/** A stretch of 8 ms, what one message takes, and garbage that is collected in it: less than half of what the command takes. */
const stretchMsMax = 60

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

    const search = `SEARCH ${'UNANSWERED '.repeat(5_000)}ALL`

    it('a SEARCH with thousands of keys works a few milliseconds at a stretch', async function () {
      await client.ask(search)
      const stretches = watchStretches()
      await client.ask(search)
      stretches.stop()
      if (this.test !== undefined) this.test.title += `: at most ${stretches.percentile(100).toFixed(0)} ms`
      expect(stretches.percentile(100)).to.be.below(stretchMsMax)
    })

    it('another command is answered before a long SEARCH', async () => {
      const answered: string[] = []
      const long = client.ask(search).then(() => answered.push('SEARCH'))
      await other.ask('NOOP')
      answered.push('NOOP')
      await long
      expect(answered).to.deep.equal(['NOOP', 'SEARCH'])
    })
  })
})
