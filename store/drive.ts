/**
 * Drive: entries of folders, and the bytes of files in the driver's own bucket (GridFS). A file consists of parts, each of them a file of
 * the bucket, so that a long upload can resume after the last complete part when it was interrupted. Invariants: Readers see content
 * only once it is complete. The id of a part contains its entry, its writer and its number, so two writers never touch the same bytes.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GridFSBucket, MongoRuntimeError } from 'mongodb'
import type { DriveEntryDoc, DrivePart, DriveUpload } from './documents/drive.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** The name of the bucket, with which the names of its collections begin. */
export const driveBucket = 'drive'
/** The size of one document of the bucket. */
export const chunkBytes = 255 * 1024
/** How much is read from the bucket at once: it fetches everything it is asked for in one answer, however slow the consumer is. */
const readBytes = 8 * chunkBytes

const bucketOf = ({ db }: Store) => new GridFSBucket(db, { bucketName: driveBucket, chunkSizeBytes: chunkBytes })
/** The driver's types allow ids of one kind only, but its bucket accepts any. */
type BucketId = Parameters<GridFSBucket['openDownloadStream']>[0]
const bucketId = (id: string) => id as unknown as BucketId

/** Inserts an entry. Returns false when its folder has an entry of that name. */
export async function insertDriveEntry(store: Store, entry: DriveEntryDoc): Promise<boolean> {
  try {
    await store.driveEntries.insertOne(entry)
    return true
  } catch (error) {
    if (isDuplicate(error)) return false
    throw error
  }
}

export function findDriveEntry(
  store: Store,
  { accountId, entryId }: { readonly accountId: string; readonly entryId: string },
): Promise<DriveEntryDoc | null> {
  return readOne(store, 'driveEntries', { accountId, _id: entryId, isNew: { $exists: false } })
}

/** The entry of this name in a folder, even if its content is incomplete. */
export function driveEntryNamed(
  store: Store,
  { accountId, parentId, name }: Pick<DriveEntryDoc, 'accountId' | 'parentId' | 'name'>,
): Promise<DriveEntryDoc | null> {
  return readOne(store, 'driveEntries', { accountId, parentId, name })
}

/** The entries of a folder, newest first, older than the one with the id `before`. */
export function listDriveEntries(
  store: Store,
  {
    accountId,
    parentId,
    before,
    limit,
  }: {
    readonly accountId: string
    readonly parentId: string | null
    readonly before: string | null
    readonly limit: number
  },
): Promise<DriveEntryDoc[]> {
  const range = before === null ? {} : { _id: { $lt: before } }
  return readMany(
    store,
    'driveEntries',
    { accountId, parentId, isNew: { $exists: false }, ...range },
    { sort: { _id: -1 }, limit },
  )
}

/** Records the progress of an upload. Returns false when the entry is gone, or another writer has taken over. */
export async function noteUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  incoming: DriveUpload,
): Promise<boolean> {
  const filter = { accountId, _id, 'incoming.writer': incoming.writer }
  const { matchedCount } = await store.driveEntries.updateOne(filter, { $set: { incoming } })
  return matchedCount === 1
}

/** The id of a part: its entry, its writer and its number. */
export const partId = (entryId: string, writer: string, n: number) => `${entryId}.${writer}.${n}`

const entryOfPart = (id: string) => id.slice(0, id.indexOf('.'))

/** The parts that an upload has written: the complete ones, and the one after them. */
function writtenParts(
  entry: Pick<DriveEntryDoc, '_id'>,
  incoming: DriveUpload | undefined,
): readonly Pick<DrivePart, 'id'>[] {
  return incoming === undefined ? [] : [...incoming.parts, underWay(entry, incoming)]
}

/** The part after the complete ones, which the writer may have written partly. */
const underWay = ({ _id }: Pick<DriveEntryDoc, '_id'>, { writer, parts }: DriveUpload) => ({
  id: partId(_id, writer, parts.length),
})

/**
 * Takes over the upload of a source from the writer that began it, whether that one is alive or not. Returns the complete parts, and the
 * part that is then unused; null when this source is not being uploaded.
 */
export async function takeUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  { source, writer, at }: Omit<DriveUpload, 'parts'>,
): Promise<{ readonly parts: readonly DrivePart[]; readonly unused: readonly Pick<DrivePart, 'id'>[] } | null> {
  const before = await store.driveEntries.findOneAndUpdate(
    { accountId, _id, 'incoming.source': source },
    { $set: { 'incoming.writer': writer, 'incoming.at': at } },
  )
  return before?.incoming === undefined
    ? null
    : { parts: before.incoming.parts, unused: [underWay(before, before.incoming)] }
}

/** Begins the upload of new content, which replaces any other upload of the file. Returns the parts of that one, which are then unused. */
export async function beginUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  incoming: DriveUpload,
): Promise<readonly Pick<DrivePart, 'id'>[]> {
  const before = await store.driveEntries.findOneAndUpdate({ accountId, _id }, { $set: { incoming } })
  return writtenParts({ _id }, before?.incoming)
}

/** Replaces the content of a file with its upload. Returns the parts that are then unused; null when another writer has taken over. */
export async function finishUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  {
    writer,
    ...content
  }: Required<Pick<DriveEntryDoc, 'sizeBytes' | 'contentType' | 'modifiedAt' | 'parts' | 'source'>> & {
    readonly writer: string
  },
): Promise<readonly DrivePart[] | null> {
  const before = await store.driveEntries.findOneAndUpdate(
    { accountId, _id, 'incoming.writer': writer },
    { $set: content, $unset: { incoming: '', isNew: '' } },
  )
  return before === null ? null : before.parts
}

