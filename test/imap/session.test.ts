/** Sessions: login, states, folders, messages, and what one session and the API see of the other. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import { ImapFlow } from 'imapflow'
import { suspendAccount, unsuspendAccount } from '../../core/account/holds.ts'
import { createAppPassword, logIn, revokeAppPassword } from '../../core/account/login.ts'
import { openTlsContexts } from '../../core/certificates/tls-contexts.ts'
import { findRecipient } from '../../core/receive/recipients.ts'
import { startImap } from '../../imap/server.ts'
import { newToken } from '../../schemas/ids.ts'
import { accountIdOf } from '../../schemas/partners.ts'
import { reserve, standardFolderId } from '../../store/folders.ts'
import { eventually } from '../eventually.ts'
import { keepHalfOpen } from '../peers/half-open.ts'
import { ImapClient } from '../peers/imap-client.ts'
import { type Json, mailboxPath } from '../peers/rest.ts'
import { deliver, makeKey } from '../start/door.ts'
import { failNextRead } from '../start/failing-read.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'
import { makeCustomer, makePartner } from '../start/partners.ts'

const mail = (subject: string, body = 'Hello') =>
  `From: Ann <ann@remote.example>\r\nTo: agent@tenant.example\r\nSubject: ${subject}\r\nMessage-ID: <${subject}@remote.example>\r\n\r\n${body}\r\n`

/** Far longer than a command takes. */
const patienceMs = 60_000

