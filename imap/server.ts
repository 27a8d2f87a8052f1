/**
 * The IMAP server: listens, admits connections, and ends those whose login is no longer valid. Invariant: every connection is
 * counted until it is closed.
 */
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { ConnectionCounter, closeGently } from '../core/access/connections.ts'
import { watchLogins } from '../core/access/login-limits.ts'
import type { Principal } from '../core/access/principal.ts'
import { createTlsServer, type TlsContexts } from '../core/certificates/tls-contexts.ts'
import { secondMs } from '../core/process/clock.ts'
import type { Context } from '../core/process/context.ts'
import { createInFlight, type InFlight } from '../core/process/in-flight.ts'
import { Failure } from '../schemas/failures.ts'
import { Connection } from './connection.ts'
import { createStructures, type Structures } from './fetch/structures.ts'
import { limits } from './limits.ts'
import { Room } from './room.ts'
import { createTexts, type Texts } from './search/document.ts'
import { Views } from './selected/views.ts'

export type ImapServer = {
  /** The ports on which it listens; null for a door that is off. */
  readonly ports: { readonly imap: number | null; readonly imaps: number | null }
  /** Stops listening, sends BYE to every client, and resolves when all are gone or after `withinMs`, when it cuts the rest off. */
  close(withinMs: number): Promise<void>
}

export type ServerOptions = {
  readonly host: string
  readonly port: number | null
  readonly tlsPort: number | null
  readonly contexts: TlsContexts
}

/** Starts the server. Rejects when a port is taken. */
export async function startImap(ctx: Context, { host, port, tlsPort, contexts }: ServerOptions): Promise<ImapServer> {
  const door = new Door(ctx, contexts)
  watchLogins(ctx)
  const open = port === null ? null : createServer(serverOptions, (socket) => door.enter(socket))
  const secure =
    tlsPort === null
      ? null
      : createTlsServer(contexts, { ...serverOptions, handshakeTimeout: handshakeMs }, (socket) => door.enter(socket))
  const servers = [open, secure].filter((server) => server !== null)
  const listening = [listen(open, { host, port }), listen(secure, { host, port: tlsPort })]
  const [imap = null, imaps = null] = await Promise.all(listening)
  return {
    ports: { imap, imaps },
    async close(withinMs) {
      for (const server of servers) server.close()
      await door.close(withinMs)
    },
  }
}

const serverOptions = { keepAlive: true, allowHalfOpen: false } as const
const handshakeMs = 30_000

function listen(
  server: Server | null,
  { host, port }: { readonly host: string; readonly port: number | null },
): Promise<number | null> {
  if (server === null || port === null) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port))
  })
}

/** Admits connections and holds what the connections of a process share. */
class Door {
  readonly #ctx: Context
  readonly #contexts: TlsContexts
  readonly #views: Views
  readonly #structures: Structures
  readonly #texts: Texts
  readonly #room = new Room(limits.appendBytesInFlight)
  readonly #inFlight: InFlight
  readonly #counter: ConnectionCounter
  readonly #connections = new Map<Connection, Promise<void>>()
  readonly #stopListening: () => void
  readonly #expiry: NodeJS.Timeout

  constructor(ctx: Context, contexts: TlsContexts) {
    this.#ctx = ctx
    this.#contexts = contexts
    this.#views = new Views(ctx)
    this.#structures = createStructures(ctx)
    this.#texts = createTexts(ctx)
    this.#inFlight = createInFlight({ bytesMax: () => ctx.settings.limits.imap.fetchBytesInFlight })
    this.#counter = new ConnectionCounter(ctx.settings.limits.imap)
    this.#stopListening = ctx.changes.listen((note) => {
      if (note.kind === 'keys') this.#checkLogins(({ keyId }) => note.keyIds.includes(keyId))
      if (note.kind === 'callers')
        this.#checkLogins(({ keyId, accountId }) => note.keyIds.includes(keyId) || note.accountIds.includes(accountId))
    })
    // No note says that a key has expired, and a client in IDLE sends no command for half an hour.
    this.#expiry = setInterval(() => {
      const now = this.#ctx.clock.now()
      this.#checkLogins(({ endsAt }) => endsAt !== undefined && endsAt <= now)
    }, secondMs).unref()
  }

  enter(socket: Socket): void {
    const address = socket.remoteAddress
    if (address === undefined) {
      socket.destroy()
      return
    }
    if (!this.#counter.enter(socket, address)) {
      socket.on('error', () => socket.destroy())
      socket.end('* BYE [UNAVAILABLE] Too many connections\r\n')
      closeGently(socket)
      return
    }
    const connection = new Connection({
      ctx: this.#ctx,
      views: this.#views,
      structures: this.#structures,
      texts: this.#texts,
      room: this.#room,
      inFlight: this.#inFlight,
      socket,
      address,
      contexts: this.#contexts,
    })
    socket.once('close', () => this.#counter.leave(socket))
    this.#connections.set(
      connection,
      connection.serve().finally(() => {
        this.#connections.delete(connection)
        this.#count()
      }),
    )
    this.#count()
  }

  async close(withinMs: number): Promise<void> {
    this.#stopListening()
    clearInterval(this.#expiry)
    this.#views.close()
    for (const connection of this.#connections.keys()) connection.end('The server is stopping')
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, withinMs)
    })
    await Promise.race([Promise.all(this.#connections.values()), late])
    clearTimeout(timer)
    for (const connection of this.#connections.keys()) connection.abandon()
  }

  #count(): void {
    this.#ctx.metrics.set('mailroom_imap_connections', {}, this.#connections.size)
  }

  /** Checks the logins that `isMeant` selects and ends the sessions whose key or account has ended. */
  #checkLogins(isMeant: (principal: Principal) => boolean): void {
    for (const connection of this.#connections.keys()) {
      const { login } = connection.session
      if (login === null || !isMeant(login.principal)) continue
      login.again().then(
        (again) => {
          connection.session.login = again
        },
        (error: unknown) => {
          if (error instanceof Failure && error.code !== 'unavailable') connection.end('The login has ended')
          else this.#ctx.log.warn({ err: error }, 'a login could not be checked')
        },
      )
    }
  }
}
