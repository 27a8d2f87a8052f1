/** What the database remembers of the master keys: which one seals, which are still needed, and which process has which. */
import type { Collection } from 'mongodb'
import type { KeyHolderDoc, MasterKeys } from './documents/service.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'
import { claimState, readState } from './records.ts'

export type { KeyHolderDoc, MasterKeys } from './documents/service.ts'

const name = 'masterKey'

type MasterKeysDoc = { readonly _id: string; readonly value: MasterKeys | string }

/** Null in a new database; of one of a version that had a single key, the fingerprint of that. */
export function readMasterKeys(store: Store): Promise<MasterKeys | string | null> {
  return readState<MasterKeys | string>(store, name)
}

/** Notes the keys of a new database. Returns what stands: these, or those that another process noted first. */
export function claimMasterKeys(store: Store, keys: MasterKeys): Promise<MasterKeys | string> {
  return claimState<MasterKeys | string>(store, name, keys)
}

/** Notes the keys of a database that had a single one. */
export async function adoptMasterKeys(store: Store, fingerprint: string, keys: MasterKeys): Promise<void> {
  await states(store).updateOne({ _id: name, value: fingerprint }, { $set: { value: keys } })
}

/** Writes other keys in place of those that were read. Returns false when another process changed them meanwhile. */
export async function replaceMasterKeys(store: Store, before: MasterKeys, after: MasterKeys): Promise<boolean> {
  const { current, previous } = before
  const unchanged = { _id: name, 'value.current': current, 'value.previous': previous }
  const { matchedCount } = await states(store).updateOne(unchanged, { $set: { value: after } })
  return matchedCount === 1
}

/** Says which keys a process has. */
export async function noteKeyHolder(store: Store, { _id, ...holder }: KeyHolderDoc): Promise<void> {
  await store.keyHolders.updateOne({ _id }, { $set: holder }, { upsert: true })
}

export async function removeKeyHolder(store: Store, id: string): Promise<void> {
  await store.keyHolders.deleteOne({ _id: id })
}

/** The processes that were heard of not long ago. */
export function findKeyHolders(store: Store, now: Date): Promise<KeyHolderDoc[]> {
  return readMany(store, 'keyHolders', { expiresAt: { $gt: now } }, { sort: { expiresAt: 1 } })
}

/** The types of a state know nothing of its value. */
const states = (store: Store) => store.state as unknown as Collection<MasterKeysDoc>
