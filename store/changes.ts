/**
 * The change feed: small notes that something changed, in a capped collection whose end every listening process awaits, so
 * that a note is pushed to all of them once it is committed and nobody polls. Notes are hints that make things quick; the
 * sweeps are the truth. Invariants: one insert of a writer is in flight at a time and its numbers only grow; the natural
 * order of the collection is that of the commits, whoever wrote, so a reader that has seen a note has seen all before it. A
 * reader that lost its place (the database was away, or so much was written that its last note was overwritten) begins at
 * the oldest note and goes on after the last one it saw; when that is gone, all that is there is new to it.
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
  /** Sends a note; never waits and never fails: what is lost is found by the sweep. */
  publish(note: ChangeNote): void
  /**
   * As `publish`. Resolves when the listeners of all other processes are through with the note; one that does not say so within two
   * seconds is not waited for (store/change-answers.ts).
   */
  tell(note: ChangeNote): Promise<void>
  /** The note as the last write of a list, which says what the others changed. */
  noteWith(note: ChangeNote): Write
  /**
   * Calls `listener` with the notes of all processes, this one's too, from now on. Who told a note may wait for what it returns. Returns
   * a function that stops it.
   */
  listen(listener: Listener): () => void
  close(): Promise<void>
}

type Listener = (note: ChangeNote) => unknown

/** Pause after an insert, and after a batch that followed closely on another: notes of that time travel together. */
const gatherMs = 20
const batchMax = 500
/** Ids in one note. */
const idsMax = 200
/** So many of the newest notes are looked through for what is asked just now. */
const askedMax = 200
/** After this many notes wait (the database does not answer), new ones are dropped. */
const waitingMax = 10_000
/**
 * How long one question waits for notes: so often a quiet listener asks, and finds out that its connection is dead. It is an
 * answer all the same, which has to come in time (store/connection.ts).
 */
const awaitMs = answerMs / 2
/** More than the collection can hold: the first batch is all that is there. */
const wholeMax = 1_000_000
/** Pauses while the notes cannot be read, growing. */
const pauseFirstMs = 50
const pauseMaxMs = 5_000

/**
 * Makes the feed of this process. `process` is its id among those that hold keys (store/master-keys.ts), by which others wait for its
 * answers; null: they do not. `onError` is told of a question or insert that failed; both go on.
 */
export function createChangeFeed(
  store: Store,
  { process, ...reports }: Reports & { readonly process: string | null },
): ChangeFeed {
  const writer = createWriter(store, reports)
  const reader = createReader(store, reports, ({ _id, ask }) => {
    if (ask === undefined || process === null || _id.w === writer.id) return
    writer.publish({ kind: 'heard', by: process, asked: [ask] })
  })
  const answers = createAnswers(store, { process, now: reports.now })
  const hear: Listener = (note) => {
    if (note.kind === 'heard') answers.hear(note)
  }
  return {
    id: writer.id,
    publish: writer.publish,
    async tell(note) {
      reader.listen(hear)
      try {
        await answers.of(async (ask) => {
          await reader.begun()
          writer.publish(note, ask)
          return writer.inserted()
        })
      } catch (error) {
        reports.onError(error)
      }
    },
    // Its writer writes nothing else, so that lists need not wait for one another to keep numbers in order.
    noteWith: (note) => insertInto(store.changes, { _id: { w: newToken(), n: 1 }, at: reports.now(), note }),
    listen: reader.listen,
    async close() {
      await writer.close()
      await reader.close()
    },
  }
}

type Reports = { readonly now: () => Date; readonly onError: (error: unknown) => void }

