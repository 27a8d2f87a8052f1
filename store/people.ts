/** People and their sessions. A person's role in an account is stored in the account (store/members.ts). */
import { Binary } from 'mongodb'
import type { Device, PersonDoc, SessionDoc } from './documents/people.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** Inserts a person. Returns false when the address already belongs to a person. */
export async function insertPerson(store: Store, person: PersonDoc): Promise<boolean> {
  try {
    await store.people.insertOne(person)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

/** The person with an id; null for one who is being erased. */
export function findPerson(store: Store, personId: string): Promise<PersonDoc | null> {
  return readOne(store, 'people', { _id: personId, erasing: { $exists: false } })
}

/** People by id, in no particular order. */
export function findPeople(store: Store, ids: readonly string[]): Promise<PersonDoc[]> {
  return readMany(store, 'people', { _id: { $in: [...ids] } })
}

/** The person with an address in canonical form; null for one who is being erased. */
export function findPersonByEmail(store: Store, email: string): Promise<PersonDoc | null> {
  return readOne(store, 'people', { email, erasing: { $exists: false } })
}

/** Changes fields of a person. Returns the changed person; null when there is none, or it is not as `from` says. */
export async function changePerson(
  store: Store,
  personId: string,
  change: Partial<Omit<PersonDoc, '_id' | 'email'>>,
  from: Pick<PersonDoc, 'passwordHash'> | null = null,
): Promise<PersonDoc | null> {
  const found = await readOne(store, 'people', { _id: personId }, { projection: { email: 1 } })
  if (found === null) return null
  const { email, _id } = found
  return store.people.findOneAndUpdate({ email, _id, ...from }, { $set: change }, { returnDocument: 'after' })
}

/** Marks people as being erased, or with null removes that mark. */
export async function setErasing(store: Store, ids: readonly string[], at: Date | null): Promise<void> {
  if (ids.length === 0) return
  const _id = { $in: [...ids] }
  if (at === null) await store.people.updateMany({ _id, erasing: { $exists: true } }, { $unset: { erasing: '' } })
  else await store.people.updateMany({ _id, erasing: { $exists: false } }, { $set: { erasing: at } })
}

/** Marks that a person who is in no account is about to be erased, or with null removes that mark. */
export async function noteLeaving(store: Store, _id: string, at: Date | null): Promise<void> {
  await store.people.updateMany({ _id }, at === null ? { $unset: { leaving: '' } } : { $set: { leaving: at } })
}

export async function insertSession(store: Store, session: SessionDoc): Promise<void> {
  await store.sessions.insertOne(session)
}

/** The sessions with these hashes. */
export function findSessionsByHash(store: Store, hashes: readonly Buffer[]): Promise<SessionDoc[]> {
  return readMany(store, 'sessions', { hash: { $in: hashes.map((hash) => new Binary(hash)) } })
}

/** The sessions of a person that end after `now` and were used after `usedSince`, older than `before`, newest first. */
export function listSessions(
  store: Store,
  {
    personId,
    now,
    usedSince,
    before,
    limit,
  }: { personId: string; now: Date; usedSince: Date; before: string | null; limit: number },
): Promise<SessionDoc[]> {
  return readMany(
    store,
    'sessions',
    { personId, endsAt: { $gt: now }, usedAt: { $gt: usedSince }, ...(before !== null && { _id: { $lt: before } }) },
    { sort: { personId: -1, _id: -1 }, limit },
  )
}

/** A session of a person, even one that has ended; null when there is none. */
export function findSessionOf(
  store: Store,
  { personId, sessionId }: { personId: string; sessionId: string },
): Promise<SessionDoc | null> {
  return readOne(store, 'sessions', { personId, _id: sessionId })
}

/** The fields by which the database finds a session. */
export type SessionRef = Pick<SessionDoc, '_id' | 'hash'>

/** Records that a session was used, unless a later use is recorded. */
export async function touchSession(
  store: Store,
  { hash, _id }: SessionRef,
  { usedAt, usedFrom }: { usedAt: Date; usedFrom: Device },
): Promise<void> {
  await store.sessions.updateOne({ hash, _id, usedAt: { $lt: usedAt } }, { $set: { usedAt, usedFrom } })
}

/** Makes a session act on another account. */
export async function moveSession(store: Store, { hash, _id }: SessionRef, accountId: string): Promise<void> {
  await store.sessions.updateOne({ hash, _id }, { $set: { accountId } })
}

export async function removeSession(store: Store, { hash, _id }: SessionRef): Promise<void> {
  await store.sessions.deleteOne({ hash, _id })
}

/** Ends all sessions of people. */
export async function removeSessions(store: Store, personIds: readonly string[]): Promise<void> {
  await store.sessions.deleteMany({ personId: { $in: [...personIds] } })
}
