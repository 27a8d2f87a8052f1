/** Splits bytes into chunks of at most 1 MiB, compressed with zstd where that saves space and is worth the time. */
import { promisify } from 'node:util'
import zlib from 'node:zlib'

export const chunkBytes = 1024 * 1024
const params = { [zlib.constants.ZSTD_c_compressionLevel]: 1 }
/** Added to the size of the output buffer, so that the output fits into one buffer even when the input is incompressible. */
const frameBytes = 512
const compressInPool = promisify(zlib.zstdCompress)
const decompressInPool = promisify(zlib.zstdDecompress)
/**
 * A chunk that fits a page of the embedded database is not compressed. Compression would save half a page at most, and setting up a
 * zstd context costs 40 us at arrival and again at each read.
 */
const plainBytes = 7 * 1024
/** Up to these sizes the thread pool costs more than the work itself. Decompressing is several times faster than compressing. */
const inlineBytes = 128 * 1024
const decompressedInlineBytes = 256 * 1024
/** As many tasks as the thread pool runs at once. Queueing all chunks of a large blob would delay other blobs. */
const atOnce = 4

/** A chunk as it is stored. */
export type Packed = { readonly zstd: boolean; readonly data: Buffer }

/** The chunks of bytes; at least one. */
export async function pack(bytes: Buffer): Promise<Packed[]> {
  const count = Math.max(1, Math.ceil(bytes.length / chunkBytes))
  const done: Packed[] = []
  for (let n = 0; n < count; n += atOnce) {
    const parts = Array.from({ length: Math.min(atOnce, count - n) }, (_, k) => partOf(bytes, n + k))
    done.push(...(await Promise.all(parts.map(packPart))))
  }
  return done
}

/** The bytes of chunk `n` of a blob of `sizeBytes`. */
export async function unpack({ zstd, data }: Packed, n: number, sizeBytes: number): Promise<Buffer> {
  if (!zstd) return data
  const size = Math.min(chunkBytes, sizeBytes - n * chunkBytes)
  const options = { chunkSize: Math.max(size, 0) + frameBytes }
  return size <= decompressedInlineBytes ? zlib.zstdDecompressSync(data, options) : decompressInPool(data, options)
}

const partOf = (bytes: Buffer, n: number) => bytes.subarray(n * chunkBytes, (n + 1) * chunkBytes)

async function packPart(part: Buffer): Promise<Packed> {
  if (part.length <= plainBytes) return { zstd: false, data: part }
  // Given the size, the compressor allocates no more memory than it needs.
  const options = { params, pledgedSrcSize: part.length, chunkSize: part.length + frameBytes }
  const compressed =
    part.length <= inlineBytes ? zlib.zstdCompressSync(part, options) : await compressInPool(part, options)
  const zstd = compressed.length < part.length
  return { zstd, data: zstd ? compressed : part }
}
