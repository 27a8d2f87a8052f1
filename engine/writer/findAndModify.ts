import { constantsOf } from '../aggregate/expression.ts'
import type { Constants } from '../aggregate/scope.ts'
import { deadlineOf, flagField, hintField, optionalDocument, optionalDocuments, textField } from '../arguments.ts'
import type { Document, Value } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { compileFilter } from '../match/compile.ts'
import { parseFilter } from '../match/parse.ts'
import { checkQuery } from '../plan/query.ts'
import { compileProjection } from '../project/project.ts'
import { compileUpdate, type Update } from '../update/compile.ts'
import type { Message } from '../wire/message.ts'
import { applyDelete, applyUpdate, applyUpsert, firstTarget, searchFor } from './change.ts'
import { ensureCollection, type Statement, type WriteContext } from './context.ts'
import { updateSpec } from './specs.ts'

/** Finds one document and changes or removes it, in one step of the writer. Source: the `findAndModify` command. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* findAndModify(ctx: WriteContext, message: Message): Statement {
  const { body } = message
  const database = textField(body, '$db')
  const name = textField(body, message.fields[0]!)
  const filter = optionalDocument(body, 'query') ?? {}
  const removing = flagField(body, 'remove')
  const upsert = flagField(body, 'upsert')
  const wantsNew = flagField(body, 'new')
  const now = new Date()
  const names = constantsOf(optionalDocument(body, 'let'), now)
  const compiled = changeOf(body, { removing, upsert, wantsNew, names })
  const project = projection(body, filter, names)
  const deadline = deadlineOf(body)
  const place = upsert ? 'upsert' : 'query'
  const request = {
    filter,
    place,
    sort: optionalDocument(body, 'sort'),
    hint: hintField(body),
    limit: 1,
    names,
  } as const
  const collection = upsert ? ensureCollection(ctx, database, name) : ctx.store.collection(database, name)
  if (collection === undefined) {
    checkQuery(request)
    return answer(null, removing, undefined, 0)
  }
  const query = searchFor(ctx, collection, request)
  const target = firstTarget(query, deadline)
  if (compiled === undefined) {
    if (target !== undefined) applyDelete(ctx, collection, target)
    return answer(target === undefined ? null : project(target.doc), true, undefined, target === undefined ? 0 : 1)
  }
  if (target !== undefined) {
    const result = applyUpdate(ctx, collection, target, compiled, query.matcher, now)
    return answer(project(wantsNew ? result.doc : target.doc), false, undefined, 1)
  }
  if (!upsert) return answer(null, false, undefined, 0)
  const doc = applyUpsert(ctx, database, name, query, compiled, now)
  return answer(wantsNew ? project(doc) : null, false, doc._id, 1)
}

type Wanted = {
  readonly removing: boolean
  readonly upsert: boolean
  readonly wantsNew: boolean
  readonly names: Constants
}

/** The compiled update, undefined for a removal. */
function changeOf(body: Document, { removing, upsert, wantsNew, names }: Wanted): Update | undefined {
  if (removing) {
    if (body.update !== undefined)
      throw new EngineError('FailedToParse', 'Cannot specify both an update and remove=true')
    if (upsert) throw new EngineError('FailedToParse', 'Cannot specify both upsert=true and remove=true')
    if (wantsNew)
      throw new EngineError(
        'FailedToParse',
        "Cannot specify both new=true and remove=true; 'remove' always returns the deleted document",
      )
    if (body.arrayFilters !== undefined)
      throw new EngineError('FailedToParse', 'Cannot specify arrayFilters and remove=true')
    return undefined
  }
  if (body.update === undefined)
    throw new EngineError('FailedToParse', 'Either an update or remove=true must be specified')
  return compileUpdate(updateSpec(body, 'update'), { arrayFilters: optionalDocuments(body, 'arrayFilters'), names })
}

function projection(body: Document, filter: Document, names: Constants): (doc: Document) => Document {
  const fields = optionalDocument(body, 'fields')
  if (fields === undefined || Object.keys(fields).length === 0) return (doc) => doc
  return compileProjection(fields, { filter, matcher: compileFilter(parseFilter(filter), names) }, names)
}

function answer(value: Document | null, removing: boolean, upserted: Value | undefined, n: number): Document {
  const lastErrorObject: Document = { n }
  if (!removing) lastErrorObject.updatedExisting = n === 1 && upserted === undefined
  if (upserted !== undefined) lastErrorObject.upserted = upserted
  return { lastErrorObject, value, ok: 1 }
}
