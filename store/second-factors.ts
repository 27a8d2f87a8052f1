/** Second factors of people: authenticator apps, recovery codes and passkeys. */
import { toBinary } from './bytes.ts'
import type { AuthenticatorDoc, PasskeyDoc } from './documents/second-factors.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Stores an unconfirmed authenticator in place of an earlier unconfirmed one. Returns false when a confirmed one is stored. */
export async function putAuthenticator(store: Store, { _id, ...doc }: AuthenticatorDoc): Promise<boolean> {
  try {
    await store.authenticators.replaceOne({ _id, confirmedAt: null }, doc, { upsert: true })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findAuthenticator(store: Store, personId: string): Promise<AuthenticatorDoc | null> {
  return readOne(store, 'authenticators', { _id: personId })
}

/**
 * Counts a try to enter a code. Returns the authenticator; null when there is none, or `max` codes were already tried in the period
 * that ends at its `triesUntil`.
 */
export async function takeTry(
  store: Store,
  personId: string,
  { now, until, max }: { now: Date; until: Date; max: number },
): Promise<AuthenticatorDoc | null> {
  const counted = await store.authenticators.findOneAndUpdate(
    { _id: personId, triesUntil: { $gt: now }, tries: { $lt: max } },
    { $inc: { tries: 1 } },
    { returnDocument: 'after' },
  )
  if (counted !== null) return counted
  return store.authenticators.findOneAndUpdate(
    { _id: personId, triesUntil: { $lte: now } },
    { $set: { tries: 1, triesUntil: until } },
    { returnDocument: 'after' },
  )
}

/** Uses up the code of a time step. Returns false when a code of this or a later step was already used. */
export async function takeStep(store: Store, { _id, secret }: AuthenticatorDoc, step: number): Promise<boolean> {
  const { modifiedCount } = await store.authenticators.updateOne(
    { _id, secret, lastStep: { $lt: step } },
    { $set: { lastStep: step, tries: 0 } },
  )
  return modifiedCount === 1
}

/** Uses up a recovery code. Returns false when it is not one of the codes, or was already used. */
export async function takeRecovery(store: Store, { _id, secret }: AuthenticatorDoc, digest: Buffer): Promise<boolean> {
  const binary = toBinary(digest)
  const { modifiedCount } = await store.authenticators.updateOne(
    { _id, secret, recovery: binary },
    { $pull: { recovery: binary }, $set: { tries: 0 } },
  )
  return modifiedCount === 1
}

/** Sets new recovery codes, and confirms the authenticator if it is not confirmed. Returns false when it was replaced meanwhile. */
export async function setRecovery(
  store: Store,
  { _id, secret, confirmedAt }: AuthenticatorDoc,
  digests: readonly Buffer[],
  at: Date,
): Promise<boolean> {
  const change = { recovery: digests.map(toBinary), confirmedAt: confirmedAt ?? at }
  const { matchedCount } = await store.authenticators.updateOne({ _id, secret }, { $set: change })
  return matchedCount === 1
}

export async function deleteAuthenticator(store: Store, { _id, secret }: AuthenticatorDoc): Promise<void> {
  await store.authenticators.deleteOne({ _id, secret })
}

/** Inserts a passkey. Returns false when one with that id exists. */
export async function insertPasskey(store: Store, passkey: PasskeyDoc): Promise<boolean> {
  try {
    await store.passkeys.insertOne(passkey)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findPasskey(store: Store, id: string): Promise<PasskeyDoc | null> {
  return readOne(store, 'passkeys', { _id: id })
}

/** The passkeys of a person, oldest first. */
export function listPasskeys(store: Store, personId: string, limit: number): Promise<PasskeyDoc[]> {
  return readMany(store, 'passkeys', { personId }, { sort: { personId: 1, createdAt: 1 }, limit })
}

/** Records a use. Returns false when the counter changed meanwhile, which means that a copy of the passkey was used at the same time. */
export async function usePasskey(
  store: Store,
  { _id, counter }: PasskeyDoc,
  { newCounter, at }: { newCounter: number; at: Date },
): Promise<boolean> {
  const { matchedCount } = await store.passkeys.updateOne(
    { _id, counter },
    { $set: { counter: newCounter, lastUsedAt: at } },
  )
  return matchedCount === 1
}

/** Deletes a passkey. Returns false when the person has no such passkey. */
export async function deletePasskey(
  store: Store,
  { personId, id }: { personId: string; id: string },
): Promise<boolean> {
  const { deletedCount } = await store.passkeys.deleteOne({ _id: id, personId })
  return deletedCount === 1
}

/** Records that a challenge was answered. Returns false when it was already answered. */
export async function useChallenge(store: Store, challenge: string, expiresAt: Date): Promise<boolean> {
  try {
    await store.usedChallenges.insertOne({ _id: challenge, expiresAt })
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}
