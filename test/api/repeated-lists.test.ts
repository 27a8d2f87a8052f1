/** A mailbox that is listed repeatedly: the next list has every change of another process, and unchanged pages are not read again. */
import { expect } from 'chai'
import type { CommandStartedEvent } from 'mongodb'
import type { MessageSummary } from '../../schemas/messages.ts'
import { type Call, client, mailboxPath } from '../peers/rest.ts'
import { type Door, deliver, makeTenant, openDoor, type Tenant } from '../start/door.ts'
import { fill, folderAt } from './mailbox-state.ts'

type List = { readonly messages: readonly MessageSummary[]; readonly next: string | null; readonly cursor: string }

/**
 * Whether a command asks for the marks of mailboxes (store/folders.ts), by which a list sees that nothing has changed. The process
 * also reads whole folders, whenever it renews what it knows of them.
 */
const isOfMarks = ({ find, projection }: CommandStartedEvent['command']) =>
  find === 'folders' && projection?.highestModseq !== undefined

describe('api: lists that are repeated', () => {
  let door: Door
  let other: Pick<Door, 'http' | 'ctx' | 'close'>
  let tenant: Tenant
  let call: Call
  let elsewhere: Call
  let mail = 0
  const commands: string[] = []

  const path = () => mailboxPath(tenant.address)
  const receive = (from = 'a') => {
    const raw = `From: ${from}@remote.example\nSubject: Hello ${++mail}\n\nHello ${mail}`
    return deliver(other.ctx, { to: tenant.address, raw })
  }
  const listed = async (query = '') => (await call<List>('GET', `${path()}/messages${query}`)).body
  /** Lists with a page size that the process has not cached, so that the page is read from the database. */
  let limit = 100
  const asItIs = () => listed(`?limit=${--limit}`)
  const newest = async () => (await listed()).messages[0]?.message_id ?? ''
  const done = async (method: string, where: string, body?: object) => {
    const { status, body: answer } = await elsewhere(method, `${path()}/${where}`, body)
    expect(status, JSON.stringify(answer)).to.be.within(200, 299)
  }

  before(async () => {
    door = await openDoor({ monitorCommands: true })
    tenant = await makeTenant(door, { name: 'tenant' })
    other = await door.another()
    call = client(door.http, tenant.key)
    elsewhere = client(other.http, tenant.key)
    for (let n = 0; n < 8; n++) await receive()
    door.ctx.store.db.client.on('commandStarted', ({ commandName, command }: CommandStartedEvent) => {
      if (commandName === 'find') commands.push(isOfMarks(command) ? 'marks' : String(command.find))
    })
  })
  after(async () => {
    await other?.close()
    await door?.close()
  })
  beforeEach(async () => {
    door.beginMinute()
    for (let n = 0; n < 3; n++) await listed()
  })

  const changes: { readonly [what: string]: () => Promise<unknown> } = {
    'an arrival': () => receive(),
    'a flag': async () => done('PATCH', `messages/${await newest()}`, { flagged: true }),
    'a label': async () => done('PATCH', `messages/${await newest()}`, { addLabels: ['todo'] }),
    'a move': async () => done('PATCH', `messages/${await newest()}`, { folder: 'archive' }),
    spam: async () => done('PATCH', `messages/${await newest()}`, { spam: true }),
    'a whole folder read': () => done('POST', 'messages/read-all', { folder: 'inbox' }),
    'a deletion': async () => done('DELETE', `messages/${await newest()}`),
    'a deletion for good': async () => done('DELETE', `messages/${await newest()}?permanent=true`),
    'an emptied Trash': async () => {
      await done('DELETE', `messages/${await newest()}`)
      await listed()
      await done('POST', 'trash/empty')
    },
    'a draft': () => done('POST', 'drafts', { to: 'b@remote.example', subject: 'Draft', text: 'Text' }),
    'a folder that is named anew': async () => {
      await done('POST', 'folders', { name: 'Work' })
      await done('PATCH', `messages/${await newest()}`, { folder: 'Work' })
      await listed()
      await done('PATCH', 'folders/Work', { name: 'Play' })
      await door.noticed()
    },
  }

  for (const [what, change] of Object.entries(changes))
    it(`shows ${what} of another process at once`, async () => {
      const before = await listed()
      await change()
      const after = await listed()
      expect(after.messages, 'a change').not.to.deep.equal(before.messages)
      expect(after.messages).to.deep.equal((await asItIs()).messages)
      await other.ctx.background.done()
      expect((await listed()).messages).to.deep.equal(after.messages)
    })

  it('shows each of many changes to all simultaneous clients', async () => {
    const id = await receive()
    for (let n = 0; n < 20; n++) {
      const flagged = n % 2 === 0
      const others = Array.from({ length: 5 }, () => listed())
      await done('PATCH', `messages/${id}`, { flagged })
      const lists = await Promise.all(Array.from({ length: 5 }, () => listed()))
      await Promise.all(others)
      for (const { messages } of lists)
        expect(messages.find(({ message_id }) => message_id === id)?.flagged).to.equal(flagged)
    }
  })

  it('reads no message while nothing has changed, however often it is asked', async () => {
    await listed()
    commands.length = 0
    const lists = await Promise.all(Array.from({ length: 20 }, () => listed()))
    expect(commands).not.to.include('messages')
    // Simultaneous lists share one command; how many do depends on the machine.
    expect(commands.filter((name) => name === 'marks').length).to.be.within(1, lists.length)
    for (const { messages } of lists) expect(messages).to.deep.equal((lists[0] as List).messages)
  })

  it('keeps the first cached pages if there is no room for more', async () => {
    const { _id: folderId } = await folderAt(door.ctx, tenant.mailboxId, 'INBOX')
    await fill(door.ctx, tenant, { folderId, count: 200, subject: 'x'.repeat(500) })
    // For messages of the last minute, a list reads more.
    door.advance(120_000)
    const pages = Array.from({ length: 100 }, (_, n) => `?limit=${n + 101}`)
    // More pages than the cache holds, each requested twice.
    for (const query of [...pages, ...pages]) await listed(query)
    commands.length = 0
    await listed(pages[0])
    expect(commands, 'kept').to.include('marks').and.not.to.include('messages')
    commands.length = 0
    await listed(pages.at(-1))
    expect(commands, 'not kept').to.include('messages').and.not.to.include('marks')
  })

  it('gives a cursor of the time of the list, after which a wait continues', async () => {
    const { cursor: early } = await listed()
    door.advance(60_000)
    const { cursor } = await listed()
    expect(cursor).not.to.equal(early)
    // Mail from sender `a` is spam by now, so another one is used.
    const id = await receive('b')
    const { body } = await call<{ message: MessageSummary }>('GET', `${path()}/wait?since=${cursor}&timeout=10`)
    expect(body.message.message_id).to.equal(id)
  })
})
