import { constantsOf } from '../aggregate/expression.ts'
import { compilePipeline, type Pipeline } from '../aggregate/pipeline.ts'
import {
  checkDeadline,
  countField,
  deadlineOf,
  documentField,
  documentsField,
  hintField,
  isNumber,
  onlyFields,
  optionalDocument,
} from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { prepareQuery, type QueryRequest } from '../plan/query.ts'
import { namespace } from '../store/catalog.ts'
import { type Body, cursorBody } from '../wire/reply.ts'
import {
  type Call,
  type Command,
  collation,
  collectionName,
  flag,
  harmless,
  implemented,
  refused,
  strictFlag,
} from './command.ts'
import { counted } from './count.ts'
import { writeOutput } from './output.ts'

/** Runs a pipeline. Leading `$match`, `$sort`, `$skip` and `$limit` stages go to the planner; a plain count avoids reading documents. */
export const aggregate: Command = {
  names: ['aggregate'],
  fields: {
    pipeline: implemented,
    cursor: implemented,
    let: implemented,
    hint: implemented,
    collation,
    explain: refused('NotImplemented', 'use the explain command'),
    allowDiskUse: harmless('stages stay in memory, within their limits', strictFlag('allowDiskUse')),
    bypassDocumentValidation: harmless('there is no document validation', flag('bypassDocumentValidation')),
  },
  run: runAggregate,
}

async function runAggregate(call: Call): Promise<Body> {
  const { body, engine, database } = call
  const names = constantsOf(optionalDocument(body, 'let'), new Date())
  const pipeline = compilePipeline(documentsField(body, 'pipeline'), names)
  const name = sourceName(call, pipeline)
  if (body.cursor === undefined)
    throw new EngineError(
      'FailedToParse',
      "The 'cursor' option is required, except for aggregate with the explain argument",
    )
  const cursor = documentField(body, 'cursor')
  onlyFields(cursor, 'aggregate.cursor', ['batchSize'])
  const ns = namespace(database, name)
  const deadline = deadlineOf(body)
  const owner = { ns, session: engine.sessions.use(body.lsid), timesOut: true }
  const rows =
    pipeline.countOnly === undefined ? pipelineRows(call, name, pipeline, deadline) : countRows(call, name, pipeline)
  if (pipeline.output !== undefined) {
    await writeOutput(call, pipeline.output, rows, deadline)
    return cursorBody('firstBatch', [], 0n, ns)
  }
  const count = countField(cursor, 'batchSize') ?? limits.firstBatch
  const batch = await engine.cursors.first(engine.reader, owner, rows, { count, single: false, deadline })
  return cursorBody('firstBatch', batch.documents, batch.id, ns)
}

/** The collection that the pipeline reads, or `$cmd.aggregate` if it reads none and the command is `{ aggregate: 1 }`. */
function sourceName(call: Call, { collectionless }: Pipeline): string {
  const named = typeof call.body.aggregate === 'string'
  if (named && collectionless)
    throw new EngineError('InvalidNamespace', 'the first stage of this pipeline can only be run with {aggregate: 1}')
  if (named) return collectionName(call)
  if (!isNumber(call.body.aggregate) || Number(call.body.aggregate) !== 1)
    throw new EngineError(
      'FailedToParse',
      "Invalid command format: the 'aggregate' field must specify a collection name or 1",
    )
  if (!collectionless)
    throw new EngineError(
      'InvalidNamespace',
      '{aggregate: 1} is not valid for this pipeline; a collection is required.',
    )
  return '$cmd.aggregate'
}

/** The query that the leading stages of a pipeline form, for the planner. */
export function leadingQuery(
  body: Document,
  { leading, names }: Pick<Pipeline, 'leading' | 'names'>,
  noTableScan: boolean,
): QueryRequest {
  return {
    filter: leading.filter ?? {},
    sort: leading.sort,
    skip: leading.skip,
    limit: leading.limit,
    hint: hintField(body),
    names,
    noTableScan,
  }
}

function* countRows(call: Call, name: string, pipeline: Pipeline): Generator<Uint8Array | undefined> {
  const collection = call.engine.reader.collection(call.database, name)
  if (collection === undefined) return
  const { countOnly } = pipeline
  const request = leadingQuery(call.body, pipeline, call.engine.noTableScan)
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
      found(call, other, { filter, names: pipeline.names, noTableScan: call.engine.noTableScan }, deadline),
    sessions: () => call.engine.sessions.list(),
  }
  for (const doc of pipeline.run(input, source)) yield doc && encode(doc)
}

function* found(
  { engine, database }: Call,
  name: string,
  request: QueryRequest,
  deadline: number | undefined,
): Generator<Document | undefined> {
  const collection = engine.reader.collection(database, name)
  if (collection === undefined) return
  for (const hit of prepareQuery(engine.reader, collection, request).run()) {
    if (hit === undefined) checkDeadline(deadline)
    yield hit && decode(hit.bytes)
  }
}
