/** Measures many sessions in IDLE: how much memory each takes, and how soon each is notified of a new message. */
import { readFileSync } from 'node:fs'
import { quantile, shown, table } from './figures.ts'
import { Client } from './imap-client.ts'
import { type MailService, startMailService } from './imap-service.ts'
import { pidOf, pssMb } from './processes.ts'

const mailboxesMax = 100
/** How many logins are in progress at once. */
const atOnce = 20
/** How long everything rests before memory is read. */
const restMs = 5_000
/** How many files this process opens besides the sessions. */
const otherFiles = 200

/** Opens this many sessions, each logged in and with INBOX selected, and prints the figures. */
export async function measureIdle(sessions: number): Promise<void> {
  requireFiles(sessions + otherFiles)
  const mail = await startMailService({ mailboxes: Math.min(mailboxesMax, sessions), connections: sessions + 10 })
  try {
    const imap = imapPid(mail.service.process.pid ?? 0)
    const before = { imap: pssMb([imap]), all: pssMb([mail.service.process.pid ?? 0]) }
    const clients = await openAll(mail, sessions)
    await new Promise((resolve) => setTimeout(resolve, restMs))
    const after = { imap: pssMb([imap]), all: pssMb([mail.service.process.pid ?? 0]) }
    const delays = await newsOf(mail, clients)
    const kib = (mb: number) => shown((mb * 1024) / sessions)
    console.log(
      table(
        [
          'sessions in IDLE',
          'KiB each, IMAP process',
          'KiB each, all processes',
          'EXISTS after the 250: p50 ms',
          'p99 ms',
        ],
        [
          [
            String(sessions),
            kib(after.imap - before.imap),
            kib(after.all - before.all),
            shown(quantile(delays, 0.5)),
            shown(quantile(delays, 0.99)),
          ],
        ],
      ),
    )
    for (const client of clients) client.close()
  } finally {
    await mail.service.dispose()
  }
}

/** Throws if too few files may be open: the service and this process each have one open for every session. */
function requireFiles(wanted: number): void {
  const [, soft = '0'] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? []
  if (Number(soft) < wanted) throw new Error(`Only ${soft} files may be open here: run \`ulimit -n ${wanted}\` first.`)
}

/** The pid of the IMAP process of a service. */
export function imapPid(supervisor: number): number {
  const found = pidOf([supervisor], 'imap-main')
  if (found === undefined) throw new Error('The service has no process for IMAP.')
  return found
}

async function openAll({ port, logins }: MailService, sessions: number): Promise<readonly Client[]> {
  const clients: Client[] = []
  for (let n = 0; n < sessions; n += atOnce) {
    const some = Array.from({ length: Math.min(atOnce, sessions - n) }, (_, i) => logins[(n + i) % logins.length]!)
    const opened = await Promise.all(
      some.map(async (login) => {
        const client = await Client.open(port, login)
        await client.ask('SELECT INBOX')
        await client.beginIdle()
        return client
      }),
    )
    clients.push(...opened)
  }
  return clients
}

/** Delivers one message to each mailbox in turn. Returns after how many ms each session was notified of the one in its mailbox. */
async function newsOf({ logins, deliver }: MailService, clients: readonly Client[]): Promise<readonly number[]> {
  const delays: number[] = []
  for (const [n, login] of logins.entries()) {
    const waiting = clients.filter((_, i) => i % logins.length === n).map((client) => client.nextExists())
    await deliver(login)
    const at = performance.now()
    for (const heardAt of await Promise.all(waiting)) delays.push(Math.max(0, heardAt - at))
  }
  return delays
}
