/**
 * Where a mongos sends a command: to the shard that one value of the shard key names, to those of a few values, or to all of them.
 * Source: MongoDB's manual, "Sharded Collection Operations" (targeted and broadcast), "Change a Document's Shard Key Value". Stricter than a
 * mongos since 7.0, which finds the shard of a single write by asking all of them first: here such a write is refused.
 */
import type { Document } from 'bson'
import { collections } from '../../../store/collections.ts'

/** The shard key of each collection by its name in the database; of those that are not sharded none. */
export type ShardKeys = ReadonlyMap<string, string>

export const declaredKeys: ShardKeys = new Map(
  Object.entries(collections).flatMap(([key, row]) =>
    row.shardKey === null ? [] : [['name' in row ? row.name : key, row.shardKey] as const],
  ),
)

/** What of a command a shard key decides. */
export type Step = {
  readonly collection: string
  readonly kind: 'read' | 'write'
  readonly target: 'one' | 'few' | 'all'
  /** The fields that the filter names, sorted. */
  readonly by: readonly string[]
  /** Why no mongos does this, or none does it well. */
  readonly refused?: string
}

/** The steps of a command. What it does to collections that are not sharded is left out. */
export function stepsOf(command: Document, keys: ShardKeys): readonly Step[] {
  const [name = ''] = Object.keys(command)
  const make = commands[name]
  const isRetryable = command.txnNumber !== undefined
  return make === undefined
    ? []
    : make(command, (collection) => ({ collection, key: keys.get(collection), isRetryable }))
}

type Place = { readonly collection: string; readonly key: string | undefined; readonly isRetryable: boolean }
type Make = (command: Document, place: (collection: string) => Place) => readonly Step[]

const commands: { readonly [name: string]: Make } = {
  find: ({ find, filter = {} }, place) => read(place(find), filter),
  count: ({ count, query = {} }, place) => read(place(count), query),
  distinct: ({ distinct, query = {} }, place) => read(place(distinct), query),
  aggregate({ aggregate, pipeline }, place) {
    if (typeof aggregate !== 'string') return []
    const stages = pipeline as readonly Document[]
    const first = stages.findIndex((stage) => stage.$match === undefined)
    const matches = stages.slice(0, first === -1 ? stages.length : first).map(({ $match }) => $match as Document)
    return [
      ...read(place(aggregate), { $and: matches }),
      ...stages.flatMap(({ $lookup }) => ($lookup === undefined ? [] : lookup(place($lookup.from), $lookup))),
    ]
  },
  insert: ({ insert, documents }, place) =>
    (documents as readonly Document[]).flatMap((document) => insertion(place(insert), document)),
  update: ({ update, updates }, place) =>
    (updates as readonly Document[]).flatMap(({ q, u, multi = false, upsert = false }) =>
      change(place(update), { filter: q, update: u, multi, upsert, isAlone: updates.length === 1 }),
    ),
  delete: (command, place) =>
    (command.deletes as readonly Document[]).flatMap(({ q, limit }) =>
      removal(place(command.delete), { filter: q, multi: limit === 0 }),
    ),
  findAndModify({ findAndModify, query = {}, update, upsert = false, remove = false }, place) {
    const at = place(findAndModify)
    if (remove) return removal(at, { filter: query, multi: false })
    return change(at, { filter: query, update, multi: false, upsert, isAlone: true })
  },
  bulkWrite({ ops, nsInfo }, place) {
    const at = (n: number) => place((nsInfo[n].ns as string).slice((nsInfo[n].ns as string).indexOf('.') + 1))
    return (ops as readonly Document[]).flatMap((op) => {
      if (op.insert !== undefined) return insertion(at(op.insert), op.document)
      if (op.delete !== undefined) return removal(at(op.delete), { filter: op.filter, multi: op.multi === true })
      const { filter, updateMods: update, multi = false, upsert = false } = op
      return change(at(op.update), { filter, update, multi, upsert, isAlone: ops.length === 1 })
    })
  },
}

function read({ collection, key }: Place, filter: Document): Step[] {
  if (key === undefined) return []
  const values = valuesOf(filter, key)
  const target = values === null ? 'all' : values.length === 1 ? 'one' : 'few'
  return [{ collection, kind: 'read', target, by: fieldsOf(filter) }]
}

/** Of a join each document asks again. */
function lookup({ collection, key }: Place, { foreignField, pipeline = [] }: Document): Step[] {
  if (key === undefined) return []
  const isTargeted =
    foreignField === key || (pipeline[0]?.$match !== undefined && fieldsOf(pipeline[0].$match).includes(key))
  return [{ collection, kind: 'read', target: isTargeted ? 'few' : 'all', by: ['$lookup', foreignField ?? '$expr'] }]
}

