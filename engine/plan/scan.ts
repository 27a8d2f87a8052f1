/**
 * Runs a plan.
 *
 * A scan is a generator that may rest between any two steps. It keeps no statement open, only its position (key and record).
 * When the epoch of the store has changed since the last read, it reads again from that position. It yields `undefined` now and
 * then, so that its caller can check the clock.
 */
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { limits } from '../limits.ts'
import type { Matcher } from '../match/compile.ts'
import type { Collection } from '../store/catalog.ts'
import { pick } from '../store/elements.ts'
import type { Store } from '../store/store.ts'
import type { Entry } from '../store/tables.ts'
import type { IndexPlan, Interval, Plan } from './choose.ts'
import { compareBytes } from './ranges.ts'

export type Hit = {
  readonly record: number
  readonly bytes: Uint8Array
  /** The part of the document that was decoded for the filter; undefined if the index alone decided. */
  readonly doc: Document | undefined
}

export type ScanStats = { keysExamined: number; docsExamined: number }

export type ScanOptions = {
  readonly matcher: Matcher
  /** The top-level fields to decode for the matcher; undefined for all. */
  readonly fields: ReadonlySet<string> | undefined
  readonly stats: ScanStats
  /** The most documents that the caller will take; absent if it takes all. */
  readonly wanted?: number
}

/** Record ids start at 1. */
export const noRecord = 0
export const firstChunk = 16
const firstUncertain = 4
export const largestChunk = 256
export const chunkBytes = 1024 * 1024

/** The documents of `collection` that the plan finds and the filter accepts. */
export function scan(
  store: Store,
  collection: Collection,
  plan: Plan,
  options: ScanOptions,
): Generator<Hit | undefined> {
  const rows =
    plan.kind === 'collection'
      ? tableRows(store, collection, plan.backward)
      : indexRows(store, collection, plan, options)
  return accepted(rows, plan.exact, options)
}

/** The rows that the filter accepts. */
export function* accepted(
  found: Iterable<Row | undefined>,
  exact: boolean,
  options: ScanOptions,
): Generator<Hit | undefined> {
  let rows = 0
  let bytes = 0
  for (const row of found) {
    if (row === undefined) {
      yield undefined
      continue
    }
    options.stats.docsExamined++
    const hit = exact ? { ...row, doc: undefined } : accept(row, options)
    if (hit !== undefined) yield hit
    bytes += row.bytes.length
    if (++rows % limits.scanClockEvery === 0 || bytes > limits.scanClockBytes) {
      bytes = 0
      yield undefined
    }
  }
}

/** The records of an index plan in index order, each once, without reading documents. */
export function* records(
  store: Store,
  plan: IndexPlan,
  { stats, wanted }: Pick<ScanOptions, 'stats' | 'wanted'>,
): Generator<number> {
  const seen = plan.index.multikey.includes(true) ? new Set<number>() : undefined
  const first = firstRead(plan, wanted)
  const rows = plan.merge ? merged(store, plan, first) : inTurn(store, plan, first)
  for (const [, record] of rows) {
    stats.keysExamined++
    if (seen?.has(record) === true) continue
    seen?.add(record)
    yield record
  }
}

/** The records that a plan finds in its indexes, each once, in the order of these indexes. */
export function* candidates(
  store: Store,
  plan: Exclude<Plan, { kind: 'collection' }>,
  options: Pick<ScanOptions, 'stats' | 'wanted'>,
): Generator<number | undefined> {
  const seen = plan.kind === 'union' ? new Set<number>() : undefined
  let quiet = 0
  for (const branch of plan.kind === 'union' ? plan.branches : [plan]) {
    for (const record of records(store, branch, options)) {
      if (++quiet % limits.scanClockEvery === 0) yield undefined
      if (seen?.has(record) === true) continue
      seen?.add(record)
      yield record
    }
  }
}

export type Row = { readonly record: number; readonly bytes: Uint8Array }

/** The hit for a document, undefined if the filter does not accept it. */
export function accept(
  { record, bytes }: Row,
  { matcher, fields }: Pick<ScanOptions, 'matcher' | 'fields'>,
): Hit | undefined {
  const doc = decode(fields === undefined ? bytes : pick(bytes, fields))
  return matcher.matches(doc) ? { record, bytes, doc } : undefined
}

