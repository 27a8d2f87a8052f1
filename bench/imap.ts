/**
 * Measures the IMAP server on one large mailbox and with many clients, and Dovecot with the same commands if it is installed.
 * See README.md.
 */
import { parseArgs } from 'node:util'
import { startDovecot } from './dovecot.ts'
import { median, quantile, shown, table } from './figures.ts'
import { Client, type Login, rareSender, rareWord } from './imap-client.ts'
import { measureCpu } from './imap-cpu.ts'
import { imapPid, measureIdle } from './imap-idle.ts'
import { startMailService } from './imap-service.ts'
import { pssMb, rested } from './processes.ts'
import { createWriter } from './synthetic-mail.ts'

type Target = {
  readonly port: number
  /** The first is that of the large mailbox, the last that of a mailbox used only to warm up. */
  readonly logins: readonly Login[]
  /** The processes that hold the sessions. */
  readonly pids: readonly number[]
  /** Delivers a message to the large mailbox; resolves when it is acknowledged. */
  deliver(): Promise<void>
  /** Resolves when the server has no work left. */
  rest(): Promise<unknown>
}
type Size = { readonly messages: number; readonly clients: number; readonly idle: number }
type Figure = { readonly name: string; readonly unit: 'ms' | '/s' | 'KiB'; readonly value: number }

const mixedMs = 5_000
/** Messages that are first appended to a mailbox of their own, and are not counted. */
const warmUpMessages = 1_000
/** How many messages are appended one by one, and how many of the others with each command. */
const appendedAlone = 1_000
const appendedTogether = 20

/**
 * Runs the bench. Options: --quick, --messages N, --clients N, --only mailroom. Instead, --idle N measures N waiting sessions, and
 * --cpu the CPU time of operations.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      messages: { type: 'string' },
      clients: { type: 'string' },
      only: { type: 'string' },
      idle: { type: 'string' },
      cpu: { type: 'boolean', default: false },
    },
  })
  if (values.idle !== undefined) return measureIdle(Number(values.idle))
  if (values.cpu) return measureCpu(Number(values.messages ?? (values.quick ? 1_000 : 10_000)))
  const size = {
    messages: Number(values.messages ?? (values.quick ? 1_000 : 10_000)),
    clients: Number(values.clients ?? (values.quick ? 20 : 100)),
    idle: values.quick ? 500 : 1_000,
  }
  const ours = await ofMailroom(size)
  const theirs = values.only === 'mailroom' ? null : await ofDovecot(size)
  const rows = ours.map(({ name, unit, value }) => {
    const other = theirs?.find((figure) => figure.name === name)?.value
    return [name, unit, shown(value), shown(other), shown(other === undefined ? undefined : value / other)]
  })
  console.log(`\n${table(['operation', 'unit', 'Mailroom', 'Dovecot', 'ratio'], rows)}`)
}

async function ofMailroom(size: Size): Promise<readonly Figure[]> {
  const mail = await startMailService({ mailboxes: size.clients + 1, connections: size.idle + size.clients + 100 })
  const { service, port, logins, deliver, rest } = mail
  try {
    const pids = [imapPid(service.process.pid ?? 0)]
    return await measure({ port, pids, logins, deliver: () => deliver(logins[0]!), rest }, size)
  } finally {
    await service.dispose()
  }
}

async function ofDovecot(size: Size): Promise<readonly Figure[] | null> {
  const dovecot = await startDovecot()
  if (typeof dovecot === 'string') {
    console.log(`No peer: ${dovecot}.`)
    return null
  }
  try {
    const { port, password, pids } = dovecot
    const logins = Array.from({ length: size.clients + 1 }, (_, n) => ({ user: `u${n}`, password }))
    const writing = await Client.open(port, logins[0]!)
    return await measure({ port, pids, logins, deliver: () => writing.fill(1), rest: () => rested(pids) }, size)
  } finally {
    await dovecot.stop()
  }
}

async function measure(target: Target, { messages, clients, idle }: Size): Promise<readonly Figure[]> {
  const [large] = target.logins
  const filler = await Client.open(target.port, large!)
  // Measured first, because later sessions would use memory that other work has freed.
  const kib: Figure = { name: 'an idle session', unit: 'KiB', value: await idleKib(target, large!, idle) }
  const other = await Client.open(target.port, target.logins.at(-1)!)
  await other.fill(warmUpMessages)
  other.close()
  const alone = Math.min(messages / 2, appendedAlone)
  const aloneMs = await timed(() => filler.fill(alone))
  const togetherMs = await timed(() => filler.fill(messages - alone, appendedTogether))
  const appends: readonly Figure[] = [
    { name: 'APPEND on one connection', unit: '/s', value: (alone / aloneMs) * 1_000 },
    {
      name: `APPEND of ${appendedTogether} together: messages`,
      unit: '/s',
      value: ((messages - alone) / togetherMs) * 1_000,
    },
  ]
  await target.rest()
  const ofOne = await single(target, large!)
  const news: Figure = { name: 'IDLE: from the 250 to EXISTS', unit: 'ms', value: median(await idleMs(target, large!)) }
  const inMany = await mixed(target, target.logins.slice(0, clients), 'a mailbox each')
  const everyone = Array.from({ length: clients }, () => large!)
  const inOne = await mixed(target, everyone, 'one mailbox')
  return [...appends, ...ofOne, news, ...inMany, ...inOne, kib]
}

const operations: readonly (readonly [name: string, command: string])[] = [
  ['FETCH 1:* (FLAGS)', 'FETCH 1:* (FLAGS)'],
  ['FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)', 'FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)'],
  ['FETCH 1:* BODY.PEEK[]', 'FETCH 1:* BODY.PEEK[]'],
  ['SEARCH FROM', `SEARCH FROM "${rareSender}"`],
  ['SEARCH BODY', `SEARCH BODY ${rareWord}`],
  ['SEARCH TEXT', `SEARCH TEXT ${rareWord}`],
  ['STORE 1:* +FLAGS.SILENT', 'STORE 1:* +FLAGS.SILENT (\\Answered)'],
  ['STORE 1:* -FLAGS.SILENT', 'STORE 1:* -FLAGS.SILENT (\\Answered)'],
]
/** How often each is measured, in turn with the others. The first time is shown apart, of the others the median. */
const rounds = 10

