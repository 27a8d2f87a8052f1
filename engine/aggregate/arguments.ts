/** Reads the arguments of operators: by position, or by name in a document. */
import { type Document, isDocument, typeName, type Value } from '../bson/document.ts'
import { isNumber, type NumberValue, toInteger } from '../bson/number.ts'
import { EngineError } from '../errors.ts'
import type { Evaluate, Operator } from './scope.ts'

type Values = readonly (Value | undefined)[]

/** An operator with `min` to `max` positional arguments, all evaluated. A single argument need not be in an array. */
export function positional(min: number, max: number, apply: (values: Values) => Value | undefined): Operator {
  return (argument, compile, name) => {
    const parts = positionalParts(argument, min, max, name).map((part) => compile(part))
    const [first, second] = parts
    if (parts.length === 1) return (context) => apply([first!(context)])
    if (parts.length === 2) return (context) => apply([first!(context), second!(context)])
    return (context) => apply(parts.map((part) => part(context)))
  }
}

/** The arguments as written. Fails with 16020 or 28667 for a wrong number. */
export function positionalParts(argument: Value, min: number, max: number, name: string): readonly Value[] {
  const parts = Array.isArray(argument) ? argument : [argument]
  if (parts.length >= min && parts.length <= max) return parts
  const code = min === max ? 16020 : 28667
  const expected = min === max ? `exactly ${min}` : `at least ${min} arguments, and at most ${max}`
  throw new EngineError(code, `Expression ${name} takes ${expected} arguments. ${parts.length} were passed in.`)
}

/** mongod's error codes for named arguments that are not an object, an unknown one, and each required one that is missing. */
type ArgumentCodes = {
  readonly notObject: number
  readonly unknown: number
  readonly missing: Readonly<Record<string, number>>
}

/** Arguments by name. Each name must be in `optional` or `codes.missing`, and all of the latter must be present. */
export function namedParts(argument: Value, name: string, optional: readonly string[], codes: ArgumentCodes): Document {
  const { notObject, unknown, missing } = codes
  if (!isDocument(argument)) throw new EngineError(notObject, `${name} only supports an object as its argument`)
  for (const field in argument) {
    if (!Object.hasOwn(missing, field) && !optional.includes(field))
      throw new EngineError(unknown, `Unrecognized parameter to ${name}: ${field}`)
  }
  for (const field of Object.keys(missing))
    if (argument[field] === undefined) throw new EngineError(missing[field]!, `Missing '${field}' parameter to ${name}`)
  return argument
}

/** An operator that returns null if its argument is null or missing. */
export function nullable(apply: (value: Value) => Value | undefined): Operator {
  return positional(1, 1, ([value]) => (value === undefined || value === null ? null : apply(value)))
}

export function isNullish(value: Value | undefined): value is null | undefined {
  return value === undefined || value === null
}

export function needNumber(value: Value | undefined, name: string, code: number): NumberValue {
  if (isNumber(value)) return value
  throw new EngineError(code, `${name} only supports numeric types, not ${typeName(value)}`)
}

export function needArray(value: Value | undefined, name: string, code: number): Value[] {
  if (Array.isArray(value)) return value
  throw new EngineError(code, `${name} requires an array, found: ${typeName(value)}`)
}

export function needText(value: Value | undefined, name: string, code: number): string {
  if (typeof value === 'string') return value
  throw new EngineError(code, `${name} requires a string, found: ${typeName(value)}`)
}

/** An integer within int32, for positions and counts. */
export function needInt(value: Value | undefined, name: string, code: number): number {
  const integer = isNumber(value) ? toInteger(value) : undefined
  if (integer !== undefined && BigInt.asIntN(32, integer) === integer) return Number(integer)
  throw new EngineError(code, `${name} requires an integral value that fits int32, found: ${typeName(value)}`)
}

/** The compiled argument, undefined if it is not given. */
export function optionalPart(
  argument: Value | undefined,
  compile: (argument: Value) => Evaluate,
): Evaluate | undefined {
  return argument === undefined ? undefined : compile(argument)
}
