/** Stages that turn one document into one document. Pipeline updates consist of these only. */
import { type Document, isDocument, typeName, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { compileProject } from '../project/project.ts'
import { addEntry, addFields, excludeFields, newShape, type Shape } from '../project/shape.ts'
import { compileExpression } from './expression.ts'
import { fieldPath } from './fieldPath.ts'
import { type Constants, constantsAt } from './scope.ts'
import { parseStage, stageNames } from './stages.ts'

export type Reshape = (doc: Document) => Document

type CompileReshape = (argument: Value, names: Constants) => Reshape

const reshapes: Readonly<Record<string, CompileReshape>> = {
  $addFields: compileAddFields,
  $set: compileAddFields,
  $project: (argument, names) => {
    if (!isDocument(argument)) throw new EngineError(15969, '$project specification must be an object')
    return compileProject(argument, names)
  },
  $unset: compileUnset,
  $replaceRoot: (argument, names) => {
    if (!isDocument(argument))
      throw new EngineError(40229, 'expected an object as specification for $replaceRoot stage')
    for (const field in argument) {
      if (field !== 'newRoot')
        throw new EngineError(
          40230,
          `unrecognized option to $replaceRoot stage: ${field}, only valid option is 'newRoot'.`,
        )
    }
    if (argument.newRoot === undefined) throw new EngineError(40231, 'no newRoot specified for the $replaceRoot stage')
    return compileReplace(argument.newRoot, names)
  },
  $replaceWith: compileReplace,
}

/** The stages that a pipeline update may have. */
export const reshapeNames: readonly string[] = Object.keys(reshapes)

/** The stage as a function of one document, undefined for other stages. */
export function compileReshape(name: string, argument: Value, names: Constants): Reshape | undefined {
  return Object.hasOwn(reshapes, name) ? reshapes[name]!(argument, names) : undefined
}

/** Compiles a pipeline update; `variables` are those of the command's `let`. Fails with InvalidOptions for a stage it may not have. */
export function compileUpdatePipeline(
  stages: readonly Document[],
  variables: Constants,
): (doc: Document, now: Date) => Document {
  const parsed = stages.map((stage) => parseStage(stage))
  const compile = (now: Date) => {
    const names = new Map([...variables, ...constantsAt(now)])
    return parsed.map(({ name, argument }) => updateStage(name, argument, names))
  }
  compile(new Date(0))
  let last: { readonly now: Date; readonly steps: readonly Reshape[] } | undefined
  return (doc, now) => {
    if (last?.now !== now) last = { now, steps: compile(now) }
    return last.steps.reduce((result, step) => step(result), doc)
  }
}

function updateStage(name: string, argument: Value, names: Constants): Reshape {
  if (!stageNames.has(name)) throw new EngineError(40324, `Unrecognized pipeline stage name: '${name}'`)
  const step = compileReshape(name, argument, names)
  if (step === undefined) throw new EngineError('InvalidOptions', `${name} is not allowed to be used within an update`)
  return step
}

function compileAddFields(argument: Value, names: Constants): Reshape {
  if (!isDocument(argument)) throw new EngineError(40272, '$addFields specification stage must be an object')
  const shape = newShape()
  addAll(shape, [], argument, names)
  if (shape.fields.size === 0) throw new EngineError(40177, 'specification must have at least one field')
  return (doc) => addFields(shape, doc, { root: doc, bound: undefined })
}

/** Adds all fields of a specification. A document that is not an expression holds nested fields. */
function addAll(shape: Shape, parents: readonly string[], spec: Document, names: Constants): void {
  for (const field in spec) {
    const value = spec[field]!
    const parts = [...parents, ...fieldPath(field)]
    const nested = isDocument(value) && Object.keys(value).length > 0 && !Object.keys(value)[0]!.startsWith('$')
    if (nested) addAll(shape, parts, value, names)
    else addEntry(shape, parts, { evaluate: compileExpression(value, names) })
  }
}

function compileUnset(argument: Value): Reshape {
  if (!Array.isArray(argument) && typeof argument !== 'string')
    throw new EngineError(31002, '$unset specification must be a string or an array')
  const paths = Array.isArray(argument) ? argument : [argument]
  if (paths.length === 0)
    throw new EngineError(31119, '$unset specification must be a string or an array with at least one field')
  const shape = newShape()
  for (const path of paths) {
    if (typeof path !== 'string')
      throw new EngineError(31120, '$unset specification must be a string or an array containing only string values')
    addEntry(shape, fieldPath(path), 'drop')
  }
  return (doc) => excludeFields(shape, doc)
}

function compileReplace(argument: Value, names: Constants): Reshape {
  const evaluate = compileExpression(argument, names)
  return (doc) => {
    const value = evaluate({ root: doc, bound: undefined })
    if (isDocument(value)) return value
    throw new EngineError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type: '${typeName(value)}'.`,
    )
  }
}