function insertion({ collection, key }: Place, document: Document): Step[] {
  if (key === undefined) return []
  const isThere = document[key] !== undefined && document[key] !== null
  const by = Object.keys(document).toSorted()
  return [write({ collection, by, target: 'one' }, isThere ? undefined : `inserts a document without ${key}`)]
}

function removal({ collection, key }: Place, { filter, multi }: { filter: Document; multi: boolean }): Step[] {
  if (key === undefined) return []
  const values = valuesOf(filter, key)
  const by = fieldsOf(filter)
  if (multi) return [write({ collection, by, target: values === null ? 'all' : values.length === 1 ? 'one' : 'few' })]
  return [
    write({ collection, by, target: 'one' }, values?.length === 1 ? undefined : `deletes one document without ${key}`),
  ]
}

function change(
  { collection, key, isRetryable }: Place,
  {
    filter,
    update,
    multi,
    upsert,
    isAlone,
  }: { filter: Document; update: Document; multi: boolean; upsert: boolean; isAlone: boolean },
): Step[] {
  if (key === undefined) return []
  const values = valuesOf(filter, key)
  const by = fieldsOf(filter)
  const step = {
    collection,
    by,
    target: values === null ? ('all' as const) : values.length === 1 ? ('one' as const) : ('few' as const),
  }
  if (upsert && values?.length !== 1) return [write(step, `upserts without ${key}`)]
  if (!multi && values?.length !== 1) return [write(step, `updates one document without ${key}`)]
  const to = newKeyOf(update, key)
  if (to === undefined || (values?.length === 1 && sameValue(to, values[0]))) return [write(step)]
  if (multi) return [write(step, `changes ${key} of many documents`)]
  if (!isRetryable) return [write(step, `changes ${key} without being a retryable write`)]
  return [write(step, isAlone ? undefined : `changes ${key} in a command with other writes`)]
}

const write = (step: Omit<Step, 'kind' | 'refused'>, refused?: string): Step => ({
  ...step,
  kind: 'write',
  ...(refused !== undefined && { refused }),
})

/** What an update makes of the shard key: undefined when it leaves it alone, null when that cannot be said. */
function newKeyOf(update: Document, key: string): unknown {
  if (Array.isArray(update)) {
    const named = update.some((stage) =>
      JSON.stringify(Object.keys(stage.$set ?? stage.$addFields ?? stage)).includes(`"${key}"`),
    )
    return named || update.some((stage) => '$replaceWith' in stage || '$replaceRoot' in stage) ? null : undefined
  }
  const operators = Object.entries(update)
  if (!operators.some(([name]) => name.startsWith('$'))) return key === '_id' ? undefined : (update[key] ?? null)
  for (const [operator, fields] of operators) {
    if (!(key in (fields as Document))) continue
    return operator === '$set' || operator === '$setOnInsert' ? (fields as Document)[key] : null
  }
  return undefined
}

const sameValue = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The values of a field that a filter lets through; null when it says nothing, or gives a range. */
export function valuesOf(filter: Document, key: string): readonly unknown[] | null {
  const direct = key in filter ? valuesIn(filter[key]) : null
  if (direct !== null) return direct
  for (const part of (filter.$and ?? []) as readonly Document[]) {
    const values = valuesOf(part, key)
    if (values !== null) return values
  }
  const parts = (filter.$or as readonly Document[] | undefined)?.map((part) => valuesOf(part, key))
  if (parts === undefined || parts.length === 0 || parts.includes(null)) return null
  return parts.flatMap((values) => values ?? [])
}

function valuesIn(condition: unknown): readonly unknown[] | null {
  if (condition instanceof RegExp || isType(condition, 'BSONRegExp')) return null
  if (!isPlain(condition)) return [condition]
  const operators = Object.keys(condition)
  if (!operators.some((name) => name.startsWith('$'))) return [condition]
  if ('$eq' in condition) return [condition.$eq]
  return Array.isArray(condition.$in) ? condition.$in : null
}

const isType = (value: unknown, name: string) => (value as { _bsontype?: string } | null)?._bsontype === name
const isPlain = (value: unknown): value is Document =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** The fields that a filter names, those within its $and and $or too. */
function fieldsOf(filter: Document): readonly string[] {
  const names = Object.entries(filter).flatMap(([name, condition]) =>
    name === '$and' || name === '$or' ? (condition as readonly Document[]).flatMap(fieldsOf) : [name],
  )
  return [...new Set(names)].toSorted()
}
