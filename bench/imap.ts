/**
 * Measures the IMAP server on one large mailbox, and with many clients; the same of another server that is told by `--peer`.
 * See README.md.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { administrator } from '../core/access/principal.ts'
import { createAccount } from '../core/account/accounts.ts'
import { createAppPassword } from '../core/account/login.ts'
import { createDomain } from '../core/mailbox/domains.ts'
import { createMailbox } from '../core/mailbox/mailboxes.ts'
import { closeContext } from '../core/process/context.ts'
import { contextOf, type Service, startService } from '../test/start/service.ts'
import { quantile, shown, spread, table } from './figures.ts'
import { pssMb } from './processes.ts'
import { createWriter } from './synthetic-mail.ts'

type Login = { readonly user: string; readonly password: string }
type Target = {
  readonly port: number
  /** The first is of the large mailbox. */
  readonly logins: readonly Login[]
  readonly pids: readonly number[]
}

const domain = 'bench.example'
/** In one of a hundred messages, and in one of five hundred. */
const rareSender = 'carol.rare'
const rareWord = 'zebrafinch'
const mixedMs = 5_000

/** Runs the bench. Options: --quick, --messages N, --clients N, --peer PORT --user NAME --password WORD. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      messages: { type: 'string' },
      clients: { type: 'string' },
      peer: { type: 'string' },
      user: { type: 'string' },
      password: { type: 'string' },
    },
  })
  const messages = Number(values.messages ?? (values.quick ? 1_000 : 10_000))
  const clients = Number(values.clients ?? (values.quick ? 20 : 100))
  const { peer, user = '', password = '' } = values
  if (peer !== undefined) {
    await measure({ port: Number(peer), logins: [{ user, password }], pids: [] }, { messages, clients })
    return
  }
  const service = await startService({ only: null, env: { MAILROOM_LOG_LEVEL: 'warn' } })
  try {
    await measure(await targetOf(service, clients), { messages, clients })
  } finally {
    await service.dispose()
  }
}

async function targetOf(service: Service, clients: number): Promise<Target> {
  const ctx = await contextOf(service)
  const account = await createAccount(ctx, { name: 'bench', owner: null })
  await createDomain(ctx, { domain, accountId: account.id, verified: true })
  const logins: Login[] = []
  for (let n = 0; n < clients; n++) {
    const address = `u${n}@${domain}`
    await createMailbox(ctx, administrator(account), { address })
    logins.push({ user: address, ...(await createAppPassword(ctx, { account, address, name: 'bench' })) })
  }
  await closeContext(ctx)
  return { port: Number(service.imap?.split(':')[1]), logins, pids: [service.process.pid ?? 0] }
}

async function measure(target: Target, { messages, clients }: { messages: number; clients: number }): Promise<void> {
  const [large] = target.logins
  const filler = await Client.open(target.port, large!)
  const appendMs = await timed(() => filler.fill(messages))
  console.log(`APPEND of ${messages} messages on one connection: ${shown((messages / appendMs) * 1_000)}/s\n`)
  console.log(table(['operation', 'ms'], await single(target, large!)))
  const idle = await idleMs(target, large!)
  console.log(`\nIDLE, from the answer of APPEND to EXISTS, ms: ${spread(idle)}`)
  const inOne = await mixed(
    target,
    Array.from({ length: clients }, () => large!),
  )
  const inMany = target.logins.length < clients ? null : await mixed(target, target.logins.slice(0, clients))
  const rows = [['one mailbox', ...inOne], ...(inMany === null ? [] : [['a mailbox each', ...inMany]])]
  console.log(`\n${table([`${clients} clients in`, 'operations/s', 'p50 ms', 'p99 ms'], rows)}`)
  if (target.pids.length > 0) console.log(`\nIdle sessions, KiB each: ${shown(await idleKib(target, large!, 500))}`)
}

const operations: readonly (readonly [name: string, command: string])[] = [
  ['FETCH 1:* (FLAGS)', 'FETCH 1:* (FLAGS)'],
  ['the first FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)', 'FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)'],
  ['the same again', 'FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)'],
  ['FETCH 1:* BODY.PEEK[]', 'FETCH 1:* BODY.PEEK[]'],
  ['SEARCH FROM', `SEARCH FROM "${rareSender}"`],
  ['SEARCH BODY', `SEARCH BODY ${rareWord}`],
  ['SEARCH TEXT', `SEARCH TEXT ${rareWord}`],
  ['STORE 1:* +FLAGS.SILENT', 'STORE 1:* +FLAGS.SILENT (\\Answered)'],
  ['STORE 1:* -FLAGS.SILENT', 'STORE 1:* -FLAGS.SILENT (\\Answered)'],
]

/** How long operations of one client take, each on a connection of its own. */
async function single({ port }: Target, login: Login): Promise<string[][]> {
  const rows: string[][] = []
  const selecting: number[] = []
  for (let n = 0; n < 5; n++) {
    selecting.push(
      await timed(async () => {
        const client = await Client.open(port, login)
        await client.ask('SELECT INBOX')
        client.close()
      }),
    )
  }
  rows.push(['login and SELECT', spread(selecting)])
  for (const [name, command] of operations) {
    const client = await Client.open(port, login)
    await client.ask('SELECT INBOX')
    rows.push([name, shown(await timed(() => client.ask(command)))])
    client.close()
  }
  return rows
}

