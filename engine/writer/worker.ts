/** The writer thread: it alone changes the database file. Started by `writer/client.ts`. */
import { existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { encodeAnswer } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import { busyMs, openReader, openWriter, readMeta, writeMeta } from '../store/database.ts'
import { Store } from '../store/store.ts'
import { openGauge, reserveLog } from '../store/wal.ts'
import { giveBack } from '../wire/memory.ts'
import { errorBody } from '../wire/reply.ts'
import { blockedRow } from './block.ts'
import { newWriteContext } from './context.ts'
import { type Answer, Groups } from './groups.ts'
import { dropTemporary } from './output.ts'
import {
  type FromWriter,
  idBytes,
  newsRecordId,
  portRecordId,
  type Shared,
  signals,
  type ToWriter,
  type WriterData,
} from './protocol.ts'
import { offer, take } from './ring.ts'
import { statementFor } from './statements.ts'

/** More pages than any database has. */
const allPages = 2 ** 31 - 1

/** How long the event loop of this thread goes without a turn at most, while there is work and while there is none. */
const loopTurnMs = 20
const idleTurnMs = 5_000

if (parentPort !== null) run(parentPort, workerData as WriterData)

function run(port: MessagePort, data: WriterData): void {
  const db = openWriter(data.dir, data)
  const cleanStart = readMeta(db, 'clean') === 1
  writeMeta(db, 'clean', 0)
  reserve(data.dir)
  const keepLogShort = logKeeper(db, data)
  const ctx = newWriteContext(new Store(db), data.noTableScan, readMeta(db, blockedRow) === 1)
  dropTemporary(ctx)
  const send = (message: FromWriter, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const groups = new Groups(ctx, {
    syncDelayMs: data.syncDelayMs,
    answer(answers) {
      sendAnswers(answers, data.shared, send, [...ctx.stirred])
      ctx.stirred.clear()
    },
    fail: (text) => send({ kind: 'failed', reason: text }),
  })
  groups.clear()
  let stopping = false
  let backups = 0
  const enqueue = (request: ToWriter) => {
    if (request.kind === 'stop') {
      stopping = true
    } else if (request.kind === 'backup') {
      backups++
      void copy(data.dir, request.path).then((body) => {
        backups--
        sendAnswers([{ id: request.id, body }], data.shared, send)
      })
    } else {
      const message = request.kind === 'command' ? request.message : undefined
      groups.add({
        id: request.id,
        bytes: message?.length ?? 0,
        start: () => statementFor(ctx, request),
        ...(message !== undefined && message.length >= limits.largeBytes && { ended: () => giveBack(message) }),
      })
    }
  }
  const finish = () => {
    close(db)
    send({ kind: 'stopped' })
    port.close()
  }
  // The thread sleeps here rather than in its event loop. The loop gets a turn now and then, which V8 and a running backup
  // need.
  const work = () => {
    const until = performance.now() + loopTurnMs
    for (let idle = false; !idle && performance.now() < until; ) {
      const seen = Atomics.load(data.shared.signals, signals.requests)
      receive(data.shared, port, enqueue)
      if (groups.waiting > 0) {
        groups.runOne()
        keepLogShort()
      } else if (stopping && backups === 0) {
        return finish()
      } else if (backups > 0) {
        idle = true
      } else {
        idle = Atomics.wait(data.shared.signals, signals.requests, seen, idleTurnMs) === 'timed-out'
      }
    }
    if (backups > 0) setTimeout(work, 1)
    else setImmediate(work)
  }
  send({ kind: 'ready', cleanStart })
  work()
}

/** Gives the log its usual length. A disk that is too full for that is no failure: the log is then as long as fits. */
function reserve(dir: string): void {
  try {
    reserveLog(dir, limits.checkpointEveryBytes)
  } catch (error) {
    log('warn', 'could not reserve the full length of the write-ahead log', { reason: reason(error) })
  }
}

/** Takes every request that is in the ring. */
function receive({ requests }: Shared, port: MessagePort, enqueue: (request: ToWriter) => void): void {
  for (let record = take(requests); record !== undefined; record = take(requests)) {
    const id = record.readUInt32LE(0)
    if (id !== portRecordId) enqueue({ id, kind: 'command', message: record.subarray(idBytes) })
    else enqueue(nextOf(port))
  }
}

/** The request that the ring has announced. It is posted right after its announcement, so the loop spins for a moment at most. */
function nextOf(port: MessagePort): ToWriter {
  for (;;) {
    const next = receiveMessageOnPort(port)
    if (next !== undefined) return next.message as ToWriter
  }
}

/** Sends the answers of a group and the ids of the capped collections that it stirred: one wake-up for all that fits into the ring. */
function sendAnswers(
  answers: readonly Answer[],
  { answers: ring }: Shared,
  send: (message: FromWriter, transfer?: ArrayBuffer[]) => void,
  stirred: readonly number[] = [],
): void {
  let announced = false
  const idOf = Buffer.alloc(idBytes)
  for (const { id, body } of answers) {
    const bytes = encodeAnswer(body)
    idOf.writeUInt32LE(id, 0)
    if (bytes.length <= limits.largeBytes && offer(ring, idOf, bytes)) announced = true
    else {
      const own = Uint8Array.from(bytes)
      send({ kind: 'answer', id, bytes: own }, [own.buffer])
    }
  }
  if (stirred.length > 0) {
    if (offer(ring, newsOf(stirred))) announced = true
    else send({ kind: 'news', collections: stirred })
  }
  if (announced) send('answers')
}

/** The record that lists the capped collections with news. */
function newsOf(collections: readonly number[]): Buffer {
  const record = Buffer.alloc(idBytes * (collections.length + 1))
  record.writeUInt32LE(newsRecordId, 0)
  for (const [i, id] of collections.entries()) record.writeUInt32LE(id, idBytes * (i + 1))
  return record
}

/**
 * Returns the function to call after each group. It wakes the checkpoint thread once the log has grown enough. Above the hard
 * limit the writer restarts the log itself. Readers block that for moments only: after `walRestartWaitMs` the writer gives up,
 * and tries again once the log has grown by another `walHardBytes`.
 */
function logKeeper(db: DatabaseSync, { dir, shared: { signals: counters } }: WriterData) {
  const used = openGauge(dir)
  let asked = 0
  let refused = 0
  return () => {
    Atomics.add(counters, signals.committed, 1)
    Atomics.notify(counters, signals.committed)
    const bytes = used()
    if (bytes < asked) asked = refused = 0
    if (bytes > limits.walHardBytes + refused) {
      db.exec(`PRAGMA busy_timeout=${limits.walRestartWaitMs}`)
      if (!checkpoint(db, 'RESTART')) refused = bytes
      db.exec(`PRAGMA busy_timeout=${busyMs}`)
    } else if (bytes > asked + limits.checkpointEveryBytes) {
      asked = bytes
      Atomics.add(counters, signals.checkpoint, 1)
      Atomics.notify(counters, signals.checkpoint)
    }
  }
}

/** A failed checkpoint, on a full disk for example, loses nothing: the log still holds everything. @returns whether it was complete */
function checkpoint(db: DatabaseSync, mode: 'RESTART' | 'TRUNCATE'): boolean {
  try {
    return db.prepare(`PRAGMA wal_checkpoint(${mode})`).get()?.busy === 0
  } catch (error) {
    log('warn', 'checkpoint failed', { reason: reason(error) })
    return false
  }
}

/**
 * Copies the database while it is in use. The copy appears under its name once it is complete and on disk. A separate
 * connection copies all pages in one step, from one snapshot: concurrent writes neither wait nor make it start again.
 */
async function copy(dir: string, path: string): Promise<Answer['body']> {
  const source = openReader(dir)
  const partial = `${path}.partial`
  let made = false
  try {
    if (existsSync(path)) throw new Error(`${path} exists already`)
    // The copy holds everybody's mail: from the first moment only its owner may read it.
    const file = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      throw new Error(
        `${partial} exists: a backup to it is running, or one was interrupted and this file has to be removed`,
      )
    })
    await file.close()
    made = true
    await backup(source, partial, { rate: allPages })
    await sync(partial)
    await rename(partial, path)
    await sync(dirname(path))
    return { ok: 1 }
  } catch (error) {
    if (made)
      await rm(partial, { force: true }).catch((left: unknown) =>
        log('warn', 'could not remove a partial backup', { reason: reason(left) }),
      )
    return errorBody(
      new EngineError('OperationFailed', `backup failed: ${error instanceof Error ? error.message : error}`),
    )
  } finally {
    source.close()
  }
}

/** Flushes a file, or the entries of a folder, to disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync()
  await file.close()
}

function close(db: DatabaseSync): void {
  try {
    writeMeta(db, 'clean', 1)
  } catch (error) {
    log('warn', 'could not record that the stop was clean', { reason: reason(error) })
  }
  checkpoint(db, 'TRUNCATE')
  db.close()
}
