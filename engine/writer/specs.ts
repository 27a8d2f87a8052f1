import { type Document, isDocument } from '../bson/document.ts'
import { EngineError } from '../errors.ts'

/** An update as it comes: operators, a replacement, or a pipeline. */
export function updateSpec(spec: Document, field: string): Document | readonly Document[] {
  const value = spec[field]
  if (Array.isArray(value)) {
    return value.map((stage) => {
      if (!isDocument(stage))
        throw new EngineError('TypeMismatch', 'Each element of the pipeline array must be an object')
      return stage
    })
  }
  if (isDocument(value)) return value
  throw new EngineError('FailedToParse', 'Update argument must be either an object or an array')
}
