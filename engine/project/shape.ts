/** Trees of fields to keep, drop or compute, and their application: for `$project`, `$addFields` and find. */

import type { Context, Evaluate } from '../aggregate/scope.ts'
import { copyDocument, type Document, isDocument, newDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'

export type Entry = 'keep' | 'drop' | { readonly evaluate: Evaluate } | Shape

/** `computes` means that there is an expression somewhere below, so that missing documents on its path are created. */
export type Shape = { readonly fields: Map<string, Entry>; computes: boolean }

export function newShape(): Shape {
  return { fields: new Map(), computes: false }
}

/** Adds an entry. Fails with 31250 if there is one at or below the path, with 31249 if there is one above. */
export function addEntry(root: Shape, parts: readonly string[], entry: Entry): void {
  let shape = root
  for (const [index, part] of parts.entries()) {
    if (isComputed(entry)) shape.computes = true
    const child = shape.fields.get(part)
    const last = index === parts.length - 1
    if (child !== undefined && (last || !isShape(child))) throw collision(parts, index)
    if (last) {
      shape.fields.set(part, entry)
      return
    }
    const next = child ?? newShape()
    shape.fields.set(part, next)
    shape = next as Shape
  }
}

function collision(parts: readonly string[], index: number): EngineError {
  const rest = parts.slice(index + 1).join('.')
  if (rest === '') return new EngineError(31250, `Path collision at ${parts.join('.')}`)
  return new EngineError(31249, `Path collision at ${parts.join('.')} remaining portion ${rest}`)
}

export function isShape(entry: Entry): entry is Shape {
  return typeof entry === 'object' && 'fields' in entry
}

function isComputed(entry: Entry): entry is { readonly evaluate: Evaluate } {
  return typeof entry === 'object' && 'evaluate' in entry
}

/** The included fields, in the order of the document, then the computed ones, in the order of the projection. */
export function includeFields(shape: Shape, doc: Document, context: Context): Document {
  const result = newDocument()
  for (const field in doc) {
    const entry = shape.fields.get(field)
    if (entry === 'keep') result[field] = doc[field]!
    else if (entry !== undefined && entry !== 'drop' && isShape(entry)) {
      const inner = includeValue(entry, doc[field]!, context)
      if (inner !== undefined) result[field] = inner
    }
  }
  if (!shape.computes) return result
  for (const [field, entry] of shape.fields) {
    if (isComputed(entry)) {
      const value = entry.evaluate(context)
      if (value !== undefined) result[field] = value
    } else if (isShape(entry) && entry.computes && doc[field] === undefined) {
      result[field] = includeFields(entry, newDocument(), context)
    }
  }
  return result
}

function includeValue(shape: Shape, value: Value, context: Context): Value | undefined {
  if (isDocument(value)) return includeFields(shape, value, context)
  if (Array.isArray(value)) {
    return value.map((item) => includeValue(shape, item, context)).filter((item) => item !== undefined)
  }
  return shape.computes ? includeFields(shape, newDocument(), context) : undefined
}

/** All fields except the excluded ones. */
export function excludeFields(shape: Shape, doc: Document): Document {
  const result = newDocument()
  for (const field in doc) {
    const entry = shape.fields.get(field)
    if (entry === 'drop') continue
    result[field] = entry !== undefined && isShape(entry) ? excludeValue(entry, doc[field]!) : doc[field]!
  }
  return result
}

function excludeValue(shape: Shape, value: Value): Value {
  if (isDocument(value)) return excludeFields(shape, value)
  return Array.isArray(value) ? value.map((item) => excludeValue(shape, item)) : value
}

/** The document with fields set to the results of their expressions; a missing result removes the field. */
export function addFields(shape: Shape, doc: Document, context: Context): Document {
  const result = copyDocument(doc)
  let removed = false
  for (const [field, entry] of shape.fields) {
    const value = isComputed(entry) ? entry.evaluate(context) : addToValue(entry as Shape, doc[field], context)
    if (value !== undefined) result[field] = value
    else if (result[field] !== undefined) {
      delete result[field]
      removed = true
    }
  }
  return removed ? copyDocument(result) : result
}

function addToValue(shape: Shape, value: Value | undefined, context: Context): Value {
  if (isDocument(value)) return addFields(shape, value, context)
  if (Array.isArray(value)) return value.map((item) => addToValue(shape, item, context))
  return addFields(shape, newDocument(), context)
}
