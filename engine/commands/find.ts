import { constantsOf } from '../aggregate/expression.ts'
import { countField, deadlineOf, flagField, hintField, isNumber, optionalDocument } from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import { type Document, isDocument } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import type { Rows } from '../cursors/cursors.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Matcher } from '../match/compile.ts'
import { followQuery } from '../plan/follow.ts'
import { checkQuery, prepareQuery, type QueryRequest } from '../plan/query.ts'
import { compileProjection } from '../project/project.ts'
import { namespace } from '../store/catalog.ts'
import { pick, picker } from '../store/elements.ts'
import { topLevel } from '../store/paths.ts'
import type { Body } from '../wire/reply.ts'
import { cursorBody } from '../wire/reply.ts'
import {
  type Call,
  type Command,
  collation,
  collectionName,
  type FieldRule,
  harmless,
  implemented,
  refused,
  strictFlag,
} from './command.ts'

const oneNode = 'there is one server'
const strictly = (field: string): FieldRule => ({ rule: 'implemented', check: strictFlag(field) })

/** Finds documents. Without a projection, replies are spliced from the stored bytes. */
export const find: Command = {
  names: ['find'],
  fields: {
    filter: implemented,
    sort: implemented,
    projection: implemented,
    hint: implemented,
    skip: implemented,
    limit: implemented,
    batchSize: implemented,
    let: implemented,
    singleBatch: strictly('singleBatch'),
    noCursorTimeout: strictly('noCursorTimeout'),
    collation,
    allowDiskUse: harmless('sorts stay in memory, within their limit', strictFlag('allowDiskUse')),
    allowPartialResults: harmless(oneNode, strictFlag('allowPartialResults')),
    oplogReplay: harmless('obsolete'),
    tailable: strictly('tailable'),
    awaitData: strictly('awaitData'),
    min: refused('NotImplemented', 'min is not supported by the embedded engine'),
    max: refused('NotImplemented', 'max is not supported by the embedded engine'),
    returnKey: refused('NotImplemented', 'returnKey is not supported by the embedded engine'),
    showRecordId: refused('NotImplemented', 'showRecordId is not supported by the embedded engine'),
  },
  run: runFind,
}

async function runFind(call: Call): Promise<Body> {
  const { body, engine, database } = call
  const name = collectionName(call)
  if (isTailable(body)) return runTail(call, name)
  const limit = countField(body, 'limit') ?? 0
  const size = countField(body, 'batchSize')
  const single = flagField(body, 'singleBatch')
  const ns = namespace(database, name)
  const owner = { ns, session: engine.sessions.use(body.lsid), timesOut: !flagField(body, 'noCursorTimeout') }
  const rows = foundRows(call, name, queryOf(body, engine.noTableScan), optionalDocument(body, 'projection'))
  const count = size ?? (single && limit > 0 ? limit : limits.firstBatch)
  const whole = limit > 0 && count >= limit
  const batch = await engine.cursors.first(engine.reader, owner, rows, {
    count,
    single,
    whole,
    deadline: deadlineOf(body),
  })
  return cursorBody('firstBatch', batch.documents, batch.id, ns)
}

/** Opens a tailable cursor, which stays at the end of a capped collection and continues from there. */
async function runTail(call: Call, name: string): Promise<Body> {
  const { body, engine, database } = call
  const { reader } = engine
  const ns = namespace(database, name)
  const owner = { ns, session: engine.sessions.use(body.lsid), timesOut: !flagField(body, 'noCursorTimeout') }
  const request = queryOf(body, engine.noTableScan)
  const collection = reader.shared(() => reader.collection(database, name))
  if (collection === undefined) {
    shaperOf(optionalDocument(body, 'projection'), request, checkQuery(request))
    return cursorBody('firstBatch', [], 0n, ns)
  }
  if (collection.capped === undefined)
    throw new EngineError(
      'BadValue',
      `error processing query: ns=${ns} tailable cursor requested on non capped collection`,
    )
  const query = followQuery(reader, collection, request)
  const shape = shaperOf(optionalDocument(body, 'projection'), request, query.matcher)
  const rows: Rows = {
    next() {
      const { value, done } = query.rows.next()
      if (done === true) return { done, value: undefined }
      return { done: false, value: value && (shape === undefined ? value.bytes : shape(value.bytes)) }
    },
  }
  // As in mongod, a tailable cursor over an empty collection is closed at once.
  const single = reader.shared(() => reader.records(collection.id).last()) === 0
  const batch = await engine.cursors.first(
    reader,
    owner,
    rows,
    { count: countField(body, 'batchSize') ?? limits.firstBatch, single, deadline: deadlineOf(body) },
    { collection: collection.id, awaits: flagField(body, 'awaitData') },
  )
  return cursorBody('firstBatch', batch.documents, batch.id, ns)
}

