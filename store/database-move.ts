/**
 * Moves a database elsewhere while it is in use. First the existing documents are copied, then repeatedly those written meanwhile, until
 * few are left. The copy is compared with its source. Then writes are blocked for a moment (the hold), the rest is copied, compared and
 * counted, and the copy takes over.
 *
 * Invariants: From the beginning, every write is recorded (store/written-documents.ts), and the stored position advances only once
 * everything before it is in the copy, so an interrupted move can be resumed without loss. Each document is copied in its current
 * state, so copying it twice changes nothing. The source takes no more writes once the copy is told to take over.
 */
import { deserialize } from 'bson'
import {
  type Collection,
  type CreateCollectionOptions,
  type Db,
  type Document,
  MongoBulkWriteError,
  type MongoClient,
} from 'mongodb'
import { newToken } from '../schemas/ids.ts'
import { namesOfProcesses } from './collections.ts'
import { compareAll, differingOf, nameOfKey } from './comparison.ts'
import { exact, refuseDocuments, withClient } from './database-copy.ts'
import { type MovingState, movingState } from './moved.ts'
import { databaseOf, onlyDuplicates } from './open.ts'
import { type DocumentKey, type Position, type WrittenDocuments, writtenIn } from './written-documents.ts'

export type MoveProgress =
  | { readonly step: 'copying'; readonly collection: string; readonly documents: number; readonly of: number }
  | { readonly step: 'catching up'; readonly documents: number }
  | { readonly step: 'comparing'; readonly collection: string; readonly documents: number }
  | { readonly step: 'holding' }

export type MovedCollection = {
  readonly collection: string
  readonly documents: number
  /**
   * The checksum of all documents, equal on both sides. Null for a capped collection, which is copied during the hold and not compared, and
   * for one that records running processes, whose documents are not copied.
   */
  readonly checksum: string | null
  /** How many documents were written during the comparison and therefore compared again in the hold. */
  readonly comparedAgain: number
}

export type DatabaseMove = {
  readonly from: string
  readonly to: string
  /** The name of the target that the source records, without a password. */
  readonly name: string
  readonly onProgress: (progress: MoveProgress) => void
  /** Makes the copy take over. Called once the copy is complete and compared, and the source takes no writes. */
  readonly switchOver: () => Promise<void>
}

/** The collection in the copy that records the progress of the move. It is dropped when the move is complete. */
export const moveCollection = 'moveProgress'
const pageDocuments = 500
const pageBytes = 4 * 1024 * 1024
/** The most documents that may be left to copy in the hold. */
const fewDocuments = 500
/** A hold that needs more reads than this to catch up would take too long, and is ended. */
const readingsMax = 20
/** A hold ends by itself after this time, in case the process that holds dies. It is prolonged while the work continues. */
const holdMs = 5_000
const prolongMs = 1_000
const triesMax = 5
/** An expiry that is never reached: during the move, nothing may expire in the copy. */
const neverSeconds = 2 ** 31 - 1

/**
 * Moves the database, or resumes a move that was interrupted. Returns what was moved, by collection. Rejects when the target holds
 * other documents, or a document cannot be copied; the source then remains in use.
 */
export async function moveDatabase(move: DatabaseMove): Promise<readonly MovedCollection[]> {
  return withClient(move.from, (source) => withClient(move.to, (target) => new Mover(move, source, target).run()))
}

/** Cancels a move: the source takes writes again, and no longer records them. What was copied stays in the target. */
export async function cancelMove(url: string): Promise<void> {
  await withClient(url, async (client) => {
    const db = client.db(databaseOf(url))
    const isEmbedded = await embedded(db)
    await block(client, { isOn: false, isEmbedded })
    await db.collection<MovingState>('state').deleteOne({ _id: movingState })
    await writtenIn(db, { isEmbedded }).end()
  })
}

type Progress = {
  readonly _id: string
  readonly last?: unknown
  readonly isCopied?: boolean
  readonly position?: Position
  /** The id of the move, which the source records too. */
  readonly id?: string
}

class Mover {
  readonly #move: DatabaseMove
  readonly #client: MongoClient
  readonly #source: Db
  readonly #target: Db
  readonly #progress: Collection<Progress>
  #isEmbedded = false
  #written!: WrittenDocuments
  #position!: Position
  /** The keys of documents that differed, or were written since the comparison began, by collection. */
  #flux: Map<string, Map<string, unknown>> | null = null

  constructor(move: DatabaseMove, source: MongoClient, target: MongoClient) {
    this.#move = move
    this.#client = source
    this.#source = source.db(databaseOf(move.from))
    this.#target = target.db(databaseOf(move.to))
    this.#progress = this.#target.collection<Progress>(moveCollection)
  }

