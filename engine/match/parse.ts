/** Filters as a tree: what mongod accepts is parsed, everything else is refused with its code. */
import { BSONRegExp } from 'bson'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import type { FilterNode } from './node.ts'
import { checkedDepth, isOperatorDocument, parseFieldOperators } from './operators.ts'

export type { FilterNode }

/** Parses a filter. Fails with BadValue, FailedToParse or the code mongod has for the operator. */
export function parseFilter(filter: Document, depth = 0): FilterNode {
  checkedDepth(depth)
  const nodes: FilterNode[] = []
  for (const field in filter) {
    const value = filter[field]!
    const node = field.startsWith('$') ? parseTopLevel(field, value, depth) : parseField(field, value, depth)
    if (node !== undefined) nodes.push(node)
  }
  return nodes.length === 1 ? nodes[0]! : { op: 'and', nodes }
}

function parseField(path: string, value: Value, depth: number): FilterNode {
  if (isOperatorDocument(value)) return parseFieldOperators(path, value, depth, parseFilter)
  if (value instanceof BSONRegExp) return { op: 'regex', path, pattern: value }
  return { op: 'eq', path, value }
}

function parseTopLevel(operator: string, value: Value, depth: number): FilterNode | undefined {
  switch (operator) {
    case '$and':
    case '$or':
    case '$nor':
      return { op: operator.slice(1) as 'and' | 'or' | 'nor', nodes: parseBranches(operator, value, depth) }
    case '$expr':
      return { op: 'expr', expression: value }
    case '$comment':
      return undefined
    default:
      throw refuseTopLevel(operator)
  }
}

function parseBranches(operator: string, value: Value, depth: number): FilterNode[] {
  if (!Array.isArray(value)) throw new EngineError('BadValue', `${operator} must be an array`)
  if (value.length === 0) throw new EngineError('BadValue', '$and/$or/$nor must be a nonempty array')
  return value.map((branch) => {
    if (!isDocument(branch)) throw new EngineError('BadValue', '$or/$and/$nor entries need to be full objects')
    return parseFilter(branch, depth + 1)
  })
}

function refuseTopLevel(operator: string): EngineError {
  switch (operator) {
    case '$text':
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
