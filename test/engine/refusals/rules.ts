/**
 * What MongoDB 8.0 refuses, and with which code. A rule is a command, and the code that mongod answers it with; without a code it
 * is a near miss that must stay allowed. Sources are pages of MongoDB's manual, its test files and its source files.
 */
import type { Db, Document } from 'mongodb'

/** In a command, stands for the collection that each rule has for itself, which holds `documents`. */
export const collection = 'c'

export type Rule = readonly [name: string, command: Document, code?: number]

/** Rules by their source. */
export type Rules = Readonly<Record<string, readonly Rule[]>>

const documents: readonly Document[] = [
  { _id: 1, a: 5, s: 'x', list: [1, 2, 3], items: [{ k: 1 }, { k: 2 }], sub: { x: 1 } },
  { _id: 2, a: 6, id: { x: 1 } },
  { _id: { x: 1 }, a: 7 },
]

/** The code with which a database answers a rule's command, on a collection made for it. */
export async function codeOf(db: Db, command: Document): Promise<number | undefined> {
  const own = db.collection('rule')
  await own.insertMany(structuredClone(documents) as Document[])
  const [name = ''] = Object.keys(command)
  try {
    const reply = await db.command(command[name] === collection ? { ...command, [name]: own.collectionName } : command)
    return reply.writeErrors?.[0]?.code
  } catch (error) {
    return (error as { readonly code?: number }).code
  } finally {
    await own.drop()
  }
}

export const find = (filter: Document, options: Document = {}): Document => ({ find: collection, filter, ...options })

/** An update of the first document, unless `options` say otherwise. */
export const update = (u: unknown, options: Document = {}): Document => ({
  update: collection,
  updates: [{ q: { _id: 1 }, u, ...options }],
})

export const upsert = (q: Document, u: unknown): Document => ({ update: collection, updates: [{ q, u, upsert: true }] })

export const aggregate = (...pipeline: readonly unknown[]): Document => ({
  aggregate: collection,
  pipeline,
  cursor: {},
})

export const createIndex = (spec: Document): Document => ({
  createIndexes: collection,
  indexes: [{ key: { a: 1 }, name: 'n', ...spec }],
})
