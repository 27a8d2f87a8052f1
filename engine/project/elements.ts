/** Projects parts of arrays in a find: `$slice`, `$elemMatch` and the positional `$`. */
import { copyDocument, type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { isNumber, toInteger } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import { compileFilter } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import type { Entry } from './shape.ts'

export type Slice = { readonly parts: readonly string[]; readonly cut: (items: readonly Value[]) => Value[] }

/** Whether `$slice` has the arguments of the find projection, not those of the expression. */
export function isFindSlice(argument: Value): boolean {
  return isNumber(argument) || (Array.isArray(argument) && argument.length === 2 && argument.every(isNumber))
}

/** `$slice: n`, or `$slice: [skip, limit]` with a positive limit. */
export function sliceOf(parts: readonly string[], argument: Value): Slice {
  if (isNumber(argument)) {
    const count = wholeNumber(argument)
    return { parts, cut: (items) => (count >= 0 ? items.slice(0, count) : items.slice(count)) }
  }
  const [skip, limit] = argument as [Value, Value]
  const from = wholeNumber(skip)
  const count = wholeNumber(limit)
  if (count <= 0) throw new EngineError(28724, '$slice limit must be positive')
  return {
    parts,
    cut: (items) => {
      const start = from < 0 ? Math.max(items.length + from, 0) : from
      return items.slice(start, start + count)
    },
  }
}

function wholeNumber(value: Value): number {
  const integer = isNumber(value) ? toInteger(value) : undefined
  if (integer === undefined) throw new EngineError(28724, '$slice takes integers')
  return Number(integer)
}

/** The document with the array at the path of the slice cut, also inside arrays of documents. */
export function sliceAt(doc: Document, slice: Slice): Document {
  return rebuilt(doc, slice.parts, 0, slice.cut) as Document
}

function rebuilt(value: Value, parts: readonly string[], at: number, cut: (items: readonly Value[]) => Value[]): Value {
  if (at === parts.length) return Array.isArray(value) ? cut(value) : value
  if (Array.isArray(value)) return value.map((item) => (isDocument(item) ? rebuilt(item, parts, at, cut) : item))
  if (!isDocument(value)) return value
  const inner = value[parts[at]!]
  if (inner === undefined) return value
  const copy = copyDocument(value)
  copy[parts[at]!] = rebuilt(inner, parts, at + 1, cut)
  return copy
}

/** `{ a: { $elemMatch: ... } }`: an array of the first element that matches; no field if none does. */
export function elemMatchEntry(field: string, value: Document): Entry {
  const { positional } = compileFilter(parseFilter(documentOf({ [field]: value }), 'part'))
  return {
    evaluate: ({ root }) => {
      const index = positional(root)
      const items = root[field]
      return index === undefined || !Array.isArray(items) ? undefined : [items[index]!]
    },
  }
}

/** The document with the array at `parts` cut to the element that the filter matched. Fails with code 51246 if there is none. */
export function cutElement(doc: Document, parts: readonly string[], index: number | undefined): Document {
  return rebuilt(doc, parts, 0, (items) => {
    const item = index === undefined ? undefined : items[index]
    if (item === undefined) {
      throw new EngineError(
        51246,
        "Executor error during find command: positional operator '.$' couldn't find a matching element in the array",
      )
    }
    return [item]
  }) as Document
}
