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

/** Returns once `signals.stop` is set; the thread then ends. */
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
    // Nothing else runs in this thread, so it can sleep: until a commit, and then until its interval is over or `checkpoint` is raised.
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
      // A disk may stay full for hours, and this process may log to that same disk: the warning is not repeated each turn.
      if (performance.now() - warnedAt < limits.checkpointWarnEveryMs) continue
      warnedAt = performance.now()
      log('warn', 'checkpoint failed', { reason: reason(error) })
    }
  }
  db.close()
}
