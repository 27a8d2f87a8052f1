/**
 * A thread that moves the write-ahead log into the database file, so that commits do not have to.
 * After an unclean stop it first checks the file. Started by `writer/client.ts`.
 */
import { statSync } from 'node:fs'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import { databasePath, openCheckpointer } from '../store/database.ts'

export type CheckpointerData = { readonly dir: string; readonly check: boolean }

if (parentPort !== null) run(parentPort, workerData as CheckpointerData)

function run(port: MessagePort, { dir, check }: CheckpointerData): void {
  const db = openCheckpointer(dir)
  if (check) {
    const found = db.prepare('PRAGMA quick_check').get()?.quick_check
    log(found === 'ok' ? 'info' : 'error', 'checked after an unclean stop', { result: String(found) })
  }
  let moved = 0
  const timer = setInterval(() => {
    const { size, mtimeMs } = statSync(`${databasePath(dir)}-wal`, { throwIfNoEntry: false }) ?? { size: 0, mtimeMs: 0 }
    if (size === 0 || mtimeMs === moved) return
    try {
      db.exec('PRAGMA wal_checkpoint(PASSIVE)')
      moved = mtimeMs
    } catch (error) {
      log('warn', 'checkpoint failed', { reason: reason(error) })
    }
  }, limits.checkpointEveryMs)
  port.on('message', () => {
    clearInterval(timer)
    db.close()
    port.close()
  })
}
