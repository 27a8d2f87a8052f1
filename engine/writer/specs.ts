import { flagField, optionalDocument } from '../arguments.ts'
import { type Document, documentOf, isDocument, newDocument } from '../bson/document.ts'
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

/** The options of a collection that listCollections shows: what `create` or `collMod` says, over what stands. */
export function collectionOptions(body: Document, known: Document = newDocument()): Document {
  const images = optionalDocument(body, 'changeStreamPreAndPostImages')
  if (images === undefined) return known
  const enabled = flagField(images, 'enabled')
  const { changeStreamPreAndPostImages: _was, ...others } = known
  return documentOf({ ...others, ...(enabled && { changeStreamPreAndPostImages: documentOf({ enabled }) }) })
}
