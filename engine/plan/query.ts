import type { Constants } from '../aggregate/scope.ts'
import { decode } from '../bson/decode.ts'
import type { Document, Value } from '../bson/document.ts'
import { encodeKey } from '../bson/keys.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { compileFilter, type Matcher } from '../match/compile.ts'
import type { FilterPlace } from '../match/operators.ts'
import { type FilterNode, parseFilter } from '../match/parse.ts'
import { checkSort, compileSortKey, type SortKey } from '../sort/sort.ts'
import { sortInSteps } from '../sort/steps.ts'
import type { Collection } from '../store/catalog.ts'
import { pick } from '../store/elements.ts'
import { pathsOf, topLevel } from '../store/paths.ts'
import type { Store } from '../store/store.ts'
import { choosePlan, type Plan } from './choose.ts'
import { isScalar } from './predicates.ts'
import { accept, candidates, type Hit, noRecord, type ScanOptions, type ScanStats, scan } from './scan.ts'

export type QueryRequest = {
  readonly filter: Document
  /** The place of the filter; if absent, it is that of a plain query. */
  readonly place?: FilterPlace
  readonly sort?: Document
  readonly hint?: string | Document
  readonly skip?: number
  /** 0 or absent: no limit. */
  readonly limit?: number
  readonly noTableScan: boolean
  /** The `$$` variables of the filter's `$expr`; `$$NOW` alone if absent. */
  readonly names?: Constants
  /** Whether to decode whole documents for the filter, because the caller needs them anyway. */
  readonly whole?: boolean
}

/** A query with its plan, ready to run against one store. */
export type Query = {
  readonly node: FilterNode
  readonly matcher: Matcher
  readonly plan: Plan
  readonly stats: ScanStats
  readonly sortInMemory: boolean
  /** The results, in order, after skip and limit. `undefined` means that the search goes on. */
  readonly run: () => Generator<Hit | undefined>
  /** The records that may match, each once. Without skip and limit, no document is read if an index serves the filter. */
  readonly candidates: () => Generator<number | undefined>
}

/**
 * Parses the filter and chooses a plan.
 * @throws EngineError for a malformed filter, sort or hint, and for a table scan where these are refused
 */
export function prepareQuery(store: Store, collection: Collection, request: QueryRequest): Query {
  const id = idOf(request)
  return id === undefined ? planned(store, collection, request) : byId(store, collection, request, id)
}

/** The `_id` if a request looks for one document by it. This is the most common request, and needs no plan. */
function idOf({ filter, sort, hint, skip }: QueryRequest): Value | undefined {
  if (sort !== undefined || hint !== undefined || skip !== undefined) return undefined
  const id = filter._id
  return id !== undefined && isScalar(id) ? id : undefined
}

/** The query that `planned` would make, without planning. Parts that only others need, such as explain, are made on demand. */
function byId(store: Store, collection: Collection, request: QueryRequest, id: Value): Query {
  const node = once(() => parseFilter(request.filter, request.place))
  const matcher = once(() => compileFilter(node(), request.names))
  const further = hasOthers(request.filter) ? { matcher: matcher(), fields: fieldsOf(request, node()) } : undefined
  const stats: ScanStats = { keysExamined: 0, docsExamined: 0 }
  const find = () => store.index(collection.indexes[0]!.id).holder(encodeKey([id], [1]), noRecord)
  return {
    get node() {
      return node()
    },
    get matcher() {
      return matcher()
    },
    get plan() {
      return planned(store, collection, request).plan
    },
    stats,
    sortInMemory: false,
    *run() {
      const record = find()
      if (record === undefined) return
      stats.keysExamined++
      const bytes = store.records(collection.id).get(record)
      if (bytes === undefined) return
      stats.docsExamined++
      const hit = further === undefined ? { record, bytes, doc: undefined } : accept({ record, bytes }, further)
      if (hit !== undefined) yield hit
    },
    *candidates() {
      const record = find()
      if (record !== undefined) yield record
    },
  }
}

