/** The tree to which a filter is parsed. */
import type { BSONRegExp } from 'bson'
import type { TypeName, Value } from '../bson/document.ts'

export type Comparison = 'eq' | 'gt' | 'gte' | 'lt' | 'lte'
export type BitTest = 'allSet' | 'anySet' | 'allClear' | 'anyClear'

/**
 * A parsed condition, for the planner and the compiler. `$ne` and `$nin` are 'not' over 'eq' and 'in', `$exists: false` is 'not'
 * over 'exists', `$all` is 'and'. An 'and' without nodes matches everything. Under 'elemMatchValue' all paths are '', which means
 * the element itself; under 'elemMatch' they start at the element.
 */
export type FilterNode =
  | { readonly op: 'and' | 'or' | 'nor'; readonly nodes: readonly FilterNode[] }
  | { readonly op: 'not'; readonly node: FilterNode }
  | { readonly op: Comparison; readonly path: string; readonly value: Value }
  | {
      readonly op: 'in'
      readonly path: string
      readonly values: readonly Value[]
      readonly patterns: readonly BSONRegExp[]
    }
  | { readonly op: 'regex'; readonly path: string; readonly pattern: BSONRegExp }
  | { readonly op: 'exists'; readonly path: string }
  | { readonly op: 'type'; readonly path: string; readonly types: ReadonlySet<TypeName> }
  | { readonly op: 'size'; readonly path: string; readonly size: number }
  | { readonly op: 'mod'; readonly path: string; readonly divisor: bigint; readonly remainder: bigint }
  | { readonly op: 'bits'; readonly path: string; readonly test: BitTest; readonly positions: readonly number[] }
  | { readonly op: 'elemMatch' | 'elemMatchValue'; readonly path: string; readonly node: FilterNode }
  | { readonly op: 'expr'; readonly expression: Value }
  | { readonly op: 'always'; readonly value: boolean }
