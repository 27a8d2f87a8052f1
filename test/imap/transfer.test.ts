/** Importing and exporting mail by the command line: from an IMAP server over connections that are cut, and from and to files. */
import { execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, open, readdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { runCommand } from '../../cli/command-line.ts'
import { eventually } from '../eventually.ts'
import { type CutProxy, startCutProxy } from '../peers/cut-proxy.ts'
import { type Json, mailboxPath } from '../peers/rest.ts'
import { type ImapDoor, openImapDoor } from '../start/imap.ts'

type Listed = {
  readonly message_id: string
  readonly subject: string
  readonly received_at: string
  readonly seen: boolean
  readonly flagged: boolean
  readonly answered: boolean
  readonly labels: readonly string[]
}

const mail = (subject: string, body = 'Hello\r\nFrom here to there\r\n>From quoted\r\n') =>
  `From: Ann <ann@remote.example>\r\nSubject: ${subject}\r\nMessage-ID: <${subject.replaceAll(' ', '.')}@remote.example>\r\n\r\n${body}`

/** Lines that no compression makes much shorter. */
const noise = (bytes: number) => `${randomBytes(bytes).toString('base64').replaceAll(/.{72}/g, '$&\r\n')}\r\n`

describe('import and export of mail', () => {
  let imap: ImapDoor
  let proxy: CutProxy
  let source: string
  let folder: string

  before(async () => {
    imap = await openImapDoor()
    proxy = await startCutProxy(`http://127.0.0.1:${imap.ports.imap}`)
    folder = path.join(imap.door.ctx.settings.data, 'transfer')
    await mkdir(folder)
    source = await imap.mailbox()
    const client = await imap.open({ user: source })
    const append = async (into: string, flags: string, at: string, text: string) => {
      const { end } = await client.ask(`APPEND ${into} (${flags}) "${at}" {${text.length}}`, `${text}\r\n`)
      expect(end).to.match(/^OK/)
    }
    await client.ask('CREATE Projects/2026')
    for (let n = 0; n < 40; n++)
      await append('INBOX', n % 2 === 0 ? '\\Seen' : '', '05-Mar-2021 10:00:00 +0000', mail(`In ${n}`, noise(400)))
    await append('Sent', '\\Seen', '06-Mar-2021 10:00:00 +0000', mail('Sent one'))
    await append('Projects/2026', '\\Flagged \\Answered urgent', '07-Mar-2021 10:00:00 +0100', mail('Plan'))
    await append('Spam', '', '08-Mar-2021 10:00:00 +0000', mail('Large', noise(150_000)))
  })
  after(async () => {
    await proxy?.close()
    await imap?.close()
  })

  function surroundings() {
    const { data, mongodbUrl } = imap.door.ctx.settings
    return {
      MAILROOM_DATA: data,
      MONGODB_URL: mongodbUrl ?? '',
      MAILROOM_EXPORT_PASSWORD: imap.tenant.key,
      MAILROOM_IMPORT_PASSWORD: imap.tenant.key,
      MAILROOM_LIMITS_SMTP_MESSAGE_BYTES: '1000000',
    }
  }

  async function command(...argv: readonly string[]) {
    const env = surroundings()
    const out: string[] = []
    const err: string[] = []
    const code = await runCommand(argv, {
      env,
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
    })
    return { code, record: (out.length === 0 ? {} : JSON.parse(out.join(''))) as Json, err: err.join('') }
  }

  async function list(address: string, where: string): Promise<readonly Listed[]> {
    const query = `?folder=${encodeURIComponent(where)}&limit=200`
    const { body } = await imap.call<{ messages: Listed[] }>('GET', `${mailboxPath(address)}/messages${query}`)
    return body.messages
  }

  async function rawOf(address: string, id: string): Promise<string> {
    const response = await fetch(`${imap.door.http}${mailboxPath(address)}/messages/${id}/raw`, {
      headers: { authorization: `Bearer ${imap.tenant.key}` },
    })
    return response.text()
  }

  const folders = ['INBOX', 'Sent', 'Projects/2026', 'Spam']

  /** What is to be the same in both mailboxes. */
  async function contentsOf(address: string): Promise<unknown> {
    const all = await Promise.all(
      folders.map(async (where) => {
        const messages = await list(address, where)
        const raws = await Promise.all(messages.map(({ message_id: id }) => rawOf(address, id)))
        return messages
          .map(({ subject, received_at, seen, flagged, answered, labels }, n) => ({
            ...{ where, subject, received_at, seen, flagged, answered, labels },
            raw: raws[n],
          }))
          .sort((a, b) => (a.subject < b.subject ? -1 : 1))
      }),
    )
    return all.flat()
  }

  const fromImap = (to: string, ...more: readonly string[]) =>
    command(
      ...['import', 'imap', 'tenant', to, '127.0.0.1', '--user', source],
      ...['--port', new URL(proxy.http).port, '--starttls', '--insecure', ...more],
    )

  it('brings all folders with flags, dates and bytes over connections that are cut, and nothing twice', async () => {
    const to = await imap.mailbox()
    const expected = await contentsOf(source)
    let connections = 0
    // Each of the first connections gets a little further; the last is left alone.
    proxy.cutBehind(() => {
      connections += 1
      return connections < 6 ? 8_000 * connections : Number.POSITIVE_INFINITY
    })
    const first = await fromImap(to)
    expect(first.code, first.err).to.equal(0)
    expect(connections).to.equal(6)
    expect(first.record).to.include({ mailbox: to, seen: 43, imported: 43, known: 0, skipped: 0 })
    expect(await contentsOf(to)).to.deep.equal(expected)
    proxy.cutBehind(null)
    const again = await fromImap(to)
    expect(again.record).to.include({ seen: 43, imported: 0, known: 43 })
    expect(await contentsOf(to)).to.deep.equal(expected)
  })

  it('brings a mailbox to another server over connections that are cut, and nothing twice', async () => {
    const to = await imap.mailbox()
    const expected = await contentsOf(source)
    const toImap = () =>
      command(
        ...['export', 'imap', 'tenant', source, '127.0.0.1', '--user', to],
        ...['--port', new URL(proxy.http).port, '--starttls', '--insecure'],
      )
    let connections = 0
    proxy.cutBehind(() => {
      connections += 1
      return connections < 3 ? 3_800 + 500 * connections : Number.POSITIVE_INFINITY
    })
    const first = await toImap()
    expect(first.code, first.err).to.equal(0)
    expect(connections).to.equal(3)
    expect(first.record).to.include({ mailbox: source, seen: 43, exported: 43, known: 0, skipped: 0 })
    proxy.cutBehind(null)
    // As they were read, so without what a delivery put in front.
    expect(await contentsOf(to)).to.deep.equal(expected)
    expect((await toImap()).record).to.include({ seen: 43, exported: 0, known: 43 })
    // What went from there comes again, also of two that look the same.
    const client = await imap.open({ user: to })
    await client.ask('SELECT Projects/2026')
    await client.ask('STORE 1 +FLAGS (\\Deleted)')
    await client.ask('EXPUNGE')
    expect((await toImap()).record).to.include({ exported: 1, known: 42 })
    expect(await contentsOf(to)).to.deep.equal(expected)
  })

  it('says what is wrong with a login, a name and a port', async () => {
    const to = await imap.mailbox()
    const wrong = await command(
      ...['import', 'imap', 'tenant', to, '127.0.0.1', '--user', 'nobody@tenant.example'],
      ...['--port', String(imap.ports.imap), '--starttls', '--insecure'],
    )
    expect(wrong.code).to.equal(1)
    expect(wrong.err).to.match(
      /^The server 127\.0\.0\.1 refuses the login of nobody@tenant\.example: .*\. Give the user name and password/,
    )
    const unverified = await command(
      ...['import', 'imap', 'tenant', to, '127.0.0.1', '--user', to],
      ...['--port', String(imap.ports.imap), '--starttls'],
    )
    expect(unverified.err).to.match(/^The certificate of 127\.0\.0\.1 cannot be verified \(.*\)\. .*--insecure/)
    expect((await fromImap('nobody@tenant.example')).err).to.include('nobody@tenant.example')
    expect((await fromImap(to, '--port', 'x')).err).to.match(/"x" is not a port/)
  })

  it('says of files what is wrong with them', async () => {
    const to = await imap.mailbox()
    const text = path.join(folder, 'text.txt')
    await writeFile(text, 'This is no mail.\n')
    const says = async (...argv: readonly string[]) => {
      const { code, err } = await command(...argv)
      expect(code, argv.join(' ')).to.equal(1)
      return err
    }
    expect(await says('import', 'mbox', 'tenant', to, text)).to.match(
      /^.*text\.txt is not an mbox file: .* Name a file/,
    )
    expect(await says('import', 'mbox', 'tenant', to, `${text}.none`)).to.match(
      /^ENOENT: .*none'\. Check that it exists/,
    )
    expect(await says('import', 'maildir', 'tenant', to, folder)).to.match(
      / is not a Maildir: it has no folder "cur" or "new"\./,
    )
    expect(await says('export', 'mbox', 'tenant', to, '--to', path.join(text, 'x'))).to.match(
      /^ENOTDIR: .*\. Check that/,
    )
    // A file system that makes no folders.
    if (process.platform === 'linux')
      expect(await says('export', 'mbox', 'tenant', to, '--to', '/proc/x/y')).to.match(
        /^ENOENT: .*'\/proc\/x'\. Check that/,
      )
  })

  it('asks for the password that it was not given, and says so when there is none', async () => {
    const to = await imap.mailbox()
    const { MAILROOM_IMPORT_PASSWORD: _, ...env } = surroundings()
    const bin = fileURLToPath(new URL('../../cli/main.ts', import.meta.url))
    const argv = ['import', 'imap', 'tenant', to, '127.0.0.1', '--user', to]
    const child = spawn(process.execPath, [bin, ...argv], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...env },
    })
    let err = ''
    child.stderr.on('data', (piece) => {
      err += piece
    })
    expect(await once(child, 'close')).to.deep.equal([1, null])
    expect(err).to.match(/^Password of .*: \nThere is no password\. .* or set MAILROOM_IMPORT_PASSWORD\.$/m)
  })

  for (const kind of ['mbox', 'maildir', 'eml'] as const)
    it(`writes a mailbox as ${kind}, and brings it back`, async () => {
      const at = path.join(folder, kind)
      const written = await command('export', kind, 'tenant', source, '--to', at)
      expect(written.record).to.include({ mailbox: source, messages: 43 })
      const to = await imap.mailbox()
      if (kind === 'maildir') {
        for (const count of [43, 0])
          expect((await command('import', kind, 'tenant', to, at)).record).to.include({ seen: 43, imported: count })
      } else {
        const names = (await readdir(at, { recursive: true })).filter((name) => /\.(mbox|eml)$/.test(name))
        for (const where of folders) {
          const own = names.filter((name) => name.startsWith(where === 'INBOX' ? 'INBOX' : where))
          const files = own.map((name) => path.join(at, name))
          const done = await command('import', kind, 'tenant', to, ...files, '--folder', where)
          expect(done.code, done.err).to.equal(0)
        }
      }
      const strip = (all: unknown) =>
        (all as { raw: string; where: string; subject: string; received_at: string; seen: boolean }[]).map((each) => ({
          ...each,
          raw: each.raw.replace(/^(?:(?:X-)?(?:Status|Keywords): .*\r\n)+/, '').trimEnd(),
          received_at: kind === 'eml' ? '' : each.received_at,
          ...(kind === 'eml' && { seen: true, flagged: true, answered: true, labels: [] }),
          ...(kind === 'maildir' && { labels: [] }),
        }))
      expect(strip(await contentsOf(to))).to.deep.equal(strip(await contentsOf(source)))
    })

  it('goes on with a Maildir that was begun, and writes nothing twice whose flags have changed since', async () => {
    const from = await imap.mailbox()
    const client = await imap.open({ user: from })
    const at = path.join(folder, 'begun')
    const write = () => command('export', 'maildir', 'tenant', from, '--to', at)
    const append = async (subject: string) =>
      expect((await client.ask(`APPEND INBOX {${mail(subject).length}}`, `${mail(subject)}\r\n`)).end).to.match(/^OK/)
    await append('Read here')
    await append('Read there')
    expect((await write()).record).to.include({ messages: 2 })
    const [, there = ''] = (await readdir(path.join(at, 'cur'))).toSorted()
    await rename(path.join(at, 'cur', there), path.join(at, 'cur', `${there}S`))
    await client.ask('SELECT INBOX')
    await client.ask('STORE 1 +FLAGS (\\Seen)')
    await append('Later')
    expect((await write()).record).to.include({ messages: 3 })
    expect(await readdir(path.join(at, 'cur'))).to.have.length(3)
  })

  describe('of files that is killed in the middle', () => {
    const total = 600
    const subjectOf = (n: number) => `Long way ${n}`

    /** Writes mail of one kind. Returns what the command is given of it. */
    async function write(kind: 'mbox' | 'maildir' | 'eml'): Promise<readonly string[]> {
      const at = path.join(folder, `long ${kind}`)
      const all = Array.from({ length: total }, (_, n) => mail(subjectOf(n)))
      if (kind === 'mbox') {
        const entries = all.map((each) => `From ann@remote.example Thu Nov  5 09:04:03 2020\n${each}\n`)
        await writeFile(at, entries.join(''))
        return [at]
      }
      const inner = kind === 'maildir' ? path.join(at, 'cur') : at
      await mkdir(inner, { recursive: true })
      const names = all.map((_, n) => path.join(inner, kind === 'maildir' ? `${n}.ann:2,S` : `${n}.eml`))
      await Promise.all(names.map((name, n) => writeFile(name, all[n]!)))
      return kind === 'maildir' ? [at] : names
    }

    for (const kind of ['mbox', 'maildir', 'eml'] as const)
      it(`brings the rest of ${kind} when it is begun again, and nothing twice`, async () => {
        const to = await imap.mailbox()
        const files = await write(kind)
        const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
        const child = spawn(process.execPath, [bin, 'import', kind, 'tenant', to, ...files], {
          stdio: 'ignore',
          env: { ...process.env, ...surroundings() },
        })
        const { _id: mailboxId } = (await imap.door.ctx.store.mailboxes.findOne({ address: to }))!
        const count = () => imap.door.ctx.store.messages.countDocuments({ mailboxId })
        await eventually('the first message is there', async () => (await count()) > 0)
        child.kill('SIGKILL')
        await once(child, 'exit')
        expect(await count()).to.be.below(total)
        const again = await command('import', kind, 'tenant', to, ...files)
        expect(again.record).to.include({ seen: total })
        const subjects = await imap.door.ctx.store.messages
          .find({ mailboxId }, { projection: { subject: 1 } })
          .map(({ subject }) => subject)
          .toArray()
        expect(subjects.toSorted()).to.deep.equal(Array.from({ length: total }, (_, n) => subjectOf(n)).toSorted())
        expect((await list(to, 'INBOX')).length).to.be.above(0)
      })
  })

  it('leaves out of folders what is no file itself: links, which lead anywhere, and pipes', async () => {
    const secret = path.join(folder, 'secret.eml')
    await writeFile(secret, mail('Secret'))
    const subjects = async (address: string) => (await list(address, 'INBOX')).map(({ subject }) => subject)
    for (const [kind, inner, name] of [
      ['maildir', 'cur', (n: number) => `${n}.ann:2,S`],
      ['eml', '.', (n: number) => `${n}.eml`],
    ] as const) {
      const given = path.join(folder, `given ${kind}`)
      const at = (n: number) => path.join(given, inner, name(n))
      await mkdir(path.join(given, inner), { recursive: true })
      await writeFile(at(1), mail('Own'))
      await symlink(secret, at(2))
      execFileSync('mkfifo', [at(3)])
      await mkdir(at(4))
      await symlink(folder, path.join(given, 'new'))
      const to = await imap.mailbox()
      expect((await command('import', kind, 'tenant', to, given)).record, kind).to.include({ seen: 1, imported: 1 })
      expect(await subjects(to)).to.deep.equal(['Own'])
    }
  })

  it('reads mbox files of other programs: CRLF, quoted lines, the same message twice, no end', async () => {
    const to = await imap.mailbox()
    const file = path.join(folder, 'others.mbox')
    const entry = (subject: string) =>
      `From someone@remote.example Thu Nov  5 09:04:03 2020\nSubject: ${subject}\nStatus: RO\n\nText\n>From there\n>>From far\nFrom the middle\n\n`
    await writeFile(
      file,
      `${entry('One')}${entry('One')}${entry('Two').replaceAll('\n', '\r\n')}From x Sat Jan  2 00:00:00 +0200 2021\nSubject: Three\n\nend`,
    )
    const { record } = await command('import', 'mbox', 'tenant', to, file)
    expect(record).to.include({ seen: 4, imported: 4 })
    const [three, two, second, first] = await list(to, 'INBOX')
    expect([first, second, two, three].map((each) => each?.subject)).to.deep.equal(['One', 'One', 'Two', 'Three'])
    expect(first?.received_at).to.equal('2020-11-05T09:04:03.000Z')
    expect([first?.seen, three?.seen]).to.deep.equal([true, false])
    expect(await rawOf(to, two?.message_id ?? '')).to.equal(
      'Subject: Two\r\nStatus: RO\r\n\r\nText\r\nFrom there\r\n>From far\r\nFrom the middle\r\n',
    )
    expect(await rawOf(to, three?.message_id ?? '')).to.equal('Subject: Three\r\n\r\nend\r\n')
    expect((await command('import', 'mbox', 'tenant', to, file)).record).to.include({ imported: 0, known: 4 })
  })

  it('reads the time of an mbox file in the zone that its separator names', async () => {
    const to = await imap.mailbox()
    const file = path.join(folder, 'zones.mbox')
    const times = [
      ['Thu Nov  5 09:04:03 2020', '09:04:03'],
      ['Thu Nov  5 09:04 2020', '09:04:00'],
      ['Thu Nov  5 09:04:03 2020 +0200', '07:04:03'],
      ['Thu Nov  5 09:04:03 +0200 2020', '07:04:03'],
      ['Thu Nov  5 09:04:03 2020 -0730', '16:34:03'],
      ['Thu Nov  5 09:04:03 PST 2020', '17:04:03'],
      ['Thu Nov  5 09:04:03 2020 PST', '17:04:03'],
      ['Thu Nov  5 09:04:03 CET 2020', '09:04:03'],
      ['Thu Nov  5 09:04:03 2020 remote from there', '09:04:03'],
    ] as const
    await writeFile(file, times.map(([at], n) => `From x@remote.example ${at}\nSubject: No. ${n}\n\nHi\n\n`).join(''))
    expect((await command('import', 'mbox', 'tenant', to, file)).record).to.include({ imported: times.length })
    const found = new Map((await list(to, 'INBOX')).map(({ subject, received_at: at }) => [subject, at]))
    for (const [n, [at, time]] of times.entries()) expect(found.get(`No. ${n}`), at).to.equal(`2020-11-05T${time}.000Z`)
  })

  it('brings each message once when two commands bring the same at once', async () => {
    const to = await imap.mailbox()
    const file = path.join(folder, 'both.mbox')
    const total = 300
    const entries = Array.from(
      { length: total },
      (_, n) => `From me Thu Nov  5 09:04:03 2020\nX-Keywords: both\nSubject: Both ${n}\n\nHi\n\n`,
    )
    await writeFile(file, entries.join(''))
    const both = await Promise.all([1, 2].map(() => command('import', 'mbox', 'tenant', to, file)))
    expect(both.map(({ code, err }) => [code, /Error/.test(err)])).to.deep.equal([
      [0, false],
      [0, false],
    ])
    expect(both.map(({ record }) => record.seen)).to.deep.equal([total, total])
    expect(both.reduce((sum, { record }) => sum + Number(record.imported), 0)).to.equal(total)
    const { _id: mailboxId } = (await imap.door.ctx.store.mailboxes.findOne({ address: to }))!
    const { messages, threads } = imap.door.ctx.store
    expect(await messages.countDocuments({ mailboxId, labels: 'both' })).to.equal(total)
    expect(await threads.countDocuments({ mailboxId })).to.equal(total)
  })

  it('brings large messages as they are read, so that none but a few are in memory', async () => {
    const to = await imap.mailbox()
    const pipe = path.join(folder, 'endless.mbox')
    execFileSync('mkfifo', [pipe])
    const entry = (n: number) => `From ann@remote.example\n${mail(`Large ${n}`, noise(400_000))}\n`
    const importing = command('import', 'mbox', 'tenant', to, pipe)
    const into = await open(pipe, 'w')
    try {
      for (let n = 0; n < 20; n++) await into.writeFile(entry(n))
      await eventually('the first ones', async () => (await list(to, 'INBOX')).length > 0)
      await into.writeFile(entry(20))
    } finally {
      await into.close()
    }
    expect((await importing).record).to.include({ seen: 21, imported: 21 })
  })

  it('brings two mails of one Message-ID into Sent', async () => {
    const to = await imap.mailbox()
    const file = path.join(folder, 'sent.mbox')
    const entry = (text: string) =>
      `From me Thu Nov  5 09:04:03 2020\nSubject: Sent twice\nMessage-ID: <one@remote.example>\n\n${text}\n\n`
    await writeFile(file, `${entry('Before')}${entry('After')}`)
    const { record } = await command('import', 'mbox', 'tenant', to, file, '--folder', 'Sent')
    expect(record).to.include({ seen: 2, imported: 2 })
    expect(await list(to, 'Sent')).to.have.length(2)
  })

  it('leaves out what is larger than a message may be, and stops at a full mailbox', async () => {
    const to = await imap.mailbox()
    const file = path.join(folder, 'large.eml')
    await writeFile(file, mail('Too large', 'x'.repeat(1_000_001)))
    const small = path.join(folder, 'small.eml')
    await writeFile(small, mail('Small'))
    const { record } = await command('import', 'eml', 'tenant', to, file, small)
    expect(record).to.include({ seen: 2, imported: 1, skipped: 1 })
    const written = await readFile(small, 'latin1')
    expect(await rawOf(to, (await list(to, 'INBOX'))[0]?.message_id ?? '')).to.equal(written)
  })
})
