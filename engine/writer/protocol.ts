/**
 * What the main thread and the writer thread tell each other. Small commands and small answers travel through two rings;
 * everything else through the message port, announced in the ring so that the order of the requests is kept.
 */
import { newRing, type RingMemory } from './ring.ts'

/** One write: a whole wire message, or a task of the engine itself. */
export type WriteRequest =
  | { readonly id: number; readonly kind: 'command'; readonly message: Uint8Array }
  | { readonly id: number; readonly kind: 'expire'; readonly now: number }
  | { readonly id: number; readonly kind: 'backup'; readonly path: string }

/** The namespace of the cursor over the results of a `bulkWrite`, as mongod calls it. */
export const bulkResultsNamespace = 'admin.$cmd.bulkWrite'

/** What the port carries to the writer. `stop`: answer what is queued, then close the file and exit. */
export type ToWriter = WriteRequest | { readonly kind: 'stop' }

/** What a record of the request ring begins with: the id of a command whose message follows, or that the port has the next. */
export const seeThePort = 0
/** What a record of the answer ring begins with: the id of a request, or that ids of capped collections follow that have news. */
export const news = 0
export const idBytes = 4

export type FromWriter =
  | { readonly kind: 'ready'; readonly cleanStart: boolean }
  /** Committed answers lie in the ring, each an id and the reply document; and news. */
  | 'answers'
  /** A committed answer that the ring has no room for. */
  | { readonly kind: 'answer'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'news'; readonly collections: readonly number[] }
  /** The file cannot be written any more; every later write is refused. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

/**
 * Counters that threads wait for. `requests` goes up with each record of the request ring. The writer tells the
 * checkpoint thread how many groups were `committed`, which wakes it when it had nothing to do, and by `checkpoint` that it
 * should not wait for its next turn; `stop` ends that thread.
 */
export const signals = { requests: 0, committed: 1, checkpoint: 2, stop: 3 } as const

/** Memory that the three threads share. */
export type Shared = {
  readonly signals: Int32Array<SharedArrayBuffer>
  readonly requests: RingMemory
  readonly answers: RingMemory
}

const ringBytes = 1024 * 1024

export function newShared(): Shared {
  return {
    signals: new Int32Array(new SharedArrayBuffer(Object.keys(signals).length * Int32Array.BYTES_PER_ELEMENT)),
    requests: newRing(ringBytes),
    answers: newRing(ringBytes),
  }
}

export type WriterData = {
  readonly dir: string
  readonly shared: Shared
  readonly noTableScan: boolean
  readonly syncDelayMs: number
  readonly fileBytesMax: number
}
