import { deadlineOf, hintField, isNumber, optionalDocument, textField, wholeField } from '../arguments.ts'
import { compareValues } from '../bson/compare.ts'
import { decode } from '../bson/decode.ts'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { readInSlices } from '../cursors/slices.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkQuery, prepareQuery, type QueryRequest } from '../plan/query.ts'
import { allKeys, type Range } from '../plan/ranges.ts'
import { records } from '../plan/scan.ts'
import type { Collection, Index } from '../store/catalog.ts'
import { pick } from '../store/elements.ts'
import { topLevel } from '../store/paths.ts'
import type { Store } from '../store/store.ts'
import type { Entry } from '../store/tables.ts'
import { type Call, type Command, collation, collectionName, implemented, refused } from './command.ts'

/** Counts documents. Without a filter, or with one that an index answers exactly, no document is read. */
export const count: Command = {
  names: ['count'],
  fields: {
    query: implemented,
    limit: implemented,
    skip: implemented,
    hint: implemented,
    collation,
    fields: { rule: 'harmless', why: 'obsolete' },
  },
  async run(call): Promise<Document> {
    const { body, engine, database } = call
    const name = collectionName(call)
    const request = countRequest(body, engine.noTableScan)
    let n = 0
    const take = (part: number) => {
      n = part
      return true
    }
    const steps = (function* () {
      const collection = engine.reader.collection(database, name)
      if (collection !== undefined) yield* counted(engine.reader, collection, request)
      else checkQuery(request)
    })()
    await readInSlices(engine.reader, steps, take, deadlineOf(body))
    return { n, ok: 1 }
  },
}

/** The distinct values at a path; each element of an array counts as a value. */
export const distinct: Command = {
  names: ['distinct'],
  fields: {
    key: implemented,
    query: implemented,
    hint: implemented,
    collation,
    let: refused('NotImplemented', 'let is not supported'),
  },
  run: runDistinct,
}

/** The query of a `count`, also for `explain`. */
export function countRequest(body: Document, noTableScan: boolean): QueryRequest {
  const limit = wholeNumber(body, 'limit')
  const skip = wholeNumber(body, 'skip')
  if (skip !== undefined && skip < 0) throw new EngineError('FailedToParse', 'skip must be a non-negative number')
  return {
    filter: optionalDocument(body, 'query') ?? {},
    hint: hintField(body),
    skip,
    // A negative limit means the same as a positive one.
    limit: limit && Math.abs(limit),
    noTableScan,
  }
}

/** As `wholeField`, but with the code that mongod's `count` has for a value that is not a number. */
function wholeNumber(body: Document, field: string): number | undefined {
  const value = body[field]
  if (value !== undefined && !isNumber(value)) throw new EngineError('BadValue', `${field} value is not a valid number`)
  return wholeField(body, field)
}

/** Counts in steps. The last number yielded is the count; `undefined` means that counting goes on. */
export function* counted(store: Store, collection: Collection, request: QueryRequest): Generator<number | undefined> {
  const skip = request.skip ?? 0
  const limit = request.limit ?? 0
  const all = request.hint === undefined && Object.keys(request.filter).length === 0
  if (all) return yield bounded(yield* countedBetween(store, collection.indexes[0]!, [allKeys]), skip, limit)
  const { plan, run, stats } = prepareQuery(store, collection, { ...request, sort: undefined })
  if (plan.kind === 'index' && plan.exact && skip === 0 && limit === 0 && !plan.index.multikey.includes(true)) {
    return yield yield* countedBetween(store, plan.index, plan.intervals)
  }
  let n = 0
  if (plan.kind === 'index' && plan.exact) {
    for (const _ of records(store, plan, { stats })) if (++n % limits.scanClockEvery === 0) yield undefined
    return yield bounded(n, skip, limit)
  }
  for (const hit of run()) {
    if (hit === undefined) yield undefined
    else n++
  }
  yield n
}

/** Counts index entries without reading their documents. */
function* countedBetween(store: Store, { id }: Index, ranges: readonly Range[]): Generator<undefined, number, void> {
  let n = 0
  for (const { low, high } of ranges) {
    for (let last: Entry | undefined; ; yield undefined) {
      const part = store.index(id).countBetween(low, high, last, limits.countChunk)
      n += part.n
      last = part.last
      if (last === undefined) break
    }
  }
  return n
}

async function runDistinct(call: Call): Promise<Document> {
  const { body, engine, database } = call
  const name = collectionName(call)
  const path = textField(body, 'key')
  if (path.includes('\0')) throw new EngineError(31032, 'Key field cannot contain an embedded null byte')
  const filter = optionalDocument(body, 'query') ?? {}
  const request = { filter, hint: hintField(body), noTableScan: engine.noTableScan }
  const fields = new Set([topLevel(path)])
  const values = new Map<string, Value>()
  let bytes = 0
  const steps = (function* () {
    const collection = engine.reader.collection(database, name)
    if (collection === undefined) checkQuery(request)
    else for (const hit of prepareQuery(engine.reader, collection, request).run()) yield hit
  })()
  await readInSlices(
    engine.reader,
    steps,
    (hit) => {
      for (const value of valuesAt(decode(pick(hit.bytes, fields)), path.split('.'))) {
        const key = encode({ v: value })
        const text = key.toString('latin1')
        if (values.has(text)) continue
        values.set(text, value)
        bytes += key.length
        if (bytes > limits.batchBytes) throw new EngineError(17217, 'distinct too big, 16mb cap')
      }
      return true
    },
    deadlineOf(body),
  )
  return { values: unequal([...values.values()]), ok: 1 }
}

/** The values sorted, with one of those that are equal although their types differ (5 and 5.0). */
function unequal(values: readonly Value[]): Value[] {
  const sorted = [...values].sort(compareValues)
  return sorted.filter((value, i) => i === 0 || compareValues(sorted[i - 1], value) !== 0)
}

function valuesAt(value: Value | undefined, parts: readonly string[]): Value[] {
  if (value === undefined) return []
  if (parts.length === 0) return Array.isArray(value) ? value : [value]
  if (Array.isArray(value)) {
    const position = /^\d+$/.test(parts[0]!) ? valuesAt(value[Number(parts[0])], parts.slice(1)) : []
    return [...value.flatMap((element) => (isDocument(element) ? valuesAt(element, parts) : [])), ...position]
  }
  return isDocument(value) ? valuesAt(value[parts[0]!], parts.slice(1)) : []
}

function bounded(n: number, skip: number, limit: number): number {
  const left = Math.max(0, n - skip)
  return limit > 0 ? Math.min(left, limit) : left
}
