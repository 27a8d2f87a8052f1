/** Measures the CPU time that operations of one IMAP client take on a large warm mailbox, by process. Other work hardly affects it. */
import { shown, table } from './figures.ts'
import { Client, rareSender, rareWord } from './imap-client.ts'
import { imapPid } from './imap-idle.ts'
import { startMailService } from './imap-service.ts'
import { cpuMs, pidOf, rested } from './processes.ts'

/** An operation. `before` is a command that is sent first and not measured, so that the operation has something to do. */
type Operation = { readonly name: string; readonly command: string; readonly before?: string }

const flagged = (flag: string): readonly Operation[] => {
  const [add, remove] = [`STORE 1:* +FLAGS.SILENT (${flag})`, `STORE 1:* -FLAGS.SILENT (${flag})`]
  return [
    { name: `STORE 1:* +FLAGS.SILENT ${flag}`, command: add, before: remove },
    { name: `STORE 1:* -FLAGS.SILENT ${flag}`, command: remove, before: add },
  ]
}

const appended = 200
const rounds = 5

/** Fills a mailbox with this many messages and prints the figures, each the mean of several rounds. */
export async function measureCpu(messages: number): Promise<void> {
  const { service, port, logins, rest } = await startMailService({ mailboxes: 1, connections: 100 })
  try {
    const root = service.process.pid ?? 0
    const pids = [imapPid(root), pidOf([root], 'engine') ?? 0] as const
    const client = await Client.open(port, logins[0]!)
    await client.fill(messages, 20)
    await rest()
    const spent = async (work: () => Promise<unknown>) => {
      const read = () => [...pids.map((pid) => cpuMs([pid])), cpuMs([root])]
      await rested([root])
      const before = read()
      await work()
      await rested([root])
      return read().map((ms, n) => ms - before[n]!)
    }
    await client.ask('SELECT INBOX')
    const rows: string[][] = []
    for (const { name, command, before } of operations) {
      const sums = [0, 0, 0]
      for (let round = 0; round <= rounds; round++) {
        if (before !== undefined) await client.ask(before)
        const each = await spent(() => client.ask(command))
        // The first round warms up.
        if (round > 0) for (const [n, ms] of each.entries()) sums[n]! += ms / rounds
      }
      rows.push([name, ...sums.map((ms) => shown(ms))])
    }
    const each = await spent(() => client.fill(appended))
    rows.push(['APPEND, each', ...each.map((ms) => shown(ms / appended))])
    console.log(table(['operation', 'IMAP, ms of CPU', 'engine', 'all processes'], rows))
  } finally {
    await service.dispose()
  }
}

const operations: readonly Operation[] = [
  { name: 'FETCH 1:* (FLAGS)', command: 'FETCH 1:* (FLAGS)' },
  { name: 'FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)', command: 'FETCH 1:* (FLAGS UID ENVELOPE BODYSTRUCTURE)' },
  { name: 'FETCH 1:* BODY.PEEK[]', command: 'FETCH 1:* BODY.PEEK[]' },
  { name: 'SEARCH FROM', command: `SEARCH FROM "${rareSender}"` },
  { name: 'SEARCH SUBJECT', command: 'SEARCH SUBJECT "quarterly"' },
  { name: 'SEARCH TEXT', command: `SEARCH TEXT ${rareWord}` },
  ...flagged('\\Answered'),
  ...flagged('\\Seen'),
  ...flagged('\\Flagged'),
  ...flagged('Work'),
]
