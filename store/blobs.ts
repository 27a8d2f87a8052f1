/**
 * Raw bytes, zstd-compressed in chunks of at most 1 MiB before compression. A blob is written once and shared by the
 * messages of one delivery and by the send they come from; chunk 0 names them as `users`, chosen before the blob is
 * written. Invariants: a user is named before it is there, and struck off after it is gone, so that a crash leaves too many
 * users and never too few; before a user goes, its blob comes `inDoubt`, so that what a crash leaves is found by an index.
 */
import { promisify } from 'node:util'
import zlib from 'node:zlib'
import { Binary } from 'mongodb'
import type { BlobDoc, BlobRef } from './documents/mail.ts'
import { onlyDuplicates, type Store } from './open.ts'

const chunkBytes = 1024 * 1024
const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
/** Room beyond the input for what cannot be compressed: the output then is one buffer. */
const frameBytes = 512
const compressInPool = promisify(zlib.zstdCompress)
const decompressInPool = promisify(zlib.zstdDecompress)
/** Below this size the thread pool costs more than the work. */
const inlineBytes = 32 * 1024

/** The documents of a blob, compressed. `users` are the ids of the messages and the send that will use it. */
export async function packBlob({
  id,
  bytes,
  users,
  at,
}: {
  id: string
  bytes: Buffer
  users: readonly string[]
  at: Date
}): Promise<{ ref: BlobRef; chunks: BlobDoc[] }> {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes))
  const chunks = await fewAtOnce(
    Array.from({ length: count }, (_, n) => async (): Promise<BlobDoc> => {
      const part = bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
      // Told the size, the compressor takes no more memory than it needs.
      const options = { params, pledgedSrcSize: part.length, chunkSize: part.length + frameBytes }
      const packed =
        part.length <= inlineBytes ? zlib.zstdCompressSync(part, options) : await compressInPool(part, options)
      const zstd = packed.length < part.length
      return {
        _id: `${id}#${n}`,
        createdAt: at,
        ...(n === 0 && { users }),
        zstd,
        data: new Binary(zstd ? packed : part),
      }
    }),
  )
  return { ref: { id, chunks: count, sizeBytes: bytes.length }, chunks }
}

/** Writes the documents of a blob. Safe to repeat. */
export async function insertBlob(store: Store, chunks: readonly BlobDoc[]): Promise<void> {
  if (chunks.length === 0) return
  try {
    await store.blobs.insertMany([...chunks], { ordered: false })
  } catch (error) {
    if (!onlyDuplicates(error)) throw error
  }
}

