/** The operations of a `bulkWrite`, checked as mongod's parser checks them before the first of them runs. */
import {
  checkNamespace,
  checkNamespaceForm,
  countField,
  databaseName,
  documentsField,
  onlyFields,
  splitNamespace,
  textField,
} from '../arguments.ts'
import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { EngineError, type ErrorName } from '../errors.ts'
import { limits } from '../limits.ts'
import { bsonType, type Element, elements } from '../store/elements.ts'
import type { Message } from '../wire/message.ts'
import { withOnly } from './insert.ts'

type Kind = 'insert' | 'update' | 'delete'
type Namespace = { readonly database: string; readonly name: string }

/** One operation. `from` and `to` delimit the document of an insert, and the whole operation of any other kind. */
export type Operation = Namespace & { readonly kind: Kind; readonly from: number; readonly to: number }

type Form = {
  readonly types: readonly number[]
  readonly expected: string
  readonly required?: true
  readonly refusal?: ErrorName
}

const object: Form = { types: [bsonType.document], expected: 'object' }
const flag: Form = { types: [bsonType.bool], expected: 'bool' }
const list: Form = { types: [bsonType.array], expected: 'array' }
const hint: Form = {
  types: [bsonType.string, bsonType.document],
  expected: 'string or object',
  refusal: 'FailedToParse',
}
const change: Form = {
  types: [bsonType.document, bsonType.array],
  expected: 'object or array',
  required: true,
  refusal: 'FailedToParse',
}

/** The fields that each kind may have after its first, which names the namespace. Only the simple collation is accepted. */
export const operationFields: Readonly<Record<Kind, Readonly<Record<string, Form>>>> = {
  insert: { document: { ...object, required: true } },
  update: {
    filter: { ...object, required: true },
    updateMods: change,
    multi: flag,
    upsert: flag,
    arrayFilters: list,
    sort: object,
    hint,
    collation: object,
  },
  delete: { filter: { ...object, required: true }, multi: flag, hint, collation: object },
}

/** @throws EngineError for anything malformed, with the code of mongod's parser */
export function readOperations({ bytes, bulk, body }: Message): Operation[] {
  const namespaces = documentsField(body, 'nsInfo').map(readNamespace)
  const operations: Operation[] = []
  for (let i = 0; i < bulk.length; i += 2) operations.push(readOperation(bytes, bulk[i]!, bulk[i + 1]!, namespaces))
  return operations
}

/** Checks the form of a namespace only; whether it may be written to is checked by each operation that writes to it. */
function readNamespace(entry: Document): Namespace {
  onlyFields(entry, 'bulkWrite.nsInfo', ['ns'])
  const [database, name] = splitNamespace(textField(entry, 'ns'))
  databaseName(database, limits.databaseNameBytes)
  checkNamespaceForm(database, name, limits.namespaceBytes)
  return { database, name }
}

function readOperation(bytes: Buffer, from: number, to: number, namespaces: readonly Namespace[]): Operation {
  const [first, ...others] = elements(bytes, from)
  const kind = first?.name
  if (first === undefined || !isKind(kind)) throw unknownField(kind ?? '')
  const index = countField(decode(withOnly(bytes.subarray(first.start, first.end))), kind)
  const namespace = index === undefined ? undefined : namespaces[index]
  if (namespace === undefined)
    throw new EngineError('BadValue', `BulkWrite ops entry { ${kind}: ${index}, ... } has an invalid nsInfo index.`)
  checkForm(kind, others)
  if (kind !== 'insert') return { ...namespace, kind, from, to }
  // Checked here because in mongod an insert into such a namespace fails the whole command.
  checkNamespace(namespace.database, namespace.name, limits.namespaceBytes)
  const document = others[0]!
  return { ...namespace, kind, from: document.value, to: document.end }
}

function isKind(name: string | undefined): name is Kind {
  return name !== undefined && Object.hasOwn(operationFields, name)
}

function checkForm(kind: Kind, fields: readonly Element[]): void {
  const forms = operationFields[kind]
  for (const { name, type } of fields) {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined
    if (form === undefined) throw unknownField(name)
    if (!form.types.includes(type))
      throw new EngineError(
        form.refusal ?? 'TypeMismatch',
        `BSON field 'bulkWrite.ops.${name}' is the wrong type, expected type '${form.expected}'`,
      )
  }
  for (const [name, { required }] of Object.entries(forms)) {
    if (required && !fields.some((field) => field.name === name))
      throw new EngineError(40414, `BSON field 'bulkWrite.ops.${name}' is missing but a required field`)
  }
}

function unknownField(name: string): EngineError {
  return new EngineError(40415, `BSON field 'bulkWrite.ops.${name}' is an unknown field.`)
}
