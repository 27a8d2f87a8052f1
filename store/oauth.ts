/** Programs that act for people by OAuth: registered clients, their codes and tokens, and their grants. */
import { findKey } from './accounts.ts'
import type { KeyDoc } from './documents/accounts.ts'
import type { OauthArtifactDoc, OauthClientDoc } from './documents/oauth.ts'
import type { Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

export async function insertClient(store: Store, client: OauthClientDoc): Promise<void> {
  await store.oauthClients.insertOne(client)
}

/** The client with an id, unless it has expired at `now`. */
export function findClient(store: Store, { id, now }: { id: string; now: Date }): Promise<OauthClientDoc | null> {
  return readOne(store, 'oauthClients', { _id: id, expiresAt: { $gt: now } })
}

/** Extends the registration of a client to last until a time at least. */
export async function keepClient(store: Store, { id, until }: { id: string; until: Date }): Promise<void> {
  await store.oauthClients.updateOne({ _id: id }, { $max: { expiresAt: until } })
}

/** Writes a code, a token or a request, or replaces it. */
export async function putArtifact(store: Store, { _id, ...artifact }: OauthArtifactDoc): Promise<void> {
  await store.oauthArtifacts.replaceOne({ _id }, artifact, { upsert: true })
}

/** The artifact with an id, unless it has expired at `now`. */
export function findArtifact(store: Store, { id, now }: { id: string; now: Date }): Promise<OauthArtifactDoc | null> {
  return readOne(store, 'oauthArtifacts', { _id: id, expiresAt: { $gt: now } })
}

/** The artifacts with these ids, in no particular order. */
export function findArtifacts(store: Store, ids: readonly string[]): Promise<OauthArtifactDoc[]> {
  return readMany(store, 'oauthArtifacts', { _id: { $in: [...ids] } })
}

/** Marks an artifact as used. Returns false when it was already used, or is gone. */
export async function consumeArtifact(store: Store, { id, at }: { id: string; at: Date }): Promise<boolean> {
  const { modifiedCount } = await store.oauthArtifacts.updateOne(
    { _id: id, consumedAt: { $exists: false } },
    { $set: { consumedAt: at } },
  )
  return modifiedCount === 1
}

export async function removeArtifact(store: Store, id: string): Promise<void> {
  await store.oauthArtifacts.deleteOne({ _id: id })
}

/** The grants of an account, or only those of one person, that are valid at `now`, oldest first. */
export function listGrants(
  store: Store,
  { accountId, personId, now, limit }: { accountId: string; personId: string | null; now: Date; limit: number },
): Promise<KeyDoc[]> {
  return readMany(
    store,
    'keys',
    {
      accountId,
      ...(personId === null ? { program: { $exists: true } } : { 'program.personId': personId }),
      revokedAt: null,
      expiresAt: { $gt: now },
    },
    { sort: { accountId: 1, _id: 1 }, limit },
  )
}

/** Extends a grant to last until a time at least. */
export async function prolongGrant(
  store: Store,
  { hash, _id }: Pick<KeyDoc, '_id' | 'hash'>,
  until: Date,
): Promise<void> {
  await store.keys.updateOne({ hash, _id }, { $max: { expiresAt: until } })
}

/** Revokes a grant and deletes what was issued under it. Returns false when it was already revoked, or there is none. */
export async function revokeGrant(
  store: Store,
  { accountId, grantId, at }: { accountId: string; grantId: string; at: Date },
): Promise<boolean> {
  const grant = await findKey(store, { accountId, keyId: grantId })
  if (grant === null) return false
  const { modifiedCount } = await store.keys.updateOne(
    { hash: grant.hash, _id: grantId, program: { $exists: true }, revokedAt: null },
    { $set: { revokedAt: at } },
  )
  await store.oauthArtifacts.deleteMany({ grantId })
  return modifiedCount === 1
}