/** The bytes of a blob, or null when it is gone. */
export async function readBlob(store: Store, ref: BlobRef): Promise<Buffer | null> {
  const ids = Array.from({ length: ref.chunks }, (_, n) => `${ref.id}#${n}`)
  const chunks = await store.blobs.find({ _id: { $in: ids } }).toArray()
  if (chunks.length !== ref.chunks) return null
  chunks.sort((a, b) => numberOf(a._id) - numberOf(b._id))
  const parts = await fewAtOnce(
    chunks.map(
      ({ zstd, data }) =>
        async () =>
          zstd ? unpack(data) : Buffer.from(data.buffer),
    ),
  )
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** The bytes of several blobs by id; one that is gone is not in the map. The caller bounds their size. */
export async function readBlobs(store: Store, refs: readonly BlobRef[]): Promise<Map<string, Buffer>> {
  const ids = refs.flatMap(({ id, chunks }) => Array.from({ length: chunks }, (_, n) => `${id}#${n}`))
  const docs = new Map((await store.blobs.find({ _id: { $in: ids } }).toArray()).map((doc) => [doc._id, doc]))
  const found = new Map<string, Buffer>()
  for (const { id, chunks } of refs) {
    const parts: Buffer[] = []
    for (let n = 0; n < chunks; n++) {
      const chunk = docs.get(`${id}#${n}`)
      if (chunk !== undefined) parts.push(chunk.zstd ? await unpack(chunk.data) : Buffer.from(chunk.data.buffer))
    }
    if (parts.length === chunks) found.set(id, Buffer.concat(parts))
  }
  return found
}

/** Names one more user of a blob that has others: before the user is written. */
export async function addBlobUser(store: Store, blobId: string, user: string): Promise<void> {
  await store.blobs.updateOne({ _id: firstOf(blobId) }, { $addToSet: { users: user } })
}

/** Notes that users of blobs are about to go: before they do. */
export async function doubtBlobs(store: Store, blobIds: readonly string[], at: Date): Promise<void> {
  if (blobIds.length === 0) return
  await store.blobs.updateMany({ _id: { $in: blobIds.map(firstOf) } }, { $set: { inDoubt: at } })
}

/** Users that are gone, of one blob. */
export type BlobDrop = { readonly blobId: string; readonly users: readonly string[] }

/** Strikes users off, and removes the blobs that nobody uses any more. Safe to repeat. Answers how many went. */
export async function dropBlobUsers(store: Store, drops: readonly BlobDrop[]): Promise<number> {
  if (drops.length === 0) return 0
  await store.blobs.bulkWrite(
    drops.map(({ blobId, users }) => ({
      updateOne: { filter: { _id: firstOf(blobId) }, update: { $pullAll: { users }, $unset: { inDoubt: '' } } },
    })),
    { ordered: false },
  )
  const first = drops.map(({ blobId }) => firstOf(blobId))
  const unused = await store.blobs
    .find({ _id: { $in: first }, users: { $size: 0 } }, { projection: { _id: 1 } })
    .toArray()
  await removeBlobs(
    store,
    unused.map(({ _id }) => _id.slice(0, _id.indexOf('#'))),
  )
  return unused.length
}

/** A blob as the sweep looks at it. */
export type BlobUsers = {
  readonly id: string
  readonly createdAt: Date
  readonly users: readonly string[]
  readonly inDoubt: boolean
}

/** Blobs in the order of their ids, from one id up to before another: for the sweep. `next` is where to go on; null at the end. */
export async function walkBlobs(
  store: Store,
  { from, to, limit }: { from: string; to: string; limit: number },
): Promise<{ blobs: readonly BlobUsers[]; next: string | null }> {
  const found = await store.blobs
    .find({ _id: { $gte: from, $lt: to } }, { projection: { data: 0 } })
    .sort({ _id: 1 })
    .limit(limit)
    .toArray()
  return { blobs: found.flatMap(usersOf), next: found.length < limit ? null : `${found.at(-1)!._id}~` }
}

/** Blobs that came in doubt before a time, the longest first. */
export async function findDoubtedBlobs(store: Store, before: Date, limit: number): Promise<readonly BlobUsers[]> {
  const found = await store.blobs
    .find({ inDoubt: { $lt: before } }, { projection: { data: 0 } })
    .sort({ inDoubt: 1 })
    .limit(limit)
    .toArray()
  return found.flatMap(usersOf)
}

/**
 * Those of the users that are there, or will be: a send names its Sent copy before that is written. Ids of kinds that are
 * not known here count as there.
 */
export async function findBlobUsers(store: Store, users: readonly string[]): Promise<ReadonlySet<string>> {
  const of = (prefix: string) => users.filter((user) => user.startsWith(prefix))
  const [messages, emails] = await Promise.all([
    store.messages.find({ _id: { $in: of('msg_') } }, { projection: { _id: 1 } }).toArray(),
    store.emails.find({ _id: { $in: of('em_') } }, { projection: { messageId: 1, planned: 1 } }).toArray(),
  ])
  return new Set([
    ...users.filter((user) => !/^(msg|em)_/.test(user)),
    ...messages.map(({ _id }) => _id),
    ...emails.flatMap(({ _id, messageId, planned }) => (planned || messageId === null ? [_id] : [_id, messageId])),
  ])
}

const firstOf = (blobId: string) => `${blobId}#0`

function usersOf({ _id, createdAt, users, inDoubt }: Omit<BlobDoc, 'data'>): BlobUsers[] {
  if (users === undefined) return []
  return [{ id: _id.slice(0, _id.indexOf('#')), createdAt, users, inDoubt: inDoubt !== undefined }]
}

/** Chunk 0 last: a crash before that leaves a blob without users, which is found again. */
async function removeBlobs(store: Store, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return
  const later = ids.map((id) => ({ _id: { $gt: firstOf(id), $lt: `${id}#~` } }))
  await store.searchTexts.deleteMany({ _id: { $in: [...ids] } })
  await store.blobs.deleteMany({ $or: later })
  await store.blobs.deleteMany({ _id: { $in: ids.map(firstOf) } })
}

/** As many as the thread pool takes: starting the work of a large blob all at once would hold up the others. */
const atOnce = 4

async function fewAtOnce<T>(work: readonly (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = []
  for (let n = 0; n < work.length; n += atOnce)
    done.push(...(await Promise.all(work.slice(n, n + atOnce).map((each) => each()))))
  return done
}

const numberOf = (id: string) => Number(id.slice(id.indexOf('#') + 1))

async function unpack(data: Binary): Promise<Buffer> {
  if (data.length() <= inlineBytes) return zlib.zstdDecompressSync(data.buffer)
  return decompressInPool(data.buffer, { chunkSize: chunkBytes })
}
