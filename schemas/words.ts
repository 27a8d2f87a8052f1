/**
 * The words for a value that does not fit its schema: what is wrong with it and what to change, in plain English. The words for a
 * pattern are beside it in its schema (`form` of infer.ts), those for a format are here.
 */
import type { ErrorObject } from 'ajv/dist/2020.js'
import { closestMatch } from 'leven'
import { formKeyword, type JsonSchema, propertiesOf } from './infer.ts'

export type Words = { readonly message: string; readonly fix: string }

/** Longer names are cut in messages. */
const namedMax = 100
/** Longer descriptions of a field are not repeated in messages. */
const aboutMax = 120

/** A noun for the texts of each format, and an example. */
export const formats = {
  'date-time': { form: 'an ISO 8601 time with its zone', example: '2026-01-31T12:00:00Z' },
  ip: { form: 'an IP address', example: '192.0.2.1' },
  uri: { form: 'a whole URL', example: 'https://example.org/hook' },
} as const

/** Returns the known name that the caller of an unknown one probably meant. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  if (name.length > namedMax) return undefined
  // Two swapped letters count as two steps.
  const maxDistance = name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3))
  const same = known.find((each) => each.toLowerCase() === name.toLowerCase())
  const longer = known.filter((each) => name !== '' && each.toLowerCase().startsWith(name.toLowerCase()))
  return same ?? closestMatch(name, known, { maxDistance }) ?? (longer.length === 1 ? longer[0] : undefined)
}

/** The words for an unknown name; `what` is the noun for it, such as `field`, and `at` is where it is. */
export function unknownName(what: string, name: string, known: readonly string[], at = quoted(name)): Words {
  const meant = nearest(name, known)
  const others = known.length === 0 ? 'none is known here' : `known are ${known.join(', ')}`
  return {
    message: `Unknown ${what} ${at}; ${others}.`,
    fix: meant === undefined ? `Leave ${quoted(name)} out.` : `Write ${quoted(meant)} instead of ${quoted(name)}.`,
  }
}

/** The words for what ajv found, about the value called `named`, such as `"limit"`. */
export function wordsOf(error: ErrorObject, named: string): Words {
  const { data, keyword, params, parentSchema = {}, propertyName, schema } = error
  if (propertyName !== undefined) return wordsOfName(propertyName, parentSchema, named)
  const say = words[keyword]
  const fault = { named, limit: Number(schema), schema: parentSchema, params, data }
  return say === undefined ? asWanted(fault) : say(fault)
}

const asWanted = ({ named, schema }: Pick<Fault, 'named' | 'schema'>): Words => ({
  message: `${named} must be ${wanted(schema)}.`,
  fix: `Write ${named} as ${shown(schema)}.`,
})

/** A time as ISO 8601 writes it, whether or not its numbers are those of a time. */
const likeTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/i

type Fault = {
  readonly named: string
  /** The number of a keyword such as `maxLength`. */
  readonly limit: number
  readonly schema: JsonSchema
  readonly params: ErrorObject['params']
  readonly data: unknown
}

const words: { readonly [keyword: string]: (fault: Fault) => Words } = {
  required: ({ named, params, schema }) => {
    const property = propertiesOf(schema)[String(params.missingProperty)] ?? {}
    const description = String(property.description ?? '')
    const about = description === '' || description.length > aboutMax ? '.' : `: ${description}`
    return { message: `${named} is missing.`, fix: `Add ${named} as ${shown(property)}${about}` }
  },
  additionalProperties: ({ named, params, schema }) =>
    unknownName('field', String(params.additionalProperty), Object.keys(propertiesOf(schema)), named),
  type: ({ named, schema, data }) => ({
    message: `${named} must be ${wanted(schema)}, and is ${kindOf(data)}.`,
    fix: `Give ${named} as ${shown(schema)}.`,
  }),
  enum: ({ named, schema, data }) => {
    const values = schema.enum as unknown[]
    const choices = values.map(String).join(', ')
    const meant = nearest(String(data), values.map(String))
    const value = values.find((each) => String(each) === meant)
    const written = typeof value === 'number' ? `${value}, a number without quotes` : `"${meant}"`
    return {
      message: `${named} must be one of: ${choices}.`,
      fix: `Set ${named} to ${meant === undefined ? `one of: ${choices}` : written}.`,
    }
  },
  format: ({ named, schema, data }) =>
    schema.format === 'date-time' && likeTime.test(String(data))
      ? {
          message: `${named} is a time that does not exist: its month, day, hour, minute or second is too high or too low.`,
          fix: `Correct the numbers of ${named}.`,
        }
      : asWanted({ named, schema }),
  minLength: ({ named, limit }) => ({
    message: limit === 1 ? `${named} is empty.` : `${named} has fewer than ${amount(limit, 'character')}.`,
    fix: `Write at least ${amount(limit, 'character')} into ${named}.`,
  }),
  maxLength: ({ named, limit }) => ({
    message: `${named} has more than ${amount(limit, 'character')}.`,
    fix: `Shorten ${named} to at most ${amount(limit, 'character')}.`,
  }),
  minimum: ({ named, limit, schema }) => ({
    message: `${named} must be ${wanted(schema)}; this is too low.`,
    fix: `Raise ${named} to ${limit} or more.`,
  }),
  maximum: ({ named, limit, schema }) => ({
    message: `${named} must be ${wanted(schema)}; this is too high.`,
    fix: `Lower ${named} to ${limit} or less.`,
  }),
  minItems: ({ named, limit }) => ({
    message: limit === 1 ? `The list ${named} is empty.` : `The list ${named} has fewer than ${entries(limit)}.`,
    fix: `Put at least ${entries(limit)} into ${named}.`,
  }),
  maxItems: ({ named, limit }) => ({
    message: `The list ${named} has more than ${entries(limit)}.`,
    fix: `Give ${named} at most ${entries(limit)}.`,
  }),
  uniqueItems: ({ named, params }) => ({
    message: `The list ${named} has the same entry twice: the ones at ${params.j} and ${params.i}, counted from 0.`,
    fix: `Take one of the two equal entries out of ${named}.`,
  }),
  maxProperties: ({ named, limit }) => ({
    message: `${named} has more than ${amount(limit, 'field')}.`,
    fix: `Give ${named} at most ${amount(limit, 'field')}.`,
  }),
}

