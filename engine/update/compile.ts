/** Compiles updates to closures: operators, whole-document replacements and pipelines. */
import { compileUpdatePipeline } from '../aggregate/reshape.ts'
import type { Constants } from '../aggregate/scope.ts'
import { equalValues, identicalValues } from '../bson/compare.ts'
import { type Document, firstField, isDocument, newDocument, typeName, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { arrayOperators } from './arrays.ts'
import { compileArrayFilters, parsePath } from './paths.ts'
import { renameLeaves } from './rename.ts'
import { scalarOperators } from './scalars.ts'
import { addLeaf, type Branch, compileTree, type ElementFilters, identifierOf, type Leaf, newBranch } from './tree.ts'

export type ApplyOptions = {
  /** The time of `$currentDate` and `$$NOW`. */
  readonly now: Date
  /** The index of the array element that matched the filter, for the positional `$` (Matcher.positional). */
  readonly positional?: number
  /** Whether an upsert is about to insert the document, so that `$setOnInsert` applies. */
  readonly inserting?: boolean
}

export type Update = {
  readonly kind: 'operators' | 'replacement' | 'pipeline'
  /** Whether the update uses the positional operator `$`. */
  readonly needsPositional: boolean
  /** The top-level fields that it reads and writes; undefined if it may be any. */
  readonly fields: ReadonlySet<string> | undefined
  /**
   * Returns the updated document; the input is not modified. `changed` is false if the stored document would stay the same.
   * Fails with mongod's code for the operator and value, and with ImmutableField if `_id` would change.
   */
  readonly apply: (doc: Document, options: ApplyOptions) => { readonly doc: Document; readonly changed: boolean }
}

/** All update operators; any other is refused (FailedToParse). */
export const updateOperatorNames: readonly string[] = [
  ...Object.keys(scalarOperators),
  ...Object.keys(arrayOperators),
  '$rename',
]

export type CompileOptions = {
  readonly arrayFilters?: readonly Document[]
  /** The variables of the command's `let`, for the pipeline form. */
  readonly names?: Constants
}

/** Compiles an update from its form in a command. Fails with FailedToParse, BadValue, ConflictingUpdateOperators and others. */
export function compileUpdate(
  update: Document | readonly Document[],
  { arrayFilters = [], names = new Map() }: CompileOptions = {},
): Update {
  if (!isOperators(update)) {
    if (arrayFilters.length > 0) {
      throw new EngineError(
        'FailedToParse',
        'arrayFilters may not be specified for pipeline-style updates or replacements',
      )
    }
    return isPipeline(update) ? pipelineUpdate(update, names) : replacementUpdate(update)
  }
  return operatorUpdate(update, compileArrayFilters(arrayFilters))
}

function isPipeline(update: Document | readonly Document[]): update is readonly Document[] {
  return Array.isArray(update)
}

function isOperators(update: Document | readonly Document[]): update is Document {
  return !isPipeline(update) && (firstField(update) ?? '').startsWith('$')
}

function replacementUpdate(replacement: Document): Update {
  for (const field in replacement) {
    if (!field.startsWith('$')) continue
    throw new EngineError(
      'DollarPrefixedFieldName',
      `The dollar ($) prefixed field '${field}' in '${field}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
    )
  }
  return {
    kind: 'replacement',
    needsPositional: false,
    fields: undefined,
    apply: (doc) => finish(doc, withId(replacement, doc._id)),
  }
}

function pipelineUpdate(stages: readonly Document[], names: Constants): Update {
  const run = compileUpdatePipeline(stages, names)
  return {
    kind: 'pipeline',
    needsPositional: false,
    fields: undefined,
    apply: (doc, { now }) => finish(doc, withId(run(doc, now), doc._id)),
  }
}

/** The document with `_id` first, which is taken from the old document if the new one has none. */
function withId(doc: Document, id: Value | undefined): Document {
  const kept = doc._id === undefined ? id : doc._id
  if (kept === undefined || (doc._id !== undefined && firstField(doc) === '_id')) return doc
  const result = newDocument()
  result._id = kept
  for (const field in doc) if (field !== '_id') result[field] = doc[field]!
  return result
}

function finish(before: Document, after: Document): { readonly doc: Document; readonly changed: boolean } {
  checkId(before, after)
  return identicalValues(before, after) ? { doc: before, changed: false } : { doc: after, changed: true }
}

function checkId(before: Document, after: Document): void {
  if (before._id === undefined || before._id === after._id || equalValues(before._id, after._id)) return
  if (after._id === undefined) {
    throw new EngineError(
      'ImmutableField',
      "Performing an update on the path '_id' would modify the immutable field '_id'",
    )
  }
  throw new EngineError(
    'ImmutableField',
    "After applying the update, the (immutable) field '_id' was found to have been altered",
  )
}

type PlacedLeaf = { readonly parts: readonly string[]; readonly leaf: Leaf }

function operatorUpdate(update: Document, filters: ElementFilters): Update {
  const leaves = Object.keys(update).flatMap((operator) => parseOperator(operator, update[operator]!))
  checkIdentifiers(leaves, filters)
  const needsPositional = leaves.some(({ parts }) => parts.includes('$'))
  const inserting = compileTree(treeOf(leaves), filters)
  const ofUpdates = leaves.filter(({ leaf }) => leaf.operator !== '$setOnInsert')
  const updating = ofUpdates.length === leaves.length ? inserting : compileTree(treeOf(ofUpdates), filters)
  return {
    kind: 'operators',
    needsPositional,
    fields: new Set(leaves.map(({ parts }) => parts[0]!)),
    apply: (doc, options) => {
      const run = { root: doc, now: options.now, positional: options.positional }
      const result = (options.inserting ? inserting : updating)(doc, run)
      if (result === doc) return { doc, changed: false }
      checkId(doc, result)
      return { doc: result, changed: true }
    },
  }
}

function treeOf(leaves: readonly PlacedLeaf[]): Branch {
  const root = newBranch()
  for (const { parts, leaf } of leaves) addLeaf(root, parts, leaf)
  return root
}

function parseOperator(operator: string, fields: Value): readonly PlacedLeaf[] {
  const make = Object.hasOwn(scalarOperators, operator)
    ? scalarOperators[operator]
    : Object.hasOwn(arrayOperators, operator)
      ? arrayOperators[operator]
      : undefined
  if (make === undefined && operator !== '$rename') {
    throw new EngineError(
      'FailedToParse',
      `Unknown modifier: ${operator}. Expected a valid update modifier or pipeline-style update specified as an array`,
    )
  }
  if (!isDocument(fields)) {
    throw new EngineError(
      'FailedToParse',
      `Modifiers operate on fields but we found type ${typeName(fields)} instead. For example: {$mod: {<field>: ...}} not {${operator}: ...}`,
    )
  }
  return Object.keys(fields).flatMap((path) => {
    if (make === undefined) return renameLeaves(path, fields[path]!)
    return [{ parts: parsePath(path), leaf: make(path, fields[path]!) }]
  })
}

function checkIdentifiers(leaves: readonly PlacedLeaf[], filters: ElementFilters): void {
  const unused = new Set(filters.keys())
  for (const { parts, leaf } of leaves) {
    for (const part of parts) {
      if (!part.startsWith('$[') || part === '$[]') continue
      const identifier = identifierOf(part)
      if (!filters.has(identifier)) {
        throw new EngineError('BadValue', `No array filter found for identifier '${identifier}' in path '${leaf.path}'`)
      }
      unused.delete(identifier)
    }
  }
  for (const identifier of unused) {
    throw new EngineError('FailedToParse', `The array filter for identifier '${identifier}' was not used in the update`)
  }
}
