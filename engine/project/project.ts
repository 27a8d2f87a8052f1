/** Compiles the projections of find and findAndModify, and `$project`. */
import { compileExpression, expressionNames } from '../aggregate/expression.ts'
import { fieldPath } from '../aggregate/fieldPath.ts'
import { type Constants, type Context, constantsAt } from '../aggregate/scope.ts'
import { type Document, firstField, isDocument, typeName, type Value } from '../bson/document.ts'
import { isNumber, isTruthy } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import type { Matcher } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import { cutElement, elemMatchEntry, isFindSlice, type Slice, sliceAt, sliceOf } from './elements.ts'
import { addEntry, type Entry, excludeFields, includeFields, newShape, type Shape } from './shape.ts'

/** A parsed projection. While it is parsed, `mode` is undefined until a field decides whether fields are kept or dropped. */
type Parsed = {
  readonly names: Constants
  readonly forFind: boolean
  readonly entries: { readonly parts: readonly string[]; readonly entry: Entry }[]
  readonly slices: Slice[]
  /** The path of a positional projection `a.$`. */
  positional: readonly string[] | undefined
  elemMatch: boolean
  id: boolean | undefined
  mode: 'keep' | 'drop' | undefined
}

/** The filter by which the projected documents were found. */
export type Found = { readonly filter: Document; readonly matcher: Matcher }

/**
 * Compiles the projection of a find. `found` is needed for the positional `$`; `names` are the `$$` variables. An empty projection
 * returns the document unchanged. Fails with mongod's codes: 31253 and 31254 for a mixture of inclusion and exclusion, 31249 and
 * 31250 for colliding paths, and others.
 */
export function compileProjection(
  spec: Document,
  found?: Found,
  names: Constants = constantsAt(new Date()),
): (doc: Document) => Document {
  if (firstField(spec) === undefined) return (doc) => doc
  const parsed = parse(spec, true, names)
  const shaped = compileShape(parsed)
  const { positional, slices } = parsed
  if (positional !== undefined) {
    if (found === undefined) throw new EngineError(51050, 'Projections with a positional operator require a matcher')
    // Refuses operators that a filter must not have beside a positional projection, such as `$expr`.
    parseFilter(found.filter, 'part')
  }
  return (doc) => {
    let result = shaped(doc)
    if (positional !== undefined) result = cutElement(result, positional, found!.matcher.positional(doc))
    for (const slice of slices) result = sliceAt(result, slice)
    return result
  }
}

/** Compiles the argument of `$project`. */
export function compileProject(spec: Document, names: Constants): (doc: Document) => Document {
  if (firstField(spec) === undefined)
    throw new EngineError(51272, 'projection specification must have at least one field')
  return compileShape(parse(spec, false, names))
}

function compileShape(parsed: Parsed): (doc: Document) => Document {
  const mode = parsed.mode ?? (parsed.id === true ? 'keep' : 'drop')
  const shape = newShape()
  const hasId = parsed.entries.some(({ parts }) => parts[0] === '_id')
  if (mode === 'keep' && parsed.id !== false && !hasId) shape.fields.set('_id', 'keep')
  if (mode === 'drop' && parsed.id === false) shape.fields.set('_id', 'drop')
  for (const { parts, entry } of parsed.entries) addEntry(shape, parts, entry)
  for (const { parts } of mode === 'keep' ? parsed.slices : []) addEntry(shape, parts, 'keep')
  return mode === 'keep' ? keeper(shape) : (doc) => excludeFields(shape, doc)
}

function keeper(shape: Shape): (doc: Document) => Document {
  return (doc) => {
    const context: Context = { root: doc, bound: undefined }
    return includeFields(shape, doc, context)
  }
}

function parse(spec: Document, forFind: boolean, names: Constants): Parsed {
  const parsed: Parsed = {
    names,
    forFind,
    entries: [],
    slices: [],
    positional: undefined,
    elemMatch: false,
    id: undefined,
    mode: undefined,
  }
  for (const field in spec) parseField(parsed, [], field, spec[field]!)
  return parsed
}

