/** What conversations show of flags that STORE gives to many messages: only that is derived then, not the whole conversation. */
import { expect } from 'chai'
import { deriveThreads } from '../../core/mailbox/threading.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { mailboxPath } from '../peers/rest.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

type Thread = { readonly subject: string; readonly labels: readonly string[] }

/** The messages of INBOX by subject, and their answers. */
const subjects = ['alpha', 'beta', 'gamma', 'alpha', 'beta'] as const

describe('IMAP: flags in conversations', () => {
  let imap: ImapDoor
  before(async () => {
    imap = await openImapDoor()
  })
  after(() => imap?.close())

  async function begin(): Promise<{ readonly address: string; readonly client: ImapClient }> {
    const address = await imap.mailbox()
    const client = await imap.open({ user: address })
    const append = async (folder: string, subject: string, n: number) => {
      const first = subjects.indexOf(subject as (typeof subjects)[number])
      const text = `From: ann@remote.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}-${n}@remote.example>\r\n${
        n === first ? '' : `In-Reply-To: <${subject}-${first}@remote.example>\r\n`
      }\r\ntext\r\n`
      expect((await client.ask(`APPEND ${folder} {${text.length}}`, `${text}\r\n`)).end).to.match(/^OK/)
    }
    for (const [n, subject] of subjects.entries()) await append('INBOX', subject, n)
    for (const n of [8, 9]) await append('Trash', 'alpha', n)
    await client.ask('SELECT INBOX')
    return { address, client }
  }

  /** The conversations as the API lists them, after everything that follows from what was done. */
  async function shown(address: string) {
    const list = async (query: string) =>
      (await imap.call<{ threads: Thread[] }>('GET', `${mailboxPath(address)}/threads${query}`)).body.threads
    const named = async (query: string) => (await list(query)).map(({ subject }) => subject).sort()
    return {
      unread: await named('?unread=true'),
      flagged: await named('?flagged=true'),
      labels: Object.fromEntries((await list('')).map(({ subject, labels }) => [subject, labels.join(' ')])),
    }
  }

  /** The stored conversations, without what each write makes new. */
  async function stored(address: string): Promise<readonly object[]> {
    const { store } = imap.door.ctx
    const mailbox = await store.mailboxes.findOne({ address })
    const found = await store.threads.find({ mailboxId: mailbox!._id }).sort({ _id: 1 }).toArray()
    return found.map(({ rev: _rev, ...thread }) => thread)
  }

  it('are those of the messages that each shows, and all else of it stays', async () => {
    const { address, client } = await begin()
    const bare = { unread: ['alpha', 'beta', 'gamma'], flagged: [], labels: { alpha: '', beta: '', gamma: '' } }
    expect(await shown(address)).to.deep.equal(bare)
    await client.ask('STORE 1:3,5 +FLAGS.SILENT (\\Seen Work)')
    expect(await shown(address)).to.deep.equal({
      unread: ['alpha'],
      flagged: [],
      labels: { alpha: 'Work', beta: 'Work', gamma: 'Work' },
    })
    await client.ask('STORE 1:2 FLAGS.SILENT (\\Seen \\Flagged)')
    await client.ask('STORE 3,5 +FLAGS.SILENT (Later)')
    await client.ask('STORE 1,4 +FLAGS.SILENT (\\Seen)')
    // What lies in Trash is not shown: its flags are nothing to the conversation.
    await client.ask('SELECT Trash')
    await client.ask('STORE 1:2 +FLAGS.SILENT (\\Flagged Hidden)')
    expect(await shown(address)).to.deep.equal({
      unread: [],
      flagged: ['alpha', 'beta'],
      labels: { alpha: '', beta: 'Later Work', gamma: 'Later Work' },
    })
    await client.ask('SELECT INBOX')
    await client.ask('STORE 1:5 FLAGS.SILENT ()')
    expect(await shown(address)).to.deep.equal(bare)
  })

  it('are right when two programs and the API change them at once, and messages move', async () => {
    const { address, client } = await begin()
    const other = await imap.open({ user: address })
    await other.ask('SELECT INBOX')
    const path = `${mailboxPath(address)}/messages`
    const { body } = await imap.call<{ messages: { message_id: string }[] }>('GET', `${path}?folder=INBOX`)
    const changes = [
      '+FLAGS.SILENT (\\Seen)',
      '-FLAGS.SILENT (\\Seen)',
      '+FLAGS.SILENT (\\Flagged A)',
      'FLAGS.SILENT (B)',
    ]
    const stores = Array.from({ length: 24 }, (_, n) => {
      const from = n % 2 === 0 ? client : other
      return { from, tag: from.send(`STORE ${1 + (n % 3)}:${3 + (n % 3)} ${changes[n % changes.length]}`) }
    })
    const patches = body.messages.map(({ message_id: id }, n) =>
      imap.call('PATCH', `${path}/${id}`, n === 0 ? { folder: 'Archive' } : { flagged: n % 2 === 0, addLabels: ['C'] }),
    )
    for (const { from, tag } of stores) expect((await from.answer(tag)).end).to.match(/^(?:OK|NO)/)
    await Promise.all(patches)
    await shown(address)
    const before = await stored(address)
    const { ctx } = imap.door
    const mailbox = await ctx.store.mailboxes.findOne({ address })
    const threads = await ctx.store.threads.find({ mailboxId: mailbox!._id }).toArray()
    await deriveThreads(
      ctx,
      threads.map(({ _id, mailboxId }) => ({ mailboxId, threadId: _id })),
    )
    expect(await stored(address)).to.deep.equal(before)
  })
})
