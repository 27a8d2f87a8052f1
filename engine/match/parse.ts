/** Parses filters to a tree. A filter that mongod refuses is refused with the same code. */
import { BSONRegExp } from 'bson'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import type { FilterNode } from './node.ts'
import { checkedDepth, type FilterPlace, isOperatorDocument, parseFieldOperators } from './operators.ts'

export type { FilterNode }

/**
 * Parses a filter. Fails with BadValue, FailedToParse, QueryFeatureNotAllowed for `$expr` if it is not allowed at `place`, or
 * mongod's code for the operator.
 */
export function parseFilter(filter: Document, place: FilterPlace = 'query', depth = 0): FilterNode {
  checkedDepth(depth)
  const nodes: FilterNode[] = []
  for (const field in filter) {
    const value = filter[field]!
    const node = field.startsWith('$')
      ? parseTopLevel(field, value, place, depth)
      : parseField(field, value, place, depth)
    if (node !== undefined) nodes.push(node)
  }
  return nodes.length === 1 ? nodes[0]! : { op: 'and', nodes }
}

function parseField(path: string, value: Value, place: FilterPlace, depth: number): FilterNode {
  if (isOperatorDocument(value))
    return parseFieldOperators(value, { path, siblings: value, place, depth, parseNested: parseFilter })
  if (value instanceof BSONRegExp) return { op: 'regex', path, pattern: value }
  return { op: 'eq', path, value }
}

function parseTopLevel(operator: string, value: Value, place: FilterPlace, depth: number): FilterNode | undefined {
  switch (operator) {
    case '$and':
    case '$or':
    case '$nor':
      return { op: operator.slice(1) as 'and' | 'or' | 'nor', nodes: parseBranches(operator, value, place, depth) }
    case '$expr':
      checkExpressionPlace(place)
      return { op: 'expr', expression: value }
    case '$comment':
      return undefined
    default:
      throw refuseTopLevel(operator, place)
  }
}

function parseBranches(operator: string, value: Value, place: FilterPlace, depth: number): FilterNode[] {
  if (!Array.isArray(value)) throw new EngineError('BadValue', `${operator} must be an array`)
  if (value.length === 0) throw new EngineError('BadValue', '$and/$or/$nor must be a nonempty array')
  return value.map((branch) => {
    if (!isDocument(branch)) throw new EngineError('BadValue', '$or/$and/$nor entries need to be full objects')
    return parseFilter(branch, place, depth + 1)
  })
}

function checkExpressionPlace(place: FilterPlace): void {
  if (place === 'element') throw new EngineError('BadValue', '$expr can only be applied to the top-level document')
  if (place === 'upsert')
    throw new EngineError('QueryFeatureNotAllowed', '$expr is not allowed in the query predicate for an upsert')
  if (place === 'part') throw new EngineError('QueryFeatureNotAllowed', '$expr is not allowed in this context')
}

function refuseTopLevel(operator: string, place: FilterPlace): EngineError {
  switch (operator) {
    case '$text':
      if (place === 'part' || place === 'element')
        return new EngineError('BadValue', '$text is not allowed in this context')
      return new EngineError('IndexNotFound', 'text index required for $text query')
    case '$where':
      return new EngineError('BadValue', 'no globalScriptEngine in $where parsing')
    case '$jsonSchema':
      return new EngineError('CommandNotSupported', '$jsonSchema is not supported by the embedded engine')
    default:
      return new EngineError(
        'BadValue',
        `unknown top level operator: ${operator}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      )
  }
}
