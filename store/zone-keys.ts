/** The keys that zones are signed with, and their rollovers. */
import type { NextZoneKey, ZoneKeyDoc } from './documents/domains.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The key of an account's zone of a domain; null if none was created yet. */
export function findZoneKey(store: Store, _id: string): Promise<ZoneKeyDoc | null> {
  return readOne(store, 'zoneKeys', { _id })
}

/** Stores a new key, unless another process stored one first. Returns the stored key. */
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

/** Begins a rollover: stores the key that is to replace another. Returns false when a rollover is in progress, or there is no key. */
export async function keepNextZoneKey(store: Store, _id: string, next: NextZoneKey): Promise<boolean> {
  const { modifiedCount } = await store.zoneKeys.updateOne({ _id, next: { $exists: false } }, { $set: { next } })
  return modifiedCount === 1
}

/** The keys that were created before a time and have no rollover in progress, the oldest first. */
export function findOldZoneKeys(store: Store, before: Date): AsyncIterable<ZoneKeyDoc> {
  return store.zoneKeys.find({ createdAt: { $lte: before }, next: { $exists: false } }).sort({ createdAt: 1 })
}

/** The keys whose rollover is due to be looked at, the longest due first. */
export function findDueZoneKeys(store: Store, now: Date, limit: number): Promise<ZoneKeyDoc[]> {
  return readMany(store, 'zoneKeys', { 'next.dueAt': { $lte: now } }, { sort: { 'next.dueAt': 1 }, limit })
}

/** Identifies a rollover in the state in which it was read. */
export type ReadNextZoneKey = Pick<NextZoneKey, 'state' | 'dueAt'>

/** Records the progress of a rollover. Returns false if it was changed since it was read. */
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

/** Ends a rollover: the next key replaces the previous one. Does nothing if the next key was changed or resealed since it was read. */
export async function endZoneKeyChange(store: Store, { _id, next }: Required<ZoneKeyDoc>): Promise<void> {
  const { privateKey, createdAt, state, dueAt } = next
  await store.zoneKeys.updateOne(
    { _id, 'next.state': state, 'next.dueAt': dueAt, 'next.privateKey': privateKey },
    { $set: { privateKey, createdAt }, $unset: { next: '' } },
  )
}