function hasOthers(filter: Document): boolean {
  for (const field in filter) if (field !== '_id') return true
  return false
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

/** The fields to decode for the filter; undefined for whole documents. */
function fieldsOf({ whole }: QueryRequest, node: FilterNode): ReadonlySet<string> | undefined {
  return whole === true ? undefined : pathsOf(node)
}

/**
 * Checks a query whose collection does not exist, as `prepareQuery` would check it.
 * @returns the compiled filter
 * @throws EngineError as `prepareQuery`
 */
export function checkQuery({
  filter,
  place,
  sort,
  names,
}: Pick<QueryRequest, 'filter' | 'place' | 'sort' | 'names'>): Matcher {
  checkSort(sort)
  return compileFilter(parseFilter(filter, place), names)
}

function planned(store: Store, collection: Collection, request: QueryRequest): Query {
  checkSort(request.sort)
  const node = parseFilter(request.filter, request.place)
  const matcher = compileFilter(node, request.names)
  const sort = isEmpty(request.sort) ? undefined : request.sort
  const natural = sort?.$natural
  const plan = choosePlan(collection, {
    filter: node,
    unfiltered: isEmpty(request.filter),
    sort: natural === undefined ? sort : undefined,
    hint: natural === undefined ? nonEmptyHint(request.hint) : { $natural: natural },
    noTableScan: request.noTableScan,
  })
  const stats: ScanStats = { keysExamined: 0, docsExamined: 0 }
  const fields = fieldsOf(request, node)
  const sortInMemory = sort !== undefined && natural === undefined && !plan.sorted
  const skip = request.skip ?? 0
  const limit = request.limit ?? 0
  return {
    node,
    matcher,
    plan,
    stats,
    sortInMemory,
    run() {
      const wanted = sortInMemory || limit === 0 ? undefined : skip + limit
      const found = scan(store, collection, plan, { matcher, fields, stats, wanted })
      const ordered = sortInMemory
        ? sortedHits(store, collection, found, { spec: sort, keep: limit === 0 ? 0 : skip + limit, matcher, fields })
        : found
      return skip === 0 && limit === 0 ? ordered : window(ordered, skip, limit)
    },
    *candidates() {
      if (plan.kind !== 'collection' && skip === 0 && limit === 0) yield* candidates(store, plan, { stats })
      else for (const hit of this.run()) yield hit?.record
    },
  }
}

function* window(hits: Iterable<Hit | undefined>, skip: number, limit: number): Generator<Hit | undefined> {
  let seen = 0
  for (const hit of hits) {
    if (hit === undefined) yield undefined
    else if (++seen > skip) {
      yield hit
      if (limit > 0 && seen >= skip + limit) return
    } else if (seen % limits.scanClockEvery === 0) yield undefined
  }
}

type Sorting = Pick<ScanOptions, 'matcher' | 'fields'> & { readonly spec: Document; readonly keep: number }

type Ranked = { readonly key: SortKey; readonly record: number; readonly bytes: number }

/**
 * Sorts in memory. Keeps only sort keys and record ids, and with a limit only the first `keep` of them. A document that was
 * removed meanwhile, or changed so that it does not match any more, is left out.
 */
function* sortedHits(
  store: Store,
  collection: Collection,
  hits: Iterable<Hit | undefined>,
  { spec, keep, ...options }: Sorting,
): Generator<Hit | undefined> {
  const { epoch } = store
  const sort = compileSortKey(spec)
  const fields = new Set(Object.keys(spec).map(topLevel))
  const order = (a: Ranked, b: Ranked) => sort.compareKeys(a.key, b.key) || a.record - b.record
  let kept: Ranked[] = []
  let bytes = 0
  for (const hit of hits) {
    if (hit === undefined) {
      yield undefined
      continue
    }
    const part = pick(hit.bytes, fields)
    kept.push({ key: sort.key(decode(part)), record: hit.record, bytes: part.length + 64 })
    bytes += part.length + 64
    const trims = kept.length >= 2 * keep + 1024 || (bytes > limits.sortBytes && kept.length > keep)
    if (keep > 0 && trims) {
      kept = (yield* sortInSteps(kept, order)).slice(0, keep)
      bytes = kept.reduce((sum, ranked) => sum + ranked.bytes, 0)
    }
    if (bytes > limits.sortBytes) {
      throw new EngineError(
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `Sort exceeded memory limit of ${limits.sortBytes} bytes, but did not opt in to external sorting.`,
      )
    }
    if (kept.length % limits.scanClockEvery === 0) yield undefined
  }
  const sorted = yield* sortInSteps(kept, order)
  for (const { record } of keep > 0 ? sorted.slice(0, keep) : sorted) {
    const found = store.records(collection.id).get(record)
    if (found === undefined) continue
    const row = { record, bytes: found }
    const hit = store.epoch === epoch ? { ...row, doc: undefined } : accept(row, options)
    if (hit !== undefined) yield hit
  }
}

function nonEmptyHint(hint: string | Document | undefined): string | Document | undefined {
  return typeof hint === 'string' || !isEmpty(hint) ? hint : undefined
}

function isEmpty(doc: Document | undefined): boolean {
  if (doc === undefined) return true
  for (const _ in doc) return false
  return true
}
