/** `$lookup`: adds to each document the matching documents of another collection. */
import { copyDocument, type Document, documentOf, isDocument, newDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { anyAtPath } from '../match/path.ts'
import { checkVariableName, compileExpression } from './expression.ts'
import { fieldPath } from './fieldPath.ts'
import type { Constants, Evaluate } from './scope.ts'
import { collect, type Documents, needDocument, type Settings, type Source } from './stages.ts'

type Lookup = {
  readonly from: string
  readonly as: readonly string[]
  readonly local: string | undefined
  readonly foreign: string | undefined
  readonly variables: readonly (readonly [name: string, evaluate: Evaluate])[]
  readonly stages: readonly Value[]
}

/** A compiled pipeline over given documents. */
type Run = (input: Documents, source: Source) => Documents

/** `compile` is the compiler of pipelines. It is a parameter because it uses this function itself. */
export function compileLookup(
  argument: Value,
  settings: Settings,
  compile: (stages: readonly Value[], settings: Settings) => Run,
): Run {
  const lookup = parseLookup(argument, settings.names)
  const inner = { ...settings, depth: settings.depth + 1 }
  // Compiling once with undefined variables reports errors before any document is read.
  const names = new Map(settings.names)
  for (const [name] of lookup.variables) names.set(name, undefined)
  const fixed = compile(lookup.stages, { ...inner, names })
  return function* (input, source) {
    for (const doc of input) {
      if (doc === undefined) {
        yield undefined
        continue
      }
      const run =
        lookup.variables.length === 0
          ? fixed
          : compile(lookup.stages, { ...inner, names: bound(lookup, doc, settings.names) })
      yield withField(doc, lookup.as, yield* collect(run(candidates(lookup, doc, source), source)))
    }
  }
}

function bound(lookup: Lookup, doc: Document, names: Constants): Constants {
  const result = new Map(names)
  for (const [name, evaluate] of lookup.variables) result.set(name, evaluate({ root: doc, bound: undefined }))
  return result
}

/**
 * The foreign documents whose field equals the local one or one of its elements; all of them if no fields are given. A `$match` at
 * the start of the pipeline is added to the filter, so that an index can serve it.
 */
function candidates({ from, local, foreign, stages }: Lookup, doc: Document, source: Source): Documents {
  const filters: Document[] = []
  if (local !== undefined && foreign !== undefined) {
    const equal = localValues(doc, local).map((value) => documentOf({ [foreign]: documentOf({ $eq: value }) }))
    filters.push(equal.length === 1 ? equal[0]! : documentOf({ $or: equal }))
  }
  const [first] = stages
  const match = isDocument(first) ? first.$match : undefined
  if (isDocument(match) && !usesExpression(match)) filters.push(match)
  if (filters.length === 0) return source.find(from, newDocument())
  return source.find(from, filters.length === 1 ? filters[0]! : documentOf({ $and: filters }))
}

/** The values at the path, elements of arrays included; only null if there are none (a missing field, or empty arrays). */
function localValues(doc: Document, path: string): readonly Value[] {
  const values: Value[] = []
  const collect = anyAtPath(path, 'whole', (value) => {
    if (Array.isArray(value)) for (const item of value) values.push(item)
    else if (value !== undefined) values.push(value)
    return false
  })
  collect(doc, undefined)
  return values.length === 0 ? [null] : values
}

/** Whether a filter has an `$expr`, which may use variables of `let` that the source does not know. */
function usesExpression(filter: Value): boolean {
  if (Array.isArray(filter)) return filter.some(usesExpression)
  return isDocument(filter) && Object.keys(filter).some((field) => field === '$expr' || usesExpression(filter[field]!))
}

function withField(doc: Document, parts: readonly string[], value: Value): Document {
  const [part, ...rest] = parts
  const result = copyDocument(doc)
  const inner = doc[part!]
  result[part!] = rest.length === 0 ? value : withField(isDocument(inner) ? inner : newDocument(), rest, value)
  return result
}

const known: readonly string[] = ['from', 'as', 'localField', 'foreignField', 'let', 'pipeline']

function parseLookup(argument: Value, names: Constants): Lookup {
  const spec = needDocument(argument, 9, 'the $lookup specification must be an Object')
  for (const field in spec)
    if (!known.includes(field)) throw new EngineError('FailedToParse', `unknown argument to $lookup: ${field}`)
  const { let: variables, pipeline } = spec
  const local = optionalText(spec, 'localField')
  const foreign = optionalText(spec, 'foreignField')
  if ((local === undefined) !== (foreign === undefined)) {
    throw new EngineError(
      'FailedToParse',
      '$lookup requires both or neither of localField and foreignField to be specified',
    )
  }
  if (local === undefined && pipeline === undefined) {
    throw new EngineError(
      'FailedToParse',
      "$lookup requires either 'pipeline' or both 'localField' and 'foreignField' to be specified",
    )
  }
  if (pipeline !== undefined && !Array.isArray(pipeline))
    throw new EngineError('TypeMismatch', "'pipeline' option must be specified as an array")
  if (variables !== undefined && !isDocument(variables))
    throw new EngineError('FailedToParse', '$lookup argument let must be an object')
  if (variables !== undefined && pipeline === undefined)
    throw new EngineError('FailedToParse', "$lookup with a 'let' argument must also specify 'pipeline'")
  for (const path of [local, foreign]) if (path !== undefined) fieldPath(path)
  for (const name in variables) checkVariableName(name)
  const from = requiredText(spec, 'from')
  if (from === '') throw new EngineError('InvalidNamespace', 'invalid $lookup namespace')
  return {
    from,
    as: fieldPath(requiredText(spec, 'as')),
    local,
    foreign,
    variables: Object.entries(variables ?? {}).map(([name, value]) => [name, compileExpression(value, names)] as const),
    stages: pipeline ?? [],
  }
}

function requiredText(spec: Document, field: string): string {
  const value = optionalText(spec, field)
  if (value === undefined) throw new EngineError('FailedToParse', `must specify '${field}' field for a $lookup`)
  return value
}

function optionalText(spec: Document, field: string): string | undefined {
  const value = spec[field]
  if (value === undefined || typeof value === 'string') return value
  throw new EngineError('FailedToParse', `$lookup argument '${field}' must be a string`)
}
