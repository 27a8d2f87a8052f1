/**
 * Reads documents that fit into one answer of the database, with a plain `find` command. The driver's cursor records where each field of
 * each document begins and retains that, with everything it has read, until the cursor is garbage collected. The answer to a plain
 * command is decoded straight into documents, which takes a quarter less CPU time for a page of ten. A cursor is used when one answer is
 * not enough, and for another try after an error; so the functions reject as a cursor does.
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

/** The documents that match, at most `limit`. Meant for some hundreds: if one answer cannot hold them, a cursor reads all of them again. */
export function readMany<N extends CollectionName, D = DocOf<N>>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  options: ReadOptions & { readonly limit?: number } = {},
): Promise<D[]> {
  return read<N, D>(store, name, filter, options)
}

/** How many documents one answer may hold, if their bytes fit. The default of 101 would take several answers. */
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
        // A batch larger than the limit makes the database close the cursor at once.
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
  // The driver's cursor fetches further batches, and knows which errors to retry.
  const { sort, ...others } = options
  const cursor = store.db.collection(collectionName).find<D & Document>(filter as Filter<Document>, {
    ...others,
    ...(sort !== undefined && { sort: sort as Sort }),
    ...(limit !== undefined && { limit }),
    ...(readConcern !== undefined && { readConcern }),
  })
  return cursor.toArray()
}
