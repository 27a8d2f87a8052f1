/**
 * A mail server in a process of its own that accepts all mail and stores none. It reports how many messages it has received, and
 * when the first and the last one came. It does as little work as an SMTP server can, so that it is never the bottleneck.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import { eventually } from '../test/eventually.ts'

/** Times in milliseconds since the epoch. */
export type Counted = { readonly count: number; readonly firstAt: number; readonly lastAt: number }

export type Sink = {
  readonly port: number
  readonly pid: number
  /** The messages since the last reset. */
  counted(): Promise<Counted>
  reset(): Promise<void>
  stop(): void
}

/** A measured rate, and the CPU time for each message. */
export type Measured = { readonly perSecond: number; readonly cpuMsEach: number }

const arrivalMs = 120_000
const isChild = process.send !== undefined && process.argv[2] === 'sink'

export async function startSink(): Promise<Sink> {
  const child = fork(fileURLToPath(import.meta.url), ['sink'], { execArgv: ['--disable-warning=ExperimentalWarning'] })
  const [ready] = (await once(child, 'message')) as [{ port: number }]
  return {
    port: ready.port,
    pid: child.pid ?? 0,
    counted: () => ask<Counted>(child, 'count'),
    reset: () => ask(child, 'reset'),
    stop: () => void child.kill('SIGKILL'),
  }
}

/** Resolves when the sink has received `count` messages. */
export function arrived(sink: Sink, count: number): Promise<Counted> {
  return eventually(
    `${count} messages in the sink`,
    async () => {
      const counted = await sink.counted()
      return counted.count >= count ? counted : null
    },
    arrivalMs,
  )
}

async function ask<T>(child: ChildProcess, what: 'count' | 'reset'): Promise<T> {
  const answer = once(child, 'message')
  child.send(what)
  return (await answer)[0] as T
}

function serve(): void {
  let count = 0
  let firstAt = 0
  let lastAt = 0
  const server = createServer((socket) =>
    speak(socket, () => {
      lastAt = Date.now()
      if (count === 0) firstAt = lastAt
      count += 1
    }),
  )
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }))
  process.on('message', (what) => {
    if (what === 'reset') count = 0
    process.send?.({ count, firstAt, lastAt })
  })
  process.on('disconnect', () => process.exit(0))
}

function speak(socket: Socket, got: () => void): void {
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.write('220 sink\r\n')
  let inData = false
  let rest = ''
  socket.on('data', (chunk) => {
    let text = rest + chunk.toString('latin1')
    let answers = ''
    for (;;) {
      if (inData) {
        const end = text.indexOf('\r\n.\r\n')
        if (end < 0) {
          // Keeps the last bytes, because the end of the message may come in two pieces.
          rest = text.slice(-4)
          break
        }
        text = text.slice(end + 5)
        inData = false
        got()
        answers += '250 2.0.0 taken\r\n'
        continue
      }
      const end = text.indexOf('\r\n')
      if (end < 0) {
        rest = text
        break
      }
      const verb = text.slice(0, 4).toUpperCase()
      text = text.slice(end + 2)
      if (verb === 'EHLO') answers += '250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SIZE 100000000\r\n'
      else if (verb === 'DATA') {
        inData = true
        // The end of an empty message comes after a line end too: that of DATA.
        text = `\r\n${text}`
        answers += '354 go on\r\n'
      } else if (verb === 'QUIT') {
        socket.end(`${answers}221 bye\r\n`)
        return
      } else answers += '250 2.0.0 ok\r\n'
    }
    if (answers !== '') socket.write(answers)
  })
}

if (isChild) serve()
