/** What mail programs get of a folder while the object store has lost a body, or is away. */
import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { type ObjectPeer, startObjectStore } from '../peers/object-store.ts'
import { deliver } from '../start/door.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

const noise = (bytes: number) => randomBytes(bytes).toString('base64').replaceAll(/.{72}/g, '$&\n')

describe('imap: where bodies cannot be read for now', () => {
  let peer: ObjectPeer
  let imap: ImapDoor
  let address: string

  before(async () => {
    peer = await startObjectStore()
    imap = await openImapDoor({ env: { ...peer.env, MAILROOM_BLOBS_FROM_BYTES: '2000' } })
  })
  beforeEach(async () => {
    address = await imap.mailbox()
  })
  afterEach(() => {
    peer.mode = 'serves'
  })
  after(async () => {
    await imap?.close()
    await peer?.stop()
  })

  let mails = 0
  const arrive = (subject: string, body = 'Hi', fields = '') =>
    deliver(imap.door.ctx, {
      to: address,
      raw: `${fields}Subject: ${subject}\nMessage-ID: <fetched${mails++}@remote.example>\n\n${body}\n`,
    })
  /** The subjects that a FETCH gives, and how it ends. */
  async function fetched(items: string) {
    const client = await imap.open({ user: address })
    await client.ask('EXAMINE INBOX')
    const { lines, end } = await client.ask(`FETCH 1:* (${items})`)
    const still = await client.ask('NOOP')
    expect(still.end).to.match(/^OK/)
    const subjects = lines.flatMap((line) => /Subject: (\w+)/.exec(line)?.[1] ?? [])
    return { subjects, end }
  }

  for (const [size, bytes] of [
    ['that is read whole', 5_000],
    ['that is read in pieces', 3_000_000],
  ] as const)
    for (const items of ['BODY.PEEK[]', 'BODY.PEEK[HEADER]', 'BODY.PEEK[] FLAGS BODY.PEEK[]'])
      it(`${items}: a body ${size} and is lost or away keeps back no other message`, async () => {
        await arrive('First')
        const id = await arrive('Large', noise(bytes))
        await arrive('Last')
        expect((await fetched(items)).subjects).to.deep.equal(['First', 'Large', 'Last'])
        peer.mode = 'fails'
        const away = await fetched(items)
        expect(away.end).to.match(/^NO \[UNAVAILABLE\]/)
        expect(away.subjects).to.deep.equal(['First', 'Last'])
        peer.mode = 'serves'
        const blob = await imap.door.ctx.store.blobs.findOne({ users: id })
        await imap.door.ctx.store.objects?.remove(blob?.object?.key ?? '')
        const lost = await fetched(items)
        expect(lost.end).to.match(/^NO \[UNAVAILABLE\]/)
        expect(lost.subjects).to.deep.equal(['First', 'Last'])
      })

  for (const [size, bytes] of [
    ['that is read whole', 5_000],
    ['that is read in pieces', 3_000_000],
  ] as const)
    it(`BODY[]: a body ${size} and cannot be read for now stays unread`, async () => {
      await arrive('First')
      await arrive('Large', noise(bytes))
      await arrive('Last')
      const client = await imap.open({ user: address })
      await client.ask('SELECT INBOX')
      const unread = async () => (await client.ask('SEARCH UNSEEN')).lines
      peer.mode = 'fails'
      const { lines, end } = await client.ask('FETCH 1:* (BODY[])')
      expect(end).to.match(/^NO \[UNAVAILABLE\]/)
      expect(lines.filter((line) => line.includes('\\Seen'))).to.have.length(2)
      expect(await unread()).to.deep.equal(['* SEARCH 2'])
      peer.mode = 'serves'
      expect((await client.ask('FETCH 2 (BODY[])')).lines.join(''))
        .to.include('Subject: Large')
        .and.include('\\Seen')
      expect(await unread()).to.deep.equal(['* SEARCH'])
    })

  it('SEARCH, SORT and THREAD find those that can be read, and say that there were others', async () => {
    const group = 'From: Team: ann@x.example;\n'
    await arrive('First', 'a zebra')
    const id = await arrive('Large', noise(5_000), group)
    await arrive('Last', 'a zebra', group)
    const client = await imap.open({ user: address })
    await client.ask('SELECT INBOX')
    const blob = await imap.door.ctx.store.blobs.findOne({ users: id })
    await imap.door.ctx.store.objects?.remove(blob?.object?.key ?? '')
    for (const [command, answer] of [
      ['SEARCH TEXT zebra', '* SEARCH 1 3'],
      ['SEARCH NOT TEXT zebra', '* SEARCH'],
      ['SEARCH RETURN (SAVE COUNT) TEXT zebra', '* ESEARCH (TAG "%") COUNT 2'],
      ['SORT (ARRIVAL) UTF-8 TEXT zebra', '* SORT 1 3'],
      ['SORT (FROM ARRIVAL) UTF-8 ALL', '* SORT 1 2 3'],
      ['THREAD REFERENCES UTF-8 TEXT zebra', '* THREAD (1)(3)'],
    ] as const) {
      const { lines, end } = await client.ask(command)
      expect(
        lines.map((line) => line.replace(/TAG "[^"]+"/, 'TAG "%"')),
        command,
      ).to.deep.equal([answer])
      expect(end, command).to.match(/^NO \[UNAVAILABLE\]/)
    }
    expect((await client.ask('SEARCH $')).lines).to.deep.equal(['* SEARCH'])
    expect(await client.ask('SEARCH SUBJECT Large')).to.deep.include({ lines: ['* SEARCH 2'] })
  })
})
