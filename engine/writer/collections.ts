import { checkNamespace, flagField, splitNamespace, textField } from '../arguments.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import { namespace } from '../store/catalog.ts'
import type { Message } from '../wire/message.ts'
import { changed, ensureCollection, removeCollection, type Statement, type WriteContext } from './context.ts'
import { existingCollection } from './indexes.ts'
import { cappedOptions, collectionOptions } from './specs.ts'

/** Source: `create`. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* create(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'create')
  if (ctx.store.collection(database, name) !== undefined) {
    throw new EngineError('NamespaceExists', `Collection ${namespace(database, name)} already exists.`)
  }
  ensureCollection(ctx, database, name, collectionOptions(body, cappedOptions(body)))
  return { ok: 1 }
}

/** Source: `drop`; since MongoDB 7.0 a missing collection is not an error. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* drop(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const name = textField(body, 'drop')
  const collection = ctx.store.collection(database, name)
  if (collection === undefined) return { ok: 1 }
  removeCollection(ctx, collection)
  changed(ctx)
  return { nIndexesWas: collection.indexes.length, ns: namespace(database, name), ok: 1 }
}

/** Source: `dropDatabase`. */
export function* dropDatabase(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const gone = [...ctx.store.catalog.byName.values()].filter((collection) => collection.database === database)
  for (const collection of gone) removeCollection(ctx, collection)
  changed(ctx)
  return { ...(gone.length > 0 && { dropped: database }), ok: 1 }
}

/** Source: `renameCollection`, which is run against `admin` and names collections with their database. */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* renameCollection(ctx: WriteContext, { body }: Message): Statement {
  const [fromDatabase, fromName] = splitNamespace(textField(body, 'renameCollection'))
  const [toDatabase, toName] = splitNamespace(textField(body, 'to'))
  const collection = existingCollection(ctx, fromDatabase, fromName)
  checkNamespace(toDatabase, toName, limits.namespaceBytes)
  const target = ctx.store.collection(toDatabase, toName)
  if (target?.id === collection.id) throw new EngineError('IllegalOperation', "Can't rename a collection to itself")
  if (target !== undefined) {
    if (!flagField(body, 'dropTarget')) throw new EngineError('NamespaceExists', 'target namespace exists')
    removeCollection(ctx, target)
  }
  ctx.store.db.prepare('UPDATE catalog SET db = ?, name = ? WHERE id = ?').run(toDatabase, toName, collection.id)
  changed(ctx)
  return { ok: 1 }
}
