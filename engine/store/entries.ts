import { decode } from '../bson/decode.ts'
import type { Document } from '../bson/document.ts'
import { EngineError } from '../errors.ts'
import { limits } from '../limits.ts'
import type { Collection, Index } from './catalog.ts'
import { pick } from './elements.ts'

/** The entries of one document in one index. */
export type Entries = {
  readonly index: Index
  readonly keys: readonly Uint8Array[]
  readonly multikey: readonly boolean[]
}

/** The part of a stored document that the indexes read. */
export function indexedPart(collection: Collection, bytes: Uint8Array): Document {
  return decode(collection.indexedFields === undefined ? bytes : pick(bytes, collection.indexedFields))
}

/** The entries of a document in one index. @throws EngineError for keys that cannot be indexed */
export function entriesOf(index: Index, doc: Document): Entries {
  if (index.partial !== undefined && !index.partial.matcher.matches(doc)) return { index, keys: [], multikey: [] }
  const { keys, multikey, allMissing } = index.keysOf(doc)
  if (index.sparse && allMissing) return { index, keys: [], multikey: [] }
  for (const key of keys) {
    if (key.length > limits.keyBytes) {
      throw new EngineError(
        17280,
        `index key of ${key.length} bytes is too long for index ${index.name} (at most ${limits.keyBytes})`,
      )
    }
  }
  return { index, keys, multikey }
}
