/** The only place that runs ajv: schemas are compiled once and answer with the contract's validation_error. */
import { isIP } from 'node:net'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { Failure } from './failures.ts'
import { type JsonSchema, type Schema, untrustedKeyword } from './infer.ts'

const ajv = new Ajv2020({ strict: true, allErrors: false, allowUnionTypes: true, coerceTypes: false })
ajv.addFormat('date-time', { type: 'string', validate: isTimestamp })
ajv.addFormat('uri', { type: 'string', validate: (text: string) => URL.canParse(text) })
ajv.addFormat('ip', { type: 'string', validate: (text: string) => isIP(text) !== 0 })
ajv.addKeyword('example')
ajv.addKeyword(untrustedKeyword)

const compiled = new WeakMap<JsonSchema, ValidateFunction>()

/** Compiles a schema, which otherwise happens with the first value it is to describe. Throws on a schema ajv refuses. */
export function compileSchema(schema: JsonSchema): void {
  validatorOf(schema)
}

/**
 * Returns `value` as what `schema` describes. Fails with `validation_error` and the field to blame, written like
 * `to[0].address` (decisions.md 1, Unknown fields).
 */
export function validate<T>(schema: Schema<T>, value: unknown): T {
  const check = validatorOf(schema)
  if (check(value)) return value as T
  const { message, param } = explain(toBlame(check.errors ?? []))
  throw new Failure('validation_error', message, param === '' ? {} : { param })
}

/** Whether `value` is what `schema` describes. */
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

/** Picks the deepest error: of a value that may have several forms, it belongs to the form that fits best. */
function toBlame(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const depthOf = (error: ErrorObject) => error.instancePath.split('/').length + (isAboutChild(error) ? 1 : 0)
  const deepest = Math.max(...errors.map(depthOf))
  const candidates = errors.filter((error) => depthOf(error) === deepest)
  const types = candidates.filter((error) => error.keyword === 'type')
  const first = candidates[0]
  if (first === undefined || types.length < 2 || types.length < candidates.length - 1) return first
  const allowed = [...new Set(types.map((error) => String(error.params.type)))]
  return { ...first, message: `must be ${allowed.join(' or ')}` }
}

function isAboutChild(error: ErrorObject): boolean {
  return ['additionalProperties', 'unevaluatedProperties', 'required'].includes(error.keyword)
}

function explain(error: ErrorObject | undefined): { message: string; param: string } {
  if (error === undefined) return { message: 'The request is not valid.', param: '' }
  const at = fieldPath(error.instancePath)
  const child = (name: string) => (at === '' ? name : `${at}.${name}`)
  if (error.keyword === 'additionalProperties' || error.keyword === 'unevaluatedProperties') {
    const param = child(String(error.params.additionalProperty ?? error.params.unevaluatedProperty))
    return { message: `Unknown field "${param}".`, param }
  }
  if (error.keyword === 'required') {
    const param = child(String(error.params.missingProperty))
    return { message: `"${param}" is missing.`, param }
  }
  const named = at === '' ? 'The body' : `"${at}"`
  if (error.keyword === 'enum')
    return { message: `${named} must be one of: ${(error.params.allowedValues as unknown[]).join(', ')}.`, param: at }
  return { message: `${named} ${error.message ?? 'is not valid'}.`, param: at }
}

/** `/to/0/address` as `to[0].address`. */
function fieldPath(pointer: string): string {
  const names = pointer
    .split('/')
    .slice(1)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  return names.reduce(
    (path, name) => (/^\d+$/.test(name) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`),
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