function* tableRows(store: Store, collection: Collection, backward: boolean): Generator<Row> {
  let at = backward ? Number.MAX_SAFE_INTEGER : 0
  let count = firstChunk
  for (;;) {
    const table = store.records(collection.id)
    const rows = backward ? table.before(at, count, chunkBytes) : table.after(at, count, chunkBytes)
    if (rows.length === 0) return
    const epoch = store.epoch
    for (const [record, bytes] of rows) {
      if (store.epoch !== epoch) break
      at = record
      yield { record, bytes }
    }
    count = Math.min(count * 4, largestChunk)
  }
}

function* indexRows(
  store: Store,
  collection: Collection,
  plan: Exclude<Plan, { kind: 'collection' }>,
  options: ScanOptions,
): Generator<Row | undefined> {
  for (const record of candidates(store, plan, options)) {
    if (record === undefined) {
      yield undefined
      continue
    }
    const bytes = store.records(collection.id).get(record)
    if (bytes !== undefined) yield { record, bytes }
  }
}

/** How many entries to read first: those that are wanted, but at least a few if the filter may reject their documents. */
function firstRead(plan: IndexPlan, wanted: number | undefined): number {
  if (wanted === undefined) return firstChunk
  return Math.min(Math.max(wanted, plan.exact ? 1 : firstUncertain), largestChunk)
}

function* inTurn(store: Store, plan: IndexPlan, first: number): Generator<Entry> {
  for (const interval of plan.intervals) yield* entries(store, plan, interval, first)
}

function* entries(store: Store, plan: IndexPlan, interval: Interval, first: number): Generator<Entry> {
  if (interval.point && plan.index.unique && plan.components.length === plan.index.key.length) {
    const record = store.index(plan.index.id).holder(interval.low, noRecord)
    if (record !== undefined) yield [interval.low, record]
    return
  }
  let at: Entry | undefined
  let count = first
  for (;;) {
    const table = store.index(plan.index.id)
    const read = plan.backward ? table.backward : table.forward
    const chunk = read(interval.low, interval.high, at, count)
    const epoch = store.epoch
    let stale = false
    for (const entry of chunk) {
      if (store.epoch !== epoch) {
        stale = true
        break
      }
      at = entry
      yield entry
    }
    if (!stale && chunk.length < count && store.epoch === epoch) return
    count = Math.min(count * 4, largestChunk)
  }
}

/** Reads all intervals together, in the order of the key bytes after their prefix. */
function* merged(store: Store, plan: IndexPlan, first: number): Generator<Entry> {
  const heads = plan.intervals.map((interval) => ({
    rows: entries(store, plan, interval, first),
    prefix: interval.prefix,
    entry: undefined as Entry | undefined,
  }))
  const sign = plan.backward ? -1 : 1
  let waiting = heads.filter((head) => advance(head))
  const before = (a: (typeof heads)[number], b: (typeof heads)[number]) =>
    sign * (compareBytes(a.entry![0].subarray(a.prefix), b.entry![0].subarray(b.prefix)) || a.entry![1] - b.entry![1])
  waiting.sort(before)
  for (let { epoch } = store; waiting.length > 0; ) {
    const head = waiting[0]!
    yield head.entry!
    if (store.epoch !== epoch) {
      // While the scan rested, entries that were read ahead may have been removed, and their documents replaced.
      epoch = store.epoch
      const table = store.index(plan.index.id)
      waiting = waiting.filter((each) => (each !== head && table.has(...each.entry!)) || advance(each)).sort(before)
      continue
    }
    waiting.shift()
    if (!advance(head)) continue
    let place = waiting.findIndex((other) => before(head, other) <= 0)
    if (place < 0) place = waiting.length
    waiting.splice(place, 0, head)
  }
}

function advance(head: { readonly rows: Generator<Entry>; entry: Entry | undefined }): boolean {
  const next = head.rows.next()
  head.entry = next.done === true ? undefined : next.value
  return head.entry !== undefined
}