/** Inserts the notes of this process, those that come together in one insert. */
function createWriter(store: Store, { now, onError }: Reports) {
  const writer = newToken()
  let waiting: ChangeDoc[] = []
  let sending = 0
  let lastNumber = 0
  let inserting: Promise<void> | null = null
  /** Those who wait for a note, by its number. */
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
    /** Sends a note. With `ask`, who listens answers that it is through with it. */
    publish(note: ChangeNote, ask?: string): void {
      if (closed || waiting.length >= waitingMax) return
      const last = waiting.length > sending ? waiting.at(-1) : undefined
      const merged = last === undefined || ask !== undefined ? null : mergeNotes(last.note, note)
      if (last !== undefined && merged !== null) {
        waiting[waiting.length - 1] = { ...last, note: merged }
        return
      }
      lastNumber += 1
      waiting.push({ _id: { w: writer, n: lastNumber }, at: now(), note, ...(ask !== undefined && { ask }) })
      inserting ??= insertWaiting()
    },
    /** Resolves when all notes that were sent before were tried to be inserted, with whether the last of them is. */
    async inserted(): Promise<boolean> {
      const number = lastNumber
      return inserting !== null && new Promise<boolean>((resolve) => awaiting.push({ number, resolve }))
    },
    /** Inserts what waits, and takes no more. */
    async close(): Promise<void> {
      closing = true
      await inserting
      closed = true
    },
  }
}

/** Follows the notes of all processes, once somebody listens. `onThrough` is called when the listeners are through with one that asks. */
function createReader(store: Store, { now, onError }: Reports, onThrough: (doc: ChangeDoc) => void) {
  const listeners = new Set<Listener>()
  const ending = new AbortController()
  let following: Promise<void> | null = null
  /** The last note that was seen. */
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

  /** Tells notes as they come, as long as the cursor lives. */
  async function follow(tail: Tail): Promise<void> {
    const there = await nextBatch(tail)
    if (there.length === 0) {
      place ??= await begin(store, now())
      return
    }
    pauseMs = pauseFirstMs
    // Who begins to listen hears nothing of the past, but for what is asked just now: it may know what was so before.
    if (place === null) tell(there.slice(-askedMax).map(decoded).filter(isAsked))
    else tell(unseen(there, place))
    place = decoded(there.at(-1)!)._id
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
      const acting = [...listeners].map((listener) => listener(doc.note))
      if (doc.ask !== undefined) void Promise.allSettled(acting).then(() => onThrough(doc))
    }
  }

  const isAsked = ({ ask, at }: ChangeDoc) => ask !== undefined && now().getTime() - at.getTime() < answerMsMax

  return {
    listen(listener: Listener): () => void {
      listeners.add(listener)
      following ??= followAlways()
      return () => listeners.delete(listener)
    },
    /** Resolves when what comes from now on is heard, or when it cannot be. */
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

/** The next notes, once there are any; none: the cursor is dead. */
async function nextBatch(tail: Tail): Promise<readonly Uint8Array[]> {
  const first = await tail.next()
  // The driver's types know decoded documents only; with `raw` each is its bytes.
  return first === null ? [] : ([first, ...tail.readBufferedDocuments()] as Uint8Array[])
}

const decoded = (bytes: Uint8Array) => deserialize(bytes) as ChangeDoc

/** What came after a place. */
function unseen(batch: readonly Uint8Array[], place: ChangeDoc['_id']): readonly ChangeDoc[] {
  const found: ChangeDoc[] = []
  for (const bytes of batch.toReversed()) {
    const doc = decoded(bytes)
    if (doc._id.w === place.w && doc._id.n === place.n) break
    found.push(doc)
  }
  return found.reverse()
}

/** Nobody can wait at the end of nothing: the first note of all says nothing. Returns its place. */
async function begin(store: Store, at: Date): Promise<ChangeDoc['_id']> {
  const _id = { w: '', n: 0 }
  await store.changes.insertOne({ _id, at, note: { kind: 'begin' } }).catch((error: unknown) => {
    if (!isDuplicate(error)) throw error
  })
  return _id
}

/** Two notes of messages or events, or two answers, as one, so that a busy writer does not write a note for each. */
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
