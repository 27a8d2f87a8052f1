import { equalValues } from '../bson/compare.ts'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { FilterNode } from '../match/parse.ts'
import { type Collection, type Index, keyDocument, namespace } from '../store/catalog.ts'
import { hasNumericPart, topLevel } from '../store/paths.ts'
import { conjuncts, implies, type Predicate, predicatesOf } from './predicates.ts'
import { allKeys, concat, descending, intersect, type Range, type ValueRange } from './ranges.ts'

export type Interval = Range & {
  /** The number of bytes of the leading components that have a single value; a merge compares the bytes after them. */
  readonly prefix: number
}

export type IndexPlan = {
  readonly kind: 'index'
  readonly index: Index
  /** In scan order. */
  readonly intervals: readonly Interval[]
  readonly backward: boolean
  /** Whether the intervals are read together, in the order of the bytes after their prefix. */
  readonly merge: boolean
  /** The ranges of each component, for explain. */
  readonly components: readonly (readonly ValueRange[])[]
  /** Whether the index alone decides the filter, so that documents need not be checked. */
  readonly exact: boolean
  /** Whether documents come in the requested order. */
  readonly sorted: boolean
}

export type CollectionPlan = {
  readonly kind: 'collection'
  readonly backward: boolean
  readonly exact: boolean
  readonly sorted: boolean
}

export type UnionPlan = {
  readonly kind: 'union'
  readonly branches: readonly IndexPlan[]
  readonly exact: false
  readonly sorted: false
}

export type Plan = IndexPlan | CollectionPlan | UnionPlan

export type Wish = {
  readonly filter: FilterNode
  /** Whether the filter document is empty. */
  readonly unfiltered: boolean
  readonly sort?: Document
  /** An index name, a key pattern, or `{ $natural: 1 }`. */
  readonly hint?: string | Document
  readonly noTableScan: boolean
}

type Component = {
  readonly ranges: readonly ValueRange[]
  readonly points: boolean
  readonly constant: boolean
  readonly used: readonly Predicate[]
}

type Candidate = {
  readonly plan: IndexPlan
  readonly rank: readonly number[]
  readonly equalities: number
  readonly bounded: boolean
}

/**
 * Chooses how to find the documents. Prefers unique keys, then an index whose leading fields have equalities, then one that
 * gives the sort, then one with a range (embedded-db 7.4). Otherwise takes a union of indexes for `$or`, or the whole collection.
 * @throws EngineError BadValue for a hint that names no index, NoQueryExecutionPlans if only a table scan is left and
 *   table scans are switched off
 */
export function choosePlan(collection: Collection, wish: Wish): Plan {
  const conditions = conjuncts(wish.filter)
  if (wish.hint !== undefined) return hinted(collection, conditions, wish, wish.hint)
  const best = bestIndex(collection, conditions, wish.sort)
  if (best !== undefined && (best.equalities > 0 || best.bounded)) return best.plan
  const union = unionPlan(collection, conditions)
  if (union !== undefined) return union
  if (best !== undefined) return best.plan
  return tableScan(collection, wish, false)
}

function tableScan(collection: Collection, wish: Wish, backward: boolean): CollectionPlan {
  // mongod's notablescan allows a query without any condition.
  if (wish.noTableScan && !wish.unfiltered) {
    const name = namespace(collection.database, collection.name)
    throw new EngineError(
      'NoQueryExecutionPlans',
      `no query solutions: ${name} has no index for this filter and notablescan is on`,
    )
  }
  return { kind: 'collection', backward, exact: wish.unfiltered, sorted: wish.sort === undefined }
}

function hinted(collection: Collection, conditions: readonly FilterNode[], wish: Wish, hint: string | Document): Plan {
  if (typeof hint !== 'string' && hint.$natural !== undefined)
    return tableScan(collection, wish, Number(hint.$natural) < 0)
  const index = collection.indexes.find((known) =>
    typeof hint === 'string' ? known.name === hint : equalValues(keyDocument(known.key), hint),
  )
  if (index === undefined || index.hidden) {
    throw new EngineError('BadValue', 'error processing query: hint provided does not correspond to an existing index')
  }
  return candidate(index, conditions, predicatesOf(conditions), wish.sort).plan
}

