/** Stages that make documents instead of reading a collection. They come first, in a pipeline of `{ aggregate: 1 }`. */
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { compileExpression } from './expression.ts'
import type { Constants } from './scope.ts'
import type { Source } from './stages.ts'

export const originNames: readonly string[] = ['$documents', '$listLocalSessions']

export type Origin = (source: Source) => Iterable<Document>

/** The source of the documents that the first stage makes, undefined if the stage is none of these. */
export function compileOrigin(name: string | undefined, argument: Value, names: Constants): Origin | undefined {
  switch (name) {
    case '$documents':
      return listedDocuments(argument, names)
    case '$listLocalSessions':
      if (!isDocument(argument) || Object.keys(argument).some((field) => field !== 'allUsers'))
        throw new EngineError('FailedToParse', '$listLocalSessions takes an object with at most allUsers')
      return (source) => source.sessions()
    default:
      return undefined
  }
}

function listedDocuments(argument: Value, names: Constants): Origin {
  const evaluate = compileExpression(argument, names)
  return () => {
    const list = evaluate({ root: {}, bound: undefined })
    if (!Array.isArray(list))
      throw new EngineError(5858203, 'an array is expected as the argument of the $documents stage')
    return list.map((value) => {
      if (!isDocument(value)) throw new EngineError(40228, 'all elements of $documents must be objects')
      return value
    })
  }
}
