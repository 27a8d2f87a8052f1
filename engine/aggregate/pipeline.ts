/**
 * Compiles aggregation pipelines to chains of generators: each stage pulls from the one before it, so `$limit` stops the scan.
 * The leading stages that the query planner can serve are returned as `leading`, and are not run again.
 */
import { type Document, documentOf, firstField, isDocument, type Value } from '../bson/document.ts'
import { isNumber, toInteger } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { compileFilter } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import { compileSortKey, type SortKey } from '../sort/sort.ts'
import { sortInSteps } from '../sort/steps.ts'
import { compileCount, compileGroup, compileSortByCount, countField, type Transform } from './group.ts'
import { compileLookup } from './lookup.ts'
import { compileOrigin, originNames } from './origin.ts'
import { compileOutput, type Output, outputNames } from './output.ts'
import { compileReshape } from './reshape.ts'
import type { Constants } from './scope.ts'
import { collect, type Documents, needDocument, parseStage, type Settings, type Source } from './stages.ts'
import { compileUnwind } from './unwind.ts'

export type { Source }

export type Leading = {
  readonly filter?: Document
  readonly sort?: Document
  /** Applied after sorting, before `limit`. */
  readonly skip?: number
  readonly limit?: number
}

export type Pipeline = {
  /** The `$$` variables of all its expressions, including those of `leading`. */
  readonly names: Constants
  /** The part that the planner serves: `run` expects its input to be filtered, sorted and limited accordingly. */
  readonly leading: Leading
  /** Set if the pipeline only counts after `leading`. The result is `{ _id: id, [field]: n }`, without an undefined `_id`; none for 0. */
  readonly countOnly: { readonly field: string; readonly id: Value | undefined } | undefined
  readonly run: (input: Documents, source: Source) => Documents
  /** Whether the first stage makes the documents itself, so that there is no collection and `run` ignores its input. */
  readonly collectionless: boolean
  /** Where the results are written, if they are not returned to the client. */
  readonly output: Output | undefined
}

/** A compiled stage. `source` is given when the pipeline runs. */
type Stage = (input: Documents, source: Source) => Documents

/** mongod's limit on the number of stages. */
const stagesMax = 1000
/** How deep `$facet` and `$lookup` may nest pipelines, as in mongod. */
const pipelineDepthMax = 20

/**
 * Compiles a pipeline. `names` are its `$$` variables, `$$NOW` at least. Fails with 40324 for an unknown stage, and with mongod's
 * codes for wrong arguments.
 */
export function compilePipeline(stages: readonly Value[], names: Constants): Pipeline {
  const parsed = parseStages(stages)
  const settings = { names, depth: 0 }
  const [first] = parsed
  const last = parsed.at(-1)
  const origin = first && compileOrigin(first.name, first.argument, names)
  const output = last && compileOutput(last.name, last.argument, names)
  const inner = parsed.slice(origin === undefined ? 0 : 1, output === undefined ? undefined : -1)
  const compiled = inner.map(({ name, argument }) => compileStage(name, argument, settings))
  const { leading, used } = origin === undefined ? splitLeading(inner) : { leading: {}, used: 0 }
  const rest = compiled.slice(used)
  const counts = origin === undefined && output === undefined && rest.length === 1
  return {
    names,
    leading,
    countOnly: counts ? countOnly(inner.at(-1)!) : undefined,
    run: (input, source) => rest.reduce((documents, stage) => stage(documents, source), origin?.(source) ?? input),
    collectionless: origin !== undefined,
    output,
  }
}

function parseStages(stages: readonly Value[]): readonly ParsedStage[] {
  if (stages.length > stagesMax) {
    throw new EngineError(7749501, `Pipeline length must be no longer than ${stagesMax} stages`)
  }
  return stages.map(parseStage)
}

type ParsedStage = { readonly name: string; readonly argument: Value }

function compileStage(name: string, argument: Value, settings: Settings): Stage {
  const { names } = settings
  switch (name) {
    case '$match':
      return matchStage(needDocument(argument, 15959, 'the match filter must be an expression in an object'), names)
    case '$sort':
      return sortStage(needDocument(argument, 15973, 'the $sort key specification must be an object'))
    case '$skip':
      return skipStage(skipOf(argument))
    case '$limit':
      return limitStage(limitOf(argument))
    case '$group':
      return compileGroup(argument, names)
    case '$count':
      return compileCount(argument)
    case '$sortByCount':
      return compileSortByCount(argument, names)
    case '$unwind':
      return compileUnwind(argument)
    case '$lookup':
      return compileLookup(argument, settings, wholePipeline)
    case '$facet':
      return facetStage(argument, settings)
    case '$documents':
    case '$listLocalSessions':
      throw new EngineError(40602, `${name} is only valid as the first stage in a pipeline.`)
    case '$merge':
    case '$out':
      throw new EngineError(40601, `${name} can only be the final stage in the pipeline`)
    default:
      return reshapeStage(name, argument, names)
  }
}

function reshapeStage(name: string, argument: Value, names: Constants): Transform {
  const reshape = compileReshape(name, argument, names)
  if (reshape === undefined) throw new EngineError(40324, `Unrecognized pipeline stage name: '${name}'`)
  return function* (input) {
    for (const doc of input) yield doc && reshape(doc)
  }
}

function matchStage(filter: Document, names: Constants): Transform {
  const { matches } = compileFilter(parseFilter(filter, 'match'), names)
  return function* (input) {
    for (const doc of input) if (doc === undefined || matches(doc)) yield doc
  }
}

