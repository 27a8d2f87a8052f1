/**
 * Raw bytes, zstd-compressed in chunks of at most 1 MiB before compression. A blob is written once and shared by the
 * messages of one delivery; chunk 0 counts them, and a sweep removes blobs over an hour old without any.
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

/** The documents of a blob, compressed. `refs` is how many messages will use it. */
export async function packBlob({
  id,
  bytes,
  refs,
  at,
}: {
  id: string
  bytes: Buffer
  refs: number
  at: Date
}): Promise<{ ref: BlobRef; chunks: BlobDoc[] }> {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes))
  const chunks = await Promise.all(
    Array.from({ length: count }, async (_, n): Promise<BlobDoc> => {
      const part = bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)
      // Told the size, the compressor takes no more memory than it needs.
      const options = { params, pledgedSrcSize: part.length, chunkSize: part.length + frameBytes }
      const packed =
        part.length <= inlineBytes ? zlib.zstdCompressSync(part, options) : await compressInPool(part, options)
      const zstd = packed.length < part.length
      return {
        _id: `${id}#${n}`,
        createdAt: at,
        ...(n === 0 && { refs }),
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
  const parts = await Promise.all(
    chunks.map(({ zstd, data }) => (zstd ? unpack(data) : Promise.resolve(Buffer.from(data.buffer)))),
  )
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** Counts one user more or less of a blob. */
export async function countBlobUsers(store: Store, id: string, by: number): Promise<void> {
  await store.blobs.updateOne({ _id: `${id}#0` }, { $inc: { refs: by } })
}

/** Removes the blobs among `refs` that nobody uses any more. Answers how many went. */
export async function removeUnusedBlobs(store: Store, refs: readonly BlobRef[]): Promise<number> {
  if (refs.length === 0) return 0
  const unused = await store.blobs
    .find({ _id: { $in: refs.map(({ id }) => `${id}#0`) }, refs: { $lte: 0 } }, { projection: { _id: 1 } })
    .toArray()
  const gone = new Set(unused.map(({ _id }) => _id.slice(0, _id.indexOf('#'))))
  const ids = refs
    .filter(({ id }) => gone.has(id))
    .flatMap(({ id, chunks }) => Array.from({ length: chunks }, (_, n) => `${id}#${n}`))
  if (ids.length > 0) await store.blobs.deleteMany({ _id: { $in: ids } })
  return gone.size
}

const numberOf = (id: string) => Number(id.slice(id.indexOf('#') + 1))

async function unpack(data: Binary): Promise<Buffer> {
  return data.length() <= inlineBytes ? zlib.zstdDecompressSync(data.buffer) : decompressInPool(data.buffer)
}
