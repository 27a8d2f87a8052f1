/**
 * The change feed: small notes that something changed, in a capped collection. Every listening process has a tailable cursor at its
 * end, so a note is pushed to all of them once it is committed and nobody polls. Notes only make things quick; the sweeps are the
 * guarantee.
 *
 * Invariants: A writer has one insert in flight at a time, and its numbers only grow. The natural order of the collection is the order of
 * the commits of all writers, so a reader that has seen a note has seen all earlier ones. A reader that lost its cursor (the database was
 * unavailable, or so much was written that its last note was overwritten) starts at the oldest note and resumes after the last note
 * that it saw. If that note is gone, all existing notes are new to it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { deserialize } from 'bson'
import type { FindCursor } from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { answerMsMax, createAnswers } from './change-answers.ts'
import { answerMs } from './connection.ts'
import type { ChangeDoc, ChangeNote } from './documents/service.ts'
import { isDuplicate, type Store } from './open.ts'
import { insertInto, type Write } from './writes.ts'

export type { ChangeNote } from './documents/service.ts'

export type ChangeFeed = {
  /** Names this process in notes (`shownBy`). */
  readonly id: string
  /** Sends a note. Never waits and never fails: if a note is lost, a sweep finds the work. */
  publish(note: ChangeNote): void
  /**
   * As `publish`, but resolves once the listeners of this process have heard the note, with all earlier ones, and those of all
   * other processes have finished with it. A process that does not confirm this within two seconds is not waited for
   * (store/change-answers.ts).
   */
  tell(note: ChangeNote): Promise<void>
  /** The note as a write, to be the last of a list whose other writes make the change. */
  noteWith(note: ChangeNote): Write
  /**
   * Calls `listener` with the notes of all processes, including this one, from now on. If the listener returns a promise, `tell`
   * in another process waits for it. Returns a function that stops listening.
   */
  listen(listener: Listener): () => void
  close(): Promise<void>
}

type Listener = (note: ChangeNote) => unknown

/** The pause after an insert, and after a batch that closely followed another, so that notes from that time travel together. */
const gatherMs = 20
const batchMax = 500
/** Ids in one note. */
const idsMax = 200
/** How many of the newest notes a new listener searches for notes that still await answers. */
const askedMax = 200
/** When this many notes wait because the database does not answer, new ones are dropped. */
const waitingMax = 10_000
/**
 * How long one request for notes stays open on the server, and so how soon an idle listener finds out that its connection is dead. It
 * must be shorter than the time within which the database has to answer (store/connection.ts).
 */
const awaitMs = answerMs / 2
/** More notes than the collection can hold, so that the first batch contains all existing notes. */
const wholeMax = 1_000_000
/** The first and the longest pause between attempts while the notes cannot be read; the pause doubles each time. */
const pauseFirstMs = 50
const pauseMaxMs = 5_000

/**
 * Creates the feed of this process. `process` is its id in the documents of store/master-keys.ts, by which other processes wait for its
 * answers; null if they do not wait for it. `onError` receives the errors of failed reads and inserts; the feed continues after both.
 */
export function createChangeFeed(
  store: Store,
  { process, ...reports }: Reports & { readonly process: string | null },
): ChangeFeed {
  const writer = createWriter(store, reports)
  const self = process ?? writer.id
  const reader = createReader(store, reports, async ({ _id, ask }, acting) => {
    if (ask === undefined) return
    // Of this process only the calls of the listeners are waited for: what they began may itself wait for the teller.
    if (_id.w === writer.id) return answers.hear({ by: self, asked: [ask] })
    if (process === null) return
    await Promise.allSettled(acting)
    writer.publish({ kind: 'heard', by: process, asked: [ask] })
  })
  const answers = createAnswers(store, { self, now: reports.now })
  const hear: Listener = (note) => {
    if (note.kind === 'heard') answers.hear(note)
  }
  return {
    id: writer.id,
    publish: (note) => void writer.publish(note),
    async tell(note) {
      reader.listen(hear)
      try {
        await answers.of(async (ask) => {
          await reader.begun()
          return writer.publish(note, ask) && writer.inserted()
        })
      } catch (error) {
        reports.onError(error)
      }
    },
    // The note has a writer id of its own, so that lists need not wait for one another to keep the numbers in order.
    noteWith: (note) => insertInto(store.changes, { _id: { w: newToken(), n: 1 }, at: reports.now(), note }),
    listen: reader.listen,
    async close() {
      await writer.close()
      await reader.close()
    },
  }
}

