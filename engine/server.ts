import { chmodSync, lstatSync, readFileSync, unlinkSync } from 'node:fs'
import { type AddressInfo, createServer, type ListenOptions, type Server, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Peer } from './auth/peer.ts'
import { deriveKeys, type ScramKeys } from './auth/scram.ts'
import { decode } from './bson/decode.ts'
import type { Engine } from './commands/command.ts'
import { dispatch } from './commands/dispatch.ts'
import { Cursors } from './cursors/cursors.ts'
import { EngineError } from './errors.ts'
import { limits } from './limits.ts'
import { log } from './log.ts'
import { Sessions } from './sessions/sessions.ts'
import { FolderInUse, lockFolder, openReader } from './store/database.ts'
import { Store } from './store/store.ts'
import { startSweeper } from './ttl/sweeper.ts'
import { Budget } from './wire/budget.ts'
import { Connection } from './wire/connection.ts'
import { Outbox } from './wire/reply.ts'
import { Writer } from './writer/client.ts'

export type TcpOptions = {
  readonly host: string
  readonly port: number
  readonly user: string
  /** The path of a file that holds the password and nothing else, except white space at its end. */
  readonly passwordFile: string
}

export type ServerOptions = {
  /** The data folder; created if missing, and locked. */
  readonly dir: string
  /** The path of the unix socket; a stale one is replaced. */
  readonly socket: string
  /** The address to listen on for TCP as well, and the user who may log in there. */
  readonly tcp?: TcpOptions
  /** Refuse queries that no index serves (code 291). */
  readonly noTableScan?: boolean
  /** How long to wait for another process to release the folder. */
  readonly lockWaitMs?: number
  /** A delay added to every commit, for measurements. */
  readonly syncDelayMs?: number
  /** The largest size of the database file; 0 or absent means that only the disk limits it. */
  readonly fileBytesMax?: number
  /** The bytes of requests held at once, past which sockets are not read. */
  readonly requestBytesMax?: number
  /** How often expired documents are removed. */
  readonly ttlEveryMs?: number
  /** How long cursors and sessions may be unused. */
  readonly cursorIdleMs?: number
  readonly sessionIdleMs?: number
  /** Called when nothing can be written any more, after a pause in which the last answers are sent. */
  readonly onFailure: (reason: string) => void
}

export type RunningServer = {
  /** Accepts no more connections, answers the commands in progress (for at most `limits.stopMs`), and closes the file. */
  readonly stop: () => Promise<void>
  /** The number of connected clients. */
  readonly connections: () => number
  /** Makes a consistent copy of all data in a file that must not exist yet; reads and writes go on. @throws EngineError */
  readonly backup: (path: string) => Promise<void>
}

const socketMode = 0o600
const failureGraceMs = 200
const lockPollMs = 25
const sweepEveryMs = 60_000

