import { flagField, missingField, optionalDocument, tooSmall, wholeField } from '../arguments.ts'
import { type Document, documentOf, isDocument, newDocument } from '../bson/document.ts'
import { EngineError } from '../errors.ts'

/** An update as a client gives it: operators, a replacement, or a pipeline. */
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
  if (value === undefined) throw missingField(field)
  throw new EngineError('FailedToParse', 'Update argument must be either an object or an array')
}

/** Sizes of capped collections are rounded up to this, and bounded, as mongod does. */
const capStepBytes = 256
const capBytesMax = 2 ** 50
const capDocumentsMax = 2 ** 31

/** The options of a capped collection from `create`, as listCollections shows them; none if it is not capped. */
export function cappedOptions(body: Document): Document {
  const capped = flagField(body, 'capped')
  const size = wholeField(body, 'size')
  const max = wholeField(body, 'max')
  if (size !== undefined && size < 1) throw tooSmall('size', 1, size)
  if (capped && size === undefined)
    throw new EngineError('InvalidOptions', "the 'size' field is required when 'capped' is true")
  if (!capped && (size !== undefined || max !== undefined))
    throw new EngineError(
      'InvalidOptions',
      "the 'capped' field needs to be true when either the 'size' or 'max' fields are present",
    )
  if (!capped || size === undefined) return newDocument()
  if (size > capBytesMax) throw new EngineError('BadValue', 'size cannot exceed 1 PB')
  if (max !== undefined && max >= capDocumentsMax)
    throw new EngineError('BadValue', 'max in a capped collection has to be < 2^31 or not set')
  const rounded = Math.ceil(size / capStepBytes) * capStepBytes
  return documentOf({ capped: true, size: rounded, ...(max !== undefined && max > 0 && { max }) })
}

/** The options of a collection, as listCollections shows them: those of `create` or `collMod` merged over the `known` ones. */
export function collectionOptions(body: Document, known: Document = newDocument()): Document {
  const images = optionalDocument(body, 'changeStreamPreAndPostImages')
  if (images === undefined) return known
  const enabled = flagField(images, 'enabled')
  const { changeStreamPreAndPostImages: _was, ...others } = known
  return documentOf({ ...others, ...(enabled && { changeStreamPreAndPostImages: documentOf({ enabled }) }) })
}
