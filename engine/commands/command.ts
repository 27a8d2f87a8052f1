import { Binary } from 'bson'
import {
  checkCollation,
  flagField,
  isNumber,
  missingField,
  onlyFields,
  strictFlagField,
  timeLimit,
} from '../arguments.ts'
import type { Peer } from '../auth/peer.ts'
import { type Document, isDocument, type Value } from '../bson/document.ts'
import type { Cursors } from '../cursors/cursors.ts'
import { EngineError, type ErrorName } from '../errors.ts'
import type { Sessions } from '../sessions/sessions.ts'
import type { Store } from '../store/store.ts'
import type { Message } from '../wire/message.ts'
import type { Body } from '../wire/reply.ts'
import type { Writer } from '../writer/client.ts'

/** The parts of the engine that commands use. */
export type Engine = {
  readonly dir: string
  readonly reader: Store
  readonly writer: Writer
  readonly cursors: Cursors
  readonly sessions: Sessions
  readonly noTableScan: boolean
  readonly startedAt: number
  readonly counters: Counters
}

/** Counters that serverStatus shows. */
export type Counters = {
  connections: number
  connectionsMade: number
  requests: number
  requestBytes: number
  readonly commands: Map<string, number>
}

export type Call = {
  readonly engine: Engine
  readonly message: Message
  readonly body: Document
  readonly database: string
  readonly peer: Peer
}

/**
 * How a field of a command is treated: it takes effect, it is accepted because it makes no difference on one node, or it is
 * refused, always or if `check` finds a value that the engine does not support. For a field that the command itself does not
 * read, `check` refuses the values that mongod refuses.
 */
export type FieldRule =
  | { readonly rule: 'implemented'; readonly check?: Check }
  | { readonly rule: 'harmless'; readonly why: string; readonly check?: Check }
  | { readonly rule: 'refused'; readonly why: string; readonly check: Check }

type Check = (value: Value, body: Document) => void

export type Command = {
  /** The name, followed by its other spellings. */
  readonly names: readonly string[]
  readonly fields: Readonly<Record<string, FieldRule>>
  /** The command is also answered before a login. */
  readonly beforeLogin?: true
  readonly run: (call: Call) => Body | Promise<Body>
}

export const implemented: FieldRule = { rule: 'implemented' }

export function harmless(why: string, check?: Check): FieldRule {
  return { rule: 'harmless', why, check }
}

/** `flag` checks a field that takes booleans and numbers, `strictFlag` one that takes booleans only. */
export const flag =
  (field: string): Check =>
  (_, body) =>
    void flagField(body, field)
export const strictFlag =
  (field: string): Check =>
  (_, body) =>
    void strictFlagField(body, field)

/** A field that is refused unless its value means "off": false, 0, null or an empty object. */
export function refused(name: ErrorName | number, why: string): FieldRule {
  return {
    rule: 'refused',
    why,
    check(value) {
      if (!isOff(value)) throw new EngineError(name, why)
    },
  }
}

/** Accepts only the simple collation, which compares strings as bytes. */
export const collation: FieldRule = {
  rule: 'refused',
  why: 'any collation but the simple one',
  check: (_, body) => checkCollation(body),
}

/** Fields that any command may have. */
export const commonFields: Readonly<Record<string, FieldRule>> = {
  $db: implemented,
  lsid: { rule: 'implemented', check: checkSession },
  maxTimeMS: { rule: 'implemented', check: (_, body) => void timeLimit(body) },
  comment: harmless('it is for logs and profilers'),
  $readPreference: harmless('there is one server'),
  $clusterTime: harmless('a standalone server has no cluster time'),
  apiVersion: { rule: 'refused', why: 'any version but 1', check: checkApiVersion },
  apiStrict: { rule: 'refused', why: 'for commands that are not in API version 1', check: checkApiStrict },
  apiDeprecationErrors: harmless('nothing deprecated is offered'),
  readConcern: {
    rule: 'refused',
    why: 'the levels snapshot and linearizable, and reads at a given time',
    check: checkReadConcern,
  },
  writeConcern: { rule: 'refused', why: 'more than one acknowledgement', check: checkWriteConcern },
  txnNumber: transactional(),
  startTransaction: transactional(),
  autocommit: transactional(),
}

/** @throws EngineError Location40415 for a field that the command does not know, and what the checks of its fields throw */
export function checkFields(command: Command, body: Document, fields: readonly string[]): void {
  for (let i = 1; i < fields.length; i++) {
    const field = fields[i]!
    const rule = ruleIn(command.fields, field) ?? ruleIn(commonFields, field)
    if (rule === undefined)
      throw new EngineError(40415, `BSON field '${command.names[0]}.${field}' is an unknown field.`)
    const value = body[field]
    if (value !== undefined) rule.check?.(value, body)
  }
}

