/** Values that break a schema in exactly one place: for each keyword in it, and in the schemas within it, one. */
import {
  formKeyword,
  type JsonSchema,
  propertiesOf,
  requiredOf,
  timeKeyword,
  unlistedKeyword,
} from '../../schemas/infer.ts'
import { isValid } from '../../schemas/validate.ts'
import { formatOf } from '../../schemas/words.ts'

export type Violation = {
  readonly keyword: string
  /** Where it lies, such as `to[0].address`. */
  readonly at: string
  readonly value: unknown
}

/** Every violation of a schema. A value that another form of the schema takes is none. */
export function violationsOf(schema: JsonSchema): readonly Violation[] {
  return violations(schema, '').filter(({ value }) => !isValid(schema, value))
}

/** Keywords that a value cannot break, and those that `violations` follows instead. */
const followed = ['items', 'properties', 'anyOf']
const harmless = [
  'description',
  'default',
  'examples',
  'contentEncoding',
  formKeyword,
  timeKeyword,
  unlistedKeyword,
  ...followed,
]

function violations(schema: JsonSchema, at: string): readonly Violation[] {
  const own = Object.keys(schema)
    .filter((keyword) => !harmless.includes(keyword))
    .flatMap((keyword) => broken(keyword, schema, at))
  const { anyOf, items } = schema
  const forms: readonly JsonSchema[] = Array.isArray(anyOf) ? anyOf : []
  const ofForms = forms.flatMap((form) =>
    violations(form, at).filter((each) => each.at !== at || each.keyword !== 'type'),
  )
  if (forms.length > 0) ofForms.push({ keyword: 'type', at, value: ofNoType(forms) })
  const fields = Object.entries(propertiesOf(schema)).flatMap(([name, property]) =>
    violations(property, at === '' ? name : `${at}.${name}`).map((each) => ({
      ...each,
      value: { ...(sampleOf(schema) as object), [name]: each.value },
    })),
  )
  const entries = items === undefined ? [] : violations(items as JsonSchema, `${at}[0]`)
  return [...own, ...ofForms, ...fields, ...entries.map((each) => ({ ...each, value: [each.value] }))]
}

function broken(keyword: string, schema: JsonSchema, at: string): readonly Violation[] {
  const sample = sampleOf(schema)
  const limit = Number(schema[keyword])
  const one = (value: unknown): readonly Violation[] => [{ keyword, at, value }]
  switch (keyword) {
    case 'type':
      return one(ofNoType([schema]))
    case 'enum':
      return one('nonsense')
    case 'minLength':
      return one('x'.repeat(limit - 1))
    case 'maxLength':
      return one(`${sample}${'x'.repeat(limit)}`)
    case 'minimum':
      return one(limit - 1)
    case 'maximum':
      return one(limit + 1)
    case 'minItems':
      return one([])
    case 'maxItems':
      return one(Array.from({ length: limit + 1 }, () => sampleOf(schema.items as JsonSchema)))
    case 'uniqueItems':
      return one([sampleOf(schema.items as JsonSchema), sampleOf(schema.items as JsonSchema)])
    case 'maxProperties':
      return one(Object.fromEntries(Array.from({ length: limit + 1 }, (_, n) => [`X-${n}`, 'x'])))
    case 'pattern':
    case 'format':
      return one(unlike(schema))
    case 'propertyNames':
      return one({ [unlike(schema.propertyNames as JsonSchema)]: 'x' })
    case 'required':
      return requiredOf(schema).map((name) => {
        const { [name]: _left, ...rest } = sample as { [name: string]: unknown }
        return { keyword, at: at === '' ? name : `${at}.${name}`, value: rest }
      })
    case 'additionalProperties':
      if (schema.additionalProperties === false)
        return [{ keyword, at: at === '' ? 'shout' : `${at}.shout`, value: { ...(sample as object), shout: true } }]
      return violations(schema.additionalProperties as JsonSchema, `${at}.X-1`).map((each) => ({
        ...each,
        value: { 'X-1': each.value },
      }))
    default:
      throw new Error(`No value is known that breaks ${keyword}.`)
  }
}

/** A value whose type is that of none of the schemas. */
function ofNoType(schemas: readonly JsonSchema[]): unknown {
  const types = schemas.flatMap(({ type }) => type)
  return types.includes('boolean') ? { other: 1 } : true
}

/** A short text that breaks the pattern or format of a schema and nothing else of it. */
function unlike(schema: JsonSchema): string {
  const plain = ['a\nb', '!', ' ', 'a b', 'nothing'].find((text) => !isValid(schema, text))
  if (plain === undefined) throw new Error(`Every text fits ${JSON.stringify(schema)}.`)
  return plain
}

/** The least value that a schema takes. */
function sampleOf(schema: JsonSchema): unknown {
  const { anyOf, enum: values, examples, items, minimum, minItems, type } = schema
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0])
  if (Array.isArray(values)) return values[0]
  if (Array.isArray(examples)) return examples[0]
  const known = formatOf(schema)
  if (known !== null) return known.example
  if (type === 'integer' || type === 'number') return minimum ?? 1
  if (type === 'array') return minItems === undefined ? [] : [sampleOf(items as JsonSchema)]
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (type === 'string') return 'x'
  return Object.fromEntries(requiredOf(schema).map((name) => [name, sampleOf(propertiesOf(schema)[name] ?? {})]))
}
