/**
 * Writes to several collections in one command. A caller hands in a list of writes. Lists that arrive while a command is in flight go
 * with the next one, so that many callers share a command and a list costs one round trip at most. Lists that nobody waits for go with
 * those of other callers, or after a moment by themselves. Servers before MongoDB 8.0 lack the command `bulkWrite`: with them a list
 * takes one command for each run of writes to the same collection.
 *
 * Invariants: One shared command is in flight at a time. The writes of a list are made in order, and none after one that failed. No
 * list fails because of another, unless the database did not answer. The order of lists among each other is not defined. A list with
 * a fence is one command, so a process that is suspended makes all of it or nothing. If such a list takes several commands, none is
 * sent once more than `fenceMs` have passed since the first, which is far less than any lease lasts.
 */
import {
  type AnyBulkWriteOperation,
  type AnyClientBulkWriteModel,
  type BulkWriteResult,
  type ClientBulkWriteResult,
  type Collection,
  type Db,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoClientBulkWriteError,
  MongoServerError,
  MongoWriteConcernError,
  type UpdateFilter,
} from 'mongodb'

/** One write of a list. */
export type Write = {
  readonly collection: string
  readonly operation: AnyBulkWriteOperation
  /** Its approximate size in a command. */
  readonly sizeBytes: number
  /** Whether it is reported to the caller if it matches no document. */
  readonly mustMatch?: boolean
  /** Whether the later writes of its list may be made only as long as its condition holds. */
  readonly isFence?: boolean
}

/**
 * Makes the writes of a list, together with the lists of other callers. Returns null when all were made. Returns the index of the first
 * write with `mustMatch` that did not match, or may not have matched; this does not stop the other writes. Otherwise returns the index
 * of the write that a unique key refused: the writes before it were made, those after it were not. Rejects with any other error of a
 * write, with only the writes before it made; also rejects, with an unknown outcome, when the database did not answer.
 */
export type WriteTogether = (writes: readonly Write[]) => Promise<number | null>

/**
 * As `WriteTogether`, for writes that nobody waits for: they go with the next lists of other callers, or by themselves after `soonMs`.
 * So they cost no commit of their own while other callers write.
 */
export type WriteSoon = WriteTogether

/** As `WriteTogether`, but returns the outcome of each write. */
export type WriteEach = (writes: readonly Write[]) => Promise<Written>

/** The outcome of a list. */
export type Written = {
  /** The index of the write that a unique key refused; the writes after it were not made. */
  readonly refused: number | null
  /** Indexes of those that must match and did not, or, unless `isExact`, may not have. */
  readonly unmatched: ReadonlySet<number>
  /** False if the server only reported how many of several writes matched. */
  readonly isExact: boolean
}

/** The assumed size of a write that does not state its own. */
const documentBytes = 2 * 1024
/** The most bytes and writes of one command: the server makes them without yielding, and everything else waits meanwhile. */
const commandBytesMax = 2 * 1024 * 1024
const writesMax = 500
/** A list of at least this length gains nothing from sharing a command: it goes at once, and alone. */
const longListMin = 25
/** How long a list that nobody waits for may wait for others to share a command with. */
const soonMs = 5
/** How long a list with a fence may take if it needs several commands. Reservations (store/folders.ts) and leases last longer. */
export const fenceMs = 5_000
/** The wire version of MongoDB 8.0, the first that knows the command `bulkWrite`. */
const bulkWriteVersion = 25
/** The server's error code for a write that a unique key refused. */
export const duplicateKey = 11000

/** Whether the server can make writes to several collections with one command. */
export async function knowsBulkWrite(db: Db): Promise<boolean> {
  const { maxWireVersion } = await db.command({ hello: 1 })
  return maxWireVersion >= bulkWriteVersion
}

export function insertInto<D extends Document>(
  { collectionName: collection }: Collection<D>,
  document: D,
  sizeBytes: number = documentBytes,
): Write {
  return { collection, operation: { insertOne: { document } }, sizeBytes }
}

