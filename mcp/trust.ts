/**
 * Separates what the service vouches for from what strangers wrote: fields that a schema marks as untrusted move into an object
 * `untrusted` beside the other fields, in both the schema and the value (decisions.md 4, MCP results).
 */
import { madeOnce } from '../core/process/made-once.ts'
import { isShared, shared } from '../operations/shared-json.ts'
import { type JsonSchema, propertiesOf, requiredOf, untrustedKeyword } from '../schemas/infer.ts'

export const untrustedNote = 'Written by strangers.'

type Fields = { readonly [name: string]: unknown }

/** The schema of what `separated(schema, value)` returns. */
export function separatedSchema(schema: JsonSchema): JsonSchema {
  if (schema.type === 'array') return { ...schema, items: separatedSchema(schema.items as JsonSchema) }
  if (Array.isArray(schema.anyOf))
    return { ...schema, anyOf: schema.anyOf.map((each: JsonSchema) => separatedSchema(each)) }
  const properties = Object.entries(propertiesOf(schema))
  if (properties.length === 0) return schema
  const theirs = properties.filter(([, field]) => isUntrusted(field))
  const ours = properties
    .filter(([, field]) => !isUntrusted(field))
    .map(([name, field]) => [name, separatedSchema(field)])
  const required = requiredOf(schema)
  const names = theirs.map(([name]) => name)
  const untrusted = {
    type: 'object',
    description: untrustedNote,
    properties: Object.fromEntries(theirs),
    required: required.filter((name) => names.includes(name)),
  }
  return {
    ...schema,
    properties: { ...Object.fromEntries(ours), ...(names.length > 0 && { untrusted }) },
    required: [...required.filter((name) => !names.includes(name)), ...(names.length > 0 ? ['untrusted'] : [])],
  }
}

/** Separated forms of shared values, with the schema that they were separated by. */
const separatedBefore = new WeakMap<object, { readonly schema: JsonSchema; readonly value: unknown }>()

/** Moves the untrusted fields of every object in the value into an object `untrusted` within it. */
export function separated(schema: JsonSchema, value: unknown): unknown {
  if (!isShared(value)) return separatedValue(schema, value)
  const before = separatedBefore.get(value)
  if (before?.schema === schema) return before.value
  const now = asShared(separatedValue(schema, value))
  separatedBefore.set(value, { schema, value: now })
  return now
}

/** Whatever is derived from a shared value is shared too. */
function asShared(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? shared(value) : value
}

function separatedValue(schema: JsonSchema, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => separated((schema.items ?? {}) as JsonSchema, item))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(schema.anyOf)) {
    const ofObjects = schema.anyOf.find((each: JsonSchema) => each.type === 'object')
    return ofObjects === undefined ? value : separated(ofObjects, value)
  }
  const fields = propertiesOf(schema)
  const ours: [string, unknown][] = []
  const theirs: [string, unknown][] = []
  for (const [name, part] of Object.entries(value)) {
    const field = fields[name]
    if (field !== undefined && isUntrusted(field)) theirs.push([name, part])
    else ours.push([name, field === undefined ? part : separated(field, part)])
  }
  return { ...Object.fromEntries(ours), ...(theirs.length > 0 && { untrusted: Object.fromEntries(theirs) }) }
}

/** The value without its `untrusted` objects. */
export function trustedOnly(value: unknown): unknown {
  return isShared(value) ? sharedTrusted(value) : trustedValue(value)
}

const sharedTrusted = madeOnce((value: object) => asShared(trustedValue(value)))

function trustedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(trustedOnly)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'untrusted')
      .map(([name, part]) => [name, trustedOnly(part)]),
  )
}

/** The part of a result that holds the bodies of mail. */
export type BodiesIn = 'text' | 'structured'

/** Fields with the full content of a mail, which is long and therefore included once. */
export const bodyFields: ReadonlySet<string> = new Set(['text', 'html', 'reply', 'markdown', 'headers'])

/** The value without the bodies in its `untrusted` objects, each of which lists the removed names in a field `elsewhere`. */
export function withoutBodies(value: unknown, elsewhere: Elsewhere): unknown {
  return isShared(value) ? sharedWithoutBodies[elsewhere](value) : bodilessValue(value, elsewhere)
}

type Elsewhere = 'in_text' | 'in_structured'

const sharedWithoutBodies = {
  in_text: madeOnce((value: object) => asShared(bodilessValue(value, 'in_text'))),
  in_structured: madeOnce((value: object) => asShared(bodilessValue(value, 'in_structured'))),
} as const

function bodilessValue(value: unknown, elsewhere: Elsewhere): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutBodies(item, elsewhere))
  if (typeof value !== 'object' || value === null) return value
  const parts = Object.entries(value).map(([name, part]) => [
    name,
    name === 'untrusted' ? shortFields(part, elsewhere) : withoutBodies(part, elsewhere),
  ])
  return Object.fromEntries(parts)
}

function shortFields(fields: Fields, elsewhere: Elsewhere): Fields {
  const kept = Object.entries(fields).filter(([name, part]) => !bodyFields.has(name) || part === null)
  const left = Object.keys(fields).filter((name) => !kept.some(([each]) => each === name))
  return left.length === 0 ? fields : { ...Object.fromEntries(kept), [elsewhere]: left }
}

/**
 * Lists the `untrusted` objects of a value in order, each with the name of the object that contains it: its id, followed by the id of
 * the object it is part of; or, without an id of its own, its path within that object.
 */
export function untrustedParts(value: unknown, of = ''): readonly UntrustedPart[] {
  return partsIn(value, { of, path: '' })
}

export type UntrustedPart = { readonly of: string; readonly fields: Fields }

function partsIn(value: unknown, { of, path }: { of: string; path: string }): readonly UntrustedPart[] {
  if (Array.isArray(value)) return value.flatMap((item, n) => partsIn(item, { of, path: `${path}[${n}]` }))
  if (typeof value !== 'object' || value === null) return []
  const { untrusted, ...fields } = value as Fields
  const id = idOf(fields)
  const within = id === undefined ? { of, path } : { of: of === '' ? id : `${id} of ${of}`, path: '' }
  const name = [within.of, within.path].filter((part) => part !== '').join(' ')
  return [
    ...(typeof untrusted === 'object' && untrusted !== null ? [{ of: name, fields: untrusted as Fields }] : []),
    ...Object.entries(fields).flatMap(([field, part]) =>
      partsIn(part, { of: within.of, path: within.path === '' ? field : `${within.path}.${field}` }),
    ),
  ]
}

function idOf({ message_id, id, thread_id }: Fields): string | undefined {
  return [message_id, id, thread_id].find((each) => typeof each === 'string') as string | undefined
}

function isUntrusted(field: JsonSchema): boolean {
  return field[untrustedKeyword] === true
}
