/**
 * Schemas as they are listed to clients. A model pays for each word of an input schema, and clients in other languages compile its
 * regular expressions, so the listed schema is shorter than the validated one. A value that fits the listed schema but not the
 * validated one is refused with an explanation.
 */
import { formKeyword, type JsonSchema, timeKeyword, unlistedKeyword, untrustedKeyword } from '../schemas/infer.ts'

/**
 * Syntax that ECMAScript, Python's re and RE2 do not all support: Unicode properties, `\u`, back-references, and groups other than
 * plain ones.
 */
const unportable = /\\[pPuk1-9]|\(\?/
/** Keywords that are validated but not listed; refusals explain them in words. */
const untold: readonly string[] = [
  ...[formKeyword, timeKeyword, untrustedKeyword, 'examples', 'propertyNames', 'contentEncoding'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems', 'maxProperties', 'uniqueItems', 'minimum', 'maximum'],
]
/** The keywords that describe the shape of results, which is all that a reader needs. */
const shape: readonly string[] = ['type', 'properties', 'items', 'anyOf', 'const']

/** The schema of arguments, without keywords that only our validation needs. */
export function argumentSchema(schema: JsonSchema): JsonSchema {
  return { ...hoisted(compact(kept(withoutUnlisted(schema), isTold))), additionalProperties: false }
}

/** The schema of results: their shape, and `note` where it is a description. */
export function resultSchema(schema: JsonSchema, note: string): JsonSchema {
  const isShape = (keyword: string, value: unknown) => shape.includes(keyword) || value === note
  return hoisted(compact(kept(withoutUnlisted(schema), isShape)))
}

/** Whether clients in other languages can also read a pattern. */
export function isPortable(pattern: string): boolean {
  return !unportable.test(pattern)
}

function isTold(keyword: string, value: unknown): boolean {
  if (untold.includes(keyword) || value === false) return false
  return keyword !== 'pattern' || isPortable(String(value))
}

/** The schema without the forms of values, and the fields of objects, that are not listed. */
function withoutUnlisted(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = schema
  if (rest[unlistedKeyword] === true) return { type: 'object', description: rest.description }
  if (!Array.isArray(anyOf)) return changed(schema, withoutUnlisted)
  const listed = anyOf.filter((each) => each[unlistedKeyword] !== true)
  const [only, ...others] = listed.some(({ type }) => type !== 'null') ? listed : anyOf
  return changed({ ...(others.length === 0 ? only : { anyOf: [only, ...others] }), ...rest }, withoutUnlisted)
}

/**
 * Joins simple types into one list, `["string", "null"]`. If a value may also be a list of such values, the keywords of the value are
 * not repeated for the items.
 */
function compact(schema: JsonSchema): JsonSchema {
  const { anyOf, ...rest } = changed(schema, compact)
  if (!Array.isArray(anyOf)) return rest
  const [first, second, ...more] = anyOf as readonly JsonSchema[]
  if (more.length === 0 && typeof first?.type === 'string' && first.type !== 'object' && second?.type === 'null')
    return { ...first, ...rest, type: [first.type, 'null'] }
  if (more.length === 0 && second?.type === 'array' && JSON.stringify(second.items) === JSON.stringify(first))
    return { ...rest, anyOf: [first, { ...second, items: { type: first?.type } }] }
  const isSimple = anyOf.every((each) => typeof each.type === 'string' && Object.keys(each).length === 1)
  return isSimple ? { ...rest, type: anyOf.map(({ type }) => type) } : { ...rest, anyOf }
}

/** The schema with only those keywords, at every level, for which `isKept` returns true. */
function kept(schema: JsonSchema, isKept: (keyword: string, value: unknown) => boolean): JsonSchema {
  return changed(
    Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => isKept(keyword, value))),
    (each) => kept(each, isKept),
  )
}

/** The schema with `change` made to each schema directly within it. */
function changed(schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema {
  const within = ([keyword, value]: readonly [string, unknown]) => {
    if (keyword === 'properties' || keyword === '$defs') return [keyword, eachOf(value as Schemas, change)]
    if (Array.isArray(value) && keyword === 'anyOf') return [keyword, value.map(change)]
    return [keyword, isSchema(keyword, value) ? change(value as JsonSchema) : value]
  }
  return Object.fromEntries(Object.entries(schema).map(within))
}

type Schemas = { readonly [name: string]: JsonSchema }

const eachOf = (schemas: Schemas, change: (schema: JsonSchema) => JsonSchema): Schemas =>
  Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, change(each)]))

const isSchema = (keyword: string, value: unknown) =>
  ['items', 'additionalProperties', 'propertyNames'].includes(keyword) && typeof value === 'object'

/** The approximate length of a reference, in characters. */
const referenceCost = 24

/**
 * Moves schemas that occur several times to `$defs`. Schemas that differ only in their description count as the same: a reference may
 * have its own description (JSON Schema 2020-12, 7.7.1).
 */
function hoisted(schema: JsonSchema): JsonSchema {
  let root = schema
  const defs: { [name: string]: JsonSchema } = {}
  for (;;) {
    const dearest = dearestIn([root, ...Object.values(defs)])
    if (dearest === null) return Object.keys(defs).length === 0 ? root : { ...root, $defs: defs }
    const name = String.fromCharCode('a'.charCodeAt(0) + Object.keys(defs).length)
    const refer = (each: JsonSchema): JsonSchema => {
      const { description, ...rest } = each
      if (JSON.stringify(rest) !== dearest) return changed(each, refer)
      return { ...(description !== undefined && { description }), $ref: `#/$defs/${name}` }
    }
    root = changed(root, refer)
    for (const [at, each] of Object.entries(defs)) defs[at] = changed(each, refer)
    defs[name] = JSON.parse(dearest)
  }
}

/** The schema, as JSON without its description, whose repetitions cost the most characters; null if none costs more than references. */
function dearestIn(schemas: readonly JsonSchema[]): string | null {
  const counts = new Map<string, number>()
  const count = (schema: JsonSchema): JsonSchema => {
    const { description: _, ...rest } = schema
    const text = JSON.stringify(rest)
    if (text.length > referenceCost) counts.set(text, (counts.get(text) ?? 0) + 1)
    return changed(schema, count)
  }
  for (const schema of schemas) changed(schema, count)
  const savings = [...counts].map(([text, times]) => ({
    text,
    saved: (times - 1) * text.length - times * referenceCost,
  }))
  const [most] = savings.toSorted((a, b) => b.saved - a.saved)
  return most === undefined || most.saved <= 0 ? null : most.text
}
