import { decode } from '../bson/decode.ts'
import { EngineError } from '../errors.ts'
import { allKeys } from '../plan/ranges.ts'
import type { Collection, Index } from './catalog.ts'
import { entriesOf } from './entries.ts'
import type { Store } from './store.ts'
import type { Entry } from './tables.ts'

export type Verification = {
  readonly documents: number
  readonly keysPerIndex: ReadonlyMap<string, number>
  /** The violations found, at most `errorsMax` lines. */
  readonly errors: readonly string[]
}

const errorsMax = 100
const chunk = 500
const chunkBytes = 8 * 1024 * 1024

/**
 * Computes every index entry from the documents and compares it with the entries in the indexes. `onProgress` receives the
 * number of documents checked so far, once per chunk.
 */
export function verifyCollection(
  store: Store,
  collection: Collection,
  onProgress: (documents: number) => void = () => undefined,
): Verification {
  const errors: string[] = []
  const keysPerIndex = new Map<string, number>()
  const report = (text: string) => {
    if (errors.length < errorsMax) errors.push(text)
  }
  const expected = new Map(collection.indexes.map((index) => [index, 0]))
  let documents = 0
  for (const [record, bytes] of allRecords(store, collection)) {
    if (++documents % chunk === 0) onProgress(documents)
    try {
      const doc = decode(bytes)
      for (const index of collection.indexes) {
        const { keys, multikey } = entriesOf(index, doc)
        expected.set(index, expected.get(index)! + keys.length)
        for (const key of keys)
          if (!store.index(index.id).has(key, record)) report(`${index.name} lacks an entry of record ${record}`)
        if (multikey.some((flag, i) => flag && index.multikey[i] !== true))
          report(`${index.name} is not marked multikey for record ${record}`)
      }
    } catch (error) {
      if (!(error instanceof EngineError)) throw error
      report(`record ${record}: ${error.message}`)
    }
  }
  for (const [index, count] of expected) {
    const held = store.index(index.id).countAll()
    keysPerIndex.set(index.name, held)
    if (held !== count) report(`${index.name} holds ${held} entries, the documents make ${count}`)
    if (index.unique)
      for (const key of repeated(store, index)) report(`${index.name} is unique but holds ${key.toString('hex')} twice`)
  }
  return { documents, keysPerIndex, errors }
}

function* allRecords(store: Store, collection: Collection): Generator<readonly [number, Uint8Array]> {
  for (let at = 0; ; ) {
    const rows = store.records(collection.id).after(at, chunk, chunkBytes)
    if (rows.length === 0) return
    yield* rows
    at = rows.at(-1)![0]
  }
}

function* repeated(store: Store, index: Index): Generator<Buffer> {
  let last: Entry | undefined
  for (;;) {
    const rows = store.index(index.id).forward(allKeys.low, allKeys.high, last, chunk)
    if (rows.length === 0) return
    for (const row of rows) {
      if (last !== undefined && Buffer.compare(last[0], row[0]) === 0) yield Buffer.from(row[0])
      last = row
    }
  }
}
