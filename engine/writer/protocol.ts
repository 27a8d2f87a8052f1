/**
 * The messages between the main thread and the writer thread. Small commands and small answers travel through two rings.
 * Everything else goes through the message port; requests that do are announced in their ring, which keeps them in order.
 */
import { newRing, type RingMemory } from './ring.ts'

/** One write: a whole wire message, or a task that the engine gives itself. */
export type WriteRequest =
  | { readonly id: number; readonly kind: 'command'; readonly message: Uint8Array }
  | { readonly id: number; readonly kind: 'expire'; readonly now: number }
  | { readonly id: number; readonly kind: 'backup'; readonly path: string }

/** The namespace of the cursor over the results of a `bulkWrite`, as mongod calls it. */
export const bulkResultsNamespace = 'admin.$cmd.bulkWrite'

/** A message to the writer. `stop`: answer everything that is queued, then close the file and exit. */
export type ToWriter = WriteRequest | { readonly kind: 'stop' }

/** A record of the request ring begins with the id of a command, whose message follows, or with this: the port has the next request. */
export const portRecordId = 0
/** A record of the answer ring begins with the id of a request, or with this: ids of capped collections with news follow. */
export const newsRecordId = 0
export const idBytes = 4

export type FromWriter =
  | { readonly kind: 'ready'; readonly cleanStart: boolean }
  /** The ring holds records: answers (an id and the reply document) or news of capped collections. */
  | 'answers'
  /** An answer for which the ring has no room. */
  | { readonly kind: 'answer'; readonly id: number; readonly bytes: Uint8Array }
  | { readonly kind: 'news'; readonly collections: readonly number[] }
  /** The file cannot be written any more; every later write is refused. */
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'stopped' }

/**
 * Counters that threads wait on. `requests` goes up with each record of the request ring. The writer raises `committed` with
 * each group, which wakes an idle checkpoint thread, and `checkpoint` when that thread should start its next turn at once.
 * `stop` ends the checkpoint thread.
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
