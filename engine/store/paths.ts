import type { FilterNode } from '../match/parse.ts'

/** The first part of a dotted path. */
export function topLevel(path: string): string {
  const dot = path.indexOf('.')
  return dot < 0 ? path : path.slice(0, dot)
}

/** Whether a part of the path may be an array position; no index serves such paths. */
export function hasNumericPart(path: string): boolean {
  return /(?:^|\.)\d+(?:\.|$)/.test(path)
}

/** The top-level fields that a filter reads, undefined if it may read any (`$expr`). */
export function pathsOf(node: FilterNode): ReadonlySet<string> | undefined {
  const fields = new Set<string>()
  return collect(node, fields) ? fields : undefined
}

function collect(node: FilterNode, fields: Set<string>): boolean {
  switch (node.op) {
    case 'and':
    case 'or':
    case 'nor':
      return node.nodes.every((inner) => collect(inner, fields))
    case 'not':
      return collect(node.node, fields)
    case 'expr':
      return false
    case 'always':
      return true
    default:
      fields.add(topLevel(node.path))
      return true
  }
}
