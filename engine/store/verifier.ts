/**
 * Verification in a thread of its own: it sees one snapshot from its beginning to its end, and nobody waits for it.
 * Commits go on; the log cannot be started anew meanwhile and grows instead.
 */
import { parentPort, Worker, workerData } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import { openReader } from './database.ts'
import { Store } from './store.ts'
import { type Verification, verifyCollection } from './verify.ts'

type Task = { readonly verify: { readonly dir: string; readonly database: string; readonly name: string } }

if (parentPort !== null && isTask(workerData)) {
  const { dir, database, name } = workerData.verify
  const store = new Store(openReader(dir))
  const found = store.snapshot(() => {
    const collection = store.collection(database, name)
    return collection === undefined ? undefined : verifyCollection(store, collection)
  })
  store.db.close()
  parentPort.postMessage(found)
}

/**
 * Compares the indexes of a collection with its documents; undefined when there is no such collection.
 * @throws EngineError MaxTimeMSExpired past `deadline` (of `performance.now()`)
 */
export async function verifyApart(
  task: Task['verify'],
  deadline: number | undefined,
): Promise<Verification | undefined> {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { verify: task } satisfies Task,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  const { promise, resolve, reject } = Promise.withResolvers<Verification | undefined>()
  worker.once('message', resolve)
  worker.once('error', reject)
  const timer =
    deadline === undefined
      ? undefined
      : setTimeout(
          () => reject(new EngineError('MaxTimeMSExpired', 'operation exceeded time limit')),
          Math.max(0, deadline - performance.now()),
        )
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await worker.terminate()
  }
}

function isTask(data: unknown): data is Task {
  return typeof data === 'object' && data !== null && 'verify' in data
}
