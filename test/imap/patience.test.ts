import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { foldersIn } from '../../core/mailbox/known-folders.ts'
import { fetchMessages } from '../../imap/fetch/fetch.ts'
import type { Item } from '../../imap/fetch/items.ts'
import { createStructures } from '../../imap/fetch/structures.ts'
import { limits } from '../../imap/limits.ts'
import { createTexts } from '../../imap/search/document.ts'
import { Views } from '../../imap/selected/views.ts'
import { type Peer, Session } from '../../imap/session.ts'
import type { Uid } from '../../imap/wire/numbers.ts'
import { Writer } from '../../imap/wire/writer.ts'
import { eventually } from '../eventually.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { meterWork, watchStretches } from '../processor-time.ts'
import { deliver } from '../start/door.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const commandMs = limits.commandMs
const messages = 1_500
/** A stretch of 8 ms, what one message takes, and garbage that is collected in it: less than half of what the command takes. */
const stretchMsMax = 60
/** Of a command as a whole at most this share is done without a question whether to rest. */
const shareMax = 0.25

/** A session that has selected the INBOX of the tenant, to a client that reads everything at once. */
async function sessionInInbox({
  door: { ctx },
  tenant,
}: ImapDoor): Promise<{ session: Session; uids: readonly Uid[] }> {
  const { mailboxId } = tenant
  const folder = (await foldersIn(ctx, mailboxId)).find(({ role }) => role === 'inbox')!
  const views = new Views(ctx)
  const writer = new Writer(new Writable({ write: (_chunk, _encoding, done) => done() }))
  const session = new Session({
    ctx,
    views,
    structures: createStructures(ctx),
    texts: createTexts(ctx),
    writer,
    peer: {} as Peer,
  })
  const view = await views.open({ mailboxId, folderId: folder._id })
  session.select(folder, view, { isReadOnly: true })
  return { session, uids: Array.from({ length: view.table.size }, (_, n) => view.table.uidAt(n)) }
}

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

  describe('of a client that reads nothing of a large message', () => {
    const { stalledMs } = limits
    const text = '0123456789abcdef'
      .repeat(64)
      .concat('\r\n')
      .repeat(16 * 1024)
    let user: string
    let client: ImapClient
    let fetchBytesInFlight: number
    const imapLimits = () => imap.door.ctx.settings.limits.imap
    before(async () => {
      ;({ fetchBytesInFlight } = imapLimits())
      user = await imap.mailbox()
      await deliver(imap.door.ctx, { to: user, raw: `From: a@remote.example\r\n\r\n${text}` })
      client = await imap.open({ user })
      await client.ask('SELECT INBOX')
    })
    after(() => {
      Object.assign(limits, { stalledMs })
      Object.defineProperty(imapLimits(), 'fetchBytesInFlight', { value: fetchBytesInFlight, writable: true })
    })

    /** A client that asks for the text of the message and reads nothing of it: little fits into the buffers of its socket. */
    function still(): Socket {
      const { ports, tenant } = imap
      const socket = connect(ports.imap, '127.0.0.1')
      let seen = ''
      socket
        .on('error', () => undefined)
        .on('data', (chunk: Buffer) => {
          seen += chunk.toString('latin1')
          if (/^b OK/m.test(seen)) socket.pause()
        })
      socket.write(`a LOGIN ${user} ${tenant.key}\r\nb SELECT INBOX\r\nc FETCH 1 BODY.PEEK[TEXT]\r\n`)
      return socket
    }

    it('the bytes count until it has read them: FETCH of others is refused, and done once there is room', async () => {
      let asked = 0
      const get = () => {
        asked += 1
        return 1
      }
      Object.defineProperty(imapLimits(), 'fetchBytesInFlight', { get, enumerable: true, configurable: true })
      const socket = still()
      await eventually('it is counted', () => asked > 0)
      const parts = ['BODY.PEEK[TEXT]', 'BODY.PEEK[1]', 'BODY.PEEK[]<0.10>', 'BINARY.PEEK[1]']
      for (const part of parts) {
        expect((await client.ask(`FETCH 1 (${part})`)).end, part).to.match(/^NO \[UNAVAILABLE\] Too many/)
      }
      // Passed on piece by piece.
      expect((await client.ask('FETCH 1 (FLAGS BODY.PEEK[])')).end).to.match(/^OK/)
      socket.destroy()
      const { lines } = await eventually('there is room', async () => {
        const answer = await client.ask('FETCH 1 (BODY.PEEK[TEXT])')
        return answer.end.startsWith('OK') && answer
      })
      expect(lines.join('\r\n')).to.equal(`* 1 FETCH (BODY[TEXT] {${text.length}}\r\n${text})`)
      for (const part of parts) expect((await client.ask(`FETCH 1 (${part})`)).end, part).to.match(/^OK/)
    })

    it('the connection is cut off, and the log says so', async () => {
      Object.assign(limits, { stalledMs: 500 })
      const socket = still()
      const line = await eventually('the log', () =>
        imap.door
          .logs()
          .split('\n')
          .find((each) => each.includes('its client did not read an answer')),
      )
      expect(JSON.parse(line)).to.include({ level: 30, peerAddress: '127.0.0.1' })
      const closed = once(socket, 'close')
      socket.removeAllListeners('data').resume()
      await closed
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

    // So often that a collection of garbage is a small share of it.
    const fetches: readonly (readonly [what: string, items: readonly Item[], times: number])[] = [
      ['flags', ['UID', 'FLAGS'], 200],
      ['envelopes and structures that are in memory', ['FLAGS', 'ENVELOPE', 'BODYSTRUCTURE'], 20],
    ]
    for (const [what, items, times] of fetches)
      it(`a FETCH of ${what} asks all the time whether to rest`, async () => {
        const { session, uids } = await sessionInInbox(imap)
        await fetchMessages(session, uids, items)
        const often = Array.from({ length: times }, () => uids).flat()
        const { longestShare, note } = meterWork()
        await fetchMessages(session, often, items, note)
        session.close()
        expect(longestShare()).to.be.below(shareMax)
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