function sortStage(spec: Document): Transform {
  if (firstField(spec) === undefined) throw new EngineError(15976, '$sort stage must have at least one sort key')
  const { key, compareKeys } = compileSortKey(spec)
  return function* (input) {
    const rows: { readonly doc: Document; readonly key: SortKey }[] = []
    for (const doc of yield* collect(input)) {
      rows.push({ doc, key: key(doc) })
      if (rows.length % limits.sortChunk === 0) yield undefined
    }
    const sorted = yield* sortInSteps(rows, (a, b) => compareKeys(a.key, b.key))
    for (const { doc } of sorted) yield doc
  }
}

function skipStage(count: number): Transform {
  return function* (input) {
    let seen = 0
    for (const doc of input) if (doc === undefined || seen++ >= count) yield doc
  }
}

function limitStage(count: number): Transform {
  return function* (input) {
    let left = count
    for (const doc of input) {
      yield doc
      if (doc !== undefined && --left === 0) return
    }
  }
}

function skipOf(argument: Value): number {
  const count = isNumber(argument) ? toInteger(argument) : undefined
  if (count === undefined) throw new EngineError(5107200, 'invalid argument to $skip stage: Expected an integer')
  if (count < 0n) throw new EngineError(5107200, 'invalid argument to $skip stage: Expected a non-negative number')
  return Number(count)
}

function limitOf(argument: Value): number {
  const count = isNumber(argument) ? toInteger(argument) : undefined
  if (count === undefined) throw new EngineError(5107201, 'invalid argument to $limit stage: Expected an integer')
  if (count < 0n) throw new EngineError(5107201, 'invalid argument to $limit stage: Expected a non-negative number')
  if (count === 0n) throw new EngineError(15958, 'the limit must be positive')
  return Number(count)
}

const notInFacet: readonly string[] = ['$facet', ...originNames, ...outputNames]

function facetStage(argument: Value, settings: Settings): Stage {
  const spec = needDocument(argument, 40169, 'the $facet specification must be a non-empty object')
  const names = Object.keys(spec)
  if (names.length === 0) throw new EngineError(40169, 'the $facet specification must be a non-empty object')
  const facets = names.map((name) => {
    const stages = spec[name]
    if (!Array.isArray(stages)) throw new EngineError(40170, `arguments to $facet must be arrays, ${name} is not`)
    if (name.includes('.')) throw new EngineError(16412, `a facet may not be called '${name}'`)
    if (name === '') throw new EngineError(15998, 'a facet needs a name')
    if (name.startsWith('$')) throw new EngineError(16410, `a facet may not be called '${name}'`)
    const forbidden = stages.find((stage) => isDocument(stage) && notInFacet.includes(firstField(stage) ?? ''))
    if (forbidden)
      throw new EngineError(
        40600,
        `${firstField(forbidden as Document)} is not allowed to be used within a $facet stage`,
      )
    return [name, wholePipeline(stages, { ...settings, depth: settings.depth + 1 })] as const
  })
  return function* (input, source) {
    const documents: Document[] = yield* collect(input)
    const results = documentOf({})
    for (const [name, run] of facets) results[name] = yield* collect(run(documents, source))
    yield results
  }
}

/** A pipeline inside `$facet` or `$lookup`, all of whose stages are run here. */
function wholePipeline(stages: readonly Value[], settings: Settings): Stage {
  if (settings.depth > pipelineDepthMax) {
    throw new EngineError(
      'MaxSubPipelineDepthExceeded',
      `Maximum number of nested sub-pipelines exceeded. Limit is ${pipelineDepthMax}`,
    )
  }
  const compiled = parseStages(stages).map(({ name, argument }) => {
    if (outputNames.includes(name))
      throw new EngineError(51047, `${name} is not allowed within a $lookup's sub-pipeline`)
    return compileStage(name, argument, settings)
  })
  return (input, source) => compiled.reduce((documents, stage) => stage(documents, source), input)
}

/** Splits off the leading stages: any `$match`, then at most one `$sort`, one `$skip` and one `$limit`, in this order. */
function splitLeading(stages: readonly ParsedStage[]): { readonly leading: Leading; readonly used: number } {
  let used = 0
  const filters: Document[] = []
  while (stages[used]?.name === '$match') filters.push(stages[used++]!.argument as Document)
  const next = (name: string) => (stages[used]?.name === name ? stages[used++]!.argument : undefined)
  const sort = next('$sort') as Document | undefined
  const skip = next('$skip')
  const limit = next('$limit')
  const filter = filters.length > 1 ? documentOf({ $and: filters }) : filters[0]
  const leading = {
    ...(filter && { filter }),
    ...(sort && { sort }),
    ...(skip !== undefined && { skip: skipOf(skip) }),
    ...(limit !== undefined && { limit: limitOf(limit) }),
  }
  return { leading, used }
}

/** Recognizes `$count`, and the `$group` that the `countDocuments` of drivers sends. */
function countOnly({ name, argument }: ParsedStage): Pipeline['countOnly'] {
  if (name === '$count') return { field: countField(argument), id: undefined }
  if (name !== '$group' || !isDocument(argument)) return undefined
  const [first, field, ...others] = Object.keys(argument)
  const id = argument._id
  const isConstant = id === null || isNumber(id)
  if (first !== '_id' || !isConstant || field === undefined || others.length > 0) return undefined
  const column = argument[field]
  const sum = isDocument(column) && Object.keys(column).length === 1 ? column.$sum : undefined
  return sum !== undefined && isNumber(sum) && toInteger(sum) === 1n ? { field, id } : undefined
}
