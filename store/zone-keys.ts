/** The keys that zones are signed with, and what takes their place. */
import type { NextZoneKey, ZoneKeyDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The key of an account's zone of a domain; null: none was made yet. */
export function findZoneKey(store: Store, _id: string): Promise<ZoneKeyDoc | null> {
  return readOne(store, 'zoneKeys', { _id })
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

/** Keeps what is to take the place of a key. Returns false when something does already, or there is no key. */
export async function keepNextZoneKey(store: Store, _id: string, next: NextZoneKey): Promise<boolean> {
  const { modifiedCount } = await store.zoneKeys.updateOne({ _id, next: { $exists: false } }, { $set: { next } })
  return modifiedCount === 1
}

/** The keys that were made before a time and that nothing takes the place of. */
export function findOldZoneKeys(store: Store, before: Date): AsyncIterable<ZoneKeyDoc> {
  return store.zoneKeys.find({ createdAt: { $lte: before }, next: { $exists: false } }).sort({ createdAt: 1 })
}

/** The keys whose change is to be looked at, the longest due first. */
export function findDueZoneKeys(store: Store, now: Date, limit: number): Promise<ZoneKeyDoc[]> {
  return readMany(store, 'zoneKeys', { 'next.dueAt': { $lte: now } }, { sort: { 'next.dueAt': 1 }, limit })
}

/** A change of keys as it was read. */
export type ReadNextZoneKey = Pick<NextZoneKey, 'state' | 'dueAt'>

/** Writes how far a change of keys is, unless somebody went on with it since it was read: then false is returned. */
export async function changeNextZoneKey(
  store: Store,
  _id: string,
  { state, dueAt }: ReadNextZoneKey,
  change: Partial<Pick<NextZoneKey, 'state' | 'toldAt' | 'dueAt' | 'isConfirmed'>>,
): Promise<boolean> {
  const set = Object.fromEntries(Object.entries(change).map(([field, value]) => [`next.${field}`, value]))
  const unchanged = { _id, 'next.state': state, 'next.dueAt': dueAt }
  return (await store.zoneKeys.updateOne(unchanged, { $set: set })).modifiedCount === 1
}

/** Puts the next key in the place of the one before, which is deleted. Not when it was changed, or sealed anew, since it was read. */
export async function endZoneKeyChange(store: Store, { _id, next }: Required<ZoneKeyDoc>): Promise<void> {
  const { privateKey, createdAt, state, dueAt } = next
  await store.zoneKeys.updateOne(
    { _id, 'next.state': state, 'next.dueAt': dueAt, 'next.privateKey': privateKey },
    { $set: { privateKey, createdAt }, $unset: { next: '' } },
  )
}
