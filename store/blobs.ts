/**
 * Blobs hold raw bytes, split into chunks of at most 1 MiB (store/blob-chunks.ts). A blob is written once and shared by the
 * messages of one delivery, the send they come from and the records of Intake. Chunk 0 lists the ids of these documents as `users`.
 * The bytes of large blobs are in the object store, if one is configured (store/blob-objects.ts).
 *
 * Invariants: An id is added to `users` before its document is written, and removed after the document was deleted, so that a crash
 * leaves too many users but never too few. A blob is marked `inDoubt` before one of its users is deleted, so that the sweep finds
 * what a crash left by an index. Only the sweep removes the mark, once it has checked all users, and only the mark that it read: a process
 * that deletes one user cannot know whether another process died while it deleted a second one.
 */
import { Binary, type Document } from 'mongodb'
import { chunkBytes, pack, unpack } from './blob-chunks.ts'
import { putObject, readObject, readObjectChunks, removeObject } from './blob-objects.ts'
import type { BlobDoc, BlobRef } from './documents/mail.ts'
import { BodyLost, type ObjectStore, ObjectStoreError } from './object-store.ts'
import { onlyDuplicates, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'
import { updateIn, type Write } from './writes.ts'

/** Chunks in one command. Driver and engine process a command without yielding, and all other work waits meanwhile. */
const chunksAtOnce = 2
/** The most bytes of small blobs that one command reads. */
const bytesAtOnce = 2 * 1024 * 1024

/**
 * Makes the documents of a blob, and puts the bytes of a large one into the object store. `users` are the ids of the messages and the
 * send that will use the blob.
 */
export async function packBlob(
  { objects }: Pick<Store, 'objects'>,
  { id, bytes, users, at }: { id: string; bytes: Buffer; users: readonly string[]; at: Date },
): Promise<{ ref: BlobRef; chunks: BlobDoc[] }> {
  const first = { _id: firstChunkId(id), createdAt: at, users }
  if (objects !== null && bytes.length >= objects.fromBytes) {
    const object = await putObject(objects, id, bytes)
    const ref = { id, chunks: object.chunks.length, sizeBytes: bytes.length }
    return { ref, chunks: [{ ...first, object, zstd: false, data: new Binary() }] }
  }
  const packed = await pack(bytes)
  const chunks = packed.map(({ zstd, data }, n): BlobDoc => {
    const own = n > 0 ? { _id: `${id}#${n}`, createdAt: at } : first
    return { ...own, ...(n === 0 && packed.length > 1 && { chunks: packed.length }), zstd, data: new Binary(data) }
  })
  return { ref: { id, chunks: packed.length, sizeBytes: bytes.length }, chunks }
}

/** Writes the documents of blobs in the given order, so that chunk 0 with the users comes first. Safe to repeat. */
export async function insertBlob(store: Store, chunks: readonly BlobDoc[]): Promise<void> {
  for (let from = 0; from < chunks.length; ) {
    const to = endOfGroup(chunks, from, { bytesOf: ({ data }) => data.length(), max: chunksAtOnce * chunkBytes })
    try {
      await store.blobs.insertMany(chunks.slice(from, to), { ordered: false })
    } catch (error) {
      if (!onlyDuplicates(error)) throw error
    }
    from = to
  }
}

/**
 * The bytes of a blob; null when it was deleted. A blob of several chunks is read into shared memory, so that a worker thread
 * can parse the message without a copy.
 */
export async function readBlob(store: Store, ref: BlobRef): Promise<Buffer | null> {
  if (ref.chunks === 1) {
    const doc = await readOne(store, 'blobs', { _id: firstChunkId(ref.id) })
    return doc === null ? null : bytesOf(store, doc, ref)
  }
  const bytes = Buffer.from(new SharedArrayBuffer(ref.sizeBytes))
  for (let from = 0; from < ref.chunks; from += chunksAtOnce) {
    const ids = Array.from({ length: Math.min(chunksAtOnce, ref.chunks - from) }, (_, n) => `${ref.id}#${from + n}`)
    const chunks = await readMany(store, 'blobs', { _id: { $in: ids } })
    const inObject = chunks.find(({ object }) => object !== undefined)
    if (inObject !== undefined) return bytesOf(store, inObject, ref)
    if (chunks.length !== ids.length) return null
    for (const chunk of chunks) (await decompress(chunk, ref)).copy(bytes, chunkNumber(chunk._id) * chunkBytes)
  }
  return bytes
}

/** The bytes of a blob, a few chunks at a time, for streaming. Throws if the blob is deleted meanwhile. */
export async function* readChunks(store: Store, ref: BlobRef): AsyncGenerator<Buffer> {
  for (let n = 0; n < ref.chunks; n++) {
    const doc = await readOne(store, 'blobs', { _id: `${ref.id}#${n}` })
    if (doc === null) throw new Error(`Blob ${ref.id} was deleted while it was read.`)
    if (doc.object !== undefined) return yield* readObjectChunks(store, doc.object, ref)
    yield decompress(doc, ref)
  }
}

/**
 * The bytes of several blobs by id; deleted blobs are missing from the map. The caller bounds their total size. Without `onUnread`, the
 * failure of the object store to return one blob rejects the whole call. With it, `onUnread` receives that failure and the rest is read.
 */
export async function readBlobs(
  given: Store,
  refs: readonly BlobRef[],
  onUnread?: (blobId: string, error: ObjectStoreError) => void,
): Promise<Map<string, Buffer>> {
  const store = onUnread === undefined ? given : askingUntilAway(given)
  const found = new Map<string, Buffer>()
  async function take({ id }: BlobRef, reading: Promise<Buffer | null>): Promise<void> {
    try {
      const bytes = await reading
      if (bytes !== null) found.set(id, bytes)
    } catch (error) {
      if (onUnread === undefined || !(error instanceof ObjectStoreError)) throw error
      onUnread(id, error)
    }
  }
  const small = refs.filter(({ chunks }) => chunks === 1)
  for (let from = 0; from < small.length; ) {
    const to = endOfGroup(small, from, { bytesOf: ({ sizeBytes }) => sizeBytes, max: bytesAtOnce })
    const group = new Map(small.slice(from, to).map((ref) => [firstChunkId(ref.id), ref]))
    const docs = await readMany(store, 'blobs', { _id: { $in: [...group.keys()] } })
    for (const doc of docs) {
      const ref = group.get(doc._id)
      if (ref !== undefined) await take(ref, bytesOf(store, doc, ref))
    }
    from = to
  }
  for (const ref of refs) if (ref.chunks > 1) await take(ref, readBlob(store, ref))
  return found
}

/** A view of the store that asks the object store for nothing more once a read failed, so that not every read waits for a timeout. */
export function askingUntilAway(store: Store): Store {
  const { objects } = store
  if (objects === null) return store
  let away: Error | null = null
  const get: ObjectStore['get'] = async (...asked) => {
    if (away !== null) throw away
    return objects.get(...asked).catch((error: Error) => {
      away = error
      throw error
    })
  }
  return { ...store, objects: { ...objects, get } }
}

/**
 * Adds a user to a blob that has other users, as a write for a list in which the user's document follows. If it matches nothing, the
 * blob is gone, or is being deleted because it has lost its last user.
 */
export function blobUser(store: Store, blobId: string, user: string): Write {
  const inUse = { _id: firstChunkId(blobId), 'users.0': { $exists: true } }
  return updateIn(store.blobs, inUse, { $addToSet: { users: user } }, { mustMatch: true })
}

/** Marks blobs whose users are about to be deleted. Must be called before the users are deleted. */
export async function markBlobsInDoubt(store: Store, blobIds: readonly string[], at: Date): Promise<void> {
  if (blobIds.length === 0) return
  await store.blobs.updateMany({ _id: { $in: blobIds.map(firstChunkId) } }, { $set: { inDoubt: at } })
}

/** As `markBlobsInDoubt`, but as a write for a list in which the user's deletion follows. */
export function blobInDoubt(store: Store, blobId: string, at: Date): Write {
  return updateIn(store.blobs, { _id: firstChunkId(blobId) }, { $set: { inDoubt: at } })
}

/** Deleted users of one blob. `resolved` is the mark of the blob that was read before all its other users were found to exist. */
export type DroppedBlobUsers = {
  readonly blobId: string
  readonly users: readonly string[]
  readonly resolved?: Date | null
}

/**
 * Removes deleted users from blobs, and deletes the blobs that have no user left. These are in doubt until they are deleted, so that
 * the sweep finds any that remain. Safe to repeat. Returns how many it deleted.
 */
export async function dropBlobUsers(store: Store, drops: readonly DroppedBlobUsers[]): Promise<number> {
  if (drops.length === 0) return 0
  await store.blobs.bulkWrite(
    drops.map(({ blobId, users, resolved = null }) => ({
      updateOne: { filter: { _id: firstChunkId(blobId) }, update: withoutUsers(users, resolved) },
    })),
    { ordered: false },
  )
  const first = drops.map(({ blobId }) => firstChunkId(blobId))
  const unused = await readMany(
    store,
    'blobs',
    { _id: { $in: first }, users: { $size: 0 } },
    { projection: { chunks: 1, 'object.key': 1 } },
  )
  await removeBlobs(store, unused)
  return unused.length
}

/**
 * As `dropBlobUsers`, for users whose deletion has already succeeded: a failure of the object store is ignored, because the unused
 * blobs stay in doubt and the sweep deletes them.
 */
export async function releaseBlobs(store: Store, drops: readonly DroppedBlobUsers[]): Promise<void> {
  try {
    await dropBlobUsers(store, drops)
  } catch (error) {
    if (!(error instanceof ObjectStoreError)) throw error
  }
}

/** The update that removes users from a blob. A blob without users left stays in doubt or becomes so; any other loses the resolved mark. */
function withoutUsers(gone: readonly string[], resolved: Date | null): Document[] {
  const users = { $filter: { input: '$users', as: 'user', cond: { $not: [{ $in: ['$$user', gone] }] } } }
  const left = resolved === null ? '$inDoubt' : { $cond: [{ $eq: ['$inDoubt', resolved] }, '$$REMOVE', '$inDoubt'] }
  const inDoubt = { $cond: [{ $eq: ['$users', []] }, { $ifNull: ['$inDoubt', '$$NOW'] }, left] }
  return [{ $set: { users } }, { $set: { inDoubt } }]
}

/** A blob without its bytes, as the sweep checks it. */
export type BlobUsers = {
  readonly id: string
  readonly createdAt: Date
  readonly users: readonly string[]
  readonly inDoubt: Date | null
}

/**
 * Blobs with ids from `from` (inclusive) to `to` (exclusive), in order, for the sweep. `next` is the next `from`; null at the
 * end.
 */
export async function walkBlobUsers(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<{ blobs: readonly BlobUsers[]; next: string | null }> {
  const found = await readMany(
    store,
    'blobs',
    { _id: { $gte: from, $lt: to } },
    { projection: { data: 0 }, sort: { _id: 1 }, limit },
  )
  return { blobs: found.flatMap(usersOf), next: found.length < limit ? null : `${found.at(-1)!._id}~` }
}

/** Blobs that were marked as in doubt before a time, the earliest marked first. */
export async function findBlobsInDoubt(store: Store, before: Date, limit: number): Promise<readonly BlobUsers[]> {
  const found = await readMany(
    store,
    'blobs',
    { inDoubt: { $lt: before } },
    { projection: { data: 0 }, sort: { inDoubt: 1 }, limit },
  )
  return found.flatMap(usersOf)
}

/** The prefixes of the ids of messages, sends, approvals and records of Intake: these use blobs. */
const userPrefixes = { messages: 'msg_', emails: 'em_', approvals: 'apr_', records: 'int_' } as const

/** Whether an id is of a kind that uses blobs. */
export const isBlobUser = (id: string): boolean => Object.values(userPrefixes).some((prefix) => id.startsWith(prefix))

/**
 * The id of the blob that each user uses, for users that exist or will be written; a changed draft or scheduled send uses another one than
 * before. The Sent copy of a send that is not planned yet counts as existing.
 */
export async function findBlobUsers(store: Store, users: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const of = (kind: keyof typeof userPrefixes) => users.filter((user) => user.startsWith(userPrefixes[kind]))
  const blob = { 'blob.id': 1 } as const
  const [messages, emails, approvals, records] = await Promise.all([
    readMany(store, 'messages', { _id: { $in: of('messages') } }, { projection: blob }),
    readMany(store, 'emails', { _id: { $in: of('emails') } }, { projection: { ...blob, messageId: 1, planned: 1 } }),
    readMany(store, 'approvals', { _id: { $in: of('approvals') }, dueAt: { $exists: true } }, { projection: blob }),
    readMany(store, 'intakeRecords', { _id: { $in: of('records') } }, { projection: blob }),
  ])
  const awaited = emails.flatMap(({ messageId, planned, blob: { id } }): [string, string][] =>
    planned || messageId === null ? [] : [[messageId, id]],
  )
  const stored = [...messages, ...emails, ...approvals, ...records].map((doc): [string, string] => [
    doc._id,
    doc.blob.id,
  ])
  return new Map([...awaited, ...stored])
}

const firstChunkId = (blobId: string) => `${blobId}#0`
const blobIdOf = (chunkId: string) => chunkId.slice(0, chunkId.indexOf('#'))

function usersOf({ _id, createdAt, users, inDoubt }: Omit<BlobDoc, 'data'>): BlobUsers[] {
  if (users === undefined) return []
  return [{ id: blobIdOf(_id), createdAt, users, inDoubt: inDoubt ?? null }]
}

/**
 * Deletes blobs, given their first chunks, which are deleted last: a crash before that leaves blobs without users, which the sweep
 * finds again. If the object store fails to delete an object, the blobs whose objects are gone and those without one are deleted anyway.
 */
async function removeBlobs(store: Store, blobs: readonly Pick<BlobDoc, '_id' | 'chunks' | 'object'>[]): Promise<void> {
  if (blobs.length === 0) return
  const firstIds = blobs.map(({ _id }) => _id)
  await store.searchTexts.deleteMany({ _id: { $in: firstIds.map(blobIdOf) } })
  const later = blobs.flatMap(({ _id, chunks = 1 }) =>
    Array.from({ length: chunks - 1 }, (_, n) => `${blobIdOf(_id)}#${n + 1}`),
  )
  if (later.length > 0) await store.blobs.deleteMany({ _id: { $in: later } })
  const bare = new Set(blobs.flatMap(({ _id, object }) => (object === undefined ? [_id] : [])))
  try {
    for (const { _id, object } of blobs) {
      if (object === undefined) continue
      await removeObject(store, object)
      bare.add(_id)
    }
  } finally {
    await store.blobs.deleteMany({ _id: { $in: [...bare] } })
  }
}

const chunkNumber = (id: string) => Number(id.slice(id.indexOf('#') + 1))

/** The bytes of a blob that consists of one document; null when it was deleted meanwhile. */
async function bytesOf(store: Store, doc: BlobDoc, ref: BlobRef): Promise<Buffer | null> {
  if (doc.object === undefined) return decompress(doc, ref)
  const bytes = await readObject(store, doc.object, ref)
  if (bytes !== null || (await readOne(store, 'blobs', { _id: doc._id }, { projection: { _id: 1 } })) === null)
    return bytes
  throw new BodyLost(`The object store has lost ${doc.object.key}, the body of a message that exists.`)
}

/** The bytes of a chunk, decompressed. */
const decompress = ({ _id, zstd, data }: BlobDoc, { sizeBytes }: BlobRef): Promise<Buffer> =>
  unpack({ zstd, data: Buffer.from(data.buffer) }, chunkNumber(_id), sizeBytes)

/** The end index (exclusive) of the group that starts at `from`: at least one element, and as many as fit into `max` bytes. */
function endOfGroup<T>(
  all: readonly T[],
  from: number,
  { bytesOf, max }: { bytesOf: (each: T) => number; max: number },
): number {
  let to = from
  let bytes = 0
  do {
    bytes += bytesOf(all[to]!)
    to += 1
  } while (to < all.length && bytes + bytesOf(all[to]!) <= max)
  return to
}
