/** What a server answers to a case, in a form in which two servers can be compared: number types and field order count. */
import { EJSON } from 'bson'
import { type Db, type Document, ObjectId, Timestamp } from 'mongodb'
import type { Case } from './cases.ts'

/** Whoever runs commands: a database, or in tests one with a fault. */
export type Server = { readonly run: (command: Document) => Promise<Document> }

/** Values of a client whose documents keep their number types, so that they can be compared. */
export const exactValues = { promoteValues: false, bsonRegExp: true, ignoreUndefined: true } as const

export function serverOf(db: Db): Server {
  return { run: (command) => db.command(command, exactValues) }
}

/**
 * One text for each step, and one for what the collection holds at the end. After a change of many documents that was
 * refused half way no more is asked: which of them had their turn is nobody's promise.
 */
export async function answersOf(server: Server, { docs, indexes, steps }: Case): Promise<readonly string[]> {
  await server.run({ drop: 'c' })
  if (docs.length === 0) await server.run({ create: 'c' })
  const answers: string[] = []
  const whole = { find: 'c', filter: {}, sort: { _id: 1 } }
  const before: readonly Document[] = [
    ...(docs.length === 0 ? [] : [{ insert: 'c', documents: docs }]),
    ...indexes.map((spec) => ({ createIndexes: 'c', indexes: [spec] })),
  ]
  for (const step of [...before, ...steps, whole]) {
    const answer = await answerOf(server, step)
    answers.push(answer)
    if (answer.includes('"code"') && changesMany(step)) break
  }
  return answers
}

function changesMany({ updates, deletes }: Document): boolean {
  return (updates?.[0]?.multi ?? deletes?.[0]?.limit === 0) === true
}

async function answerOf(server: Server, command: Document): Promise<string> {
  try {
    return shown(comparable(await server.run(command), command))
  } catch (error) {
    const { code } = error as { readonly code?: number }
    if (code === undefined) throw error
    return shown({ code })
  }
}

/** The part of a reply that MongoDB promises. */
function comparable(reply: Document, command: Document): Document {
  const { cursor, values, n, nModified, upserted, writeErrors, value, lastErrorObject } = reply
  if (cursor !== undefined)
    return { documents: command.sort === undefined ? unordered(cursor.firstBatch) : cursor.firstBatch }
  if (values !== undefined) return { values: unordered(values) }
  const failed = writeErrors?.map(({ index, code }: Document) => ({ index, code }))
  return { n, nModified, upserted, value, lastErrorObject, ...(failed && { writeErrors: failed }) }
}

function unordered(list: readonly unknown[]): unknown[] {
  return [...list].sort((a, b) => (shown(a) < shown(b) ? -1 : 1))
}

function shown(answer: unknown): string {
  return EJSON.stringify(anonymous(answer), { relaxed: false })
}

/** Ids that a server made up, and the time of day, are not compared. */
function anonymous(value: unknown): unknown {
  if (value instanceof ObjectId) return value.toHexString().startsWith('0000') ? value : 'an id'
  if (value instanceof Date) return value.getTime() > recent ? 'now' : value
  if (value instanceof Timestamp) return value.t * 1000 > recent ? 'now' : value
  if (Array.isArray(value)) return value.map(anonymous)
  if (value === null || typeof value !== 'object' || '_bsontype' in value) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, anonymous(inner)]))
}

const recent = Date.UTC(2020, 0)
