import { constantsOf } from '../aggregate/expression.ts'
import type { Constants } from '../aggregate/scope.ts'
import {
  checkCollation,
  deadlineOf,
  documentField,
  flagField,
  hintField,
  isNumber,
  missingField,
  optionalDocument,
  optionalDocuments,
  strictFlagField,
  textField,
} from '../arguments.ts'
import { decodeRequest } from '../bson/decode.ts'
import type { Document, Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { checkQuery } from '../plan/query.ts'
import { elements } from '../store/elements.ts'
import { compileUpdate } from '../update/compile.ts'
import type { Message } from '../wire/message.ts'
import { allRecords, applyDelete, applyUpdate, applyUpsert, eachInChunks, firstTarget, searchFor } from './change.ts'
import { ensureCollection, type Statement, type WriteContext } from './context.ts'
import { type WriteError, writeError } from './results.ts'
import { updateSpec } from './specs.ts'

/** The fields that one statement of an `update`, and of a `delete`, may have. Only the simple collation is accepted. */
export const updateFields = ['q', 'u', 'upsert', 'multi', 'arrayFilters', 'sort', 'hint', 'collation'] as const
export const deleteFields = ['q', 'limit', 'hint', 'collation'] as const

/** Source: the `update` command. Its statements run in turn, each on one document or, with `multi`, on many in chunks. */
export function* update(ctx: WriteContext, message: Message): Statement {
  const database = textField(message.body, '$db')
  const name = textField(message.body, 'update')
  const ordered = flagField(message.body, 'ordered', true)
  checkFieldNames(message, 'update.updates', updateFields)
  const run = runOf(message)
  const errors: WriteError[] = []
  const upserted: Document[] = []
  const counts = { n: 0, nModified: 0 }
  for (let i = 0; i < message.bulk.length; i += 2) {
    const before = { ...counts }
    try {
      const spec = decodeRequest(message.bytes.subarray(message.bulk[i], message.bulk[i + 1]))
      const id = yield* updateOne(ctx, database, name, readUpdate(spec, 'q', 'u'), counts, run)
      if (id !== undefined) upserted.push({ index: i / 2, _id: id })
    } catch (error) {
      // The changes that a statement made before it failed remain, but are not counted, as in mongod.
      Object.assign(counts, before)
      errors.push(writeError(i / 2, error))
      if (ordered) break
    }
    if ((i / 2 + 1) % limits.stepOperations === 0) yield
  }
  return {
    ...counts,
    ...(upserted.length > 0 && { upserted }),
    ...(errors.length > 0 && { writeErrors: errors }),
    ok: 1,
  }
}

/** Source: the `delete` command. */
export function* remove(ctx: WriteContext, message: Message): Statement {
  const database = textField(message.body, '$db')
  const name = textField(message.body, 'delete')
  const ordered = flagField(message.body, 'ordered', true)
  checkFieldNames(message, 'delete.deletes', deleteFields)
  const run = runOf(message)
  const errors: WriteError[] = []
  const counts = { n: 0 }
  for (let i = 0; i < message.bulk.length; i += 2) {
    const before = { ...counts }
    try {
      const spec = decodeRequest(message.bytes.subarray(message.bulk[i], message.bulk[i + 1]))
      yield* deleteOne(ctx, database, name, readDelete(spec), counts, run)
    } catch (error) {
      Object.assign(counts, before)
      errors.push(writeError(i / 2, error))
      if (ordered) break
    }
    if ((i / 2 + 1) % limits.stepOperations === 0) yield
  }
  return { ...counts, ...(errors.length > 0 && { writeErrors: errors }), ok: 1 }
}

/** One update, of whichever command. */
export type OneUpdate = {
  readonly filter: Document
  readonly update: Document | readonly Document[]
  readonly multi: boolean
  readonly upsert: boolean
  readonly arrayFilters: readonly Document[] | undefined
  readonly sort: Document | undefined
  readonly hint: string | Document | undefined
}

/** One removal, of whichever command. */
export type OneDelete = Pick<OneUpdate, 'filter' | 'multi' | 'hint'>

/** Reads an update from `spec`; commands differ in how they name the fields of filter and change. @throws EngineError */
export function readUpdate(spec: Document, filterField: string, updateField: string): OneUpdate {
  checkCollation(spec)
  const multi = strictFlagField(spec, 'multi')
  const sort = optionalDocument(spec, 'sort')
  if (multi && sort !== undefined) throw new EngineError('FailedToParse', 'Cannot specify sort with multi=true')
  return {
    filter: documentField(spec, filterField),
    update: updateSpec(spec, updateField),
    multi,
    upsert: strictFlagField(spec, 'upsert'),
    arrayFilters: optionalDocuments(spec, 'arrayFilters'),
    sort,
    hint: hintField(spec),
  }
}

/** What all statements of a command share. */
export type Run = { readonly deadline: number | undefined; readonly names: Constants; readonly now: Date }

export function runOf({ body }: Message): Run {
  const now = new Date()
  return { deadline: deadlineOf(body), names: constantsOf(optionalDocument(body, 'let'), now), now }
}

/** An unknown field in any statement refuses the command before the first of them runs, as mongod's parser does. */
function checkFieldNames({ bytes, bulk }: Message, where: string, known: readonly string[]): void {
  for (let i = 0; i < bulk.length; i += 2) {
    for (const { name } of elements(bytes, bulk[i]!)) {
      if (!known.includes(name)) throw new EngineError(40415, `BSON field '${where}.${name}' is an unknown field.`)
    }
  }
}

/** Runs one update and adds its effect to `counts`. @returns the `_id` of the document that an upsert inserted */
export function* updateOne(
  ctx: WriteContext,
  database: string,
  name: string,
  { filter, update, multi, upsert, arrayFilters, sort, hint }: OneUpdate,
  counts: { n: number; nModified: number },
  { deadline, names, now }: Run,
): Generator<void, Value | undefined, void> {
  const compiled = compileUpdate(update, { arrayFilters, names })
  if (multi && compiled.kind === 'replacement')
    throw new EngineError('FailedToParse', 'multi update is not supported for replacement-style update')
  const place = upsert ? 'upsert' : 'query'
  const request = { filter, place, sort, hint, limit: multi ? 0 : 1, names } as const
  const collection = upsert ? ensureCollection(ctx, database, name) : ctx.store.collection(database, name)
  if (collection === undefined) {
    checkQuery(request)
    return undefined
  }
  const query = searchFor(ctx, collection, request)
  const before = counts.n
  const tally = (changed: boolean) => {
    counts.n++
    if (changed) counts.nModified++
  }
  if (multi) {
    yield* eachInChunks(ctx, collection, allRecords(query, deadline), query, compiled.fields, (current, target) =>
      tally(applyUpdate(ctx, current, target, compiled, query.matcher, now).changed),
    )
  } else {
    const target = firstTarget(query, deadline)
    if (target !== undefined) tally(applyUpdate(ctx, collection, target, compiled, query.matcher, now).changed)
  }
  if (counts.n > before || !upsert) return undefined
  const doc = applyUpsert(ctx, database, name, query, compiled, now)
  counts.n++
  return doc._id
}

/** A removal reads no fields besides those of its filter and of the indexes. */
const none: ReadonlySet<string> = new Set()

/** Reads one statement of a `delete`. */
function readDelete(spec: Document): OneDelete {
  checkCollation(spec)
  if (spec.limit === undefined) throw missingField('delete.deletes.limit')
  const limit = isNumber(spec.limit) ? Number(spec.limit) : undefined
  if (limit !== 0 && limit !== 1)
    throw new EngineError('FailedToParse', 'The limit field in delete objects must be 0 or 1.')
  return { filter: documentField(spec, 'q'), multi: limit === 0, hint: hintField(spec) }
}

/** Runs one removal and adds the number of removed documents to `counts`. */
export function* deleteOne(
  ctx: WriteContext,
  database: string,
  name: string,
  { filter, multi, hint }: OneDelete,
  counts: { n: number },
  { deadline, names }: Run,
): Generator<void, void, void> {
  const request = { filter, hint, limit: multi ? 0 : 1, names }
  const collection = ctx.store.collection(database, name)
  if (collection === undefined) {
    checkQuery(request)
    return
  }
  const query = searchFor(ctx, collection, request)
  if (!multi) {
    const target = firstTarget(query, deadline)
    if (target === undefined) return
    applyDelete(ctx, collection, target)
    counts.n++
    return
  }
  yield* eachInChunks(ctx, collection, allRecords(query, deadline), query, none, (current, target) => {
    applyDelete(ctx, current, target)
    counts.n++
  })
}
