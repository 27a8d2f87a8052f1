import { EngineError } from '../errors.ts'
import { compileFilter, type Matcher } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import type { Collection } from '../store/catalog.ts'
import { pathsOf } from '../store/paths.ts'
import type { Store } from '../store/store.ts'
import { choosePlan } from './choose.ts'
import type { QueryRequest } from './query.ts'
import { accepted, chunkBytes, firstChunk, type Hit, largestChunk, noRecord, type Row } from './scan.ts'

/** A query that follows a capped collection. */
export type FollowQuery = {
  readonly matcher: Matcher
  /** Rows in natural order. A call of `next` after the end continues with documents that were inserted since. */
  readonly rows: Iterator<Hit | undefined>
}

/**
 * Follows a capped collection from its oldest document. As in mongod, it reads the collection itself, never an index.
 * @throws EngineError for a malformed filter, and for any filter where table scans are switched off. The rows throw
 *   CappedPositionLost if the last document that was read has been removed, QueryPlanKilled if the collection is dropped
 */
export function followQuery(store: Store, collection: Collection, request: QueryRequest): FollowQuery {
  const node = parseFilter(request.filter)
  const matcher = compileFilter(node, request.names)
  const unfiltered = Object.keys(request.filter).length === 0
  const { noTableScan, skip = 0, limit = 0 } = request
  const plan = choosePlan(collection, { filter: node, unfiltered, hint: { $natural: 1 }, noTableScan })
  const options = { matcher, fields: pathsOf(node), stats: { keysExamined: 0, docsExamined: 0 } }
  const position = { last: noRecord }
  let found = 0

  function* round(): Generator<Hit | undefined, undefined> {
    for (const hit of accepted(recordsAfter(store, collection, position), plan.exact, options)) {
      if (hit === undefined) yield undefined
      else if (++found > skip && (limit === 0 || found <= skip + limit)) yield hit
    }
  }

  let rows: Iterator<Hit | undefined, undefined> | undefined
  return {
    matcher,
    rows: {
      next() {
        rows ??= round()
        const next = rows.next()
        if (next.done === true) rows = undefined
        return next
      },
    },
  }
}

/** The records after `position`, which advances with each. */
function* recordsAfter(store: Store, collection: Collection, position: { last: number }): Generator<Row> {
  for (let count = firstChunk; ; count = Math.min(count * 4, largestChunk)) {
    const table = store.records(collection.id)
    const { last } = position
    if (last !== noRecord && !table.has(last))
      throw new EngineError(
        'CappedPositionLost',
        `CollectionScan died due to position in capped collection being deleted. Last seen record id: RecordId(${last})`,
      )
    const rows = table.after(last, count, chunkBytes)
    if (rows.length === 0) return
    const { epoch } = store
    for (const [record, bytes] of rows) {
      if (store.epoch !== epoch) break
      position.last = record
      yield { record, bytes }
    }
  }
}
