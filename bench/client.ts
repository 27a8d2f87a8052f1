/**
 * SMTP clients in a process of their own, in closed loops: each sends its next message when the last one is answered. Every
 * message has its own connection.
 *
 *   node bench/client.ts --port N --connections N --count N --size BYTES --first N --domain NAME [--among N]
 *
 * Message n goes to `<n>u@DOMAIN`; after `among` addresses it begins with the first again. Prints one line of JSON: see
 * `ClientResult`.
 */
import { connect, type Socket } from 'node:net'
import { parseArgs } from 'node:util'
import { quantile } from './figures.ts'

export type ClientResult = {
  readonly accepted: number
  readonly refused: number
  readonly reasons: { readonly [reply: string]: number }
  readonly seconds: number
  /** The time from the last byte of a message to its 250. */
  readonly dataTo250Ms: { readonly p50: number; readonly p99: number }
}

type Load = {
  readonly port: number
  readonly count: number
  readonly first: number
  readonly among: number
  readonly domain: string
}

const replyTimeoutMs = 30_000
const lineText = `${'X'.repeat(76)}\r\n`

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    connections: { type: 'string' },
    count: { type: 'string' },
    size: { type: 'string' },
    first: { type: 'string' },
    among: { type: 'string', default: 'Infinity' },
    domain: { type: 'string' },
  },
})
const load = {
  port: Number(values.port),
  count: Number(values.count),
  first: Number(values.first),
  among: Number(values.among),
  domain: `${values.domain}`,
}
const body = lineText.repeat(Math.max(1, Math.floor(Number(values.size) / lineText.length)))
console.log(JSON.stringify(await drive(load, Number(values.connections))))

async function drive(load: Load, connections: number): Promise<ClientResult> {
  const timings: number[] = []
  const reasons: { [reply: string]: number } = {}
  let next = 0
  const started = performance.now()
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (next < load.count) {
        try {
          timings.push(await deliver(load, next++))
        } catch (error) {
          const reason = error instanceof Error ? error.message.slice(0, 60) : 'unknown'
          reasons[reason] = (reasons[reason] ?? 0) + 1
        }
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  return {
    accepted: timings.length,
    refused: load.count - timings.length,
    reasons,
    seconds,
    dataTo250Ms: { p50: quantile(timings, 0.5), p99: quantile(timings, 0.99) },
  }
}

/**
 * Sends one message over a new connection. Returns the ms from its last byte to the 250. Rejects with the reply if it is refused.
 */
function deliver({ port, first, among, domain }: Load, nth: number): Promise<number> {
  const number = first + (nth % among)
  const to = `${number}u@${domain}`
  const steps = [
    'EHLO load.test\r\n',
    `MAIL FROM:<sender@load.test>\r\n`,
    `RCPT TO:<${to}>\r\n`,
    'DATA\r\n',
    message(to, number),
  ]
  let sent = 0
  return new Promise((resolve, reject) => {
    let text = ''
    let step = 0
    let timing: number | null = null
    const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const fail = (why: string) => {
      socket.destroy()
      reject(new Error(why))
    }
    socket.setTimeout(replyTimeoutMs, () => fail('no answer in time'))
    socket.on('error', ({ message }) => fail(message))
    socket.on('close', () => (timing === null ? fail('closed') : resolve(timing)))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (!/(^|\n)\d{3} [^\n]*\n$/.test(text)) return
      if (!/^[23]/.test(text)) {
        fail(text.trim())
        return
      }
      text = ''
      if (step === steps.length) {
        timing = performance.now() - sent
        socket.end('QUIT\r\n')
      } else if (step < steps.length) {
        sent = performance.now()
        socket.write(steps[step]!)
      }
      step += 1
    })
  })
}

function message(to: string, number: number): string {
  const head = [
    'From: <sender@load.test>',
    `To: <${to}>`,
    `Subject: load ${number}`,
    `Date: ${new Date().toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${number}.${process.pid}.${Date.now()}@load.test>`,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}.\r\n`
}
