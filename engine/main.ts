/**
 * The engine's process.
 *
 *   node engine/main.ts --data DIR --socket PATH [--tcp HOST:PORT --user NAME --password-file PATH] [--no-table-scan]
 *     [--lock-wait-ms N] [--sync-delay-ms N] [--file-bytes-max N] [--request-bytes-max N] [--ttl-every-ms N] [--cursor-idle-ms N]
 *     [--session-idle-ms N]
 *
 * Numbers may come from the environment instead (ENGINE_FILE_BYTES_MAX), and so may the switch (ENGINE_NO_TABLE_SCAN=1).
 * Refuses to start while MONGODB_URL is set.
 *
 * Sends `{ ready: true }` over IPC; without IPC, writes a JSON line to stdout. Exits with 0 on SIGTERM, SIGINT or the message
 * `{ stop: true }`, after the queued writes are done. Does the same when its IPC channel closes, once its clients have left.
 * The message `{ ask: true }` is answered with `{ alive: true }`, as long as the event loop runs.
 * The message `{ scrape: true }` is answered with `{ metrics: TEXT }`.
 * The message `{ backup: PATH }` makes a copy of all data and is answered with `{ backup: PATH, ok }`.
 */
import { flushCompileCache } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { limits } from './limits.ts'
import { log, reason } from './log.ts'
import { metricsText } from './metrics.ts'
import { type RunningServer, startServer, type TcpOptions } from './server.ts'

/** The options that take a number, with their defaults, which are those of normal operation. */
const numbers = {
  'lock-wait-ms': 0,
  'sync-delay-ms': 0,
  'file-bytes-max': 0,
  'request-bytes-max': limits.requestBytes,
  'ttl-every-ms': limits.ttlEveryMs,
  'cursor-idle-ms': limits.cursorIdleMs,
  'session-idle-ms': limits.sessionIdleMs,
} as const
type NumberName = keyof typeof numbers

const usage = `usage: node engine/main.ts --data DIR --socket PATH [--tcp HOST:PORT --user NAME --password-file PATH] [--no-table-scan] ${Object.keys(
  numbers,
)
  .map((name) => `[--${name} N]`)
  .join(' ')}`

await main()

async function main(): Promise<void> {
  const options = readOptions()
  if (options === undefined) {
    process.stderr.write(`${usage}\n`)
    process.exitCode = 2
    return
  }
  try {
    // With two databases in use, each would hold a part of the mail.
    if ((process.env.MONGODB_URL ?? '') !== '')
      throw new Error('MONGODB_URL is set, so the data is in that database: unset it to use the embedded engine')
    const server = await startServer({ ...options, onFailure: () => process.exit(1) })
    obeyStops(server)
    announce(options.socket)
  } catch (error) {
    const failed = error instanceof Error ? error.message : reason(error)
    log('error', 'cannot start', { reason: failed })
    if (process.send === undefined) process.exit(1)
    process.send({ failed }, () => process.exit(1))
  }
}

function readOptions() {
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: {
      data: text,
      socket: text,
      tcp: text,
      user: text,
      'password-file': text,
      'no-table-scan': { type: 'boolean', default: false },
      'lock-wait-ms': text,
      'sync-delay-ms': text,
      'file-bytes-max': text,
      'request-bytes-max': text,
      'ttl-every-ms': text,
      'cursor-idle-ms': text,
      'session-idle-ms': text,
    },
  })
  const number = (name: NumberName): number => {
    const given = values[name] ?? process.env[`ENGINE_${name.toUpperCase().replaceAll('-', '_')}`]
    if (given === undefined) return numbers[name]
    return /^\d+$/.test(given) ? Number(given) : Number.NaN
  }
  if (values.data === undefined || values.socket === undefined) return undefined
  const tcp = tcpOf(values.tcp, values.user, values['password-file'])
  if (tcp === 'wrong') return undefined
  const options = {
    dir: values.data,
    socket: values.socket,
    tcp,
    noTableScan: values['no-table-scan'] || process.env.ENGINE_NO_TABLE_SCAN === '1',
    lockWaitMs: number('lock-wait-ms'),
    syncDelayMs: number('sync-delay-ms'),
    fileBytesMax: number('file-bytes-max'),
    requestBytesMax: number('request-bytes-max'),
    ttlEveryMs: number('ttl-every-ms'),
    cursorIdleMs: number('cursor-idle-ms'),
    sessionIdleMs: number('session-idle-ms'),
  }
  return Object.values(options).some(Number.isNaN) ? undefined : options
}

/** The options of the TCP door: all three or none. An IPv6 address is written in brackets. */
function tcpOf(
  where: string | undefined,
  user: string | undefined,
  passwordFile: string | undefined,
): TcpOptions | undefined | 'wrong' {
  if (where === undefined && user === undefined && passwordFile === undefined) return undefined
  const found = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(where ?? '')
  if (found === null || user === undefined || passwordFile === undefined) return 'wrong'
  return { host: (found[1] ?? found[2])!, port: Number(found[3]), user, passwordFile }
}

function obeyStops(server: RunningServer): void {
  let stopping = false
  const stop = () => {
    if (stopping) return
    stopping = true
    log('info', 'stopping')
    server.stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log('error', 'stop failed', { reason: reason(error) })
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // When the supervisor is killed, the channel closes, and this process must not go on holding the data folder. The other
  // processes that it started end first, because they still have to record what they have done.
  process.on('disconnect', () => void leftAlone(server).then(stop))
  if (process.connected === false) stop()
  process.on('message', (message: unknown) => {
    if (typeof message !== 'object' || message === null) return
    if ('stop' in message && message.stop === true) stop()
    if ('ask' in message) process.send?.({ alive: true }, () => undefined)
    if ('scrape' in message) void metricsText().then((metrics) => process.send?.({ metrics }))
    if ('backup' in message && typeof message.backup === 'string') void copyTo(server, message.backup)
  })
}

/** Resolves once no client is connected, after `limits.orphanMs` at the latest. */
async function leftAlone(server: RunningServer): Promise<void> {
  for (const until = Date.now() + limits.orphanMs; server.connections() > 0 && Date.now() < until; ) await delay(10)
}

/** Makes a backup and answers over IPC once it is complete, or with the reason if it fails. */
async function copyTo(server: RunningServer, path: string): Promise<void> {
  try {
    await server.backup(path)
    process.send?.({ backup: path, ok: true })
  } catch (error) {
    process.send?.({ backup: path, ok: false, reason: error instanceof Error ? error.message : String(error) })
  }
}

function announce(socket: string): void {
  if (process.send === undefined) process.stdout.write(`${JSON.stringify({ ready: true, socket })}\n`)
  else process.send({ ready: true })
  // The compile cache is written now, because a process that is killed would lose it.
  flushCompileCache()
}
