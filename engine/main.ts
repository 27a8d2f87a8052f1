/**
 * The engine's process.
 *
 *   node engine/main.ts --data DIR --socket PATH [--tcp HOST:PORT --user NAME --password-file PATH] [--no-table-scan]
 *     [--lock-wait-ms N] [--sync-delay-ms N] [--file-bytes-max N] [--request-bytes-max N] [--ttl-every-ms N] [--cursor-idle-ms N]
 *     [--session-idle-ms N]
 *
 * What takes a number may come from the environment instead (ENGINE_FILE_BYTES_MAX), and so may the switch
 * (ENGINE_NO_TABLE_SCAN=1). Refuses to start while MONGODB_URL names another database.
 *
 * Says `{ ready: true }` over IPC, or as a JSON line on stdout without it. Ends with 0 on SIGTERM, SIGINT or the
 * message `{ stop: true }`, after what is queued has been written; ends as well when its IPC channel closes, once its
 * clients have left.
 * The message `{ ask: true }` is answered `{ alive: true }`, as long as the process does anything.
 * The message `{ scrape: true }` is answered `{ metrics: TEXT }`.
 * The message `{ backup: PATH }` makes a copy of all data and is answered `{ backup: PATH, ok }`.
 */
import { flushCompileCache } from 'node:module'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { limits } from './limits.ts'
import { log, reason } from './log.ts'
import { metricsText } from './metrics.ts'
import { type RunningServer, startServer, type TcpOptions } from './server.ts'

/** Numbers: at their defaults everything is as in daily use. */
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
    // Two databases that both believe to be the one would share the mail between them.
    if ((process.env.MONGODB_URL ?? '') !== '')
      throw new Error('MONGODB_URL is set: the embedded engine is not for this data')
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

/** All three or none. An IPv6 address stands in brackets. */
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
  // A supervisor that was killed closes the channel: nobody must be left holding the data folder. The others it started
  // leave first, because they still write down what they have done.
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

/** Resolves when no client is connected any more, at the latest after `limits.orphanMs`. */
async function leftAlone(server: RunningServer): Promise<void> {
  for (const until = Date.now() + limits.orphanMs; server.connections() > 0 && Date.now() < until; ) await delay(10)
}

/** Answers over IPC when the copy is whole, or says why there is none. */
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
  // One that is killed later keeps nothing of what it has compiled.
  flushCompileCache()
}
