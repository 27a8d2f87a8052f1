/** The writer thread: it alone changes the database file. Started by `writer/client.ts`. */
import { existsSync, statSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backup, type DatabaseSync } from 'node:sqlite'
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import { busyMs, databasePath, openReader, openWriter, readMeta, writeMeta } from '../store/database.ts'
import { Store } from '../store/store.ts'
import { errorBody } from '../wire/reply.ts'
import type { WriteContext } from './context.ts'
import { type Answer, Groups } from './groups.ts'
import type { Answers, FromWriter, ToWriter, WriteRequest, WriterData } from './protocol.ts'
import { statementFor } from './statements.ts'

/** More pages than any database has. */
const allPages = 2 ** 31 - 1

if (parentPort !== null) run(parentPort, workerData as WriterData)

function run(port: MessagePort, data: WriterData): void {
  const db = openWriter(data.dir, data)
  const cleanStart = readMeta(db, 'clean') === 1
  writeMeta(db, 'clean', 0)
  const ctx: WriteContext = { store: new Store(db), noTableScan: data.noTableScan, lastRecord: new Map() }
  const send = (message: FromWriter, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)
  const groups = new Groups(ctx, {
    syncDelayMs: data.syncDelayMs,
    answer: (answers) => sendAnswers(answers, send),
    fail: (text) => send({ kind: 'failed', reason: text }),
  })
  let stopping = false
  let backups = 0
  const take = (message: ToWriter) => {
    if (message.kind === 'stop') stopping = true
    else for (const request of message.requests) enqueue(request)
  }
  const enqueue = (request: WriteRequest) => {
    if (request.kind === 'backup') {
      backups++
      void copy(data.dir, request.path).then((body) => {
        backups--
        sendAnswers([{ id: request.id, body }], send)
        finish()
      })
    } else {
      const bytes = request.kind === 'command' ? request.message.length : 0
      groups.add({ id: request.id, bytes, start: () => statementFor(ctx, request) })
    }
  }
  const finish = () => {
    if (!stopping || groups.waiting > 0 || backups > 0) return
    close(db)
    send({ kind: 'stopped' })
    port.close()
  }
  let scheduled = false
  // One group per turn: a copy that is under way gets its turns too.
  const work = () => {
    scheduled = false
    for (let more = receiveMessageOnPort(port); more !== undefined; more = receiveMessageOnPort(port)) {
      take(more.message as ToWriter)
    }
    if (groups.waiting > 0) {
      groups.runOne()
      restartLog(db, data.dir)
    }
    if (groups.waiting === 0) finish()
    else {
      scheduled = true
      setImmediate(work)
    }
  }
  port.on('message', (message: ToWriter) => {
    take(message)
    if (!scheduled) work()
  })
  send({ kind: 'ready', cleanStart })
}

/** All answers of a group travel in one buffer. */
function sendAnswers(answers: readonly Answer[], send: (message: FromWriter, transfer: ArrayBuffer[]) => void): void {
  const bodies = answers.map(({ body }) => encode(body, Number.MAX_SAFE_INTEGER))
  const bytes = new Uint8Array(bodies.reduce((size, body) => size + body.length, 0))
  const ends: number[] = []
  let at = 0
  for (const body of bodies) {
    bytes.set(body, at)
    at += body.length
    ends.push(at)
  }
  const message: Answers = { kind: 'answers', ids: answers.map(({ id }) => id), ends, bytes }
  send(message, [bytes.buffer])
}

/** Above the hard limit the writer starts the log anew. Readers hold it for moments only; a longer one is not waited for. */
function restartLog(db: DatabaseSync, dir: string): void {
  const size = statSync(`${databasePath(dir)}-wal`, { throwIfNoEntry: false })?.size ?? 0
  if (size <= limits.walHardBytes) return
  db.exec(`PRAGMA busy_timeout=${limits.walRestartWaitMs}`)
  checkpoint(db)
  db.exec(`PRAGMA busy_timeout=${busyMs}`)
}

/** A checkpoint that fails, on a full disk for example, loses nothing: the log still holds everything. */
function checkpoint(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch (error) {
    log('warn', 'checkpoint failed', { reason: reason(error) })
  }
}

/**
 * Copies the database while it is in use; the copy appears under its name when it is whole and on disk. A connection of
 * its own takes all pages in one step: it sees one snapshot, and writes that come meanwhile neither wait nor make it start
 * again.
 */
async function copy(dir: string, path: string): Promise<Answer['body']> {
  const source = openReader(dir)
  const partial = `${path}.partial`
  let made = false
  try {
    if (existsSync(path)) throw new Error(`${path} exists already`)
    // It holds everybody's mail: nobody but its owner may read it, at no time.
    await (await open(partial, 'wx', 0o600)).close()
    made = true
    await backup(source, partial, { rate: allPages })
    await sync(partial)
    await rename(partial, path)
    await sync(dirname(path))
    return { ok: 1 }
  } catch (error) {
    if (made)
      await rm(partial, { force: true }).catch((left: unknown) =>
        log('warn', 'a partial backup is left', { reason: reason(left) }),
      )
    return errorBody(
      new EngineError('OperationFailed', `backup failed: ${error instanceof Error ? error.message : error}`),
    )
  } finally {
    source.close()
  }
}

/** Brings a file, or the names in a folder, to disk. */
async function sync(path: string): Promise<void> {
  const file = await open(path, 'r')
  await file.sync()
  await file.close()
}

function close(db: DatabaseSync): void {
  try {
    writeMeta(db, 'clean', 1)
  } catch (error) {
    log('warn', 'the clean stop could not be noted', { reason: reason(error) })
  }
  checkpoint(db)
  db.close()
}
