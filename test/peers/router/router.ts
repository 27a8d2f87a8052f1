/**
 * Plays a mongos in front of an engine: it says that it is one, refuses what no mongos does with the declared shard keys, and
 * counts what would go to all shards.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Document, deserialize, Long, serialize } from 'bson'
import { commandOf, framed, opcodes, type Section, sectionsOf } from '../wire-messages.ts'
import { type ShardKeys, type Step, stepsOf } from './targeting.ts'

export type Router = {
  readonly socket: string
  /** What it refused, in words; each once. */
  readonly refused: ReadonlySet<string>
  /** The shard keys of the collections that were sharded here, by database and name. */
  readonly sharded: Map<string, Document>
  /** What would have gone to all shards, and how often. */
  readonly scattered: ReadonlyMap<string, Scattered>
  stop(): Promise<void>
}

export type Scattered = Pick<Step, 'collection' | 'kind' | 'by'> & { readonly times: number }

/** MongoDB's ShardKeyNotFound. */
const shardKeyNotFound = 61

/** Starts one on a socket of its own, in front of the engine behind `engine`. */
export async function startRouter(engine: string, keys: ShardKeys): Promise<Router> {
  const folder = mkdtempSync(path.join(tmpdir(), 'router-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const refused = new Set<string>()
  const scattered = new Map<string, Scattered>()
  const sharded = new Map<string, Document>()
  const hashed = new Set<string>()
  const open = new Set<Socket>()

  /** Why a command is refused; null for one that goes on. */
  function judge(command: Document): string | null {
    const steps = stepsOf(command, keys)
    const bad = steps.find((step) => step.refused !== undefined)
    if (bad !== undefined) {
      const words = `${bad.collection} by ${bad.by.join(', ')}: ${bad.refused}`
      refused.add(words)
      if (process.env.ROUTER_LENIENT) return null
      return words
    }
    for (const { collection, kind, target, by } of steps) {
      if (target !== 'all') continue
      const name = `${kind} ${collection} by ${by.join(', ')}`
      scattered.set(name, { collection, kind, by, times: (scattered.get(name)?.times ?? 0) + 1 })
    }
    return null
  }

  /** What a mongos answers from what it knows of the shards; null to what the engine answers. */
  function answerOf(command: Document): Document | null {
    const db = command.$db as string
    if (db === 'config' && command.find === 'collections') {
      const { $in: names } = command.filter._id as { readonly $in: readonly string[] }
      const firstBatch = names.flatMap((_id) => (sharded.has(_id) ? [{ _id, key: sharded.get(_id) }] : []))
      return { cursor: { id: Long.ZERO, ns: 'config.collections', firstBatch }, ok: 1 }
    }
    const indexes = (command.createIndexes === undefined ? [] : command.indexes) as readonly Document[]
    if (indexes.some(({ key }) => Object.values(key).includes('hashed'))) {
      hashed.add(`${db}.${command.createIndexes} ${JSON.stringify(indexes[0]!.key)}`)
      return { ok: 1 }
    }
    if (command.shardCollection === undefined) return null
    const { shardCollection: name, key } = command
    if (!hashed.has(`${name} ${JSON.stringify(key)}`))
      return {
        ok: 0,
        code: 72,
        codeName: 'InvalidOptions',
        errmsg: `Please create an index that starts with the proposed shard key of ${name}`,
      }
    if (sharded.has(name) && JSON.stringify(sharded.get(name)) !== JSON.stringify(key))
      return { ok: 0, code: 23, codeName: 'AlreadyInitialized', errmsg: `sharding already enabled for ${name}` }
    sharded.set(name, key)
    return { collectionsharded: name, ok: 1 }
  }

  const server = createServer((client) => {
    const upstream = connect(engine)
    /** Questions about the server, whose answers are changed. */
    const greetings = new Map<number, string>()
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
    client.on(
      'data',
      framed((frame) => {
        const command = commandOf(frame)
        const [name = ''] = Object.keys(command)
        if (/^(hello|ismaster|buildinfo)$/i.test(name)) greetings.set(frame.readInt32LE(4), name)
        const own = answerOf(command)
        if (own !== null) return void client.write(answer(frame, own))
        const why = judge(command)
        if (why === null) upstream.write(withoutTransaction(frame))
        else client.write(answer(frame, { ok: 0, code: shardKeyNotFound, codeName: 'ShardKeyNotFound', errmsg: why }))
      }),
    )
    upstream.on(
      'data',
      framed((frame) => {
        const name = greetings.get(frame.readInt32LE(8))
        greetings.delete(frame.readInt32LE(8))
        client.write(name === undefined ? frame : asRouter(frame))
      }),
    )
  })
  const socket = path.join(folder, 'router.sock')
  await new Promise<void>((resolve) => server.listen(socket, resolve))
  return {
    socket,
    refused,
    sharded,
    scattered,
    async stop() {
      for (const each of open) each.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** A message without the number that makes it retryable, which a standalone server does not take. */
function withoutTransaction(frame: Buffer): Buffer {
  if (frame.readInt32LE(12) !== opcodes.message || !frame.includes('txnNumber')) return frame
  const body = sectionsOf(frame).find(({ name }) => name === null)!
  const { txnNumber: _number, ...rest } = deserialize(frame.subarray(body.from, body.end), {
    promoteValues: false,
    promoteLongs: false,
    bsonRegExp: true,
  })
  return replaced(frame, body, rest)
}

function replaced(frame: Buffer, { from, end }: Pick<Section, 'from' | 'end'>, document: Document): Buffer {
  const made = Buffer.concat([frame.subarray(0, from), serialize(document), frame.subarray(end)])
  made.writeInt32LE(made.length, 0)
  return made
}

/** The answer of a server as a mongos gives it. */
function asRouter(frame: Buffer): Buffer {
  const section = frame.readInt32LE(12) === opcodes.reply ? { from: 36, end: frame.length } : sectionsOf(frame)[0]!
  const { embedded: _embedded, ...answered } = deserialize(frame.subarray(section.from, section.end), {
    promoteValues: false,
  })
  return replaced(frame, section, { ...answered, msg: 'isdbgrid' })
}

/** An answer to a message. */
function answer(frame: Buffer, document: Document): Buffer {
  const made = Buffer.concat([Buffer.alloc(21), serialize(document)])
  made.writeInt32LE(made.length, 0)
  made.writeInt32LE(frame.readInt32LE(4), 8)
  made.writeInt32LE(opcodes.message, 12)
  return made
}
