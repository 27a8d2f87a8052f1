/**
 * The change feed: small notes that something changed, one gapless numbered stream per writer process, tailed by every
 * process with a short poll. Notes are hints that make things quick; the sweeps are the truth. Invariants: one insert of a
 * writer is in flight at a time and its numbers only grow, so a reader that has seen n has seen all before it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { newToken } from '../schemas/ids.ts'
import type { ChangeDoc, ChangeNote } from './documents/service.ts'
import type { Store } from './open.ts'

export type { ChangeNote } from './documents/service.ts'

export type ChangeFeed = {
  /** Sends a note; never waits and never fails: what is lost is found by the sweep. */
  publish(note: ChangeNote): void
  /** Calls `listener` with the notes of all processes, this one's too, from now on. Returns a function that stops it. */
  listen(listener: (note: ChangeNote) => void): () => void
  /** Looks for notes more often, while somebody waits for one. Returns a function that stops it. */
  hurry(): () => void
  close(): Promise<void>
}

const pollMs = 25
const hurriedPollMs = 10
/** Pause after an insert: notes of that time travel together. */
const gatherMs = 10
const batchMax = 500
/** Ids in one note. */
const idsMax = 200
/** After this many notes wait (the database does not answer), new ones are dropped. */
const waitingMax = 10_000

/** Makes the feed of this process. `onError` is told of a poll or insert that failed; both go on. */
export function createChangeFeed(
  store: Store,
  { now, onError }: { now: () => Date; onError: (error: unknown) => void },
): ChangeFeed {
  const writer = newToken()
  const listeners = new Set<(note: ChangeNote) => void>()
  const seen = new Map<string, number>()
  let waiting: ChangeDoc[] = []
  let sending = 0
  let lastNumber = 0
  let inserting: Promise<void> | null = null
  let polling: Promise<void> | null = null
  let closing = false
  let closed = false
  let hurrying = 0
  let wake: (() => void) | null = null

  async function insertWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      sending = batch.length
      try {
        await store.changes.insertMany(batch, { ordered: true })
      } catch (error) {
        onError(error)
      }
      waiting = waiting.slice(batch.length)
      sending = 0
      if (!closing) await sleep(gatherMs)
    }
    inserting = null
  }

  async function poll(): Promise<void> {
    const tell = (note: ChangeNote) => {
      for (const listener of listeners) listener(note)
    }
    let caughtUp = false
    while (!closed && listeners.size > 0) {
      try {
        await catchUp(store, seen, caughtUp ? tell : null)
        caughtUp = true
      } catch (error) {
        if (!closed) onError(error)
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, hurrying > 0 ? hurriedPollMs : pollMs)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    polling = null
  }

  return {
    publish(note) {
      if (closed || waiting.length >= waitingMax) return
      const last = waiting.length > sending ? waiting.at(-1) : undefined
      const merged = last === undefined ? null : mergeNotes(last.note, note)
      if (last !== undefined && merged !== null) {
        waiting[waiting.length - 1] = { ...last, note: merged }
        return
      }
      lastNumber += 1
      waiting.push({ _id: { w: writer, n: lastNumber }, at: now(), note })
      inserting ??= insertWaiting()
    },
    listen(listener) {
      listeners.add(listener)
      polling ??= poll()
      return () => listeners.delete(listener)
    },
    hurry() {
      hurrying += 1
      if (hurrying === 1) wake?.()
      let ended = false
      return () => {
        if (!ended) hurrying -= 1
        ended = true
      }
    },
    async close() {
      closing = true
      await inserting
      closed = true
      listeners.clear()
      await polling
    },
  }
}

/** Reads what each writer wrote after the last number seen of it, writer by writer in order. */
async function catchUp(
  store: Store,
  seen: Map<string, number>,
  tell: ((note: ChangeNote) => void) | null,
): Promise<void> {
  for (;;) {
    const docs = await store.changes.find(unseen(seen)).sort({ _id: 1 }).limit(batchMax).toArray()
    for (const { _id, note } of docs) {
      seen.set(_id.w, _id.n)
      tell?.(note)
    }
    if (docs.length < batchMax) return
  }
}

/** The gaps between what is seen of the writers, in the order of `_id`. */
function unseen(seen: ReadonlyMap<string, number>): object {
  const writers = [...seen].sort(([a], [b]) => (a < b ? -1 : 1))
  const edges: object[] = [{ w: '', n: 0 }]
  for (const [w, n] of writers) edges.push({ w, n: 0 }, { w, n })
  edges.push({ w: '\uffff', n: 0 })
  const gaps: object[] = []
  for (let edge = 0; edge < edges.length; edge += 2) gaps.push({ _id: { $gt: edges[edge], $lt: edges[edge + 1] } })
  return gaps.length === 1 ? gaps[0]! : { $or: gaps }
}

/** Two notes of messages as one, so that a busy writer does not write a note for each. */
function mergeNotes(a: ChangeNote, b: ChangeNote): ChangeNote | null {
  if (a.kind !== 'messages' || b.kind !== 'messages' || a.ids.length + b.ids.length > idsMax) return null
  return {
    kind: 'messages',
    ids: [...a.ids, ...b.ids],
    mailboxIds: [...new Set([...a.mailboxIds, ...b.mailboxIds])],
  }
}