/** The rule for a field. Only own properties count: every JavaScript object inherits some, such as `constructor`. */
function ruleIn(rules: Readonly<Record<string, FieldRule>>, field: string): FieldRule | undefined {
  return Object.hasOwn(rules, field) ? rules[field] : undefined
}

/** The name of the collection, which is the value of the command's first field. @throws EngineError InvalidNamespace */
export function collectionName(call: Call): string {
  const name = call.body[call.message.fields[0]!]
  if (typeof name !== 'string' || name === '' || name.startsWith('.') || name.includes('\0')) {
    throw new EngineError('InvalidNamespace', `'${call.message.fields[0]}' must be the name of a collection`)
  }
  return name
}

function isOff(value: Value): boolean {
  if (value === null || value === false) return true
  if (isNumber(value)) return Number(value) === 0
  return isDocument(value) && Object.keys(value).length === 0
}

const sessionFields = ['id', 'uid', 'txnNumber', 'txnUUID']
const uuidSubtype = 4

function checkSession(lsid: Value): void {
  if (!isDocument(lsid)) throw new EngineError('TypeMismatch', "BSON field 'lsid' must be an object")
  onlyFields(lsid, 'lsid', sessionFields)
  const { id } = lsid
  if (id === undefined) throw missingField('lsid.id')
  if (!(id instanceof Binary) || id.sub_type !== uuidSubtype)
    throw new EngineError('TypeMismatch', "BSON field 'lsid.id' must be a UUID")
}

function transactional(): FieldRule {
  const why = 'Transaction numbers are only allowed on a replica set member or mongos'
  return {
    rule: 'refused',
    why,
    check() {
      throw new EngineError('IllegalOperation', why)
    },
  }
}

function checkApiVersion(value: Value): void {
  if (value !== '1') throw new EngineError(322, `API version must be '1', got '${String(value)}'`)
}

const apiVersion1: readonly string[] = [
  'aggregate',
  'bulkWrite',
  'collMod',
  'count',
  'create',
  'createIndexes',
  'delete',
  'drop',
  'dropDatabase',
  'dropIndexes',
  'endSessions',
  'explain',
  'find',
  'findAndModify',
  'getMore',
  'hello',
  'insert',
  'killCursors',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'ping',
  'refreshSessions',
  'update',
]

function checkApiStrict(value: Value, body: Document): void {
  const name = Object.keys(body)[0] ?? ''
  if (value === true && !apiVersion1.includes(name))
    throw new EngineError('APIStrictError', `Provided apiStrict:true, but the command ${name} is not in API Version 1.`)
}

function checkReadConcern(value: Value): void {
  if (!isDocument(value)) throw new EngineError('TypeMismatch', 'readConcern must be an object')
  const { level, afterClusterTime, atClusterTime, afterOpTime, ...others } = value
  onlyFields(others, 'readConcern', ['provenance'])
  if (afterClusterTime !== undefined || atClusterTime !== undefined || afterOpTime !== undefined)
    throw new EngineError('IllegalOperation', 'readConcern with a cluster or operation time needs a replica set')
  if (level === 'snapshot') throw new EngineError('InvalidOptions', 'readConcern level snapshot needs a replica set')
  if (level === 'linearizable')
    throw new EngineError('NotAReplicaSet', 'readConcern level linearizable needs a replica set')
  if (level !== undefined && level !== 'local' && level !== 'majority' && level !== 'available')
    throw new EngineError(
      'FailedToParse',
      "readConcern.level must be either 'local', 'majority', 'linearizable', 'available', or 'snapshot'",
    )
}

function checkWriteConcern(value: Value): void {
  if (!isDocument(value)) throw new EngineError('TypeMismatch', 'writeConcern must be an object')
  onlyFields(value, 'writeConcern', ['w', 'j', 'wtimeout', 'fsync', 'provenance'])
  if (flagField(value, 'fsync') && flagField(value, 'j'))
    throw new EngineError('FailedToParse', 'fsync and j options cannot be used together')
  flagField(value, 'j')
  const { w } = value
  if (w === undefined || w === 'majority') return
  if (isNumber(w) && (Number(w) < 0 || Number(w) > 50))
    throw new EngineError('FailedToParse', 'w has to be a non-negative number and not greater than 50')
  if (isNumber(w) && Number(w) <= 1) return
  throw new EngineError('BadValue', "cannot use 'w' > 1 when a host is not replicated")
}