describe('IMAP sessions', () => {
  let imap: ImapDoor

  before(async () => {
    imap = await openImapDoor()
  })
  after(() => imap?.close())

  /** Appends messages to a folder. */
  async function fill(client: ImapClient, folder: string, ...subjects: readonly string[]): Promise<void> {
    for (const subject of subjects) {
      const text = mail(subject)
      const { end } = await client.ask(`APPEND ${folder} {${text.length}}`, `${text}\r\n`)
      expect(end).to.match(/^OK \[APPENDUID \d+ \d+\]/)
    }
  }

  it('closes a connection past the limits, also of a client that keeps its half open', async () => {
    const { connections } = imap.door.ctx.settings.limits.imap
    Object.assign(imap.door.ctx.settings.limits.imap, { connections: 0 })
    const { heard, code } = await keepHalfOpen(`127.0.0.1:${imap.ports.imap}`, 'a CAPABILITY\r\n')
    Object.assign(imap.door.ctx.settings.limits.imap, { connections })
    expect(heard).to.equal('* BYE [UNAVAILABLE] Too many connections\r\n')
    expect(code).to.be.oneOf(['EPIPE', 'ECONNRESET'])
  })

  describe('login', () => {
    it('greets with what it can do, and is greeted over TLS', async () => {
      const { client, greeting } = await ImapClient.connect(imap.ports.imap)
      expect(greeting).to.match(/^\* OK \[CAPABILITY IMAP4rev1 IMAP4rev2 .*STARTTLS AUTH=PLAIN\]/)
      client.close()
      const secure = await ImapClient.connect(imap.ports.imaps, { tls: true })
      expect(secure.greeting).to.include('AUTH=PLAIN').and.not.include('STARTTLS')
      secure.client.close()
    })

    it('encrypts by STARTTLS, once', async () => {
      const client = await imap.open({ user: null })
      expect((await client.ask('STARTTLS')).end).to.match(/^OK/)
      await client.encrypt()
      expect((await client.ask('CAPABILITY')).lines[0]).to.not.include('STARTTLS')
      expect((await client.ask('STARTTLS')).end).to.match(/^BAD/)
      const { end } = await client.ask(`LOGIN ${imap.tenant.address} ${imap.tenant.key}`)
      expect(end).to.match(/^OK \[CAPABILITY .*IDLE/)
    })

    it('takes nothing that was sent before the handshake', async () => {
      const client = await imap.open({ user: null })
      client.write('a STARTTLS\r\nb NOOP\r\n')
      expect((await client.answer('a')).end).to.match(/^OK/)
      expect((await client.answer('b')).end).to.equal('CLOSED')
    })

    const plain = (...parts: readonly string[]) => Buffer.from(parts.join('\0')).toString('base64')

    it('takes PLAIN with and without a first answer', async () => {
      const { address, key } = imap.tenant
      const first = await imap.open({ user: null })
      expect((await first.ask(`AUTHENTICATE PLAIN ${plain('', address, key)}`)).end).to.match(/^OK/)
      const second = await imap.open({ user: null })
      expect((await second.ask('AUTHENTICATE PLAIN', `${plain(address, address, key)}\r\n`)).end).to.match(/^OK/)
    })

    it("a paused customer's mail is read as ever, and its audit has what its partner's key read", async () => {
      const { door } = imap
      const partner = await makePartner(door, 'reads')
      const { address, call, id, key, keyId } = await makeCustomer(door, partner.live, { name: 'Read by IMAP' })
      await partner.live('POST', `/api/partner/customers/${id}/pause`, {})
      await deliver(door.ctx, { to: address, raw: mail('Private') })
      const client = await imap.open({ user: address, key })
      for (const command of ['NOOP', 'SELECT INBOX', 'FETCH 1 BODY[TEXT]', 'UID SEARCH ALL'])
        expect((await client.ask(command)).end, command).to.match(/^OK/)
      const { body } = await call<{ entries: readonly Json[] }>('GET', '/api/v1/audit')
      const reads = body.entries.filter(({ action }) => String(action).startsWith('imap.'))
      expect(reads.map(({ action, target, who, address: from }) => ({ action, target, who, from }))).to.deep.equal(
        ['imap.search', 'imap.fetch'].map((action) => ({
          ...{ action, target: address },
          ...{ who: { kind: 'key', id: keyId, name: 'held' }, from: '127.0.0.1' },
        })),
      )
      const own = await makeKey(door.ctx, { accountId: accountIdOf(id)! })
      const unheld = await imap.open({ user: address, key: own.apiKey })
      await unheld.ask('SELECT INBOX')
      await unheld.ask('FETCH 1 BODY[TEXT]')
      const after = await call<{ entries: readonly Json[] }>('GET', '/api/v1/audit')
      expect(after.body.entries.filter(({ action }) => action === 'imap.fetch')).to.have.length(1)
    })

    const refused: readonly (readonly [string, () => readonly [string, ...string[]], RegExp])[] = [
      ['a wrong password', () => [`LOGIN ${imap.tenant.address} wrong`], /^NO \[AUTHENTICATIONFAILED\]/],
      ['an unknown mailbox', () => [`LOGIN nobody@tenant.example ${imap.tenant.key}`], /^NO \[AUTHENTICATIONFAILED\]/],
      [
        'another user',
        () => [`AUTHENTICATE PLAIN ${plain('b@c.example', imap.tenant.address, 'x')}`],
        /^NO \[AUTHORIZ/,
      ],
      ['no Base64', () => ['AUTHENTICATE PLAIN', '???\r\n'], /^BAD/],
      ['a cancelled answer', () => ['AUTHENTICATE PLAIN', '*\r\n'], /^BAD/],
      ['another mechanism', () => ['AUTHENTICATE CRAM-MD5'], /^NO \[CANNOT\]/],
      ['a command before it', () => ['SELECT INBOX'], /^BAD Log in first/],
      ['nothing', () => ['LOGIN a'], /^BAD/],
      ['no command', () => ['BLURDYBLOOP'], /^BAD/],
    ]
    for (const [name, asked, expected] of refused) {
      it(`refuses ${name}`, async () => {
        const client = await imap.open({ user: null })
        const [command, ...literals] = asked()
        expect((await client.ask(command, ...literals)).end).to.match(expected)
      })
    }

    it('refuses a key without mail:read, and opens every folder to read with one without mail:write', async () => {
      const { accountId, address } = imap.tenant
      const sender = await makeKey(imap.door.ctx, { accountId, scopes: ['mail:send'] })
      const blind = await imap.open({ user: null })
      expect((await blind.ask(`LOGIN ${address} ${sender.apiKey}`)).end).to.match(/^NO \[NOPERM\]/)
      const reader = await makeKey(imap.door.ctx, { accountId, scopes: ['mail:read'] })
      await fill(await imap.open(), 'INBOX', 'for-a-reader')
      const client = await imap.open({ key: reader.apiKey })
      const selected = await client.ask('SELECT INBOX')
      expect(selected.end).to.match(/^OK \[READ-ONLY\]/)
      expect(selected.lines.join('\n')).to.include('[PERMANENTFLAGS ()]')
      const text = mail('no')
      for (const command of [
        'STORE 1 +FLAGS (\\Seen)',
        'COPY 1 Archive',
        'MOVE 1 Archive',
        'EXPUNGE',
        'CREATE New',
        'DELETE Archive',
        'RENAME Archive Other',
        'SUBSCRIBE Archive',
        'SETMETADATA Archive (/shared/comment "x")',
      ])
        expect((await client.ask(command)).end, command).to.match(/^NO \[NOPERM\]/)
      expect((await client.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)).end).to.match(/^NO \[NOPERM\]/)
      await client.ask('FETCH 1 BODY[]')
      expect((await client.ask('FETCH 1 FLAGS')).lines[0]).to.not.include('\\Seen')
    })

    it('ends a session whose app password is revoked, or whose account is suspended', async () => {
      const { ctx } = imap.door
      const { address, accountId } = imap.tenant
      const password = imap.tenant.key
      const { principal } = await logIn(ctx, { user: address, password, scope: 'mail:read', peerAddress: '127.0.0.1' })
      const made = await createAppPassword(ctx, { account: principal.account, address, name: 'Phone' })
      const phone = await imap.open({ key: made.password })
      const other = await imap.open()
      await revokeAppPassword(ctx, { account: principal.account, address, keyId: made.keyId })
      expect(await phone.response()).to.match(/^\* BYE/)
      expect((await other.ask('NOOP')).end).to.match(/^OK/)
      await suspendAccount(ctx, accountId, 'a test')
      expect(await other.response()).to.match(/^\* BYE/)
      const late = await imap.open({ user: null })
      expect((await late.ask(`LOGIN ${address} ${imap.tenant.key}`)).end).to.match(/^NO \[NOPERM\]/)
      await unsuspendAccount(ctx, accountId)
    })

    it('ends in the middle of a message without a word, which would be taken for a part of it', async () => {
      const { ctx } = imap.door
      const { address } = imap.tenant
      const password = imap.tenant.key
      const { principal } = await logIn(ctx, { user: address, password, scope: 'mail:read', peerAddress: '127.0.0.1' })
      const made = await createAppPassword(ctx, { account: principal.account, address, name: 'Slow phone' })
      const own = await imap.open()
      const text = `Subject: Large\r\n\r\n${'y'.repeat(20_000_000)}`
      const { end } = await own.ask(`APPEND Archive {${text.length}}`, `${text}\r\n`)
      const uid = /\[APPENDUID \d+ (\d+)\]/.exec(end)?.[1]
      const slow = connect(imap.ports.imap, '127.0.0.1').on('error', () => undefined)
      slow.write(`a LOGIN ${address} ${made.password}\r\nb EXAMINE Archive\r\nc UID FETCH ${uid} BODY.PEEK[]\r\n`)
      let heard = ''
      while (!heard.includes('BODY[] {')) heard += (await once(slow, 'data')).join()
      slow.pause()
      const idle = await imap.open({ key: made.password })
      await revokeAppPassword(ctx, { account: principal.account, address, keyId: made.keyId })
      expect(await idle.response()).to.match(/^\* BYE/)
      slow.on('data', (chunk: Buffer) => {
        heard += chunk.toString('latin1')
      })
      slow.resume()
      await once(slow, 'close')
      const shown = heard.slice(heard.indexOf('Subject: Large'))
      expect(text.startsWith(shown), `${shown.length} bytes, at last ${shown.slice(-80)}`).to.equal(true)
    })
  })

  it('marks no more as read for a client that has hung up', async () => {
    const { ctx } = imap.door
    const address = await imap.mailbox()
    const client = await imap.open({ user: address })
    const text = mail('many', 'x'.repeat(20_000))
    const some = ` {${text.length}+}\r\n${text}`.repeat(50)
    for (let n = 0; n < 12; n++) await client.ask(`APPEND INBOX${some}`)
    const contexts = await openTlsContexts(ctx)
    const server = await startImap(ctx, { host: '127.0.0.1', port: 0, tlsPort: null, contexts })
    const { client: other } = await ImapClient.connect(server.ports.imap!)
    await other.ask(`LOGIN ${address} ${imap.tenant.key}`)
    await other.ask('SELECT INBOX')
    other.send('FETCH 1:* BODY[]')
    expect(await other.response()).to.match(/^\* 1 FETCH/)
    other.close()
    // Resolves when the command has ended.
    await server.close(patienceMs)
    contexts.close()
    const unseen = /UNSEEN (\d+)/.exec((await client.ask('STATUS INBOX (UNSEEN)')).lines[0] ?? '')?.[1]
    expect(Number(unseen)).to.be.above(0)
  })

  describe('what others do', () => {
    it('is seen in a selected folder: mail, flags, labels, moves, deletions', async () => {
      const address = await imap.mailbox()
      const client = await imap.open({ user: address })
      await client.ask('SELECT INBOX')
      const id = await deliver(imap.door.ctx, { to: address, raw: mail('one') })
      const news = (wanted: RegExp) =>
        eventually(String(wanted), async () => wanted.test((await client.ask('NOOP')).lines.join('\n')))
      await news(/\* 1 EXISTS/)
      const path = `${mailboxPath(address)}/messages/${id}`
      await imap.call('PATCH', path, { seen: true, addLabels: ['Needs review'] })
      await news(/\* 1 FETCH \(UID 1 FLAGS \(\\Seen \\Recent Needs&ACA-review\)\)/)
      await imap.call('PATCH', path, { folder: 'Archive' })
      await news(/\* 1 EXPUNGE/)
      await imap.call('PATCH', path, { folder: 'INBOX' })
      await news(/\* 1 EXISTS/)
      await imap.call('DELETE', `${path}?permanent=true`)
      await news(/\* 1 EXPUNGE/)
    })

    it('hears of mail that a mail program takes out before anybody has announced it', async () => {
      const address = await imap.mailbox()
      const id = await deliver(imap.door.ctx, { to: address, raw: mail('short') })
      const client = await imap.open({ user: address })
      await client.ask('SELECT INBOX')
      await client.ask('STORE 1 +FLAGS (\\Deleted)')
      expect((await client.ask('EXPUNGE')).lines).to.deep.equal(['* 1 EXPUNGE'])
      const { body } = await imap.call<{ events: { data: Json }[] }>(
        'GET',
        `/api/v1/events?type=message.received&mailbox=${address}`,
      )
      expect(body.events.map(({ data }) => data.message_id)).to.deep.equal([id])
    })

    it('is never less than no mail, also while a folder is miscounted that a writer left', async () => {
      const address = await imap.mailbox()
      const { store, machineClock } = imap.door.ctx
      const { _id: mailboxId } = (await store.mailboxes.findOne({ address }))!
      const claim = { folderId: standardFolderId(mailboxId, 'Archive'), mailboxId }
      const counts = { uids: 0, total: -1, unread: -1, bytes: -1 }
      await reserve(store, [{ ...claim, ...counts }], { token: newToken(), at: machineClock.now() })
      const client = await imap.open({ user: address })
      expect((await client.ask('STATUS Archive (MESSAGES UNSEEN)')).lines).to.deep.equal([
        '* STATUS Archive (MESSAGES 0 UNSEEN 0)',
      ])
    })

    it('shows the API what a mail program does', async () => {
      const address = await imap.mailbox()
      const client = await imap.open({ user: address })
      await fill(client, 'INBOX', 'two')
      await client.ask('SELECT INBOX')
      await client.ask('STORE 1 +FLAGS (\\Seen \\Flagged \\Answered Urgent)')
      const list = async (folder: string) =>
        (await imap.call<{ messages: Json[] }>('GET', `${mailboxPath(address)}/messages?folder=${folder}`)).body
          .messages
      const [shown] = await list('INBOX')
      expect(shown).to.include({ seen: true, flagged: true, answered: true, subject: 'two' })
      expect(shown?.labels).to.deep.equal(['Urgent'])
      await client.ask('MOVE 1 Archive')
      expect((await list('INBOX')).length).to.equal(0)
      expect((await list('Archive'))[0]?.message_id).to.equal(shown?.message_id)
      await client.ask('SELECT Archive')
      await client.ask('STORE 1 +FLAGS (\\Deleted)')
      await client.ask('EXPUNGE')
      expect((await list('Archive')).length).to.equal(0)
    })

    it('is told in IDLE, mail at once', async () => {
      const address = await imap.mailbox()
      const client = await imap.open({ user: address })
      await client.ask('SELECT INBOX')
      const tag = client.send('IDLE')
      expect(await client.response()).to.match(/^\+ /)
      await deliver(imap.door.ctx, { to: address, raw: mail('three') })
      expect(await client.response()).to.equal('* 1 EXISTS')
      expect(await client.response()).to.equal('* 1 RECENT')
      client.write('DONE\r\n')
      expect((await client.answer(tag)).end).to.match(/^OK/)
    })

    it('is told in IDLE once it can be read, when it could not at once', async () => {
      const address = await imap.mailbox()
      const client = await imap.open({ user: address })
      await client.ask('SELECT INBOX')
      const tag = client.send('IDLE')
      expect(await client.response()).to.match(/^\+ /)
      const { store } = imap.door.ctx
      const { _id: mailboxId } = (await store.mailboxes.findOne({ address }))!
      const inbox = standardFolderId(mailboxId, 'INBOX')
      const failed = failNextRead(store, 'folders', ({ _id }) => _id === inbox)
      await deliver(imap.door.ctx, { to: address, raw: mail('late') })
      await failed
      expect(await client.response()).to.equal('* 1 EXISTS')
      expect(await client.response()).to.equal('* 1 RECENT')
      client.write('DONE\r\n')
      expect((await client.answer(tag)).end).to.match(/^OK/)
    })
  })

  it('ends a session whose key expires, in IDLE too', async () => {
    const { ctx } = imap.door
    const expiresAt = new Date(ctx.clock.now().getTime() + 3_600_000)
    const { apiKey } = await makeKey(ctx, { accountId: imap.tenant.accountId, expiresAt })
    const client = await imap.open({ key: apiKey })
    expect((await client.ask('NOOP')).end).to.match(/^OK/)
    const idler = await imap.open({ key: apiKey })
    idler.send('IDLE')
    expect(await idler.response()).to.equal('+ idling')
    imap.door.advance(3_600_000)
    expect(await client.ask('NOOP')).to.deep.equal({ lines: ['* BYE The login has ended'], end: 'CLOSED' })
    expect(await idler.response()).to.equal('* BYE The login has ended')
  })

  describe('two sessions', () => {
    let address: string
    let one: ImapClient
    let two: ImapClient

    beforeEach(async () => {
      address = await imap.mailbox()
      one = await imap.open({ user: address })
      two = await imap.open({ user: address })
      await fill(one, 'INBOX', 'a', 'b', 'c')
      await one.ask('SELECT INBOX')
      await two.ask('SELECT INBOX')
    })

    it('tell each other of mail, flags and keywords, and one alone that it is recent', async () => {
      await fill(one, 'INBOX', 'd')
      expect((await two.ask('NOOP')).lines).to.deep.equal(['* 4 EXISTS', '* 0 RECENT'])
      await one.ask('STORE 2 FLAGS (\\Seen Work)')
      expect((await two.ask('NOOP')).lines).to.deep.equal([
        '* FLAGS (\\Seen \\Answered \\Flagged \\Deleted \\Draft Work)',
        '* 2 FETCH (UID 2 FLAGS (\\Seen Work))',
      ])
      expect((await two.ask('NOOP')).lines).to.deep.equal([])
    })

    it('keep their numbers until an EXPUNGE may be told', async () => {
      await one.ask('STORE 1:2 +FLAGS.SILENT (\\Deleted)')
      await two.ask('NOOP')
      expect((await one.ask('EXPUNGE')).lines).to.deep.equal(['* 2 EXPUNGE', '* 1 EXPUNGE'])
      await fill(one, 'INBOX', 'e')
      const fetched = await two.ask('FETCH 3 UID')
      expect(fetched.lines[0]).to.equal('* 3 FETCH (UID 3)')
      expect(fetched.lines.join()).to.not.include('EXPUNGE')
      expect((await two.ask('SEARCH UID 3')).lines[0]).to.equal('* SEARCH 3')
      const gone = await two.ask('FETCH 1:2 FLAGS')
      expect(gone).to.deep.equal({ lines: [], end: 'OK [EXPUNGEISSUED] Some of the messages are gone' })
      expect((await two.ask('STORE 1 +FLAGS (\\Seen)')).end).to.include('EXPUNGEISSUED')
      expect((await two.ask('NOOP')).lines).to.deep.equal(['* 2 EXPUNGE', '* 1 EXPUNGE'])
      expect((await two.ask('FETCH 1:* UID')).lines).to.deep.equal(['* 1 FETCH (UID 3)', '* 2 FETCH (UID 4)'])
    })

    it('are told in IDLE what the other does', async () => {
      const tag = two.send('IDLE')
      expect(await two.response()).to.match(/^\+ /)
      await one.ask('STORE 3 +FLAGS.SILENT (\\Flagged)')
      expect(await two.response()).to.equal('* 3 FETCH (UID 3 FLAGS (\\Flagged))')
      await one.ask('MOVE 1 Archive')
      expect(await two.response()).to.equal('* 1 EXPUNGE')
      two.write('DONE\r\n')
      expect((await two.answer(tag)).end).to.match(/^OK/)
    })

    it('change one message at once, and neither change is lost', async () => {
      const changes = ['\\Seen', '\\Flagged', '\\Answered', 'A', 'B', 'C'].map((flag, n) =>
        (n % 2 === 0 ? one : two).send(`STORE 2 +FLAGS.SILENT (${flag})`),
      )
      for (const [n, tag] of changes.entries())
        expect((await (n % 2 === 0 ? one : two).answer(tag)).end).to.match(/^OK/)
      const { lines } = await one.ask('FETCH 2 FLAGS')
      for (const flag of ['\\Seen', '\\Flagged', '\\Answered', 'A', 'B', 'C']) expect(lines.at(-1)).to.include(flag)
    })

    it('say of each message either its flags or that messages are gone, when one takes out what the other changes', async () => {
      await one.ask('CREATE Race')
      for (const client of [one, two]) await client.ask('SELECT Race')
      for (let round = 0; round < 5; round++) {
        await fill(one, 'Race', `race-${round}`)
        await one.ask('STORE 1 +FLAGS.SILENT (\\Deleted)')
        await two.ask('NOOP')
        const expunge = one.send('EXPUNGE')
        const stores = Array.from({ length: 10 }, () => two.send('STORE 1 -FLAGS (\\Flagged A)'))
        await one.answer(expunge)
        for (const tag of stores) {
          const { lines, end } = await two.answer(tag)
          const isTold = lines.some((line) => /^\* 1 FETCH .*/.test(line))
          expect(isTold !== end.includes('EXPUNGEISSUED'), [...lines, end].join()).to.equal(true)
        }
        await two.ask('NOOP')
      }
      for (const client of [one, two]) await client.ask('SELECT INBOX')
    })

    it('subscribe at once, each to folders of its own, and all subscriptions are there', async () => {
      const address = await imap.mailbox()
      const clients = await Promise.all(Array.from({ length: 4 }, () => imap.open({ user: address })))
      const names = Array.from({ length: 12 }, (_, n) => `Project${n}`)
      for (const name of names) await clients[0]!.ask(`CREATE ${name}`)
      const each = async (command: string) => {
        await Promise.all(
          clients.map(async (client, n) => {
            for (let m = n; m < names.length; m += clients.length) await client.ask(`${command} ${names[m]}`)
          }),
        )
        return (await clients[0]!.ask('LIST (SUBSCRIBED) "" *')).lines.map((line) => line.split(' ').at(-1))
      }
      const standard = ['Archive', 'Drafts', 'INBOX', 'Sent', 'Spam', 'Trash']
      expect(await each('SUBSCRIBE')).to.have.members([...standard, ...names])
      expect(await each('UNSUBSCRIBE')).to.have.members(standard)
    })

    it('part when one deletes the folder of the other', async () => {
      await one.ask('CREATE Shed')
      await two.ask('SELECT Shed')
      await one.ask('DELETE Shed')
      expect((await two.ask('NOOP')).lines).to.deep.equal(['* BYE The folder has been deleted'])
    })
  })

  it('takes no message into a full mailbox', async () => {
    const { ctx } = imap.door
    const address = await imap.mailbox()
    const client = await imap.open({ user: address })
    await fill(client, 'INBOX', 'full')
    const { mailboxes } = await findRecipient(ctx, address)
    await ctx.store.folders.updateOne(
      { mailboxId: mailboxes[0]?.mailboxId ?? '', path: 'Archive' },
      { $set: { bytes: 1e15 } },
    )
    imap.door.advance(60_000)
    const text = mail('more')
    expect((await client.ask(`APPEND INBOX {${text.length}}`, `${text}\r\n`)).end).to.match(/^NO \[OVERQUOTA\]/)
    await client.ask('SELECT INBOX')
    expect((await client.ask('COPY 1 Trash')).end).to.match(/^NO \[OVERQUOTA\] The mailbox \S+ is full\. Delete /)
    expect((await client.ask('MOVE 1 Trash')).end).to.match(/^OK/)
  })

  describe('NOTIFY (RFC 5465)', () => {
    let address: string
    let watcher: ImapClient
    let other: ImapClient

    beforeEach(async () => {
      address = await imap.mailbox()
      watcher = await imap.open({ user: address })
      await watcher.ask('ENABLE IMAP4rev2')
      other = await imap.open({ user: address })
    })

    const refused: readonly (readonly [string, RegExp])[] = [
      ['NOTIFY', /^BAD/],
      ['NOTIFY SOME', /^BAD/],
      ['NOTIFY SET', /^BAD/],
      ['NOTIFY NONE (personal (MessageNew MessageExpunge))', /^BAD/],
      ['NOTIFY SET (nowhere (MessageNew MessageExpunge))', /^BAD/],
      ['NOTIFY SET (personal (MessageNew))', /^BAD .*must be named together/],
      ['NOTIFY SET (personal (MessageExpunge))', /^BAD .*must be named together/],
      ['NOTIFY SET (personal (FlagChange))', /^BAD .*FlagChange needs/],
      ['NOTIFY SET (personal ())', /^BAD/],
      ['NOTIFY SET (mailboxes () (MessageNew MessageExpunge))', /^BAD/],
      ['NOTIFY SET (personal (MessageNew (FLAGS) MessageExpunge))', /^BAD .*Only the selected/],
      ['NOTIFY SET (selected (MailboxName))', /^BAD .*selected folder/],
      ['NOTIFY SET (selected NONE) (selected-delayed NONE)', /^BAD .*one group/],
      [
        'NOTIFY SET (personal (MessageNew MessageExpunge AnnotationChange))',
        /^NO \[BADEVENT \(MessageNew MessageExpunge FlagChange MailboxName .*\)\]/,
      ],
    ]
    for (const [line, answer] of refused)
      it(`answers ${answer.source.slice(1, 4)} to ${line}`, async () => {
        expect((await watcher.ask(line)).end).to.match(answer)
      })

    it('tells first how the folders are, and then of mail, flags and what left in those that are not selected', async () => {
      await watcher.ask('SELECT INBOX')
      const { lines, end } = await watcher.ask(
        'NOTIFY SET STATUS (mailboxes (Archive Trash) (MessageNew MessageExpunge FlagChange)) (mailboxes Drafts (MailboxName))',
      )
      expect(end).to.match(/^OK/)
      expect(lines.map((line) => line.split(' ').slice(0, 5).join(' '))).to.have.members([
        '* STATUS Archive (MESSAGES 0',
        '* STATUS Trash (MESSAGES 0',
      ])
      await fill(other, 'Archive', 'a')
      expect(await watcher.response()).to.match(
        /^\* STATUS Archive \(MESSAGES 1 UIDNEXT 2 UIDVALIDITY \d+ UNSEEN 1 HIGHESTMODSEQ \d+\)$/,
      )
      await other.ask('SELECT Archive')
      await other.ask('STORE 1 +FLAGS (\\Seen)')
      expect(await watcher.response()).to.match(/^\* STATUS Archive \(MESSAGES 1 UIDNEXT 2 .* UNSEEN 0 /)
      await fill(other, 'Drafts', 'not asked for')
      await other.ask('UID STORE 1 +FLAGS.SILENT (\\Deleted)')
      await other.ask('EXPUNGE')
      let last = ''
      while (!last.includes('MESSAGES 0')) last = (await watcher.response()) ?? 'CLOSED MESSAGES 0'
      expect(last).to.match(/^\* STATUS Archive /)
    })

    it('tells the mail that other people send, where mail arrives', async () => {
      await watcher.ask('NOTIFY SET (inboxes (MessageNew MessageExpunge))')
      await deliver(imap.door.ctx, { to: address, raw: mail('news') })
      expect(await watcher.response()).to.match(/^\* STATUS INBOX \(MESSAGES 1 UIDNEXT 2 UIDVALIDITY \d+ UNSEEN 1\)$/)
    })

    it('tells at once what is new in the selected folder, with what was asked of new messages', async () => {
      await fill(other, 'INBOX', 'a', 'b')
      await watcher.ask('SELECT INBOX')
      await other.ask('SELECT INBOX')
      await watcher.ask(
        'NOTIFY SET (selected (MessageNew (BODY.PEEK[HEADER.FIELDS (SUBJECT)]) MessageExpunge FlagChange))',
      )
      await fill(other, 'INBOX', 'c')
      expect(await watcher.response()).to.equal('* 3 EXISTS')
      expect(await watcher.response()).to.equal(
        '* 3 FETCH (UID 3 BODY[HEADER.FIELDS (SUBJECT)] {14}\r\nSubject: c\r\n\r\n)',
      )
      await other.ask('STORE 1 +FLAGS (\\Flagged)')
      expect(await watcher.response()).to.equal('* 1 FETCH (UID 1 FLAGS (\\Flagged))')
      await other.ask('UID MOVE 2 Archive')
      expect(await watcher.response()).to.equal('* 2 EXPUNGE')
      expect((await watcher.ask('FETCH 1:* UID')).lines).to.deep.equal(['* 1 FETCH (UID 1)', '* 2 FETCH (UID 3)'])
    })

    it('delays with SELECTED-DELAYED what left until a command allows it', async () => {
      await fill(other, 'INBOX', 'a', 'b')
      await watcher.ask('SELECT INBOX')
      await other.ask('SELECT INBOX')
      await watcher.ask('NOTIFY SET (selected-delayed (MessageNew MessageExpunge))')
      await other.ask('UID MOVE 1 Archive')
      await fill(other, 'INBOX', 'c')
      expect(await watcher.response()).to.equal('* 3 EXISTS')
      expect((await watcher.ask('FETCH 2 UID')).lines).to.deep.equal(['* 2 FETCH (UID 2)'])
      expect((await watcher.ask('NOOP')).lines).to.deep.equal(['* 1 EXPUNGE'])
    })

    it('tells in IDLE of the other folders too', async () => {
      await watcher.ask('SELECT INBOX')
      await watcher.ask('NOTIFY SET (selected-delayed NONE) (subtree "" (MessageNew MessageExpunge))')
      const tag = watcher.send('IDLE')
      expect(await watcher.response()).to.match(/^\+ /)
      await fill(other, 'Archive', 'a')
      expect(await watcher.response()).to.match(/^\* STATUS Archive \(MESSAGES 1 /)
      await fill(other, 'INBOX', 'b')
      expect(await watcher.response()).to.equal('* 1 EXISTS')
      watcher.write('DONE\r\n')
      expect((await watcher.answer(tag)).end).to.match(/^OK/)
    })

    it('tells of folders that are made, renamed, subscribed to and deleted, and of what is noted of them', async () => {
      await watcher.ask(
        'NOTIFY SET (personal (MailboxName SubscriptionChange MailboxMetadataChange ServerMetadataChange))',
      )
      const steps = [
        ['CREATE Work/2026', '* LIST () "/" Work/2026'],
        ['SUBSCRIBE Work/2026', '* LIST (\\Subscribed) "/" Work/2026'],
        ['UNSUBSCRIBE Work/2026', '* LIST () "/" Work/2026'],
        ['RENAME Work/2026 Work/2027', '* LIST () "/" Work/2027 ("OLDNAME" (Work/2026))'],
        ['SETMETADATA Work/2027 (/shared/comment "mine")', '* METADATA Work/2027 /shared/comment'],
        ['SETMETADATA "" (/private/comment "all")', '* METADATA "" /private/comment'],
        ['DELETE Work/2027', '* LIST (\\NonExistent) "/" Work/2027'],
      ] as const
      for (const [line, said] of steps) {
        expect((await other.ask(line)).end, line).to.match(/^OK/)
        let heard = await watcher.response()
        // The folder above is made and goes with it.
        while (heard?.endsWith(' Work') === true) heard = await watcher.response()
        expect(heard, line).to.equal(said)
      }
    })

    it('leaves out of a group what stands before it with NONE, and tells nothing after NOTIFY NONE', async () => {
      await watcher.ask('NOTIFY SET (mailboxes Archive NONE) (personal (MessageNew MessageExpunge))')
      await fill(other, 'Archive', 'a')
      await fill(other, 'Trash', 'b')
      expect(await watcher.response()).to.match(/^\* STATUS Trash /)
      expect((await watcher.ask('NOTIFY NONE')).end).to.match(/^OK/)
      await fill(other, 'Trash', 'c')
      expect((await watcher.ask('NOOP')).lines).to.deep.equal([])
    })

    it('tells what it told before, and nothing else, after a NOTIFY that could not be carried out', async () => {
      await watcher.ask('NOTIFY SET (mailboxes Archive (MessageNew MessageExpunge))')
      const failed = failNextRead(imap.door.ctx.store, 'folders')
      expect((await watcher.ask('NOTIFY SET (personal (MessageNew MessageExpunge))')).end).to.match(/^NO/)
      await failed
      await fill(other, 'Trash', 'a')
      await fill(other, 'Archive', 'b')
      expect(await watcher.response()).to.match(/^\* STATUS Archive /)
      expect((await watcher.ask('NOOP')).lines).to.deep.equal([])
    })
  })

  describe('a mail program made by others (imapflow)', () => {
    let address: string
    let program: ImapFlow

    before(async () => {
      address = await imap.mailbox()
      program = new ImapFlow({
        host: '127.0.0.1',
        port: imap.ports.imaps,
        secure: true,
        tls: { rejectUnauthorized: false },
        auth: { user: address, pass: imap.tenant.key },
        logger: false,
      })
      await program.connect()
    })
    after(() => program?.logout())

    it('is connected with compression, and knows the special folders', async () => {
      expect(program.usable).to.equal(true)
      expect(program.enabled.has('CONDSTORE')).to.equal(true)
      const folders = await program.list({ statusQuery: { messages: true, unseen: true } })
      const uses = Object.fromEntries(folders.map(({ path, specialUse }) => [path, specialUse]))
      expect(uses).to.deep.equal({
        Archive: '\\Archive',
        Drafts: '\\Drafts',
        INBOX: '\\Inbox',
        Sent: '\\Sent',
        Spam: '\\Junk',
        Trash: '\\Trash',
      })
    })

    it('appends, reads, flags, searches, copies, moves and deletes', async () => {
      const stored = await program.append('INBOX', mail('flow', 'A body with words'), ['\\Flagged', 'Later'])
      expect(stored).to.include({ destination: 'INBOX', uid: 1 })
      const lock = await program.getMailboxLock('INBOX')
      try {
        const one = await program.fetchOne('1', {
          envelope: true,
          flags: true,
          bodyStructure: true,
          source: true,
          threadId: true,
        })
        if (one === false || one === undefined) throw new Error('There is no message.')
        expect(one.envelope?.subject).to.equal('flow')
        expect([...(one.flags ?? [])]).to.include.members(['\\Flagged', 'Later'])
        expect(one.source?.toString()).to.equal(mail('flow', 'A body with words'))
        expect(one.bodyStructure?.type).to.equal('text/plain')
        await program.messageFlagsAdd('1', ['\\Seen'])
        expect(await program.search({ seen: true, body: 'words' })).to.deep.equal([1])
        const copied = await program.messageCopy('1', 'Archive')
        expect(copied === false ? null : copied.uidMap?.get(1)).to.equal(1)
        const moved = await program.messageMove('1', 'Trash')
        expect(moved === false ? null : moved.uidMap?.get(1)).to.equal(1)
        expect(program.mailbox === false ? null : program.mailbox.exists).to.equal(0)
      } finally {
        lock.release()
      }
      const trash = await program.getMailboxLock('Trash')
      await program.messageDelete('1:*')
      trash.release()
      expect((await program.status('Trash', { messages: true })) as object).to.include({ messages: 0 })
    })

    it('hears of mail while it idles', async () => {
      const lock = await program.getMailboxLock('INBOX')
      const heard = new Promise<{ count: number }>((resolve) => program.once('exists', resolve))
      void program.idle()
      await deliver(imap.door.ctx, { to: address, raw: mail('idle') })
      expect((await heard).count).to.equal(1)
      lock.release()
    })
  })

  describe('COMPRESS', () => {
    it('refuses another algorithm, and a second time', async () => {
      const client = await imap.open()
      expect((await client.ask('COMPRESS LZW')).end).to.match(/^NO \[CANNOT\]/)
      expect((await client.ask('COMPRESS DEFLATE')).end).to.match(/^OK/)
      client.write('these are no compressed bytes, which end the connection\r\n')
      expect(await client.response()).to.equal(null)
    })
  })
})
