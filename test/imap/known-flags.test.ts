import { expect } from 'chai'
import type { MessageDoc } from '../../store/documents/mail.ts'
import { setKnownFlags } from '../../store/flag-edits.ts'
import { eventually } from '../eventually.ts'
import type { ImapClient } from '../peers/imap-client.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

type Json = { readonly [name: string]: unknown }

const messages = 5

describe('IMAP: flags that are changed without reading the messages', () => {
  let imap: ImapDoor
  before(async () => {
    imap = await openImapDoor()
  })
  after(async () => {
    await imap?.close()
  })

  /** A mailbox of its own with messages in INBOX, and a session that has selected it. */
  async function begin(): Promise<{ readonly address: string; readonly client: ImapClient }> {
    const address = await imap.mailbox()
    const client = await imap.open({ user: address })
    for (let n = 1; n <= messages; n++) {
      const text = `From: a@remote.example\r\nSubject: number ${n}\r\n\r\ntext\r\n`
      await client.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)
    }
    await client.ask('SELECT INBOX (CONDSTORE)')
    return { address, client }
  }
  const path = (address: string) => `/api/v1/mailboxes/${encodeURIComponent(address)}/messages`
  const listed = async (address: string, query = '') =>
    (await imap.call<{ messages: Json[] }>('GET', `${path(address)}?folder=INBOX${query}`)).body.messages.toReversed()
  const flagsIn = async (client: ImapClient) => (await client.ask('FETCH 1:* (FLAGS)')).lines

  it('are those of the API, and all have one modseq, which is the highest of the folder', async () => {
    const { address, client } = await begin()
    expect((await client.ask('STORE 2:4 +FLAGS.SILENT (\\Answered)')).end).to.match(/^OK/)
    expect((await listed(address)).map(({ answered }) => answered)).to.deep.equal([false, true, true, true, false])
    const modseqs = (await client.ask('FETCH 2:4 (MODSEQ)')).lines.map((line) => /MODSEQ \((\d+)\)/.exec(line)?.[1])
    expect(new Set(modseqs).size).to.equal(1)
    const [status] = (await client.ask('STATUS INBOX (HIGHESTMODSEQ)')).lines
    expect(status).to.include(`HIGHESTMODSEQ ${modseqs[0]}`)
    await client.ask('STORE 3 -FLAGS (\\Answered)')
    expect((await listed(address)).map(({ answered }) => answered)).to.deep.equal([false, true, false, true, false])
  })

  it('are told to other sessions, and to who asks what changed', async () => {
    const { address, client } = await begin()
    const other = await imap.open({ user: address })
    await other.ask('SELECT INBOX (CONDSTORE)')
    const [status] = (await other.ask('STATUS INBOX (HIGHESTMODSEQ)')).lines
    const before = /HIGHESTMODSEQ (\d+)/.exec(status ?? '')?.[1]
    await client.ask('STORE 1,3:4 +FLAGS.SILENT (\\Deleted \\Draft)')
    expect(
      (await other.ask('NOOP')).lines.map((line) => /^\* (\d) FETCH .*\\Deleted \\Draft/.exec(line)?.[1]),
    ).to.deep.equal(['1', '3', '4'])
    const changed = await other.ask(`FETCH 1:* (FLAGS) (CHANGEDSINCE ${before})`)
    expect(changed.lines.length).to.equal(3)
  })

  it('leave what others changed a moment before', async () => {
    const { address, client } = await begin()
    const all = await listed(address)
    await imap.call('PATCH', `${path(address)}/${all[1]!.message_id}`, { flagged: true, addLabels: ['Work'] })
    await imap.call('PATCH', `${path(address)}/${all[2]!.message_id}`, { folder: 'Archive' })
    await client.ask('STORE 1:* +FLAGS.SILENT (\\Answered)')
    await client.ask('NOOP')
    expect((await flagsIn(client))[1])
      .to.include('\\Answered \\Flagged')
      .and.to.include('Work')
    expect((await listed(address)).map(({ answered, flagged }) => [answered, flagged])).to.deep.equal([
      [true, false],
      [true, true],
      [true, false],
      [true, false],
    ])
    const [moved] = (await imap.call<{ messages: Json[] }>('GET', `${path(address)}?folder=Archive`)).body.messages
    expect(moved?.answered).to.equal(false)
  })

  it('are told where others change a message while they are set, although they were set silently', async () => {
    const { address, client } = await begin()
    const second = `${path(address)}/${(await listed(address))[1]!.message_id}`
    let known = '\\Recent'
    for (let n = 0; n < 20; n++) {
      const sign = n % 2 === 0 ? '+' : '-'
      await imap.call('PATCH', second, { flagged: n % 4 < 2, [n % 4 < 2 ? 'addLabels' : 'removeLabels']: ['Work'] })
      const stored = await client.ask(`STORE 1:* ${sign}FLAGS.SILENT (\\Answered)`)
      known = sign === '+' ? `\\Answered ${known}` : known.replace('\\Answered ', '')
      for (const line of [...stored.lines, ...(await client.ask('NOOP')).lines])
        known = /^\* 2 FETCH .*FLAGS \(([^)]*)\)/.exec(line)?.[1] ?? known
      expect((await flagsIn(client)).at(1), `round ${n}`).to.equal(`* 2 FETCH (FLAGS (${known}))`)
    }
  })

  it('pass over a message that somebody wrote under a higher number meanwhile', async () => {
    const { address } = await begin()
    const { ctx } = imap.door
    const mailbox = await ctx.store.mailboxes.findOne({ address })
    const messagesOf = () => ctx.store.messages.find({ mailboxId: mailbox!._id }).sort({ uid: 1 }).toArray()
    const [{ folderId, mailboxId }] = (await messagesOf()) as [MessageDoc, ...MessageDoc[]]
    const folder = await ctx.store.folders.findOne({ _id: folderId })
    const later = 2 ** 52
    await ctx.store.messages.updateOne({ mailboxId, folderId, uid: 2 }, { $set: { flagged: true, modseq: later } })
    const ranges = [{ first: 1, last: messages }]
    const change = { mailboxId, folderId, at: new Date(), ranges, count: messages, flags: { answered: true } }
    const note = ctx.changes.noteWith({ kind: 'folders', mailboxId, messageIds: [] })
    expect(await setKnownFlags(ctx.store, { ...change, known: folder!.highestModseq, note })).to.equal(null)
    const left = (await messagesOf()).filter(({ answered }) => answered !== true)
    expect(left.map(({ uid, modseq }) => [uid, modseq])).to.deep.equal([[2, later]])
  })

  it('are set again when others took them away a moment before', async () => {
    const { address, client } = await begin()
    await client.ask('STORE 1:* +FLAGS (\\Answered)')
    const [first] = await listed(address)
    await imap.call('PATCH', `${path(address)}/${first!.message_id}`, { answered: false })
    await client.ask('STORE 1:* +FLAGS (\\Answered)')
    expect((await listed(address)).every(({ answered }) => answered)).to.equal(true)
  })

  it('of two sessions at once are all kept', async () => {
    const { address, client } = await begin()
    const other = await imap.open({ user: address })
    await other.ask('SELECT INBOX')
    const tags = Array.from({ length: 20 }, (_, n) => ({
      from: n % 2 === 0 ? client : other,
      tag: (n % 2 === 0 ? client : other).send(
        `STORE ${1 + (n % messages)}:* +FLAGS.SILENT (${n % 2 === 0 ? '\\Answered' : '\\Draft'})`,
      ),
    }))
    for (const { from, tag } of tags) expect((await from.answer(tag)).end).to.match(/^OK/)
    await eventually('both flags of all messages', async () =>
      (await flagsIn(client)).every((line) => line.includes('\\Answered') && line.includes('\\Draft')),
    )
    expect((await listed(address)).every(({ answered }) => answered)).to.equal(true)
  })
})
