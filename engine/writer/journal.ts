/**
 * The journal of a database: which documents have been written since it was begun, so that a copy of the database can catch up.
 *
 * Invariants
 * - A write and its entry are in one commit. Entries are numbered in the order of the commits. The newest entry is never
 *   trimmed, so that its number is not given out again.
 * - An entry only names the document: a reader of the journal looks up the current state of the document.
 * - Writes to capped collections have no entries, nor has the drop or rename of a collection.
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

/** How many entries one command removes at most, and about how many bytes of them it reads. */
const trimMax = 10_000
const trimBytes = 4 * 1024 * 1024

/** Adds the entry for a document that is written. `idOf` is called only if the database has a journal. */
export function noteWrite(ctx: WriteContext, { database, name, capped }: Collection, idOf: () => Value): void {
  const journal = ctx.store.collection(database, journalName)
  if (journal === undefined || capped !== undefined || name === journalName) return
  const record = nextRecord(ctx, journal)
  insertRecord(ctx.store, journal, record, encode({ _id: record, collection: name, key: idOf() }), () => undefined)
}

/**
 * The engine's own command `embeddedJournal`: true begins the journal of a database unless it has one; false ends it and
 * removes its entries. `trimBefore` removes entries with lower numbers, at most `trimMax` per command.
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
  if (!Number.isSafeInteger(end)) throw new EngineError('BadValue', 'trimBefore must be the number of an entry')
  const records = ctx.store.records(journal.id)
  const last = records.last()
  const old = records.after(0, trimMax, trimBytes).filter(([record]) => record < Math.min(end, last))
  for (const [record, bytes] of old) removeRecord(ctx.store, journal, record, indexedPart(journal, bytes))
  return old.length
}
