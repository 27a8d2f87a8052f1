/**
 * A thread that moves the write-ahead log into the database file, so that commits do not have to.
 * After an unclean stop it first checks the file. Started by `writer/client.ts`.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { limits } from '../limits.ts'
import { log, reason } from '../log.ts'
import { openCheckpointer } from '../store/database.ts'
import { type Shared, signals } from './protocol.ts'

export type CheckpointerData = { readonly dir: string; readonly signals: Shared['signals']; readonly check: boolean }

if (parentPort !== null) run(workerData as CheckpointerData)

/** Returns when it is told to stop; the thread then ends. */
function run({ dir, signals: shared, check }: CheckpointerData): void {
  const db = openCheckpointer(dir)
  if (check) {
    const found = db.prepare('PRAGMA quick_check').get()?.quick_check
    log(found === 'ok' ? 'info' : 'error', 'checked after an unclean stop', { result: String(found) })
  }
  let moved = 0
  let warnedAt = Number.NEGATIVE_INFINITY
  let wanted = Atomics.load(shared, signals.checkpoint)
  while (Atomics.load(shared, signals.stop) === 0) {
    // Nothing else happens in this thread, so that it may sleep here: until something is committed, and then for a moment more.
    Atomics.wait(shared, signals.committed, moved)
    Atomics.wait(shared, signals.checkpoint, wanted, limits.checkpointEveryMs)
    wanted = Atomics.load(shared, signals.checkpoint)
    const committed = Atomics.load(shared, signals.committed)
    if (committed === moved) continue
    try {
      db.exec('PRAGMA wal_checkpoint(PASSIVE)')
      moved = committed
      if (Number.isFinite(warnedAt)) log('info', 'checkpoints work again')
      warnedAt = Number.NEGATIVE_INFINITY
    } catch (error) {
      // A disk may be full for hours, and may be the one that the log is on.
      if (performance.now() - warnedAt < limits.checkpointWarnEveryMs) continue
      warnedAt = performance.now()
      log('warn', 'checkpoint failed', { reason: reason(error) })
    }
  }
  db.close()
}
