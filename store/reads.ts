/**
 * Reads documents that fit into one answer of the database, with a plain `find` command. The driver's cursor records where each field of
 * each document begins and retains that, with everything it has read, until the cursor is garbage collected. The answer to a plain
 * command is decoded straight into documents, which takes a quarter less CPU time for a page of ten. A cursor is used when one answer is
 * not enough, and for another try after an error; so the functions reject as a cursor does.
 */
import { Binary, type Document, type Filter, Long, MongoNetworkError, MongoServerError, type Sort } from 'mongodb'
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

/** A page of documents. `isMore`: whether more follow, because of the limit or because those would make the page too long. */
export type Portion<D> = { readonly docs: readonly D[]; readonly isMore: boolean }

/** The most characters of text in a portion, unless its first document alone has more. */
export const portionChars = 1024 * 1024
/** How many documents are read first, to learn how long they are. */
const sampleMax = 8

/** The documents that match, for a page of a list whose documents may be long: at most `limit`, and at most `portionChars` of text. */
export async function readPortion<N extends CollectionName>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  { limit, ...options }: ReadOptions & { readonly limit: number },
): Promise<Portion<DocOf<N>>> {
  const sample = await readMany<N>(store, name, filter, { ...options, limit: Math.min(limit + 1, sampleMax) })
  const fitting = Math.ceil((portionChars * sample.length) / Math.max(1, textLength(sample)))
  const wanted = Math.min(limit, fitting)
  if (sample.length < sampleMax || wanted < sampleMax) return portionOf(sample, limit)
  const answer = await readAnswer<N, DocOf<N>>(store, name, filter, { ...options, limit: wanted + 1 })
  if (answer === null) return portionOf(sample, sampleMax - 1)
  const { docs, isMore } = portionOf(answer.docs, wanted)
  return { docs, isMore: isMore || !answer.isWhole }
}

/** The first of these documents that make a portion. */
export function portionOf<D>(docs: readonly D[], limit: number): Portion<D> {
  let chars = 0
  let count = 0
  for (const doc of docs.slice(0, limit)) {
    chars += textLength(doc)
    if (count > 0 && chars > portionChars) break
    count += 1
  }
  return { docs: docs.slice(0, count), isMore: count < docs.length }
}

/** How many characters the texts of a document have, and how many bytes its binary values. */
export function textLength(value: unknown): number {
  if (typeof value === 'string') return value.length
  if (typeof value !== 'object' || value === null) return 0
  if (value instanceof Binary) return value.length()
  let length = 0
  for (const each of Object.values(value)) length += textLength(each)
  return length
}

/** How many documents one answer may hold, if their bytes fit. The default of 101 would take several answers. */
const answerMax = 2_000

type Limited = ReadOptions & { readonly limit?: number }

async function read<N extends CollectionName, D>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  options: Limited,
): Promise<D[]> {
  const answer = await readAnswer<N, D>(store, name, filter, options)
  if (answer?.isWhole === true) return answer.docs
  // The driver's cursor fetches further batches, and knows which errors to retry.
  const { limit, readConcern, sort, ...others } = options
  const cursor = store.db.collection(store[name].collectionName).find<D & Document>(filter as Filter<Document>, {
    ...others,
    ...(sort !== undefined && { sort: sort as Sort }),
    ...(limit !== undefined && { limit }),
    ...(readConcern !== undefined && { readConcern }),
  })
  return cursor.toArray()
}

/** What one answer of the database holds; null after an error, when a cursor is to try again. */
async function readAnswer<N extends CollectionName, D>(
  store: Store,
  name: N,
  filter: Filter<DocOf<N>>,
  { limit, readConcern, ...options }: Limited,
): Promise<{ readonly docs: D[]; readonly isWhole: boolean } | null> {
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
    const isWhole = Number(cursor.id) === 0
    if (!isWhole) await store.db.command({ killCursors: collectionName, cursors: [Long.fromString(String(cursor.id))] })
    return { docs: cursor.firstBatch, isWhole }
  } catch (error) {
    if (!(error instanceof MongoNetworkError || error instanceof MongoServerError)) throw error
    return null
  }
}