/**
 * A write that changes nothing and is refused (as a duplicate) when no document matches. The upsert then tries to insert a document
 * with the same id; if that id no longer exists, the fields `colliding` make the insert collide with another document.
 */
export function fenceIn<D extends Document>(collection: Collection<D>, filter: Filter<D>, colliding: Document): Write {
  return {
    ...updateIn(collection, filter, { $setOnInsert: colliding } as UpdateFilter<D>, { upsert: true }),
    isFence: true,
  }
}

/** An update of one document. */
export function updateIn<D extends Document>(
  { collectionName: collection }: Collection<D>,
  filter: Filter<D>,
  update: UpdateFilter<D> | Document[],
  { upsert = false, mustMatch = false }: { readonly upsert?: boolean; readonly mustMatch?: boolean } = {},
): Write {
  // The writes of a list have a common type, which does not depend on the collection.
  const operation = { updateOne: { filter, update, upsert } } as AnyBulkWriteOperation
  return { collection, operation, sizeBytes: documentBytes, mustMatch }
}

/** An update of all documents that match. */
export function updateAllIn<D extends Document>(
  { collectionName: collection }: Collection<D>,
  filter: Filter<D>,
  update: UpdateFilter<D>,
): Write {
  const operation = { updateMany: { filter, update } } as AnyBulkWriteOperation
  return { collection, operation, sizeBytes: documentBytes }
}

/** The replacement of one document, which is inserted if none matches. */
export function replaceIn<D extends Document>(
  { collectionName: collection }: Collection<D>,
  filter: Filter<D>,
  replacement: D,
): Write {
  const operation = { replaceOne: { filter, replacement, upsert: true } } as AnyBulkWriteOperation
  return { collection, operation, sizeBytes: documentBytes }
}

/** The deletion of one document, which must match. */
export function deleteIn<D extends Document>({ collectionName: collection }: Collection<D>, filter: Filter<D>): Write {
  const operation = { deleteOne: { filter } } as AnyBulkWriteOperation
  return { collection, operation, sizeBytes: documentBytes, mustMatch: true }
}

/**
 * Whether a crash leaves all writes of a list or none, provided that none is refused and there are fewer than `longListMin`. True for
 * the embedded engine: there a command is one commit unless it has more than a thousand writes or inserts more than 8 MiB, far
 * above the limits of a command here. A MongoDB server may crash between two writes of a command.
 */
export async function keepsListsWhole(db: Db): Promise<boolean> {
  return (await db.command({ buildInfo: 1 })).embedded === true
}

/** Makes all writes except those that a unique key refuses. Returns the indexes of the refused ones. */
export async function writeAll(
  { writeTogether }: { readonly writeTogether: WriteTogether },
  writes: readonly Write[],
): Promise<readonly number[]> {
  const refused: number[] = []
  for (let from = 0; ; ) {
    const index = await writeTogether(writes.slice(from))
    if (index === null) return refused
    refused.push(from + index)
    from += index + 1
  }
}

type List = {
  readonly writes: readonly Write[]
  /** The index of the first write that is not made yet. */
  done: number
  readonly unmatched: Set<number>
  isExact: boolean
  readonly resolve: (written: Written) => void
  readonly reject: (error: unknown) => void
}

