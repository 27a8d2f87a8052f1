import { checkNamespace, missingField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { bulkFields } from '../wire/message.ts'
import {
  type Call,
  type Command,
  collation,
  collectionName,
  type FieldRule,
  flag,
  harmless,
  implemented,
  strictFlag,
} from './command.ts'

export const noValidation = harmless('there is no document validation', flag('bypassDocumentValidation'))

export const insert = writeCommand('insert', { documents: implemented })
export const update = writeCommand('update', { updates: implemented, let: implemented })
export const remove = writeCommand('delete', { deletes: implemented, let: implemented })

/** Finds one document and updates or removes it in one step. */
export const findAndModify: Command = {
  names: ['findAndModify', 'findandmodify'],
  fields: {
    query: implemented,
    sort: implemented,
    update: implemented,
    remove: implemented,
    new: implemented,
    fields: implemented,
    upsert: implemented,
    arrayFilters: implemented,
    hint: implemented,
    let: implemented,
    collation,
    bypassDocumentValidation: noValidation,
  },
  run: toWriter,
}

/** Sends the message to the writer thread, which may take over its memory. @returns the answer, once committed */
export function toWriter(call: Call): Promise<Uint8Array> {
  if (typeof call.body[call.message.fields[0]!] === 'string') collectionName(call)
  return call.engine.writer.write({ kind: 'command', message: call.message.bytes })
}

/** @throws EngineError Location40414 if the field with the operations is missing, InvalidLength for none or too many of them */
export function checkOperationCount({ message }: Call): void {
  const [name = ''] = message.fields
  const field = bulkFields[name] ?? ''
  if (!message.fields.includes(field)) throw missingField(`${name}.${field}`)
  const operations = message.bulk.length / 2
  if (operations >= 1 && operations <= limits.writeBatch) return
  throw new EngineError(
    'InvalidLength',
    `Write batch sizes must be between 1 and ${limits.writeBatch}. Got ${operations} operations.`,
  )
}

function writeCommand(name: 'insert' | 'update' | 'delete', own: Readonly<Record<string, FieldRule>>): Command {
  return {
    names: [name],
    fields: {
      ordered: { rule: 'implemented', check: strictFlag('ordered') },
      bypassDocumentValidation: noValidation,
      ...own,
    },
    run(call) {
      checkNamespace(call.database, collectionName(call), limits.namespaceBytes)
      checkOperationCount(call)
      return toWriter(call)
    },
  }
}
