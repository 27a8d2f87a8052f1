/** What the database records about the master keys: which one seals, which are still needed, and which process has which. */
import type { Collection } from 'mongodb'
import type { KeyHolderDoc, MasterKeys } from './documents/service.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { claimState, readState } from './records.ts'

export type { KeyHolderDoc, MasterKeys } from './documents/service.ts'

const name = 'masterKey'

type MasterKeysDoc = { readonly _id: string; readonly value: MasterKeys | string }

/** The recorded master keys; null in a new database. In a database from a version with a single key, that key's fingerprint. */
export function readMasterKeys(store: Store): Promise<MasterKeys | string | null> {
  return readState<MasterKeys | string>(store, name)
}

/** Records the keys of a new database. Returns the recorded keys: these, or those that another process recorded first. */
export function claimMasterKeys(store: Store, keys: MasterKeys): Promise<MasterKeys | string> {
  return claimState<MasterKeys | string>(store, name, keys)
}

/** Records the keys of a database that had a single key, if that key's fingerprint is still recorded. */
export async function adoptMasterKeys(store: Store, fingerprint: string, keys: MasterKeys): Promise<void> {
  await states(store).updateOne({ _id: name, value: fingerprint }, { $set: { value: keys } })
}

/** Replaces the recorded keys. Returns false when another process changed them since they were read. */
export async function replaceMasterKeys(store: Store, before: MasterKeys, after: MasterKeys): Promise<boolean> {
  const { current, previous } = before
  const unchanged = { _id: name, 'value.current': current, 'value.previous': previous }
  const { matchedCount } = await states(store).updateOne(unchanged, { $set: { value: after } })
  return matchedCount === 1
}

/** Records which keys a process has. */
export async function noteKeyHolder(store: Store, { _id, ...holder }: KeyHolderDoc): Promise<void> {
  await store.keyHolders.updateOne({ _id }, { $set: holder }, { upsert: true })
}

export async function removeKeyHolder(store: Store, id: string): Promise<void> {
  await store.keyHolders.deleteOne({ _id: id })
}

/** The processes whose documents have not expired. */
export function findKeyHolders(store: Store, now: Date): Promise<KeyHolderDoc[]> {
  return readMany(store, 'keyHolders', { expiresAt: { $gt: now } }, { sort: { expiresAt: 1 } })
}

/** `StateDoc` leaves the type of the value open; this gives it the type of the master keys. */
const states = (store: Store) => store.state as unknown as Collection<MasterKeysDoc>
