/**
 * Mailboxes full of old mail, written through the store by the same steps as arrivals: blobs, numbers of their folder,
 * messages; then their threads and the index of search. What follows from news (events, contacts) is left out: the mail is
 * older than the watermarks of the sweeps. Workers make it (archive-worker.ts), since reading and indexing are most of the
 * work; they are gone when it is measured.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { MailboxDoc } from '../store/documents/mail.ts'

export type Archive = {
  /** Adds messages to each of the mailboxes in turn, until each has so many. */
  fill(mailboxes: readonly MailboxDoc[], each: number): Promise<void>
}

/** What one worker is to do; times are of messages, in milliseconds since 1970. */
export type Share = {
  /** The data folder of the service. */
  readonly data: string
  readonly boxes: readonly Box[]
  /** How many messages each box is to have. */
  readonly each: number
  readonly seed: number
  readonly startsAt: number
  readonly everyMs: number
}

export type Box = Pick<MailboxDoc, '_id' | 'accountId' | 'address'> & { readonly has: number }

/** One message each so often, up to two days ago: the sweeps of a new service look at the last minute. */
const everyMs = 20
const endsBeforeMs = 2 * 86_400_000
const toldEvery = 50_000

/**
 * Makes archives of the service with this data folder; `total` is how many messages there will be at most, so that all of
 * them are old. `tell` hears of each 50,000.
 */
export function createArchive(
  { data }: { readonly data: string },
  { total, tell }: { total: number; tell: (made: number) => void },
): Archive {
  const counts = new Map<string, number>()
  let at = Date.now() - endsBeforeMs - total * everyMs
  let seed = 42
  let made = 0

  function note(count: number): void {
    const isDue = Math.floor((made + count) / toldEvery) > Math.floor(made / toldEvery)
    made += count
    if (isDue) tell(made)
  }

  return {
    async fill(mailboxes, each) {
      const boxes = mailboxes.map(({ _id, accountId, address }) => {
        const box: Box = { _id, accountId, address, has: counts.get(_id) ?? 0 }
        counts.set(_id, Math.max(box.has, each))
        return box
      })
      const workers = Math.min(availableParallelism(), boxes.length)
      const shares = Array.from({ length: workers }, (_, n) => ({
        data,
        each,
        seed: seed + n,
        startsAt: at + n * everyMs,
        everyMs: everyMs * workers,
        boxes: boxes.filter((_, place) => place % workers === n),
      }))
      const missing = ({ boxes: own }: Share) => own.reduce((sum, { has }) => sum + Math.max(0, each - has), 0)
      at += everyMs * workers * Math.max(...shares.map(missing))
      seed += workers
      await Promise.all(shares.map((share) => work(share, note)))
    },
  }
}

function work(share: Share, note: (count: number) => void): Promise<void> {
  const worker = new Worker(new URL('./archive-worker.ts', import.meta.url), { workerData: share })
  worker.on('message', note)
  return new Promise((resolve, reject) => {
    worker.once('error', reject)
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`A worker ended with ${code}.`))))
  })
}
