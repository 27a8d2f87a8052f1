/** `$unwind`: one document per element of an array. */
import { Long } from 'bson'
import { copyDocument, type Document, documentOf, isDocument, type Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { fieldPath } from './fieldPath.ts'
import type { Transform } from './group.ts'

type Unwind = {
  readonly parts: readonly string[]
  readonly indexField: readonly string[] | undefined
  readonly keepsEmpty: boolean
}

/** Compiles `$unwind`. A value that is not an array counts as one element; null, missing and empty values are dropped unless preserved. */
export function compileUnwind(argument: Value): Transform {
  const unwind = parseUnwind(argument)
  return function* (input) {
    for (const doc of input) {
      if (doc === undefined) yield undefined
      else yield* unwound(doc, unwind)
    }
  }
}

function* unwound(doc: Document, { parts, indexField, keepsEmpty }: Unwind): Generator<Document> {
  const value = valueAt(doc, parts)
  const numbered = (result: Document, index: Value) =>
    indexField === undefined ? result : withValue(result, indexField, index)
  if (value === undefined || value === null || (Array.isArray(value) && value.length === 0)) {
    if (keepsEmpty) yield numbered(Array.isArray(value) ? withValue(doc, parts, undefined) : doc, null)
  } else if (!Array.isArray(value)) {
    yield numbered(doc, null)
  } else {
    for (const [index, item] of value.entries()) yield numbered(withValue(doc, parts, item), Long.fromNumber(index))
  }
}

function valueAt(doc: Document, parts: readonly string[]): Value | undefined {
  let value: Value | undefined = doc
  for (const part of parts) value = isDocument(value) ? value[part] : undefined
  return value
}

function withValue(doc: Document, parts: readonly string[], value: Value | undefined): Document {
  const [part, ...rest] = parts
  const result = copyDocument(doc)
  if (rest.length > 0) {
    const inner = doc[part!]
    result[part!] = withValue(isDocument(inner) ? inner : documentOf({}), rest, value)
    return result
  }
  if (value !== undefined) {
    result[part!] = value
    return result
  }
  delete result[part!]
  return copyDocument(result)
}

function parseUnwind(argument: Value): Unwind {
  if (typeof argument === 'string') return { parts: unwindPath(argument), indexField: undefined, keepsEmpty: false }
  if (!isDocument(argument))
    throw new EngineError(15981, 'expected either a string or an object as specification for $unwind stage')
  const { path, includeArrayIndex: indexField, preserveNullAndEmptyArrays: keepsEmpty } = argument
  for (const field in argument) {
    if (!['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(field)) {
      throw new EngineError(28811, `unrecognized option to $unwind stage: ${field}`)
    }
  }
  if (path === undefined) throw new EngineError(28812, 'no path specified to $unwind stage')
  if (typeof path !== 'string') throw new EngineError(28808, 'expected a string as the path for $unwind stage')
  if (keepsEmpty !== undefined && typeof keepsEmpty !== 'boolean') {
    throw new EngineError(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage')
  }
  if (indexField !== undefined && (typeof indexField !== 'string' || indexField === '')) {
    throw new EngineError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage')
  }
  if (indexField?.startsWith('$'))
    throw new EngineError(
      28822,
      `includeArrayIndex option to $unwind stage should not be prefixed with a '$': ${indexField}`,
    )
  return { parts: unwindPath(path), indexField: indexField?.split('.'), keepsEmpty: keepsEmpty ?? false }
}

function unwindPath(path: string): readonly string[] {
  if (!path.startsWith('$'))
    throw new EngineError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`)
  return fieldPath(path.slice(1))
}
