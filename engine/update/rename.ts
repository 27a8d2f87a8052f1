/** `$rename`: one leaf that fetches the value at the new name, one that removes the old. */
import { identicalValues } from '../bson/compare.ts'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import { parsePath } from './paths.ts'
import type { Leaf } from './tree.ts'

/** The two leaves of `{ $rename: { [from]: to } }`. Neither name may lead through an array. */
export function renameLeaves(
  from: string,
  to: Value,
): readonly { readonly parts: readonly string[]; readonly leaf: Leaf }[] {
  if (typeof to !== 'string') throw new EngineError('BadValue', `The 'to' field for $rename must be a string: ${from}`)
  const source = parsePath(from)
  const target = parsePath(to)
  if ([...source, ...target].some((part) => part === '$' || part.startsWith('$['))) {
    throw new EngineError('BadValue', `The names in $rename may not be dynamic: ${from}, ${to}`)
  }
  if (from === to) {
    throw new EngineError('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`)
  }
  const idle: Leaf['idle'] = ({ root }) => valueAt(root, source, 'source') === undefined
  const fetch: Leaf = {
    operator: '$rename',
    path: to,
    idle,
    apply: (current, { root }) => {
      const value = valueAt(root, source, 'source')
      if (value === undefined) return current
      valueAt(root, target, 'destination')
      return identicalValues(current, value) ? current : value
    },
  }
  const remove: Leaf = { operator: '$rename', path: from, tolerant: true, apply: () => undefined }
  return [
    { parts: target, leaf: fetch },
    { parts: source, leaf: remove },
  ]
}

function valueAt(doc: Document, parts: readonly string[], role: 'source' | 'destination'): Value | undefined {
  let value: Value | undefined = doc
  for (const [index, part] of parts.entries()) {
    if (Array.isArray(value)) {
      throw new EngineError(
        'BadValue',
        `The ${role} field cannot be an array element, '${parts.join('.')}' in doc with _id: ${show(doc._id)} has an array field called '${parts[index - 1]}'`,
      )
    }
    value = isDocument(value) ? value[part] : undefined
  }
  return value
}
