/**
 * Verification in a thread of its own: it reads one snapshot from beginning to end, and delays no other command.
 * Commits go on meanwhile; the log cannot be restarted and grows instead. Collections are usually checked one after another,
 * so a thread that is done stays ready for the next for a while.
 */
import { type MessagePort, parentPort, Worker, workerData } from 'node:worker_threads'
import { EngineError } from '../errors.ts'
import { openReader } from './database.ts'
import { Store } from './store.ts'
import { type Verification, verifyCollection } from './verify.ts'

type Task = { readonly dir: string; readonly database: string; readonly name: string }
type Found = { readonly found: Verification | undefined } | { readonly error: unknown }

const role = 'verifier'
/** A thread ends after this long without a task. */
const idleMs = 1_000
/** Threads without a task, the most recently used last. */
const resting: { readonly worker: Worker; readonly end: NodeJS.Timeout }[] = []

if (parentPort !== null && workerData === role) answer(parentPort)

function answer(port: MessagePort): void {
  port.on('message', (task: Task) => {
    try {
      port.postMessage({ found: verify(task) } satisfies Found)
    } catch (error) {
      port.postMessage({ error } satisfies Found)
    }
  })
}

function verify({ dir, database, name }: Task): Verification | undefined {
  const store = new Store(openReader(dir))
  try {
    return store.snapshot(() => {
      const collection = store.collection(database, name)
      return collection === undefined ? undefined : verifyCollection(store, collection)
    })
  } finally {
    store.db.close()
  }
}

/**
 * Compares the indexes of a collection with its documents. Returns undefined if there is no such collection.
 * @throws EngineError MaxTimeMSExpired past `deadline` (of `performance.now()`)
 */
export async function verifyApart(task: Task, deadline: number | undefined): Promise<Verification | undefined> {
  const worker = takeWorker()
  const { promise, resolve, reject } = Promise.withResolvers<Found>()
  worker.once('message', resolve)
  worker.once('error', reject)
  const timer =
    deadline === undefined
      ? undefined
      : setTimeout(
          () => reject(new EngineError('MaxTimeMSExpired', 'operation exceeded time limit')),
          Math.max(0, deadline - performance.now()),
        )
  let isDone = false
  try {
    worker.postMessage(task)
    const answer = await promise
    isDone = true
    if ('error' in answer) throw answer.error
    return answer.found
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject)
    if (isDone) rest(worker)
    else await worker.terminate()
  }
}

function takeWorker(): Worker {
  const last = resting.pop()
  if (last === undefined) return startWorker()
  clearTimeout(last.end)
  last.worker.ref()
  return last.worker
}

function startWorker(): Worker {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: role,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  })
  // A thread that fails while it rests is forgotten; no task depends on it, so its error is ignored.
  worker.on('error', () => undefined)
  worker.on('exit', () => forget(worker))
  return worker
}

function rest(worker: Worker): void {
  worker.unref()
  const end = setTimeout(() => {
    forget(worker)
    void worker.terminate()
  }, idleMs)
  resting.push({ worker, end: end.unref() })
}

function forget(worker: Worker): void {
  const at = resting.findIndex((each) => each.worker === worker)
  if (at >= 0) clearTimeout(resting.splice(at, 1)[0]?.end)
}
