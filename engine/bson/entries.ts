/** Makes the entries that a document has in an index, as mongod's btree key generator does. */
import { EngineError } from '../errors.ts'
import { type Document, isDocument, type Value } from './document.ts'
import { emptyArray, encodeKey, type KeyPart } from './keys.ts'

export type IndexSpec = readonly (readonly [path: string, direction: 1 | -1])[]

export type IndexEntries = {
  /** One key per distinct combination, in no particular order; never empty. */
  readonly keys: Buffer[]
  /** For each component, whether an array was expanded for it. */
  readonly multikey: boolean[]
  /** Whether no component was present, so that a sparse index skips the document. */
  readonly allMissing: boolean
}

/** A component while its path is followed: its value is known, or `rest` remains to be followed from the current document. */
type Component = { readonly value: KeyPart; readonly rest: readonly string[] | undefined }

type Walk = {
  readonly multikey: boolean[]
  readonly emit: (parts: readonly KeyPart[]) => void
  found: boolean
}

/**
 * Compiles the function that makes the entries of one index. That function fails with CannotIndexParallelArrays if two components
 * lead through different arrays, and as `encodeKey` does.
 */
export function compileIndex(spec: IndexSpec): (doc: Document) => IndexEntries {
  const directions = spec.map(([, direction]) => direction)
  const components = spec.map(([path]) => ({ value: undefined, rest: path.split('.') }))
  return (doc) => {
    const keys: Buffer[] = []
    let seen: Set<string> | undefined
    const walk: Walk = {
      multikey: spec.map(() => false),
      found: false,
      emit: (parts) => {
        const key = encodeKey(parts, directions)
        if (keys.length > 0) {
          seen ??= new Set([keys[0]!.toString('latin1')])
          const text = key.toString('latin1')
          if (seen.has(text)) return
          seen.add(text)
        }
        keys.push(key)
      },
    }
    expand(doc, components, walk)
    return { keys, multikey: walk.multikey, allMissing: !walk.found }
  }
}

/** The entries of one document. For many documents, use `compileIndex`. */
export function indexKeys(doc: Document, spec: IndexSpec): IndexEntries {
  return compileIndex(spec)(doc)
}

/**
 * The values of a document in an index on these paths: one list for each entry, with repetitions, and null for a missing value.
 * Fails with CannotIndexParallelArrays.
 */
export function keyCombinations(doc: Document, paths: readonly (readonly string[])[]): KeyPart[][] {
  const found: KeyPart[][] = []
  const components = paths.map((rest) => ({ value: undefined, rest }))
  const emit = (parts: readonly KeyPart[]) => found.push(parts.map((part) => part ?? null))
  expand(doc, components, { multikey: paths.map(() => false), emit, found: false })
  return found
}

const arrayIndex = /^(0|[1-9]\d*)$/

type Step = { readonly component: Component; readonly array: readonly Value[] | undefined }

/** Follows every open component from `doc`. Those that reach the same array are expanded together. */
function expand(doc: Value, components: readonly Component[], walk: Walk): void {
  const steps = components.map((component) => follow(doc, component, walk))
  const array = steps.find((step) => step.array !== undefined)?.array
  if (array === undefined) {
    walk.emit(steps.map((step) => step.component.value))
    return
  }
  for (const [index, step] of steps.entries()) {
    if (step.array === undefined) continue
    walk.multikey[index] = true
    if (step.array !== array) throw new EngineError('CannotIndexParallelArrays', 'cannot index parallel arrays')
  }
  const items: readonly (Value | typeof emptyArray)[] = array.length === 0 ? [emptyArray] : array
  for (const item of items) {
    const inside = steps.map((step) => (step.array === undefined ? step.component : enterElement(step.component, item)))
    expand(item === emptyArray ? null : item, inside, walk)
  }
}

function enterElement(component: Component, item: KeyPart): Component {
  return component.rest!.length === 0 ? { value: item, rest: undefined } : component
}

/** Follows a path through documents until it ends, leads to nothing, or reaches an array to expand. */
function follow(from: Value, component: Component, walk: Walk): Step {
  if (component.rest === undefined) {
    if (component.value !== undefined) walk.found = true
    return { component, array: undefined }
  }
  let value: Value | undefined = from
  for (let index = 0; index < component.rest.length; index++) {
    const name = component.rest[index]!
    if (isDocument(value)) value = value[name]
    else if (Array.isArray(value) && index > 0) {
      // A numeric part selects the element at that position, and does not make the index multikey.
      if (!arrayIndex.test(name))
        return { component: { value: undefined, rest: component.rest.slice(index) }, array: value }
      value = value[Number(name)]
    } else value = undefined
  }
  if (value !== undefined) walk.found = true
  if (Array.isArray(value)) return { component: { value: undefined, rest: [] }, array: value }
  return { component: { value, rest: undefined }, array: undefined }
}
