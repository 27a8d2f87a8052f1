/**
 * The journal of a database: which documents were written since it was begun, so that a copy of the database can catch up.
 *
 * Invariants
 * - A write and its entry are in one commit. Entries are numbered in the order of the commits; numbers are not used again
 *   while the newest entry is there, which is never trimmed.
 * - An entry names the document alone: whoever reads it looks up what the document is by then.
 * - What capped collections hold is not noted, nor is a collection that is dropped or renamed.
 */
import { flagField, textField } from '../arguments.ts'
import type { Value } from '../bson/document.ts'
import { encode } from '../bson/encode.ts'
import { EngineError } from '../errors.ts'
import type { Collection } from '../store/catalog.ts'
import { indexedPart } from '../store/entries.ts'
import type { Message } from '../wire/message.ts'
import {
  changed,
  createCollection,
  nextRecord,
  removeCollection,
  type Statement,
  type WriteContext,
} from './context.ts'
import { insertRecord, removeRecord } from './records.ts'

export const journalName = 'system.journal'

/** How many entries go with one command, and about how many bytes of them are read. */
const trimMax = 10_000
const trimBytes = 4 * 1024 * 1024

/** Notes that a document is written. `idOf` is asked only where there is a journal. */
export function noteWrite(ctx: WriteContext, { database, name, capped }: Collection, idOf: () => Value): void {
  const journal = ctx.store.collection(database, journalName)
  if (journal === undefined || capped !== undefined || name === journalName) return
  const record = nextRecord(ctx, journal)
  insertRecord(ctx.store, journal, record, encode({ _id: record, collection: name, key: idOf() }), () => undefined)
}

/**
 * The engine's own command `embeddedJournal`: true begins the journal of a database, unless there is one; false ends it, and removes its
 * entries. `trimBefore` removes those with lower numbers, some at a time.
 */
// biome-ignore lint/correctness/useYield: a statement that never rests
export function* embeddedJournal(ctx: WriteContext, { body }: Message): Statement {
  const database = textField(body, '$db')
  const isOn = flagField(body, 'embeddedJournal')
  const journal = ctx.store.collection(database, journalName)
  if (isOn && journal === undefined) createCollection(ctx, database, journalName)
  if (!isOn && journal !== undefined) {
    removeCollection(ctx, journal)
    changed(ctx)
  }
  const trimmed = isOn && journal !== undefined ? trim(ctx, journal, body.trimBefore) : 0
  return { trimmed, ok: 1 }
}

function trim(ctx: WriteContext, journal: Collection, before: Value | undefined): number {
  if (before === undefined) return 0
  const end = Number(before)
  if (!Number.isSafeInteger(end)) throw new EngineError('BadValue', 'trimBefore needs the number of an entry')
  const records = ctx.store.records(journal.id)
  const last = records.last()
  const old = records.after(0, trimMax, trimBytes).filter(([record]) => record < Math.min(end, last))
  for (const [record, bytes] of old) removeRecord(ctx.store, journal, record, indexedPart(journal, bytes))
  return old.length
}
