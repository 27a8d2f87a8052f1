/**
 * The prepared statements of one connection, made once per table.
 *
 * Every method resets its statement before it returns. No statement stays open between turns of the event loop, where it would
 * keep the write-ahead log from being restarted.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type Entry = readonly [key: Uint8Array, record: number]

/** The result of counting one part of a range. */
export type Counted = { readonly n: number; readonly last: Entry | undefined }

export type RecordTable = {
  readonly get: (record: number) => Uint8Array | undefined
  /** Records after (forward) or before (backward) `from`, at most `count` and about `bytes`. */
  readonly after: (from: number, count: number, bytes: number) => (readonly [number, Uint8Array])[]
  readonly before: (from: number, count: number, bytes: number) => (readonly [number, Uint8Array])[]
  readonly insert: (record: number, bytes: Uint8Array) => void
  readonly replace: (record: number, bytes: Uint8Array) => void
  readonly remove: (record: number) => void
  readonly has: (record: number) => boolean
  readonly last: () => number
  /** How many records there are and the bytes of them. */
  readonly totals: () => { documents: number; bytes: number }
}

export type IndexTable = {
  /** The record of an equal key other than `except`, if any. */
  readonly holder: (key: Uint8Array, except: number) => number | undefined
  readonly has: (key: Uint8Array, record: number) => boolean
  readonly insert: (key: Uint8Array, record: number) => void
  /** Inserts an entry unless it exists. */
  readonly ensure: (key: Uint8Array, record: number) => void
  readonly remove: (key: Uint8Array, record: number) => void
  /** Entries with low <= key < high, in order, after the entry `after` if given. */
  readonly forward: (low: Uint8Array, high: Uint8Array, after: Entry | undefined, count: number) => Entry[]
  readonly backward: (low: Uint8Array, high: Uint8Array, after: Entry | undefined, count: number) => Entry[]
  /** Counts at most `count` entries with low <= key < high after the entry `after`; `last` is where to continue if there may be more. */
  readonly countBetween: (low: Uint8Array, high: Uint8Array, after: Entry | undefined, count: number) => Counted
  readonly countAll: () => number
}

export class Tables {
  readonly #db: DatabaseSync
  readonly #records = new Map<number, RecordTable>()
  readonly #indexes = new Map<number, IndexTable>()

  constructor(db: DatabaseSync) {
    this.#db = db
  }