function bestIndex(
  collection: Collection,
  conditions: readonly FilterNode[],
  sort: Document | undefined,
): Candidate | undefined {
  const predicates = predicatesOf(conditions)
  let best: Candidate | undefined
  for (const index of collection.indexes) {
    if (index.hidden || !eligible(index, conditions, predicates)) continue
    const next = candidate(index, conditions, predicates, sort)
    if (next.equalities === 0 && !next.bounded && !(sort !== undefined && next.plan.sorted)) continue
    if (best === undefined || outranks(next.rank, best.rank)) best = next
  }
  return best
}

/** Whether an index holds all documents that may match. A sparse or partial index lacks some, so it serves fewer filters. */
function eligible(index: Index, conditions: readonly FilterNode[], predicates: readonly Predicate[]): boolean {
  if (index.partial !== undefined && !implies(conditions, index.partial.node)) return false
  if (!index.sparse) return true
  return predicates.some((predicate) => predicate.present && index.key.some(([path]) => path === predicate.path))
}

function candidate(
  index: Index,
  conditions: readonly FilterNode[],
  predicates: readonly Predicate[],
  sort: Document | undefined,
): Candidate {
  const components = boundComponents(index, predicates)
  const order = sort === undefined ? undefined : sortOrder(index, components, sort)
  const backward = order?.backward ?? false
  const intervals = intervalsOf(index, components)
  const used = new Set(
    components
      .flatMap((component) => component.used)
      .filter((predicate) => predicate.exact)
      .map(({ source }) => source),
  )
  const exact = conditions.every((condition) => used.has(condition) || (condition.op === 'always' && condition.value))
  const equalities = components.filter((component) => component.points).length
  const single = components.filter((component) => component.points && component.ranges.length === 1).length
  const bounded = components.length > equalities
  const sorted = sort === undefined || order !== undefined
  // Each full key of a unique index finds its document in one step, whatever the other conditions are.
  const keyed = index.unique && equalities === index.key.length
  const uniqueHit = keyed && single === index.key.length
  return {
    plan: {
      kind: 'index',
      index,
      intervals: backward ? intervals.reverse() : intervals,
      backward,
      merge: (order?.merge ?? false) && intervals.length > 1,
      components: components.map((component) => component.ranges),
      exact,
      sorted,
    },
    rank: [
      uniqueHit ? 1 : 0,
      keyed ? 1 : 0,
      equalities,
      sorted ? 1 : 0,
      bounded ? 1 : 0,
      single,
      exact ? 1 : 0,
      -index.key.length,
    ],
    equalities,
    bounded,
  }
}

/** The leading components that the conditions bound: equalities, and at most one range after them. */
function boundComponents(index: Index, predicates: readonly Predicate[]): Component[] {
  const components: Component[] = []
  let arrayGroup: FilterNode | 'none' | 'open' = 'open'
  const fields = new Set<string>()
  let intervals = 1
  for (const [i, [path]] of index.key.entries()) {
    if (hasNumericPart(path)) break
    const multikey = index.multikey[i] === true
    const usable = predicates.filter(
      (predicate) => predicate.path === path && (index.sparse || predicate.ranges[0] !== allKeys),
    )
    // Conditions on two array components may hold for different elements, unless they are in one $elemMatch, on two fields.
    const fitting: Predicate[] =
      multikey && arrayGroup !== 'open'
        ? usable.filter((predicate) => predicate.group === arrayGroup && !fields.has(fieldOf(predicate)))
        : usable
    const component: Component | undefined = multikey ? arrayComponent(fitting) : plainComponent(fitting)
    if (component === undefined) break
    intervals *= component.ranges.length
    if (components.length > 0 && intervals > limits.intervals) break
    if (multikey && arrayGroup === 'open') arrayGroup = component.used[0]?.group ?? 'none'
    if (multikey) for (const predicate of component.used) fields.add(fieldOf(predicate))
    components.push(component)
    if (!component.points) break
  }
  return components
}

