/** Document expressions. */
import { Int32 } from 'bson'
import {
  copyDocument,
  type Document,
  documentOf,
  isDocument,
  newDocument,
  typeName,
  type Value,
} from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import { isNullish, namedParts, needArray, nullable, positional } from './arguments.ts'
import type { Compile, Evaluate, Operator } from './scope.ts'

type Values = readonly (Value | undefined)[]

export const objectOperators: Readonly<Record<string, Operator>> = {
  $mergeObjects: positional(0, Infinity, (values) => mergeObjects(expandSingle(values))),
  $objectToArray: nullable((value) => {
    const doc = needDocument(value, '$objectToArray', 40390)
    return Object.keys(doc).map((field) => documentOf({ k: field, v: doc[field]! }))
  }),
  $arrayToObject: nullable((value) => arrayToObject(needArray(value, '$arrayToObject', 40386))),
  $getField: getField,
  $setField: setField(true),
  $unsetField: setField(false),
  $bsonSize: nullable((value) => new Int32(encode(needDocument(value, '$bsonSize', 31393)).length)),
}

function needDocument(value: Value | undefined, name: string, code: number): Document {
  if (isDocument(value)) return value
  throw new EngineError(code, `${name} requires a document input, found: ${typeName(value)}`)
}

function expandSingle(values: Values): Values {
  const [only] = values
  return values.length === 1 && Array.isArray(only) ? only : values
}

function mergeObjects(values: Values): Value {
  const result = newDocument()
  for (const value of values) {
    if (isNullish(value)) continue
    const doc = needDocument(value, '$mergeObjects', 40400)
    for (const field in doc) result[field] = doc[field]!
  }
  return result
}

/** Makes a document of `[{ k, v }, ...]` or `[[k, v], ...]`. */
function arrayToObject(items: readonly Value[]): Value {
  const result = newDocument()
  for (const item of items) {
    const [name, value] = pairOf(item)
    if (typeof name !== 'string')
      throw new EngineError(40394, `$arrayToObject requires keys of type string, found: ${typeName(name)}`)
    if (name.includes('\0')) throw new EngineError(4940401, 'Key field cannot contain an embedded null byte')
    result[name] = value!
  }
  return result
}

function pairOf(item: Value): readonly [Value | undefined, Value | undefined] {
  if (Array.isArray(item)) {
    if (item.length !== 2)
      throw new EngineError(
        40397,
        `$arrayToObject requires an array of size 2 arrays, found array of size: ${item.length}`,
      )
    return [item[0], item[1]]
  }
  if (!isDocument(item))
    throw new EngineError(40398, `Unrecognised input type format for $arrayToObject: ${typeName(item)}`)
  if (Object.keys(item).length !== 2) throw new EngineError(40392, '$arrayToObject requires an object keys of k and v')
  if (item.k === undefined || item.v === undefined)
    throw new EngineError(40393, "$arrayToObject requires an object with keys 'k' and 'v'")
  return [item.k, item.v]
}

const getFieldCodes = { notObject: 3041701, unknown: 3041701, missing: { field: 3041702 } }

function getField(argument: Value, compile: Compile, name: string): Evaluate {
  const isNamed = isDocument(argument) && !(Object.keys(argument)[0] ?? '').startsWith('$')
  const parts = isNamed ? namedParts(argument, name, ['input'], getFieldCodes) : documentOf({ field: argument })
  const field = constantName(parts.field!, name)
  const input = compile(parts.input ?? '$$CURRENT')
  return (context) => {
    const value = input(context)
    if (isDocument(value)) return value[field]
    return isNullish(value) ? value : undefined
  }
}

/** The name of a field, which must be a constant. `{ $literal: '$x' }` gives a name that looks like a path. */
function constantName(value: Value, name: string): string {
  const literal = isDocument(value) && Object.keys(value)[0] === '$literal' ? value.$literal : value
  if (typeof literal !== 'string') {
    throw new EngineError(
      5654602,
      `${name} requires 'field' to evaluate to a constant of type String, found ${typeName(literal)}`,
    )
  }
  if (literal === value && literal.startsWith('$')) {
    throw new EngineError(
      5654600,
      `A field path reference which is not a constant is not allowed in this context: '${literal}'`,
    )
  }
  return literal
}

const unsetFieldCodes = { notObject: 4161100, unknown: 4161101, missing: { field: 4161102, input: 4161109 } }
const setFieldCodes = { ...unsetFieldCodes, missing: { ...unsetFieldCodes.missing, value: 4161103 } }

function setField(withValue: boolean): Operator {
  return (argument, compile, name) => {
    const parts = namedParts(argument, name, [], withValue ? setFieldCodes : unsetFieldCodes)
    const field = constantName(parts.field!, name)
    const input = compile(parts.input!)
    const value = withValue ? compile(parts.value!) : () => undefined
    return (context) => {
      const target = input(context)
      if (isNullish(target)) return null
      const doc = needDocument(target, name, 4161105)
      const replacement = value(context)
      if (replacement === undefined) return without(doc, field)
      const result = copyDocument(doc)
      result[field] = replacement
      return result
    }
  }
}

function without(doc: Document, field: string): Document {
  const result = newDocument()
  for (const name in doc) if (name !== field) result[name] = doc[name]!
  return result
}