  async run(): Promise<readonly MovedCollection[]> {
    this.#isEmbedded = await embedded(this.#source)
    this.#written = writtenIn(this.#source, { isEmbedded: this.#isEmbedded })
    try {
      await this.#begin()
      await this.#copyAll()
      for (let tries = 1; ; tries++) {
        await this.#catchUp()
        const compared = await this.#compare()
        await this.#catchUp()
        const moved = await this.#hold(compared)
        if (moved !== null) return moved
        if (tries === triesMax)
          throw new Error(
            'The copy could not catch up during a short stop of writes, because there are too many writes. Try again at a quieter time.',
          )
      }
    } finally {
      await this.#written.close()
    }
  }

  async #begin(): Promise<void> {
    const states = this.#source.collection<MovingState>('state')
    const begun = await this.#progress.findOne({ _id: 'move' })
    const moving = await states.findOne({ _id: movingState })
    if (begun?.position !== undefined) {
      if (begun.id !== moving?.value.id)
        throw new Error(
          `The target "${this.#target.databaseName}" holds parts of a cancelled move. Drop that database and start the move again.`,
        )
      this.#position = begun.position
      // A move that was interrupted right before its end has already deleted this document from the copy.
      await this.#copyAgain('state', [movingState])
      return
    }
    await refuseDocuments(this.#target)
    const id = newToken()
    const value = { id, to: this.#move.name, at: new Date() }
    await states.updateOne({ _id: movingState }, { $set: { value } }, { upsert: true })
    const position = await this.#written.begin()
    await this.#progress.updateOne({ _id: 'move' }, { $set: { id, position } }, { upsert: true })
    this.#position = position
  }

  async #moveOn(position: Position): Promise<void> {
    await this.#progress.updateOne({ _id: 'move' }, { $set: { position } }, { upsert: true })
    this.#position = position
  }

