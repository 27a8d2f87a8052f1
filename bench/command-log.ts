/** Logs the commands that a service sends to its database, by a proxy between them, for the driver alone to repeat (replay.ts). */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { commandOf, type Document, framed, opcodes } from '../test/peers/wire-messages.ts'

/**
 * One command: its message, its outcome, and when it began and ended, as numbers in the sequence of all beginnings and ends. A log
 * has commands in the order in which they ended.
 */
export type Noted = {
  readonly began: number
  readonly ended: number
  readonly message: Uint8Array
  readonly outcome: Outcome
}

/** The parts of an answer that should be the same when the command is repeated. */
export type Outcome = { readonly [count: string]: number }

export type CommandLog = {
  /** The socket that the service has to use for its database. */
  readonly socket: string
  /** Continues the log in a new file. Returns the file that it has filled so far. */
  turn(): string
  stop(): Promise<void>
}

/** Commands that are not logged: those of the connection itself, and those that may wait for news. */
const unnoted: ReadonlySet<string> = new Set([
  'hello',
  'ismaster',
  'isMaster',
  'ping',
  'getMore',
  'killCursors',
  'endSessions',
])
const counts = ['n', 'nModified', 'nInserted', 'nMatched', 'nUpserted', 'nDeleted', 'nErrors'] as const

/** Starts a proxy for the server at the socket `server`, which logs its commands to files in `folder`. */
export async function startCommandLog(server: string, folder: string): Promise<CommandLog> {
  mkdirSync(folder)
  const open = new Set<Socket>()
  let moment = 0
  let files = 0
  const nextFile = () => {
    const name = path.join(folder, String(files++))
    return { name, descriptor: openSync(name, 'w') }
  }
  let file = nextFile()

  const proxy = createServer((client) => {
    const upstream = connect(server)
    const asked = new Map<number, Pick<Noted, 'began' | 'message'>>()
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
    client.on('data', (bytes) => void upstream.write(bytes))
    client.on(
      'data',
      framed((frame) => {
        if (isNoted(frame)) asked.set(frame.readInt32LE(4), { began: moment++, message: Buffer.from(frame) })
      }),
    )
    upstream.on('data', (bytes) => void client.write(bytes))
    upstream.on(
      'data',
      framed((frame) => {
        const of = frame.readInt32LE(8)
        const found = asked.get(of)
        if (found === undefined) return
        asked.delete(of)
        const noted: Noted = { ...found, ended: moment++, outcome: outcomeOf(commandOf(frame)) }
        writeSync(file.descriptor, recordOf(noted))
      }),
    )
  })
  const socket = path.join(folder, 'database.sock')
  await new Promise<void>((resolve) => proxy.listen(socket, resolve))
  return {
    socket,
    turn() {
      closeSync(file.descriptor)
      const { name } = file
      file = nextFile()
      return name
    },
    async stop() {
      for (const each of open) each.destroy()
      await new Promise((resolve) => proxy.close(resolve))
      closeSync(file.descriptor)
    },
  }
}

/** A record of a log: its length in four bytes, and the serialized command. */
function recordOf(noted: Noted): Buffer {
  const body = serialize(noted)
  const length = Buffer.alloc(lengthBytes)
  length.writeUInt32LE(body.length)
  return Buffer.concat([length, body])
}

/** The commands of a log, in the order in which they ended. */
export function readLog(file: string): readonly Noted[] {
  const bytes = readFileSync(file)
  const found: Noted[] = []
  for (let at = 0; at < bytes.length; ) {
    const from = at + lengthBytes
    at = from + bytes.readUInt32LE(at)
    found.push(deserialize(bytes.subarray(from, at)) as Noted)
  }
  return found
}

const lengthBytes = 4

function isNoted(frame: Buffer): boolean {
  if (frame.readInt32LE(12) !== opcodes.message) return false
  const command = commandOf(frame)
  return !unnoted.has(Object.keys(command)[0] ?? '') && command.tailable !== true
}

/** The outcome of a command, from the answer of the server. */
export function outcomeOf(answer: Document): Outcome {
  const found = counts.flatMap((count) => (typeof answer[count] === 'number' ? [[count, answer[count]] as const] : []))
  const batch = answer.cursor?.firstBatch as readonly unknown[] | undefined
  return Object.fromEntries([
    ['ok', answer.ok],
    ...found,
    ...(batch === undefined ? [] : [['documents', batch.length]]),
  ])
}