/** The words for an invalid name in a record, such as the header fields of a send. */
function wordsOfName(name: string, schema: JsonSchema, named: string): Words {
  const { form, example } = formOf(schema)
  return {
    message: `${quoted(name)} in ${named} is not ${form}.`,
    fix: `Name it like ${quoted(example)}, or leave ${quoted(name)} out of ${named}.`,
  }
}

/** A noun for the values that a schema accepts: `a whole number from 1 to 200`. */
function wanted(schema: JsonSchema): string {
  const { anyOf, enum: values, maximum, minimum, type } = schema
  if (Array.isArray(anyOf)) return alternatives(anyOf.map(wanted))
  if (Array.isArray(type)) return alternatives(type.map((each) => wanted({ ...schema, type: each })))
  if (Array.isArray(values)) return `one of: ${values.join(', ')}`
  if (type === 'integer' || type === 'number') return `${nouns[type]}${rangeOf(minimum, maximum)}`
  return type === 'string' ? formOf(schema).form : (nouns[String(type)] ?? 'what its description says')
}

/** The same with an example, if the schema has one. */
function shown(schema: JsonSchema): string {
  const example = exampleOf(schema)
  return example === '' ? wanted(schema) : `${wanted(schema)}, such as ${example}`
}

function exampleOf(schema: JsonSchema): string {
  const { anyOf, items } = schema
  if (Array.isArray(anyOf)) return exampleOf(anyOf[0] as JsonSchema)
  const { example } = formOf((items ?? schema) as JsonSchema)
  if (example === '') return ''
  return items === undefined ? quoted(example) : `[${quoted(example)}]`
}

const nouns: { readonly [type: string]: string } = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
}

function formOf(schema: JsonSchema): { readonly form: string; readonly example: string } {
  const known = formatOf(schema)
  if (known !== null) return known
  const [example = ''] = (schema.examples ?? []) as readonly string[]
  return { form: String(schema[formKeyword] ?? 'text'), example }
}

/** The words for the format of a schema; null if it has none. */
export function formatOf({ format }: JsonSchema): { readonly form: string; readonly example: string } | null {
  return typeof format === 'string' && Object.hasOwn(formats, format) ? formats[format as keyof typeof formats] : null
}

function rangeOf(minimum: unknown, maximum: unknown): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return ` from ${minimum} to ${maximum}`
  if (typeof minimum === 'number') return ` of at least ${minimum}`
  return typeof maximum === 'number' ? ` of at most ${maximum}` : ''
}

function alternatives(several: readonly string[]): string {
  const all = [...new Set(several)]
  return all.length === 1 ? String(all[0]) : `${all.slice(0, -1).join(', ')} or ${all.at(-1)}`
}

function kindOf(value: unknown): string {
  if (value === null || typeof value === 'boolean') return String(value)
  // Such as 1e400, which JSON.parse reads as infinite.
  if (typeof value === 'number' && !Number.isFinite(value)) return 'a number that is too large'
  if (typeof value === 'number') return Number.isInteger(value) ? 'a number' : 'a number with a fraction'
  return Array.isArray(value) ? 'a list' : (nouns[typeof value] ?? 'no value')
}

/** A name as it is shown: cut, and without control characters. */
export const quoted = (name: string): string =>
  `"${(name.length > namedMax ? `${name.slice(0, namedMax)}...` : name).replaceAll(/\p{Cc}/gu, '\ufffd')}"`
const amount = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`
const entries = (count: number) => (count === 1 ? '1 entry' : `${count} entries`)