/**
 * Opens the store and listens.
 * @throws Error if the folder is in use or has a newer format, or the socket path cannot be used
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  log('info', 'embedded single-node store: no replication, no failover; set MONGODB_URL for production')
  const { cursorIdleMs = limits.cursorIdleMs, sessionIdleMs = limits.sessionIdleMs } = options
  const cursors = new Cursors(cursorIdleMs)
  const lock = await takeFolder(options.dir, options.lockWaitMs ?? 0)
  let reader: Store | undefined
  const writer = await Writer.start(
    {
      dir: options.dir,
      noTableScan: options.noTableScan === true,
      syncDelayMs: options.syncDelayMs ?? 0,
      fileBytesMax: options.fileBytesMax ?? 0,
    },
    {
      committed: () => reader?.renew(),
      news: (collections) => cursors.stir(collections),
      failed(reason) {
        log('error', 'the store cannot be written any more', { reason })
        setTimeout(() => options.onFailure(reason), failureGraceMs)
      },
    },
  )
  reader = new Store(openReader(options.dir))
  const engine: Engine = {
    dir: options.dir,
    reader,
    writer,
    cursors,
    sessions: new Sessions(sessionIdleMs),
    noTableScan: options.noTableScan === true,
    startedAt: Date.now(),
    counters: { connections: 0, connectionsMade: 0, requests: 0, requestBytes: 0, commands: new Map() },
  }
  const stopSweeper = startSweeper(writer, options.ttlEveryMs ?? limits.ttlEveryMs)
  const housekeeping = setInterval(
    () => {
      engine.cursors.sweep(Date.now())
      for (const session of engine.sessions.sweep(Date.now())) engine.cursors.killSession(session)
    },
    Math.min(sweepEveryMs, cursorIdleMs, sessionIdleMs),
  )
  const connections = new Set<Connection>()
  const accept = acceptor(engine, connections, new Budget(options.requestBytesMax ?? limits.requestBytes))
  const servers = [await listen(options.socket, accept)]
  log('info', 'listening', { socket: options.socket })
  if (options.tcp !== undefined) servers.push(await listenTcp(options.tcp, accept))
  return {
    connections: () => connections.size,
    async backup(path) {
      const reply = decode(await writer.write({ kind: 'backup', path }))
      if (Number(reply.ok) !== 1) throw new EngineError('OperationFailed', String(reply.errmsg))
    },
    async stop() {
      for (const server of servers) server.close()
      stopSweeper()
      clearInterval(housekeeping)
      cursors.stop()
      const until = Date.now() + limits.stopMs
      while ([...connections].some((connection) => connection.busy) && Date.now() < until) await delay(5)
      await Promise.race([writer.stop(), delay(Math.max(100, until - Date.now()), undefined, { ref: false })])
      for (const connection of connections) connection.close()
      engine.reader.db.close()
      lock.close()
    },
  }
}

type Accept = (socket: Socket, keys?: ScramKeys) => void

/** Returns the function that serves each new connection, of the unix socket and of TCP. */
function acceptor(engine: Engine, connections: Set<Connection>, budget: Budget): Accept {
  const shared = { budget, outbox: new Outbox() }
  const { counters } = engine
  return (socket, keys) => {
    const peer = new Peer(++counters.connectionsMade, keys)
    counters.connections++
    const connection = new Connection(socket, peer, shared, (message) => {
      counters.requests++
      counters.requestBytes = budget.used
      return dispatch(engine, message, peer)
    })
    connections.add(connection)
    socket.once('close', () => {
      counters.connections--
      connections.delete(connection)
    })
  }
}

/** Locks the data folder, and waits for another process to release it. @throws FolderInUse if it is still in use after `waitMs` */
async function takeFolder(dir: string, waitMs: number): Promise<ReturnType<typeof lockFolder>> {
  const until = Date.now() + waitMs
  let told = false
  for (;;) {
    try {
      return lockFolder(dir)
    } catch (error) {
      if (!(error instanceof FolderInUse) || Date.now() >= until) throw error
    }
    if (!told) log('warn', 'the data folder is in use: waiting for the other process to end', { dir, waitMs })
    told = true
    await delay(lockPollMs)
  }
}

async function listen(path: string, accept: Accept): Promise<Server> {
  removeStale(path)
  const server = createServer((socket) => accept(socket))
  const mask = process.umask(0o177)
  try {
    await listening(server, { path })
  } finally {
    process.umask(mask)
  }
  chmodSync(path, socketMode)
  return server
}

async function listenTcp({ host, port, user, passwordFile }: TcpOptions, accept: Accept): Promise<Server> {
  const keys = await deriveKeys(user, readFileSync(passwordFile, 'utf8').trimEnd())
  const server = createServer({ noDelay: true, keepAlive: true }, (socket) => accept(socket, keys))
  server.maxConnections = limits.tcpConnections
  await listening(server, { host, port })
  const address = server.address() as AddressInfo
  log('info', 'listening', { host: address.address, port: address.port, user })
  if (!isLoopback(address.address))
    log('warn', 'connections over TCP are not encrypted: stored data can be read on the network')
  return server
}

function listening(server: Server, where: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(where, resolve)
  })
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}

/** Removes the socket of an earlier process: this one holds the data folder, so no other uses it. @throws Error for any other file */
function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket`)
  unlinkSync(path)
}
