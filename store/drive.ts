/**
 * Drive: entries of folders, and the bytes of files in the driver's own bucket (GridFS). A file is made of parts, each a file of the bucket,
 * so that putting in a long one goes on behind the last whole part after a crash. Invariants: a reader sees a content only when it is
 * whole; the id of a part says of which entry it is, who writes it and which it is, so two writers never touch the same bytes.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { GridFSBucket, MongoRuntimeError } from 'mongodb'
import type { DriveEntryDoc, DrivePart, DriveUpload } from './documents/drive.ts'
import { isDuplicate, type Store } from './open.ts'
import { readMany, readOne } from './reads.ts'

/** What the bucket's collections begin with. */
export const driveBucket = 'drive'
/** A document of the bucket. */
export const chunkBytes = 255 * 1024
/** The bucket fetches all that it is to read in one answer, however slowly its reader takes it: so it is told to read a little at a time. */
const readBytes = 8 * chunkBytes

const bucketOf = ({ db }: Store) => new GridFSBucket(db, { bucketName: driveBucket, chunkSizeBytes: chunkBytes })
/** The driver's types know ids of one kind; its bucket takes any. */
type BucketId = Parameters<GridFSBucket['openDownloadStream']>[0]
const bucketId = (id: string) => id as unknown as BucketId

/** Inserts an entry. Returns false when its folder has one of that name. */
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

/** The entry of this name in a folder, also one whose content is not whole. */
export function driveEntryNamed(
  store: Store,
  { accountId, parentId, name }: Pick<DriveEntryDoc, 'accountId' | 'parentId' | 'name'>,
): Promise<DriveEntryDoc | null> {
  return readOne(store, 'driveEntries', { accountId, parentId, name })
}

/** The entries of a folder, newest first, after the id `before`. */
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

/** Notes how far a content has come. Returns false when the entry is gone, or another writer puts in a content. */
export async function noteUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  incoming: DriveUpload,
): Promise<boolean> {
  const filter = { accountId, _id, 'incoming.writer': incoming.writer }
  const { matchedCount } = await store.driveEntries.updateOne(filter, { $set: { incoming } })
  return matchedCount === 1
}

/** The id of a part: of which entry it is, who writes it, and its number. */
export const partId = (entryId: string, writer: string, n: number) => `${entryId}.${writer}.${n}`

const entryOfPart = (id: string) => id.slice(0, id.indexOf('.'))

/** What a content on its way has written: its whole parts, and the one behind them. */
function writtenParts(
  entry: Pick<DriveEntryDoc, '_id'>,
  incoming: DriveUpload | undefined,
): readonly Pick<DrivePart, 'id'>[] {
  return incoming === undefined ? [] : [...incoming.parts, underWay(entry, incoming)]
}

/** The part behind the whole ones, of which its writer may have written some. */
const underWay = ({ _id }: Pick<DriveEntryDoc, '_id'>, { writer, parts }: DriveUpload) => ({
  id: partId(_id, writer, parts.length),
})

/**
 * Goes on with the content of a source that another writer has begun, whether that is still there or not. Returns the parts that are
 * whole, and what is nobody's then; null when no content of this source is being put in.
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

/** Begins to put another content into a file. Returns what was being put in before, whose parts are nobody's then. */
export async function beginUpload(
  store: Store,
  { accountId, _id }: Pick<DriveEntryDoc, 'accountId' | '_id'>,
  incoming: DriveUpload,
): Promise<readonly Pick<DrivePart, 'id'>[]> {
  const before = await store.driveEntries.findOneAndUpdate({ accountId, _id }, { $set: { incoming } })
  return writtenParts({ _id }, before?.incoming)
}

/** Shows what was put in, in place of what the file was. Returns the parts that are nobody's then; null when another writer puts in a content. */
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

/** Deletes an entry with the bytes that it has; what lies in a folder is not looked at. */
export async function removeDriveEntry(
  store: Store,
  { accountId, _id, parts, incoming }: Pick<DriveEntryDoc, 'accountId' | '_id' | 'parts' | 'incoming'>,
): Promise<void> {
  await store.driveEntries.deleteOne({ accountId, _id })
  await removeParts(store, [...parts, ...writtenParts({ _id }, incoming)])
}

/** Deletes a page of entries of an account with their bytes. Returns how many there were. */
export async function removeDriveEntries(store: Store, accountId: string, limit: number): Promise<number> {
  const found = await readMany(store, 'driveEntries', { accountId }, { limit })
  for (const entry of found) await removeDriveEntry(store, entry)
  return found.length
}

/** Contents that nobody went on with since a time. */
export function findStaleUploads(store: Store, before: Date, limit: number): Promise<DriveEntryDoc[]> {
  return readMany(store, 'driveEntries', { 'incoming.at': { $lt: before } }, { limit })
}

/** Gives up a content that was not put in whole. */
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

/** The bytes of parts from the first to the last of the range, as they are read. */
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
 * The ids of parts of which anything is there, whichever of their chunks that is, of a page behind the id `after` in their order. Each is
 * found by itself: to walk over all chunks would read all that is kept.
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

/** Those of some parts that no entry names. An entry is written before its parts, so these were somebody's and are nobody's now. */
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

/** Deletes a part, or what there is of one that was never whole. */
async function removePart(store: Store, id: string): Promise<void> {
  try {
    await bucketOf(store).delete(bucketId(id))
  } catch (error) {
    // The bucket deletes the pieces first, and then misses the file.
    if (!(error instanceof MongoRuntimeError)) throw error
  }
}
