/** The keys that zones are signed with. */
import type { ZoneKeyDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'

/** The key of an account's zone of a domain; null: none was made yet. */
export function findZoneKey(store: Store, _id: string): Promise<ZoneKeyDoc | null> {
  return store.zoneKeys.findOne({ _id })
}

/** Keeps a new key, unless another process was first. Returns the one that is kept. */
export async function keepZoneKey(store: Store, doc: ZoneKeyDoc): Promise<ZoneKeyDoc> {
  try {
    await store.zoneKeys.insertOne(doc)
    return doc
  } catch (error) {
    const kept = isDuplicate(error) ? await findZoneKey(store, doc._id) : null
    if (kept === null) throw error
    return kept
  }
}
