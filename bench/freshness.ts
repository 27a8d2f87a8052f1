/**
 * Measures how soon after its 250 a message is found by search, under a steady rate of arrivals by SMTP. Each message contains a
 * unique word. For some messages, that word is searched again and again until the message is found. See README.md.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { closeContext } from '../core/process/context.ts'
import { client, mailboxPath } from '../test/peers/rest.ts'
import { SmtpClient } from '../test/peers/smtp-client.ts'
import { contextOf, startService } from '../test/start/service.ts'
import { quantile, shown, table } from './figures.ts'
import { makeSenders, type Sender } from './senders.ts'

/** Arrivals per second: a light load, and the load for which freshness is promised. */
const rates = [1, 50] as const
const sessionsMax = 10
/** How many of the messages of a second are searched for; the others only arrive. */
const sampledPerSecond = 8
/** The pause between two searches for one message. */
const askEveryMs = 30
const givenUpMs = 10_000
const warmUpMs = 5_000
const text = 'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod.\r\n'.repeat(50)

type Asked = { readonly soonMs: number; readonly searches: number }

/** Runs the bench. Options: --quick, --seconds N. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { quick: { type: 'boolean', default: false }, seconds: { type: 'string' } },
  })
  const seconds = Number(values.seconds ?? (values.quick ? 15 : 60))
  const service = await startService({
    env: { MAILROOM_LOG_LEVEL: 'warn', MAILROOM_LIMITS_SMTP_CONNECTIONS_PER_ADDRESS: '1000' },
  })
  const ctx = await contextOf(service)
  try {
    const senders = await makeSenders(ctx)
    const target = { smtp: service.smtp, http: service.http, senders }
    await arrive(target, { rate: 50, forMs: warmUpMs })
    const rows: string[][] = []
    for (const rate of rates) {
      const { asked, arrivedPerSecond } = await arrive(target, { rate, forMs: seconds * 1_000 })
      const times = asked.map(({ soonMs }) => soonMs)
      const searches = asked.reduce((sum, each) => sum + each.searches, 0)
      const figures = [arrivedPerSecond, asked.length, searches / asked.length, ...quantiles(times)]
      rows.push([String(rate), ...figures.map(shown)])
    }
    const head = ['arrivals/s', 'arrived/s', 'asked', 'searches each', 'p50 ms', 'p99 ms', 'max ms']
    console.log(`\nFrom 250 until a search finds the message; ${seconds} s at each rate.\n\n${table(head, rows)}`)
  } finally {
    await closeContext(ctx)
    await service.dispose()
  }
}

const quantiles = (times: readonly number[]) => [quantile(times, 0.5), quantile(times, 0.99), Math.max(...times)]

type Target = { readonly smtp: string; readonly http: string; readonly senders: readonly Sender[] }

/** Sends mail at a rate, and searches for some of it. Rejects if a message is refused, or is not found within ten seconds. */
async function arrive(
  { smtp, http, senders }: Target,
  { rate, forMs }: { rate: number; forMs: number },
): Promise<{ readonly asked: readonly Asked[]; readonly arrivedPerSecond: number }> {
  const sessions = await Promise.all(Array.from({ length: Math.min(rate, sessionsMax) }, () => SmtpClient.hello(smtp)))
  const sampleEvery = Math.max(1, Math.round(rate / sampledPerSecond))
  const count = Math.round((rate * forMs) / 1_000)
  const began = performance.now()
  const asking: Promise<Asked>[] = []
  await Promise.all(
    sessions.map(async (session, first) => {
      for (let n = first; n < count; n += sessions.length) {
        await sleep(Math.max(0, began + (n * 1_000) / rate - performance.now()))
        const sender = senders[n % senders.length]!
        const word = `w${rate}x${n}x${Math.round(began)}`
        const raw = `From: carol@remote.example\r\nTo: ${sender.mailbox.address}\r\nSubject: ${word}\r\n\r\n${text}`
        const { code, text: reply } = await session.send([sender.mailbox.address], raw)
        if (code !== 250) throw new Error(`A message was refused: ${reply}`)
        if (n % sampleEvery === 0) asking.push(askFor(http, sender, word))
      }
      session.destroy()
    }),
  )
  const arrivedPerSecond = count / ((performance.now() - began) / 1_000)
  return { asked: await Promise.all(asking), arrivedPerSecond }
}

/** Searches for a word until it is found. */
async function askFor(http: string, { mailbox, key }: Sender, word: string): Promise<Asked> {
  const call = client(http, key)
  const accepted = performance.now()
  for (let searches = 1; performance.now() - accepted < givenUpMs; searches++) {
    const { status, body } = await call<{ messages: readonly unknown[] }>(
      'GET',
      `${mailboxPath(mailbox.address)}/search?q=${word}`,
    )
    if (status !== 200) throw new Error(`A search was refused: ${JSON.stringify(body)}`)
    if (body.messages.length > 0) return { soonMs: performance.now() - accepted, searches }
    await sleep(askEveryMs)
  }
  throw new Error(`A message was not found within ${givenUpMs} ms.`)
}
