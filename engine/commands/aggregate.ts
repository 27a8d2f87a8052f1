import { compilePipeline, type Pipeline } from '../aggregate/pipeline.ts'
import {
  checkDeadline,
  countField,
  deadlineOf,
  documentField,
  documentsField,
  hintField,
  onlyFields,
} from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { limits } from '../limits.ts'
import { prepareQuery, type QueryRequest } from '../plan/query.ts'
import { namespace } from '../store/catalog.ts'
import { type Body, cursorBody } from '../wire/reply.ts'
import { type Call, type Command, collation, collectionName, harmless, implemented, refused } from './command.ts'
import { counted } from './count.ts'

/** Runs a pipeline; leading `$match`, `$sort`, `$skip` and `$limit` go to the planner, a plain count reads no documents. */
export const aggregate: Command = {
  names: ['aggregate'],
  fields: {
    pipeline: implemented,
    cursor: implemented,
    hint: implemented,
    collation,
    explain: refused('NotImplemented', 'use the explain command'),
    allowDiskUse: harmless('stages stay in memory, within their limits'),
    bypassDocumentValidation: harmless('there is no document validation'),
    let: refused('NotImplemented', 'let is not supported by the embedded engine'),
  },
  run: runAggregate,
}

async function runAggregate(call: Call): Promise<Body> {
  const { body, engine, database } = call
  const pipeline = compilePipeline(documentsField(body, 'pipeline'), { now: new Date() })
  const name = collectionName(call)
  const cursor = documentField(body, 'cursor')
  onlyFields(cursor, 'aggregate.cursor', ['batchSize'])
  const ns = namespace(database, name)
  const deadline = deadlineOf(body)
  const owner = { ns, session: engine.sessions.use(body.lsid), timesOut: true }
  const rows =
    pipeline.countOnly === undefined ? pipelineRows(call, name, pipeline, deadline) : countRows(call, name, pipeline)
  const count = countField(cursor, 'batchSize') ?? limits.firstBatch
  const batch = await engine.cursors.first(engine.reader, owner, rows, { count, single: false, deadline })
  return cursorBody('firstBatch', batch.documents, batch.id, ns)
}

/** What the planner gets of a pipeline. */
export function leadingQuery(
  body: Document,
  { leading }: Pick<Pipeline, 'leading'>,
  noTableScan: boolean,
): QueryRequest {
  return {
    filter: leading.filter ?? {},
    sort: leading.sort,
    skip: leading.skip,
    limit: leading.limit,
    hint: hintField(body),
    noTableScan,
  }
}

function* countRows(call: Call, name: string, { countOnly, leading }: Pipeline): Generator<Uint8Array | undefined> {
  const collection = call.engine.reader.collection(call.database, name)
  if (collection === undefined) return
  const request = leadingQuery(call.body, { leading }, call.engine.noTableScan)
  let n = 0
  for (const part of counted(call.engine.reader, collection, request)) {
    if (part === undefined) yield undefined
    else n = part
  }
  if (n === 0 || countOnly === undefined) return
  const result: Document = { ...(countOnly.id !== undefined && { _id: countOnly.id }), [countOnly.field]: n }
  yield encode(result)
}

function* pipelineRows(
  call: Call,
  name: string,
  pipeline: Pipeline,
  deadline: number | undefined,
): Generator<Uint8Array | undefined> {
  const request = leadingQuery(call.body, pipeline, call.engine.noTableScan)
  const input = found(call, name, request, deadline)
  const source = {
    find: (other: string, filter: Document) =>
      found(call, other, { filter, noTableScan: call.engine.noTableScan }, deadline),
  }
  for (const doc of pipeline.run(input, source)) yield encode(doc)
}

function* found(
  { engine, database }: Call,
  name: string,
  request: QueryRequest,
  deadline: number | undefined,
): Generator<Document> {
  const collection = engine.reader.collection(database, name)
  if (collection === undefined) return
  for (const hit of prepareQuery(engine.reader, collection, request).run()) {
    if (hit === undefined) checkDeadline(deadline)
    else yield decode(hit.bytes)
  }
}
