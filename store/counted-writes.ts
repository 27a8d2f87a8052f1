/**
 * Writes to several collections in one command, like `store/writes.ts`, but for changes of many documents by one filter: the caller
 * learns how many documents each write matched. Invariant: the first write is the fence of the others. If a unique key refuses it, none
 * of the others is made.
 */
import { type ClientBulkWriteResult, type Db, MongoBulkWriteError, MongoClientBulkWriteError } from 'mongodb'
import { duplicateKey, fencedSince, modelOf, type Write } from './writes.ts'

/**
 * Makes the writes in order. Returns how many documents each matched; null, with none made, when a unique key refused the first.
 * Rejects with any other error, as `WriteTogether` does.
 */
export type WriteCounted = (writes: readonly Write[]) => Promise<readonly number[] | null>

/** Creates the function of a process. `isTogether` is the result of `knowsBulkWrite`. */
export function createWriteCounted(db: Db, isTogether: boolean): WriteCounted {
  return isTogether ? (writes) => inOneCommand(db, writes) : (writes) => oneByOne(db, writes)
}

async function inOneCommand(db: Db, writes: readonly Write[]): Promise<readonly number[] | null> {
  try {
    const models = writes.map((write) => modelOf(db, write))
    const result = await db.client.bulkWrite(models, { ordered: true, verboseResults: true })
    return writes.map((_, n) => countIn(result, n))
  } catch (error) {
    if (!(error instanceof MongoClientBulkWriteError) || error.writeConcernErrors.length > 0) throw error
    if (error.writeErrors.get(0)?.code === duplicateKey) return null
    throw error
  }
}

function countIn({ updateResults, insertResults }: ClientBulkWriteResult, n: number): number {
  return updateResults?.get(n)?.matchedCount ?? (insertResults?.has(n) === true ? 1 : 0)
}

/** Makes the writes one by one, for servers before MongoDB 8.0. */
async function oneByOne(db: Db, writes: readonly Write[]): Promise<readonly number[] | null> {
  const counts: number[] = []
  const fence = fencedSince(performance.now())
  for (const [n, { collection, operation }] of writes.entries()) {
    fence()
    try {
      const { matchedCount, insertedCount } = await db.collection(collection).bulkWrite([operation])
      counts.push(matchedCount + insertedCount)
    } catch (error) {
      const isRefused = error instanceof MongoBulkWriteError && error.code === duplicateKey
      if (n === 0 && isRefused && error.result.getWriteConcernError() === undefined) return null
      throw error
    }
  }
  return counts
}
