/**
 * Start and end of the Haraka process, and of each session. The truth about outbound mail is in the database: what Haraka's
 * own queue folder holds from an earlier run would go out a second time, so it is emptied before it is loaded.
 */
import { mkdir, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import type { Context } from '../../core/process/context.ts'
import type { Connection, Logs, Plugin, Server } from '../haraka.d.ts'
import { accept, hook } from '../hook.ts'
import { close, context, runStops } from '../process.ts'
import { type LogItem, writeLine } from './log.ts'
import { mendReplies } from './replies.ts'
import { drain } from './sessions.ts'
import { shareTlsContext } from './tls.ts'

/** How long sessions in the middle of a transaction may go on after a stop. */
const drainTimeoutMs = 15_000
/** The same when the supervisor is gone: nobody may find the port or the data folder held. */
const orphanTimeoutMs = 2_000
/** What comes after: writing what waits, unless the database is gone too. */
const closeTimeoutMs = 1_000

const sessions = new Set<Connection>()
let log: Context['log'] | undefined
let haraka: Plugin | undefined

export function register(this: Plugin): void {
  haraka = this
  mendReplies(this)
  this.register_hook('init_master', 'start')
  this.register_hook('lookup_rdns', 'openSession')
  this.register_hook('capabilities', 'advertiseCodes')
  this.register_hook('disconnect', 'closeSession')
  this.register_hook('log', 'writeLog')
  process.on('unhandledRejection', (error) => {
    this.logerror(`unhandled rejection: ${inspect(error)}`)
    // Of a start that failed, such as at a port that is taken, nothing would be heard any more.
    if (log === undefined) failStart(error)
  })
  // A start whose supervisor is gone waits for a database that is gone too.
  const leave = () => {
    if (log === undefined) process.exit(1)
  }
  process.on('disconnect', leave)
  if (process.connected === false) leave()
}

/** init_master: the listeners are open, the outbound queue is not loaded yet. */
export const start = hook(async (server: Server & Logs) => {
  const queue = join(process.env.HARAKA ?? '', 'queue')
  await rm(queue, { recursive: true, force: true })
  await mkdir(queue, { recursive: true })
  if (haraka !== undefined) shareTlsContext(haraka)
  log = (await context()).log
  watchSupervisor(server)
  process.send?.({ ready: true, smtp: addressOf(server) })
  return undefined
})

/** lookup_rdns: without an answer Haraka asks the DNS about every connection. NXDOMAIN is its word for "no name". */
export const openSession = hook((connection: Connection) => {
  sessions.add(connection)
  return accept('NXDOMAIN')
})

export const closeSession = hook((connection: Connection) => {
  sessions.delete(connection)
  return undefined
})

/** capabilities: RFC 2034. */
export const advertiseCodes = hook((connection: Connection) => {
  connection.capabilities?.push('ENHANCEDSTATUSCODES')
  return undefined
})

/** log: Haraka's lines go where ours go, as soon as there is a log; before that Haraka writes them to stdout. */
export const writeLog = hook((_logger: object, item: LogItem) => {
  if (log === undefined) return undefined
  writeLine(log, item)
  return accept()
})

/** Tells the supervisor why there will be no ready message. */
function failStart(error: unknown): void {
  const failed = error instanceof Error ? error.message : inspect(error)
  if (process.send === undefined) process.exit(1)
  process.send({ failed }, () => process.exit(1))
}

function watchSupervisor(server: Server & Logs): void {
  let stopping = false
  const stop = (timeoutMs: number): void => {
    if (!stopping) void end(server, timeoutMs)
    stopping = true
  }
  process.on('message', (message: { readonly stop?: boolean }) => {
    if (message.stop === true) stop(drainTimeoutMs)
  })
  process.on('SIGTERM', () => stop(drainTimeoutMs))
  process.on('disconnect', () => stop(orphanTimeoutMs))
  // The supervisor may have died before anybody listened.
  if (process.connected === false) stop(orphanTimeoutMs)
}

/** New sessions are refused at once, the rest ends side by side; the exit status tells whether everything did. */
async function end(server: Server & Logs, timeoutMs: number): Promise<void> {
  server.stopListeners()
  setTimeout(() => process.exit(1), timeoutMs + closeTimeoutMs).unref()
  try {
    await Promise.all([drain(sessions, timeoutMs), runStops(timeoutMs)])
    await close()
    process.exit(0)
  } catch (error) {
    server.logerror('stop failed', error)
    process.exit(1)
  }
}

function addressOf(server: Server): string {
  const [listener] = server.listeners
  if (listener === undefined) throw new Error('Haraka has no listener')
  const { address, port } = listener.address() as AddressInfo
  return address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`
}
