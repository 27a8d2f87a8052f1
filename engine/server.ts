import { chmodSync, lstatSync, unlinkSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { decode } from './bson/decode.ts'
import type { Engine } from './commands/command.ts'
import { dispatch } from './commands/dispatch.ts'
import { Cursors } from './cursors/cursors.ts'
import { EngineError } from './errors.ts'
import { limits } from './limits.ts'
import { log } from './log.ts'
import { Sessions } from './sessions/sessions.ts'
import { lockFolder, openReader } from './store/database.ts'
import { Store } from './store/store.ts'
import { startSweeper } from './ttl/sweeper.ts'
import { Budget } from './wire/budget.ts'
import { Connection } from './wire/connection.ts'
import { Writer } from './writer/client.ts'

export type ServerOptions = {
  /** The data folder; created if missing, held exclusively. */
  readonly dir: string
  /** Path of the unix socket; a stale one is replaced. */
  readonly socket: string
  /** Refuse queries that no index serves (code 291). */
  readonly noTableScan?: boolean
  /** Added to every commit, for measurements. */
  readonly syncDelayMs?: number
  /** Largest size of the database file; 0 or absent: as far as the disk goes. */
  readonly fileBytesMax?: number
  /** How often expired documents are removed. */
  readonly ttlEveryMs?: number
  /** How long cursors and sessions may lie unused. */
  readonly cursorIdleMs?: number
  readonly sessionIdleMs?: number
  /** Told once when nothing can be written any more; answers that are under way have been sent. */
  readonly onFailure: (reason: string) => void
}

export type RunningServer = {
  /** Takes no more connections, answers what is under way (at most `limits.stopMs`), closes the file. */
  readonly stop: () => Promise<void>
  /** Copies all data, consistently, to a file that must not exist yet; reads and writes go on. @throws EngineError */
  readonly backup: (path: string) => Promise<void>
}

const socketMode = 0o600
const failureGraceMs = 200
const sweepEveryMs = 60_000

/**
 * Opens the store and listens.
 * @throws Error when the folder is in use, has a newer format, or the socket path cannot be used
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  log('info', 'embedded single-node store: no replication, no failover; set MONGODB_URL for production')
  const lock = lockFolder(options.dir)
  const writer = await Writer.start(
    {
      dir: options.dir,
      noTableScan: options.noTableScan === true,
      syncDelayMs: options.syncDelayMs ?? 0,
      fileBytesMax: options.fileBytesMax ?? 0,
    },
    (reason) => {
      log('error', 'the store cannot be written any more', { reason })
      setTimeout(() => options.onFailure(reason), failureGraceMs)
    },
  )
  const { cursorIdleMs = limits.cursorIdleMs, sessionIdleMs = limits.sessionIdleMs } = options
  const engine: Engine = {
    dir: options.dir,
    reader: new Store(openReader(options.dir)),
    writer,
    cursors: new Cursors(cursorIdleMs),
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
  const server = await listen(options.socket, engine, connections)
  log('info', 'listening', { socket: options.socket })
  return {
    async backup(path) {
      const reply = decode(await writer.write({ kind: 'backup', path }))
      if (Number(reply.ok) !== 1) throw new EngineError('OperationFailed', String(reply.errmsg))
    },
    async stop() {
      server.close()
      stopSweeper()
      clearInterval(housekeeping)
      const until = Date.now() + limits.stopMs
      while ([...connections].some((connection) => connection.busy) && Date.now() < until) await delay(5)
      await Promise.race([writer.stop(), delay(Math.max(100, until - Date.now()), undefined, { ref: false })])
      for (const connection of connections) connection.close()
      engine.reader.db.close()
      lock.close()
    },
  }
}

async function listen(path: string, engine: Engine, connections: Set<Connection>): Promise<Server> {
  removeStale(path)
  const budget = new Budget()
  const { counters } = engine
  const server = createServer((socket) => {
    const id = ++counters.connectionsMade
    counters.connections++
    const connection = new Connection(socket, budget, (message) => {
      counters.requests++
      counters.requestBytes = budget.used
      return dispatch(engine, message, id)
    })
    connections.add(connection)
    socket.once('close', () => {
      counters.connections--
      connections.delete(connection)
    })
  })
  const mask = process.umask(0o177)
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(path, resolve)
    })
  } finally {
    process.umask(mask)
  }
  chmodSync(path, socketMode)
  return server
}

/** The folder is held by this process, so a socket left there belongs to nobody. Anything but a socket is left alone. */
function removeStale(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found === undefined) return
  if (!found.isSocket()) throw new Error(`${path} exists and is not a socket`)
  unlinkSync(path)
}
