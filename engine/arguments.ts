/** Reads the fields of a command document; a value of the wrong type is refused as mongod refuses it. */
import { type Document, isDocument, typeName, type Value } from './bson/document.ts'
import { EngineError } from './errors.ts'

const numberTypes = new Set(['int', 'long', 'double', 'decimal'])

export function textField(body: Document, field: string): string {
  const value = body[field]
  if (typeof value !== 'string') throw wrongType(field, value, 'string')
  return value
}

export function optionalText(body: Document, field: string): string | undefined {
  return body[field] === undefined ? undefined : textField(body, field)
}

export function documentField(body: Document, field: string): Document {
  const value = body[field]
  if (!isDocument(value)) throw wrongType(field, value, 'object')
  return value
}

export function optionalDocument(body: Document, field: string): Document | undefined {
  return body[field] === undefined || body[field] === null ? undefined : documentField(body, field)
}

export function arrayField(body: Document, field: string): readonly Value[] {
  const value = body[field]
  if (!Array.isArray(value)) throw wrongType(field, value, 'array')
  return value
}

export function documentsField(body: Document, field: string): readonly Document[] {
  return arrayField(body, field).map((value, i) => {
    if (!isDocument(value)) throw wrongType(`${field}.${i}`, value, 'object')
    return value
  })
}

export function optionalDocuments(body: Document, field: string): readonly Document[] | undefined {
  return body[field] === undefined ? undefined : documentsField(body, field)
}

/** A boolean. A number counts as true unless it is 0, as in mongod. */
export function flagField(body: Document, field: string, absent = false): boolean {
  const value = body[field]
  if (value === undefined || value === null) return absent
  if (typeof value === 'boolean') return value
  if (isNumber(value)) return Number(value) !== 0
  throw wrongType(field, value, 'bool')
}

/** A boolean, for fields in which mongod accepts nothing else. */
export function strictFlagField(body: Document, field: string, absent = false): boolean {
  const value = body[field]
  if (value === undefined || value === null) return absent
  if (typeof value === 'boolean') return value
  throw wrongType(field, value, 'bool')
}

/** A whole number of any BSON number type. */
export function wholeField(body: Document, field: string): number | undefined {
  const value = body[field]
  if (value === undefined || value === null) return undefined
  if (!isNumber(value)) throw wrongType(field, value, 'long')
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new EngineError('FailedToParse', `${field} must be a whole number`)
  return number
}

/** A whole number of any BSON number type, 0 or greater. */
export function countField(body: Document, field: string): number | undefined {
  const number = wholeField(body, field)
  if (number !== undefined && number < 0) throw tooSmall(field, 0, number)
  return number
}

/** The error of mongod's parser for a number that is too small; before 7.1 it had the code 51024. */
export function tooSmall(field: string, least: number, actual: number): EngineError {
  return new EngineError('BadValue', `BSON field '${field}' value must be >= ${least}, actual value '${actual}'`)
}

/** An index by name or by key pattern, or `{ $natural: 1 }`. */
export function hintField(body: Document): string | Document | undefined {
  const hint = body.hint
  if (hint === undefined || typeof hint === 'string') return hint
  if (!isDocument(hint)) throw new EngineError('FailedToParse', 'hint must be a string or an object')
  if (hint.$natural !== undefined) checkNatural(hint.$natural, 'hint')
  return hint
}

/** @throws EngineError BadValue for a direction other than 1 and -1 */
export function checkNatural(direction: Value, where: 'hint' | 'sort'): void {
  if (!isNumber(direction) || Math.abs(Number(direction)) !== 1)
    throw new EngineError('BadValue', `$natural ${where} cannot be set to a value other than -1 or 1.`)
}

/** Whether the value is a number of any BSON type. */
export function isNumber(value: Value | undefined): boolean {
  return numberTypes.has(typeName(value))
}

/** When the time limit of the command is over, in milliseconds of `performance.now()`; undefined without a limit. */
export function deadlineOf(body: Document): number | undefined {
  const limit = timeLimit(body)
  return limit === undefined || limit === 0 ? undefined : performance.now() + limit
}

