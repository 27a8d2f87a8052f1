import { constantsOf } from '../aggregate/expression.ts'
import { compilePipeline } from '../aggregate/pipeline.ts'
import { deadlineOf, documentField, documentsField, hintField, optionalDocument, textField } from '../arguments.ts'
import { type Document, documentOf } from '../bson/document.ts'
import { readInSlices } from '../cursors/slices.ts'
import { EngineError } from '../errors.ts'
import { explainPlan, explainStats } from '../plan/explain.ts'
import { prepareQuery, type Query, type QueryRequest } from '../plan/query.ts'
import type { Hit } from '../plan/scan.ts'
import { namespace } from '../store/catalog.ts'
import { type Call, type Command, checkFields, implemented } from './command.ts'
import { countRequest } from './count.ts'
import { queryOf } from './find.ts'
import { serverVersion } from './hello.ts'

/** Shows the plan of a command, with `executionStats` also the cost of finding its documents. It changes nothing. */
export function explainOf(find: (name: string) => Command | undefined): Command {
  return { names: ['explain'], fields: { verbosity: implemented }, run: (call) => runExplain(call, find) }
}

const verbosities = ['queryPlanner', 'executionStats', 'allPlansExecution']

async function runExplain(call: Call, find: (name: string) => Command | undefined): Promise<Document> {
  const { body, engine, database } = call
  const inner = documentField(body, 'explain')
  const fields = Object.keys(inner)
  const name = fields[0] ?? ''
  const command = find(name)
  if (command === undefined) throw new EngineError('CommandNotFound', `Explain failed due to unknown command: ${name}`)
  checkFields(command, inner, fields)
  const verbosity = body.verbosity === undefined ? 'allPlansExecution' : textField(body, 'verbosity')
  if (!verbosities.includes(verbosity))
    throw new EngineError(
      'FailedToParse',
      'verbosity string must be one of queryPlanner, executionStats, allPlansExecution',
    )
  const request = requestOf(name, inner, engine.noTableScan)
  const state: { query?: Query; plan?: Document } = {}
  const steps = (function* (): Generator<Hit | undefined> {
    const collection = engine.reader.collection(database, textField(inner, name))
    if (collection === undefined) return
    state.query = prepareQuery(engine.reader, collection, request)
    state.plan = explainPlan(collection, request.filter, state.query)
    if (verbosity !== 'queryPlanner') yield* state.query.run()
  })()
  let returned = 0
  const started = performance.now()
  await readInSlices(engine.reader, steps, () => ++returned > 0, deadlineOf(body))
  const missing = documentOf({
    namespace: namespace(database, textField(inner, name)),
    winningPlan: documentOf({ stage: 'EOF' }),
    rejectedPlans: [],
  })
  return {
    explainVersion: '1',
    queryPlanner: state.plan ?? missing,
    ...(verbosity !== 'queryPlanner' &&
      state.query !== undefined && {
        executionStats: explainStats(state.query, returned, performance.now() - started),
      }),
    command: inner,
    serverInfo: documentOf({ host: 'embedded', version: serverVersion }),
    ok: 1,
  }
}

/** The query that a command runs. */
function requestOf(name: string, inner: Document, noTableScan: boolean): QueryRequest {
  const names = constantsOf(optionalDocument(inner, 'let'), new Date())
  switch (name) {
    case 'find':
      return queryOf(inner, noTableScan)
    case 'count':
      return countRequest(inner, noTableScan)
    case 'distinct':
      return { filter: optionalDocument(inner, 'query') ?? {}, hint: hintField(inner), noTableScan }
    case 'aggregate': {
      const { leading } = compilePipeline(documentsField(inner, 'pipeline'), names)
      return { ...leading, filter: leading.filter ?? {}, hint: hintField(inner), names, noTableScan }
    }
    case 'findAndModify':
    case 'findandmodify':
      return {
        filter: optionalDocument(inner, 'query') ?? {},
        sort: optionalDocument(inner, 'sort'),
        hint: hintField(inner),
        limit: 1,
        names,
        noTableScan,
      }
    case 'update':
    case 'delete': {
      const spec = documentsField(inner, name === 'update' ? 'updates' : 'deletes')[0] ?? {}
      return {
        filter: documentField(spec, 'q'),
        sort: optionalDocument(spec, 'sort'),
        hint: hintField(spec),
        names,
        noTableScan,
      }
    }
    default:
      throw new EngineError('CommandNotFound', `Explain is not supported for the command ${name}`)
  }
}
