/**
 * Builders of JSON Schema whose result carries its TypeScript type, so that one declaration validates at run time,
 * types the handler, and describes itself in OpenAPI and MCP. They use only keywords that both ajv and OpenAPI 3.1 understand.
 */

/** A JSON Schema (draft 2020-12 subset). */
export type JsonSchema = { readonly [keyword: string]: unknown }

declare const typeOf: unique symbol

/** A JSON Schema whose valid instances have type `T`. */
export type Schema<T = unknown> = JsonSchema & { readonly [typeOf]?: T }

/** The type of a schema's valid instances. */
export type Infer<S> = S extends Schema<infer T> ? T : never

/** A property that may be absent. */
export type Optional<T = unknown> = { readonly optional: Schema<T> }

type Fields = { readonly [name: string]: Schema | Optional }
type OptionalNames<F extends Fields> = { [K in keyof F]: F[K] extends Optional ? K : never }[keyof F]
type Simplify<T> = { [K in keyof T]: T[K] } & {}
/** The object type that `object(fields)` accepts. */
export type InferFields<F extends Fields> = Simplify<
  { readonly [K in Exclude<keyof F, OptionalNames<F>>]: Infer<F[K]> } & {
    readonly [K in OptionalNames<F>]?: F[K] extends Optional<infer T> ? T : never
  }
>

type Keywords = { readonly description?: string; readonly [keyword: string]: unknown }

export const string = (keywords: Keywords = {}): Schema<string> => ({ type: 'string', ...keywords })
export const integer = (keywords: Keywords = {}): Schema<number> => ({ type: 'integer', ...keywords })
export const number = (keywords: Keywords = {}): Schema<number> => ({ type: 'number', ...keywords })
export const boolean = (keywords: Keywords = {}): Schema<boolean> => ({ type: 'boolean', ...keywords })
export const timestamp = (keywords: Keywords = {}): Schema<string> => ({
  type: 'string',
  format: 'date-time',
  ...keywords,
})
export const literal = <const V extends string | number | boolean>(value: V): Schema<V> => ({ const: value })
export const oneOf = <const V extends string>(values: readonly V[], keywords: Keywords = {}): Schema<V> => ({
  type: 'string',
  enum: values,
  ...keywords,
})
/** One of several values, which may differ in type. */
export const among = <const V extends string | number | null>(
  values: readonly V[],
  keywords: Keywords = {},
): Schema<V> => ({
  enum: values,
  ...keywords,
})
export const array = <T>(items: Schema<T>, keywords: Keywords = {}): Schema<readonly T[]> => ({
  type: 'array',
  items,
  ...keywords,
})
export const record = <T>(values: Schema<T>, keywords: Keywords = {}): Schema<{ readonly [key: string]: T }> => ({
  type: 'object',
  additionalProperties: values,
  ...keywords,
})
export const anyOf = <const S extends readonly Schema[]>(
  schemas: S,
  keywords: Keywords = {},
): Schema<Infer<S[number]>> => ({
  anyOf: schemas,
  ...keywords,
})
export const nullable = <T>(schema: Schema<T>): Schema<T | null> => ({ anyOf: [schema, { type: 'null' }] })
export const optional = <T>(schema: Schema<T>): Optional<T> => ({ optional: schema })
export const described = <T>(description: string, schema: Schema<T>): Schema<T> => ({ ...schema, description })

/** Marks a field whose content strangers wrote: data to show, never instructions to follow. MCP results set it apart. */
export const untrusted = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, [untrustedKeyword]: true })
export const untrustedKeyword = 'x-untrusted'

/** Marks input that MCP tools accept but do not list: a longer form beside a shorter one, or an object whose fields only programs use. */
export const unlisted = <T>(schema: Schema<T>): Schema<T> => ({ ...schema, [unlistedKeyword]: true })
export const unlistedKeyword = 'x-unlisted'

/** Marks a text that may be a time, among others. */
export const perhapsTime = (schema: Schema<string>): Schema<string> => ({ ...schema, [timeKeyword]: true })
export const timeKeyword = 'x-time'
/** Whether a text may be a time: the packages for programs then take a time of their language too. */
export const mayBeTime = (schema: JsonSchema) => schema.format === 'date-time' || schema[timeKeyword] === true

/** A noun for the texts that match a pattern: people read it in place of the pattern, with the first of `examples`. */
export const formKeyword = 'x-form'
/** The keywords of a text that has to match a pattern: the pattern, a noun for such texts, and an example. */
export const form = (pattern: string, noun: string, example: string) => ({
  pattern,
  [formKeyword]: noun,
  examples: [example],
})

/** An object with exactly these fields: an unknown one is refused, an `optional` one may be absent. */
export function object<const F extends Fields>(fields: F, keywords: Keywords = {}): Schema<InferFields<F>> {
  const properties: { [name: string]: JsonSchema } = {}
  const required: string[] = []
  for (const [name, field] of Object.entries(fields)) {
    if (isOptional(field)) properties[name] = field.optional
    else {
      properties[name] = field
      required.push(name)
    }
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...keywords,
  }
}

/** The fields of an object schema, to read or to build a wider one from. */
export function propertiesOf(schema: JsonSchema): { readonly [name: string]: JsonSchema } {
  return (schema.properties ?? {}) as { [name: string]: JsonSchema }
}

/** The names of the fields that are required. */
export function requiredOf(schema: JsonSchema): readonly string[] {
  return (schema.required ?? []) as readonly string[]
}

/** The object schema `base` with more fields. */
export function extended<const F extends Fields, T>(base: Schema<T>, fields: F): Schema<Simplify<T & InferFields<F>>> {
  const added = object(fields)
  const from: JsonSchema = base
  return {
    ...from,
    properties: { ...propertiesOf(base), ...propertiesOf(added) },
    required: [...requiredOf(base), ...requiredOf(added)],
  }
}

/** The schema for readers of answers: it allows unknown fields, because answers may gain some. */
export function opened(schema: JsonSchema): JsonSchema {
  return openedValue(schema) as JsonSchema
}

function openedValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(openedValue)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([keyword, part]) => keyword !== 'additionalProperties' || part !== false)
  return Object.fromEntries(kept.map(([keyword, part]) => [keyword, openedValue(part)]))
}

function isOptional(field: Schema | Optional): field is Optional {
  return typeof (field as Optional).optional === 'object'
}
