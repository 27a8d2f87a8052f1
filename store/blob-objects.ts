/**
 * Blobs whose bytes are in the object store. One object holds all chunks of a blob, concatenated; chunk 0 of the blob records the key of
 * the object, and the sizes and checksums of the chunks.
 *
 * Invariants: The object is written before chunk 0, so a crash leaves at worst an object that no blob names, which the sweep finds. It is
 * deleted before chunk 0, so a crash leaves at worst a blob without users whose object is gone. Each try uses a new key, so that it
 * never overwrites what another try wrote. Bytes that differ from what was written are never returned.
 */
import { crc32 } from 'node:zlib'
import { newToken } from '../schemas/ids.ts'
import { chunkBytes, type Packed, pack, unpack } from './blob-chunks.ts'
import type { BlobObject, BlobRef } from './documents/mail.ts'
import { BodyLost, type ObjectStore, ObjectStoreError } from './object-store.ts'
import type { Store } from './open.ts'
import { readMany } from './reads.ts'

const separator = '.'
/** How many chunks are read at once when a body is streamed. */
const chunksAtOnce = 4

/** Puts the bytes of the blob `id` into the object store. */
export async function putObject(objects: ObjectStore, id: string, bytes: Buffer): Promise<BlobObject> {
  const chunks = await pack(bytes)
  const key = `${id}${separator}${newToken()}`
  await objects.put(key, Buffer.concat(chunks.map(({ data }) => data)))
  return { key, chunks: chunks.map(({ zstd, data }) => ({ zstd, bytes: data.length, crc32: crc32(data) })) }
}

/** The bytes of a body, or of its chunks `from` to `to` (excluded); null when the object is gone. */
export async function readObject(
  store: Pick<Store, 'objects'>,
  { key, chunks }: BlobObject,
  {
    sizeBytes,
    from = 0,
    to = chunks.length,
  }: { readonly sizeBytes: number; readonly from?: number; readonly to?: number },
): Promise<Buffer | null> {
  const first = sizeOf(chunks.slice(0, from))
  const wanted = chunks.slice(from, to)
  const range = wanted.length === chunks.length ? undefined : { first, end: first + sizeOf(wanted) }
  const packed = await objectsOf(store, key).get(key, range)
  if (packed === null) return null
  if (packed.length !== sizeOf(wanted)) throw new ObjectStoreError(`The object store returned only a part of ${key}.`)
  // In shared memory, so that a worker thread can parse the message without a copy.
  const bytes = Buffer.from(new SharedArrayBuffer(Math.min(sizeBytes, to * chunkBytes) - from * chunkBytes))
  let at = 0
  for (const [n, { zstd, bytes: length, crc32: written }] of wanted.entries()) {
    const chunk: Packed = { zstd, data: packed.subarray(at, at + length) }
    if (written !== undefined && crc32(chunk.data) !== written)
      throw new BodyLost(`The object store returned other bytes for ${key} than were written there.`)
    ;(await unpack(chunk, from + n, sizeBytes)).copy(bytes, n * chunkBytes)
    at += length
  }
  return bytes
}

/** The bytes of a body, a few chunks at a time. Throws `BodyLost` when the object is missing, or is deleted meanwhile. */
export async function* readObjectChunks(
  store: Pick<Store, 'objects'>,
  object: BlobObject,
  { sizeBytes }: Pick<BlobRef, 'sizeBytes'>,
): AsyncGenerator<Buffer> {
  for (let from = 0; from < object.chunks.length; from += chunksAtOnce) {
    const to = Math.min(from + chunksAtOnce, object.chunks.length)
    const bytes = await readObject(store, object, { sizeBytes, from, to })
    if (bytes === null) throw new BodyLost(`The object store does not have ${object.key}, the body of a message.`)
    yield bytes
  }
}

export const removeObject = (store: Pick<Store, 'objects'>, { key }: Pick<BlobObject, 'key'>): Promise<void> =>
  objectsOf(store, key).remove(key)

/** The objects, on the page after the key `after`, that were written before a time and that no blob names. `next` is null at the end. */
export async function findUnusedObjects(
  store: Store,
  objects: ObjectStore,
  { after, before, limit }: { readonly after: string; readonly before: Date; readonly limit: number },
): Promise<{ readonly keys: readonly string[]; readonly next: string | null }> {
  const page = await objects.list({ after, limit })
  const old = page.filter(({ writtenAt }) => writtenAt < before).map(({ key }) => key)
  const ids = old.map((key) => `${key.slice(0, key.lastIndexOf(separator))}#0`)
  const docs = await readMany(store, 'blobs', { _id: { $in: ids } }, { projection: { 'object.key': 1 } })
  const named = new Set(docs.map(({ object }) => object?.key))
  return { keys: old.filter((key) => !named.has(key)), next: page.length < limit ? null : page.at(-1)!.key }
}

function objectsOf({ objects }: Pick<Store, 'objects'>, key: string): ObjectStore {
  if (objects !== null) return objects
  throw new ObjectStoreError(`The body ${key} is in an object store, but the setting blobs.bucket names none.`)
}

const sizeOf = (chunks: BlobObject['chunks']) => chunks.reduce((sum, { bytes }) => sum + bytes, 0)