  async #collections(): Promise<readonly { readonly name: string; readonly options: CreateCollectionOptions }[]> {
    const found = await this.#source.listCollections({}, { nameOnly: false }).toArray()
    for (const { name, type } of found)
      if (type !== undefined && type !== 'collection' && !name.startsWith('system.'))
        throw new Error(`${name} is a ${type}: only ordinary collections can be moved.`)
    return found
      .filter(({ name }) => !name.startsWith('system.') && name !== moveCollection)
      .map(({ name, options }) => ({ name, options: (options ?? {}) as CreateCollectionOptions }))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Creates a collection and its indexes in the copy, as far as they are missing. Nothing expires there yet. */
  async #shape(name: string, options: CreateCollectionOptions): Promise<void> {
    if (!(await this.#target.listCollections({ name }, { nameOnly: true }).hasNext()))
      await this.#target.createCollection(name, options)
    const existing = new Set((await this.#target.collection(name).listIndexes().toArray()).map((index) => index.name))
    const missing = (await this.#source.collection(name).listIndexes().toArray())
      .filter((index) => !existing.has(index.name))
      .map(
        ({ v: _v, ns: _ns, ...spec }): Document =>
          spec.expireAfterSeconds === undefined ? spec : { ...spec, expireAfterSeconds: neverSeconds },
      )
    if (missing.length > 0) await this.#target.command({ createIndexes: name, indexes: missing })
  }

  async #copyAll(): Promise<void> {
    for (const { name, options } of await this.#collections()) {
      await this.#shape(name, options)
      if (isCompared(name, options)) await this.#copy(name)
    }
  }

  /** Copies a collection in pages by key. The last key is recorded, where a query can resume after it. */
  async #copy(collection: string): Promise<void> {
    const _id = `copied ${collection}`
    const done = await this.#progress.findOne({ _id }, { promoteValues: false })
    if (done?.isCopied !== undefined) return
    const source = this.#source.collection(collection)
    const of = await source.estimatedDocumentCount()
    let documents = 0
    let page: Document[] = []
    let bytes = 0
    const flush = async () => {
      await insertMissing(this.#target.collection(collection), page)
      documents += page.length
      const last: unknown = page.at(-1)?._id
      if (isOrdered(last)) await this.#progress.updateOne({ _id }, { $set: { last } }, { upsert: true })
      this.#move.onProgress({ step: 'copying', collection, documents, of })
      page = []
      bytes = 0
    }
    const behind = done?.last === undefined ? {} : { _id: { $gt: done.last } }
    for await (const raw of source.find(behind as Document, { raw: true }).sort({ _id: 1 })) {
      const stored = raw as unknown as Buffer
      page.push(deserialize(stored, exact))
      bytes += stored.length
      if (page.length >= pageDocuments || bytes >= pageBytes) await flush()
    }
    if (page.length > 0) await flush()
    await this.#progress.updateOne({ _id }, { $set: { isCopied: true } }, { upsert: true })
  }

  /** Copies written documents, until a read returns at most `fewDocuments`. */
  async #catchUp(): Promise<void> {
    for (let documents = Number.POSITIVE_INFINITY; documents > fewDocuments; ) {
      documents = await this.#takeWritten()
      this.#move.onProgress({ step: 'catching up', documents })
    }
    await this.#written.forget(this.#position)
  }

  /** Copies the next written documents. Returns how many writes were read. */
  async #takeWritten(): Promise<number> {
    const { written, position } = await this.#written.read(this.#position)
    const byCollection = Map.groupBy(
      written.filter(
        ({ collection }) =>
          !collection.startsWith('system.') && collection !== moveCollection && !namesOfProcesses.has(collection),
      ),
      ({ collection }) => collection,
    )
    for (const [collection, of] of byCollection) {
      const keys = distinct(of)
      const flux = this.#flux?.get(collection)
      for (const [name, key] of keys) flux?.set(name, key)
      await this.#copyAgain(collection, [...keys.values()])
    }
    if (written.length > 0) await this.#moveOn(position)
    return written.length
  }

  /**
   * Copies documents in their current state. If another document in the copy has the unique key of one of them, that document must have
   * changed in the source since it was copied. It is then copied again as well, which frees the key.
   */
  async #copyAgain(collection: string, keys: readonly unknown[], depth = 0): Promise<void> {
    const into = this.#target.collection(collection)
    for (let from = 0; from < keys.length; from += pageDocuments) {
      const filter = { _id: { $in: keys.slice(from, from + pageDocuments) } } as Document
      const found = await this.#source.collection(collection).find(filter, { raw: true }).toArray()
      await into.deleteMany(filter)
      const refused = await insertMissing(
        into,
        found.map((raw) => deserialize(raw as unknown as Buffer, exact)),
      )
      if (refused.length === 0) continue
      if (depth > triesMax)
        throw new Error(`Documents of ${collection} keep conflicting in the copy by their unique keys.`)
      const holders = await into
        .find({ $or: refused.map(({ holders: own }) => own) }, { projection: { _id: 1 }, promoteValues: false })
        .toArray()
      await this.#copyAgain(
        collection,
        [...holders, ...refused.map(({ document }) => document)].map(({ _id }) => _id),
        depth + 1,
      )
    }
  }

  /** Compares the copy while both sides are written. Documents that differ, or are written meanwhile, are compared again in the hold. */
  async #compare(): Promise<ReadonlyMap<string, { readonly checksum: string; readonly tookMs: number }>> {
    const collections = (await this.#collections()).filter(({ name, options }) => isCompared(name, options))
    this.#flux = new Map(collections.map(({ name }) => [name, new Map()]))
    const compared = new Map<string, { checksum: string; tookMs: number }>()
    for (const { name } of collections) {
      const beganAt = performance.now()
      const { checksum, differing } = await compareAll(
        this.#source.collection(name),
        this.#target.collection(name),
        (documents) => this.#move.onProgress({ step: 'comparing', collection: name, documents }),
      )
      for (const key of differing) this.#flux.get(name)?.set(nameOfKey(key), key)
      compared.set(name, { checksum, tookMs: performance.now() - beganAt })
    }
    return compared
  }

  /** Blocks writes, then copies, compares and counts the rest. Returns null, with writes allowed again, if that took too long. */
  async #hold(
    compared: ReadonlyMap<string, { readonly checksum: string; readonly tookMs: number }>,
  ): Promise<readonly MovedCollection[] | null> {
    const isEmbedded = this.#isEmbedded
    await block(this.#client, { isOn: true, isEmbedded, forMs: holdMs })
    this.#move.onProgress({ step: 'holding' })
    const prolong = setInterval(() => {
      block(this.#client, { isOn: true, isEmbedded, forMs: holdMs }).catch(() => undefined)
    }, prolongMs)
    let isOver = false
    try {
      for (let n = 0; (await this.#takeWritten()) > 0; n++) if (n === readingsMax) return null
      const moved: MovedCollection[] = []
      for (const { name, options } of await this.#collections()) {
        const finished = await this.#finish(name, options, compared.get(name))
        if (finished === null) return null
        moved.push(finished)
      }
      clearInterval(prolong)
      // Without a time limit: from here on the source takes no more writes.
      await block(this.#client, { isOn: true, isEmbedded })
      if (await this.#wasWritten()) return null
      for (const { collection } of moved) await this.#expire(collection)
      await this.#target.collection<MovingState>('state').deleteOne({ _id: movingState })
      isOver = true
      await this.#move.switchOver()
      await this.#progress.drop()
      return moved
    } finally {
      clearInterval(prolong)
      if (!isOver) await block(this.#client, { isOn: false, isEmbedded })
    }
  }

  /** Whether something was written during the hold: it ends early if this process was suspended, or too slow to prolong it. */
  async #wasWritten(): Promise<boolean> {
    return (await this.#written.read(this.#position)).written.length > 0
  }

  /** Finishes a collection while nothing is written: compares the rest and counts. Returns null if something was written. */
  async #finish(
    name: string,
    options: CreateCollectionOptions,
    compared: { readonly checksum: string; readonly tookMs: number } | undefined,
  ): Promise<MovedCollection | null> {
    const source = this.#source.collection(name)
    const target = this.#target.collection(name)
    await this.#shape(name, options)
    if (options.capped === true) return this.#copyCapped(name, options)
    if (namesOfProcesses.has(name)) return { collection: name, documents: 0, checksum: null, comparedAgain: 0 }
    const flux = [...(this.#flux?.get(name)?.values() ?? [])]
    const isQuick = (compared?.tookMs ?? 0) < quickMs
    const isKnown = compared !== undefined && (flux.length === 0 || !isQuick)
    const again = isKnown ? null : await compareAll(source, target, () => undefined)
    const differing = again?.differing ?? (await differingOf(source, target, flux))
    const [documents, copied] = await Promise.all([source.countDocuments({}), target.countDocuments({})])
    if (differing.length > 0 || documents !== copied) {
      if (await this.#wasWritten()) return null
      throw new Error(
        `The copy of ${name} differs from its source: the source has ${documents} documents and the copy ${copied}; ${differing.length} differ.`,
      )
    }
    const checksum = again?.checksum ?? compared?.checksum ?? null
    return { collection: name, documents, checksum, comparedAgain: flux.length }
  }

  /** Gives the indexes of the copy the expiry that they have in the source. */
  async #expire(collection: string): Promise<void> {
    for (const { name, expireAfterSeconds } of await this.#source.collection(collection).listIndexes().toArray())
      if (expireAfterSeconds !== undefined)
        await this.#target.command({ collMod: collection, index: { name, expireAfterSeconds } })
  }

  /** Copies a capped collection as a whole, in the order of its documents. */
  async #copyCapped(name: string, options: CreateCollectionOptions): Promise<MovedCollection> {
    await this.#target.collection(name).drop()
    await this.#shape(name, options)
    const found = await this.#source.collection(name).find({}, { raw: true }).toArray()
    const documents = found.map((raw) => deserialize(raw as unknown as Buffer, exact))
    for (let from = 0; from < documents.length; from += pageDocuments)
      await this.#target.collection(name).insertMany(documents.slice(from, from + pageDocuments), { ordered: true })
    return { collection: name, documents: documents.length, checksum: null, comparedAgain: 0 }
  }
}

/** Whether the documents of a collection are copied one by one while the source is in use, and compared. */
const isCompared = (name: string, { capped }: CreateCollectionOptions) => capped !== true && !namesOfProcesses.has(name)

/** A collection whose comparison took less than this is compared as a whole again in the hold. */
const quickMs = 200

/** Whether a query for all keys greater than this one finds the rest of a collection: true for strings and ObjectIds. */
const isOrdered = (key: unknown): boolean =>
  typeof key === 'string' || (key as { readonly _bsontype?: string } | undefined)?._bsontype === 'ObjectId'

function distinct(written: readonly DocumentKey[]): ReadonlyMap<string, unknown> {
  return new Map(written.map(({ key }) => [nameOfKey(key), key]))
}

type Refused = { readonly document: Document; readonly holders: Document }

/** Inserts missing documents. Returns those whose unique key another document has, each with a filter that finds that document. */
async function insertMissing(into: Collection, documents: readonly Document[]): Promise<readonly Refused[]> {
  if (documents.length === 0) return []
  try {
    await into.insertMany([...documents], { ordered: false, forceServerObjectId: true })
    return []
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError) || !onlyDuplicates(error)) throw error
    return [error.writeErrors].flat().flatMap(({ index, err }) => {
      const { keyValue = {} } = err as { readonly keyValue?: Document }
      return Object.keys(keyValue).join() === '_id' ? [] : [{ document: documents[index]!, holders: keyValue }]
    })
  }
}

async function embedded(db: Db): Promise<boolean> {
  return (await db.command({ buildInfo: 1 })).embedded === true
}

/** Blocks or allows writes with the command of MongoDB 6.0. A block has no time limit, except with `forMs` on the embedded engine. */
async function block(
  client: MongoClient,
  { isOn, isEmbedded, forMs }: { readonly isOn: boolean; readonly isEmbedded: boolean; readonly forMs?: number },
): Promise<void> {
  const forSome = isEmbedded && forMs !== undefined ? { embeddedForMs: forMs } : {}
  await client.db('admin').command({ setUserWriteBlockMode: 1, global: isOn, ...forSome })
}