/** How long operations of one client take, each on a connection of its own. */
async function single({ port }: Target, login: Login): Promise<readonly Figure[]> {
  const selecting: number[] = []
  const times = operations.map((): number[] => [])
  for (let round = 0; round < rounds; round++) {
    selecting.push(
      await timed(async () => {
        const client = await Client.open(port, login)
        await client.ask('SELECT INBOX')
        client.close()
      }),
    )
    for (const [n, [, command]] of operations.entries()) {
      const client = await Client.open(port, login)
      await client.ask('SELECT INBOX')
      times[n]!.push(await timed(() => client.ask(command)))
      client.close()
    }
  }
  return [
    { name: 'login and SELECT', unit: 'ms', value: median(selecting) },
    ...operations.flatMap(([name], n): Figure[] => [
      { name: `${name}, the first`, unit: 'ms', value: times[n]![0]! },
      { name, unit: 'ms', value: median(times[n]!.slice(1)) },
    ]),
  ]
}

async function idleMs({ port, deliver }: Target, login: Login): Promise<number[]> {
  const waiting = await Client.open(port, login)
  await waiting.ask('SELECT INBOX')
  const found: number[] = []
  for (let n = 0; n < 20; n++) {
    const heard = waiting.idle()
    await deliver()
    const at = performance.now()
    found.push((await heard) - at)
    await waiting.done()
  }
  waiting.close()
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

/** Measures clients that each send the next command as soon as the last is answered. */
async function mixed({ port }: Target, logins: readonly Login[], where: string): Promise<readonly Figure[]> {
  const { random } = createWriter(1)
  const clients = await Promise.all(logins.map((login) => Client.open(port, login)))
  for (const client of clients) {
    await client.ask('SELECT INBOX')
    if (client.exists < 200) await client.fill(200 - client.exists, appendedTogether)
    await client.ask('NOOP')
  }
  const askAll = async () => {
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
    return { times, seconds: (performance.now() - begin) / 1_000 }
  }
  // The first pass warms up.
  await askAll()
  const { times, seconds } = await askAll()
  for (const client of clients) client.close()
  const name = `${logins.length} clients, ${where}`
  return [
    { name: `${name}: operations`, unit: '/s', value: times.length / seconds },
    { name: `${name}: p50`, unit: 'ms', value: quantile(times, 0.5) },
    { name: `${name}: p99`, unit: 'ms', value: quantile(times, 0.99) },
  ]
}

function choose(random: () => number): string {
  let left = random() * 100
  for (const [command, share] of mix) {
    left -= share
    if (left < 0) return command
  }
  return 'NOOP'
}

/** The memory of a session that has selected a folder and waits in IDLE, in KiB. */
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
