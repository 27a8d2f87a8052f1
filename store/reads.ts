/**
 * Reads of documents that one answer of the database holds. The driver's cursor notes where each field of each document begins,
 * and keeps that with all it has read until it is collected itself; a command of its own is read once, into the documents alone,
 * and takes a quarter less of the processor for a page of ten. A cursor is left for what several answers bring, and for what is
 * worth a second try: each function rejects as that does.
 */
import { type Document, type Filter, Long, MongoNetworkError, MongoServerError, type Sort } from 'mongodb'
import type { CollectionName, DocOf } from './collections.ts'
import type { Store } from './open.ts'

export type ReadOptions = {
  readonly projection?: Document
  readonly sort?: Readonly<Record<string, 1 | -1>>
  /** An index, by its name or fields. */
  readonly hint?: string | Readonly<Record<string, 1>>
  readonly readConcern?: 'majority'
}

/** The first document that matches, in the order of `sort`; null when there is none. */
export async function readOne<N extends CollectionName, D = DocOf<N>>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  options: ReadOptions = {},
): Promise<D | null> {
  const [first] = await read<N, D>(store, name, filter, { ...options, limit: 1 })
  return first ?? null
}

/** The documents that match, at most `limit`: some hundreds usually, as more than fit into one answer are asked for again. */
export function readMany<N extends CollectionName, D = DocOf<N>>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  options: ReadOptions & { readonly limit?: number } = {},
): Promise<D[]> {
  return read<N, D>(store, name, filter, options)
}

/** Documents of which one answer tells, when their bytes leave room: the usual 101 would take several. */
const answerMax = 2_000

async function read<N extends CollectionName, D>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  { limit, readConcern, ...options }: ReadOptions & { readonly limit?: number },
): Promise<D[]> {
  const { collectionName } = store[name]
  try {
    const { cursor } = await store.db.command(
      {
        find: collectionName,
        filter,
        ...options,
        ...(limit !== undefined && { limit }),
        // With one more than the limit the database keeps no cursor.
        batchSize: limit === undefined ? answerMax : limit + 1,
        ...(readConcern !== undefined && { readConcern: { level: readConcern } }),
      },
      { ignoreUndefined: true },
    )
    if (Number(cursor.id) === 0) return cursor.firstBatch
    await store.db.command({ killCursors: collectionName, cursors: [Long.fromString(String(cursor.id))] })
  } catch (error) {
    if (!(error instanceof MongoNetworkError || error instanceof MongoServerError)) throw error
  }
  // The driver's cursor asks on, and knows which errors are worth a second try.
  const { sort, ...others } = options
  const cursor = store.db.collection(collectionName).find<D & Document>(filter as Filter<Document>, {
    ...others,
    ...(sort !== undefined && { sort: sort as Sort }),
    ...(limit !== undefined && { limit }),
    ...(readConcern !== undefined && { readConcern }),
  })
  return cursor.toArray()
}
