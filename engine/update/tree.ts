/**
 * Arranges the paths of an update in one tree, and applies it to documents.
 *
 * Invariants
 * - The input document is never changed. Only the parts on a changed path are copied.
 * - A value that does not change is returned as the same reference, so `!==` means "modified".
 * - Fields are applied in mongod's order, which is the order in which new fields are appended: names as UTF-8 text, array
 *   positions as numbers.
 */
import { compareText } from '../bson/compare.ts'
import { copyDocument, type Document, isDocument, newDocument, typeName, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import type { Matcher } from '../match/compile.ts'
import { arrayIndex } from '../match/path.ts'

/** The inputs of one application of an update. */
export type Run = {
  readonly root: Document
  readonly now: Date
  readonly positional: number | undefined
}

/** An operator at the end of its path. */
export type Leaf = {
  readonly operator: string
  readonly path: string
  /** Returns the new value: the same reference if nothing changes, undefined to remove the field or leave it missing. */
  readonly apply: (current: Value | undefined, run: Run) => Value | undefined
  /** Whether a path that cannot be followed is ignored, as for `$unset`. */
  readonly tolerant?: boolean
  /** Whether the operator has nothing to do in this run, so that its path need not be viable: `$rename`. */
  readonly idle?: (run: Run) => boolean
}

export type Branch = {
  readonly fields: Map<string, Node>
  positional: Node | undefined
  each: Node | undefined
  readonly filtered: Map<string, Node>
}

export type Node = { readonly leaf: Leaf } | Branch

/** The compiled `arrayFilters` by identifier, each a test of array elements. */
export type ElementFilters = ReadonlyMap<string, Matcher>

export function newBranch(): Branch {
  return { fields: new Map(), positional: undefined, each: undefined, filtered: new Map() }
}

/** Adds an operator at `parts`. Fails with ConflictingUpdateOperators if another is at, above or below that path. */
export function addLeaf(root: Branch, parts: readonly string[], leaf: Leaf): void {
  let branch = root
  for (const [index, part] of parts.entries()) {
    if (isArrayPart(part) ? branch.fields.size > 0 || branch.positional : branch.each || branch.filtered.size > 0) {
      throw conflict(leaf.path, parts.slice(0, index).join('.'))
    }
    const child = childAt(branch, part)
    const last = index === parts.length - 1
    if (child !== undefined && (last || 'leaf' in child)) throw conflict(leaf.path, parts.slice(0, index + 1).join('.'))
    const next = last ? { leaf } : (child ?? newBranch())
    if (child === undefined) setChild(branch, part, next)
    if (!('leaf' in next)) branch = next
  }
}

function conflict(path: string, at: string): EngineError {
  return new EngineError('ConflictingUpdateOperators', `Updating the path '${path}' would create a conflict at '${at}'`)
}

function isArrayPart(part: string): boolean {
  return part.startsWith('$[')
}

/** The identifier of `$[id]`; '' for `$[]`. */
export function identifierOf(part: string): string {
  return part.slice(2, -1)
}

function childAt(branch: Branch, part: string): Node | undefined {
  if (part === '$') return branch.positional
  if (part === '$[]') return branch.each
  return isArrayPart(part) ? branch.filtered.get(identifierOf(part)) : branch.fields.get(part)
}

function setChild(branch: Branch, part: string, node: Node): void {
  if (part === '$') branch.positional = node
  else if (part === '$[]') branch.each = node
  else if (isArrayPart(part)) branch.filtered.set(identifierOf(part), node)
  else branch.fields.set(part, node)
}

/** Sorts the fields of every branch in the order of application. */
export function sortFields(node: Node): void {
  if ('leaf' in node) return
  const sorted = [...node.fields].sort(([a], [b]) => compareNames(a, b))
  node.fields.clear()
  for (const [name, child] of sorted) node.fields.set(name, child)
  for (const child of childrenOf(node)) sortFields(child)
}

function compareNames(a: string, b: string): number {
  if (/^\d+$/.test(a) && /^\d+$/.test(b)) {
    const difference = BigInt(a) - BigInt(b)
    if (difference !== 0n) return difference < 0n ? -1 : 1
  }
  return compareText(a, b)
}

export function* childrenOf(branch: Branch): Generator<Node> {
  yield* branch.fields.values()
  yield* branch.filtered.values()
  if (branch.positional) yield branch.positional
  if (branch.each) yield branch.each
}

/** Compiles the tree and its array filters to a function that applies them. The input document is not changed. */
export function compileTree(root: Branch, filters: ElementFilters): (doc: Document, run: Run) => Document {
  sortFields(root)
  return (doc, run) => applyToDocument(root, doc, run, filters)
}

function applyNode(
  node: Node,
  current: Value | undefined,
  run: Run,
  filters: ElementFilters,
  name: string,
): Value | undefined {
  if ('leaf' in node) return node.leaf.apply(current, run)
  if (node.each !== undefined || node.filtered.size > 0) return applyToElements(node, current, run, filters, name)
  if (isDocument(current)) return applyToDocument(node, current, run, filters)
  if (Array.isArray(current)) return applyToArray(node, current, run, filters, name)
  if (current !== undefined) {
    refuseBlocked(node, current, run, name)
    return current
  }
  const empty = newDocument()
  const created = applyToDocument(node, empty, run, filters)
  return created === empty ? undefined : created
}

function applyToDocument(branch: Branch, doc: Document, run: Run, filters: ElementFilters): Document {
  let result = doc
  let removed: Set<string> | undefined
  for (const [name, child] of fieldsOf(branch, run)) {
    const before = doc[name]
    const after = applyNode(child, before, run, filters, name)
    if (after === before) continue
    if (after === undefined) {
      removed ??= new Set()
      removed.add(name)
      continue
    }
    if (result === doc) result = copyDocument(doc)
    result[name] = after
  }
  return removed === undefined ? result : without(result, removed)
}

function without(doc: Document, removed: ReadonlySet<string>): Document {
  const rest = newDocument()
  for (const name in doc) if (!removed.has(name)) rest[name] = doc[name]!
  return rest
}

/** The fields of a branch, with the positional `$` replaced by the index of the element that matched. */
function fieldsOf(branch: Branch, run: Run): Iterable<[string, Node]> {
  if (branch.positional === undefined) return branch.fields
  if (run.positional === undefined) throw noMatch()
  const name = String(run.positional)
  const named = branch.fields.get(name)
  const fields = new Map(branch.fields)
  fields.set(name, named === undefined ? branch.positional : mergeNodes(named, branch.positional, name))
  return [...fields].sort(([a], [b]) => compareNames(a, b))
}

function noMatch(): EngineError {
  return new EngineError('BadValue', 'The positional operator did not find the match needed from the query.')
}

function applyToArray(branch: Branch, items: Value[], run: Run, filters: ElementFilters, name: string): Value[] {
  let result = items
  for (const [field, child] of fieldsOf(branch, run)) {
    const index = arrayIndex(field)
    if (index === undefined) {
      refuseBlocked(child, items, run, name, field)
      continue
    }
    const before = items[index]
    const after = applyNode(child, before, run, filters, field)
    if (after === before) continue
    if (result === items) result = [...items]
    setElement(result, index, after ?? null, field)
  }
  return result
}

/** How many nulls one update may insert between the end of an array and a new element, as in mongod. */
const paddingMax = 1_500_000

function setElement(items: Value[], index: number, value: Value, field: string): void {
  if (index - items.length > paddingMax) {
    throw new EngineError('CannotBackfillArray', `can't backfill more than ${paddingMax} elements to reach '${field}'`)
  }
  while (items.length < index) items.push(null)
  items[index] = value
}

/** Applies `$[]` and `$[id]` to every element that at least one of them selects. If several do, their trees must not conflict. */
function applyToElements(
  branch: Branch,
  current: Value | undefined,
  run: Run,
  filters: ElementFilters,
  name: string,
): Value[] {
  if (current === undefined) {
    throw new EngineError('BadValue', `The path '${name}' must exist in the document in order to apply array updates.`)
  }
  if (!Array.isArray(current)) {
    throw new EngineError(
      'BadValue',
      `Cannot apply array updates to non-array element ${name} of type ${typeName(current)}`,
    )
  }
  let result = current
  for (const [index, item] of current.entries()) {
    let node = branch.each
    for (const [identifier, child] of branch.filtered) {
      const subject = newDocument()
      subject[identifier] = item
      if (!filters.get(identifier)!.matches(subject)) continue
      node = node === undefined ? child : mergeNodes(node, child, `${name}.${index}`)
    }
    if (node === undefined) continue
    const after = applyNode(node, item, run, filters, String(index))
    if (after === item) continue
    if (result === current) result = [...current]
    result[index] = after ?? null
  }
  return result
}

function mergeNodes(a: Node, b: Node, at: string): Node {
  if ('leaf' in a || 'leaf' in b) {
    throw new EngineError('ConflictingUpdateOperators', `Update created a conflict at '${at}'`)
  }
  const merged = newBranch()
  for (const branch of [a, b]) {
    for (const [name, child] of branch.fields) {
      const known = merged.fields.get(name)
      merged.fields.set(name, known === undefined ? child : mergeNodes(known, child, `${at}.${name}`))
    }
    for (const [name, child] of branch.filtered) {
      const known = merged.filtered.get(name)
      merged.filtered.set(name, known === undefined ? child : mergeNodes(known, child, `${at}.$[${name}]`))
    }
    for (const part of ['positional', 'each'] as const) {
      const child = branch[part]
      const known = merged[part]
      if (child) merged[part] = known === undefined ? child : mergeNodes(known, child, at)
    }
  }
  sortFields(merged)
  return merged
}

function refuseBlocked(node: Node, current: Value, run: Run, name: string, field?: string): void {
  if ('leaf' in node) {
    if (node.leaf.tolerant || node.leaf.idle?.(run)) return
    throw new EngineError(
      'PathNotViable',
      `Cannot create field '${field ?? node.leaf.path.split('.').at(-1)}' in element {${name}: ${typeName(current)}}`,
    )
  }
  if (node.positional !== undefined && run.positional === undefined) throw noMatch()
  for (const child of childrenOf(node)) refuseBlocked(child, current, run, name, field)
}
