/** Measures the machine without the engine, to tell whether the engine or the machine is too slow for a demand. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { decode } from '../engine/bson/decode.ts'
import { encode } from '../engine/bson/encode.ts'
import { compileUpdate } from '../engine/update/compile.ts'
import { row } from './engine-loads.ts'

const rowBytes = 9_600
const keyBytes = 30
const trees = 5
const reservedBytes = 48 * 1024 * 1024

export type BareWriter = { readonly perSecond: (group: number, ms: number) => number; readonly close: () => void }

/** Writes rows of the same size and with as many index entries by `node:sqlite` alone, `group` rows in each synced commit. */
export function bareWriter(syncDelayMs: number): BareWriter {
  const dir = mkdtempSync(join(tmpdir(), 'bench-baseline-'))
  const db = new DatabaseSync(join(dir, 'baseline.db'))
  db.exec('PRAGMA page_size=8192; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0')
  db.exec('PRAGMA cache_size=-65536; CREATE TABLE rows(r INTEGER PRIMARY KEY, d BLOB)')
  for (let i = 0; i < trees; i++) db.exec(`CREATE TABLE tree${i}(k BLOB, r INTEGER, PRIMARY KEY(k, r)) WITHOUT ROWID`)
  const insert = db.prepare('INSERT INTO rows VALUES (?, ?)')
  const entries = Array.from({ length: trees }, (_, i) => db.prepare(`INSERT INTO tree${i} VALUES (?, ?)`))
  const sleeper = new Int32Array(new SharedArrayBuffer(4))
  let last = 0
  const commit = (group: number) => {
    db.exec('BEGIN IMMEDIATE')
    for (let n = 0; n < group; n++) {
      insert.run(++last, randomBytes(rowBytes))
      for (const entry of entries) entry.run(randomBytes(keyBytes), last)
    }
    if (syncDelayMs > 0) Atomics.wait(sleeper, 0, 0, syncDelayMs)
    db.exec('COMMIT')
  }
  // Brings the write-ahead log to the length that it has in the engine. Otherwise it would grow during the first measured
  // commits, which makes them slower.
  while (last * rowBytes < reservedBytes) commit(200)
  db.exec('PRAGMA wal_checkpoint(RESTART)')
  return {
    perSecond(group, ms) {
      const began = performance.now()
      let n = 0
      for (; performance.now() - began < ms; n += group) commit(group)
      const seconds = (performance.now() - began) / 1000
      db.exec('PRAGMA wal_checkpoint(RESTART)')
      return n / seconds
    },
    close() {
      db.close()
      rmSync(dir, { recursive: true })
    },
  }
}

/** How many documents of 1 KB one thread decodes, changes by update operators and encodes again per second. */
export function updatesPerSecond(ms: number): number {
  const { _id, ...fields } = row('small')
  const stored = encode({ _id, ...(fields as Parameters<typeof encode>[0]) })
  const update = compileUpdate({ $set: { seen: true }, $inc: { uid: 1 }, $push: { labels: 'x' } }, {})
  const now = new Date()
  const began = performance.now()
  let n = 0
  for (; performance.now() - began < ms; n++) encode(update.apply(decode(stored), { now, positional: undefined }).doc)
  return n / ((performance.now() - began) / 1000)
}
