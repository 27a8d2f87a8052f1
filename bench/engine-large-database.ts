/** Measures a large database: how soon the engine opens it after a kill, and how much memory the engine then takes. */
import { readFileSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { encode } from '../engine/bson/encode.ts'
import { replyMessage } from '../engine/wire/reply.ts'
import { type Started, startEngine, temporaryFolder } from '../test/start/engine.ts'
import { type Row, row } from './engine-loads.ts'

export type Big = {
  readonly gigabytes: number
  readonly openMs: number
  readonly firstAnswerMs: number
  /** The memory after documents all over the database were read and written. */
  readonly rssMb: number
  /** The size in MB of the requests that were sent at once, and the peak of the memory meanwhile. */
  readonly offeredMb: number
  readonly loadedRssMb: number
}

const batch = 500
const touched = 4_000
const MiB = 1024 * 1024
const requestBytes = 8 * MiB
const requests = 32

/** Writes `gigabytes` of rows with their indexes, kills the engine while it writes, opens it again, and measures. */
export async function measureBig(gigabytes: number): Promise<Big> {
  const dir = temporaryFolder()
  try {
    const first = await startEngine({ dir })
    const ids = await fill(first, gigabytes)
    const writing = keepWriting(first)
    await new Promise((resolve) => setTimeout(resolve, 300))
    await first.kill()
    await writing
    const began = performance.now()
    const engine = await startEngine({ dir })
    const openMs = performance.now() - began
    await engine.db.collection<Row>('large').findOne({ _id: ids[0] })
    const firstAnswerMs = performance.now() - began
    await touch(engine, ids)
    const rssMb = memoryMb(engine, 'VmRSS')
    await offer(engine)
    const loadedRssMb = memoryMb(engine, 'VmHWM')
    await engine.stop()
    return { gigabytes, openMs, firstAnswerMs, rssMb, offeredMb: (requests * requestBytes) / MiB, loadedRssMb }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function fill({ db }: Started, gigabytes: number): Promise<readonly string[]> {
  const collection = db.collection<Row>('large')
  await collection.createIndexes([
    { key: { mailbox: 1, uid: 1 }, unique: true },
    { key: { mailbox: 1, date: -1 } },
    { key: { messageId: 1 } },
    { key: { thread: 1 } },
  ])
  const ids: string[] = []
  for (let written = 0; written < gigabytes * 1024 * MiB; ) {
    const rows = Array.from({ length: batch }, () => row())
    ids.push(rows[0]!._id)
    await collection.insertMany(rows)
    written += batch * 10 * 1024
  }
  return ids
}

async function keepWriting({ db }: Started): Promise<void> {
  try {
    for (;;) await db.collection<Row>('large').insertMany(Array.from({ length: 50 }, () => row()))
  } catch {
    // The engine was killed, which ends the writing.
  }
}

async function touch({ db }: Started, ids: readonly string[]): Promise<void> {
  const collection = db.collection<Row>('large')
  for (let n = 0; n < touched; n++) {
    const _id = ids[(n * 7919) % ids.length]!
    await (n % 4 === 0
      ? collection.updateOne({ _id }, { $set: { uid: 1_000_000_000 + n } })
      : collection.findOne({ _id }))
  }
}

/** Sends large inserts all at once, each over a connection of its own; the driver would not send this much at once. */
async function offer(engine: Started): Promise<void> {
  const d = Buffer.alloc(requestBytes).toString('latin1')
  const message = replyMessage(encode({ insert: 'offered', documents: [{ d }], $db: 'test' }), 0, 1, false)
  const sockets = await Promise.all(Array.from({ length: requests }, () => opened(engine.socket)))
  await Promise.all(sockets.map((socket) => asked(socket, message)))
  for (const socket of sockets) socket.destroy()
}

function opened(path: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(path, () => resolve(socket))
    socket.once('error', reject)
  })
}

function asked(socket: Socket, message: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('data', () => resolve())
    socket.once('close', () => reject(new Error('the connection was closed')))
    socket.write(message)
  })
}

function memoryMb(engine: Started, line: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${engine.process.pid}/status`, 'utf8')
  return Number(new RegExp(`^${line}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024
}
