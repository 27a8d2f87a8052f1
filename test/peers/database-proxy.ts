/**
 * A proxy to a database that fails as a deployment does: it delays, cuts connections before or after a command was carried out, and
 * answers like a primary that steps down or a majority that is unavailable. It reads the commands (OP_MSG) and asks a policy about each.
 */
import { type AddressInfo, connect, createServer, type NetConnectOpts, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Document, deserialize, serialize } from 'bson'

export type Fault =
  /** The command reaches the database later. */
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  /** The connection is cut; `done`: after the database carried out the command. */
  | { readonly kind: 'cut'; readonly done: boolean }
  /** The command is answered with this error and does not reach the database. */
  | { readonly kind: 'refuse'; readonly code: number; readonly codeName: string }
  /** The command is carried out, but the answer has a write concern error: it may not be durable. */
  | { readonly kind: 'writeConcern'; readonly code: number; readonly codeName: string }

/** Returns the fault for a command, given its body and the whole message; null: none. */
export type Policy = (name: string, body: Document, message: Buffer) => Fault | null

export type DatabaseProxy = {
  readonly host: string
  /** Sets the policy; with null every command passes. */
  follow(policy: Policy | null): void
  /** Ends all connections. */
  cut(): void
  close(): Promise<void>
}

export const delayed = (ms: number): Fault => ({ kind: 'delay', until: sleep(ms) })

/**
 * Holds the first command that `is` accepts until `wake`, as if the process hung at this moment. `hanging` resolves when it arrives.
 */
export function hangAt(
  proxy: DatabaseProxy,
  is: (name: string, body: Document) => boolean,
): { readonly wake: () => void; readonly hanging: Promise<void> } {
  const { promise: until, resolve: wake } = Promise.withResolvers<void>()
  const { promise: hanging, resolve: hangs } = Promise.withResolvers<void>()
  let isHung = false
  proxy.follow((name, body) => {
    if (isHung || !is(name, body)) return null
    isHung = true
    hangs()
    return { kind: 'delay', until }
  })
  return { wake, hanging }
}

const opMsg = 2013
const headerBytes = 16
/** OP_MSG: header, flags, and the kind of its first section, before the document. */
const documentAt = headerBytes + 5
/** The commands with which drivers monitor the server and log in; they always pass. */
const passing = new Set(['hello', 'ismaster', 'isMaster', 'saslStart', 'saslContinue', 'endSessions'])

/** Starts the proxy in front of a database, on a free port of 127.0.0.1. */
export async function startDatabaseProxy(database: NetConnectOpts): Promise<DatabaseProxy> {
  const open = new Set<Socket>()
  let policy: Policy | null = null
  const server = createServer((client) => {
    const upstream = connect(database)
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(socket)
      socket.on('error', () => other.destroy())
      socket.on('close', () => {
        open.delete(socket)
        other.destroy()
      })
    }
    /** The faults for the answers to commands that passed, by request id. */
    const answers = new Map<number, Fault>()
    let last = Promise.resolve()
    eachMessage(client, (message) => {
      // Messages of a connection stay in order.
      last = last.then(() => handOn(message))
    })
    eachMessage(upstream, (message) => {
      const fault = answers.get(message.readInt32LE(8))
      answers.delete(message.readInt32LE(8))
      if (fault?.kind === 'cut') client.destroy()
      else client.write(fault?.kind === 'writeConcern' ? withConcern(message, fault) : message)
    })

    async function handOn(message: Buffer): Promise<void> {
      const fault = faultOf(message)
      const id = message.readInt32LE(4)
      if (fault?.kind === 'delay') await fault.until
      else if (fault?.kind === 'refuse') return void client.write(refusal(id, fault))
      else if (fault?.kind === 'cut' && !fault.done) return void client.destroy()
      else if (fault !== null) answers.set(id, fault)
      upstream.write(message)
    }
  })

  function faultOf(message: Buffer): Fault | null {
    if (policy === null || message.readInt32LE(12) !== opMsg) return null
    const body = deserialize(message.subarray(documentAt, documentAt + message.readInt32LE(documentAt)))
    const [name = ''] = Object.keys(body)
    return passing.has(name) ? null : policy(name, body, message)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = () => {
    for (const socket of open) socket.destroy()
  }
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    follow: (next) => {
      policy = next
    },
    cut,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        cut()
      }),
  }
}

function eachMessage(socket: Socket, hear: (message: Buffer) => void): void {
  let pending: Buffer = Buffer.alloc(0)
  socket.on('data', (chunk: Buffer) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk])
    while (pending.length >= 4 && pending.length >= pending.readInt32LE(0)) {
      const message = pending.subarray(0, pending.readInt32LE(0))
      pending = pending.subarray(message.length)
      hear(message)
    }
  })
}

type Said = { readonly code: number; readonly codeName: string }

/** Makes an error answer to a request. */
function refusal(id: number, { code, codeName }: Said): Buffer {
  const document = serialize({ ok: 0, code, codeName, errmsg: `${codeName} (said by a proxy)` })
  const head = Buffer.alloc(documentAt)
  head.writeInt32LE(documentAt + document.length, 0)
  head.writeInt32LE(id, 8)
  head.writeInt32LE(opMsg, 12)
  return Buffer.concat([head, document])
}

/** Adds a write concern error to the answer to a write. */
function withConcern(message: Buffer, { code, codeName }: Said): Buffer {
  const answer = deserialize(message.subarray(documentAt))
  if (typeof (answer.n ?? answer.nInserted) !== 'number' && answer.lastErrorObject === undefined) return message
  const writeConcernError = { code, codeName, errmsg: `${codeName} (said by a proxy)` }
  const document = serialize({ ...answer, writeConcernError })
  const changed = Buffer.concat([message.subarray(0, documentAt), document])
  changed.writeInt32LE(changed.length, 0)
  return changed
}