function parseField(parsed: Parsed, parents: readonly string[], field: string, value: Value): void {
  const isPositional = field.endsWith('.$')
  if (isPositional && !parsed.forFind)
    throw new EngineError(31324, 'Cannot use positional projection in aggregation projection')
  if (field.includes('.$.'))
    throw new EngineError(31394, 'a positional projection may only be used at the end of a path, for example: a.b.$')
  if (isPositional) {
    parsePositional(parsed, parents, field, value)
    return
  }
  const parts = [...parents, ...fieldPath(field)]
  if (isNumber(value) || typeof value === 'boolean') parseFlag(parsed, parts, isTruthy(value))
  else if (isDocument(value)) parseDocument(parsed, parts, value)
  else addComputed(parsed, parts, value)
}

function parseFlag(parsed: Parsed, parts: readonly string[], keep: boolean): void {
  if (parts.length === 1 && parts[0] === '_id') {
    parsed.id = keep
    return
  }
  setMode(parsed, keep ? 'keep' : 'drop', parts)
  parsed.entries.push({ parts, entry: keep ? 'keep' : 'drop' })
}

function setMode(parsed: Parsed, mode: 'keep' | 'drop', parts: readonly string[]): void {
  if (parsed.mode !== undefined && parsed.mode !== mode) {
    const path = parts.join('.')
    if (mode === 'keep') throw new EngineError(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
    throw new EngineError(31254, `Cannot do exclusion on field ${path} in inclusion projection`)
  }
  parsed.mode = mode
}

function addComputed(parsed: Parsed, parts: readonly string[], expression: Value): void {
  if (parsed.mode === 'drop') {
    if (!isDocument(expression)) throw new EngineError(31310, 'Cannot use a value in an exclusion projection')
    throw new EngineError(31252, 'Cannot use expression other than $meta in exclusion projection')
  }
  parsed.mode = 'keep'
  parsed.entries.push({ parts, entry: { evaluate: compileExpression(expression, parsed.names) } })
}

function parseDocument(parsed: Parsed, parts: readonly string[], value: Document): void {
  const operator = firstField(value)
  if (operator === undefined) {
    throw new EngineError(
      51270,
      `An empty sub-projection is not a valid value. Found empty object at path ${parts.join('.')}`,
    )
  }
  // A document with several operators is parsed as fields, whose names are then refused.
  if (!operator.startsWith('$') || Object.keys(value).length > 1) {
    for (const field in value) parseField(parsed, parts, field, value[field]!)
    return
  }
  if (operator === '$meta') throw new EngineError('BadValue', '$meta is not supported by the embedded engine')
  if (parsed.forFind && operator === '$slice' && isFindSlice(value.$slice!))
    parsed.slices.push(sliceOf(parts, value.$slice!))
  else if (operator === '$elemMatch') parseElemMatch(parsed, parts, value)
  else if (!expressionNames.includes(operator)) throw new EngineError(31325, `Unknown expression ${operator}`)
  else addComputed(parsed, parts, value)
}

function parseElemMatch(parsed: Parsed, parts: readonly string[], value: Document): void {
  if (!parsed.forFind) throw new EngineError('InvalidPipelineOperator', 'Cannot use $elemMatch in this context')
  if (!isDocument(value.$elemMatch))
    throw new EngineError(31274, `elemMatch: Invalid argument, object required, but got ${typeName(value.$elemMatch)}`)
  if (parts.length > 1) throw new EngineError(31275, 'Cannot use $elemMatch projection on a nested field.')
  if (parsed.positional) throw new EngineError(31255, 'Cannot specify positional operator and $elemMatch.')
  setMode(parsed, 'keep', parts)
  parsed.elemMatch = true
  parsed.entries.push({ parts, entry: elemMatchEntry(parts[0]!, value) })
}

function parsePositional(parsed: Parsed, parents: readonly string[], field: string, value: Value): void {
  if (isDocument(value))
    throw new EngineError(31271, 'positional projection cannot be used with an expression or sub object')
  if (!isNumber(value) && typeof value !== 'boolean')
    throw new EngineError(31308, 'positional projection cannot be used with a literal')
  if (!isTruthy(value)) throw new EngineError(31395, 'positional projection cannot be used with exclusion')
  if (parsed.positional) throw new EngineError(31276, 'Cannot specify more than one positional projection per query.')
  if (parsed.elemMatch) throw new EngineError(31256, 'Cannot specify positional operator and $elemMatch.')
  if (field === '.$') throw new EngineError(5392900, `Projection on field ${field} is invalid`)
  const parts = [...parents, ...fieldPath(field.slice(0, -2))]
  setMode(parsed, 'keep', parts)
  parsed.positional = parts
  parsed.entries.push({ parts, entry: 'keep' })
}