/** Whether a tailable cursor is requested. @throws EngineError for options that exclude each other */
function isTailable(body: Document): boolean {
  const tailable = flagField(body, 'tailable')
  if (!tailable && flagField(body, 'awaitData'))
    throw new EngineError('FailedToParse', "Cannot set 'awaitData' without also setting 'tailable'")
  if (!tailable) return false
  const sort = optionalDocument(body, 'sort') ?? {}
  const isNatural = Object.keys(sort).length === 1 && Number(sort.$natural) === 1
  if (Object.keys(sort).length > 0 && !isNatural)
    throw new EngineError('BadValue', 'cannot use tailable option with a sort other than {$natural: 1}')
  if (flagField(body, 'singleBatch'))
    throw new EngineError('BadValue', "cannot use tailable option with the 'singleBatch' option")
  return true
}

/** The query of a `find`, also for `explain`. */
export function queryOf(body: Document, noTableScan: boolean): QueryRequest {
  return {
    filter: optionalDocument(body, 'filter') ?? {},
    sort: optionalDocument(body, 'sort'),
    hint: hintField(body),
    skip: countField(body, 'skip'),
    limit: countField(body, 'limit'),
    names: constantsOf(optionalDocument(body, 'let'), new Date()),
    noTableScan,
  }
}

/** The rows of a find. Planning happens with the first step, inside the snapshot from which the first batch is read. */
function* foundRows(
  { engine, database }: Call,
  name: string,
  request: QueryRequest,
  projection: Document | undefined,
): Generator<Uint8Array | undefined> {
  const collection = engine.reader.collection(database, name)
  if (collection === undefined) {
    shaperOf(projection, request, checkQuery(request))
    return
  }
  const query = prepareQuery(engine.reader, collection, request)
  const shape = shaperOf(projection, request, query.matcher)
  for (const hit of query.run())
    yield hit === undefined ? undefined : shape === undefined ? hit.bytes : shape(hit.bytes)
}

/** The projection of a stored document, undefined if the document is returned unchanged. */
function shaperOf(
  projection: Document | undefined,
  request: QueryRequest,
  matcher: Matcher,
): ((bytes: Uint8Array) => Uint8Array) | undefined {
  if (projection === undefined || Object.keys(projection).length === 0) return undefined
  return shaper(projection, request, matcher)
}

/** Projects stored bytes. An inclusion decodes only its fields, and decodes nothing if it takes them whole. */
function shaper(
  projection: Document,
  { filter, names }: QueryRequest,
  matcher: Matcher,
): (bytes: Uint8Array) => Uint8Array {
  const project = compileProjection(projection, { filter, matcher }, names)
  const fields = includedFields(projection)
  if (fields !== undefined && takesWhole(projection)) {
    if (projection._id !== undefined && !included(projection._id)) fields.delete('_id')
    return picker(fields)
  }
  return (bytes) => encode(project(decode(fields === undefined ? bytes : pick(bytes, fields))))
}

/** Whether an inclusion names only top-level fields, and includes or excludes `_id` as a whole. */
function takesWhole(projection: Document): boolean {
  const { _id: id = true } = projection
  return (typeof id === 'boolean' || isNumber(id)) && !Object.keys(projection).some((path) => path.includes('.'))
}

/** The top-level fields that an inclusion reads, undefined for every other kind of projection. */
function includedFields(projection: Document): Set<string> | undefined {
  const fields = new Set(['_id'])
  for (const [path, value] of Object.entries(projection)) {
    if (path === '_id' && !isDocument(value)) continue
    if (!included(value) || path.includes('$')) return undefined
    fields.add(topLevel(path))
  }
  return fields.size > 1 || included(projection._id) ? fields : undefined
}

function included(value: Document[string] | undefined): boolean {
  return value === true || (isNumber(value) && Number(value) !== 0)
}

/** The id of a cursor as a bigint. */
export function cursorId(value: Document[string] | undefined): bigint {
  if (!isNumber(value)) throw new EngineError('TypeMismatch', 'a cursor id must be a long')
  return BigInt(String(value))
}
