/** Copies a whole database: the embedded engine copies itself to a file, or the documents are copied to another deployment. */
import { deserialize, serialize } from 'bson'
import { type Collection, type CreateCollectionOptions, type Db, type Document, MongoClient } from 'mongodb'
import { namesOfProcesses } from './collections.ts'
import { databaseOf } from './open.ts'

export type CopiedCollection = {
  readonly collection: string
  readonly documents: number
  readonly indexes: number
  /** Documents whose bytes changed, because fields whose names are whole numbers were moved to the front. */
  readonly reordered: number
}

/** Called as documents are copied; `of` is the estimated number of documents in the source. */
export type OnProgress = (progress: {
  readonly collection: string
  readonly copied: number
  readonly of: number
}) => void

const batchDocuments = 500
const batchBytes = 4 * 1024 * 1024
const selectionMs = 10_000
/** Options for decoding without loss: numbers keep their types, and 64-bit integers keep all their digits. */
export const exact = { promoteValues: false, promoteLongs: false, promoteBuffers: false, bsonRegExp: true } as const

/** Makes the embedded engine at `url` copy all its data to a new file while it runs. `file` is an absolute path. */
export async function backUp({ url, file }: { url: string; file: string }): Promise<void> {
  await withClient(url, async (client) => {
    await client.db('admin').command({ embeddedBackup: file })
  })
}

/**
 * Copies the collections of one database, with their options and indexes, into another that holds no documents. `from` and
 * `to` are connection strings; each means the database it names, or `mailroom` if it names none. What is written to the
 * source meanwhile may be missing from the copy. Rejects at the first document or index that cannot be copied; the target then has to
 * be dropped before another try.
 */
export async function copyDatabase({
  from,
  to,
  onProgress,
}: {
  from: string
  to: string
  onProgress: OnProgress
}): Promise<readonly CopiedCollection[]> {
  return withClient(from, (source) =>
    withClient(to, async (target) => copyAll(source.db(databaseOf(from)), target.db(databaseOf(to)), onProgress)),
  )
}

async function copyAll(source: Db, target: Db, onProgress: OnProgress): Promise<readonly CopiedCollection[]> {
  await refuseDocuments(target)
  const found = await source.listCollections({}, { nameOnly: false }).toArray()
  const copied: CopiedCollection[] = []
  for (const { name, type, options } of found.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (name.startsWith('system.')) continue
    if (type !== 'collection') throw new Error(`${name} is a ${type}: only ordinary collections can be copied.`)
    const indexes = await copyShape(source, target, name, options ?? {})
    const documents = namesOfProcesses.has(name)
      ? { documents: 0, reordered: 0 }
      : await copyDocuments(source, target, name, onProgress)
    copied.push({ collection: name, indexes, ...documents })
  }
  return copied
}

export async function refuseDocuments(target: Db): Promise<void> {
  for (const { name } of await target.listCollections({}, { nameOnly: true }).toArray()) {
    if (name.startsWith('system.')) continue
    if ((await target.collection(name).findOne({}, { projection: { _id: 1 } })) !== null)
      throw new Error(`The target "${target.databaseName}" is not empty: "${name}" holds documents.`)
  }
}

/**
 * Creates a collection and its indexes. The indexes come before the documents, so that an unsupported index stops the copy at once.
 */
async function copyShape(source: Db, target: Db, name: string, options: CreateCollectionOptions): Promise<number> {
  const exists = await target.listCollections({ name }, { nameOnly: true }).hasNext()
  if (!exists) await target.createCollection(name, options)
  const all = await source.collection(name).listIndexes().toArray()
  const indexes = all.filter((index) => index.name !== '_id_').map(({ v: _v, ns: _ns, ...spec }): Document => spec)
  if (indexes.length > 0) await target.command({ createIndexes: name, indexes })
  return indexes.length
}

async function copyDocuments(
  source: Db,
  target: Db,
  name: string,
  onProgress: OnProgress,
): Promise<{ documents: number; reordered: number }> {
  const of = await source.collection(name).estimatedDocumentCount()
  const into = target.collection(name)
  let documents = 0
  let reordered = 0
  let batch: Document[] = []
  let bytes = 0
  const flush = async () => {
    documents += await insertAll(into, batch)
    batch = []
    bytes = 0
    onProgress({ collection: name, copied: documents, of })
  }
  for await (const raw of source.collection(name).find({}, { raw: true })) {
    // The driver's types describe decoded documents only; with `raw` each document is a buffer of BSON.
    const stored = raw as unknown as Buffer
    const doc = deserialize(stored, exact)
    if (!stored.equals(serialize(doc))) reordered++
    batch.push(doc)
    bytes += stored.length
    if (batch.length >= batchDocuments || bytes >= batchBytes) await flush()
  }
  await flush()
  return { documents, reordered }
}

async function insertAll(into: Collection, batch: Document[]): Promise<number> {
  if (batch.length === 0) return 0
  const { insertedCount } = await into.insertMany(batch, { ordered: true, forceServerObjectId: true })
  return insertedCount
}

export async function withClient<Result>(url: string, work: (client: MongoClient) => Promise<Result>): Promise<Result> {
  const client = new MongoClient(url, {
    appName: 'mailroom-copy',
    serverSelectionTimeoutMS: selectionMs,
    writeConcern: { w: 'majority', journal: true },
  })
  try {
    await client.connect()
    return await work(client)
  } finally {
    await client.close()
  }
}
