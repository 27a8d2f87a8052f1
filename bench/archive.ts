/**
 * Fills mailboxes with old mail. It is written through the store in the same steps as arrivals: blobs, UIDs and modseqs,
 * messages, then threads and the search index. Events and contacts are left out; the sweeps do not add them, because the mail
 * is older than their watermarks. Worker threads write it (archive-worker.ts), because parsing and indexing take most of the
 * time. They have ended before anything is measured.
 */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { MailboxDoc } from '../store/documents/mail.ts'

export type Archive = {
  /** Adds messages to the mailboxes until each has `each` messages. */
  fill(mailboxes: readonly MailboxDoc[], each: number): Promise<void>
}

/** The work of one worker. `startsAt` is the time of its first message in milliseconds since 1970. */
export type Share = {
  /** The data folder of the service. */
  readonly data: string
  readonly boxes: readonly Box[]
  /** How many messages each mailbox is to have in the end. */
  readonly each: number
  readonly seed: number
  readonly startsAt: number
  /** The time between one message and the next. */
  readonly everyMs: number
}

/** A mailbox, and how many messages it already has. */
export type Box = Pick<MailboxDoc, '_id' | 'accountId' | 'address'> & { readonly has: number }

/**
 * The messages are dated 20 ms apart, the last one two days ago. The sweeps of a new service start with the last minute, so they
 * do not see them.
 */
const everyMs = 20
const endsBeforeMs = 2 * 86_400_000
const toldEvery = 50_000

/**
 * Creates an archive for the service with this data folder. `total` is the largest number of messages that will be written; it
 * decides how far back the first one is dated. `tell` is called after every 50,000 messages.
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
        boxes: boxes.filter((_, index) => index % workers === n),
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
