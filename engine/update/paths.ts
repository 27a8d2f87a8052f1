/** Parses the dotted paths of an update, and `arrayFilters`. */
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { compileFilter, type Matcher } from '../match/compile.ts'
import { type FilterNode, parseFilter } from '../match/parse.ts'

/** Splits a path, whose parts may be `$`, `$[]` and `$[id]`. Fails with EmptyFieldName, BadValue or DollarPrefixedFieldName. */
export function parsePath(path: string): readonly string[] {
  if (path === '') throw new EngineError('EmptyFieldName', 'An empty update path is not valid.')
  const parts = path.split('.')
  if (parts.includes('')) {
    throw new EngineError(
      'EmptyFieldName',
      `The update path '${path}' contains an empty field name, which is not allowed.`,
    )
  }
  if (parts.filter((part) => part === '$').length > 1) {
    throw new EngineError('BadValue', `Too many positional (i.e. '$') elements found in path '${path}'`)
  }
  for (const [index, part] of parts.entries()) if (part.startsWith('$')) checkDollarPart(path, part, index)
  return parts
}

const referenceFields: readonly string[] = ['$ref', '$id', '$db']

function checkDollarPart(path: string, part: string, index: number): void {
  const isArrayPart = part === '$' || (part.startsWith('$[') && part.endsWith(']'))
  if (isArrayPart && index === 0) {
    const kind = part === '$' ? "positional (i.e. '$')" : 'array filter'
    throw new EngineError('BadValue', `Cannot have ${kind} element in the first position in path '${path}'`)
  }
  if (isArrayPart || (index > 0 && referenceFields.includes(part))) return
  throw new EngineError(
    'DollarPrefixedFieldName',
    `The dollar ($) prefixed field '${part}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
  )
}

/** Compiles `arrayFilters` by identifier. Fails with FailedToParse or BadValue. */
export function compileArrayFilters(filters: readonly Document[]): Map<string, Matcher> {
  const compiled = new Map<string, Matcher>()
  for (const filter of filters) {
    const node = parseFilter(filter, 'part')
    const names = new Set([...pathsOf(node)].map((path) => path.split('.')[0]!))
    const [name, other] = names
    if (name === undefined) {
      throw new EngineError('FailedToParse', 'Cannot use an expression without a top-level field name in arrayFilters')
    }
    if (other !== undefined) {
      throw new EngineError(
        'FailedToParse',
        `Error parsing array filter: Expected a single top-level field name, found '${name}' and '${other}'`,
      )
    }
    if (!/^[a-z][A-Za-z0-9]*$/.test(name)) {
      throw new EngineError(
        'BadValue',
        `Error parsing array filter: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      )
    }
    if (compiled.has(name)) {
      throw new EngineError('FailedToParse', `Found multiple array filters with the same top-level field name ${name}`)
    }
    compiled.set(name, compileFilter(node))
  }
  return compiled
}

function* pathsOf(node: FilterNode): Generator<string> {
  if ('nodes' in node) for (const child of node.nodes) yield* pathsOf(child)
  else if ('path' in node) yield node.path
  else if (node.op === 'not') yield* pathsOf(node.node)
}