/** Creates the functions of a process. `isTogether` is the result of `knowsBulkWrite`. */
export function createWrites(
  db: Db,
  isTogether: boolean,
): { readonly writeTogether: WriteTogether; readonly writeSoon: WriteSoon; readonly writeEach: WriteEach } {
  const make: MakeWrites = isTogether ? inOneCommand : byCollection
  const waiting: List[] = []
  /** Lists that nobody waits for. */
  const patient: List[] = []
  let running = false
  let timer: NodeJS.Timeout | undefined

  async function run(): Promise<void> {
    while (waiting.length > 0) {
      takePatient()
      await writeLists(db, make, waiting.splice(0, countOf(waiting)))
    }
    running = false
  }

  function start(): void {
    // Delayed by one tick, so that lists handed in within one turn of the event loop go together.
    if (!running) process.nextTick(run)
    running = true
  }

  function takePatient(): void {
    clearTimeout(timer)
    timer = undefined
    waiting.push(...patient.splice(0))
  }

  const listOf = (writes: readonly Write[], hand: (list: List) => void): Promise<Written> =>
    new Promise((resolve, reject) => {
      const list: List = { writes, done: 0, unmatched: new Set(), isExact: true, resolve, reject }
      if (writes.length === 0) resolve(writtenOf(list, null))
      else if (writes.length < longListMin) hand(list)
      else void writeLists(db, writes.some(({ isFence }) => isFence) ? make : byCollection, [list])
    })
  const writeEach: WriteEach = (writes) =>
    listOf(writes, (list) => {
      waiting.push(list)
      start()
    })
  const first = ({ refused, unmatched }: Written) => {
    const [index = refused] = unmatched
    return index
  }
  return {
    writeEach,
    writeTogether: async (writes) => first(await writeEach(writes)),
    writeSoon: async (writes) =>
      first(
        await listOf(writes, (list) => {
          patient.push(list)
          timer ??= setTimeout(() => {
            takePatient()
            start()
          }, soonMs)
        }),
      ),
  }
}

const writtenOf = ({ unmatched, isExact }: List, refused: number | null): Written => ({ refused, unmatched, isExact })

/** How many of the waiting lists go with the next command: at least one. */
function countOf(waiting: readonly List[]): number {
  let [writes, bytes] = [0, 0]
  const end = waiting.findIndex((list) => {
    writes += list.writes.length
    bytes += list.writes.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    return writes > writesMax || bytes > commandBytesMax
  })
  return end === -1 ? waiting.length : Math.max(1, end)
}

/** Makes the writes of lists. A write that fails ends its list; the other lists continue with the next command. */
async function writeLists(db: Db, make: MakeWrites, lists: readonly List[]): Promise<void> {
  let open = lists
  while (open.length > 0) {
    const all = open.flatMap((list) => list.writes.slice(list.done).map((write) => ({ list, write })))
    try {
      const { failed, unmatched, isExact } = await make(
        db,
        all.map(({ write }) => write),
      )
      const made = failed === null ? all : all.slice(0, failed.index)
      for (const [n, { list }] of made.entries()) {
        if (unmatched.has(n)) {
          list.unmatched.add(list.done)
          list.isExact &&= isExact
        }
        list.done += 1
      }
      for (const list of open) if (list.done === list.writes.length) list.resolve(writtenOf(list, null))
      const ended = failed === null ? undefined : all[failed.index]?.list
      if (failed !== null && ended !== undefined) {
        if (failed.code === duplicateKey) ended.resolve(writtenOf(ended, ended.done))
        else ended.reject(new MongoServerError({ message: failed.message, code: failed.code }))
      }
      open = open.filter((list) => list !== ended && list.done < list.writes.length)
    } catch (error) {
      for (const list of open) list.reject(error)
      return
    }
  }
}

const maxTimeExceeded = 50

type FailedWrite = { readonly index: number; readonly code: number; readonly message: string }

type Made = {
  readonly failed: FailedWrite | null
  /** Indexes of those that must match and did not, or, unless `isExact`, may not have. */
  readonly unmatched: ReadonlySet<number>
  readonly isExact: boolean
}

/** Makes writes in order, up to the first that fails. Rejects when the database did not answer, or could not make them durable. */
type MakeWrites = (db: Db, writes: readonly Write[]) => Promise<Made>

