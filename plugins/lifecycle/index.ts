/**
 * Start and end of the Haraka process and of each session. Outbound mail is queued only in the database. Mail in Haraka's own
 * queue folder would be sent a second time, so the folder is emptied before Haraka loads it.
 */
import { mkdir, rm } from 'node:fs/promises'
import { flushCompileCache } from 'node:module'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { openTlsContexts } from '../../core/certificates/tls-contexts.ts'
import { endAttempts } from '../../core/notify/attempts.ts'
import { answerWhetherAlive } from '../../core/process/alive.ts'
import type { Context } from '../../core/process/context.ts'
import { answerScrapes } from '../../core/process/metrics.ts'
import { authorityOf } from '../../schemas/authority.ts'
import { listenFailure } from '../../schemas/doors.ts'
import { Failure } from '../../schemas/failures.ts'
import type { Connection, Logs, Plugin, Server } from '../haraka.d.ts'
import { accept, hook, type Reply, refuse } from '../hook.ts'
import { close, context, onStop, runStops, settings } from '../process.ts'
import { type LogItem, writeLine } from './log.ts'
import { mendReplies } from './replies.ts'
import { closeEnded, drain } from './sessions.ts'
import { keepSettings } from './settings.ts'
import { answerServerNames, serveCertificates } from './tls.ts'

/** How long transactions may continue after a stop. Together with `closeTimeoutMs` less than the supervisor waits (cli/serve.ts). */
const drainTimeoutMs = 10_000
/** The same if the supervisor is gone: the port and the data folder have to be free for the next start. */
const orphanTimeoutMs = 2_000
/** How long pending writes may take after that: the database may be gone too. */
const closeTimeoutMs = 1_000

const replies = {
  tlsParameters: { code: 501, enhanced: '5.5.4', text: 'STARTTLS takes no parameters' },
  tlsAgain: { code: 503, enhanced: '5.5.1', text: 'The connection is already encrypted' },
} as const satisfies { readonly [name: string]: Reply }

/** Not a Set: its former members would stay in memory for a while (store/under-way.ts). */
const sessions: Connection[] = []
let log: Context['log'] | undefined
let haraka: Plugin | undefined

export function register(this: Plugin): void {
  haraka = this
  mendReplies(this)
  closeEnded(this)
  answerServerNames(this)
  this.register_hook('init_master', 'start')
  this.register_hook('lookup_rdns', 'openSession')
  this.register_hook('capabilities', 'advertiseCodes')
  this.register_hook('unrecognized_command', 'checkStartTls')
  this.register_hook('disconnect', 'closeSession')
  this.register_hook('log', 'writeLog')
  process.on('unhandledRejection', (error) => {
    this.logerror(`unhandled rejection: ${inspect(error)}`)
    // After a failed start, for example because a port is taken, nobody would learn of it otherwise.
    if (log === undefined) void failStart(error)
  })
  // If the supervisor goes away during the start, so does the database that the start waits for.
  const leave = () => {
    if (log === undefined) process.exit(1)
  }
  process.on('disconnect', leave)
  if (process.connected === false) leave()
}

/** init_master: runs when the listeners are open and the outbound queue is not loaded yet. Haraka would not report why it failed. */
export const start = hook((server: Server & Logs) => open(server).catch(failStart))

async function open(server: Server & Logs): Promise<undefined> {
  const queue = join(process.env.HARAKA ?? '', 'queue')
  await rm(queue, { recursive: true, force: true })
  await mkdir(queue, { recursive: true })
  if (haraka !== undefined) keepSettings(haraka)
  const ctx = await context()
  await ctx.skew.watch()
  const contexts = await openTlsContexts(ctx)
  if (haraka !== undefined) serveCertificates(haraka, server, contexts)
  onStop(async () => contexts.close())
  log = ctx.log
  onStop((timeoutMs) => endAttempts(ctx, timeoutMs))
  if (ctx.metrics.isOn) answerScrapes(ctx.metrics)
  watchSupervisor(server)
  answerWhetherAlive()
  process.send?.({ ready: true, smtp: addressOf(server) })
  // As the other parts of the service do (cli/ready).
  flushCompileCache()
  return undefined
}

/** lookup_rdns: prevents a DNS query for every connection. NXDOMAIN tells Haraka that there is no name. */
export const openSession = hook((connection: Connection) => {
  sessions.push(connection)
  return accept('NXDOMAIN')
})

export const closeSession = hook((connection: Connection) => {
  const at = sessions.indexOf(connection)
  if (at !== -1) sessions.splice(at, 1)
  return undefined
})

/** capabilities: RFC 2034. */
export const advertiseCodes = hook((connection: Connection) => {
  connection.capabilities?.push('ENHANCEDSTATUSCODES')
  return undefined
})

/**
 * unrecognized_command: STARTTLS has no parameters (RFC 3207 4) and starts TLS once. Haraka, whose own plugin handles it next, would
 * start a second handshake within TLS, which no client can complete. A client that had logged in must log in again (RFC 3207 4.2).
 */
export const checkStartTls = hook(({ tls, notes }: Connection, [command, parameters = '']: [string, string?]) => {
  if (command.toUpperCase() !== 'STARTTLS') return undefined
  if (tls.enabled) return refuse(replies.tlsAgain)
  if (parameters.trim() !== '') return refuse(replies.tlsParameters)
  notes.login = undefined
  notes.auth = undefined
  return undefined
})

/** log: writes Haraka's lines into our log once it is open; before that Haraka prints them (plugins/lifecycle/printed.ts). */
export const writeLog = hook((_logger: object, item: LogItem) => {
  if (log === undefined) return undefined
  writeLine(log, item)
  return accept()
})

/** Reports to the supervisor why the start failed, and ends the process. Never resolves, so that the start does not continue. */
function failStart(cause: unknown): Promise<never> {
  if (process.send === undefined) process.exit(1)
  const error = listenFailure(cause, settings())
  const advice = error instanceof Failure ? ` ${error.fix}` : ''
  const failed = `${error instanceof Error ? error.message : inspect(error)}${advice}`
  process.send({ failed }, () => process.exit(1))
  return new Promise(() => undefined)
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
  // The supervisor may have died before this process listened for `disconnect`.
  if (process.connected === false) stop(orphanTimeoutMs)
}

/** Refuses new sessions at once, then ends everything else in parallel. The exit status says whether all of it ended. */
async function end(server: Server & Logs, timeoutMs: number): Promise<void> {
  server.stopListeners()
  setTimeout(() => process.exit(1), timeoutMs + closeTimeoutMs).unref()
  try {
    await Promise.all([drain(sessions, timeoutMs), runStops(timeoutMs)])
    await close()
    process.exit(0)
  } catch (error) {
    server.logerror('the process could not stop cleanly', error)
    process.exit(1)
  }
}

function addressOf(server: Server): string {
  const [listener] = server.listeners
  if (listener === undefined) throw new Error('Haraka has no listener')
  const { address, port } = listener.address() as AddressInfo
  return authorityOf(address, port)
}