  records(collection: number): RecordTable {
    const known = this.#records.get(collection)
    if (known !== undefined) return known
    const table = recordTable(this.#db, `c_${collection}`)
    this.#records.set(collection, table)
    return table
  }

  index(index: number): IndexTable {
    const known = this.#indexes.get(index)
    if (known !== undefined) return known
    const table = indexTable(this.#db, `i_${index}`)
    this.#indexes.set(index, table)
    return table
  }

  createRecords(collection: number): void {
    this.#db.exec(`CREATE TABLE c_${collection}(r INTEGER PRIMARY KEY, d BLOB NOT NULL)`)
  }

  createIndex(index: number): void {
    this.#db.exec(`CREATE TABLE i_${index}(k BLOB, r INTEGER, PRIMARY KEY(k, r)) WITHOUT ROWID`)
  }

  dropRecords(collection: number): void {
    this.#records.delete(collection)
    this.#db.exec(`DROP TABLE c_${collection}`)
  }

  dropIndex(index: number): void {
    this.#indexes.delete(index)
    this.#db.exec(`DROP TABLE i_${index}`)
  }
}

/**
 * Limits the rows to the bound number. SQLite plans by the number that is bound to a bare `LIMIT ?`, so it prepares the statement
 * anew for each. It does not look inside an expression such as `+?` (`sqlite3ExprIsInteger` in its expr.c).
 */
const atMost = 'LIMIT +?'

function recordTable(db: DatabaseSync, table: string): RecordTable {
  const get = lazy(db, `SELECT d FROM ${table} WHERE r = ?`)
  const after = lazy(db, `SELECT r, d FROM ${table} WHERE r > ? ORDER BY r ${atMost}`)
  const before = lazy(db, `SELECT r, d FROM ${table} WHERE r < ? ORDER BY r DESC ${atMost}`)
  const insert = lazy(db, `INSERT INTO ${table}(r, d) VALUES (?, ?)`)
  const replace = lazy(db, `UPDATE ${table} SET d = ? WHERE r = ?`)
  const remove = lazy(db, `DELETE FROM ${table} WHERE r = ?`)
  const has = lazy(db, `SELECT 1 FROM ${table} WHERE r = ?`)
  const last = lazy(db, `SELECT max(r) FROM ${table}`)
  // Row headers contain the length of each blob, so the content of long documents is not read.
  const totals = lazy(db, `SELECT count(*), total(length(d)) FROM ${table}`)
  return {
    get: (record) => rowOf(get().get(record))?.[0] as Uint8Array | undefined,
    after: (from, count, bytes) => upTo(after(), from, count, bytes),
    before: (from, count, bytes) => upTo(before(), from, count, bytes),
    insert: (record, bytes) => void insert().run(record, bytes),
    replace: (record, bytes) => void replace().run(bytes, record),
    remove: (record) => void remove().run(record),
    has: (record) => has().get(record) !== undefined,
    last: () => Number(rowOf(last().get())?.[0] ?? 0),
    totals() {
      const [documents, bytes] = rowOf(totals().get()) ?? []
      return { documents: Number(documents), bytes: Number(bytes) }
    },
  }
}

function indexTable(db: DatabaseSync, table: string): IndexTable {
  const holder = lazy(db, `SELECT r FROM ${table} WHERE k = ? AND r <> ? LIMIT 1`)
  const insert = lazy(db, `INSERT INTO ${table}(k, r) VALUES (?, ?)`)
  const ensure = lazy(db, `INSERT OR IGNORE INTO ${table}(k, r) VALUES (?, ?)`)
  const remove = lazy(db, `DELETE FROM ${table} WHERE k = ? AND r = ?`)
  const has = lazy(db, `SELECT 1 FROM ${table} WHERE k = ? AND r = ?`)
  const between = `SELECT k, r FROM ${table} WHERE k >= ? AND k < ?`
  const first = lazy(db, `${between} ORDER BY k, r ${atMost}`)
  const next = lazy(db, `SELECT k, r FROM ${table} WHERE (k, r) > (?, ?) AND k < ? ORDER BY k, r ${atMost}`)
  const last = lazy(db, `${between} ORDER BY k DESC, r DESC ${atMost}`)
  const previous = lazy(
    db,
    `SELECT k, r FROM ${table} WHERE (k, r) < (?, ?) AND k >= ? ORDER BY k DESC, r DESC ${atMost}`,
  )
  const nth = lazy(db, `${between} ORDER BY k, r LIMIT 1 OFFSET ?`)
  const nthAfter = lazy(db, `SELECT k, r FROM ${table} WHERE (k, r) > (?, ?) AND k < ? ORDER BY k, r LIMIT 1 OFFSET ?`)
  const count = lazy(db, `SELECT count(*) FROM ${table} WHERE k >= ? AND k < ?`)
  const countAfter = lazy(db, `SELECT count(*) FROM ${table} WHERE (k, r) > (?, ?) AND k < ?`)
  const countAll = lazy(db, `SELECT count(*) FROM ${table}`)
  return {
    holder: (key, except) => rowOf(holder().get(key, except))?.[0] as number | undefined,
    has: (key, record) => has().get(key, record) !== undefined,
    insert: (key, record) => void insert().run(key, record),
    ensure: (key, record) => void ensure().run(key, record),
    remove: (key, record) => void remove().run(key, record),
    forward: (low, high, at, count) =>
      entriesOf(at === undefined ? first().all(low, high, count) : next().all(at[0], at[1], high, count)),
    backward: (low, high, at, count) =>
      entriesOf(at === undefined ? last().all(low, high, count) : previous().all(at[0], at[1], low, count)),
    countBetween: (low, high, at, most) => {
      const found = at === undefined ? nth().get(low, high, most - 1) : nthAfter().get(at[0], at[1], high, most - 1)
      if (found !== undefined) return { n: most, last: found as unknown as Entry }
      const rest = at === undefined ? count().get(low, high) : countAfter().get(at[0], at[1], high)
      return { n: Number(rowOf(rest)?.[0]), last: undefined }
    },
    countAll: () => Number(rowOf(countAll().get())?.[0]),
  }
}

/** Prepares the statement at its first use; it returns rows as arrays. */
function lazy(db: DatabaseSync, sql: string): () => StatementSync {
  let statement: StatementSync | undefined
  return () => {
    if (statement === undefined) {
      statement = db.prepare(sql)
      statement.setReturnArrays(true)
    }
    return statement
  }
}

function upTo(statement: StatementSync, from: number, count: number, bytes: number): (readonly [number, Uint8Array])[] {
  const rows: (readonly [number, Uint8Array])[] = []
  let size = 0
  for (const row of statement.iterate(from, count) as unknown as Iterable<readonly [number, Uint8Array]>) {
    rows.push(row)
    size += row[1].length
    if (size >= bytes) break
  }
  return rows
}

/** The type declarations describe rows as objects; after `setReturnArrays` they are arrays. */
function rowOf(row: unknown): readonly unknown[] | undefined {
  return row as readonly unknown[] | undefined
}

function entriesOf(rows: unknown): Entry[] {
  return rows as Entry[]
}
