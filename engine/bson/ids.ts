/** Checks the value of an `_id`. */
import { EngineError } from '../errors.ts'
import { type Document, isDocument, typeName, type Value } from './document.ts'

/** @throws EngineError InvalidIdField for an array or a regular expression, DollarPrefixedFieldName for `$` names inside */
export function checkId(id: Value): void {
  const type = typeName(id)
  if (type === 'array' || type === 'regex')
    throw new EngineError('InvalidIdField', `The '_id' value cannot be of type ${type}`)
  if (isDocument(id)) checkFields(id)
}

const reference: readonly string[] = ['$ref', '$id', '$db']

/** Refuses field names that begin with `$`, except in a reference (`$ref`, `$id`, `$db`), which may be an id or a part of one. */
function checkFields(doc: Document): void {
  for (const [field, value] of Object.entries(doc)) {
    if (field.startsWith('$') && !(reference.includes(field) && doc.$ref !== undefined)) {
      throw new EngineError(
        'DollarPrefixedFieldName',
        `_id fields may not contain '$'-prefixed fields: The dollar ($) prefixed field '${field}' is not valid for storage.`,
      )
    }
    for (const item of Array.isArray(value) ? value : [value]) if (isDocument(item)) checkFields(item)
  }
}