/** The field of the `$elemMatch` element that a condition is about, directly or inside it: this field may itself be an array. */
function fieldOf({ path, group }: Predicate): string {
  return group?.op === 'elemMatch' ? topLevel(path.slice(group.path.length + 1)) : path
}

function plainComponent(usable: readonly Predicate[]): Component | undefined {
  if (usable.length === 0) return undefined
  const ranges = usable.slice(1).reduce((kept, predicate) => intersect(kept, predicate.ranges), usable[0]!.ranges)
  const points = ranges.every((range) => range.point)
  return { ranges, points, constant: points && ranges.length <= 1, used: usable }
}

/** Two conditions on an array may hold for two different elements, so only one is used, unless they are in one `$elemMatch`. */
function arrayComponent(usable: readonly Predicate[]): Component | undefined {
  const best = [...usable].sort((a, b) => tightness(a) - tightness(b))[0]
  if (best === undefined) return undefined
  const together =
    best.group?.op === 'elemMatchValue' ? usable.filter((predicate) => predicate.group === best.group) : [best]
  const component = plainComponent(together)!
  return { ...component, constant: false, used: together.map((predicate) => ({ ...predicate, exact: false })) }
}

function tightness(predicate: Predicate): number {
  if (predicate.ranges.every((range) => range.point)) return predicate.ranges.length
  return limits.intervals + (predicate.group?.op === 'elemMatchValue' ? 0 : 1)
}

/** The key ranges of the index: the product of the ranges of its components, in ascending order. */
function intervalsOf(index: Index, components: readonly Component[]): Interval[] {
  let intervals: Interval[] = [{ ...allKeys, prefix: 0 }]
  for (const [i, component] of components.entries()) {
    const down = index.key[i]![1] < 0
    const ranges = down ? component.ranges.map(descending).reverse() : component.ranges
    intervals = intervals.flatMap((outer) =>
      ranges.map((range) => {
        const prefix = outer.low.subarray(0, outer.prefix)
        const low = concat(prefix, range.low)
        const high = concat(prefix, range.high)
        return { low, high, point: range.point, prefix: range.point ? low.length : outer.prefix }
      }),
    )
  }
  return intervals
}

type Order = { readonly backward: boolean; readonly merge: boolean }

/** How reading the index gives the sort: in which direction, and whether intervals must be merged. Undefined if it does not. */
function sortOrder(index: Index, components: readonly Component[], sort: Document): Order | undefined {
  const constants = new Set(index.key.filter((_, i) => components[i]?.constant === true).map(([path]) => path))
  let at = 0
  let merge = false
  let backward: boolean | undefined
  for (const [path, wanted] of Object.entries(sort)) {
    if (typeof wanted === 'object' && wanted !== null && '$meta' in wanted) return undefined
    if (constants.has(path)) continue
    while (at < index.key.length && index.key[at]![0] !== path) {
      const component = components[at]
      if (component === undefined || !component.points) return undefined
      if (component.ranges.length > 1) {
        if (backward !== undefined) return undefined
        merge = true
      }
      at++
    }
    if (at >= index.key.length || index.multikey[at] === true) return undefined
    const opposite = Number(wanted) < 0 !== index.key[at]![1] < 0
    if (backward !== undefined && backward !== opposite) return undefined
    backward = opposite
    at++
  }
  return { backward: backward ?? false, merge }
}

function unionPlan(collection: Collection, conditions: readonly FilterNode[]): UnionPlan | undefined {
  for (const condition of conditions) {
    if (condition.op !== 'or') continue
    const others = conditions.filter((other) => other !== condition)
    const branches: IndexPlan[] = []
    for (const node of condition.nodes) {
      const best = bestIndex(collection, [...conjuncts(node), ...others], undefined)
      if (best === undefined) break
      branches.push(best.plan)
    }
    if (branches.length === condition.nodes.length) return { kind: 'union', branches, exact: false, sorted: false }
  }
  return undefined
}

function outranks(a: readonly number[], b: readonly number[]): boolean {
  for (const [i, mine] of a.entries()) {
    const theirs = b[i]!
    if (mine !== theirs) return mine > theirs
  }
  return false
}
