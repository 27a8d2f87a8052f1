/** The commands that a service sends to its database, noted on their way, so that the driver alone can make the same (replay.ts). */
import { closeSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import path from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { commandOf, type Document, framed, opcodes } from '../test/peers/wire-messages.ts'

/**
 * One command: when it began and ended, counted in beginnings and ends of all; the message that carried it, and what the
 * server said of it. A log has them in the order in which they ended.
 */
export type Noted = {
  readonly began: number
  readonly ended: number
  readonly message: Uint8Array
  readonly outcome: Outcome
}

/** What is to be the same when the command is made again. */
export type Outcome = { readonly [count: string]: number }

export type CommandLog = {
  /** Where the service finds its database. */
  readonly socket: string
  /** Notes what follows in another file. Returns that in which it was noted until now. */
  turn(): string
  stop(): Promise<void>
}

/** Those of the connection itself, and those that wait for what comes. */
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

/** Starts to note, in files of `folder`, what goes to the server behind `server`, a socket. */
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

/** A record of a log: its length in four bytes, and what was noted. */
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

/** What the server says that a command did. */
export function outcomeOf(answer: Document): Outcome {
  const found = counts.flatMap((count) => (typeof answer[count] === 'number' ? [[count, answer[count]] as const] : []))
  const batch = answer.cursor?.firstBatch as readonly unknown[] | undefined
  return Object.fromEntries([
    ['ok', answer.ok],
    ...found,
    ...(batch === undefined ? [] : [['documents', batch.length]]),
  ])
}
