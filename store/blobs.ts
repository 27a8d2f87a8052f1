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
/** Below this size the thread pool costs more than the work. Unpacking is several times quicker than packing. */
const inlineBytes = 32 * 1024
const unpackedInlineBytes = 256 * 1024
/** Chunks in one command: the driver and the engine handle a command in one go, while everybody else waits. */
const chunksAtOnce = 2
/** Bytes of small blobs read by one command. */
const bytesAtOnce = 2 * 1024 * 1024

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

/** Writes the documents of blobs, the first of each before its others. Safe to repeat. */
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
 * The bytes of a blob, or null when it is gone. Those of several chunks lie in memory that threads share, so that one that
 * reads the message needs no copy.
 */
export async function readBlob(store: Store, ref: BlobRef): Promise<Buffer | null> {
  if (ref.chunks === 1) {
    const doc = await store.blobs.findOne({ _id: firstOf(ref.id) })
    return doc === null ? null : unpack(doc, ref)
  }
  const bytes = Buffer.from(new SharedArrayBuffer(ref.sizeBytes))
  for (let from = 0; from < ref.chunks; from += chunksAtOnce) {
    const ids = Array.from({ length: Math.min(chunksAtOnce, ref.chunks - from) }, (_, n) => `${ref.id}#${from + n}`)
    const chunks = await store.blobs.find({ _id: { $in: ids } }).toArray()
    if (chunks.length !== ids.length) return null
    for (const chunk of chunks) (await unpack(chunk, ref)).copy(bytes, numberOf(chunk._id) * chunkBytes)
  }
  return bytes
}

/** The bytes of several blobs by id; one that is gone is not in the map. The caller bounds their size. */
export async function readBlobs(store: Store, refs: readonly BlobRef[]): Promise<Map<string, Buffer>> {
  const found = new Map<string, Buffer>()
  const small = refs.filter(({ chunks }) => chunks === 1)
  for (let from = 0; from < small.length; ) {
    const to = endOfGroup(small, from, { bytesOf: ({ sizeBytes }) => sizeBytes, max: bytesAtOnce })
    const group = new Map(small.slice(from, to).map((ref) => [firstOf(ref.id), ref]))
    const docs = await store.blobs.find({ _id: { $in: [...group.keys()] } }).toArray()
    for (const doc of docs) {
      const ref = group.get(doc._id)
      if (ref !== undefined) found.set(ref.id, await unpack(doc, ref))
    }
    from = to
  }
  for (const ref of refs) {
    const bytes = ref.chunks === 1 ? null : await readBlob(store, ref)
    if (bytes !== null) found.set(ref.id, bytes)
  }
  return found
}

/** Names one more user of a blob that has others: before the user is written. */
export async function addBlobUser(store: Store, blobId: string, user: string): Promise<void> {
  await store.blobs.updateOne({ _id: firstOf(blobId) }, { $addToSet: { users: user } })
}

/** Notes that users of blobs are about to go: before they do. */
export async function markBlobsInDoubt(store: Store, blobIds: readonly string[], at: Date): Promise<void> {
  if (blobIds.length === 0) return
  await store.blobs.updateMany({ _id: { $in: blobIds.map(firstOf) } }, { $set: { inDoubt: at } })
}

/** Users that are gone, of one blob. */
export type DroppedBlobUsers = { readonly blobId: string; readonly users: readonly string[] }

/** Strikes users off, and removes the blobs that nobody uses any more. Safe to repeat. Returns how many went. */
export async function dropBlobUsers(store: Store, drops: readonly DroppedBlobUsers[]): Promise<number> {
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
export async function findBlobsInDoubt(store: Store, before: Date, limit: number): Promise<readonly BlobUsers[]> {
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

/** What a chunk was before it was compressed: its share of the blob. */
async function unpack({ _id, zstd, data }: BlobDoc, { sizeBytes }: BlobRef): Promise<Buffer> {
  if (!zstd) return Buffer.from(data.buffer)
  const size = Math.min(chunkBytes, sizeBytes - numberOf(_id) * chunkBytes)
  const options = { chunkSize: Math.max(size, 0) + frameBytes }
  return size <= unpackedInlineBytes
    ? zlib.zstdDecompressSync(data.buffer, options)
    : decompressInPool(data.buffer, options)
}

/** After the last of those that go together, at least one, from `from` on. */
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
