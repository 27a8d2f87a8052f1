/**
 * `npm run check -- import [MESSAGES]`: mail is imported from a real IMAP server and exported back to it, through failures of everything
 * involved. The import is interrupted five times: the command is killed, the connection is cut, the service is killed. In the end every
 * message must exist exactly once, byte for byte, with its folder, flags and date. The server is Dovecot, or a second Mailroom if
 * Dovecot cannot be started.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { ImapFlow } from 'imapflow'
import { startDovecot } from '../../bench/dovecot.ts'
import { closeContext } from '../../core/process/context.ts'
import { type CutProxy, startCutProxy } from '../peers/cut-proxy.ts'
import { makeTenant, type Tenant } from '../start/door.ts'
import { contextOf, type Service, startService } from '../start/service.ts'

const messagesDefault = 10_000
const bin = fileURLToPath(new URL('../../cli/bin.js', import.meta.url))
const folders = ['INBOX', 'Sent', 'Archive', 'Projects/2025', 'Projects/2026'] as const
const writers = 8

/** An account on an IMAP server without TLS, on this machine. */
type Elsewhere = { readonly port: number; readonly user: string; readonly password: string }
/** The number of copies of each distinct message, keyed by its digest, folder, flags and date. */
type Contents = ReadonlyMap<string, number>

export async function run([count = String(messagesDefault)]: readonly string[]): Promise<boolean> {
  const total = Number(count)
  if (!Number.isInteger(total) || total < folders.length)
    throw new Error(`MESSAGES must be a whole number of at least ${folders.length}, but is "${count}".`)
  const server = await startElsewhere()
  console.log(`${total} messages on ${server.name}`)
  const data = await startService({ only: parts })
  const proxy = await startCutProxy(`http://127.0.0.1:${server.port}`)
  const mover = createMover(data, proxy)
  try {
    const source = { port: server.port, user: server.users[0], password: server.password }
    const bytes = await fill(source, total)
    const expected = await contentsOf(source)
    expect(sizeOf(expected)).to.equal(total)
    console.log(`${(bytes / 1024 ** 2).toFixed(1)} MB in ${folders.length} folders; the import begins`)
    const tenant = await mover.tenant()
    await moved('import', total, () => mover.importAll(tenant, source, total))
    const own = { port: portOf(mover.service().imap), user: tenant.address, password: tenant.key }
    compare(await contentsOf(own), expected)
    const again = await mover.command('import', tenant, source)
    expect(again.record).to.include({ seen: total, imported: 0, known: total })
    console.log('all there once, byte for byte, with folders, flags and dates; the command once more brings nothing')
    const target = { ...source, user: server.users[1] }
    await moved('export', total, () => mover.exportAll(tenant, target, total))
    compare(await contentsOf(target), expected)
    console.log('and back on another account there, the same')
    return true
  } finally {
    await proxy.close()
    await mover.service().dispose()
    await server.stop()
  }
}

const parts = 'api,smtp,imap'
const portOf = (address: string | null) => Number(address?.split(':').at(-1))
const sizeOf = (contents: Contents) => [...contents.values()].reduce((sum, each) => sum + each, 0)

async function moved(what: string, total: number, work: () => Promise<readonly string[]>): Promise<void> {
  const startedAt = performance.now()
  const cuts = await work()
  const seconds = (performance.now() - startedAt) / 1_000
  console.log(
    `${what}: ${cuts.length} cuts (${cuts.join(', ')}), ${seconds.toFixed(1)} s, ${Math.round(total / seconds)} messages a second`,
  )
}

