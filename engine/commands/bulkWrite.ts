import { countField, onlyFields, optionalDocument } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { asBuffer, elements } from '../store/elements.ts'
import type { Body } from '../wire/reply.ts'
import { bulkResultsNamespace } from '../writer/protocol.ts'
import { type Call, type Command, implemented, strictFlag } from './command.ts'
import { cursorOver } from './cursors.ts'
import { checkOperationCount, noValidation, toWriter } from './writes.ts'

/** Inserts, updates and deletes on several collections, sent to the writer as one message. Source: MongoDB 8.0. */
export const bulkWrite: Command = {
  names: ['bulkWrite'],
  fields: {
    ops: implemented,
    nsInfo: implemented,
    ordered: { rule: 'implemented', check: strictFlag('ordered') },
    errorsOnly: { rule: 'implemented', check: strictFlag('errorsOnly') },
    let: implemented,
    cursor: implemented,
    bypassDocumentValidation: noValidation,
  },
  async run(call): Promise<Body> {
    const { body, database } = call
    if (database !== 'admin')
      throw new EngineError('Unauthorized', 'bulkWrite may only be run against the admin database.')
    checkOperationCount(call)
    const cursor = optionalDocument(body, 'cursor') ?? {}
    onlyFields(cursor, 'bulkWrite.cursor', ['batchSize'])
    const size = countField(cursor, 'batchSize')
    const answer = await toWriter(call)
    return size === undefined && answer.length <= limits.batchBytes ? answer : inBatches(call, answer, size)
  },
}

/** The writer's answer has all results in its first batch. Returns those that fit, and keeps the others for `getMore`. */
async function inBatches(call: Call, answer: Uint8Array, size = Number.MAX_SAFE_INTEGER): Promise<Body> {
  const bytes = asBuffer(answer)
  const found = new Map(elements(bytes, 0).map((element) => [element.name, element]))
  const cursor = found.get('cursor')
  const ok = found.get('ok')
  if (cursor === undefined || ok === undefined) return answer
  const batch = elements(bytes, cursor.value).find(({ name }) => name === 'firstBatch')!
  const results = elements(bytes, batch.value).map(({ value, end }) => bytes.subarray(value, end))
  // As in mongod, a first batch that holds all results leaves no cursor open.
  const count = size < results.length ? size : Number.MAX_SAFE_INTEGER
  return cursorOver(call, bulkResultsNamespace, results, count, bytes.subarray(cursor.end, ok.start))
}