const inOneCommand: MakeWrites = async (db, writes) => {
  // For a single collection the older commands cost less per write.
  if (writes.every(({ collection }) => collection === writes[0]?.collection)) return byCollection(db, writes)
  try {
    const result = await db.client.bulkWrite(
      writes.map((write) => modelOf(db, write)),
      { ordered: true, verboseResults: writes.some(({ mustMatch }) => mustMatch) },
    )
    return { failed: null, unmatched: unmatchedIn(writes, result), isExact: true }
  } catch (error) {
    if (!(error instanceof MongoClientBulkWriteError)) throw error
    const [concern] = error.writeConcernErrors
    if (concern !== undefined)
      throw new MongoWriteConcernError({ ok: 1, writeConcernError: { code: concern.code, errmsg: concern.message } })
    const [first] = error.writeErrors
    if (first === undefined) throw error.cause ?? error
    const [index, { code, message }] = first
    const made = writes.slice(0, index)
    return { failed: { index, code, message }, unmatched: unmatchedIn(made, error.partialResult), isExact: true }
  }
}

function unmatchedIn(writes: readonly Write[], result: ClientBulkWriteResult | undefined): ReadonlySet<number> {
  const matched = (n: number) =>
    (result?.updateResults?.get(n)?.matchedCount ?? 0) + (result?.deleteResults?.get(n)?.deletedCount ?? 0)
  return new Set(writes.flatMap(({ mustMatch }, n) => (mustMatch && matched(n) === 0 ? [n] : [])))
}

/** A write in the form that the driver's `bulkWrite` takes. */
export function modelOf(db: Db, { collection, operation }: Write): AnyClientBulkWriteModel<Document> {
  const [[name, fields]] = Object.entries(operation) as [[string, object]]
  return { namespace: `${db.databaseName}.${collection}`, name, ...fields } as AnyClientBulkWriteModel<Document>
}

/** Returns a function to call before each command of a list with a fence. It throws once `fenceMs` have passed since `askedAt`. */
export function fencedSince(askedAt: number): () => void {
  return () => {
    if (performance.now() - askedAt <= fenceMs) return
    throw new MongoServerError({
      code: maxTimeExceeded,
      message: `A list of writes with a fence took longer than ${fenceMs} ms: the remaining writes are not made.`,
    })
  }
}

const byCollection: MakeWrites = async (db, writes) => {
  const unmatched = new Set<number>()
  let isExact = true
  const fence = writes.some(({ isFence }) => isFence) ? fencedSince(performance.now()) : () => undefined
  for (let from = 0; from < writes.length; ) {
    fence()
    const { collection } = writes[from]!
    const others = writes.findIndex((write, n) => n > from && write.collection !== collection)
    const to = others === -1 ? writes.length : others
    const missing = (made: number, { matchedCount, upsertedCount, deletedCount, insertedCount }: Counts) => {
      const lacking = made - from - (matchedCount + upsertedCount + deletedCount + insertedCount)
      if (lacking === 0) return
      // These commands only return the total of their matches: if it is too low, each write that must match is in doubt.
      const doubted = writes.slice(from, made).flatMap(({ mustMatch }, n) => (mustMatch ? [from + n] : []))
      for (const n of doubted) unmatched.add(n)
      isExact &&= doubted.length === lacking
    }
    try {
      const result = await db.collection(collection).bulkWrite(
        writes.slice(from, to).map(({ operation }) => operation),
        { ordered: true },
      )
      missing(to, result)
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError) || error.result.getWriteConcernError() !== undefined) throw error
      const [first] = [error.writeErrors].flat()
      if (first === undefined) throw error
      missing(from + first.index, error.result)
      return {
        failed: { index: from + first.index, code: first.code, message: first.errmsg ?? error.message },
        unmatched,
        isExact,
      }
    }
    from = to
  }
  return { failed: null, unmatched, isExact }
}

type Counts = Pick<BulkWriteResult, 'matchedCount' | 'upsertedCount' | 'deletedCount' | 'insertedCount'>