/** Deletes an entry and its bytes. Does not check whether a folder is empty. */
export async function removeDriveEntry(
  store: Store,
  { accountId, _id, parts, incoming }: Pick<DriveEntryDoc, 'accountId' | '_id' | 'parts' | 'incoming'>,
): Promise<void> {
  await store.driveEntries.deleteOne({ accountId, _id })
  await removeParts(store, [...parts, ...writtenParts({ _id }, incoming)])
}

/** Deletes up to `limit` entries of an account with their bytes. Returns how many there were. */
export async function removeDriveEntries(store: Store, accountId: string, limit: number): Promise<number> {
  const found = await readMany(store, 'driveEntries', { accountId }, { limit })
  for (const entry of found) await removeDriveEntry(store, entry)
  return found.length
}

/** Entries with an upload that has not progressed since a time. */
export function findStaleUploads(store: Store, before: Date, limit: number): Promise<DriveEntryDoc[]> {
  return readMany(store, 'driveEntries', { 'incoming.at': { $lt: before } }, { limit })
}

/** Drops an upload that was not completed, and an entry that has no other content. Does nothing if the upload has progressed since. */
export async function dropUpload(store: Store, entry: DriveEntryDoc): Promise<void> {
  const { accountId, _id, incoming, isNew } = entry
  if (incoming === undefined) return
  const filter = { accountId, _id, 'incoming.at': incoming.at }
  const { modifiedCount, deletedCount } =
    isNew === true
      ? { modifiedCount: 0, ...(await store.driveEntries.deleteOne(filter)) }
      : { deletedCount: 0, ...(await store.driveEntries.updateOne(filter, { $unset: { incoming: '' } })) }
  if (modifiedCount + deletedCount > 0) await removeParts(store, writtenParts(entry, incoming))
}

/** Writes a part. Returns its size. */
export async function writePart(store: Store, id: string, content: AsyncIterable<Buffer>): Promise<number> {
  const into = bucketOf(store).openUploadStreamWithId(bucketId(id), id)
  await pipeline(Readable.from(content), into)
  return into.length
}

/** Streams the bytes of the concatenated parts from `first` to `last` (inclusive). */
export async function* readParts(
  store: Store,
  parts: readonly DrivePart[],
  { first, last }: { readonly first: number; readonly last: number },
): AsyncGenerator<Buffer> {
  const bucket = bucketOf(store)
  let from = 0
  for (const { id, sizeBytes } of parts) {
    const [start, end] = [Math.max(first - from, 0), Math.min(last + 1 - from, sizeBytes)]
    from += sizeBytes
    for (let at = start; at < end; ) {
      const next = Math.min(end, (Math.floor(at / readBytes) + 1) * readBytes)
      yield* bucket.openDownloadStream(bucketId(id), { start: at, end: next }) as AsyncIterable<Buffer>
      at = next
    }
  }
}

/** The bytes of all files of an account. */
export async function driveBytes(store: Store, accountId: string): Promise<number> {
  const [sum] = await store.driveEntries
    .aggregate<{ readonly bytes: number }>([
      { $match: { accountId } },
      { $group: { _id: null, bytes: { $sum: '$sizeBytes' } } },
    ])
    .toArray()
  return sum?.bytes ?? 0
}

/**
 * The ids of parts of which at least one chunk is stored: a page of them after the id `after`, in order. Each id takes a query of its own,
 * because walking over all chunks would read everything that is stored.
 */
export async function walkParts(
  store: Store,
  { after, limit }: { readonly after: string; readonly limit: number },
): Promise<readonly string[]> {
  const ids: string[] = []
  for (let last = after; ids.length < limit; last = ids.at(-1)!) {
    const next = await readOne(
      store,
      'driveChunks',
      { files_id: { $gt: last } },
      { sort: { files_id: 1, n: 1 }, projection: { _id: 0, files_id: 1 } },
    )
    if (next === null) break
    ids.push(next.files_id)
  }
  return ids
}

/** Those of these parts that no entry names. An entry is written before its parts, so such a part is no longer used. */
export async function unusedParts(store: Store, ids: readonly string[]): Promise<readonly string[]> {
  const entries = await readMany(
    store,
    'driveEntries',
    { _id: { $in: [...new Set(ids.map(entryOfPart))] } },
    { projection: { parts: 1, incoming: 1 } },
  )
  const named = entries.flatMap((entry) => [...entry.parts, ...writtenParts(entry, entry.incoming)])
  const used = new Set(named.map(({ id }) => id))
  return ids.filter((id) => !used.has(id))
}

export async function removeParts(store: Store, parts: readonly Pick<DrivePart, 'id'>[]): Promise<void> {
  for (const { id } of parts) await removePart(store, id)
}

/** Deletes a part, or the chunks of a part that was never completed. */
async function removePart(store: Store, id: string): Promise<void> {
  try {
    await bucketOf(store).delete(bucketId(id))
  } catch (error) {
    // The bucket deletes the chunks in any case, and throws if the file document is missing.
    if (!(error instanceof MongoRuntimeError)) throw error
  }
}
