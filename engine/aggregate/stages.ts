/** The names of stages, and how a stage is written. */
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import type { Constants } from './scope.ts'

/** Where `$lookup` finds the documents of other collections. */
export type Source = { readonly find: (collection: string, filter: Document) => Iterable<Document> }

/** What a stage is compiled with: `$$NOW`, the constants, and how deep in `$facet` and `$lookup` it stands. */
export type Settings = { readonly now: Date; readonly names: Constants; readonly depth: number }

/** Every stage the engine runs; others are refused. */
export const stageNames: ReadonlySet<string> = new Set([
  '$addFields',
  '$count',
  '$facet',
  '$group',
  '$limit',
  '$lookup',
  '$match',
  '$project',
  '$replaceRoot',
  '$replaceWith',
  '$set',
  '$skip',
  '$sort',
  '$sortByCount',
  '$unset',
  '$unwind',
])

/** The name and argument of one stage. Fails with 40323, 40324, and 40573 for a change stream. */
export function parseStage(stage: Value): { readonly name: string; readonly argument: Value } {
  if (!isDocument(stage))
    throw new EngineError('TypeMismatch', "Each element of the 'pipeline' array must be an object")
  const [name, ...others] = Object.keys(stage)
  if (name === undefined || others.length > 0) {
    throw new EngineError(40323, 'A pipeline stage specification object must contain exactly one field.')
  }
  if (name === '$changeStream')
    throw new EngineError(40573, 'The $changeStream stage is only supported on replica sets')
  if (!stageNames.has(name)) throw new EngineError(40324, `Unrecognized pipeline stage name: '${name}'`)
  return { name, argument: stage[name]! }
}

/** A document argument, or mongod's refusal. */
export function needDocument(argument: Value, code: number, message: string): Document {
  if (isDocument(argument)) return argument
  throw new EngineError(code, message)
}
