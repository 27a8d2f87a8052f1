/**
 * Compares our SMTP session with nodemailer's SMTPConnection: they send the same messages to the same sink in turn, over one and
 * over several connections, without delay and with a round trip of 20 ms. See README.md.
 */
import { once } from 'node:events'
import { parseArgs } from 'node:util'
import SMTPConnection from 'nodemailer/lib/smtp-connection/index.js'
import { dotStuffed } from '../plugins/outbound/carrier.ts'
import { openSession } from '../plugins/outbound/smtp/session.ts'
import { type Delay, startDelay } from './delay.ts'
import { median, shown, table } from './figures.ts'
import { arrived, type Measured, type Sink, startSink } from './sink.ts'

/** One connection. `send` rejects if the server does not accept the message. */
type Connection = { send(raw: Buffer): Promise<void>; quit(): void }
type Client = { readonly name: string; open(port: number): Promise<Connection> }

type Case = { readonly connections: number; readonly roundTripMs: number; readonly count: number }
type Row = Case & { readonly measured: ReadonlyMap<Client, Measured[]> }

const sender = 'agent@bench.example'
const recipient = 'r@remote.example'
const name = 'bench.example'
const roundTripMs = 20
/** The most bytes of one run, so that fewer messages are sent if they are large. */
const runBytesMax = 64 * 1024 * 1024

const ours: Client = {
  name: 'Mailroom',
  async open(port) {
    const session = await openSession({
      route: { name: '127.0.0.1', address: '127.0.0.1', port },
      name,
      tls: { kind: 'opportunistic' },
      tryTls: false,
      limits: { connectMs: 5_000, replyMs: 30_000, finalReplyMs: 30_000 },
    })
    if ('command' in session) throw new Error(`no session: ${session.reply}${session.trouble}`)
    return {
      async send(raw) {
        const { command, reply } = await session.send({
          sender,
          recipient,
          content: [dotStuffed(raw), Buffer.from('.\r\n')],
          sizeBytes: raw.length,
          is8Bit: false,
          needsUtf8: false,
          isHeld: async () => true,
          sevenBit: async () => null,
        })
        if (command !== '.' || !reply.startsWith('250')) throw new Error(`${command}: ${reply}`)
      },
      quit: () => session.quit(),
    }
  },
}

const nodemailer: Client = {
  name: 'nodemailer',
  async open(port) {
    const connection = new SMTPConnection({ host: '127.0.0.1', port, name, ignoreTLS: true, secure: false })
    connection.connect()
    await once(connection, 'connect')
    return {
      send: (raw) =>
        new Promise((resolve, reject) => {
          const envelope = { from: sender, to: recipient, size: raw.length }
          connection.send(envelope, raw, (error) => (error ? reject(error) : resolve()))
        }),
      quit() {
        // The sink may be stopped before it answers.
        connection.on('error', () => undefined)
        connection.quit()
      },
    }
  },
}

const clients = [ours, nodemailer]

/** Runs the bench. Options: --quick, --runs N, --kib N (size of a mail). */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, runs: { type: 'string' }, kib: { type: 'string' } },
  })
  const runs = Number(values.runs ?? (values.quick ? 2 : 7))
  const sizeBytes = Number(values.kib ?? 4) * 1024
  const raw = mailOf(sizeBytes)
  const upTo = (count: number) => Math.max(20, Math.min(count, Math.floor(runBytesMax / sizeBytes)))
  const cases: Case[] = [
    { connections: 1, roundTripMs: 0, count: upTo(2_000) },
    { connections: 10, roundTripMs: 0, count: upTo(2_000) },
    { connections: 1, roundTripMs, count: upTo(50) },
    { connections: 10, roundTripMs, count: upTo(500) },
  ]
  const rows = cases.map((one): Row => ({ ...one, measured: new Map(clients.map((client) => [client, []])) }))
  const sink = await startSink()
  let delay: Delay | null = null
  try {
    delay = await startDelay(sink.port, roundTripMs)
    // The first run warms up.
    for (let n = 0; n <= runs; n++)
      for (const row of rows)
        for (const client of clients) {
          const port = row.roundTripMs === 0 ? sink.port : delay.port
          const measured = await measure({ client, sink, port, raw, row })
          if (n > 0) row.measured.get(client)?.push(measured)
        }
  } finally {
    delay?.stop()
    sink.stop()
  }
  console.log(`\n${sizeBytes / 1024} KiB a mail, ${runs} runs, medians.\n`)
  console.log(report(rows))
}

async function measure({
  client,
  sink,
  port,
  raw,
  row: { connections, count },
}: {
  client: Client
  sink: Sink
  port: number
  raw: Buffer
  row: Case
}): Promise<Measured> {
  const open = await Promise.all(Array.from({ length: connections }, () => client.open(port)))
  await sink.reset()
  const [cpu, start] = [process.cpuUsage(), performance.now()]
  let left = count
  await Promise.all(
    open.map(async (connection) => {
      while (left-- > 0) await connection.send(raw)
    }),
  )
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(cpu)
  await arrived(sink, count)
  for (const connection of open) connection.quit()
  return { perSecond: count / seconds, cpuMsEach: (user + system) / 1_000 / count }
}

function report(rows: readonly Row[]): string {
  const of = (row: Row, client: Client, what: keyof Measured) =>
    median((row.measured.get(client) ?? []).map((m) => m[what]))
  return table(
    [
      'connections',
      'round trip ms',
      'Mailroom /s',
      'nodemailer /s',
      'ratio',
      'Mailroom CPU us each',
      'nodemailer',
      'ratio',
    ],
    rows.map((row) => {
      const [perSecond, cpu] = (['perSecond', 'cpuMsEach'] as const).map((what) =>
        clients.map((client) => of(row, client, what)),
      )
      const [a = Number.NaN, b = Number.NaN] = perSecond ?? []
      const [c = Number.NaN, d = Number.NaN] = cpu ?? []
      return [
        row.connections,
        row.roundTripMs,
        shown(a),
        shown(b),
        shown(a / b),
        shown(c * 1_000),
        shown(d * 1_000),
        shown(c / d),
      ].map(String)
    }),
  )
}

/** A message of ordinary lines, some of which begin with a dot. */
function mailOf(sizeBytes: number): Buffer {
  const head = `From: ${sender}\r\nTo: ${recipient}\r\nSubject: bench\r\n\r\n`
  const body = `${'A line of ordinary text, as people write it every day.\r\n'.repeat(9)}.\r\n`
  return Buffer.from(head + body.repeat(Math.ceil((sizeBytes - head.length) / body.length)))
}
