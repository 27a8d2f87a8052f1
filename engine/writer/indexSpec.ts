/** The specification of an index as a client gives it, checked as mongod checks it. */
import { checkCollation, flagField, isNumber, optionalDocument, textField, wholeField } from '../arguments.ts'
import { equalValues } from '../bson/compare.ts'
import { type Document, documentOf, type Value } from '../bson/document.ts'
import { show } from '../bson/show.ts'
import { EngineError, type ErrorName } from '../errors.ts'
import { limits } from '../limits.ts'
import type { FilterNode } from '../match/parse.ts'
import { indexFrom } from '../store/catalog.ts'

const secondsMax = 2_147_483_647

/** Index options: stored and applied, accepted without effect, or refused by name. Any other is refused as unknown. */
export const indexOptions: Readonly<Record<string, 'implemented' | 'harmless' | 'refused'>> = {
  key: 'implemented',
  name: 'implemented',
  unique: 'implemented',
  sparse: 'implemented',
  partialFilterExpression: 'implemented',
  expireAfterSeconds: 'implemented',
  hidden: 'implemented',
  v: 'harmless',
  background: 'harmless',
  ns: 'harmless',
  collation: 'harmless',
  storageEngine: 'refused',
  weights: 'refused',
  default_language: 'refused',
  language_override: 'refused',
  textIndexVersion: 'refused',
  '2dsphereIndexVersion': 'refused',
  bits: 'refused',
  min: 'refused',
  max: 'refused',
  wildcardProjection: 'refused',
  clustered: 'refused',
  prepareUnique: 'refused',
}

export const idKey = documentOf({ _id: 1 })

/** The specification in the form in which it is stored. @throws EngineError for an invalid or unsupported one */
export function checkedSpec(spec: Document): Document {
  for (const option of Object.keys(spec)) checkOption(option)
  checkCollation(spec)
  const key = optionalDocument(spec, 'key')
  if (key === undefined)
    throw new EngineError('FailedToParse', "The 'key' field is a required property of an index specification")
  const kept: Document = { v: 2, key: checkedKey(key), name: checkedName(spec, key) }
  flagField(spec, 'background')
  checkVersion(spec)
  if (flagField(spec, 'unique')) kept.unique = true
  if (flagField(spec, 'sparse')) kept.sparse = true
  if (flagField(spec, 'hidden')) kept.hidden = true
  const partial = optionalDocument(spec, 'partialFilterExpression')
  if (partial !== undefined) {
    if (kept.sparse === true)
      throw new EngineError('CannotCreateIndex', "cannot mix 'partialFilterExpression' and 'sparse' options")
    kept.partialFilterExpression = partial
    checkPartial(indexFrom(0, kept, []).partial!.node)
  }
  if (spec.expireAfterSeconds !== undefined) {
    if (Object.keys(key).length !== 1) {
      throw new EngineError(
        'CannotCreateIndex',
        'TTL indexes are single-field indexes, compound indexes do not support TTL',
      )
    }
    kept.expireAfterSeconds = checkedSeconds(spec, 'CannotCreateIndex')
  }
  return kept
}

function checkOption(option: string): void {
  const rule = Object.hasOwn(indexOptions, option) ? indexOptions[option] : undefined
  if (rule === undefined) {
    throw new EngineError(
      'InvalidIndexSpecificationOption',
      `The field '${option}' is not valid for an index specification.`,
    )
  }
  if (rule === 'refused')
    throw new EngineError('CannotCreateIndex', `the index option '${option}' is not supported by the embedded engine`)
}

function checkedName(spec: Document, key: Document): string {
  if (spec.name === undefined)
    throw new EngineError('FailedToParse', "The 'name' field is a required property of an index specification")
  const name = textField(spec, 'name')
  if (name === '' || name.includes('\0'))
    throw new EngineError('CannotCreateIndex', 'index name cannot be empty or contain NUL bytes')
  if (name === '*') throw new EngineError('BadValue', "The index name '*' is not valid.")
  if (isIdKey(key)) {
    if (!equalValues(key, idKey))
      throw new EngineError('BadValue', `The field 'key' for an _id index must be {_id: 1}, but got ${show(key)}`)
  } else if (name === '_id_') {
    throw new EngineError(
      'BadValue',
      `The index name '_id_' is reserved for the _id index, which must have key pattern {_id: 1}, found ${show(key)}`,
    )
  }
  return name
}

/** Whether a key is that of the index on `_id`, in either direction. */
function isIdKey(key: Document): boolean {
  return Object.keys(key).length === 1 && isNumber(key._id) && Math.abs(Number(key._id)) === 1
}

function checkVersion(spec: Document): void {
  const version = wholeField(spec, 'v')
  if (version !== undefined && version !== 1 && version !== 2)
    throw new EngineError('CannotCreateIndex', `Invalid index specification; cannot create an index with v=${version}`)
}

function checkedKey(key: Document): Document {
  const paths = Object.keys(key)
  if (paths.length === 0) throw new EngineError('CannotCreateIndex', 'Index keys cannot be empty.')
  if (paths.length > limits.fieldsPerIndex)
    throw new EngineError('CannotCreateIndex', `an index has at most ${limits.fieldsPerIndex} fields`)
  return documentOf(Object.fromEntries(paths.map((path) => [path, checkedDirection(path, key[path]!)])))
}

function checkedDirection(path: string, direction: Value): Value {
  const badPath = path === '' || path.startsWith('.') || path.endsWith('.') || path.includes('..')
  if (badPath) throw new EngineError('CannotCreateIndex', 'Index keys cannot contain an empty field.')
  if (path.includes('$'))
    throw new EngineError('CannotCreateIndex', `the index path '${path}' is not supported by the embedded engine`)
  if (typeof direction === 'string') {
    throw new EngineError('CannotCreateIndex', `the index type '${direction}' is not supported by the embedded engine`)
  }
  if (!isNumber(direction) || Number(direction) === 0 || Number.isNaN(Number(direction))) {
    throw new EngineError(
      'CannotCreateIndex',
      'Values in v:2 index key pattern must be numbers other than 0 or index types',
    )
  }
  return direction
}

/** `expireAfterSeconds`. @throws EngineError `refusal` if it is out of range */
export function checkedSeconds(spec: Document, refusal: ErrorName): number {
  const seconds = wholeField(spec, 'expireAfterSeconds') ?? 0
  if (seconds < 0 || seconds > secondsMax)
    throw new EngineError(refusal, `expireAfterSeconds must be between 0 and ${secondsMax}`)
  return seconds
}

const partialOperators = new Set(['eq', 'gt', 'gte', 'lt', 'lte', 'in', 'exists', 'type', 'and', 'or', 'always'])

/** Refuses operators that mongod does not allow in the filter of a partial index. */
function checkPartial(node: FilterNode): void {
  if (!partialOperators.has(node.op)) {
    throw new EngineError('CannotCreateIndex', `unsupported expression in partial index: ${node.op}`)
  }
  if (node.op === 'and' || node.op === 'or') for (const inner of node.nodes) checkPartial(inner)
}