async function startElsewhere() {
  const dovecot = await startDovecot()
  if (typeof dovecot !== 'string')
    return { name: 'Dovecot', users: ['ann', 'bob'] as const, ...dovecot, stop: () => dovecot.stop() }
  console.log(dovecot)
  const service = await startService({ only: parts })
  const ctx = await contextOf(service)
  const tenant = await makeTenant({ ctx, http: service.http }, { name: 'elsewhere' })
  await closeContext(ctx)
  const second = 'second@elsewhere.example'
  await fetch(`${service.http}/api/v1/mailboxes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ address: second }),
  })
  return {
    name: 'a second Mailroom',
    users: [tenant.address, second] as const,
    password: tenant.key,
    port: portOf(service.imap),
    stop: () => service.dispose(),
  }
}

async function connect({ port, user, password: pass }: Elsewhere): Promise<ImapFlow> {
  const client = new ImapFlow({
    host: '127.0.0.1',
    port,
    secure: false,
    doSTARTTLS: false,
    auth: { user, pass },
    logger: false,
  })
  await client.connect()
  return client
}

/** Appends messages of many sizes, flags and dates, some of them twice. Returns their total size in bytes. */
async function fill(place: Elsewhere, total: number): Promise<number> {
  const first = await connect(place)
  for (const folder of folders.slice(1)) await first.mailboxCreate(folder.split('/'))
  const delimiter = (await first.list()).find((each) => each.delimiter)?.delimiter ?? '/'
  await first.logout()
  let bytes = 0
  await Promise.all(
    Array.from({ length: writers }, async (_, writer) => {
      const client = await connect(place)
      for (let n = writer; n < total; n += writers) {
        const folder = folders[n % 10 < 6 ? 0 : n % folders.length]!
        const raw = letter(n)
        bytes += raw.length
        await client.append(
          folder.split('/').join(delimiter),
          raw,
          flagsOf(n),
          new Date(Date.UTC(2020, 0, 1) + n * 60_000),
        )
      }
      await client.logout()
    }),
  )
  return bytes
}

const flagsOf = (n: number) => [
  ...(n % 2 === 0 ? ['\\Seen'] : []),
  ...(n % 7 === 0 ? ['\\Flagged'] : []),
  ...(n % 11 === 0 ? ['\\Answered'] : []),
  ...(n % 13 === 0 ? ['project'] : []),
]

/** Some messages have bytes above 127, some long bodies, some no Message-ID, and some in INBOX the Message-ID of another. */
function letter(n: number): Buffer {
  const id = n % 17 === 0 ? '' : `Message-ID: <${n % 10 < 6 && n % 101 === 0 ? 'same' : n}@remote.example>\r\n`
  const line = createHash('sha256').update(String(n)).digest('base64')
  const lines = n % 97 === 0 ? 5_000 : n % 50
  const body = `${`${line} \u00e9\u4e2d\r\n`.repeat(lines)}${n % 5 === 0 ? 'x'.repeat(2_000) : ''}\r\n`
  return Buffer.from(`From: Ann <ann@remote.example>\r\nSubject: Letter ${n}\r\n${id}\r\n${body}`)
}

async function contentsOf(place: Elsewhere): Promise<Contents> {
  const client = await connect(place)
  const contents = new Map<string, number>()
  for (const { path: where, delimiter, flags: of } of await client.list()) {
    if (of.has('\\Noselect')) continue
    const lock = await client.getMailboxLock(where, { readOnly: true })
    const wanted = { uid: true, flags: true, internalDate: true, source: true } as const
    if (client.mailbox && client.mailbox.exists > 0)
      for await (const { source = Buffer.alloc(0), flags = new Set(), internalDate } of client.fetch('1:*', wanted)) {
        const digest = createHash('sha256').update(source).digest('base64')
        const told = [...flags].filter((flag) => flag !== '\\Recent').sort()
        const at = new Date(internalDate ?? 0).toISOString()
        const key = [where.split(delimiter || '/').join('/'), digest, at, ...told].join(' ')
        contents.set(key, (contents.get(key) ?? 0) + 1)
      }
    lock.release()
  }
  await client.logout()
  return contents
}

function compare(there: Contents, expected: Contents): void {
  const differing = (a: Contents, b: Contents) => [...a].filter(([key, times]) => b.get(key) !== times)
  expect({ missing: differing(expected, there), strange: differing(there, expected) }).to.deep.equal({
    missing: [],
    strange: [],
  })
}

type Ended = { readonly code: number | null; readonly record: Readonly<Record<string, unknown>> }
type Running = {
  readonly child: ChildProcess
  readonly ended: Promise<Ended>
  /** Resolves when the command has transferred `count` messages, or has ended. */
  brought(count: number): Promise<void>
}

/** Runs the commands and breaks the parts they depend on. */
function createMover(first: Service, proxy: CutProxy) {
  let service = first

  function start(verb: 'import' | 'export', { accountId, address }: Tenant, { user, password }: Elsewhere): Running {
    const port = new URL(proxy.http).port
    const child = spawn(
      process.execPath,
      [bin, verb, 'imap', accountId, address, '127.0.0.1', '--user', user, '--port', port, '--starttls', '--insecure'],
      {
        env: {
          ...process.env,
          MAILROOM_DATA: service.data,
          [`MAILROOM_${verb.toUpperCase()}_PASSWORD`]: password,
        },
      },
    )
    let [out, count] = ['', 0]
    const waiting = new Set<() => void>()
    child.stdout.on('data', (text: Buffer) => {
      out += text.toString()
    })
    child.stderr.on('data', (text: Buffer) => {
      const told = [...text.toString().matchAll(/"(?:im|ex)ported":(\d+)/g)].at(-1)?.[1]
      if (told !== undefined) count = Number(told)
      else process.stderr.write(text)
      for (const look of waiting) look()
    })
    const ended = once(child, 'close').then(([code]): Ended => {
      for (const look of waiting) look()
      return { code: code as number | null, record: out === '' ? {} : JSON.parse(out) }
    })
    const brought = (wanted: number) =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (count < wanted && child.exitCode === null && child.signalCode === null) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      })
    return { child, ended, brought }
  }

  /** Kills the command and waits until it has ended. */
  async function kill(running: Running): Promise<string> {
    running.child.kill('SIGKILL')
    await running.ended
    return 'the command was killed'
  }

  /** Kills the service, waits until the command has ended, and starts the service again on its data. */
  async function killService(running: Running): Promise<string> {
    const exited = once(service.process, 'exit')
    service.process.kill('SIGKILL')
    await exited
    const { code } = await running.ended
    expect(code, 'the command ends when the service has gone').to.not.equal(0)
    service = await startService({ data: service.data, only: parts })
    return 'the service was killed'
  }

  async function cut(): Promise<string> {
    proxy.cut()
    return 'the connection was cut'
  }

  return {
    service: () => service,
    async tenant(): Promise<Tenant> {
      const ctx = await contextOf(service)
      const made = await makeTenant({ ctx, http: service.http }, { name: 'mover' })
      await closeContext(ctx)
      return made
    },
    async command(verb: 'import' | 'export', tenant: Tenant, place: Elsewhere): Promise<Ended> {
      const ended = await start(verb, tenant, place).ended
      expect(ended.code).to.equal(0)
      return ended
    },
    /** Imports all messages with interruptions. Returns what each interruption was. */
    async importAll(tenant: Tenant, place: Elsewhere, total: number): Promise<readonly string[]> {
      const share = Math.floor(total / 7)
      const cuts: string[] = []
      const one = start('import', tenant, place)
      await one.brought(share)
      cuts.push(await kill(one))
      const two = start('import', tenant, place)
      await two.brought(share)
      cuts.push(await cut())
      await two.brought(2 * share)
      cuts.push(await killService(two))
      const three = start('import', tenant, place)
      await three.brought(share)
      cuts.push(await kill(three))
      const four = start('import', tenant, place)
      await four.brought(share)
      cuts.push(await cut())
      expect((await four.ended).code).to.equal(0)
      return cuts
    },
    async exportAll(tenant: Tenant, place: Elsewhere, total: number): Promise<readonly string[]> {
      const cuts: string[] = []
      const one = start('export', tenant, place)
      await one.brought(Math.floor(total / 3))
      cuts.push(await kill(one))
      const two = start('export', tenant, place)
      await two.brought(Math.floor(total / 3))
      cuts.push(await cut())
      expect((await two.ended).code).to.equal(0)
      return cuts
    },
  }
}