type Reports = { readonly now: () => Date; readonly onError: (error: unknown) => void }

/** Inserts the notes of this process; notes that wait at the same time share an insert. */
function createWriter(store: Store, { now, onError }: Reports) {
  const writer = newToken()
  let waiting: ChangeDoc[] = []
  let sending = 0
  let lastNumber = 0
  let inserting: Promise<void> | null = null
  /** Callers that wait until the note with a number was inserted. */
  const awaiting: { readonly number: number; resolve(isInserted: boolean): void }[] = []
  let closing = false
  let closed = false

  async function insertWaiting(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax)
      sending = batch.length
      const write = batch.some(({ ask }) => ask !== undefined) ? store.writeTogether : store.writeSoon
      const isInserted = await write(batch.map((doc) => insertInto(store.changes, doc))).then(
        () => true,
        (error: unknown) => {
          onError(error)
          return false
        },
      )
      waiting = waiting.slice(batch.length)
      sending = 0
      const tried = batch.at(-1)?._id.n ?? 0
      while ((awaiting[0]?.number ?? Number.POSITIVE_INFINITY) <= tried) awaiting.shift()?.resolve(isInserted)
      if (!closing) await sleep(gatherMs)
    }
    inserting = null
  }

  return {
    id: writer,
    /**
     * Sends a note. With `ask`, each listening process answers with this token once it has finished with the note. Returns false when
     * the note is dropped.
     */
    publish(note: ChangeNote, ask?: string): boolean {
      if (closed || waiting.length >= waitingMax) return false
      const last = waiting.length > sending ? waiting.at(-1) : undefined
      const merged = last === undefined || ask !== undefined ? null : mergeNotes(last.note, note)
      if (last !== undefined && merged !== null) {
        waiting[waiting.length - 1] = { ...last, note: merged }
        return true
      }
      lastNumber += 1
      waiting.push({ _id: { w: writer, n: lastNumber }, at: now(), note, ...(ask !== undefined && { ask }) })
      inserting ??= insertWaiting()
      return true
    },
    /** Resolves once an insert of all notes sent so far was tried, with whether the last of them was inserted. */
    async inserted(): Promise<boolean> {
      const number = lastNumber
      return inserting !== null && new Promise<boolean>((resolve) => awaiting.push({ number, resolve }))
    },
    /** Inserts the waiting notes, and accepts no more. */
    async close(): Promise<void> {
      closing = true
      await inserting
      closed = true
    },
  }
}

