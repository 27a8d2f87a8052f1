/** The only place that runs ajv: schemas are compiled once, and failures are the contract's `validation_error`. */
import { isIP } from 'node:net'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { Failure } from './failures.ts'
import {
  formKeyword,
  type JsonSchema,
  propertiesOf,
  type Schema,
  timeKeyword,
  unlistedKeyword,
  untrustedKeyword,
} from './infer.ts'
import { quoted, wordsOf } from './words.ts'

const ajv = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true, coerceTypes: false, verbose: true })
ajv.addFormat('date-time', { type: 'string', validate: isTimestamp })
ajv.addFormat('ip', { type: 'string', validate: (text: string) => isIP(text) !== 0 })
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
ajv.addKeyword(formKeyword)
ajv.addKeyword(timeKeyword)
ajv.addKeyword(untrustedKeyword)
ajv.addKeyword(unlistedKeyword)

const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** Compiles a schema, which otherwise happens when it first validates a value. Throws if ajv refuses the schema. */
export function compileSchema(schema: JsonSchema): void {
  validatorOf(schema)
}

/**
 * Returns `value`, typed as what `schema` describes; `name` is the name of the value, if it is not a request. Fails with
 * `validation_error` and the field at fault, written like `to[0].address` (decisions.md 1, Unknown fields).
 */
export function validate<T>(schema: Schema<T>, value: unknown, name = ''): T {
  const check = validatorOf(schema)
  if (check(value)) return value as T
  const error = toBlame(check.errors ?? [])
  const param = fieldOf(error, name)
  const { message, fix } = wordsOf(error, param === '' ? 'The request' : quoted(param))
  throw new Failure('validation_error', message, { fix, ...(param !== '' && { param }) })
}

/** Whether `value` is valid under `schema`. */
export function isValid<T>(schema: Schema<T>, value: unknown): value is T {
  return validatorOf(schema)(value)
}

function validatorOf(schema: JsonSchema): ValidateFunction {
  let check = compiled.get(schema)
  if (check === undefined) {
    check = ajv.compile(schema)
    compiled.set(schema, check)
  }
  return check
}

/** Picks the deepest error: for a value with several alternative forms, it belongs to the form that fits best. */
function toBlame(errors: readonly ErrorObject[]): ErrorObject {
  const depthOf = (error: ErrorObject) => error.instancePath.split('/').length + (childOf(error) === undefined ? 0 : 1)
  const deepest = Math.max(...errors.map(depthOf))
  const candidates = errors.filter(
    (error) => depthOf(error) === deepest && error.keyword !== 'anyOf' && error.keyword !== 'propertyNames',
  )
  const fit = Math.max(...candidates.map(fitOf))
  const causes = candidates.filter((error) => fitOf(error) === fit)
  const [first] = causes
  if (first === undefined) throw new Error('A schema refused a value and gave no reason.')
  // A form whose type fits but which found another fault gives the reason.
  const other = causes.find(({ keyword }) => keyword !== 'type')
  return other ?? { ...first, parentSchema: { anyOf: causes.map(({ parentSchema }) => parentSchema) } }
}

/** How well the form that refused an object fits it: the caller did not mean a form that knows none of its fields. */
function fitOf(error: ErrorObject): number {
  if (childOf(error) === undefined) return 0
  const known = propertiesOf(error.parentSchema ?? {})
  return Object.keys(error.data as object).filter((name) => Object.hasOwn(known, name)).length || -1
}

/** The name of the missing or unknown field. */
function childOf({ params }: ErrorObject): string | undefined {
  return params.missingProperty ?? params.additionalProperty
}

function fieldOf(error: ErrorObject, name: string): string {
  const at = name + fieldPath(error.instancePath, name === '')
  const child = childOf(error)
  return child === undefined ? at : at === '' ? child : `${at}.${child}`
}

/** `/to/0/address` as `to[0].address`, or with a leading dot if it follows a name. */
function fieldPath(pointer: string, isFirst: boolean): string {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce(
    (path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === '' && isFirst ? name : `${path}.${name}`),
    '',
  )
}

/** ISO 8601 with a zone, as RFC 3339 writes it. */
function isTimestamp(text: string): boolean {
  const [day] = /^\d{4}-\d\d-\d\d(?=T\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$)/i.exec(text) ?? []
  if (day === undefined || Number.isNaN(Date.parse(text))) return false
  // Date reads the 30th of February as the 2nd of March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}
