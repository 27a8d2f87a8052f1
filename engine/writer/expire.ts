import { limits } from '../limits.ts'
import type { Collection, Index } from '../store/catalog.ts'
import { allRecords, applyDelete, eachInChunks, searchFor } from './change.ts'
import type { Statement, WriteContext } from './context.ts'

/**
 * Removes documents whose date is older than their TTL index allows, at most `limits.ttlDeletes` between two rests. Values
 * that are not dates never expire; in an array the earliest date counts.
 */
export function* expire(ctx: WriteContext, now: Date): Statement {
  let n = 0
  const due = [...ctx.store.catalog.byName.values()].flatMap((collection) =>
    collection.indexes
      .filter((index) => index.expireAfterSeconds !== undefined)
      .map((index) => ({ collection, index })),
  )
  for (const { collection, index } of due) {
    for (;;) {
      const current = ctx.store.collection(collection.database, collection.name)
      if (current?.id !== collection.id || !current.indexes.some(({ id }) => id === index.id)) break
      const removed = yield* expireOne(ctx, current, index, now)
      n += removed
      yield
      if (removed < limits.ttlDeletes) break
    }
  }
  return { n, ok: 1 }
}

function* expireOne(ctx: WriteContext, collection: Collection, index: Index, now: Date): Generator<void, number, void> {
  const cutoff = new Date(now.getTime() - index.expireAfterSeconds! * 1000)
  const lapsed = { [index.key[0]![0]]: { $lt: cutoff } }
  const { partialFilterExpression: partial } = index.spec
  const filter = partial === undefined ? lapsed : { $and: [lapsed, partial] }
  // A hidden index cannot be hinted. Then the filter alone finds the documents, even where clients may not scan a collection.
  const [from, hint] = index.hidden ? [{ ...ctx, noTableScan: false }, undefined] : [ctx, index.name]
  const query = searchFor(from, collection, { filter, hint, limit: limits.ttlDeletes })
  let removed = 0
  yield* eachInChunks(ctx, collection, allRecords(query, undefined), query, new Set(), (current, target) => {
    applyDelete(ctx, current, target)
    removed++
  })
  return removed
}
