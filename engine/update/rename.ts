/** `$rename`, as two leaves: one sets the value at the new name, one removes the old name. */
import { identicalValues } from '../bson/compare.ts'
import { type Document, isDocument, typeName, type Value } from '../bson/document.ts'
import { show } from '../bson/show.ts'
import { EngineError } from '../errors.ts'
import { arrayIndex } from '../match/path.ts'
import { parsePath } from './paths.ts'
import type { Leaf } from './tree.ts'

/**
 * The two leaves of `{ $rename: { [from]: to } }`. Neither path may lead through an array. `from` must not lead through a scalar
 * either, although then there is nothing to move.
 */
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
  if (to.includes('\0'))
    throw new EngineError('BadValue', "The 'to' field for $rename cannot contain an embedded null byte")
  if (from === to) {
    throw new EngineError('BadValue', `The source and target field for $rename must differ: ${from}: "${to}"`)
  }
  if (to.startsWith(`${from}.`) || from.startsWith(`${to}.`)) {
    throw new EngineError(
      'BadValue',
      `The source and target field for $rename must not be on the same path: ${from}: "${to}"`,
    )
  }
  const idle: Leaf['idle'] = ({ root }) => sourceValue(root, source) === undefined
  const fetch: Leaf = {
    operator: '$rename',
    path: to,
    idle,
    apply: (current, { root }) => {
      const value = sourceValue(root, source)
      if (value === undefined) return current
      refuseArrays(root, target, 'destination')
      return identicalValues(current, value) ? current : value
    },
  }
  const remove: Leaf = { operator: '$rename', path: from, tolerant: true, apply: () => undefined }
  return [
    { parts: target, leaf: fetch },
    { parts: source, leaf: remove },
  ]
}

/** The value to move, undefined if there is none. Fails with PathNotViable for a path that leads through a scalar. */
function sourceValue(doc: Document, parts: readonly string[]): Value | undefined {
  let value: Value | undefined = doc
  for (const part of parts) {
    const index = Array.isArray(value) ? arrayIndex(part) : undefined
    if (isDocument(value)) value = value[part]
    else if (Array.isArray(value) && index !== undefined) value = value[index]
    else
      throw new EngineError(
        'PathNotViable',
        `cannot use the part (${part} of ${parts.join('.')}) to traverse the element (${typeName(value)})`,
      )
    if (value === undefined) return undefined
  }
  refuseArrays(doc, parts, 'source')
  return value
}

/** Fails with BadValue if the path leads through an array. */
function refuseArrays(doc: Document, parts: readonly string[], role: 'source' | 'destination'): void {
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
}
