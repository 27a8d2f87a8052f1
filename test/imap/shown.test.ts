/** What a session of a process has changed is shown to all its sessions without a query: the folder is not read for it. */
import { expect } from 'chai'
import { eventually } from '../eventually.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const message = (n: number) => `From: a@remote.example\r\nSubject: number ${n}\r\n\r\ntext\r\n`

describe('IMAP: what a session has changed itself', () => {
  let imap: ImapDoor
  let [address, one, other]: readonly [string, ImapClient, ImapClient] = ['', null!, null!]
  /** Queries for folders and their messages. */
  const queries: string[] = []

  before(async () => {
    imap = await openImapDoor({ monitorCommands: true })
    address = await imap.mailbox()
    one = await imap.open({ user: address })
    other = await imap.open({ user: address })
    for (const n of [1, 2, 3]) await append(n)
    for (const session of [one, other]) await session.ask('SELECT INBOX (CONDSTORE)')
    imap.door.ctx.store.db.client.on('commandStarted', ({ commandName, command }) => {
      if (commandName === 'find' && ['folders', 'messages'].includes(command.find))
        queries.push(`${command.find} by ${Object.keys(command.filter).join()}`)
    })
  })
  after(() => imap?.close())

  const append = (n: number) => one.ask(`APPEND INBOX {${message(n).length}}`, `${message(n)}\r\n`)

  /** The queries until all is done that follows from some work, but for those of the conversation. */
  async function queriesOf(work: () => Promise<unknown>): Promise<readonly string[]> {
    await rest()
    queries.length = 0
    await work()
    await rest()
    return queries.filter((query) => query !== 'messages by mailboxId,threadId')
  }

  async function rest(): Promise<void> {
    await imap.door.ctx.background.done()
    await imap.door.noticed()
    await imap.door.ctx.background.done()
  }

  it('is told to another session that has selected the folder', async () => {
    await one.ask('STORE 2 +FLAGS (\\Seen)')
    expect((await other.ask('NOOP')).lines.join()).to.match(/\* 2 FETCH \(.*FLAGS \(\\Seen\)/)
    await one.ask('STORE 2 -FLAGS (\\Seen Later)')
    expect((await other.ask('NOOP')).lines.join()).to.match(/\* 2 FETCH \(.*FLAGS \(\)/)
    await append(4)
    expect((await other.ask('NOOP')).lines).to.include('* 4 EXISTS')
  })

  it('has the modseq that the folder has then', async () => {
    const { lines } = await one.ask('STORE 1 +FLAGS (\\Flagged)')
    await rest()
    const modseq = /MODSEQ \((\d+)\)/.exec(lines.join())?.[1]
    expect((await other.ask('STATUS INBOX (HIGHESTMODSEQ)')).lines.join()).to.include(`HIGHESTMODSEQ ${modseq})`)
  })

  it('of one message costs the query for the message', async () => {
    const queries = await queriesOf(() => one.ask('STORE 3 +FLAGS (\\Seen)'))
    expect(queries).to.deep.equal(['messages by mailboxId,folderId,uid'])
  })

  it('and appended costs none', async () => {
    await append(5)
    expect(await queriesOf(() => append(6))).to.deep.equal([])
  })

  it('is read where the API changes it', async () => {
    const path = `/api/v1/mailboxes/${encodeURIComponent(address)}/messages`
    const { body } = await imap.call<{ messages: { message_id: string }[] }>('GET', path)
    await other.ask('NOOP')
    const queries = await queriesOf(async () => {
      await imap.call('PATCH', `${path}/${body.messages[0]!.message_id}`, { flagged: true })
      await eventually('it is told', async () => /\* 6 FETCH .*Flagged/.test((await other.ask('NOOP')).lines.join()))
    })
    expect(queries).to.include('messages by mailboxId,folderId,modseq')
  })

  it('is told with all that others have changed before it', async () => {
    const path = `/api/v1/mailboxes/${encodeURIComponent(address)}/messages`
    const { body } = await imap.call<{ messages: { message_id: string }[] }>('GET', path)
    for (const flagged of [true, false, true, false]) {
      await other.ask('NOOP')
      await imap.call('PATCH', `${path}/${body.messages[1]!.message_id}`, { flagged })
      const { lines } = await other.ask(`STORE 1 ${flagged ? '+' : '-'}FLAGS (\\Answered \\Flagged)`)
      expect(lines.join('\n')).to.match(/^\* 1 FETCH \(.* MODSEQ \(\d+\)\)/m)
      expect(lines.join('\n')).to.match(/^\* 5 FETCH \(UID 5 FLAGS .* MODSEQ \(\d+\)\)/m)
    }
  })

  it('and appended, tells its modseq with all that others have changed before it', async () => {
    const path = `/api/v1/mailboxes/${encodeURIComponent(address)}/messages`
    const { body } = await imap.call<{ messages: { message_id: string }[] }>('GET', `${path}?limit=200`)
    const second = body.messages.at(-2)!.message_id
    for (const flagged of [true, false, true, false]) {
      await one.ask('NOOP')
      await imap.call('PATCH', `${path}/${second}`, { flagged })
      const told = [await append(7), await one.ask('UID FETCH * MODSEQ')].flatMap(({ lines }) => lines).join('\n')
      expect(told).to.match(/^\* 2 FETCH \(UID 2 FLAGS .* MODSEQ \(\d+\)\)/m)
    }
  })

  it('is left where it is gone meanwhile', async () => {
    const third = await imap.open({ user: address })
    await third.ask('SELECT INBOX')
    await third.ask('STORE 6 +FLAGS.SILENT (\\Deleted)')
    await third.ask('EXPUNGE')
    expect((await one.ask('STORE 6 +FLAGS (\\Seen)')).end).to.match(/^OK \[EXPUNGEISSUED\]/)
    expect((await one.ask('NOOP')).lines.join()).to.include('* 6 EXPUNGE')
  })
})
