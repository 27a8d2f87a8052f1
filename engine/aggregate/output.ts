/** Compiles `$out` and `$merge`, which write the documents of a pipeline. The writer runs them (`writer/output.ts`). */
import { type Document, documentOf, isDocument, typeName, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { compileExpression } from './expression.ts'
import { compileUpdatePipeline } from './reshape.ts'
import type { Constants, Evaluate } from './scope.ts'

export const outputNames: readonly string[] = ['$merge', '$out']

export type Target = { readonly database: string | undefined; readonly collection: string }

export type Merge = Target & {
  readonly kind: 'merge'
  /** The paths whose values identify the document to merge into; together they are a unique key. */
  readonly on: readonly string[]
  /** `fail`, `keepExisting`, or a pipeline in which `$$new` is the incoming document. */
  readonly whenMatched: 'fail' | 'keepExisting' | readonly Document[]
  readonly whenNotMatched: 'insert' | 'discard' | 'fail'
  /** Returns the variables of that pipeline for an incoming document, which is `new`. */
  readonly variablesOf: (doc: Document) => Document
}

export type Output = (Target & { readonly kind: 'out' }) | Merge

/** The output that a last stage describes, undefined for any other stage. Fails with mongod's codes. */
export function compileOutput(name: string | undefined, argument: Value, names: Constants): Output | undefined {
  if (name === '$out') return { kind: 'out', ...targetOf(argument, '$out') }
  return name === '$merge' ? mergeOf(argument, names) : undefined
}

function targetOf(argument: Value, stage: string): Target {
  if (typeof argument === 'string') return { database: undefined, collection: argument }
  if (!isDocument(argument))
    throw new EngineError(
      stage === '$out' ? 16990 : 51178,
      `${stage} only supports a string or object argument, but found ${typeName(argument)}`,
    )
  const { db, coll, ...others } = argument
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw new EngineError(40415, `BSON field '${stage}.${unknown}' is an unknown field.`)
  if ((db !== undefined && typeof db !== 'string') || typeof coll !== 'string')
    throw new EngineError(16994, `${stage} needs the names of a database and a collection`)
  return { database: db, collection: coll }
}

const mergeFields: readonly string[] = ['into', 'on', 'let', 'whenMatched', 'whenNotMatched']

/** The pipelines for which `replace` and `merge` stand, as in mongod. */
const pipelines: Readonly<Record<string, readonly Document[]>> = {
  replace: [{ $replaceWith: '$$new' }],
  merge: [{ $replaceWith: { $mergeObjects: ['$$ROOT', '$$new'] } }],
}

function mergeOf(argument: Value, names: Constants): Merge {
  if (typeof argument !== 'string' && !isDocument(argument))
    throw new EngineError(51182, `$merge only supports a string or object argument, not ${typeName(argument)}`)
  const spec: Document = typeof argument === 'string' ? { into: argument } : argument
  for (const field of Object.keys(spec))
    if (!mergeFields.includes(field)) throw new EngineError(40415, `BSON field '$merge.${field}' is an unknown field.`)
  if (spec.into === undefined) throw new EngineError(40414, "BSON field '$merge.into' is missing but a required field")
  const whenMatched = whenMatchedOf(spec)
  const whenNotMatched = spec.whenNotMatched ?? 'insert'
  if (whenNotMatched !== 'insert' && whenNotMatched !== 'discard' && whenNotMatched !== 'fail')
    throw new EngineError('BadValue', `'${String(whenNotMatched)}' is not a valid value of whenNotMatched`)
  if (!Array.isArray(whenMatched) && whenNotMatched !== 'insert')
    throw new EngineError(
      51181,
      `Combination of {whenMatched: ${whenMatched}} and {whenNotMatched: ${whenNotMatched}} is not supported`,
    )
  return {
    kind: 'merge',
    ...targetOf(spec.into, '$merge.into'),
    on: onOf(spec.on),
    whenMatched,
    whenNotMatched,
    variablesOf: compileVariables(spec, names),
  }
}

function whenMatchedOf(spec: Document): Merge['whenMatched'] {
  const { whenMatched = 'merge' } = spec
  if (spec.let !== undefined && !Array.isArray(whenMatched))
    throw new EngineError(51199, `Cannot use 'let' variables with 'whenMatched: ${String(whenMatched)}' mode`)
  if (Array.isArray(whenMatched)) {
    const stages = whenMatched as readonly Document[]
    const variables = Object.keys(isDocument(spec.let) ? spec.let : {}).map((name) => [name, null] as const)
    // Compiled here only to report errors before anything is written.
    compileUpdatePipeline(stages, new Map<string, Value>([...variables, ['new', documentOf({})]]))
    return stages
  }
  if (whenMatched === 'fail' || whenMatched === 'keepExisting') return whenMatched
  const pipeline = typeof whenMatched === 'string' && Object.hasOwn(pipelines, whenMatched) && pipelines[whenMatched]
  if (!pipeline) throw new EngineError(51191, `'${String(whenMatched)}' is not a valid value of whenMatched`)
  return pipeline
}

function onOf(on: Value | undefined): readonly string[] {
  const paths = on === undefined ? ['_id'] : Array.isArray(on) ? on : [on]
  if (paths.length === 0)
    throw new EngineError(51187, "If explicitly specifying $merge 'on', must include at least one field")
  return paths.map((path, i) => {
    if (typeof path !== 'string') throw new EngineError(51134, "$merge 'on' must be a string or an array of strings")
    if (paths.indexOf(path) !== i) throw new EngineError(31465, `Found a duplicate field '${path}' in $merge 'on'`)
    return path
  })
}

function compileVariables(spec: Document, names: Constants): Merge['variablesOf'] {
  if (spec.let !== undefined && !isDocument(spec.let))
    throw new EngineError('TypeMismatch', '$merge.let must be an object')
  if (spec.let?.new !== undefined && spec.let.new !== '$$ROOT')
    throw new EngineError(51273, "'let' may not define a value for the reserved 'new' variable other than '$$ROOT'")
  const variables = Object.entries(spec.let ?? {}).map(([name, value]): readonly [string, Evaluate] => [
    name,
    compileExpression(value, names),
  ])
  return (doc) => {
    const values = documentOf({})
    for (const [name, evaluate] of variables) {
      const value = evaluate({ root: doc, bound: undefined })
      if (value !== undefined) values[name] = value
    }
    values.new = doc
    return values
  }
}