/** Reads the notes of all processes, once there is a listener. Passes `onHeard` each note that its listeners heard, with their results. */
function createReader(
  store: Store,
  { now, onError }: Reports,
  onHeard: (doc: ChangeDoc, acting: readonly unknown[]) => void,
) {
  const listeners = new Set<Listener>()
  const ending = new AbortController()
  let following: Promise<void> | null = null
  /** The id of the last note that was seen. */
  let place: ChangeDoc['_id'] | null = null
  let pauseMs = pauseFirstMs
  const begun = Promise.withResolvers<void>()

  async function followAlways(): Promise<void> {
    const { signal } = ending
    while (!signal.aborted) {
      try {
        await follow(openTail(store, signal))
      } catch (error) {
        if (signal.aborted) return
        onError(error)
      } finally {
        begun.resolve()
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, pauseMaxMs)
    }
  }

  /** Passes notes to the listeners as they arrive, until the cursor dies. */
  async function follow(tail: Tail): Promise<void> {
    const existing = await nextBatch(tail)
    if (existing.length === 0) {
      place ??= await begin(store, now())
      return
    }
    pauseMs = pauseFirstMs
    // A new reader skips the existing notes, except those that still await answers: it may already have read what those changed.
    if (place === null) tell(existing.slice(-askedMax).map(decoded).filter(isAsked))
    else tell(unseen(existing, place))
    place = decoded(existing.at(-1)!)._id
    begun.resolve()
    for (let before = 0; ; ) {
      const docs = await nextBatch(tail)
      if (docs.length === 0) return
      const at = performance.now()
      tell(docs.map(decoded))
      if (at - before < 2 * gatherMs) await sleep(gatherMs)
      before = at
    }
  }

  function tell(docs: readonly ChangeDoc[]): void {
    for (const doc of docs) {
      place = doc._id
      onHeard(
        doc,
        [...listeners].map((listener) => listener(doc.note)),
      )
    }
  }

  const isAsked = ({ ask, at }: ChangeDoc) => ask !== undefined && now().getTime() - at.getTime() < answerMsMax

  return {
    listen(listener: Listener): () => void {
      listeners.add(listener)
      following ??= followAlways()
      return () => listeners.delete(listener)
    },
    /** Resolves once all further notes will be seen, or the first attempt to read them failed. */
    begun: () => begun.promise,
    async close(): Promise<void> {
      listeners.clear()
      ending.abort()
      await following
    },
  }
}

type Tail = FindCursor<unknown>

function openTail(store: Store, signal: AbortSignal): Tail {
  const awaiting = { tailable: true, awaitData: true, maxAwaitTimeMS: awaitMs } as const
  return store.changes.find({}, { ...awaiting, batchSize: wholeMax, raw: true, signal })
}

/** The next notes, once there are any; empty when the cursor is dead. */
async function nextBatch(tail: Tail): Promise<readonly Uint8Array[]> {
  const first = await tail.next()
  // The driver's types describe decoded documents only; with `raw`, each document is its bytes.
  return first === null ? [] : ([first, ...tail.readBufferedDocuments()] as Uint8Array[])
}

const decoded = (bytes: Uint8Array) => deserialize(bytes) as ChangeDoc

/** The notes of a batch that follow the note with the id `place`. */
function unseen(batch: readonly Uint8Array[], place: ChangeDoc['_id']): readonly ChangeDoc[] {
  const found: ChangeDoc[] = []
  for (const bytes of batch.toReversed()) {
    const doc = decoded(bytes)
    if (doc._id.w === place.w && doc._id.n === place.n) break
    found.push(doc)
  }
  return found.reverse()
}

/** Inserts an empty first note, because a tailable cursor on an empty collection dies at once. Returns its id. */
async function begin(store: Store, at: Date): Promise<ChangeDoc['_id']> {
  const _id = { w: '', n: 0 }
  await store.changes.insertOne({ _id, at, note: { kind: 'begin' } }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
  })
  return _id
}

/** Merges two notes of messages or events, or two answers, so that a busy writer writes fewer notes; null when they cannot be merged. */
function mergeNotes(a: ChangeNote, b: ChangeNote): ChangeNote | null {
  if (a.kind === 'events' && b.kind === 'events') {
    const accountIds = [...new Set([...a.accountIds, ...b.accountIds])]
    return accountIds.length > idsMax ? null : { kind: 'events', accountIds }
  }
  if (a.kind === 'heard' && b.kind === 'heard') return { ...a, asked: [...a.asked, ...b.asked] }
  if (a.kind !== 'messages' || b.kind !== 'messages' || a.ids.length + b.ids.length > idsMax) return null
  return {
    kind: 'messages',
    ids: [...a.ids, ...b.ids],
    mailboxIds: [...new Set([...a.mailboxIds, ...b.mailboxIds])],
  }
}
