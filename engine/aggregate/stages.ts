/** The names of stages, and the parts that stages share. */
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { roughBytes } from '../bson/size.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Constants } from './scope.ts'

/** The documents that pass from stage to stage. `undefined` means that the search goes on, so that the caller can check the clock. */
export type Documents = Iterable<Document | undefined>

/** The sources of documents besides the input of a stage. */
export type Source = {
  /** Finds documents of another collection, for `$lookup`. */
  readonly find: (collection: string, filter: Document) => Documents
  /** The sessions of this server, for `$listLocalSessions`. */
  readonly sessions: () => Iterable<Document>
}

/** The context in which a stage is compiled: the constants, and its depth within `$facet` and `$lookup`. */
export type Settings = { readonly names: Constants; readonly depth: number }

/** All supported stages; others are refused. */
export const stageNames: ReadonlySet<string> = new Set([
  '$addFields',
  '$count',
  '$documents',
  '$facet',
  '$group',
  '$limit',
  '$listLocalSessions',
  '$lookup',
  '$match',
  '$merge',
  '$out',
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

/** The argument, which must be a document. Fails with mongod's code otherwise. */
export function needDocument(argument: Value, code: number, message: string): Document {
  if (isDocument(argument)) return argument
  throw new EngineError(code, message)
}

/** Collects all documents in a list, and yields where the input yields. Fails with 292 beyond the memory limit of one stage. */
export function* collect(input: Documents): Generator<undefined, Document[], void> {
  const documents: Document[] = []
  let bytes = 0
  for (const doc of input) {
    if (doc === undefined) {
      yield undefined
      continue
    }
    documents.push(doc)
    bytes += roughBytes(doc)
    if (bytes > limits.sortBytes)
      throw new EngineError(
        'QueryExceededMemoryLimitNoDiskUseAllowed',
        `Exceeded memory limit of ${limits.sortBytes} bytes, but did not opt in to external sorting.`,
      )
  }
  return documents
}