const timeLimitMax = 2 ** 31 - 1

/** `maxTimeMS`. @throws EngineError BadValue */
export function timeLimit({ maxTimeMS: value }: Document): number | undefined {
  if (value === undefined || value === null) return undefined
  if (!isNumber(value)) throw new EngineError('BadValue', 'maxTimeMS must be a number')
  const limit = Number(value)
  if (!(limit >= 0 && limit <= timeLimitMax))
    throw new EngineError('BadValue', `${limit} value for maxTimeMS is out of range`)
  if (!Number.isInteger(limit)) throw new EngineError('BadValue', 'maxTimeMS has non-integral value')
  return limit
}

/** @throws EngineError MaxTimeMSExpired past the deadline */
export function checkDeadline(deadline: number | undefined): void {
  if (deadline !== undefined && performance.now() > deadline) {
    throw new EngineError('MaxTimeMSExpired', 'operation exceeded time limit')
  }
}

/** @throws EngineError Location40415 for a field of a nested specification that is not in `known` */
export function onlyFields(spec: Document, where: string, known: readonly string[]): void {
  for (const field of Object.keys(spec)) {
    if (!known.includes(field)) throw new EngineError(40415, `BSON field '${where}.${field}' is an unknown field.`)
  }
}

/** @throws EngineError BadValue for a text that is not in `known` */
export function oneOf(body: Document, field: string, known: readonly string[]): void {
  const value = optionalText(body, field)
  if (value !== undefined && !known.includes(value))
    throw new EngineError('BadValue', `Enumeration value '${value}' for field '${field}' is not a valid value.`)
}

/** @throws EngineError InvalidOptions for any collation but the simple one */
export function checkCollation(spec: Document): void {
  const collation = optionalDocument(spec, 'collation')
  if (collation !== undefined && collation.locale !== undefined && collation.locale !== 'simple') {
    throw new EngineError('InvalidOptions', 'only the simple collation is supported by the embedded engine')
  }
}

/** @throws EngineError InvalidNamespace for a namespace that clients may not write to */
export function checkNamespace(database: string, name: string, namespaceBytesMax: number): void {
  checkNamespaceForm(database, name, namespaceBytesMax)
  if (name.includes('$') || name.startsWith('system.')) throw invalidNamespace(`${database}.${name}`)
}

/** @throws EngineError InvalidNamespace for a name that cannot be a namespace */
export function checkNamespaceForm(database: string, name: string, namespaceBytesMax: number): void {
  const whole = `${database}.${name}`
  const fine = name !== '' && !name.includes('\0') && !name.startsWith('.')
  if (!fine || Buffer.byteLength(whole) > namespaceBytesMax) throw invalidNamespace(whole)
}

/** The database and the collection of a whole namespace. @throws EngineError InvalidNamespace if it has no database */
export function splitNamespace(whole: string): [database: string, name: string] {
  const dot = whole.indexOf('.')
  if (dot <= 0) throw invalidNamespace(whole)
  return [whole.slice(0, dot), whole.slice(dot + 1)]
}

/** The checked name of a database. @throws EngineError InvalidNamespace */
export function databaseName(name: Value | undefined, bytesMax: number): string {
  const fine =
    typeof name === 'string' && name !== '' && Buffer.byteLength(name) <= bytesMax && !/[/\\. "$*<>:|?\0]/.test(name)
  if (!fine) throw new EngineError('InvalidNamespace', `Invalid database name: '${String(name)}'`)
  return name
}

function invalidNamespace(whole: string): EngineError {
  return new EngineError('InvalidNamespace', `Invalid namespace specified '${whole}'`)
}

/** The error for a required field that is missing: Location40414. */
export function missingField(field: string): EngineError {
  return new EngineError(40414, `BSON field '${field}' is missing but a required field`)
}

function wrongType(field: string, value: Value | undefined, wanted: string): EngineError {
  if (value === undefined) return missingField(field)
  return new EngineError(
    'TypeMismatch',
    `BSON field '${field}' is the wrong type '${typeName(value)}', expected type '${wanted}'`,
  )
}