async function idleMs({ port }: Target, login: Login): Promise<number[]> {
  const [waiting, writing] = [await Client.open(port, login), await Client.open(port, login)]
  await waiting.ask('SELECT INBOX')
  const found: number[] = []
  for (let n = 0; n < 20; n++) {
    const heard = waiting.idle()
    await writing.fill(1)
    const at = performance.now()
    found.push((await heard) - at)
    await waiting.done()
  }
  for (const client of [waiting, writing]) client.close()
  return found
}

const mix = [
  ['FETCH %:+19 (UID FLAGS ENVELOPE BODYSTRUCTURE)', 45],
  ['FETCH % BODY.PEEK[]', 22],
  ['STORE % +FLAGS (\\Seen)', 5],
  ['STORE % -FLAGS (\\Seen)', 5],
  ['NOOP', 10],
  ['SEARCH UNSEEN', 5],
  ['APPEND', 5],
  ['LIST "" "*"', 3],
] as const

/** Clients that ask as fast as they are answered. */
async function mixed({ port }: Target, logins: readonly Login[]): Promise<string[]> {
  const { random } = createWriter(1)
  const clients = await Promise.all(logins.map((login) => Client.open(port, login)))
  for (const client of clients) {
    await client.ask('SELECT INBOX')
    if (client.exists < 200) await client.fill(200 - client.exists)
    await client.ask('NOOP')
  }
  const times: number[] = []
  const begin = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() - begin < mixedMs) {
        const asked = choose(random)
        const first = 1 + Math.floor(random() * Math.max(1, client.exists - 20))
        const command = asked.replace('%:+19', `${first}:${first + 19}`).replace('%', String(first))
        times.push(await timed(async () => (asked === 'APPEND' ? client.fill(1) : client.ask(command))))
      }
    }),
  )
  const seconds = (performance.now() - begin) / 1_000
  for (const client of clients) client.close()
  return [shown(times.length / seconds), shown(quantile(times, 0.5)), shown(quantile(times, 0.99))]
}

function choose(random: () => number): string {
  let left = random() * 100
  for (const [command, share] of mix) {
    left -= share
    if (left < 0) return command
  }
  return 'NOOP'
}

/** What a session costs that has selected a folder and waits. */
async function idleKib({ port, pids }: Target, login: Login, count: number): Promise<number> {
  const before = pssMb(pids)
  const clients: Client[] = []
  for (let n = 0; n < count; n++) {
    const client = await Client.open(port, login)
    await client.ask('SELECT INBOX')
    void client.idle()
    clients.push(client)
  }
  const after = pssMb(pids)
  for (const client of clients) client.close()
  return ((after - before) * 1024) / count
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begin = performance.now()
  await work()
  return performance.now() - begin
}

/** A client that reads no more of an answer than where it ends. */
class Client {
  exists = 0
  readonly #socket: Socket
  readonly #writer = createWriter(7)
  #tail = ''
  #tags = 0
  #filled = 0
  #waiting: { readonly until: RegExp; readonly resolve: () => void } | null = null

  private constructor(socket: Socket) {
    this.#socket = socket
    socket.setNoDelay(true)
    socket.on('data', (chunk: Buffer) => this.#take(chunk.toString('latin1')))
  }

  static async open(port: number, { user, password }: Login): Promise<Client> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    const client = new Client(socket)
    await client.#until(/^\* OK/m)
    await client.ask(`LOGIN "${user}" "${password}"`)
    return client
  }

  async ask(command: string): Promise<void> {
    const tag = `t${++this.#tags}`
    this.#socket.write(`${tag} ${command}\r\n`)
    await this.#until(new RegExp(`(?:^|\\r\\n)${tag} (?:OK|NO|BAD)[^\\r]*\\r\\n$`))
  }

  /** Appends messages, each when the one before it is answered. */
  async fill(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const number = ++this.#filled
      const text = this.#writer
        .message({ number, address: 'a@bench.example', when: new Date() })
        .toString('latin1')
        .replace(/^From: /, number % 100 === 0 ? `From: ${rareSender} ` : 'From: ')
        .concat(number % 500 === 0 ? `${rareWord}\r\n` : '')
      await this.ask(`APPEND INBOX {${text.length}+}\r\n${text}`)
    }
  }

  /** Begins IDLE. Resolves with the time of the next EXISTS. */
  async idle(): Promise<number> {
    this.#socket.write(`t${++this.#tags} IDLE\r\n`)
    await this.#until(/^\+ /m)
    await this.#until(/ EXISTS\r\n/)
    return performance.now()
  }

  async done(): Promise<void> {
    this.#socket.write('DONE\r\n')
    await this.#until(new RegExp(`t${this.#tags} OK`))
  }

  close(): void {
    this.#socket.destroy()
  }

  #until(until: RegExp): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting = { until, resolve }
      this.#take('')
    })
  }

  #take(text: string): void {
    for (const [, count] of text.matchAll(/\* (\d+) EXISTS/g)) this.exists = Number(count)
    this.#tail = (this.#tail + text).slice(-600)
    const { until, resolve } = this.#waiting ?? {}
    const found = until?.exec(this.#tail)
    if (found === null || found === undefined || resolve === undefined) return
    this.#tail = this.#tail.slice(found.index + found[0].length)
    this.#waiting = null
    resolve()
  }
}
